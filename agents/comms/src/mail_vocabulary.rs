//! Every word that is known to mean something in a mail, in one table.
//!
//! What: [`MailVocabulary`], which gives a word its number, and says what is known of it: the cues that begin with it, the lists it stands in, what
//! it asks for. Why: a word is looked up once, and compared as a number from there on. Not here: the phrases (`mail_cues`), what a
//! cue weighs (`mail_class`), words of chats (`words`).

use super::{
    mail_cues::{MailCue, phrases},
    mail_pieces::MailPiece,
    mail_sentences::CURRENCIES,
    message::RequestVerb,
    words::ACTIONS,
};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

/// The place of a word in the vocabulary; every other word has none, which is nought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WordNumber(u16);

impl WordNumber {
    const NONE: Self = Self(0);

    fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// A list in which a word can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum WordTrait {
    /// A month or a day of the week: these say when mail was collected, not what it is.
    Date = 1,
    Currency = 2,
    /// "you", "your"
    You = 4,
    /// "what", "how"
    AsksWhat = 8,
    /// "do", "is"
    Auxiliary = 16,
    /// How an answer begins: "because"
    Answers = 32,
    /// "so", "but"
    Joins = 64,
    /// How a question ends that is none: "right"
    Tag = 128,
    /// Opens a question without a sign: "did" …
    Opens = 256,
    /// … before one of these: "they"
    Subject = 512,
    /// May stand between "please" and what is asked: "bitte noch bestätigen", "merci de nous envoyer"
    Passes = 1024,
}

/// The words of this build.
pub(super) static VOCABULARY: LazyLock<MailVocabulary> = LazyLock::new(MailVocabulary::build);

/// Eight bytes at a time, a turn and a product. Nobody outside adds a word, so nobody can choose words that meet.
#[derive(Default)]
struct WordHasher(u64);

impl WordHasher {
    fn add(&mut self, part: u64) {
        self.0 = (self.0.rotate_left(5) ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            self.add(u64::from_le_bytes(*eight));
        }
        self.add(rest.iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)));
    }

    /// What a text writes behind its bytes.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        // The upper bits of a product are the mixed ones, and the table looks at the lower.
        self.0.rotate_left(26)
    }
}

pub(super) struct MailVocabulary {
    /// First words and words behind them.
    numbers: HashMap<&'static str, WordNumber, BuildHasherDefault<WordHasher>>,
    /// By their number; the first is no word.
    words: Vec<KnownWord>,
}

/// A word, and what is known of it.
#[derive(Default)]
struct KnownWord {
    /// Of [`WordTrait`].
    traits: u16,
    verb: Option<RequestVerb>,
    /// The phrases that begin with it.
    phrases: Vec<CuePhrase>,
}

/// A phrase without its first word.
struct CuePhrase {
    cue: MailCue,
    second: WordNumber,
    /// What stands behind the second.
    rest: Box<[WordNumber]>,
}

impl CuePhrase {
    fn begins(&self, after: &[&MailPiece<'_>]) -> bool {
        let mut after = after.iter();
        // Most phrases end here, with another second word.
        (self.second == WordNumber::NONE || after.next().is_some_and(|piece| piece.number == self.second))
            && self
                .rest
                .iter()
                .all(|number| after.next().is_some_and(|piece| piece.number == *number))
    }
}

impl MailVocabulary {
    fn build() -> Self {
        let mut all = Self {
            numbers: HashMap::default(),
            words: vec![KnownWord::default()],
        };
        let lists: [(&'static [&'static str], WordTrait); 11] = [
            (&DATES, WordTrait::Date),
            (&CURRENCIES, WordTrait::Currency),
            (&YOU, WordTrait::You),
            (&ASKS_WHAT, WordTrait::AsksWhat),
            (&AUXILIARIES, WordTrait::Auxiliary),
            (&ANSWERS, WordTrait::Answers),
            (&JOINS, WordTrait::Joins),
            (&TAGS, WordTrait::Tag),
            (&OPENS, WordTrait::Opens),
            (&SUBJECTS, WordTrait::Subject),
            (&PASSES, WordTrait::Passes),
        ];
        for (words, is) in lists {
            for &word in words {
                if let Some(known) = all.entry(word) {
                    known.traits |= is as u16;
                }
            }
        }
        for (word, verb) in ACTIONS {
            if let Some(known) = all.entry(word) {
                known.verb = Some(*verb);
            }
        }
        for (phrase, cue) in phrases() {
            let mut words = phrase.split(' ');
            let first = words.next().unwrap_or_default();
            let mut numbers = words.map(|word| all.add(word)).collect::<Vec<_>>().into_iter();
            let phrase = CuePhrase {
                cue,
                second: numbers.next().unwrap_or_default(),
                rest: numbers.collect(),
            };
            if let Some(known) = all.entry(first) {
                known.phrases.push(phrase);
            }
        }
        all
    }

    /// The number of a word, which it gets here if it had none.
    fn add(&mut self, word: &'static str) -> WordNumber {
        let known = self.number(word);
        if known != WordNumber::NONE {
            return known;
        }
        let Ok(number) = u16::try_from(self.words.len()).map(WordNumber) else {
            return WordNumber::NONE;
        };
        self.numbers.insert(word, number);
        self.words.push(KnownWord::default());
        number
    }

    fn entry(&mut self, word: &'static str) -> Option<&mut KnownWord> {
        let number = self.add(word);
        self.words.get_mut(number.place())
    }

    /// The number of a word.
    pub(super) fn number(&self, word: &str) -> WordNumber {
        self.numbers.get(word).copied().unwrap_or_default()
    }

