//! Supervises the model's process.
//!
//! What: [`start`], a task that looks which model is chosen and whether it can run, starts its process, asks it one thing at a time and
//! kills it when it is late; and [`ModelClient`], the model as the client sees it. Why: a service goes on without a model, and with
//! one that crashes. Not here: one life of the process (`model_session`), the loop (`supervisor`), what is asked
//! (`llm_runtime::question`), the client's actor (`actors::model`).
//!
//! Newest wins: a question that comes while another is waiting or running takes its place.

use super::{
    link::ExitReason,
    llm::ModelLaunch,
    model_session::{ModelSession, SessionAnswer},
    supervisor::{ChildSession as _, JobQueue, SessionEnd, SupervisedChild, supervise, wait},
};
use crate::{ProcessEnd, ProcessEnds, WorkerProgram, llm, models::ModelCatalog};
use aura_memory::chosen::{self, ModelChoice};
use aura_platform::metrics::METRICS;
use llm_runtime::{
    LanguageModel, ModelQuestion, ModelText, PendingAnswer,
    manifest::{ModelManifest, Tier},
};
use orchestrator_machine::supervision::SupervisedRole;
use rustix::{
    fs::inotify::{self, CreateFlags, WatchFlags},
    io::Errno,
};
use serde::Serialize;
use std::{
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    net::unix::pipe,
    sync::{Notify, mpsc, oneshot, watch},
    task::JoinHandle,
};
use toolcall_schema::{ModelFault, ModelFileStatus as File};

/// Questions on their way to the task; of those that arrive while one is asked, the newest is asked next.
pub const QUEUE: usize = 4;
/// How often it is looked whether the program is there that runs a model whose file is there.
const LOOK: Duration = Duration::from_mins(1);
/// How often it is looked for what the kernel tells of: a model's file, a manifest, another choice.
const LOOK_BESIDE_KERNEL: Duration = Duration::from_mins(15);
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
    /// How the last ones ended.
    #[serde(rename = "last_end")]
    pub ends: ProcessEnds,
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
    report: watch::Sender<ModelReport>,
    changed: Notify,
}

impl ModelStatus {
    /// As it is now.
    pub fn report(&self) -> ModelReport {
        self.0.report.borrow().clone()
    }

    /// Tells of each change of the report.
    pub fn watch(&self) -> watch::Receiver<ModelReport> {
        self.0.report.subscribe()
    }

    /// What may be asked now.
    pub fn tier(&self) -> Option<Tier> {
        let report = self.0.report.borrow();
        report.tier.filter(|_| report.standing == ModelState::Ready)
    }

    /// Another model may have been chosen: look again.
    pub fn changed(&self) {
        self.0.changed.notify_one();
    }

    fn note(&self, note: impl FnOnce(&mut ModelReport)) {
        self.0.report.send_modify(note);
    }
}

/// A queued question with its reply channel. Dropping it reports that a newer question replaced it.
struct ModelJob {
    question: ModelQuestion,
    asked: Instant,
    reply: oneshot::Sender<ModelText>,
}

