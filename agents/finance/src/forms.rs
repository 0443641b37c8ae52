//! Forms of messages that the owner taught, and whose word they decided about.
//!
//! What: [`LearnedForms`] and [`SenderDecisions`], both under the keyed hash of a sender, and their rows in the state. Why: an answer on the page
//! Money holds after a restart, and is the owner's to take back. Not here: what a form is (`messages::forms`), the calls (`questions`).

use super::messages::forms::TaughtForm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{Timestamp, forget::ErasureScope, signal::Direction};

/// Forms, and of one sender: beyond these the oldest go.
const FORMS_MAX: usize = 32;
const FORMS_OF_SENDER_MAX: usize = 8;
/// Decisions: beyond these the oldest go.
const DECISIONS_MAX: usize = 64;

/// A form as it is kept: (keyed hash of the sender, milliseconds, ways of its payments, whether it was cut, parts).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FormRow(String, i64, Vec<Direction>, bool, String);

impl FormRow {
    /// Whether it is to be forgotten.
    pub(super) fn is_forgotten_by(&self, what: &ErasureScope) -> bool {
        is_forgotten(&self.0, self.1, what)
    }
}

/// A decision as it is kept: (keyed hash of the sender, whether it counts, milliseconds).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SenderDecisionRow(String, bool, i64);

impl SenderDecisionRow {
    /// Whether it is to be forgotten.
    pub(super) fn is_forgotten_by(&self, what: &ErasureScope) -> bool {
        is_forgotten(&self.0, self.2, what)
    }
}

fn is_forgotten(sender: &str, ms: i64, what: &ErasureScope) -> bool {
    what.covers_time(Timestamp::from_ms(ms)) || what.covers_thing(&format!("ch_{sender}"))
}

struct LearnedForm {
    sender: String,
    at: Timestamp,
    form: TaughtForm,
}

/// The forms, the oldest first.
#[derive(Default)]
pub(super) struct LearnedForms(Vec<LearnedForm>);

impl LearnedForms {
    /// Learns a form of a sender's messages.
    pub(super) fn teach(&mut self, sender: &str, at: Timestamp, form: TaughtForm) {
        self.0
            .retain(|known| known.sender != sender || !known.form.is_like(&form));
        self.0.push(LearnedForm {
            sender: sender.to_owned(),
            at,
            form,
        });
        if self.of(sender).count() > FORMS_OF_SENDER_MAX {
            self.drop_oldest(Some(sender));
        }
        if self.0.len() > FORMS_MAX {
            self.drop_oldest(None);
        }
    }

    fn drop_oldest(&mut self, sender: Option<&str>) {
        let is_of = |known: &LearnedForm| sender.is_none_or(|sender| known.sender == sender);
        if let Some(oldest) = self.0.iter().position(is_of) {
            self.0.remove(oldest);
        }
    }

    /// The forms of a sender's messages.
    pub(super) fn of(&self, sender: &str) -> impl Iterator<Item = &TaughtForm> {
        let of_sender = self.0.iter().filter(move |known| known.sender == sender);
        of_sender.map(|known| &known.form)
    }

    /// The senders of whose messages forms are known, with how many.
    pub(super) fn senders(&self) -> BTreeMap<&str, u32> {
        let mut out = BTreeMap::new();
        for known in &self.0 {
            *out.entry(known.sender.as_str()).or_default() += 1;
        }
        out
    }

    /// Unlearns a sender's forms; whether there were any.
    pub(super) fn unlearn(&mut self, sender: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|known| known.sender != sender);
        before != self.0.len()
    }

    pub(super) fn rows(&self) -> Vec<FormRow> {
        let row = |known: &LearnedForm| {
            let (directions, is_cut, parts) = known.form.row();
            FormRow(known.sender.clone(), known.at.ms(), directions, is_cut, parts)
        };
        self.0.iter().map(row).collect()
    }

    /// What was kept; rows that are no forms are left out.
    pub(super) fn restore(rows: Vec<FormRow>) -> Self {
        let mut forms = Self::default();
        for FormRow(sender, ms, directions, is_cut, parts) in rows {
            if let Some(form) = TaughtForm::from_row((directions, is_cut, &parts)) {
                forms.teach(&sender, Timestamp::from_ms(ms), form);
            }
        }
        forms
    }
}

/// What the owner said of senders: whether what they tell counts, and when they said so.
#[derive(Debug, Default)]
pub(super) struct SenderDecisions(BTreeMap<String, (bool, Timestamp)>);

impl SenderDecisions {
    /// Takes a decision down, or back.
    pub(super) fn decide(&mut self, sender: &str, counts: Option<bool>, at: Timestamp) {
        match counts {
            Some(counts) => {
                self.0.insert(sender.to_owned(), (counts, at));
            }
            None => {
                self.0.remove(sender);
            }
        }
        while self.0.len() > DECISIONS_MAX {
            let oldest = self.0.iter().min_by_key(|(_, (_, at))| *at);
            let Some(oldest) = oldest.map(|(sender, _)| sender.clone()) else {
                break;
            };
            self.0.remove(&oldest);
        }
    }

    /// Whether the owner said that it counts; `None`: they said nothing.
    pub(super) fn of(&self, sender: &str) -> Option<bool> {
        self.0.get(sender).map(|(counts, _)| *counts)
    }

    /// Everybody who was decided about.
    pub(super) fn senders(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0
            .iter()
            .map(|(sender, (counts, _))| (sender.as_str(), *counts))
    }

    pub(super) fn rows(&self) -> Vec<SenderDecisionRow> {
        let row = |(sender, (counts, at)): (&String, &(bool, Timestamp))| {
            SenderDecisionRow(sender.clone(), *counts, at.ms())
        };
        self.0.iter().map(row).collect()
    }

    pub(super) fn restore(rows: Vec<SenderDecisionRow>) -> Self {
        let mut decisions = Self::default();
        for SenderDecisionRow(sender, counts, ms) in rows {
            decisions.decide(&sender, Some(counts), Timestamp::from_ms(ms));
        }
        decisions
    }
}
