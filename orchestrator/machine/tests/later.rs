//! What the owner puts off comes back.
//!
//! What: the hours of each choice, what holds it up and what ends that early, a set clock, a restart, forgetting, and what cannot be put off. Why: "later"
//! is a promise of the owner's own. Not here: whole days with their arithmetic (`fixtures/days/later-*`), random days (`second`), crashes (`proof`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{HOUR, Machine, SECOND, afternoon, ts};
use orchestrator_machine::{
    Effect, EventKind, MachineState,
    effect::{ReplyTo, SubmissionVerdict},
    event::{ActionReply, IngestedFacts, TickAnswer},
    forget::forget,
    later::{LATER_MAX, PostponedCard},
    next_due,
    state::MachinePhase,
    timers::rests_until,
};
use serde_json::json;
use std::collections::VecDeque;
use toolcall_schema::{
    ActionKind, AgentName, Code, Outcome, ReasonCode, Surface, Timestamp, ToolName,
    forget::ErasureScope,
    milli::Milli,
    names::SubmitAct,
    result::ToolEffect,
    tick::{Candidate, Subject, TickArgs, TickResult, TickStatus, TriggerSource},
    trace::{Asker, Trace},
};

const MINUTE: i64 = 60 * SECOND;
const MAIL: &str = "it_0000000000000001";

