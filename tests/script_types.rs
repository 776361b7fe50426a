//! The type stubs of the host's functions are those that the registry describes.

use std::path::Path;

#[test]
fn the_stubs_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/types/gradus.lua");
    let expected = gradus::script::stubs();
    if std::env::var_os("GRADUS_UPDATE").is_some() {
        std::fs::write(&path, &expected).expect("the stubs can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let stale = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "scripts/types/gradus.lua is stale from line {}; regenerate it: GRADUS_UPDATE=1 cargo test --test script_types",
        stale.unwrap_or_else(|| found.lines().count().min(expected.lines().count())) + 1
    );
}

#[test]
fn a_stub_is_plain_lua_with_annotations() {
    let stubs = gradus::script::stubs();
    for needed in [
        "function drawback(message, place) end",
        "---@param place? Span|Node",
        "function Node:calls(name, reach) end",
        "---@class pythonlib",
        "python = {}",
    ] {
        assert!(stubs.contains(needed), "{needed}");
    }
    mlua::chunk::Compiler::new().compile(stubs).expect("Lua");
}
