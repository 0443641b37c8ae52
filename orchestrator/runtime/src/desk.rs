//! The desk: what the owner asks of Aura from the command line.
//!
//! What: [`Desk`], which answers each [`Request`] over the actors. Why: a running service and a folder without one answer
//! the same way; what the owner says is on disk before the answer. Not here: the socket (`control`), the page's requests
//! (`backend`).

use crate::{
    actors::orchestrator::Reload,
    backend::Actors,
    config::{ConfigError, Home},
    control::{ControlHandler, Progress, Reloaded, Reply, Request, Standing, WAIT},
    devices::{self, Address},
    journal::Surroundings,
    reading::{self, ReadingError},
    reads::NotRecorded,
    removing::{Fault, Removing, Say},
    sources::SourceKind,
};
use agents::contract::{Setup, Sources};
use aura_memory::{
    Store, StoreError, Write,
    audit::{Entry, Op},
    is_temporary_cause,
    quarantine::Purged,
};
use aura_platform::{health::Reading, mailbox::send};
use orchestrator_machine::{
    Env, What,
    policy::{DEFAULT_TEXT, Policy},
    state::Phase,
    supervision::Role,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use surfaces::{
    Devices,
    backend::{Backend, BackendError, CallProblem, Ending, LiveKind},
};
use tokio::sync::oneshot;
use toolcall_schema::{
    AgentName, Timestamp,
    rule::{OwnerRule, RULES_MAX, RuleError, RuleName},
    trace::{Asker, Trace},
};

/// The files that a reload reads again.
#[derive(Debug, Clone)]
pub struct Files {
    /// The configuration.
    pub home: PathBuf,
    /// The policy; absent: the built-in one.
    pub policy: Option<PathBuf>,
}

impl Files {
    /// The policy's text.
    ///
    /// # Errors
    /// CONF-001 when the file cannot be read.
    pub fn policy_text(&self) -> Result<String, ConfigError> {
        let Some(path) = &self.policy else {
            return Ok(DEFAULT_TEXT.to_owned());
        };
        std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.clone(),
            source,
        })
    }

    /// The policy's file as errors name it.
    pub fn policy_name(&self) -> &Path {
        self.policy.as_deref().unwrap_or(Path::new("policy.toml"))
    }
}

/// A pause lasts at most so long: 31 days.
pub const PAUSE_MS_MAX: i64 = 31 * 24 * 3_600_000;

/// Answers requests.
#[derive(Clone)]
pub struct Desk {
    /// The actors.
    pub backend: Actors,
    /// Where texts are kept, and what is waited for.
    pub store: Arc<Store>,
    /// What a reload reads.
    pub files: Files,
    /// What the ids derive from in a demo household.
    pub day_seed: Option<String>,
    /// Who may come in.
    pub devices: Arc<Devices>,
    /// Where the pages are; absent on a folder without a service.
    pub address: Option<Address>,
    /// Deletions and purges, one after the other.
    pub removing: Removing,
    /// What the agents are given.
    pub setup: Setup,
}

impl ControlHandler for Desk {
    async fn answer(&self, request: Request, say: &Say) -> Reply {
        let removed = if let Request::Delete { what, dry_run } = request {
            self.removing.delete(what, dry_run, say).await
        } else if let Request::Purge { dry_run } = request {
            self.removing.purge(dry_run, say).await
        } else if let Request::Import { more, again } = request {
            return self.import(more, again, say).await.unwrap_or_else(Reply::from);
        } else if let Request::KeyChange { .. } = request {
            let room = self.removing.make_room(say).await;
            return room.map_or_else(Reply::from, |()| Reply::KeyChangeBegins);
        } else {
            return self.answer_soon(request).await;
        };
        match removed {
            Ok((removed, clock)) => Reply::Removed { removed, clock },
            Err(fault) => fault.into(),
        }
    }
}

impl From<Fault> for Reply {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Busy(why) => Reply::Busy(why),
            Fault::Failed(why) => Reply::Error(why),
        }
    }
}

