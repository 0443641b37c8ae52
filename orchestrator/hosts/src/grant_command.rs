//! `aura-hosts join`, `grant`, `grants` and `revoke`: which hosts have an owner's key.
//!
//! What: a host's key pair and what it takes from the log's place ([`GrantTaker`]); what an owner grants, lists and takes back. Why: a host has her keys by
//! her word alone ([ADR 0204](../../../docs/adr/0204-an-owners-key-reaches-a-host-by-her-grant.md)). Not here: what is in a grant (the library), who serves her
//! (`main`).

#![expect(
    clippy::doc_markdown,
    reason = "clap prints these comments as help, where backquotes would stand as they are"
)]

use crate::{
    end_replaced,
    log_place::{JournalLogArgs, LogAddress, LogServersArgs},
    this_process,
};
use aura_cli::{
    args::DataDir,
    error::CliError,
    exit::CommandExit,
    granted::{GrantedFolder, is_grant_meant},
    out::CommandOutput,
    owner::OwnersDir,
};
use aura_hosts::{
    ENTRIES_MAX, ExistingFile, GrantError, GrantNote, GrantStore, HostKey, HostPublicKey, KeyCipher, LEASE,
    LeaseKeeper, LeaseName, LogError, LogRoots, OwnerGrant, OwnerRecord, OwnerSubject, SealError,
    SealedGrant, SqliteGrants, jetstream::JetStreamGrants, living_hosts, shard_of_name, to_store_error,
    write_private,
};
use aura_memory::{
    OpenRemoteLog, Store, StoreOptions, Vault, check_free,
    vault::{self, KeyPlace, NoPrompt, VaultStatus},
};
use aura_platform::{clock::Clock, user_folders};
use clap::{Args, Subcommand};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};
use toolcall_schema::Timestamp;

/// How often a host that stays looks for grants.
const LOOK: Duration = Duration::from_mins(1);

#[derive(Debug, Subcommand)]
pub(crate) enum GrantCommand {
    /// Make this host's key pair, print what owners grant themselves to, and take what they granted
    Join(HostJoinArgs),
    /// Let a host open this owner by itself, from what is in the log
    Grant(HostGrantArgs),
    /// List the hosts that may open this owner, as JSON
    Grants(GrantListArgs),
    /// Take an owner back from a host: it opens nothing of what comes from now on
    Revoke(HostRevokeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HostKeyArgs {
    /// The file with this host's secret key, which `join` makes when it is not there [default: $XDG_CONFIG_HOME/aura/host.key, else ~/.config/aura/host.key]
    #[arg(long, value_name = "FILE")]
    host_key: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HostJoinArgs {
    #[command(flatten)]
    key: HostKeyArgs,
    /// The log whose grants are taken, as for `aura-hosts host`
    #[arg(long, value_name = "LOG", env = crate::LOG_VARIABLE)]
    log: Option<String>,
    #[command(flatten)]
    servers: LogServersArgs,
    #[command(flatten)]
    owners: OwnersDir,
    /// Take one owner into this data folder, in place of all into those of a host
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Stay, and look for grants each minute
    #[arg(long, requires = "log")]
    stay: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HostGrantArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    #[command(flatten)]
    data: DataDir,
    /// What `aura-hosts join` printed on the host
    #[arg(long, value_name = "HOST_KEY", value_parser = host_key)]
    to: HostPublicKey,
    /// What the owner is called there [default: the name of her data folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GrantListArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    #[command(flatten)]
    data: DataDir,
}

#[derive(Debug, Args)]
pub(crate) struct HostRevokeArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    #[command(flatten)]
    data: DataDir,
    /// The host: its fingerprint, or what `aura-hosts join` printed there
    #[arg(long, value_name = "HOST")]
    from: String,
}

impl HostKeyArgs {
    /// The one that is named, else that of whose program this is.
    fn file(&self) -> Option<PathBuf> {
        self.host_key.clone().or_else(default_key_file)
    }

    pub(crate) fn load_or_make(&self) -> Result<HostKey, CliError> {
        let path = self.file().ok_or(CliError::NoDataFolder)?;
        HostKey::load_or_make(&path).map_err(|source| CliError::Input { path, source })
    }
}

fn host_key(text: &str) -> Result<HostPublicKey, &'static str> {
    HostPublicKey::parse(text)
        .ok_or("it is no key of a host, or was copied wrongly: `aura-hosts join` prints one")
}

impl GrantCommand {
    pub(crate) fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        match self {
            Self::Join(args) => args.join(out),
            Self::Grant(args) => args.grant(out),
            Self::Grants(args) => args.list(out),
            Self::Revoke(args) => args.revoke(out),
        }
    }
}

