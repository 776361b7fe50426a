//! The host functions: pure questions about texts, trees and observations, and the three verdicts.
//!
//! Handles are lazy views that share what they show; none can be made by a script, changed, or outlive its output.

mod services;
pub(super) mod strings;
mod verdicts;

use std::sync::Arc;

use mlua::{AnyUserData, Lua, Table, UserData, UserDataFields, UserDataMethods, Value};

use super::registry;
use crate::observe::Seen;

pub(super) use services::{Given, Services};
pub(super) use verdicts::verdict_of;

/// Puts the host's functions and libraries among the globals.
pub(super) fn install(lua: &Lua, globals: &Table, services: &Arc<Services>) -> mlua::Result<()> {
    verdicts::install(lua, globals, services)
}

/// The observations as `check` and `plan` see them.
pub(super) fn seen(lua: &Lua, _seen: &[Arc<Seen>]) -> mlua::Result<Value> {
    let table = lua.create_table()?;
    table.set_readonly(true);
    Ok(Value::Table(table))
}

/// A host value that scripts hold.
pub(super) trait Handle: UserData + Send + Sync + 'static {
    /// Its class in the registry.
    const CLASS: &'static str;
}

/// Whether a root may keep the value in its artifact.
pub(super) fn is_artifact(data: &AnyUserData) -> bool {
    data.is::<verdicts::SpanHandle>()
}

/// Adds a listed method.
fn method<T, M, A, R>(
    methods: &mut M,
    name: &'static str,
    body: impl Fn(&Lua, &T, A) -> mlua::Result<R> + Send + 'static,
) where
    T: Handle,
    M: UserDataMethods<T>,
    A: mlua::FromLuaMulti,
    R: mlua::IntoLuaMulti,
{
    methods.add_method(registry::listed(T::CLASS, name).name, body);
}

/// Adds a listed field.
fn field<T, F, R>(fields: &mut F, name: &'static str, body: impl Fn(&Lua, &T) -> mlua::Result<R> + Send + 'static)
where
    T: Handle,
    F: UserDataFields<T>,
    R: mlua::IntoLua,
{
    fields.add_field_method_get(registry::listed(T::CLASS, name).name, body);
}

/// Reading a member that the class does not have is an error that names those it has.
fn closed<T: Handle, M: UserDataMethods<T>>(methods: &mut M) {
    methods.add_meta_method("__index", |_, _, name: Value| -> mlua::Result<Value> {
        let name = name.as_string().map(|name| name.to_string_lossy()).unwrap_or_default();
        let members = registry::members(T::CLASS);
        Err(error(format!("{} has no `{}`; it has {members}", T::CLASS, super::trace::clean(name.as_bytes(), 60))))
    });
}

/// An error in the host's own words; place and frames are added where it is caught.
fn error(message: impl Into<String>) -> mlua::Error {
    mlua::Error::RuntimeError(message.into())
}
