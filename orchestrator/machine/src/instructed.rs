//! What the owner instructed, and when.
//!
//! What: which pauses and rules were given, for a week. Why: both are acts of hers like any other, and stand dated in the list of what she
//! did, with their undo; no trace tells of them. Not here: what is in force (`paused_until_wall` and `rules` of the state).

use crate::step::StepContext;
use toolcall_schema::{
    Timestamp,
    rule::{GivenInstruction, OwnerInstruction},
};

/// At most this many instructions are remembered.
pub const INSTRUCTED_MAX: usize = 64;
/// For so long, in milliseconds: a week, as long as acts are listed.
const INSTRUCTED_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// The end of a pause, where it is the one that is in force.
pub(crate) fn pause_until(
    given: &mut GivenInstruction,
    in_force: Option<Timestamp>,
) -> Option<&mut Timestamp> {
    match &mut given.what {
        OwnerInstruction::Pause { until } if Some(*until) == in_force => Some(until),
        OwnerInstruction::Pause { .. } | OwnerInstruction::Rule { .. } => None,
    }
}

impl StepContext<'_> {
    /// Lists name an instruction by its instant: of two within a millisecond the second moves on by one.
    pub(crate) fn remember_instruction(&mut self, what: OwnerInstruction) {
        let now = self.wall();
        let given = &mut self.state.instructed;
        given.retain(|one| now.since(one.at_wall) < INSTRUCTED_MS);
        if given.len() >= INSTRUCTED_MAX {
            given.remove(0);
        }
        let mut at_wall = now;
        while given.iter().any(|one| one.at_wall == at_wall) {
            at_wall = at_wall.plus_ms(1);
        }
        given.push(GivenInstruction { at_wall, what });
    }
}
