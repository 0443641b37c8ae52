//! Another process goes on with an owner.
//!
//! What: `aura-hosts` on two folders with one key and one log; the first process is killed, or hangs and comes back. Why: that is the promise: the same
//! button on the same card works, what was accepted stands in one log exactly once, and who lost the owner writes nothing. Not here: stores without a
//! service (`between`), who takes over when (docs/hosts.md).

use crate::support::{
    NatsServer,
    service::{OwnerHost, OwnerKey, until},
};
use aura_hosts::{JournalLog, OwnerSubject, SqliteLog, jetstream::JetStreamLog};
use aura_memory::{StoreReader, StoreWrite};
use std::path::Path;
use toolcall_schema::{Outcome, trace::Trace};

/// What an exit says that another host runs the owner (STORE-017).
const FENCED: Option<i32> = Some(75);

/// One log and its address on a command line.
trait ServedLog {
    type Log: JournalLog;
    fn arguments(&self) -> Vec<String>;
    fn open(&self, owner: &OwnerSubject) -> Self::Log;
}

struct LogFile<'a>(&'a Path);

impl ServedLog for LogFile<'_> {
    type Log = SqliteLog;

    fn arguments(&self) -> Vec<String> {
        vec!["--log".to_owned(), self.0.display().to_string()]
    }

    fn open(&self, owner: &OwnerSubject) -> SqliteLog {
        SqliteLog::open(self.0, owner).unwrap()
    }
}

impl ServedLog for NatsServer {
    type Log = JetStreamLog;

    fn arguments(&self) -> Vec<String> {
        let address = format!("nats://127.0.0.1:{}", self.port);
        ["--log", &address, "--log-streams", "4"]
            .map(str::to_owned)
            .to_vec()
    }

    fn open(&self, owner: &OwnerSubject) -> JetStreamLog {
        JetStreamLog::open(&self.connect(), owner).unwrap()
    }
}

fn start(owner: &OwnerKey, data: &Path, log: &impl ServedLog, token: Option<&str>) -> OwnerHost {
    start_with(owner, data, log, token, &[])
}

fn start_with(
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
    let writes = owner.log_of(data, |owner| log.open(owner));
    let mut events = 0;
    for write in &writes {
        if let StoreWrite::Event { seq, .. } = write {
            events += 1;
            assert_eq!(*seq, events, "an event is missing, or there twice");
        }
    }
    let is_confirmed =
        |write: &&StoreWrite| matches!(write, StoreWrite::Trace(row) if row.outcome == Outcome::Confirmed);
    assert_eq!(writes.iter().filter(is_confirmed).count(), 1);
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
    let before = owner.log_of(&here, |owner| log.open(owner)).len();

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
    let events_before = owner.log_of(&here, |owner| log.open(owner))[..before]
        .iter()
        .filter(|write| matches!(write, StoreWrite::Event { .. }))
        .count();
    assert_eq!(kept.len(), events_before, "its store has what it had");
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
    let writes = owner.log_of(&here, |owner| server.open(owner));
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
