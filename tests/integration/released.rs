//! Data folders of released builds, in the hands of today's.
//!
//! What: a copy of each folder of `fixtures/folders` is opened, verified, gone on with, forgotten from and verified again. Why: an
//! owner who updates loses nothing and is not told that anything was changed. Not here: what a rules number is
//! (`docs/adr/0045`), the machine's part of it (`orchestrator/machine/tests`).

use crate::support::command::aura;
use aura_memory::{
    StoreError, Vault, test_support,
    vault::{KeyPrompt, Passphrase},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const FOLDERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/folders");

/// What a released build left behind.
struct Released {
    name: &'static str,
    /// Stored traces.
    traces: u64,
    /// The tick whose prompt was open when the process was killed.
    open: u64,
}

const RELEASED: [Released; 1] = [Released {
    name: "rules-1",
    traces: 3,
    open: 4,
}];

/// The folder's key is in this file.
struct KeyFile(PathBuf);

impl KeyPrompt for KeyFile {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

/// A copy that is the owner's alone, as `git` does not keep it.
struct Copy {
    dir: TempDir,
}

impl Copy {
    fn of(released: &Released) -> Self {
        let dir = TempDir::new().unwrap();
        let from = Path::new(FOLDERS).join(released.name);
        for (name, secret) in [("home.toml", false), ("data.key", true)] {
            copy(&from.join(name), &dir.path().join(name), secret);
        }
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        set_mode(&data, 0o700);
        for entry in fs::read_dir(from.join("data")).unwrap() {
            let path = entry.unwrap().path();
            copy(&path, &data.join(path.file_name().unwrap()), true);
        }
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A command on it: its exit code and what it printed.
    fn run(&self, before: &[&str], after: &[&str]) -> (Option<i32>, String) {
        let (data, key) = (self.path("data"), self.path("data.key"));
        let folder = [data.to_str().unwrap(), "--key-file", key.to_str().unwrap()];
        let (code, out, err) = aura(&[before, &folder, after].concat(), b"");
        assert!(
            !err.contains("CAT-001") && !out.contains("JOUR-006"),
            "{out}{err}"
        );
        (code, if out.is_empty() { err } else { out })
    }

    fn verify(&self) -> Value {
        let (code, out) = self.run(&["replay"], &["--verify", "--json"]);
        assert_eq!(code, Some(0), "{out}");
        serde_json::from_str(&out).unwrap()
    }

    /// One look, without a service: the trace.
    fn tick(&self) -> Value {
        let home = self.path("home.toml");
        let (code, out) = self.run(
            &["tick", "--json", "--home", home.to_str().unwrap(), "--data"],
            &[],
        );
        assert_eq!(code, Some(0), "{out}");
        serde_json::from_str(out.lines().last().unwrap()).unwrap()
    }

    fn traces(&self) -> Vec<Value> {
        let (code, out) = self.run(&["trace", "list", "--json", "--data"], &[]);
        assert_eq!(code, Some(0), "{out}");
        let mut traces: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        traces.sort_by_key(|row| row["tick"].as_u64());
        traces
    }

    /// Changed by somebody who has the key.
    fn edit(&self, statement: &str) -> usize {
        let vault = Vault::open(&self.path("data"), &KeyFile(self.path("data.key"))).unwrap();
        test_support::edit(&vault, statement).unwrap()
    }
}

fn tick_of(trace: &Value) -> u64 {
    trace["decision"]["tick"].as_u64().unwrap()
}

fn copy(from: &Path, to: &Path, secret: bool) {
    fs::write(to, fs::read(from).unwrap()).unwrap();
    if secret {
        set_mode(to, 0o600);
    }
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_released_folder_can_be_read_before_anything_writes_it() {
    for released in &RELEASED {
        let copy = Copy::of(released);
        let database = fs::read(copy.path("data/aura.db")).unwrap();
        let count = |args: &[&str]| {
            let (code, out) = copy.run(&[args, &["--data"]].concat(), &[]);
            assert_eq!(code, Some(0), "{args:?}: {out}");
            out.lines().count()
        };
        assert_eq!(count(&["trace", "list", "--json"]), 3);
        for args in [
            &["ledger"][..],
            &["memory", "stats"],
            &["memory", "export"],
            &["memory", "audit", "list"],
            &["memory", "audit", "verify"],
        ] {
            count(args);
        }
        assert_eq!(fs::read(copy.path("data/aura.db")).unwrap(), database);
    }
}

#[test]
fn every_released_folder_is_here() {
    let mut names: Vec<String> = fs::read_dir(FOLDERS)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // One for each number before this build's.
    let wanted: Vec<String> = (1..orchestrator_machine::RULES_NUMBER)
        .map(|n| format!("rules-{n}"))
        .collect();
    assert_eq!(names, wanted);
    let tried: Vec<&str> = RELEASED.iter().map(|released| released.name).collect();
    assert_eq!(tried, wanted);
}

#[test]
fn a_released_folder_is_opened_verified_and_gone_on_with() {
    for released in &RELEASED {
        let folder = Copy::of(released);
        let verified = |own: u64, older: u64| json!({ "traces": own, "different": 0, "not_compared": older, "of_other_rules": older });
        assert_eq!(folder.verify(), verified(0, released.traces), "{}", released.name);

        // A start finds that a regular look was missed, too, when it is long enough ago.
        let looked = tick_of(&folder.tick());
        assert!(looked > released.open);
        // The prompt that was open is closed, with its trace, under the number it was asked by.
        let traces = folder.traces();
        let begun = |row: &&Value| row["tick"].as_u64().unwrap() <= released.open;
        let closed: Vec<&Value> = traces
            .iter()
            .filter(|row| row["tick"] == json!(released.open))
            .collect();
        assert_eq!(closed.len(), 1, "{traces:?}");
        assert_eq!(
            (&closed[0]["outcome"], &closed[0]["reason_code"]),
            (&json!("dismissed"), &json!("superseded"))
        );
        let older = traces.iter().filter(begun).count() as u64;
        assert_eq!(folder.verify(), verified(looked - released.open, older));

        assert_eq!(tick_of(&folder.tick()), looked + 1);
        assert_eq!(folder.verify(), verified(looked + 1 - released.open, older));
        let (code, said) = folder.run(&["replay"], &["--verify"]);
        assert_eq!(code, Some(0));
        let wanted =
            format!("{older} more were not compared: they were begun by the rules of another version");
        assert!(said.contains(&wanted), "{said}");
    }
}

/// A downgrade: the folder of a build that is newer in its tables, and one that is newer in its rules alone.
#[test]
fn folder_that_a_newer_aura_went_on_with_is_refused_with_a_sentence_and_loses_nothing() {
    let rules = |number: u32| format!("\"rules_number\":{number}");
    let newer_rules = format!(
        "UPDATE events SET json = replace(json, '{}', '{}')",
        rules(orchestrator_machine::RULES_NUMBER),
        rules(99)
    );
    for (edits, code, can_be_read) in [
        (&["PRAGMA user_version = 999"][..], "STORE-002", false),
        (&[newer_rules.as_str(), "DELETE FROM snapshot"], "JOUR-007", true),
    ] {
        let folder = Copy::of(&RELEASED[0]);
        folder.tick();
        let traces = folder.traces();
        for edit in edits {
            folder.edit(edit);
        }
        let home = folder.path("home.toml");
        let mut said = String::new();
        for _ in 0..2 {
            let (exit, out) = folder.run(&["tick", "--home", home.to_str().unwrap(), "--data"], &[]);
            assert_eq!(exit, Some(4), "{out}");
            assert!(
                out.contains(code) && out.contains("use the newer program"),
                "{out}"
            );
            said = out;
        }
        if !can_be_read {
            // In the hands of the newer program, as it were.
            let known = said
                .split("knows up to ")
                .nth(1)
                .and_then(|rest| rest.split(':').next());
            folder.edit(&format!("PRAGMA user_version = {}", known.unwrap()));
        }
        assert_eq!(folder.traces(), traces);
    }
}

#[test]
fn what_older_rules_decided_is_never_called_changed_and_no_fold_depends_on_it() {
    for released in &RELEASED {
        let folder = Copy::of(released);
        let last = folder.tick();
        // As if the older rules had decided otherwise, and had been told of other things than the journal holds.
        let edited = folder
            .edit("UPDATE traces SET json = replace(json, '\"silent\"', '\"dismissed\"') WHERE tick <= 3");
        assert!(edited > 0);
        folder.edit("DELETE FROM snapshot");
        let edited = folder.edit(
            "UPDATE events SET json = replace(json, '\"event\":\"owner_tick\"', '\"event\":\"phone_unlocked\"') WHERE seq < 40",
        );
        assert!(edited > 0);
        assert_eq!(folder.verify()["different"], json!(0));
        // A fold of the whole journal comes to the same state: the next look is the next one, its account goes on.
        let looked = folder.tick();
        assert_eq!(tick_of(&looked), tick_of(&last) + 1);
        assert_eq!(looked["decision"]["ledger_before"], last["ledger_after"]);
        assert_eq!(folder.verify()["different"], json!(0));
    }
}

#[test]
fn a_day_of_older_rules_can_be_forgotten_and_what_followed_can_still_be_made_again() {
    for released in &RELEASED {
        let folder = Copy::of(released);
        let looked = tick_of(&folder.tick());
        let (code, out) = folder.run(
            &["memory", "delete", "--day", "2026-11-23", "--yes", "--data"],
            &[],
        );
        assert_eq!(code, Some(0), "{out}");
        assert_eq!(folder.verify()["different"], json!(0));
        assert_eq!(tick_of(&folder.tick()), looked + 1);
        assert_eq!(folder.verify()["different"], json!(0));
    }
}
