//! `/ops/what-if`: the days that were, under another policy; and that policy in force.
//!
//! What: a field for each constant, the answer as a fragment with all that differs, and the step that puts it into force. Why: a changed number is judged by
//! days that were, not by hope. Not here: deciding again (the backend, with the code of `aura replay --what-if`), writing the policy's file (the same).

use super::{LiveUpdates, differences_table, field, framed, table};
use crate::{
    backend::console::{
        POLICY_BYTES_MAX, PolicyChange, PolicyDraft, PolicyField, PolicyReply, PolicyTrial, WhatIfQuestion,
        WhatIfReport,
    },
    devices::DeviceScope,
    format,
    visible::visible,
    web::{api::JsonBody, error::WebError, state::AppState, visitor::visitor},
    words::{self, console as say, tick as tick_words},
};
use axum::{extract::State, response::Html};
use chrono::NaiveDate;
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use toolcall_schema::{
    policy_diagnostic::PolicyDiagnostic,
    whatif::{InterruptionDifference, WhatIfDay},
};

/// A policy whose bytes are all escaped as two, and the dates.
pub(super) const BODY_BYTES_MAX: usize = 2 * POLICY_BYTES_MAX + 1024;

/// Constants that a form may have, and characters of one.
const FIELDS_MAX: usize = 64;
const FIELD_CHARS_MAX: usize = 16;

/// `GET /ops/what-if`
pub(super) async fn page(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.policy().await?;
    let when = html! {
        div.filter {
            label { (say::FROM) input type="date" name="from"; }
            label { (say::TO) input type="date" name="to"; }
            button.side type="submit" { (say::WHAT_IF_ASK) }
        }
    };
    let markup = html! {
        p { (words::POLICY_TRIAL_NOTE) }
        p { a href="/month" { (tick_words::MONTH) } }
        form.what-if data-post="/fragment/ops/what-if" data-into="answer" {
            h2 { (words::POLICY_TRIAL_FIELDS) }
            @for fields in view.fields.chunk_by(|a, b| table_of(a.key) == table_of(b.key)) {
                details {
                    summary { @match fields.first().map(|field| table_of(field.key)) {
                        Some("") | None => (words::POLICY_TRIAL_TOP),
                        Some(table) => code { (table) },
                    } }
                    @for field in fields { (constant_field(field)) }
                }
            }
            (when)
        }
        details {
            summary { (words::POLICY_TRIAL_AS_TEXT) }
            form.what-if data-post="/fragment/ops/what-if" data-into="answer" {
                label {
                    (say::WHAT_IF_POLICY)
                    textarea #policy name="policy" rows="16" maxlength=(POLICY_BYTES_MAX) spellcheck="false" required { "\n" (view.text) }
                }
                label { (say::WHAT_IF_FILE) input type="file" accept=".toml" data-text="policy"; }
                (when)
            }
        }
        section #answer role="status" {}
    };
    Ok(framed(&app, say::WHAT_IF.say(), LiveUpdates::No, &markup))
}

/// The table that a constant stands in; empty: none.
fn table_of(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(table, _)| table)
}

fn constant_field(field: &PolicyField) -> Markup {
    let step = if field.is_whole { "1" } else { "0.001" };
    html! {
        label {
            code { (field.key) }
            input name=(field.key) type="number" min=(field.low) max=(field.high) step=(step) required value=(field.value);
        }
        p.note { (field.means) " (" (words::policy_limits(&field.low, &field.high, field.unit)) ")" }
    }
}

/// What the forms send: a whole text, or constants by their keys. Empty dates are none.
#[derive(Deserialize)]
struct WhatIfForm {
    policy: Option<String>,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    #[serde(flatten)]
    fields: BTreeMap<String, String>,
}

impl WhatIfForm {
    fn draft(policy: Option<String>, fields: BTreeMap<String, String>) -> Result<PolicyDraft, WebError> {
        let is_field = |(key, value): (&String, &String)| {
            key.len() <= FIELDS_MAX && value.chars().count() <= FIELD_CHARS_MAX
        };
        match policy {
            Some(text) if text.len() > POLICY_BYTES_MAX => Err(WebError::TooLarge),
            Some(text) if fields.is_empty() => Ok(PolicyDraft::Text(text)),
            None if (1..=FIELDS_MAX).contains(&fields.len()) && fields.iter().all(is_field) => {
                Ok(PolicyDraft::Fields(fields))
            }
            Some(_) | None => Err(WebError::BadBody),
        }
    }
}

