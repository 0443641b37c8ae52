//! The files of the pages: style, script, typeface, icon, service worker.

use std::sync::LazyLock;
use toolcall_schema::ids::sha256_hex;

/// `/assets/aura.css`, whose typeface has the build's address as well.
pub(super) static CSS: LazyLock<String> = LazyLock::new(|| STYLE.replace(FONT_NAME, &versioned(FONT_NAME)));
/// As it is written.
const STYLE: &str = include_str!("../../assets/aura.css");
/// `/assets/aura.js`
pub(super) const JS: &str = include_str!("../../assets/aura.js");
/// `/assets/phone.js`: fingers and keys.
pub(super) const PHONE_JS: &str = include_str!("../../assets/phone.js");
/// `/assets/aura.svg`
pub(super) const ICON: &str = include_str!("../../assets/aura.svg");
/// The typeface: Inter, weights 400 to 700, Latin.
pub(super) const FONT: &[u8] = include_bytes!("../../assets/inter.woff2");
/// Its name, here and in the style.
pub(super) const FONT_NAME: &str = "inter.woff2";
/// `/sw.js`, without its first line.
pub(super) const WORKER: &str = include_str!("../../assets/sw.js");

/// Names one build's assets: the first 12 digits of their hash.
pub(super) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let text = [STYLE, JS, PHONE_JS, ICON, WORKER].concat();
    let all = [text.as_bytes(), FONT].concat();
    sha256_hex(&all).chars().take(12).collect()
});

/// A file's name with the build that it is of.
pub(super) fn versioned(name: &str) -> String {
    format!("{name}?v={}", *VERSION)
}
