//! What a node can be found by.
//!
//! What: [`words`], the fields of a node that are searched, and [`matches()`], in which of them a word stood. Why: a finding says
//! why it was found, by the same fields that were searched. Not here: the index (`write`), ranking (`read`).

use super::{NodeData, NodeKey};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A field that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchField {
    /// What the owner calls it.
    Label,
    /// What it is.
    Type,
    /// Its key.
    Key,
    /// What Aura did, or chose.
    Kind,
    /// About what.
    Subject,
    /// How it ended, and why.
    Outcome,
    /// What was paid for.
    Category,
    /// How much, in which currency.
    Amount,
    /// The owner's state.
    State,
    /// The local day.
    Day,
    /// The sentence of a trace.
    Sentence,
}

impl fmt::Display for SearchField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SearchField::Label => "label",
            SearchField::Type => "type",
            SearchField::Key => "key",
            SearchField::Kind => "kind",
            SearchField::Subject => "subject",
            SearchField::Outcome => "outcome",
            SearchField::Category => "category",
            SearchField::Amount => "amount",
            SearchField::State => "state",
            SearchField::Day => "day",
            SearchField::Sentence => "sentence",
        })
    }
}

/// The fields of a node with what stands in them. Order decides nothing.
pub(super) fn words(
    key: &NodeKey,
    data: &NodeData,
    label: Option<&str>,
    sentence: Option<&str>,
) -> Vec<(SearchField, String)> {
    let mut out = vec![
        (SearchField::Type, data.node_type().as_str().to_owned()),
        (SearchField::Key, key.as_str().to_owned()),
    ];
    out.extend(label.map(|label| (SearchField::Label, label.to_owned())));
    out.extend(sentence.map(|sentence| (SearchField::Sentence, sentence.to_owned())));
    match data {
        NodeData::User {} | NodeData::App {} | NodeData::Place { .. } => {}
        NodeData::Person { merchant } => {
            out.extend(merchant.then(|| (SearchField::Kind, "merchant".to_owned())));
        }
        NodeData::Event { focus, cancelled, .. } => {
            out.extend(focus.then(|| (SearchField::Kind, "focus".to_owned())));
            out.extend(cancelled.then(|| (SearchField::Outcome, "cancelled".to_owned())));
        }
        NodeData::Transaction {
            amount,
            currency,
            category,
            ..
        } => {
            out.push((SearchField::Category, category.as_str().to_owned()));
            out.push((SearchField::Amount, format!("{amount} {currency}")));
        }
        NodeData::Conversation { day, .. } => out.push((SearchField::Day, day.to_string())),
        NodeData::HealthSnapshot { state, .. } => {
            out.extend(state.map(|state| (SearchField::State, state.as_str().to_owned())));
        }
        NodeData::Action {
            kind,
            subject,
            outcome,
            ..
        } => {
            out.push((SearchField::Kind, kind.as_str().to_owned()));
            out.push((SearchField::Subject, subject.as_str().to_owned()));
            out.push((SearchField::Outcome, outcome.as_str().to_owned()));
        }
        NodeData::Trace {
            outcome,
            reason,
            chosen,
            ..
        } => {
            out.extend(chosen.map(|kind| (SearchField::Kind, kind.as_str().to_owned())));
            out.push((SearchField::Outcome, outcome.as_str().to_owned()));
            out.extend(reason.map(|reason| (SearchField::Outcome, reason.as_str().to_owned())));
        }
    }
    out
}

/// The words of a text as the index sees them: runs of letters and digits, without case.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// In which fields each searched word stands, as the beginning of a word there.
pub(super) fn matches(fields: &[(SearchField, String)], searched: &[String]) -> Vec<(String, SearchField)> {
    let mut out = Vec::new();
    for word in searched {
        for (field, text) in fields {
            if tokens(text).any(|token| token.starts_with(word)) {
                out.push((word.clone(), *field));
            }
        }
    }
    out
}
