//! `aura doctor`: is everything as it should be, and what to do if not.
//!
//! What: one line a check. Why: the operator sees in one look what is wrong, what is missing by design (no encryption, no
//! sandbox yet) and the remedy. It changes nothing. Not here: health of a running service (its page and `status`).

use super::{args::DoctorArgs, error::CliError, exit::Exit, out::Out, records::Records};
use crate::config::Home;
use aura_memory::{
    Encryption, StoreError, encryption,
    quarantine::{self, Kind, Line},
};
use orchestrator_machine::policy::{self, Policy};
use serde::Serialize;
use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};
use toolcall_schema::{
    catalogue::docs::{CATALOGUE_LOCK, catalogue_hash, catalogue_lock},
    trace::Trace,
};

/// How bad a finding is. The worst one decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Ok,
    Warn,
    Bad,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    level: Level,
    what: String,
    /// The remedy; absent when all is well.
    todo: Option<String>,
}

fn ok(name: &'static str, what: impl Into<String>) -> Check {
    Check {
        name,
        level: Level::Ok,
        what: what.into(),
        todo: None,
    }
}

fn warn(name: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Check {
    Check {
        name,
        level: Level::Warn,
        what: what.into(),
        todo: Some(todo.into()),
    }
}

fn bad(name: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Check {
    Check {
        level: Level::Bad,
        ..warn(name, what, todo)
    }
}

/// Runs `aura doctor`.
///
/// # Errors
/// [`CliError`] when no data folder is named anywhere, or the output cannot be written.
pub fn run(args: &DoctorArgs, out: &mut Out) -> Result<Exit, CliError> {
    let dir = args.data.path()?;
    let mut checks = data_folder(&dir);
    checks.extend(configuration(&args.home.path(), args.home.named().is_some()));
    checks.extend(program());
    let worst = checks.iter().map(|check| check.level).max().unwrap_or(Level::Ok);
    if args.format.json {
        #[derive(Serialize)]
        struct Findings {
            worst: Level,
            checks: Vec<Check>,
        }
        out.json(&Findings { worst, checks })?;
    } else {
        for check in &checks {
            let level = match check.level {
                Level::Ok => "ok",
                Level::Warn => "warn",
                Level::Bad => "bad",
            };
            out.text(&format!("{level:<4}  {:<15}  {}", check.name, check.what))?;
            if let Some(todo) = &check.todo {
                out.text(&format!("{:<23}to do: {todo}", ""))?;
            }
        }
    }
    Ok(if worst == Level::Bad { Exit::Bad } else { Exit::Ok })
}

fn data_folder(dir: &Path) -> Vec<Check> {
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
    checks.push(modes(dir));
    checks.push(in_use(dir));
    checks.extend(store(dir));
    checks.push(raw_traces(dir));
    checks.push(match encryption() {
        Encryption::None => warn(
            "encryption",
            "nothing is encrypted: files are private by their mode only",
            "keep the data folder on an encrypted disk",
        ),
    });
    checks.extend(Kind::ALL.iter().map(|kind| refused(dir, *kind)));
    checks
}

/// Looked at here, not loaded: loading would make a missing one.
fn key(dir: &Path) -> Check {
    let path = dir.join("key");
    match fs::metadata(&path) {
        Ok(meta) if meta.mode() & 0o077 != 0 => {
            let mode = meta.mode() & 0o7777;
            bad(
                "key",
                format!("its mode is {mode:04o}, not 0600: others can read it"),
                format!("chmod 600 {}", path.display()),
            )
        }
        Ok(meta) if meta.len() != 32 => bad(
            "key",
            format!("it has {} bytes, not 32", meta.len()),
            "restore a copy of it",
        ),
        Ok(_) => ok("key", "32 bytes, mode 0600"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => warn(
            "key",
            "not there",
            "the next start makes a new one; ids of before then mean nothing any more",
        ),
        Err(error) => bad("key", format!("cannot be read: {error}"), "check who owns it"),
    }
}

/// Everything in the folder is the owner's alone.
fn modes(dir: &Path) -> Check {
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
fn in_use(dir: &Path) -> Check {
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

fn store(dir: &Path) -> Vec<Check> {
    let wrong = |error: &CliError| {
        bad(
            "store",
            error.with_causes(),
            "restore a copy of the data folder, or name another one",
        )
    };
    let records = match Records::open(dir) {
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
    let look = || -> Result<Vec<Check>, CliError> {
        if let Some(what) = records.reader.damage()? {
            return Err(StoreError::Damaged {
                file: dir.join("aura.db"),
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
fn made_with(trace: &Trace) -> Check {
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
fn raw_traces(dir: &Path) -> Check {
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

fn refused(dir: &Path, kind: Kind) -> Check {
    let (name, list) = match kind {
        Kind::Calls => ("refused calls", "aura quarantine list"),
        Kind::Results => ("refused results", "aura quarantine list --kind results"),
        Kind::Traces => ("refused traces", "aura quarantine list --kind traces"),
    };
    let count = || -> Result<(u64, u64, u64), StoreError> {
        let (mut entries, mut lost, mut unreadable) = (0, 0, 0);
        for line in quarantine::list(dir, kind)? {
            match line?.1 {
                Line::Entry(_) => entries += 1,
                Line::Lost(gap) => lost += gap.dropped,
                Line::Unreadable { .. } => unreadable += 1,
                // It is being written.
                Line::Torn { .. } => {}
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

/// The configuration and each of its sources. One that nobody named need not be there.
fn configuration(path: &Path, named: bool) -> Vec<Check> {
    if !named && !path.exists() {
        let what = format!("none named, and {} is not there", path.display());
        return vec![warn(
            "configuration",
            what,
            "write one (docs/cli.md shows how), or name it with --home FILE",
        )];
    }
    let home = match Home::load(path) {
        Ok(home) => home,
        Err(error) => {
            return vec![bad(
                "configuration",
                CliError::from(error).with_causes(),
                "see the page of its code in docs/errors",
            )];
        }
    };
    let sources = &home.sources;
    let lists: [&[PathBuf]; 6] = [
        &sources.mail,
        &sources.notifications,
        &sources.calendar,
        &sources.sms,
        &sources.wellness,
        &home.signals,
    ];
    let mut checks = vec![ok(
        "configuration",
        format!("{}, zone {}", path.display(), home.settings.zone),
    )];
    checks.extend(lists.into_iter().flatten().map(|path| source(path)));
    if checks.len() == 1 {
        checks.push(warn(
            "sources",
            "none: the agents have nothing to read",
            "name files or folders under [sources]",
        ));
    }
    checks
}

fn source(path: &Path) -> Check {
    let read = fs::metadata(path).and_then(|meta| {
        if meta.is_dir() {
            fs::read_dir(path).map(|list| Some(list.count()))
        } else {
            File::open(path).map(|_| None)
        }
    });
    match read {
        Ok(Some(entries)) => ok("source", format!("{} ({entries} entries)", path.display())),
        Ok(None) => ok("source", path.display().to_string()),
        Err(error) => bad(
            "source",
            format!("{} cannot be read: {error}", path.display()),
            "make it readable, or correct [sources] in the configuration",
        ),
    }
}

/// What is the same whatever the folder.
fn program() -> Vec<Check> {
    let policy = match Policy::parse(policy::DEFAULT_TEXT) {
        Ok(policy) => ok("policy", format!("built in, {}", policy.hash())),
        Err(error) => bad(
            "policy",
            format!("the built-in one cannot be used: {error}"),
            "this is a bug: report it",
        ),
    };
    let catalogue = if catalogue_lock() == CATALOGUE_LOCK {
        ok(
            "catalogue",
            format!("as accepted in catalogue.lock, {}", catalogue_hash()),
        )
    } else {
        bad(
            "catalogue",
            "not the one that was accepted in catalogue.lock",
            "this build is not to be trusted: build it anew",
        )
    };
    let sandbox = warn(
        "sandbox",
        "none yet: agents read outside data in this process",
        "keep sources to folders that you trust",
    );
    vec![policy, catalogue, sandbox]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

    fn levels(checks: &[Check]) -> Vec<(&str, Level)> {
        checks.iter().map(|check| (check.name, check.level)).collect()
    }

    #[test]
    fn every_finding_that_is_not_good_has_a_remedy() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("key"), [7; 31]).unwrap();
        let mut checks = data_folder(dir.path());
        checks.extend(configuration(Path::new("nowhere.toml"), true));
        checks.extend(program());
        for check in checks {
            assert_eq!(check.todo.is_some(), check.level != Level::Ok, "{check:?}");
        }
    }

    #[test]
    fn key_is_bad_when_others_may_read_it_or_it_is_short() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        assert_eq!(key(dir.path()).level, Level::Warn);
        for (bytes, mode, level) in [
            (32, 0o600, Level::Ok),
            (32, 0o640, Level::Bad),
            (31, 0o600, Level::Bad),
        ] {
            fs::write(&path, vec![7; bytes]).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_eq!(key(dir.path()).level, level, "{bytes} bytes, mode {mode:o}");
        }
    }

    #[test]
    fn folder_that_was_made_just_now_is_sound_and_said_to_be_unencrypted() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        aura_memory::Installation::load_or_create(&data).unwrap();
        let (store, _) = aura_memory::Store::open(&data, aura_memory::Options::default()).unwrap();
        let held = in_use(&data);
        assert_eq!(
            (held.level, held.what),
            (
                Level::Ok,
                format!("process {} works on this folder", std::process::id())
            )
        );
        drop(store);
        let expected = [
            "data folder",
            "key",
            "modes",
            "lock",
            "store",
            "raw traces",
            "encryption",
            "refused calls",
            "refused results",
            "refused traces",
        ]
        .map(|name| {
            (
                name,
                if name == "encryption" {
                    Level::Warn
                } else {
                    Level::Ok
                },
            )
        });
        assert_eq!(levels(&data_folder(&data)), expected);
    }

    #[test]
    fn source_that_is_not_there_is_bad_and_one_that_is_there_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home.toml");
        fs::create_dir(dir.path().join("mail")).unwrap();
        fs::write(
            &path,
            "zone = \"UTC\"\n[sources]\nmail = [\"mail\"]\nsms = [\"sms.jsonl\"]\n",
        )
        .unwrap();
        assert_eq!(
            levels(&configuration(&path, true)),
            [
                ("configuration", Level::Ok),
                ("source", Level::Ok),
                ("source", Level::Bad)
            ]
        );
        assert_eq!(
            levels(&configuration(&dir.path().join("none.toml"), false)),
            [("configuration", Level::Warn)]
        );
        assert_eq!(
            levels(&configuration(&dir.path().join("none.toml"), true)),
            [("configuration", Level::Bad)]
        );
    }
}
