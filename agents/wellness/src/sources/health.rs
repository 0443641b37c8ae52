//! Apple Health's `export.xml`.
//!
//! What: [`HealthExport`], a stream of one read element by element in flat memory. Why: an export holds years and gigabytes, of which
//! two kinds of records matter. Not here: the archive around it (`archive`), where reading goes on (`exports`).
//!
//! | Record | Taken |
//! |---|---|
//! | `…HeartRateVariabilitySDNN` | its beats, as RR intervals of 60000 / bpm; the value is SDNN, which is not RMSSD |
//! | `…RestingHeartRate` | its value in beats a minute, at its end |
//! | `…SleepAnalysis` | the stretches asleep; in bed and awake are not |
//! | all others | nothing |
//!
//! What stands before `<HealthData` is not read: the document type of several versions is malformed.

use super::{
    super::{code, sleep::SleepStretch},
    RestingRate, SourceReading,
    rmssd::{self, BeatSums},
    times::{instant, time_of_day},
};
use agents_base::shared::{IngestReport, ReadMark, SkipCode};
use chrono_tz::Tz;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use std::io::{self, Read};
use toolcall_schema::{Timestamp, ids::SecretKey};

/// Bytes of one window.
const WINDOW: usize = 256 * 1024;
/// A longer element is none.
const MAX_ELEMENT: usize = 64 * 1024;
/// The root begins in so many bytes, or it is another document.
const MAX_PROLOG: usize = 1024 * 1024;
/// Skips that a report names; the rest it counts.
const MAX_NAMED: usize = 16;
/// How far from its interval a beat may come after the one before, as a share of it: rates are whole numbers, times hundredths.
const BEAT_APART: f64 = 0.3;
/// Half a day in milliseconds: times of beats are told by a clock of 12 or 24 hours.
const HALF_DAY_MS: i64 = 12 * 3_600_000;

const ROOT: &[u8] = b"<HealthData";

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadStop {
    /// The ingest has no room for more.
    Slice,
    /// The root was closed.
    End,
    /// The input ended before.
    Cut,
    /// It is another document.
    Other,
}

/// An export that is being read.
pub(super) struct HealthExport<R> {
    input: R,
    /// Bytes read from the input and not parsed yet.
    window: Vec<u8>,
    /// Where the window begins.
    mark: ReadMark,
    /// Where reading can begin again: never inside of a record.
    safe: ReadMark,
    /// Bytes of the input before the mark that are to be read over.
    behind: u64,
    at_end: bool,
    parser: HealthParser,
}

/// What is known between two elements.
#[derive(Default)]
struct HealthParser {
    /// Whether the root was found, and closed.
    begun: bool,
    ended: bool,
    /// The record of beats that is open.
    record: Option<HealthRecord>,
    /// Where in the window something began that has to be read again: an open record, or the end of the root.
    hold: Option<usize>,
}

struct HealthRecord {
    until: Timestamp,
    beats: BeatSums,
    /// The last beat's time of day, in milliseconds.
    last: Option<i64>,
}

/// Receives readings and skips.
pub(super) struct ReadingSink<'a> {
    pub(super) key: &'a SecretKey,
    pub(super) name: &'a str,
    /// The owner's, for local times without an offset.
    pub(super) zone: Tz,
    pub(super) report: &'a mut IngestReport,
    pub(super) each: &'a mut dyn FnMut(SourceReading),
}

impl<R: Read> HealthExport<R> {
    /// Reads from `mark` on, where the input stands.
    pub(super) fn new(input: R, mark: ReadMark) -> Self {
        Self {
            input,
            window: Vec::with_capacity(WINDOW),
            mark,
            safe: mark,
            behind: 0,
            at_end: false,
            parser: HealthParser {
                begun: mark.offset > 0,
                ..HealthParser::default()
            },
        }
    }

    /// Reads from the beginning and reports nothing before `mark`.
    pub(super) fn resuming(input: R, mark: ReadMark) -> Self {
        Self {
            behind: mark.offset,
            ..Self::new(input, mark)
        }
    }

