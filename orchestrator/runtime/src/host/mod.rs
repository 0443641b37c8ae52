//! A host: one process for the services of one owner or of several.
//!
//! What: [`run_alone`] and [`run_owners`], which start a tenant for each owner, listen on one port and one control socket, and end when they are told to. A tenant
//! is one owner's vault, store, actors, devices and settings ([`Service`]), on a thread of its own ([ADR 0156](../../../docs/adr/0156-many-owners-in-one-process.md)).
//! Why: what there is once in a process (port, socket, signals, service manager) is in one place, and `aura run` is a host of one. Not here:
//! what a service consists of (`service`), the owners' folders (`owner_folders`).

mod lifecycle;
pub mod owner_folders;
mod owners;
mod parked;
mod shared_owners;
mod tenants;
#[cfg(test)]
mod tests;
mod unlocking;

use crate::{
    control::{
        self, ControlDirectory, ControlSocket, OwnerState, ShutdownSignals, control_inbox, host_folder,
    },
    folder_watch::FolderWatch,
    notify,
    service::{
        HostLink, HostParking, OwnerQuotas, Service, ServiceError, ServiceReady, TenantEnd, TenantEvent,
    },
};
use aura_platform::{clock::Clock, supervise::escalate_to};
use lifecycle::{OwnerEvent, OwnerStep, TenantState, next_step};
use owner_folders::{OwnerFolders, OwnerName};
use owners::{HostControlHandler, HostedOwners, RefreshOwner, exit_of, run_owner};
pub use parked::OWNER_THREAD;
pub use shared_owners::{OwnerPlacement, SharedOwners};
use shared_owners::{PlacementLink, placement_changed};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::{Ipv4Addr, SocketAddr},
    panic::resume_unwind,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::Duration,
};
use surfaces::web::{
    ConnectionSender, HostDirectory, PageNames, Visits, connection_inbox, route_connections,
};
use tenants::{HostSignals, ParkedOwner, PreparedTenant, TenantHandle, TenantThread};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle as TaskHandle,
    time::Instant,
};
pub use unlocking::UnlockTries;

/// How long a service manager waits for tenants that read their settings again.
const RELOADED: Duration = Duration::from_secs(30);

/// Serves one owner until SIGTERM, SIGINT or `aura stop`. `ready` is called once, when the page can be opened.
///
/// # Errors
/// [`ServiceError`] when it cannot start.
pub fn run_alone(service: Service, port: u16, ready: impl FnOnce(ServiceReady)) -> Result<(), ServiceError> {
    actix::System::new().block_on(async move {
        let mut host = OwnerHost::new(service.data_folder(), port)?;
        let tenant = host.prepare(ALONE);
        host.directory = Arc::new(HostDirectory::of_one(tenant.pages.clone()));
        host.routes = Some(Rc::new(tenant.control.clone()));
        host.start(tenant, move |link| service.run_tenant(link));
        let (_requests, asked) = mpsc::unbounded_channel();
        let (_stop, stopped) = watch::channel(false);
        host.serve(ready, asked, stopped).await
    })
}

/// What holds for each owner of a host.
#[derive(Debug, Clone, Copy)]
pub struct OwnerTerms {
    /// So many are served at once; the others wait until one of them is parked.
    pub awake_max: usize,
    /// With nothing due and nobody there for so long she is parked; absent: never.
    pub park_after: Option<Duration>,
    pub quotas: OwnerQuotas,
}

