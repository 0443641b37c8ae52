//! The binary `aura`.
//!
//! What: one line. Why: everything it does is in the library, where tests reach it. Not here: the command line
//! (`orchestrator::cli`).

use std::process::ExitCode;

fn main() -> ExitCode {
    orchestrator::cli::start::start()
}
