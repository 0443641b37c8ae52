//! An address book: looked into, allowed, and then people are called as their owner calls them.
//!
//! What: names on the page Chats with the contacts, without them, and with them again. Why: what a card is called by is on the owner's disk alone, and is read
//! there at each start. Not here: cards and who is one person (`agents`), who may allow what (`surfaces`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{NewOwner, click, is_there, type_into},
    first_day_cases::{at_sources, drop_on},
    page::{Page, shows},
};
use std::{fs, time::SystemTime};

/// People with awkward names, one of them at two addresses.
fn book() -> String {
    let long = "Wolfeschlegelsteinhausenbergerdorff ".repeat(9);
    let card = |lines: &str| format!("BEGIN:VCARD\r\nVERSION:3.0\r\n{lines}\r\nEND:VCARD\r\n");
    [
        card(
            "FN:Asha Rao\r\nEMAIL:asha@work.example\r\nitem1.EMAIL:asha@home.example\r\nTEL:+44 7700 900123",
        ),
        card("FN:\u{5d3}\u{5e0}\u{5d4} \u{5dc}\u{5d5}\u{5d9}\r\nEMAIL:dana@x.example"),
        card("FN:\u{1f984}\u{1f33b}\r\nEMAIL:uni@x.example"),
        card(&format!("FN:{}\r\n \r\nEMAIL:long@x.example", long.trim())),
        card("FN:<script>alert(1)</script>\r\nEMAIL:tag@x.example"),
    ]
    .concat()
}

/// Everybody asks something, under a name of their own.
fn write_mails(owner: &NewOwner) {
    let now = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
    let from = [
        "asha@work.example",
        "asha@home.example",
        "dana@x.example",
        "uni@x.example",
        "long@x.example",
        "tag@x.example",
    ];
    for (n, from) in from.iter().enumerate() {
        let at = (now - chrono::Duration::minutes(10 + 20 * i64::try_from(n).unwrap())).to_rfc2822();
        let mail = format!(
            "From: own{n} <{from}>\r\nTo: anna@example.org\r\nDate: {at}\r\nMessage-ID: <{n}@x.example>\r\n\
             Subject: Dinner on Friday\r\n\r\nHi Anna,\r\ncould you tell me by tonight whether you can come on Friday?\r\n"
        );
        owner.put(&format!("Maildir/cur/{n}:2,"), &mail);
    }
    for folder in ["Maildir/new", "Maildir/tmp"] {
        fs::create_dir_all(owner.at(folder)).unwrap();
    }
}

/// Goes to Chats, and waits until one of those who wait is called so; the page is drawn anew as messages are read.
async fn chats_call(page: &Page, name: &str) {
    page.go("/chats").await.unwrap();
    page.until(&format!(
        "document.getElementById('waits').innerText.includes({name:?})"
    ))
    .await
    .unwrap();
}

#[tokio::test]
async fn contacts_are_looked_into_allowed_and_name_people_until_they_are_paused() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put("Downloads/people.vcf", &book());
    owner.put("stick/friends.vcf", &book());
    write_mails(&owner);
    let page = at_sources(&owner, &mut browser).await;
    shows(&page, "5 people, 7 addresses and numbers.").await;
    look(&page, &axe, "live", "contacts-found").await;

    // Dropped, it is looked into too, and its owner told to keep it where it can be read again.
    drop_on(&page, &[owner.at("stick/friends.vcf").to_str().unwrap()]).await;
    shows(&page, "Save this file in a folder that stays").await;
    page.until("document.getElementById('dropped').innerText.includes('5 people, 7 addresses and numbers.')")
        .await
        .unwrap();
    look(&page, &axe, "dropped", "contacts-dropped").await;

    click(&page, "[data-allow=\"contacts\"][data-path$=\"/people.vcf\"]").await;
    click(&page, "[data-allow=\"mail\"]").await;
    click(&page, "form[data-allows] button.main").await;
    page.until("document.querySelectorAll('#live > .rows li').length === 2")
        .await
        .unwrap();
    let home = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    assert!(home.contains("/Downloads/people.vcf\"]"), "{home}");

    // Who she is, so that it is known who asks her.
    click(&page, "button.main[data-welcome]").await;
    is_there(&page, ".welcome progress[value=\"4\"]").await;
    type_into(&page, "names", "Anna").await;
    type_into(&page, "addresses", "anna@example.org").await;
    click(&page, "#you button.main").await;
    is_there(&page, ".welcome progress[value=\"5\"]").await;

    chats_call(&page, "Asha Rao").await;
    let text = page.text().await.unwrap();
    for name in [
        "\u{5d3}\u{5e0}\u{5d4} \u{5dc}\u{5d5}\u{5d9}",
        "\u{1f984}\u{1f33b}",
        "<script>alert(1)</script>",
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains("own0") && !text.contains("own1"), "{text}");
    look(&page, &axe, "waits", "contacts-chats").await;

    // Paused, everybody is called as they call themselves; resumed, the file names them again.
    for (act, name) in [("pause", "own1"), ("resume", "Asha Rao")] {
        page.go("/settings").await.unwrap();
        click(
            &page,
            &format!("#sources [data-pausing=\"{act}\"][data-list=\"contacts\"]"),
        )
        .await;
        let other = if act == "pause" { "resume" } else { "pause" };
        is_there(
            &page,
            &format!("#sources [data-pausing=\"{other}\"][data-list=\"contacts\"]"),
        )
        .await;
        if act == "pause" {
            look(&page, &axe, "sources", "contacts-paused").await;
        }
        chats_call(&page, name).await;
    }
}