    /// What is read from.
    pub(super) fn source(&self) -> &R {
        &self.input
    }

    /// Where reading can begin again.
    pub(super) fn resume_at(&self) -> ReadMark {
        self.safe
    }

    /// Reads on until the end, or until the report has no room.
    ///
    /// # Errors
    /// What the input says.
    pub(super) fn read(&mut self, out: &mut ReadingSink<'_>) -> io::Result<ReadStop> {
        while self.behind > 0 {
            if !out.report.has_room() {
                return Ok(ReadStop::Slice);
            }
            let piece = self.behind.min(WINDOW as u64);
            let count = io::copy(&mut (&mut self.input).take(piece), &mut io::sink())?;
            if count == 0 {
                return Ok(ReadStop::Cut);
            }
            self.behind = self.behind.saturating_sub(count);
            out.report.take(count);
        }
        loop {
            self.fill()?;
            let seen = if self.parser.begun {
                self.parser
                    .parse_window(&self.window, self.at_end, self.mark.line, out)
            } else if let Some(root) = memchr::memmem::find(&self.window, ROOT) {
                self.parser.begun = true;
                root
            } else if self.at_end || self.window.len() > MAX_PROLOG {
                return Ok(ReadStop::Other);
            } else {
                0
            };
            // A window that holds no whole element is filled up; so is one before the root.
            let stuck = seen == 0 && self.at_end;
            self.forget(seen, out.report);
            if stuck || (self.at_end && self.window.is_empty()) {
                return Ok(if self.parser.ended {
                    ReadStop::End
                } else {
                    ReadStop::Cut
                });
            }
            if !out.report.has_room() && self.parser.record.is_none() {
                return Ok(ReadStop::Slice);
            }
        }
    }

