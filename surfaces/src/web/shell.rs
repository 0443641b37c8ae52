//! What every page has around it: head, tab bar, drawer, status line.
//!
//! What: [`page`], [`section`] and [`BelowFrame`]. Why: one frame, and the same way to every section on every page of the owner's. Not here: what stands on a page (`pages`, `sections`), its files (`assets`).
//!
//! **Offline.** The service worker keeps a copy of each section that was loaded. It asks for that copy with [`KEEP_HEADER`]: then the page
//! holds no name from outside, no token and no right to answer, so that none of them is written to the browser's disk.

use super::{
    assets::{FONT_NAME, versioned},
    icons::{IconName, icon},
    palette,
    state::AppState,
};
use axum::{http::HeaderMap, response::Html};
use maud::{DOCTYPE, Markup, html};
use surfaces_base::{
    language::{self, Text},
    words,
};

/// When a page looks again at what goes on by itself, in milliseconds.
pub(super) const AGAIN_MS: u32 = 1000;

/// The header with which the service worker asks for the copy that it keeps.
pub(super) const KEEP_HEADER: &str = "x-aura-keep";

/// Whether the page that is asked for is to be kept by the browser.
pub(super) fn is_to_keep(headers: &HeaderMap) -> bool {
    headers.contains_key(KEEP_HEADER)
}

/// A whole page. `surface`: which stream its script opens, if any.
pub(super) fn page(title: &str, surface: Option<&str>, token: Option<String>, body: &Markup) -> Html<String> {
    framed(title, (surface, None), (token, None), body)
}

fn framed(
    title: &str,
    (surface, as_of): (Option<&str>, Option<&str>),
    (token, section): (Option<String>, Option<AppSection>),
    body: &Markup,
) -> Html<String> {
    // The watch has no room for it, and a copy that the browser kept may do nothing.
    let has_palette = token.is_some() && surface.is_some_and(|surface| surface != "watch");
    let asset = |name: &str| format!("/assets/{}", versioned(name));
    let markup = html! {
        (DOCTYPE)
        html lang=(language::spoken().tag()) dir="ltr" {
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
                link rel="apple-touch-icon" href=(asset("aura.png"));
                link rel="preload" as="font" type="font/woff2" href=(asset(FONT_NAME)) crossorigin;
                link rel="stylesheet" href=(asset("aura.css"));
                script src=(asset("aura.js")) defer {}
            }
            body data-surface=[surface] data-as-of=[as_of] data-role=[section.and_then(AppSection::role)] {
                (body)
                @if has_palette { (palette::palette()) }
                @if has_palette && section.is_some() { (palette::key_sheet()) }
                template #words {
                    @for (name, text) in words::SCRIPT { span data-word=(name) { (text) } }
                    @for (name, text) in words::PHONE_SCRIPT { span data-word=(name) { (text) } }
                }
            }
        }
    };
    Html(markup.into_string())
}

/// The sections of the app, in the order of the tab bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppSection {
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

impl AppSection {
    const ALL: [Self; 7] = [
        Self::Now,
        Self::Brief,
        Self::Chats,
        Self::Money,
        Self::Body,
        Self::Memory,
        Self::Settings,
    ];

    /// The pages below it, which have no place in the bar of a phone.
    fn pages_below(self) -> &'static [(&'static str, Text)] {
        match self {
            Self::Now => &[
                ("/history", words::WHAT_YOU_DID),
                ("/history/days", words::HISTORY),
            ],
            Self::Chats => &[("/chats/waiting", words::WHO_WAITS), ("/people", words::PEOPLE)],
            Self::Settings => &words::BELOW_SETTINGS,
            Self::Brief => &[("/agenda", words::AGENDA)],
            Self::Money => &[
                ("/money/ahead", words::AHEAD),
                ("/money/spending", words::SPENDING),
            ],
            Self::Body => &[("/body/days", words::BODY_DAYS)],
            Self::Memory => &[],
        }
    }

    /// How many stand in the bar.
    pub(super) const fn pages_in_bar() -> usize {
        Self::ALL.len()
    }

    /// Every page that a bar of sections leads to, by address and name.
    pub(super) fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
        let pages = |section: Self| {
            [section.parts()].into_iter().chain(
                section
                    .pages_below()
                    .iter()
                    .map(|(address, name)| (*address, name.say())),
            )
        };
        Self::ALL.into_iter().flat_map(pages)
    }

    /// Which part of life it is about, for its colour.
    fn role(self) -> Option<&'static str> {
        match self {
            Self::Brief => Some("calendar"),
            Self::Chats => Some("people"),
            Self::Money => Some("money"),
            Self::Body => Some("body"),
            Self::Now | Self::Memory | Self::Settings => None,
        }
    }

    /// Its address and its name.
    pub(super) fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Now => ("/", words::NOW.say()),
            Self::Brief => ("/brief", words::BRIEF.say()),
            Self::Chats => ("/chats", words::CHATS.say()),
            Self::Money => ("/money", words::MONEY.say()),
            Self::Body => ("/body", words::BODY.say()),
            Self::Memory => ("/memory", words::MEMORY.say()),
            Self::Settings => ("/settings", words::SETTINGS.say()),
        }
    }
}

/// What is said of a page beside its content.
pub(super) struct PageFrame<'a> {
    /// Which section it is.
    pub(super) section: AppSection,
    /// Which stream its script opens.
    pub(super) surface: &'static str,
    /// The local time of what stands on it.
    pub(super) as_of: &'a str,
    /// Whether the browser keeps it: then it may change nothing.
    pub(super) keep: bool,
}

