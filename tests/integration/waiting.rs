//! Who waits for the owner's answer, on the page of a running service.
//!
//! What: two people ask; the page Chats names them; one is put off; the service is killed and started again. Why: a count leads nowhere, a
//! name does, and what was put off stays so. Not here: which messages want an answer (`agents`), the markup (`surfaces`).

use crate::support::{Service, signal};
use serde_json::{Value, json};
use std::fs;

/// The part of the page that lists who waits.
fn waits(service: &Service) -> String {
    let (status, page) = service.request("GET", "/chats", None);
    assert_eq!(status, 200, "{page}");
    let page = page.as_str().unwrap();
    let (_, block) = page.split_once(r#"id="waits""#).unwrap();
    block.split_once("</section>").unwrap().0.to_owned()
}

#[test]
fn who_waits_is_named_and_put_off_and_stays_so_when_the_service_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\nnames = [\"Rohan\"]\n").unwrap();
    let service = Service::start(&home, &data);
    service.until("nobody waits", |service| {
        waits(service)
            .contains("Nobody who wrote in the last 14 days waits")
            .then_some(())
    });

    let said = |id: &str, sender: &str, text: &str| {
        let payload = json!({"app": "org.example.chat", "channel": "Lab", "sender": sender, "text": text});
        signal(id, "notification", &payload)
    };
    let all: Vec<Value> = vec![
        said("n1", "Asha", "Rohan, can you call me back today?"),
        said("n2", "Bo", "@Rohan please send the form asap"),
        said("n3", "Cleo", "so good haha"),
    ];
    let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(all)));
    assert_eq!(status, 202, "{reply}");
    let listed = waits(&service);
    for name in ["<bdi>Asha</bdi>", "<bdi>Bo</bdi>", "In Lab."] {
        assert!(listed.contains(name), "{name}: {listed}");
    }
    assert!(!listed.contains("Cleo"), "{listed}");

    // The button of Asha's row.
    let (before, _) = listed.split_once("Tomorrow: Asha").unwrap();
    let (_, id) = before.rsplit_once("data-put-off=\"").unwrap();
    let path = format!("/v1/messages/{}/put-off", id.split_once('"').unwrap().0);
    let (status, reply) = service.request("POST", &path, None);
    assert_eq!(status, 200, "{reply}");
    let left = waits(&service);
    assert!(left.contains("<bdi>Bo</bdi>") && !left.contains("Asha"), "{left}");
    let (status, reply) = service.request("POST", "/v1/messages/it_0000000000000001/put-off", None);
    assert_eq!((status, &reply["code"]), (502, &json!("CALL-004")), "{reply}");

    // No name is kept on the disk: who waits still does, without one, and who was put off is still put off.
    service.kill();
    let again = Service::start(&home, &data);
    let left = again.until("Comms' answer", |service| {
        let block = waits(service);
        block.contains("Tomorrow: ").then_some(block)
    });
    assert_eq!(left.matches("data-put-off").count(), 1, "{left}");
    assert!(left.contains("<bdi>Somebody</bdi>"), "{left}");
}
