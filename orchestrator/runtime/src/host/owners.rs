//! A host of several owners.
//!
//! What: [`HostedOwners`]: who is served, locked, paused or failed, where commands to each go, and what a tenant of theirs does ([`run_owner`]). Why: one
//! owner that cannot start keeps no other from starting. Not here: the process they share (`host`), who is served when (`lifecycle`), their
//! folders (`owner_folders`).

use super::{
    OwnerPlacement,
    lifecycle::{FolderState, TenantExit, TenantState, rest_after},
    owner_folders::{HostLock, OwnerFolders, OwnerName},
    unlocking::{self, UnlockTries},
};
use crate::{
    config::HomeConfig,
    control::{
        ControlDirectory, ControlHandler, ControlReply, ControlRequest, ControlSender, ListedOwner,
        OwnerState, ProgressSender, host_folder,
    },
    parked_record::ParkedRecords,
    service::{HostLink, OwnerQuotas, Service, ServiceError, ServiceMode, TenantEnd},
    with_cause::with_cause,
};
use aura_memory::{StoreError, Vault, vault::NoPrompt};
use aura_platform::supervise::FatalFailure;
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};
use surfaces::web::PageNames;
use surfaces_base::language::{Text, text};
use tokio::sync::{mpsc, oneshot};

/// Where commands go: to each owner's service by her name, to the host without one.
pub(super) struct ControlRoutes {
    host: ControlSender,
    owners: RwLock<BTreeMap<OwnerName, ControlSender>>,
}

impl ControlDirectory for Arc<ControlRoutes> {
    fn find(&self, owner: Option<&str>) -> Result<ControlSender, Text> {
        let Some(owner) = owner else {
            return Ok(self.host.clone());
        };
        let owners = self.owners.read().unwrap_or_else(PoisonError::into_inner);
        let way = OwnerName::parse(owner).and_then(|owner| owners.get(&owner).cloned());
        way.ok_or(Text("control-owner-not-served"))
    }
}

/// Has the host look at an owner's folder again, then tell who there is; without a name only the latter.
pub(super) struct RefreshOwner {
    pub(super) owner: Option<OwnerName>,
    pub(super) reply: oneshot::Sender<Vec<ListedOwner>>,
}

/// Answers what is asked of the host itself.
#[derive(Clone)]
pub(super) struct HostControlHandler(pub(super) mpsc::UnboundedSender<RefreshOwner>);

impl ControlHandler for HostControlHandler {
    async fn answer(&self, request: ControlRequest, _say: &ProgressSender) -> ControlReply {
        let ControlRequest::Owners { again } = request else {
            return ControlReply::Error(text("control-host-of-several").to_owned());
        };
        let again = again.map(|name| OwnerName::parse(&name).ok_or(name));
        let Ok(again) = again.transpose() else {
            return ControlReply::Error(text("control-no-such-owner").to_owned());
        };
        let (reply, told) = oneshot::channel();
        // A host that has ended hears nothing.
        let _ = self.0.send(RefreshOwner { owner: again, reply });
        match told.await {
            Ok(owners) => ControlReply::Owners(owners),
            Err(_) => ControlReply::Busy(text("control-host-ends").to_owned()),
        }
    }
}

/// How one owner stands.
pub(super) struct HostedOwner {
    pub(super) state: OwnerState,
    why: Option<String>,
    pub(super) tenant: TenantState,
    /// In which term of this host's she was parked, where other hosts have her too.
    pub(super) parked_in: Option<u64>,
    /// Since when her page can be opened.
    served_since: Option<Instant>,
    /// How often in a row she failed by what may be better at the next try.
    failures: u32,
    /// Her folder cannot be served here before somebody has mended it.
    pub(super) is_unfit: bool,
}

impl HostedOwner {
    fn number(&self) -> Option<u32> {
        match self.tenant {
            TenantState::Absent => None,
            TenantState::Running(number)
            | TenantState::Ending { number, .. }
            | TenantState::Parked(number) => Some(number),
        }
    }
}

