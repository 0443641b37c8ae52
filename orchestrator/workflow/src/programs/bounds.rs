//! What the kernel does not bound of a program.
//!
//! What: [`ResourceBounds`], the memory of a program with all that it started, and what it keeps in its folder; [`watch`] looks at both four times
//! a second. Why: the kernel's limits are of one process and of one file, and memory that is shared is in none of them. Not here: those
//! limits (`process::sandbox::limits`).

use aura_process::kib;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::BTreeSet,
    fs::{self, Metadata},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// The most files and folders that it may have in its folder.
pub(super) const FILES_MAX: usize = 20_000;

const MIB: u64 = 1024 * 1024;

/// What a program and all that it started may use together.
#[derive(Debug, Clone)]
pub(super) struct ResourceBounds {
    /// MiB of memory that belongs to no file.
    pub(super) memory_mib: u32,
    /// MiB of disk, of files that it has open and that have no name any more too.
    pub(super) disk_mib: u32,
    /// The folder that it writes to.
    pub(super) folder: PathBuf,
}

/// What it used too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExceededBound {
    Memory,
    Disk,
}

/// A program that is looked at, for as long as this lives.
pub(super) struct BoundsWatch {
    exceeded: Arc<AtomicU8>,
    bounds: ResourceBounds,
    _stop: mpsc::Sender<()>,
}

impl BoundsWatch {
    /// Whether its folder holds too much now. One that ended by itself may have been quicker than a look.
    pub(super) fn holds_too_much(&self) -> bool {
        bytes_below(&self.bounds.folder, FILES_MAX) > u64::from(self.bounds.disk_mib) * MIB
    }

    /// Why it was ended, if it was ended for using too much.
    pub(super) fn exceeded(&self) -> Option<ExceededBound> {
        match self.exceeded.load(Ordering::SeqCst) {
            1 => Some(ExceededBound::Memory),
            2 => Some(ExceededBound::Disk),
            _ => None,
        }
    }
}

/// Looks at a process group until what it returns is dropped, and ends the group when it uses too much.
pub(super) fn watch(group: Pid, bounds: ResourceBounds) -> BoundsWatch {
    let (stop, stopped) = mpsc::channel();
    let exceeded = Arc::new(AtomicU8::new(0));
    let watch = BoundsWatch {
        exceeded: Arc::clone(&exceeded),
        bounds: bounds.clone(),
        _stop: stop,
    };
    thread::spawn(move || {
        while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let number = match bounds.exceeded(group) {
                None => continue,
                Some(ExceededBound::Memory) => 1,
                Some(ExceededBound::Disk) => 2,
            };
            exceeded.store(number, Ordering::SeqCst);
            // It was not waited for yet: who waits drops the watch first.
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
    });
    watch
}

impl ResourceBounds {
    fn exceeded(&self, group: Pid) -> Option<ExceededBound> {
        let members = members(group);
        let memory: u64 = members.iter().map(|process| memory_kib(process)).sum();
        if memory * 1024 > u64::from(self.memory_mib) * MIB {
            return Some(ExceededBound::Memory);
        }
        let nameless = nameless_bytes(&members);
        (bytes_below(&self.folder, FILES_MAX).saturating_add(nameless) > u64::from(self.disk_mib) * MIB)
            .then_some(ExceededBound::Disk)
    }
}

/// The folders of `/proc` of the processes of a group. None can leave it: the sandbox denies that.
fn members(group: Pid) -> Vec<PathBuf> {
    let group = group.as_raw_nonzero().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .iter()
                .all(u8::is_ascii_digit)
        })
        .map(|entry| entry.path())
        .filter(|process| {
            // Behind the name, which may hold anything: state, parent, group.
            let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
            let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
            fields.split_ascii_whitespace().nth(2) == Some(&group)
        })
        .collect()
}

/// What a process has in memory that belongs to no file: its own and what it shares.
fn memory_kib(process: &Path) -> u64 {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    let line = |name| kib(&status, name).unwrap_or(0);
    line("RssAnon:") + line("RssShmem:")
}

