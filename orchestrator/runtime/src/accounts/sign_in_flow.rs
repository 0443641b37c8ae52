//! Signing in.
//!
//! What: a sign-in from its beginning, in a browser that comes back (RFC 8252, with PKCE, RFC 7636) or by a code that the owner types (RFC 8628), to
//! tokens that are sealed. Why: what comes back is taken once, of a sign-in that was begun here, and no code is good without what only this process
//! knows. Not here: renewing (`renewal`), the page at which a browser comes back (`surfaces::web`).

use super::{
    AccountConfig,
    live::{LiveAccount, LiveAccounts},
    sign_in::{DevicePolling, KeptSignIn, PollingStep, SignInAddresses, SignInConfig, TokenClient, refused},
};
use aura_process::source::{
    DeviceCode, IssuedTokens, LookFailure, ServerPlace, TokenAnswer, TokenRefusal, TokenRequest,
    TokenRequestKind, TokenServerMetadata, address_with,
};
use data_encoding::BASE64URL_NOPAD;
use ring::digest::{SHA256, digest};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use surfaces_base::backend::sign_in::{
    SignInBegun, SignInFailure, SignInRedirect, SignInStanding, SignInWay,
};
use toolcall_schema::ids::sha256_hex;
use zeroize::Zeroizing;

/// How long a browser may take to come back.
const BROWSER_WITHIN: Duration = Duration::from_mins(10);
const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// A sign-in that was begun in this process.
pub(in crate::accounts) struct SignInAttempt {
    /// Of an earlier one nothing counts any more.
    id: uuid::Uuid,
    begun: Instant,
    within: Duration,
    client: AttemptClient,
    /// Taken by the browser that comes back.
    browser: Option<BrowserReturn>,
    outcome: Option<Result<(), SignInFailure>>,
}

/// With what tokens are asked for.
#[derive(Clone)]
struct AttemptClient {
    addresses: SignInAddresses,
    token: ServerPlace,
    secret: Option<Zeroizing<String>>,
}

/// What only this process knows of a browser that it waits for.
struct BrowserReturn {
    state_sha256: String,
    verifier: Zeroizing<String>,
    redirect: String,
}

impl SignInAttempt {
    fn is_open(&self) -> bool {
        self.outcome.is_none() && self.begun.elapsed() < self.within
    }

    /// Why it came to nothing.
    fn failure(&self) -> Option<SignInFailure> {
        match &self.outcome {
            Some(Ok(())) => None,
            Some(Err(failure)) => Some(failure.clone()),
            None => (!self.is_open()).then_some(SignInFailure::Expired),
        }
    }
}

/// 256 bits by chance, as they stand in an address.
fn random_text() -> Result<Zeroizing<String>, SignInFailure> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    // So few come whole.
    getrandom(&mut bytes[..], GetRandomFlags::empty()).map_err(|_| SignInFailure::NotKept)?;
    Ok(Zeroizing::new(BASE64URL_NOPAD.encode(&bytes[..])))
}

/// What a provider is shown of a verifier before (RFC 7636, 4.2).
fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(digest(&SHA256, verifier.as_bytes()).as_ref())
}

fn unreachable(failure: LookFailure) -> SignInFailure {
    SignInFailure::Unreachable { failure }
}

fn broken() -> SignInFailure {
    unreachable(LookFailure::Broken)
}

impl LiveAccount {
    /// How far the owner is with signing in; `None`: it is logged in to by a password.
    pub(in crate::accounts) fn sign_in_standing(&self) -> Option<SignInStanding> {
        self.config.sign_in.as_ref()?;
        if self.attempt().as_ref().is_some_and(SignInAttempt::is_open) {
            return Some(SignInStanding::Underway);
        }
        Some(match &self.state().sign_in {
            None => SignInStanding::NotYet,
            Some(kept) if kept.is_ended() => SignInStanding::Ended,
            Some(_) => SignInStanding::SignedIn,
        })
    }

