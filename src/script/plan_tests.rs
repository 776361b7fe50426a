//! Plans become requests; unknown keys and wrong types are named.

use std::sync::Arc;

use serde_json::json;

use crate::observe::{Observation, On, Request, Seen, Value};
use crate::script::{Document, Host, Limits, Module, Role, Vm};
use crate::verdict::{FaultKind, Verdict};

fn module(role: Role, tier: &str, plan: &str) -> Module {
    let declared = match role {
        Role::Op => format!("detects = 'bad', about = 'bad', strength = 'proof', tier = '{tier}', peers = true,"),
        _ => String::new(),
    };
    let source = format!(
        "return {{ {declared} plan = function(task, artifact, seen) {plan} end, check = function(task) return drawback(task.reference or 'none') end }}"
    );
    Host::new(Limits::default(), vec!["bad".to_owned()]).load(role, "x.lua", &source).expect("well-formed")
}

fn requests(role: Role, tier: &str, plan: &str) -> Result<Vec<Request>, String> {
    let host = Host::new(Limits::default(), Vec::new());
    let root =
        host.load(Role::Root, "root.lua", "return { check = function() return clean(), {} end }").expect("a root");
    let task = json!({"id": "t"});
    let mut vm = Vm::new(Limits::default());
    let mut session = vm.session(&root, &task, &Document::plain(""));
    session.plan(&module(role, tier, plan), &[]).map_err(|fault| {
        assert_eq!(fault.kind, FaultKind::Malformed);
        fault.message
    })
}

#[test]
fn every_kind_of_request_is_read() {
    let plan = "return {
        { call = 'f', args = '[1]' }, { call = 'f', args = '[2]', on = 'both', world = 1 },
        { assert = 'assert f(1) == 2', on = 'peers' }, { query = true, copy = 6 }, { query = 'select 1' } }";
    let call = |args: &str, on, world| Request::Call { name: "f".into(), args: args.into(), on, world, source: None };
    let expected = vec![
        call("[1]", On::Own, 0),
        call("[2]", On::Both, 1),
        Request::Assert { text: "assert f(1) == 2".into(), on: On::Peers, world: 0 },
        Request::Query { text: None, copy: 6, on: On::Own },
        Request::Query { text: Some("select 1".into()), copy: 0, on: On::Own },
    ];
    assert_eq!(requests(Role::Op, "execution", plan), Ok(expected));
    let ask = Request::Ask { question: "Right?".into(), choices: vec!["yes".into(), "no".into()], samples: 3 };
    let plan = "return { { ask = 'Right?', choices = { 'yes', 'no' }, samples = 3 } }";
    assert_eq!(requests(Role::Op, "judge", plan), Ok(vec![ask]));
    let source = "return { { call = 'f', args = '[]', source = 'def f(): pass' } }";
    assert!(matches!(
        &requests(Role::Anchor, "", source).expect("its own")[..],
        [Request::Call { source: Some(_), .. }]
    ));
    assert_eq!(requests(Role::Op, "execution", "return nil"), Ok(Vec::new()));
    assert_eq!(requests(Role::Op, "execution", "return {}"), Ok(Vec::new()));
}

#[test]
fn anything_else_is_malformed_and_says_so() {
    let cases = [
        ("return 1", "plan returned a number, not a list of requests"),
        (
            "return { { assert = 'x', wrld = 1 } }",
            "request 1: unknown key `wrld`; beside `assert` there may be on, world",
        ),
        ("return { { assert = 'x', call = 'f' } }", "request 1: needs exactly one of call, assert, query and ask"),
        ("return { { assert = 'x' }, { on = 'own' } }", "request 2: needs exactly one of call, assert, query and ask"),
        ("return { { call = 'f' } }", "request 1: `args` must be a string, not nothing"),
        ("return { { assert = 'x', on = 'all' } }", "request 1: `on` must be \"own\", \"peers\" or \"both\""),
        ("return { { assert = 'x', world = 2 } }", "request 1: `world` must be a whole number from 0 to 1"),
        ("return { { assert = 'x', world = 0/0 } }", "request 1: `world` must be a whole number from 0 to 1"),
        ("return { { assert = ('x'):rep(20000) } }", "request 1: `assert` has 20000 bytes, more than 16384"),
        ("return { { assert = '\\255' } }", "request 1: `assert` is not UTF-8"),
        ("return { 'x' }", "request 1: is not a table such as { assert = text }"),
        ("return { { assert = 'x' }, more = 1 }", "plan returned more than a list of requests"),
        (
            "return { { call = 'f', args = '[]', source = 'x' } }",
            "request 1: only an anchor may run a source of its own",
        ),
        ("return { { ask = 'x', choices = { 'a', 'b' } } }", "request 1: only an op of tier \"judge\" may ask a model"),
        (
            "local t = {} for i = 1, 101 do t[i] = { assert = 'x' } end return t",
            "plan makes 101 requests, more than 100",
        ),
    ];
    for (plan, expected) in cases {
        assert_eq!(requests(Role::Op, "execution", plan), Err(format!("x.lua: {expected}")));
    }
}

#[test]
fn only_an_anchor_sees_the_reference_and_a_plan_without_requests_abstains() {
    let host = Host::new(Limits::default(), Vec::new());
    let root = "return { check = function(task) return clean(), { leak = tostring(task.reference) } end }";
    let root = host.load(Role::Root, "root.lua", root).expect("a root");
    let (task, reference) = (json!({"id": "t", "reference": "in the task"}), json!("the answer"));
    let mut vm = Vm::new(Limits::default());
    let mut session = vm.session(&root, &task, &Document::plain("")).with_reference(Some(&reference));
    let seen = [Arc::new(Seen { own: Some(Arc::new(Observation::value(Value::None))), peers: Vec::new() })];
    let (op, anchor) = (module(Role::Op, "execution", ""), module(Role::Anchor, "", ""));
    assert_eq!(session.check(&op, &seen).message(), Some("none"));
    assert_eq!(session.check(&anchor, &seen).message(), Some("the answer"));
    assert_eq!(session.describe_artifact(), "leak = \"nil\"\n");
    assert!(matches!(session.check(&op, &[]), Verdict::Abstain(_)));
}
