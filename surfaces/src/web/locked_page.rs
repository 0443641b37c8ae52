//! The page of an owner whose data folder opens with a passphrase that nobody has typed yet, or with a key that is not in its place.
//!
//! What: one page for every address, and the form that takes the passphrase, or the code of a recovery sheet. Why: a host starts without anybody at a terminal, and so does who clicks on Aura among her programs. Not here: who
//! may come in, which nobody can look up now (`guard`); opening the folder ([`UnlockFolder`], implemented by `orchestrator`).

use super::{
    api::ProbeResponse,
    error::WebError,
    guard::{accept_language, wants_page, with_security_headers},
    hosts::HostPolicy,
    limits::{RateLimiter, SeldomAct},
    shared_routes, shell,
};
use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use maud::{Markup, html};
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::{sync::Arc, time::Instant};
use surfaces_base::{
    backend::{BackendError, BackendFuture, backups::BackupPassphrase},
    language::Language,
    locale, words,
};

/// Bytes of a form with a passphrase: each of its own may be escaped as three.
const FORM_BYTES_MAX: usize = 4 * 1024;

/// What came of what the owner typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnlockReply {
    /// It was not the passphrase.
    Wrong,
    /// Her pages begin at this address, under the same name.
    Here,
    /// Her pages begin at another address.
    At(String),
}

/// What a folder waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AwaitedKey {
    #[default]
    Passphrase,
    /// Its key, which is not in its place.
    Key {
        /// The file that it is in; `None`: the system's keyring.
        file: Option<String>,
        /// Whether its owner made a recovery sheet, whose code opens it as well.
        has_sheet: bool,
    },
}

/// Opens a data folder with what its owner typed.
pub trait UnlockFolder: Send + Sync {
    /// What is waited for.
    fn awaited(&self) -> AwaitedKey {
        AwaitedKey::default()
    }

    /// Tries the passphrase, or the code of the recovery sheet; `None`: the key may be in its place by now. The service begins where that opens
    /// the folder.
    fn unlock(&self, words: Option<BackupPassphrase>) -> BackendFuture<Result<UnlockReply, BackendError>>;
}

struct LockedState {
    hosts: HostPolicy,
    limits: RateLimiter,
    unlock: Arc<dyn UnlockFolder>,
}

/// Every route while the folder is locked.
pub(super) fn router(hosts: HostPolicy, unlock: Arc<dyn UnlockFolder>) -> Router {
    let alive = || async { Json(ProbeResponse::new("ok")) };
    Router::new()
        .route("/healthz", get(alive))
        // The page's own looks; they say nothing about the owner.
        .route("/assets/{name}", get(shared_routes::asset))
        .route("/unlock", post(try_unlock))
        .fallback(show_locked)
        .with_state(Arc::new(LockedState {
            hosts,
            limits: RateLimiter::default(),
            unlock,
        }))
}

async fn show_locked(State(state): State<Arc<LockedState>>, request: Request) -> Response {
    if let Err(refusal) = state.hosts.admit(&request) {
        return with_security_headers(refusal.into_response());
    }
    if wants_page(&request) {
        return locked_page(&request, &state.unlock.awaited(), None);
    }
    let body = json!({ "code": "WEB-031", "message": "the data folder is locked until its owner opens it on this page" });
    with_security_headers((StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response())
}

/// What did not open it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FailedTry {
    Words,
    /// The key is still not in its place.
    Key,
}

