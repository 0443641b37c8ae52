//! The sections beside the card: brief, chats, money, body, memory, settings.
//!
//! What: a handler each, over one markup for blocks and pictures. Why: what the owner looks up stands still, what is worth an
//! interruption comes as a card. Each is read anew by the script when something changes. Not here: what stands in a block
//! (`render::section`).

use super::{
    acts_page,
    agent_rules::AgentRules,
    ahead_page, answers_page, asked_statements, backups_page, card_things,
    error::WebError,
    figure::figure,
    forget_page::{self, OpenParams},
    icons::{self, IconName, icon, icon_of_block},
    keys_page, lately_spent, learned, memory_page, models_page, money_page,
    nameless::named_by_place,
    notify_page,
    owner::{rules, things_of_rules},
    person_page::{mute_buttons, unmute_button},
    settings_page::{self, SpeakingHours},
    shell::{self, AppSection, PageFrame, is_to_keep},
    state::AppState,
    undo_change::change_to_undo,
    unfed, web_push_page,
};
use crate::render::{
    acts, baseline, named,
    picture::{self, PictureView},
    section::{
        self, SectionBlock, SectionItem,
        brief::{BRIEF_FIELD, BriefHour},
        people::id_of,
    },
    sender_link::page_folder,
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Html,
};
use futures_util::future::join4;
use maud::{Markup, html};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use surfaces_base::{
    backend::owner::OwnerStatus,
    backend::settings::HomeFileView,
    backend::{DisplayNames, TRACES_MAX, UntracedActs, WeekView},
    format, words,
};
use toolcall_schema::{AgentName, catalogue::shared::ThingId, trace::Trace};

type PageResult = Result<Html<String>, WebError>;

/// `GET /brief`
pub(super) async fn brief(State(app): State<Arc<AppState>>, headers: HeaderMap) -> PageResult {
    let keep = is_to_keep(&headers);
    let (standing, traces) = (app.backend.status().await?, app.backend.traces(TRACES_MAX).await?);
    let (week, zone) = (app.backend.week().await?, format::zone(&standing.settings.zone));
    // What the browser keeps names no event and no place, and can change nothing.
    let (days, file, tasks) = if keep {
        (None, None, None)
    } else {
        let today = format::local_date(standing.at, zone);
        (
            Some(app.backend.two_days().await?),
            app.backend.home_file().await?,
            app.backend.tasks(today, 1).await,
        )
    };
    let ids = traces.iter().flat_map(named::trace);
    let ids = ids.chain(days.iter().flat_map(section::two_days::ids));
    let of_week = week.events.iter().map(|event| ThingId::Event(event.id.clone()));
    let labels = names(&app, keep, ids.chain(of_week).collect()).await;
    let waiting = card_things::all_who_wait(&app)
        .await
        .map(|triage| triage.urgent_count);
    let mut blocks = section::brief::blocks(&traces, &standing, &labels, days.is_some(), waiting);
    blocks.extend(
        days.iter()
            .flat_map(|days| section::two_days::blocks(days, &labels, zone)),
    );
    let due = tasks
        .as_ref()
        .and_then(|tasks| section::agenda::due_today(tasks, standing.at, zone));
    blocks.extend(due);
    let hour = section::brief::brief_hour(&standing.brief, standing.at, zone);
    let (main, later): (Vec<SectionBlock>, Vec<SectionBlock>) =
        blocks.into_iter().partition(|block| block.id != "tomorrow");
    let beside = html! {
        (body_of(&[], &[picture::day(&week, &labels, zone)]))
        (body_of(&later, &[]))
        (brief_when(&hour, file.as_ref()))
        (shell::way_to("/agenda", words::AGENDA.say()))
    };
    let unfed = if keep {
        html! {}
    } else {
        unfed::block_of(&unfed::way_to_sources(&app, None).await?)
    };
    let main = html! { (unfed) (body_of(&main, &[])) };
    let content = shell::panes(&main, &beside);
    Ok(section_page(&app, AppSection::Brief, &standing, keep, &content))
}

