//! What Calendar proposes: from instances and the owner's state to candidates and readings.
//!
//! What: [`tick`], pure. Why: the same calendar and the same question give the same answer. Not here: what a candidate
//! is worth (the machine), carrying it out (`tools`).

use super::model::{InstanceWindow, leave_by, travel_min};
use agents_base::zone::{day_start, local_date};
use chrono_tz::Tz;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::calendar::{LEAVE_SPAN_MIN, PREPARE_MIN, WAY_MIN},
    ids::EventId,
    milli::Milli,
    signal::LocationData,
    tick::{
        Candidate, ReadingKey, SignalReading, Subject, TickArgs, TickResult, TickStatus, Trigger,
        TriggerSource,
    },
};

/// Meetings that are prepared for in one tick, the first by start.
const MAX_MEETINGS: usize = 4;
/// How sure Calendar is that a meeting is one.
const MEETING_CONFIDENCE: Milli = Milli(900);
/// Conflicting events for which a decline is proposed in one tick, the first by start.
const MAX_DECLINES: usize = 4;
/// The longest buffer that the tool's schema admits.
pub(crate) const MAX_BUFFER: u32 = 120;

/// What [`tick`] looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalendarView<'a> {
    /// The instances around today.
    pub(crate) window: &'a InstanceWindow,
    /// Events for which a decline was written already.
    pub(crate) declined: &'a BTreeSet<EventId>,
    /// The owner's zone.
    pub(crate) zone: Tz,
    /// Where the owner is.
    pub(crate) place: Option<LocationData>,
    /// Minutes kept free before leaving.
    pub(crate) buffer_min: u32,
    /// Whether the owner asked for a card before meetings.
    pub(crate) prepares_meetings: bool,
    /// Whether any calendar was read.
    pub(crate) any: bool,
}

/// Candidates and readings at `at`.
pub(crate) fn tick(view: &CalendarView<'_>, args: &TickArgs, at: Timestamp) -> TickResult {
    if !view.any {
        return TickResult {
            candidates: Vec::new(),
            readings: Vec::new(),
            status: TickStatus::NoData,
        };
    }
    let today = local_date(at, view.zone);
    let tomorrow = today.succ_opt().map_or(at, |date| day_start(date, view.zone));
    let events = view.window.ahead(at, tomorrow);
    let conflicts = view.window.conflicts_ahead(at, tomorrow);
    let next = view.window.next(at);
    let mut candidates = Vec::new();
    let mut readings = vec![
        SignalReading::new(ReadingKey::EventsToday, events as f64),
        SignalReading::new(ReadingKey::Conflicts, conflicts as f64),
    ];
    if let Some(next) = next {
        let travel = travel_min(next.travel, view.place);
        let leave = leave_by(next.start, travel, view.buffer_min);
        if travel >= WAY_MIN && leave.plus_min(-LEAVE_SPAN_MIN) <= at && at <= leave {
            let args = json!({"event_id": next.id, "buffer_min": view.buffer_min});
            let mut alert = candidate(ActionKind::LeaveByAlert, Subject::from(&next.id), args);
            alert.valid_until = Some(leave);
            candidates.push(alert);
        }
        if travel > 0 {
            // To the nearest minute: a tick some milliseconds late does not lose one.
            let minutes = (leave.since(at) + 30_000).div_euclid(60_000);
            readings.push(SignalReading::new(ReadingKey::TravelMin, f64::from(travel)));
            readings.push(SignalReading::new(
                ReadingKey::BufferMin,
                f64::from(view.buffer_min),
            ));
            readings.push(SignalReading::new(ReadingKey::LeaveInMin, minutes as f64));
        }
    }
    let next_today = next.filter(|next| next.start < tomorrow);
    if args.user.brief_due && (next_today.is_some() || view.window.has_untimed(at, tomorrow)) {
        let mut section = json!({"section": "day", "events": events, "conflicts": conflicts});
        if let (Some(next), Some(section)) = (next_today, section.as_object_mut()) {
            section.insert("next_event".to_owned(), json!(next.id));
            section.insert("next_start".to_owned(), json!(next.start));
        }
        candidates.push(candidate(
            ActionKind::ShowBrief,
            Subject::date(today),
            json!({"sections": [section]}),
        ));
    }
    if view.prepares_meetings {
        candidates.extend(meetings(view, &args.trigger, at));
    }
    candidates.extend(declines(view, at));
    TickResult {
        candidates,
        readings,
        status: TickStatus::Ok,
    }
}

/// The meetings that start within ten minutes, and one that was put off while it lasts.
fn meetings(view: &CalendarView<'_>, trigger: &Trigger, at: Timestamp) -> impl Iterator<Item = Candidate> {
    let soon = view.window.meetings(at, at.plus_min(PREPARE_MIN));
    let asked_again = trigger
        .subject
        .as_ref()
        .filter(|_| trigger.source == TriggerSource::Later);
    let running = asked_again.and_then(|subject| {
        let instances = view.window.instances().iter();
        let mut running = instances.filter(|i| i.is_meeting() && i.start <= at && at < i.end);
        running.find(|i| i.id.as_str() == subject.as_str())
    });
    running.into_iter().chain(soon.take(MAX_MEETINGS)).map(move |i| {
        let args = json!({"event_id": i.id});
        let mut prepared = candidate(ActionKind::PrepareMeeting, Subject::from(&i.id), args);
        prepared.confidence = MEETING_CONFIDENCE;
        prepared.valid_until = Some(if i.start > at { i.start } else { i.end });
        prepared
    })
}

fn candidate(kind: ActionKind, subject: Subject, args: Value) -> Candidate {
    Candidate {
        kind,
        subject,
        confidence: Milli(850),
        args,
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

/// Of each overlapping pair the event that was made later, when it has not begun, the owner has not answered it and no
/// decline was written for it.
fn declines(view: &CalendarView<'_>, at: Timestamp) -> impl Iterator<Item = Candidate> {
    let open = view
        .window
        .to_decline(at)
        .filter(|i| !view.declined.contains(&i.id));
    open.take(MAX_DECLINES).map(|i| {
        let args = json!({"event_id": i.id, "reason_template": "conflict"});
        candidate(ActionKind::DeclineEvent, Subject::from(&i.id), args)
    })
}
