//! The owner's say: "tell me when not to".
//!
//! What: [`OwnerRule`] and whether it stands against a candidate now. Why: the owner's word is stronger than any score.
//! Not here: pauses and mutes (`state`), the caps (`caps`).

use crate::env::Span;
use chrono::{Datelike, NaiveDate, NaiveTime};
use serde::{Deserialize, Serialize};
use toolcall_schema::{ActionKind, tick::Subject};

/// A rule that forbids. What it leaves open matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerRule {
    /// Its name, `^[a-z0-9-]{1,40}$`; named in the traces it changed.
    pub name: String,
    /// Only this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ActionKind>,
    /// Only about this (a channel hash).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// Only in these hours of the owner's day; over midnight when the end is earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<(NaiveTime, NaiveTime)>,
    /// Only on these days, 1 = Monday to 7; empty: every day.
    #[serde(default)]
    pub days: Vec<u8>,
}

impl OwnerRule {
    /// Whether it forbids a candidate at a local date and time.
    pub fn forbids(&self, kind: ActionKind, subject: &Subject, date: NaiveDate, time: NaiveTime) -> bool {
        let weekday = u8::try_from(date.weekday().number_from_monday()).unwrap_or(0);
        self.kind.is_none_or(|k| k == kind)
            && self.subject.as_ref().is_none_or(|s| s == subject)
            && self
                .hours
                .is_none_or(|(from, to)| Span { from, to }.contains(time))
            && (self.days.is_empty() || self.days.contains(&weekday))
    }
}
