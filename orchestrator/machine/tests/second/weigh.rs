//! The decision: caps, scores, choice.
//!
//! What: the part of [`Model`] that answers a tick. Why: nothing is kept for it; each number is reckoned from the list of
//! what happened. Not here: what becomes of what was chosen (`model`).

use crate::second::{
    later::Later,
    model::{Decided, Entry, Fate, Model, Out, Past, Proposal, Weighed, Word},
    ratio::Ratio,
    table::{asks, by_push, class, forbids, priority, surface},
};
use chrono::NaiveTime;
use std::cmp::Reverse;
use toolcall_schema::{
    ActionKind::{self, *},
    AgentName, Class, Outcome, ReasonCode, Surface, WellnessState,
    rule::OwnerRule,
    tick::{Subject, Trigger, TriggerSource},
};

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

impl Model {
    // ---- caps ----

    fn latest<T>(&self, of: impl Fn(&Past) -> Option<T>) -> Option<T> {
        self.past.iter().rev().find_map(|entry| of(&entry.past))
    }

    fn paused(&self) -> bool {
        let until = self.latest(|past| match past {
            Past::Paused(until) => Some(*until),
            Past::State(_) | Past::Seen { .. } | Past::Done(..) | Past::Muted(..) | Past::Unmuted(_) => None,
        });
        until.flatten().is_some_and(|until| self.at < until)
    }

    fn muted(&self, channel: &Subject) -> bool {
        let last = self.latest(|past| match past {
            Past::Muted(muted, until) if muted == channel => Some(Some(*until)),
            Past::Unmuted(unmuted) if unmuted == channel => Some(None),
            Past::Muted(..)
            | Past::Unmuted(_)
            | Past::State(_)
            | Past::Seen { .. }
            | Past::Done(..)
            | Past::Paused(_) => None,
        });
        last.flatten().is_some_and(|until| self.at < until)
    }

    pub(crate) fn dnd_on(&self) -> bool {
        let time = self.local().time();
        let within = |(from, to): &(NaiveTime, NaiveTime)| {
            if from <= to {
                *from <= time && time < *to
            } else {
                *from <= time || time < *to
            }
        };
        self.dnd.is_some() || self.settings.dnd.iter().any(within)
    }

    /// Within 60 minutes of entering RECOVERING; entering it again within them changes nothing.
    fn recovering(&self) -> bool {
        let mut entered: Option<i64> = None;
        let mut before: Option<(WellnessState, i64)> = None;
        for entry in &self.past {
            let Past::State(state) = entry.past else { continue };
            // What was read an hour ago says nothing any more.
            let before = before.replace((state, entry.at));
            let still = before.filter(|(_, read)| entry.at < read + HOUR);
            let enters = state == WellnessState::Recovering
                && still.is_none_or(|(before, _)| before != WellnessState::Recovering);
            if enters && entered.is_none_or(|last| entry.at >= last + HOUR) {
                entered = Some(entry.at);
            }
        }
        entered.is_some_and(|entered| self.at < entered + HOUR)
    }

    /// A safety prompt is held back by another one alone.
    fn window_closed(&self, safety: bool) -> bool {
        let recent = |entry: &&Entry| self.at < entry.at + 30 * MINUTE;
        let mut recent = self.past.iter().filter(recent);
        recent.any(
            |entry| matches!(entry.past, Past::Seen { proactive: true, of_safety } if of_safety || !safety),
        )
    }

    /// What stands against it now, the account aside: the owner's word first.
    fn forbidden(
        &self,
        (kind, subject): (ActionKind, &Subject),
        safety: bool,
        word: Word,
    ) -> Option<(ReasonCode, Option<String>)> {
        let unasked = surface(kind) != Surface::Silent && word != Word::Owner;
        let proactive = unasked && word == Word::Nobody;
        if unasked && self.paused() {
            return Some((ReasonCode::Paused, None));
        }
        let (wall, local) = (self.wall(), self.local());
        let stands = |rule: &&OwnerRule| forbids(rule, kind, subject, wall, local);
        if let Some(rule) = self.rules.iter().find(stands) {
            return Some((ReasonCode::Rule, Some(rule.name.to_string())));
        }
        let cap = if self.dnd_on() && !(safety && surface(kind) == Surface::Watch) {
            ReasonCode::CapDnd
        } else if unasked && self.recovering() {
            ReasonCode::CapRecovering
        } else if proactive && self.window_closed(safety) {
            ReasonCode::CapWindow
        } else {
            return None;
        };
        Some((cap, None))
    }

