---@meta

-- What scripts may call beside plain Lua. Generated from the host's registry: GRADUS_UPDATE=1 cargo test --test script_types

--- The op's failure class is present: what is wrong, and where in the output.
---@param message string
---@param place? Span|Node
---@return Verdict
function drawback(message, place) end

--- The op looked and found nothing.
---@return Verdict
function clean() end

--- The op has no opinion, and why.
---@param why string
---@return Verdict
function abstain(why) end

--- The place of bytes `first` to `last` of the output's text, as string.find gives them.
---@param first integer
---@param last integer
---@return Span
function span(first, last) end

--- Whether two values are equal by Python's `==` (NaN agrees with NaN), or two runs gave equal values, the same rows in any order, or raised the same type of exception. Nothing is the same as no other.
---@param a Observation|Value|nil
---@param b Observation|Value|nil
---@return boolean
function same(a, b) end

--- The run that most of the list are the same as (the first such on a tie), their share, and their count.
---@param runs Observation[]
---@return Observation?
---@return number
---@return integer
function plurality(runs) end

--- Up to `n` argument lists near the visible example, the same for every output of the task.
---@param task table
---@param n integer
---@return string[]
function mutations(task, n) end

--- Argument lists with an empty, zero or single-element argument, made from the visible example.
---@param task table
---@return string[]
function boundaries(task) end

--- Python source and literals.
---@class pythonlib
python = {}

--- The root node of a Python text. Never fails: see `Node:issues()`. The output's own text is parsed once for all ops.
---@param text string
---@return Node
function python.parse(text) end

--- The value of a Python literal; nothing where the text is none.
---@param text string
---@return Value?
function python.literal(text) end

--- Prose.
---@class textlib
text = {}

--- The sentences of a text.
---@param text string
---@return string[]
function text.sentences(text) end

--- The numerals of a text, with what they mean.
---@param text string
---@return Numeral[]
function text.numerals(text) end

--- The lines of a text, without their ends.
---@param text string
---@return string[]
function text.lines(text) end

--- What `check` returns. Made by `drawback`, `clean` and `abstain` alone.
---@class Verdict
local Verdict = {}

--- A place in a text.
---@class Span
---@field first integer The first byte, from 1.
---@field last integer The last byte.
local Span = {}

--- The text under the span.
---@return string
function Span:text() end

--- The line of its first byte, from 1.
---@return integer
function Span:line() end

--- A node of a Python syntax tree: a lazy view. Nodes compare with `==`. Questions about a scope leave nested functions and classes out unless their reach is `"nested"`.
---@class Node
local Node = {}

--- The grammar's name of the node's kind, such as `function_definition`.
---@return string
function Node:kind() end

--- Whether the node is of that kind.
---@param kind string
---@return boolean
function Node:is(kind) end

--- The node's own text.
---@return string
function Node:text() end

--- Where the node is.
---@return Span
function Node:span() end

--- The line of its start, from 1.
---@return integer
function Node:line() end

--- Its number in the tree, for use as a key; nodes that are equal have one number.
---@return integer
function Node:id() end

--- The node above.
---@return Node?
function Node:parent() end

--- The named nodes directly below, comments left out.
---@return Node[]
function Node:children() end

--- All nodes directly below, punctuation and comments too.
---@return Node[]
function Node:all_children() end

--- The first child under the grammar's field name, such as `body`.
---@param name string
---@return Node?
function Node:field(name) end

--- Whether the other node is this one or below it.
---@param node Node
---@return boolean
function Node:contains(node) end

--- The nodes above, nearest first.
---@return Node[]
function Node:ancestors() end

--- The nodes of a kind in this scope.
---@param kind string
---@param reach? "own"|"nested"
---@return Node[]
function Node:find(kind, reach) end

--- The matches of a tree-sitter query at or below the node; each has its captures by name, the first node of each.
---@param pattern string
---@return table<string, Node>[]
function Node:query(pattern) end

--- What is wrong with the whole text; empty where Python would most likely accept it.
---@return Issue[]
function Node:issues() end

--- Whether there is any issue.
---@return boolean
function Node:has_errors() end

--- The function, lambda, class or module whose scope the node belongs to.
---@return Node
function Node:scope() end

--- The statement that the node is part of, or is.
---@return Node?
function Node:statement() end

--- The functions defined in this scope; methods of a class; not functions nested deeper.
---@return Node[]
function Node:functions() end

--- Every function of the whole text, methods and nested ones too.
---@return Node[]
function Node:all_functions() end

