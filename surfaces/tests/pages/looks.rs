//! The tokens of the look: what the style is made from, and who can read it.
//!
//! What: the head of `aura.css` against `tokens.json`, the contrast of each pair that is declared there, and the weight of the app. Why: a colour is chosen
//! once, in one file, and one that cannot be read is refused where it is chosen. Not here: how pages look (`tests/browser`, docs/design.md).
//!
//! `AURA_TOKENS=write` writes the head of the style anew.

use crate::{client::server, morning::TOKEN};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

const TOKENS: &str = include_str!("../../assets/tokens.json");
const STYLE: &str = include_str!("../../assets/aura.css");
/// The files of the style that stand behind it.
const STYLE_PARTS: [&str; 5] = [
    include_str!("../../assets/rows.css"),
    include_str!("../../assets/agenda.css"),
    include_str!("../../assets/charts.css"),
    include_str!("../../assets/watch.css"),
    include_str!("../../assets/console.css"),
];
const BEGINS: &str = "/* tokens: made from tokens.json */\n";
const ENDS: &str = "/* end of tokens */\n";
/// Groups of sizes and times, whose names the style puts before those of their tokens.
const PREFIXED: [&str; 4] = ["motion", "radius", "space", "text"];
/// Bytes of everything that a browser fetches to show one page of the app.
const APP_BYTES_MAX: usize = 300 * 1000;
/// Bytes of the typeface.
const FONT_BYTES_MAX: usize = 60 * 1000;

fn tokens() -> Value {
    serde_json::from_str(TOKENS).unwrap()
}

/// The tokens of a group by name, each with its type.
fn group<'a>(tokens: &'a Value, name: &str) -> BTreeMap<&'a str, (&'a str, &'a Value)> {
    let group: &Map<String, Value> = tokens[name].as_object().unwrap();
    let shared = group.get("$type");
    let own = group.iter().filter(|(name, _)| !name.starts_with('$'));
    own.map(|(name, token)| {
        let kind = token.get("$type").or(shared).and_then(Value::as_str).unwrap();
        (name.as_str(), (kind, &token["$value"]))
    })
    .collect()
}

/// A value as CSS writes it.
fn css(kind: &str, value: &Value) -> String {
    let list = |shown: fn(&Value) -> String| -> String {
        let items: Vec<String> = value.as_array().unwrap().iter().map(shown).collect();
        items.join(", ")
    };
    match kind {
        "color" => value["hex"].as_str().unwrap().to_owned(),
        "dimension" | "duration" => {
            format!(
                "{}{}",
                value["value"].as_f64().unwrap(),
                value["unit"].as_str().unwrap()
            )
        }
        "cubicBezier" => format!("cubic-bezier({})", list(|one| one.as_f64().unwrap().to_string())),
        "fontFamily" => list(|one| match one.as_str().unwrap() {
            spaced if spaced.contains(' ') => format!("\"{spaced}\""),
            name => name.to_owned(),
        }),
        other => unreachable!("{other} is no type of the style"),
    }
}

fn properties(tokens: &Value, name: &str, indent: &str) -> String {
    let prefix = if PREFIXED.contains(&name) {
        format!("{name}-")
    } else {
        String::new()
    };
    let mut lines = String::new();
    for (token, (kind, value)) in group(tokens, name) {
        writeln!(lines, "{indent}--{prefix}{token}: {};", css(kind, value)).unwrap();
    }
    lines
}

/// The head of the style.
fn head() -> String {
    let tokens = tokens();
    let mut head = format!("{BEGINS}:root {{\n  color-scheme: light dark;\n");
    for name in ["light", "motion", "radius", "space", "text", "font"] {
        head += &properties(&tokens, name, "  ");
    }
    let dark = properties(&tokens, "dark", "    ");
    head + "}\n@media (prefers-color-scheme: dark) {\n  :root {\n" + &dark + "  }\n}\n" + ENDS
}

/// What stands before the head, the head, and the rest.
fn style() -> (&'static str, &'static str, &'static str) {
    let (from, to) = (
        STYLE.find(BEGINS).unwrap(),
        STYLE.find(ENDS).unwrap() + ENDS.len(),
    );
    (&STYLE[..from], &STYLE[from..to], &STYLE[to..])
}

#[test]
fn the_style_begins_with_the_tokens() {
    let (before, there, after) = style();
    let head = head();
    if std::env::var_os("AURA_TOKENS").is_some_and(|wish| wish == "write") {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/aura.css");
        std::fs::write(file, format!("{before}{head}{after}")).unwrap();
        return;
    }
    assert_eq!(there, head, "AURA_TOKENS=write takes tokens.json over");
}

