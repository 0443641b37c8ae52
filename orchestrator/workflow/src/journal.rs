//! The journal of one run, with its fold.
//!
//! What: [`Journal`]: a run taken up from the data folder, and events added to it. Why: an event is on disk before anything follows
//! from it, and of two processes the second looks again before it goes on. Not here: the tables (`aura_memory::workflows`).

use super::WorkflowError;
use aura_memory::{
    Vault,
    workflows::{Appended, Head, RunEvent, Workflows},
};
use orchestrator_machine::workflow::{
    event::{Event, Started, What},
    run::{How, Illegal, Phase, Run},
};
use serde::{Deserialize, Serialize};
use toolcall_schema::Timestamp;

/// A run, as its journal tells it.
#[derive(Debug)]
pub struct Journal {
    store: Workflows,
    run: Run,
    /// The number of the next event.
    next: u64,
}

/// One event as it is printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The run's id.
    pub run: String,
    /// From 0.
    pub n: u64,
    pub at: Timestamp,
    pub what: What,
}

impl Journal {
    /// Begins a run: its first event is on disk when this returns.
    ///
    /// # Errors
    /// `WORKFLOW-002` when the definition does not fit together, a data folder that cannot be used.
    pub fn begin(vault: &Vault, started: Started, at: Timestamp) -> Result<Self, WorkflowError> {
        let event = Event {
            at,
            what: What::Started(Box::new(started)),
        };
        let run = Run::begin(&event)?;
        let mut store = Workflows::open(vault)?;
        match store.append(0, &text(&event, &run, 0)?, &head(&run))? {
            Appended::Written => Ok(Self { store, run, next: 1 }),
            Appended::Taken => Err(Illegal {
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
        Self::of(Workflows::open(vault)?, id)
    }

    /// The same for looking alone: nothing can be added.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn look(vault: &Vault, id: &str) -> Result<Self, WorkflowError> {
        let store = Workflows::look(vault)?.ok_or(WorkflowError::NotOne {
            what: "there is no run yet",
        })?;
        Self::of(store, id)
    }

    fn of(store: Workflows, id: &str) -> Result<Self, WorkflowError> {
        let (run, next) = fold(&store, id)?;
        Ok(Self { store, run, next })
    }

    /// Where it stands, as far as this process has read.
    pub fn run(&self) -> &Run {
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
    pub fn append(&mut self, at: Timestamp, what: What) -> Result<Line, WorkflowError> {
        let event = Event { at, what };
        loop {
            self.run.apply(&event)?;
            let text = text(&event, &self.run, self.next)?;
            let done = self.store.append(self.next, &text, &head(&self.run));
            match done {
                Ok(Appended::Written) => {
                    let n = self.next;
                    self.next += 1;
                    return Ok(self.line(n, event));
                }
                Ok(Appended::Taken) => self.refresh()?,
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
    pub fn lines(&self, from: u64) -> Result<Vec<Line>, WorkflowError> {
        let rows = self.store.events(self.id(), from)?;
        rows.iter()
            .map(|row| Ok(self.line(row.n, read(self.id(), row)?)))
            .collect()
    }

    fn line(&self, n: u64, event: Event) -> Line {
        Line {
            run: self.id().to_owned(),
            n,
            at: event.at,
            what: event.what,
        }
    }
}

fn fold(store: &Workflows, id: &str) -> Result<(Run, u64), WorkflowError> {
    let rows = store.events(id, 0)?;
    let mut rows = rows.iter();
    let first = rows.next().ok_or(WorkflowError::NotOne {
        what: "there is no such run",
    })?;
    let damaged = |n: u64, why: &Illegal| WorkflowError::Damaged {
        run: id.to_owned(),
        n,
        what: why.to_string(),
    };
    let mut run = Run::begin(&read(id, first)?).map_err(|why| damaged(0, &why))?;
    let mut next = 1;
    for row in rows {
        run.apply(&read(id, row)?).map_err(|why| damaged(row.n, &why))?;
        next = row.n + 1;
    }
    Ok((run, next))
}

fn read(id: &str, row: &RunEvent) -> Result<Event, WorkflowError> {
    serde_json::from_str(&row.json).map_err(|error| WorkflowError::Damaged {
        run: id.to_owned(),
        n: row.n,
        what: error.to_string(),
    })
}

fn text(event: &Event, run: &Run, n: u64) -> Result<String, WorkflowError> {
    serde_json::to_string(event).map_err(|error| WorkflowError::Damaged {
        run: run.started.run.clone(),
        n,
        what: error.to_string(),
    })
}

/// Where a run stands, in one word.
pub fn phase(run: &Run) -> &'static str {
    match &run.phase {
        Phase::Working(_) => "working",
        Phase::Waiting { .. } => "waiting",
        Phase::Stopped { .. } => "stopped",
        Phase::Over(How::Completed) => "completed",
        Phase::Over(How::Expired) => "expired",
        Phase::Over(How::Cancelled) => "cancelled",
        Phase::Over(How::Undone) => "undone",
    }
}

fn head(run: &Run) -> Head {
    let until = match &run.phase {
        Phase::Waiting { question, .. } => Some(question.until.ms()),
        Phase::Working(_) | Phase::Stopped { .. } | Phase::Over(_) => None,
    };
    Head {
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
    let found = Workflows::look(vault)?
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
