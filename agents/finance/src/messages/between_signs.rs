//! Names that no preposition leads to.
//!
//! What: names before a verb (`NAME has sent you`, `NAME credited`), before a Hindi word, alone on a line, or between signs. Why: they
//! are the last resort of finding a payee. Not here: which of all is taken (`payee`).

use super::{
    no_names::is_how_word,
    payee::{FoundPlaces, MAX_WORDS, cleaned, ends_name, is_signature, name_end},
    text::{MessageText, TextSpan, TokenKind},
    word_lists::PATH_HEADS,
    words::{AmountRole, VerbStrength, is_account_word, is_bank_word, is_card_word, role, verb},
};

/// Whether a verb stands here that a payer is the subject of: `NAME has sent you`.
pub(super) fn is_subject_verb(text: &MessageText, at: usize) -> bool {
    let word = text.low(at);
    let giving = |at: usize| {
        matches!(
            text.low(at),
            "sent" | "paid" | "refunded" | "transferred" | "credited" | "gifted" | "deposited" | "reversed"
        )
    };
    (matches!(word, "has" | "have") && giving(at + 1))
        || (giving(at) && matches!(text.low(at + 1), "you" | "to"))
        // "NAME refunded £5 to".
        || (word == "refunded"
            && at > 0
            && text.raw(at - 1).starts_with(char::is_uppercase)
            && (text.is_sign(at + 1, &['$', '£', '€', '₹']) || matches!(text.low(at + 1), "rs" | "inr")))
}

pub(super) fn subject_before(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    at: usize,
) -> Option<(String, TextSpan)> {
    let sentence = text.sentence(at);
    let mut from = at;
    while from > 0
        && text.sentence(from - 1) == sentence
        && !places.has(from - 1)
        && !text.is_cut(from - 1)
        && !text.is_sign(from - 1, &[',', ':', ';', '!'])
        // "NAME.COM" goes on.
        && (!text.is_sign(from - 1, &['.']) || !text.is_spaced(from))
        && at - from < MAX_WORDS
    {
        from -= 1;
    }
    let passive = |at: usize| {
        matches!(
            text.low(at),
            "been"
                | "be"
                | "is"
                | "was"
                | "will"
                | "are"
                | "were"
                | "from"
                | "to"
                | "by"
                | "at"
                | "of"
                | "on"
                | "for"
        )
    };
    if from == at
        || (from..at).any(|at| {
            passive(at) || verb(text.low(at)).is_some_and(|(_, strength)| strength == VerbStrength::Strong)
        })
    {
        return None;
    }
    cleaned(text, from, at)
}

/// `; NAME credited`, `and NAME credited`.
pub(super) fn credited_before(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    at: usize,
) -> Option<(String, TextSpan)> {
    let mut from = at;
    while from > 0
        && !places.has(from - 1)
        && !text.is_sign(from - 1, &[';', ',', '.', ':'])
        && !matches!(text.low(from - 1), "is" | "been")
        && text.kind(from - 1) != TokenKind::Line
        && at - from < MAX_WORDS
    {
        from -= 1;
    }
    // Without a sign before it, "and" opens; within a name it joins.
    if !(from > 0 && text.is_sign(from - 1, &[';', ','])) {
        from = (from..at)
            .find(|at| text.low(*at) == "and")
            .map_or(from, |and| and + 1);
    }
    let opens = from > 0 && (text.is_sign(from - 1, &[';', ',']) || text.low(from - 1) == "and");
    if from == at || !opens {
        return None;
    }
    cleaned(text, from, at)
}

/// A name before a Hindi word that stands behind it.
pub(super) fn hindi_before(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    at: usize,
) -> Option<(String, TextSpan)> {
    let mut from = at;
    while from > 0
        && !places.has(from - 1)
        && text.kind(from - 1) != TokenKind::Line
        && text.sentence(from - 1) == text.sentence(at)
        && !matches!(text.kind(from - 1), TokenKind::Sign(_))
        && at - from < 5
    {
        let word = text.low(from - 1);
        if ends_name(text, from - 1, 0)
            || verb(word).is_some()
            || matches!(
                word,
                "ne" | "aapke"
                    | "aapka"
                    | "aapki"
                    | "aapne"
                    | "aapko"
                    | "apko"
                    | "apke"
                    | "apne"
                    | "aap"
                    | "dwara"
                    | "hain"
                    | "hai"
                    | "rashi"
            )
        {
            break;
        }
        from -= 1;
    }
    if from == at || is_account_word(text.low(at - 1)) || is_card_word(text.low(at - 1)) {
        return None;
    }
    cleaned(text, from, at)
}

/// A line that is a name and nothing else.
pub(super) fn whole_line(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    from: usize,
) -> Option<(String, TextSpan)> {
    let (to, next) = name_end(text, places, from);
    let ends = next >= text.len() || text.kind(next) == TokenKind::Line || text.is_cut(next);
    let capital = text
        .raw(from)
        .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let plain = (from..to).all(|at| verb(text.low(at)).is_none() && !is_account_word(text.low(at)));
    if !ends
        || !capital
        || !plain
        || from == to
        || (from..to).any(|at| text.low(at) == "alert")
        || is_signature(text, from)
    {
        return None;
    }
    cleaned(text, from, to)
}

