//! The watch with nothing to ask.
//!
//! What: the time, the next event of today and tomorrow, and what is left of the day's interruptions, or the pause with its end. Why: a glance at a watch is for the time, and for what comes
//! next. Not here: a card (`pages`), the clock's ticking (`assets/phone.js`).

use super::{next_event::next_event, state::AppState};
use maud::{Markup, html};
use surfaces_base::{backend::NowView, format, words};

/// The face at rest. `dots`: the day's interruptions.
pub(super) async fn face(app: &AppState, now: &NowView, dots: fn(&NowView) -> Markup) -> Markup {
    let zone = format::zone(&now.zone);
    let next = next_event(app, now).await;
    // The face itself is read aloud when it changes: a minute that passes is no news.
    html! {
        div.idle aria-live="off" {
            time.clock data-clock=(zone.name()) data-at=(now.at.ms()) { (format::clock(now.at, zone)) }
            @if let Some(next) = next {
                p.next {
                    time { (format::clock_on(next.start, now.at, zone)) } " " bdi { (next.title) }
                    // Once it has begun the next one is asked for.
                    span data-left-ms=(next.start.since(now.at)) {}
                }
            }
            @if let Some(pause) = pause(now) {
                (pause)
            } @else {
                (dots(now))
            }
        }
    }
}

/// Until when Aura is paused, with the way back; nothing where it is not.
pub(super) fn pause(now: &NowView) -> Option<Markup> {
    let until = now.paused_until.filter(|until| *until > now.at)?;
    let zone = format::zone(&now.zone);
    Some(html! {
        p.next { (words::paused_until(&format::clock_on(until, now.at, zone))) }
        div.answers { button.side type="button" data-pause="off" { (words::SPEAK_AGAIN) } }
    })
}
