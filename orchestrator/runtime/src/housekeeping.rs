//! What is done once a night.
//!
//! What: [`remove_old`], everything goes that was kept long enough; [`on_stopped`], the same with a base of the journal, on a folder on
//! which no machine runs; and [`is_due`]. Why: nothing is kept longer than was said, and an erasure never has to fold more than a day.
//! Not here: what a running service does around it (`removing`), what goes (`aura_memory::erase`).

use crate::{
    deletion::{self, DeletionError},
    erase::head,
    journal::ReplayContext,
};
use aura_memory::{
    AgeReference, Store, StoreError, StoreReader, StoreWrite, Vault,
    audit::{AuditEntry, AuditSubject, Kind, Op},
    erase::{JournalCheckpoint, RemovedCounts, RetentionPolicy},
};
use aura_platform::{
    clock::Clock,
    retention_clock::{ClockReport, FolderTime},
};
use chrono::{Days, NaiveTime};
use chrono_tz::Tz;
use toolcall_schema::Timestamp;

/// When, by the owner's clock.
const AT: NaiveTime = match NaiveTime::from_hms_opt(3, 0, 0) {
    Some(three) => three,
    None => NaiveTime::MIN,
};

/// Takes out what was kept long enough by the time that is borne out. `at`: now (wall clock), for the audit log. `graph_gone` is called
/// when all is gone that agents noticed. Blocks until all of it is gone, overwritten, and out of the log.
///
/// # Errors
/// [`DeletionError`]; what had not gone until then is still there, and goes the next night.
pub(crate) fn remove_old(
    store: &Store,
    retention: &RetentionPolicy,
    ageing: &AgeReference,
    at: Timestamp,
    graph_gone: &dyn Fn(),
) -> Result<RemovedCounts, DeletionError> {
    let vault = store.vault();
    let mut removed = store.remove(StoreReader::open(vault)?.old_graph_rows(retention, ageing)?)?;
    graph_gone();
    removed.add_all(&store.remove(StoreReader::open(vault)?.old_journal_rows(retention, ageing)?)?);
    if removed.total() > 0 {
        let meaning = AuditSubject::all_of(Kind::Memory).with_count(removed.total());
        let (at_ms, op) = (at.ms(), Op::Purge);
        deletion::write_now(store, &[StoreWrite::Audit(AuditEntry { at_ms, op, meaning })])?;
    }
    removed.add_all(&store.remove(StoreReader::open(vault)?.old_run_rows(retention, ageing)?)?);
    // Whoever takes the owner over before this is done has what was kept long enough, and removes it on a night of theirs. Each night, since an earlier
    // one may not have come so far.
    store.forget_in_log()?;
    deletion::empty_log(store)?;
    Ok(removed)
}

/// What would go. Nothing is changed.
///
/// # Errors
/// STORE-003 or STORE-007.
pub fn count_old(
    vault: &Vault,
    retention: &RetentionPolicy,
    ageing: &AgeReference,
) -> Result<RemovedCounts, StoreError> {
    let reader = StoreReader::open(vault)?;
    let mut removed = reader.old_graph_rows(retention, ageing)?.counts();
    removed.add_all(&reader.old_journal_rows(retention, ageing)?.counts());
    removed.add_all(&reader.old_run_rows(retention, ageing)?.counts());
    Ok(removed)
}

/// A stopped folder's time by the clock of now.
///
/// # Errors
/// [`DeletionError`]
pub fn folder_time(
    vault: &Vault,
    known: &ReplayContext,
    zone: Tz,
    clock: &Clock,
) -> Result<FolderTime, DeletionError> {
    let state = head(vault, known)?;
    let recorded = state.map(|(_, state)| state.wall(state.at));
    let kept = StoreReader::open(vault)?.confirmed_time()?;
    Ok(FolderTime::look(clock, zone, kept.as_deref(), recorded))
}

/// Keeps a base and takes out what was kept long enough, on a folder on which no machine runs.
///
/// # Errors
/// As [`remove_old`].
pub fn on_stopped(
    store: &Store,
    known: &ReplayContext,
    zone: Tz,
    retention: &RetentionPolicy,
    clock: &Clock,
) -> Result<(RemovedCounts, ClockReport), DeletionError> {
    deletion::finish_deletions(store, known)?;
    let vault = store.vault();
    let time = folder_time(vault, known, zone, clock)?;
    let kept = time.json().map(|json| StoreWrite::ConfirmedTime { json });
    let base = head(vault, known)?.map(|(seq, state)| {
        StoreWrite::Base(JournalCheckpoint {
            seq,
            at: state.wall(state.at),
            json: serde_json::to_string(&state).unwrap_or_default(),
            forgot: false,
        })
    });
    let settled = deletion::settled_states(vault, |_, _| None)?;
    let writes: Vec<StoreWrite> = kept.into_iter().chain(base).chain(settled).collect();
    deletion::write_now(store, &writes)?;
    let report = time.report();
    let removed = remove_old(store, retention, &time.ageing(), report.wall, &|| {})?;
    Ok((removed, report))
}

/// The last three o'clock of the owner's night that is not after `now`.
fn last_night(now: Timestamp, zone: Tz) -> Timestamp {
    let local = now.utc().with_timezone(&zone);
    let day = if local.time() >= AT {
        local.date_naive()
    } else {
        local
            .date_naive()
            .checked_sub_days(Days::new(1))
            .unwrap_or(local.date_naive())
    };
    // A night without that hour: the one after it.
    let at = |time: NaiveTime| day.and_time(time).and_local_timezone(zone).earliest();
    at(AT)
        .or_else(|| at(NaiveTime::from_hms_opt(4, 0, 0).unwrap_or(AT)))
        .map_or(now, |at| Timestamp::from(at.to_utc()))
}

/// Whether a night has passed since it was done last, of a journal that is older than that night.
///
/// # Errors
/// STORE-003 or STORE-007.
pub fn is_due(vault: &Vault, zone: Tz, now: Timestamp) -> Result<bool, StoreError> {
    let reader = match StoreReader::open(vault) {
        Err(StoreError::Missing { .. }) => return Ok(false),
        other => other?,
    };
    let night = last_night(now, zone);
    let (oldest, base) = reader.journal_ages()?;
    Ok(match base {
        // One that a wrong clock dated ahead is not of tonight.
        Some(base) => base < night || base > now,
        None => oldest.is_some_and(|oldest| oldest < night),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nights_begin_at_three_by_the_owners_clock() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let kolkata = chrono_tz::Asia::Kolkata;
        let berlin = chrono_tz::Europe::Berlin;
        for (now, zone, night) in [
            // 08:30 in Kolkata: 03:00 there is 21:30 UTC the evening before.
            ("2026-11-03T03:00:00Z", kolkata, "2026-11-02T21:30:00Z"),
            ("2026-11-02T21:29:59Z", kolkata, "2026-11-01T21:30:00Z"),
            ("2026-11-02T21:30:00Z", kolkata, "2026-11-02T21:30:00Z"),
            // The clock goes back at 03:00 on 25 October 2026: 03:00 CET is 02:00 UTC.
            ("2026-10-25T12:00:00Z", berlin, "2026-10-25T02:00:00Z"),
            // It goes forward at 02:00 on 29 March: 03:00 CEST is 01:00 UTC.
            ("2026-03-29T12:00:00Z", berlin, "2026-03-29T01:00:00Z"),
        ] {
            assert_eq!(last_night(at(now), zone), at(night), "{now} {zone}");
        }
    }
}
