//! Training the spam gate.
//!
//! What: [`gate_model`], the bytes of `agents/comms/src/spam.bin`, and [`cross_validate_gate`], how good it is on senders it was not trained on.
//! Why: both steps of the gate must be taught on mails whose sender the text's model did not see. Not here: the form of the file
//! and the features (`agents::comms::spam_gate`).

use crate::{
    SEED,
    corpus::{TrainingCorpus, TrainingMail},
    descent::{WeightSign, fit, fixed, logit},
    invented::{InventedMail, age_head, relayed},
    logistic::{TrainingRow, descend, model_bytes, unit, weigh},
    scorers::CrossValidation,
};
use agents::comms::{
    classifier::ClassifierModel,
    examples::{GateExample, gate_example},
    features::FEATURES,
    spam_gate::{HEAD_KINDS, HeadKind, MAGIC, ONE, SIGN_COUNT, text_logit},
};
use std::collections::{BTreeMap, BTreeSet};

/// Mails and senders that must have a feature for it to count.
const MAILS: u32 = 5;
const SENDERS: usize = 3;
/// Parts into which senders are divided.
const FOLDS: u64 = 5;
/// How strongly the weights of signs are drawn to nought.
const RIDGE: f64 = 1.0;
/// Signs that may only speak for spam, by their place in `HeadSign`; the others may only speak against it.
const AGAINST: usize = 19;
/// The sign `Unnamed`: of what came straight from a stranger's server the corpus has nearly nothing but spam.
const UNNAMED: usize = 17;

/// What an invented mail of today counts: so many as one of the corpus, which is old.
const TODAY: f64 = 3.0;

/// Where a mail of the training is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MailForm {
    /// The corpus.
    Old,
    /// An invented mail.
    Today,
    /// An invented mail through somebody else's server.
    Relayed,
    /// An invented mail through servers of old: it is asked and teaches nothing.
    Aged,
}

impl MailForm {
    /// A mail counts once among those that have a word, however it came.
    fn is_first(self) -> bool {
        matches!(self, Self::Old | Self::Today)
    }

    fn counts(self) -> f64 {
        match self {
            Self::Old => 1.0,
            Self::Today | Self::Relayed => TODAY,
            Self::Aged => 0.0,
        }
    }
}

/// A mail with its weight: mails of one sender together count as the root of their number.
struct GateRow {
    example: GateExample,
    spam: bool,
    form: MailForm,
    id: String,
    counts: f64,
    /// Who invented it.
    writer: Option<&'static str>,
}

fn rows(corpus: &TrainingCorpus) -> Vec<GateRow> {
    let skip = |word: &str| corpus.names_list(word);
    let old = corpus
        .mails
        .iter()
        .map(|mail| (mail, None, MailForm::Old, mail.bytes.clone()));
    let taught = corpus.invented.iter().filter(|invented| invented.gate);
    let invented = taught.flat_map(|InventedMail { mail, writer, .. }| {
        [
            (mail, Some(*writer), MailForm::Today, mail.bytes.clone()),
            (mail, Some(*writer), MailForm::Relayed, relayed(&mail.bytes)),
            (mail, Some(*writer), MailForm::Aged, age_head(&mail.bytes)),
        ]
    });
    let found: Vec<(GateExample, &TrainingMail, Option<&'static str>, MailForm)> = old
        .chain(invented)
        .filter_map(|(mail, writer, form, bytes)| Some((gate_example(&bytes, &skip)?, mail, writer, form)))
        .collect();
    let mut senders: BTreeMap<String, f64> = BTreeMap::new();
    for (example, ..) in &found {
        *senders.entry(example.sender.clone()).or_default() += 1.0;
    }
    let all: f64 = found.iter().map(|(example, ..)| weight(&senders, example)).sum();
    let mean = all / found.len() as f64;
    found
        .into_iter()
        .map(|(example, mail, writer, form)| GateRow {
            counts: weight(&senders, &example) / mean * form.counts(),
            writer,
            example,
            spam: mail.spam,
            form,
            id: mail.id.clone(),
        })
        .collect()
}

fn weight(senders: &BTreeMap<String, f64>, example: &GateExample) -> f64 {
    1.0 / senders.get(&example.sender).copied().unwrap_or(1.0).sqrt()
}

/// FNV-1a, so that the parts are the same everywhere.
pub(crate) fn sender_hash(sender: &str) -> u64 {
    let hash = sender.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3)
    });
    hash >> 32
}

/// `1 + ln(n / df)` as a byte of each feature that five mails of three senders have.
fn frequencies(rows: &[&GateRow]) -> Vec<u8> {
    let mut counts = vec![0_u32; FEATURES];
    let mut senders: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); FEATURES];
    for row in rows.iter().filter(|row| row.form.is_first()) {
        for feature in &row.example.features {
            let place = usize::from(*feature);
            if let (Some(count), Some(senders)) = (counts.get_mut(place), senders.get_mut(place)) {
                *count += 1;
                if senders.len() < SENDERS {
                    senders.insert(&row.example.sender);
                }
            }
        }
    }
    for (count, senders) in counts.iter_mut().zip(&senders) {
        if senders.len() < SENDERS {
            *count = 0;
        }
    }
    let mails = rows.iter().filter(|row| row.form.is_first()).count();
    weigh(&counts, mails, MAILS)
}

/// The text's model.
fn text_model(rows: &[&GateRow]) -> Vec<u8> {
    let frequencies = frequencies(rows);
    let examples: Vec<TrainingRow> = rows
        .iter()
        .filter(|row| row.counts > 0.0)
        .map(|row| TrainingRow {
            parts: unit(&row.example.features, &frequencies),
            class: usize::from(row.spam),
            counts: row.counts,
        })
        .collect();
    let (weights, biases) = descend::<2>(&examples, SEED);
    model_bytes(MAGIC, &frequencies, &weights, biases)
}

