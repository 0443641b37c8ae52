//! What was said about an event, and why the rest was not.
//!
//! What: [`event_reasons`], from what Calendar says of the event, the decisions that named it, and what the owner set; [`past_reasons`] from the decisions
//! alone. Why: an appointment for which no card came can be asked about. Pure. Not here: markup (`web::meeting_page`), when something is proposed at all
//! (`docs/agents/calendar.md`), what stands against it (the machine).

use crate::render::feedback::thing_name;
use chrono_tz::Tz;
use serde_json::Value;
use std::{cmp::Reverse, collections::BTreeMap};
use surfaces_base::{
    backend::{DisplayNames, owner::OwnerStatus},
    format, words,
};
use toolcall_schema::{
    ActionKind, Outcome, ReasonCode, Timestamp,
    catalogue::{
        calendar::{LEAVE_ALERT_MIN, LEAVE_SPAN_MIN, MeetingDescription, PREPARE_MIN, WAY_MIN},
        orchestrator::{BriefSection, ShowBrief},
    },
    ids::{EventId, TraceId},
    rule::OwnerRule,
    tick::Subject,
    trace::{ConsideredCandidate, Trace},
};

/// Rows of what was said.
const TOLD_MAX: usize = 6;

/// What speaks of an event, in the order in which it is told.
const KINDS: [ActionKind; 3] = [
    ActionKind::LeaveByAlert,
    ActionKind::PrepareMeeting,
    ActionKind::DeclineEvent,
];

/// One reason, or one thing that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventReason {
    pub kind: ActionKind,
    pub says: Vec<String>,
    /// The decision that it rests on.
    pub trace: Option<TraceId>,
    /// Where it is changed: an address and its words.
    pub change: Option<(&'static str, &'static str)>,
    /// The events that it overlaps with, and what they are called.
    pub clashes: Vec<(EventId, String)>,
}

/// All that is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventReasons {
    /// What was said, newest first.
    pub told: Vec<EventReason>,
    /// What was not, by its kind.
    pub untold: Vec<EventReason>,
}

impl EventReasons {
    /// Whether nothing was decided about it.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty() && self.untold.is_empty()
    }
}

/// What the reasons rest on beside the event itself.
#[derive(Clone, Copy)]
pub struct EventContext<'a> {
    pub now: Timestamp,
    pub zone: Tz,
    /// The decisions that named it, newest first.
    pub traces: &'a [Trace],
    pub status: &'a OwnerStatus,
    pub rules: &'a [OwnerRule],
    pub paused_until: Option<Timestamp>,
    /// Whether the owner asked for cards before meetings; `None`: it is not known.
    pub prepares_meetings: Option<bool>,
    /// What it overlaps with.
    pub clashes: &'a [EventId],
    pub names: &'a DisplayNames,
}

impl EventReason {
    fn new(kind: ActionKind, says: impl Into<String>) -> Self {
        Self {
            kind,
            says: vec![says.into()],
            trace: None,
            change: None,
            clashes: Vec::new(),
        }
    }

    fn with_change(self, address: &'static str, way: &'static str) -> Self {
        Self {
            change: Some((address, way)),
            ..self
        }
    }
}

