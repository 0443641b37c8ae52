//! Why a program's answer is not used.
//!
//! What: [`Refusal`], with a code that has a page in `docs/errors`. Why: whatever a program does, who asked it goes on with one value.
//! Not here: keeping what was refused (`aura_memory::quarantine`).

use serde::{Deserialize, Serialize};
use std::{fmt, io, os::unix::process::ExitStatusExt as _, process::ExitStatus, time::Duration};
use toolcall_schema::rejection::SchemaError;

/// Why an answer is not used, or why none came. Never holds a value of what was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// `PROGRAM-…`, `PROTO-…` or `ARTIFACT-…`.
    pub code: String,
    /// JSON pointer to the place in the message; empty for all of it, or where there is none.
    pub pointer: String,
    /// A plain sentence with the remedy.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        if !self.pointer.is_empty() {
            write!(f, " at {:?}", self.pointer)?;
        }
        write!(f, " {}", self.message)
    }
}

impl From<SchemaError> for Refusal {
    fn from(error: SchemaError) -> Self {
        Self::at(error.code.as_str(), &error.pointer, error.message)
    }
}

impl Refusal {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Self::at(code, "", message)
    }

    pub(super) fn at(code: &str, pointer: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            pointer: pointer.to_owned(),
            message: message.into(),
        }
    }

    pub(super) fn not_started(error: &io::Error) -> Self {
        Self::new(
            "PROGRAM-002",
            format!(
                "it cannot be started ({error}): check command, and that the program is there and may be executed"
            ),
        )
    }

    pub(super) fn too_much() -> Self {
        Self::new(
            "PROGRAM-003",
            "it wrote more than 4 MiB for one message, and was ended",
        )
    }

    pub(super) fn late(limit: Duration) -> Self {
        Self::new(
            "PROGRAM-004",
            format!(
                "it did not answer within {} s; raise limits.wall_s or the step's time limit, or have it do less",
                limit.as_secs_f64()
            ),
        )
    }

    pub(super) fn is_late(&self) -> bool {
        self.code == "PROGRAM-004"
    }

    pub(super) fn ended(status: Option<ExitStatus>) -> Self {
        let code = status.and_then(|status| status.code());
        let how = code.map(|code| format!("exit code {code}"));
        let signal = || status.and_then(|status| status.signal());
        let how = how.or_else(|| signal().map(|signal| format!("signal {signal}")));
        Self::new(
            "PROGRAM-005",
            format!(
                "it ended with {}; what it wrote to its standard error is in the log",
                how.as_deref().unwrap_or("its output closed, and was killed")
            ),
        )
    }

    pub(super) fn nothing() -> Self {
        Self::new(
            "PROGRAM-006",
            "it ended with 0 and wrote nothing; an answer is one JSON document",
        )
    }
}
