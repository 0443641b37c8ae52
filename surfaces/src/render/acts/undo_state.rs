//! Whether an act can be taken back.
//!
//! What: [`DoneAct::undo`], an act held against what was done since and what is in force. Why: Undo stands where it does something, and nowhere else. Not here:
//! by which call it is taken back (`render::undo`), what an act is (`acts`).

use super::{ActContext, ActKind, DRAFT_MS, DoneAct, UndoState};
use crate::render::{feedback::standing_rules, rule_request::is_name_for};
use chrono_tz::Tz;
use surfaces_base::backend::{LET_GO_SECONDS, drafts::DISCARDED_FOR};
use toolcall_schema::{
    Timestamp,
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::{PersonHash, TraceId},
    rule::OwnerRule,
};

/// Of an act that stays in force until it is taken back, or done once more.
fn newest(undone: Option<Timestamp>, again: Option<Timestamp>) -> UndoState {
    match (undone, again) {
        (Some(at), _) => UndoState::Undone(at),
        (None, Some(_)) => UndoState::Over,
        (None, None) => UndoState::Offered,
    }
}

impl DoneAct {
    /// Whether it can be taken back. `acts`: all that are known.
    pub fn undo(&self, acts: &[DoneAct], context: &ActContext<'_>) -> UndoState {
        let now = context.now;
        let later = |is: &dyn Fn(&ActKind) -> bool| {
            let mut later = acts.iter().filter(|act| act.at >= self.at && is(&act.act));
            later.find(|act| act.id != self.id).map(|act| act.at)
        };
        if self.is_over(now) {
            return UndoState::Over;
        }
        match &self.act {
            ActKind::Muted(channel, until) => {
                if context.mutes.get(channel) == Some(until) {
                    return UndoState::Offered;
                }
                let ended = later(&|act| *act == ActKind::Unmuted(channel.clone()));
                ended.map_or(UndoState::Over, UndoState::Undone)
            }
            ActKind::PutOff(item, _) | ActKind::LetGo(item) | ActKind::NotForOwner(item) => {
                let undone = later(&|act| *act == ActKind::BroughtBack(item.clone()));
                let put_off = |act: &ActKind| matches!(act, ActKind::PutOff(other, _) if other == item);
                let again = later(&|act| put_off(act) || act.let_go() == Some(item));
                newest(undone, again)
            }
            ActKind::DraftedReply(_) | ActKind::DraftedDecline(_) if now.since(self.at) > DRAFT_MS => {
                UndoState::Over
            }
            ActKind::DraftedReply(item) => self.still_drafted(
                acts,
                &ThingId::Item(item.clone()),
                &ActKind::DiscardedReply(item.clone()),
                context,
            ),
            ActKind::DraftedDecline(event) => self.still_drafted(
                acts,
                &ThingId::Event(event.clone()),
                &ActKind::DiscardedDecline(event.clone()),
                context,
            ),
            ActKind::DiscardedReply(item) => {
                let again = later(
                    &|act| matches!(act, ActKind::DraftedReply(other) | ActKind::DiscardedReply(other) if other == item),
                );
                self.brought_back(again, &ThingId::Item(item.clone()), context)
            }
            ActKind::DiscardedDecline(event) => {
                let again = later(
                    &|act| matches!(act, ActKind::DraftedDecline(other) | ActKind::DiscardedDecline(other) if other == event),
                );
                self.brought_back(again, &ThingId::Event(event.clone()), context)
            }
            ActKind::RemovedRule(name, Some(_)) => {
                let added = later(&|act| matches!(act, ActKind::AddedRule(other) if other.name == *name));
                let again = later(&|act| matches!(act, ActKind::RemovedRule(other, _) if other == name));
                let is_there = context.rules.iter().any(|rule| rule.name == *name);
                newest(added, again.or_else(|| is_there.then_some(now)))
            }
            ActKind::HeldTime(start, minutes) => {
                let released = later(&|act| *act == ActKind::ReleasedTime(*start, *minutes));
                let again = later(&|act| *act == ActKind::HeldTime(*start, *minutes));
                newest(released, again)
            }
            ActKind::Corrected(about, _) => {
                let is_reset = |reset: &Option<LearnedThing>| reset.as_ref().is_none_or(|of| of == about);
                let undone = later(&|act| matches!(act, ActKind::Unlearned(reset) if is_reset(reset)));
                let again = later(&|act| matches!(act, ActKind::Corrected(other, _) if other == about));
                newest(undone, again)
            }
            ActKind::LetThrough(about) => {
                let undone = later(&|act| *act == ActKind::LetThroughEnded(about.clone()));
                let again = later(&|act| *act == ActKind::LetThrough(about.clone()));
                newest(undone, again)
            }
            ActKind::OnePerson(person, other) => {
                let is_pair = |one: &PersonHash, two: &PersonHash| {
                    (one, two) == (person, other) || (two, one) == (person, other)
                };
                let undone = later(&|act| matches!(act, ActKind::TwoPeople(one, two) if is_pair(one, two)));
                let again = later(&|act| matches!(act, ActKind::OnePerson(one, two) if is_pair(one, two)));
                newest(undone, again)
            }
            ActKind::SpendingUsual(said) => {
                let undone = later(&|act| *act == ActKind::SpendingJudged(said.category));
                let again = later(
                    &|act| matches!(act, ActKind::SpendingUsual(other) if other.category == said.category),
                );
                newest(undone, again)
            }
            ActKind::ShopSorted(shop, _) => {
                let undone = later(&|act| matches!(act, ActKind::ShopUnsorted(other, _) if other == shop));
                let again = later(&|act| matches!(act, ActKind::ShopSorted(other, _) if other == shop));
                newest(undone, again)
            }
            ActKind::Later(..) => {
                let waits = |(id, due): &(TraceId, Timestamp)| self.id.is_trace(id) && *due > now;
                if context.waiting.iter().any(waits) {
                    return UndoState::Offered;
                }
                later(&|act| matches!(act, ActKind::AskedAgain(of, _) if self.id.is_trace(of)))
                    .map_or(UndoState::Over, UndoState::Undone)
            }
            ActKind::Paused(until) => {
                if context.paused == Some(*until) {
                    return UndoState::Offered;
                }
                self.ended_since(
                    acts,
                    |act| matches!(act, ActKind::Paused(_)),
                    |act| matches!(act, ActKind::EndedPause),
                )
            }
            ActKind::AddedRule(rule) => {
                let replaces =
                    |act: &ActKind| matches!(act, ActKind::AddedRule(other) if other.name == rule.name);
                let ends = |act: &ActKind| matches!(act, ActKind::RemovedRule(name, _) if *name == rule.name);
                // The rule that stands under its name may be one that was added since.
                let is_the_last = later(&|act| replaces(act) || ends(act)).is_none();
                if is_the_last && context.rules.contains(rule) {
                    return UndoState::Offered;
                }
                self.ended_since(acts, replaces, ends)
            }
            ActKind::Dismissed(card) => {
                if !standing_rules(card, context.zone, context.rules).is_empty() {
                    return UndoState::Offered;
                }
                let removed = later(
                    &|act| matches!(act, ActKind::RemovedRule(name, _) if is_name_for(card.kind, name)),
                );
                removed.map_or(UndoState::Nothing, UndoState::Undone)
            }
            ActKind::Unmuted(_)
            | ActKind::RestoredReply(_)
            | ActKind::ReleasedTime(..)
            | ActKind::BroughtBack(_)
            | ActKind::EndedPause
            | ActKind::RemovedRule(_, None)
            | ActKind::Unlearned(_)
            | ActKind::LetThroughEnded(_)
            | ActKind::TwoPeople(..)
            | ActKind::SpendingJudged(_)
            | ActKind::ShopUnsorted(..)
            | ActKind::AskedAgain(..)
            | ActKind::Said(_)
            | ActKind::Failed(..) => UndoState::Nothing,
        }
    }

