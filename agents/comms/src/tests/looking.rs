//! Tools that only look: classes, snoozes, triage, names.

use super::*;
use crate::testing::ask;
use agents_base::host::AgentHost;
use toolcall_schema::ToolName;

fn item(id: &str) -> ItemId {
    setup().key.item(id)
}

/// Four messages before noon; one of them is 20 hours old: of yesterday in Kolkata.
fn read() -> CommsAgent {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![
        // 2 of 4 words, mentioned: 0.55 + 0.25 * 2 + 0.2, at most 1.
        note(
            "urgent",
            at.plus_min(-60),
            "Home",
            "Bo\u{7}",
            "@rohan call asap please",
        ),
        // 1 of 3 words: 0.55 + 0.25.
        note("ask", at.plus_min(-30), "Lab", "Asha", "can you call?"),
        note("talk", at.plus_min(-10), "Lab", "Asha", "so good"),
        note("old", at.plus_min(-20 * 60), "Lab", "Asha", "so good"),
    ]);
    ingest(&mut agent, at);
    agent
}

#[test]
fn classify_says_what_the_rules_said() {
    let mut host = AgentHost::new(Box::new(read()));
    let mut classified = |id: &str| {
        let args = json!({"item_id": item(id)});
        ask(&mut host, ToolName::Classify, &args, t(NOON))
    };
    for (id, intent, class, urgency, self_relevance) in [
        ("urgent", "actionable", "needs_you", json!(1), 0.95),
        ("ask", "actionable", "needs_you", json!(0.8), 0.7),
        ("talk", "social", "talk", json!(0.2), 0.2),
    ] {
        let expected = json!({"item_id": item(id), "intent": intent, "class": class, "urgency": urgency, "self_relevance": self_relevance});
        assert_eq!(classified(id), Ok(expected), "{id}");
    }
    assert_eq!(classified("never read"), Err(ToolErrorCode::NotFound));
}

#[test]
fn triage_counts_a_scope_and_leaves_out_what_is_snoozed() {
    let mut host = AgentHost::new(Box::new(read()));
    let triage = |host: &mut AgentHost, scope: &str, at: &str| {
        ask(host, ToolName::TriageInbox, &json!({"scope": scope}), t(at)).unwrap()
    };
    let urgent = json!({
        "item_id": item("urgent"), "urgency": 1, "reason": "self_mention",
        "at": "2026-11-03T11:00:00.000Z", "channel_hash": channel("Home"), "class": "needs_you"
    });
    let asks = json!({
        "item_id": item("ask"), "urgency": 0.8, "reason": "actionable",
        "at": "2026-11-03T11:30:00.000Z", "channel_hash": channel("Lab"), "class": "needs_you"
    });
    assert_eq!(
        triage(&mut host, "unread_24h", NOON),
        json!({"scope": "unread_24h", "urgent": [urgent, asks], "urgent_count": 2, "muted_count": 2, "total": 4, "suggested": "SHOW_BRIEF"})
    );
    assert_eq!(
        triage(&mut host, "all_today", NOON),
        json!({"scope": "all_today", "urgent": [urgent, asks], "urgent_count": 2, "muted_count": 1, "total": 3, "suggested": "SHOW_BRIEF"})
    );
    let snooze = json!({"item_id": item("urgent"), "ttl_seconds": 3600});
    assert_eq!(
        ask(&mut host, ToolName::Snooze, &snooze, t(NOON)),
        Ok(json!({"item_id": item("urgent"), "until": "2026-11-03T13:00:00.000Z"}))
    );
    let left = triage(&mut host, "all_today", "2026-11-03T12:59:59.999Z");
    assert_eq!(
        (&left["urgent"], &left["urgent_count"], &left["muted_count"]),
        (&json!([asks]), &json!(1), &json!(2))
    );
    let back = triage(&mut host, "all_today", "2026-11-03T13:00:00Z");
    assert_eq!(back["urgent"], json!([urgent, asks]));
    let unknown = json!({"item_id": item("never read"), "ttl_seconds": 3600});
    assert_eq!(
        ask(&mut host, ToolName::Snooze, &unknown, t(NOON)),
        Err(ToolErrorCode::NotFound)
    );
    let mut empty = AgentHost::new(Box::new(comms()));
    let nothing = ask(
        &mut empty,
        ToolName::TriageInbox,
        &json!({"scope": "all_today"}),
        t(NOON),
    );
    assert_eq!(nothing, Err(ToolErrorCode::NotEnoughData));
}

