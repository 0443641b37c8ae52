//! Forgetting on the page Memory.
//!
//! What: the block with its forms, and the handlers of what they send. Why: what is kept about somebody is theirs to end, where they see it. Not here:
//! doing it (the backend).

use super::{
    api::JsonBody, error::WebError, forgotten_notice::DeletionNews, same_person, settings_page::may_add,
    shell, state::AppState,
};
use crate::render::section::{
    people::{id_of, thing_of},
    same_people::rows_about,
};
use axum::{extract::State, http::HeaderMap, response::Html};
use chrono::NaiveDate;
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use surfaces_base::{
    backend::{
        forgetting::{CALL_OFF_WITHIN, ForgetChoice, ForgetStage, Forgetting, RemovedBySort},
        memory::KeptKind,
    },
    format,
    words::{self, AlsoForgotten},
};
use toolcall_schema::{
    catalogue::{learning::LearnedThing, shared::ThingId},
    forget::MeasuredKind,
    rule::OwnerRule,
};

/// What a form sends: a day, a thing, a kind, or that all there is should go.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForgetBody {
    #[serde(default)]
    day: Option<NaiveDate>,
    #[serde(default)]
    thing: Option<ThingId>,
    #[serde(default)]
    kind: Option<ForgettableKind>,
    #[serde(default)]
    all: Option<AllMark>,
}

