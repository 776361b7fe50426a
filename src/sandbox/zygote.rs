//! One zygote: a confined Python that forks a fresh process for each candidate and never sees a candidate itself.

use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};

use super::confine::Walls;
use super::error::Error;
use super::interpreter::Interpreter;
use super::limits::Limits;
use super::process::Process;
use super::wire::{Frame, PREFIX};
use crate::observe::{Value, marshal};

/// The Python side, part of this binary: one program in the order of its parts.
pub(super) const HARNESS: &str = concat!(
    include_str!("harness/protocol.py"),
    include_str!("harness/carriage.py"),
    include_str!("harness/candidate.py"),
    include_str!("harness/zygote.py"),
);

/// How long a zygote may take to start or to fork; a machine that needs longer cannot be worked with.
const PATIENCE: Duration = Duration::from_secs(60);

/// What every zygote is started with.
#[derive(Debug)]
pub(super) struct Recipe {
    pub walls: Walls,
    pub python: Interpreter,
    pub prelude: String,
    pub limits: Limits,
}

/// A running zygote. Dropping it ends it and all of its children.
pub(super) struct Zygote {
    child: Child,
    control: UnixStream,
}

impl Zygote {
    /// Starts a process for `world`, to be greeted next. It dies with the calling thread.
    pub(super) fn spawn(recipe: &Recipe, world: u8) -> Result<Self, Error> {
        let (control, theirs) = UnixStream::pair().map_err(|error| Error::io("make a socket", error))?;
        control.set_read_timeout(Some(PATIENCE)).map_err(|error| Error::io("set up a socket", error))?;
        let mut command = recipe.walls.command(&recipe.python, HARNESS, world)?;
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        let child = command.spawn().map_err(|error| Error::io("start Python", error))?;
        // The command holds the other end of the control channel.
        drop(command);
        Ok(Self { child, control })
    }

    /// Tells it what it is for, and waits until it is ready.
    pub(super) fn greet(&mut self, recipe: &Recipe, world: u8) -> Result<(), Error> {
        self.introduce(recipe, world).map_err(|error| self.explain(error))
    }

    fn introduce(&mut self, recipe: &Recipe, world: u8) -> Result<(), Error> {
        let lost = |error| Error::io("start Python", error);
        let setup = Frame::new()
            .number(u64::from(recipe.limits.memory_mb) << 20)
            .data(&recipe.walls.candidate_filter())
            .text(&recipe.prelude)
            .number(u64::from(world))
            .number(u64::from(recipe.limits.output_bytes))
            .number(u64::from(recipe.limits.stdout_bytes));
        self.control.write_all(&setup.finish()).map_err(lost)?;
        let mut prefix = [0; PREFIX];
        self.control.read_exact(&mut prefix).map_err(lost)?;
        let mut answer = vec![0; u32::from_le_bytes(prefix) as usize & 0xffff];
        self.control.read_exact(&mut answer).map_err(lost)?;
        match marshal::decode(&answer) {
            Ok(Value::Tuple(fields)) if fields == [Value::Str(b"ready".to_vec())] => Ok(()),
            Ok(Value::Tuple(fields)) => match fields.get(1) {
                Some(Value::Str(why)) => Err(Error(format!("Python says {}", String::from_utf8_lossy(why)))),
                _ => Err(Error("Python did not greet".into())),
            },
            _ => Err(Error("Python did not greet".into())),
        }
    }

    /// Adds the last line that a zygote which did not start wrote to its standard error.
    fn explain(&mut self, error: Error) -> Error {
        let _ = self.child.kill();
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        match said.trim().lines().last() {
            Some(line) => Error(format!("{} ({line})", error.0)),
            None => error,
        }
    }

    /// Forks a process that will read its job from the other end of the process' channel.
    pub(super) fn fork(&mut self) -> Result<Process, Error> {
        let lost = |error: std::io::Error| Error::io("reach a zygote", error);
        let (ours, theirs) = UnixStream::pair().map_err(|error| Error::io("make a socket", error))?;
        self.send(b"f", Some(&theirs)).map_err(lost)?;
        drop(theirs);
        let (_, handle) = self.receive().map_err(lost)?;
        let handle = handle.ok_or_else(|| Error("a zygote forked without a handle".into()))?;
        Process::new(ours, handle)
    }

    /// Whether it still answers.
    pub(super) fn is_alive(&mut self) -> bool {
        self.send(b"?", None).is_ok() && self.receive().is_ok_and(|(answer, _)| answer == b'!')
    }

    /// Its process id, for a test that ends it.
    #[cfg(test)]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    fn send(&mut self, order: &[u8; 1], attached: Option<&UnixStream>) -> std::io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let descriptors = attached.map(|stream| [stream.as_fd()]);
        if let Some(descriptors) = &descriptors {
            control.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        rustix::net::sendmsg(&self.control, &[IoSlice::new(order)], &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn receive(&mut self) -> std::io::Result<(u8, Option<OwnedFd>)> {
        let mut answer = [0];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = loop {
            let mut parts = [IoSliceMut::new(&mut answer)];
            match rustix::net::recvmsg(&self.control, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other?,
            }
        };
        if got.bytes == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let handle = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        Ok((answer[0], handle))
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        // Already dead is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
