//! The log in a real store: what is appended, what shows when it is tampered with, what erasing leaves.

use super::*;
use crate::{
    CommitFaults, LedgerRow, Store, StoreError, StoreOptions, StoreReader, StoreWrite, TraceRow, Vault,
    database,
};
use chrono::NaiveDate;
use rusqlite::{Connection, OpenFlags};
use std::{
    ops::Deref,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
};
use tempfile::TempDir;
use toolcall_schema::{Outcome, Timestamp, forget::TimeSpan, ids::TraceId, ledger::LedgerEntry};

mod tampering;

/// A folder whose keys live in this test.
struct Folder {
    _dir: TempDir,
    vault: Vault,
}

impl Deref for Folder {
    type Target = Vault;

    fn deref(&self) -> &Vault {
        &self.vault
    }
}

fn folder() -> Folder {
    let dir = TempDir::new().unwrap();
    let vault = Vault::ephemeral(dir.path()).unwrap();
    Folder { _dir: dir, vault }
}

fn store(vault: &Vault) -> Store {
    Store::open(vault, StoreOptions::default()).unwrap().0
}

fn reader(vault: &Vault) -> (StoreReader, AuditKeys) {
    (StoreReader::open(vault).unwrap(), AuditKeys::derive(vault.seed()))
}

fn connection(vault: &Vault) -> Connection {
    let (key, file) = (vault.database_key("aura.db"), vault.dir().join("aura.db"));
    database::open_connection(&key, &file, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap()
}

fn commit(store: &Store, writes: Vec<StoreWrite>) -> bool {
    let (tell, told) = mpsc::channel();
    store.write(writes).unwrap();
    store
        .commit(Box::new(move |done| tell.send(done.is_ok()).unwrap()))
        .unwrap();
    told.recv().unwrap()
}

fn entry(at_ms: i64, op: Op, meaning: AuditSubject) -> StoreWrite {
    StoreWrite::Audit(AuditEntry { at_ms, op, meaning })
}

fn read_of(n: u32) -> StoreWrite {
    entry(
        i64::from(n) * 1000,
        Op::Read,
        AuditSubject::one(Kind::Trace, &format!("tr_{n:012}")),
    )
}

fn day(n: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, n).unwrap()
}

/// 20 records; a head of the 3rd after 8 of them, and of the 4th at the end.
fn log_of_two_days(dir: &Vault) -> Vec<SignedTreeHead> {
    let store = store(dir);
    commit(&store, (1..=8).map(read_of).collect());
    commit(&store, vec![StoreWrite::Head { day: day(3) }]);
    commit(&store, (9..=20).map(read_of).collect());
    commit(&store, vec![StoreWrite::Head { day: day(4) }]);
    drop(store);
    let (reader, keys) = reader(dir);
    reader.heads(&keys).unwrap()
}

fn verify(dir: &Vault, copied: &[SignedTreeHead]) -> Result<VerifiedLog, AuditFinding> {
    let (reader, keys) = reader(dir);
    reader.verify_audit(&keys, copied, |_| {}).unwrap()
}

#[test]
fn a_sound_log_verifies_and_its_heads_stand_for_its_records() {
    let dir = folder();
    let heads = log_of_two_days(&dir);
    let days: Vec<_> = heads.iter().map(|head| (head.day, head.size)).collect();
    assert_eq!(days, [(day(3), 8), (day(4), 20)]);
    assert!(heads.iter().all(SignedTreeHead::is_signed));
    let wanted = VerifiedLog {
        records: 20,
        erased: 0,
        heads: 2,
        copied: 2,
    };
    assert_eq!(verify(&dir, &heads), Ok(wanted));
    // A new start goes on where the log was.
    commit(&store(&dir), vec![read_of(21)]);
    assert_eq!(verify(&dir, &heads).unwrap().records, 21);
}

#[test]
fn tables_refuse_every_change_but_forgetting() {
    let dir = folder();
    log_of_two_days(&dir);
    let conn = connection(&dir);
    for (sql, allowed) in [
        ("DELETE FROM audit WHERE seq = 20", false),
        ("UPDATE audit SET op = 'write' WHERE seq = 5", false),
        ("UPDATE audit SET id = 'other' WHERE seq = 5", false),
        ("UPDATE audit SET id = NULL WHERE seq = 5", false),
        (
            "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 5",
            false,
        ),
        (
            "INSERT INTO audit SELECT 22, at_ms, op, commitment, chain, nodes, kind, id, count, blind FROM audit WHERE seq = 5",
            false,
        ),
        ("UPDATE heads SET day = '2026-11-09'", false),
        ("DELETE FROM heads", false),
        (
            "INSERT INTO heads SELECT 7, day, root, chain, signature FROM heads WHERE size = 8",
            false,
        ),
        (
            "INSERT OR REPLACE INTO heads SELECT * FROM heads WHERE size = 8",
            false,
        ),
        (
            "UPDATE audit SET kind = NULL, id = NULL, count = NULL, blind = NULL WHERE seq = 5",
            true,
        ),
    ] {
        assert_eq!(conn.execute(sql, []).is_ok(), allowed, "{sql}");
    }
    assert_eq!(verify(&dir, &[]).unwrap().erased, 1);
}

