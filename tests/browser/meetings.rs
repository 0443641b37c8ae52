//! Before a meeting on open pages: the switch, the card, and the page about the event.
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
    support::meeting_household::{DEMO, MeetingHousehold, crowd},
};
use toolcall_schema::ids::CardId;

#[tokio::test]
async fn it_is_switched_on_and_the_next_card_says_who_is_there() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "href=\"/people/it_");
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
