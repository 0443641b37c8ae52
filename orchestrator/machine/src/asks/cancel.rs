//! Taking an ask back.
//!
//! What: from the wish of who asked to the answer, and the card that nobody stands behind any more. Why: a program may change its mind until the
//! owner has said yes; what it was told is on disk. Not here: the other ends of an ask (the parent module).

use super::{AskOrigin, AskerId, CancelledAsk, PendingAsk, report_of, report_open};
use crate::{
    calls::{CallAnswer, CallRefusal},
    effect::Effect,
    state::{ASKED_MAX, MachinePhase, MachineState},
    step::StepContext,
};
use toolcall_schema::{AskReport, AskState, Outcome, ReasonCode, ids::RequestId};

/// What is answered for whom nothing has to be journalled, however often they take back: there is no such ask of theirs, it is over, or the owner
/// has said yes. `None`: the machine is to be told.
pub fn answer_cancel_without_event(
    s: &MachineState,
    id: &RequestId,
    device: Option<&AskerId>,
) -> Option<CallAnswer> {
    let Some(report) = report_of(s, id, device) else {
        return Some(CallAnswer::Refused(CallRefusal::NoSuchAsk));
    };
    let goes_on = match report.state {
        AskState::Queued => true,
        AskState::Asking => !matches!(s.phase, MachinePhase::Executing { .. }),
        AskState::Cancelled => s.asks.cancelling.iter().any(|cancelled| cancelled.id == *id),
        AskState::Done | AskState::Refused | AskState::Dismissed | AskState::Expired | AskState::Unknown => {
            false
        }
    };
    (!goes_on).then_some(CallAnswer::Waiting(report))
}

impl StepContext<'_> {
    /// Who asked takes it back. Answered when that is on disk; told how it is where the owner was faster.
    pub(crate) fn cancel_ask(&mut self, request: u64, id: &RequestId, origin: Option<&AskOrigin>) {
        let device = origin.map(|origin| &origin.device);
        let mine = |open: &PendingAsk| {
            open.id == *id && open.kept && open.origin.as_ref().map(|origin| &origin.device) == device
        };
        let answer = if let Some(answer) = answer_cancel_without_event(self.state, id, device) {
            Some(answer)
        } else if let Some(index) = self.state.asks.open.iter().position(mine) {
            self.take_back(index, request);
            None
        } else {
            self.report_end(id, Some(request))
        };
        if let Some(answer) = answer {
            self.push_effect(Effect::CallAnswer { request, answer });
        }
    }

    /// It is answered when that is on disk.
    fn take_back(&mut self, index: usize, request: u64) {
        let ask = self.state.asks.open.remove(index);
        let trace_id = report_open(self.state, &ask).trace_id;
        self.push_effect(Effect::CommitCall { call: ask.number });
        self.state.asks.cancelling.push(CancelledAsk {
            number: ask.number,
            id: ask.id.clone(),
            waiting: vec![request],
        });
        let end = AskReport {
            state: AskState::Cancelled,
            until: None,
            trace_id,
            reason: None,
        };
        self.remember_ends(vec![ask], &end);
    }

    /// What came of an ask that is over; `None`: it was taken back, and who asks is told when that is on disk.
    pub(super) fn report_end(&mut self, id: &RequestId, request: Option<u64>) -> Option<CallAnswer> {
        let mut cancelling = self.state.asks.cancelling.iter_mut();
        if let Some(cancelled) = cancelling.find(|cancelled| cancelled.id == *id) {
            if cancelled.waiting.len() >= ASKED_MAX {
                return Some(CallAnswer::Refused(CallRefusal::TooMany));
            }
            cancelled.waiting.extend(request);
            return None;
        }
        let mut ended = self.state.asks.ended.iter();
        let ended = ended.find(|ended| ended.id == *id)?;
        Some(CallAnswer::Waiting(ended.end.clone()))
    }

    /// Takes away the card that asks for what was taken back, once that is so: a prompt that was seen is void, its token spent.
    pub(crate) fn withdraw_taken_back(&mut self) {
        let MachinePhase::AwaitingConfirm { decided, counted, .. } = &self.state.phase else {
            return;
        };
        if !self.state.asks.is_taken_back(decided) {
            return;
        }
        if !counted {
            return self.withdraw_prompt(ReasonCode::Superseded);
        }
        let MachinePhase::AwaitingConfirm { tick, decided, .. } = self.take_phase() else {
            return;
        };
        self.close_prompt(&decided, None);
        let superseded = Some(ReasonCode::Superseded);
        self.finish_without_call(tick, *decided, Outcome::Dismissed, superseded, vec![], None);
    }
}
