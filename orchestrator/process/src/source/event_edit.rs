//! An event as a server sent it, and the owner's part in it changed.
//!
//! What: [`DeclinedInvitation`], which finds its event in an object, and [`OwnerPart`], which writes it anew with another answer; every other byte
//! stays. Why: an object may hold what no program of ours knows, and all of it must come back as it was. Not here: asking a server
//! (`caldav_change`), what an event means (the Calendar agent).

use chrono::{NaiveDateTime, TimeZone as _, Utc};
use chrono_tz::Tz;
use std::ops::Range;
use toolcall_schema::delivery::ChangeRefusal;

/// Bytes of a content line before it is folded (RFC 5545, 3.1).
const LINE: usize = 75;
/// Components one in the other.
const DEPTH_MAX: usize = 8;

/// What an attendee is who has not answered (RFC 5545, 3.2.12).
const NEEDS_ACTION: &str = "NEEDS-ACTION";
/// Says when an event is, and whether it is at all.
const TIMES: [&str; 9] = [
    "DTSTART",
    "DTEND",
    "DURATION",
    "RRULE",
    "RDATE",
    "EXDATE",
    "EXRULE",
    "RECURRENCE-ID",
    "STATUS",
];

/// One content line without its folds, and the bytes that it stands in.
struct ContentLine {
    bytes: Range<usize>,
    text: String,
}

impl ContentLine {
    /// Its name with the parameters, and its value.
    fn split(&self) -> (Vec<&str>, &str) {
        let (mut head, mut from, mut is_quoted) = (Vec::new(), 0, false);
        for (at, sign) in self.text.char_indices() {
            match sign {
                '"' => is_quoted = !is_quoted,
                ';' | ':' if !is_quoted => {
                    head.extend(self.text.get(from..at));
                    from = at + 1;
                    if sign == ':' {
                        return (head, self.text.get(from..).unwrap_or_default());
                    }
                }
                _ => {}
            }
        }
        (vec![self.text.as_str()], "")
    }

    fn is(&self, name: &str) -> bool {
        let (head, _) = self.split();
        head.first().is_some_and(|own| own.eq_ignore_ascii_case(name))
    }

    fn value(&self) -> &str {
        self.split().1.trim()
    }

    fn param(&self, name: &str) -> Option<String> {
        let (head, _) = self.split();
        let mut params = head.iter().skip(1).filter_map(|param| param.split_once('='));
        let (_, value) = params.find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(value.trim_matches('"').to_owned())
    }

    /// The same with another `PARTSTAT`.
    fn with_part(&self, part: &str) -> String {
        let (head, value) = self.split();
        let is_other = |param: &&&str| {
            let name = param.split('=').next().unwrap_or_default();
            !name.eq_ignore_ascii_case("PARTSTAT")
        };
        let mut head: Vec<&str> = head.iter().filter(is_other).copied().collect();
        let answer = format!("PARTSTAT={part}");
        head.push(&answer);
        format!("{}:{value}", head.join(";"))
    }
}

/// An event of an object, by the numbers of its lines.
struct EventLines {
    end: usize,
    /// Its own properties, not those of its alarms.
    own: Vec<usize>,
}

/// An iCalendar object.
struct EventObject<'a> {
    text: &'a str,
    lines: Vec<ContentLine>,
    events: Vec<EventLines>,
}

