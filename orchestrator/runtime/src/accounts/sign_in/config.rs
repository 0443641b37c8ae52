//! How an account is signed in to, as the owner's file says it.
//!
//! What: [`SignInConfig`], checked; [`SignInAddresses`], where a provider is asked, by the file or by the provider's own word as far as its hosts
//! were accepted. Why: a token is sent to nobody whom the owner did not name. Not here: asking (`sign_in_flow`), tokens (`kept`).

use aura_process::source::{LookFailure, ServerPlace, TokenServerMetadata};
use serde::{Deserialize, Serialize};
use surfaces_base::backend::sign_in::{SignInDraft, SignInWay};

/// Hosts that a file accepts besides that of the issuer.
const HOSTS_MAX: usize = 8;
const REDIRECT_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
/// The path of Aura's page at which a browser comes back.
const REDIRECT_PATH: &str = "/signed-in";

/// `[accounts.sign_in]`, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInConfig {
    pub(in crate::accounts) client_id: String,
    pub(in crate::accounts) scope: String,
    pub(in crate::accounts) issuer: Option<ServerPlace>,
    hosts: Vec<String>,
    redirect_host: String,
    pub(in crate::accounts) addresses: SignInAddresses,
}

/// Where a provider is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::accounts) struct SignInAddresses {
    pub(in crate::accounts) authorize: Option<ServerPlace>,
    pub(in crate::accounts) token: Option<ServerPlace>,
    pub(in crate::accounts) device: Option<ServerPlace>,
    pub(in crate::accounts) revoke: Option<ServerPlace>,
}

