//! The steps of a round on matrices that are written out, with expectations that were worked out by hand.

use std::sync::Arc;

use crate::expr::{Bits, Expr, Matrix, State as Said};
use crate::journal::{Entry, Event, Gate, Seed, Standing};
use crate::metric_loop::evidence::Judged;
use crate::metric_loop::sight::{Sight, Split};
use crate::metric_loop::state::State;
use crate::objective::{Config, Member, Objective};
use crate::script::{Host, Module, Role, Tier};
use crate::verdict::Strength;

mod curating;
mod folding;
mod gating;
mod sensing;

/// An op of a pool that is written out: `1` is a drawback, `0` clean, `?` an abstention, `!` a fault.
struct Op {
    name: &'static str,
    class: &'static str,
    strength: &'static str,
    standing: Standing,
    dev: &'static str,
    train: &'static str,
}

/// An active op, evidence of crashes.
fn op(name: &'static str, dev: &'static str, train: &'static str) -> Op {
    Op { name, class: "crash", strength: "evidence", standing: Standing::Active, dev, train }
}

fn shadow(name: &'static str, dev: &'static str, train: &'static str) -> Op {
    Op { standing: Standing::Shadow, ..op(name, dev, train) }
}

impl Op {
    fn detecting(self, class: &'static str, strength: &'static str) -> Self {
        Self { class, strength, ..self }
    }

    fn module(&self) -> Arc<Module> {
        let source = format!(
            "return {{ detects = '{}', about = 'a test', tier = 'static', strength = '{}',
             check = function() return clean() end }}",
            self.class, self.strength
        );
        let host = Host::new(Default::default(), ["crash", "endless", "wrong"].map(String::from).to_vec());
        Arc::new(host.load(Role::Op, &format!("{}.lua", self.name), &source).unwrap())
    }
}

/// A split with an output for each letter: `F` is labelled fail and `P` pass on dev. Dev outputs are the first of the
/// corpus, and those of train follow.
fn split(labels: &str, train: usize) -> Split {
    let dev = labels.len();
    Split {
        dev: (0..dev).collect(),
        dev_ids: (0..dev).map(|item| format!("dev{item}")).collect(),
        dev_fails: Bits::from_fn(dev, |item| labels.as_bytes()[item] == b'F'),
        train: (dev..dev + train).collect(),
        train_ids: (0..train).map(|item| format!("train{item}")).collect(),
        train_tasks: (0..train).collect(),
        tasks: (0..dev + train).collect(),
    }
}

/// What a pool says on a split, the root being clean.
fn sight<'s>(split: &'s Split, ops: &[Op]) -> Sight<'s> {
    let judged = |words: fn(&Op) -> &'static str, items: usize| {
        let names: Vec<String> = ops.iter().map(|op| op.name.to_string()).collect();
        let said = |op: usize, item: usize| match words(&ops[op]).as_bytes()[item] {
            b'1' => Said::Drawback,
            b'0' => Said::Clean,
            b'?' => Said::Abstain,
            _ => Said::Fault,
        };
        Judged { matrix: Matrix::from_fn(&names, items, said), root: vec![Said::Clean; items] }
    };
    let modules: Vec<Arc<Module>> = ops.iter().map(Op::module).collect();
    let member = |op: &Op| Member { judge: false, active: op.standing == Standing::Active };
    Sight {
        split,
        members: ops.iter().map(member).collect(),
        strengths: modules.iter().map(|op| op.op().unwrap().strength).collect(),
        ops: modules,
        dev: judged(|op| op.dev, split.dev.len()),
        train: judged(|op| op.train, split.train.len()),
        dev_root: Bits::none(split.dev.len()),
        train_root: Bits::none(split.train.len()),
    }
}

/// S under a metric.
fn objective<'s>(sight: &'s Sight, incumbent: Option<&Expr>) -> Objective<'s> {
    Objective::new(Config::default(), sight.evidence(), &sight.members, incumbent).unwrap()
}

/// A run that has come to this metric with these ops; shadows were born in round 1.
fn state(ops: &[Op], metric: Option<&str>) -> State {
    let is_shadow = |op: &&Op| op.standing == Standing::Shadow;
    let (shadows, seeds): (Vec<&Op>, Vec<&Op>) = ops.iter().partition(is_shadow);
    let metric = metric.map(expr);
    let mut events = vec![began(seeds.into_iter().map(|op| (op.name, op.class)))];
    events.push(Event::Selected { metric, changed: true, replaces: None, why: String::new(), figures: None });
    events.extend(shadows.into_iter().map(|op| born(op.name, Standing::Shadow)));
    State::of(&entries(1, events))
}

fn entries(round: u32, events: Vec<Event>) -> Vec<Entry> {
    events.into_iter().map(|event| Entry { round, event }).collect()
}

fn began<'o>(ops: impl Iterator<Item = (&'o str, &'o str)>) -> Event {
    let seed = |(op, class): (&str, &str)| Seed {
        op: op.into(),
        class: class.into(),
        tier: Tier::Static,
        strength: Strength::Evidence,
        script: String::new(),
    };
    Event::Began { pack: "hand".into(), ops: ops.map(seed).collect(), train_outputs: 0, dev: vec![] }
}

fn born(op: &str, standing: Standing) -> Event {
    let gate = Gate { fires: 2, cluster: 2, misses: vec![], false_alarms: vec![], known_good: 2, train: 2 };
    let (rule, class, source) = (format!("rule of {op}"), "crash".into(), format!("-- {op}"));
    Event::Born { op: op.into(), rule, class, standing, gate, source }
}

fn expr(text: &str) -> Expr {
    text.parse().unwrap()
}
