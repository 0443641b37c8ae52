//! Mails of any charset and shape, answers, dates, files that are none.

use super::*;

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
        let mut agent = Comms::new(setup);
        let asks = "From: bo@example.net\nTo: rohan@example.org\nMessage-ID: <ask@x>\nDate: Tue, 3 Nov 2026 10:00:00 +0000";
        write_mail(dir.path(), ask, asks, "please send the key");
        ingest(&mut agent, at);
        let important = |agent: &Comms| agent.tick(&question(at), at).readings.last().map(|r| r.value);
        assert_eq!(important(&agent), Some(1.0));
        let own = "From: rohan@example.org\nTo: bo@example.net\nIn-Reply-To: <ask@x>\nMessage-ID: <r@x>\nDate: Tue, 3 Nov 2026 11:00:00 +0000";
        write_mail(dir.path(), answer, own, "here it is");
        if ask == "b.eml" {
            // Everything anew, the answer first.
            agent = Comms::new(agent.setup.clone());
        }
        let answer = ingest(&mut agent, at);
        assert_eq!((important(&agent), answer.skipped), (Some(0.0), 0));
    }
}

#[test]
fn leaves_mail_of_the_future_for_later_and_skips_what_is_no_mail_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut setup = setup();
    setup.sources.mail = vec![dir.path().to_owned()];
    let mut agent = Comms::new(setup);
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
