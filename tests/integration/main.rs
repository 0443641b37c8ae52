//! What is promised to somebody outside: the built binary, its pages, its folders, and the actors together.
//!
//! What: one binary of all integration tests, so that the crates are linked once. Not here: what needs a browser (`browser`) or the
//! model's program (`model`); tests of one crate stand in it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod answers;
mod architecture;
mod asks;
mod asks_api;
mod asks_reads;
mod audit;
mod backup_verifier;
mod bad_input;
mod calls;
mod catalogue;
mod chaos;
mod checks;
mod children;
mod cli;
mod cli_help;
mod clock;
mod console;
mod contacts;
mod crash;
mod days;
mod deletion;
mod door;
mod export;
mod feedback;
mod first_day;
mod first_day_trouble;
mod forget_page;
mod health_post;
mod host;
mod import;
mod keeper;
mod key_change;
mod kill;
mod later;
mod learned;
mod let_through;
mod mcp;
mod meetings;
mod memory;
mod money_questions;
mod mutes;
mod names;
mod operating;
mod outbound;
mod people;
mod privacy;
mod programs;
mod prompts;
mod quarantine;
mod release;
mod released;
mod same_person;
mod sample_agents;
mod sandbox;
mod settings;
mod site;
mod spending;
mod stopped;
mod supervised;
mod support;
mod terms;
mod usual_spending;
mod vault;
mod verifier;
mod waiting;
mod week;
mod workflow_kill;
mod workflow_runs;
mod workflow_service;
mod workflows;
