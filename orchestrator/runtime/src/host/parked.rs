//! Owners of a host who are parked, and who starts when many are to.
//!
//! What: a tenant that ended because nothing is due is kept ([`OwnerHost::park`]) until it is woken, and those that start take turns
//! ([`OwnerHost::give_turns`]). Why: a host has more owners than its machine could serve at once. Not here: whether an owner can be parked
//! (`service::parking`), who is served when (`lifecycle`).

use super::{
    OwnerHost,
    lifecycle::OwnerEvent,
    owner_folders::OwnerName,
    tenants::{ParkedOwner, PreparedTenant, StartProgress, TenantHandle, WaitTask},
};
use crate::service::ParkedTenant;
use std::{thread, time::Duration};
use tokio::time::Instant;
use toolcall_schema::Timestamp;

/// So many owners start at once for each processor: a start takes a store, four processes and what a tick takes.
const STARTS_A_CPU: usize = 4;

/// A start that takes longer keeps nobody waiting any more: its folder may be on a disk that does not answer.
const LONG_START: Duration = Duration::from_secs(10);

/// What services freed that ended within so long is given back to the kernel together: it takes milliseconds, and all threads wait for it.
const GIVE_BACK_AFTER: Duration = Duration::from_secs(2);

/// How often those who wait for their turn are looked after, where nothing else happens.
pub(super) const TURNS: Duration = Duration::from_secs(1);

impl OwnerHost {
    /// Gives the next tenants their turn to start, first those to whom somebody came. Whether some still wait.
    pub(super) fn give_turns(&mut self) -> bool {
        let starting = self.tenants.values().filter(|tenant| match tenant.start {
            StartProgress::StartsSince(since) => since.elapsed() < LONG_START,
            StartProgress::Waits | StartProgress::Done => false,
        });
        let room = (STARTS_A_CPU * thread::available_parallelism().map_or(1, usize::from))
            .saturating_sub(starting.count());
        let mut waiting: Vec<&mut TenantHandle> = self
            .tenants
            .values_mut()
            .filter(|tenant| tenant.start == StartProgress::Waits)
            .collect();
        let left = waiting.len().saturating_sub(room);
        waiting.sort_by_key(|tenant| tenant.tenant.link.visits.is_quiet());
        for tenant in waiting.into_iter().take(room) {
            tenant.start = StartProgress::StartsSince(Instant::now());
            tenant.tenant.may_start.send_replace(true);
        }
        left > 0
    }

    /// A tenant's start is over, or waits for its owner.
    pub(super) fn end_start(&mut self, number: u32) {
        if let Some(tenant) = self.tenants.get_mut(&number) {
            tenant.start = StartProgress::Done;
        }
    }

    /// Keeps an owner's names and ways for her next tenant, and waits for what it is to begin for.
    pub(super) fn park(&mut self, owner: OwnerName, tenant: PreparedTenant, parked: ParkedTenant) {
        let number = tenant.link.number;
        tenant.may_start.send_replace(false);
        tenant.link.pages.forget_server();
        tenant.link.control.forget_service();
        let ParkedTenant { until, watch } = parked;
        let waiting = WaitTask::start(tenant.link.clone(), watch);
        let parked = ParkedOwner {
            tenant,
            until,
            _waiting: waiting,
        };
        self.parked.insert(number, parked);
        let give_back_at = Instant::now() + GIVE_BACK_AFTER;
        self.gives_back_at.get_or_insert(give_back_at);
        if let Some(owners) = &mut self.owners {
            owners.set_parked(owner, number);
        }
    }

    /// When the first of the parked is due, on the host's clock.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let parked = self.parked.values().filter(|_| !self.is_ending);
        let until = parked.map(|parked| parked.until).min()?;
        Some(self.clock.at().plus_ms(until.since(self.clock.wall())))
    }

    /// Starts whoever is due.
    pub(super) fn wake_due(&mut self) {
        let now = self.clock.wall();
        let due = self.parked.iter().filter(|(_, parked)| parked.until <= now);
        let due: Vec<u32> = due.map(|(number, _)| *number).collect();
        for number in due {
            self.wake(number);
        }
    }

    pub(super) fn wake(&mut self, number: u32) {
        let found = self.owners.as_ref().and_then(|owners| owners.find(number));
        if let Some((owner, tenant)) = found {
            self.take_step(owner, OwnerEvent::Woken, tenant, None);
        }
    }
}
