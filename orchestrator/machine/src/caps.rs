//! What must not be shown now, whatever it is worth: the owner's word, then the caps.
//!
//! What: [`removal_reason`] over what [`CapContext`] holds, for a candidate before it is scored, and for a decision at the moment when it
//! would be seen for the first time. Why: caps come before scoring and hold until something is shown, and each candidate keeps the reason
//! that removed it. Not here: what a candidate is worth (`rank`), what is done about a card that must wait (`cards`).

use crate::{rank::MergedCandidate, step::StepContext};
use chrono::{NaiveDate, NaiveTime};
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, Class, ReasonCode, Surface, Timestamp,
    milli::Milli,
    rule::OwnerRule,
    tick::{Subject, Trigger, TriggerSource},
    trace::Decision,
};

/// On whose word something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Initiative {
    /// Nobody's: the machine thinks that it is worth it.
    Machine,
    /// The owner's, who had put it off: neither the window nor the budget stands against it.
    PutOff,
    /// The owner's, who asked now: of the moment, only do not disturb and the budget stand against it.
    Owner,
}

impl Initiative {
    /// Of what was decided.
    pub(crate) fn of_decision(decision: &Decision) -> Self {
        if decision.put_off > 0 {
            Initiative::PutOff
        } else {
            Self::of_trigger(&decision.trigger)
        }
    }

    /// Of what a tick weighs.
    pub(crate) fn of_trigger(trigger: &Trigger) -> Self {
        if trigger.source == TriggerSource::Owner {
            Initiative::Owner
        } else {
            Initiative::Machine
        }
    }
}

/// What the caps look at.
#[derive(Debug, Clone)]
pub(crate) struct CapContext<'a> {
    /// The time, on the timeline.
    pub(crate) at: Timestamp,
    /// The same on the wall clock.
    pub(crate) wall: Timestamp,
    /// The local date and time of day.
    pub(crate) local: (NaiveDate, NaiveTime),
    /// On whose word it would be shown.
    pub(crate) initiative: Initiative,
    /// Whether the owner paused Aura.
    pub(crate) paused: bool,
    /// Whether do not disturb is on.
    pub(crate) dnd: bool,
    /// The silence after entering RECOVERING.
    pub(crate) recovering_until: Option<Timestamp>,
    /// The window.
    pub(crate) window_until: Option<Timestamp>,
    /// The window after a safety prompt, which alone holds other safety prompts back.
    pub(crate) safety_window_until: Option<Timestamp>,
    /// Free tokens.
    pub(crate) free: u8,
    /// The owner's rules.
    pub(crate) rules: &'a [OwnerRule],
    /// Subjects that are muted.
    pub(crate) muted: &'a [Subject],
}

/// Why a candidate may not be considered now: the owner's word first, then the caps in their order. With the name of the
/// rule, where it is one.
pub(crate) fn removal_reason(
    standing: &CapContext<'_>,
    candidate: &MergedCandidate,
) -> Option<(ReasonCode, Option<String>)> {
    let surface = candidate.kind.tool().columns().surface;
    let visible = surface != Surface::Silent;
    let unasked = visible && standing.initiative != Initiative::Owner;
    let safety = candidate.class == Class::Safety;
    let later = |until: Option<Timestamp>| until.is_some_and(|until| until > standing.at);
    let window = if safety {
        standing.safety_window_until
    } else {
        standing.window_until
    };
    if standing.paused && unasked {
        return Some((ReasonCode::Paused, None));
    }
    if candidate.kind == ActionKind::MuteGroup30 && standing.muted.contains(&candidate.subject) {
        return Some((ReasonCode::Rule, Some("muted".to_owned())));
    }
    let stands =
        |rule: &&OwnerRule| rule.forbids(candidate.kind, &candidate.subject, standing.wall, standing.local);
    if let Some(rule) = standing.rules.iter().find(stands) {
        return Some((ReasonCode::Rule, Some(rule.name.to_string())));
    }
    let cap = if standing.dnd && !(safety && surface == Surface::Watch) {
        ReasonCode::CapDnd
    } else if unasked && later(standing.recovering_until) {
        ReasonCode::CapRecovering
    } else if visible && standing.initiative == Initiative::Machine && later(window) {
        ReasonCode::CapWindow
    } else if visible && standing.initiative != Initiative::PutOff && !safety && standing.free == 0 {
        ReasonCode::CapDaily
    } else {
        return None;
    };
    Some((cap, None))
}

impl StepContext<'_> {
    /// What the owner's word and the caps look at now.
    pub(crate) fn cap_context(&self, initiative: Initiative, dnd: bool) -> CapContext<'_> {
        CapContext {
            at: self.state.at,
            wall: self.wall(),
            local: self.env.local(self.wall()),
            initiative,
            paused: self.state.paused_until_wall.is_some(),
            dnd,
            recovering_until: self.state.known.recovering_until,
            window_until: self.state.window_until,
            safety_window_until: self.state.safety_window_until,
            free: self.state.ledger.free(),
            rules: &self.state.rules,
            muted: &[],
        }
    }

    /// Why what was chosen must not be seen now for the first time: the caps hold when something is shown, not only when
    /// it is chosen. Its token is reserved, so the budget does not matter any more.
    pub(crate) fn blocking_cap(&self, decision: &Decision) -> Option<ReasonCode> {
        self.blocking_cap_if(decision, Initiative::of_decision(decision))
    }

    /// The same, as if it were shown on another's word.
    pub(crate) fn blocking_cap_if(&self, decision: &Decision, initiative: Initiative) -> Option<ReasonCode> {
        let chosen = decision.chosen.as_ref()?;
        let standing = CapContext {
            free: 1,
            ..self.cap_context(initiative, self.user_state().dnd)
        };
        let merged = MergedCandidate {
            kind: chosen.kind,
            subject: chosen.subject.clone(),
            agent: chosen.kind.tool().agent(),
            asker: chosen.asker,
            class: chosen.class,
            confidence: Milli(0),
            args: Arc::default(),
            valid_until: None,
            evidence: vec![],
            let_through: false,
        };
        removal_reason(&standing, &merged).map(|(reason, _)| reason)
    }
}
