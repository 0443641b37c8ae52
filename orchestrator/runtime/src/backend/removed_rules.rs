//! What rules said that the owner removed.
//!
//! What: [`RemovedRules`], the last ones of this process. Why: the call that removes a rule names it, and what it said is known nowhere else when it was added more
//! than a week before. Not here: removing (`calls`), adding it again (`surfaces::undoing`).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};
use toolcall_schema::rule::OwnerRule;

/// Rules that the owner removed since this process started, oldest first.
#[derive(Clone, Default)]
pub(crate) struct RemovedRules(Arc<Mutex<VecDeque<OwnerRule>>>);

/// So many are remembered.
const REMOVED_RULES_MAX: usize = 16;

impl RemovedRules {
    pub(super) fn note(&self, rule: OwnerRule) {
        let mut rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rules.len() == REMOVED_RULES_MAX {
            rules.pop_front();
        }
        rules.push_back(rule);
    }

    pub(super) fn all(&self) -> Vec<OwnerRule> {
        let rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().cloned().collect()
    }
}
