//! Who talks to whom: the only file that builds actors.
//!
//! What: from a data folder and settings to a running system of actors. Why: one picture of the whole. Not here: what
//! each does.

use crate::{
    accepted::{self, CatalogueError},
    accounts::LiveAccounts,
    actors::{
        model::ModelActor,
        orchestrator::{OrchestratorActor, OrchestratorConfig, PortAddresses, Start},
        quarantine::{QuarantineActor, QuarantineInbox},
        surfaces::SurfacesActor,
    },
    backend::{ServiceBackend, removed_rules::RemovedRules},
    deletion::{self, DeletionError},
    fault_plan::FaultPlan,
    journal::{JournalError, JournalReplay, ReplayContext, SettingsRecord},
    outbound_health::OutboundHealth,
    reads::ReadRecorder,
    runs,
};
use actix::{Actor, Addr, Context, Supervised};
use agents::{
    actor::{AgentActor, AgentsPort},
    contract::{AgentCheckpoint, AgentSetup},
    in_process::{AgentFactory, InProcessAgent},
    registry::BuildAgent,
};
use aura_memory::{
    RecoveredState, Store, StoreDeath, StoreError, StoreOptions, StoreReader, Vault, quarantine,
};
use aura_platform::{
    clock::Clock,
    in_flight::InFlight,
    mailbox::send,
    metrics::METRICS,
    retention_clock::RetentionClock,
    supervise::{self, FatalFailure},
};
use aura_process::{
    AgentLaunch, AgentOrigin, AgentStatusRegistry, ForkServer, ProcessLimits, agent_process, model_supervisor,
};
use llm_runtime::LanguageModel;
use orchestrator_machine::{MachineEnv, MachineState, RULES_NUMBER, supervision::SupervisedRole};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use surfaces::web::UiEvents;
use surfaces_base::locale::{ClockStyle, LocaleSetting};
use tokio::sync::{Notify, watch};
use toolcall_schema::{AgentName, Timestamp, agent_state::JournalledState, trace::Decision};

/// A system that could not be built.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// The data folder: locked, damaged, newer, not writable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal cannot be folded.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A deletion that was interrupted cannot be finished.
    #[error(transparent)]
    Deletion(#[from] DeletionError),
    /// The catalogue has to be accepted first.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// What the agents are given cannot be written down.
    #[error(
        "CONF-003: a source's path is not UTF-8 and cannot be handed to an agent; give the folder another name"
    )]
    Setup(#[source] serde_json::Error),
}

impl WiringError {
    /// Whether another try may succeed although nobody repairs anything.
    pub fn is_temporary(&self) -> bool {
        match self {
            WiringError::Store(error)
            | WiringError::Journal(JournalError::Store(error))
            | WiringError::Catalogue(CatalogueError::Store(error)) => error.is_temporary(),
            WiringError::Deletion(error) => error.is_temporary(),
            WiringError::Journal(_) | WiringError::Catalogue(_) | WiringError::Setup(_) => false,
        }
    }
}

/// The data folder, opened, with the state it holds.
pub struct OpenedFolder {
    /// The store with its lock.
    pub store: Store,
    /// The state, rebuilt from snapshot and journal; absent in an empty folder.
    pub state: Option<MachineState>,
    /// The number of the next event.
    pub next_seq: u64,
    /// What each agent was given last.
    pub agent_states: BTreeMap<AgentName, JournalledState>,
    /// The last tick whose trace is kept; 0: none.
    pub kept_ticks: u64,
    /// Up to when time is borne out, as it was kept last.
    pub confirmed_time: Option<String>,
}

impl OpenedFolder {
    /// Where the timeline was left, with how far the wall clock stood from it, in milliseconds; absent in an empty folder.
    pub(crate) fn last_time(&self) -> Option<(Timestamp, i64)> {
        let state = self.state.as_ref()?;
        Some((state.at, state.wall_offset_ms))
    }
}

