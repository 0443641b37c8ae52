//! An iCalendar file as components: where each begins and ends, with its line and the method of its calendar.
//!
//! What: [`utf8()`], [`blocks`] and [`ComponentBlock::text`]. Why: a file that is cut in half, or one broken event, loses that event only, the
//! skip can name its line, and no more than one event is held twice. Not here: properties (`ics`), values (`values`),
//! zones (`zones`).

use agents_base::shared::SkipCode;
use std::borrow::Cow;

/// Not an iCalendar object.
pub(crate) const NOT_ICALENDAR: SkipCode = SkipCode {
    code: "AGENT-012",
    message: "this is not an iCalendar object: RFC 5545 asks for BEGIN:VCALENDAR",
};
/// The component does not end, or cannot be read.
pub(crate) const BROKEN_EVENT: SkipCode = SkipCode {
    code: "AGENT-013",
    message: "this component is cut off, larger than 1 MiB, nested deeper than 4, or its start or its UID is not readable: export the calendar again",
};
/// Something of a component cannot be read, and is not needed to tell when it is.
pub(crate) const BAD_LINE: SkipCode = SkipCode {
    code: "AGENT-038",
    message: "a line of this component cannot be read, or its end is before its start or more than 400 days after it: only that is left out",
};

/// The longest component, folded, in bytes.
const MAX_BLOCK: usize = 1024 * 1024;
/// Components inside one, one in the other.
const MAX_DEPTH: u32 = 4;

/// The components that are read. VJOURNAL is none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComponentKind {
    /// VEVENT.
    Event,
    /// VTODO.
    Task,
    /// VTIMEZONE.
    Zone,
    /// VFREEBUSY.
    Busy,
}

impl ComponentKind {
    fn from_name(name: &[u8]) -> Option<Self> {
        [
            (Self::Event, "VEVENT"),
            (Self::Task, "VTODO"),
            (Self::Zone, "VTIMEZONE"),
            (Self::Busy, "VFREEBUSY"),
        ]
        .into_iter()
        .find_map(|(kind, known)| name.eq_ignore_ascii_case(known.as_bytes()).then_some(kind))
    }
}

/// What a calendar is sent for (RFC 5546).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ItipMethod {
    /// A calendar, or an invitation: none, `PUBLISH`, `REQUEST`, anything unknown.
    #[default]
    Publish,
    /// Its instances join those that are known.
    Add,
    /// Its events are cancelled.
    Cancel,
    /// Others' answers and proposals (`REPLY`, `COUNTER`, `DECLINECOUNTER`, `REFRESH`): no events of the owner's.
    Answer,
}

impl ItipMethod {
    fn from_name(name: &[u8]) -> Self {
        match name.to_ascii_uppercase().as_slice() {
            b"ADD" => Self::Add,
            b"CANCEL" => Self::Cancel,
            b"REPLY" | b"COUNTER" | b"DECLINECOUNTER" | b"REFRESH" => Self::Answer,
            _ => Self::Publish,
        }
    }
}

/// One component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComponentBlock<'a> {
    /// What it is.
    pub(crate) kind: ComponentKind,
    /// The line of its `BEGIN`, from 1.
    pub(crate) line: u64,
    /// Of the calendar around it.
    pub(crate) method: ItipMethod,
    /// The zone that the calendar around it names (`X-WR-TIMEZONE`).
    pub(crate) calendar_zone: Option<&'a str>,
    /// What the calendar around it is called (`X-WR-CALNAME`).
    pub(crate) calendar_name: Option<&'a str>,
    /// Which calendar of the file it is in, from 0: one may define zones by the same names as another.
    pub(crate) calendar: u32,
    /// Its lines as they stand in the file, from `BEGIN` to `END`.
    bytes: &'a [u8],
}

impl ComponentBlock<'_> {
    /// Its lines unfolded, each ended by CRLF. Unfolding comes before decoding: a fold may lie inside a character. A line
    /// that is not UTF-8 is read as Windows-1252, as older programs write; lines that are no property are left out, because programs
    /// write descriptions over several lines without folding them.
    pub(crate) fn text(&self) -> String {
        let mut logical: Vec<u8> = Vec::with_capacity(self.bytes.len());
        let mut out = String::with_capacity(self.bytes.len() + 8);
        let mut flush = |logical: &mut Vec<u8>| {
            if property(logical) {
                match std::str::from_utf8(logical) {
                    Ok(line) => out.push_str(line),
                    Err(_) => out.push_str(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(logical).0),
                }
                out.push_str("\r\n");
            }
            logical.clear();
        };
        for line in PhysicalLines::new(self.bytes) {
            match line.bytes.split_first() {
                Some((b' ' | b'\t', rest)) => logical.extend_from_slice(rest),
                Some(_) => {
                    flush(&mut logical);
                    logical.extend_from_slice(line.bytes);
                }
                None => {}
            }
        }
        flush(&mut logical);
        out
    }
}

