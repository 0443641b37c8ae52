//! The tools of Finance.

use super::{
    allowed_spending::{AllowSpending, ListAllowedSpending},
    money_questions::{AnswerQuestion, JudgeSender, ListQuestions},
    shared::{DescribeArgs, ParseArgs},
    shop_category::SortShop,
};
use crate::{
    ids::{MerchantHash, TxnId},
    milli::Milli,
    names::{Category, Severity, closed_enum},
    signal::Direction,
    tick::{IngestArgs, TickArgs},
    time::Timestamp,
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
    Categorize(CategorizeArgs),
    /// `finance.anomaly_flag`
    AnomalyFlag(AnomalyFlag),
    /// `finance.predict_eom_balance`
    PredictEomBalance(PredictEomBalance),
    /// `finance.parse_sms`
    ParseSms(ParseArgs),
    /// `finance.parse_gmail_receipt`
    ParseGmailReceipt(ParseArgs),
    /// `finance.suggest_substitution`
    SuggestSubstitution(SuggestSubstitution),
    /// `finance.describe`
    Describe(DescribeArgs),
    /// `finance.list_questions`
    ListQuestions(ListQuestions),
    /// `finance.judge_sender`
    JudgeSender(JudgeSender),
    /// `finance.answer_question`
    AnswerQuestion(AnswerQuestion),
    /// `finance.allow_spending`
    AllowSpending(AllowSpending),
    /// `finance.list_allowed_spending`
    ListAllowedSpending(ListAllowedSpending),
    /// `finance.sort_shop`
    SortShop(SortShop),
}

/// Result of `finance.parse_sms` and `finance.parse_gmail_receipt`: the transaction that a source became, with the fields
/// that may be kept and its direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParsedTransaction {
    /// The transaction.
    pub txn_id: TxnId,
    /// More than 0, in `currency`.
    #[serde(with = "rust_decimal::serde::str")]
    pub amount: Decimal,
    /// ISO 4217.
    pub currency: String,
    /// The last four digits of the owner's account.
    pub account_last4: String,
    /// Which way the money went.
    pub direction: Direction,
    /// To or from whom.
    pub merchant_hash: MerchantHash,
    /// By the table of merchants.
    pub category: Category,
    /// When, as near as the source says.
    pub at: Timestamp,
}

closed_enum!(
    /// What to do instead of spending.
    Instead {
        /// Cook one of the ordered meals.
        Cook = "cook",
        /// Do without once.
        SkipOne = "skip_one",
    }
);

/// Arguments of `finance.suggest_substitution`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestSubstitution {
    /// The category in which to save.
    pub category: Category,
    /// The last of the seven local days that are looked at.
    pub day: NaiveDate,
}

/// Result of `finance.suggest_substitution`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubstitutionResult {
    /// The category.
    pub category: Category,
    /// What to do.
    pub instead: Instead,
    /// What that saves once, in `currency`; never more than was spent in the seven days.
    #[serde(with = "rust_decimal::serde::str")]
    pub could_save: Decimal,
    /// ISO 4217.
    pub currency: String,
}

/// Arguments of `finance.categorize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategorizeArgs {
    /// 1 to 512 transactions.
    pub txn_ids: Vec<TxnId>,
}

/// Result of `finance.categorize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategorizeResult {
    /// One for each transaction that was found.
    pub categories: Vec<TxnCategory>,
}

/// A transaction's category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TxnCategory {
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
pub struct AnomalyResult {
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