/// Opens a data folder and rebuilds the state from its journal. `options` say how its store is opened; what is done when that dies is said here.
///
/// # Errors
/// [`WiringError`]
pub fn open(vault: &Vault, env: &MachineEnv, options: StoreOptions) -> Result<OpenedFolder, WiringError> {
    let escalation = supervise::escalation();
    let options = StoreOptions {
        on_death: Some(Arc::new(move |death| match death {
            StoreDeath::Broken => escalation(FatalFailure::Broken),
            StoreDeath::Fenced => escalation(FatalFailure::Fenced),
        })),
        ..options
    };
    let (store, recovered) = Store::open(vault, options)?;
    accepted::settle(vault.dir(), &store, &recovered)?;
    let known = ReplayContext {
        seed: Some(env.seed.clone()),
        settings: Some(env.settings.clone()),
    };
    deletion::finish_deletions(&store, &known)?;
    let mut state = rebuild(vault, env, &recovered)?;
    let found = state.as_ref().map_or(RULES_NUMBER, MachineState::rules_number);
    if found > RULES_NUMBER {
        let known = RULES_NUMBER;
        return Err(JournalError::NewerRules { found, known }.into());
    }
    if let Some(state) = state
        .as_mut()
        .filter(|state| state.rules_number() != RULES_NUMBER)
    {
        // Its last events, folded by these rules, may come to fewer ticks than those that were decided: their numbers are taken.
        state.ticks = state.ticks.max(recovered.decided_ticks);
        if recovered.decided_ticks > recovered.kept_ticks
            && let Some(json) = &recovered.open_decision
        {
            match serde_json::from_str::<Decision>(json) {
                Ok(decision) => state.reopen(decision),
                Err(error) => {
                    tracing::warn!(%error, "the last decision is of another version: how it ended is not told");
                }
            }
        }
    }
    let agent_states = recovered
        .agent_states
        .iter()
        .filter_map(|(agent, rows)| Some((*agent, rows.to_state().ok()?)))
        // One of which nothing was left when it had to forget.
        .filter(|(_, state)| !state.is_nothing())
        .collect();
    Ok(OpenedFolder {
        store,
        state,
        next_seq: recovered.next_seq,
        agent_states,
        kept_ticks: recovered.kept_ticks,
        confirmed_time: recovered.confirmed_time,
    })
}

/// Snapshot plus tail, folded through the machine under the policy and the settings that were in force then. What the
/// effects asked for has happened or will be asked for again by the `Started` that follows. A snapshot of another version
/// is passed over: the whole journal rebuilds the state.
fn rebuild(
    vault: &Vault,
    env: &MachineEnv,
    recovered: &RecoveredState,
) -> Result<Option<MachineState>, WiringError> {
    if recovered.next_seq <= 1 {
        return Ok(None);
    }
    let known = ReplayContext {
        seed: Some(env.seed.clone()),
        settings: Some(env.settings.clone()),
    };
    let mut journal = JournalReplay::new(StoreReader::open(vault)?, known);
    if let Some((seq, json)) = &recovered.snapshot {
        match serde_json::from_str(json) {
            Ok(state) => journal.go_on_from(*seq, state)?,
            Err(error) => {
                tracing::warn!(%error, "the snapshot is of another version; the whole journal is read");
            }
        }
    }
    journal.run()?;
    Ok(journal.into_parts().0)
}

/// Where the agents run.
#[derive(Debug, Clone)]
pub enum AgentHosting {
    /// In this process, each in its actor's handlers: recorded days and tests, which name every byte that is read.
    Inline,
    /// Each in a process of its own: the service.
    Processes(ForkServer),
}

/// What a system is built from.
pub struct SystemParts {
    /// Policy, settings, seed.
    pub env: Arc<MachineEnv>,
    /// The data folder.
    pub vault: Vault,
    /// As [`open`] gave it.
    pub opened: OpenedFolder,
    /// What the agents are given.
    pub setup: AgentSetup,
    /// How they run.
    pub agents: AgentHosting,
    /// The clock.
    pub clock: Clock,
    /// What is in flight.
    pub busy: InFlight,
    /// What goes wrong on purpose; nothing in service.
    pub faults: Arc<dyn FaultPlan>,
    /// The model.
    pub model: Box<dyn LanguageModel>,
    /// What is known of its process.
    pub model_board: model_supervisor::ModelStatus,
    /// The policy's text, kept by its hash.
    pub policy_text: String,
    /// What the ids derive from, in a demo household or a recorded day; never the installation's own key.
    pub day_seed: Option<String>,
    /// The owner's accounts on servers.
    pub accounts: LiveAccounts,
}

