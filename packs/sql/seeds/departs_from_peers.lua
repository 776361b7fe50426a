-- Answers differently from the queries that agree: on the database, or on a copy of it in which rows are missing and values
-- have changed places. Queries that agree by luck on the rows at hand part ways on a copy.
local COPIES, VOTERS, QUORUM, DEPARTURES = 6, 2, 0.6, 1

-- The answer that enough of the peers that have one share.
local function shared_answer(peers)
  local votes = {}
  for _, peer in ipairs(peers) do
    if peer.rows then table.insert(votes, peer) end
  end
  if #votes < VOTERS then return nil end
  local answer, share = plurality(votes)
  return share >= QUORUM and answer.rows or nil
end

local function place(copy)
  return copy == 0 and "the database" or "copy " .. copy
end

return {
  detects  = "departs_from_peers",
  about    = "answers differently from agreeing queries, here or on a copy of the database",
  tier     = "execution",
  strength = "evidence",
  peers    = true,
  plan     = function()
    local requests = {}
    for copy = 0, COPIES do table.insert(requests, { query = true, copy = copy, on = "both" }) end
    return requests
  end,
  check    = function(task, artifact, seen)
    if not seen[1].own.rows then return abstain("there is no answer") end
    local judged, departures, first = 0, 0, nil
    for i, answers in ipairs(seen) do
      local usual = shared_answer(answers.peers)
      if usual then
        judged = judged + 1
        local own = answers.own.rows
        if not own or not own:equals(usual, "spider1") then
          departures = departures + 1
          first = first or "on " .. place(i - 1) .. " gives " .. (own and own:repr() or answers.own.status) ..
            ", unlike its peers: " .. usual:repr()
        end
      end
    end
    if judged == 0 then return abstain("too few peers agree") end
    if departures < DEPARTURES then return clean() end
    return drawback(first .. " (differs on " .. departures .. " of " .. judged .. ")")
  end,
}
