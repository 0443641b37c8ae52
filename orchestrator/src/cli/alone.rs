//! A data folder that a command has for itself.
//!
//! What: [`Alone`]; a service that runs on the folder leaves it for as long as this lives. Why: what changes a whole folder is done by
//! one process, and a running service need not be stopped and started by hand. Not here: leaving it (`control`, `service`).

use super::{args::DataDir, error::CliError};
use crate::control;
use aura_memory::Vault;

/// A folder with its key, and nobody else on it.
pub(super) struct Alone {
    /// The folder.
    pub(super) vault: Vault,
    _left: Option<control::Left>,
}

impl Alone {
    /// Asks a running service to leave the folder, when one runs.
    ///
    /// # Errors
    /// As [`DataDir::vault`]; when the service does not leave it.
    pub(super) fn on(data: &DataDir) -> Result<Self, CliError> {
        // With the service still there: it may have the key of a passphrase.
        let vault = data.vault()?;
        let left = control::step_aside(vault.dir())?;
        Ok(Self { vault, _left: left })
    }
}
