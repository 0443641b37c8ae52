//! Reading a folder on which no service runs, with the built binary.
//!
//! What: readers exclude neither each other nor a start, begin no repair, and each leaves one record, which the next writer takes into
//! the audit log once. Why: looking must never stand in the way of working. Not here: reading beside a service (`audit`).

use crate::support::{Service, command::aura};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use tempfile::TempDir;

/// A folder in which one tick was decided, and on which nobody works.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        fs::write(folder.at("home.toml"), "zone = \"UTC\"\n").unwrap();
        folder.tick();
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).to_str().unwrap().to_owned()
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let (data, key) = (self.text("data"), self.text("data.key"));
        aura(&[args, &["--data", &data, "--key-file", &key]].concat(), b"")
    }

    fn ok(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!(code, Some(0), "{args:?}: {out}{err}");
        out
    }

    /// A command that writes.
    fn tick(&self) {
        let home = self.text("home.toml");
        self.ok(&["tick", "--home", &home, "--json"]);
    }

    fn newest(&self) -> String {
        let listed = self.ok(&["trace", "list", "--limit", "1", "--json"]);
        let line: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        line["trace_id"].as_str().unwrap().to_owned()
    }

    /// How often the list of traces was read, and how many of these records wait for a writer.
    fn lists_read(&self) -> (usize, usize) {
        let listed = self.ok(&[
            "memory", "audit", "list", "--op", "read", "--kind", "traces", "--json",
        ]);
        let records: Vec<Value> = listed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let waiting = records.iter().filter(|record| record["waiting"] == true);
        (records.len(), waiting.count())
    }

    /// The records that wait, as files.
    fn waiting(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let Ok(entries) = fs::read_dir(self.at("data/audit")) else {
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    }
}

/// Everything that only looks.
fn reading(id: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["trace", "list"],
        vec!["trace", "show", id],
        vec!["trace", "why", id],
        vec!["ledger"],
        vec!["memory", "stats"],
        vec!["memory", "search", "trace"],
        vec!["memory", "show", id],
        vec!["memory", "export"],
        vec!["memory", "audit", "list"],
        vec!["memory", "audit", "prove", "1", "--reveal"],
        vec!["memory", "audit", "verify"],
    ]
}

#[test]
fn readers_exclude_neither_each_other_nor_a_start() {
    const ROUNDS: usize = 5;
    let folder = Folder::new();
    let id = folder.newest();
    // Held by a process that answers nobody: a start, or a command that writes.
    let lock = fs::File::open(folder.at("data/lock")).unwrap();
    lock.try_lock().unwrap();
    let codes = |args: &[&str]| {
        let (code, _, err) = folder.run(args);
        // Searching may find nothing.
        assert!(
            code == Some(0) || (code == Some(1) && args.contains(&"search")),
            "{args:?}: {code:?} {err}"
        );
    };
    thread::scope(|scope| {
        for args in reading(&id) {
            scope.spawn(move || (0..ROUNDS).for_each(|_| codes(&args)));
        }
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let (code, out, err) = aura(
                    &[
                        "replay",
                        &folder.text("data"),
                        "--verify",
                        "--key-file",
                        &folder.text("data.key"),
                    ],
                    b"",
                );
                assert_eq!(code, Some(0), "{out}{err}");
            }
        });
    });
    // One each, and the one that found the newest trace.
    assert_eq!(folder.lists_read(), (ROUNDS + 1, ROUNDS + 1));
    lock.unlock().unwrap();

    let started = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut read = 0;
            while !started.load(Ordering::Relaxed) || read < 3 {
                folder.ok(&["trace", "list"]);
                read += 1;
            }
            read
        });
        let service = Service::start(&folder.at("home.toml"), &folder.at("data"));
        started.store(true, Ordering::Relaxed);
        let read = reader.join().unwrap();
        drop(service);
        let (all, _) = folder.lists_read();
        assert_eq!(all, ROUNDS + 1 + read);
    });
    folder.ok(&["memory", "audit", "verify"]);
}

#[test]
fn the_list_of_devices_is_read_beside_whoever_works_on_the_folder() {
    let folder = Folder::new();
    let home = folder.text("home.toml");
    folder.ok(&[
        "device",
        "add",
        "watch",
        "--scope",
        "signals:write",
        "--home",
        &home,
    ]);
    let lock = fs::File::open(folder.at("data/lock")).unwrap();
    lock.try_lock().unwrap();
    let listed = folder.ok(&["device", "list", "--json"]);
    let device: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(
        (&device["name"], &device["scope"]),
        (&"watch".into(), &"signals:write".into())
    );
}

