//! Where the owner lives, by the name of a town.
//!
//! What: the field that finds a town and the handler that answers it. Why: nobody knows at which degrees they live. The field stands in a form of settings and
//! belongs to a form of its own, which stands outside; what was found is saved with the settings around it. Not here: the towns (the backend).

use super::{api::JsonBody, error::WebError, people_page::NAME_MAX, state::AppState};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::settings::{HomeFileView, TownView},
    words,
};

/// The form that the field belongs to.
const FORM: &str = "town-find";
/// The setting, as its form names it.
const HOME: &str = "home";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TownForm {
    name: String,
}

/// `POST /form/towns/find`
pub(super) async fn find(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let TownForm { name } = body?.read()?;
    if name.chars().count() > NAME_MAX {
        return Err(WebError::BadBody);
    }
    let view = app.backend.home_file().await?.ok_or(WebError::NotFound)?;
    let towns = app.backend.find_towns(name).await?;
    Ok(Html(found_towns(&view, &towns).into_string()))
}

fn found_towns(view: &HomeFileView, towns: &[TownView]) -> Markup {
    html! {
        @if towns.is_empty() { p.note { (words::NO_SUCH_TOWN) } }
        @else {
            label { (words::YOUR_TOWN)
                select name=(HOME) data-as="more" data-was=(home_of(view)) {
                    @for town in towns { option value=(town.place) { (town.name) } }
                }
            }
            p.note { (words::TOWN_IS_SAVED) " " (words::TOWNS_ARE_OF) }
        }
    }
}

fn home_of(view: &HomeFileView) -> &str {
    let home = view.fields.iter().find(|field| field.key == HOME);
    home.map_or("", |field| &field.value)
}

/// Stands outside of the form of settings that [`field`] is in, once a page.
pub(super) fn form() -> Markup {
    html! { form id=(FORM) data-post="/form/towns/find" data-into="towns-found" {} }
}

/// The field, in a form of settings.
pub(super) fn field(view: &HomeFileView) -> Markup {
    let home = match (&view.home_town, home_of(view)) {
        (Some(town), _) => Some(words::home_near(town)),
        (None, "") => None,
        (None, at) => Some(words::home_at(at)),
    };
    html! {
        label { (words::HOME_TOWN)
            input #home-town form=(FORM) name="name" type="search" autocomplete="address-level2" maxlength=(NAME_MAX);
        }
        p.buttons { button.side type="submit" form=(FORM) { (words::FIND_DO) } }
        @if let Some(home) = home { p.note dir="auto" { (home) } }
        p.note { (words::HOME_TOWN_MEANS) }
        div #towns-found aria-live="polite" {}
    }
}