impl SignInConfig {
    /// Of what the file says, for an account of that name.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(in crate::accounts) fn check(
        draft: SignInDraft,
        name: &str,
        is_private: bool,
    ) -> Result<Self, String> {
        let is_line = |text: &str| !text.is_empty() && !text.contains(char::is_control);
        if !draft.texts().all(is_line) {
            return Err(format!(
                "{name}: `sign_in` wants a `client_id`, and no key of it may be empty"
            ));
        }
        let place = |key: &str, address: Option<&String>| -> Result<Option<ServerPlace>, String> {
            let Some(address) = address else { return Ok(None) };
            let place = ServerPlace::parse(address).filter(|place| place.is_tls || is_private);
            let place = place.ok_or_else(|| {
                format!("{name}: `sign_in.{key}` is no address such as \"https://login.example.org/token\"")
            })?;
            Ok(Some(place))
        };
        let addresses = SignInAddresses {
            authorize: place("authorize", draft.authorize.as_ref())?,
            token: place("token", draft.token.as_ref())?,
            device: place("device", draft.device.as_ref())?,
            revoke: place("revoke", draft.revoke.as_ref())?,
        };
        let issuer = place("issuer", draft.issuer.as_ref())?;
        let is_whole =
            addresses.token.is_some() && (addresses.authorize.is_some() || addresses.device.is_some());
        if issuer.is_none() && !is_whole {
            return Err(format!(
                "{name}: `sign_in` wants an `issuer`, or `token` with `authorize` or `device`"
            ));
        }
        if draft.hosts.len() > HOSTS_MAX {
            return Err(format!("{name}: `sign_in.hosts` names more than {HOSTS_MAX}"));
        }
        let redirect_host = draft.redirect.unwrap_or_else(|| "127.0.0.1".to_owned());
        if !REDIRECT_HOSTS.contains(&redirect_host.as_str()) {
            return Err(format!(
                "{name}: `sign_in.redirect` must be one of {}",
                REDIRECT_HOSTS.join(", ")
            ));
        }
        Ok(Self {
            client_id: draft.client_id,
            scope: draft.scope.unwrap_or_default(),
            issuer,
            hosts: draft.hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            redirect_host,
            addresses,
        })
    }

    /// Where the browser comes back, on a page of that port (RFC 8252, 7.3).
    pub(in crate::accounts) fn redirect(&self, port: u16) -> String {
        format!("http://{}:{port}{REDIRECT_PATH}", self.redirect_host)
    }

    /// Whose tokens they are: of another client, or provider, they count for nothing.
    pub(in crate::accounts) fn identity(&self) -> String {
        let place = self.addresses.token.as_ref().or(self.issuer.as_ref());
        format!(
            "{} {}",
            place.map(ServerPlace::server).unwrap_or_default(),
            self.client_id
        )
    }

    /// The addresses for one way in: those of the file, else those of the provider on hosts that were accepted.
    ///
    /// # Errors
    /// [`LookFailure::Elsewhere`] with a host that nobody accepted.
    pub(in crate::accounts) fn addresses_with(
        &self,
        found: &TokenServerMetadata,
        way: SignInWay,
        is_private: bool,
    ) -> Result<SignInAddresses, LookFailure> {
        let accepted = |ours: &Option<ServerPlace>,
                        theirs: &Option<String>|
         -> Result<Option<ServerPlace>, LookFailure> {
            if ours.is_some() {
                return Ok(ours.clone());
            }
            let Some(theirs) = theirs else { return Ok(None) };
            let place = ServerPlace::parse(theirs).ok_or(LookFailure::Broken)?;
            if !place.is_tls && !is_private {
                return Err(LookFailure::NotSealed);
            }
            let is_issuer = self
                .issuer
                .as_ref()
                .is_some_and(|issuer| issuer.is_same_server(&place));
            if is_issuer || self.hosts.contains(&place.authority()) {
                Ok(Some(place))
            } else {
                Err(LookFailure::Elsewhere {
                    host: place.server(),
                    path: String::new(),
                })
            }
        };
        let ours = &self.addresses;
        let (authorize, device) = match way {
            SignInWay::Browser => (accepted(&ours.authorize, &found.authorize)?, None),
            SignInWay::Device => (None, accepted(&ours.device, &found.device)?),
        };
        Ok(SignInAddresses {
            authorize,
            token: accepted(&ours.token, &found.token)?,
            device,
            revoke: accepted(&ours.revoke, &found.revoke)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(change: impl FnOnce(&mut SignInDraft)) -> SignInDraft {
        let mut draft = SignInDraft {
            client_id: "aura-kim".to_owned(),
            issuer: Some("https://login.example/".to_owned()),
            ..SignInDraft::default()
        };
        change(&mut draft);
        draft
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        let check = |change: fn(&mut SignInDraft)| SignInConfig::check(draft(change), "work", false);
        let text = |text: &str| Some(text.to_owned());
        assert!(check(|_| ()).is_ok());
        for (change, wanted) in [
            (
                (|draft| draft.client_id.clear()) as fn(&mut SignInDraft),
                "client_id",
            ),
            (|draft| draft.issuer = None, "wants an `issuer`"),
            (
                |draft| draft.token = Some("http://login.example/token".to_owned()),
                "sign_in.token",
            ),
            (
                |draft| draft.redirect = Some("evil.example".to_owned()),
                "127.0.0.1, localhost",
            ),
            (|draft| draft.hosts = vec![String::new()], "may be empty"),
        ] {
            let told = check(change).unwrap_err();
            assert!(told.contains(wanted), "{told}");
        }
        let whole = draft(|draft| {
            (draft.issuer, draft.token) = (None, text("https://login.example/token"));
            draft.device = text("https://login.example/device");
        });
        let config = SignInConfig::check(whole, "work", false).unwrap();
        assert_eq!(config.redirect(7878), "http://127.0.0.1:7878/signed-in");
        assert_eq!(config.identity(), "https://login.example aura-kim");
    }

    #[test]
    fn providers_lead_only_to_hosts_that_were_accepted_by_name() {
        let found = TokenServerMetadata {
            authorize: Some("https://login.example/authorize".to_owned()),
            token: Some("https://tokens.example/token".to_owned()),
            device: Some("https://evil.example/device".to_owned()),
            revoke: None,
        };
        let config = SignInConfig::check(draft(|_| ()), "work", false).unwrap();
        let elsewhere = |host: &str| LookFailure::Elsewhere {
            host: host.to_owned(),
            path: String::new(),
        };
        assert_eq!(
            config.addresses_with(&found, SignInWay::Browser, false),
            Err(elsewhere("https://tokens.example"))
        );
        let accepting = draft(|draft| draft.hosts = vec!["Tokens.example".to_owned()]);
        let config = SignInConfig::check(accepting, "work", false).unwrap();
        let addresses = config.addresses_with(&found, SignInWay::Browser, false).unwrap();
        assert_eq!(addresses.token.unwrap().authority(), "tokens.example");
        assert_eq!(
            config.addresses_with(&found, SignInWay::Device, false),
            Err(elsewhere("https://evil.example"))
        );
    }
}
