//! The welcome: from nothing to the first card.
//!
//! What: its screens, and the handler that notes how far its owner is. Why: what a new owner has to know and to say comes one thing at a time, each
//! can be left out, and after a restart it goes on where it was. Not here: the forms (`settings_page`), the card (`pages`).

use super::{
    account_forms, accounts_page,
    api::JsonBody,
    error::WebError,
    keys_page,
    notify_page::try_form,
    settings_page::{about_you, allow_forms, behaviour, desktop_section, look_place, may_add},
    shell::page,
    source_remedy::skipped_items,
    state::AppState,
    towns_page, web_push_page,
};
use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::{
        HealthFlag,
        accounts::AccountView,
        notify::NotifyChannel,
        settings::{DroppedStage, HomeFileView, ReadingView, SourceRestView, SourceState, SourceView},
    },
    format, words,
};
use toolcall_schema::{
    AgentName, SourceKind,
    tick::{RESTS_MAX, source_key},
};

/// How many screens there are.
const SCREENS: u8 = 6;

/// How often a page that waits for something to be read looks again: milliseconds.
pub(super) const READING_AGAIN_MS: u32 = 1500;

/// A screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WelcomeScreen {
    What,
    Key,
    Sources,
    You,
    Shown,
    FirstCard,
}

impl WelcomeScreen {
    fn of_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::What,
            2 => Self::Key,
            3 => Self::Sources,
            4 => Self::You,
            5 => Self::Shown,
            6 => Self::FirstCard,
            _ => return None,
        })
    }

    fn title(self) -> &'static str {
        match self {
            Self::What => words::WELCOME_WHAT.say(),
            Self::Key => words::WELCOME_KEY.say(),
            Self::Sources => words::WELCOME_SOURCES.say(),
            Self::You => words::WELCOME_YOU.say(),
            Self::Shown => words::WELCOME_SHOWN.say(),
            Self::FirstCard => words::WELCOME_FIRST.say(),
        }
    }
}

/// `GET /welcome`: the screen that comes next.
pub(super) async fn welcome(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> Result<Html<String>, WebError> {
    let view = app.backend.home_file().await?.ok_or(WebError::NotFound)?;
    let next = view.welcome.filter(|next| (1..=SCREENS).contains(next));
    show(&app, next.unwrap_or(1), &view, &headers).await
}

/// `GET /welcome/{screen}`
pub(super) async fn screen(
    State(app): State<Arc<AppState>>,
    Path(number): Path<String>,
    headers: HeaderMap,
) -> Result<Html<String>, WebError> {
    let number: u8 = number.parse().map_err(|_| WebError::NotFound)?;
    let view = app.backend.home_file().await?.ok_or(WebError::NotFound)?;
    show(&app, number, &view, &headers).await
}

async fn show(
    app: &AppState,
    number: u8,
    view: &HomeFileView,
    headers: &HeaderMap,
) -> Result<Html<String>, WebError> {
    let screen = WelcomeScreen::of_number(number).ok_or(WebError::NotFound)?;
    let content = match screen {
        WelcomeScreen::What => html! {
            @for sentence in words::WELCOME_WHAT_SAYS { p { (sentence) } }
        },
        WelcomeScreen::Key => {
            let key = app.backend.key().await?;
            html! {
                p { (words::WELCOME_KEY_SAYS) }
                p { (words::WELCOME_KEY_LOST) }
                @if let Some(key) = &key { (keys_page::content(key, may_add(app, headers))) }
            }
        }
        WelcomeScreen::Sources => {
            let found = app.backend.found_sources().await;
            let accounts = html! {
                @if may_add(app, headers) {
                    section aria-labelledby="add-account-title" {
                        h3 #add-account-title { (words::ACCOUNT_ADD) }
                        (account_forms::add_forms())
                    }
                }
            };
            // What is a click away comes first.
            let accounts_last = !found.is_empty();
            html! {
                p { (words::WELCOME_SOURCES_SAYS) }
                (allowed_sources(view))
                (allowed_accounts(app, view).await?)
                (reading_section(&app.backend.reading().await?, view, &app.backend.health().await?))
                @if !accounts_last { (accounts) }
                div #allowing data-region { (allow_forms(view, &found, may_add(app, headers))) }
                @if accounts_last { (accounts) }
            }
        }
        WelcomeScreen::You => html! {
            p { (words::WELCOME_YOU_SAYS) }
            form.settings #you data-settings data-shown=(view.shown) data-onward=(next_path(number)) data-next=(number + 1) {
                (about_you(&view.values, &view.fields))
                (towns_page::field(view))
                (behaviour(&view.values))
                (places_of(view))
                p.buttons { button.main type="submit" { (words::WELCOME_CONTINUE) } }
            }
            (towns_page::form())
        },
        WelcomeScreen::Shown => html! {
            (card_places(view, may_add(app, headers)))
            (web_push_page::section(app, view, headers).await)
            (desktop_section(view, may_add(app, headers)))
        },
        WelcomeScreen::FirstCard => html! {
            (first_card(view))
            (reading_section(&app.backend.reading().await?, view, &app.backend.health().await?))
            (wishes(view))
        },
    };
    let body = html! {
        div.page.welcome {
            header.top { h1.brand { (words::APP_NAME) } }
            p #status .status role="status" {}
            main #live tabindex="-1" {
                p.eyebrow { (words::welcome_step(number, SCREENS)) }
                progress max=(SCREENS) value=(number) aria-label=(words::welcome_step(number, SCREENS)) {}
                h2 { (screen.title()) }
                (content)
                (onward(screen, number))
            }
            noscript { p.status { (words::NEEDS_SCRIPT) } }
        }
        dialog #drawer aria-labelledby="drawer-title" {}
    };
    let surface = if screen == WelcomeScreen::FirstCard {
        "phone"
    } else {
        "none"
    };
    let token = Some(app.door.keys.page());
    Ok(page(words::WELCOME_TITLE_PAGE.say(), Some(surface), token, &body))
}

