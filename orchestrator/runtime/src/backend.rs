//! What the pages ask, answered over the actors.
//!
//! What: [`surfaces_base::backend::Backend`], and what of it goes to the machine: signals, answers to cards, the owner's word, the state as it is. Why: a
//! page, a recorded day's stand-in for a page and the command line all come in the same way. Not here: what is read from the store (`decisions`,
//! `week` and the others below), pages, decisions.

mod accounts;
mod agent_health;
mod asks;
mod backups;
mod calls;
mod decisions;
mod doctor;
mod drafts;
mod forgetting;
mod health_post;
mod health_report;
mod keys;
mod meetings;
mod memory;
mod models;
mod notify;
mod ops;
mod owner;
mod people;
pub(crate) mod removed_rules;
pub(crate) mod run_proposals;
mod settings;
mod store_results;
mod web_push;
mod week;

pub use asks::ProgramAccess;
pub(crate) use health_report::HealthReport;
pub(crate) use ops::kept_tick;
pub use store_results::StoreResults;

use self::removed_rules::RemovedRules;
use crate::{
    accounts::LiveAccounts,
    actors::{
        orchestrator::{
            GetHealth, GetState, OrchestratorActor, OwnerCommand, PostSignals, PostedSignal, StateSnapshot,
            SubmitCard,
        },
        surfaces::{CardSeen, ConnectionChanged, SurfacesActor},
    },
    cpu_quota::CpuQuota,
    outbound::web_push::WebPush,
    outbound_health::OutboundHealth,
    owner_rules,
    page_backups::PageBackups,
    page_deletions::PageDeletions,
    page_models::PageModels,
    post_progress::PostOutcome,
    reads::ReadRecorder,
    runs,
    settings::SettingsEditor,
};
use actix::Addr;
use agents::actor::AgentsPort;
use aura_memory::{
    QuarantineWriter, ReaderPool, SignalKey, StoreError, StoreReader, Vault,
    audit::{AuditEntry, AuditSubject, Op},
};
use aura_platform::{
    clock::Clock, health::ServiceHealth, in_flight::InFlight, mailbox::send, metrics::FigureShare,
    retention_clock::RetentionClock,
};
use aura_process::{
    AgentStatusRegistry, model_supervisor,
    sandbox::{LandlockLevel, SandboxLevel},
};
use aura_workflow::RunHost;
use orchestrator_machine::{
    MachineState, cards, effect::SubmissionVerdict, event::EventKind, supervision::SupervisedRole,
};
use std::{path::PathBuf, sync::Arc, time::Duration};
use surfaces::web::UiEvents;
use surfaces_base::backend::runs::{NoOpenQuestion, QuestionReply, RunView};
use surfaces_base::backend::{
    AnswerReply, AnswerSubmission, Backend, BackendError, BackendFuture, DecidedAgain, HealthApp, HealthFlag,
    HealthPostReply, KeptBody, KeptPayment, KeptVersion, NowView, OwnerCall, OwnerCallError, RejectedSignal,
    SignalReply, UiEvent, UntracedActs, WeekView,
};
use surfaces_base::locale::LocaleSetting;
use tokio::sync::{Notify, broadcast, oneshot, watch};
use toolcall_schema::{
    ActionKind, SubmitAct, Surface, Timestamp,
    ids::{CardId, TraceId},
    rule::{OwnerInstruction, RuleError},
    signal::AdmittedSignal,
    trace::{Asker, Trace},
    whatif::ImaginedMoment,
};

/// How long a page waits for an answer of an actor.
const WAIT: Duration = Duration::from_secs(5);

/// How long the sender of signals waits: then it is told which ones to send again.
const POST_WAIT: Duration = Duration::from_secs(3);

