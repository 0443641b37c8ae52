//! The owner's paired devices: where they are kept, and how one is invited.
//!
//! What: [`open`], which reads them from the store into [`DeviceRegistry`]; [`listed`], which only lists them; [`PairingInvitation`], a
//! pairing code with the addresses it is for. Why: pages and the control socket let the same devices in. Not here: what a device is and
//! may do (`surfaces_base::devices`), the words of `aura pair` and `aura device` (`cli`).

use crate::control::{ControlReply, ControlRequest};
use aura_memory::{
    Store, StoreError, StoreReader, StoreWrite, Vault,
    audit::{AuditEntry, AuditSubject, Kind, Op},
};
use aura_platform::clock::Clock;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Weak};
use surfaces_base::{
    backend::{
        BackendError, BackendFuture,
        settings::{DEVICE_ADDED, DEVICE_REMOVED},
    },
    devices::{
        DeviceError, DeviceId, DeviceName, DeviceRegistry, DeviceScope, DeviceStore, ListedDevice,
        OwnerProofs, PairedDevice, PairingCode, base32, list_devices,
    },
    language::text,
};
use tokio::sync::oneshot;
use toolcall_schema::{Timestamp, ids::OwnerSeed};

/// The devices of a data folder, whose store is open.
///
/// # Errors
/// STORE-003 or STORE-007 when they cannot be read.
pub fn open(
    vault: &Vault,
    store: &Arc<Store>,
    clock: Clock,
    zone: Tz,
    proofs: &Arc<OwnerProofs>,
) -> Result<Arc<DeviceRegistry>, StoreError> {
    let table = DeviceTable {
        store: Arc::downgrade(store),
        clock,
        zone,
    };
    let registry = DeviceRegistry::new(load(vault)?, Arc::new(table));
    Ok(Arc::new(registry.with_proofs(Arc::clone(proofs))))
}

/// The devices of a data folder as they are listed. Takes no lock and writes nothing.
///
/// # Errors
/// As [`StoreReader::open`]; STORE-003 or STORE-007 when they cannot be read.
pub fn listed(vault: &Vault) -> Result<Vec<ListedDevice>, StoreError> {
    Ok(list_devices(&load(vault)?))
}

fn load(vault: &Vault) -> Result<Vec<PairedDevice>, StoreError> {
    let rows = StoreReader::open(vault)?.devices()?;
    let known = rows.iter().filter_map(|json| {
        // Shut out rather than let in by a guess.
        serde_json::from_str::<PairedDevice>(json)
            .inspect_err(|_| tracing::error!("a stored device cannot be read: it is not let in"))
            .ok()
    });
    Ok(known.collect())
}

/// Answers a request about devices; any other comes back.
///
/// # Errors
/// When the devices' table cannot be written, or the system has no randomness.
pub async fn answer(
    devices: &DeviceRegistry,
    address: Option<&PageAddress>,
    request: ControlRequest,
) -> Result<Result<ControlReply, ControlRequest>, BackendError> {
    let reply = if let ControlRequest::Pair { scope, name } = request {
        match address {
            Some(address) => ControlReply::Invitation(address.invite(devices, scope, name)?),
            None => ControlReply::Error(text("control-no-page-run").to_owned()),
        }
    } else if request == ControlRequest::Open {
        match address {
            Some(address) => ControlReply::Invitation(address.invite_owner(devices)?),
            None => ControlReply::Error(text("control-no-page").to_owned()),
        }
    } else if let ControlRequest::DeviceAdd { name, scope, asks } = request {
        let added = match asks.filter(|_| scope == DeviceScope::Ask) {
            Some(grant) => devices.add_asking(name, grant).await,
            None => devices.add(name, scope).await,
        };
        match added {
            Ok((device, token)) => ControlReply::DeviceAdded { device, token },
            Err(DeviceError::Backend(error)) => return Err(error),
            Err(error @ (DeviceError::Code | DeviceError::TooMany)) => ControlReply::Error(error.to_string()),
        }
    } else if let ControlRequest::DeviceGrant { id, thing, allowed } = request {
        match devices.tick_grant(&id, thing, allowed).await? {
            Some(device) => ControlReply::Devices(vec![device]),
            None => ControlReply::Error(text("control-no-asking-device").to_owned()),
        }
    } else if let ControlRequest::DeviceRevoke { id } = request {
        if devices.revoke(&id).await? {
            ControlReply::Devices(devices.list())
        } else {
            ControlReply::Error(text("control-no-device").to_owned())
        }
    } else if request == ControlRequest::Devices {
        ControlReply::Devices(devices.list())
    } else {
        return Ok(Err(request));
    };
    Ok(Ok(reply))
}

/// Their table in the store.
struct DeviceTable {
    /// Weak: who serves a page that is still open must not keep the folder.
    store: Weak<Store>,
    clock: Clock,
    zone: Tz,
}

