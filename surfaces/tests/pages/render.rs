//! What cards and drawers say.
//!
//! What: whole texts as snapshots, numbers worked out by hand as plain asserts. Why: the numbers on a card are the
//! results' own. Not here: markup and escaping (`door`).

use crate::morning::{self, ts};
use serde_json::{Value, json};
use std::sync::Arc;
use surfaces::{
    push,
    render::{
        card::{CardFigure, CardView, card},
        drawer, history_line, next_possible, outcome_line, row, text,
    },
};
use surfaces_base::{backend::DisplayNames, words};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Outcome, ReasonCode, SubmitAct, Surface,
    milli::Milli,
    tick::TriggerSource,
    trace::{Card, NextPossible, RationaleSource, Trace},
};

fn view(card_: &Card, at: &str) -> CardView {
    card(card_, &morning::labels(), ts(at)).unwrap()
}

#[test]
fn the_brief_leads_with_the_departure_and_says_what_was_not_read() {
    let view = view(&morning::brief_card(), "2026-11-03T02:15:01Z");
    // 09:00 minus 22 minutes of way and 15 kept free.
    let figure = CardFigure {
        value: "08:23".into(),
        caption: "Leave by this for Standup at the lake office".into(),
    };
    assert_eq!(view.figure, Some(figure));
    assert_eq!(
        view.lines,
        [
            "It starts at 09:00.",
            "22 min to get there, with 15 min in hand.",
            "2 messages wait for your answer.",
            "Two things today.",
            "Finance: not read when I decided this.",
        ]
    );
    assert_eq!(
        view.answers_on(Surface::PhoneCard).acts,
        [SubmitAct::Useful, SubmitAct::Dismiss]
    );
    insta::assert_snapshot!(text::card(&view));
}

/// What a person reads of a trace: its rows, its drawer, what came of it.
fn said_of(trace: &Trace) -> String {
    let names = DisplayNames::default();
    let drawer = drawer::drawer_of_trace(trace, &names, None);
    let line = history_line(trace, &names);
    let says = [drawer.says.join("\n"), text::drawer(&drawer)];
    [row(trace).what, line.what, outcome_line(trace), says.concat()].join("\n")
}

/// The trace's own sentence has them: it is the machine's.
#[test]
fn no_code_of_a_kind_or_of_a_reason_is_read_by_a_person() {
    for kind in ActionKind::ALL {
        for reason in ReasonCode::ALL {
            let mut held = morning::silent_trace();
            held.reason_code = Some(*reason);
            let candidate = json!({
                "kind": kind, "subject": "food_delivery", "agent": kind.tool().agent(), "class": "normal", "confidence": 0.8,
            });
            held.rationale = format!("{kind} was held back. Not heard: finance.");
            let decision = Arc::make_mut(&mut held.decision);
            decision.reason_code = Some(*reason);
            decision.candidates = vec![serde_json::from_value(candidate).unwrap()];
            decision.candidates[0].removed = (*reason != ReasonCode::BelowThreshold).then_some(*reason);
            decision
                .agent_status
                .insert(AgentName::Finance, AgentStatus::Timeout);
            decision.rationale.clone_from(&held.rationale);
            let mut spoke = morning::brief_trace();
            spoke.reason_code = Some(*reason);
            spoke.tool_calls.clear();
            spoke.rationale = format!("{kind}: unusual spending on food_delivery.");
            let decision = Arc::make_mut(&mut spoke.decision);
            decision.chosen.as_mut().unwrap().kind = *kind;
            decision.candidates.clear();
            decision.rationale.clone_from(&spoke.rationale);
            let mut by_model = spoke.clone();
            by_model.rationale_source = RationaleSource::Model;
            "The state is STRESSED.".clone_into(&mut by_model.rationale);
            for trace in [&held, &spoke, &by_model] {
                let said = said_of(trace);
                let codes = [kind.as_str(), "food_delivery", "STRESSED", "finance", "cap_"];
                for code in codes.iter().chain([&reason.as_str()]) {
                    let is_word = code.chars().all(|c| c.is_ascii_lowercase()) && *code != "finance";
                    assert!(is_word || !said.contains(code), "{code} in {said}");
                }
            }
        }
    }
    let mut plain = morning::brief_trace();
    plain.rationale_source = RationaleSource::Model;
    "It takes one of 3 interruptions left today.".clone_into(&mut plain.rationale);
    assert!(said_of(&plain).contains("It takes one of 3 interruptions left today."));
}

