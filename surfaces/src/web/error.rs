//! The server's error responses.
//!
//! What: one code each, with its status and sentence. Why: a user-visible error has a code and a page in `docs/errors`.
//! Not here: the refusals of a confirmation (`CONFIRM-00n`, said by the backend).

use super::shell;
use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use maud::html;
use serde::Serialize;
use std::{io, net::SocketAddr, path::PathBuf};
use surfaces_base::language::text;
use surfaces_base::{
    backend::{
        BackendError, OwnerCallError, asks::AskRefusal, drafts::DraftRefusal, web_push::SubscriptionRefusal,
    },
    words,
};
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
    /// A Host that is not this owner's, on a port of several owners.
    Misdirected,
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
    /// What a program asked for and was not taken.
    Ask(AskRefusal),
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
pub const CODES: [&str; 45] = [
    "ASK-001",
    "ASK-002",
    "ASK-003",
    "ASK-004",
    "ASK-005",
    "ASK-006",
    "ASK-007",
    "ASK-008",
    "ASK-009",
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
    "WEB-030",
    "WEB-031",
    "WEB-032",
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
                text("refusal-parts-not-signed-in"),
            ),
            WebError::OutOfScope => (
                StatusCode::FORBIDDEN,
                "WEB-020",
                text("refusal-parts-this-device-may"),
            ),
            WebError::NotProven => (
                StatusCode::FORBIDDEN,
                "WEB-027",
                text("refusal-parts-only-the-browser"),
            ),
            WebError::FileChanged => (
                StatusCode::CONFLICT,
                "WEB-028",
                text("refusal-parts-your-settings-were"),
            ),
            WebError::Code => (
                StatusCode::FORBIDDEN,
                "WEB-021",
                text("refusal-parts-this-code-is"),
            ),
            WebError::TooManyDevices => (
                StatusCode::CONFLICT,
                "WEB-022",
                text("refusal-parts-64-devices-are"),
            ),
            WebError::Foreign => (
                StatusCode::FORBIDDEN,
                "WEB-004",
                text("refusal-parts-this-host-or"),
            ),
            WebError::Misdirected => (
                StatusCode::MISDIRECTED_REQUEST,
                "WEB-030",
                text("refusal-parts-this-connection-was"),
            ),
            WebError::TooOften(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "WEB-023",
                text("refusal-parts-too-many-requests"),
            ),
            WebError::NoPage => (
                StatusCode::FORBIDDEN,
                "WEB-005",
                text("refusal-parts-the-page-is"),
            ),
            WebError::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "WEB-006",
                text("refusal-parts-too-much-in"),
            ),
            WebError::NotJson => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "WEB-026",
                text("refusal-parts-the-body-is"),
            ),
            WebError::BadBody => (
                StatusCode::BAD_REQUEST,
                "WEB-007",
                text("refusal-parts-not-the-json"),
            ),
            WebError::NotFound => (
                StatusCode::NOT_FOUND,
                "WEB-008",
                text("refusal-parts-nothing-of-that"),
            ),
            WebError::Timeout => (
                StatusCode::GATEWAY_TIMEOUT,
                "WEB-009",
                text("refusal-parts-no-answer-within"),
            ),
            WebError::TooManyStreams => (
                StatusCode::SERVICE_UNAVAILABLE,
                "WEB-010",
                text("refusal-parts-32-pages-are"),
            ),
            WebError::Rule(error) => match error {
                RuleError::Senseless { what } => (StatusCode::BAD_REQUEST, error.code(), what),
                RuleError::TooMany => (
                    StatusCode::CONFLICT,
                    error.code(),
                    text("refusal-parts-64-rules-stand"),
                ),
                RuleError::Unknown => (
                    StatusCode::NOT_FOUND,
                    error.code(),
                    text("refusal-parts-there-is-no"),
                ),
            },
            WebError::Call(problem) => {
                let (status, sentence) = match problem {
                    OwnerCallError::NotAskable => {
                        (StatusCode::BAD_REQUEST, text("refusal-parts-this-cannot-be"))
                    }
                    OwnerCallError::OtherRequest => {
                        (StatusCode::CONFLICT, text("refusal-parts-this-idempotency-key"))
                    }
                    OwnerCallError::TooMany => {
                        (StatusCode::SERVICE_UNAVAILABLE, text("refusal-parts-too-much-is"))
                    }
                    OwnerCallError::Failed | OwnerCallError::NoAnswer => {
                        (StatusCode::BAD_GATEWAY, text("refusal-parts-it-could-not"))
                    }
                    OwnerCallError::NotMuted => (StatusCode::NOT_FOUND, text("refusal-parts-this-chat-is")),
                    OwnerCallError::NotPaused => (StatusCode::NOT_FOUND, text("refusal-parts-aura-is-not")),
                    OwnerCallError::UndoTooLate => (StatusCode::CONFLICT, text("refusal-parts-this-is-over")),
                    OwnerCallError::NothingToUndo => {
                        (StatusCode::CONFLICT, text("refusal-parts-this-cannot-be-2"))
                    }
                    OwnerCallError::NoRule(_) => (StatusCode::NOT_FOUND, text("refusal-parts-there-is-no")),
                };
                (status, problem.code(), sentence)
            }
            WebError::Subscription(refusal) => subscription_parts(refusal),
            WebError::Draft(refusal) => draft_parts(refusal),
            WebError::Ask(refusal) => ask_parts(refusal),
            WebError::NoQuestion => (
                StatusCode::CONFLICT,
                "WEB-013",
                text("refusal-parts-nobody-asks-that"),
            ),
            WebError::CatalogueChanged => (
                StatusCode::SERVICE_UNAVAILABLE,
                "CAT-001",
                text("refusal-parts-this-version-changed"),
            ),
            WebError::Backend(error) => match error {
                BackendError::Busy => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "WEB-011",
                    text("refusal-parts-aura-is-busy"),
                ),
                BackendError::Stopping => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "WEB-011",
                    text("refusal-parts-aura-is-stopping"),
                ),
                BackendError::Store => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "WEB-011",
                    text("refusal-parts-the-data-folder"),
                ),
            },
            WebError::Bug => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "WEB-012",
                text("refusal-parts-a-bug-in"),
            ),
        }
    }
}

