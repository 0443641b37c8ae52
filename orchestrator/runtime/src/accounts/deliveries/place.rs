//! Where a delivery goes.
//!
//! What: the calendar for time that is kept free, which its owner may choose, and the event that a decline is about. Why: only a server that the owner lets be written to
//! is, and a decline goes where its event was read. Not here: what an event says (the Calendar agent), asking the server.

use super::{
    super::{
        AccountConfig,
        cache::{AccountCache, CachedCalendar},
        live::{AccountReport, LiveAccount, LiveAccounts},
    },
    record::{DeliveryKind, DeliveryPlace, ServerDelivery},
};
use std::sync::Arc;
use surfaces_base::backend::accounts::EventCalendar;

/// Where one goes.
pub(super) enum FoundPlace {
    Here(DeliveryPlace),
    /// Not all calendars were read yet, or not the mail that is answered.
    NotYet,
    /// No server has to do with it: it stays a file of the outbox.
    Nowhere,
}

impl LiveAccounts {
    /// `is_named`: of a draft, whether it is known which mail it answers.
    pub(super) fn find_place(&self, delivery: &ServerDelivery, is_named: bool) -> FoundPlace {
        let uid = uid_of(&delivery.text);
        let (mut is_all_read, mut is_any) = (true, false);
        let is_draft = delivery.kind == DeliveryKind::Draft;
        let chosen = self.chosen_for_free_time();
        let is_asked = |account: &&Arc<LiveAccount>| {
            let is_chosen = chosen.is_none_or(|chosen| Arc::ptr_eq(chosen, account));
            account.config.kind.is_mail() == is_draft && (delivery.kind != DeliveryKind::Hold || is_chosen)
        };
        for account in self.writable().filter(is_asked) {
            let state = account.state();
            is_any = true;
            is_all_read &= state.reading.is_some();
            let found = match delivery.kind {
                DeliveryKind::Hold => for_free_time(&account.config, &state.cache).map(|one| {
                    let folder = one.id.trim_end_matches('/');
                    (format!("{folder}/aura-{}.ics", delivery.trace_id), None)
                }),
                DeliveryKind::Draft => is_named.then(|| (String::new(), None)),
                DeliveryKind::Decline => uid.as_deref().and_then(|uid| {
                    let mut objects = state.cache.calendars.values().flat_map(|one| &one.objects);
                    let (path, text) = objects.find(|(_, text)| holds_uid(text, uid))?;
                    Some((path.clone(), Some(text.clone())))
                }),
            };
            if let Some((path, seen)) = found {
                return FoundPlace::Here(DeliveryPlace {
                    account: account.config.name.clone(),
                    server: account.config.place.server(),
                    path,
                    seen,
                });
            }
        }
        if is_any && (!is_all_read || delivery.kind != DeliveryKind::Decline) {
            FoundPlace::NotYet
        } else {
            FoundPlace::Nowhere
        }
    }
}

impl LiveAccounts {
    /// The account with the calendar that its owner chose for time that is kept free.
    fn chosen_for_free_time(&self) -> Option<&Arc<LiveAccount>> {
        self.writable().find(|account| account.config.keep_free.is_some())
    }

    /// Says in reports which calendars take events, and to which of them time goes that is kept free.
    pub(in super::super) fn note_event_calendars(&self, reports: &mut [AccountReport]) {
        let takes =
            |account: &&Arc<LiveAccount>| for_free_time(&account.config, &account.state().cache).is_some();
        let chosen = self.chosen_for_free_time().or_else(|| {
            self.writable()
                .filter(|account| !account.config.kind.is_mail())
                .find(takes)
        });
        for account in self.writable().filter(|account| !account.config.kind.is_mail()) {
            let Some(report) = reports
                .iter_mut()
                .find(|report| report.name == account.config.name)
            else {
                continue;
            };
            let state = account.state();
            let here = chosen.filter(|chosen| Arc::ptr_eq(chosen, account));
            let here = here.and_then(|account| for_free_time(&account.config, &state.cache));
            report.event_calendars = event_calendars(&state.cache, here);
            report.missing_calendar = account.config.keep_free.clone().filter(|_| here.is_none());
        }
    }
}

fn event_calendars(cache: &AccountCache, chosen: Option<&CachedCalendar>) -> Vec<EventCalendar> {
    let all = cache.calendars.values().filter(|one| one.takes_events);
    all.map(|one| EventCalendar {
        id: one.id.clone(),
        name: one.name.clone(),
        is_for_free_time: chosen.is_some_and(|chosen| chosen.id == one.id),
    })
    .collect()
}

/// The calendar of an account for time that is kept free: the one that is chosen, else the first that takes events, in the order of their
/// addresses.
fn for_free_time<'c>(account: &AccountConfig, cache: &'c AccountCache) -> Option<&'c CachedCalendar> {
    let mut all = cache.calendars.values().filter(|one| one.takes_events);
    match &account.keep_free {
        Some(wanted) => all.find(|one| one.id == *wanted || one.name == *wanted),
        None => all.next(),
    }
}

fn unfolded(text: &str) -> String {
    ["\r\n ", "\r\n\t", "\n ", "\n\t"]
        .iter()
        .fold(text.to_owned(), |text, fold| text.replace(fold, ""))
}

/// The first UID, as it stands there.
fn uid_of(text: &str) -> Option<String> {
    let text = unfolded(text);
    let uid = text.lines().find_map(|line| line.strip_prefix("UID:"))?;
    Some(uid.trim().to_owned())
}

/// Whether an object is of that UID, as far as it is worth asking its server.
fn holds_uid(text: &str, uid: &str) -> bool {
    let plain = |text: &str| text.replace('\\', "");
    let is_uid = |line: &str| {
        line.split_once(':').is_some_and(|(name, value)| {
            let name = name.split(';').next().unwrap_or_default();
            name.eq_ignore_ascii_case("UID") && plain(value.trim()) == plain(uid)
        })
    };
    unfolded(text).lines().any(is_uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_is_known_by_its_uid_however_it_is_folded_and_escaped() {
        let reply = "BEGIN:VEVENT\r\nUID:a\\,lo\r\n ng@example.org\r\n";
        let uid = uid_of(reply).unwrap();
        assert_eq!(uid, "a\\,long@example.org");
        for (text, expected) in [
            ("BEGIN:VEVENT\r\nUID:a\\,long@exam\r\n ple.org\r\n", true),
            ("BEGIN:VEVENT\nuid;X=1:a,long@example.org\n", true),
            ("BEGIN:VEVENT\r\nUID:a,longer@example.org\r\n", false),
            ("BEGIN:VEVENT\r\nRELATED-TO:a,long@example.org\r\n", false),
        ] {
            assert_eq!(holds_uid(text, &uid), expected, "{text}");
        }
    }
}
