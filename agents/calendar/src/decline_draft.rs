//! The draft of a decline as its owner sees it.
//!
//! What: of which event a file of the outbox is the draft, what its owner says in it and to whom, and the same file with other words. Why: an iTIP
//! reply (RFC 5546) is no text for people; one line of it is. Not here: drafting it (`tools`), the file (`aura_memory::outbox`).

use super::tools::{escaped, folded};
use toolcall_schema::ids::EventId;

const COMMENT: &str = "COMMENT:";
const ORGANIZER: &str = "ORGANIZER:";

/// The file of a decline's draft.
pub fn decline_file(event: &EventId) -> String {
    format!("decline-{event}.ics")
}

/// Of which event a file of the outbox is the draft of a decline; `None`: of none.
pub fn declined_event(file: &str) -> Option<EventId> {
    EventId::parse(file.strip_prefix("decline-")?.strip_suffix(".ics")?).ok()
}

/// What the owner says in the draft; `None`: the file is no such draft.
pub fn decline_comment(file: &str) -> Option<String> {
    value_of(file, COMMENT).map(|value| unescaped(&value))
}

/// The mail address of whom it is for, where there is one.
pub fn decline_address(file: &str) -> Option<String> {
    let value = value_of(file, ORGANIZER)?;
    let (scheme, address) = value.split_once(':')?;
    scheme.eq_ignore_ascii_case("mailto").then(|| address.to_owned())
}

/// The draft with other words of the owner's; `None`: the file is no such draft.
pub fn decline_saying(file: &str, comment: &str) -> Option<String> {
    let lines = unfolded(file);
    lines.lines().find(|line| line.starts_with(COMMENT))?;
    let line = |line: &str| {
        if line.starts_with(COMMENT) {
            folded(&format!("{COMMENT}{}", escaped(comment)))
        } else {
            folded(line)
        }
    };
    Some(lines.lines().map(line).collect())
}

fn value_of(file: &str, name: &str) -> Option<String> {
    let lines = unfolded(file);
    let value = lines.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.to_owned())
}

fn unfolded(file: &str) -> String {
    file.replace("\r\n ", "")
}

/// A TEXT value as it is read (RFC 5545, 3.3.11).
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n' | 'N') => text.push('\n'),
            Some(escaped) => text.push(escaped),
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAFT: &str = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nUID:demo\\,1\r\nORGANIZER:MAILTO:desk@brightloom.test\r\nCOMMENT:I cannot be there in time.\r\nEND:VCALENDAR\r\n";

    #[test]
    fn what_its_owner_writes_changes_one_line_and_comes_back_as_it_was_written() {
        for said in [
            "Sorry, no; next week?\nRohan \\ Asha",
            &"x\u{e9}".repeat(200),
            "\u{5d0}\u{1f355}",
            "",
        ] {
            let file = decline_saying(DRAFT, said).unwrap();
            assert_eq!(decline_comment(&file).as_deref(), Some(said));
            assert!(file.split("\r\n").all(|line| line.len() <= 75), "{file}");
            // Said again as it was, it is the draft that it was.
            assert_eq!(
                decline_saying(&file, "I cannot be there in time.").unwrap(),
                DRAFT
            );
        }
        // A line of its own is never begun.
        let file = decline_saying(DRAFT, "no\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:x@y.test").unwrap();
        assert_eq!(
            file.lines().filter(|line| line.starts_with("ATTENDEE")).count(),
            0
        );
        assert_eq!(decline_address(DRAFT).as_deref(), Some("desk@brightloom.test"));
        assert_eq!(decline_address(&DRAFT.replace("MAILTO:", "urn:")), None);
        for no_draft in ["", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"] {
            assert_eq!(decline_comment(no_draft), None);
            assert_eq!(decline_saying(no_draft, "no"), None);
        }
    }
}
