//! `aura pause`: quiet for a time.
//!
//! What: reads how long, tells the machine, says until when. Why: the owner's word is stronger than any score, and needs
//! one short command. Not here: what a pause stops (`orchestrator_machine::rank`), rules (`rule`).

use super::{
    args::FormatArgs, error::CliError, exit::CommandExit, moments, out::CommandOutput, records::local,
    service::ServiceFolderArgs,
};
use aura_runtime::control::{ControlRequest, OwnerSettings};
use clap::Args;
use surfaces_base::language::{say, text};
use toolcall_schema::Timestamp;

/// Quiet for a time.
#[derive(Debug, Clone, Args)]
pub(crate) struct PauseArgs {
    /// How long: `2h`, `90m`, `3d`; `until 18:00`, `until tomorrow`, `until 2026-11-10 08:00`; `off`; `show`
    #[arg(value_name = "WHEN", num_args = 1..=3, default_value = "show")]
    when: Vec<String>,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura pause`.
///
/// # Errors
/// A time that cannot be read or is past, data folder, a service that does not answer.
pub(crate) fn run(args: &PauseArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let words: Vec<&str> = args.when.iter().map(String::as_str).collect();
    let standing = args.folder.standing()?;
    let until = match words.as_slice() {
        ["show"] => return print_outcome(&standing, args.format, out),
        ["off"] => None,
        _ => Some(end(&words, &standing)?),
    };
    print_outcome(
        &args.folder.tell(&ControlRequest::Pause { until })?,
        args.format,
        out,
    )
}

fn end(words: &[&str], standing: &OwnerSettings) -> Result<Timestamp, CliError> {
    let read = match words {
        ["until", rest @ ..] => moments::next(&rest.join(" "), standing.at, standing.zone),
        [length] => moments::length_ms(length).map(|ms| standing.at.plus_ms(ms)),
        _ => None,
    };
    read.filter(|until| *until > standing.at)
        .ok_or_else(|| CliError::Usage(text("cli-pause-lengths").to_owned()))
}

fn print_outcome(
    standing: &OwnerSettings,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if format.json {
        out.json(&serde_json::json!({ "at": standing.at, "paused_until": standing.paused_until }))?;
    } else {
        out.text(&match standing.paused_until {
            Some(until) => say!("cli-pause-until", until = local(until, standing.zone)),
            None => text("cli-pause-none").to_owned(),
        })?;
    }
    Ok(CommandExit::Ok)
}
