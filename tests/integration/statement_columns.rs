//! Other columns of a statement that is read already.
//!
//! What: the page of a running service, its agents and its memory, with an export in a folder. Why: read by other columns each payment would be there
//! twice. Not here: what takes whose place (`agents`), the fields (`surfaces/tests`).

use crate::{settings::Browser, support::Service};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path, process::Command};

/// The payments that memory holds.
fn remembered(home: &Path, data: &Path) -> Vec<String> {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["memory", "search", "transaction", "--json"])
        .env("AURA_HOME", home)
        .env("AURA_DATA", data)
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    let found = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    found
        .filter_map(|found| Some(found["key"].as_str()?.to_owned()))
        .filter(|key| key.starts_with("tx_"))
        .collect()
}

#[test]
fn columns_of_a_file_in_a_read_folder_are_chosen_and_each_payment_is_known_once() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let (home, data, folder) = (at("home.toml"), at("data"), at("Bank"));
    fs::create_dir(&folder).unwrap();
    let statement = folder.join("bank.csv");
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let row = |back: u64, shop: &str, amount: &str| {
        let day = today - chrono::Days::new(back);
        format!("{day},CARD PAYMENT,{shop},{amount}\n")
    };
    let rows = [
        row(5, "CORNER SHOP", "-12.50"),
        row(4, "BAKERY", "-3.10"),
        row(3, "INN", "-8.00"),
    ]
    .concat();
    fs::write(&statement, format!("Date,Payee,Details,Amount EUR\n{rows}")).unwrap();
    let text = format!("# Mine.\nzone = \"UTC\"\n[sources]\nfinance = [{folder:?}] # my bank\n");
    fs::write(&home, &text).unwrap();
    let service = Service::start(&home, &data);
    let known = |service: &Service, wanted: usize| {
        service.until("payments in memory", |_| {
            let found = remembered(&home, &data);
            (found.len() == wanted).then_some(found)
        })
    };
    let before: BTreeSet<String> = known(&service, 3).into_iter().collect();
    let browser = Browser::opened(&data, &service);
    let columns = json!({ "date": "Date", "payee": "Details", "amount": "Amount EUR" });
    let change = json!({ "csv": [{ "path": statement, "columns": columns }] });
    let (head, body) = browser.send(&service, "/form/settings", &change);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    let written = fs::read_to_string(&home).unwrap();
    assert!(
        written.starts_with(&text) && written.contains("payee = [\"Details\"]"),
        "{written}"
    );
    // The three of before are gone from memory, and three others are there.
    service.until("the payments by their other columns", |_| {
        let now: BTreeSet<String> = remembered(&home, &data).into_iter().collect();
        (now.len() == 3 && now.is_disjoint(&before)).then_some(())
    });
    let (status, page) = service.request("GET", "/welcome/6", None);
    assert_eq!(status, 200);
    assert!(page.as_str().unwrap().contains("3 payments"), "{page}");
    // Undone, it is read as before.
    let (head, body) = browser.send(&service, "/form/settings/undo", &json!({}));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    assert_eq!(fs::read_to_string(&home).unwrap(), text);
    service.until("the payments of before", |_| {
        let now: BTreeSet<String> = remembered(&home, &data).into_iter().collect();
        (now == before).then_some(())
    });
}
