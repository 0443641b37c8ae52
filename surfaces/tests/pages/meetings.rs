//! Before a meeting: the card, and the page about an event.

use crate::{
    client::{Server, server},
    morning::{TOKEN, ts},
    people_double::{ALONE, ASHA, MEETING, meeting_card},
};
use surfaces::{backend::DisplayNames, push, render::card::card};
use toolcall_schema::{SubmitAct, Surface};

const MAIL: &str = "it_00000000000000b2";

fn give_names(server: &Server, pairs: &[(&str, &str)]) {
    let pairs = pairs
        .iter()
        .map(|(id, name)| ((*id).to_owned(), (*name).to_owned()));
    *server.double.labels.lock().unwrap() = pairs.collect();
}

async fn with_card(names: &[(&str, &str)]) -> Server {
    let server = server("meeting").await;
    give_names(&server, names);
    server
}

#[tokio::test]
async fn the_card_names_who_is_there_what_waits_and_where_it_is() {
    let names = [(MEETING, "Loom <demo>"), (ASHA, "Asha Rao"), (MAIL, "Asha Rao")];
    let server = with_card(&names).await;
    let now = server.get("/fragment/now").await.body;
    for says in [
        "Something in your calendar came near at 08:50.",
        "<h2 id=\"card-title\" dir=\"auto\">Loom &lt;demo&gt;</h2>",
        "<strong>09:00</strong> <span dir=\"auto\">it starts</span>",
        &format!("<a href=\"/people/{ASHA}\"><bdi>Asha Rao</bdi></a>"),
        "<bdi>\u{5d0}\u{5e1}\u{5ea}\u{5e8} &lt;b&gt;</bdi>",
        "and 12 more",
        "Studio &lt;4&gt;",
        "22 min to get there.",
        &format!("href=\"/people/{MAIL}\""),
        "since 06:00",
        &format!("href=\"/calendar/{MEETING}\""),
        "data-act=\"useful\"",
        "data-act=\"dismiss\"",
    ] {
        assert!(now.contains(says), "{says}: {now}");
    }
    // Who never wrote has no page, and what stands in words does not stand in numbers beside it.
    assert!(
        !now.contains("pe_0000000000000009") && !now.contains("With 14 others"),
        "{now}"
    );
    // Leaving in time lies behind.
    assert!(!now.contains("Leave by"), "{now}");

    // The copy for the browser's disk asks nobody and names nobody.
    let headers = format!("{}authorization: Bearer {TOKEN}\nx-aura-keep: 1\n", server.host());
    let kept = server.raw("GET /", &headers, "").await.body;
    assert!(
        kept.contains("With 14 others.")
            && kept.contains("About this event")
            && !kept.contains("Asha")
            && !kept.contains("Studio"),
        "{kept}"
    );
}

#[test]
fn outside_the_page_the_card_says_an_hour_and_no_name() {
    let (one, at) = (meeting_card(), ts("2026-11-03T03:20:01Z"));
    let names: DisplayNames = [(MEETING.to_owned(), "Loom demo".to_owned())]
        .into_iter()
        .collect();
    assert_eq!(card(&one, &names, at).unwrap().watch_line, "A meeting at 09:00");
    let pushed = serde_json::to_string(&push::message(&one, at, "t", "https://x.example").unwrap()).unwrap();
    assert!(
        pushed.contains("A meeting at 09:00") && !pushed.contains("Loom"),
        "{pushed}"
    );
}

#[test]
fn it_is_put_off_while_the_meeting_lasts() {
    use SubmitAct::{LaterHour, LaterQuarter};
    // It is over at 10:00, 70 minutes later.
    for (at, choices) in [
        ("2026-11-03T03:20:00Z", vec![LaterQuarter, LaterHour]),
        ("2026-11-03T03:30:00Z", vec![LaterQuarter]),
        ("2026-11-03T04:15:00Z", vec![]),
    ] {
        let view = card(&meeting_card(), &DisplayNames::default(), ts(at)).unwrap();
        assert_eq!(view.answers_on(Surface::PhoneCard).later, choices, "{at}");
    }
}

#[tokio::test]
async fn the_page_says_the_same_without_a_card_and_a_gone_event_is_404_in_words() {
    let server = server("brief").await;
    give_names(&server, &[(MEETING, "Loom demo"), (ASHA, "Asha Rao")]);
    let page = server.get(&format!("/calendar/{MEETING}")).await;
    assert_eq!(page.status, 200);
    for says in [
        "Loom demo",
        "09:00 to 10:00",
        "Who will be there",
        "Asha Rao",
        "and 12 more",
        "Somebody",
        "since 06:00",
        "Studio &lt;4&gt;",
        "22 min to get there. Leave by 08:23.",
        "href=\"/settings#calendar.before_meetings\"",
        // The browser's history keeps a title.
        "<title>An event</title>",
    ] {
        assert!(page.body.contains(says), "{says}: {}", page.body);
    }
    let alone = server.get(&format!("/calendar/{ALONE}")).await.body;
    for says in [
        "A meeting",
        "Nobody else is invited.",
        "The event names no place.",
    ] {
        assert!(alone.contains(says), "{says}: {alone}");
    }
    assert!(!alone.contains("Waiting for your answer"), "{alone}");
    for gone in ["ev_00000000000000ff", ASHA, "x"] {
        let page = server.get(&format!("/calendar/{gone}")).await;
        assert_eq!(page.status, 404, "{gone}");
        assert!(page.body.contains("I know no such event now"), "{}", page.body);
    }
}
