//! What a day cost is usual by the owner's word, on a running service that is killed.
//!
//! What: it is said of a day, listed with its amount, survives the service and all agents, and is undone by the one undo. Why: what a card got wrong stays
//! said. Not here: what is not told because of it (`agents`, `finance::tests::allowed`), the buttons under a card (`surfaces/tests/pages/feedback.rs`).

use crate::support::{Service, named_household::restart_agents};
use chrono::{TimeDelta, Utc};
use serde_json::json;
use std::fs;

const USUAL: &str = "Up to €95.50 a day for groceries is usual to you.";

fn settings(service: &Service) -> String {
    let (status, page) = service.request("GET", "/settings", None);
    assert_eq!(status, 200, "{page}");
    page.as_str().unwrap().to_owned()
}

#[test]
fn a_day_is_usual_with_what_it_cost_after_every_restart_and_no_longer_when_undone() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n[sources]\nfinance = [\"book.journal\"]\n").unwrap();
    // A day that is over, whenever this runs.
    let day = (Utc::now() - TimeDelta::days(1)).date_naive();
    fs::write(
        dir.path().join("book.journal"),
        format!("{day} Corner Shop\n    expenses:groceries  95.50 EUR\n    assets:bank\n"),
    )
    .unwrap();
    let service = Service::start(&home, &data);
    let path = "/v1/spending/groceries/usual";
    let said = json!({"day": day, "usual": true});
    let reply = service.until("the payment is read", |service| {
        let (status, reply) = service.request("POST", path, Some(&said));
        (status == 200).then_some(reply)
    });
    let trace = reply["trace_id"].as_str().unwrap().to_owned();
    assert!(settings(&service).contains(USUAL), "{}", settings(&service));
    // Nothing is known of that day.
    let unknown = json!({"day": "2001-01-01", "usual": true});
    assert_eq!(service.request("POST", path, Some(&unknown)).0, 502);

    service.kill();
    let service = Service::start(&home, &data);
    restart_agents(&service);
    service.until("the amount in Settings", |service| {
        settings(service).contains(USUAL).then_some(())
    });
    let undo = format!("/v1/acts/{trace}/undo");
    for says in ["Undone.", "It was undone already."] {
        let (status, reply) = service.request("POST", &undo, None);
        assert_eq!((status, &reply["says"]), (200, &json!(says)), "{reply}");
    }
    assert!(!settings(&service).contains("is usual to you"));
}
