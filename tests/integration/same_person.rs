//! Two senders who are one person by the owner's word, on a running service that is killed.
//!
//! What: it is said on somebody's page, survives the service and all agents, leads from either id to one page with what is kept of both, and goes with whom is
//! forgotten. Why: it holds wherever contacts' merges do. Not here: what counts together (`agents`), the page in a browser (`tests/browser/same_person.rs`).

use crate::support::named_household::{NamedHousehold, restart_agents};
use serde_json::json;

const RULE: &str = "You said that Bo is the same person as Asha Rao.";

#[test]
fn two_are_one_after_every_restart_and_are_forgotten_together() {
    let house = NamedHousehold::new();
    let service = house.start();
    let (asha, bo) = (service.id_of("Asha Rao"), service.id_of("Bo"));
    let set = format!("/v1/people/{asha}/same");
    let said = json!({"other": bo, "same": true});
    let (status, reply) = service.request("POST", &set, Some(&said));
    assert_eq!(status, 200, "{reply}");
    let trace = reply["trace_id"].as_str().unwrap().to_owned();
    // Oneself is nobody else.
    let (status, reply) = service.request("POST", &set, Some(&json!({"other": asha, "same": true})));
    assert_eq!(status, 502, "{reply}");

    service.kill();
    let service = house.start();
    restart_agents(&service);
    // Comms answers each question of a page by itself. She writes where Bo does.
    let wanted = [RULE, "2 addresses and numbers count as this one", "Five-a-side"];
    service.until("one page of both", |service| {
        let about = service.page(&format!("/people/{asha}"));
        wanted.iter().all(|says| about.contains(says)).then_some(())
    });
    let (status, _) = service.request("GET", &format!("/people/{bo}"), None);
    assert_eq!(status, 303);
    service.until_says("/settings", RULE);
    let list = service.request(
        "POST",
        "/form/people/find",
        Some(&json!({"name": "", "whom": "people"})),
    );
    let list = list.1.as_str().unwrap().to_owned();
    assert!(list.contains(&asha) && !list.contains(&bo), "{list}");

    // Undone, and said again.
    let (status, reply) = service.request("POST", &format!("/v1/acts/{trace}/undo"), None);
    assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
    assert!(!service.page(&format!("/people/{asha}")).contains(RULE));
    assert!(service.page(&format!("/people/{bo}")).contains(">Bo</h1>"));
    let (status, reply) = service.request("POST", &set, Some(&said));
    assert_eq!(status, 200, "{reply}");

    // Forgetting her takes what is kept of both.
    let thing = json!({"thing": asha});
    let (status, begun) = service.request("POST", "/form/forget", Some(&thing));
    assert_eq!(status, 200, "{begun}");
    service.until("the end of the deletion", |service| {
        let open = service.page(&format!("/people/{asha}?open=true"));
        open.contains("is forgotten. This went:").then_some(())
    });
    for id in [&asha, &bo] {
        assert_eq!(
            service.request("GET", &format!("/people/{id}"), None).0,
            404,
            "{id}"
        );
    }
    service.until("settings without them", |service| {
        let settings = service.page("/settings");
        let read = !settings.contains("I cannot say whom you put together");
        (read && !settings.contains(RULE)).then_some(())
    });
}
