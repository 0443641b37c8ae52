//! A push stands in for the phone's page, and the earbud says that a card is there.
//!
//! What: where a question is asked when a push is configured, until when, whose answer counts; when something is said aloud. Why:
//! another way to the owner must not be another way around the caps or the capability. Not here: servers and speech programs
//! (`tests/outbound` of the workspace).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{HOUR, Machine, SECOND, afternoon};
use orchestrator_machine::{
    Effect, EventKind, cards,
    effect::SubmissionVerdict,
    event::{ActionReply, CallSlot},
    state::LiveDnd,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolcall_schema::{
    ActionKind, AgentName, Code, Outcome, ReasonCode, StateName, Surface, Timestamp, WellnessState,
    ids::{CardId, TraceId},
    milli::Milli,
    names::SubmitAct,
    tick::{Candidate, Subject},
    trace::Prompt,
};

const CHANNEL: &str = "ch_0000000000000001";
const EVENT: &str = "ev_0000000000000001";

fn candidate(kind: ActionKind) -> (AgentName, Candidate) {
    let (agent, subject, args): (AgentName, &str, Value) = match kind {
        ActionKind::MuteGroup30 => (
            AgentName::Wellness,
            CHANNEL,
            json!({"channel_hash": CHANNEL, "ttl_seconds": 1800}),
        ),
        ActionKind::Breathe478 => (AgentName::Wellness, "self", json!({"cycles": 4})),
        ActionKind::Nap15 => (AgentName::Wellness, "self", json!({"duration_min": 15})),
        ActionKind::PermitLeisure => (AgentName::Wellness, "self", json!({"window_min": 90})),
        ActionKind::DeclineEvent => (
            AgentName::Calendar,
            EVENT,
            json!({"event_id": EVENT, "reason_template": "conflict"}),
        ),
        ActionKind::DraftReply => (
            AgentName::Comms,
            "it_0000000000000001",
            json!({"item_id": "it_0000000000000001", "tone": "casual", "length_max": 280}),
        ),
        ActionKind::BatchDigest => (
            AgentName::Comms,
            CHANNEL,
            json!({"channel_hash": CHANNEL, "since": afternoon()}),
        ),
        ActionKind::ShowBrief
        | ActionKind::LeaveByAlert
        | ActionKind::PrepareMeeting
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance => (AgentName::Finance, "all", json!({"day": "2026-11-03"})),
    };
    let candidate = Candidate {
        kind,
        subject: Subject::parse(subject).unwrap(),
        confidence: Milli(900),
        args,
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    (agent, candidate)
}

fn on(surfaces: &[Surface]) -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(WellnessState::Baseline);
    for surface in surfaces {
        machine.tell(EventKind::Connected { surface: *surface });
    }
    machine
}

fn proposed(machine: &mut Machine, kind: ActionKind) {
    let (agent, candidate) = candidate(kind);
    machine.proposed(agent, &candidate);
}

/// Asked what it may ask.
fn asked(machine: &mut Machine, kind: ActionKind) -> Vec<Prompt> {
    proposed(machine, kind);
    let tick = machine.state.ticks;
    machine.tell(EventKind::Committed { tick, ok: true });
    match cards::current_card(&machine.state) {
        Some(card) => card.prompts,
        None => vec![],
    }
}

fn surfaces(prompts: &[Prompt]) -> Vec<Surface> {
    prompts.iter().map(|prompt| prompt.surface).collect()
}

fn shown(machine: &mut Machine, surface: Surface) {
    let card_id = cards::current_card(&machine.state).unwrap().card_id;
    machine.tell(EventKind::Shown { card_id, surface });
}

fn waits(machine: &Machine) -> bool {
    machine.state.phase.name() == StateName::AwaitingConfirm
}

#[test]
fn only_what_is_for_the_owners_rest_is_asked_by_push_and_only_while_no_page_of_the_phone_is_open() {
    use ActionKind::{Breathe478, DeclineEvent, DraftReply, MuteGroup30, Nap15, PermitLeisure};
    use Surface::{PhoneCard, Push, Watch};
    for (kind, there, wanted) in [
        (Nap15, vec![Push], vec![Push]),
        (PermitLeisure, vec![Push], vec![Push]),
        (Breathe478, vec![Push], vec![Push]),
        (MuteGroup30, vec![Push], vec![Push]),
        (MuteGroup30, vec![Watch, Push], vec![Watch, Push]),
        (Nap15, vec![Watch, Push], vec![Push]),
        (Nap15, vec![PhoneCard, Push], vec![PhoneCard]),
        (Breathe478, vec![Watch, PhoneCard, Push], vec![Watch, PhoneCard]),
        (DraftReply, vec![Push], vec![]),
        (DeclineEvent, vec![Push], vec![]),
        (DraftReply, vec![PhoneCard, Push], vec![PhoneCard]),
        (Nap15, vec![], vec![]),
    ] {
        let mut machine = on(&there);
        assert_eq!(surfaces(&asked(&mut machine, kind)), wanted, "{kind} {there:?}");
        let pushed = cards::card_to_push(&machine.state).is_some();
        assert_eq!(pushed, wanted.contains(&Push), "{kind} {there:?}");
    }
}

#[test]
fn a_kind_that_cannot_be_asked_by_push_has_no_surface() {
    let mut machine = on(&[Surface::Push]);
    proposed(&mut machine, ActionKind::DraftReply);
    let trace = machine.trace().unwrap();
    assert_eq!(
        (trace.outcome, trace.reason_code),
        (Outcome::Silent, Some(ReasonCode::NoSurface))
    );
}

#[test]
fn do_not_disturb_is_for_pushes_too() {
    for (kind, reason) in [
        // A safety kind of the watch passes the cap, and there is no watch.
        (ActionKind::Breathe478, ReasonCode::NoSurface),
        (ActionKind::Nap15, ReasonCode::CapDnd),
        (ActionKind::PermitLeisure, ReasonCode::CapDnd),
    ] {
        let mut machine = on(&[Surface::Push]);
        machine.state.known.dnd = Some(LiveDnd { until: None });
        proposed(&mut machine, kind);
        let trace = machine.trace().unwrap();
        assert_eq!(
            (trace.outcome, trace.reason_code),
            (Outcome::Silent, Some(reason)),
            "{kind}"
        );
    }
}

#[test]
fn a_push_waits_60_seconds_from_the_decision_whether_or_not_it_reaches_its_server() {
    for reaches in [true, false] {
        let mut machine = on(&[Surface::Push]);
        asked(&mut machine, ActionKind::PermitLeisure);
        if reaches {
            machine.wait(SECOND);
            shown(&mut machine, Surface::Push);
            machine.wait(59 * SECOND - 1);
        } else {
            machine.wait(60 * SECOND - 1);
        }
        assert!(waits(&machine), "{reaches}");
        machine.wait(1);
        let trace = machine.trace().unwrap();
        let over = (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout));
        assert_eq!((trace.outcome, trace.reason_code), over, "{reaches}");
        // It costs a token when it was shown, and none when it was not.
        assert_eq!(trace.ledger_after.free, if reaches { 2 } else { 3 });
    }
}

