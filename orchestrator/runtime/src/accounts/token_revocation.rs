//! Giving back the tokens of accounts that are read no more (RFC 7009).
//!
//! What: [`RevocationQueue`] and who works it off. Why: an account that the owner removed must not stay open to whoever finds a token of it. Not
//! here: which account is read (`live`).

use super::{
    live::LiveAccounts,
    poll::{FIRST, chance, repeat, wait_after},
    sign_in::{KeptSignIn, SIGN_IN_PART, TokenClient},
};
use aura_memory::accounts::AccountEntry;
use aura_process::source::{LookFailure, TokenAnswer, TokenRequest, TokenRequestKind};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{Notify, watch};

/// So often a provider is asked in one run of the service; then the token is forgotten here alone.
const TRIES: u32 = 6;
/// Nothing is to be done.
const IDLE: Duration = Duration::from_hours(24);

/// Tokens that are to be given back, each with the account that it was of.
#[derive(Default)]
pub(in crate::accounts) struct RevocationQueue(Mutex<Vec<(String, KeptSignIn)>>);

impl RevocationQueue {
    fn waiting(&self) -> MutexGuard<'_, Vec<(String, KeptSignIn)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what was kept of an account that is named no more. `false`: there is nothing to give back, or nobody to give it to.
    pub(in crate::accounts) fn add(&self, account: &str, kept: KeptSignIn) -> bool {
        let is_wanted = kept.revocable().is_some() && kept.addresses.revoke.is_some();
        if is_wanted {
            self.waiting().push((account.to_owned(), kept));
        }
        is_wanted
    }
}

impl LiveAccounts {
    /// Gives back what waits, until the service ends.
    pub(in crate::accounts) async fn revoke_removed(self, stopped: watch::Receiver<bool>) {
        let mut tries = 0;
        repeat(stopped, &Notify::new(), FIRST, async || {
            tries += 1;
            let me = self.clone();
            let is_last = tries >= TRIES;
            let revoked = tokio::task::spawn_blocking(move || me.revoke_waiting(is_last)).await;
            if revoked.unwrap_or(true) {
                IDLE
            } else {
                wait_after(Duration::from_mins(1), tries, chance())
            }
        })
        .await;
    }

    pub(in crate::accounts) fn has_revocations(&self) -> bool {
        !self.0.revocations.waiting().is_empty()
    }

    /// One try for each; `true`: nothing waits any more.
    fn revoke_waiting(&self, is_last: bool) -> bool {
        let waiting: Vec<(String, KeptSignIn)> = self.0.revocations.waiting().clone();
        for (account, kept) in waiting {
            let answered = self.revoke(&account, &kept);
            match &answered {
                Ok(TokenAnswer::Revoked) => tracing::info!(account, "a provider forgot the sign-in"),
                Ok(answer) => tracing::warn!(account, ?answer, "a provider did not take a sign-in back"),
                Err(failure) => {
                    tracing::warn!(account, ?failure, is_last, "a sign-in was not taken back yet");
                }
            }
            if answered.is_err() && !is_last {
                continue;
            }
            self.0.revocations.waiting().retain(|(_, waits)| *waits != kept);
            // The owner may have added it anew.
            if !self.is_named(&account)
                && let Ok((_, store)) = self.vault_and_store()
                && let Err(error) = store.write(vec![AccountEntry::new(&account, SIGN_IN_PART).forget()])
            {
                tracing::warn!(%error, "a sign-in could not be forgotten: it is at the next start");
            }
        }
        !self.has_revocations()
    }

    fn revoke(&self, account: &str, kept: &KeptSignIn) -> Result<TokenAnswer, LookFailure> {
        let place = kept.addresses.revoke.as_ref().ok_or(LookFailure::Broken)?;
        let kind = if kept.refresh().is_some() {
            "refresh_token"
        } else {
            "access_token"
        };
        let request = TokenRequest::new(
            TokenRequestKind::Revoke,
            &[
                ("token", kept.revocable().unwrap_or_default()),
                ("token_type_hint", kind),
                ("client_id", &kept.client_id),
                ("client_secret", kept.client_secret.as_deref().unwrap_or_default()),
            ],
        );
        let client = TokenClient {
            name: account,
            is_private: kept.is_private,
            pinned: kept.certificate.as_deref().map(|pin| (place.host.as_str(), pin)),
        };
        self.ask_provider(&client, place, request)
    }
}
