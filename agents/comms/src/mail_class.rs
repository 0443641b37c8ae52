//! What a mail wants: facts, and linear scorers over them and its words.
//!
//! What: [`ScorerModel`], the committed weights of the scorers, and the facts that they see. Why: whether somebody waits, a payment is due or a time is to
//! be agreed on shows in some dozen facts and words of everybody's. Not here: the counting (`mail_text`), spam (`spam_gate`), which
//! class follows (`judging`), the cues (`mail_cues`).

use super::{
    features::FEATURES,
    mail_cues::MailCue,
    mail_text::{MailScan, QuestionSign},
};
use std::sync::LazyLock;

/// To whom a mail goes, and how it came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MailStanding {
    /// The owner is the only one in `To`, and there is nobody in `Cc`.
    pub(crate) alone: bool,
    pub(crate) in_to: bool,
    pub(crate) in_cc: bool,
    pub(crate) list: bool,
    pub(crate) automatic: bool,
    pub(crate) reply: bool,
    pub(crate) quotes: bool,
    pub(crate) forwards: bool,
    /// How many are addressed.
    pub(crate) addressees: usize,
    /// It says how to leave.
    pub(crate) unsubscribe: bool,
    /// A desk wrote it.
    pub(crate) business: bool,
    pub(crate) linked: bool,
}

/// What a mail is asked, each by weights of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum MailScorer {
    /// Does somebody ask for something?
    Asks,
    /// Is money due by a date, or does a date cost something when it is missed?
    Bill,
    /// Is a time to be agreed on?
    Date,
    /// Does it carry a code, or ask to confirm what its reader began?
    Code,
    /// Does it tell many and wait for nobody?
    News,
    /// Is everybody asked, and the owner no more than others?
    Group,
}

/// All of them, in the order of their weights.
pub const SCORERS: [MailScorer; 6] = [
    MailScorer::Asks,
    MailScorer::Bill,
    MailScorer::Date,
    MailScorer::Code,
    MailScorer::News,
    MailScorer::Group,
];

/// What the scorers say of a mail, in 65536ths of a logit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailScores(pub [i64; SCORERS.len()]);

impl MailScores {
    pub(crate) fn score_of(&self, scorer: MailScorer) -> i64 {
        self.0.get(scorer as usize).copied().unwrap_or_default()
    }
}

/// Facts that the scorers see, by place.
pub const MAIL_FACTS: usize = 175;

