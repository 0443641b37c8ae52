//! When the owner's accounts are looked at.
//!
//! What: [`poll_accounts`], which looks when the time has come, and who is told when there is mail. Why: a server that fails is asked less often. Not
//! here: a look (`live`), the worker of mail, which stays (`mail_session`).

use super::{
    deliveries::deliver_always,
    live::{LiveAccount, LiveAccounts},
};
use agents::contract::SourcePaths;
use aura_process::source::LookFailure;
use orchestrator_machine::supervision::Backoff;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use surfaces_base::backend::BackendFuture;
use tokio::sync::{Notify, watch};
use toolcall_schema::ids::ItemId;

/// From the start of the service to the first delivery and the first looks, one after the other.
pub(super) const FIRST: Duration = Duration::from_secs(2);
/// Between two looks that nobody asked for, at least, and after failures at most.
const AT_LEAST: Duration = Duration::from_mins(1);
/// What a look and the agents need of the time between two looks, so that a change is shown before that time is over.
const WORK: Duration = Duration::from_secs(4);
/// From the end of a look to the next, at least: a server that is slow has rest.
const REST: Duration = Duration::from_secs(30);
const AT_MOST: Duration = Duration::from_hours(6);

impl LiveAccounts {
    /// Sources without the mail of accounts, whose news are told.
    pub(crate) fn without_mail(&self, sources: &SourcePaths) -> SourcePaths {
        let mut sources = sources.clone();
        let is_told = |path: &PathBuf| {
            let mut mail = self
                .0
                .accounts
                .iter()
                .filter(|account| account.config.kind.is_mail());
            mail.any(|account| account.folder.as_ref() == Some(path))
        };
        sources.mail.retain(|path| !is_told(path));
        sources
    }

    /// Whether accounts are looked at by the clock.
    pub(super) fn is_polled(&self) -> bool {
        self.0.on_mail.get().is_some()
    }

    /// Names can be read that could not be before.
    pub(super) fn tell_names(&self) {
        if let Some(tell) = self.0.on_names.get() {
            tell();
        }
    }

    /// There is something new among the mail.
    pub(super) fn tell_mail(&self) {
        if let Some(tell) = self.0.on_mail.get() {
            tell();
        }
    }
}

impl LiveAccount {
    /// How long the next look waits, after one that took so long.
    fn next_wait(&self, took: Duration, chance: u64) -> Duration {
        let (failure, failures) = self.failure();
        let after_s = match failure {
            Some(LookFailure::TooOften { after_s }) => after_s.unwrap_or(0),
            Some(_) | None => 0,
        };
        if failures == 0 && self.mail_worker.take_dropped() {
            return FIRST;
        }
        // A worker of mail stays: when it ended, a new one begins soon.
        let is_mail = self.config.kind.is_mail();
        let every = if is_mail {
            AT_LEAST
        } else {
            Duration::from_secs(60 * u64::from(self.config.every_min))
        };
        if failures == 0 && !is_mail {
            return wait_in_time(every, took, chance);
        }
        wait_after(every, failures, chance).max(Duration::from_secs(u64::from(after_s)).min(AT_MOST))
    }
}

/// From the end of a look that went well to the next, which begins up to a tenth sooner by chance, so that not all ask at once.
fn wait_in_time(every: Duration, took: Duration, chance: u64) -> Duration {
    let share = u32::try_from(chance % 101).unwrap_or(100);
    let sooner = every / 10 * share / 100;
    every.saturating_sub(sooner + WORK + took).max(REST)
}

/// After so many failures: twice as long for each, and up to a tenth more or less by chance.
pub(super) fn wait_after(every: Duration, failures: u32, chance: u64) -> Duration {
    let backoff = Backoff {
        first: every,
        longest: AT_MOST.max(every),
    };
    let longer = backoff.pause(failures.min(8));
    let tenth = longer / 10;
    let share = u32::try_from(chance % 201).unwrap_or(100);
    (longer.saturating_sub(tenth) + tenth * share / 100).max(AT_LEAST)
}

pub(super) fn chance() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}

/// Does something again and again, until the service ends: when it is woken, or after the time that the last one gave.
pub(super) async fn repeat(
    mut stopped: watch::Receiver<bool>,
    wake: &Notify,
    first: Duration,
    mut work: impl AsyncFnMut() -> Duration,
) {
    let mut wait = first;
    loop {
        tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            () = wake.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
        tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            next = work() => wait = next,
        }
    }
}

/// Delivers, and looks at each account that is not paused, until the service ends; `on_mail` says that there is something new among the mail, `on_names`
/// that names can be read that could not be before.
pub(crate) fn poll_accounts(
    accounts: &LiveAccounts,
    on_mail: impl Fn() + Send + Sync + 'static,
    on_names: impl Fn() + Send + Sync + 'static,
    mail_id: impl Fn(ItemId) -> BackendFuture<Option<String>> + 'static,
    stopped: &watch::Receiver<bool>,
) {
    // Once for each machine.
    let _ = accounts.0.on_mail.set(Box::new(on_mail));
    let _ = accounts.0.on_names.set(Box::new(on_names));
    actix::spawn(deliver_always(accounts.clone(), mail_id, stopped.clone()));
    if accounts.has_revocations() {
        actix::spawn(accounts.clone().revoke_removed(stopped.clone()));
    }
    let polled = accounts
        .0
        .accounts
        .iter()
        .filter(|account| !account.config.is_paused);
    for (number, account) in (1_u32..).zip(polled) {
        let (me, account, stopped) = (accounts.clone(), Arc::clone(account), stopped.clone());
        actix::spawn(async move {
            repeat(stopped, &account.wake, FIRST * number, async || {
                let begun = Instant::now();
                me.look_in_thread(Arc::clone(&account), false).await;
                account.next_wait(begun.elapsed(), chance())
            })
            .await;
            me.end();
            account.mail_worker.end();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_that_fails_is_asked_less_often_and_never_more_than_once_a_minute() {
        let quarter = Duration::from_mins(15);
        // By chance 100 of 200 nothing is added or taken away.
        for (failures, minutes) in [(1, 30), (2, 60), (4, 240), (5, 360), (30, 360)] {
            assert_eq!(
                wait_after(quarter, failures, 100),
                Duration::from_mins(minutes),
                "{failures}"
            );
        }
        assert_eq!(wait_after(quarter, 1, 200), Duration::from_mins(33));
        // Who is asked once a day is not asked more often because it failed.
        assert_eq!(
            wait_after(Duration::from_hours(24), 3, 100),
            Duration::from_hours(24)
        );
    }

    #[test]
    fn change_on_a_server_that_answers_is_shown_before_its_time_is_over() {
        let (minute, quarter) = (Duration::from_mins(1), Duration::from_mins(15));
        let look = Duration::from_secs(1);
        for chance in 0..1000 {
            for every in [minute, quarter] {
                // From the begin of one look to the begin of the next, and 4 seconds for what comes of it.
                let until_next = look + wait_in_time(every, look, chance);
                assert!(until_next + Duration::from_secs(4) <= every, "{chance}");
                assert!(until_next + Duration::from_secs(4) >= every * 9 / 10, "{chance}");
            }
            // One that takes its time is not asked without end.
            assert_eq!(
                wait_in_time(minute, minute, chance),
                Duration::from_secs(30),
                "{chance}"
            );
        }
    }
}
