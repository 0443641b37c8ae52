//! What shows when somebody who has the file changes the log.

use super::*;

/// One who has the file open and knows how it is made, but not the installation's key.
fn intruder(dir: &Vault) -> Connection {
    let conn = connection(dir);
    let drop_triggers =
        "DROP TRIGGER audit_is_appended_to; DROP TRIGGER audit_is_kept; DROP TRIGGER audit_only_forgets;
        DROP TRIGGER heads_are_appended_to; DROP TRIGGER heads_are_kept; DROP TRIGGER heads_stay;";
    conn.execute_batch(drop_triggers).unwrap();
    conn
}

#[test]
fn every_tampering_names_the_first_bad_record() {
    use AuditFault::{Changed, CutOff, Meaning, Missing, Rewritten, Signature, Tree};
    let cut = |size| CutOff { day: day(4), size };
    for (what, sql, record, fault) in [
        ("op", "UPDATE audit SET op = 'write' WHERE seq = 5", 5, Changed),
        (
            "unknown op",
            "UPDATE audit SET op = 'look' WHERE seq = 5",
            5,
            Changed,
        ),
        (
            "time",
            "UPDATE audit SET at_ms = at_ms + 1 WHERE seq = 1",
            1,
            Changed,
        ),
        (
            "chain",
            "UPDATE audit SET chain = zeroblob(32) WHERE seq = 20",
            20,
            Changed,
        ),
        (
            "length",
            "UPDATE audit SET chain = zeroblob(31) WHERE seq = 7",
            7,
            Changed,
        ),
        (
            "commitment",
            "UPDATE audit SET commitment = zeroblob(32) WHERE seq = 9",
            9,
            Changed,
        ),
        (
            "two in each other's place",
            "UPDATE audit SET seq = CASE seq WHEN 6 THEN -7 ELSE -6 END WHERE seq IN (6, 7);
            UPDATE audit SET seq = -seq WHERE seq < 0",
            6,
            Changed,
        ),
        ("taken out", "DELETE FROM audit WHERE seq = 12", 12, Missing),
        ("first taken out", "DELETE FROM audit WHERE seq = 1", 1, Missing),
        (
            "taken out, the others renumbered",
            "DELETE FROM audit WHERE seq = 12;
            UPDATE audit SET seq = -(seq - 1) WHERE seq > 12; UPDATE audit SET seq = -seq WHERE seq < 0",
            12,
            Changed,
        ),
        (
            "put in",
            "INSERT INTO audit SELECT 21, at_ms, op, commitment, chain, nodes, kind, id, count, blind
            FROM audit WHERE seq = 20",
            21,
            Changed,
        ),
        ("cut off", "DELETE FROM audit WHERE seq > 17", 18, cut(20)),
        (
            "all gone",
            "DELETE FROM audit",
            1,
            CutOff { day: day(3), size: 8 },
        ),
        (
            "another id",
            "UPDATE audit SET id = 'tr_x' WHERE seq = 3",
            3,
            Meaning,
        ),
        (
            "another kind",
            "UPDATE audit SET kind = 'node' WHERE seq = 4",
            4,
            Meaning,
        ),
        ("a count", "UPDATE audit SET count = 1 WHERE seq = 4", 4, Meaning),
        (
            "half forgotten",
            "UPDATE audit SET blind = NULL WHERE seq = 4",
            4,
            Changed,
        ),
        (
            "tree",
            "UPDATE audit SET nodes = zeroblob(length(nodes)) WHERE seq = 16",
            16,
            Tree,
        ),
        (
            "head's root",
            "UPDATE heads SET root = zeroblob(32) WHERE size = 20",
            9,
            Signature {
                day: day(4),
                size: 20,
            },
        ),
        (
            "head's day",
            "UPDATE heads SET day = '2026-11-09' WHERE size = 8",
            1,
            Signature { day: day(9), size: 8 },
        ),
        (
            "head of other records",
            "UPDATE heads SET size = 9 WHERE size = 8",
            1,
            Signature { day: day(3), size: 9 },
        ),
    ] {
        let dir = folder();
        log_of_two_days(&dir);
        intruder(&dir).execute_batch(sql).unwrap();
        let found = verify(&dir, &[]).unwrap_err();
        assert_eq!(found, AuditFinding { record, fault }, "{what}");
    }
    // What the log's own heads cannot tell, a copy does: the tail cut off with its head.
    let dir = folder();
    let heads = log_of_two_days(&dir);
    let cut_off = "DELETE FROM audit WHERE seq > 17; DELETE FROM heads WHERE size = 20";
    intruder(&dir).execute_batch(cut_off).unwrap();
    assert_eq!(verify(&dir, &heads[..1]).unwrap().records, 17);
    let found = verify(&dir, &heads).unwrap_err();
    assert_eq!(
        found,
        AuditFinding {
            record: 18,
            fault: cut(20)
        }
    );
    // The same key and all of it written anew, without the 12th: only the copies stand against it.
    for file in ["aura.db", "aura.db-wal", "aura.db-shm", "aura.db.head"] {
        // Not all of them are left after the last close.
        let _ = std::fs::remove_file(dir.dir().join(file));
    }
    let store = store(&dir);
    let others = (9..=21).filter(|n| *n != 12).map(read_of);
    commit(&store, (1..=8).map(read_of).collect());
    commit(&store, others.collect());
    commit(&store, vec![StoreWrite::Head { day: day(4) }]);
    drop(store);
    assert_eq!(verify(&dir, &[]).unwrap().records, 20);
    let found = verify(&dir, &heads[1..]).unwrap_err();
    let fault = Rewritten {
        day: day(4),
        size: 20,
    };
    assert_eq!(found, AuditFinding { record: 1, fault });
}