/// What a tenant does on its thread.
pub(super) type RunOwner = Arc<dyn Fn(&OwnerName, HostLink) -> Result<TenantEnd, ServiceError> + Send + Sync>;

/// The owners of a host.
pub(super) struct HostedOwners {
    pub(super) folders: OwnerFolders,
    pub(super) records: ParkedRecords,
    pub(super) routes: Arc<ControlRoutes>,
    pub(super) run: RunOwner,
    pub(super) owners: BTreeMap<OwnerName, HostedOwner>,
    /// Present: other hosts have these owners too.
    pub(super) placement: Option<Arc<dyn OwnerPlacement>>,
    /// Whom this host can serve may have changed since it was told.
    pub(super) is_servable_news: bool,
    /// The numbers of the names of those whom another host serves.
    pub(super) elsewhere: BTreeMap<OwnerName, u32>,
    /// Who waits until a tenant has ended.
    waiting: Vec<(u32, oneshot::Sender<Vec<ListedOwner>>)>,
    last_number: u32,
    pub(super) requests: mpsc::UnboundedSender<RefreshOwner>,
    _lock: HostLock,
}

impl HostedOwners {
    pub(super) fn new(
        folders: OwnerFolders,
        lock: HostLock,
        (host, requests): (ControlSender, mpsc::UnboundedSender<RefreshOwner>),
        run: RunOwner,
    ) -> Self {
        Self {
            records: ParkedRecords::in_folder(host_folder(folders.dir()).join("parked")),
            folders,
            routes: Arc::new(ControlRoutes {
                host,
                owners: RwLock::default(),
            }),
            run,
            owners: BTreeMap::new(),
            placement: None,
            is_servable_news: true,
            elsewhere: BTreeMap::new(),
            waiting: Vec::new(),
            last_number: 0,
            requests,
            _lock: lock,
        }
    }

    /// The next tenant's number.
    pub(super) fn next_number(&mut self) -> u32 {
        self.last_number += 1;
        self.last_number
    }

    /// The number of the names of an owner whom another host serves.
    pub(super) fn elsewhere_number(&mut self, owner: &OwnerName) -> u32 {
        if let Some(number) = self.elsewhere.get(owner) {
            return *number;
        }
        let number = self.next_number();
        self.elsewhere.insert(owner.clone(), number);
        number
    }

    /// The names under which an owner's pages are; without a configuration that can be read her own name alone.
    pub(super) fn page_names(&self, owner: &OwnerName) -> PageNames {
        let home = HomeConfig::load(&self.folders.files(owner).home);
        owner.page_names(home.map_or_else(|_| Vec::new(), |home| home.web.names()))
    }

    pub(super) fn tenant_of(&self, owner: &OwnerName) -> TenantState {
        self.owners
            .get(owner)
            .map(|found| found.tenant)
            .unwrap_or_default()
    }

    pub(super) fn folder_state(&self, owner: &OwnerName) -> FolderState {
        if !self.folders.has(owner) {
            FolderState::Gone
        } else if self.folders.is_paused(owner) {
            FolderState::Paused
        } else if self
            .placement
            .as_ref()
            .is_some_and(|placement| placement.term(owner).is_none())
        {
            FolderState::Elsewhere
        } else {
            FolderState::Wanted
        }
    }

    fn entry(&mut self, owner: OwnerName) -> &mut HostedOwner {
        let is_servable_news = &mut self.is_servable_news;
        self.owners.entry(owner).or_insert_with(|| {
            *is_servable_news = true;
            HostedOwner {
                state: OwnerState::Starting,
                why: None,
                tenant: TenantState::Absent,
                parked_in: None,
                served_since: None,
                failures: 0,
                is_unfit: false,
            }
        })
    }

    fn of_tenant(&mut self, number: u32) -> Option<(&OwnerName, &mut HostedOwner)> {
        self.owners
            .iter_mut()
            .find(|(_, owner)| owner.number() == Some(number))
    }

