//! Calls that a program asks for.
//!
//! What: an ask from its request to each of its ends, what holds it back, what goes before it, and what a restart leaves of it. Why: who is
//! not the owner may propose a call, and nothing but the owner's confirm makes it. Not here: every interleaving with a tick (`proof`),
//! random days (`second`), the command line (`/tests`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, SECOND, afternoon, is_admitted};
use orchestrator_machine::{
    Effect, EventKind, MachineState,
    asks::{ASKS_ENDED_MAX, ASKS_OPEN_OF_SOCKET},
    call_rights,
    calls::{CallAnswer, CallRefusal},
    effect::ReplyTo,
    event::{ActionReply, CallSlot, TickAnswer},
    next_due,
};
use serde_json::{Value, json};
use toolcall_schema::{
    ActionKind, AgentName, AskReport, AskState, Authority, Class, Outcome, ReasonCode, StateName, SubmitAct,
    Surface, ToolName, WellnessState, gate,
    ids::{OwnerSeed, RequestId},
    milli::Milli,
    result::ToolEffect,
    rule::{OwnerRule, RuleName},
    tick::{Candidate, Subject, TickResult, TickStatus},
    trace::{Asker, Decision, Trace},
};

const MINUTE: i64 = 60 * SECOND;
const CHANNEL: &str = "ch_0000000000000001";

pub(crate) fn id(key: &str) -> RequestId {
    OwnerSeed::from_day_seed("asks")
        .key("test")
        .request("program", key)
}

/// An ask for a break of 90 minutes.
fn asked(request: u64, key: &str) -> EventKind {
    asks_for(request, key, ToolName::PermitLeisure, json!({"window_min": 90}))
}

pub(crate) fn asks_for(request: u64, key: &str, tool: ToolName, args: Value) -> EventKind {
    EventKind::CallRequested {
        request,
        id: id(key),
        asker: Asker::Program,
        origin: None,
        tool,
        args,
        wait_min: None,
    }
}

pub(crate) fn idle() -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    machine
}

/// One ask, journalled.
fn queued() -> Machine {
    let mut machine = idle();
    machine.tell(asked(1, "a"));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    machine
}

/// The phone is unlocked, the agents propose this, and what came of it is on disk.
pub(crate) fn tick(machine: &mut Machine, proposed: &[(AgentName, Candidate)]) -> Decision {
    machine.tell(EventKind::PhoneUnlocked);
    for call in machine.calls() {
        let ReplyTo::Tick { agent, tick, attempt } = call.reply else {
            continue;
        };
        let own = proposed.iter().filter(|(whose, _)| *whose == agent);
        let answer = TickAnswer::Answered(TickResult {
            candidates: own.map(|(_, candidate)| candidate.clone()).collect(),
            readings: vec![],
            status: TickStatus::Ok,
        });
        machine.tell(EventKind::TickAnswered {
            agent,
            tick,
            attempt,
            answer,
        });
    }
    let decision = machine.out.iter().find_map(|effect| {
        let Effect::KeepDecision(decision) = effect else {
            return None;
        };
        Some((**decision).clone())
    });
    let decision = decision.unwrap();
    assert!(is_admitted(&decision));
    decision
}

/// The ask is on a card that was seen on the phone.
fn on_a_card() -> Machine {
    let mut machine = queued();
    tick(&mut machine, &[]);
    show(&mut machine);
    machine
}

pub(crate) fn show(machine: &mut Machine) {
    let tick = machine.state.ticks;
    machine.tell(EventKind::Committed { tick, ok: true });
    assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
    let card_id = machine.card().card_id;
    let surface = Surface::PhoneCard;
    machine.tell(EventKind::Shown { card_id, surface });
}

pub(crate) fn answer(machine: &mut Machine, act: SubmitAct) {
    let card = machine.card();
    let capability = card.prompts[0].capability.clone();
    machine.tell(EventKind::Submitted {
        request: 9,
        card_id: card.card_id,
        surface: Surface::PhoneCard,
        act,
        capability: Some(capability),
    });
}

pub(crate) fn executed(machine: &mut Machine, reply: ActionReply) {
    let (tick, slot) = (machine.state.ticks, CallSlot::Primary);
    machine.tell(EventKind::Executed { tick, slot, reply });
}

