//! In place of the system's keyring, in a build without it (feature `keyring`).

use super::keys::SecretBytes;

const ABSENT: &str = "this build came without it (cargo feature `keyring`): use one of `make build`";

pub(super) fn answers() -> bool {
    false
}

pub(super) fn put(_account: &str, _key: &SecretBytes) -> Result<(), String> {
    Err(ABSENT.to_owned())
}

pub(super) fn get(_account: &str) -> Result<Option<SecretBytes>, String> {
    Err(ABSENT.to_owned())
}

pub(super) fn delete(_account: &str) -> Result<(), String> {
    Err(ABSENT.to_owned())
}
