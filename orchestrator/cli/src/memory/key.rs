//! `aura memory key`: where the key of a data folder is kept.
//!
//! What: `show`, `init`, `change`. Why: the choice is the owner's, and a change seals every file anew. Not here: sealing
//! (`aura_memory::vault`).

use super::{super::keys, bar::bar};
use crate::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    line::in_line,
    out::CommandOutput,
    service,
};
use aura_memory::{
    StoreError, StoreOptions, Vault,
    audit::{AuditSubject, Kind, Op},
    demo,
    vault::{self, KeyChange, KeyPlace, KeyPrompt, NewPlace, Passphrase, ResealStep, VaultStatus},
};
use aura_runtime::{
    control::{ControlReply, ControlRequest},
    reads,
};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};
use surfaces_base::{
    language::{say, text},
    passphrase_strength::PassphraseStrength,
};

/// `aura memory key`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum KeyCommand {
    /// How the folder is sealed and where its key is kept; needs no key
    Show(KeyShowArgs),
    /// Choose where a new folder's key is kept; a folder of an earlier Aura is sealed
    Init(KeyInitArgs),
    /// Keep the key elsewhere, or under another passphrase: every file is sealed anew
    Change(ChangeArgs),
}

/// `aura memory key show`
#[derive(Debug, Clone, Args)]
pub(crate) struct KeyShowArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Where a key is to be kept.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub(super) struct PlaceArgs {
    /// In the system's keyring
    #[arg(long)]
    keyring: bool,
    /// Made from a passphrase, which is asked for twice
    #[arg(long)]
    passphrase: bool,
    /// Made from the passphrase in the first line of this file
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<PathBuf>,
    /// In this file of 32 bytes, on another disk or a stick; made when it is not there
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl PlaceArgs {
    /// The place that was named.
    ///
    /// # Errors
    /// STORE-013 when a passphrase cannot be read, usage when the two are not the same.
    pub(super) fn place(&self) -> Result<NewPlace, CliError> {
        if let Some(file) = &self.file {
            return Ok(NewPlace::File(file.clone()));
        }
        if let Some(file) = &self.new_passphrase_file {
            return Ok(NewPlace::Passphrase(new_from_file(file)?));
        }
        if self.passphrase {
            return Ok(NewPlace::Passphrase(twice()?));
        }
        Ok(NewPlace::Keyring)
    }
}

/// A place that was just chosen gives its key without asking again.
pub(super) struct ChosenPlace<'a>(pub(super) &'a NewPlace);

impl KeyPrompt for ChosenPlace<'_> {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(match self.0 {
            NewPlace::Passphrase(words) => Some(words.clone()),
            NewPlace::Keyring | NewPlace::File(_) => None,
        })
    }

    fn key_file(&self) -> Option<&Path> {
        match self.0 {
            NewPlace::File(path) => Some(path),
            NewPlace::Keyring | NewPlace::Passphrase(_) => None,
        }
    }
}

/// A new passphrase, typed twice.
///
/// # Errors
/// Usage: no terminal, easily guessed, or not the same.
pub(crate) fn twice() -> Result<Passphrase, CliError> {
    let ask = |prompt: &str| {
        let typed = rpassword::prompt_password(prompt).map(Passphrase::new);
        typed.map_err(|_| CliError::Usage(text("cli-memory-key-no-terminal").to_owned()))
    };
    let first = enough(ask(text("cli-memory-key-new-passphrase"))?)?;
    if ask(text("cli-memory-key-again"))? != first {
        return Err(CliError::Usage(text("cli-memory-key-not-the-same").to_owned()));
    }
    Ok(first)
}

/// A new passphrase, the first line of a file.
///
/// # Errors
/// STORE-013 when it cannot be read; usage where it is easily guessed.
pub(crate) fn new_from_file(file: &Path) -> Result<Passphrase, CliError> {
    enough(keys::from_file(file)?)
}

/// A new passphrase that is not easily guessed: the pages take the same ones.
fn enough(words: Passphrase) -> Result<Passphrase, CliError> {
    let strength = PassphraseStrength::rate(&words);
    if strength.is_enough() {
        return Ok(words);
    }
    Err(CliError::Usage(strength.verdict_text().say().to_owned()))
}

