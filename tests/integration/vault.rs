//! The key of a data folder through the built binary.
//!
//! What: chosen, changed, lost, handed over; backups, wipes, full and read-only disks, a real abort. Why: what is promised of a sealed
//! folder is promised of the commands. Not here: each step of sealing, repairing and wiping (`orchestrator/memory`).

use crate::support::{Service, command::aura, signal};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};
use tempfile::TempDir;

/// A folder for a test: what is named in it, as text.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
        Self(dir)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).to_str().unwrap().to_owned()
    }

    /// A passphrase file.
    fn words(&self, name: &str, words: &str) -> String {
        fs::write(self.at(name), format!("{words}\n")).unwrap();
        self.text(name)
    }

    /// A command on the folder `data`.
    fn aura(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let data = self.text("data");
        aura(&[args, &["--data", &data]].concat(), b"")
    }

    fn tick(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let home = self.text("home.toml");
        self.aura(&[&["tick", "--json", "--home", &home], more].concat())
    }

    fn traces(&self, more: &[&str]) -> (Option<i32>, usize, String) {
        let (code, out, err) = self.aura(&[&["trace", "list", "--json"], more].concat());
        (code, out.lines().count(), err)
    }
}

/// No file below a folder holds these bytes.
fn holds_none_of(dir: &Path, words: &[&[u8]]) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holds_none_of(&path, words);
        } else if let Ok(bytes) = fs::read(&path) {
            for word in words {
                assert!(
                    !bytes.windows(word.len()).any(|part| part == *word),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn new_folder_without_a_keyring_is_not_made_until_a_place_is_chosen() {
    let place = Place::new();
    for args in [&["tick"][..], &["run"]] {
        let home = place.text("home.toml");
        let (code, out, err) = place.aura(&[args, &["--home", &home]].concat());
        assert_eq!((code, out.as_str()), (Some(4), ""), "{err}");
        assert!(
            err.contains("STORE-015") && err.contains("aura memory key init"),
            "{err}"
        );
    }
    assert!(!place.at("data").exists());
    let (code, _, err) = place.aura(&["memory", "key", "init", "--keyring"]);
    assert_eq!(code, Some(4));
    assert!(err.contains("STORE-013"), "{err}");
    assert!(!place.at("data/key").exists());
    let (code, out, _) = place.aura(&["memory", "key", "init", "--file", &place.text("stick")]);
    assert_eq!(
        (code, out),
        (
            Some(0),
            format!(
                "Sealed. The key is kept by the key file {}.\n",
                place.text("stick")
            )
        )
    );
    assert_eq!(place.tick(&[]).0, Some(0));
    assert_eq!(place.traces(&[]).1, 1);
}

#[test]
fn key_is_changed_and_only_the_new_one_opens_from_then_on() {
    let place = Place::new();
    place.aura(&["memory", "key", "init", "--file", &place.text("stick")]);
    assert_eq!(place.tick(&[]).0, Some(0));
    let (one, two) = (
        place.words("one", "correct horse battery"),
        place.words("two", "battery staple lamp"),
    );

    let before = fs::read(place.at("data/aura.db")).unwrap();
    // What the pages refuse, commands refuse.
    for (weak, says) in [("x", "Too short"), ("passwordpassword", "Easy to guess.")] {
        let weak = place.words("weak", weak);
        for command in [
            &["memory", "key", "change", "--new-passphrase-file", &weak][..],
            &[
                "memory",
                "backup",
                &place.text("weak-copy"),
                "--backup-passphrase-file",
                &weak,
            ],
        ] {
            let (code, _, err) = place.aura(command);
            assert!(
                code == Some(2) && err.contains(says),
                "{command:?} {code:?} {err}"
            );
        }
    }
    assert!(!place.at("weak-copy").exists());
    let (code, out, err) = place.aura(&[
        "memory",
        "key",
        "change",
        "--new-passphrase-file",
        &one,
        "--dry-run",
    ]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("aura.db") && out.contains("would be sealed anew"),
        "{out}"
    );
    assert_eq!(fs::read(place.at("data/aura.db")).unwrap(), before);

    let (code, out, err) = place.aura(&[
        "memory",
        "key",
        "change",
        "--new-passphrase-file",
        &one,
        "--passphrase-file",
        &one,
    ]);
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "Sealed. The key is kept by a passphrase.\n"),
        "{err}"
    );
    let (code, _, err) = place.traces(&["--passphrase-file", &two]);
    assert_eq!(code, Some(4));
    assert!(err.contains("STORE-012"), "{err}");
    let (code, _, err) = place.traces(&[]);
    assert_eq!(code, Some(4));
    assert!(err.contains("STORE-013"), "{err}");
    let (code, lines, err) = place.traces(&["--passphrase-file", &one]);
    assert_eq!((code, lines), (Some(0), 1), "{err}");

    let (_, out, _) = place.aura(&["memory", "key", "show", "--json"]);
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&shown["sealed"], &shown["place"]),
        (&Value::from(true), &Value::from("passphrase"))
    );
    // Neither words nor any plain database: not in the folder, and not in what was said.
    holds_none_of(
        &place.at("data"),
        &[
            b"correct horse battery",
            b"battery",
            b"SQLite format",
            b"trace.v1",
        ],
    );
    let (_, list, _) = place.aura(&[
        "memory",
        "audit",
        "list",
        "--json",
        "--op",
        "key_change",
        "--passphrase-file",
        &one,
    ]);
    assert_eq!(list.lines().count(), 1, "{list}");
}

