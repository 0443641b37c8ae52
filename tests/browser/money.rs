//! What the page Money asks, as its owner answers it: taps on an amount and on a name, a button for a sender.
//!
//! What: an unreadable message is marked and counts, a sender is refused and asked about again, in one browser. Not here: what is learned
//! (`agents`), the same without a browser (`tests/integration/money_questions.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look_like, wrong},
    driver::{Browser, DESK, NARROW, PHONE},
    journeys::House,
    page::{Page, paired},
    support::post_bank_message,
};
use std::{fs, path::Path};

/// Looks at the page as everybody must be able to, and draws it where a folder is named.
async fn look(page: &Page, axe: &str, step: &str) {
    for (size, scheme) in [
        (NARROW, "light"),
        (PHONE, "light"),
        (PHONE, "dark"),
        (DESK, "light"),
    ] {
        look_like(page, size, scheme).await;
        assert_eq!(
            wrong(page, axe, size).await,
            Vec::<String>::new(),
            "{step} {size:?}"
        );
        if let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") {
            let name = format!("money-{step}-{}-{scheme}.png", size.width);
            let picture = page.window.screenshot().await.unwrap();
            fs::write(Path::new(&folder).join(name), picture).unwrap();
        }
    }
    look_like(page, PHONE, "light").await;
}

/// Taps the button that says so, once it is there.
async fn tap(page: &Page, says: &str) {
    let button = format!(
        "[...document.querySelectorAll('main button')].find((each) => each.textContent.trim() === '{says}' && !each.disabled)"
    );
    page.until(&button).await.unwrap();
    page.run(&format!("{button}.click();")).await.unwrap();
}

async fn until_marked(page: &Page, amount: &str, payee: &str) {
    for (what, said) in [("amount", amount), ("payee", payee)] {
        page.until(&format!(
            "document.querySelector('[data-marked={what}]')?.textContent === '{said}'"
        ))
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn an_amount_and_a_name_are_tapped_and_a_sender_is_judged() {
    let axe = axe();
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.path("data"), &service).await;
    let body = "Addebito Rs.450.00 su conto X2207 presso KIRANA BAZAAR LUNA oggi";
    post_bank_message(&service, "m1", "AX-SBIINB", body);
    let paid =
        "Confirmed. Rs.500.00 debited from your account XX2231 and paid to JOHN KAMAU. Ref 430912345678.";
    post_bank_message(&service, "m2", "PESABANK", paid);
    service.until("both questions", |service| {
        let (_, page) = service.request("GET", "/money", None);
        let page = page.as_str()?;
        (page.contains("data-question") && page.contains("PESABANK")).then_some(())
    });
    page.go("/money").await.unwrap();
    look(&page, &axe, "asked").await;

    // Without an amount nothing is sent.
    tap(&page, "I paid this").await;
    page.until("document.getElementById('status').textContent === 'Tap the amount first.'")
        .await
        .unwrap();
    tap(&page, "Rs.450.00").await;
    tap(&page, "KIRANA").await;
    until_marked(&page, "Rs.450.00", "KIRANA").await;
    // The last word of the name takes those between with it; a second tap takes the mark back.
    tap(&page, "LUNA").await;
    until_marked(&page, "Rs.450.00", "KIRANA BAZAAR LUNA").await;
    tap(&page, "BAZAAR").await;
    until_marked(&page, "Rs.450.00", "not marked").await;
    tap(&page, "KIRANA").await;
    tap(&page, "LUNA").await;
    look(&page, &axe, "marked").await;
    tap(&page, "I paid this").await;
    page.until("!document.querySelector('[data-question]') && document.querySelector('#senders').textContent.includes('one form of its messages')")
        .await
        .unwrap();

    tap(&page, "Not a bank").await;
    page.until("document.querySelector('#senders').textContent.includes('You said it is not a bank')")
        .await
        .unwrap();
    tap(&page, "Ask me again").await;
    tap(&page, "Count this sender").await;
    page.until("document.querySelector('#senders').textContent.includes('Its payments count')")
        .await
        .unwrap();
    page.go("/money").await.unwrap();
    look(&page, &axe, "answered").await;
    // Both are in memory at the next look, and on the page.
    service.until("both payments", |service| {
        service.request("POST", "/v1/tick", None);
        let (_, page) = service.request("GET", "/money", None);
        page.as_str()?.contains("₹950").then_some(())
    });
}