fn next_path(number: u8) -> String {
    format!("/welcome/{}", number + 1)
}

/// The way on, past and out.
fn onward(screen: WelcomeScreen, number: u8) -> Markup {
    html! {
        p.buttons {
            @match screen {
                WelcomeScreen::FirstCard => button.main type="button" data-welcome="" data-onward="/" { (words::WELCOME_FINISH) },
                // Its form has the button that goes on.
                WelcomeScreen::You => button.plain type="button" data-welcome=(number + 1) data-onward=(next_path(number)) { (words::WELCOME_SKIP) },
                WelcomeScreen::What | WelcomeScreen::Key | WelcomeScreen::Sources | WelcomeScreen::Shown => {
                    button.main type="button" data-welcome=(number + 1) data-onward=(next_path(number)) { (words::WELCOME_CONTINUE) }
                }
            }
            @if number > 1 { a.plain href={ "/welcome/" (number - 1) } { (words::BACK) } }
            @if screen != WelcomeScreen::FirstCard {
                button.plain type="button" data-welcome="" data-onward="/" { (words::WELCOME_LEAVE) }
            }
        }
    }
}

/// What is read already.
fn allowed_sources(view: &HomeFileView) -> Markup {
    html! {
        @if !view.sources.is_empty() {
            ul.rows {
                @for source in &view.sources {
                    li {
                        p.head { span.what { (words::source_list(source.source.list)) } }
                        p.note dir="auto" { bdi { (source.place) } " " (words::source_state(source.state)) }
                    }
                }
            }
        }
    }
}

/// What is read on servers, and how that stands.
async fn allowed_accounts(app: &AppState, view: &HomeFileView) -> Result<Markup, WebError> {
    if view.accounts.is_empty() {
        return Ok(html! {});
    }
    let now = app.backend.now().await?;
    let at = (now.at, format::zone(&now.zone));
    let waits = view.accounts.iter().any(is_awaited);
    Ok(html! {
        section #allowed-accounts data-region aria-label=(words::ACCOUNTS) data-again-ms=[waits.then_some(READING_AGAIN_MS)] {
            ul.rows {
                @for account in &view.accounts {
                    li {
                        p.head { span.what { (words::account_kind(account.kind)) } }
                        (accounts_page::standing(account, at))
                    }
                }
            }
        }
    })
}

/// Whether it is to be looked at for the first time.
fn is_awaited(account: &AccountView) -> bool {
    !account.is_paused && account.reached_at.is_none() && account.problem.is_none()
}

/// Whether its agent has not read since something new came from there.
fn is_unread(account: &AccountView, read: &BTreeMap<AgentName, ReadingView>) -> bool {
    let read_at = read.get(&account.kind.list().agent()).and_then(|read| read.at);
    account.new > 0 && !account.is_paused && account.reached_at > read_at
}

/// The calendars, each with the places that it names: how far they are is asked here too.
fn places_of(view: &HomeFileView) -> Markup {
    let calendars: Vec<&SourceView> = view
        .sources
        .iter()
        .filter(|source| source.source.list == SourceKind::Calendar && source.state == SourceState::There)
        .collect();
    html! {
        @if !calendars.is_empty() {
            section #places aria-labelledby="places-title" {
                h3 #places-title { (words::PLACES_TITLE) }
                ul.rows data-shown=(view.shown) {
                    @for calendar in calendars {
                        li {
                            p.note dir="auto" { bdi { (calendar.place) } }
                            (look_place(&calendar.source))
                        }
                    }
                }
            }
        }
    }
}

