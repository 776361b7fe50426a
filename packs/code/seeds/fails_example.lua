-- Answers the visible assert, and wrongly. Crashes and hangs have ops of their own.
return {
  detects  = "wrong_on_example",
  about    = "answers the visible example wrongly",
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
      if run.status == "opaque" then return drawback("gives no plain value", artifact.place) end
      if run.status ~= "value" then return abstain(run.status) end
      if not run.holds then return drawback("gives " .. run.value:repr(), artifact.place) end
    end
    return clean()
  end,
}
