//! An account as pages show it.
//!
//! What: the row of the page from a report, and [`problem_of`]. Why: pages know nothing of processes. Not here: its words (`surfaces::words`).

use super::{AccountReport, ServerAccountKind};
use aura_process::source::LookFailure;
use surfaces::backend::accounts::{AccountProblem, AccountView};

impl AccountReport {
    /// Its row.
    pub(crate) fn view(&self) -> AccountView {
        AccountView {
            name: self.name.clone(),
            is_caldav: self.kind == ServerAccountKind::CalDav,
            server: self.server.clone(),
            is_paused: self.is_paused,
            is_writable: (self.kind == ServerAccountKind::CalDav).then_some(self.is_writable),
            reached_at: self.reached_at,
            new: self.new,
            gone: self.gone,
            entries: self.entries,
            calendars: self.calendars.len(),
            problem: self.problem(),
        }
    }

    /// Why it cannot be read now.
    pub fn problem(&self) -> Option<AccountProblem> {
        if self.is_without_memory {
            return Some(AccountProblem::NoMemory);
        }
        self.failure.as_ref().map(problem_of)
    }
}

/// A failure as pages name it.
pub fn problem_of(failure: &LookFailure) -> AccountProblem {
    match failure {
        LookFailure::UnknownHost => AccountProblem::UnknownHost,
        LookFailure::Unreachable => AccountProblem::Unreachable,
        LookFailure::NotPublic => AccountProblem::NotPublic,
        LookFailure::Elsewhere { host } => AccountProblem::Elsewhere(host.clone()),
        LookFailure::OtherName => AccountProblem::OtherName,
        LookFailure::Untrusted => AccountProblem::Untrusted,
        LookFailure::OutOfDate => AccountProblem::OutOfDate,
        LookFailure::NotPinned => AccountProblem::NotPinned,
        LookFailure::NoTls => AccountProblem::NoTls,
        LookFailure::LoginRefused => AccountProblem::LoginRefused,
        LookFailure::LoginMissing => AccountProblem::LoginMissing,
        LookFailure::Silent => AccountProblem::Silent,
        LookFailure::TooLarge => AccountProblem::TooLarge,
        LookFailure::Broken => AccountProblem::Broken,
        LookFailure::NoCalendar => AccountProblem::NoCalendar,
        LookFailure::Refused { status } => AccountProblem::Refused(*status),
        LookFailure::TooOften { .. } => AccountProblem::TooOften,
        LookFailure::WorkerEnded => AccountProblem::WorkerEnded,
    }
}
