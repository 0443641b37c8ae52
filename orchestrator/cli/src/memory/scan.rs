//! `aura memory scan`.
//!
//! What: looks for texts in every byte that is kept. Why: lets the owner verify that data was never stored or has been erased. Not here:
//! finding things by their words (`look`).

use super::super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    input::InputFile,
    out::CommandOutput,
};
use aura_memory::{
    audit::{AuditSubject, Kind, Op},
    scan,
};
use aura_runtime::reads;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use surfaces_base::language::say;

/// A text is at least so long: shorter ones stand everywhere by chance.
const TEXT_BYTES_MIN: usize = 4;

/// All texts together are at most so long.
const TEXTS_BYTES_MAX: usize = 1 << 20;

/// `aura memory scan`
#[derive(Debug, Clone, Args)]
pub(crate) struct ScanArgs {
    /// A file with one text a line; `-` is the standard input, so that they stand in no list of commands
    #[arg(value_name = "FILE", default_value = "-")]
    texts: PathBuf,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura memory scan`. 1 when one of the texts stands somewhere.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn run(args: &ScanArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let text = InputFile::open(&args.texts)?.whole(TEXTS_BYTES_MAX)?;
    let texts: Vec<Vec<u8>> = text
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
        .filter(|line| !line.is_empty())
        .collect();
    if texts.is_empty() || texts.iter().any(|text| text.len() < TEXT_BYTES_MIN) {
        return Err(CliError::Usage(say!(
            "cli-memory-scan-too-short",
            least = TEXT_BYTES_MIN
        )));
    }
    let vault = args.data.vault()?;
    reads::record(&vault, Op::Read, AuditSubject::all_of(Kind::Memory))?;
    let found = scan::scan(&vault, &texts)?;
    for place in &found {
        if args.format.json {
            out.json(&json!({ "text": place.text + 1, "file": place.file, "page": place.page }))?;
        } else {
            let (number, path) = ((place.text + 1).to_string(), place.file.display().to_string());
            out.text(&match place.page {
                Some(page) => say!("cli-memory-scan-in-page", number, path, page = page.to_string()),
                None => say!("cli-memory-scan-in-file", number, path),
            })?;
        }
    }
    if found.is_empty() && !args.format.json {
        out.text(&say!("cli-memory-scan-none", count = texts.len()))?;
    }
    Ok(if found.is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}
