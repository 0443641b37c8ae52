//! Days beside a program that asks a thousand times a day.
//!
//! What: each day from the same morning with the program and without it, and all that differs: one token and its window. Why: the ceiling of
//! interruptions is the owner's whatever programs do. Fourteen days, or as many as `AURA_ASKS_DAYS` says when it is built: `make nightly` looks at a year. Not
//! here: the same over recorded days and real agents (`tests/integration/asks_days.rs`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::{
    asks::draft,
    asks_devices::{asked, by, calm},
    support::Machine,
};
use orchestrator_machine::{
    Effect, EventKind,
    asks::{ASKS_OPEN_MAX, AskProtocol},
    cards,
    effect::ReplyTo,
    event::{IngestedFacts, TickAnswer},
};
use serde_json::json;
use std::collections::VecDeque;
use toolcall_schema::{
    AgentName, SubmitAct, Surface,
    tick::{Candidate, Subject, TickResult, TickStatus},
};

const MINUTE: i64 = 60_000;
/// A look each ten minutes, from eight in the morning to ten at night.
const LOOKS: i64 = 84;
const EVERY_MIN: i64 = 10;
/// Asks before each look: 1,008 a day, by four devices.
const ASKS: usize = 12;
/// Of the built-in policy and this owner.
const WINDOW_MIN: i64 = 30;
const CEILING: usize = 3;

/// A card that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SeenCard {
    /// Since the morning.
    minute: i64,
    subject: String,
    by_program: bool,
}

/// What the world answers: agents, and a disk that keeps all.
fn answer_of(effect: &Effect, proposed: &[Candidate]) -> Option<EventKind> {
    if let Effect::Commit { tick } = effect {
        return Some(EventKind::Committed {
            tick: *tick,
            ok: true,
        });
    }
    if let Effect::CommitCall { call } = effect {
        return Some(EventKind::CallCommitted {
            call: *call,
            ok: true,
        });
    }
    if let Effect::KeepTrace(trace) = effect {
        let trace_id = trace.decision.trace_id.clone();
        return Some(EventKind::TraceKept { trace_id, ok: true });
    }
    let Effect::Call(call) = effect else {
        return None;
    };
    match call.reply {
        ReplyTo::Tick { agent, tick, attempt } => {
            let own = proposed.iter().filter(|_| agent == AgentName::Comms);
            Some(EventKind::TickAnswered {
                agent,
                tick,
                attempt,
                answer: TickAnswer::Answered(TickResult {
                    candidates: own.cloned().collect(),
                    readings: vec![],
                    status: TickStatus::Ok,
                }),
            })
        }
        ReplyTo::Ingest { agent, number } => Some(EventKind::Ingested {
            agent,
            number,
            answer: Some(IngestedFacts {
                cursor: 0,
                facts: vec![],
                more: false,
            }),
        }),
        ReplyTo::Action { .. } | ReplyTo::Call { .. } => None,
    }
}

/// Answers until nothing is asked any more; the owner dismisses each card.
fn settle(machine: &mut Machine, proposed: &[Candidate], minute: i64, seen: &mut Vec<SeenCard>) {
    let mut effects: VecDeque<Effect> = machine.out.drain(..).collect();
    loop {
        let Some(effect) = effects.pop_front() else {
            let Some(card) = cards::current_card(&machine.state) else {
                return;
            };
            let chosen = card.decision.chosen.as_ref().unwrap();
            seen.push(SeenCard {
                minute,
                subject: chosen.subject.as_str().to_owned(),
                by_program: chosen.asker.is_some(),
            });
            let (card_id, surface) = (card.card_id, Surface::PhoneCard);
            machine.tell(EventKind::Shown {
                card_id: card_id.clone(),
                surface,
            });
            effects.extend(machine.out.drain(..));
            machine.tell(EventKind::Submitted {
                request: 9,
                card_id,
                surface,
                act: SubmitAct::Dismiss,
                capability: Some(card.prompts[0].capability.clone()),
            });
            effects.extend(machine.out.drain(..));
            continue;
        };
        let Some(told) = answer_of(&effect, proposed) else {
            continue;
        };
        machine.tell(told);
        effects.extend(machine.out.drain(..));
    }
}

