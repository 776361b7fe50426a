//! Argument lists near a task's visible example, for plans.

use mlua::{Lua, Table, Value};

use super::{Whole, error, function, pay, strings_of};
use crate::observe::mutate;

/// The most argument lists a script may ask for at once.
const MOST: usize = 200;
/// What one argument list costs, and how many bytes of the examples add one more unit to it.
const FUEL_EACH: usize = 100;
const BYTES_PER_FUEL: usize = 32;

pub(super) fn install(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    function(lua, globals, "", "mutations", |lua, (task, Whole(count)): (Table, Whole)| {
        let count = usize::try_from(count).ok().filter(|count| *count <= MOST);
        let count = count.ok_or_else(|| error(format!("mutations gives 0 to {MOST} argument lists")))?;
        let (examples, id) = example(lua, "mutations", &task, count)?;
        lua.create_sequence_from(mutate::mutations(&examples, &id, count))
    })?;
    function(lua, globals, "", "boundaries", |lua, task: Table| {
        let (examples, id) = example(lua, "boundaries", &task, 8)?;
        lua.create_sequence_from(mutate::boundaries(&examples, &id))
    })
}

/// The task's visible asserts and its id, with the making of `count` argument lists paid for.
fn example(lua: &Lua, function: &str, task: &Table, count: usize) -> mlua::Result<(Vec<String>, String)> {
    let Value::String(id) = task.raw_get::<Value>("id")? else {
        return Err(error(format!("{function} expects a task")));
    };
    let examples = match task.raw_get::<Value>("examples")? {
        Value::Nil => Vec::new(),
        Value::Table(examples) => strings_of(&examples, "task.examples")?,
        _ => return Err(error("task.examples must be a list of strings")),
    };
    let bytes: usize = examples.iter().map(String::len).sum();
    pay(lua, count.max(1) * (FUEL_EACH + bytes / BYTES_PER_FUEL))?;
    Ok((examples, id.to_string_lossy()))
}
