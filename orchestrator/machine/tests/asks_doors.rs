//! That no door is another, and that no program moves a day.
//!
//! What: each end of an ask by each protocol, with everything that left the machine compared; five hours beside a program that asks a thousand
//! times. Why: page 0136 of `docs/adr`. Not here: what devices may (`asks_devices`), the protocols themselves (`surfaces`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::{
    asks::{answer, asks_for, done, draft, executed, id, restart, show, tick, trace},
    asks_devices::{asked, by, calm, cancelled, desk, end_tick, one_card, state_of, waits, with_origin},
    support::{Machine, SECOND},
};
use orchestrator_machine::{
    Effect, EventKind,
    asks::{ASKS_OPEN_OF_DEVICE, AskOrigin, AskProtocol},
};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, AskState, SubmitAct, Surface, ToolName,
    tick::{Candidate, Subject},
};

const MINUTE: i64 = 60 * SECOND;

/// What the owner and the world make of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Confirm,
    Dismiss,
    Expire,
    Wait,
    Cancel,
    Repeat,
    CrashBefore,
    CrashAfter,
    CrashUnconfirmed,
    CrashConfirmed,
    OtherArguments,
    OtherTool,
    OtherDevice,
    Forged,
    Paused,
    Quiet,
    Capped,
}

const FATES: [Fate; 17] = [
    Fate::Confirm,
    Fate::Dismiss,
    Fate::Expire,
    Fate::Wait,
    Fate::Cancel,
    Fate::Repeat,
    Fate::CrashBefore,
    Fate::CrashAfter,
    Fate::CrashUnconfirmed,
    Fate::CrashConfirmed,
    Fate::OtherArguments,
    Fate::OtherTool,
    Fate::OtherDevice,
    Fate::Forged,
    Fate::Paused,
    Fate::Quiet,
    Fate::Capped,
];

/// Tells it, and keeps what left.
fn heard(machine: &mut Machine, seen: &mut Vec<String>, what: EventKind) {
    machine.tell(what);
    seen.extend(machine.out.iter().map(|effect| format!("{effect:?}")));
}

/// An ask by a door with what becomes of it: everything that left the machine, the door aside, and its end.
fn by_door(from: Option<&AskOrigin>, fate: Fate) -> (Vec<String>, AskState) {
    let mut machine = calm();
    let mut seen: Vec<String> = Vec::new();
    if fate == Fate::Capped {
        waits(&mut machine, "first", from.cloned());
        one_card(&mut machine);
        machine.wait(31 * MINUTE);
        machine.read_nothing();
    }
    if fate == Fate::CrashBefore {
        // Asked, and lost with the journal's end: the client repeats it.
        let before = machine.clone();
        heard(&mut machine, &mut seen, asked(1, "a", from.cloned()));
        machine = before;
        restart(&mut machine, SECOND);
    }
    waits(&mut machine, "a", from.cloned());
    match fate {
        Fate::CrashAfter => restart(&mut machine, SECOND),
        Fate::Repeat => heard(&mut machine, &mut seen, asked(2, "a", from.cloned())),
        Fate::OtherArguments => {
            let other = asks_for(2, "a", ToolName::PermitLeisure, json!({"window_min": 91}));
            heard(&mut machine, &mut seen, with_origin(other, from.cloned()));
        }
        Fate::OtherTool => {
            let other = asks_for(2, "a", ToolName::StartNapTimer, json!({"duration_min": 15}));
            heard(&mut machine, &mut seen, with_origin(other, from.cloned()));
        }
        Fate::OtherDevice => {
            let what = EventKind::AskCancelled {
                request: 8,
                id: id("a"),
                origin: by("thief", AskProtocol::Api),
            };
            heard(&mut machine, &mut seen, what);
        }
        Fate::Cancel => cancelled(&mut machine, "a", from.cloned()),
        Fate::Wait => {
            machine.wait(61 * MINUTE);
            machine.read_nothing();
        }
        Fate::Paused => {
            let until = Some(machine.state.wall(machine.at).plus_min(10));
            heard(&mut machine, &mut seen, EventKind::Paused { until });
        }
        Fate::Quiet => {
            let what = EventKind::Dnd {
                active: true,
                until: None,
            };
            heard(&mut machine, &mut seen, what);
        }
        Fate::Confirm
        | Fate::Dismiss
        | Fate::Expire
        | Fate::CrashBefore
        | Fate::CrashUnconfirmed
        | Fate::CrashConfirmed
        | Fate::Forged
        | Fate::Capped => {}
    }
    let decision = tick(&mut machine, &[]);
    seen.push(serde_json::to_string(&decision).unwrap());
    if decision.chosen.is_some() {
        show(&mut machine);
        match fate {
            Fate::Dismiss => answer(&mut machine, SubmitAct::Dismiss),
            Fate::Expire => machine.wait(60 * SECOND),
            Fate::CrashUnconfirmed => {
                // Her yes was lost with the journal's end: it is asked still.
                let before = machine.clone();
                answer(&mut machine, SubmitAct::Confirm);
                machine = before;
                restart(&mut machine, SECOND);
            }
            Fate::Forged => {
                let card_id = machine.card().card_id;
                let what = EventKind::Submitted {
                    request: 9,
                    card_id,
                    surface: Surface::PhoneCard,
                    act: SubmitAct::Confirm,
                    capability: Some("0".repeat(64)),
                };
                heard(&mut machine, &mut seen, what);
            }
            Fate::Confirm
            | Fate::Wait
            | Fate::Cancel
            | Fate::Repeat
            | Fate::CrashBefore
            | Fate::CrashAfter
            | Fate::CrashConfirmed
            | Fate::OtherArguments
            | Fate::OtherTool
            | Fate::OtherDevice
            | Fate::Paused
            | Fate::Quiet
            | Fate::Capped => {
                answer(&mut machine, SubmitAct::Confirm);
                let tick = machine.state.ticks;
                heard(&mut machine, &mut seen, EventKind::Committed { tick, ok: true });
                if fate == Fate::CrashConfirmed {
                    // Its yes is kept and the call has left: nobody knows whether it was done, and it is not made again.
                    restart(&mut machine, SECOND);
                } else {
                    executed(&mut machine, done());
                }
            }
        }
        let is_over = ![Fate::Forged, Fate::CrashUnconfirmed, Fate::CrashConfirmed].contains(&fate);
        if is_over {
            seen.push(serde_json::to_string(&trace(&machine)).unwrap());
        }
    }
    seen.extend(machine.out.iter().map(|effect| format!("{effect:?}")));
    seen.push(machine.sent.to_string());
    (seen, state_of(&machine, "a", from).unwrap())
}

