//! What `aura doctor` says of the surfaces that are no pages.
//!
//! What: whether the speech program is there, and whether the ntfy server answers when that is asked for. Why: silent failures of speech and push would otherwise go unnoticed. Not here: their settings' form (`config`).

use super::{DoctorFinding, ok, warn};
use aura_runtime::outbound::{OutboundConfig, speech::SpeechEngine};

/// One line each; no network unless `online`.
pub(super) fn checks(outbound: &OutboundConfig, online: bool) -> [DoctorFinding; 2] {
    [speech(outbound), ntfy(outbound, online)]
}

fn speech(outbound: &OutboundConfig) -> DoctorFinding {
    let name = "speech";
    if !outbound.speech.enabled {
        return ok(name, "off: nothing is said aloud");
    }
    match outbound.speech.engine() {
        Ok(SpeechEngine::Espeak { program } | SpeechEngine::Piper { program, .. }) => {
            ok(name, format!("on, by {}", program.display()))
        }
        Err(error) => warn(
            name,
            error.to_string(),
            "apt-get install espeak-ng, or set enabled = false under [speech]",
        ),
    }
}

fn ntfy(outbound: &OutboundConfig, online: bool) -> DoctorFinding {
    let name = "ntfy";
    let Some(ntfy) = &outbound.ntfy else {
        return ok(name, "none: no notifications, and no connection to outside");
    };
    if !online {
        return ok(name, "configured; ask it with `aura doctor --online`");
    }
    match ntfy.health() {
        Ok(()) => ok(name, "the server answers"),
        Err(error) => warn(
            name,
            error.to_string(),
            "see that the server runs, and `server` under [ntfy]",
        ),
    }
}
