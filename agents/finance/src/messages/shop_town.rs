//! The town behind a shop's name.
//!
//! What: [`without_town`], where a name ends that a terminal wrote with its town and country. Why: a shop is one shop, with its town and without. Not
//! here: names (`payee`); a town behind a comma, which ends a name anyway.

use super::text::{MessageText, TokenKind};

/// Countries of the Gulf, as terminals of shops write them behind a town.
#[rustfmt::skip] // Words fill a line.
const COUNTRIES: &[&str] = &[
    "AE", "ARE", "UAE", "SA", "SAU", "KSA", "QA", "QAT", "OM", "OMN", "KW", "KWT", "BH", "BHR",
];

/// Towns of these countries.
#[rustfmt::skip] // Words fill a line.
const TOWNS: &[&str] = &[
    "abu dhabi", "dubai", "sharjah", "ajman", "al ain", "fujairah", "riyadh", "jeddah",
    "dammam", "khobar", "al khobar", "makkah", "mecca", "madinah", "medina", "doha", "al wakrah", "muscat", "salalah", "sohar",
    "kuwait", "kuwait city", "hawalli", "salmiya", "manama", "muharraq",
];

/// Where a name ends that has a town and its country behind it: "GREENLEAF MARKET ABU DHABI ARE". A town without one may be of the name.
pub(super) fn without_town(text: &MessageText, from: usize, to: usize) -> usize {
    let words = |to: usize| (from..to).rev().filter(|at| text.kind(*at) == TokenKind::Word);
    let mut behind = words(to);
    if !behind.next().is_some_and(|at| COUNTRIES.contains(&text.raw(at))) {
        return to;
    }
    let (Some(last), before) = (behind.next(), behind.next()) else {
        return to;
    };
    let two = before.map(|at| format!("{} {}", text.low(at), text.low(last)));
    let town = match (before, two) {
        (Some(at), Some(two)) if TOWNS.contains(&two.as_str()) => at,
        _ if TOWNS.contains(&text.low(last)) => last,
        _ => return to,
    };
    let end = (from..town)
        .rev()
        .find(|at| !matches!(text.kind(*at), TokenKind::Sign(_)))
        .map_or(from, |at| at + 1);
    // A name of a town alone is a name.
    if end > from { end } else { to }
}
