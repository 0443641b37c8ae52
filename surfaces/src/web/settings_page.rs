//! Forms that change the owner's settings.
//!
//! What: the forms, and the handlers of what they send. Why: what a person would like to change is changed where it is shown. Not here: the file behind
//! them (the backend), what a proof of the owner is (`devices`).

use super::{
    account_forms, accounts_page,
    api::JsonBody,
    asked_statements::asked_in,
    dropped_page,
    error::WebError,
    forget_page,
    forgotten_notice::DeletionNews,
    home_fields_page,
    recorded_rows::last_change,
    state::AppState,
    time_of_day_field::TimeOfDayField,
    undo_change::LastChange,
    visitor::{CredentialKind, visitor},
    welcome_page::{READING_AGAIN_MS, reading_bar, reading_section},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use std::{collections::BTreeMap, path::Path, sync::Arc};
use surfaces_base::{
    backend::{
        HealthFlag,
        accounts::{AccountAct, AccountChange},
        home_fields::HomeFieldView,
        memory::KeptKind,
        settings::{
            DesktopChange, FoundSourceView, HomeChangeReply, HomeFileChange, HomeFileView, HomeValues,
            ReadingView, SourceRef, SourceRestView, SourceState, SourceView, UndoneChange,
        },
    },
    format,
    language::Text,
    words,
};
use toolcall_schema::{
    AgentName, SourceKind, Timestamp, forget::MeasuredKind, tick::source_key, trace::Prompt,
};

/// Whether the browser that asks may have something read that was not: the one on this machine that was shown to be the owner's lately.
pub(super) fn may_add(app: &AppState, headers: &HeaderMap) -> bool {
    let is_proven = visitor().is_some_and(|visitor| {
        matches!(visitor.by, CredentialKind::Cookie { .. }) && app.door.devices.is_proven(&visitor.device)
    });
    is_proven && app.door.hosts.is_own(headers)
}

/// `POST /form/settings`
pub(super) async fn save(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Response, WebError> {
    let change: HomeFileChange = body?.read()?;
    if !change.is_bounded() {
        return Err(WebError::BadBody);
    }
    let may_add = may_add(&app, &headers);
    // What has a source read, a program started or a computer reached or written to that was not.
    let leads_out = |key: &String| {
        ["speech.", "web_push.", "web.", "telemetry."]
            .iter()
            .any(|table| key.starts_with(table))
    };
    let adds_account =
        |change: &AccountChange| matches!(change.act, AccountAct::Add(_) | AccountAct::AllowWrite);
    let adds = change.more.keys().any(leads_out)
        || !change.allow.is_empty()
        || !change.csv.is_empty()
        || change.accounts.iter().any(adds_account);
    if adds && !may_add {
        return Err(WebError::NotProven);
    }
    answer(&app, app.backend.change_home(change, may_add).await?).await
}

/// `POST /form/desktop`: what starts programs needs the owner's own browser.
pub(super) async fn change_desktop(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<StatusCode, WebError> {
    let change: DesktopChange = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    app.backend.change_desktop(change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How the desktop starts Aura, with the switches where the browser may change it.
pub(super) fn desktop_section(view: &HomeFileView, may_add: bool) -> Markup {
    let switch = |name: &str, is_on: bool, says: &str| {
        let does = if is_on {
            words::SWITCH_OFF.say()
        } else {
            words::SWITCH_ON.say()
        };
        html! {
            li {
                p.head {
                    span.what { (says) }
                    span.value { (if is_on { words::IS_ON.say() } else { words::IS_OFF.say() }) }
                    @if may_add {
                        button.plain type="button" data-desktop=(name) data-on=(!is_on) aria-label={ (says) ": " (does) } { (does) }
                    }
                }
            }
        }
    };
    html! {
        @if let Some(desktop) = view.desktop {
            section.block #desktop data-region aria-labelledby="desktop-title" {
                h2 #desktop-title { (words::DESKTOP) }
                ul.rows {
                    @match desktop.at_login {
                        Some(is_on) => (switch("at_login", is_on, words::AT_LOGIN.say())),
                        None => li { p.note { (words::AT_LOGIN_ASKS) } },
                    }
                    (switch("in_menu", desktop.in_menu, words::IN_MENU.say()))
                }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgainBody {
    /// Of which list alone.
    #[serde(default)]
    list: Option<SourceKind>,
}

/// `POST /form/sources/again`: what was forgotten may come back by it, so that it needs the owner's own browser.
pub(super) async fn read_again(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<StatusCode, WebError> {
    let AgainBody { list } = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    app.backend.read_again(list).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UndoBody {
    shown: String,
    #[serde(default)]
    which: UndoneChange,
}

/// `POST /form/settings/undo`
pub(super) async fn undo(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Response, WebError> {
    let UndoBody { shown, which } = body?.read()?;
    let reply = app
        .backend
        .undo_home(shown, which, may_add(&app, &headers))
        .await?;
    let says = if matches!(reply, HomeChangeReply::Taken { .. }) {
        last_change(&app.backend.recorded_acts().await?)
    } else {
        None
    };
    answer_saying(&app, reply, says).await
}

/// What came of a change, for the script.
pub(super) async fn answer(app: &AppState, reply: HomeChangeReply) -> Result<Response, WebError> {
    answer_saying(app, reply, None).await
}

/// The same with what was changed.
async fn answer_saying(
    app: &AppState,
    reply: HomeChangeReply,
    says: Option<String>,
) -> Result<Response, WebError> {
    Ok(match reply {
        HomeChangeReply::Taken { restarts, shown } => {
            // Under an open question nothing changes.
            let now = app.backend.now().await?;
            let is_open = |prompt: &Prompt| prompt.expires_at > now.at;
            let waits = !restarts && now.card.iter().flat_map(|card| &card.prompts).any(is_open);
            let mut taken = json!({ "restarts": restarts, "shown": shown });
            if let Some(says) = says {
                taken["says"] = says.into();
            }
            if waits {
                taken["waits"] = true.into();
            }
            Json(taken).into_response()
        }
        HomeChangeReply::Changed(now) => {
            let (status, code, message) = WebError::FileChanged.parts();
            let body = json!({ "code": code, "message": message, "shown": now.shown, "there": now.values });
            (status, Json(body)).into_response()
        }
        HomeChangeReply::Refused(why) => {
            let message = words::nothing_changed(&why);
            let body = json!({ "code": "WEB-029", "message": message });
            (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response()
        }
        HomeChangeReply::NotAllowed => return Err(WebError::NotProven),
        HomeChangeReply::Nothing => return Err(WebError::NotFound),
    })
}

/// What decides when Aura speaks, beside the fields.
#[derive(Clone, Copy)]
pub(super) struct SpeakingHours<'a> {
    /// The rules of the owner's, with the form for another.
    pub(super) rules: &'a Markup,
    /// Until when a brief of the day may come, `12:00`.
    pub(super) brief_until: &'a str,
}

/// Saves a form, shows what saving would change, and undoes the last change.
fn form_end(last: LastChange<'_>, preview: &str) -> Markup {
    html! {
        p.note { (words::FORM_WHERE) }
        p.buttons {
            button.main type="submit" { (words::FORM_SAVE) }
            button.plain type="button" data-preview=(preview) { (words::FORM_PREVIEW) }
            (last.button())
        }
        (last.note())
        div id=(preview) aria-live="polite" {}
    }
}

/// The forms of the page Settings.
pub(super) fn forms(
    view: &HomeFileView,
    found: &[FoundSourceView],
    (read, health): (&BTreeMap<AgentName, ReadingView>, &[HealthFlag]),
    at: (Timestamp, Tz),
    (hours, news, whom, last): (SpeakingHours<'_>, &DeletionNews, &str, Option<&str>),
    may_add: bool,
) -> Markup {
    let last = LastChange::new(view, last);
    html! {
        section.block #settings data-region aria-labelledby="settings-title" {
            h2 #settings-title { (words::WHEN_I_SPEAK) }
            p.says { (words::which_wins(hours.brief_until)) }
            form.settings data-settings data-shown=(view.shown) {
                (behaviour(&view.values))
                (form_end(last, "settings-preview"))
            }
            (hours.rules)
            p.more { a href="/month" { (words::MONTH_WAY) } }
        }
        section.block #about-you data-region aria-labelledby="about-you-title" {
            h2 #about-you-title { (words::ABOUT_YOU) }
            form.settings data-settings data-shown=(view.shown) {
                (about_you(&view.values, &[]))
                (form_end(last, "about-you-preview"))
            }
        }
        section.block #sources data-region aria-labelledby="sources-title" {
            h2 #sources-title { (words::WHAT_I_READ) }
            @let rows = if may_add { SourceRows::Added } else { SourceRows::Changed };
            (sources(view, read, at, rows))
            (accounts_page::rows(&view.accounts, &view.shown, at, may_add))
            (allow_forms(view, found, may_add))
        }
        @if may_add {
            section.block #add-account aria-labelledby="add-account-title" {
                h2 #add-account-title { (words::ACCOUNT_ADD) }
                (account_forms::add_forms())
            }
        }
        // What would go with a source, and what went: outside of the region, so that a look for news does not take it away.
        div data-fragment={ "/settings?since=" (news.since) } { (forget_page::progress_of(news.now.as_ref(), whom)) }
        (home_fields_page::section(view, may_add, last))
        (desktop_section(view, may_add))
        (reading_section(read, view, health))
        section #again data-region hidden[view.sources.is_empty() || !may_add] {
            p.buttons { button.side type="button" data-again { (words::READ_AGAIN) } }
            p.note { (words::READ_AGAIN_MEANS) }
        }
    }
}

/// The settings where pages do not change them, as in the demo: every field and button is there, and none works.
pub(super) fn only_shown(
    view: &HomeFileView,
    read: &BTreeMap<AgentName, ReadingView>,
    at: (Timestamp, Tz),
    hours: SpeakingHours<'_>,
) -> Markup {
    html! {
        section.block #settings aria-labelledby="settings-title" {
            h2 #settings-title { (words::WHEN_I_SPEAK) }
            p.says { (words::which_wins(hours.brief_until)) }
            p.says { (words::HOURS_ONLY_SHOWN) }
            form.settings {
                fieldset disabled aria-labelledby="settings-title" {
                    (ceiling_field(&view.values))
                    (brief_field(&view.values, words::BRIEF_ONLY_SHOWN))
                    (quiet_hours(&view.values))
                }
            }
            (hours.rules)
        }
        section.block #about-you aria-labelledby="about-you-title" {
            h2 #about-you-title { (words::ABOUT_YOU) }
            p.says { (words::SETTINGS_ONLY_SHOWN) }
            form.settings {
                fieldset disabled aria-labelledby="about-you-title" {
                    (about_you(&view.values, &[]))
                }
            }
        }
        section.block #sources aria-labelledby="sources-title" {
            h2 #sources-title { (words::WHAT_I_READ) }
            p.says { (words::SETTINGS_ONLY_SHOWN) }
            fieldset disabled aria-labelledby="sources-title" { (sources(view, read, at, SourceRows::OnlyShown)) }
        }
    }
}

/// When and how often Aura speaks. Other pages lead to each field by its id.
pub(super) fn behaviour(values: &HomeValues) -> Markup {
    html! {
        (ceiling_field(values))
        (brief_time(values))
        (quiet_hours(values))
    }
}

/// How often Aura speaks in a day, at most.
fn ceiling_field(values: &HomeValues) -> Markup {
    html! {
        label { (words::FORM_CEILING)
            input #ceiling name="ceiling" data-as="number" type="number" min="0" max="5" step="1" required value=(values.ceiling);
            (file_value("ceiling"))
        }
        p.note { (words::FORM_CEILING_MEANS) }
    }
}

/// When the morning brief comes.
pub(super) fn brief_time(values: &HomeValues) -> Markup {
    brief_field(values, words::FORM_BRIEF_MEANS)
}

fn brief_field(values: &HomeValues, means: Text) -> Markup {
    html! {
        label { (words::FORM_BRIEF)
            (TimeOfDayField { id: Some("brief_time"), name: Some("brief_time"), value: &values.brief_time, is_required: true, ..TimeOfDayField::default() }.input())
            (file_value("brief_time"))
        }
        p.note { (means) }
    }
}

/// Between which hours nothing disturbs.
pub(super) fn quiet_hours(values: &HomeValues) -> Markup {
    // One span more than there are, to be filled in.
    let empty = (String::new(), String::new());
    let spans = values.quiet.iter().chain(std::iter::once(&empty));
    html! {
        fieldset.spans #quiet data-as="spans" data-name="quiet" {
            legend { (words::FORM_QUIET) }
            @for (from, to) in spans {
                p.span data-span {
                    (TimeOfDayField { value: from, label: Some(words::FORM_QUIET_FROM.say()), ..TimeOfDayField::default() }.input())
                    span aria-hidden="true" { "–" }
                    (TimeOfDayField { value: to, label: Some(words::FORM_QUIET_TO.say()), ..TimeOfDayField::default() }.input())
                }
            }
            (file_value("quiet"))
            p.note { (words::FORM_QUIET_MEANS) }
        }
    }
}

/// Who the owner is. `fields`: those among which is how she travels and how times are written, where the page has no other form for it.
pub(super) fn about_you(values: &HomeValues, fields: &[HomeFieldView]) -> Markup {
    let hours = f64::from(values.sleep_target_min) / 60.0;
    let (amount, currency) = values.balance.as_ref().map_or(("", ""), |balance| {
        (balance.amount.as_str(), balance.currency.as_str())
    });
    html! {
        (who_you_are(values))
        label { (words::FORM_SLEEP)
            input name="sleep_target_min" data-as="hours" type="number" min="3" max="12" step="0.25" required value=(hours);
            (file_value("sleep_target_min"))
        }
        label { (words::FORM_ZONE)
            input name="zone" data-as="text" type="text" autocomplete="off" spellcheck="false" required list="zones" value=(values.zone);
            (file_value("zone"))
        }
        datalist #zones { @for zone in chrono_tz::TZ_VARIANTS { option value=(zone.name()) {} } }
        p.note { (words::FORM_ZONE_MEANS) }
        @for asked in fields.iter().filter(|field| ["language", "calendar.default_mode", "clock"].contains(&field.key)) {
            (home_fields_page::field(asked))
        }
        p.pairs {
            label { (words::FORM_BALANCE)
                input #balance name="amount" data-as="balance" type="text" autocomplete="off" inputmode="decimal" pattern="-?[0-9]([0-9.,' ]*[0-9])?" value=(amount);
            }
            label { (words::FORM_CURRENCY)
                input name="currency" type="text" autocomplete="off" size="4" maxlength="3" pattern="[A-Za-z]{3}" autocapitalize="characters" placeholder="EUR" value=(currency);
            }
        }
        (file_value("balance"))
        p.note { (words::FORM_BALANCE_MEANS) }
    }
}

/// By which messages are known to be for the owner.
fn who_you_are(values: &HomeValues) -> Markup {
    html! {
        label { (words::FORM_NAMES)
            input name="names" data-as="list" type="text" autocomplete="off" value=(values.names.join(", "));
            (file_value("names"))
        }
        p.note { (words::FORM_NAMES_MEANS) }
        label { (words::FORM_ADDRESSES)
            input name="addresses" data-as="list" type="text" autocomplete="off" inputmode="email" value=(values.addresses.join(", "));
            (file_value("addresses"))
        }
        p.note { (words::FORM_ADDRESSES_MEANS) }
    }
}

/// What the file says now, where that is something else than the field was made from.
fn file_value(name: &str) -> Markup {
    html! { output.there data-there=(name) {} }
}

/// What can be done to a list of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceRows {
    /// Nothing, as in the demo: none is looked into either.
    OnlyShown,
    /// They are looked into, paused and taken away.
    Changed,
    /// Others are added as well: the browser is on this computer.
    Added,
}

fn sources(
    view: &HomeFileView,
    read: &BTreeMap<AgentName, ReadingView>,
    (now, zone): (Timestamp, Tz),
    rows: SourceRows,
) -> Markup {
    let may_add = rows == SourceRows::Added;
    let is_one_of_several = |source: &SourceView, name: &str| {
        let is_called_so = |other: &&SourceView| {
            other.source.list == source.source.list
                && words::source_name(other.source.list, file_name(&other.place), &other.place) == name
        };
        view.sources.iter().filter(is_called_so).count() > 1
    };
    let first_asked = read.get(&AgentName::Finance).and_then(|read| read.asked.first());
    let row = |source: &SourceView| {
        let path = &source.source.path;
        let last = read.get(&source.source.list.agent()).and_then(|read| read.at);
        let last = last.map(|at| format::clock_on(at, now, zone));
        html! {
            li {
                p.head {
                    span.what {
                        @let name = words::source_name(source.source.list, file_name(&source.place), &source.place);
                        (name)
                        @if is_one_of_several(source, name) { ": " bdi { (file_name(&source.place)) } }
                    }
                    @let is_paused = source.state == SourceState::Paused;
                    button.plain type="button" data-pausing=(if is_paused { "resume" } else { "pause" }) data-list=(source.source.list.as_str())
                        data-path=(path) data-shown=(view.shown)
                        aria-label=(if is_paused { words::resume_source(&source.place) } else { words::pause_source(&source.place) }) {
                        (if is_paused { words::RESUME_SOURCE.say() } else { words::PAUSE_SOURCE.say() })
                    }
                }
                @match being_read(source, read) {
                    Some(rest) => {
                        p.note dir="auto" { bdi { (words::source_place(&source.place)) } " " (words::SOURCE_BEING_READ) }
                        (reading_bar(rest.left, rest.most, &source.place))
                        span data-again-ms=(READING_AGAIN_MS) hidden {}
                    }
                    None => p.note dir="auto" { bdi { (words::source_place(&source.place)) } " " (words::source_state(source.state)) },
                }
                @if source.state != SourceState::Paused { p.note { (words::read_last(last.as_deref())) } }
                @let asked = asked_in(source, read);
                @for one in &asked {
                    p.flag dir="auto" id=[(Some(*one) == first_asked).then_some("asked")] { (words::statement_waits(&one.name)) }
                    // What it asks, where it lies in a folder: of a file it stands below.
                    @if rows == SourceRows::Added && one.path != *path {
                        (look_place(&SourceRef { list: SourceKind::Finance, path: one.path.clone() }))
                    }
                }
                // What it holds comes in its place; that it was read stands there at once.
                @if rows != SourceRows::OnlyShown { div data-look=(source.source.list.as_str()) data-path=(path) {} }
                @if may_add && source.state == SourceState::There { (read_this_again(source)) }
                // What opens and then does nothing is not offered.
                @if rows != SourceRows::OnlyShown {
                  details.stop {
                    summary aria-label=(words::forget_source(&source.place)) { (words::FORGET_SOURCE) "…" }
                    @let items = read.get(&source.source.list.agent()).map_or(0, |read| read.items);
                    p.note { (words::FORGET_SOURCE_MEANS) " " (words::stop_read(items)) }
                    @if may_add {
                        p.note { (words::STOP_COUNTS) }
                        @for (kind, says) in forgettable_kinds(source.source.list) {
                            form data-post="/form/forget/count" data-into="forget-look" {
                                input type="hidden" name="kind" value=(kind);
                                p.buttons { button.side type="submit" { (words::stop_show(says)) } }
                            }
                        }
                    }
                    p.buttons {
                        button.main type="button" data-forget=(source.source.list.as_str()) data-path=(path) data-shown=(view.shown) {
                            (words::FORGET_SOURCE)
                        }
                    }
                  }
                }
            }
        }
    };
    html! {
        @if view.sources.is_empty() && view.accounts.is_empty() { p.none { (words::NO_SOURCE) } }
        @if !view.sources.is_empty() {
            ul.rows data-shown=(view.shown) { @for source in &view.sources { (row(source)) } }
        }
    }
}

/// What is left of a source that is being read.
fn being_read<'a>(
    source: &SourceView,
    read: &'a BTreeMap<AgentName, ReadingView>,
) -> Option<&'a SourceRestView> {
    let read = read.get(&source.source.list.agent())?;
    let rest = read.rests.get(&source_key(Path::new(&source.source.path)));
    rest.filter(|rest| rest.left > 0 && source.state == SourceState::There)
}

