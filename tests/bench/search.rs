//! Exhaustive search on bit planes against a scorer that walks every tree item by item, in one run.
//!
//! `cargo bench --bench search` prints expressions a second of both and their ratio, for 10 dev and 60 train items.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gradus::base::rng::Stream;
use gradus::expr::{Bits, Expr, Matrix, State};
use gradus::objective::{Config, Evidence, Member, Objective};

const DEV: usize = 10;
const TRAIN: usize = 60;
const RUNS: usize = 25;
/// The naive way is timed on this many expressions at most.
const NAIVE: usize = 1_000;

fn main() {
    println!("{:>5} {:>12} {:>16} {:>16} {:>8}", "ops", "expressions", "planes /s", "naive /s", "ratio");
    for ops in [30, 100] {
        measure(ops);
    }
}

fn measure(ops: usize) {
    let names: Vec<String> = (0..ops).map(|op| format!("op_{op}")).collect();
    let (dev, train) = (random(&names, DEV, "dev"), random(&names, TRAIN, "train"));
    let (dev_root, train_root) = (Bits::none(DEV), Bits::none(TRAIN));
    let dev_fails = Bits::from_fn(DEV, |item| item < DEV / 2);
    let evidence =
        Evidence { dev: &dev, dev_fails: &dev_fails, dev_root: &dev_root, train: &train, train_root: &train_root };
    let pool = vec![Member { judge: false, active: true }; ops];
    let objective = Objective::new(Config::default(), evidence, &pool, None).expect("no incumbent");

    let found = objective.search();
    let expressions = found.scored() as usize;
    let naive = Naive::new(&objective, ops);
    let some: Vec<Expr<usize>> = every(ops).step_by(expressions.div_ceil(NAIVE)).collect();
    check(&objective, &naive, &names, &some);

    let planes = rate(expressions, || drop(black_box(objective.search())));
    let walked = rate(some.len(), || {
        some.iter().for_each(|expr| {
            black_box(naive.score(expr));
        })
    });
    println!("{ops:>5} {expressions:>12} {planes:>16.0} {walked:>16.0} {:>8.0}", planes / walked);
}

/// Both ways give the same S, or the comparison means nothing.
fn check(objective: &Objective<'_>, naive: &Naive, names: &[String], some: &[Expr<usize>]) {
    for expr in some {
        let Ok(named) = expr.try_map(&mut |column| Ok::<_, std::convert::Infallible>(names[*column].clone()));
        let score = objective.score(Some(&named)).expect("known ops");
        assert!((score.s - naive.score(expr)).abs() < 1e-9, "{named}");
    }
}

/// Calls a second, by the fastest of some runs: other load on the machine only slows.
fn rate(calls: usize, work: impl Fn()) -> f64 {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    calls as f64 / times[0].as_secs_f64()
}

fn random(names: &[String], items: usize, purpose: &str) -> Matrix {
    let mut stream = Stream::new(0, 0, purpose);
    let states: Vec<State> = (0..names.len() * items)
        .map(|_| [State::Drawback, State::Clean, State::Clean, State::Abstain][stream.below(4)])
        .collect();
    Matrix::from_fn(names, items, |op, item| states[op * items + item])
}

/// Every expression of the search, as trees over column numbers.
fn every(ops: usize) -> impl Iterator<Item = Expr<usize>> {
    let pairs = move |a: usize| (a + 1..ops).map(move |b| vec![a, b]);
    let triples = move |a: usize| (a + 1..ops).flat_map(move |b| (b + 1..ops).map(move |c| vec![a, b, c]));
    let joined = (0..ops).flat_map(move |a| pairs(a).chain(triples(a))).flat_map(|set| {
        let leaves = || set.iter().map(|column| Expr::Op(*column)).collect::<Vec<_>>();
        let votes: Vec<_> = (2..=set.len()).map(|least| Expr::Vote(least as u32, leaves())).collect();
        [Expr::Any(leaves()), Expr::All(leaves())].into_iter().chain(votes)
    });
    (0..ops).map(Expr::Op).chain(joined)
}

/// S item by item, each tree walked anew.
struct Naive {
    dev: Vec<(Vec<State>, bool)>,
    train: Vec<(Vec<State>, bool)>,
}

impl Naive {
    fn new(objective: &Objective<'_>, ops: usize) -> Self {
        let evidence = objective.evidence();
        let row = |matrix: &Matrix, item: usize| (0..ops).map(|op| matrix.state(op, item)).collect::<Vec<_>>();
        let dev = (0..DEV).map(|item| (row(evidence.dev, item), evidence.dev_fails.get(item))).collect();
        let consensus = objective.consensus();
        let agreed = |item: &usize| consensus.drawback.get(*item) || consensus.clean.get(*item);
        let train = (0..TRAIN).filter(agreed).map(|item| (row(evidence.train, item), consensus.drawback.get(item)));
        Self { dev, train: train.collect() }
    }

    fn score(&self, expr: &Expr<usize>) -> f64 {
        let share = |items: &[(Vec<State>, bool)], of: &dyn Fn(bool) -> bool| {
            let opined = items
                .iter()
                .filter(|(_, wanted)| of(*wanted))
                .filter_map(|(states, wanted)| self.value(expr, states).map(|value| value == *wanted));
            let (right, all) = opined.fold((0, 0), |(right, all), good| (right + usize::from(good), all + 1));
            if all == 0 { 0.0 } else { right as f64 / all as f64 }
        };
        let (fail, pass) = (share(&self.dev, &|wanted| wanted), share(&self.dev, &|wanted| !wanted));
        (2.0 * fail + pass) / 3.0 * share(&self.train, &|_| true)
    }

    fn value(&self, expr: &Expr<usize>, states: &[State]) -> Option<bool> {
        let count = |children: &[Expr<usize>]| {
            let known = children.iter().filter_map(|child| self.value(child, states));
            known.fold((0, 0), |(ones, all), value| (ones + u32::from(value), all + 1))
        };
        let over = |children, rule: &dyn Fn(u32, u32) -> bool| {
            let (ones, all) = count(children);
            (all > 0).then(|| rule(ones, all))
        };
        match expr {
            Expr::Op(column) => match states[*column] {
                State::Drawback => Some(true),
                State::Clean => Some(false),
                State::Abstain | State::Fault => None,
            },
            Expr::Any(children) => over(children, &|ones, _| ones > 0),
            Expr::All(children) => over(children, &|ones, all| ones == all),
            Expr::Vote(least, children) => over(children, &|ones, _| ones >= *least),
            Expr::Not(child) => self.value(child, states).map(|value| !value),
            Expr::Weighted(..) => unreachable!("the search has no weighted expressions"),
        }
    }
}
