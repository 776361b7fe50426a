//! Properties of expressions, each against a second, naive way to the same answer.

use proptest::prelude::*;

use super::*;

const OPS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn names() -> Vec<String> {
    OPS.map(String::from).to_vec()
}

fn decimal() -> impl Strategy<Value = Decimal> {
    (1u32..40).prop_map(|tenths| format!("{}.{}", tenths / 10, tenths % 10).parse().unwrap())
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = (0..OPS.len()).prop_map(|at| Expr::op(OPS[at]));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let children = prop::collection::vec(inner.clone(), 1..4);
        let weighted = prop::collection::vec((decimal(), inner.clone()), 1..4);
        prop_oneof![
            children.clone().prop_map(Expr::Any),
            children.clone().prop_map(Expr::All),
            inner.prop_map(|child| Expr::Not(Box::new(child))),
            (1u32..5, children).prop_map(|(least, children)| Expr::Vote(least, children)),
            (decimal(), weighted).prop_map(|(threshold, children)| Expr::Weighted(threshold, children)),
        ]
    })
}

fn state() -> impl Strategy<Value = State> {
    prop_oneof![Just(State::Drawback), Just(State::Clean), Just(State::Abstain), Just(State::Fault)]
}

/// METHOD section 2 word for word, one item at a time.
fn naive(expr: &Expr, value: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let known = |children: &[Expr]| -> Vec<bool> { children.iter().filter_map(|child| naive(child, value)).collect() };
    let over =
        |known: Vec<bool>, rule: &dyn Fn(&[bool]) -> bool| if known.is_empty() { None } else { Some(rule(&known)) };
    match expr {
        Expr::Op(name) => value(name),
        Expr::Not(child) => naive(child, value).map(|v| !v),
        Expr::Any(children) => over(known(children), &|known| known.contains(&true)),
        Expr::All(children) => over(known(children), &|known| !known.contains(&false)),
        Expr::Vote(least, children) => {
            over(known(children), &|known| known.iter().filter(|v| **v).count() >= *least as usize)
        }
        Expr::Weighted(threshold, children) => {
            let known = children.iter().filter_map(|(weight, child)| Some((weight.units(), naive(child, value)?)));
            let known: Vec<_> = known.collect();
            let sum: u128 = known.iter().filter(|(_, v)| *v).map(|(weight, _)| weight).sum();
            if known.is_empty() { None } else { Some(sum >= threshold.units()) }
        }
    }
}

fn leaf_value(state: State) -> Option<bool> {
    match state {
        State::Drawback => Some(true),
        State::Clean => Some(false),
        State::Abstain | State::Fault => None,
    }
}

fn at(states: &[State], name: &str) -> State {
    states[OPS.iter().position(|op| *op == name).unwrap()]
}

/// Every way to set the faulted ops to 0 or 1.
fn brute(expr: &Expr, states: &[State]) -> Outcome {
    let base = naive(expr, &|op| leaf_value(at(states, op)));
    let faulted: Vec<&str> = expr.ops().into_iter().filter(|op| at(states, op) == State::Fault).collect();
    let changes = !faulted.is_empty()
        && (0..1usize << faulted.len()).any(|setting| {
            let set = |op: &str| match faulted.iter().position(|faulted| *faulted == op) {
                Some(bit) => Some(setting >> bit & 1 == 1),
                None => leaf_value(at(states, op)),
            };
            naive(expr, &set) != base
        });
    if changes { Outcome::Fault } else { Outcome::of(base) }
}

