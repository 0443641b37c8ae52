//! Safe to spend, budgets and what comes again; transfers apart from what was spent; a year by its months.

use crate::{
    client::{Server, server},
    morning::ts,
};
use rust_decimal::Decimal;
use std::collections::BTreeMap;
use surfaces_base::{
    backend::{
        KeptPayment,
        money_terms::{MoneyTerms, StatementBalance},
    },
    format,
};
use toolcall_schema::{Category, ids::MerchantHash, money::AccountBalance};

/// The text of a page without markup, its pieces apart by `|`.
pub(super) async fn text(server: &Server, path: &str) -> String {
    let page = server.get(path).await.body;
    assert!(!page.contains("<script>alert"), "{page}");
    let live = page
        .split_once("<main")
        .and_then(|(_, rest)| rest.split_once("</main>"))
        .map_or_else(|| unreachable!("{page}"), |(live, _)| live.to_owned());
    let pieces = live
        .split('<')
        .map(|part| part.split_once('>').map_or("", |(_, text)| text.trim()));
    let pieces: Vec<&str> = pieces.filter(|text| !text.is_empty()).collect();
    pieces.join("|")
}

fn stands_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        rest = rest
            .split_once(part)
            .unwrap_or_else(|| unreachable!("{part}: {text}"))
            .1;
    }
}

/// A payment at noon in London, half past five in the afternoon in Kolkata.
fn payment(on: &str, amount: &str, (who, category): (u32, Category), account: &str) -> KeptPayment {
    KeptPayment {
        at: ts(&format!("{on}T12:00:00Z")),
        amount: amount.parse().unwrap(),
        currency: "INR".to_owned(),
        merchant: MerchantHash::parse(&format!("mh_{who:016x}")).unwrap(),
        category,
        account_last4: account.to_owned(),
    }
}

const MUSIC: (u32, Category) = (1, Category::Subscriptions);
const RENT: (u32, Category) = (2, Category::Rent);
const SHOP: (u32, Category) = (3, Category::Groceries);
const SALARY: (u32, Category) = (4, Category::Other);

/// At a quarter past eight on Tuesday the 3rd of November 2026 in Kolkata.
pub(super) async fn server_with(payments: Vec<KeptPayment>, terms: MoneyTerms) -> Server {
    let server = server("money-ahead").await;
    *server.double.payments.lock().unwrap() = payments;
    *server.double.money_terms.lock().unwrap() = terms;
    let names = [
        ("mh_0000000000000001", "<script>alert(1)</script>"),
        ("mh_0000000000000002", "Landlord"),
        ("mh_0000000000000004", "Employer"),
    ];
    *server.double.labels.lock().unwrap() = names
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .into_iter()
        .collect();
    server
}

fn household() -> Vec<KeptPayment> {
    let mut all = Vec::new();
    for month in ["2026-08", "2026-09", "2026-10"] {
        all.push(payment(&format!("{month}-01"), "-15000", RENT, "1122"));
        all.push(payment(&format!("{month}-05"), "-499", MUSIC, "1122"));
        all.push(payment(&format!("{month}-25"), "+50000", SALARY, "1122"));
    }
    all.push(payment("2026-11-02", "-1350", SHOP, "1122"));
    all
}

fn terms(budgets: &[(Category, i64)]) -> MoneyTerms {
    MoneyTerms {
        balance: Some(AccountBalance {
            amount: Decimal::from(40_000),
            currency: "INR".to_owned(),
            as_of: ts("2026-11-01T00:00:00Z"),
        }),
        budgets: budgets
            .iter()
            .map(|(category, sum)| (*category, Decimal::from(*sum)))
            .collect(),
        ..MoneyTerms::default()
    }
}

#[tokio::test]
async fn what_comes_again_is_worked_out_once_for_each_change() {
    let server = server_with(household(), terms(&[])).await;
    let before = text(&server, "/money/ahead").await;
    assert!(before.contains("Landlord"), "{before}");
    // Of the same version: what stands there is what was worked out.
    *server.double.payments.lock().unwrap() =
        vec![payment("2026-11-02", "-1", SHOP, "1122"); household().len()];
    assert_eq!(text(&server, "/money/ahead").await, before);
    // Another one.
    server.double.payments.lock().unwrap().pop();
    let after = text(&server, "/money/ahead").await;
    assert!(!after.contains("Landlord"), "{after}");
    // The same payments, otherwise told of.
    *server.double.payments.lock().unwrap() = household();
    *server.double.money_terms.lock().unwrap() = MoneyTerms::default();
    let told = text(&server, "/money/ahead").await;
    assert!(told.contains("Landlord") && told != before, "{told}");
}

