//! Calls that somebody other than a tick asks for.
//!
//! What: one request in each of the seven states, its gate, deadline and trace, the same request again, and a crash at each of
//! its stages. Why: there is one way to have a tool called outside of ticks, and it must neither wait for a prompt nor run
//! twice. Not here: every interleaving with a tick (`proof`), the same over HTTP and the command line (`/tests`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, SECOND, afternoon};
use orchestrator_machine::{
    Effect, EventKind, call_rights,
    calls::{CALLS_ENDED_MAX, CALLS_OPEN_MAX, CallAnswer, CallEnd, CallRefusal, RequestedCalls},
    effect::{OutgoingCall, ReplyTo},
    event::{ActionReply, CallSlot},
    next_due,
};
use serde_json::{Value, json};
use toolcall_schema::{
    AgentName, Authority, Dispatch, Outcome, ReasonCode, StateName, Surface, Timestamp, ToolName,
    WellnessState, gate,
    ids::{ChannelHash, OwnerSeed, RequestId},
    milli::Milli,
    result::{ToolEffect, ToolErrorCode},
    rule::{OwnerInstruction, OwnerRule, RuleName},
    tick::{Candidate, Subject, TriggerSource},
    trace::{Asker, RequestedCall, Trace},
};

fn channel() -> ChannelHash {
    ChannelHash::parse("ch_0000000000000001").unwrap()
}

fn id(key: &str) -> RequestId {
    OwnerSeed::from_day_seed("calls")
        .key("test")
        .request("owner_page", key)
}

fn requested(request: u64, key: &str, args: Value) -> EventKind {
    EventKind::CallRequested {
        request,
        id: id(key),
        asker: Asker::OwnerPage,
        origin: None,
        tool: ToolName::UnmuteChannel,
        args,
        wait_min: None,
    }
}

fn unmute() -> Value {
    json!({"channel_hash": channel()})
}

fn done() -> ActionReply {
    ActionReply::Done {
        result: unmute(),
        effects: vec![ToolEffect::RuleCleared { channel: channel() }],
    }
}

/// One muted channel for an hour.
fn idle() -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    mute(machine)
}

fn mute(mut machine: Machine) -> Machine {
    let until = machine.at.plus_min(60);
    machine.state.mutes_wall.insert(channel(), until);
    machine
}

