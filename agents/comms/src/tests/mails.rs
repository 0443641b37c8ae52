//! Mails of any charset and shape, answers, dates, files that are none.

use super::*;
use agents_base::mail::eml;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

fn mail(headers: &str, body: &[u8]) -> Vec<u8> {
    [headers.replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body].concat()
}

#[test]
fn reads_mails_of_any_charset_and_shape() {
    let plain = "From: Bo <BO@example.net>\nTo: x@example.org, Rohan <rohan@example.org>\nDate: Tue, 3 Nov 2026 06:55:20 +0530";
    for (headers, body, subject) in [
        (format!("{plain}\nSubject: =?ISO-8859-1?Q?Gr=FC=DFe?="), b"x".to_vec(), "Grüße"),
        (format!("{plain}\nSubject: =?utf-8?B?44GT44KT44Gr44Gh44Gv?="), b"x".to_vec(), "こんにちは"),
        (format!("{plain}\nSubject: =?ISO-2022-JP?B?GyRCJDMkcyRLJEEkTxsoQg==?="), b"x".to_vec(), "こんにちは"),
        (
            format!("{plain}\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: 8bit"),
            b"\xF0\xD2\xC9\xD7\xC5\xD4".to_vec(),
            "Привет",
        ),
        (
            format!("{plain}\nContent-Type: multipart/mixed; boundary=b"),
            b"--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/html\r\n\r\n<p>please <b>sign</b></p>\r\n--c--\r\n--b--\r\n".to_vec(),
            "please sign",
        ),
    ] {
        let Ok(read) = eml::parse(&mail(&headers, &body)) else {
            panic!("{headers} is a mail");
        };
        assert!(read.text.contains(subject), "{subject} not in {}", read.text);
        assert_eq!(read.from, "bo@example.net");
        assert_eq!(read.to, ["x@example.org", "rohan@example.org"]);
        assert_eq!(read.at, Some(t("2026-11-03T01:25:20Z")));
    }
}

#[test]
fn a_broken_date_falls_back_on_the_delivery_and_no_mail_is_no_mail() {
    let received = "Received: from a by b; Tue, 3 Nov 2026 08:00:00 +0000\n";
    for (headers, expected) in [
        ("From: bo@example.net\nDate: yesterday", Ok(None)),
        (
            "From: bo@example.net\nDate: Fri, 31 Feb 2026 10:00:00 +0000",
            Ok(None),
        ),
        ("Subject: no sender", Err("AGENT-010")),
        (
            "From: nobody\nDate: Tue, 3 Nov 2026 08:00:00 +0000",
            Err("AGENT-010"),
        ),
    ] {
        let at = |bytes: &[u8]| eml::parse(bytes).map(|m| m.at).map_err(|code| code.code);
        assert_eq!(at(&mail(headers, b"x")), expected, "{headers}");
        let delivered = expected.map(|_| Some(t("2026-11-03T08:00:00Z")));
        assert_eq!(
            at(&mail(&format!("{received}{headers}"), b"x")),
            delivered,
            "{headers}"
        );
    }
    assert_eq!(
        eml::parse(b"PK\x03\x04 not a mail at all").err().map(|c| c.code),
        Some("AGENT-010")
    );
    assert_eq!(eml::parse(b"").err().map(|c| c.code), Some("AGENT-010"));
}

fn write_mail(dir: &std::path::Path, name: &str, headers: &str, body: &str) {
    std::fs::write(dir.join(name), mail(headers, body.as_bytes())).unwrap();
}

#[test]
fn an_answered_mail_is_not_important_whichever_is_read_first() {
    let at = t(NOON);
    for (ask, answer) in [("a.eml", "b.eml"), ("b.eml", "a.eml")] {
        let dir = tempfile::tempdir().unwrap();
        let mut setup = setup();
        setup.sources.mail = vec![dir.path().to_owned()];
        let mut agent = CommsAgent::new(setup);
        let asks = "From: bo@example.net\nTo: rohan@example.org\nMessage-ID: <ask@x>\nDate: Tue, 3 Nov 2026 10:00:00 +0000";
        write_mail(dir.path(), ask, asks, "please send the key");
        ingest(&mut agent, at);
        let important = |agent: &CommsAgent| agent.tick(&question(at), at).readings.last().map(|r| r.value);
        assert_eq!(important(&agent), Some(1.0));
        let own = "From: rohan@example.org\nTo: bo@example.net\nIn-Reply-To: <ask@x>\nMessage-ID: <r@x>\nDate: Tue, 3 Nov 2026 11:00:00 +0000";
        write_mail(dir.path(), answer, own, "here it is");
        if ask == "b.eml" {
            // Everything anew, the answer first.
            agent = CommsAgent::new(agent.setup.clone());
        }
        let answer = ingest(&mut agent, at);
        assert_eq!((important(&agent), answer.skipped), (Some(0.0), 0));
    }
}

