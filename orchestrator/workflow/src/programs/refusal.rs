//! Why a program's answer is not used.
//!
//! What: every [`RefusalReason`] that programs and files are the reason of, with a code that has a page in `docs/errors`. Why: whatever a program
//! does, who asked it goes on with one value. Not here: keeping what was refused (`aura_memory::quarantine`).

use std::{io, time::Duration};
use toolcall_schema::rejection::RefusalReason;

/// A program asked for a host that its manifest does not name ...
pub(super) const NOT_NAMED: &str = "PROGRAM-009";
/// ... or for one of those that leads to this computer or into a network of the owner's own.
pub(super) const NOT_PUBLIC: &str = "PROGRAM-010";

pub(super) fn new(code: &str, message: impl Into<String>) -> RefusalReason {
    at(code, "", message)
}

pub(super) fn at(code: &str, pointer: &str, message: impl Into<String>) -> RefusalReason {
    RefusalReason {
        code: code.to_owned(),
        pointer: pointer.to_owned(),
        message: message.into(),
    }
}

pub(super) fn not_started(error: &io::Error) -> RefusalReason {
    new(
        "PROGRAM-002",
        format!(
            "it cannot be started ({error}): check command, and that the program is there and may be executed"
        ),
    )
}

pub(super) fn too_much() -> RefusalReason {
    new(
        "PROGRAM-003",
        "it wrote more than 4 MiB for one message, and was ended",
    )
}

pub(super) fn late(limit: Duration) -> RefusalReason {
    new(
        "PROGRAM-004",
        format!(
            "it did not answer within {} s; raise limits.wall_s or the step's time limit, or have it do less",
            limit.as_secs_f64()
        ),
    )
}

pub(super) fn is_late(why: &RefusalReason) -> bool {
    why.code == "PROGRAM-004"
}

/// It ended; why, in one sentence.
pub(super) fn ended(why: impl Into<String>) -> RefusalReason {
    new("PROGRAM-005", why)
}

pub(super) fn nothing() -> RefusalReason {
    new(
        "PROGRAM-006",
        "it ended with 0 and wrote nothing; an answer is one JSON document",
    )
}
