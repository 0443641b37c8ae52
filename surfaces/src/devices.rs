//! Devices: who may come in.
//!
//! What: [`Devices`], the owner's paired browsers and programs, each with one [`Scope`]; the code that lets a new one in. Why: one
//! lost phone is shut out without touching the others, and a sender of signals can read nothing. Not here: requests (`web::guard`),
//! which route asks for which scope (`web::access`), the table on disk ([`Keep`], implemented by `orchestrator`).

mod pairing;
mod secret;

use crate::backend::{BackendError, Fut};
use chrono::NaiveDate;
pub use pairing::CODE_LIVES;
use pairing::{Allowed, Pairing};
pub use secret::{Code, Token, base32};
use serde::{Deserialize, Serialize};
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

/// Characters of a device's name.
pub const NAME_MAX: usize = 40;

/// What a device may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// Send signals, and nothing else.
    #[serde(rename = "signals:write")]
    SignalsWrite,
    /// See how Aura works and what it refused; answer nothing, say nothing.
    #[serde(rename = "operator")]
    Operator,
    #[serde(rename = "owner")]
    Owner,
}

impl Scope {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::SignalsWrite, Self::Operator, Self::Owner];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SignalsWrite => "signals:write",
            Self::Operator => "operator",
            Self::Owner => "owner",
        }
    }

    /// The one of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }

    /// Whether who has this scope may do what needs the other.
    pub fn covers(self, needed: Self) -> bool {
        match self {
            Self::Owner => true,
            Self::SignalsWrite | Self::Operator => self == needed,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the owner calls a device: 1 to [`NAME_MAX`] characters on one line, none that steers or hides.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeviceName(String);

impl DeviceName {
    /// Reads a name; blanks around it are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let length = text.chars().count();
        let plain = crate::visible::visible(text) == text;
        ((1..=NAME_MAX).contains(&length) && plain).then(|| Self(text.to_owned()))
    }

    /// The name. It is the owner's: on pages and in the terminal only, never in a log.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceName(..)")
    }
}

impl TryFrom<String> for DeviceName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a device's name has 1 to 40 characters on one line")
    }
}

impl From<DeviceName> for String {
    fn from(name: DeviceName) -> Self {
        name.0
    }
}

/// Names a device in lists, addresses and logs: `dev_` and eight characters that say nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceId(String);

impl DeviceId {
    fn random() -> Result<Self, BackendError> {
        let text = base32(&secret::random::<8>()?).to_ascii_lowercase();
        Ok(Self(format!("dev_{text}")))
    }

    /// One as it was typed; whether there is such a device is another question.
    pub fn typed(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A paired browser or program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    pub id: DeviceId,
    /// What the owner calls it.
    pub name: DeviceName,
    /// What it may do.
    pub scope: Scope,
    /// When it was let in (wall clock).
    pub paired_at: Timestamp,
    /// The owner's local day on which it last came.
    pub last_seen: NaiveDate,
    /// SHA-256 of its secret, 64 hexadecimal digits. The secret itself is 256 random bits that only the device has.
    pub sha256: String,
}

/// A device as it is listed: all but the secret's hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    pub id: DeviceId,
    /// What the owner calls it.
    pub name: DeviceName,
    /// What it may do.
    pub scope: Scope,
    /// When it was let in (wall clock).
    pub paired_at: Timestamp,
    /// The owner's local day on which it last came.
    pub last_seen: NaiveDate,
}

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
        let name = DeviceName("Fixed".to_owned());
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
