//! The binary `aura`.
//!
//! Everything it does is in the crates beside it: the command line is `aura-cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    aura_cli::start::start::<aura_cli::Cli>()
}
