//! Which system calls a sandboxed process may make.
//!
//! What: an allow list for agents, a deny list for programs, and [`install`]. Why: a parser that was broken into finds no
//! socket, no process, no debugger; what the list does not name is refused, also what kernels to come will have. Refused
//! is EPERM, which std takes as any error, never a signal. Not here: files (Landlock, the parent module).

use super::{Profile, SandboxError};
use nix::libc;
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};
use std::{collections::BTreeMap, io, process};

/// For each system call the cases that match; no case: all.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filters of a profile on all threads. `false`: the kernel has no seccomp filters, or not for this machine.
///
/// # Errors
/// The system refused it for another reason.
pub(super) fn install(profile: &Profile) -> Result<bool, SandboxError> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        return Ok(false);
    };
    let main = match profile {
        Profile::Agent { .. } => {
            let rules = agent_allows(process::id()).map_err(of_backend)?;
            program(
                rules,
                SeccompAction::Errno(errno(libc::EPERM)),
                SeccompAction::Allow,
                arch,
            )
        }
        Profile::Program { network, .. } => {
            let rules = program_denies(*network).map_err(of_backend)?;
            program(
                rules,
                SeccompAction::Allow,
                SeccompAction::Errno(errno(libc::EPERM)),
                arch,
            )
        }
    };
    // glibc asks for a thread by clone3, whose flags no filter can see, and takes clone only when there is no clone3.
    let clone3 = Rules::from([(libc::SYS_clone3, vec![])]);
    let clone3 = program(
        clone3,
        SeccompAction::Allow,
        SeccompAction::Errno(errno(libc::ENOSYS)),
        arch,
    );
    for filter in [clone3, main] {
        match apply_filter_all_threads(&filter.map_err(of_backend)?) {
            Ok(()) => {}
            Err(Error::Prctl(source) | Error::Seccomp(source)) if is_missing(&source) => return Ok(false),
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(true)
}

/// The kernel was built without filters, or knows no TSYNC.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS))
}

fn refused(error: Error) -> SandboxError {
    SandboxError::Step {
        step: "restrict system calls",
        source: io::Error::other(error),
    }
}

fn of_backend(error: seccompiler::BackendError) -> SandboxError {
    refused(Error::Backend(error))
}

fn program(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
    arch: TargetArch,
) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()
}

fn errno(number: i32) -> u32 {
    number.unsigned_abs()
}

/// Those bits of an argument of 32 bits are as in `value`.
fn bits(argument: u8, mask: i32, value: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    let unsigned = |number: i32| u64::from(number.unsigned_abs());
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::MaskedEq(unsigned(mask)),
        unsigned(value),
    )
}

/// An argument of 64 bits, a pointer say, is this.
fn is(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value)
}

/// An argument of 32 bits is this.
fn is_word(argument: u8, value: u32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        u64::from(value),
    )
}

/// An argument of 32 bits is one of these: a case each.
fn one_of(argument: u8, values: &[u32]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    values
        .iter()
        .map(|value| SeccompRule::new(vec![is_word(argument, *value)?]))
        .collect()
}

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
    // threads
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_membarrier,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Its arguments are in memory: see `install`, whose first filter answers that there is none.
    libc::SYS_clone3,
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

fn agent_allows(me: u32) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = AGENT
        .iter()
        .chain(AGENT_OF_BEFORE)
        .map(|call| (*call, vec![]))
        .collect();
    let one = |condition| SeccompRule::new(vec![condition]);
    let cases: [(i64, Vec<SeccompRule>); 10] = [
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
        // A thread of this process, never a process.
        (
            libc::SYS_clone,
            vec![one(bits(0, libc::CLONE_THREAD, libc::CLONE_THREAD)?)?],
        ),
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

/// What no program of the owner needs to do its work: looking into other processes, the kernel's own business, other
/// name spaces, clocks, keys.
const NEVER: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_personality,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[i64] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_modify_ldt,
    libc::SYS_iopl,
    libc::SYS_ioperm,
];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[i64] = &[];

/// Everything that makes or addresses a socket. A pair of streams within the program has no address, and programs use it.
const SOCKETS: &[i64] = &[
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
];

/// Name spaces of its own: mounts, groups, host name, messages, users, processes, network.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Putting words into a terminal's mouth: TIOCSTI, TIOCLINUX.
const TERMINAL: [u32; 2] = [0x5412, 0x541c];

fn program_denies(network: bool) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = NEVER
        .iter()
        .chain(NEVER_HERE)
        .map(|call| (*call, vec![]))
        .collect();
    if !network {
        rules.extend(SOCKETS.iter().map(|call| (*call, vec![])));
        // A pair of datagram sockets can be given an address later, a pair of streams cannot.
        let stream = |condition| SeccompRule::new(vec![condition]);
        let other: Result<Vec<_>, _> = [
            libc::SOCK_DGRAM,
            libc::SOCK_SEQPACKET,
            libc::SOCK_RAW,
            libc::SOCK_RDM,
        ]
        .iter()
        .map(|kind| stream(bits(1, 0xf, *kind)?))
        .collect();
        rules.insert(libc::SYS_socketpair, other?);
    }
    let spaces: Result<Vec<_>, _> = NAMESPACES
        .iter()
        .map(|space| SeccompRule::new(vec![bits(0, *space, *space)?]))
        .collect();
    rules.insert(libc::SYS_clone, spaces?);
    rules.insert(libc::SYS_ioctl, one_of(1, &TERMINAL)?);
    #[cfg(target_arch = "x86_64")]
    deny_x32(&mut rules);
    Ok(rules)
}

/// The other numbers of the same calls on this machine (x32): bit 30 is set, and some have numbers of their own.
#[cfg(target_arch = "x86_64")]
fn deny_x32(rules: &mut Rules) {
    const X32: i64 = 0x4000_0000;
    let same: Vec<_> = rules
        .iter()
        .map(|(call, cases)| (call | X32, cases.clone()))
        .collect();
    rules.extend(same);
    rules.extend((512..=547).map(|call| (call | X32, vec![])));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_has_no_call_that_reaches_out_of_it() {
        let allowed = agent_allows(1).unwrap();
        let write = [
            libc::SYS_ftruncate,
            libc::SYS_truncate,
            libc::SYS_unlinkat,
            libc::SYS_renameat2,
        ];
        let start = [
            libc::SYS_execve,
            libc::SYS_execveat,
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
        let all = [NEVER, NEVER_HERE, SOCKETS, &write, &start, &reach, &rest];
        let found: Vec<_> = all
            .iter()
            .flat_map(|list| list.iter())
            .filter(|call| allowed.contains_key(call))
            .collect();
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn calls_with_a_dangerous_argument_are_never_allowed_whatever_it_is() {
        let allowed = agent_allows(1).unwrap();
        for call in [
            libc::SYS_openat,
            libc::SYS_clone,
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

    #[test]
    fn program_is_denied_sockets_unless_it_may_have_them() {
        let (with, without) = (program_denies(true).unwrap(), program_denies(false).unwrap());
        for call in SOCKETS.iter().chain(&[libc::SYS_socketpair]) {
            assert!(
                without.contains_key(call) && !with.contains_key(call),
                "call {call}"
            );
        }
        for call in NEVER {
            assert!(with.contains_key(call), "call {call}");
            #[cfg(target_arch = "x86_64")]
            assert!(with.contains_key(&(call | 0x4000_0000)), "x32 call {call}");
        }
        // A process is started by clone with no name space.
        assert_eq!(with[&libc::SYS_clone].len(), 7);
    }
}
