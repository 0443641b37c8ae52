//! The card's pages: phone, watch, drawer.
//!
//! What: whole pages, and the fragments the script swaps in. Why: everything is rendered here, so the script only
//! fetches, swaps and counts down. Not here: the drawer's markup (`drawer_page`), the frame around a page
//! (`shell`), the words (`words`, `render`).

use super::{
    acts_page,
    api::trace_id,
    buttons::buttons,
    card_things::{self, CardThings, WaitingOnCard},
    drawer_page,
    error::WebError,
    history_page,
    icons::{EmptyDrawing, IconName, drawing, icon},
    meeting_page,
    next_event::{DayAhead, NextEvent, day_ahead},
    owner::owners_say,
    person_page::sender_link,
    runs_page, sections,
    shell::{self, AppSection, BelowFrame, PageFrame, is_to_keep, page},
    state::AppState,
    unfed, watch_idle, welcome_page,
};
use crate::render::{
    self, HistoryLine,
    card::{AnswerPrompt, CardView, card, card_beside},
    named,
};
use axum::{
    body::{Body, Bytes},
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, header},
    response::{Html, IntoResponse, Redirect, Response},
};
use chrono::Datelike as _;
use futures_util::{
    future::{join, join3},
    stream,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeSet, convert::Infallible, sync::Arc};
use surfaces_base::{
    backend::{DisplayNames, NowView},
    format, words,
};
use toolcall_schema::{
    ActionKind, Outcome, ReasonCode, Surface, Timestamp, catalogue::shared::ThingId, ids::CardId,
    rule::OwnerRule,
};

/// In so many first days of a month the page leads to the last 30 days,
const MONTH_OVER_DAYS: u32 = 3;
/// if decisions are kept that are older than so many days, the shortest month.
const MONTH_DAYS: i64 = 28;
/// Events that a quiet page names after the next one.
const GLANCE_MAX: usize = 4;
/// Decisions in the day's list.
const ROWS_MAX: usize = 200;

/// `GET /`: the phone.
pub(super) async fn phone(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let keep = is_to_keep(&headers);
    if !keep && is_new(&app).await? {
        return Ok(Redirect::to("/welcome").into_response());
    }
    let PageFragment { markup, at, zone, .. } = now_fragment(&app, keep, false).await?;
    let frame = PageFrame {
        section: AppSection::Now,
        surface: "phone",
        as_of: &format::clock(at, format::zone(&zone)),
        keep,
    };
    let beside = html! { button.plain type="button" data-tick { (icon(IconName::Look)) (words::LOOK_NOW) } };
    Ok(shell::section(&app, &frame, &beside, &markup).into_response())
}

/// Whether the owner is in the middle of the welcome.
async fn is_new(app: &AppState) -> Result<bool, WebError> {
    let view = app.backend.home_file().await?;
    Ok(view.is_some_and(|view| view.welcome.is_some()))
}

/// `GET /watch`
pub(super) async fn watch(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let PageFragment { markup, .. } = watch_fragment(&app).await?;
    let body = html! {
        header {
            h1.visually-hidden { (words::APP_NAME) }
            nav.back aria-label=(words::OTHER_VIEWS) { a href="/" { (words::BACK) } }
        }
        main #live .watch { (markup) }
        p #status .status role="status" {}
    };
    Ok(page(
        words::WATCH_TITLE.say(),
        Some("watch"),
        Some(app.door.keys.page()),
        &body,
    ))
}

/// The parameters of the fragments: the stream of the page that asks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FragmentParams {
    #[serde(default)]
    c: Option<u64>,
    /// The page is the welcome's last screen, which also says how much was read.
    #[serde(default)]
    welcome: bool,
}

type FragmentQuery = Result<Query<FragmentParams>, QueryRejection>;

/// `GET /fragment/now?c=`
pub(super) async fn now_part(
    State(app): State<Arc<AppState>>,
    asker: FragmentQuery,
) -> Result<Response, WebError> {
    let asker = asker.map_err(|_| WebError::BadBody)?;
    let part = now_fragment(&app, false, asker.welcome).await?;
    deliver(&app, part, Ok(asker), Surface::PhoneCard)
}

