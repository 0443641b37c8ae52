//! What a crash leaves, and what the caps say when a card is at last seen.
//!
//! What: one story per promise: a state, a crash or a cap that comes between, and what must be true afterwards. Why: these
//! are the places where attention could be spent for free, twice, or on a false record. Not here: every interleaving of
//! them (`explore`), the real store (`aura selftest crash`).

use crate::proof::common::{Bench, candidate, default_env, done, hash, ts};
use orchestrator_machine::{
    Effect, EventKind, cards,
    effect::{ReplyTo, SubmissionVerdict},
    event::{ActionReply, CallSlot},
    state::MachinePhase,
};
use toolcall_schema::{
    ActionKind, AgentName, Code, Outcome, ReasonCode, StateName, Surface, Timestamp, WellnessState,
    ids::EventId, names::SubmitAct, result::ToolEffect, tick::IngestFact, trace::Trace,
};

fn morning() -> Bench {
    let mut bench = Bench::started(default_env(), ts("2026-11-03T14:00:00+05:30"));
    for surface in [Surface::Watch, Surface::PhoneCard] {
        bench.happen(EventKind::Connected { surface });
    }
    let at = bench.at;
    bench.learn(
        AgentName::Wellness,
        IngestFact::Load {
            score: 40,
            state: WellnessState::Baseline,
            entered_at: at,
            at,
        },
    );
    bench
}

/// A tick that proposes these, up to the decision.
fn decide(bench: &mut Bench, kinds: &[(AgentName, ActionKind)]) {
    bench.happen(EventKind::PhoneUnlocked);
    let at = bench.at;
    let candidates: Vec<_> = kinds
        .iter()
        .map(|(agent, kind)| (*agent, candidate(*kind, 1, 900, at)))
        .collect();
    bench.answer_tick(&candidates);
}

const LEAVE_BY: [(AgentName, ActionKind); 1] = [(AgentName::Calendar, ActionKind::LeaveByAlert)];
const ANOMALY: [(AgentName, ActionKind); 1] = [(AgentName::Finance, ActionKind::SurfaceAnomaly)];
const BUNDLE: [(AgentName, ActionKind); 2] = [
    (AgentName::Finance, ActionKind::SurfaceAnomaly),
    (AgentName::Finance, ActionKind::ProjectBalance),
];
const DRAFT: [(AgentName, ActionKind); 1] = [(AgentName::Comms, ActionKind::DraftReply)];

fn committed(bench: &mut Bench, ok: bool) {
    let tick = bench.state.ticks;
    bench.happen(EventKind::Committed { tick, ok });
}

fn executed(bench: &mut Bench, slot: CallSlot) {
    let tick = bench.state.ticks;
    bench.happen(EventKind::Executed {
        tick,
        slot,
        reply: done(),
    });
}

fn trace_kept(bench: &mut Bench) {
    let trace_id = bench.env.seed.trace_id(bench.state.ticks);
    bench.happen(EventKind::TraceKept { trace_id, ok: true });
}

/// An auto card whose trace is durable: handed to the surfaces, not seen yet.
fn auto_card(bench: &mut Bench, kinds: &[(AgentName, ActionKind)]) {
    decide(bench, kinds);
    committed(bench, true);
    executed(bench, CallSlot::Primary);
    trace_kept(bench);
    pass(bench, 1_000);
}

fn pass(bench: &mut Bench, ms: i64) {
    let to = bench.at.plus_ms(ms);
    bench.wait_until(to);
}

/// The process dies and starts again so much later, with what it had written.
fn crash(bench: &mut Bench, down_ms: i64) {
    bench.at = bench.at.plus_ms(down_ms);
    bench.start();
}

fn see(bench: &mut Bench) {
    let card = cards::current_card(&bench.state).unwrap();
    bench.happen(EventKind::Shown {
        card_id: card.card_id,
        surface: Surface::PhoneCard,
    });
}

fn last_trace(bench: &Bench) -> &Trace {
    let mut traces = bench.out.iter().rev().filter_map(|effect| {
        let Effect::KeepTrace(trace) = effect else {
            return None;
        };
        trace.decision.call.is_none().then_some(&**trace)
    });
    traces.next().unwrap()
}

fn ended(bench: &Bench) -> (Outcome, Option<ReasonCode>) {
    let trace = last_trace(bench);
    (trace.outcome, trace.reason_code)
}

fn calls_out(bench: &Bench) -> usize {
    let calls = bench.out.iter().filter(
        |effect| matches!(effect, Effect::Call(call) if matches!(call.reply, ReplyTo::Action { .. })),
    );
    calls.count()
}

