//! The files of the pages: style, script, icon, service worker.

use std::sync::LazyLock;
use toolcall_schema::ids::sha256_hex;

/// `/assets/aura.css`
pub(super) const CSS: &str = include_str!("../../assets/aura.css");
/// `/assets/aura.js`
pub(super) const JS: &str = include_str!("../../assets/aura.js");
/// `/assets/aura.svg`
pub(super) const ICON: &str = include_str!("../../assets/aura.svg");
/// `/sw.js`, without its first line.
pub(super) const WORKER: &str = include_str!("../../assets/sw.js");

/// Names one build's assets: the first 12 digits of their hash.
pub(super) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let all = [CSS, JS, ICON, WORKER].concat();
    sha256_hex(all.as_bytes()).chars().take(12).collect()
});
