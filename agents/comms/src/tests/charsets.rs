//! Mail as bad programs write it: charsets, words in headers, parts, dates.

use super::*;
use agents_base::mail::eml;

fn read(head: &str, body: &[u8]) -> eml::ParsedMail {
    let head = format!("From: Bo <bo@example.net>\nTo: rohan@example.org\n{head}");
    let bytes = [head.replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body].concat();
    let mail = eml::parse(&bytes).unwrap_or_else(|_| panic!("{head} is a mail"));
    assert_eq!(eml::sent(&bytes), mail.at, "the head alone says the same: {head}");
    mail
}

const DATE: &str = "Date: Tue, 3 Nov 2026 10:00:00 +0000";

#[test]
fn bodies_of_any_charset_are_read_and_wrong_labels_lose_no_letter_of_ascii() {
    let long = "utf-8";
    for (charset, encoding, body, expected) in [
        // Quotes of windows-1252 under the name of latin1: WHATWG reads them as what they are.
        ("iso-8859-1", "8bit", b"\x93soup\x94 caf\xE9".to_vec(), "café"),
        ("windows-1252", "8bit", b"\x80 5".to_vec(), "€ 5"),
        ("gb18030", "8bit", b"\xC4\xE3\xBA\xC3".to_vec(), "你好"),
        ("gb2312", "base64", b"xOO6ww==".to_vec(), "你好"),
        ("shift_jis", "8bit", b"\x82\xB1\x82\xF1".to_vec(), "こん"),
        ("euc-kr", "8bit", b"\xBE\xC8\xB3\xE7".to_vec(), "안녕"),
        (
            "koi8-r",
            "quoted-printable",
            b"=F0=D2=C9=D7=C5=D4".to_vec(),
            "Привет",
        ),
        ("utf-7", "7bit", b"Hi +AOk-".to_vec(), "Hi é"),
        ("utf-16", "base64", b"/v8AaABp".to_vec(), "hi"),
        // Names that nobody knows, bytes that do not fit, an encoding that is cut: its last, incomplete group is lost.
        ("x-nobody", "8bit", b"please sign".to_vec(), "please sign"),
        (long, "8bit", b"please \xFF sign".to_vec(), "sign"),
        (long, "base64", b"cGxlYXNlIHNpZ24".to_vec(), "please si"),
        (
            long,
            "quoted-printable",
            b"please =\r\nsign =ZZ".to_vec(),
            "please sign",
        ),
        (long, "x-unknown", b"please sign".to_vec(), "please sign"),
    ] {
        let mail = read(
            &format!(
                "{DATE}\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}"
            ),
            &body,
        );
        assert!(
            mail.text.contains(expected),
            "{charset} {encoding}: {}",
            mail.text
        );
    }
}

#[test]
fn words_of_headers_are_read_whole_broken_and_not_at_all() {
    for (subject, expected) in [
        ("=?utf-8?Q?caf=C3=A9?= =?utf-8?Q?_noir?=", "café noir"),
        // One character in two words, folded.
        ("=?utf-8?B?44GT?=\n =?utf-8?B?44KT?=", "こん"),
        // Cut, of an unknown charset, of an unknown encoding, never closed.
        ("please =?utf-8?B?c2lnbg?=", "please sig"),
        ("please =?x-nobody?Q?sign?=", "please"),
        ("please =?utf-8?X?sign?=", "please"),
        ("please =?utf-8?Q?sign", "please"),
        ("=?windows-1252?Q?=80?= 5", "€ 5"),
        ("plain caf\u{e9}", "plain caf"),
    ] {
        let mail = read(&format!("{DATE}\nSubject: {subject}"), b"x");
        assert!(mail.text.starts_with(expected), "{subject}: {}", mail.text);
    }
    let named = read(
        &format!("{DATE}\nContent-Type: multipart/mixed; boundary=b"),
        b"--b\r\n\r\nplease sign\r\n--b\r\nContent-Type: application/pdf;\r\n name*0*=utf-8''ren;\r\n name*1=t.pdf\r\n\
          Content-Disposition: attachment; filename*=utf-8''r%C3%A9nt.pdf\r\n\r\n%PDF\r\n--b--\r\n",
    );
    assert!(named.text.contains("please sign"));
    // What is attached is no text of the mail.
    assert!(!named.text.contains("PDF") && !named.text.contains("rent"));
}

