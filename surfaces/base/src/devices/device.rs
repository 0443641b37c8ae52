//! A device, its name and its scope.

use super::{
    grant::AskGrant,
    secret::{base32, random},
    subscription::PushSubscription,
};
use crate::{backend::BackendError, visible::visible};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::Timestamp;

/// Characters of a device's name.
pub const NAME_MAX: usize = 40;

/// What a device may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DeviceScope {
    /// Send signals, and nothing else.
    #[serde(rename = "signals:write")]
    SignalsWrite,
    /// Propose what the owner then decides, and read what she allowed this device; nothing else.
    #[serde(rename = "ask")]
    Ask,
    /// See how Aura works and what it refused; answer nothing, say nothing.
    #[serde(rename = "operator")]
    Operator,
    #[serde(rename = "owner")]
    Owner,
}

impl DeviceScope {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::SignalsWrite, Self::Ask, Self::Operator, Self::Owner];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SignalsWrite => "signals:write",
            Self::Ask => "ask",
            Self::Operator => "operator",
            Self::Owner => "owner",
        }
    }

    /// The one of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }

    /// Whether who has this scope may do what needs the other. The owner's own browser is no program that asks: what it may name is
    /// written down nowhere.
    pub fn covers(self, needed: Self) -> bool {
        match self {
            Self::Owner => needed != Self::Ask,
            Self::SignalsWrite | Self::Ask | Self::Operator => self == needed,
        }
    }
}

impl fmt::Display for DeviceScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the owner calls a device: 1 to [`NAME_MAX`] characters on one line, none that steers or hides.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeviceName(String);

impl DeviceName {
    /// Reads a name; blanks around it are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let length = text.chars().count();
        let plain = visible(text) == text;
        ((1..=NAME_MAX).contains(&length) && plain).then(|| Self(text.to_owned()))
    }

    pub(super) fn fixed() -> Self {
        Self("Fixed".to_owned())
    }

    /// The name. It is the owner's: on pages and in the terminal only, never in a log.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceName(..)")
    }
}

impl TryFrom<String> for DeviceName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a device's name has 1 to 40 characters on one line")
    }
}

impl From<DeviceName> for String {
    fn from(name: DeviceName) -> Self {
        name.0
    }
}

/// Names a device in lists, addresses and logs: `dev_` and eight characters that say nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceId(String);

impl DeviceId {
    pub(super) fn random() -> Result<Self, BackendError> {
        let text = base32(&random::<8>()?).to_ascii_lowercase();
        Ok(Self(format!("dev_{text}")))
    }

    /// One as it was typed; whether there is such a device is another question.
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A paired browser or program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedDevice {
    pub id: DeviceId,
    /// What the owner calls it.
    pub name: DeviceName,
    /// What it may do.
    pub scope: DeviceScope,
    /// When it was let in (wall clock).
    pub paired_at: Timestamp,
    /// The owner's local day on which it last came.
    pub last_seen: NaiveDate,
    /// SHA-256 of its secret, 64 hexadecimal digits. The secret itself is 256 random bits that only the device has.
    pub sha256: String,
    /// Where its browser wants to be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub push: Vec<PushSubscription>,
    /// When a push service did not know its browser any more; absent: that did not happen since it last subscribed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_ended: Option<Timestamp>,
    /// What it may name, where it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<AskGrant>,
}

/// A device as it is listed: all but the secret's hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedDevice {
    pub id: DeviceId,
    /// What the owner calls it.
    pub name: DeviceName,
    /// What it may do.
    pub scope: DeviceScope,
    /// When it was let in (wall clock).
    pub paired_at: Timestamp,
    /// The owner's local day on which it last came.
    pub last_seen: NaiveDate,
    /// What it may name, where it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<AskGrant>,
}
