//! `aura memory`: what Aura keeps, and what its owner does with it.
//!
//! What: one file per command. Why: everything about what is kept stands under one word. Not here: what is kept
//! (`aura-memory`).

mod audit;
pub(super) mod bar;

use super::{error::CliError, exit::Exit, out::Out};
use clap::Subcommand;

/// `aura memory`
#[derive(Debug, Clone, Subcommand)]
pub enum MemoryCommand {
    /// Who did what with it, and that nothing of that was taken back
    #[command(subcommand)]
    Audit(audit::AuditCommand),
}

/// Runs `aura memory …`.
///
/// # Errors
/// [`CliError`] when the store cannot be read or written, or that it is read cannot be recorded.
pub fn run(command: &MemoryCommand, out: &mut Out) -> Result<Exit, CliError> {
    match command {
        MemoryCommand::Audit(command) => audit::run(command, out),
    }
}
