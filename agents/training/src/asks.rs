//! Training the scorer of requests.
//!
//! What: [`asks_model`], the bytes of `agents/src/comms/asks.bin`, from the labelled mails, and [`cross_validate_asks`]. Why: which facts show
//! that somebody waits is better counted than guessed. Not here: the facts (`agents::comms::mail_class`), the labels' guide (`labels`).

use crate::{
    corpus::{
        INVENTED_ADDRESSES, INVENTED_NAMES, TrainingCorpus, TrainingLabel, TrainingMail, addresses, fields,
        labels,
    },
    descent::{WeightSign, fit, fixed, logit},
};
use agents::comms::{
    judging::{OwnerIdentity, ask_features_of},
    mail_class::ASK_FEATURES,
};
use std::collections::BTreeSet;

const RIDGE: f64 = 10.0;
const FOLDS: usize = 10;

/// A labelled mail: its features, whether it asks, and whether it was drawn by chance.
pub struct AskRow {
    pub features: Vec<bool>,
    pub asks: bool,
    pub label: String,
    pub addressed: bool,
    pub drawn: bool,
    pub id: String,
}

/// The labelled mails that no program wrote.
pub fn ask_rows(corpus: &TrainingCorpus) -> Vec<AskRow> {
    let labels = labels();
    let real = corpus.mails.iter().filter_map(|mail| {
        let label = labels.get(mail.id.as_str())?;
        let (names, addresses) = owner(&mail.bytes, label.addressed);
        let label = label.clone();
        row(mail, &names, &addresses, label)
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
    real.chain(invented).collect()
}

fn row(mail: &TrainingMail, names: &[String], addresses: &[String], label: TrainingLabel) -> Option<AskRow> {
    let owner = OwnerIdentity { names, addresses };
    Some(AskRow {
        features: ask_features_of(&mail.bytes, &owner)?,
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

fn numbers(features: &[bool]) -> Vec<f64> {
    features.iter().map(|is| f64::from(u8::from(*is))).collect()
}

fn train(rows: &[&AskRow]) -> Vec<f64> {
    let examples: Vec<(Vec<f64>, bool, f64)> = rows
        .iter()
        .map(|row| (numbers(&row.features), row.asks, 1.0))
        .collect();
    fit(&examples, &[WeightSign::Any; ASK_FEATURES], RIDGE)
}

/// The bytes of the scorer's weights.
pub fn asks_model(corpus: &TrainingCorpus) -> Vec<u8> {
    let rows = ask_rows(corpus);
    let weights = train(&rows.iter().collect::<Vec<_>>());
    let constant = weights.last().copied().unwrap_or(0.0);
    let all = [constant]
        .into_iter()
        .chain(weights.iter().take(ASK_FEATURES).copied());
    all.flat_map(|weight| fixed(weight).to_le_bytes()).collect()
}

/// Logits of the labelled mails by scorers that did not see them.
pub fn cross_validate_asks(rows: &[AskRow]) -> Vec<f64> {
    let mut logits = vec![0.0; rows.len()];
    for fold in 0..FOLDS {
        let others: Vec<&AskRow> = rows
            .iter()
            .enumerate()
            .filter(|(at, _)| at % FOLDS != fold)
            .map(|(_, row)| row)
            .collect();
        let weights = train(&others);
        for (at, (row, found)) in rows.iter().zip(&mut logits).enumerate() {
            if at % FOLDS == fold {
                *found = logit(&weights, &numbers(&row.features));
            }
        }
    }
    logits
}
