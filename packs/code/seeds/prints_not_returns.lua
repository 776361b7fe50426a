-- Shows its answer instead of handing it back. `return print(…)` hands back what print returns: nothing.
local function carries(value)
  return value and value:text() ~= "None" and not value:text():find("^print%s*%(")
end

return {
  detects  = "prints_not_returns",
  about    = "prints an answer, and no return carries a value",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    local entry = artifact.entry
    if not entry then return abstain("the entry point is no def") end
    if #entry:yields() > 0 then return abstain("is a generator") end
    for _, ret in ipairs(entry:returns()) do
      if carries(ret:value()) then return clean() end
    end
    local prints = entry:calls("print")
    if #prints == 0 then return abstain("neither prints nor returns") end
    return drawback("prints its answer and returns None", prints[1])
  end,
}
