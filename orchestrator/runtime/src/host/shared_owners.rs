//! Owners whom several hosts have.
//!
//! What: [`OwnerPlacement`], the one port through which a host learns which of its owners it serves and how their stores open their logs, and what the
//! host does when that changes. Why: the same owners can be served by any of several hosts, and by one at a time. `aura host` gives it nothing, and
//! serves all. Not here: which host serves whom (`aura-hosts`), who is served when (`lifecycle`).

use super::{OwnerHost, lifecycle::TenantState, owner_folders::OwnerName, owners::HostedOwners};
use crate::{control::OwnerState, service::ServiceError};
use aura_memory::{OpenRemoteLog, StoreError, Vault};
use std::{net::TcpListener, sync::Arc};
use surfaces::web::{ElsewhereConnection, route_connections};
use tokio::sync::watch;

/// Says which of a host's owners it serves, where several hosts have the same ones.
pub trait OwnerPlacement: Send + Sync {
    /// Begins to have owners served here. Told each time an answer of [`Self::term`] may be another one.
    ///
    /// # Errors
    /// When there is no room for a thread.
    fn begin_placement(&self) -> std::io::Result<watch::Receiver<u64>>;

    /// In which term this host has her; absent: it has not. In another term another host may have had her in between.
    fn term(&self, owner: &OwnerName) -> Option<u64>;

    /// How her store opens her log.
    fn open_log(&self) -> OpenRemoteLog;

    /// Has her settings in her folder be as her other hosts have them, before her service reads them. `false`: she is paused, or was removed.
    ///
    /// # Errors
    /// It is not known what the others have.
    fn bring_settings(&self, owner: &OwnerName, vault: &Vault) -> Result<bool, StoreError>;

    /// This host can serve these owners: it has their folders, and nothing keeps them from being opened. Others may be fitter for their neighbours.
    fn set_servable(&self, owners: &[OwnerName]);

    /// Her service begins here. It has ended when what this gives is dropped.
    fn begin_service(&self, owner: &OwnerName) -> Box<dyn Send>;

    /// Takes a connection to an owner whom this host has not. Must not wait.
    fn take_connection(&self, owner: &OwnerName, connection: ElsewhereConnection);

    /// The host ends: others may have its owners as soon as their services have ended.
    fn end(&self);
}

/// What a host of owners whom other hosts have too is given.
pub struct SharedOwners {
    pub placement: Arc<dyn OwnerPlacement>,
    /// Where other hosts hand connections over; absent: they cannot.
    pub from_hosts: Option<TcpListener>,
}

/// What a host that has such owners keeps of it.
pub(super) struct PlacementLink {
    pub(super) placement: Arc<dyn OwnerPlacement>,
    pub(super) changes: watch::Receiver<u64>,
}

/// Until who is served here may be others; for ever where all are.
pub(super) async fn placement_changed(link: Option<&mut PlacementLink>) {
    if let Some(link) = link
        && link.changes.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// What is done for an owner whose place changed.
enum PlaceChange {
    /// Her folder is looked at again.
    Refresh(OwnerName),
    /// She is parked, and another host may have served her since.
    Wake(u32),
}

impl HostedOwners {
    fn place_changes(&self) -> Vec<PlaceChange> {
        let Some(placement) = &self.placement else {
            return Vec::new();
        };
        let change = |(name, owner): (&OwnerName, &super::owners::HostedOwner)| {
            let is_away = owner.state == OwnerState::Elsewhere;
            match (placement.term(name), owner.tenant) {
                (None, TenantState::Running(_) | TenantState::Parked(_)) => {
                    Some(PlaceChange::Refresh(name.clone()))
                }
                (None, TenantState::Absent) if !is_away => Some(PlaceChange::Refresh(name.clone())),
                (Some(_), TenantState::Absent) if is_away => Some(PlaceChange::Refresh(name.clone())),
                (Some(term), TenantState::Parked(number)) if owner.parked_in != Some(term) => {
                    Some(PlaceChange::Wake(number))
                }
                // One that ends is looked at when it has ended, and the log refuses whose owner was another host's meanwhile.
                (None | Some(_), _) => None,
            }
        };
        self.owners.iter().filter_map(change).collect()
    }
}

impl OwnerHost {
    /// Says which owners this host can serve, where that changed.
    pub(super) fn tell_servable(&mut self) {
        if let (Some(link), Some(owners)) = (&self.placement, &mut self.owners)
            && std::mem::take(&mut owners.is_servable_news)
        {
            let servable = owners.owners.iter().filter(|(_, owner)| !owner.is_unfit);
            let servable: Vec<OwnerName> = servable.map(|(name, _)| name.clone()).collect();
            link.placement.set_servable(&servable);
        }
    }

    /// Begins to serve owners whom other hosts have too.
    pub(super) fn start_placement(&mut self, shared: SharedOwners) -> Result<(), ServiceError> {
        let io = |source| ServiceError::Io {
            what: "serve owners whom other hosts have too",
            source,
        };
        if let Some(listener) = shared.from_hosts {
            listener.set_nonblocking(true).map_err(io)?;
            let listener = tokio::net::TcpListener::from_std(listener).map_err(io)?;
            let directory = Arc::clone(&self.directory);
            drop(actix::spawn(route_connections(listener, directory, true)));
        }
        let changes = shared.placement.begin_placement().map_err(io)?;
        self.placement = Some(PlacementLink {
            placement: shared.placement,
            changes,
        });
        Ok(())
    }

    /// Starts whom this host has now, and ends whom it has no more.
    pub(super) fn on_placement_changed(&mut self) {
        let changes = self.owners.as_ref().map(HostedOwners::place_changes);
        for change in changes.into_iter().flatten() {
            match change {
                PlaceChange::Refresh(owner) => {
                    self.refresh(owner);
                }
                PlaceChange::Wake(number) => self.wake(number),
            }
        }
    }

    /// Has connections to an owner whom another host serves go there.
    pub(super) fn set_elsewhere(&mut self, owner: &OwnerName) {
        let (Some(link), Some(owners)) = (&self.placement, &mut self.owners) else {
            return;
        };
        let (number, names) = (owners.elsewhere_number(owner), owners.page_names(owner));
        let (placement, name) = (Arc::clone(&link.placement), owner.clone());
        let takes = Arc::new(move |connection| placement.take_connection(&name, connection));
        self.directory.set_elsewhere(number, &names, takes);
    }

    /// They come here again, or are nobody's.
    pub(super) fn clear_elsewhere(&mut self, owner: &OwnerName) {
        let number = self
            .owners
            .as_mut()
            .and_then(|owners| owners.elsewhere.remove(owner));
        if let Some(number) = number {
            self.directory.remove(number);
        }
    }
}