#[test]
fn forgetting_destroys_the_meaning_and_no_proof() {
    let dir = folder();
    let heads = log_of_two_days(&dir);
    let (before, keys) = reader(&dir);
    let proof = before.audit_proof(&keys, 5, true).unwrap().unwrap();
    assert_eq!(proof.check(), Ok(()));
    let conn = connection(&dir);
    let forget =
        |found: Vec<i64>| -> usize { found.iter().map(|seq| conn.execute(FORGET, [seq]).unwrap()).sum() };
    let named = records_naming(&conn, ["tr_000000000005", "tr_none"]).unwrap();
    assert_eq!(forget(named.into_iter().collect()), 1);
    // From 10 s on, before 12 s: the 10th and the 11th.
    let span = |from, to| TimeSpan {
        from: Timestamp::from_ms(from),
        to: Timestamp::from_ms(to),
    };
    assert_eq!(forget(records_in_span(&conn, span(9001, 12_000)).unwrap()), 2);
    assert_eq!(forget(records_in_span(&conn, span(9001, 12_000)).unwrap()), 0);
    assert_eq!(forget(records_in_span(&conn, span(20_001, i64::MAX)).unwrap()), 0);
    let (after, _) = reader(&dir);
    let kept = after.audit(&AuditFilter::default(), 100).unwrap();
    let gone: Vec<_> = kept
        .iter()
        .filter(|r| r.revealed.is_none())
        .map(|r| r.seq)
        .collect();
    assert_eq!(gone, [11, 10, 5]);
    let wanted = VerifiedLog {
        records: 20,
        erased: 3,
        heads: 2,
        copied: 2,
    };
    assert_eq!(verify(&dir, &heads), Ok(wanted));
    let now = after.audit_proof(&keys, 5, true).unwrap().unwrap();
    assert_eq!(now.check(), Ok(()));
    assert_eq!(
        (&now.path, &now.record.commitment),
        (&proof.path, &proof.record.commitment)
    );
    assert_eq!(now.record.revealed, None);
    assert_eq!(
        forget(records_in_span(&conn, span(i64::MIN, i64::MAX)).unwrap()),
        17
    );
    assert_eq!(verify(&dir, &heads).unwrap().erased, 20);
}

#[test]
fn a_proof_holds_for_its_record_alone() {
    let dir = folder();
    log_of_two_days(&dir);
    commit(&store(&dir), vec![read_of(21)]);
    let (reader, keys) = reader(&dir);
    for seq in 1..=20 {
        let proof = reader.audit_proof(&keys, seq, seq % 2 == 0).unwrap().unwrap();
        let text = serde_json::to_string(&proof).unwrap();
        let back: InclusionProof = serde_json::from_str(&text).unwrap();
        assert_eq!(back.check(), Ok(()), "{seq}");
        assert_eq!(back.record.revealed.is_some(), seq % 2 == 0);
        let mut other = back.clone();
        other.record.at_ms += 1;
        assert_eq!(other.check(), Err(ProofError::Path), "{seq}");
        let mut other = back.clone();
        other.record.seq = 0;
        assert_eq!(other.check(), Err(ProofError::Path), "{seq}");
        let mut other = back.clone();
        other.head.size += 1;
        assert_eq!(other.check(), Err(ProofError::Signature), "{seq}");
        if let Some(revealed) = &mut other.record.revealed {
            other.head = back.head;
            revealed.meaning.count = Some(1);
            assert_eq!(other.check(), Err(ProofError::Meaning), "{seq}");
        }
    }
    let none = |seq| reader.audit_proof(&keys, seq, false).unwrap().unwrap_err();
    assert_eq!(none(21), NoProof::Head { seq: 21 });
    assert_eq!(none(22), NoProof::Record { seq: 22, last: 21 });
    assert_eq!(none(0), NoProof::Record { seq: 0, last: 21 });
}

fn trace(n: u64) -> TraceRow {
    TraceRow {
        trace_id: TraceId::parse(&format!("tr_{n:012}")).unwrap(),
        tick: n,
        call: None,
        at_ms: 1000,
        outcome: Outcome::Silent,
        chosen: None,
        json: format!("{{\"n\":{n}}}"),
    }
}

#[test]
fn each_kept_trace_has_one_record_with_what_its_turn_wrote() {
    let dir = folder();
    let store = store(&dir);
    let decision = |n: u64| StoreWrite::Decision {
        trace_id: trace(n).trace_id,
        json: "{}".to_owned(),
    };
    let ledger = |seq| {
        StoreWrite::Ledger(LedgerRow {
            seq,
            day: day(3),
            trace_id: None,
            entry: LedgerEntry::Ceiling,
            tokens: 3,
            at_ms: 0,
        })
    };
    // In one commit and over two; the trace that is repeated is not kept twice.
    commit(
        &store,
        vec![decision(1), ledger(1), StoreWrite::Trace(trace(1)), decision(2)],
    );
    commit(
        &store,
        vec![
            StoreWrite::Trace(trace(1)),
            StoreWrite::Trace(trace(2)),
            StoreWrite::Trace(trace(3)),
        ],
    );
    let (reader, _) = reader(&dir);
    let mut records = reader.audit(&AuditFilter::default(), 10).unwrap();
    records.reverse();
    let said: Vec<_> = records
        .into_iter()
        .map(|r| (r.seq, r.op, r.revealed.unwrap().meaning))
        .collect();
    let of = |n: u32, count| AuditSubject::one(Kind::Trace, &format!("tr_{n:012}")).with_count(count);
    assert_eq!(
        said,
        [
            (1, Op::Write, of(1, 2)),
            (2, Op::Write, of(2, 1)),
            (3, Op::Write, of(3, 0))
        ]
    );
}

