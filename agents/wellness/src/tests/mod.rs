//! The agent as a whole: what it reads, keeps and proposes.

mod accounts;
mod bounds;
mod exports;
mod figures;
mod forgetting;
mod looking;
mod reading;

use super::*;
use agents_base::contract::{OwnerProfile, SourcePaths};
use chrono_tz::Tz;
use serde_json::json;
use toolcall_schema::{
    ActionKind, ToolName, WellnessState,
    catalogue::{
        WellnessTool,
        wellness::{GuideBreathing, PermitLeisure, StartNapTimer},
    },
    gate,
    ids::{CallId, OwnerSeed, SignalId},
    milli::Milli,
    tick::{
        ActiveRule, Candidate, ReadingKey, SignalReading, Subject, TickStatus, Trigger, TriggerSource,
        UserState,
    },
};

pub(super) fn setup(wellness: Vec<std::path::PathBuf>) -> AgentSetup {
    AgentSetup {
        key: OwnerSeed::from_day_seed("wellness").key("test"),
        owner: owner((42.0, 24.0)),
        sources: SourcePaths {
            wellness,
            ..SourcePaths::default()
        },
    }
}

fn owner(rmssd_p50_p10: (f64, f64)) -> OwnerProfile {
    OwnerProfile {
        zone: Tz::Asia__Kolkata,
        addresses: Vec::new(),
        names: Vec::new(),
        home: None,
        buffer_min: 15,
        sleep_target_min: 420,
        rmssd_p50_p10,
        balance: None,
        calendar: agents_base::contract::CalendarPreferences::default(),
        finance: agents_base::contract::FinancePreferences::default(),
    }
}

/// A local time of 2026-11-05 in Kolkata.
pub(super) fn at(time: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-11-05T{time}+05:30")).unwrap()
}

fn signal(kind: SignalKind, time: &str, payload: Value) -> Signal {
    Signal {
        id: SignalId::parse(&format!("{kind}-{}", time.replace(':', ""))).unwrap(),
        at: at(time),
        source: "band".to_owned(),
        kind,
        payload,
    }
}

fn hrv(time: &str, rmssd_ms: f64) -> Signal {
    signal(SignalKind::Hrv, time, json!({ "rmssd_ms": rmssd_ms }))
}

fn sleep(time: &str, asleep_min: u32) -> Signal {
    signal(SignalKind::Sleep, time, json!({ "asleep_min": asleep_min }))
}

fn activity(time: &str, entropy: f64, switches: f64, dismissed: f64, screen: f64) -> Signal {
    let payload = json!({ "typing_entropy": entropy, "app_switch_rate": switches, "notif_dismiss_rate": dismissed, "screen_on_min": screen });
    signal(SignalKind::Activity, time, payload)
}

fn ingest(agent: &mut WellnessAgent, signals: Vec<Signal>, time: &str) -> IngestResult {
    agent.accept(signals);
    let args = IngestArgs {
        cursor: agent.cursor,
        signal_ids: Vec::new(),
    };
    agent.ingest(&args, at(time))
}

fn tick_args(channel: Option<&str>, rules: Vec<ActiveRule>) -> TickArgs {
    TickArgs {
        tick: 1,
        trigger: Trigger {
            source: TriggerSource::Owner,
            subject: None,
            at: at("00:00:00"),
            valid_until: at("23:59:59"),
        },
        user: UserState {
            load_score: None,
            state: WellnessState::Unknown,
            in_focus: false,
            in_meeting: false,
            dnd: false,
            active_channel: channel.map(|name| setup(Vec::new()).key.channel(name)),
            brief_due: false,
            zone: "Asia/Kolkata".to_owned(),
        },
        rules,
    }
}