/// Why a program was not heard.
fn ask_parts(refusal: AskRefusal) -> (StatusCode, &'static str, &'static str) {
    let (status, sentence) = match refusal {
        AskRefusal::NotAllowed => (StatusCode::FORBIDDEN, text("asks-refused-not-allowed")),
        AskRefusal::Arguments => (StatusCode::BAD_REQUEST, text("asks-refused-arguments")),
        AskRefusal::OtherRequest => (StatusCode::CONFLICT, text("asks-refused-other-request")),
        AskRefusal::TooMany => (StatusCode::TOO_MANY_REQUESTS, text("asks-refused-too-many")),
        AskRefusal::NoSuchAsk => (StatusCode::NOT_FOUND, text("asks-refused-no-such-ask")),
        AskRefusal::TooOften(_) => (StatusCode::TOO_MANY_REQUESTS, text("asks-refused-too-often")),
        AskRefusal::NotRecorded => (StatusCode::SERVICE_UNAVAILABLE, text("asks-refused-not-recorded")),
        AskRefusal::NoAnswer => (StatusCode::SERVICE_UNAVAILABLE, text("asks-refused-no-answer")),
        AskRefusal::NotKnown => (StatusCode::NOT_FOUND, text("asks-refused-not-known")),
    };
    (status, refusal.code(), sentence)
}

/// Why a draft is as it was.
fn draft_parts(refusal: DraftRefusal) -> (StatusCode, &'static str, &'static str) {
    match refusal {
        DraftRefusal::TooLong => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "DRAFT-001",
            text("refusal-draft-parts-a-draft-has"),
        ),
        DraftRefusal::Empty => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "DRAFT-002",
            text("refusal-draft-parts-an-empty-draft"),
        ),
        DraftRefusal::Changed => (
            StatusCode::CONFLICT,
            "DRAFT-003",
            text("refusal-draft-parts-this-draft-was"),
        ),
        DraftRefusal::Gone => (
            StatusCode::NOT_FOUND,
            "DRAFT-004",
            text("refusal-draft-parts-this-draft-was-2"),
        ),
    }
}

/// Why a browser is not told.
fn subscription_parts(refusal: SubscriptionRefusal) -> (StatusCode, &'static str, &'static str) {
    match refusal {
        SubscriptionRefusal::Address => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "PUSH-001",
            text("refusal-subscription-parts-this-browsers-push"),
        ),
        SubscriptionRefusal::Host => (
            StatusCode::FORBIDDEN,
            "PUSH-002",
            text("refusal-subscription-parts-this-browser-uses"),
        ),
        SubscriptionRefusal::Keys => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "PUSH-003",
            text("refusal-subscription-parts-this-browsers-keys"),
        ),
        SubscriptionRefusal::TooMany => (
            StatusCode::CONFLICT,
            "PUSH-004",
            text("refusal-subscription-parts-this-device-has"),
        ),
        SubscriptionRefusal::Elsewhere => (
            StatusCode::CONFLICT,
            "PUSH-005",
            text("refusal-subscription-parts-this-browser-gets"),
        ),
        SubscriptionRefusal::Off => (
            StatusCode::CONFLICT,
            "PUSH-006",
            text("refusal-subscription-parts-notifications-in-browsers"),
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
        if let WebError::TooOften(seconds) | WebError::Ask(AskRefusal::TooOften(seconds)) = self {
            let after = HeaderValue::from(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, after);
        }
        if self == WebError::SignedOut {
            let way = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, way);
        }
        if self == WebError::Misdirected {
            // The next one may be chosen anew: a proxy must not send another owner's requests here again.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
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
        WebError::NotFound => words::NO_SUCH_PAGE.say(),
        WebError::OutOfScope => words::PAGE_OUT_OF_SCOPE.say(),
        WebError::SignedOut
        | WebError::NotProven
        | WebError::FileChanged
        | WebError::Code
        | WebError::TooManyDevices
        | WebError::TooOften(_)
        | WebError::Foreign
        | WebError::Misdirected
        | WebError::NoPage
        | WebError::TooLarge
        | WebError::NotJson
        | WebError::BadBody
        | WebError::Timeout
        | WebError::TooManyStreams
        | WebError::Rule(_)
        | WebError::NoQuestion
        | WebError::Ask(_)
        | WebError::Draft(_)
        | WebError::Subscription(_)
        | WebError::CatalogueChanged
        | WebError::Backend(_)
        | WebError::Call(_)
        | WebError::Bug => words::PAGE_FAILED.say(),
    };
    let body = html! {
        div.page {
            header.top { h1.brand { a href="/" { (words::APP_NAME) } } }
            main.empty {
                h2 { (title) }
                p { (words::full_stop(capitalized(message).trim_end_matches('.'))) }
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
