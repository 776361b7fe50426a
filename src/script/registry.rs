//! The closed list of what scripts may call, with types and words; drives registration and the type stubs.
//!
//! A host function that is not listed cannot be registered, and a test finds the listed ones that are not.

use std::fmt::Write as _;

/// What kind of member an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Function,
    Method,
    Field,
}

/// One host function, method or field.
#[derive(Debug)]
pub(super) struct Entry {
    /// The library or class; empty for a global function.
    pub owner: &'static str,
    pub name: &'static str,
    pub member: Member,
    /// Names and LuaCATS types; a name that ends in `?` may be left out.
    pub params: &'static [(&'static str, &'static str)],
    /// LuaCATS types of what it returns, or of the field.
    pub returns: &'static [&'static str],
    pub about: &'static str,
}

/// A library or class, in the order of the stubs.
pub(super) struct Owner {
    pub name: &'static str,
    pub is_class: bool,
    pub about: &'static str,
}

const fn function(
    owner: &'static str,
    name: &'static str,
    params: &'static [(&'static str, &'static str)],
    returns: &'static [&'static str],
    about: &'static str,
) -> Entry {
    Entry { owner, name, member: Member::Function, params, returns, about }
}

const fn method(
    owner: &'static str,
    name: &'static str,
    params: &'static [(&'static str, &'static str)],
    returns: &'static [&'static str],
    about: &'static str,
) -> Entry {
    Entry { owner, name, member: Member::Method, params, returns, about }
}

const fn field(
    owner: &'static str,
    name: &'static str,
    returns: &'static [&'static str],
    about: &'static str,
) -> Entry {
    Entry { owner, name, member: Member::Field, params: &[], returns, about }
}

pub(super) const OWNERS: &[Owner] = &[
    Owner { name: "", is_class: false, about: "" },
    Owner {
        name: "Verdict",
        is_class: true,
        about: "What `check` returns. Made by `drawback`, `clean` and `abstain` alone.",
    },
    Owner { name: "Span", is_class: true, about: "A place in a text." },
];

pub(super) const ENTRIES: &[Entry] = &[
    function(
        "",
        "drawback",
        &[("message", "string"), ("place?", "Span|Node")],
        &["Verdict"],
        "The op's failure class is present: what is wrong, and where in the output.",
    ),
    function("", "clean", &[], &["Verdict"], "The op looked and found nothing."),
    function("", "abstain", &[("why", "string")], &["Verdict"], "The op has no opinion, and why."),
    function(
        "",
        "span",
        &[("first", "integer"), ("last", "integer")],
        &["Span"],
        "The place of bytes `first` to `last` of the output's text, as string.find gives them.",
    ),
    field("Span", "first", &["integer"], "The first byte, from 1."),
    field("Span", "last", &["integer"], "The last byte."),
    method("Span", "text", &[], &["string"], "The text under the span."),
    method("Span", "line", &[], &["integer"], "The line of its first byte, from 1."),
];

/// The entry of a member; every registration goes through here.
pub(super) fn listed(owner: &str, name: &str) -> &'static Entry {
    let found = ENTRIES.iter().find(|entry| entry.owner == owner && entry.name == name);
    // Registration is code, not input: a member without an entry is a mistake of ours, found by any test.
    found.unwrap_or_else(|| panic!("host member `{owner}.{name}` is not in the registry"))
}

/// The names of a class's members, for the error that a wrong one gets.
pub(super) fn members(owner: &str) -> String {
    let names = ENTRIES.iter().filter(|entry| entry.owner == owner).map(|entry| match entry.member {
        Member::Method => format!(":{}()", entry.name),
        _ => format!(".{}", entry.name),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The type stubs for editors and `emmylua_check`: LuaCATS annotations of everything in the registry.
pub fn stubs() -> String {
    let mut text = String::from(
        "---@meta\n-- Generated from the host's registry; a test holds it up to date. What scripts may call beside plain Lua.\n",
    );
    for owner in OWNERS {
        if !owner.name.is_empty() {
            let kind = if owner.is_class { "class" } else { "class lib." };
            let name = format!("{kind} {}", owner.name).replace("lib. ", "lib.");
            let _ = write!(text, "\n--- {}\n---@{name}\n", owner.about);
            let mine = |entry: &&Entry| entry.owner == owner.name && entry.member == Member::Field;
            for entry in ENTRIES.iter().filter(mine) {
                let _ = writeln!(text, "---@field {} {} {}", entry.name, entry.returns.join("|"), entry.about);
            }
            let _ = writeln!(text, "{}{} = {{}}", if owner.is_class { "local " } else { "" }, owner.name);
        }
        let mine = |entry: &&Entry| entry.owner == owner.name && entry.member != Member::Field;
        for entry in ENTRIES.iter().filter(mine) {
            text.push_str(&stub(entry));
        }
    }
    text
}

fn stub(entry: &Entry) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_an_owner_and_a_name_of_its_own() {
        for (at, entry) in ENTRIES.iter().enumerate() {
            assert!(OWNERS.iter().any(|owner| owner.name == entry.owner), "{}", entry.owner);
            let twin = ENTRIES[..at].iter().find(|other| (other.owner, other.name) == (entry.owner, entry.name));
            assert!(twin.is_none(), "{twin:?}");
        }
    }
}
