//! S(e) of an expression on ten labelled and many unlabelled outputs, with its guards (METHOD section 4).
//!
//! One expression and a whole search go through the same counts and the same formula. S is kept in whole units of
//! 10^-12, so that scores that are equal on paper are equal here.

use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::config::{Config, Guards};
use super::consensus::{Consensus, Voter, consensus};
use super::ties::TieSet;
use crate::expr::{Bits, Expr, Lanes, Matrix, Planes, Scorer, UnknownOp, search};

const UNITS: f64 = 1e12;

/// What selection may read. Both matrices have the same ops in the same order.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'e> {
    pub dev: &'e Matrix,
    /// Dev items labelled fail; the others are labelled pass.
    pub dev_fails: &'e Bits,
    /// Dev items whose output fails the root: every metric fails them.
    pub dev_root: &'e Bits,
    pub train: &'e Matrix,
    /// Train items whose output fails the root: they leave the consensus.
    pub train_root: &'e Bits,
}

/// An op of the pool, as far as selection is concerned; the pool lies in column order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Asks a model, which costs.
    pub judge: bool,
    /// Votes and may be a leaf; a shadow does neither.
    pub active: bool,
}

/// Why an expression may not be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    DevFails,
    DevPasses,
    Consensus,
    NoDrawbackOnDev,
    NoCleanOnDev,
    NoDrawbackOnTrain,
    NoCleanOnTrain,
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guard::DevFails => "it opines on fewer than half of the dev items labelled fail",
            Guard::DevPasses => "it opines on fewer than half of the dev items labelled pass",
            Guard::Consensus => "it opines on fewer than half of the train outputs that have a consensus",
            Guard::NoDrawbackOnDev => "it finds no drawback in any dev output",
            Guard::NoCleanOnDev => "it finds no dev output clean",
            Guard::NoDrawbackOnTrain => "it finds no drawback in any train output",
            Guard::NoCleanOnTrain => "it finds no train output clean",
        })
    }
}

/// What an expression scores, and whether it may be selected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// S in units of 10^-12.
    pub points: i64,
    pub a_dev: f64,
    pub a_train: f64,
    pub cost: f64,
    /// Dev and train outputs on which the metric has an opinion.
    pub coverage: usize,
    pub leaves: usize,
    pub judges: usize,
    pub refused: Option<Guard>,
}

impl Score {
    pub fn s(&self) -> f64 {
        self.points as f64 / UNITS
    }

    /// Best-so-far: a challenger takes an incumbent's place only by a strictly greater S.
    pub fn replaces(&self, incumbent: &Score) -> bool {
        self.refused.is_none() && (incumbent.refused.is_some() || self.points > incumbent.points)
    }
}

/// S frozen for one round: evidence, consensus, and the incumbent's margins.
pub struct Objective<'e> {
    config: Config,
    evidence: Evidence<'e>,
    pool: Vec<Member>,
    consensus: Consensus,
    margins: Vec<BigRational>,
    masks: Masks,
}

/// Which items count where, in the words of dev followed by those of train. Items that fail the root are in none:
/// what they add is the same for every expression.
struct Masks {
    dev_words: usize,
    dev: Vec<u64>,
    fail: Vec<u64>,
    train: Vec<u64>,
    drawback: Vec<u64>,
    clean: Vec<u64>,
    /// Failing and passing dev items; of each, those that fail the root.
    fails: usize,
    passes: usize,
    root_fails: usize,
    root_passes: usize,
    agreed: usize,
}

/// What the leaves of an expression opine on.
pub struct Opened {
    fail: usize,
    pass: usize,
    /// Dev and train items with an opinion of the expression's own.
    dev: usize,
    train: usize,
    clean: usize,
    agreed: usize,
    leaves: usize,
    judges: usize,
}

/// Of those, where it is 1.
struct Ones {
    fail: usize,
    dev: usize,
    train: usize,
    agree_drawback: usize,
    miss_clean: usize,
}

impl<'e> Objective<'e> {
    /// Freezes a round. Without an incumbent, as before round 0, every vote weighs one.
    ///
    /// # Panics
    /// If the two matrices, the pool and the label rows do not describe the same ops and items.
    pub fn new(
        config: Config,
        evidence: Evidence<'e>,
        pool: &[Member],
        incumbent: Option<&Expr>,
    ) -> Result<Self, UnknownOp> {
        let margins = margins(&config, &evidence, pool, incumbent)?;
        Ok(Self::with_margins(config, evidence, pool, margins))
    }

