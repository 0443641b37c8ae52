//! What the owner always lets through.
//!
//! What: a mark that an agent puts on a candidate, against scores, the owner's other words and the caps. Why: such a rule is worth a score and nothing
//! else. Not here: which messages are marked (`agents`), the whole day with its arithmetic (`fixtures/days/always-let-through`), random days (`second`),
//! crashes (`proof`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, SECOND, afternoon};
use orchestrator_machine::{Effect, EventKind, state::LiveDnd};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, Surface, WellnessState,
    milli::Milli,
    names::SubmitAct,
    rule::{OwnerRule, RuleName},
    tick::{Candidate, Subject},
    trace::Decision,
};

const MAIL: &str = "it_0000000000000001";

/// Brings a machine to where something stands against it.
type Prepared = Box<dyn Fn(&mut Machine)>;

/// A reply of which its agent is not sure.
fn draft(let_through: bool) -> Candidate {
    Candidate {
        kind: ActionKind::DraftReply,
        subject: Subject::parse(MAIL).unwrap(),
        confidence: Milli(700),
        args: json!({"item_id": MAIL, "tone": "casual", "length_max": 280}),
        valid_until: None,
        evidence: vec![],
        let_through,
    }
}

/// A phone is there.
fn machine(state: WellnessState) -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.state.known.state = Some(state);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    machine
}

/// What is decided when this is proposed.
fn decided(machine: &mut Machine, what: &Candidate) -> Decision {
    machine.proposed(AgentName::Comms, what);
    let decision = machine.out.iter().find_map(|effect| {
        let Effect::KeepDecision(decision) = effect else {
            return None;
        };
        Some((**decision).clone())
    });
    decision.unwrap()
}

#[test]
fn it_passes_with_any_score_and_says_so_only_where_that_mattered() {
    use WellnessState::{Baseline, Focused, Stressed};
    for (state, confidence, let_through, chosen, rationale) in [
        // 0.85 × 0.70 × 1.0 − 0.25 = 0.345.
        (
            Baseline,
            700,
            false,
            false,
            "DRAFT_REPLY scored 0.345 of the 0.450 it needs.",
        ),
        (
            Baseline,
            700,
            true,
            true,
            "You always let this through. Shall I draft a reply to the most urgent one?",
        ),
        // 0.85 × 0.70 × 0.6 − 0.25 = 0.107.
        (
            Stressed,
            700,
            false,
            false,
            "DRAFT_REPLY scored 0.107 of the 0.450 it needs.",
        ),
        (
            Stressed,
            700,
            true,
            true,
            "You always let this through. Shall I draft a reply to the most urgent one?",
        ),
        // 0.85 × 0.70 × 0.7 − 0.25 = 0.167.
        (
            Focused,
            700,
            true,
            true,
            "You always let this through. Shall I draft a reply to the most urgent one?",
        ),
        // 0.85 × 0.85 × 1.0 − 0.25 = 0.473 passes by itself.
        (
            Baseline,
            850,
            true,
            true,
            "Shall I draft a reply to the most urgent one?",
        ),
    ] {
        let mut machine = machine(state);
        let candidate = Candidate {
            confidence: Milli(confidence),
            ..draft(let_through)
        };
        let decision = decided(&mut machine, &candidate);
        let case = format!("{state:?} {confidence} {let_through}");
        assert_eq!(decision.chosen.is_some(), chosen, "{case}");
        assert_eq!(decision.rationale, rationale, "{case}");
        assert_eq!(decision.candidates[0].let_through, let_through, "{case}");
        assert!(decision.candidates[0].score.is_some(), "{case}");
    }
}

#[test]
fn the_owners_other_words_and_every_cap_win() {
    let forbids = |change: &dyn Fn(&mut OwnerRule)| {
        let mut rule = OwnerRule::named(RuleName::parse("no-replies").unwrap());
        change(&mut rule);
        EventKind::RuleSet { rule }
    };
    let cases: Vec<(ReasonCode, Prepared)> = vec![
        (
            ReasonCode::Paused,
            Box::new(|machine: &mut Machine| {
                let until = Some(machine.at.plus_min(60));
                machine.tell(EventKind::Paused { until });
            }),
        ),
        (
            ReasonCode::Rule,
            Box::new(move |machine: &mut Machine| {
                machine.tell(forbids(&|rule| rule.kinds = vec![ActionKind::DraftReply]));
            }),
        ),
        (
            ReasonCode::Rule,
            Box::new(move |machine: &mut Machine| {
                machine.tell(forbids(&|rule| {
                    rule.subject = Some(Subject::parse(MAIL).unwrap());
                }));
            }),
        ),
        (
            ReasonCode::CapDnd,
            Box::new(|machine: &mut Machine| machine.state.known.dnd = Some(LiveDnd { until: None })),
        ),
        (
            ReasonCode::CapRecovering,
            Box::new(|machine: &mut Machine| {
                machine.state.known.recovering_until = Some(machine.at.plus_min(30));
            }),
        ),
        (
            ReasonCode::CapWindow,
            Box::new(|machine: &mut Machine| machine.state.window_until = Some(machine.at.plus_min(30))),
        ),
        (
            ReasonCode::CapDaily,
            Box::new(|machine: &mut Machine| machine.tell(EventKind::CeilingSet { ceiling: 0 })),
        ),
        (
            ReasonCode::NoSurface,
            Box::new(|machine: &mut Machine| {
                machine.tell(EventKind::Disconnected {
                    surface: Surface::PhoneCard,
                });
            }),
        ),
    ];
    for (reason, prepare) in cases {
        let mut machine = machine(WellnessState::Stressed);
        prepare(&mut machine);
        let decision = decided(&mut machine, &draft(true));
        assert_eq!(
            (
                decision.chosen.as_ref(),
                decision.reason_code,
                decision.candidates[0].removed
            ),
            (None, Some(reason), Some(reason))
        );
    }
}

#[test]
fn what_was_shown_today_is_weighed_like_anything_else() {
    let mut machine = Machine::prompted();
    let card = machine.card();
    let capability = card.prompts[0].capability.clone();
    machine.submit(
        &card.card_id,
        Surface::PhoneCard,
        SubmitAct::Dismiss,
        Some(&capability),
    );
    let trace_id = machine.trace().unwrap().trace_id;
    machine.tell(EventKind::TraceKept { trace_id, ok: true });
    // Behind the window of 30 minutes, and behind the regular looks.
    machine.state.window_until = None;
    machine.wait(40 * SECOND);
    let decision = decided(&mut machine, &draft(true));
    assert_eq!(
        (decision.chosen.as_ref(), decision.reason_code),
        (None, Some(ReasonCode::BelowThreshold))
    );
}

#[test]
fn it_costs_what_any_card_costs() {
    let mut machine = machine(WellnessState::Stressed);
    let before = machine.state.ledger.view();
    let decision = decided(&mut machine, &draft(true));
    assert_eq!(decision.ledger_before, before);
    let after = machine.state.ledger.view();
    assert_eq!(
        (after.reserved, after.free),
        (before.reserved + 1, before.free - 1)
    );
}
