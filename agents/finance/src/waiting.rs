//! Payments of senders whom the owner has not accepted.
//!
//! What: [`WaitingPayments`], claims by the keyed hash of who told them. Why: anybody may write what a bank writes, so a payment of an
//! unknown sender is in no total, balance, anomaly or forecast, and is not told to memory, until the owner names the sender once; then
//! nothing that it told is lost. Not here: reading (`messages`), what is done with payments that count (`book`).

use super::claim::{ClaimRow, PaymentClaim};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    forget::ErasureScope,
    ids::{SecretKey, TxnId},
};

/// Claims that wait, and of one sender: beyond these the oldest go.
const MAX_WAITING: usize = 512;
const MAX_OF_SENDER: usize = 128;

/// A claim that waits: (keyed hash of the sender, the claim).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WaitingRow(String, ClaimRow);

impl WaitingRow {
    /// Whether it is to be forgotten.
    pub(super) fn is_forgotten_by(&self, what: &ErasureScope) -> bool {
        self.1.is_forgotten_by(what) || what.covers_thing(&format!("ch_{}", self.0))
    }
}

/// What waits.
#[derive(Debug, Default)]
pub(super) struct WaitingPayments {
    claims: BTreeMap<(String, TxnId), PaymentClaim>,
}

/// The keyed hash of a sender.
pub(super) fn sender_hash(key: &SecretKey, sender: &str) -> String {
    let id = key.txn(&format!("sender|{}", sender.to_uppercase()));
    id.as_str().chars().skip(3).collect()
}

impl WaitingPayments {
    /// Lets a claim wait; false when it waits already.
    pub(super) fn add(&mut self, sender: &str, id: TxnId, claim: PaymentClaim) -> bool {
        let new = self.claims.insert((sender.to_owned(), id), claim).is_none();
        let of_sender = self.claims.keys().filter(|(of, _)| of == sender).count();
        if of_sender > MAX_OF_SENDER {
            self.drop_oldest(Some(sender));
        }
        if self.claims.len() > MAX_WAITING {
            self.drop_oldest(None);
        }
        new
    }

    fn drop_oldest(&mut self, sender: Option<&str>) {
        let oldest = self
            .claims
            .iter()
            .filter(|((of, _), _)| sender.is_none_or(|sender| of == sender))
            .min_by_key(|(_, claim)| claim.ts)
            .map(|(place, _)| place.clone());
        if let Some(place) = oldest {
            self.claims.remove(&place);
        }
    }

    /// What waits, by sender.
    pub(super) fn senders(&self) -> BTreeMap<&str, Vec<&PaymentClaim>> {
        let mut out: BTreeMap<&str, Vec<&PaymentClaim>> = BTreeMap::new();
        for ((sender, _), claim) in &self.claims {
            out.entry(sender).or_default().push(claim);
        }
        out
    }

    /// Takes what one of these senders told.
    pub(super) fn take(&mut self, senders: &[String]) -> Vec<(TxnId, PaymentClaim)> {
        let (taken, left) = std::mem::take(&mut self.claims)
            .into_iter()
            .partition(|((of, _), _)| senders.contains(of));
        self.claims = left;
        let taken: BTreeMap<(String, TxnId), PaymentClaim> = taken;
        taken.into_iter().map(|((_, id), claim)| (id, claim)).collect()
    }

    /// Forgets what is older than payments are kept.
    pub(super) fn prune(&mut self, oldest: Timestamp) {
        self.claims.retain(|_, claim| claim.ts >= oldest);
    }

    pub(super) fn rows(&self) -> Vec<WaitingRow> {
        let row = |((sender, id), claim): (&(String, TxnId), &PaymentClaim)| {
            WaitingRow(sender.clone(), ClaimRow::from_claim(id, claim, None))
        };
        self.claims.iter().map(row).collect()
    }

    /// What was kept; rows that no source could have produced are left out.
    pub(super) fn restore(rows: Vec<WaitingRow>) -> Self {
        let claims = rows.into_iter().filter_map(|WaitingRow(sender, row)| {
            let (id, claim) = row.read()?;
            Some(((sender, id), claim))
        });
        Self {
            claims: claims.take(MAX_WAITING).collect(),
        }
    }
}
