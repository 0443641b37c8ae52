//! The attempts, as this very program makes them.
//!
//! What: [`try_all`]. Why: an agent's sandbox holds no other program. Not here: what must come of them (the parent module).

use super::{ProbeAttempt, ProbeOutcome, ProbeOutput, ProbeReport, ProbedSandbox};
use crate::sandbox::{SandboxLevel, new_code};
use nix::{
    mqueue::{MQ_OFlag, mq_open, mq_unlink},
    sched::{CloneFlags, unshare},
    sys::{
        ptrace,
        stat::Mode,
        uio::{RemoteIoVec, process_vm_readv},
    },
    unistd::Pid,
};
use rustix::{
    fs::{CWD, FileType, XattrFlags, inotify},
    process::{DumpableBehavior, Pid as RustixPid, Resource, Rlimit, getrlimit},
    thread::{capabilities, sched_getaffinity, sched_setaffinity},
};
use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, IoSliceMut},
    net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket},
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown},
        net::{UnixDatagram, UnixStream},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Command,
    thread,
};

/// On what it is tried.
#[derive(Debug, Clone)]
pub struct ProbeTargets {
    /// What is its own: a folder with a file in it, or a file; none: its own is not tried.
    pub own: Option<PathBuf>,
    /// A file that exists and is not its own.
    pub other: PathBuf,
    /// Another process of the same owner.
    pub process: i32,
}

/// Tries everything, in the sandbox that this process has entered. An agent tries as well to become another program.
pub fn try_all(level: SandboxLevel, inside: ProbedSandbox, targets: &ProbeTargets) -> ProbeReport {
    let mut tried = of_files(&targets.other);
    if let Some(own) = &targets.own {
        tried.extend(of_own(own));
        if !inside.is_closed() {
            tried.push((ProbeAttempt::OpenToOthers, open_to_others(own)));
        }
    }
    tried.extend(of_sockets());
    tried.extend(of_processes(targets.process));
    tried.push((ProbeAttempt::Inherited, inherited()));
    tried.extend(of_bounds(inside));
    if inside.is_closed() {
        tried.push((ProbeAttempt::Dump, dump()));
        // Last: where it is not denied, nobody is left to say so. Where nothing is enforced it is not tried.
        let exec = if level == SandboxLevel::NONE {
            ProbeOutcome::NotDenied
        } else {
            of(Err::<(), _>(Command::new("/bin/true").exec()))
        };
        tried.push((ProbeAttempt::Exec, exec));
    }
    tried.sort_by_key(|(attempt, _)| *attempt);
    ProbeReport { inside, level, tried }
}

/// Tries what the service keeps itself from, in a process that has bound itself as the service does.
///
/// # Errors
/// No folder could be made to try in.
pub fn try_bounds() -> io::Result<ProbeReport> {
    let folder = tempfile::tempdir()?;
    let mut tried = of_bounds(ProbedSandbox::Service);
    tried.push((ProbeAttempt::OpenToOthers, open_to_others(folder.path())));
    Ok(ProbeReport {
        inside: ProbedSandbox::Service,
        level: SandboxLevel::NONE,
        tried,
    })
}

/// The same in a program's sandbox, for who reads it there.
pub fn as_program(level: &str, targets: &ProbeTargets) -> ProbeOutput {
    // With the network or without the same is tried.
    let report = try_all(SandboxLevel::of_words(level), ProbedSandbox::Program, targets);
    ProbeOutput {
        level: level.to_owned(),
        tried: report.tried,
    }
}

fn of<T, E: Into<io::Error>>(result: Result<T, E>) -> ProbeOutcome {
    match result.map_err(Into::into) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => ProbeOutcome::Denied,
        Ok(_) | Err(_) => ProbeOutcome::NotDenied,
    }
}

