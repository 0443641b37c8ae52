//! What the owner did is said with its thing and its end, and taken back by one way.

use crate::{
    acts_double::{act_traces, call, dismissed_traces},
    client::server,
    morning::{brief_trace, silent_trace, ts},
};
use serde_json::{Value, json};
use std::sync::Arc;
use surfaces::render::acts::{ActContext, DoneAct, UndoState, acts};
use surfaces_base::backend::{
    DisplayNames, UntracedActs,
    deliveries::{DeliveryProgress, DeliveryView},
    drafts::OutboxDrafts,
};
use toolcall_schema::{
    Outcome, ReasonCode,
    accounts::LookFailure,
    ids::TraceId,
    trace::{NextPossible, Trace},
};

const CHAT: &str = "ch_00000000000000c3";
pub(crate) const MAIL: &str = "it_00000000000000b2";

pub(crate) fn names() -> DisplayNames {
    [(CHAT, "Garden committee"), (MAIL, "Asha")]
        .into_iter()
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .collect()
}

/// What each says at that time, and whether it can be taken back.
pub(crate) fn said(traces: &[Trace], at: &str, muted_until: Option<&str>) -> Vec<(String, UndoState)> {
    let mutes = muted_until
        .map(|until| (toolcall_schema::ids::ChannelHash::parse(CHAT).unwrap(), ts(until)))
        .into_iter()
        .collect();
    let (now, zone) = (ts(at), chrono_tz::Tz::Asia__Kolkata);
    let context = ActContext {
        mutes: &mutes,
        rules: &[],
        waiting: &[],
        paused: None,
        outbox: &OutboxDrafts::default(),
        now,
        zone,
    };
    let all: Vec<DoneAct> = acts(traces, &UntracedActs::default());
    all.iter()
        .map(|act| {
            let undo = act.undo(&all, &context);
            let is_undone = matches!(undo, UndoState::Undone(_));
            (act.says(&names(), is_undone, now, zone), undo)
        })
        .collect()
}

#[test]
fn each_act_names_its_thing_and_its_end() {
    let until = "2026-11-03T17:31:50Z";
    let draft = "A reply to Asha is drafted. It lies in your outbox; nothing was sent.";
    assert_eq!(
        said(&act_traces(), "2026-11-03T17:11:50Z", Some(until)),
        [
            (
                "Asha is put off until Wed 4 Nov, 06:00.".to_owned(),
                UndoState::Offered
            ),
            (
                "Garden committee is muted until 23:01.".to_owned(),
                UndoState::Offered
            ),
            (draft.to_owned(), UndoState::Offered),
        ]
    );
    // The mute ended by itself.
    let later = said(&act_traces(), "2026-11-03T18:00:00Z", None);
    assert_eq!(
        later[1],
        (
            "Garden committee was muted until 23:01.".to_owned(),
            UndoState::Over
        )
    );
    // After a week nothing of it is offered.
    let over = said(&act_traces(), "2026-11-10T17:00:00Z", None);
    assert!(over.iter().all(|(_, undo)| *undo == UndoState::Over), "{over:?}");
}

#[test]
fn what_was_taken_back_is_said_so_and_not_offered_again() {
    let back = |id: &str, tool: &str, result: Value| call(id, "2026-11-03T17:10:00Z", tool, &result);
    let mut traces = act_traces();
    traces.extend([
        back(
            "tr_back00000001",
            "comms.take_back",
            json!({"item_id": MAIL, "what": "put_off"}),
        ),
        back(
            "tr_back00000002",
            "comms.take_back",
            json!({"item_id": MAIL, "what": "draft"}),
        ),
        back(
            "tr_back00000003",
            "comms.unmute_channel",
            json!({"channel_hash": CHAT}),
        ),
    ]);
    let undone = UndoState::Undone(ts("2026-11-03T17:10:00Z"));
    let all = said(&traces, "2026-11-03T17:11:50Z", None);
    let states: Vec<UndoState> = all.iter().map(|(_, undo)| *undo).collect();
    // No file of the discarded draft is left that could come back.
    let (nothing, over) = (UndoState::Nothing, UndoState::Over);
    assert_eq!(states, [nothing, over, nothing, undone, undone, undone]);
    assert_eq!(all[0].0, "Garden committee is no longer muted.");
    assert_eq!(all[1].0, "The reply to Asha is discarded.");
    assert_eq!(all[2].0, "Asha waits for your answer again.");
    // What was taken back is over, although its hour has not come.
    assert_eq!(all[3].0, "Asha was put off until Wed 4 Nov, 06:00.");
    assert_eq!(all[4].0, "Garden committee was muted until 23:01.");
}

