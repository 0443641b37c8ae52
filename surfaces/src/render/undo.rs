//! Taking an act back: whether, by which call, and what came of that.
//!
//! What: [`undo_step`] before the call and [`undone_by`] after it. Why: a page, a command and a notification take back in one way. Not here: what an act is (`acts`),
//! making the call (the backend).

use super::{
    acts::{ActContext, ActKind, DoneAct, UndoState},
    feedback::standing_rules,
};
use surfaces_base::{
    backend::{OwnerCall, OwnerCallError},
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::TraceId, rule::OwnerRule};

/// What there is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoStep {
    /// Nothing: it was taken back before.
    Already,
    Call(OwnerCall),
    /// The rule is given again.
    AddRule(OwnerRule),
    /// The discarded draft about this comes back.
    RestoreDraft(ThingId),
}

/// What was done, without a name, in a line that fits the watch and a notification.
pub fn plain_line(act: &ActKind, context: &ActContext<'_>) -> String {
    let clock = |until: &Timestamp| format::clock_on(*until, context.now, context.zone);
    if let ActKind::Muted(_, until) = act {
        words::watch_muted(&clock(until))
    } else if let ActKind::PutOff(_, until) | ActKind::Later(_, until) = act {
        words::watch_put_off(&clock(until))
    } else if let ActKind::DraftedReply(_) | ActKind::DraftedDecline(_) = act {
        words::WATCH_DRAFTED.say().to_owned()
    } else if let ActKind::Paused(until) = act {
        words::watch_paused(&clock(until))
    } else if act.let_go().is_some() {
        words::WATCH_LET_GO.say().to_owned()
    } else if let ActKind::Dismissed(_) | ActKind::AddedRule(_) = act {
        words::WATCH_RULE.say().to_owned()
    } else if let ActKind::HeldTime(start, _) = act {
        words::watch_held(&clock(start))
    } else if let ActKind::Corrected(..) | ActKind::OnePerson(..) = act {
        words::WATCH_LEARNED.say().to_owned()
    } else if let ActKind::LetThrough(_) = act {
        words::WATCH_LET_THROUGH.say().to_owned()
    } else if let ActKind::SpendingUsual(_) | ActKind::ShopSorted(..) = act {
        words::WATCH_SPENDING.say().to_owned()
    } else {
        words::JUST_DONE.say().to_owned()
    }
}

/// How an act is taken back, beside all others: what was done since then to the same thing is another act.
///
/// # Errors
/// It is over, or cannot be taken back.
pub fn undo_step(
    act: &DoneAct,
    all: &[DoneAct],
    context: &ActContext<'_>,
) -> Result<UndoStep, OwnerCallError> {
    match act.undo(all, context) {
        UndoState::Offered if let Some(step) = step_of_reversal(act) => Ok(step),
        // What a dismissal meant has its own rules.
        UndoState::Offered | UndoState::Nothing => undo_request(act, context)
            .map(UndoStep::Call)
            .ok_or(OwnerCallError::NothingToUndo),
        UndoState::Undone(_) => Ok(UndoStep::Already),
        UndoState::Over => Err(OwnerCallError::UndoTooLate),
    }
}

/// Of what was taken away, what brings it back: no call of an agent does.
fn step_of_reversal(act: &DoneAct) -> Option<UndoStep> {
    if let ActKind::RemovedRule(_, Some(rule)) = &act.act {
        Some(UndoStep::AddRule(rule.clone()))
    } else if act.takes_back() {
        act.thing().map(UndoStep::RestoreDraft)
    } else {
        None
    }
}

/// What taking an act back without a call came to: the rule stands again, the draft lies there again.
pub(crate) fn reversal_of(mut act: DoneAct) -> DoneAct {
    if let ActKind::RemovedRule(_, Some(rule)) = act.act {
        act.act = ActKind::AddedRule(rule);
    } else if let ActKind::DiscardedReply(item) = act.act {
        act.act = ActKind::DraftedReply(item);
    } else if let ActKind::DiscardedDecline(event) = act.act {
        act.act = ActKind::DraftedDecline(event);
    }
    act
}

/// The trace of the call that took it back; `None`: that was done before.
///
/// # Errors
/// What the call came to otherwise.
pub(crate) fn undone_by(called: Result<TraceId, OwnerCallError>) -> Result<Option<TraceId>, OwnerCallError> {
    match called {
        Ok(trace) => Ok(Some(trace)),
        Err(OwnerCallError::NotMuted | OwnerCallError::NotPaused | OwnerCallError::NoRule(_)) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// By which call an act is taken back; `None`: by none. Of several rules that a dismissal stands for, the newest goes first.
fn undo_request(act: &DoneAct, context: &ActContext<'_>) -> Option<OwnerCall> {
    match &act.act {
        ActKind::Muted(channel, _) => Some(OwnerCall::Unmute(channel.clone())),
        ActKind::PutOff(item, _) | ActKind::LetGo(item) | ActKind::NotForOwner(item) => {
            Some(OwnerCall::UndoPutOff(item.clone()))
        }
        ActKind::DraftedReply(item) => Some(OwnerCall::DiscardReply(item.clone())),
        ActKind::DraftedDecline(event) => Some(OwnerCall::DiscardDecline(event.clone())),
        ActKind::HeldTime(start, minutes) => Some(OwnerCall::HoldTime(*start, *minutes, false)),
        ActKind::Corrected(about, _) => Some(OwnerCall::Unlearn(Some(about.clone()))),
        ActKind::LetThrough(about) => Some(OwnerCall::LetThrough(about.clone(), false)),
        ActKind::OnePerson(person, other) => {
            Some(OwnerCall::SamePerson(person.clone(), other.clone(), false))
        }
        ActKind::SpendingUsual(said) => Some(OwnerCall::AllowSpending(said.category, said.day, false)),
        ActKind::ShopSorted(shop, _) => Some(OwnerCall::SortShop(shop.clone(), None)),
        ActKind::Dismissed(card) => standing_rules(card, context.zone, context.rules)
            .last()
            .map(|(_, rule)| OwnerCall::RemoveRule(rule.name.clone())),
        ActKind::Later(..) => act.id.trace().cloned().map(OwnerCall::UndoLater),
        ActKind::Paused(_) => Some(OwnerCall::EndPause),
        ActKind::AddedRule(rule) => Some(OwnerCall::RemoveRule(rule.name.clone())),
        ActKind::Unmuted(_)
        | ActKind::DiscardedReply(_)
        | ActKind::RestoredReply(_)
        | ActKind::ReleasedTime(..)
        | ActKind::DiscardedDecline(_)
        | ActKind::BroughtBack(_)
        | ActKind::EndedPause
        | ActKind::RemovedRule(..)
        | ActKind::Unlearned(_)
        | ActKind::LetThroughEnded(_)
        | ActKind::TwoPeople(..)
        | ActKind::SpendingJudged(_)
        | ActKind::ShopUnsorted(..)
        | ActKind::AskedAgain(..)
        | ActKind::Said(_)
        | ActKind::Failed(..) => None,
    }
}
