//! Zones of bodies of the usual clients and languages.

use super::super::{
    html::text_of_html,
    zones::{MailZone, split_zones},
};
use std::time::Instant;

fn new_text(body: &str) -> String {
    let lines: Vec<String> = split_zones(body)
        .text(MailZone::New, usize::MAX)
        .lines()
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("|")
}

#[test]
fn only_what_was_written_now_is_new_text() {
    for (body, expected) in [
        ("Could you look?\n\n> earlier\n> lines\n", "Could you look?"),
        // Below the quotation, and between two.
        (
            "On 3 May 2026, Bo wrote:\n> soup?\n\nYes.\n> when\nAt six.\n",
            "Yes.|At six.",
        ),
        // Wrapped, in other languages, with initials.
        (
            "Fine.\n\nOn Tue, 3 Nov 2026 at 10:00, Bo Example <bo@example.net>\nwrote:\n\n> soup?\n",
            "Fine.",
        ),
        (
            "Gut.\n\nAm 03.11.2026 um 10:00 schrieb Bo <bo@example.net>:\n> Suppe?\n",
            "Gut.",
        ),
        (
            "Bien.\n\nLe mar. 3 nov. 2026 à 10:00, Bo <bo@example.net> a écrit :\n> soupe?\n",
            "Bien.",
        ),
        (
            "Bueno.\n\nEl mar, 3 nov 2026 a las 10:00, Bo (<bo@example.net>) escribió:\n\n> sopa?\n",
            "Bueno.",
        ),
        (
            "Bene.\n\nIl giorno 3 nov 2026, Bo ha scritto:\n> zuppa?\n",
            "Bene.",
        ),
        ("BE> soup?\nYes.\n", "Yes."),
        // With a sign of the writer's own.
        (
            "On Sun, 8 May 2026, Bo Example wrote:\n\n--]Is there soup?\n--]\n--]Or bread?\n\nBoth.\n",
            "Both.",
        ),
        (
            "On 3 May 2026 at 10:00:01, Bo <bo@example.net> wrote:\n=>soup?\n=>bread?\nBoth.\n=>when\nAt six.\n",
            "Both.|At six.",
        ),
        (
            "Bo wrote:\n#soup\nis what it says.\n",
            "Bo wrote:|#soup|is what it says.",
        ),
        // Clients that quote without a sign.
        (
            "Ok.\n\n-----Original Message-----\nFrom: Bo\nSent: today\nTo: me\n\nCan you come?\n",
            "Ok.",
        ),
        (
            "Ok.\n\n-----Ursprüngliche Nachricht-----\nVon: Bo\nKannst du?\n",
            "Ok.",
        ),
        (
            "Ok.\n\nFrom: Bo <bo@example.net>\nSent: Monday\nTo: Asha\nSubject: soup\n\nCan you come?\n",
            "Ok.",
        ),
        (
            "Ok.\n\nVon: Bo\nGesendet: Montag\nAn: Asha\nBetreff: Suppe\n\nKannst du?\n",
            "Ok.",
        ),
        (
            "Ok.\n\nOn 3 Nov 2026 at 10:00, Bo <bo@example.net> wrote:\n\nCan you come?\n",
            "Ok.",
        ),
        // Sent on.
        (
            "FYI\n\n---------- Forwarded message ---------\nFrom: Bo\n\nCan you come?\n",
            "FYI",
        ),
        ("Begin forwarded message:\n\n> From: Bo\n> Can you come?\n", ""),
        (
            "FYI\n\n----- Weitergeleitete Nachricht -----\nVon: Bo\n\nKannst du?\n",
            "FYI",
        ),
        // Signatures and footers.
        ("Come.\n\n-- \nBo\nHead of Soup\nWhy not?\n", "Come."),
        ("Come.\n--\nBo\n", "Come."),
        ("Come.\n\nBest regards,\nBo Example\n+44 20 5550 1234\n", "Come."),
        ("Komm.\n\nMit freundlichen Grüßen\nBo\n", "Komm."),
        ("Come.\nSent from my iPhone\n", "Come."),
        (
            "Come.\n\n____________________\nlist mailing list\nhttps://lists.example/x\n",
            "Come.",
        ),
        (
            "Come.\n\nThis e-mail and any attachments are confidential.\nDelete it.\n\nP.S. bring soup\n",
            "Come.|P.S. bring soup",
        ),
        (
            "Come.\n-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n",
            "Come.",
        ),
        // What only looks like one of these.
        ("He said:\nI will come.\n", "He said:|I will come."),
        (
            "On Monday we met and I wrote:\nnothing\n",
            "On Monday we met and I wrote:|nothing",
        ),
        (">From here on it rains\n", ">From here on it rains"),
        ("De: or not de:\nfine\n", "De: or not de:|fine"),
        (
            "Title\n--------------------\nText\n",
            "Title|--------------------|Text",
        ),
        (
            "Can you come?\n\nBest\nregards to all of you who read this, and do you know when the ferry leaves?\n",
            "Can you come?|Best|regards to all of you who read this, and do you know when the ferry leaves?",
        ),
        ("", ""),
    ] {
        assert_eq!(new_text(body), expected, "{body}");
    }
}

