//! The four agents: what they read, what they propose, what their tools do.
//!
//! What: per agent a folder with its sources, model, tick and tools, and the host that serves one agent, in process or behind frames.
//! Why: outside data stops here; only typed values leave. Not here: decisions about surfacing, writes, network.

pub mod actor;
pub mod again;
pub mod agent;
pub mod calendar;
pub mod comms;
pub mod finance;
pub mod forget;
pub mod host;
pub mod keeper;
pub mod mail;
pub mod shared;
pub mod wellness;
pub mod zone;

#[cfg(test)]
mod testing;
