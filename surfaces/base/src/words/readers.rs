//! What is said of who read what.
//!
//! What: a row for each part of Aura that reads. Why: which of them looked into what is its owner's to know. Not here: what was done with what is kept
//! (`memory`).

use crate::language::{Text, text};
use toolcall_schema::AgentName;

/// Above the list of who read what.
pub const READERS: Text = Text("readers-title");
/// What holds for all of it.
pub const READERS_SAYS: Text = Text("readers-says");
/// Nobody read anything.
pub const READERS_NONE: Text = Text("readers-none");
/// Of one who found nothing today.
pub const NOTHING_NEW_TODAY: Text = Text("readers-nothing-new");

/// A part that reads, by what it reads.
pub fn reader(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => text("readers-comms"),
        AgentName::Calendar => text("readers-calendar"),
        AgentName::Finance => text("readers-finance"),
        AgentName::Wellness => text("readers-wellness"),
        AgentName::Orchestrator => text("readers-orchestrator"),
    }
}