#[test]
fn a_copied_head_that_was_edited_or_is_of_another_installation_is_told() {
    let (dir, other) = (folder(), folder());
    let heads = log_of_two_days(&dir);
    let foreign = log_of_two_days(&other);
    let mut edited = heads[1].clone();
    edited.root.0[0] ^= 1;
    let mut longer = heads[1].clone();
    longer.size = 25;
    for (copied, record, size) in [(&edited, 9, 20), (&foreign[0], 1, 8), (&longer, 21, 25)] {
        let found = verify(&dir, &[heads[0].clone(), copied.clone()]).unwrap_err();
        let fault = AuditFault::Signature {
            day: copied.day,
            size,
        };
        // Of the foreign one's size there is a copy that agrees, so the next record is the first in doubt.
        let record = if size == 8 { 9 } else { record };
        assert_eq!(found, AuditFinding { record, fault }, "{copied:?}");
    }
}

#[test]
fn a_missing_record_stops_the_start_and_is_named() {
    let dir = folder();
    log_of_two_days(&dir);
    intruder(&dir)
        .execute_batch("DELETE FROM audit WHERE seq = 16")
        .unwrap();
    let error = Store::open(&dir, StoreOptions::default()).unwrap_err();
    assert_eq!(error.code(), "STORE-003");
    assert!(error.to_string().contains("record 16 is missing"), "{error}");
}

#[test]
fn a_log_that_lost_its_end_goes_on_and_the_loss_stays_to_be_seen() {
    let dir = folder();
    log_of_two_days(&dir);
    intruder(&dir)
        .execute_batch("DELETE FROM audit WHERE seq > 17")
        .unwrap();
    let lost = AuditFinding {
        record: 18,
        fault: AuditFault::CutOff {
            day: day(4),
            size: 20,
        },
    };
    assert_eq!(verify(&dir, &[]), Err(lost));
    assert!(commit(
        &store(&dir),
        vec![read_of(18), StoreWrite::Head { day: day(5) }]
    ));
    let later: Vec<StoreWrite> = (19..=30).map(read_of).collect();
    assert!(commit(
        &store(&dir),
        [later, vec![StoreWrite::Head { day: day(5) }]].concat()
    ));
    let anew = AuditFinding {
        record: 9,
        fault: AuditFault::Rewritten {
            day: day(4),
            size: 20,
        },
    };
    assert_eq!(verify(&dir, &[]), Err(anew));
}