    /// Why the last try came to nothing.
    pub(in crate::accounts) fn sign_in_failure(&self) -> Option<SignInFailure> {
        self.attempt().as_ref().and_then(SignInAttempt::failure)
    }

    fn begin_attempt(&self, attempt: SignInAttempt) {
        *self.attempt() = Some(attempt);
    }

    /// Whether it is still the one that was begun last.
    fn is_attempted(&self, id: uuid::Uuid) -> bool {
        self.attempt().as_ref().is_some_and(|attempt| attempt.id == id)
    }

    fn end_attempt(&self, id: uuid::Uuid, outcome: Result<(), SignInFailure>) {
        if let Some(attempt) = self.attempt().as_mut().filter(|attempt| attempt.id == id) {
            attempt.outcome = Some(outcome);
        }
    }
}

impl LiveAccounts {
    /// Begins to sign in to an account. Blocks. `secret`: what some providers demand of the owner's client.
    ///
    /// # Errors
    /// [`SignInFailure`]
    pub(crate) fn begin_sign_in(
        &self,
        name: &str,
        way: SignInWay,
        secret: Option<String>,
    ) -> Result<SignInBegun, SignInFailure> {
        let account = self.find(name).ok_or(SignInFailure::NoAccount)?;
        let config = &account.config;
        let sign_in = config.sign_in.as_ref().ok_or(SignInFailure::ByPassword)?;
        let addresses = self.addresses(config, sign_in, way)?;
        let kept_secret = || account.state().sign_in.as_ref()?.client_secret.clone();
        let client = AttemptClient {
            token: addresses.token.clone().ok_or(SignInFailure::NoWay)?,
            secret: secret
                .filter(|typed| !typed.is_empty())
                .or_else(kept_secret)
                .map(Zeroizing::new),
            addresses,
        };
        match way {
            SignInWay::Browser => self.begin_in_browser(account, sign_in, client),
            SignInWay::Device => self.begin_by_code(account, sign_in, client),
        }
    }

    /// Where the provider is asked, by its own word where the file does not say it all.
    fn addresses(
        &self,
        config: &AccountConfig,
        sign_in: &SignInConfig,
        way: SignInWay,
    ) -> Result<SignInAddresses, SignInFailure> {
        let mut found = TokenServerMetadata::default();
        if let Some(issuer) = &sign_in.issuer {
            let request = TokenRequest::new(TokenRequestKind::Metadata, &[]);
            let answer = self.ask_provider(&TokenClient::from_config(config), issuer, request);
            let TokenAnswer::Metadata(said) = answer.map_err(unreachable)? else {
                return Err(broken());
            };
            found = said;
        }
        let addresses = sign_in.addresses_with(&found, way, config.is_private);
        addresses.map_err(unreachable)
    }

    fn begin_in_browser(
        &self,
        account: &LiveAccount,
        sign_in: &SignInConfig,
        client: AttemptClient,
    ) -> Result<SignInBegun, SignInFailure> {
        let authorize = client.addresses.authorize.clone().ok_or(SignInFailure::NoWay)?;
        // Without a page there is nowhere to come back to.
        let redirect = sign_in.redirect(self.page_port().ok_or(SignInFailure::NoWay)?);
        let (state, verifier) = (random_text()?, random_text()?);
        let address = address_with(
            &authorize,
            &[
                ("response_type", "code"),
                ("client_id", &sign_in.client_id),
                ("redirect_uri", &redirect),
                ("scope", &sign_in.scope),
                ("state", &state),
                ("code_challenge", &challenge(&verifier)),
                ("code_challenge_method", "S256"),
            ],
        );
        account.begin_attempt(SignInAttempt {
            id: uuid::Uuid::new_v4(),
            begun: Instant::now(),
            within: BROWSER_WITHIN,
            client,
            browser: Some(BrowserReturn {
                state_sha256: sha256_hex(state.as_bytes()),
                verifier,
                redirect,
            }),
            outcome: None,
        });
        Ok(SignInBegun::Browser {
            address,
            host: authorize.authority(),
        })
    }

