//! In which category a shop's payments count by the owner's word: the shapes of `finance.sort_shop`.
//!
//! What: [`SortShop`] with its result [`SortedShop`]. Why: a table of merchants does not know every shop, and not what somebody buys there. Not here: that
//! table, and which payments are a shop's (`agents`).

use crate::{ids::MerchantHash, names::Category};
use serde::{Deserialize, Serialize};

/// Arguments of `finance.sort_shop`. What is so already stays so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SortShop {
    pub merchant_hash: MerchantHash,
    /// Where its payments count from now on, earlier ones too. Absent: the owner's word is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
}

/// Result of `finance.sort_shop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SortedShop {
    pub merchant_hash: MerchantHash,
    /// Where its newest payment counts now.
    pub category: Category,
    /// Whether that is the owner's word.
    pub by_owner: bool,
    /// Payments whose category is another one now.
    pub changed: u32,
}