/// The facts of a mail.
pub(crate) fn mail_facts(scan: &MailScan, is: MailStanding) -> [bool; MAIL_FACTS] {
    use MailCue as Cue;
    use QuestionSign as Sign;
    let density =
        |cue: Cue, percent: usize| 100 * scan.count(cue) >= percent * scan.words.max(1) && scan.has(cue);
    let please = scan.count(Cue::Please) > scan.count(Cue::Courtesy);
    let asks = scan.questions > 0;
    let personal = is.in_to && !is.automatic;
    let dated = scan.has(Cue::Day) || scan.clock;
    [
        asks,
        scan.questions >= 2,
        scan.questions >= 4,
        scan.to_you > 0,
        scan.to_you >= 2,
        scan.last_asks,
        scan.first_asks,
        asks && scan.after <= 25,
        asks && scan.after > 40,
        asks && scan.after > 100,
        scan.has(Cue::CouldYou),
        scan.requests > 0,
        please,
        scan.please_do > 0,
        scan.has(Cue::TellMe),
        scan.has(Cue::Need),
        scan.has(Cue::Wonder),
        scan.imperatives > 0,
        density(Cue::You, 3),
        density(Cue::You, 7),
        density(Cue::Me, 4),
        density(Cue::Me, 8),
        scan.has(Cue::Anybody),
        scan.has(Cue::Everybody),
        scan.greets,
        scan.greets_owner,
        scan.names_owner,
        scan.has(Cue::Thanks),
        scan.thanks_only(),
        scan.has(Cue::NoAnswer),
        scan.has(Cue::Courtesy),
        scan.has(Cue::Deadline),
        scan.has(Cue::Day),
        scan.has(Cue::Suits),
        scan.has(Cue::Waits),
        scan.has(Cue::Opinion),
        scan.has(Cue::Informs),
        scan.count(Cue::Informs) >= 3,
        scan.has(Cue::Decide),
        scan.has(Cue::Favour),
        scan.has(Cue::Newsletter),
        scan.words < 8,
        scan.words < 25,
        scan.words < 80,
        scan.words >= 200,
        scan.words >= 450,
        scan.subject_asks,
        scan.open > 0,
        scan.links > 0,
        scan.links >= 4,
        scan.exclaims >= 2,
        is.alone,
        is.in_to,
        is.in_cc && !is.in_to,
        !is.in_to && !is.in_cc,
        is.list,
        is.reply,
        is.quotes,
        is.forwards,
        is.addressees > 5,
        scan.code_lines >= 3,
        asks && is.reply,
        asks && !is.reply,
        asks && personal,
        scan.requests > 0 && personal,
        scan.to_you > 0 && personal,
        scan.to_you > 0 && scan.after <= 25,
        scan.open > 0 && scan.last_asks,
        asks && scan.words < 30,
        asks && scan.has(Cue::Informs) && is.reply,
        please && personal,
        scan.has(Cue::Anybody) && asks,
        scan.has_question(Sign::Closes),
        scan.has_question(Sign::ClosesToYou),
        scan.has_question(Sign::Alone),
        scan.has_question(Sign::Inner),
        scan.has_question(Sign::AnsweredBehind),
        scan.has_question(Sign::Chained),
        scan.has_question(Sign::Loud),
        scan.has_question(Sign::Cited),
        scan.has_question(Sign::Short),
        scan.has_question(Sign::Long),
        scan.has_question(Sign::AsksWhat),
        scan.has_question(Sign::AsksYou),
        scan.has_question(Sign::AsksWhether),
        scan.has_question(Sign::Joins),
        scan.has_question(Sign::Tag),
        scan.has_question(Sign::Half),
        scan.has_question(Sign::AsksYou) && is.reply && personal,
        scan.sentences <= 2,
        scan.has_question(Sign::BeginsTell),
        scan.has_question(Sign::BeginsRequest),
        scan.has_question(Sign::BeginsRequest) && scan.words < 60 && personal,
        scan.has_question(Sign::BeginsTell) && scan.words < 60 && personal,
        scan.has_question(Sign::Closes) && scan.has_question(Sign::AsksWhat) && scan.words < 60 && personal,
        scan.jests > 0,
        scan.jests > 0 && asks,
        scan.has_question(Sign::Jests),
        scan.trails >= 2,
        scan.thanks_last,
        scan.thanks_last && asks,
        scan.has(Cue::Trouble),
        density(Cue::Trouble, 2),
        scan.has(Cue::Trouble) && asks,
        scan.has(Cue::Probes),
        scan.count(Cue::Probes) >= 2,
        scan.has_question(Sign::Probes),
        scan.has_question(Sign::ProbesAtEnd),
        scan.has_question(Sign::ProbesAtEnd) && personal,
        scan.has(Cue::Rhetoric),
        scan.has_question(Sign::Rhetoric),
        scan.has_question(Sign::Plain),
        scan.has_question(Sign::PlainAtEnd),
        scan.has_question(Sign::PlainAtEnd) && personal,
        scan.has_question(Sign::PlainAtEnd) && scan.words < 60,
        asks && !scan.has_question(Sign::Plain),
        scan.has(Cue::Work),
        density(Cue::Work, 3),
        scan.has(Cue::Work) && asks,
        density(Cue::Work, 3) && scan.has_question(Sign::Plain),
        // What is due.
        scan.amount,
        scan.clock,
        scan.digits,
        scan.has(Cue::Bill),
        scan.count(Cue::Bill) >= 2,
        scan.has(Cue::Due),
        scan.count(Cue::Due) >= 2,
        scan.has(Cue::Settled),
        scan.has(Cue::Bill) && scan.has(Cue::Due),
        scan.has(Cue::Bill) && scan.amount,
        scan.has(Cue::Due) && scan.amount,
        scan.has(Cue::Due) && dated,
        scan.has(Cue::Deadline) && dated,
        scan.amount && dated,
        scan.amount && scan.has(Cue::Deadline),
        scan.has(Cue::Bill) && scan.has(Cue::Due) && scan.amount && !scan.has(Cue::Settled),
        scan.has(Cue::Settled) && (scan.has(Cue::Bill) || scan.amount),
        // A time to agree on.
        scan.has(Cue::Meeting),
        scan.has(Cue::Meeting) && dated,
        scan.has(Cue::Meeting) && scan.clock,
        scan.has(Cue::Meeting) && asks,
        scan.has(Cue::Day) && scan.clock,
        scan.count(Cue::Day) >= 2,
        scan.count(Cue::Day) >= 4,
        scan.has(Cue::Suits) && dated,
        scan.has(Cue::Suits) && asks,
        scan.has(Cue::Suits) && scan.has(Cue::Meeting),
        scan.count(Cue::Suits) >= 2,
        scan.has_question(Sign::NamesTime),
        scan.has_question(Sign::NamesTime) && personal,
        scan.has_question(Sign::Suits),
        dated && asks && scan.words < 60,
        scan.has(Cue::Suits) && scan.has(Cue::NoAnswer),
        // A code, or something to confirm.
        scan.has(Cue::CodeWord),
        scan.has(Cue::CodeWord) && scan.digits,
        scan.has(Cue::ConfirmIt),
        scan.has(Cue::ConfirmIt) && is.linked,
        scan.has(Cue::CodeWord) && scan.has(Cue::ConfirmIt),
        // Who wrote, and to whom.
        scan.has(Cue::Relays),
        scan.has(Cue::Pitch),
        scan.count(Cue::Newsletter) >= 2,
        is.automatic,
        is.automatic && is.alone,
        is.automatic && scan.has(Cue::Relays),
        is.unsubscribe,
        is.business,
        is.linked,
        is.addressees >= 2,
        is.list && is.in_to,
        (scan.has(Cue::Everybody) || scan.has(Cue::Anybody)) && !scan.names_owner,
        // What plain words say.
        names_code(scan, is),
        names_bill(scan, is),
        names_date(scan, is),
        asks_owner(scan, is, is.in_to),
        speaks_to_all(scan, is),
    ]
}

