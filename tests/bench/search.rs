//! Exhaustive search by behaviour and under bounds, against a scorer that walks every tree item by item, in one run.
//!
//! `cargo bench --bench search` prints medians. "covered" counts every expression of the grammar, those that bounds and
//! equal behaviours settle included; "evaluated" counts only expressions whose train outputs were all counted, with the
//! bounds off, so that neither pruning nor dedup helps it.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

use gradus::base::rng::Stream;
use gradus::expr::{Bits, Effort, Expr, Grammar, Matrix, State, Tally};
use gradus::objective::{Config, Evidence, Member, Objective};

const DEV: usize = 10;
const RUNS: usize = 5;
/// The plain way is timed on this many expressions.
const PLAIN: usize = 400;

fn main() {
    println!("S with guards, 10 dev outputs, {RUNS} runs each (one for five leaves)");
    println!(
        "{:<10} {:>4} {:>6} {:>15} {:>9} {:>12} {:>10} {:>13} {:>12} {:>9} {:>9}",
        "grammar",
        "ops",
        "train",
        "expressions",
        "seconds",
        "covered /s",
        "counted",
        "evaluated /s",
        "plain /s",
        "cov ratio",
        "ev ratio"
    );
    measure(Grammar::flat(3), 100, 60, RUNS);
    measure(Grammar::nested(3), 40, 1_200, RUNS);
    measure(Grammar::nested(4), 40, 1_200, RUNS);
    others();
    measure(Grammar::nested(5), 40, 1_200, 1);
}

fn measure(grammar: Grammar, ops: usize, train: usize, runs: usize) {
    let world = World::new(ops, train);
    let objective = world.objective();
    let tally = Cell::new(Tally::default());
    let seconds = median(runs, || tally.set(black_box(objective.search_counting(grammar, Effort::default())).1));
    let tally = tally.get();
    let covered = grammar.count(ops) as f64 / seconds;
    let unbounded = Effort { bounded: false, ..Effort::default() };
    let unbounded = (grammar.leaves() < 5).then(|| {
        let (_, tally) = objective.search_counting(grammar, unbounded);
        tally.counted as f64 / median(runs.min(3), || drop(black_box(objective.search_counting(grammar, unbounded))))
    });
    let plain = plain_rate(&world, &objective, grammar, ops);
    let shown = |rate: Option<f64>| rate.map_or("-".into(), |rate| format!("{rate:.0}"));
    println!(
        "{:<10} {ops:>4} {train:>6} {:>15} {seconds:>9.4} {covered:>12.0} {:>10} {:>13} {plain:>12.0} {:>9.0} {:>9}",
        format!("{}({})", if grammar.is_nested() { "nested" } else { "flat" }, grammar.leaves()),
        grammar.count(ops),
        tally.counted,
        shown(unbounded),
        covered / plain,
        shown(unbounded.map(|rate| rate / plain)),
    );
}

/// The walk of every flat expression, ties and all, and what curating asks once a round.
fn others() {
    let world = World::new(100, 60);
    let objective = world.objective();
    let scored = objective.search().scored();
    let seconds = median(RUNS, || drop(black_box(objective.search())));
    println!("search(): {scored} flat expressions of <= 3 leaves, 100 ops, 60 train outputs: {seconds:.4} s");
    let world = World::new(40, 1_200);
    let objective = world.objective();
    for grammar in [Grammar::flat(3), Grammar::nested(3)] {
        let seconds = median(1, || drop(black_box(objective.fitness_outside(grammar))));
        println!(
            "fitness_outside({}({})), 40 ops, 1200 train outputs: {seconds:.3} s",
            if grammar.is_nested() { "nested" } else { "flat" },
            grammar.leaves()
        );
    }
    let ties = objective.search_in(Grammar::nested(4));
    let seconds = median(RUNS, || drop(black_box(ties.next_labels(&world.train, 5))));
    println!("next_labels: {} tied behaviours over 1200 outputs, five labels: {seconds:.4} s", ties.size());
}

