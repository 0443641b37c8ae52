//! What runs want to know of their owner.
//!
//! What: [`questions`], and what can be done about one: announced once, put away, answered. Why: a run waits for days, in no process at
//! all; commands and the page do the same few things. Not here: how a question is shown, going on with the run
//! ([`super::execution`]).

use super::{
    RunJournal, WorkflowError,
    journal::{JournalLine, phase},
};
use aura_memory::{Vault, workflows::RunStore};
use aura_platform::clock::Clock;
use orchestrator_machine::workflow::{
    event::RunEventKind,
    run::{OwnerQuestion, RunPhase},
};
use serde::Serialize;
use toolcall_schema::Timestamp;

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
pub fn question(journal: &RunJournal, now: Timestamp) -> Option<WaitingQuestion> {
    let run = journal.run();
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
    let Some(store) = RunStore::look(vault)? else {
        return Ok(vec![]);
    };
    let mut all = Vec::new();
    for head in store.questions()? {
        all.extend(question(&RunJournal::look(vault, &head.run)?, now));
    }
    Ok(all)
}

/// Records the announcement before showing it. Returns `false` if another process already recorded it.
///
/// # Errors
/// A data folder or journal that cannot be written.
pub fn announce(vault: &Vault, id: &str) -> Result<bool, WorkflowError> {
    match append(vault, id, RunEventKind::Announced) {
        Ok(_) => Ok(true),
        Err(WorkflowError::Illegal(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts the announcement away. The question stands.
///
/// # Errors
/// `WORKFLOW-002` when the run asks nothing.
pub fn dismiss(vault: &Vault, id: &str) -> Result<JournalLine, WorkflowError> {
    append(vault, id, RunEventKind::Dismissed)
}

/// Answers. The run goes on when it is executed.
///
/// # Errors
/// `WORKFLOW-002` when the run asks nothing, or no longer; a run whose time is over is ended by that.
pub fn answer(vault: &Vault, id: &str, text: &str) -> Result<JournalLine, WorkflowError> {
    let mut journal = RunJournal::open(vault, id)?;
    let now = Clock::real(None).wall();
    let answered = journal.append(
        now,
        RunEventKind::Answered {
            text: text.to_owned(),
        },
    );
    if answered.is_err() && phase(journal.run()) == "waiting" && question(&journal, now).is_none() {
        // Its time is over. Whoever else finds that out has said the same.
        let _ = journal.append(now, RunEventKind::Expired);
    }
    answered
}

fn append(vault: &Vault, id: &str, what: RunEventKind) -> Result<JournalLine, WorkflowError> {
    RunJournal::open(vault, id)?.append(Clock::real(None).wall(), what)
}
