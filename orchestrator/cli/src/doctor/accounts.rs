//! What `aura doctor` says of the accounts on servers.
//!
//! What: how each stands by the running service, else only that it is configured. Why: a server that fails quietly would leave the owner with an
//! old calendar. Not here: asking a server (`aura source test`).

use super::{DoctorFinding, ok, warn};
use crate::source::{counted_entries, failing};
use aura_runtime::{
    accounts::{AccountCommand, AccountConfig, AccountReport},
    control::{self, ControlReply, ControlRequest},
};
use std::path::Path;
use surfaces_base::{language::say, words};

/// One line for each account.
pub(super) fn checks(dir: &Path, accounts: &[AccountConfig]) -> Vec<DoctorFinding> {
    if accounts.is_empty() {
        return Vec::new();
    }
    let asked = AccountCommand::List;
    let reply = control::ask(dir, &ControlRequest::Account { asked });
    let reports = if let Ok(Some(ControlReply::Accounts(reports))) = reply {
        reports
    } else {
        Vec::new()
    };
    accounts.iter().map(|account| check(account, &reports)).collect()
}

fn check(account: &AccountConfig, reports: &[AccountReport]) -> DoctorFinding {
    let (check, name) = ("source", &account.name);
    let Some(report) = reports.iter().find(|report| report.name == *name) else {
        return ok(check, say!("cli-doctor-account-configured", name));
    };
    let reached = report.reached_at.map(|at| at.to_string());
    let reached = words::account_reached(reached.as_deref());
    match failing(report) {
        _ if report.is_paused => ok(check, say!("cli-doctor-account-paused", name, reached)),
        Some((says, todo)) => warn(
            check,
            say!("cli-doctor-account-failing", name, says, reached),
            todo,
        ),
        None if !report.is_known => ok(check, say!("cli-doctor-account-unknown", name, reached)),
        None => ok(
            check,
            say!(
                "cli-doctor-account-read",
                name,
                entries = counted_entries(report),
                reached
            ),
        ),
    }
}
