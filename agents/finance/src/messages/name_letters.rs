//! Where a name goes on, by how its words are written.
//!
//! What: [`is_glue`], a small word within a name, as in `CHAI ON WHEELS`; [`leaves_capitals`], a name in capitals that ends where the sentence goes on.
//! Why: the same words end names elsewhere. Not here: which words they are (`word_lists`), where a name begins (`payee`).

use super::{
    no_names::is_how_word,
    payee::FoundPlaces,
    text::{MessageText, TokenKind},
    word_lists::NAME_ENDS,
    words::{is_bank_word, is_own_filler},
};

/// Whether a name in capitals ends here, because the sentence goes on in small letters: `DUNMORE COUNCIL just landed`.
pub(super) fn leaves_capitals(text: &MessageText, at: usize, first: usize) -> bool {
    let mut letters = 0;
    let capitals = (first..at)
        .filter(|at| text.kind(*at) == TokenKind::Word)
        .all(|at| {
            letters += text.raw(at).chars().filter(|c| c.is_alphabetic()).count();
            !text.raw(at).chars().any(char::is_lowercase)
        });
    capitals
        && letters >= 3
        && text.kind(at) == TokenKind::Word
        && text.is_spaced(at)
        && text.low(at) == text.raw(at)
        && !matches!(
            text.low(at),
            "and"
                | "of"
                | "the"
                | "n"
                | "de"
                | "da"
                | "di"
                | "du"
                | "la"
                | "le"
                | "el"
                | "al"
                | "bin"
                | "van"
                | "von"
                | "und"
                | "y"
        )
}

/// Whether a word that ends names is a part of this one: written as the words beside it are, as in `CHAI ON WHEELS`.
pub(super) fn is_glue(text: &MessageText, places: &FoundPlaces<'_>, at: usize, first: usize) -> bool {
    let caps = |word: &str| word.chars().all(|c| !c.is_lowercase());
    let titled = |word: &str| word.starts_with(char::is_uppercase);
    let words = [at.wrapping_sub(1), at, at + 1].map(|at| text.raw(at));
    // A legal form in capitals behind a word that is not: "Zalando SE". Hindi words stand in small letters there.
    if at > first && text.raw(at) == "SE" && titled(words[0]) && !caps(words[0]) {
        return true;
    }
    // German places: "Kiosk am Markt", "Gasthof zum Adler"; a day or a machine is none.
    if at > first && matches!(text.raw(at), "am" | "zum" | "Am" | "Zum") {
        let day = text.low(at + 1).ends_with("tag") || matches!(text.low(at + 1), "mittwoch" | "sonnabend");
        return titled(words[0])
            && titled(words[2])
            && text.kind(at + 1) == TokenKind::Word
            && !places.has(at + 1)
            && !day
            && !is_how_word(text.low(at + 1));
    }
    at > first
        && (matches!(text.low(at), "on" | "in" | "by") || is_to_in_capitals(text, at, first))
        && text.kind(at + 1) == TokenKind::Word
        && !places.has(at + 1)
        && words.iter().all(|word| titled(word))
        && (words.iter().all(|word| caps(word)) || words.iter().all(|word| !caps(word)))
        && !NAME_ENDS.contains(&text.low(at + 1))
        && !is_how_word(text.low(at + 1))
        && !is_own_filler(text.low(at + 1))
        && !is_bank_word(text.low(at + 1))
        && !matches!(text.low(at + 1), "your" | "date" | "dt")
}

/// Whether a `TO` stands within a name in capitals, in a message that is not written so: `FISH TO HOME`.
fn is_to_in_capitals(text: &MessageText, at: usize, first: usize) -> bool {
    let before = (0..first).any(|at| text.raw(at).chars().skip(1).any(char::is_lowercase));
    text.raw(at) == "TO" && before
}