    pub(crate) fn barred(&self, out: &Out) -> Option<ReasonCode> {
        let about = (out.kind, &out.subject);
        self.forbidden(about, out.safety, out.word)
            .map(|(reason, _)| reason)
    }

    // ---- scores ----

    fn user_state(&self) -> WellnessState {
        let wall = self.wall();
        if self.focus.is_some_and(|(start, end)| start <= wall && wall < end) {
            return WellnessState::Focused;
        }
        let read = self.past.iter().rev().find_map(|entry| match entry.past {
            Past::State(state) => Some((state, entry.at)),
            Past::Seen { .. } | Past::Done(..) | Past::Paused(_) | Past::Muted(..) | Past::Unmuted(_) => None,
        });
        // It counts for an hour.
        read.filter(|(_, at)| self.at < at + HOUR)
            .map_or(WellnessState::Unknown, |(state, _)| state)
    }

    fn m(&self, one: &Weighed, trigger: &Trigger) -> Ratio {
        let ends_a_mute = one.kind == BatchDigest
            && matches!(
                trigger.source,
                TriggerSource::MuteEnded | TriggerSource::WindowEnded
            )
            && trigger.subject.as_ref() == Some(&one.subject);
        let state = self.user_state();
        let hundredths = match state {
            WellnessState::Recovering => 40,
            WellnessState::Baseline
            | WellnessState::Stressed
            | WellnessState::Focused
            | WellnessState::Unknown
                if one.kind == LeaveByAlert || ends_a_mute =>
            {
                100
            }
            // What is not known is no penalty.
            WellnessState::Baseline | WellnessState::Unknown => 100,
            WellnessState::Focused => 70,
            WellnessState::Stressed if one.class == Class::Safety => 140,
            WellnessState::Stressed => 60,
        };
        Ratio::percent(hundredths)
    }

    /// 0.25 for each time today, 0.50 for each within 30 minutes; what waits to be seen counts as seen now.
    fn recent(&self, kind: ActionKind, subject: &Subject) -> Ratio {
        let today = self.local().date();
        let mut quarters = 0;
        for entry in &self.past {
            let Past::Done(what, about) = &entry.past else {
                continue;
            };
            if (*what, about) != (kind, subject) || self.at - entry.at >= 36 * HOUR {
                continue;
            }
            if entry.date == today {
                quarters += 1;
            }
            if self.at - entry.at < 30 * MINUTE {
                quarters += 2;
            }
        }
        let waits = |card: &&Out| {
            let companion = card.companion.as_ref();
            let carries = companion.is_some_and(|(what, about)| (*what, about) == (kind, subject));
            !card.shown && ((card.kind, &card.subject) == (kind, subject) || carries)
        };
        quarters += 3 * self.cards.iter().filter(waits).count();
        Ratio::percent(25).times(quarters)
    }

    /// What the owner wants less of is worth a tenth less, and what they want more of a tenth more.
    fn unwanted(&self, kind: ActionKind) -> Ratio {
        let mut wishes = self.settings.wishes.iter();
        let wish = wishes.find(|(of, _)| *of == kind);
        Ratio::percent(wish.map_or(0, |(_, more)| if *more { -10 } else { 10 }))
    }

    fn score(&self, one: &Weighed, trigger: &Trigger) -> Ratio {
        let shown = Ratio::percent(match surface(one.kind) {
            Surface::Watch => 10,
            Surface::PhoneCard | Surface::Push => 20,
            Surface::EarbudTts => 35,
            Surface::Silent => 0,
        });
        let confirm = Ratio::percent(if asks(one.kind) { 5 } else { 0 });
        // Do not disturb costs 1.0 anywhere but on the watch: nothing else is scored then.
        let worth = one.priority * Ratio::new(one.confidence.into(), 1000);
        worth * self.m(one, trigger) - shown - confirm - self.recent(one.kind, &one.subject)
    }

    // ---- the decision ----

