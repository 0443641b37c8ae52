//! What an agent may call.
//!
//! What: an allow list, [`allows`]. Why: what is not on it is refused, whatever a kernel has. Not here: installing it (the parent module).

use super::{SyscallRules, bits, is, is_word, one_of};
use crate::fork_server::sibling::FORK_FLAGS;
use nix::libc;
use seccompiler::SeccompRule;

/// What an agent needs whatever its arguments: what std, the allocator and threads ask for, and reading.
const AGENT: &[i64] = &[
    // descriptors it has, and files Landlock lets it open
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_getdents64,
    libc::SYS_readlinkat,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_getcwd,
    libc::SYS_fadvise64,
    libc::SYS_ppoll,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    // the socket that it may have been started with: no address can be given
    libc::SYS_recvfrom,
    libc::SYS_shutdown,
    libc::SYS_getsockopt,
    // memory
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // SQLCipher, with which other programs' databases are read, keeps its own pages from being swapped
    libc::SYS_mlock,
    libc::SYS_munlock,
    // locks, and the one thread that it is
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_membarrier,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // signals to itself
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // time and chance
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    // who it is
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getrusage,
    libc::SYS_uname,
    libc::SYS_sysinfo,
];

/// The same under the names of before, which newer machines do not have.
#[cfg(target_arch = "x86_64")]
const AGENT_OF_BEFORE: &[i64] = &[
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_poll,
    libc::SYS_epoll_wait,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const AGENT_OF_BEFORE: &[i64] = &[];

/// Opening for anything but reading.
const OPEN_FOR_MORE: i32 = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND;

/// Requests of `ioctl`: is it a terminal, block or not, close on exec. The same number on every machine we run on.
const IOCTLS: [u32; 3] = [0x5401, 0x5421, 0x5451];

/// Naming a thread, naming a piece of memory (glibc's allocator), and asking whether it can be dumped.
const PRCTLS: [u32; 3] = [15, 0x5356_4d41, 3];

pub(super) fn allows(me: u32) -> Result<SyscallRules, seccompiler::BackendError> {
    let mut rules: SyscallRules = AGENT
        .iter()
        .chain(AGENT_OF_BEFORE)
        .map(|call| (*call, vec![]))
        .collect();
    let one = |condition| SeccompRule::new(vec![condition]);
    let cases: [(i64, Vec<SeccompRule>); 9] = [
        (libc::SYS_openat, vec![one(bits(2, OPEN_FOR_MORE, 0)?)?]),
        (
            libc::SYS_fcntl,
            one_of(
                1,
                &[
                    libc::F_DUPFD_CLOEXEC,
                    libc::F_GETFD,
                    libc::F_SETFD,
                    libc::F_GETFL,
                    libc::F_SETFL,
                ]
                .map(i32::unsigned_abs),
            )?,
        ),
        (libc::SYS_ioctl, one_of(1, &IOCTLS)?),
        (libc::SYS_prctl, one_of(0, &PRCTLS)?),
        // Nothing that was written becomes code.
        (libc::SYS_mmap, vec![one(bits(2, libc::PROT_EXEC, 0)?)?]),
        (libc::SYS_mprotect, vec![one(bits(2, libc::PROT_EXEC, 0)?)?]),
        // Its own limits, to read; that of processor time also to set, because each call is given its own.
        (
            libc::SYS_prlimit64,
            vec![
                SeccompRule::new(vec![is_word(0, 0)?, is(2, 0)?])?,
                SeccompRule::new(vec![is_word(0, 0)?, is_word(1, libc::RLIMIT_CPU)?])?,
            ],
        ),
        (libc::SYS_tgkill, one_of(0, &[me])?),
        // Without an address.
        (libc::SYS_sendto, vec![one(is(4, 0)?)?]),
    ];
    rules.extend(cases);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![one(bits(1, OPEN_FOR_MORE, 0)?)?]);
    Ok(rules)
}

/// What the worker of an account may call besides: taking descriptors from who started it, over its standard input alone.
pub(super) fn takes_descriptors() -> Result<SyscallRules, seccompiler::BackendError> {
    Ok([(libc::SYS_recvmsg, one_of(0, &[0])?)].into())
}

