//! Where things stand on the sheet, worked out by hand: 580 units from 48 to 628 across, for lines and bars 160 from 172 up
//! to 12.

use super::*;
use serde_json::{Value, json};
use surfaces_base::{
    backend::{EventTimes, KeptBody, KeptBodyDay, KeptMoney, KeptPayment},
    language::Language,
    locale,
};
use toolcall_schema::{Category, ids::MerchantHash};

fn t(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A silent trace in which Finance and Wellness measured this.
fn trace(at: &str, readings: &Value) -> Trace {
    let ledger =
        json!({"day": "2026-11-03", "ceiling": 3, "free": 3, "reserved": 0, "settled": 0, "refunded": 0});
    serde_json::from_value(json!({
        "trace_id": "tr_brief0000001", "ts": at, "outcome": "silent", "reason_code": "no_candidate",
        "tool_calls": [], "ledger_after": ledger, "state_path": [], "rationale": "", "rationale_source": "template",
        "decision": {
            "trace_id": "tr_brief0000001", "tick": 12, "ts": at,
            "trigger": {"source": "interval", "at": at, "valid_until": at},
            "user": {"state": "BASELINE", "in_focus": false, "in_meeting": false, "dnd": false, "brief_due": false,
                     "zone": "UTC"},
            "agent_status": {}, "signals": {"wellness": readings}, "candidates": [],
            "reason_code": "no_candidate", "rationale": "", "ledger_before": ledger,
            "policy_hash": "a".repeat(64), "catalogue_hash": "b".repeat(64), "stale_triggers": []
        }
    }))
    .unwrap()
}

fn view(at: &str, traces: Vec<Trace>, events: Vec<EventTimes>) -> WeekView {
    WeekView {
        at: t(at),
        zone: "UTC".to_owned(),
        traces: traces.into(),
        events,
        money: KeptMoney::default(),
        body: KeptBody::default(),
    }
}

fn of(view: &WeekView, zone: Tz, name: &str) -> PictureView {
    all(view, zone).into_iter().find(|one| one.name == name).unwrap()
}

fn all(view: &WeekView, zone: Tz) -> Vec<PictureView> {
    let [load, rmssd] = measured(view, &view.body, zone);
    let names = [("ev_00000000000000a1".to_owned(), "Lab".to_owned())];
    vec![
        day(view, &names.into_iter().collect(), zone),
        load,
        rmssd,
        spending(view, &spent(view, zone), zone),
    ]
}

fn spent(view: &WeekView, zone: Tz) -> LatelySpent {
    LatelySpent::from_payments(&view.money.payments, view.at, zone)
}

fn drawn(picture: &PictureView, ink: ShapeRole) -> Vec<&PictureShape> {
    let is = |shape: &&PictureShape| match shape {
        PictureShape::Line(it, _)
        | PictureShape::Box(it, _)
        | PictureShape::Event(it, ..)
        | PictureShape::Dot(it, _) => *it == ink,
        PictureShape::Reading(..) | PictureShape::Text(..) => false,
    };
    picture.shapes.iter().filter(is).collect()
}

fn near(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() < 0.01 && (a.1 - b.1).abs() < 0.01
}

#[test]
fn a_gap_in_what_was_measured_is_a_gap_in_the_line() {
    let load = |value: u32| json!([{"key": "load_score", "value": value}]);
    let view = view(
        "2026-11-03T12:00:00Z",
        vec![
            // In no order; one is older than seven days.
            trace("2026-11-03T06:00:00Z", &load(80)),
            trace("2026-11-03T00:00:00Z", &load(0)),
            trace("2026-11-03T01:00:00Z", &load(50)),
            trace("2026-10-27T23:00:00Z", &load(99)),
        ],
        vec![],
    );
    let picture = of(&view, Tz::UTC, "load");
    let [
        PictureShape::Line(_, points),
        PictureShape::Dot(_, end),
        PictureShape::Dot(_, alone),
    ] = drawn(&picture, ShapeRole::Value)[..]
    else {
        panic!("{picture:?}");
    };
    // The last of seven days begins at 48 + 6 · 580 / 7 = 545.143; an hour is 580 / 168 = 3.452.
    assert!(near(points[0], (545.143, 172.0)), "{points:?}");
    assert!(near(points[1], (548.595, 92.0)), "{points:?}");
    // A line of an hour is narrower than a dot, so its end is one.
    assert!(near(*end, points[1]), "{end:?}");
    assert!(near(*alone, (565.857, 44.0)), "{alone:?}");
    assert!(!picture.is_empty());
    // Each day says what was measured in it, over its whole width; its dot is the last. 3 November ends at 628: its middle is 586.571.
    let readings: Vec<_> = picture
        .shapes
        .iter()
        .filter(|shape| matches!(shape, PictureShape::Reading(..)))
        .collect();
    let [PictureShape::Reading(span, dot, says)] = readings[..] else {
        panic!("{readings:?}");
    };
    assert!(
        near(*span, (545.143, 628.0)) && near(*dot, (586.571, 44.0)),
        "{span:?} {dot:?}"
    );
    assert_eq!(says, "Tue 3 Nov: 0 to 80");
    // 70 stands at 172 − 0.7 · 160 = 60.
    assert_eq!(
        drawn(&picture, ShapeRole::Mark),
        [&PictureShape::Line(
            ShapeRole::Mark,
            vec![(48.0, 60.0), (628.0, 60.0)]
        )]
    );
    assert_eq!(picture.rows[6], ["Tue 3 Nov", "0", "80", "80", "3"]);
    assert_eq!(picture.rows[5], ["Mon 2 Nov", "–", "–", "–", "0"]);
    assert_eq!(
        picture.says,
        "Your load score, as it was at 3 of my looks in seven days. Its highest was 80, and one was at 70 or above, where stress begins."
    );
}

#[test]
fn what_is_usual_is_a_band_behind_what_was_measured() {
    let rmssd = json!([{"key": "rmssd_ms", "value": 20.0, "low": 25.0, "high": 50.0}]);
    let view = view(
        "2026-11-03T12:00:00Z",
        vec![trace("2026-11-03T00:00:00Z", &rmssd)],
        vec![],
    );
    let picture = of(&view, Tz::UTC, "rmssd");
    // 50 is the highest, so the sheet ends there: 25 is half its height, 92; the band reaches to the top.
    assert_eq!(
        drawn(&picture, ShapeRole::Usual),
        [&PictureShape::Box(ShapeRole::Usual, [48.0, 12.0, 580.0, 80.0])]
    );
    assert_eq!(
        picture.says,
        "Your heart-rate variability (RMSSD), 1 measurement in seven days. Usual for you is 25 to 50 ms; one was below."
    );
}

#[test]
fn one_measurement_is_said_and_one_a_day_is_a_line() {
    let load = json!([{"key": "load_score", "value": 61}]);
    let alone = view(
        "2026-11-03T12:00:00Z",
        vec![trace("2026-11-03T00:00:00Z", &load)],
        vec![],
    );
    let alone = of(&alone, Tz::UTC, "load");
    assert!(alone.is_one_dot() && !alone.is_empty(), "{alone:?}");
    let rmssd = |value: u32| json!([{"key": "rmssd_ms", "value": value}]);
    let daily = view(
        "2026-11-03T12:00:00Z",
        vec![
            trace("2026-11-02T06:00:00Z", &rmssd(30)),
            trace("2026-11-03T06:00:00Z", &rmssd(25)),
        ],
        vec![],
    );
    let daily = of(&daily, Tz::UTC, "rmssd");
    let [PictureShape::Line(_, points)] = drawn(&daily, ShapeRole::Value)[..] else {
        panic!("{daily:?}");
    };
    assert_eq!(points.len(), 2);
    assert!(!daily.is_one_dot());
}

#[test]
fn nothing_measured_is_said_and_not_drawn() {
    let view = view("2026-11-03T12:00:00Z", vec![], vec![]);
    for picture in all(&view, Tz::UTC) {
        assert_eq!(
            drawn(&picture, ShapeRole::Value),
            Vec::<&PictureShape>::new(),
            "{}",
            picture.name
        );
        assert!(picture.is_empty(), "{}", picture.name);
        assert!(!picture.rows.is_empty(), "{}", picture.name);
    }
    assert_eq!(
        of(&view, Tz::UTC, "load").says,
        "No load score was measured in these seven days."
    );
    assert_eq!(
        of(&view, Tz::UTC, "spending").says,
        "Nothing is known of what was spent in these seven days."
    );
}

fn paid(at: &str, amount: &str, currency: &str) -> KeptPayment {
    KeptPayment {
        at: t(at),
        amount: amount.parse().unwrap(),
        currency: currency.to_owned(),
        merchant: MerchantHash::parse("mh_0000000000000001").unwrap(),
        category: Category::Groceries,
        account_last4: "4242".to_owned(),
    }
}

#[test]
fn a_day_of_two_currencies_says_both_the_one_of_the_week_first() {
    let at = t("2026-11-03T12:00:00Z");
    let home = [
        "2026-10-31T09:00:00Z",
        "2026-11-01T09:00:00Z",
        "2026-11-03T07:00:00Z",
    ];
    let mut payments: Vec<_> = home.iter().map(|at| paid(at, "-24.10", "EUR")).collect();
    let today = |payments: &[KeptPayment]| {
        LatelySpent::from_payments(payments, at, chrono_tz::UTC).today(&kept(payments.to_vec()))
    };
    assert_eq!(today(&payments).as_deref(), Some("€24.10"));
    payments.push(paid("2026-11-03T08:00:00Z", "-31.50", "USD"));
    payments.push(paid("2026-11-03T09:00:00Z", "-2.90", "USD"));
    assert_eq!(today(&payments).as_deref(), Some("€24.10 + $34.40"));
    payments.remove(2);
    assert_eq!(today(&payments).as_deref(), Some("$34.40"));
}

fn kept(payments: Vec<KeptPayment>) -> KeptMoney {
    KeptMoney {
        all: payments.len() as u64,
        newest: payments.iter().map(|paid| paid.at).max(),
        payments: payments.into(),
    }
}

#[test]
fn a_day_costs_what_memory_keeps_of_it_in_the_most_frequent_currency() {
    let last = json!([
        {"key": "spent_today", "value": 1.0, "currency": "INR", "low": 200.0, "high": 800.0},
        {"key": "balance_end_of_month", "value": 41200.0, "currency": "INR", "low": 33000.0, "high": 48000.0}
    ]);
    let view = WeekView {
        money: kept(vec![
            // Older than seven days.
            paid("2026-10-27T20:00:00Z", "-7000", "INR"),
            paid("2026-11-01T20:00:00Z", "-70", "EUR"),
            paid("2026-11-02T08:00:00Z", "-90", "INR"),
            paid("2026-11-02T20:00:00Z", "-410", "INR"),
            // Money that came in is not spent, and of 55.50 nobody knows.
            paid("2026-11-02T21:00:00Z", "+85000", "INR"),
            paid("2026-11-02T22:00:00Z", "55.50", "INR"),
            paid("2026-11-03T20:00:00Z", "-1000", "INR"),
        ]),
        ..view(
            "2026-11-03T22:00:00Z",
            vec![trace("2026-11-03T20:00:00Z", &last)],
            vec![],
        )
    };
    let picture = of(&view, Tz::UTC, "spending");
    // A day is 580 / 7 = 82.857 wide and its bar 0.6 of that, in the middle: 49.714. 500 of 1000 is 80 high.
    let bars: Vec<[f64; 4]> = drawn(&picture, ShapeRole::Value)
        .into_iter()
        .filter_map(|shape| match shape {
            PictureShape::Box(_, at) => Some(*at),
            PictureShape::Line(..)
            | PictureShape::Event(..)
            | PictureShape::Dot(..)
            | PictureShape::Reading(..)
            | PictureShape::Text(..) => None,
        })
        .collect();
    assert_eq!(bars.len(), 2, "{bars:?}");
    assert!(near((bars[0][0], bars[0][1]), (478.857, 92.0)), "{bars:?}");
    assert!(near((bars[0][2], bars[0][3]), (49.714, 80.0)), "{bars:?}");
    assert!(near((bars[1][1], bars[1][3]), (12.0, 160.0)), "{bars:?}");
    assert_eq!(picture.rows[4], ["Sun 1 Nov", "–"]);
    let said: Vec<&str> = picture
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            PictureShape::Reading(_, _, says) => Some(says.as_str()),
            PictureShape::Line(..)
            | PictureShape::Box(..)
            | PictureShape::Event(..)
            | PictureShape::Dot(..)
            | PictureShape::Text(..) => None,
        })
        .collect();
    assert_eq!(said, ["Mon 2 Nov: ₹500.00", "Tue 3 Nov: ₹1,000.00"]);
    // The axis says once in what it counts.
    let unit = PictureShape::Text(TextAnchor::Start, (0.0, -14.0), "₹".to_owned());
    assert!(picture.shapes.contains(&unit), "{:?}", picture.shapes);
    assert_eq!(picture.rows[5], ["Mon 2 Nov", "₹500.00"]);
    assert_eq!(
        picture.rows[7],
        [
            "Balance at the month's end",
            "₹41,200.00 (probably ₹33,000.00 to ₹48,000.00)"
        ]
    );
    assert_eq!(
        picture.says,
        "You spent ₹1,500.00 in seven days, in 3 payments. The most on one day was ₹1,000.00. A usual day is ₹200.00 to ₹800.00. Not in these sums: 1 payment in other currencies. Not in these sums: 1 payment that does not say whether money went out or came in. Balance at the month's end: ₹41,200.00 (probably ₹33,000.00 to ₹48,000.00)."
    );
    assert_eq!(
        spent(&view, Tz::UTC).today(&view.money).as_deref(),
        Some("₹1,000.00")
    );
    // Where there is no room for labels, the ends of the axis with their unit are left.
    assert_eq!(picture.axis_ends().unwrap(), ["₹0", "₹1,000"]);
    let german = locale::speaking(Language::German, || picture.axis_ends().unwrap());
    assert_eq!(german, ["0 ₹", "1,000 ₹"]);
    let rmssd = of(&view, Tz::UTC, "rmssd").axis_ends().unwrap();
    assert_eq!(rmssd, ["0 ms", "1 ms"]);
    assert_eq!(of(&view, Tz::UTC, "day").axis_ends(), None);
}

