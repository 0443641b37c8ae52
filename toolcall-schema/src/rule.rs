//! The owner's rules: "tell me when not to".
//!
//! What: [`OwnerRule`], its name and its bounds, and whether it stands against a candidate; [`DailyWindow`]; [`OwnerInstruction`], a pause or a rule as it is given. Why: page, command line,
//! recorded days and machine mean the same by a rule. Not here: which pause and mutes are in force (`orchestrator-machine::state`), keeping
//! rules (they are events of the journal).

use crate::{
    ids::{IdError, PersonHash, parsed},
    names::ActionKind,
    tick::Subject,
    time::Timestamp,
};
use chrono::{Datelike, NaiveDate, NaiveTime};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// At most this many rules stand at a time.
pub const RULES_MAX: usize = 64;

/// A span of the day in the owner's zone, as the brief and quiet hours have; `to` before `from` goes over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DailyWindow {
    /// From, inclusive.
    pub from: NaiveTime,
    /// To, exclusive.
    pub to: NaiveTime,
}

impl DailyWindow {
    /// Whether a time of day lies in it.
    pub fn contains(self, time: NaiveTime) -> bool {
        if self.from <= self.to {
            self.from <= time && time < self.to
        } else {
            time >= self.from || time < self.to
        }
    }
}

/// What the owner says outside the cards, from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum OwnerInstruction {
    /// Quiet until then (wall clock).
    Pause { until: Timestamp },
    /// A rule, in place of one of the same name.
    Rule { rule: OwnerRule },
}

/// An instruction as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenInstruction {
    /// When; no two are of one instant.
    pub at_wall: Timestamp,
    pub what: OwnerInstruction,
}

/// The name of a rule, `^[a-z0-9-]{1,40}$`: it stands in the traces that the rule changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RuleName(String);

impl RuleName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`IdError`] when it has another shape.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if (1..=40).contains(&text.len()) && text.bytes().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError {
                what: "rule name",
                shape: "^[a-z0-9-]{1,40}$",
            })
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RuleName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parsed(d, Self::parse)
    }
}

/// A rule that forbids. What it leaves open matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerRule {
    /// Its name; a new rule of the same name takes its place.
    pub name: RuleName,
    /// Only these kinds; empty: every kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<ActionKind>,
    /// Only about this: a channel hash, a person (what they wrote, wherever), an event, a category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// Only in these hours of the owner's day, the end excluded; over midnight when the end is earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<(NaiveTime, NaiveTime)>,
    /// Only on these days, 1 = Monday to 7; empty: every day. Hours over midnight belong to the day they begin on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<u8>,
    /// From then on (wall clock).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// Until then (wall clock); then it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// A rule that cannot be taken. Never quotes what was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It is no rule.
    #[error("RULE-001: {what}")]
    Senseless {
        /// Which part, its limit, and what would be right.
        what: &'static str,
    },
    /// There are as many as there may be.
    #[error("RULE-002: {RULES_MAX} rules stand already, which is the limit; remove one first")]
    TooMany,
    /// There is none of that name.
    #[error("RULE-003: there is no rule of that name; `aura rule list` names those there are")]
    Unknown,
}

impl RuleError {
    /// Its code, with a page in `docs/errors`.
    pub fn code(self) -> &'static str {
        match self {
            RuleError::Senseless { .. } => "RULE-001",
            RuleError::TooMany => "RULE-002",
            RuleError::Unknown => "RULE-003",
        }
    }
}

impl OwnerRule {
    /// A rule that leaves everything open; [`Self::check`] refuses it as it is.
    pub fn named(name: RuleName) -> Self {
        Self {
            name,
            kinds: vec![],
            subject: None,
            hours: None,
            days: vec![],
            from: None,
            until: None,
        }
    }

    /// The mute of a person: the rule that nothing is said about what they wrote until then. It takes the place of their mute in `rules`, else the
    /// next free name; `None`: none is.
    pub fn muting(person: &PersonHash, until: Timestamp, rules: &[OwnerRule]) -> Option<Self> {
        let muted = |rule: &&OwnerRule| rule.muted_person().is_some_and(|(of, _)| of == *person);
        let free = || {
            (1..=RULES_MAX + 1)
                .filter_map(|n| RuleName::parse(&format!("mute-{n}")).ok())
                .find(|name| rules.iter().all(|rule| rule.name != *name))
        };
        let name = rules.iter().find(muted).map(|rule| rule.name.clone());
        Some(Self {
            subject: Some(Subject::from(person)),
            until: Some(until),
            ..Self::named(name.or_else(free)?)
        })
    }

    /// Whom it mutes until when; `None`: it is no mute of a person.
    pub fn muted_person(&self) -> Option<(PersonHash, Timestamp)> {
        let person = PersonHash::parse(self.subject.as_ref()?.as_str()).ok()?;
        let until = self.until?;
        let plain = Self {
            subject: self.subject.clone(),
            until: self.until,
            ..Self::named(self.name.clone())
        };
        (*self == plain).then_some((person, until))
    }

