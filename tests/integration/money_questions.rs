//! What the page Money asks, from outside: whose word counts, and what a message means that could not be read.
//!
//! What: a service that is posted such messages, its page, its answers, its restart. Why: the owner teaches a form once, nothing counts before, and
//! no text outlives the process. Not here: what a form is (`agents`), the sentences (`surfaces/tests`).

use crate::support::{Service, post_bank_message};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

fn page(service: &Service) -> String {
    let (status, page) = service.request("GET", "/money", None);
    assert_eq!(status, 200, "{page}");
    page.as_str().unwrap().to_owned()
}

/// What stands behind a mark on the page, up to a quotation mark.
fn attribute(page: &str, mark: &str) -> Option<String> {
    let (_, rest) = page.split_once(mark)?;
    rest.split('"').next().map(str::to_owned)
}

/// Waits until the page says so, while Aura looks again and again.
fn until_page(service: &Service, what: &str, says: impl Fn(&str) -> bool) -> String {
    service.until(what, |service| {
        service.request("POST", "/v1/tick", None);
        Some(page(service)).filter(|page| says(page))
    })
}

/// The journal makes every trace again.
fn assert_replays(data: &Path) {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .arg("replay")
        .arg(data)
        .args(["--verify", "--json"])
        .env("AURA_KEY_FILE", data.with_extension("key"))
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&done.stdout);
    let said: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (done.status.code(), &said["different"]),
        (Some(0), &json!(0)),
        "{said}"
    );
}

#[test]
fn an_unreadable_message_is_asked_about_once_and_its_form_outlives_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    post_bank_message(
        &service,
        "m1",
        "AX-SBIINB",
        "Addebito Rs.450.00 su conto X2207 presso KIRANA BAZAAR oggi",
    );
    let asked = until_page(&service, "a question", |page| page.contains("data-question"));
    assert!(asked.contains(">KIRANA<") && !asked.contains("₹450"), "{asked}");
    let question = attribute(&asked, "data-question=\"").unwrap();

    let path = format!("/v1/questions/{question}/answer");
    let marks = json!({"payments": [{"direction": "debit", "amount": {"from": 1, "to": 2}, "payee": {"from": 6, "to": 8}}]});
    // Where no amount stands nothing is done, and the question stays.
    let wrong = json!({"payments": [{"direction": "debit", "amount": {"from": 0, "to": 1}}]});
    let (status, refused) = service.request("POST", &path, Some(&wrong));
    assert_eq!((status, &refused["code"]), (502, &json!("CALL-004")), "{refused}");
    let (status, answered) = service.request("POST", &path, Some(&marks));
    assert_eq!(status, 200, "{answered}");
    let counted = until_page(&service, "the payment", |page| page.contains("₹450"));
    assert!(
        !counted.contains("data-question") && counted.contains("You taught me one form of its messages."),
        "{counted}"
    );
    // The trace says that it was answered, and no word of it.
    let (_, traces) = service.request("GET", "/v1/traces?limit=50", None);
    let told = traces.to_string();
    assert!(told.contains("finance.answer_question"), "{told}");
    for text in ["KIRANA", "kirana", "Addebito", "AX-SBIINB"] {
        assert!(!told.contains(text), "{text}: {told}");
    }
    service.kill();

    let service = Service::start(&home, &data);
    post_bank_message(
        &service,
        "m2",
        "AX-SBIINB",
        "Addebito Rs.50.00 su conto X2207 presso LUNA oggi",
    );
    let again = until_page(&service, "both payments", |page| page.contains("₹500"));
    assert!(
        !again.contains("data-question") && !again.contains("KIRANA"),
        "{again}"
    );
    service.kill();
    assert_replays(&data);
}

#[test]
fn a_sender_that_is_not_accepted_waits_on_the_page_and_counts_once_the_owner_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let body =
        "Confirmed. Rs.500.00 debited from your account XX2231 and paid to JOHN KAMAU. Ref 430912345678.";
    post_bank_message(&service, "m1", "PESABANK", body);
    let waits = until_page(&service, "a sender", |page| page.contains("data-sender"));
    assert!(
        waits.contains("One payment waits in INR") && waits.contains("Count this sender: PESABANK"),
        "{waits}"
    );
    assert!(!waits.contains("₹500"), "{waits}");
    let sender = attribute(&waits, "data-sender=\"").unwrap();
    let path = format!("/v1/senders/{sender}/judge");
    let judge = |standing: &str| {
        let (status, reply) = service.request("POST", &path, Some(&json!({ "standing": standing })));
        assert_eq!(status, 200, "{reply}");
        page(&service)
    };
    assert!(judge("not_a_bank").contains("You said it is not a bank"));
    assert!(judge("undecided").contains("One payment waits in INR"));
    assert!(judge("counts").contains("Its payments count"));
    let counted = until_page(&service, "the payment", |page| page.contains("₹500"));
    assert!(counted.contains("Its payments count."), "{counted}");
}

#[test]
fn what_the_owner_said_is_known_after_a_kill_that_comes_with_the_answer() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let stranger =
        "Confirmed. Rs.500.00 debited from your account XX2231 and paid to JOHN KAMAU. Ref 430912345678.";
    post_bank_message(&service, "m1", "PESABANK", stranger);
    post_bank_message(
        &service,
        "m2",
        "AX-SBIINB",
        "Addebito Rs.450.00 su conto X2207 presso KIRANA BAZAAR oggi",
    );
    let asked = until_page(&service, "both questions", |page| {
        page.contains("data-question") && page.contains("data-sender")
    });
    let sender = attribute(&asked, "data-sender=\"").unwrap();
    let path = format!("/v1/senders/{sender}/judge");
    let (status, reply) = service.request("POST", &path, Some(&json!({ "standing": "counts" })));
    service.kill();
    assert_eq!(status, 200, "{reply}");

    let service = Service::start(&home, &data);
    let counted = until_page(&service, "the stranger's payment", |page| page.contains("₹500"));
    assert!(counted.contains("Its payments count."), "{counted}");
    // A text is held by its agent alone and is told again after a restart.
    post_bank_message(
        &service,
        "m3",
        "AX-SBIINB",
        "Addebito Rs.450.00 su conto X2207 presso KIRANA BAZAAR oggi",
    );
    let asked = until_page(&service, "a question", |page| page.contains("data-question"));
    let question = attribute(&asked, "data-question=\"").unwrap();
    let marks = json!({"payments": [{"direction": "debit", "amount": {"from": 1, "to": 2}, "payee": {"from": 6, "to": 8}}]});
    let path = format!("/v1/questions/{question}/answer");
    let (status, reply) = service.request("POST", &path, Some(&marks));
    service.kill();
    assert_eq!(status, 200, "{reply}");

    let service = Service::start(&home, &data);
    until_page(&service, "what was marked", |page| {
        page.contains("₹950") && page.contains("You taught me one form of its messages.")
    });
    service.kill();
    assert_replays(&data);
}
