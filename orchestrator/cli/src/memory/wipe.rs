//! `aura memory wipe`: the key is destroyed, then everything in the folder.
//!
//! What: asks, stops a running service, wipes. Why: one command that leaves nothing to be opened. Not here: the order of it
//! (`aura_memory::wipe`).

use super::bar::bar;
use crate::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service,
};
use aura_memory::{StoreError, demo, vault, wipe};
use aura_runtime::control::ControlRequest;
use aura_workflow::execution::programs_folder;
use clap::Args;
use serde_json::json;
use std::{
    fs, io,
    path::Path,
    thread,
    time::{Duration, Instant},
};
use surfaces_base::language::{say, text};

/// How long a service that was told to end is waited for, and how often it is looked whether it has.
const ENDS: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(50);

/// `aura memory wipe`
#[derive(Debug, Clone, Args)]
pub(crate) struct WipeArgs {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only list what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura memory wipe`.
///
/// # Errors
/// A service that does not end, a file that cannot be removed: the next opening goes on.
pub(super) fn run(args: &WipeArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    wipe_folder(&args.data.path()?, (args.yes, args.dry_run), args.format, out)
}

/// Wipes a data folder, once somebody has agreed, or lists what would go.
///
/// # Errors
/// As [`run`].
pub(crate) fn wipe_folder(
    dir: &Path,
    (yes, dry_run): (bool, bool),
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if !is_ours(dir) {
        let dir = dir.to_owned();
        return Err(StoreError::Missing { dir }.into());
    }
    let plan = wipe::plan(dir)?;
    if dry_run {
        if format.json {
            out.json(&json!({ "dry_run": true, "files": plan.len() }))?;
        } else {
            for path in &plan {
                out.text(&path.display().to_string())?;
            }
            out.text(&say!("cli-memory-wipe-plan", files = plan.len()))?;
        }
        return Ok(CommandExit::Ok);
    }
    if !yes && !agreed(dir, plan.len(), format, out)? {
        out.text(text("cli-memory-nothing-removed"))?;
        return Ok(CommandExit::Bad);
    }
    // It may be ending already.
    let _ = service::ask(dir, &ControlRequest::Stop)?;
    let line = bar(plan.len() as u64, text("cli-memory-wiping"));
    until_free(|| {
        wipe::wipe(dir, &mut |_| {
            line.inc(1);
            Ok(())
        })
    })?;
    line.finish_and_clear();
    remove_programs_folder(dir)?;
    if format.json {
        out.json(&json!({ "dry_run": false, "files": plan.len() }))?;
    } else {
        out.text(&say!(
            "cli-memory-wiped",
            folder = dir.display().to_string(),
            files = plan.len()
        ))?;
    }
    Ok(CommandExit::Ok)
}

/// Works on a folder once the service that was told to end has left it.
///
/// # Errors
/// STORE-001 when it does not end; what the work says.
pub(crate) fn until_free<T>(mut work: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let until = Instant::now() + ENDS;
    loop {
        match work() {
            Err(StoreError::Locked { .. }) if Instant::now() < until => thread::sleep(AGAIN),
            done => return done,
        }
    }
}

/// What programs of a run that was killed have left lies outside the data folder.
pub(crate) fn remove_programs_folder(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(programs_folder(dir)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A folder that Aura made: nothing else is removed, whatever was named.
fn is_ours(dir: &Path) -> bool {
    let sealed = !matches!(vault::standing(dir), Ok(vault::VaultStatus::New));
    dir.is_dir() && (sealed || demo::is_marked(dir))
}

/// What becomes of copies: they have the same key, and a wipe removes one that is in the keyring.
fn of_copies(places: &[vault::KeyPlace]) -> Option<&'static str> {
    let in_keyring = |place: &vault::KeyPlace| matches!(place, vault::KeyPlace::Keyring { .. });
    places
        .iter()
        .any(in_keyring)
        .then(|| text("cli-memory-wipe-copies"))
}

fn agreed(dir: &Path, files: usize, format: FormatArgs, out: &mut CommandOutput) -> Result<bool, CliError> {
    if format.json {
        return Err(CliError::Usage(text("cli-memory-wipe-nobody-asked").to_owned()));
    }
    out.text(&say!(
        "cli-memory-wipe-warning",
        folder = dir.display().to_string(),
        files
    ))?;
    if let Some(of_copies) = of_copies(&vault::places(dir)) {
        out.text(of_copies)?;
    }
    out.text(text("cli-memory-wipe-type"))?;
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|source| CliError::Input {
            path: "-".into(),
            source,
        })?;
    Ok(line.trim() == "wipe")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::vault::KeyPlace;

    #[test]
    fn only_of_a_key_in_the_keyring_it_is_said_that_copies_have_it_too() {
        let keyring = KeyPlace::Keyring {
            account: "0a".to_owned(),
        };
        let file = KeyPlace::File {
            path: "/media/stick/key".into(),
        };
        assert_eq!(of_copies(std::slice::from_ref(&file)), None);
        assert!(of_copies(&[file, keyring]).is_some_and(|says| says.contains("the same key")));
    }
}