    /// Whether it makes sense.
    ///
    /// # Errors
    /// [`RuleError::Senseless`] naming the part.
    pub fn check(&self) -> Result<(), RuleError> {
        let twice =
            |n: usize, same: &dyn Fn(usize, usize) -> bool| (0..n).any(|a| (0..a).any(|b| same(a, b)));
        let what = if self.kinds.is_empty()
            && self.subject.is_none()
            && self.hours.is_none()
            && self.days.is_empty()
            && self.until.is_none()
        {
            "it forbids everything for ever; name a kind, a channel, hours, days or an end, or use `aura pause`"
        } else if self.hours.is_some_and(|(from, to)| from == to) {
            "its hours begin when they end; leave them out for the whole day"
        } else if self.days.iter().any(|day| !(1..=7).contains(day)) {
            "its days must be from 1 (Monday) to 7 (Sunday)"
        } else if twice(self.days.len(), &|a, b| self.days.get(a) == self.days.get(b)) {
            "it names a day twice"
        } else if twice(self.kinds.len(), &|a, b| self.kinds.get(a) == self.kinds.get(b)) {
            "it names a kind twice"
        } else if self
            .from
            .zip(self.until)
            .is_some_and(|(from, until)| until <= from)
        {
            "it ends before it begins"
        } else {
            return Ok(());
        };
        Err(RuleError::Senseless { what })
    }

    /// Whether it forbids a candidate at an instant of the wall clock, which is that date and time of day for the owner.
    pub fn forbids(
        &self,
        kind: ActionKind,
        subject: &Subject,
        wall: Timestamp,
        (date, time): (NaiveDate, NaiveTime),
    ) -> bool {
        let fits = (self.kinds.is_empty() || self.kinds.contains(&kind))
            && self.subject.as_ref().is_none_or(|s| s == subject);
        fits && self.stands(wall, (date, time))
    }

    /// Whether it forbids anything at all at an instant, which is that date and time of day for the owner.
    pub fn stands(&self, wall: Timestamp, (date, time): (NaiveDate, NaiveTime)) -> bool {
        let between =
            self.from.is_none_or(|from| from <= wall) && self.until.is_none_or(|until| wall < until);
        between && self.at_home(date, time)
    }

