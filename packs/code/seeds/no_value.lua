-- Some path returns a value, and another runs off the end, or the body is only a placeholder.
return {
  detects  = "no_value",
  about    = "some path through the body returns nothing",
  tier     = "static",
  strength = "smell",
  check    = function(task, artifact)
    local entry = artifact.entry
    if entry:is_placeholder() then return drawback("the body is a placeholder", entry:span()) end
    local carries
    for _, ret in ipairs(entry:returns()) do
      local value = ret:value()
      if value then carries = ret end
    end
    if #entry:yields() > 0 then return abstain("is a generator") end
    if not carries then return abstain("no return carries a value") end
    if entry:falls_through() then return drawback("a path runs off the end", entry:span()) end
    return clean()
  end,
}
