//! The checks of a data folder.
//!
//! What: key, modes, lock, store, waiting traces, quarantines. Why: each finding names the file and the remedy, and the
//! folder is left as it is. Not here: configuration and program (the module above).

use super::{
    DoctorFinding, bad, ok,
    sealed::{key, opened, repaired},
    warn,
};
use crate::{clock::waits, error::CliError, quarantine::stats::health, records::StoreAccess};
use aura_memory::{
    StoreError, Vault,
    quarantine::{self, QuarantineKind, QuarantineLine},
};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use orchestrator_machine::policy::{self, Policy};
use serde_json::Value;
use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt as _,
    path::Path,
};
use toolcall_schema::{RetentionHold, catalogue::docs::catalogue_hash, trace::Trace};

/// Everything that is checked in a data folder.
pub(super) fn data_folder(dir: &Path, open: impl FnOnce() -> Result<Vault, CliError>) -> Vec<DoctorFinding> {
    let start = "`aura run` or `aura demo` makes it; or name the right one with --data DIR";
    match fs::metadata(dir) {
        Ok(meta) if meta.is_dir() => {}
        Ok(_) => {
            return vec![bad(
                "data folder",
                format!("{} is not a folder", dir.display()),
                start,
            )];
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return vec![bad(
                "data folder",
                format!("{} is not there", dir.display()),
                start,
            )];
        }
        Err(error) => {
            return vec![bad(
                "data folder",
                format!("{} cannot be read: {error}", dir.display()),
                "check who owns it",
            )];
        }
    }
    let mut checks = vec![ok("data folder", dir.display().to_string()), key(dir)];
    let vault = opened(dir, open);
    checks.push(modes(dir));
    checks.push(in_use(dir));
    checks.extend(service(dir));
    checks.extend(clock(dir));
    checks.push(space(dir));
    checks.push(raw_traces(dir));
    checks.extend(repaired(dir));
    match vault {
        Ok(Some(vault)) => {
            checks.extend(store(&vault));
            checks.extend(super::runs::runs(&vault));
        }
        Ok(None) => checks.push(warn(
            "store",
            "no store in it yet",
            "`aura run` or `aura demo` makes it",
        )),
        Err(error) => checks.push(bad(
            "store",
            error.with_causes(),
            "`aura help CODE` with its code says more, and docs/keys.md",
        )),
    }
    checks.extend(QuarantineKind::ALL.iter().map(|kind| refused(dir, *kind)));
    checks.extend(keeping(dir));
    checks
}

/// Everything in the folder is the owner's alone.
fn modes(dir: &Path) -> DoctorFinding {
    let mut open = Vec::new();
    let mut below = vec![dir.to_owned()];
    while let Some(path) = below.pop() {
        // What vanishes meanwhile was the running service's, and a link is not followed out of the folder.
        let Ok(meta) = fs::symlink_metadata(&path) else {
            continue;
        };
        if !meta.is_symlink() && meta.mode() & 0o077 != 0 {
            open.push(path.clone());
        }
        if meta.is_dir() {
            below.extend(
                fs::read_dir(&path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path()),
            );
        }
    }
    match open.iter().min() {
        None => ok("modes", "readable by you alone"),
        Some(first) => warn(
            "modes",
            format!(
                "{} files or folders are open to others, the first is {}",
                open.len(),
                first.display()
            ),
            format!("chmod -R go-rwx {}", dir.display()),
        ),
    }
}

/// Whether a process works on the folder. A shared lock is tried and given back at once.
fn in_use(dir: &Path) -> DoctorFinding {
    let path = dir.join("lock");
    let tried = File::open(&path).map(|file| (file.try_lock_shared(), path));
    match tried {
        Ok((Ok(()), _)) => ok("lock", "free: no service works on this folder"),
        Ok((Err(TryLockError::WouldBlock), path)) => {
            let pid = fs::read_to_string(path).unwrap_or_default();
            let pid = pid
                .trim()
                .parse::<u32>()
                .map_or_else(|_| "another process".to_owned(), |pid| format!("process {pid}"));
            ok("lock", format!("{pid} works on this folder"))
        }
        Ok((Err(TryLockError::Error(error)), _)) => bad(
            "lock",
            format!("cannot be tried: {error}"),
            "use a file system that has locks",
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => ok("lock", "free: no service has run here"),
        Err(error) => bad("lock", format!("cannot be opened: {error}"), "check who owns it"),
    }
}

/// What the running service says of itself; nothing where none runs.
fn service(dir: &Path) -> Option<DoctorFinding> {
    let name = "service";
    let says_nothing = |why: String| bad(name, why, "restart it; `aura run` goes on from the journal");
    match control::ask(dir, &ControlRequest::Status) {
        Ok(None) => None,
        Ok(Some(ControlReply::Status(status))) => Some(of_status(name, &status)),
        Ok(Some(_)) => Some(says_nothing(
            "it answers something else than was asked".to_owned(),
        )),
        Err(error) => Some(says_nothing(format!("it does not answer: {error}"))),
    }
}

fn of_status(name: &'static str, status: &Value) -> DoctorFinding {
    let health = &status["health"];
    let down: Vec<&str> = health["down"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, down)| **down == Value::Bool(true))
        .map(|(agent, _)| agent.as_str())
        .collect();
    if health["journal_down"] == Value::Bool(true) {
        return bad(
            name,
            "it cannot write its journal: nothing surfaces and nothing is carried out",
            "free space on the disk of the folder; it goes on by itself",
        );
    }
    if !down.is_empty() {
        return warn(
            name,
            format!("these agents do not answer: {}", down.join(", ")),
            "it starts them again by itself; if that lasts, look at its log",
        );
    }
    ok(name, format!("it answers; {} ticks so far", status["ticks"]))
}

