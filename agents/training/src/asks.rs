//! Training the scorer of requests.
//!
//! What: [`asks_model`], the bytes of `agents/src/comms/asks.bin`, from the labelled mails, and [`cross_validate_asks`]. Why: which facts show
//! that somebody waits is better counted than guessed. Not here: the facts (`agents::comms::mail_class`), the labels' guide (`labels`).

use crate::{
    corpus::{
        INVENTED_ADDRESSES, INVENTED_NAMES, TrainingCorpus, TrainingLabel, TrainingMail, addresses,
        exchanges, fields, labels,
    },
    descent::{fit_columns, fixed},
    gate::sender_hash,
};
use agents::comms::{
    examples::{AskExample, ask_example},
    judging::OwnerIdentity,
    mail_class::{ASK_FEATURES, WORD_UNIT},
    spam_gate::ONE,
};
use std::collections::{BTreeMap, BTreeSet};

const RIDGE: f64 = 5.0;
/// What a word is where a fact is one: the root of a half, so that words are drawn to nought twice as strongly.
const WORD: f64 = std::f64::consts::FRAC_1_SQRT_2;
const FOLDS: u64 = 10;
/// Mails, senders and lists that must have a word for it to count. Each invented mail is a list of its own: they share no subject.
const MAILS: usize = 5;
const SENDERS: usize = 3;
const LISTS: usize = 4;
/// What an invented mail counts, so that those of one person to another do not decide what is asked on lists.
const INVENTED_COUNTS: f64 = 0.5;
/// What one of the invented short mails counts.
const EXCHANGE_COUNTS: f64 = 0.5;
/// What a word must weigh at least, in logits, to be kept.
const LEAST: f64 = 0.02;

/// A labelled mail: its features, whether it asks, and whether it was drawn by chance.
pub struct AskRow {
    example: AskExample,
    list: String,
    counts: f64,
    pub asks: bool,
    pub label: String,
    pub addressed: bool,
    pub drawn: bool,
    /// Invented: no mail of the corpus.
    pub invented: bool,
    pub id: String,
}

/// The labelled mails that no program wrote.
pub fn ask_rows(corpus: &TrainingCorpus) -> Vec<AskRow> {
    let labels = labels();
    let real = corpus.mails.iter().filter_map(|mail| {
        let label = labels.get(mail.id.as_str())?;
        let (names, addresses) = owner(&mail.bytes, label.addressed);
        let label = label.clone();
        row(mail, &names, &addresses, label).map(|row| AskRow {
            list: list_of(mail),
            counts: 1.0,
            invented: false,
            ..row
        })
    });
    let names = INVENTED_NAMES.map(str::to_owned);
    let addresses = INVENTED_ADDRESSES.map(str::to_owned);
    let invented = corpus
        .invented
        .iter()
        .filter(|invented| !invented.mail.spam)
        .filter_map(|invented| {
            let label = TrainingLabel {
                addressed: true,
                label: invented.label.clone(),
                drawn: false,
            };
            row(&invented.mail, &names, &addresses, label)
        });
    let short = exchanges().into_iter().filter_map(|(mail, label)| {
        let label = TrainingLabel {
            addressed: true,
            label: label.to_owned(),
            drawn: false,
        };
        row(&mail, &names, &addresses, label).map(|row| AskRow {
            counts: EXCHANGE_COUNTS,
            ..row
        })
    });
    real.chain(invented).chain(short).collect()
}

fn row(mail: &TrainingMail, names: &[String], addresses: &[String], label: TrainingLabel) -> Option<AskRow> {
    let owner = OwnerIdentity { names, addresses };
    Some(AskRow {
        example: ask_example(&mail.bytes, &owner)?,
        list: mail.id.clone(),
        counts: INVENTED_COUNTS,
        invented: true,
        asks: matches!(label.label.as_str(), "needs_you" | "group" | "date" | "bill"),
        addressed: label.addressed,
        drawn: label.drawn,
        label: label.label,
        id: mail.id.clone(),
    })
}

/// Names and addresses of a mail's owner: its addressee, or whoever collected the corpus.
pub fn owner(bytes: &[u8], addressed: bool) -> (Vec<String>, Vec<String>) {
    let fields = fields(bytes);
    let values = |of: &'static [&'static str]| {
        fields
            .iter()
            .filter(move |(name, _)| of.contains(&name.as_str()))
            .map(|(_, value)| value.as_str())
    };
    let mut owned: BTreeSet<String> = BTreeSet::new();
    if addressed {
        owned.extend(values(&["to"]).flat_map(addresses).next());
    } else {
        owned.extend(values(&["delivered-to"]).flat_map(addresses).next());
        let collector = |address: &String| {
            let local = address.split(['@', '-', '+']).next().unwrap_or_default();
            matches!(local, "jm" | "yyyy" | "zzzz")
        };
        owned.extend(
            fields
                .iter()
                .flat_map(|(_, value)| addresses(value))
                .filter(collector),
        );
    }
    let mut names = BTreeSet::new();
    for value in values(&["to", "cc"]) {
        for one in value.split(',') {
            if addresses(one).any(|address| owned.contains(&address)) {
                let name = one
                    .split('<')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .trim_matches(['"', '\''])
                    .to_lowercase();
                if !name.contains('@') && !name.is_empty() {
                    names.extend(name.split(' ').next().map(str::to_owned));
                    names.insert(name);
                }
            }
        }
    }
    (names.into_iter().collect(), owned.into_iter().collect())
}

