//! A Python value in a script's hands: compared, taken apart and shown, never turned into a Lua table.
//!
//! Lua's numbers lose 2^53+1 and None makes holes, so the value stays where it is and a handle points into it.

use std::sync::Arc;

use mlua::{Lua, Table, UserData, UserDataMethods, Value as LuaValue};

use super::{Handle, Whole, closed, error, handle, list, method, pay};
use crate::observe::{Observation, Value, compare, repr};
use crate::script::trace::clean;

/// Bytes of a shown value: what fits into a message.
const REPR_BYTES: usize = 400;
/// Leaves of a value visited for one unit of fuel.
const LEAVES_PER_FUEL: usize = 16;

/// Where a value is held.
#[derive(Clone)]
enum Origin {
    /// What a run returned.
    Run(Arc<Observation>),
    Made(Arc<Value>),
}

/// A value, or a part of one: the positions to follow from where it is held.
#[derive(Clone)]
pub(in super::super) struct ValueHandle {
    origin: Origin,
    path: Vec<u32>,
}

impl Handle for ValueHandle {
    const CLASS: &'static str = "Value";
}

impl ValueHandle {
    pub fn made(value: Value) -> Self {
        Self { origin: Origin::Made(Arc::new(value)), path: Vec::new() }
    }

    /// The value that a run returned, if it returned one.
    pub fn of_run(run: &Arc<Observation>) -> Option<Self> {
        run.value.as_ref().map(|_| Self { origin: Origin::Run(Arc::clone(run)), path: Vec::new() })
    }

    /// The value itself. A handle's path was followed once when it was made, so it leads somewhere.
    pub fn value(&self) -> &Value {
        let root = match &self.origin {
            Origin::Run(run) => run.value.as_ref().unwrap_or(&Value::None),
            Origin::Made(value) => value,
        };
        self.path.iter().fold(root, |value, at| part(value, *at as usize).unwrap_or(&Value::None))
    }

    pub fn describe(&self) -> String {
        format!("value {}", clean(repr::repr(self.value()).as_bytes(), REPR_BYTES))
    }

    fn below(&self, at: usize) -> Self {
        let mut path = self.path.clone();
        path.push(at as u32);
        Self { origin: self.origin.clone(), path }
    }

    fn at(&self, place: i64) -> Option<Self> {
        let value = self.value();
        let index = place.checked_sub(1).filter(|index| *index >= 0)?;
        let inner = usize::try_from(index).ok()?;
        match part(value, inner) {
            Some(_) => Some(self.below(inner)),
            None => value.at(index).map(|item| Self::made(item.into_owned())),
        }
    }

    fn get(&self, key: &Value) -> Option<Self> {
        let at = self.value().pairs()?.iter().position(|(known, _)| compare::equal(known, key))?;
        Some(self.below(at))
    }

    fn pay(&self, lua: &Lua) -> mlua::Result<()> {
        pay(lua, weight(self.value()) / LEAVES_PER_FUEL)
    }

    fn same_items(&self, lua: &Lua, other: &LuaValue) -> mlua::Result<bool> {
        let other = given(other)?;
        pay(lua, (weight(self.value()) + weight(other.value())) / LEAVES_PER_FUEL)?;
        Ok(compare::set_equal(self.value(), other.value()))
    }

    fn equals(&self, lua: &Lua, other: &LuaValue, tolerance: Option<Table>) -> mlua::Result<bool> {
        let other = given(other)?;
        pay(lua, (weight(self.value()) + weight(other.value())) / LEAVES_PER_FUEL)?;
        let Some(tolerance) = tolerance else { return Ok(compare::equal(self.value(), other.value())) };
        let mut known = 0;
        let mut part = |key: &str| match tolerance.raw_get::<LuaValue>(key)? {
            LuaValue::Nil => Ok(0.0),
            LuaValue::Integer(number) if number >= 0 => Ok({
                known += 1;
                number as f64
            }),
            LuaValue::Number(number) if number >= 0.0 => Ok({
                known += 1;
                number
            }),
            _ => Err(error(format!("equals: `{key}` must be a number that is not negative"))),
        };
        let (abs, rel) = (part("abs")?, part("rel")?);
        if tolerance.pairs::<LuaValue, LuaValue>().count() != known {
            return Err(error("equals: a tolerance is { abs = number, rel = number }"));
        }
        Ok(compare::close(self.value(), other.value(), abs, rel))
    }
}

