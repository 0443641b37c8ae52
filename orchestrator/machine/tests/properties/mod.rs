//! Random days against the invariants of the machine.
//!
//! What: any sequence of events, sensible or not, and after each step the promises that must hold. Why: the promises are
//! for every day, not for the recorded ones. The world here answers calls, commits and traces late, wrongly or never.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod otherwise;

use crate::support::is_admitted;
use chrono::NaiveTime;
use orchestrator_machine::{
    Effect, EventKind, MachineEnv, MachineEvent, MachineState, cards,
    effect::{OutgoingCall, ReplyTo},
    env::{DailyWindow, MachineSettings},
    event::{ActionReply, IngestedFacts, TickAnswer},
    next_due,
    policy::{DEFAULT_TEXT, Policy},
    state::MachinePhase,
    step,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    ActionKind, AgentName, Authority, Class, Confirm, Surface, Timestamp, WellnessState, gate,
    ids::{CardId, OwnerSeed, TraceId},
    ledger::LedgerEntry,
    milli::Milli,
    names::SubmitAct,
    tick::{Candidate, IngestFact, ReadingKey, SignalReading, Subject, TickResult, TickStatus},
};

fn env() -> MachineEnv {
    let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
    // No combination is known: every two kinds are novel, and a tie is the model's to break.
    let (constants, _) = DEFAULT_TEXT.split_once("known = [").unwrap();
    MachineEnv {
        policy: Policy::parse(&format!("{constants}known = []\n")).unwrap(),
        settings: MachineSettings {
            zone: chrono_tz::Asia::Kolkata,
            ceiling: 3,
            brief: DailyWindow {
                from: at(7, 30),
                to: at(12, 0),
            },
            dnd: vec![],
            model: true,
            kinds: std::collections::BTreeMap::new(),
        },
        seed: OwnerSeed::from_day_seed("properties"),
        catalogue_hash: gate::catalogue_hash().to_owned(),
    }
}

/// Something the world does.
#[derive(Debug, Clone)]
enum Op {
    Wait(u32),
    Unlock,
    OwnerTick,
    Facts(u8, Vec<u8>),
    AnswerIngest,
    AnswerTick(Vec<u8>, bool),
    Commit(bool),
    Execute(u8),
    TraceKept(bool),
    Sentence(Option<u8>),
    Written(usize),
    Tie(Option<u8>),
    Connect(bool, bool),
    See(bool),
    Submit(SubmitAct, bool, bool),
    Dnd(bool),
    Pause(bool),
    Ceiling(u8),
    SetClock(i64),
    Restart,
    Nonsense(u8),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        4 => prop_oneof![Just(10_u32), Just(900), Just(2_100), Just(8_100), Just(61_000), Just(1_800_000), 1_u32..7_200_000]
            .prop_map(Op::Wait),
        2 => Just(Op::Unlock),
        1 => Just(Op::OwnerTick),
        1 => (any::<u8>(), prop::collection::vec(any::<u8>(), 0..3)).prop_map(|(a, b)| Op::Facts(a, b)),
        4 => Just(Op::AnswerIngest),
        8 => (prop::collection::vec(0_u8..12, 0..4), prop::bool::weighted(0.9)).prop_map(|(k, ok)| Op::AnswerTick(k, ok)),
        4 => prop::bool::weighted(0.9).prop_map(Op::Commit),
        4 => (0_u8..4).prop_map(Op::Execute),
        4 => prop::bool::weighted(0.9).prop_map(Op::TraceKept),
        1 => prop::option::of(0_u8..8).prop_map(Op::Sentence),
        1 => (0_usize..600).prop_map(Op::Written),
        2 => prop::option::of(0_u8..4).prop_map(Op::Tie),
        2 => (any::<bool>(), prop::bool::weighted(0.8)).prop_map(|(w, here)| Op::Connect(w, here)),
        4 => any::<bool>().prop_map(Op::See),
        4 => (prop_oneof![3 => Just(SubmitAct::Confirm), 1 => Just(SubmitAct::Dismiss), 2 => Just(SubmitAct::Useful), 1 => Just(SubmitAct::Edit), 1 => prop::sample::select(SubmitAct::LATER.to_vec())],
              any::<bool>(), prop::bool::weighted(0.8)).prop_map(|(a, w, good)| Op::Submit(a, w, good)),
        1 => prop::bool::weighted(0.3).prop_map(Op::Dnd),
        1 => prop::bool::weighted(0.3).prop_map(Op::Pause),
        1 => (0_u8..7).prop_map(Op::Ceiling),
        1 => prop_oneof![-90_000_000_i64..90_000_000, -31_536_000_000_i64..31_536_000_000].prop_map(Op::SetClock),
        1 => Just(Op::Restart),
        1 => any::<u8>().prop_map(Op::Nonsense),
    ];
    prop::collection::vec(op, 1..160)
}

