//! An owner who comes to a host by a grant, as that host keeps its owners.
//!
//! What: [`GrantedFolder`], where she goes and where her key is kept; [`is_grant_meant`], which asks before a host can open an owner by itself. Why: she is
//! kept and served as if she had been added there. Not here: grants, and what is in one (`aura-hosts`).

use super::{
    error::CliError,
    init,
    out::CommandOutput,
    owner::{default_place, look_again},
    sure::sure,
};
use aura_memory::vault::NewPlace;
use aura_runtime::host::owner_folders::{OwnerFolders, OwnerName};
use std::path::{Path, PathBuf};
use surfaces_base::language::{say, text};

/// The folder of an owner who is granted to this host.
#[derive(Debug)]
pub struct GrantedFolder {
    dir: PathBuf,
    name: OwnerName,
    /// Those of the host that serves her; absent: her folder stands by itself.
    host: Option<OwnerFolders>,
}

impl GrantedFolder {
    /// Among the owners of a host.
    ///
    /// # Errors
    /// There is no working folder, or such a name cannot be had.
    pub fn of_host(owners: &Path, name: &str) -> Result<Self, CliError> {
        let (host, name) = (OwnerFolders::in_folder(owners)?, parse_name(name)?);
        Ok(Self {
            dir: host.folder(&name),
            name,
            host: Some(host),
        })
    }

    /// By itself.
    ///
    /// # Errors
    /// There is no working folder, or such a name cannot be had.
    pub fn alone(dir: &Path, name: &str) -> Result<Self, CliError> {
        Ok(Self {
            dir: std::path::absolute(dir)?,
            name: parse_name(name)?,
            host: None,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where a key is kept that opens it: as that of an owner who is added.
    ///
    /// # Errors
    /// The folder for it cannot be made.
    pub fn key_place(&self) -> Result<NewPlace, CliError> {
        default_place(&self.name)
    }

    /// Gives her a first configuration, where she has none, and has a running host serve her.
    ///
    /// # Errors
    /// It cannot be written, or the host does not answer.
    pub fn begin(&self) -> Result<(), CliError> {
        let Some(host) = &self.host else { return Ok(()) };
        let home = host.files(&self.name).home;
        if !home.exists() {
            init::write_first(&home)?;
        }
        look_again(host, Some(&self.name)).map(drop)
    }
}

fn parse_name(name: &str) -> Result<OwnerName, CliError> {
    OwnerName::parse(name).ok_or_else(|| CliError::Usage(text("cli-owner-name-of-granted").to_owned()))
}

/// Whether whoever sits there means that the owner of a folder is destroyed on all her hosts.
///
/// # Errors
/// With `json`, where nobody can be asked.
pub fn is_removal_meant(
    dir: &Path,
    (yes, json): (bool, bool),
    out: &mut CommandOutput,
) -> Result<bool, CliError> {
    let question = say!(
        "cli-owner-remove-everywhere-sure",
        folder = dir.display().to_string()
    );
    sure(yes, json, &question, out)
}

/// Whether whoever sits there means that the host with this fingerprint opens the owner from now on, by itself.
///
/// # Errors
/// With `json`, where nobody can be asked.
pub fn is_grant_meant(
    fingerprint: &str,
    by_passphrase: bool,
    (yes, json): (bool, bool),
    out: &mut CommandOutput,
) -> Result<bool, CliError> {
    let question = if by_passphrase {
        say!("cli-owner-grant-passphrase-sure", fingerprint)
    } else {
        say!("cli-owner-grant-sure", fingerprint)
    };
    sure(yes, json, &question, out)
}
