//! One output with all its scripts: the root once, then each op in a fresh instance.
//!
//! A session belongs to one machine and one thread; only the parsed document is shared. What a call comes to is
//! fixed by its inputs: a call that allocates over half of its limit is decided in a machine of its own.

use std::sync::Arc;

use mlua::{Function, IntoLua, MultiValue, Table, Value};
use serde_json::Value as Json;

use super::host::{self, Queries};
use super::limits::Limits;
use super::module::{Module, Role};
use super::trace::with_article;
use super::vm::{Machine, Outcome};
use super::{convert, plan};
use crate::observe::{Request, Seen};
use crate::parse::python::{Tree, parse};
use crate::verdict::{Fault, FaultKind, Verdict};

/// An output's text, parsed once for all its scripts. Cheap to clone, and all that crosses threads.
#[derive(Debug, Clone)]
pub struct Document {
    pub text: Arc<str>,
    /// The text as Python, where the pack's artifacts are Python; its source is `text` itself.
    pub(super) python: Option<Arc<Tree>>,
}

impl Document {
    /// A text that is not parsed beforehand.
    pub fn plain(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), python: None }
    }

    /// A text parsed as Python: `python.parse` of the whole text then costs scripts nothing.
    pub fn python(text: impl Into<Arc<str>>) -> Self {
        let tree = Arc::new(parse(text));
        Self { text: Arc::clone(tree.source()), python: Some(tree) }
    }
}

/// A worker's own virtual machine. Reused for output after output; replaces itself where it must.
pub struct Vm {
    limits: Limits,
    queries: Arc<Queries>,
    machine: Option<Machine>,
}

impl Vm {
    /// A machine is made when the first script runs.
    pub fn new(limits: Limits) -> Self {
        Self { limits, queries: Arc::default(), machine: None }
    }

    /// Opens one output of one task. `task` is a JSON object; `root` a module of that role.
    pub fn session<'a>(&'a mut self, root: &'a Module, task: &'a Json, document: &Document) -> Session<'a> {
        self.machine = self.machine.take().filter(|machine| !machine.worn());
        Session { vm: self, root, task, reference: None, document: document.clone(), prepared: None, verdict: None }
    }

    fn ready(&mut self) -> Result<&mut Machine, Fault> {
        if self.machine.is_none() {
            let broken = |error| Fault::new(FaultKind::Infrastructure, super::trace::words(&error));
            self.machine = Some(Machine::new(&self.limits, &self.queries).map_err(broken)?);
        }
        let missing = || Fault::new(FaultKind::Infrastructure, "there is no machine");
        self.machine.as_mut().ok_or_else(missing)
    }
}

/// One output under its root.
pub struct Session<'a> {
    vm: &'a mut Vm,
    root: &'a Module,
    task: &'a Json,
    reference: Option<&'a Json>,
    document: Document,
    /// What lives in the machine: gone when the machine is replaced.
    prepared: Option<Prepared>,
    verdict: Option<Verdict>,
}

#[derive(Clone)]
struct Prepared {
    task: Table,
    artifact: Value,
}

impl<'a> Session<'a> {
    /// What anchors see as `task.reference`.
    pub fn with_reference(mut self, reference: Option<&'a Json>) -> Self {
        self.reference = reference;
        self
    }

    /// The root's verdict: a drawback, clean, or a fault. Runs once; ops run only after a clean root.
    pub fn root(&mut self) -> Verdict {
        match &self.verdict {
            Some(verdict) => verdict.clone(),
            None => {
                let verdict = self.run_root();
                self.verdict = Some(verdict.clone());
                verdict
            }
        }
    }

    /// What the module wants to observe next, `seen` being the answers to all it asked for so far, in order. An
    /// empty list ends its plan. The kernel asks at most [`Limits::rounds`] times.
    pub fn plan(&mut self, module: &Module, seen: &[Arc<Seen>]) -> Result<Vec<Request>, Fault> {
        let limits = self.vm.limits.clone();
        self.call(module, "plan", seen, |returned| plan::requests(module, &limits, returned))
    }

    /// The module's verdict. An op that plans and observed nothing abstains without being run.
    pub fn check(&mut self, module: &Module, seen: &[Arc<Seen>]) -> Verdict {
        if module.plans() && seen.is_empty() {
            return Verdict::Abstain("its plan asks for nothing".to_owned());
        }
        self.call(module, "check", seen, |returned| verdict(module, returned)).unwrap_or_else(Verdict::Fault)
    }

    /// The artifact as a person reads it, or why there is none.
    pub fn describe_artifact(&mut self) -> String {
        match self.prepare() {
            Ok(Prepared { artifact: Value::Table(artifact), .. }) => super::describe::table(&artifact),
            Ok(_) => "none: the root found a drawback".to_owned(),
            Err(fault) => fault.message,
        }
    }

    /// Fuel that the last call left over.
    pub fn fuel_left(&self) -> u64 {
        self.vm.machine.as_ref().map_or(0, |machine| machine.services().gauge.left())
    }