--- The function that the name means once the module has run: the last one defined.
---@param name string
---@return Node?
function Node:find_function(name) end

--- The classes of the module.
---@return Node[]
function Node:classes() end

--- The name of a function, class or keyword argument.
---@return string?
function Node:name() end

--- The parameters of a function or lambda.
---@return Parameter[]
function Node:parameters() end

--- The annotation after `->`.
---@return Node?
function Node:return_type() end

--- The expressions after `@`.
---@return Node[]
function Node:decorators() end

--- The documentation of a function, class or module.
---@return Node?
function Node:docstring() end

--- The statements of a function, class, module or block, without comments and documentation.
---@return Node[]
function Node:body() end

--- Whether the function is defined with `async`.
---@return boolean
function Node:is_async() end

--- Whether the function's body was left to be written.
---@return boolean
function Node:is_placeholder() end

--- Whether the statement is `if __name__ == "__main__":`.
---@return boolean
function Node:is_main_guard() end

--- The `return` statements of a function, not of functions inside it.
---@return Node[]
function Node:returns() end

--- The `yield` expressions of a function.
---@return Node[]
function Node:yields() end

--- What a return, yield, raise, assignment, keyword argument or expression statement carries.
---@return Node?
function Node:value() end

--- The `raise` statements of this scope.
---@param reach? "own"|"nested"
---@return Node[]
function Node:raises(reach) end

--- The `except` clauses of this scope.
---@param reach? "own"|"nested"
---@return Handler[]
function Node:handlers(reach) end

--- The `for` and `while` statements of this scope.
---@param reach? "own"|"nested"
---@return Node[]
function Node:loops(reach) end

--- The expressions that this scope tests.
---@param reach? "own"|"nested"
---@return Node[]
function Node:conditions(reach) end

--- The expression that this statement, clause or conditional expression tests.
---@return Node?
function Node:condition() end

--- The comparisons of this scope, chains taken apart.
---@param reach? "own"|"nested"
---@return Comparison[]
function Node:comparisons(reach) end

--- The calls of this scope; with a name such as `print`, `os.system` or `.sort` (a method of anything), those of it.
---@param name? string
---@param reach? "own"|"nested"
---@return Node[]
function Node:calls(name, reach) end

--- The expression that is called.
---@return Node?
function Node:callee() end

--- The arguments of a call.
---@return Argument[]
function Node:arguments() end

--- The imports of this scope, one for each imported thing.
---@param reach? "own"|"nested"
---@return Import[]
function Node:imports(reach) end

--- The literals of this scope.
---@param reach? "own"|"nested"
---@return Literal[]
function Node:literals(reach) end

--- The node as a literal, if it is one.
---@return Literal?
function Node:literal() end

--- Whether the expression is made of literals alone.
---@return boolean
function Node:is_constant() end

--- Everything in this scope that assigns.
---@param reach? "own"|"nested"
---@return Assignment[]
function Node:assignments(reach) end

--- The names that this scope binds, or where it binds one name.
---@param name? string
---@return Binding[]
function Node:bindings(name) end

--- What binds this definition's name again, later in the same scope.
---@return Binding[]
function Node:rebindings() end

--- The identifiers that this scope reads, or where it reads one name.
---@param name? string
---@param reach? "own"|"nested"
---@return Node[]
function Node:reads(name, reach) end

--- The names that this scope reads, sorted.
---@param reach? "own"|"nested"
---@return string[]
function Node:names_read(reach) end

--- The names that this scope binds, sorted.
---@return string[]
function Node:names_bound() end

--- Whether control can reach the end of the body without a return or raise.
---@return boolean
function Node:falls_through() end

--- Whether every way through the body ends in a raise.
---@return boolean
function Node:always_raises() end

--- The first statement of each block that control cannot reach.
---@param reach? "own"|"nested"
---@return Node[]
function Node:unreachable(reach) end

--- Whether the loop is a `while` that nothing in it leaves.
---@return boolean
function Node:is_endless() end

--- The module's statements that are neither definitions, imports nor documentation.
---@return Node[]
function Node:loose_statements() end

--- The comments of the whole text.
---@return Node[]
function Node:comments() end

--- The expression without the parentheses around it.
---@return Node
function Node:unwrapped() end

--- A Python value: what a run returned, or a literal. `#value` is Python's `len`.
---@class Value
---@operator len: integer
local Value = {}

--- The name that Python's `type` gives: `int`, `list`, `NoneType`.
---@return string
function Value:type() end

--- The text that Python's `repr` gives, shortened where it is long.
---@return string
function Value:repr() end