impl<'a> EventObject<'a> {
    /// # Errors
    /// [`ChangeRefusal::Unsafe`] where it is none.
    fn parse(text: &'a str) -> Result<Self, ChangeRefusal> {
        let lines = unfolded(text);
        let mut events: Vec<EventLines> = Vec::new();
        let mut open: Vec<String> = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            if line.is("BEGIN") {
                if open.len() >= DEPTH_MAX {
                    return Err(ChangeRefusal::Unsafe);
                }
                open.push(line.value().to_ascii_uppercase());
                if open == ["VCALENDAR", "VEVENT"] {
                    let own = Vec::new();
                    events.push(EventLines { end: number, own });
                }
            } else if line.is("END") {
                let ended = open.pop().ok_or(ChangeRefusal::Unsafe)?;
                if !line.value().eq_ignore_ascii_case(&ended) {
                    return Err(ChangeRefusal::Unsafe);
                }
                if ended == "VEVENT"
                    && open == ["VCALENDAR"]
                    && let Some(event) = events.last_mut()
                {
                    event.end = number;
                }
            } else if open == ["VCALENDAR", "VEVENT"]
                && let Some(event) = events.last_mut()
            {
                event.own.push(number);
            }
        }
        if open.is_empty() {
            Ok(Self { text, lines, events })
        } else {
            Err(ChangeRefusal::Unsafe)
        }
    }

    fn own<'o>(&'o self, event: &'o EventLines) -> impl Iterator<Item = &'o ContentLine> {
        event.own.iter().filter_map(|number| self.lines.get(*number))
    }

    fn property<'o>(&'o self, event: &'o EventLines, name: &str) -> Option<&'o ContentLine> {
        self.own(event).find(|line| line.is(name))
    }

    fn value<'o>(&'o self, event: &'o EventLines, name: &str) -> Option<&'o str> {
        self.property(event, name).map(ContentLine::value)
    }

    /// When an event is, in words that are compared.
    fn times(&self, event: &EventLines) -> Vec<String> {
        let is_time = |line: &&ContentLine| TIMES.iter().any(|name| line.is(name));
        let mut times: Vec<String> = self
            .own(event)
            .filter(is_time)
            .map(|line| line.text.to_ascii_uppercase())
            .collect();
        times.sort();
        times
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// Lines without their folds; empty ones are left out.
fn unfolded(text: &str) -> Vec<ContentLine> {
    let mut lines: Vec<ContentLine> = Vec::new();
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let bytes = at..at + raw.len();
        at = bytes.end;
        let line = raw.trim_end_matches(['\r', '\n']);
        if let Some(more) = line.strip_prefix([' ', '\t'])
            && let Some(last) = lines.last_mut()
        {
            last.text.push_str(more);
            last.bytes.end = bytes.end;
        } else if !line.is_empty() {
            let text = line.to_owned();
            lines.push(ContentLine { bytes, text });
        }
    }
    lines
}

/// A line with its end, folded between characters.
fn folded(line: &str, end: &str) -> String {
    let mut out = String::with_capacity(line.len() + 4);
    let mut width = 0;
    for sign in line.chars() {
        if width + sign.len_utf8() > LINE {
            out.push_str(end);
            out.push(' ');
            width = 1;
        }
        out.push(sign);
        width += sign.len_utf8();
    }
    out.push_str(end);
    out
}

/// A TEXT value without its escapes.
fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                Some('n' | 'N') => out.push('\n'),
                other => out.extend(other),
            },
            other => out.push(other),
        }
    }
    out
}

/// A moment as UTC writes it, `20261127T100000Z`; `None`: it is a day, of no zone, or of one that nobody knows.
fn as_utc(line: &ContentLine) -> Option<String> {
    let value = line.value();
    if value.ends_with('Z') {
        return Some(value.to_owned());
    }
    let zone: Tz = line.param("TZID")?.parse().ok()?;
    let local = naive(value)?;
    let at = zone.from_local_datetime(&local).earliest()?;
    Some(at.with_timezone(&Utc).format("%Y%m%dT%H%M%SZ").to_string())
}

fn naive(value: &str) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(value.trim_end_matches('Z'), "%Y%m%dT%H%M%S").ok()
}

/// An event of ours, to know it again: what it is called by, when it is and what it says.
///
/// # Errors
/// [`ChangeRefusal::Unsafe`] where the text holds no event.
pub(super) fn is_same_event(one: &str, other: &str) -> Result<bool, ChangeRefusal> {
    let (one, other) = (EventObject::parse(one)?, EventObject::parse(other)?);
    let marks = |object: &EventObject| {
        let event = object.events.first()?;
        let value = |name: &str| object.value(event, name).map(unescaped);
        Some((value("UID"), object.times(event), value("SUMMARY")))
    };
    let of_one = marks(&one).ok_or(ChangeRefusal::Unsafe)?;
    Ok(of_one == marks(&other).ok_or(ChangeRefusal::Unsafe)?)
}

/// What a reply declines.
pub(super) struct DeclinedInvitation {
    uid: String,
    /// The original start, when it is one of a series, and the start: UTC.
    original: Option<String>,
    start: String,
    /// The owner's address, small letters.
    owner: String,
}

impl DeclinedInvitation {
    /// Of an iTIP reply that the Calendar agent wrote.
    ///
    /// # Errors
    /// [`ChangeRefusal::Unsafe`] where it is none.
    pub(super) fn from_reply(reply: &str) -> Result<Self, ChangeRefusal> {
        let object = EventObject::parse(reply)?;
        let event = object.events.first().ok_or(ChangeRefusal::Unsafe)?;
        let named = |name: &str| object.value(event, name).ok_or(ChangeRefusal::Unsafe);
        Ok(Self {
            uid: unescaped(named("UID")?),
            original: object.value(event, "RECURRENCE-ID").map(str::to_owned),
            start: named("DTSTART")?.to_owned(),
            owner: address(named("ATTENDEE")?),
        })
    }

