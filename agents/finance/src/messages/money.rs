//! Amounts of a message.
//!
//! What: [`find_amounts`], each with its value, currency, role and place. Why: most messages show more than one (the payment, the
//! balance, a fee), and which is which stands beside each. Not here: how digits are read (`amount`), whether there was a payment
//! (`score`).

use super::{
    dates::TokenRange,
    text::{MessageText, TextSpan, TokenKind},
    word_lists::BEFORE_AMOUNT,
    words::{
        AmountRole, CurrencyHint, VerbStrength, currency_capital, currency_sign, currency_word, role, verb,
    },
};
use rust_decimal::Decimal;
use toolcall_schema::signal::Direction;

/// Tokens before an amount that may say what it is.
const LEFT: usize = 7;

/// An amount that a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmountSlot {
    /// `None` when its digits have no clear reading.
    pub value: Option<Decimal>,
    /// ISO 4217.
    pub currency: String,
    pub role: AmountRole,
    /// With its currency.
    pub place: TextSpan,
}

/// An amount among the tokens.
#[derive(Debug, Clone)]
pub(super) struct FoundAmount {
    pub(super) range: TokenRange,
    /// Its digits, as written.
    pub(super) digits: String,
    /// What it is in; `None` when no currency stands with it.
    pub(super) hint: Option<CurrencyHint>,
    /// The way that its sign says, or `CR` and `DR` directly behind it.
    pub(super) sign: Option<Direction>,
    pub(super) role: AmountRole,
}

/// All amounts outside the places that are taken, in their order.
pub(super) fn find_amounts(text: &MessageText, taken: &[TokenRange]) -> Vec<FoundAmount> {
    let is_taken = |at: usize| taken.iter().any(|range| range.has(at));
    let mut out: Vec<FoundAmount> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let free = text.kind(at) == TokenKind::Number && !text.is_cut(at) && !is_taken(at);
        let Some(found) = free
            .then(|| amount_at(text, at, &is_taken, out.last().map_or(0, |last| last.range.to)))
            .flatten()
        else {
            at += 1;
            continue;
        };
        at = found.range.to.max(at + 1);
        out.push(found);
    }
    let places: Vec<TokenRange> = out.iter().map(|amount| amount.range).collect();
    for (i, amount) in out.iter_mut().enumerate() {
        let before = i
            .checked_sub(1)
            .and_then(|i| places.get(i))
            .map_or(0, |range| range.to);
        let behind = places.get(i + 1).map_or(text.len(), |range| range.from);
        amount.role = role_of(text, amount.range, before, behind, &is_taken);
    }
    out
}

