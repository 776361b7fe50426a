//! The op miner on the code pack and real runs: gauges measure, rules become ops that stand alone, and limits hold.

#[path = "support/code.rs"]
mod code;
#[path = "support/inline.rs"]
#[allow(dead_code)]
mod inline;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use code::{code_pack, code_pool};
use gradus::dataset::Pool;
use gradus::grade::{Grader, Group, Row};
use gradus::metric_loop::miner::{Cluster, Measured, Proposal, Refusal, propose};
use gradus::pack::load::Scripts;
use gradus::pack::{Pack, Script};
use gradus::script::{Condition, Feature, Features, Module, Role, Rule, Test, Threshold};
use gradus::store::Store;
use gradus::verdict::{Finding, Verdict};
use tempfile::TempDir;

/// The code pack, eight of its tasks, and what its gauges say of them.
struct Ground {
    folder: TempDir,
    pack: Pack,
    pool: Pool,
    measured: Measured,
}

static GROUND: LazyLock<Ground> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let pack = Pack::load(code_pack()).unwrap();
    let pool = Pool::load(&code_pool(folder.path())).unwrap();
    let gauges = pack.gauges().unwrap();
    let rows = rows(folder.path(), &pack, &pool, &gauges);
    let measured = Measured::from_rows(pack.features().unwrap(), rows.iter().map(Some));
    Ground { folder, pack, pool, measured }
});

/// What ops say of every output, in the order of the corpus.
fn rows(folder: &Path, pack: &Pack, pool: &Pool, ops: &[Arc<Module>]) -> Vec<Row> {
    let corpus = pool.corpus();
    let store = Store::open(&folder.join("cache.sqlite")).unwrap();
    let groups: Vec<Group> = (0..corpus.tasks().len()).map(|task| Group::of(corpus, task)).collect();
    let by_task = Grader::new(pack, &store).threads(2).matrix(&groups, ops).unwrap();
    let mut rows: Vec<(usize, Row)> = by_task
        .into_iter()
        .enumerate()
        .flat_map(|(task, rows)| corpus.outputs_of(task).iter().copied().zip(rows.into_iter().flatten()))
        .collect();
    rows.sort_by_key(|(output, _)| *output);
    rows.into_iter().map(|(_, row)| row).collect()
}

impl Ground {
    fn features(&self) -> &Features {
        self.pack.features().unwrap()
    }

    fn rows(&self, ops: &[Arc<Module>]) -> Vec<Row> {
        rows(self.folder.path(), &self.pack, &self.pool, ops)
    }

    /// The outputs of which a test of their place holds.
    fn outputs(&self, test: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.measured.outputs()).filter(|output| test(*output)).collect()
    }

    /// The outputs that an op of the pack fires on.
    fn fired_on(&self, op: &str) -> Vec<usize> {
        let rows = self.rows(&[Arc::clone(self.pack.op(op).unwrap())]);
        self.outputs(|output| rows[output].leaves[0].is_drawback())
    }

    fn mine(&self, cluster: &[usize], class: &str) -> Result<Proposal, Refusal> {
        let known_good = self.known_good();
        let train = self.outputs(|output| !known_good.contains(&output));
        propose(
            &self.measured,
            &Cluster { outputs: cluster, class: Some(class) },
            &known_good,
            &train,
            &BTreeSet::new(),
        )
    }

    /// Five outputs that pass, of five tasks.
    fn known_good(&self) -> Vec<usize> {
        let corpus = self.pool.corpus();
        let passing = |task| corpus.outputs_of(task).iter().copied().find(|output| self.pool.passes()[*output]);
        (0..corpus.tasks().len()).filter_map(passing).take(5).collect()
    }

    fn load(&self, script: &Script) -> Arc<Module> {
        Arc::new(self.pack.host().load(Role::Op, &script.path, &script.source).unwrap())
    }
}

/// The measurement as an op that runs its author's whole file, nothing taken out of it.
fn direct(source: &str, feature: &Feature, plans: bool) -> String {
    let body = source.replacen("\nreturn {\n", "\nlocal features = {\n", 1);
    assert_ne!(body, source);
    let (name, detects, peers) = (&feature.name, &feature.detects, feature.peers);
    let tier = feature.tier().word();
    let plan = if plans { format!("plan = features.{name}.plan, peers = {peers},") } else { String::new() };
    format!(
        "{body}
return {{ detects = '{detects}', about = 'x', tier = '{tier}', strength = 'smell', {plan}
  check = function(task, artifact, seen)
    local value = features.{name}.measure(task, artifact, seen)
    return value == nil and abstain('none') or drawback(tostring(value))
  end }}"
    )
}

