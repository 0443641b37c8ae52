//! Accounts and cards of a message.
//!
//! What: [`find_accounts`], each with its last digits and its place. Why: banks mask them in a dozen ways (`XX051`, `*8841`,
//! `ending 1234`, `SBXXX123`), with the word before them or without. Not here: whose account it is (`mod`).

use super::{
    dates::TokenRange,
    text::{MessageText, TextSpan, TokenKind},
    word_lists::BEFORE_DIGITS,
    words::{currency_word, is_account_word, is_card_word, is_own_filler},
};

/// Digits that a bank shows of an account.
const SHOWN: std::ops::RangeInclusive<usize> = 3..=6;
/// Digits of a whole account number.
const WHOLE: std::ops::RangeInclusive<usize> = 7..=20;
/// Tokens that may stand between the word and the digits.
const BETWEEN: usize = 7;

/// What an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountSlotKind {
    Account,
    Card,
}

/// An account or a card that a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSlot {
    /// The digits that are shown, three to six; of a whole number the last four.
    pub digits: String,
    pub kind: AccountSlotKind,
    pub place: TextSpan,
}

/// An account with its tokens: those of the word before it too.
pub(super) struct FoundAccount {
    pub(super) slot: AccountSlot,
    pub(super) range: TokenRange,
    /// It is the telephone number of somebody, and nobody's account.
    pub(super) is_phone: bool,
}

/// All accounts outside the places that are taken.
pub(super) fn find_accounts(text: &MessageText, taken: &[TokenRange]) -> Vec<FoundAccount> {
    let mut out: Vec<FoundAccount> = Vec::new();
    let is_taken = |at: usize| taken.iter().any(|range| range.has(at));
    let mut at = 0;
    while at < text.len() {
        let found = if text.is_cut(at) || is_taken(at) {
            None
        } else {
            worded(text, at, &is_taken)
                .or_else(|| {
                    masked(text, at, &is_taken).map(|(to, digits)| (at, to, digits, AccountSlotKind::Account))
                })
                .or_else(|| with_scheme(text, at))
                .or_else(|| typed(text, at))
                .or_else(|| bare(text, at, &is_taken))
        };
        let Some((from, to, digits, kind)) = found else {
            at += 1;
            continue;
        };
        let kind = if card_before(text, from) {
            AccountSlotKind::Card
        } else {
            kind
        };
        out.push(FoundAccount {
            slot: AccountSlot {
                digits,
                kind,
                place: text.span(from, to),
            },
            range: TokenRange { from, to },
            is_phone: is_hidden_phone(text, from),
        });
        at = to;
    }
    out
}

/// Whether a card is spoken of shortly before.
fn card_before(text: &MessageText, from: usize) -> bool {
    (1..=4)
        .map_while(|back| from.checked_sub(back))
        .take_while(|at| text.sentence(*at) == text.sentence(from) && !is_account_word(text.low(*at)))
        .any(|at| is_card_word(text.low(at)))
}

type Worded = (usize, usize, String, AccountSlotKind);

/// A word of accounts with digits behind it.
fn worded(text: &MessageText, at: usize, is_taken: &dyn Fn(usize) -> bool) -> Option<Worded> {
    let word = text.low(at);
    let card = is_card_word(word);
    let ending = matches!(word, "ending" | "ends" | "endend" | "endet");
    if text.kind(at) != TokenKind::Word || !(card || ending || is_account_word(word)) {
        return None;
    }
    let kind = if card {
        AccountSlotKind::Card
    } else {
        AccountSlotKind::Account
    };
    for next in at + 1..=at + BETWEEN {
        if is_taken(next) {
            return None;
        }
        if let Some((to, digits)) = masked(text, next, is_taken).or_else(|| plain(text, next)) {
            return Some((at, to, digits, kind));
        }
        let skipped = match text.kind(next) {
            TokenKind::Word => {
                let word = text.low(next);
                BEFORE_DIGITS.contains(&word)
                    || (is_own_filler(word)
                        && !is_account_word(word)
                        && currency_word(text.raw(next)).is_none())
                    || (card && is_account_word(word))
            }
            TokenKind::Sign(sign) => {
                matches!(sign, '.' | ':' | '(' | '#' | '-' | '*' | '=' | '[' | '\'' | '"')
            }
            TokenKind::Line => true,
            TokenKind::Number | TokenKind::Mixed | TokenKind::Address | TokenKind::Link => false,
        };
        if !skipped {
            return None;
        }
    }
    None
}

