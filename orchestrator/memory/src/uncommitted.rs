//! What was handed over and is not committed.
//!
//! What: [`WriteGroup`], the writes of one transaction with their number, and [`UncommittedGroups`], the groups that wait. Why: when the disk takes
//! no commit, what waits can be put into a file beside the database. Not here: that file (`raw`), how much may wait (`store`).

use crate::rows::StoreWrite;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Writes that belong into one transaction.
pub(crate) struct WriteGroup {
    /// Counted from 1 at each opening: by the number of the last one committed each is known to be on disk or not.
    pub(crate) number: u64,
    pub(crate) writes: Vec<StoreWrite>,
}

/// The groups that wait, in order.
#[derive(Default)]
pub(crate) struct UncommittedGroups(Mutex<VecDeque<Arc<WriteGroup>>>);

impl UncommittedGroups {
    pub(crate) fn add(&self, group: Arc<WriteGroup>) {
        self.lock().push_back(group);
    }

    /// The last one was not handed over after all.
    pub(crate) fn remove_last(&self) {
        self.lock().pop_back();
    }

    /// All up to a number are on disk.
    pub(crate) fn committed(&self, number: u64) {
        let mut groups = self.lock();
        while groups.front().is_some_and(|group| group.number <= number) {
            groups.pop_front();
        }
    }

    /// Those with a higher number.
    pub(crate) fn after(&self, number: u64) -> Vec<Arc<WriteGroup>> {
        let groups = self.lock();
        groups
            .iter()
            .filter(|group| group.number > number)
            .cloned()
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<WriteGroup>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
