-- What every output must be before an op looks at it: Python that parses and defines the entry point as a function.
return {
  check = function(task, source)
    local tree = python.parse(source)
    local issue = tree:issues()[1]
    if issue then return drawback("does not parse: " .. issue:message(), issue:span()) end
    local entry = tree:function_named(task.entry_point)
    if not entry then return drawback("does not define " .. task.entry_point) end
    return clean(), { tree = tree, entry = entry }
  end,
}
