//! What the owner does with a card.
//!
//! What: whether a submission counts, and carrying out one that does. Why: a capability is redeemed once, and only here.
//! Not here: making and checking capabilities (`capability`), showing cards (`cards`), running what was confirmed (`execute`).

use crate::{
    capability::{self, CapabilityClaims},
    effect::{Effect, SubmissionVerdict},
    execute::EXECUTING_MS,
    state::{ASKED_MAX, AcceptedSubmission, DeliberationResult, MachinePhase},
    step::StepContext,
};
use std::collections::BTreeSet;
use toolcall_schema::{
    Code, Outcome, ReasonCode, StateName, Surface,
    ids::{CardId, TraceId},
    names::SubmitAct,
    trace::{Confirmation, Decision},
};

impl StepContext<'_> {
    pub(crate) fn on_submission(
        &mut self,
        request: u64,
        card_id: &CardId,
        surface: Surface,
        act: SubmitAct,
        capability: Option<&str>,
    ) {
        // Nothing else can be one, and this is kept.
        let capability = capability.filter(|text| text.len() == 64);
        // Who answers a card has seen it, whether or not its page has said so. A push can be answered by whoever knows its
        // topic: there only the capability tells.
        if surface != Surface::Push {
            self.card_shown(card_id);
        }
        let verdict = self.judge_submission(card_id, surface, act, capability);
        if let SubmissionVerdict::Accepted { act, .. } = verdict {
            let capability = capability.map(str::to_owned);
            let lesson = self.lesson(card_id, act);
            self.apply_submission(
                card_id,
                AcceptedSubmission {
                    act,
                    surface,
                    capability,
                    verdict,
                    at: Some(self.wall()),
                },
            );
            if let Some(lesson) = lesson {
                self.teach(&lesson);
            }
        }
        // A confirmation is answered when it is on disk, so that none is lost that the owner was told counts.
        if let MachinePhase::Executing {
            decided,
            dispatched: false,
            asked,
            ..
        } = &mut self.state.phase
            && matches!(
                verdict,
                SubmissionVerdict::Accepted {
                    act: SubmitAct::Confirm,
                    ..
                }
            )
            && is_card_of(&decided.decision, card_id)
            && asked.len() < ASKED_MAX
        {
            return asked.push(request);
        }
        self.push_effect(Effect::Reply { request, verdict });
    }

    /// Whether a submission counts. Changes nothing but the ledger's refund.
    fn judge_submission(
        &mut self,
        card_id: &CardId,
        surface: Surface,
        act: SubmitAct,
        capability: Option<&str>,
    ) -> SubmissionVerdict {
        if let MachinePhase::AwaitingConfirm { decided, shown, .. } = &self.state.phase
            && is_card_of(&decided.decision, card_id)
        {
            return self.judge_prompt(decided, shown, surface, act, capability);
        }
        // Whatever asks nothing has no capability, so nothing from there can be believed.
        if surface == Surface::Push
            && (act == SubmitAct::Useful || self.state.cards.iter().any(|open| open.card.card_id == *card_id))
        {
            return SubmissionVerdict::Refused(Code::Confirm005);
        }
        if let Some(open) = self
            .state
            .cards
            .iter()
            .find(|open| open.handed && open.card.card_id == *card_id)
        {
            let trace_id = open.card.decision.trace_id.clone();
            return match act {
                SubmitAct::Confirm => SubmissionVerdict::Refused(Code::Confirm001),
                SubmitAct::Useful => self.mark_useful(&trace_id),
                SubmitAct::Dismiss
                | SubmitAct::Edit
                | SubmitAct::LaterQuarter
                | SubmitAct::LaterHour
                | SubmitAct::LaterEvening
                | SubmitAct::LaterTomorrow => self.accept(&open.card.decision, act),
            };
        }
        let Some(closed) = self
            .state
            .closed
            .iter()
            .find(|closed| closed.card_id == *card_id)
            .cloned()
        else {
            return SubmissionVerdict::Refused(Code::Confirm001);
        };
        match (act, &closed.answer) {
            (SubmitAct::Useful, _) => closed
                .useful
                .unwrap_or_else(|| self.mark_useful(&closed.trace_id)),
            (_, Some(first)) if first.act != act || first.surface != surface => {
                SubmissionVerdict::Refused(Code::Confirm004)
            }
            (_, Some(first)) if first.capability.as_deref() != capability => {
                SubmissionVerdict::Refused(Code::Confirm002)
            }
            (_, Some(first)) => first.verdict,
            (_, None) => SubmissionVerdict::Refused(Code::Confirm003),
        }
    }

    fn judge_prompt(
        &self,
        decided: &DeliberationResult,
        shown: &BTreeSet<Surface>,
        surface: Surface,
        act: SubmitAct,
        capability: Option<&str>,
    ) -> SubmissionVerdict {
        let (Some(plan), Some(chosen)) = (&decided.plan, &decided.decision.chosen) else {
            return SubmissionVerdict::Refused(Code::Confirm001);
        };
        let mut ends = plan.prompts.iter().zip(plan.prompts_until.iter());
        let Some((prompt, until)) = ends.find(|(prompt, _)| prompt.surface == surface) else {
            return SubmissionVerdict::Refused(Code::Confirm005);
        };
        let bound = CapabilityClaims {
            card_id: &chosen.card_id,
            args_hash: &chosen.args_hash,
            surface,
            expires_at: prompt.expires_at,
        };
        if !capability.is_some_and(|submitted| capability::verify(self.env, bound, submitted)) {
            return SubmissionVerdict::Refused(Code::Confirm002);
        }
        if !shown.contains(&surface) {
            return SubmissionVerdict::Refused(Code::Confirm005);
        }
        if self.state.at >= *until {
            return SubmissionVerdict::Refused(Code::Confirm003);
        }
        self.accept(&decided.decision, act)
    }

    /// An answer in time counts, unless it puts off what cannot be.
    fn accept(&self, decision: &Decision, act: SubmitAct) -> SubmissionVerdict {
        match self.judge_later(decision, act) {
            Ok(again_at) => SubmissionVerdict::Accepted {
                act,
                refunded: false,
                again_at,
            },
            Err(()) => SubmissionVerdict::Refused(Code::Confirm006),
        }
    }

    fn mark_useful(&mut self, trace_id: &TraceId) -> SubmissionVerdict {
        let row = self.state.ledger.refund(trace_id);
        let refunded = row.is_some();
        self.effects.extend(row.map(Effect::Ledger));
        SubmissionVerdict::Accepted {
            act: SubmitAct::Useful,
            refunded,
            again_at: None,
        }
    }

    /// Carries an accepted submission out; a repeat finds nothing left to do.
    fn apply_submission(&mut self, card_id: &CardId, answered: AcceptedSubmission) {
        let AcceptedSubmission {
            act,
            surface,
            verdict,
            ..
        } = answered;
        if act == SubmitAct::Useful {
            if let Some(closed) = self
                .state
                .closed
                .iter_mut()
                .find(|closed| closed.card_id == *card_id)
            {
                closed.useful.get_or_insert(verdict);
            }
            return;
        }
        let is_open_prompt = matches!(&self.state.phase, MachinePhase::AwaitingConfirm { decided, .. }
            if is_card_of(&decided.decision, card_id));
        if !is_open_prompt {
            return self.dismiss_card(card_id, answered);
        }
        let MachinePhase::AwaitingConfirm { tick, decided, .. } = self.take_phase() else {
            return;
        };
        self.close_prompt(&decided, Some(answered));
        self.postpone(&decided.decision, act);
        let reason = match act {
            SubmitAct::Confirm => {
                let confirm = Confirmation {
                    surface,
                    at: self.wall(),
                };
                let tick = self.enter_state(tick, StateName::Executing);
                self.push_effect(Effect::Commit { tick: tick.number });
                self.state.phase = MachinePhase::Executing {
                    tick,
                    decided,
                    deadline: self.state.at.plus_ms(i64::from(EXECUTING_MS)),
                    dispatched: false,
                    confirm: Some(confirm),
                    asked: vec![],
                    primary: None,
                    companion: None,
                };
                return;
            }
            SubmitAct::Edit => ReasonCode::Edited,
            SubmitAct::Dismiss | SubmitAct::Useful => ReasonCode::OwnerDismissed,
            SubmitAct::LaterQuarter
            | SubmitAct::LaterHour
            | SubmitAct::LaterEvening
            | SubmitAct::LaterTomorrow => ReasonCode::Later,
        };
        self.finish_without_call(tick, *decided, Outcome::Dismissed, Some(reason), vec![], None);
    }

    /// The owner is done with a card.
    fn dismiss_card(&mut self, card_id: &CardId, answered: AcceptedSubmission) {
        let Some(position) = self
            .state
            .cards
            .iter()
            .position(|open| open.card.card_id == *card_id)
        else {
            return;
        };
        let open = self.state.cards.remove(position);
        self.expire_card(&open);
        self.postpone(&open.card.decision, answered.act);
        if let Some(closed) = self.state.closed.back_mut() {
            closed.answer = Some(answered);
        }
    }
}

/// Whether a card is that of a decision.
fn is_card_of(decision: &Decision, card_id: &CardId) -> bool {
    decision
        .chosen
        .as_ref()
        .is_some_and(|chosen| chosen.card_id == *card_id)
}
