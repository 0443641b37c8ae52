//! What the app Health Auto Export says, as a file or as a post.
//!
//! What: [`AutoExport`], sleep and rates at rest of one export and a count of everything else; [`HealthPost`], the same as signals. Why: both ways have one
//! reader, and what is not used is counted by its name, never dropped without a word. Not here: who may post (`surfaces`), what a stretch
//! of sleep changes (`sleep`, `nights`).
//!
//! An export is `{"data": {"metrics": [{"name", "units", "data": […]}], "workouts": […], …}}`. Of `sleep_analysis` an element is either a night
//! (`sleepEnd`, and hours or minutes by `units`) or one stage (`startDate`, `endDate`, `value`). The names are those of the public wiki
//! `Lybron/health-auto-export` (API Export, JSON Format, 2025-09-16), seen 2026-11-26. `HealthKit` keeps SDNN and no RMSSD, so that is not used. Of
//! `resting_heart_rate` an element is a day: `date` and `qty` in beats a minute.

use super::{
    super::{code, sleep::SleepStretch},
    RestingRate, SourceReading, counted_sleep,
    health::ReadingSink,
    times,
};
use crate::shared::SkipCode;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{json, value::RawValue};
use std::{collections::BTreeMap, fmt};
use toolcall_schema::{
    Timestamp,
    ids::{SecretKey, SignalId},
    signal::{HrvData, Signal, SignalKind, SleepData},
};

/// Metrics of one export. `HealthKit` has some 150.
const MAX_METRICS: usize = 512;
/// Bytes of the name of a device that saw a sleep.
const MAX_SOURCE: usize = 200;
/// What a post's nights may be old: memory keeps no more.
const MAX_AGE_DAYS: i64 = 90;
const MINUTE_MS: i64 = 60_000;

/// The signals of a post have this before the keyed hash of the device that saw the sleep.
const SIGNAL_SOURCE: &str = "health-auto-export-";

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
/// What has another name: nothing that was sent is quoted.
const UNKNOWN_METRIC: &str = "unknown";

/// One export, read.
#[derive(Debug, Default, PartialEq)]
pub(in super::super) struct AutoExport {
    sleep: Vec<SleepPart>,
    resting: Vec<RestingRate>,
    /// Elements of sleep and of rates at rest that cannot be read, and those that are not plausible.
    broken: u32,
    implausible: u32,
    /// Elements that are not used, by name.
    unused: BTreeMap<&'static str, u32>,
}

#[derive(Debug, Clone, PartialEq)]
struct SleepPart {
    stretch: SleepStretch,
    /// Minutes in deep sleep and in REM, where they are told.
    deep_min: f64,
    rem_min: f64,
}

impl AutoExport {
    /// Reads an export.
    ///
    /// # Errors
    /// [`code::CUT`] or [`code::BROKEN`]: it is not whole, or is none.
    pub(super) fn parse(bytes: &[u8], key: &SecretKey) -> Result<Self, SkipCode> {
        let export: ExportFile<'_> = serde_json::from_slice(bytes)
            .map_err(|error| if error.is_eof() { code::CUT } else { code::BROKEN })?;
        let mut out = Self::default();
        for (name, count) in export.data.lists {
            out.leave(name, count);
        }
        for metric in export.data.metrics {
            if metric.name == "sleep_analysis" {
                out.sleep_of(&metric, key);
            } else if metric.name == "resting_heart_rate" {
                out.resting_of(&metric);
            } else {
                let known = UNUSED_METRICS.iter().find(|name| metric.name == **name);
                out.leave(known.copied().unwrap_or(UNKNOWN_METRIC), metric.elements());
            }
        }
        Ok(out)
    }

    fn leave(&mut self, name: &'static str, count: u32) {
        if count > 0 {
            let so_far = self.unused.entry(name).or_default();
            *so_far = so_far.saturating_add(count);
        }
    }

    fn sleep_of(&mut self, metric: &ExportMetric<'_>, key: &SecretKey) {
        let minutes_of_unit = match metric.units.as_deref() {
            Some("hr" | "") | None => 60.0,
            Some("min") => 1.0,
            Some(_) => {
                self.broken = self.broken.saturating_add(metric.elements());
                return;
            }
        };
        self.each_of(metric, |out, element| {
            out.sleep.extend(sleep_part(element, minutes_of_unit, key)?);
            Ok(())
        });
    }