impl LogAddress {
    pub(crate) fn open_grants(&self) -> Result<Box<dyn GrantStore>, LogError> {
        Ok(match self {
            Self::File(file) => Box::new(SqliteGrants::open(file)?),
            Self::Server(bus) => Box::new(JetStreamGrants::open(&bus.connection()?)?),
        })
    }
}

/// The secret key's file, where nobody names one.
fn default_key_file() -> Option<PathBuf> {
    Some(user_folders::config()?.join("aura/host.key"))
}

fn refused(error: &GrantError) -> CliError {
    CliError::NotThere(error.to_string())
}

pub(crate) fn unsealed(error: &SealError) -> CliError {
    CliError::NotThere(error.to_string())
}

pub(crate) fn log_unfit(dir: &Path) -> impl Fn(LogError) -> CliError {
    move |error| CliError::Store(to_store_error(dir, &error))
}

/// What a host did with a grant.
enum GrantOutcome {
    /// A folder was made.
    Taken,
    /// Her folder is here, and opens now what it could not.
    Renewed,
    /// It was taken before.
    Known,
}

impl GrantOutcome {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Renewed => "renewed",
            Self::Known => "known",
        }
    }
}

/// A host's key, and which grants were taken with it. One at a time.
struct GrantTaker {
    key: HostKey,
    /// By owner, when the newest one was granted: an older one is somebody's who put it back.
    taken: BTreeMap<String, i64>,
    record: PathBuf,
    _turn: File,
}

impl GrantTaker {
    fn open(file: &Path) -> Result<Self, CliError> {
        let unread = |source: io::Error| CliError::Input {
            path: file.to_owned(),
            source,
        };
        let key = HostKey::load_or_make(file).map_err(unread)?;
        let turn = File::open(file).map_err(unread)?;
        turn.lock()?;
        let record = file.with_extension("grants");
        let taken = match fs::read(&record) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| CliError::Input {
                path: record.clone(),
                source: error.into(),
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            key,
            taken,
            record,
            _turn: turn,
        })
    }

    /// Opens a grant; `None`: it was taken before.
    fn open_new(&self, sealed: &SealedGrant) -> Result<Option<OwnerGrant>, GrantError> {
        let grant = sealed.open(&self.key)?;
        let taken = self.taken.get(sealed.place.owner.as_str()).copied();
        match taken {
            Some(taken) if taken > grant.granted.ms() => Err(GrantError::Older {
                granted: grant.granted,
                taken: Timestamp::from_ms(taken),
            }),
            Some(taken) if taken == grant.granted.ms() => Ok(None),
            Some(_) | None => Ok(Some(grant)),
        }
    }

    /// Remembers it; on disk when this returns.
    fn remember(&mut self, owner: &OwnerSubject, granted: Timestamp) -> Result<(), CliError> {
        self.taken.insert(owner.as_str().to_owned(), granted.ms());
        let taken = serde_json::to_vec(&self.taken).map_err(io::Error::from)?;
        write_private(&self.record, &taken, ExistingFile::Replace)?;
        Ok(())
    }

    /// Takes a grant: makes the owner's folder, or has the one that is here open what it could not.
    fn take(
        &mut self,
        sealed: &SealedGrant,
        find_folder: impl FnOnce(&str) -> Result<GrantedFolder, CliError>,
    ) -> Result<GrantOutcome, CliError> {
        let Some(grant) = self.open_new(sealed).map_err(|error| refused(&error))? else {
            return Ok(GrantOutcome::Known);
        };
        let folder = find_folder(&grant.name)?;
        let (vault, outcome) = if vault::standing(folder.dir())? == VaultStatus::New {
            let made = Vault::create_granted(folder.dir(), &folder.key_place()?, grant.keys())?;
            (made, GrantOutcome::Taken)
        } else {
            let there = Vault::open(folder.dir(), &NoPrompt)?;
            check_keys(&there, &grant, sealed).map_err(|error| refused(&error))?;
            (there, GrantOutcome::Renewed)
        };
        grant.roots.keep_in(&vault)?;
        folder.begin()?;
        self.remember(&sealed.place.owner, grant.granted)?;
        Ok(outcome)
    }
}