    fn merge(proposals: &[Proposal]) -> Vec<Weighed> {
        let mut merged: Vec<Weighed> = vec![];
        for agent in AgentName::FOUR {
            for proposal in proposals.iter().filter(|proposal| proposal.agent == agent) {
                let new = Weighed {
                    kind: proposal.kind,
                    subject: proposal.subject.clone(),
                    agent,
                    class: class(proposal.kind, agent),
                    confidence: proposal.confidence,
                    removed: None,
                    rule: None,
                    score: None,
                    priority: priority(proposal.kind, agent, proposal.severity),
                    sound: proposal.sound,
                    valid_until: proposal.valid_until,
                    let_through: proposal.let_through,
                    asked: false,
                    put_off: 0,
                };
                let same = |old: &&mut Weighed| old.kind == new.kind && old.subject == new.subject;
                match merged.iter_mut().find(same) {
                    None => merged.push(new),
                    Some(old) => {
                        // Wellness wins; of two others the surer one.
                        let wins = match (old.class == Class::Safety, new.class == Class::Safety) {
                            (true, false) => false,
                            (false, true) => true,
                            (true, true) | (false, false) => new.confidence > old.confidence,
                        };
                        // The sections of a brief are put together.
                        let sound = if old.kind == ShowBrief {
                            old.sound && new.sound
                        } else {
                            [old.sound, new.sound][usize::from(wins)]
                        };
                        let let_through = old.let_through || new.let_through;
                        if wins {
                            *old = new;
                        }
                        (old.sound, old.let_through) = (sound, let_through);
                    }
                }
            }
        }
        merged
    }

    /// The surfaces on which a confirmation can be given, and until when.
    pub(crate) fn ends(&self, kind: ActionKind, asked: bool) -> Vec<(Surface, i64)> {
        let mut ends = vec![];
        if surface(kind) == Surface::Watch && self.surfaces.contains(&Surface::Watch) {
            ends.push((Surface::Watch, self.at + 8 * SECOND));
        }
        let there = |surface| self.surfaces.contains(&surface);
        let phone = if there(Surface::PhoneCard) {
            Some(Surface::PhoneCard)
        } else {
            // A push does not say who asks.
            (there(Surface::Push) && by_push(kind) && !asked).then_some(Surface::Push)
        };
        if let Some(phone) = phone.filter(|_| !self.dnd_on()) {
            ends.push((phone, self.at + 60 * SECOND));
        }
        ends
    }

