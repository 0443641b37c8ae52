//! Exports in folders: what is read once, again, in slices, later.

use super::*;
use agents_base::shared::SLICE;
use sources::tests::health::{HEAD, TAIL, asleep, beats, even, record};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write as _,
};
use zip::{ZipWriter, write::SimpleFileOptions};

const MEASURED: &str = "2026-11-05 07:12:00 +0530";

/// A night of 300 minutes to 06:00, and beats at 07:12 with an RMSSD of 62.5.
fn export() -> String {
    let night = asleep(
        "Watch",
        "AsleepCore",
        "2026-11-05 01:00:00 +0530",
        "2026-11-05 06:00:00 +0530",
    );
    [HEAD, &night, &beats(MEASURED, &even(60)), TAIL].concat()
}

/// An archive as phones make it.
pub(super) fn archive(path: &std::path::Path, entries: &[(&str, &[u8])]) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn of(folder: &tempfile::TempDir) -> WellnessAgent {
    WellnessAgent::new(setup(vec![folder.path().to_owned()]))
}

/// The skips as code and item.
pub(super) fn skips(answer: &IngestResult) -> Vec<(&str, &str)> {
    answer
        .skips
        .iter()
        .map(|s| (s.code.as_str(), s.item.as_str()))
        .collect()
}

fn scores(answer: &IngestResult) -> Vec<u8> {
    let scores = answer.facts.iter().map(|fact| {
        let IngestFact::Load { score, .. } = fact else {
            panic!("{fact:?}")
        };
        *score
    });
    scores.collect()
}

#[test]
fn an_export_and_its_archive_give_the_same_score_and_no_second_look() {
    // 38 - 16 * (62.5 - 42)/18 + 0.06 * 120 = 38 - 18.22 + 7.2 = 26.98; the cosine is 4 cos(105°) < 0.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("export.xml"), export()).unwrap();
    let mut agent = of(&folder);
    let answer = ingest(&mut agent, Vec::new(), "07:15:00");
    assert_eq!(
        (scores(&answer), answer.read, skips(&answer)),
        (vec![27], 2, vec![])
    );
    assert_eq!((answer.taken, answer.left), (export().len() as u64, 0));
    let again = ingest(&mut agent, Vec::new(), "07:16:00");
    assert_eq!((again.taken, again.read, again.agent_state), (0, 0, Value::Null));
    // After a restart neither.
    let mut restarted = of(&folder);
    restarted.restore(&answer.agent_state).unwrap();
    assert_eq!(ingest(&mut restarted, Vec::new(), "07:16:00").taken, 0);

    let zipped = tempfile::tempdir().unwrap();
    let text = export();
    let entries: [(&str, &[u8]); 4] = [
        ("apple_health_export/export_cda.xml", b"<ClinicalDocument/>"),
        ("apple_health_export/workout-routes/route.gpx", b"<gpx/>"),
        ("apple_health_export/export.xml", text.as_bytes()),
        ("apple_health_export/electrocardiograms/ecg.csv", b"a,b"),
    ];
    archive(&zipped.path().join("export.zip"), &entries);
    let mut agent = of(&zipped);
    let answer = ingest(&mut agent, Vec::new(), "07:15:00");
    assert_eq!(
        (scores(&answer), answer.read, skips(&answer)),
        (vec![27], 2, vec![])
    );
    assert_eq!(ingest(&mut agent, Vec::new(), "07:16:00").taken, 0);
    // The same again as another file: nothing of it is new.
    fs::write(zipped.path().join("export.xml"), export()).unwrap();
    let answer = ingest(&mut agent, Vec::new(), "07:17:00");
    assert_eq!((answer.read, answer.facts), (0, Vec::new()));
}

