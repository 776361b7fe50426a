-- Leaves the answer that most peers share, on inputs near the example. Peers that break the visible assert do not vote,
-- and an input on which most of the others raise is outside of what the function is for. Where the example sorts the
-- answer, or makes a set of it, neither its order nor its container is asked for.
local INPUTS, VOTERS, QUORUM, DEPARTURES = 20, 3, 0.8, 1
local TOLERANCE = { abs = 1e-6, rel = 1e-7 }

local COLLECTIONS = { list = true, tuple = true, set = true, frozenset = true }

-- Whether an example hands the answer to a function such as `set` before it compares.
local function wraps(task, name)
  for _, text in ipairs(task.examples) do
    if text:find(name .. "%(" .. task.entry_point .. "%(") then return true end
  end
  return false
end

-- A comparison of two runs that asks of their answers what the example asks.
local function comparison(task)
  local as_set, as_sorted = wraps(task, "set"), wraps(task, "sorted")
  return function(a, b)
    if same(a, b) then return true end
    if a.status ~= "value" or b.status ~= "value" then return false end
    if a.value:equals(b.value, TOLERANCE) then return true end
    if not (COLLECTIONS[a.value:type()] and COLLECTIONS[b.value:type()]) then return false end
    return (as_set or as_sorted and #a.value == #b.value) and a.value:same_items(b.value)
  end
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
local function shared_answer(votes, agree)
  if #votes < VOTERS then return nil end
  local groups = {}
  for _, vote in ipairs(votes) do
    local joined = false
    for _, group in ipairs(groups) do
      joined = joined or agree(vote, group.answer)
      if joined then
        group.size = group.size + 1
        break
      end
    end
    if not joined then table.insert(groups, { answer = vote, size = 1 }) end
  end
  for _, group in ipairs(groups) do
    if group.size >= QUORUM * #votes then return group.answer.status == "value" and group.answer or nil end
  end
  return nil
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
    local agree, inputs, judged, departures, first = comparison(task), nearby(task), 0, 0, nil
    for i = 2, #seen do
      local answer = shared_answer(voters(seen[1].peers, seen[i].peers), agree)
      if answer and seen[i].own.status ~= "refused" then    -- refused: not run, after too many timeouts
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
