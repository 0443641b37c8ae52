//! Paired devices.
//!
//! What: [`DeviceRegistry`], the owner's paired browsers and programs, each with one [`DeviceScope`]; the code that lets a new one in. Why: one
//! lost phone is revoked without touching the others, and a sender of signals can read nothing. Not here: requests (`web::guard`),
//! which route asks for which scope (`web::access`), the table on disk ([`DeviceStore`], implemented by `orchestrator`).

mod device;
mod grant;
mod pairing;
mod proof;
mod secret;
mod subscription;

use crate::backend::{BackendError, BackendFuture};
use chrono::NaiveDate;
pub use device::{DeviceId, DeviceName, DeviceScope, ListedDevice, NAME_MAX, PairedDevice};
pub use grant::{AskGrant, GRANTED_CHATS_MAX, GRANTED_WORKFLOWS_MAX, GrantedThing, GrantedWorkflow};
pub use pairing::CODE_LIVES;
use pairing::{OpenPairing, PairingGrant};
pub use proof::{OwnerProofs, PROOF_LIVES};
pub use secret::{DeviceToken, PairingCode, base32};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
pub use subscription::{PushSubscription, SUBSCRIPTIONS_MAX, SubscriptionConflict, SubscriptionId};
use tokio::sync::watch;
use toolcall_schema::{Timestamp, ToolName, ids::sha256_hex};

/// Devices at once.
pub const DEVICES_MAX: usize = 64;

/// Stores devices and tells the time.
pub trait DeviceStore: Send + Sync + 'static {
    /// The wall clock, and the owner's local day.
    fn now(&self) -> (Timestamp, NaiveDate);

    /// Keeps a device that was let in, as an act of the owner's; done when it is on disk.
    fn add(&self, device: PairedDevice) -> BackendFuture<Result<(), BackendError>>;

    /// Keeps a device, in place of the same one; done when it is on disk.
    fn keep(&self, device: PairedDevice) -> BackendFuture<Result<(), BackendError>>;

    /// Forgets one, as an act of the owner's; done when that is on disk.
    fn forget(&self, device: PairedDevice) -> BackendFuture<Result<(), BackendError>>;
}

/// Why a device was not paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No code is open, or it is another one.
    #[error("WEB-021: this code is wrong, used, or older than ten minutes: `aura pair` gives a new one")]
    Code,
    /// The limit of paired devices is reached.
    #[error("WEB-022: 64 devices are paired, which is the limit: revoke one first with `aura device revoke`")]
    TooMany,
    /// It could not be stored.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// What a right code came to.
#[derive(Debug)]
pub enum PairingOutcome {
    /// A device more, with its secret.
    Added(ListedDevice, DeviceToken),
    /// The browser that is paired already, shown to be the owner's anew.
    Proven(DeviceId),
}

/// The devices of an installation. One for all doors: the pages' server and the control socket.
pub struct DeviceRegistry {
    keep: Arc<dyn DeviceStore>,
    book: Mutex<DevicesByHash>,
    /// Who is let in now: an open stream ends when its device is no more among them.
    paired: watch::Sender<BTreeSet<DeviceId>>,
    /// How many browsers are told.
    told: watch::Sender<usize>,
    proofs: Arc<OwnerProofs>,
}

#[derive(Default)]
struct DevicesByHash {
    /// By the hash of their secret: looking one up takes a time that says something about a hash, and nothing about a secret.
    devices: BTreeMap<String, PairedDevice>,
    pairing: Option<OpenPairing>,
}

impl fmt::Debug for DeviceRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceRegistry({})", self.book().devices.len())
    }
}

impl DeviceRegistry {
    /// Those that are kept.
    pub fn new(known: impl IntoIterator<Item = PairedDevice>, keep: Arc<dyn DeviceStore>) -> Self {
        let devices: BTreeMap<String, PairedDevice> = known
            .into_iter()
            .map(|device| (device.sha256.clone(), device))
            .collect();
        let ids = devices.values().map(|device| device.id.clone()).collect();
        let told = devices.values().map(|device| device.push.len()).sum();
        Self {
            keep,
            book: Mutex::new(DevicesByHash {
                devices,
                pairing: None,
            }),
            paired: watch::Sender::new(ids),
            told: watch::Sender::new(told),
            proofs: Arc::default(),
        }
    }