/// `GET /fragment/watch?c=`
pub(super) async fn watch_part(
    State(app): State<Arc<AppState>>,
    asker: FragmentQuery,
) -> Result<Response, WebError> {
    let part = watch_fragment(&app).await?;
    deliver(&app, part, asker, Surface::Watch)
}

/// A fragment, and what counts as seen by it.
struct PageFragment {
    markup: Markup,
    /// When it was put together, and in which zone it is read.
    at: Timestamp,
    zone: String,
    card: Option<CardId>,
    /// Runs whose question is announced for the first time.
    announced: Vec<String>,
}

/// Hands the fragment to the network; when its last byte was taken and the page that asked is connected, what is on it
/// counts as shown.
fn deliver(
    app: &Arc<AppState>,
    part: PageFragment,
    asker: FragmentQuery,
    surface: Surface,
) -> Result<Response, WebError> {
    let Query(FragmentParams { c, welcome: _ }) = asker.map_err(|_| WebError::BadBody)?;
    let PageFragment {
        markup,
        card,
        mut announced,
        ..
    } = part;
    let text = Bytes::from(markup.into_string());
    let app = Arc::clone(app);
    let body = Body::from_stream(stream::unfold(Some(text), move |left| {
        let next = left.map(|text| (Ok::<_, Infallible>(text), None));
        if next.is_none() && c.is_some_and(|connection| app.connections.has(connection, surface)) {
            if let Some(card) = &card {
                app.backend.card_shown(card.clone(), surface);
            }
            for run in announced.drain(..) {
                app.backend.question_announced(run, surface);
            }
        }
        std::future::ready(next)
    }));
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response())
}

/// The card as this surface shows it, if it does.
fn visible(now: &NowView, labels: &DisplayNames, surface: Surface) -> Option<CardView> {
    let mut view = card(now.card.as_ref()?, labels, now.at)?;
    // What was given back is not given back again.
    view.costs &= !now.is_refunded;
    view.is_on(surface).then_some(view)
}