/// Each leaves the file as it was.
fn of_files(other: &Path) -> Vec<(ProbeAttempt, ProbeOutcome)> {
    let folder = other.parent().unwrap_or(Path::new("/"));
    let (scratch, device) = (
        folder.join(format!("aura-probe-{}", std::process::id())),
        folder.join(format!("aura-device-{}", std::process::id())),
    );
    let tried = vec![
        (ProbeAttempt::ReadOther, of(File::open(other))),
        (ProbeAttempt::ListOther, of(fs::read_dir("/"))),
        (ProbeAttempt::Write, of(File::create(&scratch))),
        (ProbeAttempt::Truncate, of(truncate(other))),
        (ProbeAttempt::ChangeMode, of(change_mode(other))),
        (ProbeAttempt::ChangeOwner, of(chown(other, None, None))),
        (ProbeAttempt::ChangeTimes, of(change_times(other))),
        (
            ProbeAttempt::ChangeAttributes,
            of(rustix::fs::setxattr(
                other,
                "user.aura-probe",
                b"",
                XattrFlags::empty(),
            )),
        ),
        (
            ProbeAttempt::MakeDevice,
            // The null device.
            of(rustix::fs::mknodat(
                CWD,
                &device,
                FileType::CharacterDevice,
                rustix::fs::Mode::RUSR,
                rustix::fs::makedev(1, 3),
            )),
        ),
        (ProbeAttempt::WatchNames, of(watch(folder))),
    ];
    // Where it was not denied.
    let _ = rustix::fs::removexattr(other, "user.aura-probe");
    let _ = fs::remove_file(device);
    let _ = fs::remove_file(scratch);
    tried
}

fn truncate(path: &Path) -> io::Result<()> {
    // To the length that it has.
    let length = i64::try_from(fs::metadata(path)?.len()).unwrap_or(i64::MAX);
    Ok(nix::unistd::truncate(path, length)?)
}

fn change_mode(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.mode();
    fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))
}

fn change_times(path: &Path) -> rustix::io::Result<()> {
    let now = rustix::fs::Timespec {
        tv_sec: 0,
        tv_nsec: rustix::fs::UTIME_NOW,
    };
    let times = rustix::fs::Timestamps {
        last_access: now,
        last_modification: now,
    };
    rustix::fs::utimensat(CWD, path, &times, rustix::fs::AtFlags::empty())
}

fn watch(folder: &Path) -> rustix::io::Result<()> {
    let watches = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watches, folder, inotify::WatchFlags::CREATE).map(drop)
}

fn of_own(own: &Path) -> Vec<(ProbeAttempt, ProbeOutcome)> {
    let open = || first(own).and_then(File::open);
    let mode = |mode: u32| open().and_then(|file| file.set_permissions(Permissions::from_mode(mode)));
    vec![
        (ProbeAttempt::WriteOwn, of(append(own))),
        (ProbeAttempt::ReadOwn, of(first(own).and_then(fs::read))),
        (ProbeAttempt::ChangeOpenMode, of(mode(0o600))),
        (ProbeAttempt::SetUserId, of(mode(0o4700))),
    ]
}

fn of_bounds(inside: ProbedSandbox) -> Vec<(ProbeAttempt, ProbeOutcome)> {
    // Addresses only, which nothing touches. More than any of ours may have, programs with what they have by default included.
    let more = Vec::<u8>::new().try_reserve_exact(2304 * 1024 * 1024);
    let tasks = if inside.is_closed() {
        of(thread::Builder::new().spawn(|| ()))
    } else {
        // The kernel counts all of the owner's, and not root's: that there is a bound is what can be told without reaching it.
        denied_if(getrlimit(Resource::Nproc).current.is_some())
    };
    vec![
        (ProbeAttempt::NewCode, of(new_code::attempt())),
        (ProbeAttempt::MemoryBeyond, denied_if(more.is_err())),
        (ProbeAttempt::TasksBeyond, tasks),
    ]
}

fn denied_if(is_denied: bool) -> ProbeOutcome {
    if is_denied {
        ProbeOutcome::Denied
    } else {
        ProbeOutcome::NotDenied
    }
}

/// Whether a new file in the folder can be read by others than its owner.
fn open_to_others(folder: &Path) -> ProbeOutcome {
    let path = folder.join("aura-probe");
    let mode = File::create(&path)
        .and_then(|file| file.metadata())
        .map(|meta| meta.mode());
    let _ = fs::remove_file(path);
    const OTHERS: u32 = 0o077;
    denied_if(mode.is_ok_and(|mode| mode & OTHERS == 0))
}

