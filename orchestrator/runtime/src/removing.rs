//! What a running service removes.
//!
//! What: [`DataRemover`], deletions and what was kept long enough, one after the other, through the service's own writer. Why: the service stays on its folder, its pages answer, and nobody waits for a removal but who asked for it
//! (docs/adr/0057). Not here: what goes (`deletion`, `housekeeping`), a stopped folder (`cli::memory`).

use crate::{
    actors::orchestrator::{AgentsMust, AtRest, ReadOn},
    backend::ServiceBackend,
    config::{ConfigError, HomeConfig},
    control::{DeletionRequest, ProgressSender},
    control_handler::try_again,
    deletion::{self, DeletionContext, DeletionError},
    housekeeping,
    journal::ReplayContext,
};
use agents::kept_state::withdrawn_payments;
use aura_memory::{
    QuarantineWriter, Store, StoreError, StoreReader, Vault,
    erase::{RemovedCounts, RetentionPolicy},
    graph::NodeKey,
};
use aura_platform::{health::ServiceHealth, retention_clock::ClockReport};
use chrono_tz::Tz;
use orchestrator_machine::state::{MachinePhase, MachineState};
use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
    time::Duration,
};
use surfaces_base::{
    backend::BackendError,
    language::{name_or_word, say, text},
    locale,
    words::console,
};
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, oneshot},
    time::{Instant, sleep, timeout},
};
use toolcall_schema::{AgentName, Timestamp, forget::ErasureScope};

/// How long a removal waits for its turn, and for the machine to rest.
const PATIENCE: Duration = Duration::from_mins(2);
/// Interval between progress reports to the requester.
const TELL: Duration = Duration::from_secs(1);

/// How often a deletion that has begun is gone on with, and how long is waited in between: a minute in all.
const FINISH_TRIES: u32 = 60;
const FINISH_AGAIN: Duration = Duration::from_secs(1);

/// Why nothing was removed, or not all.
#[derive(Debug)]
pub enum RemovalError {
    /// Not now. Where it had begun, the text says so.
    Busy(String),
    /// It could not be done.
    Failed(String),
}

impl RemovalError {
    fn into_text(self) -> String {
        match self {
            RemovalError::Busy(why) | RemovalError::Failed(why) => why,
        }
    }
}

impl From<DeletionError> for RemovalError {
    fn from(error: DeletionError) -> Self {
        let said = match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        // A writer that stopped ends the service, and the next one goes on.
        let stopped = matches!(error, DeletionError::Store(StoreError::Stopped));
        if stopped || error.is_temporary() {
            RemovalError::Busy(said)
        } else {
            RemovalError::Failed(said)
        }
    }
}

impl From<StoreError> for RemovalError {
    fn from(error: StoreError) -> Self {
        DeletionError::from(error).into()
    }
}

impl From<BackendError> for RemovalError {
    fn from(error: BackendError) -> Self {
        RemovalError::Busy(try_again(error))
    }
}

/// What went, and up to when time is confirmed where things went by their age.
pub type RemovalOutcome = (RemovedCounts, Option<ClockReport>);

/// Removes things, one after the other.
#[derive(Clone)]
pub struct DataRemover {
    backend: ServiceBackend,
    store: Arc<Store>,
    /// The configuration: for how long things are kept.
    home: PathBuf,
    turn: Arc<Mutex<()>>,
}

impl DataRemover {
    /// Over a running system.
    pub fn new(backend: ServiceBackend, store: Arc<Store>, home: PathBuf) -> Self {
        Self {
            backend,
            store,
            home,
            turn: Arc::default(),
        }
    }

    /// Forgets; `dry_run`: only says what would go.
    ///
    /// # Errors
    /// [`RemovalError`]
    pub async fn delete(
        &self,
        what: DeletionRequest,
        dry_run: bool,
        say: &ProgressSender,
    ) -> Result<RemovalOutcome, RemovalError> {
        let (known, zone, at) = self.look().await?;
        let vault = self.store.vault().clone();
        let forget = blocking(move || Ok(forget_of(&vault, &what)?)).await?;
        if dry_run {
            let vault = self.store.vault().clone();
            let count = move || Ok(deletion::count(&vault, &known, &forget, at, zone)?);
            return Ok((blocking(count).await?, None));
        }
        let turn = self.turn(say).await?;
        self.at_rest(AgentsMust::Forget(forget, zone), say).await?;
        say.say("removing it; the service answers meanwhile".to_owned());
        let me = self.clone();
        let removed = self
            .without_readers(turn, move |graph_gone| {
                let accounts = me.backend.accounts.clone();
                accounts.while_forgetting(|| me.finish(&known, graph_gone))
            })
            .await?;
        Ok((removed, None))
    }

