//! Scripts that attack their host: each attack is first shown to work on a bare machine, then contained here.
//!
//! A hang is a call that takes more than twice its limit; a leak, a verdict that another op or output changed.

#[path = "attacks/bare.rs"]
mod bare;
#[path = "attacks/corpus.rs"]
mod corpus;
#[path = "attacks/hosted.rs"]
mod hosted;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use corpus::{ATTACKS, Attack, Hosted};
use gradus::script::Vm;

const CHILD: &str = "GRADUS_ATTACKS_CHILD";

#[test]
fn every_attack_works_on_a_bare_machine() {
    assert!(ATTACKS.len() >= 50);
    report(ATTACKS.iter().map(|attack| (attack, bare::works(attack))));
}

#[test]
fn every_attack_is_contained_in_one_machine_after_another() {
    let first = &ATTACKS[0];
    let mut vm = Vm::new(hosted::limits(first));
    report(ATTACKS.iter().map(|attack| {
        let start = Instant::now();
        let outcome = match hosted::wall(attack) == hosted::wall(first) {
            true => hosted::verdicts(attack, &mut vm),
            false => hosted::verdicts(attack, &mut Vm::new(hosted::limits(attack))),
        };
        let limit = 2 * hosted::wall(attack) * attack.calls.len() as u32;
        let hung = start.elapsed() > limit;
        (attack, if hung { Err(format!("took {:?}", start.elapsed())) } else { hosted::contained(attack, &outcome) })
    }));
}

#[test]
fn verdicts_are_equal_in_fresh_and_used_machines_on_two_threads_and_in_two_processes() {
    let here = transcript();
    let elsewhere = std::thread::spawn(transcript).join().expect("the thread ends");
    assert_eq!(here, elsewhere, "on two threads");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("transcript");
    let this = std::env::current_exe().expect("this test");
    let ran = Command::new(this).args(["--exact", "a_child_writes_its_transcript"]).env(CHILD, &path).output();
    assert!(ran.expect("the child runs").status.success());
    assert_eq!(here, std::fs::read_to_string(&path).expect("the child's transcript"), "in two processes");
}

#[test]
fn a_child_writes_its_transcript() {
    if let Some(path) = std::env::var_os(CHILD) {
        // Something on the heap before all else, so that no address is the parent's.
        let shift = vec![1_u8; 123_457];
        std::fs::write(Path::new(&path), transcript()).expect("written");
        drop(shift);
    }
}

/// What has an order and a chance of its own, and must not differ either.
const ORDERS: Attack = Attack {
    name: "orders",
    modules: &[(
        "",
        "local t, names = {}, {} for i = 1, 300 do t['key' .. i * 7919 % 1000] = i t[i / 7] = i end
        for name in pairs(t) do names[#names + 1] = tostring(name) end
        for _, args in ipairs(mutations({ id = 't', examples = { 'assert f([1, 2], 3) == 1' } }, 20)) do names[#names + 1] = args end
        return drawback(table.concat(names, ' '):sub(1, 900))",
    )],
    calls: &[0],
    bare: corpus::Bare::Differs,
    hosted: Hosted::Clean,
};

/// All verdicts of the corpus but those that the clock decides: once each in a machine of its own, once in a used one.
fn transcript() -> String {
    let mut used = Vm::new(hosted::limits(&ATTACKS[0]));
    let mut lines = String::new();
    for attack in ATTACKS.iter().chain([&ORDERS]).filter(|attack| !matches!(attack.hosted, Hosted::Backstop)) {
        let fresh = hosted::verdicts(attack, &mut Vm::new(hosted::limits(attack)));
        let again = hosted::verdicts(attack, &mut used);
        assert_eq!(fresh, again, "{}", attack.name);
        lines.push_str(&format!("{}: {fresh:?}\n", attack.name));
    }
    lines
}

fn report<'a>(results: impl Iterator<Item = (&'a Attack, Result<(), String>)>) {
    let failed: Vec<String> =
        results.filter_map(|(attack, result)| result.err().map(|why| format!("{}: {why}", attack.name))).collect();
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}
