//! What the palette finds by a name: days, people and chats, events of today and of the next weeks, payments.
//!
//! What: `POST /form/palette/find`, which answers with links. Why: whoever knows a name need not know on which page it stands. A name comes in a body, never in an
//! address, and is kept and recorded nowhere. Not here: pages, which the script finds by itself (`palette`, `assets/aura.js`), how
//! days are typed (`palette_days`), the list of people (`people_page`).

use super::{
    agenda_page,
    ahead_page::{self, AheadDay},
    api::JsonBody,
    cancelled,
    error::WebError,
    history_page::holds_words,
    palette_days::{PaletteDay, days_named},
    people_page::{NAME_MAX, senders_named},
    periods::address,
    spending_page,
    state::AppState,
};
use crate::render::section::{agenda, period::Period, recurring::RecurringSeries};
use axum::{extract::State, response::Html};
use chrono::{Datelike as _, Days, NaiveDate};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use surfaces_base::{
    backend::{KeptPayment, owner::OwnerStatus},
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::ListedEvent,
        learning::LearnedThing,
        shared::{DisplayLabel, ThingId},
    },
    ids::MerchantHash,
};

/// Links of one sort in an answer.
const SORT_MAX: usize = 5;
/// Days from today on whose events are looked through.
const EVENT_DAYS: u32 = 35;
/// Days up to today whose payments are looked through.
const PAYMENT_DAYS: u64 = 62;
/// Shops that are asked for their names, those where something was paid last.
const SHOPS_MAX: usize = 256;

/// What the script sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaletteForm {
    name: String,
    /// Chats alone: one is to be muted.
    #[serde(default)]
    chats: bool,
}

/// Something that was found.
struct PaletteFinding {
    address: String,
    /// Stands before the pages.
    is_first: bool,
    /// May be a name from outside.
    name: String,
    /// What it is, and when.
    note: String,
}

/// When and where the owner is.
#[derive(Clone, Copy)]
struct PaletteMoment {
    now: Timestamp,
    zone: Tz,
    today: NaiveDate,
}

/// `POST /form/palette/find`
pub(super) async fn find(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let PaletteForm { name, chats } = body?.read()?;
    if name.chars().count() > NAME_MAX || name.trim().is_empty() {
        return Err(WebError::BadBody);
    }
    let senders = senders_named(&app, &name, chats).await?;
    let mut found: Vec<PaletteFinding> = senders
        .into_iter()
        .take(SORT_MAX)
        .map(|sender| PaletteFinding {
            address: format!("/people/{}", sender.about.as_str()),
            is_first: false,
            note: match sender.about {
                LearnedThing::Person(_) => words::FOUND_PERSON.say().to_owned(),
                LearnedThing::Channel(_) => words::FOUND_CHAT.say().to_owned(),
            },
            name: sender.told_apart,
        })
        .collect();
    if !chats {
        let status = app.backend.status().await?;
        let zone = format::zone(&status.settings.zone);
        let at = PaletteMoment {
            now: status.at,
            zone,
            today: format::local_date(status.at, zone),
        };
        found.splice(0..0, times_named(&name, at.today));
        found.extend(events_named(&app, &name, at).await);
        found.extend(cancelled_named(&app, &name, at).await);
        found.extend(payments_named(&app, &name, at).await?);
        found.extend(due_named(&app, &name, &status).await?);
    }
    Ok(Html(list(&found).into_string()))
}

fn list(found: &[PaletteFinding]) -> Markup {
    html! {
        ul { @for one in found { li { a href=(one.address) data-first[one.is_first] { bdi { (one.name) } } @if !one.note.is_empty() { " " span.note { (one.note) } } } } }
    }
}

/// Days, weeks and months of that name, each with its agenda.
fn times_named(name: &str, today: NaiveDate) -> Vec<PaletteFinding> {
    let finding = |one: PaletteDay| PaletteFinding {
        address: address(agenda_page::PATH, one.period, one.day),
        is_first: one.is_whole,
        name: words::agenda_of(&one.period.title(one.day, today)),
        note: match one.period {
            Period::Week => words::found_week(one.day.iso_week()),
            Period::Day | Period::Month => String::new(),
        },
    };
    days_named(name, today).into_iter().map(finding).collect()
}

