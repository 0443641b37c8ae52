//! What Aura's parts are called, and what is wrong with them.
//!
//! What: agents, surfaces, health. Why: the same name everywhere. Not here: what is done about it (`orchestrator`).

use crate::backend::HealthFlag;
use crate::words::language::{say, text};
use toolcall_schema::{AgentName, Surface, Tone, trace::Asker};

/// An agent's name.
pub fn agent(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => text("parts-agent-comms"),
        AgentName::Calendar => text("parts-agent-calendar"),
        AgentName::Finance => text("parts-agent-finance"),
        AgentName::Wellness => text("parts-agent-wellness"),
        AgentName::Orchestrator => text("parts-agent-aura"),
    }
}

/// Who asked for something that no agent proposed.
pub fn asker(asker: Asker) -> &'static str {
    match asker {
        Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard => text("parts-asker-you"),
        Asker::Program => text("parts-asker-a-program"),
    }
}

/// Where something was shown or answered.
pub fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::Watch => text("parts-surface-on-the-watch"),
        Surface::PhoneCard => text("parts-surface-on-the-phone"),
        Surface::EarbudTts => text("parts-surface-in-the-earbud"),
        Surface::Push => text("parts-surface-on-the-phone-2"),
        Surface::Silent => text("parts-surface-nowhere"),
    }
}

/// The tone of a draft.
pub fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Casual => text("parts-tone-casual"),
        Tone::Formal => text("parts-tone-formal"),
        Tone::Brief => text("parts-tone-brief"),
    }
}

/// What is not as it should be.
pub fn health(flag: HealthFlag) -> String {
    match flag {
        HealthFlag::Starting => text("parts-health-aura-is-starting").to_owned(),
        HealthFlag::AgentDown(name) => say!("parts-health-is-down-and", agent = agent(name)),
        HealthFlag::NoSandbox => text("parts-health-the-agents-run").to_owned(),
        HealthFlag::PartSandbox => text("parts-health-only-part-of").to_owned(),
        HealthFlag::SpeechFailing => text("parts-health-cards-cannot-be").to_owned(),
        HealthFlag::PushFailing => text("parts-health-the-push-server").to_owned(),
        HealthFlag::WebPushFailing => text("parts-health-a-browsers-push").to_owned(),
        HealthFlag::JournalDown => text("parts-health-the-journal-cannot").to_owned(),
        HealthFlag::QuarantineDown => text("parts-health-refused-calls-cannot").to_owned(),
    }
}