    /// All agents have answered: decides, and lets happen what follows without the owner.
    pub(crate) fn decide(
        &mut self,
        tick: u64,
        (trigger, again): (&Trigger, Option<ActionKind>),
        proposals: &[Proposal],
        fate: Fate,
    ) -> Decided {
        let word = if trigger.source == TriggerSource::Owner {
            Word::Owner
        } else {
            Word::Nobody
        };
        let wall = self.wall();
        // What the tick asks for again is the machine's word; that its time has come is ours.
        let again = again.map(|kind| {
            let about = |one: &Later| one.kind == kind && trigger.subject.as_ref() == Some(&one.subject);
            let place = self.later.iter().position(about).unwrap();
            let one = self.later.remove(place);
            assert!(one.due <= wall || one.held, "too early: {one:?}");
            one
        });
        let before = self.accounts.view();
        let mut all = Self::merge(proposals);
        for one in &mut all {
            one.priority = one.priority - self.unwanted(one.kind);
        }
        let mut asked = self.asked_things();
        for one in all.iter_mut().chain(&mut asked) {
            let safety = one.class == Class::Safety;
            let muted = one.kind == MuteGroup30 && self.muted(&one.subject);
            let about = |later: &&Later| (later.kind, &later.subject) == (one.kind, &one.subject);
            one.put_off = again
                .as_ref()
                .filter(|later| about(later) && !one.asked)
                .map_or(0, |later| later.times);
            let own = if one.put_off > 0 { Word::PutOff } else { word };
            let waits = word != Word::Owner
                && one.put_off == 0
                && self.later.iter().chain(&again).any(|later| about(&later));
            let against = self.forbidden((one.kind, &one.subject), safety, own);
            (one.removed, one.rule) = match against {
                Some((ReasonCode::Paused, _)) => (Some(ReasonCode::Paused), None),
                _ if muted => (Some(ReasonCode::Rule), Some("muted".to_owned())),
                Some((reason, rule)) => (Some(reason), rule),
                None if surface(one.kind) != Surface::Silent
                    && !safety
                    && before.free == 0
                    && one.put_off == 0 =>
                {
                    (Some(ReasonCode::CapDaily), None)
                }
                None if waits => (Some(ReasonCode::Later), None),
                None if one.asked && self.asks_have_had_theirs(before.free) => {
                    (Some(ReasonCode::CapDaily), Some("asks".to_owned()))
                }
                None => (None, None),
            };
            if one.removed.is_none() && !one.asked && one.put_off == 0 {
                one.score = Some(self.score(one, trigger));
            }
        }
        // What is not scored comes last, whatever its order.
        all.sort_by_key(|one| {
            let silent = surface(one.kind) == Surface::Silent;
            (
                one.put_off == 0,
                silent,
                Reverse(one.score),
                Reverse(one.priority),
                one.kind.as_str(),
            )
        });
        // What a program asked for comes after all that passes, silent or not, oldest first.
        all.extend(asked);
        let mut chosen = None;
        for one in &mut all {
            // What is always let through passes the first time that day, whatever its score.
            let first = || self.recent(one.kind, &one.subject) == Ratio::percent(0);
            let by_rule = one.let_through && one.score.is_some() && first();
            let passes = by_rule || one.score.is_some_and(|score| score >= Ratio::percent(45));
            let asked = (one.asked || one.put_off > 0) && one.removed.is_none();
            if !passes && !asked {
                continue;
            }
            let no_surface = asks(one.kind) && self.ends(one.kind, one.asked).is_empty();
            if no_surface || !one.sound {
                let reason = if no_surface {
                    ReasonCode::NoSurface
                } else {
                    ReasonCode::GateRefused
                };
                (one.removed, one.score) = (Some(reason), None);
                continue;
            }
            chosen = Some(one.clone());
            break;
        }
        let companion = chosen
            .as_ref()
            .and_then(|chosen| Self::companion(chosen.kind, &mut all));
        let reason = chosen.is_none().then(|| {
            let worth = |one: &&Weighed| {
                let worth = one.priority * Ratio::new(one.confidence.into(), 1000);
                (one.put_off == 0, one.asked, Reverse(worth), one.kind.as_str())
            };
            // What only the asks' own cap holds back says nothing of the day.
            let counts = |one: &&Weighed| !one.asked || one.rule.as_deref() != Some("asks");
            match all.iter().filter(counts).min_by_key(worth) {
                None => ReasonCode::NoCandidate,
                Some(best) => best.removed.unwrap_or(ReasonCode::BelowThreshold),
            }
        });
        let first = chosen.as_ref().map(|one| {
            let ends = if asks(one.kind) {
                self.ends(one.kind, one.asked)
            } else {
                vec![]
            };
            let first = ends.first().map_or(surface(one.kind), |(surface, _)| *surface);
            (
                one.kind,
                one.subject.clone(),
                first,
                companion.as_ref().map(|(kind, _)| *kind),
            )
        });
        let held = [
            ReasonCode::Paused,
            ReasonCode::CapDnd,
            ReasonCode::CapRecovering,
            ReasonCode::NoSurface,
        ];
        let removed = all.iter().find(|one| one.put_off > 0).and_then(|one| one.removed);
        if let Some(again) = again.filter(|_| removed.is_some_and(|reason| held.contains(&reason))) {
            self.later.push(Later { held: true, ..again });
        }
        let put_off = chosen.as_ref().map_or(0, |chosen| chosen.put_off);
        match chosen {
            None => self.end(tick, Outcome::Silent, reason),
            Some(chosen) => self.go(tick, &chosen, companion, word, fate),
        }
        Decided {
            put_off,
            candidates: all,
            chosen: first,
            reason,
            before,
        }
    }

    /// What programs asked for, each thing once, as candidates that no score is for.
    fn asked_things(&self) -> Vec<Weighed> {
        let mut things: Vec<Weighed> = vec![];
        for ask in self.asks.iter().filter(|ask| self.at < ask.until) {
            if things
                .iter()
                .any(|one| one.kind == ask.kind && one.subject == ask.subject)
            {
                continue;
            }
            things.push(Weighed {
                kind: ask.kind,
                subject: ask.subject.clone(),
                agent: if ask.kind == MuteGroup30 {
                    AgentName::Comms
                } else {
                    AgentName::Wellness
                },
                class: Class::Normal,
                confidence: 0,
                removed: None,
                rule: None,
                score: None,
                priority: Ratio::percent(0),
                sound: true,
                valid_until: None,
                let_through: false,
                asked: true,
                put_off: 0,
            });
        }
        things
    }

    /// It needs only to have passed the caps.
    fn companion(primary: ActionKind, all: &mut [Weighed]) -> Option<(ActionKind, Subject)> {
        let pairs = [(ShowBrief, LeaveByAlert), (SurfaceAnomaly, ProjectBalance)];
        let (_, kind) = pairs.into_iter().find(|(first, _)| *first == primary)?;
        for one in all
            .iter_mut()
            .filter(|one| one.kind == kind && one.removed.is_none())
        {
            if one.sound {
                return Some((one.kind, one.subject.clone()));
            }
            (one.removed, one.score) = (Some(ReasonCode::GateRefused), None);
        }
        None
    }
}