    /// Whether a word stands in a list.
    pub(super) fn is(&self, number: WordNumber, what: WordTrait) -> bool {
        self.words
            .get(number.place())
            .is_some_and(|known| known.traits & what as u16 != 0)
    }

    /// What a word asks for.
    pub(super) fn verb(&self, word: &str) -> Option<RequestVerb> {
        let number = self.number(word);
        self.words.get(number.place())?.verb
    }

    /// The cues that begin at the first of these words, one for each phrase.
    pub(super) fn cues_at<'a>(
        &'a self,
        words: &'a [&'a MailPiece<'a>],
    ) -> impl Iterator<Item = MailCue> + 'a {
        let (number, after) = words
            .split_first()
            .map_or((WordNumber::NONE, words), |(first, after)| (first.number, after));
        let known = self.words.get(number.place());
        known
            .map_or(&[][..], |known| known.phrases.as_slice())
            .iter()
            .filter(move |phrase| phrase.begins(after))
            .map(|phrase| phrase.cue)
    }
}

const DATES: [&str; 33] = [
    "january",
    "february",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
];
const YOU: [&str; 16] = [
    "you", "your", "yours", "you're", "you've", "ya", "du", "dir", "dein", "deine", "sie", "ihnen", "tu",
    "te", "vous", "votre",
];
const ASKS_WHAT: [&str; 30] = [
    "what", "how", "when", "where", "which", "who", "why", "whose", "what's", "how's", "where's", "who's",
    "was", "wie", "wann", "wo", "welche", "welcher", "welches", "wer", "warum", "quand", "comment", "où",
    "quel", "quelle", "quels", "quelles", "qui", "pourquoi",
];
const AUXILIARIES: [&str; 38] = [
    "do",
    "does",
    "did",
    "is",
    "are",
    "were",
    "can",
    "could",
    "will",
    "would",
    "should",
    "shall",
    "has",
    "have",
    "had",
    "may",
    "might",
    "isn't",
    "aren't",
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "wouldn't",
    "can't",
    "couldn't",
    "haven't",
    "hasn't",
    "kannst",
    "können",
    "könnten",
    "könntest",
    "hast",
    "haben",
    "ist",
    "sind",
    "peux",
    "pouvez",
];
const ANSWERS: [&str; 20] = [
    "no",
    "yes",
    "yeah",
    "nope",
    "sure",
    "because",
    "well",
    "maybe",
    "probably",
    "of",
    "not",
    "nein",
    "ja",
    "weil",
    "vielleicht",
    "non",
    "oui",
    "parce",
    "peut-être",
    "obviously",
];
const JOINS: [&str; 16] = [
    "so", "but", "and", "or", "then", "hm", "hmm", "oh", "ah", "und", "aber", "oder", "et", "mais", "ou",
    "donc",
];
const TAGS: [&str; 14] = [
    "right", "no", "eh", "huh", "it", "ok", "okay", "yes", "really", "not", "oder", "nicht", "pas", "non",
];
const OPENS: [&str; 33] = [
    "did",
    "does",
    "can",
    "could",
    "will",
    "would",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "should",
    "shall",
    "may",
    "do",
    "kannst",
    "hast",
    "könnten",
    "könntest",
    "könnt",
    "könntet",
    "können",
    "würden",
    "würdest",
    "würdet",
    "möchtest",
    "magst",
    "bist",
    "dürfte",
    "dürften",
    "darf",
    "wären",
];
const SUBJECTS: [&str; 19] = [
    "you", "we", "i", "he", "she", "it", "they", "there", "your", "this", "that", "the", "du", "anybody",
    "sie", "ihr", "ich", "wir", "jemand",
];
const PASSES: [&str; 25] = [
    "noch", "kurz", "mal", "doch", "einfach", "auch", "also", "just", "then", "uns", "mir", "es", "de",
    "bien", "vouloir", "me", "nous", "le", "la", "les", "lui", "do", "again", "once", "nochmals",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<MailCue> {
        let pieces: Vec<MailPiece<'_>> = text.split(' ').map(MailPiece::new).collect();
        VOCABULARY.cues_at(&pieces.iter().collect::<Vec<_>>()).collect()
    }

    #[test]
    fn phrases_are_found_whole() {
        assert!(found("could you come").contains(&MailCue::CouldYou));
        assert!(!found("could yours").contains(&MailCue::CouldYou));
        assert!(!found("could").contains(&MailCue::CouldYou));
        assert!(found("bitte").contains(&MailCue::Please));
        assert!(found("").is_empty());
    }

    #[test]
    fn every_phrase_of_words_is_found() {
        for (phrase, cue) in phrases() {
            // "merci d'" and "100%" end in signs, which no word of a mail does.
            let bare = phrase.split(' ').all(|word| MailPiece::new(word).word == word);
            assert_eq!(found(phrase).contains(&cue), bare, "{phrase}");
        }
    }

    #[test]
    fn a_word_is_known_by_its_lists() {
        let is = |word: &str, what: WordTrait| VOCABULARY.is(MailPiece::new(word).number, what);
        assert!(is("you", WordTrait::You) && is("you", WordTrait::Subject) && !is("you", WordTrait::Date));
        assert!(
            is("sept", WordTrait::Date) && is("euros", WordTrait::Currency) && is("où", WordTrait::AsksWhat)
        );
        assert!(!is("heron", WordTrait::You) && !is("", WordTrait::Date));
        assert_eq!(VOCABULARY.verb("send"), Some(RequestVerb::Send));
        assert_eq!((VOCABULARY.verb("you"), VOCABULARY.verb("heron")), (None, None));
        // Digits count as one another for the hash alone.
        assert_ne!(MailPiece::new("90").number, MailPiece::new("91").number);
    }
}
