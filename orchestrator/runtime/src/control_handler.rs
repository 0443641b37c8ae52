//! What the owner asks of Aura from the command line.
//!
//! What: [`ServiceControlHandler`], which answers each [`ControlRequest`] over the actors. Why: a running service and a folder without one answer
//! the same way; what the owner says is on disk before the answer. Not here: the socket (`control`), the page's requests
//! (`backend`).

mod accounts;
mod asks;
mod history;
mod import;

pub(crate) use import::open_export;

use crate::{
    actors::orchestrator::ReloadSettings,
    backend::ServiceBackend,
    config::{ConfigError, HomeConfig},
    control::{
        ControlHandler, ControlReply, ControlRequest, OwnerSettings, ProgressSender, ReloadReport, WAIT,
    },
    devices::{self, PageAddress},
    journal::SettingsRecord,
    owner_rules,
    reads::NotRecorded,
    removing::{DataRemover, RemovalError},
    runs,
};
use agents::contract::AgentSetup;
use aura_memory::{
    Store, StoreError, StoreWrite,
    audit::{AuditEntry, Op},
    is_temporary_cause,
    quarantine::PurgeCounts,
};
use aura_platform::mailbox::send;
use orchestrator_machine::{
    EventKind, MachineEnv,
    policy::{DEFAULT_TEXT, Policy},
    supervision::SupervisedRole,
};
use std::{io, path::PathBuf, sync::Arc, time::Duration};
use surfaces_base::{
    DeviceRegistry, OwnerBackend as _,
    backend::{Backend, BackendError, OwnerCall, OwnerCallError, UiEventKind},
    language::{say, text},
};
use tokio::sync::{broadcast::error::RecvError, oneshot};
use toolcall_schema::{
    Timestamp,
    tick::TriggerSource,
    trace::{Asker, Trace},
};

/// The policy's file beside the configuration.
const POLICY_FILE: &str = "policy.toml";

/// The files that a reload reads again.
#[derive(Debug, Clone)]
pub struct ReloadFiles {
    /// The configuration.
    pub home: PathBuf,
    /// The policy as it was named at the start; absent: `policy.toml` beside the configuration, and where that is not there the built-in one.
    pub policy: Option<PathBuf>,
}

impl ReloadFiles {
    /// The policy's text.
    ///
    /// # Errors
    /// CONF-001 when the file cannot be read.
    pub fn policy_text(&self) -> Result<String, ConfigError> {
        let path = self.policy_file();
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(text),
            Err(error) if self.policy.is_none() && error.kind() == io::ErrorKind::NotFound => {
                Ok(DEFAULT_TEXT.to_owned())
            }
            Err(source) => Err(ConfigError::Unreadable { path, source }),
        }
    }

    /// Where the policy lies, or would.
    pub(crate) fn policy_file(&self) -> PathBuf {
        let beside = || self.home.with_file_name(POLICY_FILE);
        self.policy.clone().unwrap_or_else(beside)
    }
}

/// A pause lasts at most so long: 31 days.
pub const PAUSE_MS_MAX: i64 = 31 * 24 * 3_600_000;

/// Answers requests.
#[derive(Clone)]
pub struct ServiceControlHandler {
    /// The actors.
    pub backend: ServiceBackend,
    /// Where texts are kept, and what is waited for.
    pub store: Arc<Store>,
    /// What a reload reads.
    pub files: ReloadFiles,
    /// What the ids derive from in a demo household.
    pub day_seed: Option<String>,
    /// Who may come in.
    pub devices: Arc<DeviceRegistry>,
    /// Where the pages are; absent on a folder without a service.
    pub address: Option<PageAddress>,
    /// Deletions and purges, one after the other.
    pub removing: DataRemover,
    /// What the agents are given.
    pub setup: AgentSetup,
}

impl ControlHandler for ServiceControlHandler {
    async fn answer(&self, request: ControlRequest, say: &ProgressSender) -> ControlReply {
        let removed = if let ControlRequest::Delete { what, dry_run } = request {
            self.removing.delete(what, dry_run, say).await
        } else if let ControlRequest::Purge { dry_run } = request {
            self.removing.purge(dry_run, say).await
        } else if let ControlRequest::Import { more, again, only } = request {
            return self
                .import(more, (again, only), say)
                .await
                .unwrap_or_else(ControlReply::from);
        } else if let ControlRequest::KeyChange { .. } = request {
            let room = self.removing.make_room(say).await;
            return room.map_or_else(ControlReply::from, |()| ControlReply::OfflineBegins);
        } else if let ControlRequest::ImportExport { file } = request {
            let room = self.room_for_import(file, say).await;
            return room.map_or_else(ControlReply::from, |()| ControlReply::OfflineBegins);
        } else if let ControlRequest::Run { run } = request {
            return runs::answer(&self.backend.runs, run, say).await;
        } else {
            return self.answer_soon(request).await;
        };
        match removed {
            Ok((removed, clock)) => ControlReply::Removed { removed, clock },
            Err(fault) => fault.into(),
        }
    }
}

