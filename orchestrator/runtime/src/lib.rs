//! The running service: actors, wiring, effects, the control socket and what stands behind the pages.
//!
//! Not here: decisions (`orchestrator-machine`), commands (`aura-cli`), recorded days (`aura-days`).

pub mod accepted;
pub mod actors;
pub mod backend;
pub mod book;
pub mod call_gate;
pub mod config;
pub mod control;
pub mod control_handler;
pub mod deletion;
mod delivery;
pub mod demo;
mod desktop_entry;
pub mod devices;
mod dropped_files;
pub mod erase;
pub mod executor;
pub mod fault_plan;
mod home_edit;
mod home_fields;
mod home_file;
pub mod housekeeping;
pub mod journal;
mod kept_things;
mod notify;
pub mod outbound;
mod outbound_health;
mod owner_rules;
mod page_backups;
mod page_deletions;
mod page_models;
mod post_progress;
mod reading;
pub mod reads;
mod remember;
pub mod removing;
pub mod runs;
pub mod service;
pub mod settings;
mod source_look;
pub mod sources;
pub mod watch;
pub mod whatif;
pub mod wiring;
pub mod with_cause;
mod writes;
