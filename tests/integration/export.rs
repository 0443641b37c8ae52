//! Taking away and bringing back, with the built binary.
//!
//! What: what recorded days left is exported, held against the published schema, brought into an empty folder and exported again;
//! a file is whole and private or not there. Why: the owner has the file, not the store. Not here: what each profile shows
//! (`aura_memory::export`).

use crate::support::command::aura;
use aura_days::day::DayScript;
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};
use tempfile::TempDir;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");

fn ok(args: &[&str]) -> String {
    let (code, out, err) = aura(args, b"");
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}

/// The folder that a recorded day leaves.
fn after(day: &str) -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let script = DayScript::read(&Path::new(FIXTURES).join("days").join(day)).unwrap();
    script.play(&data).unwrap();
    let data = data.to_str().unwrap().to_owned();
    (dir, data)
}

fn path(dir: &TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_raw_export_brought_into_an_empty_folder_is_exported_again_as_it_was() {
    let (dir, data) = after("quiet-group-chat");
    let file = path(&dir, "export.json");
    ok(&["memory", "export", "--data", &data, "--out", &file]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let (other, key) = (path(&dir, "other"), path(&dir, "key-file"));
    let import = [
        "memory",
        "import",
        &file,
        "--data",
        &other,
        "--key-file",
        &key,
        "--json",
    ];
    let done: Value = serde_json::from_str(&ok(&import)).unwrap();
    let again: Value = serde_json::from_str(&ok(&import)).unwrap();
    assert_eq!(again, json!({ "rows": 0, "known": done["rows"] }));
    let read = |text: &str| -> Value {
        let mut value: Value = serde_json::from_str(text).unwrap();
        // When it was made, and the heads of the folder it was made in, are its own.
        value["exported_at"].take();
        value["heads"].take();
        value
    };
    let before = read(&fs::read_to_string(&file).unwrap());
    for rows in ["nodes", "edges", "traces", "ledger"] {
        assert!(!before[rows].as_array().unwrap().is_empty(), "no {rows}");
    }
    assert_eq!(read(&ok(&["memory", "export", "--data", &other])), before);
    ok(&["memory", "audit", "verify", "--data", &other]);
}

#[test]
fn each_profile_has_the_published_schema_and_leaves_a_record() {
    let (dir, data) = after("quiet-group-chat");
    for profile in ["raw", "share-with-friend", "share-with-clinician", "minimal"] {
        let file = path(&dir, profile);
        ok(&[
            "memory",
            "export",
            "--profile",
            profile,
            "--data",
            &data,
            "--out",
            &file,
        ]);
        ok(&["schema", "validate", "--assert-format", "export.v1", &file]);
    }
    let list = ok(&[
        "memory", "audit", "list", "--op", "export", "--data", &data, "--json",
    ]);
    assert_eq!(list.lines().count(), 4);
}

#[test]
fn an_export_overwrites_nothing_and_is_not_half_there() {
    let (dir, data) = after("quiet-group-chat");
    let file = path(&dir, "taken");
    fs::write(&file, "mine").unwrap();
    let (code, _, _) = aura(&["memory", "export", "--data", &data, "--out", &file], b"");
    assert_eq!(code, Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let missing = path(&dir, "none/file");
    assert_eq!(
        aura(&["memory", "export", "--data", &data, "--out", &missing], b"").0,
        Some(2)
    );
    let names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("part"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
    let refused = aura(&["memory", "export", "--format", "csv", "--data", &data], b"");
    assert_eq!(refused.0, Some(2));
}

#[test]
fn what_cannot_be_imported_says_where_and_changes_nothing() {
    let (dir, data) = after("quiet-group-chat");
    let file = path(&dir, "friend.json");
    ok(&[
        "memory",
        "export",
        "--profile",
        "share-with-friend",
        "--data",
        &data,
        "--out",
        &file,
    ]);
    let (code, _, err) = aura(&["memory", "import", &file, "--data", &data], b"");
    assert_eq!(code, Some(1));
    // Its day is no moment, which is seen before its profile.
    assert!(err.contains("EXPORT-00"), "{err}");
    let whole = ok(&["memory", "export", "--data", &data]);
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let (code, _, err) = aura(&["memory", "import", &file, "--data", &data], b"");
    assert_eq!(code, Some(1));
    assert!(err.contains("EXPORT-001 line "), "{err}");
    let list = ok(&[
        "memory", "audit", "list", "--op", "import", "--data", &data, "--json",
    ]);
    assert_eq!(list, "");
}
