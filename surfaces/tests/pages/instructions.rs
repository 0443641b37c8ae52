//! A pause and a rule among what the owner did, and an agent that hangs while an act is taken back.

use crate::{acts_double::call, client::server, morning::ts};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::Ordering,
};
use surfaces::render::{
    acts::{ActContext, ActKind, DoneAct, UndoState, acts},
    undo::{UndoStep, undo_step},
};
use surfaces_base::backend::{DisplayNames, OwnerCallError, UntracedActs, drafts::OutboxDrafts};
use toolcall_schema::{
    ActionKind, ReasonCode, Timestamp,
    catalogue::shared::ThingId,
    ids::{ChannelHash, PersonHash},
    rule::{GivenInstruction, OwnerInstruction, OwnerRule, RuleName},
    tick::Subject,
    trace::{NextPossible, Trace},
};

const CHAT: &str = "ch_00000000000000c3";
const MAIL: &str = "it_00000000000000b2";

/// A pause until 09:00 and a rule about a chat, as they were given at 07:50 and 07:55 there.
fn instructions() -> Vec<GivenInstruction> {
    let rule = OwnerRule {
        subject: Some(Subject::from(&ChannelHash::parse(CHAT).unwrap())),
        ..OwnerRule::named(RuleName::parse("anything-1").unwrap())
    };
    vec![
        GivenInstruction {
            at_wall: ts("2026-11-03T02:20:00Z"),
            what: OwnerInstruction::Pause {
                until: ts("2026-11-03T03:30:00Z"),
            },
        },
        GivenInstruction {
            at_wall: ts("2026-11-03T02:25:00Z"),
            what: OwnerInstruction::Rule { rule },
        },
    ]
}

const PAUSE: &str = "said_1793672400000";
const RULE: &str = "said_1793672700000";

/// What was so at the last look is not said once the owner has ended it, and while a pause holds nothing else is said to come first.
#[tokio::test]
async fn now_says_of_a_pause_what_holds_at_this_moment() {
    let server = server("quiet").await;
    let next = |at: &str, when| NextPossible { at: ts(at), when };
    for (paused, silent, next, says, never) in [
        // Paused since the last look, which said another hour.
        (
            Some("2026-11-03T03:30:00Z"),
            ReasonCode::BelowThreshold,
            next("2026-11-03T03:00:00Z", ReasonCode::CapWindow),
            "Paused until 09:00",
            "I could speak again",
        ),
        // The pause that the last look met is over.
        (
            None,
            ReasonCode::Paused,
            next("2026-11-03T03:30:00Z", ReasonCode::Paused),
            "Next, at 09:00",
            "I could speak again",
        ),
    ] {
        {
            let mut view = server.double.view.lock().unwrap();
            view.paused_until = paused.map(ts);
            view.last_silent = Some(silent);
            view.next_possible = Some(next);
        }
        let page = server.get("/").await.body;
        let now = page
            .split("id=\"now\"")
            .nth(1)
            .unwrap()
            .split("</section>")
            .next()
            .unwrap();
        assert!(
            now.contains(says) && !now.contains(never),
            "{says} {never}: {now}"
        );
        assert!(!now.contains("You had paused me"), "{now}");
    }
}