fn hash(prefix: &str, n: u8) -> String {
    format!("{prefix}_{n:016x}")
}

/// A candidate that passes its tool's schema.
fn candidate(kind: u8, wall: Timestamp) -> (AgentName, Candidate) {
    let kind = ActionKind::ALL[usize::from(kind) % ActionKind::ALL.len()];
    let event = hash("ev", 1);
    let channel = hash("ch", 1);
    let (agent, subject, args): (AgentName, String, Value) = match kind {
        ActionKind::MuteGroup30 => (
            AgentName::Wellness,
            channel.clone(),
            json!({"channel_hash": channel, "ttl_seconds": 1800}),
        ),
        ActionKind::Breathe478 => (AgentName::Wellness, "self".into(), json!({"cycles": 4})),
        ActionKind::Nap15 => (AgentName::Wellness, "self".into(), json!({"duration_min": 15})),
        ActionKind::PermitLeisure => (AgentName::Wellness, "self".into(), json!({"window_min": 90})),
        ActionKind::BatchDigest => (
            AgentName::Comms,
            channel.clone(),
            json!({"channel_hash": channel, "since": wall}),
        ),
        ActionKind::ShowBrief => (
            AgentName::Comms,
            "2026-11-03".into(),
            json!({"sections": [{"section": "messages", "total": 3, "actionable": 1}]}),
        ),
        ActionKind::LeaveByAlert => (
            AgentName::Calendar,
            event.clone(),
            json!({"event_id": event, "buffer_min": 15}),
        ),
        ActionKind::PrepareMeeting => (AgentName::Calendar, event.clone(), json!({"event_id": event})),
        ActionKind::CategorizeTxn => (
            AgentName::Finance,
            "self".into(),
            json!({"txn_ids": [hash("tx", 1)]}),
        ),
        ActionKind::SurfaceAnomaly => (
            AgentName::Finance,
            "food_delivery".into(),
            json!({"category": "food_delivery", "severity": "high", "day": "2026-11-03", "window_days": 30}),
        ),
        ActionKind::ProjectBalance => (AgentName::Finance, "all".into(), json!({"day": "2026-11-03"})),
        ActionKind::DraftReply => (
            AgentName::Comms,
            hash("it", 1),
            json!({"item_id": hash("it", 1), "tone": "casual", "length_max": 280}),
        ),
        ActionKind::DeclineEvent => (
            AgentName::Calendar,
            event.clone(),
            json!({"event_id": event, "reason_template": "conflict"}),
        ),
    };
    let subject = Subject::parse(&subject).unwrap();
    (
        agent,
        Candidate {
            kind,
            subject,
            confidence: Milli(850),
            args,
            valid_until: None,
            evidence: vec![],
            let_through: false,
        },
    )
}

/// The world around the machine, and what has to hold.
struct World {
    env: MachineEnv,
    s: Option<MachineState>,
    at: Timestamp,
    calls: Vec<OutgoingCall>,
    commits: Vec<u64>,
    traces: Vec<TraceId>,
    kept: BTreeMap<TraceId, u64>,
    dispatched: BTreeSet<(u64, bool)>,
    committed: BTreeSet<u64>,
    proactive: Vec<Timestamp>,
    recovering: Option<Timestamp>,
    restarted: bool,
    requests: u64,
    journal: Vec<MachineEvent>,
}

impl World {
    fn new() -> Self {
        let env = env();
        let at = Timestamp::parse("2026-11-03T07:00:00+05:30").unwrap();
        let state = MachineState::new(&env, at);
        let mut world = Self {
            env,
            s: Some(state),
            at,
            calls: vec![],
            commits: vec![],
            traces: vec![],
            kept: BTreeMap::new(),
            dispatched: BTreeSet::new(),
            committed: BTreeSet::new(),
            proactive: vec![],
            recovering: None,
            restarted: false,
            requests: 0,
            journal: vec![],
        };
        world.start();
        world
    }

    fn state(&self) -> &MachineState {
        self.s.as_ref().unwrap()
    }

    fn start(&mut self) {
        let started = EventKind::Started {
            wall: self.at,
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            settings_hash: String::new(),
            kept_ticks: 0,
            rules_number: orchestrator_machine::RULES_NUMBER,
        };
        self.restarted = true;
        self.step(started);
        self.restarted = false;
    }