--- Python's `==`; with a tolerance, numbers of which one is a float are equal within `abs + rel * |other|`.
---@param other Value|string|number|boolean|nil
---@param tolerance? { abs?: number, rel?: number }
---@return boolean
function Value:equals(other, tolerance) end

--- Python's `set(self) == set(other)`; false where either has no hashable items.
---@param other Value|string|number|boolean|nil
---@return boolean
function Value:same_items(other) end

--- The item of a list, tuple, set, string or bytes, from 1; of a dict, the value of its pair.
---@param i integer
---@return Value?
function Value:at(i) end

--- The value of a dict's key.
---@param key Value|string|number|boolean
---@return Value?
function Value:get(key) end

--- The keys of a dict.
---@return Value[]
function Value:keys() end

--- The text of a string.
---@return string?
function Value:text() end

--- The number of an int or float that Lua can hold exactly.
---@return number?
function Value:number() end

--- The truth of a bool.
---@return boolean?
function Value:truth() end

--- Whether it is None.
---@return boolean
function Value:is_none() end

--- One run of one output.
---@class Observation
---@field status "value"|"exception"|"timeout"|"killed"|"refused"|"opaque" How the run ended.
---@field value Value? What was returned; for an assert, what its inner call returned.
---@field rows Rows? What a query came to.
---@field holds boolean? For an assert: whether it holds.
---@field error { type: string, message: string }? What was raised.
---@field stdout string What was printed, capped.
---@field args_changed boolean Whether the call changed an argument.
local Observation = {}

--- What a query came to: named columns and rows in order. `#rows` is their number.
---@class Rows
---@operator len: integer
local Rows = {}

--- The names of the columns.
---@return string[]
function Rows:columns() end

--- A row, from 1, as a tuple of its values.
---@param i integer
---@return Value?
function Rows:at(i) end

--- Whether this result is as good as the other, a gold one, by a rule: `strict` (the default), `spider1` or `spider2`. Nothing where columns are so alike that it would take too long to tell.
---@param other Rows
---@param rule? "strict"|"spider1"|"spider2"
---@param ordered? boolean
---@return boolean?
function Rows:equals(other, rule, ordered) end

--- Columns and first rows as text, shortened where it is long.
---@return string
function Rows:repr() end

--- The answer to one request.
---@class Seen
---@field own Observation? The output's own run.
---@field peers Observation[] The peers' runs, in peer order.

--- Something wrong with a Python text.
---@class Issue
---@field message string What, in a few words.
---@field span Span Where.
---@field line integer Its line, from 1.

--- A numeral in prose.
---@class Numeral
---@field text string The number as written, with its sign.
---@field value number What it means; `12%` is 12.
---@field percent boolean Whether a percent sign or word follows.
---@field unit string? Its currency or unit.
---@field first integer Its first byte in the text.
---@field last integer Its last byte.

--- A parameter of a function.
---@class Parameter
---@field node Node All of it.
---@field name string Its name.
---@field kind string How it takes its argument: `positional_only`, `positional`, `keyword_only`, `star` or `double_star`.
---@field annotation Node? Its annotation.
---@field default Node? Its default.

--- An `except` clause.
---@class Handler
---@field node Node All of it.
---@field exception Node? What it catches.
---@field alias Node? The name after `as`.
---@field body Node Its block.
---@field silent boolean Its body is only `pass` or `...`.

--- A comparison of two operands.
---@class Comparison
---@field node Node The whole chain.
---@field operator string `<`, `==`, `not in`, ...
---@field left Node Left operand.
---@field right Node Right operand.

--- An argument of a call.
---@class Argument
---@field node Node All of it.
---@field name string? The keyword.
---@field value Node The expression.
---@field splat string `*` or `**` in front, else empty.

--- One imported thing.
---@class Import
---@field node Node The statement.
---@field module string The module as written.
---@field name string? What is taken from the module, or `*`.
---@field alias string? The name after `as`.
---@field binds Node? The identifier that ends up bound.

--- A literal.
---@class Literal
---@field node Node All of it.
---@field kind string `integer`, `float`, `complex`, `string`, `bytes`, `formatted`, `boolean`, `none` or `ellipsis`.
---@field value string What it means, escapes resolved.

--- A construct that assigns.
---@class Assignment
---@field node Node All of it.
---@field kind string `plain`, `annotated`, `augmented`, `walrus`, `for`, `comprehension`, `with` or `except`.
---@field targets Node[] What is assigned to.
---@field value Node? The assigned expression.

--- A name bound in a scope.
---@class Binding
---@field name Node The identifier.
---@field by Node What binds it.
