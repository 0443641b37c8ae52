//! Reading the log: lists, heads and proofs.
//!
//! What: the questions to a [`StoreReader`] that are about the log. Why: the owner sees who looked at what, and takes proofs away.
//! Not here: whether the log is sound (`verify`).

use super::{
    head::{AuditKeys, InclusionProof, SignedTreeHead},
    hexed::HexBytes,
    log::node_reader,
    record::{AuditEntry, AuditRecord, AuditSubject, Kind, Op, RevealedSubject, TargetId},
    tree,
};
use crate::{
    error::StoreError,
    reader::StoreReader,
    rows::{from_sql, to_sql},
};
use rusqlite::{Row, params, types::Type};
use std::collections::BTreeMap;

/// Which records. What is `None` is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only of this sort.
    pub op: Option<Op>,
    /// Only about this sort of thing.
    pub kind: Option<Kind>,
    /// Only about this one.
    pub id: Option<TargetId>,
    /// Only from this instant on, milliseconds since 1970 UTC.
    pub from_ms: Option<i64>,
    /// Only before this one.
    pub before_ms: Option<i64>,
    /// Only with a lower number.
    pub before: Option<u64>,
}

impl AuditFilter {
    /// Whether a record that has no number yet is one of these.
    pub fn matches(&self, entry: &AuditEntry) -> bool {
        let Self {
            op,
            kind,
            id,
            from_ms,
            before_ms,
            before: _,
        } = self;
        op.is_none_or(|op| op == entry.op)
            && kind.is_none_or(|kind| kind == entry.meaning.kind)
            && id.as_ref().is_none_or(|id| Some(id) == entry.meaning.id.as_ref())
            && from_ms.is_none_or(|from| entry.at_ms >= from)
            && before_ms.is_none_or(|before| entry.at_ms < before)
    }
}

/// Why there is no proof of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoProof {
    /// The log is shorter.
    #[error("there is no record {seq}: the last is {last}")]
    Record {
        /// The one that was asked for.
        seq: u64,
        /// The last one.
        last: u64,
    },
    /// It is newer than the newest head.
    #[error("no head stands for record {seq} yet: `aura memory audit heads --now` makes one")]
    Head {
        /// The one that was asked for.
        seq: u64,
    },
}

/// The newest first; `?4`: none before the first that is too old is looked at. Without it that first one is not looked for, which would read all.
pub(super) fn records_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM audit WHERE (?1 IS NULL OR op = ?1) AND (?2 IS NULL OR kind = ?2)
         AND (?3 IS NULL OR id = ?3) AND (?4 IS NULL OR at_ms >= ?4) AND (?5 IS NULL OR at_ms < ?5)
         AND (?6 IS NULL OR seq < ?6)
         AND seq > coalesce((SELECT seq FROM audit WHERE ?4 IS NOT NULL AND at_ms < ?4 ORDER BY seq DESC LIMIT 1), 0)
         ORDER BY seq DESC LIMIT ?7"
    )
}

pub(super) const COLUMNS: &str = "seq, at_ms, op, commitment, kind, id, count, blind";

/// A record out of the columns above; an error of conversion when it is none.
pub(super) fn read_record(row: &Row<'_>) -> rusqlite::Result<AuditRecord> {
    let strange = |column: usize| {
        let why = "not as the log writes it";
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
    };
    let op: String = row.get(2)?;
    let kind: Option<String> = row.get(4)?;
    let id: Option<String> = row.get(5)?;
    let count: Option<i64> = row.get(6)?;
    let blind: Option<[u8; 32]> = row.get(7)?;
    let revealed = match (kind, blind) {
        (Some(kind), Some(blind)) => Some(RevealedSubject {
            meaning: AuditSubject {
                count: count.map(from_sql),
                id: id
                    .map(|id| TargetId::parse(&id))
                    .transpose()
                    .map_err(|_| strange(5))?,
                kind: Kind::parse(&kind).ok_or_else(|| strange(4))?,
            },
            blind: HexBytes(blind),
        }),
        (None, None) if id.is_none() && count.is_none() => None,
        (None | Some(_), None | Some(_)) => return Err(strange(7)),
    };
    Ok(AuditRecord {
        seq: from_sql(row.get(0)?),
        at_ms: row.get(1)?,
        op: Op::parse(&op).ok_or_else(|| strange(2))?,
        commitment: HexBytes(row.get(3)?),
        revealed,
    })
}

