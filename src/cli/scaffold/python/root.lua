-- What every output must be before any op looks at it: Python that parses and defines the entry point.
return {
  check = function(task, source)
    local tree = python.parse(source)
    local issue = tree:issues()[1]
    if issue then return drawback("does not parse: " .. issue.message, issue.span) end
    local entry = tree:find_function(task.entry_point)
    if not entry then return drawback("does not define " .. task.entry_point) end
    return clean(), { tree = tree, entry = entry }
  end,
}