#[test]
fn the_sum_of_a_bar_that_is_cut_stands_beside_the_figures_of_the_axis() {
    let labels = |at: &str| -> Vec<(TextAnchor, f64)> {
        let payments = vec![
            paid(at, "-9000", "INR"),
            paid("2026-11-10T08:00:00Z", "-100", "INR"),
            paid("2026-11-11T08:00:00Z", "-80", "INR"),
        ];
        let month = ["2026-11-01", "2026-12-01"].map(|day| day.parse().unwrap());
        let picture = spent_each_day(&payments, (month[0], month[1]), Tz::UTC).unwrap();
        let sums = picture.shapes.into_iter().filter_map(|shape| match shape {
            PictureShape::Text(anchor, (x, _), text) if text == "₹9,000.00" => Some((anchor, x)),
            PictureShape::Text(..)
            | PictureShape::Line(..)
            | PictureShape::Box(..)
            | PictureShape::Event(..)
            | PictureShape::Dot(..)
            | PictureShape::Reading(..) => None,
        });
        sums.collect()
    };
    // A day is 580 / 30 = 19.333 wide, its bar 11.6: of the first from 48 + 3.867 on, of the last up to 628 − 3.867, of the 16th around 347.667.
    for (at, anchor, x) in [
        ("2026-11-01T08:00:00Z", TextAnchor::Start, 51.867),
        ("2026-11-30T08:00:00Z", TextAnchor::End, 624.133),
        ("2026-11-16T08:00:00Z", TextAnchor::Middle, 347.667),
    ] {
        let [(held, place)] = labels(at)[..] else {
            panic!("{at}");
        };
        assert!(
            held == anchor && (place - x).abs() < 0.01,
            "{at}: {held:?} {place}"
        );
    }
}

