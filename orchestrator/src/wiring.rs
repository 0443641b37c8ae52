//! Who talks to whom: the only file that builds actors.
//!
//! What: from a data folder and settings to a running system of actors. Why: one picture of the whole. Not here: what
//! each does.

use crate::{
    accepted::{self, CatalogueError},
    actors::{
        memory::Memory,
        model::Model,
        orchestrator::{Orchestrator, Ports, Start, Wire},
        quarantine::{Inbox, Quarantine},
        send,
        surfaces::Surfaces,
    },
    agents_port::AgentsPort,
    backend::Actors,
    busy::Busy,
    clock::Clock,
    faults::Faults,
    journal::{Journal, JournalError, Known, Surroundings},
    process::sandbox::Level,
    supervise::{self, Limit},
};
use actix::{Actor, Addr, Context, Supervised};
use agents::{
    actor::{AgentActor, AgentTools},
    agent::{Agent, Setup, StateError},
    calendar::Calendar,
    comms::Comms,
    finance::Finance,
    keeper::Build,
    wellness::Wellness,
};
use aura_memory::{Options, Reader, Recovered, Store, StoreError, quarantine};
use llm_runtime::Generate;
use orchestrator_machine::{Env, State};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    result::{ToolEffect, ToolErrorCode},
    signal::Signal,
    tick::{IngestArgs, IngestResult, TickArgs, TickResult},
};

/// A system that could not be built.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// The data folder: locked, damaged, newer, not writable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal cannot be folded.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The catalogue has to be accepted first.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The system gives no thread.
    #[error("start a thread")]
    Thread(#[source] std::io::Error),
}

/// The data folder, opened, with the state it holds.
pub struct Opened {
    /// The store with its lock.
    pub store: Store,
    /// The state, rebuilt from snapshot and journal; absent in an empty folder.
    pub state: Option<State>,
    /// The number of the next event.
    pub next_seq: u64,
    /// What each agent was given last.
    pub agent_states: Vec<(AgentName, Value)>,
    /// The last tick whose trace is kept; 0: none.
    pub kept_ticks: u64,
}

/// Opens a data folder and rebuilds the state from its journal.
///
/// # Errors
/// [`WiringError`]
pub fn open(dir: &Path, env: &Env) -> Result<Opened, WiringError> {
    let (store, recovered) = Store::open(dir, Options::default())?;
    accepted::settle(dir, &store, &recovered)?;
    let state = rebuild(dir, env, &recovered)?;
    let agent_states = recovered
        .agent_states
        .iter()
        .filter_map(|(agent, json)| Some((*agent, serde_json::from_str(json).ok()?)))
        .collect();
    Ok(Opened {
        store,
        state,
        next_seq: recovered.next_seq,
        agent_states,
        kept_ticks: recovered.kept_ticks,
    })
}

/// Snapshot plus tail, folded through the machine under the policy and the settings that were in force then. What the
/// effects asked for has happened or will be asked for again by the `Started` that follows. A snapshot of another version
/// is passed over: the whole journal rebuilds the state.
fn rebuild(dir: &Path, env: &Env, recovered: &Recovered) -> Result<Option<State>, WiringError> {
    if recovered.next_seq <= 1 {
        return Ok(None);
    }
    let known = Known {
        seed: Some(env.seed.clone()),
        settings: Some(env.settings.clone()),
    };
    let mut journal = Journal::new(Reader::open(dir)?, known);
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

/// How the agents run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agents {
    /// Each on a thread of its own: the service.
    Threads,
    /// In their actors' handlers: replay and tests.
    Inline,
}

/// What a system is built from.
pub struct Parts {
    /// Policy, settings, seed.
    pub env: Arc<Env>,
    /// The data folder.
    pub dir: PathBuf,
    /// As [`open`] gave it.
    pub opened: Opened,
    /// What the agents are given.
    pub setup: Setup,
    /// How they run.
    pub agents: Agents,
    /// The clock.
    pub clock: Clock,
    /// What is in flight.
    pub busy: Busy,
    /// Faults of a recorded day.
    pub faults: Faults,
    /// The model.
    pub model: Box<dyn Generate>,
    /// The policy's text, kept by its hash.
    pub policy_text: String,
    /// What the ids derive from, in a demo household or a recorded day; never the installation's own key.
    pub day_seed: Option<String>,
}

/// A running system.
pub struct System {
    /// What pages, command line and recorded days talk to.
    pub backend: Actors,
    /// The store; the last one to hold it writes what waits and frees the folder.
    pub store: Arc<Store>,
    /// The quarantine's files.
    pub quarantine: Arc<quarantine::Quarantine>,
}

