//! The folder's key, as a page shows and changes it.
//!
//! What: [`KeyBackend`], and what crosses it. Why: where the key lies, and a way back when it is lost, are the owner's to choose without a terminal. Not here:
//! sealing (the backend), sentences (`words`).

use super::{BackendError, BackendFuture, backups::BackupPassphrase};
use std::fmt;
use toolcall_schema::KeyPlaceKind;

/// What the page needs from the rest of Aura.
pub trait KeyBackend: Send + Sync + 'static {
    /// How the key stands; `None`: pages do not change it, as in the demo.
    fn key(&self) -> BackendFuture<Result<Option<KeyView>, BackendError>>;

    /// Keeps the key elsewhere: everything is sealed anew, and Aura is away meanwhile.
    fn move_key(&self, wish: KeyWish) -> BackendFuture<Result<KeyReply, BackendError>>;

    /// Whether these words are the passphrase of now; `None`: the key is none.
    fn is_passphrase(&self, words: BackupPassphrase) -> BackendFuture<Result<Option<bool>, BackendError>>;

    /// Makes a recovery sheet. It is given once: nobody can show it again. That it was asked for is recorded first.
    fn make_recovery_sheet(&self) -> BackendFuture<Result<SheetReply, BackendError>>;
}

/// How the key stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyView {
    /// Where it is; `None`: in this process alone.
    pub place: Option<KeyPlaceKind<(), String>>,
    /// It is not in its place: the recovery sheet opened the folder.
    pub is_lost: bool,
    /// There is a recovery sheet that opens it.
    pub has_sheet: bool,
    /// Whether the computer's keyring answers.
    pub has_keyring: bool,
    /// What was asked for last did not come about, and nothing was changed.
    pub failed: bool,
}

/// Where the key is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyWish {
    /// A file from the owner's folder or with its whole path.
    pub place: KeyPlaceKind<BackupPassphrase, String>,
    /// The passphrase of now, where the key is made from one; where it is lost, the recovery sheet's code.
    pub current: BackupPassphrase,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyReply {
    /// The folder is being sealed anew.
    Begun,
    /// That is not the passphrase of now.
    WrongPassphrase,
    /// The key cannot be kept there, or not be had from where it is; for who knows the program.
    Refused(String),
    /// Pages do not change it.
    Nothing,
}

/// A recovery sheet.
#[derive(Clone, PartialEq, Eq)]
pub enum SheetReply {
    /// Its code, as it is to be written down.
    Made(String),
    /// It could not be made, for who knows the program.
    Refused(String),
    /// Pages make none.
    Nothing,
}

impl fmt::Debug for SheetReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SheetReply(..)")
    }
}
