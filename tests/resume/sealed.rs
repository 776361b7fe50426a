//! The sealed labels have no part in what a run decides (DESIGN section 5): whatever becomes of them, every event before
//! the audit is the same.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use gradus::base::Id;
use serde_json::Value;

use crate::evolving::{Made, Place, UNDISTURBED, assert_same};
use crate::support::{stderr, stdout};

/// A change of one file of a dataset.
type Change = (&'static str, fn(&Path));

const SEALED: &str = "data/sealed.jsonl";

/// Turns every label around.
const FLIPPED: Change = ("every label flipped", |dir| {
    let text = fs::read_to_string(dir.join(SEALED)).unwrap();
    let flipped = text.replace("true", "?").replace("false", "true").replace('?', "false");
    assert_ne!(flipped, text);
    fs::write(dir.join(SEALED), flipped).unwrap();
});
const DELETED: Change = ("deleted", |dir| fs::remove_file(dir.join(SEALED)).unwrap());
const GARBAGE: Change = ("garbage", |dir| fs::write(dir.join(SEALED), b"\xff\x00 no labels {\n".repeat(40)).unwrap());

/// Turns every label around and seals the new ones, so that an audit believes them.
fn flip_and_seal(dir: &Path) {
    FLIPPED.1(dir);
    let labels = fs::read_to_string(dir.join(SEALED)).unwrap();
    let labels: Vec<Value> = labels.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let word = |label: &Value| if label["pass"] == true { "pass" } else { "fail" };
    let fields = labels.iter().flat_map(|label| [label["output"].as_str().unwrap(), word(label)]);
    let seal = Id::of("sealed", fields.map(str::as_bytes)).to_string();
    let path = dir.join("data/splits.json");
    let mut splits: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_ne!(splits["sealed"], seal);
    splits["sealed"] = seal.into();
    fs::write(&path, splits.to_string()).unwrap();
}

/// A whole run on a dataset that was changed.
fn run(change: fn(&Path), more: &[&str]) -> (Place, Made) {
    let place = Place::warm();
    change(place.path());
    let ended = place.begin(more);
    assert_eq!(ended.status.code(), Some(0), "{}", stderr(&ended));
    let made = place.made();
    (place, made)
}

fn is_of_the_loop(event: &str) -> bool {
    event != "audited"
}

fn is_of_the_audit(event: &str) -> bool {
    event == "audited"
}

static CLOSED: LazyLock<Made> = LazyLock::new(|| run(|_| (), &["--no-audit"]).1);

#[test]
fn without_an_audit_the_sealed_labels_change_nothing() {
    assert_eq!(CLOSED.lines(is_of_the_audit), [""; 0]);
    assert_eq!(CLOSED.lines(|_| true), UNDISTURBED.made.lines(is_of_the_loop));
    for (what, change) in [FLIPPED, DELETED, GARBAGE] {
        let (place, made) = run(change, &["--no-audit"]);
        assert_same(&made, &CLOSED, what);
        assert_eq!(place.openings(), 0, "{what}");
    }
}

#[test]
fn an_audit_refuses_changed_labels_after_the_same_events_and_goes_on_once_they_are_restored() {
    for (what, change) in [FLIPPED, DELETED, GARBAGE] {
        let place = Place::warm();
        let labels = fs::read(place.path().join(SEALED)).unwrap();
        change(place.path());
        let ended = place.begin(&[]);
        let said = stderr(&ended);
        assert_eq!(ended.status.code(), Some(1), "{what}: {said}");
        assert!(said.contains("data/sealed.jsonl"), "{what}: {said}");
        assert!(stdout(&ended).is_empty() && !place.run().join("metric.json").exists(), "{what}");
        assert_eq!(place.made().lines(|_| true), UNDISTURBED.made.lines(is_of_the_loop), "{what}");
        assert_eq!(place.openings(), 1, "{what}: an opening counts even when the labels are refused");
        fs::write(place.path().join(SEALED), labels).unwrap();
        place.resume_to_the_same(&[], what);
    }
}

#[test]
fn an_audit_that_believes_other_labels_gives_other_figures_after_the_same_events() {
    let (_, made) = run(flip_and_seal, &[]);
    assert_eq!(made.lines(is_of_the_loop), UNDISTURBED.made.lines(is_of_the_loop));
    let audits = [&made, &UNDISTURBED.made].map(|made| made.lines(is_of_the_audit));
    assert_eq!(audits.each_ref().map(Vec::len), [1, 1]);
    assert_ne!(audits[0], audits[1]);
}

#[test]
fn audits_after_every_round_change_no_other_event_whatever_the_labels_say() {
    let (place, made) = run(|_| (), &["--audit-every-round"]);
    let (_, flipped) = run(flip_and_seal, &["--audit-every-round"]);
    for every in [&made, &flipped] {
        assert_eq!(every.lines(is_of_the_loop), UNDISTURBED.made.lines(is_of_the_loop));
    }
    let audits = [&made, &flipped].map(|made| made.lines(is_of_the_audit));
    assert_eq!(audits[0].len(), 2, "of round 3, the first with a metric, and of the final one");
    assert_eq!(audits[0].len(), audits[1].len());
    assert!(audits[0].iter().zip(&audits[1]).all(|(one, other)| one != other));
    assert_eq!(place.openings(), audits[0].len());
}

#[test]
fn the_reference_solutions_have_no_part_in_a_run() {
    let (_, made) = run(|dir| fs::remove_file(dir.join("data/reference.jsonl")).unwrap(), &[]);
    assert_same(&made, &UNDISTURBED.made, "without reference solutions");
}

#[test]
fn no_event_tells_of_a_test_output() {
    let path = UNDISTURBED.place.path().join("data/splits.json");
    let splits: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let test: Vec<&str> = splits["test"].as_array().unwrap().iter().map(|task| task.as_str().unwrap()).collect();
    assert_eq!(test.len(), 2);
    let (_, every) = run(|_| (), &["--audit-every-round"]);
    for line in UNDISTURBED.made.events.lines().chain(every.events.lines()) {
        assert!(!test.iter().any(|task| line.contains(task)), "{line}");
    }
}