#[test]
fn an_evening_from_signals_to_proposals() {
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    let load = |time, score, state, entered| {
        vec![IngestFact::Load {
            score,
            state,
            entered_at: at(entered),
            at: at(time),
        }]
    };
    let first = vec![
        sleep("22:21:10", 372),
        hrv("22:21:10", 39.0),
        activity("22:21:10", 3.9, 8.0, 0.4, 25.0),
    ];
    let answer = ingest(&mut agent, first, "22:21:10");
    // 38 + 16 * 3/18 + 0.06 * 48 + 4.05 + 3.2 + 1.2 + 0.75 + 4 cos(2 pi 22.353/24) (3.634) = 56.38.
    assert_eq!(
        answer.facts,
        load("22:21:10", 56, WellnessState::Baseline, "22:21:10")
    );
    assert_eq!((answer.read, answer.skipped), (3, 0));
    let second = vec![hrv("22:31:30", 33.0), activity("22:31:30", 4.92, 14.0, 0.5, 30.0)];
    // 38 + 8 + 2.88 + 8.64 + 12.8 + 2.4 + 1.5 + 3.706 = 77.93.
    let answer = ingest(&mut agent, second, "22:31:30");
    assert_eq!(
        answer.facts,
        load("22:31:30", 78, WellnessState::Stressed, "22:31:30")
    );

    let key = setup(Vec::new()).key;
    let channel = key.channel("trip");
    let mute = Candidate {
        kind: ActionKind::MuteGroup30,
        subject: Subject::from(&channel),
        // 2 scores of one day, but 78, 14 switches and 4.92 bits.
        confidence: Milli(650),
        args: json!({ "channel_hash": channel, "ttl_seconds": 1800 }),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    };
    let breathe = Candidate {
        kind: ActionKind::Breathe478,
        subject: Subject::of_self(),
        args: json!({ "cycles": 4 }),
        ..mute.clone()
    };
    let muted = |until| ActiveRule::Mute {
        channel: channel.clone(),
        until: at(until),
    };
    for (name, args, time, expected) in [
        (
            "a loud channel",
            tick_args(Some("trip"), Vec::new()),
            "22:31:47",
            vec![mute.clone()],
        ),
        (
            "muted already",
            tick_args(Some("trip"), vec![muted("23:00:00")]),
            "22:31:47",
            vec![breathe.clone()],
        ),
        (
            "muted until now",
            tick_args(Some("trip"), vec![muted("22:31:47")]),
            "22:31:47",
            vec![mute],
        ),
        (
            "no channel",
            tick_args(None, Vec::new()),
            "22:31:47",
            vec![breathe],
        ),
        (
            "a score older than an hour",
            tick_args(None, Vec::new()),
            "23:31:31",
            Vec::new(),
        ),
    ] {
        assert_eq!(agent.tick(&args, at(time)).candidates, expected, "{name}");
    }
    let reading = SignalReading::new;
    assert_eq!(
        agent.tick(&tick_args(None, Vec::new()), at("22:31:47")).readings,
        vec![
            reading(ReadingKey::LoadScore, 78.0),
            SignalReading {
                low: Some(24.0),
                high: Some(63.0),
                ..reading(ReadingKey::RmssdMs, 33.0)
            },
            // (33 - 42) / (42 - 24)
            reading(ReadingKey::RmssdZ, -0.5),
            reading(ReadingKey::SleepMin, 372.0),
            reading(ReadingKey::SleepDebtMin, 48.0),
            reading(ReadingKey::TypingEntropy, 4.92),
            reading(ReadingKey::AppSwitchRate, 14.0),
            reading(ReadingKey::DismissRate, 0.5),
            reading(ReadingKey::ScreenOnMin, 30.0),
        ]
    );
    let answer = ingest(&mut agent, vec![hrv("22:36:00", 36.0)], "22:36:00");
    // 78 - 16 * 3/18 = 75.27 and a little for the hour; the drop is 78 - 75.
    assert_eq!(
        answer.facts,
        load("22:36:00", 75, WellnessState::Stressed, "22:31:30")
    );
    let drop = agent
        .tick(&tick_args(None, Vec::new()), at("22:36:00"))
        .readings
        .pop();
    assert_eq!(drop, Some(reading(ReadingKey::LoadDrop, 3.0)));
}

#[test]
fn an_agent_without_data_says_so() {
    let agent = WellnessAgent::new(setup(Vec::new()));
    let nothing = TickResult {
        candidates: Vec::new(),
        readings: Vec::new(),
        status: TickStatus::NoData,
    };
    assert_eq!(
        agent.tick(&tick_args(Some("trip"), Vec::new()), at("12:00:00")),
        nothing
    );
}