#[tokio::test]
async fn safe_to_spend_stands_with_each_of_its_parts() {
    let budgets = [(Category::Groceries, 5_000), (Category::Subscriptions, 400)];
    let server = server_with(household(), terms(&budgets)).await;
    let text = text(&server, "/money/ahead").await;
    // 40,000 - 1,350 = 38,650. The rent of the 1st did not come yet: 15,000 and the 499 of the 5th before the salary of the 25th. Of the groceries 3,650 are left;
    // the 499 are more than the 400 for subscriptions. 38,650 - 15,499 - 3,650 = 19,501, in 22 days 886.409.
    stands_in_order(
        &text,
        &[
            "₹19,501.00|until Wed 25 Nov, when Employer is due|₹886.40 a day.",
            "In your accounts|₹38,650.00|₹40,000.00 on Sun 1 Nov, with all that came in and went out since.",
            "Expected before then|−₹15,499.00|2 payments that come again.",
            "Set aside for your budgets|−₹3,650.00",
            "Safe to spend|₹19,501.00",
            "Landlord|₹15,000.00|Tue 3 Nov|&lt;script&gt;alert(1)&lt;/script&gt;|₹499.00|Thu 5 Nov",
            "Budgets: November 2026",
            "groceries|₹3,650.00 left of ₹5,000.00|₹1,350.00 spent this month.",
            "subscriptions|₹400.00 left of ₹400.00|₹0.00 spent this month.",
            "What comes again|Goes out|Landlord|₹15,000.00|every month · next Sun 1 Nov, last Thu 1 Oct · rent",
            "Comes in|Employer|₹50,000.00|every month · next Wed 25 Nov, last Sun 25 Oct",
        ],
    );
}