#[test]
fn one_person_and_usual_spending_are_acts_and_undone_once() {
    let (one, two) = ("pe_0000000000000001", "pe_0000000000000002");
    let same = |id: &str, minute: u32, pair: (&str, &str), same: bool| {
        let result = json!({"person": pair.0, "other": pair.1, "same": same});
        let at = format!("2026-11-03T17:{minute:02}:00Z");
        call(id, &at, "comms.same_person", &result)
    };
    let usual = |id: &str, minute: u32, allowed: bool| {
        let upto = if allowed { "450.00" } else { "0.00" };
        let result = json!({
            "category": "groceries", "day": "2026-11-03", "allowed": allowed, "upto": upto, "currency": "INR",
        });
        let at = format!("2026-11-03T17:{minute:02}:00Z");
        call(id, &at, "finance.allow_spending", &result)
    };
    let now = "2026-11-03T17:11:50Z";
    let offered = UndoState::Offered;
    let first = [
        same("tr_same00000001", 5, (one, two), true),
        usual("tr_usual0000001", 4, true),
    ];
    let told = said(&first, now, None);
    assert_eq!(told[0].1, offered);
    assert_eq!(
        told[1],
        (
            "From now on I take up to ₹450.00 a day for groceries as usual.".to_owned(),
            offered
        )
    );
    // Taken back from the other side.
    let ended = [
        same("tr_same00000002", 7, (two, one), false),
        usual("tr_usual0000002", 6, false),
    ];
    let all: Vec<_> = first.into_iter().chain(ended).collect();
    let states: Vec<UndoState> = said(&all, now, None).into_iter().map(|(_, undo)| undo).collect();
    let undone = |minute: u32| UndoState::Undone(ts(&format!("2026-11-03T17:{minute:02}:00Z")));
    assert_eq!(
        states,
        [UndoState::Nothing, UndoState::Nothing, undone(7), undone(6)]
    );
}

#[test]
fn where_a_shop_counts_is_an_act_that_is_undone_once() {
    let sorted = |id: &str, minute: u32, category: &str, by_owner: bool| {
        let result = json!({"merchant_hash": "mh_00112233445566aa", "category": category, "by_owner": by_owner, "changed": 2});
        call(
            id,
            &format!("2026-11-03T17:{minute:02}:00Z"),
            "finance.sort_shop",
            &result,
        )
    };
    let now = "2026-11-03T17:11:50Z";
    let first = vec![sorted("tr_shop00000001", 4, "shopping", true)];
    let is = "Payments to this shop count as shopping.".to_owned();
    assert_eq!(said(&first, now, None), [(is, UndoState::Offered)]);
    // Said again: only the last can be taken back.
    let second = [vec![sorted("tr_shop00000002", 5, "rent", true)], first].concat();
    let states = |traces: &[Trace]| -> Vec<UndoState> {
        said(traces, now, None)
            .into_iter()
            .map(|(_, undo)| undo)
            .collect()
    };
    assert_eq!(states(&second), [UndoState::Offered, UndoState::Over]);
    let third = [vec![sorted("tr_shop00000003", 6, "groceries", false)], second].concat();
    let undone = UndoState::Undone(ts("2026-11-03T17:06:00Z"));
    assert_eq!(states(&third), [UndoState::Nothing, undone, undone]);
    let says: Vec<String> = said(&third, now, None)
        .into_iter()
        .map(|(says, _)| says)
        .collect();
    assert_eq!(
        says,
        [
            "Payments to this shop count as groceries again.",
            "Payments to this shop counted as rent.",
            "Payments to this shop counted as shopping.",
        ]
    );
}

#[test]
fn what_was_sorted_at_once_is_said_with_its_number_and_kinds() {
    let id = |n: u32| format!("tx_{n:016x}");
    let categories: Vec<Value> = [
        "groceries",
        "transport",
        "groceries",
        "rent",
        "transport",
        "groceries",
    ]
    .iter()
    .zip(1..)
    .map(|(category, n)| json!({"txn_id": id(n), "category": category}))
    .collect();
    let mut trace = call(
        "tr_sort00000001",
        "2026-11-03T17:04:00Z",
        "finance.categorize",
        &json!({ "categories": categories }),
    );
    trace.outcome = Outcome::ExecutedAuto;
    let line = surfaces::render::history_line(&trace, &DisplayNames::default());
    assert_eq!(
        line.what,
        "6 payments sorted: 3 groceries, 2 getting around, 1 of other kinds"
    );
}

