//! The owner's sections as data: what stands under each heading.
//!
//! What: [`SectionBlock`]: a heading, what is said, and rows with a name, a value and perhaps a bar; a function for each section. Why: one
//! markup for all of them, and each section can be tested without a page. Not here: markup (`web::sections`), pictures
//! (`render::picture`).

pub(crate) mod agenda;
pub mod answers;
pub mod brief;
pub(crate) mod chats;
pub mod event_reasons;
pub mod known_rows;
pub(crate) mod largest_payment;
pub(crate) mod meeting;
pub(crate) mod memory;
pub(crate) mod money;
pub(crate) mod moving;
pub mod people;
pub(crate) mod period;
pub(crate) mod recurring;
pub(crate) mod safe_to_spend;
pub mod same_people;
pub(crate) mod settings;
pub(crate) mod spending;
pub(crate) mod transfers;
pub mod two_days;
pub(crate) mod unusual_known;
pub mod waiting;
pub(crate) mod week_grid;
pub(crate) mod wellbeing;

use chrono_tz::Tz;
use surfaces_base::{backend::DisplayNames, format, words};
use toolcall_schema::{
    Timestamp,
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::{ChannelHash, TraceId},
    tick::{ReadingKey, SignalReading},
    trace::Trace,
};

/// What stands under one heading.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionBlock {
    /// Unique on its page; the element's id.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
    pub says: Vec<String>,
    pub items: Vec<SectionItem>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SectionItem {
    /// What it is about; may be a name from outside.
    pub name: String,
    /// What it comes to.
    pub value: String,
    /// What else belongs to it.
    pub note: Option<String>,
    /// As a bar: the value and the most it can be.
    pub bar: Option<(f64, f64)>,
    /// Its decision.
    pub trace: Option<TraceId>,
    /// The muted chat or person that a button on the row unmutes.
    pub unmute: Option<LearnedThing>,
    /// The chat that buttons on the row mute.
    pub mute: Option<ChannelHash>,
    /// The chat that a form on the row names.
    pub chat: Option<ChannelHash>,
    /// Whose page the name leads to.
    pub about: Option<ThingId>,
    /// The page that has what the value counts.
    pub leads: Option<&'static str>,
    /// Why it was kept quiet.
    pub because: Option<SectionReason>,
}

/// A reason, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionReason {
    pub says: String,
    pub leads: String,
}

impl SectionItem {
    fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            ..Self::default()
        }
    }

    fn leading_to(self, page: &'static str) -> Self {
        Self {
            leads: Some(page),
            ..self
        }
    }

    fn note(self, note: impl Into<String>) -> Self {
        Self {
            note: Some(note.into()),
            ..self
        }
    }
}

/// A chat's name, or what is said without one.
fn chat(id: &str, labels: &DisplayNames) -> String {
    labels
        .get(id)
        .map_or_else(|| words::ONE_CHAT.say().to_owned(), str::to_owned)
}

/// The newest value of a reading among traces that stand newest first.
fn newest(traces: &[Trace], key: ReadingKey) -> Option<(Timestamp, &SignalReading)> {
    traces.iter().find_map(|trace| {
        let mut all = trace.decision.signals.values().flatten();
        all.find(|reading| reading.key == key && reading.value.is_finite())
            .map(|reading| (trace.decision.ts, reading))
    })
}

/// A reading as a row: value, what is usual, and when it was taken.
fn measured((at, reading): (Timestamp, &SignalReading), zone: Tz) -> SectionItem {
    SectionItem::new(
        words::reading(reading.key),
        format::reading_value(reading, reading.value),
    )
    .note(words::measured(
        format::usual(reading).as_deref(),
        &format::clock(at, zone),
    ))
}
