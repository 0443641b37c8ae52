//! Looking at the owner's accounts.
//!
//! What: [`LiveAccounts`]: what is known of each, where the agents find it, and one look at a time. Why: one account never waits for another, and
//! what is known outlives a start. Not here: when (`poll`), the connection (`broker`), what a look reads (`aura_process::source`), the worker
//! of mail, which stays (`mail_session`).

mod one_account;

use super::{
    AccountConfig, AccountFiles, AccountSecret, ServerAccountKind, broker,
    cache::{AccountCache, AccountReading, CACHE_BYTES_MAX, CachedCalendar, LookChanges},
    deliveries::ServerDeliveries,
    file_ending, is_kept,
    mail_session::MailWorkerHandle,
    mail_store::{MAIL_BYTES_MAX, MailStore},
    memory_files::{put_file, remove_file},
    money_access::ClaimedTokens,
    sign_in::{KeptSignIn, SIGN_IN_PART, TokenRenewals},
    sign_in_flow::SignInAttempt,
    token_revocation::RevocationQueue,
};
use agents::contract::SourcePaths;
use aura_memory::{
    Store, StoreError, StoreReader, StoreWrite, Vault,
    accounts::{AccountEntry, OF_ACTS},
};
use aura_platform::clock::Clock;
use aura_process::{
    WorkerProgram,
    source::{LookFailure, read_account},
};
use serde::{Deserialize, Serialize};
use std::{
    io,
    net::TcpStream,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use surfaces_base::backend::{
    accounts::{AccountView, EventCalendar},
    sign_in::{SignInFailure, SignInStanding},
};
use tokio::sync::{Notify, oneshot};
use toolcall_schema::Timestamp;

/// The part of an account beside its calendars and its login.
const READING_PART: &str = "reading";

const DAY_MS: i64 = 24 * 3_600_000;
/// After so long all is read whole again, because those days have moved on.
const WHOLE_AFTER_MS: i64 = 7 * DAY_MS;

/// A look that was asked for again so soon gives what the last one gave.
const SOON: Duration = Duration::from_secs(2);

/// How an account stands, for whoever asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountReport {
    pub name: String,
    pub kind: ServerAccountKind,
    pub server: String,
    pub is_paused: bool,
    pub is_writable: bool,
    pub has_login: bool,
    /// When it was looked at last, and reached last.
    pub looked_at: Option<Timestamp>,
    pub reached_at: Option<Timestamp>,
    /// What the last look that reached it changed.
    pub new: usize,
    pub gone: usize,
    pub entries: usize,
    /// Whether what lies there is known: it was kept, or read since the start.
    #[serde(default)]
    pub is_known: bool,
    /// Their names, as the server has them.
    pub calendars: Vec<String>,
    /// Those that take events, where what the owner confirms is written.
    #[serde(default)]
    pub event_calendars: Vec<EventCalendar>,
    /// The calendar that the owner chose for time that is kept free, where it is not among them.
    #[serde(default)]
    pub missing_calendar: Option<String>,
    pub failure: Option<LookFailure>,
    pub is_without_memory: bool,
    /// How far the owner is with signing in at her provider; absent: it is logged in to otherwise.
    #[serde(default)]
    pub sign_in: Option<SignInStanding>,
    /// Why the last try came to nothing.
    #[serde(default)]
    pub sign_in_failure: Option<SignInFailure>,
}

/// The accounts of a service. Cloning it shares them.
#[derive(Clone, Default)]
pub struct LiveAccounts(pub(super) Arc<SharedAccounts>);

#[derive(Default)]
pub(super) struct SharedAccounts {
    pub(super) accounts: Vec<Arc<LiveAccount>>,
    pub(super) vault: OnceLock<Vault>,
    pub(super) kept_in: OnceLock<(Weak<Store>, Clock)>,
    /// Says that there is something new among the mail; there is one while accounts are looked at by the clock.
    pub(super) on_mail: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// Says that names can be read that could not be before.
    pub(super) on_names: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// When a page had senders asked for last.
    pub(super) asked_again: Mutex<Option<Instant>>,
    /// Held while an account is tried that is not kept.
    trying: Mutex<()>,
    claims: ClaimedTokens,
    pub(super) revocations: RevocationQueue,
    /// Of the owner, over all her machines.
    pub(super) renewals: TokenRenewals,
    /// Where Aura's page listens on this computer.
    page_port: OnceLock<u16>,
    /// The machine ends: what a look still finds is not taken.
    pub(super) is_over: AtomicBool,
    pub(super) deliveries: ServerDeliveries,
}

