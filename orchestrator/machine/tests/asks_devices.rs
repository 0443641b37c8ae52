//! What devices ask for: the cap of asks, their places, taking back.
//!
//! What: page 0136 of `docs/adr`. Why: other people's programs propose by many doors, and what the owner sees and what is done must not depend on
//! which. Not here: an ask's ends by the owner and the tool (`asks`), that no door is another (`asks_doors`), every interleaving (`proof`), random days (`second`), HTTP (`/tests`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::{
    asks::{answer, answers, asks_for, done, executed, id, idle, restart, show, tick, trace},
    support::{HOUR, Machine, SECOND},
};
use orchestrator_machine::{
    Effect, EventKind,
    asks::{
        ASKS_ENDED_MAX, ASKS_OPEN_MAX, ASKS_OPEN_OF_DEVICE, AskOrigin, AskProtocol, AskerId,
        answer_cancel_without_event, answer_without_event, devices_of_prompt, report_of,
    },
    calls::{CallAnswer, CallRefusal, CallRequest},
    policy::{DEFAULT_TEXT, Policy},
};
use serde_json::{Value, json};
use toolcall_schema::{
    AskReport, AskState, Outcome, ReasonCode, StateName, SubmitAct, Surface, ToolName, trace::Asker,
};

const MINUTE: i64 = 60 * SECOND;

pub(crate) fn device(name: &str) -> AskerId {
    AskerId::parse(&format!("dev_{name}")).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "an ask over the socket has none")]
pub(crate) fn by(name: &str, door: AskProtocol) -> Option<AskOrigin> {
    Some(AskOrigin {
        device: device(name),
        door,
    })
}

pub(crate) fn desk() -> Option<AskOrigin> {
    by("desk", AskProtocol::Api)
}

/// An ask for a break by a device, or over the socket.
pub(crate) fn asked(request: u64, key: &str, from: Option<AskOrigin>) -> EventKind {
    with_origin(
        asks_for(request, key, ToolName::PermitLeisure, json!({"window_min": 90})),
        from,
    )
}

pub(crate) fn with_origin(what: EventKind, from: Option<AskOrigin>) -> EventKind {
    let EventKind::CallRequested {
        request,
        id,
        asker,
        tool,
        args,
        wait_min,
        ..
    } = what
    else {
        unreachable!()
    };
    EventKind::CallRequested {
        request,
        id,
        asker,
        origin: from,
        tool,
        args,
        wait_min,
    }
}

/// The same, and its request is on disk. The number is that of the machine's call.
pub(crate) fn waits(machine: &mut Machine, key: &str, from: Option<AskOrigin>) {
    machine.tell(asked(1, key, from));
    let call = machine.state.calls.begun;
    machine.tell(EventKind::CallCommitted { call, ok: true });
}

/// What left, but that the machine is at rest.
fn left(machine: &Machine) -> Vec<Effect> {
    let effects = machine.out.iter().filter(|effect| **effect != Effect::Rest);
    effects.cloned().collect()
}

/// At hand, and no look by the clock comes between.
pub(crate) fn calm() -> Machine {
    let mut machine = idle();
    machine.state.interval_at = machine.at.plus_min(100_000);
    machine
}

/// What can be answered without an event is answered the same with one, and nothing follows.
fn cancel(machine: &mut Machine, key: &str, from: Option<AskOrigin>) {
    let device = from.as_ref().map(|from| &from.device);
    let at_once = answer_cancel_without_event(&machine.state, &id(key), device);
    let before = machine.state.asks.clone();
    machine.tell(EventKind::AskCancelled {
        request: 8,
        id: id(key),
        origin: from,
    });
    if let Some(answer) = at_once {
        assert_eq!(
            (answers(machine), &machine.state.asks),
            (vec![(8, answer)], &before),
            "{key}"
        );
    } else {
        assert_ne!(machine.state.asks, before, "{key}");
    }
}

