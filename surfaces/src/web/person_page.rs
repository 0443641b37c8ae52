//! The page about one person or chat.
//!
//! What: who they are to the owner, what can be done about them, and everything that is kept. Why: a name on any page leads somewhere, and what is known of
//! Miriam is said whole. Not here: figures and sentences (`render::section::people`), forgetting (`forget_page`), the acts themselves (`owner`, `names`,
//! `learned`): there is one way for each.

use super::{
    acts_page,
    error::WebError,
    forget_page::{self, OpenParams},
    forgotten_notice::DeletionNews,
    learned, let_through, names, same_person, sections,
    shell::{self, AppSection, BelowFrame},
    state::AppState,
};
use crate::render::{
    feedback::nameless_within,
    rule_request::RuleRequest,
    section::{
        known_rows::{KnownSort, known_sorts},
        people::{
            ROWS_MAX, counts, id_of, ids, known_name, learned_row, nameless_in, place_name, places, thing_of,
        },
        same_people::other_addresses,
    },
    sender_link::SenderLink,
};
use axum::{
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
    response::{Html, IntoResponse as _, Redirect, Response},
};
use chrono_tz::Tz;
use maud::{Markup, html};
use std::{collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::{
        DisplayNames, NowView, TRACES_MAX,
        forgetting::{ForgetChoice, Forgetting},
        people::{KeptAbout, MessageWay},
    },
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        correspondent::{Correspondent, SamePeopleList},
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::ChannelHash,
    rule::OwnerRule,
    tick::Subject,
};

/// Everything that the page shows of one.
struct PersonView {
    about: LearnedThing,
    /// May be a name from outside.
    name: String,
    /// The same; `None`: nobody names it.
    known_as: Option<String>,
    kept: KeptAbout,
    said: Option<Correspondent>,
    /// By mail, or through which programs.
    ways: Vec<MessageWay>,
    /// Whom the owner put together; `None`: Comms does not say.
    same: Option<SamePeopleList>,
    names: DisplayNames,
    muted_until: Option<Timestamp>,
    rules: Vec<OwnerRule>,
    forgetting: DeletionNews,
    /// Interruptions a day.
    ceiling: u8,
    now: (Timestamp, Tz),
}

impl PersonView {
    /// Whether Comms says that there is nothing: they were forgotten while the page is open.
    fn is_gone(&self) -> bool {
        self.said.is_some() && self.is_nobody()
    }

    /// Whether there is nothing to say or to take back.
    fn is_nobody(&self) -> bool {
        let is_silent = |said: &Correspondent| {
            said.day == 0 && said.received == 0 && !said.wrote_to && said.let_through != Some(true)
        };
        self.kept.is_empty()
            && self.said.as_ref().is_none_or(is_silent)
            && self.muted_until.is_none()
            && self.rules.is_empty()
            && self
                .same
                .iter()
                .all(|list| other_addresses(list, &self.about).is_empty())
    }
}

/// The way to the page from a card, a drawer or an act.
pub(super) fn sender_link(link: &SenderLink) -> Markup {
    html! { p.more { a href={ (link.section()) (id_of(&link.thing)) } dir="auto" { (words::about_link(&link.name)) } } }
}

/// `GET /people/{id}`: a person, a chat, or who sent a message.
pub(super) async fn person(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    params: Result<Query<OpenParams>, QueryRejection>,
) -> Result<Response, WebError> {
    let Query(params) = params.map_err(|_| WebError::BadBody)?;
    let Ok(thing) = ThingId::parse(&id) else {
        return Ok(gone_page(&app));
    };
    let about = match &thing {
        ThingId::Person(person) => Some(LearnedThing::Person(person.clone())),
        ThingId::Channel(channel) => Some(LearnedThing::Channel(channel.clone())),
        ThingId::Item(_) => None,
        ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => return Ok(gone_page(&app)),
    };
    let said = app.backend.correspondent(thing).await;
    // Somebody's other addresses, and their messages, lead to them.
    let canonical = said.as_ref().map(|said| said.about.clone());
    match (about, canonical) {
        (None, None) => Ok(missing_page(
            &app,
            words::SENDER_UNKNOWN.say(),
            words::SENDER_UNKNOWN_SAYS.say(),
        )),
        (None, Some(whom)) => Ok(see(&whom)),
        (Some(about), Some(whom)) if about != whom => Ok(see(&whom)),
        (Some(about), _) => {
            let view = look(&app, about, said, params.since).await?;
            if view.is_nobody() && !params.open {
                return Ok(gone_page(&app));
            }
            let now = app.backend.now().await?;
            Ok(person_page(&app, &view, &now).await?.into_response())
        }
    }
}

