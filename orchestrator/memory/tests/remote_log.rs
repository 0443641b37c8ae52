//! A store that follows a log outside its process.
//!
//! What: a log in memory that answers as it is told to, and the stores of two hosts. Why: what the writer does before it commits is the same for every
//! log. Not here: a log that is cut (`log_snapshot`), logs in files and on servers, processes that are killed (`orchestrator/hosts/tests`).

use aura_memory::{
    CommitFaults, LogPage, LoggedWrites, OpenRemoteLog, RemoteLog, RemoteSnapshot, Store, StoreDeath,
    StoreError, StoreOptions, StoreReader, StoreWrite, Vault, leave_log, outbox,
    outbox::{DraftChange, DraftEdit, DraftEditOutcome},
    quarantine::{self, QuarantineEntry, QuarantineKind, QuarantineLine, QuarantineWriter},
    workflows::{AppendOutcome, RunSummary, RunWrite},
};
use serde_json::{from_slice, to_vec};
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    io::{Cursor, Read},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, mpsc},
};
use tempfile::TempDir;
use toolcall_schema::{Timestamp, ids::sha256_hex, rejection::RefusalReason};

#[derive(Default)]
pub(crate) struct LogState {
    /// Of those before the first nothing is left.
    pub(crate) entries: Vec<Vec<u8>>,
    pub(crate) first: usize,
    pub(crate) snapshot: Option<(u64, Vec<u8>)>,
    /// How many entries there may be after a snapshot; 0: any number.
    pub(crate) entries_max: u64,
    /// So many snapshots are not taken.
    pub(crate) refused_snapshots: u32,
    /// How often a new key was asked for.
    pub(crate) keys: u32,
    /// So many appends are not answered; half of them are written all the same.
    unanswered: u32,
    /// What was sent, whether or not it was taken.
    sent: Vec<Vec<u8>>,
    sealed: u64,
}

/// A log in memory, which all its hosts have open.
#[derive(Clone, Default)]
pub(crate) struct MemoryLog(Arc<Mutex<LogState>>);

impl MemoryLog {
    pub(crate) fn state(&self) -> MutexGuard<'_, LogState> {
        self.0.lock().unwrap()
    }

    fn opens(&self) -> OpenRemoteLog {
        let log = self.clone();
        Arc::new(move |_| Ok(Box::new(log.clone()) as Box<dyn RemoteLog>))
    }

    pub(crate) fn leave_unanswered(&self, count: u32) {
        self.state().unanswered = count;
    }

    /// The entries that hold something, opened.
    fn groups(&self) -> Vec<Vec<StoreWrite>> {
        let state = self.state();
        let opened = state.entries[state.first..]
            .iter()
            .map(|entry| open_entry(entry))
            .collect::<Vec<_>>();
        opened.into_iter().filter(|writes| !writes.is_empty()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.state().entries.len()
    }

    /// Another host appends.
    fn take_over(&self) {
        let entry = self.clone().seal(0, &[]).unwrap();
        self.state().entries.push(entry);
    }
}

fn open_entry(entry: &[u8]) -> Vec<StoreWrite> {
    let (_, writes) = from_slice::<(u64, Vec<StoreWrite>)>(entry).unwrap();
    writes
}

impl RemoteLog for MemoryLog {
    fn seal(&mut self, _position: u64, writes: &[&StoreWrite]) -> Result<Vec<u8>, StoreError> {
        let mut state = self.state();
        // Other bytes each time, as a nonce has it.
        state.sealed += 1;
        Ok(to_vec(&(state.sealed, writes)).unwrap())
    }

    fn salt(&mut self, _position: u64, entry: &[u8]) -> Result<[u8; 32], StoreError> {
        Ok(Sha256::digest(entry).into())
    }

