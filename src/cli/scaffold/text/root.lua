-- What every output must be before any op looks at it: some text.
return {
  check = function(task, body)
    if not body:find("%S") then return drawback("is empty") end
    return clean(), { sentences = text.sentences(body), length = #body }
  end,
}
