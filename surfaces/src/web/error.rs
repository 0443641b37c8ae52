//! The server's error responses.
//!
//! What: one code each, with its status and sentence. Why: a user-visible error has a code and a page in `docs/errors`.
//! Not here: the refusals of a confirmation (`CONFIRM-00n`, said by the backend).

use super::shell;
use crate::{
    backend::{BackendError, OwnerCallError, drafts::DraftRefusal, web_push::SubscriptionRefusal},
    words,
};
use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use maud::html;
use serde::Serialize;
use std::{io, net::SocketAddr, path::PathBuf};
use toolcall_schema::rule::RuleError;

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another address than the loopback was asked for.
    #[error(
        "WEB-001: {address} is not a loopback address: name a certificate and its key in [web] of home.toml, or use a private network or a reverse proxy to reach Aura from a phone"
    )]
    NotLoopback {
        /// What was asked for.
        address: SocketAddr,
    },
    /// The port is in use.
    #[error(
        "WEB-002: port {} is in use: stop the program that has it (perhaps another aura), or choose another port", .address.port()
    )]
    Busy {
        /// What was asked for.
        address: SocketAddr,
    },
    /// Certificate or key of the listener beyond the loopback.
    #[error("WEB-024: {path} {what}: name the PEM files of `certificate` and `key` in [web] of home.toml")]
    Certificate {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The system refused for another reason.
    #[error("WEB-002: cannot listen on {address}")]
    Io {
        /// What was asked for.
        address: SocketAddr,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

/// An error response of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebError {
    /// Neither cookie nor bearer.
    SignedOut,
    /// A device whose scope does not cover it.
    OutOfScope,
    /// Not the pairing code that is open.
    Code,
    /// As many devices as there may be.
    TooManyDevices,
    /// Too often: in so many seconds again.
    TooOften(u64),
    /// A Host or Origin that is not ours.
    Foreign,
    /// A change without the page's token.
    NoPage,
    /// More than the limit.
    TooLarge,
    /// A body of another type than JSON.
    NotJson,
    /// Not the JSON that belongs here.
    BadBody,
    /// No such page, card, trace or method.
    NotFound,
    /// The handler took longer than the limit.
    Timeout,
    /// Too many open streams.
    TooManyStreams,
    /// A rule of the owner that cannot be taken.
    Rule(RuleError),
    /// Something that the owner asked for and that was not done.
    Call(OwnerCallError),
    /// A question that nobody asks, or not any more.
    NoQuestion,
    /// A draft that was not changed.
    Draft(DraftRefusal),
    /// A browser that is not told.
    Subscription(SubscriptionRefusal),
    /// Only the owner's own browser may, which was opened lately on this machine.
    NotProven,
    /// The owner's file is not what the page showed.
    FileChanged,
    /// The owner has to accept this build's tools first.
    CatalogueChanged,
    /// The backend did not answer.
    Backend(BackendError),
    /// A bug.
    Bug,
}

/// Every code of this crate, for the pages in `docs/errors`.
pub const CODES: [&str; 33] = [
    "DRAFT-001",
    "DRAFT-002",
    "DRAFT-003",
    "DRAFT-004",
    "PUSH-001",
    "PUSH-002",
    "PUSH-003",
    "PUSH-004",
    "PUSH-005",
    "PUSH-006",
    "WEB-001",
    "WEB-002",
    "WEB-003",
    "WEB-004",
    "WEB-005",
    "WEB-006",
    "WEB-007",
    "WEB-008",
    "WEB-009",
    "WEB-010",
    "WEB-011",
    "WEB-012",
    "WEB-013",
    "WEB-020",
    "WEB-021",
    "WEB-022",
    "WEB-023",
    "WEB-024",
    "WEB-025",
    "WEB-026",
    "WEB-027",
    "WEB-028",
    "WEB-029",
];

#[derive(Serialize)]
struct ErrorBody {
    code: &'static str,
    message: &'static str,
}

impl WebError {
    /// Status, code and sentence.
    pub fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            WebError::SignedOut => (
                StatusCode::UNAUTHORIZED,
                "WEB-003",
                "not signed in: pair this device at /pair, or send a device's token as a bearer",
            ),
            WebError::OutOfScope => (
                StatusCode::FORBIDDEN,
                "WEB-020",
                "this device may not do that: the page Devices shows what it may; to let it do more, revoke it there and pair it anew",
            ),
            WebError::NotProven => (
                StatusCode::FORBIDDEN,
                "WEB-027",
                "only the browser that Aura itself has opened on this computer within half an hour may allow something new: start Aura there once more",
            ),
            WebError::FileChanged => (
                StatusCode::CONFLICT,
                "WEB-028",
                "Your settings were changed elsewhere meanwhile. Beside each field stands what is there now; save again to keep what you entered.",
            ),
            WebError::Code => (
                StatusCode::FORBIDDEN,
                "WEB-021",
                "This code is wrong, used, or older than ten minutes. The page Devices, on the computer that Aura runs on, gives a new one.",
            ),
            WebError::TooManyDevices => (
                StatusCode::CONFLICT,
                "WEB-022",
                "64 devices are paired, which is the limit: revoke one first on the page Devices",
            ),
            WebError::Foreign => (
                StatusCode::FORBIDDEN,
                "WEB-004",
                "this host or origin is not Aura's own: use the address under which Aura opened its page",
            ),
            WebError::TooOften(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "WEB-023",
                "too many requests of this device, tries at a code, or changes of notifications: wait as `Retry-After` says",
            ),
            WebError::NoPage => (
                StatusCode::FORBIDDEN,
                "WEB-005",
                "the page is from an earlier start of Aura: load it again",
            ),
            WebError::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "WEB-006",
                "too much in one request: at most 256 signals and 256 KiB, a health export of 16 MiB, elsewhere 4 KiB",
            ),
            WebError::NotJson => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "WEB-026",
                "the body is not marked as JSON: send `Content-Type: application/json`",
            ),
            WebError::BadBody => (
                StatusCode::BAD_REQUEST,
                "WEB-007",
                "not the JSON or the parameters that belong here: see docs/surfaces.md",
            ),
            WebError::NotFound => (
                StatusCode::NOT_FOUND,
                "WEB-008",
                "nothing of that name: it may be older than what is kept, or the method may be wrong",
            ),
            WebError::Timeout => (
                StatusCode::GATEWAY_TIMEOUT,
                "WEB-009",
                "no answer within 10 s: try again",
            ),
            WebError::TooManyStreams => (
                StatusCode::SERVICE_UNAVAILABLE,
                "WEB-010",
                "32 pages are open already, or 8 of this device: close one",
            ),
            WebError::Rule(error) => match error {
                RuleError::Senseless { what } => (StatusCode::BAD_REQUEST, error.code(), what),
                RuleError::TooMany => (
                    StatusCode::CONFLICT,
                    error.code(),
                    "64 rules stand already, which is the limit: remove one first",
                ),
                RuleError::Unknown => (
                    StatusCode::NOT_FOUND,
                    error.code(),
                    "there is no rule of that name: load the page again",
                ),
            },
            WebError::Call(problem) => {
                let (status, sentence) = match problem {
                    OwnerCallError::NotAskable => (StatusCode::BAD_REQUEST, "this cannot be asked for"),
                    OwnerCallError::OtherRequest => (
                        StatusCode::CONFLICT,
                        "this idempotency key came before with something else: choose another one",
                    ),
                    OwnerCallError::TooMany => (
                        StatusCode::SERVICE_UNAVAILABLE,
                        "too much is being done already: try again in a few seconds",
                    ),
                    OwnerCallError::Failed => (
                        StatusCode::BAD_GATEWAY,
                        "it could not be done, or nobody knows whether it was: look at the newest decision",
                    ),
                    OwnerCallError::NotMuted => (
                        StatusCode::NOT_FOUND,
                        "this chat is not muted: load the page again",
                    ),
                    OwnerCallError::NotPaused => {
                        (StatusCode::NOT_FOUND, "Aura is not paused: load the page again")
                    }
                    OwnerCallError::UndoTooLate => (
                        StatusCode::CONFLICT,
                        "this is over already: there is nothing left to take back",
                    ),
                    OwnerCallError::NothingToUndo => (StatusCode::CONFLICT, "this cannot be taken back"),
                    OwnerCallError::NoRule(_) => (
                        StatusCode::NOT_FOUND,
                        "there is no rule of that name: load the page again",
                    ),
                };
                (status, problem.code(), sentence)
            }
            WebError::Subscription(refusal) => subscription_parts(refusal),
            WebError::Draft(refusal) => draft_parts(refusal),
            WebError::NoQuestion => (
                StatusCode::CONFLICT,
                "WEB-013",
                "nobody asks that any more: load the page again",
            ),
            WebError::CatalogueChanged => (
                StatusCode::SERVICE_UNAVAILABLE,
                "CAT-001",
                "this version changed tools that you used, and nothing runs until you accept that on Aura's page",
            ),
            WebError::Backend(error) => match error {
                BackendError::Busy => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "WEB-011",
                    "Aura is busy: try again in a moment",
                ),
                BackendError::Stopping => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "WEB-011",
                    "Aura is stopping: start it again",
                ),
                BackendError::Store => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "WEB-011",
                    "the data folder does not answer: the disk may be full, or gone",
                ),
            },
            WebError::Bug => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "WEB-012",
                "a bug in Aura: please report it with the log's last lines",
            ),
        }
    }
}

