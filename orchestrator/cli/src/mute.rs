//! `aura mute`: which chats and people are muted, muting one, and ending that early.
//!
//! What: mutes are begun, listed and ended. Why: what a page does needs no page, and who is wanted again need not wait for the end. Not here: how
//! the call is made (`backend`), other rules (`rule`).

use super::{
    args::FormatArgs, error::CliError, exit::CommandExit, moments, out::CommandOutput,
    service::ServiceFolderArgs,
};
use aura_runtime::control::{ControlRequest, OwnerSettings};
use clap::{Args, Subcommand};
use surfaces_base::language::text;
use toolcall_schema::{
    Timestamp,
    catalogue::learning::LearnedThing,
    ids::PersonHash,
    rule::{OwnerRule, RuleError},
};

/// How short and how long a mute is, in seconds.
const SECONDS: std::ops::RangeInclusive<u32> = 60..=86_400;

/// `aura mute`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum MuteCommand {
    /// The chats and people that are muted, and until when
    List(MuteListArgs),
    /// Mute a chat, or a person wherever they write
    Start(MuteStartArgs),
    /// Unmute a chat or a person now
    End(MuteEndArgs),
}

/// `aura mute start`
#[derive(Debug, Clone, Args)]
pub(crate) struct MuteStartArgs {
    /// The chat (`ch_…`) or person (`pe_…`), as `aura memory search` and traces show them
    #[arg(value_name = "CHAT|PERSON", value_parser = LearnedThing::parse)]
    about: LearnedThing,
    /// For how long, `1m` to `1d`
    #[arg(long = "for", value_name = "LENGTH", value_parser = length, default_value = "8h")]
    seconds: u32,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

fn length(length: &str) -> Result<u32, &'static str> {
    moments::length_ms(length)
        .and_then(|ms| u32::try_from(ms / 1000).ok())
        .filter(|seconds| SECONDS.contains(seconds))
        .ok_or_else(|| text("cli-mute-length"))
}

/// `aura mute list`
#[derive(Debug, Clone, Args)]
pub(crate) struct MuteListArgs {
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura mute end`
#[derive(Debug, Clone, Args)]
pub(crate) struct MuteEndArgs {
    /// The chat or person, by its hash as `aura mute list` prints it: `ch_…`, `pe_…`
    #[arg(value_name = "CHAT|PERSON", value_parser = LearnedThing::parse)]
    about: LearnedThing,
    /// The same request again with the same key gets the first outcome; else each one is new
    #[arg(long, value_name = "KEY", value_parser = key)]
    idempotency_key: Option<String>,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// An idempotency key.
pub(super) fn key(key: &str) -> Result<String, &'static str> {
    if (1..=64).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(key.to_owned())
    } else {
        Err(text("cli-mute-key-shape"))
    }
}

/// Runs `aura mute …`.
///
/// # Errors
/// Who is not muted, data folder, a service that does not answer, an agent that does not.
pub(crate) fn run(command: &MuteCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        MuteCommand::List(args) => list(&args.folder.standing()?, args.format, out),
        MuteCommand::Start(args) => {
            let request = match &args.about {
                LearnedThing::Channel(channel) => ControlRequest::Mute {
                    channel: channel.clone(),
                    seconds: args.seconds,
                    key: None,
                },
                LearnedThing::Person(person) => {
                    let standing = args.folder.standing()?;
                    let until = standing.at.plus_ms(i64::from(args.seconds) * 1000);
                    let rule = OwnerRule::muting(person, until, &standing.rules);
                    let rule = rule.ok_or_else(|| CliError::Usage(RuleError::TooMany.to_string()))?;
                    ControlRequest::RuleSet { rule }
                }
            };
            list(&args.folder.tell(&request)?, args.format, out)
        }
        MuteCommand::End(args) => {
            let request = match &args.about {
                LearnedThing::Channel(channel) => ControlRequest::MuteEnd {
                    channel: channel.clone(),
                    key: args.idempotency_key.clone(),
                },
                LearnedThing::Person(person) => {
                    let rules = args.folder.standing()?.rules;
                    let mutes = |rule: &OwnerRule| rule.muted_person().is_some_and(|(of, _)| of == *person);
                    let name = rules.into_iter().find(mutes).map(|rule| rule.name);
                    let not_muted = || CliError::NotThere(text("cli-mute-not-muted").to_owned());
                    let name = name.ok_or_else(not_muted)?;
                    ControlRequest::RuleRemove { name }
                }
            };
            list(&args.folder.tell(&request)?, args.format, out)
        }
    }
}

/// The people who are muted.
fn muted_people(standing: &OwnerSettings) -> impl Iterator<Item = (PersonHash, Timestamp)> {
    let mutes = standing.rules.iter().filter_map(OwnerRule::muted_person);
    mutes.filter(|(_, until)| *until > standing.at)
}

fn list(
    standing: &OwnerSettings,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let muted = || standing.mutes.iter().filter(|(_, until)| **until > standing.at);
    if format.json {
        for (channel, until) in muted() {
            out.json(&serde_json::json!({ "channel": channel, "until": until }))?;
        }
        for (person, until) in muted_people(standing) {
            out.json(&serde_json::json!({ "person": person, "until": until }))?;
        }
        return Ok(CommandExit::Ok);
    }
    let chats = muted().map(|(channel, until)| (channel.to_string(), *until));
    let people = muted_people(standing).map(|(person, until)| (person.to_string(), until));
    let rows: Vec<[String; 2]> = chats
        .chain(people)
        .map(|(about, until)| [about, out.moment(until, standing.zone)])
        .collect();
    if rows.is_empty() {
        out.text(text("cli-mute-nobody"))?;
    } else {
        let head = [text("cli-mute-column-about"), text("cli-mute-column-until")];
        out.table(head, &rows)?;
    }
    Ok(CommandExit::Ok)
}
