//! A card is put off on the open page.
//!
//! What: a digest is put off by a tap on *Later*, the page says until when, and tells of it beside the card and on History, where it is taken back after a restart of
//! all agents; a prompt on the watch is put off by an hour, and that is taken back. Why: "not now" is said in two taps, with the hour at which it comes back. Not here: coming back (`fixtures/days/later-*`, lived in a browser by `days`),
//! which hours are offered (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look, wrong},
    driver::{Browser, PHONE, WATCH},
    first_day::{click, is_there},
    journeys::{House, card, stress},
    page::paired,
    support::{
        loud_chat::{CHAT, LoudChat},
        named_household::restart_agents,
    },
};
use toolcall_schema::ids::CardId;

/// What the page says at its foot.
const SAYS: &str = "return document.getElementById('status').textContent;";

#[tokio::test]
async fn a_card_is_put_off_by_two_taps_and_says_until_when() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = LoudChat::new();
    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    is_there(&page, "#now").await;
    let card = LoudChat::get_loud(&service);
    let card = CardId::parse(card["card_id"].as_str().unwrap()).unwrap();
    page.until_card(&card).await.unwrap();
    look(&page, &axe, "now", "later-closed").await;
    click(&page, "#now details.later summary").await;
    is_there(&page, "#now details.later[open] [data-act=later_15_min]").await;
    look(&page, &axe, "now", "later-open").await;

    let answer = page.tap(&card, "later_15_min").await.unwrap().unwrap();
    assert_eq!((answer.status, answer.word.as_str()), (200, "accepted"));
    page.until("document.getElementById('status').textContent.startsWith(\"I'll ask again \")")
        .await
        .unwrap();
    let says = page.run(SAYS).await.unwrap();
    let says = says.as_str().unwrap().trim().to_owned();
    let hour = says.trim_start_matches("I'll ask again ").to_owned();
    let told = format!("Put off: a digest of {CHAT}. Asked again {hour}");
    page.until(&format!(
        "document.querySelector('#done').textContent.includes('{told}')"
    ))
    .await
    .unwrap();
    look(&page, &axe, "done", "later-done").await;
    restart_agents(&service);
    page.go("/history").await.unwrap();
    page.until(&format!(
        "document.querySelector('#acts').textContent.includes('{told}')"
    ))
    .await
    .unwrap();

    // Taken back there, it is asked again at once.
    click(&page, "#acts [data-undo-act]").await;
    page.until(&format!("document.getElementById('status').textContent.includes('Asked again: A digest of many messages · {CHAT}')"))
        .await
        .unwrap();
    page.until(&format!(
        "document.querySelector('#acts').textContent.includes('Put off, and taken back: A digest of many messages · {CHAT}')"
    ))
    .await
    .unwrap();
    look(&page, &axe, "acts", "later-undone").await;
    page.go("/").await.unwrap();
    is_there(&page, "#now article.card [data-act=later_15_min]").await;
}

#[tokio::test]
async fn the_watch_puts_a_question_off_by_an_hour() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = House::new();
    let service = house.start();
    let watch = paired(&mut browser, WATCH, &house.path("data"), &service).await;
    watch.go("/watch").await.unwrap();
    is_there(&watch, "#now").await;
    restart_agents(&service);
    stress(&service);
    let card = card(&service);
    watch.until_card(&card).await.unwrap();
    if let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") {
        let file = std::path::Path::new(&folder).join("later-watch.png");
        std::fs::write(file, watch.window.screenshot().await.unwrap()).unwrap();
    }
    assert_eq!(wrong(&watch, &axe, WATCH).await, Vec::<String>::new());
    // Eight seconds: whether the tap comes in time is the computer's affair.
    if let Some(answer) = watch.tap(&card, "later_1_hour").await.unwrap() {
        assert!(
            ["accepted", "CONFIRM-003"].contains(&answer.word.as_str()),
            "{}",
            answer.word
        );
        if answer.word == "accepted" {
            // What was put off can be taken back on the same face.
            is_there(&watch, "#now [data-undo-act]").await;
            assert_eq!(wrong(&watch, &axe, WATCH).await, Vec::<String>::new());
            click(&watch, "#now [data-undo-act]").await;
            watch
                .until("!document.querySelector('#now [data-undo-act]')")
                .await
                .unwrap();
        }
    }
}
