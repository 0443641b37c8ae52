//! Before a meeting on open pages, after all agents were restarted: the switch, the card, and the page about the event.
//!
//! What: it is switched on in Settings, a card comes at the next look, its names lead on, and the event's page says the same; a crowd without a title fits.
//! Why: whoever wants it finds the switch, and what the card says can be opened. Not here: what the server answers (`tests/integration/meetings.rs`), when a card
//! comes (`fixtures/days`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, DESK, PHONE},
    first_day::{click, is_there},
    page::paired,
    support::{
        meeting_household::{DEMO, MeetingHousehold, crowd},
        named_household::restart_agents,
    },
};
use serde_json::json;
use std::fs;
use toolcall_schema::ids::CardId;

#[tokio::test]
async fn it_is_switched_on_and_the_next_card_says_who_is_there() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "href=\"/people/it_");
    restart_agents(&service);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;

    page.go("/settings").await.unwrap();
    let field = "document.querySelector('[name=\"calendar.before_meetings\"]')";
    page.until(&format!("{field}?.value === 'no'")).await.unwrap();
    page.run(&format!(
        "{field}.closest('details').open = true; {field}.value = 'yes'; {field}.scrollIntoView();"
    ))
    .await
    .unwrap();
    look(&page, &axe, "calendar.before_meetings", "meeting-switch").await;
    page.run(&format!("{field}.form.requestSubmit();")).await.unwrap();
    page.until(&format!("{field}?.dataset.was === 'yes'"))
        .await
        .unwrap();

    page.go("/").await.unwrap();
    is_there(&page, "#now").await;
    MeetingHousehold::page(&service, &event, "href=\"/people/it_");
    MeetingHousehold::unlock(&service, "u1");
    let card = MeetingHousehold::card(&service);
    page.until_card(&CardId::parse(card["card_id"].as_str().unwrap()).unwrap())
        .await
        .unwrap();
    is_there(&page, "#now .meeting a[href^=\"/people/it_\"]").await;
    look(&page, &axe, "now", "meeting-card").await;

    click(&page, "#now a[href^=\"/calendar/\"]").await;
    page.until("document.querySelector('#meeting-title')?.textContent === 'Loom demo'")
        .await
        .unwrap();
    look(&page, &axe, "meeting", "meeting-page").await;
    click(&page, "#meeting .people a").await;
    page.until("document.querySelector('#who-title')?.textContent === 'Asha Rao'")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_crowd_without_a_title_fits_card_and_page() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(true, &crowd());
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "and 288 more");
    restart_agents(&service);
    let page = paired(&mut browser, DESK, &house.data(), &service).await;
    is_there(&page, "#now").await;
    MeetingHousehold::unlock(&service, "u1");
    let card = MeetingHousehold::card(&service);
    page.until_card(&CardId::parse(card["card_id"].as_str().unwrap()).unwrap())
        .await
        .unwrap();
    is_there(&page, "#now .meeting .people").await;
    look(&page, &axe, "now", "meeting-crowd-card").await;
    page.go(&format!("/calendar/{event}")).await.unwrap();
    is_there(&page, "#meeting .people").await;
    look(&page, &axe, "meeting", "meeting-crowd").await;
}

/// "Why was I not told about the dentist?", and "have it speak later in the morning".
#[tokio::test]
async fn an_appointment_without_a_card_is_asked_about_and_the_brief_is_moved_where_it_stands() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "Loom demo");
    restart_agents(&service);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;

    page.go("/brief").await.unwrap();
    page.until("document.querySelector('#today a.what')?.textContent === 'Loom demo'")
        .await
        .unwrap();
    look(&page, &axe, "today", "brief-days").await;
    click(&page, "#today a.what").await;
    is_there(&page, "#said .rows").await;
    look(&page, &axe, "said", "event-why").await;
    // The words lead to the very field.
    click(&page, "#said a[href=\"/settings#calendar.before_meetings\"]").await;
    page.until("document.activeElement?.id === 'calendar.before_meetings' && document.activeElement.closest('details').open")
        .await
        .unwrap();
    look(&page, &axe, "calendar.before_meetings", "settings-field").await;

    // By its name.
    page.go("/history/days").await.unwrap();
    is_there(&page, "#history form").await;
    page.run("const form = document.querySelector('#history form'); form.elements.words.value = 'loom'; form.requestSubmit();")
        .await
        .unwrap();
    is_there(&page, &format!("#history-found a[href=\"/calendar/{event}\"]")).await;
    look(&page, &axe, "history-found", "history-event").await;

    // The strip leads there as well, for whoever taps it.
    page.go("/brief").await.unwrap();
    is_there(&page, "#pictures rect[data-goes]").await;
    page.run("document.querySelector('#pictures rect[data-goes]').dispatchEvent(new MouseEvent('click', { bubbles: true }));")
        .await
        .unwrap();
    is_there(&page, "#meeting-title").await;

    // The hour is changed in place, and what forbids it is said with the way to it.
    page.go("/brief").await.unwrap();
    click(&page, "#brief-when summary").await;
    page.run("document.querySelector('#brief_time').value = '08:15';")
        .await
        .unwrap();
    look(&page, &axe, "brief-when", "brief-when").await;
    click(&page, "#brief-when [type=submit]").await;
    page.until("document.getElementById('brief-when').textContent.includes('08:15 on')")
        .await
        .unwrap();
    let rule = json!({ "kind": "SHOW_BRIEF", "hours": ["07:00:00", "09:00:00"] });
    assert_eq!(page.send("/v1/rules", &rule).await.unwrap().status, 201);
    page.go("/brief").await.unwrap();
    page.until(
        "document.getElementById('brief-when').textContent.includes('a rule of yours forbids it then')",
    )
    .await
    .unwrap();
    look(&page, &axe, "brief-when", "brief-forbidden").await;
    page.go("/month").await.unwrap();
    page.run("document.querySelector('#kind form[data-post]').elements.wish.value = 'none';")
        .await
        .unwrap();
    click(&page, "#kind form[data-post] [type=submit]").await;
    is_there(&page, "#kind-tried [data-teach]").await;
    look(&page, &axe, "kind", "month-kind").await;
    click(&page, "#kind-tried [data-teach]").await;
    // What was done, with its Undo.
    page.until("document.getElementById('status').textContent.includes('You added a rule')")
        .await
        .unwrap();
    is_there(&page, "#status ~ [data-undo-act]").await;
}

