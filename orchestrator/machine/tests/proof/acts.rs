//! What can happen next.
//!
//! What: [`Act`], and which acts are possible in a world within a bound. Why: whatever is not listed here was not walked.
//! Not here: what an act does (`world`), how far is walked (`explore`).

use crate::proof::{
    explore::Bound,
    world::{ENV, World, late_evening},
};
use orchestrator_machine::{event::CallSlot, next_due, state::MachinePhase};
use toolcall_schema::{ActionKind, AgentName, Surface, ToolName, names::SubmitAct, tick::TriggerSource};

/// What one agent proposes in a tick, and whether with arguments that its tool's schema refuses.
pub(crate) const SCENES: [(AgentName, &[ActionKind], bool); 8] = [
    (AgentName::Comms, &[], false),
    (AgentName::Calendar, &[ActionKind::LeaveByAlert], false),
    (
        AgentName::Finance,
        &[ActionKind::SurfaceAnomaly, ActionKind::ProjectBalance],
        false,
    ),
    (AgentName::Finance, &[ActionKind::CategorizeTxn], false),
    (AgentName::Wellness, &[ActionKind::Breathe478], false),
    (AgentName::Comms, &[ActionKind::DraftReply], false),
    (AgentName::Comms, &[ActionKind::DraftReply], true),
    (AgentName::Comms, &[ActionKind::DraftReply], false),
];

/// The one whose score is too low, and which the owner always lets through.
pub(crate) const LET_THROUGH: usize = 7;

/// Those that a lean walk has.
const LEAN: [usize; 3] = [1, 4, 5];

/// Those beside which a call is asked for: a card that asks nothing, a prompt.
const BESIDE_A_CALL: [usize; 2] = [1, 5];

/// Those beside which a program asks: nothing at all, and a prompt, which goes before it.
const BESIDE_AN_ASK: [usize; 2] = [0, 5];

/// What is put off, and comes back or does not.
const PUT_OFF: [usize; 3] = [0, 1, 5];

/// What the other three do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Answer,
    Fail,
    SayNothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Down {
    /// Shorter than every deadline.
    Short,
    /// Longer than every deadline of a state.
    Long,
}

/// What a start finds changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Nothing,
    /// The owner's file has another policy.
    Policy,
    /// The build has rules of another number.
    Rules,
}

/// Something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Unlock,
    OwnerTick,
    Answers(usize, How),
    Commit(bool),
    Kept(bool),
    Executed(CallSlot, u8),
    See(Surface),
    Submit(SubmitAct, Surface, bool),
    /// At the next deadline.
    Due,
    /// A millisecond before it.
    AlmostDue,
    Midnight,
    Recovering,
    Dnd(bool),
    Pause,
    Ceiling(u8),
    /// The owner's file has another policy.
    Reload,
    Connect(Surface),
    Disconnect(Surface),
    /// The owner asks for a call.
    Ask,
    /// A program asks for one that the owner has to confirm.
    Propose,
    /// The program takes it back.
    TakeBack,
    /// The owner takes back that a card was put off.
    UndoLater,
    CallCommit(bool),
    CallDone(bool),
    CallKept(bool),
    /// The disk holds so many of the events after the last barrier.
    Crash(usize, Down, Changed),
}

