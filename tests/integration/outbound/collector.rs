//! A stand-in for an OpenTelemetry collector, on the loopback.
//!
//! What: takes `/v1/traces` and `/v1/metrics` in JSON, checks each message against the rules of OTLP's JSON, and answers as it is told. Why: a collector of
//! today refuses what breaks them, and a test decides when one fails. Not here: any claim about Aura.

use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};

/// What came: the last word of its address, the `Authorization`, the message, and when.
#[derive(Debug, Clone)]
pub(crate) struct CollectedMessage {
    pub(crate) signal: String,
    pub(crate) bearer: Option<String>,
    pub(crate) message: Value,
    pub(crate) at: Instant,
}

/// An answer: status, header lines, body.
pub(crate) type CollectorAnswer = (u16, &'static str, &'static str);

/// The stand-in.
pub(crate) struct CollectorStandIn {
    pub(crate) address: SocketAddr,
    /// What it answers next to traces; then 200.
    answers: Arc<Mutex<VecDeque<CollectorAnswer>>>,
    came: Receiver<CollectedMessage>,
}

/// An address where nobody listens.
pub(crate) fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

impl CollectorStandIn {
    pub(crate) fn start() -> Self {
        Self::at(([127, 0, 0, 1], 0).into())
    }

    pub(crate) fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let answers: Arc<Mutex<VecDeque<CollectorAnswer>>> = Arc::default();
        let (tell, came) = channel();
        let inner = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (inner, tell) = (Arc::clone(&inner), tell.clone());
                // Who went away is no concern of the others.
                std::thread::spawn(move || serve(stream.unwrap(), &inner, &tell));
            }
        });
        Self {
            address,
            answers,
            came,
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next traces so.
    pub(crate) fn answer(&self, answers: &[CollectorAnswer]) {
        self.answers.lock().unwrap().extend(answers);
    }

    /// The next message with this signal; others are passed over.
    pub(crate) fn next(&self, signal: &str) -> CollectedMessage {
        loop {
            let came = self.came.recv_timeout(Duration::from_secs(20)).unwrap();
            if came.signal == signal {
                return came;
            }
        }
    }

    /// Whether no traces came that nobody took.
    pub(crate) fn has_no_more_traces(&self) -> bool {
        self.came.try_iter().all(|came| came.signal != "traces")
    }
}

fn serve(
    mut stream: TcpStream,
    answers: &Mutex<VecDeque<CollectorAnswer>>,
    tell: &Sender<CollectedMessage>,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    let signal = first.split(' ').nth(1)?.strip_prefix("/v1/")?.to_owned();
    assert!(first.starts_with("POST "), "{first}");
    assert_eq!(
        headers.get("content-type").map(String::as_str),
        Some("application/json")
    );
    let message: Value = serde_json::from_slice(&body).unwrap();
    let answer = if signal == "traces" {
        answers.lock().unwrap().pop_front()
    } else {
        None
    };
    let bearer = headers.get("authorization").cloned();
    tell.send(CollectedMessage {
        signal,
        bearer,
        message,
        at: Instant::now(),
    })
    .ok()?;
    let (status, more, said) = answer.unwrap_or((200, "", "{}"));
    let length = said.len();
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\n{more}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{said}"
    )
    .ok()
}

/// The members of an object, which has these and no others; those with a `?` may be missing.
fn members<'a>(value: &'a Value, names: &[&str]) -> &'a serde_json::Map<String, Value> {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let known: BTreeSet<&str> = names.iter().map(|name| name.trim_end_matches('?')).collect();
    for name in object.keys() {
        assert!(known.contains(name.as_str()), "{name} is no member: {value}");
    }
    for name in names.iter().filter(|name| !name.ends_with('?')) {
        assert!(object.contains_key(*name), "{name} is missing: {value}");
    }
    object
}

fn hex_of(value: &Value, length: usize) -> &str {
    let text = value.as_str().unwrap();
    let is_hex = text
        .bytes()
        .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    assert!(is_hex && text.len() == length, "{text}");
    assert!(text.bytes().any(|b| b != b'0'), "an id of zeros is none");
    text
}

/// 64 bits are written as a text.
fn digits(value: &Value) -> u64 {
    let text = value.as_str().unwrap_or_else(|| panic!("no text: {value}"));
    text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

fn attributes(value: &Value) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for one in value.as_array().unwrap() {
        let pair = members(one, &["key", "value"]);
        let typed = members(&pair["value"], &["stringValue?", "intValue?", "boolValue?"]);
        assert_eq!(typed.len(), 1, "{one}");
        let text = match (
            typed.get("stringValue"),
            typed.get("intValue"),
            typed.get("boolValue"),
        ) {
            (Some(text), _, _) => text.as_str().unwrap().to_owned(),
            (_, Some(number), _) => digits(number).to_string(),
            (_, _, Some(switch)) => switch.as_bool().unwrap().to_string(),
            (None, None, None) => panic!("{one}"),
        };
        let again = all.insert(pair["key"].as_str().unwrap().to_owned(), text);
        assert!(again.is_none(), "a key stands twice: {value}");
    }
    all
}

