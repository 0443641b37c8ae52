//! Who may answer a card, once.
//!
//! What: the capability's binding to everything that was shown, and every way in which an answer can be wrong. Why: an
//! action that needs the owner's word must not run on anybody else's, or twice. Not here: pages and requests
//! (`surfaces`), the same after a kill (`tests/kill` of the workspace).

use crate::support::{Machine, SECOND, afternoon};
use orchestrator_machine::{
    Effect, EventKind, RULES_NUMBER,
    capability::{self, CapabilityClaims},
    effect::SubmissionVerdict,
    state::MachinePhase,
};
use proptest::prelude::*;
use toolcall_schema::{
    ActionKind, Code, Outcome, ReasonCode, StateName, Surface, Timestamp,
    catalogue::comms::EvidenceCode,
    ids::{CardId, OwnerSeed},
    names::SubmitAct,
};

const ACCEPTED: SubmissionVerdict = SubmissionVerdict::Accepted {
    act: SubmitAct::Confirm,
    refunded: false,
    again_at: None,
};

fn refused(code: Code) -> SubmissionVerdict {
    SubmissionVerdict::Refused(code)
}

/// Since it was last asked.
fn calls_sent(machine: &mut Machine) -> usize {
    std::mem::take(&mut machine.sent)
}

/// What the capability of an open prompt says, as it was submitted.
struct Submission {
    card_id: CardId,
    surface: Surface,
    act: SubmitAct,
    capability: Option<String>,
}

fn right(machine: &Machine) -> Submission {
    let card = machine.card();
    Submission {
        capability: Some(card.prompts[0].capability.clone()),
        card_id: card.card_id,
        surface: Surface::PhoneCard,
        act: SubmitAct::Confirm,
    }
}

#[test]
fn a_decision_holds_the_evidence_of_what_it_chose() {
    let decision = Machine::prompted().card().decision;
    let found: Vec<_> = decision
        .candidates
        .iter()
        .map(|c| (c.kind, &*c.evidence))
        .collect();
    let evidence = [EvidenceCode::AsksQuestion, EvidenceCode::Named];
    assert_eq!(found, [(ActionKind::DraftReply, &evidence[..])]);
}

impl Submission {
    fn to(&self, machine: &mut Machine) -> SubmissionVerdict {
        machine.submit(&self.card_id, self.surface, self.act, self.capability.as_deref())
    }
}

#[test]
fn an_answer_that_is_foreign_altered_or_late_is_refused_with_its_code_and_changes_nothing() {
    type Change = fn(&mut Machine, &mut Submission);
    let table: [(&str, Code, Change); 9] = [
        ("another card", Code::Confirm001, |_, s| {
            s.card_id = OwnerSeed::from_day_seed("other").card_id(1);
        }),
        ("no capability", Code::Confirm002, |_, s| s.capability = None),
        ("an empty one", Code::Confirm002, |_, s| {
            s.capability = Some(String::new());
        }),
        ("upper case", Code::Confirm002, |_, s| {
            s.capability = s.capability.as_ref().map(|c| c.to_uppercase() + "A");
        }),
        ("one digit off", Code::Confirm002, |_, s| {
            let last = |c: &String| if c.ends_with('0') { "1" } else { "0" };
            s.capability = s.capability.as_ref().map(|c| c[..63].to_owned() + last(c));
        }),
        ("a surface that was not asked", Code::Confirm005, |_, s| {
            s.surface = Surface::Watch;
        }),
        ("an earbud", Code::Confirm005, |_, s| {
            s.surface = Surface::EarbudTts;
        }),
        ("another policy", Code::Confirm002, |m, _| {
            let text = orchestrator_machine::policy::DEFAULT_TEXT.to_owned() + "\n# changed\n";
            m.env.policy = orchestrator_machine::policy::Policy::parse(&text).unwrap();
        }),
        ("another catalogue", Code::Confirm002, |m, _| {
            m.env.catalogue_hash = "1".repeat(64);
        }),
    ];
    for (name, code, change) in table {
        let mut machine = Machine::prompted();
        let mut submission = right(&machine);
        change(&mut machine, &mut submission);
        let before = machine.state.clone();
        assert_eq!(submission.to(&mut machine), refused(code), "{name}");
        assert_eq!(machine.state, before, "{name}");
    }

    let mut machine = Machine::prompted();
    let submission = right(&machine);
    machine.wait(60 * SECOND);
    assert_eq!(submission.to(&mut machine), refused(Code::Confirm003), "late");
    assert_eq!(calls_sent(&mut machine), 0);
}

