//! What a zygote does between fork and exec: gives up its rights. Raw system calls only.
//!
//! It runs in a copy of one thread of this process, where any lock may be held forever: nothing here allocates, locks
//! or formats.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use libc::{c_int, c_ulong};
use seccompiler::{BpfProgram, sock_filter};

/// Everything that the child needs, made before the fork.
pub(super) struct Rights {
    /// Landlock rules to enter, if any.
    pub ruleset: Option<OwnedFd>,
    /// Filter A, if any.
    pub filter: Option<BpfProgram>,
    /// Whether to leave the user, network and IPC namespaces: a second wall, used where the system allows it.
    pub unshare: bool,
    /// Whether to forbid gaining rights by exec; bubblewrap may be installed setuid and then needs them.
    pub no_new_privileges: bool,
}

/// Room for deep recursion in C, the same for every candidate.
const STACK_BYTES: u64 = 64 << 20;

/// Makes `command` give up `rights` before it executes anything.
pub(super) fn before_exec(command: &mut Command, rights: Rights) {
    // SAFETY: getpid has no preconditions.
    let parent = unsafe { libc::getpid() };
    let enter = move || enter(&rights, parent);
    // SAFETY: `enter` makes raw system calls on memory and descriptors prepared before the fork, and nothing else.
    unsafe { command.pre_exec(enter) };
}

fn enter(rights: &Rights, parent: c_int) -> io::Result<()> {
    // SAFETY: plain system calls; every pointer is to memory that `rights` or this frame owns.
    unsafe {
        libc::setsid();
        // Addresses decide the order of sets of objects: without this they differ from run to run.
        libc::personality(libc::ADDR_NO_RANDOMIZE as c_ulong);
        let stack = libc::rlimit { rlim_cur: STACK_BYTES, rlim_max: STACK_BYTES };
        if libc::setrlimit(libc::RLIMIT_STACK, &stack) != 0 {
            let mut had = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::getrlimit(libc::RLIMIT_STACK, &mut had);
            had.rlim_cur = had.rlim_max;
            libc::setrlimit(libc::RLIMIT_STACK, &had);
        }
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        close_inherited();
        if rights.unshare {
            libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC);
        }
        // After `unshare`, which clears it.
        done(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong, 0, 0, 0))?;
        if libc::getppid() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        if rights.no_new_privileges {
            done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1 as c_ulong, 0, 0, 0))?;
        }
        if let Some(ruleset) = &rights.ruleset {
            done(libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) as c_int)?;
        }
        if let Some(filter) = &rights.filter {
            let program =
                libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr() as *mut libc::sock_filter };
            const { assert!(size_of::<sock_filter>() == size_of::<libc::sock_filter>()) };
            done(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER as c_ulong, &program, 0, 0))?;
        }
    }
    Ok(())
}

/// Marks every descriptor but the standard three to close at exec, also those that other libraries left open.
unsafe fn close_inherited() {
    const CLOEXEC: c_int = 4;
    // SAFETY: no pointers are passed.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, c_int::MAX, CLOEXEC) != 0 {
            (3..4096).for_each(|descriptor| {
                libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
            });
        }
    }
}

fn done(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