/// Whether what was kept long enough goes, or waits for a clock that is confirmed; nothing where no service runs.
fn clock(dir: &Path) -> Option<DoctorFinding> {
    let Ok(Some(ControlReply::Clock(report))) = control::ask(dir, &ControlRequest::Clock) else {
        return None;
    };
    let name = "clock";
    Some(match waits(&report, chrono_tz::UTC) {
        None => ok(name, "confirmed: what was kept long enough is deleted as usual"),
        Some(why) if report.waits == Some(RetentionHold::LaterDay) => ok(name, why),
        Some(why) => warn(
            name,
            why,
            "have the clock set over the network; or, if it is right, `aura clock confirm`",
        ),
    })
}

/// Whether there is room for the journal.
fn space(dir: &Path) -> DoctorFinding {
    const MIB: u64 = 1024 * 1024;
    match rustix::fs::statvfs(dir) {
        Ok(disk) => {
            let free_mib = disk.f_bavail.saturating_mul(disk.f_frsize) / MIB;
            let what = format!("{free_mib} MiB free on the disk of the folder");
            let todo = "make room: a journal that cannot be written stops everything that surfaces";
            match free_mib {
                0..32 => bad("space", what, todo),
                32..256 => warn("space", what, todo),
                256.. => ok("space", what),
            }
        }
        Err(error) => warn(
            "space",
            format!("cannot be told: {error}"),
            "see `df` for its disk",
        ),
    }
}

fn store(vault: &Vault) -> Vec<DoctorFinding> {
    let wrong = |error: &CliError| {
        bad(
            "store",
            error.with_causes(),
            "restore a backup of the data folder, or name another one",
        )
    };
    let records = match StoreAccess::open(vault) {
        Ok(records) => records,
        Err(CliError::Store(StoreError::Missing { .. })) => {
            return vec![warn(
                "store",
                "no store in it yet",
                "`aura run` or `aura demo` makes it",
            )];
        }
        Err(error) => return vec![wrong(&error)],
    };
    let look = || -> Result<Vec<DoctorFinding>, CliError> {
        if let Some(what) = records.reader.damage()? {
            return Err(StoreError::Damaged {
                file: vault.dir().join("aura.db"),
                what,
            }
            .into());
        }
        let counts = records.reader.counts()?;
        let size = records.reader.size_bytes().div_ceil(1024);
        let sound = format!(
            "sound: {} traces, {} events, {size} KiB",
            counts.traces, counts.events
        );
        Ok([ok("store", sound)]
            .into_iter()
            .chain(records.newest()?.map(|trace| made_with(&trace)))
            .collect())
    };
    look().unwrap_or_else(|error| vec![wrong(&error)])
}

/// Whether the newest decision was made with what this program has.
fn made_with(trace: &Trace) -> DoctorFinding {
    let decision = &trace.decision;
    let same_policy =
        Policy::parse(policy::DEFAULT_TEXT).is_ok_and(|policy| policy.hash() == decision.policy_hash);
    let what = match (same_policy, decision.catalogue_hash == catalogue_hash()) {
        (true, true) => {
            return ok(
                "newest trace",
                "made with the policy and the catalogue of this program",
            );
        }
        (false, true) => "made with another policy than this program's",
        (true, false) => "made with another catalogue than this program's",
        (false, false) => "made with another policy and another catalogue than this program's",
    };
    warn(
        "newest trace",
        what,
        "expected after an update; otherwise use the program that made it",
    )
}

