//! Exhaustive search over small expressions, in two ways.
//!
//! `search` walks every flat expression of up to three different ops, one by one, under any score: its ties are
//! expressions. `explore` covers a `Grammar` by behaviour, under a score of the form that `Goal` describes.
//!
//! **The grammar.** `e := op | (any e e…) | (all e e…) | (vote K e e…)`, at least two children, 2 <= K <= children, up to
//! a number of leaf occurrences. `(vote 1 …)` is `any`. `not`, `weighted` and one-child nodes are outside it. Children have no
//! order. A node is known where some leaf below it is, so `any` (the union of ones), `all` (the union of zeros) and the
//! unanimous vote (K = children; the intersection of ones, where unknown counts as no vote) are associative and idempotent,
//! with unknown children too: none of the three is ever a child of its own kind, and none holds a child twice. A vote with
//! K < children is neither: it may stand anywhere, and a child that stands in it twice weighs twice. An op may occur in
//! several places. The flat grammar has ops alone below its root, each once. Expressions that differ by these rules alone are
//! one expression: `Grammar::count` counts them, and `Grammar::expressions` lists them.
//!
//! **Behaviours.** The value of an expression depends on its children's values (known and one on every near and far item)
//! alone, and its cost on the number of its leaves and judges, which add up. So a child may be replaced by any expression of
//! the same values that has no more leaves and no more judges: the whole stays in the grammar, after same kinds are dissolved
//! and repeats dropped, which changes no value and adds no leaf; its values are the same and its score no lower. By
//! induction over size, every value that the grammar reaches with l leaves and j judges is reached by joining kept behaviours
//! alone, where a behaviour is kept once for each trade of leaves against judges that no other trade beats in both. Three of the
//! heads are joined from two children at a time, since they are associative. So the best score over the kept behaviours is
//! the best over the grammar. Of equal cost, the text that comes first among those made of kept texts stands for the behaviour.
//!
//! **Bounds.** An expression of the last size is worth looking at on the far items only if its near factor, which costs a
//! word or two, could reach the best so far with a faultless far part; then only if the least number of wrong far items
//! that its children's counts allow could. One of the last size but one is kept only if it could with one more leaf. All
//! bounds keep what reaches the best exactly, so the ties are whole.

mod explore;
mod flat;
mod gate;
mod grammar;
mod ground;
mod key;
mod sink;
mod table;

pub use explore::{Effort, Goal, Tally, explore};
pub use flat::{Candidate, Found, Lanes, SAME_SCORE, Scorer, Shape, search};
pub use grammar::{Grammar, MOST_LEAVES};
pub use ground::{Far, Ground, Leaf};
pub use sink::{Best, Scored, Shares, Sink, Tie};