proptest! {
    #[test]
    fn planes_equal_a_naive_tree_walk(expr in expr(), rows in prop::collection::vec(prop::array::uniform5(state()), 0..150)) {
        let matrix = Matrix::from_fn(&names(), rows.len(), |op, item| rows[item][op]);
        let values = matrix.values(&expr).unwrap();
        let outcomes = matrix.outcomes(&expr).unwrap();
        for (item, states) in rows.iter().enumerate() {
            prop_assert_eq!(values.get(item), naive(&expr, &|op| leaf_value(at(states, op))));
            prop_assert_eq!(outcomes[item], brute(&expr, states));
        }
        prop_assert_eq!(values.one.and_not(&values.known).count(), 0);
        prop_assert_eq!(values.known.or(&Bits::none(rows.len())), values.known);
    }

    #[test]
    fn a_printed_expression_parses_to_itself(expr in expr()) {
        let text = expr.to_string();
        prop_assert_eq!(text.parse::<Expr>().unwrap(), expr);
    }

    #[test]
    fn any_text_parses_or_points_into_itself(text in r#"[()a-z0-9. \n_é]{0,60}|.{0,40}"#) {
        match text.parse::<Expr>() {
            Ok(expr) => prop_assert_eq!(expr.to_string().parse::<Expr>().unwrap(), expr),
            Err(error) => {
                prop_assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len());
                prop_assert!(text.is_char_boundary(error.span.start as usize));
                prop_assert!(error.line >= 1 && error.column >= 1);
            }
        }
    }

    #[test]
    fn a_removed_op_is_gone_and_no_other_is(expr in expr(), at in 0..OPS.len()) {
        let op = OPS[at];
        let others: Vec<&str> = expr.ops().into_iter().filter(|other| *other != op).collect();
        match expr.without(op) {
            Some(left) => {
                prop_assert_eq!(left.ops(), others);
                prop_assert_eq!(left.without(op), Some(left.clone()));
                prop_assert!(left.leaf_count() <= expr.leaf_count());
            }
            None => prop_assert!(others.is_empty()),
        }
    }

    #[test]
    fn the_canonical_form_means_the_same(expr in expr(), states in prop::array::uniform5(state())) {
        let canonical = expr.canonical();
        prop_assert_eq!(canonical.canonical(), canonical.clone());
        prop_assert_eq!(brute(&canonical, &states), brute(&expr, &states));
    }

    #[test]
    fn a_settled_outcome_stays(expr in expr(), states in prop::array::uniform5(state()), seen in prop::array::uniform5(any::<bool>())) {
        let shown = |op: &String| {
            let at = OPS.iter().position(|name| name == op).unwrap();
            seen[at].then_some(states[at])
        };
        let end = outcome(&expr, |op| at(&states, op));
        if let Some(early) = settled(&expr, shown) {
            prop_assert_eq!(early, end);
        }
        prop_assert_eq!(settled(&expr, |op| Some(at(&states, op))), Some(end));
    }
}

#[test]
fn leaves_that_cannot_matter_are_not_waited_for() {
    let early = |text: &str, seen: &[(&str, State)]| {
        let expr: Expr = text.parse().unwrap();
        settled(&expr, |op| seen.iter().find(|(name, _)| name == op).map(|(_, state)| *state))
    };
    assert_eq!(early("(any a b)", &[("a", State::Drawback)]), Some(Outcome::Fail));
    assert_eq!(early("(any a b)", &[("a", State::Clean)]), None);
    assert_eq!(early("(all a b)", &[("a", State::Clean)]), Some(Outcome::Pass));
    assert_eq!(early("(all a b)", &[("a", State::Drawback)]), None);
    assert_eq!(early("(vote 2 a b c)", &[("a", State::Clean), ("b", State::Clean)]), Some(Outcome::Pass));
    assert_eq!(early("(vote 2 a b c)", &[("a", State::Abstain), ("b", State::Abstain)]), None);
    assert_eq!(early("(weighted 2 (2 a) (1 b))", &[("a", State::Drawback)]), Some(Outcome::Fail));
    assert_eq!(early("(weighted 2 (1 a) (0.5 b))", &[("a", State::Clean)]), Some(Outcome::Pass));
    assert_eq!(early("(any a b)", &[("a", State::Fault), ("b", State::Drawback)]), Some(Outcome::Fail));
    assert_eq!(early("(any a b)", &[("a", State::Fault), ("b", State::Clean)]), Some(Outcome::Fault));
}

#[test]
fn a_fault_matters_only_where_it_could_change_the_outcome() {
    let of = |text: &str, states: &[(&str, State)]| {
        let expr: Expr = text.parse().unwrap();
        outcome(&expr, |op| states.iter().find(|(name, _)| name == op).unwrap().1)
    };
    let (x, one, zero) = (State::Fault, State::Drawback, State::Clean);
    assert_eq!(of("a", &[("a", x)]), Outcome::Fault);
    assert_eq!(of("(any a b)", &[("a", x), ("b", one)]), Outcome::Fail);
    assert_eq!(of("(all a b)", &[("a", x), ("b", zero)]), Outcome::Pass);
    assert_eq!(of("(any a b)", &[("a", x), ("b", zero)]), Outcome::Fault);
    // One op in both directions: the two occurrences are one leaf, so the node is 0 however it is set …
    assert_eq!(of("(all a (not a) b)", &[("a", x), ("b", zero)]), Outcome::Pass);
    assert_eq!(of("(all (any a b) (any (not a) b) c)", &[("a", x), ("b", one), ("c", one)]), Outcome::Fail);
    // … but a node that only the fault keeps unknown is another outcome than 0.
    assert_eq!(of("(vote 2 a b)", &[("a", x), ("b", State::Abstain)]), Outcome::Fault);
}

#[test]
fn many_faults_in_both_directions_are_still_exact() {
    let ops: Vec<String> = (0..9).map(|at| format!("o{at}")).collect();
    let each: Vec<String> = ops.iter().map(|op| format!("(any {op} (not {op}))")).collect();
    let always: Expr = format!("(any sure {})", each.join(" ")).parse().unwrap();
    let of = |sure| outcome(&always, |op| if op == "sure" { sure } else { State::Fault });
    assert_eq!(of(State::Drawback), Outcome::Fail);
    let all: Expr = format!("(all sure {} (not (all {})))", each.join(" "), ops.join(" ")).parse().unwrap();
    assert_eq!(outcome(&all, |op| if op == "sure" { State::Drawback } else { State::Fault }), Outcome::Fault);
}

