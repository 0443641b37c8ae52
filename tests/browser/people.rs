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
    page::{Page, paired, says},
    support::{
        Service,
        mailbox_household::MailboxHousehold,
        named_household::{NamedHousehold, restart_agents},
        signal,
    },
};
use serde_json::json;

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
    // It is told once: on the page with its one way back, and in the bar.
    is_there(&page, "#do [data-unmute]").await;
    is_there(&page, ".notice [data-undo-act]").await;
    says(&page, "status", "Five-a-side is muted until").await;
    let told =
        "return document.getElementById('live').textContent.toLowerCase().split('muted until').length - 1;";
    assert_eq!(page.run(told).await.unwrap(), 1);
    look(&page, &axe, "who", "chat-muted").await;
    click(&page, ".notice [data-undo-act]").await;
    is_there(&page, "#do [data-mute]").await;
    says(&page, "status", "Five-a-side is no longer muted.").await;
    let undone = "return document.body.textContent.split('is no longer muted.').length - 1;";
    assert_eq!(page.run(undone).await.unwrap(), 1);

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
    // The seconds are counted down for the eye alone, and nothing else is forgotten meanwhile.
    page.until("Number(document.querySelector('#forgetting [aria-hidden] [data-seconds]').textContent) < 10")
        .await
        .unwrap();
    let offered = "return getComputedStyle(document.querySelector('#forget > form')).display;";
    assert_eq!(page.run(offered).await.unwrap(), "none");
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
    until_listed(
        &service,
        &["Kim (kim@example.net)", "Kim (kim@example.com)", hebrew, pizza],
    );
    restart_agents(&service);
    until_listed(
        &service,
        &["Kim (kim@example.net)", "Kim (kim@example.com)", hebrew, pizza],
    );
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

/// Where something stands on the screen, in whole pixels.
async fn top(page: &Page, selector: &str) -> i64 {
    let place =
        format!("return Math.round(document.querySelector({selector:?}).getBoundingClientRect().top);");
    page.run(&place).await.unwrap().as_i64().unwrap()
}

/// Somebody else asks for something in a chat.
fn asks(service: &Service, id: &str, chat: &str) {
    let text = json!({"app": "com.whatsapp", "channel": chat, "sender": "Head", "text": "@Rohan please sign the form today"});
    let post = json!([signal(id, "notification", &text)]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&post));
    assert_eq!(status, 202, "{reply}");
    service.until("who asks", |service| {
        let (_, page) = service.request("GET", "/chats", None);
        page.as_str()?.contains(&format!("In {chat}.")).then_some(())
    });
}

#[tokio::test]
async fn what_somebody_reaches_for_stays_where_it_is_when_lines_come_above_it() {
    let mut browser = Browser::start().unwrap();
    let house = NamedHousehold::new();
    let service = house.start();
    until_listed(&service, &["Asha Rao", "Bo", "Five-a-side"]);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    page.go("/chats").await.unwrap();
    page.until("document.querySelectorAll('#waits .rows > li').length === 3")
        .await
        .unwrap();
    page.until_typeface().await.unwrap();
    // Nobody has touched it, and it stands at its top: what is in its middle stays there when a row comes above it.
    let middle = page
        .run(
            "document.querySelector('#waits .rows > li').remove(); \
             const row = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('li[id]'); \
             return row ? '#' + row.id : 'no row: ' + document.getElementById('live').innerHTML;",
        )
        .await
        .unwrap();
    let middle = middle.as_str().unwrap();
    assert!(middle.starts_with('#'), "{middle}");
    let before = top(&page, middle).await;
    page.run("document.dispatchEvent(new Event('visibilitychange'));")
        .await
        .unwrap();
    page.until("document.querySelectorAll('#waits .rows > li').length === 3")
        .await
        .unwrap();
    let after = top(&page, middle).await;
    assert!((after - before).abs() <= 2, "{before} {after}");

    click(&page, "#mute-here summary").await;
    let button = "#mute-here [data-mute][data-for=\"8h\"]";
    let before = top(&page, button).await;
    asks(&service, "n2", "School");
    page.run("document.dispatchEvent(new Event('visibilitychange'));")
        .await
        .unwrap();
    page.until("document.querySelectorAll('#waits .rows > li').length === 4")
        .await
        .unwrap();
    let after = top(&page, button).await;
    assert!((after - before).abs() <= 2, "{before} {after}");

    // Muted, what was tapped stays: the page is not loaded anew, and what was done stands below it.
    let before = top(&page, "#mute-here summary").await;
    page.run(&format!(
        "window.isSame = true; document.querySelector({button:?}).click();"
    ))
    .await
    .unwrap();
    is_there(&page, "#muted [data-unmute]").await;
    is_there(&page, ".notice [data-undo-act]").await;
    is_there(&page, "#done h2").await;
    let after = top(&page, "#mute-here summary").await;
    assert!((after - before).abs() <= 2, "{before} {after}");
    assert_eq!(page.run("return window.isSame === true;").await.unwrap(), true);
    let (waits, done) = (top(&page, "#waits").await, top(&page, "#done").await);
    assert!(waits < done, "{waits} {done}");

    // On a wide screen what is said stands over the page and pushes nothing.
    let wide = paired(&mut browser, DESK, &house.data(), &service).await;
    wide.go("/people").await.unwrap();
    opens(&wide, "Asha Rao").await;
    is_there(&wide, "#do [data-mute]").await;
    wide.run("scrollTo(0, 0);").await.unwrap();
    let before = top(&wide, "#who").await;
    wide.run("document.querySelector('#do [data-mute][data-for=\"8h\"]').click();")
        .await
        .unwrap();
    is_there(&wide, "#do [data-unmute]").await;
    wide.until("document.getElementById('status').textContent !== ''")
        .await
        .unwrap();
    let after = top(&wide, "#who").await;
    assert_eq!(before, after);

    // A person's mute is a rule, and is taken back where it is told.
    click(&wide, ".notice [data-undo-act]").await;
    is_there(&wide, "#do [data-mute]").await;
}
