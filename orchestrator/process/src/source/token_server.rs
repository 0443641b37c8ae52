//! A server that gives out tokens (OAuth 2), in the worker of an account.
//!
//! What: [`ask`], one question and its answer: addresses (RFC 8414), a code for the owner (RFC 8628), tokens (RFC 6749), forgetting one (RFC 7009).
//! Why: what a stranger sends is bounded and parsed where nothing can be reached. Not here: HTTP (`http`), what is asked when (the runtime).

use super::{
    http::{HttpSession, ServerAnswer, ServerRequest},
    token_request::{
        DeviceCode, IssuedTokens, TokenAnswer, TokenRefusal, TokenRequest, TokenRequestKind,
        TokenServerMetadata, is_visible,
    },
    wire::{AccountRequest, LookFailure},
};
use http::StatusCode;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// Bytes of an answer, and of one token.
const ANSWER_MAX: usize = 64 << 10;
const TOKEN_MAX: usize = 16 << 10;
/// How long a code counts and how often it is asked about, where the server does not say it (RFC 8628, 3.2), and at most.
const EXPIRES_S: u64 = 900;
const INTERVAL_S: u64 = 5;
const INTERVAL_MAX_S: u64 = 60;
/// No token is believed to count longer.
const YEAR_S: u64 = 366 * 24 * 3600;

#[derive(Deserialize)]
struct MetadataAnswer {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    device_authorization_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
}

#[derive(Deserialize)]
struct DeviceAnswer {
    device_code: String,
    user_code: String,
    /// One provider calls it by another name.
    #[serde(alias = "verification_url")]
    verification_uri: String,
    expires_in: Option<Value>,
    interval: Option<Value>,
}

#[derive(Deserialize)]
struct TokensAnswer {
    access_token: String,
    #[serde(default)]
    token_type: String,
    refresh_token: Option<String>,
    expires_in: Option<Value>,
}

#[derive(Deserialize)]
struct RefusalAnswer {
    error: String,
}

/// Asks once: neither a code nor a token is sent a second time.
///
/// # Errors
/// [`LookFailure`]; a server that says no is none.
pub(super) async fn ask(
    request: &AccountRequest,
    asked: &TokenRequest,
    session: &mut HttpSession<'_>,
) -> Result<TokenAnswer, LookFailure> {
    if asked.kind == TokenRequestKind::Metadata {
        return metadata(request, session).await.map(TokenAnswer::Metadata);
    }
    let form = asked.form();
    let answered = session
        .ask_once(&ServerRequest {
            method: "POST",
            path: &request.place.path,
            headers: &[
                ("Accept", "application/json"),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ],
            body: &form,
        })
        .await;
    let answer = match answered {
        // So it says that it does not know the client.
        Err(LookFailure::LoginMissing) => {
            let why = TokenRefusal::Other("invalid_client".to_owned());
            return Ok(TokenAnswer::Refused(why));
        }
        answered => answered?,
    };
    parse(asked.kind, &answer)
}

fn parse(kind: TokenRequestKind, answer: &ServerAnswer) -> Result<TokenAnswer, LookFailure> {
    if let Some(failure) = answer.failure() {
        let is_no = answer.status.is_client_error() && answer.status != StatusCode::TOO_MANY_REQUESTS;
        let refused = read_json::<RefusalAnswer>(&answer.body).ok().filter(|_| is_no);
        return refused.map_or(Err(failure), |refused| {
            Ok(TokenAnswer::Refused(TokenRefusal::from_name(&refused.error)))
        });
    }
    match kind {
        TokenRequestKind::Device => device(&answer.body),
        TokenRequestKind::Tokens => tokens(&answer.body),
        TokenRequestKind::Revoke => Ok(TokenAnswer::Revoked),
        // It was asked for elsewhere.
        TokenRequestKind::Metadata => Err(LookFailure::Broken),
    }
}

fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, LookFailure> {
    if body.len() > ANSWER_MAX {
        return Err(LookFailure::TooLarge);
    }
    serde_json::from_slice(body).map_err(|_| LookFailure::Broken)
}

