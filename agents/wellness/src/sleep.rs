//! How long the owner slept, from stretches of sleep.
//!
//! What: [`SleepLog`], what each band or phone saw of the last two days, and the last sleep. Why: a watch and a phone see the same
//! night, in dozens of stages, in any order. Not here: nights that a source adds up itself (they are samples as they are), what memory
//! is told of earlier nights (`nights`).

use agents_base::zone;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    forget::ErasureScope,
    ids::{SecretKey, hex},
};

/// Stretches that ended longer before the newest are forgotten.
pub(super) const KEPT_MIN: i64 = 36 * 60;
/// Sources, and stretches of each, that are kept.
pub(super) const MAX_SOURCES: usize = 8;
pub(super) const MAX_SPANS: usize = 128;
/// A stretch that is longer is no sleep.
const MAX_STRETCH_MIN: i64 = 24 * 60;
/// Awake for longer than this, a sleep is over.
const BREAK_MIN: i64 = 4 * 60;
/// So much is a night at any hour; from [`MORNING_MIN`] on when it ends in the [`MORNING`]. Less is a nap.
const NIGHT_MIN: i64 = 180;
const MORNING_MIN: i64 = 60;
const MORNING: std::ops::Range<f64> = 3.0..12.0;
/// Of sources that saw a sleep's end at most so far apart, one is believed.
const SAME_MIN: i64 = 12 * 60;

/// A stretch of sleep that a source saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SleepStretch {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
    /// A keyed hash of the source's name.
    pub(super) source: String,
    /// Whether the source tells light, deep and dream sleep apart. One that does is believed first.
    pub(super) staged: bool,
}

impl SleepStretch {
    /// The keyed hash of a source's name.
    pub(super) fn source(key: &SecretKey, name: &[u8]) -> String {
        let mac = key.mac(&[b"sleep source", name]);
        hex(mac.get(..4).unwrap_or_default())
    }

    /// Whether it can be one: forward, and at most a day.
    pub(super) fn plausible(&self) -> bool {
        (1..=MAX_STRETCH_MIN * 60_000).contains(&self.until.since(self.from))
    }
}

/// What the sources saw.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct SleepLog(BTreeMap<String, SourceSleep>);

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceSleep {
    staged: bool,
    /// In their order, none touching the next.
    spans: Vec<(Timestamp, Timestamp)>,
}

impl SleepLog {
    /// Takes a plausible stretch in; whether it says anything new.
    pub(super) fn take(&mut self, stretch: SleepStretch) -> bool {
        let newest = self.newest().unwrap_or(stretch.until);
        if newest.since(stretch.until) > KEPT_MIN * 60_000
            || (!self.0.contains_key(&stretch.source) && self.0.len() >= MAX_SOURCES)
        {
            return false;
        }
        let seen = self.0.entry(stretch.source).or_default();
        let before = (seen.staged, seen.spans.len(), seen.minutes());
        seen.staged |= stretch.staged;
        seen.add((stretch.from, stretch.until));
        let changed = before != (seen.staged, seen.spans.len(), seen.minutes());
        if stretch.until > newest {
            self.cut(stretch.until);
        }
        changed
    }

    /// The stretches of a source that are kept.
    pub(super) fn spans(&self, source: &str) -> &[(Timestamp, Timestamp)] {
        self.0.get(source).map_or(&[], |seen| &seen.spans)
    }

