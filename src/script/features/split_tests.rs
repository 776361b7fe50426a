//! Features files of every shape that Lua allows, taken apart or refused by line.

use super::*;

fn helpers(source: &str) -> Vec<Helper> {
    Source::new(&format!("{source}\nreturn {{ a = {{}} }}")).split().expect("a features file").0
}

/// Names and text of each statement.
fn parts(source: &str) -> Vec<(String, String)> {
    helpers(source).into_iter().map(|helper| (helper.names.join(" "), helper.text)).collect()
}

fn part(names: &str, text: &str) -> (String, String) {
    (names.to_owned(), text.to_owned())
}

fn refusal(source: &str) -> (usize, String) {
    let refusal = Source::new(source).split().expect_err("a refusal");
    (refusal.line, refusal.message)
}

/// Names, parameters and text of the values in the only entry.
fn fields(source: &str) -> Vec<(String, Option<String>, String)> {
    let source = Source::new(source);
    let (_, pairs) = source.split().expect("a features file");
    let read = |pair: &Pair| (pair.name.clone(), source.parameters(pair).map(str::to_owned), source.value(pair));
    source.table(&pairs[0]).expect("a table").iter().map(read).collect()
}

#[test]
fn statements_end_where_lua_ends_them() {
    let source = "local a local b, c = 1, f{2}['x'](3)\nlocal d = a and\n  not b or c; local e = -(1)\nlocal g = if a then b else c local h = function() return a end";
    let expected = [
        part("a", "local a"),
        part("b c", "local b, c = 1, f{2}['x'](3)"),
        part("d", "local d = a and\n  not b or c"),
        part("e", "local e = -(1)"),
        part("g", "local g = if a then b else c"),
        part("h", "local h = function() return a end"),
    ];
    assert_eq!(parts(source), expected);
}

#[test]
fn words_in_strings_and_comments_end_nothing() {
    let source = "local a = [==[ end ]] return local x ]==] .. 'end return' .. \"\\\" local\"\nlocal function f() --[[ end ]] -- end\n  for _ in ipairs(a) do if a then repeat until a end end\n  return 'local'\nend";
    let found = parts(source);
    assert_eq!(found.iter().map(|(names, _)| names.as_str()).collect::<Vec<_>>(), ["a", "f"]);
    assert_eq!(found.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n"), source);
}

#[test]
fn a_statement_keeps_the_comments_above_and_beside_it() {
    let source = "-- The file's own head.\n\n-- Of a.\n  -- Also of a.\nlocal a = 1   -- beside a\n-- Of b.\nlocal b = 2\n-- Of nothing.\n\nlocal c = 3 --[[ long\n]] local d = 4";
    let expected = [
        part("a", "-- Of a.\n-- Also of a.\nlocal a = 1   -- beside a"),
        part("b", "-- Of b.\nlocal b = 2"),
        part("c", "local c = 3"),
        part("d", "local d = 4"),
    ];
    assert_eq!(parts(source), expected);
}

#[test]
fn what_composition_cannot_use_is_refused_by_line() {
    let top = "at top level a features file has `local` statements only";
    for (source, line) in [
        ("local a = 1\nfoo()\nreturn {}", 2),
        ("local t = {}\nt.x = 1\nreturn {}", 2),
        ("function f() end return {}", 1),
        ("\nif a then end return {}", 2),
        ("local a = 'x'\ndo end", 2),
        ("local a = ...\nfor i = 1, 2 do end", 2),
    ] {
        assert_eq!(refusal(source), (line, top.to_owned()), "{source}");
    }
    let table = "this must be a table that is written out, `{ name = … }`";
    for source in ["return a", "return {} or {}", "return ({})", "return setup {}", "return"] {
        assert_eq!(refusal(source), (1, table.to_owned()), "{source}");
    }
    for source in ["return { 1 }", "return { a = {},\n ['b'] = {} }", "return { a = }", "return { f() }"] {
        assert_eq!(refusal(source).1, "this table has something other than `name = …`", "{source}");
    }
    assert_eq!(refusal("local a = 1\n"), (1, "returns nothing".to_owned()));
    assert_eq!(refusal(""), (0, "returns nothing".to_owned()));
}

#[test]
fn fields_are_cut_at_their_own_commas() {
    let source = "return {\n  a = {\n    about = 'x, y = {',\n    measure = function(task, artifact)\n      local t = { 1, 2; k = { 3 } }\n      return t[1], f(2, 3)\n    end;\n    plan = plans[1](2, 3), last = if a then b else c,\n  },\n};";
    let measure = "function(task, artifact)\n  local t = { 1, 2; k = { 3 } }\n  return t[1], f(2, 3)\nend";
    let expected = [
        ("about", None, "'x, y = {'"),
        ("measure", Some("task, artifact"), measure),
        ("plan", None, "plans[1](2, 3)"),
        ("last", None, "if a then b else c"),
    ];
    let expected = expected.map(|(name, given, text)| (name.to_owned(), given.map(str::to_owned), text.to_owned()));
    assert_eq!(fields(source), expected);
}

#[test]
fn only_a_whole_function_counts_as_one() {
    for value in ["function() end or function() end", "(function() return f end)()", "f"] {
        assert_eq!(fields(&format!("return {{ a = {{ measure = {value} }} }}"))[0].1, None, "{value}");
    }
}

#[test]
fn an_indent_is_taken_off_lines_and_not_off_strings() {
    let source = "return { a = {\n    measure = function()\n\n      local s = [[\n      kept]]\n   -- less\n      return s\n    end } }";
    assert_eq!(fields(source)[0].2, "function()\n\n  local s = [[\n      kept]]\n-- less\n  return s\nend");
    assert_eq!(shifted("a\n\nb 'x\\\n  y'\n  c", 0, 2), "a\n\n  b 'x\\\n  y'\n    c");
}

#[test]
fn a_name_is_used_unless_it_is_a_field_a_method_or_a_key() {
    let uses = |source: &str| helpers(source).remove(0).uses;
    assert_eq!(
        uses("local f = { key = value, [index] = 'text', other = a.field:method(b) }"),
        ["a", "b", "f", "index", "local", "value"]
    );
    let assigned = uses("local function f() x, key = 1, 2; last = 3 end");
    assert!(["x", "key", "last"].iter().all(|name| assigned.iter().any(|used| used == name)), "{assigned:?}");
}