fn see(whom: &LearnedThing) -> Response {
    Redirect::to(&format!("/people/{}", whom.as_str())).into_response()
}

async fn look(
    app: &AppState,
    about: LearnedThing,
    said: Option<Correspondent>,
    since: Option<u64>,
) -> Result<PersonView, WebError> {
    let (status, now) = (app.backend.status().await?, app.backend.now().await?);
    let same = app.backend.same_people().await;
    let kept = same_person::kept_about(app, &about, same.as_ref()).await?;
    let ways = same_person::ways_of(app, &about, same.as_ref()).await?;
    let mut named = ids(&about, &kept);
    named.extend(same_person::to_name(same.as_ref()));
    let names = app.backend.names(named).await;
    let thing = thing_of(&about);
    let is_this = |going: &Forgetting| going.what == ForgetChoice::Thing(thing.clone());
    let forgetting = app.backend.forgetting().await?.filter(is_this);
    let forgetting = app.forgotten.news(forgetting, since);
    let names_it = |rule: &&OwnerRule| {
        rule.subject
            .as_ref()
            .is_some_and(|of| of.as_str() == about.as_str())
    };
    let name = kept.own_name.clone().or_else(|| known_name(&about, &names));
    Ok(PersonView {
        name: name.clone().unwrap_or_else(|| {
            let chat = places(&about, &kept).into_iter().next();
            nameless_in(&about, chat.and_then(|(chat, _)| place_name(&chat, &names)))
        }),
        known_as: name,
        muted_until: muted_until(&about, &status.mutes, &now.rules, status.at),
        // A mute is said for itself.
        rules: now
            .rules
            .iter()
            .filter(|rule| names_it(rule) && rule.muted_person().is_none())
            .cloned()
            .collect(),
        ceiling: status.settings.ceiling,
        now: (status.at, format::zone(&status.settings.zone)),
        about,
        kept,
        said,
        ways,
        same,
        names,
        forgetting,
    })
}

fn muted_until(
    about: &LearnedThing,
    mutes: &BTreeMap<ChannelHash, Timestamp>,
    rules: &[OwnerRule],
    now: Timestamp,
) -> Option<Timestamp> {
    let until = match about {
        LearnedThing::Person(person) => {
            let mut muted = rules.iter().filter_map(OwnerRule::muted_person);
            muted.find(|(of, _)| of == person).map(|(_, until)| until)
        }
        LearnedThing::Channel(channel) => mutes.get(channel).copied(),
    };
    until.filter(|until| *until > now)
}

/// There is nobody of that id: in words, with 404.
fn gone_page(app: &AppState) -> Response {
    missing_page(app, words::PERSON_GONE.say(), words::PERSON_GONE_SAYS.say())
}

/// A page that says why there is nothing, with 404.
pub(super) fn missing_page(app: &AppState, title: &str, says: &str) -> Response {
    let content = html! { section.block aria-label=(title) { p.says { (says) } } };
    (StatusCode::NOT_FOUND, framed(app, None, title, &content)).into_response()
}

pub(super) fn framed(
    app: &AppState,
    fragment: Option<&str>,
    heading: &str,
    content: &Markup,
) -> Html<String> {
    let frame = BelowFrame {
        up: ("/people", words::PEOPLE.say()),
        surface: if fragment.is_some() { "app" } else { "none" },
        fragment,
        heading,
        heading_id: "who-title",
        // The browser keeps a title in its history: it names nobody.
        ..BelowFrame::new(AppSection::Chats, "/people/", words::PEOPLE.say())
    };
    frame.page(app, content)
}

