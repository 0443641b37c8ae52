//! Every day, looked through on its page, after all agents were restarted.
//!
//! What: the day of the demo household, found by a word, missed by another, and its drawer. Why: whoever remembers that there was something finds it.
//! Not here: which decisions fit (`surfaces`), other days.
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, demo, look},
    driver::{Browser, PHONE},
    page::paired,
    support::named_household::restart_agents,
};

#[tokio::test]
async fn a_decision_is_found_by_a_word_and_opened() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, PHONE, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card]')")
        .await
        .unwrap();
    restart_agents(&service);
    page.go("/history/days").await.unwrap();
    page.until("document.querySelector('#history-found [data-drawer]')")
        .await
        .unwrap();
    look(&page, &axe, "history", "history-days").await;
    // A year without a card says so.
    let within = |from: &str, to: &str| {
        format!(
            "const form = document.querySelector('#history form'); form.elements.from.value = '{from}'; form.elements.to.value = '{to}'; form.requestSubmit();"
        )
    };
    page.run(&within("2024-01-01", "2024-12-31")).await.unwrap();
    page.until(
        "document.getElementById('history-found').textContent.includes('held back nothing that fits')",
    )
    .await
    .unwrap();
    page.run(&within("", "")).await.unwrap();
    page.until("document.querySelector('#history-found [data-drawer]')")
        .await
        .unwrap();
    for (words, found) in [
        ("zebra", "held back nothing that fits"),
        ("MORNING", "The morning brief"),
    ] {
        page.run(&format!(
            "const form = document.querySelector('#history form'); form.elements.words.value = '{words}'; form.requestSubmit();"
        ))
        .await
        .unwrap();
        page.until(&format!(
            "document.getElementById('history-found').textContent.includes('{found}')"
        ))
        .await
        .unwrap();
    }
    page.run("document.querySelector('#history-found [data-drawer]').click();")
        .await
        .unwrap();
    page.until("document.querySelector('dialog#drawer[open] .otherwise')")
        .await
        .unwrap();
}
