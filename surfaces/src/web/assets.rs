//! The files of the pages: style, script, typeface, icon, service worker.

use crate::render::section::week_grid::GRID_ROWS;
use flate2::{Compression, write::GzEncoder};
use std::{io::Write as _, sync::LazyLock};
use toolcall_schema::ids::sha256_hex;

/// `/assets/aura.css`, whose typeface has the build's address as well.
pub(super) static CSS: LazyLock<String> =
    LazyLock::new(|| slim_style(STYLE).replace(FONT_NAME, &versioned(FONT_NAME)) + &grid_rows());
/// As it is written: what all pages share, then a file for each part that has much of its own.
const STYLE: &str = concat!(
    include_str!("../../assets/aura.css"),
    include_str!("../../assets/rows.css"),
    include_str!("../../assets/agenda.css"),
    include_str!("../../assets/charts.css"),
    include_str!("../../assets/watch.css"),
    include_str!("../../assets/console.css"),
);
/// `/assets/aura.js`: both scripts, in one answer.
pub(super) static JS: LazyLock<String> = LazyLock::new(|| slim(&[SCRIPT, PHONE_SCRIPT].join("\n")));
/// As it is written.
const SCRIPT: &str = include_str!("../../assets/aura.js");
/// What fingers and keys do.
const PHONE_SCRIPT: &str = include_str!("../../assets/phone.js");
/// `/assets/aura.svg`
pub(super) const ICON: &str = include_str!("../../assets/aura.svg");
/// `/assets/aura.png`: the same on paper, for a home screen that takes no SVG.
const ICON_PNG: &[u8] = include_bytes!("../../assets/aura.png");
/// The typeface: Inter, weights 400 to 700, Latin.
pub(super) const FONT: &[u8] = include_bytes!("../../assets/inter.woff2");
/// Its name, here and in the style.
pub(super) const FONT_NAME: &str = "inter.woff2";
/// `/sw.js`, without its first line.
pub(super) static WORKER: LazyLock<String> = LazyLock::new(|| slim(WORKER_SCRIPT));
/// As it is written.
const WORKER_SCRIPT: &str = include_str!("../../assets/sw.js");

/// A file as it is sent.
pub(super) struct AssetFile {
    /// Its media type.
    pub(super) kind: &'static str,
    pub(super) plain: &'static [u8],
    /// The same by gzip, where that is smaller. Nothing in it is secret or the owner's, so its length tells nobody anything; pages are never compressed.
    pub(super) gzip: Option<&'static [u8]>,
}

/// The file of that name below `/assets/`.
pub(super) fn file(name: &str) -> Option<AssetFile> {
    static GZIPPED: LazyLock<[Vec<u8>; 3]> =
        LazyLock::new(|| [CSS.as_bytes(), JS.as_bytes(), ICON.as_bytes()].map(gzip));
    let [style, script, icon] = &*GZIPPED;
    let (kind, plain, gzip): (_, &[u8], Option<&Vec<u8>>) = match name {
        "aura.css" => ("text/css; charset=utf-8", CSS.as_bytes(), Some(style)),
        "aura.js" => ("text/javascript; charset=utf-8", JS.as_bytes(), Some(script)),
        "aura.svg" => ("image/svg+xml", ICON.as_bytes(), Some(icon)),
        // Compressed as they are.
        "aura.png" => ("image/png", ICON_PNG, None),
        FONT_NAME => ("font/woff2", FONT, None),
        _ => return None,
    };
    Some(AssetFile {
        kind,
        plain,
        gzip: gzip
            .map(Vec::as_slice)
            .filter(|gzip| !gzip.is_empty() && gzip.len() < plain.len()),
    })
}

/// Once in the life of the process. Writing into memory does not fail; nothing would mean that the file is sent as it is.
fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// Whether a browser takes gzip, by its `Accept-Encoding` (RFC 9110, 12.5.3).
pub(super) fn takes_gzip(accept: &str) -> bool {
    let weight = |coding: &str| -> Option<bool> {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let is_none = weight
            .trim()
            .strip_prefix("q=")
            .is_some_and(|q| q.trim_matches(['0', '.']).is_empty());
        name.trim().eq_ignore_ascii_case("gzip").then_some(!is_none)
    };
    accept.split(',').find_map(weight).unwrap_or(false)
}

/// Names one build's assets: the first 12 digits of their hash.
pub(super) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let text = [STYLE, &grid_rows(), SCRIPT, PHONE_SCRIPT, ICON, WORKER_SCRIPT].concat();
    let all = [text.as_bytes(), ICON_PNG, FONT].concat();
    sha256_hex(&all).chars().take(12).collect()
});

/// Where the rows of a sheet of hours begin and how many an event takes: an element has no style of its own, so each has a class.
fn grid_rows() -> String {
    let rules = (1..=GRID_ROWS).map(|n| format!(".r{n}{{--r:{n}}}.h{n}{{--h:{n}}}"));
    // The days of a week over which one lasts.
    rules
        .chain((2..=7).map(|n| format!(".s{n}{{--n:{n}}}")))
        .collect()
}

/// A file's name with the build that it is of.
pub(super) fn versioned(name: &str) -> String {
    format!("{name}?v={}", *VERSION)
}

/// A style or a script without indentation and without lines that are comments: what a browser has no use for. None of them has a text of several lines.
fn slim(text: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//") || line.starts_with("/*") && line.ends_with("*/");
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_comment(line))
        .collect();
    lines.join("\n")
}

/// A style, also without the spaces beside braces and semicolons: none of its texts holds any of them.
fn slim_style(text: &str) -> String {
    let spaced = [(" {", "{"), ("{ ", "{"), (" }", "}"), ("; ", ";"), (";}", "}")];
    spaced
        .iter()
        .fold(slim(text), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_the_style_holds_what_spaces_are_taken_from() {
        let texts = STYLE.split('"').skip(1).step_by(2);
        assert!(!texts.into_iter().any(|text| text.contains(['{', '}', ';'])));
        assert_eq!(slim_style("  .a { b: c; d: \"e\"; }\n"), ".a{b: c;d: \"e\"}");
    }

    #[test]
    fn gzip_is_sent_to_whoever_takes_it_and_is_the_same_text() {
        for (accept, takes) in [
            ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, GZIP;q=0.8", true),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("gzip;q=0.5", true),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(accept), takes, "{accept}");
        }
        for name in ["aura.css", "aura.js", "aura.svg"] {
            let AssetFile { plain, gzip, .. } = file(name).unwrap();
            let gzip = gzip.unwrap_or_else(|| panic!("{name} is not smaller"));
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(gzip), &mut text).unwrap();
            assert_eq!(text, plain, "{name}");
        }
        assert!(file(FONT_NAME).unwrap().gzip.is_none());
        assert!(file("other").is_none());
    }

    #[test]
    fn what_is_served_says_the_same_in_fewer_bytes() {
        for (written, served) in [
            ("// why\n\n  let a = 1; // and\n", "let a = 1; // and"),
            ("/* why */\n.a {\n  b: c; /* d */\n}\n", ".a {\nb: c; /* d */\n}"),
        ] {
            assert_eq!(slim(written), served);
        }
        // Else a line of it might be part of a text.
        assert!(
            [SCRIPT, PHONE_SCRIPT, WORKER_SCRIPT]
                .iter()
                .all(|script| !script.contains('`'))
        );
    }
}