/// A running system.
pub struct RunningSystem {
    /// What pages, command line and recorded days talk to.
    pub backend: ServiceBackend,
    /// The store; the last one to hold it writes what waits and frees the folder.
    pub store: Arc<Store>,
    /// What the agents are given.
    pub setup: AgentSetup,
    /// The quarantine's files.
    pub quarantine: Arc<quarantine::QuarantineWriter>,
    /// Each ends when its agent's process has ended, after the actors have.
    pub processes: Vec<tokio::task::JoinHandle<()>>,
    /// Told of each event of a run.
    pub run_events: Arc<Notify>,
}

/// Builds the actors and starts the machine. Must run inside an actix system.
///
/// # Errors
/// [`WiringError`]
pub fn start(parts: SystemParts) -> Result<RunningSystem, WiringError> {
    let SystemParts {
        env,
        vault,
        opened,
        setup,
        agents,
        clock,
        busy,
        faults,
        model,
        model_board,
        policy_text,
        day_seed,
        accounts,
    } = parts;
    let store = Arc::new(opened.store);
    accounts.keep_in(&store, &clock);
    store.put_policy(env.policy.hash().to_owned(), policy_text)?;
    let settings_record = SettingsRecord {
        settings: env.settings.clone(),
        day_seed,
    };
    store.put_policy(settings_record.hash(), settings_record.text())?;
    let mirror = store.quarantine_mirror();
    let files = Arc::new(quarantine::QuarantineWriter::open_mirrored(vault.dir(), mirror)?);
    let live = Arc::new(UiEvents::default());
    // Once a session: more than a few never wait, and the oldest goes.
    let (announced, _) = tokio::sync::broadcast::channel(4);

    let recorded = opened.state.as_ref().map(|state| state.wall(state.at));
    let retention = RetentionClock::open(
        clock.clone(),
        env.settings.zone,
        store.clone(),
        opened.confirmed_time.as_deref(),
        recorded,
    );
    let AgentHandles {
        port,
        registry,
        processes,
    } = self::agents(agents, &setup, &faults)?;
    let checkpoints = opened
        .agent_states
        .into_iter()
        .map(|(agent, state)| (agent, AgentCheckpoint::first(state)));
    let mut state = opened
        .state
        .unwrap_or_else(|| MachineState::new(&env, clock.at()));
    // A repaired store may have traces of ticks that its journal lost: their numbers are taken.
    state.ticks = state.ticks.max(opened.kept_ticks);
    let orchestrator = OrchestratorActor::new(OrchestratorConfig {
        env: env.clone(),
        settings_hash: settings_record.hash(),
        state,
        seq: opened.next_seq,
        kept_ticks: opened.kept_ticks,
        checkpoints: checkpoints.collect(),
        clock: clock.clone(),
        busy: busy.clone(),
        faults,
    });
    // The machine's own actor is not patched up: a new process rebuilds it from the journal.
    let orchestrator = supervised(SupervisedRole::Orchestrator, orchestrator);
    let surfaces = supervised(
        SupervisedRole::Surfaces,
        SurfacesActor {
            orchestrator: orchestrator.clone(),
            busy: busy.clone(),
            connections: BTreeSet::new(),
        },
    );
    let quarantine = supervised(
        SupervisedRole::Quarantine,
        QuarantineActor {
            files: files.clone(),
            key: env.seed.key("quarantine v1"),
            clock: clock.clone(),
            retention: retention.clone(),
            looked: None,
        },
    );
    let model = supervised(
        SupervisedRole::Model,
        ModelActor {
            model,
            orchestrator: orchestrator.clone(),
            clock: clock.clone(),
            busy: busy.clone(),
        },
    );
    let run_events = Arc::new(Notify::new());
    let runs = runs::host(&store, live.clone(), Arc::clone(&run_events));
    let (turns, told_turns) = watch::channel(());
    let withdrawals = Arc::new(Notify::new());
    let addresses = PortAddresses {
        store: store.clone(),
        live: live.clone(),
        announced: announced.clone(),
        quarantine: QuarantineInbox {
            actor: quarantine,
            files: files.clone(),
        },
        model,
        agents: port.clone(),
        withdrawals: Arc::clone(&withdrawals),
        retention: retention.clone(),
        accounts: accounts.clone(),
        turns,
    };
    // The mailbox is empty: it takes this.
    let _ = send(
        &orchestrator,
        "orchestrator",
        Start(addresses, busy.ticket_to(SupervisedRole::Orchestrator)),
    );
    Ok(RunningSystem {
        backend: ServiceBackend {
            doctor_look: Arc::default(),
            share: Arc::new(METRICS.share()),
            orchestrator,
            surfaces,
            live,
            vault,
            busy,
            clock,
            withdrawals,
            retention,
            quarantine: files.clone(),
            reads: ReadRecorder::new(&store),
            registry,
            model: model_board,
            agents: port,
            accounts,
            home: None,
            settings: None,
            deletions: None,
            cpu: None,
            backups: None,
            models: None,
            web_push: None,
            announced,
            outbound: OutboundHealth::default(),
            locale: Arc::new(LocaleSetting::new((None, ClockStyle::default()), None)),
            runs,
            readers: store.readers(),
            results: Arc::default(),
            programs: None,
            turns: told_turns,
            removed_rules: RemovedRules::default(),
        },
        run_events,
        store,
        setup,
        quarantine: files,
        processes,
    })
}