/// `aura memory key init`
#[derive(Debug, Clone, Args)]
pub(crate) struct KeyInitArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura memory key change`
#[derive(Debug, Clone, Args)]
pub(crate) struct ChangeArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Only say what would be sealed anew
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura memory key …`.
///
/// # Errors
/// A folder that cannot be opened or written, a place that takes no key.
pub(super) fn run(command: &KeyCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        KeyCommand::Show(args) => show(args, out),
        KeyCommand::Init(args) => {
            let (dir, place) = (args.data.path()?, args.place.place()?);
            let line = bar(0, text("cli-memory-key-sealing"));
            let vault = Vault::create_with(&dir, &place, &mut |step| {
                show_step(&line, step);
                Ok(())
            })?;
            line.finish_and_clear();
            let place = vault.place().ok_or(CliError::Bug("a key that is kept nowhere"))?;
            print_outcome(vault.dir(), place, args.format, out)
        }
        KeyCommand::Change(args) => change(args, out),
    }
}

fn show(args: &KeyShowArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    let (sealed, place, words) = match vault::standing(&dir)? {
        VaultStatus::New => return Err(StoreError::Missing { dir }.into()),
        VaultStatus::Plain => (false, None, text("cli-memory-key-not-sealed").to_owned()),
        VaultStatus::Sealed(place) => {
            let mut words = vec![sealed_by(&place)];
            if demo::is_marked(&dir) {
                words.push(text("cli-memory-key-of-the-demo").to_owned());
            }
            if vault::has_recovery_sheet(&dir) {
                words.push(text("cli-memory-key-sheet").to_owned());
            }
            (true, Some(name(&place)), words.join(" "))
        }
    };
    if args.format.json {
        out.json(&json!({ "data": dir, "sealed": sealed, "place": place }))?;
    } else {
        out.text(&words)?;
    }
    Ok(if sealed { CommandExit::Ok } else { CommandExit::Bad })
}

fn sealed_by(place: &KeyPlace) -> String {
    match place {
        KeyPlace::Keyring { .. } => text("cli-memory-key-by-keyring").to_owned(),
        KeyPlace::Passphrase { .. } => text("cli-memory-key-by-passphrase").to_owned(),
        KeyPlace::File { path } => say!("cli-memory-key-by-file", path = path.display().to_string()),
    }
}

/// The place in one word.
fn name(place: &KeyPlace) -> &'static str {
    match place {
        KeyPlace::Keyring { .. } => "keyring",
        KeyPlace::Passphrase { .. } => "passphrase",
        KeyPlace::File { .. } => "file",
    }
}

fn change(args: &ChangeArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    if args.dry_run {
        // That it opens is part of what is tried.
        drop(args.data.vault()?);
        let plan = vault::plan(&dir)?;
        let bytes: u64 = plan.iter().map(|(_, bytes)| bytes).sum();
        if args.format.json {
            out.json(&json!({ "dry_run": true, "files": plan.len(), "bytes": bytes }))?;
        } else {
            for (path, bytes) in &plan {
                out.text(&format!("{bytes:>12}  {}", path.display()))?;
            }
            out.text(&say!("cli-memory-key-plan", files = plan.len(), bytes))?;
        }
        return Ok(CommandExit::Ok);
    }
    let change = KeyChange::prepare(&dir, &args.data.asking(), &args.place.place()?)?;
    let request = ControlRequest::KeyChange {
        change: change.clone(),
    };
    let done = in_line(|| match service::ask_patiently(&dir, &request)? {
        Some(ControlReply::KeyChanged) => Ok(()),
        Some(other) => Err(service::unexpected(other)),
        None => alone(&dir, &change),
    });
    // Without an answer nobody knows whether it was begun.
    if !matches!(done, Ok(()) | Err(CliError::Control(_))) {
        change.abandon(&dir);
    }
    done?;
    print_outcome(&dir, change.place(), args.format, out)
}

/// On a folder without a service.
fn alone(dir: &Path, change: &KeyChange) -> Result<(), CliError> {
    let line = bar(0, text("cli-memory-key-sealing-anew"));
    let vault = Vault::change(dir, change, &mut |step| {
        show_step(&line, step);
        Ok(())
    })?;
    line.finish_and_clear();
    Ok(reads::record_alone(
        &vault,
        StoreOptions::default(),
        Op::KeyChange,
        AuditSubject::all_of(Kind::Key),
    )?)
}

fn show_step(line: &ProgressBar, step: ResealStep<'_>) {
    line.set_length(step.of as u64);
    line.set_position(step.done as u64);
}

fn print_outcome(
    dir: &Path,
    place: &KeyPlace,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if format.json {
        out.json(&json!({ "data": dir, "sealed": true, "place": name(place) }))?;
    } else {
        out.text(&sealed_by(place))?;
    }
    Ok(CommandExit::Ok)
}
