//! The journal of one run, with its fold.
//!
//! What: [`RunJournal`]: a run taken up from the data folder, and events added to it. Why: an event is on disk before anything follows
//! from it, and of two processes the second looks again before it goes on. Not here: the tables (`aura_memory::workflows`).

use super::WorkflowError;
use aura_memory::{
    Vault,
    workflows::{AppendOutcome, RunStore, RunSummary, StoredRunEvent},
};
use orchestrator_machine::workflow::{
    event::{RunEvent, RunEventKind, RunStart},
    run::{IllegalEvent, RunEnd, RunPhase, WorkflowRun},
};
use serde::{Deserialize, Serialize};
use toolcall_schema::Timestamp;

/// A run, as its journal tells it.
#[derive(Debug)]
pub struct RunJournal {
    store: RunStore,
    run: WorkflowRun,
    /// The number of the next event.
    next: u64,
}

/// One event as it is printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalLine {
    /// The run's id.
    pub run: String,
    /// From 0.
    pub n: u64,
    pub at: Timestamp,
    pub what: RunEventKind,
}

impl RunJournal {
    /// Begins a run: its first event is on disk when this returns.
    ///
    /// # Errors
    /// `WORKFLOW-002` when the definition does not fit together, a data folder that cannot be used.
    pub fn begin(vault: &Vault, started: RunStart, at: Timestamp) -> Result<Self, WorkflowError> {
        let event = RunEvent {
            at,
            what: RunEventKind::Started(Box::new(started)),
        };
        let run = WorkflowRun::begin_run(&event)?;
        let mut store = RunStore::open(vault)?;
        match store.append(0, &text(&event, &run, 0)?, &head(&run))? {
            AppendOutcome::Written => Ok(Self { store, run, next: 1 }),
            AppendOutcome::Taken => Err(IllegalEvent {
                event: "started",
                why: "a run of this id was begun already",
            }
            .into()),
        }
    }

    /// Takes up a run by its whole id.
    ///
    /// # Errors
    /// `WORKFLOW-004` when there is none, `WORKFLOW-005` when its journal cannot be read.
    pub fn open(vault: &Vault, id: &str) -> Result<Self, WorkflowError> {
        Self::of(RunStore::open(vault)?, id)
    }

    /// The same for looking alone: nothing can be added.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn look(vault: &Vault, id: &str) -> Result<Self, WorkflowError> {
        let store = RunStore::look(vault)?.ok_or(WorkflowError::NotOne {
            what: "there is no run yet",
        })?;
        Self::of(store, id)
    }

    fn of(store: RunStore, id: &str) -> Result<Self, WorkflowError> {
        let (run, next) = fold(&store, id)?;
        Ok(Self { store, run, next })
    }

    /// Where it stands, as far as this process has read.
    pub fn run(&self) -> &WorkflowRun {
        &self.run
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.run.started.run
    }

    /// Adds an event. It is on disk when this returns. If somebody else was faster, it is added where the run stands then, if it
    /// still makes sense there.
    ///
    /// # Errors
    /// `WORKFLOW-002` when it makes no sense: nothing was added. A data folder that cannot be written.
    pub fn append(&mut self, at: Timestamp, what: RunEventKind) -> Result<JournalLine, WorkflowError> {
        let event = RunEvent { at, what };
        loop {
            self.run.apply_event(&event)?;
            let text = text(&event, &self.run, self.next)?;
            let done = self.store.append(self.next, &text, &head(&self.run));
            match done {
                Ok(AppendOutcome::Written) => {
                    let n = self.next;
                    self.next += 1;
                    return Ok(self.line(n, event));
                }
                Ok(AppendOutcome::Taken) => self.refresh()?,
                Err(error) => {
                    // What is not on disk has not happened.
                    self.refresh()?;
                    return Err(error.into());
                }
            }
        }
    }

    /// Reads again what others have added.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn refresh(&mut self) -> Result<(), WorkflowError> {
        let id = self.id().to_owned();
        (self.run, self.next) = fold(&self.store, &id)?;
        Ok(())
    }

    /// The events from `from` on.
    ///
    /// # Errors
    /// `WORKFLOW-005` when one cannot be read.
    pub fn lines(&self, from: u64) -> Result<Vec<JournalLine>, WorkflowError> {
        let rows = self.store.events(self.id(), from)?;
        rows.iter()
            .map(|row| Ok(self.line(row.n, read(self.id(), row)?)))
            .collect()
    }

    fn line(&self, n: u64, event: RunEvent) -> JournalLine {
        JournalLine {
            run: self.id().to_owned(),
            n,
            at: event.at,
            what: event.what,
        }
    }
}

