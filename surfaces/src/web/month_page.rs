//! What other settings would have changed: the last 30 days, decided once more.
//!
//! What: the page, and its answer as a fragment. Why: how often Aura speaks is judged by days that were, and put into force where it is tried. Not here:
//! deciding again (the backend, with the code of `aura replay --what-if`), what was learned (`learned`), rules (`owner`).

use super::{
    api::JsonBody,
    error::WebError,
    home_fields_page::shown_or_why,
    settings_page::behaviour,
    shell::{self, AppSection},
    state::AppState,
};
use crate::{
    backend::{
        console::WhatIfReport,
        settings::{HomeFileChange, HomeFileView},
    },
    format, words,
};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use std::sync::Arc;

/// Differences that are listed, the newest.
const LISTED_MAX: usize = 20;

/// `GET /month`
pub(super) async fn month(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.home_file().await?;
    let learned = app.backend.learned().await;
    let body = html! {
        div.page {
            header.top {
                h1.brand { a href="/" { (words::APP_NAME) } }
                nav aria-label=(words::OTHER_VIEWS) { a href="/settings" { (words::SETTINGS) } a href="/" { (words::BACK) } }
            }
            main #live {
                section.block #learned aria-labelledby="learned-title" {
                    h2 #learned-title { (words::LEARNED) }
                    p.says {
                        @match &learned {
                            None => (words::LEARNED_NOT_READ),
                            Some(list) if list.rows.is_empty() => (words::NOTHING_LEARNED),
                            Some(list) => (words::learned_from(list.labels)),
                        }
                    }
                    p.more { a href="/chats#learned" { (words::MONTH_LEARNED_WAY) } }
                }
                @match &view {
                    Some(view) => (trial(view)),
                    // In the demo household there is no file to change.
                    None => section.block #month { p.says { (words::MONTH_NO_FILE) } },
                }
            }
            p #status .status role="status" {}
            dialog #drawer aria-labelledby="drawer-title" {}
        }
    };
    let token = Some(app.door.keys.page());
    Ok(shell::page_below(
        (AppSection::Settings, ""),
        words::MONTH,
        Some("none"),
        token,
        &body,
    ))
}

/// The settings that say when and how often Aura speaks, to be tried and then saved.
fn trial(view: &HomeFileView) -> Markup {
    html! {
        section.block #month aria-labelledby="month-title" {
            h2 #month-title { (words::MONTH) }
            p.says { (words::MONTH_SAYS) }
            form.settings data-settings data-shown=(view.shown) {
                (behaviour(&view.values))
                p.buttons {
                    button.main type="button" data-preview="month-tried" data-path="/form/month/try" { (words::MONTH_TRY) }
                    button.plain type="submit" { (words::MONTH_USE) }
                }
                div #month-tried aria-live="polite" {}
            }
        }
    }
}

/// `POST /form/month/try`: changes nothing.
pub(super) async fn try_change(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let change: HomeFileChange = body?.read()?;
    let settings = HomeFileChange {
        shown: change.shown.clone(),
        ceiling: change.ceiling,
        brief_time: change.brief_time.clone(),
        quiet: change.quiet.clone(),
        ..HomeFileChange::default()
    };
    // When and how often it speaks is tried, and nothing else.
    if settings != change || !change.is_bounded() {
        return Err(WebError::BadBody);
    }
    let tried = shown_or_why(app.backend.try_home(change).await?)?;
    Ok(Html(tried.map_or_else(Markup::into_string, |report| {
        report_markup(&report).into_string()
    })))
}

fn report_markup(WhatIfReport { at, zone, answer }: &WhatIfReport) -> Markup {
    let zone = format::zone(zone);
    let days = answer.days.len();
    let differences = answer.days.iter().flat_map(|day| &day.differences);
    let newest: Vec<_> = differences.rev().take(LISTED_MAX).collect();
    html! {
        @if days == 0 { p.none { (words::MONTH_NO_DAY) } }
        @else { p.says { strong { (words::month_sums(days, answer.recorded, answer.what_if)) } } }
        @if answer.cut { p.flag { (words::MONTH_CUT) } }
        @if days > 0 && newest.is_empty() { p.none { (words::MONTH_SAME) } }
        @else {
            ul.rows {
                @for difference in &newest {
                    li {
                        p.head {
                            span.what { (words::action(difference.kind)) }
                            span.value { time { (format::clock_on(difference.at, *at, zone)) } }
                        }
                        p.note {
                            (words::would_have(difference.change))
                            @if let Some(to) = difference.moved_to { " " time { (format::clock_on(to, *at, zone)) } }
                            "."
                        }
                    }
                }
            }
        }
    }
}