impl DeviceTable {
    /// Written in the order of asking, also where nobody waits for the end. `act`: what it was, as an act of the owner's: without the device's name.
    fn write(
        &self,
        id: &DeviceId,
        json: Option<String>,
        act: Option<&str>,
    ) -> BackendFuture<Result<(), BackendError>> {
        let (told, heard) = oneshot::channel();
        let id = id.as_str().to_owned();
        let at_ms = self.clock.wall().ms();
        let act = act.map(|act| {
            StoreWrite::Audit(AuditEntry {
                at_ms,
                op: Op::Write,
                meaning: AuditSubject::one(Kind::Settings, act),
            })
        });
        let mut writes = vec![StoreWrite::Device { id, json }];
        writes.extend(act);
        let asked = self.store.upgrade().ok_or(StoreError::Stopped).and_then(|store| {
            store.write(writes)?;
            // The requester may be gone.
            store.commit(Box::new(move |done| drop(told.send(done))))
        });
        Box::pin(async move {
            asked.map_err(|_| BackendError::Store)?;
            match heard.await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) | Err(_) => Err(BackendError::Store),
            }
        })
    }
}

impl DeviceStore for DeviceTable {
    fn now(&self) -> (Timestamp, NaiveDate) {
        let now = self.clock.wall();
        (now, now.utc().with_timezone(&self.zone).date_naive())
    }

    fn add(&self, device: PairedDevice) -> BackendFuture<Result<(), BackendError>> {
        let json = serde_json::to_string(&device).unwrap_or_default();
        let act = format!("{DEVICE_ADDED}{}", device.id.as_str());
        self.write(&device.id, Some(json), Some(&act))
    }

    fn keep(&self, device: PairedDevice) -> BackendFuture<Result<(), BackendError>> {
        let json = serde_json::to_string(&device).unwrap_or_default();
        self.write(&device.id, Some(json), None)
    }

    /// Its name goes with it: it is told from others by the day on which it was let in.
    fn forget(&self, device: PairedDevice) -> BackendFuture<Result<(), BackendError>> {
        let day = device.paired_at.utc().with_timezone(&self.zone).date_naive();
        self.write(&device.id, None, Some(&format!("{DEVICE_REMOVED}{day}")))
    }
}

/// The host name that is this installation's alone. Always the same, so that what a browser has for it stays good.
pub fn host_name(seed: &OwnerSeed) -> String {
    let mac = seed.key("page name v1").mac(&[]);
    let six = base32(mac.get(..6).unwrap_or_default());
    format!("aura-{}.localhost", six.to_ascii_lowercase())
}

/// Where the pages are.
#[derive(Debug, Clone)]
pub struct PageAddress {
    /// On this machine: `http://aura-abc123.localhost:7878`.
    pub page: String,
    /// From elsewhere: `https://` and the first host that the owner named.
    pub outside: Option<String>,
}

/// A pairing code, and the addresses at which it is entered. The code stands in their fragments, which no server is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairingInvitation {
    /// The code.
    pub code: PairingCode,
    /// For a browser on this machine.
    pub address: PairingLink,
    /// For another device, where the owner has named a host under which it reaches Aura.
    pub outside: Option<PairingLink>,
}

/// An address with a code in it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairingLink(String);

impl PairingLink {
    /// The address.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for PairingLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PairingLink(..)")
    }
}

impl PageAddress {
    /// Opens a new code.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn invite(
        &self,
        devices: &DeviceRegistry,
        scope: DeviceScope,
        name: Option<DeviceName>,
    ) -> Result<PairingInvitation, BackendError> {
        Ok(self.with_code(devices.open(scope, name)?))
    }

    /// The same for the browser of who asks from her own session, which is proven to be the owner's by it.
    ///
    /// # Errors
    /// As [`Self::invite`].
    pub(crate) fn invite_owner(&self, devices: &DeviceRegistry) -> Result<PairingInvitation, BackendError> {
        Ok(self.with_code(devices.open_for_owner()?))
    }

    fn with_code(&self, code: PairingCode) -> PairingInvitation {
        let link = |base: &String| PairingLink(format!("{base}/pair#{}", code.text()));
        PairingInvitation {
            address: link(&self.page),
            outside: self.outside.as_ref().map(link),
            code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_name_is_the_installations_own_and_stays() {
        let name = |seed| host_name(&OwnerSeed::from_day_seed(seed));
        assert_eq!(name("one"), name("one"));
        assert_ne!(name("one"), name("two"));
        let six = name("one");
        let six = six
            .strip_prefix("aura-")
            .and_then(|rest| rest.strip_suffix(".localhost"))
            .unwrap();
        assert!(
            six.len() == 6 && six.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase()),
            "{six}"
        );
    }
}