/// Why a draft is as it was.
fn draft_parts(refusal: DraftRefusal) -> (StatusCode, &'static str, &'static str) {
    match refusal {
        DraftRefusal::TooLong => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "DRAFT-001",
            "A draft has at most 16,384 bytes, which are about 16,000 letters. Nothing was saved: shorten it, or copy it into your mail program.",
        ),
        DraftRefusal::Empty => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "DRAFT-002",
            "An empty draft says nothing, so it was not saved. Discard the draft if you do not want it.",
        ),
        DraftRefusal::Changed => (
            StatusCode::CONFLICT,
            "DRAFT-003",
            "This draft was changed elsewhere meanwhile, and nothing was saved. Below it stands what is there now; save again to keep what you wrote.",
        ),
        DraftRefusal::Gone => (
            StatusCode::NOT_FOUND,
            "DRAFT-004",
            "This draft was discarded or forgotten meanwhile. Copy what you wrote if you still need it.",
        ),
    }
}

/// Why a browser is not told.
fn subscription_parts(refusal: SubscriptionRefusal) -> (StatusCode, &'static str, &'static str) {
    match refusal {
        SubscriptionRefusal::Address => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "PUSH-001",
            "This browser's push service has an address that I do not open. It must be https, a name of the public net, and at most 2,048 letters long.",
        ),
        SubscriptionRefusal::Host => (
            StatusCode::FORBIDDEN,
            "PUSH-002",
            "This browser uses a push service that you have not accepted. Accept it in the browser that Aura itself has opened on its computer, then turn notifications on here.",
        ),
        SubscriptionRefusal::Keys => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "PUSH-003",
            "This browser's keys for notifications cannot be used. Turn notifications off and on again in it.",
        ),
        SubscriptionRefusal::TooMany => (
            StatusCode::CONFLICT,
            "PUSH-004",
            "This device has three entries already, which is the limit. Turn one off first.",
        ),
        SubscriptionRefusal::Elsewhere => (
            StatusCode::CONFLICT,
            "PUSH-005",
            "This browser gets notifications under another device's name. Turn that entry off first.",
        ),
        SubscriptionRefusal::Off => (
            StatusCode::CONFLICT,
            "PUSH-006",
            "Notifications in browsers are off: accept a push service first.",
        ),
    }
}