    /// The owner's part in its event.
    ///
    /// # Errors
    /// [`ChangeRefusal`]
    pub(super) fn find<'a>(&self, text: &'a str) -> Result<OwnerPart<'a>, ChangeRefusal> {
        let object = EventObject::parse(text)?;
        let (event, is_new) = self.event_of(&object)?;
        let chosen = object.events.get(event).ok_or(ChangeRefusal::Gone)?;
        let mut parts = object
            .own(chosen)
            .filter(|line| line.is("ATTENDEE") && address(line.value()) == self.owner)
            .map(|line| line.param("PARTSTAT").unwrap_or_else(|| NEEDS_ACTION.to_owned()));
        let part = parts
            .next()
            .ok_or(ChangeRefusal::NotInvited)?
            .to_ascii_uppercase();
        drop(parts);
        let times = object.times(chosen);
        let series = match &self.original {
            Some(original) if is_new => Some((original.clone(), self.start.clone())),
            Some(_) | None => None,
        };
        Ok(OwnerPart {
            event,
            series,
            owner: self.owner.clone(),
            times,
            part,
            object,
        })
    }

    /// The number of its event, and whether that is the series of which it is one.
    fn event_of(&self, object: &EventObject<'_>) -> Result<(usize, bool), ChangeRefusal> {
        let is_own = |event: &EventLines| {
            let uid = object.value(event, "UID").unwrap_or_default();
            uid == self.uid || unescaped(uid) == self.uid
        };
        let mut series = None;
        for (number, event) in object
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| is_own(event))
        {
            match (object.property(event, "RECURRENCE-ID"), &self.original) {
                (None, None) => return Ok((number, false)),
                (None, Some(_)) => series = Some(number),
                (Some(_), None) => {}
                // It speaks for all that follow.
                (Some(id), Some(_)) if id.param("RANGE").is_some() => return Err(ChangeRefusal::Unsafe),
                (Some(id), Some(original)) => {
                    // Of which day that is cannot be said.
                    let id = as_utc(id).ok_or(ChangeRefusal::Unsafe)?;
                    if id == *original {
                        return Ok((number, false));
                    }
                }
            }
        }
        series.map(|number| (number, true)).ok_or(ChangeRefusal::Gone)
    }
}

/// Without `mailto:`, small letters.
fn address(value: &str) -> String {
    let value = value.trim().to_lowercase();
    value.strip_prefix("mailto:").unwrap_or(&value).to_owned()
}

/// What the owner answered to an event, and where that stands.
pub(super) struct OwnerPart<'a> {
    object: EventObject<'a>,
    event: usize,
    /// Original and present start of one of a series that has nothing of its own yet.
    series: Option<(String, String)>,
    owner: String,
    times: Vec<String>,
    /// Its `PARTSTAT`, capital letters.
    pub(super) part: String,
}

