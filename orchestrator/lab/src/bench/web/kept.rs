//! The pages of a household that has kept much.
//!
//! What: an invented household (seeded: each trace is like one morning's, each payment a number of a generator) with years of traces and payments, on which the shipped
//! `aura` runs; the first paint of every page beside that of the same bytes from a server that does nothing else (`still`), by turns; how long a click takes until
//! something is painted. Why: years must not be felt. Not here: a new household (`web`), goals (`goals`).

use super::{BenchError, HttpClient, WAIT, browser::BrowserSession, span, still::StillSite, stress, token};
use crate::{
    bench::{
        SEED,
        memory::{aura, shared},
        store::{DurableMachine, committed},
        web::LatencySpan,
    },
    random::mixed,
};
use aura_memory::{
    StoreWrite, Vault,
    graph::{GraphNode, NodeData, NodeKey},
};
use aura_runtime::{
    config::HomeConfig,
    control::{self, ControlRequest},
};
use orchestrator_machine::policy::Policy;
use serde::Serialize;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Stdio},
};
use toolcall_schema::{
    Category, Timestamp,
    ids::OwnerSeed,
    money::{MoneyFlow, SignedAmount},
};

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptSizes {
    pub traces: u64,
    pub payments: u64,
    /// How often each page is painted.
    pub rounds: usize,
}

/// The first paint of a page, beside a static one of its bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PaintFigure {
    pub page: String,
    pub bytes: usize,
    /// Medians, in milliseconds.
    pub ours_ms: f64,
    pub still_ms: f64,
    /// The median of the differences, pair by pair.
    pub over_ms: f64,
}

/// A click, and the longest time until something was painted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct InteractionFigure {
    pub what: &'static str,
    pub page: String,
    pub count: usize,
    /// By the browser's own event timing, which knows steps of 8 ms and nothing below 16 ms.
    pub most_ms: f64,
}

/// What is measured of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct KeptFigures {
    pub traces: u64,
    pub payments: u64,
    pub paints: Vec<PaintFigure>,
    pub interactions: Vec<InteractionFigure>,
    /// From a signal to its card in the started browser; one of a household, so that a run has one.
    pub card: Option<LatencySpan>,
}

/// Every page without an id in its address.
const PAGES: [&str; 28] = [
    "/",
    "/watch",
    "/brief",
    "/agenda",
    "/chats",
    "/people",
    "/money",
    "/money/spending",
    "/money/ahead",
    "/body",
    "/body/days",
    "/history",
    "/history/days",
    "/month",
    "/memory",
    "/settings",
    "/devices",
    "/doctor",
    "/workflows",
    "/ops",
    "/ops/quarantine",
    "/ops/traces",
    "/ops/traces?order=slowest",
    "/ops/machine",
    "/ops/policy",
    "/ops/what-if",
    "/ops/ledger",
    "/offline",
];

/// What is clicked, where; the page of a tick is found on the list.
const CLICKS: [(&str, &str, &str); 5] = [
    ("Go to… is opened", "/", "[data-palette]"),
    (
        "a group of settings is opened",
        "/settings",
        "#more details summary",
    ),
    (
        "a step of a tick is opened",
        "/ops/traces/",
        "ol.waterfall summary",
    ),
    (
        "the table behind a tick is opened",
        "/ops/traces/",
        "#steps-title ~ details > summary",
    ),
    ("what is kept is searched", "/memory", "form[data-post] button"),
];

/// Milliseconds between two invented payments: some seventy a day.
const PAYMENT_EVERY_MS: i64 = 1_234_567;

/// A service on the invented household; it ends with this.
struct KeptHousehold {
    process: Child,
    page: String,
    data: PathBuf,
}

