//! What Aura's parts are called, and what is wrong with them.
//!
//! What: agents, surfaces, health. Why: the same name everywhere. Not here: what is done about it (`orchestrator`).

use crate::backend::HealthFlag;
use toolcall_schema::{AgentName, Surface, Tone, trace::Asker};

/// An agent's name.
pub fn agent(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Comms => "Comms",
        AgentName::Calendar => "Calendar",
        AgentName::Finance => "Finance",
        AgentName::Wellness => "Wellness",
        AgentName::Orchestrator => "Aura",
    }
}

/// Who asked for something that no agent proposed.
pub fn asker(asker: Asker) -> &'static str {
    match asker {
        Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard => "You",
        Asker::Program => "A program",
    }
}

/// Where something was shown or answered.
pub fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::Watch => "on the watch",
        Surface::PhoneCard => "on the phone",
        Surface::EarbudTts => "in the earbud",
        Surface::Push => "on the phone, as a notification",
        Surface::Silent => "nowhere",
    }
}

/// The tone of a draft.
pub fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Casual => "casual",
        Tone::Formal => "formal",
        Tone::Brief => "brief",
    }
}

/// What is not as it should be.
pub fn health(flag: HealthFlag) -> String {
    match flag {
        HealthFlag::Starting => "Aura is starting.".to_owned(),
        HealthFlag::AgentDown(name) => format!("{} is down and being restarted.", agent(name)),
        HealthFlag::NoSandbox => "The agents run without a sandbox.".to_owned(),
        HealthFlag::PartSandbox => {
            "Only part of the agents' sandbox is enforced on this computer.".to_owned()
        }
        HealthFlag::SpeechFailing => {
            "Cards cannot be said aloud: the speech program fails.".to_owned()
        }
        HealthFlag::PushFailing => {
            "The push server does not answer: the phone gets no notifications.".to_owned()
        }
        HealthFlag::WebPushFailing => {
            "A browser's push service does not answer: that browser gets no notifications.".to_owned()
        }
        HealthFlag::JournalDown => {
            "The journal cannot be written, perhaps because the disk is full: nothing is shown or done.".to_owned()
        }
        HealthFlag::QuarantineDown => {
            "Refused calls cannot be written down, perhaps because the disk is full. They are refused all the same."
                .to_owned()
        }
    }
}