#[test]
fn by_whichever_door_an_ask_comes_the_same_leaves_the_machine() {
    for fate in FATES {
        let (socket, state) = by_door(None, fate);
        let wanted = match fate {
            Fate::Confirm
            | Fate::Repeat
            | Fate::CrashBefore
            | Fate::CrashAfter
            | Fate::OtherArguments
            | Fate::OtherTool
            | Fate::OtherDevice => AskState::Done,
            Fate::Dismiss => AskState::Dismissed,
            Fate::Expire | Fate::Wait => AskState::Expired,
            Fate::Cancel => AskState::Cancelled,
            Fate::CrashConfirmed => AskState::Unknown,
            Fate::Forged | Fate::CrashUnconfirmed => AskState::Asking,
            Fate::Paused | Fate::Quiet | Fate::Capped => AskState::Queued,
        };
        assert_eq!(state, wanted, "{fate:?}");
        let sent = match wanted {
            AskState::Done | AskState::Unknown => "1",
            AskState::Queued
            | AskState::Asking
            | AskState::Refused
            | AskState::Dismissed
            | AskState::Expired
            | AskState::Cancelled => "0",
        };
        assert_eq!(socket.last().unwrap(), sent, "{fate:?}");
        for door in [
            AskProtocol::Api,
            AskProtocol::Mcp,
            AskProtocol::Workflow,
            AskProtocol::Program,
        ] {
            let from = by("desk", door);
            assert_eq!(
                by_door(from.as_ref(), fate),
                (socket.clone(), state),
                "{fate:?} by {door:?}"
            );
        }
    }
}

/// What a tick chose, and whether a program had asked for it.
type Chosen = Option<(ActionKind, bool)>;

/// Somebody waits for a reply: another message each time.
fn draft_to(n: usize) -> (AgentName, Candidate) {
    let item = format!("it_{n:016x}");
    let (agent, draft) = draft();
    let candidate = Candidate {
        subject: Subject::parse(&item).unwrap(),
        args: json!({"item_id": item, "tone": "casual", "length_max": 280}),
        ..draft
    };
    (agent, candidate)
}

/// Five hours of ticks, one each five minutes; Comms has a draft each hour. `asks`: so many of a device before each tick.
fn five_hours(asks: usize) -> Vec<Chosen> {
    let mut machine = calm();
    let mut came = Vec::new();
    for n in 0..60 {
        for ask in 0..asks {
            machine.tell(asked(1, &format!("{n} {ask}"), desk()));
            for effect in machine.out.clone() {
                if let Effect::CommitCall { call } = effect {
                    machine.tell(EventKind::CallCommitted { call, ok: true });
                }
            }
        }
        let proposed = if n % 12 == 6 { vec![draft_to(n)] } else { vec![] };
        let decision = tick(&mut machine, &proposed);
        let chosen = decision.chosen.as_ref();
        came.push(chosen.map(|chosen| (chosen.kind, chosen.asker.is_some())));
        if chosen.is_some() {
            show(&mut machine);
            answer(&mut machine, SubmitAct::Dismiss);
        }
        end_tick(&mut machine);
        machine.wait(5 * MINUTE);
        machine.read_nothing();
    }
    assert!(machine.state.asks.open.len() <= ASKS_OPEN_OF_DEVICE);
    came
}

#[test]
fn a_program_that_asks_a_thousand_times_moves_one_token_and_its_window() {
    let (quiet, loud) = (five_hours(0), five_hours(17));
    let places = |day: &[Chosen], asked: bool| -> Vec<usize> {
        let is = |n: &usize| day[*n].is_some_and(|(_, by_program)| by_program == asked);
        (0..60).filter(is).collect()
    };
    // Three tokens, three drafts: each an hour after the last.
    assert_eq!(
        (places(&quiet, false), places(&quiet, true)),
        (vec![6, 18, 30], vec![])
    );
    // The first look has nothing else. Its window is over after half an hour, and the third draft finds no token.
    assert_eq!(
        (places(&loud, false), places(&loud, true)),
        (vec![6, 18], vec![0])
    );
}