#[test]
fn passphrase_is_given_once_while_the_service_runs() {
    let place = Place::new();
    let words = place.words("words", "correct horse battery");
    place.aura(&["memory", "key", "init", "--new-passphrase-file", &words]);
    let service = Service::start_with(
        &place.at("home.toml"),
        &place.at("data"),
        &["--passphrase-file", &words],
    );
    assert_eq!(place.tick(&[]).0, Some(0));
    assert_eq!(place.traces(&[]).1, 1, "the service hands the key over");
    drop(service);
    let (code, _, err) = place.traces(&[]);
    assert_eq!(code, Some(4));
    assert!(err.contains("STORE-013"), "{err}");
}

#[test]
fn backup_beside_a_running_service_is_restored_into_another_folder() {
    let place = Place::new();
    let words = place.words("words", "for the copy");
    let service = Service::start(&place.at("home.toml"), &place.at("data"));
    assert_eq!(place.tick(&[]).0, Some(0));
    let (copy, back) = (place.text("copy"), place.text("back"));
    let (code, _, err) = place.aura(&["memory", "backup", &copy, "--backup-passphrase-file", &words]);
    assert_eq!(code, Some(0), "{err}");
    drop(service);
    let (code, _, err) = aura(
        &[
            "memory",
            "restore",
            &copy,
            "--backup-passphrase-file",
            &words,
            "--file",
            &place.text("new-key"),
            "--data",
            &back,
        ],
        b"",
    );
    assert_eq!(code, Some(0), "{err}");
    let (code, out, _) = aura(&["trace", "list", "--json", "--data", &back], b"");
    assert_eq!((code, out.lines().count()), (Some(0), 1));
    let (code, out, _) = aura(&["replay", &back, "--verify", "--json"], b"");
    assert_eq!((code, out.contains("\"different\":0")), (Some(0), true), "{out}");
    // Into an empty folder only.
    let (code, _, err) = aura(
        &[
            "memory",
            "restore",
            &copy,
            "--backup-passphrase-file",
            &words,
            "--file",
            &place.text("new-key"),
            "--data",
            &back,
        ],
        b"",
    );
    assert_eq!(code, Some(4));
    assert!(err.contains("STORE-016"), "{err}");
}

#[test]
fn of_two_backups_to_one_file_one_is_whole_and_the_other_is_told_why() {
    let place = Place::new();
    let key = place.text("folder-key");
    assert_eq!(place.tick(&["--key-file", &key]).0, Some(0));
    let copy_key = place.text("copy-key");
    for name in ["one", "two", "three"] {
        let copy = place.text(name);
        let args = [
            "memory",
            "backup",
            &copy,
            "--backup-key-file",
            &copy_key,
            "--key-file",
            &key,
        ];
        let both = thread::scope(|scope| {
            let begun = [(); 2].map(|()| scope.spawn(|| place.aura(&args)));
            begun.map(|backup| backup.join().unwrap())
        });
        let refused: Vec<_> = both.iter().filter(|(code, _, _)| *code != Some(0)).collect();
        assert_eq!(refused.len(), 1, "{both:?}");
        let (code, _, err) = refused[0];
        assert_eq!(*code, Some(4), "{err}");
        assert!(
            err.contains("STORE-016: ") && err.contains("name another"),
            "{err}"
        );
        let back = place.text(&format!("back-{name}"));
        let restore = ["memory", "restore", &copy, "--backup-key-file", &copy_key];
        let into = ["--file", &place.text(&format!("key-{name}")), "--data", &back];
        let (code, _, err) = aura(&[&restore[..], &into].concat(), b"");
        assert_eq!(code, Some(0), "{err}");
    }
    let left = |name: &str| name.starts_with('.');
    let names = fs::read_dir(place.0.path()).unwrap();
    assert!(
        !names
            .flatten()
            .any(|entry| left(entry.file_name().to_str().unwrap()))
    );
}