/// The backend of the pages.
#[derive(Clone)]
pub struct ServiceBackend {
    /// Held while the service looks after itself: one look at a time.
    pub doctor_look: Arc<tokio::sync::Mutex<()>>,
    /// What of the process's figures is this service's.
    pub share: Arc<FigureShare>,
    /// The machine.
    pub orchestrator: Addr<OrchestratorActor>,
    /// Tells which surfaces are connected.
    pub surfaces: Addr<SurfacesActor>,
    /// Changes that pages are told of.
    pub live: Arc<UiEvents>,
    /// The data folder.
    pub vault: Vault,
    /// What is in flight.
    pub busy: InFlight,
    /// Begins to run when the first page connects (the demo household).
    pub clock: Clock,
    /// Tells when an agent took payments back that memory knows.
    pub withdrawals: Arc<Notify>,
    /// What ages are counted by.
    pub retention: RetentionClock,
    /// What was refused: its counters, and purging.
    pub quarantine: Arc<QuarantineWriter>,
    /// Records what is read.
    pub reads: ReadRecorder,
    /// The agents' processes.
    pub registry: AgentStatusRegistry,
    /// The model's process.
    pub model: model_supervisor::ModelStatus,
    /// The way to the agents, for names on a page.
    pub agents: AgentsPort,
    /// The owner's accounts on servers.
    pub accounts: LiveAccounts,
    /// The owner's file, to say where settings are from; absent: none is read.
    pub home: Option<PathBuf>,
    /// How the owner's file is changed; absent: pages do not change it.
    pub settings: Option<SettingsEditor>,
    /// What this owner may use of the processor; absent: whatever there is.
    pub(crate) cpu: Option<Arc<CpuQuota>>,
    /// How pages have things forgotten; absent on a folder without a service.
    pub deletions: Option<PageDeletions>,
    /// What pages do with language models; absent on a folder without a service.
    pub models: Option<PageModels>,
    /// What pages do with backups; absent on a folder without a service.
    pub backups: Option<PageBackups>,
    /// The way to the owner's browsers; absent on a folder without a service.
    pub web_push: Option<WebPush>,
    /// What is to be said aloud.
    pub announced: broadcast::Sender<ActionKind>,
    /// What pages, notifications and speech are said in.
    pub locale: Arc<LocaleSetting>,
    /// The surfaces that are no pages.
    pub outbound: OutboundHealth,
    /// Runs of workflows.
    pub runs: RunHost,
    /// Who answers what is asked of the store.
    pub readers: Arc<ReaderPool>,
    /// What was worked out of the store and has not changed.
    pub results: Arc<StoreResults>,
    /// Programs that ask; absent on a folder without devices.
    pub programs: Option<ProgramAccess>,
    /// Tells of each turn of the machine.
    pub turns: watch::Receiver<()>,
    /// What the owner removed lately, to be added again.
    pub(crate) removed_rules: RemovedRules,
}

/// What the pages say of the agents' sandbox; nothing when all of it is enforced.
fn sandbox_flag(level: SandboxLevel) -> Option<HealthFlag> {
    match level {
        SandboxLevel {
            landlock: LandlockLevel::Fully { .. },
            seccomp: true,
        } => None,
        SandboxLevel {
            landlock: LandlockLevel::No,
            seccomp: false,
        } => Some(HealthFlag::NoSandbox),
        SandboxLevel { .. } => Some(HealthFlag::PartSandbox),
    }
}