/// Whether a line is built as a property is: a name, then `:`, or `;` and a `:` later on.
fn property(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    name > 0 && matches!(line.get(name), Some(b':' | b';')) && line.contains(&b':')
}

/// The lines of a component that could not be read as a whole, without those that cannot be read by themselves and with the ends that are
/// missing in it, and how many lines are left out. `None`: one of them says which event it is, or when.
pub(crate) fn mended(text: &str, is_readable: impl Fn(&str) -> bool) -> Option<(String, usize)> {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<&str> = Vec::new();
    let mut lost = 0;
    let mut push = |line: &str| {
        out.push_str(line);
        out.push_str("\r\n");
    };
    for line in text.lines() {
        let marks = |mark: &str| value_after(line.as_bytes(), mark).is_some();
        if marks("BEGIN:") {
            open.push(line.get("BEGIN:".len()..)?.trim());
            push(line);
        } else if marks("END:") {
            let ended = line.get("END:".len()..)?.trim();
            // What was not ended ends with what is around it.
            if let Some(at) = open.iter().rposition(|name| name.eq_ignore_ascii_case(ended)) {
                for name in open.split_off(at).into_iter().rev() {
                    push(&format!("END:{name}"));
                }
            }
        } else if is_readable(line) {
            push(line);
        } else {
            // iPhones write a place's street and town so, in a parameter, where RFC 5545 knows no backslash.
            let plain = line.replace("\\;", " ").replace("\\,", " ");
            if plain != line && is_readable(&plain) {
                push(&plain);
            } else if NEEDED.iter().any(|name| is_named(line, name)) {
                return None;
            } else {
                lost += 1;
            }
        }
    }
    Some((out, lost))
}

/// Without these nobody knows which event it is, or when.
const NEEDED: [&str; 4] = ["UID", "DTSTART", "RECURRENCE-ID", "DUE"];

fn is_named(line: &str, name: &str) -> bool {
    value_after(line.as_bytes(), name).is_some_and(|rest| matches!(rest.first(), Some(b':' | b';')))
}

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CalendarFile<'a> {
    /// The complete components.
    pub(crate) blocks: Vec<ComponentBlock<'a>>,
    /// What was left out, with its line.
    pub(crate) skips: Vec<(SkipCode, u64)>,
    /// Whether it is a calendar to its end: a file that is being written is not.
    pub(crate) whole: bool,
}

/// The component that is being collected.
struct OpenComponent {
    kind: ComponentKind,
    line: u64,
    from: usize,
    depth: u32,
    /// Over a limit: it is counted once and left out.
    spoilt: bool,
}

/// A file as UTF-8: Outlook writes UTF-16, mostly with its byte order mark.
pub(crate) fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let utf16 = match bytes {
        [0xFE, 0xFF, ..] | [0, b'B', 0, b'E', ..] => encoding_rs::UTF_16BE,
        [0xFF, 0xFE, ..] | [b'B', 0, b'E', 0, ..] => encoding_rs::UTF_16LE,
        _ => return Cow::Borrowed(bytes),
    };
    Cow::Owned(utf16.decode(bytes).0.into_owned().into_bytes())
}

/// Whether a file begins as a calendar does.
pub(crate) fn is_calendar(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    value_after(bytes.trim_ascii_start(), "BEGIN:VCALENDAR").is_some()
}

