//! A mistake in a policy, with its place in the text.
//!
//! Here because the machine finds it, and pages and the command line show it. Not here: finding it (`orchestrator-machine`).

use serde::Serialize;
use std::fmt;

/// A mistake in a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyDiagnostic {
    /// `POLICY-00n`, with a page in `docs/errors`.
    pub code: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong, the limit, and what to do.
    pub message: String,
}

impl fmt::Display for PolicyDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: line {}, column {}: {}",
            self.code, self.line, self.column, self.message
        )
    }
}
