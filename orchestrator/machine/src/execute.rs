//! Executing: from what is on disk to what came of it.
//!
//! What: the barrier, dispatch, answers, the 5000 ms, and taking effects of admitted results into the state. Why: the one state in which
//! something is done, and only once that it will be is on disk. Not here: deciding (`flow`), confirming (`answers`), sending
//! (`aura_runtime::executor`).

use crate::{
    effect::{Effect, IgnoreReason, OutgoingCall, ReplyTo, SubmissionVerdict},
    event::{ActionReply, CallSlot},
    state::{CompletedTick, DeliberationResult, HistoryEntry, MachinePhase, OutboxChange, PlannedCall, Tick},
    step::StepContext,
};
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, Authority, Code, Outcome, ReasonCode, StateName, ToolCall,
    ids::{IdPurpose, TraceId},
    names::SubmitAct,
    result::ToolEffect,
    tick::{Subject, TriggerSource},
    trace::{CallRecord, Confirmation},
};

/// Executing: how long a tool may take.
pub(crate) const EXECUTING_MS: u32 = 5000;

/// What a confirmation is answered once it is on disk.
const CONFIRMED: SubmissionVerdict = SubmissionVerdict::Accepted {
    act: SubmitAct::Confirm,
    refunded: false,
    again_at: None,
};

