//! Whether the log is what was appended to it.
//!
//! What: [`StoreReader::verify_audit`], one pass over all records. Why: what was changed, taken out, moved or cut off is named by
//! the first record that is not as it was. Not here: what to do about it (the owner).
//!
//! The chain shows every change of one who does not have the installation's key. One who has it can write the log anew, and
//! its heads too, but not the heads that the owner has copied elsewhere.

use super::{
    head::{AuditKeys, SignedTreeHead},
    read::{COLUMNS, read_record},
    record::AuditRecord,
    tree::{Sha256Hash, TreeFrontier, leaf_hash},
};
use crate::{error::StoreError, reader::StoreReader};
use chrono::NaiveDate;
use serde::Serialize;
use std::collections::BTreeMap;

/// A log that is sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifiedLog {
    /// How many records there are.
    pub records: u64,
    /// How many of them have lost their meaning.
    pub erased: u64,
    /// How many heads of the log's own agree.
    pub heads: u64,
    /// How many copied heads agree.
    pub copied: u64,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum AuditFault {
    /// Its number is not there.
    #[error("it is missing")]
    Missing,
    /// It is not what was appended.
    #[error(
        "it does not follow from the record before: it was changed or moved, or one before it was taken out"
    )]
    Changed,
    /// It says what it did not say.
    #[error("its meaning is not the one it commits to")]
    Meaning,
    /// The tree was changed.
    #[error("its hashes of the tree are not those of its records")]
    Tree,
    /// The log is shorter than it was.
    #[error("it is missing with all after it: the head of {day} stands for {size} records")]
    CutOff {
        /// The head's day.
        day: NaiveDate,
        /// How many records there were.
        size: u64,
    },
    /// The records are not those that a head was made of.
    #[error("records up to {size} are not those that the head of {day} stands for: they were written anew")]
    Rewritten {
        /// The head's day.
        day: NaiveDate,
        /// How many records it stands for.
        size: u64,
    },
    /// A head that its key did not sign, or with another installation's key.
    #[error("the head of {day} over {size} records is not signed by this installation")]
    Signature {
        /// The head's day.
        day: NaiveDate,
        /// How many records it stands for.
        size: u64,
    },
}

/// The first record that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("record {record}: {fault}")]
pub struct AuditFinding {
    /// Its number. Where only a head disagrees: the first after the last head that agrees.
    pub record: u64,
    /// What is wrong.
    pub fault: AuditFault,
}

/// The pass.
struct LogVerifier<'a> {
    keys: &'a AuditKeys,
    /// By size: each head, and whether it is a copy.
    heads: BTreeMap<u64, Vec<(SignedTreeHead, bool)>>,
    frontier: TreeFrontier,
    chain: Sha256Hash,
    /// The size up to which heads agree, and up to which copied ones do.
    agreed: u64,
    agreed_copies: u64,
    verified: VerifiedLog,
}

