-- What the op miner may measure of a short Python function. Counts rather than judgements: a rule that is mined from
-- them says how many are too many, and is held against outputs that are known to be good.

local INPUTS, VOTERS, QUORUM = 20, 3, 0.8
local TOLERANCE = { abs = 1e-6, rel = 1e-7 }

local function agree(a, b)
  if same(a, b) then return true end
  return a.status == "value" and b.status == "value" and a.value:equals(b.value, TOLERANCE)
end

local function examples_plan(task)
  local requests = {}
  for _, text in ipairs(task.examples) do table.insert(requests, { assert = text }) end
  return requests
end

local function nearby_plan(task)
  local requests = {}
  for _, args in ipairs(mutations(task, INPUTS)) do
    table.insert(requests, { call = task.entry_point, args = args })
  end
  return requests
end

-- The example on the peers, then the inputs near it and the boundary inputs on all: the first tells who may vote.
local function peers_plan(task)
  if #task.examples == 0 then return nil end
  local requests = { { assert = task.examples[1], on = "peers" } }
  for _, inputs in ipairs({ mutations(task, INPUTS), boundaries(task) }) do
    for _, args in ipairs(inputs) do
      table.insert(requests, { call = task.entry_point, args = args, on = "both" })
    end
  end
  return requests
end

-- How many answers a test holds for.
local function count(seen, test)
  local found = 0
  for _, got in ipairs(seen) do
    if test(got.own) then found = found + 1 end
  end
  return found
end

-- The answer that enough of the peers that keep the example share, and how many do; none where they do not agree.
local function shared_answer(example, runs)
  local votes, agreeing = {}, 0
  for k, run in ipairs(runs) do
    if example[k].holds then table.insert(votes, run) end
  end
  local answer = plurality(votes)
  if #votes < VOTERS or answer.status ~= "value" then return nil end
  for _, vote in ipairs(votes) do
    if agree(vote, answer) then agreeing = agreeing + 1 end
  end
  if agreeing < QUORUM * #votes then return nil end
  return answer
end

-- How many inputs have an answer that peers share, and on how many of those a test holds of the output's own run.
local function against_peers(seen, test)
  local judged, found = 0, 0
  for i = 2, #seen do
    local answer = shared_answer(seen[1].peers, seen[i].peers)
    if answer then
      judged = judged + 1
      if test(seen[i].own, answer) then found = found + 1 end
    end
  end
  return judged, found
end

local function departs(own, answer)
  return not agree(own, answer)
end

local function is_number(node)
  local literal = node:literal()
  return literal and (literal.kind == "integer" or literal.kind == "float") and literal
end

-- Whether the expression starts from a parameter: `xs`, `xs[0]`, `xs.items`.
local function is_given(node, entry)
  while node and (node:is("subscript") or node:is("attribute")) do node = node:children()[1] end
  if not node or not node:is("identifier") then return false end
  for _, parameter in ipairs(entry:parameters()) do
    if parameter.name == node:text() then return true end
  end
  return false
end

local ORDINARY = { ["0"] = true, ["1"] = true, ["2"] = true, ["10"] = true, ["0.0"] = true, ["1.0"] = true }
local CHANGES  = {
  add = true, append = true, clear = true, discard = true, extend = true, insert = true, pop = true, popitem = true,
  remove = true, reverse = true, setdefault = true, sort = true, update = true,
}

