-- Raises on an empty or boundary variation of the example that most peers answer with a value.
local VOTERS, QUORUM = 3, 0.6

return {
  detects  = "boundary",
  about    = "raises on an empty or boundary input that its peers answer",
  tier     = "execution",
  strength = "evidence",
  peers    = true,
  plan     = function(task)
    local requests = {}
    for _, args in ipairs(boundaries(task)) do
      table.insert(requests, { call = task.entry_point, args = args, on = "both" })
    end
    return requests
  end,
  check    = function(task, artifact, seen)
    local judged = 0
    for _, got in ipairs(seen) do
      local answered = 0
      for _, run in ipairs(got.peers) do
        if run.status == "value" then answered = answered + 1 end
      end
      if #got.peers >= VOTERS and answered >= QUORUM * #got.peers then
        judged = judged + 1
        if got.own.status == "exception" then
          local message = "raises " .. got.own.error.type .. " where " .. answered .. " peers answer"
          return drawback(message, artifact.place)
        end
      end
    end
    if judged == 0 then return abstain("too few peers answer") end
    return clean()
  end,
}