/// When the brief comes, what stands against that, and the form that changes it where it stands.
fn brief_when(hour: &BriefHour, file: Option<&HomeFileView>) -> Markup {
    html! {
        section.block #brief-when data-region aria-labelledby="brief-when-title" {
            h2 #brief-when-title { (icon(IconName::Clock)) (words::BRIEF_WHEN) }
            @for text in &hour.says { p.says { (text) } }
            @if let Some((address, way)) = hour.change { p.more { a href=(address) { (way) } } }
            (to_brief_hour(file.is_some()))
            @if let Some(view) = file {
                details.in-place {
                    summary { (words::BRIEF_CHANGE) }
                    form.settings data-settings data-shown=(view.shown) {
                        (settings_page::brief_time(&view.values))
                        (settings_page::quiet_hours(&view.values))
                        p.buttons { button.main type="submit" { (words::FORM_SAVE) } }
                    }
                }
            }
        }
    }
}

/// The way to the field that says from when on the brief may come; where settings are only shown, to the rules.
pub(super) fn to_brief_hour(is_field_there: bool) -> Markup {
    let (address, says) = if is_field_there {
        (BRIEF_FIELD, words::CHANGE_BRIEF_HOUR.say())
    } else {
        ("/settings#rules", words::TELL_WHEN_NOT_TO.say())
    };
    html! { p.more { a href=(address) { (says) } } }
}

/// `GET /chats`
pub(super) async fn chats(State(app): State<Arc<AppState>>, headers: HeaderMap) -> PageResult {
    let keep = is_to_keep(&headers);
    let (standing, traces) = (app.backend.status().await?, app.backend.traces(TRACES_MAX).await?);
    let (learned, waiting) = (app.backend.learned().await, app.backend.waiting().await);
    let now = app.backend.now().await?;
    let muted = standing.mutes.keys().cloned().map(ThingId::Channel);
    let muted = muted.chain(things_of_rules(&now));
    let ids = traces.iter().flat_map(named::trace).chain(muted);
    let ids = ids.chain(learned::to_name(learned.as_ref()));
    // A draft names somebody: the browser keeps none.
    let drafts = if keep {
        Vec::new()
    } else {
        app.backend.drafts().await?
    };
    let waiting = waiting.map(|triage| section::waiting::page_of(triage, &drafts, None));
    let more = waiting.as_ref().and_then(|page| page.next.as_ref());
    let more = more.map_or(0, |(_, behind)| *behind);
    let waiting = waiting.as_ref().map(|page| &page.triage);
    let ids = ids.chain(section::answers::ids(waiting, &drafts)).collect();
    let labels = names(&app, keep, ids).await;
    let labels = if keep {
        labels
    } else {
        let labels = named_by_place(&app, labels, things_of_rules(&now)).await?;
        answers_page::with_addresses(&app, labels, &drafts).await
    };
    let zone = format::zone(&standing.settings.zone);
    // Who drafted nothing need not have a week looked through.
    let acts = if drafts.is_empty() {
        Vec::new()
    } else {
        acts::acts(&app.backend.acts().await?, &UntracedActs::default())
    };
    let at = (standing.at, zone);
    let unclear = if keep {
        BTreeSet::new()
    } else {
        let mut unclear = section::waiting::unclear(waiting, &labels);
        unclear.extend(section::chats::unclear(&traces, &standing, &labels));
        unclear
    };
    let ways = app.backend.ways(unclear).await?;
    let mut rows = section::answers::rows((waiting, &drafts), &acts, at, &labels, &ways);
    for row in rows.iter_mut().filter(|_| keep) {
        // The browser keeps no draft, so it is not known who has one.
        row.may_be_drafted = false;
    }
    let blocks = section::chats::blocks(&traces, (&standing, &now.rules), &labels, &ways);
    // What the browser keeps can change nothing.
    let mutable = if keep {
        Vec::new()
    } else {
        section::chats::mutable(
            waiting,
            &standing,
            &labels,
            &acts_page::just_muted(&app, &traces, &now),
        )
    };
    let done = if keep {
        html! {}
    } else {
        acts_page::just_done(&app, &traces, &now, None).await?
    };
    let unfed = unfed::way_to_sources(&app, Some(AgentName::Comms)).await?;
    let is_fed = unfed.0.is_empty();
    let unfed = unfed::block_of(&unfed);
    let main = html! {
        (unfed)
        (answers_page::section(waiting.is_some() || answers_page::is_all_read(&app).await?, (&rows, more), is_fed))
        (learned::waited_for(learned.as_ref(), at, &labels, is_fed))
    };
    let beside = html! {
        @for block in &blocks {
            @if block.id == "muted" { (block_with(block, &mute_here(&mutable))) } @else { (block_of(block)) }
        }
        (learned::block(learned.as_ref(), &labels))
        // Below all else: what comes here moves nothing. At once it is told of in the bar.
        (acts_page::done_region(&done))
        (shell::way_to("/people", words::PEOPLE.say()))
    };
    let content = shell::panes(&main, &beside);
    Ok(section_page(&app, AppSection::Chats, &standing, keep, &content))
}

