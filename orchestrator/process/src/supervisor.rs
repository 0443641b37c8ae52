//! Keeps a child process alive.
//!
//! What: [`supervise`], the one loop: start, serve one job at a time, end, start again as the supervision table says. That a process ended is
//! told by its socket, that somebody stopped it by the kernel ([`StopDetector`]); a ping is for what neither tells. [`SupervisedChild`] is what differs between an agent's process (`agent_process`) and the model's (`model_supervisor`),
//! [`ChildSession`] one life of either. Not here: the table (`orchestrator_machine::supervision`), socket and process (`link`).

use super::{
    ProcessEnd,
    link::{ExitReason, ProcessLink},
    progress::is_stopped,
};
use aura_platform::{
    metrics::METRICS,
    supervise::{FailureTracker, escalate},
};
use orchestrator_machine::supervision::{RestartDecision, SupervisedRole};
use std::{
    ops::ControlFlow,
    process::ExitStatus,
    task::{Context, Waker},
    time::Duration,
};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
    time::{Instant, sleep},
};
use toolcall_schema::wire::WireError;

/// How often a process that is not asked anything is pinged. One that hangs while nobody asks it anything harms nobody, and is noticed by the
/// next question.
pub(super) const PING: Duration = Duration::from_mins(5);
/// A process that somebody stopped and that nobody lets go on for so long is ended.
const STOPPED: Duration = Duration::from_secs(5);
/// How long an answer to a ping may take.
pub(super) const PONG: Duration = Duration::from_secs(2);
/// The most that a process may say of its sandbox, in bytes of printable ASCII.
const SANDBOX_MAX: usize = 120;

/// Why a session is over.
pub(super) enum SessionEnd {
    /// Nobody can hand over jobs any more.
    ServiceEnded,
    /// It is started again at once, on purpose.
    Renewed,
    /// The same, as another program: the failures so far say nothing about that one.
    Replaced,
    Failed(ExitReason, Option<ExitStatus>),
}

/// One life of a process that is ready.
pub(super) trait ChildSession: Sized {
    /// Waits for what comes without being asked for, until it ends. Can be cancelled at any time.
    async fn idle(&mut self) -> ExitReason;

    /// Asks whether it is there.
    async fn ping(&mut self) -> Result<(), ExitReason>;

    /// Its process number.
    fn pid(&self) -> u32;

    /// The frame that asks it to end.
    fn stop_frame() -> Result<Vec<u8>, WireError>;

    fn into_link(self) -> ProcessLink;

    /// Asks it to end, and kills it if it has not in its role's time.
    async fn stop(self, role: SupervisedRole) -> Option<ExitStatus> {
        let grace = Duration::from_millis(role.restart_policy().grace_ms);
        match Self::stop_frame() {
            Ok(stop) => self.into_link().stop(&stop, grace).await,
            Err(_) => self.end().await,
        }
    }

    /// Kills it, if it still lives, and says how it ended. What it ended with by itself stays.
    async fn end(self) -> Option<ExitStatus> {
        self.into_link().end().await
    }
}

/// What is kept alive, and what its jobs are.
pub(super) trait SupervisedChild {
    const ROLE: SupervisedRole;
    type Session: ChildSession;
    type Job;

    /// As logs and metrics name it.
    fn name(&self) -> &'static str;

    /// Starts the process and waits until it can be asked.
    async fn start(&mut self, queue: &mut JobQueue<Self::Job>) -> Result<Self::Session, SessionEnd>;

    /// Whether somebody waits for what comes of a job.
    fn is_awaited(job: &Self::Job) -> bool;

    /// Waits until something else is to be started in its place.
    async fn replaced(&self);

    /// Serves one job. The queue tells about newer ones.
    async fn handle(
        &mut self,
        session: &mut Self::Session,
        job: Self::Job,
        queue: &mut JobQueue<Self::Job>,
    ) -> ControlFlow<SessionEnd>;

    /// Takes a job while there is no process.
    fn handle_without_process(&mut self, job: Self::Job);

    /// It serves no longer, but still has to end.
    fn note_session_end(&mut self, end: &SessionEnd);

    /// It failed, and rests or is started again.
    fn note_failure(&mut self, end: ProcessEnd, rest: bool);
}

/// The jobs of a process.
pub(super) struct JobQueue<J> {
    jobs: mpsc::Receiver<J>,
    first: Option<J>,
}

impl<J> JobQueue<J> {
    pub(super) fn new(jobs: mpsc::Receiver<J>) -> Self {
        Self { jobs, first: None }
    }

    /// The next job; `None`: nobody can hand over jobs any more. Can be cancelled at any time.
    pub(super) async fn next(&mut self) -> Option<J> {
        match self.first.take() {
            Some(job) => Some(job),
            None => self.jobs.recv().await,
        }
    }

    /// This job comes next.
    pub(super) fn put_first(&mut self, job: J) {
        self.first = Some(job);
    }

    /// Takes in jobs and drops all but the newest, until nobody can hand over any.
    pub(super) async fn keep_newest(&mut self) {
        while let Some(job) = self.jobs.recv().await {
            self.first = Some(job);
        }
    }
}

