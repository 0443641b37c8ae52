//! Owners of a host who are parked, and who starts when many are to.
//!
//! What: a tenant that ended because nothing is due is kept ([`OwnerHost::park`]) until it is woken, and those that start take turns
//! ([`OwnerHost::give_turns`]). Why: a host has more owners than its machine could serve at once. Not here: whether an owner can be parked
//! (`service::parking`), who is served when (`lifecycle`).

use super::{
    OwnerHost,
    lifecycle::{FolderState, OwnerEvent, TenantExit, TenantState},
    owner_folders::OwnerName,
    owners::{RefreshOwner, describe_failure},
    tenants::{EndNotice, ParkedOwner, PreparedTenant, TenantHandle, TenantThread, WaitTask},
};
use crate::{
    config::HomeConfig,
    control::OwnerState,
    folder_watch::ParkedWatch,
    parked_record::FilesState,
    service::{ParkedTenant, ServiceError},
};
use aura_process::{heap, program_text};
use std::{sync::Arc, thread, time::Duration};
use tokio::{sync::oneshot, time::Instant};
use toolcall_schema::Timestamp;

/// Of a tenant's thread: as much as a process's first thread has on Linux, of which only what is used is taken.
const STACK_BYTES: usize = 8 << 20;

/// The name of a tenant's thread, on which an owner's machine, gate, agents' sockets and pages run.
pub const OWNER_THREAD: &str = "owner";

/// So many owners start at once for each processor: a start takes a store, four processes and what a tick takes.
const STARTS_A_CPU: usize = 4;

/// So many of them are of owners to whom nobody came: who comes next starts at once, and has a processor.
const QUIET_STARTS_A_CPU: usize = 1;

/// A start that takes longer keeps nobody waiting any more: its folder may be on a disk that does not answer.
const LONG_START: Duration = Duration::from_secs(10);

/// What services freed that ended within so long is given back to the kernel together: it takes milliseconds, and all threads wait for it.
const GIVE_BACK_AFTER: Duration = Duration::from_secs(2);

/// What a start freed is given back when the first tick is over too, as a rule.
pub(super) const GIVE_BACK_AFTER_START: Duration = Duration::from_secs(10);

/// What a tick or a page freed and mapped is given back so often, while anybody is served.
const GIVE_BACK_EVERY: Duration = Duration::from_mins(5);

/// How often those who wait for their turn are looked after, where nothing else happens.
pub(super) const TURNS: Duration = Duration::from_secs(1);

impl OwnerHost {
    /// Gives the next tenants their turn to start, first those to whom somebody came, as long as no more are served than may be at once. Whether
    /// some still wait.
    pub(super) fn give_turns(&mut self) -> bool {
        let (mut starting, mut served) = (0, 0);
        for tenant in self.tenants.values() {
            if let TenantThread::Runs { starts_since, .. } = &tenant.thread {
                starting += usize::from(starts_since.is_some_and(|since| since.elapsed() < LONG_START));
                served += usize::from(!tenant.is_locked);
            }
        }
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        let places = self.awake_max.saturating_sub(served);
        let room_of = |starts_a_cpu: usize| (starts_a_cpu * cpus).saturating_sub(starting).min(places);
        let (room, quiet_room) = (room_of(STARTS_A_CPU), room_of(QUIET_STARTS_A_CPU));
        let mut waiting: Vec<(bool, u32)> = self
            .tenants
            .iter()
            .filter(|(_, handle)| matches!(handle.thread, TenantThread::Waits(_)) && !handle.is_told_to_end())
            .map(|(number, handle)| (handle.tenant.link.visits.is_quiet(), *number))
            .collect();
        waiting.sort_unstable();
        let visited = waiting.iter().filter(|(is_quiet, _)| !is_quiet).count();
        let begun = visited.min(room).max(quiet_room.min(waiting.len()));
        for (_, number) in waiting.iter().take(begun) {
            self.begin(*number);
        }
        self.set_full(waiting.len() > places);
        waiting.len() > begun
    }

    /// Has tenants whom nobody needs be parked at once while others wait for their places.
    fn set_full(&mut self, is_full: bool) {
        // Only a change wakes those who wait for one.
        let is_news = self
            .is_full
            .send_if_modified(|known| std::mem::replace(known, is_full) != is_full);
        if is_news && is_full && self.parking.is_none() {
            tracing::warn!(
                awake_max = self.awake_max,
                "more owners than this host serves at once, and none is ever parked (`--park-after 0`): the others wait until one is paused or stopped"
            );
        }
    }

    /// Starts an owner's tenant as soon as its turn comes. Whoever comes to her meanwhile waits for it, and brings that turn forward.
    pub(super) fn start_owner(&mut self, owner: OwnerName, tenant: PreparedTenant) {
        let Some(owners) = &mut self.owners else { return };
        let (run, number) = (Arc::clone(&owners.run), tenant.link.number);
        owners.set_started(owner.clone(), number, tenant.control.clone());
        let service = owners
            .placement
            .as_ref()
            .map(|placement| placement.begin_service(&owner));
        self.start(tenant, move |link| run(&owner, link));
        if let Some(handle) = self.tenants.get_mut(&number) {
            handle.service = service;
        }
    }

