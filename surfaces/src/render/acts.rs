//! What the owner did, and what of it can be taken back.
//!
//! What: [`DoneAct`], one act out of its trace; [`UndoState`], whether it can be taken back now; [`undo_request`], by which call. Why: every act says
//! what it did to which thing until when, and one way takes all of it back. Not here: the calls (`backend`), markup (`web::acts_page`).

use crate::{
    backend::{DisplayNames, EndRequest},
    format, words,
};
use chrono_tz::Tz;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Outcome, Timestamp, ToolName,
    catalogue::{
        calendar::{AutoDeclineResult, DiscardDecline},
        comms::{DraftResult, MuteResult, SnoozeResult, TakeBack, TakenBackAct, UnmuteResult},
        orchestrator::RuleRemoved,
        shared::ThingId,
    },
    ids::{ChannelHash, EventId, ItemId, TraceId},
    rule::RuleName,
    trace::{Asker, CallRecord, Trace},
};

/// How long a draft is offered to be discarded, in milliseconds: a week.
const DRAFT_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerAct {
    Muted(ChannelHash, Timestamp),
    Unmuted(ChannelHash),
    DraftedReply(ItemId),
    DraftedDecline(EventId),
    DiscardedReply(ItemId),
    DiscardedDecline(EventId),
    PutOff(ItemId, Timestamp),
    BroughtBack(ItemId),
    EndedPause,
    RemovedRule(RuleName),
    /// What needs no thing to be said.
    Said(String),
    /// It was chosen and did not work.
    Failed(String),
}

/// One act of the owner's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneAct {
    pub trace_id: TraceId,
    pub at: Timestamp,
    pub act: OwnerAct,
}

/// Whether an act can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoState {
    /// It can, for now.
    Offered,
    /// It was, then.
    Undone(Timestamp),
    /// It is over by itself.
    Over,
    /// There is nothing to take back.
    Nothing,
}

