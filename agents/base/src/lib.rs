//! What each of the four agents has, whatever it is about.
//!
//! What: the contract between an agent and who runs it, the host behind the gate, the actor, and what more than one agent reads with:
//! sources, mail in folders, zones, currencies. Why: the agents know this crate and never each other. Not here: an agent, which agents there are
//! (`agents`), decisions about surfacing, writes, network.

pub mod actor;
pub mod contract;
pub mod currency;
pub mod host;
pub mod in_process;
pub mod mail;
pub mod shared;
pub mod zone;

// The tests of the agents' crates share a file, which names this crate.
#[cfg(test)]
extern crate self as agents_base;
#[cfg(test)]
pub mod testing;