#[test]
fn time_kept_free_is_an_act_until_it_is_over_and_undone_once() {
    let held = |id: &str, minute: u32, held: bool| {
        let result = json!({"start": "2026-11-03T18:30:00Z", "duration_min": 60, "held": held});
        let at = format!("2026-11-03T17:{minute:02}:00Z");
        call(id, &at, "calendar.hold_time", &result)
    };
    let first = vec![held("tr_hold00000001", 5, true)];
    let says = "An event that keeps Wed 4 Nov, 00:00 to 01:00 free lies in your outbox, for your calendar."
        .to_owned();
    assert_eq!(
        said(&first, "2026-11-03T17:11:50Z", None),
        [(says.clone(), UndoState::Offered)]
    );
    assert_eq!(said(&first, "2026-11-03T19:30:00Z", None)[0].1, UndoState::Over);
    let both = [first, vec![held("tr_hold00000002", 6, false)]].concat();
    let undone = UndoState::Undone(ts("2026-11-03T17:06:00Z"));
    let gone = "Wed 4 Nov, 00:00 to 01:00 is no longer kept free.".to_owned();
    assert_eq!(
        said(&both, "2026-11-03T17:11:50Z", None),
        [(gone, UndoState::Nothing), (says, undone)]
    );
}

#[tokio::test]
async fn where_an_act_stands_on_its_server_is_said_beside_it() {
    let server = server("acts").await;
    server.double.deliveries.lock().unwrap().push(DeliveryView {
        trace_id: TraceId::parse("tr_draft0000001").unwrap(),
        server: Some("dav.example.org".to_owned()),
        progress: DeliveryProgress::Waits(Some(LookFailure::Unreachable)),
    });
    let page = server.get("/history").await.body;
    let says = "It waits to be written to dav.example.org. The server cannot be reached.";
    assert!(page.contains(says), "{page}");
}

#[test]
fn a_rule_that_lets_through_is_an_act_and_undone_once() {
    let set = |id: &str, minute: u32, always: bool| {
        let result = json!({"about": CHAT, "always": always});
        call(
            id,
            &format!("2026-11-03T17:{minute:02}:00Z"),
            "comms.let_through",
            &result,
        )
    };
    let at = "2026-11-03T17:11:50Z";
    let stands = "From now on I let Garden committee through.".to_owned();
    let first = set("tr_let000000001", 5, true);
    assert_eq!(
        said(std::slice::from_ref(&first), at, None),
        [(stands.clone(), UndoState::Offered)]
    );
    let ended = set("tr_let000000002", 7, false);
    let again = set("tr_let000000003", 9, true);
    assert_eq!(
        said(&[first, ended, again], at, None),
        [
            (stands, UndoState::Offered),
            (
                "I no longer always let Garden committee through.".to_owned(),
                UndoState::Nothing
            ),
            (
                "I let Garden committee through.".to_owned(),
                UndoState::Undone(ts("2026-11-03T17:07:00Z"))
            ),
        ]
    );
}

/// What is said of a card that was put off until 18:00 in Kolkata; `due`: when it comes back, while it waits.
fn put_off(undo: Option<Trace>, at: &str, due: Option<&str>) -> Vec<(String, UndoState)> {
    let mut trace = dismissed_traces().remove(0);
    let hour = NextPossible {
        at: ts("2026-11-04T12:30:00Z"),
        when: ReasonCode::Later,
    };
    (trace.reason_code, trace.next_possible_at) = (Some(ReasonCode::Later), Some(hour));
    let due = due.map(|due| (trace.trace_id.clone(), ts(due)));
    let (now, zone) = (ts(at), chrono_tz::Tz::Asia__Kolkata);
    let mutes = std::collections::BTreeMap::new();
    let waiting: Vec<_> = due.into_iter().collect();
    let context = ActContext {
        mutes: &mutes,
        rules: &[],
        waiting: &waiting,
        paused: None,
        outbox: &OutboxDrafts::default(),
        now,
        zone,
    };
    let traces: Vec<Trace> = undo.into_iter().chain([trace]).collect();
    let all = acts(&traces, &UntracedActs::default());
    all.iter()
        .map(|act| {
            let undo = act.undo(&all, &context);
            let is_undone = matches!(undo, UndoState::Undone(_));
            (act.says(&names(), is_undone, now, zone), undo)
        })
        .collect()
}

