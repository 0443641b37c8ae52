//! Runs of workflows, for the pages.
//!
//! What: journals as [`RunView`]s, the owner's replies written into them, and [`watch`], which tells the pages when something
//! happened. Why: runs execute in processes of their own; the service reads what they write, and is where their owner looks. Not here:
//! executing a run (`workflow::runner`), the same on the command line (`cli`).

use crate::{actors::surfaces::NotifyChanged, backend::ServiceBackend};
use aura_memory::{
    StoreError, Vault,
    workflows::{RunLock, RunStore},
};
use aura_workflow::{RunJournal, WorkflowError, execution, inbox};
use orchestrator_machine::{
    supervision::SupervisedRole,
    workflow::{
        ANSWER_MAX_BYTES,
        definition::StepTask,
        run::{RunEnd, RunPhase, StepSnapshot, WorkflowRun},
    },
};
use serde_json::Value;
use std::{collections::BTreeSet, thread, time::Duration};
use surfaces::{
    backend::UiEventKind,
    backend::runs::{NoOpenQuestion, QuestionReply, QuestionView, RunStanding, RunView, StepView},
};
use tokio::sync::watch::Receiver;

// Both sides of the page hold to one length.
const _: () = assert!(surfaces::backend::runs::ANSWER_MAX_BYTES == ANSWER_MAX_BYTES);

/// How often the service looks whether something happened.
const LOOK: Duration = Duration::from_secs(1);

/// The newest runs and all that ask, newest first. One whose journal cannot be read is left out, and the log says so.
///
/// # Errors
/// The database cannot be read.
pub fn views(vault: &Vault, limit: usize) -> Result<Vec<RunView>, StoreError> {
    let Some(store) = RunStore::look(vault)? else {
        return Ok(Vec::new());
    };
    let newest = store.runs(u32::try_from(limit).unwrap_or(u32::MAX))?;
    let mut seen = BTreeSet::new();
    let ids = newest.into_iter().chain(store.questions()?).map(|head| head.run);
    let ids = ids.filter(|run| seen.insert(run.clone()));
    let mut views: Vec<RunView> = ids.filter_map(|run| view(vault, &run).ok().flatten()).collect();
    views.sort_by_key(|view| std::cmp::Reverse((view.changed, view.id.clone())));
    Ok(views)
}

/// One run, if there is one of that id.
///
/// # Errors
/// Its journal cannot be read.
pub fn view(vault: &Vault, id: &str) -> Result<Option<RunView>, WorkflowError> {
    let journal = match RunJournal::look(vault, id) {
        Ok(journal) => journal,
        Err(WorkflowError::NotOne { .. }) => return Ok(None),
        Err(error) => {
            tracing::error!(run = id, %error, "the journal of a run cannot be read");
            return Err(error);
        }
    };
    let held = RunLock::holder(vault.dir(), id)?.is_some();
    Ok(Some(shown(journal.run(), held)))
}

/// A run as it is shown. `held`: a process executes it.
fn shown(run: &WorkflowRun, held: bool) -> RunView {
    let question = match &run.phase {
        RunPhase::Waiting { question, .. } => Some(QuestionView {
            step: question.step.clone(),
            summary: question.summary.clone(),
            notes: question.notes.clone(),
            until: question.until,
            announced: question.announced,
            dismissed: question.dismissed,
        }),
        RunPhase::Working(_) | RunPhase::Stopped { .. } | RunPhase::Over(_) => None,
    };
    let steps = run.definition().steps.iter().filter_map(|step| {
        let agent = match &step.work {
            StepTask::Envelope { agent, .. } | StepTask::Base { agent, .. } => agent,
            StepTask::Group { .. } => return None,
        };
        let latest = run.latest.get(&step.name)?;
        Some(StepView {
            name: step.name.clone(),
            agent: agent.clone(),
            iteration: latest.iteration,
            outcome: latest.outcome.map(|outcome| outcome.to_string()),
            summary: summary(latest),
            refusal: latest
                .refusal
                .clone()
                .map(|refusal| (refusal.code, refusal.message)),
        })
    });
    RunView {
        id: run.started.run.clone(),
        workflow: run.definition().name.clone(),
        feature: run.started.feature.clone().unwrap_or_default(),
        started: run.started_at,
        changed: run.last_at,
        standing: standing(&run.phase, held),
        question,
        steps: steps.collect(),
        written: run.net_changes().into_iter().map(|change| change.path).collect(),
    }
}

