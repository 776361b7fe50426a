-- The question asks how many, and the answer is no single number. A question for a number of each, by group, is another.
local GROUPS = { " each ", " every ", " per ", " by ", " and ", "," }

local function asks_for_one_number(question)
  local text = question:lower()
  if not text:find("^how many ") and not text:find("^count ") then return false end
  for _, word in ipairs(GROUPS) do
    if text:find(word, 1, true) then return false end
  end
  return true
end

return {
  detects  = "wrong_shape",
  about    = "is no single number where the question asks how many",
  tier     = "execution",
  strength = "evidence",
  plan     = function(task)
    if not asks_for_one_number(task.question) then return nil end
    return { { query = true } }
  end,
  check    = function(task, artifact, seen)
    local rows = seen[1].own.rows
    if not rows then return abstain("there is no answer") end
    if #rows ~= 1 or #rows:columns() ~= 1 then
      return drawback(#rows .. " rows of " .. #rows:columns() .. " columns, where one number was asked for")
    end
    return clean()
  end,
}
