//! A service's machine with what its pages ask, and what goes on beside it.
//!
//! What: [`Service::start_system`], [`Service::start_background_tasks`], [`demo_devices`]. Why: `serve` says in which order a service
//! begins and ends; what each step starts stands here. Not here: the actors (`wiring`), pages and commands (`serve`).

use super::{Service, ServiceError, ServiceMode, offline::ServiceListeners};
use crate::{
    accounts::poll_accounts,
    backend::{ProgramAccess, ServiceBackend, run_proposals::OwnerPort},
    cpu_quota::CpuQuota,
    demo,
    fault_plan::NoFaults,
    outbound::{
        self, OutboundTimeouts,
        web_push::{PushNetwork, VapidKey, WebPush},
    },
    page_backups::PageBackups,
    page_deletions::{PageDeletionRequest, PageDeletions},
    page_models::PageModels,
    runs,
    settings::{SettingsEditor, SettingsRequest},
    watch::{self, AheadClock},
    wiring::{self, AgentHosting, OpenedFolder, RunningSystem, SystemParts},
};
use aura_platform::{clock::Clock, in_flight::InFlight};
use aura_process::{ForkServer, WorkerProgram, model_supervisor};
use aura_workflow::RunHost;
use orchestrator_machine::MachineEnv;
use std::{sync::Arc, time::Duration};
use surfaces_base::{
    DeviceRegistry,
    backend::{Backend as _, UiEventKind, people::PeopleBackend as _},
};
use tokio::sync::{mpsc, watch as latch};
use toolcall_schema::{AgentName, Timestamp, ids::OwnerSeed, signal::AdmittedSignal};

/// After this the demo's devices send what there was no room for.
const POST_AGAIN: Duration = Duration::from_secs(1);

/// A running machine, and the requests of its pages that something else serves.
pub(super) struct StartedSystem {
    pub(super) system: RunningSystem,
    pub(super) clock: Clock,
    pub(super) devices: Arc<DeviceRegistry>,
    /// Absent: nobody may change the file.
    pub(super) settings: Option<(SettingsEditor, mpsc::Receiver<SettingsRequest>)>,
    pub(super) deletions: mpsc::Receiver<PageDeletionRequest>,
}

impl Service {
    /// Starts the machine on an opened folder.
    pub(super) fn start_system(
        &self,
        (opened, env, secret): (OpenedFolder, MachineEnv, &OwnerSeed),
        listening: &ServiceListeners,
    ) -> Result<StartedSystem, ServiceError> {
        let last = opened.last_time();
        let clock = match self.mode {
            ServiceMode::Run => Clock::real(last),
            ServiceMode::Demo { .. } => {
                let start = self.home.start.ok_or(ServiceError::NotADemo)?;
                Clock::from_day(last.map_or(start, |(at, _)| at))
            }
        };
        let env = Arc::new(env);
        let model_board = model_supervisor::ModelStatus::default();
        let (model, model_ended) = model_supervisor::start(
            model_supervisor::ModelSetup {
                data: self.vault.dir().to_owned(),
                worker: self.home.model_worker.clone(),
                program: WorkerProgram::default(),
                only: None,
            },
            model_board.clone(),
        );
        let (accounts, setup) = self.accounts(&opened, &env, &listening.kept)?;
        let mut system = wiring::start(SystemParts {
            setup,
            env,
            vault: self.vault.clone(),
            opened,
            agents: AgentHosting::Processes(ForkServer::of_service()),
            clock: clock.clone(),
            busy: InFlight::default(),
            faults: Arc::new(NoFaults),
            model: Box::new(model),
            model_board,
            policy_text: self.policy_text.clone(),
            day_seed: self.day_seed(),
            accounts,
        })?;
        system.processes.push(model_ended);
        let devices = self.paired_devices(&system, clock.clone(), &listening.proofs)?;
        let settings = self.settings_editor(listening.kept.clone());
        let (deletion_asks, deletions) = PageDeletions::new();
        let backend = &mut system.backend;
        backend.home = Some(self.files.home.clone());
        // This is the owner's thread.
        backend.cpu = self
            .quotas
            .cpu_percent
            .map(|percent| Arc::new(CpuQuota::new(percent, backend.registry.clone())));
        backend.locale = Arc::new(self.locale());
        backend.settings = settings.as_ref().map(|(editor, _)| editor.clone());
        backend.deletions = Some(deletion_asks);
        backend.backups = Some(PageBackups::new(self.vault.clone()));
        backend.models = Some(PageModels::new(
            self.vault.dir().to_owned(),
            self.home.model_worker.clone(),
        ));
        backend.programs = Some(ProgramAccess::new(devices.clone()));
        backend.web_push = VapidKey::of_installation(secret).map(|key| {
            let config = &self.home.outbound.web_push;
            WebPush::new(devices.clone(), config, key, PushNetwork::public())
        });
        Ok(StartedSystem {
            system,
            clock,
            devices,
            settings,
            deletions,
        })
    }

