//! The service: `aura run` and `aura demo`.
//!
//! What: opens the data folder, starts the actors, serves the page and the owner's commands, looks at the folders, and ends
//! cleanly. Why: one place says what one owner's running Aura consists of. Not here: port, control socket and signals of the
//! process (`host`), actors (`wiring`), pages (`surfaces`), the command line's words (`cli`).

mod catalogue_page;
mod end;
mod link;
mod offline;
mod parking;
mod start;

use crate::{
    accounts::LiveAccounts,
    backend::ProgramAccess,
    config::{ConfigError, HomeConfig},
    control::{self, ControlHandler, ControlServer, ShutdownSignals},
    control_handler::{ReloadFiles, ServiceControlHandler},
    demo,
    devices::{self, PageAddress, PairingInvitation},
    fault_plan::NoFaults,
    notify,
    page_deletions::serve_deletions,
    removing::{DataRemover, prompt_until},
    settings::{KeptOverStarts, SettingsEditor, SettingsRequest, serve_settings},
    wiring::{self, AgentHosting, OpenedFolder, RunningSystem, SystemParts, WiringError},
};
pub(crate) use link::{HostLink, TenantEvent};
pub(crate) use parking::{HostParking, ParkedTenant, TenantEnd};

use agents::contract::AgentSetup;
use aura_doors::mcp::McpDoor;
use aura_memory::{OpenRemoteLog, StoreError, StoreOptions, Vault, is_temporary_cause};
use aura_platform::{
    clock::Clock,
    in_flight::InFlight,
    supervise::watchdog::{ArbiterPulse, watched_system},
};
use aura_process::{ForkServer, model_supervisor};
use end::{EndReason, drain, drain_machine, end_of, nights, wait_for};
use llm_runtime::AbsentModel;
use offline::ServiceListeners;
use orchestrator_machine::{MachineEnv, policy::Policy};
use start::{StartedSystem, demo_devices};
use std::{path::PathBuf, sync::Arc, time::Duration};
use surfaces::{
    WebConfig,
    web::{BindError, PageNames},
};
use surfaces_base::{
    DeviceRegistry,
    backend::{Backend, BackendError},
    devices::{DeviceScope, OwnerProofs},
    locale::LocaleSetting,
};
use tokio::sync::{mpsc, watch as latch};
use toolcall_schema::{Timestamp, gate, ids::OwnerSeed};

/// Which of the two services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceMode {
    /// The owner's own folders, the real clock.
    Run,
    /// The bundled household on its own day; its clock begins with the first page, or at once.
    Demo {
        /// At once.
        headless: bool,
    },
}

/// What a service is started with.
pub struct Service {
    pub mode: ServiceMode,
    /// The configuration.
    pub home: HomeConfig,
    /// Where configuration and policy were read, and are read again.
    pub files: ReloadFiles,
    /// The policy's text.
    pub policy_text: String,
    /// The data folder.
    pub vault: Vault,
    /// The host name of its pages where the host serves several owners; absent: the installation's own.
    pub host_name: Option<String>,
    pub quotas: OwnerQuotas,
    /// The log outside the process that its store follows; absent: none, as on anybody's own machine.
    pub remote_log: Option<OpenRemoteLog>,
}

/// What one owner of a host may use.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnerQuotas {
    /// So many bytes her store may have; absent: as many as there is room for.
    pub store_bytes_max: Option<u64>,
    /// So many hundredths of one processor; absent: whatever the others leave.
    pub cpu_percent: Option<u32>,
}

/// A service that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Configuration or policy.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The data folder.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// The page's port.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The device signals of the demo household.
    #[error(transparent)]
    Unreadable(#[from] demo::UnreadableFile),
    /// The demo household has no clock or seed.
    #[error(
        "CONF-005: the demo household's home.toml needs `start` and `seed`; copy them from fixtures/home/home.toml"
    )]
    NotADemo,
    /// A question to the owner is open, and this command has no page on which it could be answered.
    #[error(
        "a question waits for your answer until {until} (UTC): answer it on the page of `aura run`, or try again after that"
    )]
    OpenPrompt {
        /// When it closes by itself.
        until: Timestamp,
    },
    /// Another host has the owners' folder.
    #[error("another host serves the owners of this folder: end it first")]
    OtherHost,
    /// The system refused something.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        ServiceError::Wiring(error.into())
    }
}