#[test]
fn the_parts_are_the_body_again() {
    for body in ["a\n> b\nc\n-- \nd", "\r\n\r\n> x\r\n", "é\n> ü\n", "no end"] {
        let whole: String = split_zones(body).parts.iter().map(|(_, part)| *part).collect();
        assert_eq!(whole, body);
    }
}

#[test]
fn quotations_in_html_are_marked_as_in_plain_text() {
    for (html, expected) in [
        (
            "<div dir=ltr>Can you come?</div><div class=\"gmail_quote\">On 3 Nov 2026, Bo &lt;bo@example.net&gt; wrote:<br>\
             <blockquote class=\"gmail_quote\">soup<br>and<blockquote>bread</blockquote>please</blockquote></div>",
            "Can you come?",
        ),
        (
            "<p>Ok</p><div id=\"divRplyFwdMsg\"><b>From:</b> Bo</div><p>Can you come?</p>",
            "Ok",
        ),
        ("Ok<hr id=stopSpelling>From: Bo<br>Can you?", "Ok"),
        (
            "<blockquote type=cite>soup?</blockquote><p>Yes &amp; bread</p>",
            "Yes & bread",
        ),
        // Layout.
        ("<blockquote>News of the week</blockquote>", "News of the week"),
        (
            "<head><title>x</title><style>p{}</style></head><body><script>1<2</script><p>Hi</p>",
            "Hi",
        ),
        ("Come<div class=gmail_signature>Bo</div>", "Come"),
        ("a<td>b<!-- c -->d", "a bd"),
        ("never <closed", "never"),
        ("open <script> hides", "open"),
    ] {
        assert_eq!(new_text(&text_of_html(html, usize::MAX).text), expected, "{html}");
    }
}

#[test]
fn links_of_html_are_found() {
    let html = "<a class=x HREF='https://a.test/x?y'>a</a><a href=http://b.test>b</a><a name=c>";
    assert_eq!(
        text_of_html(html, 99).links,
        ["https://a.test/x?y", "http://b.test"]
    );
}

/// Forty times the text may take some hundred times as long where the machine is busy, never sixteen hundred times.
#[test]
fn time_is_linear_in_what_an_attacker_repeats() {
    for line in [
        "> quoted\n",
        "\n",
        "From:\n\n\n",
        "On 1 wrote\n",
        "--\n",
        "____________________\n",
        "disclaimer:\n",
        "<div>",
        "<!--",
        "&",
        "Best,\n",
    ] {
        let time = |times: usize| {
            let text = line.repeat(times);
            let began = Instant::now();
            let html = text_of_html(&text, usize::MAX);
            let zones = split_zones(&text);
            assert!(zones.parts.len() <= text.len() && html.links.is_empty());
            began.elapsed().as_micros()
        };
        let (small, large) = (time(500), time(20_000));
        assert!(large < 600 * (small + 100), "{line:?}: {small} and {large} µs");
    }
}
