//! What the Android app HC Webhook sends of Health Connect.
//!
//! What: [`parse`], sleep, rates at rest and RMSSD of one post and a count of everything else. Why: Health Connect has no server, and this app posts what it
//! has. Not here: what is made of it (`health_post`), Health Connect's own export (`health_connect`), who may post (`surfaces`).
//!
//! | Field | Read as |
//! |---|---|
//! | `timestamp` | a post has it, and is none without |
//! | `test` | true of the app's own button: all that it holds is invented, and nothing is read |
//! | `sleep` | `session_end_time`, `duration_seconds`, `stages` of `stage`, `start_time`, `end_time`; who saw it is `metadata.data_origin` |
//! | `resting_heart_rate` | `bpm` at `time` |
//! | `heart_rate_variability` | `rmssd_millis` at `time` |
//!
//! A stage is the number that Android's `SleepSessionRecord` gives it, as text. The names are facts of the public repository
//! `mcnaveen/health-connect-webhook` (`SyncManager`, `HealthConnectManager`), seen 2026-11-28.

use super::{
    super::{
        code,
        model::{FeatureSample, WellnessFeature},
        sleep::SleepStretch,
    },
    RestingRate,
    health_post::{HealthReadings, SleepPart, UNKNOWN, elements_of},
};
use agents_base::shared::SkipCode;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};
use toolcall_schema::{Timestamp, ids::SecretKey};

/// Fields of one post. The app has some 40.
const MAX_FIELDS: usize = 256;
/// Bytes of the name of an app that saw a sleep.
const MAX_ORIGIN: usize = 200;

/// What is known and not used, by its name in the post.
const UNUSED: [&str; 29] = [
    "active_calories",
    "basal_body_temperature",
    "basal_metabolic_rate",
    "blood_glucose",
    "blood_pressure",
    "bmi",
    "body_fat",
    "body_temperature",
    "body_water_mass",
    "bone_mass",
    "cervical_mucus",
    "distance",
    "exercise",
    "heart_rate",
    "height",
    "hydration",
    "intermenstrual_bleeding",
    "lean_body_mass",
    "menstruation_flow",
    "menstruation_period",
    "nutrition",
    "ovulation_test",
    "oxygen_saturation",
    "respiratory_rate",
    "sexual_activity",
    "skin_temperature",
    "steps",
    "total_calories",
    "vo2_max",
];
/// What the app invents for its own button.
const TEST: &str = "test";

/// Reads a post.
///
/// # Errors
/// [`code::CUT`] or [`code::BROKEN`]: it is not whole, or is none.
pub(super) fn parse(bytes: &[u8], key: &SecretKey) -> Result<HealthReadings, SkipCode> {
    let post: WebhookPost<'_> = serde_json::from_slice(bytes)
        .map_err(|error| if error.is_eof() { code::CUT } else { code::BROKEN })?;
    let is_field = |name: &str, value: &str| {
        post.0
            .iter()
            .any(|(field, raw)| field == name && (value.is_empty() || raw.get() == value))
    };
    if !is_field("timestamp", "") {
        return Err(code::BROKEN);
    }
    let is_test = is_field(TEST, "true");
    let mut out = HealthReadings::default();
    for (name, value) in &post.0 {
        match name.as_ref() {
            "timestamp" | "app_version" | TEST => {}
            _ if is_test => out.leave(TEST, elements_of(value)),
            "sleep" => out.each_of(Some(value), |out, element| {
                out.sleep.extend(sleep_parts(element, key)?);
                Ok(())
            }),
            "resting_heart_rate" => out.each_of(Some(value), |out, element| {
                let rate: PostedRate = read(element)?;
                out.resting
                    .push(RestingRate::new(rate.bpm, instant(&rate.time)?)?);
                Ok(())
            }),
            "heart_rate_variability" => out.each_of(Some(value), |out, element| {
                let posted: PostedVariability = read(element)?;
                let at = instant(&posted.time)?;
                let sample = FeatureSample::new(WellnessFeature::Rmssd, posted.rmssd_millis, at);
                out.variability.push(sample.ok_or(code::RANGE)?);
                Ok(())
            }),
            other => {
                let known = UNUSED.iter().find(|name| **name == other);
                out.leave(known.copied().unwrap_or(UNKNOWN), elements_of(value));
            }
        }
    }
    Ok(out)
}

fn read<'a, T: Deserialize<'a>>(element: &'a RawValue) -> Result<T, SkipCode> {
    serde_json::from_str(element.get()).map_err(|_| code::BROKEN)
}

fn instant(text: &str) -> Result<Timestamp, SkipCode> {
    Timestamp::parse(text).map_err(|_| code::BROKEN)
}