/// The text's logit of each row by a model that did not see what is left out, in logits.
fn apart(rows: &[GateRow], by: CrossValidation) -> Vec<f64> {
    let part = |row: &GateRow| by.part(&row.example.sender, row.writer, FOLDS);
    let mut logits = match by {
        CrossValidation::BySender => vec![0.0; rows.len()],
        // Mails of the corpus are not asked; what is said of them teaches the second step.
        CrossValidation::ByWriter => apart(rows, CrossValidation::BySender),
    };
    for asked in rows.iter().filter_map(part).collect::<BTreeSet<u64>>() {
        let others: Vec<&GateRow> = rows.iter().filter(|row| part(row) != Some(asked)).collect();
        let bytes = text_model(&others);
        let model = ClassifierModel::<2>::parse(&bytes, MAGIC).unwrap_or(ClassifierModel::EMPTY);
        for (row, logit) in rows.iter().zip(&mut logits) {
            if part(row) == Some(asked) {
                *logit = text_logit(&model, &row.example.features) as f64 / ONE as f64;
            }
        }
    }
    logits
}

/// The features of the second step: the text's logit, then the signs.
fn second(row: &GateRow, text: f64, with_signs: bool) -> Vec<f64> {
    let signs =
        (0..SIGN_COUNT).map(|at| f64::from(u8::from(with_signs && row.example.signs & (1 << at) != 0)));
    [text].into_iter().chain(signs).collect()
}

fn signs() -> Vec<WeightSign> {
    let of = |at: usize| {
        if at == UNNAMED {
            WeightSign::Slight
        } else if at < AGAINST {
            WeightSign::Positive
        } else {
            WeightSign::Negative
        }
    };
    [WeightSign::Positive]
        .into_iter()
        .chain((0..SIGN_COUNT).map(of))
        .collect()
}

/// The weights of the second step for each kind of head, on rows with their text's logits.
struct SecondSteps {
    of_kind: [Vec<f64>; HEAD_KINDS.len()],
}

impl SecondSteps {
    fn train(rows: &[(&GateRow, f64)]) -> Self {
        let of_kind = HEAD_KINDS.map(|kind| {
            let examples: Vec<(Vec<f64>, bool, f64)> = rows
                .iter()
                .filter(|(row, _)| match kind {
                    // Heads of old are those of the corpus.
                    HeadKind::Old => row.form == MailForm::Old,
                    HeadKind::Modern => matches!(row.form, MailForm::Today | MailForm::Relayed),
                    HeadKind::None => row.form.is_first(),
                })
                .filter(|(row, _)| row.counts > 0.0)
                .map(|(row, text)| (second(row, *text, kind != HeadKind::None), row.spam, row.counts))
                .collect();
            fit(&examples, &signs(), RIDGE)
        });
        Self { of_kind }
    }

    fn score(&self, row: &GateRow, text: f64, kind: HeadKind) -> f64 {
        let weights = self.of_kind.get(kind as usize).map_or(&[][..], Vec::as_slice);
        logit(weights, &second(row, text, kind != HeadKind::None))
    }
}

/// The bytes of the gate's model.
pub fn gate_model(corpus: &TrainingCorpus) -> Vec<u8> {
    let rows = rows(corpus);
    let text = apart(&rows, CrossValidation::BySender);
    let pairs: Vec<(&GateRow, f64)> = rows.iter().zip(text).collect();
    let steps = SecondSteps::train(&pairs);
    let mut out = Vec::new();
    for weights in &steps.of_kind {
        let number = |at: usize| fixed(weights.get(at).copied().unwrap_or(0.0)).to_le_bytes();
        out.extend(number(0));
        out.extend(number(SIGN_COUNT + 1));
        for at in 0..SIGN_COUNT {
            out.extend(number(at + 1));
        }
    }
    out.extend(text_model(&rows.iter().collect::<Vec<_>>()));
    out
}

/// A mail as a gate sees it that did not see its sender.
#[derive(Debug, Clone, PartialEq)]
pub struct GateScore {
    /// In logits, and how far that is beyond its threshold.
    pub score: f64,
    pub beyond: f64,
    pub spam: bool,
    pub form: MailForm,
    pub id: String,
    pub sender: String,
}

/// Scores of the mails by gates that did not see what is left out; with the head or without.
pub fn cross_validate_gate(corpus: &TrainingCorpus, by: CrossValidation, head: bool) -> Vec<GateScore> {
    let rows = rows(corpus);
    let text = apart(&rows, by);
    let pairs: Vec<(&GateRow, f64)> = rows.iter().zip(text).collect();
    let part = |row: &GateRow| by.part(&row.example.sender, row.writer, FOLDS);
    let mut found = Vec::new();
    for asked in rows.iter().filter_map(part).collect::<BTreeSet<u64>>() {
        let others = pairs.iter().filter(|(row, _)| part(row) != Some(asked));
        let steps = SecondSteps::train(&others.copied().collect::<Vec<_>>());
        for (row, text) in pairs.iter().filter(|(row, _)| part(row) == Some(asked)) {
            let (kind, threshold) = if head {
                (row.example.kind, row.example.threshold)
            } else {
                (HeadKind::None, row.example.threshold_alone)
            };
            let score = steps.score(row, *text, kind);
            found.push(GateScore {
                score,
                beyond: score - threshold as f64 / ONE as f64,
                spam: row.spam,
                form: row.form,
                id: row.id.clone(),
                sender: row.example.sender.clone(),
            });
        }
    }
    found
}
