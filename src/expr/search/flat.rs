//! Exhaustive search: every `any`, `all` and `vote` of up to three leaves, scored on bit planes.
//!
//! What a score means is the caller's; here is only the enumeration, the values, and the whole set of ties.

use crate::expr::planes::Matrix;
use crate::expr::tree::Expr;

/// Some columns of one or more matrices, whole words side by side: the items of the second start at a fresh word.
#[derive(Debug, Clone)]
pub struct Lanes {
    width: usize,
    columns: Vec<usize>,
    known: Vec<u64>,
    one: Vec<u64>,
}

impl Lanes {
    /// `columns` are column numbers that mean the same op in every matrix.
    pub fn of(matrices: &[&Matrix], columns: &[usize]) -> Self {
        let each = |rows: fn(&Matrix, usize) -> &[u64]| {
            let pairs = columns.iter().flat_map(|&column| matrices.iter().map(move |matrix| (matrix, column)));
            pairs.flat_map(|(matrix, column)| rows(matrix, column).iter().copied()).collect()
        };
        Self {
            width: matrices.iter().map(|matrix| matrix.items().div_ceil(64)).sum(),
            columns: columns.to_vec(),
            known: each(|matrix, column| matrix.planes(column).known.words()),
            one: each(|matrix, column| matrix.planes(column).one.words()),
        }
    }

    fn row(&self, at: usize) -> (&[u64], &[u64]) {
        let range = at * self.width..(at + 1) * self.width;
        (&self.known[range.clone()], &self.one[range])
    }
}

/// How a candidate joins its leaves. `Vote` stands for two votes or more; one vote is `Any`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    Op,
    Any,
    All,
    Vote(u8),
}

/// One expression of up to three leaves, in few bytes: tie sets can be large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    shape: Shape,
    count: u8,
    columns: [u32; 3],
}

impl Candidate {
    fn new(shape: Shape, leaves: &[usize]) -> Self {
        let mut columns = [0; 3];
        columns.iter_mut().zip(leaves).for_each(|(column, leaf)| *column = *leaf as u32);
        Self { shape, count: leaves.len() as u8, columns }
    }

    /// The candidate as an expression over column numbers.
    pub fn bound(&self) -> Expr<usize> {
        let leaves = self.columns[..usize::from(self.count)].iter().map(|&column| Expr::Op(column as usize));
        match self.shape {
            Shape::Op => Expr::Op(self.columns[0] as usize),
            Shape::Any => Expr::Any(leaves.collect()),
            Shape::All => Expr::All(leaves.collect()),
            Shape::Vote(least) => Expr::Vote(u32::from(least), leaves.collect()),
        }
    }

    /// The candidate in its canonical form over op names in column order.
    pub fn expr(&self, ops: &[String]) -> Expr {
        let Ok(named) = self.bound().try_map(&mut |column| Ok::<_, std::convert::Infallible>(ops[*column].clone()));
        named.canonical()
    }
}

/// Scores that differ by no more than this are equal on paper: rounding moves a score by some 10^-16, and different
/// shares of countable items lie further apart.
pub const SAME_SCORE: f64 = 1e-12;

/// What a caller scores by. Values come word by word, in the order of `Lanes`, so that a scorer that can tell from a
/// few items pays for no more.
pub trait Scorer {
    type Opened;

    /// Judges the leaves (column numbers) and the items that expressions over them opine on; `None` rejects them all.
    fn open(&self, leaves: &[usize], known: &impl Fn(usize) -> u64) -> Option<Self::Opened>;

    /// The score of one expression that is 1 on `one`; `None` rejects it, as may be done with one below `floor`.
    fn score(
        &self,
        opened: &Self::Opened,
        known: &impl Fn(usize) -> u64,
        one: &impl Fn(usize) -> u64,
        floor: f64,
    ) -> Option<f64>;
}

/// The best score and every expression that reaches it, in order of enumeration.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// How many expressions were looked at.
    pub scored: u64,
    pub best: Option<f64>,
    pub ties: Vec<Candidate>,
}