#[test]
fn a_colour_is_chosen_in_the_tokens_and_nowhere_else() {
    let tokens = tokens();
    let (_, _, rest) = style();
    let schemes = ["light", "dark"].map(|scheme| group(&tokens, scheme));
    let known: Vec<&str> = schemes
        .iter()
        .flat_map(BTreeMap::values)
        .map(|(_, value)| value["hex"].as_str().unwrap())
        .collect();
    let is_hex = |c: char| c.is_ascii_hexdigit();
    let all = [&[rest][..], &STYLE_PARTS[..]].concat();
    for piece in all.iter().flat_map(|part| part.split('#').skip(1)) {
        let digits = piece.split(|c| !is_hex(c)).next().unwrap();
        // An id that begins with such letters is followed by more of them.
        let next = piece[digits.len()..].chars().next();
        if digits.len() == 6 && next.is_some_and(|c| !c.is_alphanumeric() && c != '-') {
            assert!(
                known.contains(&format!("#{digits}").as_str()),
                "#{digits} is no token"
            );
        }
    }
    assert_eq!(
        schemes[0].keys().collect::<Vec<_>>(),
        schemes[1].keys().collect::<Vec<_>>()
    );
}

/// Red, green and blue of `#RRGGBB`, 0 to 1.
fn channels(hex: &str) -> [f64; 3] {
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6).unwrap();
    [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap()) / 255.0)
}

