-- Answers with no row at all. Questions are seldom asked of nothing.
return {
  detects  = "empty",
  about    = "answers with no row",
  tier     = "execution",
  strength = "evidence",
  plan     = function() return { { query = true } } end,
  check    = function(task, artifact, seen)
    local rows = seen[1].own.rows
    if not rows then return abstain("there is no answer") end
    if #rows == 0 then return drawback("no row") end
    return clean()
  end,
}
