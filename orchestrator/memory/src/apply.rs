//! From a write to the rows of the tables.
//!
//! What: [`apply`], one write within a transaction. Why: the writer, and an opening that takes in what was not committed, write the same
//! rows. Not here: the transaction (`writer`).

use crate::{
    audit::AuditLog,
    behind::LeftBehind,
    erase, graph, mentions,
    rows::{StoreWrite, TraceRow, to_sql},
    signals::SignalFate,
    workflows,
};
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use toolcall_schema::names::ActionKind;

/// Keeps a trace where none is kept under its key or id; 0: one is. Whom it names is to be noted.
fn insert_only_trace(conn: &Connection, row: &TraceRow) -> rusqlite::Result<usize> {
    conn.prepare_cached(
        "INSERT INTO traces (tick, trace_id, at_ms, outcome, chosen, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        row.key(),
        row.trace_id.as_str(),
        row.at_ms,
        row.outcome.as_str(),
        row.chosen.map(ActionKind::as_str),
        row.json
    ])
}

/// Keeps a trace, with whom it names, where none is kept under its key or id; 0: one is.
pub(crate) fn insert_trace(conn: &Connection, row: &TraceRow) -> rusqlite::Result<usize> {
    let inserted = insert_only_trace(conn, row)?;
    if inserted > 0 {
        mentions::note(conn, row.key(), &row.json)?;
    }
    Ok(inserted)
}

/// What becomes of nodes, of edges and of whom a trace names.
pub(crate) enum GraphPart<'a, 'w> {
    /// They are written at once, findable by their words or not.
    Now { searchable: bool },
    /// They are left to be written behind the commit.
    Behind(&'a mut LeftBehind<&'w StoreWrite>),
}

