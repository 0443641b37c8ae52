//! One moment, decided once more where something was otherwise.
//!
//! What: a draft that is proposed, against a day without attention, a window, quiet hours and midnight. Why: what the drawer says would have
//! changed a decision is what the machine itself would have decided. Not here: whole days under another policy (`whatif`, `properties`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, afternoon, ts};
use chrono::NaiveTime;
use orchestrator_machine::{
    EventKind, MachineEvent, MachineState,
    effect::ReplyTo,
    env::DailyWindow,
    event::TickAnswer,
    step,
    whatif::{decide_again, decision_among},
};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, Surface, Timestamp, WellnessState,
    ids::TraceId,
    milli::Milli,
    tick::{Candidate, Subject, TickResult, TickStatus},
    trace::Decision,
    whatif::ImaginedMoment,
};

/// What was known when the last agent's answer came, and that answer.
struct Moment {
    machine: Machine,
    before: MachineState,
    event: MachineEvent,
}

impl Moment {
    /// In BASELINE, with the phone's page open: 0.85 × 0.85 − 0.20 − 0.05 = 0.473 for the draft, over the threshold of 0.45.
    fn of_a_draft(at: Timestamp, arrange: impl Fn(&mut Machine)) -> Self {
        let mut machine = Machine::started(at);
        machine.state.known.state = Some(WellnessState::Baseline);
        machine.tell(EventKind::Connected {
            surface: Surface::PhoneCard,
        });
        arrange(&mut machine);
        let draft = Candidate {
            kind: ActionKind::DraftReply,
            subject: Subject::parse("it_0000000000000001").unwrap(),
            confidence: Milli(850),
            args: json!({"item_id": "it_0000000000000001", "tone": "casual", "length_max": 280}),
            valid_until: None,
            evidence: vec![],
            let_through: false,
        };
        machine.tell(EventKind::PhoneUnlocked);
        let mut answers: Vec<EventKind> = Vec::new();
        for call in machine.calls() {
            if let ReplyTo::Tick { agent, tick, attempt } = call.reply {
                let candidates = Vec::from_iter((agent == AgentName::Comms).then(|| draft.clone()));
                let answer = TickAnswer::Answered(TickResult {
                    candidates,
                    readings: vec![],
                    status: TickStatus::Ok,
                });
                answers.push(EventKind::TickAnswered {
                    agent,
                    tick,
                    attempt,
                    answer,
                });
            }
        }
        let last = answers.pop().unwrap();
        for answer in answers {
            machine.tell(answer);
        }
        let event = MachineEvent {
            at: machine.at,
            what: last,
        };
        Self {
            before: machine.state.clone(),
            machine,
            event,
        }
    }

    fn recorded(&self) -> Decision {
        let (_, effects) = step(&self.machine.env, self.before.clone(), self.event.clone());
        decision_among(&effects).unwrap().clone()
    }

    fn again(&self, more: u8, later_min: u16) -> Decision {
        let otherwise = ImaginedMoment { more, later_min };
        decide_again(&self.machine.env, &self.before, &self.event, otherwise).unwrap()
    }
}

/// Chosen, or why not.
fn end(decision: &Decision) -> Result<ActionKind, ReasonCode> {
    let chosen = decision.chosen.as_ref().map(|chosen| chosen.kind);
    chosen.ok_or_else(|| decision.reason_code.unwrap())
}

/// Quiet hours of the owner in Kolkata.
fn quiet(machine: &mut Machine, from: (u32, u32), to: (u32, u32)) {
    let time = |(h, m)| NaiveTime::from_hms_opt(h, m, 0).unwrap();
    machine.env.settings.dnd = vec![DailyWindow {
        from: time(from),
        to: time(to),
    }];
}

const SHOWN: Result<ActionKind, ReasonCode> = Ok(ActionKind::DraftReply);

/// All of the day's tokens are held for something else.
fn without_attention(machine: &mut Machine) {
    while machine.state.ledger.free() > 0 {
        let trace = format!("tr_other{:07}", machine.state.ledger.free());
        machine.state.ledger.reserve(&TraceId::parse(&trace).unwrap());
    }
}

#[test]
fn nothing_otherwise_is_what_was_decided() {
    for arrange in [|_: &mut Machine| {}, without_attention as fn(&mut Machine)] {
        let moment = Moment::of_a_draft(afternoon(), arrange);
        assert_eq!(moment.again(0, 0), moment.recorded());
    }
}

#[test]
fn one_interruption_more_helps_where_the_day_had_none_left() {
    let moment = Moment::of_a_draft(afternoon(), without_attention);
    assert_eq!(end(&moment.recorded()), Err(ReasonCode::CapDaily));
    assert_eq!(end(&moment.again(1, 0)), SHOWN);
    // 15:00 and four hours is the same day.
    assert_eq!(end(&moment.again(0, 240)), Err(ReasonCode::CapDaily));
}

#[test]
fn later_helps_once_the_window_is_over() {
    let moment = Moment::of_a_draft(afternoon(), |machine| {
        machine.state.window_until = Some(machine.at.plus_min(20));
    });
    assert_eq!(end(&moment.recorded()), Err(ReasonCode::CapWindow));
    assert_eq!(end(&moment.again(0, 15)), Err(ReasonCode::CapWindow));
    assert_eq!(end(&moment.again(0, 30)), SHOWN);
    assert_eq!(end(&moment.again(2, 0)), Err(ReasonCode::CapWindow));
}

#[test]
fn later_helps_or_hurts_by_the_quiet_hours() {
    let before_their_end = Moment::of_a_draft(afternoon(), |machine| quiet(machine, (14, 50), (15, 20)));
    let before_their_begin = Moment::of_a_draft(afternoon(), |machine| quiet(machine, (15, 20), (18, 0)));
    for (moment, recorded, at_15_15, at_15_30) in [
        (
            &before_their_end,
            Err(ReasonCode::CapDnd),
            Err(ReasonCode::CapDnd),
            SHOWN,
        ),
        (&before_their_begin, SHOWN, SHOWN, Err(ReasonCode::CapDnd)),
    ] {
        assert_eq!(end(&moment.recorded()), recorded);
        assert_eq!(end(&moment.again(0, 15)), at_15_15);
        assert_eq!(end(&moment.again(0, 30)), at_15_30);
    }
}

#[test]
fn after_midnight_the_next_day_has_its_own_attention() {
    let moment = Moment::of_a_draft(ts("2026-11-03T23:50:00+05:30"), without_attention);
    assert_eq!(end(&moment.recorded()), Err(ReasonCode::CapDaily));
    assert_eq!(end(&moment.again(0, 15)), SHOWN);
}