/// What a brief counts is what the list of those who wait shows at the same time.
#[test]
fn a_tick_counts_those_who_wait_as_triage_does() {
    let mut agent = read();
    let counted = |agent: &CommsAgent, at: &str| {
        let found = agent.tick(&question(t(at)), t(at)).readings;
        let reading = found.iter().find(|one| one.key == ReadingKey::Actionable);
        reading.unwrap().value
    };
    let snooze = toolcall_schema::catalogue::comms::SnoozeArgs {
        item_id: item("urgent"),
        ttl_seconds: 3600,
    };
    let (noon, one) = (NOON, "2026-11-03T13:00:00Z");
    assert!((counted(&agent, noon) - 2.0).abs() < f64::EPSILON);
    agent
        .act(&Tool::Comms(CommsTool::Snooze(snooze)), t(noon))
        .unwrap();
    // Put off for an hour it waits for nobody; then it is back.
    let waits = [counted(&agent, noon), counted(&agent, one)];
    let mut host = AgentHost::new(Box::new(agent));
    for (at, counted) in [noon, one].into_iter().zip(waits) {
        let triage = ask(
            &mut host,
            ToolName::TriageInbox,
            &json!({"scope": "unread_24h"}),
            t(at),
        )
        .unwrap();
        assert_eq!(triage["urgent_count"].as_f64(), Some(counted), "{at}");
    }
    assert!(
        (waits[0] - 1.0).abs() < f64::EPSILON && (waits[1] - 2.0).abs() < f64::EPSILON,
        "{waits:?}"
    );
}

#[test]
fn a_snoozed_message_is_neither_drafted_nor_named_and_stays_so_after_a_restart() {
    let mut agent = read();
    let at = t(NOON);
    let snooze = toolcall_schema::catalogue::comms::SnoozeArgs {
        item_id: item("urgent"),
        ttl_seconds: 3600,
    };
    agent.act(&Tool::Comms(CommsTool::Snooze(snooze)), at).unwrap();
    let state = ingest(&mut agent, at).agent_state;
    let mut again = comms();
    again.restore(&state).unwrap();
    let drafts = |agent: &CommsAgent, at: Timestamp| {
        let kinds = agent.tick(&question(at), at).candidates.into_iter();
        kinds.filter(|c| c.kind == ActionKind::DraftReply).count()
    };
    for agent in [&agent, &again] {
        assert_eq!((drafts(agent, at), drafts(agent, at.plus_min(60))), (0, 1));
    }
    let since = BatchSummarize {
        channel_hash: None,
        since: at.plus_min(-120),
    };
    let (digest, _) = agent
        .act(&Tool::Comms(CommsTool::BatchSummarize(since)), at)
        .unwrap();
    assert_eq!(
        digest["actionable"],
        json!([{"item_id": item("ask"), "urgency": 0.8}])
    );
    assert_eq!(digest["actionable_count"], json!(2));
}

#[test]
fn what_is_put_off_comes_back_for_a_day_however_old_it_is_by_then() {
    // Sent at 11:00, put off at midnight until 09:00: by then it is 22 hours old, and at 11:30 more than a day.
    let mut agent = read();
    let midnight = t("2026-11-04T00:00:00Z");
    let snooze = toolcall_schema::catalogue::comms::SnoozeArgs {
        item_id: item("urgent"),
        ttl_seconds: 9 * 3600,
    };
    agent
        .act(&Tool::Comms(CommsTool::Snooze(snooze)), midnight)
        .unwrap();
    let listed = |agent: &mut CommsAgent, at: &str| {
        let state = ingest(agent, t(at)).agent_state;
        let mut again = comms();
        again.restore(&state).unwrap();
        let mut host = AgentHost::new(Box::new(again));
        let triage = ask(
            &mut host,
            ToolName::TriageInbox,
            &json!({"scope": "unread_24h"}),
            t(at),
        );
        triage.is_ok_and(|found| {
            let urgent = found["urgent"].as_array().unwrap();
            urgent.iter().any(|one| one["item_id"] == json!(item("urgent")))
        })
    };
    for (at, is_listed) in [
        ("2026-11-04T08:59:59Z", false),
        ("2026-11-04T09:00:00Z", true),
        ("2026-11-04T11:30:00Z", true),
        ("2026-11-05T08:59:00Z", true),
        ("2026-11-05T09:00:00Z", false),
    ] {
        assert_eq!(listed(&mut agent, at), is_listed, "{at}");
    }
}

