//! What a card names beside its lines: who waits for an answer, which events clash, what was paid.
//!
//! What: [`of_card`], the rows of a card, each with what can be done about it. Why: a count leads nowhere, a name opens something. Not here: the lines
//! (`render::body`), all who wait (`answers_page`), the card that offers to decline (`clash`).

use super::{
    answers_page, clash, decline, error::WebError, meeting_page, periods::address, spending_page,
    state::AppState,
};
use crate::render::{
    card::{CardView, NamedBeside},
    section::{
        agenda::is_declinable,
        answers::{self, AnswerRow},
        meeting::MeetingBlock,
        moving::movable,
        period::Period,
        two_days,
        waiting::{self, WaitingRest},
    },
};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize as _;
use std::cmp::Reverse;
use surfaces_base::{
    backend::{DisplayNames, KeptPayment, NowView},
    format, words,
};
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::{comms::TriageResult, finance::AnomalyFlag, shared::ThingId},
    ids::{ChannelHash, EventId, ItemId},
    money::MoneyFlow,
    trace::Card,
};

/// Who wait for an answer are named on a card up to here.
const ON_A_CARD: usize = 3;
/// Days, from today on, in which another time is looked for.
const FREE_DAYS: u32 = 7;

/// What a card names, as far as the agents say it soon.
#[derive(Default)]
pub(super) struct CardThings {
    waiting: Option<WaitingOnCard>,
    of_day: Option<Markup>,
    paid: Option<Markup>,
    clash: Option<Markup>,
    /// What a mute would keep back.
    hides: Option<&'static str>,
    /// The meeting that it prepares for, in place of its lines.
    pub(super) meeting: Option<MeetingBlock>,
    /// Whether settings can be changed on a page.
    pub(super) can_change: bool,
}

impl CardThings {
    /// What the card's lines need not count.
    pub(super) fn named_beside(&self) -> NamedBeside {
        NamedBeside {
            waiting: self.waiting.is_some(),
            day: self.of_day.is_some(),
            clash: self.clash.is_some(),
        }
    }

    /// Below the lines.
    pub(super) fn part(&self) -> Markup {
        html! {
            @if let Some(clash) = &self.clash { (clash) }
            @if let Some(of_day) = &self.of_day { (of_day) }
            @if let Some(paid) = &self.paid { (paid) }
            @if let Some(hides) = self.hides { p.says { (hides) } }
            @if let Some(waiting) = &self.waiting { (waiting_part(waiting)) }
        }
    }
}

/// What a card names.
pub(super) async fn of_card(
    app: &AppState,
    now: &NowView,
    view: &CardView,
    card: &Card,
) -> Result<CardThings, WebError> {
    let at = (now.at, format::zone(&now.zone));
    let subject = card
        .decision
        .chosen
        .as_ref()
        .map(|chosen| chosen.subject.as_str());
    let subject = subject.unwrap_or_default();
    let mut things = CardThings::default();
    match view.kind {
        ActionKind::ShowBrief => {
            things.can_change = app.backend.home_file().await?.is_some();
            if view.done {
                things.of_day = day_part(app, now).await;
            }
            things.waiting = who_waits(app, now, view, None).await;
        }
        ActionKind::BatchDigest => things.waiting = who_waits(app, now, view, None).await,
        ActionKind::MuteGroup30 if !view.done => {
            things.hides = Some(words::MUTE_HIDES.say());
            things.waiting = who_waits(app, now, view, None).await;
        }
        ActionKind::DraftReply if !view.done => {
            things.waiting = who_waits(app, now, view, Some(subject)).await;
        }
        ActionKind::PrepareMeeting if view.done => {
            things.meeting = meeting_page::on_card(app, subject, at).await;
        }
        ActionKind::DeclineEvent if !view.done => things.clash = clash::on_card(app, subject, at).await,
        ActionKind::SurfaceAnomaly if view.done => things.paid = paid_part(app, card, at).await,
        ActionKind::MuteGroup30
        | ActionKind::PrepareMeeting
        | ActionKind::DeclineEvent
        | ActionKind::SurfaceAnomaly
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::LeaveByAlert
        | ActionKind::CategorizeTxn
        | ActionKind::ProjectBalance
        | ActionKind::DraftReply => {}
    }
    Ok(things)
}

