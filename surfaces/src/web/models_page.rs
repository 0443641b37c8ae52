//! Language models on the page Settings.
//!
//! What: the section with each model, and the handler of its buttons. Why: a large file is got only by its owner's word, and she sees how far it is. Not here:
//! getting and trying (the backend).

use super::{api::JsonBody, error::WebError, settings_page::may_add, shell, state::AppState};
use axum::{extract::State, http::HeaderMap, response::Html};
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::models::{ModelAct, ModelStage, ModelView, ModelsView},
    words,
};
use toolcall_schema::ModelFileStatus;

/// `POST /form/model`: it opens an address or starts a program, so only the owner's own browser may.
pub(super) async fn act(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let act: ModelAct = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let view = app.backend.act_on_model(act).await?.ok_or(WebError::NotFound)?;
    Ok(Html(content(&view, true).into_string()))
}

/// The section.
pub(super) fn section(view: &ModelsView, may_add: bool) -> Markup {
    html! {
        section.block #model data-region aria-labelledby="model-title" {
            h2 #model-title { (words::MODELS) }
            p.says { (words::MODELS_SAY) }
            div #model-list aria-live="polite" { (content(view, may_add)) }
        }
    }
}

fn content(view: &ModelsView, may_add: bool) -> Markup {
    let works = view.work.as_ref().is_some_and(|work| work.stage.is_running());
    let acts = may_add && !works;
    html! {
        @if let Some(work) = &view.work {
            @if works { span data-again-ms=(shell::AGAIN_MS) hidden {} }
            p.says { (words::model_stage(&work.name, &work.stage)) }
            @match &work.stage {
                ModelStage::Getting(0, _) | ModelStage::Trying => progress aria-label=(words::MODELS) {},
                ModelStage::Getting(done, of) => progress aria-label=(words::MODELS) value=(done) max=(of) {},
                ModelStage::Failed(why) => details { summary { (words::DOCTOR_EXACTLY) } p.note dir="auto" { (why) } },
                ModelStage::Got | ModelStage::Tried(..) | ModelStage::InUse | ModelStage::Removed => {}
            }
        }
        ul.rows { @for model in &view.models { (row(model, view.chosen.as_deref(), acts)) } }
        @if view.chosen.is_none() { p.note { (words::MODEL_NONE) } }
        @else if acts { (button("use_none", None, words::MODEL_USE_NONE.say())) }
        @if !may_add { p.note { (words::MODELS_NOT_HERE) } }
    }
}

fn row(model: &ModelView, chosen: Option<&str>, acts: bool) -> Markup {
    let is_chosen = chosen == Some(model.name.as_str());
    let name = Some(model.name.as_str());
    html! {
        li {
            p.head {
                span.what { (model.name) @if is_chosen { " · " (words::model_chosen(model.file)) } }
                span.value { (words::model_file(model.file)) }
            }
            p.note { (words::model_means(model.bytes, &model.licence, &model.origin)) }
            @if acts {
                div.buttons {
                    @match model.file {
                        ModelFileStatus::There => {
                            @if !is_chosen { (button("use", name, words::MODEL_USE.say())) }
                            (button("try", name, words::MODEL_TRY.say()))
                            @if !is_chosen { (button("remove", name, words::MODEL_REMOVE.say())) }
                        }
                        ModelFileStatus::Part => (button("get", name, words::MODEL_GET_ON.say())),
                        ModelFileStatus::Absent | ModelFileStatus::Wrong => (button("get", name, words::MODEL_GET.say())),
                    }
                }
            }
        }
    }
}

fn button(act: &str, name: Option<&str>, does: &str) -> Markup {
    html! {
        form data-post="/form/model" data-into="model-list" {
            input type="hidden" name="act" value=(act);
            @if let Some(name) = name { input type="hidden" name="name" value=(name); }
            button.plain type="submit" aria-label=(name.map_or_else(|| does.to_owned(), |name| words::model_button(does, name))) { (does) }
        }
    }
}
