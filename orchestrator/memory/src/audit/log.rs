//! The table of records, and appending to it.
//!
//! What: [`AuditLog`], what the writer remembers of the log so that appending costs the same however long it is; [`FORGET`].
//! Why: a record and what it speaks of are one transaction. Not here: reading (`read`), checking (`verify`).
//!
//! Each row holds the nodes of the tree that its leaf completes, two on average. They are the whole tree: the right edge is
//! read back at a start, and a proof made, from a logarithmic number of rows.

use super::{
    head::AuditKeys,
    record::{AuditEntry, AuditSubject, Kind, Op, TargetId, leaf},
    tree::{Sha256Hash, TreeFrontier, leaf_hash},
};
use crate::{
    error::StoreError,
    graph::NodeKey,
    rows::{from_sql, to_sql},
};
use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension as _, params};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{collections::BTreeSet, path::Path, sync::Arc};
use toolcall_schema::{Timestamp, forget::TimeSpan, ids::hmac_sha256};

/// What the writer remembers. It is copied before a transaction and the copy kept when that succeeds.
#[derive(Debug, Clone)]
pub(crate) struct AuditLog {
    keys: Arc<AuditKeys>,
    frontier: TreeFrontier,
    chain: Sha256Hash,
    at_ms: i64,
    /// How many records the newest head stands for.
    head: u64,
    /// How many rows were written since the last record of a trace.
    wrote: u64,
    /// What the blinds of records are derived from, and how many were; absent: they are random.
    blinds: Option<(Sha256Hash, u64)>,
}

impl AuditLog {
    /// What the tables hold; constant in time but for the logarithm of their length.
    ///
    /// # Errors
    /// STORE-003 when a record that the tree needs is not there, STORE-007.
    pub(crate) fn open(
        conn: &Connection,
        file: &Path,
        keys: impl Into<Arc<AuditKeys>>,
    ) -> Result<Self, StoreError> {
        let sql = |e| StoreError::sql(file, e);
        let last = conn
            .query_row(
                "SELECT seq, at_ms, chain FROM audit ORDER BY seq DESC LIMIT 1",
                [],
                |row| Ok((from_sql(row.get(0)?), row.get(1)?, row.get(2)?)),
            )
            .optional()
            .map_err(sql)?;
        let (size, at_ms, chain) = last.unwrap_or((0, i64::MIN, [0; 32]));
        let head = conn
            .query_row("SELECT coalesce(max(size), 0) FROM heads", [], |row| row.get(0))
            .map_err(sql)?;
        Ok(Self {
            keys: keys.into(),
            frontier: TreeFrontier::load(size, node_reader(conn, file))?,
            chain,
            at_ms,
            head: from_sql(head),
            wrote: 0,
            blinds: None,
        })
    }

    /// What follows is in an entry of the log outside the process: its records are the same on each host that takes it in, blinds and all. The salt of
    /// an entry goes with its key, so that a record which lost its meaning does not get it back.
    pub(crate) fn enter(&mut self, salt: Sha256Hash) {
        if self.blinds.is_none_or(|(last, _)| last != salt) {
            (self.blinds, self.wrote) = (Some((salt, 0)), 0);
        }
    }

    /// What follows is in no entry.
    pub(crate) fn leave(&mut self) {
        self.blinds = None;
    }

    fn blind(&mut self) -> rusqlite::Result<Sha256Hash> {
        let Some((salt, used)) = &mut self.blinds else {
            return random();
        };
        let blind = hmac_sha256(salt, &[b"audit blind v1", &used.to_be_bytes()]);
        *used += 1;
        Ok(blind)
    }

    /// By what it is chained and signed.
    pub(crate) fn keys(&self) -> Arc<AuditKeys> {
        Arc::clone(&self.keys)
    }

    /// Appends a record; its number.
    ///
    /// Cost: two HMACs, three hashes on average, 32 random bytes and one row of about 250 bytes.
    pub(crate) fn append(&mut self, conn: &Connection, entry: &AuditEntry) -> rusqlite::Result<u64> {
        let blind = self.blind()?;
        self.append_blinded(conn, entry, &blind)
    }

