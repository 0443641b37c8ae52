//! No input makes the agent panic, and none that is missing or impossible raises its score.

use super::{figures::score, *};
use proptest::prelude::*;
use sources::tests::health;
use toolcall_schema::catalogue::wellness::{
    ComputeLoadScore, CorrelationCheck, InterventionSelect, LoadFeatures, RecoveryCheck,
};

/// Any JSON, shallow: also the fields of our payloads with anything in them.
fn payload() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<f64>().prop_map(|x| json!(x)),
        any::<i64>().prop_map(|x| json!(x)),
        (0.0..1500.0).prop_map(|x: f64| json!(x)),
        ".{0,8}".prop_map(|x| json!(x)),
        proptest::collection::vec(any::<f64>(), 0..60).prop_map(|x| json!(x)),
    ];
    let names = prop_oneof![
        Just("rr_ms"),
        Just("rmssd_ms"),
        Just("asleep_min"),
        Just("typing_entropy"),
        Just("app_switch_rate"),
        Just("notif_dismiss_rate"),
        Just("screen_on_min"),
        Just("other"),
    ];
    proptest::collection::btree_map(names, leaf, 0..4).prop_map(|fields| json!(fields))
}

/// Any call of a tool, with anything in it that its types admit.
fn call() -> impl Strategy<Value = WellnessTool> {
    let number = || proptest::option::of(any::<f64>());
    let features = (number(), number(), number(), number(), number(), number()).prop_map(
        |(rmssd_ms, asleep_min, typing_entropy, app_switch_rate, notif_dismiss_rate, screen_on_min)| {
            LoadFeatures {
                rmssd_ms,
                asleep_min,
                typing_entropy,
                app_switch_rate,
                notif_dismiss_rate,
                screen_on_min,
            }
        },
    );
    let pairs = proptest::collection::vec((any::<f64>(), any::<f64>()).prop_map(|(x, y)| [x, y]), 0..40);
    let scores = proptest::collection::vec(any::<u8>(), 0..100);
    prop_oneof![
        proptest::option::of(features)
            .prop_map(|features| WellnessTool::ComputeLoadScore(ComputeLoadScore { features })),
        any::<(u8, bool, bool, bool)>().prop_map(|(score, in_focus, in_meeting, channel)| {
            WellnessTool::InterventionSelect(InterventionSelect {
                score,
                in_focus,
                in_meeting,
                active_channel: channel.then(|| setup(Vec::new()).key.channel("x")),
            })
        }),
        pairs.prop_map(|samples| WellnessTool::CorrelationCheck(CorrelationCheck { samples })),
        proptest::option::of(scores).prop_map(|scores| WellnessTool::RecoveryCheck(RecoveryCheck { scores })),
        any::<u32>().prop_map(|cycles| WellnessTool::GuideBreathing(GuideBreathing { cycles })),
        any::<u32>().prop_map(|duration_min| WellnessTool::StartNapTimer(StartNapTimer { duration_min })),
        any::<u32>().prop_map(|window_min| WellnessTool::PermitLeisure(PermitLeisure { window_min })),
    ]
}

fn any_kind() -> impl Strategy<Value = SignalKind> {
    proptest::sample::select(SignalKind::ALL)
}

/// A signal whose value is out of range, missing, or of a band off the wrist.
fn bad() -> impl Strategy<Value = Signal> {
    prop_oneof![
        prop_oneof![-1e9..2.99, 250.01..1e9].prop_map(|x| hrv("12:01:00", x)),
        (0..200_usize).prop_map(|n| signal(SignalKind::Hrv, "12:01:00", json!({ "rr_ms": vec![0; n] }))),
        Just(signal(SignalKind::Hrv, "12:01:00", json!({}))),
        prop_oneof![Just(0), 1201..u32::MAX].prop_map(|x| sleep("12:01:00", x)),
        (8.01..1e9, 120.01..1e9, 1.01..1e9, 60.01..1e9)
            .prop_map(|(a, b, c, d)| activity("12:01:00", a, b, c, d)),
    ]
}

