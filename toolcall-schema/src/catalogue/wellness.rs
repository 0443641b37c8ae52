//! The tools of Wellness.

use crate::{
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
pub struct Started {
    /// When it ends.
    pub ends_at: Timestamp,
}
