//! What the owner said about her money, as the pages need it.
//!
//! What: [`MoneyTerms`]: the balance, the budgets and the accounts of her file, and what statements and banks told of accounts. Why: budgets are for pages alone, no agent is told of them. Not here: the file
//! (`orchestrator`), payments (`types`).

use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Category, ids::MerchantHash, money::AccountBalance};

/// What the owner said about her money.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoneyTerms {
    /// What she had, and when.
    pub balance: Option<AccountBalance>,
    /// What statements and banks told of her accounts: the newest of each and of each currency.
    pub statement_balances: Vec<StatementBalance>,
    /// What she wants to spend in a month at most, by what for; each more than 0.
    pub budgets: BTreeMap<Category, Decimal>,
    /// The last four digits of her accounts and cards.
    pub accounts: BTreeSet<String>,
    /// The currency of her files (ISO 4217).
    pub currency: Option<String>,
    /// What stands for a payee that no source named; `None`: nothing does.
    pub nameless: Option<MerchantHash>,
}

/// A balance that a statement or a bank told of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementBalance {
    /// The last digits by which its payments name it.
    pub account_last4: String,
    pub told: AccountBalance,
}
