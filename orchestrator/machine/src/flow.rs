//! The tick: Listening, Deliberating, Executing, LoggingTrace, Cooldown, and going on after a restart.
//!
//! What: entry, exit and timeout of each state (the table is in the crate's docs). Why: one place per transition. Not
//! here: choosing (`deliberate`), prompts and cards (`cards`), what starts a tick (`intake`).

use crate::{
    effect::{Effect, Ignored, Outgoing, ReplyTo},
    event::{ActionReply, ModelFault, Slot, TickAnswer},
    record,
    state::{Decided, Ended, OpenCard, Past, Phase, PlannedCall, Tick},
    step::Turn,
};
use std::collections::BTreeMap;
use toolcall_schema::{
    ActionKind, AgentName, Authority, Outcome, ReasonCode, StateName, Surface, ToolCall, ToolName,
    ids::{Purpose, TraceId},
    result::ToolEffect,
    tick::{ActiveRule, TickArgs},
    trace::{CallRecord, Card, Confirmation},
};

/// Listening: how long agents are waited for.
pub(crate) const LISTENING_MS: u32 = 2000;
/// Deliberating: how long a decision may take, being on disk included.
pub(crate) const DELIBERATING_MS: i64 = 1500;
/// Executing: how long a tool may take.
pub(crate) const EXECUTING_MS: u32 = 5000;
/// LoggingTrace: how long the store may take before the raw file.
pub(crate) const LOGGING_MS: i64 = 1000;
/// LoggingTrace: how long the model's sentence is waited for.
pub(crate) const SENTENCE_MS: i64 = 700;
/// Cooldown: the spacing between two ticks.
pub(crate) const COOLDOWN_MS: i64 = 1000;
/// At most this many rules go into a tick call.
const RULES_MAX: usize = 64;

