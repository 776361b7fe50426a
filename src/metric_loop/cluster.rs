//! Step 2, first half: misses and gaps that belong together (METHOD section 5.2).
//!
//! An output belongs to the class of the op that fires on it. What no op fires on has no class; there, misses and gaps
//! stay apart, so that ten labels are not lost among hundreds of silent outputs.

use std::collections::BTreeMap;

use crate::expr::State;
use crate::metric_loop::evidence::Judged;
use crate::metric_loop::sense::Sensed;
use crate::metric_loop::sight::Sight;
use crate::metric_loop::state::State as Known;

/// Outputs that call for one op.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The failure class, where an op of the pool names one.
    pub class: Option<String>,
    /// Dev items.
    pub misses: Vec<usize>,
    /// Train items.
    pub gaps: Vec<usize>,
    /// Whether it holds enough outputs, or a miss has persisted, for an op to be authored.
    pub recurring: bool,
}

impl Cluster {
    /// Corpus positions of its outputs, misses first.
    pub fn outputs(&self, sight: &Sight) -> Vec<usize> {
        let misses = self.misses.iter().map(|item| sight.split.dev[*item]);
        misses.chain(self.gaps.iter().map(|item| sight.split.train[*item])).collect()
    }
}

/// Clusters what was sensed: known classes by name, then misses and gaps without one. `known` has the misses of this
/// round counted in.
pub fn clusters(sight: &Sight, known: &Known, sensed: &Sensed, recurring: usize) -> Vec<Cluster> {
    let mut found: BTreeMap<(Option<String>, bool), Cluster> = BTreeMap::new();
    let mut add = |class: Option<String>, item: usize, is_gap: bool| {
        let apart = class.is_none() && is_gap;
        let cluster = found.entry((class.clone(), apart)).or_insert_with(|| Cluster {
            class,
            misses: Vec::new(),
            gaps: Vec::new(),
            recurring: false,
        });
        if is_gap { &mut cluster.gaps } else { &mut cluster.misses }.push(item);
    };
    for item in &sensed.misses {
        add(class_of(sight, &sight.dev, *item), *item, false);
    }
    for item in sensed.silent.iter().chain(&sensed.split) {
        add(class_of(sight, &sight.train, *item), *item, true);
    }
    let persists = |item: &usize| {
        let rounds = known.missed.get(&sight.split.dev_ids[*item]).copied().unwrap_or(0);
        rounds as usize >= recurring
    };
    let recurs = |mut cluster: Cluster| {
        cluster.recurring =
            cluster.misses.len() + cluster.gaps.len() >= recurring || cluster.misses.iter().any(persists);
        cluster
    };
    // Unknown classes sort first; they go last.
    let (unknown, named): (Vec<Cluster>, Vec<Cluster>) =
        found.into_values().map(recurs).partition(|cluster| cluster.class.is_none());
    named.into_iter().chain(unknown).collect()
}

/// What the firing op detects; of several, the strongest's, then the first by name.
fn class_of(sight: &Sight, judged: &Judged, item: usize) -> Option<String> {
    let firing = (0..sight.ops.len()).filter(|column| judged.matrix.state(*column, item) == State::Drawback);
    let infos = firing.filter_map(|column| Some((sight.ops[column].op()?, sight.ops[column].name())));
    infos.min_by_key(|(info, name)| (info.strength, *name)).map(|(info, _)| info.detects.clone())
}