pub(super) struct LiveAccount {
    pub(super) config: AccountConfig,
    /// Where the agents find its calendars or its mail; absent: nowhere.
    pub(super) folder: Option<PathBuf>,
    state: Mutex<LiveState>,
    mail: Mutex<MailStore>,
    pub(super) mail_worker: MailWorkerHandle,
    attempt: Mutex<Option<SignInAttempt>>,
    /// Held while it is looked at.
    pub(super) looking: Mutex<Option<Instant>>,
    /// Something was changed there since it was looked at.
    pub(super) is_changed: AtomicBool,
    pub(super) wake: Notify,
}

#[derive(Default)]
pub(super) struct LiveState {
    pub(super) cache: AccountCache,
    pub(super) login: Option<AccountSecret>,
    pub(super) sign_in: Option<KeptSignIn>,
    pub(super) reading: Option<AccountReading>,
    /// The same as the store has it.
    pub(super) written: Option<AccountReading>,
    looked_at: Option<Timestamp>,
    changes: (usize, usize),
    failure: Option<LookFailure>,
    /// Looks that failed since the last good one.
    pub(super) failures: u32,
    /// Whether a look ended well since the start.
    is_read: bool,
}

impl LiveAccount {
    /// Something was changed there: it is looked at at once.
    pub(super) fn note_change(&self) {
        self.is_changed.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    pub(super) fn state(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last sign-in that was begun.
    pub(super) fn attempt(&self) -> MutexGuard<'_, Option<SignInAttempt>> {
        self.attempt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn mail(&self) -> MutexGuard<'_, MailStore> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known is of that server and kind; of another it does not count.
    pub(super) fn identity(&self) -> String {
        format!("{} {}", self.config.kind.as_str(), self.config.place.server())
    }

    fn report(&self) -> AccountReport {
        let (sign_in, sign_in_failure) = (self.sign_in_standing(), self.sign_in_failure());
        let state = self.state();
        let names = state
            .cache
            .calendars
            .values()
            .map(|calendar| calendar.name.clone());
        let (entries, names) = if self.config.kind.is_mail() {
            let mail = self.mail();
            (mail.mails(), mail.folders())
        } else {
            (state.cache.objects(), names.collect())
        };
        AccountReport {
            name: self.config.name.clone(),
            kind: self.config.kind,
            server: self.config.place.authority(),
            is_paused: self.config.is_paused,
            is_writable: self.config.is_writable,
            has_login: state.login.is_some() || state.sign_in.is_some(),
            looked_at: state.looked_at,
            reached_at: state.reading.as_ref().map(|reading| reading.reached_at),
            new: state.changes.0,
            gone: state.changes.1,
            entries,
            is_known: state.is_read || is_kept(self.config.kind) && state.reading.is_some(),
            calendars: names.into_iter().filter(|name| !name.is_empty()).collect(),
            event_calendars: Vec::new(),
            missing_calendar: None,
            failure: state.failure.clone(),
            is_without_memory: self.folder.is_none(),
            sign_in,
            sign_in_failure,
        }
    }

    /// Puts a calendar where the agent finds it.
    fn lay_out(&self, calendar: &CachedCalendar) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let name = calendar.file_name(file_ending(self.config.kind));
        if calendar.objects.is_empty() {
            // Without an entry it would be a file that is no calendar.
            return remove_file(folder, &name);
        }
        let objects: Vec<_> = calendar.named_objects().collect();
        let pieces: Vec<&[u8]> = objects.iter().map(|text| text.as_bytes()).collect();
        put_file(folder, &name, &pieces)
    }
}

impl LiveAccounts {
    /// The accounts of a file, with what is known of them; of those that it does not name any more everything is forgotten.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub(crate) fn open(
        configs: &[AccountConfig],
        vault: &Vault,
        store: &Store,
        (files, renewals): (&AccountFiles, &TokenRenewals),
    ) -> Result<Self, StoreError> {
        let reader = StoreReader::open(vault)?;
        let entries = reader.account_entries()?;
        let mut writes: Vec<StoreWrite> = Vec::new();
        let mut accounts = Vec::new();
        let revocations = RevocationQueue::default();
        let mailboxes = configs.iter().filter(|config| config.kind.is_mail()).count();
        let mail_bytes = MAIL_BYTES_MAX / u64::try_from(mailboxes.max(1)).unwrap_or(u64::MAX);
        for config in configs {
            let folder = files
                .folder(vault.dir(), &config.name)
                .inspect_err(
                    |error| tracing::warn!(%error, "there is no memory for what is read of an account"),
                )
                .ok();
            let account = LiveAccount {
                config: config.clone(),
                mail: Mutex::new(MailStore::new(folder.clone(), mail_bytes)),
                mail_worker: MailWorkerHandle::default(),
                attempt: Mutex::default(),
                folder,
                state: Mutex::default(),
                looking: Mutex::default(),
                is_changed: AtomicBool::new(false),
                wake: Notify::new(),
            };
            let own: Vec<&AccountEntry> = entries.iter().filter(|one| one.account == config.name).collect();
            writes.extend(account.take_up(&reader, vault, &own, &revocations)?);
            accounts.push(Arc::new(account));
        }
        let names: Vec<&str> = configs.iter().map(|config| config.name.as_str()).collect();
        files.remove_others(&names);
        let is_named = |account: &str| configs.iter().any(|config| config.name == account);
        let (deliveries, forgotten) = ServerDeliveries::open(&reader, vault, &entries, is_named)?;
        writes.extend(forgotten);
        let unnamed = entries
            .into_iter()
            .filter(|one| one.account != OF_ACTS && !is_named(&one.account));
        for entry in unnamed {
            // It stays until its provider was told.
            let is_to_be_revoked = entry.part == SIGN_IN_PART
                && kept_sign_in(&reader, vault, &entry)?
                    .is_some_and(|kept| revocations.add(&entry.account, kept));
            if !is_to_be_revoked {
                writes.push(entry.forget());
            }
        }
        if !writes.is_empty() {
            store.write(writes)?;
        }
        Ok(Self(Arc::new(SharedAccounts {
            accounts,
            vault: vault.clone().into(),
            deliveries,
            revocations,
            renewals: renewals.clone(),
            ..SharedAccounts::default()
        })))
    }

