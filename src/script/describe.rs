//! An artifact as a person reads it: for `try`, never for a verdict.

use std::collections::HashSet;

use mlua::{Table, Value};

use super::host;
use super::trace::clean;

/// Entries of a table that are shown, levels of nesting, and bytes of a string.
const ENTRIES: usize = 20;
const DEPTH: usize = 4;
const TEXT_BYTES: usize = 60;

/// The table with its entries in order of their keys, one a line.
pub(super) fn table(table: &Table) -> String {
    let mut text = String::new();
    entries(table, 0, &mut HashSet::new(), &mut text);
    text
}

fn entries(table: &Table, depth: usize, open: &mut HashSet<usize>, text: &mut String) {
    let mut found: Vec<(Value, Value)> = table.pairs::<Value, Value>().filter_map(Result::ok).collect();
    found.sort_by_cached_key(|(key, _)| (key.as_number().map(f64::to_bits), plain(key)));
    let indent = "  ".repeat(depth);
    for (key, value) in found.iter().take(ENTRIES) {
        text.push_str(&format!("{indent}{} = ", plain(key).trim_matches('"')));
        match value {
            Value::Table(inner) if depth < DEPTH && open.insert(inner.to_pointer() as usize) => {
                text.push_str("{\n");
                entries(inner, depth + 1, open, text);
                text.push_str(&format!("{indent}}}\n"));
                open.remove(&(inner.to_pointer() as usize));
            }
            other => text.push_str(&format!("{}\n", plain(other))),
        }
    }
    if found.len() > ENTRIES {
        text.push_str(&format!("{indent}… and {} more\n", found.len() - ENTRIES));
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("{:?}", clean(&text.as_bytes(), TEXT_BYTES)),
        Value::Table(_) => "{…}".to_owned(),
        Value::UserData(data) => host::describe(data),
        other => other.type_name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn entries_are_in_order_and_cycles_end() {
        let lua = mlua::Lua::new();
        let made = lua.load("local t = {b = {2, 'x'}, a = true} t.self = t return t").eval().expect("a table");
        let shown = super::table(&made);
        assert!(shown.starts_with("a = true\nb = {\n  1 = 2\n  2 = \"x\"\n}\nself = {\n"), "{shown}");
        assert!(shown.contains("self = {…}"), "{shown}");
    }
}
