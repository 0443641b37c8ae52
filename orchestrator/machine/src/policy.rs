//! The policy: every constant the machine decides with, as data.
//!
//! What: [`Policy`], read from a commented TOML text whose SHA-256 is in every trace. Why: a changed number is a changed
//! policy that can be named, compared and replayed. Not here: the columns of the catalogue (confirm, class, surface),
//! which are code; the owner's own settings ([`crate::env::Settings`]).

use serde::Deserialize;
use toolcall_schema::{
    ActionKind, AgentName, Class, Severity, Surface, WellnessState, ids::sha256_hex, milli::Milli,
    tick::TriggerSource,
};

/// The text of the default policy, comments included.
pub const DEFAULT_TEXT: &str = include_str!("policy.toml");

/// A policy that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// Not TOML, an unknown key, a missing one, or a value of the wrong type; names line and column.
    #[error("read the policy")]
    Toml(#[from] toml::de::Error),
    /// A number outside its range.
    #[error("policy: {key} must be from {low} to {high}")]
    Range {
        /// The key.
        key: &'static str,
        /// The least value.
        low: i64,
        /// The greatest value.
        high: i64,
    },
}

/// A checked policy with the hash of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    table: Table,
    hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    version: u32,
    threshold: Milli,
    surface_cost: SurfaceCost,
    cost: Cost,
    m: StateWeight,
    priority: Priority,
    caps: Caps,
    triggers: Triggers,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "SCREAMING_SNAKE_CASE")]