pub(crate) fn cancelled(machine: &mut Machine, key: &str, from: Option<AskOrigin>) {
    let call = machine
        .state
        .asks
        .open
        .iter()
        .find(|ask| ask.id == id(key))
        .unwrap()
        .number;
    cancel(machine, key, from);
    machine.tell(EventKind::CallCommitted { call, ok: true });
}

pub(crate) fn state_of(machine: &Machine, key: &str, from: Option<&AskOrigin>) -> Option<AskState> {
    report_of(&machine.state, &id(key), from.map(|from| &from.device)).map(|report| report.state)
}

pub(crate) fn end_tick(machine: &mut Machine) {
    let trace_id = machine.env.seed.trace_id(machine.state.ticks);
    machine.tell(EventKind::TraceKept { trace_id, ok: true });
    machine.read_nothing();
}

/// Its card is shown and dismissed, and the tick is over.
pub(crate) fn one_card(machine: &mut Machine) {
    assert!(tick(machine, &[]).chosen.unwrap().asker.is_some());
    show(machine);
    answer(machine, SubmitAct::Dismiss);
    end_tick(machine);
}

/// Why a tick with an ask alone asks nothing: what stands beside the candidate, and why it was silent.
fn held_back(machine: &mut Machine) -> (Option<ReasonCode>, Option<String>, Option<ReasonCode>) {
    let decision = tick(machine, &[]);
    assert_eq!(decision.chosen, None);
    let considered = decision.candidates.first().unwrap().clone();
    end_tick(machine);
    (considered.removed, considered.rule, decision.reason_code)
}

/// The cap of asks is no reason for a silence: without them it were one all the same.
fn by_the_cap() -> (Option<ReasonCode>, Option<String>, Option<ReasonCode>) {
    let rule = Some("asks".to_owned());
    (Some(ReasonCode::CapDaily), rule, Some(ReasonCode::NoCandidate))
}

#[test]
fn one_card_a_day_is_for_all_askers_together() {
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    one_card(&mut machine);
    assert_eq!(machine.state.ledger.view().free, 2);
    // Another device, and another hour of that day.
    waits(&mut machine, "b", by("phone", AskProtocol::Mcp));
    machine.wait(31 * MINUTE);
    machine.read_nothing();
    assert_eq!(held_back(&mut machine), by_the_cap());
    // The next day.
    machine.wait(10 * HOUR);
    machine.read_nothing();
    waits(&mut machine, "c", by("phone", AskProtocol::Mcp));
    assert!(tick(&mut machine, &[]).chosen.is_some());
}

#[test]
fn a_card_that_was_taken_back_unseen_leaves_the_days_one_and_useful_buys_no_second() {
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    tick(&mut machine, &[]);
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
    cancelled(&mut machine, "a", desk());
    assert_eq!(machine.state.ledger.view().free, 3, "its token is back");
    end_tick(&mut machine);
    waits(&mut machine, "b", desk());
    machine.wait(2 * SECOND);
    machine.read_nothing();
    let decision = tick(&mut machine, &[]);
    assert!(decision.chosen.is_some(), "{decision:?}");
    show(&mut machine);
    let card = machine.card();
    answer(&mut machine, SubmitAct::Dismiss);
    end_tick(&mut machine);
    // The token comes back, the card was theirs all the same.
    machine.tell(EventKind::Submitted {
        request: 9,
        card_id: card.card_id,
        surface: Surface::PhoneCard,
        act: SubmitAct::Useful,
        capability: None,
    });
    assert_eq!(machine.state.ledger.view().free, 3);
    waits(&mut machine, "c", desk());
    machine.wait(31 * MINUTE);
    machine.read_nothing();
    assert_eq!(held_back(&mut machine), by_the_cap());
}

#[test]
fn the_last_free_token_is_never_theirs() {
    for (ceiling, free, asks) in [(1, 1, false), (2, 2, true), (5, 3, true)] {
        let mut machine = calm();
        machine.tell(EventKind::CeilingSet { ceiling });
        assert_eq!(machine.state.ledger.view().free, free);
        waits(&mut machine, "a", desk());
        let decision = tick(&mut machine, &[]);
        assert_eq!(decision.chosen.is_some(), asks, "{ceiling}");
    }
}

