//! The spam gate: how much a mail looks like spam, before anything else is asked of it.
//!
//! What: [`SpamGateModel`], the committed weights, [`gate_features`], what it sees of subject and new text, and [`SpamScore`]. Why: who
//! advertises to strangers writes like somebody who wants an answer. Not here: the training (`agents/training`), what follows
//! from a score (`judging`).
//!
//! Two steps, both linear and in whole numbers: words and pairs of neighbouring words give a logit of the text; that logit and the signs of
//! the head (`mail::headers`) give the score. No feature is a host, an address, a date or a field that a filter wrote.

use super::{
    classifier::ClassifierModel,
    features::{FeatureSet, hashed, step},
    mail_pieces::{MailPiece, MailPieces, PieceSigns},
    mail_vocabulary::{VOCABULARY, WordTrait},
};
use agents_base::mail::headers::{MailOrigin, SIGNS};

/// Bytes of the new text that are looked at, and of the subject.
const READ: usize = 4096;
const SUBJECT: usize = 300;
/// From so many features that the model knows on a text counts fully: what it does not know, as a language that it was not taught, is no sign.
const ENOUGH: usize = 30;

/// What stands first in the text's part of a model.
pub const MAGIC: [u8; 8] = *b"auraspm2";
/// One, as numbers of a score are written: 65536ths of a logit.
pub const ONE: i64 = 1 << 16;
/// The text's logit counts up to this in both directions: four.
const TEXT_MOST: i64 = 4 * ONE;
/// The logit of no text at all: few words are no sign of spam.
const UNTOLD: i64 = -2 * ONE;

/// The model of this build, `agents/comms/src/spam.bin`: written by `agents-training`, never by hand.
pub static MODEL: SpamGateModel<'static> = match SpamGateModel::parse(include_bytes!("spam.bin")) {
    Some(model) => model,
    None => SpamGateModel::EMPTY,
};

/// Signs of a head.
pub const SIGN_COUNT: usize = SIGNS;
/// Numbers of each kind of head: what the text's logit counts, the constant, then what each sign adds.
const KIND_NUMBERS: usize = 2 + SIGN_COUNT;
const HEAD_NUMBERS: usize = KIND_NUMBERS * HEAD_KINDS.len();

/// What a mail came with: each has weights of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum HeadKind {
    /// The head of a server of old.
    Old,
    /// The head of a server of today: sound ones say little there.
    Modern,
    /// None but subject and sender.
    None,
}

/// In the order of their weights.
pub const HEAD_KINDS: [HeadKind; 3] = [HeadKind::Old, HeadKind::Modern, HeadKind::None];

impl HeadKind {
    pub(crate) fn of_origin(origin: &MailOrigin) -> Self {
        if !origin.received {
            Self::None
        } else if origin.modern {
            Self::Modern
        } else {
            Self::Old
        }
    }
}

/// A trained gate, as it lies in its file: numbers of each kind of head (`i32`, little endian, 65536ths), then a [`ClassifierModel`] of the classes
/// ham and spam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpamGateModel<'a> {
    numbers: [[i32; KIND_NUMBERS]; HEAD_KINDS.len()],
    text: ClassifierModel<'a, 2>,
}

/// How much a mail looks like spam, in 65536ths of a logit: above nought it is likelier spam than not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpamScore(pub i64);

impl<'a> SpamGateModel<'a> {
    /// To it nothing is spam.
    pub const EMPTY: SpamGateModel<'static> = SpamGateModel {
        numbers: [[0; KIND_NUMBERS]; HEAD_KINDS.len()],
        text: ClassifierModel::EMPTY,
    };

    /// Reads a model. `None` when it is of another version or size.
    pub const fn parse(bytes: &'a [u8]) -> Option<Self> {
        let Some((head, rest)) = bytes.split_first_chunk::<{ 4 * HEAD_NUMBERS }>() else {
            return None;
        };
        let Some(text) = ClassifierModel::parse(rest, MAGIC) else {
            return None;
        };
        let (chunks, _) = head.as_chunks::<4>();
        let mut numbers = [[0; KIND_NUMBERS]; HEAD_KINDS.len()];
        let mut at = 0;
        while at < HEAD_NUMBERS {
            numbers[at / KIND_NUMBERS][at % KIND_NUMBERS] = i32::from_le_bytes(chunks[at]);
            at += 1;
        }
        Some(Self { numbers, text })
    }

    /// The logit of a text with these features: spam against ham.
    pub fn text_logit(&self, features: &[u16]) -> i64 {
        text_logit(&self.text, features)
    }

    /// The score of a text and the head it came with.
    fn score(&self, text: i64, origin: &MailOrigin) -> SpamScore {
        let [old, modern, none] = &self.numbers;
        let [scale, constant, signs @ ..] = match HeadKind::of_origin(origin) {
            HeadKind::Old => old,
            HeadKind::Modern => modern,
            HeadKind::None => none,
        };
        let signs: i64 = signs
            .iter()
            .enumerate()
            .filter(|(at, _)| origin.signs & (1 << at) != 0)
            .map(|(_, weight)| i64::from(*weight))
            .sum();
        SpamScore(text * i64::from(*scale) / ONE + i64::from(*constant) + signs)
    }
}