    fn append(&mut self, position: u64, entry: &[u8]) -> Result<(), StoreError> {
        let mut state = self.state();
        state.sent.push(entry.to_vec());
        let is_answered = state.unanswered == 0;
        state.unanswered = state.unanswered.saturating_sub(1);
        if !is_answered && state.unanswered.is_multiple_of(2) {
            return Err(StoreError::LogAway);
        }
        let index = usize::try_from(position).unwrap() - 1;
        match state.entries.get(index) {
            Some(there) if there == entry => {}
            // Also where another one was and is cut.
            Some(_) => return Err(StoreError::Fenced),
            None if index == state.entries.len() => state.entries.push(entry.to_vec()),
            None => return Err(StoreError::Fenced),
        }
        if is_answered {
            Ok(())
        } else {
            Err(StoreError::LogAway)
        }
    }

    fn read_after(&mut self, position: u64, at_most: usize) -> Result<LogPage, StoreError> {
        let state = self.state();
        let after = usize::try_from(position).unwrap();
        if after > state.entries.len() {
            return Err(StoreError::LogUnfit {
                dir: "elsewhere".into(),
                what: "it ends before",
            });
        }
        if after < state.first {
            return Ok(LogPage::Cut);
        }
        let page = (position + 1..)
            .zip(state.entries.iter().skip(after))
            .take(at_most);
        let entries = page.map(|(position, sealed)| LoggedWrites {
            position,
            sealed: sealed.clone(),
            writes: open_entry(sealed),
        });
        Ok(LogPage::Entries(entries.collect()))
    }

    fn entries_max(&self) -> u64 {
        match self.state().entries_max {
            0 => u64::MAX,
            most => most,
        }
    }

    fn snapshot(&mut self) -> Result<Option<RemoteSnapshot<'_>>, StoreError> {
        let kept = self.state().snapshot.clone();
        Ok(kept.map(|(position, bytes)| RemoteSnapshot {
            position,
            content: Box::new(Cursor::new(bytes)),
        }))
    }

    fn put_snapshot(&mut self, position: u64, content: &mut dyn Read) -> Result<(), StoreError> {
        let mut bytes = Vec::new();
        // A store that is being closed lets go of it.
        if content.read_to_end(&mut bytes).is_err() {
            return Err(StoreError::LogAway);
        }
        let mut state = self.state();
        if state.refused_snapshots > 0 {
            state.refused_snapshots -= 1;
            return Err(StoreError::LogAway);
        }
        state.snapshot = Some((position, bytes));
        let first = usize::try_from(position).unwrap().saturating_sub(1);
        for entry in &mut state.entries[..first] {
            entry.clear();
        }
        state.first = first;
        Ok(())
    }

    fn renew_key(&mut self) -> Result<(), StoreError> {
        self.state().keys += 1;
        Ok(())
    }
}

/// A disk that takes nothing as often as this says.
struct FullDisk(Mutex<u32>);

impl CommitFaults for FullDisk {
    fn before_commit(&self) -> Result<(), StoreError> {
        let mut left = self.0.lock().unwrap();
        if *left == 0 {
            return Ok(());
        }
        *left -= 1;
        Err(StoreError::disk_full(Path::new("aura.db")))
    }
}

/// A host's folder, and what became of its store's writer.
pub(crate) struct Host {
    pub(crate) dir: TempDir,
    deaths: Arc<Mutex<Vec<StoreDeath>>>,
}

impl Host {
    pub(crate) fn new() -> Self {
        Self {
            dir: TempDir::new().unwrap(),
            deaths: Arc::default(),
        }
    }

    pub(crate) fn vault(&self) -> Vault {
        Vault::demo(self.dir.path()).unwrap()
    }

    fn options(&self, log: &MemoryLog) -> StoreOptions {
        let deaths = Arc::clone(&self.deaths);
        StoreOptions {
            remote_log: Some(log.opens()),
            on_death: Some(Arc::new(move |death| deaths.lock().unwrap().push(death))),
            ..StoreOptions::default()
        }
    }

    pub(crate) fn try_open(&self, log: &MemoryLog) -> Result<Store, StoreError> {
        Store::open(&self.vault(), self.options(log)).map(|(store, _)| store)
    }

