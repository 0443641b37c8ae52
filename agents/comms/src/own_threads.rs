//! The owner's own mails, as far as they are needed later: which mail answers one, and which question waits for an answer.
//!
//! What: [`OwnThreads`], of each own mail its keyed name, when, to whom first, whether it asks and whether an answer came. Why: who answers the
//! owner speaks to the owner, and what the owner asked and nobody answered is easily forgotten. Not here: a word of any mail, whether a
//! mail asks (`judging`), lessons (`history`).

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use toolcall_schema::{
    Timestamp,
    catalogue::learning::{ASKED_DAYS, GIVEN_UP_DAYS},
    forget::ErasureScope,
    ids::{ItemId, PersonHash},
};

/// Mails kept at most; the oldest go first.
const MOST: usize = 1000;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A mail that the owner wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnThread {
    pub(super) mail: ItemId,
    pub(super) at: Timestamp,
    /// The first it goes to.
    pub(super) to: Option<PersonHash>,
    pub(super) asks: bool,
    pub(super) answered: bool,
}

/// The owner's own mails in order of time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<ThreadRow>", into = "Vec<ThreadRow>")]
pub(super) struct OwnThreads {
    mails: VecDeque<OwnThread>,
}

/// As it stands in the state: name, second, to whom, and the flags asks 1, answered 2.
#[derive(Serialize, Deserialize)]
struct ThreadRow(ItemId, i64, Option<PersonHash>, u8);

