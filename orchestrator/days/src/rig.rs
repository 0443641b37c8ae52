//! The machine without actors and disk.
//!
//! What: `advance`, the gate on both sides and the four agents on the calling thread, with a store that always says yes
//! and a clock that is set. Why: the benchmark measures it, and the recorded days are played on it beside the real actors: both
//! must give the same bytes. Not here: actors, files, real time.

use agents::{Calendar, Comms, Finance, Wellness, contract::Agent, host::AgentHost};
use aura_platform::faults::{DiskFault, Faults};
use aura_process::agents_port::Ready;
use aura_runtime::{
    config::Home,
    journal::Surroundings,
    perform::{self, Back},
};
use orchestrator_machine::{
    Effect, Env, Event, RULES_NUMBER, State, What, advance,
    calls::CallAnswer,
    effect::{Outgoing, Verdict},
    env::Settings,
    event::SeenSignal,
    next_due,
    state::Phase,
};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use toolcall_schema::{
    AgentName, Timestamp,
    day::FaultKind,
    gate,
    ids::OwnerSeed,
    signal::{Payload, Signal},
    trace::Trace,
};

/// Where a rig keeps its turns, instead of nowhere.
pub trait Keeper {
    /// Keeps one turn: the event, what follows from it and what it led to, in one transaction.
    fn keep(&mut self, event: &Event, effects: &[Effect], state: &State);

    /// Whether everything up to here is on disk, once it is.
    fn barrier(&mut self) -> bool;

    /// Keeps an agent's state, before the event of the answer that brought it.
    fn agent_state(&mut self, _agent: AgentName, _state: &Value) {}

    /// The turn is kept; whether the process lives to perform its effects.
    fn kept(&mut self, _state: &State) -> Life {
        Life::GoesOn
    }

    /// An effect is performed.
    fn perform(&mut self, _state: &State, _effect: &Effect) {}

    /// All effects of the turn were performed; whether the process lives on.
    fn performed(&mut self) -> Life {
        Life::GoesOn
    }
}

/// Whether the process goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It does.
    GoesOn,
    /// It ends here and now.
    Over,
}

/// What a rig starts with.
pub struct Begin {
    /// What the journal ends with, or a new one.
    pub state: State,
    /// What each agent was given last.
    pub agent_states: BTreeMap<AgentName, Value>,
    /// The last tick whose trace is kept; 0: none.
    pub kept_ticks: u64,
    /// Where turns are kept; nowhere, unless one is put here.
    pub keeper: Option<Box<dyn Keeper>>,
}

/// The world around the machine.
pub struct Rig {
    env: Env,
    state: State,
    hosts: BTreeMap<AgentName, AgentHost>,
    /// As the last ingest of each agent gave it.
    agent_states: BTreeMap<AgentName, Value>,
    /// What a reload brought, until the machine asks for it.
    to_adopt: Option<Settings>,
    now: Timestamp,
    /// What happens later: slow answers.
    later: BTreeMap<(Timestamp, u64), What>,
    number: u64,
    faults: Faults,
    /// Where turns are kept; nowhere, unless one is put here.
    keeper: Option<Box<dyn Keeper>>,
    /// The traces of the ticks so far.
    pub traces: Vec<Trace>,
    /// Calls and results that the gate refused.
    pub refused: usize,
    /// The answer to the last submission.
    pub verdict: Option<Verdict>,
    /// The answer to the last call that was asked for.
    pub call_answer: Option<CallAnswer>,
    life: Life,
}

/// The settings as a journal names them.
pub fn surroundings(settings: &Settings) -> Surroundings {
    Surroundings {
        settings: settings.clone(),
        day_seed: None,
    }
}

/// Four agents that have read nothing yet.
fn agents_of(home: &Home, seed: &OwnerSeed) -> BTreeMap<AgentName, AgentHost> {
    let setup = home.setup(seed);
    let agents: [Box<dyn Agent>; 4] = [
        Box::new(Comms::new(setup.clone())),
        Box::new(Calendar::new(setup.clone())),
        Box::new(Finance::new(setup.clone())),
        Box::new(Wellness::new(setup)),
    ];
    let hosts = agents
        .into_iter()
        .map(|agent| (agent.name(), AgentHost::new(agent)));
    hosts.collect()
}

impl Rig {
    /// A rig over a household, at an instant.
    pub fn new(home: &Home, env: Env, now: Timestamp, faults: Faults) -> Self {
        Self::kept(home, env, now, faults, None)
    }

    /// The same, its turns kept from the first on.
    pub fn kept(
        home: &Home,
        env: Env,
        now: Timestamp,
        faults: Faults,
        keeper: Option<Box<dyn Keeper>>,
    ) -> Self {
        let begin = Begin {
            state: State::new(&env, now),
            agent_states: BTreeMap::new(),
            kept_ticks: 0,
            keeper,
        };
        Self::go_on(home, env, now, faults, begin)
    }

