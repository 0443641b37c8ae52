//! Children of a process: found, and asked whether they have ended.
//!
//! What: [`child_of`] and [`try_wait`]. Why: a tracer in this process waits for the same process. Not here: the service (`house`).

use super::tried;
use aura_runtime::service::ServiceError;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use rustix::process::Pid;
use std::{
    fs,
    process::{Child, ExitStatus},
};

/// What a child ended with. A plain `try_wait` would take the stops that a tracer in this process waits for.
pub(super) fn try_wait(child: &mut Child) -> Result<Option<ExitStatus>, ServiceError> {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    match waitid(Id::Pid(pid), flags) {
        // Somebody took it before: it is remembered.
        Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) | Err(_) => {
            child.try_wait().map_err(tried("look after the service"))
        }
        Ok(_) => Ok(None),
    }
}

/// A child of this process whose command line has these words in it, in this order.
pub(super) fn child_of(parent: Option<Pid>, words: &[&str]) -> Option<Pid> {
    let parent = parent?.as_raw_nonzero().get().to_string();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // After the name in parentheses: the state, then the parent.
        let of = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1));
        if of != Some(parent.as_str()) {
            continue;
        }
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        let mut said = line
            .split('\0')
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        if words.iter().all(|word| said.any(|said| said == *word)) {
            return Pid::from_raw(pid);
        }
    }
    None
}