/// Serves every owner below a folder until SIGTERM or SIGINT; `shared`: those of them whom this host has, where other hosts have them too. `ready` is told the port and how many there are, once the host listens: an owner
/// whose folder is slow, locked or damaged keeps no other waiting.
///
/// # Errors
/// [`ServiceError`] when the host cannot listen, or another one has the folder.
pub fn run_owners(
    dir: &Path,
    port: u16,
    terms: OwnerTerms,
    shared: Option<SharedOwners>,
    ready: impl FnOnce(u16, usize),
) -> Result<(), ServiceError> {
    let io = |source| ServiceError::Io {
        what: "read the folder of the owners",
        source,
    };
    let folders = OwnerFolders::in_folder(dir).map_err(io)?;
    let lock = folders.lock().map_err(io)?.ok_or(ServiceError::OtherHost)?;
    let (tries, below) = (UnlockTries::default(), folders.clone());
    actix::System::new().block_on(async move {
        let mut host = OwnerHost::new(host_folder(folders.dir()), port)?;
        let (to_host, commands) = control_inbox(&Visits::default());
        let (requests, asked) = mpsc::unbounded_channel();
        let placement = shared.as_ref().map(|shared| Arc::clone(&shared.placement));
        let of_tenants = placement.clone();
        let run = move |owner: &OwnerName, link: HostLink| {
            // One owner's bug ends her service alone.
            let broken = link.clone();
            escalate_to(Arc::new(move |failure| {
                broken.tell(TenantEvent::Broken(failure));
            }));
            run_owner(&below, owner, (&tries, terms.quotas, of_tenants.as_deref()), link)
        };
        let mut owners = HostedOwners::new(folders, lock, (to_host, requests.clone()), Arc::new(run));
        owners.placement = placement;
        host.routes = Some(Rc::new(Arc::clone(&owners.routes)));
        let folders = owners.folders.clone();
        host.owners = Some(owners);
        host.awake_max = terms.awake_max;
        host.parking = terms.park_after.map(|after| {
            Arc::new(HostParking {
                after,
                is_full: host.is_full.subscribe(),
            })
        });
        host.open().await?;
        let (stop, stopped) = watch::channel(false);
        let _control = control::serve(
            commands,
            None,
            HostControlHandler(requests),
            ShutdownSignals::stop_only(stop),
        );
        // Whoever is added from now on asks the host to look at her folder.
        let names = folders.names().map_err(io)?;
        let count = names.len();
        if let Some(shared) = shared {
            host.start_placement(shared)?;
        }
        host.begin_with(names);
        let port = host.address.borrow().map_or(port, |address| address.port());
        ready(port, count);
        notify::ready();
        host.is_up = true;
        host.serve(|_| {}, asked, stopped).await
    })
}

/// The only tenant's number.
const ALONE: u32 = 0;

/// What there is once in a process.
struct OwnerHost {
    /// Where the control socket is.
    socket_folder: PathBuf,
    port: u16,
    directory: Arc<HostDirectory>,
    /// To whom commands go.
    routes: Option<Rc<dyn ControlDirectory>>,
    /// Takes commands in, once the control socket is open.
    routing: Option<TaskHandle<()>>,
    /// The owners of a host of several; absent: one without a name.
    owners: Option<HostedOwners>,
    /// Why the only tenant ended, or the host has to.
    failed: Option<ServiceError>,
    is_ending: bool,
    /// Whether the service manager was told that it is ready.
    is_up: bool,
    address: watch::Sender<Option<SocketAddr>>,
    news: mpsc::UnboundedSender<(u32, TenantEvent)>,
    heard: mpsc::UnboundedReceiver<(u32, TenantEvent)>,
    reloads: watch::Sender<u64>,
    tenants: BTreeMap<u32, TenantHandle>,
    /// Present: other hosts have these owners too.
    placement: Option<PlacementLink>,
    /// The kernel's watch of folders.
    folders: FolderWatch,
    /// Present: owners with nothing due are parked.
    parking: Option<Arc<HostParking>>,
    parked: BTreeMap<u32, ParkedOwner>,
    /// So many are served at once.
    awake_max: usize,
    /// Whether somebody waits until another one is parked.
    is_full: watch::Sender<bool>,
    clock: Clock,
    signals: HostSignals,
    /// Who has not yet read their settings again, and until when they are waited for.
    reloading: BTreeSet<u32>,
    reload_deadline: Instant,
    /// When what services freed is given back to the kernel.
    gives_back_at: Option<Instant>,
    /// What the service manager was told last of what is waited for.
    status: &'static str,
}