/// Starts an actor in its role; past that role's limit the service ends.
pub fn supervised<A: Actor<Context = Context<A>> + Supervised>(role: SupervisedRole, actor: A) -> Addr<A> {
    supervise::start(actor, role.restart_policy().name, role, supervise::escalate)
}

/// The four agents' actors, over the transports to their hosts.
pub struct AgentHandles {
    /// The way to them.
    pub port: AgentsPort,
    /// What is known of their processes.
    pub registry: AgentStatusRegistry,
    /// Each ends when its process has ended.
    pub processes: Vec<tokio::task::JoinHandle<()>>,
}

/// Starts the four agents. Must run inside an actix system, on its own thread.
///
/// # Errors
/// [`WiringError::Setup`]
pub fn agents(
    agents: AgentHosting,
    setup: &AgentSetup,
    faults: &Arc<dyn FaultPlan>,
) -> Result<AgentHandles, WiringError> {
    let mut builder = AgentBuilder {
        agents,
        setup,
        faults,
        registry: AgentStatusRegistry::default(),
        processes: vec![],
    };
    let port = AgentsPort {
        comms: builder.agent()?,
        calendar: builder.agent()?,
        finance: builder.agent()?,
        wellness: builder.agent()?,
    };
    Ok(AgentHandles {
        port,
        registry: builder.registry,
        processes: builder.processes,
    })
}

/// What the agents' actors are built from, and what came of it.
struct AgentBuilder<'a> {
    agents: AgentHosting,
    setup: &'a AgentSetup,
    faults: &'a Arc<dyn FaultPlan>,
    registry: AgentStatusRegistry,
    processes: Vec<tokio::task::JoinHandle<()>>,
}

impl AgentBuilder<'_> {
    /// The actor of one agent, over the transport to its host.
    fn agent<T: BuildAgent>(&mut self) -> Result<Addr<AgentActor<T>>, WiringError> {
        let name = T::AGENT;
        // An agent is told of its own folders only.
        let setup = AgentSetup {
            sources: self.setup.sources.only_for(name),
            ..self.setup.clone()
        };
        let actor = match &self.agents {
            AgentHosting::Inline => AgentActor::<T>::new(InProcessAgent::new(setup, build::<T>(self.faults))),
            AgentHosting::Processes(server) => {
                let launch = AgentLaunch {
                    agent: name,
                    origin: AgentOrigin::Forked(server.clone()),
                    setup: serde_json::value::to_raw_value(&setup).map_err(WiringError::Setup)?,
                    sources: setup.sources.paths().cloned().collect(),
                    limits: ProcessLimits::AGENT,
                };
                let (client, ended) = agent_process::start(launch, self.registry.clone());
                self.processes.push(ended);
                AgentActor::<T>::new(client)
            }
        };
        Ok(supervise::start(
            actor,
            name.as_str(),
            SupervisedRole::Agent,
            supervise::escalate,
        ))
    }
}

fn build<T: BuildAgent>(faults: &Arc<dyn FaultPlan>) -> AgentFactory {
    let faults = faults.clone();
    Box::new(move |setup| faults.agent(T::build(setup.clone())))
}