#[test]
fn a_policy_may_say_none_or_more() {
    for (line, cards) in [("asks_per_day = 0", 0), ("asks_per_day = 2", 2), ("", 1)] {
        let mut machine = calm();
        let text = DEFAULT_TEXT.replacen("[caps]", &format!("[caps]\n{line}"), 1);
        machine.env.policy = Policy::parse(&text).unwrap();
        for n in 0..cards {
            waits(&mut machine, &n.to_string(), desk());
            one_card(&mut machine);
            machine.wait(31 * MINUTE);
            machine.read_nothing();
        }
        waits(&mut machine, "more", desk());
        assert_eq!(held_back(&mut machine), by_the_cap(), "{line}");
    }
}

#[test]
fn no_device_takes_all_places_and_none_the_memory_of_another() {
    let refused = [(1, CallAnswer::Refused(CallRefusal::TooMany))];
    let mut machine = calm();
    for n in 0..ASKS_OPEN_OF_DEVICE {
        waits(&mut machine, &n.to_string(), desk());
    }
    machine.tell(asked(1, "one more", by("desk", AskProtocol::Mcp)));
    assert_eq!(answers(&machine), refused, "by whichever door");
    for (n, name) in ["b", "c"].into_iter().enumerate() {
        for own in 0..ASKS_OPEN_OF_DEVICE.min(ASKS_OPEN_MAX - ASKS_OPEN_OF_DEVICE * (n + 1)) {
            waits(&mut machine, &format!("{name} {own}"), by(name, AskProtocol::Api));
        }
    }
    assert_eq!(machine.state.asks.open.len(), ASKS_OPEN_MAX);
    machine.tell(asked(1, "of another", by("d", AskProtocol::Api)));
    assert_eq!(answers(&machine), refused);
    // A thousand at once move nothing: no effect but their refusals.
    for n in 0..1000 {
        machine.tell(asked(1, &format!("flood {n}"), desk()));
        assert!(
            matches!(left(&machine)[..], [Effect::CallAnswer { .. }]),
            "{:?}",
            machine.out
        );
    }
    // A device that asks and takes back all day forgets its own ends, not another's.
    let mut machine = calm();
    waits(&mut machine, "quiet", by("quiet", AskProtocol::Api));
    cancelled(&mut machine, "quiet", by("quiet", AskProtocol::Api));
    for n in 0..ASKS_ENDED_MAX * 2 {
        waits(&mut machine, &format!("loud {n}"), desk());
        cancelled(&mut machine, &format!("loud {n}"), desk());
    }
    assert_eq!(machine.state.asks.ended.len(), ASKS_ENDED_MAX);
    let quiet = by("quiet", AskProtocol::Api);
    assert_eq!(
        state_of(&machine, "quiet", quiet.as_ref()),
        Some(AskState::Cancelled)
    );
    assert_eq!(state_of(&machine, "loud 0", desk().as_ref()), None);
}

#[test]
fn a_repeat_and_what_is_refused_need_no_event() {
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    let request = |key: &str, tool, args: Value, from| CallRequest {
        id: id(key),
        asker: Asker::Program,
        origin: from,
        tool,
        args,
        wait_min: None,
    };
    let (leisure, args) = (ToolName::PermitLeisure, json!({"window_min": 90}));
    let queued = Some(AskState::Queued);
    let told = |answer: Option<CallAnswer>| match answer {
        Some(CallAnswer::Waiting(report)) => Ok(Some(report.state)),
        Some(CallAnswer::Refused(why)) => Err(why),
        Some(CallAnswer::Ended(_)) => unreachable!(),
        None => Ok(None),
    };
    for (key, tool, args, said) in [
        ("a", leisure, args.clone(), Ok(queued)),
        (
            "a",
            ToolName::StartNapTimer,
            json!({"duration_min": 15}),
            Err(CallRefusal::OtherRequest),
        ),
        (
            "b",
            leisure,
            json!({"window_min": 91}),
            Err(CallRefusal::Arguments),
        ),
        (
            "b",
            leisure,
            json!("x".repeat(100_000)),
            Err(CallRefusal::Arguments),
        ),
        (
            "b",
            ToolName::CommsIngest,
            json!({}),
            Err(CallRefusal::NotOnRequest),
        ),
        (
            "b",
            ToolName::SuggestSlots,
            json!({}),
            Err(CallRefusal::NotOnRequest),
        ),
        // A new one is the machine's to journal.
        ("b", leisure, args.clone(), Ok(None)),
    ] {
        let call = request(key, tool, args, desk());
        assert_eq!(
            told(answer_without_event(&machine.state, &call)),
            said,
            "{key} {tool}"
        );
    }
    // One that was taken back is told when that is on disk, and then always.
    cancel(&mut machine, "a", desk());
    let again = request("a", leisure, args, desk());
    assert_eq!(answer_without_event(&machine.state, &again), None);
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    let cancelled = Ok(Some(AskState::Cancelled));
    assert_eq!(told(answer_without_event(&machine.state, &again)), cancelled);
}

