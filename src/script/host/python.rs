//! The library `python`, and the questions of a node whose answers are records of several parts.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, UserDataMethods, Value};

use super::node::{NodeHandle, Record};
use super::scope::reach;
use super::value::ValueHandle;
use super::{error, function, list, method, pay, services};
use crate::observe::literal;
use crate::parse::python::{Binding, Literal, Parameter, parse};

/// Bytes parsed for one unit of fuel: a text that is not the output's own is parsed for this call alone.
const BYTES_PER_FUEL: usize = 2;

pub(super) fn install(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    let library = lua.create_table()?;
    function(lua, &library, "python", "parse", |lua, text: LuaString| tree_of(lua, &text))?;
    function(lua, &library, "python", "literal", |lua, text: LuaString| {
        let text = text.as_bytes();
        pay(lua, text.len() / BYTES_PER_FUEL)?;
        services(lua)?.hold_tree(text.len());
        let value = std::str::from_utf8(&text).ok().and_then(|text| literal::parse(text).ok());
        Ok(value.map(ValueHandle::made))
    })?;
    globals.raw_set("python", library)
}

/// The root of a text's tree: the shared one for the output's own text.
fn tree_of(lua: &Lua, text: &LuaString) -> mlua::Result<NodeHandle> {
    let bytes = text.as_bytes();
    let given = services(lua)?.document().and_then(|document| document.python);
    if let Some(tree) = given.filter(|tree| tree.source().as_bytes() == &*bytes) {
        return Ok(NodeHandle { id: tree.root(), tree });
    }
    pay(lua, bytes.len() / BYTES_PER_FUEL)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| error("python.parse expects text, and this is not UTF-8"))?;
    services(lua)?.hold_tree(text.len());
    let tree = Arc::new(parse(text));
    Ok(NodeHandle { id: tree.root(), tree })
}

/// Questions with records as answers.
pub(super) fn records<M: UserDataMethods<NodeHandle>>(methods: &mut M) {
    method(methods, "parameters", |lua, this: &NodeHandle, ()| {
        collected(lua, this.tree.parameters(this.id), |part| parameter(lua, this, &part))
    });
    method(methods, "arguments", |lua, this: &NodeHandle, ()| {
        collected(lua, this.tree.arguments(this.id), |part| {
            let record = Record::new(lua)?.with("node", this.at(part.node))?.with("name", part.name)?;
            Ok(record.with("value", this.at(part.value))?.with("splat", part.splat)?.frozen())
        })
    });
    method(methods, "handlers", |lua, this: &NodeHandle, far: Value| {
        this.pay_for_walk(lua)?;
        collected(lua, this.tree.handlers(this.id, reach(&far)?), |part| {
            let record = Record::new(lua)?.with("node", this.at(part.node))?.with("body", this.at(part.body))?;
            let record = record.with("exception", part.exception.map(|id| this.at(id)))?;
            Ok(record.with("alias", part.alias.map(|id| this.at(id)))?.with("silent", part.silent)?.frozen())
        })
    });
    method(methods, "comparisons", |lua, this: &NodeHandle, far: Value| {
        this.pay_for_walk(lua)?;
        collected(lua, this.tree.comparisons(this.id, reach(&far)?), |part| {
            let record = Record::new(lua)?.with("node", this.at(part.node))?.with("operator", part.operator)?;
            Ok(record.with("left", this.at(part.left))?.with("right", this.at(part.right))?.frozen())
        })
    });
    method(methods, "imports", |lua, this: &NodeHandle, far: Value| {
        this.pay_for_walk(lua)?;
        collected(lua, this.tree.imports(this.id, reach(&far)?), |part| {
            let record = Record::new(lua)?.with("node", this.at(part.node))?.with("module", part.module)?;
            let record = record.with("name", part.name)?.with("alias", part.alias)?;
            Ok(record.with("binds", part.binds.map(|id| this.at(id)))?.frozen())
        })
    });
    method(methods, "literals", |lua, this: &NodeHandle, far: Value| {
        this.pay_for_walk(lua)?;
        collected(lua, this.tree.literals(this.id, reach(&far)?), |part| literal_record(lua, this, &part))
    });
    method(methods, "literal", |lua, this: &NodeHandle, ()| {
        this.pay_for_walk(lua)?;
        this.tree.literal(this.id).map(|part| literal_record(lua, this, &part)).transpose()
    });
    method(methods, "assignments", |lua, this: &NodeHandle, far: Value| {
        this.pay_for_walk(lua)?;
        collected(lua, this.tree.assignments(this.id, reach(&far)?), |part| {
            let record = Record::new(lua)?.with("node", this.at(part.node))?.with("kind", part.kind.as_str())?;
            let record = record.with("targets", this.list(lua, part.targets)?)?;
            Ok(record.with("value", part.value.map(|id| this.at(id)))?.frozen())
        })
    });
    method(methods, "bindings", |lua, this: &NodeHandle, name: Option<String>| {
        this.pay_for_walk(lua)?;
        let found = match &name {
            Some(name) => this.tree.bindings_of(this.id, name),
            None => this.tree.bindings(this.id),
        };
        collected(lua, found, |part| binding(lua, this, &part))
    });
    method(methods, "rebindings", |lua, this: &NodeHandle, ()| {
        this.pay_for_tree(lua)?;
        collected(lua, this.tree.rebindings(this.id), |part| binding(lua, this, &part))
    });
}

/// A frozen list of records.
fn collected<T>(
    lua: &Lua,
    parts: impl IntoIterator<Item = T>,
    record: impl Fn(T) -> mlua::Result<Table>,
) -> mlua::Result<Table> {
    let records = parts.into_iter().map(record).collect::<mlua::Result<Vec<_>>>()?;
    list(lua, records)
}

fn parameter(lua: &Lua, this: &NodeHandle, part: &Parameter) -> mlua::Result<Table> {
    let record = Record::new(lua)?.with("node", this.at(part.node))?.with("name", this.tree.text(part.name))?;
    let record = record.with("kind", part.kind.as_str())?;
    let record = record.with("annotation", part.annotation.map(|id| this.at(id)))?;
    Ok(record.with("default", part.default.map(|id| this.at(id)))?.frozen())
}

fn literal_record(lua: &Lua, this: &NodeHandle, part: &Literal) -> mlua::Result<Table> {
    let record = Record::new(lua)?.with("node", this.at(part.node))?.with("kind", part.kind.as_str())?;
    Ok(record.with("value", part.value.as_str())?.frozen())
}

fn binding(lua: &Lua, this: &NodeHandle, part: &Binding) -> mlua::Result<Table> {
    Ok(Record::new(lua)?.with("name", this.at(part.name))?.with("by", this.at(part.by))?.frozen())
}
