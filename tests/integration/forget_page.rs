//! Forgetting on a page of a running service.
//!
//! What: a day is counted, called off, and then gone; a kind of measurement goes, and comes back by no repeat. Not here: who may, and the sentences (`surfaces/tests`); what goes with what (`deletion`).

use crate::support::{Service, afternoon_zone, command::aura, signal};
use chrono::{TimeDelta, Utc};
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
    // It is said once, and stands among what its owner did, without what it was.
    let page = |path: &str| {
        service
            .request("GET", path, None)
            .1
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(!page("/memory").contains("is forgotten. This went:"));
    let history = page("/history");
    assert!(history.contains("You had something forgotten: "), "{history}");
    assert!(!history.contains("choir"), "{history}");
}

/// A household that keeps each mail in a file of its own.
struct FolderOfMail(tempfile::TempDir);

impl FolderOfMail {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("Mail")).unwrap();
        let home = format!(
            "zone = \"{}\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Mail\"]\n",
            afternoon_zone()
        );
        fs::write(dir.path().join("home.toml"), home).unwrap();
        Self(dir)
    }

    /// A mail of half an hour ago.
    fn receives(&self, id: &str, who: &str) {
        let sent = (Utc::now() - TimeDelta::minutes(30)).to_rfc2822();
        let mail = format!(
            "From: {who} <{who}@example.net>\nTo: rohan@example.org\nMessage-ID: <{id}@example.net>\nDate: {sent}\n\
             Subject: Visit\n\nRohan, can you call me back today?\n"
        );
        // Whole or not at all: the service looks meanwhile.
        let (next, place) = (
            self.0.path().join("next"),
            self.0.path().join("Mail").join(format!("{id}.eml")),
        );
        fs::write(&next, mail).unwrap();
        fs::rename(next, place).unwrap();
    }
}

#[test]
fn whoever_is_forgotten_stays_away_although_their_mail_is_there() {
    let house = FolderOfMail::new();
    house.receives("m1", "asha");
    house.receives("m2", "mira");
    let (home, data) = (house.0.path().join("home.toml"), house.0.path().join("data"));
    let service = Service::start(&home, &data);
    let id_of = |service: &Service, name: &str| {
        service.until(name, |service| {
            let list = post(service, "/form/people/find", &json!({ "name": name }));
            let (before, _) = list.split_once(&format!("<bdi>{name}</bdi>"))?;
            let (_, id) = before.rsplit_once("href=\"/people/")?;
            Some(id.split_once('"')?.0.to_owned())
        })
    };
    let asha = id_of(&service, "asha");
    assert!(post(&service, "/form/forget", &json!({ "thing": asha })).contains("In ten seconds"));
    service.until("end of the deletion", |service| {
        let (_, page) = service.request("GET", "/memory", None);
        page.as_str()?.contains("is forgotten. This went:").then_some(())
    });
    // Who writes now is read with a look at the whole folder.
    house.receives("m3", "bo");
    let (status, reply) = service.request("POST", "/v1/tick", Some(&json!({})));
    assert!(status == 202 || status == 200, "{reply}");
    id_of(&service, "bo");
    let list = post(&service, "/form/people/find", &json!({ "name": "" }));
    assert!(list.contains("<bdi>mira</bdi>"), "{list}");
    assert!(
        !list.contains("<bdi>asha</bdi>") && !list.contains(&asha),
        "{list}"
    );
    // What comes after is new.
    house.receives("m4", "asha");
    service.request("POST", "/v1/tick", Some(&json!({})));
    assert_eq!(id_of(&service, "asha"), asha);
}

#[test]
fn a_kind_of_measurement_goes_from_every_byte_and_comes_back_by_no_repeat() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let _page = service.phone();
    let night = signal("s1", "sleep", &json!({ "asleep_min": 247 }));
    let post = |service: &Service, signals: &Value| {
        let (status, reply) = service.request("POST", "/v1/signals", Some(signals));
        assert_eq!(status, 202, "{reply}");
    };
    post(
        &service,
        &json!([signal("h1", "hrv", &json!({ "rmssd_ms": 23.5 })), night]),
    );
    let _ = service.request("POST", "/v1/tick", Some(&json!({})));
    let sleep = json!({ "kind": "sleep" });
    let counted = |service: &Service| {
        let (status, text) = service.request("POST", "/form/forget/count", Some(&sleep));
        assert_eq!(status, 200, "{text}");
        text.as_str().unwrap_or_default().to_owned()
    };
    service.until("a decision by it", |service| {
        let text = counted(service);
        (text.contains("measurement") && text.contains("explanation")).then_some(())
    });
    // The page leaves it to the browser that Aura opened; a program of the owner's own session may.
    assert_eq!(service.request("POST", "/form/forget", Some(&sleep)).0, 403);
    let data_text = data.to_str().unwrap();
    let key = data.with_extension("key");
    let of_folder = ["--data", data_text, "--key-file", key.to_str().unwrap()];
    let delete = [
        &["memory", "delete", "--measured", "sleep", "--yes"][..],
        &of_folder,
    ]
    .concat();
    let (code, out, err) = aura(&delete, b"");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("measurements"), "{out}");
    assert!(counted(&service).contains("I keep nothing of that."));
    // The same signal is known; the same night by another name was measured before.
    post(&service, &json!([night]));
    let mut other = night.clone();
    other["id"] = json!("s2");
    post(&service, &json!([other]));
    post(
        &service,
        &json!([signal("h2", "hrv", &json!({ "rmssd_ms": 24.5 }))]),
    );
    assert!(counted(&service).contains("I keep nothing of that."));
    service.kill();
    let scan = [&["memory", "scan", "--json"][..], &of_folder].concat();
    let (_, found, err) = aura(&scan, b"247.0\n\"sleep_min\":\n");
    assert_eq!(found, "", "{err}");
}