#[test]
fn spending_and_the_months_end_share_one_card() {
    let view = view(&morning::spend_card(), "2026-11-03T14:30:01Z");
    // The projection has a figure of its own, as a line: the day's spending leads.
    assert_eq!(
        view.figure,
        Some(CardFigure {
            value: "₹4,795.00".into(),
            caption: "spent today".into()
        })
    );
    assert_eq!(
        view.lines,
        [
            "On a usual day it is ₹598.70.",
            "That is clearly unusual.",
            "You could save about ₹220.00.",
            "₹12,300.00 expected at the month's end.",
            "At this pace it reaches zero on Sat 28 Nov.",
            "I am 62 % sure.",
        ]
    );
}

#[test]
fn a_question_counts_down_on_each_surface_and_can_be_answered_until_its_end() {
    // Decided at 17:01:47: the watch accepts until :55, the phone until 17:02:47.
    for (at, watch_left, phone_left, watch_acts) in [
        (
            "2026-11-03T17:01:49Z",
            6_000,
            58_000,
            vec![SubmitAct::Confirm, SubmitAct::Dismiss],
        ),
        ("2026-11-03T17:01:55Z", 0, 52_000, vec![]),
        ("2026-11-03T17:03:00Z", 0, 0, vec![]),
    ] {
        let view = view(&morning::mute_card(false), at);
        let left: Vec<i64> = view.prompts.iter().map(|ask| ask.left_ms).collect();
        assert_eq!(left, [watch_left, phone_left], "{at}");
        assert_eq!(view.answers_on(Surface::Watch).acts, watch_acts, "{at}");
        assert_eq!(
            view.answers_on(Surface::PhoneCard).acts.is_empty(),
            phone_left == 0,
            "{at}"
        );
    }
    insta::assert_snapshot!(text::card(&view(
        &morning::mute_card(false),
        "2026-11-03T17:01:49Z"
    )));
}

#[test]
fn question_that_was_pushed_is_answered_on_the_page_in_place_of_the_notification() {
    let mut pushed = morning::mute_card(false);
    pushed
        .prompts
        .retain(|prompt| prompt.surface == Surface::PhoneCard);
    pushed.prompts[0].surface = Surface::Push;
    let shown = view(&pushed, "2026-11-03T17:01:49Z");
    assert_eq!(shown.asked_on_page(), Surface::Push);
    assert!(shown.is_on(Surface::PhoneCard));
    assert_eq!(
        shown.answers_on(Surface::Push).acts,
        [SubmitAct::Confirm, SubmitAct::Dismiss]
    );
    // Over, or asked as a card: as ever.
    let over = view(&pushed, "2026-11-03T17:02:47Z");
    assert_eq!(over.asked_on_page(), Surface::PhoneCard);
    let asked = view(&morning::mute_card(false), "2026-11-03T17:01:49Z");
    assert_eq!(asked.asked_on_page(), Surface::PhoneCard);
}

#[test]
fn browser_is_told_the_words_of_the_ntfy_server_and_nothing_else() {
    for card in [
        morning::brief_card(),
        morning::spend_card(),
        morning::mute_card(false),
        morning::mute_card(true),
    ] {
        let now = ts("2026-11-03T17:01:49Z");
        let by_ntfy = push::message(&card, now, "topic", "answers").unwrap();
        let by_ntfy = serde_json::to_value(by_ntfy).unwrap();
        let in_browser = serde_json::to_value(push::web_message(&card, now).unwrap()).unwrap();
        assert_eq!(in_browser["title"], by_ntfy["title"]);
        assert_eq!(in_browser["body"], by_ntfy["message"]);
        // A button here is a button there, with the same right.
        let by_ntfy = by_ntfy["actions"].as_array().cloned().unwrap_or_default();
        let answer = &in_browser["answer"];
        let acts = answer["acts"].as_array().cloned().unwrap_or_default();
        assert_eq!(acts.is_empty(), answer.is_null());
        assert_eq!(acts.len(), by_ntfy.len());
        for (act, button) in acts.iter().zip(&by_ntfy) {
            let body: Value = serde_json::from_str(button["body"].as_str().unwrap()).unwrap();
            assert_eq!(act["label"], button["label"]);
            assert_eq!(
                (&answer["card"], &answer["capability"]),
                (&body["card"], &body["capability"])
            );
            let sent = match body["act"].as_str().unwrap() {
                "later" => "later_1_hour",
                other => other,
            };
            assert_eq!(act["act"], sent);
        }
    }
}