    /// How she stands without a tenant.
    pub(super) fn set_resting(&mut self, owner: OwnerName, state: OwnerState, why: Option<String>) {
        let owner = self.entry(owner);
        // Why she cannot be served here is said also while another host has her.
        let is_said = owner.is_unfit && state == OwnerState::Elsewhere;
        let before = owner.why.take().filter(|_| is_said);
        (owner.state, owner.why) = (state, why.or(before));
    }

    /// Her tenant begins, and commands find it.
    pub(super) fn set_started(&mut self, owner: OwnerName, number: u32, way: ControlSender) {
        self.routes
            .owners
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(owner.clone(), way);
        let owner = self.entry(owner);
        (owner.state, owner.why) = (OwnerState::Starting, None);
        owner.tenant = TenantState::Running(number);
    }

    pub(super) fn set_state(&mut self, number: u32, state: OwnerState) {
        if let Some((name, owner)) = self.of_tenant(number) {
            owner.state = state;
            if state == OwnerState::Serving {
                owner.served_since.get_or_insert_with(Instant::now);
                let name = name.clone();
                self.set_unfit(&name, false);
            }
        }
    }

    /// Whether somebody has to mend something before she can be served here.
    pub(super) fn set_unfit(&mut self, owner: &OwnerName, is_unfit: bool) {
        if let Some(owner) = self.owners.get_mut(owner)
            && std::mem::replace(&mut owner.is_unfit, is_unfit) != is_unfit
        {
            self.is_servable_news = true;
        }
    }

    /// Her tenant is ending, and whether she is to be started after it.
    pub(super) fn set_ending(&mut self, number: u32, is_wanted_again: bool) {
        if let Some((_, owner)) = self.of_tenant(number) {
            owner.tenant = TenantState::Ending {
                number,
                is_wanted_again,
            };
        }
    }

    /// Her tenant ends by itself, and is started after it where that was asked for before.
    pub(super) fn set_ending_by_itself(&mut self, number: u32) {
        if let Some((_, owner)) = self.of_tenant(number)
            && owner.tenant == TenantState::Running(number)
        {
            self.set_ending(number, false);
        }
    }

    /// Her tenant has ended, and commands wait for the next one.
    pub(super) fn set_parked(&mut self, owner: OwnerName, number: u32) {
        let term = self
            .placement
            .as_ref()
            .and_then(|placement| placement.term(&owner));
        let owner = self.entry(owner);
        owner.parked_in = term;
        (owner.state, owner.why) = (OwnerState::Parked, None);
        owner.tenant = TenantState::Parked(number);
        // It did not fail.
        (owner.served_since, owner.failures) = (None, 0);
    }

    /// Whose tenant has this number, and how it stands.
    pub(super) fn find(&self, number: u32) -> Option<(OwnerName, TenantState)> {
        let found = self
            .owners
            .iter()
            .find(|(_, owner)| owner.number() == Some(number))?;
        Some((found.0.clone(), found.1.tenant))
    }

    /// Her tenant is gone, and commands find it no longer. Whose it was, and how it stood.
    pub(super) fn set_absent(&mut self, number: u32) -> Option<(OwnerName, TenantState)> {
        let (name, owner) = self.of_tenant(number)?;
        let (name, before) = (name.clone(), std::mem::take(&mut owner.tenant));
        self.routes
            .owners
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&name);
        Some((name, before))
    }

    /// For how long she rests after a failure that may pass.
    pub(super) fn rest_after_failure(&mut self, owner: &OwnerName) -> Duration {
        let Some(owner) = self.owners.get_mut(owner) else {
            return Duration::ZERO;
        };
        let served = owner.served_since.take().map(|since| since.elapsed());
        let (rest, failures) = rest_after(owner.failures, served.unwrap_or_default());
        owner.failures = failures;
        rest
    }

    /// Tells who there is once a tenant has ended.
    pub(super) fn tell_after(&mut self, number: u32, reply: oneshot::Sender<Vec<ListedOwner>>) {
        self.waiting.push((number, reply));
    }

    /// Tells whoever waited for a tenant's end who there is.
    pub(super) fn tell_ended(&mut self, number: u32) {
        let (now, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|(waits_for, _)| *waits_for == number);
        self.waiting = later;
        for (_, reply) in now {
            self.tell(reply);
        }
    }

    /// Tells who there is.
    pub(super) fn tell(&self, reply: oneshot::Sender<Vec<ListedOwner>>) {
        let listed = self.owners.iter().map(|(name, owner)| ListedOwner {
            name: name.to_string(),
            state: owner.state,
            why: owner.why.clone(),
        });
        // The requester may be gone.
        let _ = reply.send(listed.collect());
    }

    /// Whose folder has gone is no owner any more.
    pub(super) fn forget(&mut self, owner: &OwnerName) {
        self.owners.remove(owner);
        self.is_servable_news = true;
    }
}

