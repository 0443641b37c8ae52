//! Files that are dropped on a page.
//!
//! What: the place to drop or choose them, and the handler that takes one in. Why: what lies nowhere that Aura may look, a statement in the browser's
//! downloads or on a stick, is shown to it by its owner's hand. What comes from a browser that may allow nothing waits until one that may has it read
//! (docs/adr/0187). Not here: what is in a file (`source_look_page`), keeping it until it is read (the backend).

use super::{
    error::WebError,
    settings_page::{found_row, look_place, may_add},
    state::AppState,
    visitor::{CredentialKind, visitor},
};
use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, header},
    response::Html,
};
use futures_util::StreamExt as _;
use maud::{Markup, html};
use std::{io, sync::Arc};
use surfaces_base::{
    backend::settings::{
        DROPPED_BYTES_MAX, DroppedReply, FilePiece, FoundSourceView, HANDED_BYTES_MAX, HANDED_MAX,
        HandedFileView, HomeFileView,
    },
    visible::visible,
    words,
};
use tokio::sync::mpsc;

/// The header with the file's name: UTF-8, each byte that is no letter or digit as `%` and two digits.
const NAME_HEADER: &str = "x-aura-name";
const NAME_MAX: usize = 1024;

/// Pieces of a file that are on their way at once.
const PIECES: usize = 4;

/// `POST /form/sources/drop`: the bytes of one file.
pub(super) async fn take(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Html<String>, WebError> {
    let name = headers
        .get(NAME_HEADER)
        .and_then(|name| plain_name(name.as_bytes()));
    let name = name.ok_or(WebError::BadBody)?;
    let from = if may_add(&app, &headers) {
        None
    } else {
        Some(device_of_owner(&app).ok_or(WebError::NotProven)?)
    };
    let is_handed = from.is_some();
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok());
    let length: Option<u64> = length.and_then(|length| length.parse().ok());
    if length.is_some_and(|length| length > DROPPED_BYTES_MAX) {
        return Ok(Html(row(&DroppedReply::TooLarge, is_handed).into_string()));
    }
    let (send, bytes) = mpsc::channel(PIECES);
    // Dropped where the browser goes away in the middle: then no end is told.
    let feed = async move {
        let mut pieces = body.into_data_stream();
        let (mut wanted, mut beyond) = (true, 0);
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(io::Error::other).map(FilePiece::Bytes);
            let (is_cut, length) = match &piece {
                Ok(FilePiece::Bytes(bytes)) => (false, bytes.len() as u64),
                Ok(FilePiece::End) | Err(_) => (true, 0),
            };
            // Who takes them may have enough. A browser reads the answer when it has sent all: it is let, up to a bound.
            wanted = wanted && send.send(piece).await.is_ok();
            beyond += if wanted { 0 } else { length };
            if is_cut || beyond > DROPPED_BYTES_MAX {
                return;
            }
        }
        let _ = send.send(Ok(FilePiece::End)).await;
    };
    let (reply, ()) = tokio::join!(app.backend.take_dropped(name, from, bytes), feed);
    Ok(Html(row(&reply?, is_handed).into_string()))
}

/// The name of the device whose browser asks; a program has no file to share.
fn device_of_owner(app: &AppState) -> Option<String> {
    let visitor = visitor().filter(|visitor| matches!(visitor.by, CredentialKind::Cookie { .. }))?;
    let name = app.door.devices.name_of(&visitor.device)?;
    Some(name.as_str().to_owned())
}

/// A name as the script sends it.
fn plain_name(sent: &[u8]) -> Option<String> {
    if sent.len() > NAME_MAX {
        return None;
    }
    let mut name = Vec::new();
    let mut rest = sent.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            name.push(*byte);
            continue;
        }
        let mut digit = || char::from(*rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        name.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(name).ok()
}

fn row(reply: &DroppedReply, is_handed: bool) -> Markup {
    let refused = |name: &str, why: &str| html! { li dir="auto" { p { bdi { (name) } } p.note { (why) } } };
    match reply {
        DroppedReply::Source(source) => found_row(source),
        DroppedReply::Contacts(source) if is_handed => {
            refused(&source.program, words::HANDED_LIES_ELSEWHERE.say())
        }
        DroppedReply::Calendar(name) | DroppedReply::Tasks(name) if is_handed => {
            refused(name, words::HANDED_LIES_ELSEWHERE.say())
        }
        DroppedReply::Contacts(source) => contacts_row(source),
        DroppedReply::Waits(name) => refused(name, words::HANDED_WAITS.say()),
        DroppedReply::Unfit(file, name) => refused(name, words::unfit_file(*file)),
        DroppedReply::Calendar(name) => refused(name, words::DROP_CALENDAR.say()),
        DroppedReply::Tasks(name) => refused(name, words::DROP_TASKS.say()),
        DroppedReply::Unknown(name) => refused(name, words::DROP_UNKNOWN.say()),
        DroppedReply::TooLarge | DroppedReply::NoRoom if is_handed => {
            html! { li { p.note { (words::handed_no_room(HANDED_MAX, HANDED_BYTES_MAX)) } } }
        }
        DroppedReply::TooLarge => html! { li { p.note { (words::DROP_TOO_LARGE) } } },
        DroppedReply::NoRoom => html! { li { p.note { (words::DROP_NO_ROOM) } } },
    }
}

