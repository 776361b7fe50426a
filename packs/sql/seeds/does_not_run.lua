-- Gets no answer from the database: a syntax error, a name that the schema lacks, no end within the limit.
return {
  detects  = "does_not_run",
  about    = "gets no answer from the database",
  tier     = "execution",
  strength = "proof",
  plan     = function() return { { query = true } } end,
  check    = function(task, artifact, seen)
    local own = seen[1].own
    if own.status == "value" then return clean() end
    if own.error then return drawback(own.error.message) end
    return drawback("ends with " .. own.status)
  end,
}
