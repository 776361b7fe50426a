//! A task family as its author wrote it: manifest, root, anchor and ops, loaded and checked.
//!
//! Loading is the only I/O here, and it happens once: what is loaded is text, compiled by the script host.

pub mod bundle;
pub mod load;
pub mod manifest;

pub use bundle::Bundle;
pub use load::{Pack, Script};
pub use manifest::{Limits, Manifest};
