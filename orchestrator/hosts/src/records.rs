//! Where the records of owners are kept.
//!
//! What: [`RecordStore`], beside a log, and [`SqliteRecords`], in the file of one. Why: the newest record of an owner is the one that was put last, in an
//! order that all hosts see alike. Not here: what is in a record (`owner_record`).
//!
//! One for Postgres is the table of [`SqliteRecords`].

use crate::{
    log::LogError,
    seal::OwnerSubject,
    sqlite::{open_connection, to_log_error},
};
use rusqlite::{Connection, Row, TransactionBehavior, params};
use std::path::Path;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS owner_records (owner TEXT PRIMARY KEY, number INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT;
";

/// A record as a log keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRecord {
    pub owner: OwnerSubject,
    /// One that was put later has a greater one, whosever it is.
    pub number: u64,
    pub sealed: Vec<u8>,
}

/// The newest record of each owner. Each call blocks until it is answered or its deadline has passed.
pub trait RecordStore: Send {
    /// Puts a record in place of the one with a number; 0: where there is none. Gives its number; `None`: another host has put one meanwhile.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]: nobody knows whether it is kept.
    fn put_record(
        &mut self,
        owner: &OwnerSubject,
        expected: u64,
        sealed: &[u8],
    ) -> Result<Option<u64>, LogError>;

    /// An owner's record.
    ///
    /// # Errors
    /// [`LogError::Unavailable`], [`LogError::Damaged`].
    fn record_of(&mut self, owner: &OwnerSubject) -> Result<Option<SealedRecord>, LogError>;

    /// The records that were put after a number, in order.
    ///
    /// # Errors
    /// [`LogError::Unavailable`], [`LogError::Damaged`].
    fn records_after(&mut self, number: u64) -> Result<Vec<SealedRecord>, LogError>;
}

/// A record as it was found.
pub(crate) fn to_record(owner: &str, number: u64, sealed: Vec<u8>) -> Result<SealedRecord, LogError> {
    let owner = OwnerSubject::parse(owner);
    Ok(SealedRecord {
        owner: owner.ok_or_else(|| LogError::Damaged("a record of nobody".to_owned()))?,
        number,
        sealed,
    })
}

/// In the file of a log.
#[derive(Debug)]
pub struct SqliteRecords(Connection);

impl SqliteRecords {
    /// Opens the file, making it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn open(file: &Path) -> Result<Self, LogError> {
        open_connection(file, TABLES).map(Self)
    }

    fn put(&mut self, owner: &str, expected: u64, sealed: &[u8]) -> rusqlite::Result<Option<u64>> {
        let tx = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (there, last) = tx.query_row(
            "SELECT coalesce(max(number) FILTER (WHERE owner = ?1), 0), coalesce(max(number), 0) FROM owner_records",
            [owner],
            |row| Ok((to_number(row.get(0)?), to_number(row.get(1)?))),
        )?;
        if there != expected {
            return Ok(None);
        }
        tx.execute(
            "INSERT INTO owner_records (owner, number, sealed) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET number = excluded.number, sealed = excluded.sealed",
            params![owner, from_number(last + 1), sealed],
        )?;
        tx.commit()?;
        Ok(Some(last + 1))
    }

    fn find(&self, condition: &str, value: &dyn rusqlite::ToSql) -> Result<Vec<SealedRecord>, LogError> {
        let rows = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let read = || -> rusqlite::Result<Vec<(String, i64, Vec<u8>)>> {
            self.0
                .prepare(&format!(
                    "SELECT owner, number, sealed FROM owner_records WHERE {condition} ORDER BY number"
                ))?
                .query_map([value], rows)?
                .collect()
        };
        let found = read().map_err(|error| to_log_error(&error))?;
        let record =
            |(owner, number, sealed): (String, i64, Vec<u8>)| to_record(&owner, to_number(number), sealed);
        found.into_iter().map(record).collect()
    }
}

fn to_number(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn from_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl RecordStore for SqliteRecords {
    fn put_record(
        &mut self,
        owner: &OwnerSubject,
        expected: u64,
        sealed: &[u8],
    ) -> Result<Option<u64>, LogError> {
        self.put(owner.as_str(), expected, sealed)
            .map_err(|error| to_log_error(&error))
    }

    fn record_of(&mut self, owner: &OwnerSubject) -> Result<Option<SealedRecord>, LogError> {
        let found = self.find("owner = ?1", &owner.as_str())?;
        Ok(found.into_iter().next())
    }

    fn records_after(&mut self, number: u64) -> Result<Vec<SealedRecord>, LogError> {
        self.find("number > ?1", &from_number(number))
    }
}
