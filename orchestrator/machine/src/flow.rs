//! The tick: Listening, Deliberating, LoggingTrace, Cooldown.
//!
//! What: entry, exit and timeout of these states (the table is in the crate's docs). Why: one place per transition. Not
//! here: choosing (`choose`), what follows once a decision is on disk (`execute`), AwaitingConfirm and cards (`cards`), what starts a
//! tick (`intake`), going on after a restart (`resume`).

use crate::{
    deliberate::TiedCandidates,
    effect::{Effect, IgnoreReason, OutgoingCall, ReplyTo},
    event::{ModelFault, TickAnswer},
    rationale, record,
    state::{CompletedTick, DeliberationResult, MachinePhase, ModelSentence, OpenCard, OutboxChange, Tick},
    step::StepContext,
};
use std::{collections::BTreeMap, sync::Arc};
use toolcall_schema::{
    ActionKind, AgentName, Authority, Outcome, ReasonCode, StateName, Surface, ToolCall, ToolName,
    catalogue::learning::LearnedThing,
    ids::{IdPurpose, TraceId},
    tick::{ActiveRule, PerAgent, Subject, TickArgs},
    trace::{CallRecord, Card, Confirmation},
};

/// Listening: how long agents are waited for.
pub(crate) const LISTENING_MS: u32 = 2000;
/// Deliberating: how long a decision may take, being on disk included.
pub(crate) const DELIBERATING_MS: i64 = 1500;
/// Deliberating: how long the model may take over a tie. The rest of the time is the disk's.
pub(crate) const TIE_MS: i64 = 1200;
/// LoggingTrace: how long the store may take before the raw file.
pub(crate) const LOGGING_MS: i64 = 1000;
/// LoggingTrace: how long the model's sentence is waited for.
pub(crate) const SENTENCE_MS: i64 = 700;
/// Cooldown: the spacing between two ticks.
pub(crate) const COOLDOWN_MS: i64 = 1000;
/// At most this many mutes go into a tick call.
const MUTES_TOLD_MAX: usize = 64;
impl StepContext<'_> {
    pub(crate) fn take_phase(&mut self) -> MachinePhase {
        std::mem::replace(&mut self.state.phase, MachinePhase::Idle)
    }

    // ---- Listening ----

    /// The chats and people whose messages the owner's rules forbid to speak of now: which message is of which chat, and whose, its agent alone knows.
    fn forbidden_senders(&self) -> impl Iterator<Item = ActiveRule> + use<'_> {
        let wall = self.wall();
        let local = self.env.local(wall);
        self.state.rules.iter().filter_map(move |rule| {
            let subject = rule.subject.as_ref()?;
            let about = match LearnedThing::parse(subject.as_str()).ok()? {
                LearnedThing::Channel(channel) => ActiveRule::Forbidden { channel },
                LearnedThing::Person(person) => ActiveRule::ForbiddenPerson { person },
            };
            rule.forbids(ActionKind::DraftReply, subject, wall, local)
                .then_some(about)
        })
    }

    pub(crate) fn listen(&mut self, tick: Tick, attempt: u32) {
        let tick = self.enter_state(tick, StateName::Listening);
        let user = self.user_in_tick(&tick.trigger);
        let mutes = self
            .state
            .mutes_wall
            .iter()
            .map(|(channel, until)| ActiveRule::Mute {
                channel: channel.clone(),
                until: *until,
            });
        let rules: Vec<ActiveRule> = mutes
            .take(MUTES_TOLD_MAX)
            .chain(self.forbidden_senders())
            .collect();
        let args = TickArgs {
            tick: tick.number,
            trigger: tick.trigger.clone(),
            user,
            rules,
        };
        let args = Arc::new(serde_json::to_value(args).unwrap_or_default());
        let ts = self.wall();
        for agent in AgentName::FOUR {
            let Some(tool) = ToolName::tick_of(agent) else {
                continue;
            };
            let call = ToolCall {
                call_id: self.env.seed.call_id(
                    IdPurpose::TickCall,
                    tick.number,
                    tool.as_str(),
                    u64::from(attempt),
                ),
                agent,
                tool: tool.tool().to_owned(),
                args: Arc::clone(&args),
                ts,
                confirm_required: false,
                expected_surface: None,
                deadline_ms: Some(LISTENING_MS),
            };
            self.push_effect(Effect::Call(Box::new(OutgoingCall {
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
        let deadline = self.state.at.plus_ms(i64::from(LISTENING_MS));
        self.state.phase = MachinePhase::Listening {
            tick,
            attempt,
            deadline,
            answers: BTreeMap::new(),
        };
    }

    pub(crate) fn on_tick_answer(&mut self, agent: AgentName, number: u64, asked: u32, answer: TickAnswer) {
        let MachinePhase::Listening {
            tick,
            attempt,
            answers,
            ..
        } = &mut self.state.phase
        else {
            return self.ignore(IgnoreReason::NotAwaited);
        };
        if tick.number != number || *attempt != asked || answers.contains_key(&agent) {
            return self.ignore(IgnoreReason::NotAwaited);
        }
        if !AgentName::FOUR.contains(&agent) {
            return self.ignore(IgnoreReason::NotAnAgent);
        }
        answers.insert(agent, answer);
        if answers.len() == AgentName::FOUR.len() {
            self.on_all_answered();
        }
    }

    fn on_all_answered(&mut self) {
        let MachinePhase::Listening {
            tick,
            attempt,
            answers,
            ..
        } = self.take_phase()
        else {
            return;
        };
        let tick = self.enter_state(tick, StateName::Deliberating);
        let Some(TiedCandidates { offered, actions }) = self.find_tie(&tick, &answers) else {
            return self.decide_tick(tick, answers, None);
        };
        self.push_effect(Effect::AskTie {
            tick: tick.number,
            actions,
        });
        self.state.phase = MachinePhase::Weighing {
            tick,
            attempt,
            until: self.state.at.plus_ms(TIE_MS),
            answers,
            offered,
        };
    }

    // ---- Deliberating ----

    /// The model has said which, or why not. Only what was offered counts.
    pub(crate) fn on_tie_broken(&mut self, number: u64, pick: Result<u8, ModelFault>) {
        if !matches!(&self.state.phase, MachinePhase::Weighing { tick, .. } if tick.number == number) {
            return self.ignore(IgnoreReason::NotAwaited);
        }
        self.on_tie_settled(pick.ok());
    }

    fn on_tie_settled(&mut self, pick: Option<u8>) {
        let MachinePhase::Weighing {
            tick,
            answers,
            offered,
            ..
        } = self.take_phase()
        else {
            return;
        };
        let preferred = pick.and_then(|pick| offered.into_iter().nth(usize::from(pick)));
        self.decide_tick(tick, answers, preferred.as_ref());
    }

    fn decide_tick(
        &mut self,
        tick: Tick,
        answers: PerAgent<TickAnswer>,
        preferred: Option<&(ActionKind, Subject)>,
    ) {
        let decided = self.deliberate(&tick, answers, preferred);
        self.push_effect(Effect::KeepDecision(Arc::clone(&decided.decision)));
        if decided.plan.is_none() {
            return self.finish_without_call(tick, decided, Outcome::Silent, None, vec![], None);
        }
        if decided.sentences.len() > 1 {
            self.push_effect(Effect::AskModel {
                tick: tick.number,
                sentences: decided.sentences.clone(),
                novel: decided.novel.then(|| Arc::clone(&decided.decision)),
            });
        }
        self.push_effect(Effect::Commit { tick: tick.number });
        let entered = tick.path.last().map_or(self.state.at, |(_, at)| *at);
        let deadline = entered.plus_ms(DELIBERATING_MS);
        self.state.phase = MachinePhase::Deliberating {
            tick,
            deadline,
            decided: Box::new(decided),
        };
    }

    // ---- LoggingTrace ----

    /// Ends a tick that sent no call.
    pub(crate) fn finish_without_call(
        &mut self,
        tick: Tick,
        decided: DeliberationResult,
        outcome: Outcome,
        reason: Option<ReasonCode>,
        calls: Vec<CallRecord>,
        confirm: Option<Confirmation>,
    ) {
        let reason = reason.or(decided.decision.reason_code);
        self.end_tick(
            tick,
            CompletedTick {
                decided,
                outcome,
                reason,
                calls,
                confirm,
                outbox: vec![],
                trace: None,
                perhaps_shown: false,
            },
        );
    }

    pub(crate) fn end_tick(&mut self, tick: Tick, ended: CompletedTick) {
        let tick = self.enter_state(tick, StateName::LoggingTrace);
        let trace_id = tick.trace_id.clone();
        if let Some(plan) = &ended.decided.plan {
            self.end_asks(plan, &trace_id, ended.outcome, ended.reason);
        }
        self.expire_asks(self.state.at);
        let auto_card = ended.outcome == Outcome::ExecutedAuto
            && ended.decided.plan.as_ref().is_some_and(|plan| plan.surfaces);
        if !auto_card {
            // A prompt that was never shown, or a card that will not be.
            let row = self.state.ledger.release(&trace_id);
            self.effects.extend(row.map(Effect::Ledger));
        }
        let waits = ended.decided.sentences.len() > 1 && ended.decided.said.is_none();
        let sentence_until = waits.then(|| self.state.at.plus_ms(SENTENCE_MS));
        let deadline = self.state.at.plus_ms(LOGGING_MS);
        self.state.phase = MachinePhase::LoggingTrace {
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
        let MachinePhase::LoggingTrace {
            tick,
            deadline,
            ended,
            ..
        } = self.take_phase()
        else {
            return;
        };
        let mut ended = ended;
        let trace = Arc::new(record::build_trace(self.env, self.state, &tick, &ended));
        self.push_effect(Effect::KeepTrace(Arc::clone(&trace)));
        ended.trace = Some(trace);
        self.state.phase = MachinePhase::LoggingTrace {
            tick,
            deadline,
            sentence_until: None,
            ended,
        };
    }

    pub(crate) fn on_model_sentence(&mut self, number: u64, said: Result<ModelSentence, ModelFault>) {
        let open = match &mut self.state.phase {
            MachinePhase::Deliberating { tick, decided, .. }
            | MachinePhase::AwaitingConfirm { tick, decided, .. }
            | MachinePhase::Executing { tick, decided, .. } => {
                (tick.number == number).then_some((&mut **decided, false))
            }
            MachinePhase::LoggingTrace {
                tick,
                ended,
                sentence_until: Some(_),
                ..
            } => (tick.number == number).then_some((&mut ended.decided, true)),
            MachinePhase::Idle
            | MachinePhase::Listening { .. }
            | MachinePhase::Weighing { .. }
            | MachinePhase::LoggingTrace { .. }
            | MachinePhase::Cooldown { .. } => None,
        };
        let Some((decided, waiting)) = open.filter(|(decided, _)| decided.said.is_none()) else {
            return self.ignore(IgnoreReason::NotAwaited);
        };
        let may = match &said {
            Ok(ModelSentence::Written(text)) => decided.novel && rationale::is_short(text),
            Ok(ModelSentence::Offered(_)) | Err(_) => true,
        };
        decided.said = Some(if may { said } else { Err(ModelFault::Form) });
        if waiting {
            self.keep_trace();
        }
    }

    pub(crate) fn on_trace_kept(&mut self, trace_id: &TraceId, ok: bool) {
        if self.call_trace_kept(trace_id, ok) {
            return;
        }
        let ours = matches!(&self.state.phase, MachinePhase::LoggingTrace { ended, .. }
            if ended.trace.as_ref().is_some_and(|trace| trace.trace_id == *trace_id));
        if !ok {
            // The 1000 ms of LoggingTrace decide about the raw file.
            return if ours {
                self.spill_trace_to_file();
            } else {
                self.ignore(IgnoreReason::NotAwaited);
            };
        }
        if ours {
            self.enter_cooldown();
        }
        self.on_trace_durable(trace_id);
    }

    fn spill_trace_to_file(&mut self) {
        let MachinePhase::LoggingTrace { ended, .. } = &self.state.phase else {
            return;
        };
        if let Some(trace) = ended.trace.clone() {
            self.push_effect(Effect::KeepRaw(trace));
        }
        self.enter_cooldown();
    }

    /// LoggingTrace → Cooldown.
    fn enter_cooldown(&mut self) {
        let MachinePhase::LoggingTrace { tick, ended, .. } = self.take_phase() else {
            return;
        };
        let CompletedTick {
            decided,
            outcome,
            outbox,
            trace,
            perhaps_shown,
            ..
        } = *ended;
        self.change_outbox(&tick.trace_id, &outbox);
        let acted = matches!(outcome, Outcome::Confirmed | Outcome::ExecutedAuto);
        let actor = decided.plan.as_ref().map(|plan| plan.primary.tool.agent());
        if let Some(agent) = actor.filter(|agent| acted && AgentName::FOUR.contains(agent)) {
            // What it did changed what it knows: its answer brings the state that a restart needs.
            self.request_file_scan(agent);
        }
        if let (Some(plan), Some(trace)) = (decided.plan, trace) {
            if !plan.prompts.is_empty() {
                if let Some(chosen) = &trace.decision.chosen {
                    self.push_effect(Effect::Close {
                        card_id: chosen.card_id.clone(),
                        outcome: Some(outcome),
                    });
                }
            } else if plan.surfaces && outcome == Outcome::ExecutedAuto {
                if perhaps_shown {
                    let companion = record::companion(&trace.decision, &trace.tool_calls);
                    let asked_for = record::is_asked_for(&trace.decision);
                    self.first_shown(&trace.decision, companion, asked_for);
                }
                self.open_card(OpenCard {
                    kept: false,
                    handed: false,
                    shown: perhaps_shown,
                    asked_for: record::is_asked_for(&trace.decision),
                    card: Card {
                        card_id: self.env.seed.card_id(trace.decision.tick),
                        decision: Arc::clone(&trace.decision),
                        tool_calls: trace.tool_calls.clone(),
                        prompts: vec![],
                        valid_until: plan.valid_until_wall,
                    },
                });
            }
        }
        self.state.phase = MachinePhase::Cooldown {
            until: self.state.at.plus_ms(COOLDOWN_MS),
            outbox,
        };
    }

    pub(crate) fn change_outbox(&mut self, trace_id: &TraceId, files: &[OutboxChange]) {
        for (name, text) in files {
            self.push_effect(Effect::Outbox {
                trace_id: trace_id.clone(),
                name: name.clone(),
                text: text.clone(),
            });
        }
    }

    // ---- timeouts ----

    /// The deadline of the current state has passed.
    pub(crate) fn on_phase_timeout(&mut self) {
        match &self.state.phase {
            MachinePhase::Idle => {}
            MachinePhase::Listening { .. } => self.on_all_answered(),
            MachinePhase::Weighing { .. } => self.on_tie_settled(None),
            MachinePhase::Deliberating { .. } => self.deliberation_over(),
            MachinePhase::AwaitingConfirm { .. } => self.on_prompt_timeout(),
            MachinePhase::Executing { .. } => self.execution_over(),
            MachinePhase::LoggingTrace {
                sentence_until: Some(_),
                ..
            } => self.keep_trace(),
            MachinePhase::LoggingTrace { .. } => self.spill_trace_to_file(),
            MachinePhase::Cooldown { .. } => self.state.phase = MachinePhase::Idle,
        }
    }

    fn deliberation_over(&mut self) {
        let MachinePhase::Deliberating { tick, decided, .. } = self.take_phase() else {
            return;
        };
        let decided = record::suppress_as_silent(*decided, ReasonCode::DeliberationTimeout);
        self.finish_without_call(tick, decided, Outcome::Silent, None, vec![], None);
    }

    /// Whether a surface can be reached now.
    pub(crate) fn is_connected(&self, surface: Surface) -> bool {
        self.state.surfaces.contains(&surface)
    }
}
