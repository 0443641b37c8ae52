//! Who asks, where it is a device of the owner's or a run of a workflow.
//!
//! What: [`AskOrigin`], as it stands in the journal and the state. Why: an id of ours and a word of five, never what anybody calls a
//! device or a workflow. Not here: what a device may (`surfaces_base::devices`), what a run may (`crate::workflow::proposal`).

use serde::{Deserialize, Serialize};

/// What a run's id begins with.
const RUN: &str = "run_";

/// A device of the owner's that asks, or a run of a workflow, by its id. Never what anybody calls it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AskerId(String);

impl AskerId {
    /// An id as pairing makes them, `dev_` and 1 to 32 letters, digits or strokes; or a run's, `run_` and the same.
    pub fn parse(text: &str) -> Option<Self> {
        let tail = text.strip_prefix("dev_").or_else(|| text.strip_prefix(RUN))?;
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        ((1..=32).contains(&tail.len()) && tail.bytes().all(good)).then(|| Self(text.to_owned()))
    }

    /// A run of a workflow, by its UUID.
    pub fn of_run(run: &str) -> Option<Self> {
        Self::parse(&format!("{RUN}{}", run.replace('-', "")))
    }

    /// Whether a run asks, and no device.
    pub fn is_run(&self) -> bool {
        self.0.starts_with(RUN)
    }

    /// The UUID of the run that asks; `None`: a device does.
    pub fn run(&self) -> Option<String> {
        let hex = self.0.strip_prefix(RUN)?;
        let part = |from: usize, to: usize| hex.get(from..to);
        Some(format!(
            "{}-{}-{}-{}-{}",
            part(0, 8)?,
            part(8, 12)?,
            part(12, 16)?,
            part(16, 20)?,
            part(20, 32)?
        ))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AskerId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("that is no id of a device or a run")
    }
}

impl From<AskerId> for String {
    fn from(device: AskerId) -> Self {
        device.0
    }
}

/// Who asks, and by which protocol. Kept, and told to the owner; nothing is decided by the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskOrigin {
    /// Which device, or which run.
    pub device: AskerId,
    /// By which protocol.
    pub door: AskProtocol,
}

/// The protocol that an ask came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskProtocol {
    /// Aura's own, over HTTP.
    Api,
    /// The Model Context Protocol.
    Mcp,
    /// A step of a workflow.
    Workflow,
    /// An agent of the owner's, while a workflow's step asks it.
    Program,
}
