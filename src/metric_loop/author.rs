//! Who writes ops for recurring clusters: a seam, so that the loop does not know whether a miner or a model does.

use std::collections::BTreeSet;

use crate::base::Result;
use crate::dataset::Corpus;
use crate::grade::Grader;
use crate::metric_loop::cluster::Cluster;
use crate::metric_loop::evidence::Verdicts;
use crate::metric_loop::sight::Sight;
use crate::pack::Script;

/// What an op is wanted for.
pub struct Wish<'w> {
    pub round: u32,
    pub cluster: &'w Cluster,
    pub sight: &'w Sight<'w>,
    /// Rules that were tried before.
    pub tried: &'w BTreeSet<String>,
    /// Names that are taken.
    pub names: &'w BTreeSet<String>,
}

/// An op as written, before the host has seen it.
pub struct Draft {
    /// What makes it differ from other drafts, in a line.
    pub rule: String,
    pub script: Script,
}

/// What an author may have judged: dev and train, by scripts of its own.
pub struct Bench<'b> {
    pub verdicts: &'b mut Verdicts,
    pub grader: &'b Grader<'b>,
    pub corpus: &'b Corpus,
    /// The tasks of dev and train.
    pub tasks: &'b [usize],
}

pub trait Author {
    /// One op for the cluster, or why there is none to try, in words for the journal.
    ///
    /// # Errors
    /// What the author had judged could not be.
    fn draft(&self, wish: &Wish, bench: &mut Bench) -> Result<Result<Draft, String>>;
}
