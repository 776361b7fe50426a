-- Gives no answer to an empty or boundary variation of the example that most peers answer with a value.
local VOTERS, QUORUM = 3, 0.6

local function answering(runs)
  local answered = 0
  for _, run in ipairs(runs) do
    if run.status == "value" then answered = answered + 1 end
  end
  return answered
end

-- What a run without an answer did; none for a run with one, or one that was not made.
local function choked(run)
  if run.status == "exception" then return "raises " .. run.error.type end
  if run.status == "timeout" then return "does not end" end
  if run.status == "killed" then return "is ended" end
  return nil
end

return {
  detects  = "boundary",
  about    = "raises, or does not end, on an empty or boundary input that its peers answer",
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
      local answered = answering(got.peers)
      if #got.peers >= VOTERS and answered >= QUORUM * #got.peers then
        judged = judged + 1
        local what = choked(got.own)
        if what then return drawback(what .. " where " .. answered .. " peers answer", artifact.place) end
      end
    end
    if judged == 0 then return abstain("too few peers answer") end
    return clean()
  end,
}
