//! FIT files, as watches write them.
//!
//! What: [`read`], the heartbeats and the sleep of a file; [`SleepStages`], stages of sleep as such watches number them. Why: they hold
//! true RR intervals. Not here: everything else of a FIT file. The crates for FIT carry the whole profile (68000 lines and more) for
//! the seven messages that matter here; the protocol under it is below.
//!
//! | Message | Field | Meaning |
//! |---|---|---|
//! | all | 253 | seconds since 1989-12-31 UTC |
//! | 0 `file_id` | 1, 2, 3 | manufacturer, product, serial number: the source |
//! | 21 `event` | 0, 1 | 74 is sleep; 0 begins, 1 ends |
//! | 78 `hrv` | 0 | RR intervals in 1/1000 s, at the last timestamp |
//! | 275 `sleep_level` | 0 | 1 awake, 2 light, 3 deep, 4 dream, until the timestamp |
//! | 290 `beat_intervals` | 0, 1 | milliseconds to be added to the timestamp; RR intervals in ms |
//! | 371 `hrv_value` | 0 | RMSSD of 5 minutes in 1/128 ms |
//!
//! `hrv_status_summary` (370) is a mean over a night; the score compares minutes, so it is not read.

use super::{
    super::{code, sleep::SleepStretch},
    SourceReading,
    health::ReadingSink,
    rmssd::{self, RmssdWindows, WindowEnd},
};
use agents_base::shared::SkipCode;
use toolcall_schema::Timestamp;

/// 1989-12-31T00:00:00Z.
const EPOCH_MS: i64 = 631_065_600_000;
/// Smaller timestamps count from when the watch was switched on.
const FIRST_DATE: u32 = 0x1000_0000;
/// A longer stage is a gap between two nights.
const MAX_STAGE_MS: i64 = 12 * 3_600_000;

/// Reads a whole file. What stands before a fault is kept, unless the checksum says that the file is not what was written. One that
/// tells nothing, as of an activity whose beats were not recorded, says so.
pub(super) fn read(bytes: &[u8], out: &mut ReadingSink<'_>) {
    let skipped = out.report.skipped;
    let mut is_silent = !bytes.is_empty();
    let mut each = |told| {
        is_silent = false;
        (out.each)(told);
    };
    let mut inner = ReadingSink {
        key: out.key,
        name: out.name,
        zone: out.zone,
        report: &mut *out.report,
        each: &mut each,
    };
    parts(bytes, &mut inner);
    if is_silent && out.report.skipped == skipped {
        out.report.skip(code::NOTHING_READ, out.name, None);
    }
}

fn parts(bytes: &[u8], out: &mut ReadingSink<'_>) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        match part(rest, out) {
            Ok(len) => rest = rest.get(len..).unwrap_or_default(),
            Err((code, inside)) => {
                let item = format!("{} (byte {})", out.name, at + inside);
                return out.report.skip(code, &item, None);
            }
        }
    }
}

/// One file of those that may follow each other: its length, or what is wrong and where.
fn part(bytes: &[u8], out: &mut ReadingSink<'_>) -> Result<usize, (SkipCode, usize)> {
    let not_fit = (code::NOT_FIT, 0);
    let head = usize::from(*bytes.first().ok_or(not_fit)?);
    if head < 12 || bytes.get(8..12) != Some(b".FIT") {
        return Err(not_fit);
    }
    let size: [u8; 4] = bytes
        .get(4..8)
        .and_then(|size| size.try_into().ok())
        .ok_or(not_fit)?;
    let size = usize::try_from(u32::from_le_bytes(size)).unwrap_or(usize::MAX);
    let end = head.saturating_add(size);
    let mut reader = FitReader::new(out);
    // A watch that ran out of power left no checksum, and perhaps no size.
    let Some(sum) = bytes
        .get(end..end.saturating_add(2))
        .filter(|sum| sum.len() == 2 && size > 0)
    else {
        let data = bytes.get(head..).unwrap_or_default();
        let read = reader.messages(data);
        reader.finish();
        let at = read.map_or_else(|at| at, |()| data.len());
        return Err((code::CUT, head + at));
    };
    let whole = bytes.get(..end).unwrap_or_default();
    if sum != crc(whole).to_le_bytes() {
        return Err((code::NOT_FIT, end));
    }
    let read = reader.messages(whole.get(head..).unwrap_or_default());
    reader.finish();
    read.map(|()| end + 2).map_err(|at| (code::BROKEN, head + at))
}

