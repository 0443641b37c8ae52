//! Numbers of mails in a folder.
//!
//! What: [`UidSet`], read and written as servers do (`1:5,9`). Why: a range of two numbers may stand for four thousand million, so that none is
//! taken apart without a bound. Not here: asking for them (`imap`).

use super::wire::LookFailure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Mails of one folder; the newest are taken.
pub(super) const UIDS_MAX: usize = 50_000;

/// A set of UIDs. Zero is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UidSet(BTreeSet<u32>);

impl UidSet {
    /// The newest of what a server says.
    ///
    /// # Errors
    /// [`LookFailure::Broken`]
    pub(super) fn parse(text: &str) -> Result<Self, LookFailure> {
        let mut ranges = Vec::new();
        for piece in text.split(',').filter(|piece| !piece.is_empty()) {
            let (first, last) = piece.split_once(':').unwrap_or((piece, piece));
            let number = |text: &str| text.parse::<u32>().map_err(|_| LookFailure::Broken);
            let (first, last) = (number(first)?, number(last)?);
            ranges.push((first.min(last).max(1), first.max(last)));
        }
        ranges.sort_unstable_by_key(|(_, last)| std::cmp::Reverse(*last));
        let newest = ranges.into_iter().flat_map(|(first, last)| (first..=last).rev());
        // Ranges that overlap say a number twice.
        let mut set = Self(newest.take(2 * UIDS_MAX).collect());
        set.keep_newest(UIDS_MAX);
        Ok(set)
    }

    /// Takes out the lowest, until there are so many.
    pub(super) fn keep_newest(&mut self, most: usize) {
        while self.0.len() > most {
            self.0.pop_first();
        }
    }

    pub fn insert(&mut self, uid: u32) -> bool {
        uid > 0 && self.0.insert(uid)
    }

    pub fn remove(&mut self, uid: u32) -> bool {
        self.0.remove(&uid)
    }

    pub fn contains(&self, uid: u32) -> bool {
        self.0.contains(&uid)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        self.0.retain(|uid| is_kept(*uid));
    }

    /// Pieces of at most so many, the lowest first.
    pub(super) fn chunks(&self, most: usize) -> Vec<Self> {
        let all: Vec<u32> = self.iter().collect();
        all.chunks(most)
            .map(|some| Self(some.iter().copied().collect()))
            .collect()
    }

    fn ranges(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for uid in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(uid) => *last = uid,
                Some(_) | None => ranges.push((uid, uid)),
            }
        }
        ranges
    }
}

impl FromIterator<u32> for UidSet {
    fn from_iter<I: IntoIterator<Item = u32>>(uids: I) -> Self {
        Self(uids.into_iter().filter(|uid| *uid > 0).collect())
    }
}

impl From<UidSet> for String {
    fn from(set: UidSet) -> Self {
        let pieces = set.ranges().into_iter().map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}:{last}")
            }
        });
        pieces.collect::<Vec<String>>().join(",")
    }
}

impl TryFrom<String> for UidSet {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|_| "no set of UIDs".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_written_as_ranges_and_no_range_is_a_bomb() {
        let set = UidSet::parse("5,1:3,2:4,9").unwrap();
        assert_eq!(set.iter().collect::<Vec<u32>>(), [1, 2, 3, 4, 5, 9]);
        assert_eq!(String::from(set.clone()), "1:5,9");
        assert_eq!(set.chunks(4).len(), 2);
        let all = UidSet::parse("1:4294967295").unwrap();
        assert_eq!(
            (all.len(), all.contains(u32::MAX), all.contains(1)),
            (UIDS_MAX, true, false)
        );
        assert_eq!(UidSet::parse("").unwrap().len(), 0);
        assert_eq!(UidSet::parse("0:2").unwrap().len(), 2);
        for wrong in ["x", "1:*", "4294967296", "-1", "1:2:3"] {
            assert!(UidSet::parse(wrong).is_err(), "{wrong}");
        }
    }
}
