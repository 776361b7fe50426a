-- The entry point's name is bound again, after its def, to something that is no function: most often its own result.
-- Another def, class or import, a lambda, a function's name and `f = cache(f)` can be called, and are left alone.
local ASSIGNS   = { assignment = true, augmented_assignment = true, named_expression = true }
local LOOPS     = { for_statement = true, with_item = true, as_pattern = true }
local FUNCTIONS = { lambda = true, identifier = true, attribute = true }

local function is_function(value, name)
  if FUNCTIONS[value:kind()] then return true end
  if not value:is("call") then return false end
  for _, argument in ipairs(value:arguments()) do
    if argument.value:text() == name then return true end
  end
  return false
end

local function runs_on_load(node)
  for _, above in ipairs(node:ancestors()) do
    if above:is_main_guard() then return false end
  end
  return true
end

local function spoils(by, name)
  local value = ASSIGNS[by:kind()] and by:value()
  if value then return not is_function(value, name) end
  return LOOPS[by:kind()]
end

return {
  detects  = "shadowed_entry",
  about    = "binds the entry point's name again, to something that is no function",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    if not artifact.entry then return abstain("the entry point is no def") end
    for _, rebound in ipairs(artifact.entry:rebindings()) do
      if spoils(rebound.by, task.entry_point) and runs_on_load(rebound.by) then
        return drawback("the entry point's name is bound again", rebound.by)
      end
    end
    return clean()
  end,
}
