//! Every page in German.
//!
//! What: each page asked for once in English and once in German, its texts beside one another. Why: a text that is the same in both was left out, unless
//! it is the owner's own, a name or a code. Not here: the files of texts (`surfaces_base::language`).

use crate::client::{Server, server};
use crate::morning::TOKEN;
use std::collections::BTreeSet;

/// The pages, by scene.
const PAGES: [(&str, &[&str]); 8] = [
    (
        "brief",
        &[
            "/",
            "/watch",
            "/brief",
            "/chats",
            "/people",
            "/people/pe_0000000000000001",
            "/people/ch_00000000000000c3",
            "/people/pe_00000000000000ff",
            "/money",
            "/money/spending",
            "/money/spending?view=week",
            "/money/ahead",
            "/body",
            "/body/days",
            "/agenda",
            "/agenda?of=week",
            "/agenda?of=month",
            "/calendar/ev_00000000000000a1",
            "/history",
            "/history/days",
            "/month",
            "/memory",
            "/settings",
            "/workflows",
            "/devices",
            "/doctor",
            "/welcome",
            "/welcome/1",
            "/welcome/2",
            "/welcome/3",
            "/welcome/4",
            "/welcome/5",
            "/welcome/6",
            "/offline",
            "/pair",
            "/trace/tr_brief0000001",
            "/trace/tr_silent000001",
            "/ops",
            "/ops/quarantine",
            "/ops/traces",
            "/ops/traces/tr_brief0000001",
            "/ops/traces/tr_brief0000001/replay",
            "/ops/compare?left=tr_brief0000001&right=tr_silent000001",
            "/ops/machine",
            "/ops/ledger",
            "/ops/policy",
            "/ops/what-if",
            "/no-such-page",
        ],
    ),
    ("mute", &["/", "/watch", "/chats"]),
    ("acts", &["/", "/history", "/history/days"]),
    ("dismissed", &["/", "/history"]),
    ("meeting", &["/", "/watch"]),
    ("spend", &["/", "/watch"]),
    ("quiet", &["/", "/watch", "/brief"]),
    (
        "asks",
        &[
            "/",
            "/workflows",
            "/workflows/0b8f6f0e-5f4e-4a55-9d6e-3c8f1a2b3c4d",
        ],
    ),
];

/// Words that German has taken over.
const SHARED: [&str; 12] = [
    "Agent",
    "April 2026",
    "August 2026",
    "Aura",
    "Browser",
    "Budgets",
    "Budgets: November 2026",
    "Chats",
    "Code",
    "November 2026",
    "September 2026",
    "Tick",
];

/// The owner's own: titles, names and places of the scenes, and what programs of hers said.
const OWN: [&str; 35] = [
    "@evening",
    "Asia/Kolkata",
    "Buy stamps",
    "Call the school",
    "Carta",
    "Dentist &lt;x&gt;",
    "Diwali",
    "Forno",
    "Garden committee",
    "Home · balcony",
    "How long?",
    "Landlock ABI 4 fully, seccomp",
    "Learn to juggle",
    "Lina",
    "Loom &lt;demo&gt;",
    "My dentist",
    "Night shift",
    "PROTO-001 writer&lt;b&gt;",
    "PROTO-002: it has no summary",
    "Renew the &lt;passport&gt;",
    "Standup at the lake office",
    "Studio &lt;4&gt;",
    "Water the plants",
    "a &lt;b&gt;note&lt;/b&gt;",
    "asha@example.net",
    "clarify",
    "escalate",
    "no such argument",
    "presso",
    "specify · 005-user-auth",
    "the lab's mail",
    "todo.txt",
    "validate",
    "Papers",
    "Taskwarrior",
];

/// Codes that stand as a choice or in a table.
const CODES: [&str; 11] = [
    "aaaaaaaaaaaa",
    "bbbbbbbbbbbb",
    "edited",
    "false",
    "later",
    "outcome",
    "paused",
    "rationale",
    "rule",
    "superseded",
    "writer&lt;b&gt;",
];

/// Whether a text is the same in every language.
fn is_nobodys_language(text: &str) -> bool {
    // A title of a tab.
    let text = text.strip_prefix("Aura: ").unwrap_or(text);
    let is_named = [&SHARED[..], &OWN, &CODES].concat().contains(&text);
    // Records are shown as they are, and so are names of values within them.
    let is_record = ["_", "&quot;", "{", "\\", " / "]
        .iter()
        .any(|mark| text.contains(mark));
    is_named || is_record
}

async fn texts(server: &Server, path: &str, language: &str) -> BTreeSet<String> {
    let headers = format!(
        "{}authorization: Bearer {TOKEN}\naccept-language: {language}\naccept: text/html\n",
        server.host()
    );
    let page = server.raw(&format!("GET {path}"), &headers, "").await.body;
    assert!(
        page.contains(&format!("<html lang=\"{language}\"")),
        "{path} is not in {language}"
    );
    texts_of(&page)
}

/// The texts of a page, and those of its attributes that are read aloud or shown.
fn texts_of(page: &str) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for piece in page.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let is_code = ["code", "mark", "pre", "script", "style", "textarea"]
            .iter()
            .any(|name| tag.starts_with(name));
        if is_code || tag.contains("class=\"code\"") {
            continue;
        }
        texts.insert(text.trim().to_owned());
        for name in [" aria-label=\"", " title=\"", " placeholder=\"", " alt=\""] {
            let value = tag.split(name).nth(1).and_then(|rest| rest.split('"').next());
            texts.extend(value.map(|value| value.trim().to_owned()));
        }
    }
    texts
}

/// Whether it holds a word, which a language would say in its own way.
fn holds_a_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| {
        let is_long = word.chars().count() > 2 && word != "min";
        // Of two letters those that German does not have.
        let is_english = matches!(
            word.to_lowercase().as_str(),
            "no" | "of" | "to" | "or" | "is" | "it" | "on"
        );
        (is_long || is_english) && word.chars().skip(1).all(char::is_lowercase)
    })
}

#[tokio::test]
async fn no_page_in_german_has_a_text_of_the_english_one() {
    let mut left_out = BTreeSet::new();
    for (scene, paths) in PAGES {
        let server = server(scene).await;
        for path in paths {
            let (english, german) = (texts(&server, path, "en").await, texts(&server, path, "de").await);
            let same = german.intersection(&english).filter(|text| holds_a_word(text));
            left_out.extend(
                same.filter(|text| !is_nobodys_language(text))
                    .map(|text| format!("{path}: {text}")),
            );
        }
    }
    assert_eq!(left_out, BTreeSet::new());
}

#[tokio::test]
async fn the_console_says_in_words_how_a_tool_is_called_and_why_a_tick_ended() {
    let server = server("brief").await;
    for (path, codes) in [
        (
            "/ops/policy",
            &["PHONE_CARD", "SILENT", "rule_set", "card_show", "time-critical"][..],
        ),
        ("/ops/traces", &["no_candidate", "cap_window", "superseded"][..]),
    ] {
        for language in ["en", "de"] {
            let texts = texts(&server, path, language).await;
            for code in codes {
                assert!(!texts.contains(*code), "{path} {language}: {code}");
            }
        }
    }
}
