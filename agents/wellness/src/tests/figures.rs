//! Formulas against figures worked out by hand.

use super::*;
use model::{ConditionSince, FeatureSample, OwnerCondition, WellnessFeature};

/// `rmssd, sleep, entropy, switches, dismissed, screen` measured at the instant of the score.
pub(super) fn score(values: [Option<f64>; 6], baseline: (f64, f64), hour: f64) -> u8 {
    let features = [
        WellnessFeature::Rmssd,
        WellnessFeature::Asleep,
        WellnessFeature::TypingEntropy,
        WellnessFeature::AppSwitchRate,
        WellnessFeature::DismissRate,
        WellnessFeature::ScreenOn,
    ];
    let mut newest = NewestSamples::default();
    for (feature, value) in features.into_iter().zip(values) {
        if let Some(sample) = value.and_then(|value| FeatureSample::new(feature, value, at("12:00:00"))) {
            newest.take(sample, at("12:00:00"));
        }
    }
    model::load_score(&newest, at("12:00:00"), hour, &owner(baseline))
}

#[test]
fn the_load_score_is_the_sum_of_its_terms() {
    let mira = (38.2, 22.1);
    let all = |rmssd, sleep, entropy, switches, dismissed, screen| {
        [rmssd, sleep, entropy, switches, dismissed, screen].map(Some)
    };
    for (name, values, baseline, hour, expected) in [
        // 38 + 16 * 9.8/16.1 + 0.06 * 108 + 4.5 * 1.91 + 1.6 * 8 + 12 * 0.48 + 0.15 * 27
        // = 38 + 9.739 + 6.48 + 8.595 + 12.8 + 5.76 + 4.05 = 85.42; cos(210°) < 0 adds nothing (the unrepaired sign: 88.89).
        (
            "an afternoon",
            all(28.4, 312.0, 4.91, 14.0, 0.78, 47.0),
            mira,
            14.0,
            85,
        ),
        // 38 + 16 * 14.1/16.1 + 6.48 + 4.5 * 1.92 + 1.6 * 10 + 12 * 0.51 + 4.05
        // = 38 + 14.012 + 6.48 + 8.64 + 16 + 6.12 + 4.05 = 93.30; + 4 cos(330°) = 3.464: 96.77.
        (
            "a late evening",
            all(24.1, 312.0, 4.92, 16.0, 0.81, 47.0),
            mira,
            22.0,
            97,
        ),
        // 38 + 16 * 11.7/16.1 + 0.06 * 140 + 4.5 * 0.2 = 38 + 11.627 + 8.4 + 0.9 = 58.93 (unrepaired: 59.96).
        (
            "a short night",
            all(26.5, 280.0, 3.2, 4.0, 0.2, 5.0),
            mira,
            7.0,
            59,
        ),
        // 38 - 16 * (50 - 42)/18 = 30.89; 4.5 * (2 - 3) = -4.5: 26.39.
        (
            "rested",
            all(50.0, 420.0, 2.0, 0.0, 0.0, 0.0),
            (42.0, 24.0),
            12.0,
            26,
        ),
        // p50 - p10 below 1 counts as 1: 38 - 16 * 0.5 = 30.
        (
            "a narrow baseline",
            all(42.5, 420.0, 3.0, 4.0, 0.3, 20.0),
            (42.0, 41.9),
            12.0,
            30,
        ),
        ("nothing at noon", [None; 6], mira, 12.0, 38),
        ("nothing at midnight", [None; 6], mira, 0.0, 42),
        // 38 + 25.14 + 22.5 + 182.4 + ... is far above; without RMSSD it stops at 70.
        (
            "no RMSSD",
            [None, Some(1.0), Some(8.0), Some(120.0), Some(1.0), Some(60.0)],
            mira,
            12.0,
            70,
        ),
        (
            "everything",
            all(3.0, 1.0, 8.0, 120.0, 1.0, 60.0),
            mira,
            12.0,
            100,
        ),
        (
            "very rested",
            all(250.0, 600.0, 0.0, 0.0, 0.0, 0.0),
            mira,
            12.0,
            0,
        ),
        // A baseline that is none: the population's. z = (24 - 42)/18 = -1: 38 + 16 = 54.
        (
            "no baseline",
            all(24.0, 420.0, 3.0, 4.0, 0.3, 20.0),
            (f64::NAN, 0.0),
            12.0,
            54,
        ),
    ] {
        assert_eq!(score(values, baseline, hour), expected, "{name}");
    }
}

