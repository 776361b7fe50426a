//! The closed list of what scripts may call, with types and words; drives registration and the type stubs.
//!
//! A host function that is not listed cannot be registered, and a test finds the listed ones that are not.

mod entries;
mod stubs;

pub(super) use entries::{ENTRIES, OWNERS};
pub use stubs::stubs;

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
    /// The library, class or shape; empty for a global function.
    pub owner: &'static str,
    pub name: &'static str,
    pub member: Member,
    /// Names and LuaCATS types; a name that ends in `?` may be left out.
    pub params: &'static [(&'static str, &'static str)],
    /// LuaCATS types of what it returns, or of the field.
    pub returns: &'static [&'static str],
    pub about: &'static str,
}

/// What owns members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Globals,
    Library,
    /// Handles of the host.
    Class,
    /// Plain frozen tables.
    Shape,
}

/// Something with members, in the order of the stubs.
pub(super) struct Owner {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
}

/// The entry of a member; every registration goes through here.
pub(super) fn listed(owner: &str, name: &str) -> &'static Entry {
    let found = ENTRIES.iter().find(|entry| entry.owner == owner && entry.name == name);
    // Registration is code, not input: a member without an entry is a mistake of ours, found by any test.
    found.unwrap_or_else(|| panic!("host member `{owner}.{name}` is not in the registry"))
}

/// The names of a class's members, for the error that a wrong one gets.
pub(super) fn members(owner: &str) -> Vec<&'static str> {
    ENTRIES.iter().filter(|entry| entry.owner == owner).map(|entry| entry.name).collect()
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