#[test]
fn a_bar_that_is_cut_stands_above_all_others_and_shows_its_gap() {
    let payments = [
        paid("2026-11-02T08:00:00Z", "-6000", "INR"),
        paid("2026-11-03T08:00:00Z", "-80", "INR"),
    ];
    let days = ["2026-11-02", "2026-11-09"].map(|day| day.parse().unwrap());
    let picture = spent_each_day(&payments, (days[0], days[1]), Tz::UTC).unwrap();
    let (mut bars, mut gaps) = (Vec::new(), Vec::new());
    for shape in &picture.shapes {
        match shape {
            PictureShape::Box(ShapeRole::Value, [_, top, _, height]) => bars.push((*top, *height)),
            PictureShape::Line(ShapeRole::Cut, points) => {
                gaps.push(points.iter().map(|(_, y)| *y).collect::<Vec<_>>());
            }
            PictureShape::Box(..)
            | PictureShape::Line(..)
            | PictureShape::Text(..)
            | PictureShape::Event(..)
            | PictureShape::Dot(..)
            | PictureShape::Reading(..) => {}
        }
    }
    // The axis ends at 80, 52 below the top of the sheet; the cut one goes on to 12, with a gap around 32 between.
    assert_eq!(bars, [(12.0, 160.0), (52.0, 120.0)]);
    assert_eq!(gaps, [[36.0, 28.0, 36.0, 28.0, 36.0]]);
}

