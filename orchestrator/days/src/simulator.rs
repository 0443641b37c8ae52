//! The executor of the service over simulated ports.
//!
//! [`Simulator`] runs machine, gate and the four agents on the calling thread, with a clock that is set and a store that says yes unless one
//! is put in. Benches measure on it, `selftest crash` proves on it, and recorded days are played on it beside the real actors: both must
//! give the same bytes. Not here: actors, processes, real time.

use crate::DayFaults;
use agents::{
    CalendarAgent, CommsAgent, FinanceAgent, WellnessAgent,
    contract::{Agent, AgentCall},
    host::{AgentHost, ServedCall},
};
use aura_memory::StoreWrite;
use aura_runtime::{
    actors::quarantine::RecordRefusal,
    call_gate::{self, CallOutcome},
    config::HomeConfig,
    executor::{CallRoute, EffectExecutor, EffectPorts, ModelInquiry, SNAPSHOT_EVERY, TurnRecord},
    fault_plan::DiskFault,
    journal::SettingsRecord,
};
use orchestrator_machine::{
    EventKind, MachineEnv, MachineEvent, MachineState, RULES_NUMBER,
    calls::CallAnswer,
    effect::{IgnoreReason, OutgoingCall, ReplyTo, SubmissionVerdict},
    env::MachineSettings,
    next_due,
    state::MachinePhase,
};
use std::{
    collections::{BTreeMap, VecDeque},
    ops::ControlFlow,
    sync::Arc,
};
use toolcall_schema::{
    ActionKind, AgentName, Timestamp,
    agent_state::JournalledState,
    ids::{CardId, OwnerSeed},
    signal::AdmittedSignal,
    trace::{Card, Trace},
};

/// Where a simulator writes its turns, instead of nowhere. Whoever ends the process does it with `Break`.
pub trait TurnStore {
    /// Writes one turn in one transaction.
    fn persist(&mut self, turn: TurnRecord, state: &MachineState) -> ControlFlow<()>;

    /// Whether everything up to here is on disk, once it is.
    fn barrier(&mut self) -> bool;

    /// Keeps a trace as a file.
    fn spill_trace(&mut self, _trace: &Trace) {}

    /// A call leaves.
    fn call_sent(&mut self, _reply: ReplyTo) {}

    /// A submission is answered.
    fn replied(&mut self, _verdict: SubmissionVerdict) {}

