//! What the app Health Auto Export says, as a file or as a post.
//!
//! What: [`parse`], sleep and rates at rest of one export and a count of everything else. Why: both ways have one reader, and what is not used is
//! counted by its name, never dropped without a word. Not here: what is made of it (`health_post`), who may post (`surfaces`), what a stretch of sleep
//! changes (`sleep`, `nights`).
//!
//! An export is `{"data": {"metrics": [{"name", "units", "data": […]}], "workouts": […], …}}`. Of `sleep_analysis` an element is either a night
//! (`sleepEnd`, and hours or minutes by `units`) or one stage (`startDate`, `endDate`, `value`). The names are those of the public wiki
//! `Lybron/health-auto-export` (API Export, JSON Format, 2025-09-16), seen 2026-11-26. `HealthKit` keeps SDNN and no RMSSD, so that is not used. Of
//! `resting_heart_rate` an element is a day: `date` and `qty` in beats a minute.

use super::{
    super::{code, sleep::SleepStretch},
    RestingRate, counted_sleep,
    health_post::{HealthReadings, SleepPart, UNKNOWN, elements_of},
    times,
};
use agents_base::shared::SkipCode;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;
use toolcall_schema::{Timestamp, ids::SecretKey};

/// Metrics of one export. `HealthKit` has some 150.
const MAX_METRICS: usize = 512;
/// Bytes of the name of a device that saw a sleep.
const MAX_SOURCE: usize = 200;

/// What is known and not used, by its name in the export.
const UNUSED_METRICS: [&str; 13] = [
    "active_energy",
    "apple_exercise_time",
    "basal_energy_burned",
    "blood_oxygen_saturation",
    "flights_climbed",
    "heart_rate",
    "heart_rate_variability",
    "mindful_minutes",
    "respiratory_rate",
    "step_count",
    "walking_heart_rate_average",
    "walking_running_distance",
    "weight_body_mass",
];
/// Lists beside `metrics`, and what each of them counts as.
const UNUSED_LISTS: [(&str, &str); 7] = [
    ("workouts", "workouts"),
    ("stateOfMind", "state_of_mind"),
    ("medications", "medications"),
    ("symptoms", "symptoms"),
    ("cycleTracking", "cycle_tracking"),
    ("ecg", "ecg"),
    ("heartRateNotifications", "heart_rate_notifications"),
];
/// Reads an export.
///
/// # Errors
/// [`code::CUT`] or [`code::BROKEN`]: it is not whole, or is none.
pub(super) fn parse(bytes: &[u8], key: &SecretKey) -> Result<HealthReadings, SkipCode> {
    let export: ExportFile<'_> = serde_json::from_slice(bytes)
        .map_err(|error| if error.is_eof() { code::CUT } else { code::BROKEN })?;
    let mut out = HealthReadings::default();
    for (name, count) in export.data.lists {
        out.leave(name, count);
    }
    for metric in export.data.metrics {
        if metric.name == "sleep_analysis" {
            sleep_of(&mut out, &metric, key);
        } else if metric.name == "resting_heart_rate" {
            resting_of(&mut out, &metric);
        } else {
            let known = UNUSED_METRICS.iter().find(|name| metric.name == **name);
            out.leave(known.copied().unwrap_or(UNKNOWN), metric.elements());
        }
    }
    Ok(out)
}

fn sleep_of(out: &mut HealthReadings, metric: &ExportMetric<'_>, key: &SecretKey) {
    let minutes_of_unit = match metric.units.as_deref() {
        Some("hr" | "") | None => 60.0,
        Some("min") => 1.0,
        Some(_) => {
            out.broken = out.broken.saturating_add(metric.elements());
            return;
        }
    };
    out.each_of(metric.data, |out, element| {
        out.sleep.extend(sleep_part(element, minutes_of_unit, key)?);
        Ok(())
    });
}

fn resting_of(out: &mut HealthReadings, metric: &ExportMetric<'_>) {
    out.each_of(metric.data, |out, element| {
        let day: ExportQuantity = serde_json::from_str(element.get()).map_err(|_| code::BROKEN)?;
        let at = written_instant(&day.date).ok_or(code::BROKEN)?;
        out.resting.push(RestingRate::new(day.qty, at)?);
        Ok(())
    });
}

#[derive(Deserialize)]
struct ExportFile<'a> {
    #[serde(borrow)]
    data: ExportData<'a>,
}

/// `data`: the metrics, and how much stands in the lists beside them.
#[derive(Default)]
struct ExportData<'a> {
    metrics: Vec<ExportMetric<'a>>,
    lists: Vec<(&'static str, u32)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for ExportData<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct DataVisitor;
        impl<'de> Visitor<'de> for DataVisitor {
            type Value = ExportData<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the data of an export")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut out = ExportData::default();
                while let Some(name) = map.next_key::<String>()? {
                    if name == "metrics" {
                        out.metrics = map.next_value::<Option<MetricList<'de>>>()?.unwrap_or_default().0;
                    } else {
                        let known = UNUSED_LISTS.iter().find(|(list, _)| *list == name);
                        let counts_as = known.map_or(UNKNOWN, |(_, counts_as)| *counts_as);
                        let value: &RawValue = map.next_value()?;
                        out.lists.push((counts_as, elements_of(value)));
                    }
                }
                Ok(out)
            }
        }
        input.deserialize_map(DataVisitor)
    }
}

