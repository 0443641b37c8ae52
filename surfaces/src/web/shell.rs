//! What every page has around it: head, tab bar, drawer, status line; and what makes it an app.
//!
//! What: [`page`] and [`section`], the assets, the manifest and the service worker. Why: one frame, and a phone may keep Aura like an
//! app. Not here: what stands on a page (`pages`, `sections`).
//!
//! **Offline.** The service worker keeps a copy of each section that was loaded. It asks for that copy with [`KEEP_HEADER`]: then the page
//! holds no name from outside, no token and no right to answer, so that none of them is written to the browser's disk.

use super::{App, error::Refusal};
use crate::words;
use axum::{
    extract::Path,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{Html, IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, html};
use serde_json::json;
use std::sync::LazyLock;
use toolcall_schema::ids::sha256_hex;

/// The style, the script and the icon.
pub(super) mod assets {
    /// `/assets/aura.css`
    pub(crate) const CSS: &str = include_str!("../../assets/aura.css");
    /// `/assets/aura.js`
    pub(crate) const JS: &str = include_str!("../../assets/aura.js");
    /// `/assets/aura.svg`
    pub(crate) const ICON: &str = include_str!("../../assets/aura.svg");
    /// `/sw.js`, without its first line.
    pub(crate) const WORKER: &str = include_str!("../../assets/sw.js");
}

/// The header with which the service worker asks for the copy that it keeps.
pub(super) const KEEP_HEADER: &str = "x-aura-keep";

/// Names one build's assets: the first 12 digits of their hash.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let all = [assets::CSS, assets::JS, assets::ICON, assets::WORKER].concat();
    sha256_hex(all.as_bytes()).chars().take(12).collect()
});

/// Whether the page that is asked for is to be kept by the browser.
pub(super) fn is_to_keep(headers: &HeaderMap) -> bool {
    headers.contains_key(KEEP_HEADER)
}

/// `GET /assets/{name}`; the page's `?v=` names the build and is not read.
pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let (kind, text) = match name.as_str() {
        "aura.css" => ("text/css; charset=utf-8", assets::CSS),
        "aura.js" => ("text/javascript; charset=utf-8", assets::JS),
        "aura.svg" => ("image/svg+xml", assets::ICON),
        _ => return Err(Refusal::NotFound),
    };
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// `GET /sw.js`: its first line names the build, so that a new build is a new worker.
pub(super) async fn worker() -> Response {
    let script = format!("const VERSION = \"{}\";\n{}", *VERSION, assets::WORKER);
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], script).into_response()
}

/// `GET /manifest.webmanifest`
pub(super) async fn manifest() -> Response {
    let manifest = json!({
        "id": "/", "name": words::APP_NAME, "short_name": words::APP_NAME, "description": words::APP_SAYS,
        "lang": words::LANG, "dir": words::DIR, "start_url": "/", "scope": "/", "display": "standalone",
        "background_color": "#FAF8F5", "theme_color": "#FAF8F5",
        "icons": [{"src": "/assets/aura.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}]
    });
    (
        [(header::CONTENT_TYPE, "application/manifest+json")],
        manifest.to_string(),
    )
        .into_response()
}

/// `GET /offline`: what the service worker shows for a page that was never loaded.
pub(super) async fn offline() -> Html<String> {
    page(
        words::OFFLINE_TITLE,
        None,
        None,
        &html! {
            div.page {
                header.top { h1.brand { (words::APP_NAME) } }
                main.empty {
                    h2 { (words::OFFLINE_TITLE) }
                    p { (words::OFFLINE_SAYS) }
                    p { a href="/" { (words::TRY_AGAIN) } }
                }
            }
        },
    )
}

/// The header of `/pair`: the browser forgets what it kept.
pub(super) fn forgets() -> (HeaderName, HeaderValue) {
    let name = HeaderName::from_static("clear-site-data");
    (name, HeaderValue::from_static("\"storage\""))
}

/// A whole page. `surface`: which stream its script opens, if any.
pub(super) fn page(title: &str, surface: Option<&str>, token: Option<String>, body: &Markup) -> Html<String> {
    framed(title, (surface, None), token, body)
}

fn framed(
    title: &str,
    (surface, as_of): (Option<&str>, Option<&str>),
    token: Option<String>,
    body: &Markup,
) -> Html<String> {
    let asset = |name: &str| format!("/assets/{name}?v={}", *VERSION);
    let markup = html! {
        (DOCTYPE)
        html lang=(words::LANG) dir=(words::DIR) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                meta name="color-scheme" content="light dark";
                meta name="theme-color" content="#FAF8F5" media="(prefers-color-scheme: light)";
                meta name="theme-color" content="#0E0E0E" media="(prefers-color-scheme: dark)";
                @if let Some(token) = token { meta name="aura-page" content=(token); }
                title { (title) }
                link rel="manifest" href="/manifest.webmanifest";
                link rel="icon" href=(asset("aura.svg"));
                link rel="stylesheet" href=(asset("aura.css"));
                script src=(asset("aura.js")) defer {}
            }
            body data-surface=[surface] data-as-of=[as_of] {
                (body)
                template #words { @for (name, text) in words::SCRIPT { span data-word=(name) { (text) } } }
            }
        }
    };
    Html(markup.into_string())
}

