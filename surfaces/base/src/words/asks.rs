//! Words about other people's programs that ask.
//!
//! What: the card's line on which device asks, and what the list of devices says of what each may. Why: who is asked sees by whom. Not here: what
//! a card asks (`kinds`), the sentences of refusals (`web::error`).

use crate::language::{Text, say, text};
use toolcall_schema::{AgentName, ToolName};

/// Above the things that a device may ask for.
pub const ASKS_MAY: Text = Text("asks-may");
/// It may ask for nothing.
pub const ASKS_MAY_NOTHING: Text = Text("asks-may-nothing");
/// Above the chats that it may name.
pub const ASKS_CHATS: Text = Text("asks-chats");
/// Above the workflows that read as it.
pub const ASKS_WORKFLOWS: Text = Text("asks-workflows");
/// No chat has a name of the owner's.
pub const ASKS_NO_CHATS: Text = Text("asks-no-chats");
/// The button that ticks something.
pub const ASKS_ALLOW: Text = Text("asks-allow");
/// The button that takes the tick away.
pub const ASKS_FORBID: Text = Text("asks-forbid");

/// A card's line on which devices ask, by what the owner calls them.
pub fn device_asks_for_it(devices: &str) -> String {
    say!("asks-for-it", devices)
}

/// The watch's line: which devices ask what.
pub fn device_asks(devices: &str, what: &str) -> String {
    say!("asks-watch", devices, what)
}

/// What a tool does for a program; its name where it does nothing for one.
pub fn tool_for_program(tool: ToolName) -> &'static str {
    if tool == ToolName::MuteChannel {
        text("asks-tool-mute-chat")
    } else if tool == ToolName::GuideBreathing {
        text("asks-tool-breathing")
    } else if tool == ToolName::StartNapTimer {
        text("asks-tool-nap")
    } else if tool == ToolName::PermitLeisure {
        text("asks-tool-break")
    } else if tool == ToolName::DetectConflicts {
        text("asks-tool-clashes")
    } else if tool == ToolName::SuggestSlots {
        text("asks-tool-free-times")
    } else if tool == ToolName::PredictEomBalance {
        text("asks-tool-balance")
    } else if tool == ToolName::SuggestSubstitution {
        text("asks-tool-saving")
    } else if tool == ToolName::ComputeLoadScore {
        text("asks-tool-load")
    } else if tool == ToolName::RecoveryCheck {
        text("asks-tool-recovery")
    } else {
        tool.as_str()
    }
}

/// Reading about money, or about the body; nothing of the others has to be ticked.
pub fn area(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Finance => text("asks-area-money"),
        AgentName::Wellness => text("asks-area-body"),
        AgentName::Comms | AgentName::Calendar | AgentName::Orchestrator => super::agent(agent),
    }
}

/// That something is allowed, or is not.
pub fn allowed_thing(thing: &str, allowed: bool) -> String {
    if allowed {
        say!("asks-is-allowed", thing)
    } else {
        say!("asks-is-not-allowed", thing)
    }
}
