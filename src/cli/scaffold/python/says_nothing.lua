-- Has no return that carries a value.
return {
  detects  = "no_answer",
  about    = "returns no value on any path",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    if #artifact.entry:yields() > 0 then return abstain("is a generator") end
    for _, ret in ipairs(artifact.entry:returns()) do
      if ret:value() then return clean() end
    end
    return drawback("returns no value", artifact.entry)
  end,
}