/// `GET /money`
pub(super) async fn money(State(app): State<Arc<AppState>>, headers: HeaderMap) -> PageResult {
    // Before the payments: what comes in meanwhile makes them newer than it says, never older.
    let version = app.backend.payments_version().await?;
    let (standing, week) = (app.backend.status().await?, app.backend.week().await?);
    let terms = app.backend.money_terms().await;
    let has_balance = terms.balance.is_some() || !terms.statement_balances.is_empty();
    let zone = format::zone(&week.zone);
    let lately = lately_spent::lately(&app, version, &week, terms.accounts).await?;
    let known = &lately.known;
    let keep = is_to_keep(&headers);
    let paid = lately
        .largest
        .iter()
        .map(|one| ThingId::Merchant(one.merchant.clone()));
    let paid = if lately.largest.is_empty() {
        DisplayNames::default()
    } else {
        names(&app, keep, paid.collect()).await
    };
    let usual = if known.found.is_empty() && lately.largest.is_empty() {
        Vec::new()
    } else {
        app.backend
            .allowed_spending()
            .await
            .map_or_else(Vec::new, |list| list.rows)
    };
    let of_today = today(&week);
    let blocks = section::money::blocks(
        &of_today,
        &week,
        &standing,
        has_balance,
        &lately.spent,
        (known, &usual),
        (&lately.largest, &paid),
    );
    let pictures = [picture::spending(&week, &lately.spent, zone)];
    // What the browser keeps holds no text, no name, and can change nothing.
    let asked = if keep {
        html! {}
    } else {
        money_page::blocks(app.backend.money_questions().await.as_ref(), zone)
    };
    let waits = if keep {
        html! {}
    } else {
        asked_statements::block(&app).await?
    };
    let can_sort = !keep && section::money::has_unsorted(&of_today);
    let (first, others) = blocks.split_at(blocks.len().min(1));
    let content = html! {
        (unfed::block(&app, AgentName::Finance).await?)
        (waits)
        (asked)
        @for block in first { (figure_block(block, &to_sorting(can_sort))) }
        (body_of(&[], &pictures))
    };
    let beside = html! {
        // Without a balance the month's end says what is missing.
        @if has_balance && !keep {
            section.block #safe data-region aria-labelledby="safe-title" {
                h2 #safe-title { (icon(IconName::Money)) (words::AHEAD) }
                div data-part=(ahead_page::NEXT_PATH) aria-busy="true" {}
            }
        }
        @for block in others { (block_with(block, &to_balance(block.id == "forecast" && !has_balance))) }
        (shell::way_to("/money/ahead", words::AHEAD.say()))
        (shell::way_to("/money/spending?view=month", words::SPENDING.say()))
    };
    let content = shell::panes(&content, &beside);
    Ok(section_page(&app, AppSection::Money, &standing, keep, &content))
}

/// `GET /body`
pub(super) async fn body(State(app): State<Arc<AppState>>, headers: HeaderMap) -> PageResult {
    let (standing, week) = (app.backend.status().await?, app.backend.week().await?);
    let load = app.backend.load().await;
    let kept = app
        .backend
        .body_since(baseline::baseline_start(week.at, 7))
        .await?;
    let zone = format::zone(&week.zone);
    let pictures = picture::measured(&week, &kept, zone);
    let signs = baseline::out_of_range(&kept, zone);
    let today_is = format::local_date(standing.at, zone);
    let has_signs = signs.as_ref().is_some_and(|(day, _)| *day == today_is);
    let blocks = section::wellbeing::blocks(&today(&week), &week.body, &standing, load.as_ref(), has_signs);
    let (first, others) = blocks.split_at(blocks.len().min(1));
    let main = html! {
        (unfed::block(&app, AgentName::Wellness).await?)
        @for block in first { (figure_block(block, &html! {})) }
        @if let Some((day, signs)) = &signs { p.says { (baseline::signs_say(*day, signs)) } }
        (body_of(&[], &pictures))
    };
    let beside = html! {
        (body_of(others, &[]))
        (shell::way_to("/body/days", words::BODY_DAYS.say()))
    };
    let content = shell::chart_panes(&main, &beside);
    Ok(section_page(
        &app,
        AppSection::Body,
        &standing,
        is_to_keep(&headers),
        &content,
    ))
}