impl ServiceError {
    /// Whether another try may succeed although nobody repairs anything.
    pub fn is_temporary(&self) -> bool {
        is_temporary_cause(self)
            || match self {
                ServiceError::Wiring(error) => error.is_temporary(),
                ServiceError::OpenPrompt { .. } | ServiceError::OtherHost => true,
                ServiceError::Config(_)
                | ServiceError::Bind(_)
                | ServiceError::Unreadable(_)
                | ServiceError::NotADemo
                | ServiceError::Io { .. } => false,
            }
    }
}

/// What a started service says of itself.
pub struct ServiceReady {
    /// The page's address. No secret is in it.
    pub page: String,
    /// A code that lets a first browser in; absent where one is paired, but for the demo.
    pub pair: Option<PairingInvitation>,
    /// The data folder.
    pub dir: PathBuf,
}

/// How long the service takes at most to end: open pages are dropped after 3 s, processes after 4 s more.
const DRAIN: Duration = Duration::from_secs(9);

impl Service {
    /// The data folder.
    pub(crate) fn data_folder(&self) -> PathBuf {
        self.vault.dir().to_owned()
    }

    /// Runs on this thread until its host or its owner ends it.
    ///
    /// # Errors
    /// [`ServiceError`] when it cannot start.
    pub(crate) fn run_tenant(mut self, link: HostLink) -> Result<TenantEnd, ServiceError> {
        let mut listening = ServiceListeners::new(link);
        loop {
            // With the system everything goes that a machine had open.
            let (system, pulse) = watched_system().map_err(|source| ServiceError::Io {
                what: "start the machine's thread",
                source,
            })?;
            let end = system.block_on(self.serve(&mut listening, &pulse));
            drop(system);
            pulse.end();
            // Closing it waits for the disk and for the log that it follows: no actor's thread does.
            listening.store = None;
            match end? {
                EndReason::Offline(job) => {
                    if self.work_offline(&mut listening, job)? {
                        self.read_again();
                        continue;
                    }
                }
                EndReason::Parked(parked) => return Ok(TenantEnd::Parked(parked)),
                EndReason::Told => {}
            }
            listening.kept.accounts.remove();
            return Ok(TenantEnd::Told);
        }
    }

    fn serve_control(
        &self,
        link: &HostLink,
        handler: impl ControlHandler,
        ends: ShutdownSignals,
    ) -> ControlServer {
        control::serve(link.control(), Some(self.vault.clone()), handler, ends)
    }

    /// How its store is opened.
    fn store_options(&self) -> StoreOptions {
        StoreOptions {
            bytes_max: self.quotas.store_bytes_max,
            remote_log: self.remote_log.clone(),
            ..StoreOptions::default()
        }
    }

    /// The host name of the owner's pages on this machine.
    fn page_name(&self) -> String {
        let own = || devices::host_name(self.vault.seed());
        self.host_name.clone().unwrap_or_else(own)
    }

    /// Every host name of her pages.
    fn page_names(&self) -> PageNames {
        PageNames {
            own: self.page_name(),
            added: self.home.web.names(),
            is_one_of_several: self.host_name.is_some(),
        }
    }

    /// The machine's surroundings and the clock, for a data folder.
    fn environment(&self) -> Result<(MachineEnv, OwnerSeed), ServiceError> {
        self.home.fits(&self.files.home, self.vault.dir())?;
        let secret = self.vault.seed().clone();
        let seed = match (self.mode, &self.home.seed) {
            (ServiceMode::Run, _) => secret.clone(),
            (ServiceMode::Demo { .. }, Some(seed)) => OwnerSeed::from_day_seed(seed),
            (ServiceMode::Demo { .. }, None) => return Err(ServiceError::NotADemo),
        };
        let policy = Policy::parse(&self.policy_text).map_err(|source| ConfigError::Policy {
            path: self.files.policy_file(),
            source: Box::new(source),
        })?;
        let env = MachineEnv {
            policy,
            settings: self.home.machine_settings(),
            seed,
            catalogue_hash: gate::catalogue_hash().to_owned(),
        };
        Ok((env, secret))
    }