/// Builds the actors and starts the machine. Must run inside an actix system.
///
/// # Errors
/// [`WiringError`]
pub fn start(parts: Parts) -> Result<System, WiringError> {
    let Parts {
        env,
        dir,
        opened,
        setup,
        agents,
        clock,
        busy,
        faults,
        model,
        policy_text,
        day_seed,
    } = parts;
    let store = Arc::new(opened.store);
    store.put_policy(env.policy.hash().to_owned(), policy_text)?;
    let surroundings = Surroundings {
        settings: env.settings.clone(),
        day_seed,
    };
    store.put_policy(surroundings.hash(), surroundings.text())?;
    let files = Arc::new(quarantine::Quarantine::open(&dir)?);
    let (live, _) = tokio::sync::broadcast::channel(1024);

    let port = AgentsPort {
        comms: agent(agents, &setup, &faults, AgentName::Comms, |s| {
            Box::new(Comms::new(s))
        })?,
        calendar: agent(agents, &setup, &faults, AgentName::Calendar, |s| {
            Box::new(Calendar::new(s))
        })?,
        finance: agent(agents, &setup, &faults, AgentName::Finance, |s| {
            Box::new(Finance::new(s))
        })?,
        wellness: agent(agents, &setup, &faults, AgentName::Wellness, |s| {
            Box::new(Wellness::new(s))
        })?,
        clock: clock.clone(),
    };
    for (name, state) in opened.agent_states {
        if let Err(fault) = port.restore(name, state) {
            tracing::warn!(agent = name.as_str(), %fault, "starts empty");
        }
    }
    let state = opened.state.unwrap_or_else(|| State::new(&env, clock.at()));
    let orchestrator = Orchestrator::new(Start {
        env: env.clone(),
        settings_hash: surroundings.hash(),
        state,
        seq: opened.next_seq,
        kept_ticks: opened.kept_ticks,
        clock: clock.clone(),
        busy: busy.clone(),
        faults,
    });
    // The machine's own actor is not patched up: a new process rebuilds it from the journal.
    let orchestrator = supervise::start(orchestrator, "orchestrator", Limit::NONE, supervise::end_process);
    let memory = supervised(
        "memory",
        Memory {
            store: store.clone(),
            orchestrator: orchestrator.clone(),
            busy: busy.clone(),
            clock: clock.clone(),
        },
    );
    let surfaces = supervised(
        "surfaces",
        Surfaces {
            orchestrator: orchestrator.clone(),
            live: live.clone(),
            busy: busy.clone(),
            connections: BTreeSet::new(),
            last: 0,
        },
    );
    let quarantine = supervised(
        "quarantine",
        Quarantine {
            files: files.clone(),
            key: env.seed.key("quarantine v1"),
            clock: clock.clone(),
            looked: None,
        },
    );
    let model = supervised(
        "model",
        Model {
            model,
            orchestrator: orchestrator.clone(),
            clock: clock.clone(),
            busy: busy.clone(),
        },
    );
    let ports = Ports {
        memory,
        surfaces: surfaces.clone(),
        quarantine: Inbox {
            actor: quarantine,
            files: files.clone(),
        },
        model,
        agents: port,
    };
    // The mailbox is empty: it takes this.
    let _ = send(&orchestrator, "orchestrator", Wire(ports, busy.ticket()));
    Ok(System {
        backend: Actors {
            orchestrator,
            surfaces,
            live,
            dir: Arc::new(dir),
            busy,
            clock,
            quarantine: files.clone(),
            // Agents on threads are not in one.
            sandbox: Level::NONE,
        },
        store,
        quarantine: files,
    })
}

/// The supervision table: every actor but the machine's own is restarted at its address, five times in ten seconds, and
/// then the process ends.
fn supervised<A: Actor<Context = Context<A>> + Supervised>(name: &'static str, actor: A) -> Addr<A> {
    supervise::start(actor, name, Limit::FIVE, supervise::end_process)
}

fn agent<T: AgentTools>(
    how: Agents,
    setup: &Setup,
    faults: &Faults,
    name: AgentName,
    make: fn(Setup) -> Box<dyn Agent>,
) -> Result<Addr<AgentActor<T>>, WiringError> {
    let (setup, panics) = (setup.clone(), faults.panics_of(name));
    let build: Build = Box::new(move || {
        let inner = make(setup.clone());
        if panics.is_empty() {
            inner
        } else {
            Box::new(Panicking {
                inner,
                ticks: panics.clone(),
            })
        }
    });
    let actor = match how {
        Agents::Inline => AgentActor::<T>::inline(build),
        Agents::Threads => AgentActor::<T>::threaded(build).map_err(WiringError::Thread)?,
    };
    Ok(supervised(name.as_str(), actor))
}

/// An agent that panics in given ticks: the fault `panic` of a recorded day.
struct Panicking {
    inner: Box<dyn Agent>,
    ticks: Vec<u64>,
}

impl Agent for Panicking {
    fn name(&self) -> AgentName {
        self.inner.name()
    }

    fn restore(&mut self, state: &Value) -> Result<(), StateError> {
        self.inner.restore(state)
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inner.accept(signals);
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        self.inner.ingest(args, at)
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        // A recorded day asks for it, to show that it is survived.
        assert!(!self.ticks.contains(&args.tick), "fault of a recorded day");
        self.inner.tick(args, at)
    }

    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        self.inner.act(tool, at)
    }
}