#[test]
fn archives_that_are_wrong_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let whole = "apple_health_export/export.xml";
    archive(&path("a-none.zip"), &[("photos/a.jpg", b"x")]);
    fs::write(path("b-text.zip"), "no archive").unwrap();
    archive(
        &path("c-bomb.zip"),
        &[(whole, &[HEAD.as_bytes(), &vec![b' '; 8 << 20]].concat())],
    );
    archive(
        &path("d-cut.zip"),
        &[(whole, &export().as_bytes()[..export().len() - 20])],
    );
    archive(&path("e-other.zip"), &[("export.xml", b"<html></html>")]);
    // A bit within the packed bytes; and one in the checksum of the table of contents.
    archive(&path("f-damaged.zip"), &[(whole, export().as_bytes())]);
    let mut bytes = fs::read(path("f-damaged.zip")).unwrap();
    let table = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    bytes[table + 16] ^= 1;
    fs::write(path("f-damaged.zip"), &bytes).unwrap();
    // The flag of an entry that is encrypted, in both of its heads.
    archive(&path("g-secret.zip"), &[(whole, export().as_bytes())]);
    let mut bytes = fs::read(path("g-secret.zip")).unwrap();
    let table = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    (bytes[6], bytes[table + 8]) = (bytes[6] | 1, bytes[table + 8] | 1);
    fs::write(path("g-secret.zip"), &bytes).unwrap();
    let answer = ingest(&mut of(&folder), Vec::new(), "07:15:00");
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-205", "a-none.zip"),
            ("AGENT-208", "b-text.zip"),
            ("AGENT-209", "c-bomb.zip"),
            ("AGENT-207", "d-cut.zip"),
            ("AGENT-205", "e-other.zip"),
            ("AGENT-208", "f-damaged.zip"),
            ("AGENT-208", "g-secret.zip"),
        ]
    );
    // What came before the cut; the checksum of the damaged one was known before anything of it was looked at.
    assert_eq!(answer.read, 1);
}

#[test]
fn a_file_that_is_still_written_is_read_on_and_another_one_from_its_begin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.xml");
    let text = export();
    let half = text.find("<HeartRateVariabilityMetadataList>\n").unwrap();
    fs::write(&path, &text[..half]).unwrap();
    let mut agent = of(&folder);
    let first = ingest(&mut agent, Vec::new(), "07:15:00");
    assert_eq!(
        (first.read, skips(&first)),
        (1, vec![("AGENT-207", "export.xml")])
    );
    let night = first.agent_state;
    fs::write(&path, &text).unwrap();
    // Also by one that was started again: from the record on that was open.
    let mut restarted = of(&folder);
    restarted.restore(&night).unwrap();
    for agent in [&mut agent, &mut restarted] {
        let second = ingest(agent, Vec::new(), "07:15:30");
        assert_eq!(
            (second.read, scores(&second), skips(&second)),
            (1, vec![27], vec![])
        );
        assert!(second.taken < text.len() as u64 / 2 + 4000 && second.taken > 0);
    }
    // Another export under the same name.
    let other = asleep(
        "Watch",
        "AsleepREM",
        "2026-11-05 06:00:00 +0530",
        "2026-11-05 06:30:00 +0530",
    );
    fs::write(&path, [HEAD, &" ".repeat(text.len()), &other, TAIL].concat()).unwrap();
    let third = ingest(&mut agent, Vec::new(), "07:16:00");
    assert_eq!((third.read, skips(&third)), (1, vec![]));
}

#[test]
fn what_is_dated_later_waits_also_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("export.xml"), export()).unwrap();
    let mut agent = of(&folder);
    let early = ingest(&mut agent, Vec::new(), "07:00:00");
    assert_eq!(early.read, 1, "the night");
    let mut restarted = of(&folder);
    restarted.restore(&early.agent_state).unwrap();
    for agent in [&mut agent, &mut restarted] {
        let later = ingest(agent, Vec::new(), "07:12:00");
        assert_eq!((later.read, scores(&later)), (1, vec![27]));
    }
}

#[test]
fn years_of_history_give_the_baseline_at_once_in_any_order() {
    // 40 days of beats with an RMSSD of 62.5, then today's.
    let day = |back: i64| {
        let day = at("07:12:00")
            .plus_min(-back * 24 * 60)
            .utc()
            .with_timezone(&Tz::Asia__Kolkata);
        beats(&day.format("%Y-%m-%d %H:%M:%S %z").to_string(), &even(60))
    };
    let mut days: Vec<String> = (0..40).map(day).collect();
    for name in ["forward", "backward"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("export.xml"),
            [HEAD, &days.concat(), TAIL].concat(),
        )
        .unwrap();
        let mut agent = of(&folder);
        let answer = ingest(&mut agent, Vec::new(), "07:15:00");
        // It is the owner's median: 38, where the population's would give 38 - 18.22.
        assert_eq!((scores(&answer), answer.read), (vec![38], 40), "{name}");
        // 40 days of data, one score: 0.85.
        assert_eq!(agent.history.confidence(false), Milli(850), "{name}");
        let size = answer.agent_state.to_string().len();
        assert!(size < 8 * 1024, "{name}: {size}");
        days.reverse();
    }
}