#[tokio::test]
async fn a_pause_and_a_rule_are_acts_with_their_time_and_their_undo() {
    let server = server("quiet").await;
    *server.double.labels.lock().unwrap() = [(CHAT.to_owned(), "Garden committee".to_owned())]
        .into_iter()
        .collect();
    {
        let mut view = server.double.view.lock().unwrap();
        view.paused_until = Some(ts("2026-11-03T03:30:00Z"));
        view.untraced.instructed = instructions();
        view.rules = view
            .untraced
            .instructed
            .iter()
            .filter_map(|given| match &given.what {
                OwnerInstruction::Rule { rule } => Some(rule.clone()),
                OwnerInstruction::Pause { .. } => None,
            })
            .collect();
    }
    let page = server.get("/history").await.body;
    for says in [
        format!("data-undo-act=\"{PAUSE}\" aria-label=\"Undo: Paused until 09:00.\""),
        format!(
            "data-undo-act=\"{RULE}\" aria-label=\"Undo: You added a rule. Nothing about Garden committee.\""
        ),
        "07:50".to_owned(),
        "07:55".to_owned(),
    ] {
        assert!(page.contains(&says), "{says}: {page}");
    }
    // Neither has a trace that could be opened.
    assert!(!page.contains("/trace/said_"), "{page}");
    let ended = |what: &str| server.double.log.borrow().join("\n").contains(what);
    for (id, call) in [(PAUSE, "end EndPause"), (RULE, "end RemoveRule")] {
        assert!(!ended(call), "{call}");
        let answer = server.post(&format!("/v1/acts/{id}/undo"), "").await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.body);
        assert!(ended(call), "{call}");
    }
    // What is in force no longer is over, and is not offered.
    server.double.view.lock().unwrap().paused_until = None;
    let page = server.get("/history").await.body;
    assert!(!page.contains("data-undo-act=\"said_"), "{page}");
    assert!(
        page.contains("You added a rule. Nothing about Garden committee."),
        "{page}"
    );
    for id in [PAUSE, RULE] {
        let late = server.post(&format!("/v1/acts/{id}/undo"), "").await;
        assert_eq!((late.status, late.body.contains("CALL-007")), (409, true), "{id}");
    }
    for id in ["said_", "said_1", "said_x", "said_-1793672400000"] {
        assert_eq!(
            server.post(&format!("/v1/acts/{id}/undo"), "").await.status,
            404,
            "{id}"
        );
    }
}

/// A limit that was lowered and raised again holds lowered for this day: both numbers are said.
#[tokio::test]
async fn now_says_how_many_interruptions_hold_from_midnight_where_that_is_not_as_today() {
    let server = server("quiet").await;
    let page = server.get("/").await.body;
    assert!(!page.contains("from midnight on"), "{page}");
    server.double.view.lock().unwrap().ceiling_from_midnight = Some(4);
    for path in ["/", "/watch"] {
        let page = server.get(path).await.body;
        assert!(
            page.contains("interruptions left today, 4 a day from midnight on"),
            "{path}: {page}"
        );
    }
}

