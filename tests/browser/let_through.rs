//! Somebody is always let through, on the open page, after all agents were restarted.
//!
//! What: the button on the page of a person with its effect; what it did, with Undo; the rule in Settings, from where it is taken back. Why: a rule is set
//! where somebody is, and found where rules stand. Not here: what the server keeps (`tests/integration/let_through.rs`), markup (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::{paired, says},
    support::named_household::{NamedHousehold, restart_agents},
};

const RULE: &str = "You always let Asha Rao through.";

#[tokio::test]
async fn somebody_is_let_through_and_taken_back_in_settings() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = NamedHousehold::new();
    let service = house.start();
    service.until("Asha", |service| {
        let (_, list) = service.request("GET", "/people", None);
        list.as_str()?.contains("<bdi>Asha Rao</bdi>").then_some(())
    });
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    page.go("/people").await.unwrap();
    page.run("[...document.querySelectorAll('a.what')].find((a) => a.textContent === 'Asha Rao').click();")
        .await
        .unwrap();
    is_there(&page, "#do [data-let-through][data-always=true]").await;
    look(&page, &axe, "do", "let-through-button").await;
    click(&page, "#do [data-let-through][data-always=true]").await;
    says(&page, "done", "From now on I let Asha Rao through.").await;
    says(&page, "do", RULE).await;
    says(&page, "known", RULE).await;
    look(&page, &axe, "do", "let-through-set").await;
    restart_agents(&service);

    // Undone beside it, and set again.
    click(&page, "#done [data-undo-act]").await;
    says(&page, "done", "I no longer always let Asha Rao through.").await;
    click(&page, "#do [data-let-through][data-always=true]").await;
    says(&page, "do", RULE).await;

    // Found among the rules, and taken back there.
    page.go("/settings").await.unwrap();
    says(&page, "rules", RULE).await;
    look(&page, &axe, "rules", "let-through-settings").await;
    click(&page, "#rules [data-let-through][data-always=false]").await;
    page.until("!document.querySelector('#rules [data-let-through]')")
        .await
        .unwrap();
}
