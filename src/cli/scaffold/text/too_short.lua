-- A single sentence is rarely an answer.
return {
  detects  = "too_short",
  about    = "has fewer than two sentences",
  tier     = "static",
  strength = "smell",
  check    = function(task, artifact)
    if #artifact.sentences >= 2 then return clean() end
    return drawback("has one sentence", span(1, artifact.length))
  end,
}