/// `keep`: for the browser's disk, so without names and without the right to answer. `welcome`: with how much was read.
async fn now_fragment(app: &AppState, keep: bool, welcome: bool) -> Result<PageFragment, WebError> {
    let mut now = app.backend.now().await?;
    // At once: whoever waits for a card waits for the longest of them alone.
    let (traces, asked, work) = join3(
        app.backend.traces(ROWS_MAX),
        runs_page::announcements(app, &now),
        at_work(app, &now),
    )
    .await;
    let (traces, (asks, announced), work) = (traces?, asked?, work?);
    // Whether there is a card does not hang on names.
    let is_quiet = visible(&now, &DisplayNames::default(), Surface::PhoneCard).is_none();
    let (ahead, waiting) = if is_quiet && !keep {
        join(day_ahead(app, &now), card_things::all_who_wait(app)).await
    } else {
        (None, None)
    };
    let labels = if keep {
        if let Some(card) = &mut now.card {
            card.prompts.clear();
        }
        DisplayNames::default()
    } else {
        let of_card = now.card.iter().flat_map(named::card);
        // Asked for together: each question of its own costs an agent its turn.
        let things: BTreeSet<ThingId> = of_card
            .chain(traces.iter().flat_map(render::history_things))
            .chain(render::section::waiting::ids(waiting.as_ref()))
            .collect();
        names_of(app, things).await.with_askers(&now)
    };
    let lines: Vec<HistoryLine> = traces
        .iter()
        .map(|trace| render::history_line(trace, &labels))
        .collect();
    let done = if keep {
        html! {}
    } else {
        acts_page::just_done(app, &traces, &now, None).await?
    };
    let shown = shown_card(app, &now, &labels, keep).await?;
    let view = shown.as_ref().map(|(view, _)| view);
    let unfed = match view {
        Some(_) => html! {},
        None => unfed::way_to_sources(app, None).await?,
    };
    let waits = match waiting {
        Some(waiting) => card_things::in_rows(app, &now, waiting, &labels, None).await,
        None => None,
    };
    let next = ahead.as_ref().map(|ahead| &ahead.next);
    // What the last silence kept back, where it kept something back.
    let held = lines
        .iter()
        .find(|line| line.row.outcome == Outcome::Silent)
        .filter(|line| line.held_back.is_some() && line.held_back == now.last_silent.map(words::reason));
    let (read, is_read) = if welcome {
        read_so_far(app).await?
    } else {
        (html! {}, false)
    };
    let main = html! {
        (read)
        @match &shown {
            Some((view, things)) => (card_section(view, things)),
            None => section #now data-region aria-live="polite" aria-label=(words::NOW) data-again-ms=[next.map(|next| next.changes_at().since(now.at))] {
                (quiet(&now, (next, held), waits.as_ref(), &unfed, is_read))
            },
        }
        (glance(ahead.as_ref(), waits.as_ref(), &now))
        (acts_page::done_region(&done))
        section #asks data-region aria-live="polite" aria-label=(words::QUESTIONS) { (asks) }
    };
    let beside = html! {
        div.block.calm {
            section #attention data-region aria-label=(words::ATTENTION) {
                @if let Some(rule) = silencing_rule(&now) { (quiet_by_rule(rule, &now)) } @else { (attention(&now, now.card.is_some())) }
            }
            section #at-work data-region aria-label=(words::AT_WORK) { (work) }
            section #say data-region aria-label=(words::QUIET) { (owners_say(&now)) }
            section #health data-region aria-label=(words::HEALTH) hidden[now.health.is_empty()] {
                @for flag in &now.health { p.flag { (words::health(*flag)) } }
            }
            p.buttons.install hidden { button.side type="button" data-install { (words::INSTALL_APP) } }
        }
        section #day data-region aria-labelledby="day-title" {
            h2 #day-title { (icon(IconName::Past)) (format::day(now.at, format::zone(&now.zone))) }
            (day(&lines))
            p.more { a href="/history/days" { (words::HISTORY) } }
        }
    };
    Ok(PageFragment {
        markup: shell::panes(&main, &beside),
        at: now.at,
        zone: now.zone,
        card: shown.map(|(view, _)| view.card_id),
        announced,
    })
}

/// The region of the card alone, as a page of that surface shows it; `None`: it shows none now.
pub(super) async fn card_region(app: &AppState, surface: Surface) -> Result<Option<Markup>, WebError> {
    if surface == Surface::Watch {
        let PageFragment { markup, card, .. } = watch_fragment(app).await?;
        return Ok(card.map(|_| markup));
    }
    let now = app.backend.now().await?;
    if visible(&now, &DisplayNames::default(), surface).is_none() {
        return Ok(None);
    }
    let things: BTreeSet<ThingId> = now.card.iter().flat_map(named::card).collect();
    let labels = names_of(app, things).await.with_askers(&now);
    let shown = shown_card(app, &now, &labels, false).await?;
    Ok(shown.map(|(view, things)| card_section(&view, &things)))
}

/// Nobody is asked about nothing.
async fn names_of(app: &AppState, things: BTreeSet<ThingId>) -> DisplayNames {
    if things.is_empty() {
        DisplayNames::default()
    } else {
        app.backend.names(things).await
    }
}

/// The card as the phone shows it, with what it names; `keep`: without that.
async fn shown_card(
    app: &AppState,
    now: &NowView,
    labels: &DisplayNames,
    keep: bool,
) -> Result<Option<(CardView, CardThings)>, WebError> {
    let (Some(mut view), Some(card)) = (visible(now, labels, Surface::PhoneCard), now.card.as_ref()) else {
        return Ok(None);
    };
    let things = if keep {
        CardThings::default()
    } else {
        card_things::of_card(app, now, &view, card).await?
    };
    let beside = things.named_beside();
    view.lines = card_beside(card, labels, now.at, beside).map_or_else(Vec::new, |view| view.lines);
    Ok(Some((view, things)))
}

