//! The operator's view of workflows, and the owner's inbox.
//!
//! What: the pages `/workflows` and `/workflows/{id}`, their fragments, the announcement on the phone's page, and the two replies. Why: a
//! question that nobody sees is never answered. Not here: starting a run (`aura workflow`), what an answer does (the machine).

use super::{
    api::JsonBody,
    drawer_page::code_spans,
    error::WebError,
    shell::{self, AppSection, BelowFrame},
    state::AppState,
};
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::NowView,
    backend::runs::{NoOpenQuestion, QuestionReply, RUNS_MAX, RunStanding, RunView},
    format,
    visible::visible,
    words,
};
use toolcall_schema::protocol::{ANSWER_MAX_BYTES, OwnerQuestion};

/// Announcements on the phone's page at once; the others wait their turn.
const ANNOUNCED_MAX: usize = 3;

/// A run's id in a path; anything else is not there.
fn run_id(text: &str) -> Result<String, WebError> {
    let is_id = text.len() == 36 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    is_id.then(|| text.to_owned()).ok_or(WebError::NotFound)
}

/// `GET /workflows`
pub(super) async fn runs(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let markup = runs_fragment(&app).await?;
    Ok(framed(
        &app,
        words::WORKFLOWS_TITLE.say(),
        AppSection::Settings.parts(),
        &markup,
    ))
}

/// `GET /fragment/workflows`
pub(super) async fn runs_part(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    Ok(Html(runs_fragment(&app).await?.into_string()))
}

