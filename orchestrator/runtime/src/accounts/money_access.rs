//! The way to bank accounts by SimpleFIN.
//!
//! What: [`MoneyAccess`], an address with a login in it; a setup token, which its server turns into one, once. Why: the owner sees which server a token is
//! of before it is asked, and one that was turned is not lost before its account is read. Not here: asking (`aura_process::source`), sealing
//! (`logins`).

use super::{AccountConfig, AccountSecret, LiveAccounts, broker};
use aura_process::{
    WorkerProgram,
    source::{AccountPart, AccountProtocol, AccountRequest, LookFailure, ServerPlace, read_account},
};
use data_encoding::BASE64;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};
use surfaces_base::backend::accounts::{AccountMistake, AccountTrial, AccountWish};
use toolcall_schema::ids::sha256_hex;

/// Tokens that were turned and whose accounts are not read yet.
const CLAIMS_MAX: usize = 4;

/// Where payments are asked for, and with which login.
#[derive(Debug, Clone)]
pub(crate) struct MoneyAccess {
    /// The server alone: where on it is a secret.
    pub(super) place: ServerPlace,
    pub(super) secret: AccountSecret,
}

/// Tokens that were turned in this process, by their hash. Wiped when dropped.
#[derive(Default)]
pub(super) struct ClaimedTokens(Mutex<BTreeMap<String, MoneyAccess>>);

impl MoneyAccess {
    /// Of `https://user:password@host/path`; `None`: it is no such address.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mut place, user, password) = ServerPlace::parse_with_login(text)?;
        let path = std::mem::replace(&mut place.path, "/".to_owned());
        let secret = AccountSecret::of_access(user, password, path);
        Some(Self { place, secret })
    }
}

/// The address that stands in a setup token.
fn place_of_token(token: &str) -> Option<ServerPlace> {
    let bytes = BASE64.decode(token.as_bytes()).ok()?;
    ServerPlace::parse(str::from_utf8(&bytes).ok()?)
}

impl LiveAccounts {
    /// What the owner typed, without asking anybody.
    pub(crate) fn known_access(&self, typed: &str) -> Option<MoneyAccess> {
        let claimed = || {
            let claims = self.claims().0.lock().unwrap_or_else(PoisonError::into_inner);
            claims.get(&sha256_hex(typed.as_bytes())).cloned()
        };
        MoneyAccess::parse(typed).or_else(claimed)
    }

    /// What the owner typed, once she accepted its server by name. Blocks.
    ///
    /// # Errors
    /// What she is told instead.
    pub(super) fn money_access(&self, wish: &AccountWish) -> Result<MoneyAccess, AccountTrial> {
        let typed = wish.address.trim();
        let known = self.known_access(typed);
        let place = known.as_ref().map(|access| access.place.clone());
        let place = place
            .or_else(|| place_of_token(typed))
            .ok_or(AccountTrial::Mistake(AccountMistake::Token))?;
        if !place.is_tls && !wish.is_private {
            return Err(AccountTrial::Mistake(AccountMistake::NotSealed));
        }
        if wish.accepted != place.authority() {
            return Err(AccountTrial::LeadsTo(place.authority()));
        }
        let pin = super::fingerprint(wish.certificate.trim());
        match known {
            Some(access) => Ok(access),
            None => self
                .claim(typed, &place, pin, wish.is_private)
                .map_err(AccountTrial::Failed),
        }
    }

    /// Another access to the server of an account that is read. Blocks.
    pub(crate) fn access_of(&self, config: &AccountConfig, typed: &str) -> Option<AccountSecret> {
        let typed = typed.trim();
        let is_its = |place: &ServerPlace| place.is_same_server(&config.place);
        if let Some(access) = self.known_access(typed) {
            return Some(access.secret).filter(|_| is_its(&access.place));
        }
        let place = place_of_token(typed).filter(is_its)?;
        let claimed = self.claim(typed, &place, config.certificate.clone(), config.is_private);
        claimed.ok().map(|access| access.secret)
    }

    /// Has a token turned by its own server.
    fn claim(
        &self,
        token: &str,
        place: &ServerPlace,
        pin: Option<String>,
        is_private: bool,
    ) -> Result<MoneyAccess, LookFailure> {
        let span = [String::new(), String::new()];
        let mut request = AccountRequest::new(AccountProtocol::SimpleFinClaim, place.clone(), span);
        request.pin = pin;
        let mut text = String::new();
        read_account(
            &WorkerProgram::default(),
            "token",
            &request,
            &mut || broker::connect_to_place(place, is_private),
            &mut |part| {
                if let AccountPart::Object { id: _, text: found } = part {
                    text = found;
                }
            },
        )?;
        let access = MoneyAccess::parse(&text).ok_or(LookFailure::Broken)?;
        if !access.place.is_same_server(place) {
            return Err(LookFailure::Elsewhere {
                host: access.place.server(),
                path: String::new(),
            });
        }
        let mut claims = self.claims().0.lock().unwrap_or_else(PoisonError::into_inner);
        if claims.len() >= CLAIMS_MAX {
            claims.pop_first();
        }
        claims.insert(sha256_hex(token.as_bytes()), access.clone());
        Ok(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_login_is_split_and_a_token_names_its_server() {
        let access = MoneyAccess::parse("https://a1b2:c%40d4@Bridge.example.org/simplefin").unwrap();
        assert_eq!(
            (access.place.server().as_str(), access.place.path.as_str()),
            ("https://bridge.example.org", "/")
        );
        assert_eq!(
            (
                access.secret.user(),
                access.secret.password(),
                access.secret.path()
            ),
            (Some("a1b2"), Some("c@d4"), Some("/simplefin"))
        );
        for wrong in [
            "https://bridge.example.org/simplefin",
            "https://a@b.example/",
            "a:b@c",
        ] {
            assert!(MoneyAccess::parse(wrong).is_none(), "{wrong}");
        }
        let token = BASE64.encode(b"https://bridge.example.org/simplefin/claim/DEMO");
        let place = place_of_token(&token).unwrap();
        assert_eq!(place.path, "/simplefin/claim/DEMO");
        assert_eq!(place_of_token("no token"), None);
        assert_eq!(place_of_token(&BASE64.encode(b"hello")), None);
    }

    #[test]
    fn nobody_is_asked_before_the_server_was_accepted_by_name() {
        let accounts = LiveAccounts::default();
        let wish = |accepted: &str| AccountWish {
            kind: toolcall_schema::accounts::ServerAccountKind::SimpleFin,
            address: BASE64.encode(b"https://bridge.example.org:444/claim/1"),
            login: surfaces_base::backend::accounts::TypedLogin::default(),
            is_private: false,
            certificate: String::new(),
            name: String::new(),
            accepted: accepted.to_owned(),
            sign_in: None,
        };
        for accepted in ["", "bridge.example.org", "evil.example"] {
            let told = accounts.money_access(&wish(accepted)).unwrap_err();
            assert_eq!(told, AccountTrial::LeadsTo("bridge.example.org:444".to_owned()));
        }
    }
}
