//! Payments and balances that were forgotten, so that a file that is read once more does not bring them back.
//!
//! What: [`ForgottenClaims`], [`ForgottenBalances`]. Why: a statement or a journal that grows is read from its beginning. Not here: messages, of whose files the
//! state says how far they were read.

use super::book::MAX_BALANCES;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    ids::{TxnId, sha256_hex},
};

/// As many as the book holds; beyond it the days longest ago go.
const MAX: usize = 20_000;

/// Digits of a digest: 44 bits, so that no two of so many claims are one.
const DIGITS: usize = 11;

/// Digests of the claims' ids, by the day in UTC that each is of. What has left the book is not read again, so it is not kept here either.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ForgottenClaims(BTreeMap<NaiveDate, BTreeSet<String>>);

impl ForgottenClaims {
    pub(super) fn note(&mut self, claim: &TxnId, ts: Timestamp) {
        self.0.entry(day(ts)).or_default().insert(digest(claim));
    }

    pub(super) fn holds(&self, claim: &TxnId) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let digest = digest(claim);
        self.0.values().any(|day| day.contains(&digest))
    }

    /// Drops what is of days before the oldest that is kept. Whether there was any.
    pub(super) fn prune(&mut self, oldest: Timestamp) -> bool {
        let before = self.0.len();
        self.0 = self.0.split_off(&day(oldest));
        self.0.len() != before
    }

    /// The same within its limits.
    pub(super) fn cut_to_limits(mut self) -> Self {
        let mut count: usize = self.0.values().map(BTreeSet::len).sum();
        while count > MAX
            && let Some((_, day)) = self.0.pop_first()
        {
            count -= day.len();
        }
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Up to when what accounts held was forgotten, by a digest of the account and its currency: of a statement, a balance of before then is told by
/// each row. One of later counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ForgottenBalances(BTreeMap<String, i64>);

impl ForgottenBalances {
    pub(super) fn note(&mut self, account_last4: &str, currency: &str, as_of_ms: i64) {
        let until = self.0.entry(account(account_last4, currency)).or_insert(as_of_ms);
        *until = (*until).max(as_of_ms);
        // Beyond the limit the one of longest ago goes.
        while self.0.len() > MAX_BALANCES
            && let Some(oldest) = self
                .0
                .iter()
                .min_by_key(|(_, until)| **until)
                .map(|(account, _)| account.clone())
        {
            self.0.remove(&oldest);
        }
    }

    pub(super) fn holds(&self, account_last4: &str, currency: &str, as_of: Timestamp) -> bool {
        let until = self.0.get(&account(account_last4, currency));
        until.is_some_and(|until| as_of.ms() <= *until)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn account(account_last4: &str, currency: &str) -> String {
    let mut digest = sha256_hex(format!("{account_last4} {currency}").as_bytes());
    digest.truncate(DIGITS);
    digest
}

fn day(ts: Timestamp) -> NaiveDate {
    agents_base::zone::local_date(ts, chrono_tz::Tz::UTC)
}

/// Not the id itself: by that, nothing is found any more.
fn digest(claim: &TxnId) -> String {
    let mut digest = sha256_hex(claim.as_str().as_bytes());
    digest.truncate(DIGITS);
    digest
}
