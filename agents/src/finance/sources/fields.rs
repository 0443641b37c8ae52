//! The wording of refunds and fees in statements and mails.
//!
//! What: whether a text speaks of one. Why: a refund is no income. Not here: messages of banks (`messages`), amounts (`amount`).

use regex::Regex;
use std::sync::LazyLock;

static REFUND: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)(?:refund(?:ed)?|revers(?:ed|al))(?-u:\b)").ok());
static FEE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)(?:fees?|charges?|chrgs?|chgs?)(?-u:\b)").ok());

/// Whether a text speaks of a refund or a reversal.
pub(super) fn speaks_of_refund(text: &str) -> bool {
    REFUND.as_ref().is_some_and(|r| r.is_match(text))
}

/// Whether a text has a word of fees or charges.
pub(super) fn speaks_of_fee(text: &str) -> bool {
    FEE.as_ref().is_some_and(|r| r.is_match(text))
}
