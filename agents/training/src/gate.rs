//! Training the spam gate.
//!
//! What: [`gate_model`], the bytes of `agents/src/comms/spam.bin`, and [`cross_validate_gate`], how good it is on senders it was not trained on.
//! Why: both steps of the gate must be taught on mails whose sender the text's model did not see. Not here: the form of the file
//! and the features (`agents::comms::spam_gate`).

use crate::{
    SEED,
    corpus::{InventedMail, TrainingCorpus, TrainingMail, relayed},
    descent::{WeightSign, fit, fixed, logit},
    logistic::{TrainingRow, descend, model_bytes, unit, weigh},
};
use agents::comms::{
    classifier::ClassifierModel,
    examples::{GateExample, gate_example},
    features::FEATURES,
    spam_gate::{MAGIC, ONE, SIGN_COUNT, text_logit},
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
const AGAINST: usize = 17;

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
}

impl MailForm {
    fn counts(self) -> f64 {
        match self {
            Self::Old => 1.0,
            Self::Today | Self::Relayed => TODAY,
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
    fold: u64,
}

fn rows(corpus: &TrainingCorpus) -> Vec<GateRow> {
    let skip = |word: &str| corpus.names_list(word);
    let old = corpus
        .mails
        .iter()
        .map(|mail| (mail, MailForm::Old, mail.bytes.clone()));
    let taught = corpus.invented.iter().filter(|invented| invented.gate);
    let invented = taught.flat_map(|InventedMail { mail, .. }| {
        [
            (mail, MailForm::Today, mail.bytes.clone()),
            (mail, MailForm::Relayed, relayed(&mail.bytes)),
        ]
    });
    let found: Vec<(GateExample, &TrainingMail, MailForm)> = old
        .chain(invented)
        .filter_map(|(mail, form, bytes)| Some((gate_example(&bytes, &skip)?, mail, form)))
        .collect();
    let mut senders: BTreeMap<String, f64> = BTreeMap::new();
    for (example, ..) in &found {
        *senders.entry(example.sender.clone()).or_default() += 1.0;
    }
    let all: f64 = found.iter().map(|(example, ..)| weight(&senders, example)).sum();
    let mean = all / found.len() as f64;
    found
        .into_iter()
        .map(|(example, mail, form)| GateRow {
            counts: weight(&senders, &example) / mean * form.counts(),
            fold: fold_of(&example.sender),
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

fn fold_of(sender: &str) -> u64 {
    sender_hash(sender) % FOLDS
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
    // A mail counts once, however it came.
    for row in rows.iter().filter(|row| row.form != MailForm::Relayed) {
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
    let mails = rows.iter().filter(|row| row.form != MailForm::Relayed).count();
    weigh(&counts, mails, MAILS)
}

/// The text's model.
fn text_model(rows: &[&GateRow]) -> Vec<u8> {
    let frequencies = frequencies(rows);
    let examples: Vec<TrainingRow> = rows
        .iter()
        .map(|row| TrainingRow {
            parts: unit(&row.example.features, &frequencies),
            class: usize::from(row.spam),
            counts: row.counts,
        })
        .collect();
    let (weights, biases) = descend::<2>(&examples, SEED);
    model_bytes(MAGIC, &frequencies, &weights, biases)
}

/// The text's logit of each row by a model that did not see its sender, in logits.
fn apart(rows: &[GateRow]) -> Vec<f64> {
    let mut logits = vec![0.0; rows.len()];
    for fold in 0..FOLDS {
        let others: Vec<&GateRow> = rows.iter().filter(|row| row.fold != fold).collect();
        let bytes = text_model(&others);
        let model = ClassifierModel::<2>::parse(&bytes, MAGIC).unwrap_or(ClassifierModel::EMPTY);
        for (row, logit) in rows.iter().zip(&mut logits) {
            if row.fold == fold {
                *logit = text_logit(&model, &row.example.features) as f64 / ONE as f64;
            }
        }
    }
    logits
}

/// The features of the second step: the text's logit, then the signs.
fn second(row: &GateRow, text: f64, head: bool) -> Vec<f64> {
    let signs = (0..SIGN_COUNT).map(|at| f64::from(u8::from(head && row.example.signs & (1 << at) != 0)));
    [text].into_iter().chain(signs).collect()
}

fn signs() -> Vec<WeightSign> {
    let of = |at: usize| {
        if at < AGAINST {
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

/// The weights of the second step on rows, with the head or without. Heads are those of the corpus: spam of today has a sound one, and what is made of
/// mail of today is a margin (`judging`).
fn second_step(rows: &[(&GateRow, f64)], head: bool) -> Vec<f64> {
    let examples: Vec<(Vec<f64>, bool, f64)> = rows
        .iter()
        .filter(|(row, _)| !head || row.form == MailForm::Old)
        .map(|(row, text)| (second(row, *text, head), row.spam, row.counts))
        .collect();
    fit(&examples, &signs(), RIDGE)
}

/// The bytes of the gate's model.
pub fn gate_model(corpus: &TrainingCorpus) -> Vec<u8> {
    let rows = rows(corpus);
    let text = apart(&rows);
    let pairs: Vec<(&GateRow, f64)> = rows.iter().zip(text).collect();
    let whole = second_step(&pairs, true);
    let alone = second_step(&pairs, false);
    let number = |weights: &[f64], at: usize| fixed(weights.get(at).copied().unwrap_or(0.0));
    let mut out = Vec::new();
    for weights in [&whole, &alone] {
        out.extend(number(weights, 0).to_le_bytes());
        out.extend(number(weights, SIGN_COUNT + 1).to_le_bytes());
    }
    for at in 0..SIGN_COUNT {
        out.extend(number(&whole, at + 1).to_le_bytes());
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

/// Scores of the mails by gates that did not see their senders.
pub fn cross_validate_gate(corpus: &TrainingCorpus, head: bool) -> Vec<GateScore> {
    let rows = rows(corpus);
    let text = apart(&rows);
    let pairs: Vec<(&GateRow, f64)> = rows.iter().zip(text).collect();
    let mut found = Vec::new();
    for fold in 0..FOLDS {
        let others: Vec<(&GateRow, f64)> = pairs
            .iter()
            .filter(|(row, _)| row.fold != fold)
            .copied()
            .collect();
        let weights = second_step(&others, head);
        for (row, text) in pairs.iter().filter(|(row, _)| row.fold == fold) {
            let threshold = if head {
                row.example.threshold
            } else {
                row.example.threshold_alone
            };
            let score = logit(&weights, &second(row, *text, head));
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