impl ServiceBackend {
    /// The state as it is.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn look(&self) -> Result<Box<StateSnapshot>, BackendError> {
        let asked = tokio::time::timeout(WAIT, self.orchestrator.send(GetState)).await;
        let mut look = asked
            .map_err(|_| BackendError::Busy)?
            .map_err(|_| BackendError::Stopping)?;
        self.registry.correct_down(&mut look.health.down);
        Ok(look)
    }

    /// What is not as it should be.
    fn flags(&self, health: &ServiceHealth) -> Vec<HealthFlag> {
        let down = health.down.iter().filter(|(_, down)| **down);
        sandbox_flag(self.registry.level())
            .into_iter()
            .chain(down.map(|(agent, _)| HealthFlag::AgentDown(*agent)))
            .chain(health.journal_down.then_some(HealthFlag::JournalDown))
            .chain(
                self.quarantine
                    .health()
                    .failing
                    .then_some(HealthFlag::QuarantineDown),
            )
            .chain(self.outbound.flags())
            .collect()
    }

    /// Records that a page shows something; then it may.
    async fn shows(&self, meaning: AuditSubject) -> Result<(), BackendError> {
        let recorded = self.reads.by_page(self.clock.wall(), meaning).await;
        recorded.map_err(|error| {
            tracing::error!(%error, "a page was refused what it asked for");
            BackendError::Store
        })
    }

    /// Records an act of a page before it is done.
    async fn record_act(&self, op: Op, subject: impl Into<AuditSubject>) -> Result<(), BackendError> {
        let entry = AuditEntry {
            at_ms: self.clock.wall().ms(),
            op,
            meaning: subject.into(),
        };
        self.reads.record(entry).await.map_err(|error| {
            tracing::error!(%error, "an act of a page was refused");
            BackendError::Store
        })
    }

    /// Tells the machine something.
    ///
    /// # Errors
    /// [`BackendError::Busy`]: the orchestrator's mailbox is full, or it is gone.
    pub(crate) fn inject_event(&self, what: EventKind) -> Result<(), BackendError> {
        let message = crate::actors::orchestrator::InjectEvent {
            what,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        send(&self.orchestrator, "orchestrator", message).map_err(|_| BackendError::Busy)
    }

    /// Says to the machine what the owner said; done when it is on disk.
    ///
    /// # Errors
    /// Busy, stopping, or a store that takes nothing.
    pub(crate) async fn tell_machine(&self, what: EventKind) -> Result<(), BackendError> {
        let (reply, wait) = oneshot::channel();
        let said = OwnerCommand {
            what,
            reply,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        send(&self.orchestrator, "orchestrator", said).map_err(|_| BackendError::Busy)?;
        if answer_of(wait).await? {
            Ok(())
        } else {
            Err(BackendError::Store)
        }
    }

    /// How long this owner has to wait for more of the processor; `None`: she need not.
    pub(crate) fn cpu_wait(&self) -> Option<Duration> {
        self.cpu.as_ref()?.wait()
    }

    /// Takes signals in, and says what became of each.
    async fn take_signals(&self, signals: Vec<AdmittedSignal>) -> Result<SignalReply, BackendError> {
        let count = signals.len();
        if self.cpu_wait().is_some() {
            return Ok(SignalReply {
                again: (0..count).collect(),
                ..SignalReply::default()
            });
        }
        let outcome = match tokio::time::timeout(POST_WAIT, self.post(signals)).await {
            Ok(outcome) => outcome?,
            // Whatever it waits for goes on; what is read meanwhile is not read again.
            Err(_) => PostOutcome {
                again: (0..count).collect(),
                ..PostOutcome::default()
            },
        };
        let refused = outcome.refused.into_iter().map(|index| RejectedSignal {
            index,
            code: "SIGNAL-005".to_owned(),
            message: "reading this signal ended its agent three times: it is not read any more".to_owned(),
        });
        Ok(SignalReply {
            accepted: outcome.read,
            refused: refused.collect(),
            again: outcome.again,
            full: outcome.full,
        })
    }

    /// Posts signals with what the store knows of each, and waits for what becomes of them.
    async fn post(&self, signals: Vec<AdmittedSignal>) -> Result<PostOutcome, BackendError> {
        let seed = self.vault.seed();
        let keys: Vec<SignalKey> = signals
            .iter()
            .map(|admitted| SignalKey::from_signal(seed, admitted.signal()))
            .collect();
        let looked_up = keys.clone();
        let fates = read_unfolded(self.readers.clone(), move |reader| {
            reader.signal_fates(&looked_up)
        })
        .await?;
        let posted = signals.into_iter().zip(keys).map(|(signal, key)| PostedSignal {
            fate: fates.get(&key).copied(),
            key,
            signal,
        });
        let (reply, wait) = oneshot::channel();
        let post = PostSignals {
            signals: posted.collect(),
            reply,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        send(&self.orchestrator, "orchestrator", post).map_err(|_| BackendError::Busy)?;
        wait.await.map_err(|_| BackendError::Busy)
    }
}

async fn answer_of<T>(wait: oneshot::Receiver<T>) -> Result<T, BackendError> {
    let answer = tokio::time::timeout(WAIT, wait).await;
    answer
        .map_err(|_| BackendError::Busy)?
        .map_err(|_| BackendError::Busy)
}

async fn read<T: Send + 'static>(
    readers: Arc<ReaderPool>,
    question: impl FnOnce(&StoreReader) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, BackendError> {
    answer_of_store(move || readers.read(question)).await
}

/// The same of what is no node, no edge and no mention: it is there as soon as its turn is.
async fn read_unfolded<T: Send + 'static>(
    readers: Arc<ReaderPool>,
    question: impl FnOnce(&StoreReader) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, BackendError> {
    answer_of_store(move || readers.read_unfolded(question)).await
}

async fn answer_of_store<T: Send + 'static>(
    ask: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, BackendError> {
    let done = tokio::task::spawn_blocking(ask).await;
    done.map_err(|_| BackendError::Stopping)?.map_err(|error| {
        tracing::error!(code = error.code(), %error, "the store could not be read");
        BackendError::Store
    })
}

/// Something that reads or writes files.
fn blocking<T: Send + 'static, E: std::error::Error + 'static>(
    job: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> BackendFuture<Result<T, BackendError>> {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(move || {
            job().map_err(|error| {
                tracing::error!(%error, "files of the data folder could not be read or written");
                BackendError::Store
            })
        });
        done.await.map_err(|_| BackendError::Stopping)?
    })
}

impl Backend for ServiceBackend {
    fn now(&self) -> BackendFuture<Result<NowView, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let look = me.look().await?;
            let state = &look.state;
            let card = cards::current_card(state);
            let of_card = card.as_ref().map(|card| &card.decision.trace_id);
            let is_refunded = of_card.is_some_and(|trace| state.ledger.is_refunded(trace));
            let last = match &look.last_tick {
                Some(last) => Some(last.clone()),
                // Who waits for a card does not wait for why the look before it brought none.
                None if card.is_some() => None,
                None => me.stored_last_tick().await,
            };
            Ok(NowView {
                at: state.wall(look.at),
                zone: look.env.settings.zone.name().to_owned(),
                card,
                is_refunded,
                asked_by: me.askers_of_card(state),
                ledger: state.ledger.view(),
                ceiling_from_midnight: state.ledger.ceiling_from_midnight(),
                dnd: state.known.dnd.is_some(),
                paused_until: state.paused_until_wall,
                rules: state.rules.clone(),
                untraced: UntracedActs {
                    outbox: me.outbox_drafts().await,
                    removed: me.removed_rules.all(),
                    ..untraced_acts(state)
                },
                last_silent: last.as_ref().and_then(|last| last.silent),
                next_possible: last.and_then(|last| last.next_possible),
                listens_at: me.outbound.listening_host(),
                collector: me.outbound.collector_outside(),
                looks_again: state.wall(state.interval_at),
                health: me.flags(&look.health),
            })
        })
    }

    fn health(&self) -> BackendFuture<Result<Vec<HealthFlag>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let asked = tokio::time::timeout(WAIT, me.orchestrator.send(GetHealth)).await;
            let mut health = asked
                .map_err(|_| BackendError::Busy)?
                .map_err(|_| BackendError::Stopping)?;
            me.registry.correct_down(&mut health.down);
            Ok(me.flags(&health))
        })
    }

    fn decided_before(&self, before: Timestamp) -> BackendFuture<Result<bool, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.has_decided_before(before).await })
    }

    fn traces(&self, limit: usize) -> BackendFuture<Result<Vec<Trace>, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.decisions_of_today(limit).await })
    }

    fn week(&self) -> BackendFuture<Result<WeekView, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.kept_week().await })
    }

    fn body_since(&self, since: Timestamp) -> BackendFuture<Result<KeptBody, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.kept_body(since).await })
    }

    fn payments(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> BackendFuture<Result<Vec<KeptPayment>, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.kept_payments(from, to).await })
    }

    fn payments_version(&self) -> BackendFuture<Result<KeptVersion, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.kept_payments_version().await })
    }

    fn trace(&self, id: TraceId) -> BackendFuture<Result<Option<Trace>, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.stored_decision(id).await })
    }

    fn decide_again(
        &self,
        id: TraceId,
        at: Timestamp,
        otherwise: ImaginedMoment,
    ) -> BackendFuture<Result<DecidedAgain, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.decided_again(id, at, otherwise).await })
    }

    fn answer(&self, submission: AnswerSubmission) -> BackendFuture<Result<AnswerReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let (reply, wait) = oneshot::channel();
            let submit = SubmitCard {
                card_id: submission.card_id,
                surface: submission.surface,
                act: submission.act,
                capability: submission.capability.filter(|text| text.len() <= 64),
                reply,
                ticket: me.busy.ticket_to(SupervisedRole::Orchestrator),
            };
            send(&me.orchestrator, "orchestrator", submit).map_err(|_| BackendError::Busy)?;
            Ok(match answer_of(wait).await? {
                SubmissionVerdict::Accepted { again_at, .. } => AnswerReply::Accepted {
                    outcome: None,
                    again_at,
                },
                SubmissionVerdict::Refused(code) => AnswerReply::Refused {
                    code,
                    message: refusal_text(code).to_owned(),
                },
            })
        })
    }

    fn signals(&self, signals: Vec<AdmittedSignal>) -> BackendFuture<Result<SignalReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.take_signals(signals).await })
    }

    fn health_post(
        &self,
        app: HealthApp,
        body: Vec<u8>,
    ) -> BackendFuture<Result<Option<HealthPostReply>, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.take_health_post(app, body).await })
    }

    fn instruct(&self, word: OwnerInstruction) -> BackendFuture<Result<Result<(), RuleError>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let look = me.look().await?;
            let what = match word {
                OwnerInstruction::Pause { until } => EventKind::Paused { until: Some(until) },
                OwnerInstruction::Rule { rule } => match owner_rules::check_new(&rule, &look.state.rules) {
                    Ok(()) => EventKind::RuleSet { rule },
                    Err(error) => return Ok(Err(error)),
                },
            };
            me.tell_machine(what).await.map(Ok)
        })
    }

    fn end(
        &self,
        what: OwnerCall,
        key: Option<String>,
    ) -> BackendFuture<Result<Result<TraceId, OwnerCallError>, BackendError>> {
        let me = self.clone();
        Box::pin(async move { me.owner_call(Asker::OwnerPage, what, key).await })
    }

    fn runs(&self, limit: usize) -> BackendFuture<Result<Vec<RunView>, BackendError>> {
        let host = self.runs.clone();
        blocking(move || runs::views(host.store(), limit))
    }

    fn run(&self, id: String) -> BackendFuture<Result<Option<RunView>, BackendError>> {
        let host = self.runs.clone();
        blocking(move || runs::view(host.store(), &id))
    }

    fn reply(
        &self,
        run: String,
        reply: QuestionReply,
    ) -> BackendFuture<Result<Result<(), NoOpenQuestion>, BackendError>> {
        let host = self.runs.clone();
        blocking(move || runs::reply(&host, &run, &reply))
    }

    fn question_announced(&self, run: String, _surface: Surface) {
        let host = self.runs.clone();
        // Not written: it is announced again when a page asks the next time.
        drop(tokio::task::spawn_blocking(move || host.announce(&run)));
    }

    fn tick(&self) -> BackendFuture<Result<(), BackendError>> {
        let sent = self.inject_event(EventKind::OwnerTick);
        Box::pin(async move { sent })
    }

    fn metrics(&self) -> BackendFuture<Result<String, BackendError>> {
        let me = self.clone();
        Box::pin(async move { Ok(HealthReport::gather(&me).await?.metrics()) })
    }

    fn connected(&self, surface: Surface, connection: u64) {
        self.clock.begin();
        let here = ConnectionChanged {
            surface,
            id: connection,
            here: true,
            ticket: self.busy.ticket_to(SupervisedRole::Surfaces),
        };
        // Not taken: the page's next connection says it again.
        let _ = send(&self.surfaces, "surfaces", here);
    }

    fn disconnected(&self, surface: Surface, connection: u64) {
        let gone = ConnectionChanged {
            surface,
            id: connection,
            here: false,
            ticket: self.busy.ticket_to(SupervisedRole::Surfaces),
        };
        let _ = send(&self.surfaces, "surfaces", gone);
    }

    fn card_shown(&self, card: CardId, surface: Surface) {
        let seen = CardSeen {
            card_id: card,
            surface,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        let _ = send(&self.surfaces, "surfaces", seen);
    }

    fn events(&self) -> broadcast::Receiver<UiEvent> {
        self.live.subscribe()
    }
}

