//! The pages of the codes that errors have.
//!
//! What: [`page`], the text of one; [`code_in`], which code a sentence names; [`nearest`], which one somebody may have meant. Why: whoever has the
//! program has its explanations, without a clone and without a network. Not here: the pages (`docs/errors`), printing them (`help`).

use surfaces_base::language::translated;

/// Each code with its page, in the order of the codes.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// Each code with its page, in the order of the codes.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().copied()
}

/// The page of a code.
pub(super) fn page(code: &str) -> Option<&'static str> {
    let found = PAGES.binary_search_by(|(known, _)| (*known).cmp(code)).ok()?;
    PAGES.get(found).map(|(_, page)| *page)
}

/// What a code means and what to do, in another language than English: the pages are in English.
pub(super) fn in_words(code: &str) -> Option<&'static str> {
    translated(&format!("cli-error-{}", code.to_ascii_lowercase()))
}

/// The first code with a page that a sentence names.
pub(super) fn code_in(sentence: &str) -> Option<&'static str> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    let mut words = sentence.split(|c: char| !is_part(c));
    words.find_map(|word| {
        let found = PAGES.binary_search_by(|(known, _)| (*known).cmp(word)).ok()?;
        PAGES.get(found).map(|(code, _)| *code)
    })
}

/// Whether somebody who types this means a code.
pub(super) fn looks_like_code(text: &str) -> bool {
    text.split_once('-')
        .is_some_and(|(family, number)| !family.is_empty() && number.bytes().any(|b| b.is_ascii_digit()))
}

/// The code that takes the fewest changes to get to, where these are fewer than half of what was typed.
pub(super) fn nearest(code: &str) -> Option<&'static str> {
    let codes = PAGES.iter().map(|(known, _)| *known);
    let (changes, nearest) = codes
        .map(|known| (distance(known, code), known))
        .min_by_key(|(changes, _)| *changes)?;
    (changes * 2 < code.len()).then_some(nearest)
}

/// How many letters are put in, left out or changed on the way from one text to the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, a) in one.bytes().enumerate() {
        let mut diagonal = n;
        let mut left = n + 1;
        for (b, cell) in other.bytes().zip(row.iter_mut().skip(1)) {
            let changed = diagonal + usize::from(a != b);
            diagonal = *cell;
            left = changed.min(left + 1).min(diagonal + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = n + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use surfaces_base::{
        language::{Language, translated_ids},
        locale,
    };

    #[test]
    fn every_page_is_there_and_begins_with_its_code() {
        assert!(PAGES.len() > 200, "{}", PAGES.len());
        for (code, text) in PAGES {
            assert!(text.starts_with(&format!("# {code}: ")), "{code}: {text}");
            assert_eq!(page(code), Some(*text));
            assert_eq!(code_in(&format!("{code}: no store in d")), Some(*code));
        }
    }

    #[test]
    fn every_page_has_its_sentence_in_german_and_none_is_left_over() {
        let of_pages: BTreeSet<String> = all()
            .map(|(code, _)| format!("cli-error-{}", code.to_ascii_lowercase()))
            .collect();
        let said: BTreeSet<String> = translated_ids()
            .filter(|id| id.starts_with("cli-error-"))
            .map(str::to_owned)
            .collect();
        assert_eq!(said, of_pages);
        for (code, _) in all() {
            assert_eq!(in_words(code), None);
            let german = locale::speaking(Language::German, || in_words(code));
            assert!(
                german.is_some_and(|said| said.ends_with('.')),
                "{code}: {german:?}"
            );
        }
    }

    #[test]
    fn sentence_without_a_known_code_names_none() {
        for sentence in ["", "no store", "UTF-8", "STORE-1: x", "XSTORE-004"] {
            assert_eq!(code_in(sentence), None, "{sentence}");
        }
        assert_eq!(
            code_in("the start failed (CONF-002: line 2), see STORE-004"),
            Some("CONF-002")
        );
    }

    #[test]
    fn nearest_code_is_the_one_with_the_fewest_changes() {
        for (typed, meant) in [
            ("STORE-004", "STORE-004"),
            ("STOR-004", "STORE-004"),
            ("STORE-04", "STORE-004"),
            ("CONFG-002", "CONF-002"),
        ] {
            assert_eq!(nearest(typed), Some(meant), "{typed}");
        }
        // Of CONF-001 three letters are changed and two are left out: five of six.
        assert_eq!(nearest("NOPE-1"), None);
        // Worked out by hand: each i is changed, the g is left out.
        assert_eq!(distance("sitting", "satten"), 3);
        assert_eq!((distance("", "abc"), distance("abc", "")), (3, 3));
    }

    #[test]
    fn code_is_told_from_a_command() {
        for (text, is_code) in [
            ("STORE-004", true),
            ("store-4", true),
            ("trace", false),
            ("-1", false),
            ("a-b", false),
        ] {
            assert_eq!(looks_like_code(text), is_code, "{text}");
        }
    }
}