/// The checksum of the protocol: CRC-16 with the polynomial 0x8005, lowest bit first.
fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xA001
            } else {
                crc >> 1
            }
        })
    })
}

/// How the data messages of one local number look.
struct FitDefinition {
    message: u16,
    big_endian: bool,
    /// Number and length of each field.
    fields: Vec<(u8, usize)>,
    /// Length of all, those of developers included.
    len: usize,
}

struct FitReader<'a, 'b> {
    out: &'a mut ReadingSink<'b>,
    /// By local number.
    definitions: [Option<FitDefinition>; 16],
    /// The last timestamp.
    now: Option<u32>,
    source: String,
    windows: RmssdWindows,
    levels: SleepStages,
}

impl<'a, 'b> FitReader<'a, 'b> {
    fn new(out: &'a mut ReadingSink<'b>) -> Self {
        Self {
            source: SleepStretch::source(out.key, b"fit"),
            out,
            definitions: Default::default(),
            now: None,
            windows: RmssdWindows::default(),
            levels: SleepStages::default(),
        }
    }

    /// All messages; the byte at which one does not fit.
    fn messages(&mut self, data: &[u8]) -> Result<(), usize> {
        let mut rest = data;
        while let Some((head, body)) = rest.split_first() {
            let at = data.len() - rest.len();
            let used = if head & 0xC0 == 0x40 {
                self.define(head & 0x0F, head & 0x20 != 0, body)
            } else {
                self.data(*head, body)
            };
            rest = used.and_then(|used| body.get(used..)).ok_or(at)?;
        }
        Ok(())
    }

    /// A definition: how long it is.
    fn define(&mut self, local: u8, has_developer: bool, body: &[u8]) -> Option<usize> {
        let [_, order, first, second, count, rest @ ..] = body else {
            return None;
        };
        let big_endian = *order != 0;
        let number = [*first, *second];
        let list = |rest: &[u8], count: u8| -> Option<Vec<(u8, usize)>> {
            let bytes = rest.get(..usize::from(count) * 3)?;
            Some(
                bytes
                    .chunks_exact(3)
                    .filter_map(|f| Some((*f.first()?, usize::from(*f.get(1)?))))
                    .collect(),
            )
        };
        let fields = list(rest, *count)?;
        let mut used = 5 + fields.len() * 3;
        let mut len = fields.iter().map(|(_, len)| len).sum();
        if has_developer {
            let (count, rest) = body.get(used..)?.split_first()?;
            let developer = list(rest, *count)?;
            used += 1 + developer.len() * 3;
            len += developer.iter().map(|(_, len)| len).sum::<usize>();
        }
        let definition = FitDefinition {
            message: if big_endian {
                u16::from_be_bytes(number)
            } else {
                u16::from_le_bytes(number)
            },
            big_endian,
            fields,
            len,
        };
        *self.definitions.get_mut(usize::from(local))? = Some(definition);
        Some(used)
    }

    /// A data message: how long it is.
    fn data(&mut self, head: u8, body: &[u8]) -> Option<usize> {
        let compressed = head & 0x80 != 0;
        let local = if compressed {
            (head >> 5) & 0x03
        } else {
            head & 0x0F
        };
        // Taken out while it is used, and put back.
        let place = usize::from(local);
        let definition = self.definitions.get_mut(place)?.take()?;
        let (used, message) = (definition.len, definition.message);
        let fields = definition.fields(body.get(..used)?);
        if compressed {
            // Five bits of the time; they run over at most once between two messages.
            let offset = u32::from(head & 0x1F);
            self.now = self
                .now
                .map(|now| now.wrapping_add(offset.wrapping_sub(now) & 0x1F));
        }
        self.now = fields.long(253).or(self.now);
        let at = self
            .now
            .filter(|now| *now >= FIRST_DATE)
            .map(|now| Timestamp::from_ms(EPOCH_MS + i64::from(now) * 1000));
        self.message(message, &fields, at);
        *self.definitions.get_mut(place)? = Some(definition);
        Some(used)
    }

