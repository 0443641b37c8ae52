//! Which cards were dismissed a moment ago.
//!
//! What: [`RecentDismissals`]. Why: beside the card stands what was just done, and of a dismissed card nothing that is kept says when; it may have lain
//! there for hours. Not here: which cards were dismissed (the backend). Lost with the process: `/history` has all of them.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolcall_schema::ids::CardId;

/// So many are remembered.
const RECENT_MAX: usize = 16;

/// The last dismissed cards, newest last.
#[derive(Default)]
pub(super) struct RecentDismissals(Mutex<VecDeque<(CardId, Instant)>>);

impl RecentDismissals {
    /// A card was dismissed now. A repeat is the same one.
    pub(super) fn note(&self, card_id: CardId) {
        let mut cards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cards.iter().any(|(known, _)| *known == card_id) {
            return;
        }
        if cards.len() >= RECENT_MAX {
            cards.pop_front();
        }
        cards.push_back((card_id, Instant::now()));
    }

    /// Whether a card was dismissed within this time.
    pub(super) fn has(&self, card_id: &CardId, within: Duration) -> bool {
        let cards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cards
            .iter()
            .any(|(known, at)| known == card_id && at.elapsed() < within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered_for_a_time() {
        let recent = RecentDismissals::default();
        let card = |n: usize| CardId::parse(&format!("c_{n:012}")).unwrap();
        for n in 0..=RECENT_MAX {
            recent.note(card(n));
            recent.note(card(n));
        }
        let hour = Duration::from_hours(1);
        assert!(!recent.has(&card(0), hour));
        assert!(recent.has(&card(1), hour) && recent.has(&card(RECENT_MAX), hour));
        assert!(!recent.has(&card(1), Duration::ZERO));
    }
}