    /// Gives a tenant that waits its thread.
    fn begin(&mut self, number: u32) {
        let Some(handle) = self.tenants.remove(&number) else {
            return;
        };
        let (link, thread) = (handle.tenant.link.clone(), handle.thread);
        let thread = match thread {
            TenantThread::Waits(run) => {
                let thread = thread::Builder::new()
                    .name(OWNER_THREAD.to_owned())
                    .stack_size(STACK_BYTES);
                let spawned = thread.spawn(move || {
                    let _notice = EndNotice(link.clone());
                    run(link)
                });
                match spawned {
                    Ok(thread) => TenantThread::Runs {
                        thread,
                        starts_since: Some(Instant::now()),
                    },
                    Err(source) => {
                        let what = "start an owner's thread";
                        return self.on_not_begun(number, ServiceError::Io { what, source });
                    }
                }
            }
            runs @ TenantThread::Runs { .. } => runs,
        };
        self.tenants.insert(number, TenantHandle { thread, ..handle });
    }

    /// A tenant that cannot begin says so, and the others go on.
    fn on_not_begun(&mut self, number: u32, error: ServiceError) {
        let Some(owners) = &mut self.owners else {
            self.failed = Some(error);
            return;
        };
        let why = describe_failure(&error).0;
        self.directory.remove(number);
        if let Some((owner, _)) = owners.set_absent(number) {
            owners.set_resting(owner.clone(), OwnerState::Failed, None);
            self.take_step(
                owner,
                OwnerEvent::TenantEnded(TenantExit::Passing),
                TenantState::Absent,
                Some(why),
            );
        }
    }

    /// A tenant's start is over, or waits for its owner.
    pub(super) fn end_start(&mut self, number: u32) {
        let handle = self.tenants.get_mut(&number);
        if let Some(TenantThread::Runs { starts_since, .. }) = handle.map(|handle| &mut handle.thread) {
            *starts_since = None;
        }
    }

    /// Has what was freed and mapped by then given back to the kernel, unless that is to be done sooner.
    pub(super) fn give_back_in(&mut self, after: Duration) {
        let at = Instant::now() + after;
        let sooner = self.gives_back_at.map_or(at, |already| already.min(at));
        self.gives_back_at = Some(sooner);
    }

    /// Gives the kernel what was freed, and what of the program was run through.
    pub(super) fn give_back(&mut self) {
        heap::give_back_freed();
        if let Err(error) = program_text::unmap_program() {
            tracing::debug!(%error, "the program stays mapped");
        }
        self.gives_back_at = (!self.is_idle()).then(|| Instant::now() + GIVE_BACK_EVERY);
    }

    /// Keeps an owner's names and ways for her next tenant, and waits for what it is to begin for.
    pub(super) fn park(&mut self, owner: OwnerName, tenant: PreparedTenant, parked: ParkedTenant) {
        let number = tenant.link.number;
        tenant.link.pages.forget_server();
        tenant.link.control.forget_service();
        let ParkedTenant { until, watch, .. } = parked;
        let waiting = WaitTask::start(tenant.link.clone(), watch);
        let parked = ParkedOwner {
            tenant,
            until,
            _waiting: waiting,
        };
        self.parked.insert(number, parked);
        self.give_back_in(GIVE_BACK_AFTER);
        if let Some(owners) = &mut self.owners {
            owners.set_parked(owner, number);
        }
    }

    /// Takes the owners up as they stood when a host ended last: who was parked is so again, the others are started.
    pub(super) fn begin_with(&mut self, names: Vec<OwnerName>) {
        if let Some(owners) = &self.owners {
            owners.records.keep_only(&names);
        }
        for owner in names {
            if !self.park_again(&owner) {
                self.refresh(owner);
            }
        }
    }

    /// Parks an owner who was so when a host ended last, where nothing of hers has changed since. Whether she is.
    fn park_again(&mut self, owner: &OwnerName) -> bool {
        let (Some(_), Some(owners)) = (&self.parking, &self.owners) else {
            return false;
        };
        if owners.folder_state(owner) != FolderState::Wanted {
            return false;
        }
        let Some((until, seen)) = owners.records.read(owner, &owners.folders.folder(owner)) else {
            return false;
        };
        let Ok(home) = HomeConfig::load(&owners.folders.files(owner).home) else {
            return false;
        };
        // Watched first: what changes while it is looked at is told.
        let Some(watch) = ParkedWatch::begin(&self.folders, &home.sources) else {
            return false;
        };
        let sources = FilesState::of_sources(&home.sources);
        if sources != Some(seen) {
            return false;
        }
        let Some(owners) = &mut self.owners else {
            return false;
        };
        let number = owners.next_number();
        let tenant = self.prepare(number);
        let names = owner.page_names(home.web.names());
        self.set_names(number, &names, &tenant.pages);
        if let Some(owners) = &mut self.owners {
            owners.set_started(owner.clone(), number, tenant.control.clone());
        }
        let parked = ParkedTenant {
            until,
            watch,
            sources,
        };
        self.park(owner.clone(), tenant, parked);
        true
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

    /// Looks at an owner's folder again when she has rested after a failure.
    pub(super) fn refresh_later(&mut self, owner: OwnerName, why: Option<String>) {
        let Some(owners) = &mut self.owners else { return };
        let rest = owners.rest_after_failure(&owner);
        owners.set_resting(owner.clone(), OwnerState::Failed, why);
        let requests = owners.requests.clone();
        drop(actix::spawn(async move {
            tokio::time::sleep(rest).await;
            let (reply, _) = oneshot::channel();
            // The host may have ended.
            let _ = requests.send(RefreshOwner {
                owner: Some(owner),
                reply,
            });
        }));
    }
}
