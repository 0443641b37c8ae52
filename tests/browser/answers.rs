//! *Answer these* on the open page, after all agents were restarted.
//!
//! What: six people who wait, two of one name among them; a reply that was drafted is edited, refused when it was changed elsewhere, copied, handed to
//! a mail program and discarded; people are done with by keyboard alone. Why: this is where an owner answers. Not here: what the server
//! answers (`tests/integration/answers.rs`), order and markup (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::paired,
    support::{mailbox_household::MailboxHousehold, named_household::restart_agents},
};
use std::fs;

const LONG: &str = "Wolfeschlegelsteinhausenbergerdorff";

#[tokio::test]
async fn who_waits_is_answered_from_one_place_after_all_agents_were_restarted() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let long = LONG.repeat(9);
    let long_sender = format!("{long} <long@example.net>");
    let house = MailboxHousehold::new(&[
        ("Kim <kim@example.net>", 400),
        ("Kim <kim@example.com>", 300),
        ("\u{5d0}\u{5e1}\u{5ea}\u{5e8} <ester@example.net>", 200),
        ("\u{1f355}\u{1f355} <pizza@example.net>", 150),
        (&long_sender, 100),
        ("Asha Rao <asha@example.net>", 5),
    ]);
    let service = house.start();
    let names = [
        "Kim (kim@example.net)",
        "Kim (kim@example.com)",
        "\u{5d0}\u{5e1}\u{5ea}\u{5e8}",
        "\u{1f355}\u{1f355}",
        "Asha Rao",
    ];
    MailboxHousehold::until_waiting(&service, &names);
    let item = house.draft_reply(&service);
    restart_agents(&service);
    MailboxHousehold::until_waiting(&service, &names);
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    page.go("/chats").await.unwrap();
    page.until("document.querySelectorAll('#waits .rows > li').length === 6")
        .await
        .unwrap();
    look(&page, &axe, "waits", "answers").await;

    // The draft is edited, and the mail program gets what stands in the field.
    let field = format!("form[data-draft=\"{item}\"] textarea");
    let write =
        |text: &str| format!("const field = document.querySelector({field:?}); field.value = {text:?};");
    page.run(&write("I'll call you at six & bring the list."))
        .await
        .unwrap();
    click(&page, "form[data-draft] [type=submit]").await;
    page.until("document.getElementById('status').textContent === 'Saved.'")
        .await
        .unwrap();
    let text = || house.drafts()[0].1.clone();
    assert_eq!(text(), "I'll call you at six & bring the list.");
    let link = page
        .run("return document.querySelector('a[data-mail]').getAttribute('href');")
        .await
        .unwrap();
    let link = link.as_str().unwrap();
    assert!(
        link.starts_with("mailto:asha@example.net?subject=Your%20message%20of%20")
            && link.ends_with("&body=I%27ll%20call%20you%20at%20six%20%26%20bring%20the%20list."),
        "{link}"
    );
    click(&page, "form[data-draft] [data-copy]").await;
    page.until("['Copied.', 'Your browser does not let me copy. The draft is selected: copy it yourself.'].includes(document.getElementById('status').textContent)")
        .await
        .unwrap();

    // Changed elsewhere meanwhile: nothing is lost, and what is there is shown.
    let file = house.data().join("outbox").join(format!("reply-{item}.txt"));
    fs::write(&file, "Changed by hand.").unwrap();
    page.run(&write("What I typed.")).await.unwrap();
    click(&page, "form[data-draft] [type=submit]").await;
    page.until("document.querySelector('[data-there]').textContent === 'There now: Changed by hand.'")
        .await
        .unwrap();
    look(&page, &axe, "waits", "answers-changed").await;
    assert_eq!(text(), "Changed by hand.");
    let typed = page
        .run(&format!("return document.querySelector({field:?}).value;"))
        .await
        .unwrap();
    assert_eq!(typed, "What I typed.");
    click(&page, "form[data-draft] [type=submit]").await;
    page.until("document.getElementById('status').textContent === 'Saved.'")
        .await
        .unwrap();
    assert_eq!(text(), "What I typed.");

    // By keyboard alone: the first Kim is done with, then the next one is at hand.
    page.run(
        "document.querySelector('[data-as=\"done\"][aria-label=\"Done: Kim (kim@example.net)\"]').focus();",
    )
    .await
    .unwrap();
    page.keys("\u{e007}").await.unwrap();
    page.until(
        "/Kim( \\(kim@example\\.net\\))? no longer waits for your answer\\./.test(document.body.textContent)",
    )
    .await
    .unwrap();
    page.until("document.querySelectorAll('#waits .rows > li').length === 5 && document.activeElement.dataset.doneWith")
        .await
        .unwrap();
    // Tapped twice before the answer is there, it is one act.
    page.run("const row = document.querySelector('[data-as=\"not-for-me\"][aria-label*=\"\u{1f355}\"]'); row.click(); row.click();")
        .await
        .unwrap();
    page.until("document.querySelectorAll('#waits .rows > li').length === 4")
        .await
        .unwrap();
    let (_, history) = service.request("GET", "/history", None);
    let history = history.as_str().unwrap();
    assert_eq!(
        history
            .matches("and I offer such messages a little less.</bdi>")
            .count(),
        1,
        "{history}"
    );
    look(&page, &axe, "done", "answers-done").await;
    click(&page, "#done [data-undo-act]").await;
    page.until("document.querySelectorAll('#waits .rows > li').length === 5")
        .await
        .unwrap();

    // Discarded elsewhere while it is edited here.
    page.run(&write("Too late.")).await.unwrap();
    let (_, history) = service.request("GET", "/history", None);
    let history = history.as_str().unwrap();
    let (before, _) = history.split_once("aria-label=\"Discard draft: ").unwrap();
    let (_, act) = before.rsplit_once("data-undo-act=\"").unwrap();
    let (status, reply) = service.request(
        "POST",
        &format!("/v1/acts/{}/undo", act.split_once('"').unwrap().0),
        None,
    );
    assert_eq!(status, 200, "{reply}");
    click(&page, "form[data-draft] [type=submit]").await;
    page.until("document.getElementById('status').textContent.startsWith('This draft was discarded')")
        .await
        .unwrap();
    assert_eq!(house.drafts(), []);
    is_there(&page, "#waits").await;

    // Who has no draft gets one at a tap: it can be written in at once, and is discarded as any other.
    page.go("/chats").await.unwrap();
    is_there(&page, "[data-write-reply]").await;
    page.run("const button = document.querySelector('[data-write-reply]'); button.click(); button.click();")
        .await
        .unwrap();
    page.until("document.activeElement.matches('form[data-draft] textarea')")
        .await
        .unwrap();
    assert_eq!(house.drafts().len(), 1);
    look(&page, &axe, "waits", "answers-drafted").await;
    click(&page, "form[data-draft] [data-undo-act]").await;
    page.until("document.querySelector('form[data-draft]') === null")
        .await
        .unwrap();
    assert_eq!(house.drafts(), []);
}
