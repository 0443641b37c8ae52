//! Everything that waits for a time.
//!
//! What: [`pending_timers`], each deadline of the state by its name, and [`rests_until`], until when nobody needs the machine. Why: the next
//! call, the operator's console and a host that parks owners read one list, so what is shown is what will happen. Not here: what happens then (`flow`, `intake`, `cards`, `calls`).

use crate::{
    asks,
    state::{MachinePhase, MachineState},
};
use toolcall_schema::{Timestamp, timer::TimerName};

/// What the state waits for, with its time on the timeline, in no order.
pub fn pending_timers(s: &MachineState) -> impl Iterator<Item = (TimerName, Timestamp)> {
    let state = phase_due(s).map(|at| (TimerName::State(s.phase.name()), at));
    let reading = s.intake.iter().filter_map(|(agent, intake)| {
        intake
            .asked
            .map(|(_, deadline)| (TimerName::Reading(*agent), deadline))
    });
    state
        .into_iter()
        .chain(reading)
        .chain(state_independent_timers(s))
}

/// Until when (timeline) a machine may be away without anybody missing it, unless something happens before; `None`: something is under way.
///
/// The tick of each quarter of an hour is not waited for: it looks at what is known, and where nothing happened the machine looked already. What
/// is dated ahead has timers of its own. One that is overdue follows the machine's return (ADR 0168). `brief_later_ms`: so much later than its hour the
/// brief may be, milliseconds.
pub fn rests_until(state: &MachineState, brief_later_ms: i64) -> Option<Timestamp> {
    let reads = state.intake.iter().any(|(_, intake)| {
        intake.asked.is_some() || intake.late.is_some() || intake.again || !intake.waiting.is_empty()
    });
    let is_under_way = state.phase != MachinePhase::Idle
        || !state.queue.is_empty()
        || state.reload.is_some()
        || reads
        || !state.calls.open.is_empty()
        || !state.asks.open.is_empty();
    if is_under_way {
        return None;
    }
    pending_timers(state)
        .filter(|(timer, _)| *timer != TimerName::Interval)
        .map(|(timer, at)| {
            if timer == TimerName::Brief {
                at.plus_ms(brief_later_ms)
            } else {
                at
            }
        })
        .min()
}

/// When the state itself is over.
pub(crate) fn phase_due(state: &MachineState) -> Option<Timestamp> {
    match &state.phase {
        MachinePhase::Idle => None,
        MachinePhase::Listening { deadline, .. }
        | MachinePhase::Deliberating { deadline, .. }
        | MachinePhase::Executing { deadline, .. } => Some(*deadline),
        MachinePhase::AwaitingConfirm { decided, shown, .. } => {
            Some(crate::cards::prompt_deadline(decided, shown))
        }
        MachinePhase::LoggingTrace {
            deadline,
            sentence_until,
            ..
        } => Some(sentence_until.unwrap_or(*deadline)),
        MachinePhase::Weighing { until, .. } | MachinePhase::Cooldown { until, .. } => Some(*until),
    }
}

/// What waits whatever the state.
fn state_independent_timers(s: &MachineState) -> impl Iterator<Item = (TimerName, Timestamp)> {
    let alerts = s.known.alerts_wall.values().filter(|alert| !alert.done);
    let meetings = s.known.meetings_wall.values().filter(|meeting| !meeting.done);
    let each = |timer: TimerName| move |at: Timestamp| (timer, at);
    let wall = (s.mutes_wall.values().copied().map(each(TimerName::Mute)))
        .chain(alerts.map(|alert| (TimerName::Alert, alert.alert_at)))
        .chain(meetings.map(|meeting| (TimerName::Alert, meeting.prepare_at)))
        .chain(
            s.later
                .iter()
                .filter(|card| !card.asked)
                .map(|card| (TimerName::Later, card.due_wall)),
        )
        .chain(s.paused_until_wall.map(each(TimerName::Pause)))
        .chain(s.known.dnd_until().map(each(TimerName::Dnd)))
        .chain(
            s.rules
                .iter()
                .filter_map(|rule| rule.until)
                .map(each(TimerName::Rule)),
        )
        .chain(s.courses_wall.values().copied().map(each(TimerName::Course)))
        .chain(
            s.cards
                .iter()
                .map(|open| (TimerName::Card, open.card.valid_until)),
        )
        .chain([(TimerName::Brief, s.brief_wall)])
        .map(|(timer, wall)| (timer, s.timeline(wall)));
    // The end of what keeps a card from being seen.
    let waits = s.cards.iter().any(|open| !open.shown);
    let caps = [
        (TimerName::Window, s.window_until),
        (TimerName::Recovering, s.known.recovering_until),
    ]
    .map(|(timer, at)| at.filter(|at| waits && *at > s.at).map(each(timer)));
    let calls = s.calls.open.iter().map(|call| call.deadline);
    let retries = s.retries.iter().map(|retry| retry.due(s.window_until));
    caps.into_iter()
        .flatten()
        .chain([(TimerName::Interval, s.interval_at)])
        .chain(retries.map(each(TimerName::Retry)))
        .chain(s.known.state_until.map(each(TimerName::Lapse)))
        .chain(calls.map(each(TimerName::Call)))
        .chain(asks::deadlines(s).map(each(TimerName::Ask)))
        .chain(wall)
}