/// The logit of a text by a model of texts: at most four either way, and nearer to [`UNTOLD`] where there is little that it knows.
pub fn text_logit(model: &ClassifierModel<'_, 2>, features: &[u16]) -> i64 {
    let [ham, spam] = model.logits(features);
    let told = i64::try_from(model.known(features).min(ENOUGH)).unwrap_or(0);
    let logit = (spam - ham).clamp(-TEXT_MOST, TEXT_MOST);
    UNTOLD + (logit - UNTOLD) * told / i64::try_from(ENOUGH).unwrap_or(1)
}

/// The score of a mail with these features by the model of this build.
pub(crate) fn spam_score(features: &[u16], origin: &MailOrigin) -> SpamScore {
    MODEL.score(MODEL.text_logit(features), origin)
}

/// Kinds of words that all count as one another.
const LINK: u32 = 0xE100;
const ADDRESS: u32 = 0xE101;
const HOST: u32 = 0xE102;
const DATE: u32 = 0xE103;
/// Begins what stands in the subject.
const IN_SUBJECT: u32 = 0xE110;

/// The features of a subject and a new text, both folded: distinct, in their order.
pub(super) fn gate_features(subject: &str, text: &MailPieces<'_>) -> Vec<u16> {
    gate_features_without(subject, text, &|_| false)
}

/// The same without the words that `skip` names: training leaves out the names of the corpus's lists.
pub(super) fn gate_features_without(
    subject: &str,
    text: &MailPieces<'_>,
    skip: &(impl Fn(&str) -> bool + ?Sized),
) -> Vec<u16> {
    let mut found = GateFeatures {
        found: FeatureSet::new(READ / 4),
        begin: hashed(Some(IN_SUBJECT)),
        before: hashed(Some(IN_SUBJECT)),
    };
    let subject = begin_of(bare_subject(subject), SUBJECT);
    for piece in subject.split_whitespace() {
        found.piece(&MailPiece::new(piece), skip);
    }
    found.begin = hashed(None);
    found.before = found.begin;
    if text.text.len() > READ {
        for piece in begin_of(text.text, READ).split_whitespace() {
            found.piece(&MailPiece::new(piece), skip);
        }
        return found.found.list;
    }
    for piece in &text.pieces {
        // White space that only Unicode knows as such divides words here.
        if piece.signs.holds(PieceSigns::WIDE) && piece.text.contains(char::is_whitespace) {
            for part in piece.text.split_whitespace() {
                found.piece(&MailPiece::new(part), skip);
            }
        } else {
            found.piece(piece, skip);
        }
    }
    found.found.list
}

/// At most so many bytes of a text.
fn begin_of(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// Features of a text that is read piece by piece.
struct GateFeatures {
    found: FeatureSet,
    /// Where the words stand: each begins with it.
    begin: u32,
    before: u32,
}

impl GateFeatures {
    fn add(&mut self, code: u32) {
        self.found.add(step(self.begin, code));
        self.found.add(step(step(self.begin, self.before), code));
        self.before = code;
    }

    fn piece(&mut self, piece: &MailPiece<'_>, skip: &(impl Fn(&str) -> bool + ?Sized)) {
        let last = match word_of(piece, skip) {
            GateWord::Kind(code) => {
                self.add(code);
                return;
            }
            GateWord::Word(code) => {
                self.add(code);
                if piece.ends_bare() {
                    return;
                }
                piece.text.trim_end_matches(['"', '\'', ')']).chars().next_back()
            }
            GateWord::Skipped => return,
            GateWord::None => piece.text.chars().next_back(),
        };
        if let Some(sign @ ('!' | '?' | '$')) = last {
            self.add(hashed([u32::from(sign)]));
        }
    }
}

enum GateWord {
    /// One of a kind.
    Kind(u32),
    /// A word's hash.
    Word(u32),
    Skipped,
    None,
}

fn word_of(piece: &MailPiece<'_>, skip: &(impl Fn(&str) -> bool + ?Sized)) -> GateWord {
    let (word, signs) = (piece.word, piece.signs);
    if piece.is_link() {
        GateWord::Kind(LINK)
    } else if signs.holds(PieceSigns::AT) && piece.text.len() > 2 {
        GateWord::Kind(ADDRESS)
    } else if word.is_empty() {
        GateWord::None
    } else if signs.holds(PieceSigns::DOT) && is_host(word) {
        GateWord::Kind(HOST)
    } else if VOCABULARY.is(piece.number, WordTrait::Date) {
        GateWord::Kind(DATE)
    } else if skip(word) {
        GateWord::Skipped
    } else {
        GateWord::Word(piece.hash)
    }
}

/// Labels joined by dots, the last of two to four letters.
pub(super) fn is_host(word: &str) -> bool {
    let Some((labels, last)) = word.rsplit_once('.') else {
        return false;
    };
    (2..=4).contains(&last.len())
        && last.bytes().all(|b| b.is_ascii_lowercase())
        && labels.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
        // "e.g." and "u.s.a" are no hosts.
        && labels.split('.').any(|label| label.len() > 2)
}

/// Whether a subject bears a list's tag: `[list]`, before or behind `Re:`.
pub(crate) fn is_tagged(subject: &str) -> bool {
    let bare = bare_subject(subject);
    let before = subject.get(..subject.len() - bare.len()).unwrap_or_default();
    before.starts_with('[') || before.contains(" [") || before.contains(":[")
}

/// A subject without what lists and programs put before it: `[list]`, `Re:`, `Fwd:`.
pub(crate) fn bare_subject(subject: &str) -> &str {
    let mut rest = subject.trim_start();
    loop {
        let tag = rest
            .strip_prefix('[')
            .and_then(|tag| tag.split_once(']'))
            .filter(|(tag, _)| tag.len() <= 40)
            .map(|(_, rest)| rest);
        let answer = rest
            .split_once(':')
            .filter(|(begin, _)| {
                let begin =
                    begin.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | ' '));
                ["re", "fw", "fwd", "aw", "wg", "sv", "tr", "rv", "antw"]
                    .iter()
                    .any(|known| begin.eq_ignore_ascii_case(known))
            })
            .map(|(_, rest)| rest);
        match tag.or(answer) {
            Some(next) => rest = next.trim_start(),
            None => return rest,
        }
    }
}