#[test]
fn the_state_of_an_agent_of_before_is_taken_up() {
    let before = json!({
        "version": "wellness.v1", "files": {},
        "newest": { "rmssd": [30.0, at("11:59:00")] },
        "history": { "scores": [[at("11:59:00"), 49]], "days": ["2026-11-05"], "standing": null, "recovered_at": null },
    });
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    agent.restore(&before).unwrap();
    assert_eq!(agent.history.scores(), [49]);
}

#[test]
fn a_large_export_takes_several_ingests_and_restarts_between_them_lose_nothing() {
    // No two alike, or its archive would be taken for a bomb.
    let steps = |i: u64| {
        let value = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_string();
        record(
            "QuantityTypeIdentifierStepCount",
            "Phone",
            MEASURED,
            MEASURED,
            &value,
        ) + "/>\n"
    };
    let count = SLICE * 5 / 4 / steps(1).len() as u64;
    let filler = (0..count).map(steps).collect::<Vec<_>>().concat();
    let night = asleep(
        "Watch",
        "AsleepCore",
        "2026-11-05 01:00:00 +0530",
        "2026-11-05 06:00:00 +0530",
    );
    let text = [HEAD, &night, &filler, &beats(MEASURED, &even(60)), &filler, TAIL].concat();
    for name in ["export.xml", "export.zip"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        if name == "export.xml" {
            fs::write(&path, &text).unwrap();
        } else {
            archive(&path, &[("apple_health_export/export.xml", text.as_bytes())]);
        }
        let (mut agent, mut read, mut kept, mut ingests) = (of(&folder), 0, None, 0);
        loop {
            let answer = ingest(&mut agent, Vec::new(), "07:15:00");
            read += answer.read;
            ingests += 1;
            if !answer.agent_state.is_null() {
                kept = Some(answer.agent_state);
            }
            if answer.left == 0 {
                assert_eq!(answer.skips, vec![], "{name}");
                break;
            }
            assert!(answer.taken > 0);
            // An archive has to be unpacked up to its place without another restart.
            if name == "export.xml" || ingests == 1 {
                agent = of(&folder);
                agent.restore(kept.as_ref().unwrap()).unwrap();
            }
        }
        // 2.5 slices; an archive is unpacked again up to the place, which are slices too.
        assert_eq!((read, ingests >= 3), (2, true), "{name}: {ingests}");
        assert_eq!(
            agent.newest.fresh(model::WellnessFeature::Rmssd, at("07:15:00")),
            Some(62.5)
        );
        assert_eq!(
            agent.newest.fresh(model::WellnessFeature::Asleep, at("07:15:00")),
            Some(300.0)
        );
    }
}

#[test]
fn no_text_of_an_export_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let night = asleep(
        "Mira's Watch",
        "AsleepCore",
        "2026-11-05 01:00:00 +0530",
        "2026-11-05 06:00:00 +0530",
    );
    fs::write(folder.path().join("Mira.xml"), [HEAD, &night, TAIL].concat()).unwrap();
    let answer = ingest(&mut of(&folder), Vec::new(), "07:15:00");
    let kept = answer.agent_state.to_string();
    assert!(
        kept.contains("\"sleep\":{\"") && !kept.contains("Mira") && !kept.contains("Watch"),
        "{kept}"
    );
}

#[test]
fn json_in_a_health_folder_is_named_once_and_again_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("takeout")).unwrap();
    let path = folder.path().join("takeout/heart_rate.json");
    fs::write(&path, "[]").unwrap();
    fs::write(folder.path().join("sleep.JSON"), "{}").unwrap();
    let mut agent = of(&folder);
    let at = "07:20:00";
    let both = [
        ("AGENT-214", "sleep.JSON"),
        ("AGENT-214", "takeout/heart_rate.json"),
    ];
    let answer = ingest(&mut agent, vec![], at);
    assert_eq!((skips(&answer), answer.skipped), (both.to_vec(), 2));
    assert_eq!(ingest(&mut agent, vec![], at).skipped, 0);
    fs::write(&path, "[1]").unwrap();
    assert_eq!(skips(&ingest(&mut agent, vec![], at)), [both[1]]);
    // A file that the owner names is taken for JSONL, whatever it is called.
    let mut agent = WellnessAgent::new(setup(vec![path]));
    assert!(
        skips(&ingest(&mut agent, vec![], at))
            .iter()
            .all(|(code, _)| *code != "AGENT-214")
    );
}

