//! What the owner does with a card.
//!
//! What: whether a submission counts, and carrying out one that does. Why: a capability is redeemed once, and only here.
//! Not here: making and checking capabilities (`capability`), showing cards (`cards`), running what was confirmed (`execute`).

use crate::{
    capability::{self, Bound},
    effect::{Effect, Verdict},
    execute::EXECUTING_MS,
    state::{ASKED_MAX, Answered, Decided, Phase},
    step::Turn,
};
use std::collections::BTreeSet;
use toolcall_schema::{
    Code, Outcome, ReasonCode, StateName, Surface,
    ids::{CardId, TraceId},
    names::SubmitAct,
    trace::{Confirmation, Decision},
};

impl Turn<'_> {
    pub(crate) fn submitted(
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
        let verdict = self.judge(card_id, surface, act, capability);
        if let Verdict::Accepted { act, .. } = verdict {
            let capability = capability.map(str::to_owned);
            self.redeem(
                card_id,
                Answered {
                    act,
                    surface,
                    capability,
                    verdict,
                },
            );
        }
        // A confirmation is answered when it is on disk, so that none is lost that the owner was told counts.
        if let Phase::Executing {
            decided,
            dispatched: false,
            asked,
            ..
        } = &mut self.s.phase
            && matches!(
                verdict,
                Verdict::Accepted {
                    act: SubmitAct::Confirm,
                    ..
                }
            )
            && about(&decided.decision, card_id)
            && asked.len() < ASKED_MAX
        {
            return asked.push(request);
        }
        self.effect(Effect::Reply { request, verdict });
    }

    /// Whether a submission counts. Changes nothing but the ledger's refund.
    fn judge(
        &mut self,
        card_id: &CardId,
        surface: Surface,
        act: SubmitAct,
        capability: Option<&str>,
    ) -> Verdict {
        if let Phase::AwaitingConfirm { decided, shown, .. } = &self.s.phase
            && about(&decided.decision, card_id)
        {
            return self.judge_prompt(decided, shown, surface, act, capability);
        }
        // Whatever asks nothing has no capability, so nothing from there can be believed.
        if surface == Surface::Push
            && (act == SubmitAct::Useful || self.s.cards.iter().any(|open| open.card.card_id == *card_id))
        {
            return Verdict::Refused(Code::Confirm005);
        }
        if let Some(open) = self
            .s
            .cards
            .iter()
            .find(|open| open.handed && open.card.card_id == *card_id)
        {
            let trace_id = open.card.decision.trace_id.clone();
            return match act {
                SubmitAct::Confirm => Verdict::Refused(Code::Confirm001),
                SubmitAct::Useful => self.useful(&trace_id),
                SubmitAct::Dismiss | SubmitAct::Edit => Verdict::Accepted { act, refunded: false },
            };
        }
        let Some(closed) = self
            .s
            .closed
            .iter()
            .find(|closed| closed.card_id == *card_id)
            .cloned()
        else {
            return Verdict::Refused(Code::Confirm001);
        };
        match (act, &closed.answer) {
            (SubmitAct::Useful, _) => closed.useful.unwrap_or_else(|| self.useful(&closed.trace_id)),
            (_, Some(first)) if first.act != act || first.surface != surface => {
                Verdict::Refused(Code::Confirm004)
            }
            (_, Some(first)) if first.capability.as_deref() != capability => {
                Verdict::Refused(Code::Confirm002)
            }
            (_, Some(first)) => first.verdict,
            (_, None) => Verdict::Refused(Code::Confirm003),
        }
    }

    fn judge_prompt(
        &self,
        decided: &Decided,
        shown: &BTreeSet<Surface>,
        surface: Surface,
        act: SubmitAct,
        capability: Option<&str>,
    ) -> Verdict {
        let (Some(plan), Some(chosen)) = (&decided.plan, &decided.decision.chosen) else {
            return Verdict::Refused(Code::Confirm001);
        };
        let mut ends = plan.prompts.iter().zip(plan.prompts_until.iter());
        let Some((prompt, until)) = ends.find(|(prompt, _)| prompt.surface == surface) else {
            return Verdict::Refused(Code::Confirm005);
        };
        let bound = Bound {
            card_id: &chosen.card_id,
            args_hash: &chosen.args_hash,
            surface,
            expires_at: prompt.expires_at,
        };
        if !capability.is_some_and(|submitted| capability::verify(self.env, bound, submitted)) {
            return Verdict::Refused(Code::Confirm002);
        }
        if !shown.contains(&surface) {
            return Verdict::Refused(Code::Confirm005);
        }
        if self.s.at >= *until {
            return Verdict::Refused(Code::Confirm003);
        }
        Verdict::Accepted { act, refunded: false }
    }

    fn useful(&mut self, trace_id: &TraceId) -> Verdict {
        let row = self.s.ledger.refund(trace_id);
        let refunded = row.is_some();
        self.out.extend(row.map(Effect::Ledger));
        Verdict::Accepted {
            act: SubmitAct::Useful,
            refunded,
        }
    }

    /// Carries an accepted submission out; a repeat finds nothing left to do.
    fn redeem(&mut self, card_id: &CardId, answered: Answered) {
        let Answered {
            act,
            surface,
            verdict,
            ..
        } = answered;
        if act == SubmitAct::Useful {
            if let Some(closed) = self.s.closed.iter_mut().find(|closed| closed.card_id == *card_id) {
                closed.useful.get_or_insert(verdict);
            }
            return;
        }
        let is_open_prompt = matches!(&self.s.phase, Phase::AwaitingConfirm { decided, .. }
            if about(&decided.decision, card_id));
        if !is_open_prompt {
            return self.put_away(card_id, answered);
        }
        let Phase::AwaitingConfirm { tick, decided, .. } = self.take_phase() else {
            return;
        };
        self.close_prompt(&decided, Some(answered));
        let reason = match act {
            SubmitAct::Confirm => {
                let confirm = Confirmation {
                    surface,
                    at: self.wall(),
                };
                let tick = self.enter(tick, StateName::Executing);
                self.effect(Effect::Commit { tick: tick.number });
                self.s.phase = Phase::Executing {
                    tick,
                    decided,
                    deadline: self.s.at.plus_ms(i64::from(EXECUTING_MS)),
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
        };
        self.finish(tick, *decided, Outcome::Dismissed, Some(reason), vec![], None);
    }

    /// The owner is done with a card.
    fn put_away(&mut self, card_id: &CardId, answered: Answered) {
        let Some(position) = self.s.cards.iter().position(|open| open.card.card_id == *card_id) else {
            return;
        };
        let open = self.s.cards.remove(position);
        self.expire(&open);
        if let Some(closed) = self.s.closed.back_mut() {
            closed.answer = Some(answered);
        }
    }
}

/// Whether a card is that of a decision.
fn about(decision: &Decision, card_id: &CardId) -> bool {
    decision
        .chosen
        .as_ref()
        .is_some_and(|chosen| chosen.card_id == *card_id)
}