/// A machine in each of the seven states.
fn in_each_state() -> Vec<Machine> {
    let mut listening = idle();
    listening.tell(EventKind::OwnerTick);
    let mut deliberating = idle();
    let draft = Candidate {
        kind: toolcall_schema::ActionKind::DraftReply,
        subject: Subject::parse("it_0000000000000001").unwrap(),
        confidence: Milli(850),
        args: json!({"item_id": "it_0000000000000001", "tone": "casual", "length_max": 280}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    deliberating.proposed(AgentName::Comms, &draft);
    let awaiting = mute(Machine::prompted());
    let mut executing = awaiting.clone();
    executing.confirm();
    let mut logging = executing.clone();
    logging.tell(EventKind::Executed {
        tick: 1,
        slot: CallSlot::Primary,
        reply: ActionReply::Failed(None),
    });
    let mut cooldown = logging.clone();
    let trace_id = cooldown.env.seed.trace_id(1);
    cooldown.tell(EventKind::TraceKept { trace_id, ok: true });
    let mut all = vec![
        idle(),
        listening,
        deliberating,
        awaiting,
        executing,
        logging,
        cooldown,
    ];
    // What the confirmation taught is a call as well: here the first one is the owner's.
    for machine in &mut all {
        machine.state.calls = RequestedCalls::default();
    }
    let names: Vec<StateName> = all.iter().map(|machine| machine.state.phase.name()).collect();
    let seven = [
        StateName::Idle,
        StateName::Listening,
        StateName::Deliberating,
        StateName::AwaitingConfirm,
        StateName::Executing,
        StateName::LoggingTrace,
        StateName::Cooldown,
    ];
    assert_eq!(names, seven);
    all
}

fn commits(machine: &Machine) -> Vec<u64> {
    let commits = machine.out.iter().filter_map(|effect| {
        let Effect::CommitCall { call } = effect else {
            return None;
        };
        Some(*call)
    });
    commits.collect()
}

fn sent(machine: &Machine) -> Vec<OutgoingCall> {
    let asked = |call: &OutgoingCall| matches!(call.reply, ReplyTo::Call { .. });
    machine.calls().into_iter().filter(asked).collect()
}

fn answers(machine: &Machine) -> Vec<(u64, CallAnswer)> {
    let answers = machine.out.iter().filter_map(|effect| {
        let Effect::CallAnswer { request, answer } = effect else {
            return None;
        };
        Some((*request, answer.clone()))
    });
    answers.collect()
}

fn call_trace(machine: &Machine) -> Option<Trace> {
    machine.out.iter().find_map(|effect| {
        let Effect::KeepTrace(trace) = effect else {
            return None;
        };
        trace.decision.call.map(|_| (**trace).clone())
    })
}

fn kept(machine: &mut Machine, number: u64, ok: bool) {
    let trace_id = machine.env.seed.call_trace_id(number);
    machine.tell(EventKind::TraceKept { trace_id, ok });
}

fn ended(machine: &Machine, outcome: Outcome, reason: Option<ReasonCode>) -> CallAnswer {
    CallAnswer::Ended(CallEnd {
        trace_id: machine.env.seed.call_trace_id(1),
        outcome,
        reason,
        error: None,
    })
}

fn restart(machine: &mut Machine, ms: i64) {
    machine.at = machine.at.plus_ms(ms);
    machine.tell(EventKind::Started {
        wall: machine.state.wall(machine.at),
        policy_hash: machine.env.policy.hash().to_owned(),
        catalogue_hash: machine.env.catalogue_hash.clone(),
        settings_hash: String::new(),
        kept_ticks: 0,
        rules_number: orchestrator_machine::RULES_NUMBER,
    });
}

#[test]
fn it_is_done_at_once_in_every_state_and_the_state_stays() {
    for mut machine in in_each_state() {
        let (state, ticks) = (machine.state.phase.name(), machine.state.ticks);
        let before = machine.state.phase.clone();
        machine.tell(requested(7, "a", unmute()));
        assert_eq!((commits(&machine), sent(&machine)), (vec![1], vec![]), "{state}");
        machine.tell(EventKind::CallCommitted { call: 1, ok: true });
        let call = sent(&machine).pop().unwrap();
        // The whole gate, and on the owner's word.
        let admitted = gate::admit(&call.call.to_bytes(), gate::GateClock::At(call.call.ts)).unwrap();
        admitted
            .require_args_hash(call.args_hash.as_ref().unwrap())
            .unwrap();
        assert_eq!(call.authority, Authority::Confirmed);
        assert!(Dispatch::new(admitted, call.authority).is_ok());
        if state != StateName::Idle {
            assert_eq!(machine.state.phase, before, "{state}");
        }
        machine.tell(EventKind::CallExecuted {
            call: 1,
            reply: done(),
        });
        assert!(machine.state.mutes_wall.is_empty(), "{state}");
        let trace = call_trace(&machine).unwrap();
        gate::check_trace(&trace).unwrap();
        let (number, asker) = (1, Asker::OwnerPage);
        assert_eq!(trace.decision.call, Some(RequestedCall { number, asker }));
        assert_eq!(trace.decision.trigger.source, TriggerSource::Call);
        assert_eq!(trace.decision.tick, ticks, "{state}");
        assert_eq!((trace.outcome, trace.reason_code), (Outcome::Confirmed, None));
        assert_eq!(answers(&machine), [], "not before its trace is on disk");
        kept(&mut machine, 1, true);
        let answer = ended(&machine, Outcome::Confirmed, None);
        assert_eq!(answers(&machine), [(7, answer)], "{state}");
        if state != StateName::Idle {
            assert_eq!(machine.state.phase, before, "{state}");
        }
    }
}

#[test]
fn a_chat_is_muted_on_its_owners_word_in_every_state() {
    for mut machine in in_each_state() {
        let (state, before) = (machine.state.phase.name(), machine.state.phase.clone());
        machine.state.mutes_wall.clear();
        let until = machine.state.wall(machine.at).plus_min(60);
        machine.tell(EventKind::CallRequested {
            request: 7,
            id: id("mute"),
            asker: Asker::OwnerPage,
            origin: None,
            tool: ToolName::MuteChannel,
            args: json!({"channel_hash": channel(), "ttl_seconds": 3600}),
            wait_min: None,
        });
        machine.tell(EventKind::CallCommitted { call: 1, ok: true });
        let call = sent(&machine).pop().unwrap();
        assert_eq!(call.authority, Authority::Confirmed, "{state}");
        let effects = vec![ToolEffect::RuleSet {
            channel: channel(),
            until,
        }];
        let result = json!({"channel_hash": channel(), "until": until});
        let reply = ActionReply::Done { result, effects };
        machine.tell(EventKind::CallExecuted { call: 1, reply });
        assert_eq!(machine.state.mutes_wall.get(&channel()), Some(&until), "{state}");
        let trace = call_trace(&machine).unwrap();
        assert_eq!(trace.rationale, "You muted this chat.");
        if state != StateName::Idle {
            assert_eq!(machine.state.phase, before, "{state}");
        }
    }
}

#[test]
fn the_pause_and_a_rule_are_ended_by_the_machines_own_tools_in_every_state() {
    let name = RuleName::parse("evening-1").unwrap();
    let rule = || OwnerRule {
        kinds: vec![toolcall_schema::ActionKind::Nap15],
        ..OwnerRule::named(name.clone())
    };
    for mut machine in in_each_state() {
        let state = machine.state.phase.name();
        let until = machine.state.wall(machine.at).plus_min(60);
        machine.tell(EventKind::Paused { until: Some(until) });
        machine.tell(EventKind::RuleSet { rule: rule() });
        let before = machine.state.phase.clone();
        for (call, tool, args, effect) in [
            (1, ToolName::EndPause, json!({}), ToolEffect::PauseEnded),
            (
                2,
                ToolName::RemoveRule,
                json!({"name": name}),
                ToolEffect::OwnerRuleRemoved { name: name.clone() },
            ),
        ] {
            machine.tell(EventKind::CallRequested {
                request: call,
                id: id(tool.as_str()),
                asker: Asker::OwnerCommand,
                origin: None,
                tool,
                args: args.clone(),
                wait_min: None,
            });
            machine.tell(EventKind::CallCommitted { call, ok: true });
            let out = sent(&machine).pop().unwrap();
            // No agent has to live for it.
            assert_eq!(
                (out.call.agent, out.authority),
                (AgentName::Orchestrator, Authority::Confirmed)
            );
            assert!(gate::admit(&out.call.to_bytes(), gate::GateClock::At(out.call.ts)).is_ok());
            machine.tell(EventKind::CallExecuted {
                call,
                reply: ActionReply::Done {
                    result: args,
                    effects: vec![effect],
                },
            });
            let trace = call_trace(&machine).unwrap();
            gate::check_trace(&trace).unwrap();
            assert_eq!((trace.outcome, trace.reason_code), (Outcome::Confirmed, None));
            kept(&mut machine, call, true);
            assert_eq!(answers(&machine).len(), 1, "{state} {tool}");
        }
        assert_eq!(
            (machine.state.paused_until_wall, machine.state.rules.len()),
            (None, 0),
            "{state}"
        );
        if state != StateName::Idle {
            assert_eq!(machine.state.phase, before, "{state}");
        }
    }
}

#[test]
fn what_is_instructed_is_remembered_for_a_week_with_its_instant() {
    let mut machine = idle();
    let given = |machine: &Machine| {
        let all = machine.state.instructed.iter();
        all.map(|one| (one.at_wall, one.what.clone())).collect::<Vec<_>>()
    };
    let name = RuleName::parse("evening-1").unwrap();
    let rule = OwnerRule {
        kinds: vec![toolcall_schema::ActionKind::Nap15],
        ..OwnerRule::named(name)
    };
    let at = machine.state.wall(machine.at);
    let until = at.plus_min(60);
    // Both within one millisecond.
    machine.tell(EventKind::Paused { until: Some(until) });
    machine.tell(EventKind::RuleSet { rule: rule.clone() });
    let pause = OwnerInstruction::Pause { until };
    assert_eq!(
        given(&machine),
        [(at, pause), (at.plus_ms(1), OwnerInstruction::Rule { rule })]
    );
    // A pause lasts its time, whatever the clock shows, and is still the one that was given.
    machine.set_clock(60_000);
    let paused = machine.state.paused_until_wall.unwrap();
    assert_eq!(
        (paused, given(&machine)[0].1.clone()),
        (until.plus_min(1), OwnerInstruction::Pause { until: paused })
    );
    machine.set_clock(-60_000);
    // A week later they are gone when the next is given.
    machine.set_clock(7 * 24 * 60 * 60 * 1000);
    let later = machine.state.wall(machine.at);
    let until = later.plus_min(60);
    // One that is over as it begins is none.
    machine.tell(EventKind::Paused { until: Some(later) });
    machine.tell(EventKind::Paused { until: None });
    machine.tell(EventKind::Paused { until: Some(until) });
    let left: Vec<Timestamp> = given(&machine).into_iter().map(|(at, _)| at).collect();
    assert_eq!(left, [at.plus_ms(1), later]);
}

#[test]
fn a_mute_that_is_ended_early_starts_the_tick_of_its_end() {
    let mut machine = idle();
    machine.tell(requested(1, "a", unmute()));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    machine.tell(EventKind::CallExecuted {
        call: 1,
        reply: done(),
    });
    let listening = |machine: &Machine| machine.state.phase.name() == StateName::Listening;
    assert!(listening(&machine), "{:?}", machine.state.phase.name());
    assert_eq!(machine.state.ticks, 1);
}

#[test]
fn the_same_request_again_gets_the_first_outcome_and_runs_nothing() {
    let mut machine = idle();
    machine.tell(requested(1, "a", unmute()));
    // Under way: answered together.
    machine.tell(requested(2, "a", unmute()));
    assert_eq!((commits(&machine), answers(&machine)), (vec![], vec![]));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    machine.tell(EventKind::CallExecuted {
        call: 1,
        reply: done(),
    });
    kept(&mut machine, 1, true);
    let answer = ended(&machine, Outcome::Confirmed, None);
    assert_eq!(answers(&machine), [(1, answer.clone()), (2, answer.clone())]);
    // Over, and after a restart too.
    for request in [3, 4] {
        machine.tell(requested(request, "a", unmute()));
        assert_eq!((commits(&machine), sent(&machine)), (vec![], vec![]));
        assert_eq!(answers(&machine), [(request, answer.clone())]);
        restart(&mut machine, 10 * SECOND);
    }
    let other = json!({"channel_hash": "ch_0000000000000002"});
    machine.tell(requested(5, "a", other));
    let refused = CallAnswer::Refused(CallRefusal::OtherRequest);
    assert_eq!(answers(&machine), [(5, refused)]);
    machine.tell(requested(6, "b", unmute()));
    assert_eq!(commits(&machine), [2], "another key is another request");
}

#[test]
fn what_may_not_be_asked_for_does_not_begin() {
    let wrong = [
        json!({}),
        json!({"channel_hash": "family"}),
        json!({"channel_hash": channel(), "x": 1}),
    ];
    for args in wrong {
        let mut machine = idle();
        machine.tell(requested(1, "a", args));
        let refused = CallAnswer::Refused(CallRefusal::Arguments);
        assert_eq!(answers(&machine), [(1, refused)]);
        assert_eq!((commits(&machine), machine.state.calls.begun), (vec![], 0));
    }
    for tool in ToolName::ALL
        .iter()
        .filter(|tool| !call_rights::is_on_request(**tool, Asker::OwnerPage))
    {
        let mut machine = idle();
        machine.tell(EventKind::CallRequested {
            request: 1,
            id: id("a"),
            asker: Asker::OwnerCommand,
            origin: None,
            tool: *tool,
            args: json!({}),
            wait_min: None,
        });
        let refused = CallAnswer::Refused(CallRefusal::NotOnRequest);
        assert_eq!(answers(&machine), [(1, refused)], "{tool}");
    }
}

#[test]
fn a_call_has_five_seconds_of_its_own() {
    // Not on disk; on disk and without an answer. In both nothing changes, and only the second names a call.
    for dispatched in [false, true] {
        let mut machine = mute(Machine::prompted());
        machine.tell(requested(1, "a", unmute()));
        machine.tell(EventKind::CallCommitted {
            call: 1,
            ok: dispatched,
        });
        assert_eq!(sent(&machine).len(), usize::from(dispatched));
        machine.wait(5 * SECOND - 1);
        assert_eq!(call_trace(&machine), None);
        machine.wait(1);
        let trace = call_trace(&machine).unwrap();
        gate::check_trace(&trace).unwrap();
        let failed = (Outcome::Failed, Some(ReasonCode::ToolFailed));
        assert_eq!((trace.outcome, trace.reason_code), failed);
        assert_eq!(trace.tool_calls.len(), usize::from(dispatched));
        assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
        kept(&mut machine, 1, true);
        assert_eq!(answers(&machine), [(1, ended(&machine, failed.0, failed.1))]);
        assert_eq!(machine.state.mutes_wall.len(), 1);
        // Late: nothing is done with it.
        machine.tell(EventKind::CallExecuted {
            call: 1,
            reply: done(),
        });
        assert_eq!(machine.state.mutes_wall.len(), 1);
        // The same again: one that was sent may have been done, one that was not was not.
        machine.tell(requested(2, "a", unmute()));
        let begun = if dispatched { vec![] } else { vec![2] };
        assert_eq!(commits(&machine), begun);
    }
}

#[test]
fn a_request_that_was_not_done_is_done_once_when_it_is_repeated() {
    // The disk or the log takes nothing for five seconds; the process ends before the call's answer is in the journal.
    for crashed in [None, Some(false), Some(true)] {
        let mut machine = idle();
        machine.tell(requested(1, "a", unmute()));
        if crashed == Some(true) {
            machine.tell(EventKind::CallCommitted { call: 1, ok: true });
        }
        match crashed {
            None => machine.wait(5 * SECOND),
            Some(_) => restart(&mut machine, 100),
        }
        // Until its trace is kept it is under way.
        machine.tell(requested(2, "a", unmute()));
        assert_eq!((commits(&machine), answers(&machine)), (vec![], vec![]));
        kept(&mut machine, 1, true);
        machine.tell(requested(3, "a", unmute()));
        assert_eq!(commits(&machine), [2], "{crashed:?}");
        // What comes of the first one late changes nothing.
        machine.tell(EventKind::CallCommitted { call: 1, ok: true });
        machine.tell(EventKind::CallExecuted {
            call: 1,
            reply: done(),
        });
        assert_eq!((sent(&machine), machine.state.mutes_wall.len()), (vec![], 1));
        machine.tell(EventKind::CallCommitted { call: 2, ok: true });
        assert_eq!(sent(&machine).len(), 1);
        machine.tell(EventKind::CallExecuted {
            call: 2,
            reply: done(),
        });
        kept(&mut machine, 2, true);
        assert_eq!(machine.state.mutes_wall.len(), 0);
        let done = CallAnswer::Ended(CallEnd {
            trace_id: machine.env.seed.call_trace_id(2),
            outcome: Outcome::Confirmed,
            reason: None,
            error: None,
        });
        assert_eq!(answers(&machine), [(3, done.clone())]);
        machine.tell(requested(4, "a", unmute()));
        assert_eq!((commits(&machine), answers(&machine)), (vec![], vec![(4, done)]));
    }
}

#[test]
fn a_tool_that_fails_or_says_nonsense_is_a_failure() {
    for (reply, reason, error) in [
        (
            ActionReply::Failed(Some(ToolErrorCode::Unavailable)),
            ReasonCode::ToolFailed,
            Some(ToolErrorCode::Unavailable),
        ),
        (ActionReply::Rejected, ReasonCode::ResultRejected, None),
    ] {
        let mut machine = idle();
        machine.tell(requested(1, "a", unmute()));
        machine.tell(EventKind::CallCommitted { call: 1, ok: true });
        machine.tell(EventKind::CallExecuted { call: 1, reply });
        gate::check_trace(&call_trace(&machine).unwrap()).unwrap();
        kept(&mut machine, 1, true);
        let (_, answer) = answers(&machine).pop().unwrap();
        let CallAnswer::Ended(end) = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(
            (end.outcome, end.reason, end.error),
            (Outcome::Failed, Some(reason), error)
        );
        assert_eq!(machine.state.mutes_wall.len(), 1);
    }
}

#[test]
fn a_trace_that_the_disk_does_not_take_is_handed_to_it_until_it_does() {
    let mut machine = idle();
    machine.tell(requested(1, "a", unmute()));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    machine.tell(EventKind::CallExecuted {
        call: 1,
        reply: done(),
    });
    let first = call_trace(&machine).unwrap();
    kept(&mut machine, 1, false);
    for _ in 0..3 {
        assert_eq!(answers(&machine), []);
        machine.wait(10 * SECOND);
        assert_eq!(call_trace(&machine), Some(first.clone()));
    }
    kept(&mut machine, 1, true);
    assert_eq!(answers(&machine).len(), 1);
    assert!(machine.state.calls.open.is_empty());
}

#[test]
fn after_a_crash_a_call_that_may_have_left_is_not_sent_again() {
    for (stage, long) in [(0, false), (1, false), (0, true), (1, true)] {
        let mut machine = mute(Machine::prompted());
        machine.tell(requested(1, "a", unmute()));
        if stage == 1 {
            machine.tell(EventKind::CallCommitted { call: 1, ok: true });
        }
        restart(&mut machine, if long { 3600 * SECOND } else { 100 });
        assert_eq!(sent(&machine), []);
        let trace = call_trace(&machine).unwrap();
        gate::check_trace(&trace).unwrap();
        let unknown = (Outcome::Failed, Some(ReasonCode::UnknownAfterCrash));
        assert_eq!((trace.outcome, trace.reason_code), unknown, "{stage} {long}");
        assert_eq!(trace.ts, machine.state.wall(machine.at));
        kept(&mut machine, 1, true);
        assert_eq!(answers(&machine), [], "who asked has gone");
        assert_eq!(machine.state.mutes_wall.len(), usize::from(!long));
    }
}

#[test]
fn after_a_crash_a_trace_that_may_not_be_on_disk_is_kept_with_the_same_bytes() {
    let mut machine = mute(Machine::prompted());
    machine.tell(requested(1, "a", unmute()));
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    machine.tell(EventKind::CallExecuted {
        call: 1,
        reply: done(),
    });
    let first = call_trace(&machine).unwrap();
    restart(&mut machine, 100);
    assert_eq!(call_trace(&machine), Some(first));
    kept(&mut machine, 1, true);
    machine.tell(requested(9, "a", unmute()));
    assert_eq!(
        answers(&machine),
        [(9, ended(&machine, Outcome::Confirmed, None))]
    );
}

#[test]
fn there_is_a_bound_to_what_is_open_and_to_what_is_remembered() {
    let mut machine = idle();
    for n in 1..=CALLS_OPEN_MAX {
        machine.tell(requested(1, &format!("k{n}"), unmute()));
        assert_eq!(commits(&machine).len(), 1);
    }
    machine.tell(requested(1, "one-more", unmute()));
    let refused = CallAnswer::Refused(CallRefusal::TooMany);
    assert_eq!(answers(&machine), [(1, refused)]);
    // Each is over in bounded time.
    machine.wait(5 * SECOND);
    for n in 1..=CALLS_OPEN_MAX {
        kept(&mut machine, n as u64, true);
    }
    assert!(machine.state.calls.open.is_empty());
    assert!(next_due(&machine.state).is_some_and(|due| due > machine.at));
    for n in 0..CALLS_ENDED_MAX {
        machine.tell(requested(1, &format!("l{n}"), unmute()));
        let call = machine.state.calls.begun;
        machine.tell(EventKind::CallCommitted { call, ok: true });
        machine.tell(EventKind::CallExecuted {
            call,
            reply: ActionReply::Failed(None),
        });
        kept(&mut machine, call, true);
    }
    assert_eq!(machine.state.calls.ended.len(), CALLS_ENDED_MAX);
    machine.tell(requested(1, "l0", unmute()));
    assert!(commits(&machine).is_empty(), "the last ones are remembered");
}

#[test]
fn a_state_of_before_has_no_calls() {
    let machine = idle();
    let mut old = serde_json::to_value(&machine.state).unwrap();
    old.as_object_mut().unwrap().remove("calls");
    let state: orchestrator_machine::MachineState = serde_json::from_value(old).unwrap();
    assert_eq!(state, machine.state);
}
