//! What the machine promises, rule by rule.
//!
//! What: one file for each promise, worked out by hand. Why one program: each program of tests compiles the machine's generic code once more. Not here: random
//! events (`properties`), a second model of the policy (`second`), every interleaving (`proof`).

mod asks;
mod calls;
mod clock;
mod confirm;
mod later;
mod lessons;
mod let_through;
mod novel;
mod otherwise;
mod push;
mod reading;
mod retry;
mod schedule;
mod support;
mod workflow;
mod workflow_file;
mod workflow_rules;