/// Whether a folder that is here is the granted owner's, as she is.
fn check_keys(there: &Vault, grant: &OwnerGrant, sealed: &SealedGrant) -> Result<(), GrantError> {
    if there.hand_over().as_slice() == grant.keys() {
        return Ok(());
    }
    Err(GrantError::Unfit(
        if OwnerSubject::derive(there.seed()) == sealed.place.owner {
            "the data key of this owner was changed since her folder was made here: wipe it, and it is made again"
        } else {
            "the folder of that name here is another owner's: have her granted under another name (`--name`)"
        },
    ))
}

/// Has a folder open what its owner granted to this host since: the roots of her log's keys may be others.
///
/// # Errors
/// The log does not answer, or the folder takes nothing.
fn renew_roots(vault: &Vault, address: &LogAddress, key: Option<&Path>) -> Result<(), CliError> {
    let Some(file) = key.filter(|file| file.exists()) else {
        return Ok(());
    };
    let mut taker = GrantTaker::open(file)?;
    let subject = OwnerSubject::derive(vault.seed());
    let granted = address
        .open_grants()
        .and_then(|mut grants| grants.grants_for(&taker.key.public().address()))
        .map_err(log_unfit(vault.dir()))?;
    let Some(sealed) = granted.iter().find(|sealed| sealed.place.owner == subject) else {
        return Ok(());
    };
    match taker.open_new(sealed) {
        Ok(Some(grant)) if grant.keys() == vault.hand_over().as_slice() => {
            grant.roots.keep_in(vault)?;
            taker.remember(&subject, grant.granted)
        }
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::warn!(%error, "what was granted to this host is not taken");
            Ok(())
        }
    }
}

/// How a store opens the log of its owner by what was granted to this host, also where that is newer than her folder.
pub(crate) fn open_granted_log(address: &LogAddress, key: &HostKeyArgs, entries_max: u64) -> OpenRemoteLog {
    let (address, open) = (address.clone(), address.open_log(entries_max));
    let key = key.file();
    Arc::new(move |vault: &Vault| {
        match renew_roots(vault, &address, key.as_deref()) {
            Ok(()) => {}
            Err(CliError::Store(error)) => return Err(error),
            Err(error) => tracing::warn!(%error, "whether this host has a newer grant is not known"),
        }
        open(vault)
    })
}

impl HostJoinArgs {
    fn join(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let file = self.key.file().ok_or(CliError::NoDataFolder)?;
        let public = GrantTaker::open(&file)?.key.public();
        out.json(&json!({ "host_key": public.to_string(), "fingerprint": public.fingerprint() }))?;
        let Some(address) = self.address()? else {
            return Ok(CommandExit::Ok);
        };
        loop {
            let taken = self.take_all(&file, &address, out);
            if !self.stay {
                return taken;
            }
            if let Err(error) = taken {
                tracing::warn!(%error, "grants are looked for again");
            }
            thread::sleep(LOOK);
        }
    }

    fn address(&self) -> Result<Option<LogAddress>, CliError> {
        let named = self.log.as_deref();
        named.map(|log| self.servers.address_of(log)).transpose()
    }

    fn find_folder(&self, name: &str) -> Result<GrantedFolder, CliError> {
        match &self.data {
            Some(dir) => GrantedFolder::alone(dir, name),
            None => GrantedFolder::of_host(&self.owners.path().ok_or(CliError::NoDataFolder)?, name),
        }
    }

    /// Takes what is there; a line for each, and what is refused does not keep the others.
    fn take_all(
        &self,
        file: &Path,
        address: &LogAddress,
        out: &mut CommandOutput,
    ) -> Result<CommandExit, CliError> {
        let mut taker = GrantTaker::open(file)?;
        let granted = address
            .open_grants()
            .and_then(|mut grants| grants.grants_for(&taker.key.public().address()))
            .map_err(log_unfit(file))?;
        let mut exit = CommandExit::Ok;
        for sealed in &granted {
            let owner = sealed.place.owner.as_str();
            match taker.take(sealed, |name| self.find_folder(name)) {
                Ok(GrantOutcome::Known) if self.stay => {}
                Ok(outcome) => out.json(&json!({ "owner": owner, "grant": outcome.as_str() }))?,
                Err(error) => {
                    exit = CommandExit::Bad;
                    out.json(&json!({ "owner": owner, "grant": "refused", "why": error.to_string() }))?;
                }
            }
        }
        Ok(exit)
    }
}

