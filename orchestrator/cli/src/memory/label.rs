//! `aura memory label`.
//!
//! What: gives a thing the owner's own name, or takes it away. Why: who is behind a hash is the owner's to say. Not here: names that
//! agents know (`*.describe`), which are never kept.

use super::{
    super::{
        args::{DataDir, FormatArgs},
        error::CliError,
        exit::CommandExit,
        line::in_line,
        out::CommandOutput,
        service,
    },
    look::key,
};
use aura_memory::{Store, StoreError, StoreOptions, StoreWrite, graph::NodeKey};
use aura_platform::clock::Clock;
use aura_runtime::control::{ControlReply, ControlRequest};
use clap::Args;
use std::{io, sync::mpsc};
use surfaces_base::language::{self, say};

/// A name is at most so long.
const LABEL_CHARS_MAX: usize = 80;

/// `aura memory label`
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelArgs {
    /// What is meant: its key, or a chat's hash
    #[arg(value_parser = key)]
    key: NodeKey,
    /// Your name for it, at most 80 characters
    #[arg(value_parser = name, required_unless_present = "remove", conflicts_with = "remove")]
    name: Option<String>,
    /// Take the name away
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

fn name(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let fits = (1..=LABEL_CHARS_MAX).contains(&text.chars().count());
    if fits && !text.chars().any(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err(language::text("cli-memory-label-length"))
    }
}

/// Runs `aura memory label`.
///
/// # Errors
/// The folder cannot be written.
pub(super) fn run(args: &LabelArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let request = ControlRequest::Label {
        of: args.key.clone(),
        text: args.name.clone(),
    };
    in_line(|| match service::ask(vault.dir(), &request)? {
        Some(ControlReply::Labelled) => Ok(()),
        Some(other) => Err(service::unexpected(other)),
        None => {
            let (store, _) = Store::open(&vault, StoreOptions::default())?;
            write(&store, &args.key, args.name.clone())
        }
    })?;
    if args.format.json {
        out.json(&serde_json::json!({ "key": args.key, "label": args.name }))?;
    } else {
        match &args.name {
            Some(name) => out.text(&say!("cli-memory-labelled", key = args.key.to_string(), name))?,
            None => out.text(&say!("cli-memory-label-removed", key = args.key.to_string()))?,
        }
    }
    Ok(CommandExit::Ok)
}

fn write(store: &Store, of: &NodeKey, text: Option<String>) -> Result<(), CliError> {
    store.write(vec![StoreWrite::Label {
        of: of.clone(),
        text,
        at: Clock::real(None).wall(),
    }])?;
    let (told, heard) = mpsc::channel();
    store.commit(Box::new(move |done| {
        // Heard below, unless this command is gone.
        let _ = told.send(done);
    }))?;
    match heard.recv() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(CliError::File(io::Error::other(error))),
        Err(_) => Err(StoreError::Stopped.into()),
    }
}
