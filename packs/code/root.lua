-- What every output must be before an op looks at it: Python that parses and binds the entry point's name. `entry` is
-- its `def`, and absent for a lambda, an alias or an import, which can be called as well; `place` is there always.
return {
  check = function(task, source)
    local tree = python.parse(source)
    local issue = tree:issues()[1]
    if issue then return drawback("does not parse: " .. issue.message, issue.span) end
    local bound = tree:bindings(task.entry_point)
    if #bound == 0 then return drawback("does not define " .. task.entry_point) end
    local entry = tree:find_function(task.entry_point)
    return clean(), { tree = tree, entry = entry, place = entry or bound[#bound].by }
  end,
}
