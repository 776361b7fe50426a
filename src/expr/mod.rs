//! Expressions over ops: the tree, its text, its three-valued value on bit planes, its verdict under faults, and the
//! exhaustive search over small ones (METHOD sections 1, 2, 4).
//!
//! Nothing here knows what an op does, what a label is worth, or where verdicts come from.

mod bits;
mod decimal;
mod tree;
mod syntax;
mod print;
mod word;
mod planes;
mod outcome;
mod decisive;
mod search;
#[cfg(test)]
mod tests;

pub use bits::Bits;
pub use decimal::Decimal;
pub use decisive::decisive;
pub use outcome::{Outcome, outcome, settled};
pub use planes::{Matrix, Planes, State, UnknownOp};
pub use search::{
    Best, Candidate, Effort, Far, Found, Goal, Grammar, Ground, Lanes, Leaf, MOST_LEAVES, SAME_SCORE, Scored, Scorer,
    Shape, Shares, Sink, Tally, Tie, explore, search,
};
pub use syntax::{MAX_DEPTH, MAX_TEXT, SyntaxError, is_op_name};
pub use tree::Expr;
