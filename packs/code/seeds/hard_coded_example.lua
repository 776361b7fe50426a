-- Tests for the visible example's argument and returns its answer as it stands.
local SHORTEST = 3          -- literals such as 0, 1 or [] stand in honest code

return {
  detects  = "hard_coded_example",
  about    = "returns the example's answer where it recognises the example's argument",
  tier     = "static",
  strength = "proof",
  check    = function(task, artifact)
    local wanted = {}
    for _, text in ipairs(task.examples) do
      local answer = text:match("==%s*(.-)%s*$")
      if answer and #answer >= SHORTEST then wanted[answer] = true end
    end
    if next(wanted) == nil then return abstain("the example's answer is too plain") end
    for _, ret in ipairs(artifact.entry:returns()) do
      local value = ret:value()
      if value and wanted[value:text()] then return drawback("returns the example's answer", value:span()) end
    end
    return clean()
  end,
}
