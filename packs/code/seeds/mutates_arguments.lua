-- Changes a list, dict or set that it was given, and hands back something else.
local INPUTS = 5

return {
  detects  = "mutates_arguments",
  about    = "changes what it was given",
  tier     = "execution",
  strength = "smell",
  plan     = function(task)
    local requests = {}
    for _, args in ipairs(mutations(task, INPUTS)) do
      table.insert(requests, { call = task.entry_point, args = args })
    end
    return requests
  end,
  check    = function(task, artifact, seen)
    local judged = 0
    for _, got in ipairs(seen) do
      if got.own.status == "value" then
        judged = judged + 1
        if got.own.args_changed then return drawback("changes an argument", artifact.place) end
      end
    end
    if judged == 0 then return abstain("no input gives a value") end
    return clean()
  end,
}
