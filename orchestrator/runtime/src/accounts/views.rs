//! An account as pages show it.
//!
//! What: the row of the page from a report. Why: pages know nothing of processes. Not here: its words (`surfaces::words`).

use super::AccountReport;
use surfaces::backend::accounts::AccountView;
use toolcall_schema::accounts::LookFailure;

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
            calendars: self.calendars.len(),
            problem: self.problem(),
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