pub(crate) fn done() -> ActionReply {
    ActionReply::Done {
        result: json!({}),
        effects: vec![ToolEffect::TimerSet {
            at: afternoon().plus_min(91),
        }],
    }
}

pub(crate) fn answers(machine: &Machine) -> Vec<(u64, CallAnswer)> {
    let answers = machine.out.iter().filter_map(|effect| {
        let Effect::CallAnswer { request, answer } = effect else {
            return None;
        };
        Some((*request, answer.clone()))
    });
    answers.collect()
}

/// What whoever asks the same again is told.
fn state_of(machine: &mut Machine, key: &str) -> AskReport {
    machine.tell(asked(77, key));
    match answers(machine).pop() {
        Some((77, CallAnswer::Waiting(report))) => report,
        other => unreachable!("{other:?}"),
    }
}

pub(crate) fn trace(machine: &Machine) -> Trace {
    let trace = machine.out.iter().find_map(|effect| {
        let Effect::KeepTrace(trace) = effect else {
            return None;
        };
        Some((**trace).clone())
    });
    let trace = trace.unwrap();
    gate::check_trace(&trace).unwrap();
    trace
}

pub(crate) fn draft() -> (AgentName, Candidate) {
    let item = "it_0000000000000001";
    let candidate = Candidate {
        kind: ActionKind::DraftReply,
        subject: Subject::parse(item).unwrap(),
        confidence: Milli(850),
        args: json!({"item_id": item, "tone": "casual", "length_max": 280}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    (AgentName::Comms, candidate)
}

fn leisure(confidence: i64) -> (AgentName, Candidate) {
    let candidate = Candidate {
        kind: ActionKind::PermitLeisure,
        subject: Subject::of_self(),
        confidence: Milli(confidence),
        args: json!({"window_min": 90}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    (AgentName::Wellness, candidate)
}

pub(crate) fn restart(machine: &mut Machine, ms: i64) {
    // Through the bytes of a snapshot.
    let bytes = serde_json::to_string(&machine.state).unwrap();
    machine.state = serde_json::from_str::<MachineState>(&bytes).unwrap();
    machine.at = machine.at.plus_ms(ms);
    machine.tell(EventKind::Started {
        wall: machine.state.wall(machine.at),
        policy_hash: machine.env.policy.hash().to_owned(),
        catalogue_hash: machine.env.catalogue_hash.clone(),
        settings_hash: String::new(),
        kept_ticks: 0,
        rules_number: orchestrator_machine::RULES_NUMBER,
    });
    machine.read_nothing();
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
}

#[test]
fn an_ask_is_journalled_waits_for_a_tick_and_is_made_by_the_owners_confirm_alone() {
    let mut machine = idle();
    machine.tell(asked(1, "a"));
    assert!(matches!(machine.out[..], [Effect::CommitCall { call: 1 }, ..]));
    assert_eq!(answers(&machine), [], "not before it is on disk");
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    let until = Some(machine.state.wall(afternoon()).plus_min(60));
    let queued = AskReport {
        state: AskState::Queued,
        until,
        trace_id: None,
        reason: None,
    };
    assert_eq!(answers(&machine), [(1, CallAnswer::Waiting(queued.clone()))]);
    assert_eq!(machine.state.phase.name(), StateName::Idle, "it starts no tick");
    assert_eq!((machine.state.ticks, machine.sent), (0, 0));

    let decision = tick(&mut machine, &[]);
    let chosen = decision.chosen.unwrap();
    assert_eq!(
        (chosen.kind, chosen.asker, chosen.class),
        (ActionKind::PermitLeisure, Some(Asker::Program), Class::Normal)
    );
    let considered = &decision.candidates[0];
    assert_eq!(
        (considered.asker, &considered.score),
        (Some(Asker::Program), &None)
    );
    assert_eq!(
        decision.rationale,
        "A program asks for it. A break of 90 minutes is fine now."
    );
    show(&mut machine);
    let report = state_of(&mut machine, "a");
    assert_eq!((report.state, report.until), (AskState::Asking, until));
    assert_eq!(machine.sent, 0, "nothing is made without the owner");

    assert_eq!(
        machine.card().decision.chosen.as_ref().unwrap().args_hash,
        chosen.args_hash
    );
    answer(&mut machine, SubmitAct::Confirm);
    assert_eq!(machine.sent, 0, "not before the confirmation is on disk");
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    let call = machine.calls().pop().unwrap();
    assert_eq!(
        (call.authority, call.args_hash.as_ref(), &*call.call.args),
        (
            Authority::Confirmed,
            Some(&chosen.args_hash),
            &json!({"window_min": 90})
        )
    );
    executed(&mut machine, done());
    let trace = trace(&machine);
    assert_eq!((trace.outcome, trace.ledger_after.free), (Outcome::Confirmed, 2));
    let ended = state_of(&mut machine, "a");
    let done = AskReport {
        state: AskState::Done,
        until: None,
        trace_id: Some(trace.trace_id),
        reason: None,
    };
    assert_eq!(ended, done);
    assert_eq!(machine.state.asks.open, []);
    // It is over: no later tick has it as a candidate.
    machine.tell(EventKind::TraceKept {
        trace_id: machine.env.seed.trace_id(1),
        ok: true,
    });
    machine.read_nothing();
    machine.wait(31 * MINUTE);
    machine.read_nothing();
    assert_eq!(machine.sent, 1);
}

#[test]
fn whatever_stands_against_a_candidate_holds_an_ask_back_and_it_waits_on() {
    type Against = fn(&mut Machine);
    let table: [(ReasonCode, Against); 6] = [
        (ReasonCode::Paused, |machine| {
            let until = Some(machine.state.wall(machine.at).plus_min(10));
            machine.tell(EventKind::Paused { until });
        }),
        (ReasonCode::Rule, |machine| {
            let rule = OwnerRule {
                kinds: vec![ActionKind::PermitLeisure],
                ..OwnerRule::named(RuleName::parse("no-breaks").unwrap())
            };
            machine.tell(EventKind::RuleSet { rule });
        }),
        // On a watch safety comes through; an ask is never of it.
        (ReasonCode::CapDnd, |machine| {
            machine.tell(EventKind::Connected {
                surface: Surface::Watch,
            });
            machine.tell(EventKind::Dnd {
                active: true,
                until: None,
            });
        }),
        (ReasonCode::CapWindow, |machine| {
            machine.state.window_until = Some(machine.at.plus_min(5));
        }),
        (ReasonCode::CapDaily, |machine| {
            machine.tell(EventKind::CeilingSet { ceiling: 0 });
        }),
        (ReasonCode::NoSurface, |machine| {
            machine.tell(EventKind::Disconnected {
                surface: Surface::PhoneCard,
            });
            // A push does not say who asks.
            machine.tell(EventKind::Connected {
                surface: Surface::Push,
            });
        }),
    ];
    for (reason, against) in table {
        for (tool, args) in [
            (ToolName::PermitLeisure, json!({"window_min": 90})),
            (ToolName::GuideBreathing, json!({"cycles": 4})),
        ] {
            if reason == ReasonCode::Rule && tool != ToolName::PermitLeisure {
                continue;
            }
            let mut machine = idle();
            machine.tell(asks_for(1, "a", tool, args));
            machine.tell(EventKind::CallCommitted { call: 1, ok: true });
            against(&mut machine);
            let decision = tick(&mut machine, &[]);
            assert_eq!(
                (decision.chosen, decision.reason_code),
                (None, Some(reason)),
                "{tool}"
            );
            assert_eq!(decision.candidates[0].removed, Some(reason), "{tool}");
            assert_eq!(machine.state.asks.open.len(), 1, "{reason} {tool}");
        }
    }
}

#[test]
fn an_ask_ranks_behind_every_candidate_of_an_agent_that_passes() {
    let silent = Candidate {
        kind: ActionKind::CategorizeTxn,
        subject: Subject::of_self(),
        confidence: Milli(850),
        args: json!({"txn_ids": ["tx_0000000000000001"]}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    let mut weak = draft();
    weak.1.confidence = Milli(700);
    for (proposed, chosen) in [
        // 0.85 × 0.85 − 0.20 − 0.05 = 0.473
        (vec![draft()], ActionKind::DraftReply),
        // 0.80 × 0.85 = 0.68, and nothing is shown
        (vec![(AgentName::Finance, silent)], ActionKind::CategorizeTxn),
        // 0.85 × 0.70 − 0.20 − 0.05 = 0.345 does not pass
        (vec![weak], ActionKind::PermitLeisure),
    ] {
        let mut machine = queued();
        let decision = tick(&mut machine, &proposed);
        assert_eq!(decision.candidates.len(), 2);
        assert_eq!(decision.candidates[1].asker, Some(Asker::Program));
        assert_eq!(decision.chosen.unwrap().kind, chosen);
        assert_eq!(machine.state.asks.open.len(), 1);
    }
}

#[test]
fn an_ask_ends_as_the_owner_and_the_tool_have_it() {
    type Happens = fn(&mut Machine);
    let confirm: Happens = |machine| {
        answer(machine, SubmitAct::Confirm);
        machine.tell(EventKind::Committed { tick: 1, ok: true });
    };
    let table: [(&str, Happens, AskState, Option<ReasonCode>); 7] = [
        (
            "dismissed",
            |machine| answer(machine, SubmitAct::Dismiss),
            AskState::Dismissed,
            Some(ReasonCode::OwnerDismissed),
        ),
        (
            "edited",
            |machine| answer(machine, SubmitAct::Edit),
            AskState::Dismissed,
            Some(ReasonCode::Edited),
        ),
        (
            "nobody answers",
            |machine| machine.wait(60 * SECOND),
            AskState::Expired,
            Some(ReasonCode::ConfirmTimeout),
        ),
        (
            "the tool fails",
            |machine| executed(machine, ActionReply::Failed(None)),
            AskState::Refused,
            Some(ReasonCode::ToolFailed),
        ),
        (
            "its result is refused",
            |machine| executed(machine, ActionReply::Rejected),
            AskState::Refused,
            Some(ReasonCode::ResultRejected),
        ),
        (
            "a crash while it runs",
            |machine| restart(machine, SECOND),
            AskState::Unknown,
            Some(ReasonCode::UnknownAfterCrash),
        ),
        ("done", |machine| executed(machine, done()), AskState::Done, None),
    ];
    for (what, happens, state, reason) in table {
        let mut machine = on_a_card();
        if matches!(state, AskState::Refused | AskState::Unknown | AskState::Done) {
            confirm(&mut machine);
        }
        let sent = machine.sent;
        happens(&mut machine);
        let report = state_of(&mut machine, "a");
        assert_eq!((report.state, report.reason), (state, reason), "{what}");
        assert_eq!(report.trace_id, Some(machine.env.seed.trace_id(1)), "{what}");
        assert_eq!((machine.sent, machine.state.asks.open.len()), (sent, 0), "{what}");
        restart(&mut machine, SECOND);
        assert_eq!(state_of(&mut machine, "a"), report, "{what}, after a restart");
    }
}

#[test]
fn a_question_that_became_void_or_was_taken_back_is_asked_again() {
    // Another policy: the card was seen, and nobody has answered it.
    let mut machine = on_a_card();
    machine.env.catalogue_hash = "1".repeat(64);
    restart(&mut machine, SECOND);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Queued);
    // A pause before anybody saw it.
    let mut machine = queued();
    tick(&mut machine, &[]);
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    let until = Some(machine.state.wall(machine.at).plus_min(10));
    machine.tell(EventKind::Paused { until });
    assert_eq!(machine.state.phase.name(), StateName::LoggingTrace);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Queued);
}

#[test]
fn what_waits_and_what_is_asked_survive_a_restart() {
    let mut machine = queued();
    restart(&mut machine, 20 * MINUTE);
    let report = state_of(&mut machine, "a");
    let until = Some(machine.state.wall(afternoon()).plus_min(60));
    assert_eq!((report.state, report.until), (AskState::Queued, until));
    // The journal has the request, and lost that this was said.
    let mut machine = idle();
    machine.tell(asked(1, "a"));
    restart(&mut machine, SECOND);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Queued);
    // The card keeps its time, and its capability counts.
    let mut machine = on_a_card();
    let capability = machine.card().prompts[0].capability.clone();
    restart(&mut machine, SECOND);
    assert_eq!(machine.card().prompts[0].capability, capability);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Asking);
}

#[test]
fn its_time_is_over_while_it_waits_and_not_while_it_is_on_a_card() {
    let short = |minutes| EventKind::CallRequested {
        request: 1,
        id: id("a"),
        asker: Asker::Program,
        origin: None,
        tool: ToolName::PermitLeisure,
        args: json!({"window_min": 90}),
        wait_min: Some(minutes),
    };
    // At least a minute, at most a day.
    for (said, minutes) in [(0, 1), (7, 7), (60_000, 24 * 60)] {
        let mut machine = idle();
        machine.tell(short(said));
        let until = machine.state.asks.open[0].until;
        assert_eq!(until, machine.at.plus_min(minutes), "{said}");
    }
    let mut machine = idle();
    machine.tell(short(1));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    assert_eq!(next_due(&machine.state), Some(machine.at.plus_min(1)));
    machine.wait(MINUTE - 1);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Queued);
    machine.wait(1);
    let report = state_of(&mut machine, "a");
    assert_eq!((report.state, report.trace_id), (AskState::Expired, None));
    // On a card from 50 s on: its own 60 s count.
    let mut machine = idle();
    machine.tell(short(1));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    machine.wait(50 * SECOND);
    tick(&mut machine, &[]);
    show(&mut machine);
    machine.wait(15 * SECOND);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Asking);
    // Taken back then, it does not wait on.
    answer(&mut machine, SubmitAct::Confirm);
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    executed(&mut machine, done());
    assert_eq!(state_of(&mut machine, "a").state, AskState::Done);
}