/// A page of the app: its heading, with `beside` it, and the content that is kept current.
pub(super) fn section(
    app: &AppState,
    frame: &PageFrame<'_>,
    beside: &Markup,
    content: &Markup,
) -> Html<String> {
    let (_, name) = frame.section.parts();
    let token = (!frame.keep).then(|| app.door.keys.page());
    let is_now = frame.section == AppSection::Now;
    let title = if is_now {
        words::APP_NAME.say().to_owned()
    } else {
        format!("{}: {name}", words::APP_NAME.say())
    };
    let body = html! {
        a.skip href="#live" { (words::SKIP) }
        div.page {
            header.top {
                h1.brand { (name) }
                div.beside {
                    (beside)
                    @if !frame.keep { button.plain type="button" data-palette { (icon(IconName::Find)) (words::PALETTE_OPEN) } }
                }
            }
            p #status .status role="status" {}
            main #live tabindex="-1" { (content) }
            noscript { p.status { (words::NEEDS_SCRIPT) } }
        }
        (tabs(frame.section, frame.section.parts().0))
        dialog #drawer aria-labelledby="drawer-title" {}
    };
    let about = (token, Some(frame.section));
    framed(&title, (Some(frame.surface), Some(frame.as_of)), about, &body)
}

/// The way to a page. Where the bar beside the page has it under the same name, only a phone shows it.
pub(super) fn way_to(address: &str, name: &str) -> Markup {
    let path = address.split('?').next().unwrap_or(address);
    let is_in_bar = AppSection::pages().any(|page| page == (path, name));
    html! { p.more.way.in-bar[is_in_bar] { a href=(address) { (name) (icon(IconName::Next)) } } }
}

/// What is looked for on the left, what was found on the right; one under the other where there is no room.
pub(super) fn tool_panes(tools: &Markup, found: &Markup) -> Markup {
    html! {
        div.panes.tools {
            div.pane { (tools) }
            div.pane { (found) }
        }
    }
}

/// A page's content in two panes beside one another where there is room, one under the other where there is none.
pub(super) fn panes(main: &Markup, beside: &Markup) -> Markup {
    html! {
        div.panes {
            div.pane { (main) }
            div.pane.beside-it { (beside) }
        }
    }
}

/// The same of a page that is led by charts: on a large screen they stand in a line, below all else.
pub(super) fn chart_panes(main: &Markup, beside: &Markup) -> Markup {
    html! {
        div.panes.charts {
            div.pane { (main) }
            div.pane.beside-it { (beside) }
        }
    }
}

/// What is said of a page below a section beside its content.
pub(super) struct BelowFrame<'a> {
    pub(super) section: AppSection,
    /// Where it is among the pages below the section.
    pub(super) at: &'a str,
    /// What a browser keeps in its history: it names nobody.
    pub(super) title: &'a str,
    pub(super) heading: &'a str,
    /// The id of that heading, where a part of the page is named by it.
    pub(super) heading_id: &'a str,
    /// The page above it, by address and name.
    pub(super) up: (&'a str, &'a str),
    /// Which stream its script opens.
    pub(super) surface: &'a str,
    /// What its script reads anew.
    pub(super) fragment: Option<&'a str>,
    /// How its content stands: `wide`, `ops`, `runs` or nothing.
    pub(super) layout: &'static str,
    /// Whether a decision opens over it; a page that is a drawer has none.
    pub(super) has_drawer: bool,
}

impl<'a> BelowFrame<'a> {
    /// A page whose script opens no stream, right below its section.
    pub(super) fn new(section: AppSection, at: &'a str, title: &'a str) -> Self {
        Self {
            section,
            at,
            title,
            heading: title,
            heading_id: "page-title",
            up: section.parts(),
            surface: "none",
            fragment: None,
            layout: "",
            has_drawer: true,
        }
    }

    pub(super) fn page(&self, app: &AppState, content: &Markup) -> Html<String> {
        let (address, name) = self.up;
        let body = html! {
            a.skip href="#live" { (words::SKIP) }
            div.page.(self.layout) {
                header.top {
                    div.heading {
                        a.up href=(address) { (icon(IconName::Next)) (name) }
                        h1.brand id=(self.heading_id) data-region dir="auto" { (self.heading) }
                    }
                    div.beside {
                        button.plain type="button" data-palette { (icon(IconName::Find)) (words::PALETTE_OPEN) }
                    }
                }
                p #status .status role="status" {}
                main #live tabindex="-1" data-fragment=[self.fragment] { (content) }
            }
            (tabs(self.section, self.at))
            @if self.has_drawer { dialog #drawer aria-labelledby="drawer-title" {} }
        };
        let about = (Some(app.door.keys.page()), Some(self.section));
        let title = format!("{}: {}", words::APP_NAME.say(), self.title);
        framed(&title, (Some(self.surface), None), about, &body)
    }
}

/// How a page below a section is marked: as the page that is shown, or, where `at` is its address and a slash, as what that belongs to.
fn mark_below(path: &str, at: &str) -> Option<&'static str> {
    match at.strip_prefix(path)? {
        "" => Some("page"),
        "/" => Some("true"),
        _ => None,
    }
}

/// `at`: the address of the page that they stand on.
fn tabs(current: AppSection, at: &str) -> Markup {
    html! {
        nav.tabs aria-label=(words::SECTIONS) {
            p.mark aria-hidden="true" { (icon(IconName::Now)) (words::APP_NAME) }
            @for section in AppSection::ALL {
                @let (path, name) = section.parts();
                @let mark = if path == at { "page" } else { "true" };
                a href=(path) aria-current=[(section == current).then_some(mark)] { (icon(section.into())) span { (name) } }
                // Each of them on every page, so that nothing in the bar moves.
                @for (path, name) in section.pages_below() {
                    a.below href=(path) aria-current=[mark_below(path, at)] { (name) }
                }
            }
        }
    }
}
