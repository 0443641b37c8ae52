//! An iCalendar file as lines: unfolded, with their numbers, cut into VEVENT blocks.
//!
//! What: [`blocks`]. Why: a file that is cut in half, or one broken event, loses that event only, and the skip can name
//! its line. Not here: properties (`ics`), values (`values`).

use crate::shared::SkipCode;

/// Not an iCalendar object.
pub const NOT_ICALENDAR: SkipCode = SkipCode {
    code: "AGENT-012",
    message: "this is not an iCalendar object: RFC 5545 asks for BEGIN:VCALENDAR",
};
/// The component does not end, or cannot be read.
pub const BROKEN_EVENT: SkipCode = SkipCode {
    code: "AGENT-013",
    message: "this component is cut off, larger than 1 MiB, nested deeper than 4 or not readable: export the calendar again",
};

/// The longest event, unfolded, in bytes.
const MAX_BLOCK: usize = 1024 * 1024;
/// Components inside an event, one in the other.
const MAX_DEPTH: u32 = 4;

/// One VEVENT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The line of its `BEGIN`, from 1.
    pub line: u64,
    /// Its unfolded lines from `BEGIN:VEVENT` to `END:VEVENT`, each ended by CRLF.
    pub text: String,
}

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks {
    /// The complete events.
    pub events: Vec<Block>,
    /// What was left out, with its line.
    pub skips: Vec<(SkipCode, u64)>,
    /// Whether the calendar says `METHOD:CANCEL`: all its events are cancelled.
    pub cancel: bool,
}

/// The event that is being collected.
struct Open {
    block: Block,
    depth: u32,
    /// Over a limit: it is counted once and left out.
    spoilt: bool,
}

/// Cuts a file into its events.
pub fn blocks(bytes: &[u8]) -> Blocks {
    let mut out = Blocks::default();
    let mut calendars: u32 = 0;
    let mut seen = false;
    let mut open: Option<Open> = None;
    let mut last = 1;
    for (number, line) in unfold(bytes) {
        last = number;
        let (word, rest) = line.split_once(':').unwrap_or((&line, ""));
        let (word, name) = (word.trim().to_ascii_uppercase(), rest.trim().to_ascii_uppercase());
        let begins = (word == "BEGIN").then_some(name.as_str());
        let ends = (word == "END").then_some(name.as_str());
        if begins == Some("VCALENDAR") {
            seen = true;
            calendars += 1;
        }
        if begins == Some("VEVENT") {
            if let Some(cut) = open.take() {
                out.skips.push((BROKEN_EVENT, cut.block.line));
            }
            let block = Block {
                line: number,
                text: String::new(),
            };
            open = Some(Open {
                block,
                depth: 0,
                spoilt: false,
            });
        }
        if let Some(mut event) = open.take() {
            event.depth += u32::from(begins.is_some());
            let done = ends == Some("VEVENT") || (ends.is_some() && event.depth <= 1);
            event.depth = event.depth.saturating_sub(u32::from(ends.is_some()));
            event.spoilt |= event.depth > MAX_DEPTH || event.block.text.len() + line.len() > MAX_BLOCK;
            if !event.spoilt {
                event.block.text.push_str(&line);
                event.block.text.push_str("\r\n");
            }
            if !done {
                open = Some(event);
            } else if event.spoilt || ends != Some("VEVENT") {
                out.skips.push((BROKEN_EVENT, event.block.line));
            } else {
                out.events.push(event.block);
            }
        } else if word == "METHOD" {
            out.cancel |= name == "CANCEL";
        }
        if ends == Some("VCALENDAR") {
            calendars = calendars.saturating_sub(1);
        }
    }
    if let Some(cut) = open {
        out.skips.push((BROKEN_EVENT, cut.block.line));
    } else if !seen {
        out.skips.push((NOT_ICALENDAR, 1));
    } else if calendars > 0 {
        out.skips.push((BROKEN_EVENT, last));
    }
    out
}

/// The logical lines with the number of their first physical line. Unfolding comes before decoding: a fold may lie
/// inside a character. Bytes that are not UTF-8 become replacement characters.
fn unfold(bytes: &[u8]) -> Vec<(u64, String)> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut logical: Vec<(u64, Vec<u8>)> = Vec::new();
    for (number, line) in (1_u64..).zip(bytes.split(|b| *b == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (line.split_first(), logical.last_mut()) {
            (Some((b' ' | b'\t', rest)), Some((_, before))) => before.extend_from_slice(rest),
            (None, _) => {}
            (Some(_), _) => logical.push((number, line.to_vec())),
        }
    }
    logical
        .into_iter()
        .map(|(number, line)| (number, String::from_utf8_lossy(&line).into_owned()))
        .collect()
}