    /// Whether its hours and days cover a moment. The small hours of hours over midnight count to the day before.
    fn at_home(&self, date: NaiveDate, time: NaiveTime) -> bool {
        let (inside, begun) = match self.hours {
            None => (true, Some(date)),
            Some((from, to)) if from <= to => (from <= time && time < to, Some(date)),
            Some((from, _)) if time >= from => (true, Some(date)),
            Some((_, to)) => (time < to, date.pred_opt()),
        };
        let weekday = |date: NaiveDate| u8::try_from(date.weekday().number_from_monday()).unwrap_or(0);
        inside && (self.days.is_empty() || begun.is_some_and(|date| self.days.contains(&weekday(date))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> OwnerRule {
        OwnerRule::named(RuleName::parse("night").unwrap())
    }

    fn at(h: u32, m: u32) -> NaiveTime {
        NaiveTime::from_hms_opt(h, m, 0).unwrap()
    }

    #[test]
    fn a_rule_forbids_what_it_names_when_it_names_it() {
        // 2026-11-06 is a Friday.
        let friday = NaiveDate::from_ymd_opt(2026, 11, 6).unwrap();
        let saturday = friday.succ_opt().unwrap();
        let wall = Timestamp::parse("2026-11-06T12:00:00Z").unwrap();
        let night = Some((at(22, 0), at(7, 0)));
        let (brief, all) = (ActionKind::ShowBrief, Subject::all());
        for (rule, date, time, wanted) in [
            (
                OwnerRule {
                    kinds: vec![brief],
                    ..rule()
                },
                friday,
                at(8, 0),
                true,
            ),
            (
                OwnerRule {
                    kinds: vec![ActionKind::Nap15],
                    ..rule()
                },
                friday,
                at(8, 0),
                false,
            ),
            (
                OwnerRule {
                    subject: Some(Subject::all()),
                    ..rule()
                },
                friday,
                at(8, 0),
                true,
            ),
            (
                OwnerRule {
                    subject: Some(Subject::of_self()),
                    ..rule()
                },
                friday,
                at(8, 0),
                false,
            ),
            (
                OwnerRule {
                    hours: night,
                    ..rule()
                },
                friday,
                at(22, 0),
                true,
            ),
            (
                OwnerRule {
                    hours: night,
                    ..rule()
                },
                friday,
                at(7, 0),
                false,
            ),
            // Friday's night lasts until Saturday morning, and Friday morning is still Thursday's.
            (
                OwnerRule {
                    hours: night,
                    days: vec![5],
                    ..rule()
                },
                friday,
                at(23, 0),
                true,
            ),
            (
                OwnerRule {
                    hours: night,
                    days: vec![5],
                    ..rule()
                },
                saturday,
                at(6, 59),
                true,
            ),
            (
                OwnerRule {
                    hours: night,
                    days: vec![5],
                    ..rule()
                },
                friday,
                at(6, 59),
                false,
            ),
            (
                OwnerRule {
                    days: vec![6, 7],
                    ..rule()
                },
                friday,
                at(12, 0),
                false,
            ),
            (
                OwnerRule {
                    until: Some(wall),
                    ..rule()
                },
                friday,
                at(12, 0),
                false,
            ),
            (
                OwnerRule {
                    from: Some(wall),
                    days: vec![5],
                    ..rule()
                },
                friday,
                at(12, 0),
                true,
            ),
            (
                OwnerRule {
                    from: Some(wall.plus_ms(1)),
                    days: vec![5],
                    ..rule()
                },
                friday,
                at(12, 0),
                false,
            ),
        ] {
            assert_eq!(
                rule.forbids(brief, &all, wall, (date, time)),
                wanted,
                "{rule:?} {date} {time}"
            );
        }
    }

    #[test]
    fn a_senseless_rule_is_refused_with_what_is_wrong() {
        let wall = Timestamp::parse("2026-11-06T12:00:00Z").unwrap();
        let brief = vec![ActionKind::ShowBrief];
        for (rule, wanted) in [
            (rule(), Some("forbids everything")),
            (
                OwnerRule {
                    from: Some(wall),
                    ..rule()
                },
                Some("forbids everything"),
            ),
            (
                OwnerRule {
                    hours: Some((at(9, 0), at(9, 0))),
                    ..rule()
                },
                Some("begin when they end"),
            ),
            (
                OwnerRule {
                    days: vec![0],
                    ..rule()
                },
                Some("from 1"),
            ),
            (
                OwnerRule {
                    days: vec![8],
                    ..rule()
                },
                Some("from 1"),
            ),
            (
                OwnerRule {
                    days: vec![1, 2, 1],
                    ..rule()
                },
                Some("day twice"),
            ),
            (
                OwnerRule {
                    kinds: [brief.clone(), brief.clone()].concat(),
                    ..rule()
                },
                Some("kind twice"),
            ),
            (
                OwnerRule {
                    from: Some(wall),
                    until: Some(wall),
                    ..rule()
                },
                Some("ends before"),
            ),
            (
                OwnerRule {
                    until: Some(wall),
                    ..rule()
                },
                None,
            ),
            (
                OwnerRule {
                    kinds: brief,
                    ..rule()
                },
                None,
            ),
        ] {
            let said = rule.check().err().map(|error| error.to_string());
            match (&said, wanted) {
                (Some(said), Some(wanted)) => {
                    assert!(said.starts_with("RULE-001") && said.contains(wanted), "{said}");
                }
                (said, wanted) => assert!(said.is_none() && wanted.is_none(), "{said:?} {rule:?}"),
            }
        }
    }

    #[test]
    fn a_name_is_short_and_plain() {
        for (text, wanted) in [
            ("no-briefs-2", true),
            ("", false),
            ("Night", false),
            ("a b", false),
            (&"a".repeat(40), true),
            (&"a".repeat(41), false),
        ] {
            assert_eq!(RuleName::parse(text).is_ok(), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_person_is_muted_by_a_rule_that_ends_and_muted_once() {
        let person = |n: u32| PersonHash::parse(&format!("pe_{n:016x}")).unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let (noon, night) = (at("2026-11-06T12:00:00Z"), at("2026-11-06T22:00:00Z"));
        let first = OwnerRule::muting(&person(1), noon, &[]).unwrap();
        assert_eq!((first.name.as_str(), first.check()), ("mute-1", Ok(())));
        assert_eq!(first.muted_person(), Some((person(1), noon)));
        let other = OwnerRule::muting(&person(2), noon, std::slice::from_ref(&first)).unwrap();
        assert_eq!(other.name.as_str(), "mute-2");
        let later = OwnerRule::muting(&person(1), night, &[other, first.clone()]).unwrap();
        assert_eq!(
            (later.name.as_str(), later.muted_person()),
            ("mute-1", Some((person(1), night)))
        );
        // A rule for some hours, for ever, or about a chat is none.
        for rule in [
            OwnerRule {
                hours: Some((NaiveTime::MIN, noon.utc().time())),
                ..first.clone()
            },
            OwnerRule {
                until: None,
                ..first.clone()
            },
            OwnerRule {
                subject: Some(Subject::parse("ch_0000000000000001").unwrap()),
                ..first
            },
        ] {
            assert_eq!(rule.muted_person(), None, "{rule:?}");
        }
    }
}
