//! The state as the fold of the events.

use proptest::prelude::*;

use super::{began, born, entries, expr};
use crate::journal::{Entry, Event, Figures, Gate, Origin, Standing};
use crate::metric_loop::state::State;
use crate::objective::Rule;

const OPS: [&str; 4] = ["a", "b", "c", "d"];

fn figures(s: f64, coverage: usize, leaves: usize, selectable: bool) -> Figures {
    Figures { s, a_dev: s, a_train: 1.0, cost: 0.0, coverage, leaves, selectable }
}

fn ended(changed: bool) -> Event {
    Event::Ended {
        metric: None,
        passes: 0,
        flagged: 0,
        right: 0,
        misses: Vec::new(),
        active: 0,
        shadow: 0,
        retired: 0,
        changed,
    }
}

fn sensed(misses: &[&str]) -> Event {
    Event::Sensed { misses: misses.iter().map(|id| id.to_string()).collect(), silent: vec![], split: vec![] }
}

fn candidate(metric: &str, figures: Figures) -> Event {
    Event::Candidate { metric: expr(metric), origin: Origin::Search, figures }
}

fn rejected(rule: &str) -> Event {
    let gate = Gate { fires: 0, cluster: 2, misses: vec![], false_alarms: vec![], known_good: 2, train: 0 };
    Event::Rejected { op: "x".into(), rule: rule.into(), class: "crash".into(), why: "no".into(), gate }
}

fn an_op() -> impl Strategy<Value = String> {
    prop::sample::select(&OPS[..]).prop_map(str::to_string)
}

fn an_event() -> impl Strategy<Value = Event> {
    let metric = || prop::option::of(an_op().prop_map(|op| expr(&op)));
    let misses = prop::collection::vec(prop::sample::select(vec!["m0", "m1", "m2"]), 0..3);
    prop_oneof![
        Just(began(OPS[..2].iter().map(|op| (*op, "crash")))),
        metric().prop_map(|metric| Event::Chosen {
            metric,
            rule: Rule::Paper,
            why: String::new(),
            figures: None,
            refused: vec![]
        }),
        misses.prop_map(|misses| sensed(&misses)),
        an_op().prop_map(|rule| rejected(&rule)),
        (an_op(), any::<bool>())
            .prop_map(|(op, shadow)| born(&op, if shadow { Standing::Shadow } else { Standing::Active })),
        (an_op(), -1.0..1.0, 0usize..9, 1usize..4, any::<bool>())
            .prop_map(|(op, s, coverage, leaves, may)| candidate(&op, figures(s, coverage, leaves, may))),
        metric().prop_map(|metric| Event::Selected {
            metric,
            changed: true,
            replaces: None,
            why: String::new(),
            figures: None
        }),
        an_op().prop_map(|op| Event::Promoted { by: expr(&op), op, dev_before: 0.25, dev_after: 0.5 }),
        (an_op(), -0.5..0.5).prop_map(|(op, fitness)| Event::Weighed { op, fitness }),
        an_op().prop_map(|op| Event::Retired { op, fitness: -0.125 }),
        an_op().prop_map(|op| Event::Expired { op, rounds: 20 }),
        any::<bool>().prop_map(ended),
        Just(Event::Unauthored { class: None, why: "nothing to try".into() }),
        Just(Event::Audited { opening: 1, rows: vec![], hindsight: None, faults: 0 }),
        metric().prop_map(|metric| Event::Finished { metric, rounds: 1, why: String::new() }),
    ]
}

fn some_entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec((0u32..5, an_event()).prop_map(|(round, event)| Entry { round, event }), 0..40)
}

