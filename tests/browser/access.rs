//! Every page for everybody: axe-core, narrow and wide, light and dark, and a console without a word.
//!
//! What: follows each link from the first page on and asks of each page it comes to what WCAG 2.2 AA asks, as far as a
//! program can tell. Why: a page that is added later is checked without being named. Not here: what a person must judge.

use crate::{
    driver::{Browser, DESK, NARROW, PHONE, Size, TABLET, WATCH, WIDE},
    page::{Page, paired},
    support::Service,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path};

/// axe-core as npm installed it.
pub(crate) fn axe() -> String {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/browser/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(file).unwrap_or_else(|error| {
        unreachable!("axe-core is not installed ({error}); run `scripts/deps.sh browser`")
    })
}

/// The bundled household in a new folder, its day begun.
pub(crate) fn demo(dir: &Path) -> Service {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/home");
    Service::spawn("demo", 0, &home, &dir.join("demo"), |command| {
        command.arg("--headless")
    })
}

/// What axe-core is asked for.
const RULES: [&str; 6] = [
    "wcag2a",
    "wcag2aa",
    "wcag21a",
    "wcag21aa",
    "wcag22aa",
    "best-practice",
];

/// Who judges whether texts can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contrast {
    /// Our own look, and axe-core where that one is not sure.
    Quick,
    /// Axe-core too: it needs as long as for all its other rules together.
    ByAxe,
}

/// What axe-core finds, one line each. What `access.js` is sure of without it is not asked.
async fn violations(page: &Page, axe: &str, contrast: Contrast) -> Vec<String> {
    // Half a megabyte: sent once a page.
    if page.run("return !window.axe;").await.unwrap() == json!(true) {
        page.run(axe).await.unwrap();
    }
    let arguments = vec![json!(RULES), json!(contrast == Contrast::ByAxe)];
    let found = page
        .run_async(include_str!("access.js"), arguments)
        .await
        .unwrap();
    let lines = found.as_array().unwrap().iter();
    lines.map(|line| line.as_str().unwrap().to_owned()).collect()
}

/// The links of a page that stay with us, without what is behind `#`. A mail opens in another program.
async fn links(page: &Page) -> Vec<String> {
    let all = "return [...document.querySelectorAll('a[href]')].map((a) => new URL(a.href))\
        .filter((url) => url.origin === location.origin && !url.pathname.startsWith('/mail/'))\
        .map((url) => url.pathname + url.search);";
    let found = page.run(all).await.unwrap();
    let found = found.as_array().unwrap().iter();
    found.map(|link| link.as_str().unwrap().to_owned()).collect()
}

/// Pages of one form are looked at once or twice: ids stand for all of their kind.
fn form(path: &str) -> String {
    let form = path.split('?').next().unwrap_or_default().split('/');
    let form: Vec<&str> = form
        .map(|part| {
            if part.contains(|c: char| c == '_' || c.is_ascii_digit()) {
                "{id}"
            } else {
                part
            }
        })
        .collect();
    form.join("/")
}

pub(crate) async fn look_like(page: &Page, size: Size, scheme: &str) {
    let metrics =
        json!({ "width": size.width, "height": size.height, "deviceScaleFactor": 1, "mobile": false });
    page.devtools("Emulation.setDeviceMetricsOverride", metrics)
        .await
        .unwrap();
    let media = json!({ "features": [
        { "name": "prefers-color-scheme", "value": scheme },
        { "name": "prefers-reduced-motion", "value": "reduce" },
    ]});
    page.devtools("Emulation.setEmulatedMedia", media).await.unwrap();
}

/// What is wrong with a page as it stands.
pub(crate) async fn wrong(page: &Page, axe: &str, size: Size) -> Vec<String> {
    wrong_by(page, axe, size, Contrast::Quick).await
}

async fn wrong_by(page: &Page, axe: &str, size: Size, contrast: Contrast) -> Vec<String> {
    let mut wrong = violations(page, axe, contrast).await;
    wrong.extend(overflow(page, size).await);
    wrong
}

/// What of a page is wider than the window.
async fn overflow(page: &Page, size: Size) -> Option<String> {
    let wide = page
        .run("return document.documentElement.scrollWidth;")
        .await
        .unwrap();
    if wide.as_u64().unwrap() <= u64::from(size.width) {
        return None;
    }
    let widest = "return [...document.body.querySelectorAll('*')].map((e) => [e.getBoundingClientRect().right, \
            e.tagName + '.' + e.className]).filter(([right]) => right > innerWidth).map(([, name]) => name).slice(0, 4);";
    let widest = page.run(widest).await.unwrap();
    Some(format!("is {wide} px wide: {widest}"))
}