#[test]
fn two_asks_for_one_thing_are_one_card_and_both_have_its_end() {
    let mut machine = queued();
    machine.tell(asked(2, "b"));
    machine.tell(EventKind::CallCommitted { call: 2, ok: true });
    let decision = tick(&mut machine, &[]);
    assert_eq!(decision.candidates.len(), 1);
    show(&mut machine);
    // One that comes while the card is open is on it, too.
    machine.tell(asked(3, "c"));
    machine.tell(EventKind::CallCommitted { call: 3, ok: true });
    answer(&mut machine, SubmitAct::Dismiss);
    for key in ["a", "b", "c"] {
        assert_eq!(state_of(&mut machine, key).state, AskState::Dismissed, "{key}");
    }
    // An agent proposes the same, and passes: 1.0 × 0.85 − 0.20 − 0.05 = 0.60. Its card answers the ask.
    let mut machine = queued();
    let decision = tick(&mut machine, &[leisure(850)]);
    assert_eq!(decision.chosen.unwrap().asker, None);
    show(&mut machine);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Asking);
    answer(&mut machine, SubmitAct::Dismiss);
    assert_eq!(state_of(&mut machine, "a").state, AskState::Dismissed);
    // It does not pass by itself: 0.60 − 0.25 = 0.35. The ask is not scored.
    let mut machine = queued();
    let decision = tick(&mut machine, &[leisure(600)]);
    assert_eq!(decision.candidates.len(), 2);
    assert_eq!(decision.chosen.unwrap().asker, Some(Asker::Program));
}

