//! The wording of refunds and fees in statements and mails.
//!
//! What: whether a text speaks of one. Why: a refund is no income. Not here: messages of banks (`messages`), amounts (`amount`).

use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

static REFUND: LazyLock<Option<Regex>> =
    LazyLock::new(|| small_regex(r"(?i)(?-u:\b)(?:refund(?:ed)?|revers(?:ed|al))(?-u:\b)"));
static FEE: LazyLock<Option<Regex>> =
    LazyLock::new(|| small_regex(r"(?i)(?-u:\b)(?:fees?|charges?|chrgs?|chgs?)(?-u:\b)"));

/// An expression that remembers at most some hundred kilobytes of states in each direction: with the usual two megabytes, those of receipts alone
/// would take thirty. It is compiled when the first text of its kind comes.
pub(super) fn small_regex(text: &str) -> Option<Regex> {
    const STATES: usize = 256 * 1024;
    RegexBuilder::new(text).dfa_size_limit(STATES).build().ok()
}

/// Whether a text speaks of a refund or a reversal.
pub(super) fn speaks_of_refund(text: &str) -> bool {
    REFUND.as_ref().is_some_and(|r| r.is_match(text))
}

/// Whether a text has a word of fees or charges.
pub(super) fn speaks_of_fee(text: &str) -> bool {
    FEE.as_ref().is_some_and(|r| r.is_match(text))
}
