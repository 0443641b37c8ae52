//! A household's year on the pages of spending, against what hledger says of the same journal.
//!
//! What: each month by currency and category, what came in, and what went between own accounts. Why: two programs that read one book must agree, and hledger is not ours.
//! How the figures were made stands in `year/README.md`. Not here: reading a journal (`agents`), the same through the whole service (`tests/integration/spending.rs`).

use crate::{
    ahead::{server_with, text},
    morning::ts,
};
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};
use surfaces_base::{
    backend::{KeptPayment, money_terms::MoneyTerms},
    format, words,
};
use toolcall_schema::{Category, ids::MerchantHash};

const JOURNAL: &str = include_str!("year/household.journal");
const EXPENSES: &str = include_str!("year/expenses.csv");
const INCOME: &str = include_str!("year/income.csv");

/// A sum by month, currency and the last part of an account's name.
type MonthlySums = BTreeMap<(String, String, String), Decimal>;

/// What hledger printed.
fn sums(csv: &str) -> MonthlySums {
    let mut lines = csv.lines().map(|line| {
        line.split(',')
            .map(|cell| cell.trim_matches('"'))
            .collect::<Vec<_>>()
    });
    let head = lines.next().unwrap();
    let mut sums = MonthlySums::new();
    for line in lines {
        let name = line[0].rsplit(':').next().unwrap();
        for (month, sum) in head.iter().zip(&line).skip(2) {
            let key = ((*month).to_owned(), line[1].to_owned(), name.to_owned());
            sums.insert(key, sum.parse().unwrap());
        }
    }
    sums.retain(|_, sum| !sum.is_zero());
    sums
}

/// A payment of memory: each posting to an own account is one, as a bank tells it.
fn payment(day: &str, (who, category): (u64, Category), amount: Decimal, at: (&str, &str)) -> KeptPayment {
    let (currency, account) = at;
    KeptPayment {
        at: ts(&format!("{day}T06:30:00Z")),
        amount: format!("{amount:+}").parse().unwrap(),
        currency: currency.to_owned(),
        merchant: MerchantHash::parse(&format!("mh_{who:016x}")).unwrap(),
        category,
        account_last4: account.rsplit(':').next().unwrap().to_owned(),
    }
}

/// The payments of the journal.
fn payments() -> Vec<KeptPayment> {
    let mut shops = BTreeMap::new();
    let mut all = Vec::new();
    for entry in JOURNAL.split("\n\n").filter(|entry| entry.contains("assets:")) {
        let mut lines = entry
            .lines()
            .filter(|line| !line.starts_with(';') && !line.is_empty());
        let (day, payee) = lines.next().unwrap().split_once(' ').unwrap();
        let next = u64::try_from(shops.len()).unwrap();
        let who = *shops.entry(payee).or_insert(next);
        let postings: Vec<Vec<&str>> = lines.map(|line| line.split_whitespace().collect()).collect();
        let [first, second] = &postings[..] else {
            unreachable!("{entry}")
        };
        let (sum, currency): (Decimal, &str) = (first[1].parse().unwrap(), first[2]);
        let category = first[0]
            .strip_prefix("expenses:")
            .map_or(Category::Other, |name| Category::parse(name).unwrap());
        if first[0].starts_with("assets:") {
            all.push(payment(day, (who, category), sum, (currency, first[0])));
        }
        if second[0].starts_with("assets:") {
            all.push(payment(day, (who, category), -sum, (currency, second[0])));
        }
    }
    all.reverse();
    all
}

#[tokio::test]
async fn each_month_of_a_year_is_what_hledger_says_of_the_same_book() {
    let terms = MoneyTerms {
        accounts: ["1122", "3344", "5566"].map(str::to_owned).into(),
        ..MoneyTerms::default()
    };
    let server = server_with(payments(), terms).await;
    let (spent, earned) = (sums(EXPENSES), sums(INCOME));
    let months: BTreeSet<&String> = spent.keys().map(|(month, ..)| month).collect();
    assert_eq!(months.len(), 12);
    let mut compared = 0;
    for month in months {
        let page = text(&server, &format!("/money/spending?view=month&day={month}-15")).await;
        let mut totals = BTreeMap::<&String, Decimal>::new();
        for ((_, currency, name), sum) in spent.iter().filter(|((of, ..), _)| of == month) {
            *totals.entry(currency).or_default() += *sum;
            let category = words::category(Category::parse(name).unwrap());
            let says = format!("|{category}|{}|", format::money(*sum, currency));
            assert!(page.contains(&says), "{month} {says}: {page}");
            compared += 1;
        }
        for (currency, sum) in totals {
            let says = format!("|{}|", format::money(sum, currency));
            assert!(page.contains(&says), "{month} {says}: {page}");
        }
        for ((_, currency, _), sum) in earned.iter().filter(|((of, ..), _)| of == month) {
            let says = format!("|Came in: {}|", format::money(-*sum, currency));
            assert!(page.contains(&says), "{month} {says}: {page}");
        }
        // What was saved stayed the owner's.
        assert!(
            page.contains("|account …1122 to account …3344|€300.00|"),
            "{month}: {page}"
        );
    }
    assert!(compared > 80, "{compared}");
}
