//! Statements that are left out until their owner answers what they do not say, told where money is counted.
//!
//! What: [`notice`], for Money and *Safe to spend*; [`asked_in`], for the row of a source. Why: a sum that leaves a file out says so, and leads to the answer. Not here: the questions
//! (`source_look_page`), the row of the source (`settings_page`).

use super::{error::WebError, state::AppState};
use maud::{Markup, html};
use std::collections::BTreeMap;
use surfaces_base::{
    backend::settings::{AskedStatement, ReadingView, SourceState, SourceView},
    words,
};
use toolcall_schema::{AgentName, SourceKind};

/// Files that are named.
const NAMED_MAX: usize = 3;

/// The statements of a source that are left out until their owner answers.
pub(super) fn asked_in<'a>(
    source: &SourceView,
    read: &'a BTreeMap<AgentName, ReadingView>,
) -> Vec<&'a AskedStatement> {
    let is_read = source.source.list == SourceKind::Finance && source.state == SourceState::There;
    let read = read.get(&AgentName::Finance).filter(|_| is_read);
    let asked = read.map_or(&[][..], |read| read.asked.as_slice());
    asked
        .iter()
        .filter(|one| one.source == source.source.path)
        .collect()
}

/// A sentence for each, which leads to where it is answered; nothing where all is read.
pub(super) async fn notice(app: &AppState) -> Result<Markup, WebError> {
    let reading = app.backend.reading().await?;
    let asked: &[AskedStatement] = reading.get(&AgentName::Finance).map_or(&[], |read| &read.asked);
    let more = asked.len().saturating_sub(NAMED_MAX);
    Ok(html! {
        @for one in asked.iter().take(NAMED_MAX) {
            p.flag dir="auto" { a href="/settings#asked" { (words::statement_waits(&one.name)) } }
        }
        @if more > 0 { p.note { (words::folder_more(more)) } }
    })
}

/// The same as a block of a page.
pub(super) async fn block(app: &AppState) -> Result<Markup, WebError> {
    let notice = notice(app).await?;
    Ok(html! {
        section.block #asked-statements data-region hidden[notice.0.is_empty()] aria-label=(words::STATEMENTS_WAIT) { (notice) }
    })
}
