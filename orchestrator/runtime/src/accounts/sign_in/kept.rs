//! What is kept of a sign-in.
//!
//! What: [`KeptSignIn`], the tokens of an account with where they are renewed and given back. Why: it is sealed as a password is, and a newer token
//! replaces an older one as a whole. Not here: renewing (`renewal`), sealing (`aura_memory::accounts`).

use super::config::SignInAddresses;
use crate::accounts::AccountConfig;
use aura_process::source::IssuedTokens;
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::Timestamp;
use zeroize::{Zeroize as _, Zeroizing};

/// The part of an account that is its sign-in.
pub(in crate::accounts) const SIGN_IN_PART: &str = "sign-in";

/// A token is renewed so long before it expires, or at half of its time.
const AHEAD_S: u64 = 120;

/// Tokens of an account. Never shown; wiped when dropped.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::accounts) struct KeptSignIn {
    /// At which server they are shown, and of which client and provider they are.
    of: String,
    pub(in crate::accounts) client_id: String,
    pub(in crate::accounts) client_secret: Option<String>,
    pub(in crate::accounts) addresses: SignInAddresses,
    pub(in crate::accounts) is_private: bool,
    pub(in crate::accounts) certificate: Option<String>,
    access: Option<String>,
    refresh: Option<String>,
    renew_at: Option<Timestamp>,
    /// The provider takes them no more.
    is_ended: bool,
}

/// What is to be done before a token is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::accounts) enum TokenStep {
    Show,
    Renew,
    /// Nothing helps but the owner.
    SignInAgain,
}

impl fmt::Debug for KeptSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptSignIn(..)")
    }
}

impl Drop for KeptSignIn {
    fn drop(&mut self) {
        self.client_secret.zeroize();
        self.wipe();
    }
}

impl KeptSignIn {
    /// Of the first tokens; `None`: the account is logged in to by a password.
    pub(in crate::accounts) fn new(
        config: &AccountConfig,
        addresses: SignInAddresses,
        client_secret: Option<String>,
        tokens: &IssuedTokens,
        at: Timestamp,
    ) -> Option<Self> {
        // It is of the account's server, which may be its own provider.
        let provider = addresses.token.as_ref();
        let is_same_host = provider.is_some_and(|place| place.host == config.place.host);
        let kept = Self {
            of: identity(config)?,
            client_id: config.sign_in.as_ref()?.client_id.clone(),
            client_secret,
            is_private: config.is_private,
            certificate: config.certificate.clone().filter(|_| is_same_host),
            addresses,
            access: None,
            refresh: None,
            renew_at: None,
            is_ended: false,
        };
        Some(kept.renewed(tokens, at))
    }

    /// With newer tokens. A server that gives no new refresh token leaves the one before in force.
    pub(in crate::accounts) fn renewed(&self, tokens: &IssuedTokens, at: Timestamp) -> Self {
        let lasts_s = tokens
            .expires_s
            .map(|seconds| seconds.saturating_sub(AHEAD_S).max(seconds / 2));
        let mut kept = self.clone();
        kept.access = Some(tokens.access.clone());
        if let Some(refresh) = &tokens.refresh {
            kept.refresh = Some(refresh.clone());
        }
        kept.renew_at = lasts_s.map(|seconds| at.plus_ms(i64::try_from(seconds).unwrap_or(0) * 1000));
        kept.is_ended = false;
        kept
    }

    /// Without its tokens, which the provider takes no more.
    pub(in crate::accounts) fn ended(&self) -> Self {
        let mut kept = self.clone();
        kept.wipe();
        kept.is_ended = true;
        kept
    }

    fn wipe(&mut self) {
        self.access.zeroize();
        self.refresh.zeroize();
        (self.access, self.refresh) = (None, None);
    }

    pub(in crate::accounts) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// What is shown to the server of the account.
    pub(in crate::accounts) fn access(&self) -> Option<&str> {
        self.access.as_deref()
    }

    pub(in crate::accounts) fn refresh(&self) -> Option<&str> {
        self.refresh.as_deref()
    }

    /// What is given back: the token that all others come from.
    pub(in crate::accounts) fn revocable(&self) -> Option<&str> {
        self.refresh().or(self.access())
    }

    /// `is_refused`: its server did not take the token.
    pub(in crate::accounts) fn next_step(&self, now: Timestamp, is_refused: bool) -> TokenStep {
        let is_old = self.renew_at.is_some_and(|renew_at| now >= renew_at);
        let is_good = self.access.is_some() && !is_refused;
        match (is_good, self.refresh.is_some()) {
            (true, false) => TokenStep::Show,
            (true, true) if !is_old => TokenStep::Show,
            (_, true) => TokenStep::Renew,
            (false, false) => TokenStep::SignInAgain,
        }
    }

