//! Forgetting what was measured, by its kind.

use super::*;
use agents_base::contract::KeptState as _;
use toolcall_schema::forget::{ErasureScope, MeasuredKind};

fn forget(agent: &WellnessAgent, kinds: &[MeasuredKind]) -> WellnessAgent {
    let what = ErasureScope::default().and_measured(kinds.iter().copied());
    let without = WellnessAgentState::json_without(&agent.state(), &what).unwrap();
    let mut again = WellnessAgent::new(agent.setup.clone());
    again.restore(&without).unwrap();
    again
}

/// The nights that are told, the shortest first: in which order files tell them is nobody's promise.
fn nights(answer: &IngestResult) -> Vec<f64> {
    let told = answer.seen.iter().filter_map(|seen| {
        let GraphObservation::Body { sleep_min, .. } = seen else {
            panic!("{seen:?}")
        };
        *sleep_min
    });
    let mut nights: Vec<f64> = told.collect();
    nights.sort_by(f64::total_cmp);
    nights
}

#[test]
fn one_kind_goes_from_what_is_kept_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sleep-2026-11-01.json");
    // 402 minutes to 06:50.
    std::fs::write(
        &path,
        r#"[{"dateOfSleep":"2026-11-05","endTime":"2026-11-05T06:50:00.000","minutesAsleep":402}]"#,
    )
    .unwrap();
    let mut agent = WellnessAgent::new(setup(vec![path.clone()]));
    let first = ingest(
        &mut agent,
        vec![hrv("10:00:00", 20.0), activity("10:00:00", 5.0, 20.0, 0.9, 50.0)],
        "10:05:00",
    );
    assert_eq!(first.facts.len(), 1);
    let file = ingest(&mut agent, Vec::new(), "10:06:00");
    assert_eq!(
        nights(&first)
            .into_iter()
            .chain(nights(&file))
            .collect::<Vec<_>>(),
        [402.0]
    );
    let now = at("10:06:00");
    use model::WellnessFeature::{Asleep, Rmssd, ScreenOn};
    for (kind, left) in [
        (MeasuredKind::Sleep, [Some(20.0), None, Some(50.0)]),
        (
            MeasuredKind::HeartRateVariability,
            [None, Some(402.0), Some(50.0)],
        ),
        (MeasuredKind::PhoneUse, [Some(20.0), Some(402.0), None]),
        (MeasuredKind::Load, [Some(20.0), Some(402.0), Some(50.0)]),
    ] {
        let again = forget(&agent, &[kind]);
        let fresh = [Rmssd, Asleep, ScreenOn].map(|feature| again.newest.fresh(feature, now));
        assert_eq!(fresh, left, "{kind}");
        assert_eq!(
            again.history.newest().is_none(),
            kind == MeasuredKind::Load,
            "{kind}"
        );
    }
    let state = forget(&agent, &[MeasuredKind::Sleep]).state().to_string();
    // As a number; a hash may hold these digits.
    for number in [":402", "[402", ",402"] {
        assert!(!state.contains(number), "{state}");
    }
}

