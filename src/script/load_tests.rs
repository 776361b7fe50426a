//! Modules of the right shape load; every other shape is refused with its line.

use super::*;

fn load(role: Role, source: &str) -> Result<Module> {
    Host::new(Limits::default(), vec!["prints".to_owned(), "wrong".to_owned()]).load(role, "pack/seeds/x.lua", source)
}

fn refusal(role: Role, source: &str) -> String {
    load(role, source).expect_err("a refusal").to_string()
}

fn op(fields: &str) -> String {
    format!("return {{\n  {fields}\n}}")
}

const STATIC: &str =
    "detects = 'wrong',\n  about = 'is wrong',\n  tier = 'static',\n  strength = 'proof',\n  check = function() end,";

#[test]
fn an_op_declares_what_it_is() {
    let module = load(Role::Op, &op(STATIC)).expect("well-formed");
    let expected = OpInfo {
        detects: "wrong".into(),
        about: "is wrong".into(),
        tier: Tier::Static,
        strength: Strength::Proof,
        peers: false,
    };
    assert_eq!((module.name(), module.plans(), module.op()), ("x", false, Some(&expected)));
    let planning = STATIC.replace("'static'", "'execution'") + "\n peers = true, plan = function() end";
    let module = load(Role::Op, &op(&planning)).expect("well-formed");
    assert!(module.plans() && module.peers());
}

#[test]
fn a_wrong_shape_is_refused_with_line_and_remedy() {
    let at = "pack/seeds/x.lua";
    let cases = [
        (op(&STATIC.replace("detects", "detcts")), format!("{at}:2: unknown key `detcts`. Did you mean `detects`?")),
        (
            op(&STATIC.replace("'wrong'", "'wrnog'")),
            format!("{at}:2: `wrnog` is not a class of the taxonomy. Did you mean `wrong`?"),
        ),
        (
            op(&STATIC.replace("'wrong'", "'x'")),
            format!("{at}:2: `x` is not a class of the taxonomy. The classes are: prints, wrong."),
        ),
        (op(&STATIC.replace("'static'", "'statc'")), format!("{at}:4: `statc` is no tier. Did you mean `static`?")),
        (op(&STATIC.replace("'proof'", "1")), format!("{at}:5: `strength` must be a string, not a number")),
        (
            op(&STATIC.replace("check = function() end", "check = true")),
            format!("{at}:6: `check` must be a function, not a boolean"),
        ),
        (
            op(&STATIC.replace("  about = 'is wrong',\n", "")),
            format!("{at}:6: `about` is missing from the returned table"),
        ),
        (
            op(&format!("{STATIC} plan = function() end")),
            format!("{at}:6: a static op has no plan. Say tier = \"execution\", or leave the plan out."),
        ),
        (
            op(&STATIC.replace("'static'", "'execution'")),
            format!(
                "{at}:4: an op of tier \"execution\" needs a plan. Add plan = function(task, artifact, seen) … end, or say tier = \"static\"."
            ),
        ),
        (
            op(&format!("{STATIC} [1] = 2")),
            format!("{at}: the returned table has a number as a key. Its keys are names."),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(refusal(Role::Op, &source), expected);
    }
    assert_eq!(
        refusal(Role::Op, "\nx ="),
        format!(
            "{at}:2: Expected identifier when parsing expression, got <eof>. The script must be plain Lua that ends with `return {{ … }}`."
        )
    );
    assert!(refusal(Role::Op, "local x = 1\nerror('no')").starts_with(&format!("{at}:2: no. An op ends with")));
    assert!(
        refusal(Role::Op, "while true do end").starts_with(&format!("{at}: used up its 1000000 steps. An op ends"))
    );
    assert!(refusal(Role::Op, "return 1").starts_with(&format!("{at}: does not return a table. An op ends with")));
    assert_eq!(
        refusal(Role::Op, "return {}, 1"),
        format!("{at}: returns more than its table. End the script with `return {{ … }}`.")
    );
    assert!(refusal(Role::Root, "return { chek = 1 }").ends_with("unknown key `chek`. Did you mean `check`?"));
    assert!(refusal(Role::Anchor, "return { detects = 'x' }").contains("unknown key `detects`"));
    assert!(refusal(Role::Op, &"-".repeat(1 << 17)).contains("131072 bytes, more than 65536"));
}