    /// The same with the proofs of a registry before it: a machine that starts again in the same process forgets none.
    #[must_use]
    pub fn with_proofs(mut self, proofs: Arc<OwnerProofs>) -> Self {
        self.proofs = proofs;
        self
    }

    /// Whether that browser was shown to be the owner's within [`PROOF_LIVES`].
    pub fn is_proven(&self, device: &DeviceId) -> bool {
        self.proofs.is_fresh(device, Instant::now())
    }

    /// That browser is shown to be the owner's now.
    pub fn prove(&self, device: DeviceId) {
        self.proofs.record(device, Instant::now());
    }

    /// One owner's device whose secret is given, kept nowhere: for tests and for looking at pages. A browser is signed in by the cookie
    /// `aura_PORT=SECRET` at `http://NAME:PORT/`, a program by `Authorization: Bearer SECRET`.
    pub fn fixed(secret: &str) -> Self {
        let (paired_at, last_seen) = NullDeviceStore.now();
        let name = DeviceName::fixed();
        let device = PairedDevice {
            id: DeviceId::from_text("dev_fixed"),
            name,
            scope: DeviceScope::Owner,
            paired_at,
            last_seen,
            sha256: sha256_hex(secret.as_bytes()),
            push: vec![],
            push_ended: None,
            asks: None,
        };
        Self::new([device], Arc::new(NullDeviceStore))
    }

    // A poisoned lock still holds a whole book: each change is one call.
    fn book(&self) -> MutexGuard<'_, DevicesByHash> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device with this secret. That it came is noted, once a day.
    pub fn with_secret(&self, secret: &str) -> Option<(DeviceId, DeviceScope)> {
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
    pub fn list(&self) -> Vec<ListedDevice> {
        list_devices(self.book().devices.values())
    }

    /// Whether a device of the owner's is paired.
    pub fn has_owner(&self) -> bool {
        self.book()
            .devices
            .values()
            .any(|device| device.scope == DeviceScope::Owner)
    }

    /// A new code, in place of one that is open. Good for [`CODE_LIVES`], once.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn open(&self, scope: DeviceScope, name: Option<DeviceName>) -> Result<PairingCode, BackendError> {
        self.open_for(PairingGrant {
            scope,
            name,
            proves_owner: false,
        })
    }

    /// The same for the browser that is opened from the owner's own session: it lets in an owner's device, and shows for
    /// [`PROOF_LIVES`] that it is hers.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_for_owner(&self) -> Result<PairingCode, BackendError> {
        self.open_for(PairingGrant {
            scope: DeviceScope::Owner,
            name: None,
            proves_owner: true,
        })
    }

    fn open_for(&self, allowed: PairingGrant) -> Result<PairingCode, BackendError> {
        let code = PairingCode::random()?;
        self.book().pairing = Some(OpenPairing::new(&code, allowed, Instant::now()));
        Ok(code)
    }

    /// Exchanges a code for a device's secret. `here` is the owner's device that shows it, where it is one already: a code that
    /// proves the owner then lets in nobody else.
    ///
    /// # Errors
    /// WEB-021, WEB-022, or a store that takes nothing.
    pub async fn pair(
        &self,
        typed: &str,
        name: DeviceName,
        here: Option<DeviceId>,
    ) -> Result<PairingOutcome, DeviceError> {
        let allowed = OpenPairing::attempt(&mut self.book().pairing, typed, Instant::now());
        let allowed = allowed.ok_or(DeviceError::Code)?;
        if let Some(device) = here.filter(|_| allowed.proves_owner) {
            self.proofs.record(device.clone(), Instant::now());
            return Ok(PairingOutcome::Proven(device));
        }
        let (listed, token) = self.add(allowed.name.unwrap_or(name), allowed.scope).await?;
        if allowed.proves_owner {
            self.proofs.record(listed.id.clone(), Instant::now());
        }
        Ok(PairingOutcome::Added(listed, token))
    }

    /// Lets a device in. Its secret is told here and never again.
    ///
    /// # Errors
    /// WEB-022, or a store that takes nothing: then it is not let in.
    pub async fn add(
        &self,
        name: DeviceName,
        scope: DeviceScope,
    ) -> Result<(ListedDevice, DeviceToken), DeviceError> {
        let asks = (scope == DeviceScope::Ask).then(AskGrant::default);
        self.add_with(name, scope, asks).await
    }

    /// The same for a program that asks, with what it may name.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub async fn add_asking(
        &self,
        name: DeviceName,
        grant: AskGrant,
    ) -> Result<(ListedDevice, DeviceToken), DeviceError> {
        self.add_with(name, DeviceScope::Ask, Some(grant)).await
    }

    async fn add_with(
        &self,
        name: DeviceName,
        scope: DeviceScope,
        asks: Option<AskGrant>,
    ) -> Result<(ListedDevice, DeviceToken), DeviceError> {
        if self.book().devices.len() >= DEVICES_MAX {
            return Err(DeviceError::TooMany);
        }
        let token = DeviceToken::random()?;
        let (paired_at, last_seen) = self.keep.now();
        let device = PairedDevice {
            id: DeviceId::random()?,
            name,
            scope,
            paired_at,
            last_seen,
            sha256: sha256_hex(token.text().as_bytes()),
            push: vec![],
            push_ended: None,
            asks,
        };
        self.keep.add(device.clone()).await?;
        let listed = list_device(&device);
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
        let gone = self
            .book()
            .devices
            .extract_if(.., |_, device| device.id == *id)
            .next();
        self.proofs.withdraw(id);
        self.count_told();
        let there = gone.is_some();
        if let Some((_, device)) = gone {
            self.paired.send_modify(|ids| {
                ids.remove(id);
            });
            self.keep.forget(device).await?;
            tracing::info!(device = id.as_str(), "a device was shut out");
        }
        Ok(there)
    }

    /// Done when that device is let in no more.
    pub fn revoked(&self, id: DeviceId) -> impl Future<Output = ()> + Send + use<> {
        let mut paired = self.paired.subscribe();
        async move {
            // The sender lives as long as who waits here needs it.
            let _ = paired.wait_for(|ids| !ids.contains(&id)).await;
        }
    }
}