/// What the owner did lately that no trace tells of.
fn untraced_acts(state: &MachineState) -> UntracedActs {
    let mut acts = UntracedActs::default();
    for closed in &state.closed {
        let Some(answer) = &closed.answer else { continue };
        if let Some(at) = answer.at {
            acts.at.insert(closed.trace_id.clone(), at);
        }
        if answer.act == SubmitAct::Dismiss {
            acts.dismissed.push(closed.trace_id.clone());
        } else if let SubmissionVerdict::Accepted {
            again_at: Some(at), ..
        } = answer.verdict
        {
            acts.put_off.push((closed.trace_id.clone(), at));
        }
    }
    let waiting = state.later.iter().filter(|card| !card.asked);
    acts.waiting = waiting
        .map(|card| (card.trace_id.clone(), card.due_wall))
        .collect();
    acts.instructed.clone_from(&state.instructed);
    acts
}

/// The sentence of a refused submission.
fn refusal_text(code: toolcall_schema::Code) -> &'static str {
    use toolcall_schema::Code;
    if code == Code::Confirm001 {
        "no such card asks anything; reload the page"
    } else if code == Code::Confirm002 {
        "this answer does not belong to the card as it was shown; reload the page"
    } else if code == Code::Confirm003 {
        "the time of this card is over; Aura may ask again"
    } else if code == Code::Confirm004 {
        "this card was answered already"
    } else if code == Code::Confirm005 {
        "this card was not shown here; answer it where it was shown"
    } else if code == Code::Confirm006 {
        "this cannot be put off, or not once more; confirm or dismiss it"
    } else {
        "the answer was refused"
    }
}
