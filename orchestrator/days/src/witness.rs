//! A disk that can fail or end the process, and remembers what really happened.
//!
//! What: `CrashWitness`, the [`TurnStore`] of a self-test: it keeps what every turn writes, knows what is on disk, ends the process
//! at a point, and counts what left and what the owner was told, over all lives. Why: a promise is held against what
//! happened, not against what the journal says happened. Not here: points and verdicts (`crash`).

use crate::simulator::TurnStore;
use aura_memory::{Store, StoreWrite};
use aura_runtime::executor::TurnRecord;
use orchestrator_machine::{
    MachineState,
    effect::{ReplyTo, SubmissionVerdict},
    event::CallSlot,
    state::MachinePhase,
};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    rc::Rc,
    sync::mpsc,
};
use toolcall_schema::{Timestamp, ids::TraceId, names::SubmitAct, trace::Trace};

/// A snapshot is written at rest after so many events: often, so that starts from one are tried too.
pub(super) const SNAPSHOT_EVERY: u64 = 16;

/// At which moment of an event something goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CrashFault {
    /// Killed before the event is written.
    BeforeWrite,
    /// Killed when it is written, before any of its effects.
    BeforeEffects,
    /// Killed when its effects were performed; everything is written.
    AfterEffects,
    /// Power is cut when its effects were performed: everything since the last barrier is lost.
    PowerCut,
    /// The disk is full from here on for two minutes.
    DiskFull,
    /// The disk is full from here on, and a minute later power is cut.
    DiskFullThenPowerCut,
    /// From here on no commit succeeds, while files are still written, and a minute later power is cut.
    NoCommitThenPowerCut,
}

impl CrashFault {
    pub(super) const ALL: [Self; 7] = [
        Self::BeforeWrite,
        Self::BeforeEffects,
        Self::AfterEffects,
        Self::PowerCut,
        Self::DiskFull,
        Self::DiskFullThenPowerCut,
        Self::NoCommitThenPowerCut,
    ];

    /// Whether what the turn showed could be seen.
    pub(super) fn shows(self) -> bool {
        match self {
            Self::AfterEffects | Self::PowerCut => true,
            Self::BeforeWrite
            | Self::BeforeEffects
            | Self::DiskFull
            | Self::DiskFullThenPowerCut
            | Self::NoCommitThenPowerCut => false,
        }
    }

    fn full_for_ms(self) -> i64 {
        match self {
            Self::DiskFull => 120_000,
            Self::DiskFullThenPowerCut | Self::NoCommitThenPowerCut => 60_000,
            Self::BeforeWrite | Self::BeforeEffects | Self::AfterEffects | Self::PowerCut => 0,
        }
    }
}

/// What really happened.
#[derive(Debug, Clone, Default)]
pub(super) struct ObservedFacts {
    /// How often each action left, by tick.
    pub(super) left: BTreeMap<(u64, CallSlot), u32>,
    /// Ticks whose confirmation was acknowledged.
    pub(super) told: BTreeSet<u64>,
    /// What finished actions asked for last, by the draft's name: that it is there, or that it is gone.
    pub(super) drafts_due: BTreeMap<String, bool>,
}

/// The disk of one life.
pub(super) struct CrashWitness {
    pub(super) facts: ObservedFacts,
    /// What was handed over, one group a turn.
    pub(super) groups: Vec<Vec<StoreWrite>>,
    /// So many groups are certainly on disk.
    pub(super) durable: usize,
    /// Traces that were kept as files, with how many groups had been handed over.
    pub(super) raw: Vec<(TraceId, String, usize)>,
    /// Turns so far.
    pub(super) events: usize,
    fault: Option<(usize, CrashFault)>,
    full_until: Option<Timestamp>,
    now: Timestamp,
    /// The tick that executes since the last turn.
    executing: Option<u64>,
    /// Where this life really writes; the first one only remembers.
    store: Option<Store>,
}

impl CrashWitness {
    /// A first life that meets a fault at the `n`-th event (from 0), if any.
    pub(super) fn first(fault: Option<(usize, CrashFault)>) -> Self {
        Self::new(fault, ObservedFacts::default(), None)
    }

    /// A later life on a real store.
    pub(super) fn again(facts: ObservedFacts, store: Store) -> Self {
        Self::new(None, facts, Some(store))
    }

    fn new(fault: Option<(usize, CrashFault)>, facts: ObservedFacts, store: Option<Store>) -> Self {
        Self {
            facts,
            groups: vec![],
            durable: 0,
            raw: vec![],
            events: 0,
            fault,
            full_until: None,
            now: Timestamp::default(),
            executing: None,
            store,
        }
    }

    /// What this life's writes went to.
    pub(super) fn into_store(self) -> (ObservedFacts, Option<Store>) {
        (self.facts, self.store)
    }