impl ModelJob {
    /// What is left of its budget; `None`: nothing, or nobody waits any more.
    fn time_left(&self) -> Option<Duration> {
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
    status: ModelStatus,
}

impl LanguageModel for ModelClient {
    fn tier(&self) -> Option<Tier> {
        self.status.tier()
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
pub fn start(setup: ModelSetup, status: ModelStatus) -> (ModelClient, JoinHandle<()>) {
    let (jobs, queue) = mpsc::channel(QUEUE);
    let model = ModelSupervisor {
        setup,
        status: status.clone(),
    };
    (
        ModelClient { jobs, status },
        actix::spawn(supervise(model, queue)),
    )
}

/// Told when something comes into the folder of models, or that folder comes: an inotify that tokio waits for as for a pipe.
struct ModelFolderWatch(pipe::Receiver);

impl ModelFolderWatch {
    fn open(data: &Path) -> io::Result<Self> {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let comes = WatchFlags::CREATE | WatchFlags::MOVED_TO;
        inotify::add_watch(&fd, data, comes)?;
        match inotify::add_watch(&fd, data.join("models"), comes | WatchFlags::CLOSE_WRITE) {
            Ok(_) | Err(Errno::NOENT) => Ok(Self(pipe::Receiver::from_owned_fd_unchecked(fd)?)),
            Err(error) => Err(error.into()),
        }
    }

    async fn changes(watch: io::Result<Self>) {
        let Ok(Self(fd)) = watch else {
            return std::future::pending().await;
        };
        if fd.readable().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

struct ModelSupervisor {
    setup: ModelSetup,
    status: ModelStatus,
}

impl ModelSupervisor {
    /// Which model is chosen and how it is started, or why it cannot be.
    fn chosen(&self) -> Result<(ModelManifest, ModelLaunch), ModelState> {
        let shelf = ModelCatalog::in_folder(&self.setup.data);
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
        self.status.note(|report| {
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
}

impl SupervisedChild for ModelSupervisor {
    const ROLE: SupervisedRole = SupervisedRole::ModelProcess;
    // A start at once is worth waiting for.
    type Session = ModelSession;
    type Job = ModelJob;

    fn name(&self) -> &'static str {
        Self::ROLE.restart_policy().name
    }

    async fn start(&mut self, queue: &mut JobQueue<ModelJob>) -> Result<ModelSession, SessionEnd> {
        // Before it is looked: what comes in between is told.
        let watch = ModelFolderWatch::open(&self.setup.data);
        let (manifest, launch) = match self.chosen() {
            Ok(found) => found,
            Err(standing) => {
                self.status
                    .note(|report| (report.standing, report.pid) = (standing, None));
                let is_told = watch.is_ok() && standing != ModelState::NoWorker;
                let look = if is_told { LOOK_BESIDE_KERNEL } else { LOOK };
                return Err(tokio::select! {
                    end = wait(self, queue, look) => end,
                    () = ModelFolderWatch::changes(watch) => SessionEnd::Renewed,
                });
            }
        };
        drop(watch);
        self.status.note(|report| {
            if report.standing != ModelState::Ready {
                report.standing = ModelState::Starting;
            }
        });
        let mut session = ModelSession::start(&launch, manifest.template, manifest.tier)
            .map_err(|error| SessionEnd::Failed(ExitReason::Start(error), None))?;
        let started = tokio::select! {
            started = session.begin() => started,
            () = queue.keep_newest() => {
                session.stop(Self::ROLE).await;
                return Err(SessionEnd::ServiceEnded);
            }
        };
        let started = match started {
            Ok(started) => started,
            Err(reason) => return Err(SessionEnd::Failed(reason, session.end().await)),
        };
        self.status.note(|report| {
            report.standing = ModelState::Ready;
            report.pid = Some(session.pid());
            report.sandbox = Some(started.sandbox);
            report.load_ms = started.load_ms;
            report.prefix = Some((started.tokens, started.restored));
        });
        Ok(session)
    }

    // A sentence of the model's that comes late is done without.
    fn is_awaited(_: &Self::Job) -> bool {
        false
    }

    async fn replaced(&self) {
        self.status.0.changed.notified().await;
    }

    async fn handle(
        &mut self,
        session: &mut ModelSession,
        job: ModelJob,
        queue: &mut JobQueue<ModelJob>,
    ) -> ControlFlow<SessionEnd> {
        let Some(left) = job.time_left() else {
            job.answer(Err(ModelFault::Late));
            return ControlFlow::Continue(());
        };
        let asked = session.ask(&job.question, left).await;
        let answer = tokio::select! {
            answer = async { asked?; session.answer(left + GRACE).await } => answer,
            // The worker ends the older one when the newer one is asked.
            newer = queue.next() => return match newer {
                Some(newer) => {
                    queue.put_first(newer);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(SessionEnd::ServiceEnded),
            },
        };
        match answer {
            Ok(SessionAnswer { text, used }) => {
                if let Some(used) = used {
                    METRICS.model_worked(used);
                    self.status.note(|report| report.answers += 1);
                }
                job.answer(text);
                ControlFlow::Continue(())
            }
            Err(reason) => {
                let is_late = matches!(reason, ExitReason::Hung(_));
                job.answer(Err(if is_late {
                    ModelFault::Late
                } else {
                    ModelFault::Failed
                }));
                ControlFlow::Break(SessionEnd::Failed(reason, None))
            }
        }
    }

    fn handle_without_process(&mut self, job: ModelJob) {
        job.answer(Err(ModelFault::Absent));
    }

    fn note_session_end(&mut self, end: &SessionEnd) {
        self.status.note(|report| {
            report.pid = None;
            if !matches!(end, SessionEnd::Failed(..)) {
                report.standing = ModelState::Starting;
            }
        });
    }

    fn note_failure(&mut self, end: ProcessEnd, rest: bool) {
        self.status.note(|report| {
            report.restarts += 1;
            report.ends.note(end);
            if rest {
                report.standing = ModelState::Resting;
            }
        });
    }
}
