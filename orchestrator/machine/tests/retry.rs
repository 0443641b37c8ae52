//! What the window held back is tried again.
//!
//! What: the digest that ends a mute, against a window that is closed, a candidate that is preferred, and an hour. Why: a
//! digest that was promised with the mute is not lost because something else was shown first. Not here: leave-by alerts
//! (`schedule`), the same evening through the actors (`fixtures/days/digest-waits`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, SECOND, afternoon};
use orchestrator_machine::{
    Effect, EventKind, MachineState,
    effect::ReplyTo,
    event::{ActionReply, IngestedFacts, TickAnswer},
    next_due,
};
use serde_json::json;
use std::collections::VecDeque;
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, Surface, Timestamp, WellnessState,
    ids::ChannelHash,
    milli::Milli,
    tick::{
        Candidate, Subject, TickArgs, TickResult, TickStatus, Trigger,
        TriggerSource::{self, MuteEnded, WindowEnded},
    },
    trace::Trace,
};

const MINUTE: i64 = 60 * SECOND;

fn channel(n: u8) -> ChannelHash {
    ChannelHash::parse(&format!("ch_000000000000000{n}")).unwrap()
}

/// Comms' digest of the channel that the trigger is about.
fn digest(trigger: &Trigger) -> Option<(AgentName, Candidate)> {
    let ended = matches!(trigger.source, MuteEnded | WindowEnded);
    let subject = trigger.subject.clone().filter(|_| ended)?;
    Some((
        AgentName::Comms,
        Candidate {
            kind: ActionKind::BatchDigest,
            confidence: Milli(800),
            args: json!({"channel_hash": subject, "since": "2026-11-03T09:00:00Z"}),
            subject,
            valid_until: None,
            evidence: vec![],
            let_through: false,
        },
    ))
}

/// A breath that outranks a digest: 1.0 × 0.85 × 1.0 − 0.15 = 0.700 against 0.480 in BASELINE.
fn breath() -> (AgentName, Candidate) {
    (
        AgentName::Wellness,
        Candidate {
            kind: ActionKind::Breathe478,
            subject: Subject::of_self(),
            confidence: Milli(850),
            args: json!({"cycles": 4}),
            valid_until: None,
            evidence: vec![],
            let_through: false,
        },
    )
}

/// Muted for a minute; the window is closed for so many minutes from now.
fn muted(window_min: i64) -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    let until = machine.at.plus_min(1);
    machine.state.mutes_wall.insert(channel(1), until);
    machine.state.window_until = Some(machine.at.plus_min(window_min));
    machine
}