fn card_places(view: &HomeFileView, may_add: bool) -> Markup {
    // `set_up`: where it is, for what is not there yet.
    let row =
        |name: &str, says: &str, link: Option<&str>, channel: Option<NotifyChannel>, set_up: Option<&str>| {
            html! {
                li {
                    p.head {
                        @match link { Some(to) => a.what href=(to) { (name) }, None => span.what { (name) } }
                    }
                    p.note { (says) }
                    @if let Some(to) = set_up { p { a href=(to) { (words::SET_UP) } } }
                    @if let Some(channel) = channel.filter(|_| may_add) { (try_form(channel)) }
                }
            }
        };
    let ntfy = if view.has_ntfy {
        words::WELCOME_NTFY_ON.say()
    } else {
        words::WELCOME_NTFY_OFF.say()
    };
    let speech = if view.has_speech {
        words::WELCOME_SPEECH_ON.say()
    } else {
        words::WELCOME_SPEECH_OFF.say()
    };
    html! {
        ul.rows {
            (row(words::WELCOME_PAGE.say(), words::WELCOME_PAGE_SAYS.say(), None, None, None))
            (row(words::WELCOME_WATCH.say(), words::WELCOME_WATCH_SAYS.say(), Some("/watch"), Some(NotifyChannel::Watch), None))
            (row(words::WELCOME_NTFY.say(), ntfy, None, view.has_ntfy.then_some(NotifyChannel::Phone), (!view.has_ntfy).then_some("/settings#ntfy.server")))
            (row(words::WELCOME_SPEECH.say(), speech, None, view.has_speech.then_some(NotifyChannel::Speech), (!view.has_speech).then_some("/settings#speech.enabled")))
        }
    }
}

/// The card as on the page Now, and the button that has Aura look; without any source, what is needed for one.
fn first_card(view: &HomeFileView) -> Markup {
    html! {
        @if view.sources.is_empty() && view.dropped.is_empty() && view.accounts.is_empty() {
            p { (words::WELCOME_NOTHING_READ) }
            p { a href="/welcome/3" { (words::WELCOME_TO_SOURCES) } }
        } @else {
            p { (words::WELCOME_LOOK_SAYS) }
            p.buttons { button.main type="button" data-tick { (words::WELCOME_LOOK) } }
            section #now data-region data-fragment="/fragment/now?welcome=true" aria-live="polite" aria-label=(words::NOW) {}
            section #done data-region aria-live="polite" aria-label=(words::JUST_DONE) {}
        }
    }
}

/// How much was read, agent by agent, where the owner allowed something for it.
/// `health`: what is not as it should be.
pub(super) fn reading_section(
    read: &BTreeMap<AgentName, ReadingView>,
    view: &HomeFileView,
    health: &[HealthFlag],
) -> Markup {
    let agents: Vec<AgentName> = AgentName::FOUR
        .into_iter()
        .filter(|agent| {
            let sources = view.sources.iter().map(|source| source.source.list);
            let accounts = view.accounts.iter().map(|account| account.kind.list());
            let dropped = view.dropped.iter().map(|file| file.kind);
            let mut lists = sources.chain(dropped).chain(accounts);
            lists.any(|list| list.agent() == *agent)
        })
        .collect();
    let waits = agents
        .iter()
        .any(|agent| read.get(agent).is_none_or(|read| read.left > 0))
        || view
            .dropped
            .iter()
            .any(|file| file.stage == DroppedStage::Reading)
        || view
            .accounts
            .iter()
            .any(|account| is_awaited(account) || is_unread(account, read));
    let troubles: Vec<String> = health.iter().filter_map(|flag| trouble(*flag, &agents)).collect();
    let waits = waits || !troubles.is_empty();
    html! {
        // There from the beginning, so that a page that is open shows it as soon as something is allowed.
        section #reading data-region hidden[agents.is_empty()] aria-labelledby="reading-title" data-again-ms=[waits.then_some(READING_AGAIN_MS)] {
            h3 #reading-title { (words::WELCOME_READ) }
            @for says in &troubles { p.flag { (says) } }
            ul.rows { @for agent in &agents { (agent_row(*agent, read.get(agent), view)) } }
            @if !view.dropped.is_empty() {
                ul.plain-list {
                    @for file in &view.dropped { li dir="auto" { bdi { (file.name) } ": " (words::dropped_stage(file.stage)) } }
                }
            }
        }
    }
}

/// Why nothing is read for a while; `None`: that does not matter here.
fn trouble(flag: HealthFlag, agents: &[AgentName]) -> Option<String> {
    match flag {
        HealthFlag::JournalDown => Some(words::READ_DISK_FULL.say().to_owned()),
        HealthFlag::AgentDown(agent) if agents.contains(&agent) => Some(words::health(flag)),
        HealthFlag::AgentDown(_)
        | HealthFlag::Starting
        | HealthFlag::NoSandbox
        | HealthFlag::PartSandbox
        | HealthFlag::SpeechFailing
        | HealthFlag::PushFailing
        | HealthFlag::WebPushFailing
        | HealthFlag::QuarantineDown => None,
    }
}

