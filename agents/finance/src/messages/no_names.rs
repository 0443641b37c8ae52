//! What is no name although it stands where one does.
//!
//! What: [`is_generic`], the bank's words for how and what for; [`says_name`], what can be one at all. Why: "ATM", "loan" and "charges" stand where a shop
//! would. Not here: where names stand (`payee`), the words (`word_lists`).

use super::{
    dates::month,
    text::{MessageText, TokenKind},
    word_lists::{FEE_WORDS, HOW_WORDS},
    words::is_bank_word,
};

/// Whether a narration tells of cash that was paid in: "Cash Dep-TOWN-BRANCH". Nobody paid it but the owner.
pub(super) fn is_cash_paid_in(text: &MessageText) -> bool {
    (0..text.len()).any(|at| {
        text.low(at) == "cash"
            && matches!(text.low(at + 1), "deposit" | "dep")
            && text.is_sign(at + 2, &['-'])
    })
}

/// Whether tokens are a month and its year alone: "Jul-2026", "FEB 2026".
pub(super) fn is_month(text: &MessageText, from: usize, to: usize) -> bool {
    let is_year = |at: usize| text.kind(at) == TokenKind::Number && matches!(text.low(at).len(), 2 | 4);
    (from..to).any(|at| month(text.low(at)).is_some())
        && (from..to)
            .all(|at| month(text.low(at)).is_some() || is_year(at) || text.is_sign(at, &['-', '/', '\'']))
}

/// Whether a text can be a name at all: it has a letter, or is a telephone number.
pub(super) fn says_name(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let digits = name.chars().filter(char::is_ascii_digit).count();
    letters >= 2 || (letters == 0 && digits >= 8)
}

/// What is no name although it stands where one does: the bank's words for how and what for.
pub(super) fn is_generic(name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    let words = || {
        name.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    // A loan is nobody.
    let of_loan = |word: &str| {
        is_how_word(word)
            || is_bank_word(word)
            || matches!(
                word,
                "home" | "gold" | "car" | "personal" | "vehicle" | "education" | "housing"
            )
    };
    // "ATM S1NW0007", "loan PNR0091": how, with a number of it.
    let digits = |word: &str| word.bytes().filter(u8::is_ascii_digit).count();
    let code = |word: &str| digits(word) >= 4 || digits(word) == word.len();
    let machine = words().any(|word| matches!(word, "atm" | "geldautomat" | "geldautomaten" | "cashpoint"));
    matches!(name, "bill payment" | "bill" | "new payee" | "agent" | "pt" | "et" | "ct" | "mt" | "wat" | "eat" | "gst" | "sgt")
        || words().next().is_none()
        // A number with letters in it: "CO250617.1409".
        || (words().all(code) && name.contains(char::is_alphabetic))
        // "ATM NFS*S1CN4471*TOWN"
        || (machine && name.contains('*'))
        || (words().count() == 1 && words().any(|word| digits(word) >= 4 && digits(word) < word.len()))
        || (words().any(|word| word == "loan") && words().all(|word| of_loan(word) || code(word)))
        || (words().any(is_how_word)
            && words().all(|word| is_how_word(word) || code(word) || (machine && is_bank_word(word))))
        || words().any(is_fee_word)
        || words().all(is_bank_word)
}

/// What the bank takes money for.
pub(super) fn is_fee_word(word: &str) -> bool {
    FEE_WORDS.contains(&word)
}

/// Whether a word says how a payment was made, not to whom.
pub(super) fn is_how_word(word: &str) -> bool {
    let word = word.to_lowercase();
    HOW_WORDS.contains(&word.as_str())
}