/// The committed weights of the scorers, `agents/comms/src/scorers.bin`. Written by `agents-training`, never by hand.
static MODEL: ScorerModel<'static> = ScorerModel::parse(include_bytes!("scorers.bin"));

/// The words of [`MODEL`] spread out, because a mail has hundreds of words.
static WORDS: LazyLock<WordWeights> = LazyLock::new(|| WordWeights::of_model(&MODEL));

/// A number for each scorer.
type PerScorer<T> = [T; SCORERS.len()];

/// Weights of the scorers, as they lie in their file: the constants, then for each fact what it weighs (`i32`, little endian, 65536ths of a logit), a
/// number for each scorer; then words, each a number (`u16`) and what it weighs (`i16`, 4096ths).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScorerModel<'a> {
    constants: PerScorer<i32>,
    facts: [PerScorer<i32>; MAIL_FACTS],
    words: &'a [[u8; WORD_BYTES]],
}

/// Bytes of a word with its weights.
const WORD_BYTES: usize = 2 + 2 * SCORERS.len();
/// 65536ths of a logit in one of a word's weight.
pub const WORD_UNIT: i64 = 16;

impl<'a> ScorerModel<'a> {
    /// Reads weights; what is missing is nought.
    const fn parse(bytes: &'a [u8]) -> Self {
        let mut model = Self {
            constants: [0; SCORERS.len()],
            facts: [[0; SCORERS.len()]; MAIL_FACTS],
            words: &[],
        };
        let Some((numbers, words)) = bytes.split_at_checked(4 * SCORERS.len() * (MAIL_FACTS + 1)) else {
            return model;
        };
        let (numbers, _) = numbers.as_chunks::<4>();
        let mut at = 0;
        while at < numbers.len() {
            let (fact, scorer) = (at / SCORERS.len(), at % SCORERS.len());
            let number = i32::from_le_bytes(numbers[at]);
            if fact == 0 {
                model.constants[scorer] = number;
            } else {
                model.facts[fact - 1][scorer] = number;
            }
            at += 1;
        }
        model.words = words.as_chunks::<WORD_BYTES>().0;
        model
    }
}