#[test]
fn a_watch_waits_8_seconds_unless_the_push_really_was_shown() {
    for (pushed, ms) in [(false, 8 * SECOND), (true, 60 * SECOND)] {
        let mut machine = on(&[Surface::Watch, Surface::Push]);
        asked(&mut machine, ActionKind::Breathe478);
        shown(&mut machine, Surface::Watch);
        if pushed {
            shown(&mut machine, Surface::Push);
        }
        machine.wait(ms - 1);
        assert!(waits(&machine), "{pushed}");
        machine.wait(1);
        assert!(!waits(&machine), "{pushed}");
    }
}

struct Sent {
    card_id: CardId,
    surface: Surface,
    act: SubmitAct,
    capability: String,
}

fn submit(machine: &mut Machine, sent: &Sent) -> SubmissionVerdict {
    machine.submit(&sent.card_id, sent.surface, sent.act, Some(&sent.capability))
}

/// A nap is asked by push, and shown there.
fn pushed() -> (Machine, Sent) {
    let mut machine = on(&[Surface::Watch, Surface::Push]);
    let prompts = asked(&mut machine, ActionKind::MuteGroup30);
    shown(&mut machine, Surface::Push);
    let sent = Sent {
        card_id: machine.card().card_id,
        surface: Surface::Push,
        act: SubmitAct::Confirm,
        capability: prompts[1].capability.clone(),
    };
    (machine, sent)
}

