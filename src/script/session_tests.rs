use std::time::Duration;

use serde_json::json;

use super::*;
use crate::base::Span;
use crate::script::{Host, Limits};
use crate::verdict::Finding;

const ROOT: &str = "return { check = function(task, text) return clean(), { text = text } end }";

fn host() -> Host {
    Host::new(Limits { wall: Duration::from_secs(20), ..Limits::default() }, vec!["bad".to_owned()])
}

fn op(body: &str) -> Module {
    let source = format!(
        "{body}\nreturn {{ detects = 'bad', about = 'is bad', tier = 'static', strength = 'smell', check = check }}"
    );
    host().load(Role::Op, "pack/seeds/x.lua", &source).expect("a well-formed op")
}

fn root() -> Module {
    host().load(Role::Root, "pack/root.lua", ROOT).expect("a well-formed root")
}

fn judged(body: &str, text: &str) -> Verdict {
    let (root, task) = (root(), json!({"id": "t", "examples": ["assert f(1) == 2"]}));
    let mut vm = Vm::new(host().limits().clone());
    let mut session = vm.session(&root, &task, &Document { text: text.into() });
    session.check(&op(body), &[])
}

fn fault(body: &str) -> (FaultKind, String) {
    match judged(body, "the text") {
        Verdict::Fault(Fault { kind, message }) => (kind, message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_three_verdicts_come_back_as_they_were_made() {
    let found = judged(
        "local function check(task, artifact) return drawback('has an x', span(artifact.text:find('x'))) end check = check",
        "a text",
    );
    assert_eq!(found, Verdict::Drawback(Finding { message: "has an x".into(), span: Some(Span::new(4, 5)) }));
    assert_eq!(judged("function check() return clean() end", ""), Verdict::Clean);
    assert_eq!(judged("function check() return abstain('no idea') end", ""), Verdict::Abstain("no idea".into()));
}

#[test]
fn an_error_names_file_line_and_the_scripts_words() {
    let (kind, message) = fault("function check(task, artifact)\n  return artifact.nothing.text\nend");
    assert_eq!(kind, FaultKind::Error);
    assert_eq!(message, "pack/seeds/x.lua:2: attempt to index nil with 'text'");
    let cases = [
        ("function check()\n\n error('my words') end", "pack/seeds/x.lua:3: my words"),
        (
            "function check() print('x') end",
            "pack/seeds/x.lua:1: `print` is not available: scripts do not print: return drawback(message)",
        ),
        ("function check()\n return drawback({}) end", "pack/seeds/x.lua:2: drawback expects a message, got a table"),
        (
            "function check()\n return ('x'):find(1, 2, {}) end",
            "pack/seeds/x.lua:2: argument 3: expected a number, got a table",
        ),
        (
            "function check()\n return string.rep() end",
            "pack/seeds/x.lua:2: missing argument #1 to 'rep' (string expected)",
        ),
        (
            "function check()\n for k in pairs({[{}] = 1}) do end end",
            "pack/seeds/x.lua:2: iterates a table that has a table as a key: such keys have no fixed order",
        ),
        (
            "function check()\n for k in {[check] = 1} do end end",
            "pack/seeds/x.lua:2: iterates a table that has a function as a key: such keys have no fixed order",
        ),
        (
            "function check()\n local ok, why = pcall(drawback, 1) error(why, 0) end",
            "pack/seeds/x.lua:2: drawback expects a message, got a number",
        ),
        ("function check() error({}) end", "pack/seeds/x.lua: raised a table in place of a message"),
        (
            "function check()\n return math.random() end",
            "pack/seeds/x.lua:2: `math.random` is not available: verdicts may not depend on chance: use mutations(task, n) for varied inputs",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(fault(body), (FaultKind::Error, expected.to_owned()));
    }
}

#[test]
fn limits_are_faults_of_their_own_and_cannot_be_caught() {
    let path = "pack/seeds/x.lua";
    let spinning = "function check() while true do pcall(function() while true do end end) end end";
    assert_eq!(fault(spinning), (FaultKind::Fuel, format!("{path}: used up its 1000000 steps")));
    let hoarding = "function check() local t = {} while true do pcall(function() for i = 1, 1e9 do t[#t + 1] = ('x'):rep(1000) .. i end end) end end";
    assert_eq!(fault(hoarding), (FaultKind::Memory, format!("{path}: used up its 16 MiB of memory")));
    let bomb = "function check() local ok = pcall(string.rep, 'x', 1e9) return clean() end";
    assert_eq!(fault(bomb).0, FaultKind::Memory);
}

#[test]
fn anything_but_a_verdict_is_malformed() {
    let (kind, message) = fault("function check() return { drawback = true } end");
    assert_eq!(kind, FaultKind::Malformed);
    assert_eq!(message, "pack/seeds/x.lua: check returned a table, not drawback(…), clean() or abstain(…)");
    assert_eq!(
        fault("function check() end").1,
        "pack/seeds/x.lua: check returned nothing, not drawback(…), clean() or abstain(…)"
    );
}