    /// Of a draft: one that was made anew is what lies there now, and one that was discarded may have been brought back.
    fn still_drafted(
        &self,
        acts: &[DoneAct],
        of: &ThingId,
        discarded: &ActKind,
        context: &ActContext<'_>,
    ) -> UndoState {
        let is_again = |act: &DoneAct| act.at >= self.at && act.id != self.id && act.act == self.act;
        let ended = self.ended_since(acts, |act| *act == self.act, |act| act == discarded);
        if acts.iter().any(is_again) {
            ended
        } else if context.outbox.there.contains(of) || ended == UndoState::Over {
            UndoState::Offered
        } else {
            ended
        }
    }

    /// Of a discarded draft: until it is let go it comes back as it was.
    fn brought_back(&self, again: Option<Timestamp>, of: &ThingId, context: &ActContext<'_>) -> UndoState {
        if again.is_some() {
            UndoState::Over
        } else if context.outbox.there.contains(of) {
            UndoState::Undone(self.at)
        } else if context.outbox.discarded.contains(of) {
            UndoState::Offered
        } else {
            UndoState::Over
        }
    }

    /// Whether it took another act back: the newest of these is not what a command without a name means.
    pub fn takes_back(&self) -> bool {
        matches!(
            self.act,
            ActKind::RemovedRule(..) | ActKind::DiscardedReply(_) | ActKind::DiscardedDecline(_)
        )
    }