impl DoneAct {
    /// Of a trace; `None`: it is nobody's act, or another's.
    pub fn from_trace(trace: &Trace) -> Option<Self> {
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
                .unwrap_or_else(|| OwnerAct::Said(sentence_of(trace))),
            Outcome::Failed => OwnerAct::Failed(sentence_of(trace)),
            Outcome::Silent | Outcome::Dismissed => return None,
        };
        Some(Self {
            trace_id: trace.trace_id.clone(),
            at: trace.decision.ts,
            act,
        })
    }

    /// The thing that it was done to.
    pub fn thing(&self) -> Option<ThingId> {
        match &self.act {
            OwnerAct::Muted(channel, _) | OwnerAct::Unmuted(channel) => {
                Some(ThingId::Channel(channel.clone()))
            }
            OwnerAct::DraftedReply(item)
            | OwnerAct::DiscardedReply(item)
            | OwnerAct::PutOff(item, _)
            | OwnerAct::BroughtBack(item) => Some(ThingId::Item(item.clone())),
            OwnerAct::DraftedDecline(event) | OwnerAct::DiscardedDecline(event) => {
                Some(ThingId::Event(event.clone()))
            }
            OwnerAct::EndedPause | OwnerAct::RemovedRule(_) | OwnerAct::Said(_) | OwnerAct::Failed(_) => None,
        }
    }

    /// What it did, in a sentence that names the thing.
    pub fn says(&self, names: &DisplayNames, now: Timestamp, zone: Tz) -> String {
        let chat = |channel: &ChannelHash| names.get(channel.as_str()).unwrap_or(words::THIS_CHAT).to_owned();
        let who = |item: &ItemId| {
            names
                .get(item.as_str())
                .unwrap_or(words::SOMEBODY_WROTE)
                .to_owned()
        };
        let event = |event: &EventId| names.get(event.as_str()).unwrap_or(words::AN_EVENT).to_owned();
        let clock = |until: &Timestamp| format::clock_on(*until, now, zone);
        match &self.act {
            OwnerAct::Muted(channel, until) if *until > now => words::is_muted(&chat(channel), &clock(until)),
            OwnerAct::Muted(channel, until) => words::was_muted(&chat(channel), &clock(until)),
            OwnerAct::Unmuted(channel) => words::speaks_again(&chat(channel)),
            OwnerAct::DraftedReply(item) => words::reply_drafted(&who(item)),
            OwnerAct::DraftedDecline(id) => words::decline_drafted(&event(id)),
            OwnerAct::DiscardedReply(item) => words::reply_discarded(&who(item)),
            OwnerAct::DiscardedDecline(id) => words::decline_discarded(&event(id)),
            OwnerAct::PutOff(item, until) if *until > now => words::is_put_off(&who(item), &clock(until)),
            OwnerAct::PutOff(item, until) => words::was_put_off(&who(item), &clock(until)),
            OwnerAct::BroughtBack(item) => words::waits_again(&who(item)),
            OwnerAct::EndedPause => words::PAUSE_IS_OVER.to_owned(),
            OwnerAct::RemovedRule(name) => words::rule_is_gone(name),
            OwnerAct::Said(text) => text.clone(),
            OwnerAct::Failed(text) => words::did_not_work(text),
        }
    }

    /// Whether it can be taken back. `acts`: all that are known; `mutes`: those that are in force.
    pub fn undo(
        &self,
        acts: &[DoneAct],
        mutes: &BTreeMap<ChannelHash, Timestamp>,
        now: Timestamp,
    ) -> UndoState {
        let later = |is: &dyn Fn(&OwnerAct) -> bool| {
            let mut later = acts.iter().filter(|act| act.at >= self.at && is(&act.act));
            later.find(|act| act.trace_id != self.trace_id).map(|act| act.at)
        };
        match &self.act {
            OwnerAct::Muted(_, until) | OwnerAct::PutOff(_, until) if *until <= now => UndoState::Over,
            OwnerAct::Muted(channel, until) => {
                if mutes.get(channel) == Some(until) {
                    return UndoState::Offered;
                }
                let ended = later(&|act| *act == OwnerAct::Unmuted(channel.clone()));
                ended.map_or(UndoState::Over, UndoState::Undone)
            }
            OwnerAct::PutOff(item, _) => {
                let undone = later(&|act| *act == OwnerAct::BroughtBack(item.clone()));
                let again = later(&|act| matches!(act, OwnerAct::PutOff(other, _) if other == item));
                match (undone, again) {
                    (Some(at), _) => UndoState::Undone(at),
                    (None, Some(_)) => UndoState::Over,
                    (None, None) => UndoState::Offered,
                }
            }
            OwnerAct::DraftedReply(_) | OwnerAct::DraftedDecline(_) if now.since(self.at) > DRAFT_MS => {
                UndoState::Over
            }
            OwnerAct::DraftedReply(item) => later(&|act| *act == OwnerAct::DiscardedReply(item.clone()))
                .map_or(UndoState::Offered, UndoState::Undone),
            OwnerAct::DraftedDecline(event) => {
                later(&|act| *act == OwnerAct::DiscardedDecline(event.clone()))
                    .map_or(UndoState::Offered, UndoState::Undone)
            }
            OwnerAct::Unmuted(_)
            | OwnerAct::DiscardedReply(_)
            | OwnerAct::DiscardedDecline(_)
            | OwnerAct::BroughtBack(_)
            | OwnerAct::EndedPause
            | OwnerAct::RemovedRule(_)
            | OwnerAct::Said(_)
            | OwnerAct::Failed(_) => UndoState::Nothing,
        }
    }

    /// Whether the time in which it could be taken back has passed by itself.
    pub fn is_over(&self, now: Timestamp) -> bool {
        match &self.act {
            OwnerAct::Muted(_, until) | OwnerAct::PutOff(_, until) => *until <= now,
            OwnerAct::DraftedReply(_)
            | OwnerAct::DraftedDecline(_)
            | OwnerAct::Unmuted(_)
            | OwnerAct::DiscardedReply(_)
            | OwnerAct::DiscardedDecline(_)
            | OwnerAct::BroughtBack(_)
            | OwnerAct::EndedPause
            | OwnerAct::RemovedRule(_)
            | OwnerAct::Said(_)
            | OwnerAct::Failed(_) => false,
        }
    }
}

