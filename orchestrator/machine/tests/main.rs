//! What the machine promises.
//!
//! What: one file for each rule, worked out by hand; random events (`properties`), a second model of the policy (`second`), every
//! interleaving within a bound (`proof`). Why one program: each program of tests would compile the machine's generic code once more. Not here:
//! recorded days (`/tests`).

mod asks;
mod asks_devices;
mod asks_doors;
mod asks_year;
mod calls;
mod clock;
mod confirm;
mod later;
mod lessons;
mod let_through;
mod meetings;
mod novel;
mod otherwise;
mod proof;
mod properties;
mod push;
mod reading;
mod retry;
mod schedule;
mod second;
mod support;
mod wishes;
mod workflow;
mod workflow_asks;
mod workflow_file;
mod workflow_reads;
mod workflow_rules;
