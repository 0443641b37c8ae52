//! Which traces name a person or a chat.
//!
//! What: the rows of `mentions`, written with each trace and for all that an earlier Aura kept. Why: the page about one need not read all traces. A row goes with its
//! trace. Not here: who asks (`graph::about`).

use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// How the ids begin that are looked for, and how many hexadecimal digits follow.
const PREFIXES: [&str; 2] = ["pe_", "ch_"];
const DIGITS: usize = 16;

/// The people and chats whose ids stand anywhere in a trace.
fn mentioned(json: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for prefix in PREFIXES {
        for (at, _) in json.match_indices(prefix) {
            let id = json.get(at..at + prefix.len() + DIGITS);
            let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            found.extend(id.filter(|id| id.bytes().skip(prefix.len()).all(is_digit)));
        }
    }
    found
}

/// Notes whom a trace names, which is kept under `tick`.
pub(crate) fn note(conn: &Connection, tick: i64, json: &str) -> rusqlite::Result<()> {
    let ids = mentioned(json);
    if ids.is_empty() {
        return Ok(());
    }
    let mut insert =
        conn.prepare_cached("INSERT INTO mentions (thing, tick) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for id in ids {
        insert.execute(params![id, tick])?;
    }
    Ok(())
}

/// Notes whom every trace names that is kept.
pub(crate) fn note_all(conn: &Connection) -> rusqlite::Result<()> {
    let mut kept = conn.prepare("SELECT tick, json FROM traces")?;
    let mut rows = kept.query([])?;
    while let Some(row) = rows.next()? {
        note(conn, row.get(0)?, row.get_ref(1)?.as_str().unwrap_or_default())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    #[test]
    fn whole_ids_are_found_wherever_they_stand() {
        let json = r#"{"subject":"ch_00000000000000c3","on":"ch_00000000000000c3@2026-11-03","by":["pe_00000000000000aa"],
            "rule":"mute-pe_00000000000000bb","cut":"pe_00000000","upper":"ch_00000000000000C3","item":"it_00000000000000b2"}"#;
        let found: Vec<&str> = mentioned(json).into_iter().collect();
        assert_eq!(
            found,
            [
                "ch_00000000000000c3",
                "pe_00000000000000aa",
                "pe_00000000000000bb"
            ]
        );
        assert!(mentioned("pe_0000000000000\u{e4}").is_empty());
    }

    #[test]
    fn what_an_earlier_aura_kept_is_noted_once_and_goes_with_its_trace() {
        let conn = Connection::open_in_memory().unwrap();
        conn.pragma_update(None, "foreign_keys", true).unwrap();
        for sql in &schema::MIGRATIONS[..schema::MENTIONS_SINCE - 1] {
            conn.execute_batch(sql).unwrap();
        }
        for (tick, subject) in [
            (1, "ch_00000000000000c3"),
            (-1, "pe_00000000000000aa"),
            (2, "2026-11-03"),
        ] {
            conn.execute(
                "INSERT INTO traces (tick, trace_id, at_ms, outcome, json) VALUES (?1, 'tr_' || ?1, 0, 'silent', ?2)",
                params![tick, format!(r#"{{"decision":{{"tick":1}},"subject":"{subject}"}}"#)],
            )
            .unwrap();
        }
        conn.execute_batch(schema::MIGRATIONS[schema::MENTIONS_SINCE - 1])
            .unwrap();
        let noted = || -> Vec<(String, i64)> {
            let mut kept = conn
                .prepare("SELECT thing, tick FROM mentions ORDER BY thing")
                .unwrap();
            let rows = kept.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.map(Result::unwrap).collect()
        };
        for _ in 0..2 {
            note_all(&conn).unwrap();
            assert_eq!(
                noted(),
                [
                    ("ch_00000000000000c3".to_owned(), 1),
                    ("pe_00000000000000aa".to_owned(), -1)
                ]
            );
        }
        conn.execute("DELETE FROM traces WHERE tick = 1", []).unwrap();
        assert_eq!(noted(), [("pe_00000000000000aa".to_owned(), -1)]);
    }
}