/// Carries out one write. `false`: another record is kept under that id.
pub(crate) fn apply<'w>(
    tx: &Transaction<'_>,
    audit: &mut AuditLog,
    write: &'w StoreWrite,
    part: &mut GraphPart<'_, 'w>,
) -> rusqlite::Result<bool> {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| tx.prepare_cached(sql)?.execute(values);
    // Repeating a record is harmless; a different one under its id is a bug that must not go unseen.
    let keep_first = |inserted: usize, same: &str, values: &[&dyn rusqlite::ToSql]| {
        let same = || tx.prepare_cached(same)?.query_row(values, |_| Ok(())).optional();
        Ok(inserted > 0 || same()?.is_some())
    };
    match write {
        StoreWrite::Event { seq, at_ms, json } => run(
            "INSERT INTO events (seq, at_ms, json) VALUES (?1, ?2, ?3)",
            params![to_sql(*seq), at_ms, json],
        )
        .map(|_| true),
        StoreWrite::Snapshot { seq, json } => run(
            "INSERT INTO snapshot (one, seq, json) VALUES (1, ?1, ?2)
             ON CONFLICT DO UPDATE SET seq = excluded.seq, json = excluded.json WHERE excluded.seq >= seq",
            params![to_sql(*seq), json],
        )
        .map(|_| true),
        // A file, changed before the transaction is committed.
        StoreWrite::Outbox { .. } | StoreWrite::DraftChange(_) => Ok(true),
        // A line of a file, which has it already.
        StoreWrite::QuarantineLine { .. } => Ok(true),
        StoreWrite::Run(write) => workflows::apply(tx, write).map(|_| true),
        StoreWrite::Base(base) => erase::put_base(tx, base).map(|()| true),
        StoreWrite::Erasing(Some(note)) => {
            run("DELETE FROM erasing", params![])?;
            let json = serde_json::to_string(note).unwrap_or_default();
            run("INSERT INTO erasing (json) VALUES (?1)", params![json]).map(|_| true)
        }
        StoreWrite::Erasing(None) => run("DELETE FROM erasing", params![]).map(|_| true),
        StoreWrite::Decision { trace_id, json } => {
            let values = params![trace_id.as_str(), json];
            let inserted = run(
                "INSERT INTO decisions (trace_id, json) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                values,
            )?;
            audit.count_rows(inserted);
            keep_first(
                inserted,
                "SELECT 1 FROM decisions WHERE trace_id = ?1 AND json = ?2",
                values,
            )
        }
        StoreWrite::Trace(row) => {
            let inserted = match part {
                GraphPart::Now { .. } => insert_trace(tx, row)?,
                GraphPart::Behind(left) => {
                    let inserted = insert_only_trace(tx, row)?;
                    if inserted > 0 {
                        left.leave_mentions(row);
                    }
                    inserted
                }
            };
            if inserted > 0 {
                audit.append_trace(tx, row.trace_id.as_str(), row.at_ms)?;
            }
            keep_first(
                inserted,
                "SELECT 1 FROM traces WHERE trace_id = ?1 AND json = ?2",
                params![row.trace_id.as_str(), row.json],
            )
        }
        StoreWrite::Ledger(row) => run(
            "INSERT INTO ledger (seq, day, trace_id, entry, tokens, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
            params![
                to_sql(row.seq),
                row.day.to_string(),
                // No null in a key: two rows without a trace would never be the same.
                row.trace_id.as_ref().map_or("", |id| id.as_str()),
                row.entry.as_str(),
                row.tokens,
                row.at_ms
            ],
        )
        .map(|inserted| {
            audit.count_rows(inserted);
            true
        }),
        StoreWrite::AgentState { agent, json } => run(
            "INSERT INTO agent_states (agent, json) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET json = excluded.json",
            params![agent.as_str(), json],
        )
        .and_then(|_| {
            run(
                "DELETE FROM agent_state_changes WHERE agent = ?1",
                params![agent.as_str()],
            )
        })
        .map(|_| true),
        StoreWrite::AgentStateChange { agent, number, json } => run(
            "INSERT INTO agent_state_changes (agent, number, json) VALUES (?1, ?2, ?3)",
            params![agent.as_str(), number, json],
        )
        .map(|_| true),
        StoreWrite::Policy { hash, text } => run(
            "INSERT INTO policies (hash, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            params![hash, text],
        )
        .map(|_| true),
        StoreWrite::Node { .. } | StoreWrite::Edge(_) => {
            audit.count_rows(1);
            match part {
                GraphPart::Now { searchable } => graph::write(tx, write, *searchable)?,
                GraphPart::Behind(left) => left.leave(write),
            }
            Ok(true)
        }
        StoreWrite::Label { of, text, at } => {
            audit.append_label(tx, of, *at)?;
            graph::label(tx, of, text.as_deref(), *at).map(|()| true)
        }
        StoreWrite::Device { id, json: Some(json) } => run(
            "INSERT INTO devices (id, json) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET json = excluded.json",
            params![id, json],
        )
        .map(|_| true),
        StoreWrite::Device { id, json: None } => {
            run("DELETE FROM devices WHERE id = ?1", params![id]).map(|_| true)
        }
        StoreWrite::Account {
            account,
            part,
            sealed: Some(sealed),
        } => run(
            "INSERT INTO accounts (account, part, sealed) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
            params![account, part, sealed],
        )
        .map(|_| true),
        StoreWrite::Account {
            account,
            part,
            sealed: None,
        } => run(
            "DELETE FROM accounts WHERE account = ?1 AND part = ?2",
            params![account, part],
        )
        .map(|_| true),
        StoreWrite::ConfirmedTime { json } => keep_confirmed_time(tx, json).map(|()| true),
        StoreWrite::Signal(signal) => run(
            "INSERT INTO signals (key, at_ms, refused) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![
                signal.key.as_str(),
                signal.at_ms,
                signal.fate == SignalFate::Refused
            ],
        )
        .map(|_| true),
        // Replaced, not kept: the newest row is the one in force, also when it was in force before.
        StoreWrite::Catalogue { hash, lock } => run(
            "INSERT OR REPLACE INTO catalogues (hash, lock) VALUES (?1, ?2)",
            params![hash, lock],
        )
        .map(|_| true),
        StoreWrite::Audit(entry) => audit.append(tx, entry).map(|_| true),
        StoreWrite::Head { day } => audit.append_head(tx, *day).map(|()| true),
    }
}

/// Keeps up to when time is borne out.
fn keep_confirmed_time(conn: &Connection, json: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO confirmed_time (one, json) VALUES (1, ?1) ON CONFLICT DO UPDATE SET json = excluded.json",
    )?
    .execute([json])?;
    Ok(())
}