impl From<RemovalError> for ControlReply {
    fn from(fault: RemovalError) -> Self {
        match fault {
            RemovalError::Busy(why) => ControlReply::Busy(why),
            RemovalError::Failed(why) => ControlReply::Error(why),
        }
    }
}

impl ServiceControlHandler {
    async fn answer_soon(&self, request: ControlRequest) -> ControlReply {
        let done = tokio::time::timeout(WAIT, self.answer_request(request)).await;
        match done {
            Ok(Ok(reply)) => reply,
            // Whichever of the three it is: it passes, or the service ends and another takes its place.
            Ok(Err(error @ (BackendError::Busy | BackendError::Stopping | BackendError::Store))) => {
                ControlReply::Busy(try_again(error))
            }
            Err(_) => ControlReply::Busy(text("control-no-answer-in-time").to_owned()),
        }
    }

    async fn answer_request(&self, request: ControlRequest) -> Result<ControlReply, BackendError> {
        let revoked = if let ControlRequest::DeviceRevoke { id } = &request {
            Some(id.clone())
        } else {
            None
        };
        let request = match devices::answer(&self.devices, self.address.as_ref(), request).await? {
            Ok(reply) => {
                if let Some(id) = revoked {
                    self.backend.withdraw_asks_of(id.as_str()).await;
                }
                return Ok(reply);
            }
            Err(request) => request,
        };
        Ok(match request {
            ControlRequest::Tick { within_ms } => {
                let limit = Duration::from_millis(within_ms).min(WAIT);
                match tokio::time::timeout(limit, self.tick()).await {
                    Ok(trace) => ControlReply::Trace(Box::new(trace?)),
                    Err(_) => ControlReply::Busy(say!(
                        "control-tick-goes-on",
                        seconds = limit.as_secs().to_string()
                    )),
                }
            }
            ControlRequest::Status => ControlReply::Status(self.backend.status().await?),
            // Who serves the socket ends the service; a folder without one has nothing to end.
            ControlRequest::Stop => ControlReply::Stopping,
            ControlRequest::Delete { .. }
            | ControlRequest::Purge { .. }
            | ControlRequest::Import { .. }
            | ControlRequest::Run { .. }
            | ControlRequest::ImportExport { .. }
            | ControlRequest::KeyChange { .. } => refused(text("control-wrong-place")),
            ControlRequest::Owners { .. } => refused(text("control-one-owner")),
            ControlRequest::Keys => refused(text("control-keys-to-owner")),
            ControlRequest::Model => {
                self.backend.model.changed();
                ControlReply::ModelLooked
            }
            ControlRequest::Label { of, text } => {
                let at = self.backend.clock.wall();
                let kept = self.store.write(vec![StoreWrite::Label { of, text, at }]);
                kept.map_err(|_| BackendError::Store)?;
                self.on_disk().await?;
                ControlReply::Labelled
            }
            ControlRequest::Reload => self.reload().await?,
            ControlRequest::Allow { sources } => self.allow(&sources).await?,
            ControlRequest::Standing => ControlReply::Standing(self.standing().await?),
            ControlRequest::Pause { until: Some(until) } => {
                let left = until.since(self.standing().await?.at);
                if !(1..=PAUSE_MS_MAX).contains(&left) {
                    return Ok(refused(text("control-pause-length")));
                }
                self.tell(EventKind::Paused { until: Some(until) }).await?
            }
            ControlRequest::Pause { until: None } => self.end(OwnerCall::EndPause, None).await?,
            ControlRequest::RuleSet { rule } => {
                match owner_rules::check_new(&rule, &self.standing().await?.rules) {
                    Ok(()) => self.tell(EventKind::RuleSet { rule }).await?,
                    Err(error) => ControlReply::Error(error.to_string()),
                }
            }
            ControlRequest::RuleRemove { name } => self.end(OwnerCall::RemoveRule(name), None).await?,
            ControlRequest::Mute {
                channel,
                seconds,
                key,
            } => self.end(OwnerCall::Mute(channel, seconds), key).await?,
            ControlRequest::MuteEnd { channel, key } => self.end(OwnerCall::Unmute(channel), key).await?,
            ControlRequest::Ask {
                tool,
                args,
                key,
                wait_min,
            } => self.ask(tool, args, &key, wait_min).await?,
            ControlRequest::AskState { ask, wait } => self.ask_state(ask, wait).await?,
            ControlRequest::AskCancel { ask } => self.cancel_ask(ask).await?,
            ControlRequest::Asks => self.asks().await?,
            ControlRequest::History => self.history().await?,
            ControlRequest::Undo { beginning } => self.undo(beginning.as_deref()).await?,
            ControlRequest::Learned => self.learned().await,
            ControlRequest::LearnedCorrect { about, class } => {
                self.relearn(OwnerCall::Correct(about, class)).await?
            }
            ControlRequest::LearnedReset { about } => self.relearn(OwnerCall::Unlearn(about)).await?,
            // Answered above.
            ControlRequest::Pair { .. }
            | ControlRequest::Open
            | ControlRequest::DeviceAdd { .. }
            | ControlRequest::DeviceGrant { .. }
            | ControlRequest::Devices
            | ControlRequest::DeviceRevoke { .. } => refused(text("control-no-devices-here")),
            ControlRequest::Record { op, meaning } if matches!(op, Op::Read | Op::Export | Op::Backup) => {
                let at_ms = self.backend.clock.wall().ms();
                let recorded = self.backend.reads.record(AuditEntry { at_ms, op, meaning }).await;
                recorded.map_or_else(|error| not_recorded(&error), |()| ControlReply::Recorded)
            }
            ControlRequest::Record { .. } => refused(text("control-recorded-by-doer")),
            ControlRequest::Account { asked } => self.answer_accounts(asked).await?,
            // It runs, so it was accepted.
            ControlRequest::CatalogueAccept => ControlReply::Recorded,
            ControlRequest::Head => {
                let day = self.backend.look().await?.state.ledger.view().day;
                let written = self.backend.reads.write(vec![StoreWrite::Head { day }]).await;
                written.map_or_else(|error| not_recorded(&error), |()| ControlReply::Recorded)
            }
            ControlRequest::Clock => {
                self.backend.retention.observe();
                ControlReply::Clock(self.backend.retention.report())
            }
            ControlRequest::ClockConfirm => {
                self.backend.retention.confirm();
                self.on_disk().await?;
                ControlReply::Clock(self.backend.retention.report())
            }
            ControlRequest::QuarantinePurge {
                older_than_ms,
                dry_run,
            } => match purge(&self.backend, older_than_ms, dry_run).await {
                Ok(purged) => ControlReply::QuarantinePurged(purged),
                Err(error) => RemovalError::from(error).into(),
            },
        })
    }

