//! How much a process may use.
//!
//! What: [`ProgramLimits`], set on this process before it becomes a program; [`bound_service`], what the service holds itself to.
//! Why: what runs wild ends itself and not the machine. Not here: agents' limits (`worker`), deadlines (whoever waits for the program).

use super::{SandboxError, new_code, step};
use rustix::{
    fs::Mode,
    process::{Resource, Rlimit, getrlimit, getuid, setrlimit, umask},
    system::sysinfo,
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

/// What an owner who is served takes of a host at most: of the machine's memory with her agents (31 MiB were seen), of what the host holds
/// for itself (20 MiB, most of it room for the stacks of her threads that is never touched), open files (50), processes and threads (14), and
/// instances of inotify: one for her models. Her sources are watched by the host's own.
const OWNER_SHARE: u64 = 48 * MIB;
const OWNER_MEMORY: u64 = 32 * MIB;
const OWNER_FILES: u64 = 64;
const OWNER_TASKS: u64 = 32;
const OWNER_WATCHES: u64 = 1;

/// Processes and threads that the owner may have beyond those of the service's start, as far as the service starts them. Wide, because
/// the kernel counts all of the owner's: a browser that is opened later must not end the service.
const SERVICE_TASKS: u64 = 4096;

/// What a host has open for itself and for owners who are parked or locked.
const SERVICE_FILES: u64 = 256;

/// Instances of inotify that are left to the other programs of its user, and to the watch of all sources.
const OTHER_WATCHES: u64 = 24;

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
    bound_to(SERVICE_MEMORY, SERVICE_TASKS)
}

/// How many owners a host can serve at once here: within half of the machine's memory, and within the files, processes, threads and instances of
/// inotify that the system lets it have. At least one.
pub fn default_awake_max() -> usize {
    let machine = sysinfo();
    let memory = machine.totalram.saturating_mul(machine.mem_unit.into());
    let most = |resource| getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let tasks = most(Resource::Nproc).saturating_sub(tasks_of_owner() + SERVICE_TASKS);
    let watches = fs::read_to_string("/proc/sys/fs/inotify/max_user_instances").ok();
    let watches = watches.and_then(|text| text.trim().parse().ok());
    awake_max_within(memory, most(Resource::Nofile), tasks, watches.unwrap_or(u64::MAX))
}

fn awake_max_within(memory: u64, files: u64, tasks: u64, watches: u64) -> usize {
    let room = (memory / 2 / OWNER_SHARE)
        .min(files.saturating_sub(SERVICE_FILES) / OWNER_FILES)
        .min(tasks / OWNER_TASKS)
        .min(watches.saturating_sub(OTHER_WATCHES) / OWNER_WATCHES);
    usize::try_from(room).unwrap_or(usize::MAX).max(1)
}

/// Bounds this process, a host that serves so many owners at once, in the same way, with memory and tasks for all of them, and lets it have as
/// many files open as the system allows.
///
/// # Errors
/// As [`bound_service`].
pub fn bound_host(awake_max: usize) -> Result<(), SandboxError> {
    let owners = u64::try_from(awake_max).unwrap_or(u64::MAX);
    bound_to(
        SERVICE_MEMORY.saturating_add(owners.saturating_mul(OWNER_MEMORY)),
        SERVICE_TASKS.saturating_add(owners.saturating_mul(OWNER_TASKS)),
    )?;
    let most = getrlimit(Resource::Nofile).maximum;
    let raised = Rlimit {
        current: most,
        maximum: most,
    };
    setrlimit(Resource::Nofile, raised).map_err(step("let the host open more files"))
}

fn bound_to(memory: u64, tasks: u64) -> Result<(), SandboxError> {
    bound(Resource::Data, memory)?;
    bound(Resource::Nproc, tasks_of_owner().saturating_add(tasks))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_serves_as_many_at_once_as_what_is_scarcest_allows() {
        const GIB: u64 = 1024 * MIB;
        let many = u64::MAX;
        for (memory, files, tasks, watches, owners) in [
            // Half of 2 GiB is 1,024 MiB: 21 × 48 MiB are 1,008.
            (2 * GIB, many, many, many, 21),
            (24 * GIB, many, many, many, 256),
            // 256 are the host's own.
            (24 * GIB, 1024, many, many, 12),
            (24 * GIB, many, 320, many, 10),
            // What Linux has by itself.
            (24 * GIB, many, many, 128, 104),
            // Never nobody.
            (GIB / 64, 64, 0, 0, 1),
        ] {
            let room = awake_max_within(memory, files, tasks, watches);
            assert_eq!(room, owners, "{memory} {files} {tasks} {watches}");
        }
    }
}
