//! `aura memory export` and `aura memory import`: taking what is kept away, and bringing it back.
//!
//! What: who it is for, in which format, into which file. Why: an export is recorded before its first byte is written, is never
//! half a file, and says what was removed. Not here: what each profile removes (`aura_memory::export`).

use super::bar::bar;
use crate::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    line::{OpenOnce, in_line},
    names,
    out::CommandOutput,
    records::StoreAccess,
    service,
};
use aura_memory::{
    Store, StoreOptions, Vault,
    audit::{AuditKeys, AuditSubject, Kind, Op},
    export::{self, ExportError, ExportSummary, ImportCounts, Profile},
};
use aura_platform::clock::Clock;
use aura_runtime::{
    control::{ControlReply, ControlRequest},
    reads,
};
use clap::{Args, ValueEnum};
use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, IsTerminal as _, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};
use surfaces_base::language::{self, say, text};
use toolcall_schema::Timestamp;

/// In which format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    /// Everything, one document of `export.v1`
    Json,
    /// Events, as a calendar
    Ics,
    /// Payments, as a journal
    Hledger,
    /// Nodes, one file a type, into a folder
    Csv,
}

/// `aura memory export`
#[derive(Debug, Clone, Args)]
pub(crate) struct ExportArgs {
    /// Who it is for: raw, share-with-friend, share-with-clinician or minimal
    #[arg(long, value_name = "PROFILE", default_value = "raw", value_parser = profile)]
    profile: Profile,
    /// In which format
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    format: FileFormat,
    /// A new file, for csv a new folder [default: the standard output]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    /// Say what was done as JSON; with --out only
    #[arg(long, requires = "out")]
    json: bool,
}

fn profile(text: &str) -> Result<Profile, &'static str> {
    Profile::parse(text).ok_or_else(|| language::text("cli-memory-export-profiles"))
}

/// `aura memory import`
#[derive(Debug, Clone, Args)]
pub(crate) struct MemoryImportArgs {
    /// A raw export
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura memory export`.
///
/// # Errors
/// [`CliError`] when it cannot be recorded, the store not be read or the file not be written.
pub(super) fn export(args: &ExportArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let StoreAccess { reader, .. } = StoreAccess::open_to_show(&vault)?;
    if args.out.is_none() {
        if args.format == FileFormat::Csv {
            return Err(CliError::Usage(text("cli-memory-export-csv").to_owned()));
        }
        if io::stdout().is_terminal() {
            return Err(CliError::Usage(text("cli-memory-export-terminal").to_owned()));
        }
    }
    reads::record(&vault, Op::Export, AuditSubject::all_of(Kind::Memory))?;
    let at = Clock::real(None).wall();
    let bar = bar(reader.export_size()?, text("cli-memory-exporting"));
    let mut progress = |row| {
        if row % 1024 == 0 {
            bar.set_position(row);
        }
    };
    let mut write = |to: &mut dyn Write| match args.format {
        FileFormat::Json => {
            let keys = AuditKeys::derive(vault.seed());
            export::json(&reader, &keys, args.profile, at, to, &mut progress)
        }
        FileFormat::Ics => export::formats::ics(&reader, args.profile, at, to, &mut progress),
        // A folder of CSV files is no stream; it is written below.
        FileFormat::Hledger | FileFormat::Csv => {
            export::formats::hledger(&reader, args.profile, to, &mut progress)
        }
    };
    let exported = match &args.out {
        None => write(&mut out.bytes()),
        Some(dir) if args.format == FileFormat::Csv => {
            export::formats::csv(&reader, args.profile, dir, &mut |row| bar.set_position(row))
        }
        Some(file) => to_file(file, &mut write),
    };
    bar.finish_and_clear();
    let exported = exported?;
    if let Some(file) = &args.out {
        print_outcome(&exported, args, file, out)?;
    }
    Ok(CommandExit::Ok)
}

fn print_outcome(
    exported: &ExportSummary,
    args: &ExportArgs,
    file: &Path,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    if args.json {
        return out.json(exported);
    }
    out.text(&say!(
        "cli-memory-exported",
        rows = exported.rows,
        profile = names::profile(args.profile),
        path = file.display().to_string()
    ))?;
    let removed: Vec<_> = exported
        .removed
        .iter()
        .map(|removed| {
            let class = names::export_class(removed.class).to_owned();
            let done = names::export_action(removed.action).to_owned();
            [class, done, removed.count.to_string()]
        })
        .collect();
    if !removed.is_empty() {
        out.table(
            [
                text("cli-memory-export-column-fields"),
                text("cli-memory-export-column-done"),
                text("cli-memory-export-column-times"),
            ],
            &removed,
        )?;
    }
    Ok(())
}

/// A new file, private and whole or not there.
fn to_file(
    file: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<ExportSummary, ExportError>,
) -> Result<ExportSummary, ExportError> {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    // Looked at first, so that nothing is written for nothing; `fill` looks once more.
    if file.symlink_metadata().is_ok() {
        return Err(ExportError::Taken(file.to_owned()));
    }
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&part)
        .map_err(|error| unless_taken(error, &part))?;
    let written = fill(opened, file, &part, write);
    if written.is_err() {
        // Nothing may be left of a failed attempt; that it could not be removed adds nothing to the first error.
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn unless_taken(error: io::Error, file: &Path) -> ExportError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        ExportError::Taken(file.to_owned())
    } else {
        error.into()
    }
}

fn fill(
    opened: File,
    file: &Path,
    part: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<ExportSummary, ExportError>,
) -> Result<ExportSummary, ExportError> {
    let mut buffer = BufWriter::with_capacity(1 << 16, opened);
    let exported = write(&mut buffer)?;
    buffer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()?;
    aura_memory::rename_new(part, file).map_err(|error| unless_taken(error, file))?;
    Ok(exported)
}

/// Runs `aura memory import`.
///
/// # Errors
/// [`CliError`] when the file is no raw export, or the folder cannot be used; then nothing was imported.
pub(super) fn import(args: &MemoryImportArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let unreadable = |source| CliError::Input {
        path: args.file.clone(),
        source,
    };
    let file = File::open(&args.file).map_err(unreadable)?;
    let dir = args.data.path()?;
    let request = ControlRequest::ImportExport {
        file: std::path::absolute(&args.file).map_err(unreadable)?,
    };
    let mut vault = OpenOnce::default();
    let imported = in_line(|| match service::ask_patiently(&dir, &request)? {
        Some(ControlReply::ExportImported(imported)) => Ok(imported),
        Some(other) => Err(service::unexpected(other)),
        None => import_alone(&vault.get(|| args.data.vault_or_new())?, &file),
    })?;
    if args.format.json {
        out.json(&imported)?;
    } else {
        out.text(&say!(
            "cli-memory-imported",
            rows = imported.rows,
            known = imported.known
        ))?;
    }
    Ok(CommandExit::Ok)
}

/// On a folder without a service.
fn import_alone(vault: &Vault, file: &File) -> Result<ImportCounts, CliError> {
    // Makes the tables, or brings them up.
    drop(Store::open(vault, StoreOptions::default())?);
    let bar = bar(
        file.metadata().map_or(0, |meta| meta.len()),
        text("cli-memory-importing"),
    );
    let at: Timestamp = Clock::real(None).wall();
    let imported = export::import(vault, bar.wrap_read(file), at, &mut |_| {});
    bar.finish_and_clear();
    Ok(imported?)
}