    /// Takes out what was kept long enough; `dry_run`: only says what would go.
    ///
    /// # Errors
    /// [`RemovalError`]
    pub async fn purge(&self, dry_run: bool, say: &ProgressSender) -> Result<RemovalOutcome, RemovalError> {
        let retention = self.retention()?;
        let (ageing, report) = (self.backend.retention.ageing(), self.backend.retention.report());
        if dry_run {
            let vault = self.store.vault().clone();
            let count = move || Ok(housekeeping::count_old(&vault, &retention, &ageing)?);
            return Ok((blocking(count).await?, Some(report)));
        }
        let turn = self.turn(say).await?;
        // A base: what is forgotten later has to fold no more than what follows it.
        self.at_rest(AgentsMust::GoOn, say).await?;
        let store = self.store.clone();
        let removed = self
            .without_readers(turn, move |graph_gone| {
                Ok(housekeeping::remove_old(
                    &store,
                    &retention,
                    &ageing,
                    report.wall,
                    graph_gone,
                )?)
            })
            .await?;
        Ok((removed, Some(report)))
    }

    /// Has every agent, or one alone, read its files from their beginning, when it is asked the next time. What was read until then is given back.
    ///
    /// # Errors
    /// [`RemovalError`]
    pub async fn read_again(
        &self,
        only: Option<AgentName>,
        say: &ProgressSender,
    ) -> Result<ServiceHealth, RemovalError> {
        let _turn = self.turn(say).await?;
        let done = self.at_rest(AgentsMust::ReadAgain(only), say).await;
        // Nothing is read yet, and what a start read is no part of what follows.
        let until_now = self.backend.look().await;
        let read_on = self.backend.orchestrator.send(ReadOn).await;
        read_on.map_err(|_| BackendError::Stopping)?;
        done?;
        Ok(until_now?.health)
    }

    /// Has memory let go of payments that no statement says any more, because it is read by other columns. How many there were.
    ///
    /// # Errors
    /// [`RemovalError`]; the next look tries again.
    pub(crate) async fn let_go_of_withdrawn(&self) -> Result<usize, RemovalError> {
        let vault = self.store.vault().clone();
        let withdrawn = blocking(move || {
            let kept = StoreReader::open(&vault)?.agent_state(AgentName::Finance)?;
            Ok(kept.map(|rows| withdrawn_payments(&rows.whole, &rows.changes)))
        });
        // What cannot be read of it is told elsewhere.
        let Some(Ok(withdrawn)) = withdrawn.await? else {
            return Ok(0);
        };
        if withdrawn.is_empty() {
            return Ok(0);
        }
        let keys = withdrawn.iter().map(NodeKey::from).collect();
        let what = DeletionRequest {
            keys,
            ..DeletionRequest::default()
        };
        self.delete(what, false, &ProgressSender::default()).await?;
        Ok(withdrawn.len())
    }

    /// Waits until nothing is removed or imported and the machine rests, so that it can end for a while.
    ///
    /// # Errors
    /// [`RemovalError::Busy`]
    pub async fn make_room(&self, say: &ProgressSender) -> Result<(), RemovalError> {
        let _turn = self.turn(say).await?;
        let deadline = Instant::now() + PATIENCE;
        let mut turns = self.backend.turns.clone();
        loop {
            turns.mark_unchanged();
            if rests(&self.backend.look().await?.state) {
                return Ok(());
            }
            let why = self.not_at_rest().await?;
            if Instant::now() >= deadline {
                return Err(RemovalError::Busy(say!("control-nothing-changed-until", why)));
            }
            say.say(say!("control-waiting", why));
            tokio::select! {
                () = say.gone() => return Err(RemovalError::Busy(text("control-nobody-waits").to_owned())),
                turn = turns.changed() => turn.map_err(|_| BackendError::Stopping)?,
                () = sleep(TELL) => {}
            }
        }
    }

