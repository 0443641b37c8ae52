//! The quarantine as its callers see it: whole lines, nothing lost in silence.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use aura_memory::quarantine::{
    Entry, Kind, Line, Lost, Quarantine, QuarantineHealth, RawEncoding, Why, list, show,
};
use std::{fs, io::Write as _, os::unix::fs::MetadataExt as _, path::Path, sync::mpsc};
use tempfile::TempDir;
use toolcall_schema::{AgentName, Code, SchemaError, Timestamp, ids::OwnerSeed};

fn entry(n: usize) -> Entry {
    let why = Why {
        code: "GATE-003".to_owned(),
        pointer: String::new(),
        message: "not JSON".to_owned(),
    };
    Entry::new(
        Timestamp::from_ms(i64::try_from(n).unwrap()),
        why,
        "cafe",
        format!("{{{n}").as_bytes(),
    )
}

fn flush(quarantine: &Quarantine) {
    let (tell, told) = mpsc::channel();
    quarantine
        .flush(Box::new(move || tell.send(()).unwrap()))
        .unwrap();
    told.recv().unwrap();
}

fn lines(dir: &Path, kind: Kind) -> Vec<(u64, Line)> {
    list(dir, kind).unwrap().map(Result::unwrap).collect()
}

fn is(n: u64, entry: Entry) -> (u64, Line) {
    (n, Line::Entry(Box::new(entry)))
}

#[test]
fn line_has_exactly_the_named_fields() {
    let dir = TempDir::new().unwrap();
    let quarantine = Quarantine::open(dir.path()).unwrap();
    let error = SchemaError {
        code: Code::Gate009,
        pointer: "/args/ttl_seconds".to_owned(),
        keyword: "maximum".to_owned(),
        limit: Some("3600".to_owned()),
        message: "must be at most 3600".to_owned(),
    };
    let seed = OwnerSeed::of_day("quarantine");
    let full = Entry {
        agent: Some(AgentName::Comms),
        tool: Some("mute_channel".to_owned()),
        trace_id: Some(seed.trace_id(1)),
        ..Entry::new(Timestamp::from_ms(1_762_137_900_000), &error, "cafe", b"abc")
    };
    quarantine.record(Kind::Calls, full.clone());
    quarantine.record(
        Kind::Results,
        Entry::new(Timestamp::from_ms(0), &error, "cafe", &[0xFF, 0x00]),
    );
    quarantine.record(Kind::Traces, full.clone().showing(b"a.."));
    flush(&quarantine);
    // SHA-256 of "abc": FIPS 180-2, appendix B.1.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let line = |raw: &str| {
        format!(
            "{{\"ts\":\"2025-11-03T02:45:00.000Z\",\"code\":\"GATE-009\",\"pointer\":\"/args/ttl_seconds\",\
             \"message\":\"must be at most 3600\",\"agent\":\"comms\",\"tool\":\"mute_channel\",\"call_id\":null,\
             \"trace_id\":\"{}\",\"catalogue_hash\":\"cafe\",\"sha256\":\"{abc}\",\"bytes\":3,\"raw\":\"{raw}\"}}\n",
            seed.trace_id(1)
        )
    };
    let text = |kind: Kind| fs::read_to_string(kind.path(dir.path())).unwrap();
    assert_eq!(text(Kind::Calls), line("abc"));
    assert_eq!(text(Kind::Traces), line("a.."));
    assert!(
        text(Kind::Results).ends_with(",\"bytes\":2,\"raw\":\"/wA=\",\"raw_encoding\":\"base64\"}\n"),
        "{}",
        text(Kind::Results)
    );
    assert_eq!(lines(dir.path(), Kind::Calls), [is(1, full)]);
    let Some(Line::Entry(binary)) = show(dir.path(), Kind::Results, 1).unwrap() else {
        panic!("an entry")
    };
    assert_eq!(
        (binary.raw.as_str(), binary.raw_encoding),
        ("/wA=", Some(RawEncoding::Base64))
    );
    assert_eq!(show(dir.path(), Kind::Results, 2).unwrap(), None);
    for kind in Kind::ALL {
        assert_eq!(
            fs::metadata(kind.path(dir.path())).unwrap().mode() & 0o7777,
            0o600
        );
    }
}

