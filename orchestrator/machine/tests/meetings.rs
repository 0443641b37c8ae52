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
    AgentName, Timestamp,
    ids::EventId,
    tick::{IngestFact, TickResult, TickStatus, TriggerSource},
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
                    candidates: vec![],
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
    Some(trace.decision.trigger.source)
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
