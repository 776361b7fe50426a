//! Questions of a node whose answers are nodes, names, or yes and no. Each walks some of the tree and pays for it.

use mlua::{UserDataMethods, Value};

use super::node::NodeHandle;
use super::{error, list, method};
use crate::parse::python::{NodeId, Reach, Tree};

/// How far a question goes: `"own"`, which is what nothing means, or `"nested"`.
pub(super) fn reach(value: &Value) -> mlua::Result<Reach> {
    match value {
        Value::Nil => Ok(Reach::Own),
        Value::String(word) if word == "own" => Ok(Reach::Own),
        Value::String(word) if word == "nested" => Ok(Reach::Nested),
        _ => Err(error("the reach must be \"own\" or \"nested\"")),
    }
}

pub(super) fn questions<M: UserDataMethods<NodeHandle>>(methods: &mut M) {
    nodes(methods, "body", |tree, id| tree.body(id));
    nodes(methods, "classes", |tree, _| tree.classes());
    nodes(methods, "all_functions", |tree, _| tree.all_functions());
    nodes(methods, "functions", |tree, id| if id == tree.root() { tree.functions() } else { tree.functions_in(id) });
    nodes(methods, "decorators", |tree, id| tree.decorators(id));
    nodes(methods, "returns", |tree, id| tree.returns(id));
    nodes(methods, "yields", |tree, id| tree.yields(id));
    nodes(methods, "loose_statements", |tree, _| tree.loose_statements());
    nodes(methods, "comments", |tree, _| tree.comments());

    reaching(methods, "raises", |tree, id, reach| tree.raises(id, reach));
    reaching(methods, "loops", |tree, id, reach| tree.loops(id, reach));
    reaching(methods, "conditions", |tree, id, reach| tree.conditions(id, reach));
    reaching(methods, "unreachable", |tree, id, reach| tree.unreachable(id, reach));

    node(methods, "docstring", |tree, id| tree.docstring(id));
    node(methods, "return_type", |tree, id| tree.return_type(id));
    node(methods, "value", |tree, id| tree.value(id));
    node(methods, "condition", |tree, id| tree.condition(id));
    node(methods, "callee", |tree, id| tree.callee(id));
    node(methods, "statement", |tree, id| tree.statement_of(id));
    node(methods, "scope", |tree, id| Some(tree.scope_of(id)));
    node(methods, "unwrapped", |tree, id| Some(tree.unwrapped(id)));

    fact(methods, "is_async", |tree, id| tree.is_async(id));
    fact(methods, "is_placeholder", |tree, id| tree.is_placeholder(id));
    fact(methods, "is_main_guard", |tree, id| tree.is_main_guard(id));
    fact(methods, "is_constant", |tree, id| tree.is_constant(id));
    fact(methods, "is_endless", |tree, id| tree.is_endless(id));
    fact(methods, "falls_through", |tree, id| tree.falls_through(id));
    fact(methods, "always_raises", |tree, id| tree.always_raises(id));

    named(methods);
}

/// Questions about names.
fn named<M: UserDataMethods<NodeHandle>>(methods: &mut M) {
    method(methods, "name", |lua, this: &NodeHandle, ()| {
        this.tree.name(this.id).map(|name| lua.create_string(name)).transpose()
    });
    method(methods, "find_function", |lua, this: &NodeHandle, name: String| {
        this.pay_for_tree(lua)?;
        Ok(this.tree.function(&name).map(|id| this.at(id)))
    });
    method(methods, "calls", |lua, this: &NodeHandle, (name, reach): (Option<String>, Value)| {
        this.pay_for_walk(lua)?;
        let reach = self::reach(&reach)?;
        this.list(lua, this.tree.calls(this.id, name.as_deref(), reach))
    });
    method(methods, "reads", |lua, this: &NodeHandle, (name, reach): (Option<String>, Value)| {
        this.pay_for_walk(lua)?;
        let reach = self::reach(&reach)?;
        match name {
            Some(name) => this.list(lua, this.tree.uses(this.id, &name, reach)),
            None => this.list(lua, this.tree.reads(this.id, reach)),
        }
    });
    method(methods, "names_read", |lua, this: &NodeHandle, reach: Value| {
        this.pay_for_walk(lua)?;
        list(lua, this.tree.names_read(this.id, self::reach(&reach)?))
    });
    method(methods, "names_bound", |lua, this: &NodeHandle, ()| {
        this.pay_for_walk(lua)?;
        list(lua, this.tree.names_bound(this.id))
    });
}

type Asked<R> = fn(&Tree, NodeId) -> R;

fn nodes<M: UserDataMethods<NodeHandle>>(methods: &mut M, name: &str, ask: Asked<Vec<NodeId>>) {
    let whole_tree = matches!(name, "classes" | "all_functions" | "loose_statements" | "comments");
    method(methods, name, move |lua, this: &NodeHandle, ()| {
        if whole_tree {
            this.pay_for_tree(lua)?
        } else {
            this.pay_for_walk(lua)?
        }
        this.list(lua, ask(&this.tree, this.id))
    });
}

fn reaching<M: UserDataMethods<NodeHandle>>(methods: &mut M, name: &str, ask: fn(&Tree, NodeId, Reach) -> Vec<NodeId>) {
    method(methods, name, move |lua, this: &NodeHandle, reach: Value| {
        this.pay_for_walk(lua)?;
        this.list(lua, ask(&this.tree, this.id, self::reach(&reach)?))
    });
}

fn node<M: UserDataMethods<NodeHandle>>(methods: &mut M, name: &str, ask: Asked<Option<NodeId>>) {
    method(methods, name, move |_, this: &NodeHandle, ()| Ok(ask(&this.tree, this.id).map(|id| this.at(id))));
}

fn fact<M: UserDataMethods<NodeHandle>>(methods: &mut M, name: &str, ask: Asked<bool>) {
    method(methods, name, move |lua, this: &NodeHandle, ()| {
        this.pay_for_walk(lua)?;
        Ok(ask(&this.tree, this.id))
    });
}
