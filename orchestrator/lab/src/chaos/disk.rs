//! A disk that fails, at the system call.
//!
//! What: [`DiskFaultPlan`], which says what fails, and [`FailingDisk`], which traces a running service and answers chosen calls on files of its data
//! folder with an error. Why: below `SQLite` and our own files is one place, and the service is the one that ships
//! (docs/adr/0058). Not here: when (`plan`), what it cost (`check`).

use nix::{
    errno::Errno,
    libc,
    sys::{
        ptrace,
        signal::Signal,
        wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid},
    },
    unistd::Pid,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    fs::{self, File},
    os::unix::{ffi::OsStrExt as _, fs::FileExt as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// What fails, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiskFaultPlan {
    pub(super) files: FaultyFiles,
    pub(super) calls: FaultyCalls,
    pub(super) error: DiskError,
    /// So many of them go well.
    pub(super) pass: u64,
    /// Then so many fail; then it begins again.
    pub(super) fail: u64,
    pub(super) for_ms: u64,
    /// The service is killed and starts with it.
    pub(super) at_start: bool,
}

/// On which files of the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FaultyFiles {
    /// `SQLite`'s: databases, their logs and indices.
    Database,
    /// All others: sealed files, quarantine lines, outbox, raw traces. Databases take nothing meanwhile: then traces become files.
    Own,
    All,
}

/// Which calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FaultyCalls {
    /// Whatever takes room: bytes and names.
    Write,
    /// Whatever makes it last.
    Sync,
    All,
}

/// With which error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DiskError {
    #[serde(rename = "EIO")]
    Io,
    /// A write finds room for half of it first.
    #[serde(rename = "ENOSPC")]
    NoSpace,
}

impl fmt::Display for DiskFaultPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = match self.files {
            FaultyFiles::Database => "database",
            FaultyFiles::Own => "own files",
            FaultyFiles::All => "all files",
        };
        let calls = match self.calls {
            FaultyCalls::Write => "write",
            FaultyCalls::Sync => "sync",
            FaultyCalls::All => "write and sync",
        };
        let error = match self.error {
            DiskError::Io => "EIO",
            DiskError::NoSpace => "ENOSPC",
        };
        let start = if self.at_start { " at a start" } else { "" };
        write!(f, "disk {files} {calls} {error}{start}")
    }
}

/// Where a call says which file it is for: the place of an argument.
#[derive(Clone, Copy)]
enum CallTarget {
    Descriptor(usize),
    /// A name in a folder that is a descriptor.
    At(usize, usize),
    Name(usize),
    /// As [`CallTarget::At`], when the flags make the file.
    Created(usize, usize, usize),
}

struct TracedCall {
    number: i64,
    name: &'static str,
    calls: FaultyCalls,
    /// Whether it can find the disk full.
    takes_room: bool,
    /// Whether its third argument is how many bytes it writes.
    counts: bool,
    target: CallTarget,
}

const fn call(number: i64, name: &'static str, target: CallTarget) -> TracedCall {
    TracedCall {
        number,
        name,
        calls: FaultyCalls::Write,
        takes_room: true,
        counts: false,
        target,
    }
}

const fn bytes(number: i64, name: &'static str) -> TracedCall {
    TracedCall {
        counts: true,
        ..call(number, name, CallTarget::Descriptor(0))
    }
}

const fn frees(number: i64, name: &'static str, target: CallTarget) -> TracedCall {
    TracedCall {
        takes_room: false,
        ..call(number, name, target)
    }
}

const fn sync(number: i64, name: &'static str) -> TracedCall {
    TracedCall {
        calls: FaultyCalls::Sync,
        ..frees(number, name, CallTarget::Descriptor(0))
    }
}