impl OwnerPart<'_> {
    /// Whether the event is at the same time, and the answer the same.
    pub(super) fn is_as(&self, seen: &Self) -> bool {
        (&self.times, &self.part) == (&seen.times, &seen.part)
    }

    /// The whole object with another answer.
    ///
    /// # Errors
    /// [`ChangeRefusal::Unsafe`]
    pub(super) fn answered(&self, part: &str) -> Result<String, ChangeRefusal> {
        let object = &self.object;
        let event = object.events.get(self.event).ok_or(ChangeRefusal::Unsafe)?;
        if let Some((original, start)) = &self.series {
            let own = self.one_of_series(event, original, start, part)?;
            let end = object
                .lines
                .get(event.end)
                .ok_or(ChangeRefusal::Unsafe)?
                .bytes
                .end;
            let (before, after) = object.text.split_at_checked(end).ok_or(ChangeRefusal::Unsafe)?;
            return Ok(format!("{before}{own}{after}"));
        }
        let (mut out, mut from) = (String::with_capacity(object.text.len() + 64), 0);
        for line in object.own(event).filter(|line| self.is_owners(line)) {
            out.push_str(object.text.get(from..line.bytes.start).unwrap_or_default());
            out.push_str(&folded(&line.with_part(part), object.line_end()));
            from = line.bytes.end;
        }
        out.push_str(object.text.get(from..).unwrap_or_default());
        Ok(out)
    }

    fn is_owners(&self, line: &ContentLine) -> bool {
        line.is("ATTENDEE") && address(line.value()) == self.owner
    }

    /// One of a series as an event of its own: as the others, without what makes them a series and without alarms.
    fn one_of_series(
        &self,
        series: &EventLines,
        original: &str,
        start: &str,
        part: &str,
    ) -> Result<String, ChangeRefusal> {
        let object = &self.object;
        let begin = object.property(series, "DTSTART").ok_or(ChangeRefusal::Unsafe)?;
        let length = match (object.value(series, "DURATION"), object.property(series, "DTEND")) {
            (Some(length), _) => length.to_owned(),
            (None, Some(end)) if end.param("TZID") == begin.param("TZID") => {
                let seconds = naive(end.value())
                    .zip(naive(begin.value()))
                    .map(|(end, begin)| end.signed_duration_since(begin).num_seconds())
                    .filter(|seconds| *seconds >= 0);
                format!("PT{}S", seconds.ok_or(ChangeRefusal::Unsafe)?)
            }
            (None, _) => return Err(ChangeRefusal::Unsafe),
        };
        let mut lines = vec![
            "BEGIN:VEVENT".to_owned(),
            moment("RECURRENCE-ID", original, begin)?,
            moment("DTSTART", start, begin)?,
            format!("DURATION:{length}"),
        ];
        let is_kept = |line: &&ContentLine| line.is("STATUS") || !TIMES.iter().any(|name| line.is(name));
        lines.extend(object.own(series).filter(is_kept).map(|line| {
            if self.is_owners(line) {
                line.with_part(part)
            } else {
                line.text.clone()
            }
        }));
        lines.push("END:VEVENT".to_owned());
        Ok(lines.iter().map(|line| folded(line, object.line_end())).collect())
    }
}

