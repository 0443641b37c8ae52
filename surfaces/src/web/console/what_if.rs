//! `/ops/what-if`: the days that were, under another policy.
//!
//! What: the form, and the answer as a fragment. Why: a changed number is judged by days that were, not by hope. Not here: deciding again
//! (the backend, with the code of `aura replay --what-if`).

use super::{LiveUpdates, field, framed, table};
use crate::{
    backend::console::{POLICY_BYTES_MAX, WhatIfQuestion, WhatIfReport},
    format,
    visible::visible,
    web::{api::JsonBody, error::WebError, state::AppState},
    words::{self, console as say, tick as tick_words},
};
use axum::{extract::State, response::Html};
use chrono::NaiveDate;
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use toolcall_schema::{
    policy_diagnostic::PolicyDiagnostic,
    whatif::{InterruptionDifference, WhatIfDay},
};

/// A policy whose bytes are all escaped as two, and the dates.
pub(super) const BODY_BYTES_MAX: usize = 2 * POLICY_BYTES_MAX + 1024;

/// `GET /ops/what-if`
pub(super) async fn page(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let text = app.backend.policy().await?.text;
    let markup = html! {
        p { (say::WHAT_IF_NOTE) }
        p { a href="/month" { (tick_words::MONTH) } }
        form.what-if data-post="/fragment/ops/what-if" data-into="answer" {
            label {
                (say::WHAT_IF_POLICY)
                textarea #policy name="policy" rows="16" maxlength=(POLICY_BYTES_MAX) spellcheck="false" required { "\n" (text) }
            }
            label { (say::WHAT_IF_FILE) input type="file" accept=".toml" data-text="policy"; }
            div.filter {
                label { (say::FROM) input type="date" name="from"; }
                label { (say::TO) input type="date" name="to"; }
                button.side type="submit" { (say::WHAT_IF_ASK) }
            }
        }
        section #answer role="status" {}
    };
    Ok(framed(&app, say::WHAT_IF.say(), LiveUpdates::No, &markup))
}

/// What the form sends; empty dates are none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhatIfForm {
    policy: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
}

/// `POST /fragment/ops/what-if`: changes nothing.
pub(super) async fn ask(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let WhatIfForm { policy, from, to } = body?.read()?;
    if policy.len() > POLICY_BYTES_MAX {
        return Err(WebError::TooLarge);
    }
    let date = |text: &str| text.parse::<NaiveDate>().ok();
    let (from, to) = (field(&from, date)?, field(&to, date)?);
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(WebError::BadBody);
    }
    let answered = app.backend.what_if(WhatIfQuestion { policy, from, to }).await?;
    let markup = match &answered {
        Ok(answer) => report_markup(answer),
        Err(findings) => problems_markup(findings),
    };
    Ok(Html(markup.into_string()))
}

fn problems_markup(findings: &[PolicyDiagnostic]) -> Markup {
    html! {
        p { (say::WHAT_IF_BAD) }
        ul.findings {
            @for finding in findings {
                li { code { (finding.code) } " " (say::finding(finding.line, finding.column)) ": " (visible(&finding.message)) }
            }
        }
    }
}

fn report_markup(WhatIfReport { zone, answer, .. }: &WhatIfReport) -> Markup {
    let zone = format::zone(zone);
    let changes = [answer.added, answer.removed, answer.moved, answer.changed];
    html! {
        @if answer.days.is_empty() { p.none { (say::WHAT_IF_NO_DAY) } }
        @else { p { strong { (say::what_if_sums(answer.days.len(), answer.recorded, answer.what_if, changes)) } } }
        @if answer.cut { p.flag { (say::WHAT_IF_CUT) } }
        @for day in &answer.days { (day_of(day, zone)) }
        p { (say::HASH) ": " code.whole { (answer.policy_hash) } }
    }
}

fn day_of(day: &WhatIfDay, zone: Tz) -> Markup {
    let rows: Vec<Vec<Markup>> = day
        .differences
        .iter()
        .map(|difference| row(difference, zone))
        .collect();
    html! {
        h2 { (format::date(day.date)) }
        p { (say::what_if_counts(day.recorded, day.what_if)) }
        @if rows.is_empty() { p.none { (say::WHAT_IF_SAME) } }
        @else { (table(None, &say::WHAT_IF_COLUMNS, &rows)) }
    }
}

fn row(difference: &InterruptionDifference, zone: Tz) -> Vec<Markup> {
    vec![
        html! {
            time { (format::clock(difference.at, zone)) }
            @if let Some(to) = difference.moved_to { " → " time { (format::clock(to, zone)) } }
        },
        html! { (say::change(difference.change)) },
        html! {
            (words::action(difference.kind))
            @if let Some(score) = &difference.score { " (" (score) ")" }
        },
        html! { (visible(&difference.why)) },
    ]
}