impl SpamScore {
    /// With the weight of what no old mail can teach: disguised letters, and servers that disown the sender.
    #[must_use]
    pub(crate) fn with_proof(self, disguised: bool, failed: bool) -> Self {
        let disguised = if disguised { 4 * ONE } else { 0 };
        let failed = if failed { 2 * ONE } else { 0 };
        Self(self.0 + disguised + failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(subject: &str, text: &str) -> Vec<u16> {
        gate_features(subject, &MailPieces::split(text))
    }

    #[test]
    fn white_space_of_unicode_divides_words_and_only_the_begin_is_read() {
        for text in ["hot\u{b}soup", "hot\u{2028}soup", "hot\u{85}soup"] {
            assert_eq!(features("", text), features("", "hot soup"), "{text:?}");
        }
        let long = "hot soup ".repeat(READ / 9 + 1);
        assert_eq!(features("", &format!("{long}cold water")), features("", &long));
    }

    #[test]
    fn names_dates_and_numbers_of_a_mail_are_no_features() {
        for (a, b) in [
            ("see https://a.test/x now", "see www.b.test now"),
            ("write to bo@a.test now", "write to asha@b.example now"),
            ("on shop.test now", "on mail.soup.net now"),
            ("on monday 5 may", "on friday 7 may"),
            ("pay 450", "pay 981"),
        ] {
            assert_eq!(features("", a), features("", b), "{a}");
        }
        assert_ne!(features("soup", ""), features("", "soup"));
        assert_ne!(features("", "i.e. soup"), features("", "shop.test soup"));
    }

    #[test]
    fn a_subject_is_bare_of_what_lists_and_answers_add() {
        for (subject, bare) in [
            ("Re: [list] Fwd: soup", "soup"),
            ("[list] Re[2]: soup", "soup"),
            ("AW: soup: hot", "soup: hot"),
            ("soup: hot", "soup: hot"),
            ("[", "["),
            ("", ""),
        ] {
            assert_eq!(bare_subject(subject), bare, "{subject}");
        }
        for (subject, tagged) in [
            ("[list] soup", true),
            ("Re: [list] soup", true),
            ("Re[2]: soup", false),
            ("Re[2]: [list] soup", true),
            ("soup [hot]", false),
            ("[", false),
        ] {
            assert_eq!(is_tagged(subject), tagged, "{subject}");
        }
    }

    #[test]
    fn the_data_card_names_the_models_that_are_committed() {
        let card = include_str!("../../../docs/agents/mail-models.md");
        for model in [
            &include_bytes!("spam.bin")[..],
            &include_bytes!("scorers.bin")[..],
        ] {
            let hash = toolcall_schema::ids::sha256_hex(model);
            assert!(card.contains(&hash), "{hash}");
        }
    }

    #[test]
    fn a_file_of_another_size_is_no_model() {
        let bytes = include_bytes!("spam.bin");
        assert!(SpamGateModel::parse(bytes).is_some());
        assert!(SpamGateModel::parse(&bytes[1..]).is_none());
        assert_ne!(MODEL, SpamGateModel::EMPTY);
    }
}
