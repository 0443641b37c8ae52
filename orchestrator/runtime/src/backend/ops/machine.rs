//! The machine's state as the console shows it.
//!
//! What: [`view`]. Why: names and times of the state, without a capability or anything from outside. Not here: the state
//! (`orchestrator_machine::state`).

use crate::actors::orchestrator::Look;
use orchestrator_machine::{
    state::{Phase, State, Tick},
    timers::timers,
};
use surfaces::backend::ops::{MachineView, Pending, TimerView};
use toolcall_schema::{Timestamp, trace::StateVisit};

/// The machine as it was looked at.
pub(super) fn view(look: &Look) -> MachineView {
    let state = &look.state;
    let wall = |at: Timestamp| state.wall(at);
    let tick = tick(&state.phase);
    let path = tick.map_or_else(Vec::new, |tick| visits(state, tick, look.at));
    let mut due: Vec<TimerView> = timers(state)
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
        pending: pending(&state.phase),
        queue: state.queue.iter().map(|it| (it.source, wall(it.at))).collect(),
        ledger: state.ledger.view(),
        paused_until: state.paused_until_wall,
        dnd: state.known.dnd.is_some(),
        surfaces: state.surfaces.iter().copied().collect(),
    }
}

fn tick(phase: &Phase) -> Option<&Tick> {
    match phase {
        Phase::Idle | Phase::Cooldown { .. } => None,
        Phase::Listening { tick, .. }
        | Phase::Weighing { tick, .. }
        | Phase::Deliberating { tick, .. }
        | Phase::AwaitingConfirm { tick, .. }
        | Phase::Executing { tick, .. }
        | Phase::LoggingTrace { tick, .. } => Some(tick),
    }
}

/// Each state of the running tick with its length; the last one is open.
fn visits(state: &State, tick: &Tick, now: Timestamp) -> Vec<StateVisit> {
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

fn pending(phase: &Phase) -> Option<Pending> {
    let Phase::AwaitingConfirm { decided, shown, .. } = phase else {
        return None;
    };
    let chosen = decided.decision.chosen.as_ref()?;
    Some(Pending {
        kind: chosen.kind,
        shown: !shown.is_empty(),
    })
}
