//! What heads say of their mail.

use super::super::{
    eml::{self, ParsedMail},
    headers::{AutomaticSign, HeadSign, SenderProof, organisation},
};

fn mail(head: &str) -> ParsedMail {
    let bytes = format!("{head}\r\nDate: Tue, 3 Nov 2026 10:00:00 +0000\r\n\r\nHello.\r\n");
    eml::parse(bytes.as_bytes())
        .ok()
        .unwrap_or_else(|| panic!("{head} is a mail"))
}

#[test]
fn programs_say_so_in_their_heads() {
    let person = "From: Bo <bo@example.net>";
    for (head, automatic, list) in [
        (person.to_owned(), None, false),
        (format!("{person}\r\nAuto-Submitted: no"), None, false),
        (
            format!("{person}\r\nAuto-Submitted: auto-replied"),
            Some(AutomaticSign::Declared),
            false,
        ),
        (
            format!("{person}\r\nX-Auto-Response-Suppress: All"),
            Some(AutomaticSign::Declared),
            false,
        ),
        (
            format!("{person}\r\nFeedback-ID: 1:2:3"),
            Some(AutomaticSign::Bulk),
            false,
        ),
        (
            format!("{person}\r\nPrecedence: bulk"),
            Some(AutomaticSign::Bulk),
            false,
        ),
        (
            format!("{person}\r\nList-Unsubscribe: <mailto:x@example.net>"),
            Some(AutomaticSign::Bulk),
            false,
        ),
        // A list where people write to one another.
        (
            format!("{person}\r\nPrecedence: bulk\r\nList-Id: Soup <soup.example.net>"),
            None,
            true,
        ),
        (format!("{person}\r\nPrecedence: list"), None, true),
        (
            "From: no-reply@shop.example".to_owned(),
            Some(AutomaticSign::NoReply),
            false,
        ),
        (
            "From: do_not_reply@shop.example".to_owned(),
            Some(AutomaticSign::NoReply),
            false,
        ),
        (
            "From: ne-pas-repondre@shop.example".to_owned(),
            Some(AutomaticSign::NoReply),
            false,
        ),
        (
            "From: notifications@shop.example".to_owned(),
            Some(AutomaticSign::NoReply),
            false,
        ),
        (
            "From: rss@shop.example".to_owned(),
            Some(AutomaticSign::Feed),
            false,
        ),
        // Names of people hold such letters too.
        ("From: russ@example.net".to_owned(), None, false),
    ] {
        let origin = mail(&head).origin;
        assert_eq!((origin.automatic, origin.list), (automatic, list), "{head}");
    }
}

#[test]
fn only_the_first_results_count_and_only_for_the_sender() {
    for (results, proof) in [
        ("", SenderProof::Unknown),
        (
            "Authentication-Results: mx.home.example; dmarc=pass header.from=example.net\r\n",
            SenderProof::Pass,
        ),
        (
            "Authentication-Results: mx.home.example; dkim=pass header.d=mail.example.net; dmarc=none\r\n",
            SenderProof::Pass,
        ),
        (
            "Authentication-Results: mx.home.example; dkim=pass header.d=sender.example\r\n",
            SenderProof::Unknown,
        ),
        (
            "Authentication-Results: mx.home.example; spf=fail; dmarc=fail header.from=example.net\r\n",
            SenderProof::Fail,
        ),
        (
            "Authentication-Results: mx.home.example; dmarc=fail\r\nAuthentication-Results: forged; dmarc=pass\r\n",
            SenderProof::Fail,
        ),
    ] {
        let origin = mail(&format!("{results}From: Bo <bo@example.net>")).origin;
        assert!(origin.proof == proof, "{results}");
    }
}

#[test]
fn an_earlier_verdict_of_spam_counts_and_its_absence_says_nothing() {
    for (head, spam) in [
        ("X-Spam-Flag: YES", true),
        ("X-Spam-Status: Yes, score=9", true),
        ("X-Spam-Status: No, score=1", false),
        ("X-Spam-Flag: NO", false),
    ] {
        assert_eq!(
            mail(&format!("From: Bo <bo@example.net>\r\n{head}"))
                .origin
                .upstream_spam,
            spam,
            "{head}"
        );
    }
}