/// Puts a grant into the log's place: newer than the one before it there, whatever this machine's clock says.
fn put_grant(
    grants: &mut dyn GrantStore,
    vault: &Vault,
    host: &HostPublicKey,
    name: &str,
) -> Result<Timestamp, CliError> {
    let subject = OwnerSubject::derive(vault.seed());
    let unfit = log_unfit(vault.dir());
    let before = notes(&grants.grants_of(&subject).map_err(&unfit)?, vault);
    let before = before.into_iter().find(|note| note.host == *host);
    let now = Clock::real(None).wall();
    let granted = before.map_or(now, |note| now.max(note.granted.plus_ms(1)));
    let roots = LogRoots::of_folder(vault)?;
    let grant = OwnerGrant::of_folder(vault, roots, name.to_owned(), granted);
    let sealed = grant.seal(vault.seed(), host).map_err(|error| unsealed(&error))?;
    grants.put_grant(&sealed).map_err(&unfit)?;
    Ok(granted)
}

fn notes(granted: &[SealedGrant], vault: &Vault) -> Vec<GrantNote> {
    let notes = granted.iter().filter_map(|sealed| sealed.note(vault.seed()));
    notes.collect()
}

impl HostGrantArgs {
    fn grant(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let vault = self.data.vault()?;
        let of_folder = || Some(vault.dir().file_name()?.to_str()?.to_owned());
        let name = self.name.clone().or_else(of_folder).unwrap_or_default();
        // Such a name can be had there.
        GrantedFolder::alone(vault.dir(), &name)?;
        let by_passphrase = matches!(vault.place(), Some(KeyPlace::Passphrase { .. }));
        let fingerprint = self.to.fingerprint();
        if !is_grant_meant(&fingerprint, by_passphrase, (self.yes, self.json), out)? {
            return Ok(CommandExit::Bad);
        }
        let mut grants = self
            .log
            .address()?
            .open_grants()
            .map_err(log_unfit(vault.dir()))?;
        let granted = put_grant(grants.as_mut(), &vault, &self.to, &name)?;
        out.json(&json!({ "fingerprint": fingerprint, "granted": granted.to_string() }))?;
        Ok(CommandExit::Ok)
    }
}

impl GrantListArgs {
    fn list(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let vault = self.data.vault()?;
        let subject = OwnerSubject::derive(vault.seed());
        let granted = self.log.address()?.open_grants();
        let granted = granted.and_then(|mut grants| grants.grants_of(&subject));
        let granted = granted.map_err(log_unfit(vault.dir()))?;
        for sealed in &granted {
            let note = sealed.note(vault.seed());
            out.json(&match &note {
                Some(note) => json!({
                    "fingerprint": note.host.fingerprint(),
                    "host_key": note.host.to_string(),
                    "granted": note.granted.to_string(),
                    "name": note.name,
                }),
                None => json!({ "fingerprint": null, "why": refused(&GrantError::Foreign).to_string() }),
            })?;
        }
        Ok(CommandExit::Ok)
    }
}

impl HostRevokeArgs {
    fn revoke(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let (address, vault) = (self.log.address()?, self.data.vault()?);
        let unfit = log_unfit(vault.dir());
        check_free(vault.dir())?;
        let mut grants = address.open_grants().map_err(&unfit)?;
        let granted = grants.grants_of(&OwnerSubject::derive(vault.seed()));
        let notes = notes(&granted.map_err(&unfit)?, &vault);
        let is_meant =
            |note: &&GrantNote| note.host.fingerprint() == self.from || note.host.to_string() == self.from;
        let Some(from) = notes.iter().find(is_meant).map(|note| note.host) else {
            return Err(CliError::NotThere(
                "this owner is not granted to that host: `aura-hosts grants` lists those to whom she is"
                    .to_owned(),
            ));
        };
        // No other host begins before it has its new grant.
        let names = notes.iter().map(|note| note.name.as_str());
        let of_folder = vault.dir().file_name().and_then(|name| name.to_str());
        let leases = renew_log(&vault, &address, &names.chain(of_folder).collect())?;
        for note in notes.iter().filter(|note| note.host != from) {
            put_grant(grants.as_mut(), &vault, &note.host, &note.name)?;
        }
        // Last: whoever was interrupted does all of it again.
        for sealed in grants.grants_for(&from.address()).map_err(&unfit)? {
            if sealed.note(vault.seed()).is_some() {
                grants.remove_grant(&sealed.place).map_err(&unfit)?;
            }
        }
        drop(leases);
        out.json(&json!({ "fingerprint": from.fingerprint(), "revoked": true }))?;
        Ok(CommandExit::Ok)
    }
}

