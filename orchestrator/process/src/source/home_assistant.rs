//! Nights by Home Assistant.
//!
//! What: [`read`]: how one sensor changed in the last weeks, handed over as a table of minutes asleep that the Wellness agent reads. Why: whoever
//! has their band in Home Assistant already has it nowhere else. Not here: HTTP (`http`), what a night means (the Wellness agent), when it is
//! asked (the runtime).

use super::{
    dav::PartSender,
    http::{HttpSession, ServerRequest},
    wire::{AccountPart, AccountRequest, LookFailure, NAME_MAX, STATEMENT_HEAD},
};
use serde::Deserialize;
use toolcall_schema::Timestamp;

/// Changes that are taken of one answer.
const CHANGES_MAX: usize = 20_000;
/// Minutes of a day.
const DAY_MIN: f64 = 1440.0;

/// How a sensor stood from some time on. What it is called and measured in stands in the first alone.
#[derive(Debug, Deserialize)]
struct SensorState {
    state: String,
    last_changed: String,
    #[serde(default)]
    attributes: SensorAttributes,
}

#[derive(Debug, Default, Deserialize)]
struct SensorAttributes {
    #[serde(default)]
    unit_of_measurement: String,
    #[serde(default)]
    friendly_name: String,
}

/// Hands over the nights, whole, and gives the sensor.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn read(
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<Vec<String>, LookFailure> {
    let [from, to] = &request.span;
    let (root, sensor) = sensor_of(&request.place.path).ok_or(LookFailure::NoSensor)?;
    let answer = session
        .ask(&ServerRequest {
            method: "GET",
            path: &format!("{root}/api/history/period/{from}?filter_entity_id={sensor}&end_time={to}"),
            headers: &[("Accept", "application/json")],
            body: "",
        })
        .await?
        .good()?;
    let found: Vec<Vec<SensorState>> =
        serde_json::from_slice(&answer.body).map_err(|_| LookFailure::Broken)?;
    let changes = found.into_iter().next().unwrap_or_default();
    if changes.len() > CHANGES_MAX {
        return Err(LookFailure::TooLarge);
    }
    let first = changes.first().ok_or(LookFailure::NoSensor)?;
    let minutes_of_unit = minutes_of(&first.attributes.unit_of_measurement).ok_or(LookFailure::NoSensor)?;
    let name: String = first.attributes.friendly_name.chars().take(NAME_MAX).collect();
    let id = sensor.to_owned();
    parts.send(AccountPart::Calendar {
        id: id.clone(),
        name,
        is_whole: true,
        mark: None,
        takes_events: false,
    })?;
    parts.send(AccountPart::Object {
        id: STATEMENT_HEAD.to_owned(),
        text: "at,asleep_min\n".to_owned(),
    })?;
    for (at, minutes) in nights(&changes, from, minutes_of_unit) {
        parts.send(AccountPart::Object {
            id: format!("night {at}"),
            text: format!("{at},{minutes:.0}\n"),
        })?;
    }
    Ok(vec![id])
}

/// The sensor that an address names last, and what stands before it.
fn sensor_of(path: &str) -> Option<(&str, &str)> {
    let (before, sensor) = path.trim_end_matches('/').rsplit_once('/')?;
    let may = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let name = sensor.strip_prefix("sensor.")?;
    let is_name = !name.is_empty() && name.bytes().all(may);
    let root = before.strip_suffix("/api/states").unwrap_or(before);
    is_name.then_some((root, sensor))
}

/// How many minutes one of a unit is; `None`: it is no unit of time.
fn minutes_of(unit: &str) -> Option<f64> {
    match unit {
        "s" => Some(1.0 / 60.0),
        "min" => Some(1.0),
        "h" => Some(60.0),
        _ => None,
    }
}

/// When it changed to how many minutes. What it was before the first day is of a time that nobody says; what comes back after it was not to be had
/// is no new night.
fn nights(changes: &[SensorState], from: &str, minutes_of_unit: f64) -> Vec<(Timestamp, f64)> {
    let begin = Timestamp::parse(from).ok();
    let mut last: Option<&str> = None;
    let mut nights = Vec::new();
    for change in changes {
        let (Ok(value), Ok(at)) = (
            change.state.parse::<f64>(),
            Timestamp::parse(&change.last_changed),
        ) else {
            continue;
        };
        let minutes = value * minutes_of_unit;
        let before = last.replace(&change.state);
        let is_new = before != Some(change.state.as_str()) && begin.is_none_or(|begin| at > begin);
        if is_new && (0.0..=DAY_MIN).contains(&minutes) {
            nights.push((at, minutes));
        }
    }
    nights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_ends_with_a_sensor() {
        for (path, found) in [
            ("/sensor.asleep", Some(("", "sensor.asleep"))),
            ("/api/states/sensor.asleep_2/", Some(("", "sensor.asleep_2"))),
            ("/home/sensor.a", Some(("/home", "sensor.a"))),
            ("/", None),
            ("/light.lamp", None),
            ("/sensor.a&b=c", None),
            ("/sensor.", None),
        ] {
            assert_eq!(sensor_of(path), found, "{path}");
        }
    }

    #[test]
    fn a_night_is_a_change_and_not_a_value_that_came_back() {
        let state = |state: &str, at: &str| SensorState {
            state: state.to_owned(),
            last_changed: at.to_owned(),
            attributes: SensorAttributes::default(),
        };
        let changes = [
            state("6.5", "2026-11-01T00:00:00+00:00"),
            state("7.25", "2026-11-02T06:30:00.123456+00:00"),
            state("unavailable", "2026-11-02T12:00:00+00:00"),
            state("7.25", "2026-11-02T12:05:00+00:00"),
            state("6", "2026-11-03T06:40:00+00:00"),
            state("999", "2026-11-04T06:40:00+00:00"),
        ];
        let found = nights(&changes, "2026-11-01T00:00:00Z", 60.0);
        let minutes: Vec<f64> = found.iter().map(|(_, minutes)| *minutes).collect();
        assert!(
            (minutes.iter().sum::<f64>() - (435.0 + 360.0)).abs() < 0.001,
            "{minutes:?}"
        );
    }
}