fn of_sockets() -> Vec<(ProbeAttempt, ProbeOutcome)> {
    let send = || UnixDatagram::unbound()?.send_to(b"", "/nobody-listens-here");
    vec![
        (
            ProbeAttempt::Tcp,
            of(TcpStream::connect((Ipv4Addr::LOCALHOST, 9))),
        ),
        (
            ProbeAttempt::Listen,
            of(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))),
        ),
        (ProbeAttempt::Udp, of(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)))),
        (
            ProbeAttempt::Unix,
            of(UnixStream::connect("/nobody-listens-here")),
        ),
        (ProbeAttempt::UnixDatagram, of(send())),
        (ProbeAttempt::PairOfStreams, of(UnixStream::pair())),
        (ProbeAttempt::PairOfDatagrams, of(UnixDatagram::pair())),
        (ProbeAttempt::MessageQueue, of(message_queue())),
    ]
}

fn message_queue() -> nix::Result<()> {
    const NAME: &str = "/aura-probe";
    let flags = MQ_OFlag::O_CREAT | MQ_OFlag::O_RDONLY;
    mq_open(NAME, flags, Mode::S_IRUSR, None)?;
    mq_unlink(NAME)
}

fn of_processes(number: i32) -> Vec<(ProbeAttempt, ProbeOutcome)> {
    let process = Pid::from_raw(number);
    let same = RustixPid::from_raw(number);
    let mut byte = [0];
    let mut local = [IoSliceMut::new(&mut byte)];
    // Nothing is there: where it is not denied it fails for that.
    let remote = [RemoteIoVec { base: 8, len: 1 }];
    let no_core = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let status = format!("/proc/{number}/status");
    vec![
        (ProbeAttempt::ReadProcess, of(fs::read(status))),
        (ProbeAttempt::Fork, of(Command::new("/bin/true").status())),
        (
            ProbeAttempt::VmRead,
            of(process_vm_readv(process, &mut local, &remote)),
        ),
        (ProbeAttempt::Signal, of(signal(same))),
        (
            ProbeAttempt::Limits,
            of(rustix::process::prlimit(same, Resource::Core, no_core)),
        ),
        (
            ProbeAttempt::Affinity,
            of(sched_getaffinity(same).and_then(|all| sched_setaffinity(same, &all))),
        ),
        (
            ProbeAttempt::Priority,
            of(rustix::process::setpriority_process(same, 0)),
        ),
        (ProbeAttempt::LeaveGroup, of(rustix::process::setpgid(None, None))),
        (ProbeAttempt::Capabilities, kept_capabilities()),
        (
            ProbeAttempt::Ptrace,
            of(ptrace::seize(process, ptrace::Options::empty())),
        ),
        // Where it is not denied, it is another user from here on.
        (ProbeAttempt::NameSpace, of(unshare(CloneFlags::CLONE_NEWUSER))),
    ]
}

fn kept_capabilities() -> ProbeOutcome {
    match capabilities(None) {
        // What reading takes, an agent of root's keeps; it gives no other right.
        Ok(sets) if (sets.permitted - rustix::thread::CapabilitySet::DAC_READ_SEARCH).is_empty() => {
            ProbeOutcome::Denied
        }
        Ok(_) => ProbeOutcome::NotDenied,
        // It may not even ask.
        Err(error) => of(Err::<(), _>(error)),
    }
}

/// Opens the first file of a folder for writing; writes nothing.
fn append(own: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).open(first(own)?).map(drop)
}

fn first(own: &Path) -> io::Result<PathBuf> {
    if own.is_file() {
        return Ok(own.to_owned());
    }
    let entry = fs::read_dir(own)?.next().ok_or(io::ErrorKind::NotFound)??;
    Ok(entry.path())
}

fn signal(process: Option<RustixPid>) -> rustix::io::Result<()> {
    process.map_or(Err(rustix::io::Errno::SRCH), rustix::process::test_kill_process)
}

fn dump() -> ProbeOutcome {
    match rustix::process::dumpable_behavior() {
        Ok(DumpableBehavior::NotDumpable) => ProbeOutcome::Denied,
        Ok(_) | Err(_) => ProbeOutcome::NotDenied,
    }
}

/// Whether any of the descriptors that people leave open is.
fn inherited() -> ProbeOutcome {
    let open = (3..64).any(|descriptor| nix::unistd::close(descriptor).is_ok());
    denied_if(!open)
}
