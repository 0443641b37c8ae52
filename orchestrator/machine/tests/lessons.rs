//! What the owner does with a card of Comms is told to Comms.
//!
//! What: each act, on a prompt, on a card and on one that is closed, becomes one call. Why: the agent learns from the owner's acts and from
//! nothing else, and in the one way that calls go. Not here: what is learned (`agents`), calls in general (`calls`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, SECOND, afternoon};
use orchestrator_machine::{
    Effect, EventKind,
    calls::{CallAnswer, CallRefusal, CallStage, PendingCall},
    effect::SubmissionVerdict,
    event::ActionReply,
};
use serde_json::{Value, json};
use toolcall_schema::{
    ActionKind, AgentName, Outcome, StateName, Surface, ToolName, gate,
    ids::RequestId,
    milli::Milli,
    names::SubmitAct,
    tick::{Candidate, Subject},
    trace::{Asker, RequestedCall, Trace},
};

const ITEM: &str = "it_0000000000000001";
const CHANNEL: &str = "ch_0000000000000001";

/// The calls that wait for the disk.
fn committing(machine: &Machine) -> Vec<u64> {
    let open = machine.state.calls.open.iter();
    let waits = |call: &&PendingCall| call.stage == CallStage::Committing;
    open.filter(waits).map(|call| call.number).collect()
}

/// Lets a call go its way, and returns its trace.
fn led(machine: &mut Machine, call: u64, reply: ActionReply) -> Trace {
    machine.tell(EventKind::CallCommitted { call, ok: true });
    machine.tell(EventKind::CallExecuted { call, reply });
    let trace = machine.out.iter().find_map(|effect| {
        let Effect::KeepTrace(trace) = effect else {
            return None;
        };
        trace.decision.call.is_some().then(|| (**trace).clone())
    });
    let trace = trace.unwrap();
    let trace_id = trace.trace_id.clone();
    machine.tell(EventKind::TraceKept { trace_id, ok: true });
    trace
}

fn learned() -> ActionReply {
    ActionReply::Done {
        result: json!({"labels": 1}),
        effects: vec![],
    }
}

fn lesson(kind: &str, subject: &str, act: &str, machine: &Machine) -> Value {
    json!({"kind": kind, "subject": subject, "act": act, "trace_id": machine.env.seed.trace_id(1)})
}