    fn message(&mut self, message: u16, fields: &FitFields<'_>, at: Option<Timestamp>) {
        if message == 0 {
            let name: Vec<u8> = [1, 2, 3]
                .into_iter()
                .filter_map(|n| fields.bytes(n))
                .flatten()
                .copied()
                .collect();
            self.source = SleepStretch::source(self.out.key, &name);
        }
        let Some(at) = at else { return };
        match message {
            21 if fields.byte(0) == Some(74) => self.levels.sleep(at, fields.byte(1) == Some(0)),
            78 => {
                for rr in fields.words(0) {
                    self.beat(at, f64::from(rr));
                }
            }
            275 => {
                let asleep = fields.byte(0).is_some_and(|level| (2..=4).contains(&level));
                if let Some((from, until)) = self.levels.until(at, asleep) {
                    let source = self.source.clone();
                    (self.out.each)(SourceReading::Asleep(SleepStretch {
                        from,
                        until,
                        source,
                        staged: true,
                    }));
                }
            }
            290 => {
                let mut at = at.plus_ms(fields.words(0).next().map_or(0, i64::from));
                for rr in fields.words(1) {
                    at = at.plus_ms(i64::from(rr));
                    self.beat(at, f64::from(rr));
                }
            }
            371 => {
                for value in fields.words(0) {
                    self.window((at, Some(f64::from(value) / 128.0)));
                }
            }
            _ => {}
        }
    }

    fn beat(&mut self, at: Timestamp, rr: f64) {
        if let Some(window) = self.windows.beat(at, rr) {
            self.window(window);
        }
    }

    fn window(&mut self, window: WindowEnd) {
        report_window(window, self.out);
    }

    fn finish(mut self) {
        if let Some(window) = self.windows.close() {
            self.window(window);
        }
    }
}

/// Tells a window's RMSSD, or why it has none.
pub(super) fn report_window(window: WindowEnd, out: &mut ReadingSink<'_>) {
    match rmssd::sample(window) {
        Ok(sample) => (out.each)(SourceReading::Sample(sample)),
        Err(code) => out.report.skip(code, out.name, None),
    }
}

impl FitDefinition {
    fn fields<'a>(&'a self, body: &'a [u8]) -> FitFields<'a> {
        FitFields {
            definition: self,
            body,
        }
    }
}

/// The fields of a data message.
struct FitFields<'a> {
    definition: &'a FitDefinition,
    body: &'a [u8],
}

impl<'a> FitFields<'a> {
    fn bytes(&self, number: u8) -> Option<&'a [u8]> {
        let mut from = 0;
        for (field, len) in &self.definition.fields {
            if *field == number {
                return self.body.get(from..from + len);
            }
            from += len;
        }
        None
    }

    /// `None` for the value that says that there is none.
    fn byte(&self, number: u8) -> Option<u8> {
        self.bytes(number)?
            .first()
            .copied()
            .filter(|value| *value != u8::MAX)
    }

    fn long(&self, number: u8) -> Option<u32> {
        let bytes = *self.bytes(number)?.first_chunk()?;
        let value = if self.definition.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        };
        Some(value).filter(|value| *value != u32::MAX)
    }

    /// A list of numbers of 16 bits, without those that say that there is none.
    fn words(&self, number: u8) -> impl Iterator<Item = u16> + use<'a> {
        let big_endian = self.definition.big_endian;
        let words = self.bytes(number).unwrap_or_default().chunks_exact(2);
        let words = words.filter_map(|pair| pair.first_chunk().copied());
        words
            .map(move |pair| {
                if big_endian {
                    u16::from_be_bytes(pair)
                } else {
                    u16::from_le_bytes(pair)
                }
            })
            .filter(|value| *value != u16::MAX)
    }
}

/// Stages of sleep that are told when they end.
#[derive(Debug, Default)]
pub(super) struct SleepStages {
    /// When the stage began that goes on.
    since: Option<Timestamp>,
}

impl SleepStages {
    /// Sleep began, or ended.
    pub(super) fn sleep(&mut self, at: Timestamp, begins: bool) {
        self.since = begins.then_some(at);
    }

    /// A stage ended: what was slept in it.
    pub(super) fn until(&mut self, at: Timestamp, asleep: bool) -> Option<(Timestamp, Timestamp)> {
        let from = self.since.replace(at)?;
        (asleep && (1..=MAX_STAGE_MS).contains(&at.since(from))).then_some((from, at))
    }
}
