//! Looking through what is remembered, and taking a copy along.
//!
//! What: the forms on the page Memory and the handlers of what they send. Why: what is kept about somebody is theirs to look through and to take
//! along. Names are asked of the agents for one answer, and a searched name is kept and recorded nowhere. Not here: forgetting (`forget_page`), what a copy
//! holds (the backend).

use super::{
    api::JsonBody,
    error::WebError,
    icons::{IconName, icon},
    settings_page::may_add,
    state::AppState,
};
use crate::render::section::people::id_of;
use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, header},
    response::{Html, IntoResponse as _, Response},
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        DisplayNames,
        memory::{CopyChoice, CopyForm, CopyPreview, CopyReader, KeptKind, KeptThing},
    },
    format, words,
};
use tokio_stream::wrappers::ReceiverStream;
use toolcall_schema::{Timestamp, catalogue::shared::ThingId};

/// Things in one answer.
const SHOWN_MAX: usize = 50;

/// Characters of a name that is looked for.
const NAME_MAX: usize = 100;

type MemoryPart = Result<Html<String>, WebError>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindBody {
    kind: KeptKind,
    #[serde(default)]
    name: String,
}

/// `POST /form/memory/find`
pub(super) async fn find(State(app): State<Arc<AppState>>, body: Result<JsonBody, WebError>) -> MemoryPart {
    let FindBody { kind, name } = body?.read()?;
    if name.chars().count() > NAME_MAX {
        return Err(WebError::BadBody);
    }
    let things = app.backend.kept_things(kind).await?;
    let ids = things.iter().map(|kept| kept.thing.clone()).collect();
    let (names, now) = (app.backend.names(ids).await, app.backend.now().await?);
    let found = filter(&things, &names, &name);
    Ok(Html(list(&found, now.at, format::zone(&now.zone)).into_string()))
}

/// What was found, by name, and how many could not be told apart because nobody names them now.
struct FoundThings<'a> {
    rows: Vec<(&'a KeptThing, Option<&'a str>)>,
    unnamed: usize,
}

/// Those whose name holds the words, whatever their case; without words all of them.
fn filter<'a>(things: &'a [KeptThing], names: &'a DisplayNames, wanted: &str) -> FoundThings<'a> {
    let wanted = wanted.trim().to_lowercase();
    let named = things.iter().map(|kept| {
        let known = names.get(id_of(&kept.thing));
        (kept, kept.own_name.as_deref().or(known))
    });
    if wanted.is_empty() {
        let rows = named.collect();
        return FoundThings { rows, unnamed: 0 };
    }
    let (with, without): (Vec<_>, Vec<_>) = named.partition(|(_, name)| name.is_some());
    let fits = |name: &str| name.to_lowercase().contains(&wanted);
    FoundThings {
        rows: with
            .into_iter()
            .filter(|(_, name)| name.is_some_and(fits))
            .collect(),
        unnamed: without.len(),
    }
}

fn list(found: &FoundThings<'_>, now: Timestamp, zone: Tz) -> Markup {
    let row = |kept: &KeptThing, name: Option<&str>| {
        let shown = name.unwrap_or_else(|| words::thing_without_name(&kept.thing));
        html! {
            li {
                p.head {
                    @if matches!(kept.thing, ThingId::Person(_) | ThingId::Channel(_)) {
                        a.what href={ "/people/" (id_of(&kept.thing)) } { bdi { (shown) } }
                    } @else { span.what { bdi { (shown) } } }
                    form data-post="/form/forget/count" data-into="forget-look" {
                        input type="hidden" name="thing" value=(id_of(&kept.thing));
                        button.plain type="submit" aria-label=(words::forget_this(shown)) { (words::FORGET_ONE) }
                    }
                }
                @let when = format::clock_on(kept.at, now, zone);
                p.note { (if kept.at > now { words::comes_on(&when) } else { words::seen_last(&when) }) }
            }
        }
    };
    html! {
        @if found.rows.is_empty() { p.none { (words::FIND_NOTHING) } }
        @else {
            ul.rows { @for (kept, name) in found.rows.iter().take(SHOWN_MAX) { (row(kept, *name)) } }
            @if found.rows.len() > SHOWN_MAX { p.note { (words::find_more(found.rows.len() - SHOWN_MAX)) } }
        }
        @if found.unnamed > 0 { p.note { (words::find_unnamed(found.unnamed)) } }
    }
}

/// The block in which what is remembered is looked through.
pub(super) fn find_block() -> Markup {
    html! {
        section.block #find aria-labelledby="find-title" {
            h2 #find-title { (icon(IconName::Find)) (words::FIND) }
            p.says { (words::FIND_SAYS) }
            form.settings data-post="/form/memory/find" data-into="found" {
                label { (words::FIND_KIND)
                    select name="kind" {
                        @for kind in KeptKind::ALL { option value=(kind.as_str()) { (words::kept_kind(kind)) } }
                    }
                }
                label { (words::FIND_NAME) input type="search" name="name" autocomplete="off" maxlength=(NAME_MAX); }
                p.buttons { button.side type="submit" { (words::FIND_DO) } }
            }
            div #found aria-live="polite" {}
        }
    }
}