fn card_section(view: &CardView, things: &CardThings) -> Markup {
    html! {
        section #now data-region aria-live="polite" aria-label=(words::NOW) { (phone_card(view, things)) }
    }
}

/// How much was read, for the welcome, and whether that is all there is.
async fn read_so_far(app: &AppState) -> Result<(Markup, bool), WebError> {
    let view = app.backend.home_file().await?;
    let (read, health) = (app.backend.reading().await?, app.backend.health().await?);
    let is_read = !read.is_empty() && read.values().all(|read| read.left == 0);
    let part = view.map_or_else(
        || html! {},
        |view| welcome_page::reading_section(&read, &view, &health),
    );
    Ok((part, is_read))
}

fn phone_card(view: &CardView, things: &CardThings) -> Markup {
    let surface = view.asked_on_page();
    let answers = view.answers_on(surface);
    html! {
        article.card data-card=(view.card_id) data-trace=(view.trace_id) aria-labelledby="card-title" {
            p.eyebrow { (view.why) }
            h2 #card-title dir="auto" { (view.title) }
            @if let Some(figure) = &view.figure {
                p.figure { strong { (figure.value) } " " span dir="auto" { (figure.caption) } }
            }
            @if let Some(meeting) = &things.meeting { (meeting_page::part(meeting)) }
            @else if !view.lines.is_empty() {
                ul.lines { @for line in &view.lines { li dir="auto" { (line) } } }
            }
            (things.part())
            (buttons(&answers, surface))
            @if let Some(ask) = view.ask_on(surface) { (countdown(ask)) }
            @else if view.asks && !view.done { p.left { (words::ANSWER_OVER) } }
            @if let Some(link) = &view.about { (sender_link(link)) }
            @if view.kind == ActionKind::ShowBrief { (sections::to_brief_hour(things.can_change)) }
            p.more { a href={ "/trace/" (view.trace_id) } data-drawer=(view.trace_id) { (words::WHY_THIS) } }
        }
    }
}

/// Seconds left, counted down by the script. Rounded up: at 0 it is over.
fn countdown(ask: &AnswerPrompt) -> Markup {
    html! {
        p.left data-left-ms=(ask.left_ms) data-whole-ms=(ask.whole_ms) {
            span.bar aria-hidden="true" {}
            span { b data-seconds { (seconds(ask)) } " " (words::S_LEFT) }
        }
    }
}

fn seconds(ask: &AnswerPrompt) -> i64 {
    ask.left_ms.saturating_add(999) / 1000
}

