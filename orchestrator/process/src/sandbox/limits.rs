//! How much a process may use.
//!
//! What: [`ProgramLimits`], set on this process before it becomes a program; [`bound_service`], what the service holds itself to.
//! Why: what runs wild ends itself and not the machine. Not here: agents' limits (`worker`), deadlines (whoever waits for the program).

use super::{SandboxError, new_code, step};
use rustix::{
    fs::Mode,
    process::{Resource, Rlimit, getrlimit, getuid, setrlimit, umask},
};
use std::{fs, os::unix::fs::MetadataExt as _, sync::OnceLock};

/// What a program may use. The kernel ends or refuses what goes beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramLimits {
    /// Memory in MiB that a process may have for itself alone: heap, stacks of threads, private mappings. Not address space, of which
    /// Node and others reserve gigabytes that they never touch.
    pub memory_mib: u32,
    /// Seconds of processor time, all threads together; each process it starts has its own. Past them it is told (SIGXCPU), a
    /// second later it is killed.
    pub cpu_seconds: u32,
    /// The largest file it may write, in MiB.
    pub file_mib: u32,
    /// Descriptors open at once.
    pub open_files: u32,
    /// Processes and threads beyond those that the owner has now. The kernel does not hold root to it.
    pub processes: u32,
}

impl Default for ProgramLimits {
    fn default() -> Self {
        Self {
            memory_mib: 2048,
            cpu_seconds: 60,
            file_mib: 256,
            open_files: 256,
            processes: 64,
        }
    }
}

const MIB: u64 = 1024 * 1024;

impl ProgramLimits {
    /// Sets them on this process and on all it will start, for good.
    ///
    /// # Errors
    /// The system refuses one, e.g. because a lower one is set already.
    pub fn set(self) -> Result<(), SandboxError> {
        let memory = u64::from(self.memory_mib) * MIB;
        let cpu = u64::from(self.cpu_seconds);
        let file = u64::from(self.file_mib) * MIB;
        let files = u64::from(self.open_files);
        let tasks = tasks_of_owner() + u64::from(self.processes);
        let limits = [
            (Resource::Data, memory, memory),
            (Resource::Cpu, cpu, cpu + 1),
            (Resource::Fsize, file, file),
            (Resource::Nofile, files, files),
            (Resource::Nproc, tasks, tasks),
        ];
        for (resource, soft, hard) in limits {
            let both = Rlimit {
                current: Some(soft),
                maximum: Some(hard),
            };
            setrlimit(resource, both).map_err(step("limit what the program may use"))?;
        }
        Ok(())
    }
}

/// What the service may hold for itself in memory.
pub const SERVICE_MEMORY: u64 = 2048 * MIB;

/// What a host may. Each owner who is served takes some 20 MiB of it, most of it room for the stacks of her threads.
const HOST_MEMORY: u64 = 4 * SERVICE_MEMORY;

/// Processes and threads that the owner may have beyond those of the service's start, as far as the service starts them. Wide, because
/// the kernel counts all of the owner's: a browser that is opened later must not end the service.
const SERVICE_TASKS: u64 = 4096;

/// The umask of the service, its agents and the model: what they make is their owner's alone.
pub const PRIVATE_UMASK: u32 = 0o077;

/// The umask that this process was started with, once it has taken the service's.
static OWNERS_UMASK: OnceLock<u32> = OnceLock::new();

/// Bounds this process, the service: its memory, its tasks, who may read what it makes, and no memory that it wrote becomes code.
/// Memory and tasks are soft limits, because its children's may be wider: programs have those of their manifests.
///
/// # Errors
/// The system refuses it. A kernel that cannot keep new code out of one process alone (before Linux 6.6) is no error:
/// `aura worker probe --profile service` says so.
pub fn bound_service() -> Result<(), SandboxError> {
    bound_to(SERVICE_MEMORY)
}

/// Bounds this process, a host of several owners, in the same way, with memory for all of them, and lets it have as many files open as the
/// system allows: it needs some 50 for each owner.
///
/// # Errors
/// As [`bound_service`].
pub fn bound_host() -> Result<(), SandboxError> {
    bound_to(HOST_MEMORY)?;
    let most = getrlimit(Resource::Nofile).maximum;
    let raised = Rlimit {
        current: most,
        maximum: most,
    };
    setrlimit(Resource::Nofile, raised).map_err(step("let the host open more files"))
}

fn bound_to(memory: u64) -> Result<(), SandboxError> {
    bound(Resource::Data, memory)?;
    bound(Resource::Nproc, tasks_of_owner() + SERVICE_TASKS)?;
    let _ = OWNERS_UMASK.set(umask(Mode::from_raw_mode(PRIVATE_UMASK)).as_raw_mode());
    new_code::deny();
    Ok(())
}

fn bound(resource: Resource, soft: u64) -> Result<(), SandboxError> {
    let most = getrlimit(resource).maximum;
    let bounded = Rlimit {
        current: Some(most.map_or(soft, |most| most.min(soft))),
        maximum: most,
    };
    setrlimit(resource, bounded).map_err(step("limit what the service may use"))
}

/// The umask of the owner, for programs of theirs and for files that are written for them; `None`: this process still has it.
pub fn owners_umask() -> Option<u32> {
    OWNERS_UMASK.get().copied()
}

/// The kernel counts all processes and threads of a user, not those of one program.
fn tasks_of_owner() -> u64 {
    let me = getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mine = processes.filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == me));
    let tasks = mine.map(|entry| fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count));
    tasks.map(|count| count as u64).sum()
}
