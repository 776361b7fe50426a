//! The corpus in the host: each attack as ops of one output, in their order.

use std::sync::Arc;
use std::time::Duration;

use gradus::observe::Seen;
use gradus::script::{Document, Host, Limits, Module, Role, Vm};
use gradus::verdict::{FaultKind, Verdict};
use serde_json::json;

use crate::corpus::{Attack, Hosted};

/// The backstop: far away for attacks that fuel or memory must stop, near for those that only it can.
pub fn wall(attack: &Attack) -> Duration {
    Duration::from_secs(if matches!(attack.hosted, Hosted::Backstop) { 3 } else { 60 })
}

const ROOT: &str = "return { check = function(task, text)
  local node = python.parse(text):find('pass_statement', 'nested')[1]
  return clean(), { entry = 'mine', list = { 3, 1, 2 }, node = node }
end }";
const TEXT: &str = "def f():\n    pass\n";

/// The default limits with an attack's backstop.
pub fn limits(attack: &Attack) -> Limits {
    Limits { wall: wall(attack), ..Limits::default() }
}

/// The verdicts of an attack's calls, or why a module was refused.
pub fn verdicts(attack: &Attack, vm: &mut Vm) -> Result<Vec<Verdict>, String> {
    let host = Host::new(limits(attack), vec!["attacked".to_owned()]);
    let root = host.load(Role::Root, "root.lua", ROOT).map_err(|error| error.to_string())?;
    let modules: Vec<Module> = attack
        .modules
        .iter()
        .map(|(before, body)| host.load(Role::Op, "x.lua", &op(before, body)).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let task = json!({"id": "t", "examples": ["assert f() == 1"]});
    let document = Document::python(TEXT);
    let nothing: [Arc<Seen>; 0] = [];
    let mut session = vm.session(&root, &task, &document);
    Ok(attack.calls.iter().map(|which| session.check(&modules[*which], &nothing)).collect())
}

fn op(before: &str, body: &str) -> String {
    format!(
        "{before} local function check(task, artifact, seen) {body} end
        return {{ detects = 'attacked', about = 'attacks', tier = 'static', strength = 'smell', check = check }}"
    )
}

/// Whether the attack came to what it must.
pub fn contained(attack: &Attack, outcome: &Result<Vec<Verdict>, String>) -> Result<(), String> {
    let last = outcome.as_ref().map(|verdicts| verdicts.last());
    let fault = |expected: FaultKind| matches!(last, Ok(Some(Verdict::Fault(fault))) if fault.kind == expected && tidy(&fault.message));
    let fine = match attack.hosted {
        Hosted::Fuel => fault(FaultKind::Fuel),
        Hosted::Memory => fault(FaultKind::Memory),
        Hosted::Backstop => fault(FaultKind::Infrastructure),
        Hosted::Malformed => fault(FaultKind::Malformed),
        Hosted::Error(part) => {
            fault(FaultKind::Error)
                && last.is_ok_and(|last| last.and_then(Verdict::message).is_some_and(|it| it.contains(part)))
        }
        Hosted::Clean => matches!(last, Ok(Some(Verdict::Clean))),
        Hosted::Says(words) => matches!(last, Ok(Some(Verdict::Drawback(finding))) if finding.message == words),
        Hosted::Refused(part) => outcome.as_ref().is_err_and(|refusal| refusal.contains(part)),
    };
    if fine { Ok(()) } else { Err(format!("expected {:?}, got {outcome:?}", attack.hosted)) }
}

/// Whether a message is one that a person may be shown: bounded, without controls, frames of the host or addresses.
fn tidy(message: &str) -> bool {
    let foreign = ["host:", "stack traceback", "runtime error", "[C]", "0x", "mlua", "userdata"];
    message.starts_with("x.lua")
        && message.len() <= 800
        && !message.chars().any(char::is_control)
        && !foreign.iter().any(|it| message.contains(it))
}