proptest! {
    #[test]
    fn nothing_that_comes_in_panics(
        signals in proptest::collection::vec((any_kind(), payload()), 0..8),
        cursor: u64,
        now in 0_i64..i64::MAX,
        number: u32,
    ) {
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        agent.accept(signals.into_iter().map(|(kind, payload)| signal(kind, "12:00:00", payload)).collect());
        let now = Timestamp::from_ms(now);
        agent.ingest(&IngestArgs { cursor, signal_ids: Vec::new() }, at("12:00:00"));
        agent.ingest(&IngestArgs { cursor, signal_ids: Vec::new() }, now);
        agent.tick(&tick_args(Some("x"), Vec::new()), now);
        for tool in [
            WellnessTool::GuideBreathing(GuideBreathing { cycles: number }),
            WellnessTool::StartNapTimer(StartNapTimer { duration_min: number }),
            WellnessTool::PermitLeisure(PermitLeisure { window_min: number }),
        ] {
            prop_assert!(agent.act(&Tool::Wellness(tool), now).is_ok());
        }
    }

    #[test]
    fn tick_and_every_tool_are_pure_and_total(
        signals in proptest::collection::vec((any_kind(), payload()), 0..8),
        calls in proptest::collection::vec(call(), 1..6),
        now in 0_i64..4_000_000_000_000,
        channel in proptest::option::of("[a-z]{1,4}"),
    ) {
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        agent.accept(signals.into_iter().map(|(kind, payload)| signal(kind, "12:00:00", payload)).collect());
        agent.ingest(&IngestArgs { cursor: 0, signal_ids: Vec::new() }, at("12:00:00"));
        let (before, args) = (agent.state(), tick_args(channel.as_deref(), Vec::new()));
        for now in [Timestamp::from_ms(now), at("12:01:00")] {
            let found = agent.tick(&args, now);
            for call in &calls {
                let answer = agent.act(&Tool::Wellness(call.clone()), now);
                prop_assert_eq!(&agent.act(&Tool::Wellness(call.clone()), now), &answer);
                if let Ok((value, _)) = answer {
                    prop_assert!(value.is_object());
                }
            }
            prop_assert_eq!(agent.tick(&args, now), found);
        }
        prop_assert_eq!(agent.state(), before);
    }

    #[test]
    fn what_a_band_off_the_wrist_exports_changes_nothing(
        places in proptest::collection::vec((0..4_usize, 0..6_usize), 1..8),
    ) {
        let good = [
            health::asleep("Watch", "AsleepCore", "2026-11-05 01:00:00 +0530", "2026-11-05 05:00:00 +0530"),
            health::beats("2026-11-05 07:12:00 +0530", &health::even(60)),
            health::asleep("Watch", "AsleepREM", "2026-11-05 05:00:00 +0530", "2026-11-05 06:00:00 +0530"),
        ];
        let bad = [
            health::asleep("Watch", "InBed", "2026-11-04 20:00:00 +0530", "2026-11-05 07:10:00 +0530"),
            health::asleep("Watch", "AsleepCore", "2026-11-05 07:00:00 +0530", "2026-11-05 07:00:00 +0530"),
            health::beats("2026-11-05 07:14:00 +0530", &[(0, 0); 60]),
            health::beats("2026-11-05 07:14:00 +0530", &health::even(12)),
            health::beats("2026-11-05 07:14:00 +0530", &[(150, 40); 60]),
            health::record("QuantityTypeIdentifierHeartRateVariabilitySDNN", "Watch", "2026-11-05 07:13:00 +0530",
                "2026-11-05 07:14:00 +0530", "3.1") + "/>\n",
        ];
        let known = |records: &[String]| {
            let folder = tempfile::tempdir().unwrap();
            let text = [health::HEAD, &records.concat(), health::TAIL].concat();
            std::fs::write(folder.path().join("export.xml"), text).unwrap();
            let mut agent = WellnessAgent::new(setup(vec![folder.path().to_owned()]));
            let answer = ingest(&mut agent, Vec::new(), "07:15:00");
            (answer.facts, agent.newest, agent.baseline, agent.sleep)
        };
        let mut mixed = good.to_vec();
        for (place, which) in places {
            mixed.insert(place.min(mixed.len()), bad[which].clone());
        }
        prop_assert_eq!(known(&mixed), known(&good));
        // Alone: no score.
        prop_assert_eq!(known(&bad).0, Vec::new());
    }

    #[test]
    fn a_missing_or_impossible_value_never_raises_the_score(
        (rmssd, asleep, entropy) in (3.0..250.0, 1..1200_u32, 0.0..8.0),
        bad in proptest::collection::vec(bad(), 1..4),
    ) {
        let good = || vec![hrv("12:00:00", rmssd), sleep("12:00:00", asleep), activity("12:00:00", entropy, 9.0, 0.5, 30.0)];
        let mut plain = WellnessAgent::new(setup(Vec::new()));
        let expected = ingest(&mut plain, good(), "12:02:00").facts;
        // In one batch: as if the bad ones were not there.
        let mut mixed = WellnessAgent::new(setup(Vec::new()));
        prop_assert_eq!(&ingest(&mut mixed, [good(), bad.clone()].concat(), "12:02:00").facts, &expected);
        // Alone: no score at all.
        prop_assert_eq!(ingest(&mut plain, bad, "12:03:00").facts, Vec::new());
    }

    #[test]
    fn what_is_missing_adds_nothing_to_the_score(
        values in (3.0..250.0, 1.0..1200.0, 0.0..8.0, 0.0..120.0, 0.0..1.0, 0.0..60.0),
        without in 0..6_usize,
    ) {
        let (rmssd, asleep, entropy, switches, dismissed, screen) = values;
        let mut all = [rmssd, asleep, entropy, switches, dismissed, screen].map(Some);
        // The value that adds nothing, by the formula.
        let mut neutral = all;
        neutral[without] = Some([42.0, 420.0, 3.0, 4.0, 0.3, 20.0][without]);
        all[without] = None;
        prop_assert!(score(all, (42.0, 24.0), 12.0) <= score(neutral, (42.0, 24.0), 12.0));
    }

    #[test]
    fn a_state_that_was_tampered_with_is_refused_or_bounded(score in any::<u8>(), value: f64, n in 0..300_usize) {
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        let scores = vec![json!([at("11:59:00"), score]); n];
        let state = json!({
            "version": "wellness.v1", "files": {},
            "newest": { "rmssd": [value, at("11:59:00")] },
            "history": { "scores": scores, "days": ["2026-11-05"], "standing": null, "recovered_at": null },
        });
        let _ = agent.restore(&state);
        agent.tick(&tick_args(Some("x"), Vec::new()), at("12:00:00"));
        let answer = ingest(&mut agent, vec![hrv("12:00:00", 40.0)], "12:00:00");
        prop_assert_eq!(answer.facts.len(), 1);
    }
}
