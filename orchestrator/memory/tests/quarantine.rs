//! The quarantine as its callers see it: whole lines, nothing lost in silence.

use aura_memory::{
    AgeReference,
    quarantine::{
        DiskUsage, LostEntries, PurgeCounts, QuarantineEntry, QuarantineHealth, QuarantineKind,
        QuarantineLimits, QuarantineLine, QuarantineReader, QuarantineWriter, RawEncoding, file_path, list,
        on_disk, purge_stopped, read, show,
    },
};
use std::{fs, io::Write as _, os::unix::fs::MetadataExt as _, path::Path, sync::mpsc};
use tempfile::TempDir;
use toolcall_schema::{AgentName, Code, SchemaError, Timestamp, ids::OwnerSeed, rejection::RefusalReason};

fn entry(n: usize) -> QuarantineEntry {
    let why = RefusalReason {
        code: "GATE-003".to_owned(),
        pointer: String::new(),
        message: "not JSON".to_owned(),
    };
    QuarantineEntry::new(
        Timestamp::from_ms(i64::try_from(n).unwrap()),
        why,
        "cafe",
        format!("{{{n}").as_bytes(),
    )
}

fn flush(quarantine: &QuarantineWriter) {
    let (tell, told) = mpsc::channel();
    quarantine
        .flush(Box::new(move || tell.send(()).unwrap()))
        .unwrap();
    told.recv().unwrap();
}

fn lines(dir: &Path, kind: QuarantineKind) -> Vec<(u64, QuarantineLine)> {
    list(dir, kind).unwrap().map(Result::unwrap).collect()
}

fn is(n: u64, entry: QuarantineEntry) -> (u64, QuarantineLine) {
    (n, QuarantineLine::Entry(Box::new(entry)))
}

#[test]
fn line_has_exactly_the_named_fields() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    let error = SchemaError {
        code: Code::Gate009,
        pointer: "/args/ttl_seconds".to_owned(),
        keyword: "maximum".to_owned(),
        limit: Some("3600".to_owned()),
        message: "must be at most 3600".to_owned(),
    };
    let seed = OwnerSeed::from_day_seed("quarantine");
    let full = QuarantineEntry {
        agent: Some(AgentName::Comms),
        tool: Some("mute_channel".to_owned()),
        trace_id: Some(seed.trace_id(1)),
        ..QuarantineEntry::new(Timestamp::from_ms(1_762_137_900_000), &error, "cafe", b"abc")
    };
    quarantine.record(QuarantineKind::Calls, full.clone());
    quarantine.record(
        QuarantineKind::Results,
        QuarantineEntry::new(Timestamp::from_ms(0), &error, "cafe", &[0xFF, 0x00]),
    );
    quarantine.record(QuarantineKind::Traces, full.clone().showing(b"a.."));
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
    let text = |kind: QuarantineKind| fs::read_to_string(file_path(kind, dir.path())).unwrap();
    assert_eq!(text(QuarantineKind::Calls), line("abc"));
    assert_eq!(text(QuarantineKind::Traces), line("a.."));
    assert!(
        text(QuarantineKind::Results)
            .ends_with(",\"bytes\":2,\"raw\":\"/wA=\",\"raw_encoding\":\"base64\"}\n"),
        "{}",
        text(QuarantineKind::Results)
    );
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), [is(1, full)]);
    let Some(QuarantineLine::Entry(binary)) = show(dir.path(), QuarantineKind::Results, 1).unwrap() else {
        panic!("an entry")
    };
    assert_eq!(
        (binary.raw.as_str(), binary.raw_encoding),
        ("/wA=", Some(RawEncoding::Base64))
    );
    assert_eq!(show(dir.path(), QuarantineKind::Results, 2).unwrap(), None);
    for kind in [
        QuarantineKind::Calls,
        QuarantineKind::Results,
        QuarantineKind::Traces,
    ] {
        assert_eq!(
            fs::metadata(file_path(kind, dir.path())).unwrap().mode() & 0o7777,
            0o600
        );
    }
}

#[test]
fn eight_threads_never_interleave() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let quarantine = &quarantine;
            scope.spawn(move || {
                for n in 0..50 {
                    quarantine.record(QuarantineKind::Calls, entry(thread * 50 + n));
                }
            });
        }
    });
    drop(quarantine);
    let mut got: Vec<QuarantineEntry> = lines(dir.path(), QuarantineKind::Calls)
        .into_iter()
        .map(|(_, line)| match line {
            QuarantineLine::Entry(entry) => *entry,
            QuarantineLine::Lost(_) | QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. } => {
                panic!("only whole entries")
            }
        })
        .collect();
    got.sort_by_key(|entry| entry.ts);
    assert_eq!(got, (0..400).map(entry).collect::<Vec<_>>());
}

