//! Where grants wait for the hosts that they are for.
//!
//! What: [`GrantStore`], beside a log, and [`SqliteGrants`], in the file of one. Why: a host that has nothing but its key pair and the log finds what it may
//! open. Not here: what is in a grant (`owner_grant`).
//!
//! One for Postgres is the table of [`SqliteGrants`].

use crate::{
    host_key::HostAddress,
    log::LogError,
    owner_grant::{GrantPlace, SealedGrant},
    seal::OwnerSubject,
    sqlite::{open_connection, to_log_error},
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::path::Path;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS grants (host TEXT NOT NULL, owner TEXT NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (host, owner)) STRICT;
";

/// The grants of all owners to all hosts, one for each two of them. Each call blocks until it is answered or its deadline has passed.
pub trait GrantStore {
    /// Keeps a grant in place of an older one; on disk when this returns.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]: nobody knows whether it is kept.
    fn put_grant(&mut self, grant: &SealedGrant) -> Result<(), LogError>;

    /// What is for a host, in no order.
    ///
    /// # Errors
    /// [`LogError::Unavailable`], [`LogError::Damaged`].
    fn grants_for(&mut self, host: &HostAddress) -> Result<Vec<SealedGrant>, LogError>;

    /// What an owner granted, in no order.
    ///
    /// # Errors
    /// [`LogError::Unavailable`], [`LogError::Damaged`].
    fn grants_of(&mut self, owner: &OwnerSubject) -> Result<Vec<SealedGrant>, LogError>;

    /// Takes a grant away; nothing where there is none.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]: nobody knows whether it is gone.
    fn remove_grant(&mut self, place: &GrantPlace) -> Result<(), LogError>;
}

/// The names under which a grant was found.
pub(crate) fn place_of(host: &str, owner: &str) -> Result<GrantPlace, LogError> {
    let place = HostAddress::parse(host).zip(OwnerSubject::parse(owner));
    let (host, owner) = place.ok_or_else(|| LogError::Damaged("a grant for nobody".to_owned()))?;
    Ok(GrantPlace { owner, host })
}

/// In the file of a log.
#[derive(Debug)]
pub struct SqliteGrants(Connection);

impl SqliteGrants {
    /// Opens the file, making it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn open(file: &Path) -> Result<Self, LogError> {
        open_connection(file, TABLES).map(Self)
    }

    fn find(&self, condition: &str, name: &str) -> Result<Vec<SealedGrant>, LogError> {
        let rows = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let read = || -> rusqlite::Result<Vec<(String, String, Vec<u8>)>> {
            self.0
                .prepare(&format!(
                    "SELECT host, owner, sealed FROM grants WHERE {condition}"
                ))?
                .query_map([name], rows)?
                .collect()
        };
        let found = read().map_err(|error| to_log_error(&error))?;
        let grant = |(host, owner, sealed): (String, String, Vec<u8>)| {
            Ok(SealedGrant::from_bytes(place_of(&host, &owner)?, &sealed))
        };
        found.into_iter().map(grant).collect()
    }
}

impl GrantStore for SqliteGrants {
    fn put_grant(&mut self, grant: &SealedGrant) -> Result<(), LogError> {
        let place = &grant.place;
        self.0
            .execute(
                "INSERT INTO grants (host, owner, sealed) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
                params![place.host.as_str(), place.owner.as_str(), grant.to_bytes()],
            )
            .map(drop)
            .map_err(|error| to_log_error(&error))
    }

    fn grants_for(&mut self, host: &HostAddress) -> Result<Vec<SealedGrant>, LogError> {
        self.find("host = ?1", host.as_str())
    }

    fn grants_of(&mut self, owner: &OwnerSubject) -> Result<Vec<SealedGrant>, LogError> {
        self.find("owner = ?1", owner.as_str())
    }

    fn remove_grant(&mut self, place: &GrantPlace) -> Result<(), LogError> {
        let removed = self.0.execute(
            "DELETE FROM grants WHERE host = ?1 AND owner = ?2",
            [place.host.as_str(), place.owner.as_str()],
        );
        // What was overwritten is still in the file beside it; while somebody reads, until the next checkpoint.
        let emptied = removed.and_then(|_| {
            self.0
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .optional()
        });
        emptied.map(drop).map_err(|error| to_log_error(&error))
    }
}
