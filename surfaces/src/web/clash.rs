//! What an invitation clashes with, on the card that offers to decline it.
//!
//! What: the events that were there first, each with its hour and its page, and the way to what is free that day. Why: "1 pair overlaps" does not say which, and
//! whoever declines wants to know for what. Not here: which invitation it is (Calendar offers to decline the one that came later), the page about an event
//! (`meeting_page`).

use super::state::AppState;
use crate::{format, render::section::two_days::title, words};
use chrono_tz::Tz;
use maud::{Markup, html};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::EventId};

/// So many are named.
const CLASHES_MAX: usize = 3;

/// The part of a card; `None`: Calendar does not say.
pub(super) async fn on_card(app: &AppState, event: &str, (now, zone): (Timestamp, Tz)) -> Option<Markup> {
    let event = EventId::parse(event).ok()?;
    let start = app.backend.meeting(event.clone()).await?.said.start;
    let mut clashes = Vec::new();
    for other in app
        .backend
        .clashes(event, start)
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
    let ids = clashes.iter().map(|(id, _)| ThingId::Event(id.clone())).collect();
    let names = app.backend.names(ids).await;
    let day = format::local_date(start, zone);
    Some(html! {
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
        p.more { a href={ "/agenda?view=day&day=" (day) } { (words::CLASH_DAY) } }
    })
}
