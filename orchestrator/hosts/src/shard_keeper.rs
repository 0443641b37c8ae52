//! The shards that this host has.
//!
//! What: [`ShardTable`], which says where the owners of a shard are, and [`ShardKeeper`], a thread that renews this host's leases, looks who else lives,
//! takes shards and gives them back. Why: hosts that come, die or end share the owners without anybody who tells them to. Not here: which shards are
//! taken (`shards`), services (`aura-runtime`).
//!
//! A shard is given back when the services of its owners have ended. One that another host has is lost at once: its services end, and what they would
//! still write is refused by the log.

use crate::{
    lease::{HostLease, LEASE, LOOK, LeaseHold, LeaseName, LeaseTable, RENEW},
    log::LogError,
    shards::{HostShards, ShardPlan, ShardView, plan_shards, shard_of_name},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Hosts that are started together are all there before one of them takes anything.
const SETTLE_AT_START: Duration = Duration::from_secs(1);
/// When the leases were away, every host has its own again before one of them takes what is free.
const SETTLE_AFTER_LOSS: Duration = Duration::from_secs(5);

/// What a host says of itself to the others, in its lease. It is not sealed: hosts have no key in common.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HostRecord {
    /// The machine's name.
    pub host: String,
    pub process: u32,
    /// When it began (its own clock).
    pub since: String,
    /// Where other hosts hand connections over to it, as `HOST:PORT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Into how many shards it divides the owners: the same on all hosts.
    pub shards: u16,
    pub held: BTreeSet<u16>,
    /// How many owners of each shard it can serve, by the shard's number; empty: it does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<u32>,
}

/// The hosts that live, each with the word that its lease is on.
///
/// # Errors
/// [`LogError::Unavailable`]
pub fn living_hosts(leases: &dyn LeaseTable) -> Result<BTreeMap<LeaseName, HostRecord>, LogError> {
    let names = leases.list()?;
    read_hosts(leases, &names)
}

fn read_hosts(
    leases: &dyn LeaseTable,
    names: &[LeaseName],
) -> Result<BTreeMap<LeaseName, HostRecord>, LogError> {
    let mut hosts = BTreeMap::new();
    for name in names.iter().filter(|name| name.is_host()) {
        // One that has ended since, or is of another version, counts as none.
        if let Some(kept) = leases.lease(name, "").holder()?
            && let Ok(record) = serde_json::from_str(&kept.text)
        {
            hosts.insert(name.clone(), record);
        }
    }
    Ok(hosts)
}

/// What a keeper is woken for.
enum KeeperSignal {
    /// Something may be given back.
    Look,
    Stop,
}

#[derive(Default)]
struct TableState {
    /// What this host has, each with the term in which it has it.
    held: BTreeMap<u16, u64>,
    /// What it gives back as soon as no owner of it has a service here.
    leaving: BTreeSet<u16>,
    services: BTreeMap<u16, usize>,
    others: Vec<HostRecord>,
    /// How many owners of each shard this host can serve.
    owners: Vec<u32>,
    last_term: u64,
    ends: bool,
}

/// Where the owners of each shard are, as this host knows.
pub struct ShardTable {
    shards: u16,
    state: Mutex<TableState>,
    on_change: Box<dyn Fn() + Send + Sync>,
    wake: Sender<KeeperSignal>,
}

/// A service of an owner. Dropped, it has ended.
pub struct ServiceLease {
    table: Arc<ShardTable>,
    shard: u16,
}

impl Drop for ServiceLease {
    fn drop(&mut self) {
        let is_last = {
            let mut state = self.table.state();
            let count = state.services.get(&self.shard).copied().unwrap_or_default();
            if count > 1 {
                state.services.insert(self.shard, count - 1);
            } else {
                state.services.remove(&self.shard);
            }
            count <= 1 && state.leaving.contains(&self.shard)
        };
        if is_last {
            self.table.wake(KeeperSignal::Look);
        }
    }
}

