//! The policy: every constant the machine decides with, as data.
//!
//! What: [`Policy`], read from a commented TOML text whose SHA-256 is in every trace. Why: a changed number is a changed
//! policy that can be named, compared and replayed. Not here: the columns of the catalogue (confirm, class, surface),
//! which are code; the owner's own settings ([`crate::env::MachineSettings`]).

mod check;
mod keys;

pub use check::{BYTES_MAX, PolicyError};
pub use keys::{ConstantUnit, DisplayAmount, KEYS, PolicyConstant, schema};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    ActionKind, AgentName, Class, Severity, Surface, WellnessState, ids::sha256_hex, milli::Milli,
    policy_diagnostic::PolicyDiagnostic,
};

/// The text of the default policy, comments included.
pub const DEFAULT_TEXT: &str = include_str!("policy.toml");

/// A checked policy with the hash of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    table: PolicyDocument,
    amounts: BTreeMap<&'static str, i64>,
    hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyDocument {
    version: u32,
    threshold: Milli,
    surface_cost: SurfaceCost,
    cost: CostWeights,
    m: StateWeight,
    priority: PriorityWeights,
    caps: CapDurations,
    #[serde(default)]
    state: StateLapse,
    triggers: TriggerThresholds,
    #[serde(default)]
    rules: PolicyRules,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyRules {
    known: Option<Vec<Vec<ActionKind>>>,
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
struct CostWeights {
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
struct PriorityWeights {
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
    /// A policy of before this kind has the default.
    #[serde(rename = "PREPARE_MEETING", default = "default_prepare_meeting")]
    prepare_meeting: Milli,
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

fn default_prepare_meeting() -> Milli {
    Milli(keys::PREPARE_MEETING)
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct CapDurations {
    window_min: i64,
    recovering_min: i64,
    #[serde(default = "default_asks_per_day")]
    asks_per_day: u8,
}

fn default_asks_per_day() -> u8 {
    u8::try_from(keys::ASKS_PER_DAY).unwrap_or_default()
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StateLapse {
    lapse_min: i64,
}

impl Default for StateLapse {
    fn default() -> Self {
        Self {
            lapse_min: keys::LAPSE_MIN,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct TriggerThresholds {
    load_score: u8,
    interval_min: i64,
    valid_min: i64,
}

impl Policy {
    /// Reads and checks a policy.
    ///
    /// # Errors
    /// [`PolicyError`] with every mistake and its place.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let amounts = check::read_constants(text)?;
        // What was checked has the form of the table: a test holds the two together.
        let table = toml::from_str(text).map_err(|error: toml::de::Error| PolicyError {
            first: PolicyDiagnostic {
                code: "POLICY-001",
                line: 1,
                column: 1,
                message: error.message().to_owned(),
            },
            more: vec![],
        })?;
        Ok(Self {
            table,
            amounts,
            hash: sha256_hex(text.as_bytes()),
        })
    }

    /// Every constant with its amount, in the order of the file.
    pub fn constants(&self) -> impl Iterator<Item = (&'static PolicyConstant, i64)> {
        KEYS.iter()
            .filter_map(|key| Some((key, *self.amounts.get(key.path)?)))
    }

    /// SHA-256 of the text, comments included.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The least score that passes.
    pub fn threshold(&self) -> Milli {
        self.table.threshold
    }

    /// Whether one rule holds all of these kinds: then what to do and to say is settled and no model is asked about it. A
    /// policy without rules (of before there were any) knows every combination, and one kind alone is always known.
    pub(crate) fn is_known_combination(&self, kinds: &BTreeSet<ActionKind>) -> bool {
        let holds = |rule: &Vec<ActionKind>| kinds.iter().all(|kind| rule.contains(kind));
        kinds.len() < 2
            || self
                .known_combinations()
                .is_none_or(|rules| rules.iter().any(holds))
    }

    /// The combinations of kinds that are known; `None`: every one.
    pub fn known_combinations(&self) -> Option<&[Vec<ActionKind>]> {
        self.table.rules.known.as_deref()
    }

    /// The cost of a surface.
    pub fn surface_cost(&self, surface: Surface) -> Milli {
        let cost = &self.table.surface_cost;
        match surface {
            Surface::Watch => cost.watch,
            // A push is a phone card that comes another way.
            Surface::PhoneCard | Surface::Push => cost.phone_card,
            Surface::EarbudTts => cost.earbud_tts,
            Surface::Silent => cost.silent,
        }
    }

    /// The cost of asking for a confirmation.
    pub fn confirm_cost(&self) -> Milli {
        self.table.cost.confirm
    }

    /// The cost of repeating something: `today` times on this local day, `in_window` times within the window.
    pub(crate) fn recent_cost(&self, today: u32, in_window: u32) -> Milli {
        let cost = &self.table.cost;
        Milli(cost.recent_day.0 * i64::from(today) + cost.recent_window.0 * i64::from(in_window))
    }

    /// The cost of do not disturb on a surface.
    pub(crate) fn dnd_cost(&self, dnd: bool, surface: Surface) -> Milli {
        if dnd && surface != Surface::Watch {
            self.table.cost.dnd
        } else {
            Milli(0)
        }
    }

    /// `M(state, kind)`: how much a candidate counts in a state; `ends_a_mute`: it is the digest of the channel whose mute
    /// has just ended.
    pub(crate) fn state_weight(&self, state: WellnessState, class: Class, ends_a_mute: bool) -> Milli {
        let m = &self.table.m;
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
            ActionKind::PrepareMeeting => p.prepare_meeting,
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
    pub(crate) fn recovering_ms(&self) -> i64 {
        self.table.caps.recovering_min * 60_000
    }

    /// So many cards a day ask what programs want.
    pub fn asks_per_day(&self) -> usize {
        usize::from(self.table.caps.asks_per_day)
    }

    /// Milliseconds from a reading to when it says nothing of the owner any more.
    pub(crate) fn lapse_ms(&self) -> i64 {
        self.table.state.lapse_min * 60_000
    }

    /// The load score that starts a tick when crossed upwards.
    pub(crate) fn trigger_load(&self) -> u8 {
        self.table.triggers.load_score
    }

    /// Milliseconds between two interval triggers.
    pub(crate) fn interval_ms(&self) -> i64 {
        self.table.triggers.interval_min * 60_000
    }

    /// Milliseconds for which a trigger makes sense.
    pub(crate) fn trigger_valid_ms(&self) -> i64 {
        self.table.triggers.valid_min * 60_000
    }
}

/// The agents whose sections a brief is expected to have.
pub const BRIEF_EXPECTS: [AgentName; 2] = [AgentName::Comms, AgentName::Calendar];

/// The companion that may ride on a card: the second of the pair needs to pass the caps only.
pub(crate) fn companion_of(kind: ActionKind) -> Option<ActionKind> {
    match kind {
        ActionKind::ShowBrief => Some(ActionKind::LeaveByAlert),
        ActionKind::SurfaceAnomaly => Some(ActionKind::ProjectBalance),
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::LeaveByAlert
        | ActionKind::PrepareMeeting
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
        assert_eq!(policy.lapse_ms(), 60 * 60_000);
    }

    #[test]
    fn a_policy_of_before_the_state_lapsed_has_the_default_for_it() {
        let table = DEFAULT_TEXT.find("[state]").unwrap()..DEFAULT_TEXT.find("[triggers]").unwrap();
        let mut text = DEFAULT_TEXT.to_owned();
        text.replace_range(table, "");
        for text in [text, DEFAULT_TEXT.replacen("lapse_min = 60", "", 1)] {
            let policy = Policy::parse(&text).unwrap();
            assert_eq!(policy.lapse_ms(), 60 * 60_000);
            assert_eq!(policy.constants().count(), KEYS.len());
        }
        let other = Policy::parse(&DEFAULT_TEXT.replacen("lapse_min = 60", "lapse_min = 90", 1)).unwrap();
        assert_eq!(other.lapse_ms(), 90 * 60_000);
    }

    #[test]
    fn a_policy_of_before_meetings_were_prepared_has_the_default_for_it() {
        let line = DEFAULT_TEXT
            .lines()
            .find(|line| line.starts_with("PREPARE_MEETING"))
            .unwrap();
        let before = DEFAULT_TEXT
            .replacen(line, "", 1)
            .replace("\"PREPARE_MEETING\", ", "");
        let worth = |text: &str| {
            let policy = Policy::parse(text).unwrap();
            assert_eq!(policy.constants().count(), KEYS.len());
            policy.priority(ActionKind::PrepareMeeting, AgentName::Calendar, None)
        };
        assert_eq!(worth(&before), Milli(750));
        assert_eq!(worth(DEFAULT_TEXT), Milli(750));
        let other = DEFAULT_TEXT.replacen("PREPARE_MEETING = 0.75", "PREPARE_MEETING = 0.9", 1);
        assert_eq!(worth(&other), Milli(900));
    }

    #[test]
    fn a_policy_of_before_programs_asked_has_the_default_for_it() {
        assert_eq!(Policy::parse(DEFAULT_TEXT).unwrap().asks_per_day(), 1);
        let other = DEFAULT_TEXT.replacen("window_min = 30", "asks_per_day = 3\nwindow_min = 30", 1);
        assert_eq!(Policy::parse(&other).unwrap().asks_per_day(), 3);
        let many = DEFAULT_TEXT.replacen("window_min = 30", "asks_per_day = 6\nwindow_min = 30", 1);
        let said = Policy::parse(&many).unwrap_err().to_string();
        assert!(
            said.contains("caps.asks_per_day must be from 0 a day to 5 a day"),
            "{said}"
        );
    }

    #[test]
    fn the_table_of_constants_is_that_of_the_default_policy() {
        let policy = Policy::parse(DEFAULT_TEXT).unwrap();
        assert_eq!(policy.constants().count(), KEYS.len());
        let mut paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), KEYS.len(), "each once");
    }

    #[test]
    fn every_mistake_is_named_with_its_place_and_the_remedy() {
        for (from, to, wanted) in [
            (
                "threshold = 0.45",
                "threshold = ",
                "POLICY-001: line 11, column 13: not TOML",
            ),
            (
                "threshold = 0.45",
                "treshold = 0.45",
                "POLICY-002: line 11, column 1: unknown key \"treshold\"; the top may hold version, threshold",
            ),
            ("[caps]", "[cap]", "POLICY-002"),
            (
                "confirm = 0.05",
                "confrm = 0.05",
                "[cost] may hold confirm, recent_day, recent_window, dnd",
            ),
            (
                "SILENT = 0.0 ",
                "",
                "surface_cost.SILENT is missing: what costs nobody's attention costs, from 0.0 to 1.0",
            ),
            (
                "threshold = 0.45",
                "threshold = \"much\"",
                "POLICY-004: line 11, column 13: threshold must be a number such as 0.45",
            ),
            (
                "window_min = 30 ",
                "window_min = 30.5 ",
                "caps.window_min must be a whole number",
            ),
            (
                "threshold = 0.45",
                "threshold = 1.01",
                "POLICY-005: line 11, column 13: threshold must be from 0.0 to 1.0",
            ),
            (
                "threshold = 0.45",
                "threshold = 0.4505",
                "threshold has more than three decimals",
            ),
            ("threshold = 0.45", "threshold = nan", "POLICY-005"),
            (
                "interval_min = 15",
                "interval_min = 0",
                "triggers.interval_min must be from 1 min to 1440 min",
            ),
            (
                "interval_min = 15",
                "interval_min = 99999999999999999999",
                "POLICY-00",
            ),
            ("version = 1", "version = 2", "version must be from 1 to 1"),
        ] {
            assert!(DEFAULT_TEXT.contains(from), "{from}");
            let said = Policy::parse(&DEFAULT_TEXT.replacen(from, to, 1))
                .unwrap_err()
                .to_string();
            assert!(said.contains(wanted), "{to}: {said}");
        }
        let long = format!("{DEFAULT_TEXT}#{}", "-".repeat(BYTES_MAX));
        assert!(
            Policy::parse(&long)
                .unwrap_err()
                .to_string()
                .starts_with("POLICY-006")
        );
    }

    #[test]
    fn all_mistakes_are_found_at_once_in_the_order_of_the_text() {
        let text = DEFAULT_TEXT
            .replace("threshold = 0.45", "threshold = 2.0")
            .replace("dnd = 1.0", "dnd = true")
            .replace("load_score = 70", "load = 70");
        let error = Policy::parse(&text).unwrap_err();
        let codes: Vec<&str> = error.findings().map(|finding| finding.code).collect();
        assert_eq!(codes, ["POLICY-005", "POLICY-004", "POLICY-002", "POLICY-003"]);
    }

    #[test]
    fn an_amount_is_written_as_people_write_it() {
        let shown = |path: &str, amount| {
            let key = KEYS.iter().find(|key| key.path == path).unwrap();
            key.show(amount).to_string()
        };
        assert_eq!(shown("threshold", 450), "0.45");
        assert_eq!(shown("threshold", 1000), "1.0");
        assert_eq!(shown("m.stressed_safety", 1405), "1.405");
        assert_eq!(shown("caps.window_min", 30), "30 min");
        assert_eq!(shown("triggers.load_score", 70), "70 points");
    }
}