/// Digits with the card's scheme behind them: `4471;visa`, `4471 (mada)`.
fn with_scheme(text: &MessageText, at: usize) -> Option<Worded> {
    let digits = text.low(at);
    let shown =
        text.kind(at) == TokenKind::Number && digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit());
    let scheme = matches!(
        text.low(at + 2),
        "visa" | "mada" | "mastercard" | "amex" | "rupay" | "maestro" | "verve"
    );
    (shown && scheme && text.is_sign(at + 1, &[';', ',', '(', '-', '/']))
        .then(|| (at, at + 3, digits.to_owned(), AccountSlotKind::Card))
}

/// Digits that stand directly behind the account's type: `CHEQ4417`, `SAVE0912`.
fn typed(text: &MessageText, at: usize) -> Option<Worded> {
    let word = text.low(at);
    let digits = trailing(word);
    let head = word.get(..word.len() - digits.len()).unwrap_or_default();
    let is_type = matches!(head, "cheq" | "save" | "savings" | "chqacc" | "curr" | "crcard");
    (text.kind(at) == TokenKind::Mixed && is_type && digits.len() == 4)
        .then(|| (at, at + 1, digits.to_owned(), AccountSlotKind::Account))
}

/// Four digits alone behind "from" or "To:", as in "to Ali From 5521 28/11/26": what follows says nothing more of them.
fn bare(text: &MessageText, at: usize, is_taken: &dyn Fn(usize) -> bool) -> Option<Worded> {
    let colon = usize::from(text.is_sign(at + 1, &[':']));
    let digits = at + 1 + colon;
    let led = matches!(text.low(at), "from" | "von") || (text.low(at) == "to" && colon == 1);
    if !led || is_taken(digits) || text.low(digits).len() != 4 {
        return None;
    }
    let (to, shown) = plain(text, digits).filter(|_| text.kind(digits) == TokenKind::Number)?;
    let ends = to >= text.len()
        || is_taken(to)
        || text.sentence(to) != text.sentence(digits)
        || matches!(text.kind(to), TokenKind::Line)
        || matches!(text.low(to), "on" | "am" | "at");
    ends.then_some((at, to, shown, AccountSlotKind::Account))
}

/// Digits without a mask, where a word of accounts stands before them.
fn plain(text: &MessageText, at: usize) -> Option<(usize, String)> {
    let word = text.low(at);
    let digits = word.bytes().all(|b| b.is_ascii_digit());
    if text.kind(at) == TokenKind::Number
        && digits
        && (SHOWN.contains(&word.len()) || WHOLE.contains(&word.len()))
    {
        // "1234 INR" is an amount, unless the currency is that of another number.
        let amount = currency_word(text.raw(at + 1)).is_some()
            && text.kind(at + 2) != TokenKind::Number
            && text.kind(at + 3) != TokenKind::Number;
        let joined = text.is_sign(at + 1, &['-', '/'])
            && !text.is_spaced(at + 1)
            && text.kind(at + 2) == TokenKind::Number;
        return (!amount && !joined).then(|| (at + 1, shown(word)));
    }
    if text.kind(at) == TokenKind::Mixed {
        // A bank's own prefix: "SB1234", "PB0123456".
        let tail = trailing(word);
        let head = word.len() - tail.len();
        return ((SHOWN.contains(&tail.len()) || WHOLE.contains(&tail.len())) && head <= 6)
            .then(|| (at + 1, shown(tail)));
    }
    None
}

