//! Runs of workflows, for the pages and for commands.
//!
//! What: journals as [`RunView`]s, the owner's replies, requests of the control socket, questions whose time is over. Why: the service
//! executes runs, and is where their owner looks. Not here: executing a run (`aura_workflow::host`), the command line (`cli`).

mod command;

pub use command::work_on;

use crate::control::{ControlReply, ProgressSender, RequestProgress};
use aura_memory::{Store, StoreError, StoreReader};
use aura_platform::clock::Clock;
use aura_workflow::{
    RunHistory, RunHost, RunHostKind, WorkflowError, inbox,
    protocol::{FailureKind, RunReply, RunRequest},
};
use orchestrator_machine::workflow::{
    definition::StepTask,
    run::{RunEnd, RunPhase, StepSnapshot, WorkflowRun},
};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};
use surfaces::web::UiEvents;
use surfaces_base::{
    backend::UiEventKind,
    backend::runs::{NoOpenQuestion, QuestionReply, RunStanding, RunView, StepView},
    language::text,
};
use tokio::sync::{Notify, watch::Receiver};

/// The newest runs and all that ask, newest first. One whose journal cannot be read is left out, and the log says so.
///
/// # Errors
/// The database cannot be read.
pub fn views(store: &Store, limit: usize) -> Result<Vec<RunView>, StoreError> {
    // Whoever waits for a card asks this too: it waits neither for a connection nor for the graph.
    store.readers().read_unfolded(|reader| {
        let newest = reader.runs(u32::try_from(limit).unwrap_or(u32::MAX))?;
        let mut seen = BTreeSet::new();
        let ids = newest
            .into_iter()
            .chain(reader.waiting_runs()?)
            .map(|head| head.run);
        let ids = ids.filter(|run| seen.insert(run.clone()));
        let mut views: Vec<RunView> = ids
            .filter_map(|run| view_of(reader, store, &run).ok().flatten())
            .collect();
        views.sort_by_key(|view| std::cmp::Reverse((view.changed, view.id.clone())));
        Ok(views)
    })
}

/// One run, if there is one of that id.
///
/// # Errors
/// Its journal cannot be read.
pub fn view(store: &Store, id: &str) -> Result<Option<RunView>, WorkflowError> {
    view_of(&StoreReader::open_unfolded(store.vault())?, store, id)
}

fn view_of(reader: &StoreReader, store: &Store, id: &str) -> Result<Option<RunView>, WorkflowError> {
    let history = match RunHistory::read(reader, id) {
        Ok(history) => history,
        Err(WorkflowError::NotOne { .. }) => return Ok(None),
        Err(error) => {
            tracing::error!(run = id, %error, "the journal of a run cannot be read");
            return Err(error);
        }
    };
    Ok(Some(run_view(history.run(), store.held_runs().contains(id))))
}

/// A run as it is shown. `held`: a process executes it.
fn run_view(run: &WorkflowRun, held: bool) -> RunView {
    let question = match &run.phase {
        RunPhase::Waiting { question, .. } => Some(question.clone()),
        RunPhase::Working(_) | RunPhase::Stopped { .. } | RunPhase::Over(_) => None,
    };
    let steps = run.definition().steps.iter().filter_map(|step| {
        let agent = match &step.work {
            StepTask::Envelope { agent, .. } | StepTask::Base { agent, .. } => agent.clone(),
            StepTask::Ask { proposal } => proposal.tool.to_string(),
            StepTask::Read { read } => read.tool.to_string(),
            StepTask::Group { .. } => return None,
        };
        let latest = run.latest.get(&step.name)?;
        Some(StepView {
            name: step.name.clone(),
            agent,
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

/// Writes a reply down. An answered run goes on.
///
/// # Errors
/// The journal cannot be read or written.
pub fn reply(
    host: &RunHost,
    id: &str,
    reply: &QuestionReply,
) -> Result<Result<(), NoOpenQuestion>, WorkflowError> {
    let run = id.to_owned();
    let request = match reply {
        QuestionReply::Answer(text) => RunRequest::Answer {
            run,
            text: text.clone(),
        },
        QuestionReply::Dismiss => RunRequest::Dismiss { run },
    };
    let asked = |request| host.answer(request, &mut |_| true);
    let mut done = asked(request);
    if matches!((reply, &done), (QuestionReply::Answer(_), RunReply::Done(_))) {
        done = asked(RunRequest::Leave {
            started: None,
            run: id.to_owned(),
        });
    }
    let RunReply::Failed(failure) = done else {
        return Ok(Ok(()));
    };
    match failure.kind {
        FailureKind::Illegal | FailureKind::Refused => Ok(Err(NoOpenQuestion)),
        FailureKind::Project | FailureKind::Unusable | FailureKind::Data | FailureKind::Busy => {
            Err(failure.into())
        }
    }
}

/// What comes of a request, on a thread that may wait.
pub async fn answer(host: &RunHost, request: RunRequest, say: &ProgressSender) -> ControlReply {
    let (host, say) = (host.clone(), say.clone());
    let answered = tokio::task::spawn_blocking(move || {
        host.answer(request, &mut |line| {
            say.progress(RequestProgress::Run(Box::new(line)));
            say.is_heard()
        })
    });
    answered.await.map_or_else(
        |_| ControlReply::Error(text("control-run-panicked").to_owned()),
        ControlReply::Run,
    )
}

/// The runs of a service's folder; pages are told of each event.
pub fn host(store: &Arc<Store>, live: Arc<UiEvents>, happened: Arc<Notify>) -> RunHost {
    let listener = move || {
        live.tell(UiEventKind::Runs);
        happened.notify_one();
    };
    RunHost::new(Arc::clone(store), RunHostKind::Service, Box::new(listener))
}

/// Ends the runs whose questions nobody answers in time, each when its time is over, until told to stop. `happened`: with each event.
pub fn expire(host: RunHost, clock: Clock, happened: Arc<Notify>, mut stopped: Receiver<bool>) {
    actix::spawn(async move {
        loop {
            let (store, now) = (Arc::clone(host.store()), clock.wall());
            let looked = tokio::task::spawn_blocking(move || inbox::expire(&store, now)).await;
            let next = match looked {
                Ok(Ok(next)) => next,
                Ok(Err(error)) => {
                    tracing::error!(%error, "the questions of runs cannot be read");
                    None
                }
                Err(_) => None,
            };
            let due = async {
                match next {
                    // The wait is on the timeline, which goes on as the wall clock does.
                    Some(until) => {
                        let _woken = clock.sleep_until(clock.at().plus_ms(until.since(now))).await;
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                () = happened.notified() => {}
                () = due => {}
            }
        }
    });
}