#[test]
fn the_text_is_found_in_parts_within_parts_and_without_their_end() {
    let alternative = "Content-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/plain\r\n\r\nplease sign\r\n\
                       --c\r\nContent-Type: text/html\r\n\r\n<p>please <b>sign</b></p>\r\n--c--\r\n";
    for body in [
        format!("--b\r\n{alternative}--b--\r\n"),
        // The end of both is missing, then all ends are.
        format!("--b\r\n{}", alternative.replace("--c--\r\n", "")),
        "--b\r\nContent-Type: text/plain\r\n\r\nplease sign".to_owned(),
        // No end of a line before the boundary, blanks behind it.
        "--b  \r\n\r\nplease sign\r\n--b--".to_owned(),
    ] {
        let mail = read(
            &format!("{DATE}\nContent-Type: multipart/mixed; boundary=\"b\""),
            body.as_bytes(),
        );
        assert!(mail.text.contains("please sign"), "{body}: {}", mail.text);
    }
    let html = read(
        &format!("{DATE}\nContent-Type: text/html; charset=utf-8"),
        b"<html><head><style>p{color:red}</style></head><body><p>please&nbsp;<i>sign</i></p></body></html>",
    );
    assert!(
        html.text.contains("please") && html.text.contains("sign"),
        "{}",
        html.text
    );
    // A mail in a mail: its own sender and date count, not those of the one inside.
    let inner =
        "From: x@example.com\r\nDate: Tue, 3 Nov 2020 10:00:00 +0000\r\nSubject: inner\r\n\r\npay now\r\n";
    let outer = read(
        &format!("{DATE}\nSubject: outer\nContent-Type: multipart/mixed; boundary=b"),
        format!("--b\r\n\r\nplease sign\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n{inner}--b--\r\n")
            .as_bytes(),
    );
    assert_eq!(
        (outer.from.as_str(), outer.at),
        ("bo@example.net", Some(t("2026-11-03T10:00:00Z")))
    );
    assert!(outer.text.starts_with("outer\nplease sign"), "{}", outer.text);
}

#[test]
fn dates_are_read_as_people_meant_them() {
    let ten = Some(t("2026-11-03T10:00:00Z"));
    for (date, expected) in [
        ("Date: Tue, 3 Nov 2026 10:00:00 +0000", ten),
        ("Date: 3 Nov 2026 10:00 +0000", ten),
        // Two digits, the wrong day of the week, a comment, folded, lower case, names of zones.
        ("Date: Tue, 3 Nov 26 10:00:00 +0000", ten),
        ("Date: Mon, 3 Nov 2026 10:00:00 +0000", ten),
        ("Date: Tue, 3 Nov 2026 15:30:00 +0530 (IST)", ten),
        ("Date: Tue,\n 3 Nov 2026\n 10:00:00 +0000", ten),
        ("Date: tue, 3 nov 2026 10:00:00 gmt", ten),
        ("Date: Tue, 3 Nov 2026 05:00:00 EST", ten),
        ("Date: Tue, 03 Nov 2026 10:00:00 Z", ten),
        // No zone is UTC.
        ("Date: Tue, 3 Nov 2026 10:00:00", ten),
        // None that exists.
        ("Date: Tue, 31 Feb 2026 10:00:00 +0000", None),
        ("Date: Tue, 3 Nov 2026 25:00:00 +0000", None),
        ("Date: ", None),
        ("Date: soon", None),
        ("Date: 2026", None),
    ] {
        assert_eq!(read(date, b"x").at, expected, "{date}");
    }
    // Twice: one of the two, and the same from the head alone.
    let twice = read(
        "Date: Tue, 3 Nov 2026 10:00:00 +0000\nDate: Tue, 3 Nov 2026 11:00:00 +0000",
        b"x",
    );
    assert!([ten, Some(t("2026-11-03T11:00:00Z"))].contains(&twice.at));
}