/// Of an event that Calendar knows.
pub fn event_reasons(said: &MeetingDescription, context: EventContext<'_>) -> EventReasons {
    let (now, zone) = (context.now, context.zone);
    let mut reasons = past_reasons(&said.event_id, context.traces, now, zone);
    let ways: [fn(&MeetingDescription, EventContext<'_>) -> EventReason; 3] =
        [leave_reason, meeting_reason, clash_reason];
    for (kind, why_not) in KINDS.into_iter().zip(ways) {
        let is_told = reasons.told.iter().any(|one| one.kind == kind);
        let was_held = reasons.untold.iter().any(|one| one.kind == kind);
        if !is_told && !was_held {
            reasons.untold.push(why_not(said, context));
        }
    }
    let in_brief = reasons.told.iter().any(|one| one.kind == ActionKind::ShowBrief);
    if !in_brief && !said.all_day {
        reasons
            .untold
            .push(EventReason::new(ActionKind::ShowBrief, words::BRIEF_COUNTS.say()));
    }
    reasons
}

/// What decisions alone tell of an event.
pub fn past_reasons(event: &EventId, traces: &[Trace], now: Timestamp, zone: Tz) -> EventReasons {
    let mut told = Vec::new();
    let mut held: BTreeMap<(usize, String), (u32, &Trace)> = BTreeMap::new();
    for trace in traces {
        let spoke = kind_of(event, trace);
        told.extend(spoke.map(|kind| told_row(kind, trace, now, zone)));
        let proposed = trace.decision.candidates.iter();
        let proposed = proposed.filter(|one| one.subject.as_str() == event.as_str());
        for candidate in proposed.filter(|one| Some(one.kind) != spoke) {
            let Some(place) = KINDS.iter().position(|kind| *kind == candidate.kind) else {
                continue;
            };
            // The newest comes first, and stands for the others.
            let row = held
                .entry((place, why_held(candidate, trace)))
                .or_insert((0, trace));
            row.0 += 1;
        }
    }
    told.truncate(TOLD_MAX);
    let mut held: Vec<_> = held.into_iter().collect();
    held.sort_by_key(|((place, _), (_, trace))| (*place, Reverse(trace.decision.ts)));
    let mut untold: Vec<EventReason> = Vec::new();
    for ((place, why), (times, trace)) in held {
        let Some(kind) = KINDS.get(place) else { continue };
        let when = format::on_day(trace.decision.ts, now, zone);
        let says = words::held_back_at(&when, times, &why);
        let by_rule = why == words::RULE_FORBADE.say();
        let change = by_rule.then_some(("/settings#rules", words::YOUR_RULES.say()));
        // One row of a kind: the newest decision stands for the others.
        match untold.last_mut().filter(|last| last.kind == *kind) {
            Some(last) => {
                last.says.push(says);
                last.change = last.change.or(change);
            }
            None => untold.push(EventReason {
                trace: Some(trace.trace_id.clone()),
                change,
                ..EventReason::new(*kind, says)
            }),
        }
    }
    EventReasons { told, untold }
}

/// What of an event a decision said.
fn kind_of(event: &EventId, trace: &Trace) -> Option<ActionKind> {
    let chosen = trace.decision.chosen.as_ref()?;
    if chosen.subject.as_str() == event.as_str() {
        return Some(chosen.kind);
    }
    let about_it = |args: &Value| args.get("event_id").and_then(Value::as_str) == Some(event.as_str());
    let left_with_it = chosen.companion == Some(ActionKind::LeaveByAlert)
        && trace
            .tool_calls
            .iter()
            .any(|call| call.result.is_some() && about_it(&call.args));
    if left_with_it {
        return Some(ActionKind::LeaveByAlert);
    }
    let named = |section: &BriefSection| matches!(section, BriefSection::Day { next_event: Some(next), .. } if next == event);
    let brief = |args: &Value| serde_json::from_value::<ShowBrief>(args.clone()).ok();
    let mut calls = trace.tool_calls.iter().filter(|call| call.result.is_some());
    let is_named = chosen.kind == ActionKind::ShowBrief
        && calls.any(|call| brief(&call.args).is_some_and(|brief| brief.sections.iter().any(named)));
    is_named.then_some(ActionKind::ShowBrief)
}

fn told_row(kind: ActionKind, trace: &Trace, now: Timestamp, zone: Tz) -> EventReason {
    let when = format::clock_on(trace.decision.ts, now, zone);
    let came = words::ended_short(trace);
    let mut says = vec![words::said_at(&when, came)];
    if kind == ActionKind::ShowBrief {
        says.push(words::NAMED_IN_BRIEF.say().to_owned());
    }
    let went_wrong = matches!(
        trace.outcome,
        Outcome::Failed | Outcome::Dismissed | Outcome::Silent
    );
    says.extend(
        trace
            .reason_code
            .filter(|_| went_wrong)
            .map(|reason| words::reason(reason).to_owned()),
    );
    EventReason {
        kind,
        says,
        trace: Some(trace.trace_id.clone()),
        change: None,
        clashes: Vec::new(),
    }
}

fn why_held(candidate: &ConsideredCandidate, trace: &Trace) -> String {
    match (candidate.removed, &trace.decision.chosen) {
        (Some(ReasonCode::Rule), _) => words::RULE_FORBADE.say().to_owned(),
        (Some(reason), _) => words::reason(reason).to_owned(),
        (None, Some(chosen)) => words::other_came_first(chosen.kind),
        (None, None) => {
            let reason = trace.decision.reason_code.unwrap_or(ReasonCode::BelowThreshold);
            words::reason(reason).to_owned()
        }
    }
}

fn leave_reason(said: &MeetingDescription, context: EventContext<'_>) -> EventReason {
    let kind = ActionKind::LeaveByAlert;
    let EventContext { now, zone, .. } = context;
    if said.all_day {
        return EventReason::new(kind, words::LASTS_ALL_DAY.say());
    }
    let Some(leave_by) = said.leave_by.filter(|_| said.travel_min > 0) else {
        return match said.place {
            None => EventReason::new(kind, words::NO_PLACE_TO_GO.say()),
            Some(_) => EventReason::new(kind, words::WAY_NOT_KNOWN.say())
                .with_change("/settings#home-town", words::TO_PLACES.say()),
        };
    };
    if said.travel_min < WAY_MIN {
        let minutes = |min: u32| format::minutes(i64::from(min));
        let short = words::way_is_short(&minutes(said.travel_min), &minutes(WAY_MIN));
        return EventReason::new(kind, short);
    }
    let opens = leave_by.plus_min(-LEAVE_SPAN_MIN);
    if now > leave_by {
        return EventReason::new(kind, words::leave_is_over(&format::on_day(leave_by, now, zone)));
    }
    let (says, at) = if now < opens {
        let when = format::on_day(opens, now, zone);
        (words::will_say_leave(&when), leave_by.plus_min(-LEAVE_ALERT_MIN))
    } else {
        (words::MAY_SAY_NOW.say().to_owned(), now)
    };
    unless_forbidden(EventReason::new(kind, says), said, at, context)
}

fn meeting_reason(said: &MeetingDescription, context: EventContext<'_>) -> EventReason {
    let kind = ActionKind::PrepareMeeting;
    let (now, zone) = (context.now, context.zone);
    if said.others == 0 {
        return EventReason::new(kind, words::NOBODY_TO_PREPARE_FOR.say());
    }
    let switch = |says: &str| {
        EventReason::new(kind, says)
            .with_change("/settings#calendar.before_meetings", words::SWITCH_IT_ON.say())
    };
    let at = said.start.plus_min(-PREPARE_MIN);
    match context.prepares_meetings {
        Some(false) => switch(words::PREPARE_IS_OFF.say()),
        // In the demo household nothing is switched.
        None => EventReason::new(kind, words::PREPARE_IF_ON.say()),
        Some(true) if now >= said.start => EventReason::new(kind, words::PREPARE_IS_OVER.say()),
        Some(true) if now >= at => unless_forbidden(
            EventReason::new(kind, words::MAY_SAY_NOW.say()),
            said,
            now,
            context,
        ),
        Some(true) => {
            let says = words::will_prepare(&format::on_day(at, now, zone));
            unless_forbidden(EventReason::new(kind, says), said, at, context)
        }
    }
}

fn clash_reason(said: &MeetingDescription, context: EventContext<'_>) -> EventReason {
    let kind = ActionKind::DeclineEvent;
    if context.clashes.is_empty() {
        return EventReason::new(kind, words::CLASHES_WITH_NOTHING.say());
    }
    let named = |id: &EventId| {
        let name = context
            .names
            .get(id.as_str())
            .unwrap_or(words::UNTITLED_WITHIN.say());
        (id.clone(), name.to_owned())
    };
    let reason = EventReason {
        clashes: context.clashes.iter().map(named).collect(),
        ..EventReason::new(kind, words::CLASH_OFFER.say())
    };
    if said.start <= context.now {
        return reason;
    }
    unless_forbidden(reason, said, context.now, context)
}

/// The same with what the owner said that stands against it at that moment.
fn unless_forbidden(
    reason: EventReason,
    said: &MeetingDescription,
    at: Timestamp,
    context: EventContext<'_>,
) -> EventReason {
    let local = at.utc().with_timezone(&context.zone).naive_local();
    let moment = (local.date(), local.time());
    let subject = Subject::from(&said.event_id);
    let forbids = |rule: &&OwnerRule| rule.forbids(reason.kind, &subject, at, moment);
    let is_later = at > context.now;
    let against = if context.paused_until.is_some_and(|until| until > at) {
        Some((
            words::PAUSED_THEN.say().to_owned(),
            ("/#say", words::TO_PAUSE.say()),
        ))
    } else if let Some(rule) = context.rules.iter().find(forbids) {
        let thing = rule
            .subject
            .as_ref()
            .and_then(|subject| thing_name(subject, context.names));
        let rule = words::rule(rule, thing.as_deref(), (context.now, context.zone));
        let says = if is_later {
            words::rule_then(&rule)
        } else {
            words::rule_forbids(&rule)
        };
        Some((says, ("/settings#rules", words::YOUR_RULES.say())))
    } else if context
        .status
        .settings
        .dnd
        .iter()
        .any(|span| span.contains(moment.1))
    {
        let way = ("/settings#quiet", words::CHANGE_QUIET.say());
        Some((words::QUIET_THEN.say().to_owned(), way))
    } else if context.status.settings.ceiling == 0 {
        let way = ("/settings#ceiling", words::CHANGE_CEILING.say());
        Some((words::NO_INTERRUPTION_THEN.say().to_owned(), way))
    } else {
        None
    };
    let Some((against, change)) = against else {
        return reason;
    };
    let mut says = reason.says;
    says.push(against);
    EventReason {
        says,
        change: Some(change),
        ..reason
    }
}