/// Scores `o`, `(any …)`, `(all …)` and `(vote K …)` for every set of up to three columns and every 2 <= K <= leaves.
pub fn search<S: Scorer>(lanes: &Lanes, scorer: &S) -> Found {
    let mut run = Run { scorer, found: Found::default() };
    let mut pair = Pair::sized(lanes.width);
    for a in 0..lanes.columns.len() {
        let first = lanes.row(a);
        run.single(&[lanes.columns[a]], first);
        for b in a + 1..lanes.columns.len() {
            pair.join(first, lanes.row(b));
            run.pair(&[lanes.columns[a], lanes.columns[b]], &pair);
            for c in b + 1..lanes.columns.len() {
                run.triple(&[lanes.columns[a], lanes.columns[b], lanes.columns[c]], &pair, lanes.row(c));
            }
        }
    }
    run.found
}

/// What two leaves have in common, for all third leaves.
struct Pair {
    known: Vec<u64>,
    zero: Vec<u64>,
    either: Vec<u64>,
    both: Vec<u64>,
}

impl Pair {
    fn sized(width: usize) -> Self {
        let row = || vec![0; width];
        Self { known: row(), zero: row(), either: row(), both: row() }
    }

    fn join(&mut self, (known_a, one_a): (&[u64], &[u64]), (known_b, one_b): (&[u64], &[u64])) {
        for at in 0..self.known.len() {
            let (known_a, one_a, known_b, one_b) = (known_a[at], one_a[at], known_b[at], one_b[at]);
            self.known[at] = known_a | known_b;
            self.zero[at] = known_a & !one_a | known_b & !one_b;
            self.either[at] = one_a | one_b;
            self.both[at] = one_a & one_b;
        }
    }
}

struct Run<'s, S> {
    scorer: &'s S,
    found: Found,
}

impl<S: Scorer> Run<'_, S> {
    fn single(&mut self, leaves: &[usize], (known, one): (&[u64], &[u64])) {
        self.found.scored += 1;
        let known = |at: usize| known[at];
        if let Some(opened) = self.scorer.open(leaves, &known) {
            self.take(Shape::Op, leaves, &opened, &known, |at| one[at]);
        }
    }

    fn pair(&mut self, leaves: &[usize], pair: &Pair) {
        self.found.scored += 3;
        let known = |at: usize| pair.known[at];
        if let Some(opened) = self.scorer.open(leaves, &known) {
            self.take(Shape::Any, leaves, &opened, &known, |at| pair.either[at]);
            self.take(Shape::All, leaves, &opened, &known, |at| pair.known[at] & !pair.zero[at]);
            self.take(Shape::Vote(2), leaves, &opened, &known, |at| pair.both[at]);
        }
    }

    fn triple(&mut self, leaves: &[usize], pair: &Pair, (third, one): (&[u64], &[u64])) {
        self.found.scored += 4;
        let known = |at: usize| pair.known[at] | third[at];
        if let Some(opened) = self.scorer.open(leaves, &known) {
            self.take(Shape::Any, leaves, &opened, &known, |at| pair.either[at] | one[at]);
            self.take(Shape::All, leaves, &opened, &known, |at| known(at) & !(pair.zero[at] | third[at] & !one[at]));
            self.take(Shape::Vote(2), leaves, &opened, &known, |at| pair.both[at] | pair.either[at] & one[at]);
            self.take(Shape::Vote(3), leaves, &opened, &known, |at| pair.both[at] & one[at]);
        }
    }

    fn take(
        &mut self,
        shape: Shape,
        leaves: &[usize],
        opened: &S::Opened,
        known: &impl Fn(usize) -> u64,
        one: impl Fn(usize) -> u64,
    ) {
        let best = self.found.best.unwrap_or(f64::NEG_INFINITY);
        let Some(score) = self.scorer.score(opened, known, &one, best - SAME_SCORE) else { return };
        if score > best + SAME_SCORE {
            self.found.best = Some(score);
            self.found.ties.clear();
        }
        if score >= best - SAME_SCORE {
            self.found.ties.push(Candidate::new(shape, leaves));
        }
    }
}
