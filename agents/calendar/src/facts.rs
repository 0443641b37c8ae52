//! What Calendar tells the orchestrator: events that came, changed or went, and when to think of leaving.
//!
//! What: [`facts`], pure. Why: the orchestrator knows meetings, focus blocks and alert times without their text. Not
//! here: candidates (`tick`).

use super::model::{EventInstance, leave_by, travel_min};
use agents_base::zone::{day_start, local_date};
use chrono::TimeDelta;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    catalogue::calendar::{LEAVE_ALERT_MIN, PREPARE_MIN, WAY_MIN},
    ids::EventId,
    signal::LocationData,
    tick::IngestFact,
};

/// Facts in one answer; what does not fit is told in the next.
const MAX_FACTS: usize = 512;

/// What the orchestrator was told about an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportedInstance {
    /// Its start.
    pub(crate) start: Timestamp,
    /// Its end.
    pub(crate) end: Timestamp,
    /// Whether it is a focus block.
    pub(crate) focus: bool,
    /// When to leave, where the way takes 10 minutes or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) leave_by: Option<Timestamp>,
    /// Where the owner asked for it and others are invited: when to prepare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prepare_at: Option<Timestamp>,
}

/// What the facts depend on beside the instances.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactContext {
    /// The owner's zone.
    pub(crate) zone: Tz,
    /// Where the owner is.
    pub(crate) place: Option<LocationData>,
    /// Minutes kept free before leaving.
    pub(crate) buffer_min: u32,
    /// Whether the owner asked for a card before meetings.
    pub(crate) prepares_meetings: bool,
}

/// The facts about the instances of today and tomorrow that are not in `told`, and what is told after them.
pub(crate) fn facts(
    instances: &[EventInstance],
    told: &BTreeMap<EventId, ReportedInstance>,
    context: FactContext,
    at: Timestamp,
) -> (Vec<IngestFact>, BTreeMap<EventId, ReportedInstance>) {
    let today = local_date(at, context.zone);
    let from = day_start(today, context.zone);
    let to = day_start(today + TimeDelta::days(2), context.zone);
    let mut facts = Vec::new();
    let mut now: BTreeMap<EventId, ReportedInstance> = BTreeMap::new();
    let meets = |i: &&EventInstance| !i.all_day && i.start < to && i.end >= from;
    for i in instances.iter().filter(meets) {
        let travel = travel_min(i.travel, context.place);
        let next = ReportedInstance {
            start: i.start,
            end: i.end,
            focus: i.focus,
            leave_by: (travel >= WAY_MIN).then(|| leave_by(i.start, travel, context.buffer_min)),
            prepare_at: (context.prepares_meetings && i.is_meeting()).then(|| i.start.plus_min(-PREPARE_MIN)),
        };
        let before = told.get(&i.id);
        let moved = before.is_none_or(|b| (b.start, b.end, b.focus) != (next.start, next.end, next.focus));
        let mut of_one = Vec::new();
        // Something that leaves the owner free is no running event, unless it is a focus block.
        if moved && (!i.transparent || i.focus) {
            of_one.push(IngestFact::EventChanged {
                event: i.id.clone(),
                start: i.start,
                end: i.end,
                focus: i.focus,
            });
        }
        let scheduled = moved || before.is_some_and(|b| b.leave_by != next.leave_by);
        if let Some(leave_by) = next.leave_by.filter(|leave| scheduled && *leave >= at) {
            of_one.push(IngestFact::Schedule {
                event: i.id.clone(),
                alert_at: leave_by.plus_min(-LEAVE_ALERT_MIN),
                leave_by,
            });
        }
        let prepared = moved || before.is_some_and(|b| b.prepare_at != next.prepare_at);
        if let Some(prepare_at) = next.prepare_at.filter(|_| prepared && i.start > at) {
            of_one.push(IngestFact::Meeting {
                event: i.id.clone(),
                prepare_at,
                start: i.start,
            });
        }
        if facts.len() + of_one.len() <= MAX_FACTS {
            facts.append(&mut of_one);
            now.insert(i.id.clone(), next);
        } else if let Some(before) = before {
            now.insert(i.id.clone(), *before);
        }
    }
    for (id, gone) in told {
        // What lies behind is over, not cancelled.
        if now.contains_key(id) || gone.end <= at || gone.end < from {
            continue;
        }
        if facts.len() < MAX_FACTS {
            facts.push(IngestFact::EventChanged {
                event: id.clone(),
                start: gone.start,
                end: gone.start,
                focus: gone.focus,
            });
        } else {
            now.insert(id.clone(), *gone);
        }
    }
    (facts, now)
}