/// Digits behind a mask.
fn masked(text: &MessageText, from: usize, is_taken: &dyn Fn(usize) -> bool) -> Option<(usize, String)> {
    // A mask is no part of a word or of a number before it.
    let joined = !text.is_spaced(from)
        && from > 0
        && matches!(
            text.kind(from - 1),
            TokenKind::Word | TokenKind::Mixed | TokenKind::Address | TokenKind::Number
        );
    let starts = match text.kind(from) {
        TokenKind::Sign('#')
            if !(text.is_sign(from + 1, &['#', '*']) || from > 0 && is_own_filler(text.low(from - 1))) =>
        {
            false
        }
        TokenKind::Sign('*' | '#' | '~') => {
            !joined || is_account_word(text.low(from - 1)) || is_card_word(text.low(from - 1))
        }
        TokenKind::Sign('.') => text.is_sign(from + 1, &['.']),
        TokenKind::Word => is_mask(text.low(from)),
        TokenKind::Mixed => is_masked(text.low(from)),
        TokenKind::Number => text.is_sign(from + 1, &['*', '#']) && !text.is_spaced(from + 1),
        TokenKind::Sign(_) | TokenKind::Address | TokenKind::Link | TokenKind::Line => false,
    };
    if !starts {
        return None;
    }
    let mut last = None;
    let mut mask = false;
    let mut at = from;
    loop {
        let apart = at > from && text.is_spaced(at);
        let part = match text.kind(at) {
            TokenKind::Sign('*' | '#' | '~') => {
                mask = true;
                !apart || text.is_sign(at - 1, &['*', '#', '~'])
            }
            TokenKind::Sign('.' | '-') => {
                mask |= text.is_sign(at, &['.']);
                !apart && last.is_none()
            }
            TokenKind::Word if is_mask(text.low(at)) => {
                mask = true;
                last.is_none()
            }
            TokenKind::Mixed if is_masked(text.low(at)) => {
                mask = true;
                last = (!apart || last.is_none()).then_some(at).or(last);
                !apart || last == Some(at)
            }
            TokenKind::Number
                if !is_taken(at) && !text.low(at).contains(['.', ',']) && (!apart || last.is_none()) =>
            {
                last = Some(at);
                true
            }
            TokenKind::Word
            | TokenKind::Mixed
            | TokenKind::Number
            | TokenKind::Sign(_)
            | TokenKind::Address
            | TokenKind::Link
            | TokenKind::Line => false,
        };
        if !part {
            break;
        }
        at += 1;
    }
    // A star behind the digits as well: a code that was dialled.
    if text.is_sign(at, &['*', '#']) && !text.is_spaced(at) {
        return None;
    }
    let last = last.filter(|_| mask)?;
    if text.is_sign(last + 1, &['#']) && !text.is_spaced(last + 1) {
        return None;
    }
    let tail = trailing(text.low(last));
    (SHOWN.contains(&tail.len()) || WHOLE.contains(&tail.len())).then(|| (last + 1, shown(tail)))
}

/// A telephone number with its middle hidden: `0202XXX881`, `0917****332`.
fn is_hidden_phone(text: &MessageText, at: usize) -> bool {
    let word = text.low(at);
    let whole = (10..=11).contains(&word.len()) && word.contains("xxx");
    let parted = text.kind(at) == TokenKind::Number && word.len() == 4;
    word.starts_with('0') && (whole || parted)
}

/// Letters that hide digits.
fn is_mask(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b == b'x') && word.len() <= 16
}

/// Hidden digits with some that are shown: `XX8841`, `5010XXXX1234`.
fn is_masked(word: &str) -> bool {
    // The word of accounts glued to it: `AcXXXX3519`.
    let word = word
        .strip_prefix("ac")
        .filter(|rest| rest.starts_with('x'))
        .unwrap_or(word);
    let word = if word.starts_with('x') {
        word.trim_end_matches('x')
    } else {
        word
    };
    let tail = trailing(word);
    let head = word.get(..word.len() - tail.len()).unwrap_or_default();
    tail.len() >= 3 && head.contains('x') && head.bytes().all(|b| b == b'x' || b.is_ascii_digit())
}

fn trailing(word: &str) -> &str {
    // "XX5511x": a mask may close too.
    let word = if word.starts_with('x') {
        word.trim_end_matches('x')
    } else {
        word
    };
    let start = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    word.get(start..).unwrap_or_default()
}

fn shown(digits: &str) -> String {
    let keep = if SHOWN.contains(&digits.len()) {
        digits.len()
    } else {
        4
    };
    digits
        .get(digits.len().saturating_sub(keep)..)
        .unwrap_or_default()
        .to_owned()
}
