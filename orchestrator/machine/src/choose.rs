//! Choosing: one candidate, where it is asked, and what goes with it.
//!
//! What: the first candidate that passes, can be shown and would be admitted by the gate; its companion; its prompts with their ends and
//! capabilities. Why: nothing is decided that could then not be asked or done. Not here: the order of the candidates (`deliberate`), what
//! was removed before (`caps`), opening a prompt (`cards`).

use crate::{
    capability::{self, CapabilityClaims},
    deliberate::RankedCandidate,
    effect::Effect,
    policy::companion_of,
    rank::MergedCandidate,
    state::{ActionPlan, PlannedCall, Tick},
    step::StepContext,
};
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, Confirm, ReasonCode, Surface, Timestamp, gate,
    tick::{Subject, UserState},
    trace::{ChosenAction, Prompt},
};

/// How long the watch accepts, from the decision.
const WATCH_MS: i64 = 8_000;
/// How long the phone accepts, from the decision.
const PHONE_MS: i64 = 60_000;
/// How long a card that asks nothing is worth showing when its agent does not say.
const CARD_VALID_MIN: i64 = 4 * 60;

impl StepContext<'_> {
    /// The first that passes: surfacing kinds before silent ones, each only if it can be shown and its call would be
    /// admitted.
    pub(crate) fn choose(
        &mut self,
        tick: &Tick,
        user: &UserState,
        weighed: &mut [RankedCandidate],
        preferred: Option<&(ActionKind, Subject)>,
    ) -> Option<(ChosenAction, ActionPlan)> {
        if let Some(found) = self.choose_put_off(tick, user, weighed) {
            return Some(found);
        }
        let threshold = self.env.policy.threshold();
        let is_preferred = |w: &RankedCandidate| {
            preferred.is_some_and(|(kind, subject)| w.merged.kind == *kind && w.merged.subject == *subject)
        };
        let first = weighed.iter().position(is_preferred);
        let others = (0..weighed.len()).filter(|index| Some(*index) != first);
        let order: Vec<usize> = first.into_iter().chain(others).collect();
        for surfacing in [true, false] {
            for index in order.iter().copied() {
                let Some(one) = weighed.get_mut(index) else {
                    continue;
                };
                if !one.reaches(threshold) || (one.surface() != Surface::Silent) != surfacing {
                    continue;
                }
                let Some((surfaces, primary)) = self.admitted(tick, user, one) else {
                    continue;
                };
                let kind = one.merged.kind;
                let companion = self.companion(tick, kind, weighed);
                let chosen = weighed.get(index)?;
                return Some(self.plan(tick, &chosen.merged, primary, companion, &surfaces));
            }
        }
        self.choose_ask(tick, user, weighed)
    }

    /// What the owner put off until now goes before whatever has a score.
    fn choose_put_off(
        &mut self,
        tick: &Tick,
        user: &UserState,
        weighed: &mut [RankedCandidate],
    ) -> Option<(ChosenAction, ActionPlan)> {
        let index = weighed
            .iter()
            .position(|w| w.put_off > 0 && w.removed.is_none())?;
        let one = weighed.get_mut(index)?;
        let kind = one.merged.kind;
        let (surfaces, primary) = self.admitted(tick, user, one)?;
        let companion = self.companion(tick, kind, weighed);
        let chosen = weighed.get(index)?;
        Some(self.plan(tick, &chosen.merged, primary, companion, &surfaces))
    }

    /// Nothing that an agent proposed passes: the oldest ask that no cap stands against and that can be shown.
    fn choose_ask(
        &mut self,
        tick: &Tick,
        user: &UserState,
        weighed: &mut [RankedCandidate],
    ) -> Option<(ChosenAction, ActionPlan)> {
        for one in weighed {
            if one.merged.asker.is_none() || one.removed.is_some() {
                continue;
            }
            let Some((surfaces, primary)) = self.admitted(tick, user, one) else {
                continue;
            };
            return Some(self.plan(tick, &one.merged, primary, None, &surfaces));
        }
        None
    }

    /// Where a candidate can be shown, and its call; removed where it cannot be, or the gate refuses.
    fn admitted(
        &mut self,
        tick: &Tick,
        user: &UserState,
        one: &mut RankedCandidate,
    ) -> Option<(Vec<Surface>, PlannedCall)> {
        let Ok(surfaces) = self.prompt_surfaces(&one.merged, user.dnd) else {
            one.remove(ReasonCode::NoSurface);
            return None;
        };
        let Some(primary) = self.pre_admit(tick, &one.merged) else {
            one.remove(ReasonCode::GateRefused);
            return None;
        };
        Some((surfaces, primary))
    }

    /// The surfaces on which a confirmation can be asked for; none needed for a kind that runs without.
    pub(crate) fn prompt_surfaces(&self, merged: &MergedCandidate, dnd: bool) -> Result<Vec<Surface>, ()> {
        let columns = merged.kind.tool().columns();
        if columns.confirm == Confirm::Never {
            return Ok(vec![]);
        }
        let page = self.is_connected(Surface::PhoneCard);
        let watch = columns.surface == Surface::Watch && self.is_connected(Surface::Watch);
        // A push reaches the same phone as its page: it is asked there when the page is not open.
        // It does not say who asks, so what a program asked for is not asked there.
        let by_push = merged.asker.is_none() && merged.kind.is_asked_by_push();
        let push = self.is_connected(Surface::Push) && !page && by_push;
        let there = [
            (watch, Surface::Watch),
            (page && !dnd, Surface::PhoneCard),
            (push && !dnd, Surface::Push),
        ];
        let surfaces: Vec<Surface> = there
            .into_iter()
            .filter_map(|(there, surface)| there.then_some(surface))
            .collect();
        if surfaces.is_empty() {
            Err(())
        } else {
            Ok(surfaces)
        }
    }

    /// Whether the gate would admit the call; a refusal goes to quarantine.
    fn pre_admit(&mut self, tick: &Tick, merged: &MergedCandidate) -> Option<PlannedCall> {
        let tool = merged.kind.tool();
        let confirm = tool.columns().confirm == Confirm::Always;
        match gate::pre_admit(tool, &merged.args, confirm) {
            Ok(admitted) => Some(PlannedCall {
                kind: merged.kind,
                subject: merged.subject.clone(),
                tool,
                args: admitted.args,
                args_hash: admitted.args_hash,
            }),
            Err(error) => {
                let refused = PlannedCall {
                    kind: merged.kind,
                    subject: merged.subject.clone(),
                    tool,
                    args: Arc::clone(&merged.args),
                    args_hash: String::new(),
                };
                let call = Box::new(self.action_call(tick.number, &refused));
                self.push_effect(Effect::Quarantine {
                    trace_id: tick.trace_id.clone(),
                    call,
                    error: Box::new(error),
                });
                None
            }
        }
    }

    /// The best companion that passes the caps.
    fn companion(
        &mut self,
        tick: &Tick,
        primary: ActionKind,
        weighed: &mut [RankedCandidate],
    ) -> Option<PlannedCall> {
        let kind = companion_of(primary)?;
        for one in weighed {
            if one.merged.kind == kind && one.removed.is_none() {
                match self.pre_admit(tick, &one.merged) {
                    Some(call) => return Some(call),
                    None => one.remove(ReasonCode::GateRefused),
                }
            }
        }
        None
    }

    fn plan(
        &self,
        tick: &Tick,
        merged: &MergedCandidate,
        primary: PlannedCall,
        companion: Option<PlannedCall>,
        ask_on: &[Surface],
    ) -> (ChosenAction, ActionPlan) {
        let columns = merged.kind.tool().columns();
        let card_id = self.env.seed.card_id(tick.number);
        let until = |surface: &Surface| {
            self.state.at.plus_ms(if *surface == Surface::Watch {
                WATCH_MS
            } else {
                PHONE_MS
            })
        };
        let prompts = ask_on
            .iter()
            .map(|surface| {
                let expires_at = self.state.wall(until(surface));
                let bound = CapabilityClaims {
                    card_id: &card_id,
                    args_hash: &primary.args_hash,
                    surface: *surface,
                    expires_at,
                };
                Prompt {
                    surface: *surface,
                    expires_at,
                    capability: capability::issue(self.env, bound),
                }
            })
            .collect();
        let wall: Timestamp = self.wall();
        let plan = ActionPlan {
            prompts,
            prompts_until: ask_on.iter().map(until).collect(),
            surfaces: columns.surface != Surface::Silent,
            valid_until_wall: merged
                .valid_until
                .filter(|t| *t > wall)
                .unwrap_or_else(|| wall.plus_min(CARD_VALID_MIN)),
            companion,
            primary,
        };
        let chosen = ChosenAction {
            kind: merged.kind,
            subject: merged.subject.clone(),
            class: merged.class,
            surface: ask_on.first().copied().unwrap_or(columns.surface),
            asker: merged.asker,
            confirm_required: columns.confirm == Confirm::Always,
            companion: plan.companion.as_ref().map(|call| call.kind),
            args_hash: plan.primary.args_hash.clone(),
            card_id,
        };
        (chosen, plan)
    }
}
