//! Two senders as one person, by the owner's word.
//!
//! What: the form on somebody's page that looks for the other, the rows on that page and among the rules, and the one way that sets and takes back. Why:
//! contacts do not know every address and no account of a chat. Not here: who is one person (`agents`), its sentences (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    people_page::NAME_MAX,
    shell,
    state::AppState,
};
use crate::render::{
    feedback::learned_name,
    section::{
        people::{ListedKind, ListedSender, SenderOrder, find_senders, ids_of_list, say_ways, sort_senders},
        same_people::{combine_senders, combine_ways, other_addresses, rows_about},
    },
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        DisplayNames, OwnerCall,
        people::{KeptAbout, MessageWay},
    },
    format, words,
};
use toolcall_schema::{
    catalogue::{
        correspondent::{SamePeopleList, SamePeopleRow},
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::PersonHash,
};

/// Rows of one answer.
const FOUND_MAX: usize = 12;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SamePersonBody {
    other: String,
    same: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindPersonBody {
    name: String,
}

/// What is kept about somebody or a chat, with what was kept under a person's other addresses.
pub(super) async fn kept_about(
    app: &AppState,
    about: &LearnedThing,
    same: Option<&SamePeopleList>,
) -> Result<KeptAbout, WebError> {
    let mut kept = app.backend.kept_about(about.clone()).await?;
    for other in same.iter().flat_map(|list| other_addresses(list, about)) {
        kept.add(app.backend.kept_about(LearnedThing::Person(other)).await?);
    }
    Ok(kept)
}

/// By what somebody writes, at any of their addresses, or a chat is written in.
pub(super) async fn ways_of(
    app: &AppState,
    about: &LearnedThing,
    same: Option<&SamePeopleList>,
) -> Result<Vec<MessageWay>, WebError> {
    let others = same.into_iter().flat_map(|list| other_addresses(list, about));
    let all = others.map(LearnedThing::Person).chain([about.clone()]);
    let mut ways: Vec<MessageWay> = Vec::new();
    for way in app.backend.ways(all.collect()).await?.into_values().flatten() {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    Ok(ways)
}

/// `POST /v1/people/{person}/same`
pub(super) async fn set(
    State(app): State<Arc<AppState>>,
    Path(person): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let person = PersonHash::parse(&person).map_err(|_| WebError::NotFound)?;
    let SamePersonBody { other, same } = body?.read()?;
    let other = PersonHash::parse(&other).map_err(|_| WebError::BadBody)?;
    end(&app, OwnerCall::SamePerson(person, other, same), &headers).await
}

/// `POST /form/people/{person}/same`: people of that name, each with a button.
pub(super) async fn find(
    State(app): State<Arc<AppState>>,
    Path(person): Path<String>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let person = PersonHash::parse(&person).map_err(|_| WebError::NotFound)?;
    let FindPersonBody { name } = body?.read()?;
    if name.chars().count() > NAME_MAX {
        return Err(WebError::BadBody);
    }
    if name.trim().is_empty() {
        let says = html! { p.none { (words::SAME_PERSON_NO_NAME) } };
        return Ok(Html(says.into_string()));
    }
    let same = app.backend.same_people().await.unwrap_or_default();
    let about = LearnedThing::Person(person.clone());
    let known = other_addresses(&same, &about);
    let mut all = combine_senders(app.backend.people().await?, &same);
    all.retain(|sender| match &sender.about {
        LearnedThing::Person(one) => *one != person && !known.contains(one),
        LearnedThing::Channel(_) => false,
    });
    let senders = sort_senders(all, ListedKind::People, SenderOrder::Loudest);
    let ids = ids_of_list(senders.iter());
    let names = app.backend.names(ids).await;
    let status = app.backend.status().await?;
    let now = (status.at, format::zone(&status.settings.zone));
    let mut found = find_senders(&senders, &names, &name, &status.mutes, now);
    let people = found.rows.iter().map(|row| row.about.clone()).collect();
    say_ways(&mut found, &combine_ways(app.backend.ways(people).await?, &same));
    let more = found.more + found.rows.len().saturating_sub(FOUND_MAX);
    let markup = html! {
        @if found.rows.is_empty() { p.none { (words::NOBODY_FOUND) } }
        @else { ul.rows { @for row in found.rows.iter().take(FOUND_MAX) { (found_row(&person, row)) } } }
        @if more > 0 { p.note { (words::more_people(more)) } }
        @if found.unnamed > 0 { p.note { (words::people_unnamed(found.unnamed)) } }
    };
    Ok(Html(markup.into_string()))
}

fn found_row(person: &PersonHash, row: &ListedSender) -> Markup {
    html! {
        li {
            p.head {
                a.what href={ "/people/" (row.about.as_str()) } { bdi { (row.name) } }
                button.plain type="button" data-same=(person) data-other=(row.about.as_str()) data-is="true"
                    aria-label=(words::on_row(words::SAME_PERSON_DO.say(), &row.told_apart)) { (words::SAME_PERSON_DO) }
            }
            p.note { (row.value) ". " (row.note) }
        }
    }
}

/// On somebody's page: whom the owner put together, and the form that looks for another.
pub(super) fn section(about: &LearnedThing, list: Option<&SamePeopleList>, names: &DisplayNames) -> Markup {
    let LearnedThing::Person(person) = about else {
        return html! {};
    };
    let rows: Vec<&SamePeopleRow> = list
        .into_iter()
        .flat_map(|list| rows_about(list, about))
        .collect();
    html! {
        div #same {
            @if !rows.is_empty() {
                h3 #same-title { (words::SAME_PEOPLE) }
                ul.rules aria-labelledby="same-title" {
                    @for row in rows { li { span dir="auto" { (says(row, names)) } (take_back(row, names)) } }
                }
            }
            details {
                summary { (words::SAME_PERSON) }
                p.says { (words::SAME_PERSON_SAYS) }
                form.settings data-post={ "/form/people/" (person) "/same" } data-into="same-found" {
                    label { (words::FIND_NAME) input type="search" name="name" autocomplete="off" maxlength=(NAME_MAX); }
                    p.buttons { button.side type="submit" { (words::SAME_PERSON_FIND) } }
                }
                div #same-found aria-live="polite" {}
            }
        }
    }
}

/// Whom a page with the rows has to name.
pub(super) fn to_name(list: Option<&SamePeopleList>) -> impl Iterator<Item = ThingId> {
    let rows = list.into_iter().flat_map(|list| &list.rows);
    rows.flat_map(|row| [&row.person, &row.other])
        .cloned()
        .map(ThingId::Person)
}

/// Among the rules: everybody whom the owner put together, each with the way to take it back.
pub(super) fn rows(list: Option<&SamePeopleList>, names: &DisplayNames) -> Markup {
    html! {
        @match list {
            None => p.says data-again-ms=(shell::AGAIN_MS) { (words::SAME_PEOPLE_NOT_READ) },
            Some(list) if list.rows.is_empty() => {},
            Some(list) => {
                h3 #same-people-title { (words::SAME_PEOPLE) }
                ul.rules aria-labelledby="same-people-title" {
                    @for row in &list.rows {
                        li {
                            a href={ "/people/" (row.first) } dir="auto" { (says(row, names)) }
                            (take_back(row, names))
                        }
                    }
                }
            },
        }
    }
}

/// Among what is known of somebody.
pub(super) fn known_pairs(
    about: &LearnedThing,
    list: Option<&SamePeopleList>,
    names: &DisplayNames,
) -> Vec<String> {
    let rows = list.into_iter().flat_map(|list| rows_about(list, about));
    rows.map(|row| says(row, names)).collect()
}

fn says(row: &SamePeopleRow, names: &DisplayNames) -> String {
    let name = |person: &PersonHash| {
        let about = LearnedThing::Person(person.clone());
        learned_name(&about, names).to_owned()
    };
    words::is_same_person(&name(&row.person), &name(&row.other))
}

fn take_back(row: &SamePeopleRow, names: &DisplayNames) -> Markup {
    html! {
        button.plain type="button" data-same=(row.person) data-other=(row.other) data-is="false"
            aria-label=(words::on_row(words::TWO_PEOPLE_DO.say(), &says(row, names))) { (words::TWO_PEOPLE_DO) }
    }
}
