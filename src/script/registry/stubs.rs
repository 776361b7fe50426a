//! The type stubs for editors and `emmylua_check`: LuaCATS annotations of everything in the registry.

use std::fmt::Write as _;

use super::{ENTRIES, Entry, Kind, Member, OWNERS, Owner};

/// The text of `scripts/types/gradus.lua`.
pub fn stubs() -> String {
    let mut text = String::from(
        "---@meta\n\n-- What scripts may call beside plain Lua. Generated from the host's registry: \
         GRADUS_UPDATE=1 cargo test --test script_types\n",
    );
    for owner in OWNERS {
        if owner.kind != Kind::Globals {
            text.push_str(&class(owner));
        }
        for entry in members(owner).filter(|entry| entry.member != Member::Field) {
            text.push_str(&callable(entry));
        }
    }
    text
}

fn members(owner: &Owner) -> impl Iterator<Item = &'static Entry> + use<'_> {
    ENTRIES.iter().filter(|entry| entry.owner == owner.name)
}

fn class(owner: &Owner) -> String {
    let Owner { name, kind, about } = owner;
    let library = if *kind == Kind::Library { "lib" } else { "" };
    let mut text = format!("\n--- {about}\n---@class {name}{library}\n");
    for entry in members(owner).filter(|entry| entry.member == Member::Field) {
        let _ = writeln!(text, "---@field {} {} {}", entry.name, entry.returns.join("|"), entry.about);
    }
    if matches!(owner.name, "Value" | "Rows") {
        text.push_str("---@operator len: integer\n");
    }
    match kind {
        Kind::Library => _ = writeln!(text, "{name} = {{}}"),
        Kind::Class => _ = writeln!(text, "local {name} = {{}}"),
        Kind::Globals | Kind::Shape => {}
    }
    text
}

fn callable(entry: &Entry) -> String {
    let mut text = format!("\n--- {}\n", entry.about);
    for (name, kind) in entry.params {
        let _ = writeln!(text, "---@param {name} {kind}");
    }
    for kind in entry.returns {
        let _ = writeln!(text, "---@return {kind}");
    }
    let names: Vec<&str> = entry.params.iter().map(|(name, _)| name.trim_end_matches('?')).collect();
    let separator = match entry.member {
        _ if entry.owner.is_empty() => "",
        Member::Method => ":",
        _ => ".",
    };
    let _ = writeln!(text, "function {}{separator}{}({}) end", entry.owner, entry.name, names.join(", "));
    text
}
