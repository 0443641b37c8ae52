//! One tick on the operator's console: its waterfall, its links, its replay, and two beside one another.
//!
//! What: lengths and places worked out by hand from the times of the double, and what each page leads to. Why: an operator believes what is drawn.
//! Not here: finding the times (`tests/integration/console.rs`). The backend is a double.

use crate::{
    client::server,
    morning::{
        CAPABILITY, brief_trace,
        double_ticks::{bare_view, brief_events, finance_restart},
        silent_trace, ts,
    },
};
use serde_json::json;
use std::sync::Arc;
use surfaces::render::waterfall::{StepSide, WaterfallRow, waterfall};
use surfaces_base::backend::console::{
    AnswerEnding, ProcessRestart, TickEvent, TickEventKind, TraceFilter, longest_state, own_time_ms,
    restarts_near,
};
use toolcall_schema::{AgentName, AgentStatus, StateName, SubmitAct, Surface, trace::Trace};

const BRIEF: &str = "/ops/traces/tr_brief0000001";

/// What is drawn of a row.
fn drawn(row: &WaterfallRow) -> (&str, Option<i64>, &str, bool) {
    (&row.name, row.ms, &row.says, row.is_bad)
}

#[test]
fn each_step_has_the_time_that_is_kept_of_it() {
    let picture = waterfall(&bare_view(brief_trace(), Some(brief_events())));
    // From entering Listening, 00.010, until the trace was on disk, 00.472.
    assert_eq!((picture.ms, picture.short_wait), (462, None));
    let rows: Vec<_> = picture.rows.iter().map(drawn).collect();
    assert_eq!(
        rows,
        [
            ("Began: Phone unlocked", None, "had waited 10 ms", false),
            ("Listening", Some(340), "340 ms", false),
            ("Comms", Some(50), "answered", false),
            ("Calendar", Some(110), "answered", false),
            ("Finance", Some(340), "was not able to answer", true),
            ("Wellness", Some(80), "answered", false),
            ("Deliberating", Some(50), "50 ms", false),
            (
                "Gate",
                None,
                "refused nothing of it; its work takes no time of its own",
                false
            ),
            ("Decision", None, "The morning brief", false),
            ("Decision on disk", Some(5), "on disk", false),
            ("Executing", Some(55), "55 ms", false),
            ("orchestrator.show_brief", Some(40), "done", false),
            ("calendar.travel_aware_alert", Some(55), "done", false),
            ("Logging the trace", Some(5), "5 ms", false),
            ("Trace on disk", Some(12), "on disk", false),
            ("Card shown", None, "on the phone, 3.0 s after the trace", false),
        ]
    );
    // 50, 340 and 390 of 462 ms on an axis of 1000; what comes later lies at its end.
    for (seconds, place) in [
        ("00.010", 0),
        ("00.060", 108),
        ("00.350", 735),
        ("00.400", 844),
        ("00.472", 1000),
        ("03.460", 1000),
        ("00.000", 0),
    ] {
        let at = ts(&format!("2026-11-03T02:15:{seconds}Z"));
        assert_eq!(picture.place(at), place, "{seconds}");
    }
    assert_eq!(
        picture.rows[4].output,
        StepSide::Json(json!("failed")),
        "as the journal holds it"
    );
}

#[test]
fn the_idle_that_a_tick_leaves_at_once_is_no_step() {
    let mut trace = brief_trace();
    let mut idle = trace.state_path[0].clone();
    (idle.state, idle.ms) = (StateName::Idle, 0);
    trace.state_path.insert(0, idle);
    let picture = waterfall(&bare_view(trace, None));
    let states: Vec<&str> = picture
        .rows
        .iter()
        .filter(|row| !row.is_nested)
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(
        states,
        [
            "Began: Phone unlocked",
            "Listening",
            "Deliberating",
            "Executing",
            "Logging the trace"
        ]
    );
}

