//! What the service does to its folder while no machine runs: a change of the key, bringing an export back; or nothing, but for starting
//! with other settings.
//!
//! What: [`Service::work_offline`], and [`ServiceListeners`], what stays meanwhile. Why: the owner's addresses and the
//! process stay, and whoever asks is told for how long. Not here: sealing (`aura_memory::vault`), importing (`aura_memory::export`), the
//! page (`surfaces`), who asks for it (`control`).

use super::{
    HostLink, Service, ServiceError, TenantEvent,
    end::{told_to_end, wait_for},
};
use crate::{
    config::{HomeConfig, WebEndpoints},
    control::{
        self, ControlHandler, ControlReply, ControlRequest, OfflineJob, OfflineOutcome, OfflineWork,
        ProgressSender, ShutdownSignals,
    },
    control_handler::open_export,
    notify, reads,
    removing::RemovalError,
    settings::KeptOverStarts,
};
use aura_memory::{
    Store, StoreError, Vault,
    audit::{AuditSubject, Kind, Op},
    export::{self, ImportError},
    vault::{self, KeyChange},
};
use aura_platform::clock::Clock;
use orchestrator_machine::policy::Policy;
use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use surfaces::web::{AwayReason, ConnectionInbox, PageNames, TimeLeft, TlsListener};
use surfaces_base::{
    devices::OwnerProofs,
    language::{say, text},
    locale,
};
use tokio::sync::watch as latch;

/// For how long somebody else may have the folder open, e.g. a command that reads, and how often it is looked.
const OTHERS_END: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// When a change that the disk did not take is gone on with.
const AGAIN: Duration = Duration::from_secs(1);

/// How often who waits for an import is told how far it is.
const TELL: Duration = Duration::from_secs(1);

/// What ending and starting the machine takes, and how much is sealed anew or imported in a second, as measured on two busy cores.
const RESTART: Duration = Duration::from_secs(3);
const SEALED_PER_SECOND: u64 = 8 << 20;
const IMPORTED_PER_SECOND: u64 = 4 << 20;

/// What of a service stays from its start to its end, over all its machines: the way to its host, and its own listener.
pub(super) struct ServiceListeners {
    pub(super) link: HostLink,
    /// The wishes to read policy and settings again that no machine has seen yet.
    pub(super) reloads: latch::Receiver<u64>,
    is_started: bool,
    outside: Option<TlsListener>,
    /// What `outside` was made by; `None`: nothing was asked for yet.
    outside_by: Option<WebEndpoints>,
    maintenance: Option<MaintenanceServer>,
    outcome: Option<OfflineOutcome>,
    /// Which browsers were shown to be the owner's, over all machines of this process.
    pub(super) proofs: Arc<OwnerProofs>,
    /// What was read in them, and what was dropped on their pages.
    pub(super) kept: KeptOverStarts,
    /// The store of the machine that serves.
    pub(super) store: Option<Arc<Store>>,
}

impl ServiceListeners {
    /// Of a service that has not begun.
    pub(super) fn new(link: HostLink) -> Self {
        Self {
            reloads: link.reloads.clone(),
            link,
            is_started: false,
            outside: None,
            outside_by: None,
            maintenance: None,
            outcome: None,
            proofs: Arc::default(),
            kept: KeptOverStarts::default(),
            store: None,
        }
    }

    /// Whether its page can be opened for the first time; asked once.
    pub(super) fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.is_started, true)
    }

    /// Where connections to the page come in on the loopback, under these host names; its folder is open. `None`: told to end.
    pub(super) async fn inside(&self, names: PageNames) -> Option<ConnectionInbox> {
        self.link.tell(TenantEvent::FolderTaken);
        self.link.tell(TenantEvent::Named(names));
        self.link.connections().await
    }

    /// The listener beyond the loopback, where one is configured. Settings that are changed while the service runs were tried out before; what cannot be
    /// listened for then all the same is left out, and the page goes on here.
    ///
    /// # Errors
    /// As [`WebEndpoints::bind`], at the start of the service.
    pub(super) async fn outside(&mut self, web: &WebEndpoints) -> Result<Option<TlsListener>, ServiceError> {
        if self.outside_by.as_ref() != Some(web) {
            let is_start = self.outside_by.is_none();
            self.outside = match web.bind_again(self.outside.take()).await {
                Ok(bound) => bound,
                Err(error) if is_start => return Err(error.into()),
                Err(error) => {
                    tracing::error!(%error, "other devices do not reach the page");
                    None
                }
            };
            self.outside_by = Some(web.clone());
        }
        self.clone_outside()
    }

    fn clone_outside(&self) -> Result<Option<TlsListener>, ServiceError> {
        let outside = self.outside.as_ref().map(TlsListener::try_clone).transpose();
        outside.map_err(listener_error)
    }

    /// Nobody answers in place of the machine any more.
    pub(super) fn reopen(&mut self) {
        self.maintenance = None;
    }

    /// The machine answers: whoever asked for work without it may go on.
    pub(super) fn tell_outcome(&mut self) {
        self.outcome = None;
    }
}