/// `held`: what was kept back last. `looks_first`: it is the last screen of the welcome, and all was read: nobody should have to ask for the first look.
fn quiet(
    now: &NowView,
    (next, held): (Option<&NextEvent>, Option<&HistoryLine>),
    waits: Option<&WaitingOnCard>,
    unfed: &Markup,
    looks_first: bool,
) -> Markup {
    let zone = format::zone(&now.zone);
    // Whoever reads this has a page open: what was kept back for want of one can be looked at now.
    let missed = now.last_silent == Some(ReasonCode::NoSurface);
    // What keeps it quiet stands beside it, with the way there.
    let is_silenced = silencing_rule(now).is_some();
    // What was so at the last look may be over: the owner ends a pause between two of them.
    let is_paused = now.paused_until.is_some_and(|until| until > now.at);
    let holds = |reason: ReasonCode| reason != ReasonCode::Paused || is_paused;
    let is_near = |at: Timestamp| !missed && !is_silenced && !is_paused && at > now.at;
    html! {
        div.quiet {
            (drawing(if unfed.0.is_empty() { EmptyDrawing::Quiet } else { EmptyDrawing::Sheet }))
            h2 {
                @if missed { (words::MISSED_SOMETHING) }
                @else if let Some(waits) = waits { (words::wait_for_you(waits.count())) }
                @else { (words::NOTHING_WORTH) }
            }
            @if looks_first && (missed || now.last_silent.is_none()) { span data-look-first hidden {} }
            @if let Some(until) = now.paused_until.filter(|until| *until > now.at) {
                p { (words::paused_until(&format::clock_on(until, now.at, zone))) }
            } @else if missed {
                p { (words::MISSED_WITHOUT_PAGE) }
                @if !looks_first { p.buttons { button.side type="button" data-tick { (words::LOOK_NOW) } } }
            } @else if let Some(reason) = now.last_silent.filter(|reason| !is_silenced && holds(*reason)) {
                p { (words::reason(reason)) @if let Some((address, way)) = way_to_change(reason) { " " a href=(address) { (way) } } }
            }
            @if let Some(held) = held.filter(|_| !is_silenced && !is_paused) {
                p { a href={ "/trace/" (held.row.trace_id) } data-drawer=(held.row.trace_id) { bdi { (held.what) } } }
            }
            // Once that time has come, nothing but a reason to speak is missing.
            @if let Some(next) = now.next_possible.as_ref().filter(|next| holds(next.when) && is_near(next.at)) { p { (render::next_possible(next, now.at, zone)) } }
            @if now.dnd { p { (words::DND_IS_ON) } }
            @if let Some(next) = next {
                p {
                    (words::next_event(&format::on_day(next.start, now.at, zone))) " "
                    a href={ "/calendar/" (next.event) } { bdi { (next.title) } }
                    @if let Some(leave_by) = next.leave_by { br; (words::leave_for_it(&format::on_day(leave_by, now.at, zone))) }
                }
            }
            (unfed)
        }
    }
}

/// What the day holds while nothing is asked: the events after the next one, and who waits for an answer. Where there is none of both its place is there and
/// hidden, so that a look for news can fill it.
fn glance(ahead: Option<&DayAhead>, waits: Option<&WaitingOnCard>, now: &NowView) -> Markup {
    let later = ahead.map_or(&[][..], |ahead| ahead.later.as_slice());
    let zone = format::zone(&now.zone);
    let is_today = ahead
        .is_some_and(|ahead| format::local_date(ahead.next.start, zone) == format::local_date(now.at, zone));
    let more = u32::try_from(later.len().saturating_sub(GLANCE_MAX)).unwrap_or(u32::MAX);
    html! {
        section #later .block data-role="calendar" data-region aria-labelledby="later-title" hidden[later.is_empty()] {
            h2 #later-title { (icon(IconName::Brief)) @if is_today { (words::LATER_TODAY) } @else { (words::TOMORROW_DAY) } }
            ul.rows {
                @for event in later.iter().take(GLANCE_MAX) {
                    li { p.head { a.what href={ "/calendar/" (event.event) } { bdi { (event.title) } } span.value { (event.when) } } }
                }
            }
            p.more { a href="/agenda" { @if more > 0 { (words::meeting_more(more)) } @else { (words::AGENDA) } } }
        }
        section #waiting .block data-role="people" data-region aria-label=(words::WHO_WAITS) hidden[waits.is_none()] {
            @if let Some(waits) = waits { (card_things::longest_part(waits)) }
        }
    }
}

/// Where the owner changes what kept Aura silent.
fn way_to_change(reason: ReasonCode) -> Option<(&'static str, &'static str)> {
    match reason {
        ReasonCode::CapDnd => Some(("/settings#quiet", words::CHANGE_QUIET.say())),
        ReasonCode::CapDaily => Some(("/settings#ceiling", words::CHANGE_CEILING.say())),
        ReasonCode::Rule => Some(("/settings#rules", words::YOUR_RULES.say())),
        ReasonCode::NoCandidate
        | ReasonCode::BelowThreshold
        | ReasonCode::CapRecovering
        | ReasonCode::CapWindow
        | ReasonCode::Paused
        | ReasonCode::DeliberationTimeout
        | ReasonCode::NoSurface
        | ReasonCode::GateRefused
        | ReasonCode::OwnerDismissed
        | ReasonCode::ConfirmTimeout
        | ReasonCode::Edited
        | ReasonCode::ToolFailed
        | ReasonCode::ResultRejected
        | ReasonCode::UnknownAfterCrash
        | ReasonCode::Superseded
        | ReasonCode::Later => None,
    }
}

