//! How good the judging of messages is, on invented messages that nobody trained it on.
//!
//! What: [`typed`], the held-out messages; [`ConfusionTable`], precision, recall and F1 by class, for the rules, the classifier and both.
//! Why: a figure from the generator of the training proves nothing, and these need no network, so a test holds them. Not here: real
//! messages (`crate::mail`), the training (`agents/training`, which this package does not know), judging (`agents::comms`).
//!
//! The messages are synthetic: written by hand as scenes, put together by chance. They are not a sample of anybody's inbox. The
//! training's text was widened after a first look at [`scenes::known`]; [`scenes::unseen`] was written after that, and nothing was changed then.

mod figures;
pub mod scenes;
mod typist;

pub use figures::{ConfusionTable, JudgeKind, table};
pub use typist::{LabelledMessage, typed};

/// Messages of each scene in the held-out half.
pub const EACH: usize = 16;

const BEGIN: &str = "<!-- figures: cargo run --locked -p agents-judge -- pages -->\n";
const END: &str = "<!-- end of figures -->";

/// A page with the figures of this build between its two marks. `None`: it has none.
pub fn with_figures(page: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some([before, BEGIN, "\n", &table(), "\n", END, after].concat())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_tells_the_figures_of_this_build() {
        let page = include_str!("../../../../docs/agents/comms.md");
        assert_eq!(super::with_figures(page).as_deref(), Some(page));
    }
}
