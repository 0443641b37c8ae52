//! Before a meeting: a tick of its own, also where the meeting became known late or its agent was away.
//!
//! What: which ticks start for a meeting that Calendar tells of. Why: whoever asked for it eight minutes before a meeting has asked for that one as well. Not here: what is
//! shown (`fixtures/days`), when Calendar tells of one (`agents`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, SECOND, afternoon};
use orchestrator_machine::{
    EventKind,
    effect::ReplyTo,
    event::{IngestedFacts, TickAnswer},
};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, Timestamp,
    ids::EventId,
    milli::Milli,
    tick::{Candidate, IngestFact, Subject, TickResult, TickStatus, TriggerSource},
};

const MINUTE: i64 = 60 * SECOND;

fn event() -> EventId {
    serde_json::from_value(json!("ev_0000000000000001")).unwrap()
}

/// Calendar reads that the meeting starts then.
fn tell_of(machine: &mut Machine, start: Timestamp) {
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Calendar,
    });
    let number = machine.calls().iter().find_map(|call| match call.reply {
        ReplyTo::Ingest { number, .. } => Some(number),
        ReplyTo::Tick { .. } | ReplyTo::Action { .. } | ReplyTo::Call { .. } => None,
    });
    let fact = IngestFact::Meeting {
        event: event(),
        prepare_at: start.plus_min(-10),
        start,
    };
    machine.tell(EventKind::Ingested {
        agent: AgentName::Calendar,
        number: number.unwrap(),
        answer: Some(IngestedFacts {
            cursor: 1,
            facts: vec![fact],
            more: false,
        }),
    });
}

/// Who started the tick that is asked for now, once it is over; `hears`: whether Calendar answers.
fn tick(machine: &mut Machine, hears: bool) -> Option<TriggerSource> {
    let (source, _) = tick_with(machine, hears, None)?;
    Some(source)
}

/// The same where Calendar proposes to prepare for the meeting, with the reason why that was not shown.
fn proposing_tick(machine: &mut Machine) -> Option<(TriggerSource, Option<ReasonCode>)> {
    tick_with(machine, true, Some(&event()))
}

fn tick_with(
    machine: &mut Machine,
    hears: bool,
    proposed: Option<&EventId>,
) -> Option<(TriggerSource, Option<ReasonCode>)> {
    for call in machine.calls() {
        let ReplyTo::Tick { agent, tick, attempt } = call.reply else {
            continue;
        };
        if agent != AgentName::Calendar || hears {
            machine.tell(EventKind::TickAnswered {
                agent,
                tick,
                attempt,
                answer: TickAnswer::Answered(TickResult {
                    candidates: proposed
                        .filter(|_| agent == AgentName::Calendar)
                        .map(candidate)
                        .into_iter()
                        .collect(),
                    readings: vec![],
                    status: TickStatus::Ok,
                }),
            });
        }
    }
    if !hears {
        machine.wait(2 * SECOND);
    }
    let trace = machine.trace()?;
    machine.tell(EventKind::TraceKept {
        trace_id: trace.trace_id.clone(),
        ok: true,
    });
    machine.wait(SECOND);
    Some((trace.decision.trigger.source, trace.decision.reason_code))
}

fn candidate(event: &EventId) -> Candidate {
    Candidate {
        kind: ActionKind::PrepareMeeting,
        subject: Subject::from(event),
        confidence: Milli(900),
        args: json!({ "event_id": event }),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

/// What the owner ends before its time no longer stands against it; what ends after the meeting's start is not waited for.
#[test]
fn a_meeting_that_was_held_back_is_asked_about_again_when_that_is_over() {
    let dnd = |active| EventKind::Dnd { active, until: None };
    let held = Some((TriggerSource::AlertAt, Some(ReasonCode::CapDnd)));
    let mut machine = Machine::started(afternoon());
    let start = machine.state.wall(machine.at).plus_min(8);
    machine.tell(dnd(true));
    tell_of(&mut machine, start);
    assert_eq!(proposing_tick(&mut machine), held);
    machine.wait(2 * MINUTE);
    assert_eq!(proposing_tick(&mut machine), None, "it holds still");
    machine.tell(dnd(false));
    assert!(
        machine
            .calls()
            .iter()
            .any(|call| matches!(call.reply, ReplyTo::Tick { .. }))
    );
    // It begins meanwhile: what is over then is nothing to ask about.
    let mut machine = Machine::started(afternoon());
    let start = machine.state.wall(machine.at).plus_min(1);
    machine.tell(dnd(true));
    tell_of(&mut machine, start);
    assert_eq!(proposing_tick(&mut machine), held);
    machine.wait(2 * MINUTE);
    machine.tell(dnd(false));
    assert_eq!(proposing_tick(&mut machine), None);
    // It says until when.
    let mut machine = Machine::started(afternoon());
    let at = machine.state.wall(machine.at);
    machine.tell(EventKind::Dnd {
        active: true,
        until: Some(at.plus_min(3)),
    });
    tell_of(&mut machine, at.plus_min(8));
    assert_eq!(proposing_tick(&mut machine), held);
    machine.wait(3 * MINUTE);
    assert!(
        machine
            .calls()
            .iter()
            .any(|call| matches!(call.reply, ReplyTo::Tick { .. }))
    );
}

#[test]
fn a_meeting_that_becomes_known_within_its_ten_minutes_is_asked_about_at_once_and_once() {
    let mut machine = Machine::started(afternoon());
    let start = machine.state.wall(machine.at).plus_min(8);
    tell_of(&mut machine, start);
    assert_eq!(tick(&mut machine, true), Some(TriggerSource::AlertAt));
    // Told of once more, as after a restart of its agent.
    tell_of(&mut machine, start);
    assert_eq!(tick(&mut machine, true), None);
    // One that has begun is nothing to prepare for.
    let mut machine = Machine::started(afternoon());
    let start = machine.state.wall(machine.at);
    tell_of(&mut machine, start);
    assert_eq!(tick(&mut machine, true), None);
}

#[test]
fn a_meeting_about_which_its_agent_could_not_be_asked_is_asked_about_again_until_it_starts() {
    let mut machine = Machine::started(afternoon());
    let start = machine.state.wall(machine.at).plus_min(8);
    tell_of(&mut machine, start);
    assert_eq!(tick(&mut machine, false), Some(TriggerSource::AlertAt));
    assert_eq!(tick(&mut machine, true), None, "not at once");
    machine.wait(MINUTE);
    assert_eq!(tick(&mut machine, true), Some(TriggerSource::AlertAt));
    machine.wait(MINUTE);
    assert_eq!(tick(&mut machine, true), None, "it was asked about");
    // It is never asked about once it has begun.
    let mut machine = Machine::started(afternoon());
    let start = machine.state.wall(machine.at).plus_ms(30 * SECOND);
    tell_of(&mut machine, start);
    assert_eq!(tick(&mut machine, false), Some(TriggerSource::AlertAt));
    machine.wait(2 * MINUTE);
    assert_eq!(tick(&mut machine, true), None);
}