impl ShardTable {
    // Each change is one call: a poisoned lock still holds a whole table.
    fn state(&self) -> MutexGuard<'_, TableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, signal: KeeperSignal) {
        // A keeper that has ended needs nothing.
        let _ = self.wake.send(signal);
    }

    /// Into how many shards the owners are divided.
    pub fn shards(&self) -> u16 {
        self.shards
    }

    /// In which term this host has a shard; `None`: it has not.
    pub fn term(&self, shard: u16) -> Option<u64> {
        self.state().held.get(&shard).copied()
    }

    /// Another host that has a shard.
    pub fn other_host(&self, shard: u16) -> Option<HostRecord> {
        let state = self.state();
        let has = |host: &&HostRecord| host.held.contains(&shard);
        state.others.iter().find(has).cloned()
    }

    /// This host can serve the owners of these names, and no others.
    pub fn set_servable<'a>(&self, names: impl Iterator<Item = &'a str>) {
        let mut owners = vec![0; usize::from(self.shards)];
        for name in names {
            if let Some(count) = owners.get_mut(usize::from(shard_of_name(name, self.shards))) {
                *count += 1;
            }
        }
        self.state().owners = owners;
        self.wake(KeeperSignal::Look);
    }

    /// The service of an owner of that shard begins.
    pub fn begin_service(self: &Arc<Self>, shard: u16) -> ServiceLease {
        *self.state().services.entry(shard).or_default() += 1;
        ServiceLease {
            table: Arc::clone(self),
            shard,
        }
    }

    /// Has nothing more to do with any owner: gives back each shard as soon as its services have ended.
    pub fn end(&self) {
        self.state().ends = true;
        self.wake(KeeperSignal::Look);
    }

    fn record_held(&self) -> BTreeSet<u16> {
        self.state().held.keys().copied().collect()
    }

    /// Also where it was held before: another host may have had it in between.
    fn take(&self, shard: u16) {
        let mut state = self.state();
        state.last_term += 1;
        let term = state.last_term;
        if !state.leaving.contains(&shard) {
            state.held.insert(shard, term);
        }
    }

    fn lose(&self, shard: u16) {
        let mut state = self.state();
        state.held.remove(&shard);
        state.leaving.remove(&shard);
    }

    fn leave(&self, shards: &[u16]) {
        let mut state = self.state();
        for shard in shards {
            if state.held.remove(shard).is_some() {
                state.leaving.insert(*shard);
            }
        }
    }

    /// Those whose owners have no service here any more.
    fn ended_leaving(&self) -> Vec<u16> {
        let state = self.state();
        let has_ended = |shard: &&u16| !state.services.contains_key(shard);
        state.leaving.iter().filter(has_ended).copied().collect()
    }
}

/// How a keeper's leases are opened; asked again when they are away.
pub type OpenLeases = Box<dyn Fn() -> Result<Box<dyn LeaseTable>, LogError> + Send>;

/// Keeps this host's shards until it is dropped, which gives all back.
pub struct ShardKeeper {
    table: Arc<ShardTable>,
    thread: Option<JoinHandle<()>>,
}

impl ShardKeeper {
    /// `word`: this process's own; `on_change` is called when what [`ShardTable::term`] says may have changed.
    ///
    /// # Errors
    /// When there is no room for a thread.
    pub fn start(
        word: &str,
        record: HostRecord,
        open: OpenLeases,
        on_change: Box<dyn Fn() + Send + Sync>,
    ) -> io::Result<Self> {
        let (wake, signals) = channel();
        let table = Arc::new(ShardTable {
            shards: record.shards.max(1),
            state: Mutex::default(),
            on_change,
            wake,
        });
        let rounds = KeeperRounds {
            table: Arc::clone(&table),
            word: word.to_owned(),
            record,
            open,
            leases: None,
            is_told: false,
            settled_at: Instant::now() + SETTLE_AT_START,
            known_at: Instant::now(),
        };
        let thread = thread::Builder::new()
            .name("aura-shards".to_owned())
            .spawn(move || rounds.keep(&signals))?;
        Ok(Self {
            table,
            thread: Some(thread),
        })
    }

