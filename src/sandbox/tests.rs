//! The sandbox at work on real Python: what needs its insides.

use std::sync::Arc;

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
