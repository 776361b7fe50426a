-- Raises, or ends its own process, where it should answer the visible assert.
return {
  detects  = "crash",
  about    = "raises an exception on the visible example",
  tier     = "execution",
  strength = "proof",
  plan     = function(task)
    local requests = {}
    for _, text in ipairs(task.examples) do
      table.insert(requests, { assert = text })
    end
    return requests
  end,
  check    = function(task, artifact, seen)
    for _, got in ipairs(seen) do
      local run = got.own
      if run.status == "exception" then
        return drawback("raises " .. run.error.type .. ": " .. run.error.message, artifact.place)
      end
      if run.status == "killed" then return drawback("is ended before it answers", artifact.place) end
    end
    return clean()
  end,
}
