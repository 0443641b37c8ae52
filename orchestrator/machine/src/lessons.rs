//! What the owner did with a card of Comms, told to Comms.
//!
//! What: from an accepted submission to a call of `comms.learn_from_act`. Why: the agent learns from the owner's acts alone, and each lesson goes
//! the one way of calls: through the gate, journalled, with a trace. Not here: the call itself (`calls`), what is learned (`agents`).
//!
//! The machine learns nothing: the next answer of the agent brings another confidence, or does not. The id of the call follows from the
//! trace and the act, so that an act that is told twice is one lesson. Where eight calls are under way the lesson is lost.

use crate::{
    calls::CallRequest,
    state::{CardSubject, ClosedCard, MachinePhase, OpenCard},
    step::StepContext,
};
use toolcall_schema::{
    AgentName, ToolName,
    catalogue::learning::{LearnFromAct, TeachingAct},
    ids::{CardId, TraceId},
    names::SubmitAct,
    trace::{Asker, Decision},
};

/// What a decision's card is about, where its agent learns from acts on it.
pub(crate) fn subject_of_card(decision: &Decision) -> Option<CardSubject> {
    // Of what a program asked for Comms was not sure, and has nothing to learn.
    let chosen = decision.chosen.as_ref().filter(|chosen| chosen.asker.is_none())?;
    (chosen.kind.tool().agent() == AgentName::Comms).then(|| CardSubject {
        kind: chosen.kind,
        subject: chosen.subject.clone(),
        at: decision.ts,
    })
}

impl StepContext<'_> {
    /// What an act on a card teaches: to be asked before the act is carried out, which may close the card.
    pub(crate) fn lesson(&self, card_id: &CardId, act: SubmitAct) -> Option<LearnFromAct> {
        let (about, trace_id) = self.subject_of(card_id)?;
        let act = match act {
            SubmitAct::Confirm => TeachingAct::Confirmed,
            SubmitAct::Dismiss => TeachingAct::Dismissed,
            SubmitAct::Useful => TeachingAct::Useful,
            SubmitAct::Edit => TeachingAct::Edited,
            // That the moment was wrong says nothing about the message.
            SubmitAct::LaterQuarter
            | SubmitAct::LaterHour
            | SubmitAct::LaterEvening
            | SubmitAct::LaterTomorrow => return None,
        };
        Some(LearnFromAct {
            kind: about.kind,
            subject: about.subject,
            act,
            trace_id,
        })
    }

    fn subject_of(&self, card_id: &CardId) -> Option<(CardSubject, TraceId)> {
        let of = |decision: &Decision| Some((subject_of_card(decision)?, decision.trace_id.clone()));
        let is_it = |decision: &Decision| {
            decision
                .chosen
                .as_ref()
                .is_some_and(|chosen| chosen.card_id == *card_id)
        };
        if let MachinePhase::AwaitingConfirm { decided, .. } = &self.state.phase
            && is_it(&decided.decision)
        {
            return of(&decided.decision);
        }
        let open = |open: &&OpenCard| open.card.card_id == *card_id;
        if let Some(open) = self.state.cards.iter().find(open) {
            return of(&open.card.decision);
        }
        let closed = |closed: &&ClosedCard| closed.card_id == *card_id;
        let closed = self.state.closed.iter().find(closed)?;
        Some((closed.about.clone()?, closed.trace_id.clone()))
    }

    /// Has the agent told.
    pub(crate) fn teach(&mut self, lesson: &LearnFromAct) {
        let what = format!("{}:{}", lesson.trace_id, lesson.act);
        let key = self.env.seed.key("call request v1");
        let asked = CallRequest {
            id: key.request(Asker::OwnerCard.as_str(), &what),
            asker: Asker::OwnerCard,
            origin: None,
            tool: ToolName::LearnFromAct,
            // Ids and closed names: serializing cannot fail.
            args: serde_json::to_value(lesson).unwrap_or_default(),
            wait_min: None,
        };
        self.begin_call(None, asked);
    }
}