#[test]
fn what_was_imported_of_earlier_weeks_is_not_denied() {
    let at = "2026-11-23T22:00:00Z";
    let view = WeekView {
        money: KeptMoney {
            payments: [].into(),
            all: 117,
            newest: Some(t("2026-11-03T20:00:00Z")),
        },
        body: KeptBody {
            days: vec![],
            all: 41,
            newest: Some(t("2026-11-10T06:00:00Z")),
            loads: vec![],
            tags: BTreeMap::new(),
        },
        ..view(at, vec![], vec![])
    };
    assert_eq!(
        of(&view, Tz::UTC, "spending").says,
        "No payment in these seven days. 117 payments are kept, the newest of Tue 3 Nov."
    );
    assert_eq!(
        of(&view, Tz::UTC, "rmssd").says,
        "No heart-rate variability (RMSSD) was measured in these seven days. 41 days are kept, the newest of Tue 10 Nov."
    );
    assert_eq!(
        spent(&view, Tz::UTC).today(&view.money).as_deref(),
        Some("nothing")
    );
}

#[test]
fn a_day_that_no_decision_saw_is_drawn_as_memory_keeps_it() {
    let day = |at: &str, rmssd_ms: f64| KeptBodyDay {
        at: t(at),
        rmssd_ms: Some(rmssd_ms),
        resting_bpm: None,
        sleep_min: None,
    };
    let view = WeekView {
        body: KeptBody {
            days: vec![
                day("2026-11-01T00:00:00Z", 50.0),
                day("2026-11-03T05:00:00Z", 10.0),
            ],
            all: 2,
            newest: Some(t("2026-11-03T05:00:00Z")),
            loads: vec![],
            tags: BTreeMap::new(),
        },
        ..view(
            "2026-11-03T12:00:00Z",
            vec![trace(
                "2026-11-03T00:00:00Z",
                &json!([{"key": "rmssd_ms", "value": 25.0}]),
            )],
            vec![],
        )
    };
    let picture = of(&view, Tz::UTC, "rmssd");
    // Of 3 November a decision saw 25. Its dot stands at 48 + 6 · 580 / 7 = 545.143, that of the 1st at 48 + 4 · 580 / 7 = 379.429.
    let [PictureShape::Dot(_, kept), PictureShape::Dot(_, seen)] = drawn(&picture, ShapeRole::Value)[..]
    else {
        panic!("{picture:?}");
    };
    assert!(near(*kept, (379.429, 12.0)), "{kept:?}");
    assert!(near(*seen, (545.143, 92.0)), "{seen:?}");
}

