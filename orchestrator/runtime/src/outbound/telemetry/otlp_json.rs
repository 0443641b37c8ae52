//! Ticks and figures as OpenTelemetry writes them in JSON.
//!
//! What: [`traces_message`], the rows of a tick's waterfall as spans of one trace, and [`metrics_message`], the figures of `/metrics`. Why: both are made from what
//! the console and `/metrics` show, so all three say the same. Nothing but codes, counts and ids of ours gets out: a text that has not the form of one is left out
//! here, whoever wrote it. Not here: sending (`super`).
//!
//! The mapping is that of OTLP 1: ids in hexadecimal digits, 64-bit numbers as texts, enums as numbers.

use aura_platform::metric_families::{
    HistogramCounts, LabelledValue, MetricFamily, MetricLabels, MetricPoints,
};
use serde_json::{Value, json};
use surfaces::render::waterfall::{StepRole, WaterfallRow, waterfall};
use surfaces_base::backend::console::{TickView, own_time_ms};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// `SPAN_KIND_INTERNAL`
const SPAN_KIND: u8 = 1;
/// `STATUS_CODE_ERROR`
const STATUS_ERROR: u8 = 2;
/// `AGGREGATION_TEMPORALITY_CUMULATIVE`
const CUMULATIVE: u8 = 2;

/// The longest code, in bytes.
const CODE_MAX: usize = 64;

/// A tick as one trace: a span for the whole, below it one for each row of its waterfall.
pub(super) fn traces_message(view: &TickView) -> Value {
    let picture = waterfall(view);
    let trace = &view.trace;
    let (trace_id, root) = (
        trace_id(trace.trace_id.as_str()),
        span_id(trace.trace_id.as_str(), 0),
    );
    let mut attributes = vec![
        text("aura.trace_id", trace.trace_id.as_str()),
        whole("aura.tick", trace.decision.tick),
        text("aura.outcome", trace.outcome.as_str()),
        whole("aura.own_ms", u64::try_from(own_time_ms(trace)).unwrap_or(0)),
        whole("aura.candidates", trace.decision.candidates.len() as u64),
        whole("aura.refused", view.refused.len() as u64),
    ];
    attributes.extend(
        trace
            .reason_code
            .map(|reason| text("aura.reason", reason.as_str())),
    );
    let name = if trace.decision.call.is_some() {
        "call"
    } else {
        "tick"
    };
    let mut spans = vec![json!({
        "traceId": trace_id, "spanId": root, "name": name, "kind": SPAN_KIND,
        "startTimeUnixNano": nanos(picture.from), "endTimeUnixNano": nanos(picture.from.plus_ms(picture.ms)),
        "attributes": attributes,
    })];
    let mut parent = root.clone();
    for (row, number) in picture.rows.iter().zip(1..) {
        let id = span_id(trace.trace_id.as_str(), number);
        let above = if row.is_nested { &parent } else { &root };
        spans.push(span(row, &trace_id, &id, above));
        if !row.is_nested && row.role == StepRole::State {
            parent = id;
        }
    }
    json!({ "resourceSpans": [{
        "resource": resource(),
        "scopeSpans": [{ "scope": scope(), "spans": spans }],
    }] })
}

fn span(row: &WaterfallRow, trace_id: &str, id: &str, parent: &str) -> Value {
    let mut attributes = vec![text("aura.role", row.role.class())];
    let result = row.result.as_deref().filter(|result| is_code(result));
    attributes.extend(result.map(|result| text("aura.result", result)));
    if row.ms.is_none() {
        attributes.push(json!({ "key": "aura.instant", "value": { "boolValue": true } }));
    }
    let status = if row.is_bad {
        json!({ "code": STATUS_ERROR })
    } else {
        json!({})
    };
    json!({
        "traceId": trace_id, "spanId": id, "parentSpanId": parent, "kind": SPAN_KIND,
        "name": if is_code(&row.code) { &row.code } else { row.role.class() },
        "startTimeUnixNano": nanos(row.from), "endTimeUnixNano": nanos(row.from.plus_ms(row.ms.unwrap_or(0))),
        "attributes": attributes, "status": status,
    })
}

/// The figures since the process began to send, as they were at `at`.
pub(super) fn metrics_message(families: &[MetricFamily], since: Timestamp, at: Timestamp) -> Value {
    let times = (nanos(since), nanos(at));
    let metrics: Vec<Value> = families.iter().map(|family| metric(family, &times)).collect();
    json!({ "resourceMetrics": [{
        "resource": resource(),
        "scopeMetrics": [{ "scope": scope(), "metrics": metrics }],
    }] })
}

fn metric(family: &MetricFamily, times: &(String, String)) -> Value {
    let mut metric = json!({ "name": family.name, "description": family.help });
    let (key, data) = match &family.points {
        MetricPoints::Counter(points) => (
            "sum",
            json!({ "aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": numbers(points, times, true) }),
        ),
        MetricPoints::Gauge(points) => ("gauge", json!({ "dataPoints": numbers(points, times, false) })),
        MetricPoints::Histogram(points) => {
            let points: Vec<Value> = points.iter().map(|point| histogram(point, times)).collect();
            (
                "histogram",
                json!({ "aggregationTemporality": CUMULATIVE, "dataPoints": points }),
            )
        }
    };
    metric[key] = data;
    metric
}

