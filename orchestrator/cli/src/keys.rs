//! The key of a data folder, as the commands come by it.
//!
//! What: [`KeyArgs`], the flags that every command with a data folder has; opening a folder with them, and choosing a place for a
//! new one. Why: a passphrase is typed once, where nobody sees it, and never stands in an argument or in the environment. Not
//! here: what a key is and where it can be (`aura_memory::vault`).

use super::error::CliError;
use aura_memory::{
    StoreError, Vault,
    vault::{self, KeyPlace, KeyPrompt, NewPlace, Passphrase, VaultStatus},
};
use aura_runtime::control;
use clap::Args;
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};
use surfaces::web::AwaitedKey;
use surfaces_base::language::text;

/// Where systemd puts a service's credentials.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
/// The terminal of whoever started this, where there is one.
const TERMINAL: &str = "/dev/tty";
/// A passphrase is at most so long.
const PASSPHRASE_BYTES_MAX: u64 = 1024;

/// How the key of a folder is come by.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct KeyArgs {
    /// The folder's key file, when it is not where it was; the place of a new folder's key
    #[arg(long, value_name = "FILE", env = "AURA_KEY_FILE", hide_env_values = true)]
    key_file: Option<PathBuf>,
    /// A file with the folder's passphrase, for when nobody can be asked
    #[arg(
        long,
        value_name = "FILE",
        env = "AURA_PASSPHRASE_FILE",
        hide_env_values = true
    )]
    passphrase_file: Option<PathBuf>,
    /// A file with the code of the recovery sheet, which is tried where the key is not in its place
    #[arg(long = "recovery-file", value_name = "FILE", hide = true)]
    sheet: Option<PathBuf>,
}

impl KeyArgs {
    /// Opens a folder that is sealed.
    ///
    /// # Errors
    /// As [`Vault::open`].
    pub(super) fn open(&self, dir: &Path) -> Result<Vault, CliError> {
        if let VaultStatus::Sealed(KeyPlace::Passphrase { .. }) = vault::standing(dir)? {
            // Who unlocked it once need not do so again while the service runs. One that does not answer is no reason to fail.
            if let Some(keys) = control::keys(dir).ok().flatten() {
                if keys.is_empty() {
                    let dir = dir.to_owned();
                    return Err(StoreError::Locked { dir, pid: None }.into());
                }
                return Ok(Vault::handed(dir, &keys)?);
            }
        }
        Ok(Vault::open(dir, &self.asking(text("cli-common-passphrase")))?)
    }

    /// Opens a folder, or makes a new one: its key in the file that was named, else in the system's keyring.
    ///
    /// # Errors
    /// As [`Vault::open`]; STORE-015 when nobody said where a new key is to be kept.
    pub(super) fn open_or_new(&self, dir: &Path) -> Result<Vault, CliError> {
        self.open_or_new_in(dir, None)
    }

    /// The same for a first start: where no keyring answers the key is kept in `file`.
    ///
    /// # Errors
    /// As [`Vault::open`].
    pub(super) fn open_or_first(&self, dir: &Path, file: &Path) -> Result<Vault, CliError> {
        self.open_or_new_in(dir, Some(file))
    }

    fn open_or_new_in(&self, dir: &Path, fallback: Option<&Path>) -> Result<Vault, CliError> {
        if let VaultStatus::Sealed(_) = vault::standing(dir)? {
            return self.open(dir);
        }
        let place = match &self.key_file {
            Some(file) => NewPlace::File(file.clone()),
            None if vault::keyring_answers() => NewPlace::Keyring,
            None => match fallback {
                Some(file) => NewPlace::File(file.to_owned()),
                None => return Err(StoreError::Unchosen { dir: dir.to_owned() }.into()),
            },
        };
        Ok(Vault::create_or_open(
            dir,
            &place,
            &self.asking(text("cli-common-passphrase")),
        )?)
    }

    /// Whether the folder opens with a passphrase that no file holds and nobody can type in a terminal.
    fn waits_for_a_passphrase(&self, dir: &Path) -> bool {
        let is_asked = self.asking("").passphrase_file.is_none();
        let by_passphrase = matches!(
            vault::standing(dir),
            Ok(VaultStatus::Sealed(KeyPlace::Passphrase { .. }))
        );
        is_asked && by_passphrase && fs::File::open(TERMINAL).is_err()
    }