impl StepContext<'_> {
    /// The barrier: what was decided, or confirmed, is on disk, so that it may be asked or done.
    pub(crate) fn on_commit(&mut self, number: u64, ok: bool) {
        // Not on disk: nothing leaves; the state's own timeout decides.
        let waits = ok
            && match &self.state.phase {
                MachinePhase::Deliberating { tick, .. }
                | MachinePhase::Executing {
                    tick,
                    dispatched: false,
                    ..
                } => tick.number == number,
                MachinePhase::Executing { .. }
                | MachinePhase::Idle
                | MachinePhase::Listening { .. }
                | MachinePhase::Weighing { .. }
                | MachinePhase::AwaitingConfirm { .. }
                | MachinePhase::LoggingTrace { .. }
                | MachinePhase::Cooldown { .. } => false,
            };
        if !waits {
            return self.ignore(IgnoreReason::NotAwaited);
        }
        match self.take_phase() {
            MachinePhase::Deliberating { tick, decided, .. } => {
                if decided.plan.as_ref().is_some_and(|plan| !plan.prompts.is_empty()) {
                    self.open_prompt(tick, decided);
                } else {
                    let tick = self.enter_state(tick, StateName::Executing);
                    self.execute(tick, decided, None);
                }
            }
            MachinePhase::Executing {
                tick,
                decided,
                confirm,
                asked,
                ..
            } => {
                self.answer_requests(asked, CONFIRMED);
                self.execute(tick, decided, confirm);
            }
            MachinePhase::Idle
            | MachinePhase::Listening { .. }
            | MachinePhase::Weighing { .. }
            | MachinePhase::AwaitingConfirm { .. }
            | MachinePhase::LoggingTrace { .. }
            | MachinePhase::Cooldown { .. } => {}
        }
    }

    pub(crate) fn execute(
        &mut self,
        tick: Tick,
        decided: Box<DeliberationResult>,
        confirm: Option<Confirmation>,
    ) {
        let Some(plan) = decided.plan.as_ref() else { return };
        let entered = tick.path.last().map_or(self.state.at, |(_, at)| *at);
        let authority = if confirm.is_some() {
            Authority::Confirmed
        } else {
            Authority::Auto
        };
        let primary = self.outgoing_call(&tick, &plan.primary, CallSlot::Primary, authority);
        let companion = plan
            .companion
            .as_ref()
            .map(|call| self.outgoing_call(&tick, call, CallSlot::Companion, Authority::Auto));
        self.push_effect(primary);
        self.effects.extend(companion);
        self.state.phase = MachinePhase::Executing {
            tick,
            decided,
            deadline: entered.plus_ms(i64::from(EXECUTING_MS)),
            dispatched: true,
            confirm,
            asked: vec![],
            primary: None,
            companion: None,
        };
    }

    fn outgoing_call(&self, tick: &Tick, call: &PlannedCall, slot: CallSlot, authority: Authority) -> Effect {
        Effect::Call(Box::new(OutgoingCall {
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
                .call_id(IdPurpose::ActionCall, number, call.tool.as_str(), 0),
            agent: columns.agent,
            tool: call.tool.tool().to_owned(),
            args: Arc::clone(&call.args),
            ts: self.wall(),
            confirm_required: columns.confirm == toolcall_schema::Confirm::Always,
            expected_surface: Some(columns.surface),
            deadline_ms: Some(EXECUTING_MS),
        }
    }

    pub(crate) fn on_action_reply(&mut self, number: u64, slot: CallSlot, reply: ActionReply) {
        let MachinePhase::Executing {
            tick,
            decided,
            dispatched: true,
            primary,
            companion,
            ..
        } = &mut self.state.phase
        else {
            return self.ignore(IgnoreReason::NotAwaited);
        };
        let answer = match slot {
            CallSlot::Primary => &mut *primary,
            CallSlot::Companion => &mut *companion,
        };
        if tick.number != number || answer.is_some() {
            return self.ignore(IgnoreReason::NotAwaited);
        }
        *answer = Some(reply);
        let wants_companion = decided.plan.as_ref().is_some_and(|plan| plan.companion.is_some());
        let failed = matches!(primary, Some(ActionReply::Failed(_) | ActionReply::Rejected));
        if failed || (primary.is_some() && (companion.is_some() || !wants_companion)) {
            self.execution_over();
        }
    }

    pub(crate) fn execution_over(&mut self) {
        let MachinePhase::Executing {
            tick,
            decided,
            dispatched,
            confirm,
            asked,
            mut primary,
            mut companion,
            ..
        } = self.take_phase()
        else {
            return;
        };
        // The redemption did not get to the disk: nothing ran, and nothing was promised.
        self.answer_requests(asked, SubmissionVerdict::Refused(Code::Confirm003));
        let Some(plan) = decided.plan.as_ref() else { return };
        let record = |call: &PlannedCall, reply: Option<&mut ActionReply>| CallRecord {
            call_id: self
                .env
                .seed
                .call_id(IdPurpose::ActionCall, tick.number, call.tool.as_str(), 0),
            tool: call.tool.as_str().to_owned(),
            args: Arc::clone(&call.args),
            error: match reply {
                Some(ActionReply::Failed(error)) => *error,
                Some(ActionReply::Done { .. } | ActionReply::Rejected) | None => None,
            },
            result: match reply {
                Some(ActionReply::Done { result, .. }) => Some(Arc::new(result.take())),
                Some(ActionReply::Failed(_) | ActionReply::Rejected) | None => None,
            },
        };
        let primary_call = record(&plan.primary, primary.as_mut());
        let companion_call = plan
            .companion
            .as_ref()
            .map(|call| record(call, companion.as_mut()));
        let calls = if dispatched {
            [primary_call].into_iter().chain(companion_call).collect()
        } else {
            vec![]
        };
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
        let outbox = self.apply_effects(&tick.trace_id, effects);
        if done && !plan.surfaces {
            self.remember_shown(plan.primary.kind, plan.primary.subject.clone());
        }
        self.end_tick(
            tick,
            CompletedTick {
                decided: *decided,
                outcome,
                reason,
                calls,
                confirm,
                outbox,
                trace: None,
                perhaps_shown: false,
            },
        );
    }

    pub(crate) fn answer_requests(&mut self, asked: Vec<u64>, verdict: SubmissionVerdict) {
        for request in asked {
            self.push_effect(Effect::Reply { request, verdict });
        }
    }

    /// Takes effects of an admitted result into the state; changes of the outbox are returned.
    pub(crate) fn apply_effects(
        &mut self,
        trace_id: &TraceId,
        effects: Vec<ToolEffect>,
    ) -> Vec<OutboxChange> {
        let mut outbox = Vec::new();
        for effect in effects {
            match effect {
                ToolEffect::RuleSet { channel, until } => {
                    self.state.mutes_wall.insert(channel, until);
                }
                ToolEffect::RuleCleared { channel } => {
                    // A mute that is ended early ends as any other does.
                    if self.state.mutes_wall.remove(&channel).is_some() {
                        let wall = self.wall();
                        self.enqueue_scheduled(TriggerSource::MuteEnded, Some(Subject::from(&channel)), wall);
                    }
                }
                ToolEffect::PauseEnded => self.state.paused_until_wall = None,
                ToolEffect::OwnerRuleRemoved { name } => self.state.rules.retain(|rule| rule.name != name),
                ToolEffect::LaterUndone { trace_id } => self.undo_later(&trace_id),
                ToolEffect::OutboxFile { name, text } => outbox.push((name, Some(text))),
                ToolEffect::OutboxRemoved { name } => {
                    self.forget_draft(&name);
                    outbox.push((name, None));
                }
                ToolEffect::TimerSet { at } => {
                    self.state.courses_wall.insert(trace_id.clone(), at);
                }
                // The card of an auto action is shown when its trace is durable; see `on_trace_kept`.
                ToolEffect::CardShow => {}
            }
        }
        outbox
    }

    /// A draft that is discarded is not put into the outbox again after a crash.
    fn forget_draft(&mut self, name: &str) {
        if let MachinePhase::Cooldown { outbox, .. } = &mut self.state.phase {
            outbox.retain(|(file, _)| file != name);
        }
    }

    /// Counts something as shown or carried out, for the recent cost.
    pub(crate) fn remember_shown(&mut self, kind: ActionKind, subject: Subject) {
        let (day, _) = self.env.local(self.wall());
        let at = self.state.at;
        // An owner who travels can come back to a date: what was done on it is still known.
        self.state.history.retain(|past| past.is_recent(at));
        self.state.history.push(HistoryEntry {
            kind,
            subject,
            day,
            at,
        });
    }
}