struct Full(AtomicBool);

impl CommitFaults for Full {
    fn before_commit(&self) -> Result<(), StoreError> {
        if self.0.load(Ordering::Relaxed) {
            Err(StoreError::disk_full(Path::new("aura.db")))
        } else {
            Ok(())
        }
    }
}

#[test]
fn a_commit_that_failed_leaves_neither_gap_nor_record() {
    let dir = folder();
    let full = Arc::new(Full(AtomicBool::new(false)));
    let options = StoreOptions {
        faults: Some(full.clone()),
        ..StoreOptions::default()
    };
    let (store, _) = Store::open(&dir, options).unwrap();
    assert!(commit(&store, vec![read_of(1), StoreWrite::Head { day: day(3) }]));
    full.0.store(true, Ordering::Relaxed);
    assert!(!commit(
        &store,
        vec![
            read_of(2),
            StoreWrite::Trace(trace(1)),
            StoreWrite::Head { day: day(4) }
        ]
    ));
    assert_eq!(reader(&dir).0.audit_size().unwrap(), 1);
    full.0.store(false, Ordering::Relaxed);
    assert!(commit(&store, vec![read_of(3)]));
    let wanted = VerifiedLog {
        records: 4,
        erased: 0,
        heads: 2,
        copied: 0,
    };
    assert_eq!(verify(&dir, &[]), Ok(wanted));
}

#[test]
fn a_clock_before_the_last_record_counts_as_its_time() {
    let dir = folder();
    let at = |at_ms| entry(at_ms, Op::Read, AuditSubject::all_of(Kind::Ledger));
    commit(&store(&dir), vec![at(-5), at(500), at(400)]);
    commit(&store(&dir), vec![at(300), at(600)]);
    let records = reader(&dir).0.audit(&AuditFilter::default(), 9).unwrap();
    let times: Vec<_> = records.iter().rev().map(|record| record.at_ms).collect();
    assert_eq!(times, [-5, 500, 500, 500, 600]);
}

#[test]
fn the_newest_records_are_read_without_the_others() {
    let dir = folder();
    let record = |n| entry(n, Op::Read, AuditSubject::all_of(Kind::Ledger));
    commit(&store(&dir), (0..500).map(record).collect());
    let conn = connection(&dir);
    let mut records = conn.prepare(&read::records_sql()).unwrap();
    let null = rusqlite::types::Null;
    let params = rusqlite::params![null, null, null, null, null, null, 20];
    let rows = records.query_map(params, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(
        rows.map(Result::unwrap).collect::<Vec<_>>(),
        (481..=500).rev().collect::<Vec<_>>()
    );
    // Some 40 steps a row that is told; to look at one of the other 480 takes two at least.
    let steps = records.get_status(rusqlite::StatementStatus::VmStep);
    assert!(steps < 960, "{steps} steps");
}

#[test]
fn the_list_answers_what_is_asked() {
    let dir = folder();
    let key_change = entry(21_000, Op::KeyChange, AuditSubject::all_of(Kind::Key));
    log_of_two_days(&dir);
    commit(&store(&dir), vec![key_change]);
    let (reader, _) = reader(&dir);
    let seqs = |filter: &AuditFilter, limit| {
        let records = reader.audit(filter, limit).unwrap();
        records.iter().map(|record| record.seq).collect::<Vec<_>>()
    };
    let all = AuditFilter::default;
    assert_eq!(seqs(&all(), 2), [21, 20]);
    for (filter, wanted) in [
        (
            AuditFilter {
                op: Some(Op::KeyChange),
                ..all()
            },
            vec![21],
        ),
        (
            AuditFilter {
                kind: Some(Kind::Key),
                ..all()
            },
            vec![21],
        ),
        (
            AuditFilter {
                id: TargetId::parse("tr_000000000004").ok(),
                ..all()
            },
            vec![4],
        ),
        (
            AuditFilter {
                from_ms: Some(19_001),
                ..all()
            },
            vec![21, 20],
        ),
        (
            AuditFilter {
                before_ms: Some(2000),
                ..all()
            },
            vec![1],
        ),
        (
            AuditFilter {
                before: Some(3),
                ..all()
            },
            vec![2, 1],
        ),
        (
            AuditFilter {
                op: Some(Op::Purge),
                ..all()
            },
            vec![],
        ),
    ] {
        assert_eq!(seqs(&filter, 100), wanted, "{filter:?}");
    }
}
