//! Parsers that never fail and do no I/O: text in, tree and issues out.

pub mod python;
pub mod text;
