//! What the owner did, and what of it can be taken back.
//!
//! What: [`DoneAct`], one act out of its trace; [`UndoState`], whether it can be taken back now; [`undo_request`], by which call. Why: every act says
//! what it did to which thing until when, and one way takes all of it back. Not here: the calls (`backend`), markup (`web::acts_page`).

use crate::{
    backend::{DisplayNames, EndRequest, LET_GO_SECONDS},
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
pub enum ActKind {
    Muted(ChannelHash, Timestamp),
    Unmuted(ChannelHash),
    DraftedReply(ItemId),
    DraftedDecline(EventId),
    DiscardedReply(ItemId),
    DiscardedDecline(EventId),
    PutOff(ItemId, Timestamp),
    LetGo(ItemId),
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
    pub act: ActKind,
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
                .unwrap_or_else(|| ActKind::Said(sentence_of(trace))),
            Outcome::Failed => ActKind::Failed(sentence_of(trace)),
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
            ActKind::Muted(channel, _) | ActKind::Unmuted(channel) => Some(ThingId::Channel(channel.clone())),
            ActKind::DraftedReply(item)
            | ActKind::DiscardedReply(item)
            | ActKind::PutOff(item, _)
            | ActKind::LetGo(item)
            | ActKind::BroughtBack(item) => Some(ThingId::Item(item.clone())),
            ActKind::DraftedDecline(event) | ActKind::DiscardedDecline(event) => {
                Some(ThingId::Event(event.clone()))
            }
            ActKind::EndedPause | ActKind::RemovedRule(_) | ActKind::Said(_) | ActKind::Failed(_) => None,
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
            ActKind::Muted(channel, until) if *until > now => words::is_muted(&chat(channel), &clock(until)),
            ActKind::Muted(channel, until) => words::was_muted(&chat(channel), &clock(until)),
            ActKind::Unmuted(channel) => words::speaks_again(&chat(channel)),
            ActKind::DraftedReply(item) => words::reply_drafted(&who(item)),
            ActKind::DraftedDecline(id) => words::decline_drafted(&event(id)),
            ActKind::DiscardedReply(item) => words::reply_discarded(&who(item)),
            ActKind::DiscardedDecline(id) => words::decline_discarded(&event(id)),
            ActKind::PutOff(item, until) if *until > now => words::is_put_off(&who(item), &clock(until)),
            ActKind::PutOff(item, until) => words::was_put_off(&who(item), &clock(until)),
            ActKind::LetGo(item) => words::waits_no_more(&who(item)),
            ActKind::BroughtBack(item) => words::waits_again(&who(item)),
            ActKind::EndedPause => words::PAUSE_IS_OVER.to_owned(),
            ActKind::RemovedRule(name) => words::rule_is_gone(name),
            ActKind::Said(text) => text.clone(),
            ActKind::Failed(text) => words::did_not_work(text),
        }
    }

    /// Whether it can be taken back. `acts`: all that are known; `mutes`: those that are in force.
    pub fn undo(
        &self,
        acts: &[DoneAct],
        mutes: &BTreeMap<ChannelHash, Timestamp>,
        now: Timestamp,
    ) -> UndoState {
        let later = |is: &dyn Fn(&ActKind) -> bool| {
            let mut later = acts.iter().filter(|act| act.at >= self.at && is(&act.act));
            later.find(|act| act.trace_id != self.trace_id).map(|act| act.at)
        };
        if self.is_over(now) {
            return UndoState::Over;
        }
        match &self.act {
            ActKind::Muted(channel, until) => {
                if mutes.get(channel) == Some(until) {
                    return UndoState::Offered;
                }
                let ended = later(&|act| *act == ActKind::Unmuted(channel.clone()));
                ended.map_or(UndoState::Over, UndoState::Undone)
            }
            ActKind::PutOff(item, _) | ActKind::LetGo(item) => {
                let undone = later(&|act| *act == ActKind::BroughtBack(item.clone()));
                let again = later(
                    &|act| matches!(act, ActKind::PutOff(other, _) | ActKind::LetGo(other) if other == item),
                );
                match (undone, again) {
                    (Some(at), _) => UndoState::Undone(at),
                    (None, Some(_)) => UndoState::Over,
                    (None, None) => UndoState::Offered,
                }
            }
            ActKind::DraftedReply(_) | ActKind::DraftedDecline(_) if now.since(self.at) > DRAFT_MS => {
                UndoState::Over
            }
            ActKind::DraftedReply(item) => later(&|act| *act == ActKind::DiscardedReply(item.clone()))
                .map_or(UndoState::Offered, UndoState::Undone),
            ActKind::DraftedDecline(event) => later(&|act| *act == ActKind::DiscardedDecline(event.clone()))
                .map_or(UndoState::Offered, UndoState::Undone),
            ActKind::Unmuted(_)
            | ActKind::DiscardedReply(_)
            | ActKind::DiscardedDecline(_)
            | ActKind::BroughtBack(_)
            | ActKind::EndedPause
            | ActKind::RemovedRule(_)
            | ActKind::Said(_)
            | ActKind::Failed(_) => UndoState::Nothing,
        }
    }

    /// Whether the time in which it could be taken back has passed by itself.
    fn is_over(&self, now: Timestamp) -> bool {
        match &self.act {
            ActKind::Muted(_, until) | ActKind::PutOff(_, until) => *until <= now,
            // A message is known for a day.
            ActKind::LetGo(_) => now.since(self.at) >= i64::from(LET_GO_SECONDS) * 1000,
            ActKind::Unmuted(_)
            | ActKind::DraftedReply(_)
            | ActKind::DraftedDecline(_)
            | ActKind::DiscardedReply(_)
            | ActKind::DiscardedDecline(_)
            | ActKind::BroughtBack(_)
            | ActKind::EndedPause
            | ActKind::RemovedRule(_)
            | ActKind::Said(_)
            | ActKind::Failed(_) => false,
        }
    }
}

/// By which call an act is taken back; `None`: by none.
pub fn undo_request(act: &ActKind) -> Option<EndRequest> {
    match act {
        ActKind::Muted(channel, _) => Some(EndRequest::Mute(channel.clone())),
        ActKind::PutOff(item, _) | ActKind::LetGo(item) => Some(EndRequest::PutOff(item.clone())),
        ActKind::DraftedReply(item) => Some(EndRequest::ReplyDraft(item.clone())),
        ActKind::DraftedDecline(event) => Some(EndRequest::DeclineDraft(event.clone())),
        ActKind::Unmuted(_)
        | ActKind::DiscardedReply(_)
        | ActKind::DiscardedDecline(_)
        | ActKind::BroughtBack(_)
        | ActKind::EndedPause
        | ActKind::RemovedRule(_)
        | ActKind::Said(_)
        | ActKind::Failed(_) => None,
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

fn act_of_call(call: &CallRecord) -> Option<ActKind> {
    let result = call.result.as_ref()?;
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
        })
    } else if tool == ToolName::DiscardDecline {
        read::<DiscardDecline>(result).map(|draft| ActKind::DiscardedDecline(draft.event_id))
    } else if tool == ToolName::EndPause {
        Some(ActKind::EndedPause)
    } else if tool == ToolName::RemoveRule {
        read::<RuleRemoved>(result).map(|gone| ActKind::RemovedRule(gone.name))
    } else {
        None
    }
}

fn read<T: DeserializeOwned>(result: &serde_json::Value) -> Option<T> {
    T::deserialize(result).ok()
}
