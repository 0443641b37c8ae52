//! Supervises the model's process.
//!
//! What: [`start`], a task that looks which model is chosen and whether it can run, starts its process, asks it one thing at a time, kills it
//! when it is late and starts it again as the supervision table says; and [`ModelClient`], the model as the client sees it. Why: a service
//! goes on without a model, and with one that crashes. Not here: one life of the process (`model`), what is asked
//! (`llm_runtime::question`), the client's actor (`actors::model`).
//!
//! Newest wins: a question that comes while another is waiting or running takes its place.

use super::{
    link::{ExitReason, both_in_words},
    llm::ModelLaunch,
    model::{ModelSession, SessionAnswer},
};
use crate::{
    WorkerProgram, llm,
    models::{FileStatus as File, ModelCatalog},
};
use aura_memory::chosen::{self, ModelChoice};
use aura_platform::{
    metrics::{METRICS, ModelUse},
    supervise::{FailureTracker, end_process},
};
use llm_runtime::{
    LanguageModel, ModelQuestion, ModelText, PendingAnswer,
    manifest::{ModelManifest, Tier},
};
use orchestrator_machine::supervision::{RestartDecision, SupervisedRole};
use serde::Serialize;
use std::{
    path::PathBuf,
    process::ExitStatus,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    task::JoinHandle,
    time::sleep,
};
use toolcall_schema::ModelFault;

/// Questions on their way to the task; of those that arrive while one is asked, the newest is asked next.
pub const QUEUE: usize = 4;
/// How often it is looked whether a model that cannot run can run now.
pub const LOOK: Duration = Duration::from_mins(1);
/// How often a process that is not asked anything is pinged.
const PING: Duration = Duration::from_secs(5);
/// Past its budget a question may take so much longer before its process is killed: the worker ends it by itself in time.
pub const GRACE: Duration = Duration::from_millis(250);

/// How it stands with the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelState {
    /// The owner chose none.
    #[default]
    Off,
    /// No manifest has the chosen name.
    Unknown,
    /// Its file is not there, or another one.
    NoFile,
    /// The program that runs it is not built.
    NoWorker,
    /// It is being loaded.
    Starting,
    /// It answers.
    Ready,
    /// It failed too often and rests.
    Resting,
}

/// What is known of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelReport {
    /// Which was chosen; absent: none.
    pub name: Option<String>,
    /// What it may be asked.
    pub tier: Option<Tier>,
    /// How it stands.
    pub standing: ModelState,
    /// Its process; absent while there is none.
    pub pid: Option<u32>,
    /// How often one was started again.
    pub restarts: u64,
    /// How the last one ended, in words of ours.
    pub last_end: Option<String>,
    /// What it says of its sandbox.
    pub sandbox: Option<String>,
    /// Milliseconds of loading.
    pub load_ms: u32,
    /// Tokens of the prefix that is kept, and whether it was read from the disk.
    pub prefix: Option<(u32, bool)>,
    /// Questions that were answered.
    pub answers: u64,
}

/// The report, and the word that another model was chosen.
#[derive(Debug, Clone, Default)]
pub struct ModelStatus(Arc<ModelStatusInner>);

#[derive(Debug, Default)]
struct ModelStatusInner {
    report: Mutex<ModelReport>,
    changed: Notify,
}

impl ModelStatus {
    fn lock(&self) -> MutexGuard<'_, ModelReport> {
        self.0.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As it is now.
    pub fn report(&self) -> ModelReport {
        self.lock().clone()
    }

    /// What may be asked now.
    pub fn tier(&self) -> Option<Tier> {
        let report = self.lock();
        report.tier.filter(|_| report.standing == ModelState::Ready)
    }

    /// Another model may have been chosen: look again.
    pub fn changed(&self) {
        self.0.changed.notify_one();
    }

    fn note(&self, note: impl FnOnce(&mut ModelReport)) {
        note(&mut self.lock());
    }
}

/// A queued question with its reply channel. Dropping it reports that a newer question replaced it.
pub(super) struct ModelJob {
    pub(super) question: ModelQuestion,
    asked: Instant,
    reply: oneshot::Sender<ModelText>,
}

impl ModelJob {
    /// What is left of its budget; `None`: nothing, or nobody waits any more.
    fn left(&self) -> Option<Duration> {
        let budget = Duration::from_millis(u64::from(self.question.budget_ms()));
        let left = budget
            .checked_sub(self.asked.elapsed())
            .filter(|left| !left.is_zero());
        left.filter(|_| !self.reply.is_closed())
    }

    fn answer(self, text: ModelText) {
        // Who asked may have stopped waiting.
        let _ = self.reply.send(text);
    }
}

/// The model as the client sees it. The process ends when it is dropped.
pub struct ModelClient {
    jobs: mpsc::Sender<ModelJob>,
    board: ModelStatus,
}