    /// The same with the margins given, one for each op in column order.
    ///
    /// # Panics
    /// As `new`.
    pub fn with_margins(config: Config, evidence: Evidence<'e>, pool: &[Member], margins: Vec<BigRational>) -> Self {
        assert_eq!(evidence.dev.ops(), evidence.train.ops(), "dev and train were judged by the same ops");
        assert_eq!([pool.len(), margins.len()], [evidence.dev.ops().len(); 2], "every op is a member of the pool");
        let voters = pool.iter().zip(&margins).enumerate().filter(|(_, (member, _))| member.active);
        let voters: Vec<_> = voters.map(|(column, (_, m))| Voter { column, weight: config.vote(m) }).collect();
        let consensus = consensus(evidence.train, evidence.train_root, &voters);
        let masks = Masks::new(&evidence, &consensus);
        Self { config, evidence, pool: pool.to_vec(), consensus, margins, masks }
    }

    pub fn consensus(&self) -> &Consensus {
        &self.consensus
    }

    /// m of each op: A_dev(incumbent) - A_dev(incumbent without it), in column order.
    pub fn margins(&self) -> &[BigRational] {
        &self.margins
    }

    pub fn evidence(&self) -> &Evidence<'e> {
        &self.evidence
    }

    /// The score of one expression; `None` is "pass everything".
    pub fn score(&self, expr: Option<&Expr>) -> Result<Score, UnknownOp> {
        let Some(expr) = expr else {
            let (dev, train) = (Planes::clean(self.evidence.dev.items()), Planes::clean(self.evidence.train.items()));
            return Ok(self.score_values(&[], &dev, &train));
        };
        let bound = self.evidence.dev.bind(expr)?;
        let leaves: Vec<usize> = bound.leaves().into_iter().copied().collect();
        Ok(self.score_values(&leaves, &self.evidence.dev.values_of(&bound), &self.evidence.train.values_of(&bound)))
    }

    /// Scores every expression of up to three leaves over the active ops.
    pub fn search(&self) -> TieSet {
        let columns: Vec<usize> = (0..self.pool.len()).filter(|column| self.pool[*column].active).collect();
        let lanes = Lanes::of(&[self.evidence.dev, self.evidence.train], &columns);
        TieSet::new(search(&lanes, self), self.evidence.dev.ops().to_vec())
    }

    fn score_values(&self, leaves: &[usize], dev: &Planes, train: &Planes) -> Score {
        let opened = self.opened(leaves, &[dev.known.words(), train.known.words()].concat());
        let ones = self.ones(&[dev.one.words(), train.one.words()].concat());
        let (a_dev, a_train) = self.agreements(&opened, &ones);
        Score {
            points: self.points(&opened, &ones),
            a_dev,
            a_train,
            cost: self.config.cost(opened.leaves, opened.judges),
            coverage: opened.fail + opened.pass + opened.train,
            leaves: opened.leaves,
            judges: opened.judges,
            refused: self.coverage_guard(&opened).or_else(|| self.validity_gate(&opened, &ones)),
        }
    }

    fn opened(&self, leaves: &[usize], known: &[u64]) -> Opened {
        let masks = &self.masks;
        let (dev_known, train_known) = known.split_at(masks.dev_words);
        let dev = common(dev_known, &masks.dev);
        let fail = common(dev_known, &masks.fail);
        let (clean, drawback) = (common(train_known, &masks.clean), common(train_known, &masks.drawback));
        Opened {
            fail: fail + masks.root_fails,
            pass: dev - fail + masks.root_passes,
            dev,
            train: common(train_known, &masks.train),
            clean,
            agreed: clean + drawback,
            leaves: leaves.len(),
            judges: leaves.iter().filter(|leaf| self.pool[**leaf].judge).count(),
        }
    }

    fn ones(&self, one: &[u64]) -> Ones {
        let masks = &self.masks;
        let (dev, train) = one.split_at(masks.dev_words);
        Ones {
            fail: common(dev, &masks.fail),
            dev: common(dev, &masks.dev),
            train: common(train, &masks.train),
            agree_drawback: common(train, &masks.drawback),
            miss_clean: common(train, &masks.clean),
        }
    }

    /// Recalls on dev: right of opined, for each class, the root included.
    fn right(&self, opened: &Opened, ones: &Ones) -> (usize, usize) {
        let right_fail = ones.fail + self.masks.root_fails;
        let right_pass = opened.pass - self.masks.root_passes - (ones.dev - ones.fail);
        (right_fail, right_pass)
    }

    fn agreements(&self, opened: &Opened, ones: &Ones) -> (f64, f64) {
        let empty = if self.config.guards == Guards::Open { 1.0 } else { 0.0 };
        let share = |part: usize, of: usize| if of == 0 { empty } else { part as f64 / of as f64 };
        let (right_fail, right_pass) = self.right(opened, ones);
        let Config { weight_fail, weight_pass, .. } = self.config;
        let recalls = weight_fail * share(right_fail, opened.fail) + weight_pass * share(right_pass, opened.pass);
        let agree = ones.agree_drawback + opened.clean - ones.miss_clean;
        (recalls / (weight_fail + weight_pass), share(agree, opened.agreed))
    }

    fn points(&self, opened: &Opened, ones: &Ones) -> i64 {
        let (a_dev, a_train) = self.agreements(opened, ones);
        let power = self.config.train_power;
        let train = if power == 1.0 { a_train } else { a_train.powf(power) };
        ((a_dev * train - self.config.cost(opened.leaves, opened.judges)) * UNITS).round() as i64
    }

    /// Fail-closed: an opinion on at least half of the dev items of each class and of the consensus items.
    fn coverage_guard(&self, opened: &Opened) -> Option<Guard> {
        let short = |opined: usize, of: usize| 2 * opined < of;
        match self.config.guards {
            Guards::Open => None,
            Guards::Closed if short(opened.fail, self.masks.fails) => Some(Guard::DevFails),
            Guards::Closed if short(opened.pass, self.masks.passes) => Some(Guard::DevPasses),
            Guards::Closed if short(opened.agreed, self.masks.agreed) => Some(Guard::Consensus),
            Guards::Closed => None,
        }
    }

    /// At least one 1 and one 0 of the expression's own, not of the root, on dev and on train.
    fn validity_gate(&self, opened: &Opened, ones: &Ones) -> Option<Guard> {
        match self.config.guards {
            Guards::Open => None,
            Guards::Closed if ones.dev == 0 => Some(Guard::NoDrawbackOnDev),
            Guards::Closed if ones.dev == opened.dev => Some(Guard::NoCleanOnDev),
            Guards::Closed if ones.train == 0 => Some(Guard::NoDrawbackOnTrain),
            Guards::Closed if ones.train == opened.train => Some(Guard::NoCleanOnTrain),
            Guards::Closed => None,
        }
    }
}

