//! `aura mute`: which chats are muted, and ending that early.
//!
//! What: mutes are listed and ended. Why: a chat that is wanted again need not wait for the end of its mute. Not here:
//! muting (a card asks for it), how the call is made (`backend`).

use super::{
    args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput, service::ServiceFolderArgs,
};
use aura_runtime::control::{ControlRequest, OwnerSettings};
use clap::{Args, Subcommand};
use toolcall_schema::ids::ChannelHash;

/// `aura mute`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum MuteCommand {
    /// The chats that are muted, and until when
    List(MuteListArgs),
    /// Unmute a chat now
    End(MuteEndArgs),
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
    /// The chat, by its hash as `aura mute list` prints it: `ch_…`
    #[arg(value_name = "CHANNEL", value_parser = ChannelHash::parse)]
    channel: ChannelHash,
    /// The same request again with the same key gets the first outcome; else each one is new
    #[arg(long, value_name = "KEY", value_parser = key)]
    idempotency_key: Option<String>,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// An idempotency key.
pub(super) fn key(text: &str) -> Result<String, &'static str> {
    if (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err("a key is 1 to 64 letters, digits or signs without a space")
    }
}

/// Runs `aura mute …`.
///
/// # Errors
/// A chat that is not muted, data folder, a service that does not answer, an agent that does not.
pub(crate) fn run(command: &MuteCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        MuteCommand::List(args) => list(&args.folder.standing()?, args.format, out),
        MuteCommand::End(args) => {
            let request = ControlRequest::MuteEnd {
                channel: args.channel.clone(),
                key: args.idempotency_key.clone(),
            };
            list(&args.folder.tell(&request)?, args.format, out)
        }
    }
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
    } else if muted().next().is_none() {
        out.text("No chat is muted.")?;
    } else {
        let rows: Vec<[String; 2]> = muted()
            .map(|(channel, until)| [channel.to_string(), out.moment(*until, standing.zone)])
            .collect();
        out.table(["chat", "muted until"], &rows)?;
    }
    Ok(CommandExit::Ok)
}
