-- Leaves the answer that most peers share, on inputs near the example. Peers that break the visible assert do not vote,
-- and an input on which most of the others raise is outside of what the function is for.
local INPUTS, VOTERS, QUORUM, DEPARTURES = 20, 3, 0.6, 1
local TOLERANCE = { abs = 1e-6, rel = 1e-7 }

local function agree(a, b)
  if same(a, b) then return true end
  return a.status == "value" and b.status == "value" and a.value:equals(b.value, TOLERANCE)
end

-- The runs of the peers that keep the visible assert.
local function voters(example, runs)
  local votes = {}
  for k, run in ipairs(runs) do
    if example[k].holds then table.insert(votes, run) end
  end
  return votes
end

-- The answer that enough votes share; none where too few vote, or most of them raise.
local function shared_answer(votes)
  local answer = plurality(votes)
  if #votes < VOTERS or answer.status ~= "value" then return nil end
  local agreeing = 0
  for _, vote in ipairs(votes) do
    if agree(vote, answer) then agreeing = agreeing + 1 end
  end
  return agreeing >= QUORUM * #votes and answer or nil
end

local function nearby(task)
  local all = {}
  for _, args in ipairs(mutations(task, INPUTS)) do table.insert(all, args) end
  for _, args in ipairs(boundaries(task)) do table.insert(all, args) end
  return all
end

local function shown(run)
  if run.value then return "gives " .. run.value:repr() end
  if run.error then return "raises " .. run.error.type end
  return "ends with " .. run.status
end

return {
  detects  = "departs_from_peers",
  about    = "differs from agreeing peers on inputs near the example",
  tier     = "execution",
  strength = "evidence",
  peers    = true,
  plan     = function(task)
    if #task.examples == 0 then return nil end
    local requests = { { assert = task.examples[1], on = "peers" } }
    for _, args in ipairs(nearby(task)) do
      table.insert(requests, { call = task.entry_point, args = args, on = "both" })
    end
    return requests
  end,
  check    = function(task, artifact, seen)
    local inputs, judged, departures, first = nearby(task), 0, 0, nil
    for i = 2, #seen do
      local answer = shared_answer(voters(seen[1].peers, seen[i].peers))
      if answer then
        judged = judged + 1
        if not agree(seen[i].own, answer) then
          departures = departures + 1
          first = first or shown(seen[i].own) .. " on " .. inputs[i - 1] .. ", unlike its peers: " .. answer.value:repr()
        end
      end
    end
    if judged == 0 then return abstain("too few peers agree") end
    if departures < DEPARTURES then return clean() end
    return drawback(first .. " (differs on " .. departures .. " of " .. judged .. " inputs)", artifact.place)
  end,
}