#[test]
fn a_confirmed_mute_says_until_when_and_offers_no_refund() {
    let view = view(&morning::mute_card(true), "2026-11-03T17:01:51Z");
    assert_eq!(view.title, "Garden committee is quiet until 23:01");
    assert_eq!(view.watch_line, "Quiet until 23:01");
    // Safety kinds cost nothing: there is nothing to give back.
    assert_eq!(view.answers_on(Surface::PhoneCard).acts, [SubmitAct::Dismiss]);
    assert!(view.answers_on(Surface::Watch).acts.is_empty());
}

#[test]
fn what_set_a_look_going_on_another_day_says_which() {
    let at = "2026-11-03T14:30:01Z";
    let mut spend = morning::spend_card();
    let decision = Arc::make_mut(&mut spend.decision);
    decision.trigger.source = TriggerSource::Transaction;
    // 20:00 in Kolkata, then noon of the day before: a statement told of the day.
    decision.trigger.at = decision.ts;
    assert_eq!(view(&spend, at).why, "There was a payment at 20:00.");
    Arc::make_mut(&mut spend.decision).trigger.at = ts("2026-11-02T06:30:00Z");
    assert_eq!(view(&spend, at).why, "There was a payment on Mon 2 Nov.");
    Arc::make_mut(&mut spend.decision).trigger.at = ts("2026-11-02T06:31:00Z");
    assert_eq!(view(&spend, at).why, "There was a payment on Mon 2 Nov at 12:01.");
}

#[test]
fn above_a_card_stands_only_what_it_has_to_do_with() {
    let at = "2026-11-03T14:30:01Z";
    let mut spend = morning::spend_card();
    let decision = Arc::make_mut(&mut spend.decision);
    decision.trigger.at = decision.ts;
    decision.trigger.source = TriggerSource::LoadCrossed;
    assert_eq!(view(&spend, at).why, "I looked at 20:00.");
    Arc::make_mut(&mut spend.decision).trigger.source = TriggerSource::Interval;
    assert_eq!(
        view(&spend, at).why,
        "The regular look, every 15 minutes, at 20:00."
    );
}

#[test]
fn a_card_is_put_off_to_the_hours_at_which_it_can_come_back() {
    use SubmitAct::{LaterEvening, LaterHour, LaterQuarter, LaterTomorrow};
    let later = |card: &Card, at, surface| view(card, at).answers_on(surface).later;
    // 07:45 in Kolkata: tomorrow has a brief of its own.
    let brief = morning::brief_card();
    let at = "2026-11-03T02:15:01Z";
    assert_eq!(
        later(&brief, at, Surface::PhoneCard),
        [LaterQuarter, LaterHour, LaterEvening]
    );
    // 20:00: the evening has come.
    let (mut spend, at) = (morning::spend_card(), "2026-11-03T14:30:01Z");
    let in_the_evening = [LaterQuarter, LaterHour, LaterTomorrow];
    assert_eq!(later(&spend, at, Surface::PhoneCard), in_the_evening);
    for (put_off, choices) in [(1, 3), (2, 3), (3, 0)] {
        Arc::make_mut(&mut spend.decision).put_off = put_off;
        assert_eq!(later(&spend, at, Surface::PhoneCard).len(), choices, "{put_off}");
        // It cost nothing, so nothing can be given back.
        assert_eq!(
            view(&spend, at).answers_on(Surface::PhoneCard).acts,
            [SubmitAct::Dismiss]
        );
    }
    // A question: an hour on the watch, until its time is over.
    let (mut mute, at) = (morning::mute_card(false), "2026-11-03T17:01:49Z");
    assert_eq!(later(&mute, at, Surface::Watch), [LaterHour]);
    assert_eq!(later(&mute, at, Surface::PhoneCard), in_the_evening);
    assert_eq!(later(&mute, "2026-11-03T17:03:00Z", Surface::PhoneCard), []);
    assert_eq!(later(&morning::mute_card(true), at, Surface::PhoneCard), []);
    let chosen = Arc::make_mut(&mut mute.decision).chosen.as_mut().unwrap();
    chosen.asker = Some(toolcall_schema::trace::Asker::Program);
    assert_eq!(later(&mute, at, Surface::PhoneCard), []);
    // A departure: only while there is time to leave.
    let mut leave = morning::brief_card();
    let chosen = Arc::make_mut(&mut leave.decision).chosen.as_mut().unwrap();
    chosen.kind = toolcall_schema::ActionKind::LeaveByAlert;
    for (valid_until, choices) in [
        ("2026-11-03T02:30:00Z", vec![]),
        ("2026-11-03T02:31:00Z", vec![LaterQuarter]),
        ("2026-11-03T03:16:00Z", vec![LaterQuarter, LaterHour]),
    ] {
        leave.valid_until = ts(valid_until);
        assert_eq!(later(&leave, "2026-11-03T02:15:01Z", Surface::PhoneCard), choices);
    }
}

