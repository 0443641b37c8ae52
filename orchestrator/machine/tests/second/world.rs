//! Leads the machine and the second model through one day.
//!
//! What: [`live`]: each thing that happens is told to both, the agents and tools answer at once, and what both say is
//! compared. Why: one place decides what is the same. Not here: what happens (`day`), what should come of it (`model`).

mod asks;

use crate::second::{
    day::{Day, Idea, Live, Mood, Op},
    model::{Asked, Decided, Fate, Model, Proposal, Settings, Weighed},
    ratio::Ratio,
    things::{candidate, env_of, load, proposal, quiet, rule, start, subject, ts, wishes, zone},
};
use chrono::NaiveDate;
use orchestrator_machine::{
    Effect, EventKind, MachineEnv, MachineEvent, MachineState, advance,
    effect::{OutgoingCall, ReplyTo},
    event::{ActionReply, CallSlot, IngestedFacts, TickAnswer},
    ledger::LedgerPosting,
    next_due,
    state::MachinePhase,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use toolcall_schema::{
    ActionKind, AgentName, Outcome, Surface, Timestamp, ToolName,
    catalogue::learning::LearnFromAct,
    ledger::LedgerEntry,
    names::SubmitAct,
    result::ToolEffect,
    rule::RuleName,
    tick::{IngestFact, TickArgs, TickResult, TickStatus, Trigger, TriggerSource},
    trace::{Asker, Decision, Prompt, Trace},
};

const MINUTE: i64 = 60_000;

/// A tick that listens: why it started, and who has answered.
struct Listening {
    tick: u64,
    trigger: Trigger,
    answered: usize,
}

struct World {
    env: MachineEnv,
    next_env: Option<(MachineEnv, Settings)>,
    state: MachineState,
    at: i64,
    model: Model,
    ideas: Vec<Idea>,
    fate: Fate,
    fates: BTreeMap<u64, Fate>,
    mood: Mood,
    facts: Vec<IngestFact>,
    effects: VecDeque<Effect>,
    listening: Option<Listening>,
    decided: Option<(u64, Decided)>,
    /// What was told to Comms of each card.
    lessons: BTreeSet<(u64, &'static str)>,
    /// The cards that the surfaces have.
    handed: BTreeSet<u64>,
    /// Every card so far, with its prompts.
    cards: BTreeMap<u64, Vec<Prompt>>,
    rows: Vec<LedgerPosting>,
    reloads: u64,
    requests: u64,
    /// The number of its rules.
    build: u32,
}

/// Lives a day.
pub(crate) fn live(day: &Day) {
    let settings = Settings {
        zone: zone(day.zone),
        ceiling: day.ceiling,
        dnd: vec![],
        wishes: vec![],
    };
    let env = env_of(&settings);
    let at = start(day.start);
    let mut world = World {
        state: MachineState::new(&env, ts(at)),
        model: Model::new(at, settings.clone()),
        env,
        next_env: None,
        at,
        ideas: vec![],
        fate: Fate::Well,
        fates: BTreeMap::new(),
        mood: Mood::Looks,
        facts: vec![],
        effects: VecDeque::new(),
        listening: None,
        decided: None,
        lessons: BTreeSet::new(),
        handed: BTreeSet::new(),
        cards: BTreeMap::new(),
        rows: vec![],
        reloads: 0,
        requests: 0,
        build: 1,
    };
    let first = world.model.view().day;
    world.start();
    for op in &day.ops {
        world.happen(op);
    }
    world.wait(5 * 60 * MINUTE);
    world.audit(first, day.ceiling);
}

impl World {
    // ---- what happens ----

    fn happen(&mut self, op: &Op) {
        let wall = self.model.wall();
        match op {
            Op::Wait(ms) => self.wait(*ms),
            Op::Propose(ideas) => self.ideas.clone_from(ideas),
            Op::Tick(true) => self.tell(EventKind::OwnerTick, |_| {}),
            Op::Tick(false) => self.tell(EventKind::PhoneUnlocked, |_| {}),
            Op::Fate(fate) => self.fate = *fate,
            Op::Mood(mood) => self.mood = *mood,
            Op::Show(card, on) => {
                if let Some(tick) = self.card(*card) {
                    self.model.pass(self.at);
                    self.show(tick, *on);
                    self.react();
                }
            }
            Op::Answer(card, on, act) => {
                if let Some(tick) = self.card(*card) {
                    self.model.pass(self.at);
                    self.submit(tick, *on, *act);
                    self.react();
                }
            }
            Op::Connect(surface, there) => {
                let (surface, there) = (*surface, *there);
                let what = if there {
                    EventKind::Connected { surface }
                } else {
                    EventKind::Disconnected { surface }
                };
                self.tell(what, |model| model.connect(surface, there));
            }
            Op::State(state) => {
                let state = *state;
                self.fact(AgentName::Wellness, load(state, wall), |model| model.state(state));
            }
            Op::Focus(minutes) => {
                let fact = IngestFact::EventChanged {
                    event: serde_json::from_value(json!("ev_0000000000000009")).unwrap(),
                    start: ts(wall),
                    end: ts(wall + minutes * MINUTE),
                    focus: true,
                };
                self.fact(AgentName::Calendar, fact, |model| model.focus(*minutes));
            }
            Op::Dnd(live) => {
                let (active, until) = match *live {
                    Live::Off => (false, None),
                    Live::On => (true, None),
                    Live::For(minutes) => (true, Some(wall + minutes * MINUTE)),
                };
                let what = EventKind::Dnd {
                    active,
                    until: until.map(ts),
                };
                self.tell(what, |model| model.dnd(active.then(|| until.unwrap_or(i64::MAX))));
            }
            Op::Pause(None) => self.ask(ToolName::EndPause, json!({}), |model| model.pause(None)),
            Op::Pause(Some(minutes)) => {
                let until = Some(ts(wall + minutes * MINUTE));
                self.tell(EventKind::Paused { until }, |model| model.pause(Some(*minutes)));
            }
            Op::Rule(wish) => {
                let rule = rule(wish, wall);
                self.tell(EventKind::RuleSet { rule: rule.clone() }, |model| {
                    model.rule(rule);
                });
            }
            Op::NoRule(name) => {
                let name = RuleName::parse(&format!("rule-{name}")).unwrap();
                let args = json!({ "name": name });
                self.ask(ToolName::RemoveRule, args, |model| model.no_rule(name.as_str()));
            }
            Op::Unmute(other) => {
                let channel = subject(ActionKind::MuteGroup30, *other);
                let args = json!({ "channel_hash": channel });
                self.ask(ToolName::UnmuteChannel, args, |model| model.unmute(channel));
            }
            Op::UndoLater(card) => {
                if let Some(tick) = self.card(*card) {
                    let trace = self.env.seed.trace_id(tick);
                    let waits = self.state.later.iter().any(|card| card.is_waiting_of(&trace));
                    let args = json!({ "trace_id": trace });
                    self.ask(ToolName::UndoLater, args, |model| model.undo_later(tick, waits));
                }
            }
            Op::Ask(kind, other, minutes) => self.propose(*kind, *other, *minutes),
            Op::TakeBack(n) => self.take_back(*n),
            Op::Settings(zone_n, ceiling, quiet_n, wishes_n) => self.reload(Settings {
                zone: zone(*zone_n),
                ceiling: *ceiling,
                dnd: quiet(*quiet_n),
                wishes: wishes(*wishes_n),
            }),
            Op::Clock(jump) => {
                // There is no time before 1970.
                let jump = (*jump).max(24 * 60 * MINUTE - wall);
                let what = EventKind::ClockSet {
                    wall: ts(wall + jump),
                };
                self.tell(what, |model| model.clock(jump));
            }
            Op::Restart(ms, updated) => self.restart(*ms, *updated),
        }
    }

    /// The owner asks for a call, which does its work at once.
    fn ask(&mut self, tool: ToolName, args: Value, change: impl FnOnce(&mut Model)) {
        self.requests += 1;
        let key = self.env.seed.key("request");
        let what = EventKind::CallRequested {
            request: self.requests,
            id: key.request("owner_page", &self.requests.to_string()),
            asker: Asker::OwnerPage,
            origin: None,
            tool,
            args,
            wait_min: None,
        };
        self.tell(what, change);
    }

    fn card(&self, back: usize) -> Option<u64> {
        self.cards.keys().rev().nth(back).copied()
    }

    fn show(&mut self, tick: u64, surface: Surface) {
        let card_id = self.env.seed.card_id(tick);
        let what = EventKind::Shown { card_id, surface };
        self.both(what, |model| model.shown(tick, surface));
    }

    fn submit(&mut self, tick: u64, surface: Surface, act: SubmitAct) {
        self.requests += 1;
        let prompts = self.cards.get(&tick).into_iter().flatten();
        let mut capability = prompts
            .filter(|prompt| prompt.surface == surface)
            .map(|prompt| prompt.capability.clone());
        let what = EventKind::Submitted {
            request: self.requests,
            card_id: self.env.seed.card_id(tick),
            surface,
            act,
            capability: capability.next(),
        };
        self.both(what, |model| model.answered(tick, surface, act));
    }

    /// An agent has read something.
    fn fact(&mut self, agent: AgentName, fact: IngestFact, then: impl FnOnce(&mut Model)) {
        self.facts.push(fact);
        self.tell(EventKind::SourcesChanged { agent }, then);
    }

    fn reload(&mut self, settings: Settings) {
        self.reloads += 1;
        self.next_env = Some((env_of(&settings), settings));
        let what = EventKind::Reloaded {
            policy_hash: self.env.policy.hash().to_owned(),
            settings_hash: self.reloads.to_string(),
        };
        self.tell(what, |_| {});
    }

    /// Time goes on; whatever is due happens when it is.
    fn wait(&mut self, ms: i64) {
        let until = self.at + ms;
        while let Some(due) = next_due(&self.state)
            .map(Timestamp::ms)
            .filter(|due| *due <= until)
        {
            self.at = self.at.max(due);
            self.tell(EventKind::Time, |_| {});
        }
        self.at = until;
        self.tell(EventKind::Time, |_| {});
    }

    fn start(&mut self) {
        let started = self.started();
        self.tell(started, |_| {});
    }

    fn started(&self) -> EventKind {
        EventKind::Started {
            wall: ts(self.at + self.state.wall_offset_ms),
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            settings_hash: self.reloads.to_string(),
            kept_ticks: 0,
            rules_number: self.build,
        }
    }

    fn restart(&mut self, ms: i64, updated: bool) {
        if self.model.waits_for_the_disk() {
            self.wait(1500);
        }
        // Whatever settings waited are read at the start.
        let settings = self.next_env.take().map(|(env, settings)| {
            self.env = env;
            settings
        });
        self.at += ms;
        self.build += u32::from(updated);
        let (started, at) = (self.started(), self.at);
        self.both(started, |model| model.restart(at, settings, updated));
    }

    // ---- telling both ----

    fn tell(&mut self, what: EventKind, then: impl FnOnce(&mut Model)) {
        self.model.pass(self.at);
        self.both(what, then);
        self.react();
    }

    fn both(&mut self, what: EventKind, then: impl FnOnce(&mut Model)) {
        then(&mut self.model);
        self.model.settle_down();
        self.step(what);
        while let Some(effect) = self.effects.pop_front() {
            self.take(effect);
        }
        self.compare();
    }

    fn step(&mut self, what: EventKind) {
        let at = ts(self.at);
        let effects = advance(&self.env, &mut self.state, MachineEvent { at, what });
        self.effects.extend(effects);
    }

    /// The owner looks at what is new, if in the mood.
    fn react(&mut self) {
        if self.mood == Mood::Away {
            return;
        }
        for (tick, surface) in self.model.unseen() {
            self.show(tick, surface);
            let Mood::Does(act) = self.mood else { continue };
            self.submit(tick, surface, act);
        }
    }

    // ---- the world's part ----

    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Call(outgoing) => self.call(&outgoing),
            Effect::KeepDecision(decision) => self.compare_decision(&decision),
            Effect::Commit { tick } => {
                if self.fates.get(&tick) != Some(&Fate::NotKept) {
                    self.step(EventKind::Committed { tick, ok: true });
                }
            }
            Effect::CommitCall { call } => self.step(EventKind::CallCommitted { call, ok: true }),
            Effect::KeepTrace(trace) => {
                if trace.decision.call.is_some() {
                    self.compare_call(&trace);
                } else {
                    self.compare_trace(&trace);
                }
                let trace_id = trace.trace_id.clone();
                self.step(EventKind::TraceKept { trace_id, ok: true });
            }
            Effect::Show(card) => {
                let tick = card.decision.tick;
                if card.prompts.is_empty() {
                    self.handed.insert(tick);
                }
                self.cards.entry(tick).or_insert(card.prompts);
            }
            Effect::Close { card_id, .. } => {
                let seed = &self.env.seed;
                self.handed.retain(|tick| seed.card_id(*tick) != card_id);
            }
            Effect::Ledger(row) => self.rows.push(row),
            Effect::Adopt { .. } => {
                let (env, settings) = self.next_env.take().unwrap();
                self.env = env;
                self.model.adopt(settings);
                self.model.settle_down();
                self.step(EventKind::Adopted);
            }
            Effect::Quarantine { .. }
            | Effect::KeepRaw(_)
            | Effect::Outbox { .. }
            | Effect::Reply { .. }
            | Effect::CallAnswer { .. }
            | Effect::AskModel { .. }
            | Effect::Announce { .. }
            | Effect::AskTie { .. }
            | Effect::Ignored { .. }
            | Effect::Rest => {}
        }
    }

    fn call(&mut self, call: &OutgoingCall) {
        match call.reply {
            ReplyTo::Ingest { agent, number } => {
                let mine = |fact: &IngestFact| {
                    let wellness = matches!(fact, IngestFact::Load { .. });
                    wellness == (agent == AgentName::Wellness)
                        && matches!(agent, AgentName::Wellness | AgentName::Calendar)
                };
                let (facts, others) = self.facts.drain(..).partition(mine);
                self.facts = others;
                let answer = Some(IngestedFacts {
                    cursor: 0,
                    facts,
                    more: false,
                });
                self.step(EventKind::Ingested {
                    agent,
                    number,
                    answer,
                });
            }
            ReplyTo::Tick { agent, tick, attempt } => {
                let args: TickArgs = serde::Deserialize::deserialize(&*call.call.args).unwrap();
                let answered = self.listening.take().filter(|listening| listening.tick == tick);
                let answered = answered.map_or(0, |listening| listening.answered) + 1;
                self.listening = Some(Listening {
                    tick,
                    trigger: args.trigger,
                    answered,
                });
                if answered == AgentName::FOUR.len() {
                    self.decide();
                }
                let wall = self.model.wall();
                let own = self.ideas.iter().filter(|idea| idea.agent == agent);
                let result = TickResult {
                    candidates: own.map(|idea| candidate(idea, wall)).collect(),
                    readings: vec![],
                    status: TickStatus::Ok,
                };
                self.step(EventKind::TickAnswered {
                    agent,
                    tick,
                    attempt,
                    answer: TickAnswer::Answered(result),
                });
            }
            ReplyTo::Action { tick, slot } => {
                let fate = self.fates.get(&tick).copied().unwrap_or(Fate::Well);
                let reply = match (slot, fate) {
                    (CallSlot::Primary, Fate::ToolFails) | (CallSlot::Companion, Fate::CompanionFails) => {
                        ActionReply::Failed(None)
                    }
                    (CallSlot::Primary, Fate::ResultRejected) => ActionReply::Rejected,
                    (CallSlot::Primary | CallSlot::Companion, _) => ActionReply::Done {
                        result: json!({}),
                        effects: self.effects_of(call),
                    },
                };
                self.step(EventKind::Executed { tick, slot, reply });
            }
            ReplyTo::Call { call: number } => {
                let args: &Value = &call.call.args;
                let effects = if call.tool == ToolName::LearnFromAct {
                    self.lesson(args.clone());
                    vec![]
                } else if call.tool == ToolName::EndPause {
                    vec![ToolEffect::PauseEnded]
                } else if call.tool == ToolName::RemoveRule {
                    let name = serde_json::from_value(args["name"].clone()).unwrap();
                    vec![ToolEffect::OwnerRuleRemoved { name }]
                } else if call.tool == ToolName::UndoLater {
                    let trace_id = serde_json::from_value(args["trace_id"].clone()).unwrap();
                    vec![ToolEffect::LaterUndone { trace_id }]
                } else {
                    let channel = serde_json::from_value(args["channel_hash"].clone()).unwrap();
                    vec![ToolEffect::RuleCleared { channel }]
                };
                self.step(EventKind::CallExecuted {
                    call: number,
                    reply: ActionReply::Done {
                        result: args.clone(),
                        effects,
                    },
                });
            }
        }
    }

    /// An act of the owner's is told to Comms: of a card of Comms that was answered, and once.
    fn lesson(&mut self, args: Value) {
        let lesson: LearnFromAct = serde_json::from_value(args).unwrap();
        let of = |tick: &&u64| self.env.seed.trace_id(**tick) == lesson.trace_id;
        let tick = self.cards.keys().find(of).copied().unwrap();
        assert_eq!(lesson.kind.tool().agent(), AgentName::Comms);
        assert!(
            self.lessons.insert((tick, lesson.act.as_str())),
            "{lesson:?} twice"
        );
    }

    fn effects_of(&self, call: &OutgoingCall) -> Vec<ToolEffect> {
        let channel = call
            .call
            .args
            .get("ttl_seconds")
            .and(call.call.args.get("channel_hash"));
        let channel = channel.map(|channel| serde_json::from_value(channel.clone()).unwrap());
        let until = ts(self.model.wall() + 30 * MINUTE);
        Vec::from_iter(channel.map(|channel| ToolEffect::RuleSet { channel, until }))
    }

    /// The last agent is about to answer.
    fn decide(&mut self) {
        let Some(listening) = self.listening.take() else {
            return;
        };
        let wall = self.model.wall();
        let proposals: Vec<Proposal> = self.ideas.iter().map(|idea| proposal(idea, wall)).collect();
        self.model.agree_on_later(&self.state.later);
        let trigger = &listening.trigger;
        let mut asked = self.state.later.iter().filter(|card| card.asked);
        let again = asked
            .find(|card| {
                trigger.source == TriggerSource::Later && trigger.subject.as_ref() == Some(&card.subject)
            })
            .map(|card| card.kind);
        self.fates.insert(listening.tick, self.fate);
        let decided = self
            .model
            .decide(listening.tick, (trigger, again), &proposals, self.fate);
        self.decided = Some((listening.tick, decided));
        self.model.settle_down();
    }

    // ---- comparing ----

    fn compare_decision(&mut self, decision: &Decision) {
        let (tick, decided) = self.decided.take().unwrap();
        assert_eq!(decision.tick, tick);
        let mut real: Vec<_> = decision
            .candidates
            .iter()
            .map(|c| {
                let score = c.score.as_ref().map(|parts| parts.score.0);
                let what = (c.kind.as_str(), c.subject.to_string());
                (
                    what,
                    c.agent,
                    c.class,
                    c.confidence.0,
                    c.removed,
                    c.rule.clone(),
                    score,
                    (c.asker.is_some(), c.let_through),
                )
            })
            .collect();
        let said = |one: Weighed| {
            let score = one.score.map(Ratio::thousandths);
            let what = (one.kind.as_str(), one.subject.to_string());
            (
                what,
                one.agent,
                one.class,
                one.confidence,
                one.removed,
                one.rule,
                score,
                (one.asked, one.let_through),
            )
        };
        let mut naive: Vec<_> = decided.candidates.into_iter().map(said).collect();
        real.sort();
        naive.sort();
        assert_eq!(
            real, naive,
            "the candidates of tick {tick} by {:?}",
            decision.trigger
        );
        let chosen = decision.chosen.as_ref();
        let real = chosen.map(|c| (c.kind, c.subject.clone(), c.surface, c.companion));
        assert_eq!(real, decided.chosen, "what tick {tick} chose");
        assert_eq!(decision.reason_code, decided.reason, "why tick {tick} was silent");
        assert_eq!(
            decision.put_off, decided.put_off,
            "how often tick {tick} was put off"
        );
        assert_eq!(
            decision.ledger_before, decided.before,
            "the account before tick {tick}"
        );
    }

    /// What the owner asks for is done whatever the caps say, and costs nothing.
    fn compare_call(&self, trace: &Trace) {
        let lesson = trace.chosen_name() == ToolName::LearnFromAct.as_str();
        let outcome = if lesson {
            Outcome::ExecutedAuto
        } else {
            Outcome::Confirmed
        };
        assert_eq!((trace.outcome, trace.reason_code), (outcome, None));
        let view = self.model.view();
        assert_eq!(
            (&trace.decision.ledger_before, &trace.ledger_after),
            (&view, &view)
        );
    }

    fn compare_trace(&mut self, trace: &Trace) {
        let tick = trace.decision.tick;
        let place = self.model.ended.iter().position(|ended| ended.tick == tick);
        let ended = self.model.ended.remove(place.unwrap_or_else(|| {
            unreachable!(
                "tick {tick} is over as {:?}, {:?}",
                trace.outcome, trace.reason_code
            )
        }));
        let real = (trace.outcome, trace.reason_code, trace.ledger_after.clone());
        assert_eq!(
            real,
            (ended.outcome, ended.reason, ended.after),
            "how tick {tick} ended"
        );
    }

    fn compare(&mut self) {
        self.model.agree_on_later(&self.state.later);
        assert_eq!(self.model.ended, [], "a tick should have ended");
        assert_eq!(self.state.ledger.view(), self.model.view(), "the account");
        let handed: Vec<u64> = self.handed.iter().copied().collect();
        assert_eq!(handed, self.model.handed(), "the cards that are out");
        let prompted = if let MachinePhase::AwaitingConfirm { tick, .. } = &self.state.phase {
            Some(tick.number)
        } else {
            None
        };
        assert_eq!(prompted, self.model.prompted(), "the open prompt");
        let wait = &self.state.asks.open;
        let wait: Vec<Asked> = wait
            .iter()
            .map(|ask| Asked {
                kind: ask.kind,
                subject: ask.subject.clone(),
                until: ask.until.ms(),
            })
            .collect();
        assert_eq!(wait, self.model.asks, "what programs asked for and waits");
        let over = self.state.asks.ended.iter();
        let over: Vec<_> = over.map(|ended| (ended.kind, ended.end.state)).collect();
        // So many are remembered.
        let naive = &self.model.asks_over;
        let naive = &naive[naive.len().saturating_sub(64)..];
        assert_eq!(over, naive, "what came of it");
    }

    /// What the rows of the ledger alone show: never more spent on a day than it had and got back.
    fn audit(&self, first: NaiveDate, ceiling: u8) {
        let mut days = BTreeMap::from([(first, (ceiling, 0_u8))]);
        for row in &self.rows {
            let (had, spent) = days.entry(row.day).or_default();
            match row.entry {
                LedgerEntry::Ceiling => (*had, *spent) = (row.tokens, 0),
                LedgerEntry::Settle => *spent += row.tokens,
                LedgerEntry::Refund => *had += row.tokens,
                LedgerEntry::Reserve | LedgerEntry::Release | LedgerEntry::Forfeit => {}
            }
        }
        for (day, (had, spent)) in days {
            assert!(spent <= had, "{day}: {spent} spent of {had}: {:?}", self.rows);
        }
    }
}