/// What a tick started for, when, what it chose, and why not.
type Ran = (TriggerSource, i64, &'static str, Option<ReasonCode>);

/// Lets time go on: agents, disk and page answer at once. Ticks for other reasons are left out.
fn ran(
    machine: &mut Machine,
    minutes: i64,
    proposes: impl Fn(&Trigger) -> Vec<(AgentName, Candidate)>,
) -> Vec<Ran> {
    let until = machine.at.plus_min(minutes);
    let mut traces: Vec<Trace> = vec![];
    let mut effects: VecDeque<Effect> = machine.out.drain(..).collect();
    loop {
        let what = match effects.pop_front() {
            None => {
                let Some(due) = next_due(&machine.state).filter(|due| *due <= until) else {
                    break;
                };
                machine.at = machine.at.max(due);
                Some(EventKind::Time)
            }
            Some(Effect::Call(call)) => Some(match call.reply {
                ReplyTo::Ingest { agent, number } => EventKind::Ingested {
                    agent,
                    number,
                    answer: Some(IngestedFacts {
                        cursor: 0,
                        facts: vec![],
                        more: false,
                    }),
                },
                ReplyTo::Tick { agent, tick, attempt } => {
                    let args: TickArgs = serde::Deserialize::deserialize(&*call.call.args).unwrap();
                    let own = proposes(&args.trigger)
                        .into_iter()
                        .filter(|(who, _)| *who == agent);
                    let answer = TickAnswer::Answered(TickResult {
                        candidates: own.map(|(_, candidate)| candidate).collect(),
                        readings: vec![],
                        status: TickStatus::Ok,
                    });
                    EventKind::TickAnswered {
                        agent,
                        tick,
                        attempt,
                        answer,
                    }
                }
                ReplyTo::Call { call } => EventKind::CallExecuted {
                    call,
                    reply: ActionReply::Failed(None),
                },
                ReplyTo::Action { tick, slot } => EventKind::Executed {
                    tick,
                    slot,
                    reply: ActionReply::Done {
                        result: json!({}),
                        effects: vec![],
                    },
                },
            }),
            Some(Effect::Commit { tick }) => Some(EventKind::Committed { tick, ok: true }),
            Some(Effect::KeepTrace(trace)) => {
                let trace_id = trace.trace_id.clone();
                traces.push(std::sync::Arc::unwrap_or_clone(trace));
                Some(EventKind::TraceKept { trace_id, ok: true })
            }
            Some(Effect::Show(card)) => Some(EventKind::Shown {
                card_id: card.card_id,
                surface: Surface::PhoneCard,
            }),
            Some(_) => None,
        };
        if let Some(what) = what {
            machine.tell(what);
            effects.extend(machine.out.drain(..));
        }
    }
    machine.at = until;
    let ended = |trace: &&Trace| matches!(trace.decision.trigger.source, MuteEnded | WindowEnded);
    let of = |trace: &Trace| {
        let at = trace.decision.ts.since(afternoon()) / MINUTE;
        let source = trace.decision.trigger.source;
        (source, at, trace.chosen_name(), trace.decision.reason_code)
    };
    traces.iter().filter(ended).map(of).collect()
}

const DIGEST: &str = "BATCH_DIGEST";
const BREATH: &str = "BREATHE_478";
const NOTHING: &str = "do_nothing";
const CAPPED: Option<ReasonCode> = Some(ReasonCode::CapWindow);

#[test]
fn a_digest_waits_for_the_end_of_the_window_that_was_closed() {
    let mut machine = muted(20);
    let ran = ran(&mut machine, 120, |trigger| digest(trigger).into_iter().collect());
    assert_eq!(
        ran,
        [(MuteEnded, 1, NOTHING, CAPPED), (WindowEnded, 20, DIGEST, None)]
    );
    assert_eq!(machine.state.retries, []);
}

#[test]
fn a_digest_that_something_was_preferred_to_waits_for_its_window() {
    let mut machine = muted(0);
    let breath_at_the_end = |trigger: &Trigger| {
        let preferred = (trigger.source == MuteEnded).then(breath);
        preferred.into_iter().chain(digest(trigger)).collect()
    };
    assert_eq!(
        ran(&mut machine, 120, breath_at_the_end),
        // The breath is shown in the first minute and closes the window until the 31st.
        [(MuteEnded, 1, BREATH, None), (WindowEnded, 31, DIGEST, None)]
    );
}

#[test]
fn a_digest_that_is_preferred_to_again_is_tried_a_second_time_within_the_hour() {
    let mut machine = muted(20);
    let breath_twice = |trigger: &Trigger| {
        let first = trigger.at < afternoon().plus_min(30);
        let preferred = (trigger.source == WindowEnded && first).then(breath);
        preferred.into_iter().chain(digest(trigger)).collect()
    };
    assert_eq!(
        ran(&mut machine, 120, breath_twice),
        [
            (MuteEnded, 1, NOTHING, CAPPED),
            (WindowEnded, 20, BREATH, None),
            (WindowEnded, 50, DIGEST, None)
        ]
    );
}

#[test]
fn an_hour_after_the_mute_a_digest_is_not_tried_any_more() {
    // The mute ends in the first minute: until the 61st.
    for (window_min, tried) in [(60, true), (61, false), (62, false)] {
        let mut machine = muted(window_min);
        let mut want = vec![(MuteEnded, 1, NOTHING, CAPPED)];
        want.extend(tried.then_some((WindowEnded, window_min, DIGEST, None)));
        let got = ran(&mut machine, 180, |trigger| digest(trigger).into_iter().collect());
        assert_eq!((got, machine.state.retries), (want, vec![]), "{window_min}");
    }
}

#[test]
fn each_of_two_digests_is_tried_again() {
    let mut machine = muted(20);
    machine
        .state
        .mutes_wall
        .insert(channel(2), machine.at.plus_min(2));
    let got = ran(&mut machine, 120, |trigger| digest(trigger).into_iter().collect());
    assert_eq!(
        got,
        [
            (MuteEnded, 1, NOTHING, CAPPED),
            (MuteEnded, 2, NOTHING, CAPPED),
            (WindowEnded, 20, DIGEST, None),
            // The first one's card closes the window.
            (WindowEnded, 20, NOTHING, CAPPED),
            (WindowEnded, 50, DIGEST, None),
        ]
    );
}

#[test]
fn a_clock_that_was_set_does_not_shorten_the_hour() {
    for jump in [-30 * MINUTE, 30 * MINUTE] {
        let mut machine = muted(50);
        ran(&mut machine, 5, |trigger| digest(trigger).into_iter().collect());
        machine.set_clock(jump);
        machine.out.clear();
        let got = ran(&mut machine, 120, |trigger| digest(trigger).into_iter().collect());
        let sources: Vec<_> = got
            .iter()
            .map(|(source, _, chosen, _)| (*source, *chosen))
            .collect();
        assert_eq!(sources, [(WindowEnded, DIGEST)], "{jump}");
    }
}

#[test]
fn a_state_of_before_reads_its_one_leave_by_as_a_retry() {
    let machine = muted(20);
    let mut old = serde_json::to_value(&machine.state).unwrap();
    let fields = old.as_object_mut().unwrap();
    fields.remove("retries");
    for (kept, want) in [
        (json!(null), 0),
        (json!(["ev_0000000000000001", "2026-11-03T10:00:00Z"]), 1),
    ] {
        fields.insert("retry".to_owned(), kept);
        let state: MachineState = serde_json::from_value(fields.clone().into()).unwrap();
        let read: Vec<(ActionKind, &str, Timestamp, Option<Timestamp>)> = state
            .retries
            .iter()
            .map(|retry| (retry.kind, retry.subject.as_str(), retry.at, retry.until_wall))
            .collect();
        let at = Timestamp::parse("2026-11-03T10:00:00Z").unwrap();
        let one = (ActionKind::LeaveByAlert, "ev_0000000000000001", at, None);
        assert_eq!(read, vec![one; want]);
    }
}