/// Cuts a file into its components.
pub(crate) fn blocks(bytes: &[u8]) -> CalendarFile<'_> {
    let mut out = CalendarFile::default();
    let mut calendars: u32 = 0;
    let mut calendar: u32 = 0;
    let mut seen = false;
    let mut method = ItipMethod::default();
    let (mut calendar_zone, mut calendar_name) = (None, None);
    let mut open: Option<OpenComponent> = None;
    let mut last = 1;
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let lines = PhysicalLines {
        bytes,
        at: start,
        number: 0,
    };
    for line in lines {
        last = line.number;
        let begins = value_after(line.bytes, "BEGIN:");
        let ends = value_after(line.bytes, "END:");
        if begins.is_some_and(|name| name.eq_ignore_ascii_case(b"VCALENDAR")) {
            calendar += u32::from(seen);
            seen = true;
            calendars += 1;
            method = ItipMethod::default();
            (calendar_zone, calendar_name) = (None, None);
        }
        if let Some(kind) = begins.and_then(ComponentKind::from_name) {
            if let Some(cut) = open.take() {
                out.skips.push((BROKEN_EVENT, cut.line));
            }
            open = Some(OpenComponent {
                kind,
                line: line.number,
                from: line.from,
                depth: 0,
                spoilt: false,
            });
        }
        if let Some(mut block) = open.take() {
            let end = line.from + line.bytes.len();
            block.depth += u32::from(begins.is_some());
            let closed = ends.and_then(ComponentKind::from_name) == Some(block.kind);
            let done = closed || (ends.is_some() && block.depth <= 1);
            block.depth = block.depth.saturating_sub(u32::from(ends.is_some()));
            block.spoilt |= block.depth > MAX_DEPTH || end - block.from > MAX_BLOCK;
            match bytes.get(block.from..end) {
                Some(bytes) if done && closed && !block.spoilt => out.blocks.push(ComponentBlock {
                    kind: block.kind,
                    line: block.line,
                    method,
                    calendar_zone,
                    calendar_name,
                    calendar,
                    bytes,
                }),
                Some(_) | None if done => out.skips.push((BROKEN_EVENT, block.line)),
                Some(_) | None => open = Some(block),
            }
        } else if let Some(name) = value_after(line.bytes, "METHOD:") {
            method = ItipMethod::from_name(name);
        } else if let Some(name) = extension_of_calendar(line.bytes, "X-WR-TIMEZONE") {
            calendar_zone = std::str::from_utf8(name).ok();
        } else if let Some(name) = extension_of_calendar(line.bytes, "X-WR-CALNAME") {
            calendar_name = std::str::from_utf8(name).ok();
        }
        if ends.is_some_and(|name| name.eq_ignore_ascii_case(b"VCALENDAR")) {
            calendars = calendars.saturating_sub(1);
        }
    }
    out.whole = open.is_none() && seen && calendars == 0;
    if let Some(cut) = open {
        out.skips.push((BROKEN_EVENT, cut.line));
    } else if !seen && out.blocks.is_empty() {
        out.skips.push((NOT_ICALENDAR, 1));
    } else if calendars > 0 {
        out.skips.push((BROKEN_EVENT, last));
    }
    out
}

/// The value of a line that begins with `head`, in any case, without spaces around it.
fn value_after<'a>(line: &'a [u8], head: &str) -> Option<&'a [u8]> {
    let (name, value) = line.split_at_checked(head.len())?;
    name.eq_ignore_ascii_case(head.as_bytes())
        .then(|| value.trim_ascii())
}

/// The value of an `X-WR-TIMEZONE` or `X-WR-CALNAME`, which programs also write with `VALUE=TEXT`.
fn extension_of_calendar<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let rest = value_after(line, name)?;
    let colon = rest.iter().position(|b| *b == b':')?;
    matches!(rest.first(), Some(b':' | b';'))
        .then(|| rest.get(colon + 1..))?
        .map(<[u8]>::trim_ascii)
}

/// One physical line.
struct PhysicalLine<'a> {
    /// From 1.
    number: u64,
    /// Its first byte in the file.
    from: usize,
    /// Without its end.
    bytes: &'a [u8],
}

/// The physical lines, ended by CRLF, LF or CR.
struct PhysicalLines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: u64,
}

impl<'a> PhysicalLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            number: 0,
        }
    }
}

impl<'a> Iterator for PhysicalLines<'a> {
    type Item = PhysicalLine<'a>;

    fn next(&mut self) -> Option<PhysicalLine<'a>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let len = rest
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'))
            .unwrap_or(rest.len());
        let (line, end) = rest.split_at_checked(len)?;
        let from = self.at;
        let crlf = end.starts_with(b"\r\n");
        self.at = (from + len + if crlf { 2 } else { 1 }).min(self.bytes.len());
        self.number += 1;
        Some(PhysicalLine {
            number: self.number,
            from,
            bytes: line,
        })
    }
}
