-- Answers with rows in which every value is NULL, as an aggregate over nothing does.
local LOOKED_AT = 50

return {
  detects  = "only_nulls",
  about    = "answers with rows of NULL alone",
  tier     = "execution",
  strength = "evidence",
  plan     = function() return { { query = true } } end,
  check    = function(task, artifact, seen)
    local rows = seen[1].own.rows
    if not rows or #rows == 0 then return abstain("there is no row") end
    for i = 1, math.min(#rows, LOOKED_AT) do
      local row = rows:at(i)
      for k = 1, #row do
        if row:at(k):type() ~= "NoneType" then return clean() end
      end
    end
    return drawback("NULL throughout")
  end,
}
