//! First days that go wrong: a full disk, a second tab, a stolen phone.
//!
//! What: what a page says then, and that nothing is lost or let in. Why: it happens on the day on which its owner knows Aura least. Not here: wrong files
//! (`tests/browser/first_day_cases.rs`), a file that was changed by hand (`settings`).

use crate::{
    settings::Browser,
    supervised::limit_files,
    support::{Service, daily_event},
};
use aura_runtime::control::ControlRequest;
use chrono::Datelike as _;
use rustix::process::{Resource, prlimit};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};
use surfaces_base::devices::DeviceScope;

/// What the last screen of the welcome says.
fn last_screen(service: &Service) -> Option<String> {
    let (status, page) = service.request("GET", "/welcome/6", None);
    (status == 200)
        .then(|| page.as_str().map(str::to_owned))
        .flatten()
}

#[test]
fn disk_that_fills_while_something_is_read_is_said_and_reading_goes_on_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data, calendar) = (
        dir.path().join("home.toml"),
        dir.path().join("data"),
        dir.path().join("calendar"),
    );
    fs::create_dir(&calendar).unwrap();
    fs::write(calendar.join("one.ics"), daily_event("one")).unwrap();
    fs::write(
        &home,
        format!("zone = \"UTC\"\n[sources]\ncalendar = [{calendar:?}]\n"),
    )
    .unwrap();
    let service = Service::start(&home, &data);
    let says = |text: &str| {
        service.until(text, |service| {
            last_screen(service).filter(|page| page.contains(text))
        });
    };
    says("1 event");

    let limits = limit_files(service.pid(), Some(0));
    fs::write(calendar.join("two.ics"), daily_event("two")).unwrap();
    says("I cannot keep what I read");
    prlimit(Some(service.pid()), Resource::Fsize, limits).unwrap();
    says("2 events");
    service.until("page without the sentence", |service| {
        last_screen(service).filter(|page| !page.contains("disk is full"))
    });
    service.kill();
}

/// Amounts of the payments that memory has, as an export tells them.
fn payments(data: &Path) -> Vec<String> {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["memory", "export", "--data"])
        .arg(data)
        .env("AURA_KEY_FILE", data.with_extension("key"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let export: Value = serde_json::from_slice(&done.stdout).unwrap();
    let nodes = export["nodes"].as_array().unwrap().iter();
    let paid = nodes.filter(|node| node["data"]["type"] == "transaction");
    let mut amounts: Vec<String> = paid
        .map(|node| {
            let amount = node["data"]["amount"].as_str().unwrap();
            amount.trim_start_matches('-').to_owned()
        })
        .collect();
    amounts.sort();
    amounts
}

#[test]
fn two_exports_of_one_account_that_overlap_are_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data, bank) = (
        dir.path().join("home.toml"),
        dir.path().join("data"),
        dir.path().join("bank"),
    );
    fs::create_dir(&bank).unwrap();
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let before = today.with_day(1).and_then(|first| first.pred_opt()).unwrap();
    let month = before.format("%m/%Y");
    let file = |rows: &[(u32, &str)]| {
        let rows: Vec<String> = rows
            .iter()
            .map(|(day, amount)| format!("{day}/{month},Corner shop,{amount},\n"))
            .collect();
        format!("Date,Payee,Debit EUR,Credit EUR\n{}", rows.concat())
    };
    // The 14th stands in both.
    fs::write(bank.join("first.csv"), file(&[(13, "7.50"), (14, "2.50")])).unwrap();
    fs::write(bank.join("second.csv"), file(&[(14, "2.50"), (15, "9.25")])).unwrap();
    fs::write(
        &home,
        format!("zone = \"UTC\"\n[sources]\nfinance = [{bank:?}]\n"),
    )
    .unwrap();
    let service = Service::start(&home, &data);
    let all = service.until("payments of both files", |_| {
        let all = payments(&data);
        let has = |amount: &str| all.iter().any(|one| one.starts_with(amount));
        (has("7.5") && has("9.25")).then_some(all)
    });
    assert_eq!(all.len(), 3, "{all:?}");
    service.kill();
}

