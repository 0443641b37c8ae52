//! Ticks and figures to a collector: what it is sent, and what a collector that fails changes.
//!
//! The collector is a stand-in (`collector`), which checks every message by the rules of OTLP's JSON.

use super::{
    Afternoon,
    collector::{CollectorStandIn, checked_figures, checked_spans, free_address},
    on_actors,
};
use crate::support::{Service, command::aura};
use aura_runtime::{
    config::HomeConfig,
    outbound::{OutboundConfig, telemetry::TelemetryFile},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path, time::Duration};
use surfaces::render::waterfall::{WaterfallRow, waterfall};
use surfaces_base::backend::{Backend, console::ConsoleBackend};
use toolcall_schema::{StateName, trace::Trace};

const DAY: &str = "watch-timeout";
const START: &str = "2026-11-04T14:00:00+05:30";

fn to(endpoint: &str) -> OutboundConfig {
    let file = json!({ "endpoint": endpoint, "token": "tk_stand_in" });
    let file: TelemetryFile = serde_json::from_value(file).unwrap();
    OutboundConfig {
        telemetry: file.check().unwrap(),
        ..OutboundConfig::default()
    }
}

async fn afternoon(endpoint: &str) -> Afternoon {
    Afternoon::begin(DAY, START, &to(endpoint)).await
}

/// Waits until the collector's answers to so many traces were counted. Before it is asked what came: that holds up the thread on which ticks are handed on.
async fn counted(day: &Afternoon, result: &str, times: u64) {
    day.sign(result, async |me| me.count("traces", result).await == times)
        .await;
}

/// What `aura status` says of it.
async fn collector_status(day: &Afternoon) -> Value {
    day.system.backend.status().await.unwrap()["telemetry"].clone()
}

/// The trace that a message is about.
fn about(message: &Value) -> String {
    checked_spans(message)[0].attributes["aura.trace_id"].clone()
}

fn ids(traces: &[Trace]) -> Vec<String> {
    traces
        .iter()
        .map(|trace| trace.trace_id.as_str().to_owned())
        .collect()
}

#[test]
fn every_tick_is_one_trace_with_the_spans_of_its_waterfall_and_is_sent_once() {
    on_actors(async {
        let collector = CollectorStandIn::start();
        let mut day = afternoon(&collector.endpoint()).await;
        day.until("2026-11-04T14:20:00+05:30").await;
        let traces = day.traces();
        assert!(!traces.is_empty());
        counted(&day, "done", traces.len() as u64).await;
        let mut names = BTreeSet::new();
        for trace in &traces {
            let came = collector.next("traces");
            assert_eq!(came.bearer.as_deref(), Some("Bearer tk_stand_in"));
            let spans = checked_spans(&came.message);
            let view = day.system.backend.recorded_tick(trace.trace_id.clone()).await;
            let picture = waterfall(&view.unwrap().unwrap());
            let (root, steps) = spans.split_first().unwrap();
            assert_eq!((root.name.as_str(), &root.parent), ("tick", &None));
            assert_eq!(root.attributes["aura.trace_id"], trace.trace_id.as_str());
            assert_eq!(root.attributes["aura.tick"], trace.decision.tick.to_string());
            assert_eq!(root.attributes["aura.outcome"], trace.outcome.as_str());
            let span = |row: &WaterfallRow| {
                let from = u64::try_from(row.from.ms()).unwrap();
                let to = from + u64::try_from(row.ms.unwrap_or(0)).unwrap();
                (row.code.clone(), from, to, row.is_bad)
            };
            let rows: Vec<_> = picture.rows.iter().map(span).collect();
            let steps: Vec<_> = steps
                .iter()
                .map(|step| (step.name.clone(), step.from_ms, step.to_ms, step.is_bad))
                .collect();
            assert_eq!(steps, rows);
            names.extend(spans.iter().map(|span| (span.name.clone(), span.parent.clone())));
        }
        // A state stands below the tick, an agent below the state that listened.
        let has = |name: &str, parent: &str| names.contains(&(name.to_owned(), Some(parent.to_owned())));
        assert!(has(StateName::Listening.as_str(), "tick"), "{names:?}");
        assert!(has("agent comms", StateName::Listening.as_str()), "{names:?}");
        assert!(
            has("barrier trace", StateName::LoggingTrace.as_str()),
            "{names:?}"
        );
        assert!(collector.has_no_more_traces(), "each once");
        // What stays on this computer has not left it.
        assert_eq!(day.sent(), Vec::<String>::new());
        assert_eq!(day.system.backend.now().await.unwrap().collector, None);
        day.end().await;
    });
}

