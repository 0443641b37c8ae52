//! Forgetting what the machine remembers.
//!
//! What: [`forget`], the state without what has to go. Why: an erasure reaches the snapshot and the bases of the journal, and what
//! follows is decided without what was erased. Not here: which events go (`aura_runtime::erase`), the store (`aura-memory`).
//!
//! What limits Aura stays: the ledger, an hour of silence, a pause, rules. A card that goes with its tick counts as shown, so that
//! erasing buys no attention.

use crate::state::{MachinePhase, MachineState, OwnerContext};
use toolcall_schema::{
    Timestamp,
    forget::{ErasureScope, MeasuredKind},
    ids::TraceId,
    rule::OwnerInstruction,
    tick::{Trigger, TriggerSource},
    trace::{Decision, Trace},
};

/// Takes away what has to go. The state it leads to is one that the machine could be in: a tick that is under way and has to go is
/// over.
pub fn forget(state: &mut MachineState, what: &ErasureScope) {
    let offset = state.wall_offset_ms;
    let wall = move |at: Timestamp| at.plus_ms(offset);
    if is_phase_forgotten(&state.phase, what, wall) {
        if let Some(trace) = trace_of(&state.phase) {
            // No row: the token is spent, whether the card was seen or not.
            let _ = state.ledger.settle(&trace);
        }
        state.phase = MachinePhase::Idle;
    }
    state.queue.retain(|trigger| {
        let subject = trigger.subject.as_ref();
        !what.covers_time(wall(trigger.at))
            && !subject.is_some_and(|subject| what.covers_thing(subject.as_str()))
    });
    state.stale.retain(|trigger| !what.covers_time(wall(trigger.at)));
    if what.covers_time(wall(state.at)) {
        for intake in state.intake.values_mut() {
            intake.waiting.clear();
        }
    }
    forget_in_context(&mut state.known, what, wall, state.at);
    state
        .history
        .retain(|past| !what.covers_time(wall(past.at)) && !what.covers_thing(past.subject.as_str()));
    state
        .mutes_wall
        .retain(|channel, _| !what.covers_thing(channel.as_str()));
    state.rules.retain(|rule| {
        !rule
            .subject
            .as_ref()
            .is_some_and(|subject| what.covers_thing(subject.as_str()))
    });
    state.instructed.retain(|given| {
        !what.covers_time(given.at_wall)
            && !matches!(&given.what, OwnerInstruction::Rule { rule }
                if rule.subject.as_ref().is_some_and(|subject| what.covers_thing(subject.as_str())))
    });
    let mut spent = Vec::new();
    state.cards.retain(|open| {
        let goes = is_decision_forgotten(&open.card.decision, what);
        if goes {
            spent.push(open.card.decision.trace_id.clone());
        }
        !goes
    });
    for trace in spent {
        let _ = state.ledger.settle(&trace);
    }
    state
        .asks
        .open
        .retain(|ask| !what.covers_time(wall(ask.at)) && !what.covers_thing(ask.subject.as_str()));
    state.asks.ended.retain(|ended| {
        let trace = ended.end.trace_id.as_ref();
        !what.covers_time(wall(ended.at)) && !trace.is_some_and(|trace| what.covers_thing(trace.as_str()))
    });
    state
        .calls
        .open
        .retain(|call| !is_decision_forgotten(&call.decision, what) && !mentions_forgotten(call, what));
    state
        .calls
        .ended
        .retain(|ended| !what.covers_thing(ended.end.trace_id.as_str()));
    state
        .closed
        .retain(|closed| !what.covers_thing(closed.trace_id.as_str()));
    for closed in &mut state.closed {
        closed
            .about
            .take_if(|about| what.covers_time(about.at) || what.covers_thing(about.subject.as_str()));
    }
    state
        .courses_wall
        .retain(|trace, until| !what.covers_thing(trace.as_str()) && !what.covers_time(*until));
    state
        .retries
        .retain(|retry| !what.covers_thing(retry.subject.as_str()) && !what.covers_time(wall(retry.at)));
    forget_put_off(state, what);
}

/// What was put off goes with its thing, its time or its trace. What a forgotten tick was to ask for is asked for by another.
fn forget_put_off(state: &mut MachineState, what: &ErasureScope) {
    state.later.retain(|card| {
        !what.covers_thing(card.subject.as_str())
            && !what.covers_thing(card.trace_id.as_str())
            && !what.covers_time(card.due_wall)
    });
    let (queue, phase) = (&state.queue, &state.phase);
    for card in &mut state.later {
        let asks = |trigger: &Trigger| {
            trigger.source == TriggerSource::Later && trigger.subject.as_ref() == Some(&card.subject)
        };
        let under_way = match phase {
            MachinePhase::Listening { tick, .. } | MachinePhase::Weighing { tick, .. } => asks(&tick.trigger),
            MachinePhase::Idle
            | MachinePhase::Deliberating { .. }
            | MachinePhase::AwaitingConfirm { .. }
            | MachinePhase::Executing { .. }
            | MachinePhase::LoggingTrace { .. }
            | MachinePhase::Cooldown { .. } => false,
        };
        card.asked &= under_way || queue.iter().any(asks);
    }
}

