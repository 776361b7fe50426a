//! Prose helpers for scripts: sentences and numerals, as spans of the text.
//!
//! Heuristics over Unicode characters, with no language model and no word list beyond common abbreviations. They never
//! fail: any text has sentences, and whatever does not read as a number is not one.

mod numerals;
mod sentences;

pub use numerals::{Numeral, numerals};
pub use sentences::sentences;
