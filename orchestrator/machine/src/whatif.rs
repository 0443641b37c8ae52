//! What another policy, or other settings, would have decided.
//!
//! What: [`WhatIf`], a second machine that is led through a recorded past: the same signals, facts, answers and words of the
//! owner at the same moments, decided under other [`ImaginedTerms`]. Why: a changed number can be judged by the days that were.
//! Not here: reading the journal (`aura_runtime::journal`), what is printed (`aura_cli`).
//!
//! # How it is led
//!
//! Before each event the second machine is put into the recorded state, except for what its own decisions have made:
//! ledger, window, history, mutes, courses, open cards, the silence after stress. So the ticks are those that were, with the
//! answers that were. A decision with the same content (kind, subject, arguments, companion) is carried on by what really
//! happened to it. One that differs never happened: it counts as shown when it was decided, a question as timed
//! out, an action as done without result; what really happened to the recorded card does not reach it. As long as all
//! decisions are the same the two machines are equal, so the recorded policy gives the recorded days.

use crate::{
    capability::{self, CapabilityClaims},
    effect::Effect,
    env::{MachineEnv, MachineSettings},
    event::{EventKind, MachineEvent},
    policy::Policy,
    record::is_asked_for,
    state::{MachinePhase, MachineState},
    step::{StepContext, advance},
};
use std::collections::BTreeSet;
use toolcall_schema::{
    ids::CardId,
    rule::OwnerRule,
    trace::{ChosenAction, Decision},
    whatif::ImaginedMoment,
};

/// Both decisions of one tick, when the recorded tick has come to its decision.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionPair {
    /// As recorded.
    pub real: Decision,
    /// Under the other policy.
    pub other: Decision,
}

impl DecisionPair {
    /// Whether both do the same.
    pub fn is_same(&self) -> bool {
        same(self.real.chosen.as_ref(), self.other.chosen.as_ref())
    }
}

/// Whether two choices have the same content. The surface follows from what is connected, the class from who proposed it.
fn same(a: Option<&ChosenAction>, b: Option<&ChosenAction>) -> bool {
    let content = |chosen: &ChosenAction| {
        (
            chosen.kind,
            chosen.subject.clone(),
            chosen.args_hash.clone(),
            chosen.companion,
        )
    };
    a.map(content) == b.map(content)
}

/// The terms under which the past is decided once more; what is absent is what was in force.
#[derive(Debug, Clone, Default)]
pub struct ImaginedTerms {
    /// Another policy.
    pub policy: Option<Policy>,
    /// Other settings of the owner's. More interruptions a day count from the first midnight on; the zone stays what it was.
    pub settings: Option<MachineSettings>,
    /// Rules beside those that stood.
    pub rules: Vec<OwnerRule>,
}

impl ImaginedTerms {
    /// Another policy, and the settings that were in force.
    pub fn of_policy(policy: Policy) -> Self {
        Self {
            policy: Some(policy),
            ..Self::default()
        }
    }

    /// What is in force for the second machine where this is for the recorded one.
    fn apply_to(&self, real: &MachineEnv) -> MachineEnv {
        let mut env = real.clone();
        if let Some(policy) = &self.policy {
            env.policy = policy.clone();
        }
        if let Some(settings) = &self.settings {
            env.settings = MachineSettings {
                zone: real.settings.zone,
                ..settings.clone()
            };
        }
        env
    }
}

/// The second machine.
#[derive(Debug, Clone)]
pub struct WhatIf {
    terms: ImaginedTerms,
    /// What its own decisions have made; the rest is the recorded state. Absent: nothing differs yet.
    own: Option<MachineState>,
    /// The recorded tick continues with a decision this machine did not make.
    apart: bool,
    /// Cards of recorded decisions that this machine did not make.
    foreign: BTreeSet<CardId>,
}

impl WhatIf {
    /// Under these terms, from wherever the first event is.
    pub fn new(terms: ImaginedTerms) -> Self {
        Self {
            terms,
            own: None,
            apart: false,
            foreign: BTreeSet::new(),
        }
    }

    /// Leads it through one recorded event: `before` is the recorded state then, `real_env` what was in force, `effects` what
    /// the recorded machine answered. Gives both decisions when the event brought one about.
    pub fn follow_event(
        &mut self,
        real_env: &MachineEnv,
        before: &MachineState,
        event: &MachineEvent,
        effects: &[Effect],
    ) -> Option<DecisionPair> {
        let env = self.terms.apply_to(real_env);
        let mut state = before.clone();
        match (self.own.take(), &self.terms.settings) {
            (Some(own), _) => overlay_decisions(&mut state, own),
            (None, Some(settings)) => drop(state.ledger.set_ceiling(settings.ceiling)),
            (None, None) => {}
        }
        state.rules.extend(self.terms.rules.iter().cloned());
        self.apart &= in_a_tick(before);
        if self.apart {
            // Its own part of the tick is over; it waits for the recorded one.
            state.phase = MachinePhase::Cooldown {
                until: event.at.plus_min(24 * 60),
                outbox: vec![],
            };
        }
        let event = MachineEvent {
            at: event.at,
            what: self.translate_event(real_env, &env, before, &event.what),
        };
        let answered = advance(&env, &mut state, event);
        let pair = decision_among(effects)
            .zip(decision_among(&answered))
            .map(|(real, other)| DecisionPair {
                real: real.clone(),
                other: other.clone(),
            });
        if let Some(pair) = pair.as_ref().filter(|pair| !pair.is_same()) {
            self.apart = true;
            self.foreign
                .extend(pair.real.chosen.as_ref().map(|chosen| chosen.card_id.clone()));
            assume_shown(&env, &mut state);
        }
        self.own = Some(state);
        pair
    }

