//! Statistics against figures worked out by hand.

use super::*;

#[test]
fn only_a_day_far_above_the_days_before_is_unusual() {
    // 15 days of 32.55 and 15 of 167.45: the median is 100, every distance 67.45, so MAD = 67.45 and
    // z = 0.6745 * (T - 100) / 67.45 = (T - 100) / 100.
    let even: Vec<&str> = (0..30)
        .map(|i| if i % 2 == 0 { "32.55" } else { "167.45" })
        .collect();
    // 29 days of 100 and one of 400: MAD is 0, the mean distance 300 / 30 = 10, z = (T - 100) / 12.533.
    let one_out: Vec<&str> = (0..30).map(|i| if i == 7 { "400" } else { "100" }).collect();
    let same = ["100"; 30];
    for (name, before, now, z, severity) in [
        ("just below 2.5", &even[..], "349.99", Some(2500), None),
        ("2.5", &even[..], "350", Some(2500), Some(Severity::Low)),
        (
            "just below 3.5",
            &even[..],
            "449.99",
            Some(3500),
            Some(Severity::Low),
        ),
        ("3.5", &even[..], "450", Some(3500), Some(Severity::Medium)),
        (
            "just below 6",
            &even[..],
            "699.99",
            Some(6000),
            Some(Severity::Medium),
        ),
        ("6", &even[..], "700", Some(6000), Some(Severity::High)),
        ("far below", &even[..], "0.01", Some(-1000), None),
        // 50 / 12.533 = 3.989
        (
            "without MAD",
            &one_out[..],
            "150",
            Some(3989),
            Some(Severity::Medium),
        ),
        ("steady to the paisa", &same[..], "5000", None, None),
        ("six days", &even[..6], "9999", None, None),
        // 7 days: 167.45 three times, 32.55 four times: the median is 32.55, MAD 0, the mean distance
        // 3 * 134.9 / 7 = 57.814; z = (9999 - 32.55) / (1.2533 * 57.814) = 137.547.
        (
            "seven days",
            &even[..7],
            "9999",
            Some(137_547),
            Some(Severity::High),
        ),
    ] {
        let agent = agent(None, groceries(before, now));
        let found = stats::strongest(&agent.view, &agent.allowed, today(), 30);
        assert_eq!(found.map(|f| f.z_milli()), z.map(Milli), "{name}");
        assert_eq!(found.and_then(|f| f.severity()), severity, "{name}");
    }
}

#[test]
fn today_is_no_part_of_its_own_comparison_and_days_without_spending_are() {
    // 4 October to 2 November in four weeks of meals: 6 days of 0 and 4 each of 120, 180, 220, 260, 300, 340, as days
    // 1 to 30 before. The median is 220, MAD 80: z = 0.6745 * (4500 - 220) / 80 = 36.08575.
    let amounts = ["120", "180", "220", "260", "300", "340"];
    let mut signals: Vec<Signal> = (0..24_u64)
        .zip(amounts.iter().cycle())
        .map(|(i, amount)| paid(30 - i, amount, "Saffron Restaurant", "debit"))
        .collect();
    signals.push(paid(0, "4500", "Saffron Restaurant", "debit"));
    let agent = agent(None, signals);
    let found = stats::strongest(&agent.view, &agent.allowed, today(), 30).unwrap();
    assert_eq!(
        (found.category, found.median, found.z),
        (Category::FoodDelivery, dec("220"), dec("36.08575"))
    );
    // Days before the first transaction are no days without spending.
    assert_eq!(agent.view.days_before(today(), 90).count(), 30);
}

