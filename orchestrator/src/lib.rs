//! The supervisor of Aura: actors, wiring, time, and the command line.
//!
//! What: everything with a side effect, around the pure machine. Why: `main` is one line, and tests drive the same actors
//! under a virtual clock. Not here: decisions (`orchestrator-machine`), contracts (`toolcall-schema`), agents, pages.

pub mod accepted;
pub mod actors;
pub mod agents_port;
pub mod backend;
pub mod bench;
pub mod book;
pub mod busy;
pub mod cli;
pub mod clock;
pub mod config;
pub mod confirmed_time;
pub mod constants;
pub mod control;
pub mod day;
pub mod deletion;
pub mod delivery;
pub mod desk;
pub mod devices;
pub mod erase;
pub mod faults;
pub mod health;
pub mod housekeeping;
pub mod journal;
pub mod metrics;
pub mod models;
pub mod notify;
pub mod outbound;
pub mod perform;
pub mod post_progress;
pub mod process;
pub mod programs;
pub mod reading;
pub mod reads;
pub mod remember;
pub mod removing;
pub mod retention_clock;
pub mod rig;
pub mod runs;
pub mod selftest;
pub mod service;
pub mod sources;
pub mod supervise;
pub mod watch;
pub mod whatif;
pub mod wiring;
pub mod workflow;
pub mod writes;
