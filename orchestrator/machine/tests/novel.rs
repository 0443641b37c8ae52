//! What a model may be asked about a combination of kinds that no rule of the policy knows.
//!
//! What: ties and sentences of its own, when they are asked for, what an answer may change, and what happens without one. Why: a
//! model may break a tie inside a recorded event, and nothing else. Not here: random days (`properties`), the check of a
//! sentence (`llm-runtime`), any model.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, afternoon};
use orchestrator_machine::{
    Effect, EventKind,
    effect::ReplyTo,
    event::{ModelFault, TickAnswer},
};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, StateName, Surface, WellnessState,
    milli::Milli,
    names::SubmitAct,
    tick::{Candidate, Subject, TickResult, TickStatus},
    trace::RationaleSource,
};

/// Comms proposes a draft: 0.85 × 0.85 − 0.20 − 0.05 = 0.4725. Finance proposes the balance with a confidence: 0.85 × 0.80 −
/// 0.20 = 0.48 is the better one by 0.0075, 0.85 × 0.90 − 0.20 = 0.565 by 0.0925. No rule of the built-in policy holds both.
fn deliberating(model: bool, confidence: i64) -> Machine {
    let mut machine = Machine::started(afternoon());
    machine.env.settings.model = model;
    machine.state.known.state = Some(WellnessState::Baseline);
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    machine.tell(EventKind::PhoneUnlocked);
    let proposal = |kind, subject: &str, confidence, args| Candidate {
        kind,
        subject: Subject::parse(subject).unwrap(),
        confidence: Milli(confidence),
        args,
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    let item = "it_0000000000000001";
    let draft = json!({"item_id": item, "tone": "casual", "length_max": 280});
    let draft = proposal(ActionKind::DraftReply, item, 850, draft);
    let balance = json!({"day": "2026-11-03"});
    let balance = proposal(ActionKind::ProjectBalance, "all", confidence, balance);
    for call in machine.calls() {
        let ReplyTo::Tick { agent, tick, attempt } = call.reply else {
            continue;
        };
        let candidates = match agent {
            AgentName::Comms => vec![draft.clone()],
            AgentName::Finance => vec![balance.clone()],
            AgentName::Calendar | AgentName::Wellness | AgentName::Orchestrator => vec![],
        };
        let answer = TickAnswer::Answered(TickResult {
            candidates,
            readings: vec![],
            status: TickStatus::Ok,
        });
        machine.tell(EventKind::TickAnswered {
            agent,
            tick,
            attempt,
            answer,
        });
    }
    machine
}

fn asked(machine: &Machine) -> Option<Vec<String>> {
    machine.out.iter().find_map(|effect| {
        let Effect::AskTie { tick: 1, actions } = effect else {
            return None;
        };
        Some(actions.clone())
    })
}

fn decided(machine: &Machine) -> Option<ActionKind> {
    machine.out.iter().find_map(|effect| {
        let Effect::KeepDecision(decision) = effect else {
            return None;
        };
        decision.chosen.as_ref().map(|chosen| chosen.kind)
    })
}

fn broken(machine: &mut Machine, pick: Result<u8, ModelFault>) {
    machine.tell(EventKind::TieBroken { tick: 1, pick });
}

#[test]
fn a_model_is_asked_only_where_a_novel_combination_is_as_good_as_tied() {
    let tied = deliberating(true, 800);
    let actions = [
        "PROJECT_BALANCE: The balance runs out before the month does.",
        "DRAFT_REPLY: Shall I draft a reply to the most urgent one?",
    ];
    assert_eq!(asked(&tied), Some(actions.map(str::to_owned).to_vec()));
    assert_eq!(
        (tied.state.phase.name(), decided(&tied)),
        (StateName::Deliberating, None)
    );
    let not_asked = [
        ("no model", deliberating(false, 800)),
        ("one is better by 0.0925", deliberating(true, 900)),
        // 0.85 × 0.76 − 0.20 = 0.446 is below the threshold: one kind alone is known.
        ("one stands out alone", deliberating(true, 760)),
    ];
    for (why, machine) in not_asked {
        assert_eq!(asked(&machine), None, "{why}");
        assert!(decided(&machine).is_some(), "{why}");
    }
}

#[test]
fn only_a_number_that_was_offered_changes_what_is_chosen() {
    for (pick, chosen) in [
        (Ok(0), ActionKind::ProjectBalance),
        (Ok(1), ActionKind::DraftReply),
        (Ok(2), ActionKind::ProjectBalance),
        (Ok(255), ActionKind::ProjectBalance),
        (Err(ModelFault::Absent), ActionKind::ProjectBalance),
        (Err(ModelFault::Unusable), ActionKind::ProjectBalance),
    ] {
        let mut machine = deliberating(true, 800);
        broken(&mut machine, pick);
        assert_eq!(decided(&machine), Some(chosen), "{pick:?}");
        // It comes once: what is decided stays decided.
        broken(&mut machine, Ok(1));
        assert_eq!(decided(&machine), None, "{pick:?}");
        assert_eq!(machine.out.len(), 1, "it is set aside");
    }
}

#[test]
fn at_1200_ms_the_order_of_scores_decides_and_the_disk_has_the_rest_of_1500() {
    let mut machine = deliberating(true, 800);
    machine.wait(1199);
    assert_eq!(decided(&machine), None);
    machine.wait(1);
    assert_eq!(decided(&machine), Some(ActionKind::ProjectBalance));
    machine.wait(299);
    assert_eq!(machine.state.phase.name(), StateName::Deliberating);
    machine.wait(1);
    let trace = machine.trace().unwrap();
    assert_eq!(trace.reason_code, Some(ReasonCode::DeliberationTimeout));
}

#[test]
fn a_tie_that_a_stop_interrupts_is_listened_to_again() {
    let mut machine = deliberating(true, 800);
    machine.at = machine.at.plus_ms(60_000);
    let (policy_hash, catalogue_hash) = (
        machine.env.policy.hash().to_owned(),
        machine.env.catalogue_hash.clone(),
    );
    machine.tell(EventKind::Started {
        wall: machine.at,
        policy_hash,
        catalogue_hash,
        settings_hash: String::new(),
        kept_ticks: 0,
        rules_number: orchestrator_machine::RULES_NUMBER,
    });
    assert_eq!(machine.state.phase.name(), StateName::Listening);
    let again = machine.calls().into_iter().filter(|call| {
        matches!(
            call.reply,
            ReplyTo::Tick {
                tick: 1,
                attempt: 2,
                ..
            }
        ) || matches!(
            call.reply,
            ReplyTo::Tick {
                tick: 1,
                attempt: 1,
                ..
            }
        )
    });
    assert_eq!(again.count(), 4);
    broken(&mut machine, Ok(1));
    assert_eq!(decided(&machine), None);
}

#[test]
fn a_sentence_of_the_models_own_counts_for_a_novel_combination_only() {
    let sentence = "A sentence.".to_owned();
    let long = "x".repeat(501);
    let draft_alone = || {
        let machine = deliberating(true, 760);
        assert_eq!(decided(&machine), Some(ActionKind::DraftReply));
        machine
    };
    let novel = || {
        let mut machine = deliberating(true, 800);
        broken(&mut machine, Ok(1));
        machine
    };
    for (mut machine, said, source, rejected) in [
        (novel(), &sentence, RationaleSource::Model, None),
        (
            novel(),
            &long,
            RationaleSource::Template,
            Some("not one plain sentence"),
        ),
        (
            novel(),
            &String::new(),
            RationaleSource::Template,
            Some("not one plain sentence"),
        ),
        (
            draft_alone(),
            &sentence,
            RationaleSource::Template,
            Some("not one plain sentence"),
        ),
    ] {
        machine.tell(EventKind::Committed { tick: 1, ok: true });
        machine.tell(EventKind::Wrote {
            tick: 1,
            sentence: said.clone(),
        });
        let card = machine.card();
        let (card_id, capability) = (card.card_id, &card.prompts[0].capability);
        machine.tell(EventKind::Shown {
            card_id: card_id.clone(),
            surface: Surface::PhoneCard,
        });
        machine.submit(&card_id, Surface::PhoneCard, SubmitAct::Dismiss, Some(capability));
        let trace = machine.trace().unwrap();
        assert_eq!(
            (trace.rationale_source, trace.rationale_rejected.as_deref()),
            (source, rejected)
        );
        if source == RationaleSource::Model {
            assert_eq!(trace.rationale, *said);
        } else {
            assert_eq!(trace.rationale, trace.decision.rationale);
        }
    }
}
