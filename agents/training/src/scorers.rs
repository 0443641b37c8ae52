//! Training the scorers of what a mail wants.
//!
//! What: [`scorer_model`], the bytes of `agents/comms/src/scorers.bin`, from the labelled mails, and [`cross_validate_scorers`]. Why: which facts and words show
//! that somebody waits, that a payment is due or that a time is to be agreed on is better counted than guessed. Not here: the facts
//! (`agents::comms::mail_class`), the labels' guide (`labels`).

use crate::{
    corpus::{TrainingCorpus, TrainingMail, addresses, fields, labels},
    descent::{fit_columns, fixed},
    gate::sender_hash,
    invented::{INVENTED_ADDRESSES, INVENTED_NAMES},
};
use agents::comms::{
    examples::{ScorerExample, scorer_example},
    judging::{MessageClass, OwnerIdentity},
    mail_class::{MAIL_FACTS, MailScorer, MailScores, SCORERS, WORD_UNIT},
    spam_gate::ONE,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a word is where a fact is one: the root of a half, so that words are drawn to nought twice as strongly.
const WORD: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Parts of a cross-validation by sender.
const FOLDS: u64 = 10;
/// Mails, senders and lists that must have a word for it to count. Each invented mail is a list of its own: they share no subject.
const MAILS: usize = 5;
const SENDERS: usize = 3;
const LISTS: usize = 4;
/// What a word must weigh at least, in logits, to be kept.
const LEAST: f64 = 0.02;
/// How strongly weights are drawn to nought.
const RIDGE: f64 = 5.0;
/// What an invented mail counts where people ask, so that those of one person to another do not decide what is asked on lists: one of `today-1.txt`
/// to `today-4.txt`, and one of the others.
const TODAY_COUNTS: f64 = 1.0;
const OTHERS_COUNT: f64 = 0.5;
/// Whose mails count as [`TODAY_COUNTS`].
const COUNT_WHOLE: [&str; 4] = ["today-1", "today-2", "today-3", "today-4"];
/// What spam counts: it is asked only where the gate let it pass.
const SPAM_COUNTS: f64 = 0.5;

/// The classes that want something of the owner, …
pub(crate) const WANTS_OWNER: &[MessageClass] =
    &[MessageClass::NeedsYou, MessageClass::Date, MessageClass::Bill];
/// … and those that want an answer of anybody.
pub(crate) const WANTS_ANSWER: &[MessageClass] = &[
    MessageClass::NeedsYou,
    MessageClass::Date,
    MessageClass::Bill,
    MessageClass::Group,
];

/// A labelled mail as the scorers see it.
pub struct ScorerRow {
    example: ScorerExample,
    list: String,
    /// What it counts.
    counts: f64,
    pub label: MessageClass,
    pub addressed: bool,
    pub drawn: bool,
    /// Who invented it; `None`: it is of the corpus.
    pub writer: Option<&'static str>,
    pub id: String,
}

impl ScorerRow {
    /// Whether somebody asks for something.
    pub fn asks(&self) -> bool {
        WANTS_ANSWER.contains(&self.label)
    }

    /// What a scorer should say of it; `None`: it is never asked.
    pub fn answer(&self, scorer: MailScorer) -> Option<bool> {
        let person = !self.example.automatic && self.label != MessageClass::Spam;
        match scorer {
            MailScorer::Asks => person.then(|| self.asks()),
            MailScorer::Bill => Some(self.label == MessageClass::Bill),
            MailScorer::Date => Some(self.label == MessageClass::Date),
            MailScorer::Code => Some(self.label == MessageClass::Code),
            MailScorer::News => person.then(|| self.label == MessageClass::News),
            MailScorer::Group => (person && self.asks()).then(|| self.label == MessageClass::Group),
        }
    }

    /// What it counts for a scorer.
    fn counts(&self, scorer: MailScorer) -> f64 {
        let spam = if self.label == MessageClass::Spam {
            SPAM_COUNTS
        } else {
            1.0
        };
        match scorer {
            // In the corpus nobody asks for these.
            MailScorer::Bill | MailScorer::Date | MailScorer::Code => spam,
            MailScorer::Asks | MailScorer::News | MailScorer::Group => spam * self.counts,
        }
    }
}

/// The labelled mails.
pub fn scorer_rows(corpus: &TrainingCorpus) -> Vec<ScorerRow> {
    let labels = labels();
    let real = corpus.mails.iter().filter_map(|mail| {
        let label = labels.get(mail.id.as_str())?;
        let (names, addresses) = owner(&mail.bytes, label.addressed);
        Some(ScorerRow {
            list: list_of(mail),
            counts: 1.0,
            label: label.label,
            addressed: label.addressed,
            drawn: label.drawn,
            writer: None,
            ..row(mail, &names, &addresses)?
        })
    });
    let names = INVENTED_NAMES.map(str::to_owned);
    let addresses = INVENTED_ADDRESSES.map(str::to_owned);
    let taught = corpus.invented.iter().filter(|it| it.scorers);
    let invented = taught.filter_map(|it| {
        Some(ScorerRow {
            counts: if COUNT_WHOLE.contains(&it.writer) {
                TODAY_COUNTS
            } else {
                OTHERS_COUNT
            },
            label: it.label,
            writer: Some(it.writer),
            ..row(&it.mail, &names, &addresses)?
        })
    });
    real.chain(invented).collect()
}

fn row(mail: &TrainingMail, names: &[String], addresses: &[String]) -> Option<ScorerRow> {
    let owner = OwnerIdentity { names, addresses };
    Some(ScorerRow {
        example: scorer_example(&mail.bytes, &owner)?,
        list: mail.id.clone(),
        counts: 1.0,
        label: MessageClass::Talk,
        addressed: true,
        drawn: false,
        writer: None,
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

/// Weights of the facts and of the words that count, and the constant, of one scorer.
struct ScorerWeights {
    facts: Vec<f64>,
    words: BTreeMap<u16, f64>,
    constant: f64,
}

impl ScorerWeights {
    fn train(rows: &[&ScorerRow], scorer: MailScorer, words: &[u16]) -> Self {
        let rows: Vec<(&ScorerRow, bool)> = rows
            .iter()
            .filter_map(|row| Some((*row, row.answer(scorer)?)))
            .collect();
        let places: BTreeMap<u16, usize> = words.iter().copied().zip(MAIL_FACTS..).collect();
        let mut columns = vec![Vec::new(); MAIL_FACTS + words.len()];
        for (at, (row, _)) in rows.iter().enumerate() {
            let facts = row.example.facts.iter().enumerate();
            let facts = facts.filter(|(_, is)| **is).map(|(fact, _)| (fact, 1.0));
            let held = row.example.words.iter();
            let held = held.filter_map(|word| Some((*places.get(word)?, WORD)));
            for (place, x) in facts.chain(held) {
                if let Some(column) = columns.get_mut(place) {
                    column.push((at, x));
                }
            }
        }
        let told: Vec<(bool, f64)> = rows
            .iter()
            .map(|(row, answer)| (*answer, row.counts(scorer)))
            .collect();
        let weights = fit_columns(&columns, &told, &[], RIDGE);
        let weight = |at: usize| weights.get(at).copied().unwrap_or(0.0);
        Self {
            facts: (0..MAIL_FACTS).map(weight).collect(),
            words: places
                .into_iter()
                .map(|(word, place)| (word, WORD * weight(place)))
                .collect(),
            constant: weight(columns.len()),
        }
    }

    fn logit(&self, example: &ScorerExample) -> f64 {
        let facts = example.facts.iter().zip(&self.facts).filter(|(is, _)| **is);
        let words = example.words.iter().filter_map(|word| self.words.get(word));
        self.constant + facts.map(|(_, weight)| weight).sum::<f64>() + words.sum::<f64>()
    }
}

/// Those of all scorers, in their order.
fn train(rows: &[&ScorerRow]) -> [ScorerWeights; SCORERS.len()] {
    let words = words_that_count(rows);
    SCORERS.map(|scorer| ScorerWeights::train(rows, scorer, &words))
}

/// The words that enough mails, senders and lists have, in their order.
fn words_that_count(rows: &[&ScorerRow]) -> Vec<u16> {
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

/// The bytes of the scorers' weights.
pub fn scorer_model(corpus: &TrainingCorpus) -> Vec<u8> {
    let rows = scorer_rows(corpus);
    let rows: Vec<&ScorerRow> = rows.iter().collect();
    let trained = train(&rows);
    let mut out: Vec<u8> = Vec::new();
    for weights in &trained {
        out.extend(fixed(weights.constant).to_le_bytes());
    }
    for fact in 0..MAIL_FACTS {
        for weights in &trained {
            out.extend(fixed(weights.facts.get(fact).copied().unwrap_or(0.0)).to_le_bytes());
        }
    }
    for word in words_that_count(&rows) {
        let of = trained
            .each_ref()
            .map(|weights| weights.words.get(&word).copied().unwrap_or(0.0));
        if of.iter().any(|weight| weight.abs() >= LEAST) {
            out.extend(word.to_le_bytes());
            out.extend(of.into_iter().flat_map(|weight| in_units(weight).to_le_bytes()));
        }
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

/// What no scorer saw that says something of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrossValidation {
    /// Any mail of its sender.
    BySender,
    /// Any mail of the writer who invented it; mails of the corpus are not asked.
    ByWriter,
}

impl CrossValidation {
    /// The part of a mail; `None`: it only teaches.
    pub(crate) fn part(self, sender: &str, writer: Option<&'static str>, parts: u64) -> Option<u64> {
        match self {
            Self::BySender => Some(sender_hash(sender) % parts),
            Self::ByWriter => writer.map(sender_hash),
        }
    }
}

/// What scorers that did not see them say of the mails; of those that only teach, nothing.
pub fn cross_validate_scorers(rows: &[ScorerRow], by: CrossValidation) -> Vec<Option<MailScores>> {
    let part = |row: &ScorerRow| by.part(&row.example.sender, row.writer, FOLDS);
    let parts: BTreeSet<u64> = rows.iter().filter_map(part).collect();
    let mut found = vec![None; rows.len()];
    for asked in parts {
        let others: Vec<&ScorerRow> = rows.iter().filter(|row| part(row) != Some(asked)).collect();
        let trained = train(&others);
        for (row, scores) in rows.iter().zip(&mut found) {
            if part(row) == Some(asked) {
                let of = trained
                    .each_ref()
                    .map(|weights| i64::from(fixed(weights.logit(&row.example))));
                *scores = Some(MailScores(of));
            }
        }
    }
    found
}