/// WCAG 2.2, relative luminance.
fn luminance(hex: &str) -> f64 {
    let [red, green, blue] = channels(hex).map(|c| {
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// WCAG 2.2, contrast ratio.
fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn contrast_is_reckoned_as_wcag_does() {
    // White has 1, black 0: 1.05 / 0.05. #777777 is the well-known grey that just fails on white, #767676 the one that just does not.
    for (one, other, least, most) in [
        ("#FFFFFF", "#000000", 20.99, 21.01),
        ("#000000", "#FFFFFF", 20.99, 21.01),
        ("#808080", "#808080", 0.99, 1.01),
        ("#777777", "#FFFFFF", 4.47, 4.49),
        ("#767676", "#FFFFFF", 4.53, 4.55),
    ] {
        let ratio = contrast(one, other);
        assert!((least..most).contains(&ratio), "{one} on {other}: {ratio}");
    }
}

#[test]
fn every_pair_that_is_declared_can_be_read_in_light_and_in_dark() {
    let tokens = tokens();
    let mut wrong = Vec::new();
    for scheme in ["light", "dark"] {
        let colours = group(&tokens, scheme);
        let hex = |name: &str| {
            let (_, value) = colours.get(name).unwrap_or_else(|| panic!("{name} is no colour"));
            value["hex"].as_str().unwrap()
        };
        for (name, (_, value)) in &colours {
            let said: Vec<f64> = value["components"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_f64)
                .collect();
            let meant = channels(hex(name));
            let equal = said.len() == 3 && said.iter().zip(meant).all(|(a, b)| (a - b).abs() < 0.0005);
            assert!(equal, "{scheme} {name}: {said:?} is not {meant:?}");
        }
        for (kind, least) in [("text", 4.5), ("graphic", 3.0)] {
            let pairs = tokens["$extensions"]["aura.contrast"][kind].as_array().unwrap();
            assert!(!pairs.is_empty());
            for pair in pairs {
                let (one, other) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
                let ratio = contrast(hex(one), hex(other));
                if ratio < least {
                    wrong.push(format!("{scheme}: {one} on {other} is {ratio:.2}, not {least}"));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_script_answers_an_attribute_of_a_button_in_one_place() {
    let script = include_str!("../../assets/aura.js");
    let start = "if (button && button.dataset.";
    let conditions = script
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(start));
    let mut answered = BTreeSet::new();
    for name in conditions.filter_map(|condition| condition.split(')').next()) {
        assert!(
            answered.insert(name),
            "only the first that answers {name} is ever called"
        );
    }
    assert!(answered.contains("keepFree") && answered.contains("hold"));
}

#[tokio::test]
async fn the_frame_of_the_browser_has_the_colour_of_the_paper() {
    let tokens = tokens();
    let server = server("brief").await;
    let page = server.get("/").await.body;
    for scheme in ["light", "dark"] {
        let (_, paper) = group(&tokens, scheme)["paper"];
        let meta = format!(
            "<meta name=\"theme-color\" content=\"{}\" media=\"(prefers-color-scheme: {scheme})\">",
            paper["hex"].as_str().unwrap()
        );
        assert!(page.contains(&meta), "{meta}");
    }
}

#[tokio::test]
async fn the_whole_app_is_less_than_300_kilobytes() {
    let font = include_bytes!("../../assets/inter.woff2");
    assert!(font.len() < FONT_BYTES_MAX, "{}", font.len());
    assert!(font.starts_with(b"wOF2"));
    let server = server("brief").await;
    let mut all = font.len();
    // As a browser asks for them: style and script come compressed.
    let headers = format!(
        "{}authorization: Bearer {TOKEN}\naccept-encoding: gzip\n",
        server.host()
    );
    for path in [
        "/assets/aura.css",
        "/assets/aura.js",
        "/assets/aura.svg",
        "/assets/aura.png",
    ] {
        let answer = server.raw(&format!("GET {path}"), &headers, "").await;
        let head = answer.head.to_lowercase();
        let bytes = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        all += bytes.unwrap().trim().parse::<usize>().unwrap();
    }
    for path in ["/sw.js", "/manifest.webmanifest"] {
        all += server.get(path).await.body.len();
    }
    for path in [
        "/",
        "/watch",
        "/brief",
        "/chats",
        "/money",
        "/body",
        "/memory",
        "/settings",
    ] {
        all += server.get(path).await.body.len();
    }
    assert!(all < APP_BYTES_MAX, "{all} bytes");
}

/// A page holds secrets beside names from outside: its length would tell of them (BREACH).
#[tokio::test]
async fn the_files_of_the_pages_are_compressed_and_no_page_is() {
    let server = server("brief").await;
    let headers = format!(
        "{}authorization: Bearer {TOKEN}\naccept-encoding: gzip, br\n",
        server.host()
    );
    for (path, is_packed) in [
        ("/assets/aura.css", true),
        ("/assets/aura.js", true),
        ("/assets/inter.woff2", false),
        ("/", false),
        ("/settings", false),
        ("/v1/now", false),
    ] {
        let answer = server.raw(&format!("GET {path}"), &headers, "").await;
        let head = answer.head.to_lowercase();
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(
            head.contains("content-encoding: gzip"),
            is_packed,
            "{path}: {head}"
        );
        assert_eq!(
            head.contains("vary: accept-encoding"),
            path.starts_with("/assets"),
            "{path}: {head}"
        );
    }
    let plain = server.get("/assets/aura.css").await;
    assert!(
        !plain.head.to_lowercase().contains("content-encoding"),
        "{}",
        plain.head
    );
}

#[tokio::test]
async fn the_typeface_comes_from_the_build_that_the_page_is_of() {
    let server = server("brief").await;
    let (page, style) = (
        server.get("/").await.body,
        server.get("/assets/aura.css").await.body,
    );
    let (_, rest) = style.split_once("url(\"inter.woff2?v=").unwrap();
    let version = rest.split_once('"').unwrap().0;
    let address = format!("/assets/inter.woff2?v={version}");
    let preload =
        format!("<link rel=\"preload\" as=\"font\" type=\"font/woff2\" href=\"{address}\" crossorigin>");
    assert!(page.contains(&preload), "{preload}");
    let answer = server.get(&address).await;
    assert_eq!(answer.status, 200);
    assert!(
        answer.head.contains("content-type: font/woff2"),
        "{}",
        answer.head
    );
    assert!(answer.head.contains("font-src 'self'"), "{}", answer.head);
    assert!(server.get("/sw.js").await.body.contains("\"inter.woff2\""));
}

#[tokio::test]
async fn what_is_under_a_builds_own_address_is_fetched_once() {
    let server = server("brief").await;
    let page = server.get("/").await.body;
    let (_, rest) = page.split_once("aura.js?v=").unwrap();
    let version = rest.split_once('"').unwrap().0;
    for name in ["aura.css", "aura.js", "aura.svg", "aura.png", "inter.woff2"] {
        for (query, cache) in [
            (format!("?v={version}"), "public, max-age=31536000, immutable"),
            // Of another build, or of none: it may be another file tomorrow.
            ("?v=000000000000".to_owned(), "no-store"),
            (format!("?w={version}"), "no-store"),
            (String::new(), "no-store"),
        ] {
            let answer = server.get(&format!("/assets/{name}{query}")).await;
            assert_eq!(answer.status, 200, "{name}{query}");
            let told: Vec<&str> = answer
                .head
                .lines()
                .filter_map(|line| line.strip_prefix("cache-control: "))
                .collect();
            assert_eq!(told, [cache], "{name}{query}");
        }
    }
    let missing = server.get(&format!("/assets/none.js?v={version}")).await;
    assert_eq!(missing.status, 404);
    assert!(
        missing.head.contains("cache-control: no-store"),
        "{}",
        missing.head
    );
}
