//! The world around one machine, small enough to be walked in full.
//!
//! What: what is outstanding, what is on disk, what eyes have seen, and what each act does to it. Why: the promises are
//! held against what happened, not against what the machine says. Not here: which acts there are (`acts`), what must hold
//! (`promises`).

use crate::proof::{
    acts::{Act, Changed, Down},
    common::{default_env, done, env, ts},
    explore::Bound,
    promises::{Claim, Coverage, Step, account_agrees, hash_of},
};
use orchestrator_machine::{
    EventKind, MachineEnv, MachineState,
    asks::{EndedAsk, PendingAsk},
    cards,
    event::{ActionReply, CallSlot},
    ledger::LedgerPosting,
    next_due,
    policy::DEFAULT_TEXT,
    state::MachinePhase,
};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, LazyLock},
};
use toolcall_schema::{
    AskState, Class, StateName, Surface, Timestamp, ToolName, WellnessState,
    ids::TraceId,
    ledger::LedgerEntry,
    names::SubmitAct,
    tick::TriggerSource,
    trace::{Asker, Card},
};

/// The most that a walk sets.
pub(crate) const CEILING: u8 = 2;
/// The journal is written without being asked after this time.
const WRITTEN_AFTER_MS: i64 = 50;
const WINDOW_MS: i64 = 30 * 60_000;
/// Stands for the call that the owner asks for, where ticks stand by their numbers.
pub(crate) const CALL: u64 = u64::MAX;

pub(crate) static ENV: LazyLock<MachineEnv> = LazyLock::new(|| with_ceiling(default_env()));
/// The same with another policy text.
static OTHER: LazyLock<MachineEnv> =
    LazyLock::new(|| with_ceiling(env(&format!("{DEFAULT_TEXT}\n# another\n"))));

fn with_ceiling(mut env: MachineEnv) -> MachineEnv {
    env.settings.ceiling = CEILING;
    env
}

/// What the journal says up to an event.
#[derive(Clone)]
pub(crate) struct Snap {
    state: Arc<MachineState>,
    /// Rows of the ledger by tick.
    rows: Vec<LedgerPosting>,
    /// Traces by tick: a hash of each.
    traces: BTreeMap<u64, u64>,
    hash: u64,
}

impl Snap {
    fn of(state: MachineState, rows: Vec<LedgerPosting>, traces: BTreeMap<u64, u64>) -> Self {
        let mut hasher = DefaultHasher::new();
        hash_of(&state).hash(&mut hasher);
        for row in &rows {
            (row.day, row.entry.as_str(), &row.trace_id, row.tokens).hash(&mut hasher);
        }
        traces.hash(&mut hasher);
        Self {
            state: Arc::new(state),
            rows,
            traces,
            hash: hasher.finish(),
        }
    }
}

/// What really happened, whatever the journal says.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Eyes {
    /// Ticks whose card was seen, and whether it costs a token.
    pub(crate) seen: BTreeMap<u64, bool>,
    pub(crate) seen_on: BTreeSet<(u64, Surface)>,
    pub(crate) last_proactive: Option<Timestamp>,
    pub(crate) last_safety: Option<Timestamp>,
    pub(crate) recovering_until: Option<Timestamp>,
    /// When the owner's state was read last.
    pub(crate) read_at: Option<Timestamp>,
    pub(crate) dnd: bool,
    pub(crate) paused_until: Option<Timestamp>,
    pub(crate) dispatched: BTreeSet<(u64, CallSlot)>,
    /// Whose decision is on disk.
    pub(crate) decided: BTreeSet<u64>,
    /// Whose trace is on disk.
    pub(crate) kept: BTreeSet<u64>,
    pub(crate) redeemed: BTreeSet<u64>,
    /// Whose confirmation was acknowledged.
    pub(crate) told: BTreeSet<u64>,
    /// What the program asked for has left, for that tick.
    pub(crate) ask_left: Option<u64>,
    /// Which must not leave any more.
    pub(crate) over: BTreeSet<u64>,
}

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) at: Timestamp,
    /// Beginning with what is on disk, one for each event after it.
    pub(crate) journal: Vec<Snap>,
    /// The disk takes nothing at the moment.
    pub(crate) disk_full: bool,
    /// Outstanding: the tick, and the place in the journal that has to be on disk.
    pub(crate) commit: Option<(u64, usize)>,
    pub(crate) keep: Option<(u64, usize)>,
    pub(crate) calls: BTreeSet<(u64, CallSlot)>,
    /// The same for the call that was asked for.
    pub(crate) call_commit: Option<usize>,
    pub(crate) call_out: bool,
    pub(crate) call_keep: Option<usize>,
    /// The disk took so long over its trace that it was handed over again.
    pub(crate) call_kept_again: bool,
    /// What is in force, and what the owner's file says.
    pub(crate) other_policy: bool,
    pub(crate) other_file: bool,
    /// Of the build that runs.
    pub(crate) rules_number: u32,
    pub(crate) eyes: Eyes,
    pub(crate) disturbances: u8,
    pub(crate) broken: BTreeSet<Claim>,
    /// Whether the first call, or ask, is walked; every other is done at once.
    pub(crate) walks_calls: bool,
}