    /// When the newest stretch ended.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.0
            .values()
            .filter_map(|seen| Some(seen.spans.last()?.1))
            .max()
    }

    fn cut(&mut self, newest: Timestamp) {
        for seen in self.0.values_mut() {
            seen.spans
                .retain(|(_, until)| newest.since(*until) <= KEPT_MIN * 60_000);
        }
        self.0.retain(|_, seen| !seen.spans.is_empty());
    }

    /// Minutes of the last sleep and when it ended. Stretches at most 4 hours apart are one sleep; one of less than 3 hours is a nap,
    /// unless it has an hour and ends between 3 and 12 o'clock. Of what the sources saw of the same sleep, that of one is taken:
    /// of those that tell stages apart, else of all, the longest.
    pub(super) fn last(&self, zone: Tz) -> Option<(f64, Timestamp)> {
        let seen = self
            .0
            .values()
            .filter_map(|seen| Some((seen.staged, seen.last(zone)?)));
        let nights: Vec<_> = seen.collect();
        let newest = nights.iter().map(|(_, (_, end))| *end).max()?;
        nights
            .into_iter()
            .filter(|(_, (_, end))| newest.since(*end) <= SAME_MIN * 60_000)
            .max_by_key(|(staged, (minutes, end))| (*staged, *minutes, *end))
            .map(|(_, (minutes, end))| (minutes as f64, end))
    }

    /// Removes what the owner wants forgotten.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        for seen in self.0.values_mut() {
            seen.spans
                .retain(|(from, until)| !what.covers_time(*from) && !what.covers_time(*until));
        }
        self.0.retain(|_, seen| !seen.spans.is_empty());
    }

    /// The same within its limits (of a state that was tampered with).
    pub(super) fn bounded(self) -> Self {
        let mut bounded = Self::default();
        for (source, seen) in self.0.into_iter().take(MAX_SOURCES) {
            for (from, until) in seen.spans {
                let stretch = SleepStretch {
                    from,
                    until,
                    source: source.chars().take(16).collect(),
                    staged: seen.staged,
                };
                if stretch.plausible() {
                    bounded.take(stretch);
                }
            }
        }
        bounded
    }
}

impl SourceSleep {
    /// Joins a span with those that it touches.
    fn add(&mut self, (mut from, mut until): (Timestamp, Timestamp)) {
        self.spans.retain(|span| {
            let apart = span.1 < from || span.0 > until;
            if !apart {
                (from, until) = (from.min(span.0), until.max(span.1));
            }
            apart
        });
        let place = self.spans.partition_point(|span| span.0 < from);
        self.spans.insert(place, (from, until));
        self.spans.drain(..self.spans.len().saturating_sub(MAX_SPANS));
    }

    fn minutes(&self) -> i64 {
        minutes(&self.spans)
    }

    fn last(&self, zone: Tz) -> Option<(i64, Timestamp)> {
        nights(&self.spans, zone)
            .next_back()
            .map(|(minutes, _, end)| (minutes, end))
    }
}

/// The nights among stretches that are in their order: minutes asleep, from when, until when.
pub(super) fn nights(
    spans: &[(Timestamp, Timestamp)],
    zone: Tz,
) -> impl DoubleEndedIterator<Item = (i64, Timestamp, Timestamp)> {
    let apart = |pair: (&(_, Timestamp), &(Timestamp, _))| pair.1.0.since(pair.0.1) > BREAK_MIN * 60_000;
    let sleeps = spans.chunk_by(move |one, next| !apart((one, next)));
    sleeps.filter_map(move |sleep| {
        let (minutes, from, end) = (minutes(sleep), sleep.first()?.0, sleep.last()?.1);
        let morning = MORNING.contains(&zone::local_hour(end, zone));
        let least = if morning { MORNING_MIN } else { NIGHT_MIN };
        (minutes >= least).then_some((minutes, from, end))
    })
}