#[test]
fn the_rate_at_rest_has_a_picture_between_the_tens_around_it_and_none_where_it_is_not_known() {
    let days: Vec<KeptBodyDay> = (0..20)
        .map(|nth| KeptBodyDay {
            at: t("2026-10-15T02:00:00Z").plus_min(nth * 24 * 60),
            rmssd_ms: None,
            resting_bpm: Some(if nth % 2 == 0 { 53.0 } else { 57.0 }),
            sleep_min: None,
        })
        .collect();
    let mut kept = KeptBody {
        days,
        ..KeptBody::default()
    };
    let names = |kept: &KeptBody| -> Vec<&str> {
        let pictures = body_days(kept, &[], t("2026-11-03T12:00:00Z"), 30, Tz::UTC);
        pictures.iter().map(|picture| picture.name).collect()
    };
    assert_eq!(names(&kept), ["rmssd", "resting", "sleep", "load"]);
    let pictures = body_days(&kept, &[], t("2026-11-03T12:00:00Z"), 30, Tz::UTC);
    let resting = &pictures[1];
    // The middle is 55, the median distance 2: 55 ± 2.9652, so the sheet goes from 50 to 60.
    assert_eq!(
        resting.says,
        "One value a day, known of 20 of 30 days. In the middle 57 a minute; least 53 a minute, most 57 a minute. Usual for you is 52 a minute to 58 a minute."
    );
    let labels: Vec<&str> = resting
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            PictureShape::Text(TextAnchor::End, _, text) => Some(text.as_str()),
            PictureShape::Text(..)
            | PictureShape::Box(..)
            | PictureShape::Line(..)
            | PictureShape::Event(..)
            | PictureShape::Dot(..)
            | PictureShape::Reading(..) => None,
        })
        .collect();
    assert_eq!(labels, ["50", "55", "60"]);
    for day in &mut kept.days {
        day.resting_bpm = None;
    }
    assert_eq!(names(&kept), ["rmssd", "sleep", "load"]);
}

