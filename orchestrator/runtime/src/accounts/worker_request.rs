//! What the worker of an account is asked.
//!
//! What: [`request_of`], by how an account is configured and its login. Why: a look and a trial ask alike. Not here: what is known already
//! (`live`), the worker (`aura_process::source`).

use super::{AccountConfig, AccountSecret, ServerAccountKind, protocol_of};
use aura_process::source::{AccessToken, AccountLogin, AccountRequest};
use toolcall_schema::Timestamp;

/// Days around today of which events are asked for.
const DAYS_BEFORE: i64 = 62;
const DAYS_AFTER: i64 = 400;
/// Days of payments that are asked for: no more is given at once.
const MONEY_DAYS: i64 = 60;
/// Days of a sensor: no home remembers more of itself, unless it was told to.
const SENSOR_DAYS: i64 = 30;
const DAY_MS: i64 = 24 * 3_600_000;

/// What a worker is asked of an account of which nothing is known.
pub(super) fn request_of(
    config: &AccountConfig,
    login: Option<&AccountSecret>,
    at: Timestamp,
) -> AccountRequest {
    let day = |days: i64| {
        at.plus_ms(days * DAY_MS)
            .utc()
            .format("%Y%m%dT000000Z")
            .to_string()
    };
    let mut place = config.place.clone();
    if let Some(path) = login.and_then(AccountSecret::path) {
        path.clone_into(&mut place.path);
    }
    let span = match config.kind {
        ServerAccountKind::SimpleFin => {
            let seconds = |days: i64| (at.plus_ms(days * DAY_MS).ms() / 1000).to_string();
            [seconds(-MONEY_DAYS), seconds(0)]
        }
        ServerAccountKind::HomeAssistant => [-SENSOR_DAYS, 0].map(|days| {
            let moment = at.plus_ms(days * DAY_MS).utc();
            moment.format("%Y-%m-%dT%H:%M:%SZ").to_string()
        }),
        ServerAccountKind::CalendarAddress
        | ServerAccountKind::CalDav
        | ServerAccountKind::CardDav
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap => [day(-DAYS_BEFORE), day(DAYS_AFTER)],
    };
    let mut request = AccountRequest::new(protocol_of(config.kind), place, span);
    request.pin.clone_from(&config.certificate);
    let is_nameless = config.user.is_none() && login.is_some_and(|login| login.user().is_none());
    // Who has no name there was given a token (RFC 6750) in place of a password.
    if config.kind == ServerAccountKind::HomeAssistant
        || config.kind == ServerAccountKind::Jmap && is_nameless
    {
        request.token = login.and_then(AccountSecret::password).map(|token| AccessToken {
            user: String::new(),
            token: token.to_owned(),
        });
        return request;
    }
    request.login = login.and_then(|login| {
        let user = login.user().or(config.user.as_deref());
        Some(AccountLogin {
            user: user.unwrap_or_default().to_owned(),
            password: login.password()?.to_owned(),
        })
    });
    request
}
