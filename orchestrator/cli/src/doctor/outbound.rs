//! What `aura doctor` says of the surfaces that are no pages.
//!
//! What: whether the speech program is there, and whether the ntfy server answers when that is asked for. Why: a sentence that is not
//! said and a notification that does not come are noticed by nobody. Not here: their settings' form (`config`).

use super::{Check, ok, warn};
use aura_runtime::outbound::{Outbound, speech::Engine};

/// One line each; no network unless `online`.
pub(super) fn checks(outbound: &Outbound, online: bool) -> [Check; 2] {
    [speech(outbound), ntfy(outbound, online)]
}

fn speech(outbound: &Outbound) -> Check {
    let name = "speech";
    if !outbound.speech.enabled {
        return ok(name, "off: nothing is said aloud");
    }
    match outbound.speech.engine() {
        Ok(Engine::Espeak { program } | Engine::Piper { program, .. }) => {
            ok(name, format!("on, by {}", program.display()))
        }
        Err(error) => warn(
            name,
            error.to_string(),
            "apt-get install espeak-ng, or set enabled = false under [speech]",
        ),
    }
}

fn ntfy(outbound: &Outbound, online: bool) -> Check {
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
