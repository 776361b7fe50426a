-- What every output must be before any op looks at it: Python that parses and defines the entry point.
return {
  check = function(task, text)
    local tree = python.parse(text)
    local entry = tree:function_named(task.entry_point)
    if not entry then return drawback("does not define " .. task.entry_point) end
    return clean(), { tree = tree, entry = entry }
  end,
}
