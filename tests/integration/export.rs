//! Taking away and bringing back, with the built binary.
//!
//! What: what recorded days left is exported, held against the published schema, brought into an empty folder and exported again;
//! a file is whole and private or not there. Why: the owner has the file, not the store. Not here: what each profile shows
//! (`aura_memory::export`).

use crate::support::{
    Service,
    command::{aura, aura_ok},
    folder_after, signal,
};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use tempfile::TempDir;

fn path(dir: &TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_raw_export_brought_into_an_empty_folder_is_exported_again_as_it_was() {
    let (dir, data) = folder_after("quiet-group-chat");
    let file = path(&dir, "export.json");
    aura_ok(&["memory", "export", "--data", &data, "--out", &file]);
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
    let done: Value = serde_json::from_str(&aura_ok(&import)).unwrap();
    let again: Value = serde_json::from_str(&aura_ok(&import)).unwrap();
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
    assert_eq!(read(&aura_ok(&["memory", "export", "--data", &other])), before);
    aura_ok(&["memory", "audit", "verify", "--data", &other]);
}

#[test]
fn each_profile_has_the_published_schema_and_leaves_a_record() {
    let (dir, data) = folder_after("quiet-group-chat");
    for profile in ["raw", "share-with-friend", "share-with-clinician", "minimal"] {
        let file = path(&dir, profile);
        aura_ok(&[
            "memory",
            "export",
            "--profile",
            profile,
            "--data",
            &data,
            "--out",
            &file,
        ]);
        aura_ok(&["schema", "validate", "--assert-format", "export.v1", &file]);
    }
    let list = aura_ok(&[
        "memory", "audit", "list", "--op", "export", "--data", &data, "--json",
    ]);
    assert_eq!(list.lines().count(), 4);
}

#[test]
fn an_export_overwrites_nothing_and_is_not_half_there() {
    let (dir, data) = folder_after("quiet-group-chat");
    let file = path(&dir, "taken");
    fs::write(&file, "mine").unwrap();
    // The name that it has while it is written is somebody's too.
    let part = path(&dir, "other.part");
    fs::write(&part, "mine").unwrap();
    let folder = path(&dir, "folder");
    fs::create_dir(&folder).unwrap();
    let (other, json) = (path(&dir, "other"), "json");
    for (format, out, taken) in [
        (json, &file, &file),
        (json, &other, &part),
        ("csv", &folder, &folder),
    ] {
        let (code, _, err) = aura(
            &[
                "memory", "export", "--format", format, "--data", &data, "--out", out,
            ],
            b"",
        );
        assert_eq!(code, Some(2));
        assert!(
            err.contains(&format!("{taken} is there already and stays")),
            "{err}"
        );
    }
    for mine in [&file, &part] {
        assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
    }
    fs::remove_file(&part).unwrap();
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
    let (dir, data) = folder_after("quiet-group-chat");
    let file = path(&dir, "friend.json");
    aura_ok(&[
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
    let whole = aura_ok(&["memory", "export", "--data", &data]);
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let (code, _, err) = aura(&["memory", "import", &file, "--data", &data], b"");
    assert_eq!(code, Some(1));
    assert!(err.contains("EXPORT-001: line "), "{err}");
    let list = aura_ok(&[
        "memory", "audit", "list", "--op", "import", "--data", &data, "--json",
    ]);
    assert_eq!(list, "");
}

/// A running service, with the folder that it works on.
fn serving(dir: &TempDir) -> (Service, String) {
    let home = dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let data = dir.path().join("serving");
    (Service::start(&home, &data), data.to_str().unwrap().to_owned())
}

#[test]
fn a_running_service_brings_an_export_back_itself_and_goes_on() {
    let (dir, before) = folder_after("quiet-group-chat");
    let file = path(&dir, "export.json");
    aura_ok(&["memory", "export", "--data", &before, "--out", &file]);
    let exported: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let ticks: Vec<u64> = exported["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trace| trace["tick"].as_u64().unwrap())
        .collect();
    let (service, data) = serving(&dir);
    let pid = fs::read_to_string(Path::new(&data).join("lock")).unwrap();
    let done = AtomicBool::new(false);
    let away = thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut away = 0;
            while !done.load(Ordering::Relaxed) {
                let (status, body) = service.request("GET", "/v1/now", None);
                if status == 503 && body["code"] == "WEB-025" {
                    assert!(body["message"].as_str().unwrap().contains("export"), "{body}");
                    away += 1;
                }
            }
            away
        });
        let imported: Value =
            serde_json::from_str(&aura_ok(&["memory", "import", &file, "--data", &data, "--json"])).unwrap();
        done.store(true, Ordering::Relaxed);
        let rows = |part: &str| exported[part].as_array().unwrap().len();
        let all: usize = ["traces", "nodes", "edges", "labels", "ledger", "counters"]
            .map(rows)
            .iter()
            .sum();
        assert_eq!(
            imported["rows"].as_u64().unwrap() + imported["known"].as_u64().unwrap(),
            all as u64
        );
        asking.join().unwrap()
    });
    assert!(away > 0, "whoever asks meanwhile is told");
    // The same process and port; what is new counts on from what was brought back.
    assert_eq!(fs::read_to_string(Path::new(&data).join("lock")).unwrap(), pid);
    service.until("machine", |service| {
        let (status, _) = service.request("GET", "/v1/now", None);
        (status == 200).then_some(())
    });
    let paid = json!({"amount": "47.11", "currency": "INR", "direction": "debit", "merchant": "Cafe", "account_last4": "8841"});
    let paid = json!([signal("p-1", "transaction", &paid)]);
    assert_eq!(service.request("POST", "/v1/signals", Some(&paid)).0, 202);
    let home = path(&dir, "home.toml");
    let tick: Value =
        serde_json::from_str(&aura_ok(&["tick", "--json", "--home", &home, "--data", &data])).unwrap();
    assert!(tick["decision"]["tick"].as_u64().unwrap() > *ticks.iter().max().unwrap());
    let now: Value = serde_json::from_str(&aura_ok(&["memory", "export", "--data", &data])).unwrap();
    let there: Vec<&Value> = now["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trace| &trace["trace_id"])
        .collect();
    for trace in exported["traces"].as_array().unwrap() {
        assert!(there.contains(&&trace["trace_id"]), "{}", trace["trace_id"]);
    }
    // Once more: nothing is new.
    let again: Value =
        serde_json::from_str(&aura_ok(&["memory", "import", &file, "--data", &data, "--json"])).unwrap();
    assert_eq!(again["rows"], 0, "{again}");
    aura_ok(&["memory", "audit", "verify", "--data", &data]);
    let list = aura_ok(&[
        "memory", "audit", "list", "--op", "import", "--data", &data, "--json",
    ]);
    assert_eq!(list.lines().count(), 2, "{list}");
}

#[test]
fn what_is_no_export_never_ends_the_machine_of_a_running_service() {
    let (dir, before) = folder_after("quiet-group-chat");
    let (service, data) = serving(&dir);
    let (whole, file) = (
        aura_ok(&["memory", "export", "--data", &before]),
        path(&dir, "bad.json"),
    );
    let wrong_row = whole.replacen("\"type\":\"conversation\"", "\"type\":\"opinion\"", 1);
    assert_ne!(wrong_row, whole);
    for text in [&whole[..whole.len() / 2], "{}", &wrong_row] {
        fs::write(&file, text).unwrap();
        let (code, _, err) = aura(&["memory", "import", &file, "--data", &data], b"");
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains("EXPORT-001: line "), "{err}");
        let (status, now) = service.request("GET", "/v1/now", None);
        assert_eq!(status, 200, "{now}");
    }
    for (file, says) in [
        (path(&dir, "none.json"), "could not read"),
        (dir.path().to_str().unwrap().to_owned(), "no regular file"),
    ] {
        let (code, _, err) = aura(&["memory", "import", &file, "--data", &data], b"");
        assert_ne!(code, Some(0), "{file}");
        assert!(err.contains(says), "{err}");
    }
    let list = aura_ok(&[
        "memory", "audit", "list", "--op", "import", "--data", &data, "--json",
    ]);
    assert_eq!(list, "");
}
