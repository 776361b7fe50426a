//! S(e) of an expression on ten labelled and many unlabelled outputs, with its guards (METHOD section 4).
//!
//! One expression and a whole search go through the same counts and the same formula.

use std::fmt;

use num_rational::BigRational;

use super::config::{Config, Guards};
use super::consensus::{Consensus, Voter, consensus};
use super::margins::margins;
use crate::expr::{Bits, Expr, Goal, Matrix, Planes, SAME_SCORE, Scorer, UnknownOp};

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
    /// S.
    pub s: f64,
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
    /// Best-so-far: a challenger takes an incumbent's place only by a strictly greater S.
    pub fn replaces(&self, incumbent: &Score) -> bool {
        self.refused.is_none() && (incumbent.refused.is_some() || self.s > incumbent.s + SAME_SCORE)
    }
}

/// S frozen for one round: evidence, consensus, and the incumbent's margins.
pub struct Objective<'e> {
    config: Config,
    evidence: Evidence<'e>,
    pool: Vec<Member>,
    voters: Vec<Voter>,
    consensus: Consensus,
    margins: Vec<BigRational>,
    masks: Masks,
}

/// Which items count where, in the words of dev followed by those of train. Items that fail the root are in none:
/// what they add is the same for every expression.
struct Masks {
    dev_words: usize,
    fail: Vec<u64>,
    pass: Vec<u64>,
    train: Vec<u64>,
    drawback: Vec<u64>,
    clean: Vec<u64>,
    /// Dev items labelled fail and pass; of each, those that fail the root.
    fails: usize,
    passes: usize,
    root_fails: usize,
    root_passes: usize,
    agreed: usize,
}

/// The dev items that an expression opines on, root included, and what its leaves cost.
pub struct Opened {
    fail: usize,
    pass: usize,
    /// What one right item of each class adds to A_dev, and what a class without opinions adds.
    per_fail: f64,
    per_pass: f64,
    silence: f64,
    leaves: usize,
    judges: usize,
    cost: f64,
}

/// What an expression says on dev: A_dev, and how many items it calls drawback and clean itself.
struct Dev {
    agreement: f64,
    drawbacks: usize,
    cleans: usize,
}