async fn person_page(app: &AppState, view: &PersonView, now: &NowView) -> Result<Html<String>, WebError> {
    let traces = app.backend.traces(TRACES_MAX).await?;
    let done = acts_page::just_done(app, &traces, now, Some(&view.about)).await?;
    let main = html! {
        (who(view))
        (acts(view))
        // Below what can be done: what comes here moves none of its buttons.
        (acts_page::done_region(&done))
    };
    let beside = html! {
        (others(view))
        (all_known(view))
        (forget(view))
    };
    let content = shell::panes(&main, &beside);
    let fragment = format!(
        "/people/{}?open=true&since={}",
        view.about.as_str(),
        view.forgetting.since
    );
    let heading = if view.is_gone() {
        words::PERSON_GONE.say()
    } else {
        &view.name
    };
    Ok(framed(app, Some(&fragment), heading, &content))
}

/// Who it is, how loud, and how they are answered.
fn who(view: &PersonView) -> Markup {
    let said = view.said.as_ref();
    let source = said.and_then(|said| said.named_by);
    let own = view.kept.own_name.is_some();
    if view.is_gone() {
        return html! {
            section.block #who data-region aria-labelledby="who-title" {
                p.says { (words::PERSON_GONE_SAYS) }
                p.more { a href="/people" { (words::PEOPLE) } }
            }
        };
    }
    html! {
        section.block #who data-region aria-labelledby="who-title" {
            @if said.is_some() || own { p.says { (words::named_by(&view.about, own, source)) } }
            @if let Some(ways) = words::by_ways(&view.ways) { p.says { (ways) } }
            @if let Some(said) = said.filter(|said| said.addresses > 1) {
                p.says { (words::one_of_addresses(said.addresses)) }
            }
            @if said.is_none() { p.says data-again-ms=(shell::AGAIN_MS) { (words::PERSON_NOT_READ) } }
            ul.rows {
                @for row in counts(&view.kept, said, view.now) {
                    li {
                        p.head { (sections::name_of(&row)) span.value { (row.value) } }
                        @if let Some(note) = &row.note { p.note { (note) } }
                    }
                }
            }
        }
    }
}

/// What the owner can do, each with its effect.
fn acts(view: &PersonView) -> Markup {
    let id = view.about.as_str();
    if view.is_gone() {
        return html! { section.block #do data-region hidden {} };
    }
    html! {
        section.block #do data-region aria-labelledby="do-title" {
            h2 #do-title { (words::PERSON_DO) }
            (quiet(view))
            @if let Some(stands) = view.said.as_ref().and_then(|said| said.let_through) {
                (let_through::switch(&view.about, view.known_as.as_deref(), stands, view.ceiling))
            }
            @if let Some(row) = view.said.as_ref().and_then(learned_row) {
                ul.rows { (learned::row_about(&row, &view.name)) }
            } @else if let LearnedThing::Person(_) = view.about {
                p.says { (words::CLASS_SAYS) }
                p.row-buttons { (learned::class_buttons(id, &view.name)) }
            }
            @if !view.rules.is_empty() {
                h3 { (words::RULES_ABOUT) }
                ul.rules {
                    @for rule in &view.rules {
                        @let says = words::rule(rule, view.known_as.as_deref(), view.now);
                        li {
                            span dir="auto" { (says) }
                            button.plain type="button" data-unrule=(rule.name) aria-label=(words::remove_rule(&says)) {
                                (words::REMOVE)
                            }
                        }
                    }
                }
            }
            (names::form_for(&view.about, &view.name, view.kept.own_name.as_deref()))
            (same_person::section(&view.about, view.same.as_ref(), &view.names))
        }
    }
}

/// Mutes a chat or a person for one of three times.
pub(super) fn mute_buttons(about: &str, name: &str) -> Markup {
    html! {
        p.row-buttons {
            span { (words::MUTE) }
            @for (value, says) in words::MUTE_FOR {
                button.plain type="button" data-mute=(about) data-for=(value) aria-label=(words::mute_for(name, says.say())) { (says) }
            }
        }
    }
}

/// Ends a mute.
pub(super) fn unmute_button(about: &str, name: &str) -> Markup {
    html! { button.plain type="button" data-unmute=(about) aria-label=(words::unmute(name)) { (words::UNMUTE) } }
}

