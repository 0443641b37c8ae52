//! One account: what a look left of it, and what is asked of its server.
//!
//! What: the looks of a [`LiveAccount`], taking up what was kept, and its requests. Why: each is of one account alone. Not here: when it is looked at
//! and what is kept (`live`).

use super::{LiveAccount, READING_PART, WHOLE_AFTER_MS, kept_sign_in};
use crate::accounts::{
    AccountSecret, ServerAccountKind,
    cache::{AccountCache, AccountReading, CALENDAR_PART, CachedCalendar},
    is_kept,
    logins::LOGIN_PART,
    sign_in::{KeptSignIn, SIGN_IN_PART},
    token_revocation::RevocationQueue,
    worker_request::request_of,
};
use aura_memory::{StoreError, StoreReader, StoreWrite, Vault, accounts::AccountEntry};
use aura_process::source::{AccessToken, AccountRequest, LookFailure, MailboxTask};
use toolcall_schema::Timestamp;

impl LiveAccount {
    /// A look ended well.
    pub(in crate::accounts) fn note_look(
        &self,
        at: Timestamp,
        changes: (usize, usize),
        reading: AccountReading,
    ) {
        let mut state = self.state();
        (state.failure, state.failures, state.is_read) = (None, 0, true);
        (state.looked_at, state.changes, state.reading) = (Some(at), changes, Some(reading));
    }

    /// A look failed.
    pub(in crate::accounts) fn note_failure(&self, at: Option<Timestamp>, mut failure: LookFailure) {
        failure.clear_path();
        tracing::warn!(account = self.config.name, ?failure, "an account cannot be read");
        let mut state = self.state();
        state.looked_at = at;
        state.failure = Some(failure);
        state.failures = state.failures.saturating_add(1);
    }

    /// What its worker is asked, of mail.
    pub(in crate::accounts) fn mail_request(&self) -> (AccountRequest, MailboxTask) {
        let (known, mark) = {
            let mail = self.mail();
            (mail.known_folders(), mail.mark())
        };
        let task = MailboxTask {
            days: self.config.days,
            every_s: 60 * u64::from(self.config.every_min),
            may_be_unsealed: self.config.is_private,
            known,
            account: self.config.name.clone(),
            mark,
            wanted: Vec::new(),
        };
        let (request, _, _) = self.request(Timestamp::from_ms(0));
        (request, task)
    }

    /// Takes up what was kept, and gives what is to be forgotten.
    pub(super) fn take_up(
        &self,
        reader: &StoreReader,
        vault: &Vault,
        own: &[&AccountEntry],
        revocations: &RevocationQueue,
    ) -> Result<Vec<StoreWrite>, StoreError> {
        let read = |part: &str| reader.account_entry(vault, &AccountEntry::new(&self.config.name, part));
        let mut forgotten = Vec::new();
        let mut state = self.state();
        state.login = read(LOGIN_PART)?
            .and_then(|bytes| AccountSecret::from_bytes(&bytes))
            .filter(|login| login.is_of(&self.config.place.server()));
        state.reading = read(READING_PART)?
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|reading: &AccountReading| reading.of == self.identity());
        let written = state.reading.clone();
        state.written = written;
        let signed_in = kept_sign_in(reader, vault, &AccountEntry::new(&self.config.name, SIGN_IN_PART))?;
        match signed_in {
            Some(kept) if kept.is_of(&self.config) => state.sign_in = Some(kept),
            // Of another server or client: it is given back, if its provider can be reached.
            Some(kept) => {
                revocations.add(&self.config.name, kept);
            }
            None => {}
        }
        for entry in own {
            let is_kept = match entry.part.as_str() {
                SIGN_IN_PART => state.sign_in.is_some(),
                LOGIN_PART => state.login.is_some(),
                READING_PART => state.reading.is_some(),
                part if part.starts_with(CALENDAR_PART)
                    && state.reading.is_some()
                    && is_kept(self.config.kind) =>
                {
                    let calendar = reader
                        .account_entry(vault, entry)?
                        .and_then(|bytes| serde_json::from_slice::<CachedCalendar>(&bytes).ok());
                    match calendar {
                        Some(calendar) => {
                            if let Err(error) = self.lay_out(&calendar) {
                                tracing::warn!(%error, "a kept calendar could not be put where it is read");
                            }
                            state.cache.calendars.insert(calendar.id.clone(), calendar);
                            true
                        }
                        None => false,
                    }
                }
                _ => false,
            };
            if !is_kept {
                forgotten.push((*entry).clone().forget());
            }
        }
        Ok(forgotten)
    }

    /// What its worker is asked of its server, without anything that is known.
    pub(in crate::accounts) fn server_request(&self, at: Timestamp) -> AccountRequest {
        let state = self.state();
        let mut request = request_of(&self.config, state.login.as_ref(), at);
        if self.config.sign_in.is_some() {
            let token = state.sign_in.as_ref().and_then(KeptSignIn::access);
            request.login = None;
            request.token = token.map(|token| AccessToken {
                user: self.config.user.clone().unwrap_or_default(),
                token: token.to_owned(),
            });
        }
        request
    }

    /// What its worker is asked to read, what is known now, and since when as a whole.
    pub(super) fn request(&self, at: Timestamp) -> (AccountRequest, AccountCache, Timestamp) {
        let mut request = self.server_request(at);
        let state = self.state();
        let whole_at = state.reading.as_ref().map(|reading| reading.whole_at);
        let is_fresh = whole_at.is_some_and(|whole_at| at.since(whole_at) < WHOLE_AFTER_MS);
        if is_fresh || self.config.kind == ServerAccountKind::CalendarAddress {
            request.known = state.cache.known_calendars();
        }
        (request, state.cache.clone(), whole_at.unwrap_or(at))
    }

    /// When it was looked at last, well or not.
    pub(in crate::accounts) fn looked_at(&self) -> Option<Timestamp> {
        self.state().looked_at
    }

    /// Why it could not be read, and how often since the last good look.
    pub(in crate::accounts) fn failure(&self) -> (Option<LookFailure>, u32) {
        let state = self.state();
        (state.failure.clone(), state.failures)
    }
}
