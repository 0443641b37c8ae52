//! Staying with an account of mail.
//!
//! What: one worker for each account of mail, from its connection to its end; what it finds goes to the store in memory, and orders go to it. Why:
//! new mail is heard at once, and what is asked of an account reaches the worker that has the connection. Not here: when a new one begins
//! (`live`), what it does (`aura_process::source`).

use super::{
    cache::AccountReading,
    live::{LiveAccount, LiveAccounts},
};
use aura_memory::StoreReader;
use aura_process::{
    WorkerProgram,
    source::{
        LOOK_WITHIN, LookFailure, MailOrder, MailOrders, MailPart, MailboxHost, OrderOutcome, WantedMails,
        read_mailbox,
    },
};
use std::{
    collections::BTreeMap,
    net::TcpStream,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::timeout};
use toolcall_schema::AgentName;

/// How long an order may take: a draft of some size over a slow line, behind a look.
const ORDER_WITHIN: Duration = Duration::from_mins(2);
/// How long a page waits for mails that are fetched again.
const AGAIN_WITHIN: Duration = Duration::from_secs(2);
/// Between two pages that have senders asked for, at least.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// A connection that ended after so long is made anew at once, and by the clock else.
const STANDS: Duration = Duration::from_mins(1);

/// The number of what a worker is asked for with its task: nobody ordered that.
const AT_ITS_BEGIN: u64 = 0;

/// The way to the worker of an account, while there is one.
pub(super) struct MailWorkerHandle {
    orders: Mutex<Option<MailOrders>>,
    asked: Mutex<BTreeMap<u64, mpsc::Sender<OrderOutcome>>>,
    number: AtomicU64,
    /// Counts looks that ended, well or not.
    looks: watch::Sender<u64>,
    /// Mails were asked for again, and have not come yet.
    is_fetching: watch::Sender<bool>,
    /// It is ended on purpose.
    is_ended: AtomicBool,
    /// A connection that stood for a while ended: another is made at once.
    is_dropped: AtomicBool,
}

impl Default for MailWorkerHandle {
    fn default() -> Self {
        Self {
            orders: Mutex::default(),
            asked: Mutex::default(),
            number: AtomicU64::new(AT_ITS_BEGIN + 1),
            looks: watch::Sender::new(0),
            is_fetching: watch::Sender::new(false),
            is_ended: AtomicBool::new(false),
            is_dropped: AtomicBool::new(false),
        }
    }
}

impl MailWorkerHandle {
    fn orders(&self) -> MutexGuard<'_, Option<MailOrders>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_orders(&self) -> MutexGuard<'_, BTreeMap<u64, mpsc::Sender<OrderOutcome>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, order: MailOrder) -> Result<(), LookFailure> {
        let orders = self.orders().clone();
        orders.ok_or(LookFailure::Unreachable)?.send(order)
    }

    /// Has the worker do something that has an outcome. Blocks until it is told.
    ///
    /// # Errors
    /// [`LookFailure`]: nothing was sent to the server.
    pub(super) fn order(&self, order: impl FnOnce(u64) -> MailOrder) -> Result<OrderOutcome, LookFailure> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (told, heard) = mpsc::channel();
        self.open_orders().insert(number, told);
        let sent = self.send(order(number));
        let outcome = sent.map(|()| {
            let unknown = |_| OrderOutcome::Unknown {
                failure: LookFailure::Silent,
            };
            heard.recv_timeout(ORDER_WITHIN).unwrap_or_else(unknown)
        });
        self.open_orders().remove(&number);
        outcome
    }

    /// Whether a connection that stood for a while ended since this was asked last.
    pub(super) fn take_dropped(&self) -> bool {
        self.is_dropped.swap(false, Ordering::Relaxed)
    }

    /// Ends the worker.
    pub(super) fn end(&self) {
        if let Some(orders) = self.orders().take() {
            self.is_ended.store(true, Ordering::Relaxed);
            orders.end();
        }
    }

    /// The worker ended: nobody answers any more.
    fn close(&self, failure: &LookFailure) {
        self.orders().take();
        for (_, told) in std::mem::take(&mut *self.open_orders()) {
            let failure = failure.clone();
            // Whoever asked may have gone.
            let _ = told.send(OrderOutcome::Unknown { failure });
        }
        self.is_fetching.send_replace(false);
        self.looks.send_modify(|looks| *looks += 1);
    }
}

