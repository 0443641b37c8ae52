//! How much in a category is usual by the owner's word: the shapes of `finance.allow_spending` and `finance.list_allowed_spending`.
//!
//! What: [`AllowSpending`] with its result [`AllowedSpending`], [`AllowedSpendingList`]. Why: what is unusual is found by statistics, which do not know
//! what the owner planned. Not here: the statistics, and what an amount does there (`agents`).

use crate::names::Category;
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// Arguments of `finance.allow_spending`. What is so already stays so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowSpending {
    pub category: Category,
    /// The local day that was told as unusual. What it cost is usual from now on.
    pub day: NaiveDate,
    /// `false` takes back whatever was said of the category.
    pub allowed: bool,
}

/// Result of `finance.allow_spending`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedSpending {
    pub category: Category,
    pub day: NaiveDate,
    pub allowed: bool,
    /// Up to how much a day nothing is said, in `currency`; 0 when that was taken back.
    #[serde(with = "rust_decimal::serde::str")]
    pub upto: Decimal,
    /// ISO 4217.
    pub currency: String,
}

/// Arguments of `finance.list_allowed_spending`: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListAllowedSpending {}

/// Result of `finance.list_allowed_spending`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedSpendingList {
    /// One of a category at most, by name.
    pub rows: Vec<AllowedSpending>,
}