/// The title of a notification over what it tells the owner: `NAME`, and in the next line `You spent £5`.
/// On one line, with a colon between them, too, unless it names the sender or a bank.
pub(super) fn title(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    sender: &str,
) -> Option<(String, TextSpan)> {
    let colon = (1..MAX_WORDS).find(|at| text.is_sign(*at, &[':']));
    if let Some(colon) = colon
        && matches!(text.low(colon + 1), "you" | "you've")
        && matches!(text.low(colon + 2), "spent" | "paid")
        && !is_bank_word(text.low(0))
        && (0..colon).all(|at| text.low(at) != "bank")
        && !text.lower_at(text.span(0, colon)).eq_ignore_ascii_case(sender)
    {
        return cleaned(text, 0, colon);
    }
    let line = (0..text.len()).find(|at| text.kind(*at) == TokenKind::Line)?;
    let from = (0..line).find(|at| !matches!(text.kind(*at), TokenKind::Sign(_)))?;
    let told = matches!(
        text.low(line + 1),
        "you" | "you've" | "du" | "sie" | "paid" | "spent"
    );
    whole_line(text, places, from).filter(|_| told)
}

/// The shop that a card's notification has as its title, over or before the sum that begins at `sum`: `NAME`, and in the next line `$5.75`; `NAME: $5.75`.
pub(super) fn title_over_sum(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    sum: usize,
    sender: &str,
) -> Option<(String, TextSpan)> {
    let is_of_card = ["card", "karte"]
        .iter()
        .any(|word| sender.to_lowercase().ends_with(word));
    let end = sum.checked_sub(1).filter(|_| is_of_card)?;
    if text.kind(end) != TokenKind::Line && !text.is_sign(end, &[':', ',']) {
        return None;
    }
    let from = (0..end)
        .rev()
        .find(|at| text.kind(*at) == TokenKind::Line)
        .map_or(0, |line| line + 1);
    let (to, next) = name_end(text, places, from);
    let capital = text
        .raw(from)
        .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let plain = (from..to).all(|at| {
        verb(text.low(at)).is_none() && !is_account_word(text.low(at)) && !is_card_word(text.low(at))
    });
    let owner = matches!(text.low(from), "your" | "you" | "ihr" | "ihre");
    if next != end || from == to || !capital || !plain || owner {
        return None;
    }
    cleaned(text, from, to)
}

/// Who has the account before this place: `to A/c XX7781 of NAME`, `to Ac XX7210 (NAME)`, `to A/c X2077 NAME`.
pub(super) fn behind_account(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    at: usize,
    credit: bool,
) -> Option<(String, TextSpan)> {
    let account = places.accounts.iter().find(|account| account.range.to == at)?;
    let led = text.low(account.range.from.checked_sub(1)?);
    let is_theirs = if credit {
        matches!(led, "from" | "by")
    } else {
        led == "to"
    };
    let joins = text.is_sign(at, &['(']) || text.low(at) == "of";
    let from = at + usize::from(joins);
    let named = text.kind(from) == TokenKind::Word
        && text.raw(from).starts_with(char::is_uppercase)
        && !is_how_word(text.low(from));
    let (to, _) = name_end(text, places, from);
    cleaned(text, from, to).filter(|_| is_theirs && named)
}

/// A name up to an amount.
pub(super) fn before_amount(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    from: usize,
) -> Option<(String, TextSpan)> {
    let (to, next) = name_end(text, places, from);
    let whole = to == next && places.has(next) && !places.account(next);
    cleaned(text, from, to).filter(|_| whole && text.raw(from).starts_with(char::is_uppercase))
}

/// A name that stands between signs: `Card XX1234: INR 5, NAME, 3-11-26`.
pub(super) fn between(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    from: usize,
) -> Option<(String, TextSpan)> {
    // "14:20:11 IST POS NAME": of the time, and how.
    let mut from = from;
    while matches!(text.low(from), "ist" | "hrs" | "pos" | "pur")
        && text.kind(from + 1) == TokenKind::Word
        && text.sentence(from + 1) == text.sentence(from)
    {
        from += 1;
    }
    let (to, next) = name_end(text, places, from);
    let path_begins = PATH_HEADS.contains(&text.low(next)) && text.is_sign(next + 1, &['/', '-', ':']);
    let side = matches!(text.low(next), "dr" | "cr") && matches!(text.low(next + 1), "amt" | "amount");
    let remainder = matches!(
        role(text.low(next)),
        Some(AmountRole::Balance | AmountRole::Limit)
    );
    let ends = text.is_sign(next, &[',', ';', '('])
        || path_begins
        || side
        || remainder
        || places.has(next)
        || (text.low(next) == "from" && places.account(next + 1))
        || (text.is_sign(next, &['.']) && text.sentence(from) != text.sentence(next + 1));
    let plain = (from..to).all(|at| {
        verb(text.low(at)).is_none()
            && !is_account_word(text.low(at))
            && !is_card_word(text.low(at))
            && !matches!(
                text.low(at),
                "customer" | "user" | "dear" | "cardholder" | "cardmember" | "sir" | "alert"
            )
    });
    let capital = text.raw(from).starts_with(char::is_uppercase);
    // "KVR Bank Card XX0931": whose card it is.
    let banks = places.account(next) && (from..to).any(|at| text.low(at) == "bank");
    if !ends || !plain || !capital || banks || from == to || text.kind(next) == TokenKind::Line {
        return None;
    }
    cleaned(text, from, to)
}