    /// A rig that starts with what was kept.
    pub fn go_on(home: &Home, env: Env, now: Timestamp, faults: Faults, begin: Begin) -> Self {
        let hosts = agents_of(home, &env.seed);
        let (later, number) = (BTreeMap::new(), 0);
        let mut rig = Self {
            env,
            state: begin.state,
            hosts,
            agent_states: begin.agent_states,
            to_adopt: None,
            now,
            later,
            number,
            faults,
            keeper: begin.keeper,
            traces: vec![],
            refused: 0,
            verdict: None,
            call_answer: None,
            life: Life::GoesOn,
        };
        rig.start(begin.kept_ticks);
        rig
    }

    fn start(&mut self, kept_ticks: u64) {
        for (agent, state) in &self.agent_states {
            if let Some(host) = self.hosts.get_mut(agent) {
                // One that cannot take its state up starts empty.
                let _ = host.restore(state);
            }
        }
        self.happen(What::Started {
            wall: self.wall(),
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            settings_hash: surroundings(&self.env.settings).hash(),
            kept_ticks,
            rules_number: RULES_NUMBER,
        });
    }

    /// Now, on the wall.
    pub fn wall(&self) -> Timestamp {
        self.state.wall(self.now)
    }

    /// Stopped, and started so many milliseconds later: agents are new and have what they gave out last.
    pub fn restart(&mut self, home: &Home, after_ms: i64) {
        self.now = self.now.plus_ms(after_ms);
        self.later.clear();
        self.to_adopt = None;
        self.env.settings = home.settings.clone();
        self.hosts = agents_of(home, &self.env.seed);
        self.start(0);
    }

