-- Repeats rows where the question wants each once.
local ONCE = { "distinct", "different", "unique", "each once", "without repeat" }
local LOOKED_AT = 200

local function asks_for_each_once(question)
  local text = question:lower()
  for _, word in ipairs(ONCE) do
    if text:find(word, 1, true) then return true end
  end
  return false
end

return {
  detects  = "repeated_rows",
  about    = "repeats rows where the question wants each once",
  tier     = "execution",
  strength = "evidence",
  plan     = function(task)
    if not asks_for_each_once(task.question) then return nil end
    return { { query = true } }
  end,
  check    = function(task, artifact, seen)
    local rows = seen[1].own.rows
    if not rows then return abstain("there is no answer") end
    local known = {}
    for i = 1, math.min(#rows, LOOKED_AT) do
      local text = rows:at(i):repr()
      if known[text] then return drawback("the row " .. text .. " comes again") end
      known[text] = true
    end
    return clean()
  end,
}