#[test]
fn of_two_tabs_in_the_welcome_the_second_is_told_what_the_first_saved_and_neither_loses_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    // Both tabs show the same file.
    let (page, token) = browser.page(&service);
    let (_, rest) = page.split_once("data-shown=\"").unwrap();
    let shown = rest.split('"').next().unwrap();
    let text = || fs::read_to_string(&home).unwrap();

    let first = json!({ "shown": shown, "names": ["Anna"] });
    let (head, body) = browser.post(&service, "/form/settings", &token, &first);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    // While the machine takes it up, a page asks again.
    let save = |change: &Value| {
        service.until("answer to the second tab", |service| {
            let (_, token) = browser.page(service);
            let answer = browser.post(service, "/form/settings", &token, change);
            let is_away = answer.0.starts_with("HTTP/1.1 503") || answer.1.contains("WEB-005");
            (!is_away).then_some(answer)
        })
    };
    let (head, body) = save(&json!({ "shown": shown, "ceiling": 1 }));
    assert!(head.starts_with("HTTP/1.1 409"), "{head}\n{body}");
    let told: Value = serde_json::from_str(&body).unwrap();
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("changed elsewhere") && message.contains("save again"),
        "{message}"
    );
    assert_eq!(told["there"]["names"], json!(["Anna"]));
    assert!(
        text().contains("names = [\"Anna\"]") && !text().contains("ceiling"),
        "{}",
        text()
    );
    // Saved again, with what the page now shows, both stand.
    let (head, body) = save(&json!({ "shown": told["shown"], "ceiling": 1 }));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    assert!(
        text().contains("names = [\"Anna\"]") && text().contains("ceiling = 1"),
        "{}",
        text()
    );
    service.kill();
}

#[test]
fn stolen_phone_that_is_paired_starts_no_program_opens_no_address_and_sees_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\nceiling = 2\n").unwrap();
    let service = Service::start(&home, &data);
    let pair = ControlRequest::Pair {
        scope: DeviceScope::Owner,
        name: None,
    };
    let phone = Browser::invited(&data, &service, &pair);
    let before = fs::read_to_string(&home).unwrap();
    let (page, _) = phone.page(&service);
    assert!(
        !page.contains("data-allows") && !page.contains("name=\"speech.program\""),
        "{page}"
    );
    let secret = "a long passphrase";
    let path = dir.path();
    for (form, change) in [
        (
            "/form/settings",
            json!({ "more": { "speech.program": "/tmp/evil" } }),
        ),
        ("/form/settings", json!({ "more": { "speech.enabled": "yes" } })),
        (
            "/form/settings",
            json!({ "more": { "model.worker": "/tmp/evil" } }),
        ),
        (
            "/form/settings",
            json!({ "more": { "ntfy.server": "https://evil.example" } }),
        ),
        (
            "/form/settings",
            json!({ "more": { "web_push.hosts": "evil.example" } }),
        ),
        (
            "/form/settings",
            json!({ "more": { "web.listen": "0.0.0.0:443" } }),
        ),
        (
            "/form/settings",
            json!({ "allow": [{ "list": "mail", "path": path }] }),
        ),
        ("/form/desktop", json!({ "at_login": true })),
        ("/form/sources/folder", json!({ "below": "" })),
        ("/form/sources/look", json!({ "list": "mail", "path": path })),
        (
            "/form/key",
            json!({ "place": "passphrase", "passphrase": secret, "repeated": secret }),
        ),
        ("/form/key/sheet", json!({})),
        (
            "/form/backup",
            json!({ "folder": path, "passphrase": secret, "repeated": secret }),
        ),
        ("/form/forget", json!({ "all": "yes" })),
    ] {
        let (_, token) = phone.page(&service);
        let mut change = change;
        if form == "/form/settings" {
            let (page, _) = phone.page(&service);
            let (_, rest) = page.split_once("data-shown=\"").unwrap();
            change["shown"] = rest.split('"').next().into();
        }
        let (head, body) = phone.post(&service, form, &token, &change);
        assert!(
            head.starts_with("HTTP/1.1 403") && body.contains("WEB-027"),
            "{form} {change}: {head}\n{body}"
        );
        assert!(
            body.contains("only the browser that Aura itself has opened"),
            "{body}"
        );
    }
    assert_eq!(fs::read_to_string(&home).unwrap(), before);
    // How she is spoken to it may change, and each change can be undone.
    let (head, body) = phone.send(&service, "/form/settings", &json!({ "ceiling": 1 }));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    service.kill();
}
