//! The machine without actors and disk.
//!
//! What: `advance`, the gate on both sides and the four agents on the calling thread, with a store that always says yes
//! and a clock that is set. Why: the benchmark measures it, and the recorded days are played on it beside the real actors: both
//! must give the same bytes. Not here: actors, files, real time.

use crate::{
    actors::memory::DiskFault,
    config::Home,
    faults::Faults,
    perform::{self, Ready},
};
use agents::{
    agent::Agent, calendar::Calendar, comms::Comms, finance::Finance, host::AgentHost, wellness::Wellness,
};
use orchestrator_machine::{
    Effect, Env, Event, State, What, advance, effect::Outgoing, event::SeenSignal, next_due, state::Phase,
};
use std::collections::{BTreeMap, VecDeque};
use toolcall_schema::{
    AgentName, Timestamp,
    day::FaultKind,
    gate,
    signal::{Payload, Signal},
    trace::Trace,
};

/// Where a rig keeps its turns, instead of nowhere.
pub trait Keeper {
    /// Keeps one turn: the event and what follows from it, in one transaction.
    fn keep(&mut self, event: &Event, effects: &[Effect], wall: Timestamp);

    /// Whether everything up to here is on disk, once it is.
    fn barrier(&mut self) -> bool;
}

/// The world around the machine.
pub struct Rig {
    env: Env,
    state: State,
    hosts: BTreeMap<AgentName, AgentHost>,
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
        let setup = home.setup(&env.seed);
        let agents: [Box<dyn Agent>; 4] = [
            Box::new(Comms::new(setup.clone())),
            Box::new(Calendar::new(setup.clone())),
            Box::new(Finance::new(setup.clone())),
            Box::new(Wellness::new(setup)),
        ];
        let hosts = agents
            .into_iter()
            .map(|agent| (agent.name(), AgentHost::new(agent)))
            .collect();
        let state = State::new(&env, now);
        let (later, number) = (BTreeMap::new(), 0);
        let mut rig = Self {
            env,
            state,
            hosts,
            now,
            later,
            number,
            faults,
            keeper,
            traces: vec![],
            refused: 0,
        };
        rig.happen(What::Started {
            wall: now,
            policy_hash: rig.env.policy.hash().to_owned(),
            catalogue_hash: rig.env.catalogue_hash.clone(),
            settings_hash: String::new(),
        });
        rig
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

    /// When something is due by the clock alone.
    pub fn next(&self) -> Option<Timestamp> {
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
        while let Some(what) = next.pop_front() {
            let event = Event { at: self.now, what };
            let effects = match &mut self.keeper {
                None => advance(&self.env, &mut self.state, event),
                Some(keeper) => {
                    let effects = advance(&self.env, &mut self.state, event.clone());
                    keeper.keep(&event, &effects, self.state.wall(self.state.at));
                    effects
                }
            };
            for effect in effects {
                next.extend(self.answer(effect));
            }
        }
    }

    fn answer(&mut self, effect: Effect) -> Option<What> {
        match effect {
            Effect::Call(outgoing) => self.call(&outgoing),
            Effect::Commit { tick } => self.stored(|ok| What::Committed { tick, ok }),
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
            Effect::KeepDecision(_)
            | Effect::KeepRaw(_)
            | Effect::Ledger(_)
            | Effect::Outbox { .. }
            | Effect::Show(_)
            | Effect::Close { .. }
            | Effect::Reply { .. }
            | Effect::AskModel { .. }
            | Effect::Adopt { .. }
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
            Some(DiskFault::SlowMs(ms)) => self.after(ms, what(true)),
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
        let Ok(ready) = perform::ready(outgoing, bytes, self.now) else {
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
                return self.after(ms, perform::answered(outgoing, &bytes).what);
            }
            Some(FaultKind::RawCall { .. } | FaultKind::Disk { .. }) | None => self.serve(&ready)?,
        };
        let back = perform::answered(outgoing, &bytes);
        self.refused += usize::from(back.refused.is_some());
        Some(back.what)
    }

    fn serve(&mut self, ready: &Ready) -> Option<Vec<u8>> {
        if let Some(bytes) = perform::own_tool(ready) {
            return Some(bytes);
        }
        let host = self.hosts.get_mut(&ready.dispatch.call().tool().name().agent())?;
        Some(
            host.call(&ready.bytes, ready.dispatch.authority(), self.now)?
                .bytes,
        )
    }
}