/// `GET /workflows/{id}`
pub(super) async fn run(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Html<String>, WebError> {
    let markup = run_fragment(&app, &id).await?;
    Ok(framed(
        &app,
        words::WORKFLOW_TITLE.say(),
        ("/workflows", words::WORKFLOWS_TITLE.say()),
        &markup,
    ))
}

/// `GET /fragment/workflows/{id}`
pub(super) async fn run_part(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Html<String>, WebError> {
    Ok(Html(run_fragment(&app, &id).await?.into_string()))
}

/// `GET /v1/workflows`
pub(super) async fn list(State(app): State<Arc<AppState>>) -> Result<Json<Vec<RunView>>, WebError> {
    Ok(Json(app.backend.runs(RUNS_MAX).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunAnswerBody {
    answer: String,
}

/// `POST /v1/workflows/{id}/answer`
pub(super) async fn answer(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    body: Result<JsonBody, WebError>,
) -> Result<StatusCode, WebError> {
    let RunAnswerBody { answer } = body?.read()?;
    let answer = answer.trim();
    if answer.is_empty() || answer.len() > ANSWER_MAX_BYTES {
        return Err(WebError::BadBody);
    }
    reply(&app, &id, QuestionReply::Answer(answer.to_owned())).await
}

/// `POST /v1/workflows/{id}/dismiss`
pub(super) async fn dismiss(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<StatusCode, WebError> {
    reply(&app, &id, QuestionReply::Dismiss).await
}

async fn reply(app: &AppState, id: &str, reply: QuestionReply) -> Result<StatusCode, WebError> {
    let done = app.backend.reply(run_id(id)?, reply).await?;
    done.map_err(|NoOpenQuestion| WebError::NoQuestion)?;
    Ok(StatusCode::NO_CONTENT)
}

fn framed(app: &AppState, title: &str, up: (&str, &str), markup: &Markup) -> Html<String> {
    let frame = BelowFrame {
        up,
        surface: "runs",
        layout: "runs",
        ..BelowFrame::new(AppSection::Settings, "/workflows", title)
    };
    frame.page(app, markup)
}

async fn runs_fragment(app: &AppState) -> Result<Markup, WebError> {
    let runs = app.backend.runs(RUNS_MAX).await?;
    let now = app.backend.now().await?;
    let open: Vec<(&RunView, &OwnerQuestion)> = runs
        .iter()
        .filter_map(|run| Some((run, run.question.as_ref()?)))
        .collect();
    let inbox = html! {
        section.block #inbox data-region aria-labelledby="inbox-title" {
            h2 #inbox-title { (words::INBOX) }
            @if open.is_empty() { p.none { (words::NOBODY_ASKS) } }
            @for (run, question) in &open { (asked(run, question, &now, true)) }
        }
    };
    let begun = html! {
        section.block #runs data-region aria-labelledby="runs-title" {
            h2 #runs-title { (words::WORKFLOWS) }
            @if runs.is_empty() { p.none { (code_spans(words::NO_RUN.say())) } }
            @else {
                ol.day {
                    @for run in &runs {
                        li {
                            a href={ "/workflows/" (run.id) } {
                                time { (format::clock_on(run.started, now.at, format::zone(&now.zone))) }
                                span.what { (visible(&run.workflow)) " · " (visible(&run.feature)) }
                                span.outcome { (words::standing(run.standing)) }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(shell::panes(&inbox, &begun))
}

async fn run_fragment(app: &AppState, id: &str) -> Result<Markup, WebError> {
    let run = app.backend.run(run_id(id)?).await?.ok_or(WebError::NotFound)?;
    let now = app.backend.now().await?;
    let zone = format::zone(&now.zone);
    Ok(html! {
        section.block #run data-region {
            h2 { (visible(&run.workflow)) " · " (visible(&run.feature)) }
            p { (words::standing_since(run.standing, &format::clock_on(run.changed, now.at, zone))) }
            @if matches!(run.standing, RunStanding::Interrupted | RunStanding::Stopped) {
                p { (code_spans(&words::how_to_resume(&run.id))) }
            }
        }
        section.block #inbox data-region hidden[run.question.is_none()] {
            @if let Some(question) = &run.question { (asked(&run, question, &now, true)) }
        }
        section.block #steps data-region hidden[run.steps.is_empty()] {
            ol.refused {
                @for step in &run.steps {
                    li {
                        p.head {
                            span.what { (visible(&step.name)) }
                            span { (words::asked_times(&visible(&step.agent), step.iteration)) }
                            span.code { (step.outcome.as_deref().map_or(words::IS_ASKED.say().into(), visible)) }
                        }
                        @if let Some(summary) = &step.summary { p { (visible(summary)) } }
                        @if let Some((code, sentence)) = &step.refusal { p { (visible(code)) ": " (visible(sentence)) } }
                    }
                }
            }
        }
        section.block #written data-region hidden[run.written.is_empty()] {
            @if !run.written.is_empty() {
                h3 { (words::WRITTEN) }
                ul { @for path in &run.written { li { code { (visible(path)) } } } }
                p { (code_spans(&words::diff_or_undo(&run.id))) }
            }
        }
        section #times data-region { p.status { (code_spans(&words::begun(&format::clock_on(run.started, now.at, zone), &run.id))) } }
    })
}

/// A question; with a form where it can be answered.
fn asked(run: &RunView, question: &OwnerQuestion, now: &NowView, form: bool) -> Markup {
    let until = format::clock_on(question.until, now.at, format::zone(&now.zone));
    html! {
        article.asks data-run=(run.id) {
            p.eyebrow { (visible(&run.workflow)) " · " (visible(&run.feature)) " " (words::ASKS_YOU) }
            p.question { (visible(&question.summary)) }
            @if form {
                @if !question.notes.is_empty() { ul { @for note in &question.notes { li { (visible(note)) } } } }
                form data-reply=(run.id) {
                    label { (words::YOUR_ANSWER) " " (until)
                        textarea name="answer" rows="3" maxlength=(ANSWER_MAX_BYTES) required {}
                    }
                    button.main type="submit" { (words::ANSWER) }
                }
            } @else {
                div.answers {
                    a.side href={ "/workflows/" (run.id) } { (words::ANSWER) }
                    button.side type="button" data-dismiss=(run.id) { (words::NOT_NOW) }
                }
            }
        }
    }
}

/// What is announced on the phone's page, and which of it is announced by that for the first time.
pub(super) async fn announcements(app: &AppState, now: &NowView) -> Result<(Markup, Vec<String>), WebError> {
    // Only those that ask: this is read with every look at the page.
    let runs = app.backend.runs(0).await?;
    let open: Vec<(&RunView, &OwnerQuestion)> = runs
        .iter()
        .filter_map(|run| Some((run, run.question.as_ref().filter(|question| !question.dismissed)?)))
        .take(ANNOUNCED_MAX)
        .collect();
    let first = open.iter().filter(|(_, question)| !question.announced);
    let first = first.map(|(run, _)| run.id.clone()).collect();
    let markup = html! { @for (run, question) in &open { (asked(run, question, now, false)) } };
    Ok((markup, first))
}
