//! What this machine has to confine a process with, found by trying rather than by version numbers.

use std::process::{Command, Stdio};

use super::super::error::Missing;

/// Whether the kernel has landlock and lets us use it.
pub(crate) fn landlock() -> Result<(), Missing> {
    const VERSION: u32 = 1;
    // SAFETY: with a null ruleset and the version flag the call only reports a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0usize, VERSION) };
    if version >= 1 {
        return Ok(());
    }
    Err(Missing::new("the kernel has no landlock, or it is turned off")
        .help("Use Linux 5.13 or newer with landlock among the modules of the boot parameter `lsm=`"))
}

/// Whether the kernel filters system calls.
pub(crate) fn seccomp() -> Result<(), Missing> {
    const GET_ACTION_AVAIL: u32 = 2;
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the pointer is to a u32 that outlives the call, as this operation wants.
    let code = unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &raw const action) };
    if code == 0 {
        return Ok(());
    }
    Err(Missing::new("the kernel has no seccomp filters").help("Use a kernel built with CONFIG_SECCOMP_FILTER"))
}

/// Whether a process may leave the user, network and IPC namespaces: a second wall, not a needed one.
pub(crate) fn namespaces() -> Result<(), Missing> {
    // SAFETY: fork, then only raw calls in the child, which ends at once; the parent waits for it.
    let ended = unsafe {
        let child = libc::fork();
        if child == 0 {
            let code = libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC);
            libc::_exit(if code == 0 { 0 } else { 1 });
        }
        let mut status = 1;
        child > 0 && libc::waitpid(child, &raw mut status, 0) == child && status == 0
    };
    if ended {
        return Ok(());
    }
    Err(Missing::new("unprivileged user namespaces are turned off")
        .help("Optional: allow them (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)"))
}

/// Whether `bwrap` is installed and works.
pub(crate) fn bubblewrap() -> Result<(), Missing> {
    let mut trial = Command::new("bwrap");
    trial.args(["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"]);
    match trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Missing::new("bubblewrap is installed but may not make namespaces").help(
            "Allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)",
        )),
        Err(_) => {
            Err(Missing::new("bubblewrap is not installed")
                .help("Install it (Debian and Ubuntu: apt install bubblewrap)"))
        }
    }
}

pub(crate) fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() == 0 }
}