    /// Starts what looks at folders, accounts and runs, and what speaks to the outside, until `stopped`.
    pub(super) fn start_background_tasks(
        &self,
        system: &RunningSystem,
        clock: &Clock,
        listening: &ServiceListeners,
        stopped: &latch::Receiver<bool>,
    ) {
        let backend = &system.backend;
        let ahead = if self.mode == ServiceMode::Run {
            AheadClock::Seldom
        } else {
            AheadClock::Always
        };
        let watched = backend.accounts.without_mail(&system.setup.sources);
        let folders = listening.link.folders.clone();
        watch::folders((backend.clone(), folders), &watched, ahead, stopped.clone());
        backend.tell_pages_of_agents(stopped.clone());
        let (people, live) = (backend.clone(), Arc::clone(&backend.live));
        poll_accounts(
            &backend.accounts,
            watch::change_teller(backend, AgentName::Comms),
            move || live.tell(UiEventKind::Status),
            move |item| people.message_id(item),
            stopped,
        );
        runs::expire(
            backend.runs.clone(),
            clock.clone(),
            Arc::clone(&system.run_events),
            stopped.clone(),
        );
        let owner = OwnerPort::new(backend.clone());
        backend.runs.asks_the_owner_by(Arc::new(owner));
        let orphaned = backend.clone();
        drop(actix::spawn(async move {
            orphaned.withdraw_asks_of_ended_runs().await;
        }));
        resume_runs(&backend.runs);
        outbound::start(&self.home.outbound, OutboundTimeouts::SERVICE, backend, stopped);
    }

    /// What the devices of the demo household send, earliest first.
    pub(super) fn demo_signals(&self) -> Result<Vec<AdmittedSignal>, ServiceError> {
        let mut signals = Vec::new();
        for path in &self.home.signals {
            signals.extend(demo::device_signals(path)?);
        }
        signals.sort_by_key(|admitted| admitted.signal().at);
        Ok(signals)
    }
}

/// Goes on with the runs that the last service left.
fn resume_runs(runs: &RunHost) {
    let runs = runs.clone();
    drop(tokio::task::spawn_blocking(move || {
        if let Err(error) = runs.take_up() {
            tracing::error!(%error, "the runs that were left cannot be read");
        }
    }));
}

/// The demo household's devices: what is recorded for one moment is posted together when that moment has come.
pub(super) fn demo_devices(backend: ServiceBackend, clock: Clock, signals: Vec<AdmittedSignal>) {
    actix::spawn(async move {
        let begun: Timestamp = clock.at();
        let due: Vec<AdmittedSignal> = signals
            .into_iter()
            .filter(|admitted| admitted.signal().at >= begun)
            .collect();
        for batch in due.chunk_by(|a, b| a.signal().at == b.signal().at) {
            if let Some(first) = batch.first() {
                let _woken = clock.sleep_until(first.signal().at).await;
            }
            let mut left = batch.to_vec();
            while !left.is_empty() {
                match backend.signals(left.clone()).await {
                    Ok(reply) if reply.again.is_empty() => break,
                    // There was no room: as any sender does, they send it again.
                    Ok(reply) => {
                        left = reply.again.iter().filter_map(|n| left.get(*n).cloned()).collect();
                        tokio::time::sleep(POST_AGAIN).await;
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a signal of the demo household was not taken");
                        break;
                    }
                }
            }
        }
    });
}
