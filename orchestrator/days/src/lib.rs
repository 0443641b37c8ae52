//! Recorded days: the player that drives the real actors, the simulator, and `aura selftest crash`.
//!
//! Not here: the format of a day (`toolcall_schema::day`), benches and chaos (`aura-lab`).

pub mod crash;
pub mod day;
mod faults;
pub mod simulator;
mod witness;

pub use faults::DayFaults;
