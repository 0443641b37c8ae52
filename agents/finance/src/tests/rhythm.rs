//! What comes again, what speeds up, and how far from the truth a forecast may be.

use super::*;
use crate::stats::CategorySpending;
use toolcall_schema::spending_anomaly::{SpendingAnomaly, spending_velocity};

#[test]
fn equal_windows_make_steady_spending_one() {
    // 28 days before today, nearest first; today is in neither window.
    for (name, recent, before, expected) in [
        ("steady", vec!["10"; 14], vec!["10"; 14], Some("1")),
        ("twice as much", vec!["20"; 14], vec!["10"; 14], Some("2")),
        ("half as much", vec!["10"; 14], vec!["20"; 14], Some("0.5")),
        // 5 of 14 days: 5 * 30 against 14 * 10.
        (
            "five payments",
            vec!["30"; 5],
            vec!["10"; 14],
            Some("1.0714285714285714285714285714"),
        ),
        ("four payments", vec!["30"; 4], vec!["10"; 14], None),
        ("four before", vec!["30"; 14], vec!["10"; 4], None),
    ] {
        let mut signals: Vec<Signal> = (1..)
            .zip(recent)
            .map(|(back, amount)| paid(back, amount, "dmart", "debit"))
            .collect();
        signals.extend(
            (15..)
                .zip(before)
                .map(|(back, amount)| paid(back, amount, "dmart", "debit")),
        );
        // The history begins 29 days ago with another category; neither a salary nor a refund counts.
        signals.push(paid(29, "1", "metro", "debit"));
        signals.push(paid(2, "500", "dmart", "refund"));
        signals.push(paid(0, "9000", "dmart", "debit"));
        let agent = agent(None, signals);
        let velocity = spending_velocity(&CategorySpending(&agent.view, Category::Groceries), today());
        assert_eq!(velocity, expected.map(dec), "{name}");
    }
    let short = (1..=27).map(|back| paid(back, "10", "dmart", "debit")).collect();
    assert_eq!(
        spending_velocity(
            &CategorySpending(&agent(None, short).view, Category::Groceries),
            today()
        ),
        None
    );
}

#[test]
fn spending_that_speeds_up_makes_an_unusual_day_one_step_more_so_and_nothing_else() {
    let low = Some(Severity::Low);
    let (medium, high) = (Some(Severity::Medium), Some(Severity::High));
    for (z, calm, speeding) in [
        ("2.49", None, None),
        ("2.5", low, medium),
        ("3.5", medium, high),
        ("6", high, high),
    ] {
        let severity = |speeding| {
            let unusual = SpendingAnomaly {
                category: Category::Groceries,
                total: dec("10"),
                median: dec("5"),
                z: dec(z),
                speeding,
            };
            unusual.severity()
        };
        assert_eq!((severity(false), severity(true)), (calm, speeding), "{z}");
    }
}

#[test]
fn an_ordinary_purchase_of_a_category_that_is_rare_is_usual() {
    let bought = |every: usize, last: &str, now: &str| {
        let mut signals: Vec<Signal> = (every..=30)
            .step_by(every)
            .map(|back| {
                paid(
                    back as u64,
                    if back == 30 { last } else { "500" },
                    "dmart",
                    "debit",
                )
            })
            .collect();
        signals.push(paid(30, "1", "metro", "debit"));
        signals.push(paid(0, now, "dmart", "debit"));
        agent(None, signals)
    };
    let z = |agent: &FinanceAgent| {
        let found = stats::anomaly(&agent.view, Category::Groceries, today(), 30);
        found.map(|found| (found.median, found.z_milli(), found.severity()))
    };
    // Days 5 to 30: five of 500 and one of 400. The median is 500, MAD 0, the mean distance 100 / 6 = 16.667;
    // z = 20 / (1.2533 * 16.667) = 0.957, and 1500 / 20.888 = 71.810.
    assert_eq!(z(&bought(5, "400", "520")), Some((dec("500"), Milli(957), None)));
    assert_eq!(
        z(&bought(5, "400", "2000")),
        Some((dec("500"), Milli(71_810), Some(Severity::High)))
    );
    // Days 7, 14, 21, 28: four are not enough to say what is usual.
    assert_eq!(z(&bought(7, "500", "2000")), None);
}

