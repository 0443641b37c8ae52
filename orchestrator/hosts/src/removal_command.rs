//! `aura-hosts remove`: an owner who is nobody's any more.
//!
//! What: saying so to all hosts, and destroying what the log holds of her. Why: `aura owner remove` ends her on one machine, and another host would go on
//! with her. Not here: what a host does that hears of it (`settings_sync`).

use crate::{
    grant_command::{log_unfit, unsealed},
    log_place::{JournalLogArgs, LogAddress},
    settings_sync::remove_folder,
};
use aura_cli::{
    args::DataDir, error::CliError, exit::CommandExit, granted::is_removal_meant, out::CommandOutput,
};
use aura_hosts::{KeyCipher, LogRoots, OwnerRecord, OwnerSubject};
use aura_memory::{StoreError, Vault, wipe};
use aura_runtime::host::owner_folders::{OwnerFolders, OwnerName};
use clap::Args;
use serde_json::json;
use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// How long her service on this machine may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct RemovalArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    #[command(flatten)]
    data: DataDir,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl RemovalArgs {
    pub(crate) fn remove(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let (address, vault) = (self.log.address()?, self.data.vault()?);
        if !is_removal_meant(vault.dir(), (self.yes, self.json), out)? {
            return Ok(CommandExit::Bad);
        }
        let keys = KeyCipher::derive_with(vault.seed(), &LogRoots::of_folder(&vault)?);
        tell_hosts(&address, &vault, &keys)?;
        destroy_in_log(&address, vault.dir(), keys.subject())?;
        let dir = vault.dir().to_owned();
        drop(vault);
        destroy_here(&dir)?;
        out.json(&json!({ "removed": true }))?;
        Ok(CommandExit::Ok)
    }
}

/// Puts it where every host of hers finds it, also one that is started later.
fn tell_hosts(address: &LogAddress, vault: &Vault, keys: &KeyCipher) -> Result<(), CliError> {
    let unfit = log_unfit(vault.dir());
    let mut records = address.open_records().map_err(&unfit)?;
    loop {
        let there = records.record_of(keys.subject()).map_err(&unfit)?;
        let record = there
            .as_ref()
            .and_then(|there| OwnerRecord::open(keys, &there.sealed));
        if record.as_ref().is_some_and(|record| record.is_removed) {
            return Ok(());
        }
        let removal = OwnerRecord::removal_after(record.map_or(0, |record| record.generation));
        let sealed = removal.seal(keys).map_err(|error| unsealed(&error))?;
        let expected = there.map_or(0, |there| there.number);
        let put = records.put_record(keys.subject(), expected, &sealed);
        if put.map_err(&unfit)?.is_some() {
            return Ok(());
        }
    }
}

/// What is left in the log opens for nobody then, and no host is granted her.
fn destroy_in_log(address: &LogAddress, dir: &Path, owner: &OwnerSubject) -> Result<(), CliError> {
    let unfit = log_unfit(dir);
    let mut log = address.open_journal(owner).map_err(&unfit)?;
    log.destroy_keys(u32::MAX).map_err(&unfit)?;
    let mut grants = address.open_grants().map_err(&unfit)?;
    for grant in grants.grants_of(owner).map_err(&unfit)? {
        grants.remove_grant(&grant.place).map_err(&unfit)?;
    }
    Ok(())
}

/// A host that runs here may be faster.
fn destroy_here(dir: &Path) -> Result<(), CliError> {
    let until = Instant::now() + ENDS_WITHIN;
    while dir.exists() {
        let name = dir.file_name().and_then(|name| OwnerName::parse(name.to_str()?));
        let removed = match (name, dir.parent()) {
            (Some(name), Some(owners)) => remove_folder(&OwnerFolders::in_folder(owners)?, &name),
            (None, _) | (_, None) => wipe::wipe(dir, &mut |_| Ok(())),
        };
        match removed {
            Ok(()) => break,
            Err(StoreError::Locked { .. } | StoreError::File { .. }) if Instant::now() < until => {
                thread::sleep(AGAIN);
            }
            Err(error) => return Err(error.into()),
        }
    }
    // Where nobody else has: an empty folder is nobody's.
    let _ = fs::remove_dir(dir);
    Ok(())
}
