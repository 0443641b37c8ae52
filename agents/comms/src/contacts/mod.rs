//! Contacts: what the owner calls people, and which addresses are one person's.
//!
//! What: [`ContactBook`], read from the owner's vCards at each start and when they change; [`count_contacts`], what a source holds. Why: an address
//! book names people better than they name themselves, and knows that two addresses are one person. Not here: a card (`card`), who is one person
//! (`people`). Names and addresses stay in memory; in the state stand keyed hashes alone (docs/adr/0094).

mod card;
mod people;

pub use card::CARD_PROPERTIES;
pub(super) use card::phone_number;
pub(crate) use people::MergedPeople;

use super::CommsAgent;
use agents_base::shared::{ChangeTracker, IngestReport, SLICE, SkipCode, SourceFile, files, read_whole};
use card::{MAX_CARDS, ParsedCard, ParsedCards, read_cards};
use people::{GroupedPeople, HashedCard, group_people};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};
use toolcall_schema::{
    ids::{PersonHash, SecretKey},
    tick::SkippedItem,
};

/// Addresses that stand in cards of different names.
const SHARED_ADDRESS: SkipCode = SkipCode {
    code: "AGENT-043",
    message: "these addresses stand in cards of different names: they name nobody and merge nobody",
};

/// The owner's contacts, in memory alone.
#[derive(Default)]
pub(super) struct ContactBook {
    /// Each file's cards, in the order of the sources' paths.
    files: BTreeMap<PathBuf, Vec<HashedCard>>,
    changes: ChangeTracker,
    names: BTreeMap<PersonHash, Arc<str>>,
    /// The addresses of each person who has several; until all files are read, as they were before.
    groups: Vec<Vec<PersonHash>>,
    /// Whether the files were read to their end since the start.
    read: bool,
}

impl ContactBook {
    /// What the owner calls somebody.
    pub(super) fn name(&self, person: &PersonHash) -> Option<&str> {
        self.names.get(person).map(AsRef::as_ref)
    }

    /// Until files are read, these people have several addresses.
    pub(super) fn restore(&mut self, groups: Vec<Vec<PersonHash>>) {
        if !self.read {
            self.groups = groups;
        }
    }

    /// Reads files that are new or changed. Whether all are read and anything differs.
    fn refresh(&mut self, sources: &[PathBuf], key: &SecretKey, report: &mut IngestReport) -> bool {
        let present = files(sources, &["vcf", "vcard"], report);
        let mut differs = !self.read;
        for gone in self.changes.remove_missing(&present) {
            differs |= self.files.remove(&gone).is_some();
        }
        let mut complete = true;
        for file in &present {
            if self.changes.is_unchanged(file) {
                continue;
            }
            if !report.has_room() {
                report.leave(file, file.len);
                complete = false;
                continue;
            }
            differs |= self.read_file(file, key, report);
        }
        self.read |= complete;
        if !complete || !differs {
            return false;
        }
        let found = group_people(self.files.values().flatten());
        self.names = found.names;
        let first = present.first().map_or("contacts", |file| file.name.as_str());
        report.skip_many(SHARED_ADDRESS, first, None, found.shared);
        self.groups = found.groups;
        true
    }

    fn read_file(&mut self, file: &SourceFile, key: &SecretKey, report: &mut IngestReport) -> bool {
        self.changes.note_change(file);
        report.take(file.len);
        let before = self.files.remove(&file.path).is_some();
        let known: usize = self.files.values().map(Vec::len).sum();
        let Some(read) = parse_file(file, MAX_CARDS.saturating_sub(known), report) else {
            return before;
        };
        // What is read of Comms are messages: people are counted by the look at their source.
        let cards = read.cards.into_iter().map(|card| hashed(card, key)).collect();
        self.files.insert(file.path.clone(), cards);
        true
    }
}

fn hashed(card: ParsedCard, key: &SecretKey) -> HashedCard {
    HashedCard {
        name: card.name.map(Arc::from),
        people: card.addresses.iter().map(|address| key.person(address)).collect(),
    }
}