#[test]
fn nobody_is_answered_by_a_mail_that_came_from_elsewhere_under_the_owners_address() {
    let (dir, at) = (tempfile::tempdir().unwrap(), t(NOON));
    let sent = dir.path().join("Sent");
    std::fs::create_dir(&sent).unwrap();
    let mut agent = reading(dir.path());
    let asks = "From: bo@example.net\nTo: rohan@example.org\nMessage-ID: <ask@x>\nDate: Tue, 3 Nov 2026 10:00:00 +0000";
    write_mail(dir.path(), "ask.eml", asks, "please send the key");
    ingest(&mut agent, at);
    let important = |agent: &CommsAgent| agent.tick(&question(at), at).readings.last().map(|r| r.value);
    let answer = "From: rohan@example.org\nTo: bo@example.net\nIn-Reply-To: <ask@x>\nMessage-ID: <r@x>\nReceived: from a by b; Tue, 3 Nov 2026 11:00:00 +0000\nDate: Tue, 3 Nov 2026 11:00:00 +0000";
    write_mail(dir.path(), "answer.eml", answer, "here it is");
    ingest(&mut agent, at);
    assert_eq!(important(&agent), Some(1.0), "anybody can write that address");
    // The same among mail that was sent is the owner's.
    write_mail(&sent, "answer.eml", answer, "here it is");
    ingest(&mut agent, at);
    assert_eq!(important(&agent), Some(0.0));
}

#[test]
fn leaves_mail_of_the_future_for_later_and_skips_what_is_no_mail_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut setup = setup();
    setup.sources.mail = vec![dir.path().to_owned()];
    let mut agent = CommsAgent::new(setup);
    write_mail(
        dir.path(),
        "later.eml",
        "From: bo@example.net\nDate: Tue, 3 Nov 2026 12:30:00 +0000",
        "soup",
    );
    std::fs::write(dir.path().join("bad.eml"), b"PK\x03\x04").unwrap();
    let first = ingest(&mut agent, t(NOON));
    assert_eq!((first.read, first.skipped), (0, 1));
    assert_eq!(
        (first.skips[0].code.as_str(), first.skips[0].item.as_str()),
        ("AGENT-010", "bad.eml")
    );
    let second = ingest(&mut agent, t("2026-11-03T12:30:00Z"));
    assert_eq!((second.read, second.skipped), (1, 0));
}

#[test]
fn a_mail_is_read_whose_file_is_named_in_another_code_page() {
    let dir = tempfile::tempdir().unwrap();
    let headers = "From: bo@example.net\nDate: Tue, 3 Nov 2026 08:00:00 +0000";
    let name = OsStr::from_bytes(b"\xe4rger.eml");
    std::fs::write(dir.path().join(name), mail(headers, b"soup")).unwrap();
    assert_eq!(counts(&mut reading(dir.path()), NOON), (1, 0));
}

/// An agent whose mail is this, and how many mails it read at an instant, with what it skipped.
fn reading(source: &std::path::Path) -> CommsAgent {
    let mut setup = setup();
    setup.sources.mail = vec![source.to_owned()];
    CommsAgent::new(setup)
}

fn counts(agent: &mut CommsAgent, at: &str) -> (u32, u32) {
    let answer = ingest(agent, t(at));
    (answer.read, answer.skipped)
}

fn head(id: &str, date: &str) -> String {
    format!("From: bo@example.net\nTo: rohan@example.org\nMessage-ID: <{id}@x>\nDate: {date}")
}