/// What an agent's process does between its fork and its own sandbox: moving descriptors, asking whether its socket is one, its group, rights and limits that
/// it gives up.
const BEFORE_SANDBOX: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    libc::SYS_dup3,
    libc::SYS_getpeername,
    libc::SYS_setpgid,
    libc::SYS_capget,
    libc::SYS_capset,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    libc::SYS_seccomp,
    // To itself, whose number no filter knows yet.
    libc::SYS_tgkill,
];

/// Ending with its parent, whether it can be dumped, no new privileges, filters, and where the number of its thread is kept.
const PRCTLS_BEFORE_SANDBOX: [i32; 5] = [
    libc::PR_SET_PDEATHSIG,
    libc::PR_SET_DUMPABLE,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_SET_SECCOMP,
    libc::PR_GET_TID_ADDRESS,
];

/// What the process may call besides that agents' processes are forked from, and these before they enter their own sandbox: forking in one
/// way, and taking descriptors over the standard input. No process of another program, no socket, no file to write.
pub(super) fn forks() -> Result<SyscallRules, seccompiler::BackendError> {
    let mut rules: SyscallRules = BEFORE_SANDBOX.iter().map(|call| (*call, vec![])).collect();
    let mut prctls = one_of(0, &PRCTLS)?;
    prctls.extend(one_of(0, &PRCTLS_BEFORE_SANDBOX.map(i32::unsigned_abs))?);
    rules.extend([
        (libc::SYS_prctl, prctls),
        (libc::SYS_prlimit64, one_of(0, &[0])?),
        (
            libc::SYS_clone,
            vec![SeccompRule::new(vec![is(
                0,
                u64::from(FORK_FLAGS.unsigned_abs()),
            )?])?],
        ),
    ]);
    rules.extend(takes_descriptors()?);
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_forks_agents_starts_no_other_program() {
        let more = forks().unwrap();
        for call in [
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_clone3,
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_kill,
            libc::SYS_ptrace,
            libc::SYS_setsid,
        ] {
            assert!(!more.contains_key(&call), "call {call}");
        }
        assert_eq!(more[&libc::SYS_clone].len(), 1, "in one way");
    }

    #[test]
    fn worker_of_an_account_takes_descriptors_from_its_standard_input_and_makes_none() {
        let more = takes_descriptors().unwrap();
        assert_eq!(more.keys().collect::<Vec<_>>(), [&libc::SYS_recvmsg]);
        assert!(!more[&libc::SYS_recvmsg].is_empty(), "from any descriptor");
        let allowed = allows(1).unwrap();
        for call in [
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_accept4,
            libc::SYS_setsockopt,
        ] {
            assert!(!allowed.contains_key(&call), "{call}");
        }
    }

    #[test]
    fn agent_has_no_call_that_reaches_out_of_it() {
        let allowed = allows(1).unwrap();
        let write = [
            libc::SYS_ftruncate,
            libc::SYS_truncate,
            libc::SYS_unlinkat,
            libc::SYS_renameat2,
        ];
        let start = [
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_clone,
            libc::SYS_clone3,
            libc::SYS_wait4,
            libc::SYS_kill,
            libc::SYS_tkill,
        ];
        let reach = [
            libc::SYS_socketpair,
            libc::SYS_sendmsg,
            libc::SYS_sendmmsg,
            libc::SYS_recvmsg,
        ];
        let rest = [
            libc::SYS_pidfd_open,
            libc::SYS_seccomp,
            libc::SYS_memfd_create,
            libc::SYS_openat2,
        ];
        let all = [&write[..], &start, &reach, &rest];
        let found: Vec<_> = all
            .iter()
            .flat_map(|list| list.iter())
            .filter(|call| allowed.contains_key(call))
            .collect();
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn calls_with_a_dangerous_argument_are_never_allowed_whatever_it_is() {
        let allowed = allows(1).unwrap();
        for call in [
            libc::SYS_openat,
            libc::SYS_mmap,
            libc::SYS_mprotect,
            libc::SYS_ioctl,
            libc::SYS_fcntl,
            libc::SYS_prctl,
            libc::SYS_tgkill,
            libc::SYS_sendto,
            libc::SYS_prlimit64,
        ] {
            assert!(!allowed[&call].is_empty(), "call {call} has no condition");
        }
    }
}