/// One owner's tenant, from her folder to its end.
pub(super) fn run_owner(
    folders: &OwnerFolders,
    owner: &OwnerName,
    (tries, quotas, placement): (&UnlockTries, OwnerQuotas, Option<&dyn OwnerPlacement>),
    link: HostLink,
) -> Result<TenantEnd, ServiceError> {
    let (dir, files) = (folders.folder(owner), folders.files(owner));
    let vault = if folders.needs_passphrase(owner) {
        let home = HomeConfig::load(&files.home)?;
        let unlocked = unlocking::wait_for_passphrase((&dir, owner), &home, tries, &link)?;
        let Some(vault) = unlocked else {
            return Ok(TenantEnd::Told);
        };
        vault
    } else {
        Vault::open(&dir, &NoPrompt)?
    };
    if let Some(placement) = placement
        && !placement.bring_settings(owner, &vault)?
    {
        return Ok(TenantEnd::Told);
    }
    let service = Service {
        mode: ServiceMode::Run,
        // It may have been changed in the days until she came.
        home: HomeConfig::load(&files.home)?,
        policy_text: files.policy_text()?,
        files,
        vault,
        host_name: Some(owner.host_name()),
        quotas,
        remote_log: placement.map(OwnerPlacement::open_log),
    };
    service.run_tenant(link)
}

/// How a tenant ended, and why where it failed: for its owner.
pub(super) fn exit_of(
    ended: &thread::Result<Result<TenantEnd, ServiceError>>,
    failure: Option<FatalFailure>,
) -> (TenantExit, Option<String>) {
    let fatal = failure.map(|failure| match failure {
        FatalFailure::Broken => "a part of it failed too often".to_owned(),
        FatalFailure::Fenced => StoreError::Fenced.to_string(),
    });
    match ended {
        Ok(Ok(_)) if fatal.is_some() => (TenantExit::Passing, fatal),
        Ok(Ok(TenantEnd::Told)) => (TenantExit::Told, None),
        Ok(Ok(TenantEnd::Parked(_))) => (TenantExit::Parked, None),
        Ok(Err(error)) => {
            let (why, code) = describe_failure(error);
            tracing::error!(code, "an owner is not served");
            // Whoever overtook her at the log may be gone by then.
            let is_overtaken = code == StoreError::Fenced.code();
            let exit = if error.is_temporary() || is_overtaken {
                TenantExit::Passing
            } else {
                TenantExit::Lasting
            };
            (exit, Some(why))
        }
        Err(_) => {
            tracing::error!("an owner's service panicked, and is started again");
            let why = "a bug: the host's log says where".to_owned();
            (TenantExit::Passing, Some(why))
        }
    }
}

/// Why a tenant failed, for its owner, and its code, for the log: the words may name her folder.
pub(super) fn describe_failure(error: &ServiceError) -> (String, String) {
    let why = with_cause(error);
    // Of an error without one, that of what it came from.
    let code = why.split([' ', ':']).find(|word| is_code(word));
    let code = code.unwrap_or("none").to_owned();
    (why, code)
}

fn is_code(word: &str) -> bool {
    word.split_once('-').is_some_and(|(family, number)| {
        family.len() > 1
            && family.bytes().all(|b| b.is_ascii_uppercase())
            && number.len() == 3
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}