#[tokio::test]
async fn money_shows_what_is_safe_to_spend_and_what_is_expected_first() {
    let server = server_with(household(), terms(&[])).await;
    let page = server.get("/money").await.body;
    assert!(
        page.contains(r#"data-part="/fragment/money/ahead" aria-busy="true""#),
        "{page}"
    );
    // As above, without budgets: 38,650 - 15,499.
    let part = server.get("/fragment/money/ahead").await.body;
    stands_in_order(
        &part,
        &[
            "₹23,151.00",
            "until Wed 25 Nov, when Employer is due",
            "Landlord",
            "₹15,000.00",
            "Tue 3 Nov",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "₹499.00",
            "Thu 5 Nov",
        ],
    );
    assert_eq!(part.matches("<li>").count(), 2, "{part}");
    // A sum below zero has the colour of text.
    assert!(!part.contains("below-zero"), "{part}");
    let mut short = terms(&[]);
    short.balance.as_mut().unwrap().amount = Decimal::from(10_000);
    let server = server_with(household(), short).await;
    let part = server.get("/fragment/money/ahead").await.body;
    // 10,000 - 1,350 - 15,499.
    assert!(
        part.contains("figure below-zero") && part.contains("−₹6,849.00"),
        "{part}"
    );
    // Who told no balance is asked for one once, by the month's end.
    let server = server_with(household(), MoneyTerms::default()).await;
    assert!(!server.get("/money").await.body.contains("/fragment/money/ahead"));
}

#[tokio::test]
async fn what_banks_told_is_shown_by_account_and_counts_where_nobody_told_more() {
    let by_bank = |account: &str, sum: i64, as_of: &str| StatementBalance {
        account_last4: account.to_owned(),
        told: AccountBalance {
            amount: Decimal::from(sum),
            currency: "INR".to_owned(),
            as_of: ts(as_of),
        },
    };
    let told = MoneyTerms {
        statement_balances: vec![by_bank("1122", 40_000, "2026-11-01T00:00:00Z")],
        ..MoneyTerms::default()
    };
    let server = server_with(household(), told).await;
    stands_in_order(
        &text(&server, "/money/ahead").await,
        &[
            "until Wed 25 Nov, when Employer is due",
            "In your accounts|₹38,650.00|₹40,000.00 by what your banks said until Sun 1 Nov, with all that came in and went out since.",
            "What your banks say|account …1122|₹38,650.00|₹40,000.00 on Sun 1 Nov, with all that came in and went out since.",
        ],
    );
    let old = MoneyTerms {
        statement_balances: vec![by_bank("7788", 9, "2020-11-01T00:00:00Z")],
        ..MoneyTerms::default()
    };
    let server = server_with(household(), old).await;
    stands_in_order(
        &text(&server, "/money/ahead").await,
        &["account …7788|₹9.00|On ", "; too old to count on from."],
    );
}

#[tokio::test]
async fn what_is_missing_is_said_in_a_sentence_with_a_way_to_it() {
    let server = server_with(household(), MoneyTerms::default()).await;
    let page = text(&server, "/money/ahead").await;
    stands_in_order(
        &page,
        &[
            "Tell me your balance and I can show what is safe to spend.|Add balance",
            "You have set no budget.",
            "Set budgets",
        ],
    );
    let server = server_with(Vec::new(), terms(&[])).await;
    let page = text(&server, "/money/ahead").await;
    stands_in_order(
        &page,
        &[
            // What there is is known all the same.
            "In your accounts|₹",
            "I know of no income that comes again",
            "I know of nothing that comes again.",
        ],
    );
    // Less than nothing, and a payment that was late since Saturday.
    let mut poor = terms(&[]);
    if let Some(balance) = &mut poor.balance {
        balance.amount = Decimal::from(-100);
    }
    let server = server_with(household(), poor).await;
    let page = text(&server, "/money/ahead").await;
    // -100 - 1,350 - 15,499.
    stands_in_order(
        &page,
        &[
            "−₹16,949.00",
            "You are ₹16,949.00 short.",
            "In your accounts|−₹1,450.00",
        ],
    );
}

#[tokio::test]
async fn a_transfer_is_no_spending_once_both_accounts_are_known() {
    let payments = vec![
        payment("2026-11-02", "-5000", SALARY, "1122"),
        // Three days later, beyond the day that is looked at.
        payment("2026-11-05", "+5000", SALARY, "3344"),
        payment("2026-11-02", "-70", SHOP, "0000"),
    ];
    let unknown = server_with(payments.clone(), MoneyTerms::default()).await;
    let page = text(&unknown, "/money/spending?day=2026-11-02").await;
    stands_in_order(
        &page,
        &[
            "₹5,070.00|2 payments",
            "an account that was not named|₹70.00",
            "One payment looks like money between account …1122 and account …3344.",
            "Name your accounts",
        ],
    );
    let own = MoneyTerms {
        accounts: ["1122", "3344"].map(str::to_owned).into(),
        ..MoneyTerms::default()
    };
    let known = server_with(payments, own).await;
    let page = text(&known, "/money/spending?day=2026-11-02").await;
    stands_in_order(
        &page,
        &[
            "₹70.00|1 payment",
            "Between your accounts|account …1122 to account …3344|₹5,000.00|Mon 2 Nov",
        ],
    );
    assert!(!page.contains("looks like"), "{page}");
}

#[tokio::test]
async fn a_year_by_its_months_is_the_sum_of_its_payments_in_each_currency() {
    // A payment of so many paise on each day of the year of one currency, and one day of another.
    let (mut payments, mut months) = (Vec::new(), BTreeMap::<String, i64>::new());
    let first: chrono::NaiveDate = "2025-11-01".parse().unwrap();
    for (nth, day) in first.iter_days().take(365).enumerate() {
        let paise = 1_000 + i64::try_from(nth).unwrap() * 37 % 9_973;
        let sum = Decimal::new(-paise, 2);
        payments.push(payment(&day.to_string(), &sum.to_string(), SHOP, "1122"));
        *months.entry(day.format("%Y-%m").to_string()).or_default() += paise;
    }
    payments.push(KeptPayment {
        currency: "USD".to_owned(),
        ..payment("2026-03-08", "-19.99", MUSIC, "1122")
    });
    payments.reverse();
    let server = server_with(payments, MoneyTerms::default()).await;
    assert_eq!(months.len(), 12);
    for (month, paise) in months {
        let page = text(&server, &format!("/money/spending?view=month&day={month}-15")).await;
        let sum = format::money(Decimal::new(paise, 2), "INR");
        assert!(page.contains(&format!("|{sum}|")), "{month} {sum}: {page}");
        assert_eq!(page.contains("$19.99"), month == "2026-03", "{page}");
    }
}

#[tokio::test]
async fn ten_thousand_payments_of_a_day_and_a_budget_without_a_currency_have_their_page() {
    let mut payments = household();
    payments.extend(
        (0..10_000).map(|nth| payment("2026-11-02", "-1", (10 + nth % 500, Category::Other), "1122")),
    );
    let mut only_budgets = terms(&[(Category::Travel, 12_000)]);
    only_budgets.balance = None;
    let server = server_with(payments, only_budgets.clone()).await;
    let page = text(&server, "/money/ahead").await;
    stands_in_order(&page, &["travel|₹12,000.00 left of ₹12,000.00", "Landlord"]);
    let server = server_with(Vec::new(), only_budgets).await;
    let page = text(&server, "/money/ahead").await;
    assert!(page.contains("travel|12000 left of 12000"), "{page}");
}

#[tokio::test]
async fn what_is_expected_stands_on_its_day_and_what_is_overdue_on_today() {
    let server = server_with(household(), terms(&[])).await;
    let page = server.get("/agenda?day=2026-11-03").await.body;
    assert!(
        page.contains(r#"data-part="/fragment/agenda/due?day=2026-11-03" aria-busy="true""#),
        "{page}"
    );
    // What was paid stands on the pages of money.
    let past = server.get("/agenda?day=2026-11-02").await.body;
    assert!(!past.contains("data-part"), "{past}");
    for (day, when, name, note) in [
        (
            "2026-11-03",
            "overdue",
            "<bdi>Landlord</bdi> ₹15,000.00",
            "goes out every month",
        ),
        (
            "2026-11-05",
            "due",
            "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi> ₹499.00",
            "goes out every month",
        ),
        (
            "2026-11-25",
            "due",
            "<bdi>Employer</bdi> ₹50,000.00",
            "comes in every month",
        ),
        (
            "2026-12-01",
            "due",
            "<bdi>Landlord</bdi> ₹15,000.00",
            "goes out every month",
        ),
    ] {
        let part = server.get(&format!("/fragment/agenda/due?day={day}")).await.body;
        let when = format!("<span class=\"when\">{when}</span>");
        for shown in [when.as_str(), name, note] {
            assert!(part.contains(shown), "{day} {shown}: {part}");
        }
        assert_eq!(part.matches("<li").count(), 1, "{day}: {part}");
    }
    assert_eq!(server.get("/fragment/agenda/due?day=2026-11-04").await.body, "");
    assert_eq!(server.get("/fragment/agenda/due?day=tomorrow").await.status, 400);
}

#[tokio::test]
async fn a_payment_far_above_all_others_and_what_is_due_with_the_income_are_named() {
    let mut payments = household();
    for day in 8..28 {
        payments.push(payment(&format!("2026-10-{day:02}"), "-80", SHOP, "1122"));
    }
    let dentist = (5, Category::Health);
    payments.push(payment("2026-11-01", "-82500", dentist, "1122"));
    for month in ["2026-08", "2026-09", "2026-10"] {
        let club = (6, Category::Other);
        payments.push(payment(&format!("{month}-25"), "-300", club, "1122"));
    }
    let server = server_with(payments, terms(&[])).await;
    let labels = [
        ("mh_0000000000000004", "Employer"),
        ("mh_0000000000000005", "Dr Zahn"),
        ("mh_0000000000000006", "Club"),
    ];
    *server.double.labels.lock().unwrap() = labels
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .into_iter()
        .collect();
    // The rent of each month is a bill: 82,500 / 1,350 of the 2nd of November; the first payment that is looked at is of the 5th of August, 88 days before.
    stands_in_order(
        &text(&server, "/money").await,
        &[
            "Unusual in the last seven days",
            "to Dr Zahn|₹82,500.00|your largest payment beside bills in 88 days, 61.1 times the next; Sun 1 Nov",
        ],
    );
    let due = "On Wed 25 Nov itself is due, and not in these figures: Club ₹300.00.";
    assert!(text(&server, "/money/ahead").await.contains(due));
    assert!(server.get("/fragment/money/ahead").await.body.contains(due));
}
