-- Ground truth: the hidden tests. Runs the reference solution and the output on every hidden input and compares.
-- `equal` is Python's ==, `set` compares as sets, `not_none` asks only whether there is an answer. Where floats are
-- expected, or the task has a tolerance, numbers may differ by it, never by less than 1e-6, if the types agree.
local REL, LEAST_ABS = 1e-7, 1e-6
local LISTS = { list = true, tuple = true }

local function all_floats(value)
  if not LISTS[value:type()] then return value:type() == "float" end
  for i = 1, #value do
    if value:at(i):type() ~= "float" then return false end
  end
  return #value > 0
end

local function agrees(reference, got, wanted)
  if reference.comparison == "set" then return got:same_items(wanted) end
  if reference.comparison == "not_none" and wanted:type() ~= "bool" then return got:is_none() == wanted:is_none() end
  if got:equals(wanted) then return true end
  local tolerant = reference.atol > 0 or all_floats(wanted)
  if not tolerant or got:type() ~= wanted:type() then return false end
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