/// `GET /memory`
pub(super) async fn memory(
    State(app): State<Arc<AppState>>,
    params: Result<Query<OpenParams>, QueryRejection>,
    headers: HeaderMap,
) -> PageResult {
    let Query(params) = params.map_err(|_| WebError::BadBody)?;
    // At once: whoever opens the page waits for the longest of them alone.
    let (standing, kept, reading, forgetting) = join4(
        app.backend.status(),
        app.backend.kept(),
        app.backend.reading(),
        app.backend.forgetting(),
    )
    .await;
    let (standing, kept, reading) = (standing?, kept?, reading?);
    let zone = format::zone(&standing.settings.zone);
    let blocks = section::memory::blocks(&kept, &reading, standing.at, zone);
    // As long as one another: the forms are short, what happened last is long.
    let (counts, done) = blocks.split_at(1);
    // What the browser keeps can change nothing.
    let forms = if is_to_keep(&headers) {
        html! {}
    } else {
        let news = app.forgotten.news(forgetting?, params.since);
        let whom = forget_page::whom(&app, news.now.as_ref()).await;
        html! {
            @if kept.waits.is_some() { (memory_page::clock_block()) }
            (memory_page::find_block())
            (forget_page::block(&news, &whom, settings_page::may_add(&app, &headers)))
            (memory_page::copy_block())
        }
    };
    let main = html! { (forms) (body_of(counts, &[])) };
    let content = shell::panes(&main, &body_of(done, &[]));
    Ok(section_page(
        &app,
        AppSection::Memory,
        &standing,
        is_to_keep(&headers),
        &content,
    ))
}

