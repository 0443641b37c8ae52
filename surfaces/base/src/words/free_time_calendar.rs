//! What is said of the calendar that takes time which is kept free.
//!
//! What: the lines below an account that is written to. Why: the owner sees where such an event lands before it does. Not here: keeping time free
//! (`deliveries`).

use crate::{
    language::{Text, say},
    visible::visible,
};

/// Leads to the other calendars.
pub const CHOOSE_FREE_TIME_CALENDAR: Text = Text("free-time-calendar-choose");

/// Where it goes.
pub fn free_time_goes_to(calendar: &str) -> String {
    say!(
        "free-time-calendar-goes-to",
        calendar = visible(calendar).into_owned()
    )
}

/// The calendar that was chosen is not there.
pub fn free_time_has_no_place(calendar: &str) -> String {
    say!(
        "free-time-calendar-missing",
        calendar = visible(calendar).into_owned()
    )
}

/// The name of a button.
pub fn send_free_time_to(calendar: &str) -> String {
    say!(
        "free-time-calendar-send",
        calendar = visible(calendar).into_owned()
    )
}