impl From<BackendError> for WebError {
    fn from(error: BackendError) -> Self {
        WebError::Backend(error)
    }
}

impl IntoResponse for WebError {
    fn into_response(self) -> Response {
        let (status, code, message) = self.parts();
        let mut response = (status, Json(ErrorBody { code, message })).into_response();
        if let WebError::TooOften(seconds) = self {
            let after = HeaderValue::from(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, after);
        }
        // For a person at a browser the guard makes a page of it.
        response.extensions_mut().insert(self);
        response
    }
}

/// The same refusal as a page, for a person at a browser: what happened, and the way back.
pub(super) fn error_page(refused: Response) -> Response {
    let Some(refusal) = refused.extensions().get::<WebError>().copied() else {
        return refused;
    };
    let (_, code, message) = refusal.parts();
    let title = match refusal {
        WebError::NotFound => words::NO_SUCH_PAGE,
        WebError::OutOfScope => words::PAGE_OUT_OF_SCOPE,
        WebError::SignedOut
        | WebError::NotProven
        | WebError::FileChanged
        | WebError::Code
        | WebError::TooManyDevices
        | WebError::TooOften(_)
        | WebError::Foreign
        | WebError::NoPage
        | WebError::TooLarge
        | WebError::NotJson
        | WebError::BadBody
        | WebError::Timeout
        | WebError::TooManyStreams
        | WebError::Rule(_)
        | WebError::NoQuestion
        | WebError::Draft(_)
        | WebError::Subscription(_)
        | WebError::CatalogueChanged
        | WebError::Backend(_)
        | WebError::Call(_)
        | WebError::Bug => words::PAGE_FAILED,
    };
    let body = html! {
        div.page {
            header.top { h1.brand { a href="/" { (words::APP_NAME) } } }
            main.empty {
                h2 { (title) }
                p { (capitalized(message)) "." }
                p { a href="/" { (words::TO_THE_START) } }
                p.code { (code) }
            }
        }
    };
    let mut response = (refused.status(), shell::page(title, None, None, &body)).into_response();
    for (name, value) in refused.headers() {
        // Those of the JSON body stay with it.
        if !response.headers().contains_key(name) && *name != header::CONTENT_LENGTH {
            response.headers_mut().insert(name.clone(), value.clone());
        }
    }
    response
}

fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
