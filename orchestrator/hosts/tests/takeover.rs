//! Another process goes on with an owner.
//!
//! What: `aura-hosts` on two folders with one key and one log; the first process is killed, or hangs and comes back. Why: that is the promise: the same
//! button on the same card works, what was accepted stands in one log exactly once, and who lost the owner writes nothing. Not here: stores without a
//! service (`between`), who takes over when (docs/hosts.md).

use crate::support::{
    DEADLINE, NatsServer, connect,
    service::{OwnerHost, OwnerKey, command, port_in, serving, until},
};
use aura_hosts::{
    GrantStore, JournalLog, KeyCipher, OwnerSubject, SqliteGrants, SqliteLog,
    jetstream::{JetStreamGrants, JetStreamLog},
};
use aura_memory::{Store, StoreOptions, StoreReader, StoreWrite};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};
use toolcall_schema::{Outcome, trace::Trace};

/// What an exit says that another host runs the owner (STORE-017).
pub(crate) const FENCED: Option<i32> = Some(75);

/// One log and its address on a command line.
pub(crate) trait ServedLog {
    type Log: JournalLog + Send + 'static;
    fn grants(&self) -> Box<dyn GrantStore>;
    fn arguments(&self) -> Vec<String>;
    fn opens(&self) -> impl Fn(&OwnerSubject) -> Self::Log + Send + Sync + 'static;
    /// Whether nobody holds a lock that keeps everybody out.
    fn is_free(&self) -> bool {
        true
    }
}

pub(crate) struct LogFile<'a>(pub(crate) &'a Path);

impl ServedLog for LogFile<'_> {
    type Log = SqliteLog;

    fn grants(&self) -> Box<dyn GrantStore> {
        Box::new(SqliteGrants::open(self.0).unwrap())
    }

    fn arguments(&self) -> Vec<String> {
        vec!["--log".to_owned(), self.0.display().to_string()]
    }

    fn opens(&self) -> impl Fn(&OwnerSubject) -> SqliteLog + Send + Sync + 'static {
        let file = self.0.to_owned();
        move |owner| SqliteLog::open(&file, owner).unwrap()
    }

    fn is_free(&self) -> bool {
        let conn = rusqlite::Connection::open(self.0).unwrap();
        conn.busy_timeout(Duration::ZERO).unwrap();
        conn.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok()
    }
}

impl ServedLog for NatsServer {
    type Log = JetStreamLog;

    fn grants(&self) -> Box<dyn GrantStore> {
        Box::new(JetStreamGrants::open(&connect(self.port, 4, DEADLINE)).unwrap())
    }

    fn arguments(&self) -> Vec<String> {
        let address = format!("nats://127.0.0.1:{}", self.port);
        ["--log", &address, "--log-streams", "4"]
            .map(str::to_owned)
            .to_vec()
    }

    fn opens(&self) -> impl Fn(&OwnerSubject) -> JetStreamLog + Send + Sync + 'static {
        let port = self.port;
        move |owner| JetStreamLog::open(&connect(port, 4, DEADLINE), owner).unwrap()
    }
}

fn start(owner: &OwnerKey, data: &Path, log: &impl ServedLog, token: Option<&str>) -> OwnerHost {
    start_with(owner, data, log, token, &[])
}

pub(crate) fn start_with(
    owner: &OwnerKey,
    data: &Path,
    log: &impl ServedLog,
    token: Option<&str>,
    more: &[&str],
) -> OwnerHost {
    let mut arguments = log.arguments();
    arguments.extend(more.iter().map(|&word| word.to_owned()));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    OwnerHost::start(owner, data, &arguments, token)
}

