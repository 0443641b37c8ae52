//! What a first start makes: a configuration, and a key for the data folder.
//!
//! What: [`prepare`]. Why: nobody should have to write a file, or choose where a key is kept, before there is a page that explains it. Not
//! here: asking in the terminal (`init`), starting (`run`, `open`).

use super::{
    args::{DataDir, HomeFileArg},
    error::CliError,
    init,
};
use aura_memory::Vault;
use aura_runtime::settings::WELCOME_FILE;
use std::{fs, io::ErrorKind, os::unix::fs::DirBuilderExt as _, path::Path};

/// The key file of a folder for which no keyring answers, beside the configuration.
const KEY_FILE: &str = "key";

/// The data folder, made when it is not there. Where no configuration was named, a new folder's key needs no choice: the keyring where one answers, else a file
/// beside the configuration; and where none is in its usual place, one is written that reads nothing.
///
/// # Errors
/// As [`DataDir::vault_or_new`]; the configuration cannot be written.
pub(super) fn prepare(home: &HomeFileArg, data: &DataDir) -> Result<Vault, CliError> {
    let file = home.path();
    if home.named().is_some() {
        return data.vault_or_new();
    }
    let key = file.with_file_name(KEY_FILE);
    if !file.exists() {
        make_folder(&file)?;
    }
    // The key first: what has a configuration has been prepared.
    let vault = data.vault_or_first(&key)?;
    configure(home)?;
    Ok(vault)
}

/// Writes a configuration that reads nothing where none was named and none is in its usual place.
///
/// # Errors
/// It cannot be written.
pub(super) fn configure(home: &HomeFileArg) -> Result<(), CliError> {
    let file = home.path();
    if home.named().is_some() || file.exists() {
        return Ok(());
    }
    make_folder(&file)?;
    write_configuration(&file)?;
    // The page begins with its welcome.
    fs::write(file.with_file_name(WELCOME_FILE), "1\n")?;
    Ok(())
}

fn make_folder(file: &Path) -> Result<(), CliError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    Ok(())
}

/// One that another process wrote meanwhile is as good.
fn write_configuration(file: &Path) -> Result<(), CliError> {
    match init::write_first(file) {
        Err(CliError::File(error)) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        written => written,
    }
}