impl World {
    pub(crate) fn possible(&self, bound: Bound, acts: &mut Vec<Act>) {
        if !self.broken.is_empty() {
            return;
        }
        let s = self.state();
        let mut ended = s.calls.ended.iter();
        let undone = ended.any(|call| call.tool == ToolName::UndoLater);
        match &s.phase {
            MachinePhase::Idle if s.ticks < if bound.later { 1 } else { bound.ticks } => {
                acts.push(Act::Unlock);
                acts.extend((!bound.lean).then_some(Act::OwnerTick));
            }
            MachinePhase::Listening { tick, answers, .. } if answers.is_empty() => {
                let again = tick.trigger.source == TriggerSource::Later;
                let walked = |scene: &usize| match bound {
                    Bound { asks: true, .. } => BESIDE_AN_ASK.contains(scene),
                    Bound { calls: true, .. } => BESIDE_A_CALL.contains(scene),
                    // Between the two that matter lies the regular look.
                    Bound { later: true, .. } if (s.ticks == 2 || undone) && !again => *scene == 0,
                    Bound { later: true, .. } => PUT_OFF.contains(scene),
                    Bound { lean: true, .. } => LEAN.contains(scene),
                    Bound { .. } => true,
                };
                let scenes = (0..SCENES.len()).filter(walked);
                acts.extend(scenes.map(|scene| Act::Answers(scene, How::Answer)));
                if !bound.lean {
                    acts.push(Act::Answers(1, How::Fail));
                    acts.push(Act::Answers(1, How::SayNothing));
                }
            }
            MachinePhase::Idle
            | MachinePhase::Listening { .. }
            | MachinePhase::Weighing { .. }
            | MachinePhase::Deliberating { .. }
            | MachinePhase::AwaitingConfirm { .. }
            | MachinePhase::Executing { .. }
            | MachinePhase::LoggingTrace { .. }
            | MachinePhase::Cooldown { .. } => {}
        }
        let outstanding = [
            self.commit.map(|_| Act::Commit(true)),
            self.keep.map(|_| Act::Kept(true)),
        ];
        let calls = self.calls.iter();
        let replies = calls
            .flat_map(|(_, slot)| (0..if bound.lean { 1 } else { 3 }).map(|how| Act::Executed(*slot, how)));
        acts.extend(
            outstanding
                .into_iter()
                .flatten()
                .chain(replies)
                .filter(|act| self.disturbances > 0 || !self.disturbs(*act)),
        );
        let waits = matches!(
            s.phase,
            MachinePhase::Idle | MachinePhase::AwaitingConfirm { .. } | MachinePhase::Cooldown { .. }
        );
        // A trace of a call is handed to the disk again each ten seconds for ever: here once.
        if !self.call_kept_again && (waits || !bound.lean || !s.calls.open.is_empty()) {
            acts.push(Act::Due);
        }
        if bound.calls || bound.asks {
            self.what_can_be_asked_for(bound, acts);
        }
        let soon = next_due(s).is_some_and(|due| due.since(self.at) > 1);
        if soon && !bound.lean && matches!(s.phase, MachinePhase::AwaitingConfirm { .. }) {
            acts.push(Act::AlmostDue);
        }
        self.what_the_owner_can_do(bound, acts);
        acts.extend((self.put_off().is_some() && !undone).then_some(Act::UndoLater));
        if self.disturbances > 0 && bound.lean {
            let all = self.journal.len() - 1;
            if bound.calls || bound.asks {
                acts.extend((0..=all).map(|written| Act::Crash(written, Down::Short, Changed::Nothing)));
                acts.push(Act::Crash(all, Down::Long, Changed::Nothing));
                if bound.asks {
                    acts.push(Act::Pause);
                    acts.push(Act::Crash(all, Down::Short, Changed::Policy));
                }
            } else {
                acts.extend(bound.later.then_some(Act::Pause));
                acts.extend([
                    Act::Ceiling(1),
                    Act::Recovering,
                    Act::Crash(all, Down::Short, Changed::Nothing),
                ]);
            }
        } else if self.disturbances > 0 {
            self.what_can_disturb(acts);
        }
    }

    /// One call or one ask, in whatever state, and what the disk and its tool say.
    fn what_can_be_asked_for(&self, bound: Bound, acts: &mut Vec<Act>) {
        let s = self.state();
        if s.calls.begun == 0 && s.calls.ended.is_empty() {
            acts.push(if bound.asks { Act::Propose } else { Act::Ask });
        }
        if s.asks.open.iter().any(|ask| ask.kept) {
            acts.push(Act::TakeBack);
        }
        let mut both = |there: bool, act: fn(bool) -> Act| {
            if there {
                acts.push(act(true));
                acts.extend((self.disturbances > 0).then(|| act(false)));
            }
        };
        both(self.call_commit.is_some(), Act::CallCommit);
        both(self.call_out, Act::CallDone);
        both(self.call_keep.is_some(), Act::CallKept);
    }