    /// Calls a function of the module and reads its answer while the machine that holds it is there.
    fn call<T>(
        &mut self,
        module: &Module,
        function: &'static str,
        seen: &[Arc<Seen>],
        read: impl Fn(Option<&Value>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let attempt = |session: &mut Self| {
            let values = session.attempt(module, function, seen).and_then(settled)?;
            read(values.front())
        };
        let first = attempt(self);
        if !self.retires(2) {
            return first;
        }
        let alone = attempt(self);
        self.retires(2);
        alone
    }

    /// Drops the machine where its last call makes it unfit for another. Whether the call must be made again: it
    /// allocated much, in a machine that had served more than `alone` calls.
    fn retires(&mut self, alone: u64) -> bool {
        let Some(machine) = &self.vm.machine else { return false };
        let again = machine.heavy() && machine.calls() > alone;
        if machine.heavy() || machine.stopped() {
            self.vm.machine = None;
            self.prepared = None;
        }
        again
    }

    fn attempt(&mut self, module: &Module, function: &'static str, seen: &[Arc<Seen>]) -> Result<Outcome, Fault> {
        let Prepared { task, artifact } = self.prepare()?;
        let reference = match module.role() {
            Role::Anchor => self.reference,
            _ => None,
        };
        let (json, seen) = (self.task, seen.to_vec());
        let machine = self.vm.ready()?;
        Ok(machine.call(module, |lua, table| {
            let function: Function = table.raw_get(function)?;
            let task = match reference {
                Some(reference) => convert::task(lua, json, Some(reference))?,
                None => task,
            };
            let arguments = [Value::Table(task), artifact, host::seen(lua, &seen)?];
            Ok(Some((function, MultiValue::from_iter(arguments))))
        }))
    }

    /// The task and the artifact in the present machine, made anew where it was replaced.
    fn prepare(&mut self) -> Result<Prepared, Fault> {
        if self.prepared.is_none() {
            match self.run_root() {
                Verdict::Fault(fault) => return Err(fault),
                verdict => self.verdict = Some(verdict),
            }
        }
        let without = || Fault::new(FaultKind::Malformed, format!("{}: left no artifact", self.root.path()));
        self.prepared.clone().ok_or_else(without)
    }

    fn run_root(&mut self) -> Verdict {
        let first = self.attempt_root();
        let fresh = self.vm.machine.as_ref().is_none_or(|machine| machine.calls() == 1);
        let outcome = if fresh {
            first
        } else if self.retires(1) {
            self.attempt_root()
        } else {
            first
        };
        if outcome.is_err() {
            self.retires(1);
        }
        outcome.unwrap_or_else(Verdict::Fault)
    }

    fn attempt_root(&mut self) -> Result<Verdict, Fault> {
        self.prepared = None;
        let (root, json, document) = (self.root, self.task, self.document.clone());
        let machine = self.vm.ready()?;
        machine.services().open(document.clone());
        let mut task = None;
        let outcome = machine.call(root, |lua, table| {
            let function: Function = table.raw_get("check")?;
            let made = convert::task(lua, json, None)?;
            task = Some(made.clone());
            let text = lua.create_string(document.text.as_bytes())?.into_lua(lua)?;
            Ok(Some((function, MultiValue::from_iter([Value::Table(made), text]))))
        });
        let values = settled(outcome)?;
        let verdict = verdict(root, values.front())?;
        let artifact = values.get(1).cloned().unwrap_or(Value::Nil);
        let malformed = |message: String| Fault::new(FaultKind::Malformed, format!("{}: {message}", root.path()));
        match (&verdict, &artifact) {
            (Verdict::Drawback(_), _) => {}
            (Verdict::Clean, Value::Table(table)) => convert::freeze(table).map_err(malformed)?,
            (Verdict::Clean, other) => {
                let got = with_article(other.type_name());
                return Err(malformed(format!("clean() needs an artifact beside it, a table, and got {got}")));
            }
            _ => return Err(malformed("a root answers drawback(…), or clean() with an artifact".to_owned())),
        }
        self.prepared = task.map(|task| Prepared { task, artifact });
        Ok(verdict)
    }
}

fn settled(outcome: Outcome) -> Result<MultiValue, Fault> {
    match outcome {
        Outcome::Returned(values) => Ok(values),
        Outcome::Failed(fault) => Err(fault),
    }
}

/// Reads the verdict that `check` returned: one made by the host's own functions, or a malformed answer.
fn verdict(module: &Module, returned: Option<&Value>) -> Result<Verdict, Fault> {
    let value = returned.unwrap_or(&Value::Nil);
    host::verdict_of(value).ok_or_else(|| {
        let got = with_article(value.type_name());
        let message = format!("{}: check returned {got}, not drawback(…), clean() or abstain(…)", module.path());
        Fault::new(FaultKind::Malformed, message)
    })
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
