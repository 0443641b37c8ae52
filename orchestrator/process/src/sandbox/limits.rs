//! How much a program of the owner may use.
//!
//! What: [`ProgramLimits`], set on this process before it becomes the program. Why: a program that runs wild ends itself and not
//! the machine. Not here: deadlines (whoever waits for the program).

use super::{SandboxError, step};
use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};
use std::{fs, os::unix::fs::MetadataExt as _};

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

/// Bounds the memory of this process, the service. Its children have limits of their own, which may be wider.
///
/// # Errors
/// The system refuses it.
pub fn bound_service() -> Result<(), SandboxError> {
    let most = getrlimit(Resource::Data).maximum;
    let bounded = Rlimit {
        current: Some(most.map_or(SERVICE_MEMORY, |most| most.min(SERVICE_MEMORY))),
        maximum: most,
    };
    setrlimit(Resource::Data, bounded).map_err(step("limit what the service may use"))
}

/// The kernel counts all processes and threads of a user, not those of one program.
fn tasks_of_owner() -> u64 {
    let me = getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mine = processes.filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == me));
    let tasks = mine.map(|entry| fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count));
    tasks.map(|count| count as u64).sum()
}
