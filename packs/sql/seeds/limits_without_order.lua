-- Takes the first rows and does not say in which order: which ones come is the database's choice.
return {
  detects  = "unordered_limit",
  about    = "limits its rows without ordering them",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    local query = " " .. artifact.upper:gsub("'[^']*'", "''"):gsub("%s+", " ") .. " "
    if not query:find("[%s%)]LIMIT[%s%(]") then return clean() end
    if query:find("ORDER BY", 1, true) then return clean() end
    return drawback("LIMIT without ORDER BY")
  end,
}
