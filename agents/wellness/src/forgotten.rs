//! What of the owner's measurements was forgotten.
//!
//! What: [`ForgottenMeasurements`], up to when each kind, which stretches and which days. Why: files are read from their beginning by each
//! process and a post may come twice; what was forgotten counts no more there. Not here: removing it from what is kept.

use agents_base::zone;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    forget::{ErasureScope, MeasuredKind, TimeSpan},
};

/// More stretches, and more days, than anybody forgets of the 90 days that are kept.
const KEPT_MAX: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ForgottenMeasurements {
    /// Up to when everything of a kind was.
    #[serde(flatten)]
    kinds: BTreeMap<MeasuredKind, Timestamp>,
    /// From which instant until before which everything of a kind was, in their order and apart.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    spans: BTreeMap<MeasuredKind, Vec<TimeSpan>>,
    /// Days of the owner's that were forgotten by their key.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    days: BTreeSet<NaiveDate>,
}

impl ForgottenMeasurements {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Remembers what goes, by what is still known: `newest` says when the last of a kind was measured. What is measured later counts.
    pub(super) fn add(&mut self, what: &ErasureScope, newest: impl Fn(MeasuredKind) -> Option<Timestamp>) {
        for kind in &what.measured {
            if let Some(until) = self.kinds.get(kind).copied().max(newest(*kind)) {
                self.kinds.insert(*kind, until);
            }
        }
        for kind in MeasuredKind::ALL {
            if let (Some(span), Some(last)) = (what.span, newest(*kind)) {
                let to = span.to.min(last.plus_ms(1));
                if span.from < to {
                    let spans = self.spans.entry(*kind).or_default();
                    insert_span(spans, TimeSpan { from: span.from, to });
                }
            }
        }
        let keys = what.things.iter().filter_map(|key| key.strip_prefix("hd_"));
        self.days
            .extend(keys.filter_map(|day| day.parse::<NaiveDate>().ok()));
        while self.days.len() > KEPT_MAX {
            self.days.pop_first();
        }
    }

    /// Whether what was measured then was forgotten.
    pub(super) fn covers(&self, kind: MeasuredKind, at: Timestamp, zone: Tz) -> bool {
        self.kinds.get(&kind).is_some_and(|until| at <= *until)
            || self
                .spans
                .get(&kind)
                .is_some_and(|spans| spans.iter().any(|span| span.contains(at)))
            || !self.days.is_empty() && self.days.contains(&zone::local_date(at, zone))
    }
}

/// Joins a span with those that it touches.
fn insert_span(spans: &mut Vec<TimeSpan>, mut span: TimeSpan) {
    spans.retain(|other| {
        let apart = other.to < span.from || span.to < other.from;
        if !apart {
            span.from = span.from.min(other.from);
            span.to = span.to.max(other.to);
        }
        apart
    });
    let place = spans.partition_point(|other| other.from < span.from);
    spans.insert(place, span);
    spans.drain(..spans.len().saturating_sub(KEPT_MAX));
}