#[test]
fn what_is_too_old_in_an_export_is_named_once_at_its_end() {
    let filler = record(
        "QuantityTypeIdentifierStepCount",
        "Phone",
        MEASURED,
        MEASURED,
        "1",
    ) + "/>\n";
    let filler = filler.repeat(usize::try_from(SLICE).unwrap() * 5 / 4 / filler.len());
    let old = beats("2026-07-01 07:12:00 +0530", &even(60));
    let night = asleep(
        "Watch",
        "AsleepCore",
        "2026-07-02 01:00:00 +0530",
        "2026-07-02 06:00:00 +0530",
    );
    let text = [HEAD, &old, &filler, &night, &beats(MEASURED, &even(60)), TAIL].concat();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("export.xml"), text).unwrap();
    let mut agent = of(&folder);
    let first = ingest(&mut agent, Vec::new(), "07:15:00");
    assert_eq!((first.read, first.skipped, first.left > 0), (0, 0, true));
    let mut agent = of(&folder);
    agent.restore(&first.agent_state).unwrap();
    let last = ingest(&mut agent, Vec::new(), "07:15:00");
    let named: Vec<_> = last
        .skips
        .iter()
        .map(|skip| (skip.code.as_str(), skip.count))
        .collect();
    assert_eq!((last.read, named, last.left), (1, vec![("AGENT-215", 2)], 0));
    assert_eq!(last.seen.len(), 1);
}

#[test]
fn every_night_of_a_year_is_told_once_or_counted_and_told_again_when_it_is_asked_for() {
    let days_before = |days: i64| at("00:00:00").plus_min(-days * 1440).utc();
    let night = |source: &str, stage: &str, days: i64, from: i64, until: i64| {
        let time = |minute: i64| {
            let time = days_before(days) + chrono::TimeDelta::minutes(minute);
            time.format("%Y-%m-%d %H:%M:%S +0000").to_string()
        };
        asleep(source, stage, &time(from), &time(until))
    };
    // A watch that was worn until the morning after, from 01:00 to 06:00 with half an hour awake, and a phone that saw more and less well.
    let watch: String = (0..365)
        .rev()
        .map(|days| {
            night("Watch", "AsleepCore", days, 60, 180) + &night("Watch", "AsleepREM", days, 210, 360)
        })
        .collect();
    let phone: String = (0..365)
        .rev()
        .map(|days| night("Phone", "Asleep", days, 30, 380))
        .collect();
    let filler = record(
        "QuantityTypeIdentifierStepCount",
        "Phone",
        MEASURED,
        MEASURED,
        "1",
    ) + "/>\n";
    let filler = filler.repeat(usize::try_from(SLICE).unwrap() * 5 / 4 / filler.len());
    let folder = tempfile::tempdir().unwrap();
    let text = [HEAD, &watch, &filler, &phone, TAIL].concat();
    fs::write(folder.path().join("export.xml"), text).unwrap();
    let mut agent = of(&folder);
    let mut told = BTreeMap::new();
    let read_all = |agent: &mut WellnessAgent| {
        let (mut nights, mut named) = (Vec::new(), Vec::new());
        loop {
            let answer = ingest(agent, Vec::new(), "07:15:00");
            for seen in answer.seen {
                let GraphObservation::Body { day, sleep_min, .. } = seen else {
                    panic!("{seen:?}")
                };
                nights.push((day, sleep_min));
            }
            named.extend(answer.skips.into_iter().map(|skip| (skip.code, skip.count)));
            if answer.left == 0 {
                return (nights, named);
            }
        }
    };
    let (nights, named) = read_all(&mut agent);
    told.extend(nights.iter().copied());
    // At a quarter past seven the night that ended at six, 90 days before, is older than 90 days: 89 days before is the first told.
    assert_eq!((nights.len(), told.len()), (90, 90), "each once");
    let first = days_before(89).with_timezone(&Tz::Asia__Kolkata).date_naive();
    assert_eq!(told.first_key_value(), Some((&first, &Some(270.0))));
    assert!(told.values().all(|minutes| *minutes == Some(270.0)));
    // 275 nights before, two stretches and one each.
    assert_eq!(named, vec![("AGENT-215".to_owned(), 825)]);
    // Nothing changed; and read from its beginning on purpose it tells all of it again.
    assert_eq!(read_all(&mut agent), (Vec::new(), Vec::new()));
    let mut state = WellnessAgentState::from_json(&agent.state()).unwrap();
    state.clear_read_marks();
    let mut agent = of(&folder);
    agent.restore(&serde_json::to_value(state).unwrap()).unwrap();
    assert_eq!(read_all(&mut agent).0.len(), 90);
}