impl OwnerHost {
    fn new(socket_folder: PathBuf, port: u16) -> Result<Self, ServiceError> {
        let (news, heard) = mpsc::unbounded_channel();
        Ok(Self {
            socket_folder,
            port,
            directory: Arc::default(),
            routes: None,
            routing: None,
            owners: None,
            failed: None,
            is_ending: false,
            is_up: false,
            address: watch::channel(None).0,
            news,
            heard,
            reloads: watch::channel(0).0,
            tenants: BTreeMap::new(),
            placement: None,
            folders: FolderWatch::begin(),
            parking: None,
            parked: BTreeMap::new(),
            awake_max: usize::MAX,
            is_full: watch::channel(false).0,
            clock: Clock::real(None),
            signals: HostSignals::listen()?,
            reloading: BTreeSet::new(),
            reload_deadline: Instant::now(),
            gives_back_at: None,
            status: "",
        })
    }

    fn prepare(&self, number: u32) -> PreparedTenant {
        let visits = Visits::default();
        let (pages, page_inbox) = connection_inbox(&visits);
        let (control, requests) = control_inbox(&visits);
        let (end, ended) = watch::channel(false);
        let link = HostLink {
            number,
            news: self.news.clone(),
            address: self.address.subscribe(),
            pages: page_inbox,
            control: requests,
            end: ended,
            reloads: self.reloads.subscribe(),
            visits,
            folders: self.folders.clone(),
            parking: self.parking.clone(),
        };
        PreparedTenant {
            link,
            pages,
            control,
            end,
        }
    }

    /// Has a tenant wait for its turn.
    fn start(
        &mut self,
        tenant: PreparedTenant,
        run: impl FnOnce(HostLink) -> Result<TenantEnd, ServiceError> + Send + 'static,
    ) {
        let handle = TenantHandle {
            thread: TenantThread::Waits(Box::new(run)),
            failure: None,
            service: None,
            is_locked: false,
            is_ready: false,
            is_alive: false,
            waits_for: None,
            tenant,
        };
        self.tenants.insert(handle.tenant.link.number, handle);
    }