impl Drop for KeptHousehold {
    fn drop(&mut self) {
        // It may have ended by itself.
        if !matches!(control::ask(&self.data, &ControlRequest::Stop), Ok(Some(_))) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Measures in `dir`, which must be new.
///
/// # Errors
/// A disk, a service or a browser that says no.
pub(crate) fn measure_kept(
    household: (&HomeConfig, Policy, Timestamp),
    sizes: KeptSizes,
    browser: &BrowserSession,
    dir: &Path,
) -> Result<KeptFigures, BenchError> {
    fs::create_dir_all(dir)?;
    let data = dir.join("data");
    invent(household, sizes, &shared(&data)?)?;
    let service = KeptHousehold::start(dir, &data)?;
    let token = token(&data)?;
    let http = HttpClient::of(&service.page, &token)?;
    let pages = pages(&http)?;
    let still = StillSite::start(&http, &pages)?;
    browser.sign_in(&service.page, &token)?;
    let origin = service.page.trim_end_matches('/');
    let mut paints = Vec::new();
    for page in &pages {
        paints.push(paint(browser, (origin, &still), page, sizes.rounds)?);
    }
    let mut interactions = Vec::new();
    for (what, page, selector) in CLICKS {
        let page = pages
            .iter()
            .find(|known| *known == page || (page.ends_with('/') && page != "/" && known.starts_with(page)));
        if let Some(page) = page {
            interactions.extend(interaction(
                browser,
                origin,
                (what, page, selector),
                sizes.rounds,
            )?);
        }
    }
    let card = card(browser, &http, origin)?;
    browser.leave()?;
    Ok(KeptFigures {
        traces: sizes.traces,
        payments: sizes.payments,
        paints,
        interactions,
        card,
    })
}

/// Years of traces and payments, the same for the same sizes.
fn invent(
    (home, policy, wall): (&HomeConfig, Policy, Timestamp),
    sizes: KeptSizes,
    vault: &Vault,
) -> Result<(), BenchError> {
    let mut machine = DurableMachine::new(home, policy, wall, vault, 1)?;
    machine.invent_traces(sizes.traces)?;
    let payments: Vec<StoreWrite> = (0..sizes.payments).map(|n| payment(n, wall)).collect();
    for some in payments.chunks(512) {
        machine.store.write(some.to_vec())?;
        committed(&machine.store);
    }
    Ok(())
}

fn payment(n: u64, wall: Timestamp) -> StoreWrite {
    let key = OwnerSeed::from_day_seed(SEED).key("bench");
    let random = mixed(n);
    let back = i64::try_from(n).unwrap_or_default() * PAYMENT_EVERY_MS;
    let category = usize::try_from(random % Category::ALL.len() as u64).unwrap_or_default();
    StoreWrite::Node {
        node: GraphNode {
            key: NodeKey::from(&key.txn(&n.to_string())),
            at: wall.plus_ms(-back),
            data: NodeData::Transaction {
                merchant: key.merchant(&(random % 300).to_string()),
                amount: SignedAmount::new((random % 20_000 + 1).into(), MoneyFlow::Out),
                currency: "EUR".to_owned(),
                account_last4: "8841".to_owned(),
                category: Category::ALL.get(category).copied().unwrap_or(Category::Other),
            },
        },
        sentence: None,
    }
}

impl KeptHousehold {
    fn start(dir: &Path, data: &Path) -> Result<Self, BenchError> {
        let home = dir.join("home.toml");
        let keeps = "traces = \"always\"\nconversations = \"always\"\nevents = \"always\"\n";
        fs::write(&home, format!("zone = \"UTC\"\n[retention]\n{keeps}"))?;
        let mut process = aura(data)?
            .args(["run", "--port", "0", "--json", "--home"])
            .arg(&home)
            .arg("--data")
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = process.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let service = Self {
            process,
            page: ready["page"].as_str().unwrap_or_default().to_owned(),
            data: data.to_owned(),
        };
        if service.page.is_empty() {
            return Err(BenchError::Child("aura run"));
        }
        Ok(service)
    }
}

/// Every page, with one of a tick: its waterfall, its replay, its explanation.
fn pages(http: &HttpClient) -> Result<Vec<String>, BenchError> {
    let mut pages: Vec<String> = PAGES.iter().map(|page| (*page).to_owned()).collect();
    let list = http.get("/ops/traces")?;
    let mut ids = list.split("href=\"/ops/traces/").skip(1);
    // The newest one has its events in the journal.
    if let Some(id) = ids.find_map(|rest| rest.split('"').next()) {
        pages.push(format!("/ops/traces/{id}"));
        pages.push(format!("/trace/{id}"));
    }
    // One that answers otherwise is measured by nobody.
    pages.retain(|page| http.get(page).is_ok());
    Ok(pages)
}

fn paint(
    browser: &BrowserSession,
    (origin, still): (&str, &StillSite),
    page: &str,
    rounds: usize,
) -> Result<PaintFigure, BenchError> {
    let (mut ours, mut theirs, mut over) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        let own = browser.first_paint(&format!("{origin}{page}"))?;
        let bare = browser.first_paint(&still.address(page))?;
        ours.push(own);
        theirs.push(bare);
        over.push(own - bare);
    }
    let median = |ms| span("", ms).p50_ms;
    Ok(PaintFigure {
        page: page.to_owned(),
        bytes: still.bytes(page),
        ours_ms: median(ours),
        still_ms: median(theirs),
        over_ms: median(over),
    })
}

/// Clicks on the first of these; `None`: there is none.
fn interaction(
    browser: &BrowserSession,
    origin: &str,
    (what, page, selector): (&'static str, &str, &str),
    rounds: usize,
) -> Result<Option<InteractionFigure>, BenchError> {
    let mut most_ms: f64 = 0.0;
    for _ in 0..rounds.max(1) {
        browser.first_paint(&format!("{origin}{page}"))?;
        let Some(ms) = browser.click(selector)? else {
            return Ok(None);
        };
        most_ms = most_ms.max(ms);
    }
    Ok(Some(InteractionFigure {
        what,
        page: page.to_owned(),
        count: rounds.max(1),
        most_ms,
    }))
}

/// A signal that brings a card to the started browser; `None` where none came: the household may have been asked a moment ago.
fn card(
    browser: &BrowserSession,
    http: &HttpClient,
    origin: &str,
) -> Result<Option<LatencySpan>, BenchError> {
    browser.first_paint(&format!("{origin}/"))?;
    super::settled(http, WAIT)?;
    if browser.wait_for_card().is_err() {
        return Ok(None);
    }
    let begun = super::post_stress(http, &stress())?;
    Ok(browser
        .card()
        .ok()
        .map(|seen| span("browser: signal to card, much kept", vec![seen.card_ms - begun])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::{StoreReader, graph::NodeType};
    use orchestrator_machine::policy::DEFAULT_TEXT;

    #[test]
    fn invented_household_has_what_was_asked_for_and_is_always_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home/home.toml");
        let home = HomeConfig::load(&file).unwrap();
        let wall = home.start.unwrap().plus_ms(10_000);
        let sizes = KeptSizes {
            traces: 20,
            payments: 600,
            rounds: 1,
        };
        let vault = Vault::ephemeral(dir.path()).unwrap();
        invent((&home, Policy::parse(DEFAULT_TEXT).unwrap(), wall), sizes, &vault).unwrap();
        let reader = StoreReader::open(&vault).unwrap();
        let kept = reader
            .kept_nodes(NodeType::Transaction, "tx_", wall.plus_min(-60))
            .unwrap();
        assert_eq!((kept.all, kept.newest), (600, Some(wall)));
        assert!(reader.counts().unwrap().traces >= 20);
        assert_eq!(payment(7, wall), payment(7, wall));
        assert_ne!(payment(7, wall), payment(8, wall));
    }
}