/// The scope's things below a message's one resource, whose attributes are checked.
fn scoped<'a>(message: &'a Value, [of, scopes, things]: [&str; 3]) -> &'a Vec<Value> {
    let all = members(message, &[of])[of].as_array().unwrap();
    assert_eq!(all.len(), 1);
    let one = members(&all[0], &["resource", scopes]);
    let resource = members(&one["resource"], &["attributes"]);
    let named = attributes(&resource["attributes"]);
    assert_eq!(named.get("service.name").map(String::as_str), Some("aura"));
    let scopes = one[scopes].as_array().unwrap();
    assert_eq!(scopes.len(), 1);
    let scope = members(&scopes[0], &["scope", things]);
    members(&scope["scope"], &["name", "version"]);
    scope[things].as_array().unwrap()
}

/// A span as it was checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedSpan {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) from_ms: u64,
    pub(crate) to_ms: u64,
    pub(crate) is_bad: bool,
    pub(crate) attributes: BTreeMap<String, String>,
}

/// The spans of a message, whose every rule is checked; a span's parent by its name.
pub(crate) fn checked_spans(message: &Value) -> Vec<CheckedSpan> {
    let spans = scoped(message, ["resourceSpans", "scopeSpans", "spans"]);
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for span in spans {
        let id = hex_of(&span["spanId"], 16);
        let again = names.insert(id, span["name"].as_str().unwrap());
        assert!(again.is_none(), "an id stands twice");
    }
    let trace = hex_of(&spans[0]["traceId"], 32);
    let check = |span: &Value| {
        let all = members(
            span,
            &[
                "traceId",
                "spanId",
                "parentSpanId?",
                "name",
                "kind",
                "startTimeUnixNano",
                "endTimeUnixNano",
                "attributes",
                "status?",
            ],
        );
        assert_eq!(all["traceId"], trace, "one trace");
        assert_eq!(all["kind"], json!(1), "an enum is a number");
        let (from, to) = (digits(&all["startTimeUnixNano"]), digits(&all["endTimeUnixNano"]));
        assert!(from <= to, "{span}");
        let status = all.get("status").map(|status| members(status, &["code?"]));
        let code = status.and_then(|status| status.get("code")).cloned();
        let parent = all.get("parentSpanId").map(|id| hex_of(id, 16));
        CheckedSpan {
            name: all["name"].as_str().unwrap().to_owned(),
            parent: parent.map(|id| (*names.get(id).unwrap()).to_owned()),
            from_ms: from / 1_000_000,
            to_ms: to / 1_000_000,
            is_bad: code.is_some_and(|code| code == json!(2)),
            attributes: attributes(&all["attributes"]),
        }
    };
    spans.iter().map(check).collect()
}

/// The figures of a message, whose every rule is checked: each name with how many points it has.
pub(crate) fn checked_figures(message: &Value) -> BTreeMap<String, usize> {
    let metrics = scoped(message, ["resourceMetrics", "scopeMetrics", "metrics"]);
    let mut figures = BTreeMap::new();
    for metric in metrics {
        let all = members(metric, &["name", "description", "sum?", "gauge?", "histogram?"]);
        assert_eq!(all.len(), 3, "one sort of data: {metric}");
        let count = match (all.get("sum"), all.get("gauge"), all.get("histogram")) {
            (Some(sum), _, _) => {
                let sum = members(sum, &["aggregationTemporality", "isMonotonic", "dataPoints"]);
                assert_eq!(
                    (&sum["aggregationTemporality"], &sum["isMonotonic"]),
                    (&json!(2), &json!(true))
                );
                number_points(&sum["dataPoints"])
            }
            (_, Some(gauge), _) => number_points(&members(gauge, &["dataPoints"])["dataPoints"]),
            (_, _, Some(histogram)) => {
                let histogram = members(histogram, &["aggregationTemporality", "dataPoints"]);
                assert_eq!(histogram["aggregationTemporality"], json!(2));
                let points = histogram["dataPoints"].as_array().unwrap();
                points.iter().for_each(check_histogram);
                points.len()
            }
            (None, None, None) => panic!("{metric}"),
        };
        let again = figures.insert(all["name"].as_str().unwrap().to_owned(), count);
        assert!(again.is_none(), "a figure stands twice");
    }
    figures
}

fn number_points(points: &Value) -> usize {
    let points = points.as_array().unwrap();
    for point in points {
        let all = members(
            point,
            &["attributes", "startTimeUnixNano?", "timeUnixNano", "asDouble"],
        );
        assert!(all["asDouble"].is_number(), "{point}");
        attributes(&all["attributes"]);
        let at = digits(&all["timeUnixNano"]);
        if let Some(since) = all.get("startTimeUnixNano") {
            assert!(digits(since) <= at, "{point}");
        }
    }
    points.len()
}

fn check_histogram(point: &Value) {
    let all = members(
        point,
        &[
            "attributes",
            "startTimeUnixNano",
            "timeUnixNano",
            "count",
            "sum",
            "bucketCounts",
            "explicitBounds",
        ],
    );
    attributes(&all["attributes"]);
    let counts: Vec<u64> = all["bucketCounts"]
        .as_array()
        .unwrap()
        .iter()
        .map(digits)
        .collect();
    let bounds: Vec<f64> = all["explicitBounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bound| bound.as_f64().unwrap())
        .collect();
    assert_eq!(counts.len(), bounds.len() + 1, "{point}");
    assert!(bounds.is_sorted(), "{point}");
    assert_eq!(counts.iter().sum::<u64>(), digits(&all["count"]), "{point}");
}
