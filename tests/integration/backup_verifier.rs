//! The verifier of backups of `docs/examples` on a real backup.
//!
//! What: `verify_backup.py`, which was written from `docs/memory/backup.md` alone, opens what is sound and refutes what was changed. Why: a backup is worth something
//! when its owner can open it after Aura is gone. Not here: restoring (`vault`), the audit log's verifier (`verifier`).

use crate::support::command::aura;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

const VERIFIER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/verify_backup.py");

/// A file that makes the stream longer than a chunk.
const LONG: usize = 1_100_000;

/// A folder's backup and the key that opens it.
struct TakenBackup {
    dir: TempDir,
    bytes: Vec<u8>,
}

impl TakenBackup {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let ok = |args: &[&str]| {
            let (code, _, err) = aura(args, b"");
            assert_eq!(code, Some(0), "{args:?}: {err}");
        };
        let (home, data) = (at("home.toml"), at("data"));
        fs::write(&home, "zone = \"UTC\"\n").unwrap();
        ok(&[
            "tick",
            "--home",
            &home,
            "--data",
            &data,
            "--key-file",
            &at("data.key"),
        ]);
        fs::write(dir.path().join("data/errors/long"), vec![b'x'; LONG]).unwrap();
        let backup = at("aura.backup");
        ok(&[
            "memory",
            "backup",
            &backup,
            "--data",
            &data,
            "--backup-key-file",
            &at("backup.key"),
        ]);
        let bytes = fs::read(&backup).unwrap();
        Self { dir, bytes }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Where the first chunk begins, by the page: the first line, the box and its length, the id.
    fn chunks(&self) -> usize {
        let length = u64::from_be_bytes(self.bytes[15..23].try_into().unwrap());
        23 + usize::try_from(length).unwrap() + 32
    }
}

/// What the verifier says of a backup, with its exit code.
fn said(backup: &Path, key: &Path, more: &[&str]) -> (Option<i32>, String) {
    let done = Command::new("/usr/bin/python3")
        .arg(VERIFIER)
        .args([backup, key])
        .args(more)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout) + &text(done.stderr))
}

#[test]
fn backup_is_opened_and_checked_without_aura_and_what_was_changed_is_refuted() {
    let taken = TakenBackup::new();
    let (backup, key) = (taken.at("aura.backup"), taken.at("backup.key"));
    let out = taken.at("apart");
    let (code, text) = said(&backup, &key, &["--to", out.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("  aura.db\n") && text.contains(&format!("{LONG}  errors/long\n")),
        "{text}"
    );
    assert_eq!(fs::read(out.join("errors/long")).unwrap(), vec![b'x'; LONG]);

    let first = taken.chunks();
    let length = u32::from_be_bytes(taken.bytes[first..first + 4].try_into().unwrap());
    let second = first + 4 + usize::try_from(length).unwrap();
    assert!(second < taken.bytes.len(), "one chunk is not enough to try");
    let other = taken.at("other.key");
    fs::write(&other, [7; 32]).unwrap();
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = taken.bytes.clone();
        change(&mut bytes);
        let file = taken.at("changed");
        fs::write(&file, bytes).unwrap();
        said(&file, &key, &[])
    };
    for ((code, text), why) in [
        (said(&backup, &other, &[]), "this key does not open it"),
        (changed(&|bytes| bytes[0] ^= 1), "no backup of this format"),
        (changed(&|bytes| bytes[first + 40] ^= 1), "chunk 0 was changed"),
        (changed(&|bytes| bytes[second + 40] ^= 1), "chunk 1 was changed"),
        // Cut between two chunks: the first is not the last one.
        (changed(&|bytes| bytes.truncate(second)), "chunk 0 was changed"),
        (
            changed(&|bytes| bytes.truncate(second + 9)),
            "cut short within chunk 1",
        ),
        (changed(&|bytes| bytes.push(0)), "chunk 1 was changed"),
    ] {
        assert_eq!(code, Some(1), "{why}: {text}");
        assert!(
            text.starts_with("refuted: ") && text.contains(why),
            "{why}: {text}"
        );
    }
}