/// Traces that wait to be taken into the store.
fn raw_traces(dir: &Path) -> DoctorFinding {
    let waiting = fs::read_dir(dir.join("traces/raw"))
        .into_iter()
        .flatten()
        .flatten();
    let waiting = waiting
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
        .count();
    if waiting == 0 {
        ok("raw traces", "none wait for the store")
    } else {
        warn(
            "raw traces",
            format!("{waiting} wait for the store"),
            "the next commit that succeeds takes them in: check the disk's space",
        )
    }
}

fn refused(dir: &Path, kind: QuarantineKind) -> DoctorFinding {
    let (name, list) = match kind {
        QuarantineKind::Calls => ("refused calls", "aura quarantine list"),
        QuarantineKind::Results => ("refused results", "aura quarantine list --kind results"),
        QuarantineKind::Traces => ("refused traces", "aura quarantine list --kind traces"),
        QuarantineKind::Messages => ("refused messages", "aura quarantine list --kind messages"),
    };
    let count = || -> Result<(u64, u64, u64), StoreError> {
        let (mut entries, mut lost, mut unreadable) = (0, 0, 0);
        for line in quarantine::list(dir, kind)? {
            match line?.1 {
                QuarantineLine::Entry(_) => entries += 1,
                QuarantineLine::Lost(gap) => lost += gap.dropped,
                QuarantineLine::Unreadable { .. } => unreadable += 1,
                // It is being written.
                QuarantineLine::Torn { .. } => {}
            }
        }
        Ok((entries, lost, unreadable))
    };
    match count() {
        Ok((0, 0, 0)) => ok(name, "none"),
        Ok((entries, lost, unreadable)) => warn(
            name,
            format!("{entries} kept, {lost} lost, {unreadable} lines unreadable"),
            format!("look at them: {list}"),
        ),
        Err(error) => bad(
            name,
            CliError::from(error).with_causes(),
            "check who owns the folder `errors`",
        ),
    }
}

/// Whether the running service can keep what it refuses; nothing where none runs.
fn keeping(dir: &Path) -> Option<DoctorFinding> {
    let name = "quarantine";
    match health(dir) {
        Ok(None) => None,
        Ok(Some(health)) if health.failing => Some(bad(
            name,
            format!(
                "the service cannot write what it refuses: {} lost since its start",
                health.failed + health.overflowed
            ),
            "free space on the disk of the folder, and check who owns `errors`",
        )),
        Ok(Some(health)) if health.failed + health.overflowed > 0 => Some(warn(
            name,
            format!(
                "lost since the service's start: {} that could not be written, {} because too many waited",
                health.failed, health.overflowed
            ),
            "look at what is refused so often: aura quarantine stats",
        )),
        Ok(Some(health)) => Some(ok(
            name,
            format!("{} written since the service's start, none lost", health.written),
        )),
        Err(error) => Some(warn(
            name,
            format!("the service does not say: {}", error.with_causes()),
            "restart the service",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::DoctorLevel, *};

    #[test]
    fn service_that_cannot_do_its_work_is_named_with_what_is_wrong() {
        let status = |journal: bool, down: bool| serde_json::json!({ "ticks": 7, "health": { "journal_down": journal, "down": { "comms": down, "finance": false } } });
        for (journal, down, level, what) in [
            (false, false, DoctorLevel::Ok, "it answers; 7 ticks so far"),
            (
                false,
                true,
                DoctorLevel::Warn,
                "these agents do not answer: comms",
            ),
            (
                true,
                true,
                DoctorLevel::Bad,
                "it cannot write its journal: nothing surfaces and nothing is carried out",
            ),
        ] {
            let check = of_status("service", &status(journal, down));
            assert_eq!((check.level, check.what.as_str()), (level, what));
        }
    }

    #[test]
    fn folder_that_was_made_just_now_is_sound_and_sealed() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let vault = Vault::demo(&data).unwrap();
        let (store, _) = aura_memory::Store::open(&vault, aura_memory::StoreOptions::default()).unwrap();
        let held = in_use(&data);
        assert_eq!(
            (held.level, held.what),
            (
                DoctorLevel::Ok,
                format!("process {} works on this folder", std::process::id())
            )
        );
        drop(store);
        let expected = [
            "data folder",
            "key",
            "modes",
            "lock",
            "space",
            "raw traces",
            "store",
            "refused calls",
            "refused results",
            "refused traces",
            "refused messages",
        ]
        .map(|name| (name, DoctorLevel::Ok));
        assert_eq!(
            data_folder(&data, || Ok(vault))
                .iter()
                .map(|check| (check.name, check.level))
                .collect::<Vec<_>>(),
            expected
        );
    }
}