/// What words weigh, to be found by their number.
struct WordWeights {
    /// The place of each word in `weights`; the first is that of all words that weigh nothing.
    places: Vec<u16>,
    weights: Vec<PerScorer<i16>>,
}

impl WordWeights {
    fn of_model(model: &ScorerModel<'_>) -> Self {
        let mut all = Self {
            places: vec![0; FEATURES],
            weights: vec![[0; SCORERS.len()]],
        };
        for [low, high, weights @ ..] in model.words {
            let word = usize::from(u16::from_le_bytes([*low, *high]));
            if let (Some(place), Ok(number)) = (all.places.get_mut(word), u16::try_from(all.weights.len())) {
                *place = number;
                let mut row = [0; SCORERS.len()];
                for (slot, weight) in row.iter_mut().zip(weights.as_chunks::<2>().0) {
                    *slot = i16::from_le_bytes(*weight);
                }
                all.weights.push(row);
            }
        }
        all
    }

    /// What a word weighs, when it weighs anything.
    fn of_word(&self, word: u16) -> Option<&PerScorer<i16>> {
        let place = self.places.get(usize::from(word)).filter(|place| **place > 0)?;
        self.weights.get(usize::from(*place))
    }
}

/// What the scorers of this build say.
pub(crate) fn mail_scores(scan: &MailScan, is: MailStanding) -> MailScores {
    let mut sums = MODEL.constants.map(i64::from);
    let facts = mail_facts(scan, is);
    for weights in facts
        .iter()
        .zip(&MODEL.facts)
        .filter(|(is, _)| **is)
        .map(|(_, weights)| weights)
    {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += i64::from(*weight);
        }
    }
    // Some thousands of words of 16 bits.
    let mut words = [0_i32; SCORERS.len()];
    for weights in scan.lexicon.iter().filter_map(|word| WORDS.of_word(*word)) {
        for (sum, weight) in words.iter_mut().zip(weights) {
            *sum += i32::from(*weight);
        }
    }
    for (sum, words) in sums.iter_mut().zip(words) {
        *sum += WORD_UNIT * i64::from(words);
    }
    MailScores(sums)
}

/// A security code, or something to confirm that the owner has just asked for, by plain words.
fn names_code(scan: &MailScan, is: MailStanding) -> bool {
    let code = scan.has(MailCue::CodeWord) && scan.digits;
    let confirm =
        scan.has(MailCue::ConfirmIt) && !scan.has(MailCue::Pitch) && !is.reply && (is.automatic || is.linked);
    (code && !is.reply || confirm) && !is.list && scan.words < 260
}

/// Money by a date, or a date that costs something when it is missed, by plain words.
fn names_bill(scan: &MailScan, is: MailStanding) -> bool {
    let dated = scan.has(MailCue::Day) || scan.has(MailCue::Deadline) || scan.clock || scan.digits;
    let owed = scan.has(MailCue::Bill) && scan.has(MailCue::Due) && dated;
    let certain = scan.amount || scan.count(MailCue::Due) >= 2;
    owed && certain && !scan.has(MailCue::Settled) && !is.list && !is.forwards && scan.words < 450
}

/// A time that the owner is to agree on, by plain words.
fn names_date(scan: &MailScan, is: MailStanding) -> bool {
    let when = scan.has(MailCue::Day) || scan.clock;
    let proposed = scan.has(MailCue::Suits) && (scan.has(MailCue::Meeting) || scan.questions > 0);
    // "Thanks, it fits, see you on Monday" proposes nothing.
    when && proposed && !scan.thanks_only() && !is.list && is.addressees <= 5 && scan.words < 300
}

/// From so many points on a question is put to whoever is answered.
const PUT_AT: u32 = 18;

