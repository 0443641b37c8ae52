//! Days beside a program that asks a thousand times a day.
//!
//! What: each day from the same morning with the program and without it, held against a day that is worked out from the rules of a token and its
//! window alone: the program's card is one more, and nothing else differs. Programs that take their asks back are lived with as well. Why: the ceiling
//! of interruptions is the owner's whatever programs do. Fourteen days, or as many as `AURA_ASKS_DAYS` says when it is built: `make nightly` looks at a
//! year. Not here: the same over recorded days and real agents (`tests/integration/asks_days.rs`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::{
    asks::draft,
    asks_devices::{asked, by, calm},
    support::Machine,
};
use orchestrator_machine::{
    Effect, EventKind,
    asks::{ASKS_OPEN_MAX, ASKS_OPEN_OF_DEVICE, AskProtocol},
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

/// What the program does beside a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChattyProgram {
    /// There is none.
    Absent,
    /// It asks, and waits.
    Asks,
    /// It takes back what is on a card before the owner has seen it, and asks again.
    TakesBackUnseen,
    /// It takes back what the owner sees.
    TakesBackSeen,
}

/// A card that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SeenCard {
    /// Since the morning.
    minute: i64,
    by_program: bool,
}

/// The day as it has to be, by what is written of tokens and windows and by nothing else: who wants to speak is heard where a token is left and no
/// card is younger than the window; a program behind whatever is proposed, once, and never by the last token.
fn expected_day(day: u64, is_heard: bool) -> Vec<SeenCard> {
    let mut cards: Vec<SeenCard> = Vec::new();
    for (look, proposes) in drafts_of(day).into_iter().enumerate() {
        let minute = i64::try_from(look).unwrap() * EVERY_MIN;
        let in_window = cards.last().is_some_and(|card| minute - card.minute < WINDOW_MIN);
        let free = CEILING - cards.len();
        let may_ask = is_heard && free > 1 && cards.iter().all(|card| !card.by_program);
        if !in_window && free > 0 && (proposes || may_ask) {
            cards.push(SeenCard {
                minute,
                by_program: !proposes,
            });
        }
    }
    cards
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

/// The devices of the program take everything back that waits.
fn take_back(machine: &mut Machine, effects: &mut VecDeque<Effect>) {
    for ask in machine.state.asks.open.clone() {
        machine.tell(EventKind::AskCancelled {
            request: 8,
            id: ask.id,
            origin: ask.origin,
        });
        effects.extend(machine.out.drain(..));
    }
}

/// Answers until nothing is asked any more; the owner dismisses each card.
fn settle(
    machine: &mut Machine,
    program: ChattyProgram,
    proposed: &[Candidate],
    minute: i64,
    seen: &mut Vec<SeenCard>,
) {
    let mut effects: VecDeque<Effect> = machine.out.drain(..).collect();
    loop {
        let Some(effect) = effects.pop_front() else {
            let Some(card) = cards::current_card(&machine.state) else {
                return;
            };
            let by_program = card.decision.chosen.as_ref().unwrap().asker.is_some();
            if by_program && program == ChattyProgram::TakesBackUnseen {
                take_back(machine, &mut effects);
                continue;
            }
            seen.push(SeenCard { minute, by_program });
            let (card_id, surface) = (card.card_id, Surface::PhoneCard);
            machine.tell(EventKind::Shown {
                card_id: card_id.clone(),
                surface,
            });
            effects.extend(machine.out.drain(..));
            if by_program && program == ChattyProgram::TakesBackSeen {
                take_back(machine, &mut effects);
                continue;
            }
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

/// At which looks of a day Comms has a draft: from about fifteen a day to one or two.
fn drafts_of(day: u64) -> Vec<bool> {
    let mut seed = day;
    let seldom = 6 << (day % 4);
    (0..LOOKS)
        .map(|_| drawn(&mut seed).is_multiple_of(seldom))
        .collect()
}

/// One day and the night after it.
fn live_day(machine: &mut Machine, day: u64, program: ChattyProgram) -> Vec<SeenCard> {
    let asks = if program == ChattyProgram::Absent { 0 } else { ASKS };
    let mut seen = Vec::new();
    for (look, proposes) in (0..LOOKS).zip(drafts_of(day)) {
        let minute = look * EVERY_MIN;
        for ask in 0..asks {
            let device = ["one", "two", "three", "four"][ask % 4];
            machine.tell(asked(
                1,
                &format!("{day} {look} {ask}"),
                by(device, AskProtocol::Mcp),
            ));
            settle(machine, program, &[], minute, &mut seen);
        }
        let item = format!("it_{:016x}", day * 1000 + u64::try_from(look).unwrap());
        let proposed = proposes.then(|| Candidate {
            subject: Subject::parse(&item).unwrap(),
            args: json!({"item_id": item, "tone": "casual", "length_max": 280}),
            ..draft().1
        });
        machine.tell(EventKind::PhoneUnlocked);
        settle(machine, program, proposed.as_slice(), minute, &mut seen);
        machine.wait(EVERY_MIN * MINUTE);
        settle(machine, program, &[], minute + EVERY_MIN - 1, &mut seen);
    }
    machine.wait((24 * 60 - LOOKS * EVERY_MIN) * MINUTE);
    settle(machine, program, &[], 24 * 60, &mut seen);
    seen
}

/// The owner's next morning; no look by the clock comes between.
fn morning() -> Machine {
    let mut machine = calm();
    machine.wait(17 * 60 * MINUTE);
    settle(&mut machine, ChattyProgram::Absent, &[], 0, &mut vec![]);
    machine.state.interval_at = machine.at.plus_min(1_000_000);
    machine
}

/// Whether the device of an ask holds more than its places.
fn is_crowded(machine: &Machine) -> bool {
    let open = &machine.state.asks.open;
    let of_one = |device| open.iter().filter(|ask| ask.origin == device).count();
    open.len() > ASKS_OPEN_MAX
        || open
            .iter()
            .any(|ask| of_one(ask.origin.clone()) > ASKS_OPEN_OF_DEVICE)
}

fn days() -> u64 {
    option_env!("AURA_ASKS_DAYS").map_or(14, |days| days.parse().unwrap())
}

#[test]
fn a_day_beside_a_program_that_asks_a_thousand_times_differs_by_one_token_and_its_window() {
    let mut machine = morning();
    let (mut heard, mut lost) = (0, 0);
    for day in 1..=days() {
        let quiet = live_day(&mut machine.clone(), day, ChattyProgram::Absent);
        assert_eq!(quiet, expected_day(day, false), "day {day}");
        let loud = live_day(&mut machine, day, ChattyProgram::Asks);
        assert_eq!(loud, expected_day(day, true), "day {day}");
        assert!(!is_crowded(&machine), "day {day}");
        let own = loud.iter().filter(|card| !card.by_program).count();
        heard += loud.len() - own;
        lost += usize::from(own < quiet.len());
    }
    println!(
        "{} days: a program was heard on {heard}; {lost} had a card of Aura's own less",
        days()
    );
    assert!(heard > 0 && lost > 0, "{heard} {lost}");
}

#[test]
fn a_program_that_takes_its_asks_back_moves_no_more() {
    for (program, is_heard) in [
        (ChattyProgram::TakesBackUnseen, false),
        (ChattyProgram::TakesBackSeen, true),
    ] {
        let mut machine = morning();
        for day in 1..=days() {
            let loud = live_day(&mut machine, day, program);
            assert_eq!(loud, expected_day(day, is_heard), "day {day}: {program:?}");
            assert!(!is_crowded(&machine), "day {day}: {program:?}");
        }
    }
}