const UNKNOWN: (Outcome, Option<ReasonCode>) = (Outcome::Failed, Some(ReasonCode::UnknownAfterCrash));
/// Shorter and longer than every deadline of a state.
const DOWN_MS: [i64; 3] = [100, 10_000, 3_600_000];

#[test]
fn a_call_whose_result_is_unknown_ends_so_however_long_the_process_was_down() {
    for down in DOWN_MS {
        // Dispatched, no answer.
        let mut bench = morning();
        decide(&mut bench, &LEAVE_BY);
        committed(&mut bench, true);
        crash(&mut bench, down);
        assert_eq!(
            (ended(&bench), calls_out(&bench)),
            (UNKNOWN, 1),
            "executing, {down}"
        );
        // The decision is on disk; whether the call left is not known.
        let mut bench = morning();
        decide(&mut bench, &LEAVE_BY);
        crash(&mut bench, down);
        assert_eq!(
            (ended(&bench), calls_out(&bench)),
            (UNKNOWN, 0),
            "deliberating, {down}"
        );
        // The redemption is on disk.
        let mut bench = morning();
        decide(&mut bench, &DRAFT);
        committed(&mut bench, true);
        see(&mut bench);
        confirm(&mut bench);
        crash(&mut bench, down);
        assert_eq!(
            (ended(&bench), calls_out(&bench)),
            (UNKNOWN, 0),
            "redeemed, {down}"
        );
        assert!(last_trace(&bench).confirm.is_some());
    }
}

fn confirm(bench: &mut Bench) {
    let card = cards::current_card(&bench.state).unwrap();
    let prompt = card
        .prompts
        .iter()
        .find(|prompt| prompt.surface == Surface::PhoneCard);
    bench.happen(EventKind::Submitted {
        request: 1,
        card_id: card.card_id,
        surface: Surface::PhoneCard,
        act: SubmitAct::Confirm,
        capability: prompt.map(|prompt| prompt.capability.clone()),
    });
}

#[test]
fn a_primary_that_answered_before_the_crash_counts_and_only_its_companion_is_dropped() {
    let mut bench = morning();
    decide(&mut bench, &BUNDLE);
    committed(&mut bench, true);
    executed(&mut bench, CallSlot::Primary);
    crash(&mut bench, 100);
    assert_eq!(ended(&bench), (Outcome::ExecutedAuto, None));
}

#[test]
fn a_prompt_that_may_have_been_shown_before_the_crash_costs_its_token() {
    for down in [100, 70_000] {
        for was_committed in [true, false] {
            // Shown, and the event of it lost with the process; no page comes back.
            let mut bench = morning();
            decide(&mut bench, &DRAFT);
            if was_committed {
                committed(&mut bench, true);
            }
            crash(&mut bench, down);
            pass(&mut bench, 70_000);
            let view = bench.state.ledger.view();
            assert_eq!((view.free, view.settled), (2, 1), "{down} {was_committed}");
            assert_eq!(
                ended(&bench),
                (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout))
            );
        }
    }
}