/// Each waits while another process holds the folder, says so, and is done when that has ended.
#[test]
fn commands_that_write_wait_in_line_for_the_folder() {
    let folder = Folder::new();
    let (home, export) = (folder.text("home.toml"), folder.text("export.json"));
    fs::write(&export, folder.ok(&["memory", "export"])).unwrap();
    let commands: [&[&str]; 7] = [
        &["import", "--home", &home],
        &["memory", "import", &export],
        &["clock", "confirm", "--yes"],
        &["quarantine", "purge", "--older-than", "30d"],
        &["memory", "purge"],
        &["memory", "delete", "--everything", "--yes"],
        &["tick", "--home", &home],
    ];
    let (data, key) = (folder.text("data"), folder.text("data.key"));
    for command in commands {
        let lock = fs::File::open(folder.at("data/lock")).unwrap();
        lock.try_lock().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(command)
            .args(["--data", &data, "--key-file", &key])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(
            line.contains("which works on the data folder"),
            "{command:?}: {line}"
        );
        drop(lock);
        line.clear();
        said.read_to_string(&mut line).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command:?}: {line}");
    }
}

#[test]
fn a_record_is_taken_in_once_wherever_the_writer_was_killed() {
    let folder = Folder::new();
    for _ in 0..3 {
        folder.ok(&["trace", "list"]);
    }
    assert_eq!(folder.lists_read(), (3, 3));
    let waiting = folder.waiting();
    // Three of the list, and one of the look at the log.
    assert_eq!(waiting.len(), 4);
    folder.tick();
    assert!(folder.waiting().is_empty());
    assert_eq!(folder.lists_read(), (3, 0));
    // As after a crash between the commit and the removal of the files.
    for (path, bytes) in &waiting {
        fs::write(path, bytes).unwrap();
    }
    folder.tick();
    assert_eq!(folder.lists_read(), (3, 0));
    // A file under another name, or of another folder, is no record.
    let strange = folder.at("data/audit/0000000000000000000000000000000f");
    fs::write(&strange, &waiting[0].1).unwrap();
    folder.tick();
    assert_eq!(folder.lists_read(), (3, 0));
    assert!(strange.exists());
    let verified = folder.ok(&["memory", "audit", "verify", "--json"]);
    let verified: Value = serde_json::from_str(&verified).unwrap();
    assert_eq!(verified["sound"], true);
    // The looks at the log since the last tick.
    assert_eq!(verified["waiting"], 1);
}

