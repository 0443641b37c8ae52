//! Busy is no damage: what passes is tried again, and nobody takes what is another's.
//!
//! What: a small supervisor that follows the text of `docs/aura.service`, with the built binary under it; commands that meet a folder
//! in use or an open question. Why: a service that is down because of a cron job must come back by itself. Not here: what the unit
//! says else (`operating.rs`), kills (`kill.rs`).

use crate::support::Service;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    process::{Command, Output},
};

/// What a service manager does when a process has ended, by the words of a unit.
struct Supervisor {
    unit: BTreeMap<String, String>,
    starts: u32,
}

/// What it does.
#[derive(Debug, PartialEq)]
enum Next {
    StartAfter(u32),
    Stay,
}

impl Supervisor {
    fn of_the_unit() -> Self {
        let text = include_str!("../../docs/aura.service");
        let unit = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        Self { unit, starts: 1 }
    }

    fn number(&self, key: &str) -> u32 {
        self.unit[key].parse().unwrap()
    }

    /// `systemd.service(5)`: with `on-failure`, an end that is not clean starts it again, but for the codes that prevent it, and
    /// unless it was started too often within an interval that is not 0.
    fn ended(&mut self, code: Option<i32>) -> Next {
        assert_eq!(self.unit["Restart"], "on-failure");
        let prevented = self.unit["RestartPreventExitStatus"].split(' ');
        let prevented = prevented
            .filter_map(|word| word.parse().ok())
            .any(|word: i32| Some(word) == code);
        let limited =
            self.number("StartLimitIntervalSec") > 0 && self.starts >= self.number("StartLimitBurst");
        if code == Some(0) || prevented || limited {
            return Next::Stay;
        }
        self.starts += 1;
        Next::StartAfter(self.number("RestartSec"))
    }
}

/// A configuration and a data folder of their own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.0.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
        place
    }

    fn home(&self) -> std::path::PathBuf {
        self.0.path().join("home.toml")
    }

    fn data(&self) -> std::path::PathBuf {
        self.0.path().join("data")
    }

    fn start(&self) -> Service {
        Service::start(&self.home(), &self.data())
    }

    fn aura(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
        command.args(args).arg("--data").arg(self.data());
        if matches!(args, ["run" | "tick", ..]) {
            command.arg("--home").arg(self.home());
        }
        command
            .env("AURA_KEY_FILE", self.data().with_extension("key"))
            .output()
            .unwrap()
    }
}

fn err(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn what_passes_is_started_again_and_what_needs_its_owner_is_not() {
    for (code, next) in [
        (Some(0), Next::Stay),
        (Some(1), Next::StartAfter(2)),
        (Some(2), Next::Stay),
        (Some(3), Next::Stay),
        (Some(4), Next::Stay),
        (Some(70), Next::StartAfter(2)),
        (Some(75), Next::StartAfter(2)),
        // A kill.
        (None, Next::StartAfter(2)),
    ] {
        assert_eq!(Supervisor::of_the_unit().ended(code), next, "{code:?}");
    }
    // A folder in use for five minutes: as many starts as that takes.
    let mut supervisor = Supervisor::of_the_unit();
    for _ in 0..150 {
        assert_eq!(supervisor.ended(Some(75)), Next::StartAfter(2));
    }
}

#[test]
fn a_service_comes_back_when_the_command_that_held_its_folder_is_done() {
    let place = Place::new();
    drop(place.start());
    let held = File::open(place.data().join("lock")).unwrap();
    held.try_lock().unwrap();
    let mut supervisor = Supervisor::of_the_unit();
    for _ in 0..3 {
        let done = place.aura(&["run", "--port", "0"]);
        assert!(err(&done).contains("STORE-001"), "{}", err(&done));
        assert_eq!(supervisor.ended(done.status.code()), Next::StartAfter(2));
    }
    held.unlock().unwrap();
    let service = place.start();
    assert_eq!(service.request("GET", "/healthz", None).0, 200);
    service.kill();
    // What is damaged stays down, and what it needs is said.
    fs::write(place.data().join("aura.db"), vec![b'x'; 8192]).unwrap();
    let done = place.aura(&["run", "--port", "0"]);
    assert!(err(&done).contains("STORE-014"), "{}", err(&done));
    assert_eq!(supervisor.ended(done.status.code()), Next::Stay);
}

#[test]
fn tick_leaves_an_open_question_to_the_service_and_waits_no_longer_than_it_is_told() {
    let place = Place::new();
    let service = place.start();
    let (_page, card) = service.ask_owner();
    let late = place.aura(&["tick", "--wait", "1"]);
    assert_eq!(late.status.code(), Some(75), "{late:?}");
    assert!(err(&late).contains("did not end within 1 s"), "{}", err(&late));
    service.kill();
    let done = place.aura(&["tick"]);
    assert_eq!(done.status.code(), Some(75), "{done:?}");
    assert!(
        err(&done).contains("a question waits for your answer"),
        "{}",
        err(&done)
    );
    let service = place.start();
    assert_eq!(service.now()["card"]["card_id"], card["card_id"]);
    assert_eq!(
        service.now()["card"]["prompts"],
        card["prompts"],
        "the same deadline"
    );
}

#[test]
fn a_service_that_dies_while_it_is_asked_is_busy_and_no_mistake_of_the_command_line() {
    let place = Place::new();
    drop(place.start());
    // Whoever answers here hangs up without a word.
    let path = place.data().join("aura.sock");
    let _ = fs::remove_file(&path);
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut line = [0; 4096];
            // What is asked is of no interest.
            let _ = stream.unwrap().read(&mut line);
        }
    });
    for args in [&["status"][..], &["tick"], &["memory", "purge"]] {
        let done = place.aura(args);
        assert_eq!(done.status.code(), Some(75), "{args:?} {done:?}");
        assert!(err(&done).contains("gave no answer"), "{}", err(&done));
    }
}

