//! People and chats on their pages, after every agent was restarted.
//!
//! What: they are listed and found by name, one page says all that is kept with the total of an export, a chat is muted and that is undone, a person is
//! named and forgotten; four hundred who write, odd names. Why: "what do you know of Miriam" is answered whole or not at all. Not here: markup (`surfaces`),
//! what goes with what (`deletion`).

use crate::support::{
    Service,
    command::aura,
    mailbox_household::MailboxHousehold,
    named_household::{NamedHousehold, restart_agents},
    signal,
};
use serde_json::{Value, json};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// What the page says is kept, in all.
fn total(page: &str) -> usize {
    let (_, rest) = page
        .split_once("data-total=\"")
        .unwrap_or_else(|| panic!("{page}"));
    rest.split_once('"').unwrap().0.parse().unwrap()
}

/// Rows of an export of everything that name an id.
fn exported(data: &Path, id: &str) -> usize {
    let (data, key) = (data.to_str().unwrap(), data.with_extension("key"));
    let (code, text, err) = aura(
        &[
            "memory",
            "export",
            "--data",
            data,
            "--key-file",
            key.to_str().unwrap(),
        ],
        b"",
    );
    assert_eq!(code, Some(0), "{err}");
    let all: Value = serde_json::from_str(&text).unwrap();
    ["nodes", "edges", "labels", "traces", "counters", "ledger"]
        .iter()
        .flat_map(|table| all[table].as_array().cloned().unwrap_or_default())
        .filter(|row| row.to_string().contains(id))
        .count()
}

#[test]
fn one_page_says_all_that_is_kept_and_every_act_on_it_is_undone() {
    let house = NamedHousehold::new();
    let service = house.start();
    let (asha, chat) = (service.id_of("Asha Rao"), service.id_of("Five-a-side"));
    restart_agents(&service);
    assert_eq!(service.id_of("Asha Rao"), asha);
    let about = service.until("the counts of Comms", |service| {
        let about = service.page(&format!("/people/{asha}"));
        about
            .contains("Their own messages carry this name.")
            .then_some(about)
    });
    for says in [">Asha Rao</h1>", "1 message", "1, the oldest since", "Writes in"] {
        assert!(about.contains(says), "{says}: {about}");
    }
    // A message leads to who sent it.
    let chats = service.page("/chats");
    let (before, _) = chats.split_once("<bdi>Asha Rao</bdi>").unwrap();
    let (_, item) = before.rsplit_once("href=\"/people/").unwrap();
    let item = item.split_once('"').unwrap().0;
    let (status, _) = service.request("GET", &format!("/people/{item}"), None);
    assert!(item.starts_with("it_") && status == 303, "{item} {status}");

    // Muted, and undone.
    let (status, reply) = service.request("POST", &format!("/v1/mutes/{chat}"), Some(&json!({"for": "8h"})));
    assert_eq!(status, 200, "{reply}");
    let muted = service.page(&format!("/people/{chat}"));
    assert!(
        muted.contains("Muted until") && muted.contains("data-unmute") && !muted.contains("is muted until"),
        "told once: {muted}"
    );
    let undo = format!("/v1/acts/{}/undo", reply["trace_id"].as_str().unwrap());
    let begun = Instant::now();
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
    assert!(begun.elapsed() < Duration::from_secs(1));
    let loud = service.page(&format!("/people/{chat}"));
    assert!(
        !loud.contains("Muted until") && loud.contains("data-mute"),
        "{loud}"
    );

    // A rule about it, beside it, and gone.
    let (status, rule) = service.request("POST", "/v1/rules", Some(&json!({"subject": chat})));
    assert_eq!(status, 201, "{rule}");
    let ruled = service.page(&format!("/people/{chat}"));
    assert!(ruled.contains("Nothing about Five-a-side"), "{ruled}");
    let remove = format!("/v1/rules/{}/remove", rule["name"].as_str().unwrap());
    assert_eq!(service.request("POST", &remove, None).0, 204);
    let unruled = service.page(&format!("/people/{chat}"));
    assert!(
        !unruled.contains("data-unrule")
            && unruled.contains("You removed a rule. Nothing about Five-a-side."),
        "{unruled}"
    );

    // Named by the owner, which stays, and found by that name alone.
    let name = format!("/v1/things/{asha}/name");
    assert_eq!(
        service
            .request("POST", &name, Some(&json!({"name": "My sister"})))
            .0,
        204
    );
    restart_agents(&service);
    assert_eq!(service.id_of("My sister"), asha);
    for id in [&asha, &chat] {
        let (shown, whole) = service.until("the same total", |service| {
            let shown = total(&service.page(&format!("/people/{id}")));
            let whole = exported(&house.data(), id);
            // Something may be written between the two looks.
            (shown == whole).then_some((shown, whole))
        });
        assert!(shown == whole && shown > 2, "{id}: {shown} {whole}");
    }

    // Who was named by a post, which stands nowhere.
    let note = json!({"app": "org.example.chat", "channel": "Choir", "sender": "Jonna", "text": "see you on Friday"});
    let post = json!([signal("j1", "notification", &note)]);
    assert_eq!(service.request("POST", "/v1/signals", Some(&post)).0, 202);
    let listed = |service: &Service| {
        let list = service.find_people(&json!({"whom": "people"}));
        list.contains("<bdi>Jonna</bdi>").then_some(())
    };
    service.until("who was named by a post", listed);

    // Forgotten: the page that is open says so, and a link to it afterwards.
    let thing = json!({"thing": asha});
    let (status, counted) = service.request("POST", "/form/forget/count", Some(&thing));
    assert!(
        status == 200 && counted.as_str().unwrap().contains("1 count of who wrote"),
        "{counted}"
    );
    let (status, begun) = service.request("POST", "/form/forget", Some(&thing));
    assert!(
        status == 200 && begun.as_str().unwrap().contains("In ten seconds"),
        "{begun}"
    );
    service.until("the end of the deletion", |service| {
        let open = service.page(&format!("/people/{asha}?open=true"));
        open.contains("is forgotten. This went:").then_some(())
    });
    let (status, gone) = service.request("GET", &format!("/people/{asha}"), None);
    assert_eq!(status, 404);
    assert!(
        gone.as_str().unwrap().contains("I keep nothing about them"),
        "{gone}"
    );
    assert_eq!(exported(&house.data(), &asha), 0);
    // Forgetting her starts the agents again; whoever else was named keeps the name.
    service.until("who was named by a post, still", listed);
    let choir = service.page(&format!("/people/{}", service.id_of("Choir")));
    assert!(choir.contains("Jonna"), "{choir}");
}