    /// Takes what a browser comes back with: of a sign-in that was begun here, once. Blocks.
    ///
    /// # Errors
    /// [`SignInFailure`]; of [`SignInFailure::NotBegun`] nothing was sent anywhere.
    pub(crate) fn finish_sign_in(&self, redirect: &SignInRedirect) -> Result<(), SignInFailure> {
        let state_sha256 = sha256_hex(redirect.state.as_bytes());
        let waits = self.0.accounts.iter().find_map(|account| {
            let mut attempt = account.attempt();
            let attempt = attempt.as_mut().filter(|attempt| attempt.is_open())?;
            let browser = attempt
                .browser
                .take_if(|browser| browser.state_sha256 == state_sha256)?;
            Some((account, attempt.id, attempt.client.clone(), browser))
        });
        let (account, id, client, browser) = waits.ok_or(SignInFailure::NotBegun)?;
        let ended = self.exchange(account, &client, &browser, redirect);
        let ended = ended.and_then(|tokens| self.keep_first(account, &client, &tokens));
        account.end_attempt(id, ended.clone());
        ended
    }

    fn exchange(
        &self,
        account: &LiveAccount,
        client: &AttemptClient,
        browser: &BrowserReturn,
        redirect: &SignInRedirect,
    ) -> Result<IssuedTokens, SignInFailure> {
        let sign_in = account.config.sign_in.as_ref().ok_or(SignInFailure::ByPassword)?;
        let is_issuer = |said: &String| {
            let issuer = sign_in.issuer.as_ref();
            issuer.is_none_or(|issuer| said.trim_end_matches('/') == issuer.address().trim_end_matches('/'))
        };
        // Another provider's answer is not taken for this one's (RFC 9207).
        if !redirect.issuer.as_ref().is_none_or(is_issuer) {
            return Err(SignInFailure::NotBegun);
        }
        if let Some(error) = &redirect.error {
            return Err(refused(TokenRefusal::from_name(error)));
        }
        let code = redirect.code.as_deref().unwrap_or_default();
        let request = TokenRequest::new(
            TokenRequestKind::Tokens,
            &[
                ("grant_type", "authorization_code"),
                ("code", code),
                ("redirect_uri", &browser.redirect),
                ("client_id", &sign_in.client_id),
                (
                    "client_secret",
                    client.secret.as_deref().map_or("", String::as_str),
                ),
                ("code_verifier", &browser.verifier),
            ],
        );
        match self.ask_provider(&TokenClient::from_config(&account.config), &client.token, request) {
            Ok(TokenAnswer::Tokens(tokens)) => Ok(tokens),
            Ok(TokenAnswer::Refused(why)) => Err(refused(why)),
            Ok(TokenAnswer::Metadata(_) | TokenAnswer::Device(_) | TokenAnswer::Revoked) => Err(broken()),
            Err(failure) => Err(unreachable(failure)),
        }
    }