/// A reply that is always proposed.
fn draft() -> Candidate {
    Candidate {
        kind: ActionKind::DraftReply,
        subject: Subject::parse(MAIL).unwrap(),
        confidence: Milli(850),
        args: json!({"item_id": MAIL, "tone": "casual", "length_max": 280}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

/// Lets time go on: agents, disk and page answer at once. `acts`: what the owner does with a prompt that is shown.
fn lived(machine: &mut Machine, until: Timestamp, by: AgentName, proposes: &[Candidate]) -> Vec<Trace> {
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
                    let _: TickArgs = serde::Deserialize::deserialize(&*call.call.args).unwrap();
                    EventKind::TickAnswered {
                        agent,
                        tick,
                        attempt,
                        answer: TickAnswer::Answered(TickResult {
                            candidates: if agent == by { proposes.to_vec() } else { vec![] },
                            readings: vec![],
                            status: TickStatus::Ok,
                        }),
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
    machine.at = machine.at.max(until);
    traces
}

/// The ticks that asked again: when, in minutes since the afternoon began, and what came of each.
fn again(traces: &[Trace]) -> Vec<(i64, &'static str, Option<ReasonCode>)> {
    let later = traces
        .iter()
        .filter(|trace| trace.decision.trigger.source == TriggerSource::Later);
    later
        .map(|trace| {
            let at = trace.decision.ts.since(afternoon()) / MINUTE;
            (at, trace.chosen_name(), trace.decision.reason_code)
        })
        .collect()
}

/// The draft of 15:00 is put off on the phone.
fn put_off(act: SubmitAct) -> (Machine, SubmissionVerdict) {
    let mut machine = Machine::prompted();
    let verdict = answer(&mut machine, act);
    (machine, verdict)
}

/// The owner answers the open prompt.
fn answer(machine: &mut Machine, act: SubmitAct) -> SubmissionVerdict {
    let card = machine.card();
    let capability = card.prompts.first().map(|prompt| prompt.capability.clone());
    machine.submit(&card.card_id, Surface::PhoneCard, act, capability.as_deref())
}

fn accepted(act: SubmitAct, again_at: Timestamp) -> SubmissionVerdict {
    SubmissionVerdict::Accepted {
        act,
        refunded: false,
        again_at: Some(again_at),
    }
}

fn waits(state: &MachineState) -> Vec<(u8, Timestamp)> {
    state
        .later
        .iter()
        .map(|card| (card.times, card.due_wall))
        .collect()
}

#[test]
fn a_machine_rests_until_its_next_deadline_but_the_tick_of_each_quarter_of_an_hour() {
    let mut machine = Machine::started(afternoon());
    lived(&mut machine, afternoon(), AgentName::Comms, &[]);
    assert_eq!(machine.state.interval_at, afternoon().plus_min(15));
    let brief = machine.state.timeline(machine.state.brief_wall);
    assert!(brief > afternoon().plus_min(15));
    assert_eq!(rests_until(&machine.state, 0), Some(brief));
    assert_eq!(rests_until(&machine.state, 90_000), Some(brief.plus_ms(90_000)));
    let until = afternoon().plus_min(10);
    machine.tell(EventKind::Paused { until: Some(until) });
    // Only the brief may be later.
    assert_eq!(rests_until(&machine.state, 90_000), Some(until));
    // Something comes, and is asked about.
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Comms,
    });
    assert_eq!(rests_until(&machine.state, 0), None);
}

#[test]
fn each_choice_has_its_hour_by_the_owners_clock() {
    for (jump, act, due) in [
        (0, SubmitAct::LaterQuarter, "2026-11-03T15:15:00+05:30"),
        (0, SubmitAct::LaterHour, "2026-11-03T16:00:00+05:30"),
        (0, SubmitAct::LaterEvening, "2026-11-03T18:00:00+05:30"),
        (0, SubmitAct::LaterTomorrow, "2026-11-04T07:30:00+05:30"),
        // At 17:59 the evening is near; from 18:00 on it is the next one.
        (179 * MINUTE, SubmitAct::LaterEvening, "2026-11-03T18:00:00+05:30"),
        (3 * HOUR, SubmitAct::LaterEvening, "2026-11-04T18:00:00+05:30"),
        // At one in the night, tomorrow is not the morning that comes.
        (10 * HOUR, SubmitAct::LaterTomorrow, "2026-11-05T07:30:00+05:30"),
    ] {
        let mut machine = Machine::prompted();
        machine.set_clock(jump);
        let verdict = answer(&mut machine, act);
        assert_eq!(verdict, accepted(act, ts(due)), "{act}");
        assert_eq!(waits(&machine.state), [(1, ts(due))], "{act}");
        let trace = machine.trace().unwrap();
        let next = trace.next_possible_at.unwrap();
        assert_eq!(
            (trace.outcome, trace.reason_code, next.at, next.when),
            (
                Outcome::Dismissed,
                Some(ReasonCode::Later),
                ts(due),
                ReasonCode::Later
            ),
            "{act}"
        );
    }
}

#[test]
fn what_comes_back_is_asked_for_and_unscored_and_costs_nothing() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    let until = machine.at.plus_min(16);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    // The regular look of 15:15 comes first.
    assert_eq!(again(&traces), []);
    let MachinePhase::AwaitingConfirm { decided, .. } = &machine.state.phase else {
        unreachable!("{:?}", machine.state.phase)
    };
    let decision = &decided.decision;
    assert_eq!(
        (decision.put_off, decision.trigger.source),
        (1, TriggerSource::Later)
    );
    assert!(
        decision
            .candidates
            .iter()
            .all(|c| c.score.is_none() && c.removed.is_none())
    );
    assert_eq!(
        decision.rationale,
        "You put it off until now. Shall I draft a reply to the most urgent one?"
    );
    assert_eq!(machine.state.ledger.view().settled, 1, "the first time");
    assert_eq!(machine.state.later, []);
}

#[test]
fn nothing_else_proposes_it_before_its_hour_but_the_owner() {
    let (mut machine, _) = put_off(SubmitAct::LaterHour);
    let until = machine.at.plus_min(46);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    let reasons: Vec<_> = traces
        .iter()
        .skip(1)
        .map(|trace| trace.reason_code.unwrap())
        .collect();
    // 15:15 and 15:30 within the window that the first card opened at 15:00, which ends at 15:30; then the put-off alone.
    assert_eq!(reasons.last(), Some(&ReasonCode::Later), "{reasons:?}");
    machine.tell(EventKind::OwnerTick);
    let until = machine.at.plus_ms(2 * SECOND);
    lived(
        &mut machine,
        until,
        AgentName::Comms,
        &[Candidate {
            confidence: Milli(1000),
            ..draft()
        }],
    );
    // Shown once today: 0.85 − 0.25 − 0.25 = 0.35, so it is not chosen; but it was weighed.
    assert_eq!(machine.state.later.len(), 1);
}

#[test]
fn a_pause_that_ends_early_lets_it_come_at_once() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    machine.tell(EventKind::Paused {
        until: Some(machine.state.wall(machine.at).plus_min(120)),
    });
    let until = machine.at.plus_min(20);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(again(&traces), [(15, "do_nothing", Some(ReasonCode::Paused))]);
    assert_eq!(waits(&machine.state), [(1, afternoon().plus_min(120))]);
    machine.tell(EventKind::Paused { until: None });
    let until = machine.at.plus_ms(3 * SECOND);
    lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(machine.card().decision.put_off, 1);
}