#[test]
fn overflow_leaves_one_line_with_the_number_lost() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
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
        quarantine.record(QuarantineKind::Results, entry(n));
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
        ..QuarantineHealth::default()
    };
    assert_eq!(quarantine.health(), health);
    let mut expected: Vec<_> = (1..=1024).map(|n| is(n as u64, entry(n))).collect();
    let lost = LostEntries {
        ts: Timestamp::from_ms(1029),
        code: "QUAR-001".to_owned(),
        dropped: 5,
    };
    expected.push((1025, QuarantineLine::Lost(lost)));
    assert_eq!(lines(dir.path(), QuarantineKind::Results), expected);
}

#[test]
fn torn_tail_is_set_aside_and_the_whole_lines_stay() {
    let dir = TempDir::new().unwrap();
    let path = file_path(QuarantineKind::Calls, dir.path());
    let write = |n| {
        let quarantine = QuarantineWriter::open(dir.path()).unwrap();
        quarantine.record(QuarantineKind::Calls, entry(n));
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
        lines(dir.path(), QuarantineKind::Calls),
        [is(1, entry(1)), (2, QuarantineLine::Torn { bytes: 12 })]
    );
    write(2);
    tear(b"{\"co");
    write(3);
    tear(b"garbage\n");
    write(4);
    assert_eq!(
        lines(dir.path(), QuarantineKind::Calls),
        [
            is(1, entry(1)),
            is(2, entry(2)),
            is(3, entry(3)),
            (4, QuarantineLine::Unreadable { bytes: 7 }),
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
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), []);
    let Err(error) = list(&dir.path().join("nowhere"), QuarantineKind::Calls) else {
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
            "QuarantineEntry {{ ts: Timestamp(7), code: \"GATE-003\", sha256: {:?}, bytes: 2, .. }}",
            entry.sha256
        )
    );
}

/// Small files: two entries of [`entry`] below 10 each, and no third.
const SMALL: QuarantineLimits = QuarantineLimits {
    part_bytes: 600,
    ..QuarantineLimits::DEFAULT
};

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir.join("errors"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("calls"))
        .collect();
    names.sort();
    names
}

fn purged(purge: impl FnOnce(aura_memory::quarantine::PurgeAck)) -> PurgeCounts {
    let (tell, told) = mpsc::channel();
    purge(Box::new(move |done| tell.send(done.unwrap()).unwrap()));
    told.recv().unwrap()
}

#[test]
fn full_file_is_sealed_and_readers_go_on_across_it() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open_with(dir.path(), SMALL).unwrap();
    let mut reader = QuarantineReader::open(dir.path(), QuarantineKind::Calls).unwrap();
    assert_eq!(reader.next_line().unwrap(), None);
    for n in 1..=5 {
        quarantine.record(QuarantineKind::Calls, entry(n));
        flush(&quarantine);
        assert_eq!(reader.next_line().unwrap(), Some(is(n as u64, entry(n))));
        assert_eq!(reader.next_line().unwrap(), None, "nothing comes twice");
    }
    let kept: Vec<_> = (1..=5).map(|n| is(n as u64, entry(n))).collect();
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), kept);
    assert_eq!(
        names(dir.path()),
        [
            "quarantine_calls.jsonl",
            "quarantine_calls.jsonl.1",
            "quarantine_calls.jsonl.2"
        ]
    );
    let bytes: u64 = kept.iter().map(|_| line_of(1).len() as u64).sum();
    assert_eq!(
        on_disk(dir.path(), QuarantineKind::Calls).unwrap(),
        DiskUsage {
            files: 3,
            bytes,
            torn_files: 0
        }
    );

    // Killed between the rename and the new file.
    drop(quarantine);
    fs::rename(
        dir.path().join("errors/quarantine_calls.jsonl"),
        dir.path().join("errors/quarantine_calls.jsonl.3"),
    )
    .unwrap();
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), kept);
    assert_eq!(reader.next_line().unwrap(), None);
    drop(QuarantineWriter::open(dir.path()).unwrap());
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), kept);
    assert_eq!(reader.next_line().unwrap(), None);
}

fn line_of(n: usize) -> String {
    format!("{}\n", serde_json::to_string(&entry(n)).unwrap())
}

