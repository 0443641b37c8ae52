//! Renewing the tokens of an account.
//!
//! What: [`LiveAccounts::with_token`], which has a token that counts shown to a server, and another where it is refused. Why: many providers take a
//! refresh token once and give a new one, so that the newest is on the disk before anything is done with it. Not here: what is due when (`kept`).

use super::{
    TokenClient,
    kept::{KeptSignIn, SIGN_IN_PART, TokenStep},
};
use crate::accounts::live::{LiveAccount, LiveAccounts};
use aura_memory::{StoreError, accounts::AccountEntry};
use aura_process::source::{LookFailure, TokenAnswer, TokenRefusal, TokenRequest, TokenRequestKind};
use std::sync::PoisonError;

impl LiveAccounts {
    /// Does what shows a token to the server of an account, once more with another token where it is refused. An account with a password is
    /// left alone.
    ///
    /// # Errors
    /// [`LookFailure`]; [`LookFailure::LoginMissing`]: the owner must sign in.
    pub(in crate::accounts) fn with_token<T>(
        &self,
        account: &LiveAccount,
        mut work: impl FnMut() -> Result<T, LookFailure>,
    ) -> Result<T, LookFailure> {
        self.renew(account, false)?;
        match work() {
            Err(LookFailure::LoginRefused) if account.config.sign_in.is_some() => {
                self.renew(account, true)?;
                work()
            }
            done => done,
        }
    }

    /// Seals a new sign-in in place of an older one, which may be renewed just now.
    pub(in crate::accounts) fn replace_sign_in(
        &self,
        account: &LiveAccount,
        kept: KeptSignIn,
    ) -> Result<(), StoreError> {
        let slot = self.0.renewals.slot(&account.config.name, kept.identity());
        let mut unwritten = slot.lock().unwrap_or_else(PoisonError::into_inner);
        *unwritten = None;
        self.keep_sign_in(account, kept)
    }

    /// Seals a sign-in, and only then lets it be used.
    fn keep_sign_in(&self, account: &LiveAccount, kept: KeptSignIn) -> Result<(), StoreError> {
        let (vault, store) = self.vault_and_store()?;
        let put = AccountEntry::new(&account.config.name, SIGN_IN_PART).put(vault, &kept.to_bytes())?;
        store.write(vec![put])?;
        store.commit_now().map_err(|_| StoreError::Stopped)?;
        account.state().sign_in = Some(kept);
        Ok(())
    }

    /// Sees to it that there is a token that counts.
    fn renew(&self, account: &LiveAccount, is_refused: bool) -> Result<(), LookFailure> {
        if account.config.sign_in.is_none() {
            return Ok(());
        }
        let kept = |account: &LiveAccount| account.state().sign_in.clone().ok_or(LookFailure::LoginMissing);
        let slot = self
            .0
            .renewals
            .slot(&account.config.name, kept(account)?.identity());
        let mut unwritten = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(newest) = unwritten.take() {
            self.keep_newest(account, newest, &mut unwritten)?;
        }
        let now = self.now().ok_or(LookFailure::WorkerEnded)?;
        let kept = kept(account)?;
        match kept.next_step(now, is_refused) {
            TokenStep::Show => Ok(()),
            TokenStep::Renew => {
                let renewed = match self.ask_for_new(account, &kept) {
                    // It was taken back, or used by somebody who had no right to it.
                    Ok(TokenAnswer::Refused(TokenRefusal::GrantEnded)) => None,
                    Ok(TokenAnswer::Tokens(tokens)) => Some(kept.renewed(&tokens, now)),
                    Ok(TokenAnswer::Refused(why)) => {
                        tracing::warn!(account = account.config.name, ?why, "a provider renews no token");
                        return Err(LookFailure::LoginRefused);
                    }
                    Ok(TokenAnswer::Metadata(_) | TokenAnswer::Device(_) | TokenAnswer::Revoked) => {
                        return Err(LookFailure::Broken);
                    }
                    Err(failure) => return Err(failure),
                };
                let is_ended = renewed.is_none();
                self.keep_newest(account, renewed.unwrap_or_else(|| kept.ended()), &mut unwritten)?;
                if is_ended {
                    Err(LookFailure::LoginMissing)
                } else {
                    Ok(())
                }
            }
            TokenStep::SignInAgain => {
                if !kept.is_ended() {
                    self.keep_newest(account, kept.ended(), &mut unwritten)?;
                }
                Err(LookFailure::LoginMissing)
            }
        }
    }

    /// Writes the newest tokens, or leaves them where the next one finds them.
    fn keep_newest(
        &self,
        account: &LiveAccount,
        newest: KeptSignIn,
        unwritten: &mut Option<KeptSignIn>,
    ) -> Result<(), LookFailure> {
        self.keep_sign_in(account, newest.clone()).map_err(|error| {
            tracing::warn!(%error, "renewed tokens could not be kept: they are not used yet");
            *unwritten = Some(newest);
            LookFailure::WorkerEnded
        })
    }

    fn ask_for_new(&self, account: &LiveAccount, kept: &KeptSignIn) -> Result<TokenAnswer, LookFailure> {
        let place = kept.addresses.token.as_ref().ok_or(LookFailure::LoginMissing)?;
        let request = TokenRequest::new(
            TokenRequestKind::Tokens,
            &[
                ("grant_type", "refresh_token"),
                ("refresh_token", kept.refresh().unwrap_or_default()),
                ("client_id", &kept.client_id),
                ("client_secret", kept.client_secret.as_deref().unwrap_or_default()),
            ],
        );
        self.ask_provider(&TokenClient::from_config(&account.config), place, request)
    }
}
