//! How a zygote is confined on this machine, and the command that starts one so.
//!
//! Decided once, before any candidate: either the kernel's own means (landlock and seccomp) or bubblewrap. There is no
//! third way: without either nothing runs.

use std::process::{Command, Stdio};

use seccompiler::BpfProgram;

use super::error::{Error, Missing};
use super::interpreter::Interpreter;
use enter::Rights;

mod bubblewrap;
mod enter;
mod landlock;
mod seccomp;
pub(super) mod probe;

/// Which means of confinement to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confinement {
    /// The kernel's own means where it has them, else bubblewrap.
    #[default]
    Auto,
    /// Landlock and seccomp, or nothing.
    Kernel,
    /// Bubblewrap, or nothing; with seccomp where the kernel has it.
    Bubblewrap,
    /// Bubblewrap, as on a kernel without seccomp: a zygote serves one candidate and dies with all its descendants.
    BubblewrapOnly,
}

/// What has been decided.
#[derive(Debug)]
pub(super) struct Walls {
    /// Whether `bwrap` stands in for landlock.
    bubblewrap: bool,
    /// Filter A, if one is laid before the exec.
    zygote_filter: Option<BpfProgram>,
    /// Filter B, if the kernel has such a thing.
    candidate_filter: Option<BpfProgram>,
    unshare: bool,
}

impl Walls {
    pub(super) fn choose(wanted: Confinement) -> Result<Self, Missing> {
        let kernel = probe::landlock().and_then(|()| probe::seccomp());
        match (wanted, kernel) {
            (Confinement::Auto | Confinement::Kernel, Ok(())) => Self::kernel(),
            (Confinement::Kernel, Err(missing)) => Err(missing),
            (Confinement::Auto, Err(missing)) => Self::bubblewrap(true).map_err(|fallback| {
                Missing::new(format!("{}, and {}", missing.what(), fallback.what())).help(format!(
                    "{}. Or: {}",
                    missing.remedy(),
                    fallback.remedy()
                ))
            }),
            (Confinement::Bubblewrap, _) => Self::bubblewrap(true),
            (Confinement::BubblewrapOnly, _) => Self::bubblewrap(false),
        }
    }

    fn kernel() -> Result<Self, Missing> {
        let zygote_filter = Some(seccomp::zygote().map_err(no_filter)?);
        let candidate_filter = Some(seccomp::candidate().map_err(no_filter)?);
        Ok(Self { bubblewrap: false, zygote_filter, candidate_filter, unshare: probe::namespaces().is_ok() })
    }

    fn bubblewrap(filtered: bool) -> Result<Self, Missing> {
        probe::bubblewrap()?;
        let filtered = filtered && probe::seccomp().is_ok();
        if !filtered && probe::is_root() {
            // Limits on processes do not bind root, so nothing would stop a fork bomb.
            return Err(Missing::new("without seccomp, candidates cannot be confined when started by root")
                .help("Run as an ordinary user, or use a kernel with seccomp"));
        }
        // Bubblewrap itself needs what filter A forbids, so filter B stands alone here.
        let candidate_filter = filtered.then(seccomp::candidate_alone).transpose().map_err(no_filter)?;
        Ok(Self { bubblewrap: true, zygote_filter: None, candidate_filter, unshare: false })
    }

    /// Filter B as a zygote's child installs it; empty without seccomp.
    pub(super) fn candidate_filter(&self) -> Vec<u8> {
        self.candidate_filter.as_ref().map(seccomp::bytes).unwrap_or_default()
    }

    /// Whether a candidate may leave processes behind, so that its zygote must end with it.
    pub(super) fn one_candidate_a_zygote(&self) -> bool {
        self.candidate_filter.is_none()
    }

    /// The command that runs `harness` in Python, confined; its standard input is the control channel.
    pub(super) fn command(&self, python: &Interpreter, harness: &str, hash_seed: u8) -> Result<Command, Error> {
        let hash_seed = hash_seed.to_string();
        let (mut command, rights) =
            if self.bubblewrap { self.wrapped(python, &hash_seed) } else { self.plain(python, &hash_seed)? };
        command.args(["-S", "-s", "-B", "-c", harness]);
        command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::piped());
        enter::before_exec(&mut command, rights);
        Ok(command)
    }

    fn plain(&self, python: &Interpreter, hash_seed: &str) -> Result<(Command, Rights), Error> {
        let ruleset = landlock::ruleset(&python.executable, &python.readable())
            .map_err(|error| Error::io("build the landlock rules", error))?
            .ok_or_else(|| Error("landlock has gone since it was checked".into()))?;
        let filter = self.zygote_filter.clone();
        let rights = Rights { ruleset: Some(ruleset), filter, unshare: self.unshare, no_new_privileges: true };
        let mut command = Command::new(&python.executable);
        command.env_clear().envs(environment(hash_seed));
        Ok((command, rights))
    }

    fn wrapped(&self, python: &Interpreter, hash_seed: &str) -> (Command, Rights) {
        let mut command = Command::new("bwrap");
        command.args(bubblewrap::arguments(&python.readable(), &environment(hash_seed))).arg(&python.executable);
        (command, Rights { ruleset: None, filter: None, unshare: false, no_new_privileges: false })
    }
}

/// All of a zygote's environment.
fn environment(hash_seed: &str) -> [(&str, &str); 2] {
    [("PYTHONHASHSEED", hash_seed), ("LC_ALL", "C.UTF-8")]
}

fn no_filter(error: seccompiler::Error) -> Missing {
    Missing::new(format!("the system-call filter does not build for this machine: {error}"))
}
