//! An account as pages show it.
//!
//! What: the row of the page from a report. Why: pages know nothing of processes. Not here: its words (`surfaces_base::words`).

use super::AccountReport;
use surfaces_base::backend::accounts::{AccountView, EventCalendar};
use toolcall_schema::accounts::LookFailure;

fn calendar_view(calendar: &EventCalendar) -> EventCalendar {
    let last = calendar.id.trim_end_matches('/').rsplit('/').next();
    let name = if calendar.name.is_empty() {
        last.unwrap_or_default()
    } else {
        &calendar.name
    };
    EventCalendar {
        id: calendar.id.clone(),
        name: name.to_owned(),
        is_for_free_time: calendar.is_for_free_time,
    }
}

impl AccountReport {
    /// Its row.
    pub(crate) fn view(&self) -> AccountView {
        AccountView {
            name: self.name.clone(),
            kind: self.kind,
            server: self.server.clone(),
            is_paused: self.is_paused,
            is_writable: self.kind.takes_writes().then_some(self.is_writable),
            reached_at: self.reached_at,
            new: self.new,
            gone: self.gone,
            entries: self.entries,
            is_known: self.is_known,
            calendars: self.calendars.len(),
            event_calendars: self.event_calendars.iter().map(calendar_view).collect(),
            missing_calendar: self.missing_calendar.clone(),
            problem: self.problem(),
            sign_in: self.sign_in,
        }
    }

    /// Why it cannot be read now.
    pub fn problem(&self) -> Option<LookFailure> {
        if self.is_without_memory {
            return Some(LookFailure::NoMemory);
        }
        self.failure.clone()
    }
}
