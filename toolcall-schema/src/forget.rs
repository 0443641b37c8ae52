//! What the owner wants to be forgotten.
//!
//! What: [`ErasureScope`], a span of time or a set of ids, and the question whether something falls under it. Why: store, machine and
//! agents forget the same. Not here: doing it (`aura-memory`, `orchestrator-machine`, `agents`).

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A stretch of the wall clock, `from` included, `to` not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSpan {
    /// From then.
    pub from: Timestamp,
    /// Until before then.
    pub to: Timestamp,
}

impl TimeSpan {
    /// Whether an instant lies in it.
    pub fn contains(self, at: Timestamp) -> bool {
        self.from <= at && at < self.to
    }
}

/// What is to be forgotten: everything of a span, and everything that names one of some things.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureScope {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<TimeSpan>,
    /// Ids (hashes of people, chats, merchants; ids of events, payments, traces), and other texts that tell of nothing else.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub things: BTreeSet<String>,
}

/// An id is at least so long; a shorter word would be found where it is not meant.
pub const THING_MIN: usize = 10;

impl ErasureScope {
    /// Everything from one instant until before another.
    pub fn within(from: Timestamp, to: Timestamp) -> Self {
        Self {
            span: Some(TimeSpan { from, to }),
            things: BTreeSet::new(),
        }
    }

    /// Everything that names one of these ids; shorter ones than [`THING_MIN`] are left out.
    pub fn naming(ids: impl IntoIterator<Item = String>) -> Self {
        Self {
            span: None,
            things: ids.into_iter().filter(|id| id.len() >= THING_MIN).collect(),
        }
    }

    /// All there is.
    pub fn everything() -> Self {
        Self::within(Timestamp::from_ms(i64::MIN), Timestamp::from_ms(i64::MAX))
    }

    /// Whether it is [`Self::everything`].
    pub fn is_everything(&self) -> bool {
        self.span == Self::everything().span
    }

    /// Whether what happened at an instant of the wall clock goes.
    pub fn covers_time(&self, at: Timestamp) -> bool {
        self.span.is_some_and(|span| span.contains(at))
    }

    /// Whether a thing goes.
    pub fn covers_thing(&self, id: &str) -> bool {
        self.things.contains(id)
    }

    /// Whether a text names a thing that goes.
    pub fn mentions_thing(&self, text: &str) -> bool {
        self.things.iter().any(|id| text.contains(id.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_its_beginning_and_not_its_end() {
        let at = Timestamp::from_ms;
        let forget = ErasureScope::within(at(10), at(20));
        let held: Vec<i64> = [9, 10, 19, 20]
            .into_iter()
            .filter(|ms| forget.covers_time(at(*ms)))
            .collect();
        assert_eq!(held, [10, 19]);
        assert!(!forget.is_everything() && ErasureScope::everything().is_everything());
        // The first instant of the year 1 and the last second of the year 9999.
        for ms in [-62_135_596_800_000, 253_402_300_799_000] {
            assert!(ErasureScope::everything().covers_time(at(ms)));
        }
    }

    #[test]
    fn things_are_found_as_ids_and_in_texts_and_short_words_are_not_taken() {
        let forget = ErasureScope::naming(["ch_0123456789abcdef".to_owned(), "self".to_owned()]);
        assert!(forget.covers_thing("ch_0123456789abcdef") && !forget.covers_thing("self"));
        assert!(
            forget.mentions_thing("{\"subject\":\"ch_0123456789abcdef\"}")
                && !forget.mentions_thing("myself")
        );
        assert!(!forget.covers_time(Timestamp::from_ms(0)));
    }
}
