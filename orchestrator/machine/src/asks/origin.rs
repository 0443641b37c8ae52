//! Who asks, where it is a device of the owner's.
//!
//! What: [`AskOrigin`], as it stands in the journal and the state. Why: an id of ours and a word of three, never what anybody calls a
//! device. Not here: what a device may (`surfaces::devices`).

use serde::{Deserialize, Serialize};

/// A device of the owner's that asks, by its id. Never what anybody calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AskingDevice(String);

impl AskingDevice {
    /// An id as pairing makes them: `dev_` and 1 to 32 letters, digits or strokes.
    pub fn parse(text: &str) -> Option<Self> {
        let tail = text.strip_prefix("dev_")?;
        let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        ((1..=32).contains(&tail.len()) && tail.bytes().all(good)).then(|| Self(text.to_owned()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AskingDevice {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("that is no id of a device")
    }
}

impl From<AskingDevice> for String {
    fn from(device: AskingDevice) -> Self {
        device.0
    }
}

/// A device that asks, and by which protocol. Kept, and told to the owner; nothing is decided by the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskOrigin {
    /// Which device.
    pub device: AskingDevice,
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
    /// The command line, with a device's token.
    Command,
}
