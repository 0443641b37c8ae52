//! What a host asks of its share of the owners.
//!
//! What: [`HostPlacement`], the port of `aura_runtime::host` to the shards of this process. Why: a host knows owners, and a keeper of shards none. Not
//! here: shards (`aura_hosts::ShardKeeper`), connections on their way to another host (`hand_over`).

use crate::{
    hand_over::hand_over,
    host_link::{HostPeers, take_links},
    hosts_page::{HostsPage, serve_hosts_page},
    settings_sync::{SettingsKeeper, SettingsSync},
};
use aura_hosts::{HostRecord, LogError, OpenLeases, ShardKeeper, ShardTable, random_word, shard_of_name};
use aura_memory::{OpenRemoteLog, StoreError, Vault};
use aura_runtime::host::{OwnerPlacement, owner_folders::OwnerName};
use std::{
    collections::BTreeMap,
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use surfaces::web::ElsewhereConnection;
use tokio::sync::{Semaphore, watch};

/// So many connections of one owner are handed over at a time: as many as her own server takes.
const HANDED_MAX: usize = 64;

/// What is there before the host has its folder.
struct KeeperSetup {
    word: String,
    record: HostRecord,
    open_leases: OpenLeases,
    links: Option<HostLinks>,
    page: Option<(TcpListener, HostsPage)>,
}

/// Where other hosts hand connections over, and where this process takes those.
pub(crate) struct HostLinks {
    pub(crate) listener: TcpListener,
    pub(crate) to: SocketAddr,
}

/// The owners of this process among those of all hosts.
pub(crate) struct HostPlacement {
    open_log: OpenRemoteLog,
    /// To whom connections may be handed over, and from whom they are taken.
    peers: Option<Arc<HostPeers>>,
    handed: Mutex<BTreeMap<OwnerName, Arc<Semaphore>>>,
    settings: Arc<SettingsSync>,
    settings_keeper: Mutex<Option<SettingsKeeper>>,
    setup: Mutex<Option<KeeperSetup>>,
    keeper: Mutex<Option<ShardKeeper>>,
}

// What is behind these is whole after each call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostPlacement {
    /// # Errors
    /// When the system has no random numbers.
    pub(crate) fn new(
        record: HostRecord,
        open_log: OpenRemoteLog,
        open_leases: OpenLeases,
        (peers, links): (Option<HostPeers>, Option<HostLinks>),
        settings: SettingsSync,
        page: Option<(TcpListener, HostsPage)>,
    ) -> Result<Self, LogError> {
        let word = random_word()?;
        Ok(Self {
            open_log,
            peers: peers.map(Arc::new),
            handed: Mutex::default(),
            settings: Arc::new(settings),
            settings_keeper: Mutex::default(),
            setup: Mutex::new(Some(KeeperSetup {
                word,
                record,
                open_leases,
                links,
                page,
            })),
            keeper: Mutex::default(),
        })
    }

    fn table(&self) -> Option<Arc<ShardTable>> {
        lock(&self.keeper)
            .as_ref()
            .map(|keeper| Arc::clone(keeper.table()))
    }

    /// The host has ended: others have everything.
    pub(crate) fn give_all_back(&self) {
        let settings = lock(&self.settings_keeper).take();
        drop(settings);
        let keeper = lock(&self.keeper).take();
        drop(keeper);
    }
}

impl OwnerPlacement for HostPlacement {
    fn begin_placement(&self) -> io::Result<watch::Receiver<u64>> {
        let (changed, changes) = watch::channel(0);
        if let Some(mut setup) = lock(&self.setup).take() {
            if let (Some(links), Some(peers)) = (setup.links.take(), &self.peers) {
                links.listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(links.listener)?;
                drop(tokio::spawn(take_links(listener, Arc::clone(peers), links.to)));
            }
            if let Some((listener, page)) = setup.page.take() {
                listener.set_nonblocking(true)?;
                let listener = tokio::net::TcpListener::from_std(listener)?;
                drop(tokio::spawn(serve_hosts_page(listener, Arc::new(page))));
            }
            let on_change = Box::new(move || changed.send_modify(|count| *count += 1));
            let keeper = ShardKeeper::start(&setup.word, setup.record, setup.open_leases, on_change)?;
            *lock(&self.keeper) = Some(keeper);
            *lock(&self.settings_keeper) = Some(self.settings.start()?);
        }
        Ok(changes)
    }

    fn term(&self, owner: &OwnerName) -> Option<u64> {
        let table = self.table()?;
        table.term(shard_of_name(owner.as_str(), table.shards()))
    }

    fn open_log(&self) -> OpenRemoteLog {
        Arc::clone(&self.open_log)
    }

    fn bring_settings(&self, owner: &OwnerName, vault: &Vault) -> Result<bool, StoreError> {
        self.settings.bring(owner, vault)
    }

    fn set_servable(&self, owners: &[OwnerName]) {
        if let Some(table) = self.table() {
            table.set_servable(owners.iter().map(OwnerName::as_str));
        }
    }

    fn begin_service(&self, owner: &OwnerName) -> Box<dyn Send> {
        let service = self
            .table()
            .map(|table| table.begin_service(shard_of_name(owner.as_str(), table.shards())));
        Box::new(service)
    }

    fn take_connection(&self, owner: &OwnerName, connection: ElsewhereConnection) {
        let host = self
            .table()
            .and_then(|table| table.other_host(shard_of_name(owner.as_str(), table.shards())));
        let peers = self.peers.clone();
        let handed = Arc::clone(
            lock(&self.handed)
                .entry(owner.clone())
                .or_insert_with(|| Arc::new(Semaphore::new(HANDED_MAX))),
        );
        let Ok(slot) = handed.try_acquire_owned() else {
            tracing::warn!("too many connections of one owner are with another host: one was closed");
            return;
        };
        drop(tokio::spawn(async move {
            hand_over(connection, host.as_ref(), peers.as_deref()).await;
            drop(slot);
        }));
    }

    fn end(&self) {
        if let Some(table) = self.table() {
            table.end();
        }
    }
}
