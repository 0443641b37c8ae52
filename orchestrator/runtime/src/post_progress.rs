//! How far a post's signals are.
//!
//! What: [`PostProgress`], one state per signal, and the [`PostOutcome`] that it comes to. Why: a post is answered item by item, so that
//! its sender comes again with those that were not read and with no others. Not here: what settles a signal (`delivery`), the answer's
//! form (`surfaces`).

use aura_memory::{SignalFate, SignalKey};

/// One signal of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ItemState {
    /// Read, and that is on disk.
    Read,
    /// Given up: it ended its agent too often.
    Refused,
    /// It is held, and its fate is awaited.
    Awaited(SignalKey),
    /// There was no room for it.
    NoRoom,
}

impl From<SignalFate> for ItemState {
    fn from(fate: SignalFate) -> Self {
        match fate {
            SignalFate::Read => ItemState::Read,
            SignalFate::Refused => ItemState::Refused,
        }
    }
}

/// What became of a post, by places in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostOutcome {
    /// How many are read, with that on disk.
    pub read: usize,
    /// Those that are refused for good.
    pub refused: Vec<usize>,
    /// Those to be sent again.
    pub again: Vec<usize>,
    /// Whether some of these found no room.
    pub full: bool,
}

/// The signals of a post in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostProgress(Vec<ItemState>);

impl PostProgress {
    /// As they stand when the post comes in.
    pub(crate) fn new(items: Vec<ItemState>) -> Self {
        Self(items)
    }

    /// The fate of a signal is known and on disk.
    pub(crate) fn settle(&mut self, key: &SignalKey, fate: SignalFate) {
        for item in &mut self.0 {
            if matches!(item, ItemState::Awaited(awaited) if awaited == key) {
                *item = fate.into();
            }
        }
    }

    /// Whether nothing is awaited any more.
    pub(crate) fn is_settled(&self) -> bool {
        !self.0.iter().any(|item| matches!(item, ItemState::Awaited(_)))
    }

    /// What it comes to now.
    pub(crate) fn outcome(&self) -> PostOutcome {
        let mut outcome = PostOutcome::default();
        for (index, item) in self.0.iter().enumerate() {
            match item {
                ItemState::Read => outcome.read += 1,
                ItemState::Refused => outcome.refused.push(index),
                ItemState::Awaited(_) => outcome.again.push(index),
                ItemState::NoRoom => {
                    outcome.again.push(index);
                    outcome.full = true;
                }
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolcall_schema::ids::OwnerSeed;

    fn key(id: &str) -> SignalKey {
        let signal =
            json!({"id": id, "at": "2026-11-03T12:00:00Z", "source": "s", "kind": "mail", "payload": {}});
        let signal = serde_json::from_value(signal).unwrap();
        SignalKey::from_signal(&OwnerSeed::from_day_seed("test"), &signal)
    }

    #[test]
    fn each_item_is_answered_for_itself() {
        let awaited = |id: &str| ItemState::Awaited(key(id));
        let mut post = PostProgress::new(vec![
            ItemState::Read,
            awaited("a"),
            awaited("b"),
            ItemState::NoRoom,
            awaited("a"),
            awaited("c"),
        ]);
        assert!(!post.is_settled());
        let outcome = |read, refused: &[usize], again: &[usize]| PostOutcome {
            read,
            refused: refused.to_vec(),
            again: again.to_vec(),
            full: true,
        };
        assert_eq!(post.outcome(), outcome(1, &[], &[1, 2, 3, 4, 5]));
        post.settle(&key("a"), SignalFate::Read);
        post.settle(&key("other"), SignalFate::Read);
        post.settle(&key("c"), SignalFate::Refused);
        assert_eq!(post.outcome(), outcome(3, &[5], &[2, 3]));
        post.settle(&key("b"), SignalFate::Read);
        assert!(post.is_settled(), "what found no room is not awaited");
        assert_eq!(post.outcome(), outcome(4, &[5], &[3]));
    }

    #[test]
    fn an_empty_post_is_settled() {
        let post = PostProgress::new(vec![]);
        assert!(post.is_settled());
        assert_eq!(post.outcome(), PostOutcome::default());
    }
}
