//! Safe to spend, on open pages: the figure with its parts, a budget that is set in Settings, and what comes again.
//!
//! What: a household with rent and salary, after all agents were restarted; a day that is marked on the page of the body. Not here: sums (`surfaces/tests/pages/ahead.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, DESK},
    first_day::{click, is_there},
    page::paired,
    support::{Service, named_household::restart_agents, signal},
};
use chrono::{Days, Months, NaiveDate, Utc};
use std::fmt::Write as _;

/// Rent in four days, salary ten days ago, a payee that is markup, one of 300 letters, and a year of one currency with a day of another.
fn journal(today: NaiveDate) -> String {
    let mut text = String::new();
    let mut entry = |day: NaiveDate, payee: &str, lines: &str| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{day} {payee}\n{lines}\n\n");
    };
    let back = |day: NaiveDate, months| day.checked_sub_months(Months::new(months)).unwrap();
    let rent = today.checked_add_days(Days::new(4)).unwrap();
    let salary = today.checked_sub_days(Days::new(10)).unwrap();
    for months in 1..=3 {
        let lines = "    expenses:rent  700.00 EUR\n    assets:bank:1122";
        entry(back(rent, months), "Landlord", lines);
        let lines = "    expenses:subscriptions  9.99 EUR\n    assets:bank:1122";
        entry(back(rent, months), "<script>alert(1)</script>", lines);
        let lines = "    assets:bank:1122  2000.00 EUR\n    income:salary";
        entry(back(salary, months - 1), "Employer", lines);
    }
    let lines = "    expenses:groceries  31.40 EUR\n    assets:bank:1122";
    entry(today, &"Greengrocer ".repeat(25), lines);
    entry(
        today,
        "Kiosk",
        "    expenses:groceries  2.50 USD\n    assets:bank:1122",
    );
    text
}

fn start(house: &tempfile::TempDir) -> Service {
    let today = Utc::now().date_naive();
    let told = today.and_hms_opt(0, 0, 0).unwrap().and_utc().to_rfc3339();
    let home = format!(
        "zone = \"UTC\"\nbalance = {{ amount = \"1500.00\", currency = \"EUR\", as_of = \"{told}\" }}\n\
         [sources]\nfinance = [\"book.journal\"]\n[finance]\naccounts = [\"1122\"]\n[budgets]\ngroceries = \"30\"\nrent = \"700\"\n"
    );
    std::fs::write(house.path().join("home.toml"), home).unwrap();
    std::fs::write(house.path().join("book.journal"), journal(today)).unwrap();
    Service::start(&house.path().join("home.toml"), &house.path().join("data"))
}

#[tokio::test]
async fn what_is_safe_to_spend_can_be_followed_and_a_budget_is_set() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = tempfile::tempdir().unwrap();
    let service = start(&house);
    service.until("what comes again", |service| {
        let (_, page) = service.request("GET", "/money/ahead", None);
        page.as_str()?.contains("Employer").then_some(())
    });
    restart_agents(&service);
    service.until("the names after the restart", |service| {
        let (_, page) = service.request("GET", "/money/ahead", None);
        let page = page.as_str()?;
        (page.contains("Employer") && page.contains("Landlord")).then_some(())
    });
    let page = paired(&mut browser, DESK, &house.path().join("data"), &service).await;

    page.go("/money").await.unwrap();
    click(&page, ".tabs a[href=\"/money/ahead\"]").await;
    is_there(&page, "#ahead .figure strong").await;
    page.until("[...document.querySelectorAll('#recurring bdi')].some((e) => e.textContent === '<Script>Alert(1)</Script>')")
        .await
        .unwrap();
    // 31.40 of 30.00, and 2.50 in another currency.
    page.until("document.querySelector('#budgets .over')?.textContent.includes('€1.40 over €30.00')")
        .await
        .unwrap();
    click(&page, "#ahead details summary").await;
    look(&page, &axe, "ahead", "money-ahead").await;
    look(&page, &axe, "recurring", "money-recurring").await;

    click(&page, "#budgets a[href=\"/settings#more\"]").await;
    is_there(&page, "#more").await;
    page.run(
        "for (const each of document.querySelectorAll('#more details')) each.open = true; \
         document.querySelector('[name=\"budgets.travel\"]').value = '250.00';",
    )
    .await
    .unwrap();
    click(&page, "#more [data-preview]").await;
    page.until(
        "(document.getElementById('more-preview')?.textContent || '').includes('travel = \"250.00\"')",
    )
    .await
    .unwrap();
    click(&page, "#more button.main").await;
    page.until("(document.getElementById('status')?.textContent || '').includes('Saved')")
        .await
        .unwrap();
    page.go("/money/ahead").await.unwrap();
    page.until("document.querySelector('#budgets')?.textContent.includes('€250.00 left of €250.00')")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_day_of_illness_is_marked_and_stands_in_the_pictures() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = tempfile::tempdir().unwrap();
    let service = start(&house);
    let body = serde_json::json!([
        signal("h1", "hrv", &serde_json::json!({ "rmssd_ms": 31.0 })),
        signal("s1", "sleep", &serde_json::json!({ "asleep_min": 410 })),
    ]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&body));
    assert_eq!(status, 202, "{reply}");
    let page = paired(&mut browser, DESK, &house.path().join("data"), &service).await;
    page.go("/body/days?days=7").await.unwrap();
    page.run("document.querySelector('#mark [name=\"tag\"]').value = 'ill';")
        .await
        .unwrap();
    click(&page, "#mark [type=submit]").await;
    page.until("document.querySelector('#marked p')?.textContent.includes('is marked: ill')")
        .await
        .unwrap();
    look(&page, &axe, "mark", "body-marked").await;
    page.go("/body/days?days=7").await.unwrap();
    page.until("[...document.querySelectorAll('#pictures td')].some((e) => e.textContent === 'ill')")
        .await
        .unwrap();
    look(&page, &axe, "period", "body-days").await;
}
