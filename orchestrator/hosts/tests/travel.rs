//! What an owner says on one host holds on all.
//!
//! What: settings, a pause and a removal on hosts as processes, one of which is killed. Why: who takes an owner over has her as she was, and nobody goes on
//! with one who is gone. A process that is killed after an event of a run and an edit of a draft, which the next host has. Not here: how a record is kept
//! (`aura_hosts::contract`).

use crate::{
    between::{folders, kill, opens},
    support::{
        NatsServer, connect,
        hosted::{SharedFolders, SharedHost, page_name},
        service::{command, until},
    },
};
use aura_hosts::{JournalLog as _, OwnerSubject, jetstream::JetStreamLog};
use aura_memory::{
    Store, StoreOptions, StoreReader, StoreWrite, Vault,
    outbox::{self, DraftChange, DraftEdit, DraftEditOutcome},
    vault::NoPrompt,
    workflows::{AppendOutcome, RunSummary, RunWrite},
};
use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};
use toolcall_schema::ids::sha256_hex;

struct TwoHosts {
    server: NatsServer,
    folders: SharedFolders,
}

impl TwoHosts {
    fn new(owners: usize) -> Self {
        let folders = SharedFolders::new(owners);
        folders.add_all(2);
        Self {
            server: NatsServer::start(),
            folders,
        }
    }

    fn log(&self) -> String {
        format!("nats://127.0.0.1:{}", self.server.port)
    }

    fn start(&self, host: usize) -> SharedHost {
        let more = ["--log", &self.log(), "--log-streams", "4"];
        SharedHost::start(&self.folders.of_host(host), &more)
    }

    fn folder(&self, host: usize, owner: &str) -> PathBuf {
        self.folders.of_host(host).join(owner)
    }

