//! One confined process, as seen from outside: its channel, its handle, and the clocks that end it.
//!
//! The limit is CPU time, so that a loaded machine does not change what is observed. Time that the process sleeps away
//! counts against a limit of its own; time that it waits for a CPU counts against none.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, pidfd_send_signal};

use super::error::Error;
use super::wire::{PREFIX, Reply};

/// What a process may use up until its next message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub cpu: Duration,
    /// Neither computing nor waiting for a CPU: asleep, or blocked.
    pub idle: Duration,
    /// All time together. A machine that makes a process wait so long cannot be measured on.
    pub wall: Duration,
    /// Bytes of one message.
    pub frame: usize,
}

/// What came instead of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It used up its CPU time, or slept too long.
    Timeout,
    /// It closed its channel, died, or wrote what is no message.
    Gone,
}

/// How often a silent process is looked at.
const GLANCE: Duration = Duration::from_millis(200);

/// A confined process. Dropping it kills it.
pub(super) struct Process {
    channel: UnixStream,
    handle: OwnedFd,
    pid: Option<i32>,
    /// Bytes read and not yet taken as messages: `taken..` of them.
    buffer: Vec<u8>,
    taken: usize,
    /// CPU time when the wait for the next message began.
    used: Duration,
    /// Whether anything has come from it yet.
    heard: bool,
}

impl Process {
    pub(super) fn new(channel: UnixStream, handle: OwnedFd) -> Result<Self, Error> {
        channel.set_nonblocking(true).map_err(|error| Error::io("set up a socket", error))?;
        Ok(Self { channel, handle, pid: None, buffer: Vec::new(), taken: 0, used: Duration::ZERO, heard: false })
    }

    /// Hands over its job. A process that dies meanwhile shows when its first message is awaited.
    pub(super) fn give(&mut self, job: &[u8], budget: &Budget) -> Result<(), Error> {
        let started = Instant::now();
        let mut rest = job;
        while !rest.is_empty() {
            match self.channel.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if started.elapsed() > budget.wall {
                        return Err(overloaded());
                    }
                    self.wait(PollFlags::OUT, GLANCE)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Its next message.
    pub(super) fn next(&mut self, budget: &Budget) -> Result<Result<Reply, End>, Error> {
        match self.frame(budget.frame) {
            Frame::Whole(reply) => return Ok(reply.ok_or(End::Gone)),
            Frame::TooLong => return Ok(Err(End::Gone)),
            Frame::Partial => {}
        }
        // A process that has answered everything at once is never asked for its time.
        self.used = if self.heard { self.cpu().unwrap_or(self.used) } else { Duration::ZERO };
        let mut watch = Watch::start();
        let mut pause = budget.cpu.min(GLANCE);
        loop {
            if self.wait(PollFlags::IN, pause)? {
                match self.fill() {
                    Ok(0) => return Ok(Err(End::Gone)),
                    Ok(_) => match self.frame(budget.frame) {
                        Frame::Whole(reply) => return Ok(reply.ok_or(End::Gone)),
                        Frame::TooLong => return Ok(Err(End::Gone)),
                        Frame::Partial => {}
                    },
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(_) => return Ok(Err(End::Gone)),
                }
            }
            let cpu = self.cpu().unwrap_or(self.used);
            let left = budget.cpu.saturating_sub(cpu.saturating_sub(self.used));
            if left.is_zero() || watch.idle(cpu, self.queued()) >= budget.idle {
                return Ok(Err(End::Timeout));
            }
            if watch.started.elapsed() >= budget.wall {
                return Err(overloaded());
            }
            pause = left.clamp(Duration::from_millis(1), GLANCE);
        }
    }

    /// Takes a whole message out of the buffer.
    fn frame(&mut self, cap: usize) -> Frame {
        let waiting = &self.buffer[self.taken..];
        let Some((prefix, rest)) = waiting.split_first_chunk::<PREFIX>() else { return Frame::Partial };
        let length = u32::from_le_bytes(*prefix) as usize;
        if length > cap {
            return Frame::TooLong;
        }
        let Some(body) = rest.get(..length) else { return Frame::Partial };
        let reply = Reply::read(body);
        self.taken += PREFIX + length;
        if self.taken == self.buffer.len() {
            self.buffer.clear();
            self.taken = 0;
        }
        Frame::Whole(reply)
    }

    fn fill(&mut self) -> std::io::Result<usize> {
        let mut part = [0; 1 << 16];
        let read = self.channel.read(&mut part)?;
        self.buffer.drain(..self.taken);
        self.taken = 0;
        self.buffer.extend(&part[..read]);
        self.heard = true;
        Ok(read)
    }

    fn wait(&self, events: PollFlags, pause: Duration) -> Result<bool, Error> {
        let mut watched = [PollFd::new(&self.channel, events)];
        let pause = Timespec { tv_sec: pause.as_secs() as i64, tv_nsec: i64::from(pause.subsec_nanos()) };
        match poll(&mut watched, Some(&pause)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(Error::io("wait for a candidate", error)),
        }
    }

    /// Its CPU time so far; `None` once it is gone.
    fn cpu(&mut self) -> Option<Duration> {
        let pid = self.pid()?;
        let mut clock = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: both pointers are to locals of the types that the calls fill in.
        let read = unsafe {
            libc::clock_getcpuclockid(pid, &raw mut clock) == 0 && libc::clock_gettime(clock, &raw mut time) == 0
        };
        read.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }

    /// How long it has waited for a CPU so far, where the kernel keeps account of it.
    fn queued(&mut self) -> Duration {
        let waited = self.pid().and_then(|pid| fs::read_to_string(format!("/proc/{pid}/schedstat")).ok());
        let nanos = waited.and_then(|text| text.split_whitespace().nth(1)?.parse().ok());
        Duration::from_nanos(nanos.unwrap_or(0))
    }

    /// Its id in our own namespace, whatever namespace its zygote lives in.
    fn pid(&mut self) -> Option<i32> {
        if self.pid.is_none() {
            let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", self.handle.as_raw_fd())).ok()?;
            let pid = info.lines().find_map(|line| line.strip_prefix("Pid:"))?;
            self.pid = pid.trim().parse().ok().filter(|pid| *pid > 0);
        }
        self.pid
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Already dead is as good.
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }
}

enum Frame {
    Whole(Option<Reply>),
    Partial,
    TooLong,
}

/// The time since a process was last heard of, split into its uses.
struct Watch {
    started: Instant,
    /// At the first look: when it was, and what CPU time and queueing had come to by then.
    first: Option<(Instant, Duration, Duration)>,
}

impl Watch {
    fn start() -> Self {
        Self { started: Instant::now(), first: None }
    }

    /// Time since the first look in which the process neither ran nor waited to.
    fn idle(&mut self, cpu: Duration, queued: Duration) -> Duration {
        let now = Instant::now();
        let (since, cpu_then, queued_then) = *self.first.get_or_insert((now, cpu, queued));
        let busy = cpu.saturating_sub(cpu_then) + queued.saturating_sub(queued_then);
        now.duration_since(since).saturating_sub(busy)
    }
}

fn overloaded() -> Error {
    Error("this machine is too loaded to run a candidate within any measure".into())
}
