//! What the owner put off.
//!
//! What: [`PostponedCard`], from the answer that puts a card off to the tick that asks the agents again, and what holds that up. Why: "later" is a
//! promise with an hour, and the one way in which something comes back that no score was for. Not here: whether an answer counts (`answers`), the
//! caps (`caps`), choosing (`choose`).
//!
//! While something waits here, no other tick proposes it (`later` beside the candidate), but one that the owner asked for. What comes back costs no
//! token and opens no window. A pause, do not disturb, the silence after stress and a missing surface hold it up, until [`VALID_MIN`] after its time.
//! The owner can take it back while it waits: then its time is now.

use crate::{
    intake::trigger_until,
    rank::MergedCandidate,
    record,
    state::{MachinePhase, MachineState, Tick},
    step::StepContext,
};
use chrono::NaiveTime;
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    ActionKind, AgentStatus, ReasonCode, SubmitAct, Timestamp,
    ids::TraceId,
    names::LATER_IN_A_ROW,
    tick::{PerAgent, Subject, Trigger, TriggerSource, UserState},
    trace::Decision,
};

/// At most this many wait.
pub const LATER_MAX: usize = 16;
/// For how long after its time something is still asked for again, in minutes.
pub const VALID_MIN: i64 = 4 * 60;
/// How long after an agent did not answer it is asked again, in minutes.
const UNHEARD_MIN: i64 = 15;
/// The hour of "this evening".
const EVENING_HOUR: u32 = 18;

/// Something that was put off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostponedCard {
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// Whose card was put off.
    pub trace_id: TraceId,
    /// One of [`SubmitAct::LATER`].
    pub choice: SubmitAct,
    /// How often in a row, this time included.
    pub times: u8,
    /// When the agents are asked again (wall clock).
    pub due_wall: Timestamp,
    /// Until when it is worth that (wall clock).
    pub until_wall: Timestamp,
    /// A tick that asks for it is queued or under way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// What held it up the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<ReasonCode>,
}

impl PostponedCard {
    pub(crate) fn is_about(&self, kind: ActionKind, subject: &Subject) -> bool {
        self.kind == kind && self.subject == *subject
    }

    /// Whether it is the card of a decision, and waits for its hour: the agents are not being asked yet.
    pub fn is_waiting_of(&self, trace_id: &TraceId) -> bool {
        self.trace_id == *trace_id && !self.asked
    }

    /// Whether it was put off for a time, not to an hour of the day.
    fn is_lasting(&self) -> bool {
        matches!(self.choice, SubmitAct::LaterQuarter | SubmitAct::LaterHour)
    }
}

/// What of a decision is put off: what an agent proposed, at most [`LATER_IN_A_ROW`] times, while there is room.
fn postponable(state: &MachineState, decision: &Decision) -> Option<(ActionKind, Subject, u8)> {
    // What a program asked for has an end of its own.
    let chosen = decision.chosen.as_ref().filter(|chosen| chosen.asker.is_none())?;
    let same = |card: &&PostponedCard| card.is_about(chosen.kind, &chosen.subject);
    let waiting = state.later.iter().find(same);
    let before = decision.put_off.max(waiting.map_or(0, |card| card.times));
    let room = waiting.is_some() || state.later.len() < LATER_MAX;
    (before < LATER_IN_A_ROW && room).then(|| (chosen.kind, chosen.subject.clone(), before + 1))
}

