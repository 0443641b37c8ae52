//! An act of the owner's out of its trace.
//!
//! What: [`DoneAct::from_trace`], by the call that was done or by the card that was put away. Why: what the owner did stands in traces and nowhere else. Not here:
//! what an act says (`acts`), whether it can be taken back (`undo_state`).

use super::{ActId, ActKind, DoneAct};
use crate::render::{feedback::DismissedCard, sentence};
use serde::de::DeserializeOwned;
use surfaces_base::{
    backend::{DisplayNames, LET_GO_SECONDS, UntracedActs},
    words,
};
use toolcall_schema::{
    Outcome, ReasonCode, ToolName,
    catalogue::{
        allowed_spending::AllowedSpending,
        calendar::{AutoDeclineResult, DiscardDecline, HoldTime},
        comms::{DraftResult, MuteResult, SnoozeResult, TakeBack, TakenBackAct, UnmuteResult},
        correspondent::{LetThrough, SamePerson},
        learning::{CorrectedLearned, ResetLearned},
        orchestrator::{LaterUndone, RuleRemoved},
        shared::ThingId,
        shop_category::SortedShop,
    },
    ids::TraceId,
    trace::{Asker, CallRecord, Trace},
};

impl DoneAct {
    /// Of a trace; `None`: it is nobody's act, or another's. `untraced`: the decisions whose cards the owner dismissed or put off, which no trace of a
    /// card that asked nothing says.
    pub fn from_trace(trace: &Trace, untraced: &UntracedActs) -> Option<Self> {
        let put_away = dismissed_card(trace, &untraced.dismissed).map(ActKind::Dismissed);
        if let Some(act) = put_away.or_else(|| card_put_off(trace, untraced)) {
            // A question's trace ends with its answer.
            let at = match trace.outcome {
                Outcome::Dismissed => Some(trace.ts),
                Outcome::ExecutedAuto | Outcome::Silent | Outcome::Confirmed | Outcome::Failed => {
                    untraced.at.get(&trace.trace_id).copied()
                }
            };
            return Some(Self {
                id: ActId::Trace(trace.trace_id.clone()),
                at: at.unwrap_or(trace.decision.ts),
                act,
            });
        }
        let own_call = match trace.decision.call.map(|call| call.asker) {
            Some(Asker::OwnerPage | Asker::OwnerCommand) => true,
            Some(Asker::OwnerCard | Asker::Program) => return None,
            None => false,
        };
        let confirmed = trace.confirm.is_some() || trace.outcome == Outcome::Confirmed;
        if !own_call && !confirmed {
            return None;
        }
        let act = match trace.outcome {
            Outcome::Confirmed | Outcome::ExecutedAuto => trace
                .tool_calls
                .iter()
                .find_map(act_of_call)
                .unwrap_or_else(|| ActKind::Said(sentence_of(trace))),
            Outcome::Failed => ActKind::Failed(sentence_of(trace), thing_of_failed(trace)),
            Outcome::Silent | Outcome::Dismissed => return None,
        };
        Some(Self {
            id: ActId::Trace(trace.trace_id.clone()),
            at: trace.decision.ts,
            act,
        })
    }
}

/// The card of a trace that the owner dismissed: a question was refused, or a card that asked nothing was put away.
fn dismissed_card(trace: &Trace, dismissed: &[TraceId]) -> Option<DismissedCard> {
    let is_dismissed = match trace.outcome {
        Outcome::Dismissed => trace.reason_code == Some(ReasonCode::OwnerDismissed),
        Outcome::ExecutedAuto => dismissed.contains(&trace.trace_id),
        Outcome::Silent | Outcome::Confirmed | Outcome::Failed => false,
    };
    if is_dismissed { card_of(trace) } else { None }
}

/// The card of a trace that the owner put off: that of a question says so, with its hour.
fn card_put_off(trace: &Trace, untraced: &UntracedActs) -> Option<ActKind> {
    let until = match trace.outcome {
        Outcome::Dismissed => trace
            .next_possible_at
            .as_ref()
            .filter(|next| next.when == ReasonCode::Later)
            .map(|next| next.at),
        Outcome::ExecutedAuto => untraced
            .put_off
            .iter()
            .find(|(id, _)| *id == trace.trace_id)
            .map(|(_, until)| *until),
        Outcome::Silent | Outcome::Confirmed | Outcome::Failed => None,
    };
    Some(ActKind::Later(card_of(trace)?, until?))
}

fn card_of(trace: &Trace) -> Option<DismissedCard> {
    let chosen = trace.decision.chosen.as_ref()?;
    Some(DismissedCard {
        card_id: chosen.card_id.clone(),
        kind: chosen.kind,
        subject: chosen.subject.clone(),
        decided_at: trace.decision.ts,
        is_proposed: chosen.asker.is_none(),
    })
}