#[test]
fn eight_threads_never_interleave() {
    let dir = TempDir::new().unwrap();
    let quarantine = Quarantine::open(dir.path()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let quarantine = &quarantine;
            scope.spawn(move || {
                for n in 0..50 {
                    quarantine.record(Kind::Calls, entry(thread * 50 + n));
                }
            });
        }
    });
    drop(quarantine);
    let mut got: Vec<Entry> = lines(dir.path(), Kind::Calls)
        .into_iter()
        .map(|(_, line)| match line {
            Line::Entry(entry) => *entry,
            Line::Lost(_) | Line::Unreadable { .. } | Line::Torn { .. } => panic!("only whole entries"),
        })
        .collect();
    got.sort_by_key(|entry| entry.ts);
    assert_eq!(got, (0..400).map(entry).collect::<Vec<_>>());
}

#[test]
fn overflow_leaves_one_line_with_the_number_lost() {
    let dir = TempDir::new().unwrap();
    let quarantine = Quarantine::open(dir.path()).unwrap();
    // The writer stands still until it is let go.
    let ((tell, told), (go, wait)) = (mpsc::channel(), mpsc::channel::<()>());
    quarantine
        .flush(Box::new(move || {
            tell.send(()).unwrap();
            wait.recv().unwrap();
        }))
        .unwrap();
    told.recv().unwrap();
    for n in 1..=1029 {
        quarantine.record(Kind::Results, entry(n));
    }
    assert_eq!(quarantine.flush(Box::new(|| ())).unwrap_err().code(), "STORE-006");
    go.send(()).unwrap();
    while quarantine.health().written < 1024 {
        std::thread::yield_now();
    }
    flush(&quarantine);
    let health = QuarantineHealth {
        written: 1024,
        overflowed: 5,
        failed: 0,
    };
    assert_eq!(quarantine.health(), health);
    let mut expected: Vec<_> = (1..=1024).map(|n| is(n as u64, entry(n))).collect();
    let lost = Lost {
        ts: Timestamp::from_ms(1029),
        code: "QUAR-001".to_owned(),
        dropped: 5,
    };
    expected.push((1025, Line::Lost(lost)));
    assert_eq!(lines(dir.path(), Kind::Results), expected);
}

#[test]
fn torn_tail_is_set_aside_and_the_whole_lines_stay() {
    let dir = TempDir::new().unwrap();
    let path = Kind::Calls.path(dir.path());
    let write = |n| {
        let quarantine = Quarantine::open(dir.path()).unwrap();
        quarantine.record(Kind::Calls, entry(n));
    };
    let tear = |tail: &[u8]| {
        fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(tail)
            .unwrap();
    };
    write(1);
    tear(b"{\"ts\":\"2026-");
    assert_eq!(
        lines(dir.path(), Kind::Calls),
        [is(1, entry(1)), (2, Line::Torn { bytes: 12 })]
    );
    write(2);
    tear(b"{\"co");
    write(3);
    tear(b"garbage\n");
    write(4);
    assert_eq!(
        lines(dir.path(), Kind::Calls),
        [
            is(1, entry(1)),
            is(2, entry(2)),
            is(3, entry(3)),
            (4, Line::Unreadable { bytes: 7 }),
            is(5, entry(4))
        ]
    );
    let aside = |n: u32| fs::read(path.with_file_name(format!("quarantine_calls.jsonl.torn-{n}"))).unwrap();
    assert_eq!(
        (aside(1), aside(2)),
        (b"{\"ts\":\"2026-".to_vec(), b"{\"co".to_vec())
    );
}

#[test]
fn nothing_refused_is_an_empty_list_and_no_folder_is_an_error() {
    let dir = TempDir::new().unwrap();
    assert_eq!(lines(dir.path(), Kind::Calls), []);
    let Err(error) = list(&dir.path().join("nowhere"), Kind::Calls) else {
        panic!("a missing folder")
    };
    assert_eq!(error.code(), "STORE-004");
}

#[test]
fn debug_output_holds_nothing_from_outside() {
    let entry = entry(7).showing(b"a secret");
    assert_eq!(
        format!("{entry:?}"),
        format!(
            "Entry {{ ts: Timestamp(7), code: \"GATE-003\", sha256: {:?}, bytes: 2, .. }}",
            entry.sha256
        )
    );
}
