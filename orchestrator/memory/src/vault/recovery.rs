//! The recovery sheet: a second way to open the key box, on paper.
//!
//! What: [`RecoveryCode`], shown once; [`Vault::make_recovery_sheet`], which seals the folder's keys with it as well. Why: a key that is lost takes everything
//! with it, and paper in a drawer is not lost with the disk. Not here: printing it (the page), opening the box (`keybox`).

use super::{
    FolderKeybox, Passphrase, Vault, hold,
    keybox::{self, KeyBox, KeySeal},
    keys::random,
    look,
    place::{KeyPlace, derived},
};
use crate::{error::StoreError, files::IfExists};
use std::{fmt, fs, path::Path};
use zeroize::Zeroizing;

/// The letters and digits of a code: none of them is taken for another (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a code, 125 bits, in groups of five.
const CHARACTERS: usize = 25;
const GROUP: usize = 5;

/// What stands on a sheet. It is kept nowhere else, and never printed by `Debug`.
#[derive(Clone)]
pub struct RecoveryCode(Zeroizing<String>);

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(..)")
    }
}

impl RecoveryCode {
    fn new() -> Result<Self, StoreError> {
        let bytes: Zeroizing<[u8; CHARACTERS]> = Zeroizing::new(random()?);
        let mut text = Zeroizing::new(String::with_capacity(CHARACTERS + CHARACTERS / GROUP));
        for (at, byte) in bytes.iter().enumerate() {
            if at > 0 && at % GROUP == 0 {
                text.push('-');
            }
            // 256 is a multiple of 32: each is as likely.
            let letter = ALPHABET.get(usize::from(byte % 32)).copied().unwrap_or(b'0');
            text.push(char::from(letter));
        }
        Ok(Self(text))
    }

    /// As it is to be shown: groups with a dash between.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// A code as somebody types it: in any case, with or without dashes and spaces, `O` for `0`, `I` and `L` for `1`.
pub(super) fn plain_code(typed: &str) -> Passphrase {
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    let plain = letters.map(|letter| match letter.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    });
    // Of its whole length at once, so that no part of it is left behind when it grows.
    let mut code = Zeroizing::new(String::with_capacity(typed.len()));
    code.extend(plain);
    code
}

/// Whether a folder's key box has a recovery sheet.
pub fn has_recovery_sheet(dir: &Path) -> bool {
    let bytes = fs::read(dir.join(keybox::NAME)).unwrap_or_default();
    KeyBox::parse(dir, &bytes).is_ok_and(|found| found.has_recovery())
}

/// Whether these words are the passphrase of a folder; `None`: its key is none. What is open stays as it is.
pub fn is_passphrase(dir: &Path, words: &Passphrase) -> Option<bool> {
    let bytes = fs::read(dir.join(keybox::NAME)).ok()?;
    KeyBox::parse(dir, &bytes).ok()?.is_passphrase(words)
}

impl Vault {
    /// Makes a new recovery sheet, with which the folder opens as with its key. An earlier one opens nothing any more, and a change of the key ends it too.
    /// It is on disk, and was read back, when this returns.
    ///
    /// # Errors
    /// STORE-005 when the box cannot be used, STORE-011 when it is gone, STORE-001 while its keys are changed, STORE-007 when it cannot be written.
    pub fn make_recovery_sheet(&self) -> Result<RecoveryCode, StoreError> {
        let dir = self.dir();
        let no_key = || StoreError::NoKey { dir: dir.to_owned() };
        // One after the other: each is made from the box that is there.
        let mut held = self.held_box();
        let FolderKeybox::Box(found, _) = look(dir)? else {
            return Err(no_key());
        };
        if found.after().is_some() {
            return Err(StoreError::Locked {
                dir: dir.to_owned(),
                pid: None,
            });
        }
        let code = RecoveryCode::new()?;
        let place = KeyPlace::for_code()?;
        let key = derived(&place, &plain_code(code.text()))?;
        let seal = KeySeal::close(place, &key, self.keys())?;
        found.with_recovery(seal).write(dir, IfExists::Replace)?;
        let (now, bytes) = hold(dir)?.ok_or_else(no_key)?;
        let written = KeyBox::parse(&dir.join(keybox::NAME), &bytes)?;
        let opened = written.open_recovery(&plain_code(code.text()))?;
        if opened.is_none_or(|opened| opened.keys.to_bytes() != self.keys().to_bytes()) {
            return Err(StoreError::WrongKey {
                dir: dir.to_owned(),
                place: "the recovery sheet".to_owned(),
            });
        }
        // The new file is the one that whoever changes the keys waits for.
        *held = Some(now);
        Ok(code)
    }
}
