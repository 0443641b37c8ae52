//! A host of several owners.
//!
//! What: [`HostedOwners`]: who is served, locked, paused or failed, the ways of commands to each, and starting one. Why: one owner that cannot
//! start keeps no other from starting. Not here: the process they share (`host`), their folders (`owner_folders`).

use super::{
    owner_folders::{HostLock, OwnerFolders, OwnerName},
    unlocking,
};
use crate::{
    config::HomeConfig,
    control::{
        ControlDirectory, ControlHandler, ControlReply, ControlRequest, ControlSender, ListedOwner,
        OwnerState, ProgressSender,
    },
    service::{HostLink, Service, ServiceError, ServiceMode},
    with_cause::with_cause,
};
use aura_memory::{Vault, vault::NoPrompt};
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::sync::{mpsc, oneshot};

/// How long a service rests after a bug, at first and at most.
const REST: Duration = Duration::from_secs(1);
const REST_MAX: Duration = Duration::from_mins(1);

/// The ways of commands: to each owner's service by her name, to the host without one.
pub(super) struct OwnerWays {
    host: ControlSender,
    owners: RwLock<BTreeMap<OwnerName, ControlSender>>,
}

impl ControlDirectory for Arc<OwnerWays> {
    fn find(&self, owner: Option<&str>) -> Result<ControlSender, String> {
        let Some(owner) = owner else {
            return Ok(self.host.clone());
        };
        let owners = self.owners.read().unwrap_or_else(PoisonError::into_inner);
        let way = OwnerName::parse(owner).and_then(|owner| owners.get(&owner).cloned());
        way.ok_or_else(|| "this owner is not served now: `aura owner list` says why".to_owned())
    }
}

/// A wish that the host looks at an owner's folder again, or only tells who there is.
pub(super) struct OwnersQuestion {
    pub(super) again: Option<OwnerName>,
    pub(super) reply: oneshot::Sender<Vec<ListedOwner>>,
}

/// Answers what is asked of the host itself.
#[derive(Clone)]
pub(super) struct HostControlHandler(pub(super) mpsc::UnboundedSender<OwnersQuestion>);

impl ControlHandler for HostControlHandler {
    async fn answer(&self, request: ControlRequest, _say: &ProgressSender) -> ControlReply {
        let ControlRequest::Owners { again } = request else {
            return ControlReply::Error(
                "a host of several owners: name one, as in `aura --owner NAME status`".to_owned(),
            );
        };
        let again = again.map(|name| OwnerName::parse(&name).ok_or(name));
        let Ok(again) = again.transpose() else {
            return ControlReply::Error("no owner has such a name".to_owned());
        };
        let (reply, told) = oneshot::channel();
        // A host that ends hears nothing.
        let _ = self.0.send(OwnersQuestion { again, reply });
        match told.await {
            Ok(owners) => ControlReply::Owners(owners),
            Err(_) => ControlReply::Busy("the host ends".to_owned()),
        }
    }
}

/// How one owner stands.
pub(super) struct HostedOwner {
    pub(super) state: OwnerState,
    why: Option<String>,
    /// Of her tenant, while it runs.
    pub(super) number: Option<u32>,
}

/// The owners of a host.
pub(super) struct HostedOwners {
    pub(super) folders: OwnerFolders,
    pub(super) ways: Arc<OwnerWays>,
    owners: BTreeMap<OwnerName, HostedOwner>,
    /// Who waits until a tenant has ended.
    waiting: Vec<(u32, oneshot::Sender<Vec<ListedOwner>>)>,
    last_number: u32,
    /// How often each failed by a bug of ours.
    bugs: BTreeMap<OwnerName, u32>,
    pub(super) questions: mpsc::UnboundedSender<OwnersQuestion>,
    _lock: HostLock,
}

impl HostedOwners {
    pub(super) fn new(
        folders: OwnerFolders,
        lock: HostLock,
        (host, questions): (ControlSender, mpsc::UnboundedSender<OwnersQuestion>),
    ) -> Self {
        Self {
            folders,
            ways: Arc::new(OwnerWays {
                host,
                owners: RwLock::default(),
            }),
            owners: BTreeMap::new(),
            waiting: Vec::new(),
            last_number: 0,
            bugs: BTreeMap::new(),
            questions,
            _lock: lock,
        }
    }

    /// The next tenant's number.
    pub(super) fn next_number(&mut self) -> u32 {
        self.last_number += 1;
        self.last_number
    }

