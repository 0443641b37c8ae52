//! Looking at the owner's accounts.
//!
//! What: [`LiveAccounts`]: what is known of each, where the Calendar agent finds it, and one look at a time; [`poll_accounts`], which looks when the time
//! has come. Why: a server that fails is asked less often, one account never waits for another, and what is known outlives a start.
//! Not here: the connection (`broker`), what a look reads (`aura_process::source`).

use super::{
    AccountConfig, AccountFiles, AccountSecret, ServerAccountKind, broker,
    cache::{AccountCache, AccountReading, CACHE_BYTES_MAX, CALENDAR_PART, CachedCalendar, LookChanges},
    deliveries::{ServerDeliveries, deliver_always},
    memory_files::{put_file, remove_file},
};
use agents::contract::SourcePaths;
use aura_memory::{
    Store, StoreError, StoreReader, StoreWrite, Vault,
    accounts::{AccountEntry, OF_ACTS},
};
use aura_platform::clock::Clock;
use aura_process::{
    WorkerProgram,
    source::{AccountLogin, AccountRequest, LookFailure, ServerPlace, read_account},
};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use surfaces::backend::accounts::AccountView;
use tokio::sync::{Notify, oneshot, watch};
use toolcall_schema::Timestamp;

/// The parts of an account beside its calendars.
const LOGIN_PART: &str = "login";
const READING_PART: &str = "reading";

/// Days around today of which events are asked for.
const DAYS_BEFORE: i64 = 62;
const DAYS_AFTER: i64 = 400;
const DAY_MS: i64 = 24 * 3_600_000;
/// After so long all is read whole again, because those days have moved on.
const WHOLE_AFTER_MS: i64 = 7 * DAY_MS;

/// From the start of the service to the first looks, one after the other.
const FIRST: Duration = Duration::from_secs(2);
/// Between two looks that nobody asked for, at least, and after failures at most.
const AT_LEAST: Duration = Duration::from_mins(1);
const AT_MOST: Duration = Duration::from_hours(6);
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
    /// Their names, as the server has them.
    pub calendars: Vec<String>,
    pub failure: Option<LookFailure>,
    pub is_without_memory: bool,
}

/// The accounts of a service. Cloning it shares them.
#[derive(Clone, Default)]
pub struct LiveAccounts(pub(super) Arc<SharedAccounts>);

#[derive(Default)]
pub(super) struct SharedAccounts {
    pub(super) accounts: Vec<Arc<LiveAccount>>,
    pub(super) vault: OnceLock<Vault>,
    pub(super) kept_in: OnceLock<(Weak<Store>, Clock)>,
    /// The machine ends: what a look still finds is not taken.
    is_over: AtomicBool,
    pub(super) deliveries: ServerDeliveries,
}

pub(super) struct LiveAccount {
    pub(super) config: AccountConfig,
    /// Where the Calendar agent finds its calendars; absent: nowhere.
    folder: Option<PathBuf>,
    state: Mutex<LiveState>,
    /// Held while it is looked at.
    looking: Mutex<Option<Instant>>,
    pub(super) wake: Notify,
}

#[derive(Default)]
pub(super) struct LiveState {
    pub(super) cache: AccountCache,
    login: Option<AccountSecret>,
    pub(super) reading: Option<AccountReading>,
    looked_at: Option<Timestamp>,
    changes: (usize, usize),
    failure: Option<LookFailure>,
    /// Looks that failed since the last good one.
    failures: u32,
}

impl LiveAccount {
    pub(super) fn state(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known is of that server and kind; of another it does not count.
    fn identity(&self) -> String {
        format!("{} {}", self.config.kind.as_str(), server_of(&self.config.place))
    }

    fn report(&self) -> AccountReport {
        let state = self.state();
        let names = state
            .cache
            .calendars
            .values()
            .map(|calendar| calendar.name.clone());
        AccountReport {
            name: self.config.name.clone(),
            kind: self.config.kind,
            server: self.config.place.authority(),
            is_paused: self.config.is_paused,
            is_writable: self.config.is_writable,
            has_login: state.login.is_some(),
            looked_at: state.looked_at,
            reached_at: state.reading.as_ref().map(|reading| reading.reached_at),
            new: state.changes.0,
            gone: state.changes.1,
            entries: state.cache.objects(),
            calendars: names.filter(|name| !name.is_empty()).collect(),
            failure: state.failure.clone(),
            is_without_memory: self.folder.is_none(),
        }
    }

    /// Puts a calendar where the agent finds it.
    fn lay_out(&self, calendar: &CachedCalendar) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let pieces: Vec<&str> = calendar.objects.values().map(String::as_str).collect();
        put_file(folder, &calendar.file_name(), &pieces)
    }
}

