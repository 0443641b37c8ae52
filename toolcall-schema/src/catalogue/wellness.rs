//! The tools of Wellness.

use crate::{
    ids::ChannelHash,
    milli::Milli,
    names::closed_enum,
    tick::{IngestArgs, TickArgs},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// Every tool of Wellness with its typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum WellnessTool {
    /// `wellness.ingest`
    Ingest(IngestArgs),
    /// `wellness.tick`
    Tick(TickArgs),
    /// `wellness.guide_breathing`
    GuideBreathing(GuideBreathing),
    /// `wellness.start_nap_timer`
    StartNapTimer(StartNapTimer),
    /// `wellness.permit_leisure`
    PermitLeisure(PermitLeisure),
    /// `wellness.compute_load_score`
    ComputeLoadScore(ComputeLoadScore),
    /// `wellness.intervention_select`
    InterventionSelect(InterventionSelect),
    /// `wellness.correlation_check`
    CorrelationCheck(CorrelationCheck),
    /// `wellness.recovery_check`
    RecoveryCheck(RecoveryCheck),
}

closed_enum!(
    /// What is measured, in the units of [`LoadFeatures`].
    FeatureName {
        /// Heart-rate variability.
        RmssdMs = "rmssd_ms",
        /// Last night's sleep.
        AsleepMin = "asleep_min",
        TypingEntropy = "typing_entropy",
        /// Switching of programs.
        AppSwitchRate = "app_switch_rate",
        /// Dismissed notifications.
        NotifDismissRate = "notif_dismiss_rate",
        /// Screen time.
        ScreenOnMin = "screen_on_min",
    }
);

/// Measurements; what is missing adds nothing to a score.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadFeatures {
    /// RMSSD, 3 to 250 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmssd_ms: Option<f64>,
    /// Minutes asleep last night, 1 to 1200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asleep_min: Option<f64>,
    /// Bits over 60 s, 0 to 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typing_entropy: Option<f64>,
    /// Switches of program in 60 s, 0 to 120.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_switch_rate: Option<f64>,
    /// Share of notifications dismissed in 60 min, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notif_dismiss_rate: Option<f64>,
    /// Minutes of screen in 60 min, 0 to 60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_on_min: Option<f64>,
}

/// Arguments of `wellness.compute_load_score`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputeLoadScore {
    /// Score these and nothing else; absent: the newest that were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<LoadFeatures>,
}

/// The load score of somebody of whom nothing is unusual (`docs/agents/wellness.md`); drivers move it up and down.
pub const LOAD_BASE: f64 = 38.0;

/// Result of `wellness.compute_load_score`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadScored {
    /// 0 to 100; at most 70 without an RMSSD.
    pub load_score: u8,
    /// The measurements that move it most, at most 3, the strongest first.
    pub drivers: Vec<LoadDriver>,
}

/// One measurement's part in a load score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadDriver {
    pub feature: FeatureName,
    /// Points that it adds; negative when it calms.
    pub points: Milli,
    /// Its share of all points that measurements add or take, 0 to 1.
    pub share: Milli,
}

closed_enum!(
    /// What Wellness can propose; of equal utilities the first in this order.
    Intervention {
        /// Mute the loud channel.
        Mute = "MUTE_GROUP_30",
        Breathe = "BREATHE_478",
        Nap = "NAP_15",
        /// Take a break.
        Leisure = "PERMIT_LEISURE",
    }
);

/// Arguments of `wellness.intervention_select`. Sleep, the fall of the score and the hour are what was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterventionSelect {
    /// 0 to 100.
    pub score: u8,
    /// Whether a focus block is on.
    pub in_focus: bool,
    /// Whether an event is on.
    pub in_meeting: bool,
    /// A loud channel that is not muted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_channel: Option<ChannelHash>,
}

/// Result of `wellness.intervention_select`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterventionResult {
    /// What fits best; absent: nothing is better than doing nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Intervention>,
    /// Its utility; 0 for nothing.
    pub utility: Milli,
}

/// Arguments of `wellness.correlation_check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrelationCheck {
    /// 3 to 512 pairs, e.g. of a load score and what the owner said of it.
    pub samples: Vec<[f64; 2]>,
}

/// Result of `wellness.correlation_check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrelationResult {
    /// Spearman's rho, ties with their average rank, -1 to 1.
    pub rho: Milli,
    pub n: u32,
}

/// Arguments of `wellness.recovery_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryCheck {
    /// Load scores, oldest first, 1 to 96; absent: those that were computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<u8>>,
}

/// Result of `wellness.recovery_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryResult {
    /// At least 4 scores; the newest below 60 and at least 10 below the highest of the last 6, which is 70 or more.
    pub recovered: bool,
    /// The newest score.
    pub newest: u8,
    /// How far it is below the highest of the last 6.
    pub drop: u8,
}

/// Arguments of `wellness.guide_breathing`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuideBreathing {
    /// Rounds of 4-7-8 breathing (19 s each), 1 to 20.
    pub cycles: u32,
}

/// Arguments of `wellness.start_nap_timer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartNapTimer {
    /// 5 to 90 minutes.
    pub duration_min: u32,
}

/// Arguments of `wellness.permit_leisure`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermitLeisure {
    /// 15 to 240 minutes.
    pub window_min: u32,
}

/// Result of the three: the course was started. Effect: one `timer_set` at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseStarted {
    /// When it ends.
    pub ends_at: Timestamp,
}
