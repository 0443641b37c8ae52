//! What any message of a bank says besides.
//!
//! What: [`cut_boilerplate`] marks the tokens of sentences about whom to call, what never to share and where to read more. Why: a
//! helpline is no payee, and "never share your OTP" makes no payment a code. Not here: the phrases (`phrases`).

use super::{
    phrases::{CUT_FROM, CUT_SENTENCE},
    text::{MessageText, TokenKind},
    words::{VerbStrength, currency_sign, currency_word, verb},
};

/// Marks what is cut, sentence by sentence.
pub(super) fn cut_boilerplate(text: &mut MessageText) {
    let mut from = 0;
    while from < text.len() {
        let sentence = text.sentence(from);
        let to = (from..text.len())
            .find(|at| text.sentence(*at) != sentence)
            .unwrap_or(text.len());
        let first = (from..to)
            .find(|at| text.kind(*at) != TokenKind::Line && !matches!(text.kind(*at), TokenKind::Sign(_)));
        let whole = first.filter(|first| {
            text.is_phrase(*first, CUT_SENTENCE)
                && (is_condition(text.low(*first)) || !tells(text, *first, to))
        });
        let start = whole.or_else(|| {
            (from..to).find(|at| text.kind(*at) == TokenKind::Link || text.is_phrase(*at, CUT_FROM))
        });
        if let Some(start) = start {
            for token in text.tokens.iter_mut().take(to).skip(start) {
                token.cut |= token.kind != TokenKind::Line;
            }
        }
        from = to;
    }
}

fn is_condition(word: &str) -> bool {
    matches!(word, "if" | "in" | "falls" | "agar" | "yadi")
}

/// Whether a sentence tells of money that went: "SMS charges of Rs 5 debited".
fn tells(text: &MessageText, from: usize, to: usize) -> bool {
    let money = (from..to).any(|at| match text.kind(at) {
        TokenKind::Word => currency_word(text.raw(at)).is_some(),
        TokenKind::Sign(sign) => currency_sign(sign).is_some(),
        TokenKind::Number | TokenKind::Mixed | TokenKind::Address | TokenKind::Link | TokenKind::Line => {
            false
        }
    });
    money
        && (from..to)
            .any(|at| verb(text.low(at)).is_some_and(|(_, strength)| strength == VerbStrength::Strong))
}
