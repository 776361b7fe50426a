//! What a query came to in a script's hands: counted, taken apart row by row, and compared by a rule.
//!
//! The result stays in its observation, and the handle points there.

use std::sync::Arc;

use mlua::{Lua, UserData, UserDataMethods, Value as LuaValue};

use super::value::{ValueHandle, weight};
use super::{Handle, Whole, closed, error, handle, list, method, pay};
use crate::observe::rows::Rule;
use crate::observe::{Observation, Rows, Value};
use crate::script::trace::clean;

/// Rows and bytes of a shown result.
const REPR_ROWS: usize = 5;
const REPR_BYTES: usize = 400;
/// Cells visited for one unit of fuel.
const CELLS_PER_FUEL: usize = 8;

static NO_ROWS: Rows = Rows { columns: Vec::new(), rows: Vec::new() };

#[derive(Clone)]
pub(super) struct RowsHandle(Arc<Observation>);

impl Handle for RowsHandle {
    const CLASS: &'static str = "Rows";
}

impl RowsHandle {
    /// The rows of a run, if it came to rows.
    pub fn of_run(run: &Arc<Observation>) -> Option<Self> {
        run.rows.as_ref().map(|_| Self(Arc::clone(run)))
    }

    /// Of an observation with rows alone is there a handle.
    fn rows(&self) -> &Rows {
        self.0.rows.as_ref().unwrap_or(&NO_ROWS)
    }

    fn equals(
        &self,
        lua: &Lua,
        other: &LuaValue,
        rule: Option<&str>,
        ordered: Option<bool>,
    ) -> mlua::Result<Option<bool>> {
        let other: Self = handle(other, "equals: the other result")?;
        let rule = Rule::named(rule.unwrap_or("strict"), ordered).map_err(|why| error(format!("equals: {why}")))?;
        pay_for(lua, self.rows())?;
        pay_for(lua, other.rows())?;
        Ok(rule.holds(self.rows(), other.rows()))
    }
}

/// Pays for a look at every cell.
pub(super) fn pay_for(lua: &Lua, rows: &Rows) -> mlua::Result<()> {
    pay(lua, 1 + rows.rows.iter().flatten().map(weight).sum::<usize>() / CELLS_PER_FUEL)
}

impl UserData for RowsHandle {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        method(methods, "columns", |lua, this: &Self, ()| {
            pay(lua, this.rows().columns.len())?;
            list(lua, this.rows().columns.iter().map(String::as_str))
        });
        method(methods, "at", |lua, this: &Self, Whole(place): Whole| {
            let index = place.checked_sub(1).and_then(|index| usize::try_from(index).ok());
            let Some(row) = index.and_then(|index| this.rows().rows.get(index)) else { return Ok(None) };
            pay(lua, 1 + row.iter().map(weight).sum::<usize>() / CELLS_PER_FUEL)?;
            Ok(Some(ValueHandle::made(Value::Tuple(row.clone()))))
        });
        method(
            methods,
            "equals",
            |lua, this: &Self, (other, rule, ordered): (LuaValue, Option<String>, Option<bool>)| {
                this.equals(lua, &other, rule.as_deref(), ordered)
            },
        );
        method(methods, "repr", |lua, this: &Self, ()| {
            pay(
                lua,
                1 + this.rows().rows.iter().take(REPR_ROWS).flatten().map(weight).sum::<usize>() / CELLS_PER_FUEL,
            )?;
            Ok(clean(this.rows().repr(REPR_ROWS).as_bytes(), REPR_BYTES))
        });
        methods.add_meta_method("__len", |_, this, ()| Ok(this.rows().rows.len()));
        closed(methods);
    }
}
