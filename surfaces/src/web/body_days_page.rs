//! The owner's body over 7, 30 or 90 days.
//!
//! What: heart-rate variability, the rate at rest, sleep and load of each day as memory keeps them, with what is usual. Why: a week does not show where it goes. Not here: the score and what
//! drives it (`sections::body`), pictures (`render::picture`).

use super::{
    api::JsonBody,
    error::WebError,
    figure::figure,
    shell::{AppSection, BelowFrame, chart_panes, way_to},
    source_remedy::skipped_items,
    state::AppState,
    unfed,
};
use crate::render::{baseline, picture};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{backend::owner::DayTag, format, words};
use toolcall_schema::{AgentName, tick::SkippedItem};

/// How many days can be looked at.
const DAYS: [u64; 3] = [7, 30, 90];

/// The code of a value that no body has (`docs/errors`), such as a night of 30 hours.
const NOT_BELIEVABLE: &str = "AGENT-201";

/// Days before this year are nobody's.
const YEAR_MIN: i32 = 1900;

/// The script adds the number of its stream.
#[derive(Deserialize)]
pub(super) struct DaysQuery {
    #[serde(default = "month")]
    days: u64,
}

fn month() -> u64 {
    30
}

/// What the form sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TagForm {
    day: NaiveDate,
    /// Empty: the mark goes.
    tag: String,
}

/// `POST /form/body/tag`
pub(super) async fn tag(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let TagForm { day, tag } = body?.read()?;
    let now = app.backend.now().await?;
    let today = format::local_date(now.at, format::zone(&now.zone));
    let known = DayTag::ALL.into_iter().find(|known| known.as_str() == tag);
    // Nobody knows of a day to come how it was.
    if (known.is_none() && !tag.is_empty()) || day > today || day.year() < YEAR_MIN {
        return Err(WebError::BadBody);
    }
    app.backend.tag_day(day, known).await?;
    let says = words::day_marked(&format::date_near(day, today), known.map(DayTag::as_str));
    Ok(Html(html! { p.says { (says) } }.into_string()))
}

/// The form that marks a day.
fn mark_form(today: NaiveDate) -> Markup {
    html! {
        section.block #mark aria-labelledby="mark-title" {
            h2 #mark-title { (words::MARK_A_DAY) }
            form.settings data-post="/form/body/tag" data-into="marked" {
                label { (words::MARK_DAY) input type="date" name="day" required max=(today) value=(today); }
                label { (words::MARK_WHY)
                    select name="tag" {
                        @for tag in DayTag::ALL { option value=(tag.as_str()) { (words::day_tag(tag.as_str())) } }
                        option value="" { (words::AS_USUAL) }
                    }
                }
                p.note { (words::MARK_A_DAY_SAYS) }
                p.buttons { button.main type="submit" { (words::MARK_THE_DAY) } }
            }
            div #marked aria-live="polite" {}
        }
    }
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
    let kept = app
        .backend
        .body_since(baseline::baseline_start(week.at, days))
        .await?;
    let pictures = picture::body_days(&kept, &week.traces, week.at, days, zone);
    let signs = baseline::out_of_range(&kept, zone);
    let reading = app.backend.reading().await?;
    let left_out = reading
        .get(&AgentName::Wellness)
        .map_or(&[][..], |read| read.skips.as_slice());
    let left_out: Vec<&SkippedItem> = left_out
        .iter()
        .filter(|skip| skip.code == NOT_BELIEVABLE)
        .collect();
    let address = |days: u64| format!("/body/days?days={days}");
    let main = html! {
        (unfed::block(&app, AgentName::Wellness).await?)
        section.block #period data-region aria-label=(words::BODY_DAYS) {
            nav.periods aria-label=(words::BODY_DAYS_WHICH) {
                @for one in DAYS {
                    a href=(address(one)) aria-current=[(one == days).then_some("page")] { (words::days(one)) }
                }
            }
            @if let Some((day, signs)) = &signs { p.says { (baseline::signs_say(*day, signs)) } }
            div #pictures .week { @for picture in &pictures { (figure(picture)) } }
            p.note { (words::BASELINE_SAYS) }
            @if !left_out.is_empty() {
                h3 { (words::NOT_BELIEVABLE) }
                p.note { (words::NOT_BELIEVABLE_SAYS) }
                div.note { (skipped_items(&left_out, false)) }
            }
        }
    };
    let beside = html! {
        (mark_form(format::local_date(week.at, zone)))
        (way_to("/body", words::WHAT_DROVE_LOAD.say()))
    };
    let read_anew = address(days);
    let frame = BelowFrame {
        surface: "app",
        fragment: Some(&read_anew),
        ..BelowFrame::new(AppSection::Body, "/body/days", words::BODY_DAYS.say())
    };
    Ok(frame.page(&app, &chart_panes(&main, &beside)))
}
