//! FIT files as watches write them, and as they go wrong.

use super::{super::health::ReadingSink, *};

/// A FIT file that is being written.
#[derive(Default)]
struct File {
    data: Vec<u8>,
    big_endian: bool,
}

/// Seconds since 1989-12-31 UTC of a local time of 2026-11-05.
fn seconds(time: &str) -> u32 {
    u32::try_from((at(time).ms() - 631_065_600_000) / 1000).unwrap()
}

impl File {
    /// Defines what local number `local` is: a message and its fields, each number, length, base type.
    fn define(mut self, local: u8, message: u16, fields: &[(u8, u8, u8)]) -> Self {
        let number = if self.big_endian {
            message.to_be_bytes()
        } else {
            message.to_le_bytes()
        };
        self.data.extend([0x40 | local, 0, u8::from(self.big_endian)]);
        self.data.extend(number);
        self.data.push(u8::try_from(fields.len()).unwrap());
        for (number, len, base) in fields {
            self.data.extend([*number, *len, *base]);
        }
        self
    }

    fn put(mut self, head: u8, bytes: &[&[u8]]) -> Self {
        self.data.push(head);
        self.data.extend(bytes.concat());
        self
    }

    fn long(&self, value: u32) -> [u8; 4] {
        if self.big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    fn word(&self, value: u16) -> [u8; 2] {
        if self.big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    /// With its header of 14 bytes and its checksum.
    fn end(self) -> Vec<u8> {
        let mut file = vec![14, 0x20, 0x54, 0x08];
        file.extend(u32::try_from(self.data.len()).unwrap().to_le_bytes());
        file.extend(b".FIT");
        file.extend(crc(&file).to_le_bytes());
        file.extend(self.data);
        let sum = crc(&file);
        file.extend(sum.to_le_bytes());
        file
    }
}

/// The checksum as the protocol's description computes it, half a byte at a time with its table.
fn crc(bytes: &[u8]) -> u16 {
    const TABLE: [u16; 16] = [
        0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401,
        0x5000, 0x9C01, 0x8801, 0x4400,
    ];
    let mut crc = 0_u16;
    for byte in bytes {
        for half in [byte & 0xF, byte >> 4] {
            let low = TABLE[usize::from(crc & 0xF)];
            crc = (crc >> 4) & 0x0FFF;
            crc = crc ^ low ^ TABLE[usize::from(half)];
        }
    }
    crc
}

fn told(bytes: &[u8]) -> (Vec<SourceReading>, Vec<(String, String)>) {
    let (mut told, mut report, key) = (Vec::new(), IngestReport::default(), setup(Vec::new()).key);
    fit::read(
        bytes,
        &mut ReadingSink {
            key: &key,
            name: "a.fit",
            zone: Tz::UTC,
            report: &mut report,
            each: &mut |thing| told.push(thing),
        },
    );
    let skips = report.skips.into_iter().map(|skip| (skip.code, skip.item));
    (told, skips.collect())
}

fn rmssd(value: f64, time: &str) -> SourceReading {
    SourceReading::Sample(FeatureSample::new(WellnessFeature::Rmssd, value, at(time)).unwrap())
}

/// Records a second apart, each with a message of one interval of 1000 and 1010 ms in turn.
fn activity(big_endian: bool, beats: u32) -> File {
    let mut file = File {
        big_endian,
        ..File::default()
    }
    .define(0, 20, &[(253, 4, 0x86), (3, 1, 0x02)])
    .define(1, 78, &[(0, 10, 0x84)]);
    for i in 0..beats {
        let (now, rr) = (seconds("07:10:00") + i, 1000 + 10 * u16::try_from(i % 2).unwrap());
        let (time, rr, none) = (file.long(now), file.word(rr), file.word(0xFFFF));
        file = file
            .put(0, &[&time, &[60]])
            .put(1, &[&rr, &none, &none, &none, &none]);
    }
    file
}

#[test]
fn beats_of_an_activity_give_an_rmssd_for_each_five_minutes() {
    for big_endian in [false, true] {
        // 400 seconds from 07:10:00: a window to 07:14:59, one of 100 beats to 07:16:39.
        let (told, skips) = told(&activity(big_endian, 400).end());
        assert_eq!(told, [rmssd(10.0, "07:14:59"), rmssd(10.0, "07:16:39")]);
        assert_eq!(skips, []);
    }
}

#[test]
fn a_night_is_its_stages_up_to_their_instants() {
    let file = File::default()
        .define(0, 0, &[(0, 1, 0x00), (1, 2, 0x84), (3, 4, 0x8C)])
        .put(0, &[&[49], &1_u16.to_le_bytes(), &99_u32.to_le_bytes()])
        .define(1, 21, &[(253, 4, 0x86), (0, 1, 0), (1, 1, 0)])
        .define(2, 275, &[(253, 4, 0x86), (0, 1, 0)])
        .define(3, 371, &[(253, 4, 0x86), (0, 2, 0x84)]);
    let event =
        |file: File, time: &str, kind: u8| file.put(1, &[&seconds(time).to_le_bytes(), &[74], &[kind]]);
    let stage = |file: File, time: &str, level: u8| file.put(2, &[&seconds(time).to_le_bytes(), &[level]]);
    let mut file = event(file, "00:10:00", 0);
    for (time, level) in [
        ("00:20:00", 1),
        ("02:00:00", 2),
        ("03:00:00", 3),
        ("03:10:00", 1),
        ("05:00:00", 4),
        ("05:30:00", 0),
    ] {
        file = stage(file, time, level);
    }
    // 5120 / 128 = 40 ms; 0xFFFF is none.
    file = file
        .put(3, &[&seconds("04:00:00").to_le_bytes(), &5120_u16.to_le_bytes()])
        .put(3, &[&seconds("04:05:00").to_le_bytes(), &[0xFF, 0xFF]]);
    file = event(file, "05:30:00", 1);
    // A stage without a begin before it tells nothing.
    let file = stage(file, "23:00:00", 2).end();
    let source = [1_u16.to_le_bytes().as_slice(), 99_u32.to_le_bytes().as_slice()].concat();
    let slept = |from, until| {
        SourceReading::Asleep(SleepStretch {
            from: at(from),
            until: at(until),
            source: SleepStretch::source(&setup(Vec::new()).key, &source),
            staged: true,
        })
    };
    assert_eq!(
        told(&file),
        (
            vec![
                slept("00:20:00", "02:00:00"),
                slept("02:00:00", "03:00:00"),
                slept("03:10:00", "05:00:00"),
                rmssd(40.0, "04:00:00"),
            ],
            vec![]
        )
    );
}

#[test]
fn compressed_times_developer_fields_and_files_after_each_other_are_read() {
    // A compressed head: a bit, local number 1 in two, the time in five. 30 s after the last full time, then over the edge.
    let full = seconds("07:10:00") & !0x1F;
    let mut file = File::default()
        .define(0, 20, &[(253, 4, 0x86)])
        .put(0, &[&full.to_le_bytes()])
        .define(1, 371, &[(0, 2, 0x84)])
        .put(0b1011_1110, &[&5120_u16.to_le_bytes()])
        .put(0b1010_0010, &[&2560_u16.to_le_bytes()]);
    // With a developer's field of 3 bytes after its own.
    file.data.extend([
        0x40 | 0x20 | 2,
        0,
        0,
        115,
        1,
        2,
        253,
        4,
        0x86,
        0,
        2,
        0x84,
        1,
        7,
        3,
        0,
    ]);
    let file = file
        .put(
            2,
            &[&(full + 60).to_le_bytes(), &3840_u16.to_le_bytes(), &[1, 2, 3]],
        )
        .end();
    let instant = |s: u32| Timestamp::from_ms((i64::from(full + s)) * 1000 + 631_065_600_000);
    let value =
        |ms, s| SourceReading::Sample(FeatureSample::new(WellnessFeature::Rmssd, ms, instant(s)).unwrap());
    // 371 is 0x0173: 115 and 1.
    let expected = vec![value(40.0, 30), value(20.0, 34), value(30.0, 60)];
    assert_eq!(told(&file), (expected.clone(), vec![]));
    assert_eq!(
        told(&[file.clone(), file].concat()),
        ([expected.clone(), expected].concat(), vec![])
    );
}

#[test]
fn a_file_that_is_wrong_says_where_and_keeps_what_came_before() {
    let good = activity(false, 400).end();
    let all = told(&good).0;
    // Header, two definitions of 12 and 9 bytes, then 6 and 11 bytes a second; cut within the head of second 300.
    let cut = 14 + 12 + 9 + 300 * 17 + 3;
    let mut flipped = good.clone();
    flipped[100] ^= 1;
    let mut unknown = activity(false, 400);
    unknown.data.push(7);
    for (name, bytes, expected, code, item) in [
        (
            "cut",
            good[..cut].to_vec(),
            vec![rmssd(10.0, "07:14:59")],
            "AGENT-207",
            format!("a.fit (byte {})", cut - 3),
        ),
        (
            "a bit that flipped",
            flipped,
            vec![],
            "AGENT-210",
            format!("a.fit (byte {})", good.len() - 2),
        ),
        (
            "a message that was not defined",
            unknown.end(),
            all,
            "AGENT-206",
            format!("a.fit (byte {})", good.len() - 2),
        ),
        (
            "something else",
            b"PK\x03\x04 and so on and on".to_vec(),
            vec![],
            "AGENT-210",
            "a.fit (byte 0)".to_owned(),
        ),
        (
            "too short",
            vec![14, 0],
            vec![],
            "AGENT-210",
            "a.fit (byte 0)".to_owned(),
        ),
    ] {
        assert_eq!(told(&bytes), (expected, vec![(code.to_owned(), item)]), "{name}");
    }
    assert_eq!(told(&[]), (vec![], vec![]));
}

#[test]
fn a_file_without_beats_and_sleep_says_that_nothing_of_it_is_read() {
    // An activity with its heart rate each second, which is no beat.
    let mut file = File::default().define(0, 20, &[(253, 4, 0x86), (3, 1, 0x02)]);
    for i in 0..400 {
        let time = file.long(seconds("07:10:00") + i);
        file = file.put(0, &[&time, &[60]]);
    }
    let nothing = vec![("AGENT-214".to_owned(), "a.fit".to_owned())];
    assert_eq!(told(&file.end()), (vec![], nothing.clone()));
    // Beats that the watch could not measure; only 19 differences are named as such.
    let unmeasured = File::default()
        .define(0, 78, &[(253, 4, 0x86), (0, 2, 0x84)])
        .put(0, &[&seconds("07:10:00").to_le_bytes(), &[0xFF, 0xFF]]);
    assert_eq!(told(&unmeasured.end()), (vec![], nothing));
    let few = vec![("AGENT-202".to_owned(), "a.fit".to_owned())];
    assert_eq!(told(&activity(false, 20).end()), (vec![], few));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..600),
        at in 0..600_usize,
    ) {
        told(&bytes);
        // With a right frame around them, so that they are looked at.
        told(&File { data: bytes.clone(), big_endian: false }.end());
        let mut data = activity(false, 40).data;
        data.truncate(at);
        data.extend(bytes);
        told(&File { data, big_endian: false }.end());
    }
}