fn forget_in_context(
    known: &mut OwnerContext,
    what: &ErasureScope,
    wall: impl Fn(Timestamp) -> Timestamp,
    now: Timestamp,
) {
    if what.covers_time(wall(now)) || what.measured.contains(&MeasuredKind::Load) {
        known.clear_lapsed_state();
    }
    known.burst = known
        .burst
        .take()
        .filter(|(channel, at)| !what.covers_thing(channel.as_str()) && !what.covers_time(wall(*at)));
    known
        .events_wall
        .retain(|event, times| !what.covers_thing(event.as_str()) && !what.covers_time(times.start));
    known
        .alerts_wall
        .retain(|event, alert| !what.covers_thing(event.as_str()) && !what.covers_time(alert.leave_by));
    known
        .meetings_wall
        .retain(|event, meeting| !what.covers_thing(event.as_str()) && !what.covers_time(meeting.start));
}

fn is_phase_forgotten(
    phase: &MachinePhase,
    what: &ErasureScope,
    wall: impl Fn(Timestamp) -> Timestamp,
) -> bool {
    let tick_goes = |tick: &crate::state::Tick| {
        what.covers_time(wall(tick.trigger.at))
            || tick.path.iter().any(|(_, at)| what.covers_time(wall(*at)))
            || what.covers_thing(tick.trace_id.as_str())
            || tick
                .trigger
                .subject
                .as_ref()
                .is_some_and(|subject| what.covers_thing(subject.as_str()))
    };
    match phase {
        MachinePhase::Idle => false,
        MachinePhase::Listening { tick, answers, .. } => tick_goes(tick) || mentions_forgotten(answers, what),
        MachinePhase::Weighing { tick, answers, .. } => tick_goes(tick) || mentions_forgotten(answers, what),
        MachinePhase::Deliberating { tick, decided, .. }
        | MachinePhase::AwaitingConfirm { tick, decided, .. }
        | MachinePhase::Executing { tick, decided, .. } => {
            tick_goes(tick) || mentions_forgotten(decided, what)
        }
        MachinePhase::LoggingTrace { tick, ended, .. } => tick_goes(tick) || mentions_forgotten(ended, what),
        // Its trace is kept; only files for the outbox may still stand in it.
        MachinePhase::Cooldown { until, outbox } => {
            what.covers_time(wall(*until)) || mentions_forgotten(outbox, what)
        }
    }
}

fn trace_of(phase: &MachinePhase) -> Option<TraceId> {
    match phase {
        MachinePhase::Idle | MachinePhase::Cooldown { .. } => None,
        MachinePhase::Listening { tick, .. }
        | MachinePhase::Weighing { tick, .. }
        | MachinePhase::Deliberating { tick, .. }
        | MachinePhase::AwaitingConfirm { tick, .. }
        | MachinePhase::Executing { tick, .. }
        | MachinePhase::LoggingTrace { tick, .. } => Some(tick.trace_id.clone()),
    }
}

/// Whether what a thing holds names something that goes.
fn mentions_forgotten<T: serde::Serialize>(thing: &T, what: &ErasureScope) -> bool {
    !what.things.is_empty() && serde_json::to_string(thing).is_ok_and(|text| what.mentions_thing(&text))
}

/// Whether a decision has to go: it was made in the span, or it names a thing.
pub(crate) fn is_decision_forgotten(decision: &Decision, what: &ErasureScope) -> bool {
    what.covers_time(decision.ts)
        || what.covers_thing(decision.trace_id.as_str())
        || mentions_forgotten(decision, what)
}