/// Takes what a worker finds.
struct MailHost<'a> {
    accounts: &'a LiveAccounts,
    account: &'a LiveAccount,
    /// It ends after one look.
    is_once: bool,
    /// What the look changed so far: mails that are new, and that went.
    changes: (usize, usize),
    /// Whether anything changed in a folder that the agent sees.
    has_changed: bool,
    has_looked: bool,
    /// Whether mails came that were asked for again.
    has_again: bool,
    /// What the worker was asked for at its begin.
    wanted: Vec<WantedMails>,
}

impl MailboxHost for MailHost<'_> {
    fn connect(&mut self) -> Result<TcpStream, LookFailure> {
        self.accounts.connect(self.account)
    }

    fn begun(&mut self, orders: MailOrders) {
        *self.account.mail_worker.orders() = Some(orders);
    }

    fn take(&mut self, part: MailPart) -> Result<(), LookFailure> {
        if self.accounts.is_over() {
            return Err(LookFailure::WorkerEnded);
        }
        let is_folder_done = matches!(part, MailPart::ReadUpTo { .. });
        let is_again = matches!(part, MailPart::HeadAgain { .. });
        self.has_again |= is_again;
        self.has_changed |= !is_folder_done
            && !is_again
            && !matches!(part, MailPart::Folder { .. } | MailPart::ReadAll { .. });
        let taken = self.account.mail().take(part);
        let (new, gone) = taken.map_err(|error| {
            tracing::warn!(%error, "mail of an account could not be put where it is read");
            LookFailure::WorkerEnded
        })?;
        self.changes = (self.changes.0 + new, self.changes.1 + gone);
        // Nobody waits for the other folders.
        if is_folder_done && std::mem::take(&mut self.has_changed) {
            self.accounts.tell_mail();
        }
        Ok(())
    }

    fn looked(&mut self, folders: Option<Vec<String>>) -> bool {
        let Some(at) = self.accounts.now().filter(|_| !self.accounts.is_over()) else {
            return false;
        };
        let is_of_all = folders.is_some();
        if let Some(folders) = folders {
            match self.account.mail().keep_folders(&folders) {
                Ok(gone) => self.changes.1 += gone,
                Err(error) => tracing::warn!(%error, "folders of mail could not be removed from memory"),
            }
            let told = self.account.mail().tell_gone();
            match told {
                Ok(true) => self.accounts.tell_mail(),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "which mails went could not be put where it is read"),
            }
        }
        let reading = AccountReading {
            of: self.account.identity(),
            whole_at: at,
            reached_at: at,
        };
        if is_of_all && let Err(error) = self.accounts.keep_reading(self.account, &reading) {
            tracing::warn!(%error, "when an account was reached could not be kept");
        }
        self.has_looked = true;
        let changes = std::mem::take(&mut self.changes);
        self.account.note_look(at, changes, reading);
        self.accounts.tell_reached(&self.account.config.name);
        self.account.mail_worker.looks.send_modify(|looks| *looks += 1);
        !self.is_once
    }

    fn ordered(&mut self, number: u64, outcome: OrderOutcome) {
        if outcome == OrderOutcome::FetchedAgain {
            if number == AT_ITS_BEGIN {
                self.account.mail().note_absent(&std::mem::take(&mut self.wanted));
            }
            self.account.mail_worker.is_fetching.send_replace(false);
            if std::mem::take(&mut self.has_again) {
                self.accounts.tell_names();
            }
        }
        if let Some(told) = self.account.mail_worker.open_orders().remove(&number) {
            // Whoever asked may have gone.
            let _ = told.send(outcome);
        }
    }
}

impl LiveAccounts {
    /// Stays with an account of mail until its worker ends. A connection that ends after a good look is no failure.
    pub(super) fn stay_with_mail(&self, account: &LiveAccount, is_once: bool) {
        let stayed = self.with_token(account, || self.stay(account, is_once));
        let failure = stayed.unwrap_or_else(|failure| {
            account.note_failure(self.now(), failure.clone());
            Some(failure)
        });
        account
            .mail_worker
            .close(&failure.unwrap_or(LookFailure::WorkerEnded));
    }

