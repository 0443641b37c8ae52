//! The skip codes of Wellness, 201 to 299.

use agents_base::shared::SkipCode;

/// Not plausible.
pub(super) const RANGE: SkipCode = SkipCode {
    code: "AGENT-201",
    message: "this value is not plausible and was ignored: RMSSD 3..250 ms, sleep 1..1200 min, entropy 0..8, switches 0..120, dismissed 0..1, screen 0..60 min",
};
/// Nothing in it, or too few clean heartbeats.
pub(super) const NO_VALUE: SkipCode = SkipCode {
    code: "AGENT-202",
    message: "this measurement has no value: no field was set, or fewer than 20 differences of heartbeats are clean",
};
/// A CSV file of something else.
pub(super) const HEADER: SkipCode = SkipCode {
    code: "AGENT-203",
    message: "the header is of no known app (Whoop, Oura, Fitbit, HRV4Training), and has not `at` and one of rmssd_ms, rr_ms, asleep_min, typing_entropy, app_switch_rate, notif_dismiss_rate, screen_on_min",
};
/// A row of a CSV file that is none.
pub(super) const ROW: SkipCode = SkipCode {
    code: "AGENT-204",
    message: "in this row the instant cannot be read (`at` needs RFC 3339 with its offset), or a known column is not a number",
};
/// An XML file or an archive of something else.
pub(super) const NOT_HEALTH: SkipCode = SkipCode {
    code: "AGENT-205",
    message: "this is not a health export: there is no HealthData in its first MiB, or its archive has no file of Apple, Fitbit, Garmin, Whoop, Oura, Polar or Health Connect",
};
/// A broken item of a file whose others are kept.
pub(super) const BROKEN: SkipCode = SkipCode {
    code: "AGENT-206",
    message: "this record or message is broken: its tag, dates, kind or length cannot be read; the others were kept",
};
/// A file that ends too early.
pub(super) const CUT: SkipCode = SkipCode {
    code: "AGENT-207",
    message: "this file ends in the middle: what came before was read; wait until it is written, or export it again",
};
/// An archive that cannot be unpacked.
pub(super) const ZIP: SkipCode = SkipCode {
    code: "AGENT-208",
    message: "this archive is damaged, encrypted or packed by another method than deflate: export it again, without a password",
};
/// An archive that unpacks to too much.
pub(super) const BOMB: SkipCode = SkipCode {
    code: "AGENT-209",
    message: "the export in this archive is more than 200 times as large as it is packed: unpack it yourself if you trust it",
};
/// A file with the name of a FIT file.
pub(super) const NOT_FIT: SkipCode = SkipCode {
    code: "AGENT-210",
    message: "this is not a FIT file, or its checksum is wrong: nothing after this byte was read, copy it from the watch again",
};
/// A database of something else, or a damaged one.
pub(super) const DATABASE: SkipCode = SkipCode {
    code: "AGENT-211",
    message: "this database is damaged, or has no table of heartbeats or sleep as Gadgetbridge or Health Connect write them: export it again",
};
/// A database with more than is read.
pub(super) const ROWS: SkipCode = SkipCode {
    code: "AGENT-212",
    message: "a table of this database has more than 250000 rows of the last 90 days: only the newest were read",
};
/// Too much that is dated in the future.
pub(super) const LATER: SkipCode = SkipCode {
    code: "AGENT-213",
    message: "more than 4096 measurements are dated after now and wait: the rest was dropped, check the clock of the device",
};
/// A file in a health folder that tells nothing.
pub(super) const NOTHING_READ: SkipCode = SkipCode {
    code: "AGENT-214",
    message: "nothing in this file is read: a FIT file needs heartbeats or stages of sleep, JSON has to be JSONL of signals or sleep of Fitbit, Garmin, Polar or Health Auto Export",
};
/// Older than what memory keeps.
pub const TOO_OLD: SkipCode = SkipCode {
    code: "AGENT-215",
    message: "these heart rates and nights are more than 90 days old: memory is not told of them; if only the clock was wrong, correct it and have everything read once more",
};
/// A column of a known app that is a mean over a night, or another figure than RMSSD.
pub(super) const NIGHT_MEAN: SkipCode = SkipCode {
    code: "AGENT-216",
    message: "this figure of heart rate variability is not read: it is a mean over a night or SDNN, while the score compares RMSSD of minutes; the nights are read",
};
/// What Health Auto Export sends beside sleep.
pub(super) const UNUSED: SkipCode = SkipCode {
    code: "AGENT-217",
    message: "these measurements of Health Auto Export are not used: only sleep and the heart rate at rest are; Apple keeps no heart rate variability as the score needs it",
};
