//! String searches in linear time, in place of Luau's, which take the product of both lengths without a safepoint.

use std::sync::Arc;

use memchr::memmem;
use mlua::{Lua, LuaString, Table, Value};

use super::{Services, error};

/// Bytes searched for one unit of fuel.
const BYTES_PER_FUEL: usize = 256;

/// Adds `find` and `split` to the prelude's natives.
pub(in super::super) fn install(lua: &Lua, native: &Table, services: &Arc<Services>) -> mlua::Result<()> {
    let meter = Arc::clone(services);
    let find = lua.create_function(
        move |_, (text, pattern, from, plain): (LuaString, LuaString, Option<f64>, Option<Value>)| {
            let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
            let plain = plain.is_some_and(|plain| !matches!(plain, Value::Nil | Value::Boolean(false)));
            if !plain && pattern.iter().any(|byte| b"^$*+?.([%-".contains(byte)) {
                return Ok((Value::Boolean(false), None));
            }
            meter.gauge.spend((text.len() / BYTES_PER_FUEL) as u64)?;
            let Some(start) = start(text.len(), from) else { return Ok((Value::Nil, None)) };
            Ok(match memmem::find(&text[start..], &pattern) {
                Some(found) => {
                    let first = start + found;
                    (Value::Number((first + 1) as f64), Some((first + pattern.len()) as f64))
                }
                None => (Value::Nil, None),
            })
        },
    )?;
    native.set("find", find)?;

    let meter = Arc::clone(services);
    let split = lua.create_function(move |lua, (text, separator): (LuaString, Option<LuaString>)| {
        let text = text.as_bytes();
        let separator = separator.map_or(b",".to_vec(), |separator| separator.as_bytes().to_vec());
        if separator.is_empty() {
            return Err(error("string.split needs a separator"));
        }
        meter.gauge.spend((text.len() / BYTES_PER_FUEL) as u64)?;
        let parts = lua.create_table()?;
        let mut from = 0;
        for at in memmem::find_iter(&text, &separator) {
            meter.gauge.spend(1)?;
            parts.raw_push(lua.create_string(&text[from..at])?)?;
            from = at + separator.len();
        }
        parts.raw_push(lua.create_string(&text[from..])?)?;
        Ok(parts)
    })?;
    native.set("split", split)
}

/// Where a search starts, by Lua's rules for `init`; none past the end.
fn start(length: usize, from: Option<f64>) -> Option<usize> {
    let from = from.unwrap_or(1.0);
    let start = if from < 0.0 { (length as f64 + from).max(0.0) } else { (from - 1.0).max(0.0) };
    (start <= length as f64).then_some(start as usize)
}

#[cfg(test)]
mod tests {
    use super::start;

    #[test]
    fn searches_start_where_lua_says() {
        assert_eq!(start(5, None), Some(0));
        assert_eq!(start(5, Some(2.0)), Some(1));
        assert_eq!(start(5, Some(6.0)), Some(5));
        assert_eq!(start(5, Some(7.0)), None);
        assert_eq!(start(5, Some(-2.0)), Some(3));
        assert_eq!(start(5, Some(-9.0)), Some(0));
        assert_eq!(start(5, Some(f64::NAN)), Some(0));
    }
}
