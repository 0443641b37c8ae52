//! What a program of the owner's may not call.
//!
//! What: a deny list, [`denies`]. Why: programs are Python and Node as well as C, and use most of what there is; what reaches other
//! processes, the owner's files by their names or the kernel's own business is left out. Not here: files that are opened (Landlock,
//! which knows nothing of modes, owners, times and attributes), calls of kernels to come (the parent module).

use super::{SyscallRules, bits, is_not, is_word, one_of, word_is_not};
use nix::libc;
use seccompiler::{BackendError, SeccompRule};

/// What no program of the owner needs to do its work: looking into other processes, the kernel's own business, other
/// name spaces, clocks, keys, messages between processes that have no file.
const NEVER: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
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
    OPEN_TREE_ATTR,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    QUOTACTL_FD,
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
    // Messages and memory that belong to a user, not to a process, and that no file guards.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // The names of files that come and go, anywhere.
    libc::SYS_inotify_add_watch,
    // Its policy lies in memory, where no filter sees it.
    libc::SYS_sched_setattr,
    // Out of the group that is ended with it.
    libc::SYS_setpgid,
    libc::SYS_setsid,
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

// Numbers that libc does not name on every machine; calls that are newer than 2019 have one number everywhere.
const QUOTACTL_FD: i64 = 443;
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;

