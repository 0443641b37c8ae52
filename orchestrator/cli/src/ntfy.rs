//! `aura ntfy setup`: two topics that nobody can guess.
//!
//! What: prints the `[ntfy]` table for the configuration. Why: whoever knows a topic can read it, so people should not make them up.
//! It opens no connection and changes no file. Not here: the server (the owner's own), what is pushed (`outbound`).

use super::{args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput};
use clap::{Args, Subcommand};
use surfaces_base::language::text;

/// Notifications through your own ntfy server
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum NtfyCommand {
    /// Make two random topics, as a table for the configuration
    Setup(SetupArgs),
}

/// Two random topics.
#[derive(Debug, Clone, Args)]
pub(crate) struct SetupArgs {
    /// Your server
    #[arg(long, value_name = "URL", default_value = "https://ntfy.example.org")]
    server: String,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura ntfy`.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn run(command: &NtfyCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let NtfyCommand::Setup(args) = command;
    // 122 random bits each.
    let random = || uuid::Uuid::new_v4().simple().to_string();
    let (server, topic, answers) = (&args.server, random(), random());
    if args.format.json {
        out.json(&serde_json::json!({ "server": server, "topic": topic, "answers": answers }))?;
    } else {
        out.text(&format!(
            "[ntfy]\nserver = {server:?}\ntopic = \"{topic}\"     # {}\nanswers = \"{answers}\"   # {}",
            text("cli-ntfy-subscribe"),
            text("cli-ntfy-buttons")
        ))?;
    }
    Ok(CommandExit::Ok)
}
