//! `aura memory`: what Aura keeps, and what its owner does with it.
//!
//! What: one file per command. Why: everything about what is kept stands under one word. Not here: what is kept
//! (`aura-memory`).

mod audit;
pub(super) mod bar;
mod copies;
mod delete;
mod export;
mod key;
mod label;
mod look;
mod scan;
mod wipe;

pub(super) use key::{new_from_file, twice};
pub(super) use wipe::{remove_programs_folder, until_free, wipe_folder};

use super::{error::CliError, exit::CommandExit, out::CommandOutput};
use clap::Subcommand;

/// `aura memory`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum MemoryCommand {
    /// What is remembered, in numbers, and for how long
    Stats(look::MemoryStatsArgs),
    /// Search by words or word prefixes, with the reason for each hit
    Search(look::SearchArgs),
    /// One thing that is remembered, and what it belongs to
    Show(look::MemoryShowArgs),
    /// Your own name for somebody, a chat, a merchant: found by it from then on
    Label(label::LabelArgs),
    /// Forget: by id, by time, by person, or everything
    Delete(delete::DeleteArgs),
    /// Apply the retention policy now
    Purge(delete::MemoryPurgeArgs),
    /// Look for texts in every byte that is kept: pages in use and free ones, logs, files; 1 when one stands somewhere
    Scan(scan::ScanArgs),
    /// The audit log: list it, check it, prove a record
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Export everything, or what a profile allows
    Export(export::ExportArgs),
    /// Bring a raw export back, all of it or none
    Import(export::MemoryImportArgs),
    /// Where the folder's key is kept: show it, choose it, change it
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Copy the whole folder into one sealed file, beside a running service too
    Backup(copies::BackupArgs),
    /// Make a data folder of a backup: all of it or nothing
    Restore(copies::RestoreArgs),
    /// Destroy the key, then everything in the folder
    Wipe(wipe::WipeArgs),
}

/// Runs `aura memory …`.
///
/// # Errors
/// [`CliError`] when the store cannot be read or written, or that it is read cannot be recorded.
pub(crate) fn run(command: &MemoryCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        MemoryCommand::Stats(args) => look::stats(args, out),
        MemoryCommand::Search(args) => look::search(args, out),
        MemoryCommand::Show(args) => look::show(args, out),
        MemoryCommand::Label(args) => label::run(args, out),
        MemoryCommand::Delete(args) => delete::run(args, out),
        MemoryCommand::Purge(args) => delete::purge(args, out),
        MemoryCommand::Scan(args) => scan::run(args, out),
        MemoryCommand::Audit(command) => audit::run(command, out),
        MemoryCommand::Export(args) => export::export(args, out),
        MemoryCommand::Import(args) => export::import(args, out),
        MemoryCommand::Key(command) => key::run(command, out),
        MemoryCommand::Backup(args) => copies::backup(args, out),
        MemoryCommand::Restore(args) => copies::restore(args, out),
        MemoryCommand::Wipe(args) => wipe::run(args, out),
    }
}