    fn meets(&self, fault: CrashFault) -> bool {
        self.fault == Some((self.events, fault))
    }

    /// How many groups the next life finds.
    pub(super) fn survived(&self) -> usize {
        match self.fault.map(|(_, fault)| fault) {
            Some(
                CrashFault::PowerCut | CrashFault::DiskFullThenPowerCut | CrashFault::NoCommitThenPowerCut,
            ) => self.durable,
            Some(
                CrashFault::BeforeWrite
                | CrashFault::BeforeEffects
                | CrashFault::AfterEffects
                | CrashFault::DiskFull,
            )
            | None => self.groups.len(),
        }
    }

    fn is_full(&self) -> bool {
        self.full_until.is_some_and(|until| self.now < until)
    }

    /// Whether files are written while no commit succeeds.
    fn takes_files(&self) -> bool {
        matches!(self.fault, Some((_, CrashFault::NoCommitThenPowerCut)))
    }

    fn write(&mut self, group: Vec<StoreWrite>) {
        match &self.store {
            // The queue is emptied at each barrier and holds thousands.
            Some(store) => drop(store.write(group)),
            None => self.groups.push(group),
        }
    }
}

impl CrashWitness {
    fn persist(&mut self, turn: TurnRecord, state: &MachineState) -> ControlFlow<()> {
        self.now = turn.at;
        if let Some((at, fault)) = self.fault
            && at == self.events
            && fault.full_for_ms() > 0
        {
            self.full_until = Some(self.now.plus_ms(fault.full_for_ms()));
        }
        if self.meets(CrashFault::BeforeWrite) {
            return ControlFlow::Break(());
        }
        self.write(turn.writes);
        self.executing = if let MachinePhase::Executing { tick, .. } = &state.phase {
            Some(tick.number)
        } else {
            None
        };
        if let MachinePhase::LoggingTrace { ended, .. } = &state.phase {
            let due = ended
                .outbox
                .iter()
                .map(|(name, text)| (name.clone(), text.is_some()));
            self.facts.drafts_due.extend(due);
        }
        let cut = matches!(
            self.fault,
            Some((
                _,
                CrashFault::DiskFullThenPowerCut | CrashFault::NoCommitThenPowerCut
            ))
        ) && self.full_until.is_some_and(|until| until <= self.now);
        if cut || self.meets(CrashFault::BeforeEffects) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn spill_trace(&mut self, trace: &Trace) {
        let json = serde_json::to_string(trace).unwrap_or_default();
        match &self.store {
            Some(store) => drop(store.put_raw_trace(&trace.trace_id, &json)),
            None if self.is_full() && !self.takes_files() => {}
            None => self.raw.push((trace.trace_id.clone(), json, self.groups.len())),
        }
    }

    fn call_sent(&mut self, reply: ReplyTo) {
        if let ReplyTo::Action { tick, slot } = reply {
            *self.facts.left.entry((tick, slot)).or_default() += 1;
        }
    }

    fn replied(&mut self, verdict: SubmissionVerdict) {
        if let SubmissionVerdict::Accepted {
            act: SubmitAct::Confirm,
            ..
        } = verdict
        {
            self.facts.told.extend(self.executing);
        }
    }

    fn turn_performed(&mut self) -> ControlFlow<()> {
        let over = self.meets(CrashFault::AfterEffects) || self.meets(CrashFault::PowerCut);
        self.events += 1;
        if over {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn barrier(&mut self) -> bool {
        if self.is_full() {
            return false;
        }
        self.durable = self.groups.len();
        let Some(store) = &self.store else { return true };
        let (tell, told) = mpsc::channel();
        let asked = store.commit(Box::new(move |result| {
            // Who asked waits below.
            let _ = tell.send(result.is_ok());
        }));
        asked.is_ok() && told.recv().unwrap_or(false)
    }
}

/// The witness outlives the simulator that tells it.
pub(super) struct WitnessHandle(pub(super) Rc<RefCell<CrashWitness>>);

impl TurnStore for WitnessHandle {
    fn persist(&mut self, turn: TurnRecord, state: &MachineState) -> ControlFlow<()> {
        self.0.borrow_mut().persist(turn, state)
    }

    fn barrier(&mut self) -> bool {
        self.0.borrow_mut().barrier()
    }

    fn spill_trace(&mut self, trace: &Trace) {
        self.0.borrow_mut().spill_trace(trace);
    }

    fn call_sent(&mut self, reply: ReplyTo) {
        self.0.borrow_mut().call_sent(reply);
    }

    fn replied(&mut self, verdict: SubmissionVerdict) {
        self.0.borrow_mut().replied(verdict);
    }

    fn turn_performed(&mut self) -> ControlFlow<()> {
        self.0.borrow_mut().turn_performed()
    }
}