/// The sections of the app, in the order of the tab bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// The card and the day.
    Now,
    /// The morning brief.
    Brief,
    /// The quiet group chat.
    Chats,
    /// The spend mirror.
    Money,
    /// Load, sleep, heart rate.
    Body,
    /// What is kept.
    Memory,
    /// What is in force.
    Settings,
}

impl Section {
    const ALL: [Self; 7] = [
        Self::Now,
        Self::Brief,
        Self::Chats,
        Self::Money,
        Self::Body,
        Self::Memory,
        Self::Settings,
    ];

    /// Its address and its name.
    pub(super) fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Now => ("/", words::NOW),
            Self::Brief => ("/brief", words::BRIEF),
            Self::Chats => ("/chats", words::CHATS),
            Self::Money => ("/money", words::MONEY),
            Self::Body => ("/body", words::BODY),
            Self::Memory => ("/memory", words::MEMORY),
            Self::Settings => ("/settings", words::SETTINGS),
        }
    }
}

/// What is said of a page beside its content.
pub(super) struct Frame<'a> {
    /// Which section it is.
    pub(super) section: Section,
    /// Which stream its script opens.
    pub(super) surface: &'static str,
    /// The local time of what stands on it.
    pub(super) as_of: &'a str,
    /// Whether the browser keeps it: then it may change nothing.
    pub(super) keep: bool,
}

/// A page of the app: its heading, with `beside` it, and the content that is kept current.
pub(super) fn section(app: &App, frame: &Frame<'_>, beside: &Markup, content: &Markup) -> Html<String> {
    let (_, name) = frame.section.parts();
    let token = (!frame.keep).then(|| app.door.keys.page());
    let is_now = frame.section == Section::Now;
    let title = if is_now {
        words::APP_NAME.to_owned()
    } else {
        format!("{}: {name}", words::APP_NAME)
    };
    let body = html! {
        a.skip href="#live" { (words::SKIP) }
        div.page {
            header.top {
                h1.brand { (if is_now { words::APP_NAME } else { name }) }
                (beside)
            }
            p #status .status role="status" {}
            main #live tabindex="-1" { (content) }
            noscript { p.status { (words::NEEDS_SCRIPT) } }
        }
        (tabs(frame.section))
        dialog #drawer aria-labelledby="drawer-title" {}
    };
    framed(&title, (Some(frame.surface), Some(frame.as_of)), token, &body)
}

fn tabs(current: Section) -> Markup {
    html! {
        nav.tabs aria-label=(words::SECTIONS) {
            @for section in Section::ALL {
                @let (path, name) = section.parts();
                a href=(path) aria-current=[(section == current).then_some("page")] { (name) }
            }
        }
    }
}
