//! Where a shop's payments count by the owner's word, on a running service that is killed.
//!
//! What: it is said of a shop, changes the sums of the page at once, survives the service and all agents, and is undone by the one undo. Why: what was sorted
//! wrong stays put right. Not here: what Finance does with it (`agents`, `finance::tests::shops`), the form (`surfaces/tests/pages/spending.rs`).

use crate::support::{Service, named_household::restart_agents};
use chrono::{NaiveDate, TimeDelta, Utc};
use serde_json::json;
use std::fs;

fn spending(service: &Service, day: NaiveDate) -> String {
    let (status, page) = service.request("GET", &format!("/money/spending?day={day}"), None);
    assert_eq!(status, 200, "{page}");
    page.as_str().unwrap().to_owned()
}

/// Whether the sums by what for are these, as the page has them.
fn is_spent(page: &str, category: &str, sum: &str) -> bool {
    page.contains(&format!(
        r#"<bdi>{category}</bdi><span class="value">{sum}</span>"#
    ))
}

#[test]
fn a_shop_counts_elsewhere_at_once_and_after_every_restart_until_it_is_undone() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n[sources]\nfinance = [\"book.journal\"]\n").unwrap();
    // Days that are over, whenever this runs.
    let day = (Utc::now() - TimeDelta::days(1)).date_naive();
    let before = (Utc::now() - TimeDelta::days(9)).date_naive();
    let entry =
        |day, sum| format!("{day} Corner Shop\n    expenses:groceries  {sum} EUR\n    assets:bank\n\n");
    fs::write(
        dir.path().join("book.journal"),
        entry(before, "12.00") + &entry(day, "95.50"),
    )
    .unwrap();
    let service = Service::start(&home, &data);
    let page = service.until("the payment is kept", |service| {
        let page = spending(service, day);
        is_spent(&page, "groceries", "€95.50").then_some(page)
    });
    let (_, form) = page.split_once("data-shop=\"").unwrap();
    let path = format!("/v1/shops/{}/category", form.split_once('"').unwrap().0);

    let (status, reply) = service.request("POST", &path, Some(&json!({"category": "health"})));
    assert_eq!(status, 200, "{reply}");
    let trace = reply["trace_id"].as_str().unwrap().to_owned();
    // Both days, without a look in between.
    for (day, sum) in [(day, "€95.50"), (before, "€12.00")] {
        let page = spending(&service, day);
        assert!(
            is_spent(&page, "health", sum) && !page.contains("<bdi>groceries</bdi>"),
            "{page}"
        );
    }
    let nobody = "/v1/shops/mh_00112233445566aa/category";
    assert_eq!(
        service
            .request("POST", nobody, Some(&json!({"category": "rent"})))
            .0,
        502
    );

    service.kill();
    let service = Service::start(&home, &data);
    restart_agents(&service);
    let (_, history) = service.request("GET", "/history", None);
    assert!(
        history.as_str().unwrap().contains("count as health."),
        "{history}"
    );
    assert!(is_spent(&spending(&service, day), "health", "€95.50"));
    let undo = format!("/v1/acts/{trace}/undo");
    for says in ["Undone.", "It was undone already."] {
        let (status, reply) = service.request("POST", &undo, None);
        assert_eq!((status, &reply["says"]), (200, &json!(says)), "{reply}");
    }
    assert!(is_spent(&spending(&service, day), "groceries", "€95.50"));
}
