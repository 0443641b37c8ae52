//! Two senders are one person by the owner's word, on the open page, after all agents were restarted.
//!
//! What: the other is found by name on the page of a person and put together with them; what it did, with Undo; the rule in Settings, from where it is taken
//! back. Why: somebody who writes by mail and in a chat is one person to their owner, and contacts do not know it. Not here: what counts together (`agents`),
//! what the server keeps (`tests/integration/same_person.rs`), markup (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::{Page, paired, says},
    support::named_household::{NamedHousehold, restart_agents},
};

const RULE: &str = "You said that Bo is the same person as Asha Rao.";

/// The page has another field of that name: what the owner calls them.
async fn look_for_bo(page: &Page) {
    page.run("document.querySelector('#same [name=name]').value = 'bo';")
        .await
        .unwrap();
    click(page, "#same [type=submit]").await;
}

#[tokio::test]
async fn a_mail_address_and_an_account_of_a_chat_are_one_person_and_two_again() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = NamedHousehold::new();
    let service = house.start();
    service.until("Asha and Bo", |service| {
        let (_, list) = service.request("GET", "/people", None);
        let list = list.as_str()?;
        (list.contains("<bdi>Asha Rao</bdi>") && list.contains("<bdi>Bo</bdi>")).then_some(())
    });
    restart_agents(&service);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    page.go("/people").await.unwrap();
    page.until("[...document.querySelectorAll('a.what')].some((a) => a.textContent === 'Asha Rao')")
        .await
        .unwrap();
    page.run("[...document.querySelectorAll('a.what')].find((a) => a.textContent === 'Asha Rao').click();")
        .await
        .unwrap();
    click(&page, "#same summary").await;
    look_for_bo(&page).await;
    is_there(&page, "#same-found [data-same][data-is=true]").await;
    look(&page, &axe, "do", "same-person-found").await;
    click(&page, "#same-found [data-same][data-is=true]").await;
    says(&page, "done", "I take Asha Rao and Bo as one person.").await;
    says(&page, "same", RULE).await;
    says(&page, "known", RULE).await;
    says(&page, "who", "2 addresses and numbers count as this one").await;
    look(&page, &axe, "do", "same-person-set").await;
    restart_agents(&service);

    // Undone beside it: two again, and said once more.
    click(&page, "#done [data-undo-act]").await;
    says(&page, "done", "Asha Rao and Bo are two people again.").await;
    page.until("!document.querySelector('#same [data-is=false]')")
        .await
        .unwrap();
    click(&page, "#same summary").await;
    look_for_bo(&page).await;
    click(&page, "#same-found [data-same][data-is=true]").await;
    says(&page, "same", RULE).await;

    // Found among the rules, and taken back there.
    page.go("/settings").await.unwrap();
    says(&page, "rules", RULE).await;
    look(&page, &axe, "rules", "same-person-settings").await;
    click(&page, "#rules [data-same][data-is=false]").await;
    page.until("!document.querySelector('#rules [data-same]')")
        .await
        .unwrap();
    assert_eq!(page.console().await.unwrap(), Vec::<String>::new());
}
