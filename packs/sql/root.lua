-- What every output must be before any op looks at it: one query, and nothing around it. Whether it is SQL at all is for
-- the database to say.
local function bare(text)
  text = text:gsub("%-%-[^\n]*", " "):gsub("/%*.-%*/", " ")
  return (text:gsub("^%s+", ""):gsub("[%s;]+$", ""))
end

return {
  check = function(task, text)
    local query = bare(text)
    if query == "" then return drawback("there is no query") end
    local first = query:match("^%(*%s*(%a+)")
    local word = first and first:upper()
    if word ~= "SELECT" and word ~= "WITH" and word ~= "VALUES" then
      return drawback("does not begin with SELECT, WITH or VALUES")
    end
    return clean(), { query = query, upper = query:upper() }
  end,
}