impl Desk {
    /// Has the sources read to their end, and more files this once.
    async fn import(&self, more: Vec<(SourceKind, PathBuf)>, again: bool, say: &Say) -> Result<Reply, Fault> {
        let mut sources = self.setup.sources.clone();
        for (kind, path) in more {
            if path.starts_with(self.store.vault().dir()) {
                return Err(Fault::Failed(format!(
                    "{} lies in the data folder: keep your files outside of it",
                    path.display()
                )));
            }
            kind.list(&mut sources).push(path);
        }
        let before = self.backend.look().await?.health;
        if again {
            self.removing.read_again(say).await?;
        }
        // One after the other: an agent is given the files of one import.
        let _turn = self.removing.turn(say).await?;
        let differ = |agent: &AgentName| sources.of(*agent) != self.setup.sources.of(*agent);
        let agents: Vec<AgentName> = AgentName::FOUR.into_iter().filter(differ).collect();
        let mut read = Ok(());
        for agent in &agents {
            read = read.and(self.give(*agent, &sources).await);
        }
        if read.is_ok() {
            let mut tell = |readings: &BTreeMap<AgentName, Reading>| {
                say.progress(Progress::Reading(readings.clone()));
            };
            let done = reading::to_the_end(&self.backend, &mut tell).await;
            read = done.map(drop).map_err(|error| match error {
                // Its process is started again meanwhile.
                ReadingError::Silent { .. } => Fault::Busy(error.to_string()),
                ReadingError::Backend(error) => Fault::from(error),
            });
        }
        for agent in &agents {
            read = read.and(self.give(*agent, &self.setup.sources).await);
        }
        read?;
        let health = self.backend.look().await?.health;
        Ok(Reply::Imported(Box::new(health.read_since(&before))))
    }

    /// Gives an agent what it is to read.
    async fn give(&self, agent: AgentName, sources: &Sources) -> Result<(), Fault> {
        let setup = Setup {
            sources: sources.of(agent),
            ..self.setup.clone()
        };
        let given = self.backend.agents.set_up(agent, setup).await;
        given.map_err(|error| Fault::Busy(format!("{agent}: {error}: try again")))
    }

    async fn answer_soon(&self, request: Request) -> Reply {
        let done = tokio::time::timeout(WAIT, self.done(request)).await;
        match done {
            Ok(Ok(reply)) => reply,
            // Whichever of the three it is: it passes, or the service ends and another takes its place.
            Ok(Err(error @ (BackendError::Busy | BackendError::Stopping | BackendError::Store))) => {
                Reply::Busy(format!("{error}: try again"))
            }
            Err(_) => {
                Reply::Busy("no answer in time; `aura trace list` shows later what came of it".to_owned())
            }
        }
    }
}

impl Desk {
    async fn done(&self, request: Request) -> Result<Reply, BackendError> {
        let request = match devices::answer(&self.devices, self.address.as_ref(), request).await? {
            Ok(reply) => return Ok(reply),
            Err(request) => request,
        };
        Ok(match request {
            Request::Tick { within_ms } => {
                let limit = Duration::from_millis(within_ms).min(WAIT);
                match tokio::time::timeout(limit, tick(&self.backend)).await {
                    Ok(trace) => Reply::Trace(Box::new(trace?)),
                    Err(_) => Reply::Busy(format!(
                        "the tick was asked for and did not end within {} s: `aura trace list` shows later what came of it",
                        limit.as_secs()
                    )),
                }
            }
            Request::Status => Reply::Status(status(&self.backend).await?),
            // Who serves the socket ends the service; a folder without one has nothing to end.
            Request::Stop => Reply::Stopping,
            Request::Delete { .. }
            | Request::Purge { .. }
            | Request::Import { .. }
            | Request::KeyChange { .. } => Reply::Error("asked in the wrong place".to_owned()),
            Request::Keys => Reply::Error("the keys are handed to their owner alone".to_owned()),
            Request::Model => {
                self.backend.model.changed();
                Reply::ModelLooked
            }
            Request::Label { of, text } => {
                let at = self.backend.clock.wall();
                let kept = self.store.write(vec![Write::Label { of, text, at }]);
                kept.map_err(|_| BackendError::Store)?;
                self.on_disk().await?;
                Reply::Labelled
            }
            Request::Reload => self.reload().await?,
            Request::Standing => Reply::Standing(self.standing().await?),
            Request::Pause { until: Some(until) } => {
                let left = until.since(self.standing().await?.at);
                if !(1..=PAUSE_MS_MAX).contains(&left) {
                    return Ok(Reply::Error(
                        "a pause ends between now and 31 days from now".to_owned(),
                    ));
                }
                self.tell(What::Paused { until: Some(until) }).await?
            }
            Request::Pause { until: None } => self.end(Ending::Pause, None).await?,
            Request::RuleSet { rule } => match takes(&rule, &self.standing().await?.rules) {
                Ok(()) => self.tell(What::RuleSet { rule }).await?,
                Err(error) => Reply::Error(error.to_string()),
            },
            Request::RuleRemove { name } => self.end(Ending::Rule(name), None).await?,
            Request::MuteEnd { channel, key } => self.end(Ending::Mute(channel), key).await?,
            // Answered above.
            Request::Pair { .. }
            | Request::DeviceAdd { .. }
            | Request::Devices
            | Request::DeviceRevoke { .. } => Reply::Error("nobody is asked about devices here".to_owned()),
            Request::Record { op, meaning } if matches!(op, Op::Read | Op::Export | Op::Backup) => {
                let at_ms = self.backend.clock.wall().ms();
                let recorded = self.backend.reads.record(Entry { at_ms, op, meaning }).await;
                recorded.map_or_else(|error| not_recorded(&error), |()| Reply::Recorded)
            }
            Request::Record { .. } => Reply::Error("only who does such a thing records it".to_owned()),
            // It runs, so it was accepted.
            Request::CatalogueAccept => Reply::Recorded,
            Request::Head => {
                let day = self.backend.look().await?.state.ledger.view().day;
                let written = self.backend.reads.write(vec![Write::Head { day }]).await;
                written.map_or_else(|error| not_recorded(&error), |()| Reply::Recorded)
            }
            Request::Clock => {
                self.backend.retention.observe();
                Reply::Clock(self.backend.retention.report())
            }
            Request::ClockConfirm => {
                self.backend.retention.confirm();
                self.on_disk().await?;
                Reply::Clock(self.backend.retention.report())
            }
            Request::QuarantinePurge {
                older_than_ms,
                dry_run,
            } => match purge(&self.backend, older_than_ms, dry_run).await {
                Ok(purged) => Reply::QuarantinePurged(purged),
                Err(error) => Fault::from(error).into(),
            },
        })
    }