impl Hash for World {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for snap in &self.journal {
            snap.hash.hash(hasher);
        }
        (self.at, self.disk_full, self.commit, self.keep, &self.calls).hash(hasher);
        (
            self.call_commit,
            self.call_out,
            self.call_keep,
            self.call_kept_again,
        )
            .hash(hasher);
        (
            self.other_policy,
            self.other_file,
            self.rules_number,
            &self.eyes,
            self.disturbances,
            &self.broken,
        )
            .hash(hasher);
    }
}

impl PartialEq for World {
    fn eq(&self, other: &Self) -> bool {
        let hash = |world: &Self| {
            let mut hasher = DefaultHasher::new();
            world.hash(&mut hasher);
            hasher.finish()
        };
        hash(self) == hash(other)
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = self.state();
        write!(
            f,
            "{:?} at {} tick {} {:?} {:?} cards {:?} broken {:?}",
            s.phase.name(),
            self.at.ms() % 86_400_000,
            s.ticks,
            s.ledger.view(),
            self.eyes,
            s.cards
                .iter()
                .map(|o| (o.kept, o.handed, o.shown))
                .collect::<Vec<_>>(),
            self.broken
        )
    }
}

/// Half a minute before a minute to midnight, so that a prompt can be open when the day ends.
pub(crate) fn late_evening() -> Timestamp {
    ts("2026-11-03T23:58:30+05:30")
}

impl World {
    /// Started, the owner calm, watch and phone at hand.
    pub(crate) fn started(bound: Bound) -> Self {
        let at = late_evening();
        let state = MachineState::new(&ENV, at);
        let mut world = Self {
            at,
            journal: vec![Snap::of(state, vec![], BTreeMap::new())],
            disk_full: false,
            commit: None,
            keep: None,
            calls: BTreeSet::new(),
            call_commit: None,
            call_out: false,
            call_keep: None,
            call_kept_again: false,
            other_policy: false,
            other_file: false,
            rules_number: 1,
            eyes: Eyes::default(),
            disturbances: bound.disturbances,
            broken: BTreeSet::new(),
            walks_calls: bound.calls || bound.asks,
        };
        let mut reached = Coverage::default();
        world.step(&mut reached, None, |step| {
            step.start();
            step.event(EventKind::Connected {
                surface: Surface::Watch,
            });
            step.event(EventKind::Connected {
                surface: Surface::PhoneCard,
            });
            step.load(WellnessState::Baseline);
            step.event(EventKind::CeilingSet {
                ceiling: bound.ceiling,
            });
        });
        world.all_on_disk();
        world
    }

    pub(crate) fn state(&self) -> &MachineState {
        &self.journal.last().unwrap().state
    }