/// Muting for a time, and speaking of it no more.
fn quiet(view: &PersonView) -> Markup {
    let about = view.about.as_str();
    let rule = Subject::parse(about).ok().map(|subject| RuleRequest {
        subject: Some(subject),
        ..RuleRequest::default()
    });
    let stands = |request: &RuleRequest| view.rules.iter().any(|rule| request.is_said_by(rule));
    // Without a name it is called otherwise within a sentence than above it.
    let within = view.known_as.as_deref().unwrap_or(nameless_within(&view.about));
    let writer = view.known_as.as_deref().unwrap_or(words::THIS_SENDER.say());
    let effect = match view.about {
        LearnedThing::Person(_) => words::nothing_of(writer),
        LearnedThing::Channel(_) => words::rule_effect(within),
    };
    html! {
        @if let Some(until) = view.muted_until {
            p.row-buttons {
                b { (words::muted_until(&format::clock_on(until, view.now.0, view.now.1))) }
                (unmute_button(about, &view.name))
            }
        } @else { (mute_buttons(about, &view.name)) }
        @if let LearnedThing::Person(_) = view.about { p.says dir="auto" { (words::muted_person(writer)) } }
        @if let Some(rule) = rule.filter(|rule| !stands(rule)) {
            div.meanings {
                button type="button" data-teach=(serde_json::to_string(&rule).unwrap_or_default()) data-about=(about) {
                    b dir="auto" { (words::not_about(within)) } " " span dir="auto" { (effect) }
                }
            }
        }
    }
}

/// Where somebody writes, or who writes there.
fn others(view: &PersonView) -> Markup {
    let places = places(&view.about, &view.kept);
    let title = match view.about {
        LearnedThing::Person(_) => words::WRITES_IN.say(),
        LearnedThing::Channel(_) => words::WHO_WRITES.say(),
    };
    html! {
        section.block #others data-region aria-labelledby="others-title" hidden[places.is_empty()] {
            h2 #others-title { (title) }
            ul.rows {
                @for (other, messages) in &places {
                    li {
                        p.head {
                            a.what href={ "/people/" (other.as_str()) } {
                                bdi { (known_name(other, &view.names).unwrap_or_else(|| nameless_in(other, place_name(&view.about, &view.names)))) }
                            }
                            span.value { (words::messages_in_all(*messages)) }
                        }
                    }
                }
            }
        }
    }
}

/// Every kept row.
fn all_known(view: &PersonView) -> Markup {
    let sorts = known_sorts(&view.about, &view.kept, &view.names, view.now);
    html! {
        section.block #known data-region aria-labelledby="known-title" {
            h2 #known-title { (words::KNOWN) }
            @if sorts.is_empty() { p.says { (words::KNOWN_NOTHING) } }
            @else { p.says data-total=(view.kept.total()) { (words::known_total(&view.about, &view.kept)) } }
            @if view.said.as_ref().is_some_and(|said| said.let_through == Some(true)) {
                p.says dir="auto" { (words::is_let_through(view.known_as.as_deref().unwrap_or(nameless_within(&view.about)))) }
            }
            @for says in same_person::known_pairs(&view.about, view.same.as_ref(), &view.names) { p.says dir="auto" { (says) } }
            @for sort in &sorts { (known_sort(sort)) }
        }
    }
}

fn known_sort(sort: &KnownSort) -> Markup {
    let shown = u64::try_from(sort.rows.len()).unwrap_or(u64::MAX);
    html! {
        details id=(sort.id) open[sort.rows.len() <= ROWS_MAX / 10] {
            summary { (sort.title) " (" (sort.all) ")" }
            ul.rows {
                @for row in &sort.rows {
                    li {
                        @if let Some(trace) = &row.trace {
                            a href={ "/trace/" (trace) } data-drawer=(trace) dir="auto" { (row.says) }
                        } @else { p dir="auto" { (row.says) } }
                    }
                }
            }
            @if sort.all > shown { p.note { (words::known_more(sort.all - shown)) } }
        }
    }
}

/// Forgetting: what would go first.
fn forget(view: &PersonView) -> Markup {
    html! {
        section.block #forget aria-labelledby="forget-title" {
            h2 #forget-title { (words::FORGET) }
            p.says { (words::FORGET_THEM_SAYS) }
            (forget_page::thing_form(&thing_of(&view.about), &view.name))
            (forget_page::progress_of(view.forgetting.now.as_ref(), &view.name))
        }
    }
}