    fn step(&mut self, what: EventKind) {
        let before = self.s.take().unwrap();
        let shown = matches!(what, EventKind::Shown { .. });
        let window_before = before.window_until;
        let safety = current_class(&before) == Some(Class::Safety);
        if let EventKind::Committed { tick, ok: true } = &what {
            self.committed.insert(*tick);
        }
        let event = MachineEvent { at: self.at, what };
        self.journal.push(event.clone());
        let (state, effects) = step(&self.env, before, event);
        if shown && state.window_until != window_before {
            // Something proactive was really shown just now.
            if !safety && let Some(last) = self.proactive.last() {
                assert!(
                    self.at.since(*last) >= 30 * 60_000,
                    "two proactive surfaces within the window"
                );
            }
            if let Some(until) = self.recovering.filter(|until| *until > self.at) {
                // A prompt that was open when RECOVERING began may still be seen; nothing newly chosen is.
                let _ = until;
            }
            self.proactive.push(self.at);
        }
        self.check(&state, &effects);
        self.s = Some(state);
        for effect in effects {
            self.take(effect);
        }
    }

    fn check(&mut self, state: &MachineState, effects: &[Effect]) {
        let view = state.ledger.view();
        assert!(view.free <= view.ceiling && view.ceiling <= 5, "{view:?}");
        assert!(view.settled <= 5 + view.refunded, "{view:?}");
        // Every state but Idle is left by itself within 60 s of its entry.
        if matches!(state.phase, MachinePhase::Idle) {
            assert!(next_due(state).is_some(), "the schedule never ends");
        } else {
            let due = next_due(state).unwrap();
            assert!(
                due.since(state.at) <= 60_000,
                "{:?} lasts too long",
                state.phase.name()
            );
            assert!(
                due > state.at || self.restarted,
                "a deadline was left behind in {:?}",
                state.phase.name()
            );
        }
        self.recovering = state.known.recovering_until;
        for effect in effects {
            if let Effect::KeepDecision(decision) = effect {
                assert!(is_admitted(decision), "{decision:?}");
                let Some(chosen) = &decision.chosen else { continue };
                let proactive =
                    chosen.surface != Surface::Silent && decision.trigger.source.as_str() != "owner";
                if proactive {
                    assert!(
                        self.recovering.is_none_or(|until| until <= state.at),
                        "spoke while RECOVERING"
                    );
                }
                assert!(
                    chosen.class == Class::Safety
                        || chosen.surface == Surface::Silent
                        || decision.put_off > 0
                        || decision.ledger_before.free > 0,
                    "spoke without a token"
                );
            }
        }
    }

    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Call(outgoing) => {
                gate::admit(&outgoing.call.to_bytes(), gate::GateClock::At(outgoing.call.ts)).unwrap();
                if let ReplyTo::Action { tick, slot } = outgoing.reply {
                    assert!(
                        self.committed.contains(&tick),
                        "dispatched before its decision was on disk"
                    );
                    let primary = slot == orchestrator_machine::event::CallSlot::Primary;
                    assert!(self.dispatched.insert((tick, primary)), "dispatched twice");
                    let asks = outgoing.tool.columns().confirm == Confirm::Always;
                    assert_eq!(asks, outgoing.authority == Authority::Confirmed);
                }
                if let ReplyTo::Call { call } = outgoing.reply {
                    let reply = ActionReply::Done {
                        result: json!({"labels": 1}),
                        effects: vec![],
                    };
                    return self.step(EventKind::CallExecuted { call, reply });
                }
                self.calls.push(*outgoing);
            }
            // What an act teaches is told at once.
            Effect::CommitCall { call } => self.step(EventKind::CallCommitted { call, ok: true }),
            Effect::KeepTrace(trace) if trace.decision.call.is_some() => {
                gate::check_trace(&trace).unwrap();
                let trace_id = trace.trace_id.clone();
                self.step(EventKind::TraceKept { trace_id, ok: true });
            }
            Effect::Commit { tick } => {
                // Asked again for a redemption: that one has to be on disk as well.
                self.committed.remove(&tick);
                self.commits.push(tick);
            }
            Effect::KeepTrace(trace) => {
                gate::check_trace(&trace).unwrap();
                assert!(trace.rationale.chars().count() <= 500 && !trace.rationale.is_empty());
                let tick = trace.decision.tick;
                let old = self.kept.insert(trace.trace_id.clone(), tick);
                assert!(old.is_none() || self.restarted, "a second trace for one tick");
                self.traces.push(trace.trace_id.clone());
            }
            Effect::Ledger(row) => {
                assert!(row.tokens <= 5 && (row.tokens > 0 || row.entry == LedgerEntry::Ceiling));
            }
            Effect::Rest => {
                let ticks = self.state().ticks;
                assert_eq!(
                    self.kept.len() as u64,
                    ticks,
                    "at rest each tick has exactly one trace"
                );
            }
            Effect::Quarantine { .. } => panic!("every candidate here passes its schema"),
            Effect::KeepDecision(_)
            | Effect::KeepRaw(_)
            | Effect::Outbox { .. }
            | Effect::Show(_)
            | Effect::Close { .. }
            | Effect::Reply { .. }
            | Effect::CallAnswer { .. }
            | Effect::AskModel { .. }
            | Effect::Announce { .. }
            | Effect::AskTie { .. }
            | Effect::Adopt { .. }
            | Effect::Ignored { .. } => {}
        }
    }

    fn answer(&mut self, wanted: impl Fn(&ReplyTo) -> bool, with: impl Fn(ReplyTo, Timestamp) -> EventKind) {
        if let Some(position) = self.calls.iter().position(|call| wanted(&call.reply)) {
            let call = self.calls.remove(position);
            self.step(with(call.reply, self.at));
        }
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Wait(ms) => {
                self.at = self.at.plus_ms(i64::from(ms));
                self.step(EventKind::Time);
            }
            Op::Unlock => self.step(EventKind::PhoneUnlocked),
            Op::OwnerTick => self.step(EventKind::OwnerTick),
            Op::Facts(which, facts) => {
                self.step(EventKind::SourcesChanged {
                    agent: AgentName::FOUR[usize::from(which) % 4],
                });
                let at = self.at;
                self.answer(
                    |reply| matches!(reply, ReplyTo::Ingest { .. }),
                    |reply, _| ingest(reply, facts.iter().map(|n| fact(*n, at)).collect()),
                );
            }
            Op::AnswerIngest => {
                self.answer(
                    |reply| matches!(reply, ReplyTo::Ingest { .. }),
                    |reply, _| ingest(reply, vec![]),
                );
            }
            Op::AnswerTick(kinds, ok) => self.answer(
                |reply| matches!(reply, ReplyTo::Tick { .. }),
                |reply, at| tick_answer(reply, &kinds, ok, at),
            ),
            Op::Commit(ok) => {
                if let Some(tick) = self.commits.pop() {
                    self.step(EventKind::Committed { tick, ok });
                }
            }
            Op::Execute(how) => self.answer(
                |reply| matches!(reply, ReplyTo::Action { .. }),
                |reply, _| {
                    let ReplyTo::Action { tick, slot } = reply else {
                        unreachable!()
                    };
                    let reply = match how {
                        0 => ActionReply::Failed(None),
                        1 => ActionReply::Rejected,
                        _ => ActionReply::Done {
                            result: json!({}),
                            effects: vec![],
                        },
                    };
                    EventKind::Executed { tick, slot, reply }
                },
            ),
            Op::TraceKept(ok) => {
                if let Some(trace_id) = self.traces.pop() {
                    self.step(EventKind::TraceKept { trace_id, ok });
                }
            }
            Op::Sentence(pick) => {
                let tick = self.state().ticks;
                let pick = pick.ok_or(orchestrator_machine::event::ModelFault::Failed);
                self.step(EventKind::Rationale { tick, pick });
            }
            Op::Written(chars) => {
                let tick = self.state().ticks;
                let sentence = "x".repeat(chars);
                self.step(EventKind::Wrote { tick, sentence });
            }
            Op::Tie(pick) => {
                let tick = self.state().ticks;
                let pick = pick.ok_or(orchestrator_machine::event::ModelFault::Late);
                self.step(EventKind::TieBroken { tick, pick });
            }
            Op::Connect(watch, here) => {
                let surface = if watch { Surface::Watch } else { Surface::PhoneCard };
                self.step(if here {
                    EventKind::Connected { surface }
                } else {
                    EventKind::Disconnected { surface }
                });
            }
            Op::See(watch) => {
                if let Some(card) = cards::current_card(self.state()) {
                    let surface = if watch { Surface::Watch } else { Surface::PhoneCard };
                    self.step(EventKind::Shown {
                        card_id: card.card_id,
                        surface,
                    });
                }
            }
            Op::Submit(act, watch, good) => {
                let Some(card) = cards::current_card(self.state()) else {
                    return;
                };
                let surface = if watch { Surface::Watch } else { Surface::PhoneCard };
                let prompt = card.prompts.iter().find(|prompt| prompt.surface == surface);
                let capability = prompt.map(|prompt| prompt.capability.clone()).filter(|_| good);
                self.requests += 1;
                self.step(EventKind::Submitted {
                    request: self.requests,
                    card_id: card.card_id,
                    surface,
                    act,
                    capability,
                });
            }
            Op::Dnd(active) => self.step(EventKind::Dnd { active, until: None }),
            Op::Pause(on) => {
                let until = on.then(|| self.at.plus_min(120));
                self.step(EventKind::Paused { until });
            }
            Op::Ceiling(ceiling) => self.step(EventKind::CeilingSet { ceiling }),
            Op::SetClock(jump_ms) => {
                let wall = self.state().wall(self.at).plus_ms(jump_ms);
                self.step(EventKind::ClockSet { wall });
            }
            Op::Restart => {
                // What was in flight is gone.
                self.calls.clear();
                self.commits.clear();
                self.traces.clear();
                self.start();
            }
            Op::Nonsense(n) => {
                let seed = OwnerSeed::from_day_seed("nonsense");
                self.step(match n % 6 {
                    0 => EventKind::Committed {
                        tick: 10_000,
                        ok: true,
                    },
                    1 => EventKind::TraceKept {
                        trace_id: seed.trace_id(9),
                        ok: true,
                    },
                    2 => EventKind::Shown {
                        card_id: seed.card_id(9),
                        surface: Surface::Watch,
                    },
                    3 => EventKind::SourcesChanged {
                        agent: AgentName::Orchestrator,
                    },
                    4 => EventKind::TickAnswered {
                        agent: AgentName::Orchestrator,
                        tick: self.state().ticks,
                        attempt: 0,
                        answer: TickAnswer::Failed,
                    },
                    _ => EventKind::Submitted {
                        request: 1,
                        card_id: CardId::parse("c_000000000000").unwrap(),
                        surface: Surface::PhoneCard,
                        act: SubmitAct::Confirm,
                        capability: None,
                    },
                });
            }
        }
    }
}