    async fn standing(&self) -> Result<OwnerSettings, BackendError> {
        let look = self.backend.look().await?;
        let at: Timestamp = look.state.wall(look.at);
        Ok(OwnerSettings::from_state(&look.state, &look.env, at))
    }

    /// Has a tool end it; answered when that is done and its trace is on disk.
    async fn end(&self, what: OwnerCall, key: Option<String>) -> Result<ControlReply, BackendError> {
        Ok(
            match self.backend.owner_call(Asker::OwnerCommand, what, key).await? {
                // A pause may have ended by itself a moment ago.
                Ok(_) | Err(OwnerCallError::NotPaused) => ControlReply::Standing(self.standing().await?),
                Err(problem) => ControlReply::Error(problem.to_string()),
            },
        )
    }

    /// What Comms knows, or that it is busy.
    async fn learned(&self) -> ControlReply {
        let learned = self.backend.learned().await;
        learned.map_or_else(
            || ControlReply::Busy(text("control-comms-silent").to_owned()),
            ControlReply::Learned,
        )
    }

    /// Corrects what was learned, or has it unlearned; answered with what is left of it.
    async fn relearn(&self, what: OwnerCall) -> Result<ControlReply, BackendError> {
        Ok(
            match self.backend.owner_call(Asker::OwnerCommand, what, None).await? {
                Ok(_) => self.learned().await,
                Err(problem) => ControlReply::Error(problem.to_string()),
            },
        )
    }

