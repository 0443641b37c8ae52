//! Steps of the first day that save others.
//!
//! What: ticking all that was found at once, and the way to what is not set up. Not here: the welcome's screens (`welcome`), the forms (`settings_form`).

use crate::language::Text;

/// Ticks all that was found and that asks nothing first.
pub const TICK_ALL: Text = Text("first-steps-tick-all");
/// To where a place for cards is set up.
pub const SET_UP: Text = Text("first-steps-set-up");
