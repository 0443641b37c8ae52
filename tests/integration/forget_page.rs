//! Forgetting on a page of a running service.
//!
//! What: a day is counted, called off, and then gone. Not here: who may, and the sentences (`surfaces/tests`); what goes with what (`deletion`).

use crate::support::Service;
use chrono::Utc;
use serde_json::{Value, json};
use std::fs;

fn post(service: &Service, path: &str, body: &Value) -> String {
    let (status, text) = service.request("POST", path, Some(body));
    assert_eq!(status, 200, "{path}: {text}");
    text.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_day_is_counted_called_off_and_then_gone() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let now = Utc::now();
    let payload = json!({ "app": "org.example.chat", "channel": "choir", "sender": "Asha", "text": "the kettle is on" });
    let signal = json!([{ "id": "n-1", "at": now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true), "source": "test", "kind": "notification", "payload": payload }]);
    assert_eq!(service.request("POST", "/v1/signals", Some(&signal)).0, 202);
    let day = json!({ "day": now.date_naive() });
    service.until("something to forget", |service| {
        post(service, "/form/forget/count", &day)
            .contains("I remember")
            .then_some(())
    });

    assert!(post(&service, "/form/forget", &day).contains("In ten seconds"));
    assert!(post(&service, "/form/forget/undo", &json!({})).contains("Nothing was forgotten."));
    assert!(post(&service, "/form/forget/count", &day).contains("I remember"));

    assert!(post(&service, "/form/forget", &day).contains("In ten seconds"));
    service.until("end of the deletion", |service| {
        let (_, page) = service.request("GET", "/memory", None);
        page.as_str()?.contains("is forgotten. This went:").then_some(())
    });
    let left = post(&service, "/form/forget/count", &day);
    assert!(!left.contains("I remember"), "{left}");
}