/// Whether a trace has to go: any of it happened in the span, or it names a thing.
pub fn is_trace_forgotten(trace: &Trace, what: &ErasureScope) -> bool {
    is_decision_forgotten(&trace.decision, what)
        || what.covers_time(trace.ts)
        || trace.state_path.iter().any(|visit| what.covers_time(visit.at))
        || mentions_forgotten(trace, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        MachineEnv,
        asks::PendingAsk,
        env::{DailyWindow, MachineSettings},
        policy::{DEFAULT_TEXT, Policy},
        state::{CardSubject, ClosedCard, EventTimes, HistoryEntry},
    };
    use chrono::NaiveTime;
    use toolcall_schema::{
        ActionKind,
        ids::{EventId, OwnerSeed, RequestId},
        rule::{GivenInstruction, OwnerRule, RuleName},
        tick::Subject,
        trace::Asker,
    };

    fn env() -> MachineEnv {
        let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
        MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: MachineSettings {
                zone: chrono_tz::UTC,
                ceiling: 3,
                brief: DailyWindow {
                    from: at(7, 30),
                    to: at(12, 0),
                },
                dnd: vec![],
                model: false,
                kinds: std::collections::BTreeMap::new(),
            },
            seed: OwnerSeed::from_day_seed("forget"),
            catalogue_hash: String::new(),
        }
    }

    #[test]
    fn what_is_named_or_in_the_span_goes_and_what_limits_aura_stays() {
        let t = |text: &str| Timestamp::parse(text).unwrap();
        let env = env();
        let mut state = MachineState::new(&env, t("2026-11-05T09:00:00Z"));
        let key = env.seed.key("test");
        let (chat, event) = (key.channel("Hostel"), key.event("uid", "1"));
        let (spent, held) = (env.seed.trace_id(1), env.seed.trace_id(2));
        assert!(state.ledger.reserve(&spent).is_some() && state.ledger.settle(&spent).is_some());
        assert!(state.ledger.reserve(&held).is_some());
        let past = |at: &str, subject| HistoryEntry {
            kind: ActionKind::ShowBrief,
            subject,
            day: t(at).utc().date_naive(),
            at: t(at),
        };
        state.history = vec![
            past("2026-11-04T08:00:00Z", Subject::all()),
            past("2026-11-05T08:00:00Z", Subject::from(&chat)),
            past("2026-11-05T08:30:00Z", Subject::all()),
        ];
        state.mutes_wall.insert(chat.clone(), t("2026-11-05T10:00:00Z"));
        let closed = |trace_id: &TraceId, subject, at| ClosedCard {
            card_id: env.seed.card_id(1),
            trace_id: trace_id.clone(),
            answer: None,
            useful: None,
            about: Some(CardSubject {
                kind: ActionKind::MuteGroup30,
                subject,
                at: t(at),
            }),
        };
        state.closed = [
            closed(&spent, Subject::from(&chat), "2026-11-05T08:00:00Z"),
            closed(&held, Subject::all(), "2026-11-04T08:00:00Z"),
            closed(&held, Subject::all(), "2026-11-05T08:00:00Z"),
        ]
        .into();
        let asked = |number, subject, at| PendingAsk {
            number,
            id: RequestId::parse("rq_0123456789abcdef").unwrap(),
            asker: Asker::Program,
            origin: None,
            kind: ActionKind::MuteGroup30,
            subject,
            args: std::sync::Arc::default(),
            args_hash: String::new(),
            at: t(at),
            until: t(at).plus_min(60),
            kept: true,
            waiting: vec![],
        };
        state.asks.open = vec![
            asked(1, Subject::from(&chat), "2026-11-05T08:30:00Z"),
            asked(2, Subject::all(), "2026-11-04T23:50:00Z"),
            asked(3, Subject::all(), "2026-11-05T08:40:00Z"),
        ];
        let asks =
            |state: &MachineState| -> Vec<u64> { state.asks.open.iter().map(|ask| ask.number).collect() };
        let about = |state: &MachineState| -> Vec<bool> {
            state.closed.iter().map(|closed| closed.about.is_some()).collect()
        };
        state.paused_until_wall = Some(t("2026-11-05T12:00:00Z"));
        state.known.recovering_until = Some(t("2026-11-05T09:30:00Z"));
        state.known.events_wall.insert(
            event.clone(),
            EventTimes {
                start: t("2026-11-05T11:00:00Z"),
                end: t("2026-11-05T12:00:00Z"),
                focus: false,
            },
        );
        state.instructed = vec![
            GivenInstruction {
                at_wall: t("2026-11-05T08:00:00Z"),
                what: OwnerInstruction::Rule {
                    rule: OwnerRule {
                        subject: Some(Subject::from(&chat)),
                        ..OwnerRule::named(RuleName::parse("chat-1").unwrap())
                    },
                },
            },
            GivenInstruction {
                at_wall: t("2026-11-04T08:00:00Z"),
                what: OwnerInstruction::Pause {
                    until: t("2026-11-04T09:00:00Z"),
                },
            },
        ];
        let ledger = state.ledger.view();
        forget(&mut state, &ErasureScope::naming([chat.as_str().to_owned()]));
        assert_eq!((state.history.len(), state.mutes_wall.len()), (2, 0));
        assert_eq!(about(&state), [false, true, true], "that chat");
        assert_eq!(state.instructed.len(), 1, "that chat");
        assert_eq!(asks(&state), [2, 3], "that chat");
        forget(
            &mut state,
            &ErasureScope::within(t("2026-11-04T00:00:00Z"), t("2026-11-05T00:00:00Z")),
        );
        let left: Vec<Timestamp> = state.history.iter().map(|past| past.at).collect();
        assert_eq!(left, [t("2026-11-05T08:30:00Z")]);
        assert_eq!(state.known.events_wall.len(), 1);
        assert_eq!(about(&state), [false, false, true], "that day");
        assert_eq!(asks(&state), [3], "that day");
        assert!(state.instructed.is_empty(), "that day");
        forget(&mut state, &ErasureScope::everything());
        let events: Vec<&EventId> = state.known.events_wall.keys().collect();
        assert_eq!((state.history.len(), events.len()), (0, 0));
        assert_eq!(about(&state), [false, false, false], "everything");
        assert!(asks(&state).is_empty(), "everything");
        assert_eq!(state.ledger.view(), ledger, "no token comes back");
        assert!(state.paused_until_wall.is_some() && state.known.recovering_until.is_some());
    }
}