/// The pages whose pictures stand in docs/design.md and in the first day in pictures, and the names of their files.
const PICTURED: [(&str, &str); 10] = [
    ("/", "now"),
    ("/brief", "brief"),
    ("/chats", "chats"),
    ("/money", "money"),
    ("/body", "body"),
    ("/settings", "settings"),
    ("/agenda", "agenda"),
    ("/people", "people"),
    ("/money/ahead", "ahead"),
    ("/body/days", "body-days"),
];

/// Draws those anew: on a phone in the dark, on a desk in the light.
async fn draw(page: &Page, path: &str) {
    if let Some((_, name)) = PICTURED.iter().find(|(pictured, _)| *pictured == path) {
        for (size, scheme) in [(PHONE, "dark"), (DESK, "light")] {
            draw_for_documents(page, &format!("page-{name}"), size, scheme).await;
        }
    }
}

/// A picture for the documents, drawn anew where `AURA_PICTURES=write` asks for it. What stands on these is the demo's and changes, so they are looked at and not
/// compared.
pub(crate) async fn draw_for_documents(page: &Page, name: &str, size: Size, scheme: &str) {
    if std::env::var_os("AURA_PICTURES").is_none_or(|wish| wish != "write") {
        return;
    }
    look_like(page, size, scheme).await;
    page.until_typeface().await.unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/browser/pictures")
        .join(format!("{name}-{}-{scheme}.png", size.width));
    std::fs::write(file, page.window.screenshot().await.unwrap()).unwrap();
}

/// Looks at the page as everybody must be able to, with what has that id in view, and keeps pictures where `AURA_WELCOME_PICTURES` wants them.
pub(crate) async fn look(page: &Page, axe: &str, place: &str, name: &str) {
    for (size, scheme) in [(NARROW, "light"), (PHONE, "dark"), (DESK, "light")] {
        look_like(page, size, scheme).await;
        assert_eq!(
            wrong(page, axe, size).await,
            Vec::<String>::new(),
            "{name}, {size:?} {scheme}"
        );
        if let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") {
            page.run(&format!("document.getElementById('{place}').scrollIntoView();"))
                .await
                .unwrap();
            let file = Path::new(&folder).join(format!("{name}-{}-{scheme}.png", size.width));
            std::fs::write(file, page.window.screenshot().await.unwrap()).unwrap();
        }
    }
    look_like(page, PHONE, "light").await;
}

#[tokio::test]
async fn every_page_that_a_link_leads_to_can_be_used_by_everybody() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, PHONE, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card]')")
        .await
        .unwrap();

    let (mut found, mut trace) = (Vec::new(), None);
    let (mut to_visit, mut seen) = (
        ["/", "/pair", "/offline", "/doctor"].map(str::to_owned).to_vec(),
        BTreeSet::new(),
    );
    while let Some(path) = to_visit.pop() {
        if !seen.insert(form(&path)) {
            continue;
        }
        if path.starts_with("/trace/") {
            trace = Some(path.clone());
        }
        if let Some(id) = path.strip_prefix("/ops/traces/tr_") {
            let id = id.split('/').next().unwrap();
            to_visit.push(format!("/ops/compare?left=tr_{id}&right=tr_{id}&lines=all"));
        }
        page.go(&path).await.unwrap();
        to_visit.extend(links(&page).await);
        draw(&page, &path).await;
        let is_watch = path == "/watch";
        let (narrow, phone) = if is_watch { (WATCH, WATCH) } else { (NARROW, PHONE) };
        for (size, scheme, contrast) in [
            (narrow, "light", Contrast::Quick),
            (phone, "dark", Contrast::ByAxe),
            (TABLET, "dark", Contrast::Quick),
            (DESK, "light", Contrast::Quick),
        ] {
            look_like(&page, size, scheme).await;
            let wrong = wrong_by(&page, &axe, size, contrast).await;
            found.extend(
                wrong
                    .into_iter()
                    .map(|line| format!("{path} {size:?} {scheme}: {line}")),
            );
        }
        // On a wide screen it is laid out as on a desk: only how wide it is can differ.
        look_like(&page, WIDE, "light").await;
        let wide = overflow(&page, WIDE).await;
        found.extend(wide.map(|line| format!("{path} {WIDE:?}: {line}")));
        let said = page.console().await.unwrap();
        found.extend(
            said.into_iter()
                // Chromium asks for it when it has time, beside the page, and on a busy machine not always with success.
                .filter(|line| !line.contains("/manifest.webmanifest - Failed"))
                .map(|line| format!("{path}: the console says {line}")),
        );
    }
    // On a watch: what its page leads to, with all that opens, and a month of small fields.
    let trace = trace.unwrap();
    for path in [trace.as_str(), "/agenda?view=month"] {
        page.go(path).await.unwrap();
        look_like(&page, WATCH, "light").await;
        page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; });")
            .await
            .unwrap();
        let wrong = wrong(&page, &axe, WATCH).await;
        found.extend(wrong.into_iter().map(|line| format!("{path} on a watch: {line}")));
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    for page in [
        "/watch",
        "/brief",
        "/chats",
        "/money",
        "/body",
        "/memory",
        "/settings",
        "/workflows",
        "/ops",
        "/ops/quarantine",
        "/ops/traces",
        "/ops/machine",
        "/ops/policy",
        "/ops/what-if",
        "/ops/ledger",
        "/ops/compare",
        "/ops/traces/{id}",
        "/ops/traces/{id}/replay",
        "/agenda",
        "/history",
        "/history/days",
        "/month",
        "/money/spending",
        "/money/ahead",
        "/body/days",
        "/devices",
        "/doctor",
        "/trace/{id}",
        "/people",
        "/people/{id}",
    ] {
        assert!(seen.contains(page), "{page} was among {seen:?}");
    }
}

