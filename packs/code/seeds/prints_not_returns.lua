-- Shows its answer instead of handing it back.
return {
  detects  = "prints_not_returns",
  about    = "prints an answer, and no return carries a value",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    local entry = artifact.entry
    for _, ret in ipairs(entry:returns()) do
      local value = ret:value()
      if value and value:text() ~= "None" then return clean() end
    end
    local prints = entry:calls("print")
    if #prints == 0 then return abstain("neither prints nor returns") end
    return drawback("prints its answer and returns None", prints[1]:span())
  end,
}