    fn resting_of(&mut self, metric: &ExportMetric<'_>) {
        self.each_of(metric, |out, element| {
            let day: ExportQuantity = serde_json::from_str(element.get()).map_err(|_| code::BROKEN)?;
            let at = written_instant(&day.date).ok_or(code::BROKEN)?;
            out.resting.push(RestingRate::new(day.qty, at)?);
            Ok(())
        });
    }

    /// Hands the elements of a metric on, and counts those that are none.
    fn each_of(
        &mut self,
        metric: &ExportMetric<'_>,
        take: impl Fn(&mut Self, &RawValue) -> Result<(), SkipCode>,
    ) {
        let Some(data) = metric.data else { return };
        let each = EachElement(|element: &RawValue| match take(self, element) {
            Ok(()) => {}
            Err(code) if code == code::RANGE => self.implausible = self.implausible.saturating_add(1),
            Err(_) => self.broken = self.broken.saturating_add(1),
        });
        let mut list = serde_json::Deserializer::from_str(data.get());
        if list.deserialize_seq(each).is_err() {
            self.broken = self.broken.saturating_add(1);
        }
    }

    /// What a file tells.
    pub(super) fn tell(self, out: &mut ReadingSink<'_>) {
        for part in self.sleep {
            (out.each)(SourceReading::Asleep(part.stretch));
        }
        for rate in self.resting {
            (out.each)(SourceReading::Resting(rate));
        }
        out.report.skip_many(code::BROKEN, out.name, None, self.broken);
        out.report
            .skip_many(code::RANGE, out.name, None, self.implausible);
        let mut unused = self.unused;
        if unused.remove("heart_rate_variability").is_some() {
            // HealthKit has SDNN only.
            out.report.note(code::NIGHT_MEAN, out.name);
        }
        let unknown = unused.remove(UNKNOWN_METRIC).unwrap_or(0);
        if !unused.is_empty() {
            let named: Vec<String> = unused
                .iter()
                .map(|(name, count)| format!("{count} {name}"))
                .collect();
            let item = format!("{}: {}", out.name, named.join(", "));
            out.report.note(code::UNUSED, &item);
        }
        out.report.skip_many(code::UNUSED, out.name, None, unknown);
    }
}

/// What was posted, as signals for Wellness and as counts.
#[derive(Debug, Default, PartialEq)]
pub struct HealthPost {
    /// Stretches of sleep of the last 90 days, those of one device that touch joined, and rates at rest.
    pub signals: Vec<Signal>,
    /// Of sleep and rates: what cannot be read or is not plausible, what is more than 90 days old, what ends after now.
    pub broken: u32,
    pub too_old: u32,
    pub ahead: u32,
    /// Elements that are not used, by name; `unknown` for all other names.
    pub unused: BTreeMap<&'static str, u32>,
}

impl HealthPost {
    /// Reads a post of Health Auto Export, as of `now`. `key`: the agents'. `None`: it is none, or is not whole.
    pub fn parse(bytes: &[u8], key: &SecretKey, now: Timestamp) -> Option<Self> {
        let export = AutoExport::parse(bytes, key).ok()?;
        let mut out = Self {
            broken: export.broken.saturating_add(export.implausible),
            unused: export.unused,
            ..Self::default()
        };
        let mut sources: BTreeMap<String, Vec<SleepPart>> = BTreeMap::new();
        for part in export.sleep {
            if out.is_in_time(part.stretch.until, now) {
                sources.entry(part.stretch.source.clone()).or_default().push(part);
            }
        }
        let parts = sources.into_values().flat_map(join_touching);
        out.signals = parts.filter_map(|part| signal_of(&part)).collect();
        for rate in export.resting {
            if out.is_in_time(rate.at, now) {
                out.signals.extend(rate_signal(rate));
            }
        }
        Some(out)
    }

    /// Whether something of that time is told; else it is counted.
    fn is_in_time(&mut self, at: Timestamp, now: Timestamp) -> bool {
        if at > now {
            self.ahead = self.ahead.saturating_add(1);
        } else if now.since(at) > MAX_AGE_DAYS * 24 * 60 * MINUTE_MS {
            self.too_old = self.too_old.saturating_add(1);
        } else {
            return true;
        }
        false
    }
}