#[test]
fn what_was_forgotten_comes_back_only_when_it_is_read_again_or_measured_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sleep-2026-11-01.json");
    let night = |day: u32, minutes: u32| {
        format!(
            r#"{{"dateOfSleep":"2026-11-{day:02}","endTime":"2026-11-{day:02}T06:50:00.000","minutesAsleep":{minutes}}}"#
        )
    };
    std::fs::write(&path, format!("[{},{}]", night(3, 380), night(4, 402))).unwrap();
    let mut agent = WellnessAgent::new(setup(vec![path.clone()]));
    assert_eq!(
        nights(&ingest(&mut agent, Vec::new(), "06:00:00")),
        [380.0, 402.0]
    );
    let mut agent = forget(&agent, &[MeasuredKind::Sleep]);
    // A process that was started anew reads the file from its beginning.
    let told = ingest(
        &mut agent,
        vec![signal(
            SignalKind::Sleep,
            "05:00:00",
            json!({ "asleep_min": 300 }),
        )],
        "06:05:00",
    );
    assert_eq!(nights(&told), [300.0], "a night of later");
    let mut agent = forget(&agent, &[MeasuredKind::Sleep]);
    std::fs::write(
        &path,
        format!("[{},{},{}]", night(3, 380), night(4, 402), night(5, 371)),
    )
    .unwrap();
    assert_eq!(
        nights(&ingest(&mut agent, Vec::new(), "10:10:00")),
        [371.0],
        "the file grew"
    );
    // Read again from the beginning, because its owner said so.
    let state = WellnessAgentState::json_unread(&agent.state()).unwrap();
    let mut again = WellnessAgent::new(agent.setup.clone());
    again.restore(&state).unwrap();
    assert_eq!(
        nights(&ingest(&mut again, Vec::new(), "10:15:00")),
        [371.0, 380.0, 402.0]
    );
}

#[test]
fn a_span_a_day_or_everything_that_was_forgotten_is_not_told_by_a_file_that_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sleep.csv");
    // 06:50 in Kolkata is 01:20 UTC.
    let rows = "at,asleep_min\n2026-11-02T06:50:00+05:30,350\n2026-11-03T06:50:00+05:30,380\n2026-11-04T06:50:00+05:30,402\n";
    std::fs::write(&path, rows).unwrap();
    let instant = |text: &str| Timestamp::parse(text).unwrap();
    let third = ErasureScope::within(instant("2026-11-02T18:30:00Z"), instant("2026-11-03T18:30:00Z"));
    let key = ErasureScope::naming(["hd_2026-11-03".to_owned()]);
    let open = ErasureScope::within(instant("2026-11-03T00:00:00Z"), instant("2027-01-01T00:00:00Z"));
    for (what, left) in [
        (third, vec![350.0, 402.0]),
        (key, vec![350.0, 402.0]),
        (open, vec![350.0]),
        (ErasureScope::everything(), vec![]),
    ] {
        let mut agent = WellnessAgent::new(setup(vec![path.clone()]));
        let told = nights(&ingest(&mut agent, Vec::new(), "06:00:00"));
        assert_eq!(told, [350.0, 380.0, 402.0]);
        let without = WellnessAgentState::json_without(&agent.state(), &what).unwrap();
        // A process that was started anew reads the file from its beginning.
        let mut again = WellnessAgent::new(agent.setup.clone());
        again.restore(&without).unwrap();
        assert_eq!(
            nights(&ingest(&mut again, Vec::new(), "06:05:00")),
            left,
            "{what:?}"
        );
        let kept = again.state();
        let mut later = WellnessAgent::new(agent.setup.clone());
        later.restore(&kept).unwrap();
        let new = signal(SignalKind::Sleep, "06:50:00", json!({ "asleep_min": 300 }));
        let told = nights(&ingest(&mut later, vec![new], "07:00:00"));
        assert_eq!(
            told.first(),
            Some(&300.0),
            "what is measured later counts: {what:?}"
        );
        // Read again from the beginning, because its owner said so.
        let state = WellnessAgentState::json_unread(&kept).unwrap();
        let mut whole = WellnessAgent::new(agent.setup.clone());
        whole.restore(&state).unwrap();
        let told = nights(&ingest(&mut whole, Vec::new(), "07:05:00"));
        assert_eq!(told, [350.0, 380.0, 402.0], "{what:?}");
    }
}

#[test]
fn what_an_older_release_kept_as_forgotten_is_read() {
    let mut state = WellnessAgent::new(setup(Vec::new())).state();
    state["forgotten"] = json!({ "sleep": "2026-11-04T01:20:00.000Z" });
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    agent.restore(&state).unwrap();
    assert_eq!(agent.state()["forgotten"], state["forgotten"]);
}
