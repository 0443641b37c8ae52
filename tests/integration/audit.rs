//! The audit log with the built binary.
//!
//! What: what is read through commands and pages leaves a record first, the heads that the owner copies show a log that was cut
//! off, a proof holds without the store. Why: the owner relies on the commands, not on functions. Not here: each way to tamper
//! with a log (`aura_memory::audit`).

use crate::support::{
    Service,
    command::{aura, aura_ok, json_lines},
};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A folder in which one tick was decided.
fn folder() -> (TempDir, String, String) {
    let dir = TempDir::new().unwrap();
    let home = dir.path().join("home.toml");
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let data = dir.path().join("data");
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (home, data) = (text(&home), text(&data));
    let key = text(&dir.path().join("data.key"));
    let tick = [
        "tick",
        "--home",
        &home,
        "--data",
        &data,
        "--key-file",
        &key,
        "--json",
    ];
    let (code, _, err) = aura(&tick, b"");
    assert_eq!(code, Some(0), "{err}");
    (dir, home, data)
}

/// What was done to what, oldest first, without the looking into the log itself.
fn recorded(data: &str) -> Vec<String> {
    let mut all = json_lines(&aura_ok(&["memory", "audit", "list", "--data", data, "--json"]));
    all.reverse();
    let said = all.iter().map(|record| {
        let meaning = &record["revealed"]["meaning"];
        // Which device it was differs each time.
        let id = meaning["id"].as_str().map(|id| match id.split_once(".dev_") {
            Some((act, _)) => format!(" {act}"),
            None => format!(" {id}"),
        });
        let id = id.unwrap_or_default();
        format!(
            "{} {}{id}",
            record["op"].as_str().unwrap(),
            meaning["kind"].as_str().unwrap()
        )
    });
    said.filter(|said| said != "read audit").collect()
}

fn trace_id(data: &str) -> String {
    let listed = json_lines(&aura_ok(&["trace", "list", "--data", data, "--json"]));
    listed[0]["trace_id"].as_str().unwrap().to_owned()
}

#[test]
fn each_reading_command_leaves_a_record_on_a_stopped_folder_and_beside_a_service() {
    let (dir, home, data) = folder();
    let id = trace_id(&data);
    aura_ok(&["trace", "show", &id, "--data", &data]);
    aura_ok(&["ledger", "--data", &data]);
    // A tick that was asked for prints its trace.
    let wrote = format!("write trace {id}");
    let show = format!("read trace {id}");
    assert_eq!(
        recorded(&data),
        [wrote.as_str(), &show, "read traces", &show, "read ledger"]
    );
    let service = Service::start(Path::new(&home), &dir.path().join("data"));
    aura_ok(&["trace", "why", &id, "--data", &data]);
    aura_ok(&[
        "rule",
        "add",
        "nights",
        "--hours",
        "22:00-07:00",
        "--home",
        &home,
        "--data",
        &data,
    ]);
    aura_ok(&["pause", "2h", "--home", &home, "--data", &data]);
    let after = recorded(&data);
    // The test's own device came in when the service began.
    let expected = [
        "write settings devices:added",
        show.as_str(),
        "write rule nights",
        "write pause",
    ];
    assert_eq!(after[5..], expected);
    drop(service);
    aura_ok(&["memory", "audit", "verify", "--data", &data]);
}

#[test]
fn a_page_that_asks_again_and_again_leaves_one_record_a_minute_and_thing() {
    let (dir, home, data) = folder();
    let id = trace_id(&data);
    let service = Service::start(Path::new(&home), &dir.path().join("data"));
    let begun = chrono::Utc::now().timestamp() / 60;
    for _ in 0..20 {
        assert_eq!(service.request("GET", "/v1/traces", None).0, 200);
        assert_eq!(service.request("GET", &format!("/v1/traces/{id}"), None).0, 200);
    }
    let minutes = usize::try_from(chrono::Utc::now().timestamp() / 60 - begun).unwrap() + 1;
    let (list, one) = ("read traces".to_owned(), format!("read trace {id}"));
    let read = recorded(&data).split_off(3);
    for what in [list, one] {
        let count = read.iter().filter(|said| **said == what).count();
        assert!(
            (1..=minutes).contains(&count),
            "{what}: {count} in {minutes} minutes"
        );
    }
}

#[test]
fn copied_heads_show_a_log_that_was_cut_off_and_a_proof_holds_without_the_store() {
    let (dir, _home, data) = folder();
    aura_ok(&["ledger", "--data", &data]);
    let early = dir.path().join("early");
    copy(Path::new(&data), &early);
    aura_ok(&["ledger", "--data", &data]);
    let heads = aura_ok(&["memory", "audit", "heads", "--now", "--data", &data, "--json"]);
    // The tick and its printing with the head of its end, and two reads with the head of now.
    let sizes: Vec<_> = json_lines(&heads)
        .iter()
        .map(|head| head["size"].clone())
        .collect();
    assert_eq!(sizes, [json!(2), json!(4)]);
    let copied = dir.path().join("heads.jsonl");
    std::fs::write(&copied, &heads).unwrap();
    let copied = copied.to_str().unwrap();
    let verify = |data: &str| {
        let args = [
            "memory", "audit", "verify", "--heads", copied, "--data", data, "--json",
        ];
        let (code, out, _) = aura(&args, b"");
        (code, serde_json::from_str::<Value>(&out).unwrap())
    };
    let (code, sound) = verify(&data);
    assert_eq!(code, Some(0));
    let counts = json!({ "records": 4, "erased": 0, "heads": 2, "copied": 2 });
    assert_eq!(sound, json!({ "sound": true, "verified": counts, "waiting": 0 }));
    // An older copy of the folder in its place, without the record that waited, is whole in itself; only the copied heads tell.
    let early = early.to_str().unwrap();
    aura_ok(&["memory", "audit", "verify", "--data", early]);
    let (code, cut) = verify(early);
    assert_eq!((code, &cut["sound"]), (Some(1), &json!(false)));
    assert_eq!(cut["first_bad"]["record"], 3);
    assert_eq!(cut["first_bad"]["fault"]["cut_off"]["size"], 4);

    let proof = aura_ok(&["memory", "audit", "prove", "3", "--reveal", "--data", &data]);
    let key = json_lines(&heads)[0]["public_key"].as_str().unwrap().to_owned();
    let held = |proof: &str, key: &str| {
        let args = ["memory", "audit", "check", "-", "--public-key", key];
        aura(&args, proof.as_bytes()).0
    };
    assert_eq!(held(&proof, &key), Some(0));
    assert_eq!(held(&proof, &"0".repeat(64)), Some(1));
    assert_eq!(held(&proof.replace("ledger", "memory"), &key), Some(1));
    assert_eq!(held("{}", &key), Some(2));
    let (code, _, err) = aura(&["memory", "audit", "prove", "99", "--data", &data], b"");
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no record 99"), "{err}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
