//! What the pages are to keep to.
//!
//! What: [`goals`], each figure beside its goal. Why: a run says by itself what it missed. Not here: measuring.

use super::WebFigures;
use serde::Serialize;

/// A figure beside its goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WebGoal {
    pub what: String,
    pub goal: &'static str,
    pub here: String,
    pub is_kept: bool,
}

const OVER_STILL_MS: f64 = 20.0;
const CARD_MS: f64 = 20.0;
const INTERACTION_MS: f64 = 50.0;
const BYTES: usize = 300_000;

/// Those that were measured.
pub(crate) fn goals(figures: &WebFigures) -> Vec<WebGoal> {
    let mut goals = Vec::new();
    let kept = figures.kept.as_ref();
    let paints = kept.into_iter().flat_map(|kept| &kept.paints);
    goals.extend(paints.map(|paint| WebGoal {
        what: format!("first paint of {} over the same bytes, median", paint.page),
        goal: "≤ 20 ms",
        here: format!(
            "{:.1} ms ({:.1} and {:.1} ms)",
            paint.over_ms, paint.ours_ms, paint.still_ms
        ),
        is_kept: paint.over_ms <= OVER_STILL_MS,
    }));
    let cards = figures
        .spans
        .iter()
        .filter(|span| span.what == "browser: signal to card")
        .chain(kept.and_then(|kept| kept.card.as_ref()));
    goals.extend(cards.map(|span| WebGoal {
        what: format!("{}, p95 of {}", span.what, span.count),
        goal: "< 20 ms",
        here: format!("{:.1} ms", span.p95_ms),
        is_kept: span.p95_ms < CARD_MS,
    }));
    let interactions = kept.into_iter().flat_map(|kept| &kept.interactions);
    goals.extend(interactions.map(|one| WebGoal {
        what: format!("{}: click to paint, the longest of {}", one.what, one.count),
        goal: "< 50 ms",
        here: format!("{:.0} ms", one.most_ms),
        is_kept: one.most_ms < INTERACTION_MS,
    }));
    goals.push(WebGoal {
        what: "all sections of a new household and the watch, typeface, icons, style and script".to_owned(),
        goal: "< 300,000 bytes",
        here: format!("{} bytes", figures.total_bytes),
        is_kept: figures.total_bytes < BYTES,
    });
    goals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::web::{
        kept::{InteractionFigure, KeptFigures, PaintFigure},
        span,
    };

    #[test]
    fn goal_is_missed_by_the_first_figure_beyond_it() {
        let figures = |over_ms: f64, card: f64, most_ms: f64, total_bytes: usize| WebFigures {
            browser: None,
            spans: vec![
                span("browser: signal to card", vec![card]),
                span("else", vec![900.0]),
            ],
            bytes: std::collections::BTreeMap::new(),
            total_bytes,
            foreign: Vec::new(),
            kept: Some(KeptFigures {
                paints: vec![PaintFigure {
                    page: "/".to_owned(),
                    bytes: 1,
                    ours_ms: 50.0,
                    still_ms: 40.0,
                    over_ms,
                }],
                interactions: vec![InteractionFigure {
                    what: "x",
                    page: "/".to_owned(),
                    count: 1,
                    most_ms,
                }],
                ..KeptFigures::default()
            }),
        };
        let kept = |over, card, most, bytes| -> Vec<bool> {
            goals(&figures(over, card, most, bytes))
                .iter()
                .map(|goal| goal.is_kept)
                .collect()
        };
        assert_eq!(kept(20.0, 19.9, 49.0, 299_999), [true; 4]);
        assert_eq!(kept(20.1, 20.0, 50.0, 300_000), [false; 4]);
    }
}
