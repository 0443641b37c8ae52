//! What an invitation clashes with, on the card that offers to decline it.
//!
//! What: the events that were there first, each with its hour and its page; which of them can move, because nobody else is in it, and when there is time for it. Why:
//! "1 pair overlaps" does not say which, and declining is not the only way out. Nothing is moved by Aura: calendars are read alone. Not here: which invitation it is (Calendar offers to decline the one that came later), the page about an event
//! (`meeting_page`).

use super::{periods::address, state::AppState};
use crate::render::section::{
    moving::{MovableEvent, movable},
    period::Period,
    two_days::title,
};
use chrono_tz::Tz;
use maud::{Markup, html};
use surfaces_base::{format, words};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::EventId};

/// So many are named.
const CLASHES_MAX: usize = 3;
/// Days, from that of the clash on, in which another time is looked for.
const FREE_DAYS: u32 = 7;

/// The part of a card; `None`: Calendar does not say.
pub(super) async fn on_card(app: &AppState, event: &str, (now, zone): (Timestamp, Tz)) -> Option<Markup> {
    let event = EventId::parse(event).ok()?;
    let said = app.backend.meeting(event.clone()).await?.said;
    let (start, end) = (said.start, said.end);
    let mut clashes = Vec::new();
    for other in app
        .backend
        .clashes(event.clone(), start)
        .await
        .into_iter()
        .take(CLASHES_MAX)
    {
        let said = app.backend.meeting(other.clone()).await.map(|view| view.said);
        clashes.push((other, said.map(|said| (said.start, said.end))));
    }
    if clashes.is_empty() {
        return None;
    }
    let day = format::local_date(start, zone);
    let list = app
        .backend
        .agenda(day.max(format::local_date(now, zone)), FREE_DAYS)
        .await;
    let pair: Vec<&EventId> = clashes.iter().map(|(id, _)| id).chain([&event]).collect();
    let moves = list.as_ref().and_then(|list| movable(list, &pair, now));
    let ids = pair.iter().map(|id| ThingId::Event((*id).clone())).collect();
    let names = app.backend.names(ids).await;
    Some(html! {
        p { (words::span(&format::clock_on(start, now, zone), &format::clock_on(end, start, zone))) }
        p.says { (words::CLASH_LATER) }
        ul.rows {
            @for (id, hours) in &clashes {
                li {
                    p.head {
                        a.what href={ "/calendar/" (id) } { bdi { (title(id, &names)) } }
                        @if let Some((from, to)) = hours {
                            span.value { (words::span(&format::clock_on(*from, now, zone), &format::clock_on(*to, *from, zone))) }
                        }
                    }
                }
            }
        }
        @if let Some(moves) = &moves { (other_times(moves, title(&moves.event, &names), (now, zone))) }
        p.more { a href=(address("/agenda", Period::Day, day)) { (words::CLASH_DAY) } }
    })
}

/// When there is time for it instead.
pub(super) fn other_times(moves: &MovableEvent, name: &str, (now, zone): (Timestamp, Tz)) -> Markup {
    html! {
        p.says dir="auto" { (words::can_move(name, moves.alone)) }
        ul.rows {
            @for (from, to) in &moves.free {
                li {
                    p.head {
                        a.what href=(address("/agenda", Period::Day, format::local_date(*from, zone))) {
                            (words::span(&format::clock_on(*from, now, zone), &format::clock_on(*to, *from, zone)))
                        }
                    }
                }
            }
        }
    }
}
