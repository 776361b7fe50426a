//! Sessions: fresh instances, frozen artifacts, limits and faults.

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
    let mut session = vm.session(&root, &task, &Document::python(text));
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
            "function check()\n return ('x'):find({}) end",
            "pack/seeds/x.lua:2: argument 2: expected a string, got a table",
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
        (
            "function check()\n return python.prase('') end",
            "pack/seeds/x.lua:2: `python.prase` is not defined; did you mean `python.parse`?",
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

const PYTHON_ROOT: &str = "return { check = function(task, text)
  local tree = python.parse(text)
  return clean(), { tree = tree, entry = tree:find_function('f'), text = text }
end }";

const SOURCE: &str = "import math\ndef f(xs, n=2):\n    'Doc.'\n    def g(): return 1\n    print(xs)\n    return [x for x in xs]\nf = 3 # end\n";

/// What a script finds true of `SOURCE`: each line of `claims` is an expression.
fn holds(claims: &str, seen: &[Arc<Seen>]) {
    let root = host().load(Role::Root, "pack/root.lua", PYTHON_ROOT).expect("a well-formed root");
    let task = json!({"id": "t", "examples": ["assert f([1, 2], 3) == [1, 2]"]});
    let claims =
        claims.trim().lines().map(|claim| format!("if not ({claim}) then return drawback([=[{}]=]) end", claim.trim()));
    let body = claims.collect::<Vec<_>>().join("\n");
    let module = op(&format!(
        "function check(task, artifact, seen)\nlocal tree, entry = artifact.tree, artifact.entry\n{body}\nreturn clean() end"
    ));
    let mut vm = Vm::new(host().limits().clone());
    let mut session = vm.session(&root, &task, &Document::python(SOURCE));
    assert_eq!(session.check(&module, seen), Verdict::Clean);
}

#[test]
fn nodes_answer_about_themselves_and_their_scope() {
    holds(
        r##"
        tree:kind() == "module" and tree:parent() == nil and not tree:has_errors() and #tree:issues() == 0
        entry:name() == "f" and entry:line() == 2 and entry:is("function_definition")
        entry:span().first == 13 and entry:span():text() == entry:text() and entry:span():line() == 2
        #tree:functions() == 1 and #tree:all_functions() == 2 and tree:functions()[1] == entry
        entry:functions()[1]:name() == "g" and #entry:returns() == 1
        entry:returns()[1]:value():kind() == "list_comprehension"
        #entry:calls("print") == 1 and entry:calls()[1]:callee():text() == "print"
        entry:calls("print")[1]:arguments()[1].value:text() == "xs"
        #entry:find("return_statement") == 1 and #entry:find("return_statement", "nested") == 2
        entry:parameters()[2].name == "n" and entry:parameters()[2].default:text() == "2"
        entry:docstring():text() == "'Doc.'" and #entry:body() == 3
        tree:imports()[1].module == "math" and #entry:rebindings() == 1
        tree:comments()[1]:text() == "# end" and tree:literals()[1].value == "2"
        entry:names_read()[1] == "print" and entry:names_bound()[1] == "g"
        not entry:falls_through() and not entry:is_placeholder() and not entry:is_async()
        entry:contains(entry:returns()[1]) and entry:returns()[1]:scope() == entry
        entry:query("(call function: (identifier) @callee)")[1].callee:text() == "print"
        entry:id() == tree:children()[2]:id() and entry:parent() == tree
        python.parse("def f(:\n"):has_errors()
        "##,
        &[],
    );
}