impl DeviceRegistry {
    /// What a device may name; `None`: it is not let in, or does not ask.
    pub fn grant_of(&self, id: &DeviceId) -> Option<AskGrant> {
        let book = self.book();
        let device = book.devices.values().find(|device| device.id == *id)?;
        let asks = device.scope == DeviceScope::Ask;
        device.asks.clone().filter(|_| asks)
    }

    /// The device as which a workflow reads with a tool; `None`: the owner let it read with that nowhere.
    pub fn reader_for(&self, workflow: &GrantedWorkflow, tool: ToolName) -> Option<DeviceId> {
        let book = self.book();
        let may = |device: &&PairedDevice| {
            let asks = device.asks.as_ref().filter(|_| device.scope == DeviceScope::Ask);
            asks.is_some_and(|grant| grant.has(tool) && grant.workflows.contains(workflow))
        };
        book.devices
            .values()
            .filter(may)
            .map(|device| device.id.clone())
            .min()
    }

    /// What the owner calls a device; `None`: it is not let in.
    pub fn name_of(&self, id: &DeviceId) -> Option<DeviceName> {
        let book = self.book();
        let device = book.devices.values().find(|device| device.id == *id)?;
        Some(device.name.clone())
    }

    /// Ticks something for a device that asks, or takes the tick away. `None`: there is no such device.
    ///
    /// # Errors
    /// When that cannot be kept: it holds until the next start all the same.
    pub async fn tick_grant(
        &self,
        id: &DeviceId,
        thing: GrantedThing,
        allowed: bool,
    ) -> Result<Option<ListedDevice>, BackendError> {
        let changed = {
            let mut book = self.book();
            let found = book.devices.values_mut().find(|device| device.id == *id);
            let Some(device) = found.filter(|device| device.scope == DeviceScope::Ask) else {
                return Ok(None);
            };
            device.asks.get_or_insert_default().tick(thing, allowed);
            device.clone()
        };
        let listed = list_device(&changed);
        self.keep.keep(changed).await?;
        tracing::info!(
            device = id.as_str(),
            allowed,
            "what a device may name was changed"
        );
        Ok(Some(listed))
    }
}

