//! What runs want to know of their owner.
//!
//! What: [`questions`], and what can be done about one: announced once, put away, answered. Why: a run waits for days, in no process at
//! all; commands and the page do the same few things. Not here: how a question is shown, going on with the run
//! ([`super::execution`]).

use super::{
    RunHistory, RunJournal, WorkflowError,
    journal::{JournalLine, phase},
};
use aura_memory::{Store, StoreReader, Vault, workflows::open_runs};
use aura_platform::clock::Clock;
use orchestrator_machine::workflow::{
    event::RunEventKind,
    run::{RunPhase, WorkflowRun},
};
use serde::Serialize;
use std::sync::Arc;
use toolcall_schema::{Timestamp, protocol::OwnerQuestion};

/// A question that waits for its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingQuestion {
    /// The run's id.
    pub run: String,
    /// The workflow's name.
    pub workflow: String,
    /// What it works on.
    pub feature: Option<String>,
    /// When the run began.
    pub started: Timestamp,
    /// What it wants to know.
    pub question: OwnerQuestion,
}

/// The question of a run, if it has one that can still be answered.
pub fn question(run: &WorkflowRun, now: Timestamp) -> Option<WaitingQuestion> {
    match &run.phase {
        RunPhase::Waiting { question, .. } if now < question.until => Some(WaitingQuestion {
            run: run.started.run.clone(),
            workflow: run.definition().name.clone(),
            feature: run.started.feature.clone(),
            started: run.started_at,
            question: question.clone(),
        }),
        RunPhase::Waiting { .. } | RunPhase::Working(_) | RunPhase::Stopped { .. } | RunPhase::Over(_) => {
            None
        }
    }
}

/// The questions that can still be answered, the one whose time ends first first. Reads only.
///
/// # Errors
/// A data folder or journal that cannot be read.
pub fn questions(vault: &Vault, now: Timestamp) -> Result<Vec<WaitingQuestion>, WorkflowError> {
    let Some(reader) = open_runs(vault)? else {
        return Ok(vec![]);
    };
    let mut all = Vec::new();
    for waiting in reader.waiting_runs()? {
        all.extend(question(RunHistory::read(&reader, &waiting.run)?.run(), now));
    }
    Ok(all)
}

/// Records the announcement before showing it. Returns `false` if it was recorded already.
///
/// # Errors
/// A data folder or journal that cannot be written.
pub fn announce(store: &Arc<Store>, id: &str) -> Result<bool, WorkflowError> {
    match append(store, id, RunEventKind::Announced) {
        Ok(_) => Ok(true),
        Err(WorkflowError::Illegal(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts the announcement away. The question stands.
///
/// # Errors
/// `WORKFLOW-002` when the run asks nothing.
pub fn dismiss(store: &Arc<Store>, id: &str) -> Result<JournalLine, WorkflowError> {
    append(store, id, RunEventKind::Dismissed)
}

/// Answers. The run goes on when it is executed.
///
/// # Errors
/// `WORKFLOW-002` when the run asks nothing, or no longer; a run whose time is over is ended by that.
pub fn answer(store: &Arc<Store>, id: &str, text: &str) -> Result<JournalLine, WorkflowError> {
    let mut journal = RunJournal::open(store, id)?;
    let now = Clock::real(None).wall();
    let answered = journal.append(
        now,
        RunEventKind::Answered {
            text: text.to_owned(),
        },
    );
    if answered.is_err() && phase(journal.run()) == "waiting" && question(journal.run(), now).is_none() {
        // Its time is over. Whoever else finds that out has said the same.
        let _ = journal.append(now, RunEventKind::Expired);
    }
    answered
}

/// Ends the runs whose question nobody answered in time, and says until when the next one can be answered.
///
/// # Errors
/// A data folder or journal that cannot be read or written.
pub fn expire(store: &Arc<Store>, now: Timestamp) -> Result<Option<Timestamp>, WorkflowError> {
    for waiting in StoreReader::open(store.vault())?.waiting_runs()? {
        match waiting.until_ms.map(Timestamp::from_ms) {
            Some(until) if until <= now => match append(store, &waiting.run, RunEventKind::Expired) {
                // It was answered meanwhile.
                Ok(_) | Err(WorkflowError::Illegal(_)) => {}
                Err(error) => {
                    tracing::error!(run = waiting.run, %error, "its time is over, which cannot be written down");
                }
            },
            until => return Ok(until),
        }
    }
    Ok(None)
}

fn append(store: &Arc<Store>, id: &str, what: RunEventKind) -> Result<JournalLine, WorkflowError> {
    RunJournal::open(store, id)?.append(Clock::real(None).wall(), what)
}