impl LanguageModel for ModelClient {
    fn tier(&self) -> Option<Tier> {
        self.board.tier()
    }

    fn ask(&mut self, _tick: u64, question: &ModelQuestion) -> PendingAnswer {
        let (reply, answer) = oneshot::channel();
        let job = ModelJob {
            question: question.clone(),
            asked: Instant::now(),
            reply,
        };
        if self.jobs.try_send(job).is_err() {
            return PendingAnswer::absent();
        }
        PendingAnswer::Later(Box::pin(async move {
            answer.await.unwrap_or(Err(ModelFault::Superseded))
        }))
    }
}

/// What the task is started with.
pub struct ModelSetup {
    /// The data folder: which model is chosen, and its file.
    pub data: PathBuf,
    /// The model's program; the one beside `aura` without.
    pub worker: Option<PathBuf>,
    /// What is run and becomes the model's program.
    pub program: WorkerProgram,
    /// This model, whatever is chosen.
    pub only: Option<String>,
}

/// Starts the task; the handle ends when the process has. Must run on the arbiter's own thread.
pub fn start(setup: ModelSetup, board: ModelStatus) -> (ModelClient, JoinHandle<()>) {
    let (jobs, queue) = mpsc::channel(QUEUE);
    let keeping = ModelSupervisor {
        setup,
        board: board.clone(),
        queue,
        next: None,
        failures: FailureTracker::of(SupervisedRole::ModelProcess),
    };
    (ModelClient { jobs, board }, actix::spawn(keeping.run()))
}

/// The service ends: nobody can ask any more.
pub(super) struct ServiceEnded;

struct ModelSupervisor {
    setup: ModelSetup,
    board: ModelStatus,
    queue: mpsc::Receiver<ModelJob>,
    /// The newest question that waits.
    next: Option<ModelJob>,
    failures: FailureTracker,
}

/// Why a life is over.
enum SessionOutcome {
    /// The service ends.
    Over,
    /// The owner chose another model.
    Changed,
    /// It failed.
    Failed(ExitReason, Option<ExitStatus>),
}

impl ModelSupervisor {
    async fn run(mut self) {
        loop {
            let ended = match self.chosen() {
                Ok((manifest, launch)) => self.life(&manifest, &launch).await,
                Err(standing) => {
                    self.board.note(|report| {
                        (report.standing, report.pid) = (standing, None);
                    });
                    match self.wait(LOOK).await {
                        Ok(()) => continue,
                        Err(ServiceEnded) => return,
                    }
                }
            };
            match ended {
                SessionOutcome::Over => return,
                SessionOutcome::Changed => self.failures = FailureTracker::of(SupervisedRole::ModelProcess),
                SessionOutcome::Failed(end, status) => {
                    let decision = self.failures.failed();
                    self.say(&end, status, decision);
                    let RestartDecision::Restart { after_ms, rest } = decision else {
                        return end_process();
                    };
                    let pause = Duration::from_millis(after_ms);
                    // While it rests nobody waits for it; a start at once is worth waiting for.
                    if rest {
                        self.board.note(|report| report.standing = ModelState::Resting);
                        if self.wait(pause).await.is_err() {
                            return;
                        }
                    } else {
                        sleep(pause).await;
                    }
                }
            }
        }
    }

    /// Which model is chosen and how it is started, or why it cannot be.
    fn chosen(&self) -> Result<(ModelManifest, ModelLaunch), ModelState> {
        let shelf = ModelCatalog::of(&self.setup.data);
        let name = match (&self.setup.only, chosen::chosen(&self.setup.data)) {
            (Some(only), _) => Some(only.clone()),
            (None, ModelChoice::None) => None,
            (None, ModelChoice::Model(name)) => Some(name),
            (None, ModelChoice::Default) => ModelManifest::built_in()
                .into_iter()
                .next()
                .map(|manifest| manifest.name),
        };
        let found = name.as_ref().map(|name| shelf.find(name).cloned());
        let tier = found
            .as_ref()
            .and_then(|found| found.as_ref().ok())
            .map(|manifest| manifest.tier);
        self.board.note(|report| {
            report.tier = tier;
            report.name.clone_from(&name);
        });
        let manifest = found.ok_or(ModelState::Off)?.map_err(|_| ModelState::Unknown)?;
        if shelf.standing(&manifest) != File::There {
            return Err(ModelState::NoFile);
        }
        llm::program(self.setup.worker.as_deref()).map_err(|_| ModelState::NoWorker)?;
        let launch = ModelLaunch {
            program: self.setup.program.clone(),
            worker: self.setup.worker.clone(),
            model: shelf.models.path(&manifest.file),
            // Without a folder its prefix is evaluated at each start.
            state: shelf.models.state(&manifest.name).ok(),
            context: manifest.context,
        };
        Ok((manifest, launch))
    }