#[test]
fn values_are_compared_taken_apart_and_shown() {
    holds(
        r##"
        python.literal("[1, None, 'x']"):type() == "list" and #python.literal("[1, None, 'x']") == 3
        python.literal("[1, None, 'x']"):at(2):is_none() and python.literal("[1]"):at(2) == nil
        python.literal("[1]"):at(0) == nil and python.literal("'abc'"):at(2):text() == "b"
        python.literal("9007199254740993"):number() == nil and python.literal("2.5"):number() == 2.5
        python.literal("9007199254740993"):repr() == "9007199254740993"
        python.literal("1"):equals(1) and python.literal("1.0"):equals(1) and not python.literal("'1'"):equals(1)
        python.literal("1.05"):equals(1, { abs = 0.1 }) and not python.literal("1.05"):equals(1, { rel = 0.01 })
        python.literal("{'a': [1, 2]}"):get("a"):at(2):number() == 2
        python.literal("{'a': 1}"):keys()[1]:text() == "a" and python.literal("{'a': 1}"):get("b") == nil
        python.literal("True"):truth() == true and python.literal("f(1)") == nil
        same(python.literal("{1, 2}"), python.literal("{2, 1.0}")) and not same(python.literal("1"), "1")
        not pcall(function() return #python.literal("1") end)
        #mutations(task, 5) == 5 and mutations(task, 3)[1] == mutations(task, 5)[1] and #boundaries(task) > 0
        text.sentences("One. Two.")[2] == "Two." and text.numerals("It is 12%.")[1].value == 12
        text.lines("a\nb")[2] == "b"
        "##,
        &[],
    );
}

#[test]
fn observations_are_closed_records() {
    use crate::observe::{Observation, Raised, Status, Value};
    let run = |value: i64| Arc::new(Observation::value(Value::int(value)));
    let raised = Observation {
        error: Some(Raised { kind: "KeyError".into(), message: "k".into() }),
        ..Observation::bare(Status::Exception)
    };
    let seen = Seen { own: Some(run(1)), peers: vec![run(2), Arc::new(raised), run(2), run(1)] };
    holds(
        r##"
        #seen == 1 and seen[1].own.status == "value" and seen[1].own.value:equals(1)
        seen[1].own.holds == nil and seen[1].own.error == nil and seen[1].own.stdout == ""
        #seen[1].peers == 4 and seen[1].peers[2].error.type == "KeyError" and seen[1].peers[2].value == nil
        plurality(seen[1].peers).value:equals(2) and select(2, plurality(seen[1].peers)) == 0.5
        select(3, plurality(seen[1].peers)) == 2 and plurality({}) == nil and select(2, plurality({})) == 0
        not same(nil, seen[1].own) and not same(nil, nil)
        same(seen[1].own, seen[1].peers[4]) and not same(seen[1].own, seen[1].peers[1])
        select(2, pcall(function() return seen[1].own.lines end)):find("Observation has no `lines`; it has status, value", 1, true)
        not pcall(function() seen[1].own.value = 1 end) and not pcall(function() seen[2] = 1 end)
        "##,
        &[Arc::new(seen)],
    );
}

#[test]
fn rows_are_counted_taken_apart_and_compared_by_a_rule() {
    use crate::observe::{Observation, Rows, Value};
    let rows = |cells: &[i64]| {
        let rows = cells.chunks(2).map(|row| row.iter().map(|cell| Value::int(*cell)).collect()).collect();
        Arc::new(Observation::rows(Rows { columns: vec!["a".into(), "b".into()], rows }))
    };
    let peers = vec![rows(&[3, 4, 1, 2]), rows(&[2, 1, 4, 3]), rows(&[9, 9]), rows(&[1, 2, 3, 4])];
    let seen = Seen { own: Some(rows(&[1, 2, 3, 4])), peers };
    holds(
        r##"
        #seen[1].own.rows == 2 and #seen[1].own.rows:columns() == 2 and seen[1].own.rows:columns()[2] == "b"
        seen[1].own.value == nil and seen[1].own.status == "value"
        seen[1].own.rows:at(2):repr() == "(3, 4)" and seen[1].own.rows:at(1):at(2):number() == 2
        seen[1].own.rows:at(0) == nil and seen[1].own.rows:at(3) == nil
        seen[1].own.rows:repr() == "(a, b): (1, 2) (3, 4)"
        seen[1].own.rows:equals(seen[1].peers[4].rows) and not seen[1].own.rows:equals(seen[1].peers[1].rows)
        seen[1].own.rows:equals(seen[1].peers[1].rows, "spider1") and seen[1].own.rows:equals(seen[1].peers[2].rows, "spider1")
        not seen[1].own.rows:equals(seen[1].peers[1].rows, "spider1", true)
        seen[1].own.rows:equals(seen[1].peers[2].rows, "spider2") and not seen[1].own.rows:equals(seen[1].peers[3].rows, "spider2")
        select(2, pcall(function() return seen[1].own.rows:equals(seen[1].peers[1].rows, "loose") end)):find("there is no rule `loose`", 1, true)
        select(2, pcall(function() return seen[1].own.rows:equals({}) end)):find("the other result must be a Rows", 1, true)
        plurality(seen[1].peers).rows:equals(seen[1].peers[1].rows) and select(3, plurality(seen[1].peers)) == 2
        same(seen[1].own, seen[1].peers[1]) and not same(seen[1].own, seen[1].peers[2])
        "##,
        &[Arc::new(seen)],
    );
}

#[test]
fn every_listed_member_is_there() {
    use crate::observe::{Observation, Rows, Value};
    use crate::script::registry::{ENTRIES, Kind, Member, OWNERS};
    let asked = Arc::new(Observation::rows(Rows { columns: Vec::new(), rows: Vec::new() }));
    let seen = Arc::new(Seen { own: Some(Arc::new(Observation::value(Value::None))), peers: vec![asked] });
    let mut claims = String::new();
    for entry in ENTRIES {
        let owner = OWNERS.iter().find(|owner| owner.name == entry.owner).expect("listed");
        let holder = match (owner.kind, owner.name) {
            (Kind::Globals, _) => "",
            (Kind::Library, name) => &format!("{name}."),
            (Kind::Class, "Node") => "entry.",
            (Kind::Class, "Span") => "entry:span().",
            (Kind::Class, "Value") => "python.literal('1').",
            (Kind::Class, "Observation") => "seen[1].own.",
            (Kind::Class, "Rows") => "seen[1].peers[1].rows.",
            (Kind::Class, name) => panic!("no sample of {name}"),
            (Kind::Shape, _) => continue,
        };
        let name = entry.name;
        claims.push_str(&match entry.member {
            Member::Field => format!("pcall(function() return {holder}{name} end)\n"),
            _ => format!("type({holder}{name}) == 'function'\n"),
        });
    }
    holds(&claims, &[seen]);
}

#[test]
fn a_call_that_needs_much_memory_is_decided_in_a_machine_of_its_own() {
    let root = root();
    let task = json!({"id": "t"});
    let grows = |mebibytes: usize| {
        op(&format!("function check() local s = ('x'):rep({mebibytes} * 1048576) return drawback(tostring(#s)) end"))
    };
    let mut vm = Vm::new(host().limits().clone());
    for _ in 0..3 {
        let mut session = vm.session(&root, &task, &Document::plain("text"));
        for (mebibytes, fits) in [(1, true), (3, true), (12, true), (17, false), (3, true), (12, true)] {
            let verdict = session.check(&grows(mebibytes), &[]);
            assert_eq!(verdict.is_drawback(), fits, "{mebibytes} MiB: {verdict:?}");
        }
    }
}

#[test]
fn the_same_call_takes_the_same_fuel_in_fresh_and_used_machines() {
    let root = host().load(Role::Root, "pack/root.lua", PYTHON_ROOT).expect("a well-formed root");
    let task = json!({"id": "t"});
    let work =
        op("function check(task, artifact) local n = 0 for _, call in ipairs(artifact.tree:find('call', 'nested')) do
        for word in call:text():gmatch('%a+') do n = n + #word end end
        local t = {} for i = 1, 1000 do t['k' .. i] = i end for k, v in pairs(t) do n = n + v end
        artifact.tree:query('(identifier) @name') return drawback(tostring(n)) end");
    let left = |vm: &mut Vm| {
        let mut session = vm.session(&root, &task, &Document::python(SOURCE));
        let verdict = session.check(&work, &[]);
        (verdict, session.fuel_left())
    };
    let mut used = Vm::new(host().limits().clone());
    let first = left(&mut used);
    assert!(first.0.is_drawback() && first.1 < host().limits().fuel, "{first:?}");
    for _ in 0..50 {
        assert_eq!(left(&mut used), first);
    }
    assert_eq!(left(&mut Vm::new(host().limits().clone())), first);
}

#[test]
fn a_machine_lets_go_of_the_trees_of_past_outputs() {
    let root = host().load(Role::Root, "pack/root.lua", PYTHON_ROOT).expect("a well-formed root");
    let task = json!({"id": "t"});
    let text = "def f():\n    pass\n".repeat(1000);
    let mut vm = Vm::new(host().limits().clone());
    let trees: Vec<_> = (0..40)
        .map(|_| {
            let document = Document::python(text.as_str());
            assert_eq!(vm.session(&root, &task, &document).root(), Verdict::Clean);
            document.python.as_ref().map(Arc::downgrade).expect("parsed")
        })
        .collect();
    let kept = trees.iter().filter(|tree| tree.strong_count() > 0).count();
    assert!((1..=6).contains(&kept), "{kept} trees of {} bytes are kept", text.len());
}
