//! The words of a mail as the scorer of requests weighs them: hashed, by where they stand.
//!
//! What: [`Lexicon`], which gathers words and neighbouring pairs, apart for questions, begins and ends of sentences, and the subject. Why:
//! "have you tried" asks and "who would have" does not. Not here: what a word weighs (`mail_class`), the spam gate's words (`spam_gate`).

use super::{
    features::{BASIS, FeatureSet, hashed, step},
    mail_pieces::{MailPiece, PieceSigns},
    mail_vocabulary::{VOCABULARY, WordTrait},
    spam_gate::{bare_subject, is_host},
};

/// Hashed words and pairs of words, by where they stand. None is a host or an address; any number is one number, any month or day one date.
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

    fn add(&mut self, place: WordPlace, word: u32) {
        self.found.add(step(step(BASIS, place as u32), word));
    }

    fn add_pair(&mut self, place: WordPlace, first: u32, second: u32) {
        self.found
            .add(step(step(step(BASIS, place as u32), first), second));
    }

    pub(super) fn subject(&mut self, subject: &str) {
        for word in bare_subject(subject)
            .split_whitespace()
            .take(40)
            .filter_map(|piece| code_of(&MailPiece::new(piece)))
        {
            self.add(WordPlace::Subject, word);
        }
    }

    pub(super) fn sentence(&mut self, words: &[&MailPiece<'_>], asks: bool) {
        use WordPlace as Place;
        let mut before: Option<u32> = None;
        let (mut first, mut count) = (0, 0);
        for code in words.iter().filter_map(|word| code_of(word)) {
            self.add(Place::Anywhere, code);
            if asks {
                self.add(Place::InQuestion, code);
            }
            if let Some(before) = before {
                self.add_pair(Place::Pair, before, code);
                if asks {
                    self.add_pair(Place::PairInQuestion, before, code);
                }
            }
            count += 1;
            match count {
                1 => first = code,
                2 if asks => self.add_pair(Place::FirstTwoOfQuestion, first, code),
                2 => self.add_pair(Place::FirstTwoOfOther, first, code),
                _ => {}
            }
            before = Some(code);
        }
        if let Some(last) = before.filter(|_| asks) {
            self.add(Place::FirstOfQuestion, first);
            self.add(Place::LastOfQuestion, last);
        }
    }
}

/// Stand for what every date, time of day, sum of money and other number have in common.
const DATE: u32 = 0xE210;
const CLOCK: u32 = 0xE211;
const AMOUNT: u32 = 0xE212;
const NUMBER: u32 = 0xE213;

/// What a piece of digits, or the name of a month or day, is.
fn kind_of(piece: &MailPiece<'_>) -> Option<u32> {
    if VOCABULARY.is(piece.number, WordTrait::Date) {
        return Some(DATE);
    }
    let (word, signs) = (piece.word, piece.signs);
    let begins = word.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let ends = word.as_bytes().last().is_some_and(u8::is_ascii_digit);
    if !signs.holds(PieceSigns::DIGIT) || signs.holds(PieceSigns::AT) || word.len() > 12 {
        None
    } else if piece.names_clock() {
        Some(CLOCK)
    } else if piece.text.contains(['$', '€', '£', '₹']) {
        Some(AMOUNT)
    } else {
        (begins && ends).then_some(NUMBER)
    }
}

/// A word's hash, or that of its kind.
fn code_of(piece: &MailPiece<'_>) -> Option<u32> {
    if let Some(kind) = kind_of(piece) {
        return Some(hashed([kind]));
    }
    let (word, signs) = (piece.word, piece.signs);
    let joined = signs.holds(PieceSigns::AT) || signs.holds(PieceSigns::JOINT);
    // A sign may stand before or behind the word as well.
    let compound = joined && word.contains(['@', '/', '_', '=']);
    let host = signs.holds(PieceSigns::DOT) && is_host(word);
    let short = !word.is_empty() && word.len() <= 24;
    let said = short && !signs.holds(PieceSigns::DIGIT) && !compound && !host;
    said.then(|| {
        if signs.holds(PieceSigns::WIDE) {
            hashed(word.chars().map(u32::from))
        } else {
            piece.hash
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, asks: bool) -> Vec<u16> {
        let mut lexicon = Lexicon::new();
        let pieces: Vec<MailPiece<'_>> = text.split(' ').map(MailPiece::new).collect();
        lexicon.sentence(&pieces.iter().collect::<Vec<_>>(), asks);
        lexicon.found.list
    }

    #[test]
    fn hosts_and_addresses_are_no_words_and_numbers_and_dates_are_as_one_another() {
        for text in ["mail.soup.net", "bo@a.test", "x2", "_", ""] {
            assert!(words(text, false).is_empty(), "{text}");
        }
        for (one, other) in [
            ("pay 450", "pay 98"),
            ("at 10:30", "at 6pm"),
            ("on monday", "on june"),
            ("€450", "$710"),
        ] {
            assert_eq!(words(one, false), words(other, false), "{one}");
        }
        let kinds = ["450", "10:30", "monday", "€450"].map(|text| words(text, false));
        assert!(kinds.iter().all(|kind| kind.len() == 1));
        assert!((1..4).all(|at| !kinds[at..].contains(&kinds[at - 1])));
        // One word, and with a second also that, their pair, and how the sentence begins.
        assert_eq!(
            (words("soup", false).len(), words("hot soup", false).len()),
            (1, 4)
        );
        // In a question each counts once more, and begin and end are told: 2 + 2 words, 2 pairs, first, first two, last.
        assert_eq!(words("hot soup", true).len(), 9);
    }
}