impl LogVerifier<'_> {
    /// Holds the heads of the current size against it.
    fn heads_here(&mut self) -> Result<(), AuditFinding> {
        let size = self.frontier.size();
        for (head, copied) in self.heads.remove(&size).unwrap_or_default() {
            // Who writes the log anew signs its own heads anew: they say nothing against a copy.
            let agreed = if copied { self.agreed_copies } else { self.agreed };
            let found = |fault| AuditFinding {
                record: agreed + 1,
                fault,
            };
            let day = head.day;
            if !self.signed(&head) {
                return Err(found(AuditFault::Signature { day, size }));
            }
            if head.root.0 != self.frontier.root() || head.chain.0 != self.chain {
                return Err(found(AuditFault::Rewritten { day, size }));
            }
            if copied {
                self.verified.copied += 1;
                self.agreed_copies = size;
            } else {
                self.verified.heads += 1;
            }
            self.agreed = size;
        }
        Ok(())
    }

    fn signed(&self, head: &SignedTreeHead) -> bool {
        head.public_key == self.keys.public_key() && head.is_signed()
    }

    fn record(
        &mut self,
        seq: u64,
        record: Option<AuditRecord>,
        chain: Option<Sha256Hash>,
        nodes: &[u8],
    ) -> Result<(), AuditFinding> {
        let expected = self.frontier.size() + 1;
        let found = |fault| AuditFinding {
            record: expected,
            fault,
        };
        if seq != expected {
            return Err(found(AuditFault::Missing));
        }
        let (Some(record), Some(chain)) = (record, chain) else {
            return Err(found(AuditFault::Changed));
        };
        let leaf = record.leaf();
        if self.keys.chain(&self.chain, &leaf) != chain {
            return Err(found(AuditFault::Changed));
        }
        if !record.keeps_its_commitment() {
            return Err(found(AuditFault::Meaning));
        }
        if self.frontier.push(leaf_hash(&leaf)).concat() != nodes {
            return Err(found(AuditFault::Tree));
        }
        self.chain = chain;
        self.verified.records += 1;
        self.verified.erased += u64::from(record.revealed.is_none());
        self.heads_here()
    }

    /// All records were seen: no head may be left.
    fn end(mut self) -> Result<VerifiedLog, AuditFinding> {
        let later = self
            .heads
            .pop_first()
            .and_then(|(_, heads)| heads.into_iter().next());
        let Some((head, _)) = later else {
            return Ok(self.verified);
        };
        let SignedTreeHead { day, size, .. } = head;
        let fault = if self.signed(&head) {
            AuditFault::CutOff { day, size }
        } else {
            AuditFault::Signature { day, size }
        };
        Err(AuditFinding {
            record: self.frontier.size() + 1,
            fault,
        })
    }
}

impl StoreReader {
    /// Checks the whole log: every record, every head of its own and every head that the owner copied. `progress` is told the
    /// number of each record. Flat in memory.
    ///
    /// # Errors
    /// STORE-003 or STORE-007 when the tables cannot be read; the inner one is the first record that is not as it was.
    pub fn verify_audit(
        &self,
        keys: &AuditKeys,
        copied: &[SignedTreeHead],
        mut progress: impl FnMut(u64),
    ) -> Result<Result<VerifiedLog, AuditFinding>, StoreError> {
        let mut heads: BTreeMap<u64, Vec<(SignedTreeHead, bool)>> = BTreeMap::new();
        let own = self.heads(keys)?.into_iter().map(|head| (head, false));
        for (head, is_copy) in own.chain(copied.iter().cloned().map(|head| (head, true))) {
            heads.entry(head.size).or_default().push((head, is_copy));
        }
        let mut walk = LogVerifier {
            keys,
            heads,
            frontier: TreeFrontier::default(),
            chain: [0; 32],
            agreed: 0,
            agreed_copies: 0,
            verified: VerifiedLog {
                records: 0,
                erased: 0,
                heads: 0,
                copied: 0,
            },
        };
        if let Err(finding) = walk.heads_here() {
            return Ok(Err(finding));
        }
        let sql = format!("SELECT {COLUMNS}, chain, nodes FROM audit ORDER BY seq");
        let mut statement = self.conn().prepare(&sql).map_err(|e| self.sql(e))?;
        let mut rows = statement.query([]).map_err(|e| self.sql(e))?;
        while let Some(row) = rows.next().map_err(|e| self.sql(e))? {
            let seq = row.get(0).map(crate::rows::from_sql).map_err(|e| self.sql(e))?;
            // What is not even of the shape was not written by the log.
            let nodes: Vec<u8> = row.get(9).unwrap_or_default();
            if let Err(finding) = walk.record(seq, read_record(row).ok(), row.get(8).ok(), &nodes) {
                return Ok(Err(finding));
            }
            progress(seq);
        }
        Ok(walk.end())
    }
}