/// The currency that stands before a token, and where it begins.
fn before(text: &MessageText, at: usize, floor: usize) -> (usize, Option<CurrencyHint>, Option<Direction>) {
    let mut from = at;
    let mut sign = None;
    let mut hint = None;
    let mut signs = 0;
    while from > floor {
        let back = from - 1;
        match text.kind(back) {
            TokenKind::Sign(mark) => {
                if let Some(found) = currency_sign(mark) {
                    hint = hint.or(Some(found));
                    from = back;
                    // "US$", "A$", "S$".
                    if mark == '$' && from > floor && !text.is_spaced(from) {
                        let code = match text.low(from - 1) {
                            "us" => Some("USD"),
                            "a" | "au" => Some("AUD"),
                            "c" | "ca" => Some("CAD"),
                            "s" => Some("SGD"),
                            "hk" => Some("HKD"),
                            "nz" => Some("NZD"),
                            _ => None,
                        };
                        if let Some(code) = code {
                            hint = code.as_bytes().try_into().ok().map(CurrencyHint::Code);
                            from -= 1;
                        }
                    }
                    continue;
                }
                match mark {
                    '-' | '+' if sign.is_none() && (hint.is_some() || !text.is_spaced(from)) => {
                        // A hyphen that joins a word to the amount is no sign: "Bal-INR 500".
                        if let Some(found) = currency_capital(text.raw(back.wrapping_sub(1)))
                            .filter(|_| hint.is_none() && !text.is_spaced(back))
                        {
                            hint = Some(found);
                            sign = Some(if mark == '-' {
                                Direction::Debit
                            } else {
                                Direction::Credit
                            });
                            from = back - 1;
                            break;
                        }
                        let joins = !text.is_spaced(back)
                            && back > floor
                            && matches!(text.kind(back - 1), TokenKind::Word | TokenKind::Mixed);
                        if !joins {
                            sign = Some(if mark == '-' {
                                Direction::Debit
                            } else {
                                Direction::Credit
                            });
                        } else if hint.is_some() {
                            break;
                        }
                        from = back;
                        if hint.is_some() {
                            break;
                        }
                    }
                    '.' | ':' | '(' | '/' | '=' if hint.is_none() && signs < 2 => {
                        signs += 1;
                        from = back;
                    }
                    '.' if hint.is_some() && currency_word(text.raw(back.wrapping_sub(1))).is_some() => {
                        from = back;
                    }
                    _ => break,
                }
            }
            TokenKind::Word => {
                if let Some(found) = currency_word(text.raw(back)) {
                    hint = hint.or(Some(found));
                    from = back;
                } else if hint.is_none()
                    && !text.is_spaced(at)
                    && from == at
                    && let Some(found) = currency_capital(text.raw(back))
                {
                    hint = Some(found);
                    from = back;
                    break;
                } else {
                    break;
                }
            }
            TokenKind::Line
                if hint.is_none() && signs < 2 && currency_word(text.raw(back.wrapping_sub(1))).is_some() =>
            {
                from = back;
            }
            TokenKind::Number | TokenKind::Mixed | TokenKind::Address | TokenKind::Link | TokenKind::Line => {
                break;
            }
        }
    }
    if hint.is_none() {
        // Signs alone are no part of it.
        return (at, None, sign);
    }
    (from, hint, sign)
}

fn amount_at(
    text: &MessageText,
    at: usize,
    is_taken: &dyn Fn(usize) -> bool,
    floor: usize,
) -> Option<FoundAmount> {
    let (mut from, mut hint, mut sign) = before(text, at, floor);
    // "N5,000" and "R150.00" are split only here: the tokens keep them as one.
    let mut digits = text.raw(at).to_owned();
    let mut to = at + 1;
    // A space groups digits: "1 234,56".
    while hint.is_some() && text.kind(to) == TokenKind::Number && text.is_spaced(to) && !is_taken(to) {
        let (group, before) = (
            text.raw(to),
            digits.rsplit([' ', '.', ',']).next().unwrap_or_default().len(),
        );
        let whole = group.split(['.', ',']).next().unwrap_or_default();
        let first = digits.len() <= 3 || digits.contains(' ');
        if whole.len() != 3 || before > 3 || digits.contains(['.', ',']) || !first {
            break;
        }
        digits = format!("{digits} {group}");
        to += 1;
    }
    if text.is_sign(to, &['/']) && text.is_sign(to + 1, &['-']) {
        to += 2;
    }
    if hint.is_none() {
        let behind = match text.kind(to) {
            TokenKind::Word => currency_word(text.raw(to)),
            TokenKind::Sign(mark) => currency_sign(mark),
            TokenKind::Number | TokenKind::Mixed | TokenKind::Address | TokenKind::Link | TokenKind::Line => {
                None
            }
        };
        // The currency before another number is that number's.
        let others = (1..=2).any(|next| {
            text.kind(to + next) == TokenKind::Number && (next == 1 || text.is_sign(to + 1, &['.', ':']))
        });
        if behind.is_some() && !others {
            hint = behind;
            to += 1;
            if text.is_sign(to, &['.'])
                && !text.is_spaced(to)
                && text.kind(to + 1) == TokenKind::Word
                && currency_word(text.raw(to - 1)).is_some()
                && text.low(to - 1) == "rs"
            {
                to += 1;
            }
        }
    }
    match text.low(to) {
        "cr" | "cr." if !text.is_sign(to + 1, &['-']) => sign = Some(Direction::Credit),
        "dr" | "dr." => sign = Some(Direction::Debit),
        _ => {}
    }
    if text.is_sign(to, &['-'])
        && !text.is_spaced(to)
        && text.kind(to + 1) != TokenKind::Word
        && text.kind(to + 1) != TokenKind::Number
        && hint.is_some()
    {
        sign = sign.or(Some(Direction::Debit));
    }
    if hint.is_none() && !bare(text, at, &digits) {
        return None;
    }
    if hint.is_none() {
        from = at;
    }
    Some(FoundAmount {
        range: TokenRange { from, to },
        digits,
        hint,
        sign,
        role: AmountRole::Other,
    })
}