fn current_class(state: &MachineState) -> Option<Class> {
    cards::current_card(state).and_then(|card| Some(card.decision.chosen.as_ref()?.class))
}

fn ingest(reply: ReplyTo, facts: Vec<IngestFact>) -> EventKind {
    let ReplyTo::Ingest { agent, number } = reply else {
        unreachable!()
    };
    EventKind::Ingested {
        agent,
        number,
        answer: Some(IngestedFacts {
            cursor: number,
            facts,
            more: number.is_multiple_of(5),
        }),
    }
}

fn fact(n: u8, at: Timestamp) -> IngestFact {
    let state = |state| IngestFact::Load {
        score: n % 101,
        state,
        entered_at: at,
        at,
    };
    match n % 4 {
        0 => state(WellnessState::Stressed),
        1 => state(WellnessState::Recovering),
        2 => state(WellnessState::Baseline),
        _ => IngestFact::Burst {
            channel: serde_json::from_value(json!(hash("ch", 1))).unwrap(),
            count: 30,
            at,
        },
    }
}

fn tick_answer(reply: ReplyTo, kinds: &[u8], ok: bool, at: Timestamp) -> EventKind {
    let ReplyTo::Tick { agent, tick, attempt } = reply else {
        unreachable!()
    };
    let own = kinds
        .iter()
        .map(|kind| candidate(*kind, at))
        .filter(|(whose, _)| *whose == agent);
    let result = TickResult {
        candidates: own.map(|(_, candidate)| candidate).collect(),
        readings: vec![SignalReading::new(ReadingKey::LoadScore, 40.0)],
        status: TickStatus::Ok,
    };
    let answer = if ok {
        TickAnswer::Answered(result)
    } else {
        TickAnswer::Failed
    };
    EventKind::TickAnswered {
        agent,
        tick,
        attempt,
        answer,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_promise_holds_on_any_day(ops in ops()) {
        let mut world = World::new();
        for op in ops {
            world.apply(op);
        }
        // And when nothing answers any more, the machine comes to rest by itself.
        for _ in 0..8 {
            world.apply(Op::Wait(61_000));
        }
    }

    #[test]
    fn the_journal_alone_rebuilds_the_state_to_the_same_bytes(ops in ops()) {
        let mut world = World::new();
        let first = MachineState::new(&world.env, world.at);
        for op in ops {
            world.apply(op);
        }
        // A snapshot is the state, and nothing less.
        let text = serde_json::to_string(world.state()).unwrap();
        prop_assert_eq!(&serde_json::from_str::<MachineState>(&text).unwrap(), world.state());
        let journal = &world.journal;
        let text: Vec<String> = journal.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let again = text.iter().fold(first, |state, line| step(&world.env, state, serde_json::from_str(line).unwrap()).0);
        prop_assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(world.state()).unwrap());
    }
}
