//! Tools that only look: scores, interventions, correlations, recoveries.

use super::*;
use crate::testing::ask;
use agents_base::host::AgentHost;

fn fresh() -> AgentHost {
    AgentHost::new(Box::new(WellnessAgent::new(setup(Vec::new()))))
}

#[test]
fn a_load_score_of_given_and_of_read_measurements_names_its_drivers() {
    let score =
        |host: &mut AgentHost, args: Value| ask(host, ToolName::ComputeLoadScore, &args, at("12:00:00"));
    let given = json!({"features": {"rmssd_ms": 33, "asleep_min": 330, "typing_entropy": 4, "app_switch_rate": 11,
        "notif_dismiss_rate": 0.55, "screen_on_min": 40}});
    // 38 + 16 * 9 / 18 + 0.06 * 90 + 4.5 * 1 + 1.6 * 5 + 12 * 0.25 + 0.15 * 20 = 69.9; the points add up to 31.9.
    assert_eq!(
        score(&mut fresh(), given),
        Ok(json!({"load_score": 70, "drivers": [
            {"feature": "rmssd_ms", "points": 8, "share": 0.251},
            {"feature": "app_switch_rate", "points": 8, "share": 0.251},
            {"feature": "asleep_min", "points": 5.4, "share": 0.169},
        ]}))
    );
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    ingest(&mut agent, vec![sleep("11:00:00", 330)], "11:00:00");
    let mut host = AgentHost::new(Box::new(agent));
    // 38 + 5.4
    assert_eq!(
        score(&mut host, json!({})),
        Ok(json!({"load_score": 43, "drivers": [{"feature": "asleep_min", "points": 5.4, "share": 1}]}))
    );
    for nothing in [json!({}), json!({"features": {}})] {
        assert_eq!(score(&mut fresh(), nothing), Err(ToolErrorCode::NotEnoughData));
    }
}

#[test]
fn an_intervention_is_chosen_by_the_same_sum_as_a_proposal() {
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    ingest(&mut agent, vec![sleep("11:00:00", 300)], "11:00:00");
    let mut host = AgentHost::new(Box::new(agent));
    for (args, expected) in [
        // -1.0 + 1.6 + 1.4
        (
            json!({"score": 78, "in_focus": false, "in_meeting": false, "active_channel": "ch_00112233445566aa"}),
            json!({"kind": "MUTE_GROUP_30", "utility": 2}),
        ),
        // -0.5 + 1.3 + 0.4 * 0.78, in a meeting 0.7 less
        (
            json!({"score": 78, "in_focus": false, "in_meeting": true}),
            json!({"kind": "BREATHE_478", "utility": 0.412}),
        ),
        // -1.2 + 1.1 + (360 - 300) / 120
        (
            json!({"score": 65, "in_focus": false, "in_meeting": false}),
            json!({"kind": "NAP_15", "utility": 0.4}),
        ),
        (
            json!({"score": 65, "in_focus": true, "in_meeting": false}),
            json!({"utility": 0}),
        ),
    ] {
        let answer = ask(&mut host, ToolName::InterventionSelect, &args, at("12:00:00"));
        assert_eq!(answer, Ok(expected), "{args}");
    }
}

#[test]
fn a_correlation_is_of_ranks_with_ties_averaged() {
    for (samples, expected) in [
        // Ranks of the second: 1.5, 1.5, 3, 4. 4.5 / sqrt(5 * 4.5) = 0.94868.
        (
            json!([[10, 2], [20, 2], [30, 5], [40, 9]]),
            Ok(json!({"rho": 0.949, "n": 4})),
        ),
        (
            json!([[1, 9], [2, 5.5], [300, 1]]),
            Ok(json!({"rho": -1, "n": 3})),
        ),
        (json!([[1, 7], [2, 7], [3, 7]]), Err(ToolErrorCode::NotEnoughData)),
    ] {
        let args = json!({"samples": samples});
        let answer = ask(&mut fresh(), ToolName::CorrelationCheck, &args, at("12:00:00"));
        assert_eq!(answer, expected, "{args}");
    }
}

#[test]
fn a_recovery_needs_four_scores_a_peak_of_70_and_a_fall_of_ten_below_60() {
    for (scores, recovered, newest, drop) in [
        (json!([78, 70, 60, 52]), true, 52, 26),
        (json!([70, 60, 52]), false, 52, 18),
        (json!([78, 70, 65, 60]), false, 60, 18),
        (json!([69, 60, 50, 40]), false, 40, 29),
        // The peak is older than the last six.
        (json!([90, 50, 50, 50, 50, 50, 50]), false, 50, 0),
    ] {
        let args = json!({"scores": scores});
        let answer = ask(&mut fresh(), ToolName::RecoveryCheck, &args, at("12:00:00"));
        assert_eq!(
            answer,
            Ok(json!({"recovered": recovered, "newest": newest, "drop": drop})),
            "{args}"
        );
    }
    let none = ask(&mut fresh(), ToolName::RecoveryCheck, &json!({}), at("12:00:00"));
    assert_eq!(none, Err(ToolErrorCode::NotEnoughData));
    // What was computed: 38 + 5.4 once.
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    ingest(&mut agent, vec![sleep("11:00:00", 330)], "11:00:00");
    let own = ask(
        &mut AgentHost::new(Box::new(agent)),
        ToolName::RecoveryCheck,
        &json!({}),
        at("12:00:00"),
    );
    assert_eq!(own, Ok(json!({"recovered": false, "newest": 43, "drop": 0})));
}
