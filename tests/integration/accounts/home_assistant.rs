//! A sensor of Home Assistant.
//!
//! What: how long its owner slept is read from one sensor of a stand-in, by a token, and stands on the page; another sensor, and one that measures
//! no time, are said to be none. Why: nothing else of a home is asked for. Not here: what the worker makes of an answer (`aura_process`).

use super::{
    Household, any_file_holds,
    bad_servers::{ok, serve},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

const TOKEN: &str = "tok-7f31-invented";

/// What a stand-in for Home Assistant answers to a request.
fn answer(asked: &str) -> String {
    let line = asked.lines().next().unwrap_or_default();
    if !asked
        .to_ascii_lowercase()
        .contains(&format!("authorization: bearer {TOKEN}"))
    {
        return ok("401 Unauthorized", "", "");
    }
    assert!(line.starts_with("GET /api/history/period/20"), "{line}");
    let unit = if line.contains("filter_entity_id=sensor.minutes_asleep&end_time=20") {
        "h"
    } else if line.contains("sensor.weight") {
        "kg"
    } else {
        return ok("200 OK", "", "[]");
    };
    // Yesterday and today in the morning, as a home writes it.
    let at = |hours: i64| -> DateTime<Utc> { Utc::now() - TimeDelta::hours(hours) };
    let change = |hours, state: &str| json!({ "state": state, "last_changed": at(hours).to_rfc3339() });
    let mut first = change(26, "6.5");
    first["attributes"] = json!({ "unit_of_measurement": unit, "friendly_name": "Minutes <asleep>" });
    let changes = json!([[
        first,
        change(5, "unavailable"),
        change(4, "6.5"),
        change(2, "7.25")
    ]]);
    ok("200 OK", "", &changes.to_string())
}

#[test]
fn nights_come_from_one_sensor_and_stand_on_the_page() {
    let home = serve(None, |_, asked, stream| {
        let _ = stream.write_all(answer(asked).as_bytes());
    });
    let household = Household::new();
    let service = household.service();
    let add = |name: &str, sensor: &str| {
        let address = format!("http://{home}/{sensor}");
        let add = ["add", name, &address, "--kind", "home-assistant", "--private"];
        let (code, said) = household.source(&service, &add, "");
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(
            household.look_at(&service, name)["failure"]["why"],
            "login_missing"
        );
        let (code, said) = household.source(&service, &["login", name, "--stdin"], &format!("{TOKEN}\n"));
        assert_eq!(code, Some(0), "{said}");
    };
    for (name, sensor) in [("weight", "sensor.weight"), ("gone", "sensor.gone")] {
        add(name, sensor);
        service.until("what it is not", |service| {
            (household.look_at(service, name)["failure"]["why"] == "no_sensor").then_some(())
        });
    }
    add("sleep", "sensor.minutes_asleep");
    service.until("look", |service| {
        let report = household.look_at(service, "sleep");
        (report["entries"] == 2 && report["failure"].is_null()).then_some(())
    });
    let (_, said) = household.source(&service, &["list"], "");
    assert!(said.contains("2 nights in 1 sensor"), "{said}");
    service.until("nights", |service| {
        let (_, page) = service.request("GET", "/body", None);
        page.as_str()?.contains("7 h 15").then_some(())
    });
    assert!(
        !any_file_holds(household.dir.path(), TOKEN),
        "the token lies on the disk"
    );
}
