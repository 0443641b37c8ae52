//! What is known of an account's calendars, address books or bank accounts.
//!
//! What: [`AccountCache`]: the objects of each calendar with how far the server was read, changed by what a look found. Why: a laptop offline
//! must know its day, and a poll of what did not change must cost nothing. Not here: sealing it (`aura_memory::accounts`), the look.

use aura_memory::accounts::AccountEntry;
use aura_process::source::{AccountPart, KnownCalendar, STATEMENT_HEAD, STATEMENT_TAIL};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// Bytes of an account's calendars that are kept.
pub(super) const CACHE_BYTES_MAX: usize = 32 << 20;

/// When an account was reached is written again after so long.
const WRITTEN_AGAIN_AFTER_MS: i64 = 15 * 60_000;

/// Before the hash of a calendar's id, where it is a part of an account.
pub(super) const CALENDAR_PART: &str = "calendar ";

/// One calendar, address book or bank account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CachedCalendar {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) mark: Option<String>,
    /// Whether events may be put there, as far as the server says.
    #[serde(default = "takes_events")]
    pub(super) takes_events: bool,
    /// iCalendar as it was sent, by the server's name for it.
    pub(super) objects: BTreeMap<String, String>,
}

/// Of a calendar that was kept before that was asked.
fn takes_events() -> bool {
    true
}

impl CachedCalendar {
    /// Its objects as the agent reads them: where it is iCalendar each says what the calendar is called, for the tasks in it.
    pub(super) fn named_objects(&self) -> impl Iterator<Item = Cow<'_, str>> {
        const BEGIN: &str = "BEGIN:VCALENDAR";
        let name = self.name.replace(char::is_control, " ").replace('\\', "");
        let named = move |text: &'_ String| match text.strip_prefix(BEGIN) {
            Some(rest) if !name.is_empty() && !text.contains("\nX-WR-CALNAME") => {
                Some(format!("{BEGIN}\r\nX-WR-CALNAME:{name}{rest}"))
            }
            Some(_) | None => None,
        };
        let objects = self.objects.values();
        objects.map(move |text| named(text).map_or(Cow::Borrowed(text.as_str()), Cow::Owned))
    }

    /// The part of the account that it is.
    pub(super) fn entry(&self, account: &str) -> AccountEntry {
        AccountEntry::new(account, &format!("{CALENDAR_PART}{}", self.key()))
    }

    /// What its file is called.
    pub(super) fn file_name(&self, ending: &str) -> String {
        format!("{}.{ending}", self.key())
    }

    /// A name without any text from outside.
    fn key(&self) -> String {
        sha256_hex(self.id.as_bytes()).chars().take(16).collect()
    }

    fn bytes(&self) -> usize {
        self.objects.iter().map(|(id, text)| id.len() + text.len()).sum()
    }
}

/// Whether an object is one of its own, and no end of a statement.
pub(super) fn is_entry(id: &str) -> bool {
    id != STATEMENT_HEAD && id != STATEMENT_TAIL
}

/// All calendars of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AccountCache {
    pub(super) calendars: BTreeMap<String, CachedCalendar>,
}

/// What a look changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LookChanges {
    /// Objects that are new or others now, and those that went.
    pub(super) new: usize,
    pub(super) gone: usize,
    /// Calendars that are to be written.
    pub(super) changed: BTreeSet<String>,
    pub(super) removed: Vec<CachedCalendar>,
}

impl AccountCache {
    /// What need not be read whole again.
    pub(super) fn known_calendars(&self) -> Vec<KnownCalendar> {
        let known = self.calendars.values().filter_map(|calendar| {
            let mark = calendar.mark.clone()?;
            let id = calendar.id.clone();
            Some(KnownCalendar { id, mark })
        });
        known.collect()
    }

    pub(super) fn objects(&self) -> usize {
        let ids = self.calendars.values().flat_map(|one| one.objects.keys());
        ids.filter(|id| is_entry(id)).count()
    }

    pub(super) fn bytes(&self) -> usize {
        self.calendars.values().map(CachedCalendar::bytes).sum()
    }

    /// As it is after a look that ended well: with these parts, and those calendars alone.
    pub(super) fn with_parts(&self, parts: Vec<AccountPart>, there: &[String]) -> (Self, LookChanges) {
        let mut after = self.clone();
        let mut open = CachedCalendar::default();
        let mut changed = BTreeSet::new();
        for part in parts {
            match part {
                AccountPart::Calendar {
                    id,
                    name,
                    is_whole,
                    mark,
                    takes_events,
                } => {
                    let ended = std::mem::take(&mut open);
                    after.take_back(ended);
                    open = after.calendars.remove(&id).unwrap_or_default();
                    if is_whole {
                        open.objects.clear();
                    }
                    changed.insert(id.clone());
                    (open.id, open.name, open.mark, open.takes_events) = (id, name, mark, takes_events);
                }
                AccountPart::Object { id, text } => drop(open.objects.insert(id, text)),
                AccountPart::Gone { id } => drop(open.objects.remove(&id)),
            }
        }
        after.take_back(open);
        let there: BTreeSet<&String> = there.iter().collect();
        let removed = after.calendars.extract_if(.., |id, _| !there.contains(id));
        let removed: Vec<CachedCalendar> = removed.map(|(_, calendar)| calendar).collect();
        changed.retain(|id| self.calendars.get(id) != after.calendars.get(id));
        let changes = self.changes_to(&after);
        let (new, gone) = (changes.0, changes.1);
        (
            after,
            LookChanges {
                new,
                gone,
                changed,
                removed,
            },
        )
    }