#[test]
fn purging_removes_what_is_older_and_keeps_the_rest_byte_for_byte() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join("errors").join(name);
    let quarantine = QuarantineWriter::open_with(dir.path(), SMALL).unwrap();
    let mut reader = QuarantineReader::open(dir.path(), QuarantineKind::Calls).unwrap();
    for n in 1..=3 {
        quarantine.record(QuarantineKind::Calls, entry(n));
    }
    flush(&quarantine);
    // A foreign line is as old as the one before it; spaces show whether a line was written anew.
    let odd = line_of(4).replace("\"code\"", "  \"code\"");
    let mut foreign = fs::OpenOptions::new()
        .append(true)
        .open(path("quarantine_calls.jsonl"))
        .unwrap();
    foreign.write_all(format!("not ours\n{odd}").as_bytes()).unwrap();
    drop(foreign);
    fs::write(path("quarantine_calls.jsonl.torn-1"), "half").unwrap();
    assert_eq!(
        std::iter::from_fn(|| reader.next_line().unwrap()).count(),
        5,
        "a reader that has seen everything"
    );

    // Of 1 and 2 in the sealed file, 3, "not ours" and 4 in the other, only 4 is young enough.
    let before = Timestamp::from_ms(4);
    let three = (line_of(1) + &line_of(2) + &line_of(3)).len() as u64 + 9;
    let expected = PurgeCounts {
        lines: 4,
        bytes: three,
        files: 1,
    };
    let dry = purged(|ack| quarantine.purge(before, true, ack).unwrap());
    assert_eq!(
        (dry, lines(dir.path(), QuarantineKind::Calls).len()),
        (expected, 5)
    );
    assert_eq!(purge_stopped(dir.path(), before, true).unwrap(), expected);
    assert_eq!(
        purged(|ack| quarantine.purge(before, false, ack).unwrap()),
        expected
    );
    assert_eq!(
        names(dir.path()),
        [
            "quarantine_calls.jsonl",
            "quarantine_calls.jsonl.2",
            "quarantine_calls.jsonl.torn-1"
        ]
    );
    assert_eq!(fs::read_to_string(path("quarantine_calls.jsonl.2")).unwrap(), odd);
    assert_eq!(
        fs::metadata(path("quarantine_calls.jsonl.2")).unwrap().mode() & 0o7777,
        0o600
    );
    assert_eq!(quarantine.health().purged, 4);

    // The numbers go on, and the reader meets only what is new.
    for n in 5..=7 {
        quarantine.record(QuarantineKind::Calls, entry(n));
    }
    flush(&quarantine);
    let seen: Vec<QuarantineLine> = std::iter::from_fn(|| reader.next_line().unwrap())
        .map(|(_, line)| line)
        .collect();
    let entries: Vec<QuarantineLine> = (5..=7)
        .map(|n| QuarantineLine::Entry(Box::new(entry(n))))
        .collect();
    assert_eq!(seen, entries);
    let kept: Vec<_> = (4..=7).map(|n| is(n as u64 - 3, entry(n))).collect();
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), kept);
}

#[test]
fn lines_are_kept_thirty_days_to_the_millisecond() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    for n in [1, 2] {
        quarantine.record(QuarantineKind::Calls, entry(n));
        quarantine.record(QuarantineKind::Traces, entry(n));
    }
    // 2 + 30 × 86 400 000.
    let now = Timestamp::from_ms(2_592_000_002);
    let done = purged(|ack| quarantine.retain(&AgeReference::at(now), ack).unwrap());
    assert_eq!((done.lines, done.files), (2, 0));
    for kind in [QuarantineKind::Calls, QuarantineKind::Traces] {
        assert_eq!(lines(dir.path(), kind), [is(1, entry(2))]);
    }
}

#[test]
fn oldest_sealed_file_goes_when_the_others_take_all_the_room() {
    let dir = TempDir::new().unwrap();
    // Room for one sealed file of two lines.
    let limits = QuarantineLimits {
        keep_bytes: 2 * line_of(1).len() as u64,
        ..SMALL
    };
    let quarantine = QuarantineWriter::open_with(dir.path(), limits).unwrap();
    for n in 1..=5 {
        quarantine.record(QuarantineKind::Calls, entry(n));
    }
    let done = purged(|ack| {
        quarantine
            .retain(&AgeReference::at(Timestamp::from_ms(9)), ack)
            .unwrap();
    });
    assert_eq!((done.lines, done.files), (2, 1));
    let kept: Vec<_> = (3..=5).map(|n| is(n as u64 - 2, entry(n))).collect();
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), kept);
}