fn listener_error(source: io::Error) -> ServiceError {
    ServiceError::Io {
        what: "keep the page's address",
        source,
    }
}

/// Answers in place of the machine while it is away, on a thread of its own, until it is dropped.
struct MaintenanceServer {
    stop: latch::Sender<bool>,
    told_to_end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for MaintenanceServer {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("what answers while the machine is away has panicked");
        }
    }
}

/// What a [`MaintenanceServer`] serves with.
struct MaintenanceSetup {
    link: HostLink,
    outside: Option<TlsListener>,
    names: PageNames,
    why: AwayReason,
    left: TimeLeft,
    stopped: latch::Receiver<bool>,
    told_to_end: Arc<AtomicBool>,
}

impl MaintenanceSetup {
    async fn answer(self) -> io::Result<()> {
        let (stop, asked) = latch::channel(false);
        let handler = MaintenanceHandler {
            why: self.why,
            left: self.left.clone(),
        };
        let control = control::serve(
            self.link.control(),
            None,
            handler,
            ShutdownSignals::stop_only(stop),
        );
        let does = match self.why {
            AwayReason::KeyChange => "seals the data folder with a new key (WEB-025)",
            AwayReason::Import => "brings an export back (WEB-025)",
            AwayReason::Settings => "takes up changed settings (WEB-025)",
        };
        notify::waiting(does, self.link.clone(), self.stopped.clone());
        let connections = self.link.connections().await;
        let (told, link) = (self.told_to_end, self.link);
        actix::spawn(async move {
            told_to_end(asked, &link).await;
            told.store(true, Ordering::Relaxed);
        });
        let stop = wait_for(self.stopped);
        let served = if let Some(connections) = connections {
            let away = (self.why, self.left);
            surfaces::serve_away(connections, self.outside, self.names, away, stop).await
        } else {
            stop.await;
            Ok(())
        };
        control.answer_all().await;
        served
    }
}

/// Answers commands with what is going on and how long it still takes.
#[derive(Clone)]
struct MaintenanceHandler {
    why: AwayReason,
    left: TimeLeft,
}

impl ControlHandler for MaintenanceHandler {
    async fn answer(&self, _request: ControlRequest, _say: &ProgressSender) -> ControlReply {
        let seconds = (self.left)().as_secs().max(1).to_string();
        match self.why {
            AwayReason::KeyChange => ControlReply::Busy(say!("control-away-key", seconds)),
            AwayReason::Import => ControlReply::Busy(say!("control-away-import", seconds)),
            AwayReason::Settings => ControlReply::Away(say!("control-away-settings", seconds)),
        }
    }
}

impl Service {
    /// Answers for the machine from now on.
    pub(super) fn close(
        &self,
        listening: &mut ServiceListeners,
        work: &OfflineWork,
    ) -> Result<(), ServiceError> {
        let io = |source| ServiceError::Io {
            what: "answer while the machine is away",
            source,
        };
        let (why, seconds) = match work {
            OfflineWork::KeyChange(_) => {
                let plan = vault::plan(self.vault.dir())?;
                let bytes: u64 = plan.iter().map(|(_, bytes)| bytes).sum();
                (AwayReason::KeyChange, bytes / SEALED_PER_SECOND)
            }
            OfflineWork::Import(file) => {
                let bytes = std::fs::metadata(file).map_or(0, |meta| meta.len());
                (AwayReason::Import, bytes / IMPORTED_PER_SECOND)
            }
            OfflineWork::Settings => (AwayReason::Settings, 0),
        };
        let (begun, whole) = (Instant::now(), RESTART + Duration::from_secs(seconds));
        let (stop, stopped) = latch::channel(false);
        let told_to_end = Arc::new(AtomicBool::new(false));
        let setup = MaintenanceSetup {
            link: listening.link.clone(),
            outside: listening.clone_outside()?,
            names: self.page_names(),
            why,
            left: Arc::new(move || whole.saturating_sub(begun.elapsed())),
            stopped,
            told_to_end: Arc::clone(&told_to_end),
        };
        let answer = move || {
            if let Err(error) = actix::System::new().block_on(setup.answer()) {
                tracing::error!(%error, "nobody answers while the machine is away");
            }
        };
        let thread = thread::Builder::new()
            .name("away".to_owned())
            .spawn(answer)
            .map_err(io)?;
        listening.maintenance = Some(MaintenanceServer {
            stop,
            told_to_end,
            thread: Some(thread),
        });
        Ok(())
    }

