//! Devices: who may come in.
//!
//! What: [`Devices`], the owner's paired browsers and programs, each with one [`Scope`]; the code that lets a new one in. Why: one
//! lost phone is shut out without touching the others, and a sender of signals can read nothing. Not here: requests (`web::guard`),
//! which route asks for which scope (`web::access`), the table on disk ([`Keep`], implemented by `orchestrator`).

mod device;
mod pairing;
mod secret;

use crate::backend::{BackendError, Fut};
use chrono::NaiveDate;
pub use device::{Device, DeviceId, DeviceName, Listed, NAME_MAX, Scope};
pub use pairing::CODE_LIVES;
use pairing::{Allowed, Pairing};
pub use secret::{Code, Token, base32};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use tokio::sync::watch;
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// Devices at once.
pub const DEVICES_MAX: usize = 64;

/// Where devices are kept, and what time it is there.
pub trait Keep: Send + Sync + 'static {
    /// The wall clock, and the owner's local day.
    fn now(&self) -> (Timestamp, NaiveDate);

    /// Keeps a device, in place of the same one; done when it is on disk.
    fn keep(&self, device: Device) -> Fut<Result<(), BackendError>>;

    /// Forgets one; done when that is on disk.
    fn forget(&self, id: DeviceId) -> Fut<Result<(), BackendError>>;
}

/// Why a device was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No code is open, or it is another one.
    #[error("WEB-021 this code is wrong, used, or older than ten minutes: `aura pair` gives a new one")]
    Code,
    /// As many as there may be.
    #[error("WEB-022 64 devices are paired, which is the limit: revoke one first with `aura device revoke`")]
    TooMany,
    /// It could not be kept.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// The devices of an installation. One for all doors: the pages' server and the control socket.
pub struct Devices {
    keep: Arc<dyn Keep>,
    book: Mutex<Book>,
    /// Who is let in now: an open stream ends when its device is no more among them.
    paired: watch::Sender<BTreeSet<DeviceId>>,
}

#[derive(Default)]
struct Book {
    /// By the hash of their secret: looking one up takes a time that says something about a hash, and nothing about a secret.
    devices: BTreeMap<String, Device>,
    pairing: Option<Pairing>,
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Devices({})", self.book().devices.len())
    }
}

impl Devices {
    /// Those that are kept.
    pub fn new(known: impl IntoIterator<Item = Device>, keep: Arc<dyn Keep>) -> Self {
        let devices: BTreeMap<String, Device> = known
            .into_iter()
            .map(|device| (device.sha256.clone(), device))
            .collect();
        let ids = devices.values().map(|device| device.id.clone()).collect();
        Self {
            keep,
            book: Mutex::new(Book {
                devices,
                pairing: None,
            }),
            paired: watch::Sender::new(ids),
        }
    }

    /// One owner's device whose secret is given, kept nowhere: for tests and for looking at pages. A browser is signed in by the cookie
    /// `aura_PORT=SECRET` at `http://NAME:PORT/`, a program by `Authorization: Bearer SECRET`.
    pub fn fixed(secret: &str) -> Self {
        let (paired_at, last_seen) = Nowhere.now();
        let name = DeviceName::fixed();
        let device = Device {
            id: DeviceId::typed("dev_fixed"),
            name,
            scope: Scope::Owner,
            paired_at,
            last_seen,
            sha256: sha256_hex(secret.as_bytes()),
        };
        Self::new([device], Arc::new(Nowhere))
    }

    // A poisoned lock still holds a whole book: each change is one call.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device with this secret. That it came is noted, once a day.
    pub fn with_secret(&self, secret: &str) -> Option<(DeviceId, Scope)> {
        let (_, today) = self.keep.now();
        let mut book = self.book();
        let device = book.devices.get_mut(&sha256_hex(secret.as_bytes()))?;
        if device.last_seen != today {
            device.last_seen = today;
            let kept = self.keep.keep(device.clone());
            tokio::spawn(async move {
                if let Err(error) = kept.await {
                    tracing::warn!(%error, "the day on which a device last came was not kept");
                }
            });
        }
        Some((device.id.clone(), device.scope))
    }

