//! `aura memory backup` and `restore`.
//!
//! What: the whole folder in one file, and back. Why: a copy opens with a key of its own, so it can lie anywhere. Not here: the
//! file's form (`aura_memory::backup`).

use super::{
    super::keys::TerminalKeyPrompt,
    bar::bar,
    key::{ChosenPlace, PlaceArgs, new_from_file, twice},
};
use crate::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
};
use aura_memory::{
    Vault,
    audit::{AuditSubject, Kind, Op},
    backup::{self, BackupContents},
    vault::NewPlace,
};
use aura_runtime::reads;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use surfaces_base::language::{say, text};

/// What a backup opens with.
#[derive(Debug, Clone, Args)]
#[group(multiple = false)]
pub(super) struct BackupKeyArgs {
    /// The backup's key is this file of 32 bytes; made when it is not there
    #[arg(long, value_name = "FILE")]
    backup_key_file: Option<PathBuf>,
    /// The backup's passphrase is in the first line of this file [default: it is asked for]
    #[arg(long, value_name = "FILE")]
    backup_passphrase_file: Option<PathBuf>,
}

/// `aura memory backup`
#[derive(Debug, Clone, Args)]
pub(crate) struct BackupArgs {
    /// The file that is made
    file: PathBuf,
    #[command(flatten)]
    key: BackupKeyArgs,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura memory restore`
#[derive(Debug, Clone, Args)]
pub(crate) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    backup: PathBuf,
    #[command(flatten)]
    key: BackupKeyArgs,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura memory backup`.
///
/// # Errors
/// A folder that cannot be opened, a file that cannot be written.
pub(super) fn backup(args: &BackupArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let key = &args.key;
    let place = match (&key.backup_key_file, &key.backup_passphrase_file) {
        (Some(file), _) => NewPlace::File(file.clone()),
        (None, Some(file)) => NewPlace::Passphrase(new_from_file(file)?),
        (None, None) => NewPlace::Passphrase(twice()?),
    };
    reads::record(&vault, Op::Backup, AuditSubject::all_of(Kind::Memory))?;
    let line = bar(0, text("cli-memory-copying"));
    let held = backup::backup(&vault, &args.file, &place, &mut |done, of| {
        line.set_length(of);
        line.set_position(done);
    })?;
    line.finish_and_clear();
    let says = say!(
        "cli-memory-backed-up",
        files = held.files,
        bytes = held.bytes,
        path = args.file.display().to_string()
    );
    print_outcome(&says, &args.file, held, args.format, out)
}

/// Runs `aura memory restore`.
///
/// # Errors
/// A backup that cannot be used, a folder that holds something or cannot be written.
pub(super) fn restore(args: &RestoreArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (dir, place) = (args.data.path()?, args.place.place()?);
    let ask = TerminalKeyPrompt::of_backup(
        args.key.backup_key_file.as_ref(),
        args.key.backup_passphrase_file.as_ref(),
    );
    let line = bar(0, text("cli-memory-restoring"));
    let held = backup::restore(&args.backup, &ask, &dir, &place, &mut |done, of| {
        line.set_length(of);
        line.set_position(done);
    })?;
    line.finish_and_clear();
    let vault = Vault::open(&dir, &ChosenPlace(&place))?;
    reads::record_done(&vault, Op::Restore, AuditSubject::all_of(Kind::Memory))?;
    let says = say!(
        "cli-memory-restored",
        files = held.files,
        bytes = held.bytes,
        path = dir.display().to_string()
    );
    print_outcome(&says, &dir, held, args.format, out)
}

fn print_outcome(
    says: &str,
    path: &std::path::Path,
    held: BackupContents,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if format.json {
        out.json(&json!({ "path": path, "files": held.files, "bytes": held.bytes }))?;
    } else {
        out.text(says)?;
    }
    Ok(CommandExit::Ok)
}
