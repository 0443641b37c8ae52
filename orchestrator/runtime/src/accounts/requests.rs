//! What the owner asks of her accounts.
//!
//! What: [`AccountCommand`]; [`AccountSecret`], a login as it is kept. Why: both cross the control socket, and one of them must never be shown.
//! Not here: answering (`control_handler`).

use aura_process::source::ServerPlace;
use serde::{Deserialize, Serialize};
use std::fmt;
use surfaces_base::backend::{accounts::AccountChange, sign_in::SignInWay};
use zeroize::{Zeroize as _, Zeroizing};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AccountCommand {
    /// How each stands.
    List,
    /// Her file says otherwise of one.
    Change(AccountChange),
    /// How she logs in there.
    Login { name: String, secret: AccountSecret },
    /// Look at it now.
    Test { name: String },
    /// Begin to sign in at its provider. The secret is what some providers demand of the owner's client; empty: none.
    SignIn {
        name: String,
        way: SignInWay,
        secret: AccountSecret,
    },
}

/// How the owner logs in at one server. Never shown; wiped when dropped.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountSecret {
    user: Option<String>,
    password: Option<String>,
    /// The part of a secret address behind its host.
    path: Option<String>,
    /// At which server it counts.
    server: String,
}

impl fmt::Debug for AccountSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccountSecret(..)")
    }
}

impl Drop for AccountSecret {
    fn drop(&mut self) {
        self.password.zeroize();
        self.path.zeroize();
    }
}

impl AccountSecret {
    /// A password, for a user where the file names none.
    pub fn of_password(user: Option<String>, password: String) -> Self {
        Self {
            user,
            password: Some(password),
            path: None,
            server: String::new(),
        }
    }

    /// A secret address, whose host the file names.
    pub(crate) fn of_path(path: String) -> Self {
        Self {
            user: None,
            password: None,
            path: Some(path),
            server: String::new(),
        }
    }

    /// A secret address with a login in it.
    pub(super) fn of_access(user: String, password: String, path: String) -> Self {
        Self {
            user: Some(user),
            password: Some(password),
            path: Some(path),
            server: String::new(),
        }
    }

    /// Of a secret address as it is typed, with a login in it or none; `None`: it is no address.
    pub fn of_address(text: &str) -> Option<Self> {
        if let Some((place, user, password)) = ServerPlace::parse_with_login(text) {
            return Some(Self::of_access(user, password, place.path));
        }
        ServerPlace::parse(text).map(|place| Self::of_path(place.path))
    }

    pub(super) fn of_server(mut self, server: &str) -> Self {
        server.clone_into(&mut self.server);
        self
    }

    pub(super) fn is_of(&self, server: &str) -> bool {
        self.server == server
    }

    pub(super) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    pub(super) fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_counts_at_its_server_and_is_never_shown() {
        let secret = AccountSecret::of_password(Some("kim".to_owned()), "swordfish".to_owned());
        let kept = secret.of_server("https://dav.example.org");
        let again = AccountSecret::from_bytes(&kept.to_bytes()).unwrap();
        assert!(again.is_of("https://dav.example.org") && !again.is_of("https://evil.example"));
        assert_eq!((again.user(), again.password()), (Some("kim"), Some("swordfish")));
        let command = AccountCommand::Login {
            name: "work".to_owned(),
            secret: again,
        };
        assert!(!format!("{command:?}").contains("swordfish"));
    }
}