    /// Whether the machine rests and a night has passed since what was kept long enough went.
    ///
    /// # Errors
    /// Busy or stopping, or a store that cannot be read.
    pub(crate) async fn night_has_come(&self) -> Result<bool, RemovalError> {
        let look = self.backend.look().await?;
        if !rests(&look.state) {
            return Ok(false);
        }
        let (zone, now) = (look.env.settings.zone, look.state.wall(look.at));
        let vault = self.store.vault().clone();
        blocking(move || Ok(housekeeping::is_due(&vault, zone, now)?)).await
    }

    fn finish(&self, known: &ReplayContext, graph_gone: &dyn Fn()) -> Result<RemovedCounts, RemovalError> {
        let place = DeletionContext {
            store: &self.store,
            known: known.clone(),
            quarantine: &|forget| quarantine(&self.backend.quarantine, forget),
            graph_gone,
        };
        let mut tries = 0..FINISH_TRIES;
        loop {
            match deletion::finish_all(&place) {
                Ok(removed) => return Ok(removed),
                // It has begun: a disk that fails for a while is no reason to leave half of it.
                Err(error) if error.is_temporary() && tries.next().is_some() => {
                    tracing::warn!(%error, "a deletion is gone on with in a moment");
                    std::thread::sleep(FINISH_AGAIN);
                }
                Err(error) => {
                    let why = RemovalError::from(error).into_text();
                    return Err(RemovalError::Busy(say!("control-deletion-goes-on", why)));
                }
            }
        }
    }

    async fn look(&self) -> Result<(ReplayContext, Tz, Timestamp), RemovalError> {
        let look = self.backend.look().await?;
        let known = ReplayContext {
            seed: Some(look.env.seed.clone()),
            settings: Some(look.env.settings.clone()),
        };
        Ok((known, look.env.settings.zone, look.state.wall(look.at)))
    }

    /// The folder.
    pub(crate) fn vault(&self) -> &Vault {
        self.store.vault()
    }

    /// The owner's zone, by which days begin.
    pub(crate) async fn zone(&self) -> Result<Tz, RemovalError> {
        let (_, zone, _) = self.look().await?;
        Ok(zone)
    }

    /// As the file says now. Where it says nothing that can be read nothing goes: it may keep more than the defaults do.
    fn retention(&self) -> Result<RetentionPolicy, RemovalError> {
        let home = HomeConfig::load(&self.home).map_err(|error| match error {
            ConfigError::Unreadable { .. } => RemovalError::Busy(error.to_string()),
            ConfigError::Toml { .. } | ConfigError::Value { .. } | ConfigError::Policy { .. } => {
                RemovalError::Failed(error.to_string())
            }
        })?;
        Ok(home.retention)
    }

