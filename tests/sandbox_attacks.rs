//! Attacks on the runner: each is first shown to work on a bare one, then to fail in the sandbox.
//!
//! The attacks are in `tests/sandbox_attacks/`, one section each.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gradus::observe::{Observation, Status, Value};
use gradus::sandbox::{Config, Confinement, Job, Limits, Probe, Sandbox};

/// What no candidate can compute.
const WORD: &str = "quoth-7f3a91";

struct Attack {
    name: String,
    source: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sandbox_attacks")
}

fn attacks(file: &str) -> Vec<Attack> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let sections = text.split("\n#: ").skip(1).map(|section| {
        let (title, source) = section.split_once('\n').unwrap();
        let (name, _) = title.split_once(" - ").unwrap();
        Attack { name: name.to_owned(), source: source.to_owned() }
    });
    sections.collect()
}

/// How a process of the bare runner ended.
#[derive(Debug, PartialEq)]
enum Ending {
    Passed,
    Failed,
    /// By a signal, or by our patience.
    Stopped,
}

fn bare(file: &str, attack: &Attack, args: &str, expected: &str, patience: u64) -> Ending {
    let mut runner = Command::new("python3");
    runner.arg(folder().join("bare.py")).arg(folder().join(file)).args([&attack.name, args, expected]);
    let mut child = runner.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    loop {
        match child.try_wait().unwrap() {
            Some(status) if status.success() => return Ending::Passed,
            Some(status) if status.code().is_some() => return Ending::Failed,
            Some(_) => return Ending::Stopped,
            None if started.elapsed() > Duration::from_secs(patience) => {
                stop(child);
                return Ending::Stopped;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn stop(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Every way of confinement that this machine has.
fn sandboxes() -> Vec<(Confinement, Sandbox)> {
    let limits = Limits { call_cpu_ms: 150, idle_ms: 300, memory_mb: 512, ..Limits::default() };
    let start = |confinement: Confinement| {
        let config = Config { limits: limits.clone(), confinement, ..Config::default() };
        (confinement, Sandbox::start(config))
    };
    let kinds = [Confinement::Kernel, Confinement::Bubblewrap, Confinement::BubblewrapOnly].map(start);
    let usable = kinds.into_iter().filter_map(|(kind, started)| match started {
        Ok(sandbox) => Some((kind, sandbox)),
        Err(missing) => {
            println!("skipped {kind:?}: {missing}");
            None
        }
    });
    let usable: Vec<_> = usable.collect();
    assert!(!usable.is_empty());
    usable
}

fn observe(sandbox: &Sandbox, source: &str, probe: Probe) -> Observation {
    let job = Job { source: Arc::from(source), world: 0, probes: vec![probe] };
    sandbox.run(&[job], &|_| {}).unwrap().remove(0).remove(0).unwrap()
}

fn call(args: String) -> Probe {
    Probe::Call { name: "f".into(), args }
}

/// Runs `each` for every attack on a few threads, and reports all that fail at once.
fn for_each(attacks: &[Attack], each: &(dyn Fn(&Attack) -> Result<(), String> + Sync)) {
    let next = AtomicUsize::new(0);
    let failures = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some(attack) = attacks.get(next.fetch_add(1, Ordering::Relaxed)) {
                failures.extend(each(attack).err().map(|why| format!("{}: {why}", attack.name)));
            }
            failures
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn require(fact: bool, otherwise: impl Into<String>) -> Result<(), String> {
    if fact { Ok(()) } else { Err(otherwise.into()) }
}

#[test]
fn no_pass_is_forged() {
    let attacks = attacks("forge.py");
    assert!(attacks.len() >= 30);
    let sandboxes = sandboxes();
    let questions = [
        format!("assert f(7) == '{WORD}'"),
        format!("assert str(f(7)) == '{WORD}'"),
        format!("assert not (f(7) != '{WORD}')"),
    ];
    for_each(&attacks, &|attack| {
        let ending = bare("forge.py", attack, "[7]", &format!("'{WORD}'"), 20);
        require(ending == Ending::Passed, format!("does not work on the bare runner: {ending:?}"))?;
        for (kind, sandbox) in &sandboxes {
            for text in &questions {
                let seen = observe(sandbox, &attack.source, Probe::Assert { text: text.clone() });
                require(seen.holds != Some(true), format!("forges `{text}` under {kind:?}: {seen:?}"))?;
                let told = seen.value == Some(Value::str(WORD));
                require(!told, format!("knows the word under {kind:?}: {seen:?}"))?;
            }
        }
        Ok(())
    });
}

/// A folder, a port and a process that nobody may touch.
struct Victims {
    folder: tempfile::TempDir,
    listener: TcpListener,
    process: Child,
}

impl Victims {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), WORD).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let process = Command::new("sleep").arg("1000").spawn().unwrap();
        Self { folder, listener, process }
    }

    fn args(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        format!("['{}', {port}, {}]", self.folder.path().display(), self.process.id())
    }

    /// Whether everything is as it was.
    fn untouched(&mut self) -> Result<(), String> {
        let path = self.folder.path();
        let names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        require(names == ["secret"], format!("the folder now has {names:?}"))?;
        require(fs::read_to_string(path.join("secret")).unwrap() == WORD, "the secret has changed")?;
        require(self.listener.accept().is_err(), "somebody has called")?;
        require(self.process.try_wait().unwrap().is_none(), "the process has been ended")
    }
}

impl Drop for Victims {
    fn drop(&mut self) {
        // It may have been ended by an attack on the bare runner.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn nothing_escapes() {
    let attacks = attacks("escape.py");
    assert!(attacks.len() >= 45);
    let sandboxes = sandboxes();
    for_each(&attacks, &|attack| {
        let ending = bare("escape.py", attack, &Victims::new().args(), "'done'", 20);
        require(ending == Ending::Passed, format!("does not work on the bare runner: {ending:?}"))?;
        for (kind, sandbox) in &sandboxes {
            let mut victims = Victims::new();
            let seen = observe(sandbox, &attack.source, call(victims.args()));
            let private = *kind == Confinement::BubblewrapOnly && PRIVATE.contains(&attack.name.as_str());
            let done = seen.value == Some(Value::str("done"));
            require(!done || private, format!("gets through under {kind:?}: {seen:?}"))?;
            victims.untouched().map_err(|what| format!("under {kind:?}, {what}"))?;
        }
        Ok(())
    });
}

/// What a candidate may do without seccomp: all of it ends at the namespaces that bubblewrap made for it alone, and
/// that end with it.
const PRIVATE: [&str; 15] = [
    "udp_send",
    "tcp_listen",
    "unix_socket",
    "netlink",
    "socket_pair",
    "kill_parent",
    "kill_group",
    "trace",
    "read_memory",
    "shared_memory",
    "message_queue",
    "new_name",
    "raise_limits",
    "lie_about_parent",
    "kernel_queue",
];

#[test]
fn nothing_hangs() {
    let attacks = attacks("exhaust.py");
    assert!(attacks.len() >= 25);
    let sandboxes = sandboxes();
    for_each(&attacks, &|attack| {
        let ending = bare("exhaust.py", attack, "[0]", "0", 3);
        require(ending == Ending::Stopped, format!("does not work on the bare runner: {ending:?}"))?;
        for (kind, sandbox) in &sandboxes {
            let seen = observe(sandbox, &attack.source, call("[0]".into()));
            let ended = seen.status != Status::Value;
            require(ended, format!("claims to have ended under {kind:?}: {seen:?}"))?;
            require(seen.stdout.len() <= Limits::default().stdout_bytes as usize, "prints too much")?;
            let next = observe(sandbox, "def f(x): return x + 1", call("[1]".into()));
            require(next == Observation::value(Value::int(2)), format!("spoils the next one: {next:?}"))?;
        }
        Ok(())
    });
}