    /// One machine's time.
    async fn serve(
        &mut self,
        listening: &mut ServiceListeners,
        pulse: &Arc<ArbiterPulse>,
    ) -> Result<EndReason, ServiceError> {
        let (env, secret) = self.environment()?;
        let Some(opened) = self.open(&env, listening).await? else {
            return Ok(EndReason::Told);
        };
        // After the lock, before anything moves: a busy port leaves the folder as it was.
        let Some(connections) = listening.inside(self.page_names()).await else {
            return Ok(EndReason::Told);
        };
        let outside = listening.outside(&self.home.web).await?;
        let signals = self.demo_signals()?;
        pulse.watch("main").map_err(|source| ServiceError::Io {
            what: "start the watchdog's thread",
            source,
        })?;
        let StartedSystem {
            system,
            clock,
            devices,
            settings,
            deletions,
        } = self.start_system((opened, env, &secret), listening)?;
        listening.store = Some(Arc::clone(&system.store));
        let backend = system.backend.clone();
        let port = connections.address().port();
        // A provider sends a browser back to 127.0.0.1, which is nobody's where there are several owners.
        if self.host_name.is_none() {
            backend.accounts.set_page_port(port);
        }
        let name = self.page_name();
        let address = PageAddress {
            page: format!("http://{name}:{port}"),
            outside: self.home.web.outside(),
        };
        let handler = self.control_handler(&system, devices, Some(address.clone()));
        let backups = actix::spawn(system.backend.clone().keep_backups());
        let deletions = actix::spawn(serve_deletions(deletions, handler.removing.clone()));
        let (stop, stopped) = latch::channel(false);
        let (offline, offline_jobs) = mpsc::unbounded_channel();
        let settings = settings.map(|(editor, requests)| {
            actix::spawn(serve_settings(editor, requests, handler.clone(), offline.clone()))
        });
        let ends = ShutdownSignals {
            stop: stop.clone(),
            offline,
        };
        listening.reopen();
        let control = self.serve_control(&listening.link, handler.clone(), ends);
        let page: Arc<dyn Backend> = Arc::new(backend.clone());
        let mcp = McpDoor::new(page.clone(), Arc::new(page.clone()), &secret);
        let web = WebConfig {
            devices: handler.devices.clone(),
            names: self.page_names(),
            nonce: *uuid::Uuid::new_v4().as_bytes(),
            locale: Arc::clone(&backend.locale),
            outside,
            mcp: Some(Arc::new(mcp)),
        };
        let page_stop = wait_for(stopped.clone());
        let page = actix::spawn(surfaces::serve(connections, web, page, page_stop));
        listening.tell_outcome();
        notify::watchdog(backend.clone(), listening.link.clone(), stopped.clone());
        self.start_background_tasks(&system, &clock, listening, &stopped);
        if matches!(self.mode, ServiceMode::Demo { .. }) {
            demo_devices(backend.clone(), clock.clone(), signals);
        }
        if self.mode == (ServiceMode::Demo { headless: true }) {
            clock.begin();
        }
        let first = if listening.is_first() {
            Some(ServiceReady {
                pair: self.first_code(&address, &handler.devices)?,
                page: format!("{}/", address.page),
                dir: self.vault.dir().to_owned(),
            })
        } else {
            None
        };
        listening.link.tell(TenantEvent::Ready(first));
        let nights = actix::spawn(nights(
            self.mode,
            backend.clone(),
            handler.removing.clone(),
            listening.link.visits.clone(),
        ));
        let (link, reloads) = (&listening.link, &mut listening.reloads);
        let parks = self.parks(
            (link.parking.as_deref(), &link.folders),
            &link.visits,
            &backend,
            &system.setup.sources,
        );
        let end = end_of(stopped, offline_jobs, handler, (link, reloads), parks).await;
        nights.abort();
        deletions.abort();
        backups.abort();
        if let Some(settings) = settings {
            settings.abort();
        }
        drop(backend);
        match &end {
            EndReason::Told | EndReason::Parked(_) => listening.link.tell(TenantEvent::Ending),
            EndReason::Offline(job) => {
                // Before the next one takes its place.
                control.take_in_no_more();
                self.close(listening, &job.work)?;
            }
        }
        // Whoever asked first, all are told.
        let _ = stop.send(true);
        let drained = tokio::time::timeout(DRAIN, drain(system, page)).await;
        if drained.is_err() {
            tracing::warn!("not everything ended in time");
        }
        control.answer_all().await;
        Ok(end)
    }