/// A server as a login belongs to it: one of another is never shown this one's password.
pub(super) fn server_of(place: &ServerPlace) -> String {
    let scheme = if place.is_tls { "https" } else { "http" };
    format!("{scheme}://{}", place.authority())
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
        files: &AccountFiles,
    ) -> Result<Self, StoreError> {
        let reader = StoreReader::open(vault)?;
        let entries = reader.account_entries()?;
        let mut writes: Vec<StoreWrite> = Vec::new();
        let mut accounts = Vec::new();
        for config in configs {
            let folder = files
                .folder(vault.dir(), &config.name)
                .inspect_err(
                    |error| tracing::warn!(%error, "there is no memory for the calendars of an account"),
                )
                .ok();
            let account = LiveAccount {
                config: config.clone(),
                folder,
                state: Mutex::default(),
                looking: Mutex::default(),
                wake: Notify::new(),
            };
            let own: Vec<&AccountEntry> = entries.iter().filter(|one| one.account == config.name).collect();
            writes.extend(account.take_up(&reader, vault, &own)?);
            accounts.push(Arc::new(account));
        }
        let names: Vec<&str> = configs.iter().map(|config| config.name.as_str()).collect();
        files.remove_others(&names);
        let is_named = |account: &str| configs.iter().any(|config| config.name == account);
        let (deliveries, forgotten) = ServerDeliveries::open(&reader, vault, &entries, is_named)?;
        writes.extend(forgotten);
        writes.extend(
            entries
                .into_iter()
                .filter(|one| one.account != OF_ACTS && !is_named(&one.account))
                .map(AccountEntry::forget),
        );
        if !writes.is_empty() {
            store.write(writes)?;
        }
        Ok(Self(Arc::new(SharedAccounts {
            accounts,
            vault: vault.clone().into(),
            deliveries,
            ..SharedAccounts::default()
        })))
    }

    /// From now on what looks find is kept there.
    pub(crate) fn keep_in(&self, store: &Arc<Store>, clock: &Clock) {
        // Once for each machine.
        let _ = self.0.kept_in.set((Arc::downgrade(store), clock.clone()));
    }

    /// Adds where their calendars lie to what the agents are given.
    pub(crate) fn add_sources(&self, sources: &mut SourcePaths) {
        let folders = self
            .0
            .accounts
            .iter()
            .filter_map(|account| account.folder.clone());
        sources.calendar.extend(folders);
    }

    /// How each stands.
    pub fn reports(&self) -> Vec<AccountReport> {
        self.0.accounts.iter().map(|account| account.report()).collect()
    }

    /// Their rows.
    pub(crate) fn views(&self) -> Vec<AccountView> {
        self.reports().iter().map(AccountReport::view).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Arc<LiveAccount>> {
        self.0.accounts.iter().find(|account| account.config.name == name)
    }

    /// Keeps a login, and looks with it. `None`: there is no such account.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn set_login(&self, name: &str, login: AccountSecret) -> Result<Option<()>, StoreError> {
        let Some(account) = self.find(name) else {
            return Ok(None);
        };
        let login = login.of_server(&server_of(&account.config.place));
        let (vault, store) = self.vault_and_store()?;
        let bytes = login.to_bytes();
        let put = AccountEntry::new(name, LOGIN_PART).put(vault, &bytes)?;
        store.write(vec![put])?;
        store.commit_now().map_err(|_| StoreError::Stopped)?;
        {
            let mut state = account.state();
            (state.login, state.failures) = (Some(login), 0);
        }
        account.wake.notify_one();
        Ok(Some(()))
    }

    pub(super) fn vault_and_store(&self) -> Result<(&Vault, Arc<Store>), StoreError> {
        let store = self.0.kept_in.get().and_then(|(store, _)| store.upgrade());
        self.0.vault.get().zip(store).ok_or(StoreError::Stopped)
    }

    /// Looks at one now; `None`: there is no such account.
    pub(crate) async fn look_now(&self, name: &str) -> Option<AccountReport> {
        let account = self.find(name)?;
        self.look(Arc::clone(account)).await;
        Some(account.report())
    }

    /// One look, on a thread of its own: the machine does not wait for it when it ends.
    async fn look(&self, account: Arc<LiveAccount>) {
        let (told, heard) = oneshot::channel();
        let me = self.clone();
        let begun = thread::Builder::new()
            .name("aura-account".to_owned())
            .spawn(move || {
                me.look_here(&account);
                // Whoever asked may have gone.
                let _ = told.send(());
            });
        if begun.is_ok() {
            let _ = heard.await;
        }
    }

    fn look_here(&self, account: &LiveAccount) {
        let mut last = account.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < SOON) {
            return;
        }
        let Some((_, clock)) = self.0.kept_in.get() else {
            return;
        };
        let at = clock.wall();
        let looked = self.read(account, at);
        *last = Some(Instant::now());
        if self.is_over() {
            return;
        }
        let mut state = account.state();
        state.looked_at = Some(at);
        match looked {
            Ok(()) => {
                (state.failure, state.failures) = (None, 0);
                drop(state);
                self.tell_reached(&account.config.name);
            }
            Err(failure) => {
                tracing::warn!(
                    account = account.config.name,
                    ?failure,
                    "an account cannot be read"
                );
                state.failure = Some(failure);
                state.failures = state.failures.saturating_add(1);
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Relaxed)
    }

    /// The machine ends.
    pub(super) fn end(&self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }

    fn read(&self, account: &LiveAccount, at: Timestamp) -> Result<(), LookFailure> {
        let (request, cache, whole_at) = account.request(at);
        let mut parts = Vec::new();
        let mut connect = || {
            if self.is_over() {
                return Err(LookFailure::WorkerEnded);
            }
            broker::connect(&account.config)
        };
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
                remove_file(folder, &calendar.file_name()).map_err(|error| not_laid_out(&error))?;
            }
        }
        let mut state = account.state();
        state.changes = (changes.new, changes.gone);
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
        let (vault, store) = self.vault_and_store()?;
        let name = &account.config.name;
        let mut writes = Vec::new();
        for id in &changes.changed {
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
        store.write(writes)
    }
}