#[test]
fn odd_heads_are_noted() {
    let from = "From: Bo <bo@example.net>";
    for (head, sign, is) in [
        (
            format!("{from}\r\nSubject: BUY SOUP NOW"),
            HeadSign::Capitals,
            true,
        ),
        (format!("{from}\r\nSubject: RSVP"), HeadSign::Capitals, false),
        (
            format!("{from}\r\nSubject: soup          xqzt"),
            HeadSign::Padded,
            true,
        ),
        (format!("{from}\r\nSubject: Re: soup"), HeadSign::FakeReply, true),
        (
            format!("{from}\r\nSubject: Re: soup\r\nIn-Reply-To: <1@x>"),
            HeadSign::FakeReply,
            false,
        ),
        (
            format!("{from}\r\nReferences: <1@x> <2@x>"),
            HeadSign::Answers,
            true,
        ),
        ("From: x1234@example.net".to_owned(), HeadSign::Digits, true),
        ("From: x1234@example.net".to_owned(), HeadSign::Nameless, true),
        (from.to_owned(), HeadSign::Nameless, false),
        (
            format!(
                "Received: from mx.example.net (unknown [9.9.9.9]) by mail.example.com (Postfix) with SMTP id 1; Mon, 1 Jan 2024 10:00:00 +0000\r\n{from}"
            ),
            HeadSign::Unnamed,
            true,
        ),
        (
            format!(
                "Received: from mx.example.net (host.example.net [9.9.9.9]) by mail.example.com (Postfix) with SMTP id 1; Mon, 1 Jan 2024 10:00:00 +0000\r\n{from}"
            ),
            HeadSign::Unnamed,
            false,
        ),
        (
            format!(
                "Received: from laptop (unknown [192.168.1.2]) by mail.example.com (Postfix) with SMTP id 1; Mon, 1 Jan 2024 10:00:00 +0000\r\n{from}"
            ),
            HeadSign::Unnamed,
            false,
        ),
        (
            format!(
                "Received: from laptop (unknown [9.9.9.9]) by mail.example.com (Postfix) with ESMTPSA id 1; Mon, 1 Jan 2024 10:00:00 +0000\r\n{from}"
            ),
            HeadSign::Unnamed,
            false,
        ),
        (
            format!(
                "Received: from mx.example.net ([9.9.9.9]) by mail.example.com with esmtp (Exim 4.96) id 1; Mon, 1 Jan 2024 10:00:00 +0000\r\n{from}"
            ),
            HeadSign::Unnamed,
            false,
        ),
        (
            format!(
                "Received: from mx.example.net (unknown [9.9.9.9]) by mail.example.com (Postfix) with SMTP id 1; Mon, 1 Jan 2024 10:00:00 +0000\r\nList-Unsubscribe: <mailto:x@example.net>\r\n{from}"
            ),
            HeadSign::Unnamed,
            false,
        ),
        // An id as Outlook writes it, with and without Outlook; Outlook without what it writes.
        (
            format!("{from}\r\nMessage-ID: <001201c2a4f0$8a2b1c00$0100007f@pc>"),
            HeadSign::Pretends,
            true,
        ),
        (
            format!(
                "{from}\r\nMessage-ID: <001201c2a4f0$8a2b1c00$0100007f@pc>\r\nX-Mailer: Microsoft Outlook Express 6.00"
            ),
            HeadSign::Pretends,
            false,
        ),
        (
            format!("{from}\r\nMessage-ID: <001201c2a4f0$8a2b1c00$0100007f@pc>\r\nX-MimeOLE: Produced By"),
            HeadSign::Pretends,
            false,
        ),
        (
            format!(
                "{from}\r\nMessage-ID: <001201c2a4f0$8a2b1c00$0100007f@pc>\r\nList-Id: <soup.example.net>"
            ),
            HeadSign::Pretends,
            false,
        ),
        (
            format!("{from}\r\nMessage-ID: <1@pc>\r\nX-Mailer: Microsoft Outlook, Build 10.0.2616"),
            HeadSign::Pretends,
            true,
        ),
        (
            format!(
                "{from}\r\nMessage-ID: <1@pc>\r\nX-Mailer: Microsoft Outlook 16.0\r\nThread-Index: AdqTk3x1"
            ),
            HeadSign::Pretends,
            false,
        ),
        (
            format!("{from}\r\nMessage-ID: <1@mail.example.net>"),
            HeadSign::OwnId,
            true,
        ),
        (
            format!("{from}\r\nMessage-ID: <1@badexample.net>"),
            HeadSign::OwnId,
            false,
        ),
        (format!("{from}\r\nMessage-ID: <12345>"), HeadSign::NoIdHost, true),
        (
            format!("{from}\r\nReply-To: x@other.example"),
            HeadSign::ReplyElsewhere,
            true,
        ),
        (
            format!("{from}\r\nReply-To: x@mail.example.net"),
            HeadSign::ReplyElsewhere,
            false,
        ),
        (
            format!("{from}\r\nX-Priority: 1 (Highest)"),
            HeadSign::Priority,
            true,
        ),
        (format!("{from}\r\nX-Priority: 3"), HeadSign::Priority, false),
        (
            format!(
                "Received: from mx.example.net (mx.example.net [192.0.2.1]) by home.test; Tue, 3 Nov 2026 10:00:05 +0000\r\n{from}"
            ),
            HeadSign::Delivered,
            true,
        ),
        (
            format!(
                "Received: from mx.example.net (dsl.other.example [192.0.2.1]) by home.test; Tue, 3 Nov 2026 10:00:05 +0000\r\n{from}"
            ),
            HeadSign::Delivered,
            false,
        ),
        (
            format!("Received: from a.test by home.test; Tue, 3 Nov 2026 01:00:00 +0000\r\n{from}"),
            HeadSign::Future,
            true,
        ),
        (
            format!("{from}\r\nTo: {}", ["a@b.test"; 8].join(", ")),
            HeadSign::Many,
            true,
        ),
        (
            format!("{from}\r\nTo: {}", ["a@b.test"; 7].join(", ")),
            HeadSign::Many,
            false,
        ),
    ] {
        assert_eq!(mail(&head).origin.has(sign), is, "{head}");
    }
}