/// What an expression says on train: A_train, the consensus items it opines on, its own drawbacks and cleans.
struct Train {
    agreement: f64,
    opined: usize,
    drawbacks: usize,
    cleans: usize,
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
        Self { config, evidence, pool: pool.to_vec(), voters, consensus, margins, masks }
    }

    pub fn consensus(&self) -> &Consensus {
        &self.consensus
    }

    /// The active ops with the weights of their votes.
    pub fn voters(&self) -> &[Voter] {
        &self.voters
    }

    /// m of each op: A_dev(incumbent) - A_dev(incumbent without it), in column order.
    pub fn margins(&self) -> &[BigRational] {
        &self.margins
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The ops as selection sees them, in column order.
    pub fn pool(&self) -> &[Member] {
        &self.pool
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

    fn score_values(&self, leaves: &[usize], dev: &Planes, train: &Planes) -> Score {
        let [known, one] = [(&dev.known, &train.known), (&dev.one, &train.one)].map(|(dev, train)| {
            let words = [dev.words(), train.words()].concat();
            move |at: usize| words[at]
        });
        let opened = self.opened(leaves, &known);
        let (dev, train) = (self.on_dev(&opened, &one), self.on_train(&known, &one));
        Score {
            s: self.s(dev.agreement, train.agreement, opened.cost),
            a_dev: dev.agreement,
            a_train: train.agreement,
            cost: opened.cost,
            coverage: opened.fail + opened.pass + train.drawbacks + train.cleans,
            leaves: opened.leaves,
            judges: opened.judges,
            refused: self.dev_coverage(&opened).or_else(|| self.validity(&dev, &train)),
        }
    }

    fn opened(&self, leaves: &[usize], known: &impl Fn(usize) -> u64) -> Opened {
        let masks = &self.masks;
        let fail = common(known, 0, &masks.fail) + masks.root_fails;
        let pass = common(known, 0, &masks.pass) + masks.root_passes;
        let Config { weight_fail, weight_pass, .. } = self.config;
        let class = |weight: f64, opined: usize| {
            let weight = weight / (weight_fail + weight_pass);
            if opined == 0 { (0.0, weight * self.empty()) } else { (weight / opined as f64, 0.0) }
        };
        let ((per_fail, no_fail), (per_pass, no_pass)) = (class(weight_fail, fail), class(weight_pass, pass));
        let judges = leaves.iter().filter(|leaf| self.pool[**leaf].judge).count();
        let cost = self.config.cost(leaves.len(), judges);
        Opened { fail, pass, per_fail, per_pass, silence: no_fail + no_pass, leaves: leaves.len(), judges, cost }
    }

    fn on_dev(&self, opened: &Opened, one: &impl Fn(usize) -> u64) -> Dev {
        let masks = &self.masks;
        let (hits, false_alarms) = (common(one, 0, &masks.fail), common(one, 0, &masks.pass));
        let right_fail = (hits + masks.root_fails) as f64;
        let right_pass = (opened.pass - masks.root_passes - false_alarms) as f64;
        let own = opened.fail + opened.pass - masks.root_fails - masks.root_passes;
        Dev {
            agreement: opened.per_fail * right_fail + opened.per_pass * right_pass + opened.silence,
            drawbacks: hits + false_alarms,
            cleans: own - hits - false_alarms,
        }
    }

    fn on_train(&self, known: &impl Fn(usize) -> u64, one: &impl Fn(usize) -> u64) -> Train {
        let masks = &self.masks;
        let count = |words: &dyn Fn(usize) -> u64, mask| common(&words, masks.dev_words, mask);
        let (of_drawback, of_clean) = (count(known, &masks.drawback), count(known, &masks.clean));
        let agree = count(one, &masks.drawback) + of_clean - count(one, &masks.clean);
        let (opined, drawbacks) = (of_drawback + of_clean, count(one, &masks.train));
        Train {
            agreement: self.share(agree, opined),
            opined,
            drawbacks,
            cleans: count(known, &masks.train) - drawbacks,
        }
    }

    fn share(&self, agree: usize, opined: usize) -> f64 {
        if opined == 0 { self.empty() } else { agree as f64 / opined as f64 }
    }

    /// What the guards make of silence: the share of right opinions among none.
    fn empty(&self) -> f64 {
        match self.config.guards {
            Guards::Closed => 0.0,
            Guards::Open => 1.0,
        }
    }

    fn s(&self, a_dev: f64, a_train: f64, cost: f64) -> f64 {
        let power = self.config.train_power;
        let train = if power == 1.0 { a_train } else { a_train.powf(power) };
        a_dev * train - cost
    }

    /// Fail-closed: an opinion on at least half of the dev items of each class.
    fn dev_coverage(&self, opened: &Opened) -> Option<Guard> {
        match self.config.guards {
            Guards::Open => None,
            Guards::Closed if 2 * opened.fail < self.masks.fails => Some(Guard::DevFails),
            Guards::Closed if 2 * opened.pass < self.masks.passes => Some(Guard::DevPasses),
            Guards::Closed => None,
        }
    }

    /// Fail-closed: an opinion on at least half of the consensus items. Validity gate: at least one explicit 1 and one
    /// explicit 0 of the expression's own, not of the root, on dev and on train.
    fn validity(&self, dev: &Dev, train: &Train) -> Option<Guard> {
        self.train_coverage(train.opined)
            .or_else(|| self.on_both(dev.drawbacks, dev.cleans, [Guard::NoDrawbackOnDev, Guard::NoCleanOnDev]))
            .or_else(|| self.on_both(train.drawbacks, train.cleans, [Guard::NoDrawbackOnTrain, Guard::NoCleanOnTrain]))
    }

    fn train_coverage(&self, opined: usize) -> Option<Guard> {
        (self.config.guards == Guards::Closed && 2 * opined < self.masks.agreed).then_some(Guard::Consensus)
    }

    fn on_both(&self, drawbacks: usize, cleans: usize, [no_drawback, no_clean]: [Guard; 2]) -> Option<Guard> {
        match self.config.guards {
            Guards::Open => None,
            Guards::Closed if drawbacks == 0 => Some(no_drawback),
            Guards::Closed if cleans == 0 => Some(no_clean),
            Guards::Closed => None,
        }
    }
}

impl Scorer for Objective<'_> {
    type Opened = Opened;

    fn open(&self, leaves: &[usize], known: &impl Fn(usize) -> u64) -> Option<Opened> {
        let opened = self.opened(leaves, known);
        self.dev_coverage(&opened).is_none().then_some(opened)
    }

    /// A_train is at most 1, so dev alone, which is small, turns most expressions away.
    fn score(
        &self,
        opened: &Opened,
        known: &impl Fn(usize) -> u64,
        one: &impl Fn(usize) -> u64,
        floor: f64,
    ) -> Option<f64> {
        let dev = self.on_dev(opened, one);
        if dev.agreement - opened.cost < floor {
            return None;
        }
        let train = self.on_train(known, one);
        self.validity(&dev, &train).is_none().then(|| self.s(dev.agreement, train.agreement, opened.cost))
    }
}

/// Dev is near and train is far: A_dev is the factor, and the consensus items are those that are right or wrong.
impl Goal for Objective<'_> {
    fn near(&self, known: &[u64], one: &[u64]) -> Option<f64> {
        let opened = self.opened(&[], &|at| known[at]);
        let dev = self.on_dev(&opened, &|at| one[at]);
        let refused = self
            .dev_coverage(&opened)
            .or_else(|| self.on_both(dev.drawbacks, dev.cleans, [Guard::NoDrawbackOnDev, Guard::NoCleanOnDev]));
        refused.is_none().then_some(dev.agreement)
    }

    fn score(&self, near: f64, opined: usize, wrong: usize, leaves: usize, judges: usize) -> f64 {
        self.s(near, self.share(opined - wrong, opined), self.config.cost(leaves, judges))
    }

    fn allows(&self, opined: usize, ones: usize, zeros: usize) -> bool {
        let said = || self.on_both(ones, zeros, [Guard::NoDrawbackOnTrain, Guard::NoCleanOnTrain]);
        self.train_coverage(opined).or_else(said).is_none()
    }
}

impl Masks {
    fn new(evidence: &Evidence<'_>, consensus: &Consensus) -> Self {
        let (fails, root) = (evidence.dev_fails, evidence.dev_root);
        let all = Bits::all(evidence.dev.items());
        let root_fails = root.and(fails).count();
        Self {
            dev_words: all.words().len(),
            fail: fails.and_not(root).words().to_vec(),
            pass: all.and_not(fails).and_not(root).words().to_vec(),
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

/// Items that are set both in `words`, from `first` on, and in `mask`.
fn common(words: &impl Fn(usize) -> u64, first: usize, mask: &[u64]) -> usize {
    mask.iter().enumerate().map(|(at, mask)| (words(first + at) & mask).count_ones() as usize).sum()
}