#[test]
fn a_prompt_seen_again_after_the_crash_costs_no_second_token_and_no_second_window() {
    let mut bench = morning();
    decide(&mut bench, &DRAFT);
    committed(&mut bench, true);
    crash(&mut bench, 100);
    let window = bench.state.window_until;
    pass(&mut bench, 5_000);
    bench.happen(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    see(&mut bench);
    assert_eq!(bench.state.ledger.view().settled, 1);
    assert_eq!(bench.state.window_until, window);
    assert_eq!(bench.state.history.len(), 1);
}

#[test]
fn an_auto_card_that_may_have_been_shown_before_the_crash_costs_its_token() {
    for down in DOWN_MS {
        // The trace is on disk; that it was, and the card handed over and shown, is lost with the process.
        let mut bench = morning();
        decide(&mut bench, &LEAVE_BY);
        committed(&mut bench, true);
        executed(&mut bench, CallSlot::Primary);
        crash(&mut bench, down);
        trace_kept(&mut bench);
        pass(&mut bench, 5 * 3_600_000);
        let view = bench.state.ledger.view();
        assert_eq!((view.free, view.settled), (2, 1), "{down}");
    }
}

#[test]
fn a_call_that_never_left_is_in_no_trace() {
    let mut bench = morning();
    decide(&mut bench, &DRAFT);
    committed(&mut bench, true);
    see(&mut bench);
    confirm(&mut bench);
    committed(&mut bench, false);
    pass(&mut bench, 5_000);
    assert_eq!(ended(&bench), (Outcome::Failed, Some(ReasonCode::ToolFailed)));
    assert_eq!((calls_out(&bench), last_trace(&bench).tool_calls.len()), (0, 0));
}

#[test]
fn who_answers_a_card_has_seen_it() {
    let mut bench = morning();
    auto_card(&mut bench, &LEAVE_BY);
    let card_id = cards::current_card(&bench.state).unwrap().card_id;
    bench.happen(EventKind::Submitted {
        request: 1,
        card_id,
        surface: Surface::PhoneCard,
        act: SubmitAct::Dismiss,
        capability: None,
    });
    let view = bench.state.ledger.view();
    assert_eq!((view.free, view.settled), (2, 1));
}

#[test]
fn of_two_cards_that_wait_the_second_is_seen_when_the_window_is_over() {
    let mut bench = morning();
    auto_card(&mut bench, &LEAVE_BY);
    let first = cards::current_card(&bench.state).unwrap().card_id;
    auto_card(&mut bench, &ANOMALY);
    see(&mut bench);
    let second = cards::current_card(&bench.state).unwrap().card_id;
    assert_ne!(first, second, "the newest comes first");
    let shown_at = bench.at;
    // The owner is done with it; the other one waits for the window.
    bench.happen(EventKind::Submitted {
        request: 1,
        card_id: second,
        surface: Surface::PhoneCard,
        act: SubmitAct::Dismiss,
        capability: None,
    });
    assert_eq!(cards::current_card(&bench.state), None);
    bench.wait_until(shown_at.plus_ms(30 * 60_000 - 1));
    assert_eq!(cards::current_card(&bench.state), None);
    bench.out.clear();
    bench.wait_until(shown_at.plus_min(30));
    let shown = |effect: &Effect| matches!(effect, Effect::Show(card) if card.card_id == first);
    assert!(
        bench.out.iter().any(shown),
        "it is handed over at the window's end, exactly"
    );
    assert_eq!(
        cards::current_card(&bench.state).map(|card| card.card_id),
        Some(first)
    );
}

#[test]
fn a_prompt_chosen_before_another_card_was_seen_is_not_shown_within_its_window() {
    let mut bench = morning();
    auto_card(&mut bench, &LEAVE_BY);
    decide(&mut bench, &DRAFT);
    see(&mut bench);
    committed(&mut bench, true);
    assert_eq!(ended(&bench), (Outcome::Silent, Some(ReasonCode::CapWindow)));
    assert_eq!(bench.state.ledger.view().reserved, 0);
}

#[test]
fn nothing_is_seen_for_the_first_time_while_recovering_paused_or_not_to_be_disturbed() {
    type Close = fn(&mut Bench, Timestamp);
    let recovering: Close = |bench, at| {
        bench.learn(
            AgentName::Wellness,
            IngestFact::Load {
                score: 40,
                state: WellnessState::Recovering,
                entered_at: at,
                at,
            },
        );
    };
    let dnd: Close = |bench, _| {
        let (active, until) = (true, None);
        bench.happen(EventKind::Dnd { active, until });
    };
    let paused: Close = |bench, at| {
        bench.happen(EventKind::Paused {
            until: Some(at.plus_min(300)),
        });
    };
    for (reason, close) in [
        (ReasonCode::CapRecovering, recovering),
        (ReasonCode::CapDnd, dnd),
        (ReasonCode::Paused, paused),
    ] {
        // A card that waits.
        let mut bench = morning();
        auto_card(&mut bench, &LEAVE_BY);
        let at = bench.at;
        close(&mut bench, at);
        assert_eq!(cards::current_card(&bench.state), None, "{reason}");
        // A prompt that is open and unseen.
        let mut bench = morning();
        decide(&mut bench, &DRAFT);
        committed(&mut bench, true);
        let at = bench.at;
        close(&mut bench, at);
        assert_eq!(ended(&bench), (Outcome::Silent, Some(reason)));
        assert_eq!(cards::current_card(&bench.state), None, "{reason}");
        assert_eq!(bench.state.ledger.view().free, 3);
        // One that was seen stays, and can be answered.
        let mut bench = morning();
        decide(&mut bench, &DRAFT);
        committed(&mut bench, true);
        see(&mut bench);
        let at = bench.at;
        close(&mut bench, at);
        confirm(&mut bench);
        assert!(
            matches!(bench.state.phase, MachinePhase::Executing { .. }),
            "{reason}"
        );
    }
}

#[test]
fn a_shown_leave_by_is_not_raised_again_where_nothing_may_disturb() {
    for dnd in [false, true] {
        let mut bench = morning();
        let at = bench.at;
        bench.learn(
            AgentName::Calendar,
            IngestFact::Schedule {
                event: EventId::parse(&hash("ev", 1)).unwrap(),
                alert_at: at.plus_min(10),
                leave_by: at.plus_min(25),
            },
        );
        auto_card(&mut bench, &LEAVE_BY);
        see(&mut bench);
        bench.happen(EventKind::Dnd {
            active: dnd,
            until: None,
        });
        bench.out.clear();
        bench.wait_until(at.plus_min(10));
        let shown = bench.out.iter().any(|effect| matches!(effect, Effect::Show(_)));
        assert_eq!(shown, !dnd);
    }
}

#[test]
fn a_tick_that_was_listening_asks_again() {
    for down in DOWN_MS {
        let mut bench = morning();
        bench.happen(EventKind::PhoneUnlocked);
        bench.out.clear();
        crash(&mut bench, down);
        let asked = bench.out.iter().filter(|effect| {
            matches!(effect, Effect::Call(call) if matches!(call.reply, ReplyTo::Tick { tick: 1, attempt: 1, .. }))
        });
        assert_eq!(asked.count(), 4, "{down}");
    }
}

#[test]
fn the_path_of_a_resumed_tick_has_only_edges_of_the_diagram() {
    let mut bench = morning();
    decide(&mut bench, &DRAFT);
    crash(&mut bench, 70_000);
    let path: Vec<StateName> = last_trace(&bench)
        .state_path
        .iter()
        .map(|visit| visit.state)
        .collect();
    assert_eq!(
        path,
        [
            StateName::Idle,
            StateName::Listening,
            StateName::Deliberating,
            StateName::AwaitingConfirm,
            StateName::LoggingTrace
        ]
    );
}

#[test]
fn a_confirmation_is_answered_when_it_is_on_disk_and_refused_when_it_never_is() {
    for ok in [true, false] {
        let mut bench = morning();
        decide(&mut bench, &DRAFT);
        committed(&mut bench, true);
        see(&mut bench);
        bench.out.clear();
        confirm(&mut bench);
        assert_eq!(replies(&bench), []);
        committed(&mut bench, ok);
        pass(&mut bench, 5_000);
        let verdict = if ok {
            SubmissionVerdict::Accepted {
                act: SubmitAct::Confirm,
                refunded: false,
                again_at: None,
            }
        } else {
            SubmissionVerdict::Refused(Code::Confirm003)
        };
        assert_eq!(replies(&bench), [verdict]);
    }
}

fn replies(bench: &Bench) -> Vec<SubmissionVerdict> {
    let replies = bench.out.iter().filter_map(|effect| {
        let Effect::Reply { verdict, .. } = effect else {
            return None;
        };
        Some(*verdict)
    });
    replies.collect()
}

#[test]
fn a_tick_whose_trace_is_kept_but_lost_to_the_journal_keeps_its_number_and_its_end() {
    // Idle by the journal, which lost tick 1: its number is taken.
    let mut bench = morning();
    bench.start_with(1);
    bench.happen(EventKind::PhoneUnlocked);
    assert_eq!(bench.state.ticks, 2);
    // Open by the journal: it was ended and told, and its card may have been seen.
    let mut bench = morning();
    decide(&mut bench, &DRAFT);
    bench.out.clear();
    bench.start_with(1);
    pass(&mut bench, 70_000);
    let kept = |effect: &Effect| matches!(effect, Effect::KeepTrace(_));
    assert!(!bench.out.iter().any(kept), "it has its trace");
    assert_eq!(
        (bench.state.ticks, bench.state.phase.name()),
        (1, StateName::Idle)
    );
    assert_eq!(bench.state.ledger.view().settled, 1);
}

#[test]
fn a_draft_is_put_into_the_outbox_again_when_the_process_may_have_died_before_it_was() {
    let mut bench = morning();
    decide(&mut bench, &DRAFT);
    committed(&mut bench, true);
    see(&mut bench);
    confirm(&mut bench);
    committed(&mut bench, true);
    let (name, text) = ("reply.eml".to_owned(), "Draft".to_owned());
    bench.happen(EventKind::Executed {
        tick: 1,
        slot: CallSlot::Primary,
        reply: ActionReply::Done {
            result: serde_json::json!({}),
            effects: vec![ToolEffect::OutboxFile {
                name: name.clone(),
                text: text.clone(),
            }],
        },
    });
    trace_kept(&mut bench);
    bench.out.clear();
    crash(&mut bench, 10_000);
    let text = Some(text);
    let trace_id = default_env().seed.trace_id(1);
    assert!(bench.out.contains(&Effect::Outbox { trace_id, name, text }));
    // Cooldown is over: it was written long ago.
    bench.out.clear();
    crash(&mut bench, 10_000);
    assert!(
        !bench
            .out
            .iter()
            .any(|effect| matches!(effect, Effect::Outbox { .. }))
    );
}
