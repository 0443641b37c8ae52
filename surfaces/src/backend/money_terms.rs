//! What the owner said about her money, as the pages need it.
//!
//! What: [`MoneyTerms`]: the balance, the budgets and the accounts of her file. Why: budgets are for pages alone, no agent is told of them. Not here: the file
//! (`orchestrator`), payments (`types`).

use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Category, Timestamp, ids::MerchantHash};

/// What the owner said about her money.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoneyTerms {
    /// What she had, and when.
    pub balance: Option<ToldBalance>,
    /// What she wants to spend in a month at most, by what for; each more than 0.
    pub budgets: BTreeMap<Category, Decimal>,
    /// The last four digits of her accounts and cards.
    pub accounts: BTreeSet<String>,
    /// The currency of her files (ISO 4217).
    pub currency: Option<String>,
    /// What stands for a payee that no source named; `None`: nothing does.
    pub nameless: Option<MerchantHash>,
}

/// A balance that the owner told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBalance {
    /// May be below 0.
    pub amount: Decimal,
    /// ISO 4217.
    pub currency: String,
    pub as_of: Timestamp,
}
