//! A host: one process for the services of one owner or of several.
//!
//! What: [`run_alone`] and [`run_owners`], which start a tenant for each owner, listen on one port and one control socket, and end when they are told to. A tenant
//! is one owner's vault, store, actors, devices and settings ([`Service`]), on a thread of its own ([ADR 0156](../../../docs/adr/0156-many-owners-in-one-process.md)).
//! Why: what there is once in a process (port, socket, signals, service manager) is in one place, and `aura run` is a host of one. Not here:
//! what a service consists of (`service`), the owners' folders (`owner_folders`).

mod many;
pub mod owner_folders;
mod unlocking;

use crate::{
    control::{
        self, ControlDirectory, ControlSender, ControlSocket, OwnerState, ShutdownSignals, control_inbox,
        host_folder,
    },
    notify,
    service::{HostLink, Service, ServiceError, ServiceReady, TenantNews},
};
use aura_platform::supervise::escalate_to;
use many::{HostControlHandler, HostedOwners, OwnersQuestion, failure, run_owner};
use owner_folders::{OwnerFolders, OwnerName};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::{Ipv4Addr, SocketAddr},
    panic::resume_unwind,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};
use surfaces::web::{ConnectionSender, HostDirectory, connection_inbox, route_connections};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::{mpsc, oneshot, watch},
};

/// Of a tenant's thread: as much as a process's first thread has on Linux, of which only what is used is taken.
const STACK_BYTES: usize = 8 << 20;

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
        host.ways = Some(Rc::new(tenant.control.clone()));
        host.start(tenant, move |link| service.run_tenant(link))?;
        let (_questions, asked) = mpsc::unbounded_channel();
        let (_stop, stopped) = watch::channel(false);
        host.serve(ready, asked, stopped).await
    })
}

/// Serves every owner below a folder until SIGTERM or SIGINT. `ready` is told the port and how many there are, once the host listens: an owner
/// whose folder is slow, locked or damaged keeps no other waiting.
///
/// # Errors
/// [`ServiceError`] when the host cannot listen, or another one has the folder.
pub fn run_owners(dir: &Path, port: u16, ready: impl FnOnce(u16, usize)) -> Result<(), ServiceError> {
    let io = |source| ServiceError::Io {
        what: "read the folder of the owners",
        source,
    };
    let folders = OwnerFolders::in_folder(dir).map_err(io)?;
    let names = folders.names().map_err(io)?;
    let lock = folders.lock().map_err(io)?.ok_or(ServiceError::OtherHost)?;
    actix::System::new().block_on(async move {
        let mut host = OwnerHost::new(host_folder(folders.dir()), port)?;
        let (to_host, requests) = control_inbox();
        let (questions, asked) = mpsc::unbounded_channel();
        let many = HostedOwners::new(folders, lock, (to_host, questions.clone()));
        host.ways = Some(Rc::new(Arc::clone(&many.ways)));
        host.many = Some(many);
        host.open().await?;
        let (stop, stopped) = watch::channel(false);
        let _control = control::serve(
            requests,
            None,
            HostControlHandler(questions),
            ShutdownSignals::by_stop(stop),
        );
        let count = names.len();
        for owner in names {
            host.start_owner(owner);
        }
        let port = host.address.borrow().map_or(port, |address| address.port());
        ready(port, count);
        notify::ready();
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
    ways: Option<Rc<dyn ControlDirectory>>,
    /// The owners of a host of several; absent: one without a name.
    many: Option<HostedOwners>,
    /// Why the only tenant ended, or the host has to.
    failed: Option<ServiceError>,
    is_ending: bool,
    address: watch::Sender<Option<SocketAddr>>,
    news: mpsc::UnboundedSender<(u32, TenantNews)>,
    heard: mpsc::UnboundedReceiver<(u32, TenantNews)>,
    reloads: watch::Sender<u64>,
    tenants: BTreeMap<u32, TenantHandle>,
    signals: HostSignals,
    /// Who has said that they live since the service manager was told.
    alive: BTreeSet<u32>,
    /// Who has not yet read their settings again.
    reloading: BTreeSet<u32>,
}

/// A tenant before it runs.
struct PreparedTenant {
    link: HostLink,
    pages: ConnectionSender,
    control: ControlSender,
    end: watch::Sender<bool>,
}

/// A tenant that runs.
struct TenantHandle {
    pages: ConnectionSender,
    end: watch::Sender<bool>,
    thread: JoinHandle<Result<(), ServiceError>>,
    is_broken: bool,
}

/// Says that a tenant's thread ends, also where it panics.
struct EndNotice(HostLink);

impl Drop for EndNotice {
    fn drop(&mut self) {
        self.0.tell(TenantNews::Ended);
    }
}

/// The signals of the system. Whoever holds this misses none: each is told once, also when nobody waited as it came.
struct HostSignals {
    terminate: Signal,
    interrupt: Signal,
    again: Signal,
    /// A file that may not grow any more (`ulimit -f`) is then an error of the write, like a full disk, and not the end of this process by
    /// SIGXFSZ.
    _full: Signal,
}

impl HostSignals {
    fn listen() -> Result<Self, ServiceError> {
        let listen = |kind| {
            signal(kind).map_err(|source| ServiceError::Io {
                what: "listen for signals of the system",
                source,
            })
        };
        let full = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            again: listen(SignalKind::hangup())?,
            _full: listen(full)?,
        })
    }
}

