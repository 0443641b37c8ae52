//! The days that were, as another policy would have decided them, and one moment of them.

use crate::{
    milli::Milli,
    names::{ActionKind, ReasonCode},
    tick::Subject,
    time::Timestamp,
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::{Serialize, Serializer};
use std::fmt;

/// What of a recorded moment is imagined otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImaginedMoment {
    /// So many interruptions more on that day.
    pub more: u8,
    /// So many minutes later by the owner's clock, with the same that was known and proposed.
    pub later_min: u16,
}

/// How an interruption differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InterruptionChange {
    /// It would be new.
    Added,
    /// It would not have been.
    Removed,
    /// It would have come at another time.
    Moved,
    /// It would have come with something else.
    Changed,
}

/// One interruption that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterruptionDifference {
    pub change: InterruptionChange,
    /// When: as recorded, or for an added one under the other policy.
    pub at: Timestamp,
    /// Under the other policy, when it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<Timestamp>,
    /// The tick that decided it.
    pub tick: u64,
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// Under the policy that shows it.
    pub score: Option<Milli>,
    pub why: InterruptionReason,
}

/// Why an interruption differs. JSON and [`fmt::Display`] have it in names of the vocabulary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterruptionReason {
    /// It would have come with another one, or alone.
    Companion {
        now: Option<ActionKind>,
        was: Option<ActionKind>,
    },
    /// Under the other policy it would not have been chosen.
    Now(NotChosenReason),
    /// As recorded it was not chosen.
    Was(NotChosenReason),
}

/// Why a decision did not choose something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotChosenReason {
    NotProposed,
    /// With the name of the owner's rule that removed it.
    Removed(ReasonCode, Option<String>),
    BelowThreshold {
        score: Milli,
        threshold: Milli,
    },
    /// Something else was worth more.
    BelowThresholdWhile {
        score: Milli,
        chosen: ActionKind,
    },
    Behind(ActionKind),
    NotScored,
}

impl fmt::Display for InterruptionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |kind: &Option<ActionKind>| {
            kind.map_or_else(|| "alone".to_owned(), |kind| format!("with {kind}"))
        };
        match self {
            Self::Companion { now, was } => write!(f, "{}, was {}", with(now), with(was)),
            Self::Now(why) => write!(f, "now {why}"),
            Self::Was(why) => write!(f, "was {why}"),
        }
    }
}

impl fmt::Display for NotChosenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = ReasonCode::BelowThreshold;
        match self {
            Self::NotProposed => f.write_str("not proposed"),
            Self::Removed(reason, Some(rule)) => write!(f, "{reason} {rule}"),
            Self::Removed(reason, None) => write!(f, "{reason}"),
            Self::BelowThreshold { score, threshold } => {
                write!(f, "{below} at {score}, threshold {threshold}")
            }
            Self::BelowThresholdWhile { score, chosen } => {
                write!(f, "{below} at {score}, and {chosen} was chosen")
            }
            Self::Behind(kind) => write!(f, "behind {kind}"),
            Self::NotScored => f.write_str("not scored"),
        }
    }
}

impl Serialize for InterruptionReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One local day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WhatIfDay {
    pub date: NaiveDate,
    /// Interruptions as recorded.
    pub recorded: usize,
    /// Under the other policy.
    pub what_if: usize,
    /// What differs, in the order of time.
    pub differences: Vec<InterruptionDifference>,
    /// The owner's zone on that day.
    #[serde(skip)]
    pub zone: Option<Tz>,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WhatIfAnswer {
    /// SHA-256 of the other policy.
    pub policy_hash: String,
    /// Days with a decision, oldest first.
    pub days: Vec<WhatIfDay>,
    /// Interruptions as recorded.
    pub recorded: usize,
    /// Under the other policy.
    pub what_if: usize,
    /// Interruptions that would be new.
    pub added: usize,
    /// That would not have been.
    pub removed: usize,
    /// That would have come at another time.
    pub moved: usize,
    /// That would have come with something else.
    pub changed: usize,
    /// Ticks that the rules of another version of Aura decided: they are not decided again.
    pub of_other_rules: usize,
    /// Whether it was ended before the journal was.
    #[serde(skip)]
    pub cut: bool,
}
