//! Every interleaving within a bound.
//!
//! What: a model checker walks all that can happen around the pure machine: four agents that answer, fail or say nothing,
//! a disk that is slow or full, two surfaces, an owner, midnight, a pause, crashes that lose everything since any event
//! after the last barrier. Why: after each step the promises below must hold, and every edge of the diagram, outcome and
//! reason that these inputs can lead to must have been reached, so that nothing holds because nothing happened. Not
//! here: the world's bookkeeping (`world`).
//!
//! The bound: [`OF_CI`]; `make explore` walks further. What is left out: what agents read (an ingest is
//! answered at once), the order in which the four answer (they do not see each other), stale answers of earlier ticks.

use crate::proof::{
    acts::Act,
    promises::{Claim, Coverage},
    world::World,
};
use stateright::{Checker, Model, Property};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};
use toolcall_schema::{Outcome, ReasonCode, StateName};

/// How far is walked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// Ticks that begin.
    pub(crate) ticks: u64,
    /// Crashes, disk failures, caps that close, surfaces that go, late answers: altogether on one path.
    pub(crate) disturbances: u8,
    /// Only what the ticks can do to each other: a card that waits, a prompt, a safety prompt; tools that do what they
    /// are asked; right answers.
    pub(crate) lean: bool,
    /// Tokens a day: two for two cards that wait, one so that the second is too many.
    pub(crate) ceiling: u8,
    /// Whether the owner asks for a call, once, in any state, and each step of the first call is walked: what they asked for, or what
    /// an act on a card teaches. Without it, calls are done at once.
    pub(crate) calls: bool,
    /// Whether a program asks for a call, once, in any state, that the owner has to confirm: each step of that is walked in place of the
    /// owner's.
    pub(crate) asks: bool,
    /// Whether the owner puts the first card off for 15 minutes, and the third tick asks for it again, or sooner one for which they take it back.
    pub(crate) later: bool,
}

/// Everything that can happen in one tick, all that two can do to each other, a call beside a tick with any crash, an ask before and
/// beside a tick with any crash, one over two ticks, and a card that is put off
/// until the third tick. CI walks all of it.
const OF_CI: [Bound; 7] = [
    Bound {
        ticks: 1,
        disturbances: 1,
        lean: false,
        ceiling: 2,
        calls: false,
        asks: false,
        later: false,
    },
    Bound {
        ticks: 2,
        disturbances: 0,
        lean: true,
        ceiling: 2,
        calls: false,
        asks: false,
        later: false,
    },
    Bound {
        ticks: 2,
        disturbances: 0,
        lean: true,
        ceiling: 1,
        calls: false,
        asks: false,
        later: false,
    },
    Bound {
        ticks: 1,
        disturbances: 1,
        lean: true,
        ceiling: 2,
        calls: true,
        asks: false,
        later: false,
    },
    Bound {
        ticks: 1,
        disturbances: 1,
        lean: true,
        ceiling: 2,
        calls: false,
        asks: true,
        later: false,
    },
    Bound {
        ticks: 2,
        disturbances: 0,
        lean: true,
        ceiling: 2,
        calls: false,
        asks: true,
        later: false,
    },
    Bound {
        ticks: 3,
        disturbances: 1,
        lean: true,
        ceiling: 1,
        calls: false,
        asks: false,
        later: true,
    },
];

/// What `AURA_EXPLORE` asked for when this was built, e.g. `2,1,lean`; `1,0,lean,calls` walks a call beside a tick, `2,1,lean,asks`
/// what a program asks for, `3,1,lean,later` what is put off.
fn asked_for() -> Option<Bound> {
    let mut parts = option_env!("AURA_EXPLORE")?.split(',');
    let (ticks, disturbances) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let (lean, beside) = (parts.next() == Some("lean"), parts.next());
    Some(Bound {
        ticks,
        disturbances,
        lean,
        ceiling: 2,
        calls: beside == Some("calls"),
        asks: beside == Some("asks"),
        later: beside == Some("later"),
    })
}

