//! Before a meeting, through real agents: the card, and the page about the event.
//!
//! What: who waits and is invited stands on the card by the owner's name for them and nowhere in what is kept; off, nothing comes and the page says it all the
//! same; after a restart of all agents; a crowd without a title; somebody who was forgotten. Why: two agents' knowledge meets on one page and is gone with it.
//! Not here: when a card comes (`fixtures/days`), markup (`surfaces`).

use crate::support::{
    Service,
    meeting_household::{DEMO, MeetingHousehold, crowd},
    named_household::restart_agents,
};
use serde_json::json;

fn now_page(service: &Service, says: &str) -> String {
    service.until(says, |service| {
        let (_, page) = service.request("GET", "/fragment/now", None);
        let page = page.as_str()?.to_owned();
        page.contains(says).then_some(page)
    })
}

#[test]
fn the_card_says_who_is_there_and_what_waits_and_keeps_numbers() {
    let house = MeetingHousehold::new(true, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    // Everything is read: the contact's name, and the message that waits.
    let page = MeetingHousehold::page(&service, &event, "href=\"/people/it_");
    let _phone = service.phone();
    MeetingHousehold::unlock(&service, "u1");
    let card = MeetingHousehold::card(&service);
    assert_eq!(card["tool_calls"][0]["result"]["others"], 3, "{card}");
    assert_eq!(card["tool_calls"][0]["result"]["travel_min"], 22, "{card}");
    let text = card.to_string();
    for outside in ["Asha", "asha", "Jonas", "Loom", "Studio", "pe_"] {
        assert!(!text.contains(outside), "{outside}: {text}");
    }
    let shown = now_page(&service, "Loom demo");
    for part in [&page, &shown] {
        for says in [
            "Loom demo",
            // One person at two addresses, by the contact's name, with a page.
            "<bdi>Asha Rao</bdi></a>",
            "</a>, <bdi>Jonas Weber</bdi>",
            "Studio 4, Hauptstr. 9",
            "22 min to get there.",
            "href=\"/chats#waits\"",
        ] {
            assert!(part.contains(says), "{says}: {part}");
        }
        assert_eq!(
            part.matches("<bdi>Asha Rao</bdi>").count(),
            2,
            "invited and waiting: {part}"
        );
        assert!(
            !part.contains("asha79") && !part.contains("<bdi>Bo</bdi>") && !part.contains("more</p>"),
            "{part}"
        );
    }
    assert!(shown.contains(&format!("href=\"/calendar/{event}\"")), "{shown}");

    restart_agents(&service);
    MeetingHousehold::page(&service, &event, "href=\"/people/it_");
    now_page(&service, "<bdi>Asha Rao</bdi></a>");
}

#[test]
fn switched_off_no_card_comes_and_the_page_says_it_all_the_same() {
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "<bdi>Asha Rao</bdi></a>");
    let _phone = service.phone();
    MeetingHousehold::unlock(&service, "u1");
    // Somebody else waits as well, and that is asked.
    let card = service.until("another card", |service| {
        let card = service.now()["card"].clone();
        (card["decision"]["chosen"]["kind"] == "DRAFT_REPLY").then_some(card)
    });
    assert!(!card.to_string().contains("PREPARE_MEETING"), "{card}");
}

#[test]
fn a_crowd_without_a_title_is_counted_and_some_of_it_named() {
    let house = MeetingHousehold::new(true, &crowd());
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    let page = MeetingHousehold::page(&service, &event, "and 288 more");
    let _phone = service.phone();
    MeetingHousehold::unlock(&service, "u1");
    let card = MeetingHousehold::card(&service);
    assert_eq!(card["tool_calls"][0]["result"]["others"], 300, "{card}");
    let shown = now_page(&service, "and 288 more");
    for part in [&page, &shown] {
        for says in [
            "An event without a title",
            "<bdi>\u{5d0}\u{5e1}\u{5ea}\u{5e8}</bdi>",
            "<bdi>Guest 11</bdi>",
        ] {
            assert!(part.contains(says), "{says}: {part}");
        }
        assert!(
            !part.contains("Guest 12<") && !part.contains("href=\"/people/"),
            "{part}"
        );
    }
    assert!(page.contains("The event names no place."), "{page}");
}