#[test]
fn a_writer_that_is_killed_at_any_time_takes_each_record_in_once() {
    let folder = Folder::new();
    for round in 1..=8_u32 {
        folder.ok(&["trace", "list"]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--port", "0", "--home"])
            .arg(folder.at("home.toml"))
            .arg("--data")
            .arg(folder.at("data"))
            .arg("--key-file")
            .arg(folder.at("data.key"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        thread::park_timeout(std::time::Duration::from_millis(u64::from(round) * 12));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    folder.tick();
    assert_eq!(folder.lists_read(), (8, 0));
    folder.ok(&["memory", "audit", "verify"]);
}

#[test]
fn a_record_that_waits_is_sealed_and_goes_with_the_folder() {
    let folder = Folder::new();
    let id = folder.newest();
    folder.ok(&["trace", "show", &id]);
    let waiting = folder.waiting();
    assert_eq!(waiting.len(), 2);
    for (path, bytes) in &waiting {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()),
            "{name}"
        );
        for word in [id.as_bytes(), b"read", b"trace", b"kind", b"meaning"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word), "{word:?}");
        }
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o600);
    }
    // A copy holds them and gives them to the log of the folder that is made of it.
    fs::write(folder.at("words"), "for the copy\n").unwrap();
    let (copy, back, words) = (folder.text("copy"), folder.text("back"), folder.text("words"));
    folder.ok(&["memory", "backup", &copy, "--backup-passphrase-file", &words]);
    let restore = [
        "memory",
        "restore",
        &copy,
        "--backup-passphrase-file",
        &words,
        "--file",
    ];
    let (code, _, err) = aura(
        &[&restore[..], &[&folder.text("back.key"), "--data", &back]].concat(),
        b"",
    );
    assert_eq!(code, Some(0), "{err}");
    let list = ["memory", "audit", "list", "--json", "--data", &back];
    let (code, out, err) = aura(&list, b"");
    assert_eq!(code, Some(0), "{err}");
    // Newest first; the look itself waits.
    let ops: Vec<(String, bool)> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|record| {
            (
                record["op"].as_str().unwrap().to_owned(),
                record["waiting"] == true,
            )
        })
        .collect();
    let said: Vec<(&str, bool)> = ops
        .iter()
        .map(|(op, waiting)| (op.as_str(), *waiting))
        .take(5)
        .collect();
    let expected = [
        ("read", true),
        ("restore", false),
        ("backup", false),
        ("read", false),
        ("read", false),
    ];
    assert_eq!(said, expected);
    // Under another key they still open.
    folder.ok(&["memory", "key", "change", "--file", &folder.text("new.key")]);
    let (code, _, err) = aura(
        &["memory", "audit", "verify", "--data", &folder.text("data")],
        b"",
    );
    assert_eq!(code, Some(0), "{err}");
    let shown = [
        "memory",
        "audit",
        "list",
        "--op",
        "read",
        "--id",
        &id,
        "--json",
        "--data",
        &folder.text("data"),
    ];
    let (_, out, _) = aura(&shown, b"");
    // The tick that printed it, and the look at it.
    assert_eq!(out.lines().count(), 2, "{out}");
    // And they go with the folder.
    aura(&["trace", "list", "--data", &folder.text("data")], b"");
    assert!(!folder.waiting().is_empty());
    let (code, _, err) = aura(&["memory", "wipe", "--yes", "--data", &folder.text("data")], b"");
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(fs::read_dir(folder.at("data")).unwrap().count(), 0);
}

#[test]
fn what_was_read_of_a_thing_is_forgotten_with_it() {
    let folder = Folder::new();
    let id = folder.newest();
    folder.ok(&["trace", "show", &id]);
    fs::write(folder.at("texts"), format!("{id}\n")).unwrap();
    let (code, out, _) = folder.run(&["memory", "scan", &folder.text("texts")]);
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("data/audit/") || out.contains("stands in audit/"),
        "{out}"
    );
    folder.ok(&[
        "memory",
        "delete",
        "--everything",
        "--yes",
        "--home",
        &folder.text("home.toml"),
    ]);
    let (code, out, _) = folder.run(&["memory", "scan", &folder.text("texts")]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn nothing_is_shown_where_it_cannot_be_recorded() {
    let folder = Folder::new();
    let id = folder.newest();
    for args in reading(&id) {
        // It shows nothing that is kept.
        if args.ends_with(&["verify"]) {
            continue;
        }
        let line = "mount --bind data data; mount -o remount,bind,ro data; exec \"$0\" \"$@\"";
        let done = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "/bin/sh", "-ec", line])
            .arg(env!("CARGO_BIN_EXE_aura"))
            .args(&args)
            .args(["--data", "data", "--key-file", "data.key"])
            .current_dir(folder.0.path())
            .output()
            .unwrap();
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.stdout, b"", "{args:?}");
        assert!(
            err.contains("AUDIT-001") && err.contains("Read-only file system"),
            "{args:?}: {err}"
        );
        assert_eq!(done.status.code(), Some(4), "{args:?}");
    }
}

#[test]
fn full_disk_is_told_with_its_place_and_what_to_do() {
    let folder = Folder::new();
    let (id, home) = (folder.newest(), folder.text("home.toml"));
    let pause = ["pause", "2h", "--home", &home];
    let (backup, key) = (["memory", "backup", "full/copy"], folder.text("copy-key"));
    let backup = [&backup[..], &["--backup-key-file", &key]].concat();
    let writing = [&["tick", "--home", &home][..], &pause, &backup];
    for args in writing
        .into_iter()
        .chain([&["trace", "show", &id][..], &["memory", "stats"]])
    {
        let line = "mkdir -p full; mount -t tmpfs -o size=4m none full; cp -a data full; cat /dev/zero >full/rest 2>/dev/null || :; \
                    exec \"$0\" \"$@\"";
        let done = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "/bin/sh", "-ec", line])
            .arg(env!("CARGO_BIN_EXE_aura"))
            .args(args)
            .args(["--data", "full/data", "--key-file", "data.key"])
            .current_dir(folder.0.path())
            .output()
            .unwrap();
        let err = String::from_utf8(done.stderr).unwrap();
        assert!(
            err.contains("STORE-007: no room is left for full/data/") && err.contains("make room there"),
            "{args:?}: {err}"
        );
        assert!(!err.contains("rror code"), "{args:?}: {err}");
        assert_eq!(
            (done.status.code(), done.stdout),
            (Some(75), Vec::new()),
            "{args:?}: {err}"
        );
    }
}