/// Numbers that only look random: the same in each run.
fn drawn(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// One day and the night after it. Comms has drafts, on some days many. `asks`: before each look.
fn live_day(machine: &mut Machine, day: u64, asks: usize) -> Vec<SeenCard> {
    let mut seed = day;
    // From about fifteen drafts a day to one or two.
    let seldom = 6 << (day % 4);
    let mut seen = Vec::new();
    for look in 0..LOOKS {
        let minute = look * EVERY_MIN;
        for ask in 0..asks {
            let device = ["one", "two", "three", "four"][ask % 4];
            machine.tell(asked(
                1,
                &format!("{day} {look} {ask}"),
                by(device, AskProtocol::Mcp),
            ));
            settle(machine, &[], minute, &mut seen);
        }
        let item = format!("it_{:016x}", day * 1000 + u64::try_from(look).unwrap());
        let some = drawn(&mut seed).is_multiple_of(seldom);
        let proposed = some.then(|| Candidate {
            subject: Subject::parse(&item).unwrap(),
            args: json!({"item_id": item, "tone": "casual", "length_max": 280}),
            ..draft().1
        });
        machine.tell(EventKind::PhoneUnlocked);
        settle(machine, proposed.as_slice(), minute, &mut seen);
        machine.wait(EVERY_MIN * MINUTE);
        settle(machine, &[], minute + EVERY_MIN - 1, &mut seen);
    }
    machine.wait((24 * 60 - LOOKS * EVERY_MIN) * MINUTE);
    settle(machine, &[], 24 * 60, &mut seen);
    seen
}

#[test]
fn a_day_beside_a_program_that_asks_a_thousand_times_differs_by_one_token_and_its_window() {
    let days: u64 = option_env!("AURA_ASKS_DAYS").map_or(14, |days| days.parse().unwrap());
    let mut machine = calm();
    // The owner's next morning; no look by the clock comes between.
    machine.wait(17 * 60 * MINUTE);
    settle(&mut machine, &[], 0, &mut vec![]);
    machine.state.interval_at = machine.at.plus_min(1_000_000);
    let (mut heard, mut lost, mut moved) = (0, 0, 0);
    for day in 1..=days {
        let quiet = live_day(&mut machine.clone(), day, 0);
        let loud = live_day(&mut machine, day, ASKS);
        let (asked, own): (Vec<_>, Vec<_>) = loud.iter().partition(|card| card.by_program);
        assert!(quiet.iter().all(|card| !card.by_program), "{quiet:?}");
        assert!(asked.len() <= 1 && loud.len() <= CEILING, "day {day}: {loud:?}");
        let from = asked.first().map_or(i64::MAX, |card| card.minute);
        let before = |card: &&SeenCard| card.minute < from;
        let were: Vec<_> = quiet.iter().filter(before).collect();
        let are: Vec<_> = own.iter().copied().filter(before).collect();
        assert_eq!(were, are, "day {day}: nothing differs before a program is heard");
        // Who is not seen any more comes within the window of another card, or finds the day's tokens spent.
        for card in quiet.iter().filter(|card| !own.contains(card)) {
            let earlier: Vec<_> = loud.iter().filter(|other| other.minute <= card.minute).collect();
            let in_window = |other: &&&SeenCard| card.minute - other.minute < WINDOW_MIN;
            let is_held = earlier.len() == CEILING || earlier.iter().any(|other| in_window(&other));
            assert!(is_held, "day {day}: {card:?} is not in {loud:?}");
        }
        assert!(own.len() + 1 >= quiet.len(), "day {day}: {quiet:?}, {loud:?}");
        assert!(machine.state.asks.open.len() <= ASKS_OPEN_MAX);
        heard += asked.len();
        lost += usize::from(own.len() < quiet.len());
        moved += usize::from(own.len() == quiet.len() && own.iter().copied().ne(quiet.iter()));
    }
    println!("{days} days: a program was heard on {heard}, {lost} had a card less, {moved} another one");
    let days = usize::try_from(days).unwrap();
    // It is heard almost each day, so the test tests something; on a full one her last free token is left before its turn comes.
    assert!(10 * heard >= 9 * days && lost > 0, "{heard} {lost} {moved}");
}
