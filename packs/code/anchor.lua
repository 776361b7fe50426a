-- Ground truth: the hidden tests. Runs the reference solution and the output on every hidden input and compares.
-- `equal` is Python's ==, `set` compares as sets, `not_none` asks only whether there is an answer; floats may differ by
-- the task's tolerance, never less than 1e-6.
local REL, LEAST_ABS = 1e-7, 1e-6

local function agrees(reference, got, wanted)
  if reference.comparison == "not_none" and wanted:type() ~= "bool" then
    return (got:type() ~= "NoneType") == (wanted:type() ~= "NoneType")
  end
  if reference.comparison == "set" and got:same_set(wanted) then return true end
  return got:equals(wanted) or got:close(wanted, { abs = math.max(reference.atol, LEAST_ABS), rel = REL })
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