#[test]
fn what_was_put_off_says_when_it_comes_back() {
    let next = NextPossible {
        at: ts("2026-11-03T12:30:00Z"),
        when: ReasonCode::Later,
    };
    for (now, says) in [
        ("2026-11-03T02:15:00Z", "I'll ask again at 18:00."),
        ("2026-11-02T12:15:00Z", "I'll ask again tomorrow at 18:00."),
        ("2026-11-01T12:15:00Z", "I'll ask again on Tue 3 Nov, 18:00."),
    ] {
        assert_eq!(next_possible(&next, ts(now), chrono_tz::Asia::Kolkata), says);
    }
}

#[test]
fn the_watch_line_never_holds_a_name_from_outside() {
    for card in [
        morning::brief_card(),
        morning::spend_card(),
        morning::mute_card(false),
        morning::mute_card(true),
    ] {
        let line = view(&card, "2026-11-03T17:01:49Z").watch_line;
        assert!(line.chars().count() <= 40, "{line}");
        assert!(!line.contains("Garden") && !line.contains("Standup"), "{line}");
    }
}

/// A done card of one kind with this result.
fn done(kind: &str, subject: &str, tool: &str, result: &Value) -> CardView {
    let mut card = serde_json::to_value(morning::mute_card(true)).unwrap();
    card["decision"]["chosen"]["kind"] = json!(kind);
    card["decision"]["chosen"]["subject"] = json!(subject);
    card["tool_calls"] = json!([{"call_id": "t_other00001", "tool": tool, "args": {}, "result": result}]);
    view(&serde_json::from_value(card).unwrap(), "2026-11-03T17:01:51Z")
}

