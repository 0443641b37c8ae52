//! A large Apple Health export, for `aura bench import`.
//!
//! What: [`export`], an `export.xml` of any size, the same for the same seed. Why: exports of years are gigabytes, of which most is not
//! what Aura reads. All of it is made up. Not here: reading it.

use super::files::SeededNumbers;
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (ExportDate,Me,(Record)*)>\n\
    <!ATTLIST HealthData\n  locale CDATA #REQUIRED\n>\n]>\n<HealthData locale=\"en_IN\">\n \
    <ExportDate value=\"2026-11-03 07:00:00 +0530\"/>\n";

/// Seconds between two heart rates; a watch measures every few minutes.
const BETWEEN: i64 = 300;
/// Of so many heart rates one is followed by a stage of sleep, and one by beats.
const STAGE: u64 = 12;
const BEATS: u64 = 48;

/// An export of at least so many bytes, from the first of January 2021 on. Returns how many records it has.
///
/// # Errors
/// The disk's.
pub(crate) fn export(path: &Path, bytes: u64, seed: u64) -> io::Result<u64> {
    let mut numbers = SeededNumbers::from_seed(seed);
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(HEAD.as_bytes())?;
    let (mut written, mut count, mut at) = (HEAD.len() as u64, 0, 1_609_459_200);
    let mut text = Vec::new();
    while written < bytes {
        text.clear();
        at += BETWEEN;
        record(
            &mut text,
            "QuantityTypeIdentifierHeartRate",
            "unit=\"count/min\" ",
            (at, at),
            &numbers_of(&mut numbers, 50, 60),
        )?;
        text.extend_from_slice(b"/>\n");
        if count % STAGE == 0 {
            let stage = ["AsleepCore", "AsleepDeep", "AsleepREM", "Awake"];
            let index = usize::try_from(numbers.below(4)).unwrap_or(0);
            let value = format!(
                "HKCategoryValueSleepAnalysis{}",
                stage.get(index).unwrap_or(&"InBed")
            );
            record(
                &mut text,
                "CategoryTypeIdentifierSleepAnalysis",
                "",
                (at - 1200, at),
                &value,
            )?;
            text.extend_from_slice(b"/>\n");
        }
        if count % BEATS == 0 {
            beats(&mut text, at, &mut numbers)?;
        }
        file.write_all(&text)?;
        written += text.len() as u64;
        count += 1;
    }
    file.write_all(b"</HealthData>\n")?;
    file.flush()?;
    Ok(count)
}

fn numbers_of(numbers: &mut SeededNumbers, least: u64, range: u64) -> String {
    (least + numbers.below(range)).to_string()
}

/// A record up to its last attribute.
fn record(
    out: &mut Vec<u8>,
    kind: &str,
    unit: &str,
    (start, end): (i64, i64),
    value: &str,
) -> io::Result<()> {
    let date = |at| {
        let at = chrono::DateTime::from_timestamp(at, 0).unwrap_or_default();
        at.format("%Y-%m-%d %H:%M:%S +0000").to_string()
    };
    let (start, end) = (date(start), date(end));
    write!(
        out,
        " <Record type=\"HK{kind}\" sourceName=\"Watch\" sourceVersion=\"10.1\" device=\"&lt;&lt;HKDevice: 0x2819e9770&gt;, \
         name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch4,2, software:10.1&gt;\" {unit}\
         creationDate=\"{end}\" startDate=\"{start}\" endDate=\"{end}\" value=\"{value}\""
    )
}

/// A minute of beats: some sixty.
fn beats(out: &mut Vec<u8>, at: i64, numbers: &mut SeededNumbers) -> io::Result<()> {
    record(
        out,
        "QuantityTypeIdentifierHeartRateVariabilitySDNN",
        "unit=\"ms\" ",
        (at - 60, at),
        "45.2",
    )?;
    out.extend_from_slice(b">\n  <HeartRateVariabilityMetadataList>\n");
    let (mut hundredths, start) = (0, at - 60);
    while hundredths < 5900 {
        let bpm = 56 + numbers.below(9);
        hundredths += 6000 / bpm;
        let second = start + i64::try_from(hundredths / 100).unwrap_or(0);
        let clock = chrono::DateTime::from_timestamp(second, 0).unwrap_or_default();
        writeln!(
            out,
            "   <InstantaneousBeatsPerMinute bpm=\"{bpm}\" time=\"{}.{:02}\"/>",
            clock.format("%H:%M:%S"),
            hundredths % 100
        )?;
    }
    out.extend_from_slice(b"  </HeartRateVariabilityMetadataList>\n </Record>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_the_same_for_the_same_seed_and_as_large_as_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let made = |name: &str, seed| {
            let path = dir.path().join(name);
            let count = export(&path, 300_000, seed).unwrap();
            (count, std::fs::read(path).unwrap())
        };
        let (count, text) = made("a.xml", 8);
        assert_eq!((count, &text), (made("b.xml", 8).0, &made("b.xml", 8).1));
        assert!((300_000..310_000).contains(&text.len()) && count > 300);
        assert!(text != made("c.xml", 9).1);
    }
}
