//! Looking after itself, as a page.
//!
//! What: `/doctor`, and what it says after a look. Why: each thing that is wrong is one sentence with its remedy as a link. Not here: the checks (the command
//! `aura doctor`, which the backend runs).

use super::{
    api::JsonBody,
    error::WebError,
    settings_page::may_add,
    shell::{AppSection, BelowFrame},
    state::AppState,
};
use axum::{extract::State, http::HeaderMap, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::{cmp::Reverse, sync::Arc};
use surfaces_base::{
    backend::{
        BackendError,
        doctor::{DoctorCheck, DoctorLevel},
    },
    words,
};

/// `GET /doctor`
pub(super) async fn doctor(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Html<String> {
    let content = html! {
        section.block aria-label=(words::DOCTOR) {
            p.says { (words::DOCTOR_SAYS) }
            @if may_add(&app, &headers) {
                form.settings data-post="/form/doctor" data-into="checks" {
                    p.buttons { button.main type="submit" { (words::DOCTOR_LOOK) } }
                }
            } @else { p.note { (words::DOCTOR_NOT_HERE) } }
            div #checks aria-live="polite" {}
        }
    };
    let frame = BelowFrame::new(AppSection::Settings, "", words::DOCTOR.say());
    frame.page(&app, &content)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LookBody {}

/// `POST /form/doctor`. It starts a program, so only the owner's own browser may.
pub(super) async fn look(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let LookBody {} = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let checks = match app.backend.look_after().await {
        Ok(checks) => checks.ok_or(WebError::NotFound)?,
        Err(BackendError::Busy) => return Ok(Html(html! { p.says { (words::DOCTOR_BUSY) } }.into_string())),
        Err(error) => return Err(error.into()),
    };
    Ok(Html(check_list(checks).into_string()))
}

fn check_list(mut checks: Vec<DoctorCheck>) -> Markup {
    checks.sort_by_key(|check| Reverse(check.level));
    let (fine, wrong): (Vec<_>, Vec<_>) = checks
        .into_iter()
        .partition(|check| check.level == DoctorLevel::Ok);
    // What is said in the same words is said once.
    let mut said: Vec<(&DoctorCheck, Vec<&str>)> = Vec::new();
    for check in &wrong {
        let says = words::doctor_says(&check.name);
        match said
            .iter_mut()
            .find(|(first, _)| words::doctor_says(&first.name) == says)
        {
            Some((_, exactly)) => exactly.push(&check.what),
            None => said.push((check, vec![&check.what])),
        }
    }
    let row = |check: &DoctorCheck, exactly: &[&str]| {
        html! {
            li {
                p.head { span.what { (words::doctor_says(&check.name)) } }
                details {
                    summary { (words::DOCTOR_EXACTLY) }
                    @for what in exactly { p.note dir="auto" { (what) } }
                }
                @if let Some((to, says)) = words::doctor_remedy(&check.name) { p { a href=(to) { (says) } } }
            }
        }
    };
    html! {
        @if wrong.is_empty() { p.says { (words::DOCTOR_WELL) } }
        @else { ul.rows { @for (check, exactly) in &said { (row(check, exactly)) } } }
        @if !fine.is_empty() {
            details {
                summary { (words::doctor_fine(fine.len())) }
                ul.plain-list { @for check in &fine { li { (words::doctor_check(&check.name)) } } }
            }
        }
    }
}