#[test]
fn what_is_put_off_for_a_whole_day_is_let_go_and_comes_back_only_when_that_is_taken_back() {
    let mut agent = read();
    let at = t(NOON);
    let snooze = |ttl_seconds| toolcall_schema::catalogue::comms::SnoozeArgs {
        item_id: item("urgent"),
        ttl_seconds,
    };
    agent
        .act(&Tool::Comms(CommsTool::Snooze(snooze(24 * 60 * 60))), at)
        .unwrap();
    let state = ingest(&mut agent, at).agent_state;
    let mut again = comms();
    again.restore(&state).unwrap();
    let named = |agent: &mut CommsAgent, at: Timestamp| {
        let scope = toolcall_schema::catalogue::comms::TriageScope::Unread24h;
        let triage = toolcall_schema::catalogue::comms::TriageInbox { scope, longest: None };
        let (found, _) = agent
            .act(&Tool::Comms(CommsTool::TriageInbox(triage)), at)
            .unwrap();
        let urgent = found["urgent"].as_array().unwrap().clone();
        urgent.iter().any(|one| one["item_id"] == json!(item("urgent")))
    };
    let drafts = |agent: &CommsAgent| {
        let kinds = agent.tick(&question(at), at).candidates.into_iter();
        kinds.filter(|c| c.kind == ActionKind::DraftReply).count()
    };
    for minutes in [0, 60, 22 * 60] {
        assert!(!named(&mut again, at.plus_min(minutes)), "{minutes}");
    }
    assert_eq!(drafts(&again), 0);
    let back = toolcall_schema::catalogue::comms::TakeBack {
        item_id: item("urgent"),
        what: toolcall_schema::catalogue::comms::TakenBackAct::PutOff,
    };
    again.act(&Tool::Comms(CommsTool::TakeBack(back)), at).unwrap();
    assert!(named(&mut again, at));
    assert_eq!(drafts(&again), 1);
    // A second less comes back.
    again
        .act(&Tool::Comms(CommsTool::Snooze(snooze(24 * 60 * 60 - 1))), at)
        .unwrap();
    assert!(!named(&mut again, at.plus_min(60)));
    ingest(&mut again, at.plus_min(24 * 60));
    assert!(named(&mut again, at.plus_min(24 * 60)));
}

/// Where its card was dismissed before, that was said already: it teaches nothing more, and stays when the act is taken back.
#[test]
fn that_a_message_was_not_for_the_owner_is_unlearned_with_the_act_that_said_so() {
    for is_dismissed_before in [false, true] {
        let mut agent = read();
        let at = t(NOON);
        let shift = |agent: &CommsAgent| {
            let message = agent.window().get(&item("urgent")).unwrap();
            agent
                .history
                .shift(&super::super::learning::keys_of(message, agent.setup.owner.zone))
        };
        let lesson = |trace: &str| toolcall_schema::catalogue::learning::LearnFromAct {
            kind: ActionKind::DraftReply,
            subject: toolcall_schema::tick::Subject::from(&item("urgent")),
            act: toolcall_schema::catalogue::learning::TeachingAct::Dismissed,
            trace_id: toolcall_schema::ids::TraceId::parse(trace).unwrap(),
        };
        if is_dismissed_before {
            let dismissed = Tool::Comms(CommsTool::LearnFromAct(lesson("tr_000000000001")));
            agent.act(&dismissed, at.plus_min(-5)).unwrap();
        }
        let before = shift(&agent);
        let let_go = toolcall_schema::catalogue::comms::SnoozeArgs {
            item_id: item("urgent"),
            ttl_seconds: 24 * 60 * 60,
        };
        agent.act(&Tool::Comms(CommsTool::Snooze(let_go)), at).unwrap();
        let refused = Tool::Comms(CommsTool::LearnFromAct(lesson("tr_000000000002")));
        agent.act(&refused, at).unwrap();
        assert_eq!(shift(&agent) < before, !is_dismissed_before, "{before}");
        assert!(shift(&agent) < 0);
        let back = toolcall_schema::catalogue::comms::TakeBack {
            item_id: item("urgent"),
            what: toolcall_schema::catalogue::comms::TakenBackAct::PutOff,
        };
        for _ in 0..2 {
            let back = Tool::Comms(CommsTool::TakeBack(back.clone()));
            agent.act(&back, at.plus_min(1)).unwrap();
            assert_eq!(shift(&agent), before);
        }
    }
}