/// The stretches of a session: its stages asleep, or all of it where it has none.
fn sleep_parts(element: &RawValue, key: &SecretKey) -> Result<Vec<SleepPart>, SkipCode> {
    let session: PostedSession = read(element)?;
    let origin = session
        .metadata
        .map(|metadata| metadata.data_origin)
        .unwrap_or_default();
    if origin.len() > MAX_ORIGIN {
        return Err(code::BROKEN);
    }
    let source = SleepStretch::source(key, format!("Health Connect {origin}").as_bytes());
    let stretch = |from, until, staged| {
        let stretch = SleepStretch {
            from,
            until,
            source: source.clone(),
            staged,
        };
        stretch.plausible().then_some(stretch).ok_or(code::RANGE)
    };
    if session.stages.is_empty() {
        let until = instant(&session.session_end_time)?;
        let ms = session.duration_seconds.checked_mul(1000).ok_or(code::RANGE)?;
        return Ok(vec![SleepPart {
            stretch: stretch(until.plus_ms(-ms), until, false)?,
            deep_min: 0.0,
            rem_min: 0.0,
        }]);
    }
    let mut parts = Vec::new();
    for stage in &session.stages {
        // Of `SleepSessionRecord`; the words are those of the app's own test.
        let (is_deep, is_rem) = match stage.stage.as_ref() {
            "2" | "sleeping" | "4" | "light" => (false, false),
            "5" | "deep" => (true, false),
            "6" | "rem" => (false, true),
            // Unknown, awake, out of bed, awake in bed.
            "0" | "unknown" | "1" | "awake" | "3" | "out_of_bed" | "7" | "awake_in_bed" => continue,
            _ => return Err(code::BROKEN),
        };
        let stretch = stretch(instant(&stage.start_time)?, instant(&stage.end_time)?, true)?;
        let minutes = stretch.until.since(stretch.from) as f64 / 60_000.0;
        parts.push(SleepPart {
            stretch,
            deep_min: if is_deep { minutes } else { 0.0 },
            rem_min: if is_rem { minutes } else { 0.0 },
        });
    }
    Ok(parts)
}

/// The fields of a post, each as its text: what `test` says may come behind them.
struct WebhookPost<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for WebhookPost<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct PostVisitor;
        impl<'de> Visitor<'de> for PostVisitor {
            type Value = WebhookPost<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a post of HC Webhook")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    if fields.len() == MAX_FIELDS {
                        return Err(M::Error::custom("too many fields"));
                    }
                    fields.push(field);
                }
                Ok(WebhookPost(fields))
            }
        }
        input.deserialize_map(PostVisitor)
    }
}

#[derive(Deserialize)]
struct PostedSession<'a> {
    session_end_time: String,
    duration_seconds: i64,
    #[serde(borrow, default)]
    stages: Vec<PostedStage<'a>>,
    #[serde(default)]
    metadata: Option<PostedMetadata>,
}

#[derive(Deserialize)]
struct PostedStage<'a> {
    #[serde(borrow)]
    stage: Cow<'a, str>,
    start_time: String,
    end_time: String,
}

#[derive(Deserialize)]
struct PostedMetadata {
    data_origin: String,
}

#[derive(Deserialize)]
struct PostedRate {
    bpm: f64,
    time: String,
}

#[derive(Deserialize)]
struct PostedVariability {
    rmssd_millis: f64,
    time: String,
}

#[cfg(test)]
mod tests {
    use super::{super::HealthPost, *};
    use toolcall_schema::{
        ids::OwnerSeed,
        signal::{HrvData, Signal, SignalKind, SleepData},
    };