#[test]
fn an_unknown_op_is_named() {
    let matrix = Matrix::from_fn(&names(), 1, |_, _| State::Clean);
    assert_eq!(matrix.values(&"(any a zz)".parse().unwrap()), Err(UnknownOp("zz".into())));
}

#[test]
fn a_matrix_keeps_states_and_takes_rows() {
    use crate::verdict::{Fault, FaultKind, Finding, Verdict};
    let verdicts = vec![
        Verdict::Drawback(Finding { message: "prints".into(), span: None }),
        Verdict::Clean,
        Verdict::Abstain("no entry".into()),
        Verdict::Fault(Fault::new(FaultKind::Fuel, "too long")),
    ];
    let matrix = Matrix::from_verdicts(&["a".into()], &[verdicts]);
    let states = |matrix: &Matrix| (0..matrix.items()).map(|item| matrix.state(0, item)).collect::<Vec<_>>();
    assert_eq!(states(&matrix), [State::Drawback, State::Clean, State::Abstain, State::Fault]);
    assert_eq!(states(&matrix.rows(&[3, 0])), [State::Fault, State::Drawback]);
}

#[test]
fn the_root_has_the_first_word() {
    use Outcome::{Abstain, Fail, Fault, Pass};
    let under = |root| [Fail, Pass, Abstain, Fault].map(|outcome| outcome.under_root(root));
    assert_eq!(under(State::Drawback), [Fail; 4]);
    assert_eq!(under(State::Clean), [Fail, Pass, Abstain, Fault]);
    assert_eq!(under(State::Abstain), [Fail, Pass, Abstain, Fault]);
    assert_eq!(under(State::Fault), [Fail, Fault, Fault, Fault]);
}

/// Agreement with a fixed pattern, unknown counted as zero; needs at least `least` items known.
struct Toy {
    pattern: Vec<u64>,
    least: u32,
}

impl Scorer for Toy {
    type Opened = i64;

    fn open(&self, leaves: &[usize], known: &impl Fn(usize) -> u64) -> Option<i64> {
        let opined: u32 = (0..self.pattern.len()).map(|at| known(at).count_ones()).sum();
        (opined >= self.least).then_some(-(leaves.len() as i64))
    }

    fn score(&self, opened: &i64, _: &impl Fn(usize) -> u64, one: &impl Fn(usize) -> u64, floor: f64) -> Option<f64> {
        let wrong: u32 = self.pattern.iter().enumerate().map(|(at, wanted)| (one(at) ^ wanted).count_ones()).sum();
        let score = (opened - 4 * i64::from(wrong)) as f64;
        (score >= floor).then_some(score)
    }
}

proptest! {
    #[test]
    fn the_search_finds_what_brute_force_finds(
        rows in prop::collection::vec(prop::array::uniform5(state()), 1..100), pattern in any::<u64>(), least in 0u32..60,
    ) {
        let matrix = Matrix::from_fn(&names(), rows.len(), |op, item| rows[item][op]);
        let width = rows.len().div_ceil(64);
        let toy = Toy { pattern: Bits::from_words(rows.len(), vec![pattern; width]).words().to_vec(), least };
        let found = search(&Lanes::of(&[&matrix], &[0, 1, 2, 3, 4]), &toy);

        let mut texts: Vec<String> = OPS.map(String::from).to_vec();
        for (i, a) in OPS.iter().enumerate() {
            for (j, b) in OPS.iter().enumerate().skip(i + 1) {
                texts.extend(["any", "all", "vote 2"].map(|head| format!("({head} {a} {b})")));
                for c in &OPS[j + 1..] {
                    texts.extend(["any", "all", "vote 2", "vote 3"].map(|head| format!("({head} {a} {b} {c})")));
                }
            }
        }
        prop_assert_eq!(found.scored, texts.len() as u64);
        let score = |text: &String| {
            let expr: Expr = text.parse().unwrap();
            let values = matrix.values(&expr).unwrap();
            let (known, one) = (|at: usize| values.known.words()[at], |at: usize| values.one.words()[at]);
            toy.score(&toy.open(&vec![0; expr.leaf_count()], &known)?, &known, &one, f64::NEG_INFINITY)
        };
        let best = texts.iter().filter_map(score).max_by(f64::total_cmp);
        let mut ties: Vec<String> = texts.into_iter().filter(|text| best.is_some() && score(text) == best).collect();
        let mut found_ties: Vec<String> = found.ties.iter().map(|tie| tie.expr(matrix.ops()).to_string()).collect();
        ties.sort();
        found_ties.sort();
        prop_assert_eq!(found.best, best);
        prop_assert_eq!(found_ties, ties);
    }
}
