//! Reading source files and signals in bounds: one table per promise.

use super::*;
use crate::testing::t;
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

/// Code, item and line of a skip.
type Named = (String, String, Option<u64>);

const AT: &str = "2026-11-03T12:00:00Z";

fn line(id: &str, at: &str) -> String {
    format!(r#"{{"id":"{id}","at":"{at}","source":"phone","kind":"dnd","payload":{{"active":true}}}}"#)
}

fn append(path: &Path, text: &str) {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Reads a file once: the ids that came, and the skips as (code, item, line).
fn read(reader: &mut JsonlReader, source: &Path, at: &str) -> (Vec<String>, Vec<Named>) {
    let mut report = IngestReport::default();
    let mut ids = Vec::new();
    reader.read(&[source.to_owned()], t(at), &mut report, &mut |signal, _, _| {
        ids.push(signal.id.to_string());
    });
    assert_eq!(report.skipped as usize, report.skips.len());
    let skips = report
        .skips
        .into_iter()
        .map(|s| (s.code, s.item, s.line))
        .collect();
    (ids, skips)
}

#[test]
fn reads_each_line_once_as_the_file_grows_and_leaves_a_torn_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("n.jsonl");
    let mut reader = JsonlReader::default();
    let torn = line("c", AT);
    let (head, tail) = torn.split_at(20);
    append(&file, &format!("{}\n{}\n{head}", line("a", AT), line("b", AT)));
    assert_eq!(read(&mut reader, &file, AT).0, ["a", "b"]);
    assert_eq!(read(&mut reader, &file, AT).0, Vec::<String>::new());
    append(&file, &format!("{tail}\n"));
    assert_eq!(read(&mut reader, &file, AT).0, ["c"]);
}

#[test]
fn skips_a_bad_line_and_a_long_line_by_number_and_keeps_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("n.jsonl");
    let long = format!("{{\"x\":\"{}\"}}", "y".repeat(jsonl::MAX_LINE));
    let not_utf8 = String::from_utf8_lossy(b"\xff").into_owned();
    append(
        &file,
        &format!(
            "{}\nnonsense\n\n{long}\n{not_utf8}\n{}\n",
            line("a", AT),
            line("b", AT)
        ),
    );
    let (ids, skips) = read(&mut JsonlReader::default(), &file, AT);
    assert_eq!(ids, ["a", "b"]);
    let name = "n.jsonl".to_owned();
    assert_eq!(
        skips,
        [
            ("AGENT-004".to_owned(), name.clone(), Some(2)),
            ("AGENT-003".to_owned(), name.clone(), Some(4)),
            ("AGENT-004".to_owned(), name, Some(5)),
        ]
    );
}

#[test]
fn leaves_what_is_dated_later_and_loses_none_of_it_over_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("n.jsonl");
    append(
        &file,
        &format!(
            "{}\n{}\n{}\n",
            line("a", AT),
            line("later", "2026-11-03T12:00:01Z"),
            line("b", AT)
        ),
    );
    let mut reader = JsonlReader::default();
    assert_eq!(read(&mut reader, &file, AT).0, ["a", "b"]);
    let mut restarted = JsonlReader::default();
    restarted.restore(reader.marks());
    assert_eq!(read(&mut reader, &file, "2026-11-03T12:00:01Z").0, ["later"]);
    // The restarted one goes on before the first waiting line; `b` comes twice and its id tells so.
    assert_eq!(
        read(&mut restarted, &file, "2026-11-03T12:00:01Z").0,
        ["later", "b"]
    );
    assert_eq!(restarted.marks(), reader.marks());
}

#[test]
fn reads_a_file_anew_that_became_shorter() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("n.jsonl");
    let mut reader = JsonlReader::default();
    append(&file, &format!("{}\n{}\n", line("a", AT), line("b", AT)));
    read(&mut reader, &file, AT);
    fs::write(&file, format!("{}\n", line("c", AT))).unwrap();
    assert_eq!(read(&mut reader, &file, AT).0, ["c"]);
}

#[test]
fn names_a_missing_source_once_and_never_its_folders() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = IngestReport::default();
    let missing = dir.path().join("gone");
    assert_eq!(files(&[missing], &[], &mut report), []);
    let skip = SkippedItem {
        code: "AGENT-001".to_owned(),
        item: "gone".to_owned(),
        line: None,
        count: 1,
        message: SOURCE_UNREADABLE.message.to_owned(),
    };
    assert_eq!(report.skips, [skip]);
}

