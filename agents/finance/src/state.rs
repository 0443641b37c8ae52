//! What Finance keeps from one start to the next.
//!
//! What: [`FinanceAgentState`], rows of payments and how far files were read, without a word of text. Why: what was read is known after a restart.
//! Not here: names of shops, which are in memory alone (`merchant_memory`).

use super::{
    allowed::AllowedAmounts,
    claim::{BalanceRow, ClaimRow},
    forgotten::{ForgottenBalances, ForgottenClaims},
    forms::{FormRow, SenderDecisionRow},
    shops::ShopCategories,
    statements::FinishedFile,
    waiting::WaitingRow,
};
use agents_base::{contract::KeptState, shared::ReadMark};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{AgentName, Timestamp, forget::ErasureScope, ids::TxnId, money::AccountBalance};

/// `agent_state` of Finance, version 3; version 1 has neither balances nor statements. No text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinanceAgentState {
    pub(super) version: FinanceStateVersion,
    pub(super) txns: Vec<ClaimRow>,
    pub(super) files: BTreeMap<String, ReadMark>,
    #[serde(default)]
    pub(super) balances: Vec<BalanceRow>,
    #[serde(default)]
    pub(super) statements: BTreeMap<String, FinishedFile>,
    /// What the owner wished when the statements were read.
    #[serde(default)]
    pub(super) wishes: String,
    /// When the newest payment was that there was no room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cut: Option<Timestamp>,
    /// New payments not reported to memory yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) untold: Vec<TxnId>,
    /// Payments of senders that are not accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) waiting: Vec<WaitingRow>,
    /// Forms of messages that the owner taught.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) forms: Vec<FormRow>,
    /// What the owner said of senders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) senders: Vec<SenderDecisionRow>,
    /// How much a day the owner calls usual.
    #[serde(default, skip_serializing_if = "AllowedAmounts::is_empty")]
    pub(super) allowed: AllowedAmounts,
    /// In which category the owner counts a shop.
    #[serde(default, skip_serializing_if = "ShopCategories::is_empty")]
    pub(super) shops: ShopCategories,
    /// What was forgotten, and counts no more where a source tells it once more.
    #[serde(default, skip_serializing_if = "ForgottenClaims::is_empty")]
    pub(super) forgotten: ForgottenClaims,
    /// The same of what is in accounts.
    #[serde(default, skip_serializing_if = "ForgottenBalances::is_empty")]
    pub(super) forgotten_balances: ForgottenBalances,
    /// Payments that memory knows and no source says any more.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) withdrawn: BTreeSet<TxnId>,
}

impl FinanceAgentState {
    /// The payments that go, each with all that was said of it.
    fn payments_in(&self, what: &ErasureScope) -> BTreeSet<TxnId> {
        let mut first: BTreeMap<&TxnId, &ClaimRow> = BTreeMap::new();
        for row in &self.txns {
            let best = first.entry(row.payment()).or_insert(row);
            if row.rank() < best.rank() {
                *best = row;
            }
        }
        let in_span = first.values().filter(|row| what.covers_time(row.ts())).copied();
        let named = self.txns.iter().filter(|row| row.names_one_of(what));
        in_span.chain(named).map(|row| row.payment().clone()).collect()
    }
}

impl KeptState for FinanceAgentState {
    const AGENT: AgentName = AgentName::Finance;
    const ROWS: &'static [&'static str] = &["/txns"];

    fn forget(&mut self, what: &ErasureScope) {
        let payments = self.payments_in(what);
        let mut forgotten = std::mem::take(&mut self.forgotten);
        self.txns.retain(|row| {
            let goes = row.is_forgotten_by(what) || payments.contains(row.payment());
            if goes && row.source().is_read_whole() {
                forgotten.note(row.id(), row.ts());
            }
            !goes
        });
        self.forgotten = forgotten.cut_to_limits();
        self.waiting.retain(|row| !row.is_forgotten_by(what));
        self.forms.retain(|row| !row.is_forgotten_by(what));
        self.senders.retain(|row| !row.is_forgotten_by(what));
        self.allowed.forget(what);
        self.withdrawn
            .retain(|txn| !what.is_everything() && !what.covers_thing(txn.as_str()));
        self.shops.forget(what);
        let goes = |row: &mut BalanceRow| what.covers_time(Timestamp::from_ms(row.3));
        for BalanceRow(account_last4, currency, _, ms) in self.balances.extract_if(.., goes) {
            self.forgotten_balances.note(&account_last4, &currency, ms);
        }
    }

    fn clear_read_marks(&mut self) {
        self.files.clear();
        self.statements.clear();
        self.forgotten = ForgottenClaims::default();
        self.forgotten_balances = ForgottenBalances::default();
    }
}

/// The balances of a state, or of a change of one, by the last digits of their accounts; `None`: it has none.
///
/// # Errors
/// When it is no state.
pub fn balances_in(json: &str) -> Result<Option<Vec<(String, AccountBalance)>>, serde_json::Error> {
    #[derive(Deserialize)]
    struct BalancesOfState {
        balances: Option<Vec<BalanceRow>>,
    }
    // An agent that has kept nothing yet.
    let state: Option<BalancesOfState> = serde_json::from_str(json)?;
    let balances = state.and_then(|state| state.balances);
    Ok(balances.map(|rows| rows.into_iter().map(BalanceRow::into_told).collect()))
}

/// The payments of a state, or of a change of one, that memory is to let go of; `None`: it does not say.
///
/// # Errors
/// When it is no state.
pub fn withdrawn_in(json: &str) -> Result<Option<Vec<TxnId>>, serde_json::Error> {
    /// What a merge patch says of the list: null takes it away.
    #[derive(Default)]
    enum Said {
        #[default]
        Nothing,
        Payments(Vec<TxnId>),
    }
    impl<'de> Deserialize<'de> for Said {
        fn deserialize<D: serde::Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
            let list: Option<Vec<TxnId>> = Option::deserialize(json)?;
            Ok(Self::Payments(list.unwrap_or_default()))
        }
    }
    #[derive(Deserialize)]
    struct WithdrawnOfState {
        #[serde(default)]
        withdrawn: Said,
    }
    // An agent that has kept nothing yet.
    let state: Option<WithdrawnOfState> = serde_json::from_str(json)?;
    Ok(state.and_then(|state| match state.withdrawn {
        Said::Nothing => None,
        Said::Payments(list) => Some(list),
    }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FinanceStateVersion {
    /// Memory was told of some payments without their direction.
    #[serde(rename = "finance.v2", alias = "finance.v1")]
    V2,
    /// Memory knows the direction of every payment.
    #[serde(rename = "finance.v3")]
    V3,
}