#[test]
fn a_card_that_was_put_off_is_taken_back_while_it_waits_once() {
    let (at, hour) = ("2026-11-03T17:11:50Z", "2026-11-04T12:30:00Z");
    let says = "Put off: muting Garden committee. Asked again tomorrow at 18:00.".to_owned();
    assert_eq!(
        put_off(None, at, Some(hour)),
        [(says.clone(), UndoState::Offered)]
    );
    // Its hour has come, or the machine knows nothing of it any more.
    for (at, due) in [("2026-11-04T12:30:00Z", Some(hour)), (at, None)] {
        assert_eq!(put_off(None, at, due)[0].1, UndoState::Over, "{at}");
    }
    let undo = |of: &str| {
        let at = "2026-11-03T17:10:00Z";
        call(
            "tr_undo00000001",
            at,
            "orchestrator.undo_later",
            &json!({"trace_id": of}),
        )
    };
    let taken = put_off(Some(undo("tr_mute00000001")), at, None);
    assert_eq!(
        taken,
        [
            (
                "Asked again: Mute a chat for 30 minutes · Garden committee.".to_owned(),
                UndoState::Nothing
            ),
            (
                "Put off, and taken back: Mute a chat for 30 minutes · Garden committee.".to_owned(),
                UndoState::Undone(ts("2026-11-03T17:10:00Z"))
            ),
        ]
    );
    // Of another card, which is not known any more.
    let other = put_off(Some(undo("tr_forgotten001")), at, Some(hour));
    assert_eq!(
        other,
        [
            (
                "You took back that a card was put off.".to_owned(),
                UndoState::Nothing
            ),
            (says, UndoState::Offered),
        ]
    );
}

#[tokio::test]
async fn the_watch_offers_undo_of_what_was_done_last_and_says_whose_it_was() {
    let server = server("acts").await;
    let face = server.get("/fragment/watch").await.body;
    for says in [
        "<p class=\"about\"><bdi>the lab's mail</bdi></p><p class=\"line\">Put off until Wed 4 Nov, 06:00</p>",
        "data-undo-act=\"tr_putoff000001\"",
        ">Undo</button>",
    ] {
        assert!(face.contains(says), "{says}: {face}");
    }
    assert_eq!(face.matches("data-undo-act").count(), 1, "{face}");
    assert!(!face.contains("Paused until"), "{face}");
    // A pause holds beside it.
    server.double.view.lock().unwrap().paused_until = Some(ts("2026-11-03T20:30:00Z"));
    let face = server.get("/fragment/watch").await.body;
    for says in [
        "data-undo-act=\"tr_putoff000001\"",
        "Paused until",
        r#"data-pause="off""#,
    ] {
        assert!(face.contains(says), "{says}: {face}");
    }
    // A quarter of an hour later it is for the page.
    server.double.view.lock().unwrap().at = ts("2026-11-03T17:30:00Z");
    let face = server.get("/fragment/watch").await.body;
    assert!(!face.contains("data-undo-act"), "{face}");
}

#[test]
fn what_was_not_the_owners_act_is_none() {
    assert_eq!(
        acts(&[silent_trace(), brief_trace()], &UntracedActs::default()),
        []
    );
    let mut lesson = call(
        "tr_lesson000001",
        "2026-11-03T17:00:00Z",
        "comms.snooze",
        &json!({}),
    );
    Arc::make_mut(&mut lesson.decision).call =
        serde_json::from_value(json!({"number": 2, "asker": "owner_card"})).unwrap();
    assert_eq!(acts(&[lesson], &UntracedActs::default()), []);
    // A result that does not read is said by what was asked for.
    let odd = call(
        "tr_odd000000001",
        "2026-11-03T17:00:00Z",
        "comms.snooze",
        &json!({"x": 1}),
    );
    assert_eq!(
        said(&[odd], "2026-11-03T17:11:50Z", None)[0].0,
        "You put a message off."
    );
}

