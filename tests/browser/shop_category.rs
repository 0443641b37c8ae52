//! What a payment was for is changed where it stands, after all agents were restarted.
//!
//! What: the form beside a payment, its effect on the sums at once, the bar with Undo, and that taken back. Why: what was sorted wrong is put right by whoever sees
//! it. Not here: what Finance does with it (`agents`), restarts (`tests/integration/shop_category.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::paired,
    support::{Service, named_household::restart_agents},
};
use chrono::{TimeDelta, Utc};
use std::fs;

#[tokio::test]
async fn what_a_payment_was_for_is_changed_and_taken_back() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n[sources]\nfinance = [\"book.journal\"]\n").unwrap();
    let day = (Utc::now() - TimeDelta::days(1)).date_naive();
    // The shop's name is a script, and too long for a phone.
    let shop = format!("<script>alert(1)</script> {}", "Corner Shop ".repeat(20));
    fs::write(
        dir.path().join("book.journal"),
        format!("{day} {shop}\n    expenses:groceries  95.50 EUR\n    assets:bank\n"),
    )
    .unwrap();
    let service = Service::start(&home, &data);
    let path = format!("/money/spending?view=day&day={day}");
    service.until("the payment is kept", |service| {
        let (_, page) = service.request("GET", &path, None);
        page.as_str()?.contains("data-sorting").then_some(())
    });
    restart_agents(&service);
    let page = paired(&mut browser, PHONE, &data, &service).await;
    page.go(&path).await.unwrap();
    let sums = |category: &str| {
        format!("document.querySelector('#period .spending')?.innerText.toLowerCase().includes({category:?})")
    };
    page.until(&sums("groceries")).await.unwrap();
    click(&page, ".in-place summary").await;
    is_there(&page, "[data-sorting] select").await;
    look(&page, &axe, "period", "shop-category-form").await;
    page.run("document.querySelector('[data-sorting] select').value = 'health'")
        .await
        .unwrap();
    click(&page, "[data-sorting] button").await;
    page.until(&sums("health")).await.unwrap();
    page.go("/history").await.unwrap();
    let told = |text: &str| format!("document.getElementById('acts')?.innerText.includes({text:?})");
    page.until(&told("count as health.")).await.unwrap();
    look(&page, &axe, "acts", "shop-category-said").await;
    click(&page, "#acts [data-undo-act]").await;
    page.until(&told("count as groceries again.")).await.unwrap();
    page.go(&path).await.unwrap();
    page.until(&sums("groceries")).await.unwrap();
    assert_eq!(page.console().await.unwrap(), Vec::<String>::new());
}