#[test]
fn two_commands_at_once_both_do_their_work() {
    let place = Place::new();
    drop(place.start());
    std::thread::scope(|scope| {
        let both: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| place.aura(&["memory", "purge", "--json"])))
            .collect();
        for done in both {
            let done = done.join().unwrap();
            assert_eq!(done.status.code(), Some(0), "{done:?}");
        }
    });
}

#[test]
fn a_service_can_be_started_as_soon_as_stop_has_ended() {
    let place = Place::new();
    for _ in 0..3 {
        let service = place.start();
        let done = place.aura(&["stop"]);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        assert!(aura_memory::is_free(&place.data()).unwrap());
        drop(service);
    }
}

#[test]
fn a_disk_that_lost_what_was_acknowledged_ends_the_service_with_70() {
    let place = Place::new();
    let service = place.start();
    let pid = service.pid();
    // The database as a disk has it that forgets everything later.
    let names = ["aura.db", "aura.db-wal"];
    kill_process(pid, Signal::STOP).unwrap();
    for name in names {
        fs::copy(place.data().join(name), place.0.path().join(name)).unwrap();
    }
    kill_process(pid, Signal::CONT).unwrap();
    let done = place.aura(&["tick"]);
    assert!(done.status.success(), "{done:?}");
    kill_process(pid, Signal::STOP).unwrap();
    for name in names {
        fs::rename(place.0.path().join(name), place.data().join(name)).unwrap();
    }
    let _ = fs::remove_file(place.data().join("aura.db-shm"));
    // The next commit fails, so the store is opened again: on what the disk has.
    let limits = limit_files(pid, Some(0));
    kill_process(pid, Signal::CONT).unwrap();
    let mut late = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["tick", "--wait", "2", "--data"])
        .arg(place.data())
        .arg("--home")
        .arg(place.home())
        .env("AURA_KEY_FILE", place.data().with_extension("key"))
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let code = late.wait().unwrap().code();
    assert_ne!(code, Some(0), "nothing can be kept");
    // It may have ended already.
    let _ = prlimit(Some(pid), Resource::Fsize, limits);
    assert_eq!(service.end(), Some(70));
    // And the next start goes on with what there is.
    let service = place.start();
    assert_eq!(service.request("GET", "/healthz", None).0, 200);
}

/// Sets the size up to which a process may write files; the limits of before.
pub(crate) fn limit_files(pid: Pid, current: Option<u64>) -> Rlimit {
    let before = prlimit(
        Some(pid),
        Resource::Fsize,
        Rlimit {
            current,
            maximum: None,
        },
    )
    .unwrap();
    assert_eq!(before.maximum, None, "this test needs no hard limit of files");
    before
}

#[test]
fn a_service_that_can_open_nothing_more_is_busy() {
    let place = Place::new();
    let service = place.start();
    let pid = service.pid();
    let open = || {
        let open = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero()));
        open.unwrap().count() as u64
    };
    let limit = |resource| prlimit(Some(pid), Resource::Nofile, resource).unwrap();
    let before = prlimit(Some(pid), Resource::Nofile, getrlimit(Resource::Nofile)).unwrap();
    // One for whoever asks, and too few, or just enough, for what it reads.
    for more in 1..8 {
        limit(Rlimit {
            current: Some(open() + more),
            ..before
        });
        for args in [
            &["memory", "delete", "--everything", "--dry-run", "--json"][..],
            &["memory", "purge", "--dry-run", "--json"],
            &["memory", "purge", "--json"],
        ] {
            let done = place.aura(args);
            assert!(
                matches!(done.status.code(), Some(0 | 75)),
                "{args:?} with {more}: {done:?}"
            );
        }
    }
    limit(before);
    let done = place.aura(&["memory", "delete", "--everything", "--dry-run", "--json"]);
    assert!(done.status.success(), "{done:?}");
}
