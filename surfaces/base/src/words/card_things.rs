//! What a card says of the people and events that it names.

use crate::language::Text;

/// Opens what can be done about somebody who waits.
pub const DEAL_WITH_IT: Text = Text("card-things-deal");
/// Opens which of two events can move, and to when.
pub const WHAT_CAN_MOVE: Text = Text("card-things-move");
/// What a mute keeps back.
pub const MUTE_HIDES: Text = Text("card-things-mute-hides");
