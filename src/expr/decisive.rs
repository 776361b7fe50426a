//! Which leaves an outcome hangs on.

use super::outcome::{Outcome, outcome};
use super::planes::State;
use super::tree::Expr;

/// The ops without whose verdict, or with its opposite, the outcome would be another: a pass, a failure, a fault.
///
/// Empty where several ops hold the outcome and any one of them could be missed.
pub fn decisive(expr: &Expr, state: impl Fn(&str) -> State) -> Vec<&str> {
    let class = |changed: Option<(&str, State)>| {
        let of_leaf = |leaf: &String| match changed {
            Some((op, other)) if op == leaf => other,
            _ => state(leaf),
        };
        match outcome(expr, of_leaf) {
            Outcome::Abstain => Outcome::Pass,
            other => other,
        }
    };
    let opposite = |op: &str| match state(op) {
        State::Drawback => State::Clean,
        State::Clean => State::Drawback,
        unknown => unknown,
    };
    let now = class(None);
    let hangs_on = |op: &&str| [State::Abstain, opposite(op)].iter().any(|other| class(Some((*op, *other))) != now);
    expr.ops().into_iter().filter(hangs_on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `states` has a letter an op, from `a` on: d, c, a or f.
    fn deciding(text: &str, states: &str) -> String {
        let state = |op: &str| match states.as_bytes()[usize::from(op.as_bytes()[0] - b'a')] {
            b'd' => State::Drawback,
            b'c' => State::Clean,
            b'a' => State::Abstain,
            _ => State::Fault,
        };
        decisive(&text.parse().unwrap(), state).join(" ")
    }

    #[test]
    fn the_one_leaf_that_fires_decides_and_of_two_neither_does() {
        assert_eq!(deciding("(any a b)", "dc"), "a");
        assert_eq!(deciding("(any a b)", "dd"), "");
        assert_eq!(deciding("(any a b)", "cc"), "a b");
        assert_eq!(deciding("a", "a"), "");
    }

    #[test]
    fn all_hangs_on_every_leaf_that_has_an_opinion() {
        assert_eq!(deciding("(all a b)", "dd"), "a b");
        assert_eq!(deciding("(all a b)", "dc"), "b");
        assert_eq!(deciding("(all a b)", "da"), "a");
    }

    #[test]
    fn a_vote_hangs_on_those_that_fire_when_it_is_won_by_none_to_spare() {
        assert_eq!(deciding("(vote 2 a b c)", "ddc"), "a b");
        assert_eq!(deciding("(vote 2 a b c)", "ddd"), "");
        assert_eq!(deciding("(vote 2 a b c)", "dcc"), "b c");
    }

    #[test]
    fn under_not_it_is_the_clean_leaf_that_decides() {
        assert_eq!(deciding("(any a (not b))", "cc"), "b");
        assert_eq!(deciding("(any a (not b))", "dd"), "a");
        assert_eq!(deciding("(any a (not b))", "cd"), "a b");
    }

    #[test]
    fn a_fault_hangs_on_the_leaf_that_faults_and_on_what_would_settle_it() {
        assert_eq!(deciding("(any a b)", "cf"), "a b");
        assert_eq!(deciding("(any a b)", "ff"), "");
        assert_eq!(deciding("(any a b)", "df"), "a");
    }
}