    async fn standing(&self) -> Result<Standing, BackendError> {
        let look = self.backend.look().await?;
        let at: Timestamp = look.state.wall(look.at);
        Ok(Standing::of(&look.state, &look.env, at))
    }

    /// Has a tool end it; answered when that is done and its trace is on disk.
    async fn end(&self, what: Ending, key: Option<String>) -> Result<Reply, BackendError> {
        Ok(
            match self.backend.end_for(Asker::OwnerCommand, what, key).await? {
                // A pause may have ended by itself a moment ago.
                Ok(_) | Err(CallProblem::NotPaused) => Reply::Standing(self.standing().await?),
                Err(problem) => Reply::Error(problem.to_string()),
            },
        )
    }

    /// Says it to the machine; answered when it is on disk.
    async fn tell(&self, what: What) -> Result<Reply, BackendError> {
        self.backend.said(what).await?;
        Ok(Reply::Standing(self.standing().await?))
    }

    async fn on_disk(&self) -> Result<(), BackendError> {
        let (told, heard) = oneshot::channel();
        let asked = self.store.commit(Box::new(move |result| drop(told.send(result))));
        asked.map_err(|_| BackendError::Store)?;
        match heard.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(BackendError::Store),
        }
    }

    /// Reads policy and settings again. What cannot be used changes nothing.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn reload(&self) -> Result<Reply, BackendError> {
        let (home, text, policy) = match self.read() {
            Ok(read) => read,
            Err(error) if is_temporary_cause(&error) => return Ok(Reply::Busy(said(&error))),
            Err(error) => return Ok(Reply::Config(said(&error))),
        };
        let look = self.backend.look().await?;
        let surroundings = |env: &Env| Surroundings {
            settings: env.settings.clone(),
            day_seed: self.day_seed.clone(),
        };
        let before = surroundings(&look.env).hash();
        let env = Env {
            policy,
            settings: home.of_a_service(),
            seed: look.env.seed.clone(),
            catalogue_hash: look.env.catalogue_hash.clone(),
        };
        let (policy_hash, settings) = (env.policy.hash().to_owned(), surroundings(&env));
        let reloaded = Reloaded {
            policy_changed: policy_hash != look.env.policy.hash(),
            policy_hash,
            settings_changed: settings.hash() != before,
            settings_hash: settings.hash(),
        };
        if reloaded.policy_changed || reloaded.settings_changed {
            let kept = self
                .store
                .put_policy(reloaded.policy_hash.clone(), text)
                .and_then(|()| self.store.put_policy(settings.hash(), settings.text()));
            kept.map_err(|_| BackendError::Store)?;
            let reload = Reload {
                env: Arc::new(env),
                settings_hash: settings.hash(),
                ticket: self.backend.busy.ticket_to(Role::Orchestrator),
            };
            send(&self.backend.orchestrator, "orchestrator", reload).map_err(|_| BackendError::Busy)?;
            // Handled after it: its event is in the store's queue.
            self.backend.look().await?;
            self.on_disk().await?;
        }
        Ok(Reply::Reloaded(reloaded))
    }

    fn read(&self) -> Result<(Home, String, Policy), ConfigError> {
        let home = Home::load(&self.files.home)?;
        let text = self.files.policy_text()?;
        let policy = Policy::parse(&text).map_err(|source| ConfigError::Policy {
            path: self.files.policy_name().to_owned(),
            source: Box::new(source),
        })?;
        Ok((home, text, policy))
    }
}

