//! Between the kernel's data and frozen Lua tables.
//!
//! Only plain data crosses: no functions in, and nothing that an op could change for the next one.

use std::collections::HashSet;

use mlua::{Lua, Table, Value};
use serde_json::Value as Json;

use super::host;
use super::trace::with_article;

/// The deepest nesting of a task or an artifact.
const DEPTH: usize = 64;

/// A task as scripts see it: deep-frozen, with `reference` as the only field that depends on who looks.
pub(super) fn task(lua: &Lua, task: &Json, reference: Option<&Json>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for (key, value) in task.as_object().into_iter().flatten() {
        if key != "reference" {
            table.raw_set(key.as_str(), json(lua, value, DEPTH)?)?;
        }
    }
    if let Some(reference) = reference {
        table.raw_set("reference", json(lua, reference, DEPTH)?)?;
    }
    table.set_readonly(true);
    Ok(table)
}

/// JSON as frozen Lua. A null field is absent, a null in a list is `false` so that the list has no hole, and an
/// integer that Lua's numbers cannot hold is its digits.
fn json(lua: &Lua, value: &Json, depth: usize) -> mlua::Result<Value> {
    if depth == 0 {
        return Err(mlua::Error::RuntimeError(format!("the task is nested deeper than {DEPTH}")));
    }
    let table = match value {
        Json::Null => return Ok(Value::Nil),
        Json::Bool(flag) => return Ok(Value::Boolean(*flag)),
        Json::String(text) => return lua.create_string(text).map(Value::String),
        Json::Number(number) => return self::number(lua, number),
        Json::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for item in items {
                table.raw_push(if item.is_null() { Value::Boolean(false) } else { json(lua, item, depth - 1)? })?;
            }
            table
        }
        Json::Object(fields) => {
            let table = lua.create_table_with_capacity(0, fields.len())?;
            for (key, field) in fields {
                table.raw_set(key.as_str(), json(lua, field, depth - 1)?)?;
            }
            table
        }
    };
    table.set_readonly(true);
    Ok(Value::Table(table))
}

fn number(lua: &Lua, number: &serde_json::Number) -> mlua::Result<Value> {
    const EXACT: u64 = 1 << 53;
    let exact = number.is_f64()
        || number.as_u64().is_some_and(|value| value <= EXACT)
        || number.as_i64().is_some_and(|value| value.unsigned_abs() <= EXACT);
    match number.as_f64() {
        Some(value) if exact => Ok(Value::Number(value)),
        _ => lua.create_string(number.to_string()).map(Value::String),
    }
}

/// Freezes an artifact with all its tables, or says what in it cannot be shared between ops.
pub(super) fn freeze(artifact: &Table) -> Result<(), String> {
    let mut seen = HashSet::new();
    let mut waiting = vec![artifact.clone()];
    while let Some(table) = waiting.pop() {
        if !seen.insert(table.to_pointer() as usize) {
            continue;
        }
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair.map_err(|error| super::trace::words(&error))?;
            if !matches!(key, Value::String(_) | Value::Integer(_) | Value::Number(_) | Value::Boolean(_)) {
                return Err(format!("the artifact has {} as a key", with_article(key.type_name())));
            }
            match value {
                Value::Table(inner) => waiting.push(inner),
                Value::String(_) | Value::Integer(_) | Value::Number(_) | Value::Boolean(_) => {}
                Value::UserData(data) if host::is_artifact(&data) => {}
                other => return Err(format!("the artifact holds {}", with_article(other.type_name()))),
            }
        }
        table.set_readonly(true);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_task_keeps_its_fields_and_loses_its_reference() {
        let lua = Lua::new();
        let given =
            json!({"id": "t", "n": 3, "big": 9007199254740993_u64, "list": [1, null, {"a": null}], "reference": 1});
        let table = task(&lua, &given, None).expect("plain data");
        lua.globals().set("task", &table).expect("set");
        let check = "return task.reference == nil and task.n == 3 and task.big == '9007199254740993'
            and task.list[2] == false and #task.list == 3 and next(task.list[3]) == nil
            and not pcall(function() task.n = 4 end) and not pcall(function() task.list[4] = 4 end)";
        assert!(lua.load(check).eval::<bool>().expect("runs"));
        let table = task(&lua, &given, Some(&json!({"answer": 42}))).expect("plain data");
        assert_eq!(table.get::<Table>("reference").and_then(|it| it.get::<u32>("answer")).expect("set"), 42);
    }

    #[test]
    fn an_artifact_is_plain_data_and_then_frozen() {
        let lua = Lua::new();
        let frozen = |source: &str| {
            let table: Table = lua.load(source).eval().expect("a table");
            freeze(&table).map(|()| table.is_readonly())
        };
        assert_eq!(frozen("local t = {a = {1, 'x', true}} t.self = t return t"), Ok(true));
        assert_eq!(frozen("return {f = {function() end}}"), Err("the artifact holds a function".to_owned()));
        assert_eq!(frozen("return {[{}] = 1}"), Err("the artifact has a table as a key".to_owned()));
        assert_eq!(frozen("return {b = buffer.create(1)}"), Err("the artifact holds a buffer".to_owned()));
    }
}