/// What is read, what has left this computer, and when Aura looks next.
async fn at_work(app: &AppState, now: &NowView) -> Result<Markup, WebError> {
    let (reading, sent) = join(app.backend.reading(), app.backend.sent_today()).await;
    let (reading, sent) = (reading?, sent?);
    let paused = now.paused_until.is_some_and(|until| until > now.at);
    let today = format::local_date(now.at, format::zone(&now.zone));
    // Of a first month there is little to say before it is over.
    let month_over = today.day() <= MONTH_OVER_DAYS
        && app
            .backend
            .decided_before(now.at.plus_min(-MONTH_DAYS * 24 * 60))
            .await?;
    Ok(html! {
        @if month_over { p.more { a href="/month" { (words::MONTH_OVER) } } }
        @if let Some(says) = words::what_is_read(&reading) { p { (says) } }
        @if now.collector.is_none() || !sent.is_empty() {
            p { (words::what_has_left(&sent, now.listens_at.as_deref())) }
        }
        @if let Some(host) = &now.collector { p { (words::collector_told(host)) } }
        @if !paused && silencing_rule(now).is_none() && now.looks_again > now.at {
            p { (words::looks_again(&format::on_day(now.looks_again, now.at, format::zone(&now.zone)))) }
        }
    })
}

/// A dot a token: full where free, ringed where held, hollow where spent. The words say the same.
fn attention(now: &NowView, is_shown: bool) -> Markup {
    let ledger = &now.ledger;
    let (free, held) = (ledger.free, ledger.reserved);
    let used = ledger.ceiling.saturating_sub(free.saturating_add(held));
    let legend = words::interruptions_legend(free, held, used);
    html! {
        span.dots role="img" aria-label=(legend) title=(legend) {
            @for n in 0..ledger.ceiling {
                span class=(if n < free { "dot free" } else if n < free.saturating_add(held) { "dot held" } else { "dot" }) {}
            }
        }
        span {
            (words::interruptions(free, ledger.ceiling))
            @if let Some(ceiling) = now.ceiling_from_midnight { ", " (words::interruptions_from_midnight(ceiling)) }
            @if held > 0 && is_shown { ". " (words::INTERRUPTION_HELD) }
        }
    }
}

/// The rule of the owner's that lets nothing be said at this moment.
fn silencing_rule(now: &NowView) -> Option<&OwnerRule> {
    let local = now.at.utc().with_timezone(&format::zone(&now.zone)).naive_local();
    now.rules.iter().find(|rule| {
        rule.kinds.is_empty() && rule.subject.is_none() && rule.stands(now.at, (local.date(), local.time()))
    })
}

fn quiet_by_rule(rule: &OwnerRule, now: &NowView) -> Markup {
    let rule_says = words::rule(rule, None, (now.at, format::zone(&now.zone)));
    html! {
        span {
            (words::rule_keeps_quiet(&rule_says)) " "
            a href={ "/settings#rule-" (rule.name) } { (words::YOUR_RULES) }
        }
    }
}

fn day(lines: &[HistoryLine]) -> Markup {
    html! {
        @if lines.is_empty() { p.none { (words::NO_DECISION) } }
        @else { (history_page::lines_in_short(lines)) }
    }
}

