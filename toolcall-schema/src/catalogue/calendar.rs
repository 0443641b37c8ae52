//! The tools of Calendar.

use crate::{
    ids::EventId,
    names::DeclineReason,
    signal::Location,
    tick::{IngestArgs, TickArgs},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// Every tool of Calendar with its typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CalendarTool {
    /// `calendar.ingest`
    Ingest(IngestArgs),
    /// `calendar.tick`
    Tick(TickArgs),
    /// `calendar.travel_aware_alert`
    TravelAwareAlert(TravelAwareAlert),
    /// `calendar.auto_decline`
    AutoDecline(AutoDecline),
}

/// Arguments of `calendar.travel_aware_alert`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TravelAwareAlert {
    /// The event to leave for.
    pub event_id: EventId,
    /// Where the owner is; absent: the last place the agent knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_loc: Option<Location>,
    /// Minutes kept free before leaving, 0 to 120.
    pub buffer_min: u32,
}

/// Result of `calendar.travel_aware_alert`. Effect: `card_show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaveBy {
    /// The event.
    pub event_id: EventId,
    /// Its start.
    pub start: Timestamp,
    /// `start - travel_min - buffer_min`.
    pub leave_by: Timestamp,
    /// Minutes to get there.
    pub travel_min: u32,
}

/// Arguments of `calendar.auto_decline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoDecline {
    /// The event to decline.
    pub event_id: EventId,
    /// Why.
    pub reason_template: DeclineReason,
}

/// Result of `calendar.auto_decline`. Effect: one `outbox_file` with an iTIP reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declined {
    /// The event.
    pub event_id: EventId,
    /// Bytes of the reply in the outbox.
    pub bytes: u32,
}