    /// From now on what looks find is kept there.
    pub(crate) fn keep_in(&self, store: &Arc<Store>, clock: &Clock) {
        // Once for each machine.
        let _ = self.0.kept_in.set((Arc::downgrade(store), clock.clone()));
    }

    /// Where Aura's page listens on this computer.
    pub(crate) fn set_page_port(&self, port: u16) {
        // Once for each machine.
        let _ = self.0.page_port.set(port);
    }

    pub(super) fn page_port(&self) -> Option<u16> {
        self.0.page_port.get().copied()
    }

    /// Adds where what is read of them lies to what the agents are given.
    pub(crate) fn add_sources(&self, sources: &mut SourcePaths) {
        for account in &self.0.accounts {
            let list = sources.list_mut(account.config.kind.list());
            list.extend(account.folder.clone());
        }
    }

    /// How each stands.
    pub fn reports(&self) -> Vec<AccountReport> {
        let mut reports: Vec<AccountReport> =
            self.0.accounts.iter().map(|account| account.report()).collect();
        self.note_event_calendars(&mut reports);
        reports
    }

    /// Their rows.
    pub(crate) fn views(&self) -> Vec<AccountView> {
        self.reports().iter().map(AccountReport::view).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Arc<LiveAccount>> {
        self.0.accounts.iter().find(|account| account.config.name == name)
    }

    /// Whether an account has that name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// How an account is configured.
    pub(crate) fn config(&self, name: &str) -> Option<&AccountConfig> {
        self.find(name).map(|account| &account.config)
    }

    pub(super) fn claims(&self) -> &ClaimedTokens {
        &self.0.claims
    }

    /// Does what only one may do at a time; `None`: another does.
    pub(super) fn one_trial<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let _held = match self.0.trying.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(work())
    }

    pub(super) fn vault_and_store(&self) -> Result<(&Vault, Arc<Store>), StoreError> {
        let store = self.0.kept_in.get().and_then(|(store, _)| store.upgrade());
        self.0.vault.get().zip(store).ok_or(StoreError::Stopped)
    }

    /// Looks at one now; `None`: there is no such account.
    pub(crate) async fn look_now(&self, name: &str) -> Option<AccountReport> {
        let account = self.find(name)?;
        if account.config.kind.is_mail() {
            self.look_at_mail(account).await;
        } else {
            self.look_in_thread(Arc::clone(account), true).await;
        }
        let mut report = account.report();
        self.note_event_calendars(std::slice::from_mut(&mut report));
        Some(report)
    }

    /// One look, of mail as long as its worker stays, on a thread of its own: the machine does not wait for it when it ends.
    pub(super) async fn look_in_thread(&self, account: Arc<LiveAccount>, is_once: bool) {
        let (told, heard) = oneshot::channel();
        let me = self.clone();
        let begun = thread::Builder::new()
            .name("aura-account".to_owned())
            .spawn(move || {
                me.look_here(&account, is_once);
                // Whoever asked may have gone.
                let _ = told.send(());
            });
        if begun.is_ok() {
            let _ = heard.await;
        }
    }