/// What the owner calls a file: the last part of its place, without its ending.
fn file_name(place: &str) -> &str {
    let name = place.trim_end_matches('/').rsplit('/').next().unwrap_or(place);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Reads what one part of Aura reads from its beginning: it keeps one mark for all that it reads.
fn read_this_again(source: &SourceView) -> Markup {
    let list = source.source.list;
    html! {
        details.stop {
            summary aria-label=(words::read_place_again(&source.place)) { (words::READ_THIS_AGAIN) "…" }
            p.note { (words::read_again_with(words::reader(list.agent()))) }
            p.buttons { button.side type="button" data-again=(list.as_str()) { (words::READ_THIS_AGAIN) } }
        }
    }
}

/// What memory has from sources of a list, by the kinds in which it can be forgotten.
fn forgettable_kinds(list: SourceKind) -> Vec<(&'static str, &'static str)> {
    let kept = |kind: KeptKind| (kind.as_str(), words::kept_kind(kind));
    let measured = |kind: MeasuredKind| (kind.as_str(), words::measured_kind(kind));
    match list {
        SourceKind::Mail | SourceKind::Notifications | SourceKind::Contacts => {
            vec![kept(KeptKind::People), kept(KeptKind::Chats)]
        }
        SourceKind::Sms | SourceKind::Finance | SourceKind::Receipts => vec![kept(KeptKind::Payments)],
        SourceKind::Calendar => vec![kept(KeptKind::Events)],
        SourceKind::Wellness => vec![
            measured(MeasuredKind::Sleep),
            measured(MeasuredKind::HeartRateVariability),
            measured(MeasuredKind::RestingHeartRate),
        ],
    }
}

/// So many are ticked one by one.
const FEW_FOUND: usize = 3;

/// What was found, and a field for anything else; or why nothing can be allowed here.
pub(super) fn allow_forms(view: &HomeFileView, found: &[FoundSourceView], may_add: bool) -> Markup {
    html! {
        (dropped_page::shared(may_add))
        @if may_add {
            (dropped_page::handed(view))
            form.settings data-settings data-allows data-shown=(view.shown) {
                h3 { (words::FOUND_HERE) }
                @if found.is_empty() { p.none { (words::NOTHING_FOUND) } }
                @else {
                    @if found.len() > FEW_FOUND { p.buttons { button.plain type="button" data-tick-all { (words::TICK_ALL) } } }
                    ul.found { @for one in found { (found_row(one)) } }
                    // What is read before they are known is judged without them.
                    @if asks_who(view, found) {
                        p { (words::WHO_FIRST) }
                        (who_you_are(&view.values))
                    }
                    p.buttons { button.main type="submit" { (words::ALLOW_TICKED) } }
                }
            }
            (dropped_page::form(view))
            form.settings.picker data-settings data-allows data-shown=(view.shown) {
                h3 { (words::CHOOSE_FOLDER) }
                p.note { (words::CHOOSE_MEANS) }
                div #picker aria-live="polite" {
                    p.buttons { button.side type="button" data-folder="" { (words::CHOOSE_OPEN) } }
                }
                p.buttons.ticked { button.side type="submit" { (words::ALLOW_TICKED) } }
            }
            details.by-path {
                summary { (words::ADD_SOURCE) }
                form.settings data-post="/form/sources/path" data-into="by-path" {
                    label { (words::ADD_KIND)
                        select name="list" {
                            option value="" { (words::ADD_KIND_BY_CONTENT) }
                            @for list in SourceKind::ALL { option value=(list.as_str()) { (words::source_list(*list)) } }
                        }
                    }
                    label { (words::ADD_PATH)
                        input name="path" type="text" required autocomplete="off" spellcheck="false" maxlength="1000" pattern="~?/.*" placeholder="~/Documents/…";
                    }
                    p.buttons { button.side type="submit" { (words::ADD_LOOK) } }
                }
                form.settings.picker data-settings data-allows data-shown=(view.shown) {
                    div #by-path aria-live="polite" {}
                    p.buttons.ticked { button.side type="submit" { (words::ALLOW_TICKED) } }
                }
            }
        } @else {
            (dropped_page::hand_over_form())
            p.note { (words::ALLOW_NOT_HERE) }
        }
    }
}

