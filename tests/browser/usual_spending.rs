//! A card about unusual spending was wrong, said on the open page, after all agents were restarted.
//!
//! What: a dear day of groceries is dismissed; *That's fine* and *Wrong* stand under it with their effects; *Wrong* calls the day usual, which stands in
//! Settings and is taken back there. Why: statistics do not know what was planned. Not here: what is not told because of it (`agents`), what the server
//! keeps (`tests/integration/usual_spending.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::{paired, says},
    support::{Service, afternoon_zone, named_household::restart_agents, signal},
};
use chrono::{TimeDelta, Utc};
use serde_json::json;
use std::fs;
use toolcall_schema::ids::CardId;

const USUAL: &str = "Up to ₹900.00 a day for groceries is usual to you.";

/// Thirty days of 32.55 and 167.45 in turn.
fn journal() -> String {
    let today = Utc::now().date_naive();
    let entry = |back: i64| {
        let day = today - TimeDelta::days(back);
        let amount = if back % 2 == 0 { "32.55" } else { "167.45" };
        format!("{day} Corner shop\n    expenses:groceries  {amount} INR\n    assets:bank\n\n")
    };
    (2..=31).map(entry).collect()
}

#[tokio::test]
async fn a_dear_day_is_called_usual_and_that_is_taken_back_in_settings() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    let zone = afternoon_zone();
    fs::write(
        &home,
        format!("zone = \"{zone}\"\n[sources]\nfinance = [\"book.journal\"]\n"),
    )
    .unwrap();
    fs::write(dir.path().join("book.journal"), journal()).unwrap();
    let service = Service::start(&home, &data);
    let oldest = Utc::now().date_naive() - TimeDelta::days(31);
    let sums = format!("/money/spending?day={oldest}");
    service.until("the journal is read", |service| {
        let (_, page) = service.request("GET", &sums, None);
        page.as_str()?.contains("groceries").then_some(())
    });
    let page = paired(&mut browser, PHONE, &data, &service).await;
    is_there(&page, "#now").await;
    let paid = json!({"amount": "900", "currency": "INR", "direction": "debit", "merchant": "dmart", "account_last4": "8841"});
    let batch = json!([signal("t1", "transaction", &paid)]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&batch));
    assert_eq!(status, 202, "{reply}");
    let card = service.asked();
    assert_eq!(card["decision"]["chosen"]["kind"], "SURFACE_ANOMALY", "{card}");
    let card = CardId::parse(card["card_id"].as_str().unwrap()).unwrap();
    page.until_card(&card).await.unwrap();
    page.tap(&card, "dismiss").await.unwrap();
    let wrong = "#done .meant[open] [data-usual=groceries][data-is=true]";
    is_there(&page, wrong).await;
    says(&page, "done", "That's fine").await;
    says(
        &page,
        "done",
        "I speak about groceries only when a day costs more than that one.",
    )
    .await;
    look(&page, &axe, "done", "usual-spending-offers").await;

    restart_agents(&service);
    click(&page, wrong).await;
    says(
        &page,
        "done",
        "From now on I take up to ₹900.00 a day for groceries as usual.",
    )
    .await;
    look(&page, &axe, "done", "usual-spending-said").await;
    page.go("/settings").await.unwrap();
    says(&page, "rules", USUAL).await;
    look(&page, &axe, "rules", "usual-spending-settings").await;
    click(&page, "#rules [data-usual][data-is=false]").await;
    page.until("!document.querySelector('#rules [data-usual]')")
        .await
        .unwrap();
    assert_eq!(page.console().await.unwrap(), Vec::<String>::new());
}