/// A number, which some write as a text.
fn number(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn is_token(text: &str) -> bool {
    (1..=TOKEN_MAX).contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn device(body: &[u8]) -> Result<TokenAnswer, LookFailure> {
    let found: DeviceAnswer = read_json(body)?;
    if !is_token(&found.device_code) || !is_visible(&found.user_code) || !is_visible(&found.verification_uri)
    {
        return Err(LookFailure::Broken);
    }
    Ok(TokenAnswer::Device(DeviceCode {
        device_code: found.device_code,
        user_code: found.user_code.chars().take(32).collect(),
        address: found.verification_uri,
        expires_s: number(found.expires_in.as_ref())
            .unwrap_or(EXPIRES_S)
            .min(EXPIRES_S * 4),
        interval_s: number(found.interval.as_ref())
            .unwrap_or(INTERVAL_S)
            .clamp(1, INTERVAL_MAX_S),
    }))
}

fn tokens(body: &[u8]) -> Result<TokenAnswer, LookFailure> {
    let found: TokensAnswer = read_json(body)?;
    let tokens = IssuedTokens {
        access: found.access_token,
        refresh: found.refresh_token.filter(|token| !token.is_empty()),
        expires_s: number(found.expires_in.as_ref()).map(|seconds| seconds.min(YEAR_S)),
    };
    let is_bearer = found.token_type.is_empty() || found.token_type.eq_ignore_ascii_case("bearer");
    let is_good = is_bearer
        && !tokens.access.contains(' ')
        && is_token(&tokens.access)
        && tokens.refresh.as_deref().is_none_or(is_token);
    is_good
        .then_some(TokenAnswer::Tokens(tokens))
        .ok_or(LookFailure::Broken)
}

/// By the address that RFC 8414 gives it, else by the older one that many have.
async fn metadata(
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
) -> Result<TokenServerMetadata, LookFailure> {
    let issuer = request.place.path.trim_end_matches('/');
    let paths = [
        format!("/.well-known/oauth-authorization-server{issuer}"),
        format!("{issuer}/.well-known/openid-configuration"),
    ];
    let mut failure = LookFailure::Broken;
    for path in &paths {
        let answer = session
            .ask(&ServerRequest {
                method: "GET",
                path,
                headers: &[("Accept", "application/json")],
                body: "",
            })
            .await?;
        match answer.good() {
            Ok(answer) => return metadata_in(&request.place.server(), issuer, &answer.body),
            Err(found) => failure = found,
        }
    }
    Err(failure)
}

fn metadata_in(server: &str, issuer: &str, body: &[u8]) -> Result<TokenServerMetadata, LookFailure> {
    let found: MetadataAnswer = read_json(body)?;
    // What one issuer says counts for no other (RFC 8414, 3.3).
    if found.issuer.trim_end_matches('/') != format!("{server}{issuer}") {
        return Err(LookFailure::Broken);
    }
    let visible = |address: Option<String>| address.filter(|address| is_visible(address));
    Ok(TokenServerMetadata {
        authorize: visible(found.authorization_endpoint),
        token: visible(found.token_endpoint),
        device: visible(found.device_authorization_endpoint),
        revoke: visible(found.revocation_endpoint),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderMap;

    fn answer(status: u16, body: &str) -> ServerAnswer {
        ServerAnswer {
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::new(),
            path: "/token".to_owned(),
            body: body.as_bytes().to_vec(),
        }
    }

    fn refused(kind: TokenRequestKind, status: u16, body: &str) -> TokenRefusal {
        match parse(kind, &answer(status, body)) {
            Ok(TokenAnswer::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tokens_and_codes_are_read_and_what_could_be_sent_on_as_something_else_is_not() {
        let kind = TokenRequestKind::Tokens;
        let good = r#"{"access_token":"a.b-c","token_type":"Bearer","refresh_token":"r 1","expires_in":"3599","id_token":"x"}"#;
        let Ok(TokenAnswer::Tokens(tokens)) = parse(kind, &answer(200, good)) else {
            panic!("no tokens")
        };
        assert_eq!(
            (
                tokens.access.as_str(),
                tokens.refresh.as_deref(),
                tokens.expires_s
            ),
            ("a.b-c", Some("r 1"), Some(3599))
        );
        let long = format!(r#"{{"access_token":"{}"}}"#, "x".repeat(TOKEN_MAX + 1));
        for wrong in [
            r#"{"access_token":""}"#,
            r#"{"access_token":"a\u0001b"}"#,
            r#"{"access_token":"a\r\nX: y"}"#,
            r#"{"access_token":"a","token_type":"mac"}"#,
            r#"{"access_token":"a","refresh_token":"\n"}"#,
            r#"{"access_token":7}"#,
            "<html>",
            &long,
        ] {
            assert_eq!(
                parse(kind, &answer(200, wrong)),
                Err(LookFailure::Broken),
                "{wrong}"
            );
        }
        let huge = format!(r#"{{"access_token":"a","x":"{}"}}"#, "x".repeat(ANSWER_MAX));
        assert_eq!(parse(kind, &answer(200, &huge)), Err(LookFailure::TooLarge));
        let code = r#"{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://example.org/device","interval":0}"#;
        let Ok(TokenAnswer::Device(code)) = parse(TokenRequestKind::Device, &answer(200, code)) else {
            panic!("no code")
        };
        assert_eq!((code.interval_s, code.expires_s), (1, 900));
    }

    #[test]
    fn refusals_keep_their_reason_and_a_server_that_fails_is_no_refusal() {
        let kind = TokenRequestKind::Tokens;
        for (body, expected) in [
            (r#"{"error":"authorization_pending"}"#, TokenRefusal::Pending),
            (r#"{"error":"slow_down"}"#, TokenRefusal::SlowDown),
            (r#"{"error":"access_denied"}"#, TokenRefusal::Denied),
            (r#"{"error":"expired_token"}"#, TokenRefusal::Expired),
            (r#"{"error":"invalid_grant"}"#, TokenRefusal::GrantEnded),
        ] {
            assert_eq!(refused(kind, 400, body), expected);
        }
        for (status, expected) in [
            (500, LookFailure::Refused { status: 500 }),
            (404, LookFailure::Refused { status: 404 }),
            (429, LookFailure::TooOften { after_s: None }),
        ] {
            assert_eq!(parse(kind, &answer(status, "no JSON")), Err(expected));
        }
    }

    #[test]
    fn what_an_issuer_says_of_another_is_not_believed() {
        let body = r#"{"issuer":"https://login.example/kim","token_endpoint":"https://login.example/token","revocation_endpoint":"https://login.example/a b"}"#;
        let found = metadata_in("https://login.example", "/kim", body.as_bytes()).unwrap();
        assert_eq!(found.token.as_deref(), Some("https://login.example/token"));
        assert_eq!((found.authorize, found.revoke), (None, None));
        for (server, issuer) in [("https://evil.example", "/kim"), ("https://login.example", "")] {
            assert_eq!(
                metadata_in(server, issuer, body.as_bytes()),
                Err(LookFailure::Broken)
            );
        }
    }
}
