//! What does not change between two starts: [`MachineEnv`].
//!
//! What: policy, settings of the owner, hashes, seed. Why: `step` needs them and reads nothing. Not here: what changes
//! ([`crate::state`]).

use crate::policy::Policy;
use chrono::{NaiveDate, NaiveTime, TimeZone};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
pub use toolcall_schema::rule::DailyWindow;
use toolcall_schema::{ActionKind, AgentName, Severity, Timestamp, ids::OwnerSeed, milli::Milli};

/// How often the owner wants a kind of card, beside what the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KindWish {
    Less,
    Usual,
    More,
}

impl KindWish {
    /// What it adds to the priority of a kind (docs/adr/0126).
    fn added_priority(self) -> Milli {
        Milli(match self {
            Self::Less => -100,
            Self::Usual => 0,
            Self::More => 100,
        })
    }
}

/// The owner's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineSettings {
    /// The owner's zone.
    pub zone: Tz,
    /// Tokens a day, 0 to 5.
    pub ceiling: u8,
    /// When the morning brief may be offered. Default 07:30 to 12:00.
    pub brief: DailyWindow,
    /// When nothing may disturb.
    pub dnd: Vec<DailyWindow>,
    /// Whether a language model may pick the sentence.
    pub model: bool,
    /// Of which kinds of cards the owner wants more or less.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<ActionKind, KindWish>,
}

/// Everything `step` is given beside state and event.
#[derive(Debug, Clone)]
pub struct MachineEnv {
    /// The policy.
    pub policy: Policy,
    /// The owner's settings.
    pub settings: MachineSettings,
    /// Ids and capabilities derive from it.
    pub seed: OwnerSeed,
    /// SHA-256 of the catalogue.
    pub catalogue_hash: String,
}

impl MachineEnv {
    /// What an action is worth to the owner: by the policy, and by what they want more or less of.
    pub(crate) fn priority(&self, kind: ActionKind, agent: AgentName, severity: Option<Severity>) -> Milli {
        let wish = self.settings.kinds.get(&kind).copied().unwrap_or(KindWish::Usual);
        Milli(self.policy.priority(kind, agent, severity).0 + wish.added_priority().0)
    }

    /// The local date and time of day of a wall-clock instant.
    pub fn local(&self, wall: Timestamp) -> (NaiveDate, NaiveTime) {
        let local = wall.utc().with_timezone(&self.settings.zone).naive_local();
        (local.date(), local.time())
    }

    /// The first instant after `wall` at which the owner's clock shows `time`; a time skipped by a DST change counts as
    /// the first instant after the gap.
    pub fn next_local(&self, wall: Timestamp, time: NaiveTime) -> Timestamp {
        let (today, _) = self.local(wall);
        today
            .iter_days()
            .take(3)
            .map(|date| self.instant(date, time))
            .find(|instant| *instant > wall)
            // A zone has such an instant on one of three days; a day later keeps the function total.
            .unwrap_or_else(|| wall.plus_min(24 * 60))
    }

    /// The next local midnight.
    pub fn next_midnight(&self, wall: Timestamp) -> Timestamp {
        self.next_local(wall, NaiveTime::MIN)
    }

    fn instant(&self, date: NaiveDate, time: NaiveTime) -> Timestamp {
        let naive = date.and_time(time);
        let zone = self.settings.zone;
        // A gap is at most a few hours: step over it in quarters of an hour.
        (0..=16)
            .find_map(|quarters| {
                zone.from_local_datetime(&(naive + chrono::TimeDelta::minutes(15 * quarters)))
                    .earliest()
            })
            .map_or_else(
                || Timestamp::from(naive.and_utc()),
                |local| Timestamp::from(local.to_utc()),
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::DEFAULT_TEXT;

    fn env(zone: Tz) -> MachineEnv {
        let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
        MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: MachineSettings {
                zone,
                ceiling: 3,
                brief: DailyWindow {
                    from: at(7, 30),
                    to: at(12, 0),
                },
                dnd: vec![],
                model: false,
                kinds: BTreeMap::new(),
            },
            seed: OwnerSeed::from_day_seed("env"),
            catalogue_hash: String::new(),
        }
    }

    #[test]
    fn next_local_time_is_right_at_both_edges_of_dst() {
        let t = |s| Timestamp::parse(s).unwrap();
        let half_past_two = NaiveTime::from_hms_opt(2, 30, 0).unwrap();
        let berlin = env(chrono_tz::Europe::Berlin);
        // 29 March 2026: 02:00 to 03:00 is skipped, so 02:30 is reached at 03:00 (+02:00) = 01:00Z.
        assert_eq!(
            berlin.next_local(t("2026-03-28T12:00:00+01:00"), half_past_two),
            t("2026-03-29T01:00:00Z")
        );
        // 25 October 2026: 02:30 comes twice; the first (+02:00) counts.
        assert_eq!(
            berlin.next_local(t("2026-10-24T12:00:00+02:00"), half_past_two),
            t("2026-10-25T00:30:00Z")
        );
    }

    #[test]
    fn a_span_goes_over_midnight() {
        let at = |h| NaiveTime::from_hms_opt(h, 0, 0).unwrap();
        let night = DailyWindow {
            from: at(22),
            to: at(7),
        };
        assert!(night.contains(at(23)) && night.contains(at(3)) && night.contains(at(22)));
        assert!(!night.contains(at(7)) && !night.contains(at(12)));
    }
}