#[test]
fn a_signal_of_later_is_left_for_later_and_an_older_one_changes_no_score() {
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    let early = ingest(&mut agent, vec![hrv("12:05:00", 30.0)], "12:00:00");
    assert_eq!((early.facts, early.read), (Vec::new(), 0));
    assert_eq!(ingest(&mut agent, Vec::new(), "12:05:00").read, 1);
    let same = ingest(&mut agent, vec![hrv("12:05:00", 91.0)], "12:06:00");
    assert_eq!(
        (same.facts, same.read, same.agent_state),
        (Vec::new(), 0, Value::Null)
    );
    // An older one says nothing about now, but something about what is usual.
    let old = ingest(&mut agent, vec![hrv("12:04:00", 90.0)], "12:06:00");
    assert_eq!((old.facts, old.read), (Vec::new(), 1));
}

#[test]
fn a_day_of_measurements_is_told_to_memory_as_its_median_and_its_sleep() {
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    let morning = vec![
        hrv("08:35:00", 40.0),
        // Of an hour of UTC, which here begins at half past, the first counts.
        hrv("08:45:00", 90.0),
        hrv("09:35:00", 20.0),
        sleep("07:00:00", 400),
    ];
    let body = |at: Timestamp, rmssd_ms: f64, sleep_min: Option<f64>| GraphObservation::Body {
        day: NaiveDate::from_ymd_opt(2026, 11, 5).unwrap(),
        at,
        rmssd_ms: Some(rmssd_ms),
        resting_bpm: None,
        sleep_min,
    };
    // Of 20 and 40 the least that half are not above is 20.
    assert_eq!(
        ingest(&mut agent, morning, "10:00:00").seen,
        [body(at("09:35:00"), 20.0, Some(400.0))]
    );
    assert_eq!(
        ingest(&mut agent, vec![hrv("10:35:00", 30.0)], "10:40:00").seen,
        [body(at("10:35:00"), 30.0, None)]
    );
    // Told again it is nothing new.
    assert_eq!(
        ingest(&mut agent, vec![hrv("10:35:00", 30.0)], "10:41:00").seen,
        []
    );
}

#[test]
fn a_rate_at_rest_is_told_to_memory_by_days_makes_no_score_and_is_forgotten_by_its_kind() {
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    let resting = |time: &str, bpm: f64| signal(SignalKind::Hrv, time, json!({ "resting_bpm": bpm }));
    let told = |answer: &IngestResult| -> Vec<Option<f64>> {
        let of = |seen: &GraphObservation| match seen {
            GraphObservation::Body {
                resting_bpm,
                rmssd_ms: None,
                sleep_min: None,
                ..
            } => *resting_bpm,
            other @ (GraphObservation::Talk { .. }
            | GraphObservation::Payment { .. }
            | GraphObservation::Place { .. }
            | GraphObservation::Body { .. }) => panic!("{other:?}"),
        };
        answer.seen.iter().map(of).collect()
    };
    // Of two values for one instant the lower counts, of several instants the one in the middle; 210 beats are no rest.
    let first = ingest(
        &mut agent,
        vec![
            resting("06:00:00", 58.0),
            resting("06:00:00", 54.5),
            resting("09:00:00", 210.0),
        ],
        "10:00:00",
    );
    assert_eq!(
        (told(&first), first.facts, first.read),
        (vec![Some(54.5)], vec![], 2)
    );
    assert_eq!(first.skipped, 1);
    let again = ingest(&mut agent, vec![resting("06:00:00", 54.5)], "10:01:00");
    assert_eq!((again.seen, again.agent_state), (vec![], Value::Null));
    // A state of before has no such field, and is read.
    let mut state = first.agent_state;
    WellnessAgentState::from_json(&state).unwrap();
    let mut kept = WellnessAgentState::from_json(&state).unwrap();
    kept.forget(&ErasureScope::default().and_measured([MeasuredKind::RestingHeartRate]));
    assert_eq!(kept.resting, HourlyMeasurements::default());
    state.as_object_mut().unwrap().remove("resting");
    WellnessAgentState::from_json(&state).unwrap();
    // What was forgotten is not told again.
    let mut forgetful = WellnessAgent::new(setup(Vec::new()));
    forgetful
        .restore(&state_json::<WellnessAgentState>(&kept).unwrap())
        .unwrap();
    assert_eq!(
        ingest(&mut forgetful, vec![resting("06:00:00", 54.5)], "10:02:00").seen,
        []
    );
}

