//! Records: from what happened to `trace.v1`.
//!
//! What: building the trace, its path and when it could speak next. Why: one place writes what operators and owners read.
//! Not here: the decision itself (`deliberate`), sentences (`rationale`).

use crate::{
    env::MachineEnv,
    rationale,
    state::{CompletedTick, DeliberationResult, MachineState, ModelSentence, Tick},
};
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, ModelFault, Outcome, ReasonCode, Timestamp,
    tick::{Subject, TriggerSource},
    trace::{
        CallRecord, ChosenAction, ConsideredCandidate, Decision, NextPossible, RationaleSource, StateVisit,
        Trace,
    },
};

/// Whether the owner asked for what was chosen, now or by putting it off: then it is not proactive.
pub(crate) fn is_asked_for(decision: &Decision) -> bool {
    decision.trigger.source == TriggerSource::Owner || decision.put_off > 0
}

/// The subject of the first considered candidate of a kind.
pub(crate) fn considered(decision: &Decision, kind: ActionKind) -> Option<&Subject> {
    decision
        .candidates
        .iter()
        .find(|c| c.kind == kind && c.removed.is_none())
        .map(|c| &c.subject)
}

/// The companion that a card really carries: one whose call failed dropped its section.
pub(crate) fn companion(decision: &Decision, calls: &[CallRecord]) -> Option<ActionKind> {
    let companion = decision.chosen.as_ref()?.companion?;
    let done = |call: &CallRecord| call.tool == companion.tool().as_str() && call.result.is_some();
    calls.iter().any(done).then_some(companion)
}

/// The same, and what it is about.
pub(crate) fn carried_companion(decision: &Decision, calls: &[CallRecord]) -> Option<(ActionKind, Subject)> {
    let kind = companion(decision, calls)?;
    Some((kind, considered(decision, kind)?.clone()))
}

/// Whether a candidate is what was chosen. An agent and a program may have proposed one thing.
pub(crate) fn is_chosen(candidate: &ConsideredCandidate, chosen: &ChosenAction) -> bool {
    (candidate.kind, &candidate.subject, candidate.asker) == (chosen.kind, &chosen.subject, chosen.asker)
}

/// The decision turned into doing nothing.
pub(crate) fn suppress_as_silent(mut decided: DeliberationResult, reason: ReasonCode) -> DeliberationResult {
    decided.plan = None;
    (decided.sentences, decided.novel) = (vec![], false);
    let decision = Arc::make_mut(&mut decided.decision);
    (decision.chosen, decision.put_off) = (None, 0);
    decision.reason_code = Some(reason);
    decision.rationale = rationale::of_silence(reason);
    decided
}

/// The same, because a cap came between the choice and its being shown: beside the candidate stands which.
pub(crate) fn suppress_decision(mut decided: DeliberationResult, reason: ReasonCode) -> DeliberationResult {
    let decision = Arc::make_mut(&mut decided.decision);
    if let Some(chosen) = &decision.chosen {
        let about = |c: &&mut ConsideredCandidate| is_chosen(c, chosen);
        if let Some(considered) = decision.candidates.iter_mut().find(about) {
            considered.removed = Some(reason);
            considered.score = None;
        }
    }
    suppress_as_silent(decided, reason)
}

/// The trace of a tick that came to its end.
pub(crate) fn build_trace(env: &MachineEnv, s: &MachineState, tick: &Tick, ended: &CompletedTick) -> Trace {
    let decided = &ended.decided;
    let said = match &decided.said {
        Some(Ok(ModelSentence::Offered(index))) => decided
            .sentences
            .get(usize::from(*index))
            .ok_or(ModelFault::Unusable),
        Some(Ok(ModelSentence::Written(sentence))) => Ok(sentence),
        Some(Err(fault)) => Err(*fault),
        None if decided.sentences.len() > 1 => Err(ModelFault::Late),
        None => Err(ModelFault::Absent),
    };
    // Where there is no model, nothing was rejected.
    let rejected = said.err().filter(|fault| *fault != ModelFault::Absent);
    Trace {
        trace_id: tick.trace_id.clone(),
        ts: s.wall(s.at),
        decision: Arc::clone(&decided.decision),
        outcome: ended.outcome,
        reason_code: ended.reason,
        tool_calls: ended.calls.clone(),
        confirm: ended.confirm.clone(),
        ledger_after: s.ledger.view(),
        state_path: path(s, tick),
        rationale: said.unwrap_or(&decided.decision.rationale).clone(),
        rationale_source: if said.is_ok() {
            RationaleSource::Model
        } else {
            RationaleSource::Template
        },
        rationale_rejected: rejected.map(|fault| fault.words().to_owned()),
        next_possible_at: if ended.outcome == Outcome::Silent {
            Some(next_possible(env, s, ended.reason))
        } else {
            put_off_until(s, tick)
        },
    }
}

fn path(s: &MachineState, tick: &Tick) -> Vec<StateVisit> {
    let ends = tick.path.iter().skip(1).map(|(_, at)| *at).chain([s.at]);
    let visits = tick.path.iter().zip(ends);
    visits
        .map(|((state, at), end)| StateVisit {
            state: *state,
            at: s.wall(*at),
            ms: end.since(*at),
        })
        .collect()
}

/// When the tick's card comes back that was put off.
fn put_off_until(s: &MachineState, tick: &Tick) -> Option<NextPossible> {
    let card = s.later.iter().find(|card| card.trace_id == tick.trace_id)?;
    Some(NextPossible {
        at: card.due_wall,
        when: ReasonCode::Later,
    })
}

/// The earliest moment at which the machine could speak, and what stands in the way until then.
pub(crate) fn next_possible(env: &MachineEnv, s: &MachineState, reason: Option<ReasonCode>) -> NextPossible {
    let reason = reason.unwrap_or(ReasonCode::NoCandidate);
    // Otherwise: at the next look by the clock, if something has changed by then.
    NextPossible {
        at: known_end(env, s, reason).unwrap_or_else(|| s.wall(s.interval_at)),
        when: reason,
    }
}

/// When what stands in the way ends by its time, after now (wall clock), if it does.
pub(crate) fn known_end(env: &MachineEnv, s: &MachineState, reason: ReasonCode) -> Option<Timestamp> {
    let wall = s.wall(s.at);
    let dnd_ends = || {
        let (_, time) = env.local(wall);
        let spans = env.settings.dnd.iter().filter(|span| span.contains(time));
        let window = spans.map(|span| env.next_local(wall, span.to)).max();
        window.max(s.known.dnd_until())
    };
    let at = match reason {
        ReasonCode::CapDnd => dnd_ends(),
        ReasonCode::CapRecovering => s.known.recovering_until.map(|at| s.wall(at)),
        ReasonCode::CapWindow => s.window_until.map(|at| s.wall(at)),
        ReasonCode::CapDaily => Some(env.next_midnight(wall)),
        ReasonCode::Paused => s.paused_until_wall,
        ReasonCode::NoCandidate
        | ReasonCode::BelowThreshold
        | ReasonCode::Rule
        | ReasonCode::DeliberationTimeout
        | ReasonCode::NoSurface
        | ReasonCode::GateRefused
        | ReasonCode::OwnerDismissed
        | ReasonCode::ConfirmTimeout
        | ReasonCode::Edited
        | ReasonCode::ToolFailed
        | ReasonCode::ResultRejected
        | ReasonCode::UnknownAfterCrash
        | ReasonCode::Superseded
        | ReasonCode::Later => None,
    };
    at.filter(|at| *at > wall)
}