proptest! {
    /// What a run knows when it goes on, from lines that were written down, is what it knew when it stopped.
    #[test]
    fn a_fold_in_two_parts_with_the_first_read_back_from_its_lines_is_the_fold_of_all(
        all in some_entries(),
        at in any::<prop::sample::Index>(),
    ) {
        let (before, after) = all.split_at(at.index(all.len() + 1));
        let written: Vec<String> = before.iter().map(Entry::line).collect();
        let read: Vec<Entry> = written.iter().map(|line| Entry::parse(line).unwrap()).collect();
        let mut resumed = State::of(&read);
        after.iter().for_each(|entry| resumed.apply(entry));
        prop_assert_eq!(resumed, State::of(&all));
    }

    /// An audit is for people: no later step can depend on it.
    #[test]
    fn audits_leave_the_state_as_it_is(all in some_entries()) {
        let is_audit = |entry: &&Entry| matches!(entry.event, Event::Audited { .. });
        let without: Vec<Entry> = all.iter().filter(|entry| !is_audit(entry)).cloned().collect();
        prop_assert_eq!(State::of(&without), State::of(&all));
    }
}

#[test]
fn a_miss_is_counted_while_it_lasts() {
    let state = State::of(&entries(1, vec![sensed(&["m", "n"]), sensed(&["m"]), sensed(&["m", "n"])]));
    let missed: Vec<(&str, u32)> = state.missed.iter().map(|(id, rounds)| (id.as_str(), *rounds)).collect();
    assert_eq!(missed, [("m", 3), ("n", 1)]);
}

#[test]
fn an_op_is_idle_for_the_rounds_in_a_row_in_which_it_was_of_no_use() {
    let weigh = |fitness| Event::Weighed { op: "a".into(), fitness };
    let idle = |fitness: &[f64]| {
        let mut events = vec![began([("a", "crash")].into_iter())];
        events.extend(fitness.iter().map(|fitness| weigh(*fitness)));
        State::of(&entries(1, events)).pool[0].idle
    };
    assert_eq!([idle(&[0.0]), idle(&[0.0, -0.1]), idle(&[0.0, 0.1]), idle(&[0.1, 0.0])], [1, 2, 0, 1]);
}

#[test]
fn rounds_without_a_change_are_counted_and_a_change_begins_anew() {
    let quiet =
        |changes: &[bool]| State::of(&entries(1, changes.iter().map(|changed| ended(*changed)).collect())).quiet;
    assert_eq!([quiet(&[false, false]), quiet(&[false, true]), quiet(&[true, false])], [2, 0, 1]);
}

#[test]
fn elites_are_the_selectable_candidates_of_the_last_round_best_first() {
    let first = vec![candidate("old", figures(0.9, 9, 1, true)), ended(true)];
    let second = vec![
        candidate("b", figures(0.5, 9, 1, true)),
        candidate("(any c d)", figures(0.8, 7, 2, true)),
        candidate("refused", figures(0.99, 9, 1, false)),
        candidate("a", figures(0.5, 9, 1, true)),
        candidate("(any a b)", figures(0.5, 9, 2, true)),
        candidate("e", figures(0.5, 10, 1, true)),
        candidate("a", figures(0.5, 9, 1, true)),
        ended(true),
    ];
    let state = State::of(&[entries(1, first), entries(2, second)].concat());
    let elites: Vec<String> = state.elites.iter().map(ToString::to_string).collect();
    assert_eq!(elites, ["(any c d)", "e", "a", "b", "(any a b)"]);
    assert_eq!(state.round, 2);
}

#[test]
fn every_rule_that_was_authored_was_tried_and_retired_ops_stay_known() {
    let events = vec![
        began([("a", "crash")].into_iter()),
        rejected("x > 1"),
        born("s", Standing::Shadow),
        Event::Promoted { op: "s".into(), by: expr("s"), dev_before: 0.1, dev_after: 0.2 },
        Event::Retired { op: "a".into(), fitness: 0.0 },
    ];
    let state = State::of(&entries(3, events));
    assert_eq!(state.tried.iter().map(String::as_str).collect::<Vec<_>>(), ["rule of s", "x > 1"]);
    let pool: Vec<_> = state.pool.iter().map(|op| (op.name.as_str(), op.standing, op.born)).collect();
    assert_eq!(pool, [("a", Standing::Retired, 0), ("s", Standing::Active, 3)]);
    assert_eq!(state.living().map(|op| op.name.as_str()).collect::<Vec<_>>(), ["s"]);
    assert_eq!([Standing::Active, Standing::Shadow, Standing::Retired].map(|of| state.count(of)), [1, 0, 1]);
}