#[test]
fn stopped_folder_is_purged_under_its_lock_and_nobody_elses_lock_is_passed() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    quarantine.record(QuarantineKind::Calls, entry(1));
    quarantine.record(QuarantineKind::Calls, entry(2));
    drop(quarantine);
    let path = file_path(QuarantineKind::Calls, dir.path());
    let mut torn = fs::OpenOptions::new().append(true).open(&path).unwrap();
    torn.write_all(b"{\"ha").unwrap();
    // A rewriting that was killed.
    fs::write(dir.path().join("errors/.quarantine_calls.jsonl.1.tmp"), "half").unwrap();
    let before = Timestamp::from_ms(2);
    let (store, _) = aura_memory::Store::open(
        &aura_memory::Vault::demo(dir.path()).unwrap(),
        aura_memory::StoreOptions::default(),
    )
    .unwrap();
    assert_eq!(
        purge_stopped(dir.path(), before, false).unwrap_err().code(),
        "STORE-001"
    );
    drop(store);
    assert_eq!(purge_stopped(dir.path(), before, false).unwrap().lines, 1);
    drop(QuarantineWriter::open(dir.path()).unwrap());
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), [is(1, entry(2))]);
    assert_eq!(
        names(dir.path()),
        [
            "quarantine_calls.jsonl",
            "quarantine_calls.jsonl.1",
            "quarantine_calls.jsonl.torn-1"
        ]
    );
    assert_eq!(
        purge_stopped(&dir.path().join("nowhere"), before, true)
            .unwrap_err()
            .code(),
        "STORE-004"
    );
}

#[test]
fn full_disk_is_counted_and_said_and_the_next_line_after_it_is_kept() {
    let dir = TempDir::new().unwrap();
    let path = file_path(QuarantineKind::Calls, dir.path());
    fs::create_dir(path.parent().unwrap()).unwrap();
    // Every write to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    quarantine.record(QuarantineKind::Calls, entry(4));
    quarantine.record(QuarantineKind::Calls, entry(5));
    quarantine.record(QuarantineKind::Traces, entry(6));
    flush(&quarantine);
    let full = QuarantineHealth {
        written: 1,
        failed: 2,
        failing: true,
        ..QuarantineHealth::default()
    };
    assert_eq!(quarantine.health(), full);

    fs::remove_file(&path).unwrap();
    quarantine.record(QuarantineKind::Calls, entry(7));
    flush(&quarantine);
    let free = QuarantineHealth {
        written: 2,
        failing: false,
        ..full
    };
    assert_eq!(quarantine.health(), free);
    let mut got: Vec<QuarantineLine> = lines(dir.path(), QuarantineKind::Calls)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    got.sort_by_key(QuarantineLine::ts);
    let lost = LostEntries {
        ts: Timestamp::from_ms(5),
        code: "QUAR-001".to_owned(),
        dropped: 2,
    };
    assert_eq!(
        got,
        [
            QuarantineLine::Lost(lost),
            QuarantineLine::Entry(Box::new(entry(7)))
        ]
    );
}

#[test]
fn file_that_somebody_removed_is_made_anew() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    quarantine.record(QuarantineKind::Calls, entry(1));
    flush(&quarantine);
    fs::remove_file(file_path(QuarantineKind::Calls, dir.path())).unwrap();
    quarantine.record(QuarantineKind::Calls, entry(2));
    flush(&quarantine);
    assert_eq!(lines(dir.path(), QuarantineKind::Calls), [is(1, entry(2))]);
}

#[test]
fn line_longer_than_any_of_ours_is_neither_written_nor_held_in_memory() {
    let dir = TempDir::new().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    quarantine.record(QuarantineKind::Calls, entry(1).showing(&vec![0; 2 << 20]));
    quarantine.record(QuarantineKind::Calls, entry(2));
    flush(&quarantine);
    assert_eq!((quarantine.health().written, quarantine.health().failed), (1, 1));
    drop(quarantine);
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(file_path(QuarantineKind::Calls, dir.path()))
        .unwrap();
    file.write_all(&vec![b'x'; 20 << 20]).unwrap();
    file.write_all(format!("\n{}", line_of(3)).as_bytes()).unwrap();
    let all = lines(dir.path(), QuarantineKind::Calls);
    assert_eq!(all[0], is(1, entry(2)));
    assert_eq!(all[2], (3, QuarantineLine::Unreadable { bytes: 20 << 20 }));
    assert_eq!(all[3], is(4, entry(3)));
}

#[test]
fn no_bytes_are_more_than_a_line_that_cannot_be_read() {
    for (bytes, expected) in [
        (&b"\n"[..], QuarantineLine::Unreadable { bytes: 0 }),
        (b"", QuarantineLine::Torn { bytes: 0 }),
        (b"{}\n", QuarantineLine::Unreadable { bytes: 2 }),
        (b"\xff\xfe\n", QuarantineLine::Unreadable { bytes: 2 }),
        (
            b"{\"ts\":\"2026-11-03T02:15:00Z\",\"code\":\"QUAR-002\",\"dropped\":1}\n",
            QuarantineLine::Unreadable { bytes: 59 },
        ),
    ] {
        assert_eq!(read(bytes), expected, "{bytes:?}");
    }
}
