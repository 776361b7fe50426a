//! The two system-call filters: A for a zygote, from before its exec; B, stacked on it, for a candidate.
//!
//! Together they are an allowlist: what is not named here answers EPERM.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::c_long;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule, TargetArch};

const REFUSE: SeccompAction = SeccompAction::Errno(libc::EPERM as u32);

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// What Python needs to compute, read its library, and talk on a descriptor that it has.
const COMPUTE: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_lseek,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_setitimer,
    libc::SYS_getitimer,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_restart_syscall,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_getrandom,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The same under names that only the older architectures have.
#[cfg(target_arch = "x86_64")]
const COMPUTE_OLD: &[c_long] = &[
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_dup2,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_time,
    libc::SYS_poll,
    libc::SYS_select,
];
#[cfg(not(target_arch = "x86_64"))]
const COMPUTE_OLD: &[c_long] = &[];

/// What a zygote needs beyond that: to start, to fork, to confine its children and to pass descriptors.
const SERVE: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_set_tid_address,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_wait4,
    libc::SYS_pidfd_open,
    libc::SYS_pipe2,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_getsockopt,
    libc::SYS_getsockname,
];
#[cfg(target_arch = "x86_64")]
const SERVE_OLD: &[c_long] = &[libc::SYS_arch_prctl, libc::SYS_setrlimit, libc::SYS_getrlimit];
#[cfg(not(target_arch = "x86_64"))]
const SERVE_OLD: &[c_long] = &[];

/// Any of these makes an `open` one that could change something.
const OPEN_TO_CHANGE: i32 = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND;
/// A new process, not a new namespace.
const NEW_NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Filter A.
pub(super) fn zygote() -> Result<BpfProgram, seccompiler::Error> {
    let mut rules = shared()?;
    rules.extend(SERVE.iter().chain(SERVE_OLD).map(|call| (*call, Vec::new())));
    let plain_clone = SeccompCondition::new(0, Qword, MaskedEq(NEW_NAMESPACES as u32 as u64), 0)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![plain_clone])?]);
    compile(rules, REFUSE, SeccompAction::Allow)
}

/// Filter B, stacked on filter A: takes away what only a zygote needs. It names the few forbidden calls rather than the
/// many allowed ones, because the kernel reads a filter through whenever a process enters it.
pub(super) fn candidate() -> Result<BpfProgram, seccompiler::Error> {
    let mut rules: Rules = SERVE.iter().chain(SERVE_OLD).map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_clone, Vec::new());
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![SeccompCondition::new(2, Qword, Ne, 0)?])?]);
    compile(rules, SeccompAction::Allow, REFUSE)
}

/// Filter B where no filter A lies below it.
pub(super) fn candidate_alone() -> Result<BpfProgram, seccompiler::Error> {
    let mut rules = shared()?;
    // Limits may be read, not set: the pointer to new ones is null.
    let no_new_limit = SeccompCondition::new(2, Qword, Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![no_new_limit])?]);
    compile(rules, REFUSE, SeccompAction::Allow)
}

fn shared() -> Result<Rules, seccompiler::Error> {
    let mut rules: Rules = COMPUTE.iter().chain(COMPUTE_OLD).map(|call| (*call, Vec::new())).collect();
    let reads = |argument| -> Result<_, seccompiler::Error> {
        let condition = SeccompCondition::new(argument, Dword, MaskedEq(OPEN_TO_CHANGE as u64), 0)?;
        Ok(vec![SeccompRule::new(vec![condition])?])
    };
    rules.insert(libc::SYS_openat, reads(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, reads(1)?);
    // Not F_SETOWN and F_SETSIG, which make the kernel send signals; not the terminal's input queue.
    rules.insert(libc::SYS_fcntl, any_of(&[libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_DUPFD_CLOEXEC])?);
    rules.insert(libc::SYS_ioctl, any_of(&[libc::TCGETS as i32, libc::FIOCLEX as i32, libc::FIONCLEX as i32])?);
    Ok(rules)
}

/// Allows a call whose second argument is one of `values`.
fn any_of(values: &[i32]) -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let rule = |value: &i32| Ok(SeccompRule::new(vec![SeccompCondition::new(1, Dword, Eq, *value as u32 as u64)?])?);
    values.iter().map(rule).collect()
}

fn compile(rules: Rules, otherwise: SeccompAction, named: SeccompAction) -> Result<BpfProgram, seccompiler::Error> {
    Ok(SeccompFilter::new(rules, otherwise, named, TargetArch::try_from(ARCH)?)?.try_into()?)
}

/// A program as the kernel reads it, for a process that installs it itself.
pub(super) fn bytes(program: &BpfProgram) -> Vec<u8> {
    let each = |op: &seccompiler::sock_filter| {
        let [a, b] = op.code.to_ne_bytes();
        let [c, d, e, f] = op.k.to_ne_bytes();
        [a, b, op.jt, op.jf, c, d, e, f]
    };
    program.iter().flat_map(each).collect()
}
