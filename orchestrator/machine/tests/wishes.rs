//! What the owner wants more or less of.
//!
//! What: at which confidence a reply is offered under each wish, and that caps and rules hold all the same. Why: "less of that" must leave what is surest, and
//! "more" must not pass what stands against it. Not here: random days (`second`), the owner's file (`aura_runtime::config`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, afternoon};
use orchestrator_machine::{EventKind, env::KindWish};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, StateName, Surface, WellnessState,
    milli::Milli,
    rule::{OwnerRule, RuleName},
    tick::{Candidate, Subject},
};

fn draft(confidence: i64) -> Candidate {
    Candidate {
        kind: ActionKind::DraftReply,
        subject: Subject::parse("it_0000000000000001").unwrap(),
        confidence: Milli(confidence),
        args: json!({"item_id": "it_0000000000000001", "tone": "casual", "length_max": 280}),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

fn machine(wish: KindWish) -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.env.settings.kinds = [(ActionKind::DraftReply, wish)].into();
    machine.state.known.state = Some(WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    machine
}

/// Whether a reply is asked about, and else why not.
fn proposed(machine: &mut Machine, candidate: &Candidate) -> Result<(), ReasonCode> {
    machine.proposed(AgentName::Comms, candidate);
    if let Some(trace) = machine.trace() {
        return Err(trace.reason_code.unwrap());
    }
    assert_eq!(machine.state.phase.name(), StateName::Deliberating);
    Ok(())
}

#[test]
fn a_wish_moves_how_sure_an_agent_has_to_be() {
    // priority × confidence − 0.25 ≥ 0.45, so 0.70 over 0.75, 0.85 and 0.95.
    for (wish, least) in [
        (KindWish::Less, 934),
        (KindWish::Usual, 824),
        (KindWish::More, 737),
    ] {
        assert_eq!(proposed(&mut machine(wish), &draft(least)), Ok(()), "{wish:?}");
        assert_eq!(
            proposed(&mut machine(wish), &draft(least - 1)),
            Err(ReasonCode::BelowThreshold),
            "{wish:?}"
        );
    }
}

#[test]
fn what_stands_against_a_kind_stands_against_more_of_it() {
    let mut paused = machine(KindWish::More);
    paused.tell(EventKind::Paused {
        until: Some(afternoon().plus_min(60)),
    });
    let mut forbidden = machine(KindWish::More);
    let mut rule = OwnerRule::named(RuleName::parse("no-drafts").unwrap());
    rule.kinds = vec![ActionKind::DraftReply];
    forbidden.tell(EventKind::RuleSet { rule });
    let mut spent = machine(KindWish::More);
    spent.tell(EventKind::CeilingSet { ceiling: 0 });
    for (mut machine, reason) in [
        (paused, ReasonCode::Paused),
        (forbidden, ReasonCode::Rule),
        (spent, ReasonCode::CapDaily),
    ] {
        assert_eq!(proposed(&mut machine, &draft(1000)), Err(reason));
    }
}

#[test]
fn settings_of_before_wish_for_nothing_and_are_written_as_they_were() {
    let machine = Machine::started(afternoon());
    let text = serde_json::to_string(&machine.env.settings).unwrap();
    assert!(!text.contains("kinds"), "{text}");
    let wished = self::machine(KindWish::Less).env.settings;
    let text = serde_json::to_string(&wished).unwrap();
    assert!(text.contains(r#""kinds":{"DRAFT_REPLY":"less"}"#), "{text}");
    assert_eq!(
        serde_json::from_str::<orchestrator_machine::env::MachineSettings>(&text).unwrap(),
        wished
    );
}