#[test]
fn an_ask_is_taken_back_until_the_owner_has_said_yes() {
    let told = |machine: &Machine| match answers(machine).as_slice() {
        [(8, CallAnswer::Waiting(AskReport { state, .. }))] => Some(*state),
        [] => None,
        other => unreachable!("{other:?}"),
    };
    // Waiting: nobody is told before it is on disk.
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    cancel(&mut machine, "a", desk());
    assert_eq!(left(&machine), [Effect::CommitCall { call: 1 }]);
    // Twice is once.
    cancel(&mut machine, "a", desk());
    assert_eq!(told(&machine), None);
    machine.tell(EventKind::CallCommitted { call: 1, ok: true });
    let both: Vec<u64> = answers(&machine).iter().map(|(request, _)| *request).collect();
    assert_eq!(both, [8, 8]);
    assert_eq!(
        state_of(&machine, "a", desk().as_ref()),
        Some(AskState::Cancelled)
    );
    cancel(&mut machine, "a", desk());
    assert_eq!(told(&machine), Some(AskState::Cancelled));
    // The disk takes nothing.
    waits(&mut machine, "b", desk());
    cancel(&mut machine, "b", desk());
    machine.tell(EventKind::CallCommitted { call: 2, ok: false });
    assert_eq!(
        answers(&machine),
        [(8, CallAnswer::Refused(CallRefusal::NotKept))]
    );
    // Another device, the socket, and what is not there.
    waits(&mut machine, "c", desk());
    for (key, from) in [("c", by("phone", AskProtocol::Api)), ("c", None), ("no", desk())] {
        cancel(&mut machine, key, from);
        assert_eq!(
            answers(&machine),
            [(8, CallAnswer::Refused(CallRefusal::NoSuchAsk))]
        );
    }
    assert_eq!(state_of(&machine, "c", desk().as_ref()), Some(AskState::Queued));

    // On its way to a card.
    tick(&mut machine, &[]);
    cancelled(&mut machine, "c", desk());
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    let silent = trace(&machine);
    assert_eq!(
        (silent.outcome, silent.reason_code, silent.ledger_after.free),
        (Outcome::Silent, Some(ReasonCode::Superseded), 3)
    );

    // On a card that was seen: it goes, its token is spent, and its capability is worth nothing.
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    tick(&mut machine, &[]);
    show(&mut machine);
    let card = machine.card();
    cancelled(&mut machine, "a", desk());
    let mut void = calm();
    waits(&mut void, "a", desk());
    tick(&mut void, &[]);
    show(&mut void);
    cancel(&mut void, "a", desk());
    let void = trace(&void);
    assert_eq!(
        (void.outcome, void.reason_code, void.ledger_after.free),
        (Outcome::Dismissed, Some(ReasonCode::Superseded), 2)
    );
    machine.tell(EventKind::Submitted {
        request: 9,
        card_id: card.card_id.clone(),
        surface: Surface::PhoneCard,
        act: SubmitAct::Confirm,
        capability: Some(card.prompts[0].capability.clone()),
    });
    assert_eq!(machine.sent, 0);
    assert!(
        machine
            .out
            .iter()
            .any(|effect| format!("{effect:?}").contains("Confirm003")),
        "{:?}",
        machine.out
    );

    // After the owner's yes it goes on, and who asks is told so.
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    tick(&mut machine, &[]);
    show(&mut machine);
    answer(&mut machine, SubmitAct::Confirm);
    cancel(&mut machine, "a", desk());
    assert_eq!(told(&machine), Some(AskState::Asking));
    machine.tell(EventKind::Committed { tick: 1, ok: true });
    executed(&mut machine, done());
    cancel(&mut machine, "a", desk());
    assert_eq!(told(&machine), Some(AskState::Done));
}