/// `POST /form/memory/copy/preview`
pub(super) async fn preview_copy(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> MemoryPart {
    let choice: CopyChoice = body?.read()?;
    let preview = app.backend.preview_copy(choice).await?;
    Ok(Html(
        copy_preview(choice, &preview, may_add(&app, &headers)).into_string(),
    ))
}

/// `POST /form/memory/copy`: what leaves, leaves only by the browser that was shown to be the owner's.
pub(super) async fn copy(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Response, WebError> {
    let choice: CopyChoice = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let written = app.backend.write_copy(choice).await?;
    let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
    Ok((kind, Body::from_stream(ReceiverStream::new(written))).into_response())
}

/// `POST /form/memory/clock`
pub(super) async fn confirm_clock(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> MemoryPart {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ClockBody {}
    let ClockBody {} = body?.read()?;
    app.backend.confirm_clock().await?;
    Ok(Html(html! { p.says { (words::CLOCK_CONFIRMED) } }.into_string()))
}

/// Where what is old waits for a clock that may be wrong.
pub(super) fn clock_block() -> Markup {
    html! {
        section.block #clock aria-labelledby="clock-title" {
            h2 #clock-title { (words::CLOCK_WAITS) }
            div #clock-said aria-live="polite" {
                p.says { (words::CLOCK_CONFIRM_SAYS) }
                form data-post="/form/memory/clock" data-into="clock-said" {
                    p.buttons { button.side type="submit" { (words::CLOCK_CONFIRM) } }
                }
            }
        }
    }
}

const READERS: [CopyReader; 4] = [
    CopyReader::Myself,
    CopyReader::Friend,
    CopyReader::Clinician,
    CopyReader::Anybody,
];
const FORMS: [CopyForm; 3] = [CopyForm::Whole, CopyForm::Calendar, CopyForm::Journal];

/// The name as a form sends it.
fn form_value(choice: impl serde::Serialize) -> String {
    let text = serde_json::to_value(choice).unwrap_or_default();
    text.as_str().unwrap_or_default().to_owned()
}

/// The block in which a copy is chosen.
pub(super) fn copy_block() -> Markup {
    html! {
        section.block #copy aria-labelledby="copy-title" {
            h2 #copy-title { (words::COPY) }
            p.says { (words::COPY_SAYS) }
            form.settings data-post="/form/memory/copy/preview" data-into="copy-look" {
                label { (words::COPY_FOR)
                    select name="reader" {
                        @for reader in READERS { option value=(form_value(reader)) { (words::copy_reader(reader)) } }
                    }
                }
                label { (words::COPY_FORM)
                    select name="form" {
                        @for form in FORMS { option value=(form_value(form)) { (words::copy_form(form)) } }
                    }
                }
                p.buttons { button.side type="submit" { (words::COPY_LOOK) } }
            }
            div #copy-look aria-live="polite" {}
        }
    }
}

fn copy_preview(choice: CopyChoice, preview: &CopyPreview, may_add: bool) -> Markup {
    html! {
        p.says { (words::copy_holds(preview.rows, preview.bytes)) }
        @if preview.removed.is_empty() { p.note { (words::COPY_WHOLE) } }
        @else {
            ul.rows { @for (class, done, count) in &preview.removed {
                li { p.head { span.what { (words::copy_class(class)) } span.value { (words::copy_removed(done, *count)) } } }
            } }
        }
        details {
            summary { (words::COPY_BEGINS) }
            pre dir="auto" tabindex="0" { @for line in &preview.begins { (line) "\n" } }
        }
        @if may_add {
            form data-download="/form/memory/copy" data-name=(words::copy_file(choice.form)) {
                input type="hidden" name="reader" value=(form_value(choice.reader));
                input type="hidden" name="form" value=(form_value(choice.form));
                p.buttons { button.main type="submit" { (words::COPY_SAVE) } }
            }
        } @else { p.note { (words::COPY_NOT_HERE) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(id: &str, own_name: Option<&str>) -> KeptThing {
        KeptThing {
            thing: ThingId::parse(id).unwrap(),
            at: Timestamp::from_ms(0),
            own_name: own_name.map(str::to_owned),
        }
    }

    #[test]
    fn names_are_found_by_any_part_and_the_owners_own_name_counts_first() {
        let things = [
            kept("pe_0000000000000001", None),
            kept("pe_0000000000000002", Some("My sister")),
            kept("pe_0000000000000003", None),
        ];
        let names: DisplayNames = [
            ("pe_0000000000000001".to_owned(), "Ümit Ånders".to_owned()),
            ("pe_0000000000000002".to_owned(), "R. Anders".to_owned()),
        ]
        .into_iter()
        .collect();
        // (looked for, found, without a name)
        for (wanted, found, unnamed) in [
            ("", vec![1, 2, 3], 0),
            ("  ", vec![1, 2, 3], 0),
            ("ÜMIT", vec![1], 1),
            ("ånd", vec![1], 1),
            ("sister", vec![2], 1),
            ("anders", vec![], 1),
        ] {
            let by = filter(&things, &names, wanted);
            let ids: Vec<usize> = by
                .rows
                .iter()
                .filter_map(|(kept, _)| id_of(&kept.thing).trim_start_matches("pe_").parse().ok())
                .collect();
            assert_eq!((ids, by.unnamed), (found, unnamed), "{wanted:?}");
        }
    }
}