/// How far one agent is, and what its cards need.
fn agent_row(agent: AgentName, read: Option<&ReadingView>, view: &HomeFileView) -> Markup {
    let Some(read) = read else {
        return html! { li { p.head { span.what { (words::NOT_BEGUN) } } } };
    };
    html! {
        li {
            p.head {
                span.what { (words::has_read(agent, read.items)) }
                @if read.left > 0 { span.value { (words::STILL_READING) } }
            }
            @if read.left > 0 { (reading_bars(agent, read, &view.sources)) }
            @else { p.note { (words::card_comes_when(agent, read.items, view.values.balance.is_some())) } }
            @if read.skipped > 0 { (left_out(read)) }
        }
    }
}

/// A bar for each source, full where it is read; one of all where nothing is left of these, as of accounts on servers.
fn reading_bars(agent: AgentName, read: &ReadingView, sources: &[SourceView]) -> Markup {
    let sources = sources
        .iter()
        .filter(|source| source.source.list.agent() == agent && source.state == SourceState::There);
    let bars: Vec<(&SourceView, Option<&SourceRestView>)> = sources
        .map(|source| {
            let key = source_key(std::path::Path::new(&source.source.path));
            (source, read.rests.get(&key))
        })
        .collect();
    // An answer names so many; of the others it is known only how much is left of all of them.
    let all_named = read.rests.len() < RESTS_MAX;
    let of_named = |of: fn(&SourceRestView) -> u64| read.rests.values().map(of).sum::<u64>();
    let left = read.left.saturating_sub(of_named(|rest| rest.left));
    let most = read.most_left.saturating_sub(of_named(|rest| rest.most));
    html! {
        @if bars.iter().any(|(_, rest)| rest.is_some()) {
            @for (source, rest) in bars.iter().filter(|(_, rest)| all_named || rest.is_some()) {
                p.note dir="auto" { bdi { (source.place) } @if rest.is_none() { ": " (words::READ_TO_THE_END) } }
                (reading_bar(rest.map_or(0, |rest| rest.left), rest.map_or(0, |rest| rest.most), &source.place))
            }
            @if !all_named {
                p.note { (words::READ_OTHERS) }
                (reading_bar(left, most, words::READ_OTHERS.say()))
            }
        } @else { (reading_bar(read.left, read.most_left, words::read_things(agent))) }
    }
}

/// How much of something is read.
pub(super) fn reading_bar(left: u64, most: u64, of: &str) -> Markup {
    let most = most.max(left).max(1);
    html! { progress max=(most) value=(most - left) aria-label=(words::reading_bar(of)) {} }
}

/// What could not be read, and why.
fn left_out(read: &ReadingView) -> Markup {
    html! {
        details {
            summary { (words::left_out(read.skipped)) }
            (skipped_items(&read.skips.iter().collect::<Vec<_>>(), true))
        }
    }
}

/// What other sources would add.
fn wishes(view: &HomeFileView) -> Markup {
    // Contacts are no messages: they name those who wrote them.
    let is_met = |wish: SourceKind, read: SourceKind| {
        if wish == SourceKind::Contacts || read == SourceKind::Contacts {
            return wish == read;
        }
        wish.agent() == read.agent()
    };
    let is_read = |wish: SourceKind| {
        let accounts = view.accounts.iter().map(|account| account.kind.list());
        let mut lists = view
            .sources
            .iter()
            .map(|source| source.source.list)
            .chain(accounts);
        lists.any(|list| is_met(wish, list))
    };
    let wishes: Vec<&str> = SourceKind::ALL
        .iter()
        .filter(|list| !is_read(**list))
        .filter_map(|list| words::would_add(*list))
        .collect();
    html! {
        @if !(wishes.is_empty() || view.sources.is_empty() && view.accounts.is_empty()) {
            h3 { (words::WELCOME_MORE) }
            ul.plain-list { @for wish in wishes { li { (wish) } } }
            p { a href="/welcome/3" { (words::WELCOME_TO_SOURCES) } }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WelcomeBody {
    /// Absent: it is over.
    #[serde(default)]
    next: Option<u8>,
}

/// `POST /form/welcome`
pub(super) async fn note(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<StatusCode, WebError> {
    let WelcomeBody { next } = body?.read()?;
    if next.is_some_and(|next| !(1..=SCREENS).contains(&next)) {
        return Err(WebError::BadBody);
    }
    app.backend.set_welcome(next).await?;
    Ok(StatusCode::NO_CONTENT)
}
