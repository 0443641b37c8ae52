//! The peer of `aura bench durable`: the same commits without Aura.
//!
//! What: [`BaselineBench`], one table, one row a commit, under the settings of the store. Why: how fast a durable tick may be at all
//! is decided by how often this disk commits, and both must be measured in one run. Not here: the store.

use crate::{database, error::StoreError, files, vault::Vault};
use rusqlite::{Connection, params};
use std::path::PathBuf;

const FILE: &str = "peer.db";

/// One table in a file of its own.
#[derive(Debug)]
pub struct BaselineBench {
    conn: Connection,
    file: PathBuf,
}

impl BaselineBench {
    /// Opens `peer.db` in a folder, making it.
    ///
    /// # Errors
    /// STORE-007 when the disk says no.
    pub fn open(vault: &Vault) -> Result<Self, StoreError> {
        let file = vault.dir().join(FILE);
        files::private_file()
            .append(true)
            .open(&file)
            .map_err(StoreError::file("create", &file))?;
        let conn = database::open_for_writing(&vault.database_key(FILE), &file)?;
        conn.execute_batch("CREATE TABLE IF NOT EXISTS peer (json TEXT NOT NULL) STRICT")
            .map_err(|e| StoreError::sql(&file, e))?;
        Ok(Self { conn, file })
    }

    /// Commits one row; it is on disk when this returns.
    ///
    /// # Errors
    /// STORE-007 when the disk says no.
    pub fn commit(&mut self, text: &str) -> Result<(), StoreError> {
        // A statement outside a transaction is a transaction.
        self.conn
            .prepare_cached("INSERT INTO peer (json) VALUES (?1)")
            .and_then(|mut insert| insert.execute(params![text]))
            .map(|_| ())
            .map_err(|e| StoreError::sql(&self.file, e))
    }
}