/// The events of the log follow one another, and one confirmation led to one trace.
fn check_log(owner: &OwnerKey, data: &Path, log: &impl ServedLog) {
    let writes = owner.log_of(data, log.opens());
    let mut events = 0;
    for write in &writes {
        if let StoreWrite::Event { seq, .. } = write {
            events += 1;
            assert_eq!(*seq, events, "an event is missing, or there twice");
        }
    }
    // A host that goes on while a trace is on its way hands it to the log once more; it is one trace.
    let confirmed = writes.iter().filter_map(|write| {
        let StoreWrite::Trace(row) = write else {
            return None;
        };
        (row.outcome == Outcome::Confirmed).then(|| row.trace_id.as_str())
    });
    assert_eq!(confirmed.collect::<BTreeSet<_>>().len(), 1);
}

fn killed_host_is_taken_over(log: &impl ServedLog) {
    let owner = OwnerKey::new();
    let (here, there) = (owner.folder("here"), owner.folder("there"));
    let first = start(&owner, &here, log, None);
    let token = first.token.clone();
    let (phone, card) = first.ask_owner();
    assert_eq!(card["decision"]["chosen"]["kind"], "BREATHE_478");
    first.kill();
    drop(phone);

    let second = start(&owner, &there, log, Some(&token));
    let same = second.card();
    assert_eq!(same["card_id"], card["card_id"], "the same card");
    assert_eq!(
        same["prompts"], card["prompts"],
        "the same deadline and capability"
    );
    let _phone = second.phone();
    second.confirm(&card);
    second.wait_until_confirmed();

    // The first one comes back, follows, and takes the owner from the second, which lives.
    let back = start_with(&owner, &here, log, Some(&token), &["--take-over"]);
    assert_eq!(
        back.card()["prompts"].as_array().map_or(0, Vec::len),
        0,
        "nothing is asked again"
    );
    assert_eq!(
        back.outcomes()
            .iter()
            .filter(|outcome| *outcome == "confirmed")
            .count(),
        1
    );
    let _ = second.post_stress();
    assert_eq!(second.end(), FENCED);
    back.kill();
    check_log(&owner, &here, log);
}

#[test]
fn killed_host_is_taken_over_by_a_log_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    killed_host_is_taken_over(&LogFile(&dir.path().join("log.db")));
}

#[test]
fn killed_host_is_taken_over_by_a_log_on_a_server() {
    killed_host_is_taken_over(&NatsServer::start());
}

fn zombie_writes_and_acknowledges_nothing(log: &impl ServedLog) {
    let owner = OwnerKey::new();
    let (here, there) = (owner.folder("here"), owner.folder("there"));
    let zombie = start(&owner, &here, log, None);
    let token = zombie.token.clone();
    let (_zombies_phone, card) = zombie.ask_owner();
    zombie.freeze();
    // Within a write to a file it would keep everybody out for as long as it is frozen, which no server lets happen.
    while !log.is_free() {
        zombie.thaw();
        zombie.freeze();
    }
    let before = owner.log_of(&here, log.opens()).len();

    let host = start(&owner, &there, log, Some(&token));
    let _phone = host.phone();
    host.confirm(&card);
    host.wait_until_confirmed();
    zombie.thaw();
    // It still has the card open, and its phone is there.
    let answered = zombie.try_confirm(&card);
    assert!(!(200..300).contains(&answered), "a zombie answered {answered}");
    assert_eq!(zombie.end(), FENCED);

    let (status, _) = host.request("GET", "/v1/now", None);
    assert_eq!(status, 200, "the other one goes on");
    host.kill();
    check_log(&owner, &there, log);
    let reader = StoreReader::open(&owner.vault(&here)).unwrap();
    let kept = reader.events_from(1, u32::MAX).unwrap();
    let events_before = owner.log_of(&here, log.opens())[..before]
        .iter()
        .filter(|write| matches!(write, StoreWrite::Event { .. }))
        .count();
    // It may have been frozen after an append and before its commit.
    assert!(
        (1..=events_before).contains(&kept.len()),
        "its store has nothing that the log had not before: {} of {events_before}",
        kept.len()
    );
}

#[test]
fn zombie_of_a_log_in_a_file_writes_and_acknowledges_nothing() {
    let dir = tempfile::tempdir().unwrap();
    zombie_writes_and_acknowledges_nothing(&LogFile(&dir.path().join("log.db")));
}

