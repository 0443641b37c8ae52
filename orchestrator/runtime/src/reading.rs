//! Having the agents read all that there is.
//!
//! What: [`to_the_end`], which asks every agent to look until none has anything left. Why: years of mail and health data
//! are read once with somebody watching; every slice is kept before the next, so that it can be stopped at any time and goes
//! on where it was. Not here: slices (`agents`), asking again (the machine).

use crate::backend::ServiceBackend;
use aura_platform::health::ReadProgress;
use orchestrator_machine::EventKind;
use std::{collections::BTreeMap, time::Duration};
use surfaces_base::backend::BackendError;
use toolcall_schema::AgentName;

/// Longest time between two looks at how far the agents are; each turn of the machine is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// When a question that got no answer is asked again: an agent that is just started again needs a moment.
const AGAIN: Duration = Duration::from_millis(50);
/// So many questions in a row may stay without an answer.
const TRIES: u32 = 5;

/// Why not everything was read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadingError {
    /// The machine could not be asked.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// An agent does not answer.
    #[error(
        "{agent} gave no answer to 5 questions in a row: `aura doctor` says how it is; what was read is kept, ask again"
    )]
    Silent { agent: AgentName },
}

/// Asks until every agent has answered with nothing left. `progress` sees each agent's figures, since the start of the
/// process, again and again.
///
/// # Errors
/// [`ReadingError`]; what was read until then is kept.
pub(crate) async fn to_the_end(
    backend: &ServiceBackend,
    progress: &mut dyn FnMut(&BTreeMap<AgentName, ReadProgress>),
) -> Result<BTreeMap<AgentName, ReadProgress>, ReadingError> {
    // Who has not read everything, with its answers when it was asked last, and how often it did not answer.
    let mut reading: BTreeMap<AgentName, (Option<u64>, u32)> = AgentName::FOUR
        .into_iter()
        .map(|agent| (agent, (None, 0)))
        .collect();
    let mut turns = backend.turns.clone();
    loop {
        turns.mark_unchanged();
        let look = backend.look().await?;
        progress(&look.health.reading);
        let (mut done, mut is_silent) = (Vec::new(), false);
        for (agent, (asked_at, silent)) in &mut reading {
            let intake = look.state.intake.get(agent);
            if intake.is_some_and(|intake| intake.asked.is_some() || intake.late.is_some() || intake.again) {
                continue;
            }
            let now = look.health.reading.get(agent).copied().unwrap_or_default();
            match *asked_at {
                Some(before) if now.answers > before && now.left == 0 => {
                    done.push(*agent);
                    continue;
                }
                Some(before) if now.answers > before => *silent = 0,
                Some(_) if *silent >= TRIES => return Err(ReadingError::Silent { agent: *agent }),
                Some(_) => {
                    *silent += 1;
                    is_silent = true;
                }
                None => {}
            }
            *asked_at = Some(now.answers);
            backend.inject_event(EventKind::SourcesChanged { agent: *agent })?;
        }
        reading.retain(|agent, _| !done.contains(agent));
        if reading.is_empty() {
            return Ok(look.health.reading);
        }
        if is_silent {
            tokio::time::sleep(AGAIN).await;
        } else if let Ok(turn) = tokio::time::timeout(LOOK, turns.changed()).await {
            turn.map_err(|_| BackendError::Stopping)?;
        }
    }
}
