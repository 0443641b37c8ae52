//! The frame of a page about a day, a week or a month.
//!
//! What: [`PeriodQuery`], what its address says, and [`period_page`], its heading with the links to other days. Why: agenda and spending turn pages alike. Not
//! here: what stands on them.

use super::{
    error::WebError,
    shell::{self, AppSection, BelowFrame},
    state::AppState,
};
use crate::render::section::period::Period;
use axum::{
    extract::{Query, rejection::QueryRejection},
    response::Html,
};
use chrono::{Datelike, NaiveDate};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use surfaces_base::{backend::owner::OwnerStatus, format, words};

/// Years that can be looked at.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;

/// Which days, as the address says; without a day it is today's. The script adds the number of its stream.
#[derive(Deserialize)]
pub(super) struct PeriodQuery {
    day: Option<NaiveDate>,
    #[serde(default)]
    view: Period,
}

/// The period that is asked for.
#[derive(Clone, Copy)]
pub(super) struct AskedPeriod {
    pub(super) period: Period,
    /// A day of it.
    pub(super) day: NaiveDate,
    pub(super) today: NaiveDate,
    pub(super) zone: Tz,
}

impl AskedPeriod {
    /// # Errors
    /// When the address names no day, or one too far away.
    pub(super) fn read(
        asked: Result<Query<PeriodQuery>, QueryRejection>,
        status: &OwnerStatus,
    ) -> Result<Self, WebError> {
        let Query(PeriodQuery { day, view }) = asked.map_err(|_| WebError::BadBody)?;
        let zone = format::zone(&status.settings.zone);
        let today = format::local_date(status.at, zone);
        let day = day.unwrap_or(today);
        if !YEARS.contains(&day.year()) {
            return Err(WebError::BadBody);
        }
        Ok(Self {
            period: view,
            day,
            today,
            zone,
        })
    }

    /// One day.
    ///
    /// # Errors
    /// When it is too far away.
    pub(super) fn of_day(day: NaiveDate, status: &OwnerStatus) -> Result<Self, WebError> {
        let asked = PeriodQuery {
            day: Some(day),
            view: Period::Day,
        };
        Self::read(Ok(Query(asked)), status)
    }
}

/// The address of a page for a period and a day.
pub(super) fn address(path: &str, period: Period, day: NaiveDate) -> String {
    format!("{path}?view={}&day={day}", period.parts().0)
}

/// What stands on the page of a period.
pub(super) struct PeriodContent {
    pub(super) main: Markup,
    /// What has a pane of its own where there is room.
    pub(super) beside: Option<Markup>,
}

/// A page at `path`, called `title`, with links to the same in other periods and at other times. `section`: the one that it belongs to.
pub(super) fn period_page(
    app: &AppState,
    (path, title): (&str, &str),
    section: AppSection,
    asked: AskedPeriod,
    content: &PeriodContent,
) -> Html<String> {
    let AskedPeriod {
        period, day, today, ..
    } = asked;
    let (before, after) = period.neighbours(day);
    let main = html! {
        section.block #period data-region aria-labelledby="period-title" {
            nav.periods aria-label=(words::PERIODS) {
                @for one in Period::ALL {
                    a href=(address(path, one, day)) aria-current=[(one == period).then_some("page")] { (one.parts().1) }
                }
                span.turn {
                    a href=(address(path, period, before)) { (words::PERIOD_BEFORE) }
                    a href=(address(path, period, today)) { (words::PERIOD_TODAY) }
                    a href=(address(path, period, after)) { (words::PERIOD_AFTER) }
                }
            }
            h2 #period-title { (period.title(day, today)) }
            (content.main)
        }
    };
    let read_anew = address(path, period, day);
    let frame = BelowFrame {
        surface: "app",
        fragment: Some(&read_anew),
        layout: "wide",
        ..BelowFrame::new(section, path, title)
    };
    let content = match &content.beside {
        Some(beside) => shell::panes(&main, beside),
        None => main,
    };
    frame.page(app, &content)
}