#[test]
fn zombie_of_a_log_on_a_server_writes_and_acknowledges_nothing() {
    zombie_writes_and_acknowledges_nothing(&NatsServer::start());
}

#[test]
fn nothing_is_accepted_while_the_server_is_away_and_then_it_goes_on_by_itself() {
    let mut server = NatsServer::start();
    let owner = OwnerKey::new();
    let here = owner.folder("here");
    let host = start(&owner, &here, &server, None);
    let (_phone, card) = host.ask_owner();
    server.kill();
    // Her page is not shown to her either: that she saw it could not be recorded.
    let answered = host.try_confirm(&card);
    assert!(!(200..300).contains(&answered), "{answered}");
    let (status, reply) = host.post_stress();
    assert!(!(200..300).contains(&status), "{status}: {reply}");
    server.start_again();
    host.confirm(&card);
    host.wait_until_confirmed();
    host.kill();
    check_log(&owner, &here, &server);
}

#[test]
fn confirmation_that_the_log_did_not_take_in_time_is_not_accepted_and_nothing_is_done() {
    let mut server = NatsServer::start();
    let owner = OwnerKey::new();
    let here = owner.folder("here");
    let host = start(&owner, &here, &server, None);
    let (_phone, card) = host.ask_owner();
    host.see_page();
    server.kill();
    let answered = host.try_confirm_unseen(&card);
    assert!(!(200..300).contains(&answered), "{answered}");
    server.start_again();
    let ended = until("trace", || host.outcomes().pop());
    assert_ne!(ended, "confirmed");
    host.kill();
    let writes = owner.log_of(&here, server.opens());
    for write in &writes {
        let StoreWrite::Trace(row) = write else { continue };
        assert_ne!(row.outcome, Outcome::Confirmed);
        let trace: Trace = serde_json::from_str(&row.json).unwrap();
        assert!(
            trace.tool_calls.iter().all(|call| call.result.is_none()),
            "{trace:?}"
        );
    }
}

#[test]
fn press_that_the_log_did_not_take_is_done_once_when_it_is_repeated_by_the_same_key() {
    let mut server = NatsServer::start();
    let owner = OwnerKey::new();
    let here = owner.folder("here");
    let host = start(&owner, &here, &server, None);
    let channel = "ch_0000000000000001";
    server.kill();
    let (status, reply) = host.mute_by_key(channel, "press");
    assert!(status >= 500, "{status}: {reply}");
    server.start_again();
    let trace = until("acceptance", || {
        let (status, reply) = host.mute_by_key(channel, "press");
        (status == 200).then(|| reply["trace_id"].as_str().unwrap().to_owned())
    });
    // Once more, here and where another host goes on.
    assert_eq!(host.mute_by_key(channel, "press").1["trace_id"], trace);
    let (token, there) = (host.token.clone(), owner.folder("there"));
    host.kill();
    let host = start_with(&owner, &there, &server, Some(&token), &["--take-over"]);
    assert_eq!(host.mute_by_key(channel, "press").1["trace_id"], trace);
    host.kill();
    let writes = owner.log_of(&here, server.opens());
    // A trace may be handed to the log twice, and is one.
    let done = writes.iter().filter_map(|write| {
        let StoreWrite::Trace(row) = write else {
            return None;
        };
        let kept: Trace = serde_json::from_str(&row.json).unwrap();
        let is_done = kept.tool_calls.iter().any(|call| call.result.is_some());
        is_done.then(|| kept.trace_id.as_str().to_owned())
    });
    assert_eq!(done.collect::<BTreeSet<_>>(), BTreeSet::from([trace]));
}

#[test]
fn service_that_ends_while_its_log_does_not_answer_blocks_no_actors_thread() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log.db");
    let arguments = LogFile(&file).arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let owner = OwnerKey::new();
    let here = owner.folder("here");
    let mut child = serving(&owner, &here, &arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut line, mut said) = (String::new(), String::new());
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert!(port_in(&line).is_some(), "not ready: {line:?}");
    // Whoever writes to the log waits for this.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    until("end of the process", || child.try_wait().unwrap());
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("STORE-018"), "{said}");
    assert!(!said.contains("an arbiter is blocked"), "{said}");
}

