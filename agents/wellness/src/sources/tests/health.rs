//! Apple Health exports as phones write them, and as they go wrong.

use super::{
    super::health::{HealthExport, ReadStop, ReadingSink},
    *,
};
use std::fmt::Write as _;

/// What stands before the root, with one of the mistakes that phones made in it: an attribute list that is never closed.
pub(in super::super::super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n\
    <!-- HealthKit Export Version: 12 -->\n<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>\n\
    <!ATTLIST HealthData\n  locale CDATA #REQUIRED\n>\n<!ATTLIST Workout\n  duration CDATA #IMPLIED\n\
    <!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>\n]>\n\
    <HealthData locale=\"en_IN\">\n <ExportDate value=\"2026-11-05 11:00:00 +0530\"/>\n\
    <Me HKCharacteristicTypeIdentifierBloodType=\"HKBloodTypeNotSet\"/>\n";

pub(in super::super::super) const TAIL: &str = "</HealthData>\n";

/// A record as it stands in an export, closed or open.
pub(in super::super::super) fn record(
    kind: &str,
    source: &str,
    start: &str,
    end: &str,
    value: &str,
) -> String {
    format!(
        " <Record type=\"HK{kind}\" sourceName=\"{source}\" sourceVersion=\"10.1\" \
         device=\"&lt;&lt;HKDevice: 0x2819e9770&gt;, name:Watch,&#10; model:Watch&gt;\" \
         creationDate=\"{end}\" startDate=\"{start}\" endDate=\"{end}\" value=\"{value}\""
    )
}

/// A day's rate at rest.
pub(in super::super::super) fn resting(bpm: &str, end: &str) -> String {
    let start = "2026-11-05 00:00:10 +0530";
    record("QuantityTypeIdentifierRestingHeartRate", "Watch", start, end, bpm) + "/>\n"
}

pub(in super::super::super) fn asleep(source: &str, stage: &str, start: &str, end: &str) -> String {
    let value = format!("HKCategoryValueSleepAnalysis{stage}");
    record("CategoryTypeIdentifierSleepAnalysis", source, start, end, &value) + "/>\n"
}

/// A measurement of beats that ends at `end`; each beat is a rate and when it came, in hundredths after 07:10:00.
pub(in super::super::super) fn beats(end: &str, beats: &[(u32, u32)]) -> String {
    let start = "2026-11-05 07:10:00 +0530";
    let head = record(
        "QuantityTypeIdentifierHeartRateVariabilitySDNN",
        "Watch",
        start,
        end,
        "45.2",
    );
    let mut text = head + ">\n  <HeartRateVariabilityMetadataList>\n";
    for (bpm, at) in beats {
        let (minute, second, part) = (10 + at / 6000, at / 100 % 60, at % 100);
        let _ = writeln!(
            text,
            "   <InstantaneousBeatsPerMinute bpm=\"{bpm}\" time=\"7:{minute:02}:{second:02},{part:02}\u{202f}AM\"/>"
        );
    }
    text + "  </HeartRateVariabilityMetadataList>\n </Record>\n"
}

/// So many beats of 60 and 64 a minute in turn: intervals of 1000 and 937.5 ms, so every difference is 62.5 ms.
pub(in super::super::super) fn even(count: u32) -> Vec<(u32, u32)> {
    let at = |i: u32| (i / 2) * 194 + (i % 2) * 94;
    (0..count)
        .map(|i| (if i % 2 == 0 { 60 } else { 64 }, at(i)))
        .collect()
}

const END: &str = "2026-11-05 07:12:00 +0530";

type Skips = Vec<(String, Option<u64>)>;

/// What an export tells, its skips as code and line, and how it stopped.
fn told(text: &[u8]) -> (Vec<SourceReading>, Skips, ReadStop) {
    let mut report = IngestReport::default();
    let (told, stop, _) = told_from(text, ReadMark::default(), &mut report);
    let skips = report.skips.into_iter().map(|skip| (skip.code, skip.line));
    (told, skips.collect(), stop)
}

fn told_from(
    text: &[u8],
    mark: ReadMark,
    report: &mut IngestReport,
) -> (Vec<SourceReading>, ReadStop, ReadMark) {
    let mut told = Vec::new();
    let from = usize::try_from(mark.offset).unwrap();
    let mut export = HealthExport::new(&text[from..], mark);
    let key = setup(Vec::new()).key;
    let stop = export.read(&mut ReadingSink {
        key: &key,
        name: "export.xml",
        zone: Tz::UTC,
        report,
        each: &mut |thing| told.push(thing),
    });
    (told, stop.unwrap(), export.resume_at())
}