    /// What this machine hears of a recorded event: nothing about cards that it did not make, and the owner's answer with
    /// a capability as its own prompt would have had it.
    fn translate_event(
        &self,
        real_env: &MachineEnv,
        env: &MachineEnv,
        before: &MachineState,
        what: &EventKind,
    ) -> EventKind {
        let foreign = |card_id: &CardId| self.foreign.contains(card_id);
        let mut what = what.clone();
        if let EventKind::Shown { card_id, .. } | EventKind::Submitted { card_id, .. } = &what
            && foreign(card_id)
        {
            return EventKind::Time;
        }
        if matches!(what, EventKind::CeilingSet { .. }) && self.terms.settings.is_some() {
            return EventKind::Time;
        }
        if let EventKind::Submitted {
            surface,
            capability: Some(capability),
            ..
        } = &mut what
            && let MachinePhase::AwaitingConfirm { decided, .. } = &before.phase
            && let (Some(plan), Some(chosen)) = (&decided.plan, &decided.decision.chosen)
            && let Some(prompt) = plan.prompts.iter().find(|prompt| prompt.surface == *surface)
        {
            let bound = CapabilityClaims {
                card_id: &chosen.card_id,
                args_hash: &chosen.args_hash,
                surface: *surface,
                expires_at: prompt.expires_at,
            };
            if capability::verify(real_env, bound, capability) {
                *capability = capability::issue(env, bound);
            }
        }
        what
    }
}

/// Puts what a machine's own decisions have made into the recorded state.
fn overlay_decisions(state: &mut MachineState, own: MachineState) {
    let MachineState {
        known,
        ledger,
        history,
        window_until,
        safety_window_until,
        mutes_wall,
        cards,
        closed,
        courses_wall,
        retries,
        later,
        ..
    } = own;
    state.known.recovering_until = known.recovering_until;
    state.ledger = ledger;
    state.history = history;
    state.window_until = window_until;
    state.safety_window_until = safety_window_until;
    state.mutes_wall = mutes_wall;
    state.cards = cards;
    state.closed = closed;
    state.courses_wall = courses_wall;
    state.retries = retries;
    state.later = later;
}

/// Whether a tick has come to its decision and is not over.
fn in_a_tick(state: &MachineState) -> bool {
    match &state.phase {
        MachinePhase::Deliberating { .. }
        | MachinePhase::AwaitingConfirm { .. }
        | MachinePhase::Executing { .. }
        | MachinePhase::LoggingTrace { .. } => true,
        MachinePhase::Idle
        | MachinePhase::Listening { .. }
        | MachinePhase::Weighing { .. }
        | MachinePhase::Cooldown { .. } => false,
    }
}

/// The decision of one recorded event, made once more where something was otherwise. `before`: the recorded state then. `None`: the event
/// brings none about.
pub fn decide_again(
    env: &MachineEnv,
    before: &MachineState,
    event: &MachineEvent,
    otherwise: ImaginedMoment,
) -> Option<Decision> {
    let mut state = before.clone();
    state.ledger.imagine_more(otherwise.more);
    let later = i64::from(otherwise.later_min) * 60_000;
    // The wall clock goes on, and what ends on the timeline ends as much earlier: so no timer of the tick itself runs out.
    state.wall_offset_ms = state.wall_offset_ms.saturating_add(later);
    let ends = [
        &mut state.window_until,
        &mut state.safety_window_until,
        &mut state.known.recovering_until,
        &mut state.known.state_until,
    ];
    for end in ends.into_iter().flatten() {
        *end = end.plus_ms(-later);
    }
    for shown in &mut state.history {
        shown.at = shown.at.plus_ms(-later);
    }
    let effects = advance(env, &mut state, event.clone());
    decision_among(&effects).cloned()
}

/// The decision of a turn. One whose time was over in the same turn is the trace's: it did nothing.
pub fn decision_among(effects: &[Effect]) -> Option<&Decision> {
    let mut kept = None;
    for effect in effects {
        if let Effect::KeepDecision(decision) = effect {
            kept = Some(&**decision);
        } else if let (Effect::KeepTrace(trace), Some(decision)) = (effect, kept)
            && trace.trace_id == decision.trace_id
        {
            kept = Some(&*trace.decision);
        }
    }
    kept
}

/// What follows from a decision that was never made: a card was shown, and its question timed out or its action was done
/// without result.
fn assume_shown(env: &MachineEnv, state: &mut MachineState) {
    let (MachinePhase::Deliberating { decided, .. }
    | MachinePhase::AwaitingConfirm { decided, .. }
    | MachinePhase::Executing { decided, .. }) = &state.phase
    else {
        return;
    };
    let decided = decided.clone();
    let (Some(plan), Some(chosen)) = (&decided.plan, &decided.decision.chosen) else {
        return;
    };
    let now = state.at;
    let mut turn = StepContext {
        env,
        state,
        effects: vec![],
        now,
    };
    if plan.surfaces {
        let asked_for = is_asked_for(&decided.decision);
        turn.first_shown(&decided.decision, chosen.companion, asked_for);
    } else {
        turn.remember_shown(chosen.kind, chosen.subject.clone());
    }
}