/// `POST /fragment/ops/what-if`: changes nothing.
pub(super) async fn ask(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let WhatIfForm {
        policy,
        from,
        to,
        fields,
    } = body?.read()?;
    let policy = WhatIfForm::draft(policy, fields)?;
    let date = |text: &str| text.parse::<NaiveDate>().ok();
    let (from, to) = (field(&from, date)?, field(&to, date)?);
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(WebError::BadBody);
    }
    let answered = app.backend.what_if(WhatIfQuestion { policy, from, to }).await?;
    let markup = match &answered {
        Ok(trial) => trial_markup(trial),
        Err(findings) => problems_markup(findings),
    };
    Ok(Html(markup.into_string()))
}

/// What the last step sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PutForm {
    policy: String,
    shown: String,
    #[serde(default)]
    confirmed: String,
}

/// `POST /form/policy`: another policy in force, by its owner.
pub(super) async fn put(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let PutForm {
        policy,
        shown,
        confirmed,
    } = body?.read()?;
    if policy.len() > POLICY_BYTES_MAX {
        return Err(WebError::TooLarge);
    }
    if confirmed != "yes" {
        return Ok(Html(
            html! { p.flag { (words::POLICY_PUT_UNCONFIRMED) } }.into_string(),
        ));
    }
    let reply = app.backend.put_policy(PolicyChange { shown, policy }).await?;
    let markup = match &reply {
        PolicyReply::Taken { file } => html! { p { strong { (words::policy_put_taken(&visible(file))) } } },
        PolicyReply::Changed => html! { p.flag { (words::POLICY_PUT_CHANGED) } },
        PolicyReply::Bad(findings) => problems_markup(findings),
        PolicyReply::Failed(why) => html! { p.flag { (words::policy_put_failed(&visible(why))) } },
        PolicyReply::Nothing => html! { p.flag { (words::POLICY_PUT_NOT_HERE) } },
    };
    Ok(Html(markup.into_string()))
}

fn trial_markup(trial: &PolicyTrial) -> Markup {
    let is_same = trial.lines.is_empty() && trial.differences.is_empty();
    html! {
        section aria-labelledby="diff-title" {
            h2 #diff-title { (words::POLICY_TRIAL_DIFF) }
            @if is_same { p.none { (words::POLICY_TRIAL_SAME) } }
            @else if trial.differences.is_empty() { p.none { (words::POLICY_TRIAL_NO_NUMBER) } }
            @else { (differences_table(&words::POLICY_TRIAL_COLUMNS, &trial.differences)) }
            @if !trial.lines.is_empty() {
                details {
                    summary { (words::POLICY_TRIAL_LINES) }
                    ul.rows { @for line in &trial.lines {
                        li { p.head {
                            span.code dir="auto" { (visible(&line.text)) }
                            span.value { (if line.is_new { words::PREVIEW_NEW } else { words::PREVIEW_OLD }) }
                        } }
                    } }
                }
            }
        }
        section aria-labelledby="days-title" {
            h2 #days-title { (words::POLICY_TRIAL_DAYS) }
            (report_markup(&trial.report))
        }
        @if !is_same { (put_form(trial)) }
    }
}

/// The last step, for the owner alone.
fn put_form(trial: &PolicyTrial) -> Markup {
    let is_owner = visitor().is_some_and(|visitor| visitor.scope == DeviceScope::Owner);
    html! {
        section aria-labelledby="put-title" {
            h2 #put-title { (words::POLICY_PUT) }
            @if !trial.can_change { p.note { (words::POLICY_PUT_NOT_HERE) } }
            @else if !is_owner { p.note { (words::POLICY_PUT_OWNER) } }
            @else {
                form.what-if data-post="/form/policy" data-into="put" {
                    input type="hidden" name="policy" value=(trial.text);
                    input type="hidden" name="shown" value=(trial.shown);
                    label { input type="checkbox" name="confirmed" value="yes" required; " " (words::POLICY_PUT_CONFIRM) }
                    button.side type="submit" { (words::POLICY_PUT_NOW) }
                }
                div #put role="status" {}
            }
        }
    }
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