#[test]
fn the_first_answer_counts_and_only_its_sender_hears_it_again() {
    for (act, calls) in [
        (SubmitAct::Confirm, 1),
        (SubmitAct::Dismiss, 0),
        (SubmitAct::Edit, 0),
    ] {
        let mut machine = Machine::prompted();
        let first = Submission {
            act,
            ..right(&machine)
        };
        let accepted = SubmissionVerdict::Accepted {
            act,
            refunded: false,
            again_at: None,
        };
        assert_eq!(first.to(&mut machine), accepted);

        let other = if act == SubmitAct::Confirm {
            SubmitAct::Dismiss
        } else {
            SubmitAct::Confirm
        };
        let forged = "0".repeat(64);
        for (repeat, verdict) in [
            (Submission { act, ..copy(&first) }, accepted),
            (
                Submission {
                    act: other,
                    ..copy(&first)
                },
                refused(Code::Confirm004),
            ),
            (
                Submission {
                    surface: Surface::Watch,
                    ..copy(&first)
                },
                refused(Code::Confirm004),
            ),
            (
                Submission {
                    capability: Some(forged),
                    ..copy(&first)
                },
                refused(Code::Confirm002),
            ),
            (
                Submission {
                    capability: None,
                    ..copy(&first)
                },
                refused(Code::Confirm002),
            ),
        ] {
            let before = machine.state.clone();
            assert_eq!(repeat.to(&mut machine), verdict);
            assert_eq!(machine.state, before);
        }
        assert_eq!(calls_sent(&mut machine), calls, "{act:?}");
        assert_eq!(calls_sent(&mut machine), 0, "{act:?} again");
    }
}

fn copy(s: &Submission) -> Submission {
    Submission {
        card_id: s.card_id.clone(),
        surface: s.surface,
        act: s.act,
        capability: s.capability.clone(),
    }
}

#[test]
fn a_prompt_that_rules_of_another_number_asked_is_superseded() {
    // Of the build that asked, of the one that starts; whether the prompt is closed.
    for (asked, starts, away, wanted) in [
        (1, 1, 10, None),
        (1, 2, 10, Some(ReasonCode::Superseded)),
        (2, 1, 10, Some(ReasonCode::Superseded)),
        (2, 2, 10, None),
        // However long it was away: by the rules that asked, it would have timed out.
        (2, 2, 3600, Some(ReasonCode::ConfirmTimeout)),
        (1, 2, 3600, Some(ReasonCode::Superseded)),
    ] {
        let mut machine = Machine::prompted();
        machine.state.started.as_mut().unwrap().rules_number = asked;
        let submission = right(&machine);
        machine.at = machine.at.plus_ms(away * SECOND);
        start(&mut machine, starts);
        assert_eq!(machine.state.rules_number(), starts);
        let ended = machine.out.iter().find_map(|effect| {
            let Effect::KeepTrace(trace) = effect else {
                return None;
            };
            trace.reason_code
        });
        assert_eq!(ended, wanted, "{asked} {starts} {away}");
        if wanted.is_some() {
            // What the owner says to it afterwards carries nothing out.
            assert_ne!(submission.to(&mut machine), ACCEPTED);
            assert_eq!(calls_sent(&mut machine), 0);
        }
    }
}

#[test]
fn a_prompt_that_todays_rules_do_not_lead_to_is_closed_from_its_decision() {
    let mut machine = Machine::prompted();
    let submission = right(&machine);
    let MachinePhase::AwaitingConfirm { tick, decided, .. } = machine.state.phase.clone() else {
        panic!("no prompt");
    };
    // As if these rules made nothing of the last events, and counted a tick less.
    machine.state.phase = MachinePhase::Idle;
    machine.state.ticks = tick.number - 1;
    machine.state.started.as_mut().unwrap().rules_number = 1;
    machine.state.reopen(decided.decision.clone());
    machine.at = machine.at.plus_ms(10 * SECOND);
    start(&mut machine, 2);
    let traces: Vec<_> = machine
        .out
        .iter()
        .filter_map(|effect| {
            let Effect::KeepTrace(trace) = effect else {
                return None;
            };
            Some(trace)
        })
        .collect();
    assert_eq!(traces.len(), 1);
    assert_eq!(
        (&traces[0].trace_id, traces[0].outcome, traces[0].reason_code),
        (&tick.trace_id, Outcome::Dismissed, Some(ReasonCode::Superseded))
    );
    assert_eq!(traces[0].decision, decided.decision);
    assert_ne!(submission.to(&mut machine), ACCEPTED);
    assert_eq!(calls_sent(&mut machine), 0);
    // The next tick has the next number.
    assert_eq!(machine.state.ticks, tick.number);
}