#[test]
fn a_date_that_no_clock_shows_pretends() {
    for (date, odd) in [
        ("Tue, 3 Nov 2026 10:00:00 +0000", false),
        ("3 Nov 2026 10:00:00 +0000", false),
        ("Tue, 3 Nov 2026 10:00:00 +0545", false),
        ("Tue, 3 Nov 2026 10:00:00 -1735", true),
        ("Tue, 3 Nov 2026 10:00:00 +0107", true),
        ("Mon, 3 Nov 2026 10:00:00 +0000", true),
    ] {
        let bytes = format!("From: Bo <bo@example.net>\r\nDate: {date}\r\n\r\nHello.\r\n");
        let read = eml::parse(bytes.as_bytes()).ok();
        assert_eq!(
            read.map(|mail| mail.origin.has(HeadSign::Pretends)),
            Some(odd),
            "{date}"
        );
    }
}

#[test]
fn an_organisation_is_what_it_registers() {
    for (host, expected) in [
        ("mail.example.net", "example.net"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("example.com.au", "example.com.au"),
        ("x.example.de", "example.de"),
        ("co.uk", "co.uk"),
        ("localhost", ""),
        ("", ""),
    ] {
        assert_eq!(organisation(host), expected, "{host}");
    }
}

#[test]
fn ten_thousand_fields_are_no_trouble() {
    let many = "X-Filler: soup\r\n".repeat(10_000);
    let read = mail(&format!(
        "From: Bo <bo@example.net>\r\n{many}Auto-Submitted: auto-generated"
    ));
    // What stands behind the first 512 is not looked at.
    assert_eq!(read.origin.automatic, None);
    assert_eq!(read.new_text.trim(), "Hello.");
    let references = format!("References: {}", "<1@x> ".repeat(10_000));
    assert!(
        mail(&format!("From: Bo <bo@example.net>\r\n{references}"))
            .origin
            .references
            .len()
            <= 64
    );
}
