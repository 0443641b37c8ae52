//! The words of a mail as the scorer of requests weighs them: hashed, by where they stand.
//!
//! What: [`Lexicon`], which gathers words and neighbouring pairs, apart for questions, begins and ends of sentences, and the subject. Why:
//! "have you tried" asks and "who would have" does not. Not here: what a word weighs (`mail_class`), the spam gate's words (`spam_gate`).

use super::{
    features::{FeatureSet, bare_word, hashed, step},
    spam_gate::{bare_subject, is_date_word, is_host},
};

/// Hashed words and pairs of words, by where they stand. None is a number, a host, an address, a month or a day.
pub(super) struct Lexicon {
    pub(super) found: FeatureSet,
}

/// Where a word stands.
#[derive(Clone, Copy)]
enum WordPlace {
    Anywhere = 0xE200,
    Pair = 0xE201,
    InQuestion = 0xE202,
    PairInQuestion = 0xE203,
    FirstOfQuestion = 0xE204,
    FirstTwoOfQuestion = 0xE205,
    LastOfQuestion = 0xE206,
    FirstTwoOfOther = 0xE207,
    Subject = 0xE208,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        Self {
            found: FeatureSet::new(256),
        }
    }

    fn add(&mut self, place: WordPlace, words: &[u32]) {
        self.found.add(
            words
                .iter()
                .fold(hashed([place as u32]), |hash, word| step(hash, *word)),
        );
    }

    pub(super) fn subject(&mut self, subject: &str) {
        for word in bare_subject(subject)
            .split_whitespace()
            .take(40)
            .filter_map(code_of)
        {
            self.add(WordPlace::Subject, &[word]);
        }
    }

    pub(super) fn sentence(&mut self, words: &[&str], asks: bool) {
        use WordPlace as Place;
        let mut before: Option<u32> = None;
        let (mut first, mut count) = (0, 0);
        for code in words.iter().filter_map(|word| code_of(word)) {
            self.add(Place::Anywhere, &[code]);
            if asks {
                self.add(Place::InQuestion, &[code]);
            }
            if let Some(before) = before {
                self.add(Place::Pair, &[before, code]);
                if asks {
                    self.add(Place::PairInQuestion, &[before, code]);
                }
            }
            count += 1;
            match count {
                1 => first = code,
                2 if asks => self.add(Place::FirstTwoOfQuestion, &[first, code]),
                2 => self.add(Place::FirstTwoOfOther, &[first, code]),
                _ => {}
            }
            before = Some(code);
        }
        if let Some(last) = before.filter(|_| asks) {
            self.add(Place::FirstOfQuestion, &[first]);
            self.add(Place::LastOfQuestion, &[last]);
        }
    }
}

/// A word's hash.
fn code_of(piece: &str) -> Option<u32> {
    let word = bare_word(piece);
    let said = !word.is_empty()
        && word.len() <= 24
        && !word
            .bytes()
            .any(|b| b.is_ascii_digit() || matches!(b, b'@' | b'/' | b'_' | b'='))
        && !is_host(word)
        && !is_date_word(word);
    said.then(|| hashed(word.chars().map(u32::from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, asks: bool) -> Vec<u16> {
        let mut lexicon = Lexicon::new();
        lexicon.sentence(&text.split(' ').collect::<Vec<_>>(), asks);
        lexicon.found.list
    }

    #[test]
    fn numbers_hosts_addresses_and_dates_are_no_words() {
        for text in ["450", "mail.soup.net", "bo@a.test", "monday", "x2", "_", ""] {
            assert!(words(text, false).is_empty(), "{text}");
        }
        // One word, and with a second also that, their pair, and how the sentence begins.
        assert_eq!(
            (words("soup", false).len(), words("hot soup", false).len()),
            (1, 4)
        );
        // In a question each counts once more, and begin and end are told: 2 + 2 words, 2 pairs, first, first two, last.
        assert_eq!(words("hot soup", true).len(), 9);
    }
}