    fn pause(&self, host: usize, owner: &str, word: &str) {
        let done = command(&["owner", word, owner, "--owners"])
            .arg(self.folders.of_host(host))
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

fn until_text(file: &Path, text: Option<&str>) {
    until("settings of the other host", || {
        (fs::read_to_string(file).ok().as_deref() == text).then_some(())
    });
}

fn until_state(host: &SharedHost, owner: &str, wanted: &[&str]) {
    until("state of an owner", || {
        let states = host.states();
        let is_so = |(name, state): &(String, String)| name == owner && wanted.contains(&state.as_str());
        states.iter().any(is_so).then_some(())
    });
}

const SERVED: [&str; 2] = ["serving", "parked"];

#[test]
fn host_that_takes_an_owner_over_has_her_settings_and_a_pause_holds_on_all() {
    let two = TwoHosts::new(1);
    let owner = two.folders.names[0].clone();
    let first = two.start(0);
    until_state(&first, &owner, &SERVED);
    // Changed where she is served, by hand.
    let home = |zone: &str| format!("zone = \"{zone}\"\n[web]\nhosts = [\"{}\"]\n", page_name(&owner));
    fs::write(two.folder(0, &owner).join("home.toml"), home("Europe/Berlin")).unwrap();
    fs::copy(policy_example(), two.folder(0, &owner).join("policy.toml")).unwrap();
    let policy = fs::read_to_string(policy_example()).unwrap();
    let second = two.start(1);
    until_text(
        &two.folder(1, &owner).join("home.toml"),
        Some(&home("Europe/Berlin")),
    );
    until_text(&two.folder(1, &owner).join("policy.toml"), Some(&policy));

    // Changed where she is not: the host that has her hears of it.
    let (has, not, has_host) = if SERVED.contains(&state(&first, &owner).as_str()) {
        (0, 1, &first)
    } else {
        (1, 0, &second)
    };
    fs::remove_file(two.folder(not, &owner).join("policy.toml")).unwrap();
    fs::write(two.folder(not, &owner).join("home.toml"), home("Asia/Kolkata")).unwrap();
    until_text(
        &two.folder(has, &owner).join("home.toml"),
        Some(&home("Asia/Kolkata")),
    );
    until_text(&two.folder(has, &owner).join("policy.toml"), None);

    two.pause(not, &owner, "pause");
    until_state(has_host, &owner, &["paused"]);
    until_state(&first, &owner, &["paused"]);
    until_state(&second, &owner, &["paused"]);
    two.pause(has, &owner, "resume");
    until_state(has_host, &owner, &SERVED);

    // Its host dies; another one goes on with what she has.
    let survivor = if has == 0 {
        drop(first);
        second
    } else {
        drop(second);
        first
    };
    until_state(&survivor, &owner, &SERVED);
    let text = fs::read_to_string(two.folder(not, &owner).join("home.toml")).unwrap();
    assert_eq!(text, home("Asia/Kolkata"));
}

fn state(host: &SharedHost, owner: &str) -> String {
    let found = host.states().into_iter().find(|(name, _)| name == owner);
    found.unwrap().1
}

fn policy_example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../machine/src/policy.toml")
}

#[test]
fn host_that_was_away_takes_what_is_newer_and_gives_what_it_changed_itself() {
    let two = TwoHosts::new(1);
    let owner = two.folders.names[0].clone();
    let home = |zone: &str| format!("zone = \"{zone}\"\n");
    let files = [0, 1].map(|host| two.folder(host, &owner).join("home.toml"));
    let start_both = || {
        let both = [two.start(0), two.start(1)];
        until("host that serves her", || {
            both.iter()
                .any(|host| SERVED.contains(&state(host, &owner).as_str()))
                .then_some(())
        });
        both
    };
    let both = start_both();
    until("record on both", || {
        let note = |host| {
            two.folders
                .of_host(host)
                .join(format!(".host/records/{owner}.json"))
        };
        (note(0).exists() && note(1).exists()).then_some(())
    });
    drop(both);
    // While no host runs: nobody has put anything newer.
    fs::write(&files[1], home("Asia/Kolkata")).unwrap();
    let both = start_both();
    until_text(&files[0], Some(&home("Asia/Kolkata")));
    // One is away, and both change: the one that is there comes first.
    let [first, second] = both;
    drop(second);
    until_state(&first, &owner, &SERVED);
    fs::write(&files[0], home("Europe/Paris")).unwrap();
    let note = two.folders.of_host(0).join(format!(".host/records/{owner}.json"));
    let before = fs::read(&note).unwrap();
    until("change that is in the log", || {
        (fs::read(&note).unwrap() != before).then_some(())
    });
    fs::write(&files[1], home("Asia/Tokyo")).unwrap();
    let _second = two.start(1);
    until_text(&files[1], Some(&home("Europe/Paris")));
    assert_eq!(fs::read_to_string(&files[0]).unwrap(), home("Europe/Paris"));
}

#[test]
fn owner_who_is_removed_is_gone_on_all_hosts_and_her_log_opens_for_nobody() {
    let two = TwoHosts::new(2);
    let (owner, other) = (two.folders.names[0].clone(), two.folders.names[1].clone());
    // As on a machine that is off.
    two.folders.add(2, &owner);
    let first = two.start(0);
    let second = two.start(1);
    until("owner who is served", || {
        let is_served = |host: &SharedHost| SERVED.contains(&state(host, &owner).as_str());
        (is_served(&first) || is_served(&second)).then_some(())
    });
    let vault = Vault::open(&two.folder(2, &owner), &NoPrompt).unwrap();
    let subject = OwnerSubject::derive(vault.seed());
    let log = || JetStreamLog::open(&connect(two.server.port, 4, Duration::from_secs(5)), &subject).unwrap();
    let keys = log().keys().unwrap();
    assert!(!keys.is_empty());

    let removed = command(&[
        "remove",
        "--yes",
        "--json",
        "--log",
        &two.log(),
        "--log-streams",
        "4",
    ])
    .arg("--data")
    .arg(two.folder(0, &owner))
    .output()
    .unwrap();
    assert!(removed.status.success(), "{removed:?}");
    until("folders that are gone", || {
        let is_there = |host| two.folder(host, &owner).exists();
        (!is_there(0) && !is_there(1)).then_some(())
    });
    assert!(log().keys().unwrap().is_empty(), "nothing opens what is left");
    for host in [&first, &second] {
        until("owner whom nobody knows", || {
            let names = host.states();
            (!names.iter().any(|(name, _)| *name == owner)).then_some(())
        });
    }
    // The machine that was off hears of it when it is on.
    drop(vault);
    let _third = two.start(2);
    until("folder that is gone there too", || {
        (!two.folder(2, &owner).exists()).then_some(())
    });
    // Nobody else is touched.
    until("other owner who is served", || {
        let is_served = |host: &SharedHost| {
            let states = host.states();
            states
                .iter()
                .any(|(name, state)| *name == other && SERVED.contains(&state.as_str()))
        };
        (is_served(&first) || is_served(&second)).then_some(())
    });
}

const FOLDER: &str = "AURA_TEST_TRAVEL_FOLDER";
const LOG: &str = "AURA_TEST_TRAVEL_LOG";
const DRAFT: &str = "reply.txt";

fn open(folder: &Path, log: &str) -> Store {
    let options = StoreOptions {
        remote_log: Some(opens(log)),
        ..StoreOptions::default()
    };
    Store::open(&Vault::demo(folder).unwrap(), options).unwrap().0
}

/// The child: writes what is in no journal, says so, and waits for its end. Does nothing when it runs as a test of its own.
#[test]
fn child_writes_a_run_and_edits_a_draft_until_it_is_killed() {
    let (Some(folder), Ok(log)) = (env::var_os(FOLDER), env::var(LOG)) else {
        return;
    };
    let store = open(Path::new(&folder), &log);
    let text = "Before.".to_owned();
    let shown = sha256_hex(text.as_bytes());
    let draft = StoreWrite::Outbox {
        name: DRAFT.to_owned(),
        text: Some(text),
    };
    store.write(vec![draft]).unwrap();
    let run = RunWrite::Append {
        n: 0,
        json: "{}".to_owned(),
        summary: RunSummary {
            run: "aa".to_owned(),
            workflow: "specify".to_owned(),
            feature: None,
            phase: "working".to_owned(),
            until_ms: None,
            started_ms: 1,
            last_ms: 1,
        },
    };
    assert_eq!(store.write_run(run).unwrap(), AppendOutcome::Written);
    let edit = DraftEdit {
        name: DRAFT.to_owned(),
        shown,
        text: "After.".to_owned(),
    };
    let (tell, told) = mpsc::channel();
    let ack = Box::new(move |done| tell.send(done).unwrap());
    store.change_draft(DraftChange::Edit(edit), ack).unwrap();
    assert_eq!(told.recv().unwrap().unwrap(), DraftEditOutcome::Kept);
    println!("written");
    loop {
        thread::park();
    }
}

#[test]
fn runs_and_edits_of_drafts_are_with_the_next_host_after_a_kill() {
    let (dir, [here, there]) = folders();
    let log = dir.path().join("log.db");
    let log = log.to_str().unwrap();
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "travel::child_writes_a_run_and_edits_a_draft_until_it_is_killed",
            "--nocapture",
        ])
        .env(FOLDER, &here)
        .env(LOG, log)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(said.map_while(Result::ok).any(|line| line.contains("written")));
    kill(child);
    for folder in [&there, &here] {
        drop(open(folder, log));
        let reader = StoreReader::open(&Vault::demo(folder).unwrap()).unwrap();
        assert_eq!(reader.run_events("aa", 0).unwrap()[0].json, "{}");
        assert_eq!(outbox::list(folder, "").unwrap()[0].text, "After.");
    }
}