impl OwnerHost {
    fn new(socket_folder: PathBuf, port: u16) -> Result<Self, ServiceError> {
        let (news, heard) = mpsc::unbounded_channel();
        Ok(Self {
            socket_folder,
            port,
            directory: Arc::default(),
            ways: None,
            many: None,
            failed: None,
            is_ending: false,
            address: watch::channel(None).0,
            news,
            heard,
            reloads: watch::channel(0).0,
            tenants: BTreeMap::new(),
            signals: HostSignals::listen()?,
            alive: BTreeSet::new(),
            reloading: BTreeSet::new(),
        })
    }

    fn prepare(&self, number: u32) -> PreparedTenant {
        let (pages, page_inbox) = connection_inbox();
        let (control, requests) = control_inbox();
        let (end, ended) = watch::channel(false);
        let link = HostLink {
            number,
            news: self.news.clone(),
            address: self.address.subscribe(),
            pages: page_inbox,
            control: requests,
            end: ended,
            reloads: self.reloads.subscribe(),
        };
        PreparedTenant {
            link,
            pages,
            control,
            end,
        }
    }

    fn start(
        &mut self,
        tenant: PreparedTenant,
        run: impl FnOnce(HostLink) -> Result<(), ServiceError> + Send + 'static,
    ) -> Result<(), ServiceError> {
        let PreparedTenant {
            link,
            pages,
            control: _,
            end,
        } = tenant;
        let number = link.number;
        let thread = thread::Builder::new()
            .name("owner".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let _notice = EndNotice(link.clone());
                run(link)
            })
            .map_err(|source| ServiceError::Io {
                what: "start an owner's thread",
                source,
            })?;
        self.tenants.insert(
            number,
            TenantHandle {
                pages,
                end,
                thread,
                is_broken: false,
            },
        );
        Ok(())
    }

    /// Listens on the port and the control socket.
    async fn open(&self) -> Result<(), ServiceError> {
        if self.address.borrow().is_some() {
            return Ok(());
        }
        let listener = surfaces::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))).await?;
        let address = listener.local_addr().map_err(|source| ServiceError::Io {
            what: "read the page's address",
            source,
        })?;
        let socket = ControlSocket::bind(&self.socket_folder)?;
        if let Some(ways) = &self.ways {
            drop(actix::spawn(socket.route(Rc::clone(ways))));
        }
        drop(actix::spawn(route_connections(
            listener,
            Arc::clone(&self.directory),
        )));
        self.address.send_replace(Some(address));
        Ok(())
    }

    fn end_all(&mut self) {
        self.is_ending = true;
        notify::stopping();
        for tenant in self.tenants.values() {
            let _ = tenant.end.send(true);
        }
    }

    async fn serve(
        mut self,
        ready: impl FnOnce(ServiceReady),
        mut questions: mpsc::UnboundedReceiver<OwnersQuestion>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), ServiceError> {
        let mut ready = Some(ready);
        while !self.tenants.is_empty() || (self.many.is_some() && !self.is_ending) {
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
                Some(()) = self.signals.again.recv() => {
                    notify::reloading();
                    self.reloading = self.tenants.keys().copied().collect();
                    self.reloads.send_modify(|count| *count += 1);
                }
                () = tokio::time::sleep(RELOADED), if !self.reloading.is_empty() => {
                    self.reloading.clear();
                    notify::ready();
                }
                Some(question) = questions.recv() => self.answer(question),
                Some((number, news)) = self.heard.recv() => self.on_news(number, news, &mut ready).await,
            }
        }
        self.failed.map_or(Ok(()), Err)
    }

    async fn on_news(
        &mut self,
        number: u32,
        news: TenantNews,
        ready: &mut Option<impl FnOnce(ServiceReady)>,
    ) {
        match news {
            TenantNews::FolderTaken => {
                if let Err(error) = self.open().await {
                    self.failed = Some(error);
                    self.end_all();
                }
            }
            TenantNews::Named(names) => {
                if let Some(tenant) = self.tenants.get(&number) {
                    let taken = self.directory.set_names(number, &names, &tenant.pages);
                    if !taken.is_empty() {
                        tracing::error!(
                            names = taken.len(),
                            "two owners have the same host name: the one who came first keeps it"
                        );
                    }
                }
            }
            TenantNews::Locked => self.set_state(number, OwnerState::Locked),
            TenantNews::Ready(page) => {
                self.set_state(number, OwnerState::Serving);
                if self.many.is_none() {
                    if let Some((page, ready)) = page.zip(ready.take()) {
                        ready(page);
                    }
                    notify::ready();
                }
            }
            TenantNews::Ending => {
                if self.many.is_none() && !self.is_ending {
                    self.is_ending = true;
                    notify::stopping();
                }
            }
            TenantNews::Waiting(what) => notify::status(what.unwrap_or_default()),
            TenantNews::Alive => {
                self.alive.insert(number);
                if self.tenants.keys().all(|number| self.alive.contains(number)) {
                    notify::alive();
                    self.alive.clear();
                }
            }
            TenantNews::Reloaded => self.on_reloaded(number),
            TenantNews::Broken => {
                tracing::error!("an owner's service ends, and is started again");
                if let Some(tenant) = self.tenants.get_mut(&number) {
                    tenant.is_broken = true;
                    let _ = tenant.end.send(true);
                }
            }
            TenantNews::Ended => self.on_ended(number),
        }
    }

    fn set_state(&mut self, number: u32, state: OwnerState) {
        if let Some(many) = &mut self.many {
            many.set_state(number, state);
        }
    }

    fn on_reloaded(&mut self, number: u32) {
        if self.reloading.remove(&number) && self.reloading.is_empty() {
            notify::ready();
        }
    }

    fn on_ended(&mut self, number: u32) {
        let Some(tenant) = self.tenants.remove(&number) else {
            return;
        };
        self.on_reloaded(number);
        self.directory.set_names(number, &[], &tenant.pages);
        let ended = tenant.thread.join();
        let is_panic = ended.is_err();
        let Some(many) = &mut self.many else {
            match ended {
                Ok(ended) => self.failed = self.failed.take().or(ended.err()),
                Err(panic) => resume_unwind(panic),
            }
            return;
        };
        let failed = match ended {
            Ok(Ok(())) if tenant.is_broken => Some("a part of it failed too often".to_owned()),
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                let (why, code) = failure(&error);
                tracing::error!(code, "an owner is not served");
                Some(why)
            }
            Err(_) => {
                tracing::error!("an owner's service panicked, and is started again");
                Some("a bug: the host's log says where".to_owned())
            }
        };
        let is_bug = tenant.is_broken || is_panic;
        if let Some(owner) = many.set_ended(number, failed)
            && is_bug
            && !self.is_ending
        {
            let (again, after) = (many.questions.clone(), many.rest_after_bug(&owner));
            drop(actix::spawn(async move {
                tokio::time::sleep(after).await;
                let (reply, _) = oneshot::channel();
                // The host may have ended.
                let _ = again.send(OwnersQuestion {
                    again: Some(owner),
                    reply,
                });
            }));
        }
    }

    /// Looks at a folder again where that is asked for, and tells who there is.
    fn answer(&mut self, OwnersQuestion { again, reply }: OwnersQuestion) {
        let number = again.and_then(|owner| self.look_again(owner));
        if let Some(many) = &mut self.many {
            match number {
                Some(ends) => many.tell_after(ends, reply),
                None => many.tell(reply),
            }
        }
    }

    /// Starts the tenant of an owner who has none, or ends that of one who is paused or has gone; the number of one that ends.
    fn look_again(&mut self, owner: OwnerName) -> Option<u32> {
        let many = self.many.as_mut()?;
        let is_served = many.folders.has(&owner) && !many.folders.is_paused(&owner);
        match (is_served, many.number_of(&owner)) {
            (true, None) => {
                self.start_owner(owner);
                None
            }
            (true, Some(_)) => None,
            (false, Some(number)) => {
                let tenant = self.tenants.get(&number)?;
                let _ = tenant.end.send(true);
                Some(number)
            }
            (false, None) => {
                if many.folders.has(&owner) {
                    many.set_resting(owner, OwnerState::Paused, None);
                } else {
                    many.forget(&owner);
                }
                None
            }
        }
    }

    /// Starts an owner's tenant; one that cannot start says so, and the others go on.
    fn start_owner(&mut self, owner: OwnerName) {
        let Some(many) = &mut self.many else { return };
        if many.folders.is_paused(&owner) {
            many.set_resting(owner, OwnerState::Paused, None);
            return;
        }
        let (number, folders) = (many.next_number(), many.folders.clone());
        let tenant = self.prepare(number);
        let way = tenant.control.clone();
        let hers = owner.clone();
        let started = self.start(tenant, move |link| {
            // One owner's bug ends her service alone.
            let broken = link.clone();
            escalate_to(Arc::new(move || broken.tell(TenantNews::Broken)));
            run_owner(&folders, &hers, link)
        });
        let Some(many) = &mut self.many else { return };
        match started {
            Ok(()) => many.set_started(owner, number, way),
            Err(error) => many.set_resting(owner, OwnerState::Failed, Some(failure(&error).0)),
        }
    }
}