fn locked_page(request: &Request, awaited: &AwaitedKey, failed: Option<FailedTry>) -> Response {
    let page = in_language_of(request, || {
        let body = html! {
            div.page {
                header.top { h1.brand { (words::APP_NAME) } }
                main.pair {
                    @match awaited {
                        AwaitedKey::Passphrase => (passphrase_form(failed)),
                        AwaitedKey::Key { file, has_sheet } => (key_away(file.as_deref(), *has_sheet, failed)),
                    }
                }
            }
        };
        shell::page(words::LOCKED_TITLE_PAGE.say(), None, None, &body)
    });
    let status = failed.map_or(StatusCode::SERVICE_UNAVAILABLE, |_| StatusCode::FORBIDDEN);
    let mut response = with_security_headers((status, page).into_response());
    // Without it a browser sends the form from the origin "null", which is nobody's.
    response
        .headers_mut()
        .insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn passphrase_form(failed: Option<FailedTry>) -> Markup {
    html! {
        h2 { (words::LOCKED_TITLE) }
        p { (words::LOCKED_SAYS) }
        @if failed.is_some() { p role="alert" { (words::LOCKED_WRONG) } }
        form method="post" action="/unlock" {
            label { (words::LOCKED_PASSPHRASE)
                input name="passphrase" type="password" required autocomplete="current-password" autofocus;
            }
            button.main type="submit" { (words::LOCKED_OPEN) }
        }
        p.code { "WEB-031" }
    }
}

/// Where the key is kept, what brings it back, and the other way in.
fn key_away(file: Option<&str>, has_sheet: bool, failed: Option<FailedTry>) -> Markup {
    html! {
        h2 { (words::KEY_AWAY_TITLE) }
        @match file {
            Some(file) => {
                p { (words::KEY_AWAY_FILE) }
                p.code dir="auto" { (file) }
                p { (words::KEY_AWAY_FILE_REMEDY) }
            },
            None => {
                p { (words::KEY_AWAY_KEYRING) }
                p { (words::KEY_AWAY_KEYRING_REMEDY) }
            },
        }
        @match failed {
            None => {},
            Some(FailedTry::Key) => p role="alert" { (words::KEY_AWAY_STILL) },
            Some(FailedTry::Words) => p role="alert" { (words::KEY_AWAY_WRONG_CODE) },
        }
        form method="post" action="/unlock" {
            button.main type="submit" { (words::KEY_AWAY_AGAIN) }
        }
        @if has_sheet {
            p { (words::KEY_AWAY_SHEET) }
            form method="post" action="/unlock" {
                label { (words::KEY_AWAY_CODE)
                    input name="passphrase" type="text" required autocomplete="off" autocapitalize="characters" spellcheck="false";
                }
                button.side type="submit" { (words::LOCKED_OPEN) }
            }
        } @else {
            p { (words::KEY_AWAY_NO_SHEET) }
        }
        p.code { "STORE-013" }
    }
}

/// Leads to pages under another name: a form may not be redirected there.
fn way_on(request: &Request, address: &str) -> Response {
    let Ok(refresh) = HeaderValue::try_from(format!("0; url={address}")) else {
        return with_security_headers(WebError::Backend(BackendError::Store).into_response());
    };
    let page = in_language_of(request, || {
        let body = html! {
            div.page {
                header.top { h1.brand { (words::APP_NAME) } }
                main.pair {
                    h2 { (words::LOCKED_OPENED) }
                    p { a href=(address) { (words::LOCKED_GO_ON) } }
                }
            }
        };
        shell::page(words::LOCKED_OPENED.say(), None, None, &body)
    });
    with_security_headers(([(header::REFRESH, refresh)], page).into_response())
}

/// In the browser's language: the owner's choice is not known here.
fn in_language_of<T>(request: &Request, page: impl FnOnce() -> T) -> T {
    let asked = accept_language(request).and_then(Language::of_accept_language);
    locale::speaking(asked.unwrap_or_default(), page)
}

/// `POST /unlock`: a form, so that it needs no script.
async fn try_unlock(State(state): State<Arc<LockedState>>, request: Request) -> Response {
    if let Err(refusal) = state.hosts.admit(&request) {
        return with_security_headers(refusal.into_response());
    }
    if let Err(wait) = state.limits.take(None, Some(SeldomAct::Pairing), Instant::now()) {
        return with_security_headers(WebError::TooOften(wait.as_secs() + 1).into_response());
    }
    let (parts, body) = request.into_parts();
    let typed = match to_bytes(body, FORM_BYTES_MAX).await {
        Ok(bytes) => passphrase_of(&bytes),
        Err(_) => None,
    };
    let awaited = state.unlock.awaited();
    let failed = match &typed {
        None if awaited != AwaitedKey::Passphrase => FailedTry::Key,
        Some(_) | None => FailedTry::Words,
    };
    let opened = match typed {
        None if awaited == AwaitedKey::Passphrase => Ok(UnlockReply::Wrong),
        words => state.unlock.unlock(words).await,
    };
    let request = Request::from_parts(parts, Body::empty());
    match opened {
        Ok(UnlockReply::Here) => with_security_headers(Redirect::to("/").into_response()),
        Ok(UnlockReply::At(address)) => way_on(&request, &address),
        Ok(UnlockReply::Wrong) => locked_page(&request, &awaited, Some(failed)),
        Err(error) => with_security_headers(WebError::Backend(error).into_response()),
    }
}

/// Of a form as browsers send it.
fn passphrase_of(form: &[u8]) -> Option<BackupPassphrase> {
    let form = std::str::from_utf8(form).ok()?;
    let typed = form
        .split('&')
        .find_map(|field| field.strip_prefix("passphrase="))?
        .replace('+', " ");
    let decoded = percent_decode_str(&typed).decode_utf8().ok()?;
    (!decoded.is_empty()).then(|| BackupPassphrase(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passphrase_comes_out_of_a_form_as_it_was_typed() {
        for (form, typed) in [
            ("passphrase=correct+horse", Some("correct horse")),
            ("x=1&passphrase=a%2Bb%26c%C3%A9&y=2", Some("a+b&cé")),
            ("passphrase=", None),
            ("passphrase=%FF", None),
            ("words=a", None),
        ] {
            let found = passphrase_of(form.as_bytes()).map(|words| words.0);
            assert_eq!(found.as_deref(), typed, "{form}");
        }
    }
}
