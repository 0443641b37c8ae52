//! Receipts that shops send by mail.
//!
//! What: [`read`], a mail of a known shop to a payment. Why: a receipt names the shop and the order when a bank's message names
//! neither. Not here: mail (`mail`), which message is of the same payment (`matching`).

use super::{FoundPayment, PaymentOrdinal, amount, believable, currency::CurrencySymbol, fields};
use crate::{
    claim::{NO_ACCOUNT, PaymentSource},
    code,
    merchant_name::MerchantName,
};
use agents_base::{mail::eml::ParsedMail, shared::SkipCode};
use regex::Regex;
use std::sync::LazyLock;
use toolcall_schema::{Timestamp, signal::Direction};

/// Shops by the domain they write from. A subdomain is the shop's too.
const SHOPS: &[(&str, &str)] = &[
    ("swiggy.in", "swiggy"),
    ("swiggy.com", "swiggy"),
    ("zomato.com", "zomato"),
    ("dominos.co.in", "dominos"),
    ("bigbasket.com", "bigbasket"),
    ("blinkit.com", "blinkit"),
    ("zeptonow.com", "zepto"),
    ("jiomart.com", "jiomart"),
    ("uber.com", "uber"),
    ("olacabs.com", "ola"),
    ("rapido.bike", "rapido"),
    ("amazon.in", "amazon"),
    ("amazon.com", "amazon"),
    ("amazon.de", "amazon"),
    ("amazon.co.uk", "amazon"),
    ("flipkart.com", "flipkart"),
    ("myntra.com", "myntra"),
    ("ajio.com", "ajio"),
    ("nykaa.com", "nykaa"),
    ("meesho.com", "meesho"),
    ("decathlon.in", "decathlon"),
    ("ikea.com", "ikea"),
    ("bookmyshow.com", "bookmyshow"),
    ("steampowered.com", "steam"),
    ("netflix.com", "netflix"),
    ("spotify.com", "spotify"),
    ("irctc.co.in", "irctc"),
    ("makemytrip.com", "makemytrip"),
    ("redbus.in", "redbus"),
    ("goindigo.in", "indigo"),
    ("1mg.com", "1mg"),
    ("pharmeasy.in", "pharmeasy"),
    ("netmeds.com", "netmeds"),
    ("apollopharmacy.in", "apollo"),
    ("udemy.com", "udemy"),
    ("coursera.org", "coursera"),
];

/// The words of a receipt's subject: other mails of a shop want something.
const RECEIPT: &str = r"(?i)(?-u:\b)(?:order(?:ed)?|receipt|invoice|payment|paid|bill|booking|ticket|trip|ride|renewal|renewed|refund(?:ed)?|charged|purchase)(?-u:\b)";
/// The words of a subject that only looks like one.
const NOT_YET: &str = r"(?i)(?-u:\b)(?:cart|sale|offer|off|coupon|deal|wishlist|failed|declined|cancelled|canceled|due|reminder|rate|review)(?-u:\b)";
const AMOUNT: &str = r"(?i)(?P<cur>(?-u:\b)rs\.?|(?-u:\b)inr|₹|(?-u:\b)usd|\$|(?-u:\b)eur|€|(?-u:\b)gbp|£|(?-u:\b)aed|(?-u:\b)sgd) ?(?P<amt>[0-9][0-9.,'’]*)";
/// What stands before the whole sum in a body, the surest first.
const TOTALS: [&str; 4] = [
    r"(?:grand total|total paid|amount paid|amount charged|order total|total amount|bill total|invoice total|refund amount)",
    r"(?:you paid|paid|charged|refunded|refund of|payment of)",
    r"(?:total)",
    r"(?:amount)",
];
const ORDER: &str = r"(?i)(?-u:\b)(?:order|booking|invoice|receipt|transaction|pnr|trip|crn)(?: (?:id|no|number|reference))?[ .:#-]*(?P<id>[A-Z0-9][A-Z0-9-]{3,39})(?-u:\b)";

static IS_RECEIPT: LazyLock<Option<Regex>> = LazyLock::new(|| fields::small_regex(RECEIPT));
static IS_NOT_YET: LazyLock<Option<Regex>> = LazyLock::new(|| fields::small_regex(NOT_YET));
static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| fields::small_regex(AMOUNT));
static ORDERED: LazyLock<Option<Regex>> = LazyLock::new(|| fields::small_regex(ORDER));
static SUMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    TOTALS
        .iter()
        .filter_map(|words| {
            fields::small_regex(&format!(
                r"(?i)(?-u:\b){words}(?-i:[^0-9₹$€£]){{0,24}}?{}",
                &AMOUNT[4..]
            ))
        })
        .collect()
});

/// Reads a mail. `None`: it is no receipt of a shop that is known.
pub(crate) fn read(mail: &ParsedMail, sent: Timestamp) -> Option<Result<FoundPayment, SkipCode>> {
    let host = mail.host()?;
    let (_, shop) = SHOPS.iter().find(|(domain, _)| {
        host == *domain || host.strip_suffix(domain).is_some_and(|sub| sub.ends_with('.'))
    })?;
    let (subject, body) = mail.text.split_once('\n').unwrap_or((&mail.text, ""));
    let has = |regex: &Option<Regex>| regex.as_ref().is_some_and(|r| r.is_match(subject));
    if !has(&IS_RECEIPT) || has(&IS_NOT_YET) {
        return None;
    }
    Some(found(subject, body, shop, sent))
}

fn found(subject: &str, body: &str, shop: &str, sent: Timestamp) -> Result<FoundPayment, SkipCode> {
    let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let captured = FIRST
        .as_ref()
        .and_then(|first| first.captures(subject))
        .or_else(|| SUMS.iter().find_map(|sum| sum.captures_iter(&body).last()))
        .ok_or(code::RECEIPT)?;
    let group = |name: &str| captured.name(name).map(|m| m.as_str()).unwrap_or_default();
    let amount = amount::in_message(group("amt"))
        .and_then(believable)
        .ok_or(code::AMOUNT)?;
    let currency = CurrencySymbol::parse(group("cur"))
        .and_then(|symbol| symbol.usual())
        .ok_or(code::AMOUNT)?;
    let order = |text: &str| {
        let captured = ORDERED.as_ref()?.captures_iter(text);
        captured
            .filter_map(|c| c.name("id").map(|id| id.as_str().to_owned()))
            .find(|id| id.bytes().any(|b| b.is_ascii_digit()))
    };
    let direction = if fields::speaks_of_refund(subject) {
        Direction::Refund
    } else {
        Direction::Debit
    };
    Ok(FoundPayment {
        amount,
        currency,
        account_last4: NO_ACCOUNT.to_owned(),
        direction,
        merchant: MerchantName::new(shop),
        ts: sent,
        reference: order(subject).or_else(|| order(&body)),
        categorized: true,
        source: PaymentSource::Receipt,
        category: None,
        which: PaymentOrdinal::Nth(0),
    })
}

/// Whether no expression of this file is missing for being wrong.
#[cfg(test)]
pub(super) fn all_compile() -> bool {
    SUMS.len() == TOTALS.len()
        && IS_RECEIPT.is_some()
        && IS_NOT_YET.is_some()
        && FIRST.is_some()
        && ORDERED.is_some()
}