/// `GET /settings`
pub(super) async fn settings(
    State(app): State<Arc<AppState>>,
    params: Result<Query<OpenParams>, QueryRejection>,
    headers: HeaderMap,
) -> PageResult {
    let Query(params) = params.map_err(|_| WebError::BadBody)?;
    let (standing, now) = (app.backend.status().await?, app.backend.now().await?);
    let keep = is_to_keep(&headers);
    // What the browser keeps names nobody.
    let said = if keep {
        None
    } else {
        Some(AgentRules::ask(&app).await)
    };
    let named = things_of_rules(&now)
        .into_iter()
        .chain(said.iter().flat_map(AgentRules::to_name));
    let rule_names = names(&app, keep, named.collect()).await;
    // What the browser keeps can change nothing.
    let file = if is_to_keep(&headers) {
        None
    } else {
        app.backend.home_file().await?
    };
    let (models, backups, key) = if file.is_some() {
        let (models, backups) = (app.backend.models().await?, app.backend.backups().await?);
        (models, backups, app.backend.key().await?)
    } else {
        (None, None, None)
    };
    let at = (standing.at, format::zone(&standing.settings.zone));
    let rules = html! {
        section #rules data-region aria-labelledby="rules-title" {
            h2 #rules-title { (icon(IconName::Quiet)) (words::RULES) }
            p.note { (words::RULES_MEAN) }
            (rules(&now, &rule_names, said.as_ref().is_some_and(|said| !said.is_empty())))
            @if let Some(said) = &said { (said.rows(&rule_names)) }
            p.more { a href="/chats#learned" { (words::LEARNED_ELSEWHERE) } }
        }
    };
    let hours = SpeakingHours {
        rules: &rules,
        brief_until: &standing.settings.brief.1,
    };
    let forms = if let Some(view) = &file {
        let found = app.backend.found_sources().await;
        let read = app.backend.reading().await?;
        let news = app.forgotten.news(app.backend.forgetting().await?, params.since);
        let whom = forget_page::whom(&app, news.now.as_ref()).await;
        let may_add = settings_page::may_add(&app, &headers);
        let last = change_to_undo(&app, view).await?;
        settings_page::forms(
            view,
            &found,
            (&read, &now.health),
            at,
            (hours, &news, &whom, last.as_deref()),
            may_add,
        )
    } else {
        html! {}
    };
    let shown = if file.is_none() && !keep {
        app.backend.shown_home().await?
    } else {
        None
    };
    let read = if shown.is_some() {
        app.backend.reading().await?
    } else {
        BTreeMap::new()
    };
    let web_push = if let Some(view) = &file {
        web_push_page::section(&app, view, &headers).await
    } else {
        html! {}
    };
    let blocks: Vec<SectionBlock> = section::settings::blocks(&standing)
        .into_iter()
        .filter(|block| (file.is_none() && shown.is_none()) || block.id != "settings")
        .collect();
    let mut places = vec![
        ("#settings", words::WHEN_I_SPEAK.say()),
        ("#rules", words::RULES.say()),
        ("#about-you", words::ABOUT_YOU.say()),
        ("#sources", words::WHAT_I_READ.say()),
        ("#notify", words::NOTIFY.say()),
    ];
    if file.is_some() && settings_page::may_add(&app, &headers) {
        places.insert(4, ("#add-account", words::ACCOUNT_ADD.say()));
    }
    places.extend(models.as_ref().map(|_| ("#model", words::MODELS.say())));
    places.extend(backups.as_ref().map(|_| ("#backup", words::BACKUPS.say())));
    let beside = html! {
        @if file.is_some() {
            nav.block.index aria-label=(words::ON_THIS_PAGE) {
                ul.links { @for (place, name) in &places { li { a href=(place) { (name) } } } }
            }
        }
        (body_of(&blocks, &[]))
        section #elsewhere aria-labelledby="elsewhere-title" {
            h2 #elsewhere-title { (icon(IconName::Devices)) (words::OTHER_PAGES) }
            ul.links {
                @for (path, name) in words::ELSEWHERE { li { a href=(path) { (name) (icon(IconName::Next)) } } }
                @if file.is_some() {
                    li { a href="/doctor" { (words::DOCTOR) (icon(IconName::Next)) } }
                    li { a href="/welcome/1" { (words::WELCOME_AGAIN) (icon(IconName::Next)) } }
                }
            }
        }
    };
    let main = html! {
        (forms)
        @if let Some(view) = &shown { (settings_page::only_shown(view, &read, at, hours)) }
        @if file.is_some() { (notify_page::section(settings_page::may_add(&app, &headers))) }
        (web_push)
        @if let Some(models) = &models { (models_page::section(models, settings_page::may_add(&app, &headers))) }
        @if let Some(backups) = &backups { (backups_page::section(backups, at, settings_page::may_add(&app, &headers))) }
        @if let Some(key) = &key { (keys_page::section(key, settings_page::may_add(&app, &headers))) }
        // What the browser keeps has the rules alone.
        @if file.is_none() && shown.is_none() { (rules) }
    };
    let content = shell::panes(&main, &beside);
    Ok(section_page(
        &app,
        AppSection::Settings,
        &standing,
        is_to_keep(&headers),
        &content,
    ))
}

/// Names, but for a page that the browser keeps.
async fn names(app: &AppState, keep: bool, ids: BTreeSet<ThingId>) -> DisplayNames {
    if keep {
        DisplayNames::default()
    } else {
        app.backend.names(ids).await
    }
}

/// Those of the local day of now.
fn today(week: &WeekView) -> Vec<Trace> {
    let zone = format::zone(&week.zone);
    let today = format::local_date(week.at, zone);
    let of_today = |trace: &&Trace| format::local_date(trace.decision.ts, zone) == today;
    week.traces.iter().filter(of_today).cloned().collect()
}

fn section_page(
    app: &AppState,
    section: AppSection,
    standing: &OwnerStatus,
    keep: bool,
    content: &Markup,
) -> Html<String> {
    let frame = PageFrame {
        section,
        surface: "app",
        as_of: &format::clock(standing.at, format::zone(&standing.settings.zone)),
        keep,
    };
    shell::section(app, &frame, &html! {}, content)
}

fn body_of(blocks: &[SectionBlock], pictures: &[PictureView]) -> Markup {
    html! {
        @for block in blocks { (block_of(block)) }
        @if !pictures.is_empty() {
            div #pictures .week data-region { @for picture in pictures { (figure(picture)) } }
        }
    }
}

fn block_of(block: &SectionBlock) -> Markup {
    block_with(block, &html! {})
}

/// The way to the field of the balance, where it is missing.
fn to_balance(is_missing: bool) -> Markup {
    html! { @if is_missing { p.more { a href="/settings#balance" { (words::ADD_BALANCE) } } } }
}

