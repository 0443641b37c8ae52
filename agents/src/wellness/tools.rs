//! What Wellness's tools give back.
//!
//! What: [`started`], when a course, a nap or a break ends. Why: a tool that waited would block its agent; the end is an
//! effect that the supervisor performs. Not here: ringing (the supervisor), the guidance itself (surfaces).

use toolcall_schema::{
    Timestamp,
    catalogue::{
        WellnessTool,
        wellness::{GuideBreathing, PermitLeisure, StartNapTimer, Started},
    },
};

/// One round of breathing: in for 4 s, hold for 7 s, out for 8 s.
const ROUND_MS: i64 = 19_000;

/// When the course ends that the tool starts at `at`; `None` for the two tools that start none.
pub(super) fn started(tool: &WellnessTool, at: Timestamp) -> Option<Started> {
    let ends_at = match tool {
        WellnessTool::GuideBreathing(GuideBreathing { cycles }) => at.plus_ms(i64::from(*cycles) * ROUND_MS),
        WellnessTool::StartNapTimer(StartNapTimer { duration_min }) => at.plus_min(i64::from(*duration_min)),
        WellnessTool::PermitLeisure(PermitLeisure { window_min }) => at.plus_min(i64::from(*window_min)),
        WellnessTool::Ingest(_) | WellnessTool::Tick(_) => return None,
    };
    Some(Started { ends_at })
}
