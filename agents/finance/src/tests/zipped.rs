//! Archives of statements, made here. What is expected is worked out from the files in them by hand.

use super::{
    statements::{importing, lines, skips, with_sources},
    *,
};
use agents_base::contract::SourcePaths;
use std::io::Write as _;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// A day of MT940: one payment.
fn mt940(day: u32, amount: u32) -> String {
    format!(
        ":20:X\r\n:25:12345678/0000008841\r\n:60F:C261101EUR1,00\r\n:61:26110{day}110{day}D{amount},NTRFNONREF\r\n:86:Shop\r\n:62F:C26110{day}EUR1,00\r\n-\r\n"
    )
}

fn camt(amount: u32) -> String {
    format!(
        "<?xml version='1.0'?><Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE02123456780000008841</IBAN></Id></Acct>\
         <Ntry><Amt Ccy='EUR'>{amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-03</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>"
    )
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut made = std::io::Cursor::new(Vec::new());
    let mut zip = ZipWriter::new(&mut made);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    made.into_inner()
}

#[test]
fn statements_in_an_archive_are_read_as_if_they_lay_beside_it() {
    let (first, second) = (mt940(4, 2), mt940(5, 3));
    let (first, second) = (first.as_bytes(), second.as_bytes());
    let xml = camt(1);
    let zipped = archive(&[
        ("2026/a.sta", first),
        ("2026/b.STA", second),
        ("c.xml", xml.as_bytes()),
        ("feed.xml", b"<rss/>"),
        ("readme.txt", b"hello"),
        ("d.csv", b"Date,Amount,Payee\n2026-11-06,-9.00,Shop\n"),
        ("__MACOSX/2026/._a.sta", b"\0"),
        (
            "bad.sta",
            b":20:X\r\n:25:1\r\n:60F:C261101EUR1,00\r\n:61:26113Xbad\r\n:62F:C261105EUR1,00\r\n-\r\n",
        ),
    ]);
    // The first of them lies beside it, unpacked.
    let files: [(&str, &[u8]); 2] = [("st.zip", &zipped), ("a.sta", first)];
    let (_folder, mut agent) = importing(&files, "");
    let answer = ingest(&mut agent, t(NOW));
    let mut read = lines(&agent);
    read.sort();
    assert_eq!(
        read,
        [
            "2026-11-03 debit 1 EUR 8841 other",
            "2026-11-04 debit 2 EUR 8841 other",
            "2026-11-05 debit 3 EUR 8841 other",
        ]
    );
    assert_eq!(skips(&answer), [("AGENT-106", "st.zip/bad.sta", Some(4))]);
    assert_eq!(ingest(&mut agent, t(NOW)).taken, 0, "it is read once");
}

#[test]
fn an_archive_without_statements_is_said_where_the_owner_named_it() {
    let health = archive(&[("apple_health_export/export.xml", b"<HealthData></HealthData>")]);
    let (_folder, mut agent) = importing(&[("export.zip", &health)], "");
    assert_eq!(ingest(&mut agent, t(NOW)).skips, []);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.zip");
    std::fs::write(&file, &health).unwrap();
    let sources = SourcePaths {
        finance: vec![file],
        ..SourcePaths::default()
    };
    let answer = ingest(&mut with_sources(sources, ""), t(NOW));
    assert_eq!(skips(&answer), [("AGENT-105", "export.zip", None)]);
}

#[test]
fn what_cannot_be_unpacked_is_named_and_everything_else_is_read() {
    let good = mt940(4, 2);
    // One byte more than is read of a statement.
    let huge = vec![b' '; 64 * 1024 * 1024 + 1];
    let zipped = archive(&[("huge.sta", &huge), ("good.sta", good.as_bytes())]);
    let mut cut = archive(&[("good.sta", good.as_bytes())]);
    cut.truncate(cut.len() - 30);
    let files: [(&str, &[u8]); 3] = [("a.zip", &zipped), ("b.zip", &cut), ("c.zip", b"")];
    let (_folder, mut agent) = importing(&files, "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-124", "a.zip/huge.sta", None),
            ("AGENT-124", "b.zip", None),
            ("AGENT-124", "c.zip", None),
        ]
    );
    assert_eq!(lines(&agent), ["2026-11-04 debit 2 EUR 8841 other"]);
}

#[test]
fn an_archive_of_statements_is_told_by_the_names_in_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, holds) in [
        ("a.sta", true),
        ("x/2026-11-03_CAMT053.xml", true),
        ("export.xml", false),
        ("a.csv", false),
    ] {
        let file = folder.path().join("a.zip");
        std::fs::write(&file, archive(&[(name, b"x")])).unwrap();
        assert_eq!(holds_statements(&file), holds, "{name}");
    }
    assert!(!holds_statements(&folder.path().join("missing.zip")));
}