    /// All, the one paired last first.
    pub fn list(&self) -> Vec<Listed> {
        let book = self.book();
        let mut listed: Vec<Listed> = book
            .devices
            .values()
            .map(|device| Listed {
                id: device.id.clone(),
                name: device.name.clone(),
                scope: device.scope,
                paired_at: device.paired_at,
                last_seen: device.last_seen,
            })
            .collect();
        listed.sort_by(|a, b| (b.paired_at, &b.id).cmp(&(a.paired_at, &a.id)));
        listed
    }

    /// Whether a device of the owner's is paired.
    pub fn has_owner(&self) -> bool {
        self.book()
            .devices
            .values()
            .any(|device| device.scope == Scope::Owner)
    }

    /// A new code, in place of one that is open. Good for [`CODE_LIVES`], once.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn open(&self, scope: Scope, name: Option<DeviceName>) -> Result<Code, BackendError> {
        let code = Code::random()?;
        let allowed = Allowed { scope, name };
        self.book().pairing = Some(Pairing::of(&code, allowed, Instant::now()));
        Ok(code)
    }

    /// Exchanges a code for a device's secret.
    ///
    /// # Errors
    /// WEB-021, WEB-022, or a store that takes nothing.
    pub async fn pair(&self, typed: &str, name: DeviceName) -> Result<(Listed, Token), DeviceError> {
        let allowed = Pairing::attempt(&mut self.book().pairing, typed, Instant::now());
        let Allowed { scope, name: given } = allowed.ok_or(DeviceError::Code)?;
        self.add(given.unwrap_or(name), scope).await
    }

    /// Lets a device in. Its secret is told here and never again.
    ///
    /// # Errors
    /// WEB-022, or a store that takes nothing: then it is not let in.
    pub async fn add(&self, name: DeviceName, scope: Scope) -> Result<(Listed, Token), DeviceError> {
        if self.book().devices.len() >= DEVICES_MAX {
            return Err(DeviceError::TooMany);
        }
        let token = Token::random()?;
        let (paired_at, last_seen) = self.keep.now();
        let device = Device {
            id: DeviceId::random()?,
            name,
            scope,
            paired_at,
            last_seen,
            sha256: sha256_hex(token.text().as_bytes()),
        };
        self.keep.keep(device.clone()).await?;
        let listed = Listed {
            id: device.id.clone(),
            name: device.name.clone(),
            scope,
            paired_at,
            last_seen,
        };
        self.book().devices.insert(device.sha256.clone(), device);
        self.paired.send_modify(|ids| {
            ids.insert(listed.id.clone());
        });
        tracing::info!(
            device = listed.id.as_str(),
            scope = scope.as_str(),
            "a device was let in"
        );
        Ok((listed, token))
    }

    /// Shuts a device out: from now on nothing is answered to it, and its open streams end. `false`: there is none of that id.
    ///
    /// # Errors
    /// When that cannot be kept: it is shut out until the next start all the same.
    pub async fn revoke(&self, id: &DeviceId) -> Result<bool, BackendError> {
        let there = {
            let mut book = self.book();
            let before = book.devices.len();
            book.devices.retain(|_, device| device.id != *id);
            book.devices.len() < before
        };
        if there {
            self.paired.send_modify(|ids| {
                ids.remove(id);
            });
            self.keep.forget(id.clone()).await?;
            tracing::info!(device = id.as_str(), "a device was shut out");
        }
        Ok(there)
    }

    /// Done when that device is let in no more.
    pub fn gone(&self, id: DeviceId) -> impl Future<Output = ()> + Send + use<> {
        let mut paired = self.paired.subscribe();
        async move {
            // The sender lives as long as who waits here needs it.
            let _ = paired.wait_for(|ids| !ids.contains(&id)).await;
        }
    }
}

/// Keeps nothing, on a day that does not pass.
struct Nowhere;

impl Keep for Nowhere {
    fn now(&self) -> (Timestamp, NaiveDate) {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap_or_default();
        (day.and_time(chrono::NaiveTime::MIN).and_utc().into(), day)
    }

    fn keep(&self, _: Device) -> Fut<Result<(), BackendError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn forget(&self, _: DeviceId) -> Fut<Result<(), BackendError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