/// By which call an act is taken back; `None`: by none.
pub fn undo_request(act: &OwnerAct) -> Option<EndRequest> {
    match act {
        OwnerAct::Muted(channel, _) => Some(EndRequest::Mute(channel.clone())),
        OwnerAct::PutOff(item, _) => Some(EndRequest::PutOff(item.clone())),
        OwnerAct::DraftedReply(item) => Some(EndRequest::ReplyDraft(item.clone())),
        OwnerAct::DraftedDecline(event) => Some(EndRequest::DeclineDraft(event.clone())),
        OwnerAct::Unmuted(_)
        | OwnerAct::DiscardedReply(_)
        | OwnerAct::DiscardedDecline(_)
        | OwnerAct::BroughtBack(_)
        | OwnerAct::EndedPause
        | OwnerAct::RemovedRule(_)
        | OwnerAct::Said(_)
        | OwnerAct::Failed(_) => None,
    }
}

/// The acts of some traces, newest first.
pub fn acts(traces: &[Trace]) -> Vec<DoneAct> {
    let mut acts: Vec<DoneAct> = traces.iter().filter_map(DoneAct::from_trace).collect();
    acts.sort_by(|a, b| (b.at, &b.trace_id).cmp(&(a.at, &a.trace_id)));
    acts
}

/// The things of some acts.
pub fn things(acts: &[DoneAct]) -> BTreeSet<ThingId> {
    acts.iter().filter_map(DoneAct::thing).collect()
}

/// What a trace says for itself: what was asked for, or the kind of what was chosen.
fn sentence_of(trace: &Trace) -> String {
    let chosen = trace.decision.chosen.as_ref();
    match chosen.filter(|_| trace.decision.call.is_none()) {
        Some(chosen) => words::full_stop(words::action(chosen.kind)),
        None => trace.rationale.clone(),
    }
}

fn act_of_call(call: &CallRecord) -> Option<OwnerAct> {
    let result = call.result.as_ref()?;
    let tool = ToolName::parse(&call.tool)?;
    if tool == ToolName::MuteChannel {
        read::<MuteResult>(result).map(|muted| OwnerAct::Muted(muted.channel_hash, muted.until))
    } else if tool == ToolName::UnmuteChannel {
        read::<UnmuteResult>(result).map(|ended| OwnerAct::Unmuted(ended.channel_hash))
    } else if tool == ToolName::DraftReply {
        read::<DraftResult>(result).map(|draft| OwnerAct::DraftedReply(draft.item_id))
    } else if tool == ToolName::AutoDecline {
        read::<AutoDeclineResult>(result).map(|draft| OwnerAct::DraftedDecline(draft.event_id))
    } else if tool == ToolName::Snooze {
        read::<SnoozeResult>(result).map(|put| OwnerAct::PutOff(put.item_id, put.until))
    } else if tool == ToolName::TakeBack {
        read::<TakeBack>(result).map(|back| match back.what {
            TakenBackAct::PutOff => OwnerAct::BroughtBack(back.item_id),
            TakenBackAct::Draft => OwnerAct::DiscardedReply(back.item_id),
        })
    } else if tool == ToolName::DiscardDecline {
        read::<DiscardDecline>(result).map(|draft| OwnerAct::DiscardedDecline(draft.event_id))
    } else if tool == ToolName::EndPause {
        Some(OwnerAct::EndedPause)
    } else if tool == ToolName::RemoveRule {
        read::<RuleRemoved>(result).map(|gone| OwnerAct::RemovedRule(gone.name))
    } else {
        None
    }
}

fn read<T: DeserializeOwned>(result: &serde_json::Value) -> Option<T> {
    T::deserialize(result).ok()
}
