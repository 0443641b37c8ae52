//! Logins of the owner's accounts.
//!
//! What: keeping one sealed, for an account that is read or is about to be, and forgetting it. Why: a login stands in no file. Not here: what is
//! kept of an account besides (`live`), sealing (`aura_memory::accounts`).

use super::{
    AccountConfig, AccountSecret,
    live::{LiveAccount, LiveAccounts},
};
use aura_memory::{StoreError, accounts::AccountEntry};
use std::sync::PoisonError;

/// The part of an account that is its login.
pub(super) const LOGIN_PART: &str = "login";

impl LiveAccount {
    /// Looks at once, as nobody logged in before.
    pub(super) fn look_anew(&self) {
        self.state().failures = 0;
        self.mail_worker.end();
        if !self.config.kind.is_mail() {
            // The last look was with another login.
            *self.looking.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.wake.notify_one();
    }
}

impl LiveAccounts {
    /// Keeps a login, and looks with it. `None`: there is no such account.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn set_login(&self, name: &str, login: AccountSecret) -> Result<Option<()>, StoreError> {
        let Some(account) = self.find(name) else {
            return Ok(None);
        };
        let login = self.keep_login(&account.config, login)?;
        account.state().login = Some(login);
        account.look_anew();
        Ok(Some(()))
    }

    /// Seals a login for an account that the file names, or is about to: of one that it does not name it is forgotten at the next start.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep_login(
        &self,
        config: &AccountConfig,
        login: AccountSecret,
    ) -> Result<AccountSecret, StoreError> {
        // One of another server is never shown this one's password.
        let login = login.of_server(&config.place.server());
        let (vault, store) = self.vault_and_store()?;
        let put = AccountEntry::new(&config.name, LOGIN_PART).put(vault, &login.to_bytes())?;
        store.write(vec![put])?;
        store.commit_now().map_err(|_| StoreError::Stopped)?;
        Ok(login)
    }

    /// Forgets the login of an account that the file does not name after all.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn forget_login(&self, name: &str) -> Result<(), StoreError> {
        let (_, store) = self.vault_and_store()?;
        store.write(vec![AccountEntry::new(name, LOGIN_PART).forget()])
    }
}
