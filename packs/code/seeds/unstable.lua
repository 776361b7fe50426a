-- Answers the example's inputs differently under another hash seed: leans on the order of a set or on an address.
-- An example that sorts the answer, or makes a set of it, does not ask for an order: then no order is wrong.
local INPUTS = 5

local function asks_for_order(task)
  for _, text in ipairs(task.examples) do
    if text:find("set%(" .. task.entry_point) or text:find("sorted%(" .. task.entry_point) then return false end
  end
  return true
end

return {
  detects  = "unstable",
  about    = "answers differently under another hash seed",
  tier     = "execution",
  strength = "evidence",
  plan     = function(task)
    if not asks_for_order(task) then return nil end
    local requests = {}
    for _, args in ipairs(mutations(task, INPUTS)) do
      table.insert(requests, { call = task.entry_point, args = args })
      table.insert(requests, { call = task.entry_point, args = args, world = 1 })
    end
    return requests
  end,
  check    = function(task, artifact, seen)
    local judged = 0
    for i = 1, #seen, 2 do
      local here, there = seen[i].own, seen[i + 1].own
      if here.status == "value" and there.status == "value" then
        judged = judged + 1
        if not same(here, there) then
          return drawback("gives " .. here.value:repr() .. " or " .. there.value:repr(), artifact.place)
        end
      end
    end
    if judged == 0 then return abstain("no input gives a value") end
    return clean()
  end,
}
