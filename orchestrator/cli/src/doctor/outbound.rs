//! What `aura doctor` says of the surfaces that are no pages.
//!
//! What: whether the speech program is there, and whether the ntfy server, the push services and the collector answer when that is asked for. Why: silent failures of speech and push would otherwise go unnoticed. Not here: their settings' form (`config`).

use super::{DoctorFinding, ok, warn};
use aura_runtime::outbound::{OutboundConfig, speech::SpeechEngine, web_push::PushHost};

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
        return ok(
            name,
            "none: no notifications by it, and no connection to outside for it",
        );
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

fn web_push(outbound: &OutboundConfig, online: bool) -> DoctorFinding {
    let name = "web push";
    let hosts: Vec<&str> = outbound.web_push.hosts.iter().map(PushHost::as_str).collect();
    if hosts.is_empty() {
        return ok(
            name,
            "off: no browser is told, and no connection to outside for it",
        );
    }
    let services = hosts.join(", ");
    if !online {
        return ok(
            name,
            format!("on, by {services}; ask them with `aura doctor --online`"),
        );
    }
    match outbound.web_push.health() {
        Ok(()) => ok(name, format!("on, by {services}: they answer")),
        Err(error) => warn(
            name,
            error.to_string(),
            "see that this computer reaches the internet, and `hosts` under [web_push]",
        ),
    }
}

fn telemetry(outbound: &OutboundConfig, online: bool) -> DoctorFinding {
    let name = "telemetry";
    let Some(collector) = &outbound.telemetry else {
        return ok(name, "off: no tick and no figure leaves Aura");
    };
    let host = collector.host();
    if !online {
        return ok(
            name,
            format!("on, to {host}; ask it with `aura doctor --online`, and see `aura status`"),
        );
    }
    match collector.health() {
        Ok(()) => ok(name, format!("on, to {host}: it answers")),
        Err(error) => warn(
            name,
            error.to_string(),
            "see that the collector runs and takes OTLP over HTTP, and `endpoint` under [telemetry]",
        ),
    }
}
