//! `aura-hosts host`, `drain` and `status`: owners whom several hosts have.
//!
//! What: serving them, ending a host, and saying which hosts live and where each owner is. Why: a host is that of `aura` with a log and a share of the
//! owners. Not here: which share (`aura_hosts::ShardKeeper`), what a host asks of it (`placement`), one owner alone (`main`).

use crate::{
    grant_command::{HostKeyArgs, open_granted_log},
    host_link::{HostPeer, HostPeers},
    hosts_page::HostsPage,
    log_place::{JournalLogArgs, LogAddress},
    placement::{HostLinks, HostPlacement},
    settings_sync::SettingsSync,
    this_process,
};
use aura_cli::{
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    owner::{HostArgs, OwnersDir, host_with},
};
use aura_hosts::{
    ENTRIES_MAX, HostRecord, LeaseName, LeaseTable, LogError, living_hosts, shard_of_name, to_store_error,
};
use aura_platform::clock::Clock;
use aura_runtime::{
    control::{ControlReply, ControlRequest, ask_holder, host_folder},
    host::{SharedOwners, owner_folders::OwnerFolders},
};
use clap::Args;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Into how many shards owners are divided where nobody says otherwise.
const SHARDS: u16 = 64;

/// `aura-hosts host`
#[derive(Debug, Args)]
pub(crate) struct LoggedHostArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    /// After how many entries a snapshot takes their place in an owner's log
    #[arg(long, value_name = "ENTRIES", default_value_t = ENTRIES_MAX, value_parser = clap::value_parser!(u64).range(1..))]
    log_entries: u64,
    /// Into how many shards the owners are divided among the hosts; the same on all hosts of a log
    #[arg(long, value_name = "COUNT", default_value_t = SHARDS, value_parser = clap::value_parser!(u16).range(1..=4096))]
    shards: u16,
    /// Listen there for connections that other hosts hand over, sealed; who is not one of --hosts gets nothing
    #[arg(long, value_name = "HOST:PORT", requires = "hosts")]
    address: Option<String>,
    /// Hand connections over to these hosts alone, and take them from these alone: each as it names itself by --address, and the key that `aura-hosts join` prints there
    #[arg(long, value_name = "HOST:PORT=HOST_KEY", value_delimiter = ',', value_parser = HostPeer::parse)]
    hosts: Vec<HostPeer>,
    #[command(flatten)]
    key: HostKeyArgs,
    /// Show which hosts live on a page at this port of the loopback; it has no owner's name, and who is on this machine may see it
    #[arg(long, value_name = "PORT")]
    status_port: Option<u16>,
    #[command(flatten)]
    host: HostArgs,
}

/// `aura-hosts drain`
#[derive(Debug, Args)]
pub(crate) struct DrainArgs {
    #[command(flatten)]
    owners: OwnersDir,
}

/// Of which owners `aura-hosts status` says where they are.
#[derive(Debug, Args)]
pub(crate) struct HostsStatusArgs {
    #[command(flatten)]
    owners: OwnersDir,
}

fn folders(owners: &OwnersDir) -> Result<OwnerFolders, CliError> {
    let dir = owners.path().ok_or(CliError::NoDataFolder)?;
    Ok(OwnerFolders::in_folder(&dir)?)
}

impl LoggedHostArgs {
    pub(crate) fn owners_folder(&self) -> Option<PathBuf> {
        self.host.owners.path()
    }