#[test]
fn the_same_ask_again_is_the_same_ask_and_another_under_its_key_is_refused() {
    let mut machine = idle();
    machine.tell(asked(1, "a"));
    machine.tell(asked(2, "a"));
    assert_eq!(answers(&machine), [], "both wait for the disk");
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    let told: Vec<u64> = answers(&machine).iter().map(|(request, _)| *request).collect();
    assert_eq!((told, machine.state.asks.open.len()), (vec![1, 2], 1));
    let refused = |why| [(5, CallAnswer::Refused(why))];
    machine.tell(asks_for(
        5,
        "a",
        ToolName::StartNapTimer,
        json!({"duration_min": 15}),
    ));
    assert_eq!(answers(&machine), refused(CallRefusal::OtherRequest));
    // What the disk does not take was not asked.
    machine.tell(asked(5, "b"));
    machine.tell(EventKind::CallCommitted { call: 2, ok: false });
    assert_eq!(answers(&machine), refused(CallRefusal::NotKept));
    assert_eq!(machine.state.asks.open.len(), 1);
}

#[test]
fn so_many_wait_and_so_many_ends_are_remembered() {
    let mut machine = idle();
    for n in 0..ASKS_OPEN_OF_SOCKET {
        machine.tell(asked(1, &n.to_string()));
    }
    machine.tell(asked(5, "one more"));
    assert_eq!(
        answers(&machine),
        [(5, CallAnswer::Refused(CallRefusal::TooMany))]
    );
    let first = u64::try_from(ASKS_OPEN_OF_SOCKET).unwrap() + 1;
    machine.wait(61 * MINUTE);
    machine.read_nothing();
    for (n, call) in (0..ASKS_ENDED_MAX).zip(first..) {
        machine.tell(asked(1, &format!("later {n}")));
        machine.tell(EventKind::CallCommitted { call, ok: true });
        machine.wait(61 * MINUTE);
        machine.read_nothing();
    }
    assert_eq!(
        (machine.state.asks.open.len(), machine.state.asks.ended.len()),
        (0, ASKS_ENDED_MAX)
    );
    // The oldest end is forgotten: the same is a new ask.
    machine.tell(asked(9, "0"));
    assert_eq!(machine.state.asks.open.len(), 1);
}