    fn key() -> SecretKey {
        OwnerSeed::from_day_seed("wellness").key("test")
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// A post as of 8:00.
    fn posted(fields: &str) -> Option<HealthPost> {
        let text = format!(r#"{{"timestamp":"2026-11-05T07:59:00.123Z","app_version":"1.9.19"{fields}}}"#);
        HealthPost::from_health_connect(text.as_bytes(), &key(), at("2026-11-05T08:00:00Z"))
    }

    fn stage(stage: &str, from: &str, until: &str) -> String {
        format!(
            r#"{{"stage":"{stage}","start_time":"2026-11-05T{from}:00Z","end_time":"2026-11-05T{until}:00Z","duration_seconds":1}}"#
        )
    }

    fn session(origin: &str, stages: &[String]) -> String {
        let stages = stages.join(",");
        format!(
            r#","sleep":[{{"session_end_time":"2026-11-05T06:30:00Z","duration_seconds":23400,"sleep_updated_at":"2026-11-05T06:35:00Z",
            "stages":[{stages}],"metadata":{{"data_origin":"{origin}","recording_method":"automatically_recorded","device":{{"type":1}},"id":"x",
            "client_record_version":0}}}}]"#
        )
    }

    /// Of each stretch its minutes, its end, and the minutes of REM and deep sleep.
    fn told(post: &HealthPost) -> Vec<(u32, Timestamp, Option<u32>, Option<u32>)> {
        let of = |signal: &Signal| {
            let sleep: SleepData = serde_json::from_value(signal.payload.clone()).unwrap();
            (sleep.asleep_min, signal.at, sleep.rem_min, sleep.deep_min)
        };
        post.signals.iter().map(of).collect()
    }

    #[test]
    fn session_is_its_stages_asleep_or_all_of_it_where_it_has_none() {
        // Light 0:00 to 1:00, deep to 2:00, awake to 2:10, REM to 3:00: 120 minutes and 50.
        let stages = ["4", "5", "1", "6"]
            .into_iter()
            .zip([
                ("00:00", "01:00"),
                ("01:00", "02:00"),
                ("02:00", "02:10"),
                ("02:10", "03:00"),
            ])
            .map(|(kind, (from, until))| stage(kind, from, until));
        let night = posted(&session("com.example.watch", &stages.collect::<Vec<_>>())).unwrap();
        assert_eq!(
            told(&night),
            [
                (120, at("2026-11-05T02:00:00Z"), Some(0), Some(60)),
                (50, at("2026-11-05T03:00:00Z"), Some(50), Some(0)),
            ]
        );
        let source = SleepStretch::source(&key(), b"Health Connect com.example.watch");
        assert_eq!(night.signals[0].source, format!("health-connect-{source}"));
        // 6.5 hours.
        let whole = posted(&session("com.example.band", &[])).unwrap();
        assert_eq!(told(&whole), [(390, at("2026-11-05T06:30:00Z"), None, None)]);
        assert_ne!(whole.signals[0].source, night.signals[0].source);
        // The words of the app's own test say the same.
        let named = posted(&session("com.example.watch", &[stage("deep", "01:00", "02:00")])).unwrap();
        assert_eq!(
            told(&named),
            [(60, at("2026-11-05T02:00:00Z"), Some(0), Some(60))]
        );
        assert_eq!((night.broken, whole.broken, named.broken), (0, 0, 0));
    }

    #[test]
    fn rates_at_rest_and_variability_are_taken_and_the_rest_is_counted_by_name() {
        let post = posted(
            r#","steps":[{"count":10},{"count":20}],"heart_rate":[{"bpm":60,"time":"2026-11-05T05:00:00Z"}],"bmi":[{}],"moods":[1,2,3],
            "resting_heart_rate":[{"bpm":52,"time":"2026-11-05T05:00:00Z"},{"bpm":5,"time":"2026-11-05T05:00:00Z"}],
            "heart_rate_variability":[{"rmssd_millis":41.5,"time":"2026-11-05T04:00:00Z"},{"rmssd_millis":"x"}]"#,
        )
        .unwrap();
        let measured: Vec<HrvData> = post
            .signals
            .iter()
            .inspect(|signal| {
                assert_eq!(
                    (signal.kind, signal.source.as_str()),
                    (SignalKind::Hrv, "health-connect")
                );
            })
            .map(|signal| serde_json::from_value(signal.payload.clone()).unwrap())
            .collect();
        let told: Vec<_> = measured
            .iter()
            .map(|one| (one.resting_bpm, one.rmssd_ms))
            .collect();
        assert_eq!(told, [(Some(52.0), None), (None, Some(41.5))]);
        // No heart rests at 5, and "x" is no number.
        assert_eq!(post.broken, 2);
        assert_eq!(
            post.unused,
            [("bmi", 1), ("heart_rate", 1), ("steps", 2), ("unknown", 3)].into()
        );
    }

    #[test]
    fn what_the_app_invents_for_a_try_is_not_read_wherever_it_says_so() {
        let night = session("com.example.watch", &[]);
        for fields in [
            format!(r#","test":true{night}"#),
            format!(r#"{night},"test":true"#),
        ] {
            let post = posted(&fields).unwrap();
            assert_eq!(
                (post.signals.len(), post.unused),
                (0, [("test", 1)].into()),
                "{fields}"
            );
        }
        assert_eq!(
            posted(&format!(r#","test":false{night}"#)).unwrap().signals.len(),
            1
        );
    }

    #[test]
    fn what_is_no_post_is_refused_and_what_is_not_plausible_is_counted() {
        let none = |text: &str| {
            HealthPost::from_health_connect(text.as_bytes(), &key(), at("2026-11-05T08:00:00Z")).is_none()
        };
        for text in [
            "",
            "[]",
            "{}",
            r#"{"data":{"metrics":[]}}"#,
            r#"{"timestamp":"x","sleep":["#,
        ] {
            assert!(none(text), "{text}");
        }
        let many = r#","f":[]"#.repeat(300);
        assert!(none(&format!(r#"{{"timestamp":"x"{many}}}"#)));
        let post = posted(&format!(
            r#","sleep":[7,{{"session_end_time":"soon","duration_seconds":60}},{{"session_end_time":"2026-11-05T06:00:00Z","duration_seconds":{}}},
            {{"session_end_time":"2026-11-05T09:00:00Z","duration_seconds":3600}},{{"session_end_time":"2026-01-05T06:00:00Z","duration_seconds":3600}}]"#,
            i64::MAX
        ))
        .unwrap();
        assert_eq!(
            (post.signals.len(), post.broken, post.ahead, post.too_old),
            (0, 3, 1, 1)
        );
        // A backwards stage, and one of no kind.
        for broken in [stage("4", "03:00", "02:00"), stage("9", "01:00", "02:00")] {
            assert_eq!(posted(&session("x", &[broken])).unwrap().broken, 1);
        }
    }
}