#[test]
fn odd_names_and_two_of_one_name_have_a_page_each() {
    let long = "Wolfeschlegelsteinhausenbergerdorff".repeat(9);
    let hebrew = "\u{5d0}\u{5e1}\u{5ea}\u{5e8}";
    let pizza = "\u{1f355}\u{1f355}";
    let house = MailboxHousehold::new(&[
        ("Kim <kim@example.net>", 40),
        ("Kim <kim@example.com>", 30),
        (&format!("{hebrew} <ester@example.net>"), 20),
        (&format!("{pizza} <pizza@example.net>"), 15),
        (&format!("{long} <long@example.net>"), 10),
        ("\"<script>alert(1)</script>\" <script@example.net>", 5),
    ]);
    let service = house.start();
    MailboxHousehold::until_waiting(
        &service,
        &["Kim (kim@example.net)", "Kim (kim@example.com)", hebrew, pizza],
    );
    restart_agents(&service);
    for (name, shown) in [("Kim", "Kim (kim@example.net)"), (hebrew, hebrew), (pizza, pizza)] {
        let id = service.id_of_shown(name, shown);
        let about = service.page(&format!("/people/{id}"));
        assert!(about.contains(&format!(">{name}</h1>")), "{about}");
    }
    let all = service.find_people(&json!({"whom": "people"}));
    assert_eq!(all.matches("href=\"/people/pe_").count(), 6, "{all}");
    for address in ["kim@example.net", "kim@example.com"] {
        let row = format!("<bdi>Kim ({address})</bdi></a><span class=\"value\">1 message counted</span>");
        assert_eq!(all.matches(&row).count(), 1, "{all}");
    }
    assert!(
        all.contains("Wolfeschlegel") && !all.contains("<script>alert"),
        "{all}"
    );
}

#[test]
fn four_hundred_who_write_are_listed_and_each_is_found() {
    let house = NamedHousehold::new();
    let service = house.start();
    let note = |n: u32| {
        let payload = json!({"app": "org.example.chat", "channel": "Village", "sender": format!("Neighbour {n}"), "text": "good morning"});
        signal(&format!("v{n}"), "notification", &payload)
    };
    for begin in [0, 200] {
        let some: Vec<Value> = (begin..begin + 200).map(note).collect();
        let (status, reply) = service.request("POST", "/v1/signals", Some(&Value::from(some)));
        assert_eq!(status, 202, "{reply}");
    }
    let list = service.until("all of them", |service| {
        let list = service.find_people(&json!({"whom": "people"}));
        // Asha, Ester and Bo besides; fifty are shown.
        list.contains("353 more. Type a name to find them.")
            .then_some(list)
    });
    assert_eq!(list.matches("href=\"/people/pe_").count(), 50, "{list}");
    let id = service.id_of("Neighbour 399");
    assert!(service.page(&format!("/people/{id}")).contains("Village"));
    let village = service.id_of("Village");
    let about = service.page(&format!("/people/{village}"));
    assert!(about.contains("400 messages"), "{about}");
    assert!(
        about.contains("And 341 older. A copy of everything has them all."),
        "{about}"
    );
}