    /// Whether it is said as of something that is in force no longer: it was taken back, or its hour does not hold any more, since another took its place or
    /// the clock was set.
    pub fn is_past(&self, undo: UndoState) -> bool {
        match undo {
            UndoState::Undone(_) => true,
            UndoState::Over => matches!(
                self.act,
                ActKind::Muted(..) | ActKind::PutOff(..) | ActKind::Paused(_)
            ),
            UndoState::Offered | UndoState::Nothing => false,
        }
    }

    /// Of what is in force no longer: taken back, unless another of its kind took its place before.
    fn ended_since(
        &self,
        acts: &[DoneAct],
        replaces: impl Fn(&ActKind) -> bool,
        ends: impl Fn(&ActKind) -> bool,
    ) -> UndoState {
        let since = acts.iter().filter(|act| act.at >= self.at && act.id != self.id);
        let first = since
            .filter(|act| replaces(&act.act) || ends(&act.act))
            .min_by_key(|act| act.at);
        match first {
            Some(act) if ends(&act.act) => UndoState::Undone(act.at),
            Some(_) | None => UndoState::Over,
        }
    }

    /// Whether it is the rule that dismissing a card meant: that stands with the card.
    pub fn stands_with_its_card(&self, acts: &[DoneAct], zone: Tz) -> bool {
        let ActKind::AddedRule(rule) = &self.act else {
            return false;
        };
        let is_meant = |rules: &[OwnerRule]| {
            acts.iter().any(|act| {
                matches!(&act.act, ActKind::Dismissed(card)
                    if !standing_rules(card, zone, rules).is_empty())
            })
        };
        is_meant(std::slice::from_ref(rule))
    }

    /// Whether the time in which it could be taken back has passed by itself.
    fn is_over(&self, now: Timestamp) -> bool {
        match &self.act {
            ActKind::Muted(_, until) | ActKind::PutOff(_, until) | ActKind::Paused(until) => *until <= now,
            ActKind::AddedRule(rule) | ActKind::RemovedRule(_, Some(rule)) => {
                rule.until.is_some_and(|until| until <= now)
            }
            ActKind::DiscardedReply(_) | ActKind::DiscardedDecline(_) => {
                u128::from(now.since(self.at).unsigned_abs()) > DISCARDED_FOR.as_millis()
            }
            ActKind::HeldTime(start, minutes) => start.plus_min(i64::from(*minutes)) <= now,
            // A message is known for a day.
            ActKind::LetGo(_) | ActKind::NotForOwner(_) => {
                now.since(self.at) >= i64::from(LET_GO_SECONDS) * 1000
            }
            ActKind::Unmuted(_)
            | ActKind::DraftedReply(_)
            | ActKind::DraftedDecline(_)
            | ActKind::RestoredReply(_)
            | ActKind::ReleasedTime(..)
            | ActKind::BroughtBack(_)
            | ActKind::EndedPause
            | ActKind::RemovedRule(_, None)
            | ActKind::Corrected(_, _)
            | ActKind::Unlearned(_)
            | ActKind::LetThrough(_)
            | ActKind::LetThroughEnded(_)
            | ActKind::OnePerson(..)
            | ActKind::TwoPeople(..)
            | ActKind::SpendingUsual(_)
            | ActKind::SpendingJudged(_)
            | ActKind::ShopSorted(..)
            | ActKind::ShopUnsorted(..)
            | ActKind::Dismissed(_)
            | ActKind::Later(..)
            | ActKind::AskedAgain(..)
            | ActKind::Said(_)
            | ActKind::Failed(..) => false,
        }
    }
}
