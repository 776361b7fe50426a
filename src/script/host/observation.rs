//! What came of requests in a script's hands, and how runs are compared and counted.

use std::sync::Arc;

use mlua::{Lua, Table, UserData, UserDataFields, UserDataMethods, Value as LuaValue};

use super::node::Record;
use super::rows::{self, RowsHandle};
use super::value::{ValueHandle, given};
use super::{Handle, closed, error, field, function, handle, list, pay};
use crate::observe::{Observation, Seen, Status, compare};

#[derive(Clone)]
struct ObservationHandle(Arc<Observation>);

impl Handle for ObservationHandle {
    const CLASS: &'static str = "Observation";
}

impl UserData for ObservationHandle {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        field(fields, "status", |_, this: &Self| Ok(word(this.0.status)));
        field(fields, "value", |_, this: &Self| Ok(ValueHandle::of_run(&this.0)));
        field(fields, "rows", |_, this: &Self| Ok(RowsHandle::of_run(&this.0)));
        field(fields, "holds", |_, this: &Self| Ok(this.0.holds));
        field(fields, "error", |lua, this: &Self| {
            let raised = this.0.error.as_ref();
            let record = |raised: &crate::observe::Raised| -> mlua::Result<Table> {
                let record = Record::new(lua)?.with("type", raised.kind.as_str())?;
                Ok(record.with("message", raised.message.as_str())?.frozen())
            };
            raised.map(record).transpose()
        });
        field(fields, "stdout", |lua, this: &Self| lua.create_string(&this.0.stdout));
        field(fields, "args_changed", |_, this: &Self| Ok(this.0.args_changed));
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        closed(methods);
    }
}

/// A status as scripts spell it.
fn word(status: Status) -> &'static str {
    match status {
        Status::Value => "value",
        Status::Exception => "exception",
        Status::Timeout => "timeout",
        Status::Killed => "killed",
        Status::Refused => "refused",
        Status::Opaque => "opaque",
    }
}

/// The observations as `plan` and `check` see them: one entry a request, frozen.
pub(in super::super) fn seen(lua: &Lua, seen: &[Arc<Seen>]) -> mlua::Result<LuaValue> {
    let entries = lua.create_table_with_capacity(seen.len(), 0)?;
    for answer in seen {
        let peers = list(lua, answer.peers.iter().map(|run| ObservationHandle(Arc::clone(run))))?;
        let own = answer.own.as_ref().map(|run| ObservationHandle(Arc::clone(run)));
        entries.raw_push(Record::new(lua)?.with("own", own)?.with("peers", peers)?.frozen())?;
    }
    entries.set_readonly(true);
    Ok(LuaValue::Table(entries))
}

pub(super) fn install(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    function(lua, globals, "", "same", |lua, (a, b): (LuaValue, LuaValue)| {
        pay(lua, 4)?;
        if a.is_nil() || b.is_nil() {
            return Ok(false);
        }
        match (run_of(&a), run_of(&b)) {
            (Some(a), Some(b)) => {
                for rows in [&a, &b].into_iter().filter_map(|run| run.rows.as_ref()) {
                    rows::pay_for(lua, rows)?;
                }
                Ok(same(&a, &b))
            }
            (None, None) => Ok(compare::same(given(&a)?.value(), given(&b)?.value())),
            _ => Err(error("same expects two runs, or two values")),
        }
    })?;
    function(lua, globals, "", "plurality", |lua, runs: Table| {
        let mut keys: Vec<Option<Vec<u8>>> = Vec::new();
        let mut handles = Vec::new();
        for run in runs.sequence_values::<LuaValue>() {
            let run: ObservationHandle = handle(&run?, "each entry of plurality's list")?;
            pay(lua, 16)?;
            run.0.rows.as_ref().map_or(Ok(()), |rows| rows::pay_for(lua, rows))?;
            keys.push(content(&run.0));
            handles.push(run);
        }
        let total = handles.len();
        let Some((first, count)) = most_common(&keys) else { return Ok((None, 0.0, 0)) };
        Ok((Some(handles.swap_remove(first)), count as f64 / total as f64, count))
    })
}

fn run_of(value: &LuaValue) -> Option<Arc<Observation>> {
    let handle = value.as_userdata()?.borrow::<ObservationHandle>().ok()?;
    Some(Arc::clone(&handle.0))
}

/// Whether two runs came to the same: equal values, the same rows in any order, or the same type of exception. Other
/// ends tell nothing.
fn same(a: &Observation, b: &Observation) -> bool {
    if let (Some(a), Some(b)) = (&a.rows, &b.rows) {
        return a.key() == b.key();
    }
    match (&a.value, &b.value) {
        (Some(a), Some(b)) => compare::same(a, b),
        (None, None) if a.rows.is_none() && b.rows.is_none() => match (&a.error, &b.error) {
            (Some(a), Some(b)) => a.kind == b.kind,
            _ => false,
        },
        _ => false,
    }
}

/// What a run came to, as bytes that are equal exactly for runs that are the same; nothing for a run that is the same
/// as no other.
fn content(run: &Observation) -> Option<Vec<u8>> {
    if let Some(rows) = &run.rows {
        return Some([b"r".to_vec(), rows.key()].concat());
    }
    match (&run.value, &run.error) {
        (Some(value), _) => Some([b"v".to_vec(), compare::key(value)].concat()),
        (None, Some(error)) => Some([b"e", error.kind.as_bytes()].concat()),
        (None, None) => None,
    }
}

/// The place of the first of the largest group, and its size; the group that began first wins a tie.
fn most_common(keys: &[Option<Vec<u8>>]) -> Option<(usize, usize)> {
    let mut sizes: std::collections::HashMap<&[u8], (usize, usize)> = std::collections::HashMap::new();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        match key {
            Some(key) => sizes.entry(key).or_insert((at, 0)).1 += 1,
            None => groups.push((at, 1)),
        }
    }
    groups.extend(sizes.into_values());
    groups.into_iter().max_by_key(|(first, size)| (*size, std::cmp::Reverse(*first)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Value;

    #[test]
    fn runs_are_the_same_by_value_or_by_type_of_exception() {
        let value = |value| Observation::value(value);
        assert!(same(&value(Value::int(1)), &value(Value::Float(1.0))));
        assert!(!same(&value(Value::int(1)), &value(Value::int(2))));
        assert!(same(&Observation::exception("KeyError", "a"), &Observation::exception("KeyError", "b")));
        assert!(!same(&Observation::exception("KeyError", "a"), &Observation::exception("TypeError", "a")));
        assert!(!same(&Observation::bare(Status::Timeout), &Observation::bare(Status::Timeout)));
    }

    #[test]
    fn the_group_that_began_first_wins_a_tie() {
        let key = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(most_common(&[]), None);
        assert_eq!(most_common(&[key("b"), key("a"), key("a"), key("b")]), Some((0, 2)));
        assert_eq!(most_common(&[None, None, key("a"), key("a")]), Some((2, 2)));
        assert_eq!(most_common(&[None, key("a")]), Some((0, 1)));
    }
}