fn not_laid_out(error: &io::Error) -> LookFailure {
    tracing::warn!(%error, "the calendars of an account could not be put where they are read");
    LookFailure::WorkerEnded
}

impl LiveAccount {
    /// Takes up what was kept, and gives what is to be forgotten.
    fn take_up(
        &self,
        reader: &StoreReader,
        vault: &Vault,
        own: &[&AccountEntry],
    ) -> Result<Vec<StoreWrite>, StoreError> {
        let read = |part: &str| reader.account_entry(vault, &AccountEntry::new(&self.config.name, part));
        let mut forgotten = Vec::new();
        let mut state = self.state();
        state.login = read(LOGIN_PART)?
            .and_then(|bytes| AccountSecret::from_bytes(&bytes))
            .filter(|login| login.is_of(&server_of(&self.config.place)));
        state.reading = read(READING_PART)?
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|reading: &AccountReading| reading.of == self.identity());
        for entry in own {
            let is_kept = match entry.part.as_str() {
                LOGIN_PART => state.login.is_some(),
                READING_PART => state.reading.is_some(),
                part if part.starts_with(CALENDAR_PART) && state.reading.is_some() => {
                    let calendar = reader
                        .account_entry(vault, entry)?
                        .and_then(|bytes| serde_json::from_slice::<CachedCalendar>(&bytes).ok());
                    match calendar {
                        Some(calendar) => {
                            if let Err(error) = self.lay_out(&calendar) {
                                tracing::warn!(%error, "a kept calendar could not be put where it is read");
                            }
                            state.cache.calendars.insert(calendar.id.clone(), calendar);
                            true
                        }
                        None => false,
                    }
                }
                _ => false,
            };
            if !is_kept {
                forgotten.push((*entry).clone().forget());
            }
        }
        Ok(forgotten)
    }

    /// What its worker is asked of its server, without anything that is known.
    pub(super) fn server_request(&self, at: Timestamp) -> AccountRequest {
        let state = self.state();
        let day = |days: i64| {
            at.plus_ms(days * DAY_MS)
                .utc()
                .format("%Y%m%dT000000Z")
                .to_string()
        };
        let mut place = self.config.place.clone();
        let login = state.login.as_ref();
        if let Some(path) = login.and_then(AccountSecret::path) {
            path.clone_into(&mut place.path);
        }
        let mut request = AccountRequest::new(
            self.config.kind.protocol(),
            place,
            [day(-DAYS_BEFORE), day(DAYS_AFTER)],
        );
        request.pin.clone_from(&self.config.certificate);
        request.login = login.and_then(|login| {
            let user = login.user().or(self.config.user.as_deref());
            Some(AccountLogin {
                user: user.unwrap_or_default().to_owned(),
                password: login.password()?.to_owned(),
            })
        });
        request
    }

    /// What its worker is asked to read, what is known now, and since when as a whole.
    fn request(&self, at: Timestamp) -> (AccountRequest, AccountCache, Timestamp) {
        let mut request = self.server_request(at);
        let state = self.state();
        let whole_at = state.reading.as_ref().map(|reading| reading.whole_at);
        let is_fresh = whole_at.is_some_and(|whole_at| at.since(whole_at) < WHOLE_AFTER_MS);
        if is_fresh || self.config.kind == ServerAccountKind::CalendarAddress {
            request.known = state.cache.known_calendars();
        }
        (request, state.cache.clone(), whole_at.unwrap_or(at))
    }

    /// How long the next look waits.
    fn next_wait(&self, chance: u64) -> Duration {
        let state = self.state();
        let after_s = match &state.failure {
            Some(LookFailure::TooOften { after_s }) => after_s.unwrap_or(0),
            Some(_) | None => 0,
        };
        let every = Duration::from_secs(60 * u64::from(self.config.every_min));
        wait_after(every, state.failures, chance).max(Duration::from_secs(u64::from(after_s)).min(AT_MOST))
    }
}