/// A digest is a card that asks nothing, and is seen.
fn digest() -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(toolcall_schema::WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    let digest = Candidate {
        kind: ActionKind::BatchDigest,
        subject: Subject::parse(CHANNEL).unwrap(),
        confidence: Milli(1000),
        args: json!({"since": "2026-11-03T08:00:00Z", "channel_hash": CHANNEL}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    machine.proposed(AgentName::Comms, &digest);
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    machine.tell(EventKind::Executed {
        tick: 1,
        slot: orchestrator_machine::event::CallSlot::Primary,
        reply: ActionReply::Done {
            result: json!({}),
            effects: vec![],
        },
    });
    let trace_id = machine.env.seed.trace_id(1);
    machine.tell(EventKind::TraceKept { trace_id, ok: true });
    machine
}

fn act_on(machine: &mut Machine, act: SubmitAct) -> SubmissionVerdict {
    let card_id = machine.env.seed.card_id(1);
    machine.submit(&card_id, Surface::PhoneCard, act, None)
}

#[test]
fn each_act_on_a_prompt_is_told_once_it_counts() {
    for (act, word) in [
        (SubmitAct::Confirm, "confirmed"),
        (SubmitAct::Dismiss, "dismissed"),
        (SubmitAct::Edit, "edited"),
    ] {
        let mut machine = Machine::prompted();
        let card = machine.card();
        let capability = card.prompts[0].capability.clone();
        let wrong = "0".repeat(64);
        machine.submit(&card.card_id, Surface::PhoneCard, act, Some(&wrong));
        assert_eq!(
            committing(&machine),
            Vec::<u64>::new(),
            "{act}: a submission that does not count teaches nothing"
        );
        machine.submit(&card.card_id, Surface::PhoneCard, act, Some(&capability));
        assert_eq!(committing(&machine), [1], "{act}");
        let trace = led(&mut machine, 1, learned());
        assert_eq!(trace.tool_calls[0].tool, ToolName::LearnFromAct.as_str());
        assert_eq!(
            *trace.tool_calls[0].args,
            lesson("DRAFT_REPLY", ITEM, word, &machine)
        );
        let asker = Asker::OwnerCard;
        assert_eq!(trace.decision.call, Some(RequestedCall { number: 1, asker }));
        assert_eq!((trace.outcome, trace.reason_code), (Outcome::ExecutedAuto, None));
        assert_eq!(gate::check_trace(&trace), Ok(()));
    }
}

#[test]
fn a_repeat_is_the_same_lesson() {
    let mut machine = Machine::prompted();
    let card = machine.card();
    let capability = card.prompts[0].capability.clone();
    for _ in 0..3 {
        machine.submit(
            &card.card_id,
            Surface::PhoneCard,
            SubmitAct::Dismiss,
            Some(&capability),
        );
    }
    assert_eq!(machine.state.calls.begun, 1);
    led(&mut machine, 1, learned());
    machine.submit(
        &card.card_id,
        Surface::PhoneCard,
        SubmitAct::Dismiss,
        Some(&capability),
    );
    assert_eq!(
        (machine.state.calls.begun, machine.state.calls.open.len()),
        (1, 0)
    );
}

#[test]
fn a_card_teaches_open_and_closed_and_a_later_useful_is_a_second_lesson() {
    let mut machine = digest();
    act_on(&mut machine, SubmitAct::Dismiss);
    assert_eq!(machine.state.calls.begun, 1);
    let trace = led(&mut machine, 1, learned());
    assert_eq!(
        *trace.tool_calls[0].args,
        lesson("BATCH_DIGEST", CHANNEL, "dismissed", &machine)
    );
    // The card is closed now.
    for _ in 0..2 {
        act_on(&mut machine, SubmitAct::Useful);
    }
    assert_eq!(machine.state.calls.begun, 2);
    let trace = led(&mut machine, 2, learned());
    assert_eq!(
        *trace.tool_calls[0].args,
        lesson("BATCH_DIGEST", CHANNEL, "useful", &machine)
    );
}

#[test]
fn a_lesson_waits_for_no_prompt_and_disturbs_none() {
    let mut machine = digest();
    machine.tell(EventKind::Shown {
        card_id: machine.env.seed.card_id(1),
        surface: Surface::PhoneCard,
    });
    // Over the window.
    machine.at = machine.at.plus_ms(40 * 60 * SECOND);
    let draft = Candidate {
        kind: ActionKind::DraftReply,
        subject: Subject::parse(ITEM).unwrap(),
        confidence: Milli(1000),
        args: json!({"item_id": ITEM, "tone": "casual", "length_max": 280}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    machine.proposed(AgentName::Comms, &draft);
    machine.tell(EventKind::Committed { tick: 2, ok: true });
    machine.tell(EventKind::Shown {
        card_id: machine.env.seed.card_id(2),
        surface: Surface::PhoneCard,
    });
    assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
    let prompt = machine.state.phase.clone();
    act_on(&mut machine, SubmitAct::Useful);
    led(&mut machine, 1, learned());
    assert_eq!(machine.state.phase, prompt);
}

#[test]
fn acts_on_cards_of_other_agents_are_told_to_nobody() {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(toolcall_schema::WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    let decline = Candidate {
        kind: ActionKind::DeclineEvent,
        subject: Subject::parse("ev_0000000000000001").unwrap(),
        confidence: Milli(1000),
        args: json!({"event_id": "ev_0000000000000001", "reason_template": "conflict"}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    machine.proposed(AgentName::Calendar, &decline);
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    let card = machine.card();
    machine.tell(EventKind::Shown {
        card_id: card.card_id.clone(),
        surface: Surface::PhoneCard,
    });
    let capability = card.prompts[0].capability.clone();
    let verdict = machine.submit(
        &card.card_id,
        Surface::PhoneCard,
        SubmitAct::Dismiss,
        Some(&capability),
    );
    assert!(matches!(verdict, SubmissionVerdict::Accepted { .. }));
    assert_eq!(machine.state.calls.begun, 0);
}

#[test]
fn a_lesson_that_cannot_begin_changes_nothing_else() {
    let mut machine = Machine::prompted();
    for n in 0..8 {
        let key = machine.env.seed.key("request");
        machine.tell(EventKind::CallRequested {
            request: n,
            id: key.request("owner_page", &n.to_string()),
            asker: Asker::OwnerPage,
            origin: None,
            tool: ToolName::UnmuteChannel,
            args: json!({"channel_hash": CHANNEL}),
            wait_min: None,
        });
    }
    assert_eq!(machine.state.calls.open.len(), 8);
    assert!(
        matches!(machine.confirm(), SubmissionVerdict::Accepted { .. })
            || machine.state.phase.name() == StateName::Executing
    );
    assert_eq!(machine.state.calls.begun, 8);
}

#[test]
fn nobody_else_can_have_a_lesson_told_and_a_card_can_have_nothing_else_done() {
    let id = || RequestId::parse("rq_0123456789abcdef").unwrap();
    let mut machine = Machine::prompted();
    let args = lesson("DRAFT_REPLY", ITEM, "useful", &machine);
    for (asker, tool, args) in [
        (Asker::OwnerPage, ToolName::LearnFromAct, args.clone()),
        (Asker::OwnerCommand, ToolName::LearnFromAct, args),
        (
            Asker::OwnerCard,
            ToolName::UnmuteChannel,
            json!({"channel_hash": CHANNEL}),
        ),
        (Asker::OwnerCard, ToolName::ResetLearned, json!({})),
        (Asker::OwnerPage, ToolName::ListLearned, json!({})),
    ] {
        machine.tell(EventKind::CallRequested {
            request: 7,
            id: id(),
            asker,
            origin: None,
            tool,
            args,
            wait_min: None,
        });
        let refused = machine.out.iter().any(|effect| {
            matches!(
                effect,
                Effect::CallAnswer {
                    request: 7,
                    answer: CallAnswer::Refused(CallRefusal::NotOnRequest)
                }
            )
        });
        assert!(refused, "{asker} {tool}");
    }
}