    /// Listens on the port and the control socket.
    async fn open(&mut self) -> Result<(), ServiceError> {
        if self.address.borrow().is_some() {
            return Ok(());
        }
        let listener = surfaces::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))).await?;
        let address = listener.local_addr().map_err(|source| ServiceError::Io {
            what: "read the page's address",
            source,
        })?;
        let socket = ControlSocket::bind(&self.socket_folder)?;
        if let Some(routes) = &self.routes {
            self.routing = Some(actix::spawn(socket.route(Rc::clone(routes))));
        }
        drop(actix::spawn(route_connections(
            listener,
            Arc::clone(&self.directory),
            false,
        )));
        self.address.send_replace(Some(address));
        Ok(())
    }

    fn end_all(&mut self) {
        self.is_ending = true;
        notify::stopping();
        if let Some(link) = &self.placement {
            link.placement.end();
        }
        for tenant in self.tenants.values() {
            tenant.tell_to_end();
        }
    }

    async fn serve(
        mut self,
        ready: impl FnOnce(ServiceReady),
        mut requests: mpsc::UnboundedReceiver<RefreshOwner>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), ServiceError> {
        let mut ready = Some(ready);
        let sign_of_life = notify::sign_of_life();
        let mut next_sign = Instant::now();
        while !self.tenants.is_empty() || (self.owners.is_some() && !self.is_ending) {
            let (clock, due) = (self.clock.clone(), self.next_due());
            let some_wait = self.give_turns();
            self.tell_servable();
            tokio::select! {
                _ = self.signals.terminate.recv() => {
                    tracing::info!("SIGTERM");
                    self.end_all();
                }
                _ = self.signals.interrupt.recv() => {
                    tracing::info!("SIGINT");
                    self.end_all();
                }
                Ok(_) = stopped.wait_for(|stop| *stop), if !self.is_ending => {
                    tracing::info!("asked to stop");
                    self.end_all();
                }
                Some(()) = self.signals.again.recv() => self.reload(),
                () = tokio::time::sleep_until(self.reload_deadline), if !self.reloading.is_empty() => {
                    self.reloading.clear();
                    notify::ready();
                }
                // While nobody is served, nobody else says it.
                () = tokio::time::sleep_until(next_sign), if sign_of_life.is_some() && self.is_idle() => {
                    notify::alive();
                    next_sign = Instant::now() + sign_of_life.unwrap_or_default();
                }
                () = tokio::time::sleep(parked::TURNS), if some_wait => {}
                () = tokio::time::sleep_until(self.gives_back_at.unwrap_or(next_sign)), if self.gives_back_at.is_some() => {
                    self.give_back();
                }
                _ = clock.sleep_until(due.unwrap_or_default()), if due.is_some() => self.wake_due(),
                () = placement_changed(self.placement.as_mut()) => self.on_placement_changed(),
                Some(request) = requests.recv() => self.answer(request),
                Some((number, news)) = self.heard.recv() => self.on_news(number, news, &mut ready).await,
            }
        }
        // The socket goes while the folder of the owners is still this host's.
        if let Some(routing) = self.routing.take() {
            routing.abort();
            let _ = routing.await;
        }
        self.failed.map_or(Ok(()), Err)
    }

    /// Whether this is a host of several owners and none of them is served.
    fn is_idle(&self) -> bool {
        self.owners.is_some() && !self.tenants.values().any(|tenant| tenant.is_ready)
    }

    /// Has every tenant read its settings again. Those that start read them anyway, and those that wait do so later: neither is waited for.
    fn reload(&mut self) {
        self.reloads.send_modify(|count| *count += 1);
        if !self.is_up {
            return;
        }
        notify::reloading();
        let reads = |tenant: &TenantHandle| tenant.is_ready && tenant.waits_for.is_none();
        let reading = self.tenants.iter().filter(|(_, tenant)| reads(tenant));
        self.reloading = reading.map(|(number, _)| *number).collect();
        self.reload_deadline = Instant::now() + RELOADED;
        if self.reloading.is_empty() {
            notify::ready();
        }
    }

    async fn on_news(
        &mut self,
        number: u32,
        news: TenantEvent,
        ready: &mut Option<impl FnOnce(ServiceReady)>,
    ) {
        match news {
            TenantEvent::FolderTaken => {
                if let Err(error) = self.open().await {
                    self.failed = Some(error);
                    self.end_all();
                }
            }
            TenantEvent::Named(names) => {
                if let Some(tenant) = self.tenants.get(&number) {
                    self.set_names(number, &names, &tenant.tenant.pages);
                }
            }
            TenantEvent::Locked => {
                self.end_start(number);
                self.set_locked(number, true);
                self.set_state(number, OwnerState::Locked);
            }
            TenantEvent::Unlocked => {
                self.set_locked(number, false);
                self.set_state(number, OwnerState::Starting);
                self.set_waits_for(number, None);
            }
            TenantEvent::Ready(page) => {
                self.set_state(number, OwnerState::Serving);
                self.set_waits_for(number, None);
                self.end_start(number);
                if let Some(tenant) = self.tenants.get_mut(&number) {
                    tenant.is_ready = true;
                }
                // What a start and a first reading freed.
                self.give_back_in(parked::GIVE_BACK_AFTER_START);
                if self.owners.is_none() {
                    if let Some((page, ready)) = page.zip(ready.take()) {
                        ready(page);
                    }
                    notify::ready();
                    self.is_up = true;
                }
            }
            TenantEvent::Ending => self.on_ending(number),
            TenantEvent::Waiting(what) => self.set_waits_for(number, what),
            TenantEvent::Alive => {
                if let Some(tenant) = self.tenants.get_mut(&number) {
                    tenant.is_alive = true;
                }
                self.tell_alive();
            }
            TenantEvent::Reloaded(count) => {
                // Another signal may have come meanwhile.
                if count == *self.reloads.borrow() {
                    self.on_reloaded(number);
                }
            }
            TenantEvent::Broken(failure) => {
                tracing::error!(?failure, "an owner's service ends, and is started again");
                if let Some(tenant) = self.tenants.get_mut(&number) {
                    tenant.failure = Some(failure);
                }
                self.end_tenant(number, false);
            }
            TenantEvent::Ended => self.on_ended(number),
            TenantEvent::Woken => self.wake(number),
        }
    }

    fn set_names(&self, number: u32, names: &PageNames, pages: &ConnectionSender) {
        let refused = self.directory.set_names(number, names, pages);
        if refused > 0 {
            tracing::error!(
                refused,
                "`[web] hosts` of an owner has a name that is another owner's or nobody's: she is not reached under it"
            );
        }
    }

    fn set_locked(&mut self, number: u32, is_locked: bool) {
        if let Some(tenant) = self.tenants.get_mut(&number) {
            tenant.is_locked = is_locked;
        }
    }

    fn set_state(&mut self, number: u32, state: OwnerState) {
        if let Some(owners) = &mut self.owners {
            owners.set_state(number, state);
        }
    }

    /// Tells the service manager what the first tenant that waits waits for.
    fn set_waits_for(&mut self, number: u32, what: Option<&'static str>) {
        if let Some(tenant) = self.tenants.get_mut(&number) {
            tenant.waits_for = what;
        }
        self.tell_status();
    }

    fn tell_status(&mut self) {
        let status = self.tenants.values().find_map(|tenant| tenant.waits_for);
        let status = status.unwrap_or_default();
        if status != self.status {
            self.status = status;
            notify::status(status);
        }
    }

    /// Tells the service manager that everybody who is served has answered since it was told last.
    fn tell_alive(&mut self) {
        let mut served = self.tenants.values().filter(|tenant| tenant.is_ready).peekable();
        if served.peek().is_some() && served.all(|tenant| tenant.is_alive) {
            notify::alive();
            for tenant in self.tenants.values_mut() {
                tenant.is_alive = false;
            }
        }
    }

    fn on_reloaded(&mut self, number: u32) {
        if self.reloading.remove(&number) && self.reloading.is_empty() {
            notify::ready();
        }
    }

    /// A tenant ends by itself, or as it was told to.
    fn on_ending(&mut self, number: u32) {
        if let Some(tenant) = self.tenants.get_mut(&number) {
            tenant.is_ready = false;
        }
        if let Some(owners) = &mut self.owners {
            owners.set_ending_by_itself(number);
            self.tell_alive();
        } else if !self.is_ending {
            self.is_ending = true;
            notify::stopping();
        }
    }

    /// Tells a tenant to end; `again`: its owner is started after it.
    fn end_tenant(&mut self, number: u32, again: bool) {
        if let Some(tenant) = self.tenants.get_mut(&number) {
            tenant.is_ready = false;
            tenant.tell_to_end();
        }
        if let Some(owners) = &mut self.owners {
            owners.set_ending(number, again);
        }
    }

    fn on_ended(&mut self, number: u32) {
        let Some(TenantHandle {
            tenant,
            thread,
            failure,
            service,
            ..
        }) = self.tenants.remove(&number)
        else {
            return;
        };
        self.on_reloaded(number);
        self.tell_status();
        self.tell_alive();
        let ended = match thread {
            TenantThread::Waits(_) => Ok(Ok(TenantEnd::Told)),
            TenantThread::Runs { thread, .. } => thread.join(),
        };
        // Another host may have her now.
        drop(service);
        let Some(owners) = &mut self.owners else {
            match ended {
                Ok(ended) => self.failed = self.failed.take().or(ended.err()),
                Err(panic) => resume_unwind(panic),
            }
            return;
        };
        let (exit, why) = exit_of(&ended, failure);
        if let Some((owner, before)) = owners.find(number) {
            let folder = owners.folder_state(&owner);
            let step = next_step(OwnerEvent::TenantEnded(exit), before, folder, self.is_ending);
            match ended {
                Ok(Ok(TenantEnd::Parked(parked))) if step == OwnerStep::Park => {
                    if let Some(sources) = parked.sources {
                        let data = owners.folders.folder(&owner);
                        owners.records.write(&owner, &data, parked.until, sources);
                    }
                    self.park(owner, tenant, parked);
                }
                _ => {
                    self.directory.remove(number);
                    owners.set_absent(number);
                    self.do_step(step, owner, before, why);
                }
            }
        }
        if let Some(owners) = &mut self.owners {
            owners.tell_ended(number);
        }
    }

    /// Looks at a folder again where that is asked for, and tells who there is.
    fn answer(&mut self, RefreshOwner { owner, reply }: RefreshOwner) {
        // Somebody may have mended what kept her from being served.
        if let (Some(owners), Some(owner)) = (&mut self.owners, &owner) {
            owners.set_unfit(owner, false);
        }
        let ends = owner.and_then(|owner| self.refresh(owner));
        if let Some(owners) = &mut self.owners {
            match ends {
                Some(number) => owners.tell_after(number, reply),
                None => owners.tell(reply),
            }
        }
    }

    /// Looks at an owner's folder; the number of a tenant that ends for it.
    fn refresh(&mut self, owner: OwnerName) -> Option<u32> {
        let tenant = self.owners.as_ref()?.tenant_of(&owner);
        self.take_step(owner, OwnerEvent::Refreshed, tenant, None)
    }

    /// Does what follows for one owner; the number of a tenant that ends for it.
    fn take_step(
        &mut self,
        owner: OwnerName,
        event: OwnerEvent,
        tenant: TenantState,
        why: Option<String>,
    ) -> Option<u32> {
        let folder = self.owners.as_ref()?.folder_state(&owner);
        let step = next_step(event, tenant, folder, self.is_ending);
        self.do_step(step, owner, tenant, why)
    }

    fn do_step(
        &mut self,
        step: OwnerStep,
        owner: OwnerName,
        tenant: TenantState,
        why: Option<String>,
    ) -> Option<u32> {
        let mut parked = None;
        if let TenantState::Parked(number) = tenant
            && step != OwnerStep::Nothing
        {
            parked = self.parked.remove(&number);
        }
        if let (Some(parked), false) = (&parked, step == OwnerStep::Start) {
            let number = parked.tenant.link.number;
            self.directory.remove(number);
            self.owners.as_mut()?.set_absent(number);
        }
        if step != OwnerStep::Nothing {
            self.clear_elsewhere(&owner);
        }
        let owners = self.owners.as_mut()?;
        match step {
            // Only a tenant that has ended is parked.
            OwnerStep::Nothing | OwnerStep::Park => {}
            OwnerStep::Start => {
                owners.records.remove(&owner);
                let tenant = if let Some(parked) = parked {
                    parked.tenant
                } else {
                    // Whoever comes before her turn to start waits for it, and brings it forward.
                    let (number, names) = (owners.next_number(), owners.page_names(&owner));
                    let tenant = self.prepare(number);
                    self.directory.set_names(number, &names, &tenant.pages);
                    tenant
                };
                self.start_owner(owner, tenant);
            }
            OwnerStep::End | OwnerStep::StartAfterEnd => {
                if let TenantState::Running(number) | TenantState::Ending { number, .. } = tenant {
                    self.end_tenant(number, step == OwnerStep::StartAfterEnd);
                    return Some(number);
                }
            }
            OwnerStep::Rest(OwnerState::Elsewhere) => {
                // Another host knows better when she is due.
                owners.records.remove(&owner);
                owners.set_resting(owner.clone(), OwnerState::Elsewhere, None);
                self.set_elsewhere(&owner);
            }
            OwnerStep::Rest(state) => {
                owners.set_unfit(&owner, state == OwnerState::Failed);
                owners.set_resting(owner, state, why);
            }
            OwnerStep::RestThenRefresh => self.refresh_later(owner, why),
            OwnerStep::Forget => {
                owners.records.remove(&owner);
                owners.forget(&owner);
            }
        }
        None
    }
}
