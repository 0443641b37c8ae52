//! What every other part stands on: time, supervision of actors, messages in flight, line frames, counters, the owner's folders.
//!
//! Not here: anything that knows an agent, a store of its own or a page.

pub mod clock;
pub mod confirmed_time;
pub mod constants;
pub mod health;
pub mod in_flight;
pub mod kernel_timer;
pub mod line_frame;
pub mod mailbox;
pub mod metric_families;
pub mod metrics;
pub mod retention_clock;
pub mod supervise;
pub mod user_folders;