fn standing(phase: &RunPhase, held: bool) -> RunStanding {
    match phase {
        RunPhase::Working(_) if held => RunStanding::Running,
        RunPhase::Working(_) => RunStanding::Interrupted,
        RunPhase::Waiting { .. } => RunStanding::Waiting,
        RunPhase::Stopped { .. } => RunStanding::Stopped,
        RunPhase::Over(RunEnd::Completed) => RunStanding::Completed,
        RunPhase::Over(RunEnd::Expired) => RunStanding::Expired,
        RunPhase::Over(RunEnd::Cancelled) => RunStanding::Cancelled,
        RunPhase::Over(RunEnd::Undone) => RunStanding::Undone,
    }
}

/// What an agent said last, in its own words: `summary` of an envelope, `data.summary` of a response.
fn summary(latest: &StepSnapshot) -> Option<String> {
    let message = latest.message.as_ref()?;
    let summary = message
        .get("summary")
        .or_else(|| message.get("data")?.get("summary"));
    summary.and_then(Value::as_str).map(str::to_owned)
}

/// Writes a reply down. An answered run is taken up again by a process of its own.
///
/// # Errors
/// The journal cannot be read or written.
pub fn reply(
    vault: &Vault,
    id: &str,
    reply: &QuestionReply,
) -> Result<Result<(), NoOpenQuestion>, WorkflowError> {
    // Looked at first: a data folder without runs is left as it is.
    let done = RunJournal::look(vault, id).and_then(|_| match reply {
        QuestionReply::Answer(text) => inbox::answer(vault, id, text),
        QuestionReply::Dismiss => inbox::dismiss(vault, id),
    });
    match done {
        Ok(_line) => {
            if matches!(reply, QuestionReply::Answer(_)) {
                let mut process = execution::detach(vault, id)?;
                // Waited for, so that it does not stay as a zombie. What becomes of it is in the journal.
                thread::spawn(move || process.wait());
            }
            Ok(Ok(()))
        }
        Err(WorkflowError::NotOne { .. } | WorkflowError::Illegal(_)) => Ok(Err(NoOpenQuestion)),
        Err(error) => Err(error),
    }
}

/// Tells the pages when something happened in a run, until told to stop.
pub fn watch(backend: ServiceBackend, mut stopped: Receiver<bool>) {
    actix::spawn(async move {
        let mut look = RunsPoller::default();
        loop {
            let vault = backend.vault.clone();
            let looked = tokio::task::spawn_blocking(move || look.again(&vault)).await;
            // A look that panicked begins anew.
            let (next, happened) = looked.unwrap_or_default();
            look = next;
            if happened {
                let changed = NotifyChanged {
                    what: UiEventKind::Runs,
                    ticket: backend.busy.ticket_to(SupervisedRole::Surfaces),
                };
                // Not taken: the next change says it again, and a page that connects reads everything.
                let _ = aura_platform::mailbox::send(&backend.surfaces, "surfaces", changed);
            }
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    });
}

/// The database, kept open, and what it looked like last.
#[derive(Default)]
struct RunsPoller {
    store: Option<RunStore>,
    seen: Option<i64>,
}

impl RunsPoller {
    /// Whether something was written since. What cannot be read is said when a page asks for it.
    fn again(mut self, vault: &Vault) -> (Self, bool) {
        if self.store.is_none() {
            self.store = RunStore::look(vault).ok().flatten();
        }
        let now = self.store.as_ref().and_then(|store| store.version().ok());
        if now.is_none() {
            self.store = None;
        }
        let happened = now != self.seen;
        self.seen = now;
        (self, happened)
    }
}