#[test]
fn figures_are_those_of_metrics() {
    on_actors(async {
        let collector = CollectorStandIn::start();
        let day = afternoon(&collector.endpoint()).await;
        day.sign("figures", async |me| me.count("metrics", "done").await > 0)
            .await;
        let figures = checked_figures(&collector.next("metrics").message);
        let text = day.system.backend.metrics().await.unwrap();
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let known: BTreeSet<&str> = types.filter_map(|line| line.split(' ').next()).collect();
        // Those with a label appear once they have counted something.
        assert!(
            figures.keys().all(|name| known.contains(name.as_str())),
            "{figures:?}"
        );
        for name in [
            "aura_build",
            "aura_journal_up",
            "aura_ledger_tokens",
            "aura_model_seconds",
        ] {
            assert!(figures.contains_key(name), "{name}: {figures:?}");
        }
        assert_eq!((figures["aura_build"], figures["aura_ledger_tokens"]), (1, 4));
        day.end().await;
    });
}

#[test]
fn nothing_but_codes_counts_and_ids_is_sent() {
    on_actors(async {
        let collector = CollectorStandIn::start();
        let mut day = afternoon(&collector.endpoint()).await;
        day.until("2026-11-04T14:20:00+05:30").await;
        let traces = day.traces();
        counted(&day, "done", traces.len() as u64).await;
        for trace in &traces {
            let message = collector.next("traces").message.to_string();
            assert!(!message.contains(&trace.rationale), "{message}");
            for span in checked_spans(&serde_json::from_str(&message).unwrap()) {
                for value in span.attributes.values().chain([&span.name]) {
                    let is_code = |b: u8| b.is_ascii_alphanumeric() || b"_.:- ".contains(&b);
                    assert!(value.bytes().all(is_code) && value.len() <= 64, "{value}");
                }
            }
        }
        day.end().await;
    });
}

#[test]
fn collector_that_is_not_there_gets_every_tick_once_it_is_and_no_tick_waits_for_it() {
    on_actors(async {
        let address = free_address();
        let mut day = afternoon(&format!("http://{address}")).await;
        day.until("2026-11-04T14:50:00+05:30").await;
        let traces = day.traces();
        assert!(traces.len() > 1, "the clock went on");
        day.sign("failure", async |me| me.count("traces", "failed").await > 0)
            .await;
        let status = collector_status(&day).await;
        assert_eq!(status["host"], "127.0.0.1");
        assert!(
            status["failing"].is_string() && status["reached_at"].is_null(),
            "{status}"
        );
        let collector = CollectorStandIn::at(address);
        counted(&day, "done", traces.len() as u64).await;
        let came: Vec<String> = traces
            .iter()
            .map(|_| about(&collector.next("traces").message))
            .collect();
        assert_eq!(came, ids(&traces));
        let status = collector_status(&day).await;
        assert!(
            status["failing"].is_null() && status["reached_at"].is_string(),
            "{status}"
        );
        day.end().await;
    });
}

#[test]
fn collector_that_says_later_is_asked_again_and_not_before() {
    on_actors(async {
        let collector = CollectorStandIn::start();
        collector.answer(&[(503, "", ""), (429, "Retry-After: 1\r\n", ""), (200, "", "{}")]);
        let mut day = afternoon(&collector.endpoint()).await;
        day.until("2026-11-04T14:03:10+05:30").await;
        counted(&day, "done", 1).await;
        let came = [(); 3].map(|()| collector.next("traces"));
        assert!(came.iter().all(|one| one.message == came[0].message));
        // The answer takes a moment from when its question came.
        assert!(came[2].at - came[1].at >= Duration::from_secs(1));
        counted(&day, "failed", 2).await;
        day.end().await;
    });
}

#[test]
fn what_a_collector_refuses_or_sends_elsewhere_is_not_sent_again_and_the_next_tick_is() {
    on_actors(async {
        let elsewhere = CollectorStandIn::start();
        let collector = CollectorStandIn::start();
        let location = format!("Location: {}/v1/traces\r\n", elsewhere.endpoint());
        collector.answer(&[(400, "", "{}"), (307, Box::leak(location.into_boxed_str()), "")]);
        let mut day = afternoon(&collector.endpoint()).await;
        day.until("2026-11-04T14:50:00+05:30").await;
        let traces = day.traces();
        assert!(traces.len() > 2, "{}", traces.len());
        counted(&day, "refused", 2).await;
        counted(&day, "done", traces.len() as u64 - 2).await;
        let came: Vec<String> = traces
            .iter()
            .map(|_| about(&collector.next("traces").message))
            .collect();
        assert_eq!(came, ids(&traces));
        assert!(elsewhere.has_no_more_traces(), "no redirect is followed");
        day.end().await;
    });
}