#[test]
fn a_restart_a_minute_before_or_after_a_tick_is_told_beside_it() {
    // From 02:15:00 to 02:15:00.460.
    for (at, is_near) in [
        ("2026-11-03T02:13:58Z", false),
        ("2026-11-03T02:14:02Z", true),
        ("2026-11-03T02:15:59Z", true),
        ("2026-11-03T02:16:02Z", false),
    ] {
        let restart = ProcessRestart {
            at: ts(at),
            ..finance_restart()
        };
        assert_eq!(
            restarts_near(&brief_trace(), &[restart]).count() == 1,
            is_near,
            "{at}"
        );
    }
}

#[test]
fn without_its_events_only_the_states_have_lengths() {
    let mut trace = brief_trace();
    let calendar = Arc::make_mut(&mut trace.decision)
        .agent_status
        .get_mut(&AgentName::Calendar);
    *calendar.unwrap() = AgentStatus::Timeout;
    let picture = waterfall(&bare_view(trace, None));
    let find = |name: &str| {
        let row = picture.rows.iter().find(|row| row.name == name).unwrap();
        (row.ms, row.says.as_str())
    };
    // Until the trace was complete, 00.460.
    assert_eq!(picture.ms, 450);
    assert_eq!(find("Listening"), (Some(340), "340 ms"));
    assert_eq!(find("Comms"), (None, "answered; when is not kept"));
    // Whoever does not answer is waited for until the state ends.
    assert_eq!(find("Calendar"), (Some(340), "did not answer in time"));
    assert_eq!(find("Trace on disk"), (None, "on disk; when is not kept"));
}

/// The brief, with the owner asked for 52 s before it is done.
fn asked() -> (Trace, Vec<TickEvent>) {
    let mut trace = brief_trace();
    let decision = Arc::make_mut(&mut trace.decision);
    decision
        .agent_status
        .insert(AgentName::Comms, AgentStatus::Timeout);
    trace.state_path = serde_json::from_value(json!([
        {"state": "Listening", "at": "2026-11-03T02:15:00.000Z", "ms": 300},
        {"state": "Deliberating", "at": "2026-11-03T02:15:00.300Z", "ms": 100},
        {"state": "AwaitingConfirm", "at": "2026-11-03T02:15:00.400Z", "ms": 52000},
        {"state": "Executing", "at": "2026-11-03T02:15:52.400Z", "ms": 90},
        {"state": "LoggingTrace", "at": "2026-11-03T02:15:52.490Z", "ms": 10}]))
    .unwrap();
    trace.ts = ts("2026-11-03T02:15:52.500Z");
    trace.confirm =
        Some(serde_json::from_value(json!({"surface": "WATCH", "at": "2026-11-03T02:15:52.400Z"})).unwrap());
    trace.tool_calls.truncate(1);
    let event = |seq, seconds: &str, kind| TickEvent {
        seq,
        at: ts(&format!("2026-11-03T02:15:{seconds}Z")),
        kind,
        json: json!({"what": {"event": "made_up"}}),
    };
    let surface = Surface::Watch;
    let late = TickEventKind::AgentAnswered {
        agent: AgentName::Comms,
        ending: AnswerEnding::Answered,
    };
    let events = vec![
        event(1, "00.350", late),
        event(2, "00.390", TickEventKind::Committed { ok: true }),
        event(3, "01.400", TickEventKind::Shown { surface }),
        // The same card on the same surface, as a page that was opened again shows it.
        event(8, "03.400", TickEventKind::Shown { surface }),
        event(
            4,
            "52.400",
            TickEventKind::Submitted {
                surface,
                act: SubmitAct::Confirm,
            },
        ),
        event(5, "52.420", TickEventKind::Committed { ok: true }),
        event(
            6,
            "52.480",
            TickEventKind::Executed {
                companion: false,
                ok: true,
            },
        ),
        event(7, "52.500", TickEventKind::TraceKept { ok: false }),
    ];
    (trace, events)
}

