//! `/ops/ledger`: the attention of one day, entry by entry.
//!
//! What: the account, whether it adds up, and its rows. Why: three interruptions a day is a promise, and here is its book. Not here: the
//! rules of the account (`orchestrator-machine`).

use super::{LiveUpdates, field, framed, table};
use crate::web::{error::WebError, state::AppState};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeSet, sync::Arc};
use surfaces_base::{backend::console::LedgerDayRow, format, words::console as say};
use toolcall_schema::ids::TraceId;

/// The day in the address; empty is the newest.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LedgerQuery {
    day: String,
}

/// `GET /ops/ledger?day=`
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<LedgerQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(LedgerQuery { day }) = asked.map_err(|_| WebError::BadBody)?;
    let book = app.backend.book(field(&day, |text| text.parse().ok())?).await?;
    let zone = format::zone(&book.zone);
    let mut seen = BTreeSet::new();
    let rows: Vec<Vec<Markup>> = book
        .rows
        .iter()
        .map(|entry| {
            // The first entry of a trace is where its page leads to.
            let first = entry.trace_id.as_ref().filter(|id| seen.insert(*id));
            row(entry, first, zone)
        })
        .collect();
    let markup = html! {
        form.filter method="get" action="/ops/ledger" {
            label { (say::DAY) input type="date" name="day" value=(book.day); }
            button.side type="submit" { (say::FILTER) }
        }
        @match &book.account {
            Some(account) => {
                p { strong { (say::tokens(account)) } }
                p { (say::conserved(account)) }
            },
            None => { p { (say::BOOK_NO_CEILING) } },
        }
        @if rows.is_empty() { p.none { (say::BOOK_EMPTY) } }
        @else { (table(None, &say::BOOK_COLUMNS, &rows)) }
    };
    Ok(framed(&app, say::LEDGER.say(), LiveUpdates::No, &markup))
}

fn row(entry: &LedgerDayRow, first: Option<&TraceId>, zone: Tz) -> Vec<Markup> {
    vec![
        html! { time id=[first] { (format::clock_s(entry.at, zone)) } },
        html! { (say::entry(entry.entry)) },
        html! { (entry.tokens) },
        html! { @if let Some(free) = entry.free { (free) } @else { (say::NONE) } },
        html! {
            @if let Some(id) = &entry.trace_id { a href={ "/ops/traces/" (id) } { (id) } }
            @else { (say::NONE) }
        },
    ]
}