    /// As it is sealed.
    pub(in crate::accounts) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    pub(in crate::accounts) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Whether it is of that account as the file says it now.
    pub(in crate::accounts) fn is_of(&self, config: &AccountConfig) -> bool {
        identity(config).is_some_and(|of| of == self.of)
    }

    pub(in crate::accounts) fn identity(&self) -> &str {
        &self.of
    }
}

fn identity(config: &AccountConfig) -> Option<String> {
    let sign_in = config.sign_in.as_ref()?;
    Some(format!("{} {}", config.place.server(), sign_in.identity()))
}

#[cfg(test)]
pub(in crate::accounts) mod tests {
    use super::*;
    use crate::accounts::{ServerAccountKind, sign_in::config::SignInConfig};
    use aura_process::source::ServerPlace;
    use surfaces_base::backend::sign_in::SignInDraft;

    pub(in crate::accounts::sign_in) fn account(client_id: &str) -> AccountConfig {
        let draft = SignInDraft {
            client_id: client_id.to_owned(),
            issuer: Some("https://login.example/".to_owned()),
            ..SignInDraft::default()
        };
        AccountConfig {
            name: "work".to_owned(),
            kind: ServerAccountKind::CalDav,
            place: ServerPlace::parse("https://dav.example/").unwrap(),
            user: None,
            is_private: false,
            every_min: 15,
            days: 30,
            certificate: None,
            is_paused: false,
            is_writable: false,
            keep_free: None,
            sign_in: Some(SignInConfig::check(draft, "work", false).unwrap()),
        }
    }

    pub(in crate::accounts::sign_in) fn issued(
        access: &str,
        refresh: Option<&str>,
        expires_s: u64,
    ) -> IssuedTokens {
        serde_json::from_value(
            serde_json::json!({ "access": access, "refresh": refresh, "expires_s": expires_s }),
        )
        .unwrap()
    }

    #[test]
    fn tokens_are_renewed_ahead_of_their_end_and_after_a_refusal_and_the_newest_stays() {
        let at = Timestamp::from_ms(0);
        let config = account("aura-kim");
        let first = issued("a1", Some("r1"), 3600);
        let kept = KeptSignIn::new(&config, SignInAddresses::default(), None, &first, at).unwrap();
        let step = |kept: &KeptSignIn, seconds: i64, is_refused| {
            kept.next_step(at.plus_ms(seconds * 1000), is_refused)
        };
        assert_eq!(step(&kept, 3479, false), TokenStep::Show);
        assert_eq!(step(&kept, 3480, false), TokenStep::Renew);
        assert_eq!(step(&kept, 0, true), TokenStep::Renew);
        // A short one is renewed at half of its time.
        let short = kept.renewed(&issued("a2", None, 60), at);
        assert_eq!((short.access(), short.refresh()), (Some("a2"), Some("r1")));
        assert_eq!(
            (step(&short, 29, false), step(&short, 30, false)),
            (TokenStep::Show, TokenStep::Renew)
        );
        assert_eq!(
            short.renewed(&issued("a3", Some("r3"), 60), at).refresh(),
            Some("r3")
        );
        let ended = short.ended();
        assert!(ended.is_ended() && ended.access().is_none() && ended.revocable().is_none());
        assert_eq!(step(&ended, 0, false), TokenStep::SignInAgain);
        // Without a refresh token it is shown until it is refused.
        let once = KeptSignIn::new(
            &config,
            SignInAddresses::default(),
            None,
            &issued("a", None, 1),
            at,
        )
        .unwrap();
        assert_eq!(
            (step(&once, 99, false), step(&once, 0, true)),
            (TokenStep::Show, TokenStep::SignInAgain)
        );
    }

    #[test]
    fn tokens_are_of_one_client_at_one_server_and_are_never_shown() {
        let config = account("aura-kim");
        let at = Timestamp::from_ms(0);
        let tokens = issued("swordfish", Some("herring"), 60);
        let kept = KeptSignIn::new(
            &config,
            SignInAddresses::default(),
            Some("cod".to_owned()),
            &tokens,
            at,
        )
        .unwrap();
        let again = KeptSignIn::from_bytes(&kept.to_bytes()).unwrap();
        assert!(again == kept && again.is_of(&config) && !again.is_of(&account("other")));
        let mut moved = config.clone();
        moved.place = ServerPlace::parse("https://evil.example/").unwrap();
        assert!(!again.is_of(&moved));
        let shown = format!("{again:?} {tokens:?}");
        assert!(
            !["swordfish", "herring", "cod"]
                .iter()
                .any(|secret| shown.contains(secret)),
            "{shown}"
        );
    }
}