#[test]
fn a_wait_for_the_owner_is_drawn_short_and_counts_to_nobodys_slowness() {
    let (trace, events) = asked();
    assert_eq!(own_time_ms(&trace), 500);
    assert_eq!(longest_state(&trace).unwrap().state, StateName::Listening);
    let picture = waterfall(&bare_view(trace, Some(events)));
    assert_eq!((picture.ms, picture.short_wait), (52_500, Some((400, 52_400))));
    // 500 ms have three quarters of the axis, 52 s the fourth.
    for (seconds, place) in [
        ("00.000", 0),
        ("00.400", 600),
        ("26.400", 725),
        ("52.400", 850),
        ("52.500", 1000),
    ] {
        let at = ts(&format!("2026-11-03T02:15:{seconds}Z"));
        assert_eq!(picture.place(at), place, "{seconds}");
    }
    let find = |name: &str| drawn(picture.rows.iter().find(|row| row.name == name).unwrap());
    assert_eq!(
        find("Comms"),
        ("Comms", Some(350), "answered 50 ms too late", true)
    );
    let shown = ("Card shown", None, "on the watch: 07:45:01, 07:45:03", false);
    assert_eq!(find("Card shown"), shown);
    assert_eq!(
        picture.rows.iter().filter(|row| row.name == "Card shown").count(),
        1
    );
    assert_eq!(
        find("The owner is asked"),
        (
            "The owner is asked",
            Some(52_000),
            "confirmed on the watch",
            false
        )
    );
    // The tool is called when the answer is on disk, 52.420, not before.
    assert_eq!(find("Answer on disk").1, Some(20));
    assert_eq!(find("orchestrator.show_brief").1, Some(60));
    assert_eq!(
        find("Trace on disk"),
        ("Trace on disk", Some(0), "the disk did not take it", true)
    );
}

/// The journal has the time at which an answer was written down, a moment after it was counted.
#[test]
fn whoever_answered_by_the_trace_was_not_late() {
    let (mut trace, events) = asked();
    Arc::make_mut(&mut trace.decision)
        .agent_status
        .insert(AgentName::Comms, AgentStatus::Answered);
    let picture = waterfall(&bare_view(trace, Some(events)));
    let comms = picture.rows.iter().find(|row| row.name == "Comms").unwrap();
    assert_eq!(drawn(comms), ("Comms", Some(300), "answered", false));
}

#[test]
fn a_tick_is_found_by_the_hours_of_its_own_zone() {
    // 08:00 in Kolkata.
    let trace = silent_trace();
    let time = |text: &str| Some(text.parse().unwrap());
    for (from_time, to_time, fits) in [
        (None, None, true),
        (time("08:00:00"), None, true),
        (time("08:00:01"), None, false),
        (None, time("08:00:00"), false),
        (time("22:00:00"), time("08:00:01"), true),
        (time("22:00:00"), time("07:00:00"), false),
    ] {
        let filter = TraceFilter {
            from_time,
            to_time,
            ..TraceFilter::default()
        };
        assert_eq!(filter.admits(&trace), fits, "{from_time:?} {to_time:?}");
    }
}

