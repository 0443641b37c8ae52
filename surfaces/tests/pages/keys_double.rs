//! The double's key.
//!
//! What: one in a file, without a sheet; what is asked for is noted, without what was typed. Not here: any claim.

use crate::morning::Double;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    backups::BackupPassphrase,
    keys::{KeyBackend, KeyReply, KeyView, KeyWish, SheetReply},
};
use toolcall_schema::KeyPlaceKind;

impl KeyBackend for Double {
    fn key(&self) -> BackendFuture<Result<Option<KeyView>, BackendError>> {
        Self::ready(Some(KeyView {
            place: Some(KeyPlaceKind::File("/home/kavin/.config/aura/key".to_owned())),
            is_lost: false,
            has_sheet: false,
            has_keyring: true,
            failed: false,
        }))
    }

    fn move_key(&self, wish: KeyWish) -> BackendFuture<Result<KeyReply, BackendError>> {
        self.note(format!("key {wish:?}"));
        Self::ready(match wish.place {
            KeyPlaceKind::File(path) if path == "/there" => KeyReply::Refused("it has <2> bytes".to_owned()),
            KeyPlaceKind::Keyring => KeyReply::WrongPassphrase,
            KeyPlaceKind::File(_) | KeyPlaceKind::Passphrase(_) => KeyReply::Begun,
        })
    }

    fn is_passphrase(&self, words: BackupPassphrase) -> BackendFuture<Result<Option<bool>, BackendError>> {
        self.note("passphrase".to_owned());
        Self::ready(Some(words.0 == "green garden oven"))
    }

    fn make_recovery_sheet(&self) -> BackendFuture<Result<SheetReply, BackendError>> {
        self.note("sheet".to_owned());
        Self::ready(SheetReply::Made("ABCDE-FGH12".to_owned()))
    }
}
