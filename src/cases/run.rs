//! Holding a pack against its cases.
//!
//! Ops with written observations see those; the others run for real, with the case's peers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::Result;
use crate::cases::parse::Case;
use crate::grade::{Grader, Group};
use crate::observe::Seen;
use crate::pack::Pack;
use crate::script::{Module, Vm};
use crate::verdict::Verdict;

/// One expectation, held against what the op said.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Position of the case.
    pub case: usize,
    /// Position of the expectation in its case.
    pub expectation: usize,
    pub verdict: Verdict,
    /// What is wrong; nothing when it is as expected.
    pub miss: Option<String>,
}

/// Checks every expectation on an op that `wanted` accepts, in the order of the files.
///
/// # Errors
/// When a case names an op that the pack lacks, or the cache fails.
pub fn run(pack: &Pack, grader: &Grader, cases: &[Case], wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Checked>> {
    let mut by_op: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        for (place, expectation) in case.expectations.iter().enumerate() {
            if wanted(&expectation.op) {
                by_op.entry(&expectation.op).or_default().push((index, place));
            }
        }
    }
    let mut checked = Vec::new();
    for (op, places) in by_op {
        let module = find(pack, op).map_err(|error| {
            let (case, place) = places[0];
            error.at(cases[case].path.as_str(), Some(cases[case].expectations[place].line))
        })?;
        let verdicts = verdicts(pack, grader, places.iter().map(|(case, _)| &cases[*case]), module)?;
        for ((case, place), verdict) in places.into_iter().zip(verdicts) {
            let miss = cases[case].expectations[place].miss(&verdict, &cases[case].output);
            checked.push(Checked { case, expectation: place, verdict, miss });
        }
    }
    checked.sort_by_key(|checked| (checked.case, checked.expectation));
    Ok(checked)
}

/// The module that a case calls `name`; nothing for the root.
fn find<'p>(pack: &'p Pack, name: &str) -> Result<Option<&'p Arc<Module>>> {
    match (name, pack.anchor()) {
        ("root", _) => Ok(None),
        ("anchor", Some(anchor)) => Ok(Some(anchor)),
        _ => pack.op(name).map(Some),
    }
}

/// One verdict a case: from written observations where there are some, by running the others together.
fn verdicts<'c>(
    pack: &Pack,
    grader: &Grader,
    cases: impl Iterator<Item = &'c Case>,
    module: Option<&Arc<Module>>,
) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let (mut groups, mut open) = (Vec::new(), Vec::new());
    for (index, case) in cases.enumerate() {
        let given = module.and_then(|op| Some((op, case.seen.iter().find(|(name, _)| name == op.name())?)));
        if let Some((op, (_, seen))) = given {
            verdicts.push(with_written(pack, case, op, seen));
        } else {
            verdicts.push(Verdict::Clean);
            open.push(index);
            groups.push(group(case));
        }
    }
    let rows = grader.matrix(&groups, module.map_or(&[], std::slice::from_ref))?;
    for (index, row) in open.into_iter().zip(rows.into_iter().map(|rows| rows.into_iter().flatten().next())) {
        if let Some(row) = row {
            verdicts[index] = row.leaves.into_iter().next().unwrap_or(row.root);
        }
    }
    Ok(verdicts)
}

fn with_written(pack: &Pack, case: &Case, op: &Module, seen: &[Arc<Seen>]) -> Verdict {
    let mut vm = Vm::new(pack.host().limits().clone());
    let document = pack.document(Arc::from(case.output.as_str()));
    let mut session = vm.session(pack.root(), &case.task, &document);
    match session.root() {
        Verdict::Clean => session.check(op, seen),
        root => root,
    }
}

fn group(case: &Case) -> Group {
    let texts = [&case.output].into_iter().chain(&case.peers).map(|text| Arc::from(text.as_str()));
    let mut group = Group::whole(case.task.clone(), texts.collect());
    group.wanted[1..].fill(false);
    group.reference = case.task.get("reference").cloned();
    group
}