struct SurfaceCost {
    watch: Milli,
    phone_card: Milli,
    earbud_tts: Milli,
    silent: Milli,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    confirm: Milli,
    recent_day: Milli,
    recent_window: Milli,
    dnd: Milli,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateWeight {
    #[serde(rename = "BASELINE")]
    baseline: Milli,
    #[serde(rename = "RECOVERING")]
    recovering: Milli,
    #[serde(rename = "FOCUSED")]
    focused: Milli,
    #[serde(rename = "UNKNOWN")]
    unknown: Milli,
    #[serde(rename = "STRESSED")]
    stressed: Milli,
    stressed_safety: Milli,
    time_critical: Milli,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Priority {
    #[serde(rename = "MUTE_GROUP_30")]
    mute_group_30: Milli,
    #[serde(rename = "BREATHE_478")]
    breathe_478: Milli,
    #[serde(rename = "NAP_15")]
    nap_15: Milli,
    #[serde(rename = "PERMIT_LEISURE")]
    permit_leisure: Milli,
    #[serde(rename = "BATCH_DIGEST")]
    batch_digest: Milli,
    #[serde(rename = "SHOW_BRIEF")]
    show_brief: Milli,
    #[serde(rename = "LEAVE_BY_ALERT")]
    leave_by_alert: Milli,
    #[serde(rename = "CATEGORIZE_TXN")]
    categorize_txn: Milli,
    #[serde(rename = "PROJECT_BALANCE")]
    project_balance: Milli,
    #[serde(rename = "DRAFT_REPLY")]
    draft_reply: Milli,
    #[serde(rename = "DECLINE_EVENT")]
    decline_event: Milli,
    comms_mute: Milli,
    anomaly_high: Milli,
    anomaly_medium: Milli,
    anomaly_low: Milli,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Caps {
    window_min: i64,
    recovering_min: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Triggers {
    load_score: u8,
    interval_min: i64,
    valid_min: i64,
}

impl Policy {
    /// Reads and checks a policy.
    ///
    /// # Errors
    /// [`PolicyError`] naming the key and, for TOML, the line.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let table: Table = toml::from_str(text)?;
        let unit = [
            ("threshold", table.threshold),
            ("cost.confirm", table.cost.confirm),
            ("cost.recent_day", table.cost.recent_day),
            ("cost.recent_window", table.cost.recent_window),
            ("cost.dnd", table.cost.dnd),
        ];
        for (key, value) in unit {
            within(key, value.0, 0, 1000)?;
        }
        within("version", i64::from(table.version), 1, 1)?;
        within("caps.window_min", table.caps.window_min, 0, 24 * 60)?;
        within("caps.recovering_min", table.caps.recovering_min, 0, 24 * 60)?;
        within(
            "triggers.load_score",
            i64::from(table.triggers.load_score),
            1,
            100,
        )?;
        within("triggers.interval_min", table.triggers.interval_min, 1, 24 * 60)?;
        within("triggers.valid_min", table.triggers.valid_min, 1, 24 * 60)?;
        Ok(Self {
            table,
            hash: sha256_hex(text.as_bytes()),
        })
    }

    /// SHA-256 of the text, comments included.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The least score that passes.
    pub fn threshold(&self) -> Milli {
        self.table.threshold
    }

    /// The cost of a surface.
    pub fn surface_cost(&self, surface: Surface) -> Milli {
        let cost = &self.table.surface_cost;
        match surface {
            Surface::Watch => cost.watch,
            Surface::PhoneCard => cost.phone_card,
            Surface::EarbudTts => cost.earbud_tts,
            Surface::Silent => cost.silent,
        }
    }

    /// The cost of asking for a confirmation.
    pub fn confirm_cost(&self) -> Milli {
        self.table.cost.confirm
    }

    /// The cost of repeating something: `today` times on this local day, `in_window` times within the window.
    pub fn recent_cost(&self, today: u32, in_window: u32) -> Milli {
        let cost = &self.table.cost;
        Milli(cost.recent_day.0 * i64::from(today) + cost.recent_window.0 * i64::from(in_window))
    }

    /// The cost of do not disturb on a surface.
    pub fn dnd_cost(&self, dnd: bool, surface: Surface) -> Milli {
        if dnd && surface != Surface::Watch {
            self.table.cost.dnd
        } else {
            Milli(0)
        }
    }

    /// `M(state, kind)`: how much a candidate counts in a state.
    pub fn m(&self, state: WellnessState, kind: ActionKind, class: Class, trigger: TriggerSource) -> Milli {
        let m = &self.table.m;
        let ends_a_mute = kind == ActionKind::BatchDigest && trigger == TriggerSource::MuteEnded;
        if state != WellnessState::Recovering && (class == Class::TimeCritical || ends_a_mute) {
            return m.time_critical;
        }
        match state {
            WellnessState::Baseline => m.baseline,
            WellnessState::Recovering => m.recovering,
            WellnessState::Focused => m.focused,
            WellnessState::Unknown => m.unknown,
            WellnessState::Stressed if class == Class::Safety => m.stressed_safety,
            WellnessState::Stressed => m.stressed,
        }
    }

    /// What an action is worth. `severity` is that of the arguments of `SURFACE_ANOMALY`; absent counts as low.
    pub fn priority(&self, kind: ActionKind, agent: AgentName, severity: Option<Severity>) -> Milli {
        let p = &self.table.priority;
        match kind {
            ActionKind::MuteGroup30 if agent == AgentName::Wellness => p.mute_group_30,
            ActionKind::MuteGroup30 => p.comms_mute,
            ActionKind::Breathe478 => p.breathe_478,
            ActionKind::Nap15 => p.nap_15,
            ActionKind::PermitLeisure => p.permit_leisure,
            ActionKind::BatchDigest => p.batch_digest,
            ActionKind::ShowBrief => p.show_brief,
            ActionKind::LeaveByAlert => p.leave_by_alert,
            ActionKind::CategorizeTxn => p.categorize_txn,
            ActionKind::SurfaceAnomaly => match severity {
                Some(Severity::High) => p.anomaly_high,
                Some(Severity::Medium) => p.anomaly_medium,
                Some(Severity::Low) | None => p.anomaly_low,
            },
            ActionKind::ProjectBalance => p.project_balance,
            ActionKind::DraftReply => p.draft_reply,
            ActionKind::DeclineEvent => p.decline_event,
        }
    }

    /// Milliseconds in which at most one proactive surface is shown.
    pub fn window_ms(&self) -> i64 {
        self.table.caps.window_min * 60_000
    }

    /// Milliseconds of silence after entering RECOVERING.
    pub fn recovering_ms(&self) -> i64 {
        self.table.caps.recovering_min * 60_000
    }

    /// The load score that starts a tick when crossed upwards.
    pub fn trigger_load(&self) -> u8 {
        self.table.triggers.load_score
    }

    /// Milliseconds between two interval triggers.
    pub fn interval_ms(&self) -> i64 {
        self.table.triggers.interval_min * 60_000
    }

    /// Milliseconds for which a trigger makes sense.
    pub fn trigger_valid_ms(&self) -> i64 {
        self.table.triggers.valid_min * 60_000
    }
}

fn within(key: &'static str, value: i64, low: i64, high: i64) -> Result<(), PolicyError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(PolicyError::Range { key, low, high })
    }
}

/// The agents whose sections a brief is expected to have.
pub const BRIEF_EXPECTS: [AgentName; 2] = [AgentName::Comms, AgentName::Calendar];

/// The companion that may ride on a card: the second of the pair needs to pass the caps only.
pub fn companion_of(kind: ActionKind) -> Option<ActionKind> {
    match kind {
        ActionKind::ShowBrief => Some(ActionKind::LeaveByAlert),
        ActionKind::SurfaceAnomaly => Some(ActionKind::ProjectBalance),
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::LeaveByAlert
        | ActionKind::CategorizeTxn
        | ActionKind::ProjectBalance
        | ActionKind::DraftReply
        | ActionKind::DeclineEvent => None,
    }
}

/// The class of an action as proposed by an agent: only Wellness proposes safety actions.
pub fn class_of(kind: ActionKind, agent: AgentName) -> Class {
    let class = kind.tool().columns().class;
    if class == Class::Safety && agent != AgentName::Wellness {
        Class::Normal
    } else {
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_policy_parses_and_has_the_seeds_numbers() {
        let policy = Policy::parse(DEFAULT_TEXT).unwrap();
        assert_eq!(policy.threshold(), Milli(450));
        assert_eq!(policy.window_ms(), 30 * 60_000);
        assert_eq!(policy.recovering_ms(), 60 * 60_000);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let text = DEFAULT_TEXT.replace("threshold = 0.45", "treshold = 0.45");
        let error = Policy::parse(&text).unwrap_err();
        let PolicyError::Toml(source) = error else {
            panic!("wrong kind of error")
        };
        assert!(source.to_string().contains("treshold"), "{source}");
        assert!(source.to_string().contains("line"), "{source}");
    }
}