#[test]
fn a_button_confirms_with_the_capability_of_its_card_on_push_and_with_no_other() {
    let confirmed = SubmissionVerdict::Accepted {
        act: SubmitAct::Confirm,
        refunded: false,
        again_at: None,
    };
    let (mut machine, sent) = pushed();
    let of_the_watch = machine.card().prompts[0].capability.clone();
    let card = sent.card_id.clone();
    let forged = |capability: &str| Sent {
        card_id: card.clone(),
        capability: capability.to_owned(),
        ..sent
    };
    for (what, sent) in [
        ("the watch's", forged(&of_the_watch)),
        ("a guess", forged(&"0".repeat(64))),
        ("none", forged("")),
    ] {
        assert_eq!(
            submit(&mut machine, &sent),
            SubmissionVerdict::Refused(Code::Confirm002),
            "{what}"
        );
    }
    // That of the push, as if it came from the watch, where it was not shown and is not the right one.
    let moved = Sent {
        surface: Surface::Watch,
        ..forged(&sent.capability)
    };
    assert_eq!(
        submit(&mut machine, &moved),
        SubmissionVerdict::Refused(Code::Confirm002)
    );
    assert!(waits(&machine));
    assert_eq!(submit(&mut machine, &sent), confirmed);
    // The topic may bring it twice.
    assert_eq!(submit(&mut machine, &sent), confirmed);
    let differs = Sent {
        act: SubmitAct::Dismiss,
        ..forged(&sent.capability)
    };
    assert_eq!(
        submit(&mut machine, &differs),
        SubmissionVerdict::Refused(Code::Confirm004)
    );
    assert_eq!(machine.sent, 1);
}

#[test]
fn a_button_that_is_pressed_after_60_seconds_is_late() {
    let (mut machine, sent) = pushed();
    machine.wait(60 * SECOND);
    assert_eq!(
        submit(&mut machine, &sent),
        SubmissionVerdict::Refused(Code::Confirm003)
    );
    assert_eq!(machine.sent, 0);
}

/// `BATCH_DIGEST` in BASELINE: 0.85 × 0.90 − 0.20 = 0.565. Carried out and kept.
fn digest(machine: &mut Machine) -> CardId {
    proposed(machine, ActionKind::BatchDigest);
    let tick = machine.state.ticks;
    machine.tell(EventKind::Committed { tick, ok: true });
    machine.tell(EventKind::Executed {
        tick,
        slot: CallSlot::Primary,
        reply: ActionReply::Done {
            result: json!({}),
            effects: vec![],
        },
    });
    let trace_id: TraceId = machine.trace().unwrap().trace_id;
    machine.tell(EventKind::TraceKept { trace_id, ok: true });
    machine.read_nothing();
    machine.env.seed.card_id(tick)
}

#[test]
fn a_card_that_asks_nothing_is_pushed_while_no_page_is_there_and_its_token_is_spent_when_it_was() {
    let mut machine = on(&[Surface::Push]);
    let card = digest(&mut machine);
    let push = cards::card_to_push(&machine.state).unwrap();
    assert_eq!((&push.card.card_id, push.seen), (&card, false));
    assert_eq!(machine.state.ledger.view().settled, 0);
    machine.tell(EventKind::Shown {
        card_id: card,
        surface: Surface::Push,
    });
    assert_eq!(machine.state.ledger.view().settled, 1);
    assert!(cards::card_to_push(&machine.state).unwrap().seen);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    assert_eq!(cards::card_to_push(&machine.state), None);
    // Without a push, it waits for a page.
    let mut machine = on(&[]);
    digest(&mut machine);
    assert_eq!(cards::card_to_push(&machine.state), None);
}

