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
use surfaces_base::language::{say, text};
use toolcall_schema::{RetentionHold, catalogue::docs::catalogue_hash, trace::Trace};

/// Everything that is checked in a data folder.
pub(super) fn data_folder(dir: &Path, open: impl FnOnce() -> Result<Vault, CliError>) -> Vec<DoctorFinding> {
    let start = text("cli-doctor-folder-start");
    match fs::metadata(dir) {
        Ok(meta) if meta.is_dir() => {}
        Ok(_) => {
            return vec![bad(
                "data folder",
                say!("cli-doctor-folder-no-folder", path = dir.display().to_string()),
                start,
            )];
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return vec![bad(
                "data folder",
                say!("cli-doctor-folder-not-there", path = dir.display().to_string()),
                start,
            )];
        }
        Err(error) => {
            return vec![bad(
                "data folder",
                say!(
                    "cli-doctor-folder-unreadable",
                    path = dir.display().to_string(),
                    error = error.to_string()
                ),
                text("cli-doctor-folder-check-owner"),
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
            text("cli-doctor-folder-no-store"),
            text("cli-doctor-folder-make-store"),
        )),
        Err(error) => checks.push(bad(
            "store",
            error.with_causes(),
            text("cli-doctor-folder-help-code-keys"),
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
        None => ok("modes", text("cli-doctor-folder-modes-alone")),
        Some(first) => warn(
            "modes",
            say!(
                "cli-doctor-folder-modes-open",
                count = open.len(),
                path = first.display().to_string()
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
        Ok((Ok(()), _)) => ok("lock", text("cli-doctor-folder-lock-free")),
        Ok((Err(TryLockError::WouldBlock), path)) => {
            let pid = fs::read_to_string(path).unwrap_or_default();
            let held = pid.trim().parse::<u32>().map_or_else(
                |_| text("cli-doctor-folder-lock-another").to_owned(),
                |pid| say!("cli-doctor-folder-lock-process", pid = pid.to_string()),
            );
            ok("lock", held)
        }
        Ok((Err(TryLockError::Error(error)), _)) => bad(
            "lock",
            say!("cli-doctor-folder-lock-untried", error = error.to_string()),
            text("cli-doctor-folder-lock-file-system"),
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            ok("lock", text("cli-doctor-folder-lock-never"))
        }
        Err(error) => bad(
            "lock",
            say!("cli-doctor-folder-lock-unopened", error = error.to_string()),
            text("cli-doctor-folder-lock-owner"),
        ),
    }
}

/// What the running service says of itself; nothing where none runs.
fn service(dir: &Path) -> Option<DoctorFinding> {
    let name = "service";
    let says_nothing = |why: String| bad(name, why, text("cli-doctor-folder-service-restart"));
    match control::ask(dir, &ControlRequest::Status) {
        Ok(None) => None,
        Ok(Some(ControlReply::Status(status))) => Some(of_status(name, &status)),
        Ok(Some(_)) => Some(says_nothing(text("cli-doctor-folder-service-else").to_owned())),
        Err(error) => Some(says_nothing(say!(
            "cli-doctor-folder-service-silent",
            error = error.to_string()
        ))),
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
            text("cli-doctor-folder-service-journal"),
            text("cli-doctor-folder-service-room"),
        );
    }
    if !down.is_empty() {
        return warn(
            name,
            say!("cli-doctor-folder-service-agents", agents = down.join(", ")),
            text("cli-doctor-folder-service-again"),
        );
    }
    ok(
        name,
        say!(
            "cli-doctor-folder-service-answers",
            ticks = status["ticks"].as_u64().unwrap_or_default()
        ),
    )
}

/// Whether what was kept long enough goes, or waits for a clock that is confirmed; nothing where no service runs.
fn clock(dir: &Path) -> Option<DoctorFinding> {
    let Ok(Some(ControlReply::Clock(report))) = control::ask(dir, &ControlRequest::Clock) else {
        return None;
    };
    let name = "clock";
    Some(match waits(&report, chrono_tz::UTC) {
        None => ok(name, text("cli-doctor-folder-clock-confirmed")),
        Some(why) if report.waits == Some(RetentionHold::LaterDay) => ok(name, why),
        Some(why) => warn(name, why, text("cli-doctor-folder-clock-set")),
    })
}

/// Whether there is room for the journal.
fn space(dir: &Path) -> DoctorFinding {
    const MIB: u64 = 1024 * 1024;
    match rustix::fs::statvfs(dir) {
        Ok(disk) => {
            let free_mib = disk.f_bavail.saturating_mul(disk.f_frsize) / MIB;
            let what = say!("cli-doctor-folder-space-free", mib = free_mib.to_string());
            let todo = text("cli-doctor-folder-space-make");
            match free_mib {
                0..32 => bad("space", what, todo),
                32..256 => warn("space", what, todo),
                256.. => ok("space", what),
            }
        }
        Err(error) => warn(
            "space",
            say!("cli-doctor-folder-space-unknown", error = error.to_string()),
            text("cli-doctor-folder-space-df"),
        ),
    }
}

fn store(vault: &Vault) -> Vec<DoctorFinding> {
    let wrong = |error: &CliError| {
        bad(
            "store",
            error.with_causes(),
            text("cli-doctor-folder-store-restore"),
        )
    };
    let records = match StoreAccess::open(vault) {
        Ok(records) => records,
        Err(CliError::Store(StoreError::Missing { .. })) => {
            return vec![warn(
                "store",
                text("cli-doctor-folder-no-store"),
                text("cli-doctor-folder-make-store"),
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
        let sound = say!(
            "cli-doctor-folder-store-sound",
            traces = counts.traces,
            events = counts.events,
            size = size.to_string()
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
            return ok("newest trace", text("cli-doctor-folder-made-same"));
        }
        (false, true) => text("cli-doctor-folder-made-policy"),
        (true, false) => text("cli-doctor-folder-made-catalogue"),
        (false, false) => text("cli-doctor-folder-made-both"),
    };
    warn("newest trace", what, text("cli-doctor-folder-made-update"))
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
        ok("raw traces", text("cli-doctor-folder-raw-none"))
    } else {
        warn(
            "raw traces",
            say!("cli-doctor-folder-raw-wait", count = waiting.to_string()),
            text("cli-doctor-folder-raw-commit"),
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
        Ok((0, 0, 0)) => ok(name, text("cli-doctor-folder-refused-none")),
        Ok((entries, lost, unreadable)) => warn(
            name,
            say!(
                "cli-doctor-folder-refused-kept",
                entries = entries.to_string(),
                lost = lost.to_string(),
                unreadable
            ),
            say!("cli-doctor-folder-refused-look", command = list),
        ),
        Err(error) => bad(
            name,
            CliError::from(error).with_causes(),
            text("cli-doctor-folder-errors-owner"),
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
            say!(
                "cli-doctor-folder-keeping-failing",
                lost = (health.failed + health.overflowed).to_string()
            ),
            text("cli-doctor-folder-keeping-room"),
        )),
        Ok(Some(health)) if health.failed + health.overflowed > 0 => Some(warn(
            name,
            say!(
                "cli-doctor-folder-keeping-lost",
                failed = health.failed.to_string(),
                overflowed = health.overflowed.to_string()
            ),
            text("cli-doctor-folder-keeping-stats"),
        )),
        Ok(Some(health)) => Some(ok(
            name,
            say!(
                "cli-doctor-folder-keeping-written",
                written = health.written.to_string()
            ),
        )),
        Err(error) => Some(warn(
            name,
            say!("cli-doctor-folder-keeping-silent", error = error.with_causes()),
            text("cli-doctor-folder-keeping-restart"),
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