/// After so many failures: twice as long for each, and a tenth more or less by chance, so that not all ask at once.
pub(super) fn wait_after(every: Duration, failures: u32, chance: u64) -> Duration {
    let longer = every.saturating_mul(1 << failures.min(8));
    let longer = if failures > 0 {
        longer.min(AT_MOST.max(every))
    } else {
        longer
    };
    let tenth = longer / 10;
    let share = u32::try_from(chance % 201).unwrap_or(100);
    (longer.saturating_sub(tenth) + tenth * share / 100).max(AT_LEAST)
}

pub(super) fn chance() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}

/// Looks at each account that is not paused, and delivers what the owner confirmed, until the service ends.
pub(crate) fn poll_accounts(accounts: &LiveAccounts, stopped: &watch::Receiver<bool>) {
    deliver_always(accounts, stopped);
    let polled = accounts
        .0
        .accounts
        .iter()
        .filter(|account| !account.config.is_paused);
    for (number, account) in (1_u32..).zip(polled) {
        let (me, account, mut stopped) = (accounts.clone(), Arc::clone(account), stopped.clone());
        actix::spawn(async move {
            let mut wait = FIRST * number;
            loop {
                tokio::select! {
                    _ = stopped.wait_for(|stop| *stop) => break,
                    () = account.wake.notified() => {}
                    () = tokio::time::sleep(wait) => {}
                }
                tokio::select! {
                    _ = stopped.wait_for(|stop| *stop) => break,
                    () = me.look(Arc::clone(&account)) => {}
                }
                wait = account.next_wait(chance());
            }
            me.end();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_that_fails_is_asked_less_often_and_never_more_than_once_a_minute() {
        let quarter = Duration::from_mins(15);
        // By chance 100 of 200 nothing is added or taken away.
        for (failures, minutes) in [(0, 15), (1, 30), (2, 60), (4, 240), (5, 360), (30, 360)] {
            assert_eq!(
                wait_after(quarter, failures, 100),
                Duration::from_mins(minutes),
                "{failures}"
            );
        }
        assert_eq!(wait_after(quarter, 0, 0), Duration::from_secs(810));
        assert_eq!(wait_after(quarter, 0, 200), Duration::from_secs(990));
        assert_eq!(wait_after(Duration::from_mins(1), 0, 0), AT_LEAST);
        // Who is asked once a day is not asked more often because it failed.
        assert_eq!(
            wait_after(Duration::from_hours(24), 3, 100),
            Duration::from_hours(24)
        );
    }
}