proptest! {
    #[test]
    fn nothing_that_a_topic_sends_changes_a_card_that_asks_nothing(
        act in prop::sample::select(SubmitAct::ALL.to_vec()),
        capability in "[0-9a-f]{64}",
        seen in any::<bool>(),
    ) {
        let mut machine = on(&[Surface::Push]);
        let card_id = digest(&mut machine);
        if seen {
            machine.tell(EventKind::Shown { card_id: card_id.clone(), surface: Surface::Push });
        }
        let before = (machine.state.cards.clone(), machine.state.ledger.view());
        let sent = Sent { card_id, surface: Surface::Push, act, capability };
        prop_assert_eq!(submit(&mut machine, &sent), SubmissionVerdict::Refused(Code::Confirm005));
        prop_assert_eq!((machine.state.cards.clone(), machine.state.ledger.view()), before);
    }
}

fn announced(machine: &Machine) -> Vec<ActionKind> {
    let said = machine.out.iter().filter_map(|effect| {
        let Effect::Announce { kind } = effect else {
            return None;
        };
        Some(*kind)
    });
    said.collect()
}

fn seen(machine: &mut Machine, card: &CardId, surface: Surface) -> Vec<ActionKind> {
    machine.tell(EventKind::Shown {
        card_id: card.clone(),
        surface,
    });
    announced(machine)
}

/// So long that the window is open again and the digest is not recent.
fn later(machine: &mut Machine) {
    machine.wait(SECOND);
    machine.state.history.clear();
    machine.state.window_until = None;
}

#[test]
fn the_earbud_speaks_once_from_the_pages_coming_to_its_going_and_when_the_card_is_seen() {
    let there = [Surface::PhoneCard, Surface::EarbudTts];
    let mut machine = on(&there);
    let card = digest(&mut machine);
    assert_eq!(announced(&machine), [], "not before it is seen");
    let once = vec![ActionKind::BatchDigest];
    assert_eq!(seen(&mut machine, &card, Surface::PhoneCard), once);
    assert_eq!(
        seen(&mut machine, &card, Surface::PhoneCard),
        [],
        "the same card again"
    );
    later(&mut machine);
    let second = digest(&mut machine);
    assert_ne!(card, second);
    assert_eq!(
        seen(&mut machine, &second, Surface::PhoneCard),
        [],
        "the same session"
    );
    later(&mut machine);
    let surface = Surface::PhoneCard;
    machine.tell(EventKind::Disconnected { surface });
    machine.tell(EventKind::Connected { surface });
    let third = digest(&mut machine);
    assert_eq!(
        seen(&mut machine, &third, Surface::PhoneCard),
        once,
        "the next session"
    );
}

#[test]
fn the_earbud_is_silent_without_it_without_a_page_and_where_nothing_may_disturb() {
    type Change = fn(&mut Machine);
    let at = |machine: &Machine| machine.state.at.plus_ms(HOUR);
    let nobody: Change = |_| {};
    let paused: Change = |m| m.state.paused_until_wall = Some(Timestamp::from_ms(i64::MAX / 2));
    let dnd: Change = |m| m.state.known.dnd = Some(LiveDnd { until: None });
    let both = [Surface::PhoneCard, Surface::EarbudTts];
    for (what, there, change) in [
        ("no earbud", &both[..1], nobody),
        ("no page", &both[1..], nobody),
        ("a pause", &both, paused),
        ("do not disturb", &both, dnd),
    ] {
        let mut machine = on(there);
        let card = digest(&mut machine);
        change(&mut machine);
        assert_eq!(seen(&mut machine, &card, Surface::PhoneCard), [], "{what}");
    }
    let mut machine = on(&both);
    let card = digest(&mut machine);
    machine.state.known.recovering_until = Some(at(&machine));
    assert_eq!(seen(&mut machine, &card, Surface::PhoneCard), [], "RECOVERING");
    // A push is no page of the phone.
    let mut machine = on(&[Surface::EarbudTts, Surface::Push]);
    let card = digest(&mut machine);
    assert_eq!(seen(&mut machine, &card, Surface::Push), [], "pushed");
}

#[test]
fn a_question_is_never_said_aloud() {
    let mut machine = on(&[Surface::PhoneCard, Surface::EarbudTts]);
    asked(&mut machine, ActionKind::Nap15);
    shown(&mut machine, Surface::PhoneCard);
    assert_eq!(announced(&machine), []);
}
