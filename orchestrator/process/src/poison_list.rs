//! The poison list: calls that crashed a process twice.
//!
//! What: counts crashes by the id of what was being handled, and says what is refused from then on. Why: one item must not
//! take an agent down again and again. Not here: which crash is whose fault (`agent_process`), showing it (`AgentStatusRegistry`).

use std::collections::{BTreeMap, BTreeSet};

/// This many crashes on one thing, and it is set aside.
pub(super) const CRASHES: u32 = 2;
/// Things that are suspected or set aside at most; past it the suspicions begin anew.
const MOST: usize = 4096;

/// Suspicions and what was set aside.
#[derive(Debug, Default)]
pub(super) struct PoisonList {
    suspects: BTreeMap<String, u32>,
    aside: BTreeSet<String>,
}

impl PoisonList {
    /// A crash while these were being handled. Whether any of them is set aside for it.
    pub(super) fn blame(&mut self, ids: impl IntoIterator<Item = String>) -> bool {
        let before = self.aside.len();
        for id in ids {
            let crashes = self.suspects.get(&id).map_or(1, |crashes| crashes + 1);
            if crashes >= CRASHES && self.aside.len() < MOST {
                self.suspects.remove(&id);
                self.aside.insert(id);
            } else {
                if self.suspects.len() >= MOST {
                    self.suspects.clear();
                }
                self.suspects.insert(id, crashes);
            }
        }
        self.aside.len() > before
    }

    /// Whether it is refused.
    pub(super) fn refuses(&self, id: &str) -> bool {
        self.aside.contains(id)
    }

    /// Whether nothing is.
    pub(super) fn is_empty(&self) -> bool {
        self.aside.is_empty()
    }

    /// All that is refused, in the order of their ids.
    pub(super) fn ids(&self) -> Vec<String> {
        self.aside.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn what_a_process_crashed_on_twice_is_refused_and_nothing_else() {
        let mut aside = PoisonList::default();
        assert!(!aside.blame(ids(&["a", "b"])));
        assert!(aside.is_empty());
        assert!(aside.blame(ids(&["b", "c"])));
        assert_eq!(aside.ids(), ids(&["b"]));
        assert!(aside.refuses("b") && !aside.refuses("a") && !aside.refuses("c"));
        assert!(aside.blame(ids(&["a"])));
        assert_eq!(aside.ids(), ids(&["a", "b"]));
    }

    #[test]
    fn suspicions_are_bounded() {
        let mut aside = PoisonList::default();
        for n in 0..3 * MOST {
            aside.blame([n.to_string()]);
        }
        assert!(aside.suspects.len() <= MOST && aside.is_empty());
    }
}
