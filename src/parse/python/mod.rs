//! Python source as a tree that is cheap to share and safe to walk, with the questions a detector asks of it.
//!
//! tree-sitter does the parsing; its tree is copied once into a compact arena whose ids are pre-order positions, so
//! that a subtree is a range of ids and every walk is a loop. Nothing here recurses on the text, does I/O, or fails:
//! what is wrong with a text is an [`Issue`](super::Issue). Answers are node ids and small structs of node ids.
//!
//! Known limits, the grammar's own: a line whose indentation mixes tabs after blanks, a line dedented inside brackets
//! after a dot, and a statement that begins with a call of `type` may be read otherwise than Python reads them.
//!
//! The questions are methods of [`Tree`], one file a subject. Those that search a scope take a [`Reach`]; the scopes
//! nested in it are left out unless it says otherwise.

mod tree;
mod guard;
mod build;
mod layout;
mod rules;
mod issues;
mod shape;
mod query;
mod scope;
mod define;
mod statement;
mod call;
mod import;
mod literal;
mod escape;
mod binding;
mod reading;
mod flow;
mod module;

pub use binding::{Assignment, AssignmentKind, Binding};
pub use build::parse;
pub use call::Argument;
pub use define::{Parameter, ParameterKind};
pub use flow::WaysOut;
pub use import::Import;
pub use literal::{Literal, LiteralKind};
pub use query::{Match, Query, QueryError, TooCostly};
pub use scope::{Reach, Walk};
pub use statement::{Comparison, Handler};
pub use tree::{Ancestors, Children, NodeId, Tree};

/// The largest text that is parsed, in bytes.
pub const TEXT_LIMIT: usize = 256 * 1024;

#[cfg(test)]
mod tests;
