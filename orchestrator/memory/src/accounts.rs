//! What is kept of the owner's accounts on servers.
//!
//! What: [`AccountEntry`], the parts of an account: its login, how far it is read, its calendars; sealed once more before they go into the store.
//! Why: a laptop offline must know its day, and a password must not be read by whoever gets at the tables alone; all of it goes with the
//! account (`docs/adr/0132`). Not here: what stands in a part (the runtime).

use crate::{StoreError, StoreReader, StoreWrite, Vault};
use rusqlite::params;
use zeroize::Zeroizing;

/// The version of the schema that has the table.
const SINCE: usize = 13;

/// Under this name, which is no account's, stands what belongs to acts of the owner's: their traces are named by the parts, and forgotten with them.
pub const OF_ACTS: &str = "";

/// One part of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountEntry {
    /// The account, as the owner calls it.
    pub account: String,
    /// Which part of it.
    pub part: String,
}

impl AccountEntry {
    pub fn new(account: &str, part: &str) -> Self {
        Self {
            account: account.to_owned(),
            part: part.to_owned(),
        }
    }

    fn seal_context(&self) -> Vec<u8> {
        // No name of an account has this byte.
        [self.account.as_bytes(), &[0], self.part.as_bytes()].concat()
    }

    /// Puts it into the store.
    ///
    /// # Errors
    /// STORE-007 when the system gives no random numbers.
    pub fn put(self, vault: &Vault, plain: &[u8]) -> Result<StoreWrite, StoreError> {
        let sealed = vault
            .lasting_key_of("account v1")
            .seal(&self.seal_context(), plain)?;
        Ok(self.write(Some(sealed)))
    }

    /// Takes it out of the store.
    pub fn forget(self) -> StoreWrite {
        self.write(None)
    }

    fn write(self, sealed: Option<Vec<u8>>) -> StoreWrite {
        StoreWrite::Account {
            account: self.account,
            part: self.part,
            sealed,
        }
    }
}

impl StoreReader {
    /// The parts that there are.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn account_entries(&self) -> Result<Vec<AccountEntry>, StoreError> {
        if !self.has_version(SINCE) {
            return Ok(Vec::new());
        }
        let sql = "SELECT account, part FROM accounts ORDER BY account, part";
        self.rows(sql, params![], |row| {
            Ok(Some(AccountEntry {
                account: row.get(0)?,
                part: row.get(1)?,
            }))
        })
    }

    /// What stands in a part; `None`: nothing, or what was not sealed for it.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn account_entry(
        &self,
        vault: &Vault,
        entry: &AccountEntry,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        if !self.has_version(SINCE) {
            return Ok(None);
        }
        let sql = "SELECT sealed FROM accounts WHERE account = ?1 AND part = ?2";
        let found: Vec<Vec<u8>> = self.rows(sql, params![entry.account, entry.part], |row| {
            Ok(Some(row.get(0)?))
        })?;
        let key = vault.lasting_key_of("account v1");
        Ok(found
            .first()
            .and_then(|sealed| key.unseal(&entry.seal_context(), sealed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions};

    #[test]
    fn parts_are_sealed_for_their_place_and_go_when_they_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let login = AccountEntry::new("work", "login");
        let put = login.clone().put(&vault, b"a password").unwrap();
        let StoreWrite::Account {
            sealed: Some(sealed), ..
        } = &put
        else {
            panic!("it is put")
        };
        assert!(!sealed.windows(8).any(|part| part == b"password"));
        // The same bytes in another's place open nothing.
        let moved = AccountEntry::new("other", "login").write(Some(sealed.clone()));
        store.write(vec![put, moved]).unwrap();
        store.commit_now().unwrap();
        let reader = StoreReader::open(&vault).unwrap();
        let read = |name: &str| {
            reader
                .account_entry(&vault, &AccountEntry::new(name, "login"))
                .unwrap()
        };
        assert_eq!(read("work").unwrap().as_slice(), b"a password");
        assert_eq!(read("other"), None);
        assert_eq!(read("none"), None);
        assert_eq!(reader.account_entries().unwrap().len(), 2);
        store.write(vec![login.forget()]).unwrap();
        store.commit_now().unwrap();
        assert_eq!(
            reader.account_entries().unwrap(),
            [AccountEntry::new("other", "login")]
        );
    }
}
