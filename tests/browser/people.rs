//! People and chats on open pages, after all agents were restarted.
//!
//! What: from a name on Chats to its person; the list is searched; a chat is muted and that is undone; a rule is made and taken away; somebody is named and
//! forgotten with ten seconds to undo; a link to them afterwards. Why: "find what Aura knows of Asha and forget it" is done with the page alone. Not here: what
//! the server answers (`tests/integration/people.rs`), order and markup (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, DESK, PHONE},
    first_day::{click, is_there},
    memory::send,
    page::{Page, paired},
    support::{
        Service,
        mailbox_household::MailboxHousehold,
        named_household::{NamedHousehold, restart_agents},
    },
};

async fn says(page: &Page, id: &str, text: &str) {
    page.until(&format!(
        "document.getElementById('{id}')?.textContent.includes({text:?})"
    ))
    .await
    .unwrap();
}

async fn opens(page: &Page, name: &str) {
    page.run(&format!(
        "[...document.querySelectorAll('a.what')].find((a) => a.textContent === {name:?}).click();"
    ))
    .await
    .unwrap();
    page.until(&format!(
        "document.querySelector('#who-title')?.textContent === {name:?}"
    ))
    .await
    .unwrap();
}

fn until_listed(service: &Service, names: &[&str]) {
    service.until("everybody", |service| {
        let (_, list) = service.request("GET", "/people", None);
        let list = list.as_str()?.to_owned();
        names
            .iter()
            .all(|name| list.contains(&format!("<bdi>{name}</bdi>")))
            .then_some(())
    });
}

#[tokio::test]
async fn somebody_is_found_looked_through_and_forgotten_after_all_agents_were_restarted() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = NamedHousehold::new();
    let service = house.start();
    let names = ["Asha Rao", "Bo", "Five-a-side"];
    until_listed(&service, &names);
    restart_agents(&service);
    until_listed(&service, &names);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;

    // From a name on Chats.
    page.go("/chats").await.unwrap();
    opens(&page, "Asha Rao").await;
    says(&page, "who", "Their own messages carry this name.").await;
    look(&page, &axe, "who", "person").await;

    // By a part of a name.
    page.go("/people").await.unwrap();
    look(&page, &axe, "people", "people").await;
    page.run("const form = document.querySelector('#people form'); form.elements.name.value = 'a-SIDE'; form.requestSubmit();")
        .await
        .unwrap();
    page.until("document.querySelectorAll('#people-found .rows > li').length === 1")
        .await
        .unwrap();
    opens(&page, "Five-a-side").await;
    click(&page, "[data-mute][data-for=\"8h\"]").await;
    says(&page, "done", "Five-a-side is muted until").await;
    is_there(&page, "#do [data-unmute]").await;
    look(&page, &axe, "who", "chat-muted").await;
    click(&page, "#done [data-undo-act]").await;
    says(&page, "done", "Five-a-side is no longer muted.").await;
    is_there(&page, "#do [data-mute]").await;

    click(&page, "#do [data-teach]").await;
    says(&page, "do", "Nothing about Five-a-side").await;
    look(&page, &axe, "known", "chat-rule").await;
    click(&page, "#do [data-unrule]").await;
    is_there(&page, "#do [data-teach]").await;

    // Named, and the name taken away again.
    click(&page, "#do details.name summary").await;
    page.run("const form = document.querySelector('#do form[data-naming]'); form.elements.name.value = 'Football'; form.requestSubmit();")
        .await
        .unwrap();
    page.until("document.querySelector('#who-title')?.textContent === 'Football'")
        .await
        .unwrap();
    click(&page, "#do details.name summary").await;
    page.run("[...document.querySelectorAll('#do form[data-naming]')].pop().requestSubmit();")
        .await
        .unwrap();
    page.until("document.querySelector('#who-title')?.textContent === 'Five-a-side'")
        .await
        .unwrap();

    // Forgotten: counted, called off, then gone, on the page that is open; a link to it afterwards says so.
    opens(&page, "Bo").await;
    send(&page, "#forget form", "forget-look", "With Bo this would go").await;
    send(&page, "#forget-look form", "forget-look", "In ten seconds").await;
    look(&page, &axe, "forget", "person-waits").await;
    send(&page, "#forget-look form", "forget-look", "Nothing was forgotten").await;
    send(&page, "#forget form", "forget-look", "With Bo this would go").await;
    send(&page, "#forget-look form", "forget-look", "In ten seconds").await;
    says(&page, "forget-look", "is forgotten. This went:").await;
    says(&page, "known", "I keep nothing that names them.").await;
    look(&page, &axe, "forget", "person-gone").await;
    let path = page.run("return location.pathname;").await.unwrap();
    let (status, _) = service.request("GET", path.as_str().unwrap(), None);
    assert_eq!(status, 404);
    page.run("location.reload();").await.unwrap();
    page.until("document.body.textContent.includes(\"I keep nothing about them\")")
        .await
        .unwrap();
}

#[tokio::test]
async fn odd_names_fit_the_list_and_their_pages() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let long = "Wolfeschlegelsteinhausenbergerdorff".repeat(9);
    let hebrew = "\u{5d0}\u{5e1}\u{5ea}\u{5e8}";
    let pizza = "\u{1f355}\u{1f355}";
    let house = MailboxHousehold::new(&[
        ("Kim <kim@example.net>", 400),
        ("Kim <kim@example.com>", 300),
        (&format!("{hebrew} <ester@example.net>"), 200),
        (&format!("{pizza} <pizza@example.net>"), 150),
        (&format!("{long} <long@example.net>"), 100),
    ]);
    let service = house.start();
    until_listed(&service, &["Kim", hebrew, pizza]);
    restart_agents(&service);
    until_listed(&service, &["Kim", hebrew, pizza]);
    let page = paired(&mut browser, DESK, &house.data(), &service).await;
    page.go("/people").await.unwrap();
    look(&page, &axe, "people", "people-odd").await;
    page.run(
        "[...document.querySelectorAll('a.what')].find((a) => a.textContent.startsWith('Wolfe')).click();",
    )
    .await
    .unwrap();
    page.until("document.querySelector('#who-title')?.textContent.startsWith('Wolfe')")
        .await
        .unwrap();
    look(&page, &axe, "known", "person-long").await;
    page.go("/people").await.unwrap();
    opens(&page, hebrew).await;
    look(&page, &axe, "who", "person-hebrew").await;
}