fn numbers(points: &[LabelledValue<f64>], (since, at): &(String, String), is_counted: bool) -> Vec<Value> {
    let number = |(labels, value): &LabelledValue<f64>| {
        let mut point =
            json!({ "attributes": label_attributes(labels), "timeUnixNano": at, "asDouble": value });
        if is_counted {
            point["startTimeUnixNano"] = json!(since);
        }
        point
    };
    points.iter().map(number).collect()
}

/// Buckets count up to their bound in the one form, and from the bound before in the other.
fn histogram((labels, counts): &LabelledValue<HistogramCounts>, (since, at): &(String, String)) -> Value {
    let mut below = 0;
    let mut each = Vec::new();
    for (_, up_to) in &counts.buckets {
        each.push(up_to.saturating_sub(below).to_string());
        below = *up_to;
    }
    let bounds: Vec<f64> = counts
        .buckets
        .iter()
        .map(|(bound, _)| *bound)
        .filter(|bound| bound.is_finite())
        .collect();
    json!({
        "attributes": label_attributes(labels), "startTimeUnixNano": since, "timeUnixNano": at,
        "count": counts.count.to_string(), "sum": counts.sum, "bucketCounts": each, "explicitBounds": bounds,
    })
}

fn label_attributes(labels: &MetricLabels) -> Vec<Value> {
    let known = labels
        .iter()
        .filter(|(name, value)| is_code(name) && is_code(value));
    known.map(|(name, value)| text(name, value)).collect()
}

fn resource() -> Value {
    json!({ "attributes": [text("service.name", "aura"), text("service.version", env!("CARGO_PKG_VERSION"))] })
}

fn scope() -> Value {
    json!({ "name": "aura", "version": env!("CARGO_PKG_VERSION") })
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn whole(key: &str, value: u64) -> Value {
    json!({ "key": key, "value": { "intValue": value.to_string() } })
}

/// Whether a text has the form of a code, a name or an id of ours.
fn is_code(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_.:- ".contains(&b);
    (1..=CODE_MAX).contains(&text.len()) && text.bytes().all(fits)
}

/// A trace has the same ids however often it is sent.
fn trace_id(trace: &str) -> String {
    let mut id = sha256_hex(format!("otlp trace {trace}").as_bytes());
    id.truncate(32);
    id
}

fn span_id(trace: &str, number: u32) -> String {
    let mut id = sha256_hex(format!("otlp span {trace} {number}").as_bytes());
    id.truncate(16);
    id
}

fn nanos(at: Timestamp) -> String {
    (i128::from(at.ms().max(0)) * 1_000_000).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_platform::metric_families::families;

    #[test]
    fn figures_are_written_as_the_mapping_says() {
        let text = "# HELP aura_ticks Ticks.\n# TYPE aura_ticks counter\naura_ticks_total{outcome=\"done\"} 3\n\
            # HELP aura_s Time.\n# TYPE aura_s histogram\naura_s_sum 0.5\naura_s_count 3\n\
            aura_s_bucket{le=\"0.1\"} 1\naura_s_bucket{le=\"1.0\"} 3\naura_s_bucket{le=\"+Inf\"} 3\n# EOF\n";
        let message = metrics_message(
            &families(text),
            Timestamp::from_ms(1_000),
            Timestamp::from_ms(2_001),
        );
        let metrics = &message["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        assert_eq!(
            metrics,
            &json!([
                { "name": "aura_ticks", "description": "Ticks", "sum": {
                    "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [{
                        "attributes": [{ "key": "outcome", "value": { "stringValue": "done" } }],
                        "startTimeUnixNano": "1000000000", "timeUnixNano": "2001000000", "asDouble": 3.0 }] } },
                { "name": "aura_s", "description": "Time", "histogram": {
                    "aggregationTemporality": 2, "dataPoints": [{
                        "attributes": [], "startTimeUnixNano": "1000000000", "timeUnixNano": "2001000000",
                        "count": "3", "sum": 0.5, "bucketCounts": ["1", "2", "0"], "explicitBounds": [0.1, 1.0] }] } },
            ])
        );
    }

    #[test]
    fn text_that_is_no_code_stays_here() {
        for (text, is) in [
            ("agent comms", true),
            ("GATE-012", true),
            ("call comms.mute_channel", true),
            ("", false),
            ("a\nb", false),
            ("Zo\u{eb}", false),
            ("name@example.org", false),
        ] {
            assert_eq!(is_code(text), is, "{text}");
        }
        assert!(!is_code(&"a".repeat(CODE_MAX + 1)));
    }

    #[test]
    fn ids_have_their_length_and_are_always_the_same() {
        let (trace, span) = (trace_id("tr_000000000001"), span_id("tr_000000000001", 1));
        assert_eq!((trace.len(), span.len()), (32, 16));
        assert_eq!(trace, trace_id("tr_000000000001"));
        assert_ne!(span, span_id("tr_000000000001", 2));
        assert_ne!(span, span_id("tr_000000000002", 1));
    }
}