#[test]
fn every_result_becomes_a_title_with_its_numbers() {
    let event = "ev_00000000000000a1";
    for (kind, subject, tool, result, title, lines) in [
        (
            "BATCH_DIGEST",
            "all",
            "comms.batch_summarize",
            json!({"actionable": [{"item_id": "it_00000000000000b2", "urgency": 0.9}], "actionable_count": 3,
                   "muted_count": 134, "total": 137}),
            "3 need your answer, 134 can wait",
            vec!["the lab's mail", "137 messages read."],
        ),
        (
            "BATCH_DIGEST",
            "all",
            "comms.batch_summarize",
            json!({"actionable": [], "actionable_count": 1, "muted_count": 0, "total": 1}),
            "1 needs your answer, 0 can wait",
            vec!["1 message read."],
        ),
        (
            "LEAVE_BY_ALERT",
            event,
            "calendar.travel_aware_alert",
            json!({"event_id": event, "start": "2026-11-03T03:30:00Z", "leave_by": "2026-11-03T02:53:00Z",
                   "travel_min": 22}),
            "Leave for Standup at the lake office",
            vec!["It starts at 09:00.", "22 min to get there, with 15 min in hand."],
        ),
        (
            "PROJECT_BALANCE",
            "2026-11-03",
            "finance.predict_eom_balance",
            json!({"confidence": 0.0, "currency": "INR"}),
            "Where this month ends",
            vec!["I cannot say yet how the month ends."],
        ),
        (
            "NAP_15",
            "self",
            "wellness.start_nap_timer",
            json!({"ends_at": "2026-11-03T17:17:00Z"}),
            "Nap until 22:47",
            vec!["I tell you when it is over."],
        ),
        (
            "DRAFT_REPLY",
            "it_00000000000000b2",
            "comms.draft_reply",
            json!({"item_id": "it_00000000000000b2", "tone": "formal", "chars": 120}),
            "The draft is in your outbox",
            vec!["To the lab's mail.", "120 characters, formal. Nothing was sent."],
        ),
        (
            "DECLINE_EVENT",
            "ev_00000000000000ff",
            "calendar.auto_decline",
            json!({"event_id": "ev_00000000000000ff", "bytes": 400}),
            "The decline is in your outbox",
            vec!["For one event.", "Nothing was sent."],
        ),
    ] {
        let view = done(kind, subject, tool, &result);
        assert_eq!(
            (view.title.as_str(), view.lines),
            (title, lines.into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn a_card_without_names_still_says_what_it_is_about() {
    let view = card(
        &morning::brief_card(),
        &DisplayNames::default(),
        ts("2026-11-03T02:15:01Z"),
    )
    .unwrap();
    assert_eq!(view.figure.unwrap().caption, "Leave by this");
    assert_eq!(view.lines[3], "Two things today.");
}

#[test]
fn the_drawer_of_a_card_that_was_shown_has_five_sections() {
    insta::assert_snapshot!(text::drawer(&drawer::drawer_of_trace(
        &morning::brief_trace(),
        &morning::labels(),
        None,
    )));
}

#[test]
fn what_passed_because_it_is_always_let_through_says_so_on_card_and_drawer() {
    let mut card = morning::mute_card(false);
    let line = "You always let this through.";
    let beside = "; you always let it through";
    for (let_through, shown_before) in [(false, false), (true, false), (true, true)] {
        let chosen = Arc::make_mut(&mut card.decision).candidates.first_mut().unwrap();
        chosen.let_through = let_through;
        let recent = if shown_before { Milli(250) } else { Milli(0) };
        chosen.score.as_mut().unwrap().recent = recent;
        let at = ts("2026-11-03T17:01:49Z");
        let drawer = drawer::drawer_of_card(&card, &morning::labels(), at);
        let by_rule = let_through && !shown_before;
        assert_eq!(view(&card, "2026-11-03T17:01:49Z").lines[0] == line, by_rule);
        assert_eq!(drawer.considered[0].by.contains(beside), by_rule);
    }
}

#[test]
fn the_drawer_of_an_open_question_offers_its_answers() {
    let open = drawer::drawer_of_card(
        &morning::mute_card(false),
        &morning::labels(),
        ts("2026-11-03T17:01:49Z"),
    );
    assert_eq!(
        open.answers.as_ref().unwrap().acts,
        [SubmitAct::Confirm, SubmitAct::Dismiss, SubmitAct::Edit]
    );
    insta::assert_snapshot!(text::drawer(&open));
}

#[test]
fn the_drawer_says_the_cause_before_the_end() {
    let says = |trace: &Trace| drawer::drawer_of_trace(trace, &morning::labels(), None).says;
    let came = [
        "You unlocked the phone at 07:45.",
        "I chose: The morning brief. 2 events left today, 12 messages, 2 wait for your answer.",
        "Also weighed: A 15-minute nap; Draft a reply · the lab's mail.",
    ];
    let shown = "So I showed it on the phone, and asked you nothing.";
    assert_eq!(says(&morning::brief_trace()), [&came[..], &[shown]].concat());
    // What asked, and was not answered.
    let mut asked = morning::brief_trace();
    Arc::make_mut(&mut asked.decision)
        .chosen
        .as_mut()
        .unwrap()
        .confirm_required = true;
    (asked.outcome, asked.reason_code) = (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout));
    let end = [
        "So I asked you on the phone.",
        "It was not done.",
        "You did not answer in time.",
    ];
    assert_eq!(says(&asked), [&came[..], &end].concat());
    assert_eq!(surfaces::render::row(&asked).ended, "not answered");
    // An open card has no end yet.
    let open = drawer::drawer_of_card(
        &morning::brief_card(),
        &morning::labels(),
        ts("2026-11-03T02:15:01Z"),
    );
    assert_eq!(open.says, [&came[..], &[shown]].concat());
}

#[test]
fn the_drawer_of_silence_says_why_and_when_it_could_speak() {
    let drawer = drawer::drawer_of_trace(&morning::silent_trace(), &morning::labels(), None);
    assert_eq!(drawer.title, "I kept quiet");
    assert_eq!(
        drawer.says,
        [
            "The regular look, every 15 minutes, at 08:00.",
            "I had spoken less than 30 minutes before.",
            "So I kept quiet.",
            "I could speak again at 08:15, 30 minutes after the last card.",
        ]
    );
    assert_eq!(
        drawer.chose.lines,
        [
            "I had spoken less than 30 minutes before.",
            "I kept quiet.",
            "I could speak again at 08:15, 30 minutes after the last card.",
        ]
    );
    assert_eq!(drawer.answers, None);
}

#[test]
fn what_was_held_back_is_named_before_its_reason_and_a_reason_alone_stands_once() {
    let reason = "I had spoken less than 30 minutes before.";
    let alone = history_line(&morning::silent_trace(), &DisplayNames::default());
    assert_eq!((alone.what.as_str(), alone.held_back), (reason, None));
    let mut proposed = morning::silent_trace();
    Arc::make_mut(&mut proposed.decision).candidates = morning::brief_trace().decision.candidates.clone();
    let held = history_line(&proposed, &DisplayNames::default());
    assert_eq!(held.held_back, Some(reason));
    assert_ne!(held.what, reason);
}

/// The list and the drawer name one thing: what was held back for the reason that is said, whatever else was proposed before it.
#[test]
fn the_list_names_what_its_reason_held_back() {
    let mut trace = morning::silent_trace();
    assert_eq!(trace.reason_code, Some(ReasonCode::CapWindow));
    let mut proposed = morning::brief_trace().decision.candidates.clone();
    assert_ne!(proposed[0].kind, proposed[1].kind);
    for one in &mut proposed {
        one.removed = None;
    }
    proposed[1].removed = Some(ReasonCode::CapWindow);
    let kind = proposed[1].kind;
    Arc::make_mut(&mut trace.decision).candidates = proposed;
    let named = words::action(kind);
    let line = history_line(&trace, &DisplayNames::default());
    assert!(line.what.starts_with(named), "{}", line.what);
    let drawer = drawer::drawer_of_trace(&trace, &DisplayNames::default(), None);
    assert!(
        drawer.says.iter().any(|says| says.contains(named)),
        "{:?}",
        drawer.says
    );
}

#[test]
fn the_day_lists_silence_too() {
    let rows: Vec<_> = [morning::silent_trace(), morning::brief_trace()]
        .iter()
        .map(|trace| {
            let row = row(trace);
            (row.time, row.what, row.outcome)
        })
        .collect();
    assert_eq!(
        rows,
        [
            (
                "08:00".to_owned(),
                "I had spoken less than 30 minutes before.".to_owned(),
                Outcome::Silent
            ),
            (
                "07:45".to_owned(),
                "The morning brief".to_owned(),
                Outcome::ExecutedAuto
            ),
        ]
    );
}

#[test]
fn when_it_could_speak_names_the_day_if_it_is_another() {
    let zone = surfaces_base::format::zone("Asia/Kolkata");
    let now = ts("2026-11-03T14:30:00Z");
    for (at, when, expected) in [
        (
            "2026-11-03T15:00:00Z",
            ReasonCode::CapWindow,
            "I could speak again at 20:30, 30 minutes after the last card.",
        ),
        (
            "2026-11-03T18:30:00Z",
            ReasonCode::CapDaily,
            "I could speak again at Wed 4 Nov, 00:00, when the new day begins.",
        ),
        (
            "2026-11-03T14:30:00Z",
            ReasonCode::NoCandidate,
            "I could speak once something needs you.",
        ),
    ] {
        assert_eq!(
            next_possible(&NextPossible { at: ts(at), when }, now, zone),
            expected
        );
    }
}

#[tokio::test]
async fn a_brief_of_what_is_named_beside_it_counts_nothing() {
    let server = crate::client::server("brief").await;
    {
        let mut view = server.double.view.lock().unwrap();
        let card = view.card.as_mut().unwrap();
        card.tool_calls.truncate(1);
        card.tool_calls[0].args =
            Arc::new(json!({"sections": [{"section": "messages", "total": 1, "actionable": 1}]}));
        Arc::make_mut(&mut card.decision)
            .chosen
            .as_mut()
            .unwrap()
            .companion = None;
    }
    let now = server.get("/fragment/now").await.body;
    assert!(now.contains("wait for your answer:"), "{now}");
    assert!(!now.contains("left today, "), "{now}");
}