/// What an address book holds, and where to choose it: it is needed again at each start.
fn contacts_row(one: &FoundSourceView) -> Markup {
    html! {
        li dir="auto" {
            p { b { (words::source_list(one.source.list)) } " · " bdi { (one.program) } }
            (look_place(&one.source))
            p.note { (words::DROP_CONTACTS) }
        }
    }
}

/// The place to drop files on, and to choose them.
pub(super) fn form(view: &HomeFileView) -> Markup {
    html! {
        form.settings.drops data-settings data-allows data-shown=(view.shown) data-drops data-bytes-max=(DROPPED_BYTES_MAX) {
            h3 { (words::DROP_FILES) }
            p.note { (words::DROP_MEANS) }
            label { (words::DROP_CHOOSE) input type="file" multiple data-drop-input; }
            (travel())
            ul.found #dropped aria-live="polite" {}
            p.buttons hidden { button.side type="submit" { (words::DROP_READ) } }
        }
    }
}

/// The same where files wait that are handed over.
pub(super) fn hand_over_form() -> Markup {
    html! {
        form.settings.drops data-drops data-bytes-max=(DROPPED_BYTES_MAX) {
            h3 { (words::HAND_OVER) }
            p.note { (words::HAND_OVER_MEANS) }
            label { (words::DROP_CHOOSE) input type="file" multiple data-drop-input; }
            (travel())
            ul.found #dropped aria-live="polite" {}
        }
    }
}

/// What devices handed over, with the button that has it read.
pub(super) fn handed(view: &HomeFileView) -> Markup {
    html! {
        @if !view.handed.is_empty() {
            form.settings #handed data-settings data-allows data-shown=(view.shown) {
                h3 { (words::HANDED) }
                ul.found {
                    @for HandedFileView { found, from, bytes } in &view.handed {
                        li {
                            label {
                                input type="checkbox" checked data-allow=(found.source.list.as_str()) data-path=(found.source.path);
                                span { b { (words::source_list(found.source.list)) } " · " bdi { (found.program) } }
                            }
                            p.note dir="auto" { (words::handed_from(&visible(from), &words::disk_size((*bytes).max(1000)))) }
                            (look_place(&found.source))
                        }
                    }
                }
                p.buttons { button.main type="submit" { (words::DROP_READ) } }
            }
        }
    }
}

/// What another app shared: the script shows it, and nothing of it leaves the browser before the button.
pub(super) fn shared(may_add: bool) -> Markup {
    html! {
        section.shared #shared data-shared hidden aria-labelledby="shared-title" {
            h3 #shared-title tabindex="-1" { (words::SHARED_FILES) }
            ul.plain-list {}
            p.note { (if may_add { words::SHARED_MEANS } else { words::SHARED_WAITS }) }
            p.buttons {
                button.main type="button" data-shared-take { (if may_add { words::SHARED_TAKE } else { words::SHARED_HAND_OVER }) }
                button.side type="button" data-shared-leave { (words::SHARED_LEAVE) }
            }
        }
    }
}

/// A file on its way: how much of it has gone, and a way to stop it. The script shows it, and says the same in words at each quarter.
fn travel() -> Markup {
    html! {
        div.travel data-travel hidden {
            p { bdi #travel-name data-travel-name {} " " span.note data-travel-sent {} }
            progress aria-labelledby="travel-name" max="1" value="0" {}
            p.buttons { button.side type="button" data-travel-cancel { (words::DROP_CANCEL) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_as_the_script_sends_it() {
        for (sent, name) in [
            ("May.csv", Some("May.csv")),
            ("Kontoausz%C3%BCge%202026.csv", Some("Kontoausz\u{fc}ge 2026.csv")),
            ("a%2", None),
            ("a%zz", None),
            ("%ff", None),
        ] {
            assert_eq!(plain_name(sent.as_bytes()).as_deref(), name, "{sent}");
        }
        assert_eq!(plain_name(&[b'a'; NAME_MAX + 1]), None);
    }
}
