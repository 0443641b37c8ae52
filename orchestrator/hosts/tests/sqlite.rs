//! The log in a file, by the contract.
//!
//! What: [`SqliteFixture`]. Not here: what the contract says (`aura_hosts::contract`).

use aura_hosts::{
    OwnerSubject, SqliteGrants, SqliteLog, SqliteRecords, contract::LogFixture, contract_tests,
};
use tempfile::TempDir;
use toolcall_schema::ids::OwnerSeed;

struct SqliteFixture(TempDir);

impl LogFixture for SqliteFixture {
    type Log = SqliteLog;
    type Grants = SqliteGrants;
    type Records = SqliteRecords;

    fn open(&self, owner: u8) -> SqliteLog {
        let owner = OwnerSubject::derive(&OwnerSeed::from_bytes([owner; 32]));
        SqliteLog::open(&self.0.path().join("log.db"), &owner).unwrap()
    }

    fn open_grants(&self) -> SqliteGrants {
        SqliteGrants::open(&self.0.path().join("log.db")).unwrap()
    }

    fn open_records(&self) -> SqliteRecords {
        SqliteRecords::open(&self.0.path().join("log.db")).unwrap()
    }

    fn interrupt(&mut self) {
        // There is no connection that could be lost.
    }
}

contract_tests!(SqliteFixture(TempDir::new().unwrap()));
