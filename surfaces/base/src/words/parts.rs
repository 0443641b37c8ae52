//! What Aura's parts are called, and what is wrong with them.
//!
//! What: agents, surfaces, health. Why: the same name everywhere. Not here: what is done about it (`orchestrator`).

use crate::backend::HealthFlag;
use crate::language::{say, text};
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

/// A card's line on who asked for it.
pub fn asks_for_it(asker: Asker) -> &'static str {
    match asker {
        Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard => text("parts-asks-for-it-you"),
        Asker::Program => text("parts-asks-for-it-a-program"),
    }
}

/// The watch's line: who asks what.
pub fn asks(asker: Asker, what: &str) -> String {
    match asker {
        Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard => say!("parts-asks-you", what),
        Asker::Program => say!("parts-asks-a-program", what),
    }
}

/// To whom a draft is; nothing where that cannot be said.
pub fn draft_to(id: &str, name: Option<&str>) -> Option<String> {
    match (name, id.split_once('_')?.0) {
        (Some(name), _) => Some(say!("parts-draft-to", name)),
        (None, "ch") => Some(text("parts-draft-to-one-chat").to_owned()),
        (None, "it") => Some(text("parts-draft-to-one-message").to_owned()),
        (None, _) => None,
    }
}

/// What a decline is for; nothing where that cannot be said.
pub fn decline_for(id: &str, name: Option<&str>) -> Option<String> {
    match (name, id.split_once('_')?.0) {
        (Some(name), _) => Some(say!("parts-decline-for", name)),
        (None, "ev") => Some(text("parts-decline-for-one-event").to_owned()),
        (None, _) => None,
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
