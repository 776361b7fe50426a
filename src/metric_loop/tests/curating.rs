//! Step 4: who is promoted, who expires, and who retires.

use super::{Op, expr, objective, op, shadow, sight, split, state};
use crate::expr::{Grammar, SAME_SCORE};
use crate::journal::{Entry, Event, Standing};
use crate::metric_loop::curate::{expired, fitness, promotion, retirement};
use crate::metric_loop::options::Constants;
use crate::metric_loop::state::State;

/// The promotion that a pool calls for under a metric.
fn promoted(ops: &[Op], metric: Option<&str>) -> Option<Event> {
    let split = split("FFPP", 4);
    let sight = sight(&split, ops);
    let metric_expr = metric.map(expr);
    promotion(&state(ops, metric), &sight, &objective(&sight, metric_expr.as_ref())).unwrap()
}

#[test]
fn a_shadow_that_finds_a_labelled_failure_beside_the_metric_is_promoted() {
    // A_dev of a: half of the failures and all passes, (2 * 1/2 + 1) / 3.
    let pool = [op("a", "1000", "1000"), shadow("s", "0100", "0100")];
    let Some(Event::Promoted { op, by, dev_before, dev_after }) = promoted(&pool, Some("a")) else { panic!() };
    assert_eq!((op.as_str(), by.to_string().as_str()), ("s", "(any a s)"));
    assert!((dev_before - 2.0 / 3.0).abs() < SAME_SCORE && (dev_after - 1.0).abs() < SAME_SCORE);
}

#[test]
fn a_shadow_is_promoted_as_a_condition_or_in_a_leafs_place_too() {
    let by = |ops: &[Op], metric| match promoted(ops, Some(metric)) {
        Some(Event::Promoted { op, by, .. }) => format!("{op} by {by}"),
        other => panic!("{other:?}"),
    };
    // a finds all failures and blames a pass, which the shadow leaves alone; the shadow blames the other.
    assert_eq!(by(&[op("a", "1110", "1010"), shadow("s", "1101", "1100")], "a"), "s by (all a s)");
    // It blames everything: beside the metric it is of no use, nor as a condition of it, but in the place of b.
    let pool = [op("a", "1100", "1000"), op("b", "1000", "1000"), shadow("s", "1111", "1100")];
    assert_eq!(by(&pool, "(all a b)"), "s by (all a s)");
    let pool = [op("a", "1000", "1000"), op("b", "0000", "0100"), shadow("s", "0100", "0100")];
    assert_eq!(by(&pool, "(any a b)"), "s by (any a b s)");
}

#[test]
fn no_use_or_less_coverage_is_no_promotion() {
    let useless = [op("a", "1000", "1000"), shadow("s", "1000", "1000")];
    assert_eq!(promoted(&useless, Some("a")), None);
    let harmful = [op("a", "1000", "1000"), shadow("s", "0010", "0010")];
    assert_eq!(promoted(&harmful, Some("a")), None);
    // In the place of a it would be right wherever it opines, (2 * 1 + 0) / 3 against (2 * 1/2 + 0) / 3, but on one output.
    let reticent = [op("a", "1011", "1000"), shadow("s", "1???", "0100")];
    assert_eq!(promoted(&reticent, Some("a")), None);
    let active = [op("a", "1000", "1000"), op("s", "0100", "0100")];
    assert_eq!(promoted(&active, Some("a")), None, "what is active already is not promoted");
}

#[test]
fn of_two_shadows_the_first_of_the_pool_is_promoted_first_and_the_second_is_looked_at_anew() {
    let mut pool = [op("a", "1000", "1000"), shadow("t", "0100", "0100"), shadow("s", "0100", "0100")];
    let named = |event: Option<Event>| match event {
        Some(Event::Promoted { op, .. }) => Some(op),
        _ => None,
    };
    assert_eq!(named(promoted(&pool, Some("a"))).as_deref(), Some("t"));
    pool[1].standing = Standing::Active;
    assert_eq!(named(promoted(&pool, Some("a"))).as_deref(), Some("s"), "the metric has not changed yet");
    assert_eq!(named(promoted(&pool, Some("(any a t)"))), None);
}

