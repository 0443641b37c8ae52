//! The verifier of `docs/examples` on a real audit log.
//!
//! What: `verify_audit.py`, which was written from `docs/audit-log.md` alone, proves what is sound and refutes what is not. Why: a log that only its maker's
//! program can check proves little. Not here: Aura's own checks (`audit`).

use crate::support::command::{aura_ok, json_lines};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, process::Command};
use tempfile::TempDir;

const VERIFIER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/verify_audit.py");

/// A log as its owner takes it away, in files of its own.
struct TakenLog {
    dir: TempDir,
    records: Vec<Value>,
    heads: Vec<Value>,
    /// The copy that was made earlier.
    early_heads: Vec<Value>,
    proof: Value,
}

impl TakenLog {
    /// One tick, reads, a head, more reads, another head.
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let (home, data, key) = (at("home.toml"), at("data"), at("data.key"));
        fs::write(&home, "zone = \"UTC\"\n").unwrap();
        aura_ok(&["tick", "--home", &home, "--data", &data, "--key-file", &key]);
        let audit = |args: &[&str]| aura_ok(&[&["memory", "audit"], args, &["--data", &data]].concat());
        aura_ok(&["ledger", "--data", &data]);
        let early_heads = json_lines(&audit(&["heads", "--now", "--json"]));
        for _ in 0..4 {
            aura_ok(&["ledger", "--data", &data]);
        }
        let heads = json_lines(&audit(&["heads", "--now", "--json"]));
        let records = json_lines(&audit(&["list", "--limit", "100000", "--json"]));
        let proof = serde_json::from_str(&audit(&["prove", "2", "--reveal"])).unwrap();
        Self {
            dir,
            records,
            heads,
            early_heads,
            proof,
        }
    }

    fn put(&self, name: &str, values: &[Value]) -> PathBuf {
        let path = self.dir.path().join(name);
        let text: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
        fs::write(&path, text.concat()).unwrap();
        path
    }

    /// What the verifier says of a log, with its exit code.
    fn verify(&self, records: &[Value], heads: &[Value]) -> (Option<i32>, String) {
        said(
            "log",
            &[self.put("log.jsonl", records), self.put("heads.jsonl", heads)],
        )
    }

    fn verify_proof(&self, proof: &Value) -> (Option<i32>, String) {
        said("proof", &[self.put("proof.json", std::slice::from_ref(proof))])
    }

    /// Where a numbered record stands in the list.
    fn place(&self, seq: u64) -> usize {
        self.records
            .iter()
            .position(|record| record["seq"] == seq)
            .unwrap()
    }
}

fn said(what: &str, files: &[PathBuf]) -> (Option<i32>, String) {
    let done = Command::new("python3")
        .arg(VERIFIER)
        .arg(what)
        .args(files)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout) + &text(done.stderr))
}

/// The text with another first digit.
fn flipped(value: &Value) -> Value {
    let text = value.as_str().unwrap();
    let first = if text.starts_with('0') { "1" } else { "0" };
    json!(format!("{first}{}", &text[1..]))
}

fn refutes((code, text): (Option<i32>, String), why: &str) {
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.starts_with("refuted: ") && text.contains(why),
        "{why}: {text}"
    );
}

#[test]
fn sound_log_holds_also_against_heads_that_were_copied_earlier() {
    let log = TakenLog::new();
    let (code, text) = log.verify(
        &log.records,
        &[log.early_heads.clone(), log.heads.clone()].concat(),
    );
    assert_eq!(code, Some(0), "{text}");
    let numbered = log.records.iter().filter(|record| record["seq"].is_u64()).count();
    assert!(numbered > 5, "{numbered}");
    assert!(
        text.starts_with(&format!("sound: {numbered} records, 0 of them without")),
        "{text}"
    );
    let (code, text) = log.verify_proof(&log.proof);
    assert!(
        code == Some(0) && text.starts_with("holds: record 2 is one of the "),
        "{text}"
    );
    // What was erased is missing from no proof.
    let mut erased = log.records.clone();
    erased[log.place(1)].as_object_mut().unwrap().remove("revealed");
    let (code, text) = log.verify(&erased, &log.heads);
    assert!(code == Some(0) && text.contains("1 of them without"), "{text}");
}

