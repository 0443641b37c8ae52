//! The calendar as numbers: instances, travel, conflicts.
//!
//! What: [`EventInstance`], [`InstanceWindow`], [`conflicts`], [`travel_min`]. Why: everything Calendar proposes is computed from
//! these; they hold no text. Not here: reading files (`sources`), expanding series (`series`), what is proposed (`tick`).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    Timestamp,
    ids::{EventId, SecretKey},
    signal::LocationData,
};

/// Instances of one look; those furthest from today are left out.
pub(crate) const MAX_INSTANCES: usize = 1024;
/// Overlapping pairs that are kept.
pub(crate) const MAX_PAIRS: usize = 4096;
/// The earth's radius in km, for the haversine distance.
const EARTH_KM: f64 = 6371.0;

/// How long the way to an event is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum TravelTime {
    /// The event says it.
    Minutes {
        /// At most a day.
        min: u32,
    },
    /// It follows from a place and a speed.
    Place {
        /// Where the event is.
        place: LocationData,
        /// Tenths of a kilometre an hour.
        tenth_kmh: u32,
    },
}

/// One instance of an event. Holds no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventInstance {
    /// Its name: UID and original start.
    pub(crate) id: EventId,
    /// The name of its series: the UID alone.
    pub(crate) series: EventId,
    /// When it starts.
    pub(crate) start: Timestamp,
    /// When it ends, not before it starts.
    pub(crate) end: Timestamp,
    /// A focus block.
    pub(crate) focus: bool,
    /// Does not make the owner busy.
    pub(crate) transparent: bool,
    /// Lasts whole days: something about the day, not a meeting.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) all_day: bool,
    /// In an unknown zone: it may be hours off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) uncertain: bool,
    /// Not certain to happen, or to be attended.
    #[serde(default)]
    pub(crate) tentative: bool,
    /// How to get there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) travel: Option<TravelTime>,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created: Option<Timestamp>,
    /// Whether the owner is invited and has not answered.
    pub(crate) unanswered: bool,
    /// How many others are invited and did not decline.
    #[serde(default, skip_serializing_if = "is_nobody")]
    pub(crate) others: u32,
    /// Whether it came as a signal: it is then kept in the state, because no file will tell it again.
    pub(crate) posted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_nobody(others: &u32) -> bool {
    *others == 0
}

/// From this length on an event lies over its days and not between their hours, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60_000;

impl EventInstance {
    /// Whether it is about whole days: it takes no hours, so nothing overlaps it and free times stay free.
    pub(crate) fn spans_days(&self) -> bool {
        self.all_day || self.end.since(self.start) >= DAY_MS
    }

    /// Whether the owner meets others at a time that is certain.
    pub(crate) fn is_meeting(&self) -> bool {
        self.others > 0 && !self.all_day && !self.uncertain && !self.transparent
    }
}

/// A busy time without details (VFREEBUSY).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BusyTime {
    /// First instant.
    pub(crate) start: Timestamp,
    /// First instant after it.
    pub(crate) end: Timestamp,
}

/// The name of an instance.
pub(crate) fn instance_id(key: &SecretKey, uid: &str, original: DateTime<Utc>) -> EventId {
    key.event(uid, &Timestamp::from(original).to_string())
}

