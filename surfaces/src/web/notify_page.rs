//! Trying the ways to the owner beside the page.
//!
//! What: the section with a button for each, and the handler behind them. Why: that something arrives is known by having it arrive. Not here: doing it (the
//! backend).

use super::{
    api::JsonBody, error::WebError, settings_page::may_add, state::AppState, web_push_page::this_browser,
};
use axum::{extract::State, http::HeaderMap, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::notify::{NotifyChannel, NotifyOutcome},
    words,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrialBody {
    channel: NotifyChannel,
}

/// `POST /form/notify/try`: it starts a program or opens an address, so only the owner's own browser may. Each browser may try itself: its address was
/// accepted.
pub(super) async fn try_channel(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let TrialBody { channel } = body?.read()?;
    if channel == NotifyChannel::Browser {
        let outcome = app.backend.try_web_push(this_browser()?).await?;
        return Ok(Html(outcome_line(channel, &outcome).into_string()));
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let outcome = app.backend.try_channel(channel).await?;
    Ok(Html(outcome_line(channel, &outcome).into_string()))
}

fn outcome_line(channel: NotifyChannel, outcome: &NotifyOutcome) -> Markup {
    html! {
        p.says { (words::notify_outcome(channel, outcome)) }
        @if channel == NotifyChannel::Watch && *outcome != NotifyOutcome::Sent { p { a href="/watch" { (words::WATCH_TITLE) } } }
    }
}

/// The section of the page Settings.
pub(super) fn section(may_add: bool) -> Markup {
    html! {
        section.block #notify aria-labelledby="notify-title" {
            h2 #notify-title { (words::NOTIFY) }
            ul.rows {
                @for channel in NotifyChannel::LISTED {
                    li {
                        p.head { span.what { (words::notify_channel(channel)) } }
                        p.note { (words::notify_means(channel)) }
                        @if may_add { (try_form(channel)) }
                    }
                }
            }
            @if !may_add { p.note { (words::NOTIFY_NOT_HERE) } }
        }
    }
}

/// The button that tries one, and the place where it says what came of it.
pub(super) fn try_form(channel: NotifyChannel) -> Markup {
    html! {
        form data-post="/form/notify/try" data-into={ "notify-" (channel.as_str()) } {
            input type="hidden" name="channel" value=(channel.as_str());
            button.plain type="submit" aria-label=(words::notify_try(channel)) { (words::NOTIFY_TRY) }
        }
        div id={ "notify-" (channel.as_str()) } aria-live="polite" {}
    }
}