    /// Does the work; nothing of the machine is there any more. False: told to end.
    ///
    /// # Errors
    /// A change of the key that has begun and cannot be gone on with; the next start does.
    pub(super) fn work_offline(
        &mut self,
        listening: &mut ServiceListeners,
        mut job: OfflineJob,
    ) -> Result<bool, ServiceError> {
        let told = listening
            .maintenance
            .as_ref()
            .map(|server| server.told_to_end.clone());
        let is_told_to_end = || told.as_ref().is_some_and(|told| told.load(Ordering::Relaxed));
        let reply = locale::speaking(job.language, || {
            Ok::<_, ServiceError>(match job.work.clone() {
                OfflineWork::KeyChange(change) => self.change_key(&change, &is_told_to_end)?,
                OfflineWork::Import(file) => Some(self.import(&file, &mut job)),
                OfflineWork::Settings => Some(ControlReply::Recorded),
            })
        })?;
        let Some(reply) = reply else { return Ok(false) };
        listening.outcome = Some(OfflineOutcome { job, reply });
        Ok(!is_told_to_end())
    }

    /// Brings a raw export back, all of it or none.
    fn import(&self, file: &Path, job: &mut OfflineJob) -> ControlReply {
        let begun = Instant::now();
        let mut told = begun;
        let mut progress = |rows: u64| {
            if told.elapsed() >= TELL {
                told = Instant::now();
                job.progress(say!("control-rows-brought-back", rows = rows.to_string()));
            }
        };
        loop {
            let opened = match open_export(file) {
                Ok(opened) => opened,
                Err(error) => return error.into(),
            };
            let at = Clock::real(None).wall();
            match export::import(&self.vault, opened, at, &mut progress) {
                Ok(counts) => {
                    tracing::info!(
                        ms = begun.elapsed().as_millis(),
                        rows = counts.rows,
                        "an export was brought back"
                    );
                    return ControlReply::ExportImported(counts);
                }
                Err(ImportError::Store(StoreError::Locked { .. })) if begun.elapsed() < OTHERS_END => {
                    thread::sleep(LOOK_AGAIN);
                }
                Err(error) => return RemovalError::from(error).into(),
            }
        }
    }

    /// Seals the folder anew, and says what came of it; `None`: told to end while it waits for the disk.
    fn change_key(
        &mut self,
        change: &KeyChange,
        is_told_to_end: &dyn Fn() -> bool,
    ) -> Result<Option<ControlReply>, ServiceError> {
        let dir = self.vault.dir().to_owned();
        self.vault.let_go();
        let begun = Instant::now();
        loop {
            let error = match Vault::change(&dir, change, &mut |_| Ok(())) {
                Ok(vault) => {
                    self.vault = vault;
                    tracing::info!(
                        ms = begun.elapsed().as_millis(),
                        "the folder is sealed with a new key"
                    );
                    return Ok(Some(self.recorded()));
                }
                Err(error) => error,
            };
            let others = matches!(error, StoreError::Locked { .. });
            if vault::is_changing(&dir) {
                if !error.is_temporary() {
                    return Err(error.into());
                }
                tracing::error!(code = error.code(), %error, "the change of the key is gone on with in a moment");
                if is_told_to_end() {
                    return Ok(None);
                }
                thread::sleep(AGAIN);
            } else if others && begun.elapsed() < OTHERS_END {
                thread::sleep(LOOK_AGAIN);
            } else {
                self.vault = Vault::handed(&dir, &self.vault.hand_over())?;
                change.abandon(&dir);
                return Ok(Some(ControlReply::Busy(if others {
                    text("control-folder-open-elsewhere").to_owned()
                } else {
                    say!("control-nothing-changed", error = error.to_string())
                })));
            }
        }
    }

    fn recorded(&self) -> ControlReply {
        match reads::record_alone(
            &self.vault,
            self.store_options(),
            Op::KeyChange,
            AuditSubject::all_of(Kind::Key),
        ) {
            Ok(()) => ControlReply::KeyChanged,
            Err(error) => ControlReply::Busy(say!("control-key-not-recorded", error = error.to_string())),
        }
    }

    /// Configuration and policy, as after a restart; those that cannot be used stay as they were.
    pub(super) fn read_again(&mut self) {
        let home = HomeConfig::load(&self.files.home);
        let text = self.files.policy_text();
        match (home, text) {
            (Ok(home), Ok(text)) if Policy::parse(&text).is_ok() => {
                self.home = home;
                self.policy_text = text;
            }
            (_, _) => {
                tracing::warn!("configuration or policy cannot be used: those of the start stay in force");
            }
        }
    }
}