#[test]
fn who_was_forgotten_is_called_as_the_invitation_does_and_nothing_of_theirs_waits() {
    let house = MeetingHousehold::new(true, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    let page = MeetingHousehold::page(&service, &event, "<bdi>Asha Rao</bdi></a>");
    let (_, id) = page.split_once("href=\"/people/pe_").unwrap();
    let thing = json!({"thing": format!("pe_{}", &id[..16])});
    let (status, counted) = service.request("POST", "/form/forget/count", Some(&thing));
    assert_eq!(status, 200, "{counted}");
    let (status, begun) = service.request("POST", "/form/forget", Some(&thing));
    assert_eq!(status, 200, "{begun}");
    service.until("the end of the deletion", |service| {
        let (_, page) = service.request("GET", &format!("/calendar/{event}"), None);
        let page = page.as_str()?.to_owned();
        (page.contains("None of their messages waits for you.") && !page.contains("href=\"/people/"))
            .then_some(())
    });
    let page = MeetingHousehold::page(&service, &event, "Jonas Weber");
    assert!(
        page.contains("Who will be there") && !page.contains("it_"),
        "{page}"
    );
}

fn page_with(service: &Service, path: &str, says: &[&str]) -> String {
    service.until(path, |service| {
        let (_, page) = service.request("GET", path, None);
        let page = page.as_str()?.to_owned();
        says.iter().all(|says| page.contains(says)).then_some(page)
    })
}

#[test]
fn an_event_without_a_card_is_named_found_and_says_why_nothing_was_said() {
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    let link = format!("href=\"/calendar/{event}\"");
    for round in ["first", "after a restart"] {
        page_with(
            &service,
            "/brief",
            &[
                "One thing today.",
                "<bdi>Loom demo</bdi>",
                "Studio 4, Hauptstr. 9",
                &link,
            ],
        );
        let asked = json!({"words": "DEMO loom", "kind": "", "came": "", "from": "", "to": "", "before": ""});
        let (status, found) = service.request("POST", "/form/history/find", Some(&asked));
        assert_eq!(status, 200, "{round}: {found}");
        let found = found.as_str().unwrap().to_owned();
        assert!(
            found.contains(&link) && found.contains("<bdi>Loom demo</bdi>"),
            "{round}: {found}"
        );
        page_with(
            &service,
            &format!("/calendar/{event}"),
            &[
                "Loom demo",
                "Why I said nothing about it so far",
                // It begins in eight minutes, and is 22 away.
                "You had to leave at",
                "You have not asked me to speak before meetings.",
                "href=\"/settings#calendar.before_meetings\"",
                "It overlaps with nothing.",
            ],
        );
        restart_agents(&service);
    }
    // The owner's word is named where it stands against it, here and for the brief.
    for rule in [
        json!({"kind": "DECLINE_EVENT"}),
        json!({"kind": "SHOW_BRIEF", "hours": ["07:00:00", "09:00:00"]}),
    ] {
        let (status, reply) = service.request("POST", "/v1/rules", Some(&rule));
        assert_eq!(status, 201, "{reply}");
    }
    page_with(
        &service,
        "/brief",
        &[
            "07:30, but a rule of yours forbids it then.",
            "09:00 on.",
            "<a href=\"/settings#rules\">Your rules</a>",
        ],
    );
}

/// The phone's page shows a card before the meeting; afterwards the page about it says so.
#[test]
fn what_was_said_about_an_event_stands_on_its_page() {
    let house = MeetingHousehold::new(true, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "href=\"/people/it_");
    let _phone = service.phone();
    MeetingHousehold::unlock(&service, "u1");
    let card = MeetingHousehold::card(&service);
    let trace = card["decision"]["trace_id"].as_str().unwrap();
    let page = page_with(
        &service,
        &format!("/calendar/{event}"),
        &["What I said about it", &format!("data-drawer=\"{trace}\"")],
    );
    assert!(!page.contains("PREPARE_MEETING"), "{page}");
}