impl Turn<'_> {
    pub(crate) fn take_phase(&mut self) -> Phase {
        std::mem::replace(&mut self.s.phase, Phase::Idle)
    }

    // ---- Listening ----

    pub(crate) fn listen(&mut self, tick: Tick, attempt: u32) {
        let tick = self.enter(tick, StateName::Listening);
        let user = self.user_state();
        let rules: Vec<ActiveRule> = self
            .s
            .mutes_wall
            .iter()
            .take(RULES_MAX)
            .map(|(channel, until)| ActiveRule::Mute {
                channel: channel.clone(),
                until: *until,
            })
            .collect();
        let args = TickArgs {
            tick: tick.number,
            trigger: tick.trigger.clone(),
            user,
            rules,
        };
        let args = serde_json::to_value(args).unwrap_or_default();
        let ts = self.wall();
        for agent in AgentName::FOUR {
            let Some(tool) = ToolName::tick_of(agent) else {
                continue;
            };
            let call = ToolCall {
                call_id: self.env.seed.call_id(
                    Purpose::TickCall,
                    tick.number,
                    tool.as_str(),
                    u64::from(attempt),
                ),
                agent,
                tool: tool.tool().to_owned(),
                args: args.clone(),
                ts,
                confirm_required: false,
                expected_surface: None,
                deadline_ms: Some(LISTENING_MS),
            };
            self.effect(Effect::Call(Box::new(Outgoing {
                tool,
                call,
                authority: Authority::Auto,
                args_hash: None,
                trace_id: Some(tick.trace_id.clone()),
                reply: ReplyTo::Tick {
                    agent,
                    tick: tick.number,
                    attempt,
                },
            })));
        }
        let deadline = self.s.at.plus_ms(i64::from(LISTENING_MS));
        self.s.phase = Phase::Listening {
            tick,
            attempt,
            deadline,
            answers: BTreeMap::new(),
        };
    }

    pub(crate) fn tick_answered(&mut self, agent: AgentName, number: u64, asked: u32, answer: TickAnswer) {
        let Phase::Listening {
            tick,
            attempt,
            answers,
            ..
        } = &mut self.s.phase
        else {
            return self.ignore(Ignored::StaleAnswer);
        };
        if tick.number != number || *attempt != asked || answers.contains_key(&agent) {
            return self.ignore(Ignored::StaleAnswer);
        }
        if !AgentName::FOUR.contains(&agent) {
            return self.ignore(Ignored::NotAnAgent);
        }
        answers.insert(agent, answer);
        if answers.len() == AgentName::FOUR.len() {
            self.listened();
        }
    }

    fn listened(&mut self) {
        let Phase::Listening { tick, answers, .. } = self.take_phase() else {
            return;
        };
        let tick = self.enter(tick, StateName::Deliberating);
        let decided = self.deliberate(&tick, answers);
        self.effect(Effect::KeepDecision(Box::new(decided.decision.clone())));
        if decided.plan.is_none() {
            return self.finish(tick, decided, Outcome::Silent, None, vec![], None);
        }
        if decided.sentences.len() > 1 {
            self.effect(Effect::AskModel {
                tick: tick.number,
                sentences: decided.sentences.clone(),
            });
        }
        self.effect(Effect::Commit { tick: tick.number });
        let deadline = self.s.at.plus_ms(DELIBERATING_MS);
        self.s.phase = Phase::Deliberating {
            tick,
            deadline,
            decided: Box::new(decided),
        };
    }

    // ---- Deliberating → AwaitingConfirm | Executing; Executing's own barrier ----

    pub(crate) fn committed(&mut self, number: u64, ok: bool) {
        // Not on disk: nothing leaves; the state's own timeout decides.
        let waits = ok
            && match &self.s.phase {
                Phase::Deliberating { tick, .. }
                | Phase::Executing {
                    tick,
                    dispatched: false,
                    ..
                } => tick.number == number,
                Phase::Executing { .. }
                | Phase::Idle
                | Phase::Listening { .. }
                | Phase::AwaitingConfirm { .. }
                | Phase::LoggingTrace { .. }
                | Phase::Cooldown { .. } => false,
            };
        if !waits {
            return self.ignore(Ignored::StaleAnswer);
        }
        match self.take_phase() {
            Phase::Deliberating { tick, decided, .. } => {
                if decided.plan.as_ref().is_some_and(|plan| !plan.prompts.is_empty()) {
                    self.ask(tick, decided);
                } else {
                    let tick = self.enter(tick, StateName::Executing);
                    self.execute(tick, decided, None);
                }
            }
            Phase::Executing {
                tick,
                decided,
                confirm,
                ..
            } => self.execute(tick, decided, confirm),
            Phase::Idle
            | Phase::Listening { .. }
            | Phase::AwaitingConfirm { .. }
            | Phase::LoggingTrace { .. }
            | Phase::Cooldown { .. } => {}
        }
    }

    fn execute(&mut self, tick: Tick, decided: Box<Decided>, confirm: Option<Confirmation>) {
        let Some(plan) = decided.plan.as_ref() else { return };
        let entered = tick.path.last().map_or(self.s.at, |(_, at)| *at);
        let authority = if confirm.is_some() {
            Authority::Confirmed
        } else {
            Authority::Auto
        };
        let primary = self.outgoing(&tick, &plan.primary, Slot::Primary, authority);
        let companion = plan
            .companion
            .as_ref()
            .map(|call| self.outgoing(&tick, call, Slot::Companion, Authority::Auto));
        self.effect(primary);
        self.out.extend(companion);
        self.s.phase = Phase::Executing {
            tick,
            decided,
            deadline: entered.plus_ms(i64::from(EXECUTING_MS)),
            dispatched: true,
            confirm,
            primary: None,
            companion: None,
        };
    }

    fn outgoing(&self, tick: &Tick, call: &PlannedCall, slot: Slot, authority: Authority) -> Effect {
        Effect::Call(Box::new(Outgoing {
            tool: call.tool,
            call: self.action_call(tick.number, call),
            authority,
            args_hash: Some(call.args_hash.clone()),
            trace_id: Some(tick.trace_id.clone()),
            reply: ReplyTo::Action {
                tick: tick.number,
                slot,
            },
        }))
    }

    /// The envelope of the chosen action, stamped now.
    pub(crate) fn action_call(&self, number: u64, call: &PlannedCall) -> ToolCall {
        let columns = call.tool.columns();
        ToolCall {
            call_id: self
                .env
                .seed
                .call_id(Purpose::ActionCall, number, call.tool.as_str(), 0),
            agent: columns.agent,
            tool: call.tool.tool().to_owned(),
            args: call.args.clone(),
            ts: self.wall(),
            confirm_required: columns.confirm == toolcall_schema::Confirm::Always,
            expected_surface: Some(columns.surface),
            deadline_ms: Some(EXECUTING_MS),
        }
    }

    // ---- Executing ----

    pub(crate) fn executed(&mut self, number: u64, slot: Slot, reply: ActionReply) {
        let Phase::Executing {
            tick,
            decided,
            dispatched: true,
            primary,
            companion,
            ..
        } = &mut self.s.phase
        else {
            return self.ignore(Ignored::StaleAnswer);
        };
        let answer = match slot {
            Slot::Primary => &mut *primary,
            Slot::Companion => &mut *companion,
        };
        if tick.number != number || answer.is_some() {
            return self.ignore(Ignored::StaleAnswer);
        }
        *answer = Some(reply);
        let wants_companion = decided.plan.as_ref().is_some_and(|plan| plan.companion.is_some());
        let failed = matches!(primary, Some(ActionReply::Failed(_) | ActionReply::Rejected));
        if failed || (primary.is_some() && (companion.is_some() || !wants_companion)) {
            self.execution_over();
        }
    }

    fn execution_over(&mut self) {
        let Phase::Executing {
            tick,
            decided,
            confirm,
            primary,
            companion,
            ..
        } = self.take_phase()
        else {
            return;
        };
        let Some(plan) = decided.plan.as_ref() else { return };
        let record = |call: &PlannedCall, reply: Option<&ActionReply>| CallRecord {
            call_id: self
                .env
                .seed
                .call_id(Purpose::ActionCall, tick.number, call.tool.as_str(), 0),
            tool: call.tool.as_str().to_owned(),
            args: call.args.clone(),
            result: match reply {
                Some(ActionReply::Done { result, .. }) => Some(result.clone()),
                Some(ActionReply::Failed(_) | ActionReply::Rejected) | None => None,
            },
            error: match reply {
                Some(ActionReply::Failed(error)) => *error,
                Some(ActionReply::Done { .. } | ActionReply::Rejected) | None => None,
            },
        };
        let mut calls = vec![record(&plan.primary, primary.as_ref())];
        calls.extend(
            plan.companion
                .as_ref()
                .map(|call| record(call, companion.as_ref())),
        );
        let (outcome, reason) = match &primary {
            Some(ActionReply::Done { .. }) if confirm.is_some() => (Outcome::Confirmed, None),
            Some(ActionReply::Done { .. }) => (Outcome::ExecutedAuto, None),
            Some(ActionReply::Rejected) => (Outcome::Failed, Some(ReasonCode::ResultRejected)),
            Some(ActionReply::Failed(_)) | None => (Outcome::Failed, Some(ReasonCode::ToolFailed)),
        };
        let done = matches!(outcome, Outcome::Confirmed | Outcome::ExecutedAuto);
        let effects: Vec<ToolEffect> = [primary, companion]
            .into_iter()
            .flatten()
            .filter_map(|reply| match reply {
                ActionReply::Done { effects, .. } if done => Some(effects),
                ActionReply::Done { .. } | ActionReply::Failed(_) | ActionReply::Rejected => None,
            })
            .flatten()
            .collect();
        let outbox = self.apply(&tick.trace_id, effects);
        if done && !plan.surfaces {
            self.remember(plan.primary.kind, plan.primary.subject.clone());
        }
        self.end(
            tick,
            Ended {
                decided: *decided,
                outcome,
                reason,
                calls,
                confirm,
                outbox,
                trace: None,
            },
        );
    }

    /// Takes effects of an admitted result into the state; files for the outbox are returned.
    fn apply(&mut self, trace_id: &TraceId, effects: Vec<ToolEffect>) -> Vec<(String, String)> {
        let mut outbox = Vec::new();
        for effect in effects {
            match effect {
                ToolEffect::RuleSet { channel, until } => {
                    self.s.mutes_wall.insert(channel, until);
                }
                ToolEffect::RuleCleared { channel } => {
                    self.s.mutes_wall.remove(&channel);
                }
                ToolEffect::OutboxFile { name, text } => outbox.push((name, text)),
                ToolEffect::TimerSet { at } => {
                    self.s.courses_wall.insert(trace_id.clone(), at);
                }
                // The card of an auto action is shown when its trace is durable; see `trace_kept`.
                ToolEffect::CardShow => {}
            }
        }
        outbox
    }

    /// Counts something as shown or carried out, for the recent cost.
    pub(crate) fn remember(&mut self, kind: ActionKind, subject: toolcall_schema::tick::Subject) {
        let (day, _) = self.env.local(self.wall());
        let (at, window) = (self.s.at, self.env.policy.window_ms());
        self.s
            .history
            .retain(|past| past.day == day || at.since(past.at) < window);
        self.s.history.push(Past {
            kind,
            subject,
            day,
            at,
        });
    }

    // ---- LoggingTrace ----

    /// Ends a tick that sent no call.
    pub(crate) fn finish(
        &mut self,
        tick: Tick,
        decided: Decided,
        outcome: Outcome,
        reason: Option<ReasonCode>,
        calls: Vec<CallRecord>,
        confirm: Option<Confirmation>,
    ) {
        let reason = reason.or(decided.decision.reason_code);
        self.end(
            tick,
            Ended {
                decided,
                outcome,
                reason,
                calls,
                confirm,
                outbox: vec![],
                trace: None,
            },
        );
    }

    fn end(&mut self, tick: Tick, ended: Ended) {
        let tick = self.enter(tick, StateName::LoggingTrace);
        let trace_id = tick.trace_id.clone();
        let auto_card = ended.outcome == Outcome::ExecutedAuto
            && ended.decided.plan.as_ref().is_some_and(|plan| plan.surfaces);
        if !auto_card {
            // A prompt that was never shown, or a card that will not be.
            let row = self.s.ledger.release(&trace_id);
            self.out.extend(row.map(Effect::Ledger));
        }
        let waits = ended.decided.sentences.len() > 1 && ended.decided.picked.is_none();
        let sentence_until = waits.then(|| self.s.at.plus_ms(SENTENCE_MS));
        let deadline = self.s.at.plus_ms(LOGGING_MS);
        self.s.phase = Phase::LoggingTrace {
            tick,
            deadline,
            sentence_until,
            ended: Box::new(ended),
        };
        if !waits {
            self.keep_trace();
        }
    }

    /// Builds the trace and hands it to the store.
    pub(crate) fn keep_trace(&mut self) {
        let Phase::LoggingTrace {
            tick,
            deadline,
            ended,
            ..
        } = self.take_phase()
        else {
            return;
        };
        let mut ended = ended;
        let trace = record::trace(self.env, self.s, &tick, &ended);
        self.effect(Effect::KeepTrace(Box::new(trace.clone())));
        ended.trace = Some(trace);
        self.s.phase = Phase::LoggingTrace {
            tick,
            deadline,
            sentence_until: None,
            ended,
        };
    }

    pub(crate) fn sentence_picked(&mut self, number: u64, pick: Result<u8, ModelFault>) {
        let open = match &mut self.s.phase {
            Phase::Deliberating { tick, decided, .. }
            | Phase::AwaitingConfirm { tick, decided, .. }
            | Phase::Executing { tick, decided, .. } => {
                (tick.number == number).then_some((&mut **decided, false))
            }
            Phase::LoggingTrace {
                tick,
                ended,
                sentence_until: Some(_),
                ..
            } => (tick.number == number).then_some((&mut ended.decided, true)),
            Phase::Idle | Phase::Listening { .. } | Phase::LoggingTrace { .. } | Phase::Cooldown { .. } => {
                None
            }
        };
        let Some((decided, waiting)) = open.filter(|(decided, _)| decided.picked.is_none()) else {
            return self.ignore(Ignored::StaleAnswer);
        };
        decided.picked = Some(pick);
        if waiting {
            self.keep_trace();
        }
    }

    pub(crate) fn trace_kept(&mut self, trace_id: &TraceId, ok: bool) {
        let ours = matches!(&self.s.phase, Phase::LoggingTrace { ended, .. }
            if ended.trace.as_ref().is_some_and(|trace| trace.trace_id == *trace_id));
        if !ok {
            // The 1000 ms of LoggingTrace decide about the raw file.
            return if ours {
                self.raw();
            } else {
                self.ignore(Ignored::StaleAnswer);
            };
        }
        if ours {
            self.logged();
        }
        self.hand_over(trace_id);
    }

    fn raw(&mut self) {
        let Phase::LoggingTrace { ended, .. } = &self.s.phase else {
            return;
        };
        if let Some(trace) = ended.trace.clone() {
            self.effect(Effect::KeepRaw(Box::new(trace)));
        }
        self.logged();
    }

    /// LoggingTrace → Cooldown.
    fn logged(&mut self) {
        let Phase::LoggingTrace { ended, .. } = self.take_phase() else {
            return;
        };
        let Ended {
            decided,
            outcome,
            outbox,
            trace,
            ..
        } = *ended;
        for (name, text) in outbox {
            self.effect(Effect::Outbox { name, text });
        }
        if let (Some(plan), Some(trace)) = (decided.plan, trace) {
            if !plan.prompts.is_empty() {
                if let Some(chosen) = trace.decision.chosen {
                    self.effect(Effect::Close {
                        card_id: chosen.card_id,
                        outcome: Some(outcome),
                    });
                }
            } else if plan.surfaces && outcome == Outcome::ExecutedAuto {
                self.open_card(OpenCard {
                    handed: false,
                    shown: false,
                    asked_for: record::asked_for(&trace.decision.trigger),
                    card: Card {
                        card_id: self.env.seed.card_id(trace.decision.tick),
                        decision: trace.decision,
                        tool_calls: trace.tool_calls,
                        prompts: vec![],
                        valid_until: plan.valid_until_wall,
                    },
                });
            }
        }
        self.s.phase = Phase::Cooldown {
            until: self.s.at.plus_ms(COOLDOWN_MS),
        };
    }

    // ---- timeouts ----

    /// The deadline of the current state has passed.
    pub(crate) fn phase_over(&mut self) {
        match &self.s.phase {
            Phase::Idle => {}
            Phase::Listening { .. } => self.listened(),
            Phase::Deliberating { .. } => self.deliberation_over(),
            Phase::AwaitingConfirm { .. } => self.prompt_over(),
            Phase::Executing { .. } => self.execution_over(),
            Phase::LoggingTrace {
                sentence_until: Some(_),
                ..
            } => self.keep_trace(),
            Phase::LoggingTrace { .. } => self.raw(),
            Phase::Cooldown { .. } => self.s.phase = Phase::Idle,
        }
    }

    fn deliberation_over(&mut self) {
        let Phase::Deliberating { tick, decided, .. } = self.take_phase() else {
            return;
        };
        let decided = record::nothing(*decided, ReasonCode::DeliberationTimeout);
        self.finish(tick, decided, Outcome::Silent, None, vec![], None);
    }

    /// Whether a surface can be reached now.
    pub(crate) fn connected(&self, surface: Surface) -> bool {
        self.s.surfaces.contains(&surface)
    }
}
