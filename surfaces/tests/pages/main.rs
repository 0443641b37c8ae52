//! The surfaces from outside: what is rendered, and what the server lets through.
//!
//! What: tables and snapshots over made-up values, and a real server on the loopback over a double of the backend. Why:
//! these are the claims of `docs/surfaces.md`. Not here: the browser.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accounts;
mod accounts_double;
mod acts;
mod acts_double;
mod agenda;
mod ahead;
mod answers;
mod asked_drafts;
mod asks;
mod asks_double;
mod backups_double;
mod brief;
mod catalogue;
mod chat_names;
mod client;
mod devices;
mod doctor;
mod doctor_double;
mod door;
mod drafts_double;
mod dropped;
mod feedback;
mod forgetting;
mod forgetting_double;
mod german;
mod history;
mod instructions;
mod keys;
mod keys_double;
mod limits;
mod live;
mod looks;
mod meetings;
mod memory;
mod memory_double;
mod models_double;
mod month;
mod morning;
mod named_path;
mod notify_double;
mod openapi;
mod ops;
mod owner_double;
mod palette;
mod people;
mod people_double;
mod program_door;
mod render;
mod runs;
mod sections;
mod sent;
mod settings;
mod settings_double;
mod spending;
mod ticks;
mod tls;
mod told_acts;
mod towns;
mod undo_change;
mod web_push;
mod web_push_double;
mod welcome;
mod words;
mod year;
