//! Features files of the right shape load; every other shape is refused with its line and a remedy.

use super::super::super::{Host, Limits, Module, Role, Tier};
use super::*;

fn load(source: &str) -> Result<Module> {
    Host::new(Limits::default(), vec!["bad".to_owned(), "worse".to_owned()]).load(
        Role::Features,
        "pack/features.lua",
        source,
    )
}

fn refusal(source: &str) -> String {
    load(source).expect_err("a refusal").to_string()
}

/// A file with one measurement of these further fields.
fn one(name: &str, fields: &str) -> String {
    format!(
        "local function ask(task, artifact) end\nreturn {{\n  {name} = {{\n    about = 'x', detects = 'bad',\n    {fields}\n  }},\n}}"
    )
}

const MEASURE: &str = "measure = function() end,";

#[test]
fn a_features_file_declares_its_measurements_in_order() {
    let source = "local function ask() end\nreturn {
      loops = { about = 'loops', detects = 'bad', measure = function() return 1 end },
      calls = { about = 'calls', detects = 'worse', peers = true, plan = ask, measure = function() return 1 end },
    }";
    let module = load(source).expect("well-formed");
    let features = module.features().expect("features");
    let declared: Vec<_> = features
        .all()
        .iter()
        .map(|feature| (&*feature.name, &*feature.about, &*feature.detects, feature.peers, feature.tier()))
        .collect();
    assert_eq!(
        declared,
        [("loops", "loops", "bad", false, Tier::Static), ("calls", "calls", "worse", true, Tier::Execution)]
    );
    assert_eq!((module.op(), module.plans(), module.name()), (None, false, "features"));
    assert_eq!(features.get("calls").map(|feature| &*feature.name), Some("calls"));
    assert!(features.get("none").is_none());
}

#[test]
fn a_wrong_measurement_is_refused_with_line_and_remedy() {
    let at = "pack/features.lua";
    let cases = [
        (one("a", ""), format!("{at}:6: `measure` is missing from the returned table")),
        (one("a", "measure = 1"), format!("{at}:5: `measure` must be a function, not a number")),
        (one("a", "mesure = ask"), format!("{at}:5: unknown key `mesure`. Did you mean `measure`?")),
        (
            one("a", MEASURE).replace("'bad'", "'bed'"),
            format!("{at}:4: `bed` is not a class of the taxonomy. Did you mean `bad`?"),
        ),
        (
            one("a", MEASURE).replace("'x'", &format!("'{}'", "x".repeat(201))),
            format!("{at}:4: `about` is longer than one line. Keep it within 200 bytes."),
        ),
        (
            one("a", &format!("peers = true, {MEASURE}")),
            format!(
                "{at}:5: a measurement without a plan sees no peers. Peers are observed through a plan: add one, or leave `peers` out."
            ),
        ),
        (
            one("a", &format!("plan = function(task, artifact, seen) end, {MEASURE}")),
            format!("{at}:5: a measurement asks in one round. Its plan takes (task, artifact), and not what was seen."),
        ),
        (
            one("a", &format!("plan = function(...) end, {MEASURE}")),
            format!("{at}:5: a measurement asks in one round. Its plan takes (task, artifact), and not what was seen."),
        ),
        (
            one("a", &format!("plan = ask or ask, {MEASURE}")),
            format!(
                "{at}:5: `plan` is neither a function written here nor the name of one above. Write plan = function(task, artifact) … end, or name a `local function`."
            ),
        ),
        (one("a", &format!("{MEASURE} {MEASURE}")), format!("{at}:5: `measure` is given twice")),
        (
            one("A", MEASURE),
            format!(
                "{at}:3: `A` is not a measurement's name. Up to 40 lower-case letters, digits and underscores, a letter first."
            ),
        ),
        (one("ask", MEASURE), format!("{at}:3: `ask` is a measurement and a local. Rename one of them.")),
        (
            one("same", MEASURE),
            format!(
                "{at}:3: `same` has another meaning in ops. A measurement becomes a function of its own name; give it one that says what is counted."
            ),
        ),
        (
            format!("local b, clean = 1\n{}", one("a", MEASURE)),
            format!("{at}:1: `clean` is a function of the host, which composed ops rely on. Rename the local."),
        ),
        (
            "return { a = { about = 'x', detects = 'bad', measure = function() end },\n a = {} }".to_owned(),
            format!("{at}:2: there are two measurements `a`. Rename one of them."),
        ),
        (
            "return {\n}".to_owned(),
            format!("{at}: has no measurement. Without measurements a pack needs no features.lua."),
        ),
        (
            "local a = {}\na.b = 1\nreturn a".to_owned(),
            format!(
                "{at}:2: at top level a features file has `local` statements only. Put it into a `local function`, or into a value after `local name =`."
            ),
        ),
        (
            "x = ".to_owned(),
            format!(
                "{at}:1: Expected identifier when parsing expression, got <eof>. The script must be plain Lua that ends with `return {{ … }}`."
            ),
        ),
        (
            "error('no')".to_owned(),
            format!(
                "{at}:1: no. A features file ends with `return {{ name = {{ about = …, detects = …, measure = … }} }}`."
            ),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(refusal(&source), expected, "{source}");
    }
}

#[test]
fn limits_hold_for_features_as_for_ops() {
    let at = "pack/features.lua";
    assert_eq!(refusal("while true do end").split(". ").next(), Some(&*format!("{at}: used up its 1000000 steps")));
    let hoard = "local function f() local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end end\nlocal x = f()\nreturn {}";
    assert_eq!(refusal(hoard).split(". ").next(), Some(&*format!("{at}: used up its 16 MiB of memory")));
    let huge = format!("-- {}\nreturn {{}}", "x".repeat(1 << 16));
    assert!(refusal(&huge).contains("bytes, more than 65536"), "{}", refusal(&huge));
    for deep in [format!("return {}{}", "{".repeat(30_000), "}".repeat(30_000)), "local a ".repeat(8_000)] {
        assert!(refusal(&deep).len() < 1500);
    }
}
