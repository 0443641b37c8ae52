//! Trying again what the window held back.
//!
//! What: [`CandidateRetry`], a leave-by or the digest that ends a mute, with when it is tried again and until when it helps. Why:
//! what was promised is not lost because something else was shown first. Not here: what a score says about it (`rank`),
//! the timer (`timers`).

use crate::{
    deliberate::RankedCandidate,
    intake::trigger_until,
    rank,
    state::{HistoryEntry, MachineState, Tick},
    step::StepContext,
};
use serde::{Deserialize, Deserializer, Serialize};
use toolcall_schema::{
    ActionKind, ReasonCode, Timestamp,
    ids::EventId,
    tick::{Subject, Trigger, TriggerSource},
};

/// At most this many wait; the one that has waited longest makes room.
pub const RETRIES_MAX: usize = 16;

/// For how long after the end of its mute a digest is tried again.
const DIGEST_MIN: i64 = 60;

/// A candidate that is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateRetry {
    /// `LEAVE_BY_ALERT` or `BATCH_DIGEST`.
    pub kind: ActionKind,
    /// The event, or the channel.
    pub subject: Subject,
    /// Not before this instant of the timeline; when the window ends later, at its end.
    pub at: Timestamp,
    /// Until when it helps (wall clock). Absent for a leave-by: the calendar says it.
    pub until_wall: Option<Timestamp>,
}

impl CandidateRetry {
    /// When it is tried again, on the timeline.
    pub(crate) fn due(&self, window_until: Option<Timestamp>) -> Timestamp {
        self.at.max(window_until.unwrap_or(self.at))
    }
}

/// Reads the list, or the single leave-by that states before rules number 2 hold in its place.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<CandidateRetry>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum StoredRetries {
        Many(Vec<CandidateRetry>),
        One(Option<(EventId, Timestamp)>),
    }
    Ok(match StoredRetries::deserialize(d)? {
        StoredRetries::Many(retries) => retries,
        StoredRetries::One(one) => one
            .map(|(event, at)| CandidateRetry {
                kind: ActionKind::LeaveByAlert,
                subject: Subject::from(&event),
                at,
                until_wall: None,
            })
            .into_iter()
            .collect(),
    })
}

impl StepContext<'_> {
    /// What the closed window removed is tried again at its end.
    pub(crate) fn retry_blocked(&mut self, tick: &Tick, weighed: &[RankedCandidate]) {
        let Some(at) = self.state.window_until else { return };
        let blocked = |w: &&RankedCandidate| {
            w.removed
                .as_ref()
                .is_some_and(|(reason, _)| *reason == ReasonCode::CapWindow)
        };
        for one in weighed.iter().filter(blocked) {
            self.schedule_retry(tick, one, at);
        }
    }

    /// What another candidate was preferred to is tried again when that one's window is over.
    pub(crate) fn retry_outranked(
        &mut self,
        tick: &Tick,
        weighed: &[RankedCandidate],
        chosen: (ActionKind, &Subject),
    ) {
        let at = self.state.at.plus_ms(self.env.policy.interval_ms());
        let passes = |w: &&RankedCandidate| w.reaches(self.env.policy.threshold());
        let others: Vec<&RankedCandidate> = weighed
            .iter()
            .filter(passes)
            .filter(|w| (w.merged.kind, &w.merged.subject) != chosen)
            .filter(|w| w.merged.kind == ActionKind::BatchDigest)
            .collect();
        for one in others {
            self.schedule_retry(tick, one, at);
        }
    }

    fn schedule_retry(&mut self, tick: &Tick, one: &RankedCandidate, at: Timestamp) {
        let (kind, subject) = (one.merged.kind, &one.merged.subject);
        let until_wall = match kind {
            // One that was shown is raised again at its alert time.
            ActionKind::LeaveByAlert if !self.is_already_shown(subject) => None,
            ActionKind::BatchDigest if rank::ends_a_mute(&tick.trigger, kind, subject) => {
                Some(digest_until(&tick.trigger))
            }
            ActionKind::LeaveByAlert
            | ActionKind::BatchDigest
            | ActionKind::PrepareMeeting
            | ActionKind::MuteGroup30
            | ActionKind::Breathe478
            | ActionKind::Nap15
            | ActionKind::PermitLeisure
            | ActionKind::ShowBrief
            | ActionKind::CategorizeTxn
            | ActionKind::SurfaceAnomaly
            | ActionKind::ProjectBalance
            | ActionKind::DraftReply
            | ActionKind::DeclineEvent => return,
        };
        let retry = CandidateRetry {
            kind,
            subject: subject.clone(),
            at,
            until_wall,
        };
        self.state
            .retries
            .retain(|old| (old.kind, &old.subject) != (retry.kind, &retry.subject));
        if self.state.retries.len() >= RETRIES_MAX {
            self.state.retries.remove(0);
        }
        self.state.retries.push(retry);
    }

    fn is_already_shown(&self, event: &Subject) -> bool {
        let shown = |past: &HistoryEntry| past.kind == ActionKind::LeaveByAlert && past.subject == *event;
        self.state.history.iter().any(shown)
    }

    /// What is to be tried again by now starts a tick, while it still helps.
    pub(crate) fn fire_due_retries(&mut self, due: Timestamp) {
        let window = self.state.window_until;
        let (over, waiting) = std::mem::take(&mut self.state.retries)
            .into_iter()
            .partition(|retry| retry.due(window) <= due);
        self.state.retries = waiting;
        let over: Vec<CandidateRetry> = over;
        for retry in over {
            let at = self.state.wall(retry.due(window));
            let until = retry
                .until_wall
                .or_else(|| leave_by(self.state, &retry.subject))
                .filter(|until| *until > at);
            if let Some(until) = until {
                self.enqueue(trigger_until(
                    TriggerSource::WindowEnded,
                    retry.subject,
                    at,
                    until,
                ));
            }
        }
    }
}

/// Until when the digest that a trigger is about helps (wall clock).
fn digest_until(trigger: &Trigger) -> Timestamp {
    if trigger.source == TriggerSource::WindowEnded {
        trigger.valid_until
    } else {
        trigger.at.plus_min(DIGEST_MIN)
    }
}

fn leave_by(state: &MachineState, subject: &Subject) -> Option<Timestamp> {
    let event = EventId::parse(subject.as_str()).ok()?;
    state.known.alerts_wall.get(&event).map(|alert| alert.leave_by)
}