/// What was paid on the unusual day for what was unusual, most first. `None`: memory keeps no such payment.
async fn paid_part(app: &AppState, card: &Card, (_, zone): (Timestamp, Tz)) -> Option<Markup> {
    let AnomalyFlag { category, day, .. } = AnomalyFlag::deserialize(&*card.tool_calls.first()?.args).ok()?;
    let next: NaiveDate = day.checked_add_days(Days::new(1))?;
    let (from, to) = (format::midnight(day, zone), format::midnight(next, zone));
    let mut paid = app.backend.payments(from, to).await.ok()?;
    paid.retain(|one| one.category == category && one.amount.flow() == Some(MoneyFlow::Out));
    paid.sort_by_key(|one: &KeptPayment| Reverse(one.amount.size()));
    paid.truncate(ON_A_CARD);
    let ids = paid.iter().map(|one| ThingId::Merchant(one.merchant.clone()));
    let names = app.backend.names(ids.collect()).await;
    let where_from = address(spending_page::PATH, Period::Day, day);
    (!paid.is_empty()).then(|| {
        html! {
            ul.rows {
                @for one in &paid {
                    @let name = names.get(one.merchant.as_str()).unwrap_or(words::UNNAMED_MERCHANT.say());
                    li { p.head {
                        a.what href=(where_from) { bdi { (name) } }
                        span.value { (format::money(one.amount.size(), &one.currency)) }
                    } }
                }
            }
        }
    })
}

/// Who waits for an answer now, on a card that counts them or on a quiet page.
pub(super) struct WaitingOnCard {
    rows: Vec<AnswerRow>,
    /// All of them.
    count: u32,
    /// Those who have no row.
    rest: Option<WaitingRest>,
}

impl WaitingOnCard {
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

/// Those of the card's chat, where it is about one. `lead`: the message that the card is about, which is named first.
async fn who_waits(
    app: &AppState,
    now: &NowView,
    view: &CardView,
    lead: Option<&str>,
) -> Option<WaitingOnCard> {
    waiting_in(app, now, view.chat.as_ref(), lead).await
}

/// Who waits longest, without their names, with how many there are; `None`: Comms does not say.
pub(super) async fn all_who_wait(app: &AppState) -> Option<TriageResult> {
    first_who_wait(app, None, None).await
}

async fn first_who_wait(
    app: &AppState,
    chat: Option<&ChannelHash>,
    lead: Option<&str>,
) -> Option<TriageResult> {
    let mut triage = app.backend.waiting().await?;
    // A digest tells of its chat.
    if let Some(chat) = chat {
        triage = waiting::only_of(triage, chat);
    }
    // One more than are shown: alone, it is said where it was written.
    Some(waiting::first_of(triage, ON_A_CARD + 1, lead))
}

async fn waiting_in(
    app: &AppState,
    now: &NowView,
    chat: Option<&ChannelHash>,
    lead: Option<&str>,
) -> Option<WaitingOnCard> {
    let triage = first_who_wait(app, chat, lead).await?;
    let names = app.backend.names(waiting::ids(Some(&triage))).await;
    in_rows(app, now, triage, &names, lead).await
}

/// Who waits, by their names; `None`: nobody does.
pub(super) async fn in_rows(
    app: &AppState,
    now: &NowView,
    triage: TriageResult,
    names: &DisplayNames,
    lead: Option<&str>,
) -> Option<WaitingOnCard> {
    let ways = app.backend.ways(waiting::unclear(Some(&triage), names)).await;
    let at = (now.at, format::zone(&now.zone));
    let mut rows = answers::rows((Some(&triage), &[]), &[], at, names, &ways.unwrap_or_default());
    rows.sort_by_key(|row| Some(row.item.as_str()) != lead);
    rows.truncate(ON_A_CARD);
    for row in &mut rows {
        // Drafts stand on the page with all who wait; here it is not known who has one.
        row.may_be_drafted = false;
    }
    let rest = waiting::rest(&triage, ON_A_CARD, names);
    (!rows.is_empty()).then_some(WaitingOnCard {
        rows,
        count: triage.urgent_count,
        rest,
    })
}

/// Who waits, each with what can be done.
fn waiting_part(waiting: &WaitingOnCard) -> Markup {
    rows_under(&words::wait_now(waiting.count), waiting)
}

/// The same below a title that counts them.
pub(super) fn longest_part(waiting: &WaitingOnCard) -> Markup {
    if waiting.count > 1 {
        rows_under(&words::longest_first(), waiting)
    } else {
        rows_under(words::WHO_IT_IS.say(), waiting)
    }
}

fn rows_under(says: &str, waiting: &WaitingOnCard) -> Markup {
    let rest = waiting.rest.as_ref();
    let place = rest
        .and_then(|rest| rest.only.as_ref())
        .map_or("waits", ItemId::as_str);
    html! {
        div #waits {
            p.says #waits-title tabindex="-1" { (says) }
            ul.rows.waiting { @for row in &waiting.rows { (row_of(row)) } }
            p.more { a href={ "/chats#" (place) } dir="auto" { (rest.map_or(words::ALL_THAT_WAITS.say(), |rest| rest.says.as_str())) } }
        }
    }
}

