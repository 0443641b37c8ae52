//! How Aura stood at a moment, also between two looks.
//!
//! What: [`at`], the journal folded up to a time and said in plain sentences. Why: a silence has a reason also when nothing
//! was decided: paused, resting, waiting for an answer, or nothing had happened. Not here: the decisions (`why`).

use super::error::CliError;
use aura_runtime::journal::JournalReplay;
use orchestrator_machine::{EventKind, MachineEnv, MachineState, state::MachinePhase};
use serde::Serialize;
use surfaces_base::{
    format,
    language::{say, text},
    words,
};
use toolcall_schema::{StateName, Timestamp, trace::LedgerView};

/// How it stood.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct MomentReport {
    at: Timestamp,
    state: StateName,
    /// Ticks that had begun by then.
    ticks: u64,
    paused_until: Option<Timestamp>,
    dnd: bool,
    recovering_until: Option<Timestamp>,
    window_until: Option<Timestamp>,
    muted_channels: usize,
    rules: Vec<String>,
    ledger: LedgerView,
    /// The next look by the clock.
    next_look: Timestamp,
    /// The same in words.
    pub sentences: Vec<String>,
}

/// How it stood at an instant of the wall clock; absent before the first start.
///
/// # Errors
/// When the journal cannot be folded up to there.
pub(crate) fn moment_at(
    mut journal: JournalReplay,
    instant: Timestamp,
) -> Result<Option<MomentReport>, CliError> {
    while let Some((_, event)) = journal.read()? {
        let wall = match (&event.what, journal.state()) {
            (EventKind::Started { wall, .. } | EventKind::ClockSet { wall }, _) => *wall,
            (_, Some(state)) => state.wall(event.at),
            (_, None) => event.at,
        };
        if wall > instant {
            break;
        }
        journal.apply(event);
    }
    let (state, env) = journal.into_parts();
    Ok(state
        .zip(env)
        .map(|(state, env)| report_of(&state, &env, instant)))
}

fn report_of(state: &MachineState, env: &MachineEnv, at: Timestamp) -> MomentReport {
    let zone = env.settings.zone;
    let clock = |t| format::clock_on(t, at, zone);
    let later = |until: Option<Timestamp>| until.filter(|until| *until > at);
    let (date, time) = env.local(at);
    let paused = later(state.paused_until_wall);
    let dnd_window = env.settings.dnd.iter().find(|span| span.contains(time));
    let recovering = later(state.known.recovering_until.map(|t| state.wall(t)));
    let window = later(state.window_until.map(|t| state.wall(t)));
    let next_look = state.wall(state.interval_at);
    let ledger = state.ledger.view();
    let rules: Vec<String> = state
        .rules
        .iter()
        .filter(|rule| rule.stands(at, (date, time)))
        .map(|rule| rule.name.to_string())
        .collect();
    let mut said = vec![say!(
        "cli-common-moment",
        day = format::day(at, zone),
        time = format::clock_s(at, zone),
        doing = doing(&state.phase)
    )];
    said.extend(paused.map(|until| say!("cli-common-was-paused", until = clock(until))));
    said.extend(dnd_window.map(|span| {
        say!(
            "cli-common-was-quiet",
            until = span.to.format("%H:%M").to_string()
        )
    }));
    said.extend(state.known.dnd.map(|_| text("cli-common-was-dnd").to_owned()));
    said.extend(recovering.map(|until| say!("cli-common-was-recovering", until = clock(until))));
    said.extend(window.map(|until| say!("cli-common-was-after-card", until = clock(until))));
    if !rules.is_empty() {
        said.push(say!("cli-common-rules-then", rules = rules.join(", ")));
    }
    said.push(say!(
        "cli-common-free-then",
        free = ledger.free.to_string(),
        ceiling = ledger.ceiling.to_string()
    ));
    said.push(say!("cli-common-next-look", when = clock(next_look)));
    MomentReport {
        at,
        state: state.phase.name(),
        ticks: state.ticks,
        paused_until: paused,
        dnd: state.known.dnd.is_some() || dnd_window.is_some(),
        recovering_until: recovering,
        window_until: window,
        muted_channels: state.mutes_wall.len(),
        rules,
        ledger,
        next_look,
        sentences: said,
    }
}

fn doing(phase: &MachinePhase) -> String {
    let about = |decided: &orchestrator_machine::state::DeliberationResult| {
        let chosen = decided.decision.chosen.as_ref();
        chosen.map_or_else(
            || text("cli-common-nothing").to_owned(),
            |chosen| words::action(chosen.kind).to_owned(),
        )
    };
    match phase {
        MachinePhase::Idle => text("cli-common-was-idle").to_owned(),
        MachinePhase::Listening { .. } => text("cli-common-was-asking").to_owned(),
        MachinePhase::Weighing { .. } => text("cli-common-was-weighing").to_owned(),
        MachinePhase::Deliberating { decided, .. } => say!("cli-common-had-decided", what = about(decided)),
        MachinePhase::AwaitingConfirm { decided, .. } => {
            say!("cli-common-was-waiting", what = about(decided))
        }
        MachinePhase::Executing { decided, .. } => say!("cli-common-was-executing", what = about(decided)),
        MachinePhase::LoggingTrace { .. } => text("cli-common-was-writing").to_owned(),
        MachinePhase::Cooldown { .. } => text("cli-common-was-resting").to_owned(),
    }
}
