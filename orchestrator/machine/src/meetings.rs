//! When to prepare for a meeting.
//!
//! What: a tick of its own ten minutes before, and another one where that could not tell or must not be shown: when what stood against it ends, by its time or
//! by the owner. Why: who asked for it wants it as long as the meeting has not begun. Not here: which meetings there are (`agents`), what is due beside
//! them (`intake`).

use crate::{
    deliberate::RankedCandidate,
    intake::trigger_until,
    record,
    state::{MeetingAlert, Tick},
    step::StepContext,
};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, ReasonCode, Timestamp,
    ids::EventId,
    tick::{PerAgent, Subject, TriggerSource},
};

/// After so long a meeting is asked about again whose agent could not say.
const UNHEARD_MIN: i64 = 1;

/// Whether what stands against a meeting may end before it starts.
fn may_end(reason: ReasonCode) -> bool {
    match reason {
        ReasonCode::CapDnd
        | ReasonCode::CapRecovering
        | ReasonCode::CapWindow
        | ReasonCode::CapDaily
        | ReasonCode::Paused
        | ReasonCode::Rule => true,
        ReasonCode::NoCandidate
        | ReasonCode::BelowThreshold
        | ReasonCode::DeliberationTimeout
        | ReasonCode::NoSurface
        | ReasonCode::GateRefused
        | ReasonCode::OwnerDismissed
        | ReasonCode::ConfirmTimeout
        | ReasonCode::Edited
        | ReasonCode::ToolFailed
        | ReasonCode::ResultRejected
        | ReasonCode::UnknownAfterCrash
        | ReasonCode::Superseded
        | ReasonCode::Later => false,
    }
}

impl StepContext<'_> {
    /// Ten minutes before a meeting a tick of its own asks who prepares it, until it starts.
    pub(crate) fn fire_due_meetings(&mut self, wall: Timestamp) {
        self.ask_about_meetings(|_, meeting| {
            (!meeting.done && meeting.prepare_at <= wall).then_some(meeting.prepare_at)
        });
    }

    /// What stood against one may have ended before its time, or by the owner.
    pub(crate) fn wake_held_meetings(&mut self) {
        let wall = self.wall();
        let meetings = self.state.known.meetings_wall.iter();
        let is_free = |(event, meeting): &(&EventId, &MeetingAlert)| {
            meeting.start > wall && meeting.held.is_some_and(|reason| self.is_over(reason, event))
        };
        let free: Vec<EventId> = meetings.filter(is_free).map(|(event, _)| event.clone()).collect();
        if !free.is_empty() {
            self.ask_about_meetings(|event, _| free.contains(event).then_some(wall));
        }
    }

    /// Whether that no longer stands against preparing for a meeting; of what ends by its time alone, that time tells.
    fn is_over(&self, reason: ReasonCode, event: &EventId) -> bool {
        if reason == ReasonCode::Paused {
            self.state.paused_until_wall.is_none()
        } else if reason == ReasonCode::CapDnd {
            !self.user_state().dnd
        } else if reason == ReasonCode::CapDaily {
            self.state.ledger.free() > 0
        } else if reason == ReasonCode::Rule {
            let (wall, subject) = (self.wall(), Subject::from(event));
            let local = self.env.local(wall);
            let mut rules = self.state.rules.iter();
            !rules.any(|rule| rule.forbids(ActionKind::PrepareMeeting, &subject, wall, local))
        } else {
            false
        }
    }

    /// Asks about those for which there is a time since when that is due.
    fn ask_about_meetings(&mut self, due: impl Fn(&EventId, &MeetingAlert) -> Option<Timestamp>) {
        let mut asked = Vec::new();
        for (event, meeting) in &mut self.state.known.meetings_wall {
            if let Some(at) = due(event, meeting) {
                (meeting.prepare_at, meeting.done, meeting.held) = (at, true, None);
                asked.push((Subject::from(event), at, meeting.start));
            }
        }
        for (subject, at, start) in asked {
            self.enqueue(trigger_until(TriggerSource::AlertAt, subject, at, start));
        }
    }

    /// It is told of now: nothing asks about it once more.
    pub(crate) fn meeting_is_told(&mut self, subject: &Subject) {
        let mut meetings = self.state.known.meetings_wall.iter_mut();
        if let Some((_, meeting)) = meetings.find(|(event, _)| *subject == Subject::from(*event)) {
            (meeting.done, meeting.held) = (true, None);
        }
    }

    /// A tick has asked about a meeting. Where Calendar could not say, it is asked again a minute later; where something stood against it, when that ends:
    /// until the meeting starts.
    pub(crate) fn settle_meeting(
        &mut self,
        tick: &Tick,
        status: &PerAgent<AgentStatus>,
        weighed: &[RankedCandidate],
    ) {
        let trigger = &tick.trigger;
        let Some(subject) = trigger
            .subject
            .as_ref()
            .filter(|_| trigger.source == TriggerSource::AlertAt)
        else {
            return;
        };
        let held = weighed
            .iter()
            .find(|one| one.merged.kind == ActionKind::PrepareMeeting && one.merged.subject == *subject)
            .and_then(|one| one.removed.as_ref())
            .map(|(reason, _)| *reason)
            .filter(|reason| may_end(*reason));
        let again = if status.get(&AgentName::Calendar) == Some(&AgentStatus::Answered) {
            held.and_then(|reason| record::known_end(self.env, self.state, reason))
        } else {
            Some(self.wall().plus_min(UNHEARD_MIN))
        };
        let mut meetings = self.state.known.meetings_wall.iter_mut();
        let asked = meetings.find(|(event, meeting)| {
            meeting.done && meeting.prepare_at == trigger.at && *subject == Subject::from(*event)
        });
        if let Some((_, meeting)) = asked {
            meeting.held = held;
            if let Some(at) = again.filter(|at| *at < meeting.start) {
                (meeting.prepare_at, meeting.done) = (at, false);
            }
        }
    }
}
