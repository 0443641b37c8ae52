//! The system's keyring: the Secret Service on the session's bus (that of GNOME, KDE's or another program's).
//!
//! What: keeping, reading and deleting one key under a random account name. Why: it is open while its owner is logged in, and
//! on no disk in plain. Not here: when it is used (`place`).

use super::keys::SecretBytes;
use secret_service::{
    EncryptionType, Error,
    blocking::{Item, SecretService},
};
use std::{collections::HashMap, env, path::Path};

/// What marks our items.
const SERVICE: &str = "aura";

/// Whether a keyring answers. Without a session's bus nobody is asked, and none is started.
pub(super) fn answers() -> bool {
    let named = env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty());
    let standing = env::var_os("XDG_RUNTIME_DIR").is_some_and(|dir| Path::new(&dir).join("bus").exists());
    (named || standing) && with(|service| service.get_default_collection().map(|_| ())).is_ok()
}

/// Keeps a key, in place of one of the same account.
pub(super) fn put(account: &str, key: &SecretBytes) -> Result<(), String> {
    with(|service| {
        let collection = service.get_default_collection()?;
        collection.unlock()?;
        let label = "Aura: the key of a data folder";
        collection.create_item(
            label,
            attributes(account),
            key.bytes(),
            true,
            "application/octet-stream",
        )?;
        Ok(())
    })
}

/// The key of an account; `None`: the keyring has none.
pub(super) fn get(account: &str) -> Result<Option<SecretBytes>, String> {
    with(|service| {
        let mut found = None;
        each(service, account, |item| {
            let secret = zeroize::Zeroizing::new(item.get_secret()?);
            found = SecretBytes::from_slice(&secret);
            Ok(())
        })?;
        Ok(found)
    })
}

/// Deletes the key of an account; that there is none is as good.
pub(super) fn delete(account: &str) -> Result<(), String> {
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is not general over the lifetime of the item"
    )]
    with(|service| each(service, account, |item| item.delete()))
}

fn each(
    service: &SecretService<'_>,
    account: &str,
    mut act: impl FnMut(&Item<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let found = service.search_items(attributes(account))?;
    for item in &found.locked {
        // The system asks its owner, if it has to.
        item.unlock()?;
    }
    found.unlocked.iter().chain(&found.locked).try_for_each(&mut act)
}

fn attributes(account: &str) -> HashMap<&str, &str> {
    HashMap::from([("service", SERVICE), ("account", account)])
}

/// Asks the keyring. What it says when it fails is not passed on: it may hold names of the system's.
fn with<T>(job: impl FnOnce(&SecretService<'_>) -> Result<T, Error>) -> Result<T, String> {
    let done = SecretService::connect(EncryptionType::Dh).and_then(|service| job(&service));
    done.map_err(|error| {
        let why = match error {
            Error::Locked => "it is locked",
            Error::NoResult => "it has no default collection",
            Error::Prompt => "its question was dismissed",
            Error::Unavailable => "no Secret Service answers on the session's bus",
            Error::PromptDisconnected => "it ended while its question was open",
            Error::Crypto(_) | Error::Zbus(_) | Error::ZbusFdo(_) | Error::Zvariant(_) => {
                "it does not answer as it should"
            }
            // The library may come to know more.
            _ => "it failed",
        };
        format!("{why}: log in, or unlock it")
    })
}