#[tokio::test]
async fn under_a_rule_that_forbids_everything_now_names_it_and_counts_nothing() {
    let server = server("quiet").await;
    server.double.view.lock().unwrap().looks_again = ts("2026-11-03T03:30:00Z");
    let page = server.get("/").await.body;
    assert!(
        page.contains("interruptions left today") && page.contains("I look again"),
        "{page}"
    );
    assert!(
        page.contains(r#"<span class="dots" role="img" aria-label=""#),
        "{page}"
    );
    let rule = |kinds, hours: (u32, u32)| {
        let time = |hour| chrono::NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
        OwnerRule {
            kinds,
            hours: Some((time(hours.0), time(hours.1))),
            ..OwnerRule::named(RuleName::parse("anything-1").unwrap())
        }
    };
    for (kinds, hours, is_quiet) in [
        (vec![], (7, 12), true),
        (vec![], (12, 13), false),
        (vec![ActionKind::ShowBrief], (7, 12), false),
    ] {
        server.double.view.lock().unwrap().rules = vec![rule(kinds, hours)];
        let page = server.get("/").await.body;
        for (says, is_there) in [
            (
                "A rule of yours keeps me quiet now: Nothing from 07:00 to 12:00.",
                is_quiet,
            ),
            (r#"href="/settings#rule-anything-1""#, is_quiet),
            ("interruptions left today", !is_quiet),
            ("I look again", !is_quiet),
        ] {
            assert_eq!(page.contains(says), is_there, "{hours:?} {says}: {page}");
        }
    }
    let settings = server.get("/settings").await.body;
    assert!(settings.contains(r#"<li id="rule-anything-1">"#), "{settings}");
}

#[test]
fn what_took_the_place_of_a_pause_is_no_undo_of_it() {
    let at = |minute: i64| ts("2026-11-03T02:00:00Z").plus_min(minute);
    let pause = |minute, until| GivenInstruction {
        at_wall: at(minute),
        what: OwnerInstruction::Pause { until: at(until) },
    };
    let end = |minute: i64| {
        let text = at(minute).to_string();
        call("tr_endpause0001", &text, "orchestrator.end_pause", &json!({}))
    };
    let state = |given: &[GivenInstruction], ended: Option<i64>| -> Vec<UndoState> {
        let traces: Vec<Trace> = ended.into_iter().map(end).collect();
        let untraced = UntracedActs {
            instructed: given.to_vec(),
            ..UntracedActs::default()
        };
        let all = acts(&traces, &untraced);
        let context = ActContext::of_messages(at(50), chrono_tz::Tz::Asia__Kolkata);
        let pauses = all.iter().filter(|act| matches!(act.act, ActKind::Paused(_)));
        pauses.map(|act| act.undo(&all, &context)).collect()
    };
    let (first, second) = (pause(0, 120), pause(10, 240));
    assert_eq!(
        state(std::slice::from_ref(&first), Some(20)),
        [UndoState::Undone(at(20))]
    );
    // Newest first: the one that was ended, and the one whose place it had taken.
    assert_eq!(
        state(&[first.clone(), second], Some(20)),
        [UndoState::Undone(at(20)), UndoState::Over]
    );
    assert_eq!(state(&[first], None), [UndoState::Over]);
}

#[test]
fn what_another_took_the_place_of_is_said_as_over() {
    let (at, zone) = (
        |minute: i64| ts("2026-11-03T02:00:00Z").plus_min(minute),
        chrono_tz::Tz::Asia__Kolkata,
    );
    let chat = ChannelHash::parse(CHAT).unwrap();
    let pause = |minute, until| GivenInstruction {
        at_wall: at(minute),
        what: OwnerInstruction::Pause { until: at(until) },
    };
    let mute = call(
        "tr_mute00000009",
        &at(5).to_string(),
        "comms.mute_channel",
        &json!({ "channel_hash": CHAT, "until": at(120) }),
    );
    let untraced = UntracedActs {
        instructed: vec![pause(0, 120), pause(10, 240)],
        ..UntracedActs::default()
    };
    let all = acts(&[mute], &untraced);
    let says = |mutes: &BTreeMap<ChannelHash, Timestamp>| -> Vec<String> {
        let context = ActContext {
            mutes,
            paused: Some(at(240)),
            ..ActContext::of_messages(at(50), zone)
        };
        let of_act = |act: &DoneAct| {
            let is_past = act.is_past(act.undo(&all, &context));
            act.says(&DisplayNames::default(), is_past, at(50), zone)
        };
        all.iter().map(of_act).collect()
    };
    // 02:00 is 07:30 there. The newest is first: the pause in force, the mute, and the pause that was made longer.
    let in_force = BTreeMap::from([(chat, at(120))]);
    assert_eq!(
        says(&in_force),
        [
            "Paused until 11:30.",
            "The chat is muted until 09:30.",
            "You asked me to be quiet until 09:30.",
        ]
    );
    // Its hour came while the clock was ahead: it is muted no more, though the hour is to come again.
    assert_eq!(says(&BTreeMap::new())[1], "The chat was muted until 09:30.");
}

#[tokio::test]
async fn an_agent_that_hung_is_asked_once_more_to_take_an_act_back() {
    for (hangs, status) in [(1, 200), (2, 502)] {
        let server = server("acts").await;
        server.double.hangs.store(hangs, Ordering::Relaxed);
        let answer = server.post("/v1/acts/tr_putoff000001/undo", "").await;
        assert_eq!(answer.status, status, "{hangs}: {}", answer.body);
        let asked = server.double.log.borrow().join("\n");
        assert_eq!(asked.matches("end UndoPutOff").count(), 2, "{hangs}: {asked}");
    }
}

#[test]
fn a_rule_that_is_removed_is_named_by_what_it_said() {
    let at = |minute: i64| ts("2026-11-03T02:00:00Z").plus_min(minute);
    let person = PersonHash::parse("pe_0000000000000001").unwrap();
    let mute = OwnerRule::muting(&person, at(60), &[]).unwrap();
    let nap = OwnerRule {
        kinds: vec![ActionKind::Nap15],
        ..OwnerRule::named(RuleName::parse("nap-15-1").unwrap())
    };
    let given = |minute, rule: &OwnerRule| GivenInstruction {
        at_wall: at(minute),
        what: OwnerInstruction::Rule { rule: rule.clone() },
    };
    let gone = |minute: i64, id: &str, name: &str| {
        let text = at(minute).to_string();
        call(id, &text, "orchestrator.remove_rule", &json!({ "name": name }))
    };
    let untraced = UntracedActs {
        instructed: vec![given(0, &mute), given(1, &nap)],
        ..UntracedActs::default()
    };
    let traces = [
        gone(2, "tr_removed00001", "mute-1"),
        gone(3, "tr_removed00002", "nap-15-1"),
        gone(4, "tr_removed00003", "older-1"),
    ];
    let names: DisplayNames = [(person.as_str().to_owned(), "Asha".to_owned())]
        .into_iter()
        .collect();
    let all = acts(&traces, &untraced);
    let says = |act: &DoneAct| act.says(&names, false, at(5), chrono_tz::Tz::Asia__Kolkata);
    let said: Vec<String> = all.iter().map(says).collect();
    assert_eq!(
        said,
        [
            "You removed a rule.",
            "You removed a rule. Not: A 15-minute nap.",
            "Asha is no longer muted.",
            "You added a rule. Not: A 15-minute nap.",
            "Asha is muted until 08:30.",
        ]
    );
}

#[test]
fn a_rule_that_was_removed_and_added_again_is_taken_back_by_its_last_act_alone() {
    let at = |minute: i64| ts("2026-11-03T02:00:00Z").plus_min(minute);
    let nap = OwnerRule {
        kinds: vec![ActionKind::Nap15],
        ..OwnerRule::named(RuleName::parse("nap-15-1").unwrap())
    };
    let given = |minute| GivenInstruction {
        at_wall: at(minute),
        what: OwnerInstruction::Rule { rule: nap.clone() },
    };
    let removed = call(
        "tr_removed00001",
        &at(2).to_string(),
        "orchestrator.remove_rule",
        &json!({ "name": "nap-15-1" }),
    );
    let untraced = UntracedActs {
        instructed: vec![given(0), given(4)],
        ..UntracedActs::default()
    };
    let all = acts(&[removed], &untraced);
    let rules = [nap];
    let context = ActContext {
        rules: &rules,
        ..ActContext::of_messages(at(5), chrono_tz::Tz::Asia__Kolkata)
    };
    let undo: Vec<UndoState> = all.iter().map(|act| act.undo(&all, &context)).collect();
    // The newest is first.
    assert_eq!(
        undo,
        [
            UndoState::Offered,
            UndoState::Undone(at(4)),
            UndoState::Undone(at(2))
        ]
    );
}

#[test]
fn a_rule_that_was_removed_is_added_again_as_long_as_it_is_known_what_it_said() {
    let at = |minute: i64| ts("2026-11-03T02:00:00Z").plus_min(minute);
    let older = OwnerRule {
        kinds: vec![ActionKind::Nap15],
        until: Some(at(60)),
        ..OwnerRule::named(RuleName::parse("nap-15-1").unwrap())
    };
    let removed = call(
        "tr_removed00001",
        &at(2).to_string(),
        "orchestrator.remove_rule",
        &json!({ "name": "nap-15-1" }),
    );
    let step = |known: &[OwnerRule], in_force: &[OwnerRule], minute: i64| {
        let untraced = UntracedActs {
            removed: known.to_vec(),
            ..UntracedActs::default()
        };
        let all = acts(std::slice::from_ref(&removed), &untraced);
        let context = ActContext {
            rules: in_force,
            ..ActContext::of_messages(at(minute), chrono_tz::Tz::Asia__Kolkata)
        };
        undo_step(&all[0], &all, &context)
    };
    let known = std::slice::from_ref(&older);
    assert_eq!(step(known, &[], 5), Ok(UndoStep::AddRule(older.clone())));
    assert_eq!(step(&[], &[], 5), Err(OwnerCallError::NothingToUndo));
    // Another of that name is in force; its own hour is over.
    assert_eq!(step(known, known, 5), Err(OwnerCallError::UndoTooLate));
    assert_eq!(step(known, &[], 60), Err(OwnerCallError::UndoTooLate));
}

/// Declined, discarded, and declined again: what lies there is the newest, and that alone can be discarded.
#[test]
fn only_the_newest_of_two_drafts_can_be_discarded() {
    let at = |minute: i64| ts("2026-11-03T17:00:00Z").plus_min(minute);
    let act =
        |id: &str, minute: i64, tool: &str, result: Value| call(id, &at(minute).to_string(), tool, &result);
    let drafts = |tool: &str, drafted: Value, discard: &str, discarded: Value| {
        vec![
            act("tr_drafted00001", 0, tool, drafted.clone()),
            act("tr_discard00001", 5, discard, discarded.clone()),
            act("tr_drafted00002", 10, tool, drafted),
            act("tr_discard00002", 15, discard, discarded),
        ]
    };
    let (event, offered) = ("ev_00112233445566aa", UndoState::Offered);
    for (thing, all) in [
        (
            MAIL,
            drafts(
                "comms.draft_reply",
                json!({"item_id": MAIL, "tone": "casual", "chars": 40}),
                "comms.take_back",
                json!({"item_id": MAIL, "what": "draft"}),
            ),
        ),
        (
            event,
            drafts(
                "calendar.auto_decline",
                json!({"event_id": event, "bytes": 40}),
                "calendar.discard_decline",
                json!({"event_id": event}),
            ),
        ),
    ] {
        let states = |until: usize, is_there: bool| -> Vec<UndoState> {
            let known = acts(&all[..until], &UntracedActs::default());
            let thing = || BTreeSet::from([ThingId::parse(thing).unwrap()]);
            let outbox = OutboxDrafts {
                there: if is_there { thing() } else { BTreeSet::new() },
                discarded: if is_there { BTreeSet::new() } else { thing() },
            };
            let context = ActContext {
                outbox: &outbox,
                ..ActContext::of_messages(at(20), chrono_tz::UTC)
            };
            known.iter().map(|act| act.undo(&known, &context)).collect()
        };
        // The newest is first.
        assert_eq!(
            states(3, true),
            [offered, UndoState::Over, UndoState::Undone(at(5))]
        );
        let undone = UndoState::Undone;
        assert_eq!(
            states(4, false),
            [offered, undone(at(15)), UndoState::Over, undone(at(5))]
        );
        // Brought back, it is the newest draft that lies there.
        assert_eq!(
            states(4, true),
            [undone(at(15)), offered, UndoState::Over, undone(at(5))]
        );
    }
}

#[test]
fn a_discarded_draft_comes_back_within_its_hour_and_can_be_discarded_again() {
    let drafted = call(
        "tr_drafted00001",
        "2026-11-03T17:00:00Z",
        "comms.draft_reply",
        &json!({"item_id": MAIL, "tone": "casual", "chars": 40}),
    );
    let discarded = call(
        "tr_discard00001",
        "2026-11-03T17:05:00Z",
        "comms.take_back",
        &json!({"item_id": MAIL, "what": "draft"}),
    );
    let all = acts(&[drafted, discarded], &UntracedActs::default());
    let states = |is_there: bool, can_come_back: bool, at: &str| -> Vec<UndoState> {
        let mail = || BTreeSet::from([ThingId::parse(MAIL).unwrap()]);
        let outbox = OutboxDrafts {
            there: if is_there { mail() } else { BTreeSet::new() },
            discarded: if can_come_back { mail() } else { BTreeSet::new() },
        };
        let context = ActContext {
            outbox: &outbox,
            ..ActContext::of_messages(ts(at), chrono_tz::UTC)
        };
        all.iter().map(|act| act.undo(&all, &context)).collect()
    };
    let discarded_at = ts("2026-11-03T17:05:00Z");
    // The newest is first.
    assert_eq!(
        states(false, true, "2026-11-03T17:10:00Z"),
        [UndoState::Offered, UndoState::Undone(discarded_at)]
    );
    assert_eq!(
        states(true, false, "2026-11-03T17:10:00Z"),
        [UndoState::Undone(discarded_at), UndoState::Offered]
    );
    for (can_come_back, at) in [(false, "2026-11-03T17:10:00Z"), (true, "2026-11-03T18:06:00Z")] {
        assert_eq!(
            states(false, can_come_back, at),
            [UndoState::Over, UndoState::Undone(discarded_at)]
        );
    }
}