    /// Fills the window up, to one more than it held when nothing in it was whole.
    fn fill(&mut self) -> io::Result<()> {
        let wanted = self.window.len().max(WINDOW / 2) + WINDOW / 2;
        while !self.at_end && self.window.len() < wanted {
            let held = self.window.len();
            self.window.resize(wanted, 0);
            let count = self.input.read(self.window.get_mut(held..).unwrap_or_default());
            self.window.truncate(held + *count.as_ref().unwrap_or(&0));
            match count {
                Ok(0) => self.at_end = true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Moves the window on.
    fn forget(&mut self, seen: usize, report: &mut IngestReport) {
        let at = |bytes: usize| ReadMark {
            offset: self.mark.offset + bytes as u64,
            line: self.mark.line + lines(&self.window, bytes),
        };
        let next = at(seen);
        match self.parser.hold {
            None => self.safe = next,
            // It began in this window; of a later one it is outside.
            Some(begins) if begins < seen => {
                self.safe = at(begins);
                self.parser.hold = Some(usize::MAX);
            }
            Some(_) => {}
        }
        self.mark = next;
        self.window.drain(..seen);
        report.take(seen as u64);
    }
}

/// Line breaks in the first bytes of a window.
fn lines(window: &[u8], bytes: usize) -> u64 {
    memchr::memchr_iter(b'\n', window.get(..bytes).unwrap_or_default()).count() as u64
}

/// The next piece of a window.
enum XmlPiece<'a> {
    /// A tag and the text after it: up to the next `<`, which XML forbids in a tag.
    Tag(&'a [u8]),
    /// A comment and the like, of so many bytes.
    Other(usize),
    /// It goes on beyond the window.
    Open,
    /// It is longer than an element can be.
    Long,
}

/// The piece that begins a window with `<`.
fn piece(window: &[u8], at_end: bool) -> XmlPiece<'_> {
    let found = |end: &[u8]| memchr::memmem::find(window, end).map(|at| XmlPiece::Other(at + end.len()));
    let whole = match window {
        [_, b'!', b'-', b'-', ..] => found(b"-->"),
        [_, b'!', b'[', ..] => found(b"]]>"),
        [_, b'!', ..] => found(b">"),
        [_, b'?', ..] => found(b"?>"),
        [_, rest @ ..] => {
            let next = memchr::memchr(b'<', rest).map(|next| next + 1);
            // The text after a tag may be as long as it likes.
            let last = at_end || window.len() >= MAX_ELEMENT;
            let closed = || memchr::memchr(b'>', rest).map(|_| window.len());
            let end = next.or_else(|| if last { closed() } else { None });
            end.and_then(|end| window.get(..end)).map(XmlPiece::Tag)
        }
        [] => None,
    };
    match whole {
        Some(piece) => piece,
        None if window.len() < MAX_ELEMENT => XmlPiece::Open,
        None => XmlPiece::Long,
    }
}

impl HealthParser {
    /// Parses the whole elements of a window, whose first line is the one after `line`: how many bytes they are.
    fn parse_window(&mut self, window: &[u8], at_end: bool, line: u64, out: &mut ReadingSink<'_>) -> usize {
        let mut seen = 0;
        while let Some(rest) = window.get(seen..) {
            let Some(begins) = memchr::memchr(b'<', rest).map(|text| seen + text) else {
                return window.len();
            };
            let rest = window.get(begins..).unwrap_or_default();
            let outcome = match piece(rest, at_end) {
                XmlPiece::Tag(bytes) => {
                    seen = begins + bytes.len();
                    self.tag(bytes, begins, out)
                }
                XmlPiece::Other(bytes) => {
                    seen = begins + bytes;
                    Ok(())
                }
                XmlPiece::Open => return begins,
                XmlPiece::Long => {
                    seen = window.len();
                    Err(code::BROKEN)
                }
            };
            if let Err(code) = outcome {
                // Counting lines for skips that are only counted would be a way to keep Aura busy.
                let named = out.report.skips.len() < MAX_NAMED;
                out.report
                    .skip(code, out.name, named.then(|| line + lines(window, begins) + 1));
            }
        }
        seen
    }

    /// A tag with the text after it.
    fn tag(&mut self, bytes: &[u8], begins: usize, out: &mut ReadingSink<'_>) -> Result<(), SkipCode> {
        let matters = [
            &b"<Record"[..],
            b"<InstantaneousBeats",
            b"</Record",
            b"</HealthData",
        ];
        if !matters.iter().any(|name| bytes.starts_with(name)) {
            return Ok(());
        }
        let mut reader = Reader::from_reader(bytes);
        reader.config_mut().allow_unmatched_ends = true;
        match reader.read_event() {
            Ok(Event::Start(tag)) => self.opened(&tag, false, begins, out),
            Ok(Event::Empty(tag)) => self.opened(&tag, true, begins, out),
            Ok(Event::End(tag)) => self.closed(tag.name().as_ref(), begins, out),
            // Nothing else begins so.
            Ok(
                Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_)
                | Event::Eof,
            )
            | Err(_) => Err(code::BROKEN),
        }
    }

    fn opened(
        &mut self,
        tag: &BytesStart<'_>,
        empty: bool,
        begins: usize,
        out: &mut ReadingSink<'_>,
    ) -> Result<(), SkipCode> {
        match (tag.name().as_ref(), &mut self.record) {
            ("Record", _) => {
                // One that is still open lost its end; its beats are not whole.
                (self.record, self.hold) = (None, None);
                let attributes = RecordAttributes::parse(tag).ok_or(code::BROKEN)?;
                match attributes.kind {
                    RecordKind::Other => Ok(()),
                    RecordKind::Asleep { staged } => attributes.asleep(staged, out),
                    RecordKind::Resting { bpm } => {
                        let rate = RestingRate::new(bpm, attributes.end.ok_or(code::BROKEN)?)?;
                        (out.each)(SourceReading::Resting(rate));
                        Ok(())
                    }
                    RecordKind::Beats if empty => Err(code::NO_VALUE),
                    RecordKind::Beats => {
                        self.hold = Some(begins);
                        self.record = Some(HealthRecord {
                            until: attributes.end.ok_or(code::BROKEN)?,
                            beats: BeatSums::default(),
                            last: None,
                        });
                        Ok(())
                    }
                }
            }
            ("InstantaneousBeatsPerMinute", Some(record)) => record.beat(tag).ok_or(code::BROKEN),
            (_, _) => Ok(()),
        }
    }

    fn closed(&mut self, name: &str, begins: usize, out: &mut ReadingSink<'_>) -> Result<(), SkipCode> {
        if name == "HealthData" {
            (self.ended, self.hold) = (true, Some(begins));
        }
        let Some(record) = self.record.take_if(|_| name == "Record") else {
            return Ok(());
        };
        self.hold = None;
        let sample = rmssd::sample((record.until, record.beats.rmssd()))?;
        (out.each)(SourceReading::Sample(sample));
        Ok(())
    }
}

impl HealthRecord {
    /// One beat: the rate of the interval that ended at its time. One that does not follow the beat before stands alone.
    fn beat(&mut self, tag: &BytesStart<'_>) -> Option<()> {
        let (mut bpm, mut time) = (None, None);
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.ok()?;
            match attribute.key.as_ref() {
                "bpm" => bpm = attribute.value.parse::<f64>().ok(),
                "time" => time = time_of_day(&attribute.value),
                _ => {}
            }
        }
        let rr = 60_000.0 / bpm?;
        let follows = self.last.zip(time).is_some_and(|(last, now)| {
            let apart = (now - last).rem_euclid(HALF_DAY_MS) as f64;
            (apart - rr).abs() <= BEAT_APART * rr
        });
        if !follows {
            self.beats.gap();
        }
        self.last = time;
        self.beats.beat(rr);
        Some(())
    }
}

