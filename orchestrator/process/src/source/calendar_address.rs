//! A calendar that is one file at an address.
//!
//! What: [`read`]: it is asked for, and taken when it is not the one that is known. Why: most calendars that somebody gives out are such a
//! file. Not here: what is in it (the Calendar agent).

use super::{
    dav::PartSender,
    http::{HttpSession, ServerRequest},
    wire::{AccountPart, AccountRequest, LookFailure, PART_BYTES_MAX},
};
use http::{StatusCode, header};

/// The one calendar's id.
const ID: &str = "calendar";

/// Hands over the file when it is new, and gives the one calendar.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn read(
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<Vec<String>, LookFailure> {
    let known = request.known.iter().find(|known| known.id == ID);
    let mut headers = vec![("Accept", "text/calendar")];
    if let Some(known) = known {
        headers.push(("If-None-Match", &known.mark));
    }
    let answer = session
        .ask(&ServerRequest {
            method: "GET",
            path: &request.place.path,
            headers: &headers,
            body: "",
        })
        .await?;
    if answer.status == StatusCode::NOT_MODIFIED {
        return Ok(vec![ID.to_owned()]);
    }
    let answer = answer.good()?;
    let text = String::from_utf8_lossy(&answer.body);
    let text = text.trim_start_matches('\u{feff}').trim();
    let begins = text
        .get(..15)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("BEGIN:VCALENDAR"));
    if !begins {
        // A page that asks to log in, mostly.
        return Err(LookFailure::NoCalendar);
    }
    if !text.to_ascii_uppercase().ends_with("END:VCALENDAR") {
        return Err(LookFailure::Broken);
    }
    parts.send(AccountPart::Calendar {
        id: ID.to_owned(),
        name: String::new(),
        is_whole: true,
        mark: answer.header(header::ETAG).map(str::to_owned),
        takes_events: false,
    })?;
    for (number, piece) in pieces(text).into_iter().enumerate() {
        parts.send(AccountPart::Object {
            // In the order of the file.
            id: format!("{number:06}"),
            text: piece.to_owned(),
        })?;
    }
    Ok(vec![ID.to_owned()])
}

/// A text in pieces that fit a frame.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = PART_BYTES_MAX.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, more) = rest.split_at(end);
        pieces.push(piece);
        rest = more;
    }
    pieces
}
