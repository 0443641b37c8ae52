//! The journal of one run, with its fold.
//!
//! What: [`RunJournal`]: a run taken up by who has the store open, and events added to it; [`RunHistory`], a run as it is read beside that.
//! Why: an event is on disk before anything follows from it, and of two that add to a run the second looks again before it goes on. Not
//! here: the tables (`aura_memory::workflows`).

use super::WorkflowError;
use aura_memory::{
    Store, StoreReader, Vault,
    workflows::{AppendOutcome, RunSummary, RunWrite, StoredRunEvent, open_runs},
};
use orchestrator_machine::workflow::{
    event::{RunEvent, RunEventKind, RunStart},
    run::{IllegalEvent, RunEnd, RunPhase, WorkflowRun},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toolcall_schema::Timestamp;

/// A run that is added to.
#[derive(Debug)]
pub struct RunJournal {
    store: Arc<Store>,
    run: WorkflowRun,
    /// The number of the next event.
    next: u64,
}

/// A run, as its journal tells it.
#[derive(Debug)]
pub struct RunHistory {
    run: WorkflowRun,
    lines: Vec<JournalLine>,
}

/// One event as it is printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalLine {
    /// The run's id.
    pub run: String,
    /// From 0.
    pub n: u64,
    pub at: Timestamp,
    pub what: RunEventKind,
}

impl RunHistory {
    /// Reads a run by its whole id.
    ///
    /// # Errors
    /// `WORKFLOW-004` when there is none, `WORKFLOW-005` when its journal cannot be read.
    pub fn open(vault: &Vault, id: &str) -> Result<Self, WorkflowError> {
        let reader = open_runs(vault)?.ok_or(WorkflowError::NotOne {
            what: "there is no run yet",
        })?;
        Self::read(&reader, id)
    }

    /// The same of a store that is open.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn read(reader: &StoreReader, id: &str) -> Result<Self, WorkflowError> {
        let lines = lines(reader, id, 0)?;
        Ok(Self {
            run: fold(id, &lines)?,
            lines,
        })
    }

    /// Where it stands.
    pub fn run(&self) -> &WorkflowRun {
        &self.run
    }

    /// All its events.
    pub fn lines(&self) -> &[JournalLine] {
        &self.lines
    }
}

impl RunJournal {
    /// Begins a run: its first event is on disk when this returns. The same run may be begun again, by who does not know whether it was.
    ///
    /// # Errors
    /// `WORKFLOW-002` when the definition does not fit together, a data folder that cannot be used.
    pub fn begin(store: &Arc<Store>, started: RunStart, at: Timestamp) -> Result<Self, WorkflowError> {
        let event = RunEvent {
            at,
            what: RunEventKind::Started(Box::new(started)),
        };
        let run = WorkflowRun::begin_run(&event)?;
        let mut journal = Self {
            store: Arc::clone(store),
            run,
            next: 0,
        };
        match journal.write(&event)? {
            AppendOutcome::Written => journal.next = 1,
            AppendOutcome::Taken => {
                let started = journal.run.started.clone();
                journal.refresh()?;
                if journal.run.started != started {
                    return Err(IllegalEvent {
                        event: "started",
                        why: "a run of this id was begun already",
                    }
                    .into());
                }
            }
        }
        Ok(journal)
    }

    /// Takes up a run by its whole id.
    ///
    /// # Errors
    /// `WORKFLOW-004` when there is none, `WORKFLOW-005` when its journal cannot be read.
    pub fn open(store: &Arc<Store>, id: &str) -> Result<Self, WorkflowError> {
        let history = RunHistory::read(&StoreReader::open(store.vault())?, id)?;
        Ok(Self {
            store: Arc::clone(store),
            next: history.lines.len() as u64,
            run: history.run,
        })
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
            match self.write(&event) {
                Ok(AppendOutcome::Written) => {
                    let n = self.next;
                    self.next += 1;
                    return Ok(JournalLine {
                        run: self.id().to_owned(),
                        n,
                        at: event.at,
                        what: event.what,
                    });
                }
                Ok(AppendOutcome::Taken) => self.refresh()?,
                Err(error) => {
                    // What is not on disk has not happened.
                    self.refresh()?;
                    return Err(error);
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
        *self = Self::open(&self.store, &id)?;
        Ok(())
    }

    fn write(&self, event: &RunEvent) -> Result<AppendOutcome, WorkflowError> {
        let json = serde_json::to_string(event).map_err(|error| WorkflowError::Damaged {
            run: self.id().to_owned(),
            n: self.next,
            what: error.to_string(),
        })?;
        Ok(self.store.write_run(RunWrite::Append {
            n: self.next,
            json,
            summary: summary(&self.run),
        })?)
    }
}

/// The events of a run from `from` on.
///
/// # Errors
/// `WORKFLOW-005` when one cannot be read.
pub fn lines(reader: &StoreReader, id: &str, from: u64) -> Result<Vec<JournalLine>, WorkflowError> {
    let rows = reader.run_events(id, from)?;
    rows.iter().map(|row| line(id, row)).collect()
}

fn line(id: &str, row: &StoredRunEvent) -> Result<JournalLine, WorkflowError> {
    let event: RunEvent = serde_json::from_str(&row.json).map_err(|error| WorkflowError::Damaged {
        run: id.to_owned(),
        n: row.n,
        what: error.to_string(),
    })?;
    Ok(JournalLine {
        run: id.to_owned(),
        n: row.n,
        at: event.at,
        what: event.what,
    })
}

fn fold(id: &str, lines: &[JournalLine]) -> Result<WorkflowRun, WorkflowError> {
    let event = |line: &JournalLine| RunEvent {
        at: line.at,
        what: line.what.clone(),
    };
    let damaged = |n: u64, why: &IllegalEvent| WorkflowError::Damaged {
        run: id.to_owned(),
        n,
        what: why.to_string(),
    };
    let (first, rest) = lines.split_first().ok_or(WorkflowError::NotOne {
        what: "there is no such run",
    })?;
    let mut run = WorkflowRun::begin_run(&event(first)).map_err(|why| damaged(0, &why))?;
    for line in rest {
        run.apply_event(&event(line))
            .map_err(|why| damaged(line.n, &why))?;
    }
    Ok(run)
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

fn summary(run: &WorkflowRun) -> RunSummary {
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
    let found = open_runs(vault)?
        .map(|reader| reader.find_runs(prefix))
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