/// Mutes a chat that stands on the page, and the way to those that do not.
fn mute_here(chats: &[section::chats::MutableChat]) -> Markup {
    html! {
        @if chats.is_empty() {
            p.more { a href="/people" { (words::MUTE_A_CHAT) } }
        } @else {
            details.mute-here #mute-here {
                summary { (words::MUTE_A_CHAT) }
                ul.rows {
                    @for section::chats::MutableChat { chat, name, muted } in chats {
                        li {
                            bdi { (name) }
                            @match muted {
                                Some(until) => p.row-buttons { span { (until) } (unmute_button(chat.as_str(), name)) },
                                None => (mute_buttons(chat.as_str(), name)),
                            }
                        }
                    }
                }
                p.more { a href="/people" { (words::MUTE_ANOTHER) } }
            }
        }
    }
}

fn block_with(block: &SectionBlock, below: &Markup) -> Markup {
    let title = format!("{}-title", block.id);
    html! {
        section.block id=(block.id) data-region aria-labelledby=(title) {
            h2 id=(title) { (icon_of_block(block.id)) (block.title) }
            @for text in &block.says { p.says dir="auto" { (text) } }
            @if !block.items.is_empty() { ul.rows { @for item in &block.items { (row(item)) } } }
            (below)
        }
    }
}

/// A block whose first row is the one large figure of its page.
fn figure_block(block: &SectionBlock, below: &Markup) -> Markup {
    let title = format!("{}-title", block.id);
    html! {
        section.block id=(block.id) data-region aria-labelledby=(title) {
            h2 id=(title) { (icon_of_block(block.id)) (block.title) }
            @if let Some((first, others)) = block.items.split_first() {
                p.figure { strong { (first.value) } " " span { (first.name) } }
                @if let Some((value, most)) = first.bar {
                    meter min="0" max=(most) value=(value) aria-hidden="true" {}
                }
                @for text in &block.says { p.says dir="auto" { (text) } }
                @if let Some(note) = &first.note { p.says { (note) } }
                @if !others.is_empty() { ul.rows { @for item in others { (row(item)) } } }
            } @else {
                @for text in &block.says { p.says dir="auto" { (text) } }
            }
            (below)
        }
    }
}

/// Payments without a category get one while Aura looks.
fn to_sorting(is_due: bool) -> Markup {
    html! {
        @if is_due {
            p.note { (words::SORTED_WHEN_LOOKING) }
            p.row-buttons { button.plain type="button" data-tick { (icon(IconName::Look)) (words::LOOK_NOW) } }
        }
    }
}

fn row(item: &SectionItem) -> Markup {
    html! {
        li {
            (initial_of(item))
            p.head {
                (name_of(item))
                span.value { (item.value) }
                @if let Some(thing) = &item.unmute { (unmute_button(thing.as_str(), &item.name)) }
            }
            @if let Some((value, most)) = item.bar {
                meter min="0" max=(most) value=(value) aria-hidden="true" {}
            }
            @if let Some(note) = &item.note { p.note dir="auto" { (note) } }
            @if let Some(because) = &item.because { p.note dir="auto" { a href=(because.leads) { (because.says) } } }
            @if let (Some(_), Some(trace)) = (&item.about, &item.trace) {
                p.note { a href={ "/trace/" (trace) } data-drawer=(trace) aria-label=(words::on_row(words::WHY_THIS.say(), &item.name)) { (words::WHY_THIS) } }
            }
            @if let Some(chat) = &item.mute { (mute_buttons(chat.as_str(), &item.name)) }
            @if let Some(chat) = &item.chat { (super::names::form(chat, &item.name)) }
        }
    }
}

/// The initial of who a row is of.
pub(super) fn initial_of(item: &SectionItem) -> Markup {
    html! { @if let Some(thing) = &item.about { (icons::initial_of(thing, &item.name)) } }
}

/// The name of a row, which leads to who it is of, else to its decision, else to what its number counts.
pub(super) fn name_of(item: &SectionItem) -> Markup {
    html! {
        @match (&item.about, &item.trace) {
            (Some(thing), _) => a.what href={ (page_folder(thing)) (id_of(thing)) } { bdi { (item.name) } },
            (None, Some(trace)) => a.what href={ "/trace/" (trace) } data-drawer=(trace) { bdi { (item.name) } },
            (None, None) => @if let Some(page) = item.leads { a.what href=(page) { (item.name) } } @else { span.what { bdi { (item.name) } } },
        }
    }
}