#[test]
fn whoever_was_paid_three_times_about_monthly_is_expected_again() {
    let bill = |days: &[(u64, &str)]| -> Vec<Signal> {
        days.iter()
            .map(|(back, amount)| paid(*back, amount, "act fibernet", "debit"))
            .collect()
    };
    for (name, days, expected) in [
        // 20 August, 19 September, 20 October: due 31 days after the last, today. The median of the amounts.
        (
            "due today",
            &[(92, "999"), (62, "1099"), (31, "1000")][..],
            "1000",
        ),
        ("twice", &[(62, "1099"), (31, "1000")], "0"),
        ("not monthly", &[(72, "999"), (52, "1099"), (31, "1000")], "0"),
        ("paid this month", &[(65, "999"), (35, "999"), (5, "999")], "0"),
        // 11 August, 10 September, 10 October: due on 9 November; 7 days later is the 16th.
        ("too late", &[(101, "999"), (71, "999"), (41, "999")], "0"),
        // 22 August, 20 September, 20 October with 29 and 30 days between: due on 19 November, one day late.
        ("a little late", &[(90, "999"), (61, "999"), (31, "999")], "999"),
        // 31 August, 1 October, 31 October: due on 1 December.
        ("next month", &[(81, "999"), (50, "999"), (20, "999")], "0"),
    ] {
        assert_eq!(
            agent(None, bill(days)).view.scheduled(today()),
            dec(expected),
            "{name}"
        );
    }
}

#[test]
fn what_recurs_is_no_daily_spending() {
    let mut signals: Vec<Signal> = (0..7).map(|back| paid(back, "100", "dmart", "debit")).collect();
    for back in [3, 33, 63] {
        signals.push(paid(back, "999", "act fibernet", "debit"));
    }
    // 1100 - 100 today - 11 days of 100; with the bill in them the days would be too uneven to say anything.
    let found = forecast::forecast(&agent(Some("1100"), signals).view, today()).unwrap();
    assert_eq!(
        (found.balance_eom, found.interval),
        (dec("-100.00"), (dec("-100.00"), dec("-100.00")))
    );
}

#[test]
fn the_interval_is_students() {
    let amounts = ["16", "4", "16", "4", "16", "4"];
    let signals = (0..)
        .zip(amounts)
        .map(|(back, amount)| paid(back, amount, "dmart", "debit"))
        .collect();
    let agent = agent(Some("216"), signals);
    let found = forecast::forecast(&agent.view, today()).unwrap();
    // 200 - 11 * 10 = 90. s = 6 sqrt(6 / 5) = 6.57267, sqrt(11 + 121 / 6) = 5.58271, t(5) = 1.476: 54.159.
    assert_eq!(
        (found.balance_eom, found.interval),
        (dec("90.00"), (dec("35.84"), dec("144.16")))
    );
    let reading = tick(&agent)
        .readings
        .into_iter()
        .find(|reading| reading.key == ReadingKey::BalanceEndOfMonth)
        .unwrap();
    assert_eq!(
        (reading.value, reading.low, reading.high),
        (90.0, Some(35.84), Some(144.16))
    );
}

/// `SplitMix64` (public domain, Sebastiano Vigna), as a number from 0 to 1.
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[test]
fn four_of_five_months_end_within_the_interval() {
    // Even days, and days of which a few are dear (mean 70, cv 0.51).
    let even = |u: f64| 50.0 + 100.0 * u;
    let skewed = |u: f64| 30.0 + 120.0 * u * u;
    let kinds: [(&str, &dyn Fn(f64) -> f64); 2] = [("even", &even), ("skewed", &skewed)];
    for (name, day) in kinds {
        let mut state = 11;
        let (mut said, mut within) = (0, 0);
        for _ in 0..500 {
            let signals = (0..7)
                .map(|back| paid(back, &format!("{:.2}", day(unit(&mut state))), "dmart", "debit"))
                .collect();
            let to_come: f64 = (0..11).map(|_| day(unit(&mut state))).sum();
            let agent = agent(Some("5000"), signals);
            if let Some(found) = forecast::forecast(&agent.view, today()) {
                let now = agent
                    .view
                    .balance
                    .and_then(|balance| rust_decimal::prelude::ToPrimitive::to_f64(&balance));
                let end = Decimal::from_f64_retain(now.unwrap() - to_come).unwrap();
                said += 1;
                within += i32::from(found.interval.0 <= end && end <= found.interval.1);
            }
        }
        let coverage = f64::from(within) / f64::from(said);
        // 80 % are promised; 500 draws scatter by 1.8 %, and skew costs a little.
        assert!((0.75..=0.86).contains(&coverage), "{name}: {coverage} of {said}");
        assert!(said > 400, "{name}: {said}");
    }
}

#[test]
fn currencies_are_never_added_and_each_account_keeps_its_balance() {
    let foreign = |back, amount: &str, currency: &str| {
        let mut signal = paid(back, amount, "hotel", "debit");
        signal.payload["currency"] = json!(currency);
        signal
    };
    let mut signals: Vec<Signal> = (0..7).map(|back| paid(back, "100", "dmart", "debit")).collect();
    signals.extend([foreign(0, "5000", "EUR"), foreign(1, "1", "USD")]);
    let agent = agent(Some("1100"), signals);
    assert_eq!(
        (agent.view.spent(today()), agent.view.balance),
        (dec("100"), Some(dec("1000")))
    );
    assert_eq!(
        forecast::forecast(&agent.view, today()).unwrap().balance_eom,
        dec("-100.00")
    );
}