#[test]
fn a_surface_that_comes_back_lets_it_come_at_once() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    machine.tell(EventKind::Disconnected {
        surface: Surface::PhoneCard,
    });
    let until = machine.at.plus_min(20);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(again(&traces), [(15, "do_nothing", Some(ReasonCode::NoSurface))]);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    let until = machine.at.plus_ms(3 * SECOND);
    lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(machine.card().decision.put_off, 1);
}

#[test]
fn what_is_held_up_beyond_four_hours_is_given_up() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    machine.tell(EventKind::Paused {
        until: Some(machine.state.wall(machine.at).plus_min(15 + 4 * 60)),
    });
    let until = machine.at.plus_min(16);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(again(&traces), [(15, "do_nothing", Some(ReasonCode::Paused))]);
    assert_eq!(machine.state.later, []);
}

#[test]
fn a_rule_of_the_owner_ends_it() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    let mut rule =
        toolcall_schema::rule::OwnerRule::named(toolcall_schema::rule::RuleName::parse("no-drafts").unwrap());
    rule.kinds = [ActionKind::DraftReply].into_iter().collect();
    machine.tell(EventKind::RuleSet { rule });
    let until = machine.at.plus_min(16);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(again(&traces), [(15, "do_nothing", Some(ReasonCode::Rule))]);
    assert_eq!(machine.state.later, []);
}

#[test]
fn what_is_not_proposed_any_more_says_so() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    let until = machine.at.plus_min(16);
    let traces = lived(&mut machine, until, AgentName::Comms, &[]);
    assert_eq!(
        again(&traces),
        [(15, "do_nothing", Some(ReasonCode::NoCandidate))]
    );
    let last = traces.last().unwrap();
    assert_eq!(
        last.rationale,
        "What you had put off does not come up any more. No agent proposed anything."
    );
    assert_eq!(machine.state.later, []);
}

#[test]
fn a_set_clock_moves_an_hour_of_the_day_and_no_span() {
    let day = 24 * HOUR;
    for (act, jump, due) in [
        // It lasts as long as it was to last, whatever the clock says.
        (SubmitAct::LaterQuarter, day, "2026-11-04T15:15:00+05:30"),
        (SubmitAct::LaterHour, -day, "2026-11-02T16:00:00+05:30"),
        // The evening of the new day, never one that is farther away.
        (SubmitAct::LaterEvening, -day, "2026-11-02T18:00:00+05:30"),
        (SubmitAct::LaterTomorrow, -day, "2026-11-03T07:30:00+05:30"),
        (SubmitAct::LaterEvening, HOUR, "2026-11-03T18:00:00+05:30"),
    ] {
        let (mut machine, _) = put_off(act);
        machine.set_clock(jump);
        assert_eq!(waits(&machine.state), [(1, ts(due))], "{act} {jump}");
    }
}

#[test]
fn an_hour_that_the_clock_was_set_over_is_found_late_or_too_late() {
    for (jump, comes) in [(4 * HOUR, true), (24 * HOUR, false)] {
        let (mut machine, _) = put_off(SubmitAct::LaterEvening);
        machine.set_clock(jump);
        let until = machine.at.plus_min(1);
        let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
        let asked = matches!(&machine.state.phase, MachinePhase::AwaitingConfirm { decided, .. }
            if decided.decision.put_off == 1);
        assert_eq!(asked, comes, "{jump} {traces:?}");
        assert_eq!(machine.state.later, [], "{jump}");
    }
}