/// Stretches of one device; those that touch are one.
fn join_touching(mut parts: Vec<SleepPart>) -> Vec<SleepPart> {
    parts.sort_by_key(|part| (part.stretch.from, part.stretch.until));
    parts.dedup();
    let mut out: Vec<SleepPart> = Vec::new();
    for part in parts {
        match out.last_mut() {
            Some(last) if part.stretch.from <= last.stretch.until => {
                last.stretch.until = last.stretch.until.max(part.stretch.until);
                last.stretch.staged |= part.stretch.staged;
                last.deep_min += part.deep_min;
                last.rem_min += part.rem_min;
            }
            Some(_) | None => out.push(part),
        }
    }
    out
}

/// A stretch as a signal in whole minutes: both its ends are rounded down, so that what touched still does. What is longer than a day is none.
fn signal_of(part: &SleepPart) -> Option<Signal> {
    let SleepStretch {
        from,
        until,
        source,
        staged,
    } = &part.stretch;
    let (begins, ends) = (from.ms().div_euclid(MINUTE_MS), until.ms().div_euclid(MINUTE_MS));
    let asleep_min = u32::try_from((ends - begins).max(1))
        .ok()
        .filter(|min| *min <= 24 * 60)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the minutes of a day just before"
    )]
    let minutes = |minutes: f64| staged.then(|| minutes.round().clamp(0.0, f64::from(asleep_min)) as u32);
    let payload = SleepData {
        asleep_min,
        rem_min: minutes(part.rem_min),
        deep_min: minutes(part.deep_min),
        efficiency: None,
    };
    Some(Signal {
        id: SignalId::parse(&format!("{begins}-{ends}")).ok()?,
        at: Timestamp::from_ms(ends * MINUTE_MS),
        source: format!("{SIGNAL_SOURCE}{source}"),
        kind: SignalKind::Sleep,
        payload: serde_json::to_value(payload).unwrap_or_else(|_| json!({})),
    })
}

/// A rate at rest as a signal. A phone sends today's again while it still changes: another value is another signal.
fn rate_signal(rate: RestingRate) -> Option<Signal> {
    let payload = HrvData {
        rr_ms: None,
        rmssd_ms: None,
        resting_bpm: Some(rate.bpm),
    };
    Some(Signal {
        id: SignalId::parse(&format!(
            "rest-{}-{:.0}",
            rate.at.ms() / MINUTE_MS,
            rate.bpm * 10.0
        ))
        .ok()?,
        at: rate.at,
        source: SIGNAL_SOURCE.trim_end_matches('-').to_owned(),
        kind: SignalKind::Hrv,
        payload: serde_json::to_value(payload).ok()?,
    })
}

/// The stretch of sleep that a signal of a post is. `None`: of another source; its minutes are a whole night.
pub(super) fn stretch_of(signal: &Signal, sleep: &SleepData) -> Option<SleepStretch> {
    let source = signal.source.strip_prefix(SIGNAL_SOURCE)?;
    let is_hash = source.len() == 8 && source.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| SleepStretch {
        from: signal.at.plus_min(-i64::from(sleep.asleep_min)),
        until: signal.at,
        source: source.to_owned(),
        staged: sleep.rem_min.is_some() || sleep.deep_min.is_some(),
    })
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
                        let counts_as = known.map_or(UNKNOWN_METRIC, |(_, counts_as)| *counts_as);
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

/// How many elements a list has; what is no list and not `null` is one.
fn elements_of(value: &RawValue) -> u32 {
    let mut count = 0_u32;
    let each = EachElement(|_: &RawValue| count = count.saturating_add(1));
    if value.get() == "null" {
        return 0;
    }
    let whole = serde_json::Deserializer::from_str(value.get()).deserialize_seq(each);
    if whole.is_ok() { count } else { 1 }
}

/// Hands each element of a list on, and remembers none.
struct EachElement<F>(F);

impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for EachElement<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(mut self, mut list: S) -> Result<(), S::Error> {
        while let Some(element) = list.next_element()? {
            (self.0)(element);
        }
        Ok(())
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