    /// All effects of a turn were performed.
    fn turn_performed(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a simulator starts with.
pub struct SimulatorStart {
    /// What the journal ends with, or a new one.
    pub state: MachineState,
    /// What each agent was given last.
    pub agent_states: BTreeMap<AgentName, JournalledState>,
    /// The last tick whose trace is kept; 0: none.
    pub kept_ticks: u64,
    /// The number of its first event.
    pub next_seq: u64,
    /// A snapshot is written at rest after so many events.
    pub snapshot_every: u64,
    /// Where turns are written; nowhere, unless one is put here.
    pub store: Option<Box<dyn TurnStore>>,
}

impl SimulatorStart {
    /// A first start, written nowhere.
    pub fn new(env: &MachineEnv, now: Timestamp) -> Self {
        Self {
            state: MachineState::new(env, now),
            agent_states: BTreeMap::new(),
            kept_ticks: 0,
            next_seq: 1,
            snapshot_every: SNAPSHOT_EVERY,
            store: None,
        }
    }
}

/// The service without actors, processes and real time.
pub struct Simulator {
    executor: EffectExecutor,
    ports: SimulatedPorts,
    is_over: bool,
}

/// What a simulator performs effects on.
struct SimulatedPorts {
    agents: BTreeMap<AgentName, AgentHost>,
    /// As the last ingest of each agent gave it.
    agent_states: BTreeMap<AgentName, JournalledState>,
    /// What a reload brought, until the machine asks for it.
    to_adopt: Option<Arc<MachineEnv>>,
    now: Timestamp,
    /// What happens next, with the rows that stand in its transaction.
    next: VecDeque<(EventKind, Vec<StoreWrite>)>,
    /// What happens later: slow answers.
    later: BTreeMap<(Timestamp, u64), (EventKind, Vec<StoreWrite>)>,
    number: u64,
    faults: DayFaults,
    store: Option<Box<dyn TurnStore>>,
    traces: Vec<Arc<Trace>>,
    refused: usize,
    verdict: Option<SubmissionVerdict>,
}

/// The settings as a journal names them.
pub fn settings_record(settings: &MachineSettings) -> SettingsRecord {
    SettingsRecord {
        settings: settings.clone(),
        day_seed: None,
    }
}

/// Four agents that have read nothing yet.
fn agents_of(home: &HomeConfig, seed: &OwnerSeed) -> BTreeMap<AgentName, AgentHost> {
    let setup = home.setup(seed);
    let agents: [Box<dyn Agent>; 4] = [
        Box::new(CommsAgent::new(setup.clone())),
        Box::new(CalendarAgent::new(setup.clone())),
        Box::new(FinanceAgent::new(setup.clone())),
        Box::new(WellnessAgent::new(setup)),
    ];
    let hosts = agents
        .into_iter()
        .map(|agent| (agent.name(), AgentHost::new(agent)));
    hosts.collect()
}

impl Simulator {
    /// A simulator over a household, at an instant; its turns are written nowhere.
    pub fn new(home: &HomeConfig, env: MachineEnv, now: Timestamp, faults: DayFaults) -> Self {
        let begin = SimulatorStart::new(&env, now);
        Self::resume(home, env, now, faults, begin)
    }

    /// A simulator that starts with what an earlier one left.
    pub fn resume(
        home: &HomeConfig,
        env: MachineEnv,
        now: Timestamp,
        faults: DayFaults,
        begin: SimulatorStart,
    ) -> Self {
        let agents = agents_of(home, &env.seed);
        let mut simulator = Self {
            executor: EffectExecutor::new(
                Arc::new(env),
                begin.state,
                begin.next_seq,
                begin.snapshot_every,
                Arc::new(faults.clone()),
            ),
            ports: SimulatedPorts {
                agents,
                agent_states: begin.agent_states,
                to_adopt: None,
                now,
                next: VecDeque::new(),
                later: BTreeMap::new(),
                number: 0,
                faults,
                store: begin.store,
                traces: vec![],
                refused: 0,
                verdict: None,
            },
            is_over: false,
        };
        simulator.start(begin.kept_ticks);
        simulator
    }

    fn start(&mut self, kept_ticks: u64) {
        for (agent, state) in &self.ports.agent_states {
            if let Some(host) = self.ports.agents.get_mut(agent) {
                // One that cannot take its state up starts empty.
                let _ = host.restore(state.to_value());
            }
        }
        let env = &self.executor.env;
        let started = EventKind::Started {
            wall: self.wall(),
            policy_hash: env.policy.hash().to_owned(),
            catalogue_hash: env.catalogue_hash.clone(),
            settings_hash: settings_record(&env.settings).hash(),
            kept_ticks,
            rules_number: RULES_NUMBER,
        };
        self.inject(started);
    }

    /// Now, on the wall.
    pub fn wall(&self) -> Timestamp {
        self.state().wall(self.now())
    }

    /// Stopped, and started so many milliseconds later: agents are new and have what they gave out last.
    pub fn restart(&mut self, home: &HomeConfig, after_ms: i64) {
        self.ports.now = self.ports.now.plus_ms(after_ms);
        self.ports.later.clear();
        self.ports.to_adopt = None;
        self.executor.env = self.with_settings(&home.settings);
        self.ports.agents = agents_of(home, &self.executor.env.seed);
        self.start(0);
    }

    fn with_settings(&self, settings: &MachineSettings) -> Arc<MachineEnv> {
        Arc::new(MachineEnv {
            settings: settings.clone(),
            ..MachineEnv::clone(&self.executor.env)
        })
    }

    /// The process stands still for so many milliseconds.
    pub fn suspend(&mut self, ms: i64) {
        self.ports.now = self.ports.now.plus_ms(ms);
        self.inject(EventKind::Time);
    }

    /// Somebody sets the clock by so many milliseconds.
    pub fn set_clock(&mut self, ms: i64) {
        let wall = self.wall().plus_ms(ms);
        self.inject(EventKind::ClockSet { wall });
    }

    /// Other settings are read.
    pub fn reload(&mut self, settings: &MachineSettings) {
        self.ports.to_adopt = Some(self.with_settings(settings));
        self.inject(EventKind::Reloaded {
            policy_hash: self.executor.env.policy.hash().to_owned(),
            settings_hash: settings_record(settings).hash(),
        });
    }

    /// The machine's state.
    pub fn state(&self) -> &MachineState {
        &self.executor.state
    }

    /// Puts the machine back into an earlier state.
    pub fn set_state(&mut self, state: &MachineState) {
        Arc::make_mut(&mut self.executor.state).clone_from(state);
    }

    /// One trace for each tick and call so far.
    pub fn traces(&self) -> &[Arc<Trace>] {
        &self.ports.traces
    }

    /// Takes the traces out.
    pub fn take_traces(&mut self) -> Vec<Arc<Trace>> {
        std::mem::take(&mut self.ports.traces)
    }

    /// Calls, results and traces that were refused.
    pub fn refused(&self) -> usize {
        self.ports.refused
    }

    /// The answer to the last submission, once.
    pub(crate) fn take_verdict(&mut self) -> Option<SubmissionVerdict> {
        self.ports.verdict.take()
    }

    /// Whether the machine waits for nothing but its cooldown.
    pub fn is_done(&self) -> bool {
        matches!(self.state().phase, MachinePhase::Cooldown { .. })
    }

    /// Whether the process ended.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Now, on the timeline.
    pub fn now(&self) -> Timestamp {
        self.ports.now
    }

    /// When something is due by the clock alone; nothing after the process ended.
    pub fn next(&self) -> Option<Timestamp> {
        if self.is_over {
            return None;
        }
        let later = self.ports.later.keys().next().map(|(at, _)| *at);
        later.into_iter().chain(next_due(self.state())).min()
    }

    /// Lets the clock run; everything that becomes due happens at its own time.
    pub fn advance(&mut self, to: Timestamp) {
        while let Some(at) = self.next().filter(|at| *at <= to) {
            self.ports.now = self.ports.now.max(at);
            while let Some(entry) = self.ports.later.first_entry().filter(|entry| entry.key().0 <= at) {
                let (what, rows) = entry.remove();
                self.inject_with_rows(what, rows);
            }
            self.inject(EventKind::Time);
        }
        self.ports.now = self.ports.now.max(to);
    }

    /// Signals come in, as they do through the pages.
    pub fn post(&mut self, signals: Vec<AdmittedSignal>) {
        let key = self.executor.env.seed.key("signal hash v1");
        let (mut seen, mut notices) = (Vec::new(), Vec::new());
        for admitted in signals {
            notices.extend(call_gate::notice(admitted.payload()));
            let signal = admitted.into_signal();
            seen.push(call_gate::seen_signal(&key, &signal));
            if let Some(host) = self.ports.agents.get_mut(&signal.kind.reader()) {
                host.deliver(vec![signal]);
            }
        }
        self.inject(EventKind::SignalsSeen { signals: seen });
        for notice in notices {
            self.inject(notice);
        }
    }

    /// Lets something happen now, and everything that follows from it at once.
    pub fn inject(&mut self, what: EventKind) {
        self.inject_with_rows(what, Vec::new());
    }

    fn inject_with_rows(&mut self, what: EventKind, rows: Vec<StoreWrite>) {
        self.ports.next.push_back((what, rows));
        while let Some((what, rows)) = self.ports.next.pop_front().filter(|_| !self.is_over) {
            let event = MachineEvent {
                at: self.ports.now,
                what,
            };
            let flow = self.executor.turn(event, rows, &mut self.ports);
            self.is_over = flow.is_break();
        }
    }
}

impl EffectPorts for SimulatedPorts {
    fn wall(&self, state: &MachineState) -> Timestamp {
        state.wall(self.now)
    }

    fn persist(&mut self, turn: TurnRecord, state: &MachineState) -> ControlFlow<()> {
        let TurnRecord { disk, .. } = turn;
        let notify = turn.notify.clone();
        if let Some(store) = &mut self.store {
            store.persist(turn, state)?;
        }
        for notification in notify {
            let ok =
                disk != Some(DiskFault::Fails) && self.store.as_mut().is_none_or(|store| store.barrier());
            let what = notification.event(ok);
            match disk {
                Some(DiskFault::SlowMs(ms)) => self.after(ms, what, Vec::new()),
                Some(DiskFault::Fails) | None => self.next.push_back((what, Vec::new())),
            }
        }
        ControlFlow::Continue(())
    }

    fn spill_trace(&mut self, trace: &Trace) {
        if let Some(store) = &mut self.store {
            store.spill_trace(trace);
        }
    }

    fn quarantine(&mut self, _line: RecordRefusal) {
        self.refused += 1;
    }

    fn hold(&mut self, outgoing: OutgoingCall) -> Option<OutgoingCall> {
        if let Some(store) = &mut self.store {
            store.call_sent(outgoing.reply);
        }
        Some(outgoing)
    }

    fn call(&mut self, outgoing: OutgoingCall, route: CallRoute) {
        if self.faults.is_panic(&outgoing) {
            return self
                .next
                .push_back((call_gate::failed(outgoing.reply), Vec::new()));
        }
        let (answer, delay_ms) = match route {
            CallRoute::Answer(bytes) => (Some(ServedCall::stateless(bytes)), None),
            CallRoute::Agent { call, delay_ms } => (self.ask(&call), delay_ms),
        };
        let Some(answer) = answer else { return };
        let (what, rows) = self.answered(&outgoing, answer);
        match delay_ms {
            Some(ms) => self.after(ms, what, rows),
            None => self.next.push_back((what, rows)),
        }
    }

    fn call_refused(&mut self, _outgoing: OutgoingCall) {}

    fn trace_written(&mut self, trace: Arc<Trace>) {
        self.traces.push(trace);
    }

    fn show(&mut self, _card: &Card) {}

    fn close(&mut self, _card_id: CardId) {}

    fn announce(&mut self, _kind: ActionKind) {}

    fn reply(&mut self, _request: u64, verdict: SubmissionVerdict) {
        if let Some(store) = &mut self.store {
            store.replied(verdict);
        }
        self.verdict = Some(verdict);
    }

    // Nobody asks for a call in here.
    fn answer_call(&mut self, _request: u64, _answer: CallAnswer) {}

    fn ask_model(&mut self, _tick: u64, _about: ModelInquiry) {}

    fn adopt(&mut self, _settings_hash: String) -> Option<Arc<MachineEnv>> {
        self.to_adopt.take()
    }

    fn ignored(&mut self, _what: &IgnoreReason) {}

    fn turn_performed(&mut self) -> ControlFlow<()> {
        match &mut self.store {
            Some(store) => store.turn_performed(),
            None => ControlFlow::Continue(()),
        }
    }
}

impl SimulatedPorts {
    /// Puts something off.
    fn after(&mut self, ms: u32, what: EventKind, rows: Vec<StoreWrite>) {
        self.number += 1;
        let at = self.now.plus_ms(i64::from(ms));
        self.later.insert((at, self.number), (what, rows));
    }

    fn answered(&mut self, outgoing: &OutgoingCall, answer: ServedCall) -> (EventKind, Vec<StoreWrite>) {
        let CallOutcome {
            what,
            state_change,
            refused,
            ..
        } = call_gate::answered(outgoing, &answer.result, answer.state_change);
        self.refused += usize::from(refused.is_some());
        let agent = outgoing.tool.agent();
        let mut rows = Vec::new();
        if let Some(change) = state_change {
            let state = JournalledState::following(self.agent_states.get(&agent), change);
            rows.push(StoreWrite::agent_state(agent, &state));
            self.agent_states.insert(agent, state);
        }
        (what, rows)
    }

    fn ask(&mut self, call: &AgentCall) -> Option<ServedCall> {
        let admitted = call.dispatch.call();
        let host = self.agents.get_mut(&admitted.tool().name().agent())?;
        host.call(&call.raw, call.dispatch.authority(), admitted.ts())
    }
}