impl OwnThreads {
    /// Notes a mail. False when it is known.
    pub(super) fn note(&mut self, mail: OwnThread) -> bool {
        if let Some(known) = self.mails.iter_mut().find(|known| known.mail == mail.mail) {
            // A mail that was known by its head alone is read now.
            let news = mail.asks && !known.asks;
            known.asks |= mail.asks;
            known.answered |= mail.answered;
            return news;
        }
        // In the state stand whole seconds.
        let at = Timestamp::from_ms(mail.at.ms().div_euclid(1000) * 1000);
        let place = self.mails.partition_point(|known| known.at <= at);
        if place == 0 && self.mails.len() >= MOST {
            return false;
        }
        self.mails.insert(place, OwnThread { at, ..mail });
        while self.mails.len() > MOST {
            self.mails.pop_front();
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.mails.is_empty()
    }

    /// Which of these are the owner's.
    pub(super) fn among(&self, named: &[ItemId]) -> Vec<ItemId> {
        let own = self.mails.iter().filter(|known| named.contains(&known.mail));
        own.map(|known| known.mail.clone()).collect()
    }

    /// Somebody answered these. False when that is known.
    pub(super) fn answer(&mut self, answered: &[ItemId]) -> bool {
        let mut news = false;
        for known in self
            .mails
            .iter_mut()
            .filter(|known| answered.contains(&known.mail))
        {
            news |= !known.answered;
            known.answered = true;
        }
        news
    }

    /// Questions that have waited for three days, and not for thirty, the newest first.
    pub(super) fn waiting(&self, at: Timestamp) -> impl Iterator<Item = &OwnThread> {
        self.mails.iter().rev().filter(move |mail| {
            let days = at.since(mail.at).div_euclid(DAY_MS);
            let waits = i64::from(ASKED_DAYS)..i64::from(GIVEN_UP_DAYS);
            mail.asks && !mail.answered && waits.contains(&days)
        })
    }

    /// To whom these mails went.
    pub(super) fn people(&self) -> impl Iterator<Item = &PersonHash> {
        self.mails.iter().filter_map(|mail| mail.to.as_ref())
    }

    /// Removes what the owner wants forgotten, and returns it.
    pub(super) fn forget(&mut self, what: &ErasureScope) -> Vec<OwnThread> {
        let goes = |mail: &OwnThread| {
            let person = mail.to.as_ref().is_some_and(|to| what.covers_thing(to.as_str()));
            what.covers_time(mail.at) || what.covers_thing(mail.mail.as_str()) || person
        };
        let (gone, kept): (Vec<OwnThread>, Vec<OwnThread>) = self.mails.drain(..).partition(goes);
        self.mails = kept.into();
        gone
    }
}

impl From<OwnThreads> for Vec<ThreadRow> {
    fn from(own: OwnThreads) -> Self {
        let row = |mail: OwnThread| {
            let flags = u8::from(mail.asks) | u8::from(mail.answered) << 1;
            ThreadRow(mail.mail, mail.at.ms().div_euclid(1000), mail.to, flags)
        };
        own.mails.into_iter().map(row).collect()
    }
}

impl From<Vec<ThreadRow>> for OwnThreads {
    fn from(rows: Vec<ThreadRow>) -> Self {
        let mut own = Self::default();
        let over = rows.len().saturating_sub(MOST);
        for ThreadRow(mail, second, to, flags) in rows.into_iter().skip(over) {
            own.note(OwnThread {
                mail,
                at: Timestamp::from_ms(second.saturating_mul(1000)),
                to,
                asks: flags & 1 != 0,
                answered: flags & 2 != 0,
            });
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::ids::{OwnerSeed, SecretKey};

    fn key() -> SecretKey {
        OwnerSeed::from_day_seed("own").key("agents")
    }

    fn noon() -> Timestamp {
        Timestamp::parse("2026-11-03T12:00:00Z").unwrap()
    }

    fn own(name: &str, at: Timestamp, asks: bool) -> OwnThread {
        OwnThread {
            mail: key().item(name),
            at,
            to: Some(key().person("bo")),
            asks,
            answered: false,
        }
    }

    fn waiting(threads: &OwnThreads, days: i64) -> usize {
        threads.waiting(noon().plus_ms(days * DAY_MS)).count()
    }

    #[test]
    fn a_question_waits_from_the_third_day_to_the_thirtieth_unless_it_is_answered() {
        let mut threads = OwnThreads::default();
        threads.note(own("question", noon(), true));
        threads.note(own("thanks", noon(), false));
        for (days, waits) in [(0, 0), (2, 0), (3, 1), (29, 1), (30, 0)] {
            assert_eq!(waiting(&threads, days), waits, "{days}");
        }
        let named = [key().item("other"), key().item("question")];
        assert_eq!(threads.among(&named), [key().item("question")]);
        assert!(threads.answer(&named));
        assert_eq!(waiting(&threads, 3), 0);
        assert!(!threads.answer(&named), "it was answered before");
    }

    #[test]
    fn it_is_the_same_after_a_restart_and_the_oldest_make_room() {
        let mut threads = OwnThreads::default();
        for n in 0..1002_i64 {
            threads.note(own(&n.to_string(), noon().plus_min(n), n % 2 == 0));
        }
        assert_eq!(threads.mails.len(), 1000);
        let named = ["1", "2"].map(|name| key().item(name));
        assert_eq!(threads.among(&named), [key().item("2")]);
        assert!(
            !threads.note(own("older", noon(), true)),
            "there is no room for an older one"
        );
        let json = serde_json::to_string(&threads).unwrap();
        assert!(json.len() < 128 << 10, "{}", json.len());
        assert_eq!(serde_json::from_str::<OwnThreads>(&json).unwrap(), threads);
    }

    #[test]
    fn what_is_forgotten_waits_for_nobody() {
        let scopes = [
            ErasureScope::naming([key().item("question").as_str().to_owned()]),
            ErasureScope::naming([key().person("bo").as_str().to_owned()]),
            ErasureScope::within(noon(), noon().plus_min(1)),
        ];
        for what in scopes {
            let mut threads = OwnThreads::default();
            threads.note(own("question", noon(), true));
            threads.forget(&what);
            assert_eq!(threads, OwnThreads::default(), "{what:?}");
        }
    }
}