    /// Waits for the end of what is removed or imported now.
    ///
    /// # Errors
    /// [`RemovalError::Busy`]
    pub async fn turn(&self, say: &ProgressSender) -> Result<OwnedMutexGuard<()>, RemovalError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match timeout(TELL, self.turn.clone().lock_owned()).await {
                Ok(turn) => return Ok(turn),
                Err(_) if Instant::now() < deadline => {
                    say.say(text("control-waiting-for-turn").to_owned());
                }
                Err(_) => {
                    return Err(RemovalError::Busy(text("control-deletion-under-way").to_owned()));
                }
            }
        }
    }

    /// Has the machine forget, or keep a base, when it rests. Agents read nothing from then on; where this fails, they may.
    async fn at_rest(&self, agents: AgentsMust, say: &ProgressSender) -> Result<(), RemovalError> {
        let done = self.wait_for_rest(agents, say).await;
        if done.is_err() {
            // It may have been done in the moment in which nobody waited for it any more.
            let read_on = self.backend.orchestrator.send(ReadOn).await;
            read_on.map_err(|_| BackendError::Stopping)?;
        }
        done
    }

    async fn wait_for_rest(&self, agents: AgentsMust, say: &ProgressSender) -> Result<(), RemovalError> {
        let (reply, mut done) = oneshot::channel();
        let asked = self.backend.orchestrator.send(AtRest { agents, reply }).await;
        asked.map_err(|_| BackendError::Stopping)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            tokio::select! {
                // Done. Where the disk takes nothing now, it waits with all that does.
                done = &mut done => return done.map(drop).map_err(|_| BackendError::Stopping.into()),
                () = say.gone() => return Err(RemovalError::Busy(text("control-nobody-waits").to_owned())),
                () = sleep(TELL) => {
                    let why = self.not_at_rest().await?;
                    if Instant::now() >= deadline {
                        return Err(RemovalError::Busy(say!("control-nothing-removed-until", why)));
                    }
                    say.say(say!("control-waiting", why));
                }
            }
        }
    }

    async fn not_at_rest(&self) -> Result<String, RemovalError> {
        let look = self.backend.look().await?;
        let zone = look.env.settings.zone;
        Ok(match prompt_until(&look.state) {
            Some(until) => {
                let until = until.utc().with_timezone(&zone).format("%H:%M:%S");
                say!("control-question-open", until = until.to_string())
            }
            None if matches!(
                look.state.phase,
                MachinePhase::Idle | MachinePhase::Cooldown { .. }
            ) =>
            {
                text("control-agent-reads").to_owned()
            }
            None => {
                let state = look.state.phase.name();
                say!(
                    "control-tick-under-way",
                    state = name_or_word(state.as_str(), || console::state_name(state))
                )
            }
        })
    }

    /// Does blocking work while agents read nothing, with the turn held until its end, also when nobody waits for it any more.
    async fn without_readers(
        &self,
        turn: OwnedMutexGuard<()>,
        work: impl FnOnce(&dyn Fn()) -> Result<RemovedCounts, RemovalError> + Send + 'static,
    ) -> Result<RemovedCounts, RemovalError> {
        let orchestrator = self.backend.orchestrator.clone();
        blocking(move || {
            let _turn = turn;
            // It must not be lost: until it is told, agents read nothing.
            let read_on = || {
                // Where it has ended, the next start reads on.
                let _ = Handle::current().block_on(orchestrator.send(ReadOn));
            };
            let done = work(&read_on);
            // Where it failed before.
            read_on();
            done
        })
        .await
    }
}

/// Until when (wall clock) a question waits for its answer; `None`: none is open.
pub(crate) fn prompt_until(state: &MachineState) -> Option<Timestamp> {
    let MachinePhase::AwaitingConfirm { decided, .. } = &state.phase else {
        return None;
    };
    let last = decided.plan.as_ref()?.prompts_until.iter().max();
    last.map(|at| state.wall(*at))
}

fn rests(state: &MachineState) -> bool {
    matches!(state.phase, MachinePhase::Idle | MachinePhase::Cooldown { .. })
}

/// What goes with what the owner named. A key that is too short to be an id names nothing.
///
/// # Errors
/// STORE-003 or STORE-007.
pub fn forget_of(vault: &Vault, what: &DeletionRequest) -> Result<ErasureScope, StoreError> {
    let mut forget = ErasureScope::naming(StoreReader::open(vault)?.closure(&what.keys)?);
    forget.span = what.span;
    Ok(forget.and_measured(what.measured.iter().copied()))
}

/// By the one thread that writes the files, behind what waits for it.
fn quarantine(files: &QuarantineWriter, forget: &ErasureScope) -> Result<u64, StoreError> {
    let (tell, told) = mpsc::channel();
    // Heard below.
    let ack = Box::new(move |done| drop(tell.send(done)));
    files.forget(forget.clone(), ack)?;
    told.recv().unwrap_or(Err(StoreError::Stopped))
}

/// Does blocking work on a thread for that.
///
/// # Errors
/// Those of the work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RemovalError> + Send + 'static,
) -> Result<T, RemovalError> {
    let reader = locale::current();
    let done = tokio::task::spawn_blocking(move || locale::speaking(reader, work)).await;
    done.unwrap_or_else(|_| Err(BackendError::Stopping.into()))
}
