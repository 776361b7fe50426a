//! Content ids: what a thing is called in a cache or a journal, made from its bytes alone.
//!
//! Fields are length-prefixed, so no two field lists share an id by concatenation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A blake3 hash of a purpose and a list of fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id([u8; 32]);

impl Id {
    /// The id of `fields` for one `purpose`; the same fields under another purpose have another id.
    pub fn of<'a>(purpose: &str, fields: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        add(purpose.as_bytes());
        fields.into_iter().for_each(&mut add);
        Self(*hasher.finalize().as_bytes())
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The first 64 bits, for ordering by hash and for seeding.
    pub fn prefix(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(purpose: &str, fields: &[&str]) -> Id {
        Id::of(purpose, fields.iter().map(|field| field.as_bytes()))
    }

    #[test]
    fn field_borders_and_purposes_tell_ids_apart() {
        assert_eq!(id("op", &["ab", "c"]), id("op", &["ab", "c"]));
        assert_ne!(id("op", &["ab", "c"]), id("op", &["a", "bc"]));
        assert_ne!(id("op", &["ab"]), id("root", &["ab"]));
        assert_ne!(id("op", &["ab"]), id("op", &["ab", ""]));
    }
}