/// Today's and coming events of that name, the next first; of those that come again the next alone.
async fn events_named(app: &AppState, name: &str, at: PaletteMoment) -> Vec<PaletteFinding> {
    // Calendar is busy, or reads nothing.
    let Some(list) = app.backend.agenda(at.today, EVENT_DAYS).await else {
        return Vec::new();
    };
    let names = app.backend.names(agenda::ids(&list)).await;
    let title = |event: &ListedEvent| {
        let said = event.title.as_ref().map(DisplayLabel::as_str);
        names.get(event.event_id.as_str()).or(said).map(str::to_owned)
    };
    let mut named: Vec<(&ListedEvent, String)> = list
        .events
        .iter()
        .filter_map(|event| Some((event, title(event)?)))
        .filter(|(_, title)| holds_words(title, name))
        .collect();
    // What is over today comes last.
    named.sort_by_key(|(event, _)| (event.end <= at.now, event.start));
    let mut known = BTreeSet::new();
    named.retain(|(_, title)| known.insert(title.to_lowercase()));
    named
        .into_iter()
        .take(SORT_MAX)
        .map(|(event, title)| PaletteFinding {
            address: format!("/calendar/{}", event.event_id),
            is_first: false,
            note: words::found_event(&when(event, at)),
            name: title,
        })
        .collect()
}

/// Events of that name that were called off.
async fn cancelled_named(app: &AppState, name: &str, at: PaletteMoment) -> Vec<PaletteFinding> {
    let found = cancelled::find_named(app, name, at.today).await.into_iter();
    found
        .take(SORT_MAX)
        .map(|(event, title)| PaletteFinding {
            address: format!("/calendar/{}", event.event_id),
            is_first: false,
            note: words::found_cancelled(&if event.all_day {
                day_near(format::local_date(event.start, at.zone), at.today)
            } else {
                format::clock_on(event.start, at.now, at.zone)
            }),
            name: title,
        })
        .collect()
}

fn when(event: &ListedEvent, at: PaletteMoment) -> String {
    if event.all_day {
        // What has begun goes on today.
        let day = format::local_date(event.start, at.zone).max(at.today);
        return day_near(day, at.today);
    }
    format::clock_on(event.start, at.now, at.zone)
}

fn day_near(day: NaiveDate, today: NaiveDate) -> String {
    if day == today {
        words::FOUND_TODAY.say().to_owned()
    } else {
        format::date_near(day, today)
    }
}

/// What comes again, by the name of whom it is to or from.
async fn due_named(
    app: &AppState,
    name: &str,
    status: &OwnerStatus,
) -> Result<Vec<PaletteFinding>, WebError> {
    let (AheadDay { today, .. }, figures) = ahead_page::figures(app, status).await?;
    let some = || figures.series.iter().take(SHOPS_MAX);
    let ids: BTreeSet<ThingId> = some()
        .map(|one| ThingId::Merchant(one.merchant.clone()))
        .collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let names = app.backend.names(ids).await;
    let named = some().filter_map(|one| Some((one, names.get(one.merchant.as_str())?)));
    let found = named.filter(|(_, shop)| holds_words(shop, name)).take(SORT_MAX);
    let finding = |(one, shop): (&RecurringSeries, &str)| PaletteFinding {
        address: format!("{}#recurring", ahead_page::PATH),
        is_first: false,
        name: shop.to_owned(),
        note: words::found_due(
            &format::money(one.amount, &one.currency),
            &format::date_near(one.next.max(today), today),
        ),
    };
    Ok(found.map(finding).collect())
}

/// The newest payment of each shop of that name.
async fn payments_named(
    app: &AppState,
    name: &str,
    at: PaletteMoment,
) -> Result<Vec<PaletteFinding>, WebError> {
    let midnight = |day: Option<NaiveDate>| format::midnight(day.unwrap_or(at.today), at.zone);
    let from = midnight(at.today.checked_sub_days(Days::new(PAYMENT_DAYS)));
    let payments = app.backend.payments(from, midnight(at.today.succ_opt())).await?;
    let mut newest: BTreeMap<&MerchantHash, &KeptPayment> = BTreeMap::new();
    for payment in &payments {
        // The newest come first.
        if newest.len() >= SHOPS_MAX && !newest.contains_key(&payment.merchant) {
            break;
        }
        newest.entry(&payment.merchant).or_insert(payment);
    }
    if newest.is_empty() {
        return Ok(Vec::new());
    }
    let ids = newest
        .keys()
        .map(|shop| ThingId::Merchant((*shop).clone()))
        .collect();
    let names = app.backend.names(ids).await;
    let mut found: Vec<(&KeptPayment, &str)> = newest
        .values()
        .filter_map(|payment| Some((*payment, names.get(payment.merchant.as_str())?)))
        .filter(|(_, shop)| holds_words(shop, name))
        .collect();
    found.sort_by_key(|(payment, _)| std::cmp::Reverse(payment.at));
    let finding = |(payment, shop): (&KeptPayment, &str)| {
        let day = format::local_date(payment.at, at.zone);
        PaletteFinding {
            address: address(spending_page::PATH, Period::Day, day),
            is_first: false,
            name: shop.to_owned(),
            note: words::found_payment(
                &format::money(payment.amount.size(), &payment.currency),
                &day_near(day, at.today),
            ),
        }
    };
    Ok(found.into_iter().take(SORT_MAX).map(finding).collect())
}