/// Whether a number without a currency can be an amount: it has two decimals, or stands where only an amount can stand.
fn bare(text: &MessageText, at: usize, digits: &str) -> bool {
    let decimals = digits
        .rsplit_once(['.', ','])
        .is_some_and(|(_, last)| last.len() == 2)
        && digits.matches('.').count() <= 1;
    // A part of something longer, a percentage, a version.
    let joined = !text.is_spaced(at)
        && at > 0
        && matches!(
            text.kind(at - 1),
            TokenKind::Sign('/' | '-' | '_' | '*' | '#' | '@') | TokenKind::Mixed | TokenKind::Word
        );
    let goes_on = !text.is_spaced(at + 1)
        && text.is_sign(at + 1, &['/', '-', '%', '_', '@', ':'])
        && !(text.is_sign(at + 1, &['/']) && text.is_sign(at + 2, &['-']));
    if joined || goes_on || text.low(at + 1) == "%" {
        return false;
    }
    let back = |n: usize| at.checked_sub(n).map_or("", |at| text.low(at));
    let told = BEFORE_AMOUNT.contains(&back(1))
        || (matches!(back(1), ":" | "." | "=" | "is")
            && matches!(
                back(2),
                "amt" | "amount" | "bal" | "balance" | "betrag" | "avl" | "avlbal"
            ));
    let verb_near = (1..=4)
        .any(|n| verb(back(n)).is_some_and(|(_, strength)| strength == VerbStrength::Strong))
        || matches!(back(1), "amt" | "amount" | "betrag")
        || matches!(back(2), "amt" | "amount" | "betrag" | "bal" | "balance");
    let length = digits.bytes().filter(u8::is_ascii_digit).count();
    decimals || (told && verb_near && length <= 8)
}