/// What a trace says for itself: what was asked for, or the kind of what was chosen.
fn sentence_of(trace: &Trace) -> String {
    let chosen = trace.decision.chosen.as_ref();
    match chosen.filter(|_| trace.decision.call.is_none()) {
        Some(chosen) => words::full_stop(words::action(chosen.kind)),
        None => sentence::of_call(trace, &DisplayNames::default()),
    }
}

/// What an act that did not work was about: the subject of its card, or what its call names.
fn thing_of_failed(trace: &Trace) -> Option<ThingId> {
    let of_card = trace
        .decision
        .chosen
        .as_ref()
        .map(|chosen| chosen.subject.as_str());
    let calls = trace.tool_calls.iter().filter_map(|call| call.args.as_object());
    let of_calls = calls
        .flat_map(|args| args.values())
        .filter_map(serde_json::Value::as_str);
    of_card
        .into_iter()
        .chain(of_calls)
        .find_map(|id| ThingId::parse(id).ok())
}

fn act_of_call(call: &CallRecord) -> Option<ActKind> {
    let result = call.result.as_deref()?;
    let tool = ToolName::parse(&call.tool)?;
    if tool == ToolName::MuteChannel {
        read::<MuteResult>(result).map(|muted| ActKind::Muted(muted.channel_hash, muted.until))
    } else if tool == ToolName::UnmuteChannel {
        read::<UnmuteResult>(result).map(|ended| ActKind::Unmuted(ended.channel_hash))
    } else if tool == ToolName::DraftReply {
        read::<DraftResult>(result).map(|draft| ActKind::DraftedReply(draft.item_id))
    } else if tool == ToolName::AutoDecline {
        read::<AutoDeclineResult>(result).map(|draft| ActKind::DraftedDecline(draft.event_id))
    } else if tool == ToolName::Snooze {
        let seconds = call.args.get("ttl_seconds");
        let lets_go = seconds.is_some_and(|seconds| *seconds == LET_GO_SECONDS);
        read::<SnoozeResult>(result).map(|put| {
            if lets_go {
                ActKind::LetGo(put.item_id)
            } else {
                ActKind::PutOff(put.item_id, put.until)
            }
        })
    } else if tool == ToolName::TakeBack {
        read::<TakeBack>(result).map(|back| match back.what {
            TakenBackAct::PutOff => ActKind::BroughtBack(back.item_id),
            TakenBackAct::Draft => ActKind::DiscardedReply(back.item_id),
            TakenBackAct::Discard => ActKind::RestoredReply(back.item_id),
        })
    } else if tool == ToolName::DiscardDecline {
        read::<DiscardDecline>(result).map(|draft| ActKind::DiscardedDecline(draft.event_id))
    } else if tool == ToolName::HoldTime {
        read::<HoldTime>(result).map(|time| {
            if time.held {
                ActKind::HeldTime(time.start, time.duration_min)
            } else {
                ActKind::ReleasedTime(time.start, time.duration_min)
            }
        })
    } else if tool == ToolName::EndPause {
        Some(ActKind::EndedPause)
    } else if tool == ToolName::CorrectLearned {
        read::<CorrectedLearned>(result).map(|now| ActKind::Corrected(now.about, now.class))
    } else if tool == ToolName::LetThrough {
        read::<LetThrough>(result).map(|rule| {
            if rule.always {
                ActKind::LetThrough(rule.about)
            } else {
                ActKind::LetThroughEnded(rule.about)
            }
        })
    } else if tool == ToolName::SamePerson {
        read::<SamePerson>(result).map(|said| {
            if said.same {
                ActKind::OnePerson(said.person, said.other)
            } else {
                ActKind::TwoPeople(said.person, said.other)
            }
        })
    } else if tool == ToolName::AllowSpending {
        read::<AllowedSpending>(result).map(|said| {
            if said.allowed {
                ActKind::SpendingUsual(said)
            } else {
                ActKind::SpendingJudged(said.category)
            }
        })
    } else if tool == ToolName::SortShop {
        read::<SortedShop>(result).map(|said| {
            if said.by_owner {
                ActKind::ShopSorted(said.merchant_hash, said.category)
            } else {
                ActKind::ShopUnsorted(said.merchant_hash, said.category)
            }
        })
    } else if tool == ToolName::ResetLearned {
        read::<ResetLearned>(&call.args).map(|reset| ActKind::Unlearned(reset.about))
    } else if tool == ToolName::RemoveRule {
        read::<RuleRemoved>(result).map(|gone| ActKind::RemovedRule(gone.name, None))
    } else if tool == ToolName::UndoLater {
        read::<LaterUndone>(result).map(|undone| ActKind::AskedAgain(undone.trace_id, None))
    } else {
        None
    }
}

fn read<T: DeserializeOwned>(result: &serde_json::Value) -> Option<T> {
    T::deserialize(result).ok()
}
