-- Uses up its CPU time on the visible assert.
return {
  detects  = "endless",
  about    = "does not end on the visible example",
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
      if got.own.status == "timeout" then return drawback("does not end", artifact.place) end
    end
    return clean()
  end,
}
