//! What other terms would have decided, on any day.
//!
//! What: a second machine that is led through a day that was lived. Why: what a page says of other settings rests on it. Not here: single days worked out by
//! hand (`tests/otherwise.rs`).

use super::{Op, World, ops};
use orchestrator_machine::{
    MachineEnv, MachineState,
    env::MachineSettings,
    policy::{DEFAULT_TEXT, Policy},
    step,
    whatif::{DecisionPair, ImaginedTerms, WhatIf},
};
use proptest::{prelude::*, test_runner::TestCaseError};
use toolcall_schema::{
    ActionKind, Class, Surface, Timestamp,
    rule::{OwnerRule, RuleName},
};

/// Lives a day and leads a second machine through it under other terms; `look` sees both decisions of each tick, and when.
fn each_pair(
    ops: Vec<Op>,
    terms: impl Fn(&MachineEnv) -> ImaginedTerms,
    mut look: impl FnMut(Timestamp, &DecisionPair) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut world = World::new();
    let mut state = MachineState::new(&world.env, world.at);
    for op in ops {
        world.apply(op);
    }
    let mut other = WhatIf::new(terms(&world.env));
    for event in &world.journal {
        let before = state.clone();
        let (after, effects) = step(&world.env, state, event.clone());
        if let Some(pair) = other.follow_event(&world.env, &before, event, &effects) {
            look(event.at, &pair)?;
        }
        state = after;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_policy_that_was_in_force_would_have_decided_the_same(ops in ops()) {
        let terms = |env: &MachineEnv| ImaginedTerms::of_policy(env.policy.clone());
        each_pair(ops, terms, |_, pair| {
            prop_assert!(pair.real == pair.other);
            Ok(())
        })?;
    }

    #[test]
    fn another_policy_keeps_every_promise_of_its_own_on_any_day(ops in ops()) {
        // Easier to pass, and with a window of an hour.
        let text = DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 0.2").replace("window_min = 30", "window_min = 60");
        let mut last: Option<Timestamp> = None;
        each_pair(ops, |_| ImaginedTerms::of_policy(Policy::parse(&text).unwrap()), |at, pair| {
            let view = &pair.other.ledger_before;
            prop_assert!(view.free <= view.ceiling && view.settled <= 5 + view.refunded);
            if let Some(chosen) = &pair.other.chosen {
                let normal = chosen.class != Class::Safety && chosen.surface != Surface::Silent;
                let put_off = pair.other.put_off > 0;
                prop_assert!(!normal || put_off || view.free > 0, "spoke without a token");
                if normal && !put_off && !pair.is_same() && pair.other.trigger.source.as_str() != "owner" {
                    prop_assert!(last.is_none_or(|last| at.since(last) >= 3_600_000), "within its window");
                    last = Some(at);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn with_no_interruption_a_day_nothing_normal_would_have_been_said(ops in ops()) {
        let none = |env: &MachineEnv| ImaginedTerms {
            policy: None,
            settings: Some(MachineSettings { ceiling: 0, ..env.settings.clone() }),
            rules: vec![],
        };
        each_pair(ops, none, |_, pair| {
            prop_assert_eq!(pair.other.ledger_before.ceiling, 0);
            // What was put off needs none.
            let chosen = pair.other.chosen.as_ref().filter(|_| pair.other.put_off == 0);
            prop_assert!(chosen.is_none_or(|chosen| chosen.class == Class::Safety || chosen.surface == Surface::Silent));
            Ok(())
        })?;
    }

    #[test]
    fn a_kind_that_is_left_out_would_never_have_been_chosen(ops in ops(), kind in prop::sample::select(ActionKind::ALL)) {
        let without = |_: &MachineEnv| ImaginedTerms {
            rules: vec![OwnerRule { kinds: vec![kind], ..OwnerRule::named(RuleName::parse("tried").unwrap()) }],
            ..ImaginedTerms::default()
        };
        each_pair(ops, without, |_, pair| {
            prop_assert!(pair.other.chosen.as_ref().is_none_or(|chosen| chosen.kind != kind));
            Ok(())
        })?;
    }
}
