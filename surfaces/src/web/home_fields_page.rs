//! The further settings, a field each, and what would change in the file.
//!
//! What: the form of the page Settings with the fields that the backend names, and the handler that shows what a change would do. Why: what may be set is one
//! table, and the page follows it. Not here: saving (`settings_page`), the table (`orchestrator`).

use super::{api::JsonBody, error::WebError, state::AppState, towns_page, undo_change::LastChange};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use std::sync::Arc;
use surfaces_base::{
    backend::{
        home_fields::{HomeFieldGroup, HomeFieldKind, HomeFieldView},
        settings::{HomeFileChange, HomeFileView, PreviewReply},
    },
    words,
};

/// `POST /form/settings/preview`
pub(super) async fn preview(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let change: HomeFileChange = body?.read()?;
    if !change.is_bounded() {
        return Err(WebError::BadBody);
    }
    let lines = match shown_or_why(app.backend.preview_home(change).await?)? {
        Ok(lines) => lines,
        Err(why) => return Ok(Html(why.into_string())),
    };
    let shown = html! {
        @if lines.is_empty() { p.none { (words::PREVIEW_NOTHING) } }
        @else {
            p.says { (words::PREVIEW_SAYS) }
            ul.rows { @for line in &lines {
                li { p.head {
                    span.code dir="auto" { (line.text) }
                    span.value { (if line.is_new { words::PREVIEW_NEW.say() } else { words::PREVIEW_OLD.say() }) }
                } }
            } }
        }
    };
    Ok(Html(shown.into_string()))
}

/// What would come of a change, or the sentence that says why it cannot be made.
pub(super) fn shown_or_why<T>(reply: PreviewReply<T>) -> Result<Result<T, Markup>, WebError> {
    match reply {
        PreviewReply::Shown(shown) => Ok(Ok(shown)),
        PreviewReply::Changed => Err(WebError::FileChanged),
        PreviewReply::Refused(why) => Ok(Err(html! { p.says { (words::preview_refused(&why)) } })),
        PreviewReply::Nothing => Err(WebError::NotFound),
    }
}

/// The section with all further settings. `may_add`: whether those are shown that start a program or open an address.
pub(super) fn section(view: &HomeFileView, may_add: bool, last: LastChange<'_>) -> Markup {
    let of = |group: HomeFieldGroup| view.fields.iter().filter(move |field| field.group == group);
    let hidden = |group: HomeFieldGroup| group.needs_proof() && !may_add;
    html! {
        @if !view.fields.is_empty() {
            section.block #more data-region aria-labelledby="more-title" {
                h2 #more-title { (words::MORE_SETTINGS) }
                form.settings data-settings data-shown=(view.shown) {
                    @for group in HomeFieldGroup::ALL {
                        @if of(group).next().is_some() && !hidden(group) {
                            details {
                                summary { (words::home_group(group)) }
                                @if group == HomeFieldGroup::Days { (towns_page::field(view)) }
                                @for one in of(group) { (field(one)) }
                            }
                        }
                    }
                    p.note { (words::FORM_WHERE) }
                    p.buttons {
                        button.main type="submit" { (words::FORM_SAVE) }
                        button.plain type="button" data-preview="more-preview" { (words::FORM_PREVIEW) }
                        (last.button())
                    }
                    (last.note())
                    div #more-preview aria-live="polite" {}
                }
                (towns_page::form())
            }
        }
    }
}

pub(super) fn field(one: &HomeFieldView) -> Markup {
    let (label, means) = words::home_field(one.key);
    let named = |field: Markup| html! { label { (label) (field) } p.note { (means) } };
    match one.kind {
        HomeFieldKind::Whole { min, max } => named(html! {
            input name=(one.key) data-as="more" type="number" min=(min) max=(max) step="1" required value=(one.value);
        }),
        HomeFieldKind::Tenths { min, max } => named(html! {
            input name=(one.key) data-as="more" type="number" min=(tenths(min)) max=(tenths(max)) step="any" required value=(one.value);
        }),
        HomeFieldKind::Amount => named(html! {
            input name=(one.key) data-as="more" type="text" autocomplete="off" inputmode="decimal" maxlength="17" pattern="[0-9]+(\\.[0-9]{1,3}|,[0-9]{1,2})?" value=(one.value);
        }),
        HomeFieldKind::Choice(known) => named(choice(one, known)),
        HomeFieldKind::Switch => named(choice(one, &["yes", "no"])),
        HomeFieldKind::Choices(known) => {
            let chosen: Vec<&str> = one.value.split(", ").collect();
            html! {
                fieldset.choices data-as="choices" data-name=(one.key) {
                    legend { (label) }
                    @for name in known {
                        label { input type="checkbox" value=(name) checked[chosen.contains(name)]; " " (words::home_choice(name)) }
                    }
                }
                p.note { (means) }
            }
        }
        HomeFieldKind::Texts | HomeFieldKind::Text => named(html! {
            input id=(one.key) name=(one.key) data-as="more" type="text" autocomplete="off" spellcheck="false" maxlength="1000" value=(one.value);
        }),
        HomeFieldKind::Secret => named(html! {
            input.secret name=(one.key) data-as="more" type="text" autocomplete="off" spellcheck="false" maxlength="1000" placeholder=[(!one.value.is_empty()).then_some(words::SECRET_KEPT.say())];
        }),
        HomeFieldKind::Made => html! {
            @if !one.value.is_empty() { p { (label) ": " code { (one.value) } } p.note { (means) } }
        },
        HomeFieldKind::Keep => named(html! {
            input name=(one.key) data-as="more" type="text" autocomplete="off" required pattern={ "[1-9][0-9]{0,3}|" (words::ALWAYS) } value=(words::kept_for_days(&one.value));
        }),
        HomeFieldKind::Hours => named(html! {
            input name=(one.key) data-as="more" type="text" autocomplete="off" required pattern="[0-2][0-9]:[0-5][0-9] ?- ?[0-2][0-9]:[0-5][0-9]" value=(one.value);
        }),
        HomeFieldKind::Place => named(html! {
            input name=(one.key) data-as="more" type="text" autocomplete="off" inputmode="text" pattern="-?[0-9.]+ ?, ?-?[0-9.]+" placeholder="52.52, 13.405" value=(one.value);
        }),
    }
}

fn choice(one: &HomeFieldView, known: &[&str]) -> Markup {
    html! {
        select id=(one.key) name=(one.key) data-as="more" data-was=(one.value) {
            @for name in known { option value=(name) selected[one.value == *name] { (words::home_choice(name)) } }
        }
    }
}

fn tenths(number: i64) -> String {
    format!("{}.{}", number / 10, number % 10)
}