/// Whether a question is put to the reader of an answer: what its signs weigh, in tenths of a logit.
///
/// The weights are those of a logistic regression over the 543 labelled mails of the training that are addressed to one person, rounded. Nearly all
/// are answers within a debate, where a question is seldom more than a figure of speech: the scorer of requests, which has learned from all mail, hears
/// no question there.
pub(crate) fn is_put_to_reader(scan: &MailScan) -> bool {
    use QuestionSign as Sign;
    let plain = scan.has_question(Sign::Plain);
    let at_work = plain && scan.has(MailCue::Work) && 100 * scan.count(MailCue::Work) >= 3 * scan.words;
    let points: u32 = [
        (scan.requests > 0, 6),
        (scan.to_you > 0, 4),
        (scan.has_question(Sign::BeginsRequest), 4),
        (scan.has_question(Sign::ProbesAtEnd), 2),
        (scan.has_question(Sign::PlainAtEnd), 4),
        (at_work, 12),
        (plain, 8),
        (scan.has_question(Sign::Probes), 6),
    ]
    .into_iter()
    .filter_map(|(is, points)| is.then_some(points))
    .sum();
    let rhetoric = if scan.has(MailCue::Rhetoric) { 5 } else { 0 };
    scan.questions > 0 && points >= PUT_AT + rhetoric
}

/// Whether it speaks to more than the owner: to many, or to everybody without naming the owner.
pub(crate) fn speaks_to_all(scan: &MailScan, is: MailStanding) -> bool {
    // Who calls the owner by name, or answers him and asks "you", asks him, whatever he says of everybody.
    let spoken_to = is.in_to && (scan.names_owner || (is.reply && scan.asks_you()));
    let everybody = scan.has(MailCue::Everybody) || scan.has(MailCue::Anybody);
    is.addressees > 5 || (everybody && !spoken_to)
}

/// Whether what it asks is put to the owner, by plain words.
pub(crate) fn asks_owner(scan: &MailScan, is: MailStanding, in_to: bool) -> bool {
    let to_all = speaks_to_all(scan, is);
    in_to && !is.list && (!to_all || is.alone)
        || (is.in_to && is.list && !to_all)
        || (is.in_cc && scan.names_owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model whose constants are 1, 2 …; the first fact adds 100 to each, the word 7 adds a unit for each.
    fn model() -> Vec<u8> {
        let mut bytes = Vec::new();
        for at in 0..SCORERS.len() * (MAIL_FACTS + 1) {
            let (fact, scorer) = (at / SCORERS.len(), at % SCORERS.len());
            let number = match fact {
                0 => i32::try_from(scorer + 1).unwrap(),
                1 => 100,
                _ => 0,
            };
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(7_u16.to_le_bytes());
        for scorer in 0..SCORERS.len() {
            bytes.extend(i16::try_from(scorer).unwrap().to_le_bytes());
        }
        bytes
    }

    #[test]
    fn a_file_holds_a_number_for_each_scorer() {
        let bytes = model();
        let model = ScorerModel::parse(&bytes);
        assert_eq!(model.constants, [1, 2, 3, 4, 5, 6]);
        assert_eq!((model.facts[0], model.facts[1]), ([100; 6], [0; 6]));
        let words = WordWeights::of_model(&model);
        assert_eq!(words.of_word(7), Some(&[0, 1, 2, 3, 4, 5]));
        assert_eq!(words.of_word(8), None);
    }

    #[test]
    fn of_half_a_file_nothing_is_read() {
        let bytes = model();
        let model = ScorerModel::parse(&bytes[..4 * SCORERS.len() * MAIL_FACTS]);
        assert_eq!((model.constants, model.words.len()), ([0; 6], 0));
    }

    #[test]
    fn this_build_has_scorers_with_words() {
        assert!(MODEL.constants.iter().all(|constant| *constant != 0) && MODEL.words.len() > 1000);
        // None is cut in two.
        let bytes = include_bytes!("scorers.bin");
        assert_eq!(
            bytes.len(),
            4 * SCORERS.len() * (MAIL_FACTS + 1) + WORD_BYTES * MODEL.words.len()
        );
        for (place, scorer) in SCORERS.into_iter().enumerate() {
            assert_eq!(scorer as usize, place);
        }
    }
}