fn said(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Drawback(Finding { message, .. }) => Some(match message.as_str() {
            "true" => 1.0,
            "false" => 0.0,
            number => number.parse().unwrap(),
        }),
        Verdict::Abstain(_) => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_gauge_says_what_measuring_directly_gives() {
    let ground = &*GROUND;
    let source = fs::read_to_string(code_pack().join("features.lua")).unwrap();
    let features = ground.features().all();
    let load = |feature: &Feature| {
        let source = direct(&source, feature, feature.tier().word() == "execution");
        ground.load(&Script { path: format!("direct/{}.lua", feature.name), source })
    };
    let rows = ground.rows(&features.iter().map(load).collect::<Vec<_>>());
    let mut varied = 0;
    for (at, feature) in features.iter().enumerate() {
        let expected: Vec<Option<f64>> = rows.iter().map(|row| said(&row.leaves[at])).collect();
        let column = ground.measured.column(&feature.name).unwrap();
        assert_eq!(column.values, expected, "{}", feature.name);
        assert_eq!(column.faults.count(), 0, "{}", feature.name);
        assert!(expected.iter().flatten().count() > 0, "{} measures nothing", feature.name);
        varied += usize::from(expected.iter().flatten().any(|value| Some(*value) != expected[0]));
    }
    assert!(varied >= 12, "only {varied} measurements differ between outputs");
}

/// A condition at the middle of what was measured.
fn condition(ground: &Ground, at: usize, high: bool) -> Condition {
    let column = &ground.measured.columns()[at];
    let mut values: Vec<f64> = column.values.iter().copied().flatten().collect();
    values.sort_by(f64::total_cmp);
    let middle = Threshold::new(values[values.len() * 3 / 4]).unwrap();
    let test = match (column.is_flag, high) {
        (true, true) => Test::Holds,
        (true, false) => Test::Not,
        (false, true) => Test::AtLeast(middle),
        (false, false) => Test::AtMost(middle),
    };
    Condition::new(column.feature.clone(), test)
}

#[test]
fn a_composed_op_fires_where_its_rule_says_and_abstains_where_nothing_is_measured() {
    let ground = &*GROUND;
    let count = ground.measured.columns().len();
    let alone = (0..count).map(|at| vec![condition(ground, at, at % 2 == 0)]);
    let pairs = (0..count).flat_map(|at| [1, 5, 8].map(|step| (at, (at + step) % count)));
    let pairs = pairs.map(|(one, other)| vec![condition(ground, one, true), condition(ground, other, other % 3 == 0)]);
    let rules: Vec<Rule> = alone.chain(pairs).map(|conditions| Rule::new(conditions).unwrap()).collect();
    let ops: Vec<Arc<Module>> = rules
        .iter()
        .enumerate()
        .map(|(at, rule)| {
            let proposal = Proposal { rule: rule.clone(), ..any_proposal(ground) };
            ground.load(&proposal.script(ground.features(), &format!("op_{at}"), 1).unwrap())
        })
        .collect();
    let rows = ground.rows(&ops);
    let (mut fired, mut abstained) = (0, 0);
    for (at, rule) in rules.iter().enumerate() {
        let behaviour = ground.measured.behaviour(rule).unwrap();
        for (output, row) in rows.iter().enumerate() {
            let verdict = &row.leaves[at];
            let expected = (behaviour.fires.get(output), !behaviour.measured.get(output));
            let found = (verdict.is_drawback(), matches!(verdict, Verdict::Abstain(_)));
            assert_eq!(found, expected, "{rule} on output {output}: {verdict:?}");
            fired += usize::from(found.0);
            abstained += usize::from(found.1);
        }
    }
    assert!(fired > 1000 && abstained > 50, "{fired} fired, {abstained} abstained");
}

fn any_proposal(ground: &Ground) -> Proposal {
    ground.mine(&ground.fired_on("departs_from_peers"), "departs_from_peers").unwrap()
}

#[test]
fn what_the_packs_own_ops_find_is_mined_again() {
    let ground = &*GROUND;
    let mined = |op: &str| {
        let class = ground.pack.op(op).unwrap().op().unwrap().detects.clone();
        let found = ground.mine(&ground.fired_on(op), &class).unwrap();
        (found.rule.to_string(), found.detects == class)
    };
    assert_eq!(mined("departs_from_peers"), ("departures >= 1".to_owned(), true));
    assert_eq!(mined("fails_example"), ("broken_examples >= 1".to_owned(), true));
}

#[test]
fn a_mined_op_passes_its_gate_in_a_pack_of_its_own() {
    let ground = &*GROUND;
    let departing = ground.fired_on("departs_from_peers");
    let failing = ground.outputs(|output| !ground.pool.passes()[output] && departing.contains(&output));
    let found = ground.mine(&failing[..6], "departs_from_peers").unwrap();
    let name = found.rule.op_name(|name| ground.pack.op(name).is_ok());
    let op = found.script(ground.features(), &name, 4).unwrap();
    assert_eq!(found.script(ground.features(), &name, 4).unwrap(), op, "the same bytes each time");
    let root = Script { path: "root.lua".into(), source: ground.pack.root().source().into() };
    let mut manifest = ground.pack.manifest.clone();
    (manifest.default, manifest.baseline) = (None, None);
    let scripts = Scripts { root, ops: vec![op.clone()], anchor: None };
    let alone = Pack::compile(manifest, scripts, Path::new("pack.toml")).unwrap();
    let rows = rows(ground.folder.path(), &alone, &ground.pool, alone.ops());
    let fires = |output: &usize| rows[*output].leaves[0].is_drawback();
    let in_cluster: Vec<usize> = failing[..6].iter().copied().filter(fires).collect();
    assert_eq!(in_cluster, found.fires_on_cluster);
    assert!(in_cluster.len() >= 3);
    assert!(!ground.known_good().iter().any(fires));
    let Verdict::Drawback(finding) = &rows[in_cluster[0]].leaves[0] else { panic!("it fires") };
    let head: Vec<&str> = op.source.lines().take(3).collect();
    insta::assert_snapshot!(format!("{name}\n{}\n{}", finding.message, head.join("\n")), @r"
    departures_high
    departures is 21 (1 or more)
    -- Fires where departures >= 1. Mined in round 4, for the cluster departs_from_peers.
    -- Birth certificate: fires on 6 of 6 outputs of the cluster, on none of 5 known-good outputs,
    -- and on 11 of 39 train outputs.
    ");
}

const HOSTILE: &str = "return {
  endless = { about = 'x', detects = 'wrong', measure = function() while true do end end },
  hoard   = { about = 'x', detects = 'wrong', measure = function()
    local t = {}
    while true do t[#t + 1] = ('x'):rep(1000) .. #t end
  end },
  raises  = { about = 'x', detects = 'wrong', measure = function() error('no') end },
  words   = { about = 'x', detects = 'wrong', measure = function() return 'three' end },
  beyond  = { about = 'x', detects = 'wrong', measure = function() return 1 / 0 end },
  mixed   = { about = 'x', detects = 'wrong', measure = function(_, it) return #it.text > 3 or 1 end },
  greedy  = { about = 'x', detects = 'wrong', measure = function() return 1 end, plan = function()
    local all = {}
    for i = 1, 101 do all[i] = { call = 'f', args = '[]' } end
    return all
  end },
  honest  = { about = 'x', detects = 'wrong', measure = function(_, it) return #it.text end },
}";

#[test]
fn a_measurement_that_runs_wild_is_a_fault_and_is_never_part_of_a_rule() {
    let mut pack = inline::compile(&[]);
    pack.measure_with(&Script { path: "features.lua".into(), source: HOSTILE.into() }).unwrap();
    let store = Store::in_memory().unwrap();
    let texts = ["good", "bad", "very bad"];
    let gauges = pack.gauges().unwrap();
    let rows = Grader::new(&pack, &store).threads(2).matrix(&[inline::group(&texts)], &gauges).unwrap();
    let rows: Vec<Row> = rows.into_iter().flatten().flatten().collect();
    let faults: Vec<&str> = rows[0].leaves.iter().map(|leaf| leaf.message().unwrap()).collect();
    assert_eq!(
        faults,
        [
            "gauges/endless.lua: used up its 1000000 steps",
            "gauges/hoard.lua: used up its 16 MiB of memory",
            "gauges/raises.lua:4: no",
            "gauges/words.lua:16: words is neither a finite number nor true, false or nil",
            "gauges/beyond.lua:16: beyond is neither a finite number nor true, false or nil",
            "true",
            "gauges/greedy.lua: plan makes 101 requests, more than 100",
            "4",
        ]
    );
    let measured = Measured::from_rows(pack.features().unwrap(), rows.iter().map(Some));
    assert_eq!(measured.column("mixed").unwrap().values, [Some(1.0), None, Some(1.0)]);
    assert_eq!(measured.column("mixed").unwrap().faults.ones().collect::<Vec<_>>(), [1]);
    let found = propose(&measured, &Cluster { outputs: &[1, 2], class: None }, &[0], &[], &BTreeSet::new());
    assert_eq!(found.map(|found| found.rule.to_string()), Ok("honest >= 8".to_owned()));
}

#[test]
fn a_measurement_is_of_a_tier_that_the_pack_allows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("pack.toml"), "name = 'p'\nartifact = 'text'\ntiers = ['static']\n[taxonomy]\nwrong = 'is'\n")
        .unwrap();
    fs::write(path.join("root.lua"), "return { check = function(task, text) return clean(), {} end }").unwrap();
    let feature =
        "return { runs = { about = 'x', detects = 'wrong', plan = function() end, measure = function() end } }";
    fs::write(path.join("features.lua"), feature).unwrap();
    let error = Pack::load(path).err().unwrap().to_string();
    assert!(
        error.ends_with(
            "features.lua: tier execution is not among the pack's `tiers`. Add it to pack.toml, or choose another tier"
        ),
        "{error}"
    );
    fs::write(path.join("features.lua"), feature.replace("plan = function() end, ", "")).unwrap();
    let pack = Pack::load(path).unwrap();
    assert_eq!((pack.gauges().unwrap().len(), pack.ops().len()), (1, 0), "a gauge is not among a pack's ops");
    fs::remove_file(path.join("features.lua")).unwrap();
    let pack = Pack::load(path).unwrap();
    assert!(pack.features().is_none() && pack.gauges().unwrap().is_empty());
}
