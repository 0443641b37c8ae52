//! Everything that waits for a time.
//!
//! What: [`timers`], each deadline of the state by its name. Why: the next call and the operator's console read one list, so what is
//! shown is what will happen. Not here: what happens then (`flow`, `intake`).

use crate::state::{Phase, State};
use toolcall_schema::{AgentName, StateName, Timestamp};

/// What ends or begins at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// The state itself: an answer is late, a prompt ends, the spacing is over.
    State(StateName),
    /// An agent has to have read its sources by then.
    Reading(AgentName),
    /// A call that somebody asked for has to be over by then.
    Call,
    /// The regular look.
    Interval,
    /// A departure or a digest that the window held back is tried again.
    Retry,
    /// The morning brief.
    Brief,
    /// Time to think of leaving.
    Alert,
    /// A muted chat comes back.
    Mute,
    /// The pause ends.
    Pause,
    /// Do not disturb ends.
    Dnd,
    /// A rule of the owner ends.
    Rule,
    /// Breathing, nap or break ends.
    Course,
    /// A card is not worth showing any more.
    Card,
    /// The window after a card ends; counts while a card waits to be seen.
    Window,
    /// The quiet time after stress ends; counts while a card waits to be seen.
    Recovering,
    /// The last reading of the owner's state is too old.
    Lapse,
}

/// What the state waits for, with its time on the timeline, in no order.
pub fn timers(s: &State) -> impl Iterator<Item = (Timer, Timestamp)> {
    let state = phase_due(s).map(|at| (Timer::State(s.phase.name()), at));
    let reading = s.intake.iter().filter_map(|(agent, intake)| {
        intake
            .asked
            .map(|(_, deadline)| (Timer::Reading(*agent), deadline))
    });
    state.into_iter().chain(reading).chain(schedule(s))
}

/// When the state itself is over.
pub(crate) fn phase_due(state: &State) -> Option<Timestamp> {
    match &state.phase {
        Phase::Idle => None,
        Phase::Listening { deadline, .. }
        | Phase::Deliberating { deadline, .. }
        | Phase::Executing { deadline, .. } => Some(*deadline),
        Phase::AwaitingConfirm { decided, shown, .. } => Some(crate::cards::prompt_deadline(decided, shown)),
        Phase::LoggingTrace {
            deadline,
            sentence_until,
            ..
        } => Some(sentence_until.unwrap_or(*deadline)),
        Phase::Weighing { until, .. } | Phase::Cooldown { until, .. } => Some(*until),
    }
}

/// What waits whatever the state.
fn schedule(s: &State) -> impl Iterator<Item = (Timer, Timestamp)> {
    let alerts = s.known.alerts_wall.values().filter(|alert| !alert.done);
    let each = |timer: Timer| move |at: Timestamp| (timer, at);
    let wall = (s.mutes_wall.values().copied().map(each(Timer::Mute)))
        .chain(alerts.map(|alert| (Timer::Alert, alert.alert_at)))
        .chain(s.paused_until_wall.map(each(Timer::Pause)))
        .chain(s.known.dnd_until().map(each(Timer::Dnd)))
        .chain(
            s.rules
                .iter()
                .filter_map(|rule| rule.until)
                .map(each(Timer::Rule)),
        )
        .chain(s.courses_wall.values().copied().map(each(Timer::Course)))
        .chain(s.cards.iter().map(|open| (Timer::Card, open.card.valid_until)))
        .chain([(Timer::Brief, s.brief_wall)])
        .map(|(timer, wall)| (timer, s.timeline(wall)));
    // The end of what keeps a card from being seen.
    let waits = s.cards.iter().any(|open| !open.shown);
    let caps = [
        (Timer::Window, s.window_until),
        (Timer::Recovering, s.known.recovering_until),
    ]
    .map(|(timer, at)| at.filter(|at| waits && *at > s.at).map(each(timer)));
    let calls = s.calls.open.iter().map(|call| call.deadline);
    let retries = s.retries.iter().map(|retry| retry.due(s.window_until));
    caps.into_iter()
        .flatten()
        .chain([(Timer::Interval, s.interval_at)])
        .chain(retries.map(each(Timer::Retry)))
        .chain(s.known.state_until.map(each(Timer::Lapse)))
        .chain(calls.map(each(Timer::Call)))
        .chain(wall)
}
