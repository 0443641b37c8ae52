//! The description of the API for programs.
//!
//! What: `docs/openapi.json`, served as it stands. Why: whoever writes a sender finds requests, replies and limits where the service is.
//! Not here: writing it: it is written by hand, and the tests hold it against every route and every reply.

use axum::{http::header, response::IntoResponse};

/// The document.
pub const API_DOCUMENT: &str = include_str!("../../../docs/openapi.json");

/// `GET /v1/openapi.json`
pub(super) async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], API_DOCUMENT)
}