    /// One connection: how it ended after a good look, or on purpose.
    fn stay(&self, account: &LiveAccount, is_once: bool) -> Result<Option<LookFailure>, LookFailure> {
        let (mut request, mut task) = account.mail_request();
        account.mail().clear_asked();
        task.wanted = self.missing_mails(account);
        account
            .mail_worker
            .is_fetching
            .send_replace(!task.wanted.is_empty());
        let wanted = task.wanted.clone();
        request.mail = Some(task);
        account.mail_worker.is_ended.store(false, Ordering::Relaxed);
        let begun = Instant::now();
        let mut host = MailHost {
            accounts: self,
            account,
            is_once,
            changes: (0, 0),
            has_changed: false,
            has_looked: false,
            has_again: false,
            wanted,
        };
        let failure = read_mailbox(
            &WorkerProgram::default(),
            &account.config.name,
            &request,
            &mut host,
        );
        let has_looked = host.has_looked;
        let has_stood = has_looked && begun.elapsed() >= STANDS;
        account.mail_worker.is_dropped.store(has_stood, Ordering::Relaxed);
        let is_meant = account.mail_worker.is_ended.load(Ordering::Relaxed) || self.is_over();
        if let Some(failure) = &failure
            && !is_meant
        {
            tracing::debug!(
                account = account.config.name,
                ?failure,
                has_looked,
                "mail is not read any more"
            );
            if !has_looked {
                return Err(failure.clone());
            }
        }
        Ok(failure)
    }

    /// Looks at an account of mail now, by the worker that has its connection, or a new one.
    pub(super) async fn look_at_mail(&self, account: &Arc<LiveAccount>) {
        let before = account.looked_at();
        // A connection that ends in it is made anew, once. The report says how it stands, whatever came of it.
        for _ in 0..2 {
            let mut looks = account.mail_worker.looks.subscribe();
            looks.borrow_and_update();
            if account.mail_worker.send(MailOrder::Look).is_err() {
                if account.config.is_paused || !self.is_polled() {
                    return self.look_in_thread(Arc::clone(account), true).await;
                }
                account.wake.notify_one();
            }
            let looked = timeout(LOOK_WITHIN, looks.changed()).await;
            if looked.is_err() || account.looked_at() != before {
                return;
            }
        }
    }

    /// The mails by which somebody is to be named and which are not here: Comms keeps where they lie.
    fn missing_mails(&self, account: &LiveAccount) -> Vec<WantedMails> {
        let Some(vault) = self.0.vault.get() else {
            return Vec::new();
        };
        let states = StoreReader::open(vault).and_then(|reader| reader.agent_states());
        let kept = match states {
            Ok(mut states) => states
                .remove(&AgentName::Comms)
                .and_then(|rows| rows.to_state().ok()),
            Err(error) => {
                tracing::warn!(%error, "where names stand could not be read");
                None
            }
        };
        let mails = kept.map_or_else(Vec::new, |state| agents::comms::fetched_mails(&state.to_value()));
        account.mail().ask_again(&account.config.name, &mails)
    }

    /// Has the workers fetch the mails by which somebody is to be named; that they came is told. A server that fails is not asked for it. Reads the
    /// store.
    pub(crate) fn ask_again(&self) {
        let accounts = self.0.accounts.iter();
        for account in accounts.filter(|account| account.config.kind.is_mail() && !account.config.is_paused) {
            let wanted = self.missing_mails(account);
            if wanted.is_empty() {
                continue;
            }
            let worker = &account.mail_worker;
            if worker.orders().is_some() {
                worker.is_fetching.send_replace(true);
                let number = worker.number.fetch_add(1, Ordering::Relaxed);
                // One that ended just now asks for them when it begins anew.
                let _ = worker.send(MailOrder::FetchAgain { number, wanted });
            } else if self.is_polled() && account.failure().1 == 0 && account.looking.try_lock().is_ok() {
                worker.is_fetching.send_replace(true);
                account.wake.notify_one();
            }
        }
    }

    /// The same, and waits until they came, at most [`AGAIN_WITHIN`].
    pub(crate) async fn fetch_again(&self) {
        let me = self.clone();
        if tokio::task::spawn_blocking(move || me.ask_again()).await.is_err() {
            return;
        }
        let all = async {
            for account in &self.0.accounts {
                let mut fetching = account.mail_worker.is_fetching.subscribe();
                // It is kept as long as this waits.
                let _ = fetching.wait_for(|is_fetching| !is_fetching).await;
            }
        };
        // Late is as good as never.
        let _ = timeout(AGAIN_WITHIN, all).await;
    }

    /// Whether a page may have senders asked for: not with each that is drawn.
    pub(crate) fn may_ask_again(&self) -> bool {
        let mut last = self.0.asked_again.lock().unwrap_or_else(PoisonError::into_inner);
        let may = last.is_none_or(|last| last.elapsed() >= AGAIN_AFTER);
        if may {
            *last = Some(Instant::now());
        }
        may
    }

    /// Whether there is mail of an account.
    pub(crate) fn has_mail(&self) -> bool {
        self.0
            .accounts
            .iter()
            .any(|account| account.config.kind.is_mail())
    }
}