#[test]
fn walks_folders_in_order_without_hidden_files_links_to_folders_and_pipes() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["b.eml", "a/z.EML", "a/c.txt", ".hidden.eml", "a/.h/d.eml"] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    std::os::unix::fs::symlink(dir.path(), dir.path().join("a/loop")).unwrap();
    let mut report = IngestReport::default();
    let names: Vec<String> = files(&[dir.path().to_owned()], &["eml"], &mut report)
        .into_iter()
        .map(|f| f.name)
        .collect();
    assert_eq!(names, ["a/z.EML", "b.eml"]);
    assert_eq!(report, IngestReport::default());
}

#[test]
fn skips_a_file_beyond_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("big.ics");
    File::create(&path).unwrap().set_len(files::MAX_FILE + 1).unwrap();
    let mut report = IngestReport::default();
    assert_eq!(files(&[path], &[], &mut report), []);
    assert_eq!(report.skips.first().map(|s| s.code.as_str()), Some("AGENT-002"));
}

#[test]
fn counts_every_skip_and_names_sixteen() {
    let mut report = IngestReport::default();
    for n in 0..20 {
        report.skip(NOT_A_SIGNAL, &n.to_string(), Some(n));
    }
    assert_eq!((report.skipped, report.skips.len()), (20, 16));
}

#[test]
fn a_file_of_bad_lines_leaves_room_for_the_names_of_others() {
    let mut report = IngestReport::default();
    for n in 1..=40 {
        report.skip(NOT_A_SIGNAL, "bad", Some(n));
    }
    report.skip(LINE_TOO_LONG, "bad", Some(41));
    report.skip(NOT_A_SIGNAL, "other", Some(1));
    let named: Vec<_> = report
        .skips
        .iter()
        .map(|skip| (skip.item.as_str(), skip.line, skip.count))
        .collect();
    let mut expected: Vec<_> = (1..=7).map(|n| ("bad", Some(n), 1)).collect();
    // 40 less the seven that have a line.
    expected.extend([("bad", None, 33), ("bad", Some(41), 1), ("other", Some(1), 1)]);
    assert_eq!((report.skipped, named), (42, expected));
}

#[test]
fn the_inbox_drops_the_oldest_counts_them_and_holds_back_what_is_dated_later() {
    let mut inbox = SignalInbox::default();
    let signals = (0..1026)
        .map(|n| serde_json::from_str(&line(&format!("s{n}"), AT)).unwrap())
        .collect();
    inbox.accept(signals);
    inbox.accept(vec![
        serde_json::from_str(&line("later", "2026-11-03T13:00:00Z")).unwrap(),
    ]);
    let mut report = IngestReport::default();
    let taken = inbox.take(t(AT), &[SignalKind::Dnd], &mut report);
    let ends = (
        taken.first().unwrap().id.as_str(),
        taken.last().unwrap().id.as_str(),
    );
    assert_eq!((taken.len(), ends), (1023, ("s3", "s1025")));
    assert_eq!((report.skipped, report.skips.len()), (3, 1));
    let mut report = IngestReport::default();
    assert_eq!(inbox.take(t("2026-11-03T13:00:00Z"), &[], &mut report), []);
    assert_eq!(
        report.skips.first().map(|s| (s.code.as_str(), s.item.as_str())),
        Some(("AGENT-005", "later"))
    );
}

#[test]
fn a_panicking_parser_costs_its_item_only() {
    assert_eq!(guarded(|| 7), Some(7));
    assert_eq!(guarded(|| -> u8 { panic!("broken") }), None);
}

#[test]
fn every_code_has_its_page_and_a_message_that_the_schema_admits() {
    let codes = [
        SOURCE_UNREADABLE,
        FILE_TOO_LARGE,
        LINE_TOO_LONG,
        NOT_A_SIGNAL,
        WRONG_PAYLOAD,
        TOO_MANY_FILES,
        INBOX_FULL,
        PARSER_GAVE_UP,
        crate::mail::eml::NOT_A_MAIL,
        crate::mail::eml::NO_DATE,
    ];
    for SkipCode { code, message } in codes {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/errors/{code}.md"));
        let text = fs::read_to_string(&page).unwrap_or_default();
        assert!(text.starts_with(&format!("# {code}: ")), "{code}");
        assert!((1..=200).contains(&message.len()), "{code}");
    }
}
