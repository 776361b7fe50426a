-- The entry point's name is bound again, after its def, to something that is no function: most often its own result.
-- A second def, a lambda, another function's name and `f = cache(f)` can all be called, and are left alone.
local FUNCTIONS = { lambda = true, identifier = true, attribute = true }

local function is_function(value, name)
  if FUNCTIONS[value:kind()] then return true end
  if value:kind() ~= "call" then return false end
  for _, argument in ipairs(value:arguments()) do
    if argument:text() == name then return true end
  end
  return false
end

return {
  detects  = "shadowed_entry",
  about    = "binds the entry point's name again, to something that is no function",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    if not artifact.entry then return abstain("the entry point is no def") end
    for _, rebound in ipairs(artifact.entry:rebindings()) do
      local value = rebound:value()
      -- TODO main guard, defs, imports
      if value and not is_function(value, task.entry_point) then
        return drawback("the entry point's name is bound again", rebound:span())
      end
    end
    return clean()
  end,
}