    /// Says it to the machine; answered when it is on disk.
    async fn tell(&self, what: EventKind) -> Result<ControlReply, BackendError> {
        self.backend.tell_machine(what).await?;
        Ok(ControlReply::Standing(self.standing().await?))
    }

    /// Asks for a tick and waits for its trace. Not for others: one that was running already is let end first.
    async fn tick(&self) -> Result<Trace, BackendError> {
        let mut live = self.backend.events();
        let before = self.backend.look().await?.state.ticks;
        self.backend.inject_event(EventKind::OwnerTick)?;
        loop {
            let what = match live.recv().await {
                Ok(live) => live.what,
                Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return Err(BackendError::Stopping),
            };
            let UiEventKind::Tick(trace_id) = what else {
                continue;
            };
            // It is told once it is kept; where it is not there, the disk did not take it.
            let trace = self.backend.trace(trace_id).await?.ok_or(BackendError::Store)?;
            if trace.decision.tick > before && trace.decision.trigger.source == TriggerSource::Owner {
                return Ok(trace);
            }
        }
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
    pub async fn reload(&self) -> Result<ControlReply, BackendError> {
        let (home, text, policy) = match self.read() {
            Ok(read) => read,
            Err(error) if is_temporary_cause(&error) => return Ok(ControlReply::Busy(error_text(&error))),
            Err(error) => return Ok(ControlReply::Config(error_text(&error))),
        };
        self.backend.locale.choose(home.language.chosen(), home.clock);
        let look = self.backend.look().await?;
        let settings_record = |env: &MachineEnv| SettingsRecord {
            settings: env.settings.clone(),
            day_seed: self.day_seed.clone(),
        };
        let before = settings_record(&look.env).hash();
        let env = MachineEnv {
            policy,
            settings: home.machine_settings(),
            seed: look.env.seed.clone(),
            catalogue_hash: look.env.catalogue_hash.clone(),
        };
        let (policy_hash, settings) = (env.policy.hash().to_owned(), settings_record(&env));
        let reloaded = ReloadReport {
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
            let reload = ReloadSettings {
                env: Arc::new(env),
                settings_hash: settings.hash(),
                ticket: self.backend.busy.ticket_to(SupervisedRole::Orchestrator),
            };
            send(&self.backend.orchestrator, "orchestrator", reload).map_err(|_| BackendError::Busy)?;
            // Handled after it: its event is in the store's queue.
            self.backend.look().await?;
            self.on_disk().await?;
        }
        Ok(ControlReply::Reloaded(reloaded))
    }

    fn read(&self) -> Result<(HomeConfig, String, Policy), ConfigError> {
        let home = HomeConfig::load(&self.files.home)?;
        let text = self.files.policy_text()?;
        let policy = Policy::parse(&text).map_err(|source| ConfigError::Policy {
            path: self.files.policy_file(),
            source: Box::new(source),
        })?;
        Ok((home, text, policy))
    }
}

fn refused(why: &str) -> ControlReply {
    ControlReply::Error(why.to_owned())
}

/// What passes by itself, for who asked.
pub(crate) fn try_again(error: BackendError) -> String {
    let error = match error {
        BackendError::Busy => text("control-aura-busy"),
        BackendError::Stopping => text("control-aura-stopping"),
        BackendError::Store => text("control-store-silent"),
    };
    say!("control-try-again", error)
}

fn not_recorded(error: &NotRecorded) -> ControlReply {
    if error.is_temporary() {
        ControlReply::Busy(error.to_string())
    } else {
        ControlReply::Error(error.to_string())
    }
}

/// The error with its cause, on one line; it names file, line and remedy.
fn error_text(error: &ConfigError) -> String {
    let text = error.to_string();
    match std::error::Error::source(error) {
        Some(cause) if !text.contains(cause.to_string().trim_end()) => format!("{text}: {cause}"),
        Some(_) | None => text,
    }
}

/// Removed by the one thread that writes the files, behind what waits for it.
async fn purge(
    backend: &ServiceBackend,
    older_than_ms: i64,
    dry_run: bool,
) -> Result<PurgeCounts, StoreError> {
    let expired = backend.retention.older_than(older_than_ms.max(0));
    let (tell, told) = oneshot::channel();
    let ack = Box::new(move |done| {
        // The requester may be gone.
        let _ = tell.send(done);
    });
    backend.quarantine.purge(expired, dry_run, ack)?;
    told.await.unwrap_or(Err(StoreError::Stopped))
}
