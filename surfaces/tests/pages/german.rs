//! Every page in German.
//!
//! What: each page asked for once in English and once in German, its texts beside one another. Why: a text that is the same in both was left out, unless
//! it is the owner's own, a name or a code. Not here: the files of texts (`surfaces::language`).

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
            "/people/it_00000000000000b2",
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

/// What is the same in both languages: names and words of the scenes, and words that German has taken over.
const SAME: [&str; 1] = ["Aura"];

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
        if tag.starts_with("code") || tag.starts_with("style") || tag.starts_with("script") {
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
    text.split(|c: char| !c.is_alphabetic())
        .any(|word| word.chars().count() > 2 && word.chars().skip(1).all(char::is_lowercase))
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
                same.filter(|text| !SAME.contains(&text.as_str()))
                    .map(|text| format!("{path}: {text}")),
            );
        }
    }
    assert_eq!(left_out, BTreeSet::new());
}