fn minutes(spans: &[(Timestamp, Timestamp)]) -> i64 {
    let ms: i64 = spans.iter().map(|(from, until)| until.since(*from)).sum();
    ms / 60_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Minutes after 2026-11-05T18:00:00Z: a night from 18 to 18 o'clock.
    fn at(minute: i64) -> Timestamp {
        Timestamp::parse("2026-11-05T18:00:00Z").unwrap().plus_min(minute)
    }

    fn of(stretches: &[(&str, bool, i64, i64)]) -> SleepLog {
        let mut sleep = SleepLog::default();
        for (source, staged, from, until) in stretches {
            sleep.take(SleepStretch {
                from: at(*from),
                until: at(*until),
                source: (*source).to_owned(),
                staged: *staged,
            });
        }
        sleep
    }

    #[test]
    fn the_last_sleep_is_the_union_of_one_source() {
        // Minute 300 is 23:00, 720 is 06:00, 1200 is 14:00, 1500 is 19:00 the next day.
        for (name, stretches, expected) in [
            ("nothing", &[][..], None),
            ("a night", &[("w", true, 300, 720)], Some((420.0, 720))),
            // 300..400 and 390..500 overlap, 500..510 was awake, 510..720: 200 + 210.
            (
                "stages that overlap, out of order",
                &[
                    ("w", true, 510, 720),
                    ("w", true, 300, 400),
                    ("w", true, 390, 500),
                ],
                Some((410.0, 720)),
            ),
            (
                "the source with stages, though the other saw more",
                &[
                    ("p", false, 280, 740),
                    ("w", true, 300, 500),
                    ("w", true, 520, 720),
                ],
                Some((400.0, 720)),
            ),
            (
                "of two without stages the longer",
                &[("p", false, 280, 740), ("q", false, 300, 720)],
                Some((460.0, 740)),
            ),
            (
                "the other, when the watch was not worn last night",
                &[("w", true, 300, 720), ("p", false, 1740, 2160)],
                Some((420.0, 2160)),
            ),
            // 06:00 to 14:00 is 8 hours: a nap of 30 minutes is another sleep, and no night.
            (
                "a nap",
                &[("w", true, 300, 720), ("w", true, 1170, 1200)],
                Some((420.0, 720)),
            ),
            (
                "a doze at 19:00",
                &[("w", true, 300, 720), ("w", true, 1500, 1520)],
                Some((420.0, 720)),
            ),
            // 03:00 to 06:00 again after 2 hours awake: one sleep of 180 + 180.
            (
                "a broken night",
                &[("w", true, 240, 420), ("w", true, 540, 720)],
                Some((360.0, 720)),
            ),
            // 04:00 to 05:30, and no more: a bad night, because of the hour.
            ("an hour and a half", &[("w", true, 600, 690)], Some((90.0, 690))),
            ("half an hour in the morning", &[("w", true, 660, 690)], None),
            (
                "after a night shift, 09:00 to 15:00",
                &[("w", true, 900, 1260)],
                Some((360.0, 1260)),
            ),
        ] {
            let last = of(stretches).last(Tz::UTC);
            assert_eq!(last, expected.map(|(minutes, end)| (minutes, at(end))), "{name}");
        }
    }

    #[test]
    fn only_the_last_day_and_a_half_is_kept() {
        let sleep = of(&[
            ("w", true, 0, 300),
            ("p", false, 10, 200),
            ("w", true, 2400, 2800),
        ]);
        assert_eq!(sleep, of(&[("w", true, 2400, 2800)]));
        assert_eq!(of(&[("w", true, 2400, 2800), ("w", true, 0, 300)]), sleep);
        let many: Vec<_> = (0..400).map(|i| ("w", true, i * 5, i * 5 + 1)).collect();
        assert_eq!(of(&many).0["w"].spans.len(), MAX_SPANS);
    }

    proptest! {
        #[test]
        fn the_order_of_coming_and_coming_twice_change_nothing(
            spans in proptest::collection::vec((0..4_usize, 0..2000_i64, 1..90_i64), 0..40),
            cut in 0..40_usize,
        ) {
            let names = ["a", "b", "c", "d"];
            let stretches: Vec<_> = spans.iter().map(|(i, from, len)| (names[*i], *i > 1, *from, from + len)).collect();
            let mut other: Vec<_> = stretches.iter().rev().copied().collect();
            other.extend_from_slice(&stretches[..cut.min(stretches.len())]);
            let (one, two) = (of(&stretches), of(&other));
            prop_assert_eq!(one.last(Tz::UTC), two.last(Tz::UTC));
            prop_assert_eq!(one.clone().bounded(), one);
        }
    }
}