impl StoreReader {
    /// The newest records, newest first, at most `limit`. No record is older than the one before it, so none before the first that is too
    /// old is looked at.
    ///
    /// # Errors
    /// STORE-003 or STORE-007, as all questions.
    pub fn audit(&self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError> {
        let rows = || {
            self.conn()
                .prepare_cached(&records_sql())?
                .query_map(
                    params![
                        filter.op.map(Op::as_str),
                        filter.kind.map(Kind::as_str),
                        filter.id.as_ref().map(TargetId::as_str),
                        filter.from_ms,
                        filter.before_ms,
                        filter.before.map(to_sql),
                        limit
                    ],
                    read_record,
                )?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        rows().map_err(|e| self.sql(e))
    }

    /// How many records there are of each operation since then.
    ///
    /// # Errors
    /// As [`Self::audit`].
    pub fn audit_counts(&self, from_ms: i64) -> Result<BTreeMap<String, u64>, StoreError> {
        let rows = self.rows(
            "SELECT op, count(*) FROM audit
             WHERE seq > coalesce((SELECT seq FROM audit WHERE at_ms < ?1 ORDER BY seq DESC LIMIT 1), 0) GROUP BY op",
            params![from_ms],
            |row| Ok(Some((row.get(0)?, from_sql(row.get(1)?)))),
        )?;
        Ok(rows.into_iter().collect())
    }

    /// How many records there are.
    ///
    /// # Errors
    /// As [`Self::audit`].
    pub fn audit_size(&self) -> Result<u64, StoreError> {
        let size = self
            .conn()
            .query_row("SELECT coalesce(max(seq), 0) FROM audit", [], |row| row.get(0));
        size.map(from_sql).map_err(|e| self.sql(e))
    }

    /// Every head, oldest first.
    ///
    /// # Errors
    /// As [`Self::audit`].
    pub fn heads(&self, keys: &AuditKeys) -> Result<Vec<SignedTreeHead>, StoreError> {
        let public_key = keys.public_key();
        let heads = || {
            self.conn()
                .prepare_cached("SELECT size, day, root, chain, signature FROM heads ORDER BY size")?
                .query_map([], |row| {
                    Ok(SignedTreeHead {
                        size: from_sql(row.get(0)?),
                        day: row.get(1)?,
                        root: HexBytes(row.get(2)?),
                        chain: HexBytes(row.get(3)?),
                        signature: HexBytes(row.get(4)?),
                        public_key,
                    })
                })?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        heads().map_err(|e| self.sql(e))
    }

    /// The proof that record `seq` is in the log that the newest head stands for; its meaning with it when asked for.
    ///
    /// # Errors
    /// As [`Self::audit`]; the inner one when there is no such record or no such head.
    pub fn audit_proof(
        &self,
        keys: &AuditKeys,
        seq: u64,
        reveal: bool,
    ) -> Result<Result<InclusionProof, NoProof>, StoreError> {
        let last = self.audit_size()?;
        let filter = AuditFilter {
            before: Some(seq.saturating_add(1)),
            ..AuditFilter::default()
        };
        let record = self.audit(&filter, 1)?.into_iter().next();
        let Some(mut record) = record.filter(|record| record.seq == seq) else {
            return Ok(Err(NoProof::Record { seq, last }));
        };
        let Some(head) = self.heads(keys)?.pop().filter(|head| head.size >= seq) else {
            return Ok(Err(NoProof::Head { seq }));
        };
        if !reveal {
            record.revealed = None;
        }
        let path = tree::inclusion(
            seq.saturating_sub(1),
            head.size,
            node_reader(self.conn(), &self.file),
        )?;
        Ok(Ok(InclusionProof {
            record,
            path: path.into_iter().map(HexBytes).collect(),
            head,
        }))
    }
}
