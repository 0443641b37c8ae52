//! The tools of Finance.

use crate::{
    ids::TxnId,
    milli::Milli,
    names::{Category, Severity},
    tick::{IngestArgs, TickArgs},
};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// Every tool of Finance with its typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FinanceTool {
    /// `finance.ingest`
    Ingest(IngestArgs),
    /// `finance.tick`
    Tick(TickArgs),
    /// `finance.categorize`
    Categorize(Categorize),
    /// `finance.anomaly_flag`
    AnomalyFlag(AnomalyFlag),
    /// `finance.predict_eom_balance`
    PredictEomBalance(PredictEomBalance),
}

/// Arguments of `finance.categorize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Categorize {
    /// 1 to 512 transactions.
    pub txn_ids: Vec<TxnId>,
}

/// Result of `finance.categorize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Categorized {
    /// One for each transaction that was found.
    pub categories: Vec<TxnCategory>,
}

/// A transaction's category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TxnCategory {
    /// Which.
    pub txn_id: TxnId,
    /// Its category.
    pub category: Category,
}

/// Arguments of `finance.anomaly_flag`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnomalyFlag {
    /// The category that is unusual.
    pub category: Category,
    /// How unusual it was at the tick; the tool computes it again.
    pub severity: Severity,
    /// The local day that is judged.
    pub day: NaiveDate,
    /// Days of history, 7 to 90.
    pub window_days: u32,
}

/// Result of `finance.anomaly_flag`. Effect: `card_show`. Amounts are decimal strings in `currency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anomaly {
    /// The category.
    pub category: Category,
    /// How unusual.
    pub severity: Severity,
    /// Leave-one-out robust z-score.
    pub z_score: Milli,
    /// Spent in the category on that day.
    #[serde(with = "rust_decimal::serde::str")]
    pub spent_today: Decimal,
    /// The median day of the window.
    #[serde(with = "rust_decimal::serde::str")]
    pub usual: Decimal,
    /// What the substitution rule says could be saved.
    #[serde(with = "rust_decimal::serde::str")]
    pub could_save: Decimal,
    /// ISO 4217.
    pub currency: String,
}

/// Arguments of `finance.predict_eom_balance`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredictEomBalance {
    /// The local day from which to look ahead.
    pub day: NaiveDate,
}

/// Result of `finance.predict_eom_balance`. Effect: `card_show`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BalanceForecast {
    /// The balance expected at the end of the month; absent when it cannot be said.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "rust_decimal::serde::str_option"
    )]
    pub balance_eom: Option<Decimal>,
    /// The day on which it reaches zero, when before the month's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits_zero: Option<NaiveDate>,
    /// 0 to 0.85.
    pub confidence: Milli,
    /// ISO 4217.
    pub currency: String,
}