#[test]
fn a_message_that_was_let_go_is_forgotten_with_all_that_is_known_of_it() {
    use agents_base::contract::KeptState as _;
    let mut agent = read();
    let at = t(NOON);
    let snooze = toolcall_schema::catalogue::comms::SnoozeArgs {
        item_id: item("urgent"),
        ttl_seconds: 24 * 60 * 60,
    };
    agent.act(&Tool::Comms(CommsTool::Snooze(snooze)), at).unwrap();
    let mut state = super::super::CommsAgentState::from_json(&agent.state()).unwrap();
    let kept = |state: &super::super::CommsAgentState| {
        serde_json::to_string(state)
            .unwrap()
            .contains(item("urgent").as_str())
    };
    assert!(kept(&state));
    state.forget(&toolcall_schema::forget::ErasureScope::naming([item("urgent")
        .as_str()
        .to_owned()]));
    assert!(!kept(&state));
}

#[test]
fn thirty_messages_with_one_that_wants_something_suggest_a_digest() {
    let mut agent = comms();
    agent.accept(chat(t(NOON).plus_min(-60), 30, 60, "Hilltop"));
    ingest(&mut agent, t(NOON));
    let mut host = AgentHost::new(Box::new(agent));
    let answer = ask(
        &mut host,
        ToolName::TriageInbox,
        &json!({"scope": "unread_24h"}),
        t(NOON),
    )
    .unwrap();
    assert_eq!(
        (&answer["total"], &answer["suggested"]),
        (&json!(30), &json!("BATCH_DIGEST"))
    );
}

#[test]
fn everybody_who_waits_is_reached_who_waits_longest_first() {
    let mut agent = comms();
    // 600 ask something, one a second, and two of them at one time.
    let first = t(NOON).plus_min(-60);
    let asking = (0..600).map(|n| {
        let at = first.plus_ms(i64::from(n.max(1)) * 1000);
        note(
            &format!("n{n}"),
            at,
            "g0",
            "Mira",
            "Rohan, can you call me back today?",
        )
    });
    agent.accept(asking.collect());
    ingest(&mut agent, t(NOON));
    let mut host = AgentHost::new(Box::new(agent));
    let mut asked = |args: &serde_json::Value| {
        let found = ask(&mut host, ToolName::TriageInbox, args, t(NOON)).unwrap();
        let rows = found["urgent"].as_array().unwrap().clone();
        (rows, found["urgent_count"].clone())
    };
    let (most_urgent, all) = asked(&json!({"scope": "unread_24h"}));
    assert_eq!((most_urgent.len(), all), (32, json!(600)));
    let (mut rows, all) = asked(&json!({"scope": "unread_24h", "longest": {}}));
    assert_eq!((rows.len(), all), (512, json!(600)));
    let last = json!({"at": rows[511]["at"], "item_id": rows[511]["item_id"]});
    let (more, all) = asked(&json!({"scope": "unread_24h", "longest": {"after": last}}));
    assert_eq!((more.len(), all), (88, json!(600)));
    let end = json!({"at": more[87]["at"], "item_id": more[87]["item_id"]});
    rows.extend(more);
    let mut wanted: Vec<(i64, String)> = (0..600_u32)
        .map(|n| (i64::from(n.max(1)), item(&format!("n{n}")).as_str().to_owned()))
        .collect();
    wanted.sort();
    let found: Vec<&str> = rows.iter().map(|row| row["item_id"].as_str().unwrap()).collect();
    let wanted: Vec<&str> = wanted.iter().map(|(_, id)| &**id).collect();
    assert_eq!(found, wanted);
    let (none, all) = asked(&json!({"scope": "unread_24h", "longest": {"after": end}}));
    assert_eq!((none.len(), all), (0, json!(600)));
}

#[test]
fn names_are_told_while_they_are_in_memory() {
    let agent = read();
    let mut again = comms();
    again.restore(&agent.state()).unwrap();
    let (sender, lab, event) = (item("urgent"), channel("Lab"), "ev_00112233445566aa");
    let asked = json!({"ids": [event, sender, lab, sender]});
    let described = |agent: CommsAgent| {
        let mut host = AgentHost::new(Box::new(agent));
        ask(&mut host, ToolName::CommsDescribe, &asked, t(NOON)).unwrap()
    };
    assert_eq!(
        described(agent),
        json!({"labels": [{"id": sender, "label": "Bo"}, {"id": lab, "label": "Lab"}], "unknown": [event]})
    );
    assert_eq!(
        described(again),
        json!({"labels": [], "unknown": [sender, lab, event]})
    );
}
