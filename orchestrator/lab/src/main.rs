//! The binary `aura-lab`: `aura bench …`, `aura selftest chaos` and `aura selftest model-swap`.

use std::process::ExitCode;

fn main() -> ExitCode {
    aura_cli::start::start::<aura_lab::cli::LabCli>()
}
