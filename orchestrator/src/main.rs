//! The binary `aura`: actors, supervision, wiring and the command line.

mod actors;
mod agents_port;
mod backend;
mod busy;
mod clock;
mod config;
mod faults;
mod health;
mod perform;

fn main() {}