/// Keeps a process alive until nobody can hand over jobs any more; the process has ended then.
pub(super) async fn supervise<C: SupervisedChild>(mut child: C, jobs: mpsc::Receiver<C::Job>) {
    let mut queue = JobQueue::new(jobs);
    let mut failures = FailureTracker::for_role(C::ROLE);
    loop {
        let (reason, status) = match run_session(&mut child, &mut queue).await {
            SessionEnd::ServiceEnded => return,
            SessionEnd::Renewed => continue,
            SessionEnd::Replaced => {
                failures = FailureTracker::for_role(C::ROLE);
                continue;
            }
            SessionEnd::Failed(reason, status) => (reason, status),
        };
        let RestartDecision::Restart { after_ms, rest } = failures.failed() else {
            return escalate();
        };
        let end = ProcessEnd::now(&reason, status);
        tracing::error!(
            process = child.name(),
            after_ms,
            rest,
            cause = std::error::Error::source(&reason).map(tracing::field::display),
            "a process is started again: {end}"
        );
        METRICS.restarted(child.name());
        child.note_failure(end, rest);
        let pause = Duration::from_millis(after_ms);
        if !rest {
            // Jobs wait: for less than a fifth of a second.
            sleep(pause).await;
        } else if !pause.is_zero()
            && let SessionEnd::ServiceEnded = wait(&mut child, &mut queue, pause).await
        {
            return;
        }
    }
}

/// Waits for so long without a process, or until something else is to be started.
pub(super) async fn wait<C: SupervisedChild>(
    child: &mut C,
    queue: &mut JobQueue<C::Job>,
    long: Duration,
) -> SessionEnd {
    let over = sleep(long);
    tokio::pin!(over);
    loop {
        let job = tokio::select! {
            () = &mut over => return SessionEnd::Renewed,
            () = child.replaced() => return SessionEnd::Renewed,
            job = queue.next() => job,
        };
        match job {
            Some(job) => child.handle_without_process(job),
            None => return SessionEnd::ServiceEnded,
        }
    }
}

/// One life of the process, from its start to its end.
async fn run_session<C: SupervisedChild>(child: &mut C, queue: &mut JobQueue<C::Job>) -> SessionEnd {
    // Before it is there: none of its stops is missed.
    let mut stops = StopDetector::new();
    let mut session = match child.start(queue).await {
        Ok(session) => session,
        Err(end) => return end,
    };
    let end = serve(child, &mut session, queue, &mut stops).await;
    child.note_session_end(&end);
    if let SessionEnd::Failed(reason, _) = end {
        return SessionEnd::Failed(reason, session.end().await);
    }
    session.stop(C::ROLE).await;
    end
}

/// Serves one job at a time until the session is over.
async fn serve<C: SupervisedChild>(
    child: &mut C,
    session: &mut C::Session,
    queue: &mut JobQueue<C::Job>,
    stops: &mut StopDetector,
) -> SessionEnd {
    let pid = session.pid();
    // One timer for the whole session: a timer that is only put off costs neither a lock nor a wake-up.
    let ping = sleep(PING);
    tokio::pin!(ping);
    loop {
        ping.as_mut().reset(Instant::now() + PING);
        let job = tokio::select! {
            biased;
            job = queue.next() => job,
            () = child.replaced() => return SessionEnd::Replaced,
            reason = session.idle() => return SessionEnd::Failed(reason, None),
            () = stops.stays_stopped(pid) => return SessionEnd::Failed(ExitReason::Stopped, None),
            () = &mut ping => match session.ping().await {
                Ok(()) => continue,
                Err(reason) => return SessionEnd::Failed(reason, None),
            },
        };
        let Some(job) = job else {
            return SessionEnd::ServiceEnded;
        };
        // Another process answers sooner than one that may go on in a while.
        if C::is_awaited(&job) && stops.is_stopped_now(pid) {
            queue.put_first(job);
            return SessionEnd::Failed(ExitReason::Stopped, None);
        }
        if let ControlFlow::Break(end) = child.handle(session, job, queue).await {
            return end;
        }
    }
}

/// Notices that a child was stopped by somebody: the kernel sends its parent SIGCHLD.
struct StopDetector {
    /// `None`: the system does not tell, and a ping has to.
    signals: Option<Signal>,
    /// It was stopped when it was looked at last.
    is_suspect: bool,
}

impl StopDetector {
    fn new() -> Self {
        let signals = signal(SignalKind::child());
        if let Err(error) = &signals {
            tracing::warn!(%error, "a process that is stopped is noticed late");
        }
        Self {
            signals: signals.ok(),
            is_suspect: false,
        }
    }

    /// Whether a process is stopped at this moment. Costs next to nothing where no child of this process was stopped or ended.
    fn is_stopped_now(&mut self, pid: u32) -> bool {
        if let Some(signals) = &mut self.signals {
            let mut nobody = Context::from_waker(Waker::noop());
            self.is_suspect |= signals.poll_recv(&mut nobody).is_ready();
        }
        self.is_suspect = self.is_suspect && is_stopped(pid);
        self.is_suspect
    }

    /// Waits until a process was stopped and stays so. Can be cancelled at any time.
    async fn stays_stopped(&mut self, pid: u32) {
        loop {
            if self.is_suspect {
                sleep(STOPPED).await;
                self.is_suspect = is_stopped(pid);
                if self.is_suspect {
                    return;
                }
            }
            let Some(signals) = &mut self.signals else {
                return std::future::pending().await;
            };
            // The signal may be about another child. There is no end of signals while this process lives.
            if signals.recv().await.is_some() {
                self.is_suspect = is_stopped(pid);
            }
        }
    }
}

/// What a process says of its sandbox, as far as it is let into logs and reports.
pub(super) fn plain_sandbox(words: &str) -> String {
    let plain = |c: &char| (' '..='~').contains(c);
    words.chars().filter(plain).take(SANDBOX_MAX).collect()
}