    pub fn table(&self) -> &Arc<ShardTable> {
        &self.table
    }
}

impl Drop for ShardKeeper {
    fn drop(&mut self) {
        self.table.wake(KeeperSignal::Stop);
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the keeper of the shards panicked");
        }
    }
}

/// The leases while they can be asked.
struct OpenedLeases {
    table: Box<dyn LeaseTable>,
    own: Box<dyn HostLease>,
    shards: BTreeMap<u16, Box<dyn HostLease>>,
    /// What the own one said when it was renewed last.
    said: Option<String>,
    renewed_at: Instant,
}

struct KeeperRounds {
    table: Arc<ShardTable>,
    word: String,
    record: HostRecord,
    open: OpenLeases,
    leases: Option<OpenedLeases>,
    /// Whether it was logged that the leases are away, or another host divides otherwise.
    is_told: bool,
    /// Before that nothing is taken.
    settled_at: Instant,
    /// When it was known last who has what.
    known_at: Instant,
}

impl KeeperRounds {
    fn keep(mut self, signals: &Receiver<KeeperSignal>) {
        loop {
            let before = self.table.state().held.clone();
            if let Err(error) = self.run_once()
                && !std::mem::replace(&mut self.is_told, true)
            {
                tracing::warn!(%error, "who serves which owners is not known: it is asked again");
            }
            if self.table.state().held != before {
                (self.table.on_change)();
            }
            match signals.recv_timeout(LOOK) {
                Ok(KeeperSignal::Look) | Err(RecvTimeoutError::Timeout) => {}
                Ok(KeeperSignal::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.give_all_back();
    }

    /// Renews what is this host's, then looks what it should have.
    fn run_once(&mut self) -> Result<(), LogError> {
        let mut leases = match self.leases.take() {
            Some(leases) => leases,
            None => self.open_leases()?,
        };
        let done = self
            .renew(&mut leases)
            .and_then(|()| self.share(&mut leases))
            .and_then(|()| self.release_left(&mut leases));
        // They come back by themselves.
        self.leases = Some(leases);
        done
    }

    fn open_leases(&self) -> Result<OpenedLeases, LogError> {
        let table = (self.open)()?;
        let own = table.lease(&LeaseName::for_host(&self.word), &self.word);
        Ok(OpenedLeases {
            table,
            own,
            shards: BTreeMap::new(),
            said: None,
            renewed_at: Instant::now(),
        })
    }

    fn renew(&mut self, leases: &mut OpenedLeases) -> Result<(), LogError> {
        let is_due = leases.said.is_none() || leases.renewed_at.elapsed() >= RENEW;
        if self.table.state().ends {
            // The others need not leave a share for it.
            if leases.said.take().is_some() {
                leases.own.release()?;
            }
        } else {
            self.say(leases, is_due)?;
        }
        if !is_due {
            return Ok(());
        }
        let numbers: Vec<u16> = leases.shards.keys().copied().collect();
        for shard in numbers {
            let Some(lease) = leases.shards.get_mut(&shard) else {
                continue;
            };
            match lease.try_hold()? {
                LeaseHold::Kept => {}
                LeaseHold::Begun => self.table.take(shard),
                LeaseHold::Others => {
                    tracing::warn!(shard, "another host has taken a shard of the owners over");
                    leases.shards.remove(&shard);
                    self.table.lose(shard);
                }
            }
        }
        leases.renewed_at = Instant::now();
        Ok(())
    }

    /// Says what this host has, when that is news or the lease is due.
    fn say(&mut self, leases: &mut OpenedLeases, is_due: bool) -> Result<(), LogError> {
        self.record.held = self.table.record_held();
        self.record.owners.clone_from(&self.table.state().owners);
        let text = serde_json::to_string(&self.record)
            .map_err(|error| LogError::Damaged(format!("a host's record has no JSON: {error}")))?;
        if is_due || leases.said.as_ref() != Some(&text) {
            leases.own.set_text(text.clone());
            leases.own.try_hold()?;
            leases.said = Some(text);
        }
        Ok(())
    }

    /// Has the shards that this host should have, and leaves those that it should not.
    fn share(&mut self, leases: &mut OpenedLeases) -> Result<(), LogError> {
        let names = leases.table.list()?;
        let own = LeaseName::for_host(&self.word);
        let mut hosts = read_hosts(&*leases.table, &names)?;
        hosts.remove(&own);
        let is_alike = hosts.values().all(|host| host.shards == self.table.shards);
        self.table.state().others = hosts.into_values().collect();
        if self.table.state().ends {
            let all: Vec<u16> = self.table.record_held().into_iter().collect();
            self.table.leave(&all);
            return Ok(());
        }
        if !is_alike {
            if !std::mem::replace(&mut self.is_told, true) {
                tracing::error!(
                    "another host divides the owners into another number of shards (`--shards`): this one takes none"
                );
            }
            return Ok(());
        }
        self.is_told = false;
        let plan = self.plan(&names);
        let now = Instant::now();
        // Others that did not reach their leases either may have lost them.
        if now.duration_since(self.known_at) > LEASE / 2 {
            tracing::info!(
                "which hosts live was not known for a while: nothing is taken until each has its own again"
            );
            self.settled_at = now + SETTLE_AFTER_LOSS;
        }
        self.known_at = now;
        if now >= self.settled_at {
            self.take_all(leases, &plan.take)?;
        }
        self.table.leave(&plan.give_back);
        self.say(leases, false)
    }

    /// Takes those that nobody else takes at this moment. The owners of each begin while the next one is taken.
    fn take_all(&self, leases: &mut OpenedLeases, shards: &[u16]) -> Result<(), LogError> {
        let mut taken = 0;
        for shard in shards {
            let mut lease = leases.table.lease(&LeaseName::for_shard(*shard), &self.word);
            if lease.try_hold()? != LeaseHold::Others {
                leases.shards.insert(*shard, lease);
                self.table.take(*shard);
                (self.table.on_change)();
                taken += 1;
            }
        }
        if taken > 0 {
            tracing::info!(taken, "shards of the owners were taken");
        }
        Ok(())
    }

    fn plan(&self, names: &[LeaseName]) -> ShardPlan {
        let held = self.table.record_held();
        let state = self.table.state();
        let own = HostShards {
            held: held.len(),
            owners: &state.owners,
        };
        let others = state.others.iter().map(|host| HostShards {
            held: host.held.len(),
            owners: &host.owners,
        });
        let hosts: Vec<HostShards<'_>> = [own].into_iter().chain(others).collect();
        plan_shards(&ShardView {
            shards: self.table.shards,
            hosts: &hosts,
            held: &held,
            leaving: state.leaving.len(),
            taken: &names.iter().filter_map(LeaseName::shard).collect(),
            first: shard_of_name(&self.word, self.table.shards),
        })
    }

    /// Gives back those whose owners have no service here any more.
    fn release_left(&self, leases: &mut OpenedLeases) -> Result<(), LogError> {
        for shard in self.table.ended_leaving() {
            if let Some(lease) = leases.shards.get_mut(&shard) {
                lease.release()?;
            }
            leases.shards.remove(&shard);
            self.table.lose(shard);
        }
        Ok(())
    }

    /// What cannot be given back runs out by itself.
    fn give_all_back(&mut self) {
        let Some(leases) = &mut self.leases else { return };
        let shards = leases.shards.values_mut();
        for lease in shards.chain([&mut leases.own]) {
            if let Err(error) = lease.release() {
                tracing::debug!(%error, "a lease runs out by itself");
                return;
            }
        }
    }
}
