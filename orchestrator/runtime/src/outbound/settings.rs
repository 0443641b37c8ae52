//! What the owner configured of the surfaces that are no page.
//!
//! What: [`OutboundConfig`]. Why: the configuration is read before anything is started. Not here: using it (the modules beside).

use super::{ntfy::NtfyServer, telemetry::CollectorAddress, web_push::WebPushConfig};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the owner configured of them.
#[derive(Debug, Clone, Default)]
pub struct OutboundConfig {
    /// The earbud.
    pub speech: SpeechConfig,
    /// The phone's notifications; absent: none.
    pub ntfy: Option<NtfyServer>,
    /// The browsers' notifications.
    pub web_push: WebPushConfig,
    /// Where ticks and figures are sent; absent: nowhere.
    pub telemetry: Option<CollectorAddress>,
}

/// `[speech]` of the configuration. Off unless the owner switches it on: others may hear it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpeechConfig {
    /// The one switch.
    pub enabled: bool,
    /// The program that speaks, by name or path; absent: `piper` where a voice is named, else `espeak-ng`.
    pub program: Option<PathBuf>,
    /// Piper's voice, an `.onnx` file.
    pub voice: Option<PathBuf>,
    /// What plays the file that piper writes, by name or path; absent: `pw-play`, else `aplay`.
    pub player: Option<PathBuf>,
}