    fn take_back(&mut self, calendar: CachedCalendar) {
        if !calendar.id.is_empty() {
            self.calendars.insert(calendar.id.clone(), calendar);
        }
    }

    fn changes_to(&self, after: &Self) -> (usize, usize) {
        let objects = |cache: &Self| -> BTreeMap<(String, String), String> {
            let all = cache.calendars.values().flat_map(|calendar| {
                calendar
                    .objects
                    .iter()
                    .map(|(id, text)| ((calendar.id.clone(), id.clone()), text.clone()))
            });
            all.collect()
        };
        let (before, after) = (objects(self), objects(after));
        let new = after
            .iter()
            .filter(|(id, text)| is_entry(&id.1) && before.get(*id) != Some(text));
        let gone = before
            .keys()
            .filter(|id| is_entry(&id.1) && !after.contains_key(*id));
        (new.count(), gone.count())
    }
}

/// How far an account was read, beside its calendars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountReading {
    /// Of which server, login and kind it is: of another, nothing of it counts.
    pub(super) of: String,
    /// When all of it was read whole.
    pub(super) whole_at: Timestamp,
    /// When it was reached last.
    pub(super) reached_at: Timestamp,
}

impl AccountReading {
    /// Whether it is written though a look found nothing new: a look each minute writes nothing for a quarter of an hour.
    pub(super) fn is_worth_writing(&self, written: Option<&Self>) -> bool {
        written.is_none_or(|written| {
            (&written.of, written.whole_at) != (&self.of, self.whole_at)
                || self.reached_at < written.reached_at
                || self.reached_at.since(written.reached_at) >= WRITTEN_AGAIN_AFTER_MS
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_that_finds_nothing_new_is_written_once_in_a_quarter_of_an_hour() {
        const MINUTE: i64 = 60_000;
        let reading = |whole: i64, reached: i64| AccountReading {
            of: "caldav dav.example.org:443".to_owned(),
            whole_at: Timestamp::from_ms(whole * MINUTE),
            reached_at: Timestamp::from_ms(reached * MINUTE),
        };
        let written = reading(10, 20);
        assert!(reading(10, 20).is_worth_writing(None));
        assert!(!reading(10, 34).is_worth_writing(Some(&written)));
        assert!(reading(10, 35).is_worth_writing(Some(&written)));
        // Read whole again, or of another server.
        assert!(reading(21, 21).is_worth_writing(Some(&written)));
        let other = AccountReading {
            of: "caldav other.example.org:443".to_owned(),
            ..reading(10, 21)
        };
        assert!(other.is_worth_writing(Some(&written)));
        // The clock was set back.
        assert!(reading(10, 19).is_worth_writing(Some(&written)));
    }

    fn head(id: &str, is_whole: bool, mark: &str) -> AccountPart {
        AccountPart::Calendar {
            id: id.to_owned(),
            name: format!("name of {id}"),
            is_whole,
            mark: Some(mark.to_owned()),
            takes_events: true,
        }
    }

    fn object(id: &str, text: &str) -> AccountPart {
        AccountPart::Object {
            id: id.to_owned(),
            text: text.to_owned(),
        }
    }

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn looks_add_change_and_take_away_and_a_whole_one_leaves_no_second_copy() {
        let (first, changes) = AccountCache::default().with_parts(
            vec![
                head("/a/", true, "1"),
                object("x", "one"),
                object("y", "two"),
                head("/b/", true, "1"),
            ],
            &ids(&["/a/", "/b/"]),
        );
        assert_eq!((changes.new, changes.gone, changes.changed.len()), (2, 0, 2));
        assert_eq!(first.known_calendars().len(), 2);
        let gone = AccountPart::Gone { id: "y".to_owned() };
        let parts = vec![head("/a/", false, "2"), object("x", "one!"), gone];
        let (second, changes) = first.with_parts(parts, &ids(&["/a/"]));
        assert_eq!((changes.new, changes.gone, changes.removed.len()), (1, 1, 1));
        assert_eq!(
            second.calendars["/a/"].objects,
            BTreeMap::from([("x".to_owned(), "one!".to_owned())])
        );
        // The server forgot how far it was: the same once more is nothing new.
        let (third, changes) =
            second.with_parts(vec![head("/a/", true, "3"), object("x", "one!")], &ids(&["/a/"]));
        assert_eq!((changes.new, changes.gone, third.objects()), (0, 0, 1));
        assert_eq!(changes.changed, ["/a/".to_owned()].into());
        // Nothing new at all: nothing is written.
        let (fourth, changes) = third.with_parts(vec![], &ids(&["/a/"]));
        assert_eq!((fourth, changes.changed), (third, BTreeSet::new()));
    }

    #[test]
    fn objects_of_a_calendar_say_what_it_is_called_and_others_are_as_they_were_sent() {
        let objects = [
            ("a", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"),
            ("b", "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Own\r\nEND:VCALENDAR\r\n"),
            ("c", "BEGIN:VCARD\r\nEND:VCARD\r\n"),
        ];
        let list = CachedCalendar {
            name: "To do\nX:y".to_owned(),
            objects: objects.map(|(id, text)| (id.to_owned(), text.to_owned())).into(),
            ..CachedCalendar::default()
        };
        let named: Vec<_> = list.named_objects().collect();
        assert_eq!(
            named[0],
            "BEGIN:VCALENDAR\r\nX-WR-CALNAME:To do X:y\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"
        );
        assert_eq!(named[1..], [objects[1].1, objects[2].1]);
        let unnamed = CachedCalendar {
            name: String::new(),
            ..list
        };
        assert!(unnamed.named_objects().eq(objects.map(|(_, text)| text)));
    }
}
