//! Which of several sums was paid, and whether two of them are two payments.
//!
//! What: [`in_own_currency`] and [`is_aside`], by the parentheses that a sum stands in; [`is_joined`] and [`is_of_bank`]. Why: most messages name more than
//! one sum. Not here: what a sum is by the words beside it (`money`).

use super::{
    money::FoundAmount,
    score::{FoundSlots, VerbHit},
    text::MessageText,
    words::VerbStrength,
};

/// Whether an amount stands in parentheses, and not first in them: a part of what stands before.
pub(super) fn is_aside(text: &MessageText, at: usize) -> bool {
    let opens = (1..=16)
        .filter_map(|back| at.checked_sub(back))
        .find(|at| text.is_sign(*at, &['(', ')']));
    opens.is_some_and(|opens| text.is_sign(opens, &['(']) && opens + 1 < at)
}

/// What an amount abroad came to in the owner's currency, which stands behind it in parentheses: "THB 1,450.00 (INR 3,829.12)".
pub(super) fn in_own_currency(found: &FoundSlots<'_>, main: usize) -> Option<usize> {
    let (abroad, own) = (found.amounts.get(main)?, found.amounts.get(main + 1)?);
    let is_home = |amount: &FoundAmount| amount.hint.map(|hint| hint.resolved(found.home) == found.home);
    // "€24.00 at NAME (£20.61)": alone in its parentheses, in the sentence of the other.
    let text = found.text;
    let follows = text.is_sign(own.range.from.wrapping_sub(1), &['('])
        && text.sentence(own.range.from) == text.sentence(abroad.range.from)
        && (own.range.from == abroad.range.to + 1 || text.is_sign(own.range.to, &[')']));
    (follows && is_home(abroad) == Some(false) && is_home(own) == Some(true)).then_some(main + 1)
}

/// Whether a verb says what the bank took for a payment: "You were charged Rs 5", "A fee of Rs 5 was also charged".
pub(super) fn is_of_bank(text: &MessageText, at: usize) -> bool {
    text.low(at) == "charged" && matches!(text.low(at.wrapping_sub(1)), "were" | "was" | "also")
}

/// Whether two amounts are two payments that one sentence joins: "Rs 5 debited to A and Rs 2 credited", "Rs 5 to A and Rs 2 to B", "Rs 5 and
/// Rs 2 debited".
/// What names one amount from both ends, "Rs 5 debited and Rs 5 credited to B", is one.
pub(super) fn is_joined(
    text: &MessageText,
    past: &[VerbHit],
    one: &FoundAmount,
    other: &FoundAmount,
) -> bool {
    let (first, second) = if one.range.from < other.range.from {
        (one, other)
    } else {
        (other, one)
    };
    let own_verb = |amount: &FoundAmount| {
        let around = amount.range.from.saturating_sub(2)..amount.range.to + 3;
        past.iter()
            .filter(|hit| hit.strength == VerbStrength::Strong && around.contains(&hit.at))
            .min_by_key(|hit| hit.at.abs_diff(amount.range.from))
    };
    let joins = |at: usize| {
        text.is_sign(at, &[',', ';', '&', '+'])
            || matches!(text.low(at), "and" | "und" | "aur" | "also" | "plus")
    };
    let between = first.range.to;
    if second.range.from == between + 1 && joins(between) {
        return first.digits != second.digits;
    }
    match (own_verb(first), own_verb(second)) {
        (Some(verb), Some(next)) if verb.at != next.at => {
            (verb.at.min(first.range.from)..next.at.min(second.range.from))
                .next_back()
                .is_some_and(joins)
                && (verb.way == next.way || first.digits != second.digits)
        }
        (Some(_) | None, _) => {
            let leads = text.low(first.range.to);
            matches!(leads, "to" | "at" | "from" | "for" | "an" | "bei" | "von")
                && leads == text.low(second.range.to)
                && second.range.from.checked_sub(1).is_some_and(joins)
        }
    }
}