#[tokio::test]
async fn a_tick_leads_to_all_that_belongs_to_it_and_back() {
    let server = server("brief").await;
    let body = server.get(BRIEF).await.body;
    for shown in [
        // Bars, and the same as a table.
        r#"<rect class="agent bad" x="0" y="2" width="735" height="12">"#,
        r#"<rect class="decision instant" x="844" y="2" width="4" height="12">"#,
        r#"<th scope="row">Finance</th><td data-label="After">0 ms</td><td data-label="Took">340 ms</td><td data-label="Came of it">was not able to answer; started again 240 ms after it was asked</td><td data-label="Who">agent</td>"#,
        "<dt>Took</dt><dd>450 ms</dd>",
        "<dt>Longest</dt><dd>Listening, 340 ms</dd>",
        // Quarantine, ledger, neighbours, replay, explanation.
        r#"href="/ops/quarantine?trace=tr_brief0000001#calls-1""#,
        r#"href="/ops/ledger?day=2026-11-03#tr_brief0000001""#,
        r#"href="/ops/traces/tr_silent000001" rel="next""#,
        r#"href="/ops/traces/tr_brief0000001/replay""#,
        r#"href="/trace/tr_brief0000001""#,
        r#"<a href="/ops#restarts">Agent Finance, <time>07:45:00</time></a>"#,
    ] {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    assert!(!body.contains(CAPABILITY) && !body.contains("<b>") && !body.contains("style="));
    // What was refused stands in its row, and steers nothing.
    let steers = |c: &char| c.is_control() && *c != '\n' || matches!(c, '\u{202e}' | '\u{feff}');
    assert!(
        body.contains("&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
        "{body}"
    );
    assert_eq!(body.chars().find(steers), None);
    let lines = server.get("/ops/quarantine?trace=tr_brief0000001").await.body;
    assert!(
        lines.contains(r#"<li id="calls-1">"#) && lines.contains(&format!(r#"href="{BRIEF}""#)),
        "{lines}"
    );
    let silent = server.get("/ops/traces/tr_silent000001").await.body;
    for shown in [
        "keeps the events of this tick no more",
        r#"href="/ops/compare?left=tr_brief0000001&amp;right=tr_silent000001""#,
        "None within a minute of it.",
        "Nothing of it is in quarantine.",
        "It moved no token.",
    ] {
        assert!(silent.contains(shown), "{shown}: {silent}");
    }
    for (path, status) in [
        ("/ops/traces/tr_nobody000001", 404),
        ("/ops/traces/..", 404),
        ("/ops/traces/tr_nobody000001/replay", 404),
    ] {
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn the_slowest_tick_of_the_day_is_two_links_away() {
    let server = server("brief").await;
    let list = server.get("/ops/traces").await.body;
    // 2026-11-03 in Kolkata, as the double's clock.
    let morning = "/ops/traces?from=2026-11-03&to=2026-11-03&order=slowest&to_time=12:00";
    assert!(
        list.contains(&format!("href=\"{}\"", morning.replace('&', "&amp;"))),
        "{list}"
    );
    let slowest = server.get(morning).await.body;
    for shown in [
        "2 of 2 ticks looked at, slowest first.",
        r#"<td data-label="Took">450 ms, 340 ms of it Listening</td>"#,
        r#"href="/ops/traces/tr_brief0000001""#,
        r#"<option value="slowest" selected>"#,
    ] {
        assert!(slowest.contains(shown), "{shown}: {slowest}");
    }
    assert!(!slowest.contains(r#"rel="next""#), "one page of all");
}

#[tokio::test]
async fn a_tick_is_stepped_through_with_the_machine_before_and_after() {
    let server = server("brief").await;
    let last = server.get(&format!("{BRIEF}/replay?step=3")).await.body;
    for shown in [
        "Event 3 of 3: tick_answered",
        "The machine goes from Listening to Deliberating.",
        r#"<th scope="row">phase / state</th><td data-label="Before"><code>&quot;Listening&quot;</code></td><td data-label="After"><code>&quot;Deliberating&quot;</code></td>"#,
        "keep_decision",
        // From 00.010 to 00.350.
        r#"<td data-label="After">340 ms</td><td data-label="Event"><code>tick_answered</code></td><td data-label="State after it">Deliberating</td>"#,
        r#"href="/ops/traces/tr_brief0000001/replay?step=2" rel="prev""#,
        r#"href="/ops/traces/tr_silent000001/replay""#,
    ] {
        assert!(last.contains(shown), "{shown}: {last}");
    }
    // What stayed the same is not told.
    assert!(
        !last.contains("answers / comms") && !last.contains(r#"rel="next""#),
        "{last}"
    );
    let first = server.get(&format!("{BRIEF}/replay")).await.body;
    assert!(
        first.contains("Event 1 of 3") && first.contains(r#"replay?step=2" rel="next""#),
        "{first}"
    );
    let gone = server.get("/ops/traces/tr_silent000001/replay").await.body;
    assert!(gone.contains("This cannot be done again"), "{gone}");
    for query in ["?step=x", "?step=-1", "?at=1"] {
        assert_eq!(
            server.get(&format!("{BRIEF}/replay{query}")).await.status,
            400,
            "{query}"
        );
    }
}

#[tokio::test]
async fn two_ticks_stand_side_by_side_with_what_differs_marked() {
    let server = server("brief").await;
    let path = "/ops/compare?left=tr_brief0000001&right=tr_silent000001";
    let body = server.get(path).await.body;
    let marked = |place: &str, left: &str, right: &str| {
        format!(
            r#"<tr class="differs"><th scope="row"><span class="visually-hidden">differs: </span>{place}</th><td data-label="tr_brief0000001"><mark>{left}</mark></td><td data-label="tr_silent000001"><mark>{right}</mark></td></tr>"#
        )
    };
    // Who was slow is named.
    let finance = marked(
        "Finance",
        "was not able to answer; started again 240 ms after it was asked, 340 ms",
        "answered; when is not kept",
    );
    assert!(body.contains(&finance), "{finance}: {body}");
    assert!(body.contains(r#"<th scope="row">Comms</th>"#), "{body}");
    let outcome = marked("outcome", "&quot;executed_auto&quot;", "&quot;silent&quot;");
    assert!(body.contains(&outcome), "{outcome}: {body}");
    // The same in both: only where all lines are wanted.
    let same = r#"<th scope="row">decision / user / zone</th>"#;
    assert!(!body.contains(same), "{body}");
    let all = server.get(&format!("{path}&lines=all")).await.body;
    assert!(all.contains(same) && all.contains(&outcome), "{all}");
    let itself = server
        .get("/ops/compare?left=tr_brief0000001&right=tr_brief0000001")
        .await
        .body;
    assert!(
        itself.contains("0 of ") && !itself.contains("differs: "),
        "{itself}"
    );
    let empty = server.get("/ops/compare").await.body;
    assert!(
        empty.contains("Choose two ticks in the list, or name them by their trace ids."),
        "{empty}"
    );
    // Chosen in the list: one for either side, or the other one where one is chosen.
    let list = server.get("/ops/traces").await.body;
    assert!(
        list.contains("Agent Finance was started again</strong>"),
        "{list}"
    );
    for side in ["left", "right"] {
        let radio =
            format!(r#"<input type="radio" name="{side}" value="tr_brief0000001" required aria-label="#);
        assert!(list.contains(&radio), "{radio}: {list}");
    }
    let other = server.get("/ops/traces?left=tr_brief0000001").await.body;
    assert!(
        other.contains(r#"<input type="hidden" name="left" value="tr_brief0000001">"#)
            && !other.contains(r#"name="right" value="tr_brief0000001""#)
            && other.contains(r#"name="right" value="tr_silent000001""#),
        "{other}"
    );
    assert_eq!(server.get("/ops/traces?left=../x").await.status, 404);
    for (query, status) in [
        ("?left=tr_brief0000001&right=tr_nobody000001", 404),
        ("?left=tr_brief0000001&right=../x", 404),
        ("?left=a&right=b&lines=some", 400),
        ("?word=x", 400),
    ] {
        assert_eq!(
            server.get(&format!("/ops/compare{query}")).await.status,
            status,
            "{query}"
        );
    }
}

#[tokio::test]
async fn the_overview_has_the_newest_decisions_and_says_since_when_figures_are_kept() {
    let server = server("brief").await;
    let body = server.get("/ops").await.body;
    for shown in [
        r#"<div id="tail" data-region>"#,
        r#"<button class="side" type="button" aria-pressed="false" data-hold="tail">Pause the list</button>"#,
        r#"href="/ops/traces/tr_silent000001""#,
        "One figure a minute is kept while Aura runs.",
        "Agent Finance, 07:45: <a href=\"/ops/traces?from=2026-11-03&amp;from_time=07:44&amp;to_time=07:47\">ticks of these minutes</a>",
        "it ended (signal 9)",
    ] {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    let status = server
        .raw(&format!("GET {BRIEF}"), &server.host(), "")
        .await
        .status;
    assert_eq!(status, 303, "who is not signed in is led to the door");
}
