//! Recorded days are read, and mistakes in them named.

use super::*;
use crate::gate;

const DAY: &str =
    "zone = \"Asia/Kolkata\"\nstart = \"2026-11-03T07:40:00+05:30\"\nseed = \"a-day\"\nceiling = 3\n";
const SIGNAL: &str =
    r#"{"id":"s-1","at":"2026-11-03T07:45:00+05:30","source":"phone","kind":"phone_unlock","payload":{}}"#;

fn parts() -> DayTexts<'static> {
    DayTexts {
        day: DAY,
        signals: SIGNAL,
        ..DayTexts::default()
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[test]
fn reads_every_sort_of_line() {
    let loaded = load(&DayTexts {
        owner: r#"
{"at":"2026-11-03T07:44:00+05:30","act":"connect","surface":"PHONE_CARD"}
{"at":"2026-11-03T07:46:00+05:30","act":"rule","name":"dinner","kind":"BATCH_DIGEST","hours":["19:00","20:30:00"],"days":[1,7]}
{"at":"2026-11-03T07:47:00+05:30","act":"pause","minutes":120}
{"at":"2026-11-03T07:47:10+05:30","act":"end_mute","tick":1}
{"at":"2026-11-03T07:47:20+05:30","act":"end_pause"}
{"at":"2026-11-03T07:47:30+05:30","act":"end_rule","name":"dinner"}
{"at":"2026-11-03T07:47:32+05:30","act":"undo_later","tick":1}
{"at":"2026-11-03T07:47:35+05:30","act":"let_through","about":"pe_00112233445566aa","always":true}
{"at":"2026-11-03T07:47:40+05:30","act":"ask","key":"nap","tool":"wellness.start_nap_timer","args":{"duration_min":15},"wait_min":10}
{"at":"2026-11-03T07:48:00+05:30","act":"confirm","surface":"WATCH","tick":2,"capability":"foreign","answer":"CONFIRM-002"}
{"at":"2026-11-03T07:48:00+05:30","act":"useful","tick":1,"answer":"refunded"}
{"at":"2026-11-03T07:49:00+05:30","act":"settings","zone":"Europe/Berlin"}
{"at":"2026-11-03T07:50:00+05:30","act":"clock","minutes":-60}
{"at":"2026-11-03T07:51:00+05:30","act":"suspend","minutes":120}
{"at":"2026-11-03T07:52:00+05:30","act":"restart","minutes":0}
"#,
        replies: r#"{"tick":1,"after_ms":200,"text":"You leave in 23 minutes."}
{"tick":2,"after_ms":0,"error":"crashed"}"#,
        faults: r#"{"tick":1,"fault":"slow_ms","agent":"comms","ms":2500}
{"tick":2,"fault":"disk"}"#,
        expected: Some(
            r#"[{"tick":1,"trigger":"phone_unlock","chosen":"do_nothing","surface":"SILENT","outcome":"silent",
"reason_code":"cap_daily","caps":{"SHOW_BRIEF":"cap_daily"},"scores":{"NAP_15":0.15},"tokens_after":0}]"#,
        ),
        ..parts()
    });
    let clock = |text| NaiveTime::parse_from_str(text, "%H:%M").unwrap();
    let want = RecordedDay {
        day: DayHeader {
            zone: Tz::Asia__Kolkata,
            start: at("2026-11-03T02:10:00Z"),
            seed: "a-day".to_owned(),
            ceiling: 3,
            policy: None,
        },
        signals: vec![
            gate::admit_signal(
                br#"{"id":"s-1","at":"2026-11-03T07:45:00+05:30","source":"phone","kind":"phone_unlock","payload":{}}"#,
            )
            .unwrap(),
        ],
        owner: vec![
            OwnerAct {
                at: at("2026-11-03T02:14:00Z"),
                act: OwnerActKind::Connect {
                    surface: Surface::PhoneCard,
                },
            },
            OwnerAct {
                at: at("2026-11-03T02:16:00Z"),
                act: OwnerActKind::Rule {
                    name: crate::rule::RuleName::parse("dinner").unwrap(),
                    kind: Some(ActionKind::BatchDigest),
                    subject: None,
                    hours: Some((clock("19:00"), clock("20:30"))),
                    days: vec![1, 7],
                },
            },
            OwnerAct {
                at: at("2026-11-03T02:17:00Z"),
                act: OwnerActKind::Pause { minutes: 120 },
            },
            OwnerAct {
                at: at("2026-11-03T02:17:10Z"),
                act: OwnerActKind::EndMute { tick: 1 },
            },
            OwnerAct {
                at: at("2026-11-03T02:17:20Z"),
                act: OwnerActKind::EndPause {},
            },
            OwnerAct {
                at: at("2026-11-03T02:17:30Z"),
                act: OwnerActKind::EndRule {
                    name: crate::rule::RuleName::parse("dinner").unwrap(),
                },
            },
            OwnerAct {
                at: at("2026-11-03T02:17:32Z"),
                act: OwnerActKind::UndoLater { tick: 1 },
            },
            OwnerAct {
                at: at("2026-11-03T02:17:35Z"),
                act: OwnerActKind::LetThrough {
                    about: crate::catalogue::learning::LearnedThing::parse("pe_00112233445566aa").unwrap(),
                    always: true,
                },
            },
            OwnerAct {
                at: at("2026-11-03T02:17:40Z"),
                act: OwnerActKind::Ask {
                    key: "nap".to_owned(),
                    tool: crate::catalogue::ToolName::StartNapTimer,
                    args: serde_json::json!({"duration_min": 15}),
                    wait_min: Some(10),
                },
            },
            OwnerAct {
                at: at("2026-11-03T02:18:00Z"),
                act: OwnerActKind::Confirm(CardSubmission {
                    surface: Surface::Watch,
                    tick: 2,
                    capability: Some(Wrong::Foreign),
                    answer: Some(SubmitAnswer::Confirm002),
                }),
            },
            OwnerAct {
                at: at("2026-11-03T02:18:00Z"),
                act: OwnerActKind::Useful(CardSubmission {
                    surface: Surface::PhoneCard,
                    tick: 1,
                    capability: None,
                    answer: Some(SubmitAnswer::Refunded),
                }),
            },
            OwnerAct {
                at: at("2026-11-03T02:19:00Z"),
                act: OwnerActKind::Settings {
                    zone: Some(Tz::Europe__Berlin),
                    ceiling: None,
                },
            },
            OwnerAct {
                at: at("2026-11-03T02:20:00Z"),
                act: OwnerActKind::Clock { minutes: -60 },
            },
            OwnerAct {
                at: at("2026-11-03T02:21:00Z"),
                act: OwnerActKind::Suspend { minutes: 120 },
            },
            OwnerAct {
                at: at("2026-11-03T02:22:00Z"),
                act: OwnerActKind::Restart { minutes: 0 },
            },
        ],
        replies: vec![
            ScriptedReply {
                tick: 1,
                after_ms: 200,
                answer: Ok("You leave in 23 minutes.".to_owned()),
            },
            ScriptedReply {
                tick: 2,
                after_ms: 0,
                answer: Err(ReplyError::Crashed),
            },
        ],
        faults: vec![
            InjectedFault {
                tick: 1,
                fault: InjectedFaultKind::SlowMs {
                    agent: AgentName::Comms,
                    ms: 2500,
                    tool: None,
                },
            },
            InjectedFault {
                tick: 2,
                fault: InjectedFaultKind::Disk { for_ms: None },
            },
        ],
        expected: Some(vec![ExpectedTrace {
            tick: 1,
            trigger: TriggerSource::PhoneUnlock,
            chosen: "do_nothing".to_owned(),
            surface: Surface::Silent,
            outcome: Outcome::Silent,
            reason_code: Some(ReasonCode::CapDaily),
            caps: BTreeMap::from([(ActionKind::ShowBrief, ReasonCode::CapDaily)]),
            scores: BTreeMap::from([(ActionKind::Nap15, Milli(150))]),
            tokens_after: 0,
        }]),
    };
    assert_eq!(loaded, Ok(want));
}

