//! What Finance has in memory alone: which signal reported which transaction, and merchants' names.
//!
//! What: [`MerchantMemory`]. Why: `parse_sms` and `describe` answer about what is in memory; the state holds no text. After a
//! restart names are read again (`payee_names`), and `parse_sms` answers `text_unknown`. Not here: the payments (`book`).

use super::{book::PaymentBook, category, merchant_name::MerchantName};
use std::collections::BTreeMap;
use toolcall_schema::{
    catalogue::shared::{ThingId, ThingNames},
    ids::{MerchantHash, SignalId, TxnId},
    signal::{Signal, SignalKind},
};

/// Signals, and merchants, that are remembered; beyond it the first by name go.
const MAX: usize = 20_000;

/// In memory only. Not `Debug`: it holds names.
#[derive(Default)]
pub(super) struct MerchantMemory {
    txns: BTreeMap<SignalId, (SignalKind, TxnId)>,
    names: BTreeMap<MerchantHash, String>,
}

impl MerchantMemory {
    /// Remembers a merchant's name.
    pub(super) fn name_of(&mut self, merchant: MerchantHash, name: &str) {
        self.names.entry(merchant).or_insert_with(|| name.to_owned());
        while self.names.len() > MAX {
            self.names.pop_first();
        }
    }

    /// Remembers the payee of a claim.
    pub(super) fn name_payee(&mut self, book: &PaymentBook, claim: &TxnId, name: &MerchantName) {
        if let Some(merchant) = book.merchant(claim) {
            self.name_of(merchant.clone(), &category::display_name(name));
        }
    }

    /// Remembers which transaction a signal reported.
    pub(super) fn note(&mut self, signal: &Signal, claim: TxnId) {
        self.txns.insert(signal.id.clone(), (signal.kind, claim));
        while self.txns.len() > MAX {
            self.txns.pop_first();
        }
    }

    /// Forgets what the book no longer has. Names stay where it had no room for a payment: memory has that one.
    pub(super) fn prune(&mut self, book: &PaymentBook) {
        self.txns.retain(|_, (_, claim)| book.id(claim).is_some());
        if !book.is_whole() {
            return;
        }
        let live = book.merchants();
        self.names.retain(|merchant, _| live.contains(merchant));
    }

    /// The transaction that a signal of that kind reported.
    pub(super) fn txn(&self, source: &SignalId, kind: SignalKind) -> Option<&TxnId> {
        let (heard, txn) = self.txns.get(source)?;
        (*heard == kind).then_some(txn)
    }

    /// What merchants of this book are called.
    pub(super) fn names_in(&self, book: &PaymentBook) -> ThingNames {
        let live = book.merchants();
        let named = self.names.iter().filter(|(merchant, _)| live.contains(merchant));
        named
            .map(|(merchant, name)| (ThingId::Merchant(merchant.clone()), name.clone()))
            .collect()
    }

    /// What a merchant is called.
    pub(super) fn name(&self, merchant: &MerchantHash) -> Option<&str> {
        self.names.get(merchant).map(String::as_str)
    }
}