#[test]
fn the_state_goes_on_where_it_was() {
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    ingest(
        &mut agent,
        vec![sleep("10:00:00", 300), hrv("10:00:00", 20.0)],
        "10:00:00",
    );
    let state = ingest(
        &mut agent,
        vec![activity("10:05:00", 5.0, 20.0, 0.9, 50.0)],
        "10:05:00",
    )
    .agent_state;
    let mut again = WellnessAgent::new(setup(Vec::new()));
    again.restore(&state).unwrap();
    let args = tick_args(Some("trip"), Vec::new());
    assert_eq!(
        again.tick(&args, at("10:06:00")),
        agent.tick(&args, at("10:06:00"))
    );
    // It was asked with another cursor than it knows: it says all it knows again, and goes on from there.
    let answer = again.ingest(
        &IngestArgs {
            cursor: 2,
            signal_ids: Vec::new(),
        },
        at("10:07:00"),
    );
    assert_eq!((answer.cursor, &answer.agent_state), (2, &state));
    let answer = again.ingest(
        &IngestArgs {
            cursor: 2,
            signal_ids: Vec::new(),
        },
        at("10:07:00"),
    );
    assert_eq!((answer.cursor, answer.agent_state), (2, Value::Null));
    assert!(again.restore(&json!({ "version": "wellness.v2" })).is_err());
}

#[test]
fn tools_say_when_their_course_ends() {
    for (tool, ends) in [
        // 4 rounds of 19 s
        (
            WellnessTool::GuideBreathing(GuideBreathing { cycles: 4 }),
            "12:01:16",
        ),
        (
            WellnessTool::StartNapTimer(StartNapTimer { duration_min: 15 }),
            "12:15:00",
        ),
        (
            WellnessTool::PermitLeisure(PermitLeisure { window_min: 90 }),
            "13:30:00",
        ),
    ] {
        let mut agent = WellnessAgent::new(setup(Vec::new()));
        assert_eq!(
            agent.act(&Tool::Wellness(tool), at("12:00:00")),
            Ok((
                json!({ "ends_at": at(ends) }),
                vec![ToolEffect::TimerSet { at: at(ends) }]
            ))
        );
    }
    let ingest = WellnessTool::Ingest(IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    });
    let mut agent = WellnessAgent::new(setup(Vec::new()));
    assert_eq!(
        agent.act(&Tool::Wellness(ingest), at("12:00:00")),
        Err(ToolErrorCode::Unavailable)
    );
}

/// Whether the gate admits a result.
fn admitted(tool: ToolName, result: &Value, effects: &[ToolEffect]) {
    let call_id = CallId::parse("t_abcdefghij").unwrap();
    let bytes =
        serde_json::to_vec(&json!({ "call_id": call_id, "result": result, "effects": effects })).unwrap();
    let answer = gate::admit_result(&bytes, tool, &call_id);
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn every_proposal_and_every_course_passes_the_gate() {
    for (tool, args, call) in [
        (
            ToolName::GuideBreathing,
            json!({ "cycles": 4 }),
            WellnessTool::GuideBreathing(GuideBreathing { cycles: 4 }),
        ),
        (
            ToolName::StartNapTimer,
            json!({ "duration_min": 15 }),
            WellnessTool::StartNapTimer(StartNapTimer { duration_min: 15 }),
        ),
        (
            ToolName::PermitLeisure,
            json!({ "window_min": 90 }),
            WellnessTool::PermitLeisure(PermitLeisure { window_min: 90 }),
        ),
    ] {
        assert!(gate::pre_admit(tool, &args, true).is_ok(), "{tool}");
        let (result, effects) = WellnessAgent::new(setup(Vec::new()))
            .act(&Tool::Wellness(call), at("12:00:00"))
            .unwrap();
        admitted(tool, &result, &effects);
    }
}

#[test]
fn every_code_has_its_page_and_fits_the_schema_of_an_answer() {
    for skip in [
        code::RANGE,
        code::NO_VALUE,
        code::HEADER,
        code::ROW,
        code::NOT_HEALTH,
        code::BROKEN,
        code::CUT,
        code::ZIP,
        code::BOMB,
        code::NOT_FIT,
        code::DATABASE,
        code::ROWS,
        code::LATER,
        code::NOTHING_READ,
        code::TOO_OLD,
        code::NIGHT_MEAN,
        code::UNUSED,
    ] {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../docs/errors/{}.md", skip.code));
        assert!(page.exists() && skip.message.len() <= 200, "{}", skip.code);
    }
}