#[test]
fn names_file_line_and_place_of_a_mistake() {
    let early = SIGNAL.replace("07:45", "07:39");
    let unordered = format!("{SIGNAL}\n\n{}", SIGNAL.replace("07:45", "07:44"));
    let twice = format!("{SIGNAL}\n{}", SIGNAL.replace("\"id\"", "\"id\":\"x\",\"id\""));
    let table: &[(DayTexts<'_>, &str)] = &[
        (
            DayTexts {
                day: "zone = ",
                ..parts()
            },
            "DAY-001: day.toml:1",
        ),
        (
            DayTexts {
                day: "zone = \"x\"\n\nseed = 'a",
                ..parts()
            },
            "DAY-001: day.toml:3",
        ),
        (
            DayTexts {
                day: &DAY.replace("= 3", "= 6"),
                ..parts()
            },
            "DAY-002: day.toml at /ceiling",
        ),
        (
            DayTexts {
                day: &DAY.replace("Kolkata", "Nowhere"),
                ..parts()
            },
            "DAY-002: day.toml at /zone",
        ),
        (
            DayTexts {
                day: &DAY.replace("\"2026-11-03T07:40:00+05:30\"", "2026-11-03T07:40:00+05:30"),
                ..parts()
            },
            "DAY-002: day.toml at /start",
        ),
        (
            DayTexts {
                signals: &early,
                ..parts()
            },
            "DAY-004: signals.jsonl:1",
        ),
        (
            DayTexts {
                signals: &unordered,
                ..parts()
            },
            "DAY-003: signals.jsonl:3",
        ),
        (
            DayTexts {
                signals: &twice,
                ..parts()
            },
            "DAY-001: signals.jsonl:2 at /id",
        ),
        (
            DayTexts {
                signals: &SIGNAL.replace("{}", "{\"x\":1}"),
                ..parts()
            },
            "DAY-002: signals.jsonl:1 at /payload",
        ),
        (
            DayTexts {
                owner: r#"{"at":"2026-11-03T07:45:00+05:30","act":"confirm","surface":"PHONE_CARD"}"#,
                ..parts()
            },
            "DAY-002: owner.jsonl:1",
        ),
        (
            DayTexts {
                owner: r#"{"at":"2026-11-03T07:45:00+05:30","act":"connect","surface":"SILENT"}"#,
                ..parts()
            },
            "DAY-002: owner.jsonl:1 at /surface",
        ),
        (
            DayTexts {
                owner: r#"{"at":"2026-11-03T07:45:00+05:30","act":"settings"}"#,
                ..parts()
            },
            "DAY-002: owner.jsonl:1",
        ),
        (
            DayTexts {
                owner: r#"{"at":"2026-11-03T07:45:00+05:30","act":"settings","zone":"Asia/Nowhere"}"#,
                ..parts()
            },
            "DAY-002: owner.jsonl:1 at /zone",
        ),
        (
            DayTexts {
                owner: r#"{"at":"2026-11-03T07:45:00+05:30","act":"dismiss","surface":"WATCH","tick":1,"answer":"refunded"}"#,
                ..parts()
            },
            "DAY-002: owner.jsonl:1 at /answer",
        ),
        (
            DayTexts {
                replies: r#"{"tick":1,"after_ms":1,"text":"a","error":"crashed"}"#,
                ..parts()
            },
            "DAY-002: replies.jsonl:1 at /text",
        ),
        (
            DayTexts {
                replies: r#"{"tick":1,"after_ms":1}"#,
                ..parts()
            },
            "DAY-002: replies.jsonl:1",
        ),
        (
            DayTexts {
                faults: r#"{"tick":1,"fault":"panic"}"#,
                ..parts()
            },
            "DAY-002: faults.jsonl:1",
        ),
        (
            DayTexts {
                faults: r#"{"tick":1,"fault":"flood"}"#,
                ..parts()
            },
            "DAY-002: faults.jsonl:1 at /fault",
        ),
        (
            DayTexts {
                expected: Some("[{\"tick\":1}]"),
                ..parts()
            },
            "DAY-002: expected.json at /0",
        ),
    ];
    for (parts, want) in table {
        let message = load(parts).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("{want}: ")),
            "{message} is not {want}"
        );
    }
}

#[test]
fn every_committed_day_can_be_read() {
    let days = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let mut read = 0;
    for folder in std::fs::read_dir(days)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let text = |name| std::fs::read_to_string(folder.join(name)).ok();
        let Some(day) = text("day.toml") else { continue };
        let loaded = load(&DayTexts {
            day: &day,
            signals: &text("signals.jsonl").unwrap_or_default(),
            owner: &text("owner.jsonl").unwrap_or_default(),
            replies: &text("replies.jsonl").unwrap_or_default(),
            faults: &text("faults.jsonl").unwrap_or_default(),
            expected: text("expected.json").as_deref(),
        });
        if let Err(error) = loaded {
            panic!("{}: {error}", folder.display());
        }
        read += 1;
    }
    assert!(read > 0, "no recorded day found");
}
