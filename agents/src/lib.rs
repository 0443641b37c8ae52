//! The four agents: what they read, what they propose, what their tools do.
//!
//! What: per agent a folder with its sources, model, tick and tools, and the host that serves one agent, in process or behind frames.
//! Why: outside data stops here; only typed values leave. Not here: decisions about surfacing, writes, network.

pub mod actor;
pub mod calendar;
pub mod comms;
pub mod contract;
mod currency;
pub mod finance;
pub mod host;
pub mod in_process;
pub mod kept_state;
mod mail;
pub mod registry;
mod shared;
pub mod skip_codes;
pub mod source_preview;
pub mod wellness;
mod zone;

pub use calendar::CalendarAgent;
pub use comms::CommsAgent;
pub use finance::FinanceAgent;
pub use mail::{
    FETCHED_AGAIN, FETCHED_FILE, FETCHED_HEADS, fetched_folder, fetched_folder_number, is_left_out_folder,
    is_sent_folder,
};
pub use wellness::WellnessAgent;

#[cfg(test)]
mod testing;