#[test]
fn a_shadow_expires_after_its_rounds_and_an_active_op_never() {
    let pool = [op("a", "10", "10"), shadow("s", "00", "00")];
    let state = state(&pool, Some("a"));
    let constants = Constants::default();
    assert_eq!(expired(&state, 20, &constants), []);
    assert_eq!(expired(&state, 21, &constants), [Event::Expired { op: "s".into(), rounds: 20 }]);
}

/// What ops are worth under the metric `a`.
fn worth(ops: &[Op]) -> Vec<(String, f64)> {
    let split = split("FFPP", 4);
    let sight = sight(&split, ops);
    let metric = expr("a");
    fitness(&state(ops, Some("a")), &sight, &objective(&sight, Some(&metric)), Grammar::flat(2)).unwrap()
}

fn of(worth: &[(String, f64)], name: &str) -> f64 {
    worth.iter().find(|(op, _)| op == name).unwrap().1
}

/// The state with each op idle for some rounds.
fn idle(mut state: State, rounds: u32) -> State {
    let worthless = |op: String| Event::Weighed { op, fitness: 0.0 };
    for _ in 0..rounds {
        for op in state.pool.clone() {
            state.apply(&Entry { round: 1, event: worthless(op.name) });
        }
    }
    state
}

#[test]
fn of_twins_without_use_one_retires_and_the_other_is_of_use_again() {
    let constants = Constants::default();
    let mut pool = vec![op("a", "1000", "1000"), op("b", "0100", "0100"), op("c", "0100", "0100")];
    let found = worth(&pool);
    assert_eq!([of(&found, "b"), of(&found, "c")], [0.0, 0.0], "each stands in for the other");
    let mut state = idle(state(&pool, Some("a")), 1);
    let retired = retirement(&state, &found, &constants);
    assert_eq!(retired, Some(Event::Retired { op: "c".into(), fitness: 0.0 }), "the last by name");
    state.apply(&Entry { round: 2, event: retired.unwrap() });
    pool.pop();
    let found = worth(&pool);
    // (any a b) has an A_dev of 1 and agrees on three of four outputs with the pool, in which a has the last word; a by
    // itself has an A_dev of 2/3 and agrees on all.
    assert!((of(&found, "b") - (3.0 / 4.0 - 2.0 / 3.0)).abs() < SAME_SCORE, "{found:?}");
    // a is a leaf: 2/3 less what passing everything has, an A_dev of 1/3 and three of four outputs.
    assert!((of(&found, "a") - (2.0 / 3.0 - 1.0 / 4.0)).abs() < SAME_SCORE, "{found:?}");
    assert_eq!(retirement(&state, &found, &constants), None);
}

#[test]
fn an_op_retires_after_two_rounds_without_use_and_a_leaf_of_the_metric_never() {
    let constants = Constants::default();
    let pool = [op("a", "1000", "1000"), op("b", "0100", "0100")];
    let found = vec![("a".to_string(), -0.5), ("b".to_string(), -0.25)];
    assert_eq!(retirement(&state(&pool, Some("a")), &found, &constants), None, "one round is not enough");
    let state = idle(state(&pool, Some("a")), 1);
    assert_eq!(retirement(&state, &found, &constants), Some(Event::Retired { op: "b".into(), fitness: -0.25 }));
    let both = idle(super::state(&pool, Some("(any a b)")), 7);
    assert_eq!(retirement(&both, &found, &constants), None);
    let useful = vec![("a".to_string(), -0.5), ("b".to_string(), 0.01)];
    assert_eq!(retirement(&state, &useful, &constants), None);
}

#[test]
fn the_least_fit_retires_first() {
    let pool = [op("a", "10", "10"), op("b", "10", "10"), op("c", "10", "10"), op("d", "10", "10")];
    let state = idle(state(&pool, Some("a")), 1);
    let found: Vec<(String, f64)> = [("b", 0.0), ("c", -0.2), ("d", -0.1)].map(|(op, by)| (op.to_string(), by)).into();
    let Some(Event::Retired { op, .. }) = retirement(&state, &found, &Constants::default()) else { panic!() };
    assert_eq!(op, "c");
}

#[test]
fn a_shadow_is_not_weighed() {
    let found = worth(&[op("a", "1000", "1000"), op("b", "0100", "0100"), shadow("s", "0100", "0100")]);
    assert_eq!(found.iter().map(|(op, _)| op.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}