/// What a record is of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RecordKind {
    Beats,
    Resting { bpm: f64 },
    Asleep { staged: bool },
    Other,
}

/// What matters of a record's attributes.
struct RecordAttributes {
    kind: RecordKind,
    /// The source's name as it stands.
    source: String,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
}

impl RecordAttributes {
    /// `None` when they cannot be read. Of a record that does not matter nothing but its type is read.
    fn parse(tag: &BytesStart<'_>) -> Option<Self> {
        let mut out = Self {
            kind: RecordKind::Other,
            source: String::new(),
            start: None,
            end: None,
        };
        let (mut is_sleep, mut is_resting, mut value) = (false, false, None);
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.ok()?;
            match attribute.key.as_ref() {
                "type" => match attribute.value.as_ref() {
                    "HKQuantityTypeIdentifierHeartRateVariabilitySDNN" => out.kind = RecordKind::Beats,
                    "HKCategoryTypeIdentifierSleepAnalysis" => is_sleep = true,
                    "HKQuantityTypeIdentifierRestingHeartRate" => is_resting = true,
                    _ => return Some(out),
                },
                "sourceName" => out.source = attribute.value.into_owned(),
                "startDate" => out.start = Some(instant(&attribute.value)?),
                "endDate" => out.end = Some(instant(&attribute.value)?),
                "value" => value = Some(attribute.value),
                _ => {}
            }
        }
        if is_resting {
            let bpm = value?.parse().ok()?;
            out.kind = RecordKind::Resting { bpm };
        } else if is_sleep {
            out.kind = match value?.strip_prefix("HKCategoryValueSleepAnalysis")? {
                "Asleep" | "AsleepUnspecified" => RecordKind::Asleep { staged: false },
                "AsleepCore" | "AsleepDeep" | "AsleepREM" => RecordKind::Asleep { staged: true },
                "InBed" | "Awake" => RecordKind::Other,
                _ => return None,
            };
        }
        Some(out)
    }

    fn asleep(self, staged: bool, out: &mut ReadingSink<'_>) -> Result<(), SkipCode> {
        let stretch = SleepStretch {
            from: self.start.ok_or(code::BROKEN)?,
            until: self.end.ok_or(code::BROKEN)?,
            source: SleepStretch::source(out.key, self.source.as_bytes()),
            staged,
        };
        if !stretch.plausible() {
            return Err(code::RANGE);
        }
        (out.each)(SourceReading::Asleep(stretch));
        Ok(())
    }
}