async fn watch_fragment(app: &AppState) -> Result<PageFragment, WebError> {
    let now = app.backend.now().await?;
    // Its line has no name in it but that of the device that asks, as a notification has none; which chat it means stands above.
    let view = visible(&now, &DisplayNames::default().with_askers(&now), Surface::Watch);
    let chat = view.as_ref().and_then(|view| view.chat.clone());
    let names = match &chat {
        Some(chat) => app.backend.names([ThingId::Channel(chat.clone())].into()).await,
        None => DisplayNames::default(),
    };
    let chat = chat.as_ref().and_then(|chat| names.get(chat.as_str()));
    let ask = view.as_ref().and_then(|view| view.ask_on(Surface::Watch));
    // What was done a moment ago gives way to what is asked now.
    let undo = match &view {
        Some(_) => None,
        None => acts_page::undo_on_watch(app, &app.backend.traces(ROWS_MAX).await?, &now).await?,
    };
    let markup = html! {
        section #now .face data-region aria-live="assertive" aria-label=(words::NOW) {
            @if let Some(ask) = ask { (ring(ask)) }
            div.center data-card=[view.as_ref().map(|view| view.card_id.as_str())] {
                @match (&view, undo) {
                    (Some(view), _) => {
                        @if let Some(chat) = chat { p.about { bdi { (chat) } } }
                        p.line { (view.watch_line) }
                        (buttons(&view.answers_on(Surface::Watch), Surface::Watch))
                    },
                    (None, Some(undo)) => { (undo) @if let Some(pause) = watch_idle::pause(&now) { (pause) } },
                    (None, None) => {
                        p.line .visually-hidden { (words::NOTHING_NOW) }
                        (watch_idle::face(app, &now, |now| attention(now, false)).await)
                    },
                }
            }
        }
    };
    Ok(PageFragment {
        markup,
        at: now.at,
        zone: now.zone,
        card: view.map(|view| view.card_id),
        announced: Vec::new(),
    })
}

/// The ring that empties: its circle has a length of 100, the offset is what has passed.
fn ring(ask: &AnswerPrompt) -> Markup {
    let passed = (ask.whole_ms - ask.left_ms).clamp(0, ask.whole_ms) * 100 / ask.whole_ms;
    html! {
        div.ring data-left-ms=(ask.left_ms) data-whole-ms=(ask.whole_ms) role="timer" {
            svg viewBox="0 0 100 100" aria-hidden="true" {
                circle.track cx="50" cy="50" r="48" {}
                circle.hand cx="50" cy="50" r="48" pathLength="100" stroke-dasharray="100"
                    stroke-dashoffset=(passed) transform="rotate(-90 50 50)" {}
            }
            span.visually-hidden { b data-seconds { (seconds(ask)) } " " (words::SECONDS_LEFT) }
        }
    }
}

/// `GET /trace/{id}`
pub(super) async fn trace(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Html<String>, WebError> {
    let found = drawer_page::find(&app, &id).await?;
    let can_change = app.backend.home_file().await?.is_some();
    let content = drawer_page::drawer_in_panes(&found, can_change);
    let frame = BelowFrame {
        has_drawer: false,
        ..BelowFrame::new(AppSection::Now, "", words::WHY_TITLE.say())
    };
    Ok(frame.page(&app, &content))
}

/// `GET /fragment/trace/{id}`
pub(super) async fn trace_part(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Html<String>, WebError> {
    let found = drawer_page::find(&app, &id).await?;
    let can_change = app.backend.home_file().await?.is_some();
    let markup = html! {
        div.drawer {
            form method="dialog" { button.close type="submit" aria-label=(words::CLOSE) { (icon(IconName::Close)) (words::CLOSE) } }
            (drawer_page::drawer(&found, can_change))
        }
    };
    Ok(Html(markup.into_string()))
}

/// `GET /fragment/trace/{id}/outcome`: how a decision ended, in a sentence or two; nothing of that name while it has not.
pub(super) async fn outcome_part(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<String, WebError> {
    let trace = app.backend.trace(trace_id(&id)?).await?;
    let trace = trace.ok_or(WebError::NotFound)?;
    let done = acts_page::told_act(&app, &trace).await?;
    Ok(done.map_or_else(|| render::outcome_line(&trace), |(act, _)| act.says))
}