    pub(crate) fn serve(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let (log, leases) = (self.log.address()?, self.log.leases_address()?);
        let has_peers = !self.hosts.is_empty();
        let key = has_peers.then(|| self.key.load_or_make()).transpose()?;
        let peers = key.map(|key| HostPeers::new(key, &self.hosts));
        let listened = self.address.as_deref().map(listen).transpose()?;
        let (listener, address) = listened.unzip();
        // What is opened of theirs is taken on this machine.
        let from_hosts = listener
            .is_some()
            .then(|| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let from_hosts = from_hosts.transpose()?;
        let to = from_hosts.as_ref().map(TcpListener::local_addr).transpose()?;
        let links = listener.zip(to).map(|(listener, to)| HostLinks { listener, to });
        let this = this_process();
        let page = self
            .status_port
            .map(|port| self.page(port, &leases, this.process))
            .transpose()?;
        let record = HostRecord {
            host: this.host,
            process: this.process,
            since: this.since,
            address,
            shards: self.shards,
            held: BTreeSet::new(),
            owners: Vec::new(),
        };
        let records = log.clone();
        let settings = SettingsSync::new(
            folders(&self.host.owners)?,
            Box::new(move || records.open_records()),
        );
        let placement = HostPlacement::new(
            record,
            open_granted_log(&log, &self.key, self.log_entries),
            Box::new(move || leases.open_leases()),
            (peers, links),
            settings,
            page,
        );
        let placement = Arc::new(placement.map_err(|error| unfit(Path::new(""), &error))?);
        let shared = SharedOwners {
            placement: Arc::<HostPlacement>::clone(&placement),
            from_hosts,
        };
        let ended = host_with(&self.host, Some(shared), out);
        placement.give_all_back();
        ended
    }
}

impl LoggedHostArgs {
    /// The page of hosts, and where it is.
    fn page(
        &self,
        port: u16,
        leases: &LogAddress,
        process: u32,
    ) -> Result<(TcpListener, HostsPage), CliError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let leases = leases.clone();
        let look = move || HostsView::read(&*leases.open_leases().ok()?).ok();
        let page = HostsPage {
            look: Box::new(look),
            host_folder: host_folder(folders(&self.host.owners)?.dir()),
            process,
            now: || Clock::real(None).wall().to_string(),
        };
        Ok((listener, page))
    }
}

/// Listens for other hosts, and says where.
fn listen(address: &str) -> io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind(address)?;
    let port = listener.local_addr()?.port();
    // The name as others know it, with the port that the system chose where none was named.
    let name = address.rsplit_once(':').map_or(address, |(name, _)| name);
    Ok((listener, format!("{name}:{port}")))
}

fn unfit(dir: &Path, error: &LogError) -> CliError {
    CliError::Store(to_store_error(dir, error))
}

impl DrainArgs {
    pub(crate) fn ask(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let dir = host_folder(folders(&self.owners)?.dir());
        match ask_holder(&dir, &ControlRequest::Stop)? {
            Some(ControlReply::Stopping) => out.json(&json!({ "ends": true }))?,
            Some(_) => return Err(CliError::Bug("a host answered a request to end otherwise")),
            None => out.json(&json!({ "ends": false }))?,
        }
        Ok(CommandExit::Ok)
    }
}

impl HostsStatusArgs {
    pub(crate) fn print(
        &self,
        address: &LogAddress,
        out: &mut CommandOutput,
    ) -> Result<CommandExit, CliError> {
        let folders = folders(&self.owners)?;
        let away = |error: LogError| unfit(folders.dir(), &error);
        let leases = address.open_leases().map_err(away)?;
        let HostsView { hosts, taken } = HostsView::read(&*leases).map_err(away)?;
        let shards = hosts.iter().map(|host| host.shards).max();
        let whose = |shard: u16| hosts.iter().find(|host| host.held.contains(&shard));
        let mut owners = BTreeMap::new();
        if let Some(shards) = shards {
            for name in folders.names()? {
                let host = whose(shard_of_name(name.as_str(), shards));
                owners.insert(name.to_string(), host.map(describe_host));
            }
        }
        let described = hosts.iter().map(|host| {
            json!({
                "host": host.host,
                "process": host.process,
                "since": host.since,
                "address": host.address,
                "shards": host.held.len(),
            })
        });
        out.json(&json!({
            "hosts": described.collect::<Vec<Value>>(),
            "shards": shards,
            "shards_taken": taken,
            "owners": owners,
        }))?;
        Ok(CommandExit::Ok)
    }
}

/// Which hosts live, and how many shards anybody has.
pub(crate) struct HostsView {
    pub(crate) hosts: Vec<HostRecord>,
    pub(crate) taken: usize,
}

impl HostsView {
    pub(crate) fn read(leases: &dyn LeaseTable) -> Result<Self, LogError> {
        let hosts = living_hosts(leases)?.into_values().collect();
        let taken = leases.list()?.iter().filter_map(LeaseName::shard).count();
        Ok(Self { hosts, taken })
    }
}

fn describe_host(host: &HostRecord) -> Value {
    json!({ "host": host.host, "process": host.process })
}