    fn what_the_owner_can_do(&self, bound: Bound, acts: &mut Vec<Act>) {
        let Some(card) = self.card() else { return };
        let on: Vec<Surface> = if card.prompts.is_empty() {
            vec![Surface::PhoneCard]
        } else {
            card.prompts.iter().map(|prompt| prompt.surface).collect()
        };
        let tick = card.decision.tick;
        for surface in on.into_iter().filter(|on| self.state().surfaces.contains(on)) {
            acts.push(Act::See(surface));
            if !self.eyes.seen_on.contains(&(tick, surface)) {
                continue;
            }
            acts.push(Act::Submit(SubmitAct::Dismiss, surface, true));
            if bound.later && self.state().later.is_empty() {
                acts.push(Act::Submit(SubmitAct::LaterQuarter, surface, true));
            }
            if card.prompts.is_empty() {
                acts.push(Act::Submit(SubmitAct::Useful, surface, true));
            } else {
                acts.push(Act::Submit(SubmitAct::Confirm, surface, true));
                if !bound.lean {
                    acts.push(Act::Submit(SubmitAct::Edit, surface, true));
                    acts.push(Act::Submit(SubmitAct::Confirm, surface, false));
                }
            }
        }
    }

    fn what_can_disturb(&self, acts: &mut Vec<Act>) {
        if self.commit.is_some() {
            acts.push(Act::Commit(false));
        }
        if self.keep.is_some() {
            acts.push(Act::Kept(false));
        }
        let s = self.state();
        if self.env().next_midnight(self.at) == ENV.next_midnight(late_evening()) {
            acts.push(Act::Midnight);
        }
        acts.extend([
            Act::Recovering,
            Act::Dnd(!self.eyes.dnd),
            Act::Pause,
            Act::Ceiling(1),
            Act::Reload,
        ]);
        for surface in [Surface::Watch, Surface::PhoneCard] {
            acts.push(if s.surfaces.contains(&surface) {
                Act::Disconnect(surface)
            } else {
                Act::Connect(surface)
            });
        }
        for written in 0..self.journal.len() {
            acts.push(Act::Crash(written, Down::Short, Changed::Nothing));
        }
        let all = self.journal.len() - 1;
        acts.push(Act::Crash(all, Down::Long, Changed::Nothing));
        acts.push(Act::Crash(all, Down::Short, Changed::Policy));
        acts.push(Act::Crash(all, Down::Short, Changed::Rules));
    }

    /// Whether it is no part of a quiet day: answers that come when nobody waits for them any more are not.
    pub(crate) fn disturbs(&self, act: Act) -> bool {
        let phase = &self.state().phase;
        match act {
            Act::Commit(true) => !matches!(
                phase,
                MachinePhase::Deliberating { .. }
                    | MachinePhase::Executing {
                        dispatched: false,
                        ..
                    }
            ),
            Act::Kept(true) => !matches!(phase, MachinePhase::LoggingTrace { .. }),
            Act::Executed(..) => !matches!(phase, MachinePhase::Executing { .. }),
            Act::Unlock
            | Act::OwnerTick
            | Act::Answers(..)
            | Act::See(_)
            | Act::Submit(..)
            | Act::Due
            | Act::AlmostDue
            | Act::Ask
            | Act::Propose
            | Act::TakeBack
            | Act::UndoLater
            | Act::CallCommit(true)
            | Act::CallDone(true)
            | Act::CallKept(true) => false,
            Act::Commit(false)
            | Act::Kept(false)
            | Act::Midnight
            | Act::Recovering
            | Act::Dnd(_)
            | Act::Pause
            | Act::Ceiling(_)
            | Act::Reload
            | Act::Connect(_)
            | Act::Disconnect(_)
            | Act::CallCommit(false)
            | Act::CallDone(false)
            | Act::CallKept(false)
            | Act::Crash(..) => true,
        }
    }
}