/// What stands on the disk, or in memory, for files that nobody can find any more.
fn nameless_bytes(members: &[PathBuf]) -> u64 {
    let mut seen = BTreeSet::new();
    let open = members
        .iter()
        .flat_map(|process| fs::read_dir(process.join("fd")));
    open.flatten()
        .flatten()
        // Over the link, to the file itself.
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(|file| file.is_file() && file.nlink() == 0)
        .filter(|file| seen.insert((file.dev(), file.ino())))
        .map(|file| bytes(&file))
        .sum()
}

/// What stands on the disk below a folder; with more files than so many, as much as there can be.
fn bytes_below(folder: &Path, most: usize) -> u64 {
    let (mut below, mut count, mut sum) = (vec![folder.to_owned()], 0, 0_u64);
    while let Some(folder) = below.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // What goes while it is looked at is gone.
            let Ok(meta) = entry.metadata() else { continue };
            count += 1;
            if count > most {
                return u64::MAX;
            }
            sum = sum.saturating_add(bytes(&meta));
            if meta.is_dir() {
                below.push(entry.path());
            }
        }
    }
    sum
}

fn bytes(file: &Metadata) -> u64 {
    file.blocks().saturating_mul(512)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_process::ChildProcess;
    use std::{
        fs::File,
        io::Write as _,
        process::{Command, Stdio},
    };

    #[test]
    fn what_is_below_a_folder_and_what_has_no_name_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let before = bytes_below(dir.path(), 9);
        fs::write(deep.join("large"), vec![1; 1 << 20]).unwrap();
        let after = bytes_below(dir.path(), 9);
        assert!((1 << 20..2 << 20).contains(&(after - before)), "{before} {after}");
        // A link is a name, not what it leads to.
        std::os::unix::fs::symlink("/usr", dir.path().join("link")).unwrap();
        assert!(bytes_below(dir.path(), 9) < after + (1 << 16));

        let mut nameless = tempfile::tempfile_in(dir.path()).unwrap();
        nameless.write_all(&vec![1; 3 << 20]).unwrap();
        nameless.sync_all().unwrap();
        let _again: File = nameless.try_clone().unwrap();
        let me = [PathBuf::from("/proc/self")];
        assert!(nameless_bytes(&me) >= 3 << 20);
        assert_eq!(nameless_bytes(&[]), 0);
    }

    #[test]
    fn too_many_files_are_too_much_disk() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..10 {
            File::create(dir.path().join(n.to_string())).unwrap();
        }
        assert_eq!(bytes_below(dir.path(), 9), u64::MAX);
    }

    #[test]
    fn a_group_is_found_with_all_that_is_in_it_and_held_to_its_bounds() {
        let dir = tempfile::tempdir().unwrap();
        // Two processes, the second of the first; both wait for the pipe to be closed.
        let mut command = Command::new("sh");
        command.args(["-c", "cat; true"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = ChildProcess::spawn(&mut command).unwrap();
        let group = child.pid();
        while members(group).len() < 2 {
            thread::yield_now();
        }
        let bounds = |memory_mib, disk_mib| ResourceBounds {
            memory_mib,
            disk_mib,
            folder: dir.path().to_owned(),
        };
        fs::write(dir.path().join("file"), vec![1; 2 << 20]).unwrap();
        assert_eq!(bounds(1024, 3).exceeded(group), None);
        assert_eq!(bounds(1024, 1).exceeded(group), Some(ExceededBound::Disk));
        assert_eq!(bounds(0, 3).exceeded(group), Some(ExceededBound::Memory));
        // Waiting would close it.
        let _stdin = child.take_stdin();
        let watch = watch(group, bounds(1024, 1));
        let status = child.wait().unwrap();
        assert!(!status.success());
        assert_eq!(watch.exceeded(), Some(ExceededBound::Disk));
    }
}
