//! The machine's state as the console shows it.
//!
//! What: [`view`]. Why: names and times of the state, without a capability or anything from outside. Not here: the state
//! (`orchestrator_machine::state`).

use crate::{actors::orchestrator::StateSnapshot, next_brief::next_brief};
use orchestrator_machine::{
    state::{MachinePhase, MachineState, Tick},
    timers::pending_timers,
};
use surfaces_base::backend::console::{MachineView, PendingQuestion, TimerView};
use toolcall_schema::{Timestamp, trace::StateVisit};

/// The machine as it was looked at.
pub(super) fn view(look: &StateSnapshot) -> MachineView {
    let state = &look.state;
    let wall = |at: Timestamp| state.wall(at);
    let tick = tick(&state.phase);
    let path = tick.map_or_else(Vec::new, |tick| visits(state, tick, look.at));
    let mut due: Vec<TimerView> = pending_timers(state)
        .map(|(name, at)| TimerView { name, at: wall(at) })
        .collect();
    due.sort_by_key(|timer| timer.at);
    MachineView {
        at: wall(look.at),
        zone: look.env.settings.zone.name().to_owned(),
        state: state.phase.name(),
        since: path.last().map(|visit| visit.at),
        last_event: wall(state.at),
        path,
        trigger: tick.map(|tick| tick.trigger.source),
        timers: due,
        brief: next_brief(state, &look.env, wall(look.at)),
        pending: pending(&state.phase),
        queue: state.queue.iter().map(|it| (it.source, wall(it.at))).collect(),
        ledger: state.ledger.view(),
        paused_until: state.paused_until_wall,
        dnd: state.known.dnd.is_some(),
        surfaces: state.surfaces.iter().copied().collect(),
    }
}

fn tick(phase: &MachinePhase) -> Option<&Tick> {
    match phase {
        MachinePhase::Idle | MachinePhase::Cooldown { .. } => None,
        MachinePhase::Listening { tick, .. }
        | MachinePhase::Weighing { tick, .. }
        | MachinePhase::Deliberating { tick, .. }
        | MachinePhase::AwaitingConfirm { tick, .. }
        | MachinePhase::Executing { tick, .. }
        | MachinePhase::LoggingTrace { tick, .. } => Some(tick),
    }
}

/// Each state of the running tick with its length; the last one is open.
fn visits(state: &MachineState, tick: &Tick, now: Timestamp) -> Vec<StateVisit> {
    let ends = tick.path.iter().skip(1).map(|(_, at)| *at).chain([now]);
    tick.path
        .iter()
        .zip(ends)
        .map(|((name, at), end)| StateVisit {
            state: *name,
            at: state.wall(*at),
            ms: end.since(*at),
        })
        .collect()
}

fn pending(phase: &MachinePhase) -> Option<PendingQuestion> {
    let MachinePhase::AwaitingConfirm { decided, shown, .. } = phase else {
        return None;
    };
    let chosen = decided.decision.chosen.as_ref()?;
    Some(PendingQuestion {
        kind: chosen.kind,
        shown: !shown.is_empty(),
    })
}