    /// What the folder waits for, where nobody sits at a terminal: its passphrase, or its key, which is not in its place.
    pub(super) fn awaited(&self, dir: &Path) -> Option<AwaitedKey> {
        if self.waits_for_a_passphrase(dir) {
            return Some(AwaitedKey::Passphrase);
        }
        if fs::File::open(TERMINAL).is_ok() {
            return None;
        }
        let Ok(VaultStatus::Sealed(place)) = vault::standing(dir) else {
            return None;
        };
        let file = match place {
            KeyPlace::Passphrase { .. } => return None,
            KeyPlace::Keyring { .. } => None,
            KeyPlace::File { path } => Some(path.display().to_string()),
        };
        let is_away = matches!(
            Vault::open(dir, &self.asking("")),
            Err(StoreError::KeyAway { .. })
        );
        is_away.then(|| AwaitedKey::Key {
            file,
            has_sheet: vault::has_recovery_sheet(dir),
        })
    }

    /// The same flags for another process on this machine.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let flags = [
            ("--key-file", &self.key_file),
            ("--passphrase-file", &self.passphrase_file),
        ];
        flags
            .into_iter()
            .filter_map(|(flag, path)| Some((flag, std::path::absolute(path.as_ref()?).ok()?)))
            .flat_map(|(flag, path)| [flag.into(), path.into_os_string()])
            .collect()
    }

    /// Who is asked: the files that were named, else whoever sits at the terminal.
    pub(super) fn asking(&self, prompt: &'static str) -> TerminalKeyPrompt {
        let credentials = env::var_os(CREDENTIALS).map(PathBuf::from);
        let credential = |name: &str| {
            let path = credentials.as_ref()?.join(name);
            path.is_file().then_some(path)
        };
        TerminalKeyPrompt {
            key_file: self.key_file.clone().or_else(|| credential("aura-key")),
            passphrase_file: self
                .passphrase_file
                .clone()
                .or_else(|| credential("aura-passphrase")),
            recovery_file: self.sheet.clone(),
            prompt,
        }
    }
}

/// Who is asked for the key.
pub(super) struct TerminalKeyPrompt {
    key_file: Option<PathBuf>,
    passphrase_file: Option<PathBuf>,
    recovery_file: Option<PathBuf>,
    prompt: &'static str,
}

impl TerminalKeyPrompt {
    /// The same for a backup.
    pub(super) fn of_backup(key_file: Option<&PathBuf>, passphrase_file: Option<&PathBuf>) -> Self {
        Self {
            key_file: key_file.cloned(),
            passphrase_file: passphrase_file.cloned(),
            recovery_file: None,
            prompt: text("cli-common-passphrase-of-backup"),
        }
    }
}

impl KeyPrompt for TerminalKeyPrompt {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        if let Some(path) = &self.passphrase_file {
            return from_file(path).map(Some);
        }
        // Without a terminal nobody can be asked.
        Ok(rpassword::prompt_password(self.prompt).ok().map(Passphrase::new))
    }

    fn key_file(&self) -> Option<&Path> {
        self.key_file.as_deref()
    }

    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        if let Some(path) = &self.recovery_file {
            return from_file(path).map(Some);
        }
        let prompt = text("cli-common-recovery-code");
        let typed = rpassword::prompt_password(prompt).ok().map(Passphrase::new);
        Ok(typed.filter(|typed| !typed.trim().is_empty()))
    }
}

/// The first line of a file.
pub(super) fn from_file(path: &Path) -> Result<Passphrase, StoreError> {
    let away = |what: String| StoreError::KeyAway {
        place: format!("the passphrase file {}", path.display()),
        what,
    };
    let text = match fs::metadata(path) {
        Ok(meta) if meta.len() > PASSPHRASE_BYTES_MAX => Err(away(format!(
            "it has {} bytes, more than {PASSPHRASE_BYTES_MAX}: name the right one",
            meta.len()
        ))),
        Ok(_) => fs::read_to_string(path)
            .map(Passphrase::new)
            .map_err(|error| away(unread(&error))),
        Err(error) => Err(away(unread(&error))),
    }?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(away(
            "its first line is empty: write the passphrase there".to_owned(),
        ));
    }
    Ok(Passphrase::new(line.to_owned()))
}

fn unread(error: &io::Error) -> String {
    format!(
        "it cannot be read ({}): check its name and who owns it",
        error.kind()
    )
}
