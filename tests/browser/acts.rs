//! What was done, and taking it back, on the open page, after all agents were restarted.
//!
//! What: a person who waits is put off on Chats, seen on History, undone there, and waits again, with her name all along. Why: an owner undoes with a
//! button, and agents know no name of before. Not here: what the server answers (`tests/integration/names.rs`), markup (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::paired,
    support::named_household::{NamedHousehold, kill_agents, restart_agents},
};

#[tokio::test]
async fn who_was_put_off_waits_again_by_a_button_after_all_agents_were_restarted() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = NamedHousehold::new();
    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    let waits = "document.getElementById('waits').textContent.includes('Asha Rao')";
    restart_agents(&service);
    service.until("her name on the server's page", |service| {
        let (_, page) = service.request("GET", "/chats", None);
        page.as_str()?.contains("<bdi>Asha Rao</bdi>").then_some(())
    });
    page.go("/chats").await.unwrap();
    page.until(waits).await.unwrap();
    look(&page, &axe, "waits", "chats-waits").await;
    let named = "[data-put-off][aria-label*=\"Asha Rao\"]";
    click(&page, named).await;
    // In reach of the thumb: below the middle, above the sections, with the way back.
    page.until("document.querySelector('.notice')?.textContent.includes('Asha Rao is put off until')")
        .await
        .unwrap();
    page.until(
        "(() => { const [bar, tabs] = ['.notice', '.tabs'].map((each) => document.querySelector(each).getBoundingClientRect()); \
         return bar.top > innerHeight / 2 && bar.bottom <= tabs.top && !!document.querySelector('.notice [data-undo-act]'); })()",
    )
    .await
    .unwrap();
    look(&page, &axe, "live", "chats-notice").await;
    click(&page, "[data-close-notice]").await;
    page.until("!document.querySelector('.notice').textContent.includes('Asha Rao')")
        .await
        .unwrap();
    page.until(&format!("!document.querySelector('{named}')"))
        .await
        .unwrap();

    restart_agents(&service);
    service.until("her name in what was done", |service| {
        let (_, page) = service.request("GET", "/history", None);
        page.as_str()?.contains("Asha Rao is put off until").then_some(())
    });
    page.go("/history").await.unwrap();
    is_there(&page, "[data-undo-act]").await;
    look(&page, &axe, "live", "history").await;
    // It is taken back also while its agent is not there.
    kill_agents(&service);
    click(&page, "[data-undo-act]").await;
    page.until("document.querySelector('main').textContent.includes('Undone.')")
        .await
        .unwrap();
    assert!(
        page.run("return document.querySelectorAll('[data-undo-act]').length;")
            .await
            .unwrap()
            == 0
    );
    page.go("/chats").await.unwrap();
    page.until(waits).await.unwrap();
}
