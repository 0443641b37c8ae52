//! What runs want to know of their owner.
//!
//! What: [`questions`], and what can be done about one: announced once, put away, answered. Why: a run waits for days, in no process at
//! all; commands and the page do the same few things. Not here: how a question is shown, going on with the run
//! ([`super::execution`]).

use super::{
    Journal, WorkflowError,
    journal::{Line, phase},
};
use aura_memory::{Vault, workflows::Workflows};
use aura_platform::clock::Clock;
use orchestrator_machine::workflow::{
    event::What,
    run::{Phase, Question},
};
use serde::Serialize;
use toolcall_schema::Timestamp;

/// A question that waits for its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The run's id.
    pub run: String,
    /// The workflow's name.
    pub workflow: String,
    /// What it works on.
    pub feature: Option<String>,
    /// When the run began.
    pub started: Timestamp,
    /// What it wants to know.
    pub question: Question,
}

/// The question of a run, if it has one that can still be answered.
pub fn question(journal: &Journal, now: Timestamp) -> Option<Asked> {
    let run = journal.run();
    match &run.phase {
        Phase::Waiting { question, .. } if now < question.until => Some(Asked {
            run: run.started.run.clone(),
            workflow: run.definition().name.clone(),
            feature: run.started.feature.clone(),
            started: run.started_at,
            question: question.clone(),
        }),
        Phase::Waiting { .. } | Phase::Working(_) | Phase::Stopped { .. } | Phase::Over(_) => None,
    }
}

/// The questions that can still be answered, the one whose time ends first first. Reads only.
///
/// # Errors
/// A data folder or journal that cannot be read.
pub fn questions(vault: &Vault, now: Timestamp) -> Result<Vec<Asked>, WorkflowError> {
    let Some(store) = Workflows::look(vault)? else {
        return Ok(vec![]);
    };
    let mut all = Vec::new();
    for head in store.questions()? {
        all.extend(question(&Journal::look(vault, &head.run)?, now));
    }
    Ok(all)
}

/// Says that the owner was told, once. Whoever announces says so first and shows it then: `false`, somebody else was faster.
///
/// # Errors
/// A data folder or journal that cannot be written.
pub fn announce(vault: &Vault, id: &str) -> Result<bool, WorkflowError> {
    match append(vault, id, What::Announced) {
        Ok(_) => Ok(true),
        Err(WorkflowError::Illegal(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts the announcement away. The question stands.
///
/// # Errors
/// `WORKFLOW-002` when the run asks nothing.
pub fn dismiss(vault: &Vault, id: &str) -> Result<Line, WorkflowError> {
    append(vault, id, What::Dismissed)
}

/// Answers. The run goes on when it is executed.
///
/// # Errors
/// `WORKFLOW-002` when the run asks nothing, or no longer; a run whose time is over is ended by that.
pub fn answer(vault: &Vault, id: &str, text: &str) -> Result<Line, WorkflowError> {
    let mut journal = Journal::open(vault, id)?;
    let now = Clock::real(None).wall();
    let answered = journal.append(
        now,
        What::Answered {
            text: text.to_owned(),
        },
    );
    if answered.is_err() && phase(journal.run()) == "waiting" && question(&journal, now).is_none() {
        // Its time is over. Whoever else finds that out has said the same.
        let _ = journal.append(now, What::Expired);
    }
    answered
}

fn append(vault: &Vault, id: &str, what: What) -> Result<Line, WorkflowError> {
    Journal::open(vault, id)?.append(Clock::real(None).wall(), what)
}