/// An invitation that the owner has not answered.
const INVITATION: &str = "SUMMARY:Loom demo\nSEQUENCE:3\nORGANIZER:mailto:desk@brightloom.test\n\
     ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:rohan@example.org";

#[tokio::test]
async fn an_invitation_is_declined_on_its_page_and_the_draft_edited_discarded_and_brought_back() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, INVITATION);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "Loom demo");
    restart_agents(&service);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    page.go(&format!("/calendar/{event}")).await.unwrap();
    is_there(&page, "#decline details.deal").await;
    page.run("document.querySelector('#decline details.deal').open = true;")
        .await
        .unwrap();
    click(&page, "#decline [data-reason=\"conflict\"]").await;
    let field = "document.querySelector('#decline textarea')";
    page.until(&format!(
        "{field}?.value === 'I have another appointment at that time.'"
    ))
    .await
    .unwrap();
    let offered = page
        .run("return document.querySelector('[data-decline]') !== null;")
        .await
        .unwrap();
    assert_eq!(offered, false);
    look(&page, &axe, "decline", "decline-drafted").await;

    // What the owner writes is in the file for the calendar program, and in the mail.
    page.run(&format!("{field}.value = 'Sorry; next week, please.';"))
        .await
        .unwrap();
    click(&page, "#decline [type=submit]").await;
    page.until("document.getElementById('status').textContent === 'Saved.'")
        .await
        .unwrap();
    let file = house.data().join("outbox").join(format!("decline-{event}.ics"));
    let text = || fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text().contains("\r\nCOMMENT:Sorry\\; next week\\, please.\r\n"),
        "{}",
        text()
    );
    let link = page
        .run("return document.querySelector('a[data-mail]').getAttribute('href');")
        .await
        .unwrap();
    assert_eq!(
        link,
        "mailto:desk@brightloom.test?subject=Declined%3A%20Loom%20demo&body=Sorry%3B%20next%20week%2C%20please."
    );

    click(&page, "#decline [data-undo-act]").await;
    is_there(&page, "#decline details.deal").await;
    assert_eq!(text(), "");
    look(&page, &axe, "decline", "decline-discarded").await;
    click(&page, "#decline [data-undo-act]").await;
    page.until(&format!("{field}?.value === 'Sorry; next week, please.'"))
        .await
        .unwrap();
    assert!(text().contains("next week"), "{}", text());
    // Each agent started anew, it stands there as before.
    restart_agents(&service);
    MeetingHousehold::page(&service, &event, "Loom demo");
    page.go(&format!("/calendar/{event}")).await.unwrap();
    page.until(&format!("{field}?.value === 'Sorry; next week, please.'"))
        .await
        .unwrap();
    let offered = page
        .run("return document.querySelector('[data-decline]') !== null;")
        .await
        .unwrap();
    assert_eq!(offered, false);

    // Declined once more after that: one draft lies there, and one line of the history can discard it.
    click(&page, "#decline [data-undo-act]").await;
    is_there(&page, "#decline details.deal").await;
    page.run("document.querySelector('#decline details.deal').open = true;")
        .await
        .unwrap();
    click(&page, "#decline [data-reason=\"conflict\"]").await;
    is_there(&page, "#decline form").await;
    let (_, history) = service.request("GET", "/history", None);
    let discards = history.as_str().unwrap().matches("aria-label=\"Discard draft: ");
    assert_eq!(discards.count(), 1);
}