fn median(runs: usize, work: impl Fn()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// Both ways give the same S, or the comparison means nothing.
fn plain_rate(world: &World, objective: &Objective<'_>, grammar: Grammar, ops: usize) -> f64 {
    let plain = Plain::new(world, objective);
    let sample = sample(grammar, ops);
    for expr in &sample {
        let Ok(named) = expr.try_map(&mut |column| Ok::<_, std::convert::Infallible>(world.names[*column].clone()));
        let score = objective.score(Some(&named)).expect("known ops");
        match plain.score(expr) {
            Some(s) => assert!(score.refused.is_none() && (score.s - s).abs() < 1e-9, "{named}"),
            None => assert!(score.refused.is_some(), "{named}"),
        }
    }
    let seconds = median(3, || {
        sample.iter().for_each(|expr| {
            black_box(plain.score(expr));
        })
    });
    sample.len() as f64 / seconds
}

/// Expressions of the grammar in their true mix of shapes, with ops drawn at random.
fn sample(grammar: Grammar, ops: usize) -> Vec<Expr<usize>> {
    // Of five leaves the list would not fit; four are the cheaper, so the plain way is the faster for it.
    let few = if grammar.is_nested() && grammar.leaves() > 4 { Grammar::nested(4) } else { grammar };
    let listed = few.expressions(6);
    let mut stream = Stream::new(0, 0, "sample");
    (0..PLAIN)
        .map(|_| {
            let mut columns: Vec<usize> = (0..ops).collect();
            stream.shuffle(&mut columns);
            let Ok(drawn) = listed[stream.below(listed.len())]
                .try_map(&mut |column| Ok::<_, std::convert::Infallible>(columns[*column]));
            drawn
        })
        .collect()
}

/// Ops of different recall, false alarms and silence, a third of them in groups that follow one hidden signal; outputs in
/// tasks of twenty and of different difficulty.
struct World {
    names: Vec<String>,
    dev: Matrix,
    dev_fails: Bits,
    train: Matrix,
    none: [Bits; 2],
    pool: Vec<Member>,
}

impl World {
    fn new(ops: usize, train: usize) -> Self {
        let names: Vec<String> = (0..ops).map(|op| format!("op_{op}")).collect();
        let mut stream = Stream::new(0, 0, "search bench");
        let kinds = [(0.35, 0.02), (0.5, 0.15), (0.2, 0.15), (0.7, 0.25), (0.6, 0.05)];
        let ops_drawn: Vec<(f64, f64, f64, Option<usize>)> = (0..ops)
            .map(|op| {
                let (recall, alarm) = kinds[op % kinds.len()];
                let silent = [0.0, 0.05, 0.3][stream.below(3)];
                let spread = 0.7 + 0.6 * stream.unit();
                (recall * spread, alarm * spread, silent, (op % 3 == 0).then_some(op % 4))
            })
            .collect();
        let mut rows = |fails: &[bool]| -> Vec<Vec<State>> {
            let row = |fails: &bool| {
                let signals: Vec<bool> = (0..4).map(|_| stream.unit() < if *fails { 0.55 } else { 0.1 }).collect();
                let state = |(recall, alarm, silent, group): &(f64, f64, f64, Option<usize>)| {
                    let own = stream.unit() < if *fails { *recall } else { *alarm };
                    let follows = stream.unit() < 0.7;
                    let fires = group.filter(|_| follows).map_or(own, |group| signals[group]);
                    match (stream.unit() < *silent, fires) {
                        (true, _) => State::Abstain,
                        (false, true) => State::Drawback,
                        (false, false) => State::Clean,
                    }
                };
                ops_drawn.iter().map(state).collect()
            };
            fails.iter().map(row).collect()
        };
        let matrix = |rows: Vec<Vec<State>>| Matrix::from_fn(&names, rows.len(), |op, item| rows[item][op]);
        let dev = matrix(rows(&(0..DEV).map(|item| item < DEV / 2).collect::<Vec<_>>()));
        let mut tasks = Stream::new(0, 0, "search bench tasks");
        let rates: Vec<f64> = (0..train.div_ceil(20)).map(|_| 0.1 + 0.6 * tasks.unit()).collect();
        let fails: Vec<bool> = (0..train).map(|item| tasks.unit() < rates[item / 20]).collect();
        let train = matrix(rows(&fails));
        Self {
            dev_fails: Bits::from_fn(DEV, |item| item < DEV / 2),
            none: [Bits::none(DEV), Bits::none(train.items())],
            pool: (0..ops).map(|op| Member { judge: op % 10 == 9, active: true }).collect(),
            names,
            dev,
            train,
        }
    }

    fn objective(&self) -> Objective<'_> {
        let [dev_root, train_root] = &self.none;
        let evidence =
            Evidence { dev: &self.dev, dev_fails: &self.dev_fails, dev_root, train: &self.train, train_root };
        Objective::new(Config::default(), evidence, &self.pool, None).expect("no incumbent")
    }
}