    /// The process stands still for so many milliseconds.
    pub fn suspend(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms);
        self.happen(What::Time);
    }

    /// Somebody sets the clock by so many milliseconds.
    pub fn set_clock(&mut self, ms: i64) {
        let wall = self.wall().plus_ms(ms);
        self.happen(What::ClockSet { wall });
    }

    /// Other settings are read.
    pub fn reload(&mut self, settings: &Settings) {
        self.to_adopt = Some(settings.clone());
        self.happen(What::Reloaded {
            policy_hash: self.env.policy.hash().to_owned(),
            settings_hash: surroundings(settings).hash(),
        });
    }

    /// The machine's state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Puts the machine back into an earlier state.
    pub fn set_state(&mut self, state: &State) {
        self.state.clone_from(state);
    }

    /// Whether the machine waits for nothing but its cooldown.
    pub fn is_done(&self) -> bool {
        matches!(self.state.phase, Phase::Cooldown { .. })
    }

    /// Whether the process ended.
    pub fn is_over(&self) -> bool {
        self.life == Life::Over
    }

    /// Now, on the timeline.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// When something is due by the clock alone; nothing after the process ended.
    pub fn next(&self) -> Option<Timestamp> {
        if self.is_over() {
            return None;
        }
        let later = self.later.keys().next().map(|(at, _)| *at);
        later.into_iter().chain(next_due(&self.state)).min()
    }

    /// Lets the clock run; everything that becomes due happens at its own time.
    pub fn advance(&mut self, to: Timestamp) {
        while let Some(at) = self.next().filter(|at| *at <= to) {
            self.now = self.now.max(at);
            while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= at) {
                let what = entry.remove();
                self.happen(what);
            }
            self.happen(What::Time);
        }
        self.now = self.now.max(to);
    }

    /// Signals come in, as they do through the pages.
    pub fn post(&mut self, signals: Vec<(Signal, Payload)>) {
        let (mut seen, mut notices) = (Vec::new(), Vec::new());
        for (signal, payload) in signals {
            seen.push(SeenSignal {
                id: signal.id.clone(),
                kind: signal.kind,
                at: signal.at,
                hash: String::new(),
            });
            notices.extend(perform::notice(&payload));
            if let Some(host) = self.hosts.get_mut(&signal.kind.reader()) {
                host.deliver(vec![signal]);
            }
        }
        self.happen(What::SignalsSeen { signals: seen });
        for notice in notices {
            self.happen(notice);
        }
    }

    /// Lets something happen now, and everything that follows from it at once.
    pub fn happen(&mut self, what: What) {
        let mut next = VecDeque::from([what]);
        while let Some(what) = next.pop_front().filter(|_| !self.is_over()) {
            let event = Event { at: self.now, what };
            let Some(keeper) = &mut self.keeper else {
                for effect in advance(&self.env, &mut self.state, event) {
                    next.extend(self.answer(effect));
                }
                continue;
            };
            let effects = advance(&self.env, &mut self.state, event.clone());
            keeper.keep(&event, &effects, &self.state);
            self.life = keeper.kept(&self.state);
            if self.is_over() {
                return;
            }
            for effect in effects {
                if let Some(keeper) = &mut self.keeper {
                    keeper.perform(&self.state, &effect);
                }
                next.extend(self.answer(effect));
            }
            if let Some(keeper) = &mut self.keeper {
                self.life = keeper.performed();
            }
        }
    }

    fn answer(&mut self, effect: Effect) -> Option<What> {
        match effect {
            Effect::Call(outgoing) => self.call(&outgoing),
            Effect::Commit { tick } => self.stored(|ok| What::Committed { tick, ok }),
            Effect::CommitCall { call } => self.stored(|ok| What::CallCommitted { call, ok }),
            Effect::CallAnswer { answer, .. } => {
                self.call_answer = Some(answer);
                None
            }
            Effect::KeepTrace(trace) => {
                self.refused += usize::from(gate::check_trace(&trace).is_err());
                let trace_id = trace.trace_id.clone();
                self.traces.push(*trace);
                self.stored(|ok| What::TraceKept { trace_id, ok })
            }
            Effect::Quarantine { .. } => {
                self.refused += 1;
                None
            }
            Effect::Reply { verdict, .. } => {
                self.verdict = Some(verdict);
                None
            }
            Effect::Adopt { .. } => {
                self.env.settings = self.to_adopt.take()?;
                Some(What::Adopted)
            }
            Effect::KeepDecision(_)
            | Effect::KeepRaw(_)
            | Effect::Ledger(_)
            | Effect::Outbox { .. }
            | Effect::Show(_)
            | Effect::Close { .. }
            | Effect::AskModel { .. }
            | Effect::Announce { .. }
            | Effect::AskTie { .. }
            | Effect::Ignored { .. }
            | Effect::Rest => None,
        }
    }

    fn stored(&mut self, what: impl FnOnce(bool) -> What) -> Option<What> {
        match self.faults.of_disk(self.state.ticks) {
            None => {
                let ok = self.keeper.as_mut().is_none_or(|keeper| keeper.barrier());
                Some(what(ok))
            }
            Some(DiskFault::Fails) => Some(what(false)),
            Some(DiskFault::SlowMs(ms)) => {
                let ok = self.keeper.as_mut().is_none_or(|keeper| keeper.barrier());
                self.after(ms, what(ok))
            }
        }
    }

    /// Puts something off.
    fn after(&mut self, ms: u32, what: What) -> Option<What> {
        self.number += 1;
        self.later
            .insert((self.now.plus_ms(i64::from(ms)), self.number), what);
        None
    }

    fn call(&mut self, outgoing: &Outgoing) -> Option<What> {
        let fault = self.faults.of_call(outgoing);
        let bytes = match &fault {
            Some(FaultKind::RawCall { raw, .. }) => raw.clone().into_bytes(),
            _ => outgoing.call.to_bytes(),
        };
        let Ok(ready) = perform::ready(outgoing, bytes, self.wall()) else {
            self.refused += 1;
            return None;
        };
        let bytes = match fault {
            Some(FaultKind::Silent { .. }) => return None,
            Some(FaultKind::Panic { .. }) => return Some(perform::failed(outgoing.reply)),
            Some(FaultKind::ToolError { error, .. }) => perform::tool_error(outgoing, error),
            Some(FaultKind::RawResult { raw, .. }) => raw.into_bytes(),
            Some(FaultKind::SlowMs { ms, .. }) => {
                let bytes = self.serve(&ready)?;
                let what = self.answered(outgoing, &bytes);
                return self.after(ms, what);
            }
            Some(FaultKind::RawCall { .. } | FaultKind::Disk { .. }) | None => self.serve(&ready)?,
        };
        Some(self.answered(outgoing, &bytes))
    }

    fn answered(&mut self, outgoing: &Outgoing, bytes: &[u8]) -> What {
        let Back {
            what,
            agent_state,
            refused,
            ..
        } = perform::answered(outgoing, bytes);
        self.refused += usize::from(refused.is_some());
        if let Some(state) = agent_state {
            if let Some(keeper) = &mut self.keeper {
                keeper.agent_state(outgoing.tool.agent(), &state);
            }
            self.agent_states.insert(outgoing.tool.agent(), state);
        }
        what
    }

    fn serve(&mut self, ready: &Ready) -> Option<Vec<u8>> {
        if let Some(bytes) = perform::own_tool(ready) {
            return Some(bytes);
        }
        let wall = self.wall();
        let host = self.hosts.get_mut(&ready.dispatch.call().tool().name().agent())?;
        host.call(&ready.bytes, ready.dispatch.authority(), wall)
    }
}