/// The cards of a file; what was left out is counted. `None`: it cannot be read.
fn parse_file(file: &SourceFile, most: usize, report: &mut IngestReport) -> Option<ParsedCards> {
    let read = match read_whole(file) {
        Ok(bytes) => read_cards(&bytes, most),
        Err(code) => {
            report.skip(code, &file.name, None);
            return None;
        }
    };
    for (code, line, count) in &read.skips {
        report.skip_many(*code, &file.name, Some(*line), *count);
    }
    Some(read)
}

impl CommsAgent {
    /// Reads what is new in the owner's contacts.
    pub(super) fn read_contacts(&mut self, report: &mut IngestReport) {
        if let Some(early) = self.early_contacts.take() {
            report.add_told(early);
        }
        let sources = &self.setup.sources.contacts;
        if self.contacts.refresh(sources, &self.setup.key, report) {
            self.merge_contacts();
        }
    }

    /// Reads them before the first ingest, when a name is asked for earlier.
    pub(super) fn read_contacts_early(&mut self) {
        let mut told = IngestReport::default();
        let sources = &self.setup.sources.contacts;
        if sources.is_empty() || self.contacts.read {
            return;
        }
        // A slice at a time, up to the largest address book that is read.
        for _ in 0..(64 << 20) / SLICE {
            let mut report = IngestReport::default();
            let differs = self.contacts.refresh(sources, &self.setup.key, &mut report);
            let left = report.left;
            told.add_told(report);
            if differs {
                self.merge_contacts();
                break;
            }
            if left == 0 {
                break;
            }
        }
        self.early_contacts = Some(told);
    }

    /// Who is one person by contacts and by the owner's word.
    pub(super) fn merge_contacts(&mut self) {
        let contacts = if self.setup.sources.contacts.is_empty() {
            Vec::new()
        } else {
            self.contacts.groups.clone()
        };
        let groups = self.same.added_to(contacts);
        let merged = MergedPeople::keeping_firsts(groups, &self.merged);
        if merged != *self.merged {
            self.merge_people(merged);
            self.changed = true;
        }
    }

    /// From now on these are one person each.
    pub(super) fn merge_people(&mut self, merged: MergedPeople) {
        self.merged = Arc::new(merged);
        self.history.merge_people(Arc::clone(&self.merged));
    }

    /// Those people with several addresses of whom something is kept.
    pub(super) fn merged_in_state(&self) -> MergedPeople {
        if self.merged.is_empty() {
            return MergedPeople::default();
        }
        let mut kept: BTreeSet<&PersonHash> = BTreeSet::new();
        kept.extend(self.window.all_items().filter_map(|item| item.person.as_ref()));
        kept.extend(self.counts.people());
        kept.extend(self.history.people());
        kept.extend(self.own_threads.people());
        kept.extend(self.let_through.people());
        kept.extend(self.same.people());
        self.merged.of_whom_is_kept(|person| kept.contains(person))
    }
}

/// What an address book holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ContactCount {
    pub people: u32,
    /// Mail addresses and numbers, each once.
    pub addresses: u32,
    pub skipped: u32,
    pub skips: Vec<SkippedItem>,
    pub complete: bool,
}

/// Counts the people and the addresses of one file or folder, until `is_over` says that time is up.
pub fn count_contacts(source: &Path, key: &SecretKey, is_over: &dyn Fn() -> bool) -> ContactCount {
    let mut report = IngestReport::default();
    let mut cards: Vec<HashedCard> = Vec::new();
    let mut complete = true;
    for file in files(&[source.to_owned()], &["vcf", "vcard"], &mut report) {
        if is_over() {
            complete = false;
            break;
        }
        let most = MAX_CARDS.saturating_sub(cards.len());
        let Some(read) = parse_file(&file, most, &mut report) else {
            continue;
        };
        cards.extend(read.cards.into_iter().map(|card| hashed(card, key)));
    }
    let GroupedPeople { shared, people, .. } = group_people(&cards);
    report.skip_many(SHARED_ADDRESS, "contacts", None, shared);
    let addresses: BTreeSet<&PersonHash> = cards.iter().flat_map(|card| &card.people).collect();
    ContactCount {
        people,
        addresses: u32::try_from(addresses.len()).unwrap_or(u32::MAX),
        skipped: report.skipped,
        skips: report.skips,
        complete,
    }
}

#[cfg(test)]
mod tests;