fn fold(store: &RunStore, id: &str) -> Result<(WorkflowRun, u64), WorkflowError> {
    let rows = store.events(id, 0)?;
    let mut rows = rows.iter();
    let first = rows.next().ok_or(WorkflowError::NotOne {
        what: "there is no such run",
    })?;
    let damaged = |n: u64, why: &IllegalEvent| WorkflowError::Damaged {
        run: id.to_owned(),
        n,
        what: why.to_string(),
    };
    let mut run = WorkflowRun::begin_run(&read(id, first)?).map_err(|why| damaged(0, &why))?;
    let mut next = 1;
    for row in rows {
        run.apply_event(&read(id, row)?)
            .map_err(|why| damaged(row.n, &why))?;
        next = row.n + 1;
    }
    Ok((run, next))
}

fn read(id: &str, row: &StoredRunEvent) -> Result<RunEvent, WorkflowError> {
    serde_json::from_str(&row.json).map_err(|error| WorkflowError::Damaged {
        run: id.to_owned(),
        n: row.n,
        what: error.to_string(),
    })
}

fn text(event: &RunEvent, run: &WorkflowRun, n: u64) -> Result<String, WorkflowError> {
    serde_json::to_string(event).map_err(|error| WorkflowError::Damaged {
        run: run.started.run.clone(),
        n,
        what: error.to_string(),
    })
}

/// Where a run stands, in one word.
pub fn phase(run: &WorkflowRun) -> &'static str {
    match &run.phase {
        RunPhase::Working(_) => "working",
        RunPhase::Waiting { .. } => "waiting",
        RunPhase::Stopped { .. } => "stopped",
        RunPhase::Over(RunEnd::Completed) => "completed",
        RunPhase::Over(RunEnd::Expired) => "expired",
        RunPhase::Over(RunEnd::Cancelled) => "cancelled",
        RunPhase::Over(RunEnd::Undone) => "undone",
    }
}

fn head(run: &WorkflowRun) -> RunSummary {
    let until = match &run.phase {
        RunPhase::Waiting { question, .. } => Some(question.until.ms()),
        RunPhase::Working(_) | RunPhase::Stopped { .. } | RunPhase::Over(_) => None,
    };
    RunSummary {
        run: run.started.run.clone(),
        workflow: run.definition().name.clone(),
        feature: run.started.feature.clone(),
        phase: phase(run).to_owned(),
        until_ms: until,
        started_ms: run.started_at.ms(),
        last_ms: run.last_at.ms(),
    }
}

/// The one run whose id begins so; `last` is the one begun last.
///
/// # Errors
/// `WORKFLOW-004` when there is none, or more than one.
pub fn find(vault: &Vault, prefix: &str) -> Result<String, WorkflowError> {
    let found = RunStore::look(vault)?
        .map(|store| store.find(prefix))
        .transpose()?;
    let found = found.unwrap_or_default();
    match found.as_slice() {
        [one] => Ok(one.run.clone()),
        [] => Err(WorkflowError::NotOne {
            what: "there is no such run",
        }),
        [..] => Err(WorkflowError::NotOne {
            what: "more than one run begins so",
        }),
    }
}