    /// Her tenant, while it runs.
    pub(super) fn number_of(&self, owner: &OwnerName) -> Option<u32> {
        self.owners.get(owner)?.number
    }

    /// How she stands without a tenant.
    pub(super) fn set_resting(&mut self, owner: OwnerName, state: OwnerState, why: Option<String>) {
        let number = None;
        self.owners.insert(owner, HostedOwner { state, why, number });
    }

    /// Her tenant begins, and commands find it.
    pub(super) fn set_started(&mut self, owner: OwnerName, number: u32, way: ControlSender) {
        self.ways
            .owners
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(owner.clone(), way);
        let started = HostedOwner {
            state: OwnerState::Starting,
            why: None,
            number: Some(number),
        };
        self.owners.insert(owner, started);
    }

    pub(super) fn set_state(&mut self, number: u32, state: OwnerState) {
        if let Some(owner) = self
            .owners
            .values_mut()
            .find(|owner| owner.number == Some(number))
        {
            owner.state = state;
        }
    }

    /// Her tenant has ended; `failed` is absent where it was told to. Whose it was.
    pub(super) fn set_ended(&mut self, number: u32, failed: Option<String>) -> Option<OwnerName> {
        let mut whose = None;
        let ended = self
            .owners
            .iter_mut()
            .find(|(_, owner)| owner.number == Some(number));
        if let Some((name, owner)) = ended {
            whose = Some(name.clone());
            owner.number = None;
            owner.state = match (&failed, self.folders.is_paused(name)) {
                (Some(_), _) => OwnerState::Failed,
                (None, true) => OwnerState::Paused,
                (None, false) => OwnerState::Stopped,
            };
            owner.why = failed;
            self.ways
                .owners
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(name);
        }
        let (now, later) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|(waits_for, _)| *waits_for == number);
        self.waiting = later;
        let now: Vec<(u32, oneshot::Sender<Vec<ListedOwner>>)> = now;
        for (_, reply) in now {
            self.tell(reply);
        }
        whose
    }

    /// For how long an owner's service rests after a bug: a second, twice as long after each, a minute at most.
    pub(super) fn rest_after_bug(&mut self, owner: &OwnerName) -> Duration {
        let bugs = self.bugs.entry(owner.clone()).or_default();
        let rest = REST_MAX.min(REST * 2_u32.saturating_pow(*bugs));
        *bugs += 1;
        rest
    }

    /// Tells who there is once a tenant has ended.
    pub(super) fn tell_after(&mut self, number: u32, reply: oneshot::Sender<Vec<ListedOwner>>) {
        self.waiting.push((number, reply));
    }

    /// Tells who there is.
    pub(super) fn tell(&self, reply: oneshot::Sender<Vec<ListedOwner>>) {
        let listed = self.owners.iter().map(|(name, owner)| ListedOwner {
            name: name.to_string(),
            state: owner.state,
            why: owner.why.clone(),
        });
        // Who asked may have gone.
        let _ = reply.send(listed.collect());
    }

    /// Whose folder has gone is no owner any more.
    pub(super) fn forget(&mut self, owner: &OwnerName) {
        self.owners.remove(owner);
    }
}

/// One owner's tenant, from her folder to its end.
pub(super) fn run_owner(
    folders: &OwnerFolders,
    owner: &OwnerName,
    link: HostLink,
) -> Result<(), ServiceError> {
    let (dir, files) = (folders.folder(owner), folders.files(owner));
    let home = HomeConfig::load(&files.home)?;
    let vault = if folders.needs_passphrase(owner) {
        match unlocking::wait_for_passphrase(&dir, owner, &home, &link)? {
            Some(vault) => vault,
            None => return Ok(()),
        }
    } else {
        Vault::open(&dir, &NoPrompt)?
    };
    let service = Service {
        mode: ServiceMode::Run,
        home,
        policy_text: files.policy_text()?,
        files,
        vault,
        host_name: Some(owner.host_name()),
    };
    service.run_tenant(link)
}

/// Why a tenant failed, for its owner, and its code, for the log: the words may name her folder.
pub(super) fn failure(error: &ServiceError) -> (String, String) {
    let why = with_cause(error);
    let code = why.split([' ', ':']).next().unwrap_or_default();
    let is_code = code.contains('-')
        && code
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
    let code = if is_code {
        code.to_owned()
    } else {
        "none".to_owned()
    };
    (why, code)
}