/// At most [`MAX_METRICS`].
#[derive(Default)]
struct MetricList<'a>(Vec<ExportMetric<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for MetricList<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct ListVisitor;
        impl<'de> Visitor<'de> for ListVisitor {
            type Value = MetricList<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of metrics")
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
                let mut out = Vec::new();
                while let Some(metric) = list.next_element()? {
                    if out.len() == MAX_METRICS {
                        return Err(serde::de::Error::custom("too many metrics"));
                    }
                    out.push(metric);
                }
                Ok(MetricList(out))
            }
        }
        input.deserialize_seq(ListVisitor)
    }
}

#[derive(Deserialize)]
struct ExportMetric<'a> {
    #[serde(borrow)]
    name: std::borrow::Cow<'a, str>,
    #[serde(default)]
    units: Option<String>,
    /// Its text: the name may come behind it.
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl ExportMetric<'_> {
    fn elements(&self) -> u32 {
        self.data.map_or(0, elements_of)
    }
}

/// One number of one day.
#[derive(Deserialize)]
struct ExportQuantity {
    date: String,
    qty: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportSleep {
    source: Option<String>,
    /// As earlier versions call it.
    sleep_source: Option<String>,
    sleep_end: Option<String>,
    total_sleep: Option<f64>,
    asleep: Option<f64>,
    core: Option<f64>,
    deep: Option<f64>,
    rem: Option<f64>,
    /// Of a single stage.
    start_date: Option<String>,
    end_date: Option<String>,
    value: Option<String>,
}

/// A night or a stage; `None`: it says nothing of sleep.
fn sleep_part(
    element: &RawValue,
    minutes_of_unit: f64,
    key: &SecretKey,
) -> Result<Option<SleepPart>, SkipCode> {
    let sleep: ExportSleep = serde_json::from_str(element.get()).map_err(|_| code::BROKEN)?;
    let device = sleep
        .source
        .as_deref()
        .or(sleep.sleep_source.as_deref())
        .unwrap_or_default();
    if device.len() > MAX_SOURCE {
        return Err(code::BROKEN);
    }
    let app = format!("Health Auto Export {device}");
    let instant = |text: &String| written_instant(text).ok_or(code::BROKEN);
    if let (Some(from), Some(until), Some(value)) = (&sleep.start_date, &sleep.end_date, &sleep.value) {
        let staged = match value.as_str() {
            "Core" | "Deep" | "REM" => true,
            "Asleep" | "Unspecified" | "Asleep (Unspecified)" => false,
            "Awake" | "In Bed" | "InBed" => return Ok(None),
            _ => return Err(code::BROKEN),
        };
        let stretch = SleepStretch {
            from: instant(from)?,
            until: instant(until)?,
            source: SleepStretch::source(key, app.as_bytes()),
            staged,
        };
        if !stretch.plausible() {
            return Err(code::RANGE);
        }
        let minutes = stretch.until.since(stretch.from) as f64 / 60_000.0;
        let of = |stage: &str| if value == stage { minutes } else { 0.0 };
        return Ok(Some(SleepPart {
            deep_min: of("Deep"),
            rem_min: of("REM"),
            stretch,
        }));
    }
    let above_0 = |length: Option<f64>| length.filter(|length| *length > 0.0);
    let stages: f64 = [sleep.core, sleep.deep, sleep.rem].iter().flatten().sum();
    let Some(length) = above_0(sleep.total_sleep)
        .or_else(|| above_0(Some(stages)))
        .or_else(|| above_0(sleep.asleep))
    else {
        // Time in bed alone.
        return Ok(None);
    };
    let end = sleep.sleep_end.as_ref().ok_or(code::BROKEN)?;
    let stretch = counted_sleep(key, app.as_bytes(), instant(end)?, length * minutes_of_unit)?;
    Ok(Some(SleepPart {
        deep_min: sleep.deep.unwrap_or(0.0) * minutes_of_unit,
        rem_min: sleep.rem.unwrap_or(0.0) * minutes_of_unit,
        stretch: SleepStretch {
            staged: stages > 0.0,
            ..stretch
        },
    }))
}

/// An instant as `2026-11-05 06:15:00 +0530`, or as a phone with a clock of 12 hours writes it: `2026-11-05 6:15:00 AM +0530`.
fn written_instant(text: &str) -> Option<Timestamp> {
    if let Some(at) = times::instant(text) {
        return Some(at);
    }
    let mut parts = text.split_whitespace();
    let (date, time, half, offset) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let is_afternoon = match half.replace('.', "").to_ascii_lowercase().as_str() {
        "am" => false,
        "pm" => true,
        _ => return None,
    };
    let (hour, rest) = time.split_once(':')?;
    let hour: u32 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let hour = hour % 12 + if is_afternoon { 12 } else { 0 };
    times::instant(&format!("{date} {hour:02}:{rest} {offset}"))
}

#[cfg(test)]
mod tests;
