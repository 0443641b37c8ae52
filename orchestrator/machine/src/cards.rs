//! Prompts and cards: showing and expiring.
//!
//! What: the AwaitingConfirm state and cards that ask nothing. Why: a token is spent when something is really shown, and
//! caps hold at that moment. Not here: what the owner does with a card (`answers`), how it looks (`surfaces`).

use crate::{
    caps::Initiative,
    effect::{Effect, IgnoreReason},
    lessons, record,
    state::{
        AcceptedSubmission, CARDS_MAX, CLOSED_MAX, ClosedCard, DeliberationResult, MachinePhase,
        MachineState, OpenCard, Tick,
    },
    step::StepContext,
};
use std::{collections::BTreeSet, sync::Arc};
use toolcall_schema::{
    ActionKind, Class, Outcome, ReasonCode, StateName, Surface, Timestamp,
    ids::{CardId, EventId, TraceId},
    tick::Subject,
    trace::{Card, Decision},
};

/// When the prompt ends: with the last surface on which it was really shown; on none so far, with the last planned.
pub(crate) fn prompt_deadline(decided: &DeliberationResult, shown: &BTreeSet<Surface>) -> Timestamp {
    let Some(plan) = &decided.plan else {
        return Timestamp::default();
    };
    let ends = || {
        plan.prompts
            .iter()
            .map(|prompt| prompt.surface)
            .zip(plan.prompts_until.iter().copied())
    };
    let really = ends()
        .filter(|(surface, _)| shown.contains(surface))
        .map(|(_, until)| until)
        .max();
    really
        .or_else(|| ends().map(|(_, until)| until).max())
        .unwrap_or_default()
}

