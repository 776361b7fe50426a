//! The miner as an author: it has the pack's measurements taken once a cluster recurs, proposes a rule, and writes the
//! op that tests it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::Result;
use crate::grade::Row;
use crate::metric_loop::author::{Author, Bench, Draft, Wish};
use crate::metric_loop::miner::{Cluster, Measured, propose};
use crate::pack::Pack;
use crate::script::{Features, Module, Rule};
use crate::verdict::Verdict;

/// Authors ops from the measurements of a pack.
pub struct Miner<'p> {
    features: &'p Features,
    gauges: Vec<Arc<Module>>,
    measured: OnceCell<Measured>,
}

impl<'p> Miner<'p> {
    /// The miner of a pack; none where the pack has no `features.lua`.
    pub fn of(pack: &'p Pack) -> Result<Option<Self>> {
        let Some(features) = pack.features() else { return Ok(None) };
        let gauges = pack.gauges()?;
        Ok(Some(Self { features, gauges, measured: OnceCell::new() }))
    }

    /// The measurements on dev and train, taken on the first call.
    fn measured(&self, bench: &mut Bench) -> Result<&Measured> {
        if let Some(measured) = self.measured.get() {
            return Ok(measured);
        }
        bench.verdicts.judge(bench.grader, bench.corpus, bench.tasks, &self.gauges)?;
        let row = |output: usize| {
            let leaves: Option<Vec<Verdict>> =
                self.gauges.iter().map(|gauge| bench.verdicts.verdict(gauge, output).cloned()).collect();
            leaves.map(|leaves| Row { root: Verdict::Clean, leaves })
        };
        let rows: Vec<Option<Row>> = (0..bench.corpus.outputs().len()).map(row).collect();
        Ok(self.measured.get_or_init(|| Measured::from_rows(self.features, rows.iter().map(Option::as_ref))))
    }
}

impl Author for Miner<'_> {
    fn draft(&self, wish: &Wish, bench: &mut Bench) -> Result<Result<Draft, String>> {
        let measured = self.measured(bench)?;
        let outputs = wish.cluster.outputs(wish.sight);
        let cluster = Cluster { outputs: &outputs, class: wish.cluster.class.as_deref() };
        let tried: BTreeSet<Rule> = wish.tried.iter().filter_map(|rule| rule.parse().ok()).collect();
        let split = wish.sight.split;
        let proposal = match propose(measured, &cluster, &split.known_good(), &split.train, &tried) {
            Ok(proposal) => proposal,
            Err(refusal) => return Ok(Err(refusal.to_string())),
        };
        let name = proposal.rule.op_name(|name| wish.names.contains(name));
        let script = proposal.script(self.features, &name, wish.round);
        let draft = script.map(|script| Draft { rule: proposal.rule.to_string(), script });
        Ok(draft.ok_or_else(|| "the measurements are not those of the pack".to_string()))
    }
}