/// Takes an owner over from whoever serves her, under whichever of her names, and keeps all others from beginning.
fn take_over(
    vault: &Vault,
    address: &LogAddress,
    names: &BTreeSet<&str>,
) -> Result<Vec<LeaseKeeper>, CliError> {
    let unfit = log_unfit(vault.dir());
    let keys = KeyCipher::derive(vault.seed());
    let holder = keys
        .seal_holder(&this_process())
        .map_err(|error| unsealed(&error))?;
    let leases = address.open_leases().map_err(&unfit)?;
    let hosts = living_hosts(&*leases).map_err(&unfit)?;
    let shards: BTreeSet<u16> = hosts.values().map(|host| host.shards).collect();
    let of_names = shards
        .iter()
        .flat_map(|shards| names.iter().map(|name| shard_of_name(name, *shards)));
    let of_names: BTreeSet<LeaseName> = of_names.map(LeaseName::for_shard).collect();
    let (mut keepers, mut has_other) = (Vec::new(), !of_names.is_empty());
    let of_owner = LeaseName::for_owner(keys.subject());
    for name in of_names.iter().chain([&of_owner]) {
        let mut lease = leases.lease(name, &holder);
        has_other |= lease.holder().map_err(&unfit)?.is_some();
        lease.seize().map_err(&unfit)?;
        keepers.push(LeaseKeeper::start(lease, end_replaced)?);
    }
    // Who served her learns of it when it renews what it has. Who is slower is refused by the log.
    if has_other {
        thread::sleep(LEASE / 2);
    }
    Ok(keepers)
}

/// Seals what goes to all hosts beside the log with the newest of these roots.
fn reseal_record(vault: &Vault, address: &LogAddress, roots: &LogRoots) -> Result<(), CliError> {
    let unfit = log_unfit(vault.dir());
    let keys = KeyCipher::derive_with(vault.seed(), roots);
    let mut records = address.open_records().map_err(&unfit)?;
    while let Some(there) = records.record_of(keys.subject()).map_err(&unfit)? {
        // One that is nobody's opens for her hosts neither before nor after.
        let Some(record) = OwnerRecord::open(&keys, &there.sealed) else {
            return Ok(());
        };
        let sealed = record.seal(&keys).map_err(|error| unsealed(&error))?;
        let put = records.put_record(keys.subject(), there.number, &sealed);
        if put.map_err(&unfit)?.is_some() {
            return Ok(());
        }
    }
    Ok(())
}

/// Has all that is in an owner's log from now on, her snapshot too, sealed with keys that nobody opens who has no grant of afterwards. Nobody else begins
/// with her while what this gives is kept.
fn renew_log(
    vault: &Vault,
    address: &LogAddress,
    names: &BTreeSet<&str>,
) -> Result<Vec<LeaseKeeper>, CliError> {
    renew_roots(vault, address, default_key_file().as_deref())?;
    let leases = take_over(vault, address, names)?;
    let roots = LogRoots::of_folder(vault)?.with_new();
    let roots = roots.map_err(|error| unsealed(&error))?;
    roots.keep_in(vault)?;
    let options = StoreOptions {
        remote_log: Some(address.open_log(ENTRIES_MAX)),
        ..StoreOptions::default()
    };
    let (store, _) = Store::open(vault, options)?;
    store.forget_in_log()?;
    drop(store);
    // What the others still had leads to nothing that is left.
    roots.newest().keep_in(vault)?;
    reseal_record(vault, address, &roots)?;
    Ok(leases)
}
