//! The calendar as numbers: instances, travel, conflicts.
//!
//! What: [`Instance`], [`expand`], [`conflicts`], [`travel_min`]. Why: everything Calendar proposes is computed from
//! these; they hold no text. Not here: reading files (`sources`), what is proposed (`tick`).

use super::{
    recur::{Budget, Span, starts},
    sources::{ics::Event, values::When},
};
use crate::shared::SkipCode;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    ids::{EventId, Key},
    signal::Location,
};

/// Instances of one expansion; later ones are left out.
pub const MAX_INSTANCES: usize = 1024;
/// Overlapping pairs that are kept.
pub const MAX_PAIRS: usize = 4096;
/// The earth's radius in km, for the haversine distance.
const EARTH_KM: f64 = 6371.0;

/// How long the way to an event is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Travel {
    /// The event says it.
    Minutes {
        /// At most a day.
        min: u32,
    },
    /// It follows from a place and a speed.
    Place {
        /// Where the event is.
        place: Location,
        /// Tenths of a kilometre an hour.
        tenth_kmh: u32,
    },
}

/// One instance of a timed event. Holds no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Its name: UID and original start.
    pub id: EventId,
    /// The name of its series: the UID alone.
    pub series: EventId,
    /// When it starts.
    pub start: Timestamp,
    /// When it ends, not before it starts.
    pub end: Timestamp,
    /// A focus block.
    pub focus: bool,
    /// Does not make the owner busy.
    pub transparent: bool,
    /// How to get there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub travel: Option<Travel>,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// Whether the owner is invited and has not answered.
    pub unanswered: bool,
    /// Whether it came as a signal: it is then kept in the state, because no file will tell it again.
    pub posted: bool,
}

/// The name of an instance.
pub fn instance_id(key: &Key, uid: &str, original: DateTime<Utc>) -> EventId {
    key.event(uid, &Timestamp::from(original).to_string())
}

/// The instances of all events that touch the span, in order of start: rules expanded, overrides applied, cancelled and
/// all-day ones left out. `broken` is called once for each event whose rule cannot be expanded.
pub fn expand<'a>(
    events: impl Iterator<Item = (&'a Event, bool)> + Clone,
    key: &Key,
    owner: Tz,
    span: Span,
    broken: &mut dyn FnMut(&Event, SkipCode),
) -> Vec<Instance> {
    let mut budget = Budget::default();
    let mut out: BTreeMap<EventId, Instance> = BTreeMap::new();
    let overrides: BTreeMap<(&str, DateTime<Utc>), (&Event, bool)> = events
        .clone()
        .filter_map(|(event, posted)| Some(((event.uid.as_str(), event.replaces?), (event, posted))))
        .collect();
    let mut add = |event: &Event, posted: bool, original: DateTime<Utc>, start: DateTime<Utc>| {
        let touches = start < span.to && start + event.lasts >= span.from;
        let timed = matches!(event.start, When::Time(..));
        if touches && timed && !event.cancelled {
            let id = instance_id(key, &event.uid, original);
            let instance = Instance {
                series: key.event(&event.uid, ""),
                start: Timestamp::from(start),
                end: Timestamp::from(start + event.lasts),
                focus: event.focus,
                transparent: event.transparent,
                travel: event.travel,
                created: event.created,
                unanswered: event.invited.is_some(),
                posted,
                id: id.clone(),
            };
            out.insert(id, instance);
        }
    };
    for (event, posted) in events {
        if let Some(original) = event.replaces {
            add(event, posted, original, event.start.instant(owner));
            continue;
        }
        if event.cancelled || matches!(event.start, When::Day(_)) {
            continue;
        }
        match starts(event, owner, span, &mut budget) {
            Ok(starts) => {
                for start in starts {
                    if !overrides.contains_key(&(event.uid.as_str(), start)) {
                        add(event, posted, start, start);
                    }
                }
            }
            Err(code) => broken(event, code),
        }
    }
    let mut out: Vec<Instance> = out.into_values().collect();
    out.sort_by(|a, b| (a.start, a.end, &a.id).cmp(&(b.start, b.end, &b.id)));
    out
}

/// The overlapping pairs, as indices with the earlier start first, by a sweep over half-open intervals. `instances` are in
/// order of start. Transparent ones never conflict; an instance without length overlaps nothing.
pub fn conflicts(instances: &[Instance]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut active: Vec<(usize, Timestamp)> = Vec::new();
    for (i, instance) in instances.iter().enumerate() {
        if instance.transparent || instance.end <= instance.start {
            continue;
        }
        active.retain(|(_, end)| *end > instance.start);
        for (earlier, _) in &active {
            if pairs.len() < MAX_PAIRS {
                pairs.push((*earlier, i));
            }
        }
        active.push((i, instance.end));
    }
    pairs
}

/// Minutes to an event from where the owner is: what the event says, else
/// `round(haversine km / speed * 60)`, else 0. At most a day.
pub fn travel_min(travel: Option<Travel>, from: Option<Location>) -> u32 {
    match (travel, from) {
        (Some(Travel::Minutes { min }), _) => min,
        (Some(Travel::Place { place, tenth_kmh }), Some(from)) if tenth_kmh > 0 => {
            let minutes = (haversine_km(from, place) / (f64::from(tenth_kmh) / 10.0) * 60.0).round();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to 0..=1440; a value that is not a number becomes 0"
            )]
            let minutes = minutes.clamp(0.0, 1440.0) as u32;
            minutes
        }
        (Some(Travel::Place { .. }) | None, _) => 0,
    }
}

/// Great-circle distance: `2 R asin sqrt(sin²(Δφ/2) + cos φ1 cos φ2 sin²(Δλ/2))`.
fn haversine_km(a: Location, b: Location) -> f64 {
    let (phi_a, phi_b) = (a.lat.to_radians(), b.lat.to_radians());
    let half_lat = ((phi_b - phi_a) / 2.0).sin();
    let half_lon = ((b.lon - a.lon).to_radians() / 2.0).sin();
    let h = half_lat * half_lat + phi_a.cos() * phi_b.cos() * half_lon * half_lon;
    2.0 * EARTH_KM * h.clamp(0.0, 1.0).sqrt().asin()
}

/// When one has to leave: `start - (travel + buffer)`.
pub fn leave_by(start: Timestamp, travel_min: u32, buffer_min: u32) -> Timestamp {
    start.plus_min(-(i64::from(travel_min) + i64::from(buffer_min)))
}
