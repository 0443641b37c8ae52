//! The operator's view of what was refused.
//!
//! What: the page `/quarantine`. Why: why a call did not run can be seen without a terminal. Not here: filters, statistics,
//! replaying and purging (`aura quarantine`), the files (`aura-memory`).

use super::{App, error::Refusal, pages::page};
use crate::{
    backend::{REFUSED_MAX, Refused},
    format,
    visible::visible,
    words,
};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use std::sync::Arc;

/// `GET /quarantine`: calls and results, newest first.
pub(super) async fn quarantine(State(app): State<Arc<App>>) -> Result<Html<String>, Refusal> {
    let refused = app.backend.refused(REFUSED_MAX).await?;
    let now = app.backend.now().await?;
    let zone = format::zone(&now.zone);
    let body = html! {
        div.page {
            header.top {
                h1.brand { "Aura" }
                nav aria-label="Other views" { a href="/" { "Now" } }
            }
            main {
                h2 { (words::REFUSED_TITLE) }
                p { (words::refused_count(refused.len() == REFUSED_MAX, refused.len())) }
                ol.refused {
                    @for entry in &refused {
                        li {
                            p.head {
                                time { (format::clock_on(entry.at, now.at, zone)) }
                                span.what { (what(entry)) }
                                span.code { (visible(&entry.code)) }
                            }
                            p { (visible(&entry.message)) }
                            @if !entry.raw.is_empty() { (kept(entry)) }
                        }
                    }
                }
            }
        }
    };
    Ok(page("Aura: refused", None, None, &body))
}

/// `comms.mute_channel`, as far as known, or the program that said it.
fn what(entry: &Refused) -> String {
    if let Some(program) = &entry.program {
        return visible(program).into_owned();
    }
    let agent = entry.agent.map_or("?", |agent| agent.as_str());
    format!("{agent}.{}", visible(entry.tool.as_deref().unwrap_or("?")))
}

/// What is kept of it, and where it was wrong.
fn kept(entry: &Refused) -> Markup {
    html! {
        details {
            summary { (words::refused_bytes(entry.bytes, entry.base64)) }
            dl.facts {
                div { dt { "Place" } dd { code { (place(&entry.pointer)) } } }
                div { dt { "SHA-256" } dd { code { (visible(&entry.sha256)) } } }
                @if let Some(id) = &entry.trace_id {
                    div { dt { "Decision" } dd { a href={ "/trace/" (id) } { (id) } } }
                }
            }
            pre { (visible(&entry.raw)) }
        }
    }
}

/// The empty pointer is the whole document.
fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        words::WHOLE_DOCUMENT.to_owned()
    } else {
        visible(pointer).into_owned()
    }
}