impl StepContext<'_> {
    /// When what is put off now comes back (wall clock); `None`: the act puts nothing off.
    fn later_due(&self, act: SubmitAct) -> Option<Timestamp> {
        let wall = self.wall();
        let at = |after, time| self.env.next_local(after, time);
        match act {
            SubmitAct::LaterQuarter => Some(wall.plus_min(15)),
            SubmitAct::LaterHour => Some(wall.plus_min(60)),
            SubmitAct::LaterEvening => Some(at(
                wall,
                NaiveTime::from_hms_opt(EVENING_HOUR, 0, 0).unwrap_or_default(),
            )),
            SubmitAct::LaterTomorrow => {
                let before_midnight = self.env.next_midnight(wall).plus_ms(-1);
                Some(at(before_midnight, self.env.settings.brief.from))
            }
            SubmitAct::Confirm | SubmitAct::Dismiss | SubmitAct::Useful | SubmitAct::Edit => None,
        }
    }

    /// When a decision's card comes back; `Err`: it cannot be put off.
    pub(crate) fn judge_later(&self, decision: &Decision, act: SubmitAct) -> Result<Option<Timestamp>, ()> {
        match self.later_due(act) {
            Some(_) if postponable(self.state, decision).is_none() => Err(()),
            due => Ok(due),
        }
    }

    /// Remembers what was put off.
    pub(crate) fn postpone(&mut self, decision: &Decision, choice: SubmitAct) {
        let (Some(due_wall), Some((kind, subject, times))) =
            (self.later_due(choice), postponable(self.state, decision))
        else {
            return;
        };
        self.state.later.retain(|card| !card.is_about(kind, &subject));
        self.state.later.push(PostponedCard {
            kind,
            subject,
            trace_id: decision.trace_id.clone(),
            choice,
            times,
            due_wall,
            until_wall: due_wall.plus_min(VALID_MIN),
            asked: false,
            held: None,
        });
    }

    /// Whether a candidate waits for its hour.
    pub(crate) fn is_put_off(&self, candidate: &MergedCandidate) -> bool {
        let mut waiting = self.state.later.iter();
        waiting.any(|card| card.is_about(candidate.kind, &candidate.subject))
    }

    /// What a tick is to ask for again.
    pub(crate) fn postponed_of(&self, trigger: &Trigger) -> Option<&PostponedCard> {
        let mut asked = self.state.later.iter().filter(|card| card.asked);
        let subject = trigger
            .subject
            .as_ref()
            .filter(|_| trigger.source == TriggerSource::Later)?;
        asked.find(|card| card.subject == *subject)
    }

    /// The owner's state for a tick. A brief that was put off is due whatever the hour.
    pub(crate) fn user_in_tick(&self, trigger: &Trigger) -> UserState {
        let mut user = self.user_state();
        let brief = self
            .postponed_of(trigger)
            .is_some_and(|card| card.kind == ActionKind::ShowBrief);
        user.brief_due |= brief;
        user
    }

    /// The owner takes back that a card was put off: the agents are asked again now, and this time does not count in the row.
    pub(crate) fn undo_later(&mut self, trace_id: &TraceId) {
        let wall = self.wall();
        let waits = |card: &&mut PostponedCard| card.is_waiting_of(trace_id);
        if let Some(card) = self.state.later.iter_mut().find(waits) {
            // What comes back was put off once at least: that is why no score is for it.
            card.times = card.times.saturating_sub(1).max(1);
            card.until_wall = wall.plus_min(VALID_MIN);
            let card = card.clone();
            self.wake(&card);
        }
    }

    /// What became due: the agents are asked again.
    pub(crate) fn fire_due_later(&mut self, wall: Timestamp) {
        let mut due = Vec::new();
        for card in &mut self.state.later {
            if !card.asked && card.due_wall <= wall {
                card.asked = true;
                due.push(card.clone());
            }
        }
        for card in due {
            self.request_again(&card);
        }
    }

    fn request_again(&mut self, card: &PostponedCard) {
        self.enqueue(trigger_until(
            TriggerSource::Later,
            card.subject.clone(),
            card.due_wall,
            card.until_wall,
        ));
    }

    /// Whether whoever proposes what a tick is to ask for again did not answer.
    pub(crate) fn is_unheard(&self, tick: &Tick, status: &PerAgent<AgentStatus>) -> bool {
        self.postponed_of(&tick.trigger).is_some_and(|card| {
            let of_its_agent = status.get(&card.kind.tool().agent());
            of_its_agent.is_some_and(|status| *status != AgentStatus::Answered)
        })
    }

    /// The tick has decided about what it was to ask for. `removed`: the reason why it was not shown, where an agent proposed it again. `unheard`: nobody can
    /// tell whether it is still so.
    pub(crate) fn settle_later(&mut self, tick: &Tick, removed: Option<ReasonCode>, unheard: bool) {
        let Some(asked) = self.postponed_of(&tick.trigger).cloned() else {
            return;
        };
        self.state
            .later
            .retain(|card| !card.is_about(asked.kind, &asked.subject));
        let held = removed.filter(|reason| holds_up(*reason));
        let again = if unheard {
            Some(self.wall().plus_min(UNHEARD_MIN))
        } else {
            held.map(|reason| record::next_possible(self.env, self.state, Some(reason)).at)
        };
        if let Some(due_wall) = again.filter(|due| *due < asked.until_wall) {
            self.state.later.push(PostponedCard {
                due_wall,
                asked: false,
                held,
                ..asked.clone()
            });
        }
        // One trigger stands for all that are about one thing.
        let mut others = self.state.later.iter();
        if let Some(other) = others
            .find(|card| card.asked && card.subject == asked.subject)
            .cloned()
        {
            self.request_again(&other);
        }
    }

    /// What held something up may have ended before its time.
    pub(crate) fn wake_held(&mut self) {
        let free = |reason| {
            if reason == ReasonCode::Paused {
                self.state.paused_until_wall.is_none()
            } else {
                reason == ReasonCode::CapDnd && !self.user_state().dnd
            }
        };
        let waiting = self.state.later.iter().filter(|card| !card.asked);
        let awake: Vec<PostponedCard> = waiting
            .filter(|card| card.held.is_some_and(free))
            .cloned()
            .collect();
        for card in awake {
            self.wake(&card);
        }
    }

    /// There is a surface again.
    pub(crate) fn wake_unseen(&mut self) {
        let waiting = self.state.later.iter().filter(|card| !card.asked);
        let unseen = waiting.filter(|card| card.held == Some(ReasonCode::NoSurface));
        let awake: Vec<PostponedCard> = unseen.cloned().collect();
        for card in awake {
            self.wake(&card);
        }
    }

    fn wake(&mut self, card: &PostponedCard) {
        let wall = self.wall();
        let same = |old: &&mut PostponedCard| old.is_about(card.kind, &card.subject);
        if let Some(card) = self.state.later.iter_mut().find(same) {
            (card.due_wall, card.asked) = (wall, true);
            let card = card.clone();
            self.request_again(&card);
        }
    }

    /// A trigger that asked for something is gone, and with it what it asked for.
    pub(crate) fn drop_later(&mut self, trigger: &Trigger) {
        if trigger.source == TriggerSource::Later {
            let goes = |card: &PostponedCard| card.asked && trigger.subject.as_ref() == Some(&card.subject);
            self.state.later.retain(|card| !goes(card));
        }
    }

    /// The same for the open tick, which ends before it has decided.
    pub(crate) fn drop_later_of(&mut self, phase: &MachinePhase) {
        if let MachinePhase::Listening { tick, .. } | MachinePhase::Weighing { tick, .. } = phase {
            self.drop_later(&tick.trigger);
        }
    }

    /// The wall clock was set. A time that was named lasts that time; an hour of the day is that of the new day, and never farther away.
    pub(crate) fn move_later(&mut self, jump_ms: i64) {
        for index in 0..self.state.later.len() {
            let Some(choice) = self.state.later.get(index).map(|card| card.choice) else {
                continue;
            };
            let anew = self.later_due(choice);
            let Some(card) = self.state.later.get_mut(index) else {
                continue;
            };
            if card.is_lasting() || card.held.is_some() || card.asked {
                card.due_wall = card.due_wall.plus_ms(jump_ms);
                card.until_wall = card.until_wall.plus_ms(jump_ms);
            } else if let Some(anew) = anew.filter(|anew| *anew < card.due_wall) {
                card.due_wall = anew;
                card.until_wall = anew.plus_min(VALID_MIN);
            }
        }
    }
}

/// Whether a reason holds something up, and does not end it.
fn holds_up(reason: ReasonCode) -> bool {
    [
        ReasonCode::Paused,
        ReasonCode::CapDnd,
        ReasonCode::CapRecovering,
        ReasonCode::NoSurface,
    ]
    .contains(&reason)
}