impl StepContext<'_> {
    // ---- prompts ----

    pub(crate) fn open_prompt(&mut self, tick: Tick, decided: Box<DeliberationResult>) {
        let reason = self.blocking_cap(&decided.decision).or_else(|| {
            let taken_back = self.state.asks.is_taken_back(&decided);
            taken_back.then_some(ReasonCode::Superseded)
        });
        if let Some(reason) = reason {
            let decided = record::suppress_decision(*decided, reason);
            return self.finish_without_call(tick, decided, Outcome::Silent, None, vec![], None);
        }
        let tick = self.enter_state(tick, StateName::AwaitingConfirm);
        self.show_prompt(&decided);
        self.state.phase = MachinePhase::AwaitingConfirm {
            tick,
            decided,
            shown: BTreeSet::new(),
            counted: false,
        };
    }

    pub(crate) fn show_prompt(&mut self, decided: &DeliberationResult) {
        if let Some(card) = prompt_card(decided) {
            self.push_effect(Effect::Show(Box::new(card)));
        }
    }

    /// Nobody answered in time.
    pub(crate) fn on_prompt_timeout(&mut self) {
        let MachinePhase::AwaitingConfirm { tick, decided, .. } = self.take_phase() else {
            return;
        };
        self.close_prompt(&decided, None);
        self.finish_without_call(
            tick,
            *decided,
            Outcome::Dismissed,
            Some(ReasonCode::ConfirmTimeout),
            vec![],
            None,
        );
    }

    pub(crate) fn close_prompt(&mut self, decided: &DeliberationResult, answer: Option<AcceptedSubmission>) {
        if let Some(chosen) = &decided.decision.chosen {
            self.close_card(ClosedCard {
                card_id: chosen.card_id.clone(),
                trace_id: decided.decision.trace_id.clone(),
                answer,
                useful: None,
                about: lessons::subject_of_card(&decided.decision),
            });
        }
    }

    fn close_card(&mut self, card: ClosedCard) {
        if self.state.closed.len() >= CLOSED_MAX {
            self.state.closed.pop_front();
        }
        self.state.closed.push_back(card);
    }

    // ---- cards that ask nothing ----

    pub(crate) fn open_card(&mut self, open: OpenCard) {
        if self.state.cards.len() >= CARDS_MAX {
            let oldest = self.state.cards.remove(0);
            self.expire_card(&oldest);
        }
        self.state.cards.push(open);
    }

    /// The trace is durable: the card may be seen, once no cap stands in the way.
    pub(crate) fn on_trace_durable(&mut self, trace_id: &TraceId) {
        let about = |open: &&mut OpenCard| open.card.decision.trace_id == *trace_id;
        if let Some(open) = self.state.cards.iter_mut().find(about) {
            open.kept = true;
        }
    }

    /// The caps hold at every moment and not only when something is chosen: hands over the cards that may be seen now, and
    /// takes back the cards and the prompt that may not and have not been.
    pub(crate) fn enforce_caps_on_cards(&mut self) {
        for index in 0..self.state.cards.len() {
            let Some(open) = self.state.cards.get(index) else {
                continue;
            };
            let may = open.kept && (open.shown || self.blocking_cap(&open.card.decision).is_none());
            let Some(open) = self.state.cards.get_mut(index).filter(|open| open.handed != may) else {
                continue;
            };
            open.handed = may;
            let effect = if may {
                Effect::Show(Box::new(open.card.clone()))
            } else {
                Effect::Close {
                    card_id: open.card.card_id.clone(),
                    outcome: None,
                }
            };
            self.push_effect(effect);
        }
        self.withdraw_taken_back();
        let MachinePhase::AwaitingConfirm {
            decided,
            counted: false,
            ..
        } = &self.state.phase
        else {
            return;
        };
        if let Some(reason) = self.blocking_cap(&decided.decision) {
            self.withdraw_prompt(reason);
        }
    }

    /// Takes an unseen prompt away.
    pub(crate) fn withdraw_prompt(&mut self, reason: ReasonCode) {
        let MachinePhase::AwaitingConfirm { tick, decided, .. } = self.take_phase() else {
            return;
        };
        self.close_prompt(&decided, None);
        if let Some(chosen) = &decided.decision.chosen {
            let card_id = chosen.card_id.clone();
            self.push_effect(Effect::Close {
                card_id,
                outcome: Some(Outcome::Silent),
            });
        }
        let decided = record::suppress_decision(*decided, reason);
        self.finish_without_call(tick, decided, Outcome::Silent, None, vec![], None);
    }

    pub(crate) fn expire_card(&mut self, open: &OpenCard) {
        let trace_id = open.card.decision.trace_id.clone();
        let row = self.state.ledger.release(&trace_id);
        self.effects.extend(row.map(Effect::Ledger));
        let outcome = open.shown.then_some(Outcome::ExecutedAuto);
        self.push_effect(Effect::Close {
            card_id: open.card.card_id.clone(),
            outcome,
        });
        self.close_card(ClosedCard {
            card_id: open.card.card_id.clone(),
            trace_id,
            answer: None,
            useful: None,
            about: lessons::subject_of_card(&open.card.decision),
        });
    }

    pub(crate) fn expire_cards(&mut self, wall: Timestamp) {
        while let Some(position) = self
            .state
            .cards
            .iter()
            .position(|open| open.card.valid_until <= wall)
        {
            let open = self.state.cards.remove(position);
            self.expire_card(&open);
        }
    }

    /// A shown leave-by is raised once more at its alert time: the same trace, no token, not in the window.
    pub(crate) fn raise_again(&mut self, event: &EventId) -> bool {
        let subject = Subject::from(event);
        let about = |open: &&OpenCard| {
            let (decision, calls) = (&open.card.decision, &open.card.tool_calls);
            let chosen = decision.chosen.as_ref().map(|c| (c.kind, c.subject.clone()));
            let leave_by = (ActionKind::LeaveByAlert, subject.clone());
            open.shown && [chosen, record::carried_companion(decision, calls)].contains(&Some(leave_by))
        };
        let Some(open) = self.state.cards.iter().find(about) else {
            return false;
        };
        let card = open.card.clone();
        // Re-showing does not count against the 30-minute window, but DND still blocks it.
        if self
            .blocking_cap(&card.decision)
            .is_some_and(|reason| reason != ReasonCode::CapWindow)
        {
            return false;
        }
        self.push_effect(Effect::Show(Box::new(card)));
        true
    }

    // ---- what was really shown ----

    pub(crate) fn on_card_shown(&mut self, card_id: &CardId, surface: Surface) {
        if let MachinePhase::AwaitingConfirm {
            decided,
            shown,
            counted,
            ..
        } = &mut self.state.phase
            && let Some(chosen) = decided
                .decision
                .chosen
                .as_ref()
                .filter(|chosen| chosen.card_id == *card_id)
        {
            // On a surface whose time is over it is not shown any more, whatever a late page says.
            let now = self.state.at;
            let planned = decided.plan.as_ref().is_some_and(|plan| {
                let mut ends = plan.prompts.iter().zip(&plan.prompts_until);
                ends.any(|(prompt, until)| prompt.surface == surface && now < *until)
            });
            if !planned {
                return self.ignore(IgnoreReason::UnknownCard);
            }
            shown.insert(surface);
            if !std::mem::replace(counted, true) {
                let (past, class) = ((chosen.kind, chosen.subject.clone()), chosen.class);
                let asked_for = record::is_asked_for(&decided.decision);
                let trace_id = decided.decision.trace_id.clone();
                self.settle(&trace_id, class, asked_for);
                self.remember_shown(past.0, past.1);
            }
            return;
        }
        let known = |open: &OpenCard| open.handed && open.card.card_id == *card_id;
        if !self.state.cards.iter().any(known) {
            return self.ignore(IgnoreReason::UnknownCard);
        }
        let open = self
            .state
            .cards
            .iter()
            .find(|open| open.card.card_id == *card_id && !open.shown);
        let new = open.map(|open| open.card.decision.clone());
        self.card_shown(card_id);
        if let Some(decision) = new.filter(|_| surface == Surface::PhoneCard) {
            self.announce(&decision);
        }
    }

    /// What was just shown on the phone is said aloud: once while a page is connected, and only where nothing forbids it. What
    /// the owner asked for may be shown in a pause; it is not spoken into one.
    fn announce(&mut self, decision: &Decision) {
        let Some(chosen) = &decision.chosen else { return };
        let there = self.is_connected(Surface::EarbudTts) && self.is_connected(Surface::PhoneCard);
        // The window that bars is the one that this card has opened.
        let barred = self.blocking_cap_if(decision, Initiative::Machine);
        let may = barred.is_none_or(|reason| reason == ReasonCode::CapWindow);
        if there && may && chosen.kind.tool().is_announced() && !self.state.announced {
            self.state.announced = true;
            self.push_effect(Effect::Announce { kind: chosen.kind });
        }
    }

    /// A card was shown; nothing when it is none that can be, or was before.
    pub(crate) fn card_shown(&mut self, card_id: &CardId) {
        let new = |open: &&mut OpenCard| open.handed && !open.shown && open.card.card_id == *card_id;
        if let Some(open) = self.state.cards.iter_mut().find(new) {
            open.shown = true;
            let (decision, asked_for) = (open.card.decision.clone(), open.asked_for);
            let companion = record::companion(&decision, &open.card.tool_calls);
            self.first_shown(&decision, companion, asked_for);
        }
    }

    /// With the companion that is really on the card.
    pub(crate) fn first_shown(
        &mut self,
        decision: &Decision,
        companion: Option<ActionKind>,
        asked_for: bool,
    ) {
        let Some(chosen) = &decision.chosen else { return };
        self.settle(&decision.trace_id, chosen.class, asked_for);
        self.remember_shown(chosen.kind, chosen.subject.clone());
        if let Some(companion) = companion
            && let Some(subject) = record::considered(decision, companion)
        {
            self.remember_shown(companion, subject.clone());
        }
    }

    /// The first `Shown`: the token is spent and the window opens, for other safety prompts only after one of them.
    fn settle(&mut self, trace_id: &TraceId, class: Class, asked_for: bool) {
        let row = self.state.ledger.settle(trace_id);
        self.effects.extend(row.map(Effect::Ledger));
        if !asked_for {
            let until = Some(self.state.at.plus_ms(self.env.policy.window_ms()));
            self.state.window_until = until;
            if class == Class::Safety {
                self.state.safety_window_until = until;
            }
        }
    }
}