#[test]
fn record_that_was_changed_taken_out_or_moved_is_refuted() {
    let log = TakenLog::new();
    let changed = |seq: u64, change: &dyn Fn(&mut Value)| {
        let mut records = log.records.clone();
        change(&mut records[log.place(seq)]);
        log.verify(&records, &log.heads)
    };
    let heads_stand = "are not those that the head";
    refutes(
        changed(3, &|record| record["commitment"] = flipped(&record["commitment"])),
        "record 3: its meaning",
    );
    refutes(
        changed(3, &|record| {
            record["commitment"] = flipped(&record["commitment"]);
            record.as_object_mut().unwrap().remove("revealed");
        }),
        heads_stand,
    );
    refutes(
        changed(3, &|record| {
            record["revealed"]["blind"] = flipped(&record["revealed"]["blind"]);
        }),
        "record 3: its meaning",
    );
    refutes(
        changed(3, &|record| record["revealed"]["meaning"]["kind"] = json!("rule")),
        "record 3: its meaning",
    );
    refutes(changed(1, &|record| record["op"] = json!("import")), heads_stand);
    refutes(changed(1, &|record| record["at_ms"] = json!(1)), heads_stand);
    refutes(
        changed(3, &|record| record["at_ms"] = json!(1)),
        "record 3 is older",
    );
    let mut without = log.records.clone();
    without.remove(log.place(2));
    refutes(log.verify(&without, &log.heads), "record 2 is missing");
    // Renumbered, so that none is missing: the head sees it.
    let numbered = |records: Vec<Value>| {
        let mut left: Vec<Value> = records
            .into_iter()
            .filter(|record| record["seq"].is_u64())
            .collect();
        left.reverse();
        for (n, record) in left.iter_mut().enumerate() {
            record["seq"] = json!(n + 1);
        }
        left
    };
    refutes(log.verify(&numbered(without), &log.heads), heads_stand);
}

#[test]
fn log_that_was_cut_off_and_head_of_another_log_are_refuted() {
    let log = TakenLog::new();
    let short: Vec<Value> = log
        .records
        .iter()
        .filter(|record| record["seq"] == 1)
        .cloned()
        .collect();
    // Against its own new heads a shorter log may look sound; against the copy it does not.
    refutes(log.verify(&short, &log.early_heads), "cut off");
    let mut head = log.heads.last().unwrap().clone();
    for member in ["root", "chain", "signature"] {
        let mut other = head.clone();
        other[member] = flipped(&other[member]);
        refutes(log.verify(&log.records, &[other]), "is not signed by the key");
    }
    head["size"] = json!(head["size"].as_u64().unwrap() - 1);
    refutes(log.verify(&log.records, &[head]), "is not signed by the key");
    let other = TakenLog::new();
    refutes(
        log.verify(&log.records, &other.heads),
        "are not those that the head",
    );
}

#[test]
fn proof_with_another_record_path_or_an_old_head_is_refuted() {
    let log = TakenLog::new();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut proof = log.proof.clone();
        change(&mut proof);
        log.verify_proof(&proof)
    };
    let elsewhere = "is not in the log that the head";
    refutes(
        changed(&|proof| proof["path"][0] = flipped(&proof["path"][0])),
        elsewhere,
    );
    refutes(
        changed(&|proof| drop(proof["path"].as_array_mut().unwrap().pop())),
        elsewhere,
    );
    refutes(changed(&|proof| proof["record"]["seq"] = json!(3)), elsewhere);
    refutes(
        changed(&|proof| proof["record"]["revealed"]["meaning"]["count"] = json!(9)),
        "its meaning",
    );
    // The first head of all is older than the last record.
    let last = log.heads.last().unwrap()["size"].as_u64().unwrap();
    refutes(
        changed(&|proof| {
            proof["record"] = log.records[log.place(last)].clone();
            proof["head"] = log.heads[0].clone();
        }),
        elsewhere,
    );
    // Another installation's proof is whole, and not yours.
    let key = log.heads[0]["public_key"].as_str().unwrap();
    let other = TakenLog::new();
    let path = other.put("proof.json", std::slice::from_ref(&other.proof));
    let done = Command::new("python3")
        .arg(VERIFIER)
        .arg("proof")
        .arg(&path)
        .args(["--public-key", key])
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    refutes((done.status.code(), text), "signed with another key");
}

#[test]
fn file_that_is_no_log_is_said_to_be_none() {
    let log = TakenLog::new();
    for record in [
        json!({}),
        json!([1]),
        json!({ "seq": 1, "at_ms": 1, "op": "look", "commitment": "00" }),
        json!({ "seq": 1, "at_ms": 1, "op": "read", "commitment": "AB".repeat(32) }),
    ] {
        let (code, text) = log.verify(std::slice::from_ref(&record), &log.heads);
        assert_eq!(code, Some(2), "{record}: {text}");
    }
}