/// A moment of UTC as the series writes its own.
fn moment(name: &str, utc: &str, begin: &ContentLine) -> Result<String, ChangeRefusal> {
    let at = naive(utc).ok_or(ChangeRefusal::Unsafe)?.and_utc();
    match begin.param("TZID") {
        Some(id) => {
            let zone: Tz = id.parse().map_err(|_| ChangeRefusal::Unsafe)?;
            let local = at.with_timezone(&zone).format("%Y%m%dT%H%M%S");
            Ok(format!("{name};TZID={id}:{local}"))
        }
        None if begin.value().ends_with('Z') => Ok(format!("{name}:{utc}")),
        // A day, or a time that is of no zone.
        None => Err(ChangeRefusal::Unsafe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nBEGIN:VEVENT\r\nUID:a\\,1\r\nDTSTART:20261127T100000Z\r\n\
        ORGANIZER:mailto:asha@example.org\r\nATTENDEE;PARTSTAT=DECLINED:mailto:kim@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

    fn of_series(reply: &str) -> String {
        reply.replace("ORGANIZER", "RECURRENCE-ID:20261127T100000Z\r\nORGANIZER")
    }

    fn event(own: &str) -> String {
        format!(
            "BEGIN:VCALENDAR\r\nX-ODD;A=\"b:c\":d\r\nBEGIN:VEVENT\r\nUID:a\\,1\r\nDTSTART;TZID=Asia/Kolkata:20261127T153000\r\n\
             DTEND;TZID=Asia/Kolkata:20261127T160000\r\n{own}BEGIN:VALARM\r\nATTENDEE:mailto:kim@example.org\r\nEND:VALARM\r\n\
             END:VEVENT\r\nEND:VCALENDAR\r\n"
        )
    }

    const INVITED: &str = "ATTENDEE;CN=\"Kim; at: work\";RSVP=TRUE;PARTSTAT=NEEDS-ACTION:MAILTO:Kim@exa\r\n mple.org\r\n\
        ATTENDEE;PARTSTAT=ACCEPTED:mailto:asha@example.org\r\n";

    #[test]
    fn owners_answer_changes_and_every_other_byte_stays() {
        let invitation = DeclinedInvitation::from_reply(REPLY).unwrap();
        let text = event(INVITED);
        let part = invitation.find(&text).unwrap();
        assert_eq!(part.part, "NEEDS-ACTION");
        let answered = part.answered("DECLINED").unwrap();
        let expected = event(
            "ATTENDEE;CN=\"Kim; at: work\";RSVP=TRUE;PARTSTAT=DECLINED:MAILTO:Kim@example.\r\n org\r\n\
             ATTENDEE;PARTSTAT=ACCEPTED:mailto:asha@example.org\r\n",
        );
        assert_eq!(answered, expected);
        // And back.
        let back = invitation.find(&answered).unwrap();
        assert_eq!(back.part, "DECLINED");
        assert!(!back.is_as(&part));
        let again = back.answered("NEEDS-ACTION").unwrap();
        assert!(invitation.find(&again).unwrap().is_as(&part));
    }

    #[test]
    fn one_of_a_series_becomes_an_event_of_its_own_in_the_zone_of_the_others() {
        let invitation = DeclinedInvitation::from_reply(&of_series(REPLY)).unwrap();
        let own = format!("RRULE:FREQ=WEEKLY\r\nSUMMARY:Loom\r\n{INVITED}");
        let text = event(&own);
        let part = invitation.find(&text).unwrap();
        let answered = part.answered("DECLINED").unwrap();
        let one = "BEGIN:VEVENT\r\nRECURRENCE-ID;TZID=Asia/Kolkata:20261127T153000\r\nDTSTART;TZID=Asia/Kolkata:20261127T153000\r\n\
            DURATION:PT1800S\r\nUID:a\\,1\r\nSUMMARY:Loom\r\n\
            ATTENDEE;CN=\"Kim; at: work\";RSVP=TRUE;PARTSTAT=DECLINED:MAILTO:Kim@example.\r\n org\r\n\
            ATTENDEE;PARTSTAT=ACCEPTED:mailto:asha@example.org\r\nEND:VEVENT\r\n";
        let expected = text.replace("END:VEVENT\r\n", &format!("END:VEVENT\r\n{one}"));
        assert_eq!(answered, expected);
        // From then on it is found by itself, and the series is left alone.
        let back = invitation.find(&answered).unwrap();
        assert_eq!((back.part.as_str(), back.series.is_none()), ("DECLINED", true));
        let again = back.answered("NEEDS-ACTION").unwrap();
        assert_eq!(again.matches("PARTSTAT=NEEDS-ACTION").count(), 2);
        assert_eq!(again.matches("BEGIN:VEVENT").count(), 2);
    }

    #[test]
    fn what_is_not_there_or_not_safe_to_change_is_refused() {
        let declined = DeclinedInvitation::from_reply(REPLY).unwrap();
        let one = DeclinedInvitation::from_reply(&of_series(REPLY)).unwrap();
        let other = event(INVITED).replace("UID:a", "UID:b");
        let day = event(&format!("RRULE:FREQ=DAILY\r\n{INVITED}"))
            .replace(";TZID=Asia/Kolkata:20261127T153000", ";VALUE=DATE:20261127");
        let zone = event(&format!("RRULE:FREQ=DAILY\r\n{INVITED}")).replace("Asia/Kolkata", "Our Time");
        let cut = event(INVITED).replace("END:VEVENT\r\n", "");
        let nobody = event("ATTENDEE:mailto:asha@example.org\r\n");
        for (invitation, text, expected) in [
            (&declined, other.as_str(), ChangeRefusal::Gone),
            (&declined, &nobody, ChangeRefusal::NotInvited),
            (&declined, &cut, ChangeRefusal::Unsafe),
            (&declined, "no calendar", ChangeRefusal::Gone),
            (&one, &day, ChangeRefusal::Unsafe),
            (&one, &zone, ChangeRefusal::Unsafe),
        ] {
            let changed = invitation.find(text).and_then(|part| part.answered("DECLINED"));
            assert_eq!(changed, Err(expected), "{text}");
        }
        assert!(DeclinedInvitation::from_reply("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n").is_err());
    }

    #[test]
    fn event_that_somebody_moved_or_cancelled_is_not_the_one_that_was_seen() {
        let invitation = DeclinedInvitation::from_reply(REPLY).unwrap();
        let text = event(INVITED);
        let seen = invitation.find(&text).unwrap();
        let described = event(&format!("DESCRIPTION:Bring tea\r\n{INVITED}"));
        assert!(invitation.find(&described).unwrap().is_as(&seen));
        for other in [
            text.replace("T160000", "T163000"),
            event(&format!("STATUS:CANCELLED\r\n{INVITED}")),
            text.replace("NEEDS-ACTION", "ACCEPTED"),
        ] {
            assert!(!invitation.find(&other).unwrap().is_as(&seen), "{other}");
        }
        assert_eq!(is_same_event(&text, &described), Ok(true));
        assert_eq!(
            is_same_event(&text, &text.replace("T160000", "T163000")),
            Ok(false)
        );
    }
}
