//! What is done once a night.
//!
//! What: [`run`], on a folder on which nobody works: a base of the journal, then everything goes that was kept long enough; and
//! [`is_due`]. Why: nothing is kept longer than was said, and an erasure never has to fold more than a day. Not here: when the service
//! makes room for it (`service`), what goes (`aura_memory::erase`).

use crate::{
    clock::Clock,
    config::Home,
    erase::{EraseError, head, zone},
    retention_clock::{ClockReport, FolderTime},
};
use aura_memory::{
    Reader, StoreError, Vault,
    erase::{Base, Editor, Removed, Retention},
};
use chrono::{Days, NaiveTime};
use chrono_tz::Tz;
use toolcall_schema::Timestamp;

/// When, by the owner's clock.
const AT: NaiveTime = match NaiveTime::from_hms_opt(3, 0, 0) {
    Some(three) => three,
    None => NaiveTime::MIN,
};

/// Keeps a base and takes out what was kept long enough, by the time that is borne out. `dry`: only counts.
///
/// # Errors
/// [`EraseError`]; what had not gone until then is still there.
pub fn run(
    vault: &Vault,
    home: Option<&Home>,
    retention: &Retention,
    clock: &Clock,
    dry: bool,
) -> Result<(Removed, ClockReport), EraseError> {
    let mut editor = Editor::open(vault)?;
    let state = head(vault, home)?;
    let recorded = state.as_ref().map(|(_, state)| state.wall(state.at));
    let kept = editor.confirmed_time()?;
    let time = FolderTime::look(clock, zone(vault, home), kept.as_deref(), recorded);
    if let Some(json) = time.json().filter(|_| !dry) {
        editor.keep_confirmed_time(&json)?;
    }
    if let Some((seq, state)) = state.filter(|_| !dry) {
        editor.keep_base(&Base {
            seq,
            at: state.wall(state.at),
            json: serde_json::to_string(&state).unwrap_or_default(),
            forgot: false,
        })?;
    }
    let report = time.report();
    Ok((editor.purge(retention, &time.ageing(), report.wall, dry)?, report))
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
    let reader = match Reader::open(vault) {
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
