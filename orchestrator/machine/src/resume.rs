//! Going on after a stop or a crash.
//!
//! What: from the state that the journal ends with to the next thing to do. Why: a pending confirm keeps its card and its
//! deadline, a call whose result is unknown never runs twice, a trace is never lost, and what may have been shown costs
//! its token. Not here: rebuilding the state (`aura_runtime::wiring`).
//!
//! The journal may end before the last events that happened: those after the last barrier can be lost, with what was shown
//! meanwhile. So whatever could have been seen counts as seen (`docs/adr/0018`).

use crate::{
    effect::Effect,
    flow::{COOLDOWN_MS, LOGGING_MS},
    record,
    state::{DeliberationResult, MachinePhase, OpenCard, Tick},
    step::StepContext,
};
use std::collections::BTreeSet;
use toolcall_schema::{
    Outcome, ReasonCode, StateName,
    trace::{Card, Confirmation},
};

impl StepContext<'_> {
    /// Before any deadline passes: the process may have been away for longer than each of them, and a deadline would not
    /// know that a call may have left or a card may have been seen.
    ///
    /// `kept` is the last tick with a trace. When the disk was slow or full, that can be one that the journal lost with its
    /// last events: its number is taken, and if it is the open one, its end is told already.
    ///
    /// A prompt that other rules than those of `rules_number` asked is void, however long ago that was.
    pub(crate) fn recover_open_tick(&mut self, kept: u64, rules_number: u32) {
        if self.open_tick().is_some_and(|number| number <= kept) {
            return self.end_without_trace();
        }
        self.state.ticks = self.state.ticks.max(kept);
        self.count_ended_cards();
        match self.take_phase() {
            MachinePhase::Deliberating { tick, decided, .. }
                if decided.plan.as_ref().is_some_and(|plan| !plan.prompts.is_empty()) =>
            {
                // The decision is on disk, so the prompt may be out.
                let tick = self.enter_state(tick, StateName::AwaitingConfirm);
                self.state.phase = MachinePhase::AwaitingConfirm {
                    tick,
                    decided,
                    shown: BTreeSet::new(),
                    counted: false,
                };
                self.count_prompt();
            }
            MachinePhase::AwaitingConfirm {
                tick,
                decided,
                shown,
                counted,
            } => {
                self.state.phase = MachinePhase::AwaitingConfirm {
                    tick,
                    decided,
                    shown,
                    counted,
                };
                self.count_prompt();
            }
            // Of a tie nothing is decided yet: the agents are asked again as well.
            MachinePhase::Listening { tick, attempt, .. } | MachinePhase::Weighing { tick, attempt, .. } => {
                self.state.at = self.now;
                self.listen(tick, attempt.saturating_add(1));
            }
            MachinePhase::Deliberating { tick, decided, .. } => {
                self.unknown_after_crash(tick, *decided, None);
            }
            MachinePhase::Executing {
                tick,
                decided,
                confirm,
                primary: None,
                ..
            } => self.unknown_after_crash(tick, *decided, confirm),
            // What was chosen has answered: only its companion is unknown.
            phase @ MachinePhase::Executing { .. } => {
                self.state.at = self.now;
                self.state.phase = phase;
                self.execution_over();
            }
            MachinePhase::LoggingTrace { tick, mut ended, .. } => {
                self.state.at = self.now;
                let trace = ended.trace.clone();
                // The store may have it, and its card may be out.
                ended.perhaps_shown |= trace.is_some();
                self.state.phase = MachinePhase::LoggingTrace {
                    tick,
                    deadline: self.state.at.plus_ms(LOGGING_MS),
                    sentence_until: None,
                    ended,
                };
                match trace {
                    Some(trace) => self.push_effect(Effect::KeepTrace(trace)),
                    None => self.keep_trace(),
                }
            }
            MachinePhase::Cooldown { until, outbox } => {
                // It is the newest tick's.
                let trace_id = self.env.seed.trace_id(self.state.ticks);
                self.change_outbox(&trace_id, &outbox);
                self.state.phase = MachinePhase::Cooldown { until, outbox };
            }
            MachinePhase::Idle => {}
        }
        if self.state.rules_number() != rules_number {
            self.state.at = self.now;
            self.supersede_prompt();
        }
    }

    /// Closes the open prompt, if there is one, as void.
    fn supersede_prompt(&mut self) {
        let phase = self.take_phase();
        if let MachinePhase::AwaitingConfirm { tick, decided, .. } = phase {
            let superseded = Some(ReasonCode::Superseded);
            self.finish_without_call(tick, *decided, Outcome::Dismissed, superseded, vec![], None);
        } else {
            self.state.phase = phase;
        }
    }

    /// The tick that has no trace by the journal.
    fn open_tick(&self) -> Option<u64> {
        match &self.state.phase {
            MachinePhase::Listening { tick, .. }
            | MachinePhase::Weighing { tick, .. }
            | MachinePhase::Deliberating { tick, .. }
            | MachinePhase::AwaitingConfirm { tick, .. }
            | MachinePhase::Executing { tick, .. } => Some(tick.number),
            MachinePhase::LoggingTrace { tick, ended, .. } => ended.trace.is_none().then_some(tick.number),
            MachinePhase::Idle | MachinePhase::Cooldown { .. } => None,
        }
    }

    /// Ends the open tick, whose trace is kept: what it reserved may have been spent.
    fn end_without_trace(&mut self) {
        self.state.at = self.now;
        let phase = self.take_phase();
        self.end_asks_of(&phase);
        self.drop_later_of(&phase);
        let decision = match phase {
            MachinePhase::Deliberating { decided, .. }
            | MachinePhase::AwaitingConfirm { decided, .. }
            | MachinePhase::Executing { decided, .. } => Some(decided.decision),
            MachinePhase::LoggingTrace { ended, .. } => Some(ended.decided.decision),
            MachinePhase::Idle
            | MachinePhase::Listening { .. }
            | MachinePhase::Weighing { .. }
            | MachinePhase::Cooldown { .. } => None,
        };
        if let Some(decision) = decision.filter(|decision| decision.chosen.is_some()) {
            let companion = decision.chosen.as_ref().and_then(|chosen| chosen.companion);
            self.first_shown(&decision, companion, record::is_asked_for(&decision));
        }
        self.state.phase = MachinePhase::Cooldown {
            until: self.state.at.plus_ms(COOLDOWN_MS),
            outbox: vec![],
        };
    }

    /// A card that was out, and is over by now, may have been seen before the stop. (One that is not over is shown again;
    /// see [`Self::resume_cards`].)
    fn count_ended_cards(&mut self) {
        let now = self.state.wall(self.now);
        let over = |open: &OpenCard| open.card.valid_until <= now;
        let over = self.state.cards.iter().filter(|open| over(open));
        let cards: Vec<_> = over.map(|open| open.card.card_id.clone()).collect();
        for card_id in cards {
            self.card_shown(&card_id);
        }
    }

    /// A prompt that is open may have been seen.
    fn count_prompt(&mut self) {
        let MachinePhase::AwaitingConfirm { decided, counted, .. } = &mut self.state.phase else {
            return;
        };
        if !std::mem::replace(counted, true) {
            let decision = decided.decision.clone();
            // What asks carries no companion.
            self.first_shown(&decision, None, record::is_asked_for(&decision));
        }
    }

    /// Whether the tool ran is not known: it is not run again.
    fn unknown_after_crash(
        &mut self,
        tick: Tick,
        decided: DeliberationResult,
        confirm: Option<Confirmation>,
    ) {
        self.state.at = self.now;
        let unknown = Some(ReasonCode::UnknownAfterCrash);
        self.finish_without_call(tick, decided, Outcome::Failed, unknown, vec![], confirm);
    }

    /// Shows the open prompt again. `changed`: the policy or the catalogue is another one, and it is void.
    pub(crate) fn resume_prompt(&mut self, changed: bool) {
        if changed {
            return self.supersede_prompt();
        }
        let MachinePhase::AwaitingConfirm { decided, .. } = &self.state.phase else {
            return;
        };
        let decided = decided.clone();
        self.show_prompt(&decided);
    }

    /// Shows the cards that were out again. One that could be seen and was not said to be counts as shown, so that
    /// attention is never spent for free; the traces of all are durable or will be taken in.
    pub(crate) fn resume_cards(&mut self) {
        for index in 0..self.state.cards.len() {
            let Some(open) = self.state.cards.get(index) else {
                continue;
            };
            let out = open.handed || self.blocking_cap(&open.card.decision).is_none();
            let Some(open) = self.state.cards.get_mut(index) else {
                continue;
            };
            (open.kept, open.handed) = (true, out);
            if out && !std::mem::replace(&mut open.shown, true) {
                let (decision, asked_for) = (open.card.decision.clone(), open.asked_for);
                let companion = record::companion(&decision, &open.card.tool_calls);
                self.first_shown(&decision, companion, asked_for);
            }
        }
        let out = self.state.cards.iter().filter(|open| open.handed);
        let cards: Vec<Card> = out.map(|open| open.card.clone()).collect();
        for card in cards {
            self.push_effect(Effect::Show(Box::new(card)));
        }
    }
}
