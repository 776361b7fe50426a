-- Leaves the answer that most peers share, on inputs near the example. Peers that break the visible assert do not vote.
local INPUTS, VOTERS, QUORUM, DEPARTURES = 20, 3, 0.6, 2

local function voters(example, runs)
  local votes = {}
  for k, run in ipairs(runs) do
    if example[k].holds then table.insert(votes, run) end
  end
  return votes
end

return {
  detects  = "departs_from_peers",
  about    = "differs from agreeing peers on inputs near the example",
  tier     = "execution",
  strength = "evidence",
  peers    = true,
  plan     = function(task)
    local requests = { { assert = task.examples[1], on = "peers" } }
    for _, args in ipairs(mutations(task, INPUTS)) do
      table.insert(requests, { call = task.entry_point, args = args, on = "both" })
    end
    return requests
  end,
  check    = function(task, artifact, seen)
    local judged, departures = 0, 0
    for i = 2, #seen do
      local votes = voters(seen[1].peers, seen[i].peers)
      local answer, share = plurality(votes)
      if #votes >= VOTERS and share >= QUORUM then
        judged = judged + 1
        if not same(seen[i].own, answer) then departures = departures + 1 end
      end
    end
    if judged < DEPARTURES then return abstain("too few peers agree") end
    if departures < DEPARTURES then return clean() end
    return drawback("unlike its peers on " .. departures .. " of " .. judged .. " inputs", artifact.place)
  end,
}