    fn look_here(&self, account: &LiveAccount, is_once: bool) {
        let mut last = account.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = account.is_changed.swap(false, Ordering::Relaxed);
        if !is_other && last.is_some_and(|last| last.elapsed() < SOON) {
            return;
        }
        let Some(at) = self.now() else { return };
        if account.config.kind.is_mail() {
            self.stay_with_mail(account, is_once);
            return;
        }
        let looked = self.with_token(account, || self.read(account, at));
        *last = Some(Instant::now());
        if self.is_over() {
            return;
        }
        match looked {
            Ok(()) => {
                let mut state = account.state();
                state.looked_at = Some(at);
                (state.failure, state.failures) = (None, 0);
                drop(state);
                self.tell_reached(&account.config.name);
            }
            Err(failure) => account.note_failure(Some(at), failure),
        }
    }

    /// The wall clock, once there is a machine.
    pub(super) fn now(&self) -> Option<Timestamp> {
        self.0.kept_in.get().map(|(_, clock)| clock.wall())
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Relaxed)
    }

    /// The machine ends.
    pub(super) fn end(&self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }

    /// A connection to the server of an account.
    pub(super) fn connect(&self, account: &LiveAccount) -> Result<TcpStream, LookFailure> {
        if self.is_over() {
            return Err(LookFailure::WorkerEnded);
        }
        broker::connect(&account.config)
    }

    /// Keeps when an account was reached.
    pub(super) fn keep_reading(
        &self,
        account: &LiveAccount,
        reading: &AccountReading,
    ) -> Result<(), StoreError> {
        self.keep(
            account,
            &AccountCache::default(),
            &LookChanges::default(),
            reading,
        )
    }

    fn read(&self, account: &LiveAccount, at: Timestamp) -> Result<(), LookFailure> {
        let (request, cache, whole_at) = account.request(at);
        let mut parts = Vec::new();
        let mut connect = || self.connect(account);
        let there = read_account(
            &WorkerProgram::default(),
            &account.config.name,
            &request,
            &mut connect,
            &mut |part| parts.push(part),
        )?;
        if self.is_over() {
            return Err(LookFailure::WorkerEnded);
        }
        let (cache, changes) = cache.with_parts(parts, &there);
        if cache.bytes() > CACHE_BYTES_MAX {
            return Err(LookFailure::TooLarge);
        }
        let reading = AccountReading {
            of: account.identity(),
            whole_at: if request.known.is_empty() { at } else { whole_at },
            reached_at: at,
        };
        if let Err(error) = self.keep(account, &cache, &changes, &reading) {
            // It is asked for again after the next start.
            tracing::warn!(%error, "the calendars of an account could not be kept");
        }
        for id in &changes.changed {
            if let Some(calendar) = cache.calendars.get(id) {
                account.lay_out(calendar).map_err(|error| not_laid_out(&error))?;
            }
        }
        for calendar in &changes.removed {
            if let Some(folder) = &account.folder {
                remove_file(folder, &calendar.file_name(file_ending(account.config.kind)))
                    .map_err(|error| not_laid_out(&error))?;
            }
        }
        let mut state = account.state();
        (state.changes, state.is_read) = ((changes.new, changes.gone), true);
        (state.cache, state.reading) = (cache, Some(reading));
        Ok(())
    }

    fn keep(
        &self,
        account: &LiveAccount,
        cache: &AccountCache,
        changes: &LookChanges,
        reading: &AccountReading,
    ) -> Result<(), StoreError> {
        let is_other = !changes.changed.is_empty() || !changes.removed.is_empty();
        if !is_other && !reading.is_worth_writing(account.state().written.as_ref()) {
            return Ok(());
        }
        let (vault, store) = self.vault_and_store()?;
        let name = &account.config.name;
        let mut writes = Vec::new();
        let kept = changes.changed.iter().filter(|_| is_kept(account.config.kind));
        for id in kept {
            if let Some(calendar) = cache.calendars.get(id) {
                let bytes = serde_json::to_vec(calendar).unwrap_or_default();
                writes.push(calendar.entry(name).put(vault, &bytes)?);
            }
        }
        writes.extend(
            changes
                .removed
                .iter()
                .map(|calendar| calendar.entry(name).forget()),
        );
        let bytes = serde_json::to_vec(reading).unwrap_or_default();
        writes.push(AccountEntry::new(name, READING_PART).put(vault, &bytes)?);
        store.write(writes)?;
        account.state().written = Some(reading.clone());
        Ok(())
    }
}

fn kept_sign_in(
    reader: &StoreReader,
    vault: &Vault,
    entry: &AccountEntry,
) -> Result<Option<KeptSignIn>, StoreError> {
    let bytes = reader.account_entry(vault, entry)?;
    Ok(bytes.and_then(|bytes| KeptSignIn::from_bytes(&bytes)))
}

fn not_laid_out(error: &io::Error) -> LookFailure {
    tracing::warn!(%error, "the calendars of an account could not be put where they are read");
    LookFailure::WorkerEnded
}