#[test]
fn spans_that_were_not_taken_are_counted_and_not_sent_again() {
    on_actors(async {
        let collector = CollectorStandIn::start();
        let partial = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#;
        collector.answer(&[(200, "", partial)]);
        let mut day = afternoon(&collector.endpoint()).await;
        day.until("2026-11-04T14:20:00+05:30").await;
        let traces = day.traces();
        counted(&day, "done", traces.len() as u64).await;
        assert_eq!(day.count("traces", "rejected").await, 3);
        for _ in &traces {
            collector.next("traces");
        }
        assert!(collector.has_no_more_traces());
        day.end().await;
    });
}

#[test]
fn collector_in_plain_on_another_machine_is_refused_with_what_would_be_right() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("home.toml");
    for (endpoint, is_right) in [
        ("http://127.0.0.1:4318", true),
        ("https://collector.example", true),
        ("http://collector.example:4318", false),
        ("http://192.168.1.2:4318", false),
    ] {
        std::fs::write(
            &path,
            format!("zone = \"UTC\"\n[telemetry]\nendpoint = \"{endpoint}\"\n"),
        )
        .unwrap();
        let loaded = HomeConfig::load(Path::new(&path));
        assert_eq!(loaded.is_ok(), is_right, "{endpoint}");
        if let Err(error) = loaded {
            let says = error.to_string();
            assert!(says.contains("CONF-003") && says.contains("https://"), "{says}");
        }
    }
}

/// What the service decided today, by its ids.
fn decided(service: &Service) -> Vec<String> {
    let (_, traces) = service.request("GET", "/v1/traces?limit=100", None);
    let id = |trace: &Value| trace["trace_id"].as_str().unwrap().to_owned();
    traces.as_array().unwrap().iter().map(id).collect()
}

/// Has the service decide, and waits until that was sent; notes all that was.
fn decide(service: &Service, collector: &CollectorStandIn, told: &mut Vec<String>) {
    let before = decided(service);
    assert_eq!(service.request("POST", "/v1/tick", None).0, 202);
    let new = service.until("a decision", |service| {
        decided(service).into_iter().find(|id| !before.contains(id))
    });
    while !told.contains(&new) {
        told.push(about(&collector.next("traces").message));
    }
}

#[test]
fn service_that_was_killed_goes_on_telling_its_collector_and_status_and_doctor_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    let collector = CollectorStandIn::start();
    let telemetry = format!("[telemetry]\nendpoint = \"{}\"\n", collector.endpoint());
    std::fs::write(&home, format!("zone = \"UTC\"\n{telemetry}")).unwrap();
    let mut told = Vec::new();
    let service = Service::start(&home, &data);
    decide(&service, &collector, &mut told);
    let status = |args: &[&str]| {
        let mut all = args.to_vec();
        all.extend(["--data", data.to_str().unwrap(), "--json"]);
        let (_, out, err) = aura(&all, b"");
        serde_json::from_str::<Value>(&out).unwrap_or_else(|_| panic!("{err}"))
    };
    let now = status(&["status"]);
    assert_eq!(now["telemetry"]["host"], "127.0.0.1", "{now}");
    assert!(
        now["telemetry"]["reached_at"].is_string() && now["telemetry"]["failing"].is_null(),
        "{now}"
    );
    service.kill();

    let service = Service::start(&home, &data);
    decide(&service, &collector, &mut told);
    let each: BTreeSet<&String> = told.iter().collect();
    assert_eq!(each.len(), told.len(), "each once: {told:?}");
    let key = data.with_extension("key");
    let report = status(&[
        "doctor",
        "--online",
        "--home",
        home.to_str().unwrap(),
        "--key-file",
        key.to_str().unwrap(),
    ]);
    let check = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["name"] == "telemetry")
        .unwrap()
        .clone();
    assert_eq!(
        (&check["level"], &check["what"]),
        (&json!("ok"), &json!("on, to 127.0.0.1: it answers"))
    );
}