#[test]
fn a_program_may_ask_for_what_a_card_names_and_for_nothing_else() {
    let may = [
        (
            ToolName::MuteChannel,
            json!({"channel_hash": CHANNEL, "ttl_seconds": 1800}),
        ),
        (ToolName::GuideBreathing, json!({"cycles": 4})),
        (ToolName::StartNapTimer, json!({"duration_min": 15})),
        (ToolName::PermitLeisure, json!({"window_min": 90})),
    ];
    for tool in ToolName::ALL {
        let args = may.iter().find(|(one, _)| one == tool);
        assert_eq!(
            call_rights::is_on_request(*tool, Asker::Program),
            args.is_some(),
            "{tool}"
        );
        let mut machine = idle();
        let asked = args.map_or(json!({}), |(_, args)| args.clone());
        machine.tell(asks_for(5, "a", *tool, asked));
        let refused = [(5, CallAnswer::Refused(CallRefusal::NotOnRequest))];
        match args {
            Some(_) => assert_eq!(machine.state.asks.open.len(), 1, "{tool}"),
            None => assert_eq!(answers(&machine), refused, "{tool}"),
        }
    }
    for (tool, args) in [
        // Other values than those that the card says, and arguments that are none.
        (
            ToolName::MuteChannel,
            json!({"channel_hash": CHANNEL, "ttl_seconds": 3600}),
        ),
        (
            ToolName::MuteChannel,
            json!({"channel_hash": "hilltop", "ttl_seconds": 1800}),
        ),
        (ToolName::GuideBreathing, json!({"cycles": 20})),
        (ToolName::StartNapTimer, json!({"duration_min": 90})),
        (ToolName::PermitLeisure, json!({"window_min": 240})),
        (ToolName::PermitLeisure, json!({"window_min": 90, "x": 1})),
        (ToolName::PermitLeisure, json!({})),
        (ToolName::PermitLeisure, json!(7)),
    ] {
        let mut machine = idle();
        machine.tell(asks_for(5, "a", tool, args.clone()));
        let refused = [(5, CallAnswer::Refused(CallRefusal::Arguments))];
        assert_eq!(answers(&machine), refused, "{args}");
        assert_eq!(machine.state.asks.open, []);
    }
}

#[test]
fn a_state_in_which_nobody_asked_reads_and_writes_as_before_there_were_asks() {
    let state = idle().state;
    let text = serde_json::to_string(&state).unwrap();
    assert!(!text.contains("asks"), "{text}");
    assert_eq!(serde_json::from_str::<MachineState>(&text).unwrap(), state);
}

#[test]
fn an_act_on_the_card_of_an_ask_teaches_comms_nothing() {
    let mut machine = idle();
    machine.tell(asks_for(
        1,
        "a",
        ToolName::MuteChannel,
        json!({"channel_hash": CHANNEL, "ttl_seconds": 1800}),
    ));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    tick(&mut machine, &[]);
    show(&mut machine);
    answer(&mut machine, SubmitAct::Dismiss);
    assert_eq!(machine.state.calls.open, []);
    assert_eq!(machine.state.calls.begun, 1, "the ask's own number");
}