#[test]
fn what_a_program_asked_for_and_a_seventeenth_thing_cannot_be_put_off() {
    let mut machine = Machine::prompted();
    let other = |n: usize| PostponedCard {
        kind: ActionKind::DraftReply,
        subject: Subject::parse(&format!("it_00000000000000{:02x}", n + 16)).unwrap(),
        trace_id: machine.env.seed.trace_id(90),
        choice: SubmitAct::LaterEvening,
        times: 1,
        due_wall: afternoon().plus_min(180),
        until_wall: afternoon().plus_min(420),
        asked: false,
        held: None,
    };
    machine.state.later = (0..LATER_MAX).map(other).collect();
    let before = machine.state.clone();
    let refused = SubmissionVerdict::Refused(Code::Confirm006);
    assert_eq!(answer(&mut machine, SubmitAct::LaterHour), refused);
    assert_eq!(
        machine.state, before,
        "nothing is lost, and the prompt stays open"
    );
    machine.state.later.pop();
    if let MachinePhase::AwaitingConfirm { decided, .. } = &mut machine.state.phase {
        let decision = std::sync::Arc::make_mut(&mut decided.decision);
        let chosen = decision.chosen.as_mut().unwrap();
        chosen.asker = Some(toolcall_schema::trace::Asker::Program);
    }
    assert_eq!(answer(&mut machine, SubmitAct::LaterHour), refused);
}

#[test]
fn two_kinds_about_one_thing_come_one_after_the_other() {
    let mut machine = Machine::prompted();
    machine.state.later = [ActionKind::Nap15, ActionKind::PermitLeisure]
        .map(|kind| PostponedCard {
            kind,
            subject: Subject::of_self(),
            trace_id: machine.env.seed.trace_id(90),
            choice: SubmitAct::LaterQuarter,
            times: 2,
            due_wall: afternoon().plus_min(15),
            until_wall: afternoon().plus_min(255),
            asked: false,
            held: None,
        })
        .into();
    let of = |kind, args| Candidate {
        kind,
        subject: Subject::of_self(),
        args,
        ..draft()
    };
    let both = [
        of(ActionKind::PermitLeisure, json!({"window_min": 90})),
        of(ActionKind::Nap15, json!({"duration_min": 15})),
    ];
    answer(&mut machine, SubmitAct::Dismiss);
    let until = machine.at.plus_min(18);
    let traces = lived(&mut machine, until, AgentName::Wellness, &both);
    let came: Vec<_> = traces
        .iter()
        .filter(|trace| trace.decision.put_off == 2)
        .map(Trace::chosen_name)
        .collect();
    // Each prompt is open for its minute.
    assert_eq!(came, ["NAP_15", "PERMIT_LEISURE"]);
    assert_eq!(machine.state.later, []);
}

#[test]
fn a_state_of_before_loads_and_one_with_something_put_off_comes_back_the_same() {
    let (machine, _) = put_off(SubmitAct::LaterTomorrow);
    let text = serde_json::to_string(&machine.state).unwrap();
    assert_eq!(
        serde_json::from_str::<MachineState>(&text).unwrap(),
        machine.state
    );
    let before = Machine::prompted().state;
    let text = serde_json::to_string(&before).unwrap();
    assert!(!text.contains("\"later\"") && !text.contains("put_off"), "{text}");
    assert_eq!(serde_json::from_str::<MachineState>(&text).unwrap(), before);
}

#[test]
fn a_start_while_the_agents_are_asked_asks_them_again() {
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    let until = machine.at.plus_min(15).plus_ms(2 * SECOND);
    // The regular look of 15:15 is over; the tick for what was put off listens.
    lived(&mut machine, until.plus_ms(-SECOND / 2), AgentName::Comms, &[]);
    machine.state.later = vec![PostponedCard {
        kind: ActionKind::DraftReply,
        subject: Subject::parse(MAIL).unwrap(),
        trace_id: machine.env.seed.trace_id(1),
        choice: SubmitAct::LaterQuarter,
        times: 1,
        due_wall: machine.state.wall(machine.at).plus_min(1),
        until_wall: machine.state.wall(machine.at).plus_min(60),
        asked: false,
        held: None,
    }];
    machine.wait(MINUTE + SECOND);
    assert!(
        matches!(&machine.state.phase, MachinePhase::Listening { tick, .. }
        if tick.trigger.source == TriggerSource::Later)
    );
    let wall = machine.state.wall(machine.at).plus_ms(SECOND);
    machine.at = machine.at.plus_ms(SECOND);
    machine.tell(EventKind::Started {
        wall,
        policy_hash: machine.env.policy.hash().to_owned(),
        catalogue_hash: machine.env.catalogue_hash.clone(),
        settings_hash: String::new(),
        kept_ticks: 0,
        rules_number: orchestrator_machine::RULES_NUMBER,
    });
    machine.state.surfaces.insert(Surface::PhoneCard);
    let until = machine.at.plus_ms(SECOND);
    lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(machine.card().decision.put_off, 1);
}

