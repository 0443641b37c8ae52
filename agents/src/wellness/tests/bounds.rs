//! No input makes the agent panic, and none that is missing or impossible raises its score.

use super::{figures::score, *};
use proptest::prelude::*;

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
        let mut agent = Wellness::new(setup(Vec::new()));
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
    fn a_missing_or_impossible_value_never_raises_the_score(
        (rmssd, asleep, entropy) in (3.0..250.0, 1..1200_u32, 0.0..8.0),
        bad in proptest::collection::vec(bad(), 1..4),
    ) {
        let good = || vec![hrv("12:00:00", rmssd), sleep("12:00:00", asleep), activity("12:00:00", entropy, 9.0, 0.5, 30.0)];
        let mut plain = Wellness::new(setup(Vec::new()));
        let expected = ingest(&mut plain, good(), "12:02:00").facts;
        // In one batch: as if the bad ones were not there.
        let mut mixed = Wellness::new(setup(Vec::new()));
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
        let mut agent = Wellness::new(setup(Vec::new()));
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