    fn begin_by_code(
        &self,
        account: &Arc<LiveAccount>,
        sign_in: &SignInConfig,
        client: AttemptClient,
    ) -> Result<SignInBegun, SignInFailure> {
        let device = client.addresses.device.clone().ok_or(SignInFailure::NoWay)?;
        let now = self.now().ok_or(SignInFailure::NotKept)?;
        let request = TokenRequest::new(
            TokenRequestKind::Device,
            &[
                ("client_id", &sign_in.client_id),
                ("scope", &sign_in.scope),
                (
                    "client_secret",
                    client.secret.as_deref().map_or("", String::as_str),
                ),
            ],
        );
        let code = match self.ask_provider(&TokenClient::from_config(&account.config), &device, request) {
            Ok(TokenAnswer::Device(code)) => code,
            Ok(TokenAnswer::Refused(why)) => return Err(refused(why)),
            Ok(TokenAnswer::Metadata(_) | TokenAnswer::Tokens(_) | TokenAnswer::Revoked) => {
                return Err(broken());
            }
            Err(failure) => return Err(unreachable(failure)),
        };
        let id = uuid::Uuid::new_v4();
        account.begin_attempt(SignInAttempt {
            id,
            begun: Instant::now(),
            within: Duration::from_secs(code.expires_s),
            client: client.clone(),
            browser: None,
            outcome: None,
        });
        let lasts_ms = i64::try_from(code.expires_s).unwrap_or(0) * 1000;
        let begun = SignInBegun::Device {
            code: code.user_code.clone(),
            address: code.address.clone(),
            until: now.plus_ms(lasts_ms),
        };
        let (me, account) = (self.clone(), Arc::clone(account));
        let waiting = thread::Builder::new()
            .name("aura-sign-in".to_owned())
            .spawn(move || me.wait_for_owner(&account, id, &client, &code));
        waiting.map(|_| begun).map_err(|_| SignInFailure::NotKept)
    }

    /// Asks about a code until the owner typed it, or it expires.
    fn wait_for_owner(
        &self,
        account: &LiveAccount,
        id: uuid::Uuid,
        client: &AttemptClient,
        code: &DeviceCode,
    ) {
        let client_id = account
            .config
            .sign_in
            .as_ref()
            .map_or("", |sign_in| &sign_in.client_id);
        let mut polling = DevicePolling::new(code);
        let ended = loop {
            let Some(wait) = polling.next_wait() else {
                break Err(SignInFailure::Expired);
            };
            thread::sleep(wait);
            if self.is_over() || !account.is_attempted(id) {
                return;
            }
            let request = TokenRequest::new(
                TokenRequestKind::Tokens,
                &[
                    ("grant_type", DEVICE_GRANT),
                    ("device_code", &code.device_code),
                    ("client_id", client_id),
                    (
                        "client_secret",
                        client.secret.as_deref().map_or("", String::as_str),
                    ),
                ],
            );
            let answered =
                self.ask_provider(&TokenClient::from_config(&account.config), &client.token, request);
            match polling.on_answer(answered) {
                PollingStep::AskAgain => {}
                PollingStep::SignedIn(tokens) => break self.keep_first(account, client, &tokens),
                PollingStep::Failed(failure) => break Err(failure),
            }
        };
        account.end_attempt(id, ended);
    }

    /// Seals the first tokens, and looks with them.
    fn keep_first(
        &self,
        account: &LiveAccount,
        client: &AttemptClient,
        tokens: &IssuedTokens,
    ) -> Result<(), SignInFailure> {
        let now = self.now().ok_or(SignInFailure::NotKept)?;
        let secret = client.secret.as_deref().cloned();
        let kept = KeptSignIn::new(&account.config, client.addresses.clone(), secret, tokens, now);
        let kept = kept.ok_or(SignInFailure::ByPassword)?;
        self.replace_sign_in(account, kept).map_err(|error| {
            tracing::warn!(%error, "a sign-in could not be kept");
            SignInFailure::NotKept
        })?;
        account.look_anew();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_is_that_of_the_example() {
        // RFC 7636, appendix B.
        assert_eq!(
            challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        let (one, two) = (random_text().unwrap(), random_text().unwrap());
        assert!(one.len() == 43 && one != two);
    }

    #[test]
    fn nobody_comes_back_from_what_was_not_begun() {
        let redirect = SignInRedirect {
            state: "x".to_owned(),
            code: Some("code".to_owned()),
            error: None,
            issuer: None,
        };
        assert_eq!(
            LiveAccounts::default().finish_sign_in(&redirect),
            Err(SignInFailure::NotBegun)
        );
    }
}