#[test]
fn what_is_forgotten_does_not_come_back() {
    let (machine, _) = put_off(SubmitAct::LaterHour);
    let trace = machine.env.seed.trace_id(1);
    for scope in [
        ErasureScope::naming([MAIL.to_owned()]),
        ErasureScope::naming([trace.as_str().to_owned()]),
        ErasureScope::within(afternoon().plus_min(59), afternoon().plus_min(61)),
        ErasureScope::everything(),
    ] {
        let mut state = machine.state.clone();
        forget(&mut state, &scope);
        assert_eq!(state.later, []);
    }
    // Its tick was under way, and goes; what it was to ask for is asked for by the next.
    let mut state = machine.state.clone();
    state.later[0].asked = true;
    forget(
        &mut state,
        &ErasureScope::naming(["it_00000000000000ff".to_owned()]),
    );
    assert!(!state.later[0].asked);
}

/// The owner takes back that the card of a tick was put off; the trace of that.
fn take_back(machine: &mut Machine, tick: u64) -> Trace {
    let trace_id = machine.env.seed.trace_id(tick);
    let key = machine.env.seed.key("request");
    machine.tell(EventKind::CallRequested {
        request: 90,
        id: key.request("owner_page", &machine.state.calls.begun.to_string()),
        asker: Asker::OwnerPage,
        origin: None,
        tool: ToolName::UndoLater,
        args: json!({"trace_id": trace_id}),
        wait_min: None,
    });
    let call = machine.state.calls.begun;
    for what in [
        EventKind::CallCommitted { call, ok: true },
        EventKind::CallExecuted {
            call,
            reply: ActionReply::Done {
                result: json!({"trace_id": trace_id}),
                effects: vec![ToolEffect::LaterUndone { trace_id }],
            },
        },
    ] {
        machine.tell(what);
    }
    let trace_id = machine.env.seed.call_trace_id(call);
    let mut kept = machine.out.iter().filter_map(|effect| {
        let Effect::KeepTrace(trace) = effect else {
            return None;
        };
        Some((**trace).clone())
    });
    kept.find(|trace| trace.trace_id == trace_id).unwrap()
}

#[test]
fn what_is_taken_back_is_asked_for_at_once_and_counts_as_put_off_once_less() {
    for (times, back) in [(1, 1), (2, 1), (3, 2)] {
        let (mut machine, _) = put_off(SubmitAct::LaterTomorrow);
        machine.state.later[0].times = times;
        let until = machine.at.plus_min(1);
        lived(&mut machine, until, AgentName::Comms, &[draft()]);
        let trace = take_back(&mut machine, 1);
        assert_eq!(
            (trace.outcome, trace.rationale.as_str(), trace.tool_calls.len()),
            (Outcome::Confirmed, "You took back that a card was put off.", 1),
            "{times}"
        );
        let until = machine.at.plus_ms(3 * SECOND);
        lived(&mut machine, until, AgentName::Comms, &[draft()]);
        let decision = machine.card().decision;
        assert_eq!(
            (decision.put_off, decision.trigger.source, decision.trigger.at),
            (back, TriggerSource::Later, afternoon().plus_min(1)),
            "{times}"
        );
        assert_eq!(machine.state.later, [], "{times}");
        assert_eq!(machine.state.ledger.view().settled, 1, "it costs nothing");
        // A third time in a row can be given again.
        let again = answer(&mut machine, SubmitAct::LaterQuarter);
        assert!(matches!(again, SubmissionVerdict::Accepted { .. }), "{again:?}");
        assert_eq!(waits(&machine.state)[0].0, back + 1, "{times}");
    }
}

