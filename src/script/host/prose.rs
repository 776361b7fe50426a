//! The library `text`: sentences, numerals and lines of prose.

use mlua::{Lua, LuaString, Table};

use super::node::Record;
use super::{error, function, list, pay};
use crate::parse::text::{numerals, sentences};

/// Bytes read for one unit of fuel.
const BYTES_PER_FUEL: usize = 16;

pub(super) fn install(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    let library = lua.create_table()?;
    function(lua, &library, "text", "sentences", |lua, text: LuaString| {
        let text = readable(lua, &text)?;
        list(lua, sentences(&text).iter().map(|span| span.of(&text)))
    })?;
    function(lua, &library, "text", "lines", |lua, text: LuaString| {
        let text = readable(lua, &text)?;
        list(lua, text.lines())
    })?;
    function(lua, &library, "text", "numerals", |lua, text: LuaString| {
        let text = readable(lua, &text)?;
        let records = numerals(&text).into_iter().map(|found| {
            let record = Record::new(lua)?.with("text", found.span.of(&text))?.with("value", found.value)?;
            let record = record.with("percent", found.percent)?.with("unit", found.unit.map(|unit| unit.of(&text)))?;
            Ok(record.with("first", found.span.start + 1)?.with("last", found.span.end)?.frozen())
        });
        list(lua, records.collect::<mlua::Result<Vec<Table>>>()?)
    })?;
    globals.raw_set("text", library)
}

/// The string as text, paid for.
fn readable(lua: &Lua, text: &LuaString) -> mlua::Result<String> {
    let bytes = text.as_bytes();
    pay(lua, bytes.len() / BYTES_PER_FUEL)?;
    String::from_utf8(bytes.to_vec()).map_err(|_| error("expected text, and this is not UTF-8"))
}