#[test]
fn what_did_not_work_names_its_thing() {
    let failed = |tool: &str, args: Value| {
        let mut trace = call("tr_failed000001", "2026-11-03T17:00:00Z", tool, &json!(null));
        trace.outcome = Outcome::Failed;
        trace.tool_calls[0].args = Arc::new(args);
        said(&[trace], "2026-11-03T17:11:50Z", None).remove(0).0
    };
    for (tool, args, says) in [
        (
            "comms.unmute_channel",
            json!({"channel_hash": CHAT}),
            "You ended a chat's mute. It did not work: Garden committee.",
        ),
        (
            "comms.take_back",
            json!({"item_id": MAIL, "what": "put_off"}),
            "You took back what was done with a message. It did not work: Asha.",
        ),
        // Nobody can say what it is called, or it is about no thing.
        (
            "comms.unmute_channel",
            json!({"channel_hash": "ch_00000000000000ff"}),
            "You ended a chat's mute. It did not work.",
        ),
        (
            "orchestrator.end_pause",
            json!({}),
            "You ended the pause. It did not work.",
        ),
    ] {
        assert_eq!(failed(tool, args), says, "{tool}");
    }
}

#[tokio::test]
async fn what_was_just_done_is_told_with_its_undo() {
    let server = server("acts").await;
    let part = server.get("/fragment/acts/tr_mute00000001").await.body;
    assert!(
        part.starts_with("<p>Garden committee is muted until 23:01.</p><button")
            && part.contains(r#"data-undo-act="tr_mute00000001""#),
        "{part}"
    );
    for none in ["tr_forgotten001", "tr_silent000001", "no-id"] {
        let status = server.get(&format!("/fragment/acts/{none}")).await.status;
        assert!([400, 404].contains(&status), "{none}: {status}");
    }
}

#[tokio::test]
async fn what_was_done_about_others_is_not_told_on_somebodys_page() {
    let server = server("acts").await;
    let (muted, put_off) = (
        r#"data-undo-act="tr_mute00000001""#,
        r#"data-undo-act="tr_putoff000001""#,
    );
    let chat = server.get("/people/ch_00000000000000c3").await.body;
    // The page says itself that it is muted, with its one way back.
    let told = chat.matches("uted until").count();
    assert!(
        chat.contains(r#"data-unmute="ch_00000000000000c3""#) && !chat.contains(muted) && told == 1,
        "{told}: {chat}"
    );
    // A message is told of where its sender is, whether anybody is named or not.
    for nameless in [false, true] {
        if nameless {
            *server.double.labels.lock().unwrap() = surfaces_base::backend::DisplayNames::default();
        }
        for (id, is_told) in [
            ("pe_0000000000000001", true),
            ("pe_0000000000000002", false),
            ("ch_00000000000000c3", false),
        ] {
            let page = server.get(&format!("/people/{id}")).await.body;
            assert_eq!(page.contains(put_off), is_told, "{id}: {page}");
            assert!(!page.contains(muted), "{id}: {page}");
        }
    }
}

#[tokio::test]
async fn a_pause_is_taken_back_from_the_history_and_the_watch() {
    let server = server("quiet").await;
    let end = r#"data-pause="off""#;
    for path in ["/history", "/watch"] {
        let body = server.get(path).await.body;
        assert!(!body.contains(end), "{path}: {body}");
    }
    // 03:30 in UTC is 09:00 there.
    server.double.view.lock().unwrap().paused_until = Some(ts("2026-11-03T03:30:00Z"));
    for path in ["/history", "/watch"] {
        let body = server.get(path).await.body;
        assert!(
            body.contains(end) && body.contains("Paused until 09:00"),
            "{path}: {body}"
        );
    }
}

#[tokio::test]
async fn a_notification_says_what_was_done_without_a_name_and_with_the_way_back() {
    let server = server("acts").await;
    let plain = async |id: &str| server.get(&format!("/fragment/acts/{id}/plain")).await;
    let put_off = plain("tr_putoff000001").await;
    assert_eq!(put_off.status, 200);
    assert!(put_off.body.contains(r#""undo":"Undo""#), "{}", put_off.body);
    assert!(put_off.body.contains("Wed 4 Nov, 06:00"), "{}", put_off.body);
    assert!(!put_off.body.contains("lab"), "{}", put_off.body);
    let muted = plain("tr_mute00000001").await.body;
    assert!(
        muted.contains("23:01") && muted.contains(r#""undo":"Undo""#) && !muted.contains("Garden"),
        "{muted}"
    );
    for none in ["tr_brief0000001", "tr_forgotten001"] {
        assert_eq!(plain(none).await.status, 404, "{none}");
    }
}

#[tokio::test]
async fn the_page_and_the_card_offer_undo_beside_what_was_done() {
    let server = server("acts").await;
    let page = server.get("/history").await.body;
    for at in [
        r#"data-undo-act="tr_putoff000001" aria-label="Undo: the lab's mail is put off until Wed 4 Nov, 06:00.""#,
        r#"data-undo-act="tr_mute00000001" aria-label="Undo: Garden committee is muted until 23:01.""#,
        r#"data-undo-act="tr_draft0000001" aria-label="Discard draft: A reply to the lab's mail is drafted."#,
    ] {
        assert!(page.contains(at), "{at}: {page}");
    }
    // Beside the card stands what was done in the last quarter of an hour.
    for path in ["/", "/chats"] {
        let body = server.get(path).await.body;
        assert!(
            body.contains(r#"data-undo-act="tr_putoff000001""#),
            "{path}: {body}"
        );
        assert!(body.contains(r#"data-undo-act="tr_mute00000001""#), "{path}");
    }
    // A draft stands beside its message from the morning on.
    for (path, is_there) in [("/", false), ("/chats", true)] {
        let body = server.get(path).await.body;
        assert_eq!(body.contains("tr_draft0000001\" aria"), is_there, "{path}");
    }
    let outcome = server.get("/fragment/trace/tr_mute00000001/outcome").await.body;
    assert_eq!(outcome, "Garden committee is muted until 23:01.");
}

#[tokio::test]
async fn what_has_no_trace_stands_among_the_acts_in_the_order_of_time() {
    let server = server("acts").await;
    let page = server.get("/history").await.body;
    let places: Vec<usize> = [
        "data-undo-act=\"tr_putoff000001\"",
        "You had something forgotten: 14 entries.",
        "data-undo-act=\"tr_mute00000001\"",
        "data-undo-act=\"tr_draft0000001\"",
        "You edited the draft of a reply.",
        "All that is kept was copied to take along.",
    ]
    .iter()
    .map(|says| page.find(says).unwrap_or_else(|| panic!("{says}: {page}")))
    .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn an_act_is_taken_back_by_its_trace() {
    let server = server("acts").await;
    for (id, status, said) in [
        // The double has another chat muted.
        (
            "tr_mute00000001",
            200,
            r#""named":"It was undone already. Garden"#,
        ),
        (
            "tr_putoff000001",
            200,
            r#"{"trace_id":"tr_000000000001","says":"Undone."}"#,
        ),
        (
            "tr_draft0000001",
            200,
            r#"{"trace_id":"tr_000000000001","says":"Undone."}"#,
        ),
        ("tr_brief0000001", 404, "WEB-008"),
        ("tr_nowhere00001", 404, "WEB-008"),
        ("family", 404, "WEB-008"),
    ] {
        let answer = server.post(&format!("/v1/acts/{id}/undo"), "").await;
        assert_eq!(answer.status, status, "{id}: {}", answer.body);
        assert!(answer.body.contains(said), "{id}: {}", answer.body);
    }
    let asked = server.double.log.borrow().join("\n");
    assert!(
        asked.contains("end UndoPutOff(") && asked.contains("end DiscardReply("),
        "{asked}"
    );
    // Too late: the mute would have ended at 23:01.
    server.double.view.lock().unwrap().at = ts("2026-11-03T18:00:00Z");
    let late = server.post("/v1/acts/tr_mute00000001/undo", "").await;
    assert_eq!(
        (late.status, late.body.contains("CALL-007")),
        (409, true),
        "{}",
        late.body
    );
}

#[tokio::test]
async fn a_page_that_was_left_open_does_not_end_a_newer_mute() {
    let server = server("acts").await;
    // The chat is muted until 17:35 by now, and the act was until 17:31:50.
    server.double.view.lock().unwrap().at = ts("2026-11-03T17:15:00Z");
    let stale = server.post("/v1/acts/tr_mute00000001/undo", "").await;
    assert_eq!(
        (stale.status, stale.body.contains("CALL-007")),
        (409, true),
        "{}",
        stale.body
    );
    let asked = server.double.log.borrow().join("\n");
    assert!(!asked.contains("end Unmute("), "{asked}");
}