    pub(crate) fn open(&self, log: &MemoryLog) -> Store {
        self.try_open(log).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<u64> {
        let rows = StoreReader::open(&self.vault())
            .unwrap()
            .events_from(1, 10_000)
            .unwrap();
        rows.into_iter().map(|row| row.seq).collect()
    }

    pub(crate) fn deaths(&self) -> Vec<StoreDeath> {
        self.deaths.lock().unwrap().clone()
    }
}

pub(crate) fn event(seq: u64) -> StoreWrite {
    StoreWrite::Event {
        seq,
        at_ms: 0,
        json: format!("{{\"n\":{seq}}}"),
    }
}

/// `None`: nobody answers.
pub(crate) fn commit(store: &Store) -> Option<Result<(), &'static str>> {
    let (tell, told) = mpsc::channel();
    let ack = Box::new(move |result: Result<(), aura_memory::CommitError>| {
        tell.send(result.map_err(|error| error.cause.code())).unwrap();
    });
    store.commit(ack).ok()?;
    told.recv().ok()
}

pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, StoreError>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn what_is_committed_is_in_the_log_before_in_order_and_once() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    assert_eq!(log.len(), 1, "whoever opens it is in the log at once");
    for seq in 1..=3 {
        store.write(vec![event(seq)]).unwrap();
        assert_eq!(commit(&store), Some(Ok(())));
    }
    store.write(vec![event(4)]).unwrap();
    store.write(vec![event(5), event(6)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    let written = log.groups();
    assert_eq!(
        written.iter().flatten().cloned().collect::<Vec<_>>(),
        (1..=6).map(event).collect::<Vec<_>>()
    );
    drop(store);
    assert_eq!(host.events(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(host.deaths(), []);
}

#[test]
fn large_and_many_groups_become_several_entries_and_no_group_is_divided() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    let large = |seq| StoreWrite::Event {
        seq,
        at_ms: 0,
        json: format!("\"{}\"", "x".repeat(200 << 10)),
    };
    log.leave_unanswered(1);
    let _ = commit(&store);
    store.write(vec![large(1), large(2)]).unwrap();
    store.write(vec![large(3)]).unwrap();
    store.write(vec![event(4)]).unwrap();
    store.write((5..=604).map(event).collect()).unwrap();
    store.write(vec![event(605)]).unwrap();
    while commit(&store) != Some(Ok(())) {}
    let mut expected = 1;
    for group in log.groups() {
        for write in group {
            let StoreWrite::Event { seq, .. } = write else {
                panic!("{write:?}")
            };
            assert_eq!(seq, expected);
            expected += 1;
        }
    }
    assert_eq!(expected, 606);
    drop(store);
    let other = Host::new();
    fs::copy(host.dir.path().join("key"), other.dir.path().join("key")).unwrap();
    assert_eq!(host.events().len(), 605);
}

#[test]
fn nothing_is_acknowledged_while_the_log_does_not_answer_and_then_all_of_it_once() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    store.write(vec![event(1)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    log.leave_unanswered(4);
    let begun = log.state().sent.len();
    for seq in 2..=5 {
        store.write(vec![event(seq)]).unwrap();
        assert_eq!(commit(&store), Some(Err("STORE-018")));
        assert_eq!(host.events(), [1]);
    }
    let sent = log.state().sent.split_off(begun);
    assert!(
        sent.windows(2).all(|two| two[0] == two[1]),
        "the same bytes each time"
    );
    store.write(vec![event(6)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    assert_eq!(log.groups().concat(), (1..=6).map(event).collect::<Vec<_>>());
    assert_eq!(host.events(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(host.deaths(), []);
}

#[test]
fn full_disk_after_an_append_has_nothing_appended_twice() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let options = StoreOptions {
        faults: Some(Arc::new(FullDisk(Mutex::new(2)))),
        ..host.options(&log)
    };
    let (store, _) = Store::open(&host.vault(), options).unwrap();
    for seq in 1..=2 {
        store.write(vec![event(seq)]).unwrap();
        assert_eq!(commit(&store), Some(Err("STORE-007")));
    }
    assert_eq!(log.groups().concat(), [event(1), event(2)]);
    store.write(vec![event(3)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    assert_eq!(log.groups().concat(), [event(1), event(2), event(3)]);
    drop(store);
    assert_eq!(host.events(), [1, 2, 3]);
}

#[test]
fn writer_that_another_host_took_over_from_commits_nothing_and_tells_nobody() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    store.write(vec![event(1)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    log.take_over();
    store.write(vec![event(2)]).unwrap();
    assert_eq!(commit(&store), None);
    assert_eq!(host.deaths(), [StoreDeath::Fenced]);
    drop(store);
    assert_eq!(host.events(), [1]);
    assert_eq!(log.groups().concat(), [event(1)]);
}

#[test]
fn runs_and_edits_of_drafts_are_in_the_log_before_anybody_is_told() {
    let run = |json: &str| RunWrite::Append {
        n: 0,
        json: json.to_owned(),
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
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    log.leave_unanswered(1);
    assert_eq!(code(store.write_run(run("{}"))), "STORE-006");
    assert_eq!(store.write_run(run("{}")).unwrap(), AppendOutcome::Written);
    assert_eq!(
        store.write_run(run("{\"late\":1}")).unwrap(),
        AppendOutcome::Taken
    );
    let text = "Before.".to_owned();
    let name = "draft.txt".to_owned();
    store
        .write(vec![StoreWrite::Outbox {
            name: name.clone(),
            text: Some(text.clone()),
        }])
        .unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    let edit = |shown: &str, text: &str| {
        let (tell, told) = mpsc::channel();
        let edit = DraftEdit {
            name: name.clone(),
            shown: sha256_hex(shown.as_bytes()),
            text: text.to_owned(),
        };
        let ack = Box::new(move |done| tell.send(done).unwrap());
        store.change_draft(DraftChange::Edit(edit), ack).unwrap();
        told.recv().map(|told: Result<_, StoreError>| told.unwrap())
    };
    assert_eq!(edit(&text, "After."), Ok(DraftEditOutcome::Kept));
    assert_eq!(edit(&text, "Too late."), Ok(DraftEditOutcome::Changed));

    // Another host has all of it, also one that takes it in twice.
    let (other, third) = (Host::new(), Host::new());
    for taking in [&other, &third, &other] {
        drop(taking.open(&log));
        let events = StoreReader::open(&taking.vault())
            .unwrap()
            .run_events("aa", 0)
            .unwrap();
        let events: Vec<&str> = events.iter().map(|event| event.json.as_str()).collect();
        assert_eq!(events, ["{}"]);
        assert_eq!(outbox::list(taking.dir.path(), "").unwrap()[0].text, "After.");
    }
    assert!(edit("After.", "Nobody's.").is_err(), "nobody is told");
    drop(store);
    assert_eq!(host.deaths(), [StoreDeath::Fenced]);
    assert_eq!(outbox::list(host.dir.path(), "").unwrap()[0].text, "After.");
}

#[test]
fn what_was_refused_is_with_the_next_host_once() {
    let (log, host, other) = (MemoryLog::default(), Host::new(), Host::new());
    let refuse = |quarantine: &QuarantineWriter, raw: &[u8]| {
        let why = RefusalReason {
            code: "GATE-003".to_owned(),
            pointer: String::new(),
            message: "not JSON".to_owned(),
        };
        let entry = QuarantineEntry::new(Timestamp::from_ms(1), why, "cafe", raw).showing(raw);
        quarantine.record(QuarantineKind::Calls, entry);
        let (tell, told) = mpsc::channel();
        quarantine
            .flush(Box::new(move || tell.send(()).unwrap()))
            .unwrap();
        told.recv().unwrap();
    };
    let raws = |host: &Host| -> Vec<String> {
        let lines = quarantine::list(host.dir.path(), QuarantineKind::Calls).unwrap();
        let raw = |line: Result<(u64, QuarantineLine), StoreError>| {
            let QuarantineLine::Entry(entry) = line.unwrap().1 else {
                panic!("a line that is no entry");
            };
            entry.raw
        };
        lines.map(raw).collect()
    };
    for (writing, reading) in [(&host, &other), (&other, &host)] {
        let store = Arc::new(writing.open(&log));
        let mirror = store.quarantine_mirror();
        let quarantine = QuarantineWriter::open_mirrored(writing.dir.path(), mirror).unwrap();
        let before = raws(writing).len();
        refuse(&quarantine, b"{one");
        refuse(&quarantine, &vec![b'x'; 2 << 20]);
        refuse(&quarantine, b"{two");
        assert_eq!(commit(&store), Some(Ok(())));
        drop((quarantine, store));
        assert_eq!(raws(writing).len(), before + 3);
        for _ in 0..2 {
            drop(reading.open(&log));
        }
        drop(writing.open(&log));
        assert_eq!(raws(writing).len(), before + 3, "not twice");
    }
    // Of equal lines one is enough, and a long one stays where it was.
    assert_eq!(raws(&host).iter().filter(|raw| raw.len() < 10).count(), 2);
}

#[test]
fn next_host_has_all_of_it_and_the_one_before_is_refused() {
    let (log, first, second) = (MemoryLog::default(), Host::new(), Host::new());
    let store = first.open(&log);
    for seq in 1..=300 {
        store.write(vec![event(seq)]).unwrap();
        if seq % 2 == 0 {
            assert_eq!(commit(&store), Some(Ok(())));
        }
    }
    let (next, recovered) = Store::open(&second.vault(), second.options(&log)).unwrap();
    assert_eq!(recovered.next_seq, 301);
    store.write(vec![event(301)]).unwrap();
    assert_eq!(commit(&store), None);
    next.write(vec![event(301)]).unwrap();
    assert_eq!(commit(&next), Some(Ok(())));
    drop(next);
    drop(store);
    assert_eq!(second.events(), (1..=301).collect::<Vec<_>>());
    assert_eq!(first.events(), (1..=300).collect::<Vec<_>>());
    // It comes back, and has what the other one wrote.
    let (back, recovered) = Store::open(&first.vault(), first.options(&log)).unwrap();
    assert_eq!(recovered.next_seq, 302);
    drop(back);
    assert_eq!(first.events(), second.events());
    assert_eq!(
        (first.deaths(), second.deaths()),
        (vec![StoreDeath::Fenced], vec![])
    );
}

#[test]
fn store_and_log_that_do_not_belong_together_are_refused() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    store.write(vec![event(1)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    drop(store);
    let without = |host: &Host| Store::open(&host.vault(), StoreOptions::default());
    assert_eq!(code(without(&host)), "STORE-019");
    // A log that lost what it had acknowledged, and one that went on otherwise since.
    let shorter = MemoryLog::default();
    shorter.state().entries = log.state().entries[..1].to_vec();
    assert_eq!(code(host.try_open(&shorter)), "STORE-019");
    shorter.take_over();
    shorter.take_over();
    assert_eq!(code(host.try_open(&shorter)), "STORE-019");
    drop(host.open(&log));
    // A past that a log in use does not have.
    let other = Host::new();
    drop(without(&other).unwrap());
    assert_eq!(code(other.try_open(&log)), "STORE-019");
    // A log that does not answer.
    log.leave_unanswered(1);
    let away = host.try_open(&log).unwrap_err();
    assert!(away.is_temporary(), "{away}");
    drop(host.open(&log));
    leave_log(&host.vault()).unwrap();
    drop(without(&host).unwrap());
    assert_eq!(code(host.try_open(&log)), "STORE-019");
    // Another log may have its past.
    drop(host.open(&MemoryLog::default()));
}
