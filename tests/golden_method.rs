//! The golden values of METHOD section 11 that the kernel computes, through the public interface alone.

use gradus::expr::{Bits, Expr, Matrix, Outcome, State, outcome};
use gradus::objective::{Config, Evidence, Guard, Guards, Member, Objective};
use gradus::stats::{binomial_cdf, mcnemar};
use num_rational::BigRational;

fn expr(text: &str) -> Expr {
    text.parse().expect("an expression")
}

fn matrix(columns: &[(&str, &str)]) -> Matrix {
    let names: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
    let state = |op: usize, item: usize| match columns[op].1.as_bytes()[item] {
        b'1' => State::Drawback,
        b'0' => State::Clean,
        _ => State::Abstain,
    };
    Matrix::from_fn(&names, columns[0].1.len(), state)
}

#[test]
fn expressions_over_known_and_unknown_leaves() {
    let value = |text: &str| {
        outcome(&expr(text), |op| match op.as_str() {
            "a" => State::Drawback,
            "b" => State::Clean,
            _ => State::Abstain,
        })
    };
    let golden = [
        ("(any b c)", Outcome::Pass),
        ("(any c d)", Outcome::Abstain),
        ("(all a c)", Outcome::Fail),
        ("(not c)", Outcome::Abstain),
        ("(vote 2 a c d)", Outcome::Pass),
        ("(weighted 1.5 (1 a) (1 c))", Outcome::Pass),
        ("(any (all c d) (not b))", Outcome::Fail),
    ];
    for (text, expected) in golden {
        assert_eq!(value(text), expected, "{text}");
    }
}

/// Dev and train of METHOD section 11. On dev y and z have no opinion, so `(any x y)` has the verdicts of e there;
/// train has the items (1,0,0) (1,0,?) (?,1,1) (0,1,?) (?,?,?); w never opines.
struct Golden {
    dev: Matrix,
    dev_fails: Bits,
    train: Matrix,
    nobody: [Bits; 2],
}

impl Golden {
    fn new() -> Self {
        let silent = "??????????";
        let dev = matrix(&[("x", "110?1001??"), ("y", silent), ("z", silent), ("w", silent)]);
        let train = matrix(&[("x", "11?0?"), ("y", "0011?"), ("z", "0?1??"), ("w", "?????")]);
        let dev_fails = Bits::from_fn(10, |item| item < 5);
        Self { dev, dev_fails, train, nobody: [Bits::none(10), Bits::none(5)] }
    }

    fn objective(&self, config: Config, margins: [i64; 3]) -> Objective<'_> {
        let evidence = Evidence {
            dev: &self.dev,
            dev_fails: &self.dev_fails,
            dev_root: &self.nobody[0],
            train: &self.train,
            train_root: &self.nobody[1],
        };
        let pool = [false, true, false, false].map(|judge| Member { judge, active: true });
        let [x, y, z] = margins;
        let margins = [x, y, z, 0].map(|tenths| BigRational::new(tenths.into(), 10.into())).to_vec();
        Objective::with_margins(config, evidence, &pool, margins)
    }
}

#[test]
fn recalls_on_dev_make_a_dev() {
    let golden = Golden::new();
    let score = golden.objective(Config::default(), [0; 3]).score(Some(&expr("(any x y)"))).unwrap();
    assert!((score.a_dev - 13.0 / 18.0).abs() < 1e-15);
    let nothing = golden.objective(Config::default(), [0; 3]).score(None).unwrap();
    assert!((nothing.a_dev - 1.0 / 3.0).abs() < 1e-15);
}

#[test]
fn weighted_votes_make_a_train() {
    let golden = Golden::new();
    let weighted = golden.objective(Config::default(), [1, -2, 0]);
    let consensus = weighted.consensus();
    assert_eq!(consensus.drawback.ones().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(consensus.clean.ones().collect::<Vec<_>>(), [3]);
    let a_train = |objective: &Objective<'_>, text: &str| objective.score(Some(&expr(text))).unwrap().a_train;
    assert!((a_train(&weighted, "(any x y)") - 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(a_train(&weighted, "x"), 1.0);
    assert_eq!(a_train(&golden.objective(Config::default(), [0; 3]), "(any x y)"), 0.5);
}

#[test]
fn s_charges_a_judge() {
    let golden = Golden::new();
    for (power, expected) in [(1.0, 0.479481), (0.25, 0.650601)] {
        let config = Config { train_power: power, ..Config::default() };
        let score = golden.objective(config, [1, -2, 0]).score(Some(&expr("(any x y)"))).unwrap();
        assert!((score.s - expected).abs() < 5e-7, "{}", score.s);
        assert_eq!((score.leaves, score.judges), (2, 1));
        // It calls no train item clean, so the validity gate would not let it be selected.
        assert_eq!(score.refused, Some(Guard::NoCleanOnTrain));
    }
}

#[test]
fn without_guards_silence_is_perfect() {
    let golden = Golden::new();
    let silent = |guards| {
        let config = Config { guards, ..Config::default() };
        golden.objective(config, [0; 3]).score(Some(&expr("w"))).unwrap()
    };
    assert_eq!((silent(Guards::Open).s, silent(Guards::Open).refused), (1.0, None));
    assert_eq!((silent(Guards::Closed).s, silent(Guards::Closed).refused), (0.0, Some(Guard::DevFails)));
    let vacuous = golden.objective(Config { guards: Guards::Open, ..Config::default() }, [0; 3]);
    assert_eq!(vacuous.search().best(), Some(1.0));
}

#[test]
fn paired_counts_have_exact_p_values() {
    assert_eq!(format!("{:.4} {:.4}", mcnemar(61, 36), mcnemar(36, 20)), "0.0144 0.0440");
}

/// METHOD section 8: a false-pass rate of .45 alone retires a bad skill after 24 trials, at ten successes or fewer.
#[test]
fn chance_retires_at_finite_trials() {
    assert_eq!(format!("{:.3}", binomial_cdf(10, 24, 0.45)), "0.454");
}