impl DeviceRegistry {
    /// Keeps a subscription with its device, in place of the same one.
    ///
    /// # Errors
    /// When that cannot be kept: it holds until the next start all the same.
    pub async fn subscribe(
        &self,
        device: &DeviceId,
        subscription: PushSubscription,
    ) -> Result<Result<(), SubscriptionConflict>, BackendError> {
        let id = subscription.id();
        let changed = {
            let mut book = self.book();
            let is_elsewhere = book
                .devices
                .values()
                .any(|other| other.id != *device && other.push.iter().any(|told| told.id() == id));
            if is_elsewhere {
                return Ok(Err(SubscriptionConflict::Elsewhere));
            }
            let Some(device) = book.devices.values_mut().find(|known| known.id == *device) else {
                return Ok(Err(SubscriptionConflict::NoDevice));
            };
            device.push.retain(|told| told.id() != id);
            if device.push.len() >= SUBSCRIPTIONS_MAX {
                return Ok(Err(SubscriptionConflict::TooMany));
            }
            device.push.push(subscription);
            device.push_ended = None;
            device.clone()
        };
        self.count_told();
        self.keep.keep(changed).await.map(Ok)
    }

    /// Forgets a subscription. `false`: there is none of that name.
    ///
    /// # Errors
    /// As [`Self::subscribe`].
    pub async fn unsubscribe(&self, id: &SubscriptionId) -> Result<bool, BackendError> {
        self.remove_subscription(id, None).await
    }

    /// The same for one that its service did not know any more, which is said on the page.
    ///
    /// # Errors
    /// As [`Self::subscribe`].
    pub async fn end_subscription(&self, id: &SubscriptionId, at: Timestamp) -> Result<bool, BackendError> {
        self.remove_subscription(id, Some(at)).await
    }

    async fn remove_subscription(
        &self,
        id: &SubscriptionId,
        ended: Option<Timestamp>,
    ) -> Result<bool, BackendError> {
        let changed = {
            let mut book = self.book();
            let has_it = |device: &&mut PairedDevice| device.push.iter().any(|told| told.id() == *id);
            let Some(device) = book.devices.values_mut().find(has_it) else {
                return Ok(false);
            };
            device.push.retain(|told| told.id() != *id);
            device.push_ended = ended;
            device.clone()
        };
        self.count_told();
        self.keep.keep(changed).await.map(|()| true)
    }

    /// Every subscription with its device.
    pub fn subscriptions(&self) -> Vec<(DeviceId, PushSubscription)> {
        let book = self.book();
        let all = book
            .devices
            .values()
            .flat_map(|device| device.push.iter().map(|told| (device.id.clone(), told.clone())));
        all.collect()
    }

    /// The devices that are told, or were until their service did not know them any more; in the order of pairing.
    pub fn told_devices(&self) -> Vec<PairedDevice> {
        let mut told: Vec<PairedDevice> = self
            .book()
            .devices
            .values()
            .filter(|device| !device.push.is_empty() || device.push_ended.is_some())
            .cloned()
            .collect();
        told.sort_by(|a, b| (a.paired_at, &a.id).cmp(&(b.paired_at, &b.id)));
        told
    }

    /// How many browsers are told, and tells of each change.
    pub fn subscription_count(&self) -> watch::Receiver<usize> {
        self.told.subscribe()
    }

    fn count_told(&self) {
        let now = self.book().devices.values().map(|device| device.push.len()).sum();
        self.told
            .send_if_modified(|told| std::mem::replace(told, now) != now);
    }
}

fn list_device(device: &PairedDevice) -> ListedDevice {
    ListedDevice {
        id: device.id.clone(),
        name: device.name.clone(),
        scope: device.scope,
        paired_at: device.paired_at,
        last_seen: device.last_seen,
        asks: device.asks.clone(),
    }
}

/// Devices without their secrets' hashes, the one paired last first.
pub fn list_devices<'a>(devices: impl IntoIterator<Item = &'a PairedDevice>) -> Vec<ListedDevice> {
    let mut listed: Vec<ListedDevice> = devices.into_iter().map(list_device).collect();
    listed.sort_by(|a, b| (b.paired_at, &b.id).cmp(&(a.paired_at, &a.id)));
    listed
}

/// Stores nothing; its clock stands still.
struct NullDeviceStore;

impl DeviceStore for NullDeviceStore {
    fn now(&self) -> (Timestamp, NaiveDate) {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap_or_default();
        (day.and_time(chrono::NaiveTime::MIN).and_utc().into(), day)
    }

    fn add(&self, _: PairedDevice) -> BackendFuture<Result<(), BackendError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn keep(&self, _: PairedDevice) -> BackendFuture<Result<(), BackendError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn forget(&self, _: PairedDevice) -> BackendFuture<Result<(), BackendError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
