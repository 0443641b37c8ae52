//! By which index questions about traces and events are answered.

use super::*;
use crate::{
    erase::TRACES_WITHIN,
    store::{Store, StoreOptions},
};

/// How SQLite would look for the rows of a question.
fn plan(reader: &StoreReader, sql: &str) -> String {
    let mut explained = reader.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let values = vec![1_i64; explained.parameter_count()];
    let lines = explained
        .query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>(3))
        .unwrap();
    lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
}

#[test]
fn no_page_of_traces_reads_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let vault = Vault::ephemeral(dir.path()).unwrap();
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let reader = StoreReader::open(&vault).unwrap();
    for (sql, by) in [
        (TICKS_PAGE, "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
        (CALLS_BETWEEN, "USING INDEX traces_calls"),
        (TICK_BOUNDS, "USING INDEX traces_at (at_ms>? AND at_ms<?)"),
        (TRACES_WITHIN, "USING INDEX traces_at (at_ms>? AND at_ms<?)"),
        (DECIDED_BEFORE, "USING COVERING INDEX traces_at (at_ms<?)"),
        (TRACES_ABOUT, "SEARCH mentions USING PRIMARY KEY (thing=?)"),
    ] {
        let plan = plan(&reader, sql);
        assert!(
            plan.contains(by) && !plan.contains("SCAN traces"),
            "{sql}: {plan}"
        );
    }
}

#[test]
fn events_are_found_by_their_times_where_some_are_missing_and_some_are_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let vault = Vault::ephemeral(dir.path()).unwrap();
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let file = dir.path().join(crate::schema::FILE);
    let key = vault.database_key(crate::schema::FILE);
    let conn = database::open_as_it_is(&key, &file).unwrap();
    let reader = StoreReader::open(&vault).unwrap();
    let between = |from: i64, to: i64| -> Vec<u64> {
        let (from, to) = (Timestamp::from_ms(from), Timestamp::from_ms(to));
        let rows = reader.events_between(from, to, 100).unwrap();
        rows.iter().map(|row| row.seq).collect()
    };
    assert!(between(0, 1000).is_empty());
    // Number and time.
    let kept = [(3, 10), (4, 20), (5, 20), (9, 20), (10, 30), (40, 50), (41, 50)];
    for (seq, at_ms) in kept {
        conn.execute(
            "INSERT INTO events (seq, at_ms, json) VALUES (?1, ?2, '{}')",
            [seq, at_ms],
        )
        .unwrap();
    }
    for from in 0..60 {
        for to in 0..60 {
            let expected: Vec<u64> = kept
                .iter()
                .filter(|(_, at)| from <= *at && *at <= to)
                .map(|(seq, _)| u64::try_from(*seq).unwrap())
                .collect();
            assert_eq!(between(from, to), expected, "{from} to {to}");
        }
    }
}