/// What writes to a disk. `-shm`, which `SQLite` maps, is memory.
const CALLS: &[TracedCall] = &[
    bytes(libc::SYS_write, "write"),
    bytes(libc::SYS_pwrite64, "pwrite"),
    call(libc::SYS_writev, "writev", CallTarget::Descriptor(0)),
    call(libc::SYS_pwritev, "pwritev", CallTarget::Descriptor(0)),
    call(libc::SYS_pwritev2, "pwritev2", CallTarget::Descriptor(0)),
    call(libc::SYS_fallocate, "fallocate", CallTarget::Descriptor(0)),
    call(libc::SYS_sendfile, "sendfile", CallTarget::Descriptor(0)),
    call(
        libc::SYS_copy_file_range,
        "copy_file_range",
        CallTarget::Descriptor(2),
    ),
    call(libc::SYS_openat, "create", CallTarget::Created(0, 1, 2)),
    call(libc::SYS_mkdirat, "mkdir", CallTarget::At(0, 1)),
    call(libc::SYS_renameat, "rename", CallTarget::At(2, 3)),
    call(libc::SYS_renameat2, "rename", CallTarget::At(2, 3)),
    call(libc::SYS_linkat, "link", CallTarget::At(2, 3)),
    frees(libc::SYS_ftruncate, "ftruncate", CallTarget::Descriptor(0)),
    frees(libc::SYS_unlinkat, "unlink", CallTarget::At(0, 1)),
    sync(libc::SYS_fsync, "fsync"),
    sync(libc::SYS_fdatasync, "fdatasync"),
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_mkdir, "mkdir", CallTarget::Name(0)),
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_rename, "rename", CallTarget::Name(1)),
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_link, "link", CallTarget::Name(1)),
    #[cfg(target_arch = "x86_64")]
    frees(libc::SYS_unlink, "unlink", CallTarget::Name(0)),
];

impl DiskFaultPlan {
    fn is_for(&self, call: &TracedCall) -> bool {
        let calls = self.calls == FaultyCalls::All || self.calls == call.calls;
        // Nothing else that a disk says of a sync is of use: who asks cannot make room.
        calls && (self.error == DiskError::Io || call.takes_room)
    }

    /// What becomes of a call that it is for; `seen` counts those of the files that are meant.
    fn fate(&self, database: bool, seen: &mut u64) -> CallFate {
        match (self.files, database) {
            (FaultyFiles::Database, false) => return CallFate::Passes,
            (FaultyFiles::Own, true) => return CallFate::Fails { first: false },
            (FaultyFiles::Database, true) | (FaultyFiles::Own, false) | (FaultyFiles::All, _) => {}
        }
        let place = *seen % self.pass.saturating_add(self.fail).max(1);
        *seen += 1;
        if place < self.pass {
            CallFate::Passes
        } else {
            CallFate::Fails {
                first: place == self.pass,
            }
        }
    }

