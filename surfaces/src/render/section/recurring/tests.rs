//! What comes again and what does not, with the arithmetic beside each case.

use super::*;
use toolcall_schema::{Timestamp, money::SignedAmount};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn amount(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// A payment at noon; `who` is a number.
fn payment(on: &str, amount: &str, who: u32) -> KeptPayment {
    KeptPayment {
        at: Timestamp::parse(&format!("{on}T12:00:00Z")).unwrap(),
        amount: amount.parse::<SignedAmount>().unwrap(),
        currency: "EUR".to_owned(),
        merchant: MerchantHash::parse(&format!("mh_{who:016x}")).unwrap(),
        category: Category::Subscriptions,
        account_last4: "1122".to_owned(),
    }
}

fn series_of(payments: &[KeptPayment], today: &str) -> Vec<RecurringSeries> {
    recurring(payments, None, day(today), Tz::UTC)
}

/// Rhythm, amount, what it was before, next and how late.
type SeriesSummary = (PaymentRhythm, String, Option<String>, String, Option<i64>);

fn summary(payments: &[KeptPayment], today: &str) -> Vec<SeriesSummary> {
    let text = |amount: &Decimal| amount.normalize().to_string();
    series_of(payments, today)
        .iter()
        .map(|one| {
            (
                one.rhythm,
                text(&one.amount),
                one.was.as_ref().map(text),
                one.next.to_string(),
                one.late_days,
            )
        })
        .collect()
}

fn each(days: &[&str], amount: &str) -> Vec<KeptPayment> {
    days.iter().map(|on| payment(on, amount, 1)).collect()
}

#[test]
fn each_rhythm_is_told_by_its_gaps_and_comes_next_on_its_usual_day() {
    use PaymentRhythm::{Monthly, Quarterly, Weekly, Yearly};
    for (days, today, rhythm, next) in [
        (
            &["2026-10-05", "2026-10-12", "2026-10-20"][..],
            "2026-10-21",
            Weekly,
            "2026-10-27",
        ),
        (
            &["2026-08-03", "2026-09-01", "2026-10-01"],
            "2026-10-10",
            Monthly,
            "2026-11-01",
        ),
        // The last of each month, also after a short one.
        (
            &["2026-12-31", "2027-01-31", "2027-02-28"],
            "2027-03-01",
            Monthly,
            "2027-03-31",
        ),
        // Booked a day early: the first is nearer than the thirtieth.
        (
            &["2026-08-01", "2026-09-01", "2026-09-30"],
            "2026-10-02",
            Monthly,
            "2026-11-01",
        ),
        (
            &["2026-01-15", "2026-04-15", "2026-07-15"],
            "2026-08-01",
            Quarterly,
            "2026-10-15",
        ),
        (&["2025-03-02", "2026-03-02"], "2026-08-01", Yearly, "2027-03-02"),
    ] {
        let series = summary(&each(days, "-10"), today);
        assert_eq!(
            series,
            [(rhythm, "10".to_owned(), None, next.to_owned(), None)],
            "{days:?}"
        );
    }
}

#[test]
fn two_months_one_in_between_and_other_gaps_are_no_rhythm() {
    for days in [
        &["2026-09-01", "2026-10-01"][..],
        &["2026-08-01", "2026-09-01", "2026-09-15", "2026-10-15"],
        &["2026-08-01", "2026-08-16", "2026-08-31", "2026-09-15"],
        &["2026-08-01", "2026-08-01", "2026-09-01", "2026-10-01"],
    ] {
        // Of amounts of their own, so that none comes again by itself.
        let payments: Vec<KeptPayment> = days
            .iter()
            .enumerate()
            .map(|(nth, on)| payment(on, &format!("-{}", 100 + nth), 1))
            .collect();
        assert_eq!(summary(&payments, "2026-10-20"), [], "{days:?}");
    }
}

/// Each day with its amount.
type DatedAmounts = Vec<(&'static str, &'static str)>;

#[test]
fn a_habit_is_no_bill_unless_all_of_it_comes_at_one_sum_each_month() {
    use Category::{BillsUtilities, FoodDelivery, Groceries, Subscriptions, Transport};
    let weeks = ["2026-09-07", "2026-09-14", "2026-09-21", "2026-09-28"];
    let months = ["2026-06-30", "2026-07-31", "2026-08-31", "2026-09-30"];
    let mut many: Vec<(&str, &str)> = weeks.iter().map(|on| (*on, "-18")).collect();
    // Another sum on each other day of the week: each by itself comes every seven days.
    many.extend(
        ["2026-09-08", "2026-09-15", "2026-09-22", "2026-09-29"]
            .iter()
            .map(|on| (*on, "-22")),
    );
    many.sort_unstable();
    let at = |days: [&'static str; 4], amounts: [&'static str; 4]| -> DatedAmounts {
        days.into_iter().zip(amounts).collect()
    };
    let cases: [(&str, Category, DatedAmounts, bool); 12] = [
        ("lunch at one place", FoodDelivery, many.clone(), false),
        ("the same, were it a bill", BillsUtilities, many, true),
        (
            "a shop on Mondays",
            Groceries,
            at(weeks, ["-41", "-38.20", "-47", "-40"]),
            false,
        ),
        ("a fixed sum each week", Groceries, at(weeks, ["-23"; 4]), false),
        ("the same each month", Groceries, at(months, ["-23"; 4]), false),
        ("a table each month", FoodDelivery, at(months, ["-23"; 4]), false),
        ("a tank each week", Transport, at(weeks, ["-50"; 4]), false),
        // 58 and 5 % of it are 60.90.
        (
            "a pass for the bus",
            Transport,
            at(months, ["-58", "-58", "-60.90", "-58"]),
            true,
        ),
        (
            "one that is a cent dearer",
            Transport,
            at(months, ["-58", "-58", "-60.91", "-58"]),
            false,
        ),
        (
            "three passes",
            Transport,
            at(months, ["-58"; 4])[1..].to_vec(),
            false,
        ),
        (
            "fuel at the month's end",
            Transport,
            at(months, ["-58", "-71", "-66", "-49"]),
            false,
        ),
        (
            "the same, were it a contract",
            Subscriptions,
            at(months, ["-58", "-71", "-66", "-49"]),
            true,
        ),
    ];
    for (what, category, payments, is_bill) in cases {
        let payments: Vec<KeptPayment> = payments
            .iter()
            .map(|(on, amount)| KeptPayment {
                category,
                ..payment(on, amount, 1)
            })
            .collect();
        assert_eq!(!series_of(&payments, "2026-10-01").is_empty(), is_bill, "{what}");
    }
}

#[test]
fn a_subscription_is_found_among_other_purchases_of_its_shop() {
    let mut payments = each(&["2026-08-05", "2026-09-05", "2026-10-05"], "-8.99");
    payments.extend([
        payment("2026-09-17", "-54", 1),
        payment("2026-10-02", "-12.30", 1),
    ]);
    let series = summary(&payments, "2026-10-20");
    assert_eq!(
        series,
        [(
            PaymentRhythm::Monthly,
            "8.99".to_owned(),
            None,
            "2026-11-05".to_owned(),
            None
        )]
    );
}

#[test]
fn a_new_price_is_told_with_the_one_before_and_forgotten_later() {
    let before = each(&["2026-06-05", "2026-07-05", "2026-08-05"], "-9.99");
    let changed = |later: &[(&str, &str)], today: &str| {
        let later = later.iter().map(|(on, amount)| payment(on, amount, 1));
        let payments: Vec<KeptPayment> = before.iter().cloned().chain(later).collect();
        let series = series_of(&payments, today);
        series
            .first()
            .map(|one| (one.amount.to_string(), one.was.map(|was| was.to_string())))
    };
    // 11.99 is above 9.99 and 5 % of it, 10.4895.
    let told = |amount: &str, was: Option<&str>| Some((amount.to_owned(), was.map(str::to_owned)));
    assert_eq!(
        changed(&[("2026-09-05", "-11.99")], "2026-09-10"),
        told("11.99", Some("9.99"))
    );
    assert_eq!(
        changed(&[("2026-09-05", "-10.40")], "2026-09-10"),
        told("9.99", None)
    );
    // The least and the most are 9.99 and 11.99 now; of the newest three two are 11.99.
    assert_eq!(
        changed(
            &[("2026-09-05", "-11.99"), ("2026-10-05", "-11.99")],
            "2026-10-10"
        ),
        told("11.99", None)
    );
    // More than double is another thing, less than half too: what came three times at 9.99 is still expected.
    assert_eq!(
        changed(&[("2026-09-05", "-20")], "2026-09-10"),
        told("9.99", None)
    );
    assert_eq!(changed(&[("2026-09-05", "-4")], "2026-09-10"), told("9.99", None));
}

#[test]
fn amounts_within_a_quarter_of_their_median_are_one_bill() {
    let bill = |amounts: [&str; 4]| {
        let days = ["2026-07-10", "2026-08-10", "2026-09-10", "2026-10-10"];
        let payments: Vec<KeptPayment> = days
            .iter()
            .zip(amounts)
            .map(|(on, amount)| payment(on, amount, 1))
            .collect();
        series_of(&payments, "2026-10-12").first().map(|one| one.amount)
    };
    // Of the newest three, 100, 90 and 95, the middle one.
    assert_eq!(bill(["-80", "-100", "-90", "-95"]), Some(amount("95")));
    // Of 40, 100, 90 the median is 90, and 40 is too far; of 100 and 90 alone none is.
    assert_eq!(bill(["-40", "-100", "-90", "-95"]), Some(amount("95")));
    assert_eq!(bill(["-40", "-160", "-90", "-95"]), None);
}

#[test]
fn what_does_not_come_is_late_and_then_over() {
    let payments = each(&["2026-08-01", "2026-09-01", "2026-10-01"], "-700");
    let late = |today: &str| series_of(&payments, today).first().map(|one| one.late_days);
    assert_eq!(late("2026-11-01"), Some(None));
    assert_eq!(late("2026-11-06"), Some(None));
    assert_eq!(late("2026-11-07"), Some(Some(6)));
    assert_eq!(late("2026-12-02"), Some(Some(31)));
    assert_eq!(late("2026-12-03"), None);
}

#[test]
fn refunds_currencies_the_nameless_and_what_has_no_direction_stay_apart() {
    let days = ["2026-08-01", "2026-09-01", "2026-10-01"];
    let salary = each(&days, "+2000");
    assert_eq!(series_of(&salary, "2026-10-02").len(), 1);
    // Whoever is paid as well gives back.
    let mut refunds = salary.clone();
    refunds.push(payment("2026-08-20", "-5", 1));
    assert_eq!(series_of(&refunds, "2026-10-02"), []);
    let mut two = each(&days, "-10");
    if let Some(last) = two.last_mut() {
        last.currency = "USD".to_owned();
    }
    assert_eq!(series_of(&two, "2026-10-02"), []);
    assert_eq!(series_of(&each(&days, "10"), "2026-10-02"), []);
    let nobody = MerchantHash::parse("mh_0000000000000001").unwrap();
    assert_eq!(recurring(&salary, Some(&nobody), day("2026-10-02"), Tz::UTC), []);
    // What is dated after today did not happen.
    assert_eq!(series_of(&salary, "2026-09-30"), []);
}

#[test]
fn within_a_span_it_is_expected_once_a_time_and_what_is_overdue_today() {
    let weekly = series_of(
        &each(&["2026-10-05", "2026-10-12", "2026-10-19"], "-5"),
        "2026-10-27",
    );
    let days = |until: &str| -> Vec<String> {
        weekly
            .iter()
            .flat_map(|one| one.expected(day("2026-10-27"), day(until)))
            .map(|day| day.to_string())
            .collect()
    };
    // Due on the 26th, so today, then on the 2nd and the 9th.
    assert_eq!(days("2026-11-09"), ["2026-10-27", "2026-11-02"]);
    assert_eq!(days("2026-11-10"), ["2026-10-27", "2026-11-02", "2026-11-09"]);
    assert_eq!(days("2026-10-27"), Vec::<String>::new());
    assert_eq!(days("9999-01-01").len(), EXPECTED_MAX);
}

#[test]
fn ten_thousand_payments_of_one_day_are_no_rhythm_and_hide_none() {
    let mut payments = each(&["2026-08-01", "2026-09-01", "2026-10-01"], "-700");
    payments.extend((0..10_000).map(|nth| payment("2026-10-02", "-3", 2 + nth % 7)));
    assert_eq!(series_of(&payments, "2026-10-05").len(), 1);
}