/// A kind as the form names it.
#[derive(Deserialize)]
#[serde(untagged)]
enum ForgettableKind {
    Kept(KeptKind),
    Measured(MeasuredKind),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AllMark {
    Yes,
}

impl ForgetBody {
    fn choice(self) -> Result<ForgetChoice, WebError> {
        // A message alone cannot be forgotten: its chat or its sender can.
        let thing = self.thing.filter(|thing| KeptKind::from_thing(thing).is_some());
        match (self.day, thing, self.kind, self.all) {
            (Some(day), None, None, None) => Ok(ForgetChoice::Day(day)),
            (None, Some(thing), None, None) => Ok(ForgetChoice::Thing(thing)),
            (None, None, Some(ForgettableKind::Kept(kind)), None) => Ok(ForgetChoice::Kind(kind)),
            (None, None, Some(ForgettableKind::Measured(kind)), None) => Ok(ForgetChoice::Measured(kind)),
            (None, None, None, Some(AllMark::Yes)) => Ok(ForgetChoice::Everything),
            _ => Err(WebError::BadBody),
        }
    }
}

/// Whether so much goes that only the browser may that was shown to be the owner's: another device can be stolen.
fn needs_proof(what: &ForgetChoice) -> bool {
    match what {
        ForgetChoice::Day(_) | ForgetChoice::Thing(_) => false,
        ForgetChoice::Kind(_) | ForgetChoice::Measured(_) | ForgetChoice::Everything => true,
    }
}

/// What it is called, for a sentence. Asked for this answer, and kept nowhere.
async fn name(app: &AppState, what: &ForgetChoice) -> String {
    match what {
        ForgetChoice::Day(day) => format::date(*day),
        ForgetChoice::Thing(thing) => {
            let named = app.backend.names(BTreeSet::from([thing.clone()])).await;
            let name = named.get(id_of(thing));
            name.unwrap_or_else(|| words::thing_without_name(thing))
                .to_owned()
        }
        ForgetChoice::Kind(_) | ForgetChoice::Measured(_) | ForgetChoice::Everything => String::new(),
    }
}

/// What a deletion that can still be called off is about, by its name. That is not asked for once it goes.
pub(super) async fn whom(app: &AppState, now: Option<&Forgetting>) -> String {
    match now {
        Some(now) if matches!(now.stage, ForgetStage::Waits(_)) => name(app, &now.what).await,
        Some(_) | None => String::new(),
    }
}

/// The parameters of a page on which something can be forgotten.
#[derive(Deserialize)]
pub(super) struct OpenParams {
    /// The page is open already: what was forgotten on it is said on it.
    #[serde(default)]
    pub(super) open: bool,
    /// See [`DeletionNews::since`].
    pub(super) since: Option<u64>,
}

type Part = Result<Html<String>, WebError>;

/// `POST /form/forget/count`
pub(super) async fn count(State(app): State<Arc<AppState>>, body: Result<JsonBody, WebError>) -> Part {
    let what = body?.read::<ForgetBody>()?.choice()?;
    let name = name(&app, &what).await;
    let removed = app.backend.count_forgettable(what.clone()).await?;
    let removed = removed.ok_or(WebError::NotFound)?;
    let beside = match sender_of(&what) {
        Some(about) => Some(beside_kept(&app, &about).await?),
        None => None,
    };
    Ok(Html(
        would_go(&what, &name, &removed, beside.as_ref()).into_string(),
    ))
}

/// Whom it is about, where that is a person or a chat.
fn sender_of(what: &ForgetChoice) -> Option<LearnedThing> {
    match what {
        ForgetChoice::Thing(ThingId::Person(person)) => Some(LearnedThing::Person(person.clone())),
        ForgetChoice::Thing(ThingId::Channel(chat)) => Some(LearnedThing::Channel(chat.clone())),
        ForgetChoice::Thing(_)
        | ForgetChoice::Day(_)
        | ForgetChoice::Kind(_)
        | ForgetChoice::Measured(_)
        | ForgetChoice::Everything => None,
    }
}

/// What goes with a person or a chat beside what the store counts.
struct BesideKept {
    /// How many entries their page lists.
    known: u64,
    /// What Comms and the machine hold, in words.
    also: Vec<String>,
}

async fn beside_kept(app: &AppState, about: &LearnedThing) -> Result<BesideKept, WebError> {
    let same = app.backend.same_people().await.unwrap_or_default();
    let kept = same_person::kept_about(app, about, Some(&same)).await?;
    let said = app.backend.correspondent(thing_of(about)).await;
    let now = app.backend.now().await?;
    let is_about = |rule: &&OwnerRule| {
        rule.subject
            .as_ref()
            .is_some_and(|of| of.as_str() == about.as_str())
    };
    let mutes = app.backend.status().await?.mutes;
    let also = AlsoForgotten {
        messages: said.as_ref().map_or(0, |said| said.day),
        waiting: said.as_ref().map_or(0, |said| said.waiting),
        learned_of: said.as_ref().map_or(0, |said| said.received),
        is_let_through: said.is_some_and(|said| said.let_through == Some(true)),
        rules: now.rules.iter().filter(is_about).count(),
        is_muted: mutes.keys().any(|chat| chat.as_str() == about.as_str()),
        same_people: rows_about(&same, about).count(),
    };
    Ok(BesideKept {
        known: kept.total(),
        also: words::also_forgotten(&also),
    })
}

/// `POST /form/forget`
pub(super) async fn forget(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Part {
    let what = body?.read::<ForgetBody>()?.choice()?;
    if needs_proof(&what) && !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    app.forgotten.begin();
    let begun = app.backend.forget_soon(what).await?;
    let begun = begun.ok_or(WebError::NotFound)?;
    let whom = whom(&app, Some(&begun)).await;
    Ok(Html(progress(Some(&begun), &whom).into_string()))
}

/// `POST /form/forget/undo`
pub(super) async fn undo(State(app): State<Arc<AppState>>) -> Part {
    let now = app.backend.call_off().await?;
    let whom = whom(&app, now.as_ref()).await;
    let says = now.map_or_else(
        || html! { p.says { (words::FORGET_CALLED_OFF) } },
        |now| progress(Some(&now), &whom),
    );
    Ok(Html(says.into_string()))
}

/// The block on the page.
pub(super) fn block(news: &DeletionNews, whom: &str, may_add: bool) -> Markup {
    html! {
        // The page that is open looks at another address than a visit: what was forgotten stays on it.
        section.block #forget aria-labelledby="forget-title" data-fragment={ "/memory?since=" (news.since) } {
            h2 #forget-title { (words::FORGET) }
            p.says { (words::FORGET_SAYS) }
            form.settings data-post="/form/forget/count" data-into="forget-look" {
                label { (words::FORGET_DAY) input type="date" name="day" required; }
                p.buttons { button.side type="submit" { (words::FORGET_LOOK) } }
            }
            @if may_add {
                form.settings data-post="/form/forget/count" data-into="forget-look" {
                    label { (words::FORGET_KIND)
                        select name="kind" {
                            @for kind in KeptKind::ALL { option value=(kind.as_str()) { (words::kept_kind(kind)) } }
                            @for kind in MeasuredKind::ALL { option value=(kind.as_str()) { (words::measured_kind(*kind)) } }
                        }
                    }
                    p.buttons { button.side type="submit" { (words::FORGET_LOOK_KIND) } }
                }
                form.settings data-post="/form/forget/count" data-into="forget-look" {
                    input type="hidden" name="all" value="yes";
                    p.buttons { button.side type="submit" { (words::FORGET_LOOK_ALL) } }
                }
            }
            (progress_of(news.now.as_ref(), whom))
        }
    }
}

/// The form that counts what would go with one thing.
pub(super) fn thing_form(thing: &ThingId, name: &str) -> Markup {
    html! {
        form data-post="/form/forget/count" data-into="forget-look" {
            input type="hidden" name="thing" value=(id_of(thing));
            p.buttons { button.side type="submit" aria-label=(words::forget_this(name)) { (words::FORGET_ONE) } }
        }
    }
}

/// What that form and the deletion say.
pub(super) fn progress_of(now: Option<&Forgetting>, whom: &str) -> Markup {
    html! { div #forget-look aria-live="polite" { (progress(now, whom)) } }
}

fn would_go(what: &ForgetChoice, name: &str, removed: &RemovedBySort, beside: Option<&BesideKept>) -> Markup {
    html! {
        @if removed.is_empty() && beside.is_none_or(|beside| beside.also.is_empty()) {
            p.says { (words::FORGET_NOTHING) }
        } @else {
            p.says dir="auto" { (words::forget_would_go(what, name)) }
            (sorts(what, removed))
            @if let Some(BesideKept { known, also }) = beside {
                p.note dir="auto" { (words::forget_beside_known(name, *known, removed.values().sum())) }
                @if !also.is_empty() {
                    p.says { (words::FORGET_ALSO) }
                    ul.rows { @for sort in also { li { p.head { span.what { (sort) } } } } }
                }
            }
            form data-post="/form/forget" data-into="forget-look" {
                @match what {
                    ForgetChoice::Day(day) => input type="hidden" name="day" value=(day);,
                    ForgetChoice::Thing(thing) => input type="hidden" name="thing" value=(id_of(thing));,
                    ForgetChoice::Kind(kind) => input type="hidden" name="kind" value=(kind.as_str());,
                    ForgetChoice::Measured(kind) => input type="hidden" name="kind" value=(kind.as_str());,
                    ForgetChoice::Everything => input type="hidden" name="all" value="yes";,
                }
                p.buttons { button.main type="submit" { (words::FORGET_IT) } }
            }
        }
    }
}

/// How far it is. A region of its own, so that the page's next look takes it up; empty where Aura knows of none, as after a start.
fn progress(now: Option<&Forgetting>, whom: &str) -> Markup {
    html! { div #forgetting data-region { @if let Some(now) = now { (stage(now, whom)) } } }
}

fn stage(now: &Forgetting, whom: &str) -> Markup {
    let again = html! { span data-again-ms=(shell::AGAIN_MS) hidden {} };
    match &now.stage {
        ForgetStage::Waits(left) => html! {
            (again)
            p.says dir="auto" { (words::forget_waits_whom(&now.what, whom)) }
            (time_left(*left))
            form data-post="/form/forget/undo" data-into="forget-look" {
                p.buttons { button.side type="submit" { (words::FORGET_UNDO) } }
            }
        },
        ForgetStage::Goes => html! { (again) p.says data-going { (words::FORGET_GOES) } },
        ForgetStage::CalledOff => html! { p.says { (words::FORGET_CALLED_OFF) } },
        ForgetStage::Failed(why) => html! { p.says { (words::forget_failed(why)) } },
        ForgetStage::Gone(removed) => html! {
            p.says { (words::forget_gone(&now.what)) }
            (sorts(&now.what, removed))
            @if sender_of(&now.what).is_some() { p.note { (words::FORGET_ALSO_GONE) } }
        },
    }
}

/// How long it can be called off. The seconds are for the eye: a screen reader hears once how many there are.
fn time_left(left: Duration) -> Markup {
    let text = words::FORGET_WAITS_LEFT.say();
    let (before, after) = text.split_once("{}").unwrap_or((text, ""));
    html! {
        div.left data-going data-left-ms=(left.as_millis()) data-whole-ms=(CALL_OFF_WITHIN.as_millis()) {
            span.visually-hidden { (words::FORGET_WAITS) }
            span aria-hidden="true" { (before) b data-seconds { (left.as_millis().div_ceil(1000)) } (after) }
            span.bar aria-hidden="true" {}
        }
    }
}

fn sorts(what: &ForgetChoice, removed: &RemovedBySort) -> Markup {
    let of_sender = matches!(
        what,
        ForgetChoice::Thing(ThingId::Person(_) | ThingId::Channel(_))
    );
    html! { ul.rows { @for sort in words::removed_sorts(removed, of_sender) { li { p.head { span.what { (sort) } } } } } }
}
