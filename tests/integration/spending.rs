//! What the page of spending says is what the exports say.
//!
//! What: a journal of a hundred days in two currencies, added up by hand here, on the pages by month, and out of the journal for hledger that `aura memory export`
//! writes. Why: two sums of one household must not differ. A year by its months is in `surfaces/tests/pages/ahead.rs`: what is read at once goes back 120 days.

use crate::support::{Service, home_folder::HomeFolder};
use chrono::{Days, Utc};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

/// In hundredths, by month and currency.
type MonthlySums = BTreeMap<(String, String), i64>;

/// What went out by month and currency, as a journal for hledger has it.
fn of_export(journal: &str) -> MonthlySums {
    let (mut sums, mut month) = (MonthlySums::new(), String::new());
    for line in journal.lines() {
        if let Some(posting) = line.strip_prefix("    expenses:") {
            let amount = posting.split_whitespace().skip(1).collect::<Vec<_>>();
            let [currency, size] = amount[..] else {
                panic!("{line}")
            };
            let key = (month.clone(), currency.to_owned());
            let (whole, part) = size.split_once('.').unwrap_or((size, ""));
            *sums.entry(key).or_default() += format!("{whole}{part:0<2}").parse::<i64>().unwrap();
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            line[..7].clone_into(&mut month);
        }
    }
    sums
}

/// As a page shows it.
fn shown(cents: i64, currency: &str) -> String {
    let (whole, part) = (cents / 100, cents % 100);
    let sign = if currency == "EUR" { "€" } else { "$" };
    if whole < 1_000 {
        return format!("{sign}{whole}.{part:02}");
    }
    format!("{sign}{},{:03}.{part:02}", whole / 1_000, whole % 1_000)
}

#[test]
fn the_pages_sums_are_those_of_the_journal_and_of_its_export() {
    let house = HomeFolder::new();
    let (config, data) = (house.at("home.toml"), house.at("data"));
    fs::write(
        &config,
        "zone = \"UTC\"\n[sources]\nfinance = [\"book.journal\"]\n",
    )
    .unwrap();
    let today = Utc::now().date_naive();
    let (mut journal, mut expected) = (String::new(), MonthlySums::new());
    for nth in 0..100_u64 {
        let day = today.checked_sub_days(Days::new(nth)).unwrap();
        let cents = 199 + i64::try_from(nth).unwrap() * 211 % 4_999;
        let currency = if nth == 40 { "USD" } else { "EUR" };
        let sum = format!("{}.{:02}", cents / 100, cents % 100);
        // Writing to a string cannot fail.
        let _ = write!(
            journal,
            "{day} Shop {}\n    expenses:groceries  {sum} {currency}\n    assets:bank:1122\n\n",
            nth % 9
        );
        let key = (day.format("%Y-%m").to_string(), currency.to_owned());
        *expected.entry(key).or_default() += cents;
    }
    fs::write(house.at("book.journal"), &journal).unwrap();
    let service = Service::start(&config, &data);
    let export = || {
        let done = house
            .command(&["memory", "export", "--format", "hledger"])
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .env("AURA_HOME", &config)
            .env("AURA_DATA", &data)
            .output()
            .unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    service.until("all payments", |_| {
        (of_export(&export()) == expected).then_some(())
    });
    for ((month, currency), cents) in &expected {
        let path = format!("/money/spending?view=month&day={month}-15");
        let (status, page) = service.request("GET", &path, None);
        let page = page.as_str().unwrap();
        let sum = shown(*cents, currency);
        assert!(
            status == 200 && page.contains(&format!("<strong>{sum}</strong>")),
            "{month} {sum}: {page}"
        );
    }
    let months: BTreeSet<&String> = expected.keys().map(|(month, _)| month).collect();
    assert!(months.len() >= 4, "{months:?}");
}
