//! Time that the owner keeps free.
//!
//! What: the buttons beside a free time, and the one way that keeps it free and takes that back. Why: what is free on the agenda is kept so where
//! it stands. Not here: the event (`agents`), where it is written to (`orchestrator`), its sentences (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    state::AppState,
};
use crate::render::section::moving::quarter_from;
use axum::{Json, extract::State, http::HeaderMap};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{backend::OwnerCall, words};
use toolcall_schema::{Timestamp, catalogue::calendar::HOLD_MAX_MIN};

/// So much of a free time is offered to be kept free, where it is as long; and all of it.
const OFFERED_MIN: [u32; 3] = [30, 60, 120];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeldTimeBody {
    start: Timestamp,
    minutes: u32,
    held: bool,
}

/// `POST /v1/holds`
pub(super) async fn set(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let HeldTimeBody { start, minutes, held } = body?.read()?;
    end(&app, OwnerCall::HoldTime(start, minutes, held), &headers).await
}

/// Buttons that keep a free time free, or the first part of it.
pub(super) fn offer(when: &str, from: Timestamp, to: Timestamp) -> Markup {
    // What is left of one that has begun starts at the next quarter.
    let start = quarter_from(from);
    let left = u32::try_from(to.since(start) / 60_000)
        .unwrap_or(0)
        .min(HOLD_MAX_MIN);
    let mut offered: Vec<u32> = OFFERED_MIN
        .into_iter()
        .filter(|minutes| *minutes < left)
        .collect();
    offered.extend((left >= 5).then_some(left));
    html! {
        @if !offered.is_empty() {
            details.hold {
                summary aria-label=(words::on_row(words::KEEP_FREE.say(), when)) { (words::KEEP_FREE) }
                p.buttons {
                    @for minutes in offered {
                        @let long = words::keep_free_for(minutes);
                        button.plain type="button" data-keep-free=(start) data-minutes=(minutes)
                            aria-label=(words::keep_free_from(when, &long)) { (long) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_time_is_offered_from_the_next_quarter_in_parts_and_whole() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let buttons = |from: &str, to: &str| {
            let shown = offer("14:00 to 16:30", at(from), at(to)).into_string();
            let minutes = shown.split("data-minutes=\"").skip(1);
            let minutes: Vec<String> = minutes
                .map(|rest| rest.split('"').next().unwrap().to_owned())
                .collect();
            (shown, minutes)
        };
        let (shown, minutes) = buttons("2026-11-03T14:00:00Z", "2026-11-03T16:30:00Z");
        assert_eq!(minutes, ["30", "60", "120", "150"]);
        assert!(shown.contains("data-keep-free=\"2026-11-03T14:00:00"), "{shown}");
        let (shown, minutes) = buttons("2026-11-03T14:01:00Z", "2026-11-03T14:45:00Z");
        assert_eq!(minutes, ["30"]);
        assert!(shown.contains("data-keep-free=\"2026-11-03T14:15:00"), "{shown}");
        let (shown, _) = buttons("2026-11-03T14:01:00Z", "2026-11-03T14:17:00Z");
        assert_eq!(shown, "");
    }
}
