//! The host functions: pure questions about texts, trees and observations, and the three verdicts.
//!
//! Handles are lazy views that share what they show; none can be made by a script, changed, or outlive its output.
//! Work is paid for in fuel before it is done, so that no function is a way around the limits.

mod services;
pub(super) mod strings;
mod verdicts;
mod node;
mod scope;
mod python;
mod value;
mod observation;
mod rows;
mod inputs;
mod prose;

use std::sync::Arc;

use mlua::{
    AnyUserData, FromLua, FromLuaMulti, IntoLua, IntoLuaMulti, Lua, Table, UserData, UserDataFields, UserDataMethods,
    Value,
};

use super::registry;

pub(super) use observation::seen;
pub(super) use services::{Queries, Services};
pub(super) use verdicts::verdict_of;

/// Puts the host's functions and libraries among the globals.
pub(super) fn install(lua: &Lua, globals: &Table, services: &Arc<Services>) -> mlua::Result<()> {
    lua.set_app_data(Arc::clone(services));
    verdicts::install(lua, globals)?;
    observation::install(lua, globals)?;
    inputs::install(lua, globals)?;
    python::install(lua, globals)?;
    prose::install(lua, globals)
}

/// A host value that scripts hold.
trait Handle: UserData + Send + Sync + 'static {
    /// Its class in the registry.
    const CLASS: &'static str;
}

/// Whether a root may keep the value in its artifact.
pub(super) fn is_artifact(data: &AnyUserData) -> bool {
    data.is::<verdicts::SpanHandle>() || data.is::<node::NodeHandle>() || data.is::<value::ValueHandle>()
}

/// A handle in a few words, for a person.
pub(super) fn describe(data: &AnyUserData) -> String {
    if let Ok(node) = data.borrow::<node::NodeHandle>() {
        return node.describe();
    }
    if let Ok(value) = data.borrow::<value::ValueHandle>() {
        return value.describe();
    }
    let span = data.borrow::<verdicts::SpanHandle>();
    span.map_or_else(|_| "a host value".to_owned(), |span| span.describe())
}

/// Adds a listed function to a table of globals or of a library.
fn function<A, R>(
    lua: &Lua,
    table: &Table,
    owner: &str,
    name: &str,
    body: impl Fn(&Lua, A) -> mlua::Result<R> + Send + 'static,
) -> mlua::Result<()>
where
    A: FromLuaMulti,
    R: IntoLuaMulti,
{
    table.raw_set(registry::listed(owner, name).name, lua.create_function(body)?)
}

/// Adds a listed method.
fn method<T, M, A, R>(methods: &mut M, name: &str, body: impl Fn(&Lua, &T, A) -> mlua::Result<R> + Send + 'static)
where
    T: Handle,
    M: UserDataMethods<T>,
    A: FromLuaMulti,
    R: IntoLuaMulti,
{
    methods.add_method(registry::listed(T::CLASS, name).name, body);
}

/// Adds a listed field.
fn field<T, F, R>(fields: &mut F, name: &str, body: impl Fn(&Lua, &T) -> mlua::Result<R> + Send + 'static)
where
    T: Handle,
    F: UserDataFields<T>,
    R: IntoLua,
{
    fields.add_field_method_get(registry::listed(T::CLASS, name).name, body);
}

/// Reading a member that the class does not have is an error that names those it has; none can be written.
fn closed<T: Handle, M: UserDataMethods<T>>(methods: &mut M) {
    methods.add_meta_method("__index", |_, _, name: Value| -> mlua::Result<Value> {
        let name = name.as_string().map(|name| name.to_string_lossy()).unwrap_or_default();
        let (class, name) = (T::CLASS, super::trace::clean(name.as_bytes(), 60));
        match registry::members(class).join(", ") {
            members if members.is_empty() => Err(error(format!("a {class} is to be returned, and has no `{name}`"))),
            members => Err(error(format!("{class} has no `{name}`; it has {members}"))),
        }
    });
    methods.add_meta_method("__newindex", |_, _, _: (Value, Value)| -> mlua::Result<()> {
        Err(error(format!("a {} cannot be changed", T::CLASS)))
    });
    methods.add_meta_method("__tostring", |_, _, ()| Ok(T::CLASS));
}

/// The machine's services, from inside a host function.
fn services(lua: &Lua) -> mlua::Result<Arc<Services>> {
    let found = lua.app_data_ref::<Arc<Services>>().map(|services| Arc::clone(&services));
    found.ok_or_else(|| error("the host is gone"))
}

/// Pays for work about to be done.
fn pay(lua: &Lua, amount: usize) -> mlua::Result<()> {
    match lua.app_data_ref::<Arc<Services>>() {
        Some(services) => services.gauge.spend(amount as u64),
        None => Err(error("the host is gone")),
    }
}

/// A frozen list.
fn list<T: IntoLua>(lua: &Lua, items: impl IntoIterator<Item = T>) -> mlua::Result<Table> {
    let table = lua.create_sequence_from(items)?;
    table.set_readonly(true);
    Ok(table)
}

/// A list of strings that a script gave.
fn strings_of(list: &Table, what: &str) -> mlua::Result<Vec<String>> {
    let wrong = || error(format!("{what} must be a list of strings"));
    list.sequence_values::<Value>()
        .map(|item| match item {
            Ok(Value::String(text)) => text.to_str().map(|text| text.to_owned()).map_err(|_| wrong()),
            _ => Err(wrong()),
        })
        .collect()
}

/// An argument that is a handle of one class, or an error in the words of the script's author.
fn handle<T: Handle + Clone>(value: &Value, what: &str) -> mlua::Result<T> {
    let found = value.as_userdata().and_then(|data| data.borrow::<T>().ok()).map(|handle| handle.clone());
    found.ok_or_else(|| {
        let got = super::trace::with_article(value.type_name());
        error(format!("{what} must be a {}, not {got}", T::CLASS))
    })
}

/// A whole number that a script gave.
struct Whole(i64);

impl FromLua for Whole {
    fn from_lua(value: Value, _: &Lua) -> mlua::Result<Self> {
        let number = match value {
            Value::Integer(number) => return Ok(Self(number)),
            Value::Number(number) => number,
            other => {
                return Err(error(format!(
                    "expected a whole number, got {}",
                    super::trace::with_article(other.type_name())
                )));
            }
        };
        let whole = number.fract() == 0.0 && number.abs() <= (1_u64 << 53) as f64;
        if whole { Ok(Self(number as i64)) } else { Err(error(format!("expected a whole number, got {number}"))) }
    }
}

/// An error in the host's own words; place and frames are added where it is caught.
fn error(message: impl Into<String>) -> mlua::Error {
    mlua::Error::RuntimeError(message.into())
}
