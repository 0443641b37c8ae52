//! What Finance heard in this run and does not keep: which signal told of which transaction, and merchants' names.
//!
//! What: [`Heard`]. Why: `parse_sms` and `describe` answer about what is still in memory; the state holds no text, so
//! after a restart the answer is "unknown". Not here: the transactions (`model`).

use super::model::Book;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    ids::{MerchantHash, SignalId, TxnId},
    signal::{Signal, SignalKind},
};

/// Signals, and merchants, that are remembered; beyond it the first by name go.
const MAX: usize = 20_000;

/// In memory only. Not `Debug`: names stand in it.
#[derive(Default)]
pub(super) struct Heard {
    txns: BTreeMap<SignalId, (SignalKind, TxnId)>,
    names: BTreeMap<MerchantHash, String>,
}

impl Heard {
    /// Remembers what a signal told of.
    pub(super) fn note(&mut self, signal: &Signal, txn: &TxnId, merchant: String, book: &Book) {
        self.txns.insert(signal.id.clone(), (signal.kind, txn.clone()));
        if let Some(known) = book.get(txn) {
            self.names.insert(known.merchant.clone(), merchant);
        }
        while self.txns.len() > MAX {
            self.txns.pop_first();
        }
        while self.names.len() > MAX {
            self.names.pop_first();
        }
    }

    /// Forgets what the book no longer has.
    pub(super) fn prune(&mut self, book: &Book) {
        self.txns.retain(|_, (_, txn)| book.get(txn).is_some());
        let live: BTreeSet<&MerchantHash> = book.iter().map(|(_, txn)| &txn.merchant).collect();
        self.names.retain(|merchant, _| live.contains(merchant));
    }

    /// The transaction that a signal of that kind told of.
    pub(super) fn txn(&self, source: &SignalId, kind: SignalKind) -> Option<&TxnId> {
        let (heard, txn) = self.txns.get(source)?;
        (*heard == kind).then_some(txn)
    }

    /// A merchant's normalised name.
    pub(super) fn name(&self, merchant: &MerchantHash) -> Option<&str> {
        self.names.get(merchant).map(String::as_str)
    }
}
