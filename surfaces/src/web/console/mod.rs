//! The operator's console: `/ops` and the pages under it.
//!
//! What: its frame and navigation, its routes, and small pieces that its pages share. Why: whoever is called when something is wrong
//! finds everything in one place, and can break nothing. Not here: what is true (`surfaces_base::backend::console`), sentences (`words::console`).

mod compare;
mod decisions;
mod ledger;
mod machine;
mod overview;
mod policy;
mod refused;
mod replay;
mod sparks;
mod tick;
mod what_if;

use super::{
    error::WebError,
    shell::{AppSection, BelowFrame},
    state::AppState,
};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    response::{Html, Redirect},
    routing::{get, post},
};
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{language::Text, words::console as say};

/// Every route of the console.
pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/ops", get(overview::page))
        .route("/ops/quarantine", get(refused::page))
        .route("/fragment/ops/quarantine/replay", post(refused::replay))
        .route(
            "/quarantine",
            get(|| async { Redirect::permanent("/ops/quarantine") }),
        )
        .route("/ops/traces", get(decisions::page))
        .route("/ops/traces/{id}", get(tick::page))
        .route("/ops/traces/{id}/replay", get(replay::page))
        .route("/ops/compare", get(compare::page))
        .route("/ops/machine", get(machine::page))
        .route("/ops/policy", get(policy::page))
        .route("/ops/what-if", get(what_if::page))
        .route(
            "/fragment/ops/what-if",
            post(what_if::ask).layer(DefaultBodyLimit::max(what_if::BODY_BYTES_MAX)),
        )
        .route(
            "/fragment/ops/policy",
            post(what_if::put).layer(DefaultBodyLimit::max(what_if::BODY_BYTES_MAX)),
        )
        .route("/ops/ledger", get(ledger::page))
}

/// The pages, in the order of the navigation: address and name.
const PLACES: [(&str, Text); 8] = [
    ("/ops", say::OVERVIEW),
    ("/ops/quarantine", say::QUARANTINE),
    ("/ops/traces", say::TRACES),
    ("/ops/machine", say::MACHINE),
    ("/ops/policy", say::POLICY),
    ("/ops/what-if", say::WHAT_IF),
    ("/ops/ledger", say::LEDGER),
    ("/workflows", say::WORKFLOWS),
];

/// Where every page of the console stands among the pages below *Settings*.
const CONSOLE_PART: &str = "/ops/";

/// Whether a page stays current by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiveUpdates {
    Yes,
    No,
}

/// A page of the console. `name`: as in the navigation.
fn framed(app: &AppState, name: &'static str, live: LiveUpdates, markup: &Markup) -> Html<String> {
    let content = html! {
        nav.periods aria-label=(say::CONSOLE_NAV) {
            @for (path, label) in PLACES {
                a href=(path) aria-current=[(label.say() == name).then_some("page")] { (label) }
            }
        }
        (markup)
    };
    let title = format!("{}, {name}", say::CONSOLE.say());
    let frame = BelowFrame {
        heading: name,
        surface: if live == LiveUpdates::Yes { "app" } else { "none" },
        layout: "ops",
        // The console is marked as what it belongs to, the page itself in the console's own bar.
        ..BelowFrame::new(AppSection::Settings, CONSOLE_PART, &title)
    };
    frame.page(app, &content)
}

/// A table whose rows become blocks on a narrow screen: each cell says its column.
fn table(caption: Option<&str>, columns: &[Text], rows: &[Vec<Markup>]) -> Markup {
    html! {
        table.listing {
            @if let Some(caption) = caption { caption { (caption) } }
            thead { tr { @for column in columns { th scope="col" { (column) } } } }
            tbody {
                @for row in rows {
                    tr {
                        @for (n, (column, cell)) in columns.iter().zip(row).enumerate() {
                            @if n == 0 { th scope="row" { (cell) } }
                            @else { td data-label=(column) { (cell) } }
                        }
                    }
                }
            }
        }
    }
}

/// Names and values.
fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl.facts { @for (name, value) in rows { div { dt { (name) } dd { (value) } } } }
    }
}

/// A choice of a closed vocabulary: nothing, or one of them.
fn choice(name: &str, label: &str, options: &[(&str, String)], chosen: Option<&str>) -> Markup {
    html! {
        label {
            (label)
            select name=(name) {
                option value="" { (say::ANY) }
                @for (value, text) in options {
                    option value=(value) selected[Some(*value) == chosen] { (text) }
                }
            }
        }
    }
}

/// A field of an address: empty is nothing, and what is no name of ours is refused.
pub(super) fn field<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, WebError> {
    if text.is_empty() {
        return Ok(None);
    }
    parse(text).map(Some).ok_or(WebError::BadBody)
}

/// The first digits of a hash; the whole on a longer look.
fn hash(hash: &str) -> Markup {
    html! { code title=(hash) { (hash.get(..12).unwrap_or(hash)) } }
}
