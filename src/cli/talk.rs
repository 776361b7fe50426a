//! What the command says on stderr: errors, notes and progress; and the one way to stdout.
//!
//! A bar on a terminal, plain lines elsewhere, nothing for work under a second.

use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::base::{Error, Kind, Result};
use crate::grade::{Grader, Progress};
use crate::store::Store;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Prints data, like `print!`, but ends the command quietly once nobody reads it.
macro_rules! say {
    ($($arg:tt)*) => { $crate::cli::talk::out(format_args!($($arg)*))? };
}

/// Writes to stdout.
///
/// # Errors
/// `Kind::Unheard` when the reader went away, a failure when stdout cannot be written for another reason.
pub fn out(text: std::fmt::Arguments) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_fmt(text).and_then(|()| stdout.flush()).map_err(|error| not_written(&error))
}

/// Why stdout could not be written.
pub fn not_written(error: &std::io::Error) -> Error {
    let kind = if error.kind() == std::io::ErrorKind::BrokenPipe { Kind::Unheard } else { Kind::Failure };
    Error::new(kind, format!("cannot write to stdout: {error}"))
}

pub fn error(error: &Error) {
    eprintln!("gradus: {error}");
}

pub fn note(text: &str) {
    eprintln!("{text}");
}

/// Says what did not work and did not stop the command: no sandbox, a cache that could not be written.
pub fn trouble(grader: &Grader, store: &Store) {
    if let Some(error) = grader.sandbox_trouble() {
        eprintln!("gradus: ops that run candidates are faults: {error}. `gradus check --system` says what is missing");
    }
    notices(store);
}

/// Says what became of the cache.
pub fn notices(store: &Store) {
    for notice in store.take_notices() {
        eprintln!("gradus: {notice}");
    }
}

/// Makes the first Ctrl-C (or termination signal) a request to stop cleanly, and the second one immediate.
pub fn listen_for_stop() -> Result<()> {
    let handler = || {
        if STOPPED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("\ngradus: stopping after the outputs in work; once more to stop at once");
    };
    ctrlc::set_handler(handler).map_err(|error| Error::failure(format!("cannot listen for Ctrl-C: {error}")))
}

/// Shows how many outputs are done, over all the pieces that the work comes in.
pub struct Bar {
    what: String,
    total: usize,
    before: AtomicUsize,
    started: Instant,
    bar: OnceLock<ProgressBar>,
    said: AtomicUsize,
}

impl Bar {
    pub fn new(what: impl Into<String>, total: usize) -> Self {
        Self {
            what: what.into(),
            total,
            before: AtomicUsize::new(0),
            started: Instant::now(),
            bar: OnceLock::new(),
            said: AtomicUsize::new(0),
        }
    }

    /// Says that a piece of the work is done: progress goes on from `done` outputs.
    pub fn finished(&self, done: usize) {
        self.before.store(done, Ordering::Relaxed);
    }

    fn draw(&self, done: usize) {
        let style = "{msg} {wide_bar} {pos}/{len} outputs, {per_sec}, {eta} left";
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(Some(self.total as u64), ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(self.what.clone());
            bar
        });
        bar.set_position(bar.position().max(done as u64));
        if done >= self.total {
            bar.finish_and_clear();
        }
    }

    /// A line at every tenth of the work.
    fn say(&self, done: usize) {
        let tenth = done * 10 / self.total.max(1);
        if tenth > self.said.fetch_max(tenth, Ordering::Relaxed) {
            let rate = done as f64 / self.started.elapsed().as_secs_f64();
            eprintln!("{}: {done}/{} outputs, {rate:.0}/s", self.what, self.total);
        }
    }
}

impl Progress for Bar {
    fn outputs(&self, done: usize, _total: usize) {
        if self.started.elapsed() < Duration::from_secs(1) {
            return;
        }
        let done = (self.before.load(Ordering::Relaxed) + done).min(self.total);
        if std::io::stderr().is_terminal() { self.draw(done) } else { self.say(done) }
    }

    fn stopped(&self) -> bool {
        STOPPED.load(Ordering::SeqCst)
    }
}