#[test]
fn a_card_that_another_stands_behind_stays() {
    // Another device, or an agent: the card is theirs as well.
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    waits(&mut machine, "b", by("phone", AskProtocol::Mcp));
    tick(&mut machine, &[]);
    show(&mut machine);
    let names: Vec<&str> = devices_of_prompt(&machine.state).map(AskerId::as_str).collect();
    assert_eq!(names, ["dev_desk", "dev_phone"]);
    cancelled(&mut machine, "a", desk());
    assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
    answer(&mut machine, SubmitAct::Dismiss);
    let phone = by("phone", AskProtocol::Mcp);
    assert_eq!(state_of(&machine, "b", phone.as_ref()), Some(AskState::Dismissed));
    assert_eq!(
        state_of(&machine, "a", desk().as_ref()),
        Some(AskState::Cancelled)
    );
}

#[test]
fn a_crash_keeps_what_was_taken_back_and_void_cards_stay_away() {
    // Lost before the disk had it: the ask waits on, as nobody was told otherwise.
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    let mut before = machine.clone();
    cancel(&mut machine, "a", desk());
    restart(&mut before, SECOND);
    assert_eq!(state_of(&before, "a", desk().as_ref()), Some(AskState::Queued));
    restart(&mut machine, SECOND);
    assert_eq!(
        state_of(&machine, "a", desk().as_ref()),
        Some(AskState::Cancelled)
    );
    // Taken back while its decision was on the way to the disk: a start would show its card.
    let mut machine = calm();
    waits(&mut machine, "a", desk());
    tick(&mut machine, &[]);
    cancel(&mut machine, "a", desk());
    restart(&mut machine, SECOND);
    assert_eq!(machine.state.phase.name(), StateName::LoggingTrace);
    assert_eq!(machine.sent, 0);
}

#[test]
fn a_device_and_a_run_are_named_by_their_ids_alone() {
    for good in ["dev_abc234", "dev_fixed", "dev_a"] {
        assert_eq!(AskerId::parse(good).unwrap().as_str(), good);
    }
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    let run = AskerId::of_run(uuid).unwrap();
    assert_eq!(run.as_str(), "run_550e8400e29b41d4a716446655440000");
    assert_eq!((run.is_run(), run.run()), (true, Some(uuid.to_owned())));
    let device = AskerId::parse("dev_a").unwrap();
    assert_eq!((device.is_run(), device.run()), (false, None));
    let long = format!("dev_{}", "a".repeat(33));
    for bad in [
        "",
        "dev_",
        "Desk",
        "dev_A",
        "dev_a b",
        "dev_\u{202e}",
        "dev_a\n",
        &long,
    ] {
        assert_eq!(AskerId::parse(bad), None, "{bad}");
        let json = serde_json::to_string(bad).unwrap();
        assert!(serde_json::from_str::<AskerId>(&json).is_err(), "{bad}");
    }
    // What came over the socket is journalled as it was before there were devices.
    let text = serde_json::to_string(&asked(1, "a", None)).unwrap();
    assert!(!text.contains("origin"), "{text}");
    let text = serde_json::to_string(&asked(1, "a", desk())).unwrap();
    assert!(
        text.contains(r#""origin":{"device":"dev_desk","door":"api"}"#),
        "{text}"
    );
}