#[test]
fn states_have_hysteresis_and_a_recovery_is_an_hour_once_a_peak() {
    use OwnerCondition::{Baseline, Recovering, Stressed};
    // (time, score, condition, entered)
    let day = [
        ("17:01:00", 50, Baseline, "17:01:00"),
        ("17:04:00", 78, Stressed, "17:04:00"),
        // 65 to 69 stays stressed, below is not.
        ("17:07:00", 65, Stressed, "17:04:00"),
        ("17:10:00", 64, Baseline, "17:10:00"),
        // 60 is not below 60; 59 is, and the highest of the last 6 is 78.
        ("17:12:00", 60, Baseline, "17:10:00"),
        ("17:13:00", 59, Recovering, "17:13:00"),
        ("17:20:00", 69, Recovering, "17:13:00"),
        ("18:12:59", 40, Recovering, "17:13:00"),
        // Over at 18:13:00. The peak of 69 is below 70.
        ("18:14:00", 40, Baseline, "18:13:00"),
        // Stressed ends a recovery at once; and again below 60 after a new peak.
        ("18:20:00", 70, Stressed, "18:20:00"),
        ("18:21:00", 59, Recovering, "18:21:00"),
        ("18:22:00", 71, Stressed, "18:22:00"),
        ("18:23:00", 41, Recovering, "18:23:00"),
        // An hour later the peak of 18:22 is still among the last 6: it had its recovery.
        ("19:23:00", 41, Baseline, "19:23:00"),
        ("19:24:00", 41, Baseline, "19:23:00"),
    ];
    let mut history = ScoreHistory::default();
    for (time, score, condition, entered) in day {
        let date = at(time).utc().date_naive();
        let expected = ConditionSince {
            condition,
            entered_at: at(entered),
        };
        assert_eq!(history.add(score, at(time), date), expected, "{time}");
        assert_eq!(history.standing(at(time)), Some(expected));
    }
    let mut short = ScoreHistory::default();
    for (time, score) in [("10:00:00", 78), ("10:01:00", 64), ("10:02:00", 50)] {
        short.add(score, at(time), at(time).utc().date_naive());
    }
    assert_eq!(
        short.standing(at("10:02:00")).map(|s| s.condition),
        Some(Baseline),
        "three scores are too few to believe a recovery"
    );
}

#[test]
fn it_is_as_sure_as_it_has_days_of_data() {
    let day = |n: u32| chrono::NaiveDate::from_ymd_opt(2026, 11, n).unwrap();
    for (name, scores, days, strong, expected) in [
        ("a first score", 1, 1, false, 400),
        ("a first score, but strong", 1, 1, true, 650),
        ("six scores", 6, 1, false, 400),
        // 7 scores of one day: 0.50 + 0.05 * 1, strong or not.
        ("seven scores", 7, 1, false, 550),
        ("seven scores, strong", 7, 1, true, 550),
        ("a thousand scores of one day", 1000, 1, false, 550),
        ("three days", 9, 3, false, 650),
        ("seven days", 7, 7, false, 850),
        ("twenty days", 20, 20, false, 850),
    ] {
        let mut history = ScoreHistory::default();
        for i in 0..scores {
            history.add(50, at("12:00:00"), day(1 + i % days));
        }
        assert_eq!(history.confidence(strong), Milli(expected), "{name}");
    }
}
