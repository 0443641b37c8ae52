//! A progress bar for what takes longer than a moment.
//!
//! What: [`bar`]. Why: the same everywhere, on the standard error, and nothing where that is no terminal. Not here: what
//! progresses.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many steps.
pub(crate) fn bar(steps: u64, doing: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(steps).with_message(doing);
    match ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