#[test]
fn a_maildir_is_read_without_what_is_put_away_and_a_reply_is_known_by_its_flag() {
    let dir = tempfile::tempdir().unwrap();
    let box_ = dir.path().join("INBOX");
    for folder in [
        "cur",
        "new",
        "tmp",
        ".Archive/cur",
        ".Archive/new",
        ".Trash/cur",
        ".Trash/new",
        ".hidden",
    ] {
        std::fs::create_dir_all(box_.join(folder)).unwrap();
    }
    let morning = "Tue, 3 Nov 2026 10:00:00 +0000";
    for (name, id) in [
        ("new/1.host", "new"),
        ("cur/2.host:2,S", "seen"),
        ("cur/3.host:2,RS", "replied"),
        ("cur/4.host:2,ST", "trashed"),
        ("cur/5.host:2,D", "draft"),
        ("tmp/6.host", "half"),
        (".Archive/cur/7.host:2,S", "archived"),
        (".Trash/cur/8.host:2,S", "thrown"),
        (".hidden/9.host", "hidden"),
    ] {
        write_mail(&box_, name, &head(id, morning), "please send the key");
    }
    let mut agent = reading(&box_);
    assert_eq!(counts(&mut agent, NOON), (4, 0));
    let important = |agent: &CommsAgent| {
        agent
            .tick(&question(t(NOON)), t(NOON))
            .readings
            .last()
            .map(|r| r.value)
    };
    assert_eq!(important(&agent), Some(3.0));
    // A folder of mailboxes is read as well, and the flag that came is seen.
    assert_eq!(counts(&mut reading(dir.path()), NOON), (4, 0));
    std::fs::rename(box_.join("new/1.host"), box_.join("cur/1.host:2,RS")).unwrap();
    assert_eq!(counts(&mut agent, NOON), (0, 0));
    assert_eq!(important(&agent), Some(2.0));
}

#[test]
fn mail_that_was_deleted_in_thunderbird_and_stands_there_still_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let entry = |status: &str, id: &str| {
        let head = head(id, "Tue, 3 Nov 2026 10:00:00 +0000");
        format!(
            "From - Tue Nov  3 10:00:00 2026\nX-Mozilla-Status: {status}\nX-Mozilla-Status2: 00000000\n{head}\n\nplease send the key\n\n"
        )
    };
    // New, read, replied to, deleted.
    let mails = [
        ("0000", "new"),
        ("0001", "read"),
        ("0003", "replied"),
        ("0009", "deleted"),
    ];
    let text: String = mails.iter().map(|(status, id)| entry(status, id)).collect();
    std::fs::write(dir.path().join("Inbox"), text).unwrap();
    let mut agent = reading(dir.path());
    assert_eq!(counts(&mut agent, NOON), (3, 0));
    let reading = agent.tick(&question(t(NOON)), t(NOON)).readings;
    // What was replied to is no longer important.
    assert_eq!(reading.last().map(|reading| reading.value), Some(2.0));
}

#[test]
fn an_mbox_is_read_from_where_it_grew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("Inbox");
    let entry = |id: &str, date: &str| format!("From - \n{}\n\nplease send the key\n\n", head(id, date));
    let (old, first, later) = (
        entry("old", "Sun, 1 Nov 2026 10:00:00 +0000"),
        entry("first", "Tue, 3 Nov 2026 10:00:00 +0000"),
        entry("later", "Tue, 3 Nov 2026 12:30:00 +0000"),
    );
    let broken = "From - \nSubject: nobody\n\nx\n\n";
    std::fs::write(&path, [old.as_str(), &first].concat()).unwrap();
    // Beside it Thunderbird's index, and a folder that is put away.
    std::fs::write(dir.path().join("Inbox.msf"), "// <!-- -->").unwrap();
    std::fs::write(dir.path().join("Trash"), &first).unwrap();
    let mut agent = reading(dir.path());
    assert_eq!(counts(&mut agent, NOON), (1, 0));
    assert_eq!(counts(&mut agent, NOON), (0, 0));
    // It grows: by one for later, one that is none, one for now.
    let second = entry("second", "Tue, 3 Nov 2026 11:00:00 +0000");
    let grown = [old.as_str(), &first, &later, broken, &second].concat();
    std::fs::write(&path, &grown).unwrap();
    let answer = ingest(&mut agent, t(NOON));
    assert_eq!((answer.read, answer.skipped), (1, 1));
    // The fourth separator: each mail before it has eight lines.
    assert_eq!(
        (answer.skips[0].item.as_str(), answer.skips[0].line),
        ("Inbox", Some(25))
    );
    // Its time comes although the file did not change; what is behind it is read over once more.
    assert_eq!(ingest(&mut agent, t("2026-11-03T12:30:00Z")).read, 1);
    // Compacted: read anew, and known.
    std::fs::write(&path, [first.as_str(), &second].concat()).unwrap();
    assert_eq!(counts(&mut agent, "2026-11-03T12:31:00Z"), (0, 0));
    // Named itself, whatever it is called.
    assert_eq!(counts(&mut reading(&path), "2026-11-03T12:31:00Z"), (2, 0));
}