return {
  -- By reading

  bare_returns = {
    about   = "returns without a value",
    detects = "no_value",
    measure = function(task, artifact)
      if not artifact.entry or #artifact.entry:yields() > 0 then return nil end
      local bare, first = 0, nil
      for _, ret in ipairs(artifact.entry:returns()) do
        if not ret:value() then
          bare = bare + 1
          first = first or ret
        end
      end
      return bare, first
    end,
  },

  open_end = {
    about   = "whether control can reach the end of the body without a return",
    detects = "no_value",
    measure = function(task, artifact)
      if not artifact.entry or #artifact.entry:yields() > 0 then return nil end
      return artifact.entry:falls_through(), artifact.entry
    end,
  },

  prints = {
    about   = "calls of print",
    detects = "prints_not_returns",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local prints = artifact.entry:calls("print")
      return #prints, prints[1]
    end,
  },

  unread_parameters = {
    about   = "parameters that are never read",
    detects = "hard_coded_example",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local unread, first = 0, nil
      for _, parameter in ipairs(artifact.entry:parameters()) do
        if #artifact.entry:reads(parameter.name, "nested") == 0 then
          unread = unread + 1
          first = first or parameter.node
        end
      end
      return unread, first
    end,
  },

  constant_returns = {
    about   = "returns of a literal other than None, True, False and the empty ones",
    detects = "hard_coded_example",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local constant, first = 0, nil
      for _, ret in ipairs(artifact.entry:returns()) do
        local value = ret:value()
        if value and value:is_constant() and #value:text() > 2 and not value:text():find("^[NTF]%l+$") then
          constant = constant + 1
          first = first or value
        end
      end
      return constant, first
    end,
  },

  magic_numbers = {
    about   = "number literals other than 0, 1, 2 and 10",
    detects = "hard_coded_example",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local magic, first = 0, nil
      for _, literal in ipairs(artifact.entry:literals("nested")) do
        if is_number(literal.node) and not ORDINARY[literal.node:text()] then
          magic = magic + 1
          first = first or literal.node
        end
      end
      return magic, first
    end,
  },

  float_equalities = {
    about   = "comparisons for equality with a float",
    detects = "boundary",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local equalities, first = 0, nil
      for _, test in ipairs(artifact.entry:comparisons("nested")) do
        local left, right = is_number(test.left), is_number(test.right)
        local with_float = left and left.kind == "float" or right and right.kind == "float"
        if with_float and (test.operator == "==" or test.operator == "!=") then
          equalities = equalities + 1
          first = first or test.node
        end
      end
      return equalities, first
    end,
  },

  fixed_items = {
    about   = "reads of the item at a fixed place, which an empty input does not have",
    detects = "boundary",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local fixed, first = 0, nil
      for _, item in ipairs(artifact.entry:find("subscript", "nested")) do
        local index = item:field("subscript")
        if index and index:text():find("^%-?%d+$") then
          fixed = fixed + 1
          first = first or item
        end
      end
      return fixed, first
    end,
  },

  hidden_errors = {
    about   = "except clauses that name no exception, or do nothing",
    detects = "no_value",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local hidden, first = 0, nil
      for _, handler in ipairs(artifact.entry:handlers("nested")) do
        if not handler.exception or handler.silent then
          hidden = hidden + 1
          first = first or handler.node
        end
      end
      return hidden, first
    end,
  },

  sets = {
    about   = "calls of set, and set displays",
    detects = "unstable",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local entry = artifact.entry
      local calls, displays = entry:calls("set", "nested"), entry:find("set", "nested")
      local made = entry:find("set_comprehension", "nested")
      return #calls + #displays + #made, calls[1] or displays[1] or made[1]
    end,
  },

  changes_to_arguments = {
    about   = "calls, assignments and deletions that change something given",
    detects = "mutates_arguments",
    measure = function(task, artifact)
      local entry = artifact.entry
      if not entry then return nil end
      local changes, first = 0, nil
      local function change(node)
        changes = changes + 1
        first = first or node
      end
      for _, call in ipairs(entry:calls()) do
        local callee = call:callee()
        local name = callee and callee:is("attribute") and callee:field("attribute"):text()
        if name and CHANGES[name] and is_given(callee:field("object"), entry) then change(call) end
      end
      for _, assignment in ipairs(entry:assignments()) do
        for _, target in ipairs(assignment.targets) do
          if target:is("subscript") and is_given(target, entry) then change(assignment.node) end
        end
      end
      for _, deletion in ipairs(entry:find("delete_statement")) do
        if is_given(deletion:children()[1], entry) and deletion:children()[1]:is("subscript") then change(deletion) end
      end
      return changes, first
    end,
  },

  loops = {
    about   = "loops, comprehensions not counted",
    detects = "endless",
    measure = function(task, artifact)
      if not artifact.entry then return nil end
      local loops = artifact.entry:loops("nested")
      return #loops, loops[1]
    end,
  },

  -- By running the example and inputs near it

  broken_examples = {
    about   = "visible asserts that get an answer, and a wrong one",
    detects = "wrong_on_example",
    plan    = examples_plan,
    measure = function(task, artifact, seen)
      local function is_wrong(run)
        return run.status == "opaque" or run.status == "value" and not run.holds
      end
      return count(seen, is_wrong), artifact.place
    end,
  },

  crashed_examples = {
    about   = "visible asserts that end in an exception, or end the process",
    detects = "crash",
    plan    = examples_plan,
    measure = function(task, artifact, seen)
      local function crashes(run)
        return run.status == "exception" or run.status == "killed"
      end
      return count(seen, crashes), artifact.place
    end,
  },

  timeouts = {
    about   = "inputs near the example on which the function does not end in time",
    detects = "endless",
    plan    = nearby_plan,
    measure = function(task, artifact, seen)
      local function hangs(run)
        return run.status == "timeout"
      end
      return count(seen, hangs), artifact.place
    end,
  },

  changed_arguments = {
    about   = "inputs near the example that the function changes",
    detects = "mutates_arguments",
    plan    = nearby_plan,
    measure = function(task, artifact, seen)
      local function changes(run)
        return run.status == "value" and run.args_changed
      end
      return count(seen, changes), artifact.place
    end,
  },

  -- By comparison with the peers that keep the example

  departures = {
    about   = "inputs near the example on which the answer differs from agreeing peers",
    detects = "departs_from_peers",
    peers   = true,
    plan    = peers_plan,
    measure = function(task, artifact, seen)
      local judged, departures = against_peers(seen, departs)
      if judged == 0 then return nil end
      return departures, artifact.place
    end,
  },

  share_of_departures = {
    about   = "share of departures among the inputs on which peers agree",
    detects = "departs_from_peers",
    peers   = true,
    plan    = peers_plan,
    measure = function(task, artifact, seen)
      local judged, departures = against_peers(seen, departs)
      if judged == 0 then return nil end
      return departures / judged, artifact.place
    end,
  },

  unanswered = {
    about   = "inputs near the example that peers answer, and the function does not",
    detects = "boundary",
    peers   = true,
    plan    = peers_plan,
    measure = function(task, artifact, seen)
      local function chokes(own)
        return own.status == "exception" or own.status == "timeout" or own.status == "killed"
      end
      local judged, unanswered = against_peers(seen, chokes)
      if judged == 0 then return nil end
      return unanswered, artifact.place
    end,
  },

  other_types = {
    about   = "inputs near the example answered with another type than by agreeing peers",
    detects = "departs_from_peers",
    peers   = true,
    plan    = peers_plan,
    measure = function(task, artifact, seen)
      local function is_other(own, answer)
        return own.status == "value" and not agree(own, answer) and own.value:type() ~= answer.value:type()
      end
      local judged, others = against_peers(seen, is_other)
      if judged == 0 then return nil end
      return others, artifact.place
    end,
  },
}