    /// The same, with the blind that was made with the record.
    pub(super) fn append_blinded(
        &mut self,
        conn: &Connection,
        entry: &AuditEntry,
        blind: &Sha256Hash,
    ) -> rusqlite::Result<u64> {
        let seq = self.frontier.size().saturating_add(1);
        let at_ms = entry.at_ms.max(self.at_ms);
        let commitment = entry.meaning.commitment(blind);
        let leaf = leaf(seq, at_ms, entry.op, &commitment);
        let chain = self.keys.chain(&self.chain, &leaf);
        let nodes = self.frontier.push(leaf_hash(&leaf)).concat();
        let AuditSubject { count, id, kind } = &entry.meaning;
        conn.prepare_cached(
            "INSERT INTO audit (seq, at_ms, op, commitment, chain, nodes, kind, id, count, blind)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            to_sql(seq),
            at_ms,
            entry.op.as_str(),
            commitment,
            chain,
            nodes,
            kind.as_str(),
            id.as_ref().map(TargetId::as_str),
            count.map(to_sql),
            blind
        ])?;
        (self.at_ms, self.chain) = (at_ms, chain);
        Ok(seq)
    }

    /// Records that a trace is kept, with how many rows were written beside it since the last one: one record a turn.
    pub(crate) fn append_trace(&mut self, conn: &Connection, id: &str, at_ms: i64) -> rusqlite::Result<u64> {
        let meaning = AuditSubject::one(Kind::Trace, id).with_count(std::mem::take(&mut self.wrote));
        let op = Op::Write;
        self.append(conn, &AuditEntry { at_ms, op, meaning })
    }

    /// Records that the owner gave a thing a name, or took it away; not which name.
    pub(crate) fn append_label(
        &mut self,
        conn: &Connection,
        of: &NodeKey,
        at: Timestamp,
    ) -> rusqlite::Result<u64> {
        let meaning = AuditSubject::one(Kind::Node, of.as_str());
        let (at_ms, op) = (at.ms(), Op::Label);
        self.append(conn, &AuditEntry { at_ms, op, meaning })
    }

    /// Counts rows for the record of the turn they belong to.
    pub(crate) fn count_rows(&mut self, rows: usize) {
        self.wrote = self.wrote.saturating_add(u64::try_from(rows).unwrap_or(u64::MAX));
    }

    /// Signs what there is as the head of a day; nothing when nothing was recorded since the last one.
    pub(crate) fn append_head(&mut self, conn: &Connection, day: NaiveDate) -> rusqlite::Result<()> {
        let size = self.frontier.size();
        // A log that lost its end is shorter than its last head; it must go on all the same.
        if size <= self.head {
            return Ok(());
        }
        let head = self.keys.sign_head(day, size, self.frontier.root(), self.chain);
        conn.prepare_cached(
            "INSERT INTO heads (size, day, root, chain, signature) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            to_sql(size),
            day.to_string(),
            head.root.0,
            head.chain.0,
            head.signature.0
        ])?;
        self.head = size;
        Ok(())
    }
}

/// Reads the nodes of the tree.
pub(super) fn node_reader<'a>(
    conn: &'a Connection,
    file: &'a Path,
) -> impl FnMut(u32, u64) -> Result<Sha256Hash, StoreError> + 'a {
    move |level, index| {
        let seq = index.saturating_add(1) << level;
        let nodes = conn
            .prepare_cached("SELECT nodes FROM audit WHERE seq = ?1")
            .and_then(|mut find| {
                find.query_row([to_sql(seq)], |row| row.get::<_, Vec<u8>>(0))
                    .optional()
            })
            .map_err(|e| StoreError::sql(file, e))?;
        let (nodes, _) = nodes.as_deref().unwrap_or_default().as_chunks::<32>();
        let node = usize::try_from(level).ok().and_then(|level| nodes.get(level));
        node.copied().ok_or_else(|| StoreError::Damaged {
            file: file.to_owned(),
            what: format!(
                "table audit: record {seq} is missing or cut: `aura memory audit verify` names the first"
            ),
        })
    }
}

/// Destroys the meaning of a record, by its number. Every proof still holds.
pub const FORGET: &str = "UPDATE audit SET kind = NULL, id = NULL, count = NULL, blind = NULL WHERE seq = ?1";

/// The records that name one of these ids.
///
/// # Errors
/// What `SQLite` says.
pub(crate) fn records_naming<'a>(
    conn: &Connection,
    ids: impl IntoIterator<Item = &'a str>,
) -> rusqlite::Result<BTreeSet<i64>> {
    let mut find = conn.prepare_cached("SELECT seq FROM audit WHERE id = ?1")?;
    let mut found = BTreeSet::new();
    for id in ids {
        for seq in find.query_map([id], |row| row.get(0))? {
            found.insert(seq?);
        }
    }
    Ok(found)
}

/// The records of a span that have a meaning. Those before and after are not looked at: their times never decrease, so the span's
/// ends are found by halving.
///
/// # Errors
/// What `SQLite` says.
pub(crate) fn records_in_span(conn: &Connection, span: TimeSpan) -> rusqlite::Result<Vec<i64>> {
    let size = conn.query_row("SELECT coalesce(max(seq), 0) FROM audit", [], |row| row.get(0))?;
    let from = first_at(conn, size, span.from.ms())?;
    let before = first_at(conn, size, span.to.ms())?;
    conn.prepare_cached("SELECT seq FROM audit WHERE seq >= ?1 AND seq < ?2 AND blind IS NOT NULL")?
        .query_map([from, before], |row| row.get(0))?
        .collect()
}

/// What the records from an instant on commit to.
pub(super) fn commitments_since(conn: &Connection, at_ms: i64) -> rusqlite::Result<BTreeSet<Sha256Hash>> {
    let size = conn.query_row("SELECT coalesce(max(seq), 0) FROM audit", [], |row| row.get(0))?;
    let from = first_at(conn, size, at_ms)?;
    conn.prepare_cached("SELECT commitment FROM audit WHERE seq >= ?1")?
        .query_map([from], |row| row.get(0))?
        .collect()
}

/// The first record that is not before an instant; the one after the last when all are.
fn first_at(conn: &Connection, size: i64, at_ms: i64) -> rusqlite::Result<i64> {
    let mut time = conn.prepare_cached("SELECT at_ms FROM audit WHERE seq = ?1")?;
    let (mut low, mut high) = (1, size.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if time.query_row([middle], |row| row.get::<_, i64>(0))? < at_ms {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// 32 random bytes of the system.
fn random() -> rusqlite::Result<Sha256Hash> {
    let mut bytes = [0; 32];
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = bytes.get_mut(filled..).unwrap_or_default();
        match getrandom(rest, GetRandomFlags::empty()) {
            Ok(n) => filled += n,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => {
                let why = std::io::Error::from(errno);
                return Err(rusqlite::Error::ToSqlConversionFailure(why.into()));
            }
        }
    }
    Ok(bytes)
}