    /// A piece of work on a folder without a running service: all of it runs, but for page and socket. A question that is open is
    /// left to a service with a page, where the work could outlast it (`long`).
    ///
    /// # Errors
    /// [`ServiceError`]; the folder stays as it was.
    pub fn run_offline<T>(
        self,
        long: bool,
        work: impl AsyncFnOnce(&ServiceControlHandler) -> T,
    ) -> Result<T, ServiceError> {
        actix::System::new().block_on(async move {
            let (env, _) = self.environment()?;
            let opened = wiring::open(&self.vault, &env, self.store_options())?;
            let clock = Clock::real(opened.last_time());
            if let Some(until) = opened.state.as_ref().and_then(prompt_until)
                && long
                && until > clock.wall()
            {
                return Err(ServiceError::OpenPrompt { until });
            }
            let env = Arc::new(env);
            let kept = KeptOverStarts::default();
            let (accounts, setup) = self.accounts(&opened, &env, &kept)?;
            let mut system = wiring::start(SystemParts {
                setup,
                env,
                vault: self.vault.clone(),
                opened,
                agents: AgentHosting::Processes(ForkServer::of_service()),
                clock: clock.clone(),
                busy: InFlight::default(),
                faults: Arc::new(NoFaults),
                model: Box::new(AbsentModel),
                model_board: model_supervisor::ModelStatus::default(),
                policy_text: self.policy_text.clone(),
                day_seed: self.day_seed(),
                accounts,
            })?;
            let paired = self.paired_devices(&system, clock, &Arc::default())?;
            system.backend.programs = Some(ProgramAccess::new(paired.clone()));
            let handler = self.control_handler(&system, paired, None);
            let done = work(&handler).await;
            drain_machine(system).await;
            Ok(done)
        })
    }

    fn paired_devices(
        &self,
        system: &RunningSystem,
        clock: Clock,
        proofs: &Arc<OwnerProofs>,
    ) -> Result<Arc<DeviceRegistry>, ServiceError> {
        let zone = self.home.settings.zone;
        Ok(devices::open(&self.vault, &system.store, clock, zone, proofs)?)
    }

    fn control_handler(
        &self,
        system: &RunningSystem,
        devices: Arc<DeviceRegistry>,
        address: Option<PageAddress>,
    ) -> ServiceControlHandler {
        ServiceControlHandler {
            devices,
            address,
            backend: system.backend.clone(),
            store: system.store.clone(),
            files: self.files.clone(),
            day_seed: self.day_seed(),
            setup: system.setup.clone(),
            removing: DataRemover::new(
                system.backend.clone(),
                system.store.clone(),
                self.files.home.clone(),
            ),
        }
    }

    /// The accounts, and what the agents are given with them.
    fn accounts(
        &self,
        opened: &OpenedFolder,
        env: &MachineEnv,
        kept: &KeptOverStarts,
    ) -> Result<(LiveAccounts, AgentSetup), ServiceError> {
        let accounts = LiveAccounts::open(
            &self.home.accounts,
            &self.vault,
            &opened.store,
            (&kept.accounts, &kept.renewals),
        )?;
        let mut setup = self.home.setup(&env.seed);
        accounts.add_sources(&mut setup.sources);
        Ok((accounts, setup))
    }

    /// How pages change the owner's file; the demo's is nobody's to change.
    fn settings_editor(
        &self,
        kept: KeptOverStarts,
    ) -> Option<(SettingsEditor, mpsc::Receiver<SettingsRequest>)> {
        (self.mode == ServiceMode::Run).then(|| {
            let (file, data) = (self.files.home.clone(), self.vault.dir().to_owned());
            SettingsEditor::new(file, data, self.vault.place().cloned(), kept)
        })
    }

    /// A code at the start: while no browser of the owner's is paired, and for who looks at the demo.
    fn first_code(
        &self,
        address: &PageAddress,
        devices: &DeviceRegistry,
    ) -> Result<Option<PairingInvitation>, ServiceError> {
        if self.mode == ServiceMode::Run && devices.has_owner() {
            return Ok(None);
        }
        let invited = address.invite(devices, DeviceScope::Owner, None);
        invited.map(Some).map_err(|error: BackendError| ServiceError::Io {
            what: "make a pairing code",
            source: std::io::Error::other(error),
        })
    }

    /// What the ids derive from, in the demo.
    fn day_seed(&self) -> Option<String> {
        match self.mode {
            ServiceMode::Run => None,
            ServiceMode::Demo { .. } => self.home.seed.clone(),
        }
    }

    /// What the owner chose, and the locale of this process.
    pub(super) fn locale(&self) -> LocaleSetting {
        let system = surfaces_base::locale::of_process();
        LocaleSetting::new((self.home.language.chosen(), self.home.clock), system.as_deref())
    }
}
