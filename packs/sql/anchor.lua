-- Ground truth: gold's answer, on the database and on six copies of it.
local COPIES = 6

return {
  about = "answers like gold on the database and on copies of it",
  plan  = function(task)
    local requests = {}
    for copy = 0, COPIES do
      table.insert(requests, { query = true, copy = copy })
      table.insert(requests, { query = task.reference.gold, copy = copy })
    end
    return requests
  end,
  check = function(task, artifact, seen)
    local ordered = task.reference.ordered
    if ordered == nil then ordered = task.reference.gold:upper():find("ORDER BY", 1, true) ~= nil end
    for i = 1, #seen, 2 do
      local own, gold = seen[i].own.rows, seen[i + 1].own.rows
      if not gold then return abstain("gold gets no answer") end
      if not own then return drawback("ends with " .. seen[i].own.status) end
      if not own:equals(gold, "spider1", ordered) then
        return drawback("gives " .. own:repr() .. ", gold " .. gold:repr())
      end
    end
    return clean()
  end,
}