/// The overlapping pairs, as indices with the earlier start first, by a sweep over half-open intervals. `instances` are in
/// order of start. Transparent ones and those of whole days never conflict; an instance without length overlaps nothing.
pub(crate) fn conflicts(instances: &[EventInstance]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut active: Vec<(usize, Timestamp)> = Vec::new();
    for (i, instance) in instances.iter().enumerate() {
        if instance.transparent || instance.spans_days() || instance.end <= instance.start {
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

/// The instances around today, with what a tick asks of them worked out: it then costs no more for a full calendar than for
/// an empty one.
#[derive(Debug, Clone, Default)]
pub(crate) struct InstanceWindow {
    instances: Vec<EventInstance>,
    /// The ends of all instances, in order.
    ends: Vec<Timestamp>,
    /// When the overlaps begin, in order, and when the first of each pair ends, in order.
    overlaps: (Vec<Timestamp>, Vec<Timestamp>),
    /// Indices of those that may be declined for a conflict, in order of start.
    to_decline: Vec<usize>,
}

impl InstanceWindow {
    /// Of instances in order of start.
    pub(crate) fn new(instances: Vec<EventInstance>) -> Self {
        let sorted = |times: &mut dyn Iterator<Item = Timestamp>| {
            let mut times: Vec<Timestamp> = times.collect();
            times.sort_unstable();
            times
        };
        let pairs = conflicts(&instances);
        let both = |(a, b): &(usize, usize)| Some((instances.get(*a)?, instances.get(*b)?));
        let begin = |(a, b): (&EventInstance, &EventInstance)| a.start.max(b.start);
        let end = |(a, b): (&EventInstance, &EventInstance)| a.end.min(b.end);
        let mut later: Vec<usize> = pairs
            .iter()
            .filter_map(|pair| made_later(&instances, *pair))
            .collect();
        later.sort_unstable();
        later.dedup();
        later.retain(|i| instances.get(*i).is_some_and(|i| i.unanswered));
        Self {
            ends: sorted(&mut instances.iter().map(|i| i.end)),
            overlaps: (
                sorted(&mut pairs.iter().filter_map(both).map(begin)),
                sorted(&mut pairs.iter().filter_map(both).map(end)),
            ),
            to_decline: later,
            instances,
        }
    }

    /// All, in order of start.
    pub(crate) fn instances(&self) -> &[EventInstance] {
        &self.instances
    }

    /// The first that starts after `at`, at a time of day that is certain.
    pub(crate) fn next(&self, at: Timestamp) -> Option<&EventInstance> {
        let next = self.instances.partition_point(|i| i.start <= at);
        self.instances
            .get(next..)?
            .iter()
            .find(|i| !i.all_day && !i.uncertain)
    }

    /// The meetings that start after `at` and not after `until`, in order of start.
    pub(crate) fn meetings(&self, at: Timestamp, until: Timestamp) -> impl Iterator<Item = &EventInstance> {
        let next = self.instances.partition_point(|i| i.start <= at);
        let ahead = self.instances.get(next..).unwrap_or_default();
        ahead
            .iter()
            .take_while(move |i| i.start <= until)
            .filter(|i| i.is_meeting())
    }

    /// How many end after `at` and start before `until`, which is later.
    pub(crate) fn ahead(&self, at: Timestamp, until: Timestamp) -> usize {
        let started = self.instances.partition_point(|i| i.start < until);
        started.saturating_sub(self.ends.partition_point(|end| *end <= at))
    }

    /// Whether any that is never the next begins before `until`: an all-day event that ends after `at`, or one at an uncertain time after it.
    pub(crate) fn has_untimed(&self, at: Timestamp, until: Timestamp) -> bool {
        let mut begun = self.instances.iter().take_while(|i| i.start < until);
        begun.any(|i| i.all_day && i.end > at || i.uncertain && i.start > at)
    }

    /// How many pairs overlap of which both do so.
    pub(crate) fn conflicts_ahead(&self, at: Timestamp, until: Timestamp) -> usize {
        let (begins, ends) = &self.overlaps;
        let begun = begins.partition_point(|begin| *begin < until);
        begun.saturating_sub(ends.partition_point(|end| *end <= at))
    }

    /// Those that start after `at` and may be declined for a conflict: open invitations, made later than something
    /// certain that they overlap.
    pub(crate) fn to_decline(&self, at: Timestamp) -> impl Iterator<Item = &EventInstance> {
        let all = self.to_decline.iter().filter_map(|i| self.instances.get(*i));
        all.filter(move |i| i.start > at)
    }
}

/// Of two that overlap the one that was made later, when the other one is certain. Of equals neither: the owner has to
/// choose.
fn made_later(instances: &[EventInstance], (a, b): (usize, usize)) -> Option<usize> {
    let (first, second) = (instances.get(a)?, instances.get(b)?);
    let (later, other) = match first.created.cmp(&second.created) {
        std::cmp::Ordering::Less => (b, first),
        std::cmp::Ordering::Greater => (a, second),
        std::cmp::Ordering::Equal => return None,
    };
    (!other.tentative && !other.uncertain).then_some(later)
}

/// In order of start, and cut to [`MAX_INSTANCES`]: the latest go first, then what was over before `today` began, the oldest first.
pub(crate) fn nearest(instances: Vec<EventInstance>, today: Timestamp) -> Vec<EventInstance> {
    let over = |i: &EventInstance| i.start < today && i.end <= today;
    let (mut past, mut ahead): (Vec<_>, Vec<_>) = instances.into_iter().partition(over);
    for part in [&mut past, &mut ahead] {
        part.sort_by(|a, b| (a.start, a.end, &a.id).cmp(&(b.start, b.end, &b.id)));
    }
    ahead.truncate(MAX_INSTANCES);
    past.drain(..past.len().saturating_sub(MAX_INSTANCES - ahead.len()));
    past.append(&mut ahead);
    // Stable: what began before today and is not over yet goes between what is.
    past.sort_by_key(|i| i.start);
    past
}

/// Minutes to an event from where the owner is: what the event says, else
/// `round(haversine km / speed * 60)`, else 0. At most a day.
pub(crate) fn travel_min(travel: Option<TravelTime>, from: Option<LocationData>) -> u32 {
    match (travel, from) {
        (Some(TravelTime::Minutes { min }), _) => min,
        (Some(TravelTime::Place { place, tenth_kmh }), Some(from)) if tenth_kmh > 0 => {
            let minutes = (haversine_km(from, place) / (f64::from(tenth_kmh) / 10.0) * 60.0).round();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to 0..=1440; a value that is not a number becomes 0"
            )]
            let minutes = minutes.clamp(0.0, 1440.0) as u32;
            minutes
        }
        (Some(TravelTime::Place { .. }) | None, _) => 0,
    }
}

/// Great-circle distance: `2 R asin sqrt(sin²(Δφ/2) + cos φ1 cos φ2 sin²(Δλ/2))`.
pub fn haversine_km(a: LocationData, b: LocationData) -> f64 {
    let (phi_a, phi_b) = (a.lat.to_radians(), b.lat.to_radians());
    let half_lat = ((phi_b - phi_a) / 2.0).sin();
    let half_lon = ((b.lon - a.lon).to_radians() / 2.0).sin();
    let h = half_lat * half_lat + phi_a.cos() * phi_b.cos() * half_lon * half_lon;
    2.0 * EARTH_KM * h.clamp(0.0, 1.0).sqrt().asin()
}

/// When one has to leave: `start - (travel + buffer)`.
pub(crate) fn leave_by(start: Timestamp, travel_min: u32, buffer_min: u32) -> Timestamp {
    start.plus_min(-(i64::from(travel_min) + i64::from(buffer_min)))
}