    fn errno(&self) -> i32 {
        match self.error {
            DiskError::Io => libc::EIO,
            DiskError::NoSpace => libc::ENOSPC,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum CallFate {
    Passes,
    /// Whether it is the first after one that passed.
    Fails {
        first: bool,
    },
}

fn is_database(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().as_bytes();
    name.windows(3).any(|part| part == b".db")
}

/// How often each call on each file failed: `fdatasync aura.db-wal`.
pub(super) type FailedCalls = BTreeMap<String, u64>;

/// A process whose disk fails until this is ended or dropped. Until then nobody in this process may wait for that one by a plain `wait`.
pub(super) struct FailingDisk {
    pid: Pid,
    over: Arc<AtomicBool>,
    tracing: Option<JoinHandle<Result<FailedCalls, Errno>>>,
}

impl FailingDisk {
    /// Begins. `data` is the folder whose files fail, at most until that moment.
    pub(super) fn begin(
        pid: rustix::process::Pid,
        fault: DiskFaultPlan,
        data: &Path,
        until: Instant,
    ) -> Self {
        let pid = Pid::from_raw(pid.as_raw_nonzero().get());
        let over = Arc::new(AtomicBool::new(false));
        let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
        // A thread of its own: a tracer is a thread, and what it traces goes on by itself when it ends.
        let (held, holds) = mpsc::channel();
        let tracing = thread::spawn({
            let over = Arc::clone(&over);
            move || {
                let mut tracer = SyscallTracer {
                    pid,
                    fault,
                    data,
                    seen: 0,
                    failed: FailedCalls::new(),
                };
                tracer.seize()?;
                // From here on no call of the process passes unseen.
                let _ = held.send(());
                tracer.follow(|| over.load(Ordering::Relaxed) || Instant::now() >= until);
                Ok(tracer.failed)
            }
        });
        // Ends as well when the process could not be held; `end` says why.
        let _ = holds.recv();
        Self {
            pid,
            over,
            tracing: Some(tracing),
        }
    }

    /// Ends. What failed; an error: this user may not trace the service.
    pub(super) fn end(mut self) -> Result<FailedCalls, Errno> {
        self.finish().unwrap_or_else(|| Ok(FailedCalls::new()))
    }

    fn finish(&mut self) -> Option<Result<FailedCalls, Errno>> {
        let tracing = self.tracing.take()?;
        self.over.store(true, Ordering::Relaxed);
        while !tracing.is_finished() {
            // Ignored by the process, and seen by who traces it: its wait ends.
            let _ = nix::sys::signal::kill(self.pid, Signal::SIGWINCH);
            thread::park_timeout(Duration::from_millis(5));
        }
        tracing.join().ok()
    }
}

impl Drop for FailingDisk {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

struct SyscallTracer {
    pid: Pid,
    fault: DiskFaultPlan,
    data: PathBuf,
    /// Calls that it is for.
    seen: u64,
    failed: FailedCalls,
}

impl SyscallTracer {
    /// Stops every thread of the process once, to be let go at its next call.
    fn seize(&self) -> Result<(), Errno> {
        let options = ptrace::Options::PTRACE_O_TRACESYSGOOD | ptrace::Options::PTRACE_O_TRACECLONE;
        let mut known = BTreeSet::new();
        loop {
            let fresh: Vec<i32> = threads(self.pid)
                .into_iter()
                .filter(|thread| known.insert(*thread))
                .collect();
            if fresh.is_empty() {
                return Ok(());
            }
            for thread in fresh {
                let thread = Pid::from_raw(thread);
                match ptrace::seize(thread, options).and_then(|()| ptrace::interrupt(thread)) {
                    // It has ended, or was begun by a thread that is traced already.
                    Err(Errno::ESRCH) => {}
                    Err(Errno::EPERM) if thread != self.pid => {}
                    done => done?,
                }
            }
        }
    }

    /// Lets every thread go from call to call until it is over or the process has ended.
    fn follow(&mut self, is_over: impl Fn() -> bool) {
        let mine = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WSTOPPED | WaitPidFlag::WNOWAIT;
        while !is_over() {
            // Only looked at: the end of the process is its parent's to take.
            let thread = match waitid(Id::All, look | mine) {
                Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, _, _)) if pid == self.pid => return,
                Ok(status) => status.pid(),
                Err(Errno::EINTR) => continue,
                Err(_) => return,
            };
            let Ok(status) = waitpid(thread, Some(mine)) else {
                return;
            };
            match status {
                WaitStatus::PtraceSyscall(thread) => {
                    self.at_call(thread);
                    let_go(thread, None);
                }
                WaitStatus::Stopped(thread, signal) => let_go(thread, Some(signal)),
                WaitStatus::PtraceEvent(thread, _, _) => let_go(thread, None),
                WaitStatus::Exited(..)
                | WaitStatus::Signaled(..)
                | WaitStatus::Continued(_)
                | WaitStatus::StillAlive => {}
            }
        }
    }

    /// A thread is about to make a call, or has made one.
    #[cfg(target_arch = "x86_64")]
    fn at_call(&mut self, thread: Pid) {
        let Ok(mut registers) = ptrace::getregs(thread) else {
            return;
        };
        let about_to = registers.rax == returned(libc::ENOSYS);
        let number = registers.orig_rax.cast_signed();
        let Some(call) = CALLS.iter().find(|call| about_to && call.number == number) else {
            return;
        };
        if !self.fault.is_for(call) {
            return;
        }
        let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10];
        let Some(file) = self.file(thread, call.target, arguments) else {
            return;
        };
        let is_first = match self.fault.fate(is_database(&file), &mut self.seen) {
            CallFate::Passes => return,
            CallFate::Fails { first } => first,
        };
        if is_first && call.counts && self.fault.error == DiskError::NoSpace && registers.rdx > 1 {
            registers.rdx /= 2;
        } else {
            // The kernel makes no call of that number, and the thread reads the error as its answer.
            registers.orig_rax = u64::MAX;
            registers.rax = returned(self.fault.errno());
        }
        if ptrace::setregs(thread, registers).is_ok() {
            let file = file.strip_prefix(&self.data).unwrap_or(&file);
            *self
                .failed
                .entry(format!("{} {}", call.name, file.display()))
                .or_default() += 1;
        }
    }

    /// Only this machine's registers are known.
    #[cfg(not(target_arch = "x86_64"))]
    fn at_call(&mut self, _: Pid) {}

    /// The file of the data folder that a call is for.
    fn file(&self, thread: Pid, target: CallTarget, arguments: [u64; 4]) -> Option<PathBuf> {
        let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
        let file = match target {
            CallTarget::Descriptor(at) => {
                fs::read_link(descriptor(thread, word(argument(at)).into())).ok()?
            }
            CallTarget::Name(name) => self.named(thread, None, argument(name))?,
            CallTarget::At(folder, name) => self.named(thread, Some(argument(folder)), argument(name))?,
            CallTarget::Created(folder, name, flags) => {
                let creates = word(argument(flags)).cast_signed() & libc::O_CREAT != 0;
                let file = creates.then(|| self.named(thread, Some(argument(folder)), argument(name)))??;
                (!file.exists()).then_some(file)?
            }
        };
        file.starts_with(&self.data).then_some(file)
    }

    /// The name at an address of the process, as a path.
    fn named(&self, thread: Pid, folder: Option<u64>, address: u64) -> Option<PathBuf> {
        let mut bytes = [0; libc::PATH_MAX as usize];
        // What lies behind the name may belong to nobody.
        let read = File::open(format!("/proc/{}/mem", self.pid))
            .and_then(|memory| memory.read_at(&mut bytes, address))
            .ok()?;
        let name = bytes.get(..read)?.split(|byte| *byte == 0).next()?;
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        let folder = match folder.map(word) {
            Some(number) if number.cast_signed() != libc::AT_FDCWD => descriptor(thread, number.into()),
            Some(_) | None => PathBuf::from(format!("/proc/{}/cwd", self.pid)),
        };
        let path = if name.is_absolute() {
            name.to_owned()
        } else {
            fs::read_link(folder).ok()?.join(name)
        };
        // The file may not be there yet, its folder is.
        let folder = path.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    }
}

/// What a call that failed returns.
#[cfg(target_arch = "x86_64")]
fn returned(errno: i32) -> u64 {
    i64::from(-errno).cast_unsigned()
}

fn descriptor(thread: Pid, number: u64) -> PathBuf {
    PathBuf::from(format!("/proc/{thread}/fd/{number}"))
}

/// An argument of 32 bits: what the rest of its register holds means nothing.
fn word(argument: u64) -> u32 {
    u32::try_from(argument & u64::from(u32::MAX)).unwrap_or_default()
}

fn threads(pid: Pid) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    tasks
        .filter_map(|task| task.file_name().to_string_lossy().parse().ok())
        .collect()
}

/// It may have been killed meanwhile.
fn let_go(thread: Pid, signal: Option<Signal>) {
    let _ = ptrace::syscall(thread, signal);
}

#[cfg(test)]
mod tests;
