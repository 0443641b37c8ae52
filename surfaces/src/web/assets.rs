//! The files of the pages: style, script, typeface, icon, service worker.

use std::sync::LazyLock;
use toolcall_schema::ids::sha256_hex;

/// `/assets/aura.css`, whose typeface has the build's address as well.
pub(super) static CSS: LazyLock<String> =
    LazyLock::new(|| slim(STYLE).replace(FONT_NAME, &versioned(FONT_NAME)));
/// As it is written.
const STYLE: &str = include_str!("../../assets/aura.css");
/// `/assets/aura.js`: both scripts, in one answer.
pub(super) static JS: LazyLock<String> = LazyLock::new(|| slim(&[SCRIPT, PHONE_SCRIPT].join("\n")));
/// As it is written.
const SCRIPT: &str = include_str!("../../assets/aura.js");
/// What fingers and keys do.
const PHONE_SCRIPT: &str = include_str!("../../assets/phone.js");
/// `/assets/aura.svg`
pub(super) const ICON: &str = include_str!("../../assets/aura.svg");
/// The typeface: Inter, weights 400 to 700, Latin.
pub(super) const FONT: &[u8] = include_bytes!("../../assets/inter.woff2");
/// Its name, here and in the style.
pub(super) const FONT_NAME: &str = "inter.woff2";
/// `/sw.js`, without its first line.
pub(super) static WORKER: LazyLock<String> = LazyLock::new(|| slim(WORKER_SCRIPT));
/// As it is written.
const WORKER_SCRIPT: &str = include_str!("../../assets/sw.js");

/// Names one build's assets: the first 12 digits of their hash.
pub(super) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let text = [STYLE, SCRIPT, PHONE_SCRIPT, ICON, WORKER_SCRIPT].concat();
    let all = [text.as_bytes(), FONT].concat();
    sha256_hex(&all).chars().take(12).collect()
});

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

#[cfg(test)]
mod tests {
    use super::*;

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