    pub(crate) fn env(&self) -> &'static MachineEnv {
        if self.other_policy { &OTHER } else { &ENV }
    }

    pub(crate) fn ticks(&self) -> u64 {
        self.state().ticks
    }

    fn on_disk(&mut self, upto: usize) {
        let upto = upto.min(self.journal.len() - 1);
        self.journal.drain(..upto);
        for waiting in [&mut self.commit, &mut self.keep].into_iter().flatten() {
            waiting.1 = waiting.1.saturating_sub(upto);
        }
        for waiting in [&mut self.call_commit, &mut self.call_keep].into_iter().flatten() {
            *waiting = waiting.saturating_sub(upto);
        }
    }

    fn all_on_disk(&mut self) {
        self.on_disk(usize::MAX);
    }

    pub(crate) fn card(&self) -> Option<Card> {
        cards::current_card(self.state())
    }

    /// Whose card was put off and waits for its hour.
    pub(crate) fn put_off(&self) -> Option<TraceId> {
        let mut later = self.state().later.iter();
        later.find(|card| !card.asked).map(|card| card.trace_id.clone())
    }

    pub(crate) fn take(&mut self, act: Act, reached: &mut Coverage) {
        self.disturbances -= u8::from(self.disturbs(act));
        match act {
            Act::Unlock => self.happen(reached, EventKind::PhoneUnlocked),
            Act::OwnerTick => self.happen(reached, EventKind::OwnerTick),
            Act::Answers(scene, how) => self.step(reached, None, |step| step.answers(scene, how)),
            Act::Commit(ok) => {
                let Some((tick, upto)) = self.commit.take() else {
                    return;
                };
                self.disk_full = !ok;
                if ok {
                    self.on_disk(upto);
                    self.eyes.decided.insert(tick);
                }
                self.step(reached, ok.then_some(tick), |step| {
                    step.event(EventKind::Committed { tick, ok });
                });
            }
            Act::Kept(ok) => {
                let Some((tick, upto)) = self.keep.take() else {
                    return;
                };
                self.disk_full = !ok;
                if ok {
                    self.on_disk(upto);
                    self.eyes.kept.insert(tick);
                }
                let trace_id = ENV.seed.trace_id(tick);
                self.happen(reached, EventKind::TraceKept { trace_id, ok });
            }
            Act::Executed(slot, how) => {
                let Some(call) = self.calls.iter().find(|call| call.1 == slot).copied() else {
                    return;
                };
                self.calls.remove(&call);
                let reply = match how {
                    0 => done(),
                    1 => ActionReply::Failed(None),
                    _ => ActionReply::Rejected,
                };
                let tick = call.0;
                self.happen(reached, EventKind::Executed { tick, slot, reply });
            }
            Act::Ask => {
                let channel = "ch_0000000000000001";
                let what = EventKind::CallRequested {
                    request: 1,
                    id: ENV.seed.key("request").request("owner_page", "once"),
                    asker: Asker::OwnerPage,
                    origin: None,
                    tool: ToolName::UnmuteChannel,
                    args: json!({ "channel_hash": channel }),
                    wait_min: None,
                };
                self.happen(reached, what);
            }
            Act::Propose => {
                let what = EventKind::CallRequested {
                    request: 1,
                    id: ENV.seed.key("request").request("program", "once"),
                    asker: Asker::Program,
                    origin: None,
                    tool: ToolName::PermitLeisure,
                    args: json!({ "window_min": 90 }),
                    wait_min: Some(20),
                };
                self.happen(reached, what);
            }
            Act::TakeBack => {
                let waits = self.state().asks.open.len();
                let phase = self.state().phase.name();
                let what = EventKind::AskCancelled {
                    request: 1,
                    id: ENV.seed.key("request").request("program", "once"),
                    origin: None,
                };
                self.happen(reached, what);
                if self.state().asks.open.len() < waits {
                    reached.asks_taken_back.insert(phase);
                }
            }
            Act::UndoLater => {
                let Some(trace_id) = self.put_off() else { return };
                let what = EventKind::CallRequested {
                    request: 1,
                    id: ENV.seed.key("request").request("owner_page", "undo"),
                    asker: Asker::OwnerPage,
                    origin: None,
                    tool: ToolName::UndoLater,
                    args: json!({ "trace_id": trace_id }),
                    wait_min: None,
                };
                self.happen(reached, what);
                let mut later = self.state().later.iter();
                let asked = later.any(|card| card.trace_id == trace_id && card.asked);
                if asked {
                    reached.undone = true;
                } else {
                    self.broken.insert(Claim::TakenBack);
                }
            }
            Act::CallCommit(ok) => {
                let Some(upto) = self.call_commit.take() else {
                    return;
                };
                self.disk_full = !ok;
                if ok {
                    self.on_disk(upto);
                }
                self.step(reached, ok.then_some(CALL), |step| {
                    step.event(EventKind::CallCommitted { call: 1, ok });
                });
            }
            Act::CallDone(ok) => {
                self.call_out = false;
                let reply = if ok { done() } else { ActionReply::Failed(None) };
                self.happen(reached, EventKind::CallExecuted { call: 1, reply });
            }
            Act::CallKept(ok) => {
                let Some(upto) = self.call_keep.take() else { return };
                self.disk_full = !ok;
                if ok {
                    self.on_disk(upto);
                    self.eyes.kept.insert(CALL);
                }
                let trace_id = ENV.seed.call_trace_id(1);
                self.happen(reached, EventKind::TraceKept { trace_id, ok });
            }
            Act::See(surface) => self.see(surface, reached),
            Act::Submit(act, surface, good) => self.submit(act, surface, good, reached),
            Act::Due => {
                if let Some(due) = next_due(self.state()) {
                    self.wait(due, reached);
                }
            }
            Act::AlmostDue => {
                if let Some(due) = next_due(self.state()) {
                    self.wait(due.plus_ms(-1).max(self.at), reached);
                }
            }
            Act::Midnight => {
                let midnight = self.env().next_midnight(self.at);
                self.wait(midnight, reached);
            }
            Act::Recovering => {
                let open = self.eyes.recovering_until.filter(|until| *until > self.at);
                self.eyes.recovering_until = open.or(Some(self.at.plus_min(60)));
                self.step(reached, None, |step| step.load(WellnessState::Recovering));
            }
            Act::Dnd(active) => {
                self.eyes.dnd = active;
                self.happen(reached, EventKind::Dnd { active, until: None });
            }
            Act::Pause => {
                let until = Some(self.at.plus_min(120));
                self.eyes.paused_until = until;
                self.happen(reached, EventKind::Paused { until });
            }
            Act::Ceiling(ceiling) => {
                self.happen(reached, EventKind::CeilingSet { ceiling });
            }
            Act::Reload => {
                self.other_file = !self.other_file;
                let env: &MachineEnv = if self.other_file { &OTHER } else { &ENV };
                let policy_hash = env.policy.hash().to_owned();
                let settings_hash = String::new();
                self.happen(
                    reached,
                    EventKind::Reloaded {
                        policy_hash,
                        settings_hash,
                    },
                );
            }
            Act::Connect(surface) => {
                self.happen(reached, EventKind::Connected { surface });
            }
            Act::Disconnect(surface) => {
                self.happen(reached, EventKind::Disconnected { surface });
            }
            Act::Crash(written, down, changed) => self.crash(written, down, changed, reached),
        }
        if self.disturbances == 0 {
            self.forget_the_way();
        }
        self.check();
    }

    /// Nothing crashes any more: what the disk holds is not asked again, and worlds that differ in that alone are one.
    fn forget_the_way(&mut self) {
        let last = self.journal.len() - 1;
        self.journal.drain(..last);
        for waiting in [&mut self.commit, &mut self.keep].into_iter().flatten() {
            waiting.1 = 0;
        }
        for waiting in [&mut self.call_commit, &mut self.call_keep].into_iter().flatten() {
            *waiting = 0;
        }
    }

    fn wait(&mut self, to: Timestamp, reached: &mut Coverage) {
        if to.since(self.at) >= WRITTEN_AFTER_MS && !self.disk_full {
            self.all_on_disk();
        }
        self.at = to;
        self.happen(reached, EventKind::Time);
    }

    fn happen(&mut self, reached: &mut Coverage, what: EventKind) {
        self.step(reached, None, |step| step.event(what));
    }

    fn step(&mut self, reached: &mut Coverage, passed: Option<u64>, happen: impl FnOnce(&mut Step<'_>)) {
        let last = self.journal.last().unwrap().clone();
        let mut step = Step {
            state: (*last.state).clone(),
            rows: last.rows.clone(),
            traces: last.traces.clone(),
            world: self,
            reached,
            passed,
        };
        happen(&mut step);
        let Step {
            state, rows, traces, ..
        } = step;
        if state.ticks > last.state.ticks {
            // What the tick before still waited for comes no more.
            (self.commit, self.keep) = (None, None);
            self.calls.clear();
        }
        let snap = Snap::of(state, rows, traces);
        // What changed nothing is no other world.
        if snap.hash != last.hash {
            self.journal.push(snap);
        }
    }

    /// The card that can be seen is seen: what the caps say about that, by the world's own account.
    fn see(&mut self, surface: Surface, reached: &mut Coverage) {
        let Some(card) = self.card() else { return };
        let Some(chosen) = card.decision.chosen.clone() else {
            return;
        };
        let tick = card.decision.tick;
        let safety = chosen.class == Class::Safety;
        let unasked = card.decision.trigger.source != TriggerSource::Owner;
        // What the owner put off is outside the window and costs nothing; all else holds for it.
        let put_off = card.decision.put_off > 0;
        let proactive = unasked && !put_off;
        reached.seen.insert((chosen.kind, surface));
        self.eyes.seen_on.insert((tick, surface));
        if self.eyes.seen.insert(tick, !safety && !put_off).is_none() {
            let later = |until: Option<Timestamp>| until.is_some_and(|until| until > self.at);
            let last = if safety {
                self.eyes.last_safety
            } else {
                self.eyes.last_proactive
            };
            let window = last.map(|last| last.plus_ms(WINDOW_MS));
            for (claim, broken) in [
                (Claim::Window, proactive && later(window)),
                (Claim::Recovering, unasked && later(self.eyes.recovering_until)),
                (Claim::Paused, unasked && later(self.eyes.paused_until)),
                (
                    Claim::Dnd,
                    self.eyes.dnd && !(safety && chosen.surface == Surface::Watch),
                ),
            ] {
                if broken {
                    self.broken.insert(claim);
                }
            }
            if proactive {
                self.eyes.last_proactive = Some(self.at);
                if safety {
                    self.eyes.last_safety = Some(self.at);
                }
            }
        }
        let card_id = card.card_id;
        self.happen(reached, EventKind::Shown { card_id, surface });
    }

    fn submit(&mut self, act: SubmitAct, surface: Surface, good: bool, reached: &mut Coverage) {
        let Some(card) = self.card() else { return };
        let prompt = card.prompts.iter().find(|prompt| prompt.surface == surface);
        let capability = prompt.map(|prompt| prompt.capability.clone()).filter(|_| good);
        let (tick, card_id) = (card.decision.tick, card.card_id);
        let mut decided_at = None;
        if let MachinePhase::AwaitingConfirm { tick, .. } = &self.state().phase {
            let entry = tick
                .path
                .iter()
                .find(|(state, _)| *state == StateName::Deliberating);
            decided_at = entry.map(|(_, at)| *at);
        }
        self.happen(
            reached,
            EventKind::Submitted {
                request: 1,
                card_id,
                surface,
                act,
                capability,
            },
        );
        if let (Some(decided_at), MachinePhase::Executing { .. }) = (decided_at, &self.state().phase) {
            let limit = if surface == Surface::Watch { 8_000 } else { 60_000 };
            let in_time = self.at.since(decided_at) < limit;
            if in_time && good && self.eyes.seen_on.contains(&(tick, surface)) {
                self.eyes.redeemed.insert(tick);
            } else {
                self.broken.insert(Claim::Asked);
            }
        }
    }

    fn crash(&mut self, written: usize, down: Down, changed: Changed, reached: &mut Coverage) {
        self.journal.truncate(written + 1);
        self.journal.drain(..written);
        (self.commit, self.keep, self.disk_full) = (None, None, false);
        self.calls.clear();
        match changed {
            Changed::Nothing => {}
            Changed::Policy => self.other_file = !self.other_file,
            Changed::Rules => self.rules_number += 1,
        }
        (self.call_commit, self.call_out, self.call_keep) = (None, false, None);
        self.call_kept_again = false;
        self.other_policy = self.other_file;
        self.at = self.at.plus_ms(match down {
            Down::Short => 100,
            Down::Long => 70_000,
        });
        let last = self.journal.last().unwrap();
        self.eyes.kept = last.traces.keys().copied().collect();
        match &last.state.phase {
            MachinePhase::Deliberating { tick, decided, .. } => {
                self.eyes.decided.insert(tick.number);
                if decided.plan.as_ref().is_none_or(|plan| plan.prompts.is_empty()) {
                    self.eyes.over.insert(tick.number);
                }
            }
            MachinePhase::Executing { tick, .. } => {
                self.eyes.over.insert(tick.number);
            }
            MachinePhase::Idle
            | MachinePhase::Listening { .. }
            | MachinePhase::Weighing { .. }
            | MachinePhase::AwaitingConfirm { .. }
            | MachinePhase::LoggingTrace { .. }
            | MachinePhase::Cooldown { .. } => {}
        }
        self.step(reached, None, |step| {
            step.start();
        });
    }

    // ---- what must hold ----

    fn check(&mut self) {
        let last = self.journal.last().unwrap();
        let s = &last.state;
        let due = next_due(s);
        let bounded = due.is_some_and(|due| due > self.at)
            && (matches!(s.phase, MachinePhase::Idle) || due.is_some_and(|due| due.since(self.at) <= 60_000));
        let mut broken = BTreeSet::new();
        if !bounded {
            broken.insert(Claim::Bounded);
        }
        let fresh = self.eyes.read_at.is_some_and(|read| self.at < read.plus_min(60));
        if s.known.state.is_some() && !fresh {
            broken.insert(Claim::Lapse);
        }
        let ends = |at: Timestamp| at > self.at && at.since(self.at) <= 10_000;
        if !s.calls.open.iter().all(|call| ends(call.deadline)) {
            broken.insert(Claim::CallEnds);
        }
        // Twenty minutes, and the card on which it may be when they are over.
        let waits = |ask: &PendingAsk| self.at < ask.at.plus_min(22);
        let bounded = s.asks.open.iter().all(waits) && s.asks.open.len() + s.asks.ended.len() <= 1;
        // What has left is over with its tick, whatever became of it.
        let left = self.eyes.ask_left.filter(|tick| last.traces.contains_key(tick));
        if !bounded || (left.is_some() && !s.asks.open.is_empty()) {
            broken.insert(Claim::AskEnds);
        }
        let is_cancelled = |ended: &EndedAsk| ended.end.state == AskState::Cancelled;
        if s.asks.ended.iter().any(is_cancelled) {
            let card = cards::current_card(s);
            let asks = card
                .and_then(|card| card.decision.chosen.as_ref()?.asker)
                .is_some();
            if asks || self.eyes.ask_left.is_some() {
                broken.insert(Claim::AskTaken);
            }
        }
        if !account_agrees(s, &last.rows) {
            broken.insert(Claim::Ledger);
        }
        let paid = |tick: u64| {
            let id = ENV.seed.trace_id(tick);
            let own = || last.rows.iter().filter(|row| row.trace_id.as_ref() == Some(&id));
            own().any(|row| row.entry == LedgerEntry::Reserve)
                && !own().any(|row| row.entry == LedgerEntry::Release)
        };
        if self.eyes.seen.iter().any(|(tick, costs)| *costs && !paid(*tick)) {
            broken.insert(Claim::Paid);
        }
        self.broken.extend(broken);
    }
}