fn not_recorded(error: &NotRecorded) -> Reply {
    if error.is_temporary() {
        Reply::Busy(error.to_string())
    } else {
        Reply::Error(error.to_string())
    }
}

/// The error with its cause, on one line; it names file, line and remedy.
fn said(error: &ConfigError) -> String {
    let text = error.to_string();
    match std::error::Error::source(error) {
        Some(cause) if !text.contains(cause.to_string().trim_end()) => format!("{text}: {cause}"),
        Some(_) | None => text,
    }
}

/// Whether a rule can be added to those that stand.
///
/// # Errors
/// RULE-001, RULE-002.
pub fn takes(rule: &OwnerRule, rules: &[OwnerRule]) -> Result<(), RuleError> {
    rule.check()?;
    if rules.len() >= RULES_MAX && !has(&rule.name, rules) {
        return Err(RuleError::TooMany);
    }
    Ok(())
}

/// Whether a rule of that name stands.
pub fn has(name: &RuleName, rules: &[OwnerRule]) -> bool {
    rules.iter().any(|rule| rule.name == *name)
}

/// Asks for a tick and waits for its trace. Not for others: one that was running already is let end first.
///
/// # Errors
/// Busy or stopping.
async fn tick(backend: &Actors) -> Result<Trace, BackendError> {
    let mut live = backend.events();
    let before = backend.look().await?.state.ticks;
    backend.happened(What::OwnerTick)?;
    loop {
        let heard = live.recv().await;
        let LiveKind::Tick(trace_id) = (match heard {
            Ok(live) => live.what,
            Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => continue,
            Err(tokio::sync::broadcast::error::RecvError::Closed) => return Err(BackendError::Stopping),
        }) else {
            continue;
        };
        let Some(trace) = kept(backend, trace_id).await? else {
            continue;
        };
        if trace.decision.tick > before
            && trace.decision.trigger.source == toolcall_schema::tick::TriggerSource::Owner
        {
            return Ok(trace);
        }
    }
}

/// The trace once it is on disk; it is told when it is handed to the store.
async fn kept(
    backend: &Actors,
    trace_id: toolcall_schema::ids::TraceId,
) -> Result<Option<Trace>, BackendError> {
    for _ in 0..40 {
        if let Some(trace) = backend.trace(trace_id.clone()).await? {
            return Ok(Some(trace));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(None)
}

async fn status(backend: &Actors) -> Result<Value, BackendError> {
    let look = backend.look().await?;
    let state = &look.state;
    Ok(serde_json::json!({
        "state": state.phase.name(),
        "at": state.wall(look.at),
        "ticks": state.ticks,
        "waiting_triggers": state.queue.len(),
        "dropped_triggers": state.queue_dropped,
        "ledger": state.ledger.view(),
        "surfaces": state.surfaces,
        "muted_channels": state.mutes_wall.len(),
        "prompt_open": matches!(state.phase, Phase::AwaitingConfirm { .. }),
        "in_flight": backend.busy.count(),
        "paused_until": state.paused_until_wall,
        "rules": state.rules.len(),
        "policy_hash": look.env.policy.hash(),
        "catalogue_hash": look.env.catalogue_hash,
        "health": look.health,
        "quarantine": backend.quarantine.health(),
        "processes": backend.board.reports(),
        "model": backend.model.report(),
        "clock": backend.retention.report(),
        "sandbox": backend.board.level().to_string(),
    }))
}

/// Removed by the one thread that writes the files, behind what waits for it.
async fn purge(backend: &Actors, older_than_ms: i64, dry_run: bool) -> Result<Purged, StoreError> {
    let expired = backend.retention.older_than(older_than_ms.max(0));
    let (tell, told) = oneshot::channel();
    let ack = Box::new(move |done| {
        // Who asked may have gone.
        let _ = tell.send(done);
    });
    backend.quarantine.purge(expired, dry_run, ack)?;
    told.await.unwrap_or(Err(StoreError::Stopped))
}
