//! What a health app posts, as signals.
//!
//! What: [`HealthReadings`], what can be used of one post or file, and a count of everything else; [`HealthPost`], the same as signals. Why: whatever
//! the app's form, a night goes one way, and what is not used is counted by its name. Not here: the forms (`auto_export`, `health_connect_post`), who may
//! post (`surfaces`), what a stretch of sleep changes (`sleep`, `nights`).

use super::{
    super::{code, model::FeatureSample, sleep::SleepStretch},
    RestingRate, SourceReading, auto_export,
    health::ReadingSink,
    health_connect_post,
};
use agents_base::shared::SkipCode;
use serde::{
    Deserializer,
    de::{SeqAccess, Visitor},
};
use serde_json::{json, value::RawValue};
use std::{collections::BTreeMap, fmt};
use toolcall_schema::{
    Timestamp,
    ids::{SecretKey, SignalId},
    signal::{HrvData, Signal, SignalKind, SleepData},
};

/// What a post's nights may be old: memory keeps no more.
const MAX_AGE_DAYS: i64 = 90;
const MINUTE_MS: i64 = 60_000;

/// The signals of a post are from here; a stretch of sleep has `-` and the keyed hash of the device or app that saw it behind.
const OF_AUTO_EXPORT: &str = "health-auto-export";
const OF_HEALTH_CONNECT: &str = "health-connect";

/// What has another name: nothing that was sent is quoted.
pub(super) const UNKNOWN: &str = "unknown";

/// One post or file, read.
#[derive(Debug, Default, PartialEq)]
pub(in super::super) struct HealthReadings {
    pub(super) sleep: Vec<SleepPart>,
    pub(super) resting: Vec<RestingRate>,
    /// RMSSD.
    pub(super) variability: Vec<FeatureSample>,
    /// Elements of what is used that cannot be read, and those that are not plausible.
    pub(super) broken: u32,
    implausible: u32,
    /// Elements that are not used, by name.
    unused: BTreeMap<&'static str, u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct SleepPart {
    pub(super) stretch: SleepStretch,
    /// Minutes in deep sleep and in REM, where they are told.
    pub(super) deep_min: f64,
    pub(super) rem_min: f64,
}

impl HealthReadings {
    /// Counts what is not used.
    pub(super) fn leave(&mut self, name: &'static str, count: u32) {
        if count > 0 {
            let so_far = self.unused.entry(name).or_default();
            *so_far = so_far.saturating_add(count);
        }
    }

    /// Hands the elements of a list on, and counts those that are none.
    pub(super) fn each_of(
        &mut self,
        list: Option<&RawValue>,
        take: impl Fn(&mut Self, &RawValue) -> Result<(), SkipCode>,
    ) {
        let Some(list) = list else { return };
        let each = EachElement(|element: &RawValue| match take(self, element) {
            Ok(()) => {}
            Err(code) if code == code::RANGE => self.implausible = self.implausible.saturating_add(1),
            Err(_) => self.broken = self.broken.saturating_add(1),
        });
        let mut list = serde_json::Deserializer::from_str(list.get());
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
        for sample in self.variability {
            (out.each)(SourceReading::Sample(sample));
        }
        out.report.skip_many(code::BROKEN, out.name, None, self.broken);
        out.report
            .skip_many(code::RANGE, out.name, None, self.implausible);
        let mut unused = self.unused;
        if unused.remove("heart_rate_variability").is_some() {
            // HealthKit has SDNN only.
            out.report.note(code::NIGHT_MEAN, out.name);
        }
        let unknown = unused.remove(UNKNOWN).unwrap_or(0);
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
    pub fn from_auto_export(bytes: &[u8], key: &SecretKey, now: Timestamp) -> Option<Self> {
        let readings = auto_export::parse(bytes, key).ok()?;
        Some(Self::new(readings, OF_AUTO_EXPORT, now))
    }

    /// The same of HC Webhook, which sends what Health Connect on an Android phone has.
    pub fn from_health_connect(bytes: &[u8], key: &SecretKey, now: Timestamp) -> Option<Self> {
        let readings = health_connect_post::parse(bytes, key).ok()?;
        Some(Self::new(readings, OF_HEALTH_CONNECT, now))
    }

    fn new(readings: HealthReadings, app: &str, now: Timestamp) -> Self {
        let mut out = Self {
            broken: readings.broken.saturating_add(readings.implausible),
            unused: readings.unused,
            ..Self::default()
        };
        let mut sources: BTreeMap<String, Vec<SleepPart>> = BTreeMap::new();
        for part in readings.sleep {
            if out.is_in_time(part.stretch.until, now) {
                sources.entry(part.stretch.source.clone()).or_default().push(part);
            }
        }
        let parts = sources.into_values().flat_map(join_touching);
        out.signals = parts.filter_map(|part| signal_of(&part, app)).collect();
        for rate in readings.resting {
            if out.is_in_time(rate.at, now) {
                out.signals.extend(resting_signal(rate, app));
            }
        }
        for sample in readings.variability {
            if out.is_in_time(sample.at(), now) {
                out.signals.extend(variability_signal(&sample, app));
            }
        }
        out
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
fn signal_of(part: &SleepPart, app: &str) -> Option<Signal> {
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
        source: format!("{app}-{source}"),
        kind: SignalKind::Sleep,
        payload: serde_json::to_value(payload).unwrap_or_else(|_| json!({})),
    })
}

/// A rate at rest as a signal. A phone sends today's again while it still changes: another value is another signal.
fn resting_signal(rate: RestingRate, app: &str) -> Option<Signal> {
    let data = HrvData {
        rr_ms: None,
        rmssd_ms: None,
        resting_bpm: Some(rate.bpm),
    };
    measured_signal("rest", rate.at, rate.bpm, &data, app)
}

fn variability_signal(sample: &FeatureSample, app: &str) -> Option<Signal> {
    let ms = sample.rmssd()?;
    let data = HrvData {
        rr_ms: None,
        rmssd_ms: Some(ms),
        resting_bpm: None,
    };
    measured_signal("rmssd", sample.at(), ms, &data, app)
}

/// The same value at the same minute is one signal.
fn measured_signal(name: &str, at: Timestamp, value: f64, data: &HrvData, app: &str) -> Option<Signal> {
    let id = format!("{name}-{}-{:.0}", at.ms() / MINUTE_MS, value * 10.0);
    Some(Signal {
        id: SignalId::parse(&id).ok()?,
        at,
        source: app.to_owned(),
        kind: SignalKind::Hrv,
        payload: serde_json::to_value(data).ok()?,
    })
}

/// The stretch of sleep that a signal of a post is. `None`: of another source; its minutes are a whole night.
pub(super) fn stretch_of(signal: &Signal, sleep: &SleepData) -> Option<SleepStretch> {
    let of_app = |app| signal.source.strip_prefix(app)?.strip_prefix('-');
    let source = [OF_AUTO_EXPORT, OF_HEALTH_CONNECT].into_iter().find_map(of_app)?;
    let is_hash = source.len() == 8 && source.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| SleepStretch {
        from: signal.at.plus_min(-i64::from(sleep.asleep_min)),
        until: signal.at,
        source: source.to_owned(),
        staged: sleep.rem_min.is_some() || sleep.deep_min.is_some(),
    })
}

/// How many elements a list has; what is no list and not `null` is one.
pub(super) fn elements_of(value: &RawValue) -> u32 {
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