fn rmssd(value: f64) -> SourceReading {
    SourceReading::Sample(FeatureSample::new(WellnessFeature::Rmssd, value, at("07:12:00")).unwrap())
}

fn stretch(source: &str, staged: bool, from: &str, until: &str) -> SourceReading {
    SourceReading::Asleep(SleepStretch {
        from: at(from),
        until: at(until),
        source: SleepStretch::source(&setup(Vec::new()).key, source.as_bytes()),
        staged,
    })
}

#[test]
fn beats_give_an_rmssd_and_the_sdnn_beside_them_is_not_taken_for_one() {
    let whole = |inner: &str| format!("{HEAD}{inner}{TAIL}");
    let heart_rate = record("QuantityTypeIdentifierHeartRate", "Watch", END, END, "71") + "/>\n";
    let sdnn = record(
        "QuantityTypeIdentifierHeartRateVariabilitySDNN",
        "Watch",
        END,
        END,
        "45.2",
    ) + "/>\n";
    // After the 15th of 40 beats the band lost some: 30 s later 25 more. 14 + 24 differences stay.
    let mut gap = even(40);
    for (_, time) in &mut gap[15..] {
        *time += 3000;
    }
    // A quick one: two beats within one interval. That of 400 is an artefact, and so are its differences.
    let mut early = even(60);
    early.insert(31, (150, early[30].1 + 40));
    for (name, inner, expected, skip) in [
        ("beats", beats(END, &even(60)), Some(62.5), None),
        ("a gap", beats(END, &gap), Some(62.5), None),
        ("an early beat", beats(END, &early), Some(62.5), None),
        ("too few", beats(END, &even(20)), None, Some("AGENT-202")),
        ("a value without beats", sdnn, None, Some("AGENT-202")),
        ("a heart rate", heart_rate, None, None),
    ] {
        let (told, skips, stop) = told(whole(&inner).as_bytes());
        assert_eq!(stop, ReadStop::End, "{name}");
        assert_eq!(
            told,
            expected.map(rmssd).into_iter().collect::<Vec<_>>(),
            "{name}"
        );
        let codes: Vec<&str> = skips.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(codes, skip.into_iter().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_rate_at_rest_is_read_at_its_end() {
    let text = format!(
        "{HEAD}{}{}{}{TAIL}",
        resting("54", END),
        resting("9", END),
        resting("calm", END)
    );
    let (told, skips, stop) = told(text.as_bytes());
    assert_eq!(stop, ReadStop::End);
    let rate = RestingRate::new(54.0, at("07:12:00")).unwrap();
    assert_eq!(told, [SourceReading::Resting(rate)]);
    let codes: Vec<&str> = skips.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(codes, ["AGENT-201", "AGENT-206"]);
}

#[test]
fn sleep_is_what_was_slept_by_whom_in_any_zone() {
    let night = [
        asleep(
            "Phone",
            "InBed",
            "2026-11-04 22:50:00 +0530",
            "2026-11-05 06:40:00 +0530",
        ),
        asleep(
            "Watch",
            "AsleepCore",
            "2026-11-05 00:00:00 +0530",
            "2026-11-05 02:00:00 +0530",
        ),
        asleep(
            "Watch",
            "Awake",
            "2026-11-05 02:00:00 +0530",
            "2026-11-05 02:10:00 +0530",
        ),
        // The same watch in another zone: 21:00 in London is 02:30 in Kolkata.
        asleep(
            "Watch",
            "AsleepREM",
            "2026-11-04 21:00:00 +0000",
            "2026-11-04 22:00:00 +0000",
        ),
        asleep(
            "Old phone",
            "Asleep",
            "2026-11-04 13:30:00 -0500",
            "2026-11-04 19:30:00 -0500",
        ),
    ];
    let (told, skips, _) = told(format!("{HEAD}{}{TAIL}", night.concat()).as_bytes());
    assert_eq!(
        (told, skips),
        (
            vec![
                stretch("Watch", true, "00:00:00", "02:00:00"),
                stretch("Watch", true, "02:30:00", "03:30:00"),
                stretch("Old phone", false, "00:00:00", "06:00:00"),
            ],
            Vec::new()
        )
    );
}

#[test]
fn a_broken_record_is_named_by_its_line_and_the_others_are_kept() {
    let good = || {
        asleep(
            "Watch",
            "AsleepDeep",
            "2026-11-05 01:00:00 +0530",
            "2026-11-05 02:00:00 +0530",
        )
    };
    let kept = stretch("Watch", true, "01:00:00", "02:00:00");
    let head = HEAD.lines().count() as u64;
    for (name, bad) in [
        (
            "a date that is none",
            good().replacen("2026-11-05 01", "2026-02-30 01", 1),
        ),
        (
            "a date of another form",
            good().replace("2026-11-05 01:00:00 +0530", "05.11.26 01:00"),
        ),
        ("no end", good().replacen(" endDate", " ende", 1)),
        ("a stage that is none", good().replace("AsleepDeep", "Dozing")),
        ("a quote that is missing", good().replacen("Watch\"", "Watch", 1)),
        ("a tag that is not closed", good().replace("/>\n", "\n")),
        ("bytes that are no text", good().replacen("Watch\"", "\u{1}\"", 1)),
        (
            "a stretch that ends before it begins",
            asleep(
                "Watch",
                "AsleepDeep",
                "2026-11-05 03:00:00 +0530",
                "2026-11-05 02:00:00 +0530",
            ),
        ),
    ] {
        let mut text = format!("{HEAD}{}{bad}{}{TAIL}", good(), good()).into_bytes();
        for byte in &mut text {
            if *byte == 1 {
                *byte = 0xff;
            }
        }
        let (told, skips, stop) = told(&text);
        assert_eq!(
            (told, stop),
            (vec![kept.clone(), kept.clone()], ReadStop::End),
            "{name}"
        );
        let code = if name.starts_with("a stretch") {
            "AGENT-201"
        } else {
            "AGENT-206"
        };
        assert_eq!(skips, [(code.to_owned(), Some(head + 2))], "{name}");
    }
}

#[test]
fn what_is_strange_but_right_is_read() {
    let stretch_of = |source: &str| {
        asleep(
            source,
            "AsleepDeep",
            "2026-11-05 01:00:00 +0530",
            "2026-11-05 02:00:00 +0530",
        )
    };
    let long = "w".repeat(40_000);
    for (name, text, source) in [
        ("a very long name", stretch_of(&long), long.as_str()),
        ("single quotes", stretch_of("Watch").replace('"', "'"), "Watch"),
        (
            "attributes in another order",
            stretch_of("Watch")
                .replace(" type=", " x=")
                .replace("/>", " type=\"HKCategoryTypeIdentifierSleepAnalysis\"/>"),
            "Watch",
        ),
        (
            "a comment with tags",
            format!("<!-- <Record <Record> -->{}", stretch_of("Watch")),
            "Watch",
        ),
        ("signs in a name", stretch_of("A &amp; B > C"), "A &amp; B > C"),
        (
            "inside of something",
            format!("<Correlation>{}</Correlation>", stretch_of("Watch")),
            "Watch",
        ),
        (
            "with metadata",
            stretch_of("Watch").replace("/>", "><MetadataEntry key=\"a\" value=\"b\"/></Record>"),
            "Watch",
        ),
        ("all in one line", stretch_of("Watch").replace('\n', ""), "Watch"),
        (
            "Windows line ends",
            stretch_of("Watch").replace('\n', "\r\n"),
            "Watch",
        ),
    ] {
        let (told, skips, stop) = told(format!("{HEAD}{text}{TAIL}").as_bytes());
        assert_eq!(told, [stretch(source, true, "01:00:00", "02:00:00")], "{name}");
        assert_eq!((skips, stop), (Vec::new(), ReadStop::End), "{name}");
    }
    let html = b"<html><body>HealthData</body></html>";
    assert_eq!(told(html), (Vec::new(), Vec::new(), ReadStop::Other));
}

#[test]
fn a_file_that_is_cut_anywhere_goes_on_where_it_was_cut() {
    let text = [
        HEAD.to_owned(),
        asleep(
            "Watch",
            "AsleepDeep",
            "2026-11-05 01:00:00 +0530",
            "2026-11-05 02:00:00 +0530",
        ),
        beats(END, &even(40)),
        asleep(
            "Watch",
            "AsleepREM",
            "2026-11-05 03:00:00 +0530",
            "2026-11-05 04:00:00 +0530",
        ),
        TAIL.to_owned(),
    ]
    .concat();
    let whole = told(text.as_bytes()).0;
    assert_eq!(whole.len(), 3);
    let root = text.find("<HealthData").unwrap();
    for cut in (root + 12)..=text.len() {
        let mut report = IngestReport::default();
        let (mut first, stop, mark) = told_from(&text.as_bytes()[..cut], ReadMark::default(), &mut report);
        // The last line break need not be there.
        assert_eq!(stop == ReadStop::End, cut >= text.len() - 1, "cut at {cut}");
        let (second, stop, end) = told_from(text.as_bytes(), mark, &mut report);
        first.extend(second);
        assert_eq!(
            (&first, stop, report.skipped),
            (&whole, ReadStop::End, 0),
            "cut at {cut}"
        );
        assert_eq!(end.line, text.lines().count() as u64 - 1, "cut at {cut}");
    }
}

#[test]
fn an_ingest_stops_between_two_records_when_it_has_read_enough() {
    let nights: String = (0..4000)
        .map(|_| {
            asleep(
                "Watch",
                "AsleepDeep",
                "2026-11-05 01:00:00 +0530",
                "2026-11-05 02:00:00 +0530",
            )
        })
        .collect();
    let text = format!("{HEAD}{nights}{TAIL}");
    let (mut mark, mut count, mut slices) = (ReadMark::default(), 0, 0);
    loop {
        let mut report = IngestReport::default();
        report.take(SLICE - 1);
        let (told, stop, next) = told_from(text.as_bytes(), mark, &mut report);
        count += told.len();
        slices += 1;
        assert!(next.offset > mark.offset);
        mark = next;
        if stop == ReadStop::End {
            break;
        }
        assert_eq!(stop, ReadStop::Slice);
    }
    // What stands before the root, then 1.3 MB in windows of 256 KiB.
    assert_eq!(
        (count, slices, mark.offset),
        (
            4000,
            1 + text.len().div_ceil(256 * 1024),
            (text.len() - TAIL.len()) as u64
        )
    );
}

#[test]
fn an_archive_is_unpacked_again_up_to_where_reading_goes_on() {
    let night = |hour: u32| {
        let (from, until) = (
            format!("2026-11-05 {hour:02}:00:00 +0530"),
            format!("2026-11-05 {hour:02}:30:00 +0530"),
        );
        asleep("Watch", "AsleepDeep", &from, &until)
    };
    let nights: String = (0..2000).map(|i| night(i % 24)).collect::<Vec<_>>().concat();
    let text = format!("{HEAD}{nights}{TAIL}");
    let whole = told(text.as_bytes()).0;
    let key = setup(Vec::new()).key;
    let (mut told, mut mark, mut stop) = (Vec::new(), ReadMark::default(), ReadStop::Slice);
    // Each time as after a restart, with room for a little.
    while stop == ReadStop::Slice {
        let mut report = IngestReport::default();
        report.take(SLICE.saturating_sub(mark.offset + 1));
        let mut export = HealthExport::resuming(text.as_bytes(), mark);
        let mut each = |thing| told.push(thing);
        stop = export
            .read(&mut ReadingSink {
                key: &key,
                name: "export.zip",
                zone: Tz::UTC,
                report: &mut report,
                each: &mut each,
            })
            .unwrap();
        mark = export.resume_at();
    }
    assert_eq!((told, stop), (whole, ReadStop::End));
}

#[test]
fn memory_stays_flat_for_any_64_kib() {
    let bytes = 64 * 1024;
    let tag = b"<HealthData><Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"";
    for (name, text) in [
        ("one tag", [&tag[..], &vec![b'a'; bytes]].concat()),
        (
            "one quote after the other",
            [&b"<HealthData>"[..], &b"<a \"".repeat(bytes / 4)].concat(),
        ),
        ("only tags", [&b"<HealthData>"[..], &b"<".repeat(bytes)].concat()),
        (
            "a comment",
            [&b"<HealthData><!--"[..], &b"-".repeat(bytes)].concat(),
        ),
        ("no root", b"<a>".repeat(bytes / 3)),
    ] {
        let used = allocation_counter::measure(|| {
            told(&text);
        });
        assert!(used.bytes_max < 10 << 20, "{name}: {} bytes", used.bytes_max);
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_go_on_for_ever(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "<Record ", "<HealthData ", ">", "/>", "\"", "'", "<", "<!--", "-->", "<![CDATA[", "</Record>", "<?", "type=",
            "\"HKCategoryTypeIdentifierSleepAnalysis\"", "\"HKQuantityTypeIdentifierHeartRateVariabilitySDNN\"", " value=",
            " endDate=\"2026-11-05 02:00:00 +0530\"", "<InstantaneousBeatsPerMinute bpm=\"60\"", " time=\"7:12:00.11\"", "&", "\u{ff}", "\n",
        ]), 0..400),
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400),
    ) {
        told(pieces.concat().as_bytes());
        told(&bytes);
        told(&[b"<HealthData>", &bytes[..]].concat());
    }
}
