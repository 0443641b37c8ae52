//! Where nothing is read: what would fill a page, and the way there.
//!
//! What: [`way_to_sources`], for the page Now and for each section of an agent. Why: an empty page that does not say why reads like a fault. Not here: allowing a
//! source (`settings_page`), the sentences (`words`).

use super::{
    error::WebError,
    icons::{EmptyDrawing, drawing},
    state::AppState,
};
use maud::{Markup, html};
use surfaces_base::{
    backend::{accounts::AccountView, settings::SourceState},
    words,
};
use toolcall_schema::{AgentName, SourceKind};

/// The sentence and the button, where no source of that agent's is read (`None`: of nobody's) and nothing came otherwise, as a phone posts it; else
/// nothing.
pub(super) async fn way_to_sources(app: &AppState, of: Option<AgentName>) -> Result<Markup, WebError> {
    let Some(view) = app.backend.home_file().await? else {
        return Ok(html! {});
    };
    // Contacts name people, and fill no page.
    let is_of =
        |list: SourceKind| list != SourceKind::Contacts && of.is_none_or(|agent| list.agent() == agent);
    let sources = view.sources.iter().filter(|source| is_of(source.source.list));
    let accounts = view.accounts.iter().filter(|account| is_of(account.kind.list()));
    let state_of = |account: &AccountView| {
        if account.is_paused {
            SourceState::Paused
        } else {
            SourceState::There
        }
    };
    let states: Vec<SourceState> = sources
        .map(|source| source.state)
        .chain(accounts.map(state_of))
        .collect();
    if states.iter().any(|state| *state != SourceState::Paused) {
        return Ok(html! {});
    }
    let (says, button) = if states.is_empty() {
        let reading = app.backend.reading().await?;
        let is_asked = |agent: &&AgentName| of.is_none_or(|of| of == **agent);
        let came = |agent: &AgentName| reading.get(agent).is_some_and(|read| read.items > 0);
        if AgentName::FOUR.iter().filter(is_asked).any(came) {
            return Ok(html! {});
        }
        (words::nothing_read(of), words::TO_SOURCES.say())
    } else {
        (words::ALL_PAUSED.say(), words::TO_PAUSED.say())
    };
    Ok(html! {
        p { (says) }
        p.buttons { a.main href="/settings#sources" { (button) } }
    })
}

/// That nothing of that agent's is read, where settings are only shown, as in a demo: nobody can allow a source there.
pub(super) async fn nothing_shown(app: &AppState, of: AgentName) -> Result<Markup, WebError> {
    let shown = app.backend.shown_home().await?;
    let is_empty = shown.is_some_and(|view| {
        let mut sources = view.sources.iter();
        view.accounts.is_empty() && !sources.any(|source| source.source.list.agent() == of)
    });
    Ok(html! { @if is_empty { p { (words::nothing_read(Some(of))) } } })
}

/// The same as a block at the top of a section.
pub(super) async fn block(app: &AppState, of: AgentName) -> Result<Markup, WebError> {
    Ok(block_of(&way_to_sources(app, Some(of)).await?))
}

/// A block of what [`way_to_sources`] says.
pub(super) fn block_of(way: &Markup) -> Markup {
    html! {
        section.block.unfed #unfed data-region hidden[way.0.is_empty()] aria-label=(words::NOTHING_READ) {
            @if !way.0.is_empty() { (drawing(EmptyDrawing::Sheet)) }
            (way)
        }
    }
}
