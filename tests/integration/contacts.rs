//! Contacts in a running service: names, one person of two addresses, after a restart, and until the card is gone.
//!
//! What: an address book as a folder, mails of one person from two addresses and of a stranger; agents and service are killed, then the card is removed. Why: names
//! are read where they lie, and memory has one person. Not here: cards and lessons (`agents`), allowing an address book (`tests/browser`).

use crate::support::{Service, home_folder::HomeFolder};
use chrono::{TimeDelta, Utc};
use serde_json::json;
use std::fs;

fn write(house: &HomeFolder, name: &str, text: &str) {
    let path = house.at(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn mail(from: &str, minutes: i64) -> String {
    let sent = (Utc::now() - TimeDelta::minutes(minutes)).to_rfc2822();
    format!(
        "From: {from}\r\nTo: rohan@example.org\r\nMessage-ID: <m{minutes}@example.net>\r\nDate: {sent}\r\nSubject: Visit\r\n\r\n\
         Rohan, can you call me back today?\r\n"
    )
}

/// How many who wait are called so.
fn waiting(service: &Service, name: &str) -> usize {
    let page = service.page("/chats");
    let (_, block) = page.split_once(r#"id="waits""#).unwrap();
    let (block, _) = block.split_once("</section>").unwrap();
    block.matches(&format!("<bdi>{name}</bdi>")).count()
}

/// How many people in memory are called so.
fn people(service: &Service, name: &str) -> usize {
    let body = json!({"kind": "people", "name": name});
    let (status, part) = service.request("POST", "/form/memory/find", Some(&body));
    assert_eq!(status, 200, "{part}");
    part.as_str()
        .unwrap()
        .matches(&format!("<bdi>{name}</bdi>"))
        .count()
}

#[test]
fn one_person_of_two_addresses_has_the_contacts_name_after_a_restart_and_until_the_card_is_gone() {
    let house = HomeFolder::new();
    write(
        &house,
        "home.toml",
        "zone = \"UTC\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"mail\"]\ncontacts = [\"book\"]\n",
    );
    write(&house, "mail/1.eml", &mail("asha79 <asha@work.example>", 30));
    write(&house, "mail/2.eml", &mail("rao <asha@home.example>", 20));
    write(&house, "mail/3.eml", &mail("Bo <bo@x.example>", 10));
    let card = "BEGIN:VCARD\nVERSION:4.0\nFN:Asha Rao\nEMAIL:asha@work.example\nEMAIL:asha@home.example\nEND:VCARD\n";
    write(&house, "book/asha.vcf", card);
    write(&house, "book/broken.vcf", "BEGIN:VCARD\nFN:Torn");
    let (config, data) = (house.at("home.toml"), house.at("data"));
    let service = Service::start(&config, &data);
    let named = |service: &Service| {
        service.until("the contact's name", |service| {
            let all = waiting(service, "Asha Rao") == 2 && waiting(service, "Bo") == 1;
            (all && people(service, "Asha Rao") == 1 && people(service, "Bo") == 1).then_some(())
        });
    };
    named(&service);
    // What could not be read of the book is named; people are no messages.
    let settings = service.page("/settings");
    for says in [
        "broken.vcf",
        "This contact is cut off, or has neither a name nor an address.",
        "3 messages",
    ] {
        assert!(settings.contains(says), "{says}");
    }
    service.kill();
    let again = Service::start(&config, &data);
    named(&again);
    // Without the card both are called as they call themselves.
    fs::remove_file(house.at("book/asha.vcf")).unwrap();
    again.until("their own names", |service| {
        let own = waiting(service, "asha79") == 1 && waiting(service, "rao") == 1;
        (own && waiting(service, "Asha Rao") == 0).then_some(())
    });
}

#[test]
fn an_imported_address_book_is_allowed_and_read_from_then_on() {
    let house = HomeFolder::new();
    write(
        &house,
        "home.toml",
        "zone = \"UTC\"\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"mail\"] # mine\n",
    );
    write(&house, "mail/1.eml", &mail("asha79 <asha@work.example>", 30));
    write(&house, "mail/2.eml", &mail("bobo <bo@x.example>", 20));
    let card = |name: &str, address: &str| {
        format!("BEGIN:VCARD\nVERSION:3.0\nFN:{name}\nEMAIL:{address}\nEND:VCARD\n")
    };
    write(&house, "asha.vcf", &card("Asha Rao", "asha@work.example"));
    write(&house, "bo.vcf", &card("Bo Berg", "bo@x.example"));
    let (config, data) = (house.at("home.toml"), house.at("data"));
    let import = |book: &str| {
        let done = house
            .command(&["import", "--json"])
            .arg(house.at(book))
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .env("AURA_HOME", &config)
            .env("AURA_DATA", &data)
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(0), "{done:?}");
    };
    // A key, and no service.
    drop(Service::start(&config, &data));
    import("asha.vcf");
    let text = fs::read_to_string(&config).unwrap();
    assert!(
        text.contains("mail = [\"mail\"] # mine") && text.contains("/asha.vcf\"]"),
        "{text}"
    );
    let service = Service::start(&config, &data);
    service.until("the first name", |service| {
        (waiting(service, "Asha Rao") == 1).then_some(())
    });
    // Beside the running service, which takes it up.
    import("bo.vcf");
    service.until("the second name", |service| {
        (waiting(service, "Bo Berg") == 1 && waiting(service, "Asha Rao") == 1).then_some(())
    });
}