    /// Waits for so long, or until another model is chosen. Questions are answered at once: there is none.
    async fn wait(&mut self, long: Duration) -> Result<(), ServiceEnded> {
        if let Some(job) = self.next.take() {
            job.answer(Err(ModelFault::Absent));
        }
        let over = sleep(long);
        tokio::pin!(over);
        loop {
            let job = tokio::select! {
                () = &mut over => return Ok(()),
                () = self.board.0.changed.notified() => return Ok(()),
                job = self.queue.recv() => job,
            };
            job.ok_or(ServiceEnded)?.answer(Err(ModelFault::Absent));
        }
    }

    /// One life, from its start to its end.
    async fn life(&mut self, manifest: &ModelManifest, launch: &ModelLaunch) -> SessionOutcome {
        let board = self.board.clone();
        board.note(|report| {
            if report.standing != ModelState::Ready {
                report.standing = ModelState::Starting;
            }
        });
        let mut life = match ModelSession::start(launch, manifest.template, manifest.tier) {
            Ok(life) => life,
            Err(error) => return SessionOutcome::Failed(ExitReason::Start(error), None),
        };
        let begun = tokio::select! {
            begun = life.begin() => begun,
            over = hold(&mut self.queue, &mut self.next) => {
                let ServiceEnded = over;
                life.stop().await;
                return SessionOutcome::Over;
            }
        };
        let begun = match begun {
            Ok(begun) => begun,
            Err(end) => return SessionOutcome::Failed(end, life.end().await),
        };
        board.note(|report| {
            report.standing = ModelState::Ready;
            report.pid = life.pid();
            report.sandbox = Some(begun.sandbox);
            report.load_ms = begun.load_ms;
            report.prefix = Some((begun.tokens, begun.restored));
        });
        let ended = self.serve(&mut life).await;
        board.note(|report| report.pid = None);
        match ended {
            SessionOutcome::Over | SessionOutcome::Changed => {
                board.note(|report| report.standing = ModelState::Starting);
                life.stop().await;
                ended
            }
            SessionOutcome::Failed(end, _) => SessionOutcome::Failed(end, life.end().await),
        }
    }

    /// Asks one thing at a time until it ends.
    async fn serve(&mut self, life: &mut ModelSession) -> SessionOutcome {
        loop {
            let next = self.next.take();
            let job = tokio::select! {
                biased;
                job = async { if next.is_some() { next } else { self.queue.recv().await } } => match job {
                    Some(job) => job,
                    None => return SessionOutcome::Over,
                },
                () = self.board.0.changed.notified() => return SessionOutcome::Changed,
                end = life.idle() => return SessionOutcome::Failed(end, None),
                () = sleep(PING) => match life.ping().await {
                    Ok(()) => continue,
                    Err(end) => return SessionOutcome::Failed(end, None),
                },
            };
            let Some(left) = job.left() else {
                job.answer(Err(ModelFault::Late));
                continue;
            };
            let asked = life.ask(&job.question, left).await;
            let answer = tokio::select! {
                answer = async { asked?; life.answer(left + GRACE).await } => answer,
                // The worker ends the older one when the newer one is asked.
                newer = self.queue.recv() => {
                    self.next = newer;
                    if self.next.is_none() {
                        return SessionOutcome::Over;
                    }
                    continue;
                }
            };
            match answer {
                Ok(SessionAnswer { text, used }) => {
                    if let Some(used) = used {
                        METRICS.model_worked(ModelUse {
                            prompt_tokens: used.prompt_tokens,
                            reused_tokens: used.reused_tokens,
                            output_tokens: used.output_tokens,
                            total_ms: used.total_ms,
                        });
                        self.board.note(|report| report.answers += 1);
                    }
                    job.answer(text);
                }
                Err(end) => {
                    let fault = if matches!(end, ExitReason::Hung(_)) {
                        ModelFault::Late
                    } else {
                        ModelFault::Failed
                    };
                    job.answer(Err(fault));
                    return SessionOutcome::Failed(end, None);
                }
            }
        }
    }

    fn say(&self, end: &ExitReason, status: Option<ExitStatus>, decision: RestartDecision) {
        let words = both_in_words(end, status);
        let (after_ms, rest) = match decision {
            RestartDecision::Restart { after_ms, rest } => (after_ms, rest),
            RestartDecision::Escalate => (0, false),
        };
        tracing::error!(
            after_ms,
            rest,
            cause = std::error::Error::source(end).map(tracing::field::display),
            "the model's process is started again: {words}"
        );
        METRICS.restarted(SupervisedRole::ModelProcess.restart_policy().name);
        self.board.note(|report| {
            report.restarts += 1;
            report.last_end = Some(words);
        });
    }
}

/// Takes in questions while none can be asked: the newest stays. Ends with the service.
async fn hold(queue: &mut mpsc::Receiver<ModelJob>, next: &mut Option<ModelJob>) -> ServiceEnded {
    while let Some(job) = queue.recv().await {
        *next = Some(job);
    }
    ServiceEnded
}
