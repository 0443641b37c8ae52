//! The four agents, as the program that runs them sees them.
//!
//! What: which agents there are, what may be done with an agent's state while it does not run, and what a source would give. Why: this crate
//! alone knows all four; each is a crate of its own above `agents_base`. Not here: what an agent reads and proposes, decisions about surfacing,
//! writes, network.

pub mod kept_state;
pub mod registry;
pub mod skip_codes;
pub mod source_preview;

pub use agents_base::{
    actor, contract,
    currency::is_currency,
    host, in_process,
    mail::{
        FETCHED_AGAIN, FETCHED_FILE, FETCHED_GONE, FETCHED_HEADS, fetched_folder, fetched_folder_number,
        is_drafts_folder, is_left_out_folder, is_sent_folder,
    },
};
pub use agents_calendar::{self as calendar, CalendarAgent};
pub use agents_comms::{self as comms, CommsAgent};
pub use agents_finance::{self as finance, FinanceAgent};
pub use agents_wellness::{self as wellness, WellnessAgent};

#[cfg(test)]
#[path = "../base/src/testing.rs"]
pub mod testing;
#[cfg(test)]
mod tests;