#[test]
fn wipe_stops_the_service_and_leaves_nothing() {
    let place = Place::new();
    let service = Service::start(&place.at("home.toml"), &place.at("data"));
    let told = service.request(
        "POST",
        "/v1/signals",
        Some(&signal("s-1", "notification", &serde_json::json!({}))),
    );
    assert!(told.0 > 0);
    let (code, out, _) = place.aura(&["memory", "wipe", "--dry-run"]);
    assert_eq!(code, Some(0));
    assert!(out.lines().next().unwrap().ends_with("/data/key"), "{out}");
    let (code, out, _) = place.aura(&["memory", "wipe"]);
    assert_eq!(code, Some(1));
    assert!(out.ends_with("Nothing was removed.\n"), "{out}");
    assert!(place.at("data/aura.db").exists());
    let (code, _, err) = place.aura(&["memory", "wipe", "--yes"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(fs::read_dir(place.at("data")).unwrap().count(), 0);
    let (code, _, err) = place.traces(&[]);
    assert_eq!(code, Some(4));
    assert!(err.contains("STORE-004"), "{err}");
    drop(service);
    // Nothing of Aura's: nothing is touched.
    fs::write(place.at("data/mine"), "x").unwrap();
    assert_eq!(place.aura(&["memory", "wipe", "--yes"]).0, Some(4));
    assert!(place.at("data/mine").exists());
}

/// A service in a shell that allows core files, once it is ready.
fn dumping(place: &Place) -> Child {
    let mut child = Command::new("/bin/sh")
        .args([
            "-c",
            "ulimit -c unlimited; exec \"$0\" run --port 0 --json --home home.toml --data data",
        ])
        .arg(env!("CARGO_BIN_EXE_aura"))
        .current_dir(place.0.path())
        .env("AURA_KEY_FILE", place.at("stick"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.contains("\"page\""), "{line}");
    child
}

#[test]
fn service_that_aborts_leaves_no_core_file() {
    let place = Place::new();
    let mut child = dumping(&place);
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    let killed = Command::new("/bin/kill")
        .args(["-ABRT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!((status.signal(), status.core_dumped()), (Some(6), false));
    let left: Vec<_> = fs::read_dir(place.0.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("core"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

/// Runs lines of a shell that may mount, with the binary as `$0` and the folder as its own.
fn mounting(place: &Place, lines: &str) -> (Option<i32>, String) {
    let done = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "/bin/sh", "-ec", lines])
        .arg(env!("CARGO_BIN_EXE_aura"))
        .current_dir(place.0.path())
        .output()
        .unwrap();
    (done.status.code(), String::from_utf8(done.stderr).unwrap())
}

#[test]
fn folder_on_a_disk_that_takes_nothing_is_an_error_and_stays_as_it_is() {
    let place = Place::new();
    place.aura(&["memory", "key", "init", "--file", &place.text("stick")]);
    assert_eq!(place.tick(&[]).0, Some(0));
    let before = fs::read(place.at("data/aura.db")).unwrap();
    let (code, err) = mounting(
        &place,
        "mount --bind data data; mount -o remount,bind,ro data; exec \"$0\" tick --home home.toml --data data",
    );
    assert_eq!(code, Some(4), "{err}");
    assert!(
        err.contains("STORE-007") && err.contains("Read-only file system"),
        "{err}"
    );
    assert_eq!(fs::read(place.at("data/aura.db")).unwrap(), before);
    assert_eq!(place.traces(&[]).1, 1);
}

#[test]
fn disk_that_fills_up_loses_nothing_and_goes_on_when_there_is_room() {
    let place = Place::new();
    // Whatever fits: each attempt either works or says that there is no room, and the last one finds all of those that worked.
    let (code, err) = mounting(
        &place,
        "mkdir disk; mount -t tmpfs -o size=64k none disk
         for size in 64k 128k 192k 256k 320k 384k 512k 640k 800k; do
             mount -o remount,size=$size none disk
             if ! [ -e disk/data/key ]; then \"$0\" memory key init --file stick --data disk/data 2>>said || continue; fi
             if \"$0\" tick --home home.toml --data disk/data >/dev/null 2>>said; then echo worked >>worked; fi
         done
         mount -o remount,size=64m none disk
         \"$0\" tick --home home.toml --data disk/data >/dev/null; echo worked >>worked
         \"$0\" trace list --json --data disk/data >traces
         \"$0\" replay disk/data --verify --json >verified",
    );
    let said = fs::read_to_string(place.at("said")).unwrap_or_default();
    assert_eq!(code, Some(0), "{err} {said}");
    assert!(said.contains("STORE-007"), "a full disk was met: {said}");
    assert!(
        !said.contains("STORE-003") && !said.contains("STORE-014"),
        "and is no damage: {said}"
    );
    let lines = |name: &str| {
        fs::read_to_string(place.at(name))
            .unwrap_or_default()
            .lines()
            .count()
    };
    assert!(
        lines("traces") >= lines("worked"),
        "{} of {}",
        lines("traces"),
        lines("worked")
    );
    assert!(
        fs::read_to_string(place.at("verified"))
            .unwrap()
            .contains("\"different\":0")
    );
}
