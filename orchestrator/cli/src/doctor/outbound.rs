//! What `aura doctor` says of the surfaces that are no pages.
//!
//! What: whether the speech program is there, and whether the ntfy server, the push services and the collector answer when that is asked for. Why: silent failures of speech and push would otherwise go unnoticed. Not here: their settings' form (`config`).

use super::{DoctorFinding, ok, warn};
use aura_runtime::outbound::{OutboundConfig, speech::SpeechEngine, web_push::PushHost};
use surfaces_base::language::{say, text};

/// One line each; no network unless `online`.
pub(super) fn checks(outbound: &OutboundConfig, online: bool) -> [DoctorFinding; 4] {
    [
        speech(outbound),
        ntfy(outbound, online),
        web_push(outbound, online),
        telemetry(outbound, online),
    ]
}

fn speech(outbound: &OutboundConfig) -> DoctorFinding {
    let name = "speech";
    if !outbound.speech.enabled {
        return ok(name, text("cli-doctor-speech-off"));
    }
    match outbound.speech.engine() {
        Ok(SpeechEngine::Espeak { program } | SpeechEngine::Piper { program, .. }) => ok(
            name,
            say!("cli-doctor-speech-on", program = program.display().to_string()),
        ),
        Err(error) => warn(name, error.to_string(), text("cli-doctor-speech-install")),
    }
}

fn ntfy(outbound: &OutboundConfig, online: bool) -> DoctorFinding {
    let name = "ntfy";
    let Some(ntfy) = &outbound.ntfy else {
        return ok(name, text("cli-doctor-ntfy-none"));
    };
    if !online {
        return ok(name, text("cli-doctor-ntfy-configured"));
    }
    match ntfy.health() {
        Ok(()) => ok(name, text("cli-doctor-ntfy-answers")),
        Err(error) => warn(name, error.to_string(), text("cli-doctor-ntfy-see")),
    }
}

fn web_push(outbound: &OutboundConfig, online: bool) -> DoctorFinding {
    let name = "web push";
    let hosts: Vec<&str> = outbound.web_push.hosts.iter().map(PushHost::as_str).collect();
    if hosts.is_empty() {
        return ok(name, text("cli-doctor-web-push-off"));
    }
    let services = hosts.join(", ");
    if !online {
        return ok(name, say!("cli-doctor-web-push-on", services));
    }
    match outbound.web_push.health() {
        Ok(()) => ok(name, say!("cli-doctor-web-push-answers", services)),
        Err(error) => warn(name, error.to_string(), text("cli-doctor-web-push-see")),
    }
}

fn telemetry(outbound: &OutboundConfig, online: bool) -> DoctorFinding {
    let name = "telemetry";
    let Some(collector) = &outbound.telemetry else {
        return ok(name, text("cli-doctor-telemetry-off"));
    };
    let host = collector.host();
    if !online {
        return ok(name, say!("cli-doctor-telemetry-on", host));
    }
    match collector.health() {
        Ok(()) => ok(name, say!("cli-doctor-telemetry-answers", host)),
        Err(error) => warn(name, error.to_string(), text("cli-doctor-telemetry-see")),
    }
}