/// Whether mail was found, and nothing says yet whose it is.
fn asks_who(view: &HomeFileView, found: &[FoundSourceView]) -> bool {
    let is_unknown = view.values.names.is_empty() || view.values.addresses.is_empty();
    is_unknown && found.iter().any(|one| one.source.list == SourceKind::Mail)
}

/// A source with the box that allows it, and the place where what it holds will stand.
pub(super) fn found_row(one: &FoundSourceView) -> Markup {
    let list = one.source.list;
    // In the folder picker it is the file's own name.
    let program = if one.place.is_empty() {
        one.program.as_str()
    } else {
        words::source_program(&one.program)
    };
    html! {
        li {
            label {
                input type="checkbox" data-allow=(list.as_str()) data-path=(one.source.path);
                span { b { (words::source_list(list)) } " · " bdi { (program) } }
            }
            @if !one.place.is_empty() { p.note dir="auto" { bdi { (one.place) } } }
            (look_place(&one.source))
            @if !one.place.is_empty() { p.note { (words::source_reads(list)) } }
        }
    }
}

/// Where what a source holds will stand: the script asks for it once the page is there.
pub(super) fn look_place(source: &SourceRef) -> Markup {
    html! {
        div data-look=(source.list.as_str()) data-path=(source.path) { p.note { (words::LOOKING_INTO) } }
    }
}