/// What an amount is, by the words beside it.
fn role_of(
    text: &MessageText,
    range: TokenRange,
    before: usize,
    behind: usize,
    is_taken: &dyn Fn(usize) -> bool,
) -> AmountRole {
    let sentence = text.sentence(range.from);
    let right = |n: usize| {
        let at = range.to + n;
        if at < behind && text.sentence(at) == sentence {
            text.low(at)
        } else {
            ""
        }
    };
    let words: Vec<&str> = (0..6)
        .map(right)
        .filter(|word| word.starts_with(char::is_alphabetic))
        .collect();
    let word = |n: usize| words.get(n).copied().unwrap_or_default();
    if word(0) == "is"
        && (matches!(word(1), "your" | "the" | "ur") || role(word(1)) == Some(AmountRole::Balance))
        && words.iter().skip(1).any(|w| role(w) == Some(AmountRole::Balance))
    {
        return AmountRole::Balance;
    }
    // "Available Bal in A/c XX4410 as on 3-11-26 is INR 5": the sentence began with what the amount is.
    let leads = (0..range.from)
        .filter(|at| text.sentence(*at) == sentence && text.kind(*at) == TokenKind::Word)
        .map(|at| text.low(at));
    if range.from > 0
        && text.low(range.from - 1) == "is"
        && leads
            .clone()
            .take(3)
            .any(|word| matches!(word, "bal" | "balance"))
        && !leads
            .clone()
            .any(|word| verb(word).is_some_and(|v| v.1 == VerbStrength::Strong))
    {
        return AmountRole::Balance;
    }
    // "bill ka Rs 870 ka bhugtan": what was owed was paid.
    if matches!(word(0), "ka" | "ki" | "ke") && words.iter().skip(1).take(2).any(|w| verb(w).is_some()) {
        return AmountRole::Transaction;
    }
    // "Amt: 5 Bal: 9": what ends in a colon is of the next.
    let labels_next = (range.to..behind.min(range.to + 6))
        .take_while(|at| text.sentence(*at) == sentence)
        .find(|at| text.low(*at).starts_with(char::is_alphabetic))
        .is_some_and(|at| {
            text.is_sign(at + 1, &[':'])
                || (at + 1 == behind && role(text.low(at)) == Some(AmountRole::Balance))
        });
    match word(0) {
        _ if labels_next => {}
        "bal" | "balance" | "available" | "remaining" | "left" | "verfügbar" => return AmountRole::Balance,
        "fee" | "fees" | "charges" | "commission" | "gebühr" => return AmountRole::Fee,
        "off" | "discount" | "cashback" | "points"
            if !words
                .iter()
                .any(|w| verb(w).is_some_and(|v| v.1 == VerbStrength::Strong)) =>
        {
            return AmountRole::Other;
        }
        "limit" => return AmountRole::Limit,
        "lakh" | "lakhs" | "lac" | "crore" | "million" | "or" if word(1) != "debited" => {
            return AmountRole::Other;
        }
        _ => {}
    }
    let mut seen = 0;
    let mut at = range.from;
    let mut limits = false;
    while at > before && seen < LEFT {
        at -= 1;
        if text.sentence(at) != sentence || text.is_cut(at) {
            // A label on the line before: "Avl Bal:".
            let label = text.kind(at) == TokenKind::Line
                && at + 1 == range.from
                && text.is_sign(at.wrapping_sub(1), &[':']);
            if label {
                continue;
            }
            break;
        }
        let word = text.low(at);
        if text.is_sign(at, &[';']) || (text.is_sign(at, &[',']) && seen > 3) {
            break;
        }
        if !word.starts_with(char::is_alphabetic) || is_taken(at) {
            continue;
        }
        seen += 1;
        match role(word) {
            Some(AmountRole::Balance) => {
                // "Available limit", "limit available", "available credit".
                limits = limits
                    || [1, 2]
                        .iter()
                        .any(|n| matches!(text.low(at + n), "limit" | "lmt" | "credit"))
                    || at
                        .checked_sub(1)
                        .is_some_and(|at| matches!(text.low(at), "limit" | "lmt" | "credit"));
                return if limits {
                    AmountRole::Limit
                } else {
                    AmountRole::Balance
                };
            }
            // "used for a bill of", "charge of", "charged": a noun beside the amount alone.
            Some(AmountRole::Limit) if word == "max" || word == "cap" || word.len() > 2 => {
                return AmountRole::Limit;
            }
            Some(found) => return found,
            None => {}
        }
        if word == "credit"
            && at
                .checked_sub(1)
                .is_some_and(|at| role(text.low(at)) == Some(AmountRole::Balance))
        {
            return AmountRole::Limit;
        }
        if word == "transact" && at > 0 && matches!(text.low(at - 1), "can" | "may" | "could") {
            return AmountRole::Limit;
        }
        if let Some((_, strength)) = verb(word) {
            // "debit card", "credit limit": no verbs.
            let noun = matches!(word, "debit" | "credit")
                && (super::words::is_card_word(text.low(at + 1)) || role(text.low(at + 1)).is_some());
            // "Fee charged: GHS 0.45", "balance left".
            let about = at.checked_sub(1).and_then(|before| role(text.low(before)));
            if about == Some(AmountRole::Fee) {
                return AmountRole::Fee;
            }
            if !noun && (strength == VerbStrength::Strong || seen <= 4) {
                return AmountRole::Transaction;
            }
        }
    }
    AmountRole::Transaction
}
