-- Ground truth: the hidden tests. Runs the reference solution and the output on every hidden input and compares.
-- `equal` is Python's ==, `set` compares as sets, `not_none` asks only whether there is an answer; floats may differ by
-- the task's tolerance, never less than 1e-6.
local REL, LEAST_ABS = 1e-7, 1e-6
local LISTS = { list = true, tuple = true, set = true, frozenset = true }

-- Whether each item of the one is an item of the other. Equal items that print alike are found at once.
local function within(some, all)
  local printed = {}
  for i = 1, #all do printed[all:at(i):repr()] = i end
  for i = 1, #some do
    local item = some:at(i)
    local at = printed[item:repr()]
    local found = at and item:equals(all:at(at))
    for j = 1, found and 0 or #all do found = found or item:equals(all:at(j)) end
    if not found then return false end
  end
  return true
end

local function agrees(reference, got, wanted)
  if reference.comparison == "not_none" and wanted:type() ~= "bool" then return got:is_none() == wanted:is_none() end
  if reference.comparison == "set" and LISTS[got:type()] and LISTS[wanted:type()] then
    return within(got, wanted) and within(wanted, got)
  end
  return got:equals(wanted, { abs = math.max(reference.atol, LEAST_ABS), rel = REL })
end

return {
  plan = function(task)
    local requests, reference = {}, task.reference
    for _, args in ipairs(reference.inputs) do
      table.insert(requests, { call = task.entry_point, args = args, source = reference.canonical_solution })
      table.insert(requests, { call = task.entry_point, args = args })
    end
    return requests
  end,
  check = function(task, artifact, seen)
    for i = 1, #seen, 2 do
      local wanted, got = seen[i].own, seen[i + 1].own
      local input = task.reference.inputs[(i + 1) / 2]
      if wanted.status ~= "value" then return abstain("the reference has no answer for " .. input) end
      if got.status ~= "value" then return drawback(got.status .. " on " .. input) end
      if not agrees(task.reference, got.value, wanted.value) then
        return drawback("gives " .. got.value:repr() .. " on " .. input .. ", not " .. wanted.value:repr())
      end
    end
    return clean()
  end,
}