#[test]
fn the_strongest_category_proposes_and_the_readings_say_why() {
    let even: Vec<&str> = (0..30)
        .map(|i| if i % 2 == 0 { "32.55" } else { "167.45" })
        .collect();
    let mut signals = groceries(&even, "450");
    // Transport is 3 a day, twice 4: MAD 0, the mean distance 2 / 30, z = 1 / (1.2533 / 15) = 11.968.
    signals.extend((1..=30).map(|back| paid(back, if back < 3 { "4" } else { "3" }, "metro", "debit")));
    signals.push(paid(0, "4", "metro", "debit"));
    // Neither a salary nor a refund is spending.
    signals.push(paid(0, "85000", "Employer", "credit"));
    signals.push(paid(0, "700", "Myntra", "refund"));
    let agent = agent(None, signals);
    let candidate = Candidate {
        kind: ActionKind::SurfaceAnomaly,
        subject: Subject::parse("transport").unwrap(),
        confidence: Milli(900),
        args: json!({ "category": "transport", "severity": "high", "day": "2026-11-20", "window_days": 30 }),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    let money = |key, value| SignalReading {
        currency: Some("INR".to_owned()),
        ..SignalReading::new(key, value)
    };
    assert_eq!(
        tick(&agent),
        TickResult {
            candidates: vec![candidate],
            readings: vec![
                money(ReadingKey::SpentToday, 454.0),
                // The mean day: groceries (15 * 32.55 + 15 * 167.45) / 30 = 100, transport 92 / 30: 103.0667.
                // (454 - 103.0667) / 103.0667 = 340.5 %.
                SignalReading::new(ReadingKey::VersusUsualPct, 340.5),
                SignalReading::new(ReadingKey::Uncategorized, 0.0),
                SignalReading::new(ReadingKey::ZScore, 11.968),
            ],
            status: TickStatus::Ok,
        }
    );
}

#[test]
fn the_balance_is_forecast_where_spending_is_steady() {
    let daily = |amounts: &[&str]| -> Vec<Signal> {
        (0..)
            .zip(amounts)
            .map(|(back, amount)| paid(back, amount, "dmart", "debit"))
            .collect()
    };
    // Today is the 20th: 11 days to the 1st of December. Today's payment came after the balance was known.
    for (name, balance, amounts, expected) in [
        // Burn 100; 1100 - 100 today = 1000: 1000 - 1100 = -100; 1000 / 100 = 10 days: the 30th. cv = 0: 0.85.
        (
            "steady",
            "1100",
            &["100"; 7][..],
            Some(("-100.00", 10, Some("2026-11-30"), 850)),
        ),
        // 1200 - 100 = 1100: 11 days: the 1st is no longer this month.
        (
            "just enough",
            "1200",
            &["100"; 7][..],
            Some(("0.00", 11, None, 850)),
        ),
        (
            "used up",
            "100",
            &["100"; 7][..],
            Some(("-1100.00", 0, Some("2026-11-20"), 850)),
        ),
        (
            "overdrawn",
            "50",
            &["100"; 7][..],
            Some(("-1150.00", 0, Some("2026-11-20"), 850)),
        ),
        // 6 days of 16 and 4: mean 10, cv 0.6 exactly. 0.4 + 0.45 * 6/7 * 0.4 = 0.554. 216 - 16 = 200: 200 - 110 = 90.
        (
            "cv of 0.6",
            "216",
            &["16", "4", "16", "4", "16", "4"][..],
            Some(("90.00", 20, None, 554)),
        ),
        (
            "cv above 0.6",
            "216",
            &["16.1", "4", "16", "4", "16", "4"][..],
            None,
        ),
        // 0.4 + 0.45 * 5/7 = 0.721.
        (
            "five days",
            "1100",
            &["100"; 5][..],
            Some(("-100.00", 10, Some("2026-11-30"), 721)),
        ),
        ("four days", "1100", &["100"; 4][..], None),
        (
            "beyond the decimals of a result",
            "10000000000000000",
            &["100"; 7][..],
            None,
        ),
    ] {
        let agent = agent(Some(balance), daily(amounts));
        let forecast = forecast::forecast(&agent.view, today());
        let told = forecast.map(|f| (f.balance_eom, f.days_to_zero, f.hits_zero, f.confidence));
        let expected = expected.map(|(eom, days, zero, confidence): (&str, u32, Option<&str>, i64)| {
            let zero = zero.map(|day| day.parse().unwrap());
            (dec(eom), days, zero, Milli(confidence))
        });
        assert_eq!(told, expected, "{name}");
    }
    // A day without spending among the 7 counts: 6 of 100 in 7 days are 85.71 a day, not 100; cv 0.408.
    let gap = daily(&["100"; 7])
        .into_iter()
        .enumerate()
        .filter(|(i, _)| *i != 3)
        .map(|(_, s)| s)
        .collect();
    let forecast = forecast::forecast(&agent(Some("1100"), gap).view, today()).unwrap();
    // 1000 - 600/7 * 11 = 57.142857
    assert_eq!(forecast.balance_eom, dec("57.14"));
    assert_eq!(
        forecast::forecast(&agent(None, daily(&["100"; 7])).view, today()),
        None,
        "no balance"
    );
    assert_eq!(
        forecast::forecast(&agent(Some("5"), Vec::new()).view, today()),
        None,
        "no spending"
    );
}

#[test]
fn a_rent_paid_twice_and_not_yet_this_month_is_still_to_come() {
    let rent = |back| paid(back, "15000", "landlord", "debit");
    for (name, signals, expected) in [
        // 20 September is 61 days back, 21 September 60: only the days after it count.
        ("August and October", vec![rent(50), rent(21)], "15000"),
        ("once", vec![rent(21)], "0"),
        ("paid this month", vec![rent(50), rent(21), rent(2)], "0"),
        ("60 days back is too old", vec![rent(60), rent(21)], "0"),
        ("59 days back", vec![rent(59), rent(21)], "15000"),
        (
            "the last amount",
            vec![
                paid(50, "199", "netflix", "debit"),
                paid(25, "249", "netflix", "debit"),
            ],
            "249",
        ),
        (
            "groceries are no subscription",
            groceries(&["10", "10", "10"], "10"),
            "0",
        ),
    ] {
        assert_eq!(
            agent(None, signals).view.scheduled(today()),
            dec(expected),
            "{name}"
        );
    }
}

#[test]
fn the_forecast_proposes_when_the_money_ends_before_the_month() {
    let days = || {
        (0..7)
            .map(|back| paid(back, "100", "dmart", "debit"))
            .collect::<Vec<_>>()
    };
    let found = tick(&agent(Some("1100"), days()));
    assert_eq!(
        found.candidates,
        vec![Candidate {
            kind: ActionKind::ProjectBalance,
            subject: Subject::all(),
            confidence: Milli(850),
            args: json!({ "day": "2026-11-20" }),
            valid_until: None,
            evidence: vec![],
            let_through: false,
        }]
    );
    let keys: Vec<(ReadingKey, f64)> = found.readings.iter().map(|r| (r.key, r.value)).collect();
    assert!(
        keys.contains(&(ReadingKey::BalanceEndOfMonth, -100.0))
            && keys.contains(&(ReadingKey::DaysToZero, 10.0))
    );
    assert_eq!(tick(&agent(Some("1200"), days())).candidates, Vec::new());
}

#[test]
fn the_currency_is_the_balances_or_the_most_frequent_and_others_are_not_added() {
    let euro = |back| {
        let mut euro = paid(back, "40", "hotel", "debit");
        euro.payload["currency"] = json!("EUR");
        euro
    };
    let mixed = || vec![paid(0, "100", "dmart", "debit"), euro(0), euro(1)];
    for (balance, currency, spent) in [(None, "EUR", "40"), (Some("500"), "INR", "100")] {
        let agent = agent(balance, mixed());
        assert_eq!(
            (agent.view.currency.as_str(), agent.view.spent(today())),
            (currency, dec(spent))
        );
    }
}

#[test]
fn each_currency_is_judged_by_its_own_days() {
    let euro = |back, amount: &str| {
        let mut euro = paid(back, amount, "dmart", "debit");
        euro.payload["currency"] = json!("EUR");
        euro
    };
    // 30 days of 100 rupees, and today: they do not differ. 8 days of 8 and 12 euros by turns: the median is 10, MAD 2, so that
    // 30 euros today are z = 0.6745 * (30 - 10) / 2 = 6.745.
    let mut signals = groceries(&["100"; 30], "100");
    signals.extend((1..=8).map(|back| euro(back, if back % 2 == 0 { "8" } else { "12" })));
    signals.push(euro(0, "30"));
    let agent = agent(None, signals);
    assert_eq!(agent.view.currency, "INR");
    let found = stats::strongest(&agent.view, &agent.allowed, today(), 30).unwrap();
    assert_eq!(
        (found.category, found.total, found.median, found.z),
        (Category::Groceries, dec("30"), dec("10"), dec("6.745"))
    );
    let told = stats::anomaly_in_any_currency(&agent.view, Category::Groceries, today(), 30);
    assert_eq!(
        told.map(|(view, found)| (view.currency.as_str(), found)),
        Some(("EUR", found))
    );
}