/// The list that a mail came through, by the first of its fields that names one.
fn list_of(mail: &TrainingMail) -> String {
    let fields = fields(&mail.bytes);
    let named = ["list-id", "x-beenthere", "mailing-list", "list-post", "x-loop"];
    let value = fields.iter().find(|(name, _)| named.contains(&name.as_str()));
    // An id is written with and without a name before it.
    let value = value.map_or("", |(_, value)| value.as_str());
    value
        .rsplit_once('<')
        .map_or(value, |(_, id)| id)
        .trim_end_matches('>')
        .to_lowercase()
}

/// Weights of the facts and of the words that count, and the constant.
struct AskWeights {
    facts: Vec<f64>,
    words: BTreeMap<u16, f64>,
    constant: f64,
}

impl AskWeights {
    fn train(rows: &[&AskRow], with_words: bool) -> Self {
        let words = if with_words {
            words_that_count(rows)
        } else {
            Vec::new()
        };
        let places: BTreeMap<u16, usize> = words.iter().copied().zip(ASK_FEATURES..).collect();
        let mut columns = vec![Vec::new(); ASK_FEATURES + words.len()];
        for (at, row) in rows.iter().enumerate() {
            let facts = row
                .example
                .facts
                .iter()
                .enumerate()
                .filter(|(_, is)| **is)
                .map(|(fact, _)| (fact, 1.0));
            let held = row
                .example
                .words
                .iter()
                .filter_map(|word| Some((*places.get(word)?, WORD)));
            for (place, x) in facts.chain(held) {
                if let Some(column) = columns.get_mut(place) {
                    column.push((at, x));
                }
            }
        }
        let told: Vec<(bool, f64)> = rows.iter().map(|row| (row.asks, row.counts)).collect();
        let weights = fit_columns(&columns, &told, &[], RIDGE);
        let weight = |at: usize| weights.get(at).copied().unwrap_or(0.0);
        Self {
            facts: (0..ASK_FEATURES).map(weight).collect(),
            words: places
                .into_iter()
                .map(|(word, place)| (word, WORD * weight(place)))
                .filter(|(_, weight)| weight.abs() >= LEAST)
                .collect(),
            constant: weight(columns.len()),
        }
    }

    fn logit(&self, example: &AskExample) -> f64 {
        let facts = example.facts.iter().zip(&self.facts).filter(|(is, _)| **is);
        let words = example.words.iter().filter_map(|word| self.words.get(word));
        self.constant + facts.map(|(_, weight)| weight).sum::<f64>() + words.sum::<f64>()
    }
}

/// The words that enough mails, senders and lists have, in their order.
fn words_that_count(rows: &[&AskRow]) -> Vec<u16> {
    let mut counted: BTreeMap<u16, (usize, BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for row in rows {
        for word in &row.example.words {
            let (mails, senders, lists) = counted.entry(*word).or_default();
            *mails += 1;
            senders.insert(&row.example.sender);
            lists.insert(&row.list);
        }
    }
    let counts = |(mails, senders, lists): &(usize, BTreeSet<&str>, BTreeSet<&str>)| {
        *mails >= MAILS && senders.len() >= SENDERS && lists.len() >= LISTS
    };
    counted
        .into_iter()
        .filter(|(_, of)| counts(of))
        .map(|(word, _)| word)
        .collect()
}

/// The bytes of the scorer's weights.
pub fn asks_model(corpus: &TrainingCorpus) -> Vec<u8> {
    let rows = ask_rows(corpus);
    let weights = AskWeights::train(&rows.iter().collect::<Vec<_>>(), true);
    let facts = [weights.constant].into_iter().chain(weights.facts);
    let mut out: Vec<u8> = facts.flat_map(|weight| fixed(weight).to_le_bytes()).collect();
    for (word, weight) in &weights.words {
        out.extend(word.to_le_bytes());
        out.extend(in_units(*weight).to_le_bytes());
    }
    out
}

/// A word's weight as it stands in the file.
#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of the type")]
fn in_units(weight: f64) -> i16 {
    let unit = WORD_UNIT as f64 / ONE as f64;
    (weight / unit)
        .round()
        .clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
}

/// Logits of the labelled mails by scorers that did not see their senders; `with_words`: not the facts alone.
pub fn cross_validate_asks(rows: &[AskRow], with_words: bool) -> Vec<f64> {
    let mut logits = vec![0.0; rows.len()];
    let fold_of = |row: &AskRow| sender_hash(&row.example.sender) % FOLDS;
    for fold in 0..FOLDS {
        let others: Vec<&AskRow> = rows.iter().filter(|row| fold_of(row) != fold).collect();
        let weights = AskWeights::train(&others, with_words);
        for (row, logit) in rows.iter().zip(&mut logits) {
            if fold_of(row) == fold {
                *logit = weights.logit(&row.example);
            }
        }
    }
    logits
}
