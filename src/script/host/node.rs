//! A node of a Python tree in a script's hands: where it is, what is around it, and queries.
//!
//! What it means is asked in `scope.rs` (its scope) and `python.rs` (its records).

use std::sync::Arc;

use mlua::{IntoLua, Lua, LuaString, Table, UserData, UserDataMethods, Value};

use super::verdicts::SpanHandle;
use super::{Handle, closed, error, handle, list, method, pay, python, scope, services};
use crate::parse::python::{NodeId, Tree};

/// A place in a shared tree.
#[derive(Clone)]
pub(in super::super) struct NodeHandle {
    pub tree: Arc<Tree>,
    pub id: NodeId,
}

/// Nodes visited for one unit of fuel.
const NODES_PER_FUEL: usize = 16;
/// Bytes copied for one unit of fuel.
const BYTES_PER_FUEL: usize = 256;

impl Handle for NodeHandle {
    const CLASS: &'static str = "Node";
}

impl NodeHandle {
    /// Another node of the same tree.
    pub fn at(&self, id: NodeId) -> Self {
        Self { tree: Arc::clone(&self.tree), id }
    }

    /// Nodes of the same tree as a frozen list.
    pub fn list(&self, lua: &Lua, ids: impl IntoIterator<Item = NodeId>) -> mlua::Result<Table> {
        list(lua, ids.into_iter().map(|id| self.at(id)))
    }

    pub fn span(&self) -> SpanHandle {
        SpanHandle { text: Arc::clone(self.tree.source()), span: self.tree.span(self.id) }
    }

    pub fn describe(&self) -> String {
        format!("node {} at line {}", self.tree.kind(self.id), self.tree.line(self.id))
    }

    /// Pays for a walk of everything below the node.
    pub fn pay_for_walk(&self, lua: &Lua) -> mlua::Result<()> {
        pay(lua, self.tree.subtree(self.id).len() / NODES_PER_FUEL)
    }

    /// Pays for a walk of the whole tree.
    pub fn pay_for_tree(&self, lua: &Lua) -> mlua::Result<()> {
        pay(lua, self.tree.len() as usize / NODES_PER_FUEL)
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tree, &other.tree) && self.id == other.id
    }

    fn text(&self, lua: &Lua) -> mlua::Result<LuaString> {
        let text = self.tree.text(self.id);
        pay(lua, text.len() / BYTES_PER_FUEL)?;
        lua.create_string(text)
    }

    fn query(&self, lua: &Lua, pattern: &str) -> mlua::Result<Table> {
        let query = services(lua)?.query(pattern)?;
        self.pay_for_tree(lua)?;
        self.pay_for_walk(lua)?;
        let found = query.captures(&self.tree, self.id).map_err(|refused| error(refused.to_string()))?;
        pay(lua, found.len())?;
        let matches = lua.create_table_with_capacity(found.len(), 0)?;
        for hit in &found {
            let captures = lua.create_table_with_capacity(0, hit.captures.len())?;
            for (name, id) in hit.captures.iter().rev() {
                captures.raw_set(*name, self.at(*id))?;
            }
            captures.set_readonly(true);
            matches.raw_push(captures)?;
        }
        matches.set_readonly(true);
        Ok(matches)
    }

    fn issues(&self, lua: &Lua) -> mlua::Result<Table> {
        let issues = self.tree.issues().iter().map(|issue| {
            let table = lua.create_table()?;
            table.raw_set("message", issue.message.as_str())?;
            table.raw_set("span", SpanHandle { text: Arc::clone(self.tree.source()), span: issue.span })?;
            table.raw_set("line", issue.line)?;
            table.set_readonly(true);
            Ok(table)
        });
        list(lua, issues.collect::<mlua::Result<Vec<_>>>()?)
    }
}

impl UserData for NodeHandle {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        method(methods, "kind", |_, this: &Self, ()| Ok(this.tree.kind(this.id)));
        method(methods, "is", |_, this: &Self, kind: LuaString| {
            Ok(this.tree.kind(this.id).as_bytes() == &*kind.as_bytes())
        });
        method(methods, "text", |lua, this: &Self, ()| this.text(lua));
        method(methods, "span", |_, this: &Self, ()| Ok(this.span()));
        method(methods, "line", |_, this: &Self, ()| Ok(this.tree.line(this.id)));
        method(methods, "id", |_, this: &Self, ()| Ok(this.id));
        method(methods, "query", |lua, this: &Self, pattern: String| this.query(lua, &pattern));
        method(methods, "issues", |lua, this: &Self, ()| this.issues(lua));
        method(methods, "has_errors", |_, this: &Self, ()| Ok(this.tree.has_errors()));
        around(methods);
        scope::questions(methods);
        python::records(methods);
        methods.add_meta_method("__eq", |_, this, other: Value| {
            let other = other.as_userdata().and_then(|data| data.borrow::<Self>().ok());
            Ok(other.is_some_and(|other| this.is_same(&other)))
        });
        closed(methods);
    }
}

/// The ways from a node to others.
fn around<M: UserDataMethods<NodeHandle>>(methods: &mut M) {
    method(methods, "parent", |_, this: &NodeHandle, ()| Ok(this.tree.parent(this.id).map(|id| this.at(id))));
    method(methods, "children", |lua, this: &NodeHandle, ()| this.list(lua, this.tree.named_children(this.id)));
    method(methods, "all_children", |lua, this: &NodeHandle, ()| this.list(lua, this.tree.children(this.id)));
    method(methods, "ancestors", |lua, this: &NodeHandle, ()| this.list(lua, this.tree.ancestors(this.id)));
    method(methods, "field", |_, this: &NodeHandle, name: String| {
        Ok(this.tree.field(this.id, &name).map(|id| this.at(id)))
    });
    method(methods, "contains", |_, this: &NodeHandle, other: Value| {
        let other: NodeHandle = handle(&other, "contains: its argument")?;
        Ok(Arc::ptr_eq(&this.tree, &other.tree) && this.tree.contains(this.id, other.id))
    });
    method(methods, "find", |lua, this: &NodeHandle, (kind, reach): (String, Value)| {
        this.pay_for_walk(lua)?;
        let reach = scope::reach(&reach)?;
        this.list(lua, this.tree.find(this.id, reach, &kind))
    });
}

/// A frozen record of named things about a tree.
pub(super) struct Record<'l> {
    lua: &'l Lua,
    table: Table,
}

impl<'l> Record<'l> {
    pub fn new(lua: &'l Lua) -> mlua::Result<Self> {
        Ok(Self { lua, table: lua.create_table()? })
    }

    pub fn with(self, name: &str, value: impl IntoLua) -> mlua::Result<Self> {
        self.table.raw_set(name, value.into_lua(self.lua)?)?;
        Ok(self)
    }

    pub fn frozen(self) -> Table {
        self.table.set_readonly(true);
        self.table
    }
}