#[test]
fn a_decision_that_asked_nothing_reopens_nothing() {
    let mut machine = Machine::prompted();
    let MachinePhase::AwaitingConfirm { decided, .. } = machine.state.phase.clone() else {
        panic!("no prompt");
    };
    machine.state.phase = MachinePhase::Idle;
    let before = machine.state.clone();
    let mut decision = std::sync::Arc::unwrap_or_clone(decided.decision);
    decision.chosen.as_mut().unwrap().confirm_required = false;
    machine.state.reopen(decision.clone());
    decision.chosen = None;
    machine.state.reopen(decision);
    assert_eq!(machine.state, before);
}

#[test]
fn a_start_that_names_no_rules_number_is_of_the_first() {
    let text =
        r#"{"event":"started","wall":"2026-11-03T02:00:00.000Z","policy_hash":"p","catalogue_hash":"c"}"#;
    let EventKind::Started { rules_number, .. } = serde_json::from_str(text).unwrap() else {
        panic!("another event");
    };
    assert_eq!(rules_number, 1);
}

/// Starts again, by a build with the rules of that number.
fn start(machine: &mut Machine, rules_number: u32) {
    let wall = machine.state.wall(machine.at);
    machine.tell(EventKind::Started {
        wall,
        policy_hash: machine.env.policy.hash().to_owned(),
        catalogue_hash: machine.env.catalogue_hash.clone(),
        settings_hash: String::new(),
        kept_ticks: 0,
        rules_number,
    });
}

#[test]
fn a_capability_of_before_the_crash_is_good_after_it() {
    let mut machine = Machine::prompted();
    let submission = right(&machine);
    machine.wait(10 * SECOND);
    start(&mut machine, RULES_NUMBER);
    assert_eq!(
        machine.card().prompts[0].capability,
        submission.capability.clone().unwrap()
    );
    // Whoever shows it after the start says so; the 60 s go on from where they began.
    machine.tell(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    machine.tell(EventKind::Shown {
        card_id: submission.card_id.clone(),
        surface: Surface::PhoneCard,
    });
    machine.wait(49 * SECOND);
    assert_eq!(submission.to(&mut machine), ACCEPTED);
    assert_eq!(machine.state.phase.name(), StateName::Executing);
}

proptest! {
    /// One verifier: whatever of what it is bound to differs, and however the submitted text does, it says no.
    #[test]
    fn a_capability_fits_exactly_what_it_was_issued_for(
        seed in "[a-z]{1,8}",
        tick in 1_u64..1000,
        args in "[0-9a-f]{64}",
        expires in 0_i64..4_000_000_000_000,
        differ in 0_usize..8,
        at in 0_usize..64,
        digit in "[0-9a-g]",
    ) {
        let mut env = Machine::started(afternoon()).env;
        env.seed = OwnerSeed::from_day_seed(&seed);
        let card_id = env.seed.card_id(tick);
        let bound = CapabilityClaims {
            card_id: &card_id,
            args_hash: &args,
            surface: Surface::PhoneCard,
            expires_at: Timestamp::from_ms(expires),
        };
        let issued = capability::issue(&env, bound);
        prop_assert!(capability::verify(&env, bound, &issued));

        let (other_card, other_args) = (env.seed.card_id(tick + 1), "g".repeat(64));
        let (mut env, mut changed, mut text) = (env.clone(), bound, issued.clone());
        match differ {
            0 => changed.card_id = &other_card,
            1 => changed.args_hash = &other_args,
            2 => changed.surface = Surface::Watch,
            3 => changed.expires_at = changed.expires_at.plus_ms(1),
            4 => env.catalogue_hash.push('0'),
            5 => env.seed = OwnerSeed::from_day_seed(&(seed + "x")),
            6 => text.truncate(at),
            _ => text.replace_range(at..=at, &digit),
        }
        prop_assert_eq!(capability::verify(&env, changed, &text), differ == 7 && text == issued);
    }
}