#[test]
fn the_strip_of_a_day_with_25_hours_has_noon_after_13_of_them() {
    let zone = Tz::Europe__Berlin;
    let berlin = |from: &str, to: &str, leave_by: Option<&str>| EventTimes {
        id: EventId::parse("ev_00000000000000a1").unwrap(),
        start: t(from),
        end: t(to),
        focus: leave_by.is_none(),
        leave_by: leave_by.map(t),
    };
    let events = vec![
        berlin(
            "2026-10-25T12:00:00+01:00",
            "2026-10-25T13:00:00+01:00",
            Some("2026-10-25T11:30:00+01:00"),
        ),
        // Yesterday's is not drawn.
        berlin("2026-10-24T12:00:00+02:00", "2026-10-24T13:00:00+02:00", None),
    ];
    let view = view(
        "2026-10-25T18:00:00+01:00",
        vec![trace("2026-10-25T06:00:00+01:00", &json!([]))],
        events,
    );
    let picture = of(&view, zone, "day");
    // An hour is 580 / 25 = 23.2. Noon: 48 + 13 · 23.2 = 349.6; the way begins 11.6 earlier. 06:00 is after 7: 210.4.
    let [PictureShape::Event(_, event, id, name)] = drawn(&picture, ShapeRole::Event)[..] else {
        panic!("{picture:?}");
    };
    assert_eq!((id.as_str(), name.as_str()), ("ev_00000000000000a1", "Lab"));
    assert_eq!(picture.events, BTreeMap::from([(1, id.clone())]));
    assert!(near((event[0], event[2]), (349.6, 23.2)), "{event:?}");
    let [PictureShape::Box(_, way)] = drawn(&picture, ShapeRole::Way)[..] else {
        panic!("{picture:?}");
    };
    assert!(near((way[0], way[2]), (338.0, 11.6)), "{way:?}");
    let [PictureShape::Line(_, silent)] = drawn(&picture, ShapeRole::Silent)[..] else {
        panic!("{picture:?}");
    };
    assert!(near(silent[0], (210.4, 74.0)), "{silent:?}");
    assert_eq!(picture.says, "1 event with a time. I kept quiet once.");
    assert_eq!(
        picture.rows,
        [
            ["11:30–12:00", "On the way, with time to spare"],
            ["12:00–13:00", "Lab"],
            ["all day", "held back once"],
        ]
    );
}

#[test]
fn an_event_of_three_weeks_stands_in_the_table_and_covers_no_other() {
    let event = |id: &str, from: &str, to: &str| EventTimes {
        id: EventId::parse(id).unwrap(),
        start: t(from),
        end: t(to),
        focus: false,
        leave_by: None,
    };
    let events = vec![
        event(
            "ev_00000000000000a1",
            "2026-10-20T09:00:00Z",
            "2026-11-10T18:00:00Z",
        ),
        event(
            "ev_00000000000000a2",
            "2026-11-03T12:00:00Z",
            "2026-11-03T13:00:00Z",
        ),
        // A minute less than a day has its hours.
        event(
            "ev_00000000000000a3",
            "2026-11-02T13:00:00Z",
            "2026-11-03T12:59:00Z",
        ),
    ];
    let picture = of(&view("2026-11-03T18:00:00Z", vec![], events), Tz::UTC, "day");
    assert_eq!(drawn(&picture, ShapeRole::Event).len(), 2, "{picture:?}");
    assert!(
        picture.says.starts_with("2 events with a time."),
        "{}",
        picture.says
    );
    let whens: Vec<&str> = picture.rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(whens, ["12:00–13:00", "13:00–12:59", "all day", "all day"]);
    let long = picture.events.get(&2).map(EventId::as_str);
    assert_eq!(long, Some("ev_00000000000000a1"));
}

#[test]
fn sheets_end_at_round_numbers() {
    for (value, round) in [
        (0.0, 1.0),
        (-3.0, 1.0),
        (f64::NAN, 1.0),
        (0.7, 0.8),
        (1.0, 1.0),
        (1.1, 2.0),
        (42.0, 50.0),
        (1000.0, 1000.0),
        (57.3, 60.0),
        (2.1, 3.0),
        (7_200.0, 8_000.0),
        (8_100.0, 10_000.0),
    ] {
        assert!((round_up(value) - round).abs() < 1e-9, "{value}");
    }
}