/// S and its guards by counting, each tree walked anew for every item.
struct Plain<'o> {
    objective: &'o Objective<'o>,
    dev: Vec<(Vec<State>, bool)>,
    /// With what the consensus says, if there is one.
    train: Vec<(Vec<State>, Option<bool>)>,
}

#[derive(Default)]
struct Counts {
    opined: usize,
    right: usize,
    of: usize,
}

impl Counts {
    fn add(&mut self, value: Option<bool>, wanted: bool) {
        self.of += 1;
        self.opined += usize::from(value.is_some());
        self.right += usize::from(value == Some(wanted));
    }

    fn share(&self) -> f64 {
        if self.opined == 0 { 0.0 } else { self.right as f64 / self.opined as f64 }
    }
}

impl<'o> Plain<'o> {
    fn new(world: &World, objective: &'o Objective<'o>) -> Self {
        let row =
            |matrix: &Matrix, item: usize| (0..world.names.len()).map(|op| matrix.state(op, item)).collect::<Vec<_>>();
        let consensus = objective.consensus();
        let wanted = |item| match (consensus.drawback.get(item), consensus.clean.get(item)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let dev = (0..DEV).map(|item| (row(&world.dev, item), world.dev_fails.get(item))).collect();
        let train = (0..world.train.items()).map(|item| (row(&world.train, item), wanted(item))).collect();
        Self { objective, dev, train }
    }

    fn score(&self, expr: &Expr<usize>) -> Option<f64> {
        let (mut fail, mut pass, mut agreed) = (Counts::default(), Counts::default(), Counts::default());
        let mut said = [[false; 2]; 2];
        for (states, fails) in &self.dev {
            let value = value(expr, states);
            value.into_iter().for_each(|value| said[0][usize::from(value)] = true);
            if *fails { fail.add(value, true) } else { pass.add(value, false) }
        }
        for (states, wanted) in &self.train {
            let value = value(expr, states);
            value.into_iter().for_each(|value| said[1][usize::from(value)] = true);
            wanted.iter().for_each(|wanted| agreed.add(value, *wanted));
        }
        let covers = |counts: &Counts| 2 * counts.opined >= counts.of;
        let allowed = [&fail, &pass, &agreed].into_iter().all(covers) && said == [[true; 2]; 2];
        let (leaves, judges) = self.cost(expr);
        let a_dev = (2.0 * fail.share() + pass.share()) / 3.0;
        allowed.then(|| a_dev * agreed.share() - self.objective.config().cost(leaves, judges))
    }

    fn cost(&self, expr: &Expr<usize>) -> (usize, usize) {
        let leaves = expr.leaves();
        (leaves.len(), leaves.iter().filter(|column| self.objective.pool()[***column].judge).count())
    }
}

fn value(expr: &Expr<usize>, states: &[State]) -> Option<bool> {
    let (least, children) = match expr {
        Expr::Op(column) => {
            return match states[*column] {
                State::Drawback => Some(true),
                State::Clean => Some(false),
                State::Abstain | State::Fault => None,
            };
        }
        Expr::Any(children) => (Some(1), children),
        Expr::All(children) => (None, children),
        Expr::Vote(least, children) => (Some(*least), children),
        Expr::Not(_) | Expr::Weighted(..) => unreachable!("the grammar has neither"),
    };
    let (mut ones, mut known) = (0, 0);
    for child in children {
        if let Some(value) = value(child, states) {
            known += 1;
            ones += u32::from(value);
        }
    }
    (known > 0).then(|| ones >= least.unwrap_or(known))
}
