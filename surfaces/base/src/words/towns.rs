//! What is said where the owner says in which town they live.
//!
//! What: the field, what was found, and how far a place is. Why: one place, ready for another language. Not here: who is found (`orchestrator`).

use crate::language::{Text, say};

/// The field.
pub const HOME_TOWN: Text = Text("towns-home-town");
/// What it is for.
pub const HOME_TOWN_MEANS: Text = Text("towns-home-town-means");
/// Those that were found.
pub const YOUR_TOWN: Text = Text("towns-your-town");
/// When the choice counts.
pub const TOWN_IS_SAVED: Text = Text("towns-is-saved");
/// Whose data it is.
pub const TOWNS_ARE_OF: Text = Text("towns-are-of");
/// There is none.
pub const NO_SUCH_TOWN: Text = Text("towns-no-such-town");

/// Where the owner lives now.
pub fn home_near(town: &str) -> String {
    say!("towns-home-near", town)
}

/// The same where no town is near.
pub fn home_at(place: &str) -> String {
    say!("towns-home-at", place)
}

/// How far the town is that a place names.
pub fn far_town(town: &str, km: u32) -> String {
    say!("towns-far", town, km)
}
