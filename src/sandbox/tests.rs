//! The sandbox at work on real Python: what needs its insides.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::observe::{Status, Value};

fn call(source: &str, name: &str, args: &str) -> Job {
    let probes = vec![Probe::Call { name: name.into(), args: args.into() }];
    Job { source: Arc::from(source), world: 0, probes }
}

#[test]
fn a_killed_zygote_loses_nothing() {
    let sandbox = Sandbox::start(Config { workers: NonZero::new(1), ..Config::default() }).unwrap();
    let jobs: Vec<Job> = (0..4).map(|n| call("def f(x): return x * 2", "f", &format!("[{n}]"))).collect();
    let kill = |_: usize| {
        let mut seat = sandbox.pool.seat(0);
        let id = seat.zygote().unwrap().id() as i32;
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    };
    for _ in 0..2 {
        kill(0);
        let results = sandbox.run(&jobs, &|_| {}).unwrap();
        for (n, result) in results.iter().enumerate() {
            let observation = result[0].as_ref().unwrap();
            assert_eq!(observation.status, Status::Value);
            assert_eq!(observation.value, Some(Value::Int((n * 2).into())));
        }
    }
}

/// Started by the test below, as a process of its own.
#[test]
#[ignore = "it waits to be killed"]
fn a_parent_with_a_busy_candidate() {
    let sandbox = Sandbox::start(Config { workers: NonZero::new(1), ..Config::default() }).unwrap();
    let job = call("while True: pass", "f", "[]");
    loop {
        sandbox.run(std::slice::from_ref(&job), &|_| {}).unwrap();
    }
}

#[test]
fn a_killed_parent_takes_its_zygotes_and_candidates_along() {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sandbox::tests::a_parent_with_a_busy_candidate", "--ignored"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (zygote, candidate) = loop {
        if let Some(&zygote) = children(parent.id()).first()
            && let Some(&candidate) = children(zygote).first()
            && processor_ticks(candidate) > 2
        {
            break (zygote, candidate);
        }
        thread::sleep(Duration::from_millis(10));
    };
    parent.kill().unwrap();
    parent.wait().unwrap();
    while is_running(zygote) || is_running(candidate) {
        thread::sleep(Duration::from_millis(10));
    }
}

fn children(parent: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}

/// The fields of a process' state after its name; none once it is gone.
fn state(id: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

fn is_running(id: u32) -> bool {
    state(id).is_some_and(|fields| fields[0] != "Z")
}

fn processor_ticks(id: u32) -> u64 {
    state(id).map_or(0, |fields| fields[11].parse().unwrap())
}

#[test]
fn a_zygote_can_be_confined_and_still_read_its_library() {
    let sandbox = Sandbox::start(Config { workers: NonZero::new(1), ..Config::default() }).unwrap();
    let source = "import statistics, json, datetime, decimal, fractions, zoneinfo\ndef f(x): return json.dumps(x)";
    let seen = sandbox.run(&[call(source, "f", "[[1]]")], &|_| {}).unwrap().remove(0).remove(0).unwrap();
    assert_eq!(seen.value, Some(Value::str("[1]")));
}

#[test]
fn without_any_means_of_confinement_nothing_starts() {
    let missing = Missing::new("the kernel has no landlock").help("Use another");
    assert_eq!(missing.to_string(), "candidates cannot run here: the kernel has no landlock. Use another");
    let python = Some("/no/such/python3".into());
    let missing = Sandbox::start(Config { python, ..Config::default() }).err().unwrap();
    assert!(missing.to_string().contains("apt install"), "{missing}");
}
