//! Signing in to the owner's accounts by their providers (OAuth 2).
//!
//! What: the parts, and one question to a provider. Why: providers that take no passwords give out tokens, which end, are renewed and are taken
//! back. Not here: what a provider answers (`aura_process::source`), how tokens are shown to a server (the worker).

mod config;
mod device_polling;
mod kept;
mod renewal;
mod token_renewals;

pub(super) use config::SignInAddresses;
pub use config::SignInConfig;
pub(super) use device_polling::{DevicePolling, PollingStep, refused};
pub(super) use kept::{KeptSignIn, SIGN_IN_PART};
pub(crate) use token_renewals::TokenRenewals;

use super::{AccountConfig, LiveAccounts, broker};
use aura_process::{
    WorkerProgram,
    source::{
        AccountProtocol, AccountRequest, LookFailure, ServerPlace, TokenAnswer, TokenRequest,
        ask_token_server,
    },
};

/// Who asks a provider, and how it is trusted.
pub(super) struct TokenClient<'a> {
    pub(super) name: &'a str,
    pub(super) is_private: bool,
    /// The server of the account, with the certificate that is trusted there.
    pub(super) pinned: Option<(&'a str, &'a str)>,
}

impl<'a> TokenClient<'a> {
    pub(super) fn from_config(config: &'a AccountConfig) -> Self {
        let pin = config.certificate.as_deref();
        Self {
            name: &config.name,
            is_private: config.is_private,
            pinned: pin.map(|pin| (config.place.host.as_str(), pin)),
        }
    }
}

impl LiveAccounts {
    /// Has a worker ask a provider once. Blocks.
    pub(super) fn ask_provider(
        &self,
        client: &TokenClient<'_>,
        place: &ServerPlace,
        request: TokenRequest,
    ) -> Result<TokenAnswer, LookFailure> {
        let no_span = [String::new(), String::new()];
        let mut asked = AccountRequest::new(AccountProtocol::TokenServer, place.clone(), no_span);
        let pinned = client.pinned.filter(|(host, _)| *host == place.host);
        asked.pin = pinned.map(|(_, pin)| pin.to_owned());
        asked.token_request = Some(request);
        ask_token_server(&WorkerProgram::default(), client.name, &asked, &mut || {
            if self.is_over() {
                return Err(LookFailure::WorkerEnded);
            }
            broker::connect_to_place(place, client.is_private)
        })
    }
}