struct Everything {
    bound: Bound,
    reached: Arc<Mutex<Coverage>>,
}

impl Model for Everything {
    type State = World;
    type Action = Act;

    fn init_states(&self) -> Vec<World> {
        vec![World::started(self.bound)]
    }

    fn actions(&self, world: &World, acts: &mut Vec<Act>) {
        world.possible(self.bound, acts);
    }

    fn next_state(&self, world: &World, act: Act) -> Option<World> {
        let mut next = world.clone();
        let mut reached = self.reached.lock().unwrap();
        next.take(act, &mut reached);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        Claim::properties()
    }

    fn within_boundary(&self, world: &World) -> bool {
        world.ticks() <= self.bound.ticks
    }
}

/// The ends that these inputs lead to, by the specification. Left out: what needs a model, a channel or a rule
/// (`rule`), a wrong result of a tool is `result_rejected`, and `edited` needs an edit.
fn ends() -> BTreeSet<(Outcome, Option<ReasonCode>)> {
    let silent = [
        ReasonCode::NoCandidate,
        ReasonCode::BelowThreshold,
        ReasonCode::CapDnd,
        ReasonCode::CapRecovering,
        ReasonCode::CapWindow,
        ReasonCode::CapDaily,
        ReasonCode::Paused,
        ReasonCode::DeliberationTimeout,
        ReasonCode::NoSurface,
        ReasonCode::GateRefused,
        // What a program asked for and took back before anybody saw it.
        ReasonCode::Superseded,
    ];
    let dismissed = [
        ReasonCode::OwnerDismissed,
        ReasonCode::ConfirmTimeout,
        ReasonCode::Edited,
        ReasonCode::Superseded,
        ReasonCode::Later,
    ];
    let failed = [
        ReasonCode::ToolFailed,
        ReasonCode::ResultRejected,
        ReasonCode::UnknownAfterCrash,
    ];
    let mut ends = BTreeSet::from([(Outcome::ExecutedAuto, None), (Outcome::Confirmed, None)]);
    ends.extend(silent.map(|reason| (Outcome::Silent, Some(reason))));
    ends.extend(dismissed.map(|reason| (Outcome::Dismissed, Some(reason))));
    ends.extend(failed.map(|reason| (Outcome::Failed, Some(reason))));
    ends
}

#[expect(clippy::print_stderr, reason = "the walked number is part of the proof")]
fn walk(bound: Bound, reached: &Arc<Mutex<Coverage>>) {
    let everything = Everything {
        bound,
        reached: Arc::clone(reached),
    };
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let checker = everything.checker().threads(cores).spawn_bfs().join();
    eprintln!(
        "{} states, {} steps, depth {}: {bound:?}",
        checker.unique_state_count(),
        checker.state_count(),
        checker.max_depth()
    );
    checker.assert_properties();
}

#[test]
fn every_promise_holds_in_every_interleaving_within_the_bound() {
    let reached = Arc::new(Mutex::new(Coverage::default()));
    if let Some(bound) = asked_for() {
        return walk(bound, &reached);
    }
    for bound in OF_CI {
        walk(bound, &reached);
    }
    let reached = reached.lock().unwrap();
    assert_eq!(reached.edges, crate::proof::promises::diagram(), "edges reached");
    assert_eq!(reached.ends, ends(), "ends reached");
    assert!(reached.by_rule, "nothing passed because it is always let through");
    assert!(reached.undone, "nothing that was put off was taken back");
    for state in [
        StateName::Idle,
        StateName::Listening,
        StateName::Deliberating,
        StateName::AwaitingConfirm,
        // Of what another card asked: what was confirmed is not taken back, which is a claim.
        StateName::Executing,
        StateName::Cooldown,
    ] {
        assert!(
            reached.asks_taken_back.contains(&state),
            "no ask was taken back in {state}"
        );
    }
}