#[test]
fn what_is_not_there_to_be_taken_back_changes_nothing() {
    // Twice; of another decision; when its hour has come.
    let (mut machine, _) = put_off(SubmitAct::LaterHour);
    take_back(&mut machine, 9);
    assert_eq!(waits(&machine.state), [(1, afternoon().plus_min(60))]);
    take_back(&mut machine, 1);
    let asked = machine.state.later.clone();
    assert!(asked[0].asked, "{asked:?}");
    take_back(&mut machine, 1);
    assert_eq!(machine.state.later, asked);
    let (mut machine, _) = put_off(SubmitAct::LaterQuarter);
    let until = machine.at.plus_min(16);
    let traces = lived(&mut machine, until, AgentName::Comms, &[]);
    assert_eq!(again(&traces).len(), 1);
    take_back(&mut machine, 1);
    assert_eq!(machine.state.later, []);
    let until = machine.at.plus_ms(3 * SECOND);
    let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(again(&traces), [], "nothing is asked for");
}

#[test]
fn what_is_taken_back_in_a_pause_waits_for_its_end_and_at_most_four_hours() {
    for (minutes, comes) in [(120, true), (5 * 60, false)] {
        let (mut machine, _) = put_off(SubmitAct::LaterTomorrow);
        machine.tell(EventKind::Paused {
            until: Some(machine.state.wall(machine.at).plus_min(minutes)),
        });
        take_back(&mut machine, 1);
        let until = machine.at.plus_min(1);
        let traces = lived(&mut machine, until, AgentName::Comms, &[draft()]);
        assert_eq!(again(&traces), [(0, "do_nothing", Some(ReasonCode::Paused))]);
        assert_eq!(machine.state.later.len(), usize::from(comes), "{minutes}");
    }
}

#[test]
fn what_is_taken_back_beside_an_open_prompt_comes_after_it() {
    let (mut machine, _) = put_off(SubmitAct::LaterTomorrow);
    let until = machine.at.plus_min(1);
    lived(&mut machine, until, AgentName::Comms, &[]);
    machine.tell(EventKind::OwnerTick);
    let until = machine.at.plus_ms(2 * SECOND);
    let other = Candidate {
        subject: Subject::parse("it_0000000000000002").unwrap(),
        args: json!({"item_id": "it_0000000000000002", "tone": "casual", "length_max": 280}),
        ..draft()
    };
    lived(&mut machine, until, AgentName::Comms, &[other]);
    let open = machine.card();
    assert_eq!(open.decision.put_off, 0);
    let begun = machine.at;
    let trace = take_back(&mut machine, 1);
    assert!(trace.ts.since(machine.state.wall(begun)) < SECOND);
    assert_eq!(machine.card().card_id, open.card_id, "the prompt stays");
    assert!(machine.state.later[0].asked);
    answer(&mut machine, SubmitAct::Dismiss);
    let until = machine.at.plus_ms(5 * SECOND);
    lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(machine.card().decision.put_off, 1);
}

#[test]
fn what_its_agent_is_not_there_to_propose_is_asked_again_a_quarter_of_an_hour_later() {
    let (mut machine, _) = put_off(SubmitAct::LaterTomorrow);
    let until = machine.at.plus_min(1);
    lived(&mut machine, until, AgentName::Comms, &[]);
    take_back(&mut machine, 1);
    for call in machine.calls() {
        let ReplyTo::Tick { agent, tick, attempt } = call.reply else {
            continue;
        };
        let answer = if agent == AgentName::Comms {
            TickAnswer::Failed
        } else {
            TickAnswer::Answered(TickResult {
                candidates: vec![],
                readings: vec![],
                status: TickStatus::Ok,
            })
        };
        machine.tell(EventKind::TickAnswered {
            agent,
            tick,
            attempt,
            answer,
        });
    }
    assert_eq!(
        machine.trace().unwrap().rationale,
        "No agent proposed anything. Not heard: comms."
    );
    assert_eq!(waits(&machine.state), [(1, afternoon().plus_min(16))]);
    let until = afternoon().plus_min(16).plus_ms(5 * SECOND);
    lived(&mut machine, until, AgentName::Comms, &[draft()]);
    assert_eq!(machine.card().decision.put_off, 1);
}