impl Scorer for Objective<'_> {
    type Opened = Opened;

    fn open(&self, leaves: &[usize], known: &[u64]) -> Option<Opened> {
        let opened = self.opened(leaves, known);
        self.coverage_guard(&opened).is_none().then_some(opened)
    }

    fn score(&self, opened: &Opened, one: &[u64]) -> Option<i64> {
        let ones = self.ones(one);
        self.validity_gate(opened, &ones).is_none().then(|| self.points(opened, &ones))
    }
}

impl Masks {
    fn new(evidence: &Evidence<'_>, consensus: &Consensus) -> Self {
        let (fails, root) = (evidence.dev_fails, evidence.dev_root);
        let all = Bits::all(evidence.dev.items());
        let root_fails = root.and(fails).count();
        Self {
            dev_words: all.words().len(),
            dev: all.and_not(root).words().to_vec(),
            fail: fails.and_not(root).words().to_vec(),
            train: Bits::all(evidence.train.items()).and_not(evidence.train_root).words().to_vec(),
            drawback: consensus.drawback.words().to_vec(),
            clean: consensus.clean.words().to_vec(),
            fails: fails.count(),
            passes: all.count() - fails.count(),
            root_fails,
            root_passes: root.count() - root_fails,
            agreed: consensus.drawback.count() + consensus.clean.count(),
        }
    }
}

fn common(words: &[u64], mask: &[u64]) -> usize {
    words.iter().zip(mask).map(|(word, mask)| (word & mask).count_ones() as usize).sum()
}

/// A_dev as an exact rational, which votes need.
fn dev_agreement(config: &Config, evidence: &Evidence<'_>, expr: Option<&Expr>) -> Result<BigRational, UnknownOp> {
    let values = match expr {
        Some(expr) => evidence.dev.values(expr)?,
        None => Planes::clean(evidence.dev.items()),
    };
    let (fails, passes) = (evidence.dev_fails, Bits::all(evidence.dev.items()).and_not(evidence.dev_fails));
    let (known, one) = (values.known.or(evidence.dev_root), values.one.or(evidence.dev_root));
    let recall = |right: Bits, opined: Bits| match (opined.count(), config.guards) {
        (0, Guards::Open) => BigRational::one(),
        (0, Guards::Closed) => BigRational::zero(),
        (opined, _) => BigRational::new(BigInt::from(right.count()), BigInt::from(opined)),
    };
    let recall_fail = recall(one.and(fails), known.and(fails));
    let recall_pass = recall(known.and_not(&one).and(&passes), known.and(&passes));
    Ok(config.dev_agreement(recall_fail, recall_pass))
}

fn margins(
    config: &Config,
    evidence: &Evidence<'_>,
    pool: &[Member],
    incumbent: Option<&Expr>,
) -> Result<Vec<BigRational>, UnknownOp> {
    let mut margins = vec![BigRational::zero(); pool.len()];
    let Some(incumbent) = incumbent else { return Ok(margins) };
    let whole = dev_agreement(config, evidence, Some(incumbent))?;
    for op in incumbent.ops() {
        let column = evidence.dev.column(op).ok_or_else(|| UnknownOp(op.into()))?;
        if pool[column].active {
            margins[column] = &whole - dev_agreement(config, evidence, incumbent.without(op).as_ref())?;
        }
    }
    Ok(margins)
}
