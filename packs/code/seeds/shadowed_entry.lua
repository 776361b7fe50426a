-- The entry point's name is bound again after the function that should be called.
return {
  detects  = "shadowed_entry",
  about    = "binds the entry point's name again after its definition",
  tier     = "static",
  strength = "evidence",
  check    = function(task, artifact)
    local rebound = artifact.tree:bindings(task.entry_point)
    if #rebound > 1 then return drawback("is bound again", rebound[#rebound]:span()) end
    return clean()
  end,
}
