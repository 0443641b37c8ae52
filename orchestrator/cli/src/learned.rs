//! `aura learned`: what Comms learned from the owner's acts; correcting and unlearning it.
//!
//! What: senders, lists and chats with what their messages are treated as, in words. Why: what was learned is the owner's to see and to take
//! back. Not here: the sentences (`surfaces_base::words`), names, which only pages show.

use super::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service::{ServiceFolderArgs, unexpected},
};
use aura_runtime::control::{ControlReply, ControlRequest};
use clap::{Args, Subcommand};
use surfaces_base::{language::text, words};
use toolcall_schema::catalogue::{
    comms::MessageClass,
    learning::{LearnedList, LearnedThing},
};

/// `aura learned`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum LearnedCommand {
    /// What was learned, and why
    List(LearnedListArgs),
    /// Say what a sender's, a list's or a chat's messages are to you
    Correct(LearnedCorrectArgs),
    /// Unlearn one sender, list or chat, or everything
    Reset(LearnedResetArgs),
}

/// `aura learned list`
#[derive(Debug, Clone, Args)]
pub(crate) struct LearnedListArgs {
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura learned correct`
#[derive(Debug, Clone, Args)]
pub(crate) struct LearnedCorrectArgs {
    /// The sender, list or chat as `aura learned list` prints it: `pe_…` or `ch_…`
    #[arg(value_name = "WHO", value_parser = LearnedThing::parse)]
    about: LearnedThing,
    /// What its messages are: `needs_you`, group, date, bill, code, news, talk, waiting or spam
    #[arg(value_name = "CLASS", value_parser = class)]
    class: MessageClass,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura learned reset`
#[derive(Debug, Clone, Args)]
pub(crate) struct LearnedResetArgs {
    /// The sender, list or chat as `aura learned list` prints it
    #[arg(value_name = "WHO", value_parser = LearnedThing::parse, required_unless_present = "all")]
    about: Option<LearnedThing>,
    /// Everything that was learned
    #[arg(long, conflicts_with = "about")]
    all: bool,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

fn class(name: &str) -> Result<MessageClass, &'static str> {
    MessageClass::parse(name).ok_or_else(|| text("cli-learned-classes"))
}

/// Runs `aura learned …`.
///
/// # Errors
/// Data folder, a service that does not answer, an agent that does not.
pub(crate) fn run(command: &LearnedCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (folder, format, request) = match command {
        LearnedCommand::List(args) => (&args.folder, args.format, ControlRequest::Learned),
        LearnedCommand::Correct(args) => {
            let request = ControlRequest::LearnedCorrect {
                about: args.about.clone(),
                class: args.class,
            };
            (&args.folder, args.format, request)
        }
        LearnedCommand::Reset(args) => {
            let request = ControlRequest::LearnedReset {
                about: args.about.clone(),
            };
            (&args.folder, args.format, request)
        }
    };
    let reply = folder.ask_existing(&request)?;
    if let ControlReply::Learned(list) = &reply {
        return show(list, format, out);
    }
    Err(unexpected(reply))
}

fn show(list: &LearnedList, format: FormatArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if format.json {
        for row in &list.rows {
            out.json(row)?;
        }
    } else if list.rows.is_empty() {
        out.text(&words::nothing_learned(list.labels))?;
    } else {
        let rows: Vec<[String; 2]> = list
            .rows
            .iter()
            .map(|row| [row.about.as_str().to_owned(), words::learned(row)])
            .collect();
        let head = [text("cli-learned-column-who"), text("cli-learned-column-what")];
        out.table(head, &rows)?;
        out.text(&words::learned_from(list.labels))?;
    }
    Ok(CommandExit::Ok)
}
