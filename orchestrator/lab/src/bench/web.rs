//! Figures of the pages: from a signal to its card, the first paint, the size of the whole; and of a household that has kept much (`kept`).
//!
//! What: for each repetition a new household as a whole service in this process, with its agents' processes, its store and HTTP on the
//! loopback; a signal that brings a card is posted, and the moments until it stands on the page are taken. Why: the owner meets Aura for a
//! few seconds a day. Not here: goals (`docs/performance.md`), driving the browser (`browser`), a model: none is in a new folder.

pub(crate) mod browser;
pub(crate) mod goals;
mod http;
pub(crate) mod kept;
mod still;

use super::BenchError;
use aura_memory::Vault;
use aura_platform::clock::{Clock, system_ms};
use aura_runtime::{
    config::HomeConfig,
    control::{self, ControlReply, ControlRequest},
    control_handler::ReloadFiles,
    host::run_alone,
    service::{OwnerQuotas, Service, ServiceMode, ServiceReady},
};
use browser::BrowserSession;
pub(super) use http::{EventStream, HttpClient};
use kept::{KeptFigures, KeptSizes};
use orchestrator_machine::policy::{DEFAULT_TEXT, Policy};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use surfaces_base::{
    devices::{DeviceName, DeviceScope},
    words::console::timer,
};
use toolcall_schema::{AgentName, Timestamp, timer::TimerName};

/// How long anything may take.
const WAIT: Duration = Duration::from_secs(20);

/// How often it is looked whether the service is at rest.
const LOOK: Duration = Duration::from_millis(20);

/// The pages whose bytes are counted, with all that they name.
const PAGES: [&str; 16] = [
    "/",
    "/watch",
    "/brief",
    "/chats",
    "/money",
    "/body",
    "/memory",
    "/settings",
    "/sw.js",
    "/workflows",
    "/ops",
    "/ops/quarantine",
    "/ops/traces",
    "/ops/machine",
    "/ops/policy",
    "/ops/ledger",
];

/// A span of time over all repetitions, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LatencySpan {
    /// From what to what.
    pub what: String,
    /// How many times.
    pub count: usize,
    /// The median.
    pub p50_ms: f64,
    /// The 95th of a hundred.
    pub p95_ms: f64,
    /// The shortest and the longest.
    pub min_max_ms: (f64, f64),
}

/// What `aura bench web` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WebFigures {
    /// The browser's name and version; absent: none was there, and its spans are not measured.
    pub browser: Option<String>,
    /// From signal to card, part by part, and the first paints.
    pub spans: Vec<LatencySpan>,
    /// Bytes of each page and of each asset that pages name, without headers.
    pub bytes: BTreeMap<String, usize>,
    /// All of the owner's app: its sections, the watch, and what they name. The operator's console is counted by page alone.
    pub total_bytes: usize,
    /// Addresses of elsewhere that a page names or that the browser asked for.
    pub foreign: Vec<String>,
    /// Of a household that has kept much; absent: without a browser it is not measured.
    pub kept: Option<KeptFigures>,
}

/// Measures so many times, in new folders below `dir`.
///
/// # Errors
/// A service, a browser or a card that does not come.
pub(crate) fn web(
    household: (&HomeConfig, Policy, Timestamp),
    (count, sizes): (usize, KeptSizes),
    dir: &Path,
) -> Result<WebFigures, BenchError> {
    let browser = BrowserSession::start()?;
    let mut spans = SpanTimes::default();
    let mut size = TransferSizes::default();
    for n in 0..count.max(1) {
        let household = BenchHousehold::start(&dir.join(n.to_string()))?;
        if n == 0 {
            size = household.size()?;
        }
        household.over_http(&mut spans)?;
        household.end()?;
        if let Some(browser) = &browser {
            let household = BenchHousehold::start(&dir.join(format!("{n}-browser")))?;
            household.in_browser(browser, &mut spans, &mut size)?;
            household.end()?;
        }
    }
    let kept = match &browser {
        Some(browser) if sizes.traces > 0 => {
            Some(kept::measure_kept(household, sizes, browser, &dir.join("kept"))?)
        }
        Some(_) | None => None,
    };
    Ok(WebFigures {
        kept,
        browser: browser.as_ref().map(|browser| browser.name().to_owned()),
        spans: spans.figures(),
        total_bytes: app_bytes(&size.bytes),
        bytes: size.bytes,
        foreign: size.foreign,
    })
}