/// What `spoil.js` puts on a page, and the rule that must say so.
const FAULTS: [(&str, &str); 9] = [
    ("faint", "color-contrast"),
    ("clear", "color-contrast"),
    ("veil", "color-contrast"),
    ("under", "color-contrast"),
    ("field", "color-contrast"),
    ("small", "target-size"),
    ("beside", "target-size"),
    ("image", "image-alt"),
    ("link", "link-in-text-block"),
];

#[tokio::test]
async fn what_our_own_look_is_sure_of_axe_says_too() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, PHONE, &data.path().join("demo"), &service).await;
    page.go("/settings").await.unwrap();
    page.until("!document.querySelector('[data-look]:not([data-done])')")
        .await
        .unwrap();
    for (size, scheme) in [(NARROW, "light"), (DESK, "dark")] {
        look_like(&page, size, scheme).await;
        assert_eq!(wrong(&page, &axe, size).await, Vec::<String>::new());
        for (fault, rule) in FAULTS {
            page.run_async(include_str!("spoil.js"), vec![json!(fault)])
                .await
                .unwrap();
            let found = violations(&page, &axe, Contrast::Quick).await;
            let found: BTreeSet<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
            let all = "const [tags, done] = arguments; \
                axe.run(document, { runOnly: tags }).then((r) => done(r.violations.map((v) => v.id)));";
            let all = page.run_async(all, vec![json!(RULES)]).await.unwrap();
            let all: BTreeSet<&str> = all.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!(found, all, "{fault}, {size:?} {scheme}");
            assert!(found.contains(rule), "{fault}, {size:?} {scheme}: {found:?}");
        }
        page.run("document.getElementById('fault').remove();")
            .await
            .unwrap();
        assert_eq!(wrong(&page, &axe, size).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_drawer_over_the_page_can_be_used_by_everybody_and_closes_with_escape() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, PHONE, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card] a[data-drawer]')")
        .await
        .unwrap();
    page.run("document.querySelector('#now [data-card] a[data-drawer]').focus();")
        .await
        .unwrap();
    page.keys("\u{e007}").await.unwrap();
    page.until("document.querySelector('dialog#drawer[open] h2')")
        .await
        .unwrap();
    look(&page, &axe, "drawer-title", "drawer").await;
    draw_for_documents(&page, "drawer", DESK, "light").await;
    look_like(&page, PHONE, "light").await;
    // The same moment four hours later, asked of the machine itself.
    page.run("const form = document.querySelector('dialog .otherwise'); form.elements.later.value = '240'; form.requestSubmit();")
        .await
        .unwrap();
    page.until("/I would have|the same/.test(document.getElementById('otherwise').textContent)")
        .await
        .unwrap();
    look(&page, &axe, "otherwise", "drawer-otherwise").await;
    page.run("document.querySelector('dialog .record').open = true;")
        .await
        .unwrap();
    look(&page, &axe, "drawer-title", "drawer-record").await;
    page.keys("\u{e00c}").await.unwrap();
    page.until("!document.querySelector('dialog#drawer[open]')")
        .await
        .unwrap();
    let focus = page
        .run("return document.activeElement.dataset.drawer || '';")
        .await
        .unwrap();
    assert_ne!(focus, Value::from(""), "the focus is back where it was");
}