fn row_of(row: &AnswerRow) -> Markup {
    html! {
        li {
            (answers_page::who_waits(row))
            details.deal {
                summary aria-label=(words::on_row(words::DEAL_WITH_IT.say(), &row.told_apart)) { (words::DEAL_WITH_IT) }
                (answers_page::acts_of(row))
            }
        }
    }
}

/// The day of a brief: how many events, and those that clash, with what can move. `None`: Calendar does not say.
async fn day_part(app: &AppState, now: &NowView) -> Option<Markup> {
    let days = app.backend.two_days().await.ok()?;
    let zone = format::zone(&now.zone);
    let names = app.backend.names(two_days::ids(&days)).await;
    let pair = two_days::clash_of_today(&days, zone);
    let list = match &pair {
        Some(_) => {
            app.backend
                .agenda(format::local_date(now.at, zone), FREE_DAYS)
                .await
        }
        None => None,
    };
    let listed = list.as_ref();
    let moves = pair
        .as_ref()
        .zip(listed)
        .and_then(|(pair, list)| movable(list, &pair.map(|event| &event.id), now.at));
    let is_invitation = |event: &EventId| {
        let mut events = listed.into_iter().flat_map(|list| &list.events);
        events.any(|listed| listed.event_id == *event && is_declinable(listed, &now.untraced.outbox, now.at))
    };
    Some(html! {
        div.of-day {
            @for says in two_days::today_says(&days, &names, zone) { p.says dir="auto" { (says) } }
            @if let Some(pair) = &pair {
                ul.rows {
                    @for event in pair {
                        li {
                            p.head {
                                a.what href={ "/calendar/" (event.id) } { bdi { (two_days::title(&event.id, &names)) } }
                                span.value {
                                    (words::span(&format::clock_on(event.start, now.at, zone), &format::clock_on(event.end, event.start, zone)))
                                }
                            }
                            @if is_invitation(&event.id) { (decline::offer(&event.id, two_days::title(&event.id, &names))) }
                        }
                    }
                }
                @if let Some(moves) = &moves {
                    details.deal {
                        summary { (words::WHAT_CAN_MOVE) }
                        (clash::other_times(moves, two_days::title(&moves.event, &names), (now.at, zone)))
                    }
                }
            }
        }
    })
}