/// What is on the cards that wait to be seen, companions included.
pub(crate) fn unseen_subjects(cards: &[OpenCard]) -> Vec<(ActionKind, Subject)> {
    let mut waiting = Vec::new();
    for open in cards.iter().filter(|open| !open.shown) {
        let decision = &open.card.decision;
        waiting.extend(decision.chosen.iter().map(|c| (c.kind, c.subject.clone())));
        waiting.extend(record::carried_companion(decision, &open.card.tool_calls));
    }
    waiting
}

/// The card to be seen now: the open prompt, else the newest card that is still worth showing.
pub fn current_card(state: &MachineState) -> Option<Card> {
    if let MachinePhase::AwaitingConfirm { decided, .. } = &state.phase {
        return prompt_card(decided);
    }
    state
        .cards
        .iter()
        .rev()
        .find(|open| open.handed)
        .map(|open| open.card.clone())
}

/// A card for the phone's notifications.
#[derive(Debug, Clone, PartialEq)]
pub struct PushCard {
    /// The card.
    pub card: Card,
    /// Whether it was shown before, here or elsewhere.
    pub seen: bool,
}

/// The card to be pushed now: the open prompt where push is asked, else the newest card that is worth showing while no page of
/// the phone is connected.
pub fn card_to_push(state: &MachineState) -> Option<PushCard> {
    if let MachinePhase::AwaitingConfirm { decided, shown, .. } = &state.phase {
        let card = prompt_card(decided)?;
        let asked = card.prompts.iter().any(|prompt| prompt.surface == Surface::Push);
        let seen = shown.contains(&Surface::Push);
        return asked.then_some(PushCard { card, seen });
    }
    let there = |surface| state.surfaces.contains(&surface);
    let open = state.cards.iter().rev().find(|open| open.handed)?;
    (there(Surface::Push) && !there(Surface::PhoneCard)).then(|| PushCard {
        card: open.card.clone(),
        seen: open.shown,
    })
}

/// The card of a prompt.
fn prompt_card(decided: &DeliberationResult) -> Option<Card> {
    let (plan, chosen) = (decided.plan.as_ref()?, decided.decision.chosen.as_ref()?);
    Some(Card {
        card_id: chosen.card_id.clone(),
        decision: Arc::clone(&decided.decision),
        tool_calls: vec![],
        prompts: plan.prompts.clone(),
        valid_until: plan
            .prompts
            .iter()
            .map(|prompt| prompt.expires_at)
            .max()
            .unwrap_or_default(),
    })
}
