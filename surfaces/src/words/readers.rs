//! What is said of who read what.
//!
//! What: a row for each part of Aura that reads. Why: which of them looked into what is its owner's to know. Not here: what was done with what is kept
//! (`memory`).

use toolcall_schema::AgentName;

/// Heading.
pub const READERS: &str = "Who read what";
/// What holds for all of it.
pub const READERS_SAYS: &str =
    "Since I started. Each of them can open what you allowed for it and nothing else.";
/// Nobody read anything.
pub const READERS_NONE: &str = "Nothing was read since I started.";

/// A part that reads, by what it reads.
pub fn reader(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => "Mail and chats",
        AgentName::Calendar => "Calendar",
        AgentName::Finance => "Money",
        AgentName::Wellness => "Body",
        AgentName::Orchestrator => "Decisions",
    }
}