/// Milliseconds by what they are of, in the order in which they were named first.
#[derive(Default)]
struct SpanTimes(Vec<(&'static str, Vec<f64>)>);

impl SpanTimes {
    fn add(&mut self, what: &'static str, ms: f64) {
        match self.0.iter_mut().find(|(name, _)| *name == what) {
            Some((_, list)) => list.push(ms),
            None => self.0.push((what, vec![ms])),
        }
    }

    fn figures(self) -> Vec<LatencySpan> {
        self.0.into_iter().map(|(what, ms)| span(what, ms)).collect()
    }
}

/// Times as a span.
pub(super) fn span(what: &str, mut ms: Vec<f64>) -> LatencySpan {
    ms.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        // Nearest rank: the least that so many of a hundred do not exceed.
        let rank = (ms.len() * percent).div_ceil(100).max(1);
        ms.get(rank - 1).copied().unwrap_or(0.0)
    };
    LatencySpan {
        what: what.to_owned(),
        count: ms.len(),
        p50_ms: at(50),
        p95_ms: at(95),
        min_max_ms: (at(0), at(100)),
    }
}

/// The bytes of the owner's app, without the pages of the operator's console.
fn app_bytes(bytes: &BTreeMap<String, usize>) -> usize {
    let is_console = |page: &str| page == "/workflows" || page.starts_with("/ops");
    let of_app = bytes.iter().filter(|(address, _)| !is_console(address));
    of_app.map(|(_, bytes)| bytes).sum()
}

/// Bytes by address, and addresses of elsewhere.
#[derive(Default)]
struct TransferSizes {
    bytes: BTreeMap<String, usize>,
    foreign: Vec<String>,
}

/// A new household as a running service.
struct BenchHousehold {
    vault: PathBuf,
    http: HttpClient,
    page: String,
    token: String,
    ended: JoinHandle<Result<(), BenchError>>,
}

impl BenchHousehold {
    fn start(dir: &Path) -> Result<Self, BenchError> {
        fs::create_dir_all(dir)?;
        let file = dir.join("home.toml");
        fs::write(&file, "zone = \"UTC\"\n")?;
        let data = dir.join("data");
        let service = Service {
            mode: ServiceMode::Run,
            home: HomeConfig::load(&file).map_err(|_| BenchError::Child("the household's configuration"))?,
            files: ReloadFiles {
                home: file,
                policy: None,
            },
            policy_text: DEFAULT_TEXT.to_owned(),
            vault: Vault::ephemeral(&data)?,
            host_name: None,
            quotas: OwnerQuotas::default(),
            remote_log: None,
        };
        let (tell, told) = mpsc::channel();
        let run = move || {
            let ready = |ready: ServiceReady| drop(tell.send(ready.page));
            run_alone(service, 0, ready).map_err(|error| {
                tracing::error!(%error, "the household's service");
                BenchError::Child("the household's service")
            })
        };
        let ended = thread::Builder::new().name("household".to_owned()).spawn(run)?;
        let page = told.recv_timeout(WAIT).map_err(|_| BenchError::NoAnswer)?;
        let token = token(&data)?;
        Ok(Self {
            http: HttpClient::of(&page, &token)?,
            vault: data,
            page,
            token,
            ended,
        })
    }

    /// Under which browsers see it.
    fn origin(&self) -> &str {
        self.page.trim_end_matches('/')
    }

    fn end(self) -> Result<(), BenchError> {
        control::ask(&self.vault, &ControlRequest::Stop)?;
        self.ended.join().map_err(|_| BenchError::NoAnswer)?
    }

    /// What a program sees that has a page's stream and fragment.
    fn over_http(&self, spans: &mut SpanTimes) -> Result<(), BenchError> {
        let mut stream = EventStream::open(&self.http, "phone", WAIT)?;
        let hello = stream.until("hello")?;
        let connection = hello.split(' ').next().unwrap_or_default();
        settled(&self.http, WAIT)?;
        let begun = post_stress(&self.http, &stress())?;
        let card = stream.until("now")?;
        let event = system_ms();
        let fragment = self.http.get(&format!("/fragment/now?c={connection}"))?;
        let whole = system_ms();
        if !(card.contains("data-card=") && fragment.contains("data-card=")) {
            return Err(BenchError::NoAnswer);
        }
        spans.add("HTTP: signal to the card on the stream", event - begun);
        spans.add("HTTP: the card to the whole page's last byte", whole - event);
        Ok(())
    }

    fn in_browser(
        &self,
        browser: &BrowserSession,
        spans: &mut SpanTimes,
        size: &mut TransferSizes,
    ) -> Result<(), BenchError> {
        browser.sign_in(&self.page, &self.token)?;
        for (path, what) in [
            ("/watch", "browser: first paint of /watch"),
            ("/", "browser: first paint of /"),
        ] {
            spans.add(what, browser.first_paint(&format!("{}{path}", self.origin()))?);
        }
        settled(&self.http, WAIT)?;
        browser.wait_for_card()?;
        let begun = post_stress(&self.http, &stress())?;
        let seen = browser.card()?;
        spans.add("browser: signal to card", seen.card_ms - begun);
        spans.add(
            "browser: card to the whole page's last byte",
            seen.whole_ms - seen.card_ms,
        );
        let origin = self.origin();
        let elsewhere = seen
            .requests
            .into_iter()
            .filter(|address| !address.starts_with(origin));
        size.foreign.extend(elsewhere);
        browser.leave()
    }

    /// Every page and all that it names.
    fn size(&self) -> Result<TransferSizes, BenchError> {
        let mut size = TransferSizes::default();
        for page in PAGES {
            let text = self.http.get(page)?;
            for address in named(&text) {
                let ours = address.starts_with('/') && !address.starts_with("//");
                if !ours && !address.starts_with('#') {
                    size.foreign.push(address.to_owned());
                } else if is_asset(address) && !size.bytes.contains_key(address) {
                    let bytes = self.http.transferred(address)?;
                    size.bytes.insert(address.to_owned(), bytes);
                }
            }
            size.bytes.insert(page.to_owned(), text.len());
        }
        Ok(size)
    }
}

/// Waits until nothing is read and nothing decided: what a start costs is measured elsewhere.
fn settled(http: &HttpClient, at_most: Duration) -> Result<(), BenchError> {
    let end = Instant::now() + at_most;
    while Instant::now() < end {
        let machine = http.get("/ops/machine")?;
        let reads = AgentName::FOUR
            .iter()
            .any(|agent| machine.contains(&timer(TimerName::Reading(*agent))));
        if !reads && !machine.contains("data-again-ms") {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
    Err(BenchError::NoAnswer)
}

/// Posts signals; the moment before.
fn post_stress(http: &HttpClient, signals: &Value) -> Result<f64, BenchError> {
    let body = signals.to_string();
    let begun = system_ms();
    http.post("/v1/signals", &body)?;
    Ok(begun)
}

/// The token of a new device of the owner's.
pub(super) fn token(data: &Path) -> Result<String, BenchError> {
    let name = DeviceName::parse("bench").ok_or(BenchError::NoAnswer)?;
    let scope = DeviceScope::Owner;
    match control::ask(
        data,
        &ControlRequest::DeviceAdd {
            scope,
            name,
            asks: None,
        },
    )? {
        Some(ControlReply::DeviceAdded { token, .. }) => Ok(token.text().to_owned()),
        Some(_) | None => Err(BenchError::NotSeen("no browser was paired")),
    }
}

/// What a page names: the values of `src` and `href`.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let values = |name: &'static str| text.split(name).skip(1).filter_map(|rest| rest.split('"').next());
    values(" src=\"").chain(values(" href=\""))
}

/// Files that belong to pages: scripts, styles, pictures, the manifest.
fn is_asset(address: &str) -> bool {
    let name = address.split('?').next().unwrap_or(address);
    let ends = |end| Path::new(name).extension().is_some_and(|it| it == end);
    ["js", "css", "svg", "png", "webmanifest", "woff2"]
        .into_iter()
        .any(ends)
}

/// A load that crosses 70 with all the marks of stress: a question that comes at once and costs no attention.
fn stress() -> Value {
    let at = Clock::real(None).wall();
    let signal = |id: &str, kind: &str, payload: Value| json!({ "id": id, "at": at, "source": "bench", "kind": kind, "payload": payload });
    let day = json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 });
    json!([
        signal("h1", "hrv", json!({ "rmssd_ms": 20.0 })),
        signal("s1", "sleep", json!({ "asleep_min": 240 })),
        signal("a1", "activity", day),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let of = |ms: Vec<f64>| {
            let span = span("x", ms);
            (span.count, span.p50_ms, span.p95_ms, span.min_max_ms)
        };
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(of(hundred), (100, 50.0, 95.0, (1.0, 100.0)));
        assert_eq!(of(vec![3.0, 1.0]), (2, 1.0, 3.0, (1.0, 3.0)));
        assert_eq!(of(vec![]), (0, 0.0, 0.0, (0.0, 0.0)));
    }

    #[test]
    fn the_console_is_no_part_of_the_app() {
        let pages = [
            ("/", 1),
            ("/watch", 2),
            ("/assets/aura.css", 4),
            ("/ops", 8),
            ("/ops/policy", 16),
            ("/workflows", 32),
        ];
        let bytes = pages.map(|(page, bytes)| (page.to_owned(), bytes));
        assert_eq!(app_bytes(&BTreeMap::from(bytes)), 7);
    }

    #[test]
    fn what_a_page_names_is_found_and_told_apart() {
        let page = r#"<link rel="icon" href="/a.svg"><script src="/a.js?v=1"></script><a href="/week">w</a><img src="https://x.example/p.png">"#;
        let mut found: Vec<(&str, bool)> = named(page).map(|address| (address, is_asset(address))).collect();
        found.sort_unstable();
        let wanted = [
            ("/a.js?v=1", true),
            ("/a.svg", true),
            ("/week", false),
            ("https://x.example/p.png", true),
        ];
        assert_eq!(found, wanted);
    }
}
