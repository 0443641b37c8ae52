//! The owner's body over 7, 30 or 90 days.
//!
//! What: heart-rate variability, sleep and load of each day as memory keeps them, with what is usual. Why: a week does not show where it goes. Not here: the score and what
//! drives it (`sections::body`), pictures (`render::picture`).

use super::{
    error::WebError,
    figure::figure,
    shell::{self, AppSection},
    state::AppState,
};
use crate::{
    format,
    render::{
        baseline::{self, BASELINE_DAYS},
        picture,
    },
    words,
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use maud::html;
use serde::Deserialize;
use std::sync::Arc;

/// How many days can be looked at.
const DAYS: [u64; 3] = [7, 30, 90];

/// The script adds the number of its stream.
#[derive(Deserialize)]
pub(super) struct DaysQuery {
    #[serde(default = "month")]
    days: u64,
}

fn month() -> u64 {
    30
}

/// `GET /body/days?days=`
pub(super) async fn days(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<DaysQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(DaysQuery { days }) = asked.map_err(|_| WebError::BadBody)?;
    if !DAYS.contains(&days) {
        return Err(WebError::BadBody);
    }
    let week = app.backend.week().await?;
    let zone = format::zone(&week.zone);
    // What is usual is of the longest time, whatever is looked at.
    let back = i64::try_from(days.max(BASELINE_DAYS))
        .unwrap_or(i64::MAX)
        .saturating_mul(24 * 60);
    let kept = app.backend.body_since(week.at.plus_min(-back)).await?;
    let pictures = picture::body_days(&kept, &week.traces, week.at, days, zone);
    let signs = baseline::out_of_range(&kept, zone);
    let address = |days: u64| format!("/body/days?days={days}");
    let body = html! {
        div.page {
            header.top {
                h1.brand { a href="/" { (words::APP_NAME) } }
            }
            p #status .status role="status" {}
            main #live data-fragment=(address(days)) {
                section.block #period data-region aria-labelledby="period-title" {
                    h2 #period-title { (words::BODY_DAYS) }
                    nav.periods aria-label=(words::BODY_DAYS_WHICH) {
                        @for one in DAYS {
                            a href=(address(one)) aria-current=[(one == days).then_some("page")] { (words::days(one)) }
                        }
                    }
                    @if let Some((day, signs)) = &signs { p.says { (baseline::signs_say(*day, signs)) } }
                    div #pictures .week { @for picture in &pictures { (figure(picture)) } }
                    p.note { (words::BASELINE_SAYS) }
                    p.more { a href="/body" { (words::WHAT_DROVE_LOAD) } }
                }
            }
            dialog #drawer aria-labelledby="drawer-title" {}
        }
    };
    Ok(shell::page_below(
        (AppSection::Body, "/body/days"),
        words::BODY_DAYS,
        Some("app"),
        Some(app.door.keys.page()),
        &body,
    ))
}