/// Changing what is known of a file by its name: Landlock does not look at it, so it would reach every file of the owner's. The owner
/// not by a descriptor either: no tool of those that we know fails for it. Attributes by a descriptor: see the parent module.
const OF_FILES: &[i64] = &[
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchownat,
    libc::SYS_fchown,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// The same under the names of before, which newer machines do not have.
#[cfg(target_arch = "x86_64")]
const OF_FILES_BEFORE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_FILES_BEFORE: &[i64] = &[];

/// Set-user-id, set-group-id, sticky, writable by everybody: what a mode may not get by a descriptor either.
const MODES: [i32; 4] = [0o4000, 0o2000, 0o1000, 0o002];

/// Everything that makes or addresses a socket.
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

/// Kinds of sockets whose pairs can be given another address later; a pair of streams cannot.
const ADDRESSED: [i32; 4] = [
    libc::SOCK_DGRAM,
    libc::SOCK_SEQPACKET,
    libc::SOCK_RAW,
    libc::SOCK_RDM,
];

/// `IOPRIO_WHO_PROCESS` and `PRIO_PROCESS`.
const IO_PROCESS: u32 = 1;
const PRIO_PROCESS: u32 = 0;

/// `NETLINK_ROUTE`: the machine's own addresses, for looking up names.
const NETLINK_ROUTE: u32 = 0;

/// What it may not call, with or without the network.
pub(super) fn denies(network: bool) -> Result<SyscallRules, BackendError> {
    let lists = [NEVER, NEVER_HERE, OF_FILES, OF_FILES_BEFORE];
    let never = lists.into_iter().flatten();
    let mut rules: SyscallRules = never.map(|call| (*call, vec![])).collect();
    rules.extend(of_files()?);
    rules.extend(of_processes()?);
    rules.extend(of_sockets(network)?);
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

/// Nothing that was written becomes code: no page is both, none becomes executable later, and no file without a name is written and
/// mapped then.
pub(super) fn denies_new_code() -> Result<SyscallRules, BackendError> {
    let one = |condition| SeccompRule::new(vec![condition]);
    let both = libc::PROT_WRITE | libc::PROT_EXEC;
    Ok(SyscallRules::from([
        (libc::SYS_mmap, vec![one(bits(2, both, both)?)?]),
        (
            libc::SYS_mprotect,
            vec![one(bits(2, libc::PROT_EXEC, libc::PROT_EXEC)?)?],
        ),
        (
            libc::SYS_pkey_mprotect,
            vec![one(bits(2, libc::PROT_EXEC, libc::PROT_EXEC)?)?],
        ),
        (libc::SYS_memfd_create, vec![]),
    ]))
}

/// Of the files that it has open it may change mode and times, as copying and unpacking do.
fn of_files() -> Result<SyscallRules, BackendError> {
    let modes: Result<Vec<_>, _> = MODES
        .iter()
        .map(|mode| SeccompRule::new(vec![bits(1, *mode, *mode)?]))
        .collect();
    Ok(SyscallRules::from([
        (libc::SYS_fchmod, modes?),
        // Without a name it is the descriptor's own file.
        (libc::SYS_utimensat, vec![SeccompRule::new(vec![is_not(1, 0)?])?]),
    ]))
}

/// What takes the number of a process: 0 is the one that calls. Which other numbers are its own no filter can know.
fn of_processes() -> Result<SyscallRules, BackendError> {
    let one = |condition| SeccompRule::new(vec![condition]);
    let other = || Ok::<_, BackendError>(vec![one(word_is_not(0, 0)?)?]);
    let mut scheduler = other()?;
    for policy in [libc::SCHED_FIFO, libc::SCHED_RR, libc::SCHED_DEADLINE] {
        // Above the lowest byte are flags.
        scheduler.push(one(bits(1, 0xff, policy)?)?);
    }
    Ok(SyscallRules::from([
        (libc::SYS_prlimit64, other()?),
        (libc::SYS_sched_setaffinity, other()?),
        (libc::SYS_sched_setparam, other()?),
        (libc::SYS_sched_setscheduler, scheduler),
        (
            libc::SYS_setpriority,
            vec![one(word_is_not(0, PRIO_PROCESS)?)?, one(word_is_not(1, 0)?)?],
        ),
        (
            libc::SYS_ioprio_set,
            vec![one(word_is_not(0, IO_PROCESS)?)?, one(word_is_not(1, 0)?)?],
        ),
    ]))
}

/// A socket of this machine's own (`AF_UNIX`) reaches whatever its owner may reach, Aura's control socket too, and Landlock knows it
/// from ABI 9 on only. What has no address, a pair of streams, is left.
fn of_sockets(network: bool) -> Result<SyscallRules, BackendError> {
    let mut rules = SyscallRules::new();
    if network {
        let unknown = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
            .iter()
            .map(|family| word_is_not(0, family.unsigned_abs()))
            .collect::<Result<Vec<_>, _>>()?;
        let netlink = vec![
            is_word(0, libc::AF_NETLINK.unsigned_abs())?,
            word_is_not(2, NETLINK_ROUTE)?,
        ];
        rules.insert(
            libc::SYS_socket,
            vec![SeccompRule::new(unknown)?, SeccompRule::new(netlink)?],
        );
    } else {
        rules.extend(SOCKETS.iter().map(|call| (*call, vec![])));
    }
    let mut pair = vec![SeccompRule::new(vec![word_is_not(
        0,
        libc::AF_UNIX.unsigned_abs(),
    )?])?];
    for kind in ADDRESSED {
        // Above the lowest four bits are flags.
        pair.push(SeccompRule::new(vec![bits(1, 0xf, kind)?])?);
    }
    rules.insert(libc::SYS_socketpair, pair);
    Ok(rules)
}

/// The other numbers of the same calls on this machine (x32): bit 30 is set, and some have numbers of their own.
#[cfg(target_arch = "x86_64")]
fn deny_x32(rules: &mut SyscallRules) {
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

    /// All calls that are denied whatever their arguments are.
    fn whole(rules: &SyscallRules) -> Vec<i64> {
        let whole = rules.iter().filter(|(_, cases)| cases.is_empty());
        whole.map(|(call, _)| *call).collect()
    }

    #[test]
    fn program_is_denied_what_reaches_beyond_it() {
        for network in [true, false] {
            let rules = denies(network).unwrap();
            let whole = whole(&rules);
            for call in [NEVER, NEVER_HERE, OF_FILES, OF_FILES_BEFORE]
                .into_iter()
                .flatten()
            {
                assert!(whole.contains(call), "call {call}");
                #[cfg(target_arch = "x86_64")]
                assert!(whole.contains(&(call | 0x4000_0000)), "x32 call {call}");
            }
            // A process is started by clone with no name space.
            assert_eq!(rules[&libc::SYS_clone].len(), 7);
            for call in [
                libc::SYS_prlimit64,
                libc::SYS_sched_setaffinity,
                libc::SYS_sched_setparam,
                libc::SYS_sched_setscheduler,
                libc::SYS_setpriority,
                libc::SYS_ioprio_set,
                libc::SYS_fchmod,
                libc::SYS_utimensat,
            ] {
                assert!(!rules[&call].is_empty(), "call {call} is denied for itself too");
            }
        }
    }

    #[test]
    fn program_is_denied_all_sockets_or_those_of_other_families() {
        let (with, without) = (denies(true).unwrap(), denies(false).unwrap());
        for call in SOCKETS {
            assert!(whole(&without).contains(call), "call {call}");
        }
        let rest = SOCKETS.iter().filter(|call| **call != libc::SYS_socket);
        for call in rest {
            assert!(!with.contains_key(call), "call {call}");
        }
        assert_eq!(with[&libc::SYS_socket].len(), 2);
        // Another family, and four kinds that are no stream.
        assert_eq!(with[&libc::SYS_socketpair].len(), 5);
        assert_eq!(without[&libc::SYS_socketpair].len(), 5);
    }
}