/// The `at`-th item of a container, counted from 0; of a dict, the value of its pair.
fn part(value: &Value, at: usize) -> Option<&Value> {
    match value.pairs() {
        Some(pairs) => pairs.get(at).map(|(_, value)| value),
        None => value.items()?.get(at),
    }
}

/// How much of a value there is to visit.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Str(bytes) | Value::Bytes(bytes) => 1 + bytes.len() / 64,
        Value::Int(number) => 1 + number.bits() as usize / 256,
        Value::Dict(pairs) => 1 + pairs.iter().map(|(key, value)| weight(key) + weight(value)).sum::<usize>(),
        other => 1 + other.items().map_or(0, |items| items.iter().map(weight).sum()),
    }
}

/// A value that a script names: a handle, or Lua's own string, number, boolean or nothing.
pub(super) fn given(value: &LuaValue) -> mlua::Result<ValueHandle> {
    Ok(match value {
        LuaValue::Nil => ValueHandle::made(Value::None),
        LuaValue::Boolean(flag) => ValueHandle::made(Value::Bool(*flag)),
        LuaValue::Integer(number) => ValueHandle::made(Value::int(*number)),
        LuaValue::Number(number) if number.fract() == 0.0 && number.abs() <= (1_u64 << 53) as f64 => {
            ValueHandle::made(Value::int(*number as i64))
        }
        LuaValue::Number(number) => ValueHandle::made(Value::Float(*number)),
        LuaValue::String(text) => ValueHandle::made(Value::Str(text.as_bytes().to_vec())),
        other => handle(other, "the other value")?,
    })
}

impl UserData for ValueHandle {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        method(methods, "type", |_, this: &Self, ()| Ok(this.value().type_name()));
        method(methods, "repr", |lua, this: &Self, ()| {
            this.pay(lua)?;
            Ok(clean(repr::repr(this.value()).as_bytes(), REPR_BYTES))
        });
        method(methods, "same_items", |lua, this: &Self, other: LuaValue| this.same_items(lua, &other));
        method(methods, "equals", |lua, this: &Self, (other, tolerance): (LuaValue, Option<Table>)| {
            this.equals(lua, &other, tolerance)
        });
        method(methods, "at", |_, this: &Self, Whole(place): Whole| Ok(this.at(place)));
        method(methods, "get", |lua, this: &Self, key: LuaValue| {
            this.pay(lua)?;
            Ok(this.get(given(&key)?.value()))
        });
        method(methods, "keys", |lua, this: &Self, ()| {
            this.pay(lua)?;
            let pairs = this.value().pairs().unwrap_or_default();
            list(lua, pairs.iter().map(|(key, _)| Self::made(key.clone())))
        });
        method(methods, "text", |lua, this: &Self, ()| {
            this.value().text().map(|text| lua.create_string(text)).transpose()
        });
        method(methods, "number", |_, this: &Self, ()| Ok(number(this.value())));
        method(methods, "truth", |_, this: &Self, ()| match this.value() {
            Value::Bool(flag) => Ok(Some(*flag)),
            _ => Ok(None),
        });
        method(methods, "is_none", |_, this: &Self, ()| Ok(matches!(this.value(), Value::None)));
        methods.add_meta_method("__len", |_, this, ()| {
            let missing = || error(format!("a {} has no length", this.value().type_name()));
            this.value().length().ok_or_else(missing)
        });
        closed(methods);
    }
}

/// The number of an int or float, where Lua's numbers hold it exactly.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Int(number) => {
            let small = i64::try_from(number).ok()?;
            (small.unsigned_abs() <= 1 << 53).then_some(small as f64)
        }
        _ => None,
    }
}
