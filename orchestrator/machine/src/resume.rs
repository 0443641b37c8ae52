//! Going on after a stop or a crash.
//!
//! What: from the state that the journal ends with to the next thing to do. Why: a pending confirm keeps its card and its
//! deadline, a call whose result is unknown never runs twice, a trace is never lost. Not here: rebuilding the state
//! (`orchestrator::wiring`), cards that ask nothing (`cards`).

use crate::{
    effect::Effect,
    flow::LOGGING_MS,
    state::{Decided, Phase, Tick},
    step::Turn,
};
use toolcall_schema::{Outcome, ReasonCode, trace::Confirmation};

impl Turn<'_> {
    /// Goes on from where the journal ends. `changed`: the policy or the catalogue is another one.
    pub(crate) fn resume_phase(&mut self, changed: bool) {
        match self.take_phase() {
            Phase::Idle => {}
            Phase::Listening { tick, attempt, .. } => self.listen(tick, attempt.saturating_add(1)),
            Phase::Deliberating { tick, decided, .. } => {
                let asks = decided.plan.as_ref().is_some_and(|plan| !plan.prompts.is_empty());
                if asks && !changed {
                    self.ask(tick, decided);
                } else if asks {
                    self.finish(
                        tick,
                        *decided,
                        Outcome::Dismissed,
                        Some(ReasonCode::Superseded),
                        vec![],
                        None,
                    );
                } else {
                    self.unknown_after_crash(tick, *decided, None);
                }
            }
            Phase::AwaitingConfirm { tick, decided, .. } if changed => {
                self.finish(
                    tick,
                    *decided,
                    Outcome::Dismissed,
                    Some(ReasonCode::Superseded),
                    vec![],
                    None,
                );
            }
            Phase::AwaitingConfirm { tick, decided, shown } => {
                self.show_prompt(&decided);
                self.s.phase = Phase::AwaitingConfirm { tick, decided, shown };
            }
            Phase::Executing {
                tick,
                decided,
                confirm,
                ..
            } => self.unknown_after_crash(tick, *decided, confirm),
            Phase::LoggingTrace { tick, ended, .. } => {
                let deadline = self.s.at.plus_ms(LOGGING_MS);
                if let Some(trace) = ended.trace.clone() {
                    self.effect(Effect::KeepTrace(Box::new(trace)));
                    self.s.phase = Phase::LoggingTrace {
                        tick,
                        deadline,
                        sentence_until: None,
                        ended,
                    };
                } else {
                    self.s.phase = Phase::LoggingTrace {
                        tick,
                        deadline,
                        sentence_until: None,
                        ended,
                    };
                    self.keep_trace();
                }
            }
            Phase::Cooldown { until } => self.s.phase = Phase::Cooldown { until },
        }
    }

    /// Whether the tool ran is not known: it is not run again.
    fn unknown_after_crash(&mut self, tick: Tick, decided: Decided, confirm: Option<Confirmation>) {
        self.finish(
            tick,
            decided,
            Outcome::Failed,
            Some(ReasonCode::UnknownAfterCrash),
            vec![],
            confirm,
        );
    }
}
