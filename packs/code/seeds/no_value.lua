-- Some path returns nothing, or the body was never written. What may be None, by annotation or example, is left alone.
local function may_be_none(task, entry)
  local annotation = entry:return_type()
  if annotation and (annotation:text():find("None") or annotation:text():find("Optional")) then return true end
  for _, text in ipairs(task.examples) do
    if text:find("==%s*None%s*$") or text:find("%sis%s+None%s*$") then return true end
  end
  return false
end

return {
  detects  = "no_value",
  about    = "returns nothing on some path through its body",
  tier     = "static",
  strength = "smell",
  check    = function(task, artifact)
    local entry = artifact.entry
    if not entry then return abstain("the entry point is no def") end
    if entry:is_placeholder() then return drawback("the body is a placeholder", entry) end
    if #entry:yields() > 0 then return abstain("is a generator") end
    if may_be_none(task, entry) then return clean() end
    local carries, bare = false, nil
    for _, ret in ipairs(entry:returns()) do
      if ret:value() then carries = true else bare = bare or ret end
    end
    if not carries and not entry:always_raises() then return drawback("never returns a value", entry) end
    if bare then return drawback("returns nothing here, and a value elsewhere", bare) end
    if entry:falls_through() then return drawback("a path runs off the end", entry) end
    return clean()
  end,
}
