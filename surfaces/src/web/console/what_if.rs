//! `/ops/what-if`: the days that were, under another policy.
//!
//! What: the form with a field for each constant, the answer as a fragment, and putting the policy into force. Why: a changed number is judged by days that were, not by
//! hope, before it counts. Not here: deciding again (the backend, with the code of `aura replay --what-if`).

use super::{LiveUpdates, field, framed, policy::changes, table};
use crate::web::{api::JsonBody, error::WebError, settings_page::may_add, state::AppState};
use axum::{extract::State, http::HeaderMap, response::Html};
use chrono::NaiveDate;
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::console::{
        ConstantField, POLICY_BYTES_MAX, PolicyOutcome, PolicyTrial, PolicyWish, WhatIfQuestion, WhatIfReport,
    },
    format,
    visible::visible,
    words::{self, console as say, tick as tick_words},
};
use toolcall_schema::{
    policy_diagnostic::PolicyDiagnostic,
    whatif::{InterruptionDifference, WhatIfDay},
};

/// A policy whose bytes are all escaped as two, the dates, and a field for each constant.
pub(super) const BODY_BYTES_MAX: usize = 2 * POLICY_BYTES_MAX + 8 * 1024;

/// What stands before a constant's key in the name of its field.
const CONSTANT: &str = "set.";
/// Letters of a number.
const NUMBER_MAX: usize = 16;

/// `GET /ops/what-if`
pub(super) async fn page(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.policy().await?;
    // Of the format there is one version.
    let constants: Vec<&ConstantField> = view.constants.iter().filter(|one| one.key != "version").collect();
    let markup = html! {
        p { (words::TRY_FIELDS) }
        p { a href="/month" { (tick_words::MONTH) } }
        form.what-if data-post="/fragment/ops/what-if" data-into="answer" {
            @for group in constants.chunk_by(|a, b| table_of(a) == table_of(b)) {
                @if let Some(first) = group.first() {
                    @let table = table_of(first);
                    details open[table.is_empty()] {
                        summary { (words::policy_table(table)) }
                        @if let Some(means) = words::policy_table_means(table) { p.note { (means) } }
                        div.constants { @for constant in group { (constant_field(constant)) } }
                    }
                }
            }
            details {
                summary { (words::TRY_WHOLE_TEXT) }
                label {
                    (say::WHAT_IF_POLICY)
                    textarea #policy name="policy" rows="16" maxlength=(POLICY_BYTES_MAX) spellcheck="false" required { "\n" (view.text) }
                }
                label { (say::WHAT_IF_FILE) input type="file" accept=".toml" data-text="policy"; }
            }
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

/// The table of a constant; empty: none.
fn table_of(constant: &ConstantField) -> &'static str {
    constant.key.rsplit_once('.').map_or("", |(table, _)| table)
}

fn constant_field(constant: &ConstantField) -> Markup {
    html! {
        label {
            span.what { (words::policy_constant(constant.key)) @if !constant.unit.is_empty() { " (" (words::policy_unit(constant.unit)) ")" } }
            input type="text" inputmode="decimal" name={ (CONSTANT) (constant.key) } value=(constant.value) maxlength=(NUMBER_MAX)
                pattern="[0-9]+(\\.[0-9]{1,3})?" autocomplete="off" required;
            code.key { (constant.key) }
        }
    }
}

/// What the form sends; empty dates are none.
#[derive(Deserialize)]
struct WhatIfForm {
    policy: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    /// A field for each constant.
    #[serde(flatten)]
    fields: BTreeMap<String, String>,
}

impl WhatIfForm {
    /// Those that are no more what is in force.
    fn changed(&self, in_force: &[ConstantField]) -> Result<BTreeMap<String, String>, WebError> {
        let mut changed = BTreeMap::new();
        for (name, value) in &self.fields {
            let key = name.strip_prefix(CONSTANT);
            let constant = key.and_then(|key| in_force.iter().find(|constant| constant.key == key));
            let Some(constant) = constant.filter(|_| value.len() <= NUMBER_MAX) else {
                return Err(WebError::BadBody);
            };
            if *value != constant.value {
                changed.insert(constant.key.to_owned(), value.clone());
            }
        }
        Ok(changed)
    }
}

/// `POST /fragment/ops/what-if`: changes nothing.
pub(super) async fn ask(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let form: WhatIfForm = body?.read()?;
    if form.policy.len() > POLICY_BYTES_MAX {
        return Err(WebError::TooLarge);
    }
    let constants = if form.fields.is_empty() {
        BTreeMap::new()
    } else {
        form.changed(&app.backend.policy().await?.constants)?
    };
    let WhatIfForm { policy, from, to, .. } = form;
    let date = |text: &str| text.parse::<NaiveDate>().ok();
    let (from, to) = (field(&from, date)?, field(&to, date)?);
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(WebError::BadBody);
    }
    let question = WhatIfQuestion {
        policy,
        constants,
        from,
        to,
    };
    let answered = app.backend.what_if(question).await?;
    let markup = match &answered {
        Ok(trial) => html! {
            h2 { (words::TRY_DIFFERS) }
            @if trial.differences.is_empty() { p.none { (words::TRY_DIFFERS_NOT) } }
            @else { (changes(&words::TRY_COLUMNS, &trial.differences)) }
            (report_markup(&trial.report))
            (put_form(trial))
        },
        Err(findings) => problems_markup(say::WHAT_IF_BAD.say(), findings),
    };
    Ok(Html(markup.into_string()))
}

/// What puts a tried policy into force, once its owner has ticked that it shall be.
fn put_form(trial: &PolicyTrial) -> Markup {
    html! {
        @if trial.report.answer.policy_hash != trial.in_force {
            h2 { (words::PUT_HEADING) }
            // What came of it takes the form's place: it is not put into force twice.
            section #put role="status" {
                p.note { (words::PUT_MEANS) }
                form.what-if data-post="/fragment/ops/policy" data-into="put" {
                    textarea name="policy" hidden { "\n" (trial.text) }
                    input type="hidden" name="shown" value=(trial.in_force);
                    label.sure { input type="checkbox" name="sure" value="yes" required; span { (words::PUT_SURE) } }
                    p { button.side type="submit" { (words::PUT_DO) } }
                }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PutForm {
    policy: String,
    shown: String,
    sure: String,
}

/// `POST /fragment/ops/policy`: from the owner's own browser alone.
pub(super) async fn put(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let PutForm { policy, shown, sure } = body?.read()?;
    if sure != "yes" {
        return Err(WebError::BadBody);
    }
    if policy.len() > POLICY_BYTES_MAX {
        return Err(WebError::TooLarge);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let outcome = app.backend.put_policy(PolicyWish { text: policy, shown }).await?;
    let says = words::put_outcome(&outcome);
    let markup = match &outcome {
        PolicyOutcome::InForce(hash) => html! {
            p { strong { (says) } }
            p { (say::HASH) ": " code.whole { (hash) } }
        },
        PolicyOutcome::Unusable(findings) => problems_markup(says, findings),
        PolicyOutcome::Changed | PolicyOutcome::NoFile | PolicyOutcome::NotWritten => {
            html! { p { (says) } }
        }
    };
    Ok(Html(markup.into_string()))
}

fn problems_markup(says: &str, findings: &[PolicyDiagnostic]) -> Markup {
    html! {
        p { (says) }
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
            @if let Some(score) = &difference.score { " (" (format::thousandths(*score)) ")" }
        },
        html! { (visible(&say::what_if_why(&difference.why))) },
    ]
}
