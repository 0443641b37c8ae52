//! What a mail wants: facts, and a linear scorer over them and its words.
//!
//! What: [`AsksModel`], the scorer's committed weights, its facts, and the plain rules of codes, bills and dates. Why: whether somebody
//! waits shows in a few dozen facts and some words of everybody's. Not here: the counting (`mail_text`), spam (`spam_gate`), which class
//! follows (`judging`), the cues (`mail_cues`).

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
}

/// Features of the scorer, by place.
pub const ASK_FEATURES: usize = 120;

/// What the scorer sees: each nought or one.
pub(crate) fn ask_features(scan: &MailScan, is: MailStanding) -> [bool; ASK_FEATURES] {
    use MailCue as Cue;
    use QuestionSign as Sign;
    let density =
        |cue: Cue, percent: usize| 100 * scan.count(cue) >= percent * scan.words.max(1) && scan.has(cue);
    let please = scan.count(Cue::Please) > scan.count(Cue::Courtesy);
    let asks = scan.questions > 0;
    let personal = is.in_to && !is.automatic;
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
    ]
}

/// The committed weights of the scorer, `agents/src/comms/asks.bin`. Written by `agents-training`, never by hand.
pub static ASKS: AsksModel<'static> = AsksModel::parse(include_bytes!("asks.bin"));

/// What words weigh, by their number: `ASKS.words` spread out, because a mail has hundreds of words.
static WORD_WEIGHTS: LazyLock<Vec<i16>> = LazyLock::new(|| {
    let mut weights = vec![0; FEATURES];
    for [low, high, weight @ ..] in ASKS.words {
        if let Some(slot) = weights.get_mut(usize::from(u16::from_le_bytes([*low, *high]))) {
            *slot = i16::from_le_bytes(*weight);
        }
    }
    weights
});

/// Weights of the scorer, as they lie in their file: a constant, then one a fact (`i32`, little endian, 65536ths of a logit), then words,
/// each a number (`u16`) and a weight (`i16`, 4096ths).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsksModel<'a> {
    constant: i32,
    weights: [i32; ASK_FEATURES],
    words: &'a [[u8; 4]],
}

/// 65536ths of a logit in one of a word's weight.
pub const WORD_UNIT: i64 = 16;

impl<'a> AsksModel<'a> {
    /// Reads weights; what is missing is nought.
    pub const fn parse(bytes: &'a [u8]) -> Self {
        let (numbers, _) = bytes.as_chunks::<4>();
        let mut model = Self {
            constant: 0,
            weights: [0; ASK_FEATURES],
            words: &[],
        };
        if let Some((facts, words)) = numbers.split_at_checked(ASK_FEATURES + 1) {
            model.constant = i32::from_le_bytes(facts[0]);
            let mut at = 0;
            while at < ASK_FEATURES {
                model.weights[at] = i32::from_le_bytes(facts[at + 1]);
                at += 1;
            }
            model.words = words;
        }
        model
    }
}

/// How surely somebody asks for something by the model of this build, in 65536ths of a logit.
pub(crate) fn asks_score(scan: &MailScan, is: MailStanding) -> i64 {
    let facts = ask_features(scan, is);
    let held = facts.iter().zip(ASKS.weights).filter(|(is, _)| **is);
    let words = scan
        .lexicon
        .iter()
        .map(|word| WORD_WEIGHTS.get(usize::from(*word)).copied().map_or(0, i64::from));
    i64::from(ASKS.constant)
        + held.map(|(_, weight)| i64::from(weight)).sum::<i64>()
        + WORD_UNIT * words.sum::<i64>()
}

/// A security code, or something to confirm that the owner has just asked for.
pub(crate) fn is_code_mail(scan: &MailScan, is: MailStanding, linked: bool) -> bool {
    let code = scan.has(MailCue::CodeWord) && scan.digits;
    let confirm =
        scan.has(MailCue::ConfirmIt) && !scan.has(MailCue::Pitch) && !is.reply && (is.automatic || linked);
    (code && !is.reply || confirm) && !is.list && scan.words < 260
}

/// Money by a date, or a date that costs something when it is missed.
pub(crate) fn is_bill(scan: &MailScan, is: MailStanding) -> bool {
    let dated = scan.has(MailCue::Day) || scan.has(MailCue::Deadline) || scan.clock || scan.digits;
    let owed = scan.has(MailCue::Bill) && scan.has(MailCue::Due) && dated;
    let certain = scan.amount || scan.count(MailCue::Due) >= 2;
    owed && certain && !scan.has(MailCue::Settled) && !is.list && !is.forwards && scan.words < 450
}

/// A time that the owner is to agree on.
pub(crate) fn is_date(scan: &MailScan, is: MailStanding) -> bool {
    let when = scan.has(MailCue::Day) || scan.clock;
    let proposed = scan.has(MailCue::Suits) && (scan.has(MailCue::Meeting) || scan.questions > 0);
    // "Thanks, it fits, see you on Monday" proposes nothing.
    when && proposed && !scan.thanks_only() && !is.list && is.addressees <= 5 && scan.words < 300
}
