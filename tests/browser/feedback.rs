//! What dismissing a card meant, said on the open page, after all agents were restarted.
//!
//! What: a digest is dismissed; the keyboard puts the question away, opens it again and says "not at this hour"; the rule is seen on History and in Settings,
//! undone, and given again for the one chat. Why: an owner teaches with a button whose effect was named, and takes it back where it is told of. Not here: what
//! the server answers (`tests/integration/feedback.rs`), markup (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::paired,
    support::{
        loud_chat::{CHAT, LoudChat},
        named_household::restart_agents,
    },
};
use toolcall_schema::ids::CardId;

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";

#[tokio::test]
async fn not_at_this_hour_is_said_by_keyboard_undone_and_given_again_for_one_chat() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = LoudChat::new();
    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    is_there(&page, "#now").await;
    let card = LoudChat::get_loud(&service);
    let card = CardId::parse(card["card_id"].as_str().unwrap()).unwrap();
    page.until_card(&card).await.unwrap();
    page.tap(&card, "dismiss").await.unwrap();
    let open = "#done .meant[open] [data-not-now]";
    is_there(&page, open).await;
    page.until(&format!(
        "document.querySelector('#done').textContent.includes('a digest of {CHAT}.')"
    ))
    .await
    .unwrap();
    look(&page, &axe, "done", "feedback-offers").await;

    // "Not now" puts the question away, and the keyboard stays where it was.
    page.run(&format!("document.querySelector('{open}').focus();"))
        .await
        .unwrap();
    page.keys(ENTER).await.unwrap();
    page.until("!document.querySelector('#done .meant').open && document.activeElement.matches('#done .meant summary')")
        .await
        .unwrap();
    page.keys(ENTER).await.unwrap();
    is_there(&page, open).await;
    // Not now, this chat, this kind, this hour.
    page.keys(&TAB.repeat(4)).await.unwrap();
    let focused = "return document.activeElement.textContent;";
    let says = page.run(focused).await.unwrap();
    let says = says.as_str().unwrap();
    assert!(
        says.contains("Not at this hour")
            && says.contains("I will not show a digest of many messages between"),
        "{says}"
    );
    page.keys(ENTER).await.unwrap();
    page.until("document.activeElement.matches('#done [data-undo-act]')")
        .await
        .unwrap();
    look(&page, &axe, "done", "feedback-rule").await;

    restart_agents(&service);
    service.until("the chat's name in what was done", |service| {
        let (_, page) = service.request("GET", "/history", None);
        page.as_str()?
            .contains(&format!("a digest of {CHAT}."))
            .then_some(())
    });
    page.go("/settings").await.unwrap();
    is_there(&page, "[data-unrule=\"batch-digest-1\"]").await;
    look(&page, &axe, "rules", "feedback-settings").await;
    page.go("/history").await.unwrap();
    is_there(&page, "[data-undo-act]").await;
    look(&page, &axe, "live", "feedback-history").await;
    click(&page, "[data-undo-act]").await;
    // The question is there again, closed, and has the focus.
    page.until("document.activeElement.matches('#acts .meant:not([open]) summary')")
        .await
        .unwrap();
    page.keys(ENTER).await.unwrap();
    click(&page, "[data-teach*=subject]").await;
    page.until(&format!(
        "document.querySelector('#acts').textContent.includes('I will not show a digest of {CHAT} any more.')"
    ))
    .await
    .unwrap();
    page.go("/settings").await.unwrap();
    page.until(&format!(
        "document.querySelector('#rules').textContent.includes('about {CHAT}')"
    ))
    .await
    .unwrap();
    assert_eq!(page.console().await.unwrap(), Vec::<String>::new());
}