/// The owner's word that all of it goes.
fn delete_everything(data: &Path) -> Child {
    command(&["memory", "delete", "--everything", "--yes", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn forgetting_is_done_when_no_host_has_it_and_the_log_has_not() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log.db");
    let log = LogFile(&file);
    let owner = OwnerKey::new();
    let (here, there) = (owner.folder("here"), owner.folder("there"));
    let host = start(&owner, &there, &log, None);
    let token = host.token.clone();
    let (phone, card) = host.ask_owner();
    host.confirm(&card);
    host.wait_until_confirmed();
    drop(phone);
    host.kill();

    let host = start_with(&owner, &here, &log, Some(&token), &["--take-over"]);
    assert_eq!(host.outcomes(), ["confirmed"]);
    // While somebody reads the file, nothing is overwritten in it: the removal stays under way.
    let reader = rusqlite::Connection::open(&file).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM log").unwrap();
    let mut deletion = delete_everything(&here);
    until("cut", || {
        let (first, _) = owner.log_since_cut(&here, log.opens());
        (first > 1).then_some(())
    });
    assert!(deletion.try_wait().unwrap().is_none(), "it is not done");
    host.kill();
    let said = deletion.wait_with_output().unwrap();
    assert!(!said.status.success(), "{said:?}");
    drop(reader);

    // The one that has all of it takes over, and carries it out.
    let host = start_with(&owner, &there, &log, Some(&token), &["--take-over"]);
    assert_eq!(host.outcomes(), Vec::<String>::new());
    let kept = StoreReader::open(&owner.vault(&there)).unwrap();
    assert_eq!(kept.unfinished().unwrap(), []);
    drop(kept);
    let seal = KeyCipher::derive(owner.vault(&there).seed());
    assert_eq!(log.opens()(seal.subject()).keys().unwrap().len(), 1);
    let (_, writes) = owner.log_since_cut(&there, log.opens());
    assert!(!writes.iter().any(|write| matches!(write, StoreWrite::Trace(_))));
    host.kill();

    let host = start_with(&owner, &here, &log, Some(&token), &["--take-over"]);
    assert_eq!(host.outcomes(), Vec::<String>::new());
    // And once more, to its end.
    let said = delete_everything(&here).wait_with_output().unwrap();
    assert!(said.status.success(), "{said:?}");
    host.kill();
}

#[test]
fn owner_with_a_past_is_gone_on_with_elsewhere_and_status_says_where() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log.db");
    let log = LogFile(&file);
    let owner = OwnerKey::new();
    let (here, there) = (owner.folder("here"), owner.folder("there"));
    // As `aura run`, without a log.
    let store = Store::open(&owner.vault(&here), StoreOptions::default())
        .unwrap()
        .0;
    store
        .put_policy("0".repeat(64), "of her past".to_owned())
        .unwrap();
    store.commit_now().unwrap();
    drop(store);
    let host = start(&owner, &here, &log, None);
    let token = host.token.clone();
    let status = command(&["status", "--log"])
        .arg(&file)
        .arg("--data")
        .arg(&here)
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&status.stdout).unwrap_or_else(|_| panic!("{status:?}"));
    assert_eq!(status["served_by"]["process"], host.process());
    assert_eq!(status["snapshot_holds_entries_to"], 0);
    assert!(status["last_entry"].as_u64().unwrap() > 0, "{status}");
    host.kill();

    let host = start_with(&owner, &there, &log, Some(&token), &["--take-over"]);
    assert_eq!(host.request("GET", "/v1/now", None).0, 200);
    host.kill();
    let kept = StoreReader::open(&owner.vault(&there)).unwrap();
    assert_eq!(
        kept.policy(&"0".repeat(64)).unwrap().as_deref(),
        Some("of her past")
    );
}