#[test]
fn a_reading_command_begins_no_repair() {
    let folder = Folder::new();
    let names = |dir: &Path| {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            // The log and its index, which SQLite makes for who reads.
            .filter(|name| !name.starts_with("aura.db-") && name != "audit")
            .collect();
        names.sort();
        names
    };
    let data = folder.at("data");
    let file = data.join("aura.db");
    let whole = fs::read(&file).unwrap();
    let before = names(&data);
    // In the middle, at the beginning, and cut off.
    let mut spoiled = whole.clone();
    spoiled[4096..].fill(7);
    let mut headless = whole.clone();
    headless[..4096].fill(7);
    for bytes in [spoiled, headless, Vec::new()] {
        fs::write(&file, &bytes).unwrap();
        let (code, out, err) = folder.run(&["trace", "list"]);
        assert_eq!((code, out.as_str()), (Some(4), ""), "{err}");
        assert!(err.contains("STORE-003") && err.contains("aura run"), "{err}");
        assert_eq!(fs::read(&file).unwrap(), bytes);
        assert_eq!(names(&data), before);
    }
}

#[test]
fn a_command_that_cannot_open_a_file_for_now_ends_with_75() {
    let folder = Folder::new();
    let (data, key) = (folder.text("data"), folder.text("data.key"));
    let commands: [&[&str]; 9] = [
        &["memory", "delete", "--everything", "--dry-run", "--json"],
        &["memory", "delete", "--everything", "--yes"],
        &["memory", "purge", "--dry-run"],
        &["memory", "purge"],
        &["memory", "export"],
        &["memory", "audit", "verify"],
        &["trace", "list"],
        &["quarantine", "purge", "--older-than", "30d"],
        &["inbox", "list"],
    ];
    let run = |command: &[&str], descriptors: u32| {
        // With the three of the standard streams it may have so many.
        Command::new("sh")
            .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &descriptors.to_string()])
            .arg(env!("CARGO_BIN_EXE_aura"))
            .args(command)
            .args(["--data", &data, "--key-file", &key])
            .output()
            .unwrap()
    };
    for command in commands {
        for descriptors in 7..13 {
            let done = run(command, descriptors);
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(
                matches!(done.status.code(), Some(0 | 75)),
                "{command:?} with {descriptors}: {:?} {said}",
                done.status
            );
        }
        let done = run(command, 64);
        assert!(done.status.success(), "{command:?}: {done:?}");
    }
}

#[test]
fn a_start_that_cannot_open_its_socket_names_it_in_one_line_and_keeps_the_folder() {
    let folder = Folder::new();
    // A folder that holds something cannot be replaced.
    fs::create_dir_all(folder.at("data/aura.sock/inside")).unwrap();
    let home = folder.text("home.toml");
    let (code, out, err) = folder.run(&["run", "--port", "0", "--home", &home]);
    let socket = folder.text("data/aura.sock");
    let expected =
        format!("aura: STORE-007: could not open the socket {socket}: Is a directory (os error 21)\n");
    assert_eq!((code, out, err), (Some(4), String::new(), expected));
    fs::remove_dir_all(folder.at("data/aura.sock")).unwrap();
    folder.tick();
}

#[test]
fn a_reader_that_has_gone_ends_a_command_quietly() {
    let folder = Folder::new();
    let (data, key, id) = (folder.text("data"), folder.text("data.key"), folder.newest());
    let others = [
        vec!["memory", "export", "--format", "ics"],
        vec!["memory", "export", "--profile", "minimal"],
        vec!["memory", "audit", "list", "--json"],
        vec!["trace", "list", "--json"],
        vec!["trace", "show", &id, "--json"],
    ];
    for args in reading(&id).into_iter().chain(others) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(&args)
            .args(["--data", &data, "--key-file", &key])
            .stdout(writer)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!((done.status.code(), said.as_ref()), (Some(0), ""), "{args:?}");
    }
}
