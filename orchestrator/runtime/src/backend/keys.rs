//! What the page asks about the folder's key.
//!
//! What: [`KeyBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: sealing everything anew
//! (`crate::service`), the box (`aura_memory::vault`).

use super::ServiceBackend;
use crate::{settings::from_home, with_cause::with_cause};
use aura_memory::{
    StoreError, Vault,
    audit::{Kind, Op},
    vault::{self, KeyChange, KeyPlace, KeyPrompt, NewPlace, Passphrase},
};
use std::path::Path;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    backups::BackupPassphrase,
    keys::{KeyBackend, KeyReply, KeyView, KeyWish, SheetReply},
};
use toolcall_schema::KeyPlaceKind;

/// What was typed into the form: the passphrase, or the sheet's code where the key is lost.
struct TypedNow(Passphrase);

impl KeyPrompt for TypedNow {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(self.0.clone()))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }

    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(self.0.clone()).filter(|code| !code.is_empty()))
    }
}

fn view(vault: &Vault, failed: bool) -> KeyView {
    KeyView {
        place: vault.place().map(|place| match place {
            KeyPlace::Keyring { .. } => KeyPlaceKind::Keyring,
            KeyPlace::Passphrase { .. } => KeyPlaceKind::Passphrase(()),
            KeyPlace::File { path } => KeyPlaceKind::File(path.display().to_string()),
        }),
        is_lost: vault.is_opened_by_recovery(),
        has_sheet: vault::has_recovery_sheet(vault.dir()),
        has_keyring: vault::keyring_answers(),
        failed,
    }
}

/// Makes the new key in its place. Blocks.
fn prepare(vault: &Vault, wish: KeyWish) -> Result<KeyChange, KeyReply> {
    let place = match wish.place {
        KeyPlaceKind::Keyring => NewPlace::Keyring,
        KeyPlaceKind::Passphrase(words) => NewPlace::Passphrase(Passphrase::new(words.0)),
        KeyPlaceKind::File(path) => {
            let path = from_home(&path);
            if !path.is_absolute() {
                return Err(KeyReply::Refused(
                    "the file is not named by its whole path".to_owned(),
                ));
            }
            NewPlace::File(path)
        }
    };
    let typed = TypedNow(Passphrase::new(wish.current.0));
    KeyChange::prepare(vault.dir(), &typed, &place).map_err(|error| {
        let is_typed =
            vault.is_opened_by_recovery() || matches!(vault.place(), Some(KeyPlace::Passphrase { .. }));
        match error.code() {
            "STORE-012" if is_typed => KeyReply::WrongPassphrase,
            _ => KeyReply::Refused(with_cause(&error)),
        }
    })
}

impl KeyBackend for ServiceBackend {
    fn key(&self) -> BackendFuture<Result<Option<KeyView>, BackendError>> {
        let (vault, editor) = (self.vault.clone(), self.settings.clone());
        Box::pin(async move {
            let Some(editor) = editor else { return Ok(None) };
            let looked = tokio::task::spawn_blocking(move || view(&vault, editor.key_failed)).await;
            looked.map(Some).map_err(|_| BackendError::Busy)
        })
    }

    fn move_key(&self, wish: KeyWish) -> BackendFuture<Result<KeyReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(KeyReply::Nothing);
            };
            let vault = me.vault.clone();
            let prepared = tokio::task::spawn_blocking(move || prepare(&vault, wish)).await;
            Ok(match prepared.map_err(|_| BackendError::Busy)? {
                Ok(change) => {
                    editor.change_key(change)?;
                    KeyReply::Begun
                }
                Err(reply) => reply,
            })
        })
    }

    fn is_passphrase(&self, words: BackupPassphrase) -> BackendFuture<Result<Option<bool>, BackendError>> {
        let (vault, has_pages) = (self.vault.clone(), self.settings.is_some());
        Box::pin(async move {
            if !has_pages {
                return Ok(None);
            }
            let words = Passphrase::new(words.0);
            let asked = tokio::task::spawn_blocking(move || vault::is_passphrase(vault.dir(), &words)).await;
            asked.map_err(|_| BackendError::Busy)
        })
    }

    fn make_recovery_sheet(&self) -> BackendFuture<Result<SheetReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            if me.settings.is_none() {
                return Ok(SheetReply::Nothing);
            }
            me.record_act(Op::KeyChange, Kind::Key).await?;
            let vault = me.vault.clone();
            let made = tokio::task::spawn_blocking(move || vault.make_recovery_sheet()).await;
            Ok(match made.map_err(|_| BackendError::Busy)? {
                Ok(code) => SheetReply::Made(code.text().to_owned()),
                Err(error) => SheetReply::Refused(with_cause(&error)),
            })
        })
    }
}
