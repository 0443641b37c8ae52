//! The prompt that an older build left open, put back from its stored decision.
//!
//! What: [`MachineState::reopen`], before the first start of a rules number. Why: these rules may make something else of the last events, and then
//! nothing in the state says that the owner was asked; the decision does. Not here: closing it, which the start does (`resume`), finding
//! the decision (`aura_runtime::wiring`).

use crate::state::{DeliberationResult, MachinePhase, MachineState, Tick};
use std::{collections::BTreeSet, sync::Arc};
use toolcall_schema::{StateName, trace::Decision};

impl MachineState {
    /// Puts back the prompt of a decision that has no trace. One that asked nothing changes nothing.
    pub fn reopen(&mut self, decision: impl Into<Arc<Decision>>) {
        let decision = decision.into();
        if !decision
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.confirm_required)
        {
            return;
        }
        self.ticks = self.ticks.max(decision.tick);
        let decided_at = decision.ts.plus_ms(-self.wall_offset_ms).min(self.at);
        let tick = Tick {
            number: decision.tick,
            trace_id: decision.trace_id.clone(),
            trigger: decision.trigger.clone(),
            stale: decision.stale_triggers.clone(),
            // When it left Idle and Listening, nobody knows any more.
            path: vec![
                (StateName::Deliberating, decided_at),
                (StateName::AwaitingConfirm, decided_at),
            ],
        };
        self.phase = MachinePhase::AwaitingConfirm {
            tick,
            decided: Box::new(DeliberationResult {
                decision,
                plan: None,
                sentences: vec![],
                novel: false,
                said: None,
            }),
            shown: BTreeSet::new(),
            counted: false,
        };
    }
}
