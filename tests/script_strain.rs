//! Sources and errors at their extremes: a refusal or a fault in a sentence, never a crash.

use std::time::Duration;

use gradus::script::{Document, Host, Limits, Module, Role, Vm};
use gradus::verdict::{Fault, FaultKind, Verdict};
use proptest::prelude::*;

fn host() -> Host {
    Host::new(Limits { wall: Duration::from_secs(60), ..Limits::default() }, vec!["bad".to_owned()])
}

fn load(path: &str, source: &str) -> Result<Module, String> {
    host().load(Role::Op, path, source).map_err(|error| error.to_string())
}

fn fault_at(path: &str, body: &str) -> Fault {
    let source = format!(
        "local function check() {body} end
        return {{ detects = 'bad', about = 'bad', tier = 'static', strength = 'smell', check = check }}"
    );
    let op = load(path, &source).expect("well-formed");
    let root =
        host().load(Role::Root, "root.lua", "return { check = function() return clean(), {} end }").expect("a root");
    let task = serde_json::json!({"id": "t"});
    let mut vm = Vm::new(host().limits().clone());
    match vm.session(&root, &task, &Document::plain("")).check(&op, &[]) {
        Verdict::Fault(fault) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn deep_and_long_sources_are_refused_or_run_within_their_limits() {
    let sources = [
        format!("return {}1{}", "(".repeat(30_000), ")".repeat(30_000)),
        format!("return {}{}", "{".repeat(30_000), "}".repeat(30_000)),
        format!("return {}1", "not ".repeat(15_000)),
        format!("return {}1", "- ".repeat(30_000)),
        format!("return 1{}", "..1".repeat(20_000)),
        format!("return 1{}", "+1".repeat(30_000)),
        format!("return 1{}", "^1".repeat(30_000)),
        format!("return a{}", ".a".repeat(30_000)),
        format!("return f{}", "()".repeat(30_000)),
        format!("{} {}", "do ".repeat(10_000), "end ".repeat(10_000)),
        format!("{} {}", "if a then ".repeat(4_000), "end ".repeat(4_000)),
        format!("{} {}", "for _ in a do ".repeat(3_000), "end ".repeat(3_000)),
        format!("x = {} {}", "function() return ".repeat(3_000), "end ".repeat(3_000)),
        format!("return {} 1", "if a then b else ".repeat(3_000)),
        "local a ".repeat(8_000),
        "x = 1 ".repeat(10_000),
        format!("return '{}'", "\\u{10FFFF}".repeat(6_000)),
        "\0\u{1}".repeat(10_000),
    ];
    for source in sources {
        let refusal = load("x.lua", &source).expect_err("none of these is an op");
        assert!(refusal.starts_with("x.lua:") && refusal.len() < 1500, "{refusal}");
    }
}

#[test]
fn deep_recursion_ends_as_an_error_whatever_it_goes_through() {
    let bodies = [
        "local function f() return 1 + f() end return f()",
        "local function f() return (('x'):gsub('x', f)) end return f()",
        "local function f() table.sort({ 2, 1 }, f) end return f()",
        "local function f() return select(2, assert(pcall(f))) end return f()",
        "local function f() for _ in f do end end return f()",
        "local t = {} for i = 1, 200000 do t = { t } end return drawback(t)",
    ];
    for body in bodies {
        let fault = fault_at("x.lua", body);
        assert!(matches!(fault.kind, FaultKind::Error | FaultKind::Memory | FaultKind::Malformed), "{body}: {fault:?}");
    }
}

#[test]
fn fault_messages_are_bounded_and_clean() {
    let long = format!("{}/x.lua", "long".repeat(100));
    for (path, body) in [
        ("x.lua", "error(('words '):rep(1e5))"),
        ("x.lua", "error('\\0\\27[31m\\255\\r\\n' .. ('é'):rep(1e4))"),
        ("x.lua", "error(('x'):rep(1e5), 0)"),
        (long.as_str(), "error('words')"),
        (long.as_str(), "return 1"),
    ] {
        let message = fault_at(path, body).message;
        assert!(message.len() <= 1100 && !message.chars().any(char::is_control), "{message:?}");
        assert!(message.starts_with(path), "{message:?}");
    }
}

/// Texts made of what the lexer and the rewriting look at.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "for ",
        "in ",
        "do ",
        "end ",
        "if ",
        "then ",
        "else ",
        "elseif ",
        "function() ",
        "while ",
        "repeat ",
        "until ",
        "return ",
        "x ",
        "= ",
        "{",
        "}",
        "(",
        ")",
        "[[",
        "]]",
        "[=[",
        "]=]",
        "--",
        "--[[",
        "'",
        "\"",
        "\\",
        "\n",
        "\\z",
        "é",
        "1e-",
        "0x",
        "...",
        ";",
        ", ",
        "`",
        "and ",
        "not ",
        "+= ",
        "\r",
        "\u{0}",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

/// Statements of plain Lua and Luau, nested.
fn statement() -> impl Strategy<Value = String> {
    let expression = prop_oneof![
        Just("pairs(t)".to_owned()),
        Just("next, t".to_owned()),
        Just("t".to_owned()),
        Just("f 'in' { 'do', ['end'] = 1; if a then b else c }".to_owned()),
        Just("if a then pairs(t) elseif b then t else (if c then t else u)".to_owned()),
        Just("[[ do ]] --[[ end ]]".to_owned()),
    ];
    let leaf = prop_oneof![
        Just("x = 1".to_owned()),
        Just("f()".to_owned()),
        Just("local y = if a then b else c".to_owned()),
        Just("t[#t + 1] = 'for x in y do' -- for x in y do".to_owned() + "\n"),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let block = prop::collection::vec(inner, 0..3).prop_map(|lines| lines.join(" "));
        let each =
            (expression.clone(), block.clone()).prop_map(|(list, block)| format!("for _ in {list} do {block} end"));
        let lambda = (block.clone(), block.clone())
            .prop_map(|(a, b)| format!("for _, v in (function() {a} return t end)() do {b} end"));
        prop_oneof![
            each,
            lambda,
            block.clone().prop_map(|block| format!("for i = 1, 3 do {block} end")),
            block.clone().prop_map(|block| format!("while a do {block} end")),
            block.clone().prop_map(|block| format!("repeat {block} until a")),
            block.clone().prop_map(|block| format!("do {block} end")),
            (block.clone(), block).prop_map(|(a, b)| format!("if a then {a} elseif b then {b} else {a} end")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_refused_in_words(source in soup()) {
        let refusal = load("x.lua", &source).expect_err("not an op");
        prop_assert!(refusal.starts_with("x.lua"), "{}", refusal);
    }

    /// A checked loop changes neither what compiles nor the lines.
    #[test]
    fn what_lua_accepts_the_host_compiles(statements in prop::collection::vec(statement(), 1..4)) {
        let body = statements.join("\n");
        let shape = "return { detects = 'bad', about = 'bad', tier = 'static', strength = 'smell', check = function() end }";
        let source = format!("local function never(a, b, c, t, u, f)\n{body}\nend\n{shape}");
        prop_assert!(mlua::chunk::Compiler::new().compile(&source).is_ok(), "{}", source);
        prop_assert!(load("x.lua", &source).is_ok(), "{}", source);
    }
}
